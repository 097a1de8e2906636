"""Searches by meaning, by both, and the choice of a weight."""

import numpy as np
import pytest
from evaluation_cases import question as gold_question
from hypothesis import given
from hypothesis import strategies as st
from small_embedders import BagOfWords

from labkit.embedding.cached import CachedEmbedder
from labkit.embedding.models import load_embedder
from labkit.errors import BadArgument
from labkit.evaluation.metrics import evaluate
from labkit.evaluation.tuning import WEIGHTS, tune, two_weights
from labkit.passages import Passage
from labkit.retrieval.collection_index import CollectionIndex
from labkit.retrieval.dense_search import DenseSearch
from labkit.retrieval.fusion import min_max_sum, reciprocal_rank_fusion, z_score_sum
from labkit.retrieval.hybrid_search import HybridSearch
from labkit.retrieval.passage_search import KeywordSearch
from labkit.retrieval.vector_store import VectorStore


class Words(BagOfWords):
    def embed_query(self, text):
        return self.embed([text])[0]


def passage(id_, text, context="", access="public", doc_id="d", version="1"):
    fields = {"doc_id": doc_id, "version": version, "access": access, "language": "en", "sections": (id_,), "context": context}
    return Passage.cut(text, 0, len(text), id=id_, **fields)


PASSAGES = [
    passage("kettle", "kettle kettle refund", "Kitchen"),
    passage("care", "kettle care", "Kitchen"),
    passage("refund", "refund window", "Money"),
    passage("secret", "refund kettle limit", "Staff", access="staff"),
    passage("empty", "…", "…"),
]


def ids(results) -> list[str]:
    return [result.id for result in results]


def test_dense_search_gives_passages_nearest_first():
    search = DenseSearch(PASSAGES, Words())
    assert ids(search("kitchen kettle care", 2)) == ["care", "kettle"]
    assert search("kettle", 1) == [search.passage(search.hits("kettle", 1)[0].id)]
    assert (search("", 5), search("kettle", 0)) == ([], [])
    assert repr(search) == "<dense search over 5 passages, reader: staff>"


def test_with_and_without_what_stands_above_the_text():
    assert ids(DenseSearch(PASSAGES, Words())("money", 1)) == ["refund"]
    without = DenseSearch(PASSAGES, Words(), context=False)
    assert {hit.score for hit in without.hits("money", 5)} == {0.0}
    with pytest.raises(BadArgument, match="context"):
        DenseSearch(PASSAGES, Words(), context="no")


def test_staff_text_is_not_even_embedded_for_the_public():
    embedder = Words()
    search = DenseSearch(PASSAGES, embedder, access="public", editions=[("d", "1")])
    assert sorted(ids(search("refund kettle limit", 9))) == ["care", "empty", "kettle", "refund"]
    assert not any("limit" in text for texts in embedder.asked[:1] for text in texts)
    assert ids(search.given) == ids(PASSAGES) and not search.allows(PASSAGES[3])
    with pytest.raises(BadArgument, match="the reader is one of"):
        DenseSearch(PASSAGES, Words(), access="Public")
    with pytest.raises(BadArgument, match="two passages"):
        DenseSearch([*PASSAGES, PASSAGES[0]], Words())


def test_the_second_search_over_the_same_texts_starts_at_once(tmp_path):
    with VectorStore(tmp_path / "v.db") as store:
        DenseSearch(PASSAGES, CachedEmbedder(Words(), store))
    with VectorStore(tmp_path / "v.db") as store:
        search = DenseSearch(PASSAGES, CachedEmbedder(again := Words(), store))
        assert again.asked == []
        assert ids(search("refund window money", 1)) == ["refund"]


# ---------------------------------------------------------------------- both


def test_hybrid_fuses_what_both_find():
    by_words, by_meaning = KeywordSearch(PASSAGES), DenseSearch(PASSAGES, Words())
    hybrid = HybridSearch([by_words, by_meaning])
    for text in ("refund", "kettle care", "money"):
        fused = reciprocal_rank_fusion([by_words.hits(text, 50), by_meaning.hits(text, 50)])
        assert hybrid.hits(text, 3) == fused[:3]
        assert ids(hybrid(text, 3)) == ids(fused[:3])
    assert hybrid("refund", 0) == []
    assert ids(hybrid.passages) == ids(hybrid.given) == ids(PASSAGES)
    assert hybrid.access == "staff" and hybrid.allows(PASSAGES[3]) and hybrid.not_read == []


@pytest.mark.parametrize("fuse", [reciprocal_rank_fusion, min_max_sum, z_score_sum])
def test_all_the_weight_on_one_is_that_one(fuse):
    by_words, by_meaning = KeywordSearch(PASSAGES), DenseSearch(PASSAGES, Words())
    for weight, alone in ((0.0, by_words), (1.0, by_meaning)):
        hybrid = HybridSearch([by_words, by_meaning], fuse=fuse, weights=two_weights(weight))
        for text in ("refund kettle", "money window", "…"):
            assert hybrid(text, 5) == alone(text, 5)


def test_a_search_of_your_own_and_an_index_take_part(tmp_path):
    def mine(text, k):
        return PASSAGES[:k]

    assert ids(HybridSearch([mine, KeywordSearch(PASSAGES)])("window", 1)) == ["refund"]
    with pytest.raises(BadArgument, match="has no score"):  # ranks alone
        HybridSearch([mine], fuse=min_max_sum)("refund", 1)
    with CollectionIndex() as index:
        assert HybridSearch([index.as_search(), index.as_search()], fuse=z_score_sum)("refund", 3) == []


