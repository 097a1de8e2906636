"""Tables with ruling lines: from strokes to a grid, from the grid to cells (lesson 06).

Strokes that meet form a grid. Where a stroke between two places of the grid is missing, they are one merged cell, and its text stands in
each of its places, as it does for HTML. Tables that are ruled across alone get their columns from the text between the rules.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from labkit.parsing.pdf_joining import joined
from labkit.parsing.pdf_lines import baseline, groups_of, rows_of, text_of
from labkit.parsing.pdf_page import PageContent, Stroke, Word

_APART = 0.6  # in sizes of the text: a gap that separates cells
_TOO_MANY = 3000  # lines on one page: a drawing


@dataclass(slots=True)
class Table:
    """A table on a page: its place, where its columns begin and end (`edges`, left to right), its cells by row, all rows equally long."""

    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    edges: list[float]
    rows: list[list[str]] = field(default_factory=list)
    ruled: bool = True


class _Line(NamedTuple):
    """A ruling line, whole: at `at` across its direction, from `start` to `end` along it."""

    at: float
    start: float
    end: float


def ruled_tables(content: PageContent, size: float) -> tuple[list[Table], list[Word]]:
    """The ruled tables of a page whose text is of about `size`, and the words that stand in none of them."""
    slack = 0.35 * size
    across = _merge([_Line(stroke.y0, stroke.x0, stroke.x1) for stroke in content.strokes if _is_across(stroke)], slack)
    down = _merge([_Line(stroke.x0, stroke.y0, stroke.y1) for stroke in content.strokes if not _is_across(stroke)], slack)
    words = content.words
    tables: list[Table] = []
    if len(across) + len(down) > _TOO_MANY or not across:
        return tables, words
    lonely: list[_Line] = []
    grids = []
    for ours, theirs in _meeting(across, down, slack):
        if theirs:
            grids.append((ours, theirs))
        else:
            lonely += ours
    grids.sort(key=lambda grid: -_extent(*grid))
    free = _Words(words, content)
    pieces_across = _Pieces((stroke.y0, stroke.x0, stroke.x1) for stroke in content.strokes if _is_across(stroke))
    pieces_down = _Pieces((stroke.x0, stroke.y0, stroke.y1) for stroke in content.strokes if not _is_across(stroke))
    for ours, theirs in grids:
        table = _grid_table(ours, theirs, free, pieces_down, slack, size)
        if table:
            tables.append(table)
        elif len(theirs) <= 2:
            lonely += ours
    words = free.left()
    for group in _same_width(lonely, 2 * slack):
        table, words = _crossed_table(group, _joints(group, pieces_across, slack), words, size)
        if table:
            tables.append(table)
    return tables, words


class _Words:
    """The words of a page that stand in no table yet, from top to bottom by their middles."""

    def __init__(self, words: Sequence[Word], content: PageContent):
        self._words = words
        self._middles = sorted((y, number, x) for number, (x, y) in enumerate(_centre(word, content) for word in words))
        self._taken: set[int] = set()

    def within(self, xs: list[float], ys: list[float]) -> tuple[dict[tuple[int, int], list[Word]], set[int]]:
        """What stands in each place of a grid, as (band, column), in the page's order; and the numbers of these words."""
        inside: dict[tuple[int, int], list[Word]] = {}
        found = self._middles[bisect_left(self._middles, (ys[0],)) : bisect_left(self._middles, (ys[-1],))]
        numbers: set[int] = set()
        for number, x, y in sorted((number, x, y) for y, number, x in found if number not in self._taken):
            column, band = _place(xs, x), _place(ys, y)
            if column is not None and band is not None:
                inside.setdefault((band, column), []).append(self._words[number])
                numbers.add(number)
        return inside, numbers

    def take(self, numbers: set[int]) -> None:
        """These words stand in a table."""
        self._taken |= numbers

    def left(self) -> list[Word]:
        """Those that stand in none."""
        return [word for number, word in enumerate(self._words) if number not in self._taken]


class _Pieces:
    """Strokes of one direction, by their place across it: where do those of one line end?"""

    def __init__(self, strokes: Iterable[tuple[float, float, float]]):
        self._strokes = sorted(strokes)

    def ends(self, at: float, slack: float) -> Iterable[float]:
        """The ends of the strokes that stand near `at`."""
        low, high = bisect_left(self._strokes, (at - slack,)), bisect_right(self._strokes, (at + slack, float("inf")))
        return (end for _, *ends in self._strokes[low:high] for end in ends)


def _is_across(stroke: Stroke) -> bool:
    return stroke.y0 == stroke.y1


