"""Embedders for tests: small, deterministic, and with no model behind them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np


class BagOfWords:
    """Counts of words by a fixed hash, length 1: texts that share words are alike. Keeps what it was asked."""

    name = "bag-of-words"

    def __init__(self, dimensions: int = 64):
        self.dimensions = dimensions
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.asked.append(list(texts))
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[zlib.crc32(word.encode()) % self.dimensions] += 1
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


class Topics:
    """A direction for each topic: a text is of the topic of the first mark ('@a', '@b' …) that it holds; two topics have nothing in common.
    A text with several marks points between them."""

    name = "topics"
    dimensions = 26

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            marks = [word[1] for word in text.split() if len(word) == 2 and word[0] == "@"]
            for mark in marks:
                row[ord(mark) - ord("a")] += 1
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
