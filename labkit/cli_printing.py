"""How the commands for a learner's folder print: lines that fit the terminal, names that cannot move its cursor.

What a person asked for goes to stdout, what is wrong to stderr.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from labkit.lessons.texts import sentence
from labkit.textfiles import printable

WIDEST = 80
MOST_NAMES = 12  # of one list; two thousand cells of a learner's own must not flood a terminal


def width() -> int:
    """Columns to fill: the terminal's, at least 20 and at most 80."""
    return max(20, min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns))


def say(text: str, indent: int = 0, to: TextIO | None = None) -> None:
    """Prints a text, wrapped, each line behind `indent` blanks; to stdout, or at once to another stream."""
    from labkit.show.tables import clean, wrap

    lines = ((" " * indent + line).rstrip() for line in wrap(clean(text), width() - indent))
    print("\n".join(lines), file=to or sys.stdout, flush=to is not None)


def print_json(value: object) -> None:
    """Prints JSON, for a script."""
    print(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


@contextlib.contextmanager
def as_far_as_it_is_read() -> Iterator[None]:
    """What is printed in here may go to a reader who leaves before the end, as `head` does: what comes after, and the exit code, stay."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        with contextlib.suppress(OSError, ValueError):  # what is left in the buffer must not be tried again
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(text: str) -> None:
    """Says what is wrong, on stderr: a line for a program that reads it, as many as it takes for a person at a terminal."""
    if sys.stderr.isatty():
        say(text, to=sys.stderr)
    else:
        print(text, file=sys.stderr)


def one_line(text: str) -> str:
    """The text on one line of the terminal, cut behind a word where it is longer."""
    from labkit.show.tables import clean, display_width

    text = clean(" ".join(text.split()))
    if display_width(text) <= width():
        return text
    while display_width(text) > width() - 2:
        text = text[:-1]
    return f"{text.rpartition(' ')[0] or text} …"


def listed(names: Iterable[str], most: int = MOST_NAMES) -> str:
    """Names as one text, made safe to print; of a long list the first ones, and how many more there are."""
    names = list(names)
    shown = [printable(name) for name in (names if len(names) <= most + 1 else names[:most])]
    rest = len(names) - len(shown)
    return ", ".join(shown) + (f" {sentence('tools', 'preview.and_more', count=rest)}" if rest else "")


def folded(text: str, first: int, rest: int) -> list[str]:
    """A line of code in pieces of at most `first` and then `rest` columns, cut behind a blank where that leaves half a piece."""
    from labkit.show.tables import display_width

    pieces, piece, used = [], "", 0
    for char in text:
        size = display_width(char)
        if used + size > (rest if pieces else first):
            blank = piece.rfind(" ") + 1
            keep = blank if blank * 2 > len(piece) else len(piece)
            pieces.append(piece[:keep])
            piece = piece[keep:]
            used = display_width(piece)
        piece, used = piece + char, used + size
    return [*pieces, piece]


def say_source(lines: Sequence[str], most: int) -> None:
    """Source lines, each behind its sign ('- ', '+ ', '  '); a long one goes on under itself, a long list is cut after `most`."""
    from labkit.show.tables import clean

    for line in lines[:most]:
        sign, text = line[:2], clean(line[2:].replace("\t", "    ").replace("\r", "␍")).replace("\n", "·")
        first, *rest = folded(text, width() - 4, width() - 10)
        print(f"  {sign}{first}".rstrip())
        for piece in rest:  # further in than any sign, so that nobody takes it for a line of its own
            print(f"  {sign[:1]}       {piece}".rstrip())
    if len(lines) > most:
        print("  " + sentence("tools", "diff.more", count=len(lines) - most))
