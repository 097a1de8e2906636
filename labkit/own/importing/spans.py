"""A table of questions with spans: question, and references with their start and end (lesson 15).

The documents are there already, in a folder that `labkit new` made; the table becomes its questions.jsonl. A row is

    question, references, corpus_id      references: a JSON list of {"content", "start_index", "end_index"}
    question, document, start, end       one span a row; rows of one question belong together

Other names of columns: query; doc_id, file, source, corpus; start_index, start_char; end_index, end_char; content, text, quote; also
answer, id. The document is named by its doc_id, by its file, or by its file's name with or without the suffix.

Positions count code points of the document as labkit reads it (for Markdown and text the file itself), from 0, the end one past the last.
Where the reference also says what stands there, the two must agree. Where they do not, and what it says stands in exactly one place of the
document, that place is taken: other programs count line ends differently, or read another text from an HTML page or a PDF.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from labkit.collection import Document, load_for_reading
from labkit.errors import DocumentError, Fault
from labkit.evaluation.gold import starts_of
from labkit.own.foreign import table, text_of
from labkit.own.importing.folder import (
    QUESTIONS,
    Answer,
    Imported,
    NewQuestion,
    SourceError,
    ids_of_questions,
    judge,
    record,
    refuse_if_taken,
    write_questions,
)
from labkit.parsing.reading import parse
from labkit.textfiles import Guesses, quoted, shown

_COLUMNS = {
    "question": ("question", "query"),
    "document": ("document", "doc_id", "corpus_id", "file", "source", "corpus"),
    "references": ("references",),
    "start": ("start", "start_index", "start_char"),
    "end": ("end", "end_index", "end_char"),
    "content": ("content", "text", "quote"),
    "answer": ("answer", "reference_answer"),
    "id": ("id", "question_id"),
}
_REFERENCE = ("start", "end", "content", "document")
_TODO = "write a table with question, document, start and end, or with question, references and corpus_id"


@dataclass
class _Row:
    line: int
    fields: dict[str, str]


@dataclass
class _Asked:
    line: int
    text: str
    id: str
    answer: str
    answers: list[Answer] = field(default_factory=list)


def import_spans(source: Path | str, folder: Path | str, *, leave_out: bool = False) -> Imported:
    """Makes questions.jsonl of a folder from a CSV table. `leave_out`: rows with a fault are left out and named; else they stop the import.

    Raises SourceError with every fault of the table, InventoryError where the folder has no sound inventory, LabError where it has
    questions.jsonl already.
    """
    source, folder = Path(source), Path(folder)
    refuse_if_taken(folder, QUESTIONS)
    documents = load_for_reading(folder)
    name = shown(source)
    faults: list[Fault] = []
    broken: list[Fault] = []
    library = _Library(documents)
    asked: dict[str, _Asked] = {}
    for row in _rows(source, name, faults):
        try:
            answers = list(_answers(row, library))
        except _Wrong as wrong:
            broken.append(Fault(name, row.line, wrong.what, wrong.todo))
            continue
        text = row.fields.get("question", "").strip()
        key = row.fields.get("id", "").strip() or text
        one = asked.setdefault(key, _Asked(row.line, text, row.fields.get("id", "").strip(), row.fields.get("answer", "").strip()))
        if one.text != text:
            what = f"the id {quoted(key)} is that of another question in line {one.line}"
            broken.append(Fault(name, row.line, what, "give each question an id of its own"))
            continue
        one.answers += answers
    questions = []
    for each, name in zip(asked.values(), ids_of_questions(each.id for each in asked.values()), strict=True):
        questions.append(NewQuestion(name, each.text, each.answers, each.answer, ("spans",)))
    if not faults and not broken and not questions:
        faults.append(Fault(name, 1, "holds no question", _TODO))
    judge(faults, broken, leave_out)
    editions = {each.doc_id: (each.version, each.access) for each in documents}
    editions |= {doc_id: (one.version, one.access) for doc_id, one in library.used.items()}
    write_questions(folder, [record(each, library.texts, editions=editions) for each in questions])
    return Imported(folder, len(documents), len(questions), sum(not each.answers for each in questions), (QUESTIONS,), tuple(broken))


class _Wrong(Exception):
    def __init__(self, what: str, todo: str):
        self.what, self.todo = what, todo


class _Library:
    """The documents by every name that a table may call them, each read at most once."""

    def __init__(self, documents: list[Document]):
        self.texts: dict[str, str] = {}
        self.used: dict[str, Document] = {}
        self._names: dict[str, list[Document]] = {}
        for each in documents:
            file = PurePosixPath(each.file)
            for name in dict.fromkeys((each.doc_id, each.file, file.name, file.stem, str(file.with_suffix("")))):
                self._names.setdefault(name, []).append(each)
        self._guesses = Guesses(lambda: self._names)

    def find(self, name: str) -> Document:
        """The document of this name. Raises _Wrong where there is none, or more than one."""
        found = self._names.get(name) or self._names.get(name.replace("\\", "/").removeprefix("./")) or []
        exact = [each for each in found if name in (each.file, each.doc_id)] or found
        if not exact:
            near = self._guesses.nearest(name)
            raise _Wrong(f"there is no document {quoted(name)}", f"did you mean {near!r}?" if near else "compare it with inventory.csv")
        if len(exact) > 1:
            raise _Wrong(f"{quoted(name)} can be {', '.join(each.file for each in exact[:4])}", "name its file as the inventory does")
        used = self.used.setdefault(exact[0].doc_id, exact[0])
        if used is not exact[0]:
            raise _Wrong(f"{exact[0].doc_id} is meant in two versions, {used.version} and {exact[0].version}", "import one at a time")
        return exact[0]

    def text(self, document: Document) -> str:
        """What labkit reads in it. Raises _Wrong where it cannot be read."""
        if document.doc_id not in self.texts:
            try:
                self.texts[document.doc_id] = parse(document).text
            except DocumentError as error:
                what, _, todo = str(error).partition(" — ")
                raise _Wrong(what, todo) from None
        return self.texts[document.doc_id]


def _rows(source: Path, name: str, faults: list[Fault]) -> Iterator[_Row]:
    text, wrong = text_of(source, name)
    if wrong:
        raise SourceError(wrong)
    names: list[str] | None = None
    for line, fields in table(text, name, faults):
        if names is None:
            names = _header(fields, line, name, faults)
            if names is None:
                return
        else:
            yield _Row(line, {column: value for column, value in zip(names, fields, strict=True) if column})
    if names is None and not faults:
        faults.append(Fault(name, 1, "is empty", _TODO))


def _header(fields: list[str], line: int, name: str, faults: list[Fault]) -> list[str] | None:
    """What each column means, '' for one that is not needed; None, with a fault, where something is missing."""
    plain = [each.strip().lower() for each in fields]
    names = ["" for _ in plain]
    for meaning, called in _COLUMNS.items():
        found = next((each for each in called if each in plain), None)
        if found is not None:
            names[plain.index(found)] = meaning
    missing = [each for each in ("question",) if each not in names]
    if "references" not in names:
        missing += [each for each in ("document", "start", "end") if each not in names]
    if missing:
        faults.append(Fault(name, line, f"has no column {', '.join(missing)}; it has {', '.join(plain)}", _TODO))
        return None
    return names


def _answers(row: _Row, library: _Library) -> Iterator[Answer]:
    if not row.fields.get("question", "").strip():
        raise _Wrong("the question is empty", "fill it in")
    references = _references(row)
    if not references:
        raise _Wrong("the question has no reference", "where no document answers it, write it into questions.md, with kind: unanswerable")
    for reference in references:
        name = str(reference.get("document") or row.fields.get("document", "")).strip()
        if not name:
            raise _Wrong("a reference names no document", "fill in the document's column")
        document = library.find(name)
        text = library.text(document)
        yield Answer(document.doc_id, *_span(reference, text, document))


def _references(row: _Row) -> list[dict]:
    if "references" not in row.fields:
        return [{key: row.fields[key] for key in _REFERENCE if key in row.fields}]
    try:
        value = json.loads(row.fields["references"] or "[]")
    except (ValueError, RecursionError) as error:
        raise _Wrong(f"references is not JSON ({error})", 'write [{"content": …, "start_index": 0, "end_index": 10}]') from None
    value = [value] if isinstance(value, dict) else value
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise _Wrong("references is no list of objects", 'write [{"content": …, "start_index": 0, "end_index": 10}]')
    return [{key: each[other] for key in _REFERENCE for other in _COLUMNS[key] if other in each} for each in value]


def _span(reference: dict, text: str, document: Document) -> tuple[int, int]:
    start, end = _whole_number(reference.get("start")), _whole_number(reference.get("end"))
    content = reference.get("content")
    content = content if isinstance(content, str) and content.strip() else None
    if start is not None and end is not None and 0 <= start < end <= len(text) and content in (None, text[start:end]):
        if not text[start:end].strip():
            raise _Wrong(f"characters {start} to {end} of {document.file} hold nothing but blanks", "mend start and end")
        return start, end
    if content is not None:
        places = list(starts_of(content, text))
        if len(places) == 1:
            return places[0], places[0] + len(content)
        times = f"stands {len(places)} times" if places else "stands nowhere"
        place = f", and not at {start} to {end}" if start is not None and end is not None else ""
        raise _Wrong(f"{quoted(content)} {times} in {document.file}{place}", "mend start and end, or the text")
    if start is None or end is None:
        raise _Wrong(f"start {quoted(reference.get('start'))} and end {quoted(reference.get('end'))} are no whole numbers", "fill them in")
    raise _Wrong(f"characters {start} to {end} are no span of {document.file}, which has {len(text)}", "count code points from 0")


def _whole_number(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    text = value.strip() if isinstance(value, str) else ""
    text = text.removesuffix(".0")  # as a spreadsheet or a data frame writes a whole number beside gaps
    return int(text) if text.isascii() and text.isdigit() else None
