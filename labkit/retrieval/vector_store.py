"""Rows of numbers in the file that holds the text: what was embedded once is not embedded again (lesson 12).

One table, `vectors`, in whatever index file of labkit's: a row for each model and content (SHA-256 of the text), 4 bytes a number. It is
added when first needed and changes nothing else in the file, so an index with vectors is still the index that it was.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from labkit.errors import IndexFileError
from labkit.retrieval import collection_tables, indexfile
from labkit.retrieval.connection import IndexConnection
from labkit.retrieval.tokenizer import PLAIN

TABLE = """
CREATE TABLE IF NOT EXISTS vectors (
    key INTEGER PRIMARY KEY, model TEXT NOT NULL, content BLOB NOT NULL, vector BLOB NOT NULL, UNIQUE (model, content))
"""


class VectorStore(IndexConnection):
    """A place for a CachedEmbedder's rows: an index's file (a KeywordIndex's or a CollectionIndex's), or memory. Lesson 12.

    path: ':memory:', or a file; where there is none it is made, as an empty KeywordIndex. Closes by `.close()`, or at the end of a `with`
    block. Raises BadArgument for a path that is none, IndexFileError (here or later) where the file is not an index of labkit's, or cannot
    be read or written.
    """

    _tables: tuple[str, ...] = (TABLE,)

    def __init__(self, path: str | Path = ":memory:"):
        self._name = str(path)
        self._connection = connected(path)
        missing = [statement for statement in self._tables if not _is_there(self._connection, statement)]
        if missing:
            try:
                with self._writing() as database:
                    for statement in missing:
                        database.execute(statement)
            except BaseException:
                self.close()
                raise

    def fetch(self, model: str, contents: Sequence[bytes]) -> dict[bytes, bytes]:
        """Those of the contents that are there, with their rows."""
        found: dict[bytes, bytes] = {}
        with self._reading():
            for few in batches(contents):
                marks = ", ".join("?" * len(few))
                found |= self._ask(f"SELECT content, vector FROM vectors WHERE model = ? AND content IN ({marks})", (model, *few))
        return found

    def keep(self, model: str, rows: Mapping[bytes, bytes]) -> None:
        """Puts rows in, all or none; one that is there already is replaced."""
        if rows:
            with self._writing() as database:
                put(database, model, rows)

    def count(self, model: str | None = None) -> int:
        """How many rows are there, of one model or of all."""
        where, values = ("", ()) if model is None else (" WHERE model = ?", (model,))
        return self._ask(f"SELECT count(*) FROM vectors{where}", values)[0][0]

    def forget(self, model: str | None = None) -> None:
        """Takes rows out: one model's, or all. They are made anew when they are needed."""
        where, values = ("", ()) if model is None else (" WHERE model = ?", (model,))
        with self._writing() as database:
            database.execute(f"DELETE FROM vectors{where}", values)

    def __repr__(self) -> str:
        place = "in memory" if self._name == ":memory:" else f"in {self._name}"
        state = "closed" if self._connection is None else f"{self.count()} rows"
        return f"<VectorStore {place}, {state}>"


def disposable(path: str | Path) -> VectorStore:
    """A VectorStore in a file that holds nothing but what can be made anew: where it is damaged, of another labkit, or of something else,
    it is deleted first. Raises IndexFileError where it is in use, or cannot be read or written."""
    try:
        store = VectorStore(path)
        if store._ask("PRAGMA quick_check") == [("ok",)]:
            return store
        store.close()
    except IndexFileError as error:
        if isinstance(error.__cause__, sqlite3.OperationalError | OSError) or not Path(path).is_file():
            raise
    for end in ("", "-journal", "-wal", "-shm"):
        Path(f"{path}{end}").unlink(missing_ok=True)
    return VectorStore(path)


def put(database: sqlite3.Connection, model: str, rows: Mapping[bytes, bytes]) -> None:
    """Rows into the table. Part of somebody's transaction."""
    database.executemany(
        "INSERT OR REPLACE INTO vectors (model, content, vector) VALUES (?, ?, ?)",
        ((model, content, row) for content, row in rows.items()),
    )


def connected(path: str | Path) -> sqlite3.Connection:
    """A connection to an index's file of either kind; a file that is not there is made as an empty KeywordIndex."""
    layout = indexfile.layout(PLAIN)
    if isinstance(path, str | Path) and str(path) and "\0" not in str(path) and _application(Path(path)) == collection_tables.APPLICATION:
        layout = indexfile.Layout(collection_tables.APPLICATION, collection_tables.LAYOUT, "", "make it again with `labkit index`")
    return indexfile.connected(path, layout)


def _application(file: Path) -> int | None:
    """Whose file it is, by the number in its head (SQLite's file format, section 1.3: four bytes at 68); None where there is no file."""
    try:
        with file.open("rb") as stream:
            head = stream.read(72)
    except OSError:
        return None
    return int.from_bytes(head[68:72], "big") if len(head) == 72 else None


def _is_there(database: sqlite3.Connection, statement: str) -> bool:
    name = statement.split("EXISTS ")[1].split()[0]
    return bool(database.execute("SELECT count(*) FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0])


def batches(items: Iterable, size: int = 500):
    """The items, at most `size` at a time: SQLite takes so many values in one statement."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
