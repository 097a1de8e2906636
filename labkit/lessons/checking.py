"""`labkit check 03`: what a learner's exercises are worth in a fresh kernel.

Nothing that a notebook has recorded is believed. Its code cells are run again, in order, in a copy of the work folder: a variable that
only a deleted cell has made is missing here, and the answer says so. Nothing is left behind in the learner's folder.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from labkit.errors import LabError
from labkit.lessons import catalogue, inside
from labkit.lessons import replay as replaying
from labkit.lessons.answers import CORRECT, NOT_ATTEMPTED, NOT_YET
from labkit.lessons.exercises import open_blanks
from labkit.lessons.learner_notebook import LearnerCell, NotANotebook, made_in, read_cells
from labkit.lessons.replay import ENDED, ENDLESS, FAILED, NOT_RUN, Ran
from labkit.lessons.texts import engine, sentence
from labkit.lessons.workfolder import MARKER

WORKERS = 2
STATUSES = (CORRECT, NOT_YET, NOT_ATTEMPTED)


@dataclass(frozen=True)
class Answer:
    """What one exercise is worth now. `status`: 'correct', 'not yet', 'not attempted'.

    `text` is what the learner reads, `code` source lines to show under it. `mistake` is the key of what was recognised (the engine's, or
    'cell-failed', 'cell-gone', …), `value` a short text of what was reached. `notes` are further sentences: a doubled cell, a name that
    no cell makes.
    """

    exercise: str
    title: str
    status: str
    text: str
    mistake: str | None = None
    value: str | None = None
    code: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Checked:
    """What came of one lesson. `fault` is a clause that says why its notebook could not be read (then there are no answers), `mend` what to
    do about it. `notes`: other cells that failed on the way."""

    lesson: str
    title: str
    notebook: str
    answers: tuple[Answer, ...] = ()
    fault: str | None = None
    mend: str | None = None
    notes: tuple[str, ...] = ()

    def count(self, status: str) -> int:
        """How many exercises have this status."""
        return sum(each.status == status for each in self.answers)

    @property
    def done(self) -> bool:
        """Are all exercises correct?"""
        return self.fault is None and self.count(CORRECT) == len(self.answers)

    @property
    def begun(self) -> bool:
        """Was any exercise attempted?"""
        return self.count(NOT_ATTEMPTED) < len(self.answers)


def check(
    work: Path,
    course: Path | None,
    numbers: Iterable[str] = (),
    *,
    say: Callable[[str], None] = lambda text: None,
    cell_seconds: float = replaying.CELL_SECONDS,
    lesson_seconds: float = replaying.LESSON_SECONDS,
) -> list[Checked]:
    """Runs the lessons with these numbers (none: all that stand in `work`) in fresh kernels and says what each exercise is worth.

    A notebook that cannot be read is a `fault` of its lesson; the others go on. Raises LabError for a lesson that is not there.
    """
    rows = opened(work)
    if numbers:
        wanted = [catalogue.row(number) for number in dict.fromkeys(numbers)]
        for row in wanted:
            if row not in rows:
                raise LabError(sentence("classroom", "check.not_there", notebook=row.notebook, work=work.name))
        rows = wanted
    limits = {"cell_seconds": cell_seconds, "lesson_seconds": lesson_seconds}
    return checked(work, course, [(row, *read(work, row)) for row in rows], say, limits)


def opened(work: Path) -> list[catalogue.Row]:
    """The lessons that stand in a work folder, readable or not."""
    return [row for row in catalogue.lessons() if os.path.lexists(work / row.notebook)]


def read(work: Path, row: catalogue.Row) -> tuple[tuple[LearnerCell, ...], Checked | None]:
    """(the cells, None), or (nothing, what is wrong)."""
    try:
        return read_cells(work, row.notebook), None
    except NotANotebook as error:
        what = str(error)
        key = "mend_conflict" if what == sentence("tools", "notebook.conflict") else "mend_other"
        if os.path.isfile(work / row.notebook) and not os.access(work / row.notebook, os.R_OK):
            key = "mend_read"
        return (), Checked(row.number, row.title, row.notebook, fault=what, mend=sentence("classroom", f"check.{key}"))


def checked(work: Path, course: Path | None, lessons: Sequence, say: Callable, limits: Mapping) -> list[Checked]:
    """`lessons` are (row, cells, what is known already or None); returns what came of each. Two run side by side; Ctrl-C ends both."""
    found: dict[str, Checked] = {}
    to_run = []
    for row, cells, fault in lessons:
        if fault is not None:
            found[row.number] = fault
        elif _untouched(row, cells):
            found[row.number] = _not_begun(row)
        else:
            to_run.append((row, cells))
    if to_run:
        from labkit.lessons.recording import private_environment  # nbformat takes a second to import: only where something runs

        stop = threading.Event()
        with private_environment() as environment, ThreadPoolExecutor(WORKERS) as pool:
            if course is not None:
                environment = environment | {"LABKIT_COURSE": str(course)}
            jobs = {}
            for row, cells in to_run:
                jobs[pool.submit(_run, work, course, row, cells, environment, stop, say, limits)] = row
            try:
                for job in as_completed(jobs):
                    found[jobs[job].number] = job.result()
            except BaseException:
                stop.set()
                for job in jobs:
                    job.cancel()
                raise
    return [found[row.number] for row, _, _ in lessons]


def _untouched(row: catalogue.Row, cells: Sequence[LearnerCell]) -> bool:
    """Is every exercise as the lesson brought it? Then each is not attempted (`labkit.lessons.lint` proves that): nothing needs to run."""
    asking = [cell for cell in cells if cell.is_code and ".check" in cell.source]
    stubs = {exercise.stub for exercise in row.exercises().values()}
    return len(asking) == len(stubs) and {cell.source.strip("\n") for cell in asking} == stubs


def _not_begun(row: catalogue.Row) -> Checked:
    texts = row.texts()["exercises"]
    answers = [
        Answer(name, texts[name]["title"], NOT_ATTEMPTED, engine("answer.not_attempted", name=name)) for name in row.exercises()
    ]  # fmt: skip
    return Checked(row.number, row.title, row.notebook, tuple(answers))


def _run(work, course, row, cells, environment, stop, say, limits) -> Checked:
    code = [cell for cell in cells if cell.is_code]
    names = set(row.exercises())
    last = max((number for number, cell in enumerate(code) if any(cell.asks_for(name) for name in names)), default=-1)
    code = code[: last + 1]
    if not code:
        ran: list[Ran] = []
    else:
        say(sentence("classroom", "check.running", number=row.number))
        with tempfile.TemporaryDirectory(prefix="labkit-check-", ignore_cleanup_errors=True) as place:
            copy = Path(place) / work.name
            copy_of(work, copy)
            ran = replaying.replay([cell.source for cell in code], copy, environment, stop=stop, **limits)
    reading = _Reading(row, cells, list(zip(code, ran, strict=True)), _lesson_cells(course, row), limits)
    return Checked(row.number, row.title, row.notebook, tuple(map(reading.answer, row.exercises())), notes=reading.notes())


def copy_of(work: Path, target: Path) -> None:
    """What a lesson may read of a work folder, copied: its marker, state/, predictions, and the learner's own files.

    Links, notebooks, hidden files, caches and files over 64 MB stay out.
    """
    target.mkdir()
    for here, folders, files in os.walk(work, followlinks=False):
        folders[:] = [name for name in folders if _copied(Path(here) / name)]
        place = target / Path(here).relative_to(work)
        place.mkdir(exist_ok=True)
        for name in files:
            path = Path(here) / name
            if name == MARKER or (_copied(path) and not name.endswith(".ipynb") and path.is_file()):
                with contextlib.suppress(OSError):  # a file that went away meanwhile, or that nobody may read
                    if path.stat().st_size <= inside.LARGEST:
                        shutil.copyfile(path, place / name)


def _copied(path: Path) -> bool:
    return not path.name.startswith((".", "__pycache__")) and not inside.is_link(path)


def _lesson_cells(course: Path | None, row: catalogue.Row) -> dict[str, str]:
    """Id -> source of the lesson's own code cells; empty where there is no course beside."""
    try:
        return {cell.id: cell.source for cell in read_cells(course / "notebooks", row.notebook) if cell.is_code} if course else {}
    except NotANotebook:
        return {}


