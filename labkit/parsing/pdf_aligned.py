"""Tables without ruling lines: text that stands in columns over three rows and more (lesson 06).

A guess by its nature, so a careful one: cells of one column must begin, end or stand centred at the same place, and what could as well be
prose stays prose.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import islice, pairwise

from labkit.parsing.pdf_joining import joined
from labkit.parsing.pdf_lines import Row, Segment
from labkit.parsing.pdf_lists import is_contents_line, marker
from labkit.parsing.pdf_tables import Table

_LEAST_ROWS = 3
_APART = 0.6  # in sizes of the text: a gap that separates cells
_CLOSE = 0.3  # the same, where many rows have it at one place: the spaces of prose never stand one below the other
_MANY_ROWS = 6
_NARROW = 0.12  # the same, where the cells after it begin at one place
_TOO_FAR = 2
_MEET = 0.1  # in sizes of the text: places that are the same
_PATIENCE = 8  # how often, on average, a row may be looked at for tables that turn out to be none
_SHORT = 40  # rows of a table that is still looked for when patience is at an end


def aligned_tables(rows: Sequence[Row]) -> list[Row]:
    """The rows of one column of a page, with those that form a table replaced by one row that holds it."""
    seen = [_as_one(row) if _is_prose(rows, place) else row for place, row in enumerate(rows)]
    done: list[Row] = []
    place = looked_at = 0
    while place < len(rows):
        patient = looked_at <= _PATIENCE * len(rows)
        end = last = _run_end(seen, place, len(rows) if patient else min(place + _SHORT, len(rows)))
        looked_at += end - place
        table = None
        # prose below a table may leave its columns free by chance, for a line or two
        while table is None and end - place >= _LEAST_ROWS and last - end <= _TOO_FAR:
            table = _table(seen[place:end])
            end -= table is None
        if table:
            done.append(table)
            place = end
        else:
            done.append(rows[place])
            place += 1
    return done


def _is_prose(rows: Sequence[Row], place: int) -> bool:
    """Whether a row is a line stretched to the margin: also a header that is as wide as its columns has equal gaps, but the cells above or
    below it begin or end where it does."""
    row = rows[place]
    if row.table is not None or not row.is_stretched:
        return False
    slack = _MEET * row.size
    for other in (*rows[max(place - 1, 0) : place], *rows[place + 1 : place + 2]):
        starts, ends = [segment.x0 for segment in other.segments], [segment.x1 for segment in other.segments]
        level = sum(
            any(abs(segment.x0 - x) <= slack for x in starts) or any(abs(segment.x1 - x) <= slack for x in ends) for segment in row.segments
        )
        if level * 3 >= len(row.segments) * 2:
            return False
    return True


def _as_one(row: Row) -> Row:
    """The row as one segment."""
    strong, first = sum(segment.strong for segment in row.segments), row.segments[0]
    return Row(row.y, [Segment(row.text, row.x0, row.x1, row.size, strong, first.first, first.second)])


def _is_cells(row: Row) -> bool:
    """Whether a row can be the first of a table: segments that stand well apart, and not a list's mark with its text."""
    if row.table is not None or _is_listed(row):
        return False
    return any(right.x0 - left.x1 >= _APART * row.size for left, right in pairwise(row.segments))


def _is_listed(row: Row) -> bool:
    """Whether a row is an item of a list, or a line of a table of contents."""
    if len(row.segments) <= 2 and marker(row.segments[0].text + " x"):
        return True
    return any(is_contents_line(segment.text) for segment in row.segments)


def _gaps(row: Row) -> list[tuple[float, float]]:
    """What a row leaves free, from left to right; pieces that run into each other leave nothing."""
    inner = [(left.x1, right.x0) for left, right in pairwise(row.segments) if left.x1 <= right.x0]
    return [(float("-inf"), row.x0), *inner, (row.x1, float("inf"))]


def _common(ours: list[tuple[float, float]], theirs: list[tuple[float, float]], least: float, size: float) -> list[tuple[float, float]]:
    """What stays free of two rows' gaps: what is `least` wide, or less where the text after it begins at one place."""
    close, found, place = min(least, _NARROW * size), [], 0
    for begin, end in ours:
        while place < len(theirs) and theirs[place][1] < begin:
            place += 1
        for start, stop in islice(theirs, place, None):
            if start > end:
                break
            low, high = max(begin, start), min(end, stop)
            if high - low >= (least if stop - end < -_MEET * size else close):
                found.append((low, high))
    return found


