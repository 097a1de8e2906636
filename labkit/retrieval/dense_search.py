"""A search by meaning for one reader: question in, the passages that lie nearest to it out (lesson 12)."""

from __future__ import annotations

from collections.abc import Iterable

from labkit.collection import Document
from labkit.embedding.embedder import Embedder
from labkit.errors import BadArgument
from labkit.passages import Passage
from labkit.retrieval.keyword import Hit
from labkit.retrieval.passage_search import PassageSearch
from labkit.retrieval.vectors import VectorIndex


class DenseSearch(PassageSearch):
    """A search by meaning over passages for one reader: `search(text, k)` gives the k nearest passages, in rank order. Lesson 12.

    What it takes and has: see PassageSearch; `search.index` is the VectorIndex, in memory. embedder: an Embedder; a CachedEmbedder with a
    VectorStore makes the second search over the same texts start at once. context: embed what a passage carries before its text (the
    document's title, a child's heading path) along with it; False: the text alone.

    It always finds k passages where there are as many, also for a question that none of them answers.
    """

    kind = "dense search"

    def __init__(
        self,
        passages: Iterable[Passage],
        embedder: Embedder,
        *,
        access: str = "staff",
        editions: Iterable[tuple[str, str]] | None = None,
        context: bool = True,
        not_read: Iterable[Document] = (),
    ):
        if not isinstance(context, bool):
            raise BadArgument(f"context must be True or False, not {context!r}")
        super().__init__(passages, access=access, editions=editions, not_read=not_read)
        self.embedder, self.context = embedder, context
        self.index = VectorIndex(embedder=embedder)
        self.index.add((passage.id, passage.passage if context else passage.text) for passage in self.passages)

    def hits(self, text: str, k: int = 5) -> list[Hit]:
        """Ids with scores (the cosine) and ranks, best first. Errors as VectorIndex.search."""
        return self.index.search(text, k)
