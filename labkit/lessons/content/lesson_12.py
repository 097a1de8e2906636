"""Lesson 12, hybrid retrieval: the learner fuses two rankings by reciprocal ranks, lays scores between 0 and 1, and chooses a weight on one
half of the questions."""

from __future__ import annotations

from labkit.lessons.exercises import FunctionExercise, mistake
from labkit.lessons.predictions import Prediction

ASKED = (3, 4)
TINY = [
    ("A kettle broke: your money back. (twice as long)", (6, 8)),
    ("How kettles are mended.", (0, 5)),
    ("What a loan costs.", (5, 0)),
    ("Who may sit on the board.", (-4, 3)),
]
"""A question and four texts as two made-up numbers each: how much it is about money, and about things that break."""

RANKINGS = [
    [("a", 20.4), ("b", 19.0), ("c", 6.2)],
    [("c", 0.85), ("a", 0.80), ("d", 0.31)],
]
"""Two searches, best first, as (id, score): by words and by meaning."""

_TWICE = [[("a", 20.4), ("b", 19.0), ("a", 6.2)], RANKINGS[1]]
_RRF = '''
def rrf(item, rankings, k=60):
    """The fused score of one item, by reciprocal ranks.

    rankings: lists of (id, score), best first. An id may stand twice in a list.
    """
    total = 0.0
    for ranking in rankings:
        names = [name for name, score in ranking]
'''
_POINTS = '''        if item in names:
            total = total + 1 / (k + names.index(item) + 1)
'''
_RRF_END = '''    return total


lesson.check("rrf", rrf)
'''
_OTHERWISE = "lesson.check(\"rrf\", rrf)\n"


def _fused(body: str) -> str:
    return f"\ndef rrf(item, rankings, k=60):\n{body}\n\n{_OTHERWISE}"


RRF = FunctionExercise(
    "rrf",
    stub=_RRF + "        ...\n" + _RRF_END,
    solution=_RRF + _POINTS + _RRF_END,
    cases=[
        ("a", RANKINGS),
        ("b", RANKINGS),
        ("c", RANKINGS),
        ("d", RANKINGS),
        ("a", _TWICE),
        ("z", RANKINGS),
        ("a", RANKINGS, 10),
        ("b", [*RANKINGS, [("d", 7.5), ("b", 7.0), ("a", 1.5)]]),
        ("a", []),
    ],
    form=".6f",
    tolerance=1e-6,
    recognise=1e-5,
    mistakes=[
        mistake("no-plus-one", ("names.index(item) + 1)", "names.index(item))")),
        mistake("one-twice", ("names.index(item) + 1)", "names.index(item) + 2)")),
        mistake("k-fixed", ("(k + names", "(60 + names")),
        mistake("k-left-out", ("(k + names", "(names")),
        mistake("mean", ("return total", "return total / max(1, sum(any(item == name for name, _ in ranking) for ranking in rankings))")),
        mistake("mean-of-all", ("return total", "return total / max(1, len(rankings))")),
        mistake("first-list", ("in rankings:", "in rankings[:1]:")),
        mistake("last-list", ("total = total + 1 /", "total = 1 /")),
        mistake("stops-early", ("            total = total + 1 /", "            return 1 /")),
        mistake("best-only", ("total = total + 1 / (k + names.index(item) + 1)", "total = max(total, 1 / (k + names.index(item) + 1))")),
        mistake(
            "one-fraction",
            source=_fused(
                "    names = [[name for name, _ in ranking] for ranking in rankings]\n"
                "    ranks = [each.index(item) for each in names if item in each]\n"
                "    return 1 / (k + sum(ranks) + 1) if ranks else 0.0\n"
            ),
        ),
        mistake(
            "product",
            source=_fused(
                "    total = 1.0\n"
                "    for ranking in rankings:\n"
                "        names = [name for name, _ in ranking]\n"
                "        total = total * (1 / (k + names.index(item) + 1) if item in names else 0.0)\n"
                "    return total\n"
            ),
        ),
        mistake("scores-added", ("1 / (k + names.index(item) + 1)", "ranking[names.index(item)][1]")),
        mistake("score-above", ("1 / (k + names.index(item) + 1)", "ranking[names.index(item)][1] / (k + names.index(item) + 1)")),
        mistake(
            "duplicate-twice",
            ("        if item in names:\n            total = total + 1 / (k + names.index(item) + 1)",
             "        for rank, name in enumerate(names):\n            if name == item:\n"
             "                total = total + 1 / (k + rank + 1)"),
        ),
        mistake(
            "rank-of-each",
            ("        if item in names:\n            total = total + 1 / (k + names.index(item) + 1)",
             "        for rank, name in enumerate(names):\n            if name == item:\n"
             "                total = total + 1 / (k + rank)"),
        ),
        mistake("worst-place", ("names.index(item) + 1)", "len(names) - 1 - names[::-1].index(item) + 1)")),
        mistake("share-of-list", ("1 / (k + names.index(item) + 1)", "1 - names.index(item) / len(names)")),
        mistake("rank-above", ("1 / (k + names.index(item) + 1)", "(names.index(item) + 1) / k")),
        mistake(
            "missing-first",
            ("        if item in names:\n            total = total + 1 / (k + names.index(item) + 1)",
             "        rank = names.index(item) if item in names else 0\n        total = total + 1 / (k + rank + 1)"),
        ),
        mistake(
            "missing-last",
            ("        if item in names:\n            total = total + 1 / (k + names.index(item) + 1)",
             "        rank = names.index(item) if item in names else len(names)\n        total = total + 1 / (k + rank + 1)"),
        ),
    ],
)  # fmt: skip

