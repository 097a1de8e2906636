import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from labkit.errors import BadArgument
from labkit.evaluation.significance import SHUFFLES, Comparison, Interval, compare, compare_family, holm, interval, sign_test


def rows(values, metric="hit", ids=None):
    """A table as evaluate returns it; None stands for a question that is not scored."""
    ids = ids or [f"Q{number:02}" for number in range(len(values))]
    scored = [value is not None for value in values]
    measured = [math.nan if value is None else float(value) for value in values]
    return pd.DataFrame({"id": ids, "scored": scored, metric: measured, "words": 10})


def pair(both, only_a, only_b, neither, metric="hit"):
    a = [1] * both + [1] * only_a + [0] * only_b + [0] * neither
    b = [1] * both + [0] * only_a + [1] * only_b + [0] * neither
    return rows(a, metric), rows(b, metric)


# --- compare: zeros and ones -------------------------------------------------------------------------------------------------------------


def test_fifty_one_against_forty_seven_of_fifty_nine():
    result = compare(*pair(46, 5, 1, 7))
    assert round(result.p, 4) == 0.2188
    assert (result.wins, result.losses, result.ties, result.n) == (5, 1, 53, 59)
    assert result.difference == pytest.approx(4 / 59)
    assert str(result) == "0.068 higher (95 % interval −0.02 to 0.16), 5 wins, 1 loss, 53 ties of 59, p = 0.219"
    assert str(compare(*reversed(pair(46, 5, 1, 7)))) == (
        "0.068 lower (95 % interval −0.16 to 0.02), 1 win, 5 losses, 53 ties of 59, p = 0.219"
    )


@pytest.mark.parametrize(
    ("wins", "losses", "p"),
    [(5, 1, 0.21875), (5, 0, 0.0625), (6, 0, 0.03125), (0, 6, 0.03125), (0, 0, 1.0), (1, 0, 1.0), (3, 3, 1.0), (10, 2, 0.03857421875)],
)
def test_only_questions_that_differ_speak(wins, losses, p):
    assert sign_test(wins, losses) == pytest.approx(p, abs=1e-12)
    result = compare(*pair(20, wins, losses, 9))
    assert result.p == pytest.approx(p, abs=1e-12)
    assert result.test == "exact sign test"


@pytest.mark.parametrize(("wins", "losses"), [(0, 700), (31, 32), (700, 640), (1, 0), (4, 11), (2000, 2113)])
def test_the_sign_test_is_scipys_binomial_test(wins, losses):
    theirs = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert sign_test(wins, losses) == pytest.approx(theirs, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("differ", [1000, 1075, 5000])  # 2 ** -1075 is too small for a float
def test_p_is_never_nought(differ):
    assert 0 < sign_test(differ, 0) == sign_test(0, differ) < 1e-300
    result = compare(*pair(0, differ, 0, 3))
    assert result.p > 0 and str(result).endswith("p < 0.001")


# from the package contingencytables (Fagerland, Lydersen and Laake), whose tests give these for Newcombe's square-and-add interval
@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [((59, 6, 16, 80), -0.1186, -0.0046), ((1, 1, 7, 12), -0.5069, -0.0256)],
)
def test_paired_interval_as_published(counts, low, high):
    result = compare(*pair(*counts))
    assert (round(result.low, 4), round(result.high, 4)) == (low, high)


def test_no_question_differs_and_the_interval_still_has_a_width():
    for counts in [(59, 0, 0, 0), (0, 0, 0, 59), (40, 0, 0, 19)]:
        result = compare(*pair(*counts))
        assert result.low < -0.02 and result.high > 0.02
        assert (result.p, result.difference, result.ties) == (1.0, 0.0, 59)
        assert str(result).startswith("no difference (95 % interval −0.0")


def test_a_wider_level_gives_a_wider_interval():
    narrow, wide = compare(*pair(46, 5, 1, 7), level=0.8), compare(*pair(46, 5, 1, 7), level=0.99)
    assert wide.low < narrow.low < narrow.high < wide.high
    assert "(99 % interval" in str(wide)


