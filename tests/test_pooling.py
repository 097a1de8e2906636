"""What a judge is shown: each text once, whatever cut it, in an order that says nothing, and never half a pool."""

import itertools
import random

import pytest
from evaluation_cases import question
from hypothesis import given, settings
from hypothesis import strategies as st
from parsed_documents import markdowns, parsed_markdown

from labkit.chunking.structure import by_structure
from labkit.chunking.windows import fixed, overlapping
from labkit.own.pooling import COVERED, MOST, Pieces, candidate, pool
from labkit.own.statements import statements

ASKED = question("Q1", text="How long may I keep the kettle?")
SECTIONS = "# T\n\n" + "\n\n".join(f"## Part {n}\n\n" + " ".join(f"w{n}x{m}" for m in range(30)) + "." for n in range(8)) + "\n"


def pieces_of(*parsed):
    return Pieces({(each.doc_id, each.version): each for each in parsed})


def places(found):
    return {each.place for each in found}


def test_one_text_brought_by_five_searches_is_shown_once():
    parsed = parsed_markdown(SECTIONS)
    pieces = pieces_of(parsed)
    part = [by_structure(parsed, max_words=200)[3:4], fixed(parsed, size=40)[2:4], overlapping(parsed, size=40, overlap=10)[3:5]]
    alone = pool(ASKED, part[:1], pieces)
    together = pool(ASKED, part, pieces)
    assert len(alone) == 1 and places(alone) <= places(together)
    texts = [each.text for each in together]
    assert len(set(texts)) == len(texts)
    for one, other in itertools.combinations(together, 2):
        assert one.end <= other.start or other.end <= one.start


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_the_order_of_searches_changes_nothing(order):
    parsed = parsed_markdown(SECTIONS)
    rankings = [by_structure(parsed, max_words=50)[:5], fixed(parsed, size=40)[2:6], overlapping(parsed, size=60, overlap=15)[1:3]]
    assert pool(ASKED, [rankings[place] for place in order], pieces_of(parsed)) == pool(ASKED, rankings, pieces_of(parsed))


def test_the_shuffle_is_fixed_and_differs_by_question():
    parsed = parsed_markdown(SECTIONS)
    rankings = [fixed(parsed, size=300)]
    first = pool(ASKED, [by_structure(parsed, max_words=200)], pieces_of(parsed))
    assert first == pool(ASKED, [by_structure(parsed, max_words=200)], pieces_of(parsed))
    others = [pool(question(f"Q{n}"), [by_structure(parsed, max_words=200)], pieces_of(parsed)) for n in range(5)]
    assert all(places(each) == places(first) for each in others)
    assert len({tuple(each.place for each in one) for one in [first, *others]}) > 3
    ranked = [[each.place for each in pool(question(f"Q{n}"), rankings, pieces_of(parsed))] for n in range(20)]
    assert sum(each == sorted(each) for each in ranked) < 5  # not the order of the document either


def test_nothing_of_a_chunker_shows():
    """A window that begins in the middle of a sentence, and a chunk with its title in front, look alike."""
    parsed = parsed_markdown(SECTIONS, title="A long title")
    one = pool(ASKED, [fixed(parsed, size=50)[:2]], pieces_of(parsed))
    natural = {(chunk.start, chunk.end) for chunk in by_structure(parsed, max_words=200)}
    assert {(each.start, each.end) for each in one} <= natural and all("A long title" not in each.text for each in one)
    assert not hasattr(one[0], "id") and not hasattr(one[0], "rank")


def test_a_long_passage_brings_what_holds_the_question_s_words():
    text = "# T\n\n" + "\n\n".join(f"## Part {n}\n\n" + ("the kettle is here" if n == 17 else f"nothing {n}") for n in range(40))
    parsed = parsed_markdown(text)
    found = pool(ASKED, [fixed(parsed, size=10_000)], pieces_of(parsed))
    assert len(found) == MOST and any("kettle" in each.text for each in found)


def test_what_was_judged_is_kept_and_not_asked_for_again():
    parsed = parsed_markdown(SECTIONS)
    whole = pool(ASKED, [by_structure(parsed, max_words=200)], pieces_of(parsed))
    nearly = candidate(parsed, whole[0].start, whole[0].end - 6)
    again = pool(ASKED, [by_structure(parsed, max_words=200)], pieces_of(parsed), [nearly])
    assert places(again) == places(whole[1:]) | {nearly.place}
    half = candidate(parsed, whole[0].start, (whole[0].start + whole[0].end) // 2)
    assert places(pool(ASKED, [by_structure(parsed, max_words=200)], pieces_of(parsed), [half])) == places(whole) | {half.place}
    assert 0.5 < COVERED < 1


def test_an_edition_that_is_not_at_hand_brings_nothing():
    assert pool(ASKED, [by_structure(parsed_markdown(SECTIONS), max_words=200)], Pieces({})) == []
    assert pool(ASKED, [], pieces_of(parsed_markdown(SECTIONS))) == []


def test_two_editions_are_two_texts():
    one, two = parsed_markdown(SECTIONS, version="1"), parsed_markdown(SECTIONS, version="2")
    found = pool(ASKED, [by_structure(one, max_words=200)[:1], by_structure(two, max_words=200)[:1]], pieces_of(one, two))
    assert sorted(each.version for each in found) == ["1", "2"]


def inside(these, start, end):
    return any(each.start <= start and end <= each.end for each in these)


@settings(max_examples=80, deadline=None)
@given(markdowns, st.integers(0, 10_000))
def test_laws(text, seed):
    """Every passage that is not blank brings something; a text is itself; nothing is twice, nothing outside the document."""
    parsed = parsed_markdown(text)
    pieces = pieces_of(parsed)
    random_ = random.Random(seed)
    cuts = [fixed(parsed, size=7), overlapping(parsed, size=9, overlap=3), by_structure(parsed, max_words=12)]
    rankings = [random_.sample(chunks, min(3, len(chunks))) for chunks in cuts]
    found = pool(ASKED, rankings, pieces)
    assert len(places(found)) == len(found)
    for each in found:
        assert parsed.text[each.start : each.end] == each.text == each.text.strip() != ""
    for passage in (passage for ranking in rankings for passage in ranking):
        brought = pool(ASKED, [[passage]], pieces)
        assert places(brought) <= places(found)
        whole = [each for each in statements(parsed, passage.start, passage.end) if passage.start <= each[0] and each[1] <= passage.end]
        if len(brought) < MOST:  # whatever it delivered whole is judged
            assert all(inside(brought, *each) for each in whole if inside(pieces.of("d", "1"), *each))
