"""The keyword index: what people type, the order of results, changes, files."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import unicodedata
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from labkit.errors import BadArgument, IndexFileError
from labkit.lessons.content.worked_example import QUESTION, SECTIONS
from labkit.retrieval import bm25, indexfile, scoring
from labkit.retrieval.keyword import Hit, KeywordIndex, Posting, match_expression, words

anything = st.text(st.characters(exclude_categories=()), max_size=40)  # lone surrogates and NUL too
small_texts = st.lists(st.sampled_from(list("abcdefg")), max_size=10).map(" ".join)
small_questions = st.lists(st.sampled_from(list("abcdefgh")), max_size=8).map(" ".join)


def built(texts, **options) -> KeywordIndex:
    index = KeywordIndex(**options)
    index.add(texts.items() if isinstance(texts, dict) else ((f"t{number}", text) for number, text in enumerate(texts)))
    return index


def ids(hits) -> list[str]:
    return [hit.id for hit in hits]


def test_the_worked_example():
    index = built(SECTIONS)
    hits = index.search(QUESTION)
    assert [(hit.id, round(hit.score, 4), hit.rank) for hit in hits] == [
        ("A", 1.3808, 1),
        ("B", 1.0280, 2),
        ("C", 0.4336, 3),
        ("D", 0.4336, 4),
        ("E", 0.4114, 5),
    ]
    assert index.postings("Kettle") == [Posting("A", 2), Posting("B", 1)]
    assert len(index) == 8


# ---------------------------------------------------------------------- what people type

DOCUMENTS = {
    "leave": "Who's on leave? Titles of leave, and who is not.",
    "advice": "L’avis d’Adèle sur l’abonnement",
    "ubuntu": "Ubuntu 20.04 and the C language",
    "share": "A share of 50 % is kept",
    "clause": "Clause § 3.1 of the lease",
    "animals": "The fox, the dog",
    "greeting": "He said: hi",
    "code": "Bench BENCH-100821 for two",
    "codes": "Bench BENCH-100822 for two",
    "or": "a or b and near",
    "grammar": "grammar fa",
    "city": "İstanbul, user_id, 5µm",
    "french": unicodedata.normalize("NFC", "Garantie prolongée"),
    "francais": unicodedata.normalize("NFD", "prolongée encore"),
    "bare": "prolongee sans accent",
    "hidden": "re\u00adfund and re\ufefffund of an oﬃce chair, œuvre",
}


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("who's on leave", "leave"),
        ("l’avis d’Adèle", "advice"),
        ("l'avis d'adele", "advice"),
        ("ubuntu 20.04", "ubuntu"),
        ("C++", "ubuntu"),
        ("50 %", "share"),
        ("§ 3.1", "clause"),
        ("fox,dog", "animals"),
        ('say "hi"', "greeting"),
        ('"', None),
        ("(", None),
        ("*", None),
        ("^", None),
        ("fox*", "animals"),
        ("^fox", "animals"),
        ("co*", None),
        ("a + b", "or"),
        ("{a b} : c", "or"),
        ("fox' OR '' --; DROP TABLE passages", "animals"),
        ("AND", "or"),
        ("NOT fox", "animals"),
        ("a OR", "or"),
        ("NEAR", "or"),
        ("NEAR(fox dog, 2)", "animals"),
        ("text:fox", "animals"),
        ("title:leave", "leave"),
        ("grammar::fa", "grammar"),
        ("BENCH-100821", "code"),
        ("bench-100822?", "codes"),
        ("-fox", "animals"),
        ("what is it?", "share"),
        ("", None),
        ("   \t\n", None),
        ("...", None),
        ("😀", None),
        ("\u200b", None),
        ("\0", None),
        ("\ud800", None),
        ("fo\0x", None),
        ("the\0fox", "animals"),
        ("dog\ud800fox", "animals"),
        ("İstanbul", "city"),
        ("ISTANBUL", "city"),
        ("user_id", "city"),
        ("5μm", "city"),
        ("refund", "hidden"),
        ("re\u200bfund", "hidden"),
        ("office", "hidden"),
        ("oﬃce", "hidden"),
        ("OEUVRE", "hidden"),
    ],
)
def test_what_people_type(query, first):
    hits = built(DOCUMENTS).search(query)
    assert (hits[0].id if hits else None) == first


@pytest.mark.parametrize(
    "query", [unicodedata.normalize("NFC", "prolongée"), unicodedata.normalize("NFD", "prolongée"), "prolongee", "PROLONGÉE"]
)
def test_composed_decomposed_and_bare_find_each_other(query):
    assert sorted(ids(built(DOCUMENTS).search(query))) == ["bare", "francais", "french"]


@pytest.mark.parametrize("word", ["fox", "the", "İstanbul"])
def test_a_query_word_can_be_typed_in_any_case(word):
    index = built(DOCUMENTS)
    assert index.search(word) == index.search(word.lower()) == index.search(word.upper()) != []


@settings(deadline=None)
@given(st.lists(anything, max_size=4), anything)
def test_any_text_can_be_stored_and_asked(texts, query):
    index = built(texts)
    hits = index.search(query, k=10)
    asked = set(words(query))
    assert sorted(ids(hits)) == [f"t{number}" for number, text in enumerate(texts) if asked & set(words(text))]
    assert [index.text(f"t{number}") for number in range(len(texts))] == texts


@settings(deadline=None)
@given(st.lists(anything, min_size=1, max_size=5), st.booleans())
def test_every_text_is_found_by_each_of_its_words(texts, stem):
    index = built(texts, stem=stem)
    for number, text in enumerate(texts):
        for word in set(words(text)) | {token for token in text.split() if words(token)}:
            assert f"t{number}" in ids(index.search(word, k=10))


@pytest.mark.parametrize("length", [8_000, 33_000])
def test_a_word_longer_than_fts5_keeps(length):
    index = built({"long": "漢" * length, "other": "short"})
    assert ids(index.search("漢" * length)) == ["long"]


# ---------------------------------------------------------------------- scores and order


def plain_fts5(texts: dict[str, str], query: str) -> dict[str, float]:
    """The whole question as one query to a plain FTS5 table."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE t USING fts5(id UNINDEXED, text)")
    database.executemany("INSERT INTO t VALUES (?, ?)", texts.items())
    rows = database.execute("SELECT id, -bm25(t) FROM t WHERE t MATCH ?", (match_expression(query),)).fetchall()
    database.close()
    return dict(rows)


