"""`labkit status`: where a learner stands, and the next thing to do.

It is found as `labkit check` finds it, by running the exercises again, and kept in one file of the work folder (.labkit-checked.json). What
is kept there is taken up only while the cells, the course's data, the state that the lesson starts from and labkit itself are the same;
a file that is damaged, or in the way, counts as none.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from labkit.errors import LabError
from labkit.files import write_atomically
from labkit.lessons import catalogue, checking, inside
from labkit.lessons import replay as replaying
from labkit.lessons.answers import CORRECT, NOT_ATTEMPTED, NOT_YET
from labkit.lessons.checking import STATUSES, Answer, Checked
from labkit.lessons.learner_notebook import LearnerCell
from labkit.lessons.texts import sentence
from labkit.lessons.workfolder import STATE

CACHE = ".labkit-checked.json"
_FORM = 1  # of what is kept: another form is not read
_PASSING = ("cell-endless", "cell-ended", "cell-not-run", "endless", "slow", "broken")  # may come out otherwise on a quieter machine


@dataclass(frozen=True)
class Step:
    """The next thing to do, and why, each in one sentence. `lesson` and `exercise` say what it is about, None where nothing is left."""

    what: str
    why: str
    lesson: str | None = None
    exercise: str | None = None


@dataclass(frozen=True)
class Status:
    """The lessons in a learner's folder, in order, and the next thing to do."""

    lessons: tuple[Checked, ...]
    next: Step


def status(work: Path, course: Path | None, *, say: Callable[[str], None] = lambda text: None) -> Status:
    """The lessons in `work`, each checked as `check` does, or taken from what was kept where nothing has changed since."""
    course_digest = _digest_of(_course_files(course), course) if course is not None else ""
    own = _digest_of(_own_modules(work), work)
    kept = _kept(work)
    lessons, keys = [], {}
    for row in checking.opened(work):
        cells, fault = checking.read(work, row)
        if fault is None:
            keys[row.number] = _key(work, row, cells, course_digest, own)
            held = kept.get(row.number, {})
            fault = _from_kept(row, held.get("checked")) if held.get("key") == keys[row.number] else None
        lessons.append((row, cells, fault))
    limits = {"cell_seconds": replaying.CELL_SECONDS, "lesson_seconds": replaying.LESSON_SECONDS}
    found = tuple(checking.checked(work, course, lessons, say, limits))
    now = {each.lesson: {"key": keys[each.lesson], "checked": asdict(each)} for each in found if each.lesson in keys and _lasting(each)}
    if now != kept:
        _keep(work, now)
    return Status(found, next_step(found, work))


def _lasting(checked: Checked) -> bool:
    return checked.fault is None and not any(each.mistake in _PASSING for each in checked.answers)


def next_step(lessons: Sequence[Checked], work: Path) -> Step:
    """The next thing to do: mend what cannot be read, finish the furthest lesson that was begun, begin the one after it, go back to what
    was passed over. The state that a lesson lacks comes before the lesson itself."""
    say = _step_words
    if not lessons:
        return Step(say("open"), say("open_why"))
    broken = next((each for each in lessons if each.fault), None)
    if broken:
        return Step(say("mend", notebook=broken.notebook), say("mend_why", what=broken.fault), broken.lesson)
    begun = [each for each in lessons if each.begun]
    here = begun[-1] if begun else None
    if here and not here.done:
        answer = next((each for each in here.answers if each.status == NOT_YET), None)
        answer = answer or next(each for each in here.answers if each.status == NOT_ATTEMPTED)
        why = "not_yet_why" if answer.status == NOT_YET else "open_exercise_why"
        left = sum(each.status != CORRECT for each in here.answers)
        what = say("exercise", exercise=answer.exercise, notebook=here.notebook)
        return Step(what, say(why, number=here.lesson, count=left), here.lesson, answer.exercise)
    after = lessons.index(here) + 1 if here else 0
    waiting = [each for each in (*lessons[after:], *lessons[:after]) if not each.done]
    if not waiting:
        rest = [row for row in catalogue.lessons() if row.number > lessons[-1].lesson]
        return Step(say("all"), say("all_why", count=len(lessons)) if not rest else say("open_more_why", number=lessons[-1].lesson))
    new = waiting[0]
    lacking = [(maker, name) for name, maker in catalogue.row(new.lesson).needs().items() if not (work / STATE / name).is_file()]
    if lacking:
        maker, name = lacking[0]
        return Step(say("state", number=maker), say("state_why", notebook=new.notebook, name=f"{STATE}/{name}"), new.lesson)
    minutes = catalogue.row(new.lesson).minutes
    if here is None:
        return Step(say("begin", notebook=new.notebook), say("first_why", minutes=minutes), new.lesson)
    why = say("begin_why", number=here.lesson, minutes=minutes) if new.lesson > here.lesson else say("back_why")
    return Step(say("begin", notebook=new.notebook), why, new.lesson)


