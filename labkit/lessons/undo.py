"""`labkit undo`: puts back what the last reset replaced; again: the one before. What it replaces itself is kept as one more backup."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from labkit.lessons import backups, inside
from labkit.lessons.backups import Backup, BackupError
from labkit.lessons.disk import Disk
from labkit.lessons.journal import DISK, Step, carry_out
from labkit.lessons.texts import sentence


@dataclass(frozen=True)
class UndoPlan:
    """What an undo will do: `steps` for the journal, `same` files that are as they were already, `worked_on` files changed since."""

    backup: Backup
    steps: tuple[Step, ...]
    same: tuple[str, ...]
    worked_on: tuple[str, ...]


def backup_to_undo(work: Path, number: int | None = None) -> Backup:
    """Backup `number`, or the last reset that still stands. Raises BackupError that says what there is."""
    found, _ = backups.listed(work)
    usable = [each for each in found if each.status == backups.DONE]
    if number is None:
        top = backups.next_to_undo(found)
        if top is None:
            raise BackupError(sentence("tools", "undo.nothing" if not usable else "undo.all_undone"))
        return top
    for each in usable:
        if each.number == number:
            return each
    numbers = ", ".join(str(each.number) for each in usable)
    raise BackupError(sentence("tools", "undo.unknown" if usable else "undo.nothing", number=number, numbers=numbers))


def plan_undo(work: Path, backup: Backup) -> UndoPlan:
    """What stands there now against what stood there before `backup`. Raises BackupError for a damaged backup, NotInside for a link."""
    backups.whole(backup)
    steps, same, worked_on = [], [], []
    for each in backup.files:
        found = inside.look(work, each.name)
        now = found.digest if found else None
        if now == (each.before.digest if each.before else None):
            same.append(each.name)
            continue
        if now != each.after:
            worked_on.append(each.name)
        steps.append(Step(each.name, backup.copy_of(each.name), each.before.mode) if each.before else Step(each.name, None))
    return UndoPlan(backup, tuple(steps), tuple(same), tuple(worked_on))


def undo(work: Path, plan: UndoPlan, disk: Disk = DISK) -> Backup:
    """Carries it out, and returns the backup of what was replaced. Inside `journal.alone(work)`. Raises NotDone.

    Where everything is as it was already, the backup holds no file, but the stack is one shorter.
    """
    return carry_out(work, plan.steps, "undo", plan.backup.lesson, plan.backup.number, disk)
