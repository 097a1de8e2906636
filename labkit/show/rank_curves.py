"""How far down the list must one read? hit@k of several searches, for every k up to some depth (lesson 12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labkit.errors import BadArgument
from labkit.show.style import Picture, canvas, course_style, look, spread
from labkit.show.tables import show, table
from labkit.show.wording import say, say_of

MARKS = (1, 3, 5, 10, 20, 30)
"""The values of k that have an interval in the picture and a row in its twin, as far as the curves go."""


def rank_curves(
    searches: Mapping[str, object],
    *,
    up_to: int = 30,
    marks: Sequence[int] = MARKS,
    level: float = 0.95,
    title: str | None = None,
    caption: str | None = None,
) -> Picture:
    """hit@k for k = 1 … `up_to`, one curve a search, with intervals (`labkit.interval`) at `marks`.

    `searches`: name -> what `evaluate(questions, search, k)` returns, with a k of `up_to` or more, over the same questions. A question
    that is not scored is left out; a rank that is missing is no hit. The title says who leads at the first k and at the last.
    Raises BadArgument for no search, a missing column, no scored question, different questions, and an `up_to` below 2. Lesson 12.
    """
    from labkit.evaluation.significance import interval  # here, since it brings scipy

    if up_to < 2 or not searches:
        raise BadArgument(f"curves need a search, and an up_to of 2 or more, not {up_to}")
    ranks = {str(name): _ranks(str(name), rows) for name, rows in searches.items()}
    ids = {name: sorted(mine) for name, mine in ranks.items()}
    first, *others = ids
    different = [name for name in others if ids[name] != ids[first]]
    if different:
        raise BadArgument(f"{first} and {different[0]} were asked different questions — compare over the same ones")
    hits = {name: [_share(mine, k) for k in range(1, up_to + 1)] for name, mine in ranks.items()}
    shown = [k for k in sorted(set(marks)) if 1 <= k <= up_to]
    spans = {name: {k: interval([float(rank <= k) for rank in mine.values()], level=level) for k in shown} for name, mine in ranks.items()}
    if title is None:
        title = _title(hits, up_to)
    if caption is None:
        caption = say_of(len(ids[first]), "rank_curves.caption", confidence=f"{100 * level:g}")
    told = "; ".join(
        say("rank_curves.alt_series", name=name, hits=", ".join(say("rank_curves.alt_hit", hit=show(curve[k - 1]), k=k) for k in shown))
        for name, curve in hits.items()
    )
    twin = table(
        [(name, k, span.mean, span.low, span.high) for name, mine in spans.items() for k, span in mine.items()],
        columns=[say(f"rank_curves.twin_{part}") for part in ("name", "k", "hit", "low", "high")],
    )
    with course_style():
        figure = _draw(hits, spans, up_to, title, caption)
    return Picture(figure, f"{title}. {say('rank_curves.alt', k=up_to, series=told)}", twin)


def _ranks(name: str, rows) -> dict[str, float]:
    """The rank of the first hit by question; NaN for none."""
    absent = [column for column in ("id", "scored", "first_rank") if column not in getattr(rows, "columns", ())]
    if absent:
        raise BadArgument(f"{name}: the rows have no column {', '.join(absent)} — give what evaluate() returns")
    scored = rows[rows["scored"].astype(bool)]
    if not len(scored):
        raise BadArgument(f"{name}: no question is scored, so there is no hit@k to draw")
    return dict(zip(scored["id"].astype(str), scored["first_rank"].astype("float64").tolist(), strict=True))


def _share(ranks: Mapping[str, float], k: int) -> float:
    return sum(rank <= k for rank in ranks.values()) / len(ranks)  # NaN is not at or above any k


def _title(hits: Mapping[str, list[float]], up_to: int) -> str:
    ends = {"first_hit": show(max(curve[0] for curve in hits.values())), "last_hit": show(max(curve[-1] for curve in hits.values()))}
    if len(hits) == 1:
        return say("rank_curves.title_one", name=next(iter(hits)), k=up_to, **ends)
    return say("rank_curves.title", first=_leaders(hits, 0), last=_leaders(hits, -1), k=up_to, **ends)


def _leaders(hits: Mapping[str, list[float]], place: int) -> str:
    best = max(curve[place] for curve in hits.values())
    names = [name for name, curve in hits.items() if curve[place] == best]
    if len(names) == 1:
        return say("rank_curves.one", name=names[0])
    return say("rank_curves.several", names=say("rank_curves.last_word").join([", ".join(names[:-1]), names[-1]]))


def _draw(hits, spans, up_to: int, title: str, caption: str):
    figure, axes = canvas(title, 3.9, caption)
    ks = list(range(1, up_to + 1))
    for number, (name, curve) in enumerate(hits.items()):
        kind = look(number)
        axes.plot(ks, curve, color=kind["colour"], linestyle=kind["line"], zorder=3)
        for k, span in spans[name].items():
            at = k + 0.14 * (number - (len(hits) - 1) / 2)  # beside each other, so that intervals do not hide each other
            axes.plot([at, at], [span.low, span.high], color=kind["colour"], linewidth=0.9, zorder=2)
            axes.plot([k], [span.mean], color=kind["colour"], marker=kind["marker"], markersize=6, linestyle="", zorder=4)
    bottom = min(span.low for mine in spans.values() for span in mine.values())
    heights = spread([curve[-1] for curve in hits.values()], 0.06, bottom, 1.0)
    for number, (name, y) in enumerate(zip(hits, heights, strict=True)):
        axes.annotate(
            name, (up_to, y), (12, 0), textcoords="offset points", va="center", color=look(number)["colour"], fontweight="bold",
            annotation_clip=False,
        )  # fmt: skip
    axes.set(xlabel=say("rank_curves.x"), ylabel=say("rank_curves.y"), xlim=(0.4, up_to + 0.6), ylim=(max(0.0, bottom - 0.04), 1.0))
    axes.set_xticks(sorted({1, *range(5, up_to + 1, 5), up_to}))
    axes.grid(axis="y")
    return figure