def _merge(lines: list[_Line], slack: float) -> list[_Line]:
    """Pieces of one line put together; double lines as one."""
    bands: list[list[_Line]] = []
    for line in sorted(lines):
        if bands and line.at - bands[-1][0].at <= slack:
            bands[-1].append(line)
        else:
            bands.append([line])
    merged = []
    for band in bands:
        at = sum(line.at for line in band) / len(band)
        start, end = None, 0.0
        for line in sorted(band, key=lambda line: line.start):
            if start is not None and line.start <= end + slack:
                end = max(end, line.end)
            else:
                if start is not None:
                    merged.append(_Line(at, start, end))
                start, end = line.start, line.end
        merged.append(_Line(at, start or 0.0, end))
    # A line shorter than a letter is a dash or a tick.
    return [line for line in merged if line.end - line.start > slack]


def _meeting(across: list[_Line], down: list[_Line], slack: float) -> list[tuple[list[_Line], list[_Line]]]:
    """Lines put together that meet, directly or by way of others."""
    parent = list(range(len(across) + len(down)))

    def root(item: int) -> int:
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    order = sorted(range(len(down)), key=lambda j: down[j].at)
    places = [down[j].at for j in order]
    for i, line in enumerate(across):
        for j in order[bisect_left(places, line.start - slack) : bisect_right(places, line.end + slack)]:
            if down[j].start - slack <= line.at <= down[j].end + slack:
                parent[root(i)] = root(len(across) + j)
    groups: dict[int, tuple[list[_Line], list[_Line]]] = {}
    for i, line in enumerate(across):
        groups.setdefault(root(i), ([], []))[0].append(line)
    for j, line in enumerate(down):
        groups.setdefault(root(len(across) + j), ([], []))[1].append(line)
    return [group for group in groups.values() if group[0]]


def _extent(across: list[_Line], down: list[_Line]) -> float:
    width = max(line.end for line in across) - min(line.start for line in across)
    height = max(line.end for line in down) - min(line.start for line in down)
    return width * height


def _edges(lines: Iterable[float], ends: tuple[float, float], slack: float) -> list[float]:
    """Where the grid's lines stand; its ends too, where the lines across reach further than the outermost line."""
    edges: list[float] = []
    for at in sorted(lines):
        if not edges or at - edges[-1] > slack:
            edges.append(at)
    if edges and ends[0] < edges[0] - 2 * slack:
        edges.insert(0, ends[0])
    if edges and ends[1] > edges[-1] + 2 * slack:
        edges.append(ends[1])
    return edges


def _grid_table(across: list[_Line], down: list[_Line], words: _Words, pieces: _Pieces, slack: float, size: float) -> Table | None:
    xs = _edges((line.at for line in down), (min(line.start for line in across), max(line.end for line in across)), slack)
    ys = _edges((line.at for line in across), (min(line.start for line in down), max(line.end for line in down)), slack)
    if len(xs) < 3 or len(ys) < 2:
        return None
    columns, bands = len(xs) - 1, len(ys) - 1
    inside, numbers = words.within(xs, ys)
    area = {(band, column): (band, column) for band in range(bands) for column in range(columns)}

    def root(place: tuple[int, int]) -> tuple[int, int]:
        while area[place] != place:
            area[place] = area[area[place]]
            place = area[place]
        return place

    def ruled(lines: list[_Line], start: float, end: float) -> bool:
        return any(min(line.end, end) - max(line.start, start) >= 0.6 * (end - start) for line in lines)

    at_x = [[line for line in down if abs(line.at - x) <= slack] for x in xs]
    at_y = [[line for line in across if abs(line.at - y) <= slack] for y in ys]
    for band in range(bands):
        for column in range(columns):
            right, below = (band, column + 1), (band + 1, column)
            open_right = column + 1 < columns and not ruled(at_x[column + 1], ys[band], ys[band + 1])
            if open_right and not _apart(inside.get((band, column), []), inside.get(right, []), xs[column + 1], size):
                area[root(right)] = root((band, column))
            if band + 1 < bands and not ruled(at_y[band + 1], xs[column], xs[column + 1]):
                area[root(below)] = root((band, column))
    parts: dict[tuple[int, int], list[Word]] = {}
    for place, here in inside.items():
        parts.setdefault(root(place), []).extend(here)
    texts = {place: cell_text(here) for place, here in parts.items()}
    areas = {root(place) for place in area}
    if sum(bool(text) for text in texts.values()) < 2 or len(areas) < 2 or sum(bool(text) for text in texts.values()) * 5 < len(areas):
        return None
    rows = [[texts.get(root((band, column)), "") for column in range(columns)] for band in range(bands)]
    if len({root((band, column)) for band in range(bands) for column in range(columns) if texts.get(root((band, column)))}) < 2:
        return None
    if not any(len({root((band, column)) for column in range(columns)}) > 1 for band in range(bands)):
        return None  # boxes on top of each other: no columns
    if bands <= 2:
        rows = _rows_without_rules(rows, ys, inside, columns, size, _joints_down(down, pieces, slack))
    keep_columns = [column for column in range(columns) if xs[column + 1] - xs[column] > size or any(row[column] for row in rows)]
    rows = [[row[column] for column in keep_columns] for row in rows]
    rows = [row for band, row in enumerate(rows) if any(row) or len(rows) != bands or ys[band + 1] - ys[band] > 0.8 * size]
    words.take(numbers)
    return Table(xs[0], ys[0], xs[-1], ys[-1], size, xs, rows)


