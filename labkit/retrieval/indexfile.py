"""The file that an index lives in: making one, and knowing one when it is opened again (lesson 04).

A keyword index has three tables: `passages` (id and text as given), `inverted` (FTS5: the searchable text and its inverted index),
`settings`. Two numbers in the file's head, which SQLite has for this, say whose file it is and in which layout.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from labkit.errors import BadArgument, IndexFileError
from labkit.retrieval.tokenizer import STEMMED

APPLICATION = 0x4C41424B  # 'LABK', in the place that SQLite's file format has for the name of the program
LAYOUT = 1  # raised whenever the tables, or what `searchable` does, change
PATIENCE = 10.0  # seconds to wait while another process writes

_TABLES = """
CREATE TABLE passages (key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text NOT NULL);
CREATE VIRTUAL TABLE inverted USING fts5(text, tokenize='{tokenizer}');
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO settings VALUES ('tokenizer', '{tokenizer}');
"""


def opened(path: str | Path, tokenizer: str) -> sqlite3.Connection:
    """A connection to a keyword index, made where there is none, with two more tables for reading it back: `vocabulary` (one row a word)
    and `instances` (one row an occurrence).

    Raises BadArgument for a path that is none, IndexFileError where the file is not an index, or was made with another tokenizer.
    """
    database = connected(path, layout(tokenizer))
    with closed_on_error(database, str(path)):
        _check_tokenizer(database, str(path), tokenizer)
        database.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, inverted, row)")
        database.execute("CREATE VIRTUAL TABLE temp.instances USING fts5vocab(main, inverted, instance)")
    return database


class Layout(NamedTuple):
    """What a kind of index file looks like: the program's mark and the layout's number, both in the file's head, and the statements that
    make its tables, each with a semicolon at the end of its line."""

    application: int
    number: int
    statements: str
    again: str = "build the index again from its texts"


def layout(tokenizer: str) -> Layout:
    """The layout of a keyword index with this tokenizer."""
    return Layout(APPLICATION, LAYOUT, _TABLES.format(tokenizer=tokenizer))


def connected(path: str | Path, layout: Layout, *, read_only: bool = False) -> sqlite3.Connection:
    """A connection to an index file of this layout; its tables are made where it is new. `read_only`: nothing is made or written.

    Raises BadArgument for a path that is none, IndexFileError where the file is something else, or cannot be opened.
    """
    name = str(path)
    if not isinstance(path, str | Path) or not name or "\0" in name:
        raise BadArgument(f"path must be ':memory:' or the name of a file, not {path!r}")
    if name != ":memory:":
        _look(Path(name))
    if read_only and not Path(name).exists():
        raise IndexFileError(f"{name}: there is no such file — {layout.again}")
    try:
        target = f"{Path(name).absolute().as_uri()}?mode=ro" if read_only else name
        database = sqlite3.connect(target, timeout=PATIENCE, isolation_level=None, uri=read_only)
    except sqlite3.Error as error:
        raise told(name, error) from error
    with closed_on_error(database, name):
        database.execute("PRAGMA temp_store = MEMORY")
        if not read_only and _is_new(database):
            database.execute("BEGIN IMMEDIATE")
            if _is_new(database):  # still: another process may have been quicker
                for statement in layout.statements.split(";\n"):
                    database.execute(statement)
                database.execute(f"PRAGMA application_id = {layout.application}")
                database.execute(f"PRAGMA user_version = {layout.number}")
            database.execute("COMMIT")
        _check_head(database, name, layout)
    return database


@contextmanager
def closed_on_error(database: sqlite3.Connection, name: str) -> Iterator[None]:
    """Lets go of the file where the block fails; SQLite's own errors become an IndexFileError."""
    try:
        yield
    except BaseException as error:
        database.close()
        if isinstance(error, sqlite3.Error):
            raise told(name, error) from error
        raise


def _look(file: Path) -> None:
    """The place is one where an index can be. SQLite itself would take a file of a few bytes for an empty one, and write over it."""
    try:
        if file.is_dir():
            raise IndexFileError(f"{file} is a folder — name a file in it, for example {file / 'index.db'}")
        if not file.parent.is_dir():
            raise IndexFileError(f"{file}: there is no folder {file.parent} — make it first")
        if not file.exists():
            return
        if not file.is_file():
            raise IndexFileError(f"{file} is not a file that can hold an index — name another one")
        with file.open("rb") as stream:
            start = stream.read(16)
    except OSError as error:
        raise IndexFileError(f"{file}: {error.strerror} — check that you may read it, or name a file elsewhere") from error
    if start and start != b"SQLite format 3\0":
        raise IndexFileError(f"{file} is a file of something else, and is left as it is — name another file")


def _is_new(database: sqlite3.Connection) -> bool:
    """Nothing is in the file, and no program has put its mark on it."""
    return not (
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        or database.execute("PRAGMA application_id").fetchone()[0]
        or database.execute("PRAGMA user_version").fetchone()[0]
    )


def _check_head(database: sqlite3.Connection, name: str, layout: Layout) -> None:
    """The file is an index of this kind and this layout. Nothing is written."""
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (number,) = database.execute("PRAGMA user_version").fetchone()
    if application != layout.application:
        raise IndexFileError(f"{name} is a file of something else, and is left as it is — name another file")
    if number != layout.number:
        raise IndexFileError(
            f"{name} was made by another version of labkit (layout {number}; this one reads {layout.number}) — "
            f"delete the file and {layout.again}"
        )


def _check_tokenizer(database: sqlite3.Connection, name: str, tokenizer: str) -> None:
    ((made_with,),) = database.execute("SELECT value FROM settings WHERE name = 'tokenizer'").fetchall()
    if made_with != tokenizer:
        stem = made_with == STEMMED
        raise IndexFileError(
            f"{name} was made with stem={stem}; texts and questions must be cut alike — "
            f"open it with stem={stem}, or use another file for stem={not stem}"
        )


def told(name: str, error: sqlite3.Error) -> IndexFileError:
    """SQLite's words for what went wrong with the file, and what to do."""
    said = str(error)
    if "locked" in said:
        todo = "another program is writing to it; close that, or try again"
    elif "readonly" in said or "unable to open" in said:
        todo = "check that the folder is there and that you may write in it, or name a file elsewhere"
    elif "thread" in said:
        todo = "open the index again in each thread"
    elif "full" in said:
        todo = "free some space; the index is as it was before"
    else:
        todo = "if the file is damaged, delete it and build the index again from its texts"
    return IndexFileError(f"{name}: {said} — {todo}")
