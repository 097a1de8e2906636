"""A search that asks another one once a question: trying eleven weights asks the same questions eleven times (lesson 12)."""

from __future__ import annotations

from labkit.errors import BadArgument
from labkit.passages import Passage
from labkit.retrieval.keyword import Hit, KeywordIndex
from labkit.retrieval.passage_search import PassageSearch
from labkit.retrieval.scoring import whole_k
from labkit.retrieval.search_over import SearchOver
from labkit.retrieval.vectors import VectorIndex


class RememberedSearch(SearchOver):
    """The results of a KeywordSearch or DenseSearch, kept in memory by question. Lesson 12.

    What was found for a larger k serves a smaller one too; a larger one is asked anew. Errors come through and are not kept.
    Raises BadArgument for a search that is none of these: only they are sure to find the same each time.
    """

    search: PassageSearch

    def __init__(self, search: PassageSearch):
        if not isinstance(search, PassageSearch):
            raise BadArgument(f"a KeywordSearch or a DenseSearch is needed, not {search!r}")
        super().__init__(search)
        self._kept: dict[str, tuple[int, list[Hit]]] = {}

    def hits(self, text: str, k: int = 5) -> list[Hit]:
        """As the other search gives them."""
        k = whole_k(k)
        depth, hits = self._kept.get(text, (-1, [])) if isinstance(text, str) else (-1, [])
        if k > depth:
            depth, hits = self._kept[text] = k, self.search.hits(text, k)
        return hits[:k]

    @property
    def index(self) -> KeywordIndex | VectorIndex:
        """The other search's index."""
        return self.search.index

    def __call__(self, text: str, k: int = 5) -> list[Passage]:
        return [self.search.passage(hit.id) for hit in self.hits(text, k)]

    def passage(self, passage_id: str) -> Passage:
        """As the other search gives it."""
        return self.search.passage(passage_id)

    def __repr__(self) -> str:
        return f"<remembered: {self.search!r}>"
