"""`labkit diff 03`: a learner's lesson against its snapshot, the notebook cell by cell and state/ line by line; reads only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from labkit.lessons import catalogue, inside
from labkit.lessons.differences import NotebookDifference, compare_notebooks, line_counts, line_diff, lines_of
from labkit.lessons.learner_notebook import NotANotebook
from labkit.lessons.reset import files_that_lessons_make, snapshot_of
from labkit.lessons.texts import sentence
from labkit.lessons.workfolder import STATE


@dataclass(frozen=True)
class StateDifference:
    """One file of state/ that differs. `kind`: 'missing' in the learner's folder, 'only' there, or 'changed'; `lines` as a diff."""

    name: str
    kind: str
    head: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Difference:
    """What leads from a learner's lesson to its snapshot. `cells` is None where the notebook is missing or cannot be read: see `fault`.

    `extra` are files of state/ that no lesson makes. `same` looks at sources and state; recorded results follow from them.
    """

    lesson: str
    notebook: str
    cells: NotebookDifference | None
    fault: str | None
    state: tuple[StateDifference, ...]
    extra: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether the cells' sources, their order and the files of state/ are the snapshot's."""
        return self.cells is not None and self.cells.same and not self.state

    def as_dict(self) -> dict:
        """The same for a script."""
        cells = self.cells
        return {
            "lesson": self.lesson, "notebook": self.notebook, "same": self.same, "fault": self.fault,
            "cells": None if cells is None else {
                "changed": [{"id": each.key, "lines": each.lines()} for each in cells.changed],
                "missing": [each.key for each in cells.added],
                "only_yours": [each.key for each in cells.gone],
                "doubled": list(cells.doubled), "moved": list(cells.moved), "results": list(cells.results),
                "answers": [{"id": key, "yours": mine, "snapshot": theirs} for key, mine, theirs in cells.answers],
            },
            "state": [{"name": each.name, "kind": each.kind, "lines": list(each.lines)} for each in self.state],
            "extra": list(self.extra),
        }  # fmt: skip


def compare(course: Path, work: Path, row: catalogue.Row) -> Difference:
    """Compares. Raises SnapshotError where there is no snapshot, NotInside where a link is in the way, LabError for an unreadable file."""
    snapshot = snapshot_of(course, row)
    mine = inside.look(work, row.notebook)
    cells, fault = None, None
    if mine is None:
        fault = sentence("tools", "diff.no_notebook", name=row.notebook)
    else:
        try:
            if mine.content is None:
                raise NotANotebook(sentence("tools", "notebook.large", size=f"{mine.size / 1_000_000:.0f}"))
            cells = compare_notebooks(mine.content, snapshot.files[row.notebook])
        except NotANotebook as error:
            fault = sentence("tools", "diff.unreadable", name=row.notebook, what=error)
    made = files_that_lessons_make(course)
    if inside.is_link(work / STATE):
        raise inside.NotInside(sentence("tools", "inside.link", name=f"{work.name}/{STATE}"))
    here = inside.names_in(work, STATE)
    state = []
    for name in sorted({*(name for name in snapshot.files if name != row.notebook), *(name for name in here if name in made)}):
        found = _state_difference(work, name, snapshot.files.get(name))
        if found:
            state.append(found)
    return Difference(row.number, row.notebook, cells, fault, tuple(state), tuple(name for name in here if name not in made))


def _state_difference(work: Path, name: str, theirs: bytes | None) -> StateDifference | None:
    found = inside.look(work, name)
    if found is None:
        new = lines_of(theirs or b"") or []
        head = sentence("tools", "diff.state_missing", name=name, count=len(new))
        return StateDifference(name, "missing", head, tuple(f"+ {line}" for line in new))
    if theirs is None:
        return StateDifference(name, "only", sentence("tools", "diff.state_only", name=name))
    if found.content == theirs:
        return None
    counts = line_counts(found.content, theirs) if found.content is not None else None
    if counts is None:
        return StateDifference(name, "changed", sentence("tools", "diff.state_binary", name=name))
    lines = line_diff("\n".join(lines_of(found.content)), "\n".join(lines_of(theirs)))
    if not lines:
        return None  # other line ends only
    head = sentence("tools", "diff.state_changed", name=name, added=counts[0], removed=counts[1])
    return StateDifference(name, "changed", head, tuple(lines))
