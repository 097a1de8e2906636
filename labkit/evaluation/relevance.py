"""Is this result what the question asked for? (lesson 01 for the idea, lesson 05 for the code)

An answer has a place: document, version *and* section. A result is relevant if it is of that document and version and holds at least one
non-blank character of that section. Two of three do not count: last year's version gives last year's answer.

Section names are compared as `labkit.passages.slug` writes them, so 'Return window' and 'return-window' are one section.

Gold may be a span of characters instead, as in collections that others made (lesson 15). Then the same rule holds for the span: a result is
relevant if it is of that document and version and holds at least one non-blank character of it. How much of it is held is what recall
says; whether one result holds all of it, evidence (lesson 10). A document without sections is quoted; until the quote has been given its
place (`labkit.evaluation.gold.placed`), a result is relevant if it holds the whole quote.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from labkit.evaluation.spans import Shared, Span, intersection, shared_in_all, words_in
from labkit.passages import slug


class Gold(NamedTuple):
    """One place that answers: a section of one version of one document. `section` is a slug, `version` text."""

    doc_id: str
    version: str
    section: str

    def __str__(self) -> str:
        return f"{self.doc_id}@v{self.version}#{self.section}"


class GoldSpan(NamedTuple):
    """A span that answers: characters `start` to `end` (code points, half-open) of a version of a document; `quote` is what they say."""

    doc_id: str
    version: str
    start: int
    end: int
    quote: str

    def __str__(self) -> str:
        return f"{self.doc_id}@v{self.version}[{self.start}:{self.end}]"

    def held_by(self, passage) -> list[Span]:
        """The non-blank characters of the span that `passage`, one of this edition, holds; [] where its text says something else there."""
        held = intersection(words_in(self.quote, self.start), [(passage.start, passage.end)])
        if not held or self.end - self.start != len(self.quote):
            return []
        start, end = held[0][0], held[-1][1]
        same = passage.text[start - passage.start : end - passage.start] == self.quote[start - self.start : end - self.start]
        return held if same else []


class GoldQuote(NamedTuple):
    """A quote that answers, somewhere in a version of a document that has no sections."""

    doc_id: str
    version: str
    quote: str

    def __str__(self) -> str:
        return f"{self.doc_id}@v{self.version}[“{self.quote if len(self.quote) <= 40 else self.quote[:39] + '…'}”]"


AnyGold = Gold | GoldSpan | GoldQuote


def gold_of(entry) -> AnyGold:
    """What a relevant entry means: a span where it has start and end, a section where it names one, else its quote."""
    edition = (entry.doc_id, str(entry.version))
    start, end = getattr(entry, "start", None), getattr(entry, "end", None)
    if start is not None and end is not None:
        return GoldSpan(*edition, start, end, entry.quote)
    return Gold(*edition, slug(entry.section)) if entry.section.strip() else GoldQuote(*edition, entry.quote)


def gold_sections(question) -> tuple[AnyGold, ...]:
    """The sections (or spans) that answer `question`, in the order of `question.relevant`, each once.

    Two entries that quote the same section are one section: it can be found only once. Empty for a question without an answer.
    """
    return tuple(dict.fromkeys(gold_of(entry) for entry in question.relevant))


def places_of(passage) -> frozenset[Gold]:
    """Every section that `passage` holds text of. Empty for a passage of blanks: nobody can read an answer in it."""
    if not passage.text.strip():
        return frozenset()
    return frozenset(Gold(passage.doc_id, str(passage.version), slug(name)) for name in passage.sections)


def relevant_found(question, passages: Iterable) -> list[tuple[AnyGold, ...]]:
    """For each result, in rank order, the gold sections (or spans) that it holds text of, in gold order; mostly none or one, a long chunk
    may hold two.

    A gold section stands with every result that holds it; whoever counts sections counts its first result only.
    """
    gold = gold_sections(question)
    documents = {(place.doc_id, place.version) for place in gold}
    found = []
    for passage in passages:
        # most results are of another document, and their section names need not be read
        edition = (passage.doc_id, str(passage.version))
        places = places_of(passage) if edition in documents else ()
        found.append(tuple(place for place in gold if place[:2] == edition and holds(passage, place, places)))
    return found


def holds(passage, gold: AnyGold, places: Iterable[Gold]) -> bool:
    """Whether `passage` holds text of this gold, one of its own document and version. `places` are `places_of(passage)`."""
    if isinstance(gold, GoldSpan):
        return bool(gold.held_by(passage))
    if isinstance(gold, GoldQuote):
        return bool(gold.quote.strip()) and gold.quote in passage.text
    return gold in places


def characters_found(question, passages: Iterable) -> Shared | None:
    """Recall, precision and IoU of the question's gold spans by characters, over unions, white space apart; None where it has no span.

    All text of `passages` counts as found, of whichever document; text that two of them share counts once, and so does a character that two
    gold spans hold. Context is not text.
    """
    spans = [place for place in gold_sections(question) if isinstance(place, GoldSpan)]
    if not spans:
        return None
    wanted: dict[tuple, list[Span]] = {}
    found: dict[tuple, list[Span]] = {}
    for place in spans:
        # a quote without a place is wanted, and nobody can find it
        where = place[:2] if place.end - place.start == len(place.quote) else (*place[:2], "nowhere", place.quote)
        wanted.setdefault(where, []).extend(words_in(place.quote, place.start))
    for number, passage in enumerate(passages):
        edition = (passage.doc_id, str(passage.version))
        held = words_in(passage.text, passage.start)
        # a text that says something else in the span's place is another text: its characters are found, and none of them wanted
        other = any(
            place[:2] == edition and not place.held_by(passage) and intersection([(place.start, place.end)], held) for place in spans
        )
        found.setdefault((*edition, number) if other else edition, []).extend(held)
    return shared_in_all((wanted.get(edition, []), found.get(edition, [])) for edition in dict.fromkeys([*wanted, *found]))


def is_relevant(question, passage) -> bool:
    """Does `passage` hold text of a section that answers `question`: right document, right version, right section?"""
    return relevant_found(question, [passage]) != [()]
