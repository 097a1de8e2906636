"""Reading order: which rows of a page are read one after the other (lesson 06).

A page set in columns is read down the left one first. What runs over the whole width stands before or after. Columns of prose are told from
columns of a table by their lines: prose goes on in the middle of a sentence, cells begin anew. Two lists side by side are columns too, and
so is prose beside lines that begin where its sentences do not. One or two lines beside prose are the end of the text, or a note.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from labkit.parsing.pdf_lines import STRETCHED, Row, Segment
from labkit.parsing.pdf_lists import marker

_GUTTER = 0.65  # in sizes of the text
_LEAST_ROWS = 3
_MOST_TRIED = 20  # places at which a table, or a short column, may begin
_WIDEST_GUTTER = 0.4  # in widths of the column before it


@dataclass(slots=True)
class Flow:
    """Rows that are read one after the other, and where their column begins and ends."""

    rows: list[Row]
    left: float
    right: float


def flows_of(rows: Sequence[Row]) -> list[Flow]:
    """The columns of a page in reading order; one flow where it has none."""
    return [_flow(part) for part in _split(sorted(rows, key=lambda row: (row.y, row.x0)), 0) if part]


def _flow(rows: list[Row]) -> Flow:
    ends = sorted((row.x1 for row in rows if row.table is None), reverse=True)
    # One line that sticks out says nothing about the others.
    right = ends[1] if len(ends) >= 4 else ends[0] if ends else max(row.x1 for row in rows)
    return Flow(rows, min(row.x0 for row in rows), right)


def _split(rows: list[Row], depth: int) -> list[list[Row]]:
    if len(rows) < _LEAST_ROWS or depth > 6:
        return [rows]
    size = median(row.size for row in rows)
    best: tuple[float, int, int, float] | None = None
    enough = len(rows) >= 2 * _LEAST_ROWS or sum(len(row.segments) > 1 for row in rows) >= _LEAST_ROWS
    for start in _starts(rows, size) if enough else ():
        for begin, end in _zones(rows, start, size):
            end = _without_table(rows, begin, end, start, size)
            left, right = _sides(rows[begin:end], start, size)
            if _are_columns(left, right, size):
                height = rows[end - 1].y - rows[begin].y
                if best is None or height > best[0] + size:
                    best = (height, begin, end, start)
    if best is None:
        short = _short_column(rows, size)
        if short is None:
            return [rows]
        best = (0.0, *short)
    _, begin, end, start = best
    left, right = _sides(rows[begin:end], start, size)
    # What follows below both columns, only on the left, is no part of the left column.
    lowest = max(row.y for row in right)
    pitch = median([b.y - a.y for a, b in itertools.pairwise(left)] or [size])
    tail = next((i for i in range(1, len(left)) if left[i].y > lowest and left[i].y - max(left[i - 1].y, lowest) > 1.8 * pitch), len(left))
    if _fills(left[tail:], left[:tail]):  # a left column that is longer than the right one
        tail = len(left)
    after = left[tail:] + rows[end:]
    parts = _split(rows[:begin], depth + 1) if begin else []
    parts += _split(left[:tail], depth + 1) + _split(right, depth + 1)
    return parts + (_split(after, depth + 1) if after else [])


def _fills(below: list[Row], column: list[Row]) -> bool:
    """Whether lines are broken where the column above them ends: text over the whole page would go on."""
    left, right = min(row.x0 for row in column), max(row.x1 for row in column)
    return any(row.table is None and row.x1 >= right - 0.1 * (right - left) for row in below)


def _starts(rows: list[Row], size: float) -> list[float]:
    """Where segments begin again and again, the left margin apart: a column may begin there."""
    places: dict[int, list[float]] = {}
    margin = min(row.x0 for row in rows)
    for row in rows:
        for segment in row.segments:
            if segment.x0 > margin + 3 * size:
                places.setdefault(round(segment.x0 / (0.5 * size)), []).append(segment.x0)
    groups = [group for group in places.values() if len(group) >= _LEAST_ROWS]
    return [min(group) for group in sorted(groups, key=len, reverse=True)[:12]]


def _zones(rows: list[Row], start: float, size: float) -> list[tuple[int, int]]:
    """Longest stretches of rows that leave the strip left of `start` free."""
    low, high = start - _GUTTER * size, start - 0.02 * size
    zones, begin = [], None
    for place, row in enumerate([*rows, None]):
        crossed = row is None or any(segment.x0 < high and segment.x1 > low for segment in row.segments)
        if not crossed and begin is None:
            begin = place
        elif crossed and begin is not None:
            zones.append((begin, place))
            begin = None
    return zones


def _without_table(rows: list[Row], begin: int, end: int, start: float, size: float) -> int:
    """The end of a zone without what stands below it, set off, and is no prose on either side: a table whose cells leave the strip free."""
    pitch = median([below.y - above.y for above, below in itertools.pairwise(rows[begin:end])] or [size])
    both = tried = 0
    for place in range(end - 1, begin + _LEAST_ROWS, -1):
        both += rows[place].x0 < start - size and rows[place].x1 > start
        if rows[place].y - rows[place - 1].y <= 1.8 * pitch or both < _LEAST_ROWS or both * 10 < (end - place) * 7:
            continue
        if not any(map(_is_prose, _sides(rows[place:end], start, size))):
            return place
        tried += 1
        if tried > _MOST_TRIED:
            break
    return end


def _sides(zone: list[Row], start: float, size: float) -> tuple[list[Row], list[Row]]:
    middle = start - 0.3 * size
    left, right = [], []
    for row in zone:
        for side, mine in ((left, lambda segment: segment.x0 < middle), (right, lambda segment: segment.x0 >= middle)):
            segments = [segment for segment in row.segments if mine(segment)]
            if segments:
                side.append(Row(row.y, segments, row.table))
    return left, right


def _are_columns(left: list[Row], right: list[Row], size: float) -> bool:
    if min(len(left), len(right)) < _LEAST_ROWS:
        return False
    overlap = min(left[-1].y, right[-1].y) - max(left[0].y, right[0].y)
    if overlap < 1.5 * size:
        return False
    if (_is_prose(left) and _is_prose(right)) or (_is_list(left) and _is_list(right)):
        return True
    return _stand_apart(left, right, size) or _stand_apart(right, left, size)


def _short_column(rows: list[Row], size: float) -> tuple[int, int, float] | None:
    """Where a column of prose has a line or two beside it: the first and the last row (apart), and where these lines begin."""
    for start in _right_of_others(rows, size)[:_MOST_TRIED]:
        for begin, end in _zones(rows, start, size):
            left, right = _sides(rows[begin:end], start, size)
            if not 0 < len(right) < _LEAST_ROWS or len(left) <= _LEAST_ROWS or not _is_prose(left):
                continue
            width = max(row.x1 for row in left) - min(row.x0 for row in left)
            near = start - max(row.x1 for row in left) <= _WIDEST_GUTTER * width and max(row.x1 for row in right) - start <= 1.2 * width
            pitch = median(below.y - above.y for above, below in itertools.pairwise(left))
            below = next((row for row in left if row.y > right[-1].y + 0.3 * size), None)
            cuts = below is not None and below.table is None and _goes_on(below.text)  # read across, it would stand inside a sentence
            if near and left[0].y - pitch < right[0].y < left[-1].y and (cuts or right[0].y < left[0].y + 1.5 * pitch):
                return begin, end, start
    return None


def _right_of_others(rows: list[Row], size: float) -> list[float]:
    """Where segments begin that stand at the right of the lines around them, from left to right."""
    margin = min(row.x0 for row in rows)
    found: set[float] = set()
    for place, row in enumerate(rows):
        ends = sorted(other.x1 for other in (*rows[max(place - 4, 0) : place], *rows[place + 1 : place + 5]))
        if len(ends) > 1:
            least = max(ends[1] + 0.02 * size, margin + 3 * size)
            before = [float("-inf"), *(segment.x1 for segment in row.segments)]
            found.update(
                segment.x0
                for segment, end in zip(row.segments, before, strict=False)
                if segment.x0 >= least and segment.x0 - end >= _GUTTER * size
            )
    return sorted(found)


def _stand_apart(prose: list[Row], others: list[Row], size: float) -> bool:
    """Whether lines that are no prose begin where sentences of the prose beside them do not. Cells of a table begin where its rows do, or
    stand in the middle of a row's height, and then far apart."""
    pitch = median(below.y - above.y for above, below in itertools.pairwise(prose))
    tight = median(below.y - above.y for above, below in itertools.pairwise(others)) <= 1.5 * pitch
    if not tight or not _is_prose(prose):
        return False
    level = {round(row.y / (0.3 * size)): row for row in prose}
    begun = [row for row in others if row.table is not None or not _goes_on(row.text)]
    apart = 0
    for row in begun:
        place = round(row.y / (0.3 * size))
        beside = next((level[near] for near in (place, place - 1, place + 1) if near in level), None)
        apart += beside is None or beside.table is not None or _goes_on(beside.text)
    return apart >= _LEAST_ROWS and apart * 2 >= len(begun)