def _apart(left: list[Word], right: list[Word], edge: float, size: float) -> bool:
    """Whether text on both sides of a place without a rule keeps away from it, as cells do and a merged cell's text does not."""
    left = [word for word in left if not word.turn]
    right = [word for word in right if not word.turn]
    if not left or not right:
        return False
    end, start = max(word.x1 for word in left), min(word.x0 for word in right)
    return end <= edge <= start and start - end >= _APART * size


def _rows_without_rules(
    rows: list[list[str]], ys: list[float], inside: dict[tuple[int, int], list[Word]], columns: int, size: float, joints: list[float]
) -> list[list[str]]:
    """A table ruled between its columns alone: its rows are where all these rules are put together from pieces, a row each, or where the
    text of the first column begins anew."""
    split: list[list[str]] = []
    for band, row in enumerate(rows):
        cells = [rows_of(inside.get((band, column), [])) for column in range(columns)]
        edges = [ys[band], *(y for y in joints if ys[band] + size < y < ys[band + 1] - size), ys[band + 1]]
        pieces = [[joined(line.text for line in cell if top <= line.y < bottom) for cell in cells] for top, bottom in pairwise(edges)]
        if len(pieces) > 1 and all(piece[0] for piece in pieces):
            split += pieces
            continue
        first = [line.y for line in cells[0]]
        level = [y for y in first if any(abs(line.y - y) < 0.3 * size for cell in cells[1:] for line in cell)]
        lines = max(len(cell) for cell in cells)
        pitches = [below - above for above, below in pairwise(first)]
        if lines < 3 or len(level) < 3 or len(level) * 10 < lines * 7 or (pitches and max(pitches) < 1.0 * size):
            split.append(row)
            continue
        starts = [*level, float("inf")]
        for begin, end in pairwise(starts):
            begin = ys[band] if begin == starts[0] else begin - 0.5 * size
            split.append([joined(line.text for line in cell if begin <= line.y < end - 0.5 * size) for cell in cells])
    return split


def _joints_down(down: list[_Line], pieces: _Pieces, slack: float) -> list[float]:
    """Where every line down the page ends a piece and begins the next one."""
    ends = [sorted({round(y, 1) for y in pieces.ends(line.at, slack)}) for line in down]

    def near(y: float, each: list[float]) -> bool:
        place = bisect_left(each, y - 0.2)
        return place < len(each) and each[place] - y <= 0.2

    return [y for y in ends[0] if all(near(y, each) for each in ends)]


