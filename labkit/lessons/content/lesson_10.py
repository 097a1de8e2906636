"""Lesson 10, is it a difference? The learner writes the exact sign test, the rule by which a passage is evidence, and Holm's adjustment."""

from __future__ import annotations

from labkit.lessons.exercises import FunctionExercise, mistake
from labkit.lessons.predictions import Prediction

_SIGNATURE = '''
from math import comb


def sign_test(both, only_a, only_b, neither):
    """The two-sided p: how often luck alone gives something at least as lopsided.

    Numbers of questions: hit by both searches, by A alone, by B alone, by neither.
    """
'''
_CHECK = '\n\nlesson.check("sign-test", sign_test)\n'


def _instead(body: str) -> str:
    """The cell with another body."""
    return _SIGNATURE + body + _CHECK


SIGN_TEST = FunctionExercise(
    "sign-test",
    stub=_SIGNATURE
    + '''    differ = ...  # the questions that speak
    most = ...  # how many of them the better one won
    # comb(n, k): in how many ways k of n coins fall heads
    ways = sum(comb(differ, wins) for wins in range(most, differ + 1))
    return ...
'''
    + _CHECK,
    solution=_SIGNATURE
    + '''    differ = only_a + only_b  # the questions that speak
    most = max(only_a, only_b)  # how many of them the better one won
    # comb(n, k): in how many ways k of n coins fall heads
    ways = sum(comb(differ, wins) for wins in range(most, differ + 1))
    return min(1.0, 2 * ways / 2**differ)
'''
    + _CHECK,
    cases=[(46, 5, 1, 7), (40, 6, 0, 13), (33, 2, 7, 17), (30, 3, 3, 23), (31, 9, 2, 17), (4, 6, 2, 3), (1, 6, 2, 1)],
    mistakes=[
        mistake("one-sided", ("2 * ways", "ways")),
        mistake("one-sided-from-a", ("max(only_a, only_b)", "only_a"), ("min(1.0, 2 * ways / 2**differ)", "ways / 2**differ")),
        mistake("wins-less-losses", ("only_a + only_b", "abs(only_a - only_b)")),
        mistake("divided-by-questions", ("min(1.0, 2 * ways / 2**differ)", "2 * ways / differ")),
        mistake("only-the-outcome", ("range(most, differ + 1)", "[most]")),
        mistake("above-one", ("min(1.0, 2 * ways / 2**differ)", "2 * ways / 2**differ")),
        mistake("a-alone-can-win", ("max(only_a, only_b)", "only_a")),
        mistake("the-loser", ("max(only_a, only_b)", "min(only_a, only_b)")),
        mistake("ways-only", ("min(1.0, 2 * ways / 2**differ)", "2 * ways")),
        mistake("one-way-only", ("min(1.0, 2 * ways / 2**differ)", "ways")),
        mistake("share-of-coins", ("min(1.0, 2 * ways / 2**differ)", "ways / differ")),
        mistake("share-of-wins", ("min(1.0, 2 * ways / 2**differ)", "most / differ")),
        mistake("one-minus-p", ("min(1.0, 2 * ways / 2**differ)", "1 - min(1.0, 2 * ways / 2**differ)")),
        mistake("one-minus-all", ("min(1.0, 2 * ways / 2**differ)", "1 - 2 * ways / 2**differ")),
        mistake("all-toss", ("differ = only_a + only_b", "differ = both + only_a + only_b + neither")),
        mistake("those-that-agree", ("differ = only_a + only_b", "differ = both + neither")),
        mistake("all-questions", ("2**differ", "2 ** (both + only_a + only_b + neither)")),
        mistake("ties-lost", ("differ = only_a + only_b", "differ = both + only_a + only_b + neither"),
                ("max(only_a, only_b)", "max(only_a, differ - only_a)")),
        mistake("ties-shared", ("differ = only_a + only_b", "differ = both + only_a + only_b + neither"),
                ("max(only_a, only_b)", "max(only_a, only_b) + (both + neither + 1) // 2")),
        mistake("against-a-coin", ("differ = only_a + only_b", "differ = both + only_a + only_b + neither"),
                ("max(only_a, only_b)", "max(both + only_a, only_b + neither)")),
        mistake("unpaired", source=_instead("""    from math import erfc, sqrt

    n = both + only_a + only_b + neither
    a, b = (both + only_a) / n, (both + only_b) / n
    pooled = (a + b) / 2
    z = (a - b) / sqrt(pooled * (1 - pooled) * 2 / n)
    return erfc(abs(z) / sqrt(2))
""")),
        mistake("chi-square", source=_instead("""    from math import erfc, sqrt

    return erfc(sqrt((only_a - only_b) ** 2 / (only_a + only_b) / 2))
""")),
        mistake("chi-square-corrected", source=_instead("""    from math import erfc, sqrt

    apart = max(0, abs(only_a - only_b) - 1)
    return erfc(sqrt(apart**2 / (only_a + only_b) / 2))
""")),
    ],
)  # fmt: skip

