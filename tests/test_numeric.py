"""What counts as a number, and what every formula says to the rest."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from labkit.errors import BadArgument
from labkit.evaluation.power import questions_needed, sign_test_power
from labkit.evaluation.significance import holm, interval
from labkit.numeric import is_number
from labkit.retrieval.bm25 import gain, rarity
from labkit.retrieval.fusion import min_max_sum, reciprocal_rank_fusion, z_score_sum

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
