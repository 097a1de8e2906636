"""BM25's two parts: by hand, against SQLite's own bm25(), against a second library."""

from __future__ import annotations

import math
import sqlite3
from collections import Counter
from fractions import Fraction

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit.errors import BadArgument
from labkit.lessons.content.worked_example import QUESTION, SECTIONS
from labkit.retrieval import bm25
from labkit.retrieval.tokenizer import words


@pytest.mark.parametrize(
    ("N", "n", "value"),
    [
        (8, 2, 0.9555),
        (8, 3, 0.4520),  # occurrences counted
        (5, 2, 0.3365),  # only the matching sections counted
        (58, 2, 3.1179),  # words counted
        (154, 1, math.log(153.5 / 1.5)),
        (154, 0, math.log(154.5 / 0.5)),
        (8, 4, 1e-6),  # exactly half: ln 1 = 0
        (8, 8, 1e-6),
        (154, 106, 1e-6),
        (1, 1, 1e-6),
        (0, 0, 1e-6),
    ],
)
def test_rarity(N, n, value):  # noqa: N803
    assert bm25.rarity(N, n) == pytest.approx(value, abs=5e-5 if value > 1e-3 else 1e-15)


@pytest.mark.parametrize(("N", "n", "value"), [(154, 106, -0.787), (8, 4, 0.0), (8, 6, -0.9555), (8, 2, 0.9555)])
def test_rarity_without_a_floor(N, n, value):  # noqa: N803
    assert bm25.rarity(N, n, floor=None) == pytest.approx(value, abs=5e-4)


def test_the_floor_takes_the_place_of_what_is_not_positive_and_of_nothing_else():
    assert bm25.rarity(8, 6, floor=0) == 0
    assert bm25.rarity(8, 4, floor=0.25) == 0.25
    assert bm25.rarity(1_000_001, 500_000, floor=0.25) == pytest.approx(math.log(500_001.5 / 500_000.5), rel=1e-9)


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ({}, 1.4451),
        ({"b": 0}, 1.3750),
        ({"b": 1}, 1.4700),
        ({"b": 0.25}, 1.3976),
        ({"average_length": 7.4}, 1.4523),
        ({"k1": 1.5}, 1.5124),
        ({"length": 37}, 0.6383),
        ({"f": 1}, 1.0759),
        ({"f": 0}, 0.0),
        ({"f": 0, "length": 0}, 0.0),
        ({"f": 1, "length": 7.25}, 1.0),  # once, in a text of average length
        ({"f": 5, "k1": 0}, 1.0),  # repeats do not help
    ],
)
def test_gain(arguments, value):
    assert bm25.gain(**{"f": 2, "length": 6, "average_length": 7.25, **arguments}) == pytest.approx(value, abs=5e-5)


def test_the_worked_example_has_the_lengths_and_counts_of_the_lesson():
    cut = {name: words(text) for name, text in SECTIONS.items()}
    assert [len(these) for these in cut.values()] == [6, 6, 8, 8, 9, 8, 7, 6]
    assert [these.count("kettle") for these in cut.values()] == [2, 1, 0, 0, 0, 0, 0, 0]
    assert [these.count("refund") for these in cut.values()] == [0, 0, 1, 1, 1, 0, 0, 0]
    assert len(SECTIONS["A"]) == 37  # "length in characters" is a slip that the lesson recognises


def test_the_worked_example_by_hand():
    cut = {name: Counter(words(text)) for name, text in SECTIONS.items()}
    average = sum(counts.total() for counts in cut.values()) / len(cut)
    assert average == 7.25
    scores = {
        name: sum(
            bm25.rarity(8, sum(word in other for other in cut.values()))
            * bm25.gain(counts[word], counts.total(), average)
            for word in words(QUESTION)
        )
        for name, counts in cut.items()
    }
    assert [round(score, 4) for score in scores.values()] == [1.3808, 1.0280, 0.4336, 0.4336, 0.4114, 0, 0, 0]
    assert [round(bm25.gain(f, length, 7.25), 2) for f, length in [(2, 6), (1, 6), (1, 8), (1, 9)]] == [1.45, 1.08, 0.96, 0.91]
    assert round(scores["A"] / scores["B"], 2) == 1.34


@given(with_it=st.integers(0, 10**6), without_it=st.integers(1, 10**6))
def test_a_rarer_word_tells_more(with_it, without_it):
    N, n = with_it + without_it, with_it  # noqa: N806
    assert bm25.rarity(N, n, floor=None) > bm25.rarity(N, n + 1, floor=None)
    assert bm25.rarity(N, n) == (bm25.rarity(N, n, floor=None) if 2 * n < N else 1e-6)
    assert bm25.rarity(N, n, floor=None) == pytest.approx(-bm25.rarity(N, N - n, floor=None), abs=1e-9)


@given(
    f=st.integers(1, 1000), extra=st.integers(1, 5000), average=st.floats(0.5, 5000), k1=st.floats(0.1, 3), b=st.floats(0, 1)
)
def test_each_repeat_helps_less_and_none_passes_the_limit(f, extra, average, k1, b):
    length = f + 2 + extra
    first, second, third = (bm25.gain(f + more, length, average, k1, b) for more in range(3))
    assert 0 < first < second < third <= k1 + 1
    assert third - second <= second - first + 1e-12
    assert bm25.gain(f, length, average, k1, b) >= bm25.gain(f, length + 1, average, k1, b) - 1e-12


