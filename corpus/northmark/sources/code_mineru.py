"""What MinerU, a program that takes PDFs apart, hands over for the printed Code: its content list and its Markdown.

Not MinerU's own work (it needs models of some gigabytes) but its published form, filled from the same source as the PDF, with the pages and
places of the PDF:

- the content list is a JSON list of blocks in reading order, `page_idx` from 0, `bbox` in thousandths of the page; at the end of each page
  what is no part of the text: header, page_number, page_footnote. A block that a page's end cuts stands once, on the page where it begins;
- `text_level` is 1 for every heading: MinerU finds titles by their looks and ranks them in the Markdown only, here by # to ###;
- a table is HTML, all its cells <td>; a raised number is a formula, $^{1}$; a dollar sign is escaped, bold is lost;
- the Markdown holds the same text without headers, page numbers and footnotes.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from code_pages import CONTENTS, PAGE_HEIGHT, PAGE_WIDTH, SIDE, TEXT_WIDTH, TOP, Placed, Setting
from code_text import RAISED, Block, lowered, raised

Entry = dict[str, Any]


def mineru_output(blocks: Sequence[Block], setting: Setting) -> tuple[str, str]:
    """(content list as JSON, Markdown) of the Code as it was set."""
    entries: list[Entry] = []
    markdown: list[str] = []
    heads = dict(setting.heads)
    first: dict[int, Placed] = {}
    for piece in setting.placed:
        first.setdefault(piece.block, piece)
    for page in range(1, setting.pages + 1):
        begun = [piece for piece in setting.placed if piece.page == page and (piece.block < 0 or first[piece.block] is piece)]
        for entry, level in _body(blocks, begun):
            entries.append(entry)
            markdown.append(_as_markdown(entry, level))
        entries += _edges(page, blocks, begun, heads)
    return json.dumps(entries, ensure_ascii=False, indent=4) + "\n", "\n\n".join(markdown) + "\n"


def _body(blocks: Sequence[Block], pieces: Sequence[Placed]) -> Iterator[tuple[Entry, int]]:
    """The blocks of a page's text, each with its level as a heading (0: none). Items and lines of the contents that follow one another make
    one list."""
    items: list[tuple[Placed, str]] = []
    contents = [piece for piece in pieces if piece.block < 0]
    if contents and contents[0].box[1] > TOP + 20:  # the page on which they begin has their heading above them
        top = (SIDE, TOP, SIDE + TEXT_WIDTH, contents[0].box[1])
        yield _text(CONTENTS, 1, Placed(-1, contents[0].page, top)), 1
    for piece in pieces:
        block = blocks[piece.block] if piece.block >= 0 else None
        if block is None or block.kind == "item":
            items.append((piece, piece.text if block is None else _inline(block.text)))
            continue
        if items:
            yield _list(items), 0
            items = []
        if block.kind == "table":
            yield _table(block, piece), 0
        elif block.kind != "note":
            level = 1 if block.kind == "title" else block.level
            yield _text(_inline(block.text), min(level, 1), piece), level
    if items:
        yield _list(items), 0


def _edges(page: int, blocks: Sequence[Block], pieces: Sequence[Placed], heads: dict[int, str]) -> Iterator[Entry]:
    """What stands at the edges of a page."""
    if page in heads:
        for text, left in ((blocks[0].text, SIDE), (heads[page], PAGE_WIDTH / 2)):
            yield {"type": "header", "text": text, **_place((left, 42, left + TEXT_WIDTH / 2, 52), page)}
        foot = (PAGE_WIDTH / 2 - 8, PAGE_HEIGHT - 48, PAGE_WIDTH / 2 + 8, PAGE_HEIGHT - 38)
        yield {"type": "page_number", "text": str(page), **_place(foot, page)}
    for piece in pieces:
        if piece.block >= 0 and blocks[piece.block].kind == "note":
            note = blocks[piece.block]
            yield {"type": "page_footnote", "text": _inline(f"{raised(note.number)} {note.text}"), **_place(piece.box, page)}


def _text(text: str, level: int, piece: Placed) -> Entry:
    return {"type": "text", "text": text, **({"text_level": level} if level else {}), **_place(piece.box, piece.page)}


def _list(items: Sequence[tuple[Placed, str]]) -> Entry:
    boxes = [piece.box for piece, _ in items]
    box = (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))
    return {"type": "list", "sub_type": "text", "list_items": [text for _, text in items], **_place(box, items[0][0].page)}


def _table(block: Block, piece: Placed) -> Entry:
    rows = "".join("<tr>" + "".join(f"<td>{html.escape(cell, quote=False)}</td>" for cell in row) + "</tr>" for row in block.rows)
    body = f"<table>{rows}</table>"
    image = hashlib.sha256(body.encode("utf-8")).hexdigest()
    return {"type": "table", "img_path": f"images/{image}.jpg", "table_caption": [], "table_footnote": [], "table_body": body,
            **_place(piece.box, piece.page)}  # fmt: skip


def _place(box: tuple[float, float, float, float], page: int) -> Entry:
    sides = (PAGE_WIDTH, PAGE_HEIGHT, PAGE_WIDTH, PAGE_HEIGHT)
    return {"bbox": [round(1000 * at / side) for at, side in zip(box, sides, strict=True)], "page_idx": page - 1}


def _as_markdown(entry: Entry, level: int) -> str:
    if entry["type"] == "table":
        return f"\n{entry['table_body']}\n"
    if entry["type"] == "list":
        return "\n".join(entry["list_items"])
    return f"{'#' * level} {entry['text']}" if level else entry["text"]


def _inline(markdown: str) -> str:
    plain = markdown.replace("**", "").replace("$", r"\$")
    return re.sub(rf"[{RAISED}]+", lambda match: f"$^{{{lowered(match[0])}}}$", plain)
