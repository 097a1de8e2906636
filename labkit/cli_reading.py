"""The labkit command that shows a document as labkit reads it: `labkit parse` (lesson 06).

`register` adds it to the command line.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from labkit.parsing.blocks import Block, ParsedDocument
from labkit.textfiles import shown

WIDEST = 80
_PREVIEW = 160  # characters of a block


def register(app: typer.Typer, command: Callable[[Callable], Callable]) -> None:
    """Adds the command to `app`; `command` is what every command does with an error."""
    app.command(epilog="Example: labkit parse my-documents/returns.html")(command(parse))


def parse(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A Markdown, HTML or PDF file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for a script: every block whole.")] = False,
) -> None:
    """Show a document as labkit reads it: its blocks, and what could not be read.

    Exit code 1 where the document could not be read wholly.
    """
    from labkit.parsing import reading

    parsed = reading.parse(file)
    if as_json:
        print(json.dumps(_as_dict(parsed), ensure_ascii=False, indent=2))
    else:
        _show(parsed)
    sys.stdout.flush()
    for problem in parsed.problems:
        print(f"{shown(file)}: {problem}", file=sys.stderr)
    if parsed.problems:
        raise typer.Exit(1)


def _show(parsed: ParsedDocument) -> None:
    from labkit.show.tables import table

    print(parsed.title)
    counted = [_count(len(parsed.blocks), "block"), _count(len(parsed.sections), "section"), _count(len(parsed.text.split()), "word")]
    if parsed.pages:
        counted.append(_count(len(parsed.pages), "page"))
    print(f"{parsed.format}: {', '.join(counted)}\n")
    if not parsed.blocks:
        return
    rows = [
        {"block": _kind(block), "characters": f"{block.start}–{block.end}", "page": block.page, "text": _preview(block.text)}
        for block in parsed.blocks
    ]
    columns = ["block", "characters", *(["page"] if parsed.pages else []), "text"]
    print(table(rows, columns=columns, width=max(40, min(WIDEST, shutil.get_terminal_size().columns))))


def _kind(block: Block) -> str:
    if block.kind == "table":
        size = f"{len(block.rows)} × {len(block.rows[0]) if block.rows else 0}"
        return f"table {size}, goes on" if block.continues else f"table {size}"
    name = block.kind.replace("_", " ")
    return name if block.level is None else f"{name} {block.level}"


def _preview(text: str) -> str:
    line = "".join(each if each.isprintable() else " " for each in " ".join(text[: 4 * _PREVIEW].split()))
    return line if len(line) <= _PREVIEW else f"{line[: _PREVIEW - 1]}…"


def _count(number: int, word: str) -> str:
    return f"{number:,} {word if number == 1 else word + 's'}"


def _as_dict(parsed: ParsedDocument) -> dict:
    return {
        "doc_id": parsed.doc_id, "title": parsed.title, "version": parsed.version, "access": parsed.access, "language": parsed.language,
        "format": parsed.format, "characters": len(parsed.text), "body": parsed.body,
        "blocks": [
            {
                "kind": each.kind, "level": each.level, "start": each.start, "end": each.end, "page": each.page,
                "heading_path": each.heading_path, "continues": each.continues, "text": each.text, "rows": each.rows,
            }
            for each in parsed.blocks
        ],
        "sections": [{"name": each.name, "title": each.title, "start": each.start, "end": each.end} for each in parsed.sections],
        "pages": [{"number": each.number, "label": each.label, "start": each.start, "end": each.end} for each in parsed.pages],
        "problems": [{"page": each.page, "what": each.what, "todo": each.todo} for each in parsed.problems],
    }  # fmt: skip