def _is_list(rows: list[Row]) -> bool:
    """Whether most of what begins at the margin begins with a bullet or a dash: so no first column of a table does."""
    size = median(row.size for row in rows)
    margin = min(row.x0 for row in rows)
    marks = [marker(row.text) for row in rows if row.table is None and row.x0 <= margin + 0.3 * size]
    bullets = [mark for mark in marks if mark is not None and mark.kind != "number"]
    return len(bullets) >= _LEAST_ROWS and len(bullets) >= 0.7 * len(marks)


def _is_prose(rows: list[Row]) -> bool:
    pieces = [piece for row in rows if row.table is None for piece in _pieces(row)]
    if len(pieces) < _LEAST_ROWS:
        return False
    words = median(len(text.split()) for text, _ in pieces)
    going_on = sum(_goes_on(text) for text, _ in pieces[1:]) / (len(pieces) - 1)
    widest = max(width for _, width in pieces)
    full = sum(width >= 0.8 * widest for _, width in pieces) / len(pieces)
    return (words >= 3 and going_on >= 0.25) or (words >= 5 and full >= 0.4) or words >= 8


def _pieces(row: Row) -> list[tuple[str, float]]:
    """The texts of a row that stand as far apart as columns or cells do, each with its width."""
    apart = (STRETCHED if row.is_stretched else _GUTTER) * row.size
    pieces: list[list[Segment]] = []
    for segment in row.segments:
        if pieces and segment.x0 - pieces[-1][-1].x1 < apart:
            pieces[-1].append(segment)
        else:
            pieces.append([segment])
    return [(" ".join(segment.text for segment in piece), piece[-1].x1 - piece[0].x0) for piece in pieces]


def _goes_on(text: str) -> bool:
    """Whether a line begins in the middle of a sentence, as far as its first letter tells."""
    char = text.lstrip("([\"'«“‘")[:1]
    return char.isalpha() and char == char.lower()
