"""`labkit room FOLDER`: a class at a glance, from what the learners' own checks have recorded in their notebooks.

Nothing of a learner's is run and no link is followed: notebooks are read as data, whoever wrote them. An answer carries the digest of the
source that was checked; where the cell beside it has changed since, the answer is stale, and counts as such.

The numbers are as honest as the notebooks. `labkit check` in one learner's folder finds out anew; here it is looked up.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import os
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from difflib import get_close_matches
from pathlib import Path

from labkit.errors import BadArgument, LabError
from labkit.lessons import catalogue
from labkit.lessons.answers import ANSWER_MIME, CORRECT, NOT_ATTEMPTED, NOT_YET, PREDICTION_MIME, digest
from labkit.lessons.inside import is_link
from labkit.lessons.learner_notebook import LearnerCell, NotANotebook, parse, read_bytes
from labkit.lessons.predictions import FILE as GUESSES
from labkit.lessons.predictions import Prediction
from labkit.lessons.texts import sentence
from labkit.lessons.workfolder import STATE, is_work_folder

_DEEP = 2  # folders below a learner's in which their work folder is looked for
_MANY = 300  # entries of one folder that are looked at
_GUESSES_LARGEST = 1024 * 1024
_LONGEST = 60  # characters of a name


@dataclass(frozen=True)
class Found:
    """One recorded answer. `status`: 'correct', 'not yet', 'not attempted'; `stale`: the cell's source is another one by now; `given`: the
    source is, word for word, the course's own solution (laid by a reset, copied, or the shortest way to write it)."""

    status: str
    stale: bool = False
    given: bool = False


@dataclass(frozen=True)
class LearnerRow:
    """What is known of one learner. `name` is their folder's, made safe to print.

    `answers`: lesson -> exercise -> Found; `guesses`: (lesson, prediction) -> what they guessed. `furthest` is the last lesson in which a
    cell was run, '' where none was. `changed` is the day of the last change to a notebook or a file of state/, by the file's own date.
    `faults` are sentences: a notebook that cannot be read, a link, no work folder.
    """

    name: str
    furthest: str = ""
    exercises: int = 0
    answers: Mapping[str, Mapping[str, Found]] = field(default_factory=dict)
    guesses: Mapping[tuple[str, str], object] = field(default_factory=dict)
    predictions: int = 0
    changed: date | None = None
    faults: tuple[str, ...] = ()

    def _count(self, wanted) -> int:
        return sum(wanted(each) for answers in self.answers.values() for each in answers.values())

    @property
    def correct(self) -> int:
        """Exercises whose cell, as it stands, was found correct."""
        return self._count(lambda each: each.status == CORRECT and not each.stale)

    @property
    def not_yet(self) -> int:
        """Exercises whose cell, as it stands, was found not yet right."""
        return self._count(lambda each: each.status == NOT_YET and not each.stale)

    @property
    def stale(self) -> int:
        """Answers to another source than the cell now holds, untouched ones apart."""
        return self._count(lambda each: each.stale)

    @property
    def given(self) -> int:
        """Those among the correct ones whose source is the course's own solution."""
        return self._count(lambda each: each.status == CORRECT and not each.stale and each.given)

    @property
    def not_attempted(self) -> int:
        """All others: still blank, or never checked."""
        return self.exercises - self.correct - self.not_yet - self.stale

    def as_dict(self) -> dict:
        """For JSON: plain values, the same keys each time."""
        return {
            "name": self.name, "furthest": self.furthest or None, "exercises": self.exercises, "correct": self.correct,
            "not_yet": self.not_yet, "not_attempted": self.not_attempted, "stale": self.stale, "as_the_solution": self.given,
            "guesses": len(self.guesses), "predictions": self.predictions, "changed": str(self.changed) if self.changed else None,
            "faults": list(self.faults),
            "answers": [
                {"lesson": lesson, "exercise": name, "status": each.status, "stale": each.stale, "as_the_solution": each.given}
                for lesson, answers in self.answers.items()
                for name, each in answers.items()
            ],
        }  # fmt: skip


class _Lessons:
    """What the catalogue knows, looked up once for the whole room; and each notebook's bytes read as cells once, since most of a class
    have many in common."""

    def __init__(self):
        self.rows = catalogue.lessons()
        self.exercises, self.predictions, self.solutions = {}, {}, {}
        for row in self.rows:
            try:
                self.exercises[row.number] = row.exercises()
                self.predictions[row.number] = row.predictions()
            except LabError:  # a lesson that is not written yet
                self.exercises[row.number], self.predictions[row.number] = {}, {}
            self.solutions[row.number] = {name: digest(each.solution) for name, each in self.exercises[row.number].items()}
        self._untouched: dict[bytes, int] = {}

    def cells(self, data: bytes) -> tuple[LearnerCell, ...] | None:
        """The cells; None for bytes that were read before and hold nothing that a learner did."""
        seal = hashlib.sha256(data).digest()
        if seal in self._untouched:
            return None
        cells = parse(data)
        if not any(cell.is_code and (cell.outputs or cell.count is not None) for cell in cells):
            self._untouched[seal] = 1
        return cells


