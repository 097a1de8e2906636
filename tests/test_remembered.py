"""A search that asks another one once a question gives what that one gives."""

import pytest
from small_embedders import BagOfWords

from labkit.errors import BadArgument
from labkit.passages import Passage
from labkit.retrieval.dense_search import DenseSearch
from labkit.retrieval.hybrid_search import HybridSearch
from labkit.retrieval.passage_search import KeywordSearch
from labkit.retrieval.remembered import RememberedSearch

TEXTS = ["the kettle boils", "the kettle and the shed", "a shed of wood", "wood for the barbecue", "a wooden spoon"]


def passages(access="public"):
    return [Passage(f"d@v1#{number}", "d", "1", access, "en", (), 0, len(text), text, "") for number, text in enumerate(TEXTS)]


class Words(BagOfWords):
    def embed_query(self, text):
        return self.embed([text])[0]


class Counting(KeywordSearch):
    asked = 0

    def hits(self, text, k=5):
        self.asked += 1
        return super().hits(text, k)


@pytest.mark.parametrize(("ks", "asked"), [((3, 3, 1), 1), ((1, 3), 2), ((0, 5, 2), 2), ((5, 4, 6, 6), 2)])
def test_it_gives_what_the_other_gives_and_asks_for_no_result_twice(ks, asked):
    search = Counting(passages())
    remembered = RememberedSearch(search)
    for k in ks:
        hits = remembered.hits("kettle shed wood", k)
        assert hits == search.index.search("kettle shed wood", k)
        assert [passage.id for passage in remembered("kettle shed wood", k)] == [hit.id for hit in hits]
    assert search.asked == asked


@pytest.mark.parametrize("search", [KeywordSearch(passages()), DenseSearch(passages(), Words())], ids=["words", "meaning"])
def test_the_index_can_be_asked(search):
    assert RememberedSearch(search).index is search.index


def test_one_question_is_asked_once():
    search = Counting(passages())
    remembered = RememberedSearch(search)
    for _ in range(3):
        remembered("shed", 4)
        remembered.hits("shed", 2)
    assert search.asked == 1
    remembered("shed", 5)
    assert search.asked == 2


def test_in_a_hybrid_search_it_is_the_search_itself():
    words, meaning = KeywordSearch(passages()), DenseSearch(passages(), Words())
    plain = HybridSearch([words, meaning])
    kept = HybridSearch([RememberedSearch(words), RememberedSearch(meaning)])
    for text in ("kettle", "wood and shed", "", "nothing of it"):
        assert kept.hits(text, 4) == plain.hits(text, 4) and kept(text, 4) == plain(text, 4)
    assert kept.access == "staff" and kept.passages == plain.passages


def test_errors_come_through_and_are_not_kept():
    remembered = RememberedSearch(KeywordSearch(passages()))
    for bad in (None, 5, ["shed"]):
        with pytest.raises(BadArgument):
            remembered.hits(bad, 3)
    with pytest.raises(BadArgument):
        remembered.hits("shed", -1)
    assert remembered.hits("shed", 1)
    with pytest.raises(BadArgument, match="KeywordSearch"):
        RememberedSearch(lambda text, k: [])
