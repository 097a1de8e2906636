"""Meaning beside words in a collection's index: a row for each chunk, in the same file, searched with the same filters (lesson 12).

    with CollectionIndex("index.db") as index, CollectionVectors(index, load_embedder()) as vectors:
        index.update(load_inventory())
        vectors.update()
        both = HybridSearch([index.as_search("public"), vectors.as_search("public")])
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Self

from labkit.embedding.cached import content_of
from labkit.embedding.embedder import Embedder
from labkit.errors import BadArgument, IndexFileError
from labkit.retrieval import collection_search
from labkit.retrieval.collection_index import CollectionIndex, IndexSearch
from labkit.retrieval.collection_search import Filter, Found
from labkit.retrieval.vectors import VectorIndex


class CollectionVectors:
    """The rows of a CollectionIndex's chunks by one model, in its file (for an index in memory, in memory). Lesson 12.

    index: open, and it stays so while this is used. embedder: an Embedder. What is embedded is a chunk's passage: its context and its text.
    After `index.update(…)` call `update()`: until then searches refuse, rather than leave out what is new without a word.
    Closes by `.close()`, or at the end of a `with` block; the index stays open. Errors as VectorIndex.
    """

    def __init__(self, index: CollectionIndex, embedder: Embedder):
        if not isinstance(index, CollectionIndex):
            raise BadArgument(f"a CollectionIndex is needed, not {index!r}")
        self.index = index
        self.vectors = VectorIndex(index.path, embedder)
        self._seen: tuple | None = None  # the state of both that `_behind` is of
        self._behind: frozenset[str] = frozenset()

    def update(self) -> int:
        """Embeds what is new or changed, and takes out what is gone. How many chunks were new or changed; a text that was embedded before,
        under whatever id, costs nothing."""
        passages = {chunk.id: chunk.passage for chunk in self.index.chunks("staff")}
        there = self.vectors.contents()
        self.vectors.remove(sorted(there.keys() - passages.keys()))
        new = {id_: text for id_, text in passages.items() if there.get(id_) != content_of(text)}
        self.vectors.add(new.items())
        return len(new)

    def missing(self) -> int:
        """How many chunks have no row yet, or the row of another text."""
        return len(self._missing())

    def _missing(self) -> frozenset[str]:
        """The ids of those chunks. An id alone does not tell: a document's new title is another text under the old id."""
        state = tuple((*each._ask("PRAGMA data_version"), each._database.total_changes) for each in (self.index, self.vectors))
        if state != self._seen:
            there = self.vectors.contents()
            self._behind = frozenset(chunk.id for chunk in self.index.chunks("staff") if there.get(chunk.id) != content_of(chunk.passage))
            self._seen = state
        return self._behind

    def search(
        self,
        query: str,
        k: int = 5,
        access: str = "public",
        as_of: date | str | None = None,
        language: str | None = None,
        version: str | int | None = None,
        allowed: Callable[[str], bool] | None = None,
    ) -> list[Found]:
        """The k chunks nearest to a question, best first; `score` is the cosine. Filters as CollectionIndex.search: they decide before
        anything is ranked, and what they leave out moves no score. Raises IndexFileError where chunks are not embedded yet."""
        chosen = Filter.of(access, as_of, language, version)
        if allowed is not None and not callable(allowed):
            raise BadArgument(f"allowed must be a function that takes a chunk's id, not {allowed!r}")
        condition, values = chosen.sql
        ask = self.index._ask
        fitting = f"SELECT id FROM chunks WHERE document IN (SELECT key FROM documents WHERE {condition})"
        ids = {id_ for (id_,) in ask(fitting, values)}
        if without := len(ids & self._missing()):
            raise IndexFileError(f"{self.index.path}: {without} chunks are not embedded yet — call update() of its CollectionVectors")
        found = []
        for hit in self.vectors.search(query, k, lambda id_: id_ in ids and (allowed is None or allowed(id_))):
            ((document, chunk),) = collection_search.chunks(ask, "chunks.id = ?", (hit.id,))
            found.append(Found(hit.id, hit.score, hit.rank, chunk, next(collection_search.indexed(ask, "key = ?", (document,)))))
        return found

    def as_search(
        self,
        access: str = "staff",
        as_of: date | str | None = None,
        language: str | None = None,
        version: str | int | None = None,
    ) -> DenseIndexSearch:
        """A search for one reader, `search(text, k) -> list of chunks`, as `evaluate` and HybridSearch take it."""
        return DenseIndexSearch(self, Filter.of(access, as_of, language, version))

    def close(self) -> None:
        """Let go of the file. A second call does nothing."""
        self.vectors.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<CollectionVectors of {self.index!r}, {self.vectors.embedder.name}>"


class DenseIndexSearch(IndexSearch):
    """A search by meaning over an index for one reader; it has what IndexSearch has."""

    def __init__(self, vectors: CollectionVectors, chosen: collection_search.Filter):
        super().__init__(vectors.index, chosen)
        self.vectors = vectors

    def found(self, text: str, k: int = 5) -> list[Found]:
        """Results with scores, ranks and documents, best first. Errors as CollectionVectors.search."""
        return self.vectors.search(text, k, **vars(self.chosen))

    def __repr__(self) -> str:
        return f"<search by meaning of {self.index!r}, reader: {self.access}>"
