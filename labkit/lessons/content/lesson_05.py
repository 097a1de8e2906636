"""Lesson 05, the baseline: the learner writes hit@k and recall, judges why questions were missed, and writes two tests that guard a number.

Here stand also the broken copies of the course on which the learner's tests run, and the table that shows which of them turned red.
"""

from __future__ import annotations

import json
from pathlib import Path

from labkit.files import write_atomically
from labkit.lessons import catalogue
from labkit.lessons.exercises import ChoiceExercise, FunctionExercise, mistake
from labkit.lessons.own_tests import Mutant, TestsExercise, edit
from labkit.lessons.predictions import Prediction

HIT_AT_K = FunctionExercise(
    "hit-at-k",
    stub='''
def hit_at_k(ranks, k):
    """Share of the scored questions with a relevant section among the first k results.

    ranks has one entry a question: the ranks of its relevant results, counted from 1;
    [] where none came; None where there is nothing to find.
    """
    return ...


lesson.check("hit-at-k", hit_at_k)
''',
    solution='''
def hit_at_k(ranks, k):
    """Share of the scored questions with a relevant section among the first k results.

    ranks has one entry a question: the ranks of its relevant results, counted from 1;
    [] where none came; None where there is nothing to find.
    """
    scored = [each for each in ranks if each is not None]
    hits = [any(rank <= k for rank in each) for each in scored]
    return sum(hits) / len(scored)


lesson.check("hit-at-k", hit_at_k)
''',
    cases=[
        ([[1], [2], [8], [], None], 5),
        ([[1, 2, 3, 4, 5], [3], [5], [6], [8], [], [], [], [], [], [], None, None, None], 5),
        ([[2, 4], [3], [4], [1], None], 3),
        ([[10], [11], [], [7, 12]], 10),
        ([[], None, []], 5),
        ([[2], [1, 2], [], [3]], 1),
    ],
    mistakes=[
        mistake("no-answer-missed", ("len(scored)", "len(ranks)")),
        mistake("no-answer-hit", ("[each for each in ranks if each is not None]", "[[1] if each is None else each for each in ranks]")),
        mistake("not-found-dropped", ("if each is not None", "if each"), ("/ len(scored)", "/ max(len(scored), 1)")),
        mistake("not-found-dropped-zero", ("if each is not None", "if each")),
        mistake("below-k", ("rank <= k", "rank < k")),
        mistake("from-zero", ("rank <= k", "rank - 1 <= k")),
        mistake("only-first", ("any(rank <= k for rank in each)", "1 in each")),
        mistake("every-result", ("any(rank <= k for rank in each)", "sum(rank <= k for rank in each)")),
        mistake("precision", ("any(rank <= k for rank in each)", "sum(rank <= k for rank in each) / k")),
        mistake("reciprocal", ("any(rank <= k for rank in each)", "max((1 / rank for rank in each if rank <= k), default=0)")),
        mistake("all-of-them", ("any(rank <= k for rank in each)", "all(rank <= k for rank in each)")),
        mistake("last-of-them", ("any(rank <= k for rank in each)", "bool(each) and max(each) <= k")),
        mistake("any-rank", ("any(rank <= k for rank in each)", "bool(each)")),
        mistake("a-count", (" / len(scored)", "")),
        mistake("per-cent", ("return sum(hits)", "return 100 * sum(hits)")),
        mistake("over-k", ("len(scored)", "k")),
        mistake("exactly-k", ("any(rank <= k for rank in each)", "k in each")),
        mistake("none-looked-into", ("scored = [each for each in ranks if each is not None]", "scored = list(ranks)")),
        mistake("first-of-none", ("any(rank <= k for rank in each)", "each[0] <= k")),
        mistake("smallest-of-none", ("any(rank <= k for rank in each)", "min(each) <= k")),
    ],
)

