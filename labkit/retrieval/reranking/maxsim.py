"""Late interaction: each part of the question looks for the part of the passage that is nearest to it (lesson 13).

    score = Σ weight(i) × max over j of cos(question part i, passage part j)  ÷  Σ weight(i),   and 0 where that is below 0

ColBERT adds the maxima up (Khattab and Zaharia, "ColBERT", 2020, eq. 3); here their mean is taken, so that a long question and a short one
are on one scale, with weights after BERTScore (Zhang et al., "BERTScore", 2020, section 3: a rare word counts for more). Without `weight`
each part counts the same.

Between 0 and 1 it is, calibrated it is not: a word is somewhat near to any other, and 0.30 is no bar at all. `calibrated` fits one on
`tune` questions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from labkit.errors import BadArgument
from labkit.numeric import is_number
from labkit.retrieval import bm25
from labkit.retrieval.keyword import KeywordIndex
from labkit.retrieval.reranking.token_vectors import TokenVectors, nearness
from labkit.textfiles import quoted


class MaxSim:
    """A Scorer by late interaction. Lesson 13.

    vectors: what the parts are and who embeds them (labkit.retrieval.reranking.token_vectors). weight: part of the question -> what it
    counts, 0 or more; `rarity_in(index)` is one. A question or passage without parts gets 0, so does a question whose parts weigh nothing.
    """

    def __init__(self, vectors: TokenVectors, weight: Callable[[str], float] | None = None):
        if not hasattr(vectors, "parts"):
            raise BadArgument(f"parts with rows are needed, as WordVectors(embedder) gives them, not {vectors!r}")
        self.vectors, self.weight = vectors, weight
        self.name = f"MaxSim, {vectors.name}" + ("" if weight is None else ", weighted")

    def scores(self, query: str, texts: Sequence[str]) -> np.ndarray:
        """As Scorer says."""
        weights = np.array([self._weight(part) for part in self.vectors.parts(query)[0]], dtype=np.float64)
        return np.array([_score(each, weights) for each in nearness(self.vectors, query, texts)], dtype=np.float64)

    def nearest(self, query: str, text: str) -> list[tuple[str, str, float]]:
        """For each part of the question: the part of the text that is nearest (of equals the first), and their cosine; [] where either
        has none."""
        parts, others = (self.vectors.parts(each)[0] for each in (query, text))
        if not parts or not others:
            return []
        (near,) = nearness(self.vectors, query, [text])
        return [(part, others[int(row.argmax())], float(row.max())) for part, row in zip(parts, near, strict=True)]

    def _weight(self, part: str) -> float:
        value = 1.0 if self.weight is None else self.weight(part)
        if not is_number(value) or value < 0:
            raise BadArgument(f"the weight of {part!r} is {quoted(value)}: a number of 0 or more is needed")
        return float(value)

    def __repr__(self) -> str:
        return f"<{self.name}>"


def rarity_in(index: KeywordIndex) -> Callable[[str], float]:
    """word -> its rarity among the texts of an index (labkit.retrieval.bm25), as it is now; a word that none holds is the rarest. Lessons
    03 and 13."""
    many = len(index)

    @cache
    def rarity(word: str) -> float:
        return bm25.rarity(many, index.document_frequency(word))

    return rarity


def _score(near: np.ndarray, weights: np.ndarray) -> float:
    total = float(weights.sum())
    if not near.size or total <= 0:
        return 0.0
    return max(0.0, float((weights * near.max(axis=1)).sum()) / total)
