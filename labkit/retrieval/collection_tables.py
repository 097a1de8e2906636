"""The tables of an index on disk: what stands where, and why a public reader has an inverted index of their own (lesson 08).

- `documents`: one row a version of a document: its labels from the inventory, the digest of its file, what could not be read of it.
- `chunks`: one row a chunk: its place, its text, and the text as the tokenizer gets it.
- `for_public`, `for_staff`: an inverted index (FTS5) for each reader, over what this reader may see and nothing else. So staff text is not
  found by the public, and does not move a public score either: it counts neither for how rare a word is, nor for the average length.
- `manifest`: how the index was made.

The inverted indexes keep no text: each reads it from a view of the chunks that its reader may see. A chunk under an access label that
stands for no reader is in no view, and so in no inverted index.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from labkit.errors import IndexFileError
from labkit.retrieval.cutting import Chunker, chunker_named, chunker_of
from labkit.retrieval.indexfile import Layout, closed_on_error, connected
from labkit.retrieval.passage_search import READERS
from labkit.retrieval.tokenizer import PLAIN

APPLICATION = 0x4C414243  # 'LABC', in the place that SQLite's file format has for the name of the program
LAYOUT = 1  # raised whenever the tables, or what `searchable` does, change
LABELS = ("title", "effective_from", "effective_to", "owner", "access", "language", "doc_type", "format", "file")
"""What the inventory says of a version of a document, and a search filters by or shows."""

_TABLES = """
CREATE TABLE manifest (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE documents (
    key INTEGER PRIMARY KEY, doc_id TEXT NOT NULL, version TEXT NOT NULL,
    title TEXT NOT NULL, effective_from TEXT NOT NULL, effective_to TEXT, owner TEXT NOT NULL, access TEXT NOT NULL,
    language TEXT NOT NULL, doc_type TEXT NOT NULL, format TEXT NOT NULL, file TEXT NOT NULL,
    digest TEXT NOT NULL, made_by TEXT NOT NULL, page_labels TEXT NOT NULL, problems TEXT NOT NULL,
    UNIQUE (doc_id, version));
CREATE TABLE chunks (
    key INTEGER PRIMARY KEY, document INTEGER NOT NULL REFERENCES documents (key), id TEXT NOT NULL UNIQUE, position INTEGER NOT NULL,
    start INTEGER NOT NULL, stop INTEGER NOT NULL, sections TEXT NOT NULL, section_starts TEXT NOT NULL, pages TEXT NOT NULL,
    page_starts TEXT NOT NULL, over_limit INTEGER NOT NULL,
    context TEXT NOT NULL, text NOT NULL, searchable TEXT NOT NULL);
CREATE INDEX chunks_of_document ON chunks (document, position);
"""
_FOR_A_READER = """
CREATE VIEW read_by_{reader} AS
    SELECT chunks.key AS key, searchable FROM chunks JOIN documents ON documents.key = document WHERE access IN ({labels});
CREATE VIRTUAL TABLE {table} USING fts5(
    searchable, content='read_by_{reader}', content_rowid='key', tokenize='{tokenizer}');
"""


def inverted(reader: str) -> str:
    """The name of the reader's inverted index."""
    return f"for_{reader}"


def readers_of(access: str) -> list[str]:
    """Who may see text under this label; nobody, where the label is unknown."""
    return [reader for reader, labels in READERS.items() if access in labels]


def opened(path: str | Path, chunker: Chunker | None, *, read_only: bool) -> tuple[sqlite3.Connection, Chunker]:
    """A connection to an index, made where there is none, and its chunker. `chunker` None: whatever the file was cut by.

    Raises BadArgument for a path that is none, IndexFileError where the file is not an index, or was cut by another chunker.
    """
    name = str(path)
    again = f"make it again with `labkit index --out {name}`"
    database = connected(path, Layout(APPLICATION, LAYOUT, _statements(chunker or chunker_of()), again), read_only=read_only)
    with closed_on_error(database, name):
        ((made_with,),) = database.execute("SELECT value FROM manifest WHERE name = 'chunker'").fetchall()
        if chunker is not None and made_with != str(chunker):
            raise IndexFileError(
                f"{name} holds chunks of {made_with}, not of {chunker}; one index has one way of cutting — "
                f"name another file for {chunker}, or delete this one to make it again"
            )
    return database, chunker or chunker_named(made_with)


def _statements(chunker: Chunker) -> str:
    views = [
        _FOR_A_READER.format(reader=reader, table=inverted(reader), labels=", ".join(map(_literal, sorted(labels))), tokenizer=PLAIN)
        for reader, labels in READERS.items()
    ]
    facts = {"collection": "", "chunker": str(chunker), "tokenizer": PLAIN, "labkit": ""}
    rows = "".join(f"INSERT INTO manifest VALUES ({_literal(name)}, {_literal(value)});\n" for name, value in facts.items())
    return _TABLES + "".join(views) + rows


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