EVIDENCE = FunctionExercise(
    "evidence",
    stub='''
def evidence(quote, passages):
    """Does one of the passages hold the whole quote?

    All are (start, end), characters of one document; `end` is not inside.
    """
    return ...


lesson.check("evidence", evidence)
''',
    solution='''
def evidence(quote, passages):
    """Does one of the passages hold the whole quote?

    All are (start, end), characters of one document; `end` is not inside.
    """
    return any(start <= quote[0] and quote[1] <= end for start, end in passages)


lesson.check("evidence", evidence)
''',
    cases=[
        ((90, 110), [(0, 100), (100, 200)]),
        ((90, 110), [(0, 100), (75, 175)]),
        ((90, 110), [(0, 95), (105, 200)]),
        ((0, 100), [(0, 100)]),
        ((150, 180), [(160, 170)]),
        ((150, 180), [(100, 170), (300, 400)]),
        ((150, 180), [(160, 400)]),
        ((150, 180), [(120, 200), (300, 400)]),
        ((150, 180), [(150, 300)]),
        ((150, 180), [(100, 180)]),
        ((150, 180), [(100, 120), (300, 400)]),
        ((150, 180), []),
        ((150, 180), [(100, 200), (120, 220)]),
    ],
    mistakes=[
        mistake("touches", ("start <= quote[0] and quote[1] <= end", "start < quote[1] and quote[0] < end")),
        mistake("begins-inside", ("start <= quote[0] and quote[1] <= end", "start <= quote[0] < end")),
        mistake("ends-inside", ("start <= quote[0] and quote[1] <= end", "start < quote[1] <= end")),
        mistake("strict", ("start <= quote[0] and quote[1] <= end", "start < quote[0] and quote[1] < end")),
        mistake("end-strict", ("quote[1] <= end", "quote[1] < end")),
        mistake("start-strict", ("start <= quote[0]", "start < quote[0]")),
        mistake("turned-round", ("start <= quote[0] and quote[1] <= end", "quote[0] <= start and end <= quote[1]")),
        mistake("same-span", ("any(start <= quote[0] and quote[1] <= end for start, end in passages)", "quote in passages")),
        mistake("or-for-and", ("quote[0] and quote[1]", "quote[0] or quote[1]")),
        mistake("every-one", ("any(", "all(")),
        mistake("all-of-some", ("return any(", "return bool(passages) and all(")),
        mistake("counted", ("any(", "sum(")),
        mistake("first-only", ("in passages)", "in passages[:1])")),
        mistake("from-first-to-last", ("any(start <= quote[0] and quote[1] <= end for start, end in passages)",
                "bool(passages) and min(s for s, _ in passages) <= quote[0] and quote[1] <= max(e for _, e in passages)")),
        mistake("together", ("any(start <= quote[0] and quote[1] <= end for start, end in passages)",
                "set(range(*quote)) <= {place for passage in passages for place in range(*passage)}")),
    ],
)  # fmt: skip

HOLM = FunctionExercise(
    "holm",
    stub='''
def holm(p_values):
    """The p-values of a family, adjusted by Holm's rule, in the order given."""
    adjusted = [0.0] * len(p_values)
    running = 0.0
    left = len(p_values)  # how many are not yet taken
    for place in sorted(range(len(p_values)), key=lambda each: p_values[each]):
        running = ...
        adjusted[place] = running
        left = left - 1
    return adjusted


lesson.check("holm", holm)
''',
    solution='''
def holm(p_values):
    """The p-values of a family, adjusted by Holm's rule, in the order given."""
    adjusted = [0.0] * len(p_values)
    running = 0.0
    left = len(p_values)  # how many are not yet taken
    for place in sorted(range(len(p_values)), key=lambda each: p_values[each]):
        running = max(running, min(1.0, left * p_values[place]))
        adjusted[place] = running
        left = left - 1
    return adjusted


lesson.check("holm", holm)
''',
    cases=[
        ([0.01, 0.03, 0.04],),
        ([0.04, 0.01, 0.03],),
        ([0.2188],),
        ([0.8, 0.9],),
        ([0.6, 0.02, 0.5, 0.021],),
        ([1.0, 0.0213, 0.0129, 0.3438],),
    ],
    mistakes=[
        mistake("no-running-maximum", ("max(running, min(1.0, left * p_values[place]))", "min(1.0, left * p_values[place])")),
        mistake("left-alone", ("max(running, min(1.0, left * p_values[place]))", "left * p_values[place]")),
        mistake("all-alone", ("max(running, min(1.0, left * p_values[place]))", "len(p_values) * p_values[place]")),
        mistake("bonferroni", ("max(running, min(1.0, left * p_values[place]))", "min(1.0, len(p_values) * p_values[place])")),
        mistake("above-one", ("min(1.0, left * p_values[place])", "left * p_values[place]")),
        mistake("as-they-were", ("max(running, min(1.0, left * p_values[place]))", "p_values[place]")),
        mistake("largest-first", ("p_values[each])", "-p_values[each])")),
        mistake("one-too-few", ("left * p_values[place]", "(left - 1) * p_values[place]")),
        mistake("divided", ("left * p_values[place]", "p_values[place] / left")),
        mistake("added-up", ("max(running, min(1.0, left * p_values[place]))", "min(1.0, running + left * p_values[place])")),
        mistake("summed", ("max(running, min(1.0, left * p_values[place]))", "running + left * p_values[place]")),
        mistake("order-lost", ("return adjusted", "return sorted(adjusted)")),
        mistake("not-sorted", ("sorted(range(len(p_values)), key=lambda each: p_values[each])", "range(len(p_values))")),
    ],
)

EXERCISES = [SIGN_TEST, EVIDENCE, HOLM]
PREDICTIONS = [
    Prediction("luck", 0.05, form=".4f", low=0, high=1),
    Prediction("differ", 20, form=".0f", low=0, high=59),
    Prediction("five-points", 100, form=".0f", low=1),
    Prediction("sprinkler", "yes", kind="choice", choices=("yes", "no")),
    Prediction("whole-answers", "overlapping", kind="choice", choices=("structure-aware", "fixed", "overlapping")),
    Prediction("crumbs", 40, form=".0f", low=0, high=59),
]
