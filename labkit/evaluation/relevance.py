"""Is this result what the question asked for? (lesson 01 for the idea, lesson 05 for the code)

An answer has a place: document, version *and* section. A result is relevant if it is of that document and version and holds at least one
non-blank character of that section. Two of three do not count: last year's version gives last year's answer.

Section names are compared as `labkit.passages.slug` writes them, so 'Return window' and 'return-window' are one section.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from labkit.passages import slug


class Gold(NamedTuple):
    """One place that answers: a section of one version of one document. `section` is a slug, `version` text."""

    doc_id: str
    version: str
    section: str

    def __str__(self) -> str:
        return f"{self.doc_id}@v{self.version}#{self.section}"


def gold_sections(question) -> tuple[Gold, ...]:
    """The sections that answer `question`, in the order of `question.relevant`, each once.

    Two entries that quote the same section are one section: it can be found only once. Empty for a question without an answer.
    """
    places = (Gold(entry.doc_id, str(entry.version), slug(entry.section)) for entry in question.relevant)
    return tuple(dict.fromkeys(places))


def places_of(passage) -> frozenset[Gold]:
    """Every section that `passage` holds text of. Empty for a passage of blanks: nobody can read an answer in it."""
    if not passage.text.strip():
        return frozenset()
    return frozenset(Gold(passage.doc_id, str(passage.version), slug(name)) for name in passage.sections)


def relevant_found(question, passages: Iterable) -> list[tuple[Gold, ...]]:
    """For each result, in rank order, the gold sections that it holds (in gold order; mostly none or one, a long chunk may hold two).

    A gold section stands with every result that holds it; whoever counts sections counts its first result only.
    """
    gold = gold_sections(question)
    documents = {(place.doc_id, place.version) for place in gold}
    found = []
    for passage in passages:
        # most results are of another document, and their section names need not be read
        places = places_of(passage) if (passage.doc_id, str(passage.version)) in documents else ()
        found.append(tuple(place for place in gold if place in places))
    return found


def is_relevant(question, passage) -> bool:
    """Does `passage` hold text of a section that answers `question`: right document, right version, right section?"""
    return relevant_found(question, [passage]) != [()]