_MIN_MAX = '''
def min_max(scores):
    """The scores of one ranking, laid between 0 (its lowest) and 1 (its highest).

    scores: at least one number, in any order.
    """
    low, high = min(scores), max(scores)
    if ...:
        return ...
    return [... for score in scores]


lesson.check("min-max", min_max)
'''
_SCALED = "(score - low) / (high - low)"

MIN_MAX = FunctionExercise(
    "min-max",
    stub=_MIN_MAX,
    solution=_MIN_MAX.replace("if ...:", "if high == low:  # all equal: nothing to divide by")
    .replace("return ...", "return [1.0 for score in scores]")
    .replace("[... for", f"[{_SCALED} for"),
    cases=[
        ([20.4, 19.0, 6.2],),
        ([0.5, 0.5, 0.5],),
        ([0.85, 0.80, 0.31],),
        ([3.0],),
        ([-0.2, 0.1, 0.4, 0.1],),
        ([0.0, 0.0],),
        ([-2.0, -8.0],),
    ],
    mistakes=[
        mistake("equal-zero", ("[1.0 for score", "[0.0 for score")),
        mistake("equal-half", ("[1.0 for score", "[0.5 for score")),
        mistake("equal-kept", ("[1.0 for score in scores]", "scores")),
        mistake("equal-shared", ("[1.0 for score in scores]", "[1 / len(scores) for score in scores]")),
        mistake("low-kept", (_SCALED, "score / (high - low)")),
        mistake("by-highest", (_SCALED, "score / high if high else 0.0")),
        mistake("half-a-scale", (_SCALED, "(score - low) / high if high else 0.0")),
        mistake("upside-down", (_SCALED, "(high - score) / (high - low)")),
        mistake("no-division", (_SCALED, "score - low")),
        mistake("by-sum", (_SCALED, "score / sum(scores) if sum(scores) else 0.0")),
        mistake("by-rank", (_SCALED, "sum(other < score for other in scores) / (len(scores) - 1)")),
        mistake(
            "z-score",
            source='''
def min_max(scores):
    mean = sum(scores) / len(scores)
    deviation = (sum((score - mean) ** 2 for score in scores) / len(scores)) ** 0.5
    return [(score - mean) / deviation if deviation else 0.0 for score in scores]


lesson.check("min-max", min_max)
''',
        ),
    ],
)