# --- compare: pairing --------------------------------------------------------------------------------------------------------------------


def test_rows_in_another_order_are_paired_by_id():
    a, b = pair(46, 5, 1, 7)
    shuffled = b.sample(frac=1, random_state=3).reset_index(drop=True)
    assert compare(a, shuffled) == compare(a, b)
    assert compare(a.iloc[::-1], shuffled) == compare(a, b)


def test_questions_not_scored_are_left_out_on_both_sides():
    result = compare(rows([1, None, 0, 1]), rows([0, None, 0, 1]))
    assert (result.n, result.wins, result.ties) == (3, 1, 2)
    assert result.difference == pytest.approx(1 / 3)


def test_words_of_questions_not_scored_are_left_out_too():
    a, b = rows([1, None, 0]), rows([1, None, 0])
    a["words"], b["words"] = [30, 1000, 20], [10, 5, 10]
    result = compare(a, b, "words")
    assert (result.n, result.difference) == (2, 15)


def test_nothing_scored_nothing_to_compare():
    result = compare(rows([None, None]), rows([None, None]))
    assert (result.n, result.p) == (0, 1.0) and math.isnan(result.difference)
    assert str(result) == "nothing to compare: no question is scored"
    assert compare(rows([]), rows([])).n == 0


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (rows([1, 0], ids=["Q1", "Q2"]), rows([1, 0], ids=["Q1", "Q3"]), "Q2 only in the first; Q3 only in the second"),
        (rows([1, 0], ids=["Q1", "Q2"]), rows([1], ids=["Q1"]), "different questions: Q2 only in the first"),
        (rows([1], ids=["Q1"]), rows([1, 0, 1], ids=["Q1", "Q2", "Q3"]), "Q2, Q3 only in the second"),
        (rows([1, 0], ids=["Q1", "Q1"]), rows([1, 0], ids=["Q1", "Q2"]), "first table Q1 stands more than once"),
        (rows([1, 0], ids=["Q1", "Q2"]), rows([1, 0, 1], ids=["Q1", "Q2", "Q2"]), "second table Q2 stands more than once"),
        (rows([1, None], ids=["Q1", "Q2"]), rows([1, 0], ids=["Q1", "Q2"]), "Q2 has a hit in one table only"),
        (rows([1], metric="recall"), rows([1]), "first table has no column 'hit'"),
        (rows([1]), rows([1]).drop(columns="id"), "second table has no column 'id'"),
        ([1, 0], rows([1]), "first is list"),
        (rows([1]), None, "second is NoneType"),
        (rows([1]), rows([math.inf]), "inf"),
    ],
)
def test_what_cannot_be_paired_is_refused_by_name(a, b, said):
    with pytest.raises(BadArgument, match=said):
        compare(a, b)


def test_many_ids_are_counted_not_recited():
    with pytest.raises(BadArgument, match="and 12 more"):
        compare(rows([1] * 20), rows([]))


# --- compare: other measures -------------------------------------------------------------------------------------------------------------


def test_ones_that_stand_for_thirds_are_ties():
    result = compare(rows([1 / 3, 0.3, 0.1 + 0.2], "recall"), rows([1 - 2 / 3, 0.3, 0.3], "recall"), "recall")
    assert (result.wins, result.losses, result.ties, result.difference, result.p) == (0, 0, 3, 0, 1.0)
    assert result.low < 0 < result.high  # three questions cannot prove that nothing ever differs


SCORES = st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 2 / 3, 1.0])


EIGHTHS = st.integers(0, 8).map(lambda number: number / 8)  # sums of eighths are exact, so the two libraries see the same ties


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(EIGHTHS, EIGHTHS), min_size=2, max_size=8))
def test_equal_to_scipys_permutation_test(pairs):
    a, b = np.array(pairs).T
    result = compare(rows(a, "recall"), rows(b, "recall"), "recall")
    theirs = stats.permutation_test(
        (a - b,), lambda x, axis: np.mean(x, axis=axis), permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    assert result.p == pytest.approx(theirs.pvalue, abs=1e-9)
    assert result.difference == pytest.approx(theirs.statistic, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 6).map(lambda number: Fraction(number, 6))] * 2), min_size=1, max_size=8))