def _strips(gaps: list[tuple[float, float]]) -> list[tuple[float, float]]:
    return [gap for gap in gaps if gap[0] != float("-inf") and gap[1] != float("inf")]


def _run_end(rows: Sequence[Row], start: int, stop: int) -> int:
    """The end, at most `stop`, of the longest run from `start` through which a strip between columns stays free of text."""
    # the first row may be a header that fills its columns
    heads = len(rows[start].segments) > 1 and not _is_listed(rows[start]) and start + 1 < len(rows) and _is_cells(rows[start + 1])
    if not _is_cells(rows[start]) and not heads:
        return start
    size = rows[start].size
    gaps = _gaps(rows[start])
    columns = len(_strips(gaps))
    end = last_full = start + 1
    while end < stop:
        row = rows[end]
        if row.table is not None or row.y - rows[end - 1].y > 3.2 * size or not 0.7 < row.size / size < 1.4:
            break
        if _is_listed(row):
            break
        common = _common(gaps, _gaps(row), (_CLOSE if end > start + 1 else _NARROW) * size, size)
        if not _strips(common) or len(_strips(common)) * 2 < columns:
            break
        gaps = common
        end += 1
        step = row.y - rows[end - 2].y
        later = row.x0 >= _strips(gaps)[0][1] - 0.1 * size
        if len(row.segments) > 1 or (later and step <= 1.35 * size) or step <= 0.75 * size or _is_short_row(rows, start, end, gaps):
            last_full = end
    return last_full


def _is_short_row(rows: Sequence[Row], start: int, end: int, gaps: list[tuple[float, float]]) -> bool:
    """Whether the last of the rows from `start` to `end` (apart) is one of the table with its first cell alone: at its place, in its width,
    at its distance, and no sentence."""
    if end - start <= _LEAST_ROWS:
        return False
    (before, above, row), size = rows[end - 3 : end], rows[start].size
    even = abs((row.y - above.y) - (above.y - before.y)) <= 0.05 * size and abs(row.x0 - above.x0) <= _MEET * size
    return even and row.x1 <= _strips(gaps)[0][0] + _MEET * size and not row.text.endswith((".", ":", "!", "?"))


def _table(rows: Sequence[Row]) -> Row | None:
    size = rows[0].size
    gaps = _gaps(rows[0])
    for row in rows[1:]:
        gaps = _common(gaps, _gaps(row), _NARROW * size, size)
    least = (_APART if len(rows) < _MANY_ROWS else _CLOSE) * size
    strips = []
    left, right = min(row.x0 for row in rows), max(row.x1 for row in rows)
    begins = sorted((segment.x0, place) for place, row in enumerate(rows) for segment in row.segments)
    for low, high in sorted(_strips(gaps)):
        near = slice(bisect_left(begins, (high - _MEET * size,)), bisect_right(begins, (high + _MEET * size, len(rows))))
        level = len({place for _, place in begins[near]})
        # A strip with text on one side only separates nothing.
        sides = left < low + 0.01 and right > high - 0.01
        if sides and (high - low >= least or level > _LEAST_ROWS):
            strips.append((low, high))
    edges = [left, *((low + high) / 2 for low, high in strips), right]
    columns = len(edges) - 1
    if columns < 2:
        return None
    cells = [_cells(row, edges) for row in rows]
    groups = _by_cells(rows, cells, size) or _grouped(rows, cells, size)
    full = [group for group in groups if sum(any(cells[place][column] for place in group) for column in range(columns)) >= 2]
    if len(full) < _LEAST_ROWS or len(full) * 10 < len(groups) * 7:
        return None
    for column in range(columns):
        here = [first for group in groups if (first := next((cells[place][column] for place in group if cells[place][column]), None))]
        # a header often stands centred above cells that do not
        headed = len(here) > 2 and any(cells[place][column] for place in groups[0]) and _lined_up(here[1:], size)
        if len(here) * 2 < len(groups) or not (headed or _lined_up(here, size)):
            return None
    words = [len(segment.text.split()) for line in cells for cell in line for segment in cell]
    if sum(words) > (12 if columns == 2 else 8) * len(words):
        return None
    texts = [[joined(segment.text for place in group for segment in cells[place][column]) for column in range(columns)] for group in groups]
    if columns == 2 and _counts([row[0] for row in texts]):
        return None  # a numbered list
    top, bottom = rows[0].y - size, rows[-1].y + 0.25 * size
    table = Table(edges[0], top, edges[-1], bottom, size, edges, texts, ruled=False)
    return Row(rows[0].y, [Segment("", edges[0], edges[-1], size, 0, edges[0], edges[-1])], table)


