"""Rows to time a search by meaning on: as many as are wanted, the same ones each time, lying as real ones do."""

from __future__ import annotations

import numpy as np

from labkit import CachedEmbedder, load_embedder

SEED = 512
NEARNESS = 0.8  # the cosine of a made row with the section that it is made from, about

_embedder = CachedEmbedder(load_embedder("multilingual"))


def made_rows(texts: list[str], number: int) -> np.ndarray:
    """`number` rows of length 1, each a text's own row, the texts in turn, pushed aside by chance: as many groups as there are texts."""
    real = _embedder.embed(texts)
    chance = np.random.default_rng(SEED)
    rows = np.empty((number, real.shape[1]), np.float32)
    push = np.sqrt(1 / NEARNESS**2 - 1) / np.sqrt(real.shape[1])
    for start in range(0, number, 10_000):  # a part at a time: chance draws in 8 bytes a number
        part = real[np.arange(start, min(start + 10_000, number)) % len(real)]
        rows[start : start + len(part)] = part + push * chance.standard_normal(part.shape)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def asked_rows(questions: list[str]) -> np.ndarray:
    """The questions' rows."""
    return np.stack([_embedder.embed_query(question) for question in questions])