_WEIGHT = '''
def tuned_weight(rows):
    """The weight to use.

    rows: (half, weight, hits); half is "tune" or "held-out". Of weights that are
    equally good, the middle one; of two middle ones, the smaller.
    """
    hits = {}
    for half, weight, n in rows:
'''
_WEIGHT_END = '''    best = [weight for weight in sorted(hits) if hits[weight] == max(hits.values())]
'''
_WEIGHT_CHECK = '''

lesson.check("tuned-weight", tuned_weight)
'''
_CHOOSE = '        if half == "tune":\n            hits[weight] = n\n'
_MIDDLE = "best[(len(best) - 1) // 2]"


def _halves(tune: dict, held_out: dict) -> list[tuple]:
    return [("tune", weight, n) for weight, n in tune.items()] + [("held-out", weight, n) for weight, n in held_out.items()]


_TABLE = _halves({0.0: 45, 0.25: 50, 0.5: 55, 0.75: 55, 1.0: 52}, {0.0: 46, 0.25: 58, 0.5: 53, 0.75: 57, 1.0: 56})
_PLATEAU = _halves({0.0: 30, 0.2: 41, 0.4: 44, 0.6: 44, 0.8: 44, 1.0: 40}, {0.0: 33, 0.2: 40, 0.4: 39, 0.6: 41, 0.8: 41, 1.0: 44})

TUNED_WEIGHT = FunctionExercise(
    "tuned-weight",
    stub=_WEIGHT + "        ...\n" + _WEIGHT_END + "    return ...\n" + _WEIGHT_CHECK,
    solution=_WEIGHT + _CHOOSE + _WEIGHT_END + f"    return {_MIDDLE}\n" + _WEIGHT_CHECK,
    cases=[
        (_TABLE,),
        (_PLATEAU,),
        (_PLATEAU[::-1],),
        (_halves({0.0: 12, 0.5: 20, 1.0: 15}, {0.0: 25, 0.5: 10, 1.0: 12}),),
        (_halves({0.1: 9, 0.2: 9, 0.3: 9, 0.4: 9}, {0.1: 3, 0.2: 4, 0.3: 5, 0.4: 9}),),
        ([("tune", 0.7, 4), ("held-out", 0.7, 5)],),
    ],
    form="g",
    mistakes=[
        mistake("held-out", ('half == "tune"', 'half == "held-out"')),
        mistake("both-halves", (_CHOOSE, "        hits[weight] = hits.get(weight, 0) + n\n")),
        mistake("last-row", (_CHOOSE, "        hits[weight] = n\n")),
        mistake("better-half", (_CHOOSE, "        hits[weight] = max(n, hits.get(weight, 0))\n")),
        mistake("first-best", (_MIDDLE, "best[0]")),
        mistake("last-best", (_MIDDLE, "best[-1]")),
        mistake("larger-middle", (_MIDDLE, "best[len(best) // 2]")),
        mistake("mean-of-best", (_MIDDLE, "sum(best) / len(best)")),
        mistake("hits-returned", (_MIDDLE, "max(hits.values())")),
        mistake("all-of-them", (_MIDDLE, "best")),
        mistake("worst", ("== max(hits", "== min(hits")),
        mistake("largest-weight", (_MIDDLE, "max(hits)")),
    ],
)

NEEDS = {"northmark.csv": "11"}
EXERCISES = [RRF, MIN_MAX, TUNED_WEIGHT]
PREDICTIONS = [
    Prediction("longer", 0.9, form=".2f", low=-1, high=1),
    Prediction("model", "english", kind="choice", choices=("multilingual", "english")),
    Prediction("together", 60, form=".0f", low=0, high=80),
    Prediction("held-out", 30, form=".0f", low=0, high=80),
    Prediction("warranty", 3, form=".0f", low=1, high=204),
]
