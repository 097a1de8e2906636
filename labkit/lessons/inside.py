"""Names of files inside one folder: never outside it, never through a link.

A reset works on names relative to the learner's folder ('state/sections.csv'). Each step towards such a file is looked at without
following it, so that nothing elsewhere on the machine is read, written or taken away.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from labkit.errors import LabError
from labkit.lessons.texts import sentence

LARGEST = 64 * 1024 * 1024  # bytes: a larger file is backed up and replaced like any other, but not looked into
_AT_ONCE = 1024 * 1024


class NotInside(LabError):
    """A name that leads out of its folder, a link on the way, or something that is no plain file."""


@dataclass(frozen=True)
class Found:
    """A file as it stands: size in bytes, SHA-256 of its bytes, and the bytes themselves (None where there are more than LARGEST)."""

    size: int
    digest: str
    content: bytes | None = None


def is_link(path: Path) -> bool:
    """A symbolic link, or a junction of Windows."""
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return False
    # a junction is a reparse point, but so is a file that a cloud folder keeps elsewhere: only the first is a link
    return stat.S_ISLNK(found.st_mode) or getattr(found, "st_reparse_tag", 0) == 0xA0000003


def check_name(name: str) -> str:
    """The name, where it can only mean a file inside the folder. NotInside: '..', an absolute path, a drive, a backslash, an empty part."""
    parts = name.split("/") if isinstance(name, str) else []
    if not parts or any(part in ("", ".", "..") or "\\" in part or ":" in part or "\0" in part for part in parts):
        raise NotInside(sentence("tools", "inside.name", name=repr(name)))
    return name


def place(folder: Path, name: str) -> Path:
    """Where `name` stands in `folder`, whether it is there or not.

    Raises NotInside where the folder itself or anything on the way is a link, where a folder stands in the place of the file, or a file
    in the place of a folder.
    """
    path = Path(folder)
    parts = check_name(name).split("/")
    for depth, part in enumerate(["", *parts]):
        path = path / part if part else path
        shown = path.name if not depth else "/".join([folder.name, *parts[:depth]])
        last = depth == len(parts)
        if is_link(path):
            raise NotInside(sentence("tools", "inside.link", name=shown))
        if last and path.is_dir():
            raise NotInside(sentence("tools", "inside.folder", name=shown))
        if not last and os.path.lexists(path) and not path.is_dir():
            raise NotInside(sentence("tools", "inside.file", name=shown))
        if last and os.path.lexists(path) and not path.is_file():
            raise NotInside(sentence("tools", "inside.special", name=shown))
    return path


def look(folder: Path, name: str) -> Found | None:
    """The file `name` in `folder`, None where there is none. Raises NotInside (see `place`), LabError where it cannot be read."""
    path = place(folder, name)
    if not os.path.lexists(path):
        return None
    try:
        return found_at(path)
    except OSError as error:
        raise LabError(sentence("tools", "inside.unreadable", name=f"{folder.name}/{name}", reason=error.strerror)) from None


def json_in(folder: Path, name: str) -> object:
    """What a JSON file of a folder holds; None where it is missing, a link, a pipe, too large, no text, or no JSON.

    For labkit's own small files, which anybody may have changed: whoever asks goes on without.
    """
    try:
        found = look(folder, name)
        return None if found is None or found.content is None else json.loads(found.content.decode("utf-8-sig"))
    except (LabError, ValueError, RecursionError, MemoryError):
        return None


def found_at(path: Path) -> Found:
    """The file at `path`. Raises OSError."""
    digest, size, kept = hashlib.sha256(), 0, []
    with open(path, "rb") as file:
        while piece := file.read(_AT_ONCE):
            digest.update(piece)
            size += len(piece)
            if size <= LARGEST:
                kept.append(piece)
    return Found(size, digest.hexdigest(), b"".join(kept) if size <= LARGEST else None)


def names_in(folder: Path, below: str) -> list[str]:
    """Names of all files under `folder`/`below`, sorted; hidden caches left out; links are named, not followed."""
    top = folder / below
    if is_link(top) or not top.is_dir():
        return []
    names = []
    for here, folders, files in os.walk(top, followlinks=False):
        linked = [each for each in folders if is_link(Path(here) / each)]
        folders[:] = sorted(each for each in folders if each not in linked and each not in _CACHES)
        names += [PurePosixPath(Path(here, each).relative_to(folder).as_posix()) for each in (*files, *linked)]
    return sorted(str(name) for name in names)


_CACHES = ("__pycache__", ".pytest_cache", ".ipynb_checkpoints")
