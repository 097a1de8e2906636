"""From words with places to rows of text (lesson 06).

A row is what stands on one baseline, over the whole width of the page. Where a row has wide gaps it falls into segments; whether these are
columns of prose, cells of a table or words set far apart is not decided here.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, NamedTuple

from labkit.parsing.pdf_page import Stroke, Word

WIDE = 0.35  # in sizes of the text: a gap wider than a space, but for lines that are stretched to the margin


class Segment(NamedTuple):
    """Words of one row without a wide gap between them. `first` is where the first word ends, `second` where the second one begins (the
    end, where there is one word); `strong` the number of characters set in bold, `margin` whether the file marks it as no part of the
    text."""

    text: str
    x0: float
    x1: float
    size: float
    strong: int
    first: float
    second: float
    margin: bool = False

    @property
    def bold(self) -> bool:
        """Whether it is bold but for a mark or two."""
        return self.strong * 10 >= sum(not char.isspace() for char in self.text) * 9


@dataclass(slots=True)
class Row:
    """What stands on one baseline `y`; or a whole `table`, with one empty segment of its width."""

    y: float
    segments: list[Segment] = field(default_factory=list)
    table: Any = None

    @property
    def x0(self) -> float:
        """Where its text begins."""
        return self.segments[0].x0

    @property
    def x1(self) -> float:
        """Where its text ends."""
        return self.segments[-1].x1

    @property
    def size(self) -> float:
        """The size of most of its text."""
        return max(self.segments, key=lambda segment: len(segment.text)).size

    @property
    def text(self) -> str:
        """Its segments with a space between them."""
        return " ".join(segment.text for segment in self.segments)


def typical_size(words: Sequence[Word]) -> float:
    """The size of most of the text, by characters; 1 where there is none."""
    weights: dict[float, int] = {}
    for word in words:
        size = round(word.size, 1)
        weights[size] = weights.get(size, 0) + len(word.text)
    return max(weights, key=lambda size: (weights[size], size), default=1.0) or 1.0


def rows_of(words: Iterable[Word]) -> list[Row]:
    """The rows of a page (or of a cell), from top to bottom."""
    return [Row(baseline(group), _segments(group)) for group in groups_of(words)]


def groups_of(words: Iterable[Word]) -> list[list[Word]]:
    """The words of each row, from top to bottom; raised and lowered marks with the word that they touch."""
    return _with_raised(_baselines(_printed_once(words)))


def with_drawn_bullets(words: list[Word], dots: Sequence[Stroke]) -> list[Word]:
    """The words, and a bullet for each dot that is drawn at the left of one, near its middle and clear of other words."""
    found = list(words)
    upright = [word for word in words if not word.turn]
    for dot in dots:
        middle, width = (dot.y0 + dot.y1) / 2, dot.x1 - dot.x0
        level = [word for word in upright if abs(word.y - 0.3 * word.size - middle) < 0.3 * word.size and 0.12 < width / word.size < 0.9]
        after = min((word for word in level if word.x0 >= dot.x1 - 0.05 * word.size), key=lambda word: word.x0, default=None)
        if after is None or after.x0 - dot.x1 > 2.5 * after.size:
            continue
        if any(word.x1 > dot.x0 - 0.8 * word.size and word.x0 < dot.x1 for word in level):
            continue  # a dot in the middle of a line, or a shape behind text
        found.append(Word("•", dot.x0, dot.x1, after.y, after.size, False, spaced=True))
    return found


def text_of(words: Iterable[Word]) -> list[str]:
    """The lines of a small area, each as text."""
    return [row.text for row in rows_of(words)]


def baseline(group: list[Word]) -> float:
    """The baseline of a row's words: that of the largest."""
    return max(group, key=lambda word: (word.size, len(word.text))).y


