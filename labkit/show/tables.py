"""Tables that print the same everywhere: fixed decimals, fixed width, never wider than 80 columns (every lesson).

pandas' own tables change with the size of the window, the version and the terminal; a recorded output must not. `table(rows)` gives a
`Table`: its text is plain and fixed-width, its HTML is a real table with a caption and headed rows and columns, made from the same cells.
"""

from __future__ import annotations

import datetime
import html
import math
import numbers
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from labkit.errors import BadArgument

GAP = "  "
MISSING = "–"
_MARKS = "-/#@_.,;:"


@dataclass(frozen=True)
class Table:
    """A finished table: `headers` and `rows` are what is shown, cell by cell, as strings.

    `right` names the columns (0-based) that are aligned right. `str(table)` is the fixed-width text, at most `width` columns wide;
    in a notebook the same cells are an HTML table. `len(table)` counts the rows.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int]
    caption: str = ""
    width: int = 80

    def __str__(self) -> str:
        return _as_text(self)

    __repr__ = __str__

    def __len__(self) -> int:
        return len(self.rows)

    def layout(self) -> list[tuple[list[int], list[int]]]:
        """How the text is set: for each block of columns side by side, their numbers (0-based) and their widths (terminal columns)."""
        return _blocks(self)

    def to_html(self) -> str:
        """The table as HTML: a caption, and `scope` on each heading, so that a screen reader names the row and the column of a cell."""
        return _as_html(self)

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self.to_html()}


def table(
    data,
    *,
    columns: Sequence[str] | None = None,
    headers: Mapping[str, str] | None = None,
    decimals: int | Mapping[str, int] = 3,
    width: int = 80,
    caption: str = "",
) -> Table:
    """A Table of a DataFrame, of a list of dicts, of a dict of lists, or of a list of tuples (then `columns` names the columns).

    `columns` also picks and orders; `headers` says how a column is called; `decimals` is one number or one a column (default 3 for those
    not named). Whole numbers, dates and text stand as they are; None and NaN are '–'; True and False are 'yes' and 'no'. A column of
    numbers is aligned right. `width` counts terminal columns (an accented letter 1, a Chinese one 2). Long cells wrap; a table with too
    many columns goes on below, with its first column again.

    Raises BadArgument for a column that is not there, rows of unequal length, a width under 10 or decimals below 0.
    """
    if width < 10:
        raise BadArgument(f"a table of width {width} holds nothing — give at least 10 columns")
    names, rows = _cells(data, columns)
    places = dict.fromkeys(names, decimals) if isinstance(decimals, int) else {n: decimals.get(n, 3) for n in names}
    if any(not isinstance(p, int) or p < 0 for p in places.values()):
        raise BadArgument(f"decimals must be whole numbers of 0 or more, not {decimals!r}")
    shown = tuple(tuple(show(cell, places[name]) for name, cell in zip(names, row, strict=True)) for row in rows)
    right = frozenset(i for i in range(len(names)) if rows and _all_numbers([row[i] for row in rows]))
    heads = tuple(clean(str((headers or {}).get(name, name))) for name in names)
    return Table(heads, shown, right, clean(caption), width)


def show(value, decimals: int = 3) -> str:
    """One value as it stands in a table or a sentence: 0.5 -> '0.500', None -> '–', True -> 'yes', a date in ISO form.

    Minus zero is shown as zero, and what rounds to zero has no minus.
    """
    if value is None or _is_missing(value):
        return MISSING
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return "yes" if value else "no"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        number = float(value)
        if math.isinf(number):
            return "∞" if number > 0 else "-∞"
        text = f"{number:.{decimals}f}"
        return text[1:] if text.startswith("-") and not text.strip("-0.") else text
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (list, tuple)):
        return ", ".join(show(part, decimals) for part in value) or MISSING
    return clean(str(value))


def display_width(text: str) -> int:
    """How many terminal columns a text takes: 0 for marks and invisible characters, 2 for wide ones, 1 for the rest."""
    return sum(_char_width(char) for char in text)


def _char_width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf") or char in "\u200b\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def wrap(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` terminal columns; a word that is too long is cut. At least one line; own line ends are kept."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line, used = "", 0
        for word in paragraph.split(" "):
            size = display_width(word)
            if line and used + 1 + size <= width:
                line, used = f"{line} {word}", used + 1 + size
                continue
            if line:
                lines.append(line)
            *full, line = _cut(word, width)
            lines += full
            used = display_width(line)
        lines.append(line)
    return lines


def _cut(word: str, width: int) -> list[str]:
    """A long word in pieces, cut behind a mark inside it (an id has many) where that leaves a piece of at least half the width."""
    pieces, piece, used = [], "", 0
    for char in word:
        size = _char_width(char)
        if piece and used + size > width:
            mark = max(piece.rfind(each) for each in _MARKS) + 1
            keep = mark if display_width(piece[:mark]) * 2 >= width else len(piece)
            pieces.append(piece[:keep])
            piece = piece[keep:]
            used = display_width(piece)
        piece, used = piece + char, used + size
    return [*pieces, piece]


# --- cells ---------------------------------------------------------------------------------------------------------------------------


def _cells(data, columns: Sequence[str] | None) -> tuple[list[str], list[tuple]]:
    if hasattr(data, "to_frame") and not hasattr(data, "columns"):  # a Series
        data = data.to_frame()
    if hasattr(data, "columns") and hasattr(data, "itertuples"):  # a DataFrame
        names, rows = _from_frame(data)
    elif isinstance(data, Mapping):
        names = [str(name) for name in data]
        lists = [list(values) for values in data.values()]
        if len({len(values) for values in lists}) > 1:
            raise BadArgument("the columns are of unequal length: " + ", ".join(f"{n} {len(v)}" for n, v in zip(names, lists, strict=True)))
        rows = list(zip(*lists, strict=True))
    else:
        return _from_rows(list(data), columns)
    return _pick(names, rows, columns)


def _from_frame(frame) -> tuple[list[str], list[tuple]]:
    names = [_column_name(name) for name in frame.columns]
    rows = [tuple(row) for row in frame.itertuples(index=False, name=None)]
    if type(frame.index).__name__ != "RangeIndex":
        # an index that says something is a column like any other
        keys = [key if isinstance(key, tuple) else (key,) for key in frame.index]
        own = ["" if name is None else str(name) for name in frame.index.names]
        if any(own) or any(not isinstance(part, numbers.Integral) for key in keys for part in key):
            names, rows = own + names, [(*key, *row) for key, row in zip(keys, rows, strict=True)]
    return names, rows


def _column_name(name) -> str:
    return " ".join(str(part) for part in name if str(part)) if isinstance(name, tuple) else str(name)


def _from_rows(rows: list, columns: Sequence[str] | None) -> tuple[list[str], list[tuple]]:
    if rows and all(isinstance(row, Mapping) for row in rows):
        names = list(dict.fromkeys(str(name) for row in rows for name in row))
        return _pick(names, [tuple(row.get(name) for name in names) for row in rows], columns)
    if columns is None:
        raise BadArgument("a list of rows needs columns=… to name its columns")
    names = [str(name) for name in columns]
    for number, row in enumerate(rows, 1):
        if isinstance(row, str) or not isinstance(row, Iterable) or len(tuple(row)) != len(names):
            raise BadArgument(f"row {number} of the table does not have {len(names)} cells ({', '.join(names)}): {row!r}")
    return names, [tuple(row) for row in rows]


def _pick(names: list[str], rows: list[tuple], columns: Sequence[str] | None) -> tuple[list[str], list[tuple]]:
    if columns is None:
        return names, rows
    absent = [name for name in columns if name not in names]
    if absent:
        raise BadArgument(f"no column {', '.join(map(repr, absent))}; the columns are {', '.join(names)}")
    places = [names.index(name) for name in columns]
    return list(columns), [tuple(row[place] for place in places) for row in rows]


def _is_missing(value) -> bool:
    # NaN, NaT and pandas.NA are the values that do not equal themselves; NA answers with itself
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _all_numbers(cells: Iterable) -> bool:
    present = [cell for cell in cells if not (cell is None or _is_missing(cell))]
    return bool(present) and all(
        isinstance(cell, numbers.Real) and not isinstance(cell, bool) and type(cell).__name__ not in ("bool_",) for cell in present
    )


def clean(text: str) -> str:
    """Line ends become '\\n', tabs a space; what would move the cursor or not print (control characters, lone surrogates), '·'."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ").replace("\u2028", "\n").replace("\u2029", "\n")
    return "".join("·" if char != "\n" and unicodedata.category(char) in ("Cc", "Cs") else char for char in text)


