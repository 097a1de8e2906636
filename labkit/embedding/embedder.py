"""What an embedding model is to labkit: texts in, one row of numbers a text out (lesson 12).

The rows have length 1, so that the cosine of the angle between two of them (their similarity) is the sum of the products, number by number:
1 for the same direction, 0 for nothing in common.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import numpy as np

from labkit.errors import BadArgument, LabError
from labkit.textfiles import counted, quoted

LONGEST = 10_000
"""Characters of a text that a model is given. What comes after them is not read: an embedding of a book says nothing of any page."""
_FROM_1 = 0.01  # how far from 1 the length of a row may be: numbers of 16 bits are that coarse


class Embedder(Protocol):
    """A model that embeds. Lesson 12.

    `name` says which model and version: two embedders with one name give the same numbers, and numbers of two names are never compared.
    `dimensions`: how many numbers a text has.
    """

    name: str
    dimensions: int

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """One row a text, in order: float32, shape (texts, dimensions), each of length 1. A text without letters and digits has nothing to
        embed: its row is all zeros. Raises BadArgument where `texts` is no list of strings."""
        ...

    def embed_query(self, text: str) -> np.ndarray:
        """The row of a question, shape (dimensions,), with the model's own words before it where it was trained with some."""
        ...


def each_embedded(texts: Sequence[str], dimensions: int, one: Callable[[str], np.ndarray], prefix: str = "") -> np.ndarray:
    """The rows of an Embedder, from a function that embeds one text.

    One at a time: in a batch the last digits of a row depend on its neighbours, and then an index would depend on what came in together.
    """
    texts = checked_texts(texts)
    rows = np.zeros((len(texts), dimensions), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        text = readable(text)
        if text:
            row[:] = unit(one(prefix + text))
    return rows


def checked_texts(texts: Iterable[str]) -> list[str]:
    """The texts as a list. Raises BadArgument for a single string (which is a list of its letters), and for what is no string."""
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise BadArgument(f"a list of texts is needed, not {quoted(texts)} — for a single one, put it in brackets")
    texts = list(texts)
    for place, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            raise BadArgument(f"text {place} must be a string, not {quoted(text)}")
    return texts


def readable(text: str) -> str:
    """The text as a model gets it; '' where it holds neither letter nor digit.

    Accents composed, invisible characters (soft hyphen, U+FEFF …) left out, control characters and lone surrogates made spaces, each run
    of white space one space, cut at a space before LONGEST characters.
    """
    text = unicodedata.normalize("NFC", text.lstrip()[: 2 * LONGEST].translate(_REPAIRS))
    text = " ".join(text.split())
    if len(text) > LONGEST:
        text = text[: text.rfind(" ", 1, LONGEST + 1)] if " " in text[1 : LONGEST + 1] else text[:LONGEST]
    return text if any(map(str.isalnum, text)) else ""


class _Repairs(dict):
    """Code point -> what stands in its place, worked out when first met."""

    def __missing__(self, code: int) -> str:
        category = unicodedata.category(chr(code))
        self[code] = repaired = " " if category in ("Cs", "Cc") else "" if category == "Cf" else chr(code)
        return repaired


_REPAIRS = _Repairs()


def unit(row: np.ndarray) -> np.ndarray:
    """The row, made to have length 1. Raises LabError where the model gave no direction: a number that is none, or zeros alone."""
    row = np.asarray(row, dtype=np.float64)
    length = float(np.sqrt(row @ row))
    if not np.isfinite(length) or length == 0:
        raise LabError("the model gave no usable numbers for a text — check its files, or take another model")
    return (row / length).astype(np.float32)


def checked_rows(given: object, number: int, embedder: Embedder) -> np.ndarray:
    """What an embedder gave for `number` texts, as float32 of shape (number, dimensions). Raises BadArgument where it is not one row of
    finite numbers for each, of length 1 (or of zeros): products of others are no cosines, and would rank without a word."""
    try:
        with np.errstate(over="ignore"):
            rows = np.asarray(given, dtype="<f4")
        what = "" if rows.shape == (number, embedder.dimensions) else f"numbers of shape {rows.shape}"
        what = what or ("" if np.isfinite(rows).all() else "numbers that are not finite")
    except (TypeError, ValueError):
        what = quoted(given)
    if not what:
        lengths = np.linalg.norm(rows.astype(np.float64), axis=1)
        wrong = lengths[(lengths != 0) & (np.abs(lengths - 1) > _FROM_1)]
        what = f"a row of length {wrong[0]:.4g}" if len(wrong) else ""
    if what:
        of = f"one row of {embedder.dimensions} finite numbers for each, of length 1 (or zeros)"
        raise BadArgument(f"{embedder.name} gave {what} for {counted(number, 'text')} — {of}")
    return rows
