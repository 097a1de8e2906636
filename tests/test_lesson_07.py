"""Lesson 07's exercises: each slip gives the value that its message speaks of, on the reference's policy and on two equal paragraphs."""

import pytest

from labkit.lessons.content.lesson_07 import SPAN, WINDOWS

WINDOWS_OF_484 = {
    "step-overlap": (17, 1684),
    "step-size": (5, 484),
    "gaps": (4, 400),
    "last-left-out": (6, 600),
    "size-grown": (5, 584),
    "last-full": (7, 700),
    "a-share-more": (7, 605),
    "joins": (7, 659),
    "repeats-once": (7, 484),
    "one-too-few": (7, 628),
    "one-too-many": (7, 640),
}
SECOND_REFUND = {
    "first-copy": (11, 28),
    "end-inside": (30, 46),
    "bytes": (34, 51),
    "decomposed": (32, 49),
    "joined": (28, 45),
    "words-added": (30, 34),
    "words-counted": (8, 12),
    "from-1": (31, 48),
    "line-ends": (26, 43),
    "line-end-kept": (30, 48),
}


def value(exercise, key, case):
    """What an exercise's function gives with this slip in it."""
    [slip] = [each for each in exercise.mistakes if each.key == key]
    return exercise.evaluate(slip.cell(exercise.solution))(*case)


@pytest.mark.parametrize(("key", "wrong"), WINDOWS_OF_484.items())
def test_windows(key, wrong):
    case = (484, 100, 25)
    assert WINDOWS.reference(*case) == (7, 634)
    assert value(WINDOWS, key, case) == wrong


@pytest.mark.parametrize(("key", "wrong"), SECOND_REFUND.items())
def test_span(key, wrong):
    case = SPAN.cases[0]
    assert SPAN.reference(*case) == (30, 47)
    assert value(SPAN, key, case) == wrong
