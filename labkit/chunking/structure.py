"""Chunks that follow a document's structure: a recipe a card, with its name on top (lesson 07).

A section is one chunk if it fits. A longer one is cut where a reader would pause: before a heading, else between blocks, else between
sentences, else between words; what comes out small is put together again, as long as it fits. The document's title is context, not text;
so is the section's heading, wherever a chunk does not begin with it.

Laws (tests hold them): every word of the body but the title's is in exactly one chunk, in order; no chunk holds text of two sections; no
table is cut; no chunk but one with a table is longer than the limit, if the limit leaves room for a word beside the context; no chunk ends
with a heading while its section goes on, if the limit leaves room for two.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from labkit.chunking.chunk import Chunk, Cut, body_words, make_chunks, whole
from labkit.chunking.sentences import sentence_starts
from labkit.errors import BadArgument
from labkit.parsing.blocks import Block, ParsedDocument
from labkit.textfiles import quoted

# How good a place each word is to begin a chunk with: the lower, the better. 1 to 6 is a heading of that level; the last resort is inside
# a heading, or between it and what stands under it.
_BLOCK, _OUTSIDE, _SENTENCE, _WORD, _UNDER_HEADING, _NEVER = range(7, 13)
_LINE = re.compile(r"[^\r\n]+")


def by_structure(parsed: ParsedDocument, max_words: int = 200) -> list[Chunk]:
    """Chunks of at most `max_words` words, context counted, cut along sections, blocks and sentences, in that order. Lesson 07.

    Sections are the level-2 ones; in a document without any, its topmost headings take their place. Text before the first one is a chunk
    of its own. A table stays whole, and one that goes on over a page with it; too long, it is flagged `over_limit`. A heading goes with
    what follows it, so of a block that fits by itself, but not under its headings, a sentence may be cut off to go with them.
    What stands outside of any block (a rule, a comment) goes with what is before it, if it fits there, or else with what comes after.
    Where the context alone fills the limit, chunks hold one word each, flagged. [] for a document that holds no more than its title.

    Raises BadArgument unless `max_words` is a whole number from 1 up.
    """
    limit = whole(max_words)
    if limit is None or limit < 1:
        raise BadArgument(f"max_words={quoted(max_words)}: the most words of a passage, a whole number from 1 up (200 is the course's)")
    words = body_words(parsed)
    parts = list(_parts(parsed, words))
    ranks = _ranks(parsed, words, {part.first for part in parts})
    # A block goes in whole: a table may begin or end with an empty cell, which is no word.
    starts = {_number(words, block.start): block.start for block in reversed(parsed.blocks)}
    ends = {_number(words, block.end): block.end for block in parsed.blocks}
    cuts = [
        Cut(starts.get(first, words[first][0]), ends.get(last, words[last - 1][1]), part.context(first), part.words(first, last) > limit)
        for part in parts
        for first, last in _pack(part, part.first, part.last, ranks, limit)
    ]
    return make_chunks(parsed, cuts, f"by_structure(max_words={limit})")


@dataclass(frozen=True)
class _Part:
    """Words that go together, `first` to `last` (half-open, counted in the body), under a heading that begins with word `opened`."""

    first: int
    last: int
    title: str
    heading: str = ""
    opened: int = -1

    def context(self, first: int) -> str:
        """What goes in front of a chunk of this part that begins with word `first`."""
        return "\n".join(line for line in (self.title, "" if first == self.opened else self.heading) if line)

    def words(self, first: int, last: int) -> int:
        """Words of the passage that such a chunk makes."""
        return len(self.context(first).split()) + last - first


def _parts(parsed: ParsedDocument, words: list[tuple[int, int]]) -> Iterator[_Part]:
    """The body without its title, divided at the sections. No chunk reaches from one part into another."""
    titles = [(_number(words, block.start), _number(words, block.end)) for block in parsed.blocks if block.kind == "title"]
    opened = {_number(words, start): heading for start, heading in _headings(parsed)}
    inside = {number for first, last in titles for number in range(first, last)}
    heading, begun = "", -1
    edges = sorted({0, len(words), *opened, *(edge for title in titles for edge in title)})
    for first, last in pairwise(edges):
        if first in opened:
            heading, begun = opened[first], first
        if first not in inside:
            yield _Part(first, last, parsed.title, heading, begun)


def _headings(parsed: ParsedDocument) -> list[tuple[int, str]]:
    """Where each section begins and how it is called; in a document without level-2 sections, each of its topmost headings."""
    if parsed.sections:
        return [(section.start, section.title) for section in parsed.sections]
    headings = [block for block in parsed.blocks if block.kind == "heading"]
    top = min((block.level for block in headings), default=None)
    return [(block.start, block.heading_path[-1]) for block in headings if block.level == top]


def _ranks(parsed: ParsedDocument, words: list[tuple[int, int]], edges: set[int]) -> list[int]:
    """For each word of the body, how good a place it is to begin a chunk with. `edges`: where a chunk begins in any case."""
    ranks = [_WORD] * (len(words) + 1)
    above: Block | None = None
    begun = 0  # where the block begins, or the headings that it goes with, or the table that it continues
    for block in parsed.blocks:
        first, last = _number(words, block.start), _number(words, block.end)
        under_heading = above is not None and above.kind == "heading" and first not in edges
        if not under_heading and not (block.continues and above is not None and above.kind == "table"):
            begun = first
        if block.kind in ("paragraph", "list_item"):
            for start in sentence_starts(parsed.text, block.start, block.end):
                ranks[_number(words, start)] = _SENTENCE
        elif block.kind == "code":
            for line in _LINE.finditer(parsed.text, block.start, block.end):
                ranks[_number(words, line.start())] = _SENTENCE
        elif block.kind == "heading":
            ranks[first:last] = [_UNDER_HEADING] * (last - first)
        ranks[first] = block.level if block.kind == "heading" else _BLOCK
        ranks[last] = _OUTSIDE  # where the next block does not begin at once
        if under_heading:
            between = _number(words, above.end)
            ranks[between : first + 1] = [_UNDER_HEADING] * (first + 1 - between)
        if block.kind == "table":
            ranks[begun + 1 : last] = [_NEVER] * (last - begun - 1)
        above = block
    return ranks


def _pack(part: _Part, first: int, last: int, ranks: list[int], limit: int) -> list[tuple[int, int]]:
    """Words `first` to `last` of a part as pieces that fit: cut at the best places inside, and put together again as far as they go."""
    best = min(ranks[first + 1 : last], default=_NEVER)
    if part.words(first, last) <= limit or best == _NEVER:
        return [(first, last)]
    edges = [first, *(number for number in range(first + 1, last) if ranks[number] == best), last]
    packed: list[tuple[int, int]] = []
    for begin, end in pairwise(edges):
        if packed and part.words(packed[-1][0], end) <= limit:
            packed[-1] = (packed[-1][0], end)
        else:
            packed += _pack(part, begin, end, ranks, limit)
    return packed


def _number(words: list[tuple[int, int]], position: int) -> int:
    """The number of the first word that begins at `position` or after it."""
    return bisect_left(words, (position, 0))