@settings(deadline=None)
@given(st.lists(small_texts, min_size=1, max_size=12), small_questions.filter(str.strip), st.sampled_from([1, 3, 32]))
def test_scores_are_sqlites_own_however_the_question_is_handed_over(texts, query, at_once):
    named = {f"t{number}": text for number, text in enumerate(texts)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "AT_ONCE", at_once)
        found = {hit.id: hit.score for hit in built(named).search(query, k=20)}
    assert found == pytest.approx(plain_fts5(named, query), abs=1e-9)


@settings(deadline=None)
@given(st.lists(small_texts, min_size=1, max_size=12), small_questions, st.integers(0, 14), st.integers(1, 4))
def test_the_order_is_by_score_and_then_by_id(texts, query, k, step):
    index = built(texts)
    everything = index.search(query, k=99)
    keys = [(-float(f"{hit.score:.10g}"), hit.id) for hit in everything]
    assert keys == sorted(keys)
    assert [hit.rank for hit in everything] == list(range(1, len(everything) + 1))
    assert index.search(query, k) == everything[:k]

    def through(id_):
        return int(id_[1:]) % step == 0

    kept = [hit for hit in everything if through(hit.id)][:k]
    filtered = index.search(query, k, allowed=through)
    assert [(hit.id, hit.score) for hit in filtered] == [(hit.id, hit.score) for hit in kept]
    assert [hit.rank for hit in filtered] == list(range(1, len(kept) + 1))


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2), (2, 3, 1)])
def test_equal_scores_are_ordered_by_id(order):
    texts = {1: "kettle lid", 2: "kettle cup", 3: "kettle pan"}
    index = built({f"s{number}": texts[number] for number in order})
    assert ids(index.search("kettle")) == ["s1", "s2", "s3"]
    assert ids(index.search("kettle", k=2)) == ["s1", "s2"]
    assert len({hit.score for hit in index.search("kettle")}) == 1


