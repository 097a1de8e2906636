"""Lesson 14, query expansion: the learner takes the most telling words of the first results, adds the terms of a thesaurus, and says which
kind of help a question needs."""

from __future__ import annotations

from labkit.lessons.exercises import ChoiceExercise, FunctionExercise, mistake
from labkit.lessons.predictions import Prediction

QUESTION = ["kettle", "leaks"]
RESULTS = [
    (3.0, ["a", "kettle", "leaks", "the", "guarantee", "covers", "the", "repair"]),
    (1.0, ["kettle", "guarantee", "two", "years"]),
    (0.5, ["the", "roof", "leaks", "in", "autumn"]),
]
"""Three results, best first, as (score, words): of 8, 4 and 5 words."""
SHARE = {
    "a": 0.80, "autumn": 0.01, "covers": 0.10, "guarantee": 0.08, "in": 0.70, "kettle": 0.05, "leaks": 0.04, "repair": 0.06, "roof": 0.02,
    "the": 0.90, "two": 0.30, "years": 0.20,
}  # fmt: skip
"""In what share of all texts each word stands; one of them exactly at the limit."""

_GARDEN = [
    (2.0, ["mower", "blade", "mower", "belt", "blade", "of", "of", "axle"]),
    (2.0, ["lawn", "belt"]),
    (6.0, ["mower", "price", "list"]),
]
_GARDEN_SHARE = {"axle": 0.10, "belt": 0.05, "blade": 0.06, "lawn": 0.07, "list": 0.03, "mower": 0.02, "of": 0.95, "price": 0.09}

_EXPAND = '''
def expand(question, results, share, first=2, n=2):
    """The words of the question, and the n most telling words of the first results.

    results: (score, words) pairs, best first; share: the part of all texts that
    hold a word. A word in more than a tenth of them (0.10) tells nothing.
    """
    believed = results[:first]
    total = sum(score for score, _ in believed)
    weights = {}
    for score, words in believed:
        for word in words:
'''
_EXPAND_END = '''
    telling.sort(key=lambda word: (-round(weights[word], 9), word))
    return question + telling[:n]


lesson.check("expand", expand)
'''

EXPAND = FunctionExercise(
    "expand",
    stub=_EXPAND
    + '''            part = ...  # what this occurrence weighs
            weights[word] = weights.get(word, 0) + part
    telling = [word for word in weights if ...]  # which may be taken?
'''
    + _EXPAND_END.lstrip("\n"),
    solution=_EXPAND
    + '''            part = score / total / len(words)  # what this occurrence weighs
            weights[word] = weights.get(word, 0) + part
    telling = [word for word in weights if word not in question and share[word] <= 0.10]
'''
    + _EXPAND_END.lstrip("\n"),
    cases=[
        (QUESTION, RESULTS, SHARE),
        (QUESTION, RESULTS, SHARE, 3, 4),
        (["mower"], _GARDEN, _GARDEN_SHARE),
        (["mower"], _GARDEN, _GARDEN_SHARE, 2, 3),
        (["mower"], _GARDEN, _GARDEN_SHARE, 3, 3),
        (["lawn", "mower"], _GARDEN, _GARDEN_SHARE, 3, 1),
        (["belt"], [(1.0, ["belt", "drive", "chain"]), (9.0, ["belt", "a", "b", "c", "drive", "rope"])],
         {"a": 0.5, "b": 0.5, "belt": 0.01, "c": 0.5, "chain": 0.02, "drive": 0.11, "rope": 0.03}, 2, 1),
        (["soil"], [(2.0, ["soil", "soil"])], {"soil": 0.05}),
        (["soil"], [], {}),
    ],
    mistakes=[
        mistake("common-taken", (" and share[word] <= 0.10", "")),
        mistake("own-words", ("word not in question and ", "")),
        mistake("limit-left-out", ("share[word] <= 0.10", "share[word] < 0.10")),
        mistake("common-wanted", ("share[word] <= 0.10", "share[word] > 0.10")),
        mistake("scores-forgotten", ("score / total / len(words)", "1 / len(words)")),
        mistake("length-forgotten", ("score / total / len(words)", "score / total")),
        mistake("occurrences", ("score / total / len(words)", "1")),
        mistake("multiplied", ("score / total / len(words)", "score / total * len(words)")),
        mistake("upside-down", ("score / total / len(words)", "total / score / len(words)")),
        mistake("last-weight", ("weights.get(word, 0) + part", "part")),
        mistake("once-a-text", ("for word in words:", "for word in set(words):")),
        mistake("rarity-too", ("score / total / len(words)", "score / total / len(words) / share[word]")),
        mistake("all-believed", ("results[:first]", "results")),
        mistake("one-believed", ("results[:first]", "results[:1]")),
        mistake("rarest-first", ("-round(weights[word], 9), word", "share[word], word")),
        mistake("lightest-first", ("-round(weights[word], 9), word", "weights[word], word")),
        mistake("by-name", ("(-round(weights[word], 9), word)", "word")),
        mistake("new-alone", ("return question + telling[:n]", "return telling[:n]")),
        mistake("n-in-all", ("return question + telling[:n]", "return (question + telling)[:n]")),
        mistake("all-taken", ("telling[:n]", "telling")),
    ],
)  # fmt: skip

