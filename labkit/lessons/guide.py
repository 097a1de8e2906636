"""Writes docs/instructors.md from the lessons themselves: minutes, state, snapshots, exercises, typical mistakes and what each is told.

One source: the catalogue, the content modules, their texts, the notebooks and the snapshots. What no lesson knows (how to prepare, how to
read `labkit room`) stands in texts/<language>/instructors.md. The same source gives the same bytes.

`python -m labkit.lessons.guide` writes it; with `--check` it only says whether it is up to date.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from labkit.errors import LabError
from labkit.files import write_atomically
from labkit.lessons import catalogue, texts
from labkit.lessons.answers import PREDICTION_MIME, Outcome
from labkit.lessons.exercises import ChoiceExercise, Exercise, FunctionExercise
from labkit.lessons.inside import names_in
from labkit.lessons.learner_notebook import NotANotebook, read_cells
from labkit.lessons.lint import judged, outcome_of
from labkit.lessons.running import errors_by_name
from labkit.lessons.texts import engine
from labkit.lessons.workfolder import STATE

FILE = "docs/instructors.md"
TEMPLATE = "instructors.md"
ROUTE = ("03", "05", "07", "09")  # a half-day; those of them that exist


def write(course: Path) -> bool:
    """Writes docs/instructors.md in `course`; returns whether it changed. Raises LabError where a lesson's texts or notebook are amiss."""
    path, new = course / FILE, text(course)
    if path.is_file() and path.read_bytes() == new.encode("utf-8"):
        return False
    path.parent.mkdir(exist_ok=True)
    write_atomically(path, new)
    return True


def text(course: Path) -> str:
    """The whole page. Lessons of the catalogue whose notebook does not exist yet are left out."""
    template = texts.HERE / texts.language() / TEMPLATE
    rows = [row for row in catalogue.lessons() if (course / "notebooks" / row.notebook).is_file()]
    page = template.read_text(encoding="utf-8")
    for mark, part in (("route", _route(rows)), ("lessons", "\n\n".join([_overview(rows), *(_lesson(course, row) for row in rows)]))):
        page = page.replace(f"<!-- {mark} -->", part)
    return page.rstrip("\n") + "\n"


# --- the parts ---------------------------------------------------------------------------------------------------------------------------


def _route(rows: Sequence[catalogue.Row]) -> str:
    on_it = [row for row in rows if row.number in ROUTE]
    if not on_it:
        return "None of the lessons of the half-day route is here yet."
    said = [f"{_list([f'{row.number}' for row in on_it])}: {sum(row.minutes for row in on_it)} minutes of lessons; add a break."]
    table = ["| lesson | minutes | its one idea | before it |", "| --- | --- | --- | --- |"]
    done = None
    for row in on_it:
        before = catalogue.before(row.number)
        lay = before is not None and before.number != done and row.needs()
        first = f"`labkit reset {before.number} --state-only`" if lay else "nothing to lay"
        table.append(f"| {row.number} {row.title} | {row.minutes} | {row.idea} | {first} |")
        done = row.number
    return "\n\n".join([*said, "\n".join(table)])


def _overview(rows: Sequence[catalogue.Row]) -> str:
    table = ["| lesson | minutes | its one idea |", "| --- | --- | --- |"]
    table += [f"| [{row.number} {row.title}](#{_anchor(f'{row.number} · {row.title}')}) | {row.minutes} | {row.idea} |" for row in rows]
    return "\n".join([*table, f"\n{len(rows)} lessons, {sum(row.minutes for row in rows)} minutes in all."])


def _lesson(course: Path, row: catalogue.Row) -> str:
    parts = _parts(course, row)
    own = row.texts()
    said = [f"### {row.number} · {row.title}", f"{row.minutes} minutes. {row.idea}."]
    if parts.get("What you will be able to do"):
        said += ["Afterwards they can:", parts["What you will be able to do"]]
    said += [_state(course, row)]
    if row.predictions():
        said += ["Predictions, for a show of hands:"]
        measured = _measured(course, row)
        said += ["\n".join(
            f"- `{row.number}.{name}`: {_safe(own['predictions'][name]['title'])}"
            + (f" *Measured: {_safe(measured[name])}*" if name in measured else "")
            for name in row.predictions()
        )]  # fmt: skip
    for name, exercise in row.exercises().items():
        said += _exercise(exercise, own["exercises"][name])
    if parts.get("A common mistake"):
        said += ["#### To talk about: a common mistake", parts["A common mistake"]]
    if parts.get("Key points"):
        said += ["#### To say at the end", parts["Key points"]]
    return "\n\n".join(said)


def _state(course: Path, row: catalogue.Row) -> str:
    needs = [f"`{STATE}/{name}` (lesson {maker})" for name, maker in row.needs().items()]
    said = [f"- Starts from: {_list(needs) if needs else 'nothing of an earlier lesson'}."]
    folder, earlier = course / "snapshots" / row.name, catalogue.before(row.number)
    before = _files(course / "snapshots" / earlier.name) if earlier else {}
    leaves = [f"`{name}`" for name, data in _files(folder).items() if before.get(name) != data]
    said.append(f"- Leaves: {_list(leaves) if leaves else 'no file of its own'}.")
    if (folder / row.notebook).is_file():
        said.append(f"- Its snapshot: `snapshots/{row.name}/`, laid by `labkit reset {row.number}`.")
    if earlier and needs:
        said.append(f"- For those who come late: `labkit reset {earlier.number} --state-only`, then this notebook.")
    return "\n".join(said)


