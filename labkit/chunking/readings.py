"""What a cutting did to a document, in numbers: read them before any search is run (lesson 07)."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from labkit.chunking.chunk import Chunk, body_words
from labkit.chunking.sentences import sentence_starts
from labkit.errors import BadArgument
from labkit.parsing.blocks import Block, ParsedDocument

_WHAT = {
    "title": "heading",
    "heading": "heading",
    "paragraph": "sentence",
    "list_item": "list item",
    "table": "table row",
    "code": "line of code",
}
_LINE = re.compile(r"\S[^\r\n]*")  # from its first character that is not blank


@dataclass(frozen=True)
class Readings:
    """The numbers of one document, cut in one way.

    `words_stored` counts passages, repeats and contexts included; `words_in_no_chunk` counts words of the body. `tables` says for each
    table in how many pieces it lies: 1 where some chunk holds the whole of it, else the number of chunks that hold some of it; the parts of
    a table that goes on over a page are one table. `begin_inside` counts chunks that begin inside a sentence, a list item, or a table row.
    `largest` and `median` are words of a passage; 0 where there is no chunk.
    """

    chunks: int
    words_stored: int
    words_in_no_chunk: int
    tables: tuple[int, ...]
    begin_inside: int
    largest: int
    median: float


def readings(parsed: ParsedDocument, chunks: Sequence[Chunk]) -> Readings:
    """What a cutting did to `parsed`. Raises BadArgument for a chunk of another document. Lesson 07."""
    sizes = [chunk.words for chunk in chunks]
    known: dict[int, frozenset[int]] = {}
    return Readings(
        chunks=len(sizes),
        words_stored=sum(sizes),
        words_in_no_chunk=times_held(parsed, chunks).count(0),
        tables=tuple(_pieces(parsed, start, end, chunks) for start, end in _tables(parsed)),
        begin_inside=sum(bool(_inside(parsed, chunk.start, known)) for chunk in chunks),
        largest=max(sizes, default=0),
        median=float(median(sizes)) if sizes else 0.0,
    )


def times_held(parsed: ParsedDocument, chunks: Sequence[Chunk]) -> list[int]:
    """For each word of the body, in order, how many chunks hold it whole: 0 in none, 2 where it is repeated."""
    spans = body_words(parsed)
    starts, ends = [start for start, _ in spans], [end for _, end in spans]
    times = [0] * len(spans)
    for chunk in chunks:
        if (chunk.doc_id, chunk.version) != (parsed.doc_id, parsed.version):
            raise BadArgument(f"chunk {chunk.id} is of {chunk.doc_id}@v{chunk.version}, not of {parsed.doc_id}@v{parsed.version}")
        for number in range(bisect_left(starts, chunk.start), bisect_right(ends, chunk.end)):
            times[number] += 1
    return times


def begins_inside(parsed: ParsedDocument, position: int) -> str:
    """What a chunk that begins at `position` begins inside: 'sentence', 'list item', 'table row', 'heading', 'line of code'; else ''.

    A sentence's first character is not inside it, nor is a row's; a list item has one beginning, at its marker.
    """
    return _inside(parsed, position, {})


def _inside(parsed: ParsedDocument, position: int, known: dict[int, frozenset[int]]) -> str:
    """`known` keeps the beginnings of each block that was asked for: a block of a whole book has hundreds of chunks."""
    number = bisect_right(parsed.blocks, position, key=lambda block: block.start) - 1
    if number < 0:
        return ""
    block = parsed.blocks[number]
    if position >= block.end:
        return ""
    if number not in known:
        known[number] = frozenset(_beginnings(parsed, block))
    if position in known[number]:
        return ""
    return _WHAT[block.kind]


def _beginnings(parsed: ParsedDocument, block: Block) -> list[int]:
    if block.kind == "paragraph":
        return sentence_starts(parsed.text, block.start, block.end)
    if block.kind in ("table", "code"):  # a row is a line, in Markdown as in what the readers make of HTML and PDF
        return [block.start + line.start() for line in _LINE.finditer(block.text)]
    return [block.start]


def _tables(parsed: ParsedDocument) -> list[tuple[int, int]]:
    """The span of each table, from its first part to its last."""
    spans: list[tuple[int, int]] = []
    above: Block | None = None
    for block in parsed.blocks:
        if block.kind == "table" and above and above.kind == "table" and block.continues:
            spans[-1] = (spans[-1][0], block.end)
        elif block.kind == "table":
            spans.append((block.start, block.end))
        above = block
    return spans


def _pieces(parsed: ParsedDocument, start: int, end: int, chunks: Sequence[Chunk]) -> int:
    if any(chunk.start <= start and end <= chunk.end for chunk in chunks):
        return 1
    return sum(bool(parsed.text[max(chunk.start, start) : min(chunk.end, end)].strip()) for chunk in chunks)
