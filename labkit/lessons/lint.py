"""Proves that a lesson's exercises teach: unsolved is not attempted, the solution is correct, each typical mistake gets its own message.

`python -m labkit.lessons.lint [NN …]` prints what does not hold and exits 1.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from labkit.errors import LabError
from labkit.lessons import catalogue
from labkit.lessons.answers import CORRECT, NOT_ATTEMPTED, NOT_YET, Outcome, bundle
from labkit.lessons.exercises import ChoiceExercise, Exercise, FunctionExercise, ValueExercise, run_cell
from labkit.lessons.own_tests import TestsExercise
from labkit.lessons.texts import TextMissing


def outcome_of(exercise: Exercise, texts: dict, source: str) -> Outcome:
    """What the learner is told who runs `source` in a fresh kernel after the lesson's own earlier cells (`given`) and nothing else."""
    answer = run_cell(source, exercise.name, exercise.given)
    return judged(exercise, texts, answer, source)


def judged(exercise: Exercise, texts: dict, answer: object, source: str | None) -> Outcome:
    """The check itself, with a state/ that is gone afterwards where the exercise needs one."""
    if getattr(exercise, "needs_session", False):
        with tempfile.TemporaryDirectory(prefix="labkit-lint-") as state:
            return exercise.check(answer, texts, source, state=Path(state))
    return exercise.check(answer, texts, source)


def exercise_faults(exercise: Exercise, texts: dict | None) -> list[str]:
    """All that is wrong with one exercise and its texts."""
    name = exercise.name
    if texts is None:
        return [f"{name}: has no texts"]
    found = [f"{name}: {what}" for what in _text_faults(exercise, texts)]
    if found:
        return found
    if isinstance(exercise, TestsExercise):  # all its cells in one process: a process a cell would import everything each time
        with suppress(Exception):  # whatever is wrong with one of them is said below, where it is checked alone
            exercise.run_ahead([exercise.solution, *(each.cell(exercise.solution) for each in exercise.mistakes)])
    for what, source, status in (("the stub", exercise.stub, NOT_ATTEMPTED), ("the solution", exercise.solution, CORRECT)):
        if not re.search(rf'^lesson\.check\(\s*"{re.escape(name)}",[^=]+\)$', source, re.MULTILINE):
            found.append(f"{name}: {what} does not end with lesson.check(\"{name}\", …)")
        try:
            outcome = outcome_of(exercise, texts, source)
        except Exception as error:
            found.append(f"{name}: {what} stops with {type(error).__name__}: {error}")
            continue
        if outcome.status != status:
            found.append(f"{name}: {what} is {outcome.status!r}, not {status!r}: {outcome.text}")
        elif not getattr(exercise, "needs_session", False) and outcome != outcome_of(exercise, texts, source):
            found.append(f"{name}: {what} gives another answer the second time")
        if status == CORRECT and outcome.status == CORRECT and not re.search(r"\d", outcome.text + (outcome.value or "")):
            found.append(f"{name}: the correct answer reports no number")
    return found + _mistake_faults(exercise, texts)


def _text_faults(exercise: Exercise, texts: dict) -> list[str]:
    found = []
    for key in ("title", "correct"):
        if not str(texts.get(key, "")).strip():
            found.append(f"has no {key}")
    hints = texts.get("hints", [])
    if len(hints) < 2 or not all(str(hint).strip() for hint in hints) or len(set(hints)) < len(hints):
        found.append("needs two hints or more, none of them empty, no two alike")
    elif given_away(exercise, hints[0]):
        found.append(f"the first hint gives the solution away: {given_away(exercise, hints[0])}")
    elif any(all_given(exercise, hint) for hint in hints):
        found.append("a hint holds all that is to be written: leave something, or it is a solution")
    keys = [each.key for each in exercise.mistakes]
    if len(keys) < 3:
        found.append("needs three typical mistakes or more")
    written = texts.get("mistakes", {})
    if sorted(keys) != sorted(written):
        found.append(f"mistakes and messages differ: {', '.join(sorted(set(keys) ^ set(written))) or 'a key twice'}")
    if len(set(written.values())) < len(written):
        found.append("two mistakes have one message")
    return found


def given_away(exercise: Exercise, hint: str) -> str:
    """The part of the solution that the stub lacks and the hint holds; '' for none. White space, case and × for * do not hide it."""
    for plain in _missing(exercise):
        telling = {plain, _value(plain)}
        telling |= {part for part in re.findall(r"\(([^()]{6,})\)", plain) if not part.isdigit()}
        for part in sorted(telling, key=len, reverse=True):
            if len(part) >= 6 and part in _squeezed(hint):
                return part
    if isinstance(exercise, ValueExercise) and isinstance(exercise.reference, int | float | str):
        shown = str(exercise.reference)
        if re.search(rf"(?<![\w.]){re.escape(shown)}(?![\w.])", hint):
            return shown
    return ""


def all_given(exercise: Exercise, hint: str) -> bool:
    """Whether the hint holds every line that the stub lacks, or what such a line yields. (A solution is shown by lesson.solution.)"""
    missing = _missing(exercise)
    return bool(missing) and all(len(_value(line)) >= 4 and _value(line) in _squeezed(hint) for line in missing)


def _squeezed(text: str) -> str:
    return re.sub(r"[\s`]+", "", text).lower().replace("×", "*").replace("÷", "/").replace("−", "-")