@pytest.mark.parametrize(
    ("one", "other"), [((6, 1, 4, 1), (6, 1, 1, 4)), ((6, 2, 2, 5), (5, 2, 6, 2)), ((3, 6, 2, 4), (6, 4, 3, 2))]
)
def test_the_last_bits_of_a_sum_do_not_decide(one, other):
    # four words, equally rare: the same four parts in another order, and with these counts the sums differ in the last bit
    counts = {"b": one, "a": other}
    texts = {id_: " ".join(f"{word} " * times for word, times in zip("wxyz", these, strict=True)) for id_, these in counts.items()}
    index = built(texts | {f"f{number}": "filler " * sum(one) for number in range(9)})
    hits = index.search("w x y z")
    assert ids(hits) == ["a", "b"]
    assert hits[0].score == pytest.approx(hits[1].score, abs=1e-12)
    assert ids(index.search("w x y z", k=1)) == ["a"]


def test_ids_are_ordered_by_code_point():
    names = ["Z", "a", "é", "\ufffd", "😀", "A-2", "A-10", "nul\0x"]
    assert ids(built({name: "kettle" for name in reversed(names)}).search("kettle", k=9)) == sorted(names)


def test_a_very_common_word_still_finds_and_weighs_next_to_nothing():
    index = built(["the kettle", "the lid", "the cup", "pan"])
    assert ids(index.search("the")) == ["t0", "t1", "t2"]
    assert all(0 < hit.score < 1e-5 for hit in index.search("the"))
    assert index.search("the kettle")[0].score == pytest.approx(index.search("kettle")[0].score, abs=1e-5)


def test_a_repeated_word_counts_as_often_as_it_stands():
    index = built(["kettle", "refund", "pan", "cup", "lid"])
    once, thrice = index.search("kettle")[0].score, index.search("kettle Kettle kettle")[0].score
    assert thrice == pytest.approx(3 * once, abs=1e-9)
    assert ids(index.search("kettle refund refund")) == ["t1", "t0"]


@pytest.mark.parametrize(("k", "number"), [(0, 0), (1, 1), (3, 3), (4, 3), (10**12, 3), (np.int64(2), 2)])
def test_k(k, number):
    assert len(built(["kettle one", "kettle two", "kettle three", "pan"]).search("kettle", k)) == number


@pytest.mark.parametrize("k", [-1, -(10**20), True, False, 2.0, "5", None, [5]])
def test_a_k_that_makes_no_sense(k):
    with pytest.raises(BadArgument, match=r"^k "):
        built(["kettle"]).search("kettle", k)


@pytest.mark.parametrize("query", [None, 5, b"kettle", ["kettle"]])
def test_a_query_is_a_text(query):
    index = built(["kettle"])
    for call in (index.search, index.postings, lambda bad: index.explain(bad, "t0")):
        with pytest.raises(BadArgument, match="a text is needed"):
            call(query)


def test_an_empty_index():
    index = KeywordIndex()
    assert len(index) == 0
    assert index.search("kettle") == []
    assert index.postings("kettle") == []
    with pytest.raises(BadArgument, match="'A'"):
        index.explain("kettle", "A")


# ---------------------------------------------------------------------- allowed


def test_what_is_not_allowed_takes_no_place():
    texts = {f"staff{number}": "kettle kettle kettle" for number in range(10)}
    texts |= {f"public{number}": "kettle and many other words that make it long" for number in range(5)}
    index = built(texts)
    assert all(id_.startswith("staff") for id_ in ids(index.search("kettle", k=10)))
    hits = index.search("kettle", k=5, allowed=lambda id_: id_.startswith("public"))
    assert hits == [Hit(f"public{number}", hits[0].score, number + 1) for number in range(5)]


def test_allowed_is_asked_in_order_and_no_longer_than_needed():
    index = built([f"kettle {'word ' * number}" for number in range(300)])
    asked = []

    def allowed(id_):
        asked.append(id_)
        return int(id_[1:]) >= 203

    assert ids(index.search("kettle", k=3, allowed=allowed)) == ["t203", "t204", "t205"]
    assert asked == [f"t{number}" for number in range(206)]
    assert index.search("kettle", k=3, allowed=lambda id_: False) == []


def test_an_error_inside_allowed_comes_through():
    index = built(["kettle"])
    for error in (KeyError("access"), sqlite3.OperationalError("no such table: access"), BadArgument("no")):

        def allowed(id_, error=error):
            raise error

        with pytest.raises(type(error)) as told:
            index.search("kettle", allowed=allowed)
        assert told.value is error
    assert ids(index.search("kettle")) == ["t0"]
    index.add([("new", "kettle")])  # no transaction was left open


