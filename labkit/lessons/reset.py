"""`labkit reset 05`: a learner's folder as it stands at the end of lesson 05, with nothing lost.

What changes: the notebook of that lesson, and the files of state/ that lessons make. What stays: every other notebook (`--all` lays the
earlier ones too), predictions.json, and every file that no lesson makes, inside state/ as well. `plan_reset` decides it, from names and
bytes alone; `labkit.lessons.journal` carries it out.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from labkit.errors import LabError
from labkit.lessons import catalogue, editions, inside
from labkit.lessons.backups import Backup
from labkit.lessons.differences import NotebookDifference, cells_of, compare_notebooks, line_counts, with_lf
from labkit.lessons.disk import Disk
from labkit.lessons.inside import Found
from labkit.lessons.journal import DISK, Step, carry_out
from labkit.lessons.learner_notebook import NotANotebook
from labkit.lessons.texts import sentence
from labkit.lessons.workfolder import MARKER, STATE, WorkFolderError, is_work_folder


class SnapshotError(LabError):
    """The snapshot of a lesson is missing or damaged."""


@dataclass(frozen=True)
class Snapshot:
    """What a lesson leaves: the name of its notebook, and file name -> bytes of the notebook and of state/, LF throughout."""

    lesson: str
    notebook: str
    files: Mapping[str, bytes]

    def without_notebook(self) -> Snapshot:
        """The state alone."""
        return Snapshot(self.lesson, self.notebook, {name: data for name, data in self.files.items() if name != self.notebook})


@dataclass(frozen=True)
class Change:
    """One file that a reset writes or takes away.

    `kind` is 'new', 'replaced' or 'removed'. `cells` says what differs in a notebook, `lines` (added, removed) in a text file, `fault` in
    a clause why neither could be said ('it holds a merge conflict').
    """

    name: str
    kind: str
    new: bytes | None
    cells: NotebookDifference | None = None
    lines: tuple[int, int] | None = None
    fault: str | None = None


@dataclass(frozen=True)
class Plan:
    """What a reset will do, before it does it.

    `changes` in the order of their names. `same`: files that are as they should be already. `extra`: files of state/ that no lesson makes;
    they stay. `notebooks`: the learner's other notebooks; they stay.
    """

    lesson: str
    changes: tuple[Change, ...]
    same: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    notebooks: tuple[str, ...] = ()

    @property
    def steps(self) -> list[Step]:
        """The same for the journal."""
        return [Step(each.name, each.new) for each in self.changes]


def plan_reset(
    lesson: str, work: Mapping[str, Found], wanted: Mapping[str, bytes], made_by_lessons: Iterable[str], all_names: Iterable[str] = ()
) -> Plan:
    """What a reset to the end of `lesson` changes. Reads nothing and writes nothing.

    `work`: name -> file, of what stands in the learner's folder under state/ and under the names of `wanted`. `wanted`: name -> bytes that
    should stand there. `made_by_lessons`: names of all files of state/ that some lesson makes; of those, the ones that are not wanted go.
    `all_names`: the learner's notebooks, to say which of them stay.
    """
    made = set(made_by_lessons)
    changes, same, extra = [], [], []
    for name in sorted({*work, *wanted}):
        old, new = work.get(name), wanted.get(name)
        if new is not None and old is not None and old.content == new:
            same.append(name)
        elif new is not None:
            changes.append(_change(name, old, new))
        elif name in made:
            changes.append(Change(name, "removed", None, lines=_lines(old, b"")))
        else:
            extra.append(name)
    others = tuple(sorted(name for name in all_names if name not in wanted))
    return Plan(lesson, tuple(changes), tuple(same), tuple(extra), others)


def _change(name: str, old: Found | None, new: bytes) -> Change:
    if old is None:
        return Change(name, "new", new, lines=None if name.endswith(".ipynb") else line_counts(b"", new))
    if old.content is None:
        return Change(name, "replaced", new, fault=sentence("tools", "notebook.large", size=f"{old.size / 1_000_000:.0f}"))
    if name.endswith(".ipynb"):
        try:
            return Change(name, "replaced", new, cells=compare_notebooks(old.content, new))
        except NotANotebook as error:
            return Change(name, "replaced", new, fault=str(error))
    lines = _lines(old, new)
    return Change(name, "replaced", new, lines=lines, fault=sentence("tools", "notebook.no_text") if lines is None else None)


def _lines(old: Found | None, new: bytes) -> tuple[int, int] | None:
    return None if old is None or old.content is None else line_counts(old.content, new)


# from the disk


def snapshot_of(course: Path, row: catalogue.Row) -> Snapshot:
    """The snapshot of a lesson, from `course`/snapshots. Raises SnapshotError where it is missing, damaged, or holds a link."""
    top = course / "snapshots" / row.name
    mend = sentence("tools", "snapshot.mend")
    if inside.is_link(top) or not (top / row.notebook).is_file():
        raise SnapshotError(sentence("tools", "snapshot.missing", lesson=row.number, name=f"snapshots/{row.name}", mend=mend))
    files = {}
    for name in [row.notebook, *inside.names_in(top, STATE)]:
        found = inside.look(top, name)
        if found is None or found.content is None:
            raise SnapshotError(sentence("tools", "snapshot.damaged", name=f"snapshots/{row.name}/{name}", what="", mend=mend))
        files[name] = with_lf(found.content)
    try:
        cells_of(files[row.notebook])
    except NotANotebook as error:
        raise SnapshotError(
            sentence("tools", "snapshot.damaged", name=f"snapshots/{row.name}/{row.notebook}", what=f": {error}", mend=mend)
        ) from None
    return Snapshot(row.number, row.notebook, files)


def files_that_lessons_make(course: Path) -> set[str]:
    """Names ('state/sections.csv') of all files of state/ that stand in a snapshot or that a lesson says it starts from."""
    names = set()
    for row in catalogue.lessons():
        names |= set(inside.names_in(course / "snapshots" / row.name, STATE))
        try:
            names |= {f"{STATE}/{name}" for name in row.needs()}
        except LabError:
            continue  # a lesson that is not written yet
    return names


def check_work_folder(work: Path) -> Path:
    """The work folder, absolute; the folders above it may be links, it may not. Raises WorkFolderError, NotInside."""
    work = Path(os.path.abspath(work))
    if inside.is_link(work):
        raise inside.NotInside(sentence("tools", "inside.link", name=work.name))
    if not work.exists():
        raise WorkFolderError(sentence("tools", "work.missing", name=work))
    if not is_work_folder(work):
        raise WorkFolderError(sentence("tools", "work.none", name=work, marker=MARKER))
    return work.parent.resolve() / work.name


def plan_for(course: Path, work: Path, number: str, *, state_only: bool = False, earlier_too: bool = False) -> Plan:
    """Reads the snapshot and the learner's folder, and plans. Raises SnapshotError, NotInside, LabError; writes nothing."""
    row = catalogue.row(number)
    snapshot = snapshot_of(course, row)
    wanted = dict(snapshot.without_notebook().files if state_only else snapshot.files)
    if earlier_too and not state_only:
        for each in catalogue.lessons():
            if each.number < row.number:
                wanted[each.notebook] = snapshot_of(course, each).files[each.notebook]
    if inside.is_link(work / STATE):
        raise inside.NotInside(sentence("tools", "inside.link", name=f"{work.name}/{STATE}"))
    made = files_that_lessons_make(course)
    theirs = inside.names_in(work, STATE)
    for name in theirs:
        if inside.is_link(work / name) and any(each.startswith(f"{name}/") for each in made):
            raise inside.NotInside(sentence("tools", "inside.link", name=f"{work.name}/{name}"))
    read = {name: inside.look(work, name) for name in sorted({*wanted, *(made & set(theirs))})}
    here = {name: found for name, found in read.items() if found is not None}
    here |= {name: Found(0, "") for name in theirs if name not in here}  # the learner's own: they stay, so nobody reads them
    notebooks = [each.notebook for each in catalogue.lessons() if (work / each.notebook).is_file()]
    return plan_reset(row.number, here, wanted, made, notebooks)


def reset(course: Path, work: Path, plan: Plan, disk: Disk = DISK) -> Backup | None:
    """Carries a plan out; returns the backup, None where there is nothing to do. Inside `journal.alone(work)`. Raises NotDone."""
    if not plan.changes:
        return None
    made = carry_out(work, plan.steps, "reset", plan.lesson, disk=disk)
    written = {each.name for each in plan.changes}
    for row in catalogue.lessons():
        if row.notebook in written and (source := inside.look(course / "notebooks", row.notebook)) and source.content is not None:
            editions.note(work, row.number, source.content)  # a solved notebook is of the edition that it was made from
    return made
