"""A document as a tree: what stands above, parents, children, and which parents the children found would bring (lesson 11)."""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib.patches import FancyBboxPatch

from labkit.errors import BadArgument
from labkit.show.style import BLUE, FAINT, INK, SOFT, Picture, canvas, course_style
from labkit.show.tables import table
from labkit.show.wording import say

_ROW = 0.34  # inches a child
_LEFT, _MIDDLE, _RIGHT = 0.0, 2.3, 6.6  # where the three columns begin, of 10


def hierarchy_tree(
    parents: Iterable, children: Iterable, *, found: Iterable[str] = (), title: str | None = None, caption: str | None = None
) -> Picture:
    """Parents with the headings above them on the left and their children on the right, one line a child, in the order given.

    `parents` and `children` are Parents and Children (labkit.hierarchy) of one document, every child of one of these parents, every
    parent with at least one child. `found`: ids (`child.id`) of children that a search found, best first: they are marked with their rank,
    and the parents that they bring stand in full boxes. Ids of other parents' children count as ranks and are not drawn. The title says
    how many children bring how many parents. Raises BadArgument for no parent, a child without its parent, a parent without a child, and
    an id that is found twice. Lesson 11.
    """
    branches = _branches(list(parents), list(children))
    ranks: dict[str, int] = {}
    for rank, name in enumerate(found, start=1):
        if name in ranks:
            raise BadArgument(f"{name} stands twice among the children found — a child is found once")
        ranks[name] = rank
    drawn = [[(child, ranks.get(child.id)) for child in mine] for _, mine in branches]
    brought = [any(rank for _, rank in mine) for mine in drawn]
    counts = {
        "parents": len(branches),
        "children": sum(map(len, drawn)),
        "found": sum(rank is not None for mine in drawn for _, rank in mine),
        "brought": sum(brought),
    }
    if title is None:
        kind = "title" if not counts["found"] else "title_found" if counts["found"] > 1 else "title_found_one"
        title = say(f"hierarchy_tree.{kind}", **_counted(counts))
    if caption is None:
        caption = say("hierarchy_tree.caption_found" if counts["found"] else "hierarchy_tree.caption")
    heads = ["above", "parent", "words", "pieces"] + (["found", "delivered"] if counts["found"] else [])
    rows = []
    for (parent, _), mine, whole in zip(branches, drawn, brought, strict=True):
        pieces = ", ".join(f"{child.type} {child.words}" for child, _ in mine)
        at = ", ".join(f"{child.position + 1} (rank {rank})" for child, rank in mine if rank)
        last = [at, say("hierarchy_tree.yes" if whole else "hierarchy_tree.no")] if counts["found"] else []
        rows.append((_above(parent), _own(parent), parent.words, pieces, *last))
    twin = table(rows, columns=[say(f"hierarchy_tree.twin_{head}") for head in heads])
    with course_style():
        figure = _draw(branches, drawn, brought, title, caption)
    return Picture(figure, _alt(branches, drawn, counts), twin)


def _branches(parents: list, children: list) -> list[tuple]:
    if not parents:
        raise BadArgument("a tree needs a parent")
    mine: dict[str, list] = {parent.id: [] for parent in parents}
    for child in children:
        if child.parent not in mine:
            raise BadArgument(f"{child.id} has no parent among those given — draw the children of these parents alone")
        mine[child.parent].append(child)
    bare = [parent.id for parent in parents if not mine[parent.id]]
    if bare:
        raise BadArgument(f"{bare[0]} has no child among those given — give all children of the parents")
    return [(parent, mine[parent.id]) for parent in parents]


def _above(parent) -> str:
    return " › ".join(parent.heading_path[:-1])


def _own(parent) -> str:
    return parent.heading_path[-1] if parent.heading_path else parent.parent_id


def _counted(counts: dict[str, int]) -> dict[str, str]:
    """Each count with its noun: '1 parent', '3 children'."""
    kinds = {"parents": "parent", "brought": "parent", "children": "child", "found": "child"}
    return {
        name: say(f"hierarchy_tree.{kinds[name]}{'' if number == 1 else '_many'}", n=number) for name, number in counts.items()
    }


