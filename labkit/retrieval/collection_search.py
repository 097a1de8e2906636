"""Searching an index on disk: filter first, then rank (lesson 08).

What a reader may not see, or did not ask for (another language, another version, a day on which a version does not hold), is left out in
SQL, before anything is ranked: it takes no place among the k, however well its words fit.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime

from labkit.chunking.chunk import Chunk
from labkit.collection import LANGUAGE_TAG
from labkit.dates import read_date
from labkit.errors import BadArgument
from labkit.parsing.blocks import Problem
from labkit.retrieval.citation import Citation
from labkit.retrieval.collection_tables import LABELS, inverted
from labkit.retrieval.connection import given_text
from labkit.retrieval.manifest import IndexedDocument
from labkit.retrieval.passage_search import READERS
from labkit.retrieval.scoring import Ask, ranked, scores, whole_k
from labkit.retrieval.tokenizer import words

_LISTS = ("sections", "section_starts", "pages", "page_starts")
_CHUNK = ("id", "position", "start", "stop", "over_limit", "context", "text", *_LISTS)
_OF_ITS_DOCUMENT = ("key", "doc_id", "version", "access", "language")
_DOCUMENT = (
    f"key, doc_id, version, {', '.join(LABELS)}, digest, problems, page_labels,"
    " (SELECT count(*) FROM chunks WHERE document = documents.key)"
)


@dataclass(frozen=True)
class Found:
    """One result. `score`: BM25, higher is better, not rounded. `rank`: 1-based. `chunk`: what was found, `document`: what it is of."""

    id: str
    score: float
    rank: int
    chunk: Chunk
    document: IndexedDocument

    @property
    def citation(self) -> Citation:
        """Where it stands; `str()` of it is a line."""
        return Citation.of(self.chunk, self.document.title, self.document.page_labels)


@dataclass(frozen=True)
class Filter:
    """Who reads, and what they asked for: a condition on documents.

    `access`: the reader, 'public' or 'staff'. `as_of`: versions in force on that day, the first and the last one counted. `language`: 'fr'
    means 'fr-CA' too; capitals make no difference. `version`: that version alone. None: no such condition.
    """

    access: str
    as_of: date | None = None
    language: str | None = None
    version: str | None = None

    @classmethod
    def of(cls, access: str, as_of: date | str | None = None, language: str | None = None, version: str | int | None = None) -> Filter:
        """Raises BadArgument for an unknown reader, what is no date ('2026-12-01' is one), no language tag, no version."""
        if not isinstance(access, str) or access not in READERS:
            raise BadArgument(f"access is {access!r}: the reader is one of {', '.join(READERS)}")
        day = read_date(as_of) if isinstance(as_of, str) else as_of
        if isinstance(day, datetime):
            day = day.date()
        if day is not None and not isinstance(day, date):
            raise BadArgument(f"as_of is {as_of!r}: give a date, as in '2026-12-01'")
        if language is not None and not (isinstance(language, str) and LANGUAGE_TAG.fullmatch(language)):
            raise BadArgument(f"language is {language!r}: give a language tag, as in 'en', 'fr', 'fr-CA'")
        if isinstance(version, bool) or (version is not None and not isinstance(version, str | int)):
            raise BadArgument(f"version is {version!r}: give it as the inventory has it, as in '3'")
        return cls(access, day, language, None if version is None else str(version))

    @property
    def sql(self) -> tuple[str, tuple]:
        """The condition on a row of `documents`, and its values."""
        labels = sorted(READERS[self.access])
        parts, values = [f"access IN ({', '.join('?' * len(labels))})"], [*labels]
        if self.as_of is not None:
            parts.append("effective_from <= ? AND (effective_to IS NULL OR ? <= effective_to)")
            values += [self.as_of.isoformat()] * 2
        if self.language is not None:
            parts.append("(lower(language) = ? OR lower(language) LIKE ?)")  # a tag holds no % and no _
            values += [self.language.lower(), f"{self.language.lower()}-%"]
        if self.version is not None:
            parts.append("version = ?")
            values.append(self.version)
        return " AND ".join(parts), tuple(values)

    @property
    def open(self) -> bool:
        """Whether the reader is the only condition: then their inverted index holds nothing else."""
        return self.as_of is None and self.language is None and self.version is None


def search(ask: Ask, query: str, k: int, chosen: Filter, allowed: Callable[[str], bool] | None) -> list[Found]:
    """The k best chunks, best first. `allowed` as for KeywordIndex.search, with the id of a chunk."""
    question, k = words(query), whole_k(k)
    if allowed is not None and not callable(allowed):
        raise BadArgument(f"allowed must be a function that takes a chunk's id, not {allowed!r}")
    if k == 0 or not question:
        return []
    only, values = "", ()
    if not chosen.open:
        # Not `rowid IN (…)`: SQLite would then search the inverted index once for each chunk that is allowed.
        condition, values = chosen.sql
        only = f"(SELECT document FROM chunks WHERE key = {inverted(chosen.access)}.rowid) IN (SELECT key FROM documents WHERE {condition})"
    found = scores(ask, inverted(chosen.access), question, only, values)
    results: list[Found] = []
    documents: dict[int, IndexedDocument] = {}
    for id_, score in ranked(found, k if allowed is None else 8 * k, lambda key: ask("SELECT id FROM chunks WHERE key = ?", (key,))[0][0]):
        if allowed is not None and not allowed(id_):
            continue
        ((document, chunk),) = chunks(ask, "chunks.id = ?", (id_,))
        if document not in documents:
            documents[document] = next(indexed(ask, "key = ?", (document,)))
        results.append(Found(id_, score, len(results) + 1, chunk, documents[document]))
        if len(results) == k:
            break
    return results


def chunks(ask: Ask, condition: str = "1", values: tuple = ()) -> Iterator[tuple[int, Chunk]]:
    """(key of its document, chunk) for each chunk that fits the condition, by document and place."""
    columns = [*(f"chunks.{name}" for name in _CHUNK), *(f"documents.{name}" for name in _OF_ITS_DOCUMENT)]
    for row in ask(
        f"SELECT {', '.join(columns)} FROM chunks JOIN documents ON documents.key = chunks.document WHERE {condition}"
        " ORDER BY documents.doc_id, documents.version, chunks.position",
        values,
    ):
        parts = dict(zip((*_CHUNK, *_OF_ITS_DOCUMENT), row, strict=True))
        document, end = parts.pop("key"), parts.pop("stop")
        parts |= {name: tuple(json.loads(parts[name])) for name in _LISTS}
        parts |= {"text": given_text(parts["text"]), "context": given_text(parts["context"]), "over_limit": bool(parts["over_limit"])}
        yield document, Chunk(end=end, **parts)


def indexed(ask: Ask, condition: str = "1", values: tuple = ()) -> Iterator[IndexedDocument]:
    """Each document that fits the condition, by id and version."""
    for row in ask(f"SELECT {_DOCUMENT} FROM documents WHERE {condition} ORDER BY doc_id, version", values):
        _, doc_id, version, *labels, digest, problems, page_labels, number = row
        named = dict(zip(LABELS, labels, strict=True))
        last = named["effective_to"]
        named |= {
            "effective_from": date.fromisoformat(named["effective_from"]),
            "effective_to": None if last is None else date.fromisoformat(last),
        }
        yield IndexedDocument(
            doc_id=doc_id, version=version, digest=digest, chunks=number, **named,
            problems=tuple(Problem(*each) for each in json.loads(problems)),
            page_labels={int(page): label for page, label in json.loads(page_labels).items()},
        )  # fmt: skip
