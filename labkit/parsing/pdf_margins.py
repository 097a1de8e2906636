"""Running heads and feet, page numbers, watermarks: on the page, but no part of the text (lesson 06).

They are told by repetition: the same words, digits apart, at the same place on most pages, or on most left or right ones, and set off from
the text. What a page calls itself ('iv', '12') is read from them before they go.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from labkit.parsing.pdf_lines import Row
from labkit.parsing.pdf_lists import roman

_FEW_WORDS = 12  # fewer are no page of text
_DEEP = 3  # rows from the edge that may be a running head
_NAMED = re.compile(r"\b(?:page|pg|p|seite|página|pagina|sida|side|strona|blz)\b\.?\s*:?\s*(\d{1,5}|[ivxlcdm]{1,8})\b", re.IGNORECASE)
_NAMED_ALONE = re.compile(rf"{_NAMED.pattern}(?:\s*(?:/|of|de|sur|von)\s*\d+)?", re.IGNORECASE)
_NOTES = ("*", "†", "‡", "§", "¹", "1")  # marks of footnotes
_ALONE = re.compile(r"[-–—·|\s\[(]*(\d{1,5}|[ivxlcdm]{1,8}|[A-Z]{1,2}[-–.]\d{1,4})(?:\s*(?:/|of|de|sur|von)\s*\d{1,5})?[-–—·|\s\])]*")


@dataclass(slots=True)
class Margins:
    """Of one page: which rows (0-based) are no part of its text, and what it calls itself ('' where it does not)."""

    drop: set[int] = field(default_factory=set)
    label: str = ""


@dataclass(slots=True)
class _Edge:
    """A row near the top or the bottom of a page."""

    page: int
    row: int
    key: str
    text: str
    place: float  # distance from the edge
    size: float
    strong: bool
    parts: tuple[str, ...]
    marked: bool
    only: bool  # the document has no other page


def margins_of(pages: Sequence[tuple[Sequence[Row], float]], body: float, pitch: float) -> list[Margins]:
    """What is no text on each page, given its rows (from top to bottom) and its height. `body` is the size of the text, `pitch` the usual
    distance of its lines."""
    found = [Margins() for _ in pages]
    for top in (True, False):
        edges = [_edges(number, rows, height, top, len(pages) == 1) for number, (rows, height) in enumerate(pages)]
        running = _running(edges, body, top)
        for number, (rows, _height) in enumerate(pages):
            dropped = _set_off(edges[number], running, rows, body, pitch, 1 if top else -1)
            found[number].drop.update(edge.row for edge in dropped)
            edges[number] = dropped
        _label(edges, found, prefer=not top)
    _keep_all_of_it(pages, found, body)
    return found


def _keep_all_of_it(pages: Sequence[tuple[Sequence[Row], float]], found: list[Margins], body: float) -> None:
    """Pages that say the same (a notice that is printed twice) have no running heads: what would leave most of them empty is text."""
    emptied = []
    for (rows, _height), margins in zip(pages, found, strict=True):
        text = {place for place, row in enumerate(rows) if row.table is not None or row.size >= 0.95 * body}
        dropped = {place for place in margins.drop & text if _key(tuple(each.text for each in rows[place].segments)) != "#"}
        if text <= margins.drop and sum(len(rows[place].text.split()) for place in dropped) >= _FEW_WORDS:
            emptied.append((margins, dropped))
    if len(emptied) * 2 > len(pages):
        for margins, dropped in emptied:
            margins.drop -= dropped


def _edges(page: int, rows: Sequence[Row], height: float, top: bool, only: bool) -> list[_Edge]:
    order = list(range(len(rows))) if top else list(range(len(rows) - 1, -1, -1))
    edges = []
    for place in order[:_DEEP]:
        row = rows[place]
        if row.table is not None:
            parts = tuple(cell for line in row.table.rows for cell in line)
            if len(row.table.rows) > 2:
                break
        else:
            parts = tuple(segment.text for segment in row.segments)
        text = " ".join(parts)
        distance = row.y if top else height - row.y
        strong = row.table is None and all(segment.bold for segment in row.segments)
        marked = row.table is None and all(segment.margin for segment in row.segments)
        edges.append(_Edge(page, place, _key(parts), text, distance, row.size, strong, parts, marked, only))
    return edges


def _key(parts: tuple[str, ...]) -> str:
    """A row's words with each number as #, so that 'Page 3' and 'Page 4' are the same."""
    folded = " ".join(" ".join(parts).split())
    if _ALONE.fullmatch(folded):
        return "#"
    folded = _NAMED.sub(lambda match: match[0].replace(match[1], "#"), folded)
    return re.sub(r"\d+", "#", folded)


