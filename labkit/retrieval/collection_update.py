"""Bringing an index up to date: only what changed is read again, and each document goes in whole or not at all (lesson 08).

A document is left alone where its file (by digest), its labels, and whatever read and cut it are the same as when it went in. Everything of
one document changes in one transaction, so that an index that was killed in the middle holds each document as it was, or as it is.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from labkit import __version__
from labkit.collection import Document, read_bytes
from labkit.errors import BadArgument, DocumentError, IndexFileError
from labkit.parsing.blocks import ParsedDocument, Problem
from labkit.passages import Passage
from labkit.retrieval.collection_tables import LABELS, inverted, readers_of
from labkit.retrieval.connection import stored_text
from labkit.retrieval.cutting import Chunker
from labkit.retrieval.made_by import made_by
from labkit.retrieval.scoring import Ask
from labkit.retrieval.tokenizer import searchable

Parse = Callable[[Document], ParsedDocument]


@dataclass(frozen=True)
class Seen:
    """A document as its row stands in the index: key, digest, who made it, its labels, its problems as JSON, number of chunks."""

    key: int
    digest: str
    made_by: str
    labels: tuple
    problems: str
    chunks: int


@dataclass(frozen=True)
class Read:
    """What came of reading a document now."""

    digest: str
    chunks: Sequence[Passage]
    problems: Sequence[Problem]
    page_labels: dict[int, str]


def checked(documents: Iterable[Document]) -> list[Document]:
    """The documents of a collection. Raises BadArgument where something is no Document, or a version stands twice."""
    if isinstance(documents, Document) or not isinstance(documents, Iterable):
        raise BadArgument(f"the documents of a collection are needed, as load_inventory() gives them, not {documents!r}")
    documents = list(documents)
    for document in documents:
        if not isinstance(document, Document):
            raise BadArgument(f"the documents of a collection are needed, as load_inventory() gives them; {document!r} is none")
    twice = [name for name, times in Counter((each.doc_id, each.version) for each in documents).items() if times > 1]
    if twice:
        raise BadArgument(f"{twice[0][0]} version {twice[0][1]} stands twice among the documents — give each version once")
    return documents


def collection_name(documents: Sequence[Document]) -> str:
    """The name of the folder that holds the inventory (no path: an index may travel); of several, all of them."""
    names = set()
    for document in documents:
        depth = len(PurePosixPath(document.file).parts)
        above = document.path.absolute().parents
        names.add(above[depth - 1].name if depth <= len(above) else "")
    return " + ".join(sorted(names - {""}))


def check_collection(known: str, name: str, file: str) -> None:
    """An index of one collection is not emptied, and filled with another one, by a slip. Raises IndexFileError."""
    if known and name and known != name:
        raise IndexFileError(
            f"{file} is the index of the collection {known!r}, and these documents are of {name!r} — "
            f"name another file for them; if the folder got another name, delete this one to make it again"
        )


def standing(ask: Ask) -> dict[tuple[str, str], Seen]:
    """What the index holds, by document id and version."""
    rows = ask(
        f"SELECT doc_id, version, key, digest, made_by, problems, (SELECT count(*) FROM chunks WHERE document = documents.key),"
        f" {', '.join(LABELS)} FROM documents",
        (),
    )
    return {(row[0], row[1]): Seen(row[2], row[3], row[4], tuple(row[7:]), row[5], row[6]) for row in rows}


def digest_of(document: Document) -> str:
    """The SHA-256 of a document's file, in hex; '' where it cannot be read."""
    try:
        return hashlib.sha256(read_bytes(document.path, document.file)).hexdigest()
    except DocumentError:
        return ""


def labels_of(document: Document) -> tuple:
    """The document's labels as the index keeps them."""
    last = document.effective_to
    dates = {"effective_from": document.effective_from.isoformat(), "effective_to": None if last is None else last.isoformat()}
    return tuple(dates[name] if name in dates else getattr(document, name) for name in LABELS)


def is_unchanged(seen: Seen | None, document: Document, digest: str) -> bool:
    """Whether what the index holds of a document is what reading it again would give. A file that cannot be read is tried each time."""
    return seen is not None and digest != "" and was_made_now(seen) and (seen.digest, seen.labels) == (digest, labels_of(document))


def was_made_now(seen: Seen) -> bool:
    """Whether what reads and cuts now is what read and cut it then."""
    return seen.made_by == made_by()


