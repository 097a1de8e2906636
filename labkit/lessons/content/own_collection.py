"""Lesson 15's exercise: the learner's own inventory and fifteen questions, looked through by what `labkit validate` looks with.

And the small collections that the lesson brings, laid into folders that go away by themselves.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from labkit.course import course_folder
from labkit.errors import CourseNotFound, Fault, LabError
from labkit.files import write_atomically
from labkit.lessons.answers import CORRECT, NOT_YET, Outcome
from labkit.lessons.content.own_questions import SAID_OTHERWISE
from labkit.lessons.exercises import Exercise
from labkit.lessons.session import gone_afterwards
from labkit.lessons.texts import fill
from labkit.lessons.workfolder import is_work_folder

INVENTORY, QUESTIONS = "inventory.csv", "questions.md"
LONG = 40  # words of a quote that is no row of a table
CLUB, SAMPLE = "heron-reach", "flour-street"

# --- collections that the lesson brings -------------------------------------------------------------------------------------------------


class Laid(type(Path())):
    """A folder of one of the lesson's collections. A path like any other; only a display of it does not name the machine's folders."""

    def __repr__(self) -> str:
        return f"{self.name}/"


@cache
def _ground() -> Path:
    """Where collections are laid: a folder that is gone when this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="labkit-own-"))
    gone_afterwards(folder)
    return folder


def lay_out(name: str, *parts: str, changes: Mapping[str, Sequence[tuple[str, str]]] | None = None) -> Laid:
    """A fresh copy of corpus/<name>, without its sources, in a folder of that name: all of it, or only these parts ('documents').

    `changes`: file -> pairs of (old, new) text; old must stand there once. Raises CourseNotFound, and LabError for a change that does not
    fit.
    """
    folder = Laid(Path(tempfile.mkdtemp(dir=_ground())) / name)
    folder.mkdir()
    add(folder, *(parts or sorted(each.name for each in _source(name).iterdir() if each.name != "sources")), changes=changes)
    return folder


def add(folder: Path, *parts: str, changes: Mapping[str, Sequence[tuple[str, str]]] | None = None) -> None:
    """Lays these parts of the collection of the folder's name into it, over what is there. `changes` as for `lay_out`."""
    for part in parts:
        source, target = _source(folder.name) / part, folder / part
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        else:
            shutil.copyfile(source, target)
    for file, pairs in (changes or {}).items():
        text = (folder / file).read_bytes().decode("utf-8")
        for old, new in pairs:
            if text.count(old) != 1:
                raise LabError(f"{file} holds {old!r} {text.count(old)} times; a change needs it once")
            text = text.replace(old, new)
        (folder / file).write_bytes(text.encode("utf-8"))


def keep(folder: Path) -> bool:
    """Copies a laid folder beside a learner's notebook, so that its files can be opened there; whether it did.

    Nothing is written where a folder of that name is already, or outside of a work folder. What a report keeps for itself (.labkit) stays
    behind.
    """
    target = Path.cwd() / folder.name
    if not is_work_folder(Path.cwd()) or os.path.lexists(target):
        return False
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns(".*"))
    return True


