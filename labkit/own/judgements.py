"""judgements.csv: what judges said of passages, one row a judgement, each saved at once (lesson 15).

The file only grows. A judgement that is taken back is a later row for the same passage, and the last row counts. So a kill at any moment
costs at most the row that was just being written: a last line without its end is half a row, and is passed over.

A row names a passage by document, version and place (code points of the document as it was read, half-open), never by a chunk: a cutting
changes, and what a person read stays. `digest` is of the passage's text: where that has changed since, the judgement is stale, and is
asked for again. `asked` is of the question's words, and a judgement belongs to those: a question that is put into the middle of a
Markdown file gives all below it other ids, and takes no judgement from them. `question`, its id, is for whoever reads the file.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from labkit.csvtable import read_table
from labkit.errors import BadArgument, Fault, FaultsError, LabError
from labkit.textfiles import Report, did_you_mean, quoted, shown

FILE = "judgements.csv"
GRADES = ("relevant", "partly", "no", "unsure")
COLUMNS = ("judge", "question", "asked", "doc_id", "version", "start", "end", "judgement", "answer_start", "answer_end", "digest")
_HEADER = ",".join(COLUMNS) + "\n"
_DIGEST = 12  # hex digits

Place = tuple[str, str, int, int]
"""doc_id, version, start, end: one passage of one edition."""


class JudgementsError(FaultsError):
    """judgements.csv cannot be used as it stands (lesson 15)."""


@dataclass(frozen=True)
class Judgement:
    """One judge's word on one passage for one question.

    `question` is its id on that day, `asked` the digest of its words, `digest` that of the passage's text.
    `grade` is one of GRADES. `start` and `end` are the passage's place, `answer` that of the text in it that answers, where the judge
    pointed at it (code points of the document's text, half-open). `line` (1-based) says where it was read.
    """

    judge: str
    question: str
    asked: str
    doc_id: str
    version: str
    start: int
    end: int
    grade: str
    digest: str
    answer: tuple[int, int] | None = None
    line: int = field(default=0, compare=False, repr=False)

    @property
    def place(self) -> Place:
        """What was judged."""
        return self.doc_id, self.version, self.start, self.end


def digest_of(text: str) -> str:
    """The 12 hex digits that tie a judgement to a question's words, and to a passage's text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]


def judge_name(given: str) -> str:
    """A judge's name or number as it goes into the file. Raises BadArgument for one that is empty, long, or not printable."""
    name = " ".join(str(given).split())
    if not name or not name.isprintable() or len(name) > 60:
        raise BadArgument(f"the judge is {quoted(given)}: a name or a number, of at most 60 characters — as in --judge 2")
    return name


def read_judgements(path: Path) -> list[Judgement]:
    """The judgements of a file, in its order, those that were taken back included; [] where there is no file.

    Raises JudgementsError with every fault of the file, each with its line. Half a row at the end, as a kill leaves it, is no fault.
    """
    judgements, faults = examine(path)
    errors = [fault for fault in faults if fault.level == "error"]
    if errors:
        raise JudgementsError(errors)
    return judgements


def examine(path: Path) -> tuple[list[Judgement], list[Fault]]:
    """The judgements that can be read, and every fault; a warning for half a row at the end."""
    report = Report(shown(path))
    try:
        if not os.path.lexists(path):
            return [], []
        if path.is_symlink() or not stat.S_ISREG(path.stat().st_mode):
            report.add(None, "is not a plain file", "move it away; `labkit label` makes a new one")
            return [], report.faults
        data = path.read_bytes()
    except OSError as error:
        report.add(None, f"cannot be read ({error.strerror or error})", "check its permissions")
        return [], report.faults
    whole = _whole_lines(data)
    if len(whole) < len(data):
        line = whole.count(b"\n") + 1
        report.add(line, "half a row, as an interrupted session leaves it", "nothing: it is passed over, and asked for again", "warning")
    lines = [line for line in whole.decode("utf-8", errors="replace").removeprefix("\ufeff").splitlines() if line.strip()]
    if not lines or (len(lines) == 1 and lines[0].strip() == _HEADER.strip()):
        return [], report.faults
    rows = [(line, row) for line, row in read_table(whole, COLUMNS, report) if any(name != value for name, value in row.items())]
    found = [_judgement(line, row, report) for line, row in rows]  # two judges who both began the file have left two headers
    return [each for each in found if each], report.faults


