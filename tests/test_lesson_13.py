"""Lesson 13's exercises: each slip gives the value that its message speaks of, on the three passages and on the seven children."""

import pytest

from labkit.lessons.content.lesson_13 import FOUND, MAXSIM, PASSAGES, QUESTION, RERANK, SCORES, WEIGHTS

SCORES_OF_B = {
    "all-cosines": 0.17,
    "summed": 3.48,
    "by-number": 1.74,
    "weights-forgotten": 0.78,
    "weights-half": 0.39,
    "farthest": -0.53,
    "best-word-only": 0.96,
    "absolute": 0.87,
}
LEFT = {
    "all-judged": ["d", "e", "a"],
    "strict": ["e", "a", "c"],
    "worst-first": ["b", "g", "a"],
    "not-sorted": ["c", "a", "g"],
    "ties-as-found": ["e", "c", "a"],
    "kept-too-soon": ["a", "c"],
    "good-before-first": ["d", "e", "a"],
    "all-kept": ["e", "a", "c", "g", "b"],
}


def value(exercise, key, case):
    """What an exercise's function gives with this slip in it."""
    [slip] = [each for each in exercise.mistakes if each.key == key]
    return exercise.evaluate(slip.cell(exercise.solution))(*case)


@pytest.mark.parametrize(("name", "score"), [("A", 0.80), ("B", 0.87), ("C", 0.46)])
def test_maxsim(name, score):
    assert MAXSIM.reference(QUESTION, PASSAGES[name], WEIGHTS) == pytest.approx(score)


@pytest.mark.parametrize(("key", "wrong"), SCORES_OF_B.items())
def test_maxsim_slips(key, wrong):
    if wrong < 0:
        assert value(MAXSIM, key, (QUESTION, PASSAGES["B"], WEIGHTS)) == 0  # the score stops at 0
    else:
        assert value(MAXSIM, key, (QUESTION, PASSAGES["B"], WEIGHTS)) == pytest.approx(wrong)


def test_the_arrows_have_length_one():
    for x, y in [*QUESTION, *(arrow for passage in PASSAGES.values() for arrow in passage)]:
        assert x * x + y * y == pytest.approx(1)


@pytest.mark.parametrize(("key", "wrong"), LEFT.items())
def test_rerank(key, wrong):
    assert RERANK.reference(FOUND, SCORES) == ["e", "a", "c"]
    assert value(RERANK, key, (FOUND, SCORES)) == wrong


def test_exactly_the_least_is_good_enough():
    assert RERANK.reference(FOUND, SCORES, 6, 5)[-1] == "b"
    assert value(RERANK, "strict", (FOUND, SCORES, 6, 5))[-1] == "g"