def test_equal_to_counting_with_fractions(pairs):
    """Sixths are not exact as floats; the p is that of the true numbers all the same."""
    differences = [one - other for one, other in pairs]
    result = compare(rows([one for one, _ in pairs], "recall"), rows([other for _, other in pairs], "recall"), "recall")
    sums = [sum(sign * d for sign, d in zip(signs, differences, strict=True)) for signs in itertools.product((1, -1), repeat=len(pairs))]
    assert result.p == pytest.approx(sum(abs(total) >= abs(sum(differences)) for total in sums) / len(sums), abs=1e-9)


def test_exact_by_trying_every_sign():
    differences = [0.5, 0.25, 0.25, -0.1, 0.0]
    result = compare(rows(differences, "recall"), rows([0] * 5, "recall"), "recall")
    sums = [abs(sum(sign * d for sign, d in zip(signs, differences, strict=True))) for signs in itertools.product((1, -1), repeat=5)]
    assert result.p == sum(total >= 0.9 - 1e-9 for total in sums) / 32
    assert result.test == "exact permutation test"


def test_many_questions_are_sampled_and_p_is_never_nought():
    a, b = rows([0.9] * 40, "recall"), rows([0.1] * 40, "recall")
    result = compare(a, b, "recall")
    assert result.test == "permutation test"
    assert result.p == 1 / (SHUFFLES + 1)
    assert str(result).endswith("p < 0.001")


def test_sampled_p_is_close_to_the_exact_one():
    values = [0.5] * 12 + [-0.5] * 6  # one size only, so that the sign test is exact for it
    result = compare(rows(values, "gain"), rows([0.0] * 18, "gain"), "gain")
    assert result.test == "permutation test"
    assert result.p == pytest.approx(sign_test(12, 6), abs=0.02)


def test_paired_interval_is_that_of_scipys_bootstrap():
    values = np.random.default_rng(5).choice([-0.5, 0, 0, 0.25, 1], size=60)
    result = compare(rows(values, "gain"), rows([0.0] * 60, "gain"), "gain")
    theirs = stats.bootstrap((values,), np.mean, n_resamples=10_000, method="percentile", rng=np.random.default_rng(1)).confidence_interval
    assert (result.low, result.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)


PAIRS = st.lists(st.tuples(SCORES, SCORES) | st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1.0])), min_size=1, max_size=30)


@settings(max_examples=80, deadline=None)
@given(PAIRS)
@example([(0.0, 0.0)] * 4 + [(0.0, 0.25), (0.25, 0.0)] + [(1.0, 0.0), (0.0, 1.0)] * 2)
def test_the_other_way_round_is_the_same_with_the_signs_turned(pairs):
    a, b = rows([one for one, _ in pairs], "recall"), rows([other for _, other in pairs], "recall")
    there, back = compare(a, b, "recall"), compare(b, a, "recall")
    assert (back.difference, back.low, back.high) == pytest.approx((-there.difference, -there.high, -there.low), abs=1e-12)
    assert (back.wins, back.losses, back.ties, back.n, back.p) == (there.losses, there.wins, there.ties, there.n, there.p)