def latest(judgements: Iterable[Judgement]) -> dict[tuple[str, str, Place], Judgement]:
    """(judge, asked, place) → the judgement that counts, the last one."""
    return {(each.judge, each.asked, each.place): each for each in judgements}


def record(path: Path, judgement: Judgement) -> None:
    """Adds one row at the end, and comes back when it is on the disk. The file is made where there is none.

    The row is written whole, in one go, or, where that fails, not at all. Raises LabError where it cannot be written.
    """
    line = io.StringIO(newline="")
    answer = judgement.answer or ("", "")
    csv.writer(line, lineterminator="\n").writerow(
        (
            judgement.judge, judgement.question, judgement.asked, judgement.doc_id, judgement.version, judgement.start, judgement.end,
            judgement.grade, *answer, judgement.digest,
        )
    )  # fmt: skip
    name = shown(path)
    try:
        if path.is_symlink():
            raise LabError(f"{name}: a link — put the file itself into the folder")
        with open(path, "a+b", buffering=0) as file:
            _append(file, line.getvalue().encode("utf-8"))
    except OSError as error:
        raise LabError(
            f"{name}: the judgement could not be saved ({error.strerror or error}) — check the space that is left, and the permissions"
        ) from None


def _append(file, row: bytes) -> None:
    end = file.seek(0, os.SEEK_END)
    file.seek(0)
    data = file.read() if end else b""
    whole = _whole_lines(data)
    if len(whole) < end:
        file.truncate(len(whole))
        end = len(whole)
    if not whole:
        row = _HEADER.encode() + row
    elif not whole.endswith((b"\n", b"\r")):
        row = b"\n" + row
    try:
        written = file.write(row)
        if written != len(row):
            raise OSError("only half of it went through")
        os.fsync(file.fileno())
    except OSError:
        with contextlib.suppress(OSError):
            file.truncate(end)
        raise


def _whole_lines(data: bytes) -> bytes:
    """The file without half a row at its end. A last line that is a whole row is kept: some editors write no line end there."""
    if not data or data.endswith((b"\n", b"\r")):
        return data
    cut = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
    last = data[cut:].decode("utf-8", errors="replace").rstrip()
    if cut == 0:
        return data if last.removeprefix("\ufeff") == _HEADER.strip() else b""
    fields = last.removesuffix('"').split(",")
    digest = fields[-1].strip('"')
    whole = len(fields) >= len(COLUMNS) and len(digest) == _DIGEST and all(each in "0123456789abcdef" for each in digest)
    return data if whole else data[:cut]


def _judgement(line: int, row: dict[str, str], report: Report) -> Judgement | None:
    before = len(report.faults)
    for name in COLUMNS:
        if name in row and not row[name].strip() and name not in ("answer_start", "answer_end"):
            report.add(line, f"{name} is empty", "delete the row, and judge the passage again")
    grade = row.get("judgement", "")
    if grade and grade not in GRADES:
        report.add(line, f"unknown judgement {quoted(grade)}", did_you_mean(grade, GRADES) or f"write one of {', '.join(GRADES)}")
    span = _span(line, row, "start", "end", report)
    answer = _span(line, row, "answer_start", "answer_end", report) if row.get("answer_start") or row.get("answer_end") else None
    if len(report.faults) > before or not set(COLUMNS) <= set(row) or span is None:
        return None
    return Judgement(row["judge"], row["question"], row["asked"], row["doc_id"], row["version"], *span, grade, row["digest"], answer,
    line)


def _span(line: int, row: dict[str, str], first: str, last: str, report: Report) -> tuple[int, int] | None:
    values = []
    for name in (first, last):
        value = row.get(name, "").strip()
        if not (value.isascii() and value.isdecimal()):
            if value or name.startswith("answer"):
                report.add(line, f"{name} is {quoted(value)}, not a whole number", "delete the row, and judge the passage again")
            return None
        values.append(int(value))
    if values[0] >= values[1]:
        report.add(line, f"{first} {values[0]} is not before {last} {values[1]}", "delete the row, and judge the passage again")
        return None
    return values[0], values[1]
