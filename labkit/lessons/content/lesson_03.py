"""Lesson 03, BM25 by hand: the learner writes rarity, gain and score."""

from __future__ import annotations

from labkit.lessons.exercises import FunctionExercise, mistake
from labkit.lessons.predictions import Prediction

RARITY = FunctionExercise(
    "rarity",
    stub='''
import math


def rarity(N, n):
    """How much finding a word tells: N sections in all, n of them hold the word."""
    return ...


lesson.check("rarity", rarity)
''',
    solution='''
import math


def rarity(N, n):
    """How much finding a word tells: N sections in all, n of them hold the word."""
    return math.log((N - n + 0.5) / (n + 0.5))


lesson.check("rarity", rarity)
''',
    cases=[(8, 2), (8, 3), (154, 2), (154, 30), (154, 106)],
    mistakes=[
        mistake("upside-down", ("(N - n + 0.5) / (n + 0.5)", "(n + 0.5) / (N - n + 0.5)")),
        mistake("no-halves", ("(N - n + 0.5) / (n + 0.5)", "(N - n) / n")),
        mistake("textbook", ("(N - n + 0.5) / (n + 0.5)", "N / n")),
        mistake("lucene", ("math.log(", "math.log(1 + ")),
        mistake("base-10", ("math.log(", "math.log10(")),
        mistake("base-2", ("math.log(", "math.log2(")),
        mistake("no-logarithm", ("math.log((N - n + 0.5) / (n + 0.5))", "(N - n + 0.5) / (n + 0.5)")),
        mistake("brackets", ("(N - n + 0.5) / (n + 0.5)", "N - n + 0.5 / n + 0.5")),
        mistake("scikit-learn", ("math.log((N - n + 0.5) / (n + 0.5))", "math.log((N + 1) / (n + 1)) + 1")),
        mistake("floored", ("return math.log((N - n + 0.5) / (n + 0.5))", "return max(0, math.log((N - n + 0.5) / (n + 0.5)))")),
    ],
)

GAIN = FunctionExercise(
    "gain",
    stub='''
k1 = 1.2
b = 0.75


def gain(f, length, average):
    """What f occurrences are worth in `length` words, where `average` is usual."""
    return ...


lesson.check("gain", gain)
''',
    solution='''
k1 = 1.2
b = 0.75


def gain(f, length, average):
    """What f occurrences are worth in `length` words, where `average` is usual."""
    return f * (k1 + 1) / (f + k1 * (1 - b + b * length / average))


lesson.check("gain", gain)
''',
    cases=[(2, 6, 7.25), (1, 6, 7.25), (1, 8, 7.25), (1, 9, 7.25), (5, 120, 40.5)],
    mistakes=[
        mistake("gain-is-f", ("f * (k1 + 1) / (f + k1 * (1 - b + b * length / average))", "f")),
        mistake("no-k1-plus-1", ("f * (k1 + 1)", "f")),
        mistake("one-plus-ln", source='''
import math


def gain(f, length, average):
    return 1 + math.log(f)


lesson.check("gain", gain)
'''),
        mistake("b-0", ("1 - b + b * length / average", "1")),
        mistake("b-1", ("1 - b + b * length / average", "length / average")),
        mistake("b-swapped", ("1 - b + b * length / average", "b + (1 - b) * length / average")),
        mistake("average-over-length", ("length / average", "average / length")),
        mistake("k1-1.5", ("k1 = 1.2", "k1 = 1.5")),
        mistake("brackets", ("/ (f + k1 * (1 - b + b * length / average))", "/ f + k1 * (1 - b + b * length / average)")),
        mistake("bracket-early", ("(f + k1 * (1 - b + b * length / average))", "(f + k1) * (1 - b + b * length / average)")),
        mistake("f-is-1", ("return f * (k1 + 1)", "f = 1\n    return f * (k1 + 1)")),
        mistake("no-f-below", ("(f + k1 *", "(k1 *")),
    ],
)

SCORE = FunctionExercise(
    "score",
    stub='''
def score(question, letter):
    """The BM25 score of one of the eight sections."""
    mine = section_words[letter]
    total = 0
    for word in words(question):
        f = mine.count(word)
        n = ...  # how many of the eight sections hold the word
        total = total + ...  # what this word brings
    return total


lesson.check("score", score)
''',
    solution='''
def score(question, letter):
    """The BM25 score of one of the eight sections."""
    mine = section_words[letter]
    total = 0
    for word in words(question):
        f = mine.count(word)
        n = sum(word in each for each in section_words.values())
        total = total + bm25.rarity(N, n) * bm25.gain(f, len(mine), average)
    return total


lesson.check("score", score)
''',
    given='''
from labkit import bm25, words
from labkit.lessons.content.worked_example import SECTIONS

section_words = {letter: words(text) for letter, text in SECTIONS.items()}
N = len(section_words)
average = sum(len(each) for each in section_words.values()) / N
''',
    cases=[
        ("kettle refund", "A"),
        ("kettle refund", "E"),
        ("kettle refund", "F"),
        ("refund of your card", "C"),
        ("kettle kettle", "B"),
    ],
    mistakes=[
        mistake("n-occurrences", ("sum(word in each for each", "sum(each.count(word) for each")),
        mistake("n-is-f", ("sum(word in each for each in section_words.values())", "max(f, 1)")),
        mistake("no-rarity", ("bm25.rarity(N, n) * ", "")),
        mistake("no-gain", ("bm25.gain(f, len(mine), average)", "f")),
        mistake("rarity-alone", (" * bm25.gain(f, len(mine), average)", "")),
        mistake("gain-once", ("bm25.gain(f,", "bm25.gain(min(f, 1),")),
        mistake("last-word", ("total = total + bm25", "total = bm25")),
        mistake("returned-inside", ("    return total", "        return total")),
        mistake("added", ("bm25.rarity(N, n) * bm25.gain", "bm25.rarity(N, n) + bm25.gain")),
        mistake("set", ("in words(question)", "in sorted(set(words(question)))")),
        mistake("own-length", ("len(mine), average", "len(mine), len(mine)")),
    ],
)

EXERCISES = [RARITY, GAIN, SCORE]
PREDICTIONS = [
    Prediction("twice", 1.5, form=".2f", low=0, high=10),
    Prediction("longer", "C", kind="choice", choices=("C", "E", "equal")),
    Prediction("the", 60, form=".0f", low=0, high=154),
    Prediction("raw", "no", kind="choice", choices=("yes", "no")),
]
