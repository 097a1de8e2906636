"""What counts as a number, and what every formula says to the rest."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from labkit import KeywordIndex, by_structure, evaluate, evaluate_at_budgets, fixed, overlapping, within_budget
from labkit.errors import BadArgument
from labkit.evaluation.power import questions_needed, sign_test_power, smallest_difference
from labkit.evaluation.significance import holm, interval, sign_test
from labkit.numeric import is_number
from labkit.parsing.markdown import read_markdown
from labkit.retrieval.bm25 import gain, rarity
from labkit.retrieval.fusion import min_max_sum, reciprocal_rank_fusion, z_score_sum
from labkit.textfiles import quoted

YES = [0, -3, 2.5, Fraction(1, 3), np.int64(4), np.float32(0.5), 10**300]
NO = [True, False, np.bool_(True), None, "3", math.nan, math.inf, -math.inf, 10**400, -(10**5000), Decimal(1), 1j, [1], np.array([1.0])]


@pytest.mark.parametrize("value", YES, ids=repr)
def test_these_are_numbers(value):
    assert is_number(value) is True


@pytest.mark.parametrize("place", range(len(NO)))
def test_these_are_none(place):
    assert is_number(NO[place]) is False


FORMULAS = {
    "rarity, N": lambda value: rarity(value, 1),
    "rarity, n": lambda value: rarity(8, value),
    "rarity, floor": lambda value: rarity(8, 1, floor=[value]),
    "gain, f": lambda value: gain(value, 5, 5.0),
    "gain, length": lambda value: gain(1, value, 5.0),
    "gain, average_length": lambda value: gain(1, 5, value),
    "gain, k1": lambda value: gain(1, 5, 5.0, k1=value),
    "gain, b": lambda value: gain(1, 5, 5.0, b=value),
    "power": lambda value: questions_needed(0.1, 0.2, power=value),
    "difference": lambda value: questions_needed(value, 0.2),
    "discordant": lambda value: sign_test_power(9, 0.1, value),
    "holm": lambda value: holm([0.1, value]),
    "level of a power": lambda value: sign_test_power(9, 0.1, 0.2, level=value),
    "level of a difference": lambda value: smallest_difference(20, level=value),
    "questions": lambda value: sign_test_power(value, 0.1, 0.2),
    "wins": lambda value: sign_test(value, 2),
    "losses": lambda value: sign_test(2, value),
    "rankings": reciprocal_rank_fusion,
    "a ranking": lambda value: reciprocal_rank_fusion([value]),
    "a result": lambda value: reciprocal_rank_fusion([[None if value == "3" else value]]),
    "level": lambda value: interval([0, 1, 1], level=value),
    "k of a fusion": lambda value: reciprocal_rank_fusion([["a"]], k=value),
    "a weight": lambda value: min_max_sum([], weights=[value]),
    "a weight of z-scores": lambda value: z_score_sum([[]], weights=[value]),
}


@pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS)
def test_no_formula_takes_them_and_each_says_so_in_few_words(formula):
    for value in NO:
        with pytest.raises(BadArgument) as error:
            formula(value)
        assert len(str(error.value)) < 300


PARSED = read_markdown("# A\n\n## B\n\nsome words\n", doc_id="a")
WHOLE = {
    "size": lambda value: fixed(PARSED, size=value),
    "size of overlapping": lambda value: overlapping(PARSED, size=value),
    "overlap": lambda value: overlapping(PARSED, overlap=value),
    "max_words": lambda value: by_structure(PARSED, max_words=value),
    "k": lambda value: KeywordIndex().search("a", k=value),
    "k of evaluate": lambda value: evaluate([], lambda text, k: [], k=value),
    "a budget": lambda value: within_budget([], value),
    "budgets": lambda value: evaluate_at_budgets([], lambda text, k: [], budgets=[value]),
}


@pytest.mark.parametrize("given", WHOLE.values(), ids=WHOLE)
@pytest.mark.parametrize("value", [True, "3", math.nan, math.inf, -1, 1.5, [1], -(10**5000)], ids=quoted)
def test_what_counts_words_or_results_is_a_whole_number(given, value):
    with pytest.raises(BadArgument) as error:
        given(value)
    assert len(str(error.value)) < 300


@pytest.mark.parametrize("difference", [1e-300, 5e-324, -1e-200, 0.0])
def test_a_difference_that_no_question_shows(difference):
    with pytest.raises(BadArgument, match="hardly there"):
        questions_needed(difference, 0.2)


@pytest.mark.parametrize("value", [True, 3, math.nan, 10**5000], ids=quoted)
def test_what_is_no_list_is_said_to_be_none(value):
    for given in (holm, lambda weights: reciprocal_rank_fusion([["a"]], weights=weights)):
        with pytest.raises(BadArgument, match="a list"):
            given(value)
