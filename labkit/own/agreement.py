"""Do two judges mean the same by "relevant"? (lesson 15)

Gold that one person made says what that person thinks. Where a second one judges the same passages, two numbers say how far they agree:

- raw agreement: the share of the passages to which both gave the same grade. Easy to read, and flattering: two judges who say 'no' to
  nearly everything agree often, whatever they think.
- Cohen's kappa: how much of the agreement that luck leaves open they reached. 1: they always agree; 0: as often as two who draw blindly,
  each from the grades that they gave; below 0: less often than that.

κ = (o − e) ÷ (1 − e), where o is the raw agreement and e the agreement by luck: Σ (share of the grade with one judge × share with the
other) over the grades. Source: Cohen, "A Coefficient of Agreement for Nominal Scales", Educational and Psychological Measurement 20 (1960),
pages 37–46. Kappa is undefined where nothing was judged by both, and where both gave one and the same grade throughout (e = 1): there is
nothing left to agree on beyond luck.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TypeVar

from labkit.errors import BadArgument

Item = TypeVar("Item")


@dataclass(frozen=True)
class Agreement:
    """How far two judges agree on `n` items.

    `raw` is the share with the same grade, `by_luck` what luck would give, `kappa` Cohen's; each None where it is undefined, and
    `undefined` then says why ('' where kappa is defined). `counts` is the table: (grade of `a`, grade of `b`) → how often.
    """

    a: str
    b: str
    n: int
    raw: float | None
    by_luck: float | None
    kappa: float | None
    undefined: str
    counts: dict[tuple[str, str], int]

    def __str__(self) -> str:
        if not self.n:
            return f"{self.a} and {self.b}: {self.undefined}"
        same = sum(number for (one, other), number in self.counts.items() if one == other)
        said = f"{self.a} and {self.b}: {same} of {self.n} alike (raw agreement {self.raw:.3f})"
        if self.kappa is None:
            return f"{said}, kappa undefined: {self.undefined}"
        return f"{said}, kappa {self.kappa:.3f}".replace("kappa -", "kappa −")


def agreement(pairs: Iterable[tuple[str, str]], a: str = "a", b: str = "b") -> Agreement:
    """Raw agreement and Cohen's kappa of two judges; `pairs` holds the two grades of each item that both judged. Lesson 15.

    Counted in whole numbers and divided once, so that the order of the items changes nothing.
    """
    counts = Counter((str(one), str(other)) for one, other in pairs)
    n = counts.total()
    table = dict(sorted(counts.items()))
    if not n:
        return Agreement(a, b, 0, None, None, None, "nothing was judged by both", table)
    same = sum(number for (one, other), number in counts.items() if one == other)
    first, second = Counter(), Counter()
    for (one, other), number in counts.items():
        first[one] += number
        second[other] += number
    observed, luck = Fraction(same, n), Fraction(sum(first[grade] * second[grade] for grade in first), n * n)
    if luck == 1:
        why = f"both judges said {next(iter(first))!r} every time, so luck alone would agree as well"
        return Agreement(a, b, n, float(observed), 1.0, None, why, table)
    return Agreement(a, b, n, float(observed), float(luck), float((observed - luck) / (1 - luck)), "", table)


def between_judges(grades: Mapping[str, Mapping[Item, str]], left_out: Iterable[str] = ()) -> list[Agreement]:
    """The agreement of each pair of judges, by name. `grades`: judge → item → grade.

    An item counts for a pair where both judged it, and neither gave a grade of `left_out` ('unsure' is no opinion to agree with).
    Raises BadArgument for fewer than two judges.
    """
    if len(grades) < 2:
        raise BadArgument(f"agreement takes two judges, and there {'is one' if grades else 'is none'}")
    out = frozenset(left_out)
    return [
        agreement(
            (
                (grades[a][item], grades[b][item])
                for item in grades[a]
                if item in grades[b] and out.isdisjoint((grades[a][item], grades[b][item]))
            ),
            a,
            b,
        )
        for a, b in combinations(sorted(grades), 2)
    ]
