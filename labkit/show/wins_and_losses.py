"""Where one search beats another and where it loses, side by side: a sum can stand still while what it adds up moves (lesson 14)."""

from __future__ import annotations

from matplotlib.ticker import MaxNLocator

from labkit.errors import BadArgument
from labkit.show.style import BLUE, BROWN, FAINT, INK, SOFT, Picture, canvas, course_style
from labkit.show.tables import table
from labkit.show.wording import say


def wins_and_losses(
    rows,
    *,
    label: str,
    wins: str = "wins",
    losses: str = "losses",
    ties: str = "ties",
    title: str | None = None,
    caption: str | None = None,
) -> Picture:
    """Questions won (bars to the right) and lost (hatched, to the left), a row a group, in the order given. Lesson 14.

    `rows`: a DataFrame or list of dicts with a name in `label` and three counts. The title counts all of them. Raises BadArgument for no
    row, a missing column, or a count that is no whole number of 0 or more.
    """
    groups = _groups(rows, (label, wins, losses, ties))
    sums = [sum(group[place] for group in groups) for place in (1, 2, 3)]
    if title is None:
        title = say("wins_and_losses.title", wins=sums[0], losses=sums[1], ties=sums[2])
    if caption is None:
        caption = say("wins_and_losses.caption", label=label)
    said = "; ".join(
        say("wins_and_losses.alt_row", name=name, wins=won, losses=lost, n=won + lost + same) for name, won, lost, same in groups
    )
    twin = table(groups, columns=[label, *(say(f"wins_and_losses.twin_{part}") for part in ("wins", "losses", "ties"))])
    with course_style():
        figure = _draw(groups, title, caption)
    return Picture(figure, f"{title}. {say('wins_and_losses.alt', label=label, rows=said)}", twin)


def _groups(rows, columns: tuple[str, ...]) -> list[tuple[str, int, int, int]]:
    records = rows.to_dict("records") if hasattr(rows, "to_dict") else list(rows)
    if not records:
        raise BadArgument("no row, so nothing was won or lost")
    absent = [name for name in columns if any(name not in record for record in records)]
    if absent:
        raise BadArgument(f"the rows have no column {', '.join(absent)}; they have {', '.join(map(str, records[0]))}")
    groups = []
    for record in records:
        name, *counts = (record[column] for column in columns)
        wrong = [count for count in counts if isinstance(count, bool) or count != count or count < 0 or count != int(count)]
        if wrong:
            raise BadArgument(f"{name}: {wrong[0]!r} is no number of questions — a whole one from 0 up is needed")
        groups.append((str(name), *map(int, counts)))
    return groups


def _draw(groups, title: str, caption: str):
    figure, axes = canvas(title, 0.95 + 0.38 * len(groups), caption)
    most = max(max(won, lost) for _, won, lost, _ in groups) or 1
    for place, (_, won, lost, _) in enumerate(groups):
        if won:
            axes.barh(place, won, height=0.6, color=BLUE, edgecolor=BLUE, linewidth=1.2)
            axes.annotate(str(won), (won, place), (5, 0), textcoords="offset points", va="center", color=INK)
        if lost:
            axes.barh(place, -lost, height=0.6, color="white", edgecolor=BROWN, hatch="///", linewidth=1.2)
            axes.annotate(str(lost), (-lost, place), (-5, 0), textcoords="offset points", va="center", ha="right", color=INK)
        if not won and not lost:
            axes.annotate(say("wins_and_losses.none"), (0, place), (6, 0), textcoords="offset points", va="center", color=SOFT)
    axes.plot([0, 0], [-0.6, len(groups) - 0.4], color=INK, linewidth=1.0, zorder=3)
    axes.set_yticks(range(len(groups)), [say("wins_and_losses.row", name=name, n=sum(counts)) for name, *counts in groups])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    side = most * 1.15 + 0.4
    axes.set(xlim=(-side, side), ylim=(len(groups) - 0.4, -0.6), xlabel=say("wins_and_losses.axis"))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=9))
    axes.xaxis.set_major_formatter(lambda at, _: f"{abs(at):g}")
    axes.grid(axis="x", color=FAINT)
    return figure
