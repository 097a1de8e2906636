"""From words with places to rows of text (lesson 06).

A row is what stands on one baseline, over the whole width of the page. Where a row has wide gaps it falls into segments; whether these are
columns of prose, cells of a table or words set far apart is not decided here.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, NamedTuple

from labkit.parsing.pdf_page import Stroke, Word
from labkit.parsing.superscripts import superscript

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
_LEAST_DOT = 0.12  # in sizes of the text: how wide a drawn bullet is at least
_BUCKET = 4.0  # points: words are looked up by where they begin, this exactly


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
    places = _column_starts(rows, [line for _, line in tokens])
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
    widest = max((dot.x1 - dot.x0 for dot in dots), default=0.0)
    beside = _Levels(word for word in words if not word.turn and word.size * _LEAST_DOT < widest)
    for dot in dots:
        after = beside.clear_of(dot)
        if after is not None and after.x0 - dot.x1 <= 2.5 * after.size:
            found.append(Word("•", dot.x0, dot.x1, after.y, after.size, False, spaced=True))
    return found


class _Levels:
    """Upright words by the heights that they cover, so that what stands beside a dot is found without looking at the whole page."""

    _HIGH = 4.0  # points

    def __init__(self, words: Iterable[Word]):
        self._bands: dict[int, list[Word]] = {}
        for word in words:
            for band in range(int((word.y - 0.6 * word.size) // self._HIGH), int(word.y // self._HIGH) + 1):
                self._bands.setdefault(band, []).append(word)
        self._reach: dict[int, tuple[list[float], list[float], float]] = {}
        for band, mine in self._bands.items():
            mine.sort(key=lambda word: word.x0)
            reach = list(itertools.accumulate((word.x1 + 0.8 * word.size for word in mine), max))
            self._reach[band] = ([word.x0 for word in mine], reach, max(word.size for word in mine))

    def clear_of(self, dot: Stroke) -> Word | None:
        """The first word at the right of a dot and level with it; None where there is none, or where a word stands at the dot's own place:
        it is a dot in the middle of a line, or a shape behind text."""
        middle, width = (dot.y0 + dot.y1) / 2, dot.x1 - dot.x0
        band = int(middle // self._HIGH)
        if band not in self._bands:
            return None
        mine = self._bands[band]
        begins, reach, largest = self._reach[band]

        def level(word: Word) -> bool:
            return abs(word.y - 0.3 * word.size - middle) < 0.3 * word.size and _LEAST_DOT < width / word.size < 0.9

        place = bisect_left(begins, dot.x1) - 1
        while place >= 0 and reach[place] > dot.x0:
            if mine[place].x1 > dot.x0 - 0.8 * mine[place].size and level(mine[place]):
                return None
            place -= 1
        for word in mine[bisect_left(begins, dot.x1 - 0.05 * largest) :]:
            if word.x0 - dot.x1 > 2.5 * largest:
                return None
            if word.x0 >= dot.x1 - 0.05 * word.size and level(word):
                return word
        return None


def text_of(words: Iterable[Word]) -> list[str]:
    """The lines of a small area, each as text."""
    return [row.text for row in rows_of(words)]


def baseline(group: list[Word]) -> float:
    """The baseline of a row's words: that of the largest."""
    return max(group, key=lambda word: (word.size, len(word.text))).y


