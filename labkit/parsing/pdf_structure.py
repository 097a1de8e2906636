"""From lines in reading order to blocks: headings, paragraphs, list items, tables (lesson 06).

Lines of one paragraph stand close together and fill their column; a list item begins with a mark; a sentence that a page's end cuts goes on
on the next page, past the running heads and the footnotes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from itertools import takewhile

from labkit.parsing.blocks import Block, Page
from labkit.parsing.headings import HeadingPath
from labkit.parsing.pdf_headings import Body, Heading, Line, headings_of
from labkit.parsing.pdf_joining import glue
from labkit.parsing.pdf_lists import Mark, bare_number, follows, is_contents_line, marker
from labkit.parsing.pdf_tables import Table
from labkit.parsing.tables import as_lines

_SENTENCE_END = (".", "!", "?", ":", ";", "…", ".”", '."', ".)", "?”", "!”", ".»", ". »")
_FOOTNOTE = ("*", "†", "‡", "§")
_LETTERED = re.compile(r"[\[(]?[a-z][\])]?\s+[^\W\d_a-zà-öø-ÿ]")
_SMALLER, _SMALL = 0.93, 0.97  # in sizes of the body: small print, and what can be where a sentence goes on after it


@dataclass(slots=True)
class TableOnPage:
    """A table in reading order."""

    page: int
    flow: int
    table: Table


@dataclass(slots=True)
class _Draft:
    """A block before it has its place: its text by the pages that it runs over."""

    kind: str
    parts: list[tuple[int, str]]
    level: int | None = None
    rows: list[list[str]] = field(default_factory=list)
    continues: bool = False
    last: Line | None = None
    mark: float = 0.0  # where an item's mark stands
    inside: float = 0.0  # where an item's text stands


def structured(
    elements: Sequence[Line | TableOnPage], body: Body, known: Set[str], named: str, labels: Sequence[str]
) -> tuple[str, str, list[Block], list[Page]]:
    """Text, title, blocks and pages. `labels` holds what each page calls itself; `known` the document's words, in lower case."""
    builder = _Builder(body, known)
    notes = _footnotes(elements, body)
    main = [element for place, element in enumerate(elements) if place not in notes]
    lines = [element if isinstance(element, Line) else None for element in main]
    headings = {heading.start: heading for heading in headings_of(lines, body, named)}
    below: dict[int, list[Line]] = {}
    for place in sorted(notes):
        element = elements[place]
        if isinstance(element, Line):
            below.setdefault(element.page, []).append(element)
    place = 0
    page = 0
    while place < len(main):
        element = main[place]
        if element.page != page:
            builder.add_notes(below.pop(page, []))
            for between in sorted(number for number in below if number < element.page):
                builder.add_notes(below.pop(between))
            page = element.page
        if isinstance(element, TableOnPage):
            builder.add_table(element)
            place += 1
        elif place in headings:
            heading = headings[place]
            builder.add_heading(heading, [line for line in lines[heading.start : heading.end] if line is not None])
            place = heading.end
        else:
            builder.add_line(element, main[place + 1 : place + 40])
            place += 1
    for number in sorted(below):
        builder.add_notes(below[number])
    builder.close()
    return _placed(builder.drafts, labels)


def _footnotes(elements: Sequence[Line | TableOnPage], body: Body) -> set[int]:
    """Places of lines in small print at the foot of a column: from the first one with a mark on, or all of them where they would stand in
    the middle of a sentence that goes on after them."""
    found: set[int] = set()
    place = len(elements) - 1
    while place >= 0:
        end = place
        element = elements[place]
        column: list[int] = []
        while place >= 0 and elements[place].flow == element.flow and elements[place].page == element.page:
            line = elements[place]
            if not isinstance(line, Line) or line.size > _SMALL * body.size:
                break
            column.append(place)
            place -= 1
        small = list(takewhile(lambda at: elements[at].size <= _SMALLER * body.size, column))  # type: ignore[union-attr]
        first = next((at for at in reversed(small) if _is_note(elements[at])), None)
        above, below = elements[place] if place >= 0 else None, elements[end + 1] if end + 1 < len(elements) else None
        if column and _cuts_a_sentence(above, elements[column[-1]], below, body):
            found.update(column)
        elif first is not None:
            found.update(at for at in column if at >= first)
        while place >= 0 and elements[place].flow == element.flow and elements[place].page == element.page:
            place -= 1
        if place == end:
            place -= 1
    return found


