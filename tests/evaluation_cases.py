"""Small questions and passages for the tests of labkit.evaluation, built from the real classes."""

from __future__ import annotations

from datetime import date

from labkit.passages import Passage
from labkit.questions import Question, Relevant


def passage(doc_id="guide", *sections, version="1", text="some words here", context="", access="public", name=None) -> Passage:
    sections = sections or ("Use",)
    return Passage(
        id=name or f"{doc_id}@v{version}#{'+'.join(sections)}",
        doc_id=doc_id,
        version=version,
        access=access,
        language="en",
        sections=sections,
        start=0,
        end=len(text),
        text=text,
        context=context,
    )


def question(name, *relevant, kind="answerable", text=None, quote="some words") -> Question:
    """`relevant`: (doc_id, section) or (doc_id, section, version) each."""
    entries = tuple(Relevant(place[0], place[2] if len(place) > 2 else "1", place[1], "public", quote) for place in relevant)
    return Question(
        id=name,
        question=text or f"the text of {name}",
        language="en",
        kind=kind if relevant else "unanswerable",
        as_of=date(2026, 12, 1),
        public_ok=True,
        abstain=not relevant,
        reference_answer="",
        keys=(),
        must_not=(),
        relevant=entries,
        wrong_version=(),
        tags=(),
        notes="",
    )


def filler(number=0) -> Passage:
    """A passage that is relevant to nothing here."""
    return passage("elsewhere", f"Part {number}", name=f"filler-{number}")


class Recorded:
    """A search with its results written down: `results[text of the question]`. It keeps what it was asked."""

    def __init__(self, results):
        self.results, self.asked = results, []

    def __call__(self, text, k):
        self.asked.append((text, k))
        return list(self.results.get(text, ()))[:k]


def recorded(pairs) -> Recorded:
    """A search from (question, results) pairs."""
    return Recorded({item.question: results for item, results in pairs})


def at_ranks(item, ranks, length=10) -> list[Passage]:
    """`length` results of which those at the 1-based `ranks` are different chunks of the question's first relevant section."""
    gold = item.relevant[0]
    return [
        passage(gold.doc_id, gold.section, version=gold.version, name=f"{item.id}-{rank}") if rank in ranks else filler(rank)
        for rank in range(1, length + 1)
    ]
