"""Work on a broken file must end: a limit of time for whatever reads it (lesson 06).

The time is the work's own, on the processor: on a machine that is busy with other things a sound page is slow, but it is read. Work that
only waits is stopped by the clock on the wall.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")

_WAITING = 60.0  # how many times its limit work may take by the clock on the wall


class TooLong(Exception):
    """The work was stopped: it took longer than it may."""


class _Stop(BaseException):
    """Thrown into the work. Not an Exception, so that nobody's `except Exception` swallows it."""


def within(seconds: float, work: Callable[[], Result]) -> Result:
    """What `work` gives, if it ends within so many seconds of its own; its own errors as they are. Raises TooLong where it does not end.

    The work runs in a thread of its own, so that this serves in a notebook and on every system; Python code in it is stopped at its next
    step.
    """
    outcome: list[tuple[bool, Any]] = []
    clocks: list[Callable[[], float]] = []

    def run() -> None:
        try:
            clocks.append(_own_clock())
            outcome.append((True, work()))
        except BaseException as error:
            outcome.append((False, error))

    thread = threading.Thread(target=run, daemon=True)
    begun, wall = time.process_time(), time.monotonic()
    thread.start()
    try:
        left = seconds
        while left > 0 and thread.is_alive():
            thread.join(max(left, 0.01))  # no sooner can the rest be used up
            spent = _spent(clocks, begun)
            left = min(seconds - spent, _WAITING * seconds - (time.monotonic() - wall))
    finally:
        if thread.is_alive():
            _stop(thread)
    if not outcome or isinstance(outcome[0][1], _Stop):
        raise TooLong(f"stopped after {seconds:g} seconds")
    done, value = outcome[0]
    if done:
        return value
    raise value


def _own_clock() -> Callable[[], float]:
    """A clock of the time that the calling thread has had on the processor, for other threads to read; that of the whole process on
    systems that have none such."""
    begun = time.thread_time()
    try:
        clock = time.pthread_getcpuclockid(threading.get_ident())
        time.clock_gettime(clock)
    except (AttributeError, OSError):
        whole = time.process_time()
        return lambda: time.process_time() - whole
    return lambda: time.clock_gettime(clock) - begun


def _spent(clocks: list[Callable[[], float]], begun: float) -> float:
    """Seconds that the work has had on the processor so far."""
    try:
        return clocks[0]() if clocks else time.process_time() - begun
    except OSError:  # it has just ended, and its clock with it
        return 0.0


def _stop(thread: threading.Thread) -> None:
    for _ in range(20):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_Stop))
        thread.join(0.1)
        if not thread.is_alive():
            return
