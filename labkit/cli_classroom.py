"""The labkit commands that say where somebody stands: check, status, room.

`register` adds them to the command line; what they print is decided here, what they do in labkit.lessons.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from labkit.cli_places import Into, Json, course_if_there, finish_interrupted, lesson_row, named_folder, work_folder
from labkit.cli_printing import one_line, say, width
from labkit.errors import BadArgument
from labkit.lessons.texts import engine, sentence


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

    work, course = _work(into), course_if_there()
    rows = [lesson_row(number) for number in lesson or ()]
    try:
        found = checking.check(work, course, [row.number for row in rows], say=_progress)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    if as_json:
        print(json.dumps({"lessons": [_as_dict(each) for each in found]}, ensure_ascii=False, indent=2))
    elif not found:
        say(sentence("classroom", "check.none_open", work=work.name))
    else:
        for each in found:
            _show_lesson(each)
        say(sentence("classroom", "check.saved"))
    if any(each.fault for each in found):
        sys.stdout.flush()
        raise typer.Exit(1)


def status(into: Into = None, as_json: Json = False) -> None:
    """Show where you are: what is correct, not yet, not attempted, and the next thing to do. Found by running your exercises again."""
    from labkit.lessons import progress

    work, course = _work(into, may_be_missing=True), course_if_there()
    try:
        found = progress.status(work, course, say=_progress)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    line = sentence("classroom", "next.line", what=found.next.what, why=found.next.why)
    if as_json:
        lessons = [_as_dict(each) for each in found.lessons]
        print(json.dumps({"lessons": lessons, "next": asdict(found.next)}, ensure_ascii=False, indent=2))
    else:
        if found.lessons:
            _show_status(found.lessons)
            print()
        print(one_line(line))
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
    say(sentence("classroom", "check.head", number=checked.lesson, title=checked.title))
    if checked.fault:
        say(sentence("classroom", "check.broken", notebook=checked.notebook, what=checked.fault), 2)
        say(checked.mend, 2)
        print()
        return
    for each in checked.answers:
        say(engine("answer.head", status=_word(each.status).capitalize(), title=f"{each.title} ({each.exercise})"), 2)
        for text in (each.text, *each.notes):
            say(text, 4)
        for line in (each.code or "").split("\n") if each.code else ():
            print(f"        {line}".rstrip())
    for note in checked.notes:
        say(note, 2)
    key = "check.sum_one" if len(checked.answers) == 1 else "check.sum"
    say(sentence("classroom", key, count=len(checked.answers), **_counts(checked)), 2)
    print()


def _show_status(lessons) -> None:
    from labkit.show.tables import table

    rows = []
    for each in lessons:
        counts = [None] * 3 if each.fault else list(_counts(each).values())
        rows.append((f"{each.lesson} {each.title}", *counts))
    heads = [sentence("classroom", "status.lesson"), *(_word(key) for key in ("correct", "not yet", "not attempted"))]
    print(_without_blanks(str(table(rows, columns=heads, width=width()))))
    for each in lessons:
        if each.fault:
            say(sentence("classroom", "status.unreadable", notebook=each.notebook, what=each.fault))


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
    print(_without_blanks(str(table(shown, columns=heads, width=width()))))
    if any(row.stale for row in rows):
        say(sentence("classroom", "room.stale_note"))
    if marked:
        say(sentence("classroom", "room.given_note"))
    most = max(row.exercises for row in rows)
    say(sentence("classroom", "room.sum_one" if len(rows) == 1 else "room.sum", count=len(rows), exercises=most))
    faults = [f"{row.name}: {fault}" for row in rows for fault in row.faults]
    if faults:
        print()
        for each in faults:
            say(each)


def _show_bars(bars) -> None:
    print()
    say(sentence("classroom", "room.guess_head", lesson=bars.lesson, name=bars.name, title=bars.title.replace("*", "").replace("`", "")))
    for line in bars.lines(width() - 2):
        print(f"  {line}")
    say(sentence("classroom", "room.guess_sum_one" if bars.count == 1 else "room.guess_sum", count=bars.count, silent=bars.silent))


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


# --- where they work ---------------------------------------------------------------------------------------------------------------------


def _work(into: Path | None, may_be_missing: bool = False) -> Path:
    """The work folder, an interrupted reset put in order first. `may_be_missing`: work/ of the course may not be there yet."""
    if into is None and may_be_missing and not os.path.lexists(folder := named_folder(None)):
        return folder
    folder = work_folder(into)
    finish_interrupted(folder)
    return folder
