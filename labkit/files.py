"""Writing a file so that it is there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path


def write_atomically(path: Path, content: str | bytes, *, overwrite: bool = True) -> bool:
    """Writes beside the place, then moves: whoever reads sees the old file or the new one, never half of one.

    Text is UTF-8 with the line ends that it has. Without `overwrite` an existing file (a link too) stays as it is and the answer is
    False. A link in the place of the file is replaced, not followed; a file keeps its mode bits. Raises OSError, and then nothing is
    left behind.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    handle, name = tempfile.mkstemp(prefix=".labkit-", suffix=".part", dir=path.parent)
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(_mode(path))
        if overwrite:
            os.replace(part, path)
            return True
        return _place(part, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            part.unlink()


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
