"""Lesson 01, the collection and its questions: when does a version hold, where does an answer stand, and three questions of one's own."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from labkit.collection import Document
from labkit.lessons.content.own_questions import OwnQuestionsExercise
from labkit.lessons.exercises import FunctionExercise, ValueExercise, mistake
from labkit.lessons.predictions import Prediction


class Edition(Document):
    """A Document that writes itself as a message wants it: its name and when it holds."""

    def __repr__(self) -> str:
        span = f"{self.effective_from} to {self.effective_to}" if self.effective_to else f"from {self.effective_from}"
        return f"<{self.doc_id} v{self.version}, {span}>"


def _edition(version: str, first: date, last: date | None) -> Edition:
    return Edition(
        doc_id="returns-policy", title="Returns policy", version=version, effective_from=first, effective_to=last,
        owner="Support (Grace)", access="public", language="en", doc_type="policy", format="md",
        path=Path("returns-policy.md"), file="returns-policy.md", line=2,
    )  # fmt: skip


OLD = _edition("3", date(2025, 3, 1), date(2026, 10, 31))
NEW = _edition("4", date(2026, 11, 1), None)

IN_FORCE = FunctionExercise(
    "in-force",
    stub='''
def in_force(document, day):
    """True if this version of the document holds on that day, else False."""
    return ...


lesson.check("in-force", in_force)
''',
    solution='''
def in_force(document, day):
    """True if this version of the document holds on that day, else False."""
    begun = document.effective_from <= day
    over = document.effective_to is not None and document.effective_to < day
    return begun and not over


lesson.check("in-force", in_force)
''',
    cases=[
        (OLD, date(2026, 10, 15)),
        (OLD, date(2026, 10, 31)),
        (OLD, date(2025, 3, 1)),
        (OLD, date(2025, 2, 28)),
        (OLD, date(2026, 11, 1)),
        (NEW, date(2026, 10, 31)),
        (NEW, date(2026, 11, 1)),
        (NEW, date(2026, 12, 1)),
        (NEW, date(2031, 1, 1)),
    ],
    mistakes=[
        mistake("last-day-lost", ("document.effective_to < day", "document.effective_to <= day")),
        mistake("first-day-lost", ("document.effective_from <= day", "document.effective_from < day")),
        mistake(
            "both-days-lost",
            ("document.effective_from <= day", "document.effective_from < day"),
            ("document.effective_to < day", "document.effective_to <= day"),
        ),
        mistake("open-is-over", ("document.effective_to is not None and document", "document.effective_to is None or document")),
        mistake("open-not-asked", ("document.effective_to is not None and ", "")),
        mistake("open-is-always", source='''
def in_force(document, day):
    if document.effective_to is None:
        return True
    return document.effective_from <= day <= document.effective_to


lesson.check("in-force", in_force)
'''),
        mistake("chained", source='''
def in_force(document, day):
    return document.effective_from <= day <= document.effective_to


lesson.check("in-force", in_force)
'''),
        mistake("only-the-start", ("begun and not over", "begun")),
        mistake("only-the-end", ("begun and not over", "not over")),
        mistake("or-for-and", ("begun and not over", "begun or not over")),
        mistake("turned-round", ("document.effective_from <= day", "day <= document.effective_from")),
        mistake("over-returned", ("begun and not over", "over")),
    ],
)

PLACE = ValueExercise(
    "place",
    stub='''
place = (
    ...,  # the document: its doc_id
    ...,  # the version
    ...,  # the section: its heading
)

lesson.check("place", place)
''',
    solution='''
place = (
    "assembly-service",  # the document: its doc_id
    "1",  # the version
    "Prices",  # the section: its heading
)

lesson.check("place", place)
''',
    mistakes=[
        mistake("today's-version", value=("assembly-service", "2", "Prices")),
        mistake("title", value=("Assembly service", "1", "Prices")),
        mistake("title-and-version", value=("Assembly service", "2", "Prices")),
        mistake("file", value=("assembly-service.v1.md", "1", "Prices")),
        mistake("version-number", value=("assembly-service", 1, "Prices")),
        mistake("newer-number", value=("assembly-service", 2, "Prices")),
        mistake("version-v", value=("assembly-service", "v1", "Prices")),
        mistake("version-word", value=("assembly-service", "version 1", "Prices")),
        mistake("hyphen-lost", value=("assembly service", "1", "Prices")),
        mistake("backwards", value=("Prices", "1", "assembly-service")),
        mistake("two-parts", value=("assembly-service", "1")),
        mistake("small-letters", value=("assembly-service", "1", "prices")),
        mistake("marks", value=("assembly-service", "1", "## Prices")),
        mistake("other-section", value=("assembly-service", "1", "What we assemble")),
        mistake("booking", value=("assembly-service", "1", "Booking")),
        mistake("other-both", value=("assembly-service", "2", "What we assemble")),
        mistake("the-answer", value=("assembly-service", "1", "$59")),
        mistake("title-as-section", value=("assembly-service", "1", "Assembly service")),
    ],
)

_QUESTIONS = '''
answerable = {
    "question": "There is a hole in the sieve of my kettle. What do I have to order?",
    "as_of": "2026-09-15",
    "doc_id": "kettle-care",
    "version": "2",
    "section": "The filter",
    "quote": "A torn mesh costs $4: ask for KF-02.",
}
dated = {
    "question": "I work in the Laval shop. How much less do I pay for a parasol on 15 February?",
    "as_of": "2026-02-15",
    "doc_id": "staff-discount",
    "version": "2",
    "section": "How much",
    "quote": "15 % off the shelf price",
}
unanswerable = {
    "question": "May I bring my dog into the shop?",
    "answer": "unknown",
    "why": "Neither the contact page nor the help centre speaks of animals.",
}

lesson.check("three-questions", [answerable, dated, unanswerable])
'''

THREE_QUESTIONS = OwnQuestionsExercise(
    "three-questions",
    stub='''
answerable = {
    "question": ...,  # in a customer's words
    "as_of": ...,  # the day on which it is asked: year-month-day
    "doc_id": ...,
    "version": ...,
    "section": ...,  # the heading
    "quote": ...,  # the shortest text that answers, copied from that section
}
dated = {
    "question": ...,
    "as_of": ...,
    "doc_id": ...,
    "version": ...,
    "section": ...,
    "quote": ...,
}
unanswerable = {
    "question": ...,
    "answer": ...,
    "why": ...,  # where you looked, in five words or more
}

lesson.check("three-questions", [answerable, dated, unanswerable])
''',
    solution=_QUESTIONS,
    mistakes=[
        mistake("guess", ('"unknown"', '"No, dogs stay outside."')),
        mistake("said-otherwise", ('"unknown"', '"The documents do not say."')),
        mistake("too-short", ("May I bring my dog into the shop?", "Dogs?")),
        mistake("no-reason", ('"Neither the contact page nor the help centre speaks of animals."', '"not found"')),
        mistake("place", ('"kettle-care"', '"Kettle care"')),
        mistake("quote", ("A torn mesh costs $4", "A torn sieve costs $4")),
        mistake(
            "long-quote",
            ('"section": "The filter"', '"section": "Descaling"'),
            (
                '"A torn mesh costs $4: ask for KF-02."',
                '("Descale once a month, more often where the water is hard. Boil half a litre with two spoons of "\n'
                '              "citric acid, wait twenty minutes, rinse three times.")',
            ),
        ),
        mistake("not-in-force", ('"2026-02-15"', '"2026-09-15"')),
        mistake("no-other-day", (
            '''    "doc_id": "staff-discount",
    "version": "2",
    "section": "How much",
    "quote": "15 % off the shelf price",''',
            '''    "doc_id": "privacy-policy",
    "version": "3",
    "section": "Cookies",
    "quote": "One cookie remembers the basket",''',
        )),
        mistake("no-date", ('"2026-09-15"', '"15/09/2026"')),
        mistake("not-read", ('"kettle-care",\n    "version": "2"', '"warranty-policy",\n    "version": "5"')),
        mistake("word-for-word", ("There is a hole in the sieve of my kettle.", "A torn mesh costs $4: ask for what?")),
        mistake("copied", ("May I bring my dog into the shop?", "Is there a student discount?")),
        mistake("twice", ("May I bring my dog into the shop?", "There is a hole in the sieve of my kettle. What do I have to order?")),
        mistake("not-three", ("[answerable, dated, unanswerable]", "[answerable, dated]")),
        mistake("fields", ("[answerable, dated, unanswerable]", "[answerable, dated, dated]")),
        mistake("not-text", ('"version": "2",\n    "section": "The filter"', '"version": 2,\n    "section": "The filter"')),
        mistake("empty", ('"A torn mesh costs $4: ask for KF-02."', '""')),
    ],
)

EXERCISES = [IN_FORCE, PLACE, THREE_QUESTIONS]
PREDICTIONS = [
    Prediction("last-day", "4", kind="choice", choices=("3", "4", "both", "none")),
    Prediction("public", 30, form=".0f", low=0, high=36),
    Prediction("no-answer", 3, form=".0f", low=0, high=67),
    Prediction("copied", 40, form=".0f", low=0, high=67),
]
