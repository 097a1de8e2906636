"""What a cutting did to a document, in numbers (lesson 07)."""

import sys

import pytest
from hypothesis import given, settings
from parsed_documents import by_hand, markdowns, parsed_markdown

from labkit.chunking import Readings, begins_inside, by_structure, fixed, overlapping, readings, sentence_starts, times_held
from labkit.chunking.chunk import Cut, make_chunks
from labkit.errors import BadArgument

DOCUMENT = "# The title\n\nOne two. Three four.\n\n- item one. Two\n- next\n\n| a | b |\n|---|---|\n| c | d |\n\n```\nx y\n  z\n```\n"


@pytest.mark.parametrize(
    ("begins_with", "inside"),
    [
        ("# The", ""), ("The title", "heading"), ("One two", ""), ("two.", "sentence"), ("Three", ""), ("four", "sentence"), ("- item", ""),
        ("item", "list item"), ("Two\n", "list item"), ("- next", ""), ("next", "list item"), ("| a", ""), ("a |", "table row"),
        ("|---", ""),
        ("| c", ""), ("| d", "table row"), ("d |", "table row"), ("```\nx", ""), ("x y", ""), ("y\n", "line of code"), ("z\n", ""),
    ],
)  # fmt: skip
def test_what_a_chunk_begins_inside(begins_with, inside):
    assert begins_inside(parsed_markdown(DOCUMENT), DOCUMENT.index(begins_with)) == inside


def test_between_blocks_is_inside_none():
    parsed = parsed_markdown("\n\na b\n\n---\n\nc d\n\n---\n")
    assert [begins_inside(parsed, at) for at in range(len(parsed.text))] == [
        *("", "", "", "sentence", "sentence", "", "", "", "", "", "", "", "", "sentence", "sentence", "", "", "", "", "", "")
    ]


def cut_at(parsed, *spans):
    return make_chunks(parsed, [Cut(*span) for span in spans], "test")


TABLE = ("table", "a b\nc d\ne f", {"rows": [["a", "b"], ["c", "d"], ["e", "f"]]})
GOES_ON = ("table", "g h", {"rows": [["g", "h"]], "continues": True})


@pytest.mark.parametrize(
    ("spans", "pieces"),
    [
        ([(0, 11)], 1),
        ([(0, 3), (4, 11)], 2),
        ([(0, 3), (4, 7), (8, 11)], 3),
        ([(0, 3), (0, 11), (8, 11)], 1),
        ([(0, 7), (4, 11)], 2),
        ([(0, 3)], 1),
        ([(1, 11)], 1),
        ([(0, 4), (4, 11)], 2),
        ([(3, 4)], 0),
        ([], 0),
        ([(11, 15)], 0),
    ],
)
def test_a_table_whole_or_in_pieces(spans, pieces):
    parsed = by_hand(TABLE, ("paragraph", "end"))
    assert readings(parsed, cut_at(parsed, *spans)).tables == (pieces,)


def test_a_table_over_two_pages_is_one():
    parsed = by_hand(TABLE, GOES_ON, TABLE)
    assert readings(parsed, cut_at(parsed, (0, 11), (13, 16), (18, 29))).tables == (2, 1)
    assert readings(parsed, cut_at(parsed, (0, 29))).tables == (1, 1)


def test_the_numbers_of_three_ways():
    text = "# T\n\nintro\n\n## A\n\n" + "One two three four. " * 10 + "\n\n| a | b |\n|---|---|\n| c | d |\n"
    parsed = parsed_markdown(text)  # 2 words of title, 1, 2 of heading, 40, 11 of table
    assert readings(parsed, fixed(parsed, 20)) == Readings(3, 56, 0, (1,), 2, 20, 20.0)
    assert readings(parsed, overlapping(parsed, 20, 8)) == Readings(4, 80, 0, (1,), 3, 20, 20.0)
    assert readings(parsed, by_structure(parsed, 20)) == Readings(5, 62, 2, (1,), 0, 19, 13.0)


def test_no_chunks():
    parsed = parsed_markdown("# T\n\na b")
    assert readings(parsed, []) == Readings(0, 0, 4, (), 0, 0, 0.0)


def test_words_that_are_repeated_or_in_no_chunk():
    parsed = parsed_markdown("---\nk: v\n---\na b c d e")
    body = parsed.body
    assert times_held(parsed, cut_at(parsed, (body, body + 5), (body + 4, body + 7))) == [1, 1, 2, 1, 0]


def test_a_chunk_of_another_document_is_refused():
    parsed, other = parsed_markdown("a b"), parsed_markdown("a b", version="2")
    with pytest.raises(BadArgument, match="of d@v2, not of d@v1"):
        readings(parsed, fixed(other))


@given(markdown=markdowns)
@settings(max_examples=60, deadline=None)
def test_laws(markdown):
    parsed = parsed_markdown(markdown)
    words = len(parsed.text[parsed.body :].split())
    cut = fixed(parsed, 7)
    assert times_held(parsed, cut) == [1] * words
    counts = readings(parsed, cut)
    assert (counts.words_stored, counts.words_in_no_chunk) == (words, 0)
    structured = readings(parsed, by_structure(parsed, 30))
    assert set(structured.tables) <= {1}
    titles = sum(len(block.text.split()) for block in parsed.blocks if block.kind == "title")
    assert structured.words_in_no_chunk == titles
    assert set(times_held(parsed, by_structure(parsed, 30))) <= {0, 1}
    assert readings(parsed, overlapping(parsed, 7, 3)).words_stored == sum(times_held(parsed, overlapping(parsed, 7, 3)))


def test_one_long_paragraph_is_looked_through_once(monkeypatch):
    looked = []
    whole = sys.modules["labkit.chunking.readings"]
    monkeypatch.setattr(whole, "sentence_starts", lambda *where: looked.append(where) or sentence_starts(*where))
    parsed = parsed_markdown("Send it back. Keep the label! " * 200)
    chunks = fixed(parsed, 7)
    found = readings(parsed, chunks)
    assert len(looked) == 1 and found.begin_inside == sum(bool(begins_inside(parsed, chunk.start)) for chunk in chunks) > 100
