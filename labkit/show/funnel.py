"""A funnel: many go in, few come out; each stage says how many are left, and what became of the one that matters (lesson 13)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from labkit.errors import BadArgument
from labkit.show.style import BLUE, INK, SOFT, Picture, canvas, course_style
from labkit.show.tables import table
from labkit.show.wording import say

_ROW = 0.46  # inches a stage


def funnel(stages: Iterable[Sequence], *, title: str | None = None, caption: str | None = None) -> Picture:
    """Stages as bars, the first on top: (name, how many are left) or (name, how many, note). Lesson 13.

    Where what is counted changes on the way (children, then parents), the names say so. The title is computed from the first and the last
    number. Raises BadArgument for fewer than two stages, a number that is no whole one of 0 or more, or is larger than the one before.
    """
    rows = _rows(stages)
    counts = [number for _, number, _ in rows]
    if title is None:
        ends = {"first": f"{counts[0]:,}", "last": f"{counts[-1]:,}"}
        title = say("funnel.title_one" if counts[-1] == 1 else "funnel.title", **ends)
    if caption is None:
        caption = say("funnel.caption")
    noted = any(note for *_, note in rows)
    said = "; ".join(say("funnel.alt_note" if note else "funnel.alt_row", name=name, n=number, note=note) for name, number, note in rows)
    heads = [say("funnel.twin_stage"), say("funnel.twin_count"), *([say("funnel.twin_note")] if noted else [])]
    twin = table([row if noted else row[:2] for row in rows], columns=heads)
    with course_style():
        figure = _draw(rows, title, caption)
    return Picture(figure, f"{title}. {say('funnel.alt', rows=said)}", twin)


def _rows(stages: Iterable[Sequence]) -> list[tuple[str, int, str]]:
    rows: list[tuple[str, int, str]] = []
    for stage in stages:
        if isinstance(stage, str) or len(stage) not in (2, 3):
            raise BadArgument(f"{stage!r} is no stage: a name and a number are needed, and perhaps a note")
        name, number, note = (*stage, "")[:3]
        if isinstance(number, bool) or not hasattr(number, "__index__") or number < 0:
            raise BadArgument(f"{name}: {number!r} is no number of things that are left — a whole one from 0 up is needed")
        if rows and number > rows[-1][1]:
            raise BadArgument(f"{name}: {number} after {rows[-1][1]} — nothing comes back in a funnel")
        rows.append((str(name), int(number), str(note)))
    if len(rows) < 2:
        raise BadArgument("a funnel has two stages or more")
    return rows


def _draw(rows, title: str, caption: str):
    figure, axes = canvas(title, 0.2 + _ROW * len(rows), caption)
    axes.set_axis_off()
    axes.set(xlim=(0, 10), ylim=(len(rows) - 0.4, -0.6))
    largest = max(number for _, number, _ in rows) or 1
    middle, half = 4.9, 1.75
    edges = [half * math.sqrt(number / largest) for _, number, _ in rows]
    for place, ((name, number, note), edge) in enumerate(zip(rows, edges, strict=True)):
        axes.text(0.0, place, name, va="center", color=INK, fontsize=9.5)
        axes.barh(place, 2 * edge, left=middle - edge, height=0.66, color=BLUE, edgecolor=BLUE)
        inside = edge > 0.3
        axes.text(
            middle if inside else middle + edge + 0.12,
            place,
            f"{number:,}",
            ha="center" if inside else "left",
            va="center",
            color="white" if inside else INK,
            fontweight="bold",
            fontsize=10,
        )
        if note:
            axes.text(middle + half + 0.25, place, note, va="center", color=INK, fontsize=9)
        if place:
            before = edges[place - 1]
            axes.plot([middle - before, middle - edge], [place - 0.67, place - 0.33], color=SOFT, linewidth=0.8)
            axes.plot([middle + before, middle + edge], [place - 0.67, place - 0.33], color=SOFT, linewidth=0.8)
    return figure
