"""A text file as it left somebody's editor: bytes in, text out, and every byte that is not UTF-8 named by its line (lesson 01).

The text keeps its line ends; only a byte order mark in front is taken off. Lines are counted as an editor counts them: CR LF, LF, or a
CR alone ends a line (not U+2028, not a form feed).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from labkit.course import course_folder
from labkit.errors import BadArgument, CourseNotFound, Fault

_LINE_END_BYTES = re.compile(rb"\r\n|\r|\n")
_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class BadBytes:
    """Bytes that are not UTF-8: `line` and `byte` are 1-based, `byte` counted within its line; `value` is the first bad byte."""

    line: int
    byte: int
    value: int

    def __str__(self) -> str:
        return f"byte {self.byte} of line {self.line} (0x{self.value:02X}) is not UTF-8"


@dataclass
class Report:
    """Collects the faults of the file `name` while it is read; `faults` in the order in which they were found."""

    name: str
    faults: list[Fault] = field(default_factory=list)

    def add(self, line: int | None, what: str, todo: str = "", level: str = "error", file: str | None = None) -> None:
        """One more Fault; `file` where it is another one than `name`."""
        self.faults.append(Fault(file or self.name, line, what, todo, level))


def shown(path: Path | str) -> str:
    """The path as a person would type it: from the current folder, or from the course's, or whole; '/' between folders."""
    whole = Path(path).absolute()
    for base in (Path.cwd, course_folder):
        try:
            return printable(whole.relative_to(base()).as_posix())
        except (ValueError, CourseNotFound, OSError):
            continue
    return printable(whole.as_posix())


def printable(name: str, most: int = 300) -> str:
    """A file's name fit for a message: as it is, or with escapes where it holds line ends, control characters or stray bytes; cut where
    it is longer than any real name."""
    text = name if name.isprintable() else repr(name)[1:-1]
    return text if len(text) <= most else f"{text[: most - 1]}…"


def quoted(value: object, most: int = 60) -> str:
    """A value as a message shows it: `repr`, cut after `most` characters; its type alone where it has none (a number of 5,000 digits)."""
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= most else f"{text[: most - 1]}…"


def counted(number: int, word: str) -> str:
    """'1 chunk', '2,000 chunks', '3 searches'."""
    return f"{number:,} {plural(number, word)}"


def plural(number: int, word: str) -> str:
    """The word for so many of it."""
    return word if number == 1 else word + ("es" if word.endswith(("ch", "ss")) else "s")


def some(names: Iterable[str], most: int = 12) -> str:
    """The first of many names, and how many more there are."""
    names = list(names)
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def path_of(value: Path | str, wanted: str) -> Path:
    """A path that somebody gave. Raises BadArgument where it is no path at all; `wanted` says what it should name, as in 'a folder'."""
    if isinstance(value, str | os.PathLike) and isinstance(os.fspath(value), str):
        return Path(value)
    raise BadArgument(f"{wanted} is needed by its path, not {type(value).__name__} {quoted(value)}")


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """A question with the known name that is most like this word; '' where none is."""
    near = get_close_matches(word.strip().lower(), known, n=1)
    return f"did you mean {near[0]!r}?" if near else ""


class Guesses:
    """The known name that is most like a wrong one, as long as guessing costs little.

    A guess compares with every known name. After `most` comparisons there are no more: where hundreds of names are wrong, their cause
    is one (a folder that was renamed), and a guess at each would take minutes.
    """

    def __init__(self, known: Callable[[], Collection[str]], most: int = 50_000):
        self._known = known
        self._left = most

    def nearest(self, word: str) -> str:
        """'' where no name is like it, and where enough has been guessed."""
        known = self._known()
        if self._left <= 0:
            return ""
        self._left -= len(known)
        return next(iter(get_close_matches(word, known, n=1)), "")


def without_bom(data: bytes) -> bytes:
    """The bytes after UTF-8's byte order mark; all of them where there is none."""
    return data[len(_UTF8_BOM):] if data.startswith(_UTF8_BOM) else data


def is_utf16(data: bytes) -> bool:
    """Whether the bytes begin with UTF-16's mark, as a spreadsheet's 'Unicode text' does."""
    return data.startswith(_UTF16_BOMS)


def bad_bytes(data: bytes) -> list[BadBytes]:
    """The first bytes of each line that are not UTF-8; empty where all is well. `data` is without its byte order mark."""
    return _decode_by_line(data)[1]


def decode_leniently(data: bytes) -> tuple[str, list[BadBytes]]:
    """(text, bad lines): a line that is not UTF-8 is read as Windows-1252, so that the rest of the file can be judged as well.

    Never a way to read a file for use: whoever calls this reports the bad lines as errors.
    """
    return _decode_by_line(without_bom(data))


def _decode_by_line(data: bytes) -> tuple[str, list[BadBytes]]:
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError:
        pass
    pieces, bad, start, line = [], [], 0, 1
    ends = [match.end() for match in _LINE_END_BYTES.finditer(data)]
    for end in (*ends, len(data)):
        piece = data[start:end]
        try:
            pieces.append(piece.decode("utf-8"))
        except UnicodeDecodeError as error:
            bad.append(BadBytes(line, error.start + 1, piece[error.start]))
            pieces.append(piece.decode("cp1252", errors="replace"))
        start, line = end, line + 1
    return "".join(pieces), bad