RECALL = FunctionExercise(
    "recall",
    stub='''
def recall(relevant, results, k):
    """Share of the relevant sections that stand among the first k results."""
    found = ...
    return ...


lesson.check("recall", recall)
''',
    solution='''
def recall(relevant, results, k):
    """Share of the relevant sections that stand among the first k results."""
    found = set(relevant) & set(results[:k])
    return len(found) / len(relevant)


lesson.check("recall", recall)
''',
    cases=[
        (["A1", "A2", "B1", "C1"], ["A1", "D1", "A1", "B1", "E1", "C1", "F1", "A2"], 5),
        (["A1"], ["A1", "A2", "D1", "E1", "F1", "G1"], 5),
        (["B1", "C1"], ["D1", "C1"], 5),
        (["A1", "B1", "C1"], ["D1", "E1", "F1"], 3),
        (["A1", "A2", "B1"], ["A1", "A1", "A1", "B1"], 3),
        (["A1", "B1"], ["B1", "D1", "A1", "C1"], 3),
    ],
    mistakes=[
        mistake("hit", ("return len(found) / len(relevant)", "return 1.0 if found else 0.0")),
        mistake("twice", ("found = set(relevant) & set(results[:k])", "found = [each for each in results[:k] if each in relevant]")),
        mistake("over-k", ("/ len(relevant)", "/ k")),
        mistake(
            "twice-over-k",
            ("found = set(relevant) & set(results[:k])", "found = [each for each in results[:k] if each in relevant]"),
            ("/ len(relevant)", "/ k"),
        ),
        mistake("precision", ("/ len(relevant)", "/ len(results[:k])")),
        mistake(
            "twice-precision",
            ("found = set(relevant) & set(results[:k])", "found = [each for each in results[:k] if each in relevant]"),
            ("/ len(relevant)", "/ len(results[:k])"),
        ),
        mistake("precision-distinct", ("/ len(relevant)", "/ len(set(results[:k]))")),
        mistake("precision-all", ("/ len(relevant)", "/ len(results)")),
        mistake("whole-list", ("results[:k]", "results")),
        mistake("one-too-few", ("results[:k]", "results[:k - 1]")),
        mistake("one-too-many", ("results[:k]", "results[:k + 1]")),
        mistake("all-or-nothing", ("return len(found) / len(relevant)", "return float(len(found) == len(relevant))")),
        mistake("first-only", ("return len(found) / len(relevant)", "return bool(found) / len(relevant)")),
        mistake(
            "documents",
            ("set(relevant)", "{each[0] for each in relevant}"),
            ("set(results[:k])", "{each[0] for each in results[:k]}"),
            ("len(relevant)", "len({each[0] for each in relevant})"),
        ),
        mistake("union", ("/ len(relevant)", "/ len(set(relevant) | set(results[:k]))")),
        mistake("f1", ("return len(found) / len(relevant)", "return 2 * len(found) / (len(relevant) + len(results[:k]))")),
        mistake("a-count", (" / len(relevant)", "")),
        mistake("cut-after", ("set(relevant) & set(results[:k])", "[each for each in results if each in relevant][:k]")),
        mistake("lists-and", ("set(relevant) & set(results[:k])", "relevant & results[:k]")),
        mistake("not-found-part", ("set(relevant) & set(results[:k])", "set(relevant) - set(results[:k])")),
    ],
)

CAUSES = ChoiceExercise(
    "causes",
    choices=("source", "wording", "language"),
    stub='''
causes = {
    "Q05": ...,
    "Q12": ...,
    "Q13": ...,
    "Q22": ...,
    "Q34": ...,
    "Q62": ...,
    "Q63": ...,
    "Q66": ...,
}
lesson.check("causes", causes)
''',
    solution='''
causes = {
    "Q05": "wording",
    "Q12": "wording",
    "Q13": "language",
    "Q22": "source",
    "Q34": "source",
    "Q62": "source",
    "Q63": "language",
    "Q66": "source",
}
lesson.check("causes", causes)
''',
    mistakes=[
        mistake("all-wording", value=dict.fromkeys(("Q05", "Q12", "Q13", "Q22", "Q34", "Q62", "Q63", "Q66"), "wording")),
        mistake("all-sources", value=dict.fromkeys(("Q05", "Q12", "Q13", "Q22", "Q34", "Q62", "Q63", "Q66"), "source")),
        mistake("all-language", value=dict.fromkeys(("Q05", "Q12", "Q13", "Q22", "Q34", "Q62", "Q63", "Q66"), "language")),
        mistake("sources-as-wording", value=dict.fromkeys(("Q22", "Q34", "Q62", "Q66"), "wording")),
        mistake("language-as-wording", value={"Q13": "wording", "Q63": "wording"}),
        mistake("language-as-source", value={"Q13": "source", "Q63": "source"}),
        mistake("wording-as-source", value={"Q05": "source", "Q12": "source"}),
        mistake("q13-wording", value={"Q13": "wording"}),
        mistake("q13-source", value={"Q13": "source"}),
        mistake("q63-wording", value={"Q63": "wording"}),
        mistake("q63-source", value={"Q63": "source"}),
        mistake("q05-source", value={"Q05": "source"}),
        mistake("q05-language", value={"Q05": "language"}),
        mistake("q12-source", value={"Q12": "source"}),
        mistake("q12-language", value={"Q12": "language"}),
        mistake("q22-wording", value={"Q22": "wording"}),
        mistake("q34-wording", value={"Q34": "wording"}),
        mistake("q62-wording", value={"Q62": "wording"}),
        mistake("q66-wording", value={"Q66": "wording"}),
    ],
)