def room(folder: Path | str) -> list[LearnerRow]:
    """One row a learner's folder in `folder`, by name; a single row where `folder` is itself a work folder.

    Raises BadArgument where there is no such folder, LabError where it cannot be listed or holds none.
    """
    top = Path(folder)
    if not top.exists():
        raise BadArgument(sentence("classroom", "room.missing", folder=safe(str(folder))))
    if not top.is_dir():
        raise BadArgument(sentence("classroom", "room.file", folder=safe(str(folder))))
    top = top.resolve()  # the folder that was asked for may be a link; nothing inside it is followed
    lessons = _Lessons()
    if _is_work(top, lessons):
        return [_learner(safe(top.name), top, (), lessons)]
    try:
        names = sorted((each.name for each in os.scandir(top)), key=lambda name: (name.casefold(), name))
    except OSError as error:
        raise LabError(sentence("classroom", "room.unreadable", folder=safe(str(folder)), reason=error.strerror)) from None
    rows = []
    for name in names:
        path = top / name
        if name.startswith(".") or _is_backups(name, names) or not (is_link(path) or path.is_dir()):
            continue
        rows.append(_row(path, lessons))
    if not rows:
        raise LabError(sentence("classroom", "room.empty", folder=safe(str(folder))))
    return rows


def _row(path: Path, lessons: _Lessons) -> LearnerRow:
    shown = safe(path.name)
    if is_link(path):
        return LearnerRow(shown, faults=(sentence("classroom", "room.link"),))
    try:
        found = _work_folders(path, lessons)
    except OSError as error:
        return LearnerRow(shown, faults=(sentence("classroom", "room.learner_unreadable", reason=error.strerror),))
    if not found:
        return LearnerRow(shown, faults=(sentence("classroom", "room.no_work"),))
    several = (sentence("classroom", "room.several", count=len(found), name=safe(found[0].name)),) if len(found) > 1 else ()
    return _learner(shown, found[0], several, lessons)


def _work_folders(path: Path, lessons: _Lessons, deep: int = _DEEP) -> list[Path]:
    """The work folders at `path` or below it, 'work' before others. Raises OSError where `path` itself cannot be listed."""
    with os.scandir(path) as entries:
        names = sorted(each.name for _, each in zip(range(_MANY), entries, strict=False))
    if _is_work(path, lessons):
        return [path]
    found = []
    for name in sorted(names, key=lambda name: (name != "work", name)) if deep else ():
        below = path / name
        if name.startswith(".") or _is_backups(name, names) or is_link(below) or not below.is_dir():
            continue
        try:
            found += _work_folders(below, lessons, deep - 1)
        except OSError:
            continue
    return found


def _is_backups(name: str, names: Sequence[str]) -> bool:
    return name.endswith("-backups") and name.removesuffix("-backups") in names


def _is_work(path: Path, lessons: _Lessons) -> bool:
    """By its marker, or by a lesson's notebook in it: some classes hand in the notebooks alone. The course's own folders are none."""
    try:
        if is_work_folder(path):
            return True
        own = path.name in ("notebooks", "snapshots") or path.parent.name == "snapshots"
        return not own and any((path / row.notebook).is_file() for row in lessons.rows)
    except OSError:
        return False


def _learner(name: str, work: Path, faults: tuple[str, ...], lessons: _Lessons) -> LearnerRow:
    said = list(faults)
    answers, guesses, exercises, predictions, furthest = {}, {}, 0, 0, ""
    for row in lessons.rows:
        if not os.path.lexists(work / row.notebook):
            continue
        exercises += len(lessons.exercises[row.number])
        predictions += len(lessons.predictions[row.number])
        try:
            cells = lessons.cells(read_bytes(work, row.notebook))
        except NotANotebook as error:
            said.append(sentence("classroom", "room.notebook", notebook=row.notebook, what=safe(str(error))))
            continue
        if cells is None:
            continue
        answers[row.number] = _answers(row, cells, lessons)
        guesses |= _guesses(row, cells, lessons)
        if any(cell.is_code and cell.count is not None for cell in cells):
            furthest = row.number
    guesses |= _kept_guesses(work, lessons)
    return LearnerRow(name, furthest, exercises, answers, guesses, predictions, _changed(work, lessons), tuple(said))