@settings(max_examples=80, deadline=None)
@given(PAIRS, st.randoms())
def test_laws_of_a_comparison(pairs, chance):
    a, b = rows([one for one, _ in pairs], "recall"), rows([other for _, other in pairs], "recall")
    result = compare(a, b, "recall")
    assert 0 < result.p <= 1
    assert -1 <= result.low <= result.difference <= result.high <= 1
    assert result.wins + result.losses + result.ties == result.n == len(pairs)
    assert result.difference == pytest.approx(a["recall"].mean() - b["recall"].mean(), abs=1e-12)
    order = list(range(len(pairs)))
    chance.shuffle(order)
    assert compare(a.iloc[order], b, "recall") == result
    assert all(text in str(result) for text in (f" of {result.n}", "% interval", "p "))


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 30), st.integers(0, 8), st.integers(0, 8), st.integers(0, 30))
def test_zeros_and_ones_give_the_p_of_the_permutation_test_too(both, only_a, only_b, neither):
    """The sign test is the sign-flip test for differences of one size: two ways to one number."""
    if both + only_a + only_b + neither == 0:
        return
    a, b = pair(both, only_a, only_b, neither)
    halves = [frame.assign(half=frame["hit"] / 2) for frame in (a, b)]
    exact, flipped = compare(a, b), compare(*halves, "half")
    assert flipped.p == pytest.approx(exact.p, abs=1e-9)


# --- interval ----------------------------------------------------------------------------------------------------------------------------


def test_interval_of_the_values_or_of_the_rows():
    values = [1] * 41 + [0] * 18
    spread = interval(values)
    assert (spread.n, spread.method) == (59, "bootstrap")
    assert spread.mean == pytest.approx(41 / 59)
    assert (spread.low, spread.high) == pytest.approx((0.576, 0.814), abs=0.01)
    assert interval(rows([*values, None, None])) == spread
    assert interval(pd.Series(values, dtype="Int64")) == interval(np.array(values)) == spread
    assert str(spread) == f"0.695 (95 % interval {spread.low:.3f} to {spread.high:.3f})"


def test_interval_close_to_scipys_bootstrap():
    values = [1] * 41 + [0] * 18
    theirs = stats.bootstrap((values,), np.mean, n_resamples=10_000, method="percentile", rng=np.random.default_rng(1)).confidence_interval
    spread = interval(values)
    assert (spread.low, spread.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)


@pytest.mark.parametrize("value", [0, 1])
def test_all_alike_is_not_certainty(value):
    spread = interval([value] * 11)
    theirs = stats.binomtest(11 * value, 11).proportion_ci(method="wilson")
    assert spread.method == "Wilson"
    assert (spread.low, spread.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
    assert spread.high - spread.low > 0.25


def test_seed_and_level_and_resamples():
    values = [1, 0, 1, 1, 0, 1, 0, 1]
    assert interval(values) == interval(values)
    assert interval(values, level=0.5).low > interval(values).low
    assert interval(values, resamples=1).low <= 5 / 8


def test_no_scored_question():
    for nothing in ([], [math.nan, None], rows([None])):
        spread = interval(nothing)
        assert spread.n == 0 and math.isnan(spread.mean) and math.isnan(spread.low)
        assert str(spread) == "no scored question"


@pytest.mark.parametrize(
    ("values", "options", "said"),
    [
        (["1"], {}, "'1'"),
        ([math.inf], {}, "inf"),
        ("111", {}, "not '111'"),
        (5, {}, "not 5"),
        (rows([1]), {"metric": "recall"}, "no column 'recall'"),
        ([1], {"level": 1}, "level is 1"),
        ([1], {"level": 95}, "level is 95"),
        ([1], {"level": "0.95"}, "level"),
        ([1], {"resamples": 0}, "resamples is 0"),
        ([1], {"resamples": 1.5}, "resamples"),
    ],
)
def test_interval_refuses(values, options, said):
    with pytest.raises(BadArgument, match=said):
        interval(values, **options)


@settings(max_examples=60, deadline=None)
@given(st.lists(SCORES | st.floats(0, 1), min_size=1, max_size=70), st.sampled_from([0.5, 0.9, 0.95]))
def test_laws_of_an_interval(values, level):
    spread = interval(values, level=level)
    assert 0 <= spread.low <= spread.mean <= spread.high <= 1 + 1e-12
    assert spread.mean == pytest.approx(sum(values) / len(values))
    shuffled = list(values)
    random.Random(1).shuffle(shuffled)
    assert interval(shuffled, level=level) == spread


def test_large_samples_do_not_fill_the_memory():
    values = np.random.default_rng(0).random(5_000)
    spread = interval(values, resamples=2_000)
    assert spread.high - spread.low == pytest.approx(2 * 1.96 * values.std() / math.sqrt(5_000), rel=0.1)


# --- Holm --------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_p", "adjusted"),
    [
        ([0.01, 0.03, 0.04], [0.03, 0.06, 0.06]),
        ([0.04, 0.01, 0.03], [0.06, 0.03, 0.06]),
        ([0.2], [0.2]),
        ([], []),
        ([0.5, 0.6], [1.0, 1.0]),
        ([0.02, 0.02, 0.02], [0.06, 0.06, 0.06]),
        ((0.01, 1), [0.02, 1.0]),
    ],
)
def test_holm(given_p, adjusted):
    assert holm(given_p) == pytest.approx(adjusted)