def _step_words(key: str, **values) -> str:
    return sentence("classroom", f"next.{key}", **values)


# what was found is kept, and taken up only while all that it rests on is the same


def _key(work: Path, row: catalogue.Row, cells: Sequence[LearnerCell], course: str, own: str) -> str:
    from labkit import __version__

    rests_on = [
        _FORM, __version__, _engine_digest(), sys.version_info[:3], row.number, course, own, _content_digest(row),
        [(cell.id, cell.kind, cell.source) for cell in cells if cell.is_code or cell.id.startswith("exercise-") or ".check" in cell.source],
        [(name, _digest_of([work / STATE / name], work)) for name in sorted(row.needs())],
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(rests_on, ensure_ascii=True).encode()).hexdigest()


def _engine_digest() -> str:
    """labkit's own files: a pull of the course changes them, and the version seldom."""
    package = Path(__file__).resolve().parents[1]
    return _digest_of((path for path in package.rglob("*") if path.suffix in (".py", ".toml")), package)


def _content_digest(row: catalogue.Row) -> str:
    """A lesson of another course on this engine: its module and its texts stand elsewhere."""
    if not row.content:
        return ""
    place = Path(row.module().__file__).resolve().parent.parent
    return _digest_of((path for path in place.rglob("*") if path.suffix in (".py", ".toml")), place)


def _course_files(course: Path) -> Iterable[Path]:
    return (path for part in ("corpus", "questions") for path in (course / part).rglob("*") if not path.name.startswith("."))


def _own_modules(work: Path) -> Iterable[Path]:
    """Python files that the learner may have written beside their notebooks, and import there."""
    return (path for path in work.glob("*.py"))


def _digest_of(files: Iterable[Path], top: Path) -> str:
    found = hashlib.sha256()
    for path in sorted(files):
        if path.is_file() and not inside.is_link(path):
            with contextlib.suppress(OSError):
                data = path.read_bytes()
                found.update(f"{path.relative_to(top).as_posix()}\0{len(data)}\0".encode("utf-8", "surrogatepass") + data)
    return found.hexdigest()


def _kept(work: Path) -> dict[str, dict]:
    """What the file holds, where it is one of ours; nothing otherwise."""
    found = inside.json_in(work, CACHE)
    if not isinstance(found, dict) or found.get("form") != _FORM or not isinstance(found.get("lessons"), dict):
        return {}
    return {number: held for number, held in found["lessons"].items() if isinstance(held, dict)}


def _from_kept(row: catalogue.Row, data: object) -> Checked | None:
    """A kept result, where each part of it is what it should be; None for anything else, which is then found anew."""
    texts = row.texts()["exercises"]
    try:
        if (data["lesson"], data["notebook"], data["fault"], data["mend"]) != (row.number, row.notebook, None, None):
            return None
        answers = tuple(Answer(**{**each, "notes": tuple(each["notes"])}) for each in data["answers"])
        notes = tuple(data["notes"])
    except (KeyError, TypeError, AttributeError):
        return None
    good = [each.exercise for each in answers] == list(row.exercises()) and all(isinstance(note, str) for note in notes)
    for each in answers if good else ():
        parts = (each.title, each.text, *each.notes, *(part for part in (each.mistake, each.value, each.code) if part is not None))
        good = good and all(isinstance(part, str) for part in parts) and each.status in STATUSES
        good = good and each.title == texts[each.exercise]["title"]
    return Checked(row.number, row.title, row.notebook, answers, notes=notes) if good else None


def _keep(work: Path, lessons: Mapping) -> None:
    """Writes it down where that is possible: without it, the next `status` only takes longer."""
    with contextlib.suppress(OSError, LabError):
        path = inside.place(work, CACHE)
        write_atomically(path, json.dumps({"form": _FORM, "lessons": lessons}, ensure_ascii=False, sort_keys=True) + "\n")
