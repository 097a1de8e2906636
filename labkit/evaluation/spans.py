"""Spans of characters, and what they share: union, intersection, difference, written once (lesson 10).

A span (start, end) is half-open: it holds start and not end, so (0, 100) and (100, 150) share nothing and together are (0, 150). Positions
are code points of one text; whoever has several texts keeps them apart.

Every function takes spans in any order, overlapping or not, and gives them as a union: sorted, apart from each other, none empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from labkit.errors import BadArgument

Span = tuple[int, int]
_WORD = re.compile(r"\S+")


class Shared(NamedTuple):
    """What is wanted and what was found, by characters. `recall`: found of what is wanted ÷ wanted; `precision`: found of what is wanted ÷
    found; `iou`: what both hold ÷ what either holds."""

    recall: float
    precision: float
    iou: float


def union(spans: Iterable[Span]) -> list[Span]:
    """Each position that at least one of the spans holds. Raises BadArgument for a span that ends before it starts."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if end < start:
            raise BadArgument(f"a span from {start} to {end} ends before it starts")
        if start == end:
            continue
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def intersection(some: Iterable[Span], others: Iterable[Span]) -> list[Span]:
    """Each position that both hold."""
    left, right = union(some), union(others)
    both: list[Span] = []
    first = second = 0
    while first < len(left) and second < len(right):
        start, end = max(left[first][0], right[second][0]), min(left[first][1], right[second][1])
        if start < end:
            both.append((start, end))
        if left[first][1] < right[second][1]:
            first += 1
        else:
            second += 1
    return both


def difference(some: Iterable[Span], others: Iterable[Span]) -> list[Span]:
    """Each position that the first hold and the others do not."""
    rest: list[Span] = []
    gaps = union(others)
    for start, end in union(some):
        for gap_start, gap_end in gaps:
            if gap_end <= start or gap_start >= end:
                continue
            if start < gap_start:
                rest.append((start, gap_start))
            start = gap_end
        if start < end:
            rest.append((start, end))
    return rest


def size(spans: Iterable[Span]) -> int:
    """How many positions the spans hold, each counted once."""
    return sum(end - start for start, end in union(spans))


def words_in(text: str, start: int = 0) -> list[Span]:
    """The spans of what is not blank in a text that begins at position `start`: white space can be neither read nor missed."""
    return [(start + match.start(), start + match.end()) for match in _WORD.finditer(text)]


def shared(wanted: Iterable[Span], found: Iterable[Span]) -> Shared:
    """Recall, precision and IoU of two sets of spans in one text, over their unions.

    With nothing wanted, recall is 1. With nothing found, precision is 0, or 1 where nothing was wanted; so is IoU where both are empty.
    """
    return shared_in_all([(wanted, found)])


def shared_in_all(pairs: Iterable[tuple[Iterable[Span], Iterable[Span]]]) -> Shared:
    """The same over several texts: characters are added up over all of them, then divided. `pairs`: (wanted, found) of each text."""
    both = wanted_size = found_size = 0
    for wanted, found in pairs:
        wanted, found = union(wanted), union(found)
        both += size(intersection(wanted, found))
        wanted_size += size(wanted)
        found_size += size(found)
    either = wanted_size + found_size - both
    precision = both / found_size if found_size else float(not wanted_size)
    return Shared(both / wanted_size if wanted_size else 1.0, precision, both / either if either else 1.0)
