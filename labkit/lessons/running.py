"""Calling a learner's function without being harmed by it: a deadline, no stray output, and its exception as a value."""

from __future__ import annotations

import contextlib
import copy
import io
import linecache
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

SECONDS = 3.0  # for all the cases of one check together


class _TooLong(BaseException):
    """Raised inside the learner's code when its time is up. Not an Exception, so that `except Exception` does not swallow it."""


@dataclass(frozen=True)
class Call:
    """What came of one call. Exactly one of these holds: `error` is an exception, `endless` is true, or `value` is what it returned."""

    value: object = None
    error: BaseException | None = None
    endless: bool = False
    printed: str = ""
    changed: str = ""  # type of an argument that the call changed
    line: int | None = None  # 1-based line of the learner's own code where the exception arose
    code: str = field(default="", repr=False)  # that line


@contextlib.contextmanager
def deadline(seconds: float):
    """Raises _TooLong in the running thread after `seconds`, and again until the block is left, for code that swallows it."""
    if threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
        started = time.monotonic()
        inside = [True]

        def late(*_):
            if inside[0]:
                raise _TooLong

        handler = signal.signal(signal.SIGALRM, late)
        outer, interval = signal.setitimer(signal.ITIMER_REAL, seconds, 0.2)
        try:
            yield
        finally:
            inside[0] = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler)
            if outer:  # somebody else's timer (a test runner's) goes on where it stood
                signal.setitimer(signal.ITIMER_REAL, max(outer - (time.monotonic() - started), 0.01), interval)
    else:
        yield from _deadline_by_thread(seconds)


def _deadline_by_thread(seconds: float):
    # Windows, and threads: an exception set from another thread, which Python code meets at its next step
    import ctypes

    target = ctypes.c_ulong(threading.get_ident())
    left, lock = threading.Event(), threading.Lock()

    def watch():
        wait = seconds
        while not left.wait(wait):
            with lock:
                if not left.is_set():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(target, ctypes.py_object(_TooLong))
            wait = 0.2

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        with lock:
            left.set()
            ctypes.pythonapi.PyThreadState_SetAsyncExc(target, None)


def _own_line(error: BaseException, function: Callable) -> tuple[int | None, str]:
    """The last line of the learner's own code on the way to the exception: frames that share the function's globals."""
    own = getattr(function, "__globals__", None)
    found = None
    step = error.__traceback__
    while step is not None:
        if own is not None and step.tb_frame.f_globals is own:
            found = step
        step = step.tb_next
    if found is None:
        return None, ""
    number = found.tb_lineno
    return number, linecache.getline(found.tb_frame.f_code.co_filename, number).strip()


def call(function: Callable, arguments: tuple, seconds: float = SECONDS) -> Call:
    """Calls `function` on copies of `arguments`; its prints are kept, not shown. KeyboardInterrupt goes through."""
    given = copy.deepcopy(arguments)
    out = io.StringIO()
    limit = sys.getrecursionlimit()
    try:
        with contextlib.redirect_stdout(out), deadline(seconds):
            value = function(*given)
    except KeyboardInterrupt:
        raise
    except _TooLong:
        return Call(endless=True, printed=out.getvalue())
    except BaseException as error:
        line, code = _own_line(error, function)
        return Call(error=error, line=line, code=code, printed=out.getvalue())
    finally:
        sys.setrecursionlimit(limit)
    return Call(value=value, printed=out.getvalue(), changed=_changed(arguments, given))


def _changed(before: tuple, after: tuple) -> str:
    for old, new in zip(before, after, strict=True):
        if isinstance(old, list | dict | set) and type(old) is type(new) and old != new:
            return type(old).__name__
    return ""


def error_text(error: BaseException) -> str:
    """'ZeroDivisionError: division by zero', on one line, without addresses."""
    try:
        said = " ".join(str(error).split())
    except Exception:
        said = ""
    name = type(error).__name__
    return re.sub(r" at 0x[0-9a-fA-F]+", "", f"{name}: {said}" if said else name)[:300]
