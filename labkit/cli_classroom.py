"""The labkit commands that say where somebody stands: check, status, room.

`register` adds them to the command line; what they print is decided here, what they do in labkit.lessons.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from labkit.cli_lessons import Into, Json, finish_interrupted
from labkit.errors import BadArgument, CourseNotFound, LabError
from labkit.lessons.texts import engine, sentence

WIDEST = 80


def register(app: typer.Typer, command: Callable[[Callable], Callable]) -> None:
    """Adds the commands to `app`; `command` is what every command does with an error."""
    app.command(epilog="Example: labkit check 03")(command(check))
    app.command(epilog="Example: labkit status")(command(status))
    app.command(epilog="Example: labkit room class-folders --guesses 03.twice")(command(room))


# --- the commands ------------------------------------------------------------------------------------------------------------------------


def check(
    lesson: Annotated[list[str] | None, typer.Argument(metavar="NN", help="Lessons, as 03 (default: all in your folder).")] = None,
    into: Into = None,
    as_json: Json = False,
) -> None:
    """Run your exercises again from a fresh kernel, so that nothing left over in memory counts, and say what each is worth.

    Your files stay as they are. Exit code 0: all were looked at, correct or not; 1: a notebook could not be read.
    """
    from labkit.lessons import checking

    work, course = _work(into), _course()
    rows = [_row(number) for number in lesson or ()]
    try:
        found = checking.check(work, course, [row.number for row in rows], say=_progress)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    if as_json:
        print(json.dumps({"lessons": [_as_dict(each) for each in found]}, ensure_ascii=False, indent=2))
    elif not found:
        _print(sentence("classroom", "check.none_open", work=work.name))
    else:
        for each in found:
            _show_lesson(each)
        _print(sentence("classroom", "check.saved"))
    if any(each.fault for each in found):
        sys.stdout.flush()
        raise typer.Exit(1)


def status(into: Into = None, as_json: Json = False) -> None:
    """Show where you are: what is correct, not yet, not attempted, and the next thing to do. Found by running your exercises again."""
    from labkit.lessons import progress

    work, course = _work(into, may_be_missing=True), _course()
    try:
        found = progress.status(work, course, say=_progress)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    line = " ".join(sentence("classroom", "next.line", what=found.next.what, why=found.next.why).split())
    if as_json:
        lessons = [_as_dict(each) for each in found.lessons]
        print(json.dumps({"lessons": lessons, "next": asdict(found.next)}, ensure_ascii=False, indent=2))
    else:
        if found.lessons:
            _show_status(found.lessons)
            print()
        print(_one_line(line))
    if any(each.fault for each in found.lessons):
        sys.stdout.flush()
        raise typer.Exit(1)


def room(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder that holds your learners' folders, one each.")],
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, for a spreadsheet.")] = False,
    as_json: Json = False,
    guesses: Annotated[
        str | None, typer.Option("--guesses", metavar="LESSON.NAME", help="Show what the room guessed, as 03.twice.")
    ] = None,
) -> None:
    """For instructors: one row a learner's folder, from the answers that their own checks recorded. Runs nothing of theirs."""
    from labkit.lessons import room as classroom

    if as_csv and as_json:
        raise BadArgument("--csv and --json are two forms of one table: choose one")
    if as_csv and guesses:
        raise BadArgument("--csv prints the table alone: take --json for the guesses, or leave --csv out")
    rows = classroom.room(folder)
    bars = classroom.histogram(rows, guesses) if guesses else None
    if as_csv:
        sys.stdout.write(classroom.as_csv(rows))
    elif as_json:
        shown = {"learners": [row.as_dict() for row in rows]}
        if bars:
            shown["guesses"] = {
                "lesson": bars.lesson, "prediction": bars.name, "title": bars.title, "count": bars.count, "silent": bars.silent,
                "bars": [{"label": label, "count": number} for label, number in bars.bars],
            }  # fmt: skip
        print(json.dumps(shown, ensure_ascii=False, indent=2))
    else:
        _show_room(rows)
        if bars:
            _show_bars(bars)


# --- what they show ----------------------------------------------------------------------------------------------------------------------


def _show_lesson(checked) -> None:
    _print(sentence("classroom", "check.head", number=checked.lesson, title=checked.title))
    if checked.fault:
        _print(sentence("classroom", "check.broken", notebook=checked.notebook, what=checked.fault), 2)
        _print(checked.mend, 2)
        print()
        return
    for each in checked.answers:
        _print(engine("answer.head", status=_word(each.status).capitalize(), title=f"{each.title} ({each.exercise})"), 2)
        for text in (each.text, *each.notes):
            _print(text, 4)
        for line in (each.code or "").split("\n") if each.code else ():
            print(f"        {line}".rstrip())
    for note in checked.notes:
        _print(note, 2)
    key = "check.sum_one" if len(checked.answers) == 1 else "check.sum"
    _print(sentence("classroom", key, count=len(checked.answers), **_counts(checked)), 2)
    print()


