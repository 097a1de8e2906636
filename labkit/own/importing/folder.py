"""From documents and questions in memory to a folder that labkit works on; nothing that is there is written over (lesson 15).

What the source does not say stays unsaid: version, owner and type are 'unknown', access is 'staff', `effective_from` is 0001-01-01 for
"always", an answer that nobody wrote is 'unknown'. The day of the questions is the day of the import, written down once.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from labkit.collection import INVENTORY
from labkit.errors import Fault, FaultsError, LabError
from labkit.files import write_atomically
from labkit.own.guessing import UNKNOWN, language_of
from labkit.own.settings import DEFAULT_TOML, SETTINGS
from labkit.own.starting import ALWAYS, CLOSED, DOCUMENTS, README, inventory_text
from labkit.own.starting_texts import readme_text
from labkit.passages import slug
from labkit.textfiles import shown

QUESTIONS = "questions.jsonl"
_ID = re.compile(r"[^\W_][\w.-]*")
_LONGEST_NAME = 80  # characters of a file's name, of at most 4 bytes each and fewer than any file system's limit


class SourceError(FaultsError):
    """What somebody else made cannot be imported as it stands."""


@dataclass(frozen=True)
class NewDocument:
    """A document that is to be written as Markdown, its text as it stands here."""

    doc_id: str
    title: str
    text: str


@dataclass(frozen=True)
class Answer:
    """Where an answer stands: characters `start` to `end` (code points, half-open) of the document's text."""

    doc_id: str
    start: int
    end: int


@dataclass
class NewQuestion:
    """A question that is to be written; `id` is the source's own, or ''. No answer means that the source calls it unanswerable."""

    id: str
    text: str
    answers: list[Answer] = field(default_factory=list)
    reference: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Imported:
    """What an import made: how many documents and questions, the files written, and what was left out, as warnings."""

    folder: Path
    documents: int
    questions: int
    unanswerable: int
    written: tuple[str, ...]
    left_out: tuple[Fault, ...] = ()


class Names:
    """An id for each document that can stand in an inventory and as a file's name, different from the others without regard to capitals."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def new(self, wish: str) -> str:
        """The id nearest to the source's own: itself where it can be, else its letters and digits with hyphens between."""
        base = wish if _ID.fullmatch(wish) and len(wish) <= _LONGEST_NAME else slug(wish)[:_LONGEST_NAME].strip("-")
        name, number = base, 1
        while name.casefold() in self._taken:
            number += 1
            name = f"{base}-{number}"
        self._taken.add(name.casefold())
        return name


def ids_of_questions(wishes: Iterable[str]) -> list[str]:
    """An id for each question, in order, all different: the source's own where it can be one, else that with hyphens for its blanks; for ''
    its place, Q01 for the first. What is taken gets a number behind it, and never from a question that has it in its own right."""
    wishes = list(wishes)
    taken = {wish for wish in wishes if "".join(wish.split()) == wish}
    given: set[str] = set()
    found = []
    for place, wish in enumerate(wishes, start=1):
        base = name = "-".join(wish.split()) or f"Q{place:02}"
        number = 1
        while name in given or (name in taken and name != wish):
            number += 1
            name = f"{base}-{number}"
        given.add(name)
        found.append(name)
    return found


def refuse_if_taken(folder: Path, *names: str) -> None:
    """Raises LabError where one of these files is in the folder: an import writes over nothing."""
    there = [name for name in names if os.path.lexists(folder / name)]
    if there:
        raise LabError(f"{shown(folder)}: {' and '.join(there)} {'is' if len(there) == 1 else 'are'} there already, and nothing is "
                       f"written over — name a new folder, or move {'it' if len(there) == 1 else 'them'} away")  # fmt: skip


