"""What labkit says when something is wrong: what it is, where it stands, what to do next.

Every error that labkit raises on purpose is a LabError. A learner never needs to read a traceback: the message alone says enough.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


class LabError(Exception):
    """Something is wrong that a person can mend. `str(error)` is the whole message."""


class BadArgument(LabError, ValueError):
    """A function got a value that it cannot work with. Also a ValueError, as Python's own habit is."""


class CourseNotFound(LabError):
    """The course's own data (corpus/, questions/) stand nowhere above this folder."""


@dataclass(frozen=True, order=True)
class Fault:
    """One thing wrong in one file.

    `file` is the name as a person would type it (relative where it can be), `line` is 1-based, or None where a fault has no line.
    `level` is 'error', or 'warning' for what is worth a look but stops nothing.
    """

    file: str
    line: int | None
    what: str
    todo: str = ""
    level: str = "error"

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{where}: {self.what}" + (f" — {self.todo}" if self.todo else "")


def by_line(faults: Iterable[Fault]) -> list[Fault]:
    """The faults as a person mends them: each file from its beginning to its end, files in the order in which they came up."""
    faults = list(faults)
    place = {file: number for number, file in enumerate(dict.fromkeys(fault.file for fault in faults))}
    return sorted(faults, key=lambda fault: (place[fault.file], fault.line or 0))


class FaultsError(LabError):
    """A file has faults; `faults` lists all of them, not only the first, in the order of its lines."""

    def __init__(self, faults: Iterable[Fault]):
        self.faults = by_line(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


class InventoryError(FaultsError):
    """inventory.csv, or a document that it names, cannot be used as it stands (lesson 01)."""


class QuestionsError(FaultsError):
    """A question file cannot be used as it stands (lesson 01)."""


class DocumentError(LabError):
    """A document cannot be read, or is of a format that this function does not read (lessons 02 and 06)."""


class IndexFileError(LabError):
    """A file that should be a keyword index is something else, or cannot be opened (lesson 04)."""
