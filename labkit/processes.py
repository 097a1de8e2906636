"""Work on all cores: how many there are, and processes that start without running the program again that started them."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def without_main() -> Iterator[None]:
    """While processes start: they need nothing of the program that asks, and must not run it again."""
    main = sys.modules["__main__"]
    saved = {name: main.__dict__.pop(name) for name in ("__file__", "__spec__") if name in main.__dict__}
    main.__spec__ = None
    try:
        yield
    finally:
        main.__dict__.update(saved)


def leave_ctrl_c_to_the_first() -> None:
    """For the start of a process: Ctrl-C reaches all of them, and the one that started the others ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
