"""Cohen's kappa against hand-worked tables, another way of counting, and its laws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.errors import BadArgument
from labkit.own.agreement import agreement, between_judges


def pairs(table):
    return [pair for pair, times in table.items() for _ in range(times)]


@pytest.mark.parametrize(
    ("table", "raw", "kappa"),
    [
        # by hand: o = 35/50, e = (25 × 30 + 25 × 20) / 50² = 0.5, κ = 0.2 / 0.5
        ({("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15}, 0.7, 0.4),
        # by hand: o = 60/100, e = (60 × 70 + 40 × 30) / 100² = 0.54, κ = 0.06 / 0.46
        ({("y", "y"): 45, ("y", "n"): 15, ("n", "y"): 25, ("n", "n"): 15}, 0.6, 0.06 / 0.46),
        # the same raw agreement, other margins: o = 0.6, e = (40 × 30 + 60 × 70) / 100² with 25 and 35 alike
        ({("y", "y"): 25, ("y", "n"): 35, ("n", "y"): 5, ("n", "n"): 35}, 0.6, (0.6 - 0.46) / 0.54),
        ({("r", "r"): 3, ("n", "n"): 2, ("p", "p"): 1}, 1.0, 1.0),
        ({("r", "n"): 2, ("n", "r"): 2}, 0.0, -1.0),
        # one of the two says 'no' throughout: they agree as luck would have it
        ({("r", "n"): 3, ("n", "n"): 5}, 0.625, 0.0),
    ],
)
def test_by_hand(table, raw, kappa):
    found = agreement(pairs(table))
    assert (found.n, found.undefined) == (sum(table.values()), "")
    assert found.raw == pytest.approx(raw) and found.kappa == pytest.approx(kappa)


@pytest.mark.parametrize(
    ("given_pairs", "n", "raw", "says"),
    [([], 0, None, "nothing was judged by both"), ([("no", "no")] * 4, 4, 1.0, "said 'no' every time"), ([("r", "r")], 1, 1.0, "'r'")],
)
def test_where_kappa_is_undefined(given_pairs, n, raw, says):
    found = agreement(given_pairs, "Mei", "Omar")
    assert (found.n, found.raw, found.kappa) == (n, raw, None) and says in found.undefined
    assert "nan" not in str(found) and says in str(found)


grades = st.sampled_from(["relevant", "partly", "no"])
many = st.lists(st.tuples(grades, grades), min_size=1, max_size=60)


@given(many)
def test_as_another_implementation_counts(judged):
    """A table of counts, and matrix products."""
    names = sorted({grade for pair in judged for grade in pair})
    table = np.zeros((len(names), len(names)))
    for one, other in judged:
        table[names.index(one), names.index(other)] += 1
    n = table.sum()
    observed, luck = np.trace(table) / n, float(table.sum(axis=1) @ table.sum(axis=0)) / n**2
    found = agreement(judged)
    assert found.raw == pytest.approx(observed) and found.by_luck == pytest.approx(luck)
    if found.kappa is None:
        assert luck == pytest.approx(1)
    else:
        assert found.kappa == pytest.approx((observed - luck) / (1 - luck))


@given(many, st.randoms(use_true_random=False))
def test_laws(judged, random):
    found = agreement(judged)
    assert agreement([(b, a) for a, b in judged]).kappa == found.kappa
    mixed = list(judged)
    random.shuffle(mixed)
    assert agreement(mixed) == found
    other = {"relevant": "x", "partly": "y", "no": "z"}
    assert agreement([(other[a], other[b]) for a, b in judged]).kappa == found.kappa
    assert agreement(judged * 3).kappa == found.kappa
    if found.kappa is not None:
        assert found.kappa <= found.raw <= 1 and (found.kappa == 1) == (found.raw == 1) and not math.isnan(found.kappa)


def test_pairs_of_judges():
    given_grades = {
        "Omar": {"a": "no", "b": "relevant", "c": "unsure", "d": "no"},
        "Mei": {"a": "no", "b": "relevant", "c": "no"},
        "Amira": {"e": "no"},
    }
    found = between_judges(given_grades, left_out=["unsure"])
    assert [(each.a, each.b, each.n) for each in found] == [("Amira", "Mei", 0), ("Amira", "Omar", 0), ("Mei", "Omar", 2)]
    assert found[2].counts == {("no", "no"): 1, ("relevant", "relevant"): 1}
    assert between_judges(given_grades)[2].n == 3


@pytest.mark.parametrize("judges", [{}, {"Mei": {"a": "no"}}])
def test_one_judge_agrees_with_nobody(judges):
    with pytest.raises(BadArgument, match="two judges"):
        between_judges(judges)


def test_minus_is_a_minus():
    assert str(agreement([("r", "n"), ("n", "r")], "Mei", "Omar")) == "Mei and Omar: 0 of 2 alike (raw agreement 0.000), kappa −1.000"
