"""What a text is to late interaction: not one row of numbers but many, one for each of its smaller parts (lesson 13).

Which parts, depends on the model at hand, and it matters:

- WordVectors: one row a word, each word embedded alone, by any Embedder. A word means the same wherever it stands: the 'bank' of a river
  and the one that lends money are one row.
- SentenceVectors: one row a sentence, by any Embedder. Fewer rows, each with its sentence as context.
- PieceVectors: one row a piece of a word, as a transformer sees it inside its sentence (an OnnxEmbedder gives them). This comes nearest to
  what ColBERT compares; but ColBERT's rows were trained for it, and those of a sentence model were not.

Rows have length 1, or are all zeros where there is nothing to embed; so the product of two matrices holds the cosines.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from itertools import chain, pairwise
from typing import Protocol

import numpy as np
from threadpoolctl import ThreadpoolController

from labkit.chunking.sentences import sentence_starts
from labkit.embedding.embedder import Embedder, checked_rows
from labkit.embedding.onnx_model import OnnxEmbedder
from labkit.errors import BadArgument
from labkit.retrieval.tokenizer import words

DECIMALS = 4  # of a cosine: what processors add up differently stands behind these
_KEPT = 30_000_000  # numbers kept in memory (120 MB); then it begins anew
_KEPT_PARTS = 2_000_000  # of texts that are cut already


class TokenVectors(Protocol):
    """Cuts a text in parts, with a row for each. `name` says which model and which parts."""

    name: str

    def parts(self, text: str) -> tuple[list[str], np.ndarray]:
        """The parts of the text in order, repeats kept, and their rows, float32, shape (parts, dimensions). ([], no rows) for a text
        without letters and digits."""
        ...


class _Seen:
    """What was made of a text: the same passages come up for one question after another. It holds so much, by `size`, and begins anew."""

    def __init__(self, most: int, size: Callable) -> None:
        self._found: dict[str, object] = {}
        self._most, self._size, self._kept = most, size, 0

    def of(self, text: str, make: Callable):
        if text not in self._found:
            found = make(text)
            if self._kept + self._size(found) > self._most:
                self._found.clear()
                self._kept = 0
            self._found[text] = found
            self._kept += self._size(found)
        return self._found[text]


class _ByEmbedder:
    """Parts that an Embedder embeds one by one; each different part once."""

    kind = ""

    def __init__(self, embedder: Embedder):
        if not all(hasattr(embedder, part) for part in ("name", "dimensions", "embed")):
            raise BadArgument(f"an embedder is needed, as load_embedder() gives one, not {embedder!r}")
        self.embedder = embedder
        self.name = f"{self.kind} by {embedder.name}"
        self._rows: dict[str, np.ndarray] = {}
        self._seen = _Seen(_KEPT_PARTS, len)

    def parts(self, text: str) -> tuple[list[str], np.ndarray]:
        """As TokenVectors says."""
        cut = self._parts_of(text)
        return list(cut), self._rows_of(cut)

    def near(self, query: str, texts: Sequence[str]) -> list[np.ndarray]:
        """As `nearness` says. A part has one row wherever it stands, so each different one is multiplied once."""
        each = [self._parts_of(text) for text in texts]
        place = {part: number for number, part in enumerate(dict.fromkeys(chain.from_iterable(each)))}
        (near,) = cosines(self.parts(query)[1], [self._rows_of(place)])
        return [near[:, [place[part] for part in parts]] for parts in each]

    def _parts_of(self, text: str) -> list[str]:
        if not isinstance(text, str):
            raise BadArgument(f"a text is needed, not {text!r}")
        return self._seen.of(text, self._cut)

    def _rows_of(self, parts: Collection[str]) -> np.ndarray:
        """Shape (parts, dimensions)."""
        if not parts:
            return np.zeros((0, self.embedder.dimensions), np.float32)
        if (len(self._rows) + len(parts)) * self.embedder.dimensions > _KEPT:
            self._rows.clear()
        missing = [part for part in dict.fromkeys(parts) if part not in self._rows]
        if missing:
            rows = checked_rows(self.embedder.embed(missing), len(missing), self.embedder)
            self._rows |= zip(missing, rows, strict=True)
        return np.stack([self._rows[part] for part in parts])

    def _cut(self, text: str) -> list[str]:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{self.name}>"


class WordVectors(_ByEmbedder):
    """One row a word (as the index sees words: lower case, no accents), each embedded alone. Lesson 13."""

    kind = "words"

    def _cut(self, text: str) -> list[str]:
        return words(text)


class SentenceVectors(_ByEmbedder):
    """One row a sentence. Lesson 13. In a question, too: mostly one or two."""

    kind = "sentences"

    def _cut(self, text: str) -> list[str]:
        sentences = (text[start:end].strip() for start, end in pairwise([*sentence_starts(text), len(text)]))
        return [sentence for sentence in sentences if any(map(str.isalnum, sentence))]


class PieceVectors:
    """One row a piece, in its context, from an OnnxEmbedder. Lesson 13. What stands beyond the model's longest text is not read."""

    def __init__(self, model: OnnxEmbedder):
        model = model if hasattr(model, "pieces") else getattr(model, "model", model)  # inside a CachedEmbedder
        if not hasattr(model, "pieces"):
            raise BadArgument(f"{model!r} gives no rows for the pieces of a text — load_embedder('english') does, or one from a folder")
        self.model = model
        self.name = f"pieces by {model.name}"
        self._seen = _Seen(_KEPT, lambda found: found[1].size)

    def parts(self, text: str) -> tuple[list[str], np.ndarray]:
        """As TokenVectors says."""
        return self._seen.of(text, self.model.pieces)

    def __repr__(self) -> str:
        return f"<{self.name}>"


def nearness(vectors: TokenVectors, query: str, texts: Sequence[str]) -> list[np.ndarray]:
    """For each text the cosine of each part of the question with each of its own, as `cosines` gives them."""
    if hasattr(vectors, "near"):
        return vectors.near(query, texts)
    return cosines(vectors.parts(query)[1], [vectors.parts(text)[1] for text in texts])


def cosines(question: np.ndarray, passages: Sequence[np.ndarray]) -> list[np.ndarray]:
    """For each passage the cosine of each part of a question with each of its own, shape (question's, passage's), 4 decimals, -1 to 1.

    On one thread: matrices this small take longer to be shared out than to be multiplied, thirty times as long where others compute too.
    """
    wide = question.astype(np.float64)
    with _threads().limit(limits=1, user_api="blas"):
        return [np.clip(np.round(wide @ rows.astype(np.float64).T, DECIMALS), -1.0, 1.0) for rows in passages]


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()
