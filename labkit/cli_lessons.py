"""The labkit commands for a learner's folder: reset, undo, backups, diff, update (docs/reset.md).

`register` adds them to the command line; what they print is decided here, what they do in labkit.lessons.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from labkit.errors import BadArgument, CourseNotFound, LabError
from labkit.lessons.texts import sentence

WIDEST = 80
_MOST_LINES = 40  # of one cell or one file; a notebook that differs everywhere must not flood a terminal

Into = Annotated[Path | None, typer.Option("--into", help="The work folder (default: the one you are in, else work/ of the course).")]
Lesson = Annotated[str, typer.Argument(metavar="NN", help="The lesson's number, as 03.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for a script.")]


def register(app: typer.Typer, command: Callable[[Callable], Callable]) -> None:
    """Adds the commands to `app`; `command` is what every command does with an error."""
    app.command(epilog="Example: labkit reset 03 --dry-run")(command(reset))
    app.command(epilog="Example: labkit undo")(command(undo))
    app.command(epilog="Example: labkit backups --json")(command(backups))
    app.command(epilog="Example: labkit diff 03 (exit code 0: the same, 1: different, 2: not comparable)")(command(diff))
    app.command(epilog="Example: labkit update 03")(command(update))


def finish_interrupted(work: Path | None = None) -> None:
    """For the start of every command: what an interrupted reset left in the work folder is finished or taken back, and said on stderr."""
    try:
        folder = _work_folder(work)
        if not (folder.parent / f"{folder.name}-backups").is_dir():
            return
        from labkit.lessons import journal

        for text in journal.recover(folder):
            _complain(text)
    except CourseNotFound:
        return
    except LabError as error:
        _complain(str(error))


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
    row, course, folder = _row(lesson), _course(), _work_folder(into)
    if not dry_run and not folder.exists():
        make_work_folder(folder)
    folder = resetting.check_work_folder(folder)
    _say_version(folder)

    def plan() -> resetting.Plan:
        return resetting.plan_for(course, folder, row.number, state_only=state_only, earlier_too=all_)

    if dry_run:
        _say(journal.recover(folder))
        _preview(row, folder, plan(), dry=True)
        return
    with journal.alone(folder) as recovered, _words_for_ctrl_c(folder):
        _say(recovered)
        planned = plan()
        _preview(row, folder, planned)
        made = resetting.reset(course, folder, planned)
        if made:
            _print(sentence("tools", "preview.backup", folder=_shown(made.folder)))


def undo(
    number: Annotated[int | None, typer.Argument(metavar="[NUMBER]", help="A backup of the list (default: the last reset's).")] = None,
    into: Into = None,
) -> None:
    """Put back what the last reset replaced; again: the one before. What is replaced by this is kept as well."""
    from labkit.lessons import journal
    from labkit.lessons import undo as undoing
    from labkit.lessons.reset import check_work_folder

    folder = check_work_folder(_work_folder(into))
    with journal.alone(folder) as recovered, _words_for_ctrl_c(folder):
        _say(recovered)
        backup = undoing.backup_to_undo(folder, number)
        plan = undoing.plan_undo(folder, backup)
        made = undoing.undo(folder, plan)
    _print(sentence("tools", "undo.head", number=backup.number, what=journal.title(backup), when=backup.local_time()))
    for key, names in [
        ("restored", [step.name for step in plan.steps if step.new is not None]),
        ("removed", [step.name for step in plan.steps if step.new is None]),
        ("already", plan.same),
        ("worked_on", plan.worked_on),
    ]:
        if names:
            _print(sentence("tools", f"undo.{key}", names=", ".join(names), number=made.number))


def backups(into: Into = None, as_json: Json = False) -> None:
    """List what resets replaced, the latest last: `labkit undo NUMBER` puts any of them back."""
    from labkit.lessons import backups as shelf
    from labkit.lessons import journal
    from labkit.lessons.reset import check_work_folder

    folder = check_work_folder(_work_folder(into))
    _say(journal.recover(folder))
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
        _print(sentence("tools", "backups.none"))
    else:
        for each in found:
            note = sentence("tools", "backups.taken_back") if each.status != shelf.DONE else ""
            if each.number in put_back:
                note = sentence("tools", "backups.undone", number=put_back[each.number])
            if each == top:
                note = sentence("tools", "backups.next")
            head = f"{each.number}  {each.local_time()}  {journal.title(each)}" + (f" ({note})" if note else "")
            _print(head, indent=2)
            names = ", ".join(one.name for one in each.files) or sentence("tools", "backups.no_files")
            _print(names, indent=6)
    for name in damaged:
        _complain(sentence("tools", "backups.damaged", name=name))


def diff(lesson: Lesson, into: Into = None, as_json: Json = False) -> None:
    """Compare your lesson with its snapshot: the notebook cell by cell, state/ line by line. Exit code 0: the same, 1: different."""
    from labkit.lessons.inspecting import compare
    from labkit.lessons.reset import check_work_folder

    row = _row(lesson)
    try:
        folder = check_work_folder(_work_folder(into))
        finish_interrupted(folder)
        found = compare(_course(), folder, row)
    except BadArgument:
        raise
    except LabError as error:
        _complain(str(error))
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
    from labkit.lessons.reset import check_work_folder

    row = _row(lesson)
    folder = check_work_folder(_work_folder(into))
    finish_interrupted(folder)
    made = updating.update(_course(), folder, row.number, date.today())
    if as_json:
        print(json.dumps({"lesson": row.number, **vars(made)}, ensure_ascii=False, indent=2))
        return
    _print(sentence("tools", f"update.{made.outcome}", lesson=row.number, name=made.name))
    if made.fault:
        _print(sentence("tools", "update.unreadable", what=made.fault))
    elif made.outcome != updating.CURRENT:
        if not made.known:
            _print(sentence("tools", "update.unknown"))
        for key in ("changed", "added", "gone", "edited"):
            if getattr(made, key):
                _print(sentence("tools", f"update.{key}", keys=", ".join(getattr(made, key))))
    if made.outcome == updating.LAID:
        _print(sentence("tools", "update.how"))


# --- what they show ----------------------------------------------------------------------------------------------------------------------


def _preview(row, folder: Path, plan, dry: bool = False) -> None:
    from labkit.lessons.opened import open_notebooks

    if not plan.changes:
        _print(sentence("tools", "preview.nothing", work=_shown(folder), lesson=row.number))
        return
    _print(sentence("tools", "preview.dry" if dry else "preview.head", lesson=row.number, title=row.title, work=_shown(folder)))
    print()
    for each in plan.changes:
        _print(f"{each.name}: {_summary(each)}", indent=2)
        if each.cells:
            for key, names in _named_cells(each.cells):
                _print(sentence("tools", f"preview.{key}", keys=", ".join(names)), indent=6)
    print()
    for key, names in [("same", plan.same), ("extra", plan.extra), ("notebooks", plan.notebooks)]:
        if names:
            _print(sentence("tools", f"preview.{key}", names=", ".join(names)))
    written = {each.name for each in plan.changes}
    at_risk = [name for name in open_notebooks(folder) if name in written]
    if at_risk:
        _print(sentence("tools", "preview.open", names=", ".join(at_risk)))
    if dry:
        _print(sentence("tools", "preview.dry_end"))
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
        _print(sentence("tools", "diff.same", lesson=row.number))
    else:
        _print(sentence("tools", "diff.head", lesson=row.number))
    if found.fault:
        _print(found.fault)
    cells = found.cells
    if cells:
        for each in cells.changed:
            _heading(sentence("tools", "diff.changed", key=each.key))
            _print_lines(each.lines())
        for each in cells.added:
            _heading(sentence("tools", "diff.added", key=each.key))
            _print_lines([f"+ {line}" for line in each.source.split("\n")])
        for each in cells.gone:
            _heading(sentence("tools", "diff.gone_doubled" if each.key in cells.doubled else "diff.gone", key=each.key))
            _print_lines([f"- {line}" for line in each.source.split("\n")])
        if cells.moved:
            _heading(sentence("tools", "diff.moved", keys=", ".join(cells.moved)))
    for each in found.state:
        _heading(each.head)
        _print_lines(each.lines)
    if not found.same:
        print()
    if cells:
        none = sentence("tools", "diff.no_answer")
        for key, mine, theirs in cells.answers:
            _print(sentence("tools", "diff.answer", key=key, mine=mine or none, theirs=theirs or none))
        if cells.results:
            _print(sentence("tools", "diff.results", keys=", ".join(cells.results)))
    if found.extra:
        _print(sentence("tools", "diff.extra", names=", ".join(found.extra)))


def _heading(text: str) -> None:
    print()
    _print(text)


def _print_lines(lines: Iterable[str]) -> None:
    """Source lines with their sign; a long one goes on under itself, a long list is cut."""
    from labkit.show.tables import clean

    lines = list(lines)
    for line in lines[:_MOST_LINES]:
        sign, text = line[:2], clean(line[2:].replace("\t", "    ").replace("\r", "␍")).replace("\n", "·")
        first, *rest = _folded(text, _width() - 4, _width() - 10)
        print(f"  {sign}{first}".rstrip())
        for piece in rest:  # further in than any sign, so that nobody takes it for a line of its own
            print(f"  {sign[:1]}       {piece}".rstrip())
    if len(lines) > _MOST_LINES:
        print("  " + sentence("tools", "diff.more", count=len(lines) - _MOST_LINES))


def _folded(text: str, first: int, rest: int) -> list[str]:
    """A line of code in pieces of at most `first` and then `rest` columns, cut behind a blank where that leaves half a piece."""
    from labkit.show.tables import display_width

    pieces, piece, used = [], "", 0
    for char in text:
        size = display_width(char)
        if used + size > (rest if pieces else first):
            blank = piece.rfind(" ") + 1
            keep = blank if blank * 2 > len(piece) else len(piece)
            pieces.append(piece[:keep])
            piece = piece[keep:]
            used = display_width(piece)
        piece, used = piece + char, used + size
    return [*pieces, piece]


def _width() -> int:
    return max(20, min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns))


def _print(text: str, indent: int = 0) -> None:
    from labkit.show.tables import clean, wrap

    for line in wrap(clean(text), _width() - indent):
        print(" " * indent + line)


def _complain(text: str) -> None:
    print(text, file=sys.stderr)


def _say(sentences: Iterable[str]) -> None:
    for each in sentences:
        _complain(each)


# --- where they work ---------------------------------------------------------------------------------------------------------------------


def _course() -> Path:
    from labkit.course import course_folder

    return course_folder()


def _work_folder(into: Path | None) -> Path:
    """The folder named, else the work folder that we are in, else work/ of the course."""
    from labkit.lessons.workfolder import is_work_folder

    if into is not None:
        return into
    here = Path.cwd()
    for folder in (here, *here.parents):
        if is_work_folder(folder):
            return folder
    return _course() / "work"


def _row(number: str):
    from labkit.lessons import catalogue

    try:
        return catalogue.row(number)
    except LabError as error:
        raise BadArgument(str(error)) from None


def _say_version(folder: Path) -> None:
    """A word where the folder was begun with another labkit; it stops nothing."""
    from labkit import __version__
    from labkit.lessons.workfolder import MARKER

    try:
        made_with = json.loads((folder / MARKER).read_text(encoding="utf-8")).get("made_with")
    except (OSError, ValueError, AttributeError):
        return
    if isinstance(made_with, str) and made_with != __version__:
        _complain(sentence("tools", "work.older", made_with=made_with, version=__version__))


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

        _complain(sentence("tools", "journal.stopped_later" if journal.is_pending(self.folder) else "journal.stopped"))
        raise typer.Exit(130) from None


def _shown(folder: Path) -> str:
    """A folder as a person would type it from here."""
    try:
        return f"{folder.relative_to(Path.cwd())}{os.sep}"
    except ValueError:
        return f"{folder}{os.sep}"
