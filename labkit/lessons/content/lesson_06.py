"""Lesson 06, reading HTML and PDF: the learner lays out merged cells, puts pieces of a page into columns, and says what was lost."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from labkit.lessons.exercises import ChoiceExercise, FunctionExercise, mistake
from labkit.lessons.predictions import Prediction

SMALL_TABLE = """
<table>
  <tr><th>What we send</th><th>Where to</th><th>Rate</th></tr>
  <tr><td rowspan="2">Parcel</td><td>Quebec</td><td>$9.95</td></tr>
  <tr><td>Territories</td><td>$29.95</td></tr>
  <tr><td>Piano</td><td colspan="2">by quotation</td></tr>
</table>
"""
"""Four rows, two merged cells: small enough to lay out by hand."""

SMALL_ROWS = [
    [("What we send", 1, 1), ("Where to", 1, 1), ("Rate", 1, 1)],
    [("Parcel", 2, 1), ("Quebec", 1, 1), ("$9.95", 1, 1)],
    [("Territories", 1, 1), ("$29.95", 1, 1)],
    [("Piano", 1, 1), ("by quotation", 1, 2)],
]
"""The same table as its tags say it: row by row, each cell with its text, rowspan and colspan."""

_GRID = '''
def grid(rows):
    """The table as rows of equal length, each merged cell in every place it covers.

    rows: row by row, each cell as (text, rowspan, colspan), as HTML writes them.
    """
    places = {}  # (row, column) -> text
    for y, row in enumerate(rows):
        x = 0
        for text, down, across in row:
            while %s:  # a cell from above may stand here already
                x += 1
            for dy in range(down):
                for dx in range(across):
                    places[%s] = text
            x += across
    width = max(x for y, x in places) + 1
    return [[places.get((y, x), "") for x in range(width)] for y in range(len(rows))]


lesson.check("grid", grid)
'''

GRID = FunctionExercise(
    "grid",
    stub=_GRID % ("...", "..."),
    solution=_GRID % ("(y, x) in places", "y + dy, x + dx"),
    cases=[
        (SMALL_ROWS,),
        ([[("a", 1, 1), ("b", 2, 1), ("c", 1, 1)], [("d", 1, 1), ("e", 1, 1)], [("f", 1, 1), ("g", 1, 1), ("h", 1, 1)]],),
        ([[("a", 2, 2), ("b", 1, 1)], [("c", 1, 1)], [("d", 1, 1), ("e", 1, 1), ("f", 1, 1)]],),
        ([[("a", 2, 1), ("b", 2, 1), ("c", 1, 1)], [("d", 1, 1)]],),
        ([[("a", 1, 3)], [("b", 1, 1), ("c", 1, 2)], [("d", 1, 1), ("e", 1, 1), ("f", 1, 1)]],),
        ([[("a", 1, 1), ("b", 1, 1)], [("c", 1, 1)]],),
    ],
    mistakes=[
        mistake("no-waiting", ("while (y, x) in places:", "while False:")),
        mistake("one-step", ("while (y, x) in places:", "if (y, x) in places:")),
        mistake("only-first", ("[y + dy, x + dx]", "[y, x]")),
        mistake("no-down", ("[y + dy, x + dx]", "[y, x + dx]")),
        mistake("no-across", ("[y + dy, x + dx]", "[y + dy, x]")),
        mistake("swapped", ("[y + dy, x + dx]", "[y + dx, x + dy]")),
        mistake("turned", ("[y + dy, x + dx]", "[x + dx, y + dy]")),
        mistake("turned-throughout", ("(y, x) in places", "(x, y) in places"), ("[y + dy, x + dx]", "[x + dx, y + dy]")),
        mistake("asked-turned", ("(y, x) in places", "(x, y) in places")),
        mistake("asked-the-text", ("(y, x) in places", "places[y, x]")),
        mistake("looked-above", ("(y, x) in places", "(y - 1, x) in places")),
        mistake("ragged", ("    return [[places.get((y, x), \"\") for x in range(width)] for y in range(len(rows))]",
                           "    return [[text for text, down, across in row] for row in rows]")),
        mistake("first-copy-only", ("] = text", '] = text if dy == dx == 0 else ""')),
    ],
)  # fmt: skip

_SUMMER = ("In summer, keep the lid", "closed, so that nobody", "falls in. Open the tap", "at the foot to fill a", "watering can.")
_WINTER = ("In winter, take the lid", "off, empty the barrel", "and turn it over. Close", "the tap again before", "the first rain.")

LEAFLET = [
    (x, 150 - 16 * line, column[line]) for line in range(len(_SUMMER)) for x, column in ((40, _SUMMER), (220, _WINTER))
]  # fmt: skip
"""A leaflet in two columns, as (x, y, text) in points, in the order in which a program draws that goes straight across."""


def draw_page(path: Path, pieces: Iterable[tuple[float, float, str]]) -> None:
    """Writes a PDF of one page, with each (x, y, text) at its place and in this order. Points, from the left and from the foot.

    The page is 400 by 200 points, the letters are Western ones (Windows-1252): a leaflet needs no more.
    """
    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    names = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica", "/Encoding": "/WinAnsiEncoding"}
    font = DictionaryObject({NameObject(key): NameObject(value) for key, value in names.items()})
    drawing = DecodedStreamObject()
    shown = [(x, y, re.sub(r"([\\()])", r"\\\1", text)) for x, y, text in pieces]
    drawing.set_data("\n".join(f"BT /F1 11 Tf {x} {y} Td ({text}) Tj ET" for x, y, text in shown).encode("cp1252"))
    writer = PdfWriter()
    page = writer.add_blank_page(width=400, height=200)
    fonts = DictionaryObject({NameObject("/F1"): font})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    page[NameObject("/Contents")] = writer._add_object(drawing)
    writer.write(path)


_CELLS = '''
def cells(pieces, edges):
    """The cells of one row. Pieces are (x, y, text); columns begin at `edges`."""
    found = [[] for edge in edges]
    for x, y, text in sorted(pieces, key=lambda piece: %s):
        column = %s
        found[column].append(text)
    return %s


lesson.check("cells", cells)
'''

CELLS = FunctionExercise(
    "cells",
    stub=_CELLS % ("...", "...", "..."),
    solution=_CELLS % ("-piece[1]", "sum(edge <= x for edge in edges) - 1", '[" ".join(texts) for texts in found]'),
    cases=[
        (
            [
                (73, 404, "Pressure washers"),
                (191, 404, "PW-2200, PW-2400"),
                (359, 404, "2 years"),
                (401, 404, "Pump 3 years; nozzles and hoses"),
                (401, 392, "1 year"),
            ],
            [73, 191, 359, 401],
        ),
        ([(401, 392, "panels 1 year"), (401, 404, "Glass"), (195, 404, "Sheds"), (80, 398, "Wood")], [73, 191, 359, 401]),
        ([(10, 30, "red,"), (10, 20, "E3,"), (10, 10, "E4"), (60, 20, "worn out")], [10, 50]),
        ([(60, 20, "b"), (10, 20, "a"), (110, 20, "c")], [10, 50, 100]),
        ([(49, 20, "almost"), (10, 32, "a"), (50, 20, "just")], [10, 50]),
    ],
    mistakes=[
        mistake("bottom-up", ("-piece[1]", "piece[1]")),
        mistake("by-x", ("-piece[1]", "piece[0]")),
        mistake("as-drawn", ("sorted(pieces, key=lambda piece: -piece[1])", "pieces")),
        mistake("one-right", ("sum(edge <= x for edge in edges) - 1", "min(sum(edge <= x for edge in edges), len(edges) - 1)")),
        mistake("edge-outside", ("edge <= x", "edge < x")),
        mistake("edge-passed", ("sum(edge <= x for edge in edges) - 1", "[i for i, edge in enumerate(edges) if edge < x][-1]")),
        mistake("exactly-there", ("sum(edge <= x for edge in edges) - 1", "edges.index(x)")),
        mistake("nearest", ("sum(edge <= x for edge in edges) - 1", "min(range(len(edges)), key=lambda i: abs(edges[i] - x))")),
        mistake("glued", ('" ".join', '"".join')),
        mistake("lines-kept", ('" ".join', '"\\n".join')),
        mistake("first-piece", ('[" ".join(texts) for texts in found]', '[texts[0] if texts else "" for texts in found]')),
        mistake("empty-dropped", ("for texts in found]", "for texts in found if texts]")),
        mistake("lists", ('[" ".join(texts) for texts in found]', "found")),
    ],
)  # fmt: skip

SNIPPETS = {
    "A": ("3 years|Blades not covered\ncorded mowers", "lines from top to bottom"),
    "B": ("Territories$29.958&ndash;14", "tags taken out"),
    "C": ("filters, bulbs, seals;\nPage 1 of 2\nLarkfield · Warranty policy · Version 5", "plain extraction"),
    "D": ("are added at the end.\nWarranty periods\nFind the category", "plain extraction"),
    "E": ("1 year\nWatering\nHoses, reels, sprinklers, timers\n1 year\nNone", "plain extraction"),
}
"""What came out of the lesson's naive readers: the text, and the way it was read."""

LOST = ChoiceExercise(
    "lost",
    choices=("order", "cells", "heading", "page break"),
    stub="""
lost = {
    "A": ...,
    "B": ...,
    "C": ...,
    "D": ...,
    "E": ...,
}
lesson.check("lost", lost)
""",
    solution="""
lost = {
    "A": "order",
    "B": "cells",
    "C": "page break",
    "D": "heading",
    "E": "cells",
}
lesson.check("lost", lost)
""",
    also={"A": ("cells",)},
    mistakes=[
        mistake("all-order", value=dict.fromkeys("ABCDE", "order")),
        mistake("all-cells", value=dict.fromkeys("BCDE", "cells")),
        mistake("b-order", value={"B": "order"}),
        mistake("c-order", value={"C": "order"}),
        mistake("c-heading", value={"C": "heading"}),
        mistake("d-order", value={"D": "order"}),
        mistake("d-page", value={"D": "page break"}),
        mistake("e-order", value={"E": "order"}),
        mistake("e-heading", value={"E": "heading"}),
    ],
)

EXERCISES = [GRID, CELLS, LOST]
PREDICTIONS = [
    Prediction("grid-cells", 10, form=".0f", low=1, high=100),
    Prediction("table-lines", 13, form=".0f", low=1, high=200),
    Prediction("codes", "no", kind="choice", choices=("yes", "no")),
    Prediction("all-formats", 50, form=".0f", low=41, high=59),
]
NEEDS = {"scoreboard.csv": "05"}
