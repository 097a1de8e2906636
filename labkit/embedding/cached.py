"""No text is embedded twice: rows are kept by what the text is and which model made them (lesson 12)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from labkit.embedding.embedder import Embedder, checked_rows, checked_texts
from labkit.errors import BadArgument

_QUERIES = 2_000  # how many questions' rows stay in memory


class Store(Protocol):
    """Where rows are kept: bytes by model and content."""

    def fetch(self, model: str, contents: Sequence[bytes]) -> dict[bytes, bytes]:
        """Those of the contents that are there, with their rows."""
        ...

    def keep(self, model: str, rows: Mapping[bytes, bytes]) -> None:
        """Puts rows in, all or none."""
        ...


class InMemory:
    """A Store that is gone when the program ends."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, bytes], bytes] = {}

    def fetch(self, model: str, contents: Sequence[bytes]) -> dict[bytes, bytes]:
        """As Store says."""
        return {content: self._rows[model, content] for content in contents if (model, content) in self._rows}

    def keep(self, model: str, rows: Mapping[bytes, bytes]) -> None:
        """As Store says."""
        self._rows |= {(model, content): row for content, row in rows.items()}


class CachedEmbedder:
    """An Embedder that asks another one only for texts that `store` does not hold yet. Lesson 12.

    store: a VectorStore (labkit.retrieval.vector_store), which is an index's file; None: this program's memory. Rows are kept by the
    SHA-256 of the text and the model's name; the model must not change under one name. What was embedded is kept every 256 texts, so that
    an interrupted run goes on where it stopped. A row that is damaged is made anew. Questions are kept in memory only, never in a file:
    what people ask is theirs.

    `embedded`: how many texts the model was asked for so far, questions apart.
    """

    def __init__(self, embedder: Embedder, store: Store | None = None):
        self.model = embedder
        self.store = InMemory() if store is None else store
        self.name, self.dimensions = embedder.name, embedder.dimensions
        self.embedded = 0
        self._queries: dict[str, np.ndarray] = {}

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """As Embedder says."""
        texts = checked_texts(texts)
        contents = [content_of(text) for text in texts]
        different = dict(zip(contents, texts, strict=True))
        fetched = self.store.fetch(self.name, list(different))
        known = {content: row for content, stored in fetched.items() if (row := self._row(stored)) is not None}
        missing = [content for content in different if content not in known]
        for start in range(0, len(missing), 256):
            these = missing[start : start + 256]
            rows = embedded_by(self.model, [different[content] for content in these])
            self.embedded += len(these)
            self.store.keep(self.name, {content: row.tobytes() for content, row in zip(these, rows, strict=True)})
            known |= zip(these, rows, strict=True)
        return np.stack([known[content] for content in contents]) if contents else np.zeros((0, self.dimensions), np.float32)

    def embed_query(self, text: str) -> np.ndarray:
        """As Embedder says."""
        if not isinstance(text, str):
            raise BadArgument(f"a text is needed, not {text!r}")
        if text not in self._queries:
            if len(self._queries) >= _QUERIES:
                self._queries.pop(next(iter(self._queries)))
            self._queries[text] = embedded_query(self.model, text)
        return self._queries[text].copy()

    def _row(self, stored: object) -> np.ndarray | None:
        """The row that was kept; None for what no model gave (a damaged file): it is embedded again."""
        if not isinstance(stored, bytes) or len(stored) % 4:
            return None
        row = np.frombuffer(stored, dtype="<f4").astype(np.float32)
        if row.shape != (self.dimensions,):
            raise BadArgument(f"two models are called {self.name}: the store has {len(row)} numbers a text, this one {self.dimensions}")
        return row if np.isfinite(row).all() else None

    def __repr__(self) -> str:
        return f"<{self.name}, cached>"


def content_of(text: str) -> bytes:
    """What a text is, in 32 bytes: its SHA-256 (lone surrogates and all)."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def embedded_by(embedder: Embedder, texts: Sequence[str]) -> np.ndarray:
    """The embedder's rows as float32, checked. Errors as `checked_rows` has them."""
    return checked_rows(embedder.embed(texts), len(texts), embedder)


def embedded_query(embedder: Embedder, text: str) -> np.ndarray:
    """The embedder's row of a question as float32, checked."""
    return checked_rows([embedder.embed_query(text)], 1, embedder)[0]
