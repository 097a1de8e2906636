"""The pictures of lesson 07: what chunks hold of a sentence, and where a text and its twin rank. Each says in words what it shows."""

import pytest

from labkit.errors import BadArgument
from labkit.show.sentence_cut import sentence_cut
from labkit.show.twin_ranks import twin_ranks

SENTENCE = "Boil half a litre with two spoons\nof citric acid, rinse three times."
CUT = SENTENCE.index("acid")
PIECES = [("fixed, 0", 0, CUT - 1, "title"), ("fixed, 1", CUT, len(SENTENCE), "neither"), ("whole, 0", 0, len(SENTENCE), "title")]
ROWS = [("How hot?", (3, 10), (31, 26)), ("How long is the cable?", (1, 7), (9, 10)), ("How heavy, and why?", (2, 2), (5, 4))]
WAYS = ("with titles", "without")


def said(picture):
    return " ".join(picture.figure.get_suptitle().split())


def drawn(picture):
    return [text.get_text() for text in picture.figure.axes[0].texts]


def test_a_cut_sentence_is_told_and_drawn_part_by_part():
    picture = sentence_cut(SENTENCE, PIECES)
    assert said(picture) == "The sentence is whole in 1 of the 3 chunks that hold some of it"
    assert "fixed, 0: “Boil half a litre with two spoons of citric” (title); fixed, 1: “acid, rinse three times.” (neither)" in picture.alt
    assert picture.alt.endswith("whole, 0: all of it (title).")
    assert drawn(picture).count("✂") == 2  # one edge of each half, none of the whole
    rows = picture.twin.rows
    assert [row[1] for row in rows] == [" ".join(SENTENCE[start:end].split()) for _, start, end, _ in PIECES]


@pytest.mark.parametrize(
    "sentence, pieces",
    [
        ("", PIECES),
        ("   ", [("a", 0, 1, "")]),
        (SENTENCE, []),
        (SENTENCE, [("a", 5, 5, "")]),
        (SENTENCE, [("a", -1, 5, "")]),
        (SENTENCE, [("a", 0, len(SENTENCE) + 1, "")]),
        ("word " * 80, [("a", 0, 4, "")]),
    ],
)
def test_what_is_no_part_of_a_sentence_is_refused(sentence, pieces):
    with pytest.raises(BadArgument):
        sentence_cut(sentence, pieces)


@pytest.mark.parametrize("sentence", ["Oui.", "Été comme hiver, 5 € l’heure ; rincez deux fois.", SENTENCE, "$9 < $10 & so on_{2}"])
def test_every_letter_of_a_sentence_is_drawn_in_each_row(sentence):
    middle = len(sentence) // 2
    pieces = [("a", 0, middle, ""), ("b", middle, len(sentence), "x"), ("c", 1, middle + 1, "y")]
    picture = sentence_cut(sentence, pieces)
    letters = "".join(sentence.split())
    parts = [text for text in drawn(picture) if text not in ("a", "b", "c", "x", "y", "✂", "")]
    assert "".join("".join(parts).split()) == 3 * letters
    assert picture.png() == sentence_cut(sentence, pieces).png()


def test_twins_are_counted_way_by_way_and_a_tie_is_not_above():
    picture = twin_ranks(ROWS, ways=WAYS, of=204)
    assert said(picture) == "The right one above its twin, of 3 questions: with titles in 2; without in 1"
    assert "How hot? with titles: right 3, twin 10, without: right 31, twin 26." in picture.alt
    assert list(map(str, picture.twin.rows[1])) == ["How long is the cable?", "1", "7", "9", "10"]
    labels = drawn(picture)
    for _, *pairs in ROWS:
        for right, twin in pairs:
            assert f"right {right}" in labels and f"twin {twin}" in labels
    assert "204 chunks ranked" in picture.figure.get_supxlabel()


@pytest.mark.parametrize(
    "rows, ways, of",
    [
        ([], WAYS, 9),
        (ROWS, (), 204),
        (ROWS, ("one",), 204),
        ([("q", (1, 2, 3))], ("one",), 9),
        ([("q", (0, 2))], ("one",), 9),
        ([("q", (1, 10))], ("one",), 9),
    ],
)
def test_what_is_no_rank_is_refused(rows, ways, of):
    with pytest.raises(BadArgument):
        twin_ranks(rows, ways=ways, of=of)
