"""Fusion: ranks alone, scores on one scale, weights, duplicates; beside exact fractions and scipy."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import zscore

from labkit.errors import BadArgument
from labkit.retrieval.fusion import min_max_sum, reciprocal_rank_fusion, z_score_sum
from labkit.retrieval.keyword import Hit

ids = st.sampled_from("abcdefgh")
rankings = st.lists(st.lists(ids, max_size=8), max_size=4)
scored = st.lists(st.lists(st.tuples(ids, st.integers(-50, 50)), max_size=8, unique_by=lambda pair: pair[0]), max_size=4)
SUMS = [min_max_sum, z_score_sum]


def hits(pairs) -> list[Hit]:
    ordered = sorted(pairs, key=lambda pair: -pair[1])
    return [Hit(id_, float(score), rank) for rank, (id_, score) in enumerate(ordered, start=1)]


def values(fused) -> dict[str, float]:
    return {hit.id: hit.score for hit in fused}


# ---------------------------------------------------------------------- the worked example, and what each slip would give

BM25, DENSE = ["a", "b", "c"], ["c", "a", "d"]


def test_the_worked_example():
    fused = reciprocal_rank_fusion([BM25, DENSE])
    assert [(hit.id, round(hit.score, 6), hit.rank) for hit in fused] == [
        ("a", 0.032522, 1), ("c", 0.032266, 2), ("b", 0.016129, 3), ("d", 0.015873, 4),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("slip", "value"),
    [
        ("rank from 0 without + 1", 0.03306), ("rank from 1 and + 1", 0.032002), ("k left out", 1.5), ("mean, not sum", 0.016261),
        ("second list lost", 0.016393), ("rank sum in one fraction", 0.016129), ("product", 0.00026441), ("scores added", 21.2),
        ("a duplicate counted twice", 0.048395), ("1 - rank", 1.666667), ("rank + 1 above", 0.05),
    ],
)  # fmt: skip
def test_no_slip_gives_the_same_number(slip, value):
    assert abs(values(reciprocal_rank_fusion([BM25, DENSE]))["a"] - value) > 1e-4


@pytest.mark.parametrize(
    ("kind", "given_", "expected"),
    [
        ("nothing", [], []),
        ("empty lists", [[], []], []),
        ("one list keeps its order", [["b", "a", "c"]], ["b", "a", "c"]),
        ("ties by id", [["b"], ["a"]], ["a", "b"]),
        ("an id that one list lacks", [["x", "a"], ["a"]], ["a", "x"]),
        ("found in both beats first in one", [["a", "b"], ["c", "b"]], ["b", "a", "c"]),
        ("ids with accents and spaces", [["é è", "e"], ["e", "é è"]], ["e", "é è"]),
        ("tuples and generators are lists too", (iter("ab"), ("b",)), ["b", "a"]),
        ("and so are the keys of a dict", [{"a": 1, "b": 2}.keys(), ["b"]], ["b", "a"]),
    ],
)
def test_orders(kind, given_, expected):
    assert [hit.id for hit in reciprocal_rank_fusion(given_)] == expected


def test_a_duplicate_counts_once_at_its_best_rank_and_keeps_its_place():
    fused = values(reciprocal_rank_fusion([["a", "a", "b"], ["b"]]))
    assert fused == pytest.approx({"a": 1 / 61, "b": 1 / 63 + 1 / 61})
    assert values(reciprocal_rank_fusion([BM25, ["c", "a", "a", "d"]]))["a"] == pytest.approx(0.032522, abs=1e-6)
    twice = [Hit("a", 1.0, 1), Hit("b", 5.0, 2), Hit("a", 9.0, 3)]
    for fuse in SUMS:
        assert values(fuse([twice])) == values(fuse([hits([("a", 9), ("b", 5)])]))


@given(rankings, st.integers(0, 100))
def test_equal_to_exact_fractions(lists, k):
    expected: dict[str, Fraction] = {}
    for ranking in lists:
        for id_ in set(ranking):
            expected[id_] = expected.get(id_, Fraction(0)) + Fraction(1, k + ranking.index(id_) + 1)
    fused = reciprocal_rank_fusion(lists, k)
    assert values(fused) == pytest.approx({id_: float(value) for id_, value in expected.items()})
    assert [hit.id for hit in fused] == sorted(expected, key=lambda id_: (-expected[id_], id_))
    assert [hit.rank for hit in fused] == list(range(1, len(expected) + 1))


@given(scored)
def test_only_the_order_of_a_list_counts(lists):
    with_scores = [hits(pairs) for pairs in lists]
    stretched = [[Hit(hit.id, 1000 - 7.0**hit.rank, hit.rank) for hit in ranking] for ranking in with_scores]
    bare = [[hit.id for hit in ranking] for ranking in with_scores]
    assert reciprocal_rank_fusion(with_scores) == reciprocal_rank_fusion(stretched) == reciprocal_rank_fusion(bare)


@given(scored, st.randoms())
def test_the_order_of_the_lists_makes_no_difference(lists, chance):
    with_scores = [hits(pairs) for pairs in lists]
    shuffled = list(with_scores)
    chance.shuffle(shuffled)
    for fuse in (reciprocal_rank_fusion, *SUMS):
        assert fuse(with_scores) == fuse(shuffled)


@given(scored, st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_weights(lists, weights):
    """A weight of 0 is no list; a weight of 2 is the list twice; all weights times ten is the same order."""
    with_scores, weights = [hits(pairs) for pairs in lists], weights[: len(lists)]
    repeated = [ranking for ranking, weight in zip(with_scores, weights, strict=True) for _ in range(weight)]
    for fuse in (reciprocal_rank_fusion, *SUMS):
        weighted = fuse(with_scores, weights=weights)
        assert values(weighted) == pytest.approx(values(fuse(repeated)))
        assert [hit.id for hit in fuse(with_scores, weights=[10 * weight for weight in weights])] == [hit.id for hit in weighted]


# ---------------------------------------------------------------------- sums of scores


def test_min_max_by_hand():
    fused = min_max_sum([hits([("a", 20), ("b", 15), ("c", 10)]), hits([("c", 0.8), ("a", 0.6), ("d", 0.4)])])
    assert [(hit.id, round(hit.score, 6)) for hit in fused] == [("a", 1.5), ("c", 1.0), ("b", 0.5), ("d", 0.0)]


def test_z_score_by_hand():
    fused = values(z_score_sum([hits([("a", 3), ("b", 1)])]))
    assert fused == pytest.approx({"a": 1 + 2, "b": -1 + 2})


@pytest.mark.parametrize(("fuse", "each"), [(min_max_sum, 1.0), (z_score_sum, 2.0)])
@pytest.mark.parametrize("pairs", [[("a", 5)], [("a", 0.1), ("b", 0.1), ("c", 0.1)], [("a", -3), ("b", -3)]])
def test_where_all_scores_are_equal_all_are_found_alike(fuse, each, pairs):
    assert values(fuse([hits(pairs)])) == dict.fromkeys((id_ for id_, _ in pairs), each)
    assert fuse([hits(pairs), hits([("z", 4), ("y", 2)])])[-1].id != "a"  # a single exact match is not lost


@given(scored)
def test_z_scores_are_scipys(lists):
    expected: dict[str, float] = {}
    for pairs in lists:
        numbers = [score for _, score in pairs]
        scaled = zscore(numbers) if len(set(numbers)) > 1 else [0.0] * len(numbers)
        for (id_, _), value in zip(pairs, scaled, strict=True):
            expected[id_] = expected.get(id_, 0.0) + float(value) + 2
    assert values(z_score_sum([hits(pairs) for pairs in lists])) == pytest.approx(expected, abs=1e-9)


@given(scored, st.floats(0.01, 100), st.floats(-100, 100))
def test_a_list_may_be_scaled_and_shifted(lists, factor, shift):
    """Only differences inside a list count: BM25 in other units changes nothing."""
    moved = [[(id_, factor * score + shift) for id_, score in pairs] for pairs in lists]
    for fuse in SUMS:
        assert values(fuse(map(hits, lists))) == pytest.approx(values(fuse(map(hits, moved))), abs=1e-6)


@given(scored)
def test_one_list_keeps_its_order(lists):
    for pairs in lists:
        expected = [id_ for id_, _ in sorted(pairs, key=lambda pair: (-pair[1], pair[0]))]
        for fuse in SUMS:
            assert [hit.id for hit in fuse([hits(pairs)])] == expected


# ---------------------------------------------------------------------- what makes no sense


@pytest.mark.parametrize("fuse", [reciprocal_rank_fusion, *SUMS])
@pytest.mark.parametrize(
    ("kind", "lists", "options", "said"),
    [
        ("no list of lists", "ab", {}, "a list of rankings"),
        ("nothing to go through", 5, {}, "a list of rankings"),
        ("a ranking that is text", ["ab"], {}, "ranking 1"),
        ("a ranking that is a dict", [[], {"a": 1}], {}, "ranking 2"),
        ("a set of rankings", {("a", "b")}, {}, "a list of rankings"),
        ("a ranking that is a set", [[], {"a", "b"}], {}, "ranking 2"),
        ("weights that are a set", [[], []], {"weights": {0.4, 0.6}}, "weights is"),
        ("too few weights", [[], []], {"weights": [1]}, "1 weights for 2 rankings"),
        ("a negative weight", [[]], {"weights": [-1]}, "a weight is -1"),
        ("a weight that is no number", [[]], {"weights": ["1"]}, "a weight is '1'"),
        ("a weight whose sums are endless", [["a"], ["a"]], {"weights": [1e308, 1e308]}, "a weight is 1e.308: a number from 0 to 1e.100"),
        ("nan as weight", [[]], {"weights": [float("nan")]}, "a weight is nan"),
        ("a result without id", [[3]], {}, "3 stands in a ranking"),
        ("None", [[None]], {}, "None stands in a ranking"),
    ],
)
def test_refused(fuse, kind, lists, options, said):
    with pytest.raises(BadArgument, match=said):
        fuse(lists, **options)


@pytest.mark.parametrize("k", [-1, -0.5, float("inf"), float("nan"), "60", None, True])
def test_k_is_a_number_of_0_or_more(k):
    with pytest.raises(BadArgument, match="k is"):
        reciprocal_rank_fusion([["a"]], k)


@pytest.mark.parametrize("fuse", SUMS)
@pytest.mark.parametrize("score", [float("nan"), float("inf"), "1", True, 10**400])
def test_sums_need_scores(fuse, score):
    with pytest.raises(BadArgument, match=r"'a' has the score .*: a finite number is needed"):
        fuse([[Hit("a", score, 1)]])
    for unscored in ([Hit("a", None, 1)], ["a"]):
        with pytest.raises(BadArgument, match="has no score"):
            fuse([unscored])


@pytest.mark.parametrize("factor", [1e-320, 1e-200, 1e200, 1e306])
@given(st.lists(st.integers(-50, 50), min_size=1, max_size=8))
def test_scores_of_any_size_that_a_float_can_hold(factor, scores):
    """Neither nan nor an OverflowError: huge and tiny scores stand as those of everyday size do."""
    everyday, extreme = ([Hit(f"{place}", size * score, 1) for place, score in enumerate(scores)] for size in (1.0, factor))
    for fuse in SUMS:
        assert values(fuse([extreme])) == pytest.approx(values(fuse([everyday])), abs=0.01)  # 1e-320 has four digits