def _cuts_a_sentence(above: object, first: object, below: object, body: Body) -> bool:
    """Whether small print from line `first` on stands between two lines of the body that are one sentence."""
    if not isinstance(above, Line) or not isinstance(below, Line) or not isinstance(first, Line):
        return False
    if above.page != first.page or above.aside or below.aside or below.size <= _SMALL * body.size or body.is_larger(below.size):
        return False
    return not above.text.rstrip().endswith(_SENTENCE_END) and not body.is_larger(above.size) and below.text[:1].islower()


def _begins_note(line: Line, above: Line | None) -> bool:
    """Whether a line in small print begins a note: by its mark, which may be a letter (`a Of one kind.`) after the end of a sentence."""
    lettered = _LETTERED.match(line.text) and (above is None or above.text.rstrip().endswith(_SENTENCE_END))
    return bool(_is_note(line) or lettered)


def _is_note(line: object) -> bool:
    if not isinstance(line, Line):
        return False
    head = line.text.lstrip("[(")
    return head.startswith(_FOOTNOTE) or (head[:1].isdigit() and not head[:4].isdigit())


class _Builder:
    """Takes elements in reading order and puts lines together."""

    def __init__(self, body: Body, known: Set[str]):
        self.drafts: list[_Draft] = []
        self.body = body
        self.known = known
        self.open: _Draft | None = None
        self.waiting: list[_Draft] = []  # footnotes of a page whose last sentence may go on
        self.items: list[tuple[float, str, str]] = []  # open lists: where their marks stand, of what kind, the last mark
        self.previous: Line | TableOnPage | None = None
        self.bullet: Line | None = None  # a bullet that stands on a line of its own

    # --- what comes in

    def add_heading(self, heading: Heading, lines: list[Line]) -> None:
        self.close()
        self.items.clear()
        kind = heading.kind
        draft = _Draft(kind, [(lines[0].page, lines[0].text)], heading.level if kind == "heading" else None)
        for line in lines[1:]:
            self._append(draft, line)
        self.drafts.append(draft)
        self.previous = lines[-1]

    def add_table(self, element: TableOnPage) -> None:
        before = self.open if self.open else (self.drafts[-1] if self.drafts else None)
        self.close()
        self.items.clear()
        table = element.table
        rows = table.rows
        continues = (
            before is not None and before.kind == "table" and before.parts[-1][0] == element.page - 1
            and isinstance(self.previous, TableOnPage) and _goes_on(self.previous.table, table)
        )  # fmt: skip
        self.drafts.append(_Draft("table", [(element.page, as_lines(rows))], rows=rows, continues=continues))
        self.previous = element

    def add_line(self, line: Line, following: Sequence[Line | TableOnPage]) -> None:
        mark = _mark_of(line)
        if mark is None and len(line.text) == 1 and marker(line.text + " x") and not line.text.isalnum():
            self.close()
            self.bullet = line
            return
        if self.bullet is not None:
            line.text = f"{self.bullet.text} {line.text}"
            line.second, line.x0 = line.x0, self.bullet.x0
            line.first = self.bullet.x1
            self.bullet, mark = None, _mark_of(line)
        if mark and self._is_item(line, mark, following):
            self._begin_item(line, mark)
        elif self._goes_on(line):
            assert self.open is not None
            self._append(self.open, line)
        else:
            self.close()
            if not (self.items and line.x0 >= self.items[-1][0] + 0.5 * line.size):
                self.items.clear()
            self.open = _Draft("paragraph", [(line.page, line.text)], last=line)
        self.previous = line

    def add_notes(self, lines: list[Line]) -> None:
        """Footnotes of a page: they wait until the sentence above them has ended."""
        if not lines:
            return
        notes = _Builder(Body(lines[0].size, self.body.bold, self.body.pitch * lines[0].size / self.body.size), self.known)
        above = None
        for line in lines:
            if _begins_note(line, above):
                notes.close()
            above = line
            if notes.open is None:
                notes.open = _Draft("paragraph", [(line.page, line.text)], last=line)
            else:
                notes._append(notes.open, line)
        notes.close()
        self.waiting += notes.drafts
        if self.open is None:
            self.close()

    def close(self) -> None:
        """Ends the open block."""
        if self.bullet is not None:
            bullet, self.bullet = self.bullet, None
            self.drafts.append(_Draft("paragraph", [(bullet.page, bullet.text)], last=bullet))
        if self.open is not None:
            self.drafts.append(self.open)
            self.open = None
        self.drafts += self.waiting
        self.waiting = []

    # --- decisions

    def _append(self, draft: _Draft, line: Line) -> None:
        page, text = draft.parts[-1]
        text, between = glue(text, line.text, self.known)
        draft.parts[-1] = (page, text)
        # With footnotes between, the rest of the sentence counts to the page on which it began: the notes come after it.
        if line.page == page or self.waiting:
            draft.parts[-1] = (page, text + between + line.text)
        else:
            draft.parts.append((line.page, between + line.text))
        draft.last = line

    def _ended(self) -> bool:
        """Whether the open block ends with the end of a sentence."""
        return self.open is not None and self.open.parts[-1][1].rstrip().endswith(_SENTENCE_END)

    def _goes_on(self, line: Line) -> bool:
        """Whether a line without a mark belongs to the open block."""
        draft = self.open
        if draft is None or draft.last is None or draft.kind not in ("paragraph", "list_item"):
            return False
        last = draft.last
        text = draft.parts[-1][1]
        ended = self._ended()
        alike = abs(last.size - line.size) <= 0.12 * max(last.size, line.size)
        if is_contents_line(line.text) or is_contents_line(last.text):
            return False
        if line.aside or last.aside:
            return line.page == last.page and alike and self.body.tight(last, line)
        if line.page != last.page or line.flow != last.flow:
            return alike and self._crosses(draft, line, ended)
        # Some programs set lines at uneven distances; a sentence that goes on tells them: with a small letter, or below a full line with a
        # sum, a number or a bracket.
        in_sentence = not ended and (line.text[:1].islower() or not (line.text[:1].isalpha() or last.leaves_room_for(line)))
        if not alike or not self.body.tight(last, line, 1.45 if in_sentence else 1.15):
            return False
        if text[-1:] in "-\u2010\u00ad" and text[-2:-1].isalnum():
            return True
        if draft.kind == "list_item":
            if line.x0 >= draft.inside - 0.5 * line.size:
                return True
            return not last.leaves_room_for(line) and line.x0 >= draft.mark - 0.3 * line.size
        if line.x0 > last.x0 + 0.8 * line.size and len(draft.parts) == 1 and draft.parts[0][1] != last.text and ended:
            return False  # a first line that is indented
        if line.x0 > last.x0 + 0.8 * line.size and last.x0 <= last.left + 0.3 * line.size and ended:
            return False
        if last.leaves_room_for(line):
            short = last.x1 < last.left + 0.6 * (last.right - last.left)
            if ended or (short and not line.text[:1].islower()):
                return False
        return True

    def _crosses(self, draft: _Draft, line: Line, ended: bool) -> bool:
        """Whether the open block goes on in the next column or on the next page."""
        last = draft.last
        assert last is not None
        if draft.kind == "list_item" and line.x0 - line.left > 0.5 * line.size and not ended:
            return True
        if ended:
            return False
        if line.text[:1].islower() or draft.parts[-1][1].rstrip()[-1:] in ("-", ",", "\u2010", "\u00ad"):
            return True
        full = last.x1 + 0.35 * last.size + (line.first - line.x0) >= last.right - 0.1 * last.size
        return full and len(draft.parts[-1][1].split()) > 3

    def _is_item(self, line: Line, mark: Mark, following: Sequence[Line | TableOnPage]) -> bool:
        if mark.kind == "bullet":
            return True
        kind = _mark_kind(mark)
        numbered = mark.kind == "number"
        for place, other, last in reversed(self.items):
            if other == kind and (not numbered or follows(mark.text, last)) and abs(place - line.x0) < 1.5 * line.size:
                return True
        last = self.open.last if self.open is not None else None
        inside = last is not None and self._goes_on(line) and not last.leaves_room_for(line) and not self._ended()
        if inside:
            return False  # a dash, or a number, at the beginning of a line of prose
        if self._next_follows(kind, mark.text, following):
            return True
        core = mark.text.strip("().")
        if numbered and core.isdigit():
            return core != mark.text
        return not numbered or (follows(mark.text, None) and ")" in mark.text)

    def _next_follows(self, kind: str, mark: str, following: Sequence[Line | TableOnPage]) -> bool:
        for other in following:
            if isinstance(other, Line) and (after := _mark_of(other)) and _mark_kind(after) == kind:
                return after.kind != "number" or follows(after.text, mark)
        return False

    def _begin_item(self, line: Line, mark: Mark) -> None:
        self.close()
        kind = _mark_kind(mark)
        while self.items and self.items[-1][0] > line.x0 + 0.6 * line.size:
            self.items.pop()
        if self.items and abs(self.items[-1][0] - line.x0) <= 0.6 * line.size:
            self.items.pop()
        self.items.append((line.x0, kind, mark.text))
        text = line.text
        if mark.kind == "bullet":
            sign = mark.text if mark.text < "\ue000" or mark.text > "\uf8ff" else "•"
            text = f"{sign} {line.text[mark.end :]}"
        self.open = _Draft("list_item", [(line.page, text)], len(self.items), last=line, mark=line.x0, inside=line.second)


