"""How many questions does it take? What a question set can show, and what it cannot (lesson 10).

Only questions on which two searches differ speak, and few do. So a small set shows large differences alone: with fifteen questions, six
wins to none is the least that the sign test hears, and that is 40 points. To see 5 points takes hundreds of questions.

`discordant` is the share of questions on which the two searches differ, `difference` the share that one wins less the share that the other
wins: with 59 questions, 5 wins and 1 loss, 6/59 and 4/59. `power` is how often a set of that size gives p at or below 1 − level, if the
difference is really that large: 0.8 is usual, which still misses one in five.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from scipy.special import bdtr, bdtrc  # the binomial distribution, below and above; scipy.stats takes a second to load

from labkit.errors import BadArgument
from labkit.evaluation.metrics import whole_k
from labkit.evaluation.significance import sign_test
from labkit.numeric import is_number
from labkit.textfiles import quoted

_MOST = 1_000_000  # questions that are counted out one by one
_LEAST = 1e-6  # a difference below takes more questions than anybody has asked


def questions_needed(difference: float, discordant: float, power: float = 0.8, level: float = 0.95) -> int:
    """How many questions it takes to see `difference` where the searches differ on a share `discordant` of them (both from 0 to 1).

    Connor's formula for paired zeros and ones (Biometrics 43, 1987, pages 207–211):
    n = (z(level) √discordant + z(power) √(discordant − difference²))² ÷ difference², rounded up. A difference of 0.05 takes 312 questions
    where one in ten differs, 469 where 15 in a hundred do.

    The formula takes the normal curve for the sign test; counted out exactly (`sign_test_power`), the same power
    takes up to a tenth more.
    Raises BadArgument unless 0 < |difference| <= discordant <= 1, and power and level lie between 0 and 1.
    """
    _check_shares(difference, discordant)
    _check_between(power=power, level=level)
    if abs(difference) < _LEAST:
        raise BadArgument(f"difference is {quoted(difference)}: no number of questions shows what is not there, or hardly there")
    z_level, z_power = NormalDist().inv_cdf((1 + level) / 2), NormalDist().inv_cdf(power)
    root = z_level * math.sqrt(discordant) + z_power * math.sqrt(discordant - difference**2)
    return max(1, math.ceil((root / difference) ** 2 - 1e-9)) if root > 0 else 1


def sign_test_power(questions: int, difference: float, discordant: float, level: float = 0.95) -> float:
    """How often `compare` gives p <= 1 − level for hits over so many questions, counted out exactly: over every number of questions that
    differ, and every number of wins among them. With difference 0, how often it cries wolf."""
    n = whole_k(questions)
    if n > _MOST:
        raise BadArgument(f"questions is {quoted(questions)}: at most {_MOST:,} are counted out one by one")
    _check_shares(difference, discordant)
    _check_between(level=level)
    if discordant == 0:
        return 0.0
    share_of_wins = (discordant + abs(difference)) / (2 * discordant)
    weights = np.diff(bdtr(np.arange(n + 1), n, discordant), prepend=0.0)  # of each number of questions that differ
    total = 0.0
    for differ in map(int, np.flatnonzero(weights >= 1e-12)):
        most = _most_losses(differ, level)
        if most is not None:
            total += weights[differ] * (bdtr(most, differ, share_of_wins) + bdtrc(differ - most - 1, differ, share_of_wins))
    return float(min(1.0, total))


def smallest_difference(questions: int, level: float = 0.95) -> float:
    """The smallest difference that so many questions can show at all: every question that differs is won by one side, and they are just
    enough for the sign test. 15 questions: 6 ÷ 15 = 0.4. NaN where even all of them would not do (fewer than six, at the usual level)."""
    n = whole_k(questions)
    _check_between(level=level)
    wins = next((wins for wins in range(1, n + 1) if sign_test(wins, 0) <= 1 - level + 1e-12), None)
    return math.nan if wins is None else wins / n


def _most_losses(differ: int, level: float) -> int | None:
    """The most losses among so many that differ with which the sign test still speaks for the winner; None where it never does."""
    p = np.minimum(1.0, 2 * bdtr(np.arange(differ // 2 + 1), differ, 0.5))
    speaks = int((p <= 1 - level + 1e-12).sum())
    return speaks - 1 if speaks else None


def _check_between(**values) -> None:
    for name, value in values.items():
        if not is_number(value) or not 0 < value < 1:
            raise BadArgument(f"{name} is {quoted(value)}: it is a share between 0 and 1")


def _check_shares(difference, discordant) -> None:
    if not (is_number(difference) and is_number(discordant)) or not abs(difference) <= discordant <= 1:
        raise BadArgument(
            f"difference={quoted(difference)}, discordant={quoted(discordant)}: both are shares of all questions, and no difference is "
            f"larger than the share on which the two searches differ (0.05 and 0.1 for 5 points, where one question in ten differs)"
        )
