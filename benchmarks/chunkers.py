"""Chunkers side by side on the same texts: are their positions right, are tables whole, how fast are they?

All are asked for pieces of 100 words, words counted as labkit counts them (`str.split`) wherever a chunker lets one say so. Two texts:

- Larkfield, document by document, as labkit reads it;
- one long file, Larkfield's Markdown a number of times over: much of it stands more than once, as in contracts and laws, so a position that
  is searched for afterwards can be the wrong one.

A position is right if the chunk's text stands there, and next to the chunk before it: another copy, far away, is a wrong place. A table is
whole if one chunk holds all of it; where a chunk's position is wrong, it is taken from where it really stands.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from statistics import median

from chonkie import RecursiveChunker, SentenceChunker, TokenChunker
from langchain_text_splitters import MarkdownTextSplitter, RecursiveCharacterTextSplitter
from semchunk import chunkerify

from labkit.chunking import by_structure, fixed, overlapping
from labkit.collection import load_inventory
from labkit.parsing.blocks import ParsedDocument
from labkit.parsing.markdown import read_markdown
from labkit.parsing.reading import parse

SIZE, OVERLAP = 100, 25
TIMES_OVER = 20
RUNS = 3

Piece = tuple[int, int, str]  # where a chunker says that its chunk stands, and the chunk
Cutter = Callable[[ParsedDocument], Iterable[Piece]]


def count(text: str) -> int:
    return len(text.split())


def ours(cut: Callable, *numbers: int) -> Cutter:
    return lambda parsed: [(chunk.start, chunk.end, chunk.text) for chunk in cut(parsed, *numbers)]


def langchain(splitter) -> Cutter:
    def cut(parsed: ParsedDocument) -> Iterator[Piece]:
        for document in splitter.create_documents([parsed.text]):
            start = document.metadata["start_index"]
            yield start, start + len(document.page_content), document.page_content

    return cut


def semchunk(overlap: int) -> Cutter:
    chunker = chunkerify(count, SIZE)

    def cut(parsed: ParsedDocument) -> Iterator[Piece]:
        texts, spans = chunker(parsed.text, offsets=True, overlap=overlap or None)
        return ((start, end, text) for text, (start, end) in zip(texts, spans, strict=True))

    return cut


def chonkie(chunker) -> Cutter:
    return lambda parsed: [(chunk.start_index, chunk.end_index, chunk.text) for chunk in chunker.chunk(parsed.text)]


def cutters() -> dict[str, tuple[Cutter, str]]:
    """Name -> the chunker, and what a reader must know."""
    words = {"chunk_size": SIZE, "length_function": count, "add_start_index": True}
    return {
        "labkit fixed": (ours(fixed, SIZE), ""),
        "labkit overlapping": (ours(overlapping, SIZE, OVERLAP), ""),
        "labkit by_structure": (ours(by_structure, SIZE), "the document is parsed already; title in each passage"),
        "LangChain recursive": (langchain(RecursiveCharacterTextSplitter(chunk_overlap=0, **words)), ""),
        "LangChain recursive, overlap": (
            langchain(RecursiveCharacterTextSplitter(chunk_overlap=OVERLAP, **words)),
            "it looks for its chunks, and takes 25 words of overlap for 25 characters",
        ),
        "LangChain Markdown": (langchain(MarkdownTextSplitter(chunk_overlap=0, **words)), ""),
        "semchunk": (semchunk(0), ""),
        "semchunk, overlap": (semchunk(OVERLAP), ""),
        "chonkie recursive": (chonkie(RecursiveChunker(tokenizer=count, chunk_size=SIZE)), ""),
        "chonkie sentence, overlap": (chonkie(SentenceChunker(tokenizer=count, chunk_size=SIZE, chunk_overlap=OVERLAP)), ""),
        "chonkie token": (chonkie(TokenChunker(tokenizer="word", chunk_size=SIZE)), "its own 'word' tokenizer"),
    }


@dataclass(frozen=True)
class Result:
    """What one chunker did to one set of texts. `seconds`: of each run."""

    chunks: int
    right: int
    tables: int
    whole: int
    words: int
    seconds: list[float]

    def __str__(self) -> str:
        speed = self.words / median(self.seconds)
        return f"positions right {self.right / self.chunks:6.1%}, tables whole {self.whole} of {self.tables}, {speed:,.0f} words/s"


def judge(cut: Cutter, texts: list[ParsedDocument]) -> Result:
    """Cuts all texts RUNS times, and looks at the chunks of the first time."""
    seconds, first = [], None
    for _ in range(RUNS):
        begun = time.perf_counter()
        pieces = [list(cut(parsed)) for parsed in texts]
        seconds.append(time.perf_counter() - begun)
        first = first or pieces
    placed = [place(parsed.text, pieces) for parsed, pieces in zip(texts, first, strict=True)]
    tables = [
        any(start <= block.start and block.end <= end for start, end, _ in chunks)
        for parsed, chunks in zip(texts, placed, strict=True)
        for block in parsed.blocks
        if block.kind == "table"
    ]
    right = sum(right for chunks in placed for _, _, right in chunks)
    return Result(sum(map(len, first)), right, len(tables), sum(tables), sum(count(parsed.text) for parsed in texts), seconds)


def place(text: str, pieces: Iterable[Piece]) -> list[tuple[int, int, bool]]:
    """Where each piece really stands, and whether it said so. A piece with changed words is put behind the last one."""
    placed: list[tuple[int, int, bool]] = []
    last_start, last_end = -1, 0
    for start, end, piece in pieces:
        right = last_start < start <= end <= len(text) and text[start:end] == piece and count(text[last_end:start]) < SIZE
        if not right:
            found = text.find(piece, last_start + 1)
            start = found if found >= 0 else last_end
            end = start + len(piece) if found >= 0 else last_end
        placed.append((start, end, right))
        last_start, last_end = start, max(end, last_end)
    return placed


def texts() -> dict[str, list[ParsedDocument]]:
    """Larkfield document by document, and its Markdown as one long file."""
    documents = [parse(document) for document in load_inventory()]
    markdown = "\n\n".join(parsed.text[parsed.body :] for parsed in documents if parsed.format == "md")
    long = read_markdown("\n\n".join([markdown] * TIMES_OVER), doc_id="long", title="Larkfield")
    return {f"Larkfield, {len(documents)} documents": documents, f"one long file, {count(long.text):,} words": [long]}
