"""What can answer: a sentence, a list item, a row of a table (lesson 15)."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from labkit.chunking.sentences import sentence_starts
from labkit.parsing.blocks import Block, ParsedDocument

_LINE = re.compile(r"[^\r\n]+")


def statements(parsed: ParsedDocument, start: int, end: int) -> list[tuple[int, int]]:
    """The sentences, list items and table rows that stretch into a span, each whole, in order; code points of the document, half-open.

    Headings are left out, and so are lines without a letter or digit; where there is nothing else, the span itself is the answer.
    """
    first = bisect_right(parsed.blocks, start, key=lambda block: block.end)
    found = []
    for block in parsed.blocks[first : bisect_left(parsed.blocks, end, key=lambda block: block.start)]:
        for begin, stop in _parts(parsed, block):
            text = parsed.text[begin:stop]
            begin += len(text) - len(text.lstrip())
            stop = begin + len(text.strip())
            if begin < end and start < stop and any(each.isalnum() for each in text):
                found.append((begin, stop))
    return found or [(start, end)]


def _parts(parsed: ParsedDocument, block: Block) -> list[tuple[int, int]]:
    if block.kind in ("title", "heading"):
        return []
    if block.kind == "paragraph":
        starts = sorted({block.start, *sentence_starts(parsed.text, block.start, block.end)})
        return list(zip(starts, [*starts[1:], block.end], strict=True))
    if block.kind in ("table", "code"):  # a row is a line
        return [(block.start + line.start(), block.start + line.end()) for line in _LINE.finditer(block.text)]
    return [(block.start, block.end)]
