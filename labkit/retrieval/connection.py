"""The file of an index while it is open: asking it, changing it wholly or not at all, and letting go of it (lessons 04 and 08)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Self

from labkit.errors import BadArgument
from labkit.retrieval import indexfile


class IndexConnection:
    """What the indexes have in common that live in one SQLite file, or in memory.

    A subclass sets `_name` (the path, for messages) and `_connection`. SQLite's own errors become an IndexFileError that says what to do.
    """

    _name: str
    _connection: sqlite3.Connection | None = None

    @property
    def _database(self) -> sqlite3.Connection:
        if self._connection is None:
            raise BadArgument(f"this index ({self._name}) is closed — make a {type(self).__name__} again to go on")
        return self._connection

    def _ask(self, sql: str, values: tuple | dict = ()) -> list[tuple]:
        try:
            return self._database.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise indexfile.told(self._name, error) from error

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Several questions to one state of the file, whatever another process writes meanwhile."""
        if self._database.in_transaction:
            yield
            return
        self._ask("BEGIN")
        try:
            yield
        finally:
            if self._connection is not None and self._connection.in_transaction:
                self._ask("COMMIT")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """All changes of the block or none."""
        if self._database.in_transaction:
            raise BadArgument("the index cannot change in the middle of a search — collect first, then add or remove")
        self._ask("BEGIN IMMEDIATE")
        try:
            yield self._database
            self._database.execute("COMMIT")
        except BaseException as error:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise indexfile.told(self._name, error) from error
            raise

    def close(self) -> None:
        """Let go of the file. An index in memory is gone after it. A second call does nothing."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        with suppress(sqlite3.Error):  # where Python ends, it may come from another thread
            self.close()


def stored_text(text: str) -> str | bytes:
    """The text as SQLite takes it: bytes where a lone surrogate stands in it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def given_text(stored: str | bytes) -> str:
    """The text that was given to `stored_text`."""
    return stored.decode("utf-8", "surrogatepass") if isinstance(stored, bytes) else stored
