"""Backups: what a reset (or an undo) replaced, kept beside the learner's folder, numbered and dated.

`work-backups/0003-2026-11-30T140322Z-reset-03/` holds `before/` (the files as they were, under their own names) and `backup.json` (what
was done to which file). The number orders them, whatever a clock says; the date in the name is in UTC. Nothing here is ever deleted by
labkit, except the leftovers of a change that did not happen.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from labkit.errors import LabError
from labkit.lessons.inside import NotInside, check_name, found_at, is_link, json_in, place
from labkit.lessons.texts import sentence

RECORD, BEFORE = "backup.json", "before"
COPYING, CHANGING, DONE, TAKEN_BACK = "copying", "changing", "done", "taken back"
_NAME = re.compile(r"([0-9]{4,200})-")


class BackupError(LabError):
    """There is no such backup, or it cannot be used."""


@dataclass(frozen=True)
class Copy:
    """A file as it was: SHA-256 and size of its bytes, and its nine mode bits."""

    digest: str
    size: int
    mode: int


@dataclass(frozen=True)
class FileChange:
    """One file of a change: what stood there before (None: nothing) and the SHA-256 of what stands there after it (None: nothing)."""

    name: str
    before: Copy | None
    after: str | None


@dataclass(frozen=True)
class Backup:
    """One numbered backup. `what` is 'reset' or 'undo', `lesson` the lesson of a reset ('03'), `undoes` the number that an undo put back.

    `status` is 'copying' (the files of the learner are untouched), 'changing' (every new file lies ready beside its place), 'done', or
    'taken back'. `folders` are those that the change had to make.
    """

    number: int
    when: str
    what: str
    lesson: str | None
    undoes: int | None
    token: str
    status: str = COPYING
    files: tuple[FileChange, ...] = ()
    folders: tuple[str, ...] = ()
    folder: Path = field(default=Path(), compare=False)

    def copy_of(self, name: str) -> Path:
        """Where the bytes of `name` from before the change stand. Raises NotInside for a link on the way."""
        return place(self.folder, f"{BEFORE}/{name}")

    def local_time(self) -> str:
        """When it was made, on this machine's clock: '2026-11-30 15:03'."""
        return datetime.strptime(self.when, _WHEN).replace(tzinfo=UTC).astimezone().strftime("%Y-%m-%d %H:%M")


_WHEN = "%Y-%m-%dT%H:%M:%SZ"


def folder_for(work: Path) -> Path:
    """The folder of backups beside a work folder: 'work-backups' beside 'work'. Raises NotInside where a link or a file stands there."""
    work = Path(work)
    folder = work.parent / f"{work.name}-backups"
    if is_link(folder):
        raise NotInside(sentence("tools", "inside.link", name=folder.name))
    if folder.exists() and not folder.is_dir():
        raise NotInside(sentence("tools", "inside.file", name=folder.name))
    return folder


def numbered(folder: Path) -> dict[int, Path]:
    """Number -> folder of everything that is named like a backup, in order. A link is left out."""
    if not folder.is_dir():
        return {}
    found = {}
    for each in sorted(folder.iterdir(), key=lambda path: (len(path.name), path.name)):
        match = _NAME.match(each.name)
        if match and each.is_dir() and not is_link(each):
            found.setdefault(int(match[1]), each)  # somebody's copy of a backup has a longer name
    return dict(sorted(found.items()))


def next_number(folder: Path) -> int:
    """One more than the highest number that any name in the folder of backups begins with, be it a file or a link."""
    numbers = [int(match[1]) for each in folder.iterdir() if (match := _NAME.match(each.name))]
    return max(numbers, default=0) + 1


def new_name(number: int, when: str, what: str, lesson: str | None) -> str:
    """The folder's name: number, moment in UTC, what was done. A Windows name holds no colon."""
    return "-".join([f"{number:04d}", when.replace(":", ""), what, *([lesson] if lesson else [])])


def moment(now: datetime | None = None) -> str:
    """A moment in UTC to the second, as a record holds it; whatever TZ and locale say."""
    return (now or datetime.now(UTC)).astimezone(UTC).strftime(_WHEN)


def as_json(backup: Backup) -> bytes:
    """The record's bytes."""
    data = asdict(backup)
    del data["folder"]
    return (json.dumps({"format": 1} | data, indent=1, ensure_ascii=False) + "\n").encode()


def read(folder: Path) -> Backup:
    """The backup in `folder`. Raises BackupError where its record is missing, damaged, or names a file outside the learner's folder."""
    try:
        data = json_in(folder, RECORD)
        files = tuple(
            FileChange(check_name(each["name"]), _copy(each["before"]), _of(each["after"], str, None)) for each in data["files"]
        )
        datetime.strptime(data["when"], _WHEN)
        return Backup(
            number=_of(data["number"], int), when=data["when"], what=_of(data["what"], str), lesson=_of(data["lesson"], str, None),
            undoes=_of(data["undoes"], int, None), token=check_name(data["token"]), status=_of(data["status"], str), files=files,
            folders=tuple(check_name(each) for each in data["folders"]), folder=folder,
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError, LabError):
        raise BackupError(sentence("tools", "backups.damaged", name=folder.name)) from None


def _copy(data: dict | None) -> Copy | None:
    return None if data is None else Copy(_of(data["digest"], str), _of(data["size"], int), _of(data["mode"], int) & 0o777)


def _of(value, *kinds):
    """The value, where it is of one of these kinds (None stands for itself); ValueError otherwise."""
    if (value is None and None in kinds) or type(value) in kinds:
        return value
    raise ValueError(f"{value!r} does not belong there")


def listed(work: Path) -> tuple[list[Backup], list[str]]:
    """(the backups of a work folder, oldest first; names of folders that look like backups and cannot be read)."""
    found, damaged = [], []
    for folder in numbered(folder_for(work)).values():
        try:
            found.append(read(folder))
        except BackupError:
            damaged.append(folder.name)
    return found, damaged


def undone(backups: list[Backup]) -> dict[int, int]:
    """Number of a backup -> number of the undo that put it back. An undo that was itself put back does not count."""
    by: dict[int, int] = {}
    for each in sorted(backups, key=lambda backup: -backup.number):
        if each.undoes is not None and each.status == DONE and each.number not in by:
            by.setdefault(each.undoes, each.number)
    return by


def next_to_undo(backups: list[Backup]) -> Backup | None:
    """The last reset that still stands, None where there is none: the top of the stack."""
    put_back = undone(backups)
    standing = [each for each in backups if each.what != "undo" and each.status == DONE and each.number not in put_back]
    return standing[-1] if standing else None


def whole(backup: Backup) -> None:
    """Checks the kept bytes against the record. Raises BackupError that names what is missing or was changed."""
    for each in backup.files:
        if each.before is None:
            continue
        try:
            path = backup.copy_of(each.name)
            right = found_at(path).digest == each.before.digest
        except (OSError, NotInside):
            right = False
        if not right:
            raise BackupError(sentence("tools", "backups.changed", number=backup.number, name=each.name))
