"""Questions that ask two things are parted by rule, and all others are left alone."""

import re
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from labkit.errors import BadArgument
from labkit.retrieval.sub_queries import FEWEST, MOST, sub_queries

PARTED = [
    ("by a comma and a question word", "What does it cost, and when must I pay?", ["What does it cost?", "When must I pay?"]),
    ("without the comma", "What must I do and when must I do it?", ["What must I do?", "When must I do it?"]),
    ("each part keeps the situation", "I moved. Is it free, and who must pay?", ["I moved. Is it free?", "I moved. Who must pay?"]),
    ("also one told afterwards", "Can I end it, and can they refuse? I moved.", ["I moved. Can I end it?", "I moved. Can they refuse?"]),
    ("a condition goes with both", "If he goes, may I stay, and what do I owe?", ["If he goes, may I stay?", "If he goes, what do I owe?"]),
    ("two sentences", "Is it covered? Who pays for the post?", ["Is it covered?", "Who pays for the post?"]),
    (
        "three things",
        "What is it for, where is it kept, and how long does it stay?",
        ["What is it for?", "Where is it kept?", "How long does it stay?"],
    ),
    ("a preposition before the question word", "How much is due, and by when must I pay?", ["How much is due?", "By when must I pay?"]),
    ("words between", "Is it over, and what share of the price can I ask for?", ["Is it over?", "What share of the price can I ask for?"]),
    ("but", "May they call me, but how often can they?", ["May they call me?", "How often can they?"]),
    ("a semicolon", "What does it cost; is there a discount?", ["What does it cost?", "Is there a discount?"]),
    ("a noun after the comma", "How long is it, and is the deposit lost?", ["How long is it?", "Is the deposit lost?"]),
    ("there is", "How long can I wait, and is there money for it?", ["How long can I wait?", "Is there money for it?"]),
    ("no question marks at all", "what must i do and when must i do it", ["What must i do?", "When must i do it?"]),
    ("typographic apostrophes", "Can’t I leave it, and won’t they keep it?", ["Can’t I leave it?", "Won’t they keep it?"]),
    ("words drawn together", "What's the fee, and how'll I pay it?", ["What's the fee?", "How'll I pay it?"]),
    ("with not", "Doesn't he have to answer, and hasn’t she a copy?", ["Doesn't he have to answer?", "Hasn’t she a copy?"]),
    ("a mark in brackets at the end", "Is it due (now?) and when must I pay? ...", ["Is it due (now?)?", "When must I pay?"]),
    ("line ends", "I moved.\nWhat is due,\nand when must I pay?", ["I moved. What is due?", "I moved. When must I pay?"]),
]


@pytest.mark.parametrize("kind, text, expected", PARTED, ids=[row[0] for row in PARTED])
def test_two_questions_are_two(kind, text, expected):
    assert sub_queries(text) == expected


WHOLE = [
    ("one question", "How long may I wait?"),
    ("one after the situation", "I moved house and sold the car. How long may I wait?"),
    ("two things asked of one", "Who pays for the parcel and the box?"),
    ("two verbs of one subject", "May I open the box and keep the goods?"),
    ("too short a rest", "May they charge for a bag, and how much?"),
    ("a lone why", "Is that covered? Why?"),
    ("an alternative", "Is it four days, or is it ten?"),
    ("either or", "Must we return it or do we settle the bill?"),
    ("told, then asked", "My laptop broke and can I get it mended?"),
    ("what is no question", "Does he owe me what I paid and what I lost?"),
    ("when is no question", "What happens when I cancel and when goods are late?"),
    ("how is no question", "Do they say what it is and how the goods are kept?"),
    ("a relative clause", "Who is the trader that sold it and who must mend it?"),
    ("two question words, one question", "When and where must I complain?"),
    ("how and when", "How, when and to whom must I write?"),
    ("is as a second verb", "Is the shop closed and is the only one left liable?"),
    ("has as a second verb", "What if a person keeps it and has it mended elsewhere?"),
    ("somebody else asked", 'They wrote "Is this yours?" Must I answer?'),
    ("words put in", "What, if anything, must he pay, in short, can I say?"),
    ("a relative clause after a comma", "Is it the shop, which is shut, that must pay?"),
    ("what is more, in full", "Can I leave it, and what is more, keep the money?"),
    ("what is more", "Can’t I leave it, and what’s more, keep the money?"),
    ("an abbreviation", "Does Art. 5 hold, e.g. for gas?"),
    ("a number with a point", "Is 3.5 per cent too much?"),
    ("an order, not a question", "Tell me what the fee is and what the term is."),
    ("French", "Quand dois-je payer, et combien est-ce que je dois?"),
    ("words that a search might read as syntax", 'title: NOT "x" AND (y OR z) NEAR fox*'),
    ("nothing", ""),
    ("blanks", " \n\t"),
    ("marks", "?!…"),
    ("no letters", "😀 ???"),
    ("a lone surrogate", "is it \ud800, and"),
]


@pytest.mark.parametrize("kind, text", WHOLE, ids=[row[0] for row in WHOLE])
def test_a_question_that_needs_no_breaking_stays_as_it_is(kind, text):
    assert sub_queries(text) == [text]


@pytest.mark.parametrize(
    "storm", [" " * 100_000, ", " * 30_000, "; " * 30_000, "? " * 30_000, "!" * 100_000, ")" * 100_000, "\n,\n" * 30_000]
)
def test_however_much_stands_between_it_takes_no_time(storm):
    begun = time.process_time()
    sub_queries(f"What is it{storm}and when must I pay?")
    assert time.process_time() - begun < 2


def test_a_page_is_no_question():
    page = "What can he do, and when can he do it? " * 200
    begun = time.process_time()
    assert sub_queries(page) == [page]
    assert sub_queries("what can he do, and " * 5_000) == ["what can he do, and " * 5_000]
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("text", [None, 5, b"what?", ["what?"]])
def test_what_is_no_text_is_refused(text):
    with pytest.raises(BadArgument, match="a text is needed"):
        sub_queries(text)


# --- laws ------------------------------------------------------------------------------------------------------------------------------

phrases = st.sampled_from(
    ["what must I do", "when can he come", "is it free", "how much is due", "by when must they pay", "who pays", "I moved house",
     "it broke", "if he refuses", "the shop is shut", "does she owe me money", "and", "but", "or", "what I bought", "12.50 dollars"]
)  # fmt: skip
texts = st.lists(st.tuples(phrases, st.sampled_from([" ", ", ", ". ", "? ", ", and ", " and ", "; ", "\n", '?" '])), max_size=9).map(
    lambda pairs: "".join(phrase + mark for phrase, mark in pairs)
)


def bare(text):
    return [word.lower() for word in re.findall(r"[^\W_]+", text)]


@settings(deadline=None)
@example("who pays? I moved house? ")
@given(st.one_of(texts, st.text(max_size=60)))
def test_parts_hold_the_words_of_the_text_and_no_others(text):
    parts = sub_queries(text)
    if len(parts) == 1:
        assert parts == [text]
        return
    assert len(parts) <= MOST
    own = set(bare(text))
    assert all(set(bare(part)) <= own for part in parts)
    lost = own - {word for part in parts for word in bare(part)}
    assert lost <= {"and", "but", "also", "then"}
    assert all(len(bare(part)) >= FEWEST for part in parts)


@settings(deadline=None)
@given(texts)
def test_a_part_needs_no_further_breaking(text):
    parts = sub_queries(text)
    if len(parts) > 1:
        assert [sub_queries(part) for part in parts] == [[part] for part in parts]