def _alt(branches, drawn, counts) -> str:
    lines = []
    for (parent, _), mine in zip(branches, drawn, strict=True):
        at = ", ".join(str(rank) for _, rank in mine if rank)
        words = {"parent": _own(parent), "children": _counted({"children": len(mine)})["children"], "ranks": at}
        lines.append(say("hierarchy_tree.alt_found" if at else "hierarchy_tree.alt_parent", **words))
    return say("hierarchy_tree.alt", lines=" ".join(lines), **_counted(counts))


def _draw(branches, drawn, brought, title: str, caption: str):
    tops, row = [], 0.0
    for number, ((parent, _), mine) in enumerate(zip(branches, drawn, strict=True)):
        new = number > 0 and parent.heading_path[:-1] != branches[number - 1][0].heading_path[:-1]
        row += 0.35 * (number > 0) + 0.3 * new
        tops.append(row)
        row += len(mine)
    figure, axes = canvas(title, 0.45 + _ROW * row, caption)
    axes.set_axis_off()
    axes.set(xlim=(0, 10), ylim=(row - 0.3, -1.15))
    for x, name in ((_LEFT, "above"), (_MIDDLE, "parents"), (_RIGHT, "children")):
        axes.text(x, -0.9, say(f"hierarchy_tree.{name}"), va="center", color=SOFT, fontsize=9)
    _draw_above(axes, branches, drawn, tops)
    for (parent, _), mine, whole, top in zip(branches, drawn, brought, tops, strict=True):
        middle = top + (len(mine) - 1) / 2
        one_row = len(mine) == 1
        _box(axes, _MIDDLE, middle, 3.5, 0.38 if one_row else 0.62, full=whole)
        text = f"{_short(_own(parent), 31)}\n{say('hierarchy_tree.words', n=parent.words)}"
        axes.text(
            _MIDDLE + 0.12,
            middle,
            text.replace("\n", " · ") if one_row else text,
            va="center",
            fontsize=7.6 if one_row else 8.4,
            color="white" if whole else INK,
            linespacing=1.3,
        )
        for place, (child, rank) in enumerate(mine):
            y = top + place
            strong = rank is not None
            axes.plot([_MIDDLE + 3.5, _RIGHT - 0.15], [middle, y], color=BLUE if strong else FAINT, linewidth=2 if strong else 1, zorder=1)
            axes.plot(
                [_RIGHT - 0.05], [y], marker="o" if strong else "s", markersize=6, markerfacecolor=BLUE if strong else "white",
                markeredgecolor=BLUE if strong else SOFT, zorder=3,
            )  # fmt: skip
            said = say("hierarchy_tree.piece", type=child.type, n=child.words)
            axes.text(_RIGHT + 0.15, y, said, va="center", fontsize=8.6, color=INK if strong else SOFT)
            if strong:
                axes.text(_RIGHT + 2.05, y, say("hierarchy_tree.rank", rank=rank), va="center", fontsize=8.6, fontweight="bold", color=BLUE)
    return figure


def _draw_above(axes, branches, drawn, tops) -> None:
    """What stands above parents, once for neighbours that share it."""
    first = 0
    while first < len(branches):
        name = _above(branches[first][0])
        last = first
        while last + 1 < len(branches) and _above(branches[last + 1][0]) == name:
            last += 1
        middles = [tops[number] + (len(drawn[number]) - 1) / 2 for number in range(first, last + 1)]
        y = (middles[0] + middles[-1]) / 2
        if name:
            axes.text(_LEFT, y, _wrapped(name), va="center", fontsize=8.4, linespacing=1.25)
            for middle in middles:
                axes.plot([_MIDDLE - 0.45, _MIDDLE - 0.05], [y, middle], color=FAINT, linewidth=1, zorder=1)
        first = last + 1


def _box(axes, x: float, y: float, width: float, half: float, full: bool) -> None:
    style = {"facecolor": BLUE, "edgecolor": BLUE} if full else {"facecolor": "white", "edgecolor": SOFT}
    axes.add_patch(
        FancyBboxPatch((x, y - half), width, 2 * half, boxstyle="round,pad=0,rounding_size=0.12", mutation_aspect=2, zorder=2, **style)
    )


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def _wrapped(text: str, width: int = 19, most: int = 3) -> str:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    lines = [*lines[: most - 1], " ".join(lines[most - 1 :])]
    return "\n".join(_short(line, width + 3) for line in lines)
