import pytest
from evaluation_cases import filler, passage, question

from labkit.evaluation.relevance import Gold, gold_sections, is_relevant, places_of, relevant_found

ASKED = question("Q1", ("returns", "Return window", "3"))


@pytest.mark.parametrize(
    ("found", "right"),
    [
        (passage("returns", "Return window", version="3"), True),
        (passage("returns", "Return window", version="2"), False),  # last year's version
        (passage("returns", "Return window", version="4"), False),
        (passage("returns", "Refunds", version="3"), False),  # right document, another section
        (passage("exchanges", "Return window", version="3"), False),  # right section name, another document
        (passage("returns", "return-window", version="3"), True),  # a slug is as good as a heading
        (passage("returns", "RETURN  window!", version="3"), True),
        (passage("returns", "Return window-2", version="3"), False),  # the second heading of that name is another section
        (passage("returns", "Refunds", "Return window", "Costs", version="3"), True),  # a long chunk holds part of it
        (passage("returns", "Return window", version="3", text=" \n\t\n "), False),  # nothing that can be read
        (passage("returns", "Return window", version="3", text=""), False),
        (passage("returns", "Return window", version="3", text="\n x"), True),  # one character that is not blank
        (passage("returns", "Return window", version="3", text=" ", context="Return window"), False),  # context is not the section's text
    ],
)
def test_document_version_and_section_must_all_agree(found, right):
    assert is_relevant(ASKED, found) is right


def test_a_passage_without_sections_is_relevant_to_nothing():
    found = passage("returns", version="3")
    object.__setattr__(found, "sections", ())  # a text before the first heading
    assert not is_relevant(ASKED, found)


def test_accents_composed_or_not_name_one_section():
    asked = question("Q", ("garantie", "Garantie prolong\u00e9e"))
    assert is_relevant(asked, passage("garantie", "Garantie prolonge\u0301e"))


def test_no_relevant_entry_nothing_is_relevant():
    nobody = question("Q2")
    assert gold_sections(nobody) == ()
    assert not is_relevant(nobody, passage())
    assert relevant_found(nobody, [passage(), filler()]) == [(), ()]


def test_gold_keeps_its_order_and_counts_a_section_once():
    asked = question("Q", ("b", "Two words"), ("a", "One"), ("b", "two-words"), ("a", "One", "2"))
    assert gold_sections(asked) == (Gold("b", "1", "two-words"), Gold("a", "1", "one"), Gold("a", "2", "one"))


def test_relevant_found_says_which_for_each_result():
    asked = question("Q", ("a", "One"), ("a", "Two"))
    results = [filler(), passage("a", "Two", "One"), passage("a", "Three"), passage("a", "One")]
    one, two = gold_sections(asked)
    assert relevant_found(asked, results) == [(), (one, two), (), (one,)]


def test_a_place_reads_as_an_id():
    assert [str(place) for place in places_of(passage("a", "Return window", version="3"))] == ["a@v3#return-window"]
