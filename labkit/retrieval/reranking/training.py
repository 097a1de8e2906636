"""What a judge learns from: questions of the `tune` half, what a search brought for each, and which of it was relevant (lesson 13).

A number that was reported on questions which took part in training says nothing. So the half is looked at here, and not left to care: a
question that is not tagged `tune` is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from labkit.errors import BadArgument
from labkit.passages import Passage
from labkit.retrieval.reranking.judging import FIRST
from labkit.retrieval.scoring import whole_k

TUNE, HELD_OUT = "tune", "held-out"


@dataclass(frozen=True)
class Example:
    """One question with texts (as read: context and text) in the order in which a search brought them, and which are relevant."""

    question_id: str
    query: str = field(repr=False)
    texts: tuple[str, ...] = field(repr=False)
    relevant: tuple[bool, ...]
    tags: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.texts) != len(self.relevant):
            counts = f"{len(self.texts)} texts and {len(self.relevant)} judgements"
            raise BadArgument(f"question {self.question_id}: {counts} — one each is needed")


def tuning_examples(
    questions: Iterable,
    search: Callable[[str, int], Sequence[Passage]],
    relevant: Callable[[object, Sequence[Passage]], Sequence],
    first: int = FIRST,
) -> list[Example]:
    """An Example for each question that has an answer: the first `first` results of `search`. Lesson 13.

    questions: as load_questions gives them, each tagged `tune`. relevant: question and passages -> for each passage whether it is relevant;
    `relevant_found` of labkit.evaluation.relevance is one. Questions without an answer, and those for which the search brought either
    nothing relevant or nothing else, teach nothing about order, and are left out.
    Raises BadArgument, naming them, for questions of the other half, or of none.
    """
    questions = list(questions)
    only_tune((question.id, question.tags) for question in questions)
    first = whole_k(first, "first")
    found = []
    for question in questions:
        if not question.relevant:
            continue
        passages = list(search(question.question, first))[:first]
        labels = tuple(bool(each) for each in relevant(question, passages))
        if len(labels) != len(passages):
            raise BadArgument(f"question {question.id}: {len(labels)} judgements came for {len(passages)} passages — one each is needed")
        if any(labels) and not all(labels):
            texts = tuple(passage.passage for passage in passages)
            found.append(Example(question.id, question.question, texts, labels, tuple(question.tags)))
    return found


def only_tune(tagged: Iterable[tuple[str, Iterable[str]]]) -> None:
    """Raises BadArgument unless each of these (id, tags) is of the `tune` half, and of no other."""
    wrong = [(id_, tuple(tags)) for id_, tags in tagged]
    wrong = [(id_, tags) for id_, tags in wrong if TUNE not in tags or HELD_OUT in tags]
    if wrong:
        names = ", ".join(str(id_) for id_, _ in wrong[:5]) + (f" and {len(wrong) - 5} more" if len(wrong) > 5 else "")
        held = any(HELD_OUT in tags for _, tags in wrong)
        raise BadArgument(
            f"{'held-out questions' if held else 'questions that are not tagged tune'} were given to learn from: {names} — what is learned "
            f"from a question cannot be measured on it; give those whose tags hold {TUNE!r} alone"
        )


def usable(given: Iterable[Example]) -> list[Example]:
    """The examples that have both kinds of text, after the guard. Raises BadArgument where there are none."""
    given = list(given)
    for example in given:
        if not isinstance(example, Example):
            raise BadArgument(f"tuning_examples(questions, search, relevant) makes what is learned from; this is {type(example).__name__}")
    only_tune((example.question_id, example.tags) for example in given)
    both = [example for example in given if any(example.relevant) and not all(example.relevant)]
    if not both:
        raise BadArgument("nothing to learn from: no question has both a relevant text and another one among its results")
    return both


def sigmoid(number: np.ndarray | float) -> np.ndarray | float:
    """1 ÷ (1 + e^-x), for numbers of any size."""
    return np.exp(-np.logaddexp(0.0, -np.asarray(number, dtype=np.float64)))
