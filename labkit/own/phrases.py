"""How a report says its numbers in a sentence: points, intervals, counts, lists of names (lesson 15)."""

from __future__ import annotations

from collections.abc import Iterable

from labkit.textfiles import counted

METRICS = {
    "hit": "hit",
    "recall": "recall",
    "evidence": "evidence",
    "evidence_in_context": "evidence in context",
    "words_used": "words handed over",
    "unique_words": "words without repeats",
}
"""What a report calls its measures, in its order."""

LEVEL = "95 % interval"


def metric_name(metric: str) -> str:
    """A measure in words; one that is not known keeps its own name."""
    return METRICS.get(metric, metric.replace("_", " "))


def listed(names: Iterable[str], most: int = 4) -> str:
    """'a', 'a and b', 'a, b and c'; of more than `most` names the first few, and how many others."""
    names = list(names)
    if len(names) > most:
        names = [*names[: most - 1], counted(len(names) - most + 1, "other")]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""


def points(share: float) -> str:
    """A share from 0 to 1 as points without a sign: whole ones, and below one point its first digit, so that little is not said as none."""
    size = 100 * abs(share)
    return f"{size:.0f}" if size >= 0.95 or size == 0 else f"{size:.1g}"


def ends(low: float, high: float) -> str:
    """An interval of a difference, in points: '3 to 21', '−4 to 12'."""
    return " to ".join(("−" if end < 0 else "") + points(end) for end in (low, high))


def share(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """A share of the questions with its interval: '0.733 (0.48 to 0.89)'; '–' where there is none."""
    if value is None:
        return "–"
    return f"{value:.3f}" if low is None or high is None else f"{value:.3f} ({low:.2f} to {high:.2f})"


def chance(p: float) -> str:
    """A p-value, which is never 0: 'p = 0.031', 'p < 0.001'."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
