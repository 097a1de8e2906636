"""Work on all cores: how many there are, and processes that start without running the program again that started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def starting() -> Iterator[None]:
    """While processes start: they need nothing of the program that asks, and must not run it again; and Ctrl-C waits until they have."""
    main = sys.modules["__main__"]
    saved = {name: main.__dict__.pop(name) for name in ("__file__", "__spec__") if name in main.__dict__}
    main.__spec__ = None
    try:
        with _ctrl_c_waits():
            yield
    finally:
        main.__dict__.update(saved)


@contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """Ctrl-C is heard at the end of the block: halfway through a start it would leave a process that nobody knows of, and the others would
    wait for it. What starts in the block never hears of it: one that is still importing would answer with a traceback."""
    heard = []
    before = signal.getsignal(signal.SIGINT)
    ours = threading.current_thread() is threading.main_thread() and callable(before)
    if ours:
        signal.signal(signal.SIGINT, lambda *_: heard.append(True))
    inherited = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if hasattr(signal, "pthread_sigmask") else None  # not on Windows
    try:
        yield
    finally:
        if inherited is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, inherited)
        if ours:
            signal.signal(signal.SIGINT, before)
    if heard:
        before(signal.SIGINT, None)


def follow_the_first() -> None:
    """For the start of a process: Ctrl-C reaches all of them, and the one that started the others ends them; where that one was killed
    and can end nobody, they end by themselves, since they would wait for it for ever."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    first = multiprocessing.parent_process()
    if first is not None:
        threading.Thread(target=_end_with, args=(first,), daemon=True).start()


def _end_with(first) -> None:
    first.join()
    os._exit(1)  # a process that is stuck in a pipe hears nothing gentler
