"""One labkit at a time changes a learner's folder.

The lock is the operating system's own, on a file beside the backups: it ends with the process that holds it, however that ends, so there
is no stale one to clear away. The number in the file is only for the message.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterator
from pathlib import Path

from labkit.errors import LabError
from labkit.lessons.inside import is_link
from labkit.lessons.texts import sentence

FILE = ".lock"
_FAR = 1 << 30  # Windows locks a byte, and nobody can read it then: one far behind the number


class Busy(LabError):
    """Another labkit is at work on the same folder."""


@contextlib.contextmanager
def locked(folder: Path, seconds: float = 10.0) -> Iterator[None]:
    """Holds the lock of the existing `folder`; waits up to `seconds` for it. Raises Busy, or LabError where no file can be made there."""
    path = folder / FILE
    if is_link(path):
        raise LabError(sentence("tools", "inside.link", name=f"{folder.name}/{FILE}"))
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0), 0o666)
    except OSError as error:
        raise LabError(sentence("tools", "journal.not_begun", reason=error.strerror)) from None
    try:
        end = time.monotonic() + seconds
        while not _take(handle):
            if time.monotonic() >= end:
                raise Busy(sentence("tools", "journal.busy", process=_holder(handle)))
            time.sleep(0.05)
        with contextlib.suppress(OSError):  # no space for a number: the lock holds all the same
            os.ftruncate(handle, 0)
            os.pwrite(handle, b"%d\n" % os.getpid(), 0) if hasattr(os, "pwrite") else os.write(handle, b"%d\n" % os.getpid())
        yield
    finally:
        os.close(handle)  # which gives the lock back


def _holder(handle: int) -> str:
    try:
        os.lseek(handle, 0, os.SEEK_SET)
        return os.read(handle, 20).decode("ascii", "replace").strip() or "?"
    except OSError:
        return "?"


if os.name == "nt":
    import msvcrt

    def _take(handle: int) -> bool:
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            return True
        except OSError:
            return False
        finally:
            os.lseek(handle, 0, os.SEEK_SET)

else:
    import fcntl

    def _take(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError as error:
            # another error: a network folder that knows no locks. The journal itself still notices a file that changes under it
            return error.errno not in (errno.EWOULDBLOCK, errno.EACCES, errno.EINTR)