def _show_status(lessons) -> None:
    from labkit.show.tables import table

    rows = []
    for each in lessons:
        counts = [None] * 3 if each.fault else list(_counts(each).values())
        rows.append((f"{each.lesson} {each.title}", *counts))
    heads = [sentence("classroom", "status.lesson"), *(_word(key) for key in ("correct", "not yet", "not attempted"))]
    print(_without_blanks(str(table(rows, columns=heads, width=_width()))))
    for each in lessons:
        if each.fault:
            _print(sentence("classroom", "status.unreadable", notebook=each.notebook, what=each.fault))


def _show_room(rows) -> None:
    from labkit.show.tables import table

    heads = [sentence("classroom", f"room.{key}") for key in
             ("learner", "furthest", "correct", "not_yet", "open", "stale", "guesses", "changed")]  # fmt: skip
    marked = any(row.given for row in rows)
    shown = []
    for row in rows:
        correct = str(row.correct) if marked else row.correct
        if row.given:
            correct = sentence("classroom", "room.given_mark", correct=row.correct, given=row.given)
        known = (row.furthest or None, correct, row.not_yet, row.not_attempted, row.stale, len(row.guesses), row.changed)
        shown.append((row.name, *(known if row.exercises else [None] * 7)))
    print(_without_blanks(str(table(shown, columns=heads, width=_width()))))
    if any(row.stale for row in rows):
        _print(sentence("classroom", "room.stale_note"))
    if marked:
        _print(sentence("classroom", "room.given_note"))
    most = max(row.exercises for row in rows)
    _print(sentence("classroom", "room.sum_one" if len(rows) == 1 else "room.sum", count=len(rows), exercises=most))
    faults = [f"{row.name}: {fault}" for row in rows for fault in row.faults]
    if faults:
        print()
        for each in faults:
            _print(each)


def _show_bars(bars) -> None:
    print()
    _print(sentence("classroom", "room.guess_head", lesson=bars.lesson, name=bars.name, title=bars.title.replace("*", "").replace("`", "")))
    for line in bars.lines(_width() - 2):
        print(f"  {line}")
    _print(sentence("classroom", "room.guess_sum_one" if bars.count == 1 else "room.guess_sum", count=bars.count, silent=bars.silent))


def _counts(checked) -> dict[str, int]:
    return {key.replace(" ", "_"): checked.count(key) for key in ("correct", "not yet", "not attempted")}


def _word(status_: str) -> str:
    return engine(f"status.{status_.replace(' ', '_')}")


def _as_dict(checked) -> dict:
    return asdict(checked) | _counts(checked)


def _progress(text: str) -> None:
    """While kernels run, on the screen of whoever waits; a pipe or a script gets the result alone."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)


def _without_blanks(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n"))


def _width() -> int:
    return max(20, min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns))


def _one_line(text: str) -> str:
    from labkit.show.tables import clean, display_width

    text = clean(text)
    if display_width(text) <= _width():
        return text
    while display_width(text) > _width() - 2:
        text = text[:-1]
    return f"{text.rpartition(' ')[0] or text} …"


def _print(text: str, indent: int = 0) -> None:
    from labkit.show.tables import clean, wrap

    for line in wrap(clean(text), _width() - indent):
        print((" " * indent + line).rstrip())


# --- where they work ---------------------------------------------------------------------------------------------------------------------


def _course() -> Path | None:
    from labkit.course import course_folder

    try:
        return course_folder()
    except CourseNotFound:
        return None


def _work(into: Path | None, may_be_missing: bool = False) -> Path:
    """The work folder named, else the one that we are in, else work/ of the course. An interrupted reset is put in order first."""
    from labkit.course import course_folder
    from labkit.lessons.reset import check_work_folder
    from labkit.lessons.workfolder import is_work_folder

    here = Path.cwd()
    if into is None:
        into = next((folder for folder in (here, *here.parents) if is_work_folder(folder)), None)
        if into is None:
            into = course_folder() / "work"
            if may_be_missing and not os.path.lexists(into):
                return into
    folder = check_work_folder(into)
    finish_interrupted(folder)
    return folder


def _row(number: str):
    from labkit.lessons import catalogue

    try:
        return catalogue.row(number)
    except LabError as error:
        raise BadArgument(str(error)) from None
