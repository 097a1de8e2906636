"""What the scripts share that make the collections' documents: the same bytes each time, tables as wide as the text, files written whole.

Each script lies in its collection's sources/ and says how it is run; all of them know --check.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import sqrt
from pathlib import Path

from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import stringWidth

from labkit.files import write_atomically


class SourceFault(Exception):
    """A source holds something that cannot be set; the message names file and line."""


@contextmanager
def without_a_date() -> Iterator[None]:
    """In here reportlab writes no date of its own: where a build system sets SOURCE_DATE_EPOCH, it would write that one."""
    epoch = os.environ.pop("SOURCE_DATE_EPOCH", None)
    try:
        yield
    finally:
        if epoch is not None:
            os.environ["SOURCE_DATE_EPOCH"] = epoch


def column_widths(rows: Sequence[Sequence[str]], text_width: float, font: ParagraphStyle, side: float) -> list[float]:
    """Widths in points that fill the text's width. A column that needs less than its share keeps what it needs, the others share the rest.

    rows: the cells without mark-up. font: the widest that a cell stands in. side: the room left and right of a cell's text.
    """
    needs = [max(stringWidth(cell, font.fontName, font.fontSize) for cell in column) for column in zip(*rows, strict=True)]
    needs = [need + 2 * side + 1 for need in needs]
    narrow: set[int] = set()
    while len(narrow) < len(needs):
        left = text_width - sum(needs[place] for place in narrow)
        share = left / (len(needs) - len(narrow))
        more = {place for place, need in enumerate(needs) if need <= share} - narrow
        if not more:
            # By square root, so that one long cell does not squeeze the other columns into a line a word.
            wide = sum(sqrt(need) for place, need in enumerate(needs) if place not in narrow)
            return [need if place in narrow else left * sqrt(need) / wide for place, need in enumerate(needs)]
        narrow |= more
    spare = (text_width - sum(needs)) / len(needs)
    return [need + spare for need in needs]


def run(make: Callable[[], Mapping[str, bytes]], collection: Path, script: str, arguments: list[str] | None = None) -> int:
    """The command line of a script; the exit code.

    make: file, from the collection's folder -> its bytes; raises SourceFault. Files that have these bytes already are left alone; with
    --check all are, and the answer is 1 where one has not.
    """
    parser = argparse.ArgumentParser(description="Makes documents of a collection from the sources beside this script.", prog=script)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file is not what its source gives")
    options = parser.parse_args(arguments)
    try:
        files = make()
    except SourceFault as fault:
        print(fault, file=sys.stderr)
        return 1
    stale = [name for name, content in files.items() if not (collection / name).is_file() or (collection / name).read_bytes() != content]
    if options.check:
        for name in stale:
            print(f"{name} is not what its source gives; run {script}", file=sys.stderr)
        return 1 if stale else 0
    for name in stale:
        (collection / name).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(collection / name, files[name])
    for name in files:
        print(f"{name}: {'written' if name in stale else 'unchanged'}")
    return 0