def write_folder(folder: Path, documents: Iterable[NewDocument], questions: Iterable[NewQuestion], left_out: Iterable[Fault]) -> Imported:
    """Writes documents/, questions.jsonl, labkit.toml, a README, and the inventory last, so that a folder with one is whole.

    Raises LabError where something is in the way or cannot be written.
    """
    refuse_if_taken(folder, INVENTORY, QUESTIONS)
    documents, questions = list(documents), list(questions)
    rows = []
    for each, name in zip(questions, ids_of_questions(each.id for each in questions), strict=True):
        each.id = name
    try:
        (folder / DOCUMENTS).mkdir(parents=True, exist_ok=True)
        for each in documents:
            file = f"{DOCUMENTS}/{each.doc_id}.md"
            data = each.text.encode()
            if not write_atomically(folder / file, data, overwrite=False) and (folder / file).read_bytes() != data:
                raise LabError(f"{shown(folder / file)}: another file is there already — name a new folder")
            rows.append(_row(each, file))
        texts = {each.doc_id: each.text for each in documents}
        written = [QUESTIONS]
        write_questions(folder, [record(each, texts) for each in questions])
        for name, text in ((SETTINGS, DEFAULT_TOML), (README, readme_text("`labkit import`"))):
            if write_atomically(folder / name, text, overwrite=False):
                written.append(name)
        write_atomically(folder / INVENTORY, inventory_text(rows), overwrite=False)
    except OSError as error:
        raise LabError(f"{shown(folder)}: cannot be written ({error.strerror or error}) — check space and permissions") from None
    unanswerable = sum(not each.answers for each in questions)
    return Imported(folder, len(rows), len(questions), unanswerable, (INVENTORY, *written), tuple(left_out))


def write_questions(folder: Path, records: Iterable[dict]) -> None:
    """Writes questions.jsonl; raises LabError where it is there."""
    text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records)
    if not write_atomically(folder / QUESTIONS, text, overwrite=False):
        refuse_if_taken(folder, QUESTIONS)


def record(question: NewQuestion, texts: dict[str, str], *, editions: dict[str, tuple[str, str]] | None = None) -> dict:
    """A question as a line of questions.jsonl. `texts`: the documents' by doc_id; `editions`: version and access by doc_id, where known."""
    relevant = []
    for each in question.answers:
        version, access = (editions or {}).get(each.doc_id, (UNKNOWN, CLOSED))
        entry = {
            "doc_id": each.doc_id, "version": version, "section": "", "access": access,
            "quote": texts[each.doc_id][each.start : each.end], "start": each.start, "end": each.end,
        }  # fmt: skip
        if entry not in relevant:
            relevant.append(entry)
    return {
        "id": question.id, "question": question.text, "language": language_of(question.text),
        "kind": "answerable" if relevant else "unanswerable", "as_of": str(date.today()),
        "public_ok": not relevant or any(each["access"] == "public" for each in relevant), "abstain": not relevant,
        "reference_answer": question.reference or (UNKNOWN if relevant else ""), "keys": [], "must_not": [], "relevant": relevant,
        "wrong_version": [], "tags": list(question.tags), "notes": "",
    }  # fmt: skip


def judge(faults: list[Fault], broken: list[Fault], leave_out: bool) -> None:
    """Raises SourceError for `faults` (the source is none of its kind), and for `broken` questions unless they are to be left out."""
    if faults or (broken and not leave_out):
        raise SourceError([*faults, *([] if leave_out else broken)])


def readable(text: object) -> bool:
    """Whether this is a text that UTF-8 can hold."""
    return isinstance(text, str) and not any("\ud800" <= character <= "\udfff" for character in text)


def _row(document: NewDocument, file: str) -> dict[str, str]:
    language = language_of(document.text)
    return {
        "file": file, "doc_id": document.doc_id, "title": " ".join(document.title.split()) or document.doc_id, "version": UNKNOWN,
        "effective_from": ALWAYS, "effective_to": "", "owner": UNKNOWN, "access": CLOSED, "language": language,
        "doc_type": UNKNOWN if language == UNKNOWN else f"{UNKNOWN} (guessed: language)", "format": "md",
    }  # fmt: skip
