"""Where sentences begin (lesson 07)."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.chunking.sentences import sentence_starts

# one text a row; the sentences are marked off by ¦
CASES = [
    "One sentence.",
    "no end",
    "One. ¦Two! ¦Three? ¦Four… ¦Five",
    "Is it covered? ¦No. ¦We say so.",
    "One.\n¦Two on another line.\r\n¦Three.",
    "It costs 3.50 dollars. ¦It is 5.5 kg.",
    "Kit PK-2200-07 fits. ¦2 nozzles come with it.",
    "Bring tools, e.g. A spade. ¦Or none.",
    "Ask J. Smith or Dr. Tremblay. ¦Mrs. Roy knows too.",
    "See No. 5 and art. 12, p. 3. ¦Then sign.",
    "Wait ... and see. ¦Then go.",
    'He said "Stop." ¦She did (at once.) ¦Then he left.',
    "**Note.** ¦*Another* one. ¦_Third._ ¦Fourth.",
    "« Oui ! » ¦Ensuite ? ¦L’été arrive. ¦« Non. »",
    "Est-ce couvert ? ¦Non : voir M. Roy. ¦Élise le dit.",
    "1. Take it off. ¦2. Put it back.",
    "12. 13. 14.",
    "Ab. 13.",
    "Approx. 5 days. ¦Five.",
    "End.¦",
    "no space.After it. ¦Yes.",
    "Write to a@b.ca. ¦Thanks!",
    "Done.) ¦Next.",
    'Yes. ¦"No," she said.',
    "Really?! ¦Yes!!",
    "¿Qué? ¦Nada.",
    "a sentence. with a small letter",
]


@pytest.mark.parametrize("marked", CASES)
def test_where_sentences_begin(marked):
    parts = [part for part in marked.split("¦") if part]
    text = "".join(parts)
    starts = sentence_starts(text)
    assert [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)] == parts


def test_a_span_of_a_text():
    text = "One. Two. Three. Four."
    assert sentence_starts(text, 4, 17) == [5, 10]
    assert sentence_starts(text, 4, 5) == sentence_starts("") == sentence_starts(" \n") == []


@given(st.text("aB1.?!… \n\"'»)*é|-"), st.integers(0, 10))
def test_each_begins_a_word_and_none_is_lost(text, start):
    starts = sentence_starts(text, start)
    assert starts == sorted(set(starts))
    assert all(not text[at].isspace() and (at == 0 or at == starts[0] or text[at - 1].isspace()) for at in starts)
    assert bool(starts) == bool(text[start:].strip())


@pytest.mark.parametrize(
    "text", ["1. " * 100_000, "a. " * 100_000, ". " + " " * 200_000, '."' * 100_000, "Ab. " * 100_000, ". )" * 100_000]
)
def test_a_text_of_dots_takes_no_time(text):
    begun = time.process_time()
    sentence_starts(text)
    assert time.process_time() - begun < 3
