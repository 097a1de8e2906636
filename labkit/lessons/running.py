"""Calling a learner's function without being harmed by it: a deadline, no stray output, and its exception as a value."""

from __future__ import annotations

import copy
import ctypes
import inspect
import io
import linecache
import random
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import FrameType

SECONDS = 3.0  # for all the cases of one check together


class _TooLong(BaseException):
    """Raised inside the learner's code when its time is up. Not an Exception, so that `except Exception` does not swallow it."""


class _Tape(io.TextIOBase):
    """Stands for the screen while a learner's function runs: keeps the beginning of what is printed, however much, and cannot be closed."""

    def __init__(self):
        self._kept, self._room = [], 10_000

    def write(self, text: str) -> int:
        if self._room > 0:
            self._kept.append(text[: self._room])
            self._room -= len(text)
        return len(text)

    def writable(self) -> bool:
        return True

    def close(self) -> None:
        pass

    def getvalue(self) -> str:
        return "".join(self._kept)


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


_AGAIN = 0.2  # s between the first strikes
_OFTEN = (-6.0, -3.0)  # powers of ten, s between later ones: uneven, so that one soon falls outside the `try` of a loop that swallows all


class _Deadline:
    """Raises _TooLong in the running thread after `seconds`, and again and again for code that swallows it, until `stop`.

    It strikes code that is not of this module only. Where that cannot be told for sure (see `_watch`), it may hit our own clean-up; so
    `stop` may be called again, and does no harm twice.
    """

    def __init__(self, seconds: float):
        self.seconds, self.live, self.strikes = seconds, True, 0
        self.by_signal = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
        self.stopped = False

    def start(self) -> None:
        if self.by_signal:
            self.began = time.monotonic()
            self.handler = signal.signal(signal.SIGALRM, self._strike)
            self.outer = signal.setitimer(signal.ITIMER_REAL, self.seconds)
        else:  # Windows, and other threads: an exception set from a thread, which Python code meets at its next step
            self.target, self.lock, self.left = ctypes.c_ulong(threading.get_ident()), threading.Lock(), threading.Event()
            self.turns = sys.getswitchinterval()
            threading.Thread(target=self._watch, daemon=True).start()

    def _strike(self, _, frame) -> None:
        if not self.live:
            return
        signal.setitimer(signal.ITIMER_REAL, self._wait())
        if not _is_ours(frame):
            raise _TooLong

    def _wait(self) -> float:
        self.strikes += 1
        return _AGAIN if self.strikes < 3 else 10 ** random.uniform(*_OFTEN)

    def _watch(self) -> None:
        wait = self.seconds
        while not self.left.wait(wait):
            with self.lock:
                if not self.live:
                    return
                if not _is_ours(sys._current_frames().get(self.target.value)):
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(self.target, ctypes.py_object(_TooLong))
            wait = self._wait()
            if wait < _AGAIN:
                sys.setswitchinterval(1e-5)  # the watching thread gets its turn at any step, not only in the longest loop

    def stop(self) -> None:
        self.live = False
        if self.stopped:
            return
        if self.by_signal:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self.handler)
            if self.outer[0]:  # somebody else's timer (a test runner's) goes on where it stood
                signal.setitimer(signal.ITIMER_REAL, max(self.outer[0] - (time.monotonic() - self.began), 0.01), self.outer[1])
        else:
            self.left.set()
            with self.lock:
                sys.setswitchinterval(self.turns)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(self.target, None)
        self.stopped = True


def _is_ours(frame: FrameType | None) -> bool:
    return frame is None or frame.f_code.co_filename == __file__


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
    out, screen = _Tape(), sys.stdout
    limit = sys.getrecursionlimit()
    deadline = _Deadline(seconds)
    try:
        try:
            sys.stdout = out
            deadline.start()
            value = function(*given)
        finally:
            deadline.stop()
        if inspect.iscoroutine(value):
            value.close()  # it will never run, and Python need not complain about that
        found = Call(value=value, printed=out.getvalue(), changed=_changed(arguments, given))
    except KeyboardInterrupt:
        raise
    except _TooLong:
        deadline.stop()
        found = Call(endless=True, printed=out.getvalue())
    except BaseException as error:
        deadline.stop()
        line, code = _own_line(error, function)
        found = Call(error=error, line=line, code=code, printed=out.getvalue())
    finally:
        sys.stdout = screen
        sys.setrecursionlimit(limit)
    return found


def _changed(before: tuple, after: tuple) -> str:
    for old, new in zip(before, after, strict=True):
        if isinstance(old, list | dict | set) and type(old) is type(new) and old != new:
            return type(old).__name__
    return ""


_NAMES_ONLY: ContextVar[bool] = ContextVar("names_only", default=False)


@contextmanager
def errors_by_name() -> Iterator[None]:
    """While this lasts, `error_text` gives the name alone: Python words its errors otherwise from version to version."""
    token = _NAMES_ONLY.set(True)
    try:
        yield
    finally:
        _NAMES_ONLY.reset(token)


def error_text(error: BaseException) -> str:
    """'ZeroDivisionError: division by zero', on one line, without addresses and without anything that moves a cursor."""
    try:
        said = " ".join(str(error).split())
    except Exception:
        said = ""
    name = type(error).__name__
    if _NAMES_ONLY.get():
        return name
    said = re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", "·", f"{name}: {said}" if said else name)
    return re.sub(r" at 0x[0-9a-fA-F]+", "", said)[:300]