def test_allowed_may_ask_the_index_but_not_change_it():
    index = built(["kettle", "kettle pan"])
    assert ids(index.search("kettle", allowed=lambda id_: "pan" in index.text(id_) and index.search("pan"))) == ["t1"]
    with pytest.raises(BadArgument, match="middle of a search"):
        index.search("kettle", allowed=lambda id_: index.add([("new", "kettle")]))
    assert len(index) == 2


def test_allowed_is_a_function():
    with pytest.raises(BadArgument, match="allowed"):
        built(["kettle"]).search("kettle", allowed=["t0"])


# ---------------------------------------------------------------------- postings and explain


def test_postings_show_the_inverted_index():
    index = built({"b": "Kettle, kettle; KETTLE", "a": "a kettle", "c": "refund"})
    assert index.postings("kettle") == [Posting("a", 1), Posting("b", 3)]
    assert index.postings("KÉTTLE!") == index.postings("kettle")
    assert index.postings("spade") == index.postings("...") == index.postings("") == []
    with pytest.raises(BadArgument, match="pw, 2200"):
        index.postings("PW-2200")
    with pytest.raises(BadArgument, match="pw, 2200"):
        index.document_frequency("PW-2200")
    assert (index.document_frequency("KÉTTLE!"), index.document_frequency("...")) == (2, 0)


@settings(deadline=None)
@given(st.lists(small_texts, max_size=8))
def test_postings_are_the_counts(texts):
    index = built(texts)
    for word in "abcdefgh":
        assert index.postings(word) == [
            Posting(f"t{number}", text.split().count(word)) for number, text in enumerate(texts) if word in text.split()
        ]
        assert index.document_frequency(word) == len(index.postings(word))


def test_explain_has_one_row_a_word():
    index = built(SECTIONS)
    table = index.explain("Refund, kettle? KETTLE spade", "A")
    assert list(table.columns) == ["word", "count", "documents", "rarity", "gain", "product"]
    assert table["word"].tolist() == ["refund", "kettle", "kettle", "spade"]
    assert table["count"].tolist() == [0, 2, 2, 0]
    assert table["documents"].tolist() == [3, 2, 2, 0]
    assert table["rarity"].tolist() == [bm25.rarity(8, 3), bm25.rarity(8, 2), bm25.rarity(8, 2), bm25.rarity(8, 0)]
    assert table["gain"].tolist() == [0.0, bm25.gain(2, 6, 7.25), bm25.gain(2, 6, 7.25), 0.0]
    assert len(index.explain("...", "A")) == 0
    with pytest.raises(BadArgument, match="'Z'"):
        index.explain("kettle", "Z")


@settings(deadline=None)
@given(st.lists(st.one_of(small_texts, anything), min_size=1, max_size=6), small_questions, st.booleans())
def test_the_products_add_up_to_the_score(texts, query, stem):
    index = built(texts, stem=stem, stop_words=["b"])
    scores = {hit.id: hit.score for hit in index.search(query, k=99)}
    for number in range(len(texts)):
        table = index.explain(query, f"t{number}")
        assert table["word"].tolist() == [word for word in query.split() if word != "b"]
        assert table["product"].sum() == pytest.approx(scores.get(f"t{number}", 0.0), abs=1e-9)


# ---------------------------------------------------------------------- stemming and stop words


def test_endings_matter_until_stem_is_on():
    texts = {"one": "A refund of fees", "many": "Refunds and refunding", "none": "A kettle"}
    assert ids(built(texts).search("refunds")) == ["many"]
    stemmed = built(texts, stem=True)
    assert sorted(ids(stemmed.search("refunded"))) == ["many", "one"]
    assert stemmed.postings("refund") == [Posting("many", 2), Posting("one", 1)]
    assert stemmed.explain("refunds fee", "one")["count"].tolist() == [1, 1]


@pytest.mark.parametrize("word", ["relational", "running", "agreed", "ponies", "this", "skies", "Öffnungen"])
def test_a_stem_is_not_stemmed_again(word):
    index = built({"a": word, "b": "something else"}, stem=True)
    assert ids(index.search(word)) == ["a"]
    assert index.explain(word, "a")["count"].tolist() == [1]


def test_stop_words_are_left_out_of_questions():
    texts = ["the kettle", "the refund", "a kettle of the year", "spade"]
    index = built(texts, stop_words=["The", "Á", "at-all"])
    assert index.stop_words == {"the", "a", "at", "all"}
    assert index.search("the A at all THÉ") == []
    assert index.search("the kettle") == index.search("kettle") == built(texts).search("kettle")
    assert index.explain("the kettle", "t0")["word"].tolist() == ["kettle"]
    assert index.postings("the") == built(texts).postings("the") != []


