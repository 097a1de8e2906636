"""Meaning beside words in a collection's index: brought up to date, filtered first, never half done."""

import pytest
from indexed_collections import check_whole, document, returns, till
from small_embedders import BagOfWords

from labkit.errors import BadArgument, IndexFileError
from labkit.retrieval.collection_index import CollectionIndex
from labkit.retrieval.collection_vectors import CollectionVectors
from labkit.retrieval.hybrid_search import HybridSearch


class Words(BagOfWords):
    def embed_query(self, text):
        return super().embed([text])[0]


def opened(tmp_path, documents, embedder=None):
    index = CollectionIndex(tmp_path / "i.db")
    index.update(documents)
    vectors = CollectionVectors(index, embedder or Words(256))
    vectors.update()
    return index, vectors


def found(results) -> list[str]:
    return [f"{each.document.doc_id}: {each.chunk.sections[0]}" for each in results]


def test_one_file_two_ways_of_searching(tmp_path):
    index, vectors = opened(tmp_path, [returns(tmp_path), till(tmp_path)])
    assert found(vectors.search("a parcel label", 1)) == ["returns: Cost"]
    both = HybridSearch([index.as_search("public"), vectors.as_search("public")])
    assert [chunk.sections[0] for chunk in both("a parcel label", 1)] == ["Cost"]
    assert vectors.search("", 5) == [] and vectors.search("label", 0) == []
    check_whole(index)


def test_the_public_never_meets_staff_text(tmp_path):
    _, vectors = opened(tmp_path, [returns(tmp_path), till(tmp_path)])
    assert found(vectors.search("kettle kettle secretword", 9)) == ["returns: Window", "returns: Cost"]
    assert found(vectors.search("kettle kettle secretword", 1, access="staff")) == ["till: Kettle"]
    search = vectors.as_search("public")
    assert {chunk.doc_id for chunk in search("kettle", 9)} == {"returns"} and search.number == 2
    with pytest.raises(BadArgument, match="reader"):
        vectors.search("kettle", access="everybody")


def test_filters_decide_before_ranking(tmp_path):
    french = document(tmp_path, "retours", "# Retours\n\n## Bouilloire\n\nkettle kettle\n", language="fr-CA")
    _, vectors = opened(tmp_path, [returns(tmp_path), french])
    assert found(vectors.search("kettle", 1, language="fr")) == ["retours: Bouilloire"]
    assert found(vectors.search("kettle", 1, language="en")) == ["returns: Window"]
    assert vectors.search("kettle", 5, as_of="2023-12-31") == vectors.search("kettle", 5, version="9") == []
    only = vectors.search("kettle", 5, allowed=lambda id_: False)
    assert only == []


def test_only_what_changed_is_embedded(tmp_path):
    index, vectors = opened(tmp_path, [returns(tmp_path), till(tmp_path)])
    embedder = vectors.vectors.embedder
    assert (vectors.update(), len(embedder.asked)) == (0, 1)
    index.update([returns(tmp_path, "forty"), till(tmp_path)])
    assert vectors.missing() > 0
    with pytest.raises(IndexFileError, match="not embedded yet"):
        vectors.search("kettle")
    changed = vectors.update()
    assert 0 < changed == sum(map(len, embedder.asked[1:])) < len(index)
    assert vectors.missing() == 0 and found(vectors.search("forty days", 1)) == ["returns: Window"]
    index.update([till(tmp_path)])
    assert vectors.search("kettle", 5) == []
    vectors.update()
    assert len(vectors.vectors) == vectors.vectors.count() == len(index)  # nothing is left of what is gone


def test_a_new_title_is_embedded_again(tmp_path):
    index, vectors = opened(tmp_path, [returns(tmp_path)])
    before = {chunk.id for chunk in index.chunks()}
    index.update([returns(tmp_path, title="Sending things home")])
    assert {chunk.id for chunk in index.chunks()} == before and vectors.missing() == 2  # another text under the same id
    with pytest.raises(IndexFileError, match="2 chunks are not embedded yet"):
        vectors.search("kettle")
    assert vectors.update() == 2 and vectors.missing() == 0
    assert vectors.search("sending things", 1)[0].score > 0


def test_another_process_changes_the_index(tmp_path):
    _, vectors = opened(tmp_path, [returns(tmp_path)])
    with CollectionIndex(tmp_path / "i.db") as other:
        other.update([returns(tmp_path, title="Sending things home")])
        with pytest.raises(IndexFileError, match="not embedded yet"):
            vectors.search("kettle")
        with CollectionVectors(other, Words(256)) as its:
            its.update()
    assert vectors.missing() == 0 and len(vectors.search("kettle", 5)) == 2


def test_opened_again_nothing_is_embedded(tmp_path):
    documents = [returns(tmp_path)]
    index, vectors = opened(tmp_path, documents)
    first = vectors.search("parcel label", 5)
    vectors.close()
    vectors.close()
    index.close()
    index, vectors = opened(tmp_path, documents, again := Words(256))
    assert again.asked == [] and vectors.search("parcel label", 5) == first


def test_in_memory(tmp_path):
    with CollectionIndex() as index, CollectionVectors(index, Words(256)) as vectors:
        index.update([returns(tmp_path)])
        assert vectors.update() == len(index) == 2
        assert found(vectors.search("label", 1)) == ["returns: Cost"]


def test_refused(tmp_path):
    with pytest.raises(BadArgument, match="a CollectionIndex"):
        CollectionVectors("i.db", Words())
    _, vectors = opened(tmp_path, [returns(tmp_path)])
    for options in ({"k": -1}, {"as_of": "yesterday"}, {"language": "%"}, {"allowed": 3}):
        with pytest.raises(BadArgument):
            vectors.search("kettle", **options)
