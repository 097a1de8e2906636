"""Two texts that look alike, and where each ranks for questions about one of them, searched in two or more ways (lesson 07)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from labkit.errors import BadArgument
from labkit.show.style import BLUE, BROWN, FAINT, SOFT, Picture, canvas, course_style
from labkit.show.tables import table
from labkit.show.wording import say

_TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)


def twin_ranks(rows: Iterable[tuple], *, ways: Sequence[str], of: int, title: str | None = None, caption: str | None = None) -> Picture:
    """For each question and way of searching, the rank of the text asked about (a full dot) and of its twin (an open square).

    `rows`: (question, (right, twin), (right, twin), …), a pair for each of `ways`; ranks count from 1, the best, to `of`, how many were
    ranked. The axis is logarithmic. The title says how often the right one stands above its twin, way by way. Raises BadArgument without
    a row or a way, for a row with another number of pairs, and for a rank outside 1 to `of`. Lesson 07.
    """
    ways = [str(way) for way in ways]
    asked = [(str(question), [tuple(pair) for pair in pairs]) for question, *pairs in rows]
    if not asked or not ways:
        raise BadArgument("a picture of ranks needs a question and a way of searching")
    for question, pairs in asked:
        if len(pairs) != len(ways) or any(len(pair) != 2 for pair in pairs):
            raise BadArgument(f"{question}: give a pair of ranks (right, twin) for each of the {len(ways)} ways")
        if any(not 1 <= rank <= of for pair in pairs for rank in pair):
            raise BadArgument(f"{question}: a rank is a number from 1 to {of}")
    above = [sum(pairs[place][0] < pairs[place][1] for _, pairs in asked) for place in range(len(ways))]
    if title is None:
        told = "; ".join(say("twin_ranks.title_way", way=way, above=count) for way, count in zip(ways, above, strict=True))
        title = say("twin_ranks.title", n=len(asked), ways=told)
    if caption is None:
        caption = say("twin_ranks.caption", n=len(asked), of=of)
    heads = [say(f"twin_ranks.{each}", way=way) for way in ways for each in ("twin_right", "twin_twin")]
    twin = table(
        [(question, *(rank for pair in pairs for rank in pair)) for question, pairs in asked],
        columns=[say("twin_ranks.question"), *heads],
    )
    with course_style():
        figure = _draw(asked, ways, title, caption)
    return Picture(figure, _alt(asked, ways), twin)


def _alt(asked, ways: Sequence[str]) -> str:
    lines = []
    for question, pairs in asked:
        told = ", ".join(
            say("twin_ranks.alt_way", way=way, right=right, twin=twin) for way, (right, twin) in zip(ways, pairs, strict=True)
        )  # fmt: skip
        lines.append(say("twin_ranks.alt_row", question=question, ways=told))
    return say("twin_ranks.alt", rows=" ".join(lines))


def _draw(asked, ways: Sequence[str], title: str, caption: str):
    lanes = len(ways) + 1  # a line for the question, then one a way
    last = max(rank for _, pairs in asked for pair in pairs for rank in pair)
    figure, axes = canvas(title, 0.9 + 0.25 * lanes * len(asked), caption)
    names, places = [], []
    for number, (question, pairs) in enumerate(asked):
        top = number * lanes
        axes.text(0.0, top, question, transform=axes.get_yaxis_transform(), va="center", fontsize=9.5, fontweight="bold")
        for place, (way, (right, twin)) in enumerate(zip(ways, pairs, strict=True), start=1):
            y = top + place
            names.append(way)
            places.append(y)
            axes.plot([right, twin], [y, y], color=FAINT, linewidth=2, zorder=1)
            axes.plot([right], [y], marker="o", markersize=8, color=BLUE, zorder=3)
            axes.plot([twin], [y], marker="s", markersize=8, markerfacecolor="white", markeredgecolor=BROWN, markeredgewidth=1.6, zorder=2)
            ends = sorted(((right, "right"), (twin, "twin")))
            for (rank, kind), side in zip(ends, (-1, 1), strict=True):
                axes.annotate(
                    f"{say(f'twin_ranks.{kind}')} {rank}",
                    (rank, y),
                    (8 * side, 0),
                    textcoords="offset points",
                    ha="left" if side > 0 else "right",
                    va="center",
                    fontsize=8.5,
                    color=BLUE if kind == "right" else BROWN,
                    zorder=4,
                )
    axes.set_xscale("log")
    axes.set(xlim=(0.55, max(last * 1.9, 4)), ylim=(lanes * len(asked) - 0.4, -0.7))
    axes.xaxis.set_major_locator(FixedLocator([tick for tick in _TICKS if tick <= max(last, 2)]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_yticks(places, names, fontsize=9)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(say("twin_ranks.axis"))
    axes.grid(axis="x", color=FAINT, linewidth=0.7)
    axes.tick_params(axis="y", labelcolor=SOFT)
    return figure
