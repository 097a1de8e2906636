"""Work on a broken file must end: a limit of time for whatever reads it (lesson 06)."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")


class TooLong(Exception):
    """The work was stopped: it took longer than it may."""


class _Stop(BaseException):
    """Thrown into the work. Not an Exception, so that nobody's `except Exception` swallows it."""


def within(seconds: float, work: Callable[[], Result]) -> Result:
    """What `work` gives, if it ends in time; its own errors as they are. Raises TooLong where it does not end.

    The work runs in a thread of its own, so that this serves in a notebook and on every system; Python code in it is stopped at its next
    step.
    """
    outcome: list[tuple[bool, Any]] = []

    def run() -> None:
        try:
            outcome.append((True, work()))
        except BaseException as error:
            outcome.append((False, error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        thread.join(seconds)
    finally:
        if thread.is_alive():
            _stop(thread)
    if not outcome or isinstance(outcome[0][1], _Stop):
        raise TooLong(f"stopped after {seconds:g} seconds")
    done, value = outcome[0]
    if done:
        return value
    raise value


def _stop(thread: threading.Thread) -> None:
    for _ in range(20):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_Stop))
        thread.join(0.1)
        if not thread.is_alive():
            return
