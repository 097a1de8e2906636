"""The pictures of a report, each with alternative text and a twin of the same numbers as a table (lessons 05, 10 and 15)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pandas as pd

from labkit.evaluation.attribution import STAGES
from labkit.own.phrases import LEVEL, ends, listed, metric_name, points
from labkit.own.verdict import is_finding
from labkit.show.figures import bars, curves
from labkit.show.style import BLUE, BROWN, INK, LINES, Picture, canvas, course_style, look
from labkit.show.tables import table
from labkit.textfiles import counted

_CURVES = 4  # methods; bands of more cannot be told apart
_ROWS = 30  # of a picture; the twin has all
_LABEL = 32  # characters


def pictures(report: dict) -> Iterator[tuple[str, Picture]]:
    """(name, picture) for everything that this report has numbers for: differences, scores, misses."""
    for metric in dict.fromkeys(row["metric"] for row in report["comparisons"]):
        yield f"differences-{metric}", differences(report, metric)
    for metric in ("hit", "evidence_in_context"):
        if any(row["metric"] == metric and row["mean"] is not None for row in report["scores"]):
            yield f"scores-{metric}", scores(report, metric)
    if report["misses"]:
        yield "misses", misses(report)


def middle_budget(report: dict) -> int:
    """The budget that stands for all where there is room for one."""
    budgets = report["settings"]["budgets"]["value"]
    return budgets[(len(budgets) - 1) // 2]


# --- differences ------------------------------------------------------------------------------------------------------------------------


def differences(report: dict, metric: str) -> Picture:
    """Each method less the first one, a dot and its interval a row, in points; 0 is marked. A full dot is a difference beyond chance."""
    rows = [row for row in report["comparisons"] if row["metric"] == metric and row["low"] is not None]
    first, unit = report["methods"][0]["name"], report["settings"]["unit"]["value"]
    found = [row for row in rows if is_finding(row)]
    name = metric_name(metric)
    if found:
        told = listed(dict.fromkeys(row["a"] for row in found))
        title = f"{name.capitalize()}: {told} {'differs' if len({row['a'] for row in found}) == 1 else 'differ'} from {first} beyond chance"
    else:
        title = f"{name.capitalize()}: no difference beyond chance" if rows else f"{name.capitalize()}: nothing to compare"
    drawn, left_out = _drawn(rows, report)
    caption = f"n = {counted(report['power']['n'], 'question')}; lines: {LEVEL}; full dot: beyond chance after Holm's correction{left_out}"
    alt = f"{title}. Dot chart of {len(drawn)} differences to {first} in points, with intervals: " + "; ".join(
        f"{row['a']} at {row['budget']:,} {unit} {_signed(row['difference'])} ({ends(row['low'], row['high'])})" for row in drawn[:12]
    ) + ("; and others, in the table." if len(drawn) > 12 else ".")  # fmt: skip
    twin = table(
        [
            (row["a"], row["budget"], _signed(row["difference"]), f"{ends(row['low'], row['high'])}", "yes" if is_finding(row) else "no")
            for row in rows
        ],
        columns=["method", unit, f"{name}: points more than {first}", LEVEL, "beyond chance"],
    )
    with course_style():
        figure, axes = canvas(title, 0.95 + 0.34 * max(1, len(drawn)), caption)
        axes.axvline(0, color=INK, linestyle=LINES[1], linewidth=1.2, zorder=1)
        for place, row in enumerate(drawn):
            colour = BROWN if is_finding(row) else BLUE
            axes.plot([100 * row["low"], 100 * row["high"]], [place, place], color=colour, linewidth=1.8, zorder=2)
            face = colour if is_finding(row) else "white"
            axes.plot([100 * row["difference"]], [place], marker="o", markersize=7, markerfacecolor=face, markeredgecolor=colour, zorder=3)
            axes.text(1.02, place, _signed(row["difference"]), transform=axes.get_yaxis_transform(), va="center", ha="left", fontsize=9.5)
        axes.set_yticks(range(len(drawn)), [f"{short(row['a'])}, {row['budget']:,} {unit}" for row in drawn])
        axes.tick_params(axis="y", length=0)
        axes.set(ylim=(max(1, len(drawn)) - 0.4, -0.6), xlabel=f"points of {name} more than {short(first)} (left of 0: fewer)")
    return Picture(figure, alt, twin)


def _drawn(rows: list[dict], report: dict) -> tuple[list[dict], str]:
    """The rows that there is room for, by method and budget, and words for what was left out."""
    ordered = sorted(rows, key=lambda row: ([each["name"] for each in report["methods"]].index(row["a"]), row["budget"]))
    if len(ordered) <= _ROWS:
        return ordered, ""
    budget = middle_budget(report)
    ordered = [row for row in ordered if row["budget"] == budget]
    said = f"; at {budget:,} {report['settings']['unit']['value']} alone, the table has all"
    return ordered[:_ROWS], said


def _signed(difference: float) -> str:
    return f"{'−' if difference < 0 else '+' if difference > 0 else ''}{points(difference)}"


def short(name: str, most: int = _LABEL) -> str:
    """A name with its beginning and its end, where it is long."""
    half = (most - 1) // 2
    return name if len(name) <= most else f"{name[:half]}…{name[-half:]}"


# --- scores -----------------------------------------------------------------------------------------------------------------------------


def scores(report: dict, metric: str) -> Picture:
    """A measure of every method: curves over the budgets, or for many methods, or one budget, a dot a method at the middle one."""
    rows = pd.DataFrame([row for row in report["scores"] if row["metric"] == metric and row["budget"] is not None])
    name, unit = metric_name(metric), report["settings"]["unit"]["value"]
    n = report["power"]["n"]
    budget = middle_budget(report)
    here = rows[rows["budget"] == budget]
    low, high = float(here["mean"].min()), float(here["mean"].max())
    title = f"{name.capitalize()} at {budget:,} {unit}: " + (f"{low:.3f} to {high:.3f}" if high > low else f"{low:.3f}")
    if rows["budget"].nunique() > 1 and len(report["methods"]) <= _CURVES:
        drawn = pd.DataFrame({unit: rows["budget"], name: rows["mean"], "method": rows["method"], "low": rows["low"], "high": rows["high"]})
        return curves(
            drawn, x=unit, y=name, series="method", low="low", high="high", title=title, n=n,
            x_axis=f"budget ({unit} handed over at most)", y_axis=f"{name} (share of questions)",
        )  # fmt: skip
    shown = here.head(_ROWS).assign(method=[short(each) for each in here["method"].head(_ROWS)])
    more = f"; the first {_ROWS} of {len(here)} methods" if len(here) > _ROWS else ""
    caption = f"n = {counted(n, 'question')}; thin lines: {LEVEL}{more}"
    picture = bars(shown, label="method", value="mean", title=title, axis=f"{name} (share of questions)", caption=caption)
    twin = table(
        [(row.method, row.budget, row.mean, row.low, row.high) for row in rows.itertuples()], columns=["method", unit, name, "low", "high"]
    )
    return Picture(picture.figure, picture.alt, twin)


# --- misses -----------------------------------------------------------------------------------------------------------------------------


def misses(report: dict) -> Picture:
    """How many questions each method misses at the middle budget, by the stage that lost them."""
    budget, unit = middle_budget(report), report["settings"]["unit"]["value"]
    names = [each["name"] for each in report["methods"]]
    lost = Counter((row["method"], row["stage"]) for row in report["misses"] if row["budget"] == budget)
    stages = [stage for stage in STAGES if any(lost[name, stage] for name in names)]
    of = report["power"]["n"]
    total = {name: sum(lost[name, stage] for stage in stages) for name in names}
    worst = Counter({stage: sum(lost[name, stage] for name in names) for stage in stages}).most_common(1)
    title = f"Missed at {budget:,} {unit}: most are ‘{worst[0][0]}’" if worst else f"Nothing is missed at {budget:,} {unit}"
    drawn = names[:_ROWS]
    parts = {name: ", ".join(f"{lost[name, stage]} {stage}" for stage in stages if lost[name, stage]) for name in names}
    told = "; ".join(f"{name} {total[name]} of {of}{f' ({parts[name]})' if parts[name] else ''}" for name in drawn[:12])
    more = "; and others, in the table" if len(drawn) > 12 else ""
    alt = f"{title}. Bar chart of the misses of each method by stage: {told}{more}."
    twin = table([(name, *(lost[name, stage] for stage in stages), total[name]) for name in names], columns=["method", *stages, "all"])
    caption = f"n = {counted(of, 'question')}" + (f"; the first {_ROWS} of {len(names)} methods" if len(names) > _ROWS else "")
    with course_style():
        figure, axes = canvas(title, 1.35 + 0.42 * len(drawn), caption)
        starts = dict.fromkeys(drawn, 0)
        for number, stage in enumerate(stages):
            kind = look(number)
            sizes = [lost[name, stage] for name in drawn]
            axes.barh(
                range(len(drawn)), sizes, left=[starts[name] for name in drawn], height=0.6, label=stage,
                facecolor="white" if kind["hatch"] else kind["colour"], edgecolor=kind["colour"], hatch=kind["hatch"], linewidth=1.2,
            )  # fmt: skip
            starts = {name: starts[name] + size for name, size in zip(drawn, sizes, strict=True)}
        for place, name in enumerate(drawn):
            axes.annotate(f"{total[name]}", (starts[name], place), (5, 0), textcoords="offset points", va="center")
        axes.set_yticks(range(len(drawn)), [short(name) for name in drawn])
        axes.tick_params(axis="y", length=0)
        axes.set(xlim=(0, max(1, *total.values()) * 1.08), ylim=(len(drawn) - 0.4, -0.6), xlabel=f"questions missed (of {of:,})")
        axes.xaxis.get_major_locator().set_params(integer=True)
        if stages:
            axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False, fontsize=9, borderaxespad=0.2)
    return Picture(figure, alt, twin)
