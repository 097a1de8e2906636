"""A costlier judge for a few: the first results of a search, put in order again by a scorer that reads question and passage together
(lesson 13).

The funnel: the first 30 results are judged; those with a score of at least 0.30 stay, 20 at most. A scorer is too slow for a whole
collection, so what the first search did not bring cannot be saved here.

Scores lie between 0 and 1. What 0.30 means depends on how a scorer was calibrated, and each says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Protocol

import numpy as np

from labkit.errors import BadArgument
from labkit.passages import Passage
from labkit.retrieval.scoring import whole_k
from labkit.retrieval.search_over import SearchOver

FIRST, KEEP, LEAST = 30, 20, 0.30
DECIMALS = 4
"""Scores are rounded to this before they are compared, with each other and with `least`: behind it processors differ."""


class Scorer(Protocol):
    """What judges. Lesson 13. A plain function `f(query, texts)` will do too."""

    name: str

    def scores(self, query: str, texts: Sequence[str]) -> np.ndarray:
        """How well each text answers, shape (texts,), each from 0 to 1, higher is better. No score depends on the other texts."""
        ...


@dataclass(frozen=True)
class Judged:
    """A passage with its new score (0 to 1, 4 decimals), its new rank, and the rank that the first search gave it (both 1-based)."""

    passage: Passage
    score: float
    rank: int
    before: int

    @property
    def id(self) -> str:
        """The passage's id."""
        return self.passage.id


def rerank(
    query: str,
    passages: Iterable[Passage],
    scorer: Scorer | Callable[[str, Sequence[str]], Sequence[float]],
    first: int = FIRST,
    keep: int = KEEP,
    least: float = LEAST,
) -> list[Passage]:
    """The best of `passages` (best first, as a search gave them), in the scorer's order. Lesson 13.

    The first `first` are judged, by what `passage.passage` says (context and text); those with a score of at least `least` are kept, and of
    these the best `keep`. [] where none is good enough: a judge may say that nothing answers. Equal scores (to 4 decimals) are ordered by
    id. A passage that stands twice counts once, at its better place.

    Raises BadArgument for what is no passage, for numbers that make no sense, and where the scorer does not give a number from 0 to 1 for
    each text.
    """
    keep = whole_k(keep, "keep")
    if isinstance(least, bool) or not isinstance(least, Real) or not 0 <= least <= 1:
        raise BadArgument(f"least is {least!r}: the lowest score that is kept, from 0 (keep all) to 1")
    enough = [each for each in judge(query, passages, scorer, first) if each.score >= round(float(least), DECIMALS)]
    return [each.passage for each in enough[:keep]]


def judge(
    query: str, passages: Iterable[Passage], scorer: Scorer | Callable[[str, Sequence[str]], Sequence[float]], first: int = FIRST
) -> list[Judged]:
    """All of the first `first` passages with their scores and both ranks, best first: what `rerank` chooses from. Lesson 13.

    Errors as for rerank.
    """
    if not isinstance(query, str):
        raise BadArgument(f"the question must be a text, not {query!r}")
    chosen = _first(passages, whole_k(first, "first"))
    if not chosen:
        return []
    scores = _scores(scorer, query, [passage.passage for passage in chosen])
    places = sorted(range(len(chosen)), key=lambda place: (-scores[place], chosen[place].id))
    return [Judged(chosen[place], scores[place], rank, place + 1) for rank, place in enumerate(places, start=1)]


class RerankedSearch(SearchOver):
    """`search(text, k)`: the first results of another search, reranked. Lesson 13.

    Arguments as for `rerank`; `keep` holds however many are asked for, so the results may be fewer than k, and none.
    """

    def __init__(self, search, scorer, *, first: int = FIRST, keep: int = KEEP, least: float = LEAST):
        super().__init__(search)
        self.scorer, self.first, self.keep, self.least = scorer, whole_k(first, "first"), keep, least
        rerank("", [], scorer, first, keep, least)  # what makes no sense shows itself now, not with the first question

    def __call__(self, text: str, k: int = 5) -> list[Passage]:
        return rerank(text, self.search(text, self.first), self.scorer, self.first, self.keep, self.least)[: whole_k(k)]

    def __repr__(self) -> str:
        name = getattr(self.scorer, "name", None) or getattr(self.scorer, "__name__", type(self.scorer).__name__)
        return f"<{self.search!r}, {self.first} reranked by {name}>"


def _first(passages: Iterable[Passage], first: int) -> list[Passage]:
    """The first `first` different passages."""
    if isinstance(passages, str | dict | set | frozenset) or not isinstance(passages, Iterable):  # a set has no order
        raise BadArgument(f"a list of passages is needed, best first, not {passages!r}")
    chosen: dict[str, Passage] = {}
    for place, passage in enumerate(passages, start=1):
        if len(chosen) == first:
            break
        if not isinstance(getattr(passage, "id", None), str) or not isinstance(getattr(passage, "passage", None), str):
            raise BadArgument(f"result {place} is {type(passage).__name__}, not a passage — give the passages, in rank order")
        chosen.setdefault(passage.id, passage)
    return list(chosen.values())


def _scores(scorer, query: str, texts: list[str]) -> list[float]:
    function = getattr(scorer, "scores", scorer)
    if not callable(function):
        raise BadArgument(f"{scorer!r} is no scorer: something with scores(query, texts) is needed, or a function of these two")
    answer = function(query, texts)  # what goes wrong inside comes through as it is
    try:
        given = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        name = getattr(scorer, "name", None) or getattr(scorer, "__name__", type(scorer).__name__)
        raise BadArgument(f"the scorer {name!r} does not give one number a text: {error}") from error
    if given.shape != (len(texts),):
        raise BadArgument(f"the scorer gave numbers of shape {given.shape} for {len(texts)} texts — one number a text is needed")
    for number in given:
        if not math.isfinite(number) or not 0 <= round(number, DECIMALS) <= 1:
            raise BadArgument(f"the scorer gave {number}: a score is a number from 0 to 1 — `calibrated` brings any judge to that scale")
    return [abs(round(float(number), DECIMALS)) for number in given]