def _missing(exercise: Exercise) -> list[str]:
    """The solution's lines that the stub lacks, squeezed, comments apart."""
    stub, solution = (
        [_squeezed(re.sub(r"(?:^|\s)# .*$", "", line)) for line in text.split("\n")] for text in (exercise.stub, exercise.solution)
    )
    return [line for line in solution if line and line not in stub]


def _value(line: str) -> str:
    """What a squeezed line yields: without its name, `return`, or `while`, and the comma or colon at its end."""
    return re.sub(r"^(?:return|while|(?:el)?if|\w+=(?!=)|\w+:)", "", line).rstrip(",:")


def _mistake_faults(exercise: Exercise, texts: dict) -> list[str]:
    found, told = [], {}
    for each in exercise.mistakes:
        try:
            outcome = _mistaken(exercise, texts, each)
        except Exception as error:
            found.append(f"{exercise.name}: mistake {each.key} stops with {type(error).__name__}: {error}")
            continue
        if outcome.status != NOT_YET or outcome.mistake != each.key:
            got = outcome.mistake or outcome.status
            found.append(f"{exercise.name}: mistake {each.key} is answered as {got!r}: {outcome.text}")
        elif outcome.text in told:
            found.append(f"{exercise.name}: mistakes {told[outcome.text]} and {each.key} get the same message")
        told[outcome.text] = each.key
    return found


def _mistaken(exercise: Exercise, texts: dict, each) -> Outcome:
    source = each.cell(exercise.solution)
    if source:
        return outcome_of(exercise, texts, source)
    if isinstance(exercise, ChoiceExercise):
        return judged(exercise, texts, exercise.wrong_value(each), None)
    if isinstance(exercise, FunctionExercise):
        arguments = len(exercise.cases[0])
        return judged(exercise, texts, eval(f"lambda {', '.join('abcdefghij'[:arguments])}: value", {"value": each.value}), None)
    return judged(exercise, texts, each.value, None)


def prediction_faults(prediction, texts: dict | None) -> list[str]:
    """All that is wrong with one prediction."""
    name = prediction.name
    found = []
    if not (texts or {}).get("title", "").strip():
        found.append(f"prediction {name}: has no title")
    if prediction.stub.count("...") != 1:
        found.append(f"prediction {name}: its stub needs one blank `...`")
    if prediction.fault(prediction.sample) is not None:
        found.append(f"prediction {name}: its sample cannot stand: {prediction.fault(prediction.sample)}")
    return found


def content_faults(row: catalogue.Row) -> list[str]:
    """All that is wrong with a lesson's exercises, predictions and texts."""
    try:
        exercises, predictions, texts = row.exercises(), row.predictions(), row.texts()
    except TextMissing as error:
        return [str(error)]
    found = []
    module = row.module()
    for kind, listed, named in (
        ("exercises", getattr(module, "EXERCISES", ()), exercises),
        ("predictions", getattr(module, "PREDICTIONS", ()), predictions),
    ):
        if len(listed) != len(named):
            found.append(f"two {kind} have one name")
        for extra in sorted(set(texts.get(kind, {})) - set(named)):
            found.append(f"{kind}.{extra}: texts for nothing in the content module")
    if not exercises:
        found.append("a lesson needs one exercise or more")
    if len(exercises) > 4:
        found.append("one core exercise and up to three more: there are " + str(len(exercises)))
    if not predictions:
        found.append("a lesson needs one prediction or more")
    for name, exercise in exercises.items():
        found += exercise_faults(exercise, texts.get("exercises", {}).get(name))
        if not found:
            bundle(outcome_of(exercise, texts["exercises"][name], exercise.stub), row.number, name, texts["exercises"][name]["title"], "")
    for name, prediction in predictions.items():
        found += prediction_faults(prediction, texts.get("predictions", {}).get(name))
    return found


def faults(row: catalogue.Row, notebooks: Path) -> list[str]:
    """All that is wrong with a lesson: content, texts, notebook."""
    from labkit.lessons import notebooks as files
    from labkit.lessons import rules

    found = content_faults(row)
    try:
        notebook = files.read(notebooks / row.notebook)
    except LabError as error:
        return [*found, str(error)]
    return found + rules.faults(notebook, row.exercises(), row.predictions())


def main(arguments: list[str] | None = None) -> int:
    """`python -m labkit.lessons.lint`: prints what does not hold; 0, 1 where something does not, 2 where it cannot look."""
    from labkit.course import course_folder

    about = "Checks lessons against the rules of docs/authoring.md."
    parser = argparse.ArgumentParser(prog="python -m labkit.lessons.lint", description=about)
    parser.add_argument("lesson", nargs="*", help="numbers, for example 03; none: all that have a notebook")
    wanted = parser.parse_args(arguments).lesson
    notebooks = course_folder() / "notebooks"
    try:
        rows = [catalogue.row(number) for number in wanted] or [row for row in catalogue.lessons() if (notebooks / row.notebook).is_file()]
        bad = 0
        for row in rows:
            found = faults(row, notebooks)
            bad += len(found)
            print(f"lesson {row.number}: {'holds' if not found else f'{len(found)} to mend'}")
            for each in found:
                print(f"  {each}")
    except LabError as error:
        print(error, file=sys.stderr)
        return 2
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