def _printed_once(words: Iterable[Word]) -> list[Word]:
    """Text printed twice with a tiny offset is a poor man's bold: one word, bold."""
    kept: list[Word] = []
    places: dict[tuple[str, int, int], list[int]] = {}
    for word in words:
        slack = min(0.2 * word.size, 10 * _BUCKET)
        level = round(word.y / (word.size or 1))
        near = itertools.product((-1, 0, 1), range(int((word.x0 - slack) // _BUCKET), int((word.x0 + slack) // _BUCKET) + 1))
        twins = [place for step, bucket in near for place in places.get((word.text, level + step, bucket), ())]
        for place in twins:
            twin = kept[place]
            if abs(twin.x0 - word.x0) < slack and abs(twin.y - word.y) < slack and abs(twin.size - word.size) < 0.5:
                kept[place] = twin._replace(bold=True)
                break
        else:
            places.setdefault((word.text, level, int(word.x0 // _BUCKET)), []).append(len(kept))
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
    """Footnote marks and exponents stand on a baseline of their own; they belong to the row of the word that they touch.

    Raised digits become superscript characters: `years¹`, not `years1`, and 10³ is not 103.
    """
    largest = [max(word.size for word in group) for group in groups]
    levels: dict[int, _Level] = {}

    def level(place: int) -> _Level:
        if place not in levels:
            levels[place] = _Level(groups[place])
        return levels[place]

    for here, group in enumerate(groups):
        near = max(largest[max(here - 2, 0) : here + 3])
        for word in group:
            if word.size > 0.85 * near or len(word.text) > 6 or level(here).is_followed(word):
                continue
            for step in (1, 2, -1, -2):  # raised far more often than lowered
                host = level(here + step).host(word) if 0 <= here + step < len(groups) else None
                if host is not None:
                    level(here).remove(word)
                    level(here + step).add(_as_superscript(word, host))
                    break
    kept = [levels[place].words() if place in levels else list(group) for place, group in enumerate(groups)]
    return [group for group in kept if group]


class _Level:
    """The words of one baseline, in the order of their beginnings and of their ends: for whoever asks what stands next to a place."""

    def __init__(self, words: Sequence[Word]):
        self._first = sorted(words, key=lambda word: word.x0)  # as the page has them
        self._first_begins = [word.x0 for word in self._first]
        self._begins = [(word.x0, number, word) for number, word in enumerate(words)]
        self._ends = [(word.x1, number, word) for number, word in enumerate(words)]
        self._begins.sort()
        self._ends.sort()
        self._next = len(words)
        self._largest = max(word.size for word in words)

    def is_followed(self, word: Word) -> bool:
        """Whether a word begins a line of text of its own size, as beside a large first letter: then it is no mark of another one."""
        before, count = None, 0
        for place in range(bisect_left(self._first_begins, word.x0), len(self._first)):
            other = self._first[place]
            if before is not None and other.x0 - before.x1 > WIDE * word.size:
                return False
            if abs(other.size - word.size) < 0.1:
                before, count = other, count + 1
                if count > _OF_A_MARK:
                    return True
        return False

    def host(self, word: Word) -> Word | None:
        """The larger word here that a mark touches, raised or lowered; None where there is none."""
        reach = self._largest
        after = self._between(self._ends, word.x0 - 0.3 * reach, word.x0 + 0.2 * reach)
        before = self._between(self._begins, word.x1 - 0.2 * reach, word.x1 + 0.5 * reach)
        return next((other for _, _, other in itertools.chain(after, before) if _touches(word, other)), None)

    def add(self, word: Word) -> None:
        """Takes a word in."""
        insort(self._begins, (word.x0, self._next, word))
        insort(self._ends, (word.x1, self._next, word))
        self._next += 1
        self._largest = max(self._largest, word.size)

    def remove(self, word: Word) -> None:
        """Lets a word go."""
        number = next(number for _, number, other in self._between(self._begins, word.x0, word.x0) if other == word)
        del self._begins[bisect_left(self._begins, (word.x0, number))]
        del self._ends[bisect_left(self._ends, (word.x1, number))]

    def words(self) -> list[Word]:
        """Those that are here, in the order in which they came."""
        return [word for _, word in sorted((number, word) for _, number, word in self._begins)]

    @staticmethod
    def _between(places: list[tuple[float, int, Word]], low: float, high: float) -> Iterable[tuple[float, int, Word]]:
        return itertools.islice(places, bisect_left(places, (low,)), bisect_right(places, (high, float("inf"))))


def _as_superscript(mark: Word, host: Word) -> Word:
    """The mark in superscript digits if it is raised; the upper half of a fraction stays as it is."""
    over = host.text[0] in "/⁄" and host.x0 >= mark.x0
    return mark if host.y <= mark.y or over else mark._replace(text=superscript(mark.text))


def _touches(mark: Word, other: Word) -> bool:
    rise = other.y - mark.y
    if mark.size > 0.85 * other.size or not -0.55 * other.size <= rise <= 0.75 * other.size:
        return False
    after, before = mark.x0 - other.x1, other.x0 - mark.x1
    return -0.2 * other.size <= after <= 0.3 * other.size or -0.2 * other.size <= before <= 0.5 * other.size


def _tokens(group: list[Word]) -> tuple[float, list[list[Word]]]:
    """The words of a row, each with the pieces that it was shown in; and the gap, in sizes, below which pieces are one word."""
    group = sorted(group, key=lambda word: word.x0)
    joint = _joint(group)
    tokens: list[list[Word]] = []
    end = 0.0
    for word in group:
        if tokens and not word.spaced and -0.5 * word.size < word.x0 - end < joint * min(tokens[-1][-1].size, word.size):
            tokens[-1].append(word)
            end = max(end, word.x1)
        else:
            tokens.append([word])
            end = word.x1
    return joint, tokens


def _end(token: list[Word]) -> float:
    return max(word.x1 for word in token)


def _runs(line: tuple[float, list[list[Word]]], starts: Sequence[float] = ()) -> list[list[list[Word]]]:
    """Words without a wide gap between them; `starts` are places where a column is known to begin, however narrow the gap."""
    joint, tokens = line
    wide, begun = max(WIDE, joint * 1.4), set(starts)
    runs: list[list[list[Word]]] = []
    for token in tokens:
        near = runs and token[0].x0 - _end(runs[-1][-1]) <= wide * max(token[0].size, runs[-1][-1][-1].size)
        if near and token[0].x0 not in begun:
            runs[-1].append(token)
        else:
            runs.append([token])
    return runs


class _Free:
    """What a row leaves free, for whoever asks of one place after the other."""

    def __init__(self, row: Row, tokens: list[list[Word]]):
        self.row = row
        self.size = row.size
        self.stretched = row.is_stretched
        self.begins = [token[0].x0 for token in tokens]
        self._reach = list(itertools.accumulate(map(_end, tokens), max))
        pairs = () if self.stretched else itertools.pairwise(row.segments)
        self.gaps = [(left.x1, right.x0) for left, right in pairs]
        self._after = [right for _, right in self.gaps]

    def is_crossed(self, place: float) -> bool:
        """Whether a word begins before a place and ends after it."""
        count = bisect_left(self.begins, place)
        return count > 0 and self._reach[count - 1] > place

    def begins_at(self, place: float, slack: float) -> bool:
        """Whether a word begins at a place."""
        near = bisect_left(self.begins, place - slack)
        return near < len(self.begins) and self.begins[near] <= place + slack

    def gap_at(self, place: float, slack: float, above: float) -> bool:
        """Whether a wide gap reaches to a place and begins before it, but after `above`."""
        for number in range(bisect_left(self._after, place - slack), len(self.gaps)):
            low, high = self.gaps[number]
            if above < low <= place:
                return True
            if high > place:  # the next gap begins after it
                break
        return False


def _column_starts(rows: Sequence[Row], tokens: Sequence[list[list[Word]]]) -> list[list[float]]:
    """For each row, where words begin within a segment at a place at which a column begins.

    The widest cell of a column may leave no more than a space before the next one. The rows around it tell: at the same place, words begin
    in several of them, no text crosses it, and one at least leaves a wide gap there, after text of the same cell's width.
    """
    free = [_Free(row, line) for row, line in zip(rows, tokens, strict=True)]
    wide = sorted(gap for each in free for gap in each.gaps)
    lows, reach = [low for low, _ in wide], list(itertools.accumulate((high for _, high in wide), max))
    found: list[list[float]] = []
    for number, (row, mine, line) in enumerate(zip(rows, free, tokens, strict=True)):
        begun = {segment.x0 for segment in row.segments}
        found.append([])
        size = mine.size
        slack = _MEET * size
        for before, token in () if mine.stretched else itertools.pairwise(line):
            place = token[0].x0
            gaps = bisect_right(lows, place)
            if place in begun or not gaps or reach[gaps - 1] < place - slack:
                continue
            around = _rows_around(free, number, place)
            alike = [other for other in around if other.begins_at(place, slack)]
            others = [other.row for other in alike if other is not mine]
            left, right = min((other.x0 for other in others), default=place), max((other.x1 for other in others), default=place)
            reaches_out = row.x0 < left - size or row.x1 > right + size  # prose above or below a table
            if len(alike) >= _COLUMN_ROWS and not reaches_out and any(other.gap_at(place, slack, before[0].x0) for other in around):
                found[-1].append(place)
    return found


def _rows_around(free: Sequence[_Free], number: int, place: float) -> list[_Free]:
    """The rows around row `number` (it among them), near each other, in which no text runs over `place`."""
    around = [free[number]]
    for step in (-1, 1):
        here = number + step
        while 0 <= here < len(free):
            mine = free[here]
            far = abs(mine.row.y - free[here - step].row.y) > _NEAR * mine.size
            if mine.stretched or far or len(around) > _MOST_AROUND or mine.is_crossed(place - _MEET * mine.size):
                break
            around.append(mine)
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
