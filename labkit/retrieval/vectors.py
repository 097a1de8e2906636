"""A vector index: which texts mean what a question means, best first by cosine, every text compared (lesson 12).

Exact search is one multiplication of a matrix by a row. It has no settings, misses nothing, and on some ten thousand texts it takes a few
milliseconds; what a graph of neighbours saves beyond that is in labkit.retrieval.hnsw.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from labkit.embedding.cached import CachedEmbedder, content_of, embedded_query
from labkit.embedding.embedder import Embedder, checked_rows
from labkit.errors import BadArgument, IndexFileError
from labkit.retrieval.keyword import Hit, checked_ids, texts_by_id
from labkit.retrieval.scoring import whole_k
from labkit.retrieval.vector_store import TABLE, VectorStore, batches

DECIMALS = 4
"""Scores are rounded to this before they are compared. Another processor adds in another order and changes the seventh digit: what is
equal to four stays in the order of ids everywhere."""

_IDS = """
CREATE TABLE IF NOT EXISTS embedded (
    model TEXT NOT NULL, id TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (model, id)) WITHOUT ROWID
"""


class VectorIndex(VectorStore):
    """Ids with their rows, in memory or beside the text in an index's SQLite file. Lesson 12.

    path: ':memory:', or a file: one of a KeywordIndex or CollectionIndex, to which two tables are added, or a new one (which a KeywordIndex
    can open too). embedder: an Embedder (labkit.embedding). One file can hold several models' rows; an index sees its own model's ids only,
    and a text that was embedded before is not embedded again.

    A text or question without letters and digits means nothing: it is kept, never found, and finds nothing. All other questions find all
    other texts: there is always a nearest one, also where none answers. Equal scores (to DECIMALS) are ordered by id.

    Closes by `.close()`, or at the end of a `with` block. Raises BadArgument for values that make no sense, IndexFileError (here or later)
    where the file is not an index of labkit's, or cannot be read or written.
    """

    _tables = (TABLE, _IDS)

    def __init__(self, path: str | Path = ":memory:", embedder: Embedder | None = None):
        if embedder is None or not all(hasattr(embedder, part) for part in ("name", "dimensions", "embed", "embed_query")):
            raise BadArgument(f"a VectorIndex needs an embedder, as load_embedder() gives one, not {embedder!r}")
        super().__init__(path)
        self.embedder = embedder
        self._seen: tuple | None = None  # the state of the file that the matrix is of
        self._contents: dict[str, bytes] = {}
        self._ids: list[str] = []
        self._matrix = np.zeros((0, embedder.dimensions), np.float32)

    # ------------------------------------------------------------------ change

    def add(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Put texts in: pairs of id and text. An id that is there already gets the new text; of two equal ids in `pairs` the last one
        counts. All of them or, where anything fails, none (rows that were made by then stay, and are not made again).

        Raises BadArgument for an id that is not a non-empty string, or a text that is not a string.
        """
        texts = texts_by_id(pairs)
        contents = {id_: content_of(text) for id_, text in texts.items()}
        if not isinstance(self.embedder, CachedEmbedder):
            CachedEmbedder(self.embedder, self).embed(list(texts.values()))
        else:
            rows = self.embedder.embed(list(texts.values())).astype("<f4")
            self.keep(self.embedder.name, {content: row.tobytes() for content, row in zip(contents.values(), rows, strict=True)})
        with self._writing() as database:
            left = self._left_by(database, list(texts))
            database.executemany(
                "INSERT OR REPLACE INTO embedded (model, id, content) VALUES (?, ?, ?)",
                ((self.embedder.name, id_, content) for id_, content in contents.items()),
            )
            self._let_go(database, left)
        self._seen = None

    def remove(self, ids: Iterable[str]) -> None:
        """Take texts out, and their rows where no other id needs them. An id that is not there is passed over. All of them or, where
        anything fails, none. Raises BadArgument for an id that is not a non-empty string."""
        chosen = checked_ids(ids)
        with self._writing() as database:
            left = self._left_by(database, chosen)
            database.executemany("DELETE FROM embedded WHERE model = ? AND id = ?", ((self.embedder.name, id_) for id_ in chosen))
            self._let_go(database, left)
        self._seen = None

    def _left_by(self, database: sqlite3.Connection, ids: list[str]) -> set[bytes]:
        """The contents that these ids stand for now."""
        found = set()
        for few in batches(ids):
            marks = ", ".join("?" * len(few))
            found |= set(
                database.execute(f"SELECT content FROM embedded WHERE model = ? AND id IN ({marks})", (self.embedder.name, *few)).fetchall()
            )
        return {content for (content,) in found}

    def _let_go(self, database: sqlite3.Connection, contents: set[bytes]) -> None:
        """Deletes rows that no id stands for any more: a text that is taken out leaves nothing behind."""
        for few in batches(contents):
            marks = ", ".join("?" * len(few))
            database.execute(
                f"DELETE FROM vectors WHERE model = ? AND content IN ({marks})"
                " AND content NOT IN (SELECT content FROM embedded WHERE model = ?)",
                (self.embedder.name, *few, self.embedder.name),
            )

    # ------------------------------------------------------------------ ask

    def search(self, query: str, k: int = 5, allowed: Callable[[str], bool] | None = None) -> list[Hit]:
        """The k texts nearest to a question, best first; `score` is the cosine, rounded to DECIMALS, 1 at most.

        allowed: id -> whether this text may be a result, asked in rank order until k have been let through; what it refuses takes no place
        and no rank. Raises BadArgument where `query` is no string, or k is not a whole number of 0 or more. An error inside `allowed` comes
        through as it is.
        """
        if not isinstance(query, str):
            raise BadArgument(f"a text is needed, not {query!r}")
        k = whole_k(k)
        if allowed is not None and not callable(allowed):
            raise BadArgument(f"allowed must be a function that takes an id, not {allowed!r}")
        if k == 0 or not len(self):
            return []
        return self.nearest(embedded_query(self.embedder, query), k, allowed)

    def nearest(self, row: np.ndarray, k: int = 5, allowed: Callable[[str], bool] | None = None) -> list[Hit]:
        """As `search`, from a row of length 1 that is there already. [] for a row of zeros."""
        row = checked_rows([row], 1, self.embedder)[0]
        ids, matrix = self.rows()
        hits: list[Hit] = []
        if not row.any() or whole_k(k) == 0:
            return hits
        scores = similarities(matrix, row)
        for place in nearest_first(scores, k if allowed is None else 8 * k):
            if allowed is None or allowed(ids[place]):
                hits.append(Hit(ids[place], float(scores[place]), len(hits) + 1))
                if len(hits) == k:
                    break
        return hits

    def rows(self) -> tuple[list[str], np.ndarray]:
        """All ids that can be found, in order, and their rows (float32, one an id). Not to be changed: searches use them."""
        self._load()
        return self._ids, self._matrix

    def contents(self) -> dict[str, bytes]:
        """Id -> the SHA-256 of its text, as labkit.embedding.cached.content_of gives it: what is there, without the texts."""
        self._load()
        return dict(self._contents)

    def __contains__(self, item_id: str) -> bool:
        self._load()
        return item_id in self._contents

    def _load(self) -> None:
        """Everything into memory, where the file changed since the last time (by whomever)."""
        state = (*self._ask("PRAGMA data_version"), self._database.total_changes)
        if state == self._seen:
            return
        with self._reading():
            found = self._ask(
                "SELECT id, content, vector FROM embedded LEFT JOIN vectors USING (model, content) WHERE model = ? ORDER BY id",
                (self.embedder.name,),
            )
        if any(vector is None for *_, vector in found):
            raise IndexFileError(f"{self._name}: rows of {self.embedder.name} are missing — add the texts again")
        damaged = f"{self._name}: rows of {self.embedder.name} are damaged — add the texts again"
        if any(not isinstance(vector, bytes) or len(vector) % 4 for *_, vector in found):
            raise IndexFileError(damaged)
        numbers = np.frombuffer(b"".join(vector for *_, vector in found), "<f4").astype(np.float32)
        if not np.isfinite(numbers).all():
            raise IndexFileError(damaged)
        if numbers.size != len(found) * self.embedder.dimensions:
            raise IndexFileError(f"{self._name}: its rows are not of {self.embedder.dimensions} numbers — two models have one name")
        matrix = numbers.reshape(len(found), self.embedder.dimensions)
        there = matrix.any(axis=1)
        self._contents = {id_: content for id_, content, _ in found}
        self._ids = [id_ for id_, meant in zip(self._contents, there, strict=True) if meant]
        self._matrix = matrix[there]
        self._matrix.flags.writeable = False
        self._seen = state

    def __len__(self) -> int:
        return self._ask("SELECT count(*) FROM embedded WHERE model = ?", (self.embedder.name,))[0][0]

    def __repr__(self) -> str:
        place = "in memory" if self._name == ":memory:" else f"in {self._name}"
        state = "closed" if self._connection is None else f"{len(self)} texts"
        return f"<VectorIndex {place}, {state}, {self.embedder.name}>"


def similarities(matrix: np.ndarray, row: np.ndarray) -> np.ndarray:
    """The cosine of each row of the matrix with `row`, all of length 1, rounded to DECIMALS."""
    return np.clip(np.round((matrix @ row).astype(np.float64), DECIMALS) + 0.0, -1.0, 1.0)


def nearest_first(scores: np.ndarray, first: int) -> Iterator[int]:
    """The places of the scores, highest first, equal ones in order. `first` (1 or more): how many the caller is likely to take."""
    done = 0
    while done < len(scores):
        chosen = np.arange(len(scores))
        if first < len(scores):
            chosen = np.flatnonzero(scores >= np.partition(scores, -first)[-first])
        best = chosen[np.argsort(-scores[chosen], kind="stable")]
        yield from best[done:].tolist()
        done, first = len(best), 8 * len(best)