def read(document: Document, chunker: Chunker, parse: Parse, digest: str) -> Read:
    """A document read and cut. Pages that were read are cut, whatever became of the other ones; the problems say what is missing.

    Where nothing can be searched (the file cannot be read, it holds no text, its access label is unknown), there are no chunks and at
    least one problem. `digest` is taken before the file is read, so that one which is saved at this moment is read again next time.
    """
    if not readers_of(document.access):
        todo = "write public or staff in the inventory; anything else would be a guess about who may read it"
        return Read(digest, [], [Problem(None, f"its access label is {document.access!r}, which nobody may see", todo)], {})
    try:
        parsed = parse(document)
    except DocumentError as error:
        what, _, todo = str(error).removeprefix(f"{document.file}: ").partition(" — ")
        return Read(digest, [], [Problem(None, what, todo or "check the file")], {})
    if (parsed.doc_id, parsed.version, parsed.access) != (document.doc_id, document.version, document.access):
        raise BadArgument(f"{document.file} was read as {parsed.doc_id} version {parsed.version} ({parsed.access}), not by its own labels")
    chunks = [chunk for chunk in chunker(parsed) if chunk.text.strip()]
    problems = list(parsed.problems)
    if not chunks and not problems:
        empty = not parsed.text[parsed.body :].strip()
        what = "it holds no text" if empty else f"{chunker} makes no chunk of it"
        problems = [Problem(None, what, "check that it is the right file, or leave it out")]
    labels = {page.number: page.label for page in parsed.pages if page.label and page.label != str(page.number)}
    return Read(digest, chunks, problems, labels)


def holds(ask: Ask, seen: Seen, outcome: Read) -> bool:
    """Whether the index holds the very chunks and problems of this outcome already."""
    names = ", ".join(_CHUNK)
    rows = ask(f"SELECT {names} FROM chunks WHERE document = ? ORDER BY position", (seen.key,))
    labels = ask("SELECT page_labels FROM documents WHERE key = ?", (seen.key,))
    return (rows, seen.problems, labels) == (
        [_chunk_row(position, chunk) for position, chunk in enumerate(outcome.chunks)],
        _problems(outcome),
        [(json.dumps(outcome.page_labels),)],
    )


def mark_read(database: sqlite3.Connection, seen: Seen) -> None:
    """Notes that a document was read and cut by this labkit. Part of somebody's transaction."""
    database.execute("UPDATE documents SET made_by = ? WHERE key = ?", (made_by(), seen.key))


def put(database: sqlite3.Connection, document: Document, outcome: Read) -> None:
    """Everything of a document into the index, in the place of what was there. Part of somebody's transaction."""
    forget(database, document.doc_id, document.version)
    row = {"doc_id": document.doc_id, "version": document.version} | dict(zip(LABELS, labels_of(document), strict=True))
    row |= {
        "digest": outcome.digest, "made_by": made_by(), "page_labels": json.dumps(outcome.page_labels), "problems": _problems(outcome),
    }  # fmt: skip
    document_key = _insert(database, "documents", row)
    for position, chunk in enumerate(outcome.chunks):
        values = dict(zip(_CHUNK, _chunk_row(position, chunk), strict=True))
        key = _insert(database, "chunks", {"document": document_key} | values)
        for reader in readers_of(chunk.access):
            database.execute(f"INSERT INTO {inverted(reader)} (rowid, searchable) VALUES (?, ?)", (key, values["searchable"]))


_CHUNK = (
    "id", "position", "start", "stop", "sections", "section_starts", "pages", "page_starts", "over_limit", "context", "text", "searchable",
)  # fmt: skip


def _chunk_row(position: int, chunk: Passage) -> tuple:
    """The values of _CHUNK. A passage that is no Chunk has no pages, and does not say where in it a section begins."""
    lists = (chunk.sections, *(getattr(chunk, name, ()) for name in ("section_starts", "pages", "page_starts")))
    return (
        chunk.id, position, chunk.start, chunk.end, *map(json.dumps, lists), int(getattr(chunk, "over_limit", False)),
        stored_text(chunk.context), stored_text(chunk.text), searchable(chunk.passage),
    )  # fmt: skip


def _problems(outcome: Read) -> str:
    return json.dumps([[each.page, each.what, each.todo] for each in outcome.problems])


def forget(database: sqlite3.Connection, doc_id: str, version: str) -> None:
    """Everything of a document out of the index; nothing, where it is not there. Part of somebody's transaction.

    An inverted index reads what it must take out from its view of the chunks, so it comes before them.
    """
    row = database.execute("SELECT key, access FROM documents WHERE doc_id = ? AND version = ?", (doc_id, version)).fetchone()
    if row is None:
        return
    key, access = row
    for reader in readers_of(access):
        chunks = f"SELECT key FROM chunks WHERE document = {key:d}"
        database.execute(f"DELETE FROM {inverted(reader)} WHERE rowid IN ({chunks})")
    database.execute("DELETE FROM chunks WHERE document = ?", (key,))
    database.execute("DELETE FROM documents WHERE key = ?", (key,))


def sign(database: sqlite3.Connection, collection: str) -> None:
    """Says in the manifest which collection this is, and which labkit changed it last. Part of somebody's transaction."""
    if collection:
        database.execute("UPDATE manifest SET value = ? WHERE name = 'collection'", (collection,))
    database.execute("UPDATE manifest SET value = ? WHERE name = 'labkit'", (__version__,))


def _insert(database: sqlite3.Connection, table: str, row: dict) -> int:
    marks = ", ".join("?" * len(row))
    return database.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values())).lastrowid
