"""Which lines of a PDF are headings, and of what level (lesson 06).

A PDF has no headings, only larger and bolder text. What is large or bold is judged against the document's own body: the size and weight of
most of its prose. The largest heading of the first page is the title; the others get their level by rank, largest first, from 2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from labkit.parsing.pdf_lists import is_contents_line, marker, number_depth

_LARGER = 1.08
_TIGHT = 1.5  # in sizes: lines of one wrapped heading


@dataclass(slots=True)
class Line:
    """A line of text in reading order. `left` and `right` are the ends of its column; `first` is where its first word ends, `second` where
    the second one begins; `flow` numbers the column that it stands in."""

    page: int
    flow: int
    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    first: float
    second: float
    left: float
    right: float
    aside: bool = False  # written in another direction than the page

    def leaves_room_for(self, other: Line) -> bool:
        """Whether the first word of `other` would have fitted at the end of this line: then the line's end was meant."""
        return self.x1 + 0.35 * self.size + (other.first - other.x0) < self.right - 0.1 * self.size


@dataclass(frozen=True, slots=True)
class Body:
    """The size and weight of a document's prose, and the usual distance of its lines (all in points)."""

    size: float
    bold: bool
    pitch: float

    def tight(self, above: Line, below: Line, more: float = 1.15) -> bool:
        """Whether two lines stand as close as lines of one paragraph do."""
        usual = self.pitch * max(above.size, below.size) / self.size
        return 0 < below.y - above.y <= usual * more + 0.02 * self.size

    def is_larger(self, size: float) -> bool:
        """Whether text of that size stands out from the body."""
        return size > self.size * _LARGER


def body_style(lines: Iterable[tuple[str, float, bool]], tables: Iterable[float]) -> tuple[float, bool]:
    """The size and weight of most prose; long lines speak louder, since headings are short. Tables speak where nothing else does."""
    weights: Counter[tuple[float, bool]] = Counter()
    prose = False
    for text, size, bold in lines:
        words = len(text.split())
        long = words >= 8 or (words >= 4 and text.endswith((".", "!", "?", ";")))
        prose = prose or long
        weights[(round(size, 1), bold)] += len(text) * (4 if long else 1)
    cells = Counter(round(size, 1) for size in tables)
    if cells and not prose:
        return min(min(cells), *(size for size, _ in weights)) if weights else min(cells), False
    if not weights:
        return 1.0, False
    return max(weights, key=lambda style: (weights[style], -style[0], not style[1]))


@dataclass(slots=True)
class Heading:
    """Lines that make one heading: from line `start` (0-based) to `end` (apart), and the style that gives it its level."""

    start: int
    end: int
    size: float
    bold: bool
    text: str
    level: int = 0
    kind: str = "heading"


def headings_of(lines: Sequence[Line | None], body: Body, named: str) -> list[Heading]:
    """The headings among lines in reading order (None stands for a table), with their levels. `named` is the title that the file's
    metadata give, or ''."""
    found: list[Heading] = []
    place = 0
    while place < len(lines):
        line = lines[place]
        if line is None or not _stands_out(line, body):
            place += 1
            continue
        end = _wrapped(lines, place, body)
        heading = _judged(lines, place, end, body)
        if heading:
            found.append(heading)
        place = end
    _mark_title(found, lines, body, named)
    _mark_subtitles(found)
    _rank(found)
    return found


def _stands_out(line: Line, body: Body) -> bool:
    if not any(char.isalnum() for char in line.text) or is_contents_line(line.text):
        return False
    return body.is_larger(line.size) or (line.bold and not body.bold and line.size >= 0.95 * body.size)


def _same_style(line: Line, other: Line) -> bool:
    return abs(line.size - other.size) <= 0.03 * line.size and line.bold == other.bold


def _wrapped(lines: Sequence[Line | None], start: int, body: Body) -> int:
    first = above = lines[start]
    assert first is not None and above is not None
    end = start + 1
    while end < len(lines):
        below = lines[end]
        if below is None or below.flow != first.flow or below.page != first.page or not _same_style(first, below):
            break
        if not 0 < below.y - above.y <= _TIGHT * first.size or (number_depth(below.text) and number_depth(first.text)):
            break
        centred = abs((above.x0 + above.x1) - (below.x0 + below.x1)) < first.size and abs(above.x0 - below.x0) > 0.5 * first.size
        meant = above.leaves_room_for(below) and not centred
        if meant and not (first.size > 1.3 * body.size and not below.text[:1].isupper()):
            break
        above = below
        end += 1
    return end


