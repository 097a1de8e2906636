"""`labkit update 03`: a newer edition of a lesson is laid beside the learner's copy, dated, and what changed is said cell by cell.

The learner's copy is never touched, and nothing is ever laid over a file that is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from labkit.errors import LabError
from labkit.files import write_atomically
from labkit.lessons import catalogue, editions, inside
from labkit.lessons.differences import cells_of
from labkit.lessons.editions import edition
from labkit.lessons.learner_notebook import NotANotebook
from labkit.lessons.notebooks import EXERCISE, PREDICTION
from labkit.lessons.texts import sentence
from labkit.lessons.workfolder import without_outputs

LAID, THERE, CURRENT, OLDER = "laid", "there", "current", "older"


class UpdateError(LabError):
    """A lesson cannot be brought up to date."""


@dataclass(frozen=True)
class Update:
    """What `update` did, and what changed between the edition that the learner's copy was made from and the course's.

    `outcome`: 'laid' (as `name`), 'there' (it was laid before, as `name`), 'current' (the learner's copy is of this edition), 'older' (the
    course's edition was laid here before that of the learner's copy). Cells by key: `changed`, `added`, `gone`; `edited` are those of them
    that the learner worked on. `known` is False where nobody noted the edition: then the learner's own edits count as changes too.
    `fault` says in a clause why the learner's copy could not be read.
    """

    outcome: str
    name: str | None = None
    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    known: bool = True
    fault: str | None = None


def update(course: Path, work: Path, number: str, today: date) -> Update:
    """Lays the course's edition of lesson `number` beside the learner's copy where it is another one than that was made from.

    Raises UpdateError where the learner has no copy or the course no lesson, NotInside for a link.
    """
    row = catalogue.row(number)
    source, mine = inside.look(course / "notebooks", row.notebook), inside.look(work, row.notebook)
    if source is None or source.content is None:
        raise UpdateError(sentence("tools", "update.no_lesson", name=f"notebooks/{row.notebook}"))
    if mine is None:
        raise UpdateError(sentence("tools", "update.no_copy", name=f"{work.name}/{row.notebook}"))
    try:
        new = edition(source.content)
    except NotANotebook as error:
        raise UpdateError(sentence("tools", "update.damaged", name=f"notebooks/{row.notebook}", what=error)) from None
    noted = editions.noted(work, row.number)
    try:
        if mine.content is None:
            raise NotANotebook(sentence("tools", "notebook.large", size=f"{mine.size / 1_000_000:.0f}"))
        copy, fault = edition(mine.content), None
    except NotANotebook as error:
        copy, fault = {}, str(error)
    place = editions.made_from(copy, noted) if not fault else None
    base = noted[place] if place is not None else None
    if base is None and not fault and _fixed_cells_agree(source.content, mine.content):
        base = new
    if base == new:
        return Update(CURRENT)
    report = {} if fault else _changes(base if base is not None else copy, new, copy)
    report |= {"known": base is not None, "fault": fault}
    if base is not None and new in noted[:place]:
        return Update(OLDER, **report)
    for other in _laid_before(work, row):
        if _is_made_from(work, other, [*(each for each in noted if each != new), new], new):
            return Update(THERE, other, **report)
    name = _lay(work, row, source.content, today)
    editions.note(work, row.number, source.content)
    return Update(LAID, name, **report)


def _fixed_cells_agree(source: bytes, mine: bytes) -> bool:
    """Whether the learner's copy has every cell of the source that is not there to be filled in, as it is."""
    fixed = {each.key: (each.kind, each.source) for each in cells_of(source) if not {EXERCISE, PREDICTION} & set(each.tags)}
    theirs = {each.key: (each.kind, each.source) for each in cells_of(mine)}
    return all(theirs.get(key) == value for key, value in fixed.items())


def _changes(base: editions.Edition, new: editions.Edition, mine: editions.Edition) -> dict[str, tuple[str, ...]]:
    changed = tuple(key for key in new if key in base and base[key] != new[key])
    added = tuple(key for key in new if key not in base)
    gone = tuple(key for key in base if key not in new)
    return {
        "changed": changed, "added": added, "gone": gone,
        "edited": tuple(key for key in (*changed, *gone) if mine.get(key) != base[key]),
    }  # fmt: skip


def _laid_before(work: Path, row: catalogue.Row) -> list[str]:
    found = [each.name for each in work.iterdir() if each.name.startswith(f"{row.name}.new-") and each.suffix == ".ipynb"]
    return sorted(name for name in found if not inside.is_link(work / name) and (work / name).is_file())


def _is_made_from(work: Path, name: str, known: list, wanted: editions.Edition) -> bool:
    found = inside.look(work, name)
    try:
        copy = edition(found.content) if found and found.content is not None else {}
    except NotANotebook:
        return False
    return known[editions.made_from(copy, known)] == wanted


def _lay(work: Path, row: catalogue.Row, source: bytes, today: date) -> str:
    """Writes it under a name that is free, and returns that."""
    number = 1
    while True:
        name = f"{row.name}.new-{today.isoformat()}{f'-{number}' if number > 1 else ''}.ipynb"
        try:
            if write_atomically(work / name, without_outputs(source.decode("utf-8-sig")), overwrite=False):
                return name
        except OSError as error:
            raise UpdateError(sentence("tools", "update.not_written", name=f"{work.name}/{name}", reason=error.strerror)) from None
        number += 1
