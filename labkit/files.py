"""Writing a file so that it is there whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

_PART = (".labkit-", ".part")  # begin and end of the name under which a file is written
_OLD = 60.0  # s; a file is written in milliseconds


def write_atomically(path: Path, content: str | bytes, *, overwrite: bool = True, sync: bool = True) -> bool:
    """Writes beside the place, then moves: whoever reads sees the old file or the new one, never half of one.

    Text is UTF-8 with the line ends that it has. Without `overwrite` an existing file (a link too) stays as it is and the answer is
    False. A link in the place of the file is replaced, not followed; a file keeps its mode bits. Raises OSError, and then nothing is
    left behind; also where a device or a pipe stands (/dev/null), which would be moved over. Without `sync` nobody waits for the disk, and
    a power cut may leave a torn file: for what can be told to be torn, and made again.
    """
    _refuse_device(path)
    data = content.encode("utf-8") if isinstance(content, str) else content
    handle, name = tempfile.mkstemp(prefix=_PART[0], suffix=_PART[1], dir=path.parent)
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        part.chmod(_mode(path))
        if overwrite:
            os.replace(part, path)
            return True
        return _place(part, path)
    except OSError as error:
        name_the_place(error, path)
        raise
    finally:
        with contextlib.suppress(FileNotFoundError):
            part.unlink()


def name_the_place(error: OSError, place: Path) -> None:
    """Says where it happened, if the error does not: the system names no file where a write fails that had begun."""
    if error.errno is not None and error.filename is None:
        error.filename = str(place)


def sweep(folders: Iterable[Path]) -> None:
    """Takes away what writers left in these folders that were killed on the way: files of ours, unfinished and a minute old."""
    for folder in folders:
        with contextlib.suppress(OSError):
            for each in folder.iterdir():
                if each.name.startswith(_PART[0]) and each.name.endswith(_PART[1]):
                    with contextlib.suppress(OSError):
                        found = each.lstat()
                        if stat.S_ISREG(found.st_mode) and time.time() - found.st_mtime > _OLD:
                            each.unlink()


def _refuse_device(path: Path) -> None:
    try:
        there = os.stat(path).st_mode
    except OSError:
        return
    if not (stat.S_ISREG(there) or stat.S_ISDIR(there)):
        raise OSError(errno.EINVAL, "not a plain file but a device or a pipe", str(path))


def _mode(path: Path) -> int:
    """The nine mode bits of the file that stands there, else those of a new file."""
    with contextlib.suppress(OSError):
        there = os.lstat(path).st_mode
        if stat.S_ISREG(there):
            return there & 0o777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def _place(part: Path, path: Path) -> bool:
    try:
        os.link(part, path)  # fails where something stands already, in one step
        return True
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        if os.path.lexists(path):
            return False
        os.rename(part, path)
        return True