_DOCUMENTS = "corpus/larkfield/documents"


def _drop_a_question(folder: Path) -> None:
    """One question that always misses is taken out of the file."""
    path = folder / "questions" / "larkfield.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if json.loads(line)["id"] != "Q34"]
    assert len(kept) == len(lines) - 1
    write_atomically(path, "".join(kept))


OWN_TESTS = TestsExercise(
    "own-tests",
    stub='''
from labkit import evaluate, load_questions, section_search, summarise


def test_sections():
    found = len(section_search().passages)
    assert ...


def test_baseline():
    whole = summarise(evaluate(load_questions(), section_search(), k=5)).iloc[0]
    hits, scored = int(whole["hits"]), int(whole["n"])
    assert ...


lesson.check("own-tests", [test_sections, test_baseline])
''',
    solution='''
from labkit import evaluate, load_questions, section_search, summarise


def test_sections():
    found = len(section_search().passages)
    assert found == 154


def test_baseline():
    whole = summarise(evaluate(load_questions(), section_search(), k=5)).iloc[0]
    hits, scored = int(whole["hits"]), int(whole["n"])
    assert (hits, scored) == (41, 59)


lesson.check("own-tests", [test_sections, test_baseline])
''',
    file="tests/test_baseline.py",
    mutants=[
        Mutant("heading-lost", edit(f"{_DOCUMENTS}/volt-battery-guide.v2.md", "## On the road", "### On the road")),
        Mutant("section-added", edit(f"{_DOCUMENTS}/kettle-care.v2.md", "## The filter", "## Guarantee\n\nOne year.\n\n## The filter")),
        Mutant("heading-renamed", edit(f"{_DOCUMENTS}/kettle-care.v2.md", "## Descaling", "## Removing lime")),
        Mutant(
            "reworded",
            edit(
                f"{_DOCUMENTS}/rewards-programme.v4.md",
                "The balance lapses after 18 months without a purchase.",
                "You lose your points when you have bought nothing for 18 months.",
            ),
        ),
        Mutant("question-dropped", _drop_a_question),
    ],
    mistakes=[
        mistake("cannot-fail", ("found == 154", "found > 0"), ("(hits, scored) == (41, 59)", "hits > 0"),
                survives=("heading-lost", "section-added", "heading-renamed", "reworded", "question-dropped")),
        mistake("never-the-hits", ("(hits, scored) == (41, 59)", "round(hits / scored, 1) == 0.7"),
                survives=("heading-renamed", "reworded", "question-dropped")),
        mistake("never-the-sections", ("found == 154", "found > 100"), survives=("heading-lost", "section-added")),
        mistake("at-least", ("found == 154", "found >= 154"), ("(hits, scored) == (41, 59)", "hits >= 41"),
                survives=("section-added", "reworded", "question-dropped")),
        mistake("at-least-hits", ("(hits, scored) == (41, 59)", "hits >= 41 and scored == 59"), survives=("reworded",)),
        mistake("hits-alone", ("(hits, scored) == (41, 59)", "hits == 41"), survives=("question-dropped",)),
    ],
)  # fmt: skip


def tests_and_changes(tests: object, state: Path) -> list[dict]:
    """What the tests in state/ say of the course as it is and of each course with one thing broken: change, test, result.

    `tests` is what `lesson.answer("own-tests")` gave: where that is the ready answer, the ready tests run.
    """
    ready = tests is OWN_TESTS.reference
    code = OWN_TESTS.solution.rpartition("lesson.check")[0] if ready else (state / OWN_TESTS.file).read_text(encoding="utf-8")
    broken = catalogue.row("05").texts()["exercises"][OWN_TESTS.name]["mutants"]
    found = OWN_TESTS.results(code)
    return [
        {"what changed": broken.get(key, "nothing"), "test": test, "pytest says": "passed" if error is None else f"FAILED: {error}"}
        for key in ("", *broken)
        for test, error in found.get(key, {}).items()  # red on the course as it is: then no broken one was tried
    ]


EXERCISES = [HIT_AT_K, CAUSES, RECALL, OWN_TESTS]
PREDICTIONS = [
    Prediction("first", 1, form=".0f", low=0, high=5),
    Prediction("by-hand", 0.5, form=".3f", low=0, high=1),
    Prediction("baseline", 0.5, form=".3f", low=0, high=1),
    Prediction("sloppy", 50, form=".0f", low=0, high=59),
    Prediction("no-answer", 4, form=".0f", low=0, high=8),
    Prediction("never-read", 5, form=".0f", low=0, high=18),
    Prediction("ten", 9, form=".0f", low=0, high=18),
    Prediction("ceiling", 0.9, form=".3f", low=0, high=1),
]
