"""A text that is too long, as pieces that fit and are of about one length (lesson 11)."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from itertools import pairwise

_WORD = re.compile(r"\S+")


def cut_to_fit(text: str, places: Collection[int], maximum: int, together: Sequence[tuple[int, int]] = ()) -> list[tuple[int, int]]:
    """Spans (code points, half-open) of `text`, in order: each begins and ends with a visible character and is at most `maximum` long,
    and together they hold every visible character.

    A cut is made at one of `places` (where a sentence or a block begins, inside a word too: Chinese has no spaces) where one is near
    enough, else between words, else inside a word; of several, at the one nearest to equal lengths. [] for a blank text.

    together: for each heading where it begins, and where its text does: what lies in the first half of a piece is not parted there.
    """
    wished = set(places)
    words = _words(text, sorted(wished))
    if not words:
        return []
    ends = [end for _, end in words]
    spans: list[tuple[int, int]] = []
    begin, first, end = words[0][0], 0, ends[-1]  # `first`: the first word that ends after `begin`
    while end - begin > maximum:
        ideal = begin + (end - begin) / -(-(end - begin) // maximum)
        last = bisect_right(ends, begin + maximum)  # words before this one fit
        near = [(above, below) for above, below in together if begin < below <= begin + maximum // 2]
        fitting = [each for each in range(first + 1, last + 1) if not any(above < words[each][0] <= below for above, below in near)]
        best = [number for number in fitting if words[number][0] in wished] or fitting
        if best:
            number = min(best, key=lambda number: abs(ends[number - 1] - ideal))
            spans.append((begin, ends[number - 1]))
            begin, first = words[number][0], number
        else:
            spans.append((begin, begin + maximum))
            begin += maximum
            first = bisect_right(ends, begin)
    return [*spans, (begin, end)]


def _words(text: str, wished: Sequence[int]) -> list[tuple[int, int]]:
    """Spans of the words, those that hold a wished place in pieces."""
    words = []
    for match in _WORD.finditer(text):
        start, end = match.span()
        inside = wished[bisect_right(wished, start) : bisect_left(wished, end)]
        words += pairwise([start, *inside, end])
    return words
