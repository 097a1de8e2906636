"""A Markdown document cut at its level-2 headings: every piece knows where it comes from (lesson 02).

What is a heading is decided by CommonMark (markdown-it), not by a search for '## ': a line in a code fence, a comment, a list
or a quote opens no section. Where a section stands is decided by lines of the file as it was read, so positions hold for any
line ends.

Laws (tests hold them): sections stand in order and never overlap; every non-blank character of the body is in exactly one
section's text, or in the preamble before the first one; front matter is in neither.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from labkit.collection import Document
from labkit.errors import BadArgument, DocumentError
from labkit.passages import Passage, slug, unique_names
from labkit.textfiles import quoted

# Blocks only: inline text is read where it is asked for. Tables are on so that `| a |` never turns into something else.
# What is nested deeper than this comes as one piece (markdown-it's own guard, which is 20, would do so for lists ten deep).
MOST_NESTED = 100
_MARKDOWN = MarkdownIt("commonmark", {"maxNesting": MOST_NESTED}).enable("table")
_MARKDOWN.core.ruler.enableOnly(["normalize", "block"])

# The three line ends of CommonMark. Not str.splitlines: it also cuts at form feeds, U+2028 and others, and positions would drift.
_LINE_END = re.compile(r"\r\n|\r|\n")
_BREAK = re.compile(r"<br\b", re.IGNORECASE)
_KEY = re.compile(r"[^\s#:][^:]*:(?:\s|$)")


@dataclass(frozen=True)
class Section(Passage):
    """One level-2 heading and what stands under it, up to the next one.

    `section` is the heading as plain text; `passage_id` (also `id`) is 'doc_id@vVERSION#slug', unique in the collection: the
    second of two equal headings ends in '-2'. `text` begins at the heading itself; `context` is the document's title.
    """

    section: str = ""

    @property
    def passage_id(self) -> str:
        return self.id


@dataclass(frozen=True)
class Heading:
    """A level-2 heading: its plain text, its name unique in the document, and where its section's text starts and ends (code points)."""

    title: str
    name: str
    start: int
    end: int


@dataclass(frozen=True)
class Outline:
    """Where the parts of a Markdown text stand: the body begins after the front matter, the preamble ends at the first section."""

    body: int
    preamble_end: int
    headings: tuple[Heading, ...]


@dataclass(frozen=True)
class MarkdownBlocks:
    """What markdown-it reads in a text: block tokens, whose lines count from `body`, and where each of those lines starts (code points;
    one more entry than lines, so that a token's end has a place too)."""

    body: int
    line_starts: list[int]
    tokens: list[Token]
    env: dict


def split_sections(document: Document) -> list[Section]:
    """One Section for each level-2 heading of a Markdown document, in order. A document without such a heading has none.

    Raises DocumentError where the document is not Markdown (HTML and PDF: lesson 06), is missing, or is not UTF-8. Lesson 02.
    """
    if not isinstance(document, Document):
        given = f"{type(document).__name__} {quoted(document)}"
        raise BadArgument(f"split_sections takes one document, as load_inventory returns them, not {given}")
    if document.format != "md":
        raise DocumentError(
            f"{document.file}: split_sections reads Markdown, and this document is {document.format.upper()} — "
            f"leave it out for now (document.format == 'md'); lesson 06 reads HTML and PDF"
        )
    source = document.read()
    return [
        Section.cut(
            source,
            heading.start,
            heading.end,
            id=f"{document.doc_id}@v{document.version}#{slug(heading.name)}",
            doc_id=document.doc_id,
            version=document.version,
            access=document.access,
            language=document.language,
            sections=(heading.name,),
            context=document.title,
            section=heading.title,
        )
        for heading in outline(source).headings
    ]


def outline(text: str) -> Outline:
    """The level-2 headings of a Markdown text and the spans of their sections, in code points of `text`."""
    read = markdown_blocks(text)
    opened: list[tuple[str, int]] = []
    for token, content in pairwise(read.tokens):
        if token.type == "heading_open" and token.tag == "h2" and token.level == 0:
            start = read.line_starts[token.map[0]]
            while text[start] == " ":  # up to three may stand before a heading (a form feed would be its first character)
                start += 1
            opened.append((plain_text(content.content, read.env), start))

    ends = ([start for _, start in opened] + [len(text)])[1:]
    names = unique_names([title for title, _ in opened])
    headings = tuple(
        Heading(title, name, start, start + len(text[start:end].rstrip()))
        for (title, start), name, end in zip(opened, names, ends, strict=True)
    )
    return Outline(read.body, opened[0][1] if opened else len(text), headings)


def markdown_blocks(text: str) -> MarkdownBlocks:
    """The block structure of a Markdown text, front matter apart, by CommonMark with tables (lesson 06 builds on it)."""
    body = _front_matter_end(text)
    line_starts = [body, *(match.end() for match in _LINE_END.finditer(text, body)), len(text)]
    env: dict = {}
    return MarkdownBlocks(body, line_starts, _MARKDOWN.parse(text[body:], env), env)


def plain_text(markdown: str, env: dict) -> str:
    """Inline Markdown as a reader sees it: marks, links, tags off, entities decoded, white space folded. `env` holds the link targets."""
    children: list[Token] = []
    _MARKDOWN.inline.parse(markdown, _MARKDOWN, env, children)
    return " ".join("".join(_visible(children)).split())


def line_of(text: str, position: int) -> int:
    """The 1-based line that a position (code points) stands on, by CommonMark's line ends."""
    return 1 + bisect_left([match.end() for match in _LINE_END.finditer(text)], position + 1)


def _front_matter_end(text: str) -> int:
    """Where the body begins: 0, or just after a YAML block between `---` and `---` or `...` at the very top.

    A thematic break is `---` too. It is front matter only if a closing line exists and the lines between hold a `key:` and begin without a
    blank line (or there are none).
    """
    lines = _lines(text)
    if next(lines)[0].rstrip(" \t") != "---":
        return 0
    inside: list[str] = []
    for line, end in lines:
        if line.rstrip(" \t") in ("---", "..."):
            return end if not inside or (inside[0].strip() and any(map(_KEY.match, inside))) else 0
        inside.append(line)
    return 0


def _lines(text: str) -> Iterator[tuple[str, int]]:
    """Each line without its end, and where the next one starts."""
    start = 0
    for match in _LINE_END.finditer(text):
        yield text[start : match.start()], match.end()
        start = match.end()
    yield text[start:], len(text)


def _visible(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("text", "text_special", "code_inline"):
            yield token.content
        elif token.type in ("softbreak", "hardbreak") or (token.type == "html_inline" and _BREAK.match(token.content)):
            yield " "
        elif token.children:  # an image: its alternative text
            yield from _visible(token.children)
