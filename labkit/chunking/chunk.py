"""A chunk: a passage that a chunker cut out of a document, with its place, its pages and an id of its own (lesson 07).

Positions are never searched for: a chunker says where it cuts, and the text follows from that. So the second copy of a paragraph gets the
second copy's place.
"""

from __future__ import annotations

import hashlib
import json
import operator
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from labkit.errors import BadArgument
from labkit.parsing.blocks import Page, ParsedDocument, SectionSpan
from labkit.passages import Passage

Span = TypeVar("Span", SectionSpan, Page)
_WORD = re.compile(r"\S+")  # the words of str.split, with their places


@dataclass(frozen=True)
class Chunk(Passage):
    """A passage as a chunker made it.

    `chunk_id` (also `id`): 12 hex digits that follow from document, version, chunker with its parameters, span and text, so that it stays
    while these stay, whatever becomes of other documents. `position` counts the document's chunks from 0. `pages` are the physical pages
    (1-based) that it holds text of, () where the format has none. `over_limit`: longer than its chunker was asked for, since what it holds
    is not cut (a table). `section_starts` and `page_starts` say where the first visible character of each of `sections` and `pages` stands
    (code points of the document), so that a shortened chunk still knows what it holds.
    """

    position: int = 0
    pages: tuple[int, ...] = ()
    over_limit: bool = False
    section_starts: tuple[int, ...] = field(default=(), repr=False)
    page_starts: tuple[int, ...] = field(default=(), repr=False)

    @property
    def chunk_id(self) -> str:
        return self.id

    def _left_before(self, end: int) -> dict:
        sections = bisect_left(self.section_starts, end)
        pages = bisect_left(self.page_starts, end)
        return {
            "sections": self.sections[: sections if self.section_starts else 1],
            "section_starts": self.section_starts[:sections],
            "pages": self.pages[: pages if self.page_starts else 1],
            "page_starts": self.page_starts[:pages],
        }


class Cut(NamedTuple):
    """Where a chunk is to stand: its span in the document's text (code points, half-open), and what goes with it."""

    start: int
    end: int
    context: str = ""
    over_limit: bool = False


def make_chunks(parsed: ParsedDocument, cuts: Iterable[Cut], chunker: str) -> list[Chunk]:
    """The chunks of a document at `cuts`, in that order. `chunker` names what cut it, with its parameters: 'fixed(size=100)'."""
    section_starts = [section.start for section in parsed.sections]
    page_starts = [page.start for page in parsed.pages]
    chunks = []
    for position, cut in enumerate(cuts):
        sections = _held(parsed.sections, section_starts, parsed.text, cut)
        pages = _held(parsed.pages, page_starts, parsed.text, cut)
        chunks.append(
            Chunk.cut(
                parsed.text,
                cut.start,
                cut.end,
                id=_digest(parsed, chunker, cut),
                doc_id=parsed.doc_id,
                version=parsed.version,
                access=parsed.access,
                language=parsed.language,
                sections=tuple(section.name for section, _ in sections),
                context=cut.context,
                position=position,
                pages=tuple(page.number for page, _ in pages),
                over_limit=cut.over_limit,
                section_starts=tuple(start for _, start in sections),
                page_starts=tuple(start for _, start in pages),
            )
        )
    return chunks


def body_words(parsed: ParsedDocument) -> list[tuple[int, int]]:
    """The span of each word of a document's body, front matter apart: what `str.split()` yields, with places (code points)."""
    if not isinstance(parsed, ParsedDocument):
        raise BadArgument(f"a chunker cuts a parsed document, and this is a {type(parsed).__name__} — parse(…) makes one (lesson 06)")
    return [match.span() for match in _WORD.finditer(parsed.text, parsed.body)]


def whole(number: object) -> int | None:
    """A whole number as an int; None for anything else. True and 100.0 are none."""
    try:
        return None if isinstance(number, bool) else operator.index(number)
    except TypeError:
        return None


def _held(spans: Sequence[Span], starts: list[int], text: str, cut: Cut) -> list[tuple[Span, int]]:
    """Those of `spans` (in order, none over another) of which a cut holds a character that is not blank, and where the first one stands."""
    first = max(bisect_right(starts, cut.start) - 1, 0)
    near = spans[first : bisect_left(starts, cut.end)]
    seen = [(span, _WORD.search(text, max(span.start, cut.start), max(min(span.end, cut.end), 0))) for span in near]
    return [(span, word.start()) for span, word in seen if word]


def _digest(parsed: ParsedDocument, chunker: str, cut: Cut) -> str:
    facts = [parsed.doc_id, parsed.version, chunker, cut.start, cut.end, parsed.text[cut.start : cut.end]]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:12]