def test_stop_words_stop_words_and_not_stems():
    index = built(["one hammer", "two hammers on a shelf"], stem=True, stop_words=["on"])
    assert ids(index.search("one")) == ["t0", "t1"]  # the stem of 'one' is 'on'
    assert index.search("on") == []


@pytest.mark.parametrize("options", [{"stop_words": "the a"}, {"stop_words": [1]}, {"stop_words": None}, {"stem": "yes"}, {"stem": 1}])
def test_options_that_make_no_sense(options):
    with pytest.raises(BadArgument):
        KeywordIndex(**options)


# ---------------------------------------------------------------------- adding and removing


def test_the_same_id_replaces():
    index = built({"a": "kettle", "b": "refund"})
    index.add([("a", "spade")])
    assert index.search("kettle") == []
    assert ids(index.search("spade")) == ["a"]
    assert len(index) == 2
    index.add([("b", "first"), ("b", "second")])
    assert index.text("b") == "second"
    assert index.search("first") == []
    assert len(index) == 2


def test_removing_what_is_not_there_does_nothing():
    index = built({"a": "kettle", "b": "refund"})
    index.remove(["a", "a", "z"])
    index.remove(["a"])
    index.remove([])
    index.remove(name for name in ["y"])
    assert len(index) == 1
    assert index.search("kettle") == []
    with pytest.raises(BadArgument, match="'a'"):
        index.text("a")


def test_all_or_nothing():
    index = built({"a": "kettle"})

    def breaks_off():
        yield "a", "spade"
        yield "b", "spade"
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        index.add(breaks_off())
    with pytest.raises(BadArgument):
        index.add([("b", "spade"), ("", "spade")])
    with pytest.raises(BadArgument):
        index.remove(["a", ""])
    assert len(index) == 1
    assert ids(index.search("kettle")) == ["a"]
    assert index.search("spade") == []


@pytest.mark.parametrize(
    "pairs",
    [
        [("", "text")],
        [(None, "text")],
        [(5, "text")],
        [("id", None)],
        [("id", 5)],
        [("id", b"text")],
        [("id\ud800", "text")],
        ["ab"],
        "ab",
        ("id", "text"),
        [("id",)],
        [("id", "text", "more")],
        [5],
        {"id": "text"},
        None,
        7,
    ],
)
def test_pairs_that_make_no_sense(pairs):
    index = built({"a": "kettle"})
    with pytest.raises(BadArgument):
        index.add(pairs)
    assert len(index) == 1


@pytest.mark.parametrize("chosen", ["a", [""], [None], [5], None, 7])
def test_ids_that_make_no_sense(chosen):
    index = built({"a": "kettle"})
    with pytest.raises(BadArgument):
        index.remove(chosen)
    assert len(index) == 1


@pytest.mark.parametrize("text", ["", " ", "...", "😀", "\0"])
def test_a_text_without_words_is_kept_counted_and_never_found(text):
    index = built({"a": "kettle", "b": "refund", "empty": text})
    assert index.text("empty") == text
    assert len(index) == 3
    assert index.explain("kettle", "a")["rarity"].tolist() == [bm25.rarity(3, 1)]
    assert index.explain("kettle", "empty")["product"].tolist() == [0.0]
    assert index.search(text) == []


class Changes(RuleBasedStateMachine):
    """However an index came to hold its texts, it answers like a new one that was given them."""

    def __init__(self):
        super().__init__()
        self.index = KeywordIndex()
        self.texts: dict[str, str] = {}

    names = st.sampled_from(["p", "q", "r", "s", "t"])

    @rule(pairs=st.lists(st.tuples(names, small_texts), max_size=4))
    def add(self, pairs):
        self.index.add(pairs)
        self.texts.update(pairs)

    @rule(chosen=st.lists(names, max_size=3))
    def remove(self, chosen):
        self.index.remove(chosen)
        for name in chosen:
            self.texts.pop(name, None)

    @invariant()
    def answers_like_a_new_one(self):
        new = built(self.texts)
        assert len(self.index) == len(self.texts)
        for query in ("a b c", "d", "a a g"):
            ours, theirs = self.index.search(query, 9), new.search(query, 9)
            assert ids(ours) == ids(theirs)
            assert [hit.score for hit in ours] == pytest.approx([hit.score for hit in theirs], abs=1e-12)
        for word in "abg":
            assert self.index.postings(word) == new.postings(word)
        for name in self.texts:
            assert self.index.explain("a b g", name).equals(new.explain("a b g", name))

    def teardown(self):
        self.index.close()


