import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from labkit.errors import BadArgument
from labkit.evaluation.power import questions_needed, sign_test_power, smallest_difference
from labkit.evaluation.significance import sign_test


@pytest.mark.parametrize(
    ("difference", "discordant", "options", "n"),
    [
        (0.05, 0.10, {}, 312),
        (0.05, 0.15, {}, 469),
        (-0.05, 0.15, {}, 469),  # the other way round is as hard to see
        # by hand: (1.959964 × √0.3 + 0.841621 × √(0.3 − 0.04))² ÷ 0.04 = 56.4…
        (0.20, 0.30, {}, 57),
        # by hand: (1.644854 × √0.4 + 1.281552 × √(0.4 − 0.04))² ÷ 0.04 = 81.5…
        (0.20, 0.40, {"power": 0.9, "level": 0.9}, 82),
        (0.05, 0.10, {"power": 0.9}, 417),
        (1.0, 1.0, {}, 4),
    ],
)
def test_connors_formula(difference, discordant, options, n):
    assert questions_needed(difference, discordant, **options) == n


@pytest.mark.parametrize(("questions", "least"), [(6, 1.0), (15, 0.4), (59, 6 / 59), (100, 0.06)])
def test_the_least_that_a_set_can_show(questions, least):
    assert smallest_difference(questions) == pytest.approx(least)
    wins = round(least * questions)
    assert sign_test(wins, 0) <= 0.05 < sign_test(wins - 1, 0)


def test_five_questions_show_nothing():
    assert all(math.isnan(smallest_difference(n)) for n in range(6))
    assert smallest_difference(5, level=0.9) == 1.0
    assert sign_test_power(5, 1.0, 1.0) == 0.0


@pytest.mark.parametrize(
    ("n", "difference", "discordant"), [(312, 0.05, 0.10), (59, 0.1, 0.2), (15, 0.4, 0.4), (60, 0.0, 0.3), (40, -0.2, 0.3)]
)
def test_power_is_what_a_simulation_gives(n, difference, discordant):
    """Draw question sets from a world where the difference is real, test each as compare does, and count."""
    rng = np.random.default_rng(7)
    trials = 4000
    shares = [(discordant + difference) / 2, (discordant - difference) / 2, 1 - discordant]
    drawn = rng.multinomial(n, shares, size=trials)
    p = {pair: sign_test(*pair) for pair in {(int(wins), int(losses)) for wins, losses, _ in drawn}}
    share = sum(p[int(wins), int(losses)] <= 0.05 for wins, losses, _ in drawn) / trials
    exact = sign_test_power(n, difference, discordant)
    assert share == pytest.approx(exact, abs=4 * math.sqrt(max(exact * (1 - exact), 0.01) / trials))


@pytest.mark.parametrize(
    ("n", "difference", "discordant"), [(59, 0.1, 0.2), (15, 0.4, 0.4), (30, 0.0, 0.3), (25, -0.2, 1.0), (200, 0.05, 0.06), (1, 1.0, 1.0)]
)
def test_power_is_what_scipys_distribution_gives(n, difference, discordant):
    """Every number of questions that differ, every number of wins among them, one at a time."""
    share = (discordant + abs(difference)) / (2 * discordant)
    total = 0.0
    for differ in range(1, n + 1):
        wins = np.arange(differ + 1)
        p = 2 * stats.binom.cdf(np.minimum(wins, differ - wins), differ, 0.5)
        found = stats.binom.pmf(wins[p <= 0.05 + 1e-12], differ, share).sum()
        total += stats.binom.pmf(differ, n, discordant) * found
    assert sign_test_power(n, difference, discordant) == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize(("difference", "discordant"), [(0.05, 0.1), (0.05, 0.15), (0.05, 0.05), (0.1, 0.2), (0.1, 0.3), (0.2, 0.4)])
def test_the_formula_asks_for_nearly_enough(difference, discordant):
    """The normal curve flatters the exact test a little: what it promises is kept to a few points, and with a tenth more, kept."""
    n = questions_needed(difference, discordant)
    assert 0.74 <= sign_test_power(n, difference, discordant) <= 0.83
    assert sign_test_power(math.ceil(1.13 * n), difference, discordant) >= 0.795


def test_no_difference_is_found_no_more_often_than_the_level_says():
    for n in (6, 15, 59, 200):
        for discordant in (0.05, 0.2, 0.7, 1.0):
            assert sign_test_power(n, 0.0, discordant) <= 0.05
            assert sign_test_power(n, 0.0, discordant, level=0.99) <= 0.01
    assert sign_test_power(59, 0.0, 0.0) == 0.0
    assert sign_test_power(0, 0.1, 0.1) == 0.0


@settings(max_examples=60, deadline=None)
@given(st.floats(0.01, 1), st.floats(0.01, 1), st.floats(0.5, 0.99))
def test_laws(one, other, power):
    difference, discordant = sorted((one, other))
    n = questions_needed(difference, discordant, power)
    assert n >= 1
    assert questions_needed(difference, min(1.0, 1.2 * discordant), power) >= n  # more that differ, more noise
    assert questions_needed(difference, discordant, min(0.995, power + 0.005)) >= n
    assert questions_needed(difference / 2, discordant, power) >= n
    assert n * difference >= 0.9  # a difference is seen in whole questions


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((0.2, 0.1), "no difference is larger"),
        ((0, 0.1), "difference is 0"),
        ((0.1, 1.1), "shares"),
        ((5, 10), "shares"),
        (("0.1", 0.2), "shares"),
        ((True, True), "shares"),
        ((math.nan, 0.2), "shares"),
        ((0.1, 0.2, 1.0), "power is 1.0"),
        ((0.1, 0.2, 80), "power is 80"),
        ((0.1, 0.2, 0.8, 0), "level is 0"),
    ],
)
def test_what_is_no_share(arguments, said):
    with pytest.raises(BadArgument, match=said):
        questions_needed(*arguments)


@pytest.mark.parametrize(
    "call", [lambda: sign_test_power(-1, 0.1, 0.2), lambda: sign_test_power(9, 0.3, 0.2), lambda: smallest_difference(1.5)]
)
def test_what_is_no_number_of_questions(call):
    with pytest.raises(BadArgument):
        call()
