"""Pooled judging: what a judge is shown for one question (lesson 15).

Nobody can judge every passage of a collection for every question. So each configured search (each chunker under each search setting)
brings its best passages, and what they bring together is judged: the pool. What none of them found stays unjudged, and counts as not
relevant. The way goes back to Spärck Jones and van Rijsbergen's "ideal" test collection (1975), and has been TREC's since 1992.

Chunkers cut the same text in different places. Nobody wants to read it five times, and whoever sees where a passage begins can tell which
chunker made it. So all of them are judged in the same pieces, which no configured search has a say in: those of `by_structure` with at
most 200 words, a section each, or some paragraphs of a long one. How passages and pieces meet (`pool`):

- A passage brings the pieces of which it holds a sentence (a list item, a table row) whole, those of which it holds half, and those that
  hold half of it (by characters, blanks apart); and always the one with which it shares most. So what a search delivers is judged.
- A passage of more than six such pieces brings the six that hold most of the question's words: a section of 50 pages is not read whole.
- So passages that overlap bring a piece once, whatever cut them. That is the rule by which repeats are left out.
- What was judged already (by anybody) is in the pool from the beginning, and a piece of which it holds 80 % is not asked for again: a
  second judge reads the same pieces as the first, and a change of the settings asks only for what is new.
- The order is shuffled, the same way each time: by a digest of the question's id and the piece's place. It says nothing of rank or
  search.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from labkit.chunking.structure import by_structure
from labkit.evaluation.spans import intersection, size, words_in
from labkit.own.judgements import Place
from labkit.own.statements import statements
from labkit.parsing.blocks import ParsedDocument
from labkit.retrieval.keyword import words

PIECE = 200  # words, at most; a table is whole
MOST = 6  # pieces of one passage
COVERED = 0.8  # of a piece: from here on, it has been read

Editions = Mapping[tuple[str, str], ParsedDocument]
"""(doc_id, version) → the edition as it was read."""


@dataclass(frozen=True)
class Candidate:
    """A piece of text to judge: its place (code points of the edition's text, half-open) and the text. Nothing in it says who found
    it."""

    doc_id: str
    version: str
    start: int
    end: int
    text: str = field(repr=False)

    @property
    def place(self) -> Place:
        """What is judged."""
        return self.doc_id, self.version, self.start, self.end


def candidate(parsed: ParsedDocument, start: int, end: int) -> Candidate:
    """The text of an edition from `start` to `end`, without the blanks at its ends."""
    text = parsed.text[start:end]
    start += len(text) - len(text.lstrip())
    text = text.strip()
    return Candidate(parsed.doc_id, str(parsed.version), start, start + len(text), text)


class Pieces:
    """The pieces of each edition, cut when they are first asked for."""

    def __init__(self, editions: Editions):
        self.editions = editions
        self._cut: dict[tuple[str, str], list[Candidate]] = {}
        self._statements: dict[Place, list[tuple[int, int]]] = {}

    def of(self, doc_id: str, version: str) -> list[Candidate]:
        """The pieces of one edition, in order; [] for one that is not at hand."""
        key = (doc_id, str(version))
        if key not in self._cut:
            parsed = self.editions.get(key)
            made = [candidate(parsed, chunk.start, chunk.end) for chunk in by_structure(parsed, max_words=PIECE)] if parsed else []
            self._cut[key] = [each for each in made if each.text]
        return self._cut[key]

    def states(self, piece: Candidate, start: int, end: int) -> bool:
        """Whether a sentence, list item or table row of the piece lies whole between `start` and `end`."""
        if piece.place not in self._statements:
            parsed = self.editions[piece.doc_id, piece.version]
            self._statements[piece.place] = statements(parsed, piece.start, piece.end)
        return any(start <= first and last <= end for first, last in self._statements[piece.place])


def pool(question, rankings: Iterable[Sequence], pieces: Pieces, known: Iterable[Candidate] = ()) -> list[Candidate]:
    """The pieces to judge for one question, shuffled. `rankings` holds what each search brought, `known` what was judged already.

    A passage of blanks brings nothing. The same passages give the same pool, in whatever order the searches stand.
    """
    kept = {each.place: each for each in known}
    judged = list(kept.values())
    asked = frozenset(words(question.question))
    spans = {(passage.doc_id, str(passage.version), passage.start, passage.end) for ranking in rankings for passage in ranking}
    for doc_id, version, start, end in sorted(spans):
        for each in _brought(pieces, (doc_id, version), start, end, asked):
            if each.place not in kept and _read(each, judged) < COVERED:
                kept[each.place] = each
    return sorted(kept.values(), key=lambda each: _shuffled(question.id, each.place))


def _brought(pieces: Pieces, edition: tuple[str, str], start: int, end: int, asked: frozenset[str]) -> list[Candidate]:
    """The pieces that one passage brings."""
    of_one = pieces.of(*edition)
    near = of_one[bisect_right(of_one, start, key=lambda each: each.end) : bisect_left(of_one, end, key=lambda each: each.start)]
    if not near:
        return []
    visible = [words_in(each.text, each.start) for each in near]
    shared = [size(intersection(held, [(start, end)])) for held in visible]
    whole = sum(shared)
    most = max(range(len(near)), key=lambda place: (shared[place], -place))
    found = [
        each
        for place, each in enumerate(near)
        if place == most or 2 * shared[place] >= min(size(visible[place]), whole) or pieces.states(each, start, end)
    ]
    if len(found) > MOST:
        found.sort(key=lambda each: (-len(asked.intersection(words(each.text))), each.start))
    return found[:MOST]


def _read(each: Candidate, judged: Sequence[Candidate]) -> float:
    """The share of a piece, blanks apart, that lies in what was judged already."""
    there = [(other.start, other.end) for other in judged if (other.doc_id, other.version) == (each.doc_id, each.version)]
    held = words_in(each.text, each.start)
    return size(intersection(held, there)) / size(held)


def _shuffled(question_id: str, place: Place) -> tuple[str, Place]:
    return hashlib.sha256(json.dumps(["labkit label", question_id, *place]).encode()).hexdigest(), place
