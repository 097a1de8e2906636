"""labkit: the support module of the retrieval workbook. The names below are what the lessons import; the rest is how they are made.

Names load on first use, so that `labkit --help` does not wait for pandas.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "1.0"

_WHERE = {
    "Document": "labkit.collection",
    "load_inventory": "labkit.collection",
    "Question": "labkit.questions",
    "load_questions": "labkit.questions",
    "check_questions": "labkit.validation",
    "Passage": "labkit.passages",
    "Section": "labkit.sections",
    "split_sections": "labkit.sections",
    "parse": "labkit.parsing.reading",
    "read_mineru": "labkit.parsing.mineru",
    "Chunk": "labkit.chunking.chunk",
    "fixed": "labkit.chunking.windows",
    "overlapping": "labkit.chunking.windows",
    "by_structure": "labkit.chunking.structure",
    "Parent": "labkit.hierarchy.parents",
    "parents": "labkit.hierarchy.parents",
    "Child": "labkit.hierarchy.children",
    "children": "labkit.hierarchy.children",
    "bm25": "labkit.retrieval",
    "KeywordIndex": "labkit.retrieval.keyword",
    "words": "labkit.retrieval.keyword",
    "match_expression": "labkit.retrieval.keyword",
    "KeywordSearch": "labkit.retrieval.passage_search",
    "section_search": "labkit.retrieval.passage_search",
    "load_embedder": "labkit.embedding.models",
    "CachedEmbedder": "labkit.embedding.cached",
    "VectorStore": "labkit.retrieval.vector_store",
    "VectorIndex": "labkit.retrieval.vectors",
    "CollectionVectors": "labkit.retrieval.collection_vectors",
    "DenseSearch": "labkit.retrieval.dense_search",
    "HybridSearch": "labkit.retrieval.hybrid_search",
    "reciprocal_rank_fusion": "labkit.retrieval.fusion",
    "min_max_sum": "labkit.retrieval.fusion",
    "z_score_sum": "labkit.retrieval.fusion",
    "expand_to_parents": "labkit.retrieval.expanding",
    "ParentSearch": "labkit.retrieval.expanding",
    "rerank": "labkit.retrieval.reranking.judging",
    "judge": "labkit.retrieval.reranking.judging",
    "RerankedSearch": "labkit.retrieval.reranking.judging",
    "CrossEncoder": "labkit.retrieval.reranking.cross_encoder",
    "MaxSim": "labkit.retrieval.reranking.maxsim",
    "rarity_in": "labkit.retrieval.reranking.maxsim",
    "WordVectors": "labkit.retrieval.reranking.token_vectors",
    "SentenceVectors": "labkit.retrieval.reranking.token_vectors",
    "PieceVectors": "labkit.retrieval.reranking.token_vectors",
    "KNRM": "labkit.retrieval.reranking.kernels",
    "tuning_examples": "labkit.retrieval.reranking.training",
    "calibrated": "labkit.retrieval.reranking.calibration",
    "feedback": "labkit.retrieval.query_expansion",
    "FeedbackSearch": "labkit.retrieval.query_expansion",
    "ExpandedSearch": "labkit.retrieval.query_expansion",
    "SubQuerySearch": "labkit.retrieval.query_expansion",
    "sub_queries": "labkit.retrieval.sub_queries",
    "Thesaurus": "labkit.retrieval.thesaurus",
    "load_thesaurus": "labkit.retrieval.thesaurus",
    "evaluate": "labkit.evaluation.metrics",
    "summarise": "labkit.evaluation.metrics",
    "within_budget": "labkit.evaluation.budget",
    "evaluate_at_budgets": "labkit.evaluation.budget",
    "interval": "labkit.evaluation.significance",
    "compare": "labkit.evaluation.significance",
    "compare_family": "labkit.evaluation.significance",
    "questions_needed": "labkit.evaluation.power",
    "CollectionIndex": "labkit.retrieval.collection_index",
    "why_missed": "labkit.evaluation.attribution",
    "Scoreboard": "labkit.evaluation.scoreboard",
    "explore": "labkit.show.explorer",
    "make_report": "labkit.own.reporting",
    "lesson": "labkit.lessons.session",
}
__all__ = sorted([*_WHERE, "__version__"])


def __getattr__(name: str):
    if name not in _WHERE:
        raise AttributeError(f"labkit has no {name!r}; its public names: {', '.join(sorted(_WHERE))}")
    module = import_module(_WHERE[name])
    # `bm25` is a module of its own: the lessons write bm25.rarity(N, n)
    value = import_module("labkit.retrieval.bm25") if name == "bm25" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
