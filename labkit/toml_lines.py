"""On which line of a TOML file a key stands: what tomllib knows while it reads, and does not tell (lessons 14 and 15)."""

from __future__ import annotations

import re
import tomllib
from collections import Counter

Path = tuple[str | int, ...]

_LINE = re.compile(r"\r\n|\n")
_HEAD = re.compile(r"\s*(\[\[?)([^\]]*)\]\]?\s*(#.*)?$")
_NAME = r"""(?:[A-Za-z0-9_-]+|"(?:\\.|[^"\\])*"|'[^']*')"""
_KEY = re.compile(rf"\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*=(.*)$")
_PART = re.compile(_NAME)
_NOISE = re.compile(r"""#.*|"(?:\\.|[^"\\])*"|'[^']*'""")


def lines_of(text: str) -> dict[Path, int]:
    """(key, …) -> its 1-based line, for each key and table of a valid TOML text; the entries of an array of tables count from 0.

    ('chunkers', 1, 'size') is the key `size` of the second `[[chunkers]]`. What stands inside an inline table or a list goes by the line of
    the key that it belongs to: see `line_of`.
    """
    found: dict[Path, int] = {}
    counted: Counter[Path] = Counter()
    here: Path = ()
    closing = ""  # what ends a text over several lines
    depth = 0  # of open brackets, over several lines
    for number, line in enumerate(_LINE.split(text), start=1):
        if closing:
            if closing in line:
                closing = ""
            continue
        if depth:
            depth += _open_brackets(line)
            continue
        head, key = _HEAD.match(line), _KEY.match(line)
        if head:
            here = _names(head[2])
            if head[1] == "[[":
                here, place = (*here, counted[here]), here
                counted[place] += 1
            elif here[:1] and counted[here[:1]]:
                here = (here[0], counted[here[:1]] - 1, *here[1:])
            found.setdefault(here, number)
        elif key:
            names = _names(key[1])
            for end in range(1, len(names) + 1):
                found.setdefault((*here, *names[:end]), number)
            value = key[2].lstrip()
            quotes = next((mark for mark in ('"""', "'''") if value.startswith(mark)), "")
            if quotes:
                closing = "" if quotes in value[3:] else quotes
            else:
                depth = _open_brackets(value)
    return found


def line_of(lines: dict[Path, int], path: Path) -> int | None:
    """The line of a key, or of the nearest thing around it that has one; an array of tables goes by its first entry."""
    around = (path[:end] for end in range(len(path), 0, -1))
    return next((lines[key] for each in around for key in (each, (*each, 0)) if key in lines), None)


def _names(dotted: str) -> Path:
    return tuple(_said(part) for part in _PART.findall(dotted))


def _said(part: str) -> str:
    """A part of a key as tomllib reads it: without its marks, its escapes undone."""
    if "\\" not in part or part[0] != '"':
        return part.strip("\"'")
    try:
        return next(iter(tomllib.loads(f"{part} = 0")))
    except tomllib.TOMLDecodeError:
        return part


def _open_brackets(line: str) -> int:
    plain = _NOISE.sub("", line)
    return plain.count("[") + plain.count("{") - plain.count("]") - plain.count("}")