@pytest.mark.parametrize(
    "call",
    [
        lambda: bm25.rarity(8, 9),
        lambda: bm25.rarity(-1, 0),
        lambda: bm25.rarity(8, -1),
        lambda: bm25.rarity(math.nan, 2),
        lambda: bm25.rarity(8, math.nan),
        lambda: bm25.rarity(math.inf, 2),
        lambda: bm25.rarity("8", 2),
        lambda: bm25.rarity(8, None),
        lambda: bm25.rarity(True, True),
        lambda: bm25.rarity(8, 2, floor=-1),
        lambda: bm25.rarity(8, 2, floor=math.nan),
        lambda: bm25.rarity(8, 2, floor="0"),
        lambda: bm25.gain(1, 0, 7.25),
        lambda: bm25.gain(7, 6, 7.25),
        lambda: bm25.gain(-1, 6, 7.25),
        lambda: bm25.gain(1, -6, 7.25),
        lambda: bm25.gain(1, 6, 0),
        lambda: bm25.gain(0, 0, 0),
        lambda: bm25.gain(1, 6, -7.25),
        lambda: bm25.gain(1, 6, math.nan),
        lambda: bm25.gain(math.inf, math.inf, 7.25),
        lambda: bm25.gain("2", 6, 7.25),
        lambda: bm25.gain([2], 6, 7.25),
        lambda: bm25.gain(2, 6, 7.25, k1=-0.1),
        lambda: bm25.gain(2, 6, 7.25, b=1.1),
        lambda: bm25.gain(2, 6, 7.25, b=-0.1),
        lambda: bm25.gain(2, 6, 7.25, k1=math.nan),
    ],
)
def test_values_that_make_no_sense_are_refused(call):
    with pytest.raises(BadArgument) as told:
        call()
    assert isinstance(told.value, ValueError)
    assert len(str(told.value)) > 20


@pytest.mark.parametrize("number", [np.int64(2), np.float64(2), Fraction(2)])
def test_any_kind_of_number_will_do(number):
    assert bm25.rarity(8, number) == pytest.approx(0.9555, abs=5e-5)
    assert bm25.gain(number, 6, 7.25) == pytest.approx(1.4451, abs=5e-5)


# A small alphabet, so that words repeat, and some stand in more than half of the texts.
collections = st.lists(st.lists(st.sampled_from(list("abcdefg")), max_size=12), min_size=1, max_size=12)
questions = st.lists(st.sampled_from(list("abcdefgh")), min_size=1, max_size=6)


def by_hand(texts, question, rarity, k1=1.2, b=0.75):
    average = sum(map(len, texts)) / len(texts)
    total = []
    for text in texts:
        holds = [word for word in question if word in text]
        total.append(
            sum(
                rarity(len(texts), sum(word in other for other in texts)) * bm25.gain(text.count(word), len(text), average, k1, b)
                for word in holds
            )
        )
    return total


@settings(deadline=None)
@given(collections, questions)
def test_equal_to_sqlites_own_bm25(texts, question):
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE t USING fts5(text)")
    database.executemany("INSERT INTO t (rowid, text) VALUES (?, ?)", enumerate(map(" ".join, texts)))
    expression = " OR ".join(f'"{word}"' for word in question)
    theirs = dict(database.execute("SELECT rowid, -bm25(t) FROM t WHERE t MATCH ?", (expression,)))
    database.close()
    ours = by_hand(texts, question, bm25.rarity)
    assert {key for key, score in enumerate(ours) if score > 0} == set(theirs)
    for key, score in theirs.items():
        assert ours[key] == pytest.approx(score, abs=1e-9)


# The library's own variants: their rarity from N and n, and a gain without the constant k1 + 1.
VARIANTS = {
    "robertson": lambda total, n: bm25.rarity(total, n, floor=0),
    "lucene": lambda total, n: math.log(1 + math.exp(bm25.rarity(total, n, floor=None))),
}


@pytest.mark.parametrize("variant", VARIANTS)
@settings(deadline=None)
@given(texts=collections.filter(any), question=questions, k1=st.sampled_from([0.5, 1.2, 2.0]), b=st.sampled_from([0.0, 0.75, 1.0]))
def test_equal_to_a_second_library_on_its_own_variants(variant, texts, question, k1, b):
    library = bm25s.BM25(k1=k1, b=b, method=variant, dtype="float64")
    library.index(texts, show_progress=False)
    known = [word for word in question if any(word in text for text in texts)]
    if not known:  # the library has no answer to a question of unknown words; by hand all is 0
        assert by_hand(texts, question, VARIANTS[variant], k1, b) == [0] * len(texts)
        return
    theirs = library.get_scores(known) * (k1 + 1)
    assert by_hand(texts, question, VARIANTS[variant], k1, b) == pytest.approx(theirs.tolist(), abs=1e-9)