def _same_width(lines: list[_Line], slack: float) -> list[list[_Line]]:
    """Lines of the same width at the same place, three or more."""
    groups: list[list[_Line]] = []
    begun: dict[int, list[list[_Line]]] = {}
    for line in sorted(lines):
        bucket = int(line.start // (slack or 1))
        for group in (group for near in (-1, 0, 1) for group in begun.get(bucket + near, ())):
            if abs(group[0].start - line.start) <= slack and abs(group[0].end - line.end) <= slack:
                group.append(line)
                break
        else:
            groups.append([line])
            begun.setdefault(bucket, []).append(groups[-1])
    return [group for group in groups if len(group) >= 3]


def _joints(rules: list[_Line], pieces: _Pieces, slack: float) -> list[float]:
    """Where most of the rules are put together from pieces, one a cell: the edges of columns, if a program drew them so."""
    ends: dict[int, list[tuple[float, int]]] = {}
    for place, rule in enumerate(rules):
        for x in pieces.ends(rule.at, slack):
            if rule.start + 2 * slack < x < rule.end - 2 * slack:
                ends.setdefault(round(x / slack), []).append((x, place))
    edges: list[float] = []
    for _, found in sorted(ends.items()):
        if len({place for _, place in found}) * 10 >= len(rules) * 6:
            at = sum(x for x, _ in found) / len(found)
            if not edges or at - edges[-1] > 2 * slack:
                edges.append(at)
    return edges


def _crossed_table(rules: list[_Line], joints: list[float], words: list[Word], size: float) -> tuple[Table | None, list[Word]]:
    """A table ruled across alone: the columns are where no text stands, the rows are between the rules, or the lines of text."""
    left, right = min(rule.start for rule in rules), max(rule.end for rule in rules)
    ys = [rule.at for rule in rules]
    mine, others = [], []
    for word in words:
        middle = (word.x0 + word.x1) / 2
        inside = not word.turn and left - size <= middle <= right + size and ys[0] <= word.y - 0.3 * word.size <= ys[-1]
        (mine if inside else others).append(word)
    lines = groups_of(mine)
    # Over many lines, the spaces of prose never stand one below the other.
    edges = (
        [left, *joints, right]
        if joints
        else _empty_strips(mine, left, right, (0.25 if len(lines) >= 6 else 0.3 if len(lines) >= 4 else _APART) * size)
    )
    if len(edges) < 3:
        return None, words
    middles = [baseline(line) - 0.3 * size for line in lines]
    bands = [[line for line, middle in zip(lines, middles, strict=True) if top <= middle < bottom] for top, bottom in pairwise(ys)]
    bands = [band for band in bands if band]
    groups: list[list[list[Word]]] = []
    for band in bands:
        # A rule below each row, or rules around groups of rows?
        full = sum({0, 1} <= {_column(word, edges) for word in line} for line in band)
        if full < 2 or (full < 3 and len(bands) > 3):
            groups.append(band)
            continue
        for line in band:  # a line that leaves the first column empty goes on with the row above
            if line is band[0] or any(_column(word, edges) == 0 for word in line):
                groups.append([line])
            else:
                groups[-1].append(line)
    head, others = _row_beside(others, edges, ys[0], size, -1)
    foot, others = _row_beside(others, edges, ys[-1], size, 1)
    groups = [*head, *groups, *foot]
    rows = [[cell_text(word for line in group for word in line if _column(word, edges) == column) for column in range(len(edges) - 1)]
            for group in groups]  # fmt: skip
    full_rows = sum(sum(map(bool, row)) >= 2 for row in rows)
    if len(rows) < 2 or full_rows * 2 < len(rows):
        return None, words
    top = min([ys[0], *(baseline(group[0]) - size for group in groups)])
    bottom = max([ys[-1], *(baseline(group[-1]) for group in groups)])
    return Table(left, top, right, bottom, size, edges, rows), others


def _column(word: Word, edges: list[float]) -> int:
    """The column that a word's middle stands in; the first or the last where it sticks out."""
    place = _place(edges, (word.x0 + word.x1) / 2)
    return place if place is not None else 0 if word.x0 < edges[0] else len(edges) - 2


def _row_beside(words: list[Word], edges: list[float], rule: float, size: float, way: int) -> tuple[list[list[list[Word]]], list[Word]]:
    """The row just above (-1) or below (1) the outermost rule, if its words keep to the columns: a header, or a last row without a rule."""
    near = [word for word in words if not word.turn and 0 < way * (word.y - 0.3 * word.size - rule) < 1.6 * size]
    near = [word for word in near if edges[0] - size <= word.x0 and word.x1 <= edges[-1] + size]
    columns = {_column(word, edges) for word in near}
    if len(columns) < 2 or len(columns) * 2 < len(edges) - 1:
        return [], words
    lines = groups_of(near)
    for edge in edges[1:-1]:
        for line in lines:
            before, after = [word for word in line if word.x0 < edge], [word for word in line if word.x0 >= edge]
            reach = max((word.x1 for word in before), default=edges[0])
            start = min((word.x0 for word in after), default=edges[-1])
            if reach > edge + 0.1 * size or start - reach < 0.3 * size:  # as wide as a space, at least
                return [], words
    taken = set(map(id, near))
    return [lines], [word for word in words if id(word) not in taken]


def _empty_strips(words: list[Word], left: float, right: float, least: float) -> list[float]:
    """Edges of columns: the ends, and the middle of each strip that no word touches."""
    edges = [left]
    reach = None
    for word in sorted(words, key=lambda word: word.x0):
        if reach is not None and word.x0 - reach > least:
            edges.append((reach + word.x0) / 2)
        reach = word.x1 if reach is None else max(reach, word.x1)
    return [*edges, right]


def cell_text(words: Iterable[Word]) -> str:
    """The text of a cell: its lines in order, wrapped words joined, turned text last."""
    turns: dict[int, list[Word]] = {}
    for word in words:
        turns.setdefault(word.turn, []).append(word)
    return joined(line for turn in sorted(turns) for line in text_of(turns[turn]))


def _centre(word: Word, content: PageContent) -> tuple[float, float]:
    """The middle of a word on the page, whichever way it is written."""
    x, y = (word.x0 + word.x1) / 2, word.y - 0.3 * word.size
    return {
        0: (x, y),
        1: (content.width - y, x),
        2: (content.width - x, content.height - y),
        3: (y, content.height - x),
    }[word.turn]


def _place(edges: list[float], at: float) -> int | None:
    """Between which edges a place lies, 0-based; None outside."""
    place = bisect_right(edges, at) - 1
    return place if 0 <= place < len(edges) - 1 else None