def _files(snapshot: Path) -> dict[str, bytes]:
    return {name: (snapshot / name).read_bytes().replace(b"\r\n", b"\n") for name in names_in(snapshot, STATE)}


def _exercise(exercise: Exercise, own: dict) -> list[str]:
    said = [f"#### Exercise `{exercise.name}`: {_safe(own['title'])}"]
    hints = own.get("hints", [])
    if hints:
        said.append(f"If nobody moves, ask: {_safe(hints[0])}")
    if len(hints) > 1:
        said.append(f"Nearly the solution: {_safe(hints[-1])}")
    if isinstance(exercise, ChoiceExercise):
        right = ", ".join(f"{item}: “{choice}”" if item else f"“{choice}”" for item, choice in exercise.right.items())
        said.append(f"Right: {_safe(right)}.")
    told = [f"- *{each.key.replace('-', ' ')}*: {_safe(_told(exercise, own, each))}" for each in exercise.mistakes]
    if told:
        said += ["What goes wrong, and what labkit says to it:", "\n".join(told)]
    return said


def _told(exercise: Exercise, own: dict, each) -> str:
    """What a learner reads who makes this mistake: the check itself says it, but for tests, which take long to run."""
    if exercise.kind == "tests":
        values = {"test": "test_…", "count": exercise.count, "mutants": len(exercise.mutants)}
        return exercise.said(own, each.key, **values)
    with errors_by_name():
        source = each.cell(exercise.solution)
        if source:
            return _without_the_long(exercise, outcome_of(exercise, own, source))
        if isinstance(exercise, FunctionExercise):
            return _without_the_long(exercise, judged(exercise, own, lambda *_, **__: each.value, None))
        wrong = getattr(exercise, "wrong_value", None)
        return judged(exercise, own, wrong(each) if wrong else each.value, None).text


def _without_the_long(exercise: Exercise, outcome: Outcome) -> str:
    """A message in which no call or value is longer than a glance: what it says is what an instructor looks for."""
    said = outcome.text
    for case in exercise.cases if isinstance(exercise, FunctionExercise) else ():
        call = exercise.call_text(case)
        said = said.replace(call, f"{exercise.function_name}(…)") if len(call) > _GLANCE else said
    long = outcome.value or ""
    return said.replace(long, "…") if len(long) > _GLANCE else said


_GLANCE = 40  # characters


def _measured(course: Path, row: catalogue.Row) -> dict[str, str]:
    """Prediction -> what the recorded lesson shows beside the guess."""
    before, behind = engine("prediction.reveal_none", measured="\0").split("\0")
    notebook = course / "notebooks" / row.notebook
    found = {}
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            told = data.get(PREDICTION_MIME, {})
            for line in "".join(data.get("text/plain", "")).split("\n") if str(told.get("status")).startswith("revealed") else ():
                if line.startswith(before) and line.endswith(behind):
                    found[told["prediction"]] = line[len(before) : len(line) - len(behind)]
    return found


# --- from the notebook -------------------------------------------------------------------------------------------------------------------


def _parts(course: Path, row: catalogue.Row) -> dict[str, str]:
    """Heading of level 2 (without what follows a colon) -> the text under it; the first part of that name."""
    try:
        cells = read_cells(course / "notebooks", row.notebook)
    except NotANotebook as error:
        raise LabError(f"notebooks/{row.notebook}: {error}") from None
    found: dict[str, list[str]] = {}
    here = None
    for cell in cells:
        if cell.kind != "markdown":
            here = here if cell.kind == "code" else None
            continue
        fenced = False
        for line in cell.source.split("\n"):
            fenced ^= line.lstrip().startswith("```")
            heading = None if fenced else re.match(r"(#{1,6})\s+(.*)", line)
            if heading and len(heading[1]) <= 2:
                name = heading[2].partition(":")[0].strip()
                here = found.setdefault(name, []) if name not in found else None
            elif here is not None:
                here.append(f"**{heading[2].strip()}**" if heading else line)
        if here is not None:
            here.append("")
    return {name: re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() for name, lines in found.items()}


def _safe(said: str) -> str:
    """A message on one line of Markdown: `code` stays, and what Markdown would read as HTML is text."""
    pieces = re.split(r"(`[^`\n]+`)", " ".join(said.split()))
    return "".join(piece if piece.startswith("`") else piece.replace("&", "&amp;").replace("<", "&lt;") for piece in pieces)


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _anchor(heading: str) -> str:
    """The name that a heading gets in the page's address, as GitHub makes it."""
    return "".join(char for char in heading.lower().replace(" ", "-") if char.isalnum() or char in "-_")


def main(arguments: list[str] | None = None) -> int:
    """The command line: writes the page, or with --check exits 1 where it is not up to date."""
    from labkit.course import course_folder

    parser = argparse.ArgumentParser(prog="python -m labkit.lessons.guide", description=f"Writes {FILE} from the lessons.")
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    only_check = parser.parse_args(arguments).check
    try:
        course = course_folder()
        if only_check:
            path = course / FILE
            fresh = path.is_file() and path.read_bytes() == text(course).encode("utf-8")
            print(f"{FILE} is up to date" if fresh else f"{FILE} is not up to date: make record")
            return 0 if fresh else 1
        print(f"{'changed' if write(course) else 'as it was'}: {FILE}")
    except LabError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