def _cells(row: Row, edges: list[float]) -> list[list[Segment]]:
    cells: list[list[Segment]] = [[] for _ in edges[1:]]
    for segment in row.segments:
        middle = (segment.x0 + segment.x1) / 2
        cells[bisect_right(edges, middle, 1, len(edges) - 1) - 1].append(segment)
    return cells


def _by_cells(rows: Sequence[Row], cells: list[list[list[Segment]]], size: float) -> list[list[int]] | None:
    """Which lines make one row of the table, from the lines of its cells: those of one cell stand closer than those of two. It also serves
    where cells are centred between top and bottom of their row. None where the lines do not tell."""
    columns = len(cells[0])
    places = [[place for place in range(len(rows)) if cells[place][column]] for column in range(columns)]
    steps = sorted(rows[below].y - rows[above].y for column in places for above, below in pairwise(column))
    if not steps or steps[0] < 0.9 * size or steps[-1] <= 1.12 * steps[0]:
        return None
    blocks: list[tuple[float, float, int, list[int]]] = []  # of each cell: top, bottom, column, lines
    for column, lines in enumerate(places):
        for place in lines:
            if blocks and blocks[-1][2] == column and rows[place].y - blocks[-1][1] <= 1.12 * steps[0]:
                top, _, _, mine = blocks[-1]
                mine.append(place)
                blocks[-1] = (top, rows[place].y, column, mine)
            else:
                blocks.append((rows[place].y, rows[place].y, column, [place]))
    groups: list[tuple[float, float, set[int], set[int]]] = []
    for top, bottom, column, lines in sorted(blocks):
        if groups and top - groups[-1][1] < 0.6 * size:
            first, last, filled, mine = groups[-1]
            if column in filled:
                return None
            groups[-1] = (first, max(last, bottom), filled | {column}, mine | set(lines))
        else:
            groups.append((top, bottom, {column}, set(lines)))
    return [sorted(lines) for _, _, _, lines in groups]


def _grouped(rows: Sequence[Row], cells: list[list[list[Segment]]], size: float) -> list[list[int]]:
    """Which lines make one row of the table: a line that leaves the first column empty and follows closely goes on with the row above."""
    pitches = sorted(below.y - above.y for above, below in pairwise(rows))
    usual = pitches[len(pitches) // 2]
    groups: list[list[int]] = []
    for place, row in enumerate(rows):
        pitch = row.y - rows[place - 1].y if place else 0.0
        gone_on = place and (
            (not cells[place][0] and pitch <= max(1.35 * size, 0.85 * usual)) or (pitch < 0.8 * usual and not all(cells[place]))
        )
        if gone_on:
            groups[-1].append(place)
        else:
            groups.append([place])
    return groups


def _counts(texts: list[str]) -> bool:
    """Whether the texts are numbers that count up by one."""
    numbers = [int(text) for text in texts if text.isdecimal()]
    return len(numbers) == len(texts) and all(below == above + 1 for above, below in pairwise(numbers))


def _lined_up(cells: list[list[Segment]], size: float) -> bool:
    """Whether most cells of a column begin, end or are centred at one place."""
    if len(cells) < 2:
        return True
    for key, slack in ((0, 0.5), (1, 0.5), (2, 0.8)):
        places = sorted((cell[0].x0, cell[-1].x1, (cell[0].x0 + cell[-1].x1) / 2)[key] for cell in cells)
        middle = places[len(places) // 2]
        if sum(abs(place - middle) <= slack * size for place in places) * 10 >= len(places) * 7:
            return True
    return False
