"""How sure are we? Intervals and paired tests, so that one question of 59 is not sold as progress (lessons 05 and 10).

Which one when:

- `interval`: one search, one measure. How far could the mean have come out elsewhere, had the questions been other ones of their kind?
- `compare`: two searches over the *same* questions. Only the questions where they differ speak; the ties are printed, not tested.
- `holm`: several comparisons at once. Whoever asks ten times at 1 in 20 finds something by luck; Holm's p-values pay for the asking.
  `compare_family` makes the comparisons of several searches and adjusts them all together.

A p-value answers one question: were the two searches equally good, how often would luck alone give a difference at least this large,
in either direction? It is not the probability that one of them is better.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from numbers import Integral
from statistics import NormalDist

import numpy as np
import pandas as pd
from scipy.special import bdtr  # scipy.stats has the same, and takes a second to load

from labkit.errors import BadArgument
from labkit.numeric import is_number
from labkit.textfiles import counted, quoted

_MOST_QUESTIONS = 1_000_000_000  # beyond any set of questions, and what the binomial distribution is computed for
_EXACT_UP_TO = 16  # questions that differ: 2 ** 16 sign patterns are all tried; beyond that, SHUFFLES of them are drawn
SHUFFLES = 9_999  # so that p comes in steps of 1 / 10,000
_TIE = 1e-12  # 1/3 reached in two ways may differ in the last bit; that is a tie, not a win
_CELLS = 4_000_000  # numbers in memory at once while resampling


@dataclass(frozen=True)
class Interval:
    """The mean of `n` questions, with the low and high end of its interval. All NaN where n is 0.

    `method` is 'bootstrap', or 'Wilson' where every question scored the same 0 or 1.
    """

    mean: float
    low: float
    high: float
    n: int
    level: float = 0.95
    method: str = "bootstrap"

    def __str__(self) -> str:
        if not self.n:
            return "no scored question"
        return f"{_plain(self.mean, 3)} ({100 * self.level:g} % interval {_plain(self.low, 3)} to {_plain(self.high, 3)})"


@dataclass(frozen=True)
class Comparison:
    """Two searches over the same questions, a against b.

    `difference` is mean a − mean b, `low` and `high` its interval (95 % unless told). `wins`, `losses` and `ties` count questions from
    a's side; together they are `n`, the scored questions. `p` is two-sided, above 0 and at most 1. `test` says how p was reached:
    'exact sign test', 'exact permutation test', 'permutation test' (a sample of all shuffles); `p` is 1 where no question differs.
    `budget` is the number of words that both handed over at most, None where the rows are those of `evaluate`.
    """

    difference: float
    low: float
    high: float
    p: float
    wins: int
    losses: int
    ties: int
    n: int
    metric: str = "hit"
    level: float = 0.95
    test: str = "exact sign test"
    budget: int | None = None

    def __str__(self) -> str:
        return self._said() if self.budget is None else f"at {counted(self.budget, 'word')}: {self._said()}"

    def _said(self) -> str:
        if not self.n:
            return "nothing to compare: no question is scored"
        size = _plain(abs(self.difference), 3)
        said = "no difference" if self.difference == 0 else f"{size} {'higher' if self.difference > 0 else 'lower'}"
        counts = ", ".join((counted(self.wins, "win"), counted(self.losses, "loss"), counted(self.ties, "tie")))
        p = "p < 0.001" if self.p < 0.001 else f"p = {self.p:.3f}"
        return f"{said} ({100 * self.level:g} % interval {_plain(self.low, 2)} to {_plain(self.high, 2)}), {counts} of {self.n}, {p}"


def interval(
    values, metric: str = "hit", level: float = 0.95, resamples: int = 10_000, seed: int = 0, budget: int | None = None
) -> Interval:
    """The mean of a measure, with a percentile bootstrap interval over questions (Efron, 1979).

    `values` is the table that `evaluate` returns (its column `metric`), or the numbers themselves, one a question; NaN stands for a
    question that is not scored and is left out, as `evaluate` means it. Draw n questions of the n with replacement, `resamples` times, and
    take the middle `level` of the means. The seed is fixed and the values are sorted first, so the same values give the same interval in
    any order.

    Where every question scored 1 (or every one 0), all resamples are alike and the bootstrap would claim to be certain; there the
    interval is Wilson's (1927), which with 11 of 11 still says 0.741 to 1.

    The rows of `evaluate_at_budgets` hold each question once a budget: `budget` picks one.

    Raises BadArgument for a column that is not there, a value that is no number, a level outside 0 to 1, or rows of several budgets of
    which none is picked.
    """
    _check_level(level)
    if isinstance(values, pd.DataFrame):
        values, _ = _at_budget(values, budget, "")
    if isinstance(resamples, bool) or not isinstance(resamples, int | np.integer) or resamples < 1:
        raise BadArgument(f"resamples is {quoted(resamples)}: it is a whole number from 1 up (10,000 is usual)")
    numbers = np.sort(_scored_numbers(values, metric))
    n = len(numbers)
    if n == 0:
        return Interval(math.nan, math.nan, math.nan, 0, level)
    mean = math.fsum(numbers) / n
    if numbers[0] == numbers[-1] and numbers[0] in (0.0, 1.0):
        low, high = _wilson(int(numbers.sum()), n, level)
        return Interval(mean, low, high, n, level, "Wilson")
    low, high = _bootstrap(numbers, level, resamples, seed)
    return Interval(mean, min(low, mean), max(high, mean), n, level)


def compare(
    a: pd.DataFrame, b: pd.DataFrame, metric: str = "hit", level: float = 0.95, seed: int = 0, budget: int | None = None
) -> Comparison:
    """Is search a better than search b? Both tables come from `evaluate`, over the same questions, and are paired by question id.

    Or both from `evaluate_at_budgets` (lesson 10): `budget` picks one, where they hold several. Rows at one budget are never compared with
    rows at another, or at equal k: that would compare the budgets.

    For a measure of zeros and ones (hit): the exact sign test on the questions that differ (McNemar's test, counted out with the
    binomial distribution) and Newcombe's interval for a paired difference (Statistics in Medicine 17, 1998, pages 2635–2650, method
    10), which keeps an honest width where no question differs.

    For any other measure: the sign-flip permutation test (each question's difference could as well have had the other sign), over all
    sign patterns where that is quick (up to 16 questions that differ), else over 9,999 random ones with p = (b + 1) ÷ (9,999 + 1), b
    being those at least as extreme; and a paired percentile bootstrap (where no question differs, the widest mean difference that n
    questions without one leave possible).

    Interval and test are two methods: close to p = 0.05 they may disagree, and then the honest word is "too close to call".

    Rows may stand in any order. Raises BadArgument, naming the ids, where an id stands twice, the two tables hold different questions, or a
    question is scored in one table only; for rows of several budgets of which none is picked, or of different budgets.
    """
    _check_level(level)
    a, budget_a = _at_budget(a, budget, "first")
    b, budget_b = _at_budget(b, budget, "second")
    if budget_a != budget_b:
        raise BadArgument(f"the first table is measured {_rule(budget_a)}, the second {_rule(budget_b)} — measure both in one way")
    left, right = _by_id(a, metric, "first"), _by_id(b, metric, "second")
    _same_questions(left, right, metric)
    scored = sorted(left.index[left.notna()])
    ours, theirs = left.loc[scored].to_numpy(float), right.loc[scored].to_numpy(float)
    n = len(scored)
    if n == 0:
        return Comparison(math.nan, math.nan, math.nan, 1.0, 0, 0, 0, 0, metric, level, budget=budget_a)
    differences = ours - theirs
    differences[np.abs(differences) < _TIE] = 0.0
    differences.sort()
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    difference = math.fsum(differences) / n
    if np.isin(ours, (0, 1)).all() and np.isin(theirs, (0, 1)).all():
        both = int((ours * theirs).sum())
        low, high = _newcombe(both, wins, losses, n - both - wins - losses, level)
        p, test = sign_test(wins, losses), "exact sign test"
    else:
        bounded = bool(((ours >= 0) & (ours <= 1) & (theirs >= 0) & (theirs <= 1)).all())
        low, high = _paired_interval(differences, bounded, level, seed)
        p, test = _permutation(differences, seed)
    low, high = min(low, difference), max(high, difference)
    return Comparison(difference, low, high, p, wins, losses, n - wins - losses, n, metric, level, test, budget_a)


def compare_family(
    tables: Mapping[str, pd.DataFrame],
    metric: str | Sequence[str] = "hit",
    against: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    budget: int | Sequence[int] | None = None,
) -> pd.DataFrame:
    """Several searches over the same questions, each pair of them compared, with Holm's p over all the comparisons made (lesson 10).

    `tables` names each search: {'structure': rows, 'fixed': rows}, all from `evaluate` or all from `evaluate_at_budgets`. `against` is
    the name of one that the others are compared with; None: every pair, in the order given. Several metrics, and several budgets (None:
    all that the rows hold), make more comparisons, and all of them are one family: who looks at more pays for more.

    A row a comparison: metric, budget (only where there are budgets), a, b, difference (mean a − mean b), low, high, wins, losses, ties,
    n, p, p_holm. Raises BadArgument as `compare` does, for fewer than two searches, for a name that is not there, and for
    no metric or no budget at all.
    """
    if not isinstance(tables, Mapping) or len(tables) < 2:
        raise BadArgument("compare_family takes two or more tables by name: {'structure': rows, 'fixed': rows}")
    if against is not None and against not in tables:
        raise BadArgument(f"there is no table {quoted(against)} to compare with — the tables are {', '.join(map(str, tables))}")
    pairs = combinations(tables, 2) if against is None else ((name, against) for name in tables if name != against)
    pairs, metrics, budgets = list(pairs), [metric] if isinstance(metric, str) else list(metric), _budgets(tables, budget)
    if not metrics or not budgets:
        raise BadArgument(f"compare_family has no {'budget' if metrics else 'metric'} to compare by — name one at least")
    rows = []
    for each in metrics:
        for words in budgets:
            for a, b in pairs:
                found = compare(tables[a], tables[b], each, level, seed, words)
                rows.append(
                    {"metric": each}
                    | ({} if found.budget is None else {"budget": found.budget})
                    | {"a": a, "b": b}
                    | {name: getattr(found, name) for name in ("difference", "low", "high", "wins", "losses", "ties", "n", "p")}
                )
    family = pd.DataFrame(rows)
    return family.assign(p_holm=holm(family["p"]) if rows else [])


def sign_test(wins: int, losses: int) -> float:
    """The exact two-sided p of `wins` against `losses`; ties say nothing. 5 and 1 give 0.21875; none at all give 1. Never 0: what is too
    small for a float is the smallest one. Raises BadArgument for what counts no questions."""
    for name, value in (("wins", wins), ("losses", losses)):
        if not is_number(value) or not isinstance(value, Integral) or not 0 <= value <= _MOST_QUESTIONS:
            raise BadArgument(f"{name} is {quoted(value)}: it counts questions, a whole number from 0 up")
    differ = wins + losses
    return float(min(1.0, max(2 * bdtr(min(wins, losses), differ, 0.5), math.ulp(0.0)))) if differ else 1.0


def holm(p_values: Iterable[float]) -> list[float]:
    """The p-values of a family of comparisons, adjusted by Holm's step-down rule (1979), in the order given.

    Smallest first, times the number of those not yet taken; never below the one before (the running maximum), never above 1:
    0.01, 0.03, 0.04 give 0.03, 0.06, 0.06. Raises BadArgument for a value that is no probability.
    """
    values = _listed(p_values, "p-values")
    for value in values:
        if not is_number(value) or not 0 <= value <= 1:
            raise BadArgument(f"{quoted(value)} is no p-value: each is a number from 0 to 1")
    adjusted, running = [0.0] * len(values), 0.0
    for done, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        running = max(running, min(1.0, float(values[place]) * (len(values) - done)))
        adjusted[place] = running
    return adjusted


# --- how the numbers are reached ---------------------------------------------------------------------------------------------------------


def _wilson(hits: int, n: int, level: float) -> tuple[float, float]:
    """Wilson's score interval for `hits` of `n`, held to 0 to 1."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle, spread = hits + z * z / 2, z * math.sqrt(hits * (n - hits) / n + z * z / 4)
    low = 0.0 if hits == 0 else max(0.0, (middle - spread) / (n + z * z))
    high = 1.0 if hits == n else min(1.0, (middle + spread) / (n + z * z))
    return low, high


def _newcombe(both: int, only_a: int, only_b: int, neither: int, level: float) -> tuple[float, float]:
    """Newcombe's method 10: Wilson's interval for each of the two, joined by the correlation between them."""
    n = both + only_a + only_b + neither
    a, b = both + only_a, both + only_b
    low_a, high_a = _wilson(a, n, level)
    low_b, high_b = _wilson(b, n, level)
    margins = a * (n - a) * b * (n - b)
    cross = both * neither - only_a * only_b
    if cross > 0:  # the continuity correction, on one side only, as published
        cross = max(0.0, cross - n / 2)
    phi = cross / math.sqrt(margins) if margins else 0.0

    def joined(x: float, y: float) -> float:
        return math.sqrt(max(0.0, x * x - 2 * phi * x * y + y * y))

    share_a, share_b = a / n, b / n
    difference = share_a - share_b
    low = difference - joined(share_a - low_a, high_b - share_b)
    high = difference + joined(high_a - share_a, share_b - low_b)
    return max(-1.0, low), min(1.0, high)


def _bootstrap(numbers: np.ndarray, level: float, resamples: int, seed: int) -> tuple[float, float]:
    """The middle `level` of the means of `resamples` draws with replacement. `numbers` come sorted.

    A draw is told by how often it took each distinct value, which is all that its mean depends on.
    """
    values, counts = np.unique(numbers, return_counts=True)
    rng = np.random.default_rng(seed)
    means = []
    for size in _portions(resamples, len(values)):
        means.append(rng.multinomial(len(numbers), counts / len(numbers), size=size) @ values / len(numbers))
    tail = (1 - level) / 2
    low, high = np.quantile(np.concatenate(means), (tail, 1 - tail))
    return float(low), float(high)


def _paired_interval(differences: np.ndarray, bounded: bool, level: float, seed: int) -> tuple[float, float]:
    """The bootstrap over paired differences (sorted); `bounded` where the measure runs from 0 to 1.

    b against a is a against b with the signs turned, so both are drawn from the same side: the one whose sorted differences come later.
    Where turning changes nothing, the interval is as wide on one side as on the other.
    """
    if bounded and not differences.any():
        # nothing differs, so the bootstrap sees no spread; but where a share x of all questions differs, n in a row without one come with
        # (1 - x) ** n, and the x that this leaves possible bounds the mean
        most = 1 - ((1 - level) / 2) ** (1 / len(differences))
        return -most, most
    turned = -differences[::-1]
    if turned.tolist() > differences.tolist():
        low, high = _bootstrap(turned, level, 10_000, seed)
        return -high, -low
    low, high = _bootstrap(differences, level, 10_000, seed)
    if turned.tolist() == differences.tolist():
        return (low - high) / 2, (high - low) / 2
    return low, high


def _permutation(differences: np.ndarray, seed: int) -> tuple[float, str]:
    """The two-sided sign-flip permutation p of the summed differences, and which form of the test gave it."""
    sizes = np.sort(np.abs(differences[differences != 0]))
    if not len(sizes):
        return 1.0, "exact permutation test"
    # as extreme as ours, up to the last bits of a sum
    reached = abs(math.fsum(differences)) - 1e-9 * math.fsum(sizes)
    if len(sizes) <= _EXACT_UP_TO:
        sums = np.zeros(1)
        for size in sizes:
            sums = np.concatenate((sums + size, sums - size))
        return float((np.abs(sums) >= reached).mean()), "exact permutation test"
    rng = np.random.default_rng(seed)
    extreme = 0
    for portion in _portions(SHUFFLES, len(sizes)):
        signs = rng.integers(0, 2, size=(portion, len(sizes))) * 2 - 1
        extreme += int((np.abs(signs @ sizes) >= reached).sum())
    return (extreme + 1) / (SHUFFLES + 1), "permutation test"


def _portions(total: int, width: int) -> list[int]:
    """`total` draws of `width` numbers each, cut so that none fills the memory."""
    size = max(1, _CELLS // max(1, width))
    return [min(size, total - start) for start in range(0, total, size)]


# --- what comes in -----------------------------------------------------------------------------------------------------------------------


def _listed(values: Iterable, what: str) -> list:
    if not isinstance(values, Iterable):
        raise BadArgument(f"a list of {what} is needed, not {quoted(values)}")
    return list(values)


def _check_level(level) -> None:
    if not is_number(level) or not 0 < level < 1:
        raise BadArgument(f"level is {quoted(level)}: it is a share between 0 and 1 (0.95 for a 95 % interval)")


def _is_number(value) -> bool:
    """A hit may stand as True or False, and nan for a question that is not scored."""
    return is_number(value) or isinstance(value, bool | np.bool_) or (isinstance(value, float | np.floating) and math.isnan(value))


def _scored_numbers(values, metric: str) -> np.ndarray:
    if isinstance(values, pd.DataFrame):
        if metric not in values.columns:
            raise BadArgument(f"the rows have no column {quoted(metric)} — they have {', '.join(map(str, values.columns))}")
        values = _scored_only(values, metric)
    if isinstance(values, str | bytes | dict) or not isinstance(values, Iterable):
        raise BadArgument(f"interval takes the rows that evaluate returns, or numbers, one a question; not {quoted(values)}")
    return _numbers(pd.Series(list(values), dtype=object), metric).dropna().to_numpy(float)


def _scored_only(rows: pd.DataFrame, metric: str) -> list:
    """The column, NaN where a question is not scored: `words` has a number there too."""
    scored = rows["scored"] if "scored" in rows.columns else [True] * len(rows)
    return [value if counts else math.nan for value, counts in zip(rows[metric], scored, strict=True)]


def _numbers(column: pd.Series, metric: str) -> pd.Series:
    numbers = []
    for value in column:
        if value is None or value is pd.NA:
            value = math.nan
        if not _is_number(value):
            raise BadArgument(f"{quoted(value)} in {quoted(metric)} is no number to take a mean of")
        numbers.append(float(value))
    return pd.Series(numbers, index=column.index, dtype=float)


def _by_id(rows, metric: str, which: str) -> pd.Series:
    """The measure by question id; NaN where a question is not scored."""
    if not isinstance(rows, pd.DataFrame):
        raise BadArgument(f"compare takes two tables that evaluate returns; the {which} is {type(rows).__name__}")
    missing = [name for name in ("id", metric) if name not in rows.columns]
    if missing:
        raise BadArgument(f"the {which} table has no column {', '.join(map(repr, missing))} — it has {', '.join(map(str, rows.columns))}")
    twice = list(dict.fromkeys(rows["id"][rows["id"].duplicated()]))
    if twice:
        raise BadArgument(f"in the {which} table {_ids(twice)} stands more than once — one row a question, or the pairs are not pairs")
    return _numbers(pd.Series(_scored_only(rows, metric), index=list(rows["id"]), dtype=object), metric)


def _at_budget(rows, budget: int | None, which: str):
    """The rows of one budget, and which one that is; all rows and None where they come from `evaluate`."""
    table = f"the {which} table" if which else "the table"
    if not isinstance(rows, pd.DataFrame) or "budget" not in rows.columns:
        if budget is not None:
            raise BadArgument(f"{table} has no budgets: it is measured at equal k — leave budget out, or use evaluate_at_budgets")
        return rows, None
    held = list(dict.fromkeys(rows["budget"]))
    if budget is None and len(held) > 1:
        raise BadArgument(f"{table} holds the budgets {', '.join(map(str, held))} — pick one: budget={held[-1]}")
    if budget is not None and budget not in held:
        raise BadArgument(f"{table} has no rows at {quoted(budget)} words — it holds the budgets {', '.join(map(str, held))}")
    picked = budget if budget is not None else (held[0] if held else None)
    return (rows[rows["budget"] == picked] if held else rows), (None if picked is None else int(picked))


def _budgets(tables: Mapping[str, pd.DataFrame], budget) -> list:
    """The budgets to compare at; [None] for rows without any."""
    if budget is not None:
        return list(budget) if isinstance(budget, Iterable) else [budget]
    held = [list(dict.fromkeys(rows["budget"])) if isinstance(rows, pd.DataFrame) and "budget" in rows else [] for rows in tables.values()]
    return list(dict.fromkeys(words for each in held for words in each)) or [None]


def _rule(budget: int | None) -> str:
    return "at equal k" if budget is None else f"at {counted(budget, 'word')}"


def _same_questions(left: pd.Series, right: pd.Series, metric: str) -> None:
    only_left = [name for name in left.index if name not in right.index]
    only_right = [name for name in right.index if name not in left.index]
    if only_left or only_right:
        parts = [f"{_ids(ids)} only in the {which}" for ids, which in ((only_left, "first"), (only_right, "second")) if ids]
        raise BadArgument(f"the two tables are over different questions: {'; '.join(parts)} — evaluate both on the same ones")
    unlike = [name for name in left.index if math.isnan(left[name]) != math.isnan(right[name])]
    if unlike:
        raise BadArgument(f"{_ids(unlike)} has a {metric} in one table only — evaluate both against the same relevant passages")


def _ids(ids: Sequence, show: int = 8) -> str:
    shown = ", ".join(map(str, ids[:show]))
    return shown if len(ids) <= show else f"{shown} and {len(ids) - show} more"


# --- how they print ----------------------------------------------------------------------------------------------------------------------


def _plain(number: float, decimals: int) -> str:
    """Fixed decimals, a real minus sign, and no minus in front of a nought."""
    text = f"{number:.{decimals}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")
