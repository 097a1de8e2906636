"""Texts as points on a map: those that mean nearly the same should lie near each other (lesson 12)."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

import numpy as np

from labkit.embedding.plane import DECIMALS, Plane, plane
from labkit.errors import BadArgument
from labkit.show.style import INK, Picture, canvas, course_style, look, spread
from labkit.show.tables import show, table
from labkit.show.wording import say

_MOST = 6  # groups that differ in colour and mark
_LINE = 24  # characters of a group's name on a line


def embedding_map(
    rows: np.ndarray,
    groups: Sequence[str],
    *,
    marked: Mapping[str, np.ndarray] | None = None,
    title: str | None = None,
    caption: str | None = None,
) -> Picture:
    """The embeddings of texts in the two directions of their largest spread (labkit.embedding.plane), a mark and a colour a group.

    `rows`: shape (n, d), one a text; `groups`: the group of each. `marked`: label -> one more row of d numbers (a question), put on the map
    as a star; the map is that of the texts alone. The title counts the texts whose nearest other text is of their own group, by all numbers
    and on the map: what the map has lost. Groups stand in the order of their first text.

    Raises BadArgument where rows and groups do not fit, for more than six groups, for what `plane` refuses, and for marks of another width.
    Lesson 12.
    """
    rows, groups = np.asarray(rows, np.float64), [str(group) for group in groups]
    if rows.ndim != 2 or len(rows) != len(groups):
        raise BadArgument(f"{len(groups)} groups for rows of shape {rows.shape}: one for each text is needed")
    names = list(dict.fromkeys(groups))
    if len(names) > _MOST:
        raise BadArgument(f"{len(names)} groups: {_MOST} can be told apart on one map — choose some")
    flat = plane(rows)
    marked = {str(label): np.asarray(row, np.float64) for label, row in (marked or {}).items()}
    places = {label: flat.places(row)[0] for label, row in marked.items()}
    own_all, own_two = _own(rows, groups), _own(flat.points, groups)
    centres = {name: flat.points[_of(groups, name)].mean(axis=0) for name in names}
    counts = {"n": len(rows), "d": rows.shape[1]}
    if title is None:
        told = {"all": sum(own_all), "two": sum(own_two)}
        title = say("embedding_map.title" if len(names) > 1 else "embedding_map.title_plain", **counts, **told)
    shares = dict(zip(("first", "second"), (show(100 * share, 0) for share in flat.shares), strict=True))
    if caption is None:
        caption = say("embedding_map.caption", n=len(rows), **shares)
    heads = ["group", "texts", "x", "y", "all", "two"] if len(names) > 1 else ["group", "texts", "x", "y"]
    lines = []
    for name in names:
        mine = _of(groups, name)
        kept = (sum(own_all[place] for place in mine), sum(own_two[place] for place in mine))
        lines.append((name, len(mine), *(show(value, 2) for value in centres[name]), *(kept if len(names) > 1 else ())))
    lines += [(label, 1, *(show(value, 2) for value in at), *((None, None) if len(names) > 1 else ())) for label, at in places.items()]
    twin = table(lines, columns=[say(f"embedding_map.twin_{head}", d=rows.shape[1]) for head in heads])
    with course_style():
        figure = _draw(flat, groups, names, places, title, caption)
    return Picture(figure, f"{title}. {_alt(rows, groups, centres, marked, places, shares)}", twin)


def _of(groups: Sequence[str], name: str) -> list[int]:
    return [place for place, group in enumerate(groups) if group == name]


def _own(rows: np.ndarray, groups: Sequence[str]) -> list[bool]:
    """Of each text: is the nearest other one of its group? Equally near ones (to DECIMALS) count in the order given."""
    squares = (rows**2).sum(axis=1)
    apart = np.round(squares[:, None] + squares[None, :] - 2 * rows @ rows.T, DECIMALS)
    np.fill_diagonal(apart, np.inf)
    return [groups[place] == groups[nearest] for place, nearest in enumerate(apart.argmin(axis=1).tolist())]


def _alt(rows, groups, centres, marked, places, shares: Mapping[str, str]) -> str:
    told = []
    for name, centre in centres.items():
        n = groups.count(name)
        part = "alt_group" if n > 1 else "alt_group_one"
        told.append(say(f"embedding_map.{part}", group=name, n=n, x=show(centre[0], 2), y=show(centre[1], 2)))
    for label, row in marked.items():
        nearest = groups[int(np.round(((rows - row) ** 2).sum(axis=1), DECIMALS).argmin())]
        at = places[label]
        told.append(say("embedding_map.alt_mark", label=label, x=show(at[0], 2), y=show(at[1], 2), group=nearest))
    return say("embedding_map.alt", n=len(rows), groups="; ".join(told), **shares)


def _wrapped(name: str) -> str:
    """Two lines at most: a long name keeps its beginning and its end, which tell it from its neighbours."""
    lines = textwrap.wrap(name, _LINE) or [name]
    return "\n".join([lines[0], lines[1] if len(lines) == 2 else f"…{name[1 - _LINE :].lstrip()}"] if len(lines) > 1 else lines)


def _draw(flat: Plane, groups, names, places: Mapping[str, np.ndarray], title: str, caption: str):
    figure, axes = canvas(title, 4.4, caption)
    everything = np.vstack([flat.points, *(at[None, :] for at in places.values())])
    low, high = everything.min(axis=0), everything.max(axis=0)
    room = np.maximum((high - low) * 0.06, 1e-3)
    low, high = low - room, high + room
    for number, name in enumerate(names):
        kind, mine = look(number), flat.points[_of(groups, name)]
        axes.scatter(mine[:, 0], mine[:, 1], s=26, color=kind["colour"], marker=kind["marker"], alpha=0.75, linewidths=0, zorder=2)
    middles = [float(flat.points[_of(groups, name)][:, 1].mean()) for name in names]
    heights = spread([(y - low[1]) / (high[1] - low[1]) for y in middles], 0.11, 0.03, 0.97)  # of the axes: from the foot, 0, to the top, 1
    for number, (name, y) in enumerate(zip(names, heights, strict=True)):
        kind = look(number)
        axes.plot([1.03], [y], color=kind["colour"], marker=kind["marker"], linestyle="", transform=axes.transAxes, clip_on=False)
        axes.annotate(
            _wrapped(name), (1.03, y), (8, 0), xycoords=axes.transAxes, textcoords="offset points", va="center", color=kind["colour"],
            fontweight="bold", fontsize=9, annotation_clip=False,
        )  # fmt: skip
    for number, (label, (x, y)) in enumerate(sorted(places.items(), key=lambda each: each[1][0])):
        axes.plot([x], [y], marker="*", markersize=15, color=INK, markeredgecolor="white", zorder=4)
        across = (x - low[0]) / (high[0] - low[0])
        side_of = "left" if across < 0.25 else "right" if across > 0.75 else "center"
        axes.annotate(  # in turn above and below, so that neighbours do not cover each other
            label, (x, y), (0, -14 if number % 2 else 14), textcoords="offset points", ha=side_of, va="center", fontsize=9,
            fontweight="bold", zorder=5, bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.6, "pad": 0.5},
        )  # fmt: skip
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel=say("embedding_map.x"), ylabel=say("embedding_map.y"))
    axes.set_aspect("equal", adjustable="datalim")
    axes.grid()
    return figure
