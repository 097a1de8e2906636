"""What an index is made of: the collection, the chunker, the versions, and for each document its digest and what of it could not be read
(lesson 08)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import date

from labkit.parsing.blocks import Problem


@dataclass(frozen=True)
class IndexedDocument:
    """One version of a document as an index knows it: its labels, as in the inventory, and what came of it.

    `digest` is the SHA-256 of its file, 64 hex digits, '' where the file could not be read. `chunks` is how many of its chunks are
    searched; 0: nothing of it is. `problems`: what of it could not be read; () where it is whole. `page_labels`: physical page (1-based)
    -> what is printed on it, where that is something else than its number.
    """

    doc_id: str
    version: str
    title: str
    effective_from: date
    effective_to: date | None
    owner: str
    access: str
    language: str
    doc_type: str
    format: str
    file: str
    digest: str
    chunks: int
    problems: tuple[Problem, ...] = ()
    page_labels: dict[int, str] = field(default_factory=dict, hash=False)

    @property
    def name(self) -> str:
        """'returns-policy@v3'."""
        return edition(self.doc_id, self.version)

    def told(self) -> list[str]:
        """A sentence for each problem: which file, where, what, and what to do; first of all, that nothing of it is searched."""
        said = [f"{self.file}: {problem}" for problem in self.problems]
        return [f"not searched: {sentence}" for sentence in said] if not self.chunks else [f"not whole: {sentence}" for sentence in said]


@dataclass(frozen=True)
class Manifest:
    """How an index was made. `collection`: the name of the collection's folder. `chunker` with its parameters: 'fixed(size=100)'.
    `labkit`: the version that last changed it. `layout`: the version of its tables. `documents` by id and version."""

    collection: str
    chunker: str
    tokenizer: str
    labkit: str
    layout: int
    documents: tuple[IndexedDocument, ...]

    @property
    def chunks(self) -> int:
        """How many chunks the index holds, over all readers."""
        return sum(document.chunks for document in self.documents)

    def as_dict(self) -> dict:
        """The manifest as JSON knows it; the same for the same documents, wherever and whenever the index was made."""
        return asdict(self) | {"chunks": self.chunks, "documents": [_as_dict(each) for each in self.documents]}


@dataclass(frozen=True)
class Report:
    """What an update did. Each document that was given stands in one of the first four, as 'returns-policy@v3', sorted.

    `added` and `changed`: read and cut now. `unchanged`: not touched. `not_indexed`: nothing of it could be read, so nothing of it is
    searched. `removed`: was in the index, and is not in the collection any more. `not_whole`: every document of which something is missing.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    not_indexed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    not_whole: tuple[IndexedDocument, ...] = ()

    def __str__(self) -> str:
        counts = ((self.added, "added"), (self.changed, "changed"), (self.unchanged, "unchanged"), (self.removed, "removed"))
        text = ", ".join(f"{len(names)} {what}" for names, what in counts)
        return f"{text}, {len(self.not_indexed)} not indexed" if self.not_indexed else text

    @property
    def any_change(self) -> bool:
        """Whether the index is another one than before."""
        return bool(self.added or self.changed or self.removed)


def edition(doc_id: str, version: str) -> str:
    """'returns-policy@v3', as in a section's id."""
    return f"{doc_id}@v{version}"


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Names as a Report has them."""
    return tuple(sorted(names))


def _as_dict(document: IndexedDocument) -> dict:
    last = document.effective_to
    return asdict(document) | {
        "effective_from": str(document.effective_from),
        "effective_to": None if last is None else str(last),
        "page_labels": {str(number): label for number, label in document.page_labels.items()},
        "problems": [asdict(problem) for problem in document.problems],
    }
