"""Lesson 09, an equal budget: the learner spends a budget of words by the course's rule, counts words that overlap once, and says what is
unfair in a comparison."""

from __future__ import annotations

from labkit.lessons.exercises import ChoiceExercise, FunctionExercise, mistake
from labkit.lessons.predictions import Prediction

LIMIT = 20
RESULTS = [
    ("Care", "Descale the kettle every month."),
    ("Care", "Use water and vinegar, half each."),
    ("Care", "half each. Boil it, wait, rinse twice."),
    ("Care", "Never use bleach."),
]
"""Four results in rank order, as (title, text): 6, 7, 8 and 4 words with titles; the third begins with the end of the second."""

_MIXED = [
    ("Opening hours", "Closed."),
    ("Gift cards", "A gift card cannot be returned, refunded or exchanged."),
    ("", "We pay your refund within five business days."),
    ("Points", "They lapse."),
]  # 3, 11, 8 and 3 words

_SIGNATURE = '''
def within_budget(results, limit):
    """What a reader with room for `limit` words gets: [ranks], and how many words.

    results: (title, text) pairs in rank order. Titles are read too.
    """
'''

WITHIN_BUDGET = FunctionExercise(
    "within-budget",
    stub=_SIGNATURE
    + '''    ranks, used = [], 0
    for rank, (title, text) in enumerate(results, start=1):
        cost = ...  # the words of this result
        if ...:  # when is it time to stop?
            break
        ranks.append(rank)
        used = used + cost
    return ranks, used


lesson.check("within-budget", within_budget)
''',
    solution=_SIGNATURE
    + '''    ranks, used = [], 0
    for rank, (title, text) in enumerate(results, start=1):
        cost = len(title.split()) + len(text.split())  # the words of this result
        if used + cost > limit:  # when is it time to stop?
            break
        ranks.append(rank)
        used = used + cost
    return ranks, used


lesson.check("within-budget", within_budget)
''',
    cases=[
        (RESULTS, LIMIT),
        (RESULTS, 13),
        (RESULTS[1:], 6),
        (RESULTS, 100),
        (_MIXED, 16),
        (_MIXED, 22),
        ([], 20),
    ],
    mistakes=[
        mistake("one-too-many", ("if used + cost > limit:", "if used > limit:")),
        mistake("crossing-taken", ("if used + cost > limit:", "if used >= limit:")),
        mistake("skipped", ("            break\n", "            continue\n")),
        mistake("exact-left-out", ("used + cost > limit", "used + cost >= limit")),
        mistake("titles-free", ("len(title.split()) + len(text.split())", "len(text.split())")),
        mistake("glued", ("len(title.split()) + len(text.split())", "len((title + text).split())")),
        mistake("titles-alone", ("len(title.split()) + len(text.split())", "len(title.split())")),
        mistake("characters", ("len(title.split()) + len(text.split())", "len(title) + len(text)")),
        mistake("characters-of-the-text", ("len(title.split()) + len(text.split())", "len(text)")),
        mistake("cost-alone", ("if used + cost > limit:", "if cost > limit:")),
        mistake("no-stop", ("if used + cost > limit:", "if False:")),
        mistake("stops-at-once", ("if used + cost > limit:", "if used + cost <= limit:")),
        mistake("first-always", ("if used + cost > limit:", "if ranks and used + cost > limit:")),
        mistake(
            "cut-to-fill",
            ("            break\n",
             "            if used < limit:\n                ranks.append(rank)\n                used = limit\n            break\n"),
        ),
        mistake("ranks-from-zero", (", start=1", "")),
        mistake("limit-returned", ("return ranks, used", "return ranks, limit")),
        mistake(
            "repeats-free",
            (
                "cost = len(title.split()) + len(text.split())",
                "new = {*title.split(), *text.split()} - {word for t in results[: rank - 1] for part in t for word in part.split()}\n"
                "        cost = len(new)",
            ),
        ),
        mistake(
            "overlap-free",
            (
                "cost = len(title.split()) + len(text.split())",
                "before = results[rank - 2][1].split() if rank > 1 else []\n"
                "        mine = text.split()\n"
                "        shared = max((n for n in range(len(mine) + 1) if before[len(before) - n :] == mine[:n]), default=0)\n"
                "        cost = len(title.split()) + len(mine) - shared",
            ),
        ),
        mistake(
            "shortest-first",
            (
                "enumerate(results, start=1)",
                "sorted(enumerate(results, start=1), key=lambda each: len(' '.join(each[1]).split()))",
            ),
        ),
        mistake(
            "best-filling",
            source=_SIGNATURE
            + '''    from itertools import combinations

    lengths = [len(" ".join(each).split()) for each in results]
    best = ()
    for number in range(len(results) + 1):
        for chosen in combinations(range(len(results)), number):
            words = sum(lengths[place] for place in chosen)
            if words <= limit and words > sum(lengths[place] for place in best):
                best = chosen
    return [place + 1 for place in best], sum(lengths[place] for place in best)


lesson.check("within-budget", within_budget)
''',
        ),
        mistake(
            "equal-shares",
            source=_SIGNATURE
            + '''    ranks, used = [], 0
    for rank, (title, text) in enumerate(results, start=1):
        ranks.append(rank)
        used += min(len(title.split()) + len(text.split()), limit // len(results))
    return ranks, used


lesson.check("within-budget", within_budget)
''',
        ),
    ],
)

