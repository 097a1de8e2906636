"""The scoreboard: one row for every method measured, so that a new idea has a number to beat (begins in lesson 05).

state/scoreboard.csv is a small text file that a person can read and a diff can show: UTF-8, LF, fixed decimals, rows ordered by lesson and
then by method, one row a method. Putting the same values again changes no byte.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from labkit.errors import BadArgument, Fault, FaultsError, LabError
from labkit.evaluation.metrics import summarise, whole_k
from labkit.evaluation.significance import interval
from labkit.files import write_atomically
from labkit.numeric import is_number
from labkit.textfiles import bad_bytes, is_utf16, quoted, shown, without_bom

COLUMNS = ("lesson", "method", "k", "questions", "hit", "low", "high", "median_words", "command")
_KINDS = {"lesson": "str", "method": "str", "k": "int64", "questions": "int64"} | {
    "hit": "float64",
    "low": "float64",
    "high": "float64",
    "median_words": "float64",
    "command": "str",
}
_MOST = 1_000_000_000  # results, questions: a larger number is a slip, or a damaged file
_DECIMALS = {"hit": 3, "low": 3, "high": 3, "median_words": 1}
_NOT_ON_A_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_CURE = "mend that line, or delete the file and run the lessons that measure again"


class ScoreboardError(FaultsError):
    """scoreboard.csv cannot be read as it stands; nothing was written (lesson 05)."""


class Scoreboard:
    """The table in the file `path`, which need not exist yet.

    >>> board = Scoreboard("state/scoreboard.csv")
    >>> board.measured(rows, method="keyword search, sections", lesson="05", k=5, command="labkit eval --k 5")
    >>> board.table()
    """

    def __init__(self, path: Path | str):
        self.path = Path(path)

    def measured(self, rows: pd.DataFrame, *, method: str, lesson: str, k: int, command: str) -> None:
        """Put what `evaluate` returned: hit@k over the scored questions, its interval, and the median of the words handed over."""
        whole = summarise(rows).iloc[0]
        if not whole["n"]:
            raise BadArgument(f"{method}: no question is scored, so there is no number to put on the scoreboard")
        spread = interval(rows)
        self.put(
            method=method, lesson=lesson, k=k, questions=int(whole["n"]), hit=spread.mean, low=spread.low, high=spread.high,
            median_words=float(whole["median_words"]), command=command,
        )  # fmt: skip

    def put(
        self,
        *,
        method: str,
        lesson: str,
        k: int,
        questions: int,
        hit: float,
        low: float,
        high: float,
        median_words: float,
        command: str,
    ) -> None:
        """The row of `method`: rewritten where it stands on the board already, else added. All other rows stay as they are.

        `lesson` is two digits ('05'), `questions` the number of scored ones, `low` and `high` the 95 % interval of `hit`, `median_words`
        the median of the words that the k results hand over, `command` what a reader types to get this row again.

        Raises BadArgument for a value that does not fit, ScoreboardError where the file has faults (it is left as it is), LabError where
        it cannot be written.
        """
        row = dict(zip(COLUMNS, (lesson, method, k, questions, hit, low, high, median_words, command), strict=True))
        wrong = list(_faults_of(row))
        if wrong:
            raise BadArgument(f"the scoreboard takes no such row: {'; '.join(wrong)}")
        row |= {name: row[name].strip() for name in ("lesson", "method", "command")}
        rows = self._read()
        rows[row["method"]] = row
        self._write(rows.values())

    def table(self) -> pd.DataFrame:
        """The board as a table, in its order, with the columns of the file; no rows where there is no file yet.

        Raises ScoreboardError, naming every line at fault.
        """
        rows = sorted(self._read().values(), key=_order)
        return pd.DataFrame(rows, columns=list(COLUMNS)).astype(_KINDS)

    def _read(self) -> dict[str, dict]:
        """The rows by method. Faults of the file are reported all at once."""
        try:
            data = without_bom(self.path.read_bytes())
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise LabError(f"{shown(self.path)}: cannot be read ({error.strerror or error}) — a file is expected here") from error
        name = shown(self.path)
        if is_utf16(data):
            raise ScoreboardError([Fault(name, None, "is UTF-16, not UTF-8", "save it as 'CSV UTF-8'")])
        bad = bad_bytes(data)
        if bad:
            raise ScoreboardError([Fault(name, spot.line, str(spot), "save the file as UTF-8") for spot in bad])
        rows, faults = _parse(data.decode("utf-8"), name)
        if faults:
            raise ScoreboardError(faults)
        return rows

    def _write(self, rows: Iterable[dict]) -> None:
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in sorted(rows, key=_order):
            writer.writerow([_field(name, row[name]) for name in COLUMNS])
        data = out.getvalue().encode("utf-8")
        try:
            if self.path.is_file() and self.path.read_bytes() == data:
                return
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self.path, data)
        except OSError as error:
            raise LabError(
                f"{shown(self.path)}: cannot be written ({error.strerror or error}); the file is as it was — "
                f"check that the folder can be written to and that there is space left"
            ) from error


def _order(row: dict) -> tuple[str, str]:
    return row["lesson"], row["method"]


def _field(name: str, value) -> str:
    return f"{value:.{_DECIMALS[name]}f}" if name in _DECIMALS else str(value)


def _parse(text: str, name: str) -> tuple[dict[str, dict], list[Fault]]:
    """(rows by method, faults) of a file's text."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows, lines, faults, line, header = {}, {}, [], 1, None
    try:
        for fields in reader:
            here, line = line, reader.line_num + 1
            if header is None:
                header = fields
                if sorted(header) != sorted(COLUMNS):
                    return {}, [Fault(name, here, _header_fault(header), _CURE)]
                continue
            if not any(field.strip() for field in fields):
                continue
            if len(fields) != len(COLUMNS):
                what = f"{len(fields)} field{'s' * (len(fields) > 1)} where the header has {len(COLUMNS)}"
                faults.append(Fault(name, here, what, f"{_CURE}; a comma inside a field needs quotes round the field"))
                continue
            row = {column: _read_field(column, field) for column, field in zip(header, fields, strict=True)}
            faults += [Fault(name, here, what, _CURE) for what in _faults_of(row)]
            method = row["method"]
            if method in lines:
                faults.append(Fault(name, here, f"the method {method!r} stands on line {lines[method]} already", "keep one of the two"))
            lines.setdefault(method, here)
            rows[method] = row
    except csv.Error as error:
        faults.append(Fault(name, reader.line_num, f"is not CSV ({error})", _CURE))
    if header is None:
        faults.append(Fault(name, 1, "is empty", "delete the file; the next measurement makes a new one"))
    return rows, faults