def _data(cell: LearnerCell, mime: str, lesson: str) -> Iterable[dict]:
    """The data of one kind in a cell's outputs, as far as it is what labkit writes."""
    for output in cell.outputs:
        data = output.get("data") if isinstance(output, dict) else None
        found = data.get(mime) if isinstance(data, dict) else None
        if isinstance(found, dict) and found.get("lesson") == lesson:
            yield found


def _answers(row: catalogue.Row, cells: Iterable[LearnerCell], lessons: _Lessons) -> dict[str, Found]:
    """Exercise -> the last answer that stands in the notebook. What was never checked is not in it."""
    found = {}
    exercises = lessons.exercises[row.number]
    for cell in cells:
        for data in _data(cell, ANSWER_MIME, row.number) if cell.is_code else ():
            name, status = data.get("exercise"), data.get("status")
            if not isinstance(name, str) or name not in exercises or status not in (CORRECT, NOT_YET, NOT_ATTEMPTED):
                continue
            given = cell.digest == lessons.solutions[row.number][name]
            found[name] = Found(status, data.get("digest") != cell.digest, given)
    return found


def _guesses(row: catalogue.Row, cells: Iterable[LearnerCell], lessons: _Lessons) -> dict:
    """(lesson, prediction) -> guess, of those that stand in the notebook."""
    found, predictions = {}, lessons.predictions[row.number]
    for cell in cells:
        if not cell.is_code or "predict" not in cell.source:
            continue
        for data in _data(cell, PREDICTION_MIME, row.number):
            name, guess = data.get("prediction"), data.get("guess")
            if not isinstance(name, str) or name not in predictions or data.get("status") not in ("noted", "kept"):
                continue
            if _can_stand(predictions[name], guess):
                found[row.number, name] = guess
    return found


def _kept_guesses(work: Path, lessons: _Lessons) -> dict:
    """(lesson, prediction) -> guess, of those that lesson.predict has written down beside the notebooks."""
    try:
        kept = json.loads(read_bytes(work, GUESSES, _GUESSES_LARGEST))
    except (NotANotebook, ValueError, RecursionError):
        return {}
    found = {}
    for row in lessons.rows:
        held = kept.get(row.number) if isinstance(kept, dict) else None
        for name, prediction in lessons.predictions[row.number].items() if isinstance(held, dict) else ():
            if name in held and _can_stand(prediction, held[name]):
                found[row.number, name] = held[name]
    return found


def _can_stand(prediction: Prediction, guess: object) -> bool:
    if isinstance(guess, bool) or not isinstance(guess, str | int | float):
        return False
    if isinstance(guess, int) and abs(guess) > 10**15:
        return False
    return prediction.fault(guess) is None


def _changed(work: Path, lessons: _Lessons) -> date | None:
    latest = None
    for path in [*(work / row.notebook for row in lessons.rows), work / GUESSES, work / STATE]:
        latest = _latest(path, latest)
    if not is_link(work / STATE):
        for here, folders, files in os.walk(work / STATE, followlinks=False):
            folders[:] = sorted(folders)[:_MANY]
            for name in sorted(files)[:_MANY]:
                latest = _latest(Path(here) / name, latest)
    try:
        return None if latest is None else date.fromtimestamp(latest)
    except (OverflowError, OSError, ValueError):
        return None


def _latest(path: Path, latest: float | None) -> float | None:
    try:
        when = os.lstat(path).st_mtime
    except (OSError, ValueError):
        return latest
    return when if latest is None else max(when, latest)


# --- what is printed ---------------------------------------------------------------------------------------------------------------------


def safe(text: str, longest: int = _LONGEST) -> str:
    """Somebody's text on one line, without anything that moves the cursor, turns the direction of writing or does not print; cut at
    `longest` characters."""
    one = "".join("·" if unicodedata.category(char) in _UNSEEN else char for char in " ".join(text.split()))
    return one if len(one) <= longest else one[: longest - 1] + "…"


_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")

COLUMNS = ("name", "furthest", "exercises", "correct", "not_yet", "not_attempted", "stale", "as_the_solution", "guesses", "predictions",
           "changed", "faults")  # fmt: skip


