"""Markdown into blocks: the text is the file itself, a block is a span of its lines (lesson 06).

What is a heading, a list or a table is decided by CommonMark (markdown-it, with tables), as for `split_sections`, and the sections are the
same. Positions are those of whole lines, the white space around them taken off, so they hold for any line ends.

- A list item's block begins at its marker; what the item says after a nested list, a table or a code block is a further block of its level.
- The paragraphs of a quote are one block. A heading in a list or a quote opens no section: it is part of that block.
- HTML inside Markdown is a paragraph if a reader sees something of it; a comment, a link's definition and a rule (`---`) are no block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it.token import Token

from labkit.parsing.blocks import Block, Kind, ParsedDocument, Problem, SectionSpan
from labkit.parsing.headings import HeadingPath
from labkit.parsing.html import shows_text
from labkit.sections import MOST_NESTED, MarkdownBlocks, markdown_blocks, outline, plain_text

_MARKERS = re.compile(r"[\s>*+\-.)\d]*")
_CONTAINERS = ("blockquote", "bullet_list", "ordered_list", "list_item")


def read_markdown(
    text: str, *, doc_id: str, title: str | None = None, version: str = "1", access: str = "staff", language: str = "unknown"
) -> ParsedDocument:
    """The blocks and sections of a Markdown text (lesson 06).

    `title` None: the first level-1 heading's text ('' where there is none). Its block is the title if no level-2 heading stands before it.
    """
    source = markdown_blocks(text)
    blocks, own_title = _blocks(text, source)
    return ParsedDocument(
        doc_id=doc_id,
        title=own_title if title is None else title,
        version=version,
        access=access,
        language=language,
        format="md",
        text=text,
        blocks=blocks,
        sections=[SectionSpan(each.title, each.name, each.start, each.end) for each in outline(text).headings],
        problems=[] if blocks else [Problem(None, "the document says nothing that a reader can see", "write it, or leave it out")],
        body=source.body,
    )


@dataclass
class _Piece:
    """A block to be: lines [first, last) from the body's start. `home` is the item or quote that it is prose of, None elsewhere;
    `indented`: its first line's indent is part of it."""

    kind: Kind
    first: int
    last: int
    level: int | None = None
    heading: str = ""
    rows: list[list[str]] | None = None
    home: int | None = None
    indented: bool = False


def _blocks(text: str, source: MarkdownBlocks) -> tuple[list[Block], str]:
    blocks: list[Block] = []
    path = HeadingPath()
    title: str | None = None
    levels: set[int] = set()
    for piece in _joined(_pieces(text, source)):
        kind, level = piece.kind, piece.level
        start, end = _trimmed(text, source.line_starts[piece.first], source.line_starts[piece.last], piece.indented)
        if start == end:
            continue
        if kind == "heading":  # it begins where `outline` says: a form feed or U+2028 may be its first character
            line = text[source.line_starts[piece.first] : end]
            start = end - len(line.lstrip(" "))
        if kind == "heading" and level == 1 and title is None:
            title = piece.heading
        if kind == "heading" and level == 1 and not levels & {1, 2}:
            kind, level = "title", None
            above = path.title()
            levels.add(1)
        elif kind == "heading":
            above = path.enter(level, piece.heading)
            levels.add(level)
        else:
            above = path.here()
        blocks.append(Block(kind, text[start:end], start, end, level=level, rows=piece.rows or [], heading_path=above))
    return blocks, title or ""


def _trimmed(text: str, start: int, end: int, indented: bool) -> tuple[int, int]:
    """The span without white space at its ends; with the first line's indent where that is asked for."""
    piece = text[start:end]
    end = start + len(piece.rstrip())
    first = start + len(piece) - len(piece.lstrip())
    if first >= end:
        return start, start
    if indented:
        indent = len(text[start:first]) - len(text[start:first].rstrip(" \t"))
        return first - indent, end
    return first, end


def _joined(pieces: Iterator[_Piece]) -> Iterator[_Piece]:
    """The pieces, with prose of one item or one quote that follows its like put together."""
    last: _Piece | None = None
    for piece in pieces:
        if last and last.home is not None and last.home == piece.home:
            last.last = piece.last
            continue
        if last:
            yield last
        last = piece
    if last:
        yield last


def _pieces(text: str, source: MarkdownBlocks) -> Iterator[_Piece]:
    """One piece for each leaf of the block structure that shows something, in the order of the lines."""
    tokens = source.tokens
    around: list[Token] = []  # the lists, items and quotes that are open
    number = 0
    while number < len(tokens):
        token = tokens[number]
        name = token.type.removesuffix("_open")
        if token.nesting == 1 and name in _CONTAINERS:
            around.append(token)
            if token.level + 1 >= MOST_NESTED and tokens[number + 1].nesting == -1 and not _only_markers(text, source, token):
                yield _prose(token, around)
        elif token.nesting == -1 and token.type.removesuffix("_close") in _CONTAINERS:
            around.pop()
        elif name == "table" and token.nesting == 1:
            end = next(i for i in range(number, len(tokens)) if tokens[i].type == "table_close")
            yield _Piece("table", *token.map, rows=_rows(tokens[number:end], source.env))
            number = end
        elif name == "heading" and not around and token.nesting == 1:
            yield _Piece("heading", *token.map, level=int(token.tag[1]), heading=plain_text(tokens[number + 1].content, source.env))
        elif (name in ("heading", "paragraph") and token.nesting == 1) or (name == "html_block" and shows_text(token.content)):
            yield _prose(token, around)
        elif name in ("fence", "code_block") and token.content.strip():
            yield _Piece("code", *token.map, indented=name == "code_block")
        number += 1


def _only_markers(text: str, source: MarkdownBlocks, token: Token) -> bool:
    first, last = token.map
    return bool(_MARKERS.fullmatch(text, source.line_starts[first], source.line_starts[last]))


def _prose(token: Token, around: list[Token]) -> _Piece:
    items = [each for each in around if each.type == "list_item_open"]
    if items:
        depth = sum(each.type in ("bullet_list_open", "ordered_list_open") for each in around)
        return _Piece("list_item", *token.map, level=depth, home=id(items[-1]))
    return _Piece("paragraph", *token.map, home=id(around[0]) if around else None)


def _rows(tokens: list[Token], env: dict) -> list[list[str]]:
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(plain_text(token.content, env))
    return rows