def _header_fault(header: list[str]) -> str:
    if len(header) == 1 and ";" in header[0]:
        return "the columns are divided by semicolons, not commas"
    missing = [column for column in COLUMNS if column not in header]
    unknown = [column for column in header if column not in COLUMNS]
    parts = [f"the column {', '.join(map(repr, missing))} is missing"] if missing else []
    parts += [f"the column {', '.join(map(repr, unknown))} is unknown"] if unknown else []
    return "; ".join(parts) or "a column stands twice"


def _read_field(column: str, field: str):
    """The field as its column's kind; what cannot be read stays text, for _faults_of to name."""
    field = field.strip()
    if _KINDS[column] == "str":
        return field
    pattern, kind = (r"\d{1,18}", int) if _KINDS[column] == "int64" else (r"\d+(\.\d+)?", float)
    return kind(field) if re.fullmatch(pattern, field, re.ASCII) else field


def _faults_of(row: dict) -> Iterable[str]:
    """What does not fit in one row, in words."""
    if not isinstance(row["lesson"], str) or not re.fullmatch(r"\d\d", row["lesson"].strip(), re.ASCII):
        yield f"lesson is {row['lesson']!r}, not two digits such as '05'"
    for name in ("method", "command"):
        if not isinstance(row[name], str) or not row[name].strip() or _NOT_ON_A_LINE.search(row[name]):
            yield f"{name} is {row[name]!r}, not one line of text"
    for name in ("k", "questions"):
        try:
            number = whole_k(row[name])
        except BadArgument:
            number = -1
        if not 1 <= number <= _MOST:
            yield f"{name} is {quoted(row[name])}, not a whole number from 1 to {_MOST:,}"
    shares = {name: row[name] for name in ("low", "hit", "high")}
    unfit = [name for name, value in shares.items() if not is_number(value) or not 0 <= value <= 1]
    for name in unfit:
        yield f"{name} is {row[name]!r}, not a number from 0 to 1"
    if not unfit and not shares["low"] <= shares["hit"] <= shares["high"]:
        yield f"hit {shares['hit']} does not lie between low {shares['low']} and high {shares['high']}"
    if not is_number(row["median_words"]) or row["median_words"] < 0:
        yield f"median_words is {row['median_words']!r}, not a number from 0 up"