def write_report(report: dict, folder: Path) -> str:
    """Writes report.html, report.csv and report.json into the folder, as `labkit report` does; returns the page."""
    from labkit.own.report_csv import csv_of
    from labkit.own.report_page import page_of
    from labkit.own.verdict import verdict_of

    report["verdict"] = verdict_of(report)
    page = page_of(report)
    data = json.dumps(report, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    for suffix, text in (("html", page), ("csv", csv_of(report)), ("json", data)):
        write_atomically(folder / f"report.{suffix}", text.encode("utf-8", "backslashreplace"))
    return page


def _source(name: str) -> Path:
    return course_folder() / "corpus" / name


# --- the exercise -----------------------------------------------------------------------------------------------------------------------


class OwnCollectionExercise(Exercise):
    """The learner hands over a folder, by its name: an inventory, the documents, and questions by the recipe.

    There is no one right answer. Looked at, in this order: that the folder is there; every fault that `labkit validate` names; that what
    nobody knows is called unknown; the recipe's counts, of tables and versions only where the documents have any; then what makes a set of
    questions say nothing, by the measures of labkit.own.advice. The first thing to mend is told, with {fault}, {value}, {wanted}, {which}.
    """

    kind = "collection"

    def judge(self, answer, texts, blanks, fresh):
        """See Exercise.judge."""
        looked = _Look(answer)
        found = next(looked.faults(), None)
        if found is not None:
            key, values = found
            return Outcome(NOT_YET, self.said(texts, key, **({"fault": "", "value": "", "wanted": "", "which": ""} | values)), key)
        said = [fill(texts["correct"], **looked.numbers)]
        said += [fill(texts["notes"][note], **looked.numbers) for note in looked.notes]
        return Outcome(CORRECT, " ".join(said), None, str(looked.numbers["questions"]))


_KINDS_OF_FAULT = (
    (QUESTIONS, "no-questions", r"holds no question yet|there are no questions"),
    (QUESTIONS, "no-gold", r"has no gold yet"),
    (QUESTIONS, "quote", r"the quote .* (?:does not stand in|stands \d+ times)|no quote stands below"),
    (QUESTIONS, "place", r"there is no (?:document|version)|has no section|which version of|where names no document"),
    (QUESTIONS, "not-in-force", r"is not in force on"),
    (INVENTORY, "empty-cell", r"\w+ is empty$"),
    (INVENTORY, "access-label", r"unknown access label"),
    (INVENTORY, "two-versions", r"two versions of .* are in force|stands in line \d+ already"),
    (INVENTORY, "no-file", r"there is no such file"),
    ("", "unlisted", r"is not in the inventory"),
)
_WARNINGS_THAT_COUNT = ("unlisted", "not-in-force")
_OF_THE_INVENTORY = ("empty-cell", "access-label", "two-versions", "no-file", "inventory", "settings", "unlisted")

Found = tuple[str, dict]


class _Look:
    """Looks a folder through. `numbers` and `notes` are what the message about a good one says."""

    def __init__(self, answer: object):
        self.answer = answer
        self.numbers: dict[str, object] = {}
        self.notes: list[str] = []

    def faults(self) -> Iterator[Found]:
        """(key of a message, its fields) of each thing to mend; the first one counts."""
        folder, found = _folder(self.answer)
        if found:
            yield found
            return
        from labkit.own.advice import advise
        from labkit.own.examining import examine

        held, faults = examine(folder)
        told = list(_said_by_labkit(faults, folder))
        yield from (each for each in told if each[0] in _OF_THE_INVENTORY)
        yield from _guesses(held.documents)
        yield from told
        yield from _answers(held.questions)
        if _are_those_of(CLUB, held.questions):
            yield "the-clubs", {}
        if _are_those_of(SAMPLE, held.questions) and not isinstance(self.answer, Laid):
            yield "the-schools", {}
        given = advise(held)
        advice = {each.kind: each for each in given.advice}
        yield from self._recipe(held, advice, given.measured)
        yield from _says_nothing(advice, given.measured)
        yield from _quotes(held.questions, given.measured)
        self._count(held, given)

    def _recipe(self, held, advice: Mapping, measured: Mapping) -> Iterator[Found]:
        from labkit.own.advice import CODE, ENOUGH, QUESTIONS, TABLE, UNANSWERABLE, VERSION

        n, scored = len(held.questions), measured["questions"]["scored"]
        if n < QUESTIONS:
            yield "few", {"value": n, "wanted": QUESTIONS}
        if "unanswerable" in advice:
            yield "few-unanswerable", {"value": measured["questions"]["unanswerable"], "wanted": UNANSWERABLE}
        if scored < ENOUGH:
            yield "few-scored", {"value": scored, "wanted": ENOUGH}
        if "version" in advice:
            yield "few-versions", {"value": len(measured["versions"]["questions"]), "wanted": VERSION}
        if "code" in advice:
            yield "few-codes", {"value": len(measured["codes"]["questions"]), "wanted": CODE}
        if "table" in advice and measured["tables"]["documents"]:
            yield "no-table", {"value": measured["tables"]["documents"], "wanted": TABLE}
        versions = measured["versions"]
        self.notes += ["no-table"] if not measured["tables"]["documents"] else []
        self.notes += ["no-version"] if not versions["documents_with_several"] and not versions["ended"] else []

    def _count(self, held, given) -> None:
        measured = given.measured
        first = measured["ranks"]["rank_1"]
        best = max(first, key=first.get)
        counts = measured["questions"]
        self.numbers = {
            "questions": counts["n"], "scored": counts["scored"], "unanswerable": counts["unanswerable"],
            "documents": len(held.documents), "points": f"{measured['power']['sees_points']:.0f}",
            "first": first[best], "best": best, "more": len(given.advice),
        }  # fmt: skip


def _folder(answer: object) -> tuple[Path, Found | None]:
    """(the folder, what is wrong with it)."""
    if not isinstance(answer, str | Path) or not str(answer).strip():
        return Path(), ("not-a-folder", {"value": type(answer).__name__})
    folder = Path(str(answer).strip()).expanduser()
    shown = folder.name or "."
    try:
        if folder.is_file():
            return folder, ("a-file", {"value": shown})
        if not folder.is_dir():
            return folder, ("no-folder", {"value": shown})
    except (OSError, ValueError):
        return folder, ("no-folder", {"value": shown})
    with suppress(CourseNotFound):
        if folder.resolve().is_relative_to((course_folder() / "corpus").resolve()):
            return folder, ("in-the-course", {"value": shown})
    if not (folder / INVENTORY).exists():
        return folder, ("no-inventory", {"value": shown})
    return folder, None


def _said_by_labkit(faults: Sequence[Fault], folder: Path) -> Iterator[Found]:
    """The faults that labkit names, each under the kind of mistake that it is; errors first."""
    known = [(fault, _kind_of(fault)) for fault in faults]
    errors = [each for each in known if each[0].level == "error"]
    counted = errors + [each for each in known if each[0].level != "error" and each[1] in _WARNINGS_THAT_COUNT]
    for fault, kind in counted:
        where = _inside(fault.file, folder) + ("" if fault.line is None else f", line {fault.line}")
        said = f"{where}: {fault.what}" + (f" ({fault.todo})" if fault.todo else "")
        yield kind, {"fault": said, "value": len(counted), "which": where}


def _kind_of(fault: Fault) -> str:
    name = Path(fault.file).name
    for file, kind, pattern in _KINDS_OF_FAULT:
        if (not file or (name == INVENTORY) == (file == INVENTORY)) and re.search(pattern, fault.what):
            return kind
    return "inventory" if name == INVENTORY else "settings" if name == "labkit.toml" else "questions"


def _inside(file: str, folder: Path) -> str:
    """A file as it is named from the folder, whatever it was called from elsewhere."""
    with suppress(ValueError, OSError):
        return Path(file).resolve().relative_to(folder.resolve()).as_posix()
    return Path(file).name


def _guesses(documents: Sequence) -> Iterator[Found]:
    from labkit.own.starting import guesses_in

    guessed = [each for each in documents if guesses_in(each.doc_type)]
    if guessed:
        yield "guesses", {"value": len(guessed), "which": guessed[0].line}
    for each in documents:
        for column in ("owner", "version", "doc_type"):
            if _otherwise(getattr(each, column)):
                yield "said-otherwise", {"value": getattr(each, column), "which": f"{column} in line {each.line}"}


def _answers(questions: Sequence) -> Iterator[Found]:
    """An answer to what nothing answers is a guess; an unknown answer to what has a place is none."""
    for each in questions:
        answer = each.reference_answer
        if each.abstain and answer.strip() and _folded(answer) != "unknown":
            key = "unknown-otherwise" if _otherwise(answer) else "a-guess"
            yield key, {"value": answer, "which": each.id}
        elif not each.abstain and (_folded(answer) == "unknown" or _otherwise(answer)):
            yield "no-answer", {"value": answer, "which": each.id}


def _folded(text: str) -> str:
    return text.strip().rstrip(".!").lower().replace("’", "'")


def _otherwise(text: str) -> bool:
    return _folded(text) in (*SAID_OTHERWISE, "-", "–", "—", "x", "tbd", "na", "not sure", "nobody", "anybody's guess")


def _are_those_of(name: str, questions: Sequence) -> bool:
    """Whether these are the questions of a collection that the lesson brings."""
    from labkit.questions import load_questions

    with suppress(CourseNotFound):
        theirs = {each.question for each in load_questions(_source(name) / QUESTIONS)}
        return sum(each.question in theirs for each in questions) > len(questions) / 2
    return False


def _says_nothing(advice: Mapping, measured: Mapping) -> Iterator[Found]:
    """What makes a whole set say nothing, though each question in it is well made."""
    if "duplicate" in advice:
        yield "duplicate", {"which": ", ".join(advice["duplicate"].about)}
    if "rank-1" in advice and (all_ := advice["rank-1"].numbers) and all_["n"] in all_["rank_1"].values():
        best = next(name for name, first in all_["rank_1"].items() if first == all_["n"])
        yield "too-easy", {"value": all_["n"], "which": best}
    if "wording" in advice:
        numbers = advice["wording"].numbers
        yield "wording", {"value": numbers["close"], "wanted": numbers["n"], "which": ", ".join(advice["wording"].about[:3])}
    if "not-found" in advice:
        yield "not-found", {"value": measured["ranks"]["n"], "wanted": measured["ranks"]["depth"]}
    if "same-place" in advice:
        yield "same-place", {"which": ", ".join(advice["same-place"].about)}


def _quotes(questions: Sequence, measured: Mapping) -> Iterator[Found]:
    rows = set(measured["tables"]["questions"])
    for each in questions:
        longest = max((len(entry.quote.split()) for entry in each.relevant), default=0)
        if longest > LONG and each.id not in rows:
            yield "long-quote", {"which": each.id, "value": longest}
