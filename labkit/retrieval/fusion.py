"""Several rankings made one: by ranks alone, or by scores on one scale (lesson 12).

- reciprocal_rank_fusion: a result gets weight ÷ (k + rank + 1) from each ranking that holds it, rank from 0, and these are added. Scores
  play no part, so it does not matter that BM25 says 20.4 and the cosine 0.8 (Cormack, Clarke and Büttcher, 2009; they count from 1).
- min_max_sum: each ranking's scores are laid between 0 (its lowest) and 1 (its highest), then added; what a ranking does not hold gets 0
  from it (Fox and Shaw's CombSUM, 1994, on Lee's scale, 1997). Where all its scores are equal, each is 1.
- z_score_sum: scores are counted in standard deviations from the ranking's mean, plus 2, then added; what it does not hold gets 0. Without
  the 2, a result below the mean would fare worse than one that was not found at all (Montague and Aslam, 2001). Equal ones are 2 each.

Each takes rankings of ids, or of whatever has an `id` (hits, passages); the sums need hits, which have scores. A result that stands twice
in one ranking counts once, at its best: two chunks of one parent are no better than one. Equal sums (to ten digits) are ordered by id.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from labkit.errors import BadArgument
from labkit.numeric import is_number
from labkit.retrieval.keyword import Hit
from labkit.textfiles import quoted

K = 60
_MOST = 1e100  # of a weight: what it multiplies is then still a number


def reciprocal_rank_fusion(rankings: Iterable[Iterable], k: float = K, weights: Sequence[float] | None = None) -> list[Hit]:
    """One ranking from several, by ranks alone: Σ weight ÷ (k + rank + 1), rank from 0. Best first, each id once. Lesson 12.

    `rankings`: lists, best first, of ids or of things with an `id`. `weights`: one a ranking, 0 or more, 1 unless told; a ranking of weight
    0 is as if it were not there. A result's rank is its place in the list as given; of two places the better one counts.
    Raises BadArgument for a k below 0, for weights that do not fit, and for what is no ranking.

    >>> [(hit.id, round(hit.score, 6)) for hit in reciprocal_rank_fusion([["a", "b", "c"], ["c", "a", "d"]])]
    [('a', 0.032522), ('c', 0.032266), ('b', 0.016129), ('d', 0.015873)]
    """
    if not is_number(k) or k < 0:
        raise BadArgument(f"k is {quoted(k)}: a number of 0 or more is needed (60 is usual)")

    def points(ranking: list) -> dict[str, float]:
        return {id_: 1 / (k + rank + 1) for id_, rank in _first_places(ranking).items()}

    return _added(rankings, weights, points)


def min_max_sum(rankings: Iterable[Iterable[Hit]], weights: Sequence[float] | None = None) -> list[Hit]:
    """One ranking from several, by their scores between 0 and 1, added. Lesson 12.

    `rankings`: lists of hits (anything with `id` and `score`, higher is better). `weights` and errors as for reciprocal_rank_fusion; a
    score that is no finite number is a BadArgument too.
    """

    def points(ranking: list) -> dict[str, float]:
        scores = _best_scores(ranking)
        low, high = min(scores.values()), max(scores.values())
        return {id_: 1.0 if high == low else (score - low) / (high - low) for id_, score in scores.items()}

    return _added(rankings, weights, points)


def z_score_sum(rankings: Iterable[Iterable[Hit]], weights: Sequence[float] | None = None) -> list[Hit]:
    """One ranking from several, by their scores in standard deviations (of that ranking, ÷ n) from its mean, plus 2, added. Lesson 12.

    Arguments and errors as for min_max_sum.
    """

    def points(ranking: list) -> dict[str, float]:
        scores = _best_scores(ranking)
        mean = math.fsum(scores.values()) / len(scores)
        deviation = math.sqrt(math.fsum((score - mean) ** 2 for score in scores.values()) / len(scores))
        equal = max(scores.values()) == min(scores.values()) or deviation == 0
        return {id_: 2.0 if equal else (score - mean) / deviation + 2.0 for id_, score in scores.items()}

    return _added(rankings, weights, points)


def _added(rankings: Iterable[Iterable], weights: Sequence[float] | None, points: Callable[[list], dict[str, float]]) -> list[Hit]:
    """Each ranking's points, times its weight, added up by id."""
    if isinstance(rankings, str | set | frozenset) or not isinstance(rankings, Iterable):
        raise BadArgument(f"a list of rankings is needed, not {quoted(rankings)}")
    lists = [_listed(ranking, number) for number, ranking in enumerate(rankings, start=1)]
    parts: dict[str, list[float]] = {}
    for ranking, weight in zip(lists, _weights(weights, len(lists)), strict=True):
        if ranking and weight:
            for id_, value in points(ranking).items():
                parts.setdefault(id_, []).append(weight * value)
    sums = {id_: math.fsum(values) for id_, values in parts.items()}  # fsum: in which order the rankings come makes no difference
    order = sorted(sums, key=lambda id_: (-float(f"{sums[id_]:.10g}"), id_))
    return [Hit(id_, sums[id_], rank) for rank, id_ in enumerate(order, start=1)]


def _listed(ranking: Iterable, number: int) -> list:
    if isinstance(ranking, str | bytes | dict | set | frozenset) or not isinstance(ranking, Iterable):  # a set has no order
        raise BadArgument(f"ranking {number} is {quoted(ranking)}: a list is needed, best first, of ids or of results")
    return list(ranking)


def _weights(weights: Sequence[float] | None, number: int) -> list[float]:
    if weights is None:
        return [1.0] * number
    if isinstance(weights, str | set | frozenset) or not isinstance(weights, Iterable):
        raise BadArgument(f"weights is {quoted(weights)}: a list is needed, one number for each ranking")
    weights = list(weights)
    if len(weights) != number:
        raise BadArgument(f"{len(weights)} weights for {number} rankings — give one for each")
    for weight in weights:
        if not is_number(weight) or not 0 <= weight <= _MOST:
            raise BadArgument(f"a weight is {quoted(weight)}: a number from 0 to {_MOST:g} is needed")
    return [float(weight) for weight in weights]


def _id_of(result: object) -> str:
    id_ = result if isinstance(result, str) else getattr(result, "id", None)
    if not isinstance(id_, str):
        raise BadArgument(f"{quoted(result)} stands in a ranking: an id, or something with an id, is needed")
    return id_


def _first_places(ranking: list) -> dict[str, int]:
    places: dict[str, int] = {}
    for place, result in enumerate(ranking):
        places.setdefault(_id_of(result), place)
    return places


def _best_scores(ranking: list) -> dict[str, float]:
    """Each id's best score, all on one smaller scale where one is huge or all are tiny: by a power of 2, which changes no digit, so that
    neither a difference nor a square leaves what a float can hold."""
    scores: dict[str, float] = {}
    for result in ranking:
        id_, score = _id_of(result), getattr(result, "score", None)
        if score is None:
            raise BadArgument(f"{quoted(result)} has no score: this sum needs hits; ranks alone are enough for reciprocal_rank_fusion")
        if not is_number(score):
            raise BadArgument(f"{quoted(id_)} has the score {quoted(score)}: a finite number is needed")
        scores[id_] = max(float(score), scores.get(id_, float(score)))
    _, power = math.frexp(max(map(abs, scores.values())))
    return {id_: math.ldexp(score, -power) for id_, score in scores.items()}
