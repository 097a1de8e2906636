"""What counts as a word, and that a question and a text are cut alike."""

from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit.errors import BadArgument
from labkit.retrieval.keyword import match_expression, words
from labkit.retrieval.tokenizer import STEMMED, searchable, terms

anything = st.text(st.characters(exclude_categories=()), max_size=60)  # lone surrogates and NUL too


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which pump kit fits the PW-2200?", "which pump kit fits the pw 2200"),
        ("who's on leave", "who s on leave"),
        ("l’avis d’Adèle", "l avis d adele"),
        ("ubuntu 20.04", "ubuntu 20 04"),
        ("C++", "c"),
        ("50 %", "50"),
        ("§ 3.1", "3 1"),
        ("fox,dog", "fox dog"),
        ('say "hi"', "say hi"),
        ("a + b", "a b"),
        ("a a A", "a a a"),
        ("NEAR(a, b) NOT c*", "near a b not c"),
        ("grammar::fa", "grammar fa"),
        ("user_id", "user id"),
        ("İstanbul", "istanbul"),
        ("i̇stanbul", "istanbul"),  # what Python's lower() makes of it
        ("5µm", "5μm"),
        ("re\u00adfund", "refund"),  # soft hyphen
        ("\ufeffrefund re\ufefffund", "refund refund"),
        ("re\u200bfund re\u200cfund re\u200dfund re\u2060fund", "refund refund refund refund"),
        ("re\u034ffund re\ufe0ffund re\u180bfund re\U000e0101fund", "refund refund refund refund"),
        ("ﬁlter oﬃce eﬀect ﬂow aﬄict ﬅop", "filter office effect flow afflict stop"),
        ("cœur ŒUVRE æther ǣ", "coeur oeuvre aether ae"),
        ("Straße STRASSE", "strasse strasse"),
        ("ＰＷ－２２００", "pw 2200"),
        ("Acme™ warranty¹ ½", "acme warranty ¹ ½"),
        ("years¹⁰ m² 5 m³ km²", "years ¹⁰ m² 5 m³ km ²"),
        ("re\0fund re\ud800fund", "re fund re fund"),
        ("prolongée prolonge\u0301e prolongee", "prolongee prolongee prolongee"),
        ("x\u0302y a\u0332b", "xy ab"),  # marks that compose with nothing
        ("ﻣﺮﺣﺒﺎ", "مرحبا"),
        ("保証 2年", "保証 2年"),
        ("", ""),
        (" \t\n", ""),
        ("...", ""),
        ("😀", ""),
        ("\u200b", ""),
    ],
)
def test_words(text, expected):
    assert words(text) == expected.split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Pump kit?", '"pump" OR "kit"'),
        ("AND or not", '"and" OR "or" OR "not"'),
        ('say "hi" hi', '"say" OR "hi" OR "hi"'),
        ("title:leave", '"title" OR "leave"'),
        ("...", ""),
        ("", ""),
    ],
)
def test_match_expression(text, expected):
    assert match_expression(text) == expected


@pytest.mark.parametrize("text", [None, 5, b"kettle", ["kettle"]])
@pytest.mark.parametrize("function", [words, match_expression])
def test_only_a_text_has_words(function, text):
    with pytest.raises(BadArgument, match="a text is needed"):
        function(text)


def test_stems():
    assert terms("Refunds refunded REFUND refunding", STEMMED) == ["refund"] * 4


# Every character there is, but of each writing with thousands of signs that Unicode treats alike only each hundredth.
ALIKE = ("CJK UNIFIED", "CJK COMPATIBILITY", "HANGUL SYLLABLE", "TANGUT", "EGYPTIAN", "ANATOLIAN", "CUNEIFORM", "KHITAN", "NUSHU", "YI ")
EVERY = [
    chr(code)
    for code in range(0x110000)
    if code % 100 == 0
    or (unicodedata.category(chr(code)) not in ("Cn", "Co", "Cs") and not unicodedata.name(chr(code), "").startswith(ALIKE))
]


@pytest.mark.parametrize("frame", ["{}", "a{}b"], ids=["alone", "inside a word"])
def test_the_words_of_a_word_are_that_word(frame):
    # for every character: so the words of a question can be handed to the index as they are
    found = words(" ".join(map(frame.format, EVERY)))
    assert len(found) > len(EVERY) / 2
    assert [pair for pair in zip(found, words(" ".join(found)), strict=True) if pair[0] != pair[1]] == []


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_composed_and_decomposed_are_one_word(form):
    text = " ".join(f"a{character}b" for character in EVERY)
    pairs = zip(words(text), words(unicodedata.normalize(form, text)), strict=True)
    assert [pair for pair in pairs if pair[0] != pair[1]] == []


LONG = ["a" * 40_000, "漢" * 40_000, "é" * 8_000 + "!" + "ж" * 8_001, "ß" * 8_000, "ﷲ" * 9_000, "x" * 8_000 + " y"]


@pytest.mark.parametrize("number", range(len(LONG)))
def test_a_very_long_word_is_cut_the_same_way_each_time(number):
    found = words(LONG[number])
    assert 0 < max(len(word.encode()) for word in found) < 32_768  # what FTS5 keeps of a word
    assert sum(map(len, found)) >= len(LONG[number]) - 2
    assert words(" ".join(found)) == found


@settings(deadline=None)
@given(anything)
def test_words_of_any_text(text):
    found = words(text)
    assert words(" ".join(found)) == found
    assert not any('"' in word or " " in word or not word for word in found)
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text))
    assert searchable(" ".join(found)).split() == found


@settings(deadline=None)
@given(st.lists(anything, max_size=4))
def test_words_of_texts_one_after_another(texts):
    assert words(" ".join(texts)) == [word for text in texts for word in words(text)]


def test_several_threads_may_ask_at_once():
    texts = [f"word{number} " * (number % 7 + 1) for number in range(200)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(words, texts)) == [text.split() for text in texts]