class _Reading:
    """What the run of one notebook says about each exercise."""

    def __init__(self, row, cells: Sequence[LearnerCell], run: Sequence[tuple[LearnerCell, Ran]], lesson: Mapping, limits: Mapping):
        self._row, self._cells, self._run, self._lesson, self._limits = row, cells, run, lesson, limits
        self._exercises, self._texts = row.exercises(), row.texts()["exercises"]

    def answer(self, name: str) -> Answer:
        asked = [(cell, ran) for cell, ran in self._run if cell.asks_for(name) or self._said(ran, name)]
        if not asked:
            return self._no_cell(name)
        cell, ran = asked[-1]
        said = self._said(ran, name)
        found = self._told(name, cell, *said[-1]) if said else self._failed(name, cell, ran)
        notes = list(found.notes)
        if len(asked) > 1:
            notes.append(self._doubled(name, asked, found.status))
        return replace(found, notes=tuple(note for note in notes if note))

    @staticmethod
    def _said(ran: Ran, name: str) -> list[tuple[dict, str]]:
        return [(data, text) for data, text in ran.answers if data.get("exercise") == name and data.get("status") in STATUSES]

    def _told(self, name: str, cell: LearnerCell, data: dict, plain: str) -> Answer:
        """The engine's own answer; where it names an unknown name, a note says what became of that."""
        text = plain.partition("\n")[2]
        missing = re.search(r"NameError: name '(\w+)' is not defined", text)
        notes = (self._unknown(missing.group(1), cell),) if missing else ()
        mistake, value = (each if isinstance(each, str) else None for each in (data.get("mistake"), data.get("value")))
        return Answer(name, self._texts[name]["title"], data["status"], text, mistake, value, notes=notes)

    def _failed(self, name: str, cell: LearnerCell, ran: Ran) -> Answer:
        """The cell that asks for the check did not come to it."""
        shown, notes = _capital(cell.name), ()
        stub = self._exercises[name].stub
        fresh = len(open_blanks(cell.source)) >= len(open_blanks(stub)) > 0
        status = NOT_ATTEMPTED if fresh and ran.end in (FAILED, NOT_RUN) else NOT_YET
        if ran.end == FAILED:
            kind, said = ran.error
            missing = re.match(r"name '(\w+)' is not defined", said) if kind == "NameError" else None
            if missing and missing.group(1) == "lesson":
                text = sentence("classroom", "answer.no_lesson", cell=shown, number=self._row.number)
            elif kind in ("SyntaxError", "IndentationError", "TabError"):
                text = sentence("classroom", "answer.syntax", cell=shown, error=said)
            else:
                text = sentence("classroom", "answer.failed", cell=shown, error=_error(ran))
                notes = (self._unknown(missing.group(1), cell),) if missing else ()
        elif ran.end == ENDLESS:
            text = sentence("classroom", "answer.endless", cell=shown, seconds=self._limits["cell_seconds"])
        elif ran.end == ENDED:
            text = sentence("classroom", "answer.ended", cell=shown)
        elif ran.end == NOT_RUN:
            text = sentence("classroom", "answer.not_run", seconds=self._limits["lesson_seconds"])
        else:
            text = sentence("classroom", "answer.not_reached", cell=shown, name=name)
        key = {FAILED: "cell-failed", ENDLESS: "cell-endless", ENDED: "cell-ended", NOT_RUN: "cell-not-run"}.get(ran.end, "not-reached")
        return Answer(name, self._texts[name]["title"], status, text, key, notes=notes)

    def _unknown(self, name: str, asking: LearnerCell) -> str:
        """What became of a name that a fresh kernel does not know; '' where a cell above makes it after all."""
        makers = [cell for cell in self._cells if cell.is_code and name in made_in(cell.source)]
        outcomes = {cell.place: ran for cell, ran in self._run}
        for cell in makers:
            ran = outcomes.get(cell.place)
            if ran is not None and ran.end in (FAILED, ENDLESS, ENDED) and cell.place < asking.place:
                error = _error(ran) if ran.error else ran.end
                return sentence("classroom", "name.failed", name=name, cell=cell.name, error=error)
        if any(cell.place < asking.place for cell in makers):
            return ""
        later = [cell for cell in makers if cell.place > asking.place]
        if later:
            return sentence("classroom", "name.later", name=name, cell=later[0].name)
        lost = next((id_ for id_, source in self._lesson.items() if name in made_in(source)), None)
        if lost:
            return sentence("classroom", "name.lost", name=name, id=lost)
        return sentence("classroom", "name.nowhere", name=name)

    def _no_cell(self, name: str) -> Answer:
        title, id_ = self._texts[name]["title"], f"exercise-{name}"
        own = [cell for cell in self._cells if cell.id == id_]
        text_cell = next((cell for cell in self._cells if not cell.is_code and (cell in own or cell.asks_for(name))), None)
        if text_cell is not None:
            text = sentence("classroom", "answer.not_code", cell=_capital(text_cell.name))
            return Answer(name, title, NOT_ATTEMPTED, text, "cell-not-code")
        if own:
            text = sentence("classroom", "answer.no_check", cell=_capital(own[-1].name), name=name)
            blank = len(open_blanks(own[-1].source)) >= len(open_blanks(self._exercises[name].stub)) > 0
            return Answer(name, title, NOT_ATTEMPTED if blank else NOT_YET, text, "no-check")
        text = sentence("classroom", "answer.gone", name=name)
        return Answer(name, title, NOT_ATTEMPTED, text, "cell-gone", code=self._exercises[name].stub)

    def _doubled(self, name: str, asked: Sequence[tuple[LearnerCell, Ran]], status: str) -> str:
        names = [cell.name for cell, _ in asked]
        if len(set(names)) < len(names):  # copies carry the same id: only their places tell them apart
            names = [sentence("classroom", "cell.by_place", place=cell.place) for cell, _ in asked]
        note = sentence("classroom", "answer.doubled", count=len(asked), cells=", ".join(names))
        earlier = [self._said(ran, name)[-1][0]["status"] for _, ran in asked[:-1] if self._said(ran, name)]
        best = min(earlier, key=STATUSES.index, default=status)
        return note if best == status else f"{note} {sentence('classroom', 'answer.doubled_other', status=best)}"

    def notes(self) -> tuple[str, ...]:
        """The cells beside the exercises that did not come to their end, at most three."""
        found = []
        for cell, ran in self._run:
            if any(cell.asks_for(name) for name in self._exercises):
                continue
            if ran.end in (FAILED, ENDLESS, ENDED):
                found.append(sentence("classroom", f"note.{ran.end}", cell=cell.name, error=_error(ran)))
            elif ran.end == NOT_RUN:
                found.append(sentence("classroom", "note.not_run", cell=cell.name))
                break
        return tuple(found[:3])


def _error(ran: Ran) -> str:
    return ": ".join(part for part in ran.error if part) if ran.error else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
