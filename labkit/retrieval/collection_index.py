"""A collection's index on disk: one SQLite file with documents, chunks, an inverted index for each reader, and how it was made (lesson 08).

    index = CollectionIndex("index.db", chunker="by_structure")
    report = index.update(load_inventory())
    for found in index.search("free return label", access="public", as_of="2026-12-01"):
        print(found.rank, found.citation)

What stands in which table: labkit.retrieval.collection_tables. How it is brought up to date: collection_update. How it is searched:
collection_search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from functools import cached_property
from pathlib import Path

from labkit.chunking.chunk import Chunk
from labkit.collection import Document
from labkit.errors import BadArgument
from labkit.passages import Passage
from labkit.retrieval import collection_search, collection_tables, collection_update
from labkit.retrieval.collection_search import Filter, Found
from labkit.retrieval.connection import IndexConnection
from labkit.retrieval.cutting import chunker_of
from labkit.retrieval.manifest import IndexedDocument, Manifest, Report, edition, in_order
from labkit.retrieval.reading_ahead import ReadAhead

__all__ = ["CollectionIndex", "Found", "IndexSearch", "IndexedDocument", "Manifest", "Report"]


class CollectionIndex(IndexConnection):
    """The chunks of a collection in one SQLite file, or in memory; searched as one reader or another. Lesson 08.

    path: ':memory:', or a file, made where there is none. chunker: 'by_structure', 'fixed(size=50)', a function of labkit's or of your own
    (see labkit.retrieval.cutting); None: the one that the file was made with, by_structure for a new one. read_only: the file must be
    there, and nothing is written to it.

    A question is plain words, and scores are KeywordIndex's over the same passages: those that the reader may see. Equal scores (to ten
    digits) are ordered by chunk id.

    Closes by `.close()`, or at the end of a `with` block. Raises BadArgument for values that make no sense, IndexFileError (here or later)
    where the file is not an index of this kind, was cut by another chunker, or cannot be read or written.
    """

    def __init__(self, path: str | Path = ":memory:", chunker: object = None, *, read_only: bool = False):
        wanted = None if chunker is None else chunker_of(chunker)
        if read_only and str(path) == ":memory:":
            raise BadArgument("an index in memory is empty when it is made, so read_only makes no sense for it — name a file")
        self._name = str(path)
        self._connection, self.chunker = collection_tables.opened(path, wanted, read_only=read_only)

    @property
    def path(self) -> str:
        """The file's name as it was given; ':memory:' where there is none."""
        return self._name

    # ------------------------------------------------------------------ change

    def update(
        self,
        documents: Iterable[Document],
        *,
        parse: Callable[[Document], object] | None = None,
        progress: Callable[[int, int, Document], None] | None = None,
        pages: Callable[[int, int], None] | None = None,
    ) -> Report:
        """Brings the index up to date with a collection: `documents` are all of it, as load_inventory() gives them.

        A document goes in whole or not at all, in a transaction of its own. One whose file and labels did not change is left alone; one
        that is no longer among `documents` goes. What can be read only in part is searched in part, and its problems are kept; of what
        cannot be read at all, or has an unknown access label, nothing is searched, also where an earlier version of it was.
        `parse`: what reads a document; unless told labkit's own, PDFs on all cores. `progress(number, of, document)` is called before each
        document, `number` from 1; `pages(done, all)` as PDFs are read, in pages of those that are read together.

        Raises BadArgument where `documents` are none or a version stands twice, IndexFileError where the index is another collection's or
        cannot be written. What went in before such an error stays in.
        """
        update = collection_update
        documents = update.checked(documents)
        collection = update.collection_name(documents)
        update.check_collection(self._fact("collection"), collection, self._name)
        standing = update.standing(self._ask)
        names: dict[str, list[str]] = {"added": [], "changed": [], "unchanged": [], "not_indexed": [], "removed": []}
        given = {(document.doc_id, document.version) for document in documents}
        for name in sorted(set(standing) - given):
            with self._writing() as database:
                update.forget(database, *name)
                update.sign(database, "")
            names["removed"].append(edition(*name))
        read = parse or ReadAhead((each for each in documents if self._is_behind(each, standing)), pages)
        for number, document in enumerate(documents, start=1):
            if progress is not None:
                progress(number, len(documents), document)
            seen = standing.get((document.doc_id, document.version))
            outcome = self._bring(document, seen, read, collection)
            names[outcome].append(edition(document.doc_id, document.version))
        return Report(**{what: in_order(these) for what, these in names.items()}, not_whole=tuple(self.not_whole()))

    def _is_behind(self, document: Document, standing: dict) -> bool:
        """Whether a PDF is going to be read; of other documents, nobody asks."""
        seen = standing.get((document.doc_id, document.version))
        update = collection_update
        return document.format == "pdf" and not (self.chunker.own and update.is_unchanged(seen, document, update.digest_of(document)))

    def _bring(self, document: Document, seen: collection_update.Seen | None, parse: Callable, collection: str) -> str:
        """One document brought up to date; what a Report calls that."""
        update = collection_update
        digest = update.digest_of(document)
        if self.chunker.own and update.is_unchanged(seen, document, digest):
            return "unchanged" if seen.chunks else "not_indexed"
        outcome = update.read(document, self.chunker, parse, digest)
        same = seen is not None and (seen.digest, seen.labels) == (digest, update.labels_of(document))
        if same and update.holds(self._ask, seen, outcome):
            if not update.was_made_now(seen):
                with self._writing() as database:
                    update.mark_read(database, seen)
            return "unchanged" if outcome.chunks else "not_indexed"
        with self._writing() as database:
            update.put(database, document, outcome)
            update.sign(database, collection)
        if not outcome.chunks:
            return "not_indexed"
        return "changed" if seen is not None and seen.chunks else "added"

    def outdated(self, documents: Iterable[Document]) -> Report:
        """What `update` would have to do, as far as files and labels tell; nothing is read but the files' bytes, and nothing is written."""
        update = collection_update
        documents = update.checked(documents)
        standing = update.standing(self._ask)
        names: dict[str, list[str]] = {"added": [], "changed": [], "unchanged": [], "not_indexed": [], "removed": []}
        for document in documents:
            seen = standing.pop((document.doc_id, document.version), None)
            digest = update.digest_of(document)
            if update.is_unchanged(seen, document, digest):
                what = "unchanged" if seen.chunks else "not_indexed"
            elif not digest:
                what = "not_indexed"
            else:
                what = "changed" if seen is not None else "added"
            names[what].append(edition(document.doc_id, document.version))
        names["removed"] = [edition(*name) for name in standing]
        return Report(**{what: in_order(these) for what, these in names.items()}, not_whole=tuple(self.not_whole()))

    # ------------------------------------------------------------------ ask

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
        """The k best chunks for a question, best first; fewer where fewer hold any of its words; [] where it has no words.

        access: the reader; 'public' sees public chunks, 'staff' both. as_of: only versions in force on that day ('2026-12-01' or a date).
        language: only this one ('fr' means 'fr-CA' too). version: only this one. allowed: chunk id -> whether it may be a result, asked in
        rank order as by KeywordIndex. All of them are decided before anything is counted, and move no score: all chunks that the
        reader may see count for rarity and average length.
        Raises BadArgument for an unknown reader, what is no date, language tag or version, and as KeywordIndex.search.
        """
        chosen = Filter.of(access, as_of, language, version)
        with self._reading():
            return collection_search.search(self._ask, query, k, chosen, allowed)

    def as_search(
        self,
        access: str = "staff",
        as_of: date | str | None = None,
        language: str | None = None,
        version: str | int | None = None,
    ) -> IndexSearch:
        """A search for one reader, `search(text, k) -> list of chunks`, as `evaluate` takes it."""
        return IndexSearch(self, Filter.of(access, as_of, language, version))

    def chunks(self, access: str = "staff", as_of=None, language=None, version=None) -> list[Chunk]:
        """The chunks that a search with these filters searches, by document and place."""
        condition, values = Filter.of(access, as_of, language, version).sql
        with self._reading():
            return [
                chunk
                for _, chunk in collection_search.chunks(self._ask, f"document IN (SELECT key FROM documents WHERE {condition})", values)
            ]

    def count(self, access: str = "staff", as_of=None, language=None, version=None) -> int:
        """How many chunks a search with these filters searches."""
        condition, values = Filter.of(access, as_of, language, version).sql
        return self._ask(f"SELECT count(*) FROM chunks WHERE document IN (SELECT key FROM documents WHERE {condition})", values)[0][0]

    def documents(self, access: str = "staff", as_of=None, language=None, version=None) -> list[IndexedDocument]:
        """The documents that fit, by id and version; those of which nothing is searched among them."""
        condition, values = Filter.of(access, as_of, language, version).sql
        with self._reading():
            return list(collection_search.indexed(self._ask, condition, values))

    def not_whole(self, access: str | None = None, as_of=None, language=None, version=None) -> list[IndexedDocument]:
        """The documents of which something could not be read, or nothing is searched. `access`: only those that this reader may know of,
        and that fit the other filters; None: all of them, those with an unknown access label too."""
        condition, values = ("1", ()) if access is None else Filter.of(access, as_of, language, version).sql
        with self._reading():
            return list(collection_search.indexed(self._ask, f"problems <> '[]' AND {condition}", values))

    def manifest(self) -> Manifest:
        """How the index was made, and of what."""
        with self._reading():
            documents = tuple(collection_search.indexed(self._ask))
            facts = {name: self._fact(name) for name in ("collection", "chunker", "tokenizer", "labkit")}
        return Manifest(**facts, layout=collection_tables.LAYOUT, documents=documents)

    def __len__(self) -> int:
        return self._ask("SELECT count(*) FROM chunks")[0][0]

    def _fact(self, name: str) -> str:
        return self._ask("SELECT value FROM manifest WHERE name = ?", (name,))[0][0]

    def __repr__(self) -> str:
        place = "in memory" if self._name == ":memory:" else f"in {self._name}"
        state = "closed" if self._connection is None else f"{len(self)} chunks"
        return f"<CollectionIndex {place}, {state}, {self.chunker}>"


