"""An HTML table as a grid: merged cells are repeated in each place that they cover, so that each row reads alone (lesson 06).

The algorithm is that of the HTML standard ("forming a table"), with two cuts for readers: a column that lies beyond what the rows fill is
left off (`colspan="100"` is how people write "all of it"), and a row without a word is no row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lxml import etree

from labkit.parsing.visible import CELLS, HEADINGS, LISTS, folded, left_out, role_of

NO_TABLE = ("presentation", "none")  # the roles by which a table says that it is none
_OF_A_LAYOUT = ("table", "li", "td", "th", "p", "div", "pre", "blockquote", "hr", "section", *LISTS, *HEADINGS)
_WHOLE = re.compile(r"[ \t\n\f\r]*\+?([0-9]+)")
MOST_COLUMNS = 1000  # the standard's own limit for colspan


@dataclass(frozen=True)
class Cell:
    """A cell as it stands in the source: its text, and how many rows and columns it covers (rows 0: all that are left of its group)."""

    text: str
    rows: int = 1
    columns: int = 1


def span(value: str | None, zero: int, most: int) -> int:
    """A rowspan or colspan as browsers read it: the whole number that it begins with, at most `most`; `zero` for 0; 1 for what is none."""
    match = _WHOLE.match(value or "")
    if not match:
        return 1
    digits = match[1].lstrip("0")
    if not digits:
        return zero
    return most if len(digits) > 9 else min(int(digits), most)


def grid(groups: Iterable[Sequence[Sequence[Cell]]]) -> list[list[str]]:
    """The rows of a table, all equally long; a merged cell's text in each place that it covers, '' where no cell is.

    A group is a <thead>, <tbody> or <tfoot>: a cell never reaches out of its own. Of two cells for one place, the first keeps it. Where
    merged cells would cover ten times more places than there are cells, and 100,000 on top, none is repeated: no reader wants that table.
    """
    groups = list(groups)
    left = 10 * sum(len(cells) for group in groups for cells in group) + 100_000
    rows: list[dict[int, str]] = []
    starts, ends = [0], []
    for group in groups:
        below: list[dict[int, str]] = [{} for _ in group]
        for number, cells in enumerate(group):
            column = 0
            for cell in cells:
                while column in below[number]:
                    column += 1
                until = min(len(group), number + cell.rows) if cell.rows else len(group)
                left -= cell.columns * (until - number)
                if left < 0:
                    return grid([[Cell(each.text) for each in cells] for cells in group] for group in groups)
                starts.append(column)
                ends.append(column + cell.columns)
                for row in below[number:until]:
                    for place in range(column, column + cell.columns):
                        row.setdefault(place, cell.text)
                column += cell.columns
        rows += [row for row, cells in zip(below, group, strict=True) if cells and any(row.values())]
    last = max(starts)
    width = min((end for end in ends if end > last), default=0)
    return [[row.get(column, "") for column in range(width)] for row in rows]


def as_lines(rows: Iterable[Sequence[str]]) -> str:
    """A table as text: a line a row, a tab between two cells (so that what parts them is no word, as a Markdown table's `|` is)."""
    return "\n".join("\t".join(row) for row in rows)


def is_layout(table: etree._Element) -> bool:
    """Whether a table only sets the page: tables or headings in it, lists or code without header cells, or one cell with
    blocks in it."""
    if "role" in table.attrib and role_of(table) in NO_TABLE:
        return True
    seen: set[str] = set()
    cells = 0
    for element in table.iterdescendants(*_OF_A_LAYOUT):
        if element.tag == "table" or element.tag in HEADINGS:
            return True
        cells += element.tag in CELLS
        seen.add(element.tag)
    if "th" in seen:
        return False
    return bool(seen & (LISTS | {"li", "pre"})) or (cells == 1 and seen != {"td"})


def rows_of(table: etree._Element) -> tuple[list[str], list[list[str]]]:
    """What a table says outside its cells (captions, stray words), and its rows, as `grid` gives them.

    A <thead> comes first and a <tfoot> last, wherever they stand in the source.
    """
    outside: list[str] = []
    groups: list[tuple[str, list[list[Cell]]]] = []
    in_row = False
    walker = etree.iterwalk(table, events=("start", "end", "comment", "pi"))
    for event, element in walker:
        tag = element.tag
        if event != "start":
            in_row = in_row and not (event == "end" and tag == "tr")
            if event == "end" and tag in ("thead", "tbody", "tfoot"):
                groups.append(("tbody", []))
            if element is not table:
                _stray(outside, element.tail)
            continue
        if element is not table and tag != "form" and left_out(element):
            walker.skip_subtree()
        elif tag == "caption":
            outside.insert(0, folded(element))
            walker.skip_subtree()
        elif tag in ("thead", "tbody", "tfoot"):
            groups.append((tag, []))
            in_row = False
            _stray(outside, element.text)
        elif tag in CELLS:
            if not groups:
                groups.append(("tbody", []))
            rows = groups[-1][1]
            if not in_row:  # a cell that stands in no <tr> opens a row that goes on to the next <tr>
                rows.append([])
                in_row = True
            spans = span(element.get("rowspan"), 0, 65534), span(element.get("colspan"), 1, MOST_COLUMNS)
            rows[-1].append(Cell(folded(element), *spans))
            walker.skip_subtree()
        elif tag == "tr":
            if not groups:
                groups.append(("tbody", []))
            groups[-1][1].append([])
            in_row = True
            _stray(outside, element.text)
        else:
            _stray(outside, element.text)
    order = {"thead": 0, "tbody": 1, "tfoot": 2}
    groups.sort(key=lambda group: order[group[0]])
    return [text for text in outside if text], grid(rows for _, rows in groups)


def _stray(outside: list[str], text: str | None) -> None:
    if text and not text.isspace():
        outside.append(" ".join(text.split()))