def _judged(lines: Sequence[Line | None], start: int, end: int, body: Body) -> Heading | None:
    group = [line for line in lines[start:end] if line is not None]
    first, last = group[0], group[-1]
    text = " ".join(line.text for line in group)
    words = len(text.split())
    mark = marker(first.text)
    if mark and mark.kind != "number":
        return None
    above = lines[start - 1] if start else None
    below = lines[end] if end < len(lines) else None
    if body.is_larger(first.size):
        if words > 30 or len(group) > 4 or (words > 14 and text.endswith(".")):
            return None
    else:
        if words > 18 or len(group) > 3 or text[-1] in ".,;" or not first.text[:1].strip("([\"'«“‘"):
            return None
        close = above is not None and _beside(above, first) and body.tight(above, first)
        if close and not above.leaves_room_for(first) and above.text[-1] not in ".!?:;":
            return None  # a bold line in the middle of a paragraph
        close = below is not None and _beside(last, below) and body.tight(last, below)
        if close and below.text[:1].islower() and not last.leaves_room_for(below):
            return None
    return Heading(start, end, first.size, first.bold, text)


def _beside(above: Line, below: Line) -> bool:
    return above.flow == below.flow and above.page == below.page


def _folded(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())


def _mark_title(found: list[Heading], lines: Sequence[Line | None], body: Body, named: str) -> None:
    """The heading that the file names as its title, else the largest on the first page that has text. Where others are as large, only if it
    opens the document."""
    pages = [line.page for line in lines if line is not None]
    first_page = [heading for heading in found if lines[heading.start].page == pages[0]] if pages else []  # type: ignore[union-attr]
    if not first_page:
        return
    wanted = _folded(named)
    largest = max(first_page, key=lambda heading: (*_rank_key(heading), -heading.start))
    title = next((heading for heading in first_page if wanted and _folded(heading.text) == wanted), largest)
    alone = all(other is title or _rank_key(other) < _rank_key(title) for other in found)
    if alone or title.start == 0 or _folded(title.text) == wanted:
        title.kind = "title"


def _mark_subtitles(found: list[Heading]) -> None:
    """A line under the title in a style that nothing else has is no section, where another style has the sections."""
    title = next((place for place, heading in enumerate(found) if heading.kind == "title"), None)
    if title is None or title + 1 >= len(found):
        return
    candidate = found[title + 1]
    styles = Counter(_rank_key(heading) for heading in found if heading.kind == "heading")
    if candidate.start == found[title].end and styles[_rank_key(candidate)] == 1 and max(styles.values()) >= 2:
        candidate.kind = "paragraph"


def _rank_key(heading: Heading) -> tuple[float, bool]:
    return round(heading.size * 2) / 2, heading.bold


def _rank(found: list[Heading]) -> None:
    ranks: list[tuple[float, bool]] = []
    for key in sorted({_rank_key(heading) for heading in found if heading.kind == "heading"}, reverse=True):
        # Sizes that differ by a hair are one.
        if not (ranks and ranks[-1][1] == key[1] and ranks[-1][0] - key[0] <= 0.03 * key[0]):
            ranks.append(key)
    for heading in found:
        if heading.kind == "heading":
            size, bold = _rank_key(heading)
            rank = next(place for place, (other, weight) in enumerate(ranks) if weight == bold and 0 <= other - size <= 0.03 * size + 0.01)
            heading.level = rank
    _deepen(found)


def _deepen(found: list[Heading]) -> None:
    """Headings of one style whose numbers go to different depths ('2', '2.1') get levels of their own."""
    styles: dict[int, set[int]] = {}
    for heading in found:
        if heading.kind == "heading":
            styles.setdefault(heading.level, set()).add(number_depth(heading.text))
    offset, shift = {}, 0
    for level in sorted(styles):
        offset[level] = shift
        depths = styles[level] - {0}
        shift += (max(depths) - min(depths)) if depths else 0
    for heading in found:
        if heading.kind == "heading":
            depths = styles[heading.level] - {0}
            depth = number_depth(heading.text)
            extra = depth - min(depths) if depths and depth else 0
            heading.level = min(2 + heading.level + offset[heading.level] + extra, 6)
