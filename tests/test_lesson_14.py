"""Lesson 14's exercises: each slip gives the value that its message speaks of, on the kettle that leaks and on the workshop's question."""

import pytest

from labkit.lessons.content.lesson_14 import ADD_TERMS, ASKED, ENTRIES, EXPAND, QUESTION, RESULTS, SHARE

NEW_WORDS = {
    "common-taken": ["kettle", "leaks", "the", "guarantee"],
    "own-words": ["kettle", "leaks", "guarantee", "kettle"],
    "limit-left-out": ["kettle", "leaks", "guarantee", "repair"],
    "common-wanted": ["kettle", "leaks", "the", "a"],
    "rarest-first": ["kettle", "leaks", "repair", "guarantee"],
    "lightest-first": ["kettle", "leaks", "covers", "repair"],
    "by-name": ["kettle", "leaks", "covers", "guarantee"],
    "new-alone": ["guarantee", "covers"],
    "n-in-all": ["kettle", "leaks"],
    "all-taken": ["kettle", "leaks", "guarantee", "covers", "repair"],
}
TERMS = {
    "any-word": ["trader", "refund", "withdrawal"],
    "end-missed": ["trader"],
    "at-the-start": [],
    "not-there": ["withdrawal", "trader"],
}


def value(exercise, key, case):
    """What an exercise's function gives with this slip in it."""
    [slip] = [each for each in exercise.mistakes if each.key == key]
    return exercise.evaluate(slip.cell(exercise.solution))(*case)


@pytest.mark.parametrize(("key", "wrong"), NEW_WORDS.items())
def test_expand(key, wrong):
    case = (QUESTION, RESULTS, SHARE)
    assert EXPAND.reference(*case) == ["kettle", "leaks", "guarantee", "covers"]
    assert value(EXPAND, key, case) == wrong


def test_a_third_result_drags_the_question_elsewhere():
    assert EXPAND.reference(QUESTION, RESULTS, SHARE, 3, 4)[-1] == "autumn"


@pytest.mark.parametrize(("key", "wrong"), TERMS.items())
def test_add_terms(key, wrong):
    assert ADD_TERMS.reference(ASKED, ENTRIES) == [*ASKED, "trader", "refund"]
    assert value(ADD_TERMS, key, (ASKED, ENTRIES)) == [*ASKED, *wrong]
