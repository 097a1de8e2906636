"""What a reader finds in a document: blocks, each with its kind, its place and the headings above it (lesson 06).

Markdown, HTML and PDF all come out in this one shape, so that what follows (chunking, validation, the explorer) never asks what a document
was before.

Laws (tests hold them for every reader): `text[block.start:block.end] == block.text`; blocks stand in order and never overlap; each visible
text is in one block and only there; reading a document twice gives equal results.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, get_args

from labkit.errors import BadArgument
from labkit.passages import unique_names

Kind = Literal["title", "heading", "paragraph", "list_item", "table", "code"]
KINDS: tuple[str, ...] = get_args(Kind)


@dataclass(frozen=True)
class Block:
    """One piece of a document, as a reader sees it.

    `text` is `parsed.text[start:end]`, positions in code points, half-open. `page` is the physical page it begins on, 1-based; None
    where the format has no pages. `level` is 1–6 for a heading, the depth (1-based) for a list item, None otherwise. `rows` holds a
    table's cells as text, row by row, all rows equally long (the header first where there is one); [] for anything else.
    `heading_path` names the headings above it, outermost first, the title apart; a heading's own path ends with itself. `continues` is
    true for a table that goes on from the one before it, on the page before.
    """

    kind: Kind
    text: str = field(repr=False)
    start: int
    end: int
    page: int | None = None
    level: int | None = None
    rows: list[list[str]] = field(default_factory=list, repr=False)
    heading_path: list[str] = field(default_factory=list)
    continues: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BadArgument(f"a block is one of {', '.join(KINDS)}, not {self.kind!r}")
        if not 0 <= self.start <= self.end or self.end - self.start != len(self.text):
            raise BadArgument(f"a {self.kind}: characters {self.start} to {self.end} do not fit a text of {len(self.text)}")


@dataclass(frozen=True)
class Page:
    """A physical page: `number` is 1-based; `label` is what is printed on it ('iv', '12'; '' where nothing is); `start` and `end` are its
    span in the text. A page without text has an empty span."""

    number: int
    label: str
    start: int
    end: int


@dataclass(frozen=True)
class Problem:
    """What could not be read: the page (None: the whole document), what is wrong, what to do about it."""

    page: int | None
    what: str
    todo: str

    def __str__(self) -> str:
        where = "" if self.page is None else f"page {self.page}: "
        return f"{where}{self.what} — {self.todo}"


@dataclass(frozen=True)
class SectionSpan:
    """A level-2 section: its heading as plain text, its name (unique in the document: 'Notes', 'Notes-2'), and its span in the text."""

    title: str
    name: str
    start: int
    end: int


@dataclass(frozen=True)
class ParsedDocument:
    """A document as it was read (lesson 06).

    `text` is what positions point into: the file itself for Markdown, the extracted text for HTML and PDF. `body` is where it begins for
    a chunker: after a Markdown file's front matter, else 0. `sections` are the level-2 sections, the same that `split_sections` gives
    for Markdown. `problems` says what could not be read; where the list is not empty, the document is not whole.
    """

    doc_id: str
    title: str
    version: str
    access: str
    language: str
    format: str
    text: str = field(repr=False)
    blocks: list[Block] = field(repr=False)
    sections: list[SectionSpan] = field(default_factory=list, repr=False)
    pages: list[Page] = field(default_factory=list, repr=False)
    problems: list[Problem] = field(default_factory=list)
    body: int = 0

    def __post_init__(self) -> None:
        position = 0
        for block in self.blocks:
            if block.start < position or self.text[block.start : block.end] != block.text:
                raise BadArgument(f"{self.doc_id}: the {block.kind} at character {block.start} is out of place")
            position = block.end

    def page_at(self, position: int) -> int | None:
        """The physical page (1-based) that a position stands on; None without pages."""
        return next((page.number for page in reversed(self.pages) if page.start <= position), None)


def sections_of_blocks(blocks: Iterable[Block], end: int) -> list[SectionSpan]:
    """The level-2 sections of a sequence of blocks: each from its heading to the next one, or to `end`. For HTML and PDF."""
    headings = [block for block in blocks if block.kind == "heading" and block.level == 2]
    names = unique_names([block.heading_path[-1] for block in headings])
    ends = ([block.start for block in headings] + [end])[1:]
    return [SectionSpan(block.heading_path[-1], name, block.start, stop) for block, name, stop in zip(headings, names, ends, strict=True)]