@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan, "0.05", None, True])
def test_holm_takes_probabilities(bad):
    with pytest.raises(BadArgument, match="no p-value"):
        holm([0.5, bad])


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_rejects_exactly_what_the_step_down_rule_rejects(values):
    """Adjusted p ≤ level, if and only if the rule as Holm states it (go on while the smallest p × the number left ≤ level) rejects."""
    adjusted = holm(values)
    assert all(one <= other <= 1 for one, other in zip(values, adjusted, strict=True))
    for level in (0.01, 0.05, 0.5):
        rejected = set()
        for left, place in zip(range(len(values), 0, -1), sorted(range(len(values)), key=values.__getitem__), strict=True):
            if values[place] * left > level:
                break
            rejected.add(place)
        assert {place for place, p in enumerate(adjusted) if p <= level} == rejected


# --- budgets and families -----------------------------------------------------------------------------------------------------------------


def at_budgets(**values):
    """A long table as evaluate_at_budgets returns it: w100=[…] are the hits at 100 words."""
    return pd.concat([rows(hits).assign(budget=int(name[1:])) for name, hits in values.items()], ignore_index=True)


A = at_budgets(w100=[1, 0, 1, None], w200=[1, 1, 1, None])
B = at_budgets(w200=[0, 1, 0, None], w100=[1, 0, 1, None])


def test_one_budget_at_a_time():
    at_200 = compare(A, B, budget=200)
    assert (at_200.wins, at_200.losses, at_200.ties, at_200.n, at_200.budget) == (2, 0, 1, 3, 200)
    assert str(at_200).startswith("at 200 words: 0.667 higher (95 % interval ")
    assert compare(A, B, budget=100).ties == 3
    one = A[A["budget"] == 200], B[B["budget"] == 200]
    assert compare(*one) == at_200
    assert compare(one[0].drop(columns="budget"), one[1].drop(columns="budget")).budget is None
    assert interval(A, budget=200) == interval([1, 1, 1]) and interval(one[0]) == interval([1, 1, 1])
    nothing = compare(at_budgets(w100=[None]), at_budgets(w100=[None]))
    assert (nothing.n, nothing.budget) == (0, 100)


@pytest.mark.parametrize(
    ("a", "b", "budget", "said"),
    [
        (A, B, None, "first table holds the budgets 100, 200 — pick one: budget=200"),
        (A[A["budget"] == 100], B, None, "second table holds the budgets 200, 100 — pick one"),
        (A, B, 300, "first table has no rows at 300 words — it holds the budgets 100, 200"),
        (A[A["budget"] == 100], B[B["budget"] == 200], None, "at 100 words, the second at 200 words"),
        (A[A["budget"] == 100], rows([1, 0, 1, None]), None, "at 100 words, the second at equal k"),
        (rows([1, 0, 1, None]), B[B["budget"] == 100], None, "at equal k, the second at 100 words"),
        (rows([1]), rows([1]), 100, "first table has no budgets"),
        (A, pd.concat([B, B]), 100, "Q00, Q01, Q02, Q03 stands more than once"),
    ],
)
def test_what_was_measured_in_two_ways_is_not_compared(a, b, budget, said):
    with pytest.raises(BadArgument, match=said):
        compare(a, b, budget=budget)


