"""Lesson 13, reranking: the learner scores by late interaction, keeps what a judge finds good enough, and says which stage lost what."""

from __future__ import annotations

from labkit.lessons.exercises import ChoiceExercise, FunctionExercise, mistake
from labkit.lessons.predictions import Prediction

QUESTION = [(1.0, 0.0), (0.0, 1.0)]
WEIGHTS = [3.0, 1.0]
"""A question of two words, as arrows of length 1: the first is rare and weighs three times as much."""
PASSAGES = {
    "A": [(0.6, 0.8), (0.8, 0.6), (-0.6, 0.8)],
    "B": [(0.96, 0.28), (-0.8, 0.6)],
    "C": [(0.0, 1.0), (0.28, 0.96), (-0.28, 0.96)],
}
"""Three passages, a word an arrow."""

_ACROSS = [(0.28, -0.96), (-1.0, 0.0)]
_MAXSIM = '''
def maxsim(question, passage, weights):
    """How well a passage fits: each word of the question looks for its nearest one.

    question, passage: (x, y) for each word, of length 1. weights: one a question word.
    The score is the weighted mean; below 0 it counts as 0.
    """
    total = 0.0
    for (x, y), weight in zip(question, weights):
'''
_MAXSIM_END = '''

lesson.check("maxsim", maxsim)
'''

MAXSIM = FunctionExercise(
    "maxsim",
    stub=_MAXSIM
    + '''        nearest = ...  # the largest cosine with a word of the passage
        total = total + weight * nearest
    return ...
'''
    + _MAXSIM_END,
    solution=_MAXSIM
    + '''        nearest = max(x * a + y * b for a, b in passage)
        total = total + weight * nearest
    return max(0.0, total / sum(weights))
'''
    + _MAXSIM_END,
    cases=[
        (QUESTION, PASSAGES["A"], WEIGHTS),
        (QUESTION, PASSAGES["B"], WEIGHTS),
        (QUESTION, PASSAGES["C"], WEIGHTS),
        ([(0.6, 0.8), (1.0, 0.0), (-0.6, 0.8)], PASSAGES["A"], [1.0, 0.5, 2.5]),
        ([(0.6, 0.8)], [(0.6, 0.8), (0.0, 1.0)], [2.0]),
        ([(-0.28, 0.96), (0.96, -0.28)], [(0.8, 0.6), (1.0, 0.0), (0.0, 1.0)], [1.0, 1.0]),
        ([(-0.6, 0.8)], [(0.6, -0.8), (0.8, -0.6)], [1.5]),
        ([(0.0, 1.0), (1.0, 0.0)], _ACROSS, [1.0, 3.0]),
        ([(1.0, 0.0), (-1.0, 0.0)], [(0.8, 0.6), (0.6, 0.8)], [3.0, 1.0]),
    ],
    mistakes=[
        mistake("all-cosines", ("max(x * a + y * b for a, b in passage)", "sum(x * a + y * b for a, b in passage) / len(passage)")),
        mistake("summed", ("total / sum(weights)", "total")),
        mistake("by-number", ("total / sum(weights)", "total / len(question)")),
        mistake("weights-forgotten", ("total + weight * nearest", "total + nearest"), ("sum(weights)", "len(question)")),
        mistake("weights-half", ("total + weight * nearest", "total + nearest")),
        mistake("by-the-passage", ("sum(weights)", "len(passage)")),
        mistake("farthest", ("max(x * a", "min(x * a")),
        mistake("below-nothing", ("max(0.0, total / sum(weights))", "total / sum(weights)")),
        mistake("each-below-nothing", ("max(x * a + y * b for a, b in passage)", "max(0.0, *(x * a + y * b for a, b in passage))")),
        mistake("absolute", ("x * a + y * b for", "abs(x * a + y * b) for")),
        mistake("first-word", ("max(x * a + y * b for a, b in passage)", "x * passage[0][0] + y * passage[0][1]")),
        mistake("crossed", ("x * a + y * b", "x * b + y * a")),
        mistake("x-alone", ("x * a + y * b", "x * a")),
        mistake("best-word-only", source=_MAXSIM + '''        pass
    return max(0.0, max(x * a + y * b for x, y in question for a, b in passage))
''' + _MAXSIM_END),
        mistake("the-other-way", source=_MAXSIM + '''        pass
    nearest = [max(x * a + y * b for x, y in question) for a, b in passage]
    return max(0.0, sum(nearest) / len(nearest))
''' + _MAXSIM_END),
    ],
)  # fmt: skip

