"""Every way in which a reset touches the disk, one method each.

The journal works through a `Disk` alone, so a test can let any single step fail, or end the process there, and look at what is left.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from pathlib import Path

_AT_ONCE = 1024 * 1024


class Disk:
    """The real disk. Each method does one thing and raises OSError where it cannot."""

    def free(self, folder: Path) -> int:
        """Bytes free where `folder` stands."""
        return shutil.disk_usage(folder).free

    def make_folder(self, folder: Path) -> None:
        """Makes one folder, which must not be there yet."""
        os.mkdir(folder)

    def write(self, path: Path, content: bytes) -> None:
        """Writes a new file, down to the disk itself. Something in its place is an error: a link could lead elsewhere."""
        with open(path, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())

    def copy(self, source: Path, target: Path) -> None:
        """Copies a file's bytes into a new file, piece by piece, down to the disk itself."""
        with open(source, "rb") as old, open(target, "xb") as new:
            shutil.copyfileobj(old, new, _AT_ONCE)
            new.flush()
            os.fsync(new.fileno())

    def set_mode(self, path: Path, mode: int) -> None:
        """Who may read and write the file (the nine bits)."""
        os.chmod(path, stat.S_IMODE(mode) & 0o777)

    def replace(self, new: Path, old: Path) -> None:
        """Puts one file in the place of another of the same folder, in one step."""
        os.replace(new, old)

    def remove(self, path: Path) -> None:
        """Takes one file away."""
        os.unlink(path)

    def remove_folder(self, folder: Path) -> None:
        """Takes one empty folder away."""
        os.rmdir(folder)

    def settle(self, folder: Path) -> None:
        """Makes what was renamed in a folder survive a power cut, on systems that know how."""
        if os.name != "posix":
            return
        handle = os.open(folder, os.O_RDONLY)
        try:
            with contextlib.suppress(OSError):  # some file systems cannot; the renames are in order all the same
                os.fsync(handle)
        finally:
            os.close(handle)
