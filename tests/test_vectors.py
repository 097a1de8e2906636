"""Rows in an index's file: exact search beside brute force, changes, several models, files shared with the text, damage."""

import sqlite3

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from small_embedders import BagOfWords

from labkit.embedding.cached import CachedEmbedder, content_of
from labkit.errors import BadArgument, IndexFileError
from labkit.retrieval.collection_index import CollectionIndex
from labkit.retrieval.hnsw import HnswIndex, recall_against_exact
from labkit.retrieval.keyword import Hit, KeywordIndex
from labkit.retrieval.vector_store import VectorStore, disposable
from labkit.retrieval.vectors import VectorIndex, nearest_first, similarities


class Words(BagOfWords):
    """BagOfWords with questions, and a name of its own choice."""

    def __init__(self, name: str = "words", dimensions: int = 64):
        super().__init__(dimensions)
        self.name = name

    def embed_query(self, text):
        return super().embed([text])[0]


TEXTS = {"a": "kettle kettle refund", "b": "kettle care", "c": "refund window", "d": "refund window", "e": "", "f": "garden hose"}


def built(texts=TEXTS, path=":memory:", embedder=None) -> VectorIndex:
    index = VectorIndex(path, embedder or Words())
    index.add(texts.items())
    return index


def ids(hits) -> list[str]:
    return [hit.id for hit in hits]


def test_nearest_first_ties_by_id_and_no_row_of_zeros():
    index = built()
    assert index.search("refund window", 3) == [Hit("c", 1.0, 1), Hit("d", 1.0, 2), Hit("a", 0.3162, 3)]
    assert ids(index.search("refund window", 99)) == ["c", "d", "a", "b", "f"]  # everything else, at 0, by id; never the empty text
    assert len(index) == 6


@pytest.mark.parametrize("query", ["", " ", "\n"])
def test_a_question_without_meaning_finds_nothing(query):
    assert built().search(query, 5) == []


def test_an_empty_index():
    index = VectorIndex(embedder=Words())
    assert (len(index), index.search("kettle"), index.rows()[0]) == (0, [], [])
    index.add([("e", "")])
    assert (len(index), index.search("kettle")) == (1, [])
    index.add([])
    index.remove([])


def test_a_filter_takes_no_place_and_no_rank():
    asked = []
    index = built({f"s{n:03}": "refund window" for n in range(60)} | {"z1": "refund", "z2": "window"})
    found = index.search("refund window", 2, lambda id_: asked.append(id_) or id_.startswith("z"))
    assert [(hit.id, hit.rank) for hit in found] == [("z1", 1), ("z2", 2)]
    assert asked == sorted(asked) and len(asked) == 62  # in rank order, each once


words = st.sampled_from(["kettle", "refund", "window", "garden", "hose", "care", "fee", "day"])
texts = st.dictionaries(st.text(min_size=1, max_size=3, alphabet="abxyé"), st.lists(words, max_size=5).map(" ".join), max_size=12)


@settings(max_examples=60, deadline=None)
@given(texts, st.lists(words, max_size=4).map(" ".join), st.integers(0, 15))
def test_equal_to_brute_force(given_, query, k):
    embedder = Words()
    row = embedder.embed_query(query).astype(float)
    every = [(round(float(embedder.embed([text])[0].astype(float) @ row), 4), id_) for id_, text in given_.items() if text]
    expected = [id_ for _, id_ in sorted(every, key=lambda pair: (-pair[0], pair[1]))][:k] if query else []
    with built(given_) as index:
        assert ids(index.search(query, k)) == expected


@given(st.lists(st.integers(0, 5), max_size=40), st.integers(1, 50))
def test_places_come_in_order_each_once(scores, first):
    scores = np.array(scores, float)
    assert list(nearest_first(scores, first)) == sorted(range(len(scores)), key=lambda place: (-scores[place], place))


