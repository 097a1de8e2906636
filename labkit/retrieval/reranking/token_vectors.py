"""What a text is to late interaction: not one row of numbers but many, one for each of its smaller parts (lesson 13).

Which parts, depends on the model at hand, and it matters:

- WordVectors: one row a word, each word embedded alone, by any Embedder. A word means the same wherever it stands: the 'bank' of a river and
  the one that lends money are one row.
- SentenceVectors: one row a sentence, by any Embedder. Fewer rows, each with its sentence as context.
- PieceVectors: one row a piece of a word, as a transformer sees it inside its sentence (an OnnxEmbedder gives them). This comes nearest to
  what ColBERT compares; but ColBERT's rows were trained for it, and those of a sentence model were not.

Rows have length 1, or are all zeros where there is nothing to embed; so the product of two matrices holds the cosines.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from labkit.chunking.sentences import sentence_starts
from labkit.embedding.embedder import Embedder
from labkit.embedding.onnx_model import OnnxEmbedder
from labkit.errors import BadArgument
from labkit.retrieval.tokenizer import words

DECIMALS = 4  # of a cosine: what processors add up differently stands behind these
_ROWS_KEPT = 200_000 * 512  # numbers kept in memory; then it begins anew


class TokenVectors(Protocol):
    """Cuts a text in parts, with a row for each. `name` says which model and which parts."""

    name: str

    def parts(self, text: str) -> tuple[list[str], np.ndarray]:
        """The parts of the text in order, repeats kept, and their rows, float32, shape (parts, dimensions). ([], no rows) for a text
        without letters and digits."""
        ...


class _ByEmbedder:
    """Parts that an Embedder embeds one by one; each different part once."""

    kind = ""

    def __init__(self, embedder: Embedder):
        if not all(hasattr(embedder, part) for part in ("name", "dimensions", "embed")):
            raise BadArgument(f"an embedder is needed, as load_embedder() gives one, not {embedder!r}")
        self.embedder = embedder
        self.name = f"{self.kind} by {embedder.name}"
        self._rows: dict[str, np.ndarray] = {}

    def parts(self, text: str) -> tuple[list[str], np.ndarray]:
        """As TokenVectors says."""
        if not isinstance(text, str):
            raise BadArgument(f"a text is needed, not {text!r}")
        cut = self._cut(text)
        if (len(self._rows) + len(cut)) * self.embedder.dimensions > _ROWS_KEPT:
            self._rows.clear()
        missing = [part for part in dict.fromkeys(cut) if part not in self._rows]
        if missing:
            self._rows |= zip(missing, np.asarray(self.embedder.embed(missing), np.float32), strict=True)
        if not cut:
            return [], np.zeros((0, self.embedder.dimensions), np.float32)
        return cut, np.stack([self._rows[part] for part in cut])

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
        starts = sentence_starts(text)
        sentences = (text[start:end].strip() for start, end in zip(starts, [*starts[1:], len(text)], strict=True))
        return [sentence for sentence in sentences if any(map(str.isalnum, sentence))]


class PieceVectors:
    """One row a piece, in its context, from an OnnxEmbedder. Lesson 13. What stands beyond the model's longest text is not read."""

    def __init__(self, model: OnnxEmbedder):
        model = model if hasattr(model, "pieces") else getattr(model, "model", model)  # inside a CachedEmbedder
        if not hasattr(model, "pieces"):
            raise BadArgument(f"{model!r} does not give rows for the pieces of a text — load_embedder('english') does, or one from a folder")
        self.model = model
        self.name = f"pieces by {model.name}"

    def parts(self, text: str) -> tuple[list[str], np.ndarray]:
        """As TokenVectors says."""
        return self.model.pieces(text)

    def __repr__(self) -> str:
        return f"<{self.name}>"


def cosines(question: np.ndarray, passage: np.ndarray) -> np.ndarray:
    """The cosine of each part of a question with each part of a passage, shape (question's, passage's), 4 decimals, from -1 to 1."""
    return np.clip(np.round(question.astype(np.float64) @ passage.astype(np.float64).T, DECIMALS), -1.0, 1.0)
