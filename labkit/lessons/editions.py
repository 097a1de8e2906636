"""Which edition of a lesson a learner's copy was made from, so that a newer one can be told from the learner's own work.

Every edition that is laid into a work folder is noted there, as one short digest a cell. A copy counts as made from the edition with which
it shares the most cells, so it may be renamed, moved and worked on.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from labkit.files import write_atomically
from labkit.lessons.differences import cells_of
from labkit.lessons.inside import json_in
from labkit.lessons.learner_notebook import NotANotebook

FILE = ".labkit-editions.json"

Edition = Mapping[str, str]
"""Key of a cell -> 12 hex digits of its source and type."""


def edition(data: bytes) -> dict[str, str]:
    """The edition that a notebook's bytes are. Raises NotANotebook."""
    return {each.key: _digest(f"{each.kind}\n{each.source}") for each in cells_of(data)}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def noted(work: Path, number: str) -> list[dict[str, str]]:
    """The editions of lesson `number` that were laid into this folder, the latest last; none where the notes are missing or damaged."""
    found = _read(work).get(number)
    if not isinstance(found, list):
        return []
    return [each for each in found if isinstance(each, dict) and all(isinstance(digest, str) for digest in each.values())]


def note(work: Path, number: str, data: bytes) -> None:
    """Notes that this edition was laid. Where it cannot be written down, only `labkit update` will know less; nothing else does."""
    try:
        new = edition(data)
    except NotANotebook:
        return
    found = _read(work)
    found[number] = [each for each in noted(work, number) if each != new] + [new]
    with contextlib.suppress(OSError):
        write_atomically(work / FILE, json.dumps(found, indent=1, sort_keys=True) + "\n")


def _read(work: Path) -> dict:
    found = json_in(work, FILE)
    return found if isinstance(found, dict) else {}


def made_from(mine: Edition, editions: Sequence[Edition]) -> int | None:
    """Place of the edition with which `mine` shares the most cells (the latest of equal ones); None where there are none."""
    if not editions:
        return None
    shared = [sum(mine.get(key) == digest for key, digest in each.items()) for each in editions]
    return max(range(len(editions)), key=lambda number: (shared[number], number))