TestChanges = Changes.TestCase
TestChanges.settings = settings(deadline=None, max_examples=25, stateful_step_count=12)


# ---------------------------------------------------------------------- long questions


def test_a_pasted_page_is_added_up_right():
    vocabulary = [f"w{number}" for number in range(400)]
    texts = {f"t{number}": " ".join(vocabulary[(number * 7 + step * step) % 400] for step in range(30)) for number in range(120)}
    page = " ".join(vocabulary[(step * step * 3 + step) % 400] for step in range(2000))
    index = built(texts)
    counts = {id_: Counter(text.split()) for id_, text in texts.items()}
    documents = Counter(word for words_ in counts.values() for word in words_)
    average = sum(words_.total() for words_ in counts.values()) / len(counts)
    expected = {
        id_: sum(
            times * bm25.rarity(120, documents[word]) * bm25.gain(words_[word], words_.total(), average)
            for word, times in Counter(page.split()).items()
            if words_[word]
        )
        for id_, words_ in counts.items()
    }
    found = {hit.id: hit.score for hit in index.search(page, k=200)}
    assert found == pytest.approx({id_: score for id_, score in expected.items() if score}, abs=1e-9)


def test_a_question_of_20000_different_words():
    index = built({"a": "w19999 kettle", "b": "pan"})
    assert ids(index.search(" ".join(f"w{number}" for number in range(20_000)))) == ["a"]


# ---------------------------------------------------------------------- files


def test_a_file_answers_the_same_when_opened_again(tmp_path):
    path = tmp_path / "état des lieux.db"
    with KeywordIndex(path) as index:
        index.add(SECTIONS.items())
        index.add([("odd", "lone \ud800 and \0 nul")])
        before = index.search(QUESTION)
    with KeywordIndex(str(path)) as index:
        assert index.search(QUESTION) == before
        assert index.text("odd") == "lone \ud800 and \0 nul"
        assert len(index) == 9
        index.remove(["odd"])
    with KeywordIndex(path) as index:
        assert len(index) == 8
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_an_index_in_memory_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    KeywordIndex().add([("a", "kettle")])
    assert list(tmp_path.iterdir()) == []


def test_closing():
    index = built(["kettle"])
    index.close()
    index.close()
    assert "closed" in repr(index)
    for call in (lambda: index.search("kettle"), lambda: len(index), lambda: index.add([("a", "b")]), lambda: index.postings("a")):
        with pytest.raises(BadArgument, match="closed"):
            call()


def test_it_says_what_it_is():
    assert repr(built(["kettle", "pan"], stem=True)) == "<KeywordIndex in memory, 2 texts, stemmed>"


