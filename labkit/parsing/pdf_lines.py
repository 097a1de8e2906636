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
STRETCHED = 2.0  # the same: how wide a space can become there
_FEW_GAPS = 3  # fewer can be equal by chance
_OF_A_MARK = 3  # words of a raised or lowered mark, at most
_MARKS = (".", "!", "?", ":", ";", ",")
_AFTER_A_MARK = 1.6  # how much wider the space after a full stop or a comma may be
_COLUMN_ROWS = 4  # in fewer rows, words may begin at one place by chance
_MEET = 0.04  # in sizes of the text: places that are the same
_NEAR = 3.2  # the same: rows of one table
_MOST_AROUND = 40


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

    @property
    def is_stretched(self) -> bool:
        """Whether its gaps are the spaces of a line that is stretched to the margin: all equally wide, between words that are not. Cells
        stand at equal distances or leave unequal gaps."""
        if len(self.segments) <= _FEW_GAPS:
            return False
        pairs = list(itertools.pairwise(self.segments))
        after_marks = [right.x0 - left.x1 for left, right in pairs if left.text.endswith(_MARKS)]
        others = [right.x0 - left.x1 for left, right in pairs if not left.text.endswith(_MARKS)]
        steps = [right.x0 - left.x0 for left, right in pairs]
        if len(others) < 2 or max(others) > min(1.2 * min(others), STRETCHED * self.size):
            return False
        return max(after_marks, default=0.0) <= _AFTER_A_MARK * max(others) and max(steps) > 1.2 * min(steps)


def typical_size(words: Sequence[Word]) -> float:
    """The size of most of the text, by characters; 1 where there is none."""
    weights: dict[float, int] = {}
    for word in words:
        size = round(word.size, 1)
        weights[size] = weights.get(size, 0) + len(word.text)
    return max(weights, key=lambda size: (weights[size], size), default=1.0) or 1.0


def rows_of(words: Iterable[Word]) -> list[Row]:
    """The rows of a page (or of a cell), from top to bottom."""
    groups = groups_of(words)
    tokens = [_tokens(group) for group in groups]
    rows = [Row(baseline(group), [_segment(run) for run in _runs(line)]) for group, line in zip(groups, tokens, strict=True)]
    places = _column_starts(rows, tokens)
    for row, line, starts in zip(rows, tokens, places, strict=True):
        if starts:
            row.segments = [_segment(run) for run in _runs(line, starts)]
    return rows


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
            host = _host(word, here, kept) if word.size <= 0.85 * near and not _is_followed(word, group) else None
            if host is not None:
                kept[here].remove(word)
                kept[host].append(word)
    return [group for group in kept if group]


def _is_followed(word: Word, group: Sequence[Word]) -> bool:
    """Whether a word begins a line of text of its own size, as beside a large first letter: then it is no mark of another one."""
    level = sorted((other for other in group if other.x0 >= word.x0 and abs(other.size - word.size) < 0.1), key=lambda other: other.x0)
    return len(level) > _OF_A_MARK and all(
        after.x0 - before.x1 <= WIDE * word.size for before, after in itertools.pairwise(level[: _OF_A_MARK + 1])
    )


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


def _tokens(group: list[Word]) -> tuple[float, list[list[Word]]]:
    """The words of a row, each with the pieces that it was shown in; and the gap, in sizes, below which pieces are one word."""
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
    return joint, tokens


def _runs(line: tuple[float, list[list[Word]]], starts: Sequence[float] = ()) -> list[list[list[Word]]]:
    """Words without a wide gap between them; `starts` are places where a column is known to begin, however narrow the gap."""
    joint, tokens = line
    wide = max(WIDE, joint * 1.4)
    runs: list[list[list[Word]]] = []
    for token in tokens:
        near = runs and token[0].x0 - max(word.x1 for word in runs[-1][-1]) <= wide * max(token[0].size, runs[-1][-1][-1].size)
        if near and token[0].x0 not in starts:
            runs[-1].append(token)
        else:
            runs.append([token])
    return runs


def _column_starts(rows: Sequence[Row], tokens: Sequence[tuple[float, list[list[Word]]]]) -> list[list[float]]:
    """For each row, where words begin within a segment at a place at which a column begins.

    The widest cell of a column may leave no more than a space before the next one. The rows around it tell: at the same place, words begin
    in several of them, no text crosses it, and one at least leaves a wide gap there, after text of the same cell's width.
    """
    stretched = [row.is_stretched for row in rows]
    gaps = [() if skip else tuple(itertools.pairwise(row.segments)) for row, skip in zip(rows, stretched, strict=True)]
    wide = [(left.x1, right.x0) for each in gaps for left, right in each]
    found: list[list[float]] = []
    for number, (row, (_, line)) in enumerate(zip(rows, tokens, strict=True)):
        begun = {segment.x0 for segment in row.segments}
        found.append([])
        size = row.size
        slack = _MEET * size
        for before, token in () if stretched[number] else itertools.pairwise(line):
            place = token[0].x0
            if place in begun or not any(low <= place <= high + slack for low, high in wide):
                continue
            around = _rows_around(rows, tokens, stretched, number, place)
            alike = [other for other in around if any(abs(each[0].x0 - place) <= slack for each in tokens[other][1])]
            others = [rows[other] for other in alike if other != number]
            left, right = min((other.x0 for other in others), default=place), max((other.x1 for other in others), default=place)
            reaches_out = row.x0 < left - size or row.x1 > right + size  # prose above or below a table
            if (
                len(alike) >= _COLUMN_ROWS
                and not reaches_out
                and any(before[0].x0 < end.x1 <= place <= start.x0 + slack for other in around for end, start in gaps[other])
            ):
                found[-1].append(place)
    return found


def _rows_around(
    rows: Sequence[Row], tokens: Sequence[tuple[float, list[list[Word]]]], stretched: Sequence[bool], number: int, place: float
) -> list[int]:
    """The rows around row `number` (it among them), near each other, in which no text runs over `place`."""
    around = [number]
    for step in (-1, 1):
        here = number + step
        while 0 <= here < len(rows):
            row, size = rows[here], rows[here].size
            if stretched[here] or abs(row.y - rows[here - step].y) > _NEAR * size or len(around) > _MOST_AROUND:
                break
            before = place - _MEET * size
            if any(token[0].x0 < before and max(word.x1 for word in token) > before for token in tokens[here][1]):
                break
            around.append(here)
            here += step
    return around


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
