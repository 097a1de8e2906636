"""Several searches, one ranking: by words, by meaning, or whatever else finds passages (lesson 12)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from labkit.errors import BadArgument
from labkit.passages import Passage
from labkit.retrieval.fusion import reciprocal_rank_fusion
from labkit.retrieval.keyword import Hit
from labkit.retrieval.scoring import whole_k

DEPTH = 50
"""How many results of each search are fused; more where more are asked for."""


class HybridSearch:
    """`search(text, k)` asks each of `searches` and fuses what they find. Lesson 12.

    searches: two or more, for one and the same reader (a KeywordSearch, a DenseSearch, an index's as_search(), or any search(text, k) ->
    passages; the last kind has no scores, which only reciprocal_rank_fusion does without). fuse: a function of labkit.retrieval.fusion.
    weights: one a search. depth: how many results of each are fused, at least k.

    `search.passages` and `search.given`: as KeywordSearch has them, of all its searches together.
    Raises BadArgument where searches serve different readers, or one id stands for two passages.
    """

    def __init__(
        self,
        searches: Iterable[Callable[[str, int], Sequence]],
        *,
        fuse: Callable[..., list[Hit]] = reciprocal_rank_fusion,
        weights: Sequence[float] | None = None,
        depth: int = DEPTH,
    ):
        self.searches = list(searches)
        if not self.searches or not all(map(callable, self.searches)):
            raise BadArgument("a list of searches is needed, each callable as search(text, k)")
        self.fuse, self.weights, self.depth = fuse, None if weights is None else list(weights), whole_k(depth, "depth")
        fuse([[] for _ in self.searches], weights=self.weights)  # a weight too many shows itself now, not with the first question
        readers = {search.access for search in self.searches if hasattr(search, "access")}
        if len(readers) > 1:
            raise BadArgument(f"the searches serve different readers ({', '.join(sorted(readers))}) — one list of results has one reader")
        if readers:
            (self.access,) = readers

    def hits(self, text: str, k: int = 5) -> list[Hit]:
        """Ids with fused scores and ranks, best first."""
        return self._fused(text, k)[0]

    def __call__(self, text: str, k: int = 5) -> list[Passage]:
        hits, found = self._fused(text, k)
        return [found[hit.id] for hit in hits]

    def _fused(self, text: str, k: int) -> tuple[list[Hit], dict[str, Passage]]:
        k = whole_k(k)
        if k == 0:
            return [], {}
        found: dict[str, Passage] = {}
        rankings = []
        for search in self.searches:
            ranking, passages = asked(search, text, max(k, self.depth))
            for passage in passages:
                if found.setdefault(passage.id, passage) != passage:
                    raise BadArgument(f"the searches have two passages with the id {passage.id!r} — search the same passages with each")
            rankings.append(ranking)
        return self.fuse(rankings, weights=self.weights)[:k], found

    def allows(self, passage: Passage) -> bool:
        """Whether any of the searches may bring the passage; one that does not say so may."""
        return any(not hasattr(search, "allows") or search.allows(passage) for search in self.searches)

    @cached_property
    def passages(self) -> list[Passage]:
        """What is searched, each passage once, in the order given."""
        return self._together("passages")

    @cached_property
    def given(self) -> list[Passage]:
        """Everything that was given."""
        return self._together("given")

    @cached_property
    def not_read(self) -> list:
        """Documents of which none of the searches reads anything."""
        lists = [list(getattr(search, "not_read", [])) for search in self.searches]
        return [document for document in lists[0] if all(document in other for other in lists[1:])]

    def _together(self, name: str) -> list[Passage]:
        found: dict[str, Passage] = {}
        for search in self.searches:
            for passage in getattr(search, name, []):
                found.setdefault(passage.id, passage)
        return list(found.values())

    def __repr__(self) -> str:
        return f"<hybrid search of {len(self.searches)}: {', '.join(map(repr, self.searches))}>"


def asked(search: Callable[[str, int], Sequence], text: str, k: int) -> tuple[list, list[Passage]]:
    """What a search finds, as a ranking (with scores where it has some) and as passages: k of them at most, though it brings more."""
    if hasattr(search, "hits") and hasattr(search, "passage"):
        hits = list(search.hits(text, k))[:k]
        return hits, [search.passage(hit.id) for hit in hits]
    if hasattr(search, "found"):
        results = list(search.found(text, k))[:k]
        return results, [result.chunk for result in results]
    passages = list(search(text, k))[:k]
    return passages, passages