def other_database(path, *statements):
    database = sqlite3.connect(path)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"x", "something else"),
        (b"# Returns policy\n" * 200, "something else"),
        (b"SQLite format 3", "something else"),
        (b"SQLite format 3\0" + b"x" * 5000, "damaged"),
        (["CREATE TABLE tickets (id)"], "something else"),
        (["PRAGMA application_id = 7"], "something else"),
        (["PRAGMA user_version = 3"], "something else"),
        ([f"PRAGMA application_id = {indexfile.APPLICATION}", "PRAGMA user_version = 999"], "another version"),
    ],
)
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path, content, says):
    path = tmp_path / "tickets.db"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        other_database(path, *content)
    before = path.read_bytes()
    with pytest.raises(IndexFileError, match=says) as told:
        KeywordIndex(path)
    assert "tickets.db" in str(told.value)
    assert " — " in str(told.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize("made_with", [True, False])
def test_other_settings_are_refused(tmp_path, made_with):
    path = tmp_path / "index.db"
    KeywordIndex(path, stem=made_with).close()
    with pytest.raises(IndexFileError, match=f"stem={made_with}"):
        KeywordIndex(path, stem=not made_with)
    KeywordIndex(path, stem=made_with).close()


def test_stop_words_belong_to_the_question_and_not_to_the_file(tmp_path):
    path = tmp_path / "index.db"
    with KeywordIndex(path) as index:
        index.add([("a", "the kettle")])
    with KeywordIndex(path, stop_words=["the"]) as index:
        assert index.search("the") == []
    with KeywordIndex(path) as index:
        assert ids(index.search("the")) == ["a"]


def test_an_empty_file_becomes_an_index(tmp_path):
    path = tmp_path / "index.db"
    path.touch()
    with KeywordIndex(path) as index:
        index.add([("a", "kettle")])
        assert ids(index.search("kettle")) == ["a"]


@pytest.mark.parametrize("path", ["", None, 5, b"index.db", "in\0dex.db"])
def test_a_path_that_makes_no_sense(path):
    with pytest.raises(BadArgument, match="path"):
        KeywordIndex(path)


def test_places_where_no_file_can_be(tmp_path):
    (tmp_path / "file").write_text("text")
    for path, says in [
        (tmp_path, "is a folder"),
        (tmp_path / "none" / "index.db", "make it first"),
        (tmp_path / "file" / "index.db", "no folder"),
        (os.devnull, "not a file"),
    ]:
        with pytest.raises(IndexFileError, match=says):
            KeywordIndex(path)


def test_a_file_that_may_only_be_read(tmp_path):
    with KeywordIndex(tmp_path / "index.db") as index:
        index.add([("a", "kettle")])
        index._ask("PRAGMA query_only = 1")  # SQLite's own refusal, as of a file without the right to write (which root has)
        with pytest.raises(IndexFileError, match="you may write"):
            index.add([("b", "pan")])
        assert ids(index.search("kettle")) == ["a"]
        index._ask("PRAGMA query_only = 0")
        index.add([("b", "pan")])


def test_a_damaged_file_is_an_error_and_not_an_answer(tmp_path):
    path = tmp_path / "index.db"
    with KeywordIndex(path) as index:
        index.add((f"t{number}", f"kettle {number} " * 50) for number in range(200))
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    with pytest.raises(IndexFileError, match="delete it and build"), KeywordIndex(path) as index:
        index.search("kettle")


def test_another_connection_sees_what_is_there_and_waits_its_turn(tmp_path, monkeypatch):
    monkeypatch.setattr(indexfile, "PATIENCE", 0.05)
    path = tmp_path / "index.db"
    with KeywordIndex(path) as one, KeywordIndex(path) as two:
        one.add([("a", "kettle"), ("b", "pan"), ("c", "lid")])
        assert two.search("kettle") == one.search("kettle") != []
        two.add([("a", "kettle refund"), ("d", "kettle")])
        assert one.search("kettle refund") == two.search("kettle refund")
        assert one.explain("kettle", "d").equals(two.explain("kettle", "d"))

        writer = sqlite3.connect(path, isolation_level=None)
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(IndexFileError, match="another program"):
            one.add([("e", "spade")])
        assert ids(one.search("lid")) == ["c"]
        writer.execute("ROLLBACK")
        writer.close()
        one.add([("e", "spade")])
        assert ids(two.search("spade")) == ["e"]


ADDER = """
import sys
from labkit.retrieval.keyword import KeywordIndex
path, name = sys.argv[1:]
with KeywordIndex(path) as index:
    for number in range(20):
        index.add([(f"{name}{number}", f"kettle {name} {number}")])
"""


def test_two_processes_make_and_fill_one_file(tmp_path):
    path = tmp_path / "index.db"
    both = [
        subprocess.Popen([sys.executable, "-c", ADDER, str(path), name], env={**os.environ}, stderr=subprocess.PIPE, text=True)
        for name in ("left", "right")
    ]
    for process in both:
        _, said = process.communicate(timeout=60)
        assert (process.returncode, said) == (0, "")
    with KeywordIndex(path) as index:
        assert len(index) == len(index.search("kettle", k=100)) == 40
        assert len(index.search("left", k=100)) == 20


def test_a_process_that_is_killed_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "index.db"
    with KeywordIndex(path) as index:
        index.add([("a", "kettle")])
    script = (
        "import os, sys\n"
        "from labkit.retrieval.keyword import KeywordIndex\n"
        "index = KeywordIndex(sys.argv[1])\n"
        "with index._writing() as database:\n"
        "    index._forget(database, 'a')\n"
        "    os._exit(9)\n"
    )
    assert subprocess.run([sys.executable, "-c", script, str(path)], timeout=60).returncode == 9
    with KeywordIndex(path) as index:
        assert ids(index.search("kettle")) == ["a"]