FOUND = ["f", "c", "a", "g", "b", "e", "d"]
SCORES = {"a": 0.62, "b": 0.30, "c": 0.62, "d": 0.95, "e": 0.88, "f": 0.12, "g": 0.41}
"""Seven children as a search found them, and what a judge gives each."""

_RERANK = '''
def rerank(found, score, first=6, keep=3, least=0.30):
    """The children that a judge leaves, best first.

    found: ids, best first, as the search has them. score: id -> 0 to 1.
    Equal scores stand in the order of their ids.
    """
    judged = found[:first]
'''
_RERANK_END = '''

lesson.check("rerank", rerank)
'''

RERANK = FunctionExercise(
    "rerank",
    stub=_RERANK
    + '''    good = [each for each in judged if ...]
    good.sort(key=...)
    return good
'''
    + _RERANK_END,
    solution=_RERANK
    + '''    good = [each for each in judged if score[each] >= least]
    good.sort(key=lambda each: (-score[each], each))
    return good[:keep]
'''
    + _RERANK_END,
    cases=[
        (FOUND, SCORES),
        (FOUND, SCORES, 6, 5),
        (FOUND, SCORES, 5, 4),
        (FOUND, SCORES, 7, 2),
        (FOUND, SCORES, 6, 6, 0.70),
        (FOUND, SCORES, 3, 2, 0.99),
        (["z", "y", "x"], {"x": 0.5, "y": 0.5, "z": 0.5}, 3, 2),
        (["m", "k", "p"], {"k": 0.5, "m": 0.5, "p": 0.5}, 3, 3),
        ([], {}),
    ],
    mistakes=[
        mistake("all-judged", ("found[:first]", "found")),
        mistake("not-least", ("score[each] >= least", "True")),
        mistake("strict", (">= least", "> least")),
        mistake("worse-kept", (">= least", "< least")),
        mistake("all-kept", ("good[:keep]", "good")),
        mistake("worst-first", ("(-score[each], each)", "(score[each], each)")),
        mistake("not-sorted", ("    good.sort(key=lambda each: (-score[each], each))\n", "")),
        mistake("ties-as-found", ("(-score[each], each)", "-score[each]")),
        mistake("ties-backwards", ("good.sort(key=lambda each: (-score[each], each))",
                                   "good.sort(key=lambda each: (score[each], each), reverse=True)")),
        mistake("kept-too-soon", ("found[:first]", "found[:first][:keep]")),
        mistake("good-before-first", ("judged = found[:first]", "judged = [each for each in found if score[each] >= least][:first]")),
        mistake("filled-up", ("return good[:keep]", "rest = [one for one in judged if one not in good]\n    return (good + rest)[:keep]")),
        mistake("never-empty", ("return good[:keep]", "return good[:keep] or judged[:keep]")),
        mistake("scores-too", ("return good[:keep]", "return [(each, score[each]) for each in good[:keep]]")),
    ],
)  # fmt: skip

STAGE = ChoiceExercise(
    "which-stage",
    choices=("source", "first", "judge", "least", "budget"),
    stub='''
which_stage = {
    "A": ...,
    "B": ...,
    "C": ...,
    "D": ...,
    "E": ...,
}
lesson.check("which-stage", which_stage)
''',
    solution='''
which_stage = {
    "A": "judge",
    "B": "first",
    "C": "least",
    "D": "source",
    "E": "budget",
}
lesson.check("which-stage", which_stage)
''',
    mistakes=[
        mistake("always-judge", value=dict.fromkeys("ABCDE", "judge")),
        mistake("a-first", value={"A": "first"}),
        mistake("a-budget", value={"A": "budget"}),
        mistake("b-judge", value={"B": "judge"}),
        mistake("b-source", value={"B": "source"}),
        mistake("c-judge", value={"C": "judge"}),
        mistake("c-first", value={"C": "first"}),
        mistake("d-judge", value={"D": "judge"}),
        mistake("d-first", value={"D": "first"}),
        mistake("e-judge", value={"E": "judge"}),
        mistake("e-least", value={"E": "least"}),
    ],
)

EXERCISES = [MAXSIM, RERANK, STAGE]
PREDICTIONS = [
    Prediction("within-reach", 60, form=".0f", low=0, high=80),
    Prediction("after-words", 30, form=".0f", low=0, high=80),
    Prediction("after-both", 40, form=".0f", low=0, high=80),
    Prediction("says-nothing", 5, form=".0f", low=0, high=10),
]