class IndexSearch:
    """A search over an index for one reader: `search(text, k)` gives the k best chunks, in rank order.

    It has what KeywordSearch has: `passages` (what this reader searches), `given` (everything that is in the index, for `why_missed`, with
    `allowed=search.allows`), `not_read` (documents of which nothing is searched, as far as this reader may know of them).
    """

    def __init__(self, index: CollectionIndex, chosen: Filter):
        self.index, self.chosen = index, chosen
        self.access = chosen.access

    def found(self, text: str, k: int = 5) -> list[Found]:
        """Results with scores, ranks and documents, best first. Errors as CollectionIndex.search."""
        return self.index.search(text, k, **vars(self.chosen))

    def __call__(self, text: str, k: int = 5) -> list[Chunk]:
        return [found.chunk for found in self.found(text, k)]

    def allows(self, passage: Passage) -> bool:
        """Whether this search may bring the passage."""
        return passage.id in self._ids

    @property
    def number(self) -> int:
        """How many chunks are searched."""
        return self.index.count(**vars(self.chosen))

    @cached_property
    def passages(self) -> list[Chunk]:
        """The chunks that are searched, by document and place; as they were when first asked for."""
        return self.index.chunks(**vars(self.chosen))

    @cached_property
    def given(self) -> list[Chunk]:
        """All chunks of the index; as they were when first asked for."""
        return self.index.chunks("staff")

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(chunk.id for chunk in self.passages)

    @property
    def not_read(self) -> list[IndexedDocument]:
        """Documents of which nothing is searched."""
        return [document for document in self.not_whole if not document.chunks]

    @property
    def not_whole(self) -> list[IndexedDocument]:
        """Documents of which something is missing, as far as this reader may know of them: what a search must say beside its results."""
        return self.index.not_whole(**vars(self.chosen))

    def __repr__(self) -> str:
        return f"<search of {self.index!r}, reader: {self.access}>"
