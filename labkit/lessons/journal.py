"""A change to several files of a learner's folder: all of it, or none of it, whenever it is interrupted (docs/reset.md).

1. *Copying.* A backup folder is made with a record of what is to be done. Every file that will be replaced is copied into it; every new
   file is written in full beside the place that it will take. The learner's files are untouched: an error here clears the leftovers.
2. *Changing.* The record says so from now on. Each new file takes its place by one rename, which needs no space. An error here takes
   back what was done; a process that ends here is finished by the next labkit command, which finds the record.
3. *Done.* The backup stays, for `labkit undo`.

A file that is neither what was backed up nor what was to be laid has been worked on since: it is never touched.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
import secrets
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from labkit.errors import LabError
from labkit.files import sweep
from labkit.lessons import backups
from labkit.lessons.backups import BEFORE, CHANGING, COPYING, DONE, RECORD, TAKEN_BACK, Backup, Copy, FileChange
from labkit.lessons.disk import Disk
from labkit.lessons.inside import NotInside, found_at, is_link, place
from labkit.lessons.lock import Busy, locked
from labkit.lessons.texts import sentence
from labkit.lessons.workfolder import STATE

DISK = Disk()
SPARE = 1024 * 1024  # bytes of space left over, for the record and for the names of files


class NotDone(LabError):
    """A change was not made. The message says whether everything is as it was."""


@dataclass(frozen=True)
class Step:
    """One file to be changed: its name in the learner's folder, and what is to stand there (None: nothing).

    A Path stands for the bytes of that file. `mode` are the nine mode bits, None for those of the file that stands there.
    """

    name: str
    new: bytes | Path | None
    mode: int | None = None


@contextlib.contextmanager
def alone(work: Path, disk: Disk = DISK, seconds: float = 10.0) -> Iterator[list[str]]:
    """Holds the lock on a work folder, after what was interrupted has been finished or taken back; gives the words about that.

    Makes the folder of backups. Raises Busy, NotInside for a link, LabError where an interrupted change can go neither way.
    """
    folder = backups.folder_for(work)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise NotDone(sentence("tools", "journal.not_begun", reason=error.strerror)) from None
    with locked(folder, seconds):
        said = _recover(work, disk)
        sweep([work] if is_link(work / STATE) else [work, work / STATE])
        yield said


def recover(work: Path, disk: Disk = DISK) -> list[str]:
    """Finishes or takes back what was interrupted in a work folder; returns a sentence for each. For the start of every command.

    Costs a look at the newest records where nothing is to be done. A change that another labkit is at this moment making is left to it.
    """
    folder = backups.folder_for(work)
    if not is_pending(work):
        return []
    try:
        with locked(folder, seconds=0):
            return _recover(work, disk)
    except Busy:
        return []


def is_pending(work: Path) -> bool:
    """Whether an interrupted change waits for the next command."""
    return any(_unfinished(each) for each in backups.numbered(backups.folder_for(work)).values())


def carry_out(
    work: Path,
    steps: Sequence[Step],
    what: str,
    lesson: str | None = None,
    undoes: int | None = None,
    disk: Disk = DISK,
    now: datetime | None = None,
) -> Backup:
    """Makes the change, all or nothing, and returns its backup. Call it inside `alone(work)`.

    Raises NotDone where it could not be made; whatever was raised, KeyboardInterrupt too, the files are as they were, or the next command
    makes them so. Raises NotInside, before anything is touched, for a name that leads out of the folder.
    """
    folder = backups.folder_for(work)
    number = backups.next_number(folder)
    when = backups.moment(now)
    made = Backup(number, when, what, lesson, undoes, secrets.token_hex(4), folder=folder / backups.new_name(number, when, what, lesson))
    try:
        _check_space(work, folder, steps, disk)
        made = _copy(work, made, steps, disk)
        _forward(work, made, disk, strict=True)
        return _settled(work, made, DONE, disk)
    except BaseException as error:
        mendable = isinstance(error, Exception)
        reason = _reason(error)
        try:
            kept = _undo_half(work, made.folder, disk)
            if isinstance(error, Exception | KeyboardInterrupt) and os.path.lexists(made.folder / RECORD):
                left = backups.read(made.folder)
                if left.status == DONE:
                    return left  # it came too late to matter
        except (OSError, LabError):
            if not mendable:
                raise error from None
            raise NotDone(sentence("tools", "journal.stuck", reason=reason, name=made.folder.name)) from None
        if not mendable or isinstance(error, NotInside):
            raise
        text = sentence("tools", "journal.not_done", reason=reason)
        if kept:
            text += "\n" + sentence("tools", "journal.kept_since", names=", ".join(kept), backup=made.folder.name)
        raise NotDone(text) from None


def megabytes(size: int) -> str:
    """A size for a message: '0.3 MB'."""
    return f"{size / 1_000_000:.1f} MB"


# copying


def _check_space(work: Path, folder: Path, steps: Iterable[Step], disk: Disk) -> None:
    needed = SPARE
    for step in steps:
        path = place(work, step.name)
        needed += path.stat().st_size if path.is_file() else 0
        needed += len(step.new) if isinstance(step.new, bytes) else step.new.stat().st_size if step.new else 0
    free = min(disk.free(folder), disk.free(work))
    if free < needed:
        raise LabError(sentence("tools", "journal.no_space", needed=megabytes(needed), free=megabytes(free)))


def _copy(work: Path, made: Backup, steps: Sequence[Step], disk: Disk) -> Backup:
    missing = _missing_folders(work, [step.name for step in steps if step.new is not None])
    planned = tuple(FileChange(step.name, None, _digest(step.new)) for step in steps)
    made = dataclasses.replace(made, files=planned, folders=tuple(missing))
    disk.make_folder(made.folder)
    _write_record(made, disk)
    disk.make_folder(made.folder / BEFORE)
    copies = []
    for step in steps:
        path = place(work, step.name)
        copies.append(None)
        if os.path.lexists(path):
            target = made.copy_of(step.name)
            _make_parents(made.folder / BEFORE, step.name, disk)
            disk.copy(path, target)
            mode = stat.S_IMODE(path.stat().st_mode) & 0o777
            disk.set_mode(target, mode | 0o600)
            found = found_at(target)
            copies[-1] = Copy(found.digest, found.size, mode)
    for name in missing:
        disk.make_folder(work / name)
    for place_in_list, (step, copy) in enumerate(zip(steps, copies, strict=True)):
        if step.new is None:
            continue
        part = _part(work, made, place_in_list)
        disk.write(part, step.new) if isinstance(step.new, bytes) else disk.copy(step.new, part)
        if step.mode is not None or copy is not None:
            disk.set_mode(part, step.mode if step.mode is not None else copy.mode | 0o600)
    laid = {_part(work, made, number).parent for number, step in enumerate(steps) if step.new is not None}
    for each in sorted(laid | {made.copy_of(step.name).parent for step, copy in zip(steps, copies, strict=True) if copy}):
        disk.settle(each)
    files = tuple(dataclasses.replace(each, before=copy) for each, copy in zip(planned, copies, strict=True))
    made = dataclasses.replace(made, status=CHANGING, files=files)  # the point from which on it is finished rather than dropped
    _write_record(made, disk)
    return made


def _digest(new: bytes | Path | None) -> str | None:
    if new is None:
        return None
    return hashlib.sha256(new).hexdigest() if isinstance(new, bytes) else found_at(new).digest


def _missing_folders(work: Path, names: Iterable[str]) -> list[str]:
    missing = []
    for name in names:
        parts = name.split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            each = "/".join(parts[:depth])
            if each not in missing and not (work / each).is_dir():
                missing.append(each)
    return missing


def _make_parents(top: Path, name: str, disk: Disk) -> None:
    for each in _missing_folders(top, [name]):
        disk.make_folder(top / each)


def _write_record(made: Backup, disk: Disk) -> None:
    new = made.folder / f"{RECORD}.new"
    if os.path.lexists(new):
        disk.remove(new)
    disk.write(new, backups.as_json(made))
    disk.replace(new, made.folder / RECORD)
    disk.settle(made.folder)
    disk.settle(made.folder.parent)


def _part(work: Path, made: Backup, number: int, end: str = "part") -> Path:
    """Where the new file of change `number` waits: beside its place, so that one rename puts it there."""
    path = place(work, made.files[number].name)
    return path.parent / f".labkit-{made.token}-{number}.{end}"


# changing


class _Stuck(LabError):
    """The change can not go on in this direction."""


def _now(path: Path) -> str | None:
    return found_at(path).digest if os.path.lexists(path) else None


def _forward(work: Path, made: Backup, disk: Disk, strict: bool = False) -> list[str]:
    """Puts every new file in its place. Returns the names of files that were worked on since (`strict`: raises _Stuck instead)."""
    kept = []
    for number, each in enumerate(made.files):
        path, part = place(work, each.name), _part(work, made, number)
        _remove_if_there(_part(work, made, number, "back"), disk)  # of a taking back that was itself interrupted
        now = _now(path)
        if now == each.after:
            pass
        elif now != (each.before.digest if each.before else None):
            if strict:
                raise _Stuck(sentence("tools", "journal.changed_meanwhile", name=each.name))
            kept.append(each.name)
        elif each.after is None:
            disk.remove(path)
        elif is_link(part) or not part.is_file():
            raise _Stuck(sentence("tools", "journal.part_lost", name=each.name))
        else:
            disk.replace(part, path)
            continue
        _remove_if_there(part, disk)
    return kept


def _back(work: Path, made: Backup, disk: Disk) -> list[str]:
    """Puts every replaced file back. Returns the names of files that were worked on since."""
    kept = []
    for number, each in enumerate(made.files):
        path, part, back = place(work, each.name), _part(work, made, number), _part(work, made, number, "back")
        _remove_if_there(part, disk)
        _remove_if_there(back, disk)
        now = _now(path)
        if now == (each.before.digest if each.before else None):
            continue
        if now != each.after:
            kept.append(each.name)
        elif each.before is None:
            disk.remove(path)
        else:
            copy = made.copy_of(each.name)
            if _now(copy) != each.before.digest:
                raise _Stuck(sentence("tools", "backups.changed", number=made.number, name=each.name))
            _make_parents(work, each.name, disk)
            disk.copy(copy, back)
            disk.set_mode(back, each.before.mode)
            disk.replace(back, path)
    _remove_folders(work, made.folders, disk)
    return kept


def _settled(work: Path, made: Backup, status: str, disk: Disk) -> Backup:
    """The end of a change: emptied folders go, everything is on the disk itself, and the record says so."""
    emptied = {parent for each in made.files if each.after is None for parent in _parents(each.name)}
    if status == DONE:
        _remove_folders(work, sorted(emptied, key=lambda name: name.count("/")), disk)
    for each in sorted({place(work, each.name).parent for each in made.files}):
        if each.is_dir():
            disk.settle(each)
    made = dataclasses.replace(made, status=status)
    _write_record(made, disk)
    return made


def _parents(name: str) -> list[str]:
    parts = name.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]


def _remove_if_there(path: Path, disk: Disk) -> None:
    if os.path.lexists(path):
        disk.remove(path)


def _remove_folders(work: Path, names: Iterable[str], disk: Disk) -> None:
    """Takes away those that are empty, the innermost first; a link is no folder of ours."""
    for name in reversed(list(names)):
        folder = work / name
        if not is_link(folder) and folder.is_dir() and not any(folder.iterdir()):
            with contextlib.suppress(OSError):  # an empty folder that stays hurts nobody
                disk.remove_folder(folder)


# after an interruption


def _unfinished(folder: Path) -> bool:
    if not os.path.lexists(folder / RECORD):
        return not any(each.name not in (f"{RECORD}.new",) for each in folder.iterdir())
    try:
        return backups.read(folder).status in (COPYING, CHANGING)
    except backups.BackupError:
        return False  # damaged: `labkit backups` names it


def _recover(work: Path, disk: Disk) -> list[str]:
    said = []
    for folder in backups.numbered(backups.folder_for(work)).values():
        if not _unfinished(folder):
            continue
        try:
            said += _recover_one(work, folder, disk)
        except (OSError, LabError) as error:
            raise NotDone(sentence("tools", "journal.still_stuck", reason=_reason(error), name=folder.name)) from None
    return said


def _recover_one(work: Path, folder: Path, disk: Disk) -> list[str]:
    made = backups.read(folder) if os.path.lexists(folder / RECORD) else None
    if made is None or made.status == COPYING:
        _undo_half(work, folder, disk)
        return [sentence("tools", "journal.cleared")] if made else []
    done = title(made)
    try:
        kept = _forward(work, made, disk)
        _settled(work, made, DONE, disk)
        said = [sentence("tools", "journal.finished", what=done)]
    except (OSError, LabError):
        kept = _undo_half(work, folder, disk)
        said = [sentence("tools", "journal.taken_back", what=done)]
    if kept:
        said.append(sentence("tools", "journal.kept_since", names=", ".join(kept), backup=made.folder.name))
    return said


def _undo_half(work: Path, folder: Path, disk: Disk) -> list[str]:
    """Takes back a change that did not come to its end, and clears the leftovers. Returns names of files that were worked on since."""
    if not os.path.lexists(folder):
        return []
    kept: list[str] = []
    if os.path.lexists(folder / RECORD):
        made = backups.read(folder)
        if made.status in (DONE, TAKEN_BACK):
            return []
        if made.status == CHANGING:
            kept = _back(work, made, disk)
            if kept:  # their backed-up state differs from what they are now: keep it
                _settled(work, made, TAKEN_BACK, disk)
                return kept
        else:
            for number in range(len(made.files)):
                with contextlib.suppress(NotInside):
                    _remove_if_there(_part(work, made, number), disk)
            _remove_folders(work, made.folders, disk)
    _clear(folder, disk)
    return kept


def _clear(folder: Path, disk: Disk) -> None:
    """Takes a backup folder away whose change did not happen; the record last, so that this can be interrupted too."""
    for here, folders, files in os.walk(folder / BEFORE, topdown=False, followlinks=False):
        for each in files:
            disk.remove(Path(here) / each)
        for each in folders:
            disk.remove_folder(Path(here) / each)
    if (folder / BEFORE).is_dir():
        disk.remove_folder(folder / BEFORE)
    for name in (f"{RECORD}.new", RECORD):
        _remove_if_there(folder / name, disk)
    disk.remove_folder(folder)


def title(made: Backup) -> str:
    """What a backup was made for, in words: 'reset 03', 'undo of 4'."""
    if made.what == "undo":
        return sentence("tools", "backups.undo", number=made.undoes)
    return sentence("tools", "backups.reset", lesson=made.lesson)


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError):
        name = Path(str(error.filename)).name if error.filename else ""
        return f"{error.strerror or error}" + (f": {name}" if name else "")
    return str(error) or type(error).__name__