def _running(edges: Sequence[Sequence[_Edge]], body: float, top: bool) -> set[tuple[int, int]]:
    """(page, row) of each row that is repeated on enough pages at its place."""
    pages = len(edges)
    groups: dict[str, list[_Edge]] = {}
    for page in edges:
        for edge in page:
            groups.setdefault(edge.key, []).append(edge)
    chosen: set[tuple[int, int]] = set()
    repeated: list[_Edge] = []
    for group in groups.values():
        seen: dict[tuple[float, float], tuple[int, int, int, bool]] = {}  # most stand at the very same place
        for edge in group:
            if edge.marked:
                chosen.add((edge.page, edge.row))
                continue
            spot = (edge.place, edge.size)
            if spot not in seen:
                alike = [other for other in group if abs(other.place - edge.place) <= 0.6 * edge.size]
                where = {other.page for other in alike}
                seen[spot] = len(where), min(where), sum(page % 2 for page in where), len({other.text for other in alike}) > 1
            here, first, odd, numbered = seen[spot]
            same_side = odd if edge.page % 2 else here - odd
            side = len(range(edge.page % 2, pages, 2))
            if here < 2:
                continue
            if numbered and (edge.size > 1.12 * body or (top and edge.strong and len(edge.parts) == 1 and edge.key != "#")):
                continue  # headings that count: 'Chapter 1', 'Chapter 2'
            if not numbered and edge.size > 1.12 * body and edge.page == first:
                continue  # a title that is repeated stays where it stands first
            repeated.append(edge)
            if here * 2 >= pages or (pages >= 4 and same_side >= 2 and same_side * 2 >= side):
                chosen.add((edge.page, edge.row))
    if pages >= 4:
        chosen |= _at_a_known_place(edges, repeated, pages)
    return chosen


def _at_a_known_place(edges: Sequence[Sequence[_Edge]], repeated: list[_Edge], pages: int) -> set[tuple[int, int]]:
    """Running heads that change from chapter to chapter: another text, but the place and the size of the others."""
    spots = Counter((round(edge.place / 2), round(edge.size, 1)) for edge in repeated)
    used = {spot for spot in spots if spots[spot] * 10 >= pages * 6}
    return {
        (edge.page, edge.row)
        for page in edges
        for edge in page
        if any((round(edge.place / 2) + near, round(edge.size, 1)) in used for near in (-1, 0, 1))
    }


def _set_off(
    edges: Sequence[_Edge], running: set[tuple[int, int]], rows: Sequence[Row], body: float, pitch: float, inwards: int
) -> list[_Edge]:
    """The running rows of a page from its edge inwards (1: downwards, -1: upwards), as far as they are set off from the text."""
    depth = 0
    for edge in edges:
        if (edge.page, edge.row) not in running:
            break
        depth += 1
    while depth:
        last = edges[depth - 1]
        inner = last.row + inwards
        alone = not 0 <= inner < len(rows)
        gap = float("inf") if alone else abs(rows[inner].y - rows[last.row].y)
        says = all(edge.marked or edge.key == "#" or _NAMED_ALONE.fullmatch(edge.text.strip()) for edge in edges[:depth])
        if alone and last.size > 0.95 * body and not says:
            depth -= 1
            continue
        if last.marked or last.key == "#" or last.size < 0.95 * body or gap >= 1.4 * pitch:
            break
        depth -= 1
    if not depth and edges and _speaks_for_itself(edges, rows, body, pitch):
        depth = 1
    return list(edges[:depth])


def _speaks_for_itself(edges: Sequence[_Edge], rows: Sequence[Row], body: float, pitch: float) -> bool:
    """Whether the outermost row is no text, though nothing repeats it: the page's own number, or, on a page that no other follows, one
    line of small print far out and far from the text."""
    edge = edges[0]
    if len(edges) < 2 or abs(rows[edges[1].row].y - rows[edge.row].y) < 1.8 * pitch:
        return False
    text = edge.text.strip()
    match = _ALONE.fullmatch(text) or _NAMED_ALONE.fullmatch(text)
    if match:
        return match[1] == str(edge.page + 1)
    return edge.only and edge.size <= 0.9 * body and edge.place < 7 * body and len(text.split()) <= 20 and not text.startswith(_NOTES)


def _label(edges: Sequence[Sequence[_Edge]], found: list[Margins], *, prefer: bool) -> None:
    """What the pages call themselves, from their running rows. `prefer`: overwrites a label found before."""
    for number, page in enumerate(edges):
        for edge in page:
            label = _printed(edge)
            if label and (prefer or not found[number].label):
                found[number].label = label
                break
    # A number inside other words is the page's where it grows with the pages.
    counting: dict[tuple[str, int, int], list[tuple[int, str]]] = {}
    for number, page in enumerate(edges):
        for edge in page:
            for place, digits in enumerate(re.findall(r"\d+", edge.text)):
                if len(digits) <= 5:
                    counting.setdefault((edge.key, place, int(digits) - number), []).append((number, digits))
    for group in counting.values():
        if len(group) >= 2:
            for number, digits in group:
                found[number].label = found[number].label or digits


def _printed(edge: _Edge) -> str:
    if match := _NAMED.search(edge.text):
        return match[1]
    for part in edge.parts:
        match = _ALONE.fullmatch(part.strip())
        if match and (match[1][-1].isdigit() or roman(match[1])):
            return match[1]
    return ""


def usual_pitch(columns: Iterable[Sequence[tuple[float, float, float]]], body: float) -> float:
    """The usual distance of lines in the text: the closest one that is frequent. `columns` holds the lines of each page or column from
    top to bottom, each as its left end, its baseline and its size."""
    steps: Counter[float] = Counter()
    for lines in columns:
        for (left, above, size), (other, below, smaller) in pairwise(lines):
            step = below - above
            even = abs(left - other) <= 0.5 * body and abs(size - body) < 0.05 * body and abs(smaller - body) < 0.05 * body
            if even and 0.9 * body <= step <= 3 * body:
                steps[round(step * 2) / 2] += 1
    if not steps:
        return 1.3 * body
    most = max(steps.values())
    if most < 3:  # too few lines to tell: what is usual elsewhere
        return min(*steps, 1.45 * body)
    return min(step for step, count in steps.items() if count >= 0.3 * most)