ENTRIES = [
    (["shop"], ["trader"]),
    (["money", "back"], ["refund"]),
    (["back", "out"], ["withdrawal"]),
    (["store"], ["trader"]),
]
"""Four entries of a thesaurus: what people say, and the Code's terms."""
ASKED = ["the", "workshop", "wants", "money", "but", "the", "shop", "gave", "me", "my", "money", "back"]

_TERMS = '''
def add_terms(question, thesaurus):
    """The words of the question, and the terms of each entry that stands in it.

    thesaurus: (everyday words, terms) pairs. An entry stands in the question if its
    words do, one after another. Each term comes once, and only if it is new.
    """
    added = []
    for everyday, terms in thesaurus:
        size = len(everyday)
        places = range(len(question) - size + 1)
'''
_TERMS_END = '''
                    added.append(term)
    return question + added


lesson.check("add-terms", add_terms)
'''

ADD_TERMS = FunctionExercise(
    "add-terms",
    stub=_TERMS
    + '''        if ...:  # does the entry stand in the question?
            for term in terms:
                if ...:  # is it new?'''
    + _TERMS_END,
    solution=_TERMS
    + '''        if any(question[place : place + size] == everyday for place in places):
            for term in terms:
                if term not in question + added:  # is it new?'''
    + _TERMS_END,
    cases=[
        (ASKED, ENTRIES),
        (["back", "with", "the", "money"], ENTRIES),
        (["can", "i", "back", "out"], ENTRIES),
        (["the", "store", "and", "the", "shop", "say", "no"], ENTRIES),
        (["the", "trader", "keeps", "a", "shop"], ENTRIES),
        (["my", "money", "is", "there", "and", "back"], ENTRIES),
        (["money"], ENTRIES),
        (["the", "workshop", "is", "closed"], ENTRIES),
        # so many terms that a set, which has an order of its own in each session, does not come out right by luck
        (["a", "loan", "and", "its", "interest"],
         [(["loan"], ["credit", "agreement", "lender", "term"]), (["interest"], ["rate", "cost", "credit", "charge"])]),
        ([], ENTRIES),
    ],
    mistakes=[
        mistake("inside-words", ("any(question[place : place + size] == everyday for place in places)",
                                 '" ".join(everyday) in " ".join(question)')),
        mistake("any-word", ("any(question[place : place + size] == everyday for place in places)",
                             "any(word in question for word in everyday)")),
        mistake("anywhere", ("any(question[place : place + size] == everyday for place in places)",
                             "all(word in question for word in everyday)")),
        mistake("first-word", ("question[place : place + size] == everyday", "question[place] == everyday[0]")),
        mistake("at-the-start", ("any(question[place : place + size] == everyday for place in places)", "question[:size] == everyday")),
        mistake("end-missed", ("len(question) - size + 1", "len(question) - size")),
        mistake("not-there", ("if any(", "if not any(")),
        mistake("each-time", ("if term not in question + added:", "if True:")),
        mistake("twice-added", ("term not in question + added", "term not in question")),
        mistake("there-already", ("term not in question + added", "term not in added")),
        mistake("terms-alone", ("return question + added", "return added")),
        mistake("in-their-place", ("    return question + added",
                                   "    said = {word for entry, _ in thesaurus for word in entry}\n"
                                   "    return [word for word in question if word not in said] + added")),
        mistake("one-entry", ("    return question + added", "    return question + added[:1]")),
    ],
)  # fmt: skip

HELP = ChoiceExercise(
    "which-help",
    choices=("feedback", "thesaurus", "sub-queries", "none"),
    stub='''
which_help = {
    "A": ...,
    "B": ...,
    "C": ...,
    "D": ...,
    "E": ...,
}
lesson.check("which-help", which_help)
''',
    solution='''
which_help = {
    "A": "thesaurus",
    "B": "sub-queries",
    "C": "none",
    "D": "feedback",
    "E": "none",
}
lesson.check("which-help", which_help)
''',
    mistakes=[
        mistake("always-feedback", value=dict.fromkeys("ABCDE", "feedback")),
        mistake("always-thesaurus", value=dict.fromkeys("ABCDE", "thesaurus")),
        mistake("never", value=dict.fromkeys("ABCDE", "none")),
        mistake("a-feedback", value={"A": "feedback"}),
        mistake("b-feedback", value={"B": "feedback"}),
        mistake("b-thesaurus", value={"B": "thesaurus"}),
        mistake("c-feedback", value={"C": "feedback"}),
        mistake("c-thesaurus", value={"C": "thesaurus"}),
        mistake("d-thesaurus", value={"D": "thesaurus"}),
        mistake("d-none", value={"D": "none"}),
        mistake("e-feedback", value={"E": "feedback"}),
        mistake("e-sub-queries", value={"E": "sub-queries"}),
    ],
)

EXERCISES = [EXPAND, ADD_TERMS, HELP]
PREDICTIONS = [
    Prediction("new-rank", 2, form=".0f", low=1, high=333),
    Prediction("changed", 5, form=".0f", low=0, high=80),
    Prediction("fixed-rate", "up", kind="choice", choices=("up", "down", "stay")),
    Prediction("parted", 8, form=".0f", low=0, high=8),
]
