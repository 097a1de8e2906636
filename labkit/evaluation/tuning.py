"""Choosing a setting by measuring: every value of a grid on the same questions, the best one named by a rule that is stated (lesson 12).

Tune on one half of the questions and report on the other half: the best of many values is a little too good on the questions that chose it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import pandas as pd

from labkit.errors import BadArgument
from labkit.evaluation.metrics import METRICS, different_ids, evaluate

WEIGHTS = tuple(tenth / 10 for tenth in range(11))
"""The grid for the weight of a second search beside the first, which gets the rest: 0.0, 0.1 … 1.0."""


class Tuned(NamedTuple):
    """`best`: the value chosen. `table`: one row a value, in the order of the grid: value, the measure's mean, n (questions scored)."""

    best: object
    table: pd.DataFrame


def tune(
    questions: Iterable,
    search_with: Callable[[object], Callable[[str, int], Sequence]],
    grid: Sequence = WEIGHTS,
    metric: str = "hit",
    k: int = 5,
) -> Tuned:
    """The value of `grid` with the best mean of `metric` at k over the questions that can be scored. Lesson 12.

    `search_with(value)` gives the search for that value. Of values that are equally good (means equal to ten digits), the one in the middle
    of them in the grid's order is chosen, of two middle ones the earlier: it stands farthest from where things get worse.
    Raises BadArgument for an empty grid, one that holds a value twice, an unknown metric, and questions of which none can be scored.
    """
    grid, questions = list(grid), different_ids(questions)
    if metric not in METRICS:
        raise BadArgument(f"metric is {metric!r}: one of {', '.join(METRICS)}")
    if not grid or any(value in grid[:place] for place, value in enumerate(grid)):
        raise BadArgument(f"the grid is {grid!r}: at least one value is needed, and each once")
    rows = []
    for value in grid:
        measured = evaluate(questions, search_with(value), k)
        rows.append((value, float(measured[metric].mean()), int(measured["scored"].sum())))
    table = pd.DataFrame(rows, columns=["value", metric, "n"])
    if not table["n"].iloc[0]:
        raise BadArgument("none of these questions has a relevant passage — tune on questions that can be scored")
    means = [round(mean, 10) for mean in table[metric]]
    best = [place for place, mean in enumerate(means) if mean == max(means)]
    return Tuned(grid[best[(len(best) - 1) // 2]], table)


def two_weights(weight: float) -> list[float]:
    """The weights of two searches where the second one's is given, as WEIGHTS does: they add up to 1."""
    return [round(1 - weight, 10), weight]
