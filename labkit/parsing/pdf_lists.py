"""Marks of lists at the beginning of a line: bullets, numbers, letters (lesson 06)."""

from __future__ import annotations

import re
from typing import NamedTuple

_BULLETS = "•◦▪▫‣⁃●○■□◆◇►▶▸➢➤✓✔❖·∙⋅⦁\u25aa\u25cf"
_DASHES = "-–—*+"
_MARK = re.compile(
    rf"(?P<bullet>[{_BULLETS}\ue000-\uf8ff])\s*(?=\S)|(?P<dash>[{re.escape(_DASHES)}o])\s+(?=\S)"
    r"|(?P<number>\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{2,5})[.)])\s+(?=\S)"
)
_NUMBERED = re.compile(r"(?:(?:§|Article|Section|Chapter|Part|Annex|Appendix)\s*)?(\d+(?:\.\d+)*)\.?\)?\s+\S", re.IGNORECASE)


class Mark(NamedTuple):
    """A list's mark: its kind ('bullet', 'dash' or 'number'), itself, and where the text begins after it (a position in the line)."""

    kind: str
    text: str
    end: int


def marker(line: str) -> Mark | None:
    """The mark that a line begins with, if any. Whether it is a list's mark is for the context to say: `– ` may be a dash."""
    match = _MARK.match(line)
    if match is None:
        return None
    kind = match.lastgroup or ""
    return Mark(kind, match[kind], match.end())


def bare_number(line: str) -> Mark | None:
    """A number without a point or a bracket. It is a mark only where the text stands apart from it."""
    match = re.match(r"(\d{1,3})\s+(?=\S)", line)
    return Mark("number", match[1], match.end()) if match else None


def is_contents_line(line: str) -> bool:
    """Whether a line is one of a table of contents: dots lead the eye to a page's number."""
    return "....." in line.replace(" ", "")


def number_depth(line: str) -> int:
    """How deep a heading's own number goes: 0 for 'Scope', 1 for '3 Scope', 2 for '3.1 Terms'."""
    match = _NUMBERED.match(line)
    return match[1].count(".") + 1 if match else 0


def follows(mark: str, before: str | None) -> bool:
    """Whether a mark is the next one after `before`, or (None) the first of a list: '3.' after '2.', '(v)' after '(iv)' and after '(u)'."""
    here, last = _orders(mark), {0} if before is None else _orders(before)
    return any(number + 1 in here for number in last)


def _orders(mark: str) -> set[int]:
    """The numbers that a mark can stand for; a letter may be a Roman number too."""
    core = mark.strip("().")
    if core.isdigit():
        return {int(core)}
    found = {roman(core) or 0} - {0}
    if len(core) == 1 and core.isalpha():
        found.add(ord(core.lower()) - ord("a") + 1)
    return found


def roman(text: str) -> int | None:
    """The value of a Roman number, in either case; None where it is none."""
    values = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
    numbers = [values.get(char) for char in text.lower()]
    if not numbers or None in numbers:
        return None
    total = 0
    for here, after in zip(numbers, [*numbers[1:], 0], strict=True):
        total += -here if here < after else here
    return total