def _printed_once(words: Iterable[Word]) -> list[Word]:
    """Text printed twice with a tiny offset is a poor man's bold: one word, bold."""
    kept: list[Word] = []
    places: dict[tuple[str, int], list[int]] = {}
    for word in words:
        key = (word.text, round(word.y / (word.size or 1)))
        twins = [place for near in (-1, 0, 1) for place in places.get((key[0], key[1] + near), [])]
        for place in twins:
            twin = kept[place]
            if abs(twin.x0 - word.x0) < 0.2 * word.size and abs(twin.y - word.y) < 0.2 * word.size and abs(twin.size - word.size) < 0.5:
                kept[place] = twin._replace(bold=True)
                break
        else:
            places.setdefault(key, []).append(len(kept))
            kept.append(word)
    return kept


def _baselines(words: list[Word]) -> list[list[Word]]:
    groups: list[list[Word]] = []
    for word in sorted(words, key=lambda word: (word.y, word.x0)):
        if groups and word.y - groups[-1][0].y <= 0.25 * min(word.size, max(groups[-1][0].size, 1)):
            groups[-1].append(word)
        else:
            groups.append([word])
    return groups


def _with_raised(groups: list[list[Word]]) -> list[list[Word]]:
    """Footnote marks and exponents stand on a baseline of their own; they belong to the row of the word that they touch."""
    kept: list[list[Word]] = [list(group) for group in groups]
    largest = [max(word.size for word in group) for group in groups]
    for here, group in enumerate(groups):
        near = max(largest[max(here - 2, 0) : here + 3])
        for word in group:
            host = _host(word, here, kept) if word.size <= 0.85 * near else None
            if host is not None:
                kept[here].remove(word)
                kept[host].append(word)
    return [group for group in kept if group]


def _host(word: Word, here: int, groups: list[list[Word]]) -> int | None:
    if len(word.text) > 6:
        return None
    for step in (1, 2, -1, -2):  # raised far more often than lowered
        place = here + step
        if not 0 <= place < len(groups):
            continue
        for other in groups[place]:
            rise = other.y - word.y
            if word.size <= 0.85 * other.size and -0.55 * other.size <= rise <= 0.75 * other.size:
                after, before = word.x0 - other.x1, other.x0 - word.x1
                if -0.2 * other.size <= after <= 0.3 * other.size or -0.2 * other.size <= before <= 0.5 * other.size:
                    return place
    return None


def _segments(group: list[Word]) -> list[Segment]:
    group = sorted(group, key=lambda word: word.x0)
    joint = _joint(group)
    tokens: list[list[Word]] = []
    for word in group:
        if tokens:
            last = tokens[-1][-1]
            gap = word.x0 - max(other.x1 for other in tokens[-1])
            if not word.spaced and -0.5 * word.size < gap < joint * min(last.size, word.size):
                tokens[-1].append(word)
                continue
        tokens.append([word])
    segments: list[Segment] = []
    run: list[list[Word]] = []
    wide = max(WIDE, joint * 1.4)
    for token in tokens:
        if run and token[0].x0 - max(word.x1 for word in run[-1]) > wide * max(token[0].size, run[-1][-1].size):
            segments.append(_segment(run))
            run = []
        run.append(token)
    segments.append(_segment(run))
    return segments


def _joint(group: list[Word]) -> float:
    """The gap, in sizes, below which two pieces are one word. Letters set far apart one by one are still words."""
    usual = 0.15
    gaps = [(right.x0 - left.x1) / (left.size or 1) for left, right in itertools.pairwise(group) if not right.spaced]
    single = sum(len(word.text) == 1 for word in group)
    if len(group) >= 5 and single >= 0.7 * len(group) and gaps:
        return max(usual, 1.6 * median(gaps))
    return usual


def _segment(tokens: list[list[Word]]) -> Segment:
    words = [word for token in tokens for word in token]
    sizes: dict[float, int] = {}
    for word in words:
        sizes[round(word.size, 2)] = sizes.get(round(word.size, 2), 0) + len(word.text)
    end = max(word.x1 for word in words)
    return Segment(
        " ".join("".join(word.text for word in token) for token in tokens),
        words[0].x0,
        end,
        max(sizes, key=lambda size: (sizes[size], size)),
        sum(len(word.text) for word in words if word.bold),
        max(word.x1 for word in tokens[0]),
        tokens[1][0].x0 if len(tokens) > 1 else end,
        all(word.margin for word in words),
    )
