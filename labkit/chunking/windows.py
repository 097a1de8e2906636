"""Windows of a number of words: where to cut is counted, not read (lesson 07).

A window begins with the first character of its first word and ends with the last character of its last; words are what `str.split()`
yields, so a `|` between two cells is one. Windows run over the whole body, the title's line included, front matter apart, and carry no
context: a naive cutter knows of none.

Laws (tests hold them): fixed windows hold each word of the body once, in order; each overlapping window after the first repeats exactly
`overlap` words; no window lies inside another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from labkit.chunking.chunk import Chunk, Cut, body_words, make_chunks, whole
from labkit.errors import BadArgument
from labkit.parsing.blocks import ParsedDocument
from labkit.textfiles import quoted


def fixed(parsed: ParsedDocument, size: int = 100) -> list[Chunk]:
    """Windows of `size` words, one after another; the last one may be shorter. [] for a document without a word. Lesson 07.

    Raises BadArgument unless `size` is a whole number from 1 up.
    """
    size = _size(size)
    return _windows(parsed, size, size, f"fixed(size={size})")


def overlapping(parsed: ParsedDocument, size: int = 100, overlap: int = 25) -> list[Chunk]:
    """Windows of `size` words, each of which begins with the last `overlap` words of the one before. Lesson 07.

    They end with the first window that reaches the end of the text: one more would lie inside it.
    Raises BadArgument unless both are whole numbers, size at least 1, and 0 <= overlap < size.
    """
    words, repeated = whole(size), whole(overlap)
    if words is None or repeated is None or words < 1 or repeated < 0:
        raise BadArgument(
            f"size={quoted(size)}, overlap={quoted(overlap)}: both are whole numbers of words, size from 1 up, overlap from 0 up"
        )
    if repeated >= words:
        raise BadArgument(
            f"size={quoted(size)}, overlap={quoted(overlap)}: windows move on by size - overlap words, here {quoted(words - repeated)} — "
            f"make the overlap smaller than the size (a quarter of it is usual)"
        )
    return _windows(parsed, words, words - repeated, f"overlapping(size={words}, overlap={repeated})")


def _windows(parsed: ParsedDocument, size: int, step: int, chunker: str) -> list[Chunk]:
    words = body_words(parsed)
    cuts = (Cut(words[first][0], words[last - 1][1]) for first, last in _ranges(len(words), size, step))
    return make_chunks(parsed, cuts, chunker)


def _ranges(number: int, size: int, step: int) -> Iterator[tuple[int, int]]:
    """First and last + 1 word of each window over `number` words."""
    for first in range(0, number, step):
        yield first, min(first + size, number)
        if first + size >= number:
            return


def _size(size: object) -> int:
    words = whole(size)
    if words is None or words < 1:
        raise BadArgument(f"size={quoted(size)}: the words of a window, a whole number from 1 up (100 is the course's)")
    return words


@dataclass(frozen=True)
class LongWindow:
    """A window over documents that were put one after another. It is no passage: it may belong to several documents at once.

    `position` counts from 0; `documents` names those that it holds words of, in order ('gift-cards@v2'), `access` their labels, sorted.
    """

    position: int
    text: str = field(repr=False)
    documents: tuple[str, ...]
    access: tuple[str, ...]

    @property
    def words(self) -> int:
        """Words of `text`, as `str.split()` yields them."""
        return len(self.text.split())


class Mixture(NamedTuple):
    """How many windows there are, how many hold two or more documents, and how many hold text under two access labels."""

    windows: int
    mixed_documents: int
    mixed_access: int


def one_long_text(parsed_documents: Iterable[ParsedDocument], size: int = 100) -> list[LongWindow]:
    """All documents' bodies, one after another, cut every `size` words: how not to do it (lesson 07).

    A window does not care where a document ends, so it can belong to two, and mix what the public may read with what staff may. `mixture`
    counts that. Raises BadArgument unless `size` is a whole number from 1 up.
    """
    size = _size(size)
    words = [(number, parsed, span) for number, parsed in enumerate(parsed_documents) for span in body_words(parsed)]
    windows = []
    for position, (first, last) in enumerate(_ranges(len(words), size, size)):
        pieces = [list(piece) for _, piece in groupby(words[first:last], key=lambda word: word[0])]
        held = [piece[0][1] for piece in pieces]
        text = "\n\n".join(parsed.text[piece[0][2][0] : piece[-1][2][1]] for parsed, piece in zip(held, pieces, strict=True))
        documents = tuple(dict.fromkeys(f"{parsed.doc_id}@v{parsed.version}" for parsed in held))
        windows.append(LongWindow(position, text, documents, tuple(sorted({parsed.access for parsed in held}))))
    return windows


def mixture(windows: Sequence[LongWindow]) -> Mixture:
    """How mixed the windows of one long text are (lesson 07)."""
    return Mixture(len(windows), sum(len(window.documents) > 1 for window in windows), sum(len(window.access) > 1 for window in windows))