def _mark_of(line: Line) -> Mark | None:
    """The mark that a line begins with; a bare number only where the text keeps away from it."""
    mark = marker(line.text)
    if mark is None and line.second - line.first > 0.5 * line.size:
        mark = bare_number(line.text)
    return mark


def _mark_kind(mark: Mark) -> str:
    """What marks of one list have in common: the bullet itself, or the shape around a number."""
    if mark.kind != "number":
        return mark.text
    core = mark.text.strip("().")
    return mark.text.replace(core, "1" if core.isdigit() else "a" if core.islower() else "A")


def _goes_on(above: Table, below: Table) -> bool:
    """Whether a table at the top of a page is the rest of one at the foot of the page before: the same columns at the same places."""
    if len(above.rows[0]) != len(below.rows[0]):
        return False
    if above.rows[0] == below.rows[0] and any(above.rows[0]):
        return True  # its header stands there again
    width = above.x1 - above.x0
    if len(above.edges) == len(below.edges):
        return all(abs(a - b) <= 0.03 * width for a, b in zip(above.edges, below.edges, strict=True))
    return abs(above.x0 - below.x0) <= 0.03 * width and abs(above.x1 - below.x1) <= 0.03 * width


def _placed(drafts: list[_Draft], labels: Sequence[str]) -> tuple[str, str, list[Block], list[Page]]:
    """The drafts in one text, with a blank line between them; pages where their text begins and ends."""
    pieces: list[str] = []
    blocks: list[Block] = []
    spans: dict[int, tuple[int, int]] = {}
    path = HeadingPath()
    title = ""
    at = 0
    for draft in drafts:
        parts = [(page, part.replace("\u00ad", "")) for page, part in draft.parts]
        if not "".join(part for _, part in parts).strip():
            continue
        if pieces:
            pieces.append("\n\n")
            at += 2
        start = at
        for page, part in parts:
            lead = len(part) - len(part.lstrip())
            begin, _ = spans.get(page, (at + lead, 0))
            pieces.append(part)
            at += len(part)
            spans[page] = (begin, at)
        text = "".join(part for _, part in parts)
        above = path.here()
        if draft.kind == "title":
            title = title or text
            above = path.title()
        elif draft.kind == "heading":
            above = path.enter(draft.level or 2, text)
        blocks.append(
            Block(draft.kind, text, start, at, parts[0][0], draft.level, draft.rows, above, draft.continues)  # type: ignore[arg-type]
        )
    pages: list[Page] = []
    end = at
    for number in range(len(labels), 0, -1):
        begin, stop = spans.get(number, (end, end))
        pages.append(Page(number, labels[number - 1], begin, stop))
        end = begin
    return "".join(pieces), title, blocks, pages[::-1]
