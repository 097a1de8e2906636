"""The pictures of the lessons. Each takes data, never a corpus, and returns a `Picture`: a figure, its alternative text, its text twin.

A picture answers one question and its title says the answer, computed; `title=…` says it in other words. What the pictures say stands in
texts/en.toml. Lesson 03: score_bars, saturation, rarity_curve, inverted_index. Lesson 05: hit_by_kind. Any lesson: bars, curves.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from labkit.errors import BadArgument
from labkit.retrieval import bm25
from labkit.show.style import (
    BLUE,
    BROWN,
    FAINT,
    INK,
    LINES,
    SOFT,
    Picture,
    canvas,
    course_style,
    look,
    spread,
)
from labkit.show.tables import show, table
from labkit.show.wording import say, say_of

_LONGEST_LABEL = 44


def _label(text: str, longest: int = _LONGEST_LABEL) -> str:
    """One line of at most `longest` characters: a long name keeps its beginning and its end, which tell it from its neighbours.

    It is cut between words where there are any: 'product-care-pw2400@v1#…-part-numbers'.
    """
    text = " ".join(str(text).split())
    if len(text) <= longest:
        return text
    room = longest // 2
    head, tail = text[:room], text[-(longest - room - 1) :]
    edges = [match.end() for match in re.finditer(r"[^\w]+", head) if match.end() > room // 2]
    starts = [match.start() for match in re.finditer(r"[^\w]+", tail) if match.start() < room // 2]
    return f"{head[: edges[-1]] if edges else head}…{tail[starts[0] :] if starts else tail}"


# --- the inverted index --------------------------------------------------------------------------------------------------------------


def inverted_index(
    postings: Mapping[str, Iterable],
    *,
    sections: int | None = None,
    limit: int = 12,
    title: str | None = None,
    caption: str = "",
) -> Picture:
    """The inverted index for some words, as at the end of a book: words left, sections right, on each line how often the word stands there.

    `postings`: word -> its postings, each a Posting(id, count) or an (id, count) pair; `sections` is the number of all sections (then the
    title says how many nobody had to read). At most `limit` sections are drawn (those of the rarest words, in
    the order of the postings); the twin counts all of them. Raises BadArgument without a word, or for a limit below 1.
    """
    lists = {str(word): [_posting(entry) for entry in found] for word, found in postings.items()}
    if not lists:
        raise BadArgument("an inverted index needs a word to look up")
    if limit < 1:
        raise BadArgument(f"limit is {limit}: draw at least 1 section")
    every = list(dict.fromkeys(name for found in lists.values() for name, _ in found))
    if sections is not None and sections < len(every):
        raise BadArgument(f"{len(every)} sections hold these words, so there cannot be {sections} in all")
    drawn = _most_telling(lists, every, limit)
    words = " and ".join([", ".join([*lists][:-1]), [*lists][-1]]) if len(lists) > 1 else next(iter(lists))
    if title is None:
        if not every:
            title = say("inverted_index.title_none", words=words)
        elif sections is None:
            title = say("inverted_index.title_no_total", words=words, found=len(every))
        else:
            title = say("inverted_index.title", words=words, found=len(every), others=sections - len(every))
    lines = " ".join(
        say(
            f"inverted_index.alt_line{'' if len(found) > 1 else '_one' if found else '_none'}", word=word, n=len(found), names=_named(found)
        )
        for word, found in lists.items()
    )
    twin = table(
        [
            (word, len(found), ", ".join(f"{name} ×{count}" for name, count in found[:limit]) + _more(len(found) - limit))
            for word, found in lists.items()
        ],
        columns=[say(f"inverted_index.twin_{part}") for part in ("word", "documents", "postings")],
    )
    with course_style():
        figure = _draw_index(lists, drawn, len(every), title, caption)
    return Picture(figure, say("inverted_index.alt", lines=lines), twin)


def _posting(entry) -> tuple[str, int]:
    name, count = entry if isinstance(entry, tuple) else (entry.id, entry.count)
    return str(name), int(count)


def _named(found: Sequence[tuple[str, int]], longest: int = 8) -> str:
    return ", ".join(f"{name} ×{count}" for name, count in found[:longest]) + _more(len(found) - longest)


def _more(n: int) -> str:
    return f" {say('inverted_index.more', n=n)}" if n > 0 else ""


def _most_telling(lists: Mapping[str, list[tuple[str, int]]], every: list[str], limit: int) -> list[str]:
    # a word that few sections hold says more about them, so it chooses first
    weight = dict.fromkeys(every, 0.0)
    for found in lists.values():
        for name, count in found:
            weight[name] += (1 + count / 1000) / len(found)
    place = {name: number for number, name in enumerate(every)}
    best = set(sorted(every, key=lambda name: (-weight[name], place[name]))[:limit])
    return [name for name in every if name in best]


def _draw_index(lists, drawn: list[str], n: int, title: str, caption: str):
    rows = max(len(drawn) + (n > len(drawn)), len(lists), 1)
    figure, axes = canvas(title, 0.4 + 0.36 * rows, caption)
    axes.set_axis_off()
    axes.set(xlim=(0, 10), ylim=(rows - 0.4, -1.1))
    heights = {name: place for place, name in enumerate(drawn)}
    more_at = len(drawn)
    wanted = [(sum(heights.get(name, more_at) for name, _ in found) / len(found)) if found else rows / 2 for found in lists.values()]
    # words keep the order in which they were asked for, so lines may cross but a reader finds each word where it is expected
    places = [(i + 0.5) * rows / len(lists) - 0.5 for i in range(len(lists))] if len(lists) > 1 else wanted
    left, right = (2.1, 5.2) if max((len(_label(name)) for name in drawn), default=0) > 16 else (2.9, 6.9)
    axes.text(left, -0.8, say("inverted_index.left"), ha="right", va="center", color=SOFT, fontsize=9)
    axes.text(right, -0.8, say("inverted_index.right"), ha="left", va="center", color=SOFT, fontsize=9)
    for number, ((word, found), y) in enumerate(zip(lists.items(), places, strict=True)):
        kind = look(number)
        axes.text(left - 0.12, y, _label(word, 22), ha="right", va="center", fontweight="bold", fontsize=11)
        if not found:
            axes.text(left + 0.15, y, say("inverted_index.none"), ha="left", va="center", color=SOFT, style="italic")
        hidden = 0
        for name, count in found:
            if name not in heights:
                hidden += 1
                continue
            target = heights[name]
            axes.plot(
                [left, right - 0.12],
                [y, target],
                color=kind["colour"],
                linestyle=kind["line"],
                linewidth=min(1.2 + 0.7 * (count - 1), 4),
                solid_capstyle="round",
                zorder=1,
            )
            share = (0.86, 0.56, 0.71)[number % 3]
            axes.text(
                left + (right - 0.12 - left) * share,
                y + (target - y) * share,
                f"×{count}",
                ha="center",
                va="center",
                fontsize=9,
                color=INK,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.2},
                zorder=3,
            )
        if hidden:
            axes.plot([left, right - 0.12], [y, more_at], color=kind["colour"], linestyle=kind["line"], linewidth=0.8, zorder=1)
        axes.plot([left], [y], marker=kind["marker"], color=kind["colour"], zorder=4)
    for name, y in heights.items():
        axes.plot([right - 0.12], [y], marker="o", markersize=4, color=INK, zorder=4)
        axes.text(right, y, _label(name), ha="left", va="center")
    if n > len(drawn):
        axes.text(right, more_at, say("inverted_index.more", n=n - len(drawn)), ha="left", va="center", color=SOFT, style="italic")
    return figure


# --- scores --------------------------------------------------------------------------------------------------------------------------


def score_bars(
    scores,
    *,
    decimals: int = 4,
    notes: Mapping[str, str] | None = None,
    title: str | None = None,
    axis: str | None = None,
    caption: str | None = None,
) -> Picture:
    """Results of one query as bars, best first (equal ones in the order given): the id, a bar, the score at its end.

    `scores`: Hits, (id, score) pairs, a dict id -> score, a Series, or a DataFrame with the columns id and score. `notes` adds a word to
    an id ('staff only'); its bar is hatched and has another colour, so that it stands out in grey too. Scores are 0 or more.
    """
    pairs = sorted(_pairs(scores), key=lambda pair: -pair[1])
    wrong = [f"{name} {score}" for name, score in pairs if not (math.isfinite(score) and score >= 0)]
    if wrong:
        raise BadArgument("a score that can be drawn is 0 or more: " + ", ".join(wrong))
    notes = {str(name): note for name, note in (notes or {}).items()}
    shown = [show(score, decimals) for _, score in pairs]
    if title is None:
        title = _score_title(pairs, shown)
    if caption is None:
        caption = say("score_bars.caption", n=len(pairs))
    if len(pairs) > 1:
        alt = say("score_bars.alt", n=len(pairs), first=pairs[0][0], top=shown[0], last=pairs[-1][0], bottom=shown[-1])
    else:
        alt = say("score_bars.alt_one", first=pairs[0][0], top=shown[0]) if pairs else say("score_bars.alt_none")
    heads = [say(f"score_bars.twin_{part}") for part in ("rank", "id", "score")] + ([say("score_bars.twin_note")] if notes else [])
    twin = table(
        [(rank, name, score, *([notes.get(name, "")] if notes else [])) for rank, (name, score) in enumerate(pairs, 1)],
        columns=heads,
        decimals=decimals,
    )
    with course_style():
        figure = _draw_bars(pairs, shown, notes, title, caption, axis or say("score_bars.axis"))
    return Picture(figure, alt, twin)


def _draw_bars(pairs, shown, notes, title: str, caption: str, axis: str):
    # a long id stands over its bar, so that the bars keep the width of the page
    above = any(len(name) > 24 for name, _ in pairs)
    figure, axes = canvas(title, 0.75 + (0.56 if above else 0.36) * max(1, len(pairs)), caption)
    roomy = 84 if above else 78 - max((len(name) for name, _ in pairs), default=0)  # characters that fit beside each other
    right = top = max((score for _, score in pairs), default=0) or 1
    for place, ((name, score), text) in enumerate(zip(pairs, shown, strict=True)):
        noted = name in notes
        axes.barh(
            place,
            score,
            height=0.42 if above else 0.62,
            color="white" if noted else BLUE,
            edgecolor=BROWN if noted else BLUE,
            hatch="///" if noted else "",
            linewidth=1.2,
        )
        text += f"  {_label(notes[name])}" if noted and notes[name] else ""
        axes.annotate(text, (score, place), (5, 0), textcoords="offset points", va="center")
        right = max(right, score / max(0.2, 1 - (len(text) + 2) / roomy))
        if above:
            axes.text(top * 0.002, place - 0.39, _label(name, 70), va="center", ha="left", fontsize=9.5)
    axes.set_yticks([] if above else range(len(pairs)), [] if above else [" ".join(name.split()) for name, _ in pairs])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(bool(pairs))
    axes.set(xlim=(0, right), ylim=(max(1, len(pairs)) - 0.5, -0.72 if above else -0.5), xlabel=axis)
    return figure


def _pairs(scores) -> list[tuple[str, float]]:
    if hasattr(scores, "columns"):
        absent = [name for name in ("id", "score") if name not in scores.columns]
        if absent:
            raise BadArgument(
                f"the table of scores has no column {', '.join(absent)}; its columns are {', '.join(map(str, scores.columns))}"
            )
        return [(str(name), float(score)) for name, score in zip(scores["id"], scores["score"], strict=True)]
    if hasattr(scores, "items"):
        return [(str(name), float(score)) for name, score in scores.items()]
    # a Hit has a rank behind id and score
    return [(str(item[0]), float(item[1])) if isinstance(item, tuple) else (str(item.id), float(item.score)) for item in scores]


def _score_title(pairs, shown) -> str:
    if not pairs:
        return say("score_bars.title_none")
    if len(pairs) == 1:
        return say("score_bars.title_one", first=_label(pairs[0][0]), score=shown[0])
    (first, best), (_, second) = pairs[0], pairs[1]
    if shown[0] == shown[1]:
        return say("score_bars.title_tie", first=_label(first), score=shown[0])
    if second <= 0 or best / second >= 1000:
        return say("score_bars.title_first", first=_label(first), score=shown[0])
    return say("score_bars.title", first=_label(first), score=shown[0], ratio=show(best / second, 2))


# --- the two halves of BM25 ----------------------------------------------------------------------------------------------------------


def saturation(
    lengths: Sequence[float],
    average_length: float,
    *,
    up_to: int = 10,
    k1: float = bm25.K1,
    b: float = bm25.B,
    gain: Callable[..., float] | None = None,
    title: str | None = None,
    caption: str | None = None,
) -> Picture:
    """BM25's gain against the number of occurrences, one curve a section length (words), for 1 … `up_to` occurrences.

    A curve ends where the section is full: 6 words cannot hold a word 7 times. `gain(f, length, average_length, k1=…, b=…)` is `bm25.gain`
    unless told. The dashed line is the ceiling, k1 + 1. The computed title speaks of the length nearest the average.
    Raises BadArgument without a length, for one below 2, or for `up_to` below 2.
    """
    lengths = sorted(dict.fromkeys(lengths))
    if not lengths or lengths[0] < 2 or up_to < 2:
        raise BadArgument("a saturation curve needs lengths of at least 2 words, and at least 2 occurrences")
    gain = gain or bm25.gain
    curves = {length: [gain(f, length, average_length, k1=k1, b=b) for f in range(1, min(up_to, int(length)) + 1)] for length in lengths}
    ceiling = k1 + 1
    usual = min(lengths, key=lambda length: (abs(length - average_length), length))
    steps = curves[usual]
    if title is None:
        one, two, end = (show(value, 2) for value in (steps[0], steps[1] - steps[0], steps[-1] - steps[-2]))
        title = say("saturation.title" if len(steps) > 2 else "saturation.title_two", one=one, two=two, last=len(steps), end=end)
    if caption is None:
        caption = say("saturation.caption", k1=_plain(k1), b=_plain(b), average=_plain(average_length), length=_plain(usual))
    curve_texts = "; ".join(
        say("saturation.alt_curve", length=_plain(length), first=show(curve[0], 2), last=show(curve[-1], 2), times=len(curve))
        for length, curve in curves.items()
    )
    alt = say("saturation.alt", ceiling=_plain(ceiling), curves=curve_texts)
    longest = max(len(curve) for curve in curves.values())
    twin = table(
        [(f, *(curve[f - 1] if f <= len(curve) else None for curve in curves.values())) for f in range(1, longest + 1)],
        columns=[say("saturation.twin_times"), *(say("saturation.curve", length=_plain(length)) for length in lengths)],
        decimals=2,
    )
    with course_style():
        figure = _draw_saturation(curves, average_length, longest, ceiling, title, caption)
    return Picture(figure, alt, twin)


def _draw_saturation(curves: Mapping[float, list[float]], average_length: float, longest: int, ceiling: float, title: str, caption: str):
    figure, axes = canvas(title, 3.5, caption)
    axes.axhline(ceiling, color=SOFT, linestyle="--", linewidth=1)
    axes.text(1, ceiling * 1.015, say("saturation.ceiling", ceiling=_plain(ceiling)), va="bottom", color=SOFT, fontsize=9.5)
    heights = spread([curve[-1] for curve in curves.values()], ceiling * 0.068, 0, ceiling * 0.96)
    for number, ((length, curve), y) in enumerate(zip(curves.items(), heights, strict=True)):
        kind = look(number)
        axes.plot(range(1, len(curve) + 1), curve, color=kind["colour"], marker=kind["marker"], linestyle=kind["line"])
        # the names stand outside, each behind its curve's mark: a line from a curve's end to its name would look like the curve going on
        place = axes.get_yaxis_transform()
        axes.plot([1.045], [y], color=kind["colour"], marker=kind["marker"], linestyle="", transform=place, clip_on=False)
        part = "curve_average" if math.isclose(length, average_length, abs_tol=0.5) else "curve"
        axes.annotate(
            say(f"saturation.{part}", length=_plain(length)),
            (1.045, y),
            (8, 0),
            xycoords=place,
            textcoords="offset points",
            va="center",
            color=kind["colour"],
            fontweight="bold",
            annotation_clip=False,
        )
    axes.set(xlabel=say("saturation.x"), ylabel=say("saturation.y"), xlim=(0.7, longest + 0.15), ylim=(0, ceiling * 1.1))
    axes.set_xticks(list(range(1, longest + 1)) if longest <= 20 else [1, *range(5, longest + 1, 5)])
    axes.grid(axis="y")
    return figure


def _plain(number: float) -> str:
    """A number as a person writes it: 8, 7.25, 2.2."""
    return f"{float(number):.2f}".rstrip("0").rstrip(".")


def rarity_curve(
    total: int,
    marked: Mapping[str, int] | None = None,
    *,
    rarity: Callable[[int, int], float] | None = None,
    floor: float = bm25.FLOOR,
    title: str | None = None,
    caption: str | None = None,
) -> Picture:
    """Rarity against document frequency, from 1 to `total` sections (logarithmic), with some words marked: word -> sections that hold it.

    `rarity(N, n)` is `bm25.rarity` unless told. From half of the sections on it stands at its floor (SQLite's 1e-6), which is shaded.
    Raises BadArgument for a total below 2, or a marked word outside 1 … total.
    """
    if total < 2:
        raise BadArgument(f"a rarity curve over {total} sections is no curve — give at least 2")
    marked = {str(word): int(n) for word, n in (marked or {}).items()}
    outside = [f"{word} {n}" for word, n in marked.items() if not 1 <= n <= total]
    if outside:
        raise BadArgument(f"a word can stand in 1 to {total} sections, not: {', '.join(outside)}")
    rarity = rarity or bm25.rarity
    value = {word: rarity(total, n) for word, n in marked.items()}
    top = rarity(total, 1)
    if title is None:
        title = say("rarity.title", N=total, top=show(top, 2))
    if caption is None:
        caption = say("rarity.caption", N=total)
    marks = ", ".join(say("rarity.alt_mark", word=word, n=n, rarity=show(value[word], 2)) for word, n in marked.items())
    alt = say("rarity.alt" if marked else "rarity.alt_none", N=total, top=show(top, 2), marks=marks)
    if marked:
        rows = sorted(((word, n, value[word]) for word, n in marked.items()), key=lambda row: (row[1], row[0]))
    else:
        rows = [("", n, rarity(total, n)) for n in _landmarks(total)]
    twin = table(rows, columns=[say(f"rarity.twin_{part}") for part in ("word", "n", "rarity")], decimals=4)
    with course_style():
        figure = _draw_rarity(total, marked, value, top, rarity, floor, title, caption)
    return Picture(figure, alt, twin)


def _landmarks(total: int) -> list[int]:
    return sorted({n for n in (1, 2, 5, total // 10, total // 4, total // 2, total // 2 + 1, total) if 1 <= n <= total})


def _steps(total: int) -> list[int]:
    return list(range(1, total + 1)) if total <= 2000 else sorted({round(total ** (i / 800)) for i in range(801)})


def _draw_rarity(total, marked, value, top, rarity, floor, title, caption):
    figure, axes = canvas(title, 3.5, caption)
    ns = _steps(total)
    axes.axvspan(total / 2, total * 1.08, facecolor=FAINT, alpha=0.55, zorder=0)
    # in the shaded part where it is wide enough for the words, else beside it
    inside = math.log10(2.16) / math.log10(total * 1.08 / 0.9) > 0.32
    half = say("rarity.half", floor=f"{floor:.6f}", arrow="" if inside else " →")
    axes.text(total * (1.04 if inside else 0.47), top * 1.08, half, ha="right", va="top", fontsize=8.5, linespacing=1.3)
    axes.plot(ns, [rarity(total, n) for n in ns], color=BLUE)
    together: dict[int, list[str]] = {}
    for word, n in marked.items():
        together.setdefault(n, []).append(word)
    points = sorted(together)
    axes.set_xscale("log")
    end = total * 1.08
    span = math.log10(end / 0.9)
    taken: list[tuple[float, float, float]] = []  # left, right, height of the labels so far, as shares of the axes

    def free(left: float, right: float, at: float) -> bool:
        return all(right < a or left > b or abs(at - height) > 0.07 for a, b, height in taken)

    for n in points:
        y = value[together[n][0]]
        text = f"{', '.join(together[n])} ({n})"
        x, at, wide = math.log10(n / 0.9) / span, y / (top * 1.16), 0.0155 * len(text)
        # above the curve on the right, else below it on the left (nothing is drawn there), else further up at the end of a stalk
        left, height = min(x + 0.008, 1 - wide), at + 0.06
        if not free(left, left + wide, height):
            if x - wide - 0.012 > 0 and at > 0.12 and free(x - wide - 0.012, x - 0.012, at - 0.055):
                left, height = x - wide - 0.012, at - 0.055
            else:
                while not free(left, left + wide, height):
                    height += 0.075
                axes.plot([n, n], [y, (height - 0.03) * top * 1.16], color=BROWN, linewidth=0.7, zorder=2)
        taken.append((left, left + wide, height))
        axes.plot([n], [y], marker="o", markersize=7, color=BROWN, markeredgecolor="white", zorder=4, clip_on=False)
        axes.text(left, height, text, transform=axes.transAxes, va="center", ha="left", fontsize=9.5, fontweight="bold", zorder=5)
    ticks = [10**power for power in range(math.floor(math.log10(total)) + 1)]
    ticks = sorted({*ticks, *(2 * tick for tick in ticks), *(5 * tick for tick in ticks)} | {total})
    ticks = [tick for tick in ticks if tick <= total and (tick == total or tick < total / 1.35)]
    if total > 5000:
        ticks = [tick for tick in ticks if str(tick)[0] == "1" or tick == total]
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.set(xlabel=say("rarity.x", N=f"{total:,}"), ylabel=say("rarity.y"), xlim=(0.9, end), ylim=(0, top * 1.16))
    axes.grid(axis="y")
    return figure


# --- scores of a search, with their intervals ----------------------------------------------------------------------------------------


def hit_by_kind(
    rows,
    *,
    k: int = 5,
    level: float = 0.95,
    title: str | None = None,
    caption: str | None = None,
) -> Picture:
    """hit@k by kind of question, each with its interval, and the line of all questions together.

    `rows` is what `evaluate(questions, search, k)` returns (a row a question: kind, scored, hit); questions that are not scored are left
    out, as `summarise` leaves them. Intervals are `labkit.interval`'s. Best kind first, equal ones by name. Raises BadArgument where a
    column is missing or no question is scored.
    """
    from labkit.evaluation.significance import interval  # here, since it brings scipy: seconds, for a picture that needs none of it

    absent = [name for name in ("kind", "scored", "hit") if name not in rows.columns]
    if absent:
        raise BadArgument(f"the rows have no column {', '.join(absent)} — give what evaluate() returns")
    scored = rows[rows["scored"].astype(bool)]
    if not len(scored):
        raise BadArgument("no question is scored, so there is no hit@k to draw")
    every = interval(scored, "hit", level)
    kinds = [(str(kind), group, interval(group, "hit", level)) for kind, group in scored.groupby("kind", observed=True)]
    kinds.sort(key=lambda item: (-item[2].mean, item[0]))
    hits = {kind: int(group["hit"].sum()) for kind, group, _ in kinds}
    total, overall = int(scored["hit"].sum()), show(every.mean)
    worst, worst_group, _ = min(kinds, key=lambda item: (item[2].mean, -len(item[1]), item[0]))
    if title is None:
        part = "title" if len(kinds) > 1 else "title_one"
        counts = {"kind": worst, "worst": say("hit_by_kind.of", hits=hits[worst], n=len(worst_group))}
        title = say(f"hit_by_kind.{part}", k=k, overall=overall, hits=total, n=every.n, **counts)
    if caption is None:
        caption = say_of(every.n, "hit_by_kind.caption", confidence=f"{100 * level:g}")
    alt = say(
        "hit_by_kind.alt",
        k=k,
        overall=overall,
        hits=total,
        n=every.n,
        low=show(every.low),
        high=show(every.high),
        kinds=", ".join(say("hit_by_kind.alt_kind", kind=kind, hits=hits[kind], n=len(group)) for kind, group, _ in kinds),
    )
    lines = [(kind, found.n, hits[kind], found.mean, found.low, found.high) for kind, _, found in kinds]
    lines.append((say("hit_by_kind.twin_all"), every.n, total, every.mean, every.low, every.high))
    parts = ("kind", "n", "hits", "hit", "low", "high")
    twin = table(lines, columns=[say(f"hit_by_kind.twin_{part}", k=k) for part in parts])
    with course_style():
        figure, axes = canvas(title, 1.0 + 0.38 * len(kinds), caption)
        axes.fill_betweenx([-0.5, len(kinds)], every.low, every.high, facecolor=FAINT, alpha=0.6, linewidth=0, zorder=0)
        axes.plot([every.mean] * 2, [-0.5, len(kinds)], color=INK, linestyle=LINES[1], linewidth=1.2, zorder=1)
        axes.text(every.mean, -0.72, say("hit_by_kind.all", overall=overall), ha="center", va="center", fontweight="bold", fontsize=9.5)
        for place, (kind, group, found) in enumerate(kinds):
            _dot(axes, place, found.mean, found.low, found.high)
            of = say("hit_by_kind.of", hits=hits[kind], n=len(group))
            axes.text(1.04, place, of, va="center", ha="left", fontsize=9.5)
        _share_axis(axes, [kind for kind, _, _ in kinds], say("hit_by_kind.axis", k=k))
    return Picture(figure, alt, twin)


def _dot(axes, place: float, value: float, low: float, high: float) -> None:
    axes.plot([low, high], [place, place], color=BLUE, linewidth=1.6, solid_capstyle="butt", zorder=2)
    for end in (low, high):
        axes.plot([end, end], [place - 0.12, place + 0.12], color=BLUE, linewidth=1.6, zorder=2)
    axes.plot([value], [place], marker="o", markersize=8.5, color=BLUE, markeredgecolor="white", zorder=3, clip_on=False)


def _share_axis(axes, labels: Sequence[str], name: str) -> None:
    axes.set_yticks(range(len(labels)), [_label(label) for label in labels])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set(xlim=(-0.02, 1.16), ylim=(len(labels) - 0.45, -1.0), xlabel=name)
    axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    axes.spines["bottom"].set_bounds(0, 1)
    axes.grid(axis="x")


def bars(
    rows,
    *,
    label: str,
    value: str,
    low: str = "low",
    high: str = "high",
    title: str,
    axis: str,
    n: int | None = None,
    reference: tuple[str, float] | None = None,
    level: float = 0.95,
    caption: str | None = None,
) -> Picture:
    """Shares from 0 to 1 with their intervals, a dot and a line a row of the DataFrame `rows`: its columns `label`, `value`, `low`, `high`.

    `title` says the answer, `axis` names the measure and its unit, `n` is the number of questions (for the caption). `reference` is a
    (name, value) to beat, drawn as a dashed line. Raises BadArgument for a missing column or a value outside 0 … 1.
    """
    _need(rows, (label, value, low, high))
    lines = [
        (str(row[0]), *(float(part) for part in row[1:])) for row in rows[[label, value, low, high]].itertuples(index=False, name=None)
    ]
    outside = [name for name, *parts in lines if not all(0 <= part <= 1 for part in parts)]
    if outside:
        raise BadArgument(f"a share and its interval lie between 0 and 1: look at {', '.join(outside)}")
    if caption is None:
        caption = say_of(n, "bars.caption", confidence=f"{100 * level:g}") if n is not None else ""
    parts = (say("bars.alt_row", label=name, value=show(v), low=show(a), high=show(b)) for name, v, a, b in lines)
    alt = f"{title}. " + say("bars.alt", confidence=f"{100 * level:g}", rows=", ".join(parts))
    twin = table(lines, columns=[label, value, low, high])
    with course_style():
        figure, axes = canvas(title, 1.0 + 0.38 * max(1, len(lines)), caption)
        if reference is not None:
            name, at = reference
            axes.plot([at, at], [-0.5, len(lines)], color=INK, linestyle=LINES[1], linewidth=1.2, zorder=1)
            axes.text(at, -0.72, f"{name} {show(at)}", ha="center", va="center", fontweight="bold", fontsize=9.5)
        for place, (_, v, a, b) in enumerate(lines):
            _dot(axes, place, v, a, b)
            axes.text(1.04, place, show(v), va="center", ha="left", fontsize=9.5)
        _share_axis(axes, [name for name, *_ in lines], axis)
    return Picture(figure, alt, twin)


def curves(
    rows,
    *,
    x: str,
    y: str,
    series: str,
    low: str | None = None,
    high: str | None = None,
    title: str,
    x_axis: str,
    y_axis: str,
    n: int | None = None,
    level: float = 0.95,
    decimals: int = 3,
    caption: str | None = None,
) -> Picture:
    """`y` against `x`, one curve a value of the column `series`, named at its end, with a band from `low` to `high` where given.

    `rows` is a DataFrame in long form (a row a point). `x_axis` and `y_axis` name the measure and its unit, `n` is the number of questions
    (for the caption). Curves stand in the order of their first row. Raises BadArgument for a missing column or no row.
    """
    banded = low is not None and high is not None
    _need(rows, (x, y, series, *((low, high) if banded else ())))
    if not len(rows):
        raise BadArgument("no row, so no curve")
    groups = [(str(name), rows[rows[series] == name].sort_values(x)) for name in dict.fromkeys(rows[series])]
    if caption is None:
        caption = say_of(n, "curves.caption", confidence=f"{100 * level:g}") if n is not None else ""
    told = "; ".join(
        say(
            "curves.alt_series",
            name=name,
            first=show(float(group[y].iloc[0]), decimals),
            start=_plain(group[x].iloc[0]),
            last=show(float(group[y].iloc[-1]), decimals),
            end=_plain(group[x].iloc[-1]),
        )
        for name, group in groups
    )
    alt = f"{title}. " + say("curves.alt", x=x_axis, y=y_axis, series=told)
    twin = table(rows, columns=[series, x, y, *((low, high) if banded else ())], decimals=decimals)
    with course_style():
        figure, axes = canvas(title, 3.6, caption)
        ends = []
        for number, (_, group) in enumerate(groups):
            kind = look(number)
            axes.plot(
                group[x],
                group[y],
                color=kind["colour"],
                marker=kind["marker"],
                markersize=max(4, 8 - 1.5 * number),
                linestyle=kind["line"],
                zorder=3,
            )  # smaller ones on top: ties show
            if banded:
                axes.fill_between(group[x], group[low], group[high], facecolor=kind["colour"], alpha=0.1, linewidth=0)
                for edge in (low, high):
                    axes.plot(group[x], group[edge], color=kind["colour"], linestyle=kind["line"], linewidth=0.6, zorder=2)
            ends.append(float(group[y].iloc[-1]))
        bottom, top = axes.get_ylim()
        furthest = float(rows[x].max())
        for number, ((name, group), at) in enumerate(zip(groups, spread(ends, (top - bottom) * 0.07, bottom, top), strict=True)):
            axes.annotate(
                _label(name, 26),
                (float(group[x].iloc[-1]) if len(groups) == 1 else furthest, at),
                (10, 0),
                textcoords="offset points",
                va="center",
                color=look(number)["colour"],
                fontweight="bold",
                annotation_clip=False,
            )
        axes.set(xlabel=x_axis, ylabel=y_axis)
        points = sorted({float(value) for value in rows[x]})
        if len(points) <= 10:
            axes.set_xticks(points, [_plain(point) for point in points])
        axes.grid(axis="y")
    return Picture(figure, alt, twin)


def _need(rows, columns: Iterable[str]) -> None:
    absent = [name for name in columns if name not in rows.columns]
    if absent:
        raise BadArgument(f"the rows have no column {', '.join(absent)}; they have {', '.join(map(str, rows.columns))}")