def test_an_interval_is_over_one_budget():
    with pytest.raises(BadArgument, match="the table holds the budgets 100, 200 — pick one"):
        interval(A)
    with pytest.raises(BadArgument, match="no budgets"):
        interval(rows([1]), budget=100)


def test_a_family_is_every_pair_at_every_budget_with_one_holm():
    tables = {"a": A, "b": B, "c": at_budgets(w100=[0, 0, 0, None], w200=[0, 0, 0, None])}
    family = compare_family(tables)
    assert list(family.columns) == ["metric", "budget", "a", "b", "difference", "low", "high", "wins", "losses", "ties", "n", "p", "p_holm"]
    assert family[["budget", "a", "b"]].to_numpy().tolist() == [
        [100, "a", "b"], [100, "a", "c"], [100, "b", "c"], [200, "a", "b"], [200, "a", "c"], [200, "b", "c"],
    ]  # fmt: skip
    assert family["p_holm"].tolist() == holm(family["p"])
    for row in family.itertuples():
        one = compare(tables[row.a], tables[row.b], budget=row.budget)
        assert (row.difference, row.low, row.high, row.p, row.wins) == (one.difference, one.low, one.high, one.p, one.wins)


def test_a_family_against_one_and_without_budgets():
    tables = {"new": rows([1] * 9), "old": rows([0] * 7 + [1, 1]), "older": rows([0] * 9)}
    family = compare_family(tables, against="old")
    assert "budget" not in family
    assert family[["a", "b", "wins", "losses"]].to_numpy().tolist() == [["new", "old", 7, 0], ["older", "old", 0, 2]]
    assert family["p_holm"].tolist() == [2 * sign_test(7, 0), 0.5]


def test_several_metrics_make_a_larger_family():
    tables = {name: table.assign(evidence=table["hit"]) for name, table in {"a": A, "b": B}.items()}
    family = compare_family(tables, ("hit", "evidence"), budget=[200])
    assert family[["metric", "budget"]].to_numpy().tolist() == [["hit", 200], ["evidence", 200]]
    assert len(compare_family(tables, ["hit", "evidence"])) == 4
    assert len(compare_family(tables, budget=200)) == 1


@pytest.mark.parametrize(
    ("tables", "options", "said"),
    [
        ({"a": A}, {}, "two or more"),
        ([A, B], {}, "by name"),
        ({"a": A, "b": B}, {"against": "c"}, "no table 'c'.*a, b"),
        ({"a": A, "b": rows([1, 0, 1, None])}, {}, "no budgets"),
        ({"a": A, "b": at_budgets(w100=[1, 0, 1, None])}, {}, "no rows at 200 words"),
        ({"a": A, "b": B}, {"metric": "recall"}, "no column 'recall'"),
        ({"a": A, "b": [1]}, {}, "second"),
        ({"a": A, "b": B}, {"metric": []}, "no metric"),
        ({"a": A, "b": B}, {"budget": []}, "no budget"),
    ],
)
def test_families_that_are_none(tables, options, said):
    with pytest.raises(BadArgument, match=said):
        compare_family(tables, **options)


# --- how they print ----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (
            Comparison(-0.0001, -0.004, 0.12, 0.0004, 1, 2, 3, 6),
            "0.000 lower (95 % interval 0.00 to 0.12), 1 win, 2 losses, 3 ties of 6, p < 0.001",
        ),
        (Comparison(0.0, -0.1, 0.1, 1.0, 1, 1, 1, 3), "no difference (95 % interval −0.10 to 0.10), 1 win, 1 loss, 1 tie of 3, p = 1.000"),
        (
            Comparison(0.5, 0.2, 0.8, 0.001, 0, 0, 0, 9, level=0.9),
            "0.500 higher (90 % interval 0.20 to 0.80), 0 wins, 0 losses, 0 ties of 9, p = 0.001",
        ),
        (Interval(0.5, 0.25, 0.75, 4), "0.500 (95 % interval 0.250 to 0.750)"),
    ],
)
def test_one_line_of_plain_words(result, text):
    assert str(result) == text
