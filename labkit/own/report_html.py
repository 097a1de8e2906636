"""HTML of a report, piece by piece: text that stays text, tables that sort, parts that fold (lesson 15).

Whatever comes from a folder (a name, a question, a message) goes through `text` or `theirs`, so that none of it is ever read as HTML.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from labkit.show.tables import clean, show

FOLD = 15  # rows; longer tables are folded
LONG = 200  # rows; longer ones stay folded on paper
_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")


def text(value: object) -> str:
    """As HTML text or the value of an attribute; what is no character of a page becomes '·'."""
    return _escaped(str(value))


@lru_cache(maxsize=65_536)  # the same few names stand in a hundred thousand cells
def _escaped(value: str) -> str:
    return html.escape(clean(value))


def theirs(value: object, language: str | None = None) -> str:
    """Text from the folder: kept apart from its surroundings in direction, and in language where it is known."""
    tag = f' lang="{language}"' if language and _TAG.fullmatch(language) else ""
    return f"<bdi{tag}>{text(value)}</bdi>"


@dataclass(frozen=True)
class Column:
    """A column of a table. `number`: right-aligned, and sorted as numbers, the largest first; `rank`: the smallest first. `words`: holds
    sentences."""

    head: str
    number: bool = False
    rank: bool = False
    words: bool = False

    @property
    def classes(self) -> str:
        """The class attribute, or nothing."""
        names = [name for name in ("number", "rank", "words") if getattr(self, name)]
        return f' class="{" ".join(names)}"' if names else ""


@dataclass(frozen=True)
class Cell:
    """A cell: its HTML, and what it is sorted by where that is not its text."""

    shown: str
    value: float | str | None = None


def number(value: float | None, decimals: int = 3) -> Cell:
    """A number as a cell; None is '–', and sorted behind all others."""
    return Cell(f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else text(show(value, decimals)), value)


def with_interval(mean: float | None, low: float | None, high: float | None) -> Cell:
    """A share with its interval as a cell, sorted by the share."""
    if mean is None or low is None or high is None:
        return number(mean)
    return Cell(f'{mean:.3f} <span class="interval">{low:.2f}–{high:.2f}</span>', mean)


def sortable(caption: str, columns: Sequence[Column], rows: Sequence[Sequence[Cell]], *, fold: str = "") -> str:
    """A table with a caption (text); the first cell of a row is its heading. A long one folds under the summary `fold` (HTML)."""
    heads = "".join(f'<th scope="col"{column.classes}>{text(column.head)}</th>' for column in columns)
    body = "\n".join(_row(row, columns) for row in rows)
    head = f"<caption>{text(caption)}</caption>\n<thead><tr>{heads}</tr></thead>"
    made = scrolling(f'<table class="sortable">\n{head}\n<tbody>\n{body}\n</tbody>\n</table>', f"Table: {caption}")
    return folded(fold or text(caption), made, long=len(rows) > LONG) if len(rows) > FOLD else made


def scrolling(inside: str, name: str) -> str:
    """HTML that may be wider than the page, in a part that scrolls by itself, by keyboard too; `name` (text) says what it is."""
    return f'<div class="wide" tabindex="0" role="group" aria-label="{text(name)}">\n{inside}\n</div>'


def _row(row: Sequence[Cell], columns: Sequence[Column]) -> str:
    return f"<tr>{''.join(_cell(cell, column, not place) for place, (cell, column) in enumerate(zip(row, columns, strict=True)))}</tr>"


def _cell(cell: Cell, column: Column, first: bool) -> str:
    value = f' data-value="{text(cell.value)}"' if cell.value is not None else ""
    name, scope = ("th", ' scope="row"') if first else ("td", "")
    return f"<{name}{scope}{column.classes}{value}>{cell.shown}</{name}>"


def folded(summary: str, inside: str, *, long: bool = False) -> str:
    """A part that opens on demand; `summary` and `inside` are HTML. A long one stays folded on paper too."""
    kind = ' class="long"' if long else ""
    return f'<details{kind}>\n<summary>{summary}</summary>\n{inside}\n</details>'