def test_depth_reaches_at_least_to_k():
    asked = []

    def deep(text, k):
        asked.append(k)
        return []

    HybridSearch([deep], depth=7)("x", 5)
    HybridSearch([deep], depth=7)("x", 12)
    assert asked == [7, 12]


def test_a_search_that_brings_more_than_it_is_asked_for_has_no_more_to_say():
    kettle, care, refund = PASSAGES[:3]
    found = HybridSearch([lambda text, k: [kettle, care], lambda text, k: [refund, care]], depth=1)("x", 1)
    assert ids(found) == ["kettle"]  # and not 'care', which stands second in both


def test_nor_has_one_with_scores():
    class Eager(KeywordSearch):
        def hits(self, text, k):
            return super().hits(text, k + 5)

    one, eager = (each(PASSAGES) for each in (KeywordSearch, Eager))
    assert len(eager.hits("kettle", 1)) > 1
    for fuse in (reciprocal_rank_fusion, min_max_sum):
        found, wanted = (HybridSearch([search], fuse=fuse, depth=1)("kettle", 5) for search in (eager, one))
        assert ids(found) == ids(wanted)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: HybridSearch([]), "a list of searches"),
        (lambda: HybridSearch(["bm25"]), "a list of searches"),
        (lambda: HybridSearch([KeywordSearch(PASSAGES)], weights=[1, 2]), "2 weights for 1 rankings"),
        (lambda: HybridSearch([KeywordSearch(PASSAGES), KeywordSearch(PASSAGES, access="public")]), "different readers"),
        (lambda: HybridSearch([KeywordSearch(PASSAGES)], depth=-1), "depth is -1"),
        (lambda: HybridSearch([KeywordSearch(PASSAGES), KeywordSearch([passage("care", "kettle cure")])])("kettle", 5), "two passages"),
    ],
)
def test_refused(call, said):
    with pytest.raises(BadArgument, match=said):
        call()


# ---------------------------------------------------------------------- Larkfield, with the real model


def test_what_meaning_finds_on_larkfield_and_words_do_not():
    """The two questions that cross languages, the two in other words; and the exact codes, which both find."""
    from labkit import load_inventory, load_questions, split_sections

    sections = [section for document in load_inventory() if document.format == "md" for section in split_sections(document)]
    chosen = {"Q05", "Q12", "Q13", "Q63"}
    questions = [question for question in load_questions() if question.id in chosen or question.kind == "exact-code"]
    searches = {"words": KeywordSearch(sections), "meaning": DenseSearch(sections, load_embedder("multilingual"))}
    found = {}
    for name, search in searches.items():
        rows = evaluate(questions, search, k=5)
        found[name] = (set(rows[rows.id.isin(chosen) & (rows.hit == 1)].id), rows[rows.kind == "exact-code"].hit.mean())
    assert found == {"words": (set(), 1.0), "meaning": (chosen, 1.0)}


# ---------------------------------------------------------------------- tuning


def question(id_, section):
    return gold_question(id_, *([] if section is None else [("d", section)]), text=id_)


def first(id_):
    return lambda text, k: [each for each in PASSAGES if each.id == id_][:k]


@pytest.mark.parametrize(
    ("kind", "good", "best"),
    [("one", [3], 3), ("three", [2, 3, 4], 3), ("two", [2, 3], 2), ("the edge", [0], 0), ("all", range(6), 2), ("none", [], 2)],
)
def test_the_middle_of_equally_good_values(kind, good, best):
    tuned = tune([question("q1", "care"), question("q2", None)], lambda value: first("care" if value in good else "kettle"), range(6))
    assert tuned.best == best
    assert tuned.table["value"].tolist() == list(range(6)) and set(tuned.table["n"]) == {1}
    assert tuned.table["hit"].tolist() == [float(value in good) for value in range(6)]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_no_value_of_the_grid_is_better(hits):
    questions = [question(f"q{number}", "care") for number in range(3)]

    def search_with(value):
        return lambda text, k: first("care" if int(text[1]) < hits[value] else "kettle")(text, k)

    tuned = tune(questions, search_with, range(len(hits)))
    assert hits[tuned.best] == max(hits)
    assert np.allclose(tuned.table["hit"], np.array(hits) / 3)


def test_the_weights_of_two():
    assert WEIGHTS[0] == 0 and WEIGHTS[-1] == 1 and len(WEIGHTS) == 11
    assert [two_weights(weight) for weight in (0.0, 0.3, 1.0)] == [[1.0, 0.0], [0.7, 0.3], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("questions", "options", "said"),
    [
        ([("q", "care")], {"grid": []}, "the grid is"),
        ([("q", "care")], {"grid": [1, 1]}, "the grid is"),
        ([("q", "care")], {"metric": "hits"}, "metric is 'hits'"),
        ([("q", None)], {}, "none of these questions"),
        ([("q", "care"), ("q", "care")], {}, "more than once"),
    ],
)
def test_tuning_on_nonsense_is_refused(questions, options, said):
    with pytest.raises(BadArgument, match=said):
        tune([question(*each) for each in questions], lambda value: first("care"), **options)
