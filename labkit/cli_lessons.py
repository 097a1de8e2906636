"""The labkit commands for a learner's folder: reset, undo, backups, diff, update (docs/reset.md).

`register` adds them to the command line; what they print is decided here, what they do in labkit.lessons.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from labkit.cli_places import Into, Json, Lesson, course, finish_interrupted, lesson_row, named_folder, shown, work_folder
from labkit.cli_printing import complain, listed, say, say_source
from labkit.errors import BadArgument, LabError
from labkit.lessons.texts import sentence

_MOST_LINES = 40  # of one cell or one file; a notebook that differs everywhere must not flood a terminal
_MOST_CELLS = 100  # of one kind


def register(app: typer.Typer, command: Callable[[Callable], Callable]) -> None:
    """Adds the commands to `app`; `command` is what every command does with an error."""
    app.command(epilog="Example: labkit reset 03 --dry-run")(command(reset))
    app.command(epilog="Example: labkit undo")(command(undo))
    app.command(epilog="Example: labkit backups --json")(command(backups))
    app.command(epilog="Example: labkit diff 03 (exit code 0: the same, 1: different, 2: not comparable)")(command(diff))
    app.command(epilog="Example: labkit update 03")(command(update))


# --- the commands ------------------------------------------------------------------------------------------------------------------------


def reset(
    lesson: Lesson,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    state_only: Annotated[bool, typer.Option("--state-only", help="Lay state/ alone; every notebook stays as it is.")] = False,
    all_: Annotated[bool, typer.Option("--all", help="Lay the notebooks of the earlier lessons too.")] = False,
    into: Into = None,
) -> None:
    """Bring your work folder to the end of a lesson: its solved notebook and its state. Shows what changes, keeps a backup, then acts.

    Notebooks of other lessons, your predictions and your own files stay. `labkit undo` puts back what was replaced.
    """
    from labkit.lessons import journal
    from labkit.lessons import reset as resetting
    from labkit.lessons.workfolder import make_work_folder

    if state_only and all_:
        raise BadArgument("--state-only leaves notebooks alone and --all lays more of them: choose one")
    row, top, folder = lesson_row(lesson), course(), named_folder(into)
    if not dry_run and not folder.exists():
        make_work_folder(folder)
    folder = resetting.check_work_folder(folder)
    _say_version(folder)

    def plan() -> resetting.Plan:
        return resetting.plan_for(top, folder, row.number, state_only=state_only, earlier_too=all_)

    if dry_run:
        _complain_all(journal.recover(folder))
        _preview(row, folder, plan(), dry=True)
        return
    with journal.alone(folder) as recovered, _words_for_ctrl_c(folder):
        _complain_all(recovered)
        planned = plan()
        _preview(row, folder, planned)
        made = resetting.reset(top, folder, planned)
        if made:
            say(sentence("tools", "preview.backup", folder=shown(made.folder)))


def undo(
    number: Annotated[int | None, typer.Argument(metavar="[NUMBER]", help="A backup of the list (default: the last reset's).")] = None,
    into: Into = None,
) -> None:
    """Put back what the last reset replaced; again: the one before. What is replaced by this is kept as well."""
    from labkit.lessons import journal
    from labkit.lessons import undo as undoing

    folder = work_folder(into)
    with journal.alone(folder) as recovered, _words_for_ctrl_c(folder):
        _complain_all(recovered)
        backup = undoing.backup_to_undo(folder, number)
        plan = undoing.plan_undo(folder, backup)
        made = undoing.undo(folder, plan)
    say(sentence("tools", "undo.head", number=backup.number, what=journal.title(backup), when=backup.local_time()))
    for key, names in [
        ("restored", [step.name for step in plan.steps if step.new is not None]),
        ("removed", [step.name for step in plan.steps if step.new is None]),
        ("already", plan.same),
        ("worked_on", plan.worked_on),
    ]:
        if names:
            say(sentence("tools", f"undo.{key}", names=listed(names), number=made.number))


def backups(into: Into = None, as_json: Json = False) -> None:
    """List what resets replaced, the latest last: `labkit undo NUMBER` puts any of them back."""
    from labkit.lessons import backups as shelf
    from labkit.lessons import journal

    folder = work_folder(into)
    _complain_all(journal.recover(folder))
    found, damaged = shelf.listed(folder)
    put_back = shelf.undone(found)
    top = shelf.next_to_undo(found)
    if as_json:
        rows = [
            {
                "number": each.number, "when": each.when, "what": each.what, "lesson": each.lesson, "undoes": each.undoes,
                "status": each.status, "put_back_by": put_back.get(each.number), "next": each == top, "folder": str(each.folder),
                "files": [{"name": one.name, "kept": bool(one.before), "size": one.before and one.before.size} for one in each.files],
            }
            for each in found
        ]  # fmt: skip
        print(json.dumps({"backups": rows, "damaged": damaged}, ensure_ascii=False, indent=2))
    elif not found:
        say(sentence("tools", "backups.none"))
    else:
        for each in found:
            note = sentence("tools", "backups.taken_back") if each.status != shelf.DONE else ""
            if each.number in put_back:
                note = sentence("tools", "backups.undone", number=put_back[each.number])
            if each == top:
                note = sentence("tools", "backups.next")
            head = f"{each.number}  {each.local_time()}  {journal.title(each)}" + (f" ({note})" if note else "")
            say(head, indent=2)
            names = listed(one.name for one in each.files) or sentence("tools", "backups.no_files")
            say(names, indent=6)
    for name in damaged:
        complain(sentence("tools", "backups.damaged", name=name))


def diff(lesson: Lesson, into: Into = None, as_json: Json = False) -> None:
    """Compare your lesson with its snapshot: the notebook cell by cell, state/ line by line. Exit code 0: the same, 1: different."""
    from labkit.lessons.inspecting import compare

    row = lesson_row(lesson)
    try:
        folder = work_folder(into)
        finish_interrupted(folder)
        found = compare(course(), folder, row)
    except BadArgument:
        raise
    except LabError as error:
        complain(str(error))
        raise typer.Exit(2) from None
    if as_json:
        print(json.dumps(found.as_dict(), ensure_ascii=False, indent=2))
    else:
        _show_difference(row, found)
    sys.stdout.flush()
    if not found.same:
        raise typer.Exit(1)


def update(lesson: Lesson, into: Into = None, as_json: Json = False) -> None:
    """Lay a newer edition of a lesson beside yours, dated, and say what changed. Yours stays as it is."""
    from labkit.lessons import updating

    row = lesson_row(lesson)
    folder = work_folder(into)
    finish_interrupted(folder)
    made = updating.update(course(), folder, row.number, date.today())
    if as_json:
        print(json.dumps({"lesson": row.number, **vars(made)}, ensure_ascii=False, indent=2))
        return
    whole = "_whole" if made.fault and made.outcome == updating.LAID else ""
    say(sentence("tools", f"update.{made.outcome}{whole}", lesson=row.number, name=made.name))
    if made.fault:
        say(sentence("tools", "update.unreadable", what=made.fault))
    elif made.outcome != updating.CURRENT:
        if not made.known:
            say(sentence("tools", "update.unknown"))
        for key in ("changed", "added", "gone", "edited"):
            if getattr(made, key):
                say(sentence("tools", f"update.{key}", keys=listed(getattr(made, key))))
    if made.outcome == updating.LAID:
        say(sentence("tools", "update.how"))


# --- what they show ----------------------------------------------------------------------------------------------------------------------


def _preview(row, folder: Path, plan, dry: bool = False) -> None:
    from labkit.lessons.opened import open_notebooks

    if not plan.changes:
        say(sentence("tools", "preview.nothing", work=shown(folder), lesson=row.number))
        return
    say(sentence("tools", "preview.dry" if dry else "preview.head", lesson=row.number, title=row.title, work=shown(folder)))
    print()
    for each in plan.changes:
        say(f"{each.name}: {_summary(each)}", indent=2)
        if each.cells:
            for key, names in _named_cells(each.cells):
                say(sentence("tools", f"preview.{key}", keys=listed(names)), indent=6)
    print()
    for key, names in [("same", plan.same), ("extra", plan.extra), ("notebooks", plan.notebooks)]:
        if names:
            say(sentence("tools", f"preview.{key}", names=listed(names)))
    written = {each.name for each in plan.changes}
    at_risk = [name for name in open_notebooks(folder) if name in written]
    if at_risk:
        say(sentence("tools", "preview.open", names=listed(at_risk, 99)))
    if dry:
        say(sentence("tools", "preview.dry_end"))
    sys.stdout.flush()


def _named_cells(cells) -> Iterator[tuple[str, list[str]]]:
    for key, names in [
        ("list_changed", [each.key for each in cells.changed]),
        ("list_added", [each.key for each in cells.added]),
        ("list_gone", [each.key for each in cells.gone]),
        ("list_doubled", list(cells.doubled)),
        ("list_moved", list(cells.moved)),
    ]:
        if names:
            yield key, names


def _summary(change) -> str:
    if change.fault:
        return sentence("tools", "preview.fault", what=change.fault)
    if change.cells:
        cells = change.cells
        if cells.same:
            key = "results" if cells.results else "layout"
            return sentence("tools", f"preview.{key}", count=len(cells.results))
        number = len(cells.changed)
        changed = sentence("tools", "preview.cell_changed" if number == 1 else "preview.cells_changed", count=number)
        added = sentence("tools", "preview.cells_added", count=len(cells.added))
        gone = sentence("tools", "preview.cells_gone", count=len(cells.gone))
        return sentence("tools", "preview.cells", changed=changed, added=added, gone=gone)
    kind = sentence("tools", f"preview.{change.kind}")
    if change.lines is None:
        return kind
    added, removed = change.lines
    if change.kind != "replaced":
        return f"{kind}, {_lines(added or removed)}"
    if not added and not removed:
        return sentence("tools", "preview.line_ends")
    return sentence("tools", "preview.lines", added=_lines(added), removed=removed)


def _lines(count: int) -> str:
    return sentence("tools", "preview.one_line" if count == 1 else "preview.many_lines", count=count)


def _show_difference(row, found) -> None:
    if found.same:
        say(sentence("tools", "diff.same", lesson=row.number))
    else:
        say(sentence("tools", "diff.head", lesson=row.number))
    if found.fault:
        say(found.fault)
    cells = found.cells
    if cells:
        for each in cells.changed[:_MOST_CELLS]:
            _heading(sentence("tools", "diff.changed", key=each.key))
            say_source(each.lines(), _MOST_LINES)
        for each in cells.added[:_MOST_CELLS]:
            _heading(sentence("tools", "diff.added", key=each.key))
            say_source([f"+ {line}" for line in each.source.split("\n")], _MOST_LINES)
        for each in cells.gone[:_MOST_CELLS]:
            _heading(sentence("tools", "diff.gone_doubled" if each.key in cells.doubled else "diff.gone", key=each.key))
            say_source([f"- {line}" for line in each.source.split("\n")], _MOST_LINES)
        left_out = sum(max(0, len(each) - _MOST_CELLS) for each in (cells.changed, cells.added, cells.gone))
        if left_out:
            _heading(sentence("tools", "diff.more_cells", count=left_out))
        if cells.moved:
            _heading(sentence("tools", "diff.moved", keys=listed(cells.moved)))
    for each in found.state:
        _heading(each.head)
        say_source(each.lines, _MOST_LINES)
    if not found.same:
        print()
    if cells:
        none = sentence("tools", "diff.no_answer")
        for key, mine, theirs in cells.answers:
            say(sentence("tools", "diff.answer", key=key, mine=mine or none, theirs=theirs or none))
        if cells.results:
            say(sentence("tools", "diff.results", keys=listed(cells.results)))
    if found.extra:
        say(sentence("tools", "diff.extra", names=listed(found.extra)))


def _heading(text: str) -> None:
    print()
    say(text)


# --- beside that -------------------------------------------------------------------------------------------------------------------------


def _complain_all(sentences: Iterable[str]) -> None:
    for each in sentences:
        complain(each)


def _say_version(folder: Path) -> None:
    """A word where the folder was begun with another labkit; it stops nothing."""
    from labkit import __version__
    from labkit.lessons.inside import json_in
    from labkit.lessons.workfolder import MARKER

    marker = json_in(folder, MARKER)
    made_with = marker.get("made_with") if isinstance(marker, dict) else None
    if isinstance(made_with, str) and made_with != __version__:
        complain(sentence("tools", "work.older", made_with=made_with, version=__version__))


class _words_for_ctrl_c:  # noqa: N801 - reads like a function where it is used
    """Ctrl-C in the middle: says whether everything is as it was, and ends with the exit code that shells know for it."""

    def __init__(self, folder: Path):
        self.folder = folder

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None or not issubclass(kind, KeyboardInterrupt):
            return False
        from labkit.lessons import journal

        complain(sentence("tools", "journal.stopped_later" if journal.is_pending(self.folder) else "journal.stopped"))
        raise typer.Exit(130) from None