# --- text ----------------------------------------------------------------------------------------------------------------------------


def _as_text(made: Table) -> str:
    parts = ["\n".join(wrap(made.caption, made.width))] if made.caption else []
    if not made.headers:
        return "\n".join([*parts, "(no columns)"])
    parts += [_block(made, places, widths) for places, widths in _blocks(made)]
    if not made.rows:
        parts[-1] += "\n(no rows)"
    return "\n\n".join(parts)


def _blocks(made: Table) -> list[tuple[list[int], list[int]]]:
    """Columns side by side as long as they fit the width; what does not fit goes on below, with the first column in front again."""
    natural = [_natural(made, i) for i in range(len(made.headers))]
    least = [min(natural[i], _least(made, i)) for i in range(len(natural))]
    blocks: list[list[int]] = [[]]
    for place in range(len(natural)):
        here = blocks[-1]
        if here and _total([least[i] for i in [*here, place]]) > made.width and here != [0]:
            blocks.append([0] if _total([least[0], least[place]]) <= made.width else [])
        blocks[-1].append(place)
    return [(places, _fit([natural[i] for i in places], [least[i] for i in places], made.width)) for places in blocks]


def _natural(made: Table, place: int) -> int:
    lines = [line for cell in (made.headers[place], *(row[place] for row in made.rows)) for line in cell.split("\n")]
    return max(1, max(display_width(line) for line in lines))


