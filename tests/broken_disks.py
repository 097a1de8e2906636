"""Disks that fail, or end the process, at one chosen operation. Used by the tests of resets only."""

from __future__ import annotations

from pathlib import Path

from labkit.lessons.disk import Disk

OPERATIONS = ("make_folder", "write", "copy", "set_mode", "replace", "remove", "remove_folder", "settle")


class Dead(BaseException):
    """Stands for the end of the process: nothing can catch it and still work on the disk."""


class WatchedDisk(Disk):
    """The real disk; `before` is called with the number (1-based), the name and the arguments of each operation."""

    def __init__(self, before=lambda number, name, arguments: None):
        self.count, self.before = 0, before


def _watched(name: str):
    def method(self, *arguments):
        self.count += 1
        self.before(self.count, name, arguments)
        return getattr(Disk, name)(self, *arguments)

    return method


for _name in OPERATIONS:
    setattr(WatchedDisk, _name, _watched(_name))


def dies_at(number: int, end=None) -> WatchedDisk:
    """Ends at operation `number`, half-way where it writes, and does nothing any more. `end`: what ends it (None: raises Dead)."""

    def before(count, name, arguments):
        if count < number:
            return
        if count == number:
            half_written(name, arguments)
        if end:
            end()
        raise Dead

    return WatchedDisk(before)


def fails_at(number: int, error: BaseException, ever_after: bool = False) -> WatchedDisk:
    """Raises `error` at operation `number`, half-way where it writes; with `ever_after`, at each later one too."""

    def before(count, name, arguments):
        if count == number:
            half_written(name, arguments)
        if count == number or (ever_after and count > number):
            raise error

    return WatchedDisk(before)


def half_written(name: str, arguments: tuple) -> None:
    """Leaves the first three bytes of what was to be written."""
    if name == "write":
        path, content = arguments
    elif name == "copy":
        path, content = arguments[1], arguments[0].read_bytes()
    else:
        return
    if not path.exists():
        path.write_bytes(content[:3])


def tree(folder: Path) -> dict[str, bytes]:
    """Relative name -> bytes of every file of a folder, hidden ones too; a link stands with the place that it names."""
    return {
        path.relative_to(folder).as_posix(): f"link to {path.readlink()}".encode() if path.is_symlink() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }
