"""The order that a page loses: its pieces of text numbered as they stand in the file, and beside it as a person reads them (lesson 06)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from statistics import median

from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from labkit.errors import BadArgument
from labkit.show.style import BLUE, BROWN, FAINT, SOFT, WIDTH, Picture, canvas, course_style, text_width
from labkit.show.tables import table
from labkit.show.wording import say

_TEXT = FontProperties(family=["DejaVu Sans"], size=8)
# All lengths are inches of the picture.
_PAGE, _GAP = 3.42, 0.16  # the width of a page as drawn, and the space between the two
_EDGE, _NUMBER, _AFTER = 0.08, 0.27, 0.07  # paper at the sides; the room for a piece's number; the room after its text
_ROW, _HEAD = 0.31, 0.32  # a line of text; what stands over the pages
_SAME_ROW = 0.4  # of the distance between two lines


@dataclass(frozen=True)
class _Placed:
    """A piece of text as it is drawn: the place of its number, and how much room its text has."""

    text: str
    x: float
    y: float
    room: float

    @property
    def end(self) -> float:
        """Where its text ends."""
        return self.x + _NUMBER / 2 + 0.04 + _inches(self.text)


def reading_order(
    pieces: Sequence[tuple[float, float, str]], read: Sequence[int], *, title: str | None = None, caption: str | None = None
) -> Picture:
    """One page twice: left its pieces of text numbered in the order of the file, right in the order in which a person reads them.

    `pieces`: (x, y, text) in the order of the file; `x` counts from the left edge, `y` from the foot of the page, in any unit (a PDF has
    points). `read`: the places in `pieces` (0-based) in reading order, each of them once. Where things stand on the picture is a drawing
    and no measure: rows and columns keep their order, a text that has no room is cut with an ellipsis; the twin has it whole.

    The title says how many of the file's steps from one piece to the next a reader takes too. Raises BadArgument without a piece, for a
    place that is no number, for a `read` that is no such order, and for more pieces side by side than fit. Lesson 06.
    """
    page = [(_number(x, place), _number(y, place), " ".join(str(text).split())) for place, (x, y, text) in enumerate(pieces)]
    read = list(read)
    if not page:
        raise BadArgument("a page without a piece of text has no order")
    if sorted(read) != list(range(len(page))):
        raise BadArgument(f"read names each place from 0 to {len(page) - 1} once, in the order in which a person reads the pieces")
    taken = set(pairwise(read))
    jumps = [step for step in pairwise(range(len(page))) if step not in taken]
    number = {place: rank for rank, place in enumerate(read, 1)}
    steps = len(page) - 1
    if title is None:
        which = "one" if not steps else "same" if not jumps else "none" if len(jumps) == steps else "some"
        title = say(f"reading_order.title_{which}", same=steps - len(jumps), steps=steps)
    if caption is None:
        caption = say("reading_order.caption", n=len(page))
    twin = table(
        [(place + 1, number[place], text) for place, (_, _, text) in enumerate(page)],
        columns=[say(f"reading_order.twin_{head}") for head in ("file", "read", "text")],
    )
    with course_style():
        figure = _draw(page, read, title, caption)
    return Picture(figure, _alt(page, read, jumps), twin)


def _number(value: float, place: int) -> float:
    if not math.isfinite(value):
        raise BadArgument(f"piece {place} stands at {value}: a place is a number")
    return float(value)


def _alt(page, read: Sequence[int], jumps) -> str:
    said = say("reading_order.alt", n=len(page), same=len(page) - 1 - len(jumps), steps=len(page) - 1)
    if not jumps:
        return said
    before, after = jumps[0]
    place = read.index(before)
    one, file = page[before][2], page[after][2]
    if place + 1 == len(read):
        return said + " " + say("reading_order.alt_last", one=one, file=file)
    return said + " " + say("reading_order.alt_jump", one=one, file=file, read=page[read[place + 1]][2])


# --- where things stand --------------------------------------------------------------------------------------------------------------


@cache
def _inches(text: str) -> float:
    # on the screen letters keep to whole pixels, so a text may come out a little wider than its outline
    return 1.02 * text_width(text, _TEXT) + 0.01 if text else 0.0


def _lay_out(page: Sequence[tuple[float, float, str]]) -> tuple[list[_Placed], float]:
    """The pieces as they are drawn, and the height of the page."""
    columns = sorted({x for x, _, _ in page})
    column = [columns.index(x) for x, _, _ in page]
    rows, tops = _rows(page)
    beside: dict[int, int] = {}  # piece -> the next one on its row
    for row in set(rows):
        these = sorted((place for place, its in enumerate(rows) if its == row), key=lambda place: column[place])
        beside |= dict(pairwise(these))
    right = _PAGE - _EDGE

    def starts(most: float, scale: float) -> list[float]:
        """Where columns begin, if a text takes `most` inches at most, and `scale` inches a unit where there is room."""
        found: list[float] = []
        for number, x in enumerate(columns):
            least = [found[-1]] if found else [_EDGE]
            least += [
                found[column[one]] + _NUMBER + min(_inches(page[one][2]), most) + _AFTER
                for one, other in beside.items()
                if column[other] == number
            ]
            found.append(max(*least, _EDGE + scale * (x - columns[0])))
        return found

    def fits(most: float, scale: float) -> bool:
        found = starts(most, scale)
        ends = (found[column[place]] + _NUMBER + min(_inches(text), most) for place, (_, _, text) in enumerate(page))
        return max(ends) <= right

    if not fits(0, 0):
        raise BadArgument(
            f"more pieces stand side by side than the {int((right - _EDGE) / (_NUMBER + _AFTER))} that fit: draw a part of the page"
        )
    most = _largest(lambda value: fits(value, 0), _PAGE)
    scale = _largest(lambda value: fits(most, value), _PAGE / max(columns[-1] - columns[0], 1e-9))
    found = starts(most, scale)
    placed = []
    for place, (_, _, text) in enumerate(page):
        x = found[column[place]]
        end = found[column[beside[place]]] - _AFTER if place in beside else right
        room = end - x - _NUMBER
        placed.append(_Placed(_shortened(text, room), x + _NUMBER / 2, tops[rows[place]], room))
    return placed, max(tops) + 0.75 * _ROW


def _largest(holds: Callable[[float], bool], high: float) -> float:
    """The largest value up to `high` for which it holds; it holds for 0."""
    if holds(high):
        return high
    low = 0.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _rows(page: Sequence[tuple[float, float, str]]) -> tuple[list[int], list[float]]:
    """The row of each piece, and how far below the top each row stands: a line apart, two where the page leaves a gap."""
    heights: dict[float, set[float]] = {}
    for x, y, _ in page:
        heights.setdefault(x, set()).add(y)
    gaps = [b - a for these in heights.values() for a, b in pairwise(sorted(these))]
    pitch = median(gaps or [b - a for a, b in pairwise(sorted({y for _, y, _ in page}))] or [1])
    rows, taken, firsts = [0] * len(page), set(), []
    for place in sorted(range(len(page)), key=lambda place: (-page[place][1], page[place][0])):
        x, y, _ = page[place]
        # one on top of the other would hide it: it gets a row of its own
        if not firsts or firsts[-1] - y > _SAME_ROW * pitch or (x, len(firsts) - 1) in taken:
            firsts.append(y)
        rows[place] = len(firsts) - 1
        taken.add((x, rows[place]))
    tops = [0.75 * _ROW]
    for above, below in pairwise(firsts):
        tops.append(tops[-1] + _ROW * min(max((above - below) / pitch, 1), 2))
    return rows, tops


def _shortened(text: str, room: float) -> str:
    if _inches(text) <= room:
        return text
    short, long = 0, len(text)  # `short` letters have room, `long` have not
    while long - short > 1:
        middle = (short + long) // 2
        short, long = (middle, long) if _inches(text[:middle].rstrip() + "…") <= room else (short, middle)
    return text[:short].rstrip() + "…" if short else ""


# --- the drawing ---------------------------------------------------------------------------------------------------------------------


def _draw(page, read: Sequence[int], title: str, caption: str):
    placed, height = _lay_out(page)
    whole = 2 * _PAGE + _GAP
    figure, axes = canvas(title, height + _HEAD + 0.2, caption, WIDTH)
    axes.set_axis_off()
    axes.set(xlim=(-0.02, whole + 0.02), ylim=(height + 0.02, -_HEAD))
    sides = [(0.0, range(len(page)), "file", BROWN, "s", (0, (4, 1.5))), (_PAGE + _GAP, read, "person", BLUE, "o", "-")]
    for left, order, name, colour, marker, line in sides:
        axes.text(left, -_HEAD / 2, say(f"reading_order.{name}"), va="center", color=SOFT, fontsize=9)
        axes.add_patch(Rectangle((left, 0), _PAGE, height, facecolor="white", edgecolor=FAINT, linewidth=1.2, zorder=0))
        for one, other in pairwise(order):
            _arrow(axes, placed[one], placed[other], left, colour, line)
        for rank, place in enumerate(order, 1):
            each = placed[place]
            axes.plot(
                left + each.x, each.y, marker=marker, markersize=13, markerfacecolor="white", markeredgecolor=colour, linestyle="none",
                zorder=3,
            )  # fmt: skip
            size = 7.5 if rank < 100 else 6
            axes.text(left + each.x, each.y, str(rank), ha="center", va="center_baseline", fontsize=size, fontweight="bold", zorder=4)
            axes.text(
                left + each.x + _NUMBER / 2 + 0.02, each.y, each.text, va="center_baseline", fontproperties=_TEXT, zorder=2,
                path_effects=[withStroke(linewidth=3.5, foreground="white")],
            )  # fmt: skip
    return figure


def _arrow(axes, one: _Placed, other: _Placed, left: float, colour: str, line) -> None:
    """The step from one piece to the next: down from number to number, to the side from the end of the text."""
    below = one.x == other.x
    start = one.x if below else one.end
    axes.annotate(
        "",
        (left + other.x, other.y),
        (left + start, one.y),
        arrowprops={
            "arrowstyle": "-|>", "color": colour, "linestyle": line, "linewidth": 1, "mutation_scale": 8, "alpha": 0.75,
            "shrinkA": 7 if below else 1, "shrinkB": 7,
        },
        zorder=1,
    )  # fmt: skip