def as_csv(rows: Iterable[LearnerRow]) -> str:
    """A table for a spreadsheet: one header, one line a learner, LF. A text that a spreadsheet would take for a formula begins with '."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        values = row.as_dict() | {"faults": " ".join(row.faults)}
        writer.writerow([_cell(values[name]) for name in COLUMNS])
    return out.getvalue()


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return "" if value is None else value
    # the wide forms are read as their plain ones by some spreadsheets
    return f"'{value}" if unicodedata.normalize("NFKC", value[:1]) in ("=", "+", "-", "@", "|", "%") else value


@dataclass(frozen=True)
class Histogram:
    """The guesses of a room for one prediction: `bars` are (label, how many), in order; `silent` learners have not guessed."""

    lesson: str
    name: str
    title: str
    bars: tuple[tuple[str, int], ...]
    count: int
    silent: int

    def lines(self, width: int = 80) -> list[str]:
        """The bars as text, none wider than `width` columns: label, a bar of #, the number."""
        from labkit.show.tables import display_width

        if not self.bars:
            return []
        most = max(number for _, number in self.bars)
        digits = len(str(most))
        labels = [_cut(label, max(8, width // 2)) for label, _ in self.bars]
        widest = max(map(display_width, labels))
        room_left = max(1, width - widest - digits - 4)
        scale = min(1.0, room_left / max(most, 1))
        lines = []
        for label, (_, number) in zip(labels, self.bars, strict=True):
            bar = "#" * (max(1, round(number * scale)) if number else 0)
            pad = " " * (widest - display_width(label))
            lines.append(f"{pad}{label}  {number:>{digits}}  {bar}".rstrip())
        return lines


def _cut(text: str, width: int) -> str:
    from labkit.show.tables import display_width

    if display_width(text) <= width:
        return text
    while display_width(text) > width - 1:
        text = text[:-1]
    return text + "…"


def histogram(rows: Sequence[LearnerRow], wanted: str) -> Histogram:
    """The room's guesses for the prediction `wanted`, as '03.twice'. Raises BadArgument that names those that there are."""
    number, _, name = wanted.partition(".")
    known = {f"{row.number}.{each}": (row, each) for row in catalogue.lessons() for each in _predictions(row)}
    key = f"{number.strip().zfill(2)}.{name.strip()}"
    if key not in known:
        asked = name.strip() or wanted.strip()
        alike = [each for each in known if each.partition(".")[2] == asked] or get_close_matches(key if name else asked, known, n=1)
        near = f"did you mean {alike[0]}? " if alike else ""
        raise BadArgument(sentence("classroom", "room.unknown_guess", name=safe(wanted), near=near, names=", ".join(known)))
    row, name = known[key]
    prediction = row.predictions()[name]
    guesses = [each.guesses[row.number, name] for each in rows if (row.number, name) in each.guesses]
    title = row.texts()["predictions"][name]["title"]
    return Histogram(row.number, name, title, tuple(_bars(prediction, guesses)), len(guesses), len(rows) - len(guesses))


def _predictions(row: catalogue.Row) -> dict:
    try:
        return row.predictions()
    except LabError:
        return {}


_FEW = 10  # different numbers that get a bar each


def _bars(prediction: Prediction, guesses: Sequence) -> list[tuple[str, int]]:
    if prediction.kind == "choice":
        return [(choice, guesses.count(choice)) for choice in prediction.choices]
    if prediction.kind == "text":
        words = Counter(safe(str(each)).casefold() for each in guesses)
        return sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))[:20]
    numbers = sorted(float(each) for each in guesses)
    if len(set(numbers)) <= _FEW:
        return [(prediction.written(_whole(value)), count) for value, count in sorted(Counter(numbers).items())]
    # a guess far out must not press all others into one bar: the ends are open
    low, high = numbers[len(numbers) // 20], numbers[-1 - len(numbers) // 20]
    step = _round_step((high - low) / 8) if high > low else 1.0
    first, last = math.floor(low / step), math.floor(high / step)
    bars = []
    if numbers[0] < first * step:
        bars.append((sentence("classroom", "room.under", value=_edge(first * step)), sum(each < first * step for each in numbers)))
    for place in range(first, last + 1):
        label = sentence("classroom", "room.from_to", low=_edge(place * step), high=_edge((place + 1) * step))
        bars.append((label, sum(math.floor(each / step) == place for each in numbers)))
    if numbers[-1] >= (last + 1) * step:
        over = sum(math.floor(each / step) > last for each in numbers)
        bars.append((sentence("classroom", "room.over", value=_edge((last + 1) * step)), over))
    return bars


def _whole(value: float) -> float | int:
    return int(value) if value.is_integer() else value


def _edge(value: float) -> str:
    return f"{value:.10g}"


def _round_step(step: float) -> float:
    """The smallest of 1, 2, 2.5, 5 times a power of ten that is no smaller than `step`."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(times * power for times in (1, 2, 2.5, 5, 10) if times * power >= step * (1 - 1e-9))
