"""A whole small lesson: three kinds of exercise and one prediction. Its texts stand in ../texts/en/90.toml."""

from labkit.lessons.exercises import ChoiceExercise, FunctionExercise, ValueExercise, mistake
from labkit.lessons.predictions import Prediction

RARITY = FunctionExercise(
    "rarity",
    stub='''
import math


def rarity(N, n):
    """N sections in all, n of them hold the word."""
    return ...


lesson.check("rarity", rarity)
''',
    solution='''
import math


def rarity(N, n):
    """N sections in all, n of them hold the word."""
    return math.log((N - n + 0.5) / (n + 0.5))


lesson.check("rarity", rarity)
''',
    cases=[(8, 2), (8, 5), (154, 2), (154, 106), (20, 1)],
    mistakes=[
        mistake("upside-down", ("(N - n + 0.5) / (n + 0.5)", "(n + 0.5) / (N - n + 0.5)")),
        mistake("no-halves", (" + 0.5", "")),
        mistake("textbook", ("(N - n + 0.5) / (n + 0.5)", "N / n")),
        mistake("base-10", ("math.log(", "math.log10(")),
        mistake("base-2", ("math.log(", "math.log2(")),
        mistake("no-logarithm", ("math.log(", "(")),
        mistake("lucene", ("math.log(", "math.log(1 + ")),
        mistake("brackets", ("(N - n + 0.5) / (n + 0.5)", "N - n + 0.5 / n + 0.5")),
    ],
)

WITHOUT = ValueExercise(
    "without",
    given="sections = 8\nwith_word = 2",
    stub='''
answer = ...
lesson.check("without", answer)
''',
    solution='''
answer = sections - with_word
lesson.check("without", answer)
''',
    mistakes=[
        mistake("with-it", value=2),
        mistake("all", value=8),
        mistake("occurrences", value=5),
    ],
)

CAUSES = ChoiceExercise(
    "causes",
    choices=("source", "wording", "language"),
    stub='''
causes = {
    "Q05": ...,
    "Q13": ...,
}
lesson.check("causes", causes)
''',
    solution='''
causes = {
    "Q05": "wording",
    "Q13": "language",
}
lesson.check("causes", causes)
''',
    mistakes=[
        mistake("all-sources", value={"Q05": "source", "Q13": "source"}),
        mistake("swapped", value={"Q05": "language", "Q13": "wording"}),
        mistake("q13-wording", value={"Q13": "wording"}),
    ],
)

EXERCISES = [RARITY, WITHOUT, CAUSES]
PREDICTIONS = [Prediction("twice", 1.5, form=".2f", low=0)]