UNIQUE_WORDS = FunctionExercise(
    "unique-words",
    stub='''
def unique_words(spans):
    """How many words of a document are held at all.

    spans: (first, end) of each passage, counted in words from 0; `end` is not inside.
    """
    held = set()
    for first, end in spans:
        ...
    return ...


lesson.check("unique-words", unique_words)
''',
    solution='''
def unique_words(spans):
    """How many words of a document are held at all.

    spans: (first, end) of each passage, counted in words from 0; `end` is not inside.
    """
    held = set()
    for first, end in spans:
        held.update(range(first, end))
    return len(held)


lesson.check("unique-words", unique_words)
''',
    cases=[
        ([(0, 100), (75, 175)],),
        ([(150, 250), (0, 100), (75, 175)],),
        ([(0, 100), (100, 200)],),
        ([(0, 50), (200, 250)],),
        ([(0, 100), (20, 40), (90, 120)],),
        ([(10, 30)],),
        ([],),
    ],
    form="g",
    mistakes=[
        mistake("words-handed-over", ("held = set()", "held = []"), ("held.update(", "held.extend(")),
        mistake("end-inside", ("range(first, end)", "range(first, end + 1)")),
        mistake("first-left-out", ("range(first, end)", "range(first + 1, end)")),
        mistake("only-the-ends", ("held.update(range(first, end))", "held.update((first, end))")),
        mistake("passages-counted", ("held.update(range(first, end))", "held.add((first, end))")),
        mistake("last-only", ("held.update(range(first, end))", "held = set(range(first, end))")),
        mistake("back-too-early", ("held.update(range(first, end))", "held.update(range(first, end))\n        return len(held)")),
        mistake("common-only", ("held.update(range(first, end))", "held = held & {*range(first, end)} if held else {*range(first, end)}")),
        mistake(
            "from-first-to-last",
            ("    return len(held)",
             "    return max((end for _, end in spans), default=0) - min((first for first, _ in spans), default=0)"),
        ),
        mistake("furthest-end", ("    return len(held)", "    return max((end for _, end in spans), default=0)")),
        mistake(
            "neighbours",
            (
                "    return len(held)",
                "    words = sum(end - first for first, end in spans)\n"
                "    for (_, end), (first, _) in zip(spans, spans[1:]):\n"
                "        words -= max(0, end - first)\n"
                "    return words",
            ),
        ),
        mistake("a-set", ("    return len(held)", "    return held")),
    ],
)

UNFAIR = ChoiceExercise(
    "unfair",
    choices=("words", "rule", "questions", "documents", "fair"),
    stub='''
unfair = {
    "A": ...,
    "B": ...,
    "C": ...,
    "D": ...,
    "E": ...,
    "F": ...,
}
lesson.check("unfair", unfair)
''',
    solution='''
unfair = {
    "A": "words",
    "B": "rule",
    "C": "questions",
    "D": "fair",
    "E": "documents",
    "F": "words",
}
lesson.check("unfair", unfair)
''',
    mistakes=[
        mistake("all-fair", value=dict.fromkeys("ABCDEF", "fair")),
        mistake("all-words", value=dict.fromkeys("ABCDEF", "words")),
        mistake("equal-k-fair", value={"A": "fair", "F": "fair"}),
        mistake("a-fair", value={"A": "fair"}),
        mistake("a-rule", value={"A": "rule"}),
        mistake("b-fair", value={"B": "fair"}),
        mistake("b-words", value={"B": "words"}),
        mistake("c-fair", value={"C": "fair"}),
        mistake("c-documents", value={"C": "documents"}),
        mistake("d-words", value={"D": "words"}),
        mistake("d-rule", value={"D": "rule"}),
        mistake("e-fair", value={"E": "fair"}),
        mistake("e-questions", value={"E": "questions"}),
        mistake("f-fair", value={"F": "fair"}),
        mistake("f-rule", value={"F": "rule"}),
    ],
)

EXERCISES = [WITHIN_BUDGET, UNIQUE_WORDS, UNFAIR]
PREDICTIONS = [
    Prediction("by-hand", 20, form=".0f", low=0, high=25),
    Prediction("five-results", 1.5, form=".1f", low=0.1, high=20),
    Prediction("lead", 3, form=".0f", low=-59, high=59),
    Prediction("fifty", 15, form=".0f", low=0, high=59),
    Prediction("own", 44, form=".0f", low=0, high=59),
]
