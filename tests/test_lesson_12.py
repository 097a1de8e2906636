"""Lesson 12's exercises: each slip gives the value that its message speaks of, each right answer is what labkit's own functions give."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.evaluation.tuning import Tuned, tune
from labkit.lessons.content import lesson_12
from labkit.lessons.content.lesson_12 import ASKED, MIN_MAX, RANKINGS, RRF, TINY, TUNED_WEIGHT
from labkit.retrieval.fusion import min_max_sum, reciprocal_rank_fusion
from labkit.retrieval.keyword import Hit

TWICE = [[("a", 20.4), ("b", 19.0), ("a", 6.2)], [("c", 0.85), ("a", 0.80), ("d", 0.31)]]

# BM25: a, b, c; dense: c, a, d; k = 60, rank from 0; the score of a. In the one case that says so, a stands twice in one list.
SCORE_OF_A = {
    "no-plus-one": 0.03306,
    "one-twice": 0.032002,
    "k-left-out": 1.5,
    "mean": 0.016261,
    "first-list": 0.016393,
    "one-fraction": 0.016129,
    "product": 0.00026441,
    "scores-added": 21.2,
    "duplicate-twice": (TWICE, 0.048395),
    "share-of-list": 1.666667,
    "rank-above": 0.05,
}


def with_slip(exercise, key):
    """An exercise's function with this slip in it."""
    [slip] = [each for each in exercise.mistakes if each.key == key]
    return exercise.evaluate(slip.cell(exercise.solution))


@pytest.mark.parametrize(("key", "wrong"), SCORE_OF_A.items())
def test_each_slip_in_the_fused_score(key, wrong):
    rankings, value = wrong if isinstance(wrong, tuple) else (RANKINGS, wrong)
    assert [[item for item, _ in ranking] for ranking in RANKINGS] == [["a", "b", "c"], ["c", "a", "d"]]
    assert RRF.reference("a", rankings) == pytest.approx(0.032522, abs=5e-7)
    assert with_slip(RRF, key)("a", rankings) == pytest.approx(value, rel=5e-5)


def test_the_example_in_full_and_a_missing_result_at_rank_0():
    scores = {item: round(RRF.reference(item, RANKINGS), 6) for item in "acbd"}
    assert scores == {"a": 0.032522, "c": 0.032266, "b": 0.016129, "d": 0.015873}
    slipped = with_slip(RRF, "missing-first")
    assert slipped("b", RANKINGS) == slipped("a", RANKINGS)  # it puts b level with a
    mean = with_slip(RRF, "mean")
    assert round(mean("b", RANKINGS), 6) == round(RRF.reference("b", RANKINGS), 6) < round(mean("a", RANKINGS), 6) < 0.0163


@given(
    st.lists(st.lists(st.tuples(st.sampled_from("abcde"), st.floats(0, 9)), max_size=8), max_size=4),
    st.integers(0, 100),
)
def test_the_fused_score_is_labkits(rankings, k):
    theirs = {hit.id: hit.score for hit in reciprocal_rank_fusion([[item for item, _ in ranking] for ranking in rankings], k=k)}
    for item in "abcde":
        assert RRF.reference(item, rankings, k) == pytest.approx(theirs.get(item, 0))


@given(st.lists(st.integers(-40, 40).map(lambda n: n / 4), min_size=1, max_size=8))
def test_scores_between_0_and_1_are_labkits(scores):
    theirs = {hit.id: hit.score for hit in min_max_sum([[Hit(str(place), score, place + 1) for place, score in enumerate(scores)]])}
    assert MIN_MAX.reference(scores) == pytest.approx([theirs[str(place)] for place in range(len(scores))])


@pytest.mark.parametrize(
    ("key", "scores", "wrong"),
    [
        ("equal-zero", [3.0], [0.0]),
        ("low-kept", [4.0, 2.0, 0.0], [1.0, 0.5, 0.0]),
        ("low-kept", [6.0, 4.0, 2.0], [1.5, 1.0, 0.5]),
        ("half-a-scale", [4.0, 3.0, 2.0], [0.5, 0.25, 0.0]),
        ("upside-down", [4.0, 3.0, 2.0], [0.0, 0.5, 1.0]),
        ("by-rank", [20.0, 19.0, 0.0], [1.0, 0.5, 0.0]),
        ("z-score", [4.0, 2.0], [1.0, -1.0]),
    ],
)
def test_slips_on_the_way_to_one_scale(key, scores, wrong):
    assert with_slip(MIN_MAX, key)(scores) == pytest.approx(wrong)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=9), st.randoms())
def test_the_weight_is_the_one_that_labkit_tunes(hits, random):
    """The rule of labkit.evaluation.tuning, by its own words: of equally good values the middle one, of two the earlier."""
    grid = [round(place / 10, 1) for place in range(len(hits))]
    rows = [("tune", weight, n) for weight, n in zip(grid, hits, strict=True)]
    rows += [("held-out", weight, random.randint(0, 9)) for weight in grid]
    random.shuffle(rows)
    wanted = dict(zip(grid, hits, strict=True))
    best = [weight for weight in grid if wanted[weight] == max(hits)]
    chosen = TUNED_WEIGHT.reference(rows)
    assert chosen in best
    assert abs(sum(weight < chosen for weight in best) - sum(weight > chosen for weight in best)) <= 1
    assert sum(weight < chosen for weight in best) <= sum(weight > chosen for weight in best)


def test_the_same_rule_in_labkit(monkeypatch):
    hits = {0.0: 1, 0.1: 3, 0.2: 3, 0.3: 2, 0.4: 3, 0.5: 3}
    monkeypatch.setattr("labkit.evaluation.tuning.different_ids", list)

    def measured(questions, search, k):
        import pandas as pd

        return pd.DataFrame({"hit": [hits[search] / 4] * 4, "scored": [True] * 4})

    monkeypatch.setattr("labkit.evaluation.tuning.evaluate", measured)
    found = tune([1, 2, 3, 4], lambda weight: weight, list(hits))
    assert isinstance(found, Tuned) and found.best == TUNED_WEIGHT.reference([("tune", *row) for row in hits.items()]) == 0.2


def test_tuned_on_held_out_shows_as_such():
    rows = TUNED_WEIGHT.cases[0][0]
    assert (TUNED_WEIGHT.reference(rows), with_slip(TUNED_WEIGHT, "held-out")(rows)) == (0.5, 0.25)


def test_the_tiny_rows_have_the_cosines_that_the_lesson_speaks_of():
    cosines = [sum(a * b for a, b in zip(ASKED, row, strict=True)) / (math.hypot(*ASKED) * math.hypot(*row)) for _, row in TINY]
    assert cosines == pytest.approx([1.0, 0.8, 0.6, 0.0])
    assert {exercise.name for exercise in lesson_12.EXERCISES} == {"rrf", "min-max", "tuned-weight"}