def test_noise_in_the_seventh_digit_changes_nothing():
    """What another processor's way of adding does."""
    chance = np.random.default_rng(5)
    matrix = chance.normal(size=(200, 64)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix[100:] = matrix[:100]  # equal texts, which noise would put in any order
    row = matrix[7]
    plain = similarities(matrix, row)
    noisy = similarities(matrix * (1 + 3e-7 * chance.normal(size=matrix.shape)).astype(np.float32), row)
    assert list(nearest_first(plain, 200))[:2] == list(nearest_first(noisy, 200))[:2] == [7, 107]
    assert np.abs(plain - noisy).max() <= 1.0001e-4
    assert plain.max() == 1.0 and not np.signbit(similarities(matrix[:1], np.zeros(64, np.float32)))[0]


# ---------------------------------------------------------------------- changes


def test_an_id_gets_the_new_text_and_the_old_row_goes():
    index = built()
    index.add([("a", "garden hose"), ("a", "fee")])
    assert ids(index.search("fee", 1)) == ["a"]
    index.remove(["b", "c", "nobody"])
    index.remove(["b"])
    assert ids(index.search("refund window", 1)) == ["d"]  # d means what c meant: its row stays
    assert len(index) == 4
    kept = {content for (content,) in index._ask("SELECT content FROM vectors")}
    assert kept == {content_of(text) for text in ("fee", "refund window", "", "garden hose")}


def test_all_or_nothing():
    index = built()
    with pytest.raises(BadArgument):
        index.add([("new", "kettle"), ("", "kettle")])
    index._database.execute("CREATE TRIGGER stop BEFORE INSERT ON embedded WHEN new.id = 'y' BEGIN SELECT raise(ABORT, 'stopped'); END")
    with pytest.raises(IndexFileError, match="stopped"):
        index.add([("a", "changed"), ("y", "new")])
    assert len(index) == 6 and ids(index.search("kettle refund", 1)) == ["a"]


class Changes(RuleBasedStateMachine):
    """Whatever is added, replaced and removed: search is what a fresh index of the same texts gives."""

    def __init__(self):
        super().__init__()
        self.index, self.texts = VectorIndex(embedder=Words()), {}

    @rule(new=texts)
    def add(self, new):
        self.index.add(new.items())
        self.texts |= new

    @rule(gone=st.sets(st.text(min_size=1, max_size=2, alphabet="abxyé")))
    def remove(self, gone):
        self.index.remove(gone)
        self.texts = {id_: text for id_, text in self.texts.items() if id_ not in gone}

    @invariant()
    def as_if_made_now(self):
        with built(self.texts) as fresh:
            assert self.index.search("kettle refund", 50) == fresh.search("kettle refund", 50)
            assert len(self.index) == len(self.texts)
            assert self.index.count() == fresh.count() == len(set(self.texts.values()))


TestChanges = Changes.TestCase
TestChanges.settings = settings(max_examples=25, stateful_step_count=8, deadline=None)


# ---------------------------------------------------------------------- files


def test_the_second_run_embeds_nothing(tmp_path):
    first, again = Words(), Words()
    built(path=tmp_path / "i.db", embedder=first).close()
    assert sum(map(len, first.asked)) == 5  # c and d are one text
    with VectorIndex(tmp_path / "i.db", again) as index:
        assert ids(index.search("refund window", 2)) == ["c", "d"]
        index.add([*TEXTS.items(), ("g", "garden hose")])
        assert again.asked == [["refund window"]]  # the question alone


def test_a_cache_serves_other_searches(tmp_path):
    embedder = Words()
    with VectorStore(tmp_path / "v.db") as store:
        CachedEmbedder(embedder, store).embed(list(TEXTS.values()))
    with VectorStore(tmp_path / "v.db") as store:
        cached = CachedEmbedder(again := Words(), store)
        rows = cached.embed(["kettle care", "new", "kettle care"])
        assert again.asked == [["new"]] and cached.embedded == 1
        assert (rows == Words().embed(["kettle care", "new", "kettle care"])).all()
        assert store.count() == store.count("words") == 6
        store.forget("other")
        store.forget("words")
        assert store.count() == 0


def test_models_lie_side_by_side_and_never_mix(tmp_path):
    one, other = built(path=tmp_path / "i.db"), VectorIndex(tmp_path / "i.db", Words("other", 32))
    assert (len(one), len(other), other.search("kettle")) == (6, 0, [])
    other.add([("a", "kettle care")])
    assert (len(one), ids(other.search("kettle"))) == (6, ["a"])
    other.remove(["a"])
    assert ids(one.search("kettle care", 1)) == ["b"]


def test_another_connection_sees_the_change(tmp_path):
    one = built(path=tmp_path / "i.db")
    other = VectorIndex(tmp_path / "i.db", Words())
    assert ids(other.search("fee", 1)) != ["new"]
    one.add([("new", "fee")])
    assert ids(other.search("fee", 1)) == ["new"]


@pytest.mark.parametrize("text_first", [True, False])
def test_vectors_live_beside_the_text(tmp_path, text_first):
    place = tmp_path / "both.db"
    makers = [lambda: KeywordIndex(place), lambda: VectorIndex(place, Words())]
    for make in makers if text_first else reversed(makers):
        with make() as index:
            index.add(TEXTS.items())
    with KeywordIndex(place) as words_, VectorIndex(place, Words()) as meaning:
        assert ids(words_.search("hose")) == ["f"]
        assert ids(meaning.search("hose", 1)) == ["f"]
        assert (len(words_), len(meaning)) == (6, 6)
        words_.remove(["f"])
        assert ids(meaning.search("hose", 1)) == ["f"]  # each is told of its own changes


def test_in_a_stemmed_keyword_index_too(tmp_path):
    KeywordIndex(tmp_path / "s.db", stem=True).close()
    built(path=tmp_path / "s.db").close()
    with KeywordIndex(tmp_path / "s.db", stem=True) as index:
        assert len(index) == 0


def test_in_a_collections_index(tmp_path):
    CollectionIndex(tmp_path / "c.db").close()
    built(path=tmp_path / "c.db").close()
    with CollectionIndex(tmp_path / "c.db") as index, VectorStore(tmp_path / "c.db") as store:
        assert len(index) == 0 and store.count() == 5


def test_a_file_of_something_else_is_left_as_it_is(tmp_path):
    (tmp_path / "text.db").write_text("hello, this is no index, and it is long enough to have a head " * 3)
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE mine (x)")
    other.close()
    for name in ("text.db", "other.db"):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(IndexFileError, match="something else"):
            VectorIndex(tmp_path / name, Words())
        assert (tmp_path / name).read_bytes() == before
    with pytest.raises(IndexFileError, match="folder"):
        VectorStore(tmp_path)
    for path in ("", 5, "a\0b"):
        with pytest.raises(BadArgument, match="path"):
            VectorStore(path)


def test_missing_rows_and_other_lengths_are_told(tmp_path):
    index = built(path=tmp_path / "i.db")
    with pytest.raises(BadArgument, match="two models are called words"):
        CachedEmbedder(Words(dimensions=8), index).embed(["kettle care"])
    with pytest.raises(IndexFileError, match="not of 8 numbers"):
        VectorIndex(tmp_path / "i.db", Words(dimensions=8)).rows()
    index.forget()
    with pytest.raises(IndexFileError, match="add the texts again"):
        index.search("kettle")
    index.add(TEXTS.items())
    assert ids(index.search("kettle care", 1)) == ["b"]
    index.close()
    with pytest.raises(BadArgument, match="closed"):
        index.search("kettle")


@pytest.mark.parametrize(
    ("kind", "call", "said"),
    [
        ("no embedder", lambda index: VectorIndex(), "needs an embedder"),
        ("an embedder that is a name", lambda index: VectorIndex(embedder="multilingual"), "needs an embedder"),
        ("a text as pairs", lambda index: index.add("ab"), "pairs of id and text"),
        ("an empty id", lambda index: index.add([("", "x")]), "an id must be"),
        ("a text that is none", lambda index: index.add([("a", 5)]), "must be a string"),
        ("a single id", lambda index: index.remove("a"), "in brackets"),
        ("no text", lambda index: index.search(None), "a text is needed"),
        ("k below 0", lambda index: index.search("a", -1), "k is -1"),
        ("k no number", lambda index: index.search("a", 1.5), "k must be"),
        ("a filter that is none", lambda index: index.search("a", 1, "x"), "allowed must be"),
        ("a row of another model", lambda index: index.nearest(np.ones(3), 1), "numbers"),
    ],
)
def test_refused(kind, call, said):
    with pytest.raises(BadArgument, match=said):
        call(built())


def test_damaged_rows_are_told_and_made_anew(tmp_path):
    for damage in (np.full(64, np.nan, "<f4").tobytes(), b"abc", "text"):
        built(path=tmp_path / "i.db").close()
        with sqlite3.connect(tmp_path / "i.db") as database:
            database.execute("UPDATE vectors SET vector = ? WHERE content = ?", (damage, content_of("kettle care")))
        database.close()
        with VectorIndex(tmp_path / "i.db", Words()) as index:
            with pytest.raises(IndexFileError, match="damaged — add the texts again"):
                index.search("kettle")
            index.add(TEXTS.items())
            assert index.search("kettle care") == built().search("kettle care")


def test_a_cache_that_cannot_be_used_is_made_anew_and_one_in_use_is_left(tmp_path):
    place = tmp_path / "kept.db"
    with disposable(place) as store:
        store.keep("words", {number.to_bytes(32): bytes(256) for number in range(200)})
    whole = place.read_bytes()
    with disposable(place) as store:
        assert store.count() == 200
    scribbled = whole[:8_192] + b"\xff" * 9_000 + whole[17_192:]
    for damage in (b"no database, and long enough to look like something", whole[:5_000], scribbled, b""):
        place.write_bytes(damage)
        with disposable(place) as store:
            assert store.count() == 0 and store.fetch("words", [bytes(32)]) == {}
            store.keep("words", {bytes(32): bytes(256)})
    other = sqlite3.connect(place, isolation_level=None)
    other.execute("PRAGMA user_version = 99")
    other.close()
    with disposable(place) as store:
        assert store.count() == 0
    with pytest.raises(IndexFileError, match="folder"):
        disposable(tmp_path)


@pytest.mark.parametrize("row", [[np.nan, 1], [np.inf, 0], [3, 4], [1e300, 0], ["x", "y"], [1, 0, 0], None, [[1, 0], [0]]], ids=repr)
def test_a_row_that_no_cosine_comes_of_is_refused(row):
    odd, sound = Words(dimensions=2), VectorIndex(embedder=Words(dimensions=2))
    sound.add([("a", "kettle")])
    odd.embed, odd.embed_query = lambda texts: [row for _ in texts], lambda text: row
    for call in (lambda: built(embedder=odd), lambda: CachedEmbedder(odd).embed_query("x"), lambda: sound.nearest(row)):
        with pytest.raises(BadArgument, match="one row of 2 finite numbers for each, of length 1"):
            call()


@pytest.mark.parametrize(
    "rows", [np.ones((1, 3), np.float32), np.full((5, 64), np.nan, np.float32), np.ones((4, 64), np.float32), np.ones(64, np.float32)]
)
def test_an_embedder_that_gives_no_row_a_text_is_told(rows):
    embedder = Words()
    embedder.embed = lambda texts: rows
    with pytest.raises(BadArgument, match="finite numbers for each"):
        built(embedder=embedder)


def test_k_0_asks_nobody():
    assert built().search("kettle", 0, lambda id_: 1 / 0) == []


def test_nothing_is_read_as_sql():
    index = built({"x' OR 1=1 --": "kettle", "%": "refund", "; DROP TABLE vectors": "hose"})
    index.remove(["%"])
    assert ids(index.search("hose", 1)) == ["; DROP TABLE vectors"] and len(index) == 2


# ---------------------------------------------------------------------- a graph of neighbours


def made_rows(number: int, seed: int = 1) -> np.ndarray:
    chance = np.random.default_rng(seed)
    rows = chance.normal(size=(number, 32)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_the_graph_finds_what_exact_search_finds():
    pairs = zip("abcdefgh" * 5, "hgfeabcd" * 5, strict=True)
    index = built({f"t{number:02}": f"{word} {other}" for number, (word, other) in enumerate(pairs)})
    graph = HnswIndex.of(index)
    row = index.embedder.embed_query("a h")
    assert graph.nearest(row, 99) == index.nearest(row, 99)
    assert len(graph) == len(index) == 40


def test_recall_grows_with_the_candidates_in_view():
    ids_, rows, questions = [f"{n:05}" for n in range(3000)], made_rows(3000), made_rows(20, seed=2)
    narrow = HnswIndex(ids_, rows, M=4, ef_construction=8, ef_search=10)
    wide = HnswIndex(ids_, rows)
    low, high = recall_against_exact(narrow, questions), recall_against_exact(wide, questions)
    assert low < 0.7 < 0.9 < high <= 1
    assert (wide.M, wide.ef_construction, wide.ef_search) == (32, 200, 64)
    again = HnswIndex(ids_, rows, M=4, ef_construction=8, ef_search=10)
    assert [again.nearest(row, 10) for row in questions] == [narrow.nearest(row, 10) for row in questions]


def test_recall_by_hand():
    """A graph that walks nowhere: it gives the first rows, whatever is asked."""
    rows = np.eye(4, dtype=np.float32)
    graph = HnswIndex("abcd", rows)
    graph.nearest = lambda row, k: [Hit("a", float(row[0]), 1), Hit("b", float(row[1]), 2)]
    question = np.array([[0, 0.6, 0.8, 0]], np.float32)  # exact: c, then b
    assert recall_against_exact(graph, question, 2) == 0.5


def test_equal_rows_are_no_misses():
    graph = HnswIndex([f"{n:02}" for n in range(40)], np.tile(np.eye(2, dtype=np.float32), (20, 1)))
    assert recall_against_exact(graph, np.eye(2, dtype=np.float32), 5) == 1


def test_an_empty_graph_and_a_row_of_zeros():
    assert HnswIndex([], np.zeros((0, 3))).nearest(np.eye(3)[0], 5) == []
    assert HnswIndex(["a"], np.eye(1, 3)).nearest(np.zeros(3), 5) == []


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: HnswIndex(["a"], np.eye(2, 3)), "one row for each id"),
        (lambda: HnswIndex(["a", "a"], np.eye(2, 3)), "no id twice"),
        (lambda: HnswIndex(["a"], np.full((1, 3), np.nan)), "finite"),
        (lambda: HnswIndex(["a"], np.full((1, 3), 1e30)), "finite"),
        (lambda: HnswIndex(["a"], np.ones((1, 3))), "a row has the length 1.732: length 1 is needed"),
        (lambda: HnswIndex(["a", "b"], [[1.0], [1.0, 0.0]]), "rows must be numbers, in rows of one length"),
        (lambda: HnswIndex(["a"], np.eye(1, 3)).nearest("kettle"), "the question must be numbers"),
        (lambda: HnswIndex(["a"], np.eye(1, 3)).nearest(np.full(3, np.nan)), "the question holds what is no finite number"),
        (lambda: HnswIndex(["a"], np.eye(1, 3)).nearest(np.full(3, 7.0)), "the question has the length 12.12"),
        (lambda: recall_against_exact(HnswIndex(["a"], np.eye(1, 3)), np.eye(1, 4)), "4 numbers each, the rows 3"),
        (lambda: recall_against_exact(HnswIndex(["a"], np.eye(1, 3)), np.full((1, 3), np.nan)), "finite"),
        (lambda: recall_against_exact(HnswIndex(["a"], np.eye(1, 3)), np.zeros((2, 3))), "at least one question"),
        (lambda: HnswIndex(["a"], np.eye(1, 3), M=1), "M is 1"),
        (lambda: HnswIndex(["a"], np.eye(1, 3), ef_search=0), "ef_search is 0"),
        (lambda: HnswIndex(["a"], np.eye(1, 3)).nearest(np.ones(2)), "numbers"),
        (lambda: recall_against_exact(HnswIndex(["a"], np.eye(1, 3)), np.zeros((0, 3))), "at least one question"),
        (lambda: recall_against_exact(HnswIndex(["a"], np.eye(1, 3)), np.ones((1, 3)), 0), "k of 1"),
    ],
)
def test_a_graph_of_nonsense_is_refused(call, said):
    with pytest.raises(BadArgument, match=said):
        call()
