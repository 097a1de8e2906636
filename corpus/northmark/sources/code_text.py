"""The text of the Code: joined from the parts beside this file, and read back as blocks.

The parts hold level-1 headings (a Part, an Annex), `## ` (an Article, a Form), `### ` inside a long Article, paragraphs of one line, lists
of `- `, pipe tables, **terms** where they are defined, and footnotes, `[^a3-1]` in the text and `[^a3-1]: …` at the end of the Article.
Anything else is refused with its line: a document that drops a sentence looks just like one that does not.

In the joined text a footnote is a raised number, ¹, and a paragraph that begins with the same number at the end of its Article. CommonMark
has no footnotes: `[^a3-1]: …` is the definition of a link there, and a note of one word would vanish without a trace. As plain characters
the note stays in its Article for every reader, the number is a word of its own that nobody searches for, and the printed page has it too.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "tools"))  # where making.py lies
from making import SourceFault

PARTS = Path(__file__).resolve().parent / "parts"
TITLE = "The Consumer Code of Northmark"
STATUS = "Consolidated edition 2026 · all amendments up to 1 March 2026"
PREAMBLE = (
    "This edition shows the wording now in force. An Article that has been amended ends with the day of its last amendment, and Annex B "
    "keeps what it said before. The number of a repealed Article is not used again.",
    "Northmark is an invented province, and its law binds nobody.",
)
FORMER_TEXTS = "# Annex B Former texts"
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"

_MARK = re.compile(r"\[\^([\w-]+)\]")
_NOTE = re.compile(rf"([{RAISED}]+) (.+)")
_RULE = re.compile(r"\|(?: ?:?-+:? ?\|)+")


@dataclass(frozen=True)
class Block:
    """A piece of the Code: 'title', 'heading' (`level` 1 to 3), 'paragraph', 'item', 'table' (`rows`, the header first) or 'note'.

    `text` is inline Markdown, where only `**` is mark-up; `number` is a note's own, counted through the whole Code; `line` is 1-based.
    """

    kind: str
    text: str
    line: int
    level: int = 0
    number: int = 0
    rows: tuple[tuple[str, ...], ...] = field(default=(), repr=False)


def code_markdown(parts: Path = PARTS) -> str:
    """The whole Code as one Markdown document. Raises SourceFault."""
    pieces = ["\n\n".join((f"# {TITLE}", STATUS, *PREAMBLE))]
    pieces += [_source(path) for path in sorted(parts.glob("part-*.md"))]
    annex = _source(parts / "annex.md")
    head, found, tail = annex.partition(FORMER_TEXTS)
    if not found:
        raise SourceFault(f"annex.md: the heading {FORMER_TEXTS!r} is missing")
    intro, _, index = tail.partition("\n# ")
    pieces += [head.strip(), FORMER_TEXTS + intro.rstrip()]
    pieces += [_source(path) for path in sorted(parts.glob("former-*.md"))]
    pieces.append(f"# {index.strip()}")
    return _with_numbered_notes("\n\n".join(pieces)) + "\n"


def raised(number: int) -> str:
    """A number in raised digits."""
    return "".join(RAISED[int(digit)] for digit in str(number))


def lowered(digits: str) -> int:
    """The number that raised digits stand for."""
    return int("".join(str(RAISED.index(digit)) for digit in digits))


def blocks_of(markdown: str) -> list[Block]:
    """The blocks of the joined text, in order; each item of a list is one. Raises SourceFault where a line is none of the forms above."""
    blocks: list[Block] = []
    lines = markdown.split("\n")
    place = 0
    while place < len(lines):
        text, line = lines[place], place + 1
        place += 1
        if not text:
            continue
        if heading := re.fullmatch(r"(#{1,3}) (\S.*)", text):
            first = not blocks
            blocks.append(Block("title" if first else "heading", heading[2], line, 0 if first else len(heading[1])))
        elif note := _NOTE.fullmatch(text):
            blocks.append(Block("note", note[2], line, number=lowered(note[1])))
        elif text.startswith("- "):
            blocks.append(Block("item", text[2:], line))
        elif text.startswith("|"):
            end = next((at for at in range(place, len(lines)) if not lines[at].startswith("|")), len(lines))
            blocks.append(Block("table", "\n".join(lines[place - 1 : end]), line, rows=_rows(lines[place - 1 : end], line)))
            place = end
        elif re.match(r"[#>`~=<\[]|[*+_] |\d+[.)] |\s", text) or (place < len(lines) and lines[place]):
            raise SourceFault(f"line {line}: {text[:40]!r} is none of the forms that the Code is written in")
        else:
            blocks.append(Block("paragraph", text, line))
    return blocks


def _source(path: Path) -> str:
    """A source file, looked through: its blocks stand apart, and each is of a form that is known."""
    text = path.read_bytes().decode("utf-8")
    for number, line in enumerate(text.split("\n"), start=1):
        if "\t" in line or line != line.rstrip() or any(digit in line for digit in RAISED):
            raise SourceFault(f"{path.name}:{number}: a tab, a blank at the end or a raised digit")
    for number, (above, below) in enumerate(zip(text.split("\n"), text.split("\n")[1:], strict=False), start=1):
        together = above and below and not (above[:2] == below[:2] == "- " or above[:1] == below[:1] == "|")
        if together:
            raise SourceFault(f"{path.name}:{number + 1}: leave a blank line above it")
    return text.strip("\n")


def _with_numbered_notes(text: str) -> str:
    """Footnotes counted through: each mark and its note get the same raised number."""
    numbers: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        numbers.setdefault(match[1], len(numbers) + 1)
        return raised(numbers[match[1]])

    marks = [match[1] for match in _MARK.finditer(text) if text[match.end() : match.end() + 1] != ":"]
    notes = re.findall(r"^\[\^([\w-]+)\]: ", text, re.MULTILINE)
    if marks != notes or len(set(marks)) != len(marks):
        raise SourceFault(f"footnotes: each mark stands once and has its note, in the same order; marks {marks}, notes {notes}")
    return _MARK.sub(number, re.sub(r"^(\[\^[\w-]+\]):", r"\1", text, flags=re.MULTILINE))


def _rows(lines: list[str], first: int) -> tuple[tuple[str, ...], ...]:
    if len(lines) < 3 or not _RULE.fullmatch(lines[1]):
        raise SourceFault(f"line {first}: a table is a header, a rule of |---| and rows")
    rows = [tuple(cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")) for line in (lines[0], *lines[2:])]
    uneven = [first + place + (place > 0) for place, row in enumerate(rows) if len(row) != len(rows[0])]
    if uneven:
        raise SourceFault(f"line {uneven[0]}: the rows of a table are equally long")
    return tuple(rows)
