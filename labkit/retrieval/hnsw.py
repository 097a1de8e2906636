"""A graph of near neighbours (HNSW): a search that looks at a few hundred rows of a hundred thousand, and may miss one (lesson 12).

Each row is tied to M others near it, on layers that get sparser upwards; a search walks from neighbour to nearer neighbour. Exact search
(labkit.retrieval.vectors) is the yardstick: `recall_against_exact` says how much of its first ten the graph finds.

Needs `pip install 'labkit[hnsw]'`. Source: Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search using
Hierarchical Navigable Small World graphs", 2018; the program is faiss.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from labkit.errors import BadArgument, LabError
from labkit.retrieval.keyword import Hit
from labkit.retrieval.scoring import whole_k
from labkit.retrieval.vectors import VectorIndex, nearest_first, similarities
from labkit.textfiles import quoted

_FROM_1 = 0.01  # how far from 1 the length of a row may be: numbers of 16 bits are that coarse


class HnswIndex:
    """A graph over rows that are there already; nothing is added later. Lesson 12.

    ids: one a row, all different. rows: shape (ids, dimensions), each of length 1, so that the inner product is the cosine. M: neighbours
    of a row. ef_construction, ef_search: how many candidates are kept in view while building and while searching (no fewer than k).
    Built on one thread, so that the same rows give the same graph. Raises BadArgument for what does not fit, LabError without faiss.
    """

    def __init__(self, ids: Sequence[str], rows: np.ndarray, M: int = 32, ef_construction: int = 200, ef_search: int = 64):  # noqa: N803
        try:
            import faiss
        except ImportError as error:
            raise LabError("faiss is not installed — pip install 'labkit[hnsw]' brings it; exact search needs nothing") from error
        self.ids = list(ids)
        rows = np.ascontiguousarray(_numbers(rows, "rows"))
        if rows.ndim != 2 or len(rows) != len(self.ids) or len(set(self.ids)) != len(self.ids):
            raise BadArgument(f"{len(self.ids)} ids and rows of shape {rows.shape}: one row for each id is needed, and no id twice")
        _check_lengths(rows, "a row")
        for name, value, least in (("M", M, 2), ("ef_construction", ef_construction, 1), ("ef_search", ef_search, 1)):
            if whole_k(value, name) < least:
                raise BadArgument(f"{name} is {value}; {least} or more is needed")
        self.M, self.ef_construction, self.ef_search = M, ef_construction, ef_search
        self._place = {id_: place for place, id_ in enumerate(self.ids)}
        self._graph = faiss.IndexHNSWFlat(max(rows.shape[1], 1), M, faiss.METRIC_INNER_PRODUCT)
        self._graph.hnsw.efConstruction = ef_construction
        self.rows = rows
        threads = faiss.omp_get_max_threads()
        faiss.omp_set_num_threads(1)
        try:
            if len(rows):
                self._graph.add(rows)
        finally:
            faiss.omp_set_num_threads(threads)

    @classmethod
    def of(cls, index: VectorIndex, **settings: int) -> HnswIndex:
        """The graph of what a VectorIndex can find."""
        return cls(*index.rows(), **settings)

    def nearest(self, row: np.ndarray, k: int = 5) -> list[Hit]:
        """The k nearest rows that the walk finds, best first; scores and order as VectorIndex gives them. [] for a row of zeros."""
        k = min(whole_k(k), len(self.ids))
        row = _numbers(row, "the question")
        if row.shape != (self.rows.shape[1],):
            raise BadArgument(f"the question has {row.shape} numbers, the rows have {self.rows.shape[1]} each")
        _check_lengths(row[None, :], "the question")
        if k == 0 or not row.any():
            return []
        self._graph.hnsw.efSearch = max(self.ef_search, k)
        _, found = self._graph.search(row[None, :], k)
        places = sorted((place for place in found[0].tolist() if place >= 0), key=lambda place: self.ids[place])
        scores = similarities(self.rows[places], row)
        order = list(nearest_first(scores, k)) if places else []
        return [Hit(self.ids[places[best]], float(scores[best]), rank) for rank, best in enumerate(order, start=1)]

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<HnswIndex, {len(self)} rows, M {self.M}, efConstruction {self.ef_construction}, efSearch {self.ef_search}>"


def recall_against_exact(graph: HnswIndex, questions: np.ndarray, k: int = 10) -> float:
    """The share of exact search's first k that the graph finds among its own, over all questions (rows of length 1). Lesson 12.

    A row that scores as high as the k-th exact one (to four decimals) is as good as it, so equal rows do not count as misses. A question
    of zeros has no nearest row, and is left out. Raises BadArgument where there is no question, nothing in the graph, or k is 0, and for
    questions that are no such rows.
    """
    questions = _numbers(questions, "the questions")
    questions = questions[questions.any(axis=1)] if questions.ndim == 2 else questions
    if whole_k(k) == 0 or questions.ndim != 2 or not len(questions) or not len(graph):
        raise BadArgument("recall needs k of 1 or more, at least one question, and at least one row in the graph")
    if questions.shape[1] != graph.rows.shape[1]:
        raise BadArgument(f"the questions have {questions.shape[1]} numbers each, the rows {graph.rows.shape[1]}")
    _check_lengths(questions, "a question")
    k = min(k, len(graph))
    found = 0
    for row in questions:
        last = np.partition(similarities(graph.rows, row), -k)[-k]
        found += sum(hit.score >= last for hit in graph.nearest(row, k))
    return found / (k * len(questions))


def _numbers(given: object, what: str) -> np.ndarray:
    try:
        return np.asarray(given, dtype=np.float32)
    except (TypeError, ValueError):
        raise BadArgument(f"{what} must be numbers, in rows of one length, not {quoted(given)}") from None


def _check_lengths(rows: np.ndarray, what: str) -> None:
    """The product of other rows is no cosine, and would rank without a word."""
    with np.errstate(over="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    if not np.isfinite(lengths).all():
        raise BadArgument(f"{what} holds what is no finite number")
    wrong = lengths[(lengths != 0) & (np.abs(lengths - 1) > _FROM_1)]
    if len(wrong):
        raise BadArgument(f"{what} has the length {wrong[0]:.4g}: length 1 is needed, or zeros alone (divide it by its length)")
