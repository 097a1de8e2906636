"""The labkit command that shows a document as labkit reads it: `labkit parse` (lesson 06).

`register` adds it to the command line.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from labkit.cli_printing import complain, print_json, say, width
from labkit.parsing.blocks import Block, ParsedDocument
from labkit.textfiles import counted, shown

_PREVIEW = 160  # characters of a block


def register(app: typer.Typer, command: Callable[[Callable], Callable]) -> None:
    """Adds the command to `app`; `command` is what every command does with an error."""
    app.command(epilog="Example: labkit parse my-documents/returns.html")(command(parse))


def parse(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A Markdown, HTML or PDF file.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, for a script, or to copy a quote from: each block whole, a tab as \\t.")
    ] = False,
    rows: Annotated[bool, typer.Option("--rows", help="Show each row of its tables as a quote, to copy into questions.md.")] = False,
) -> None:
    """Show a document as labkit reads it: its blocks, and what could not be read.

    Exit code 1 where the document could not be read wholly.
    """
    from labkit.parsing import reading

    parsed = reading.parse(file)
    if as_json:
        print_json(_as_dict(parsed))
    elif rows:
        _show_rows(parsed)
    else:
        _show(parsed)
    sys.stdout.flush()
    for problem in parsed.problems:
        complain(f"{shown(file)}: {problem}")
    if parsed.problems:
        raise typer.Exit(1)


def _show(parsed: ParsedDocument) -> None:
    from labkit.show.tables import table

    print(parsed.title)
    sizes = [counted(len(parsed.blocks), "block"), counted(len(parsed.sections), "section"), counted(len(parsed.text.split()), "word")]
    if parsed.pages:
        sizes.append(counted(len(parsed.pages), "page"))
    print(f"{parsed.format}: {', '.join(sizes)}\n")
    if not parsed.blocks:
        return
    rows = [
        {"block": _kind(block), "characters": f"{block.start}–{block.end}", "page": block.page, "text": _preview(block.text)}
        for block in parsed.blocks
    ]
    columns = ["block", "characters", *(["page"] if parsed.pages else []), "text"]
    print(table(rows, columns=columns, width=max(40, width())))
    if any(block.kind == "table" for block in parsed.blocks):
        say("--rows shows the rows of its tables as quotes to copy.")


def _show_rows(parsed: ParsedDocument) -> None:
    """Each row whole, on a line of its own however wide the terminal is: one that is wrapped cannot be copied."""
    from labkit.questions_markdown import quote_line

    tables = [block for block in parsed.blocks if block.kind == "table"]
    for block in tables:
        print(" > ".join(block.heading_path) or parsed.title)
        for row in block.text.split("\n"):
            line = quote_line(row.rstrip("\r")) or row
            print("".join(each if each.isprintable() or unicodedata.category(each) == "Zs" else " " for each in line))
        print()
    if not tables:
        say("No table was found in it.")


def _kind(block: Block) -> str:
    if block.kind == "table":
        size = f"{len(block.rows)} × {len(block.rows[0]) if block.rows else 0}"
        return f"table {size}, goes on" if block.continues else f"table {size}"
    name = block.kind.replace("_", " ")
    return name if block.level is None else f"{name} {block.level}"


def _preview(text: str) -> str:
    line = "".join(each if each.isprintable() else " " for each in " ".join(text[: 4 * _PREVIEW].split()))
    return line if len(line) <= _PREVIEW else f"{line[: _PREVIEW - 1]}…"


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