def _least(made: Table, place: int) -> int:
    """The narrowest that still reads: numbers whole, words whole up to 12 columns."""
    cells = [row[place] for row in made.rows]
    words = [made.headers[place]] if place in made.right else [made.headers[place], *cells]
    longest = max((display_width(word) for text in words for word in text.split()), default=1)
    return max(min(12, longest), *(display_width(cell) for cell in cells if place in made.right), 1)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _fit(natural: list[int], least: list[int], width: int) -> list[int]:
    widths = list(natural)
    while (over := _total(widths) - width) > 0:
        # take from the widest of those that can still give, so that short columns stay as they are
        givers = [i for i in range(len(widths)) if widths[i] > least[i]] or [i for i in range(len(widths)) if widths[i] > 1]
        if not givers:
            break
        widest = max(givers, key=lambda i: widths[i])
        second = max((widths[i] for i in givers if i != widest), default=0)
        floor = least[widest] if widths[widest] > least[widest] else 1
        widths[widest] = max(floor, min(widths[widest] - 1, max(second, widths[widest] - over)))
    return widths


def _block(made: Table, places: list[int], widths: list[int]) -> str:
    def lines(cells: Sequence[str]) -> list[str]:
        columns = [wrap(cells[place], width) for place, width in zip(places, widths, strict=True)]
        height = max(len(column) for column in columns)
        rendered = []
        for number in range(height):
            parts = [
                _pad(column[number] if number < len(column) else "", width, place in made.right)
                for place, width, column in zip(places, widths, columns, strict=True)
            ]
            rendered.append(GAP.join(parts).rstrip())
        return rendered

    body = [line for row in made.rows for line in lines(row)]
    return "\n".join([*lines(made.headers), GAP.join("-" * width for width in widths), *body])


def _pad(text: str, width: int, right: bool) -> str:
    fill = " " * max(0, width - display_width(text))
    return fill + text if right else text + fill


# --- HTML ----------------------------------------------------------------------------------------------------------------------------


def _as_html(made: Table) -> str:
    # JupyterLab aligns every cell right unless the cell says otherwise
    side = ["right" if i in made.right else "left" for i in range(len(made.headers))]
    lines = ["<table>"]
    if made.caption:
        lines.append(f'<caption style="text-align: left">{_escape(made.caption)}</caption>')
    heads = (f'<th scope="col" style="text-align: {side[i]}">{_escape(head)}</th>' for i, head in enumerate(made.headers))
    lines += ["<thead>", f"<tr>{''.join(heads)}</tr>", "</thead>", "<tbody>"]
    for row in made.rows:
        cells = [f'<th scope="row" style="text-align: {side[0]}">{_escape(row[0])}</th>'] if row else []
        cells += [f'<td style="text-align: {side[i]}">{_escape(cell)}</td>' for i, cell in enumerate(row) if i]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</tbody>", "</table>"])


def _escape(text: str) -> str:
    return html.escape(text).replace("\n", "<br>")
