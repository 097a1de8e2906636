"""The report on a folder: which chunker and which search serve these documents, at equal budget, with intervals (lesson 15).

    report = make_report("my-documents")

What stands in it, part by part: docs/report.md.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from labkit import __version__
from labkit.collection import Document
from labkit.errors import BadArgument, FaultsError
from labkit.own.against import compared_with
from labkit.own.material import Material, check_gold, load_material
from labkit.own.methods import methods_of
from labkit.own.settings import Settings, load_settings
from labkit.own.work import FOLDER, STAGES, stages_of
from labkit.questions import Question, Relevant
from labkit.stages import Pipeline, Progress

__all__ = ["STAGES", "bring_up_to", "make_report", "prepared"]


def make_report(
    folder: Path | str,
    *,
    start: str | None = None,
    against: tuple[str, dict] | None = None,
    progress: Progress | None = None,
) -> dict:
    """Everything that a report says of this folder, as JSON knows it; the same for the same files, wherever and whenever it is made.

    Stages that are finished and up to date are not done again; `start` names one (read, cut, index, search, score) from which on they are.
    `against`: (name, an earlier report): what is better and what is worse since. `progress(stage, done, of, what)` is told how it goes.
    The verdict is left empty: labkit.own.verdict reads it off the report.

    Raises FaultsError with every fault of labkit.toml, inventory and questions, StageError where a stage before `start` is missing or
    another labkit works in the folder.
    """
    settings = load_settings(folder)
    material = load_material(folder, settings)
    with prepared(material, settings, progress) as work:
        folders = _run(work, material, start)
        read = _load(folders["read"] / "documents.json")
        cut = _load(folders["cut"] / "readings.json")
        scores = _load(folders["score"] / "scores.json")
    report = {
        "labkit": __version__,
        "collection": _collection(material, read, cut, settings),
        "questions": _questions(material),
        "settings": settings.as_dict(),
        "methods": _methods(settings, cut),
        **{name: scores[name] for name in ("scores", "comparisons", "misses", "per_question", "power")},
        "verdict": [],
        "against": None,
    }
    if against is not None:
        report["against"] = compared_with(report, *against)
    return report


def bring_up_to(folder: Path | str, last: str, *, start: str | None = None, progress: Progress | None = None) -> None:
    """Does the stages up to `last`, and makes no report of them: those that are out of date, or from `start` on. With one name for both,
    that stage alone is done again. Errors as for `make_report`, and BadArgument where `start` comes after `last`."""
    if start is not None and STAGES.index(start) > STAGES.index(last):
        raise BadArgument(f"from {start} to {last}: {last} comes before {start} — the order is {', '.join(STAGES)}")
    settings = load_settings(folder)
    material = load_material(folder, settings)
    with prepared(material, settings, progress) as work:
        _run(work, material, start, last)


def _run(work: Pipeline, material: Material, start: str | None, last: str | None = None) -> dict[str, Path]:
    """The folders of the finished stages. What was read is compared with the gold before anything is cut."""
    first, second, *_ = STAGES
    folders = work.run(start=start, last=first)
    if last == first:
        return folders
    _check(material, work)
    return work.run(start=second if start == first else start, last=last)


@contextmanager
def prepared(material: Material, settings: Settings, progress: Progress | None = None) -> Iterator[Pipeline]:
    """The folder's stages, ready to run, for this process alone."""
    with Pipeline(material.folder / FOLDER, stages_of(material, settings), progress) as work:
        yield work


def _check(material: Material, work: Pipeline) -> None:
    """Questions whose gold does not exist are refused before anything is cut: a score over them would be about something else."""
    faults = [fault for fault in check_gold(material, work.folder / "kept") if fault.level == "error"]
    if faults:
        raise FaultsError(faults)


# --- parts of the report ----------------------------------------------------------------------------------------------------------------


def unreadable(read: Sequence[dict]) -> list[dict]:
    """A row for everything that the stage read could not read; `read`: its documents.json. `searched`: whether the rest of the file is."""
    return [
        {"file": row["file"], "line": row["line"], "searched": row["read"], "chunker": None, **problem}
        for row in read
        for problem in row["problems"]
    ]


def _collection(material: Material, read: Sequence[dict], cut: Sequence[dict], settings: Settings) -> dict:
    missing = unreadable(read)
    by_name = {(row["doc_id"], row["version"]): row for row in read}
    for setting, readings in zip(settings.chunkers, cut, strict=True):
        for failed in readings["failed"]:
            row = by_name[failed["doc_id"], failed["version"]]
            what = f"the chunker {setting.name!r} could not cut it: {failed['what']}"
            todo = "mend the chunker; until then its scores are without this document"
            where = {"file": row["file"], "line": row["line"], "searched": False, "chunker": setting.name, "page": None}
            missing.append(where | {"what": what, "todo": todo})
    return {
        "name": material.name,
        "documents": len(read),
        "unreadable": missing,
        "words": sum(row["words"] for row in read),
        **{f"{label}s" if label != "access" else label: _counted(row[label] for row in read) for label in ("format", "language", "access")},
    }


def _questions(material: Material) -> dict:
    questions = material.questions
    scored = sum(bool(question.relevant) for question in questions)
    editions: dict[str, list[Document]] = {}
    for document in material.documents:
        editions.setdefault(document.doc_id, []).append(document)
    return {
        "n": len(questions),
        "scored": scored,
        "unanswerable": len(questions) - scored,
        "kinds": _counted(question.kind for question in questions),
        "files": list(material.files),
        "asked": {question.id: {"question": question.question, "language": question.language} for question in questions},
        "digests": {question.id: digest_of(question, editions) for question in questions},
    }


def digest_of(question: Question, editions: Mapping[str, Sequence[Document]]) -> str:
    """Eight hex digits over what makes a question the same one for a comparison: its text, its gold, and which editions of the documents
    that answer hold on its day. `editions`: doc_id -> its editions. A quote is the same gold wherever it stands now.

    The day itself is no part of it: where nobody wrote one it moves on with the calendar, or with the newest document, and a question
    that means the same today as yesterday is the same one.
    """
    named = sorted({entry.doc_id for entry in question.relevant})
    hold = [[name, sorted(each.version for each in editions.get(name, ()) if each.in_force(question.as_of))] for name in named]
    facts = [question.question, hold, [_gold(entry) for entry in question.relevant]]
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()[:8]


def _gold(entry: Relevant) -> dict:
    """What an entry says, without the place of a quote: a document that grew above it, or a span written down, changes no question."""
    said = asdict(entry)
    return {name: value for name, value in said.items() if name not in ("start", "end")} if entry.quote else said


def _methods(settings: Settings, cut: Sequence[dict]) -> list[dict]:
    names = ("chunks", "median_words", "words_stored", "tables", "begins_inside", "sections_per_chunk", "over_limit")
    return [
        {"name": method.name, "chunker": str(method.chunker.chunker), "search": str(method.search)}
        | {name: cut[method.chunker_place - 1][name] for name in names}
        for method in methods_of(settings)
    ]


def _counted(values) -> dict[str, int]:
    return dict(sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0])))


def _load(path: Path):
    return json.loads(path.read_text("utf-8", "surrogatepass"))
