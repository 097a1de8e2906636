"""What another system found, scored as if it had searched here (lesson 15).

A run is a table, a result a row: which question, which rank, and what was handed over, as a span of a document or as its text. CSV (comma,
semicolon or tab), or JSON, by the suffix (.json, .jsonl): an object a line, or a list of them. Columns or fields, each by any of its names:

    question    question_id, query_id, qid, id     the question's id (its text does as well)
    rank        position                           1 is first; where there is none, the order of the rows
    document    doc_id, file, source               as in inventory.csv; may be left out where `text` stands in one document only
    version                                        may be left out where the document has one
    start, end  start_index, start_char …          code points of the document as labkit reads it, half-open
    text        passage, content, chunk            what was handed over

A text without a span is looked for in the document, word for word, blanks and the composing of accents apart. What stands there becomes a
passage as a chunker would have made it, without context, and is measured as all others are. A text that stands nowhere (rewritten, or
joined from two places) still costs its words, and is relevant to nothing; one that stands in several places is taken at the first. Both
are told: `unplaced` and `ambiguous` name every row.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from labkit.chunking.chunk import Chunk, Cut, make_chunks
from labkit.collection import Document
from labkit.errors import BadArgument, DocumentError, Fault, FaultsError
from labkit.own.foreign import table, text_of
from labkit.parsing.blocks import ParsedDocument
from labkit.parsing.reading import parse
from labkit.textfiles import Guesses, quoted, shown

_FIELDS = {
    "question": ("question", "question_id", "query_id", "qid", "query", "id"),
    "rank": ("rank", "position"),
    "document": ("document", "doc_id", "file", "source", "corpus_id"),
    "version": ("version",),
    "start": ("start", "start_index", "start_char"),
    "end": ("end", "end_index", "end_char"),
    "text": ("text", "passage", "content", "chunk"),
}
_TODO = "a row holds question, rank, and document with start and end, or text"
_WORD = re.compile(r"\S+")
_NEXT = re.compile(r"[\s,]*")
_HEAD = 4  # words by which a text is looked for


Edition = tuple[str, str]
"""doc_id and version."""


class RunError(FaultsError):
    """A run cannot be read as it stands."""


@dataclass
class _Row:
    line: int
    question: str
    rank: int
    document: str
    version: str
    start: int | None
    end: int | None
    text: str
    chunk: Chunk | None = None


@dataclass(frozen=True)
class Run:
    """A run as a search: `run(question, k)` gives the k first passages of a question, by its id or its text; [] where the run has none.

    `questions` are the ids (or texts) in it, in its order. `unplaced` and `ambiguous` are warnings, one a row: texts that stand nowhere,
    and texts that stand in several places.
    """

    questions: tuple[str, ...]
    unplaced: tuple[Fault, ...]
    ambiguous: tuple[Fault, ...]
    results: dict[str, list[Chunk]] = field(repr=False)
    by_text: dict[str, str] = field(repr=False)

    def __call__(self, question: str, k: int = 5) -> list[Chunk]:
        """The first k passages, in rank order."""
        found = self.results.get(question)
        return (self.results.get(self.by_text.get(question, ""), []) if found is None else found)[:k]


def load_run(
    path: Path | str, documents: Iterable[Document | ParsedDocument], questions: Iterable = (), files: Mapping[Edition, str] | None = None
) -> Run:
    """The run in a file. `documents`: those of the inventory, parsed or not (then those that are needed are parsed here). `questions`:
    those that the run answers; with them a row may name its question by text, and a question that there is not is a fault. `files`: the
    names of the files of parsed documents, by doc_id and version.

    Raises RunError with every fault of the file, DocumentError where it, or a document that it names, cannot be read.
    """
    path = Path(path)
    name = shown(path)
    faults: list[Fault] = []
    library = _Library(documents, files or {})
    rows = list(_rows(path, name, faults))
    by_text, known = _questions(questions, rows, name, faults)
    waiting: dict[_Key, list[_Row]] = {}
    for row in rows:
        edition = library.edition(row, name, faults)
        if row.start is not None and edition:
            row.chunk = _span(row, edition, library, name, faults)
        if row.chunk is None and row.text.strip():
            waiting.setdefault((row.text, edition), []).append(row)
    unplaced, ambiguous = _place(waiting, library, name)
    results = _ranked(rows, name, faults)
    if not rows and not faults:
        faults.append(Fault(name, 1, "holds no result", _TODO))
    if faults:
        raise RunError(faults)
    return Run(tuple(results), tuple(unplaced), tuple(ambiguous), results, {text: each for text, each in by_text.items() if each in known})


# --- rows -------------------------------------------------------------------------------------------------------------------------------


def _rows(path: Path, name: str, faults: list[Fault]) -> Iterator[_Row]:
    text, wrong = text_of(path, name)
    if wrong:
        raise RunError(wrong)
    records = _objects(text, name, faults) if path.suffix.lower() in (".jsonl", ".json", ".ndjson") else _table(text, name, faults)
    order: dict[str, int] = {}
    for line, record in records:
        values = {key: next((record[one] for one in names if record.get(one) not in (None, "")), None) for key, names in _FIELDS.items()}
        question = _text(values["question"]).strip()
        row = _Row(
            line, question, 0, _text(values["document"]).strip(), _text(values["version"]).strip(), _whole(values["start"]),
            _whole(values["end"]), values["text"] if isinstance(values["text"], str) else "",
        )  # fmt: skip
        wrong = _wrong(row, values)
        if wrong:
            faults.append(Fault(name, line, wrong, _TODO))
            continue
        order[question] = order.get(question, 0) + 1
        row.rank = order[question] if values["rank"] is None else _whole(values["rank"])
        yield row


def _wrong(row: _Row, values: dict) -> str:
    if not row.question:
        return "names no question"
    if values["rank"] is not None and (_whole(values["rank"]) is None or _whole(values["rank"]) < 0):
        return f"the rank is {quoted(values['rank'])}, not a whole number"
    for end in ("start", "end"):
        if values[end] is not None and _whole(values[end]) is None:
            return f"{end} is {quoted(values[end])}, not a whole number"
    if (row.start is None) != (row.end is None):
        return "a span has start and end, and one is missing"
    if row.start is None and not row.text.strip():
        return "holds neither a span nor a text"
    if row.start is not None and not row.document:
        return "has a span, and names no document"
    return ""


def _text(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else str(value)


def _whole(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    text = str(value).strip().removesuffix(".0") if isinstance(value, str | float) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _objects(text: str, name: str, faults: list[Fault]) -> Iterator[tuple[int, dict]]:
    if text.lstrip().startswith("["):
        yield from _list(text, name, faults)
        return
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip():
            continue
        try:
            value = json.loads(content)
        except (ValueError, RecursionError) as error:
            faults.append(Fault(name, line, f"is not JSON ({error})", "write one result a line: {…}"))
            continue
        if isinstance(value, dict):
            yield line, {str(key).strip().lower(): each for key, each in value.items()}
        else:
            faults.append(Fault(name, line, "is no object", "write one result a line: {…}"))


def _list(text: str, name: str, faults: list[Fault]) -> Iterator[tuple[int, dict]]:
    """The objects of a JSON list, each with the line on which it begins."""
    at, line = text.index("[") + 1, 1
    read = json.JSONDecoder()
    before = 0
    try:
        json.loads(text)  # says best what is wrong with the whole
        while (start := _NEXT.match(text, at).end()) < len(text) and text[start] != "]":
            value, at = read.raw_decode(text, start)
            line, before = line + text.count("\n", before, start), start
            if isinstance(value, dict):
                yield line, {str(key).strip().lower(): each for key, each in value.items()}
            else:
                faults.append(Fault(name, line, "is no object", "write a list of results: [{…}, {…}]"))
    except (ValueError, RecursionError) as error:
        what = f"is not JSON ({getattr(error, 'msg', None) or error})"
        faults.append(Fault(name, getattr(error, "lineno", 1), what, "write one result a line, or a list of them"))


def _table(text: str, name: str, faults: list[Fault]) -> Iterator[tuple[int, dict]]:
    header: list[str] | None = None
    for line, fields in table(text, name, faults):
        if header is None:
            header = [each.strip().lower() for each in fields]
            if not set(header) & set(_FIELDS["question"]):
                faults.append(Fault(name, line, f"the first line names no column 'question'; it has {', '.join(header)[:80]}", _TODO))
                return
        else:
            yield line, dict(zip(header, fields, strict=True))


def _questions(questions: Iterable, rows: list[_Row], name: str, faults: list[Fault]) -> tuple[dict[str, str], set[str]]:
    """(text -> id, ids); rows that name their question by text get its id. A question that there is not is a fault, told once."""
    questions = list(questions)
    ids = {each.id for each in questions}
    texts: dict[str, list[str]] = {}
    for each in questions:
        texts.setdefault(each.question, []).append(each.id)
    by_text = {text: found[0] for text, found in texts.items() if len(found) == 1}
    guesses = Guesses(lambda: ids)
    told: set[str] = set()
    for row in rows if questions else ():
        if row.question in ids or row.question in told:
            continue
        if row.question in by_text:
            row.question = by_text[row.question]
            continue
        told.add(row.question)
        near = guesses.nearest(row.question)
        what = f"there is no question {quoted(row.question)}"
        faults.append(Fault(name, row.line, what, f"did you mean {near!r}?" if near else "use the ids of the question file"))
    return by_text, ids


def _ranked(rows: list[_Row], name: str, faults: list[Fault]) -> dict[str, list[Chunk]]:
    by_question: dict[str, dict[int, _Row]] = {}
    for row in rows:
        ranks = by_question.setdefault(row.question, {})
        if row.rank in ranks:
            what = f"rank {row.rank} of {row.question} stands in line {ranks[row.rank].line} already"
            faults.append(Fault(name, row.line, what, "give each result of a question a rank of its own"))
        ranks.setdefault(row.rank, row)
    return {question: [ranks[rank].chunk for rank in sorted(ranks) if ranks[rank].chunk] for question, ranks in by_question.items()}


# --- places -----------------------------------------------------------------------------------------------------------------------------


class _Library:
    """The documents by the names that a run may call them; each parsed when it is needed."""

    def __init__(self, documents: Iterable[Document | ParsedDocument], files: Mapping[Edition, str]):
        self._all: dict[tuple[str, str], Document | ParsedDocument] = {}
        self._names: dict[str, list[tuple[str, str]]] = {}
        for each in documents:
            if not isinstance(each, Document | ParsedDocument):
                raise BadArgument(f"documents are those of an inventory, parsed or not, and one is {type(each).__name__}")
            edition = (each.doc_id, str(each.version))
            self._all[edition] = each
            file = PurePosixPath(getattr(each, "file", "") or files.get(edition, ""))
            for name in dict.fromkeys((each.doc_id, str(file), file.name, file.stem)):
                if name not in ("", "."):
                    self._names.setdefault(name, []).append(edition)
        self._guesses = Guesses(lambda: self._names)

    def edition(self, row: _Row, name: str, faults: list[Fault]) -> tuple[str, str] | None:
        """The edition that a row names; None where it names none, or with a fault where there is none."""
        if not row.document:
            return None
        found = self._names.get(row.document, [])
        exact = [each for each in found if not row.version or each[1] == row.version]
        if len(exact) == 1:
            return exact[0]
        if not found:
            near = self._guesses.nearest(row.document)
            what = f"there is no document {quoted(row.document)}"
            todo = f"did you mean {near!r}?" if near else "compare it with inventory.csv"
        elif not exact:
            what, todo = f"there is no version {row.version!r} of {row.document}", f"there is {', '.join(each[1] for each in found)}"
        else:
            what = f"which version of {row.document}? There are {', '.join(f'{doc_id} {version}' for doc_id, version in exact)}"
            todo = "add a column version, or name the file"
        faults.append(Fault(name, row.line, what, todo))
        return None

    def parsed(self, edition: tuple[str, str]) -> ParsedDocument:
        """The document as labkit reads it. Raises DocumentError."""
        document = self._all[edition]
        if isinstance(document, Document):
            document = self._all[edition] = parse(document)
        return document

    def readable(self, editions: Iterable[tuple[str, str]] | None) -> Iterator[ParsedDocument]:
        """These documents, None: all of them; what cannot be read is passed over, since no text can come from there."""
        for edition in self._all if editions is None else editions:
            try:
                yield self.parsed(edition)
            except DocumentError:
                continue


def _span(row: _Row, edition: tuple[str, str], library: _Library, name: str, faults: list[Fault]) -> Chunk | None:
    """The passage of a row's span; None, with a fault, where it is none, and None where the row's text is to be looked for instead."""
    try:
        parsed = library.parsed(edition)
    except DocumentError as error:
        what, _, todo = str(error).partition(" — ")
        faults.append(Fault(name, row.line, what, todo))
        return None
    start, end = row.start, row.end
    inside = 0 <= start < end <= len(parsed.text)
    here = _composed(parsed.text[start:end]) if inside else ""
    if inside and (not row.text.strip() or _composed(row.text).split() == here.split()):
        return _chunk(parsed, start, end)
    if not row.text.strip():
        what = f"characters {start} to {end} are no span of {row.document}, which has {len(parsed.text)}"
        faults.append(Fault(name, row.line, what, "count code points of the text as labkit reads it, from 0"))
    return None


def _chunk(parsed: ParsedDocument, start: int, end: int) -> Chunk:
    (chunk,) = make_chunks(parsed, [Cut(start, end)], "run")
    return chunk


_Key = tuple[str, tuple[str, str] | None]
"""A text that is looked for, and the edition where; None: anywhere."""


def _place(waiting: dict[_Key, list[_Row]], library: _Library, name: str) -> tuple[list[Fault], list[Fault]]:
    """Gives each waiting text its passage; (rows whose text stands nowhere, rows whose text stands in several places)."""
    found = _found(waiting, library)
    unplaced: list[Fault] = []
    ambiguous: list[Fault] = []
    for number, (key, rows) in enumerate(waiting.items(), start=1):
        places = found[key]
        chunk = _chunk(*places[0]) if places else _nowhere(key[0], number)
        for row in rows:
            row.chunk = chunk
            where = f"in {row.document}" if row.document else "in any document"
            if not places:
                what = f"{quoted(key[0], 40)} does not stand {where}; it counts its words, and answers nothing"
                unplaced.append(Fault(name, row.line, what, "hand over the text as the document has it, or its span", "warning"))
            elif len(places) > 1:
                what = f"{quoted(key[0], 40)} stands {len(places)} times {where}; the first place is taken"
                ambiguous.append(Fault(name, row.line, what, "add document, start and end", "warning"))
    return unplaced, ambiguous


def _found(waiting: Iterable[_Key], library: _Library) -> dict[_Key, list[tuple[ParsedDocument, int, int]]]:
    """The places of each text, in one walk through the words of each document.

    A text is looked for by its second word and the next ones, since a chunker that counts characters or tokens cuts through its first and
    its last. Where it stands with whole words as well, those places alone count.
    """
    whole: dict[_Key, list] = {key: [] for key in waiting}
    cut: dict[_Key, list] = {key: [] for key in whole}
    heads: dict[int, dict[tuple[str, ...], list[tuple[_Key, int, list[str]]]]] = {}
    for key in whole:
        words = _composed(key[0]).split()
        skipped = 1 if len(words) > 2 else 0
        head = tuple(words[skipped : min(skipped + _HEAD, len(words) - skipped)])
        heads.setdefault(len(head), {}).setdefault(head, []).append((key, skipped, words))
    editions = None if any(edition is None for _, edition in whole) else dict.fromkeys(edition for _, edition in whole)
    for parsed in library.readable(editions) if whole else ():
        edition = (parsed.doc_id, str(parsed.version))
        spans = [match.span() for match in _WORD.finditer(parsed.text)]
        tokens = [_composed(parsed.text[start:end]) for start, end in spans]
        for size, wanted in heads.items():
            for place in range(len(tokens) - size + 1):
                for key, skipped, words in wanted.get(tuple(tokens[place : place + size]), ()):
                    first, last = place - skipped, place - skipped + len(words) - 1
                    if key[1] not in (None, edition) or first < 0 or last >= len(tokens) or tokens[first + 1 : last] != words[1:-1]:
                        continue
                    if tokens[first] == words[0] and tokens[last] == words[-1]:
                        whole[key].append((parsed, spans[first][0], spans[last][1]))
                    elif first < last and tokens[first].endswith(words[0]) and tokens[last].startswith(words[-1]):
                        start, end = spans[first][1] - len(words[0]), spans[last][0] + len(words[-1])
                        if _composed(parsed.text[start:end]).split() == words:  # composed in the document, so counted rightly
                            cut[key].append((parsed, start, end))
    return {key: places or cut[key] for key, places in whole.items()}


def _composed(text: str) -> str:
    """The text with its accents composed: systems differ in how they store them."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _nowhere(text: str, number: int) -> Chunk:
    """A text of no document: it has words, and no place that anything could be compared with."""
    text = text.strip()
    return Chunk(
        id=f"unplaced-{number}", doc_id=f"unplaced-{number}", version="", access="staff", language="unknown", sections=(), start=0,
        end=len(text), text=text, context="",
    )  # fmt: skip
