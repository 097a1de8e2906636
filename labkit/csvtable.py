"""A CSV table as a spreadsheet leaves it: its rows, the line on which each starts, and every fault of its shape (lesson 01).

Accepted: a byte order mark, CR LF, quoted fields with commas, doubled quotation marks and line ends, columns in any order. What is refused
is read on as well as may be, so that the faults of the rows are found in the same round.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence

from labkit.textfiles import Report, counted, decode_leniently, did_you_mean, is_utf16, quoted

Row = tuple[int, dict[str, str]]

_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "upright bars"}
SEPARATOR_NOTE = re.compile(r'"?sep=.?"?[;,\t ]*', re.IGNORECASE)  # a spreadsheet's note to itself, before the header
_SAVE_AGAIN = "save it again as 'CSV UTF-8 (comma delimited)'"


def read_table(data: bytes, columns: Sequence[str], report: Report) -> list[Row]:
    """(1-based line, {column: field}) of each row that has as many fields as the header, in order.

    `columns` are the names that the header must hold, each once, in any order; a column that is not known, and the second of two of one
    name, is left out of the rows. Faults go to `report`: where it holds errors, the rows serve only to find more of them.
    """
    return list(_rows(_text(data, columns, report), columns, report))


def _text(data: bytes, columns: Sequence[str], report: Report) -> str:
    if is_utf16(data):
        report.add(1, "is saved as UTF-16 ('Unicode text'), not UTF-8", _SAVE_AGAIN)
        return data.decode("utf-16", errors="replace").replace("\0", "")
    text, bad = decode_leniently(data)
    for found in bad:
        what = f"not UTF-8: byte {found.byte} of this line is 0x{found.value:02X}, as in a file saved as Latin-1"
        report.add(found.line, what, _SAVE_AGAIN)
    if "\0" in text:
        for number, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
            if "\0" in line:
                report.add(number, "holds a NUL character (U+0000)", f"delete it, or {_SAVE_AGAIN}")
        text = text.replace("\0", "")
    if not text.strip():
        report.add(1, "is empty", f"its first line is {','.join(columns)}")
        return ""
    return text


def records(text: str, separator: str, report: Report) -> Iterator[tuple[int, list[str]]]:
    """(line where it starts, fields) of each record, blank lines apart.

    After a broken quotation the reading starts again on the line after the one where the broken record started, so that one forgotten
    quotation mark does not hide the faults of all other rows.
    """
    lines = list(io.StringIO(text, newline=""))
    start = 0
    while start < len(lines):
        rest = map(lines.__getitem__, range(start, len(lines)))  # not a copy: of a large file, each line may be broken
        reader = csv.reader(rest, delimiter=separator, strict=True)
        first = start
        try:
            for record in reader:
                if record and any(part.strip() for part in (record if len(record) == 1 else ("x",))):
                    yield first + 1, record
                else:
                    report.add(first + 1, "is a blank line", "delete it", level="warning")
                first = start + reader.line_num
            return
        except csv.Error as error:
            report.add(first + 1, *_broken_quotation(str(error)))
            start = first + 1


def _broken_quotation(message: str) -> tuple[str, str]:
    todo = 'put one " at each end of a field, and write a " inside it twice'
    if "expected after" in message:
        return "something stands between a closing quotation mark and the next comma", todo
    if "field larger" in message:
        limit = csv.field_size_limit()
        return f"a field here holds more than {limit:,} characters, as when a quotation mark opens and never closes", todo
    if "unexpected end" in message:
        return "a quotation mark opens a field here and is never closed", todo
    return f"cannot be read as CSV ({message})", todo


def _rows(text: str, columns: Sequence[str], report: Report) -> Iterator[Row]:
    if not text:
        return
    filled = ((number, line) for number, line in enumerate(io.StringIO(text, newline=""), start=1) if line.strip())
    top = next(filled, (1, ""))
    note = SEPARATOR_NOTE.fullmatch(top[1].strip())
    separator = _separator(*(next(filled, top) if note else top), columns, report)
    read = records(text, separator, report)
    line, header = next(read, (1, None))
    if note:
        if separator == ",":  # else the file is to be saved anew, and then without the note
            report.add(line, f"{quoted(note[0])} stands before the header: a spreadsheet's note to itself", "delete the line")
        line, header = next(read, (1, None))
    if header is None:
        return
    names = _header(line, header, columns, report)
    if names is None:
        return
    header_line = line
    for line, record in read:
        if len(record) == len(names):
            yield line, {name: value for name, value in zip(names, record, strict=True) if name}
        elif separator == "," or len(record) > 1 or record[0].count(",") + 1 < len(names):  # else the row is right, and the header is not
            report.add(line, *_wrong_number(record, len(names), separator))
    if line == header_line and not any((fault.line or 0) > line and fault.level == "error" for fault in report.faults):
        report.add(line, "has a header and no rows", "add a row below it")


def _separator(number: int, first: str, columns: Sequence[str], report: Report) -> str:
    """What divides the fields of the header, the line `first`."""
    for separator, word in _SEPARATORS.items():
        if _known(first, separator, columns) > _known(first, ",", columns):
            todo = "in the spreadsheet, save as 'CSV UTF-8 (comma delimited)'"
            if separator == ";":
                todo += (
                    "; where the system's list separator is a semicolon (French settings), set it to a comma first, or let a spreadsheet "
                    "ask for the separator when it exports"
                )
            report.add(number, f"the fields are separated by {word}, not commas", todo)
            return separator
    return ","


def _known(line: str, separator: str, columns: Sequence[str]) -> int:
    return sum(part.strip().strip('"').lower() in columns for part in line.split(separator))


def _header(line: int, header: list[str], columns: Sequence[str], report: Report) -> list[str] | None:
    """The column of each field, '' for one that is not known; None where this is no header at all."""
    plain = [name.strip().lower() for name in header]
    if not set(plain) & set(columns):
        report.add(line, "the first line is not the header", f"it should read {','.join(columns)}")
        return None
    names: list[str] = []
    for place, (written, name) in enumerate(zip(header, plain, strict=True), start=1):
        if name in names and name in columns:
            report.add(line, f"the column {name!r} stands twice", "keep one of the two")
            names.append("")
        elif name not in columns:
            if name:
                report.add(line, f"unknown column {quoted(written)}", did_you_mean(name, columns) or f"the columns are {','.join(columns)}")
            else:
                report.add(line, f"column {place} has no name", "delete it: often a comma too many at the end of each line")
            names.append("")
        else:
            if written != name:
                report.add(line, f"unknown column {quoted(written)}", f"write {name!r}")
            names.append(name)
    for name in columns:
        if name not in names:
            report.add(line, f"the column {name!r} is missing", f"the columns are {','.join(columns)}")
    return names


def _wrong_number(record: list[str], wanted: int, header: str) -> tuple[str, str]:
    """What is wrong with a row of another number of fields than the `header`, whose separator that is, has."""
    for separator, word in _SEPARATORS.items():
        if separator != header and len(record) <= 2 and record[0].count(separator) >= 2:
            return f"this row is separated by {word}, not commas", "write a comma between fields"
    what = f"has {counted(len(record), 'field')}, and the header has {wanted}"
    if header != ",":
        return what, f"save the file with commas; a field that holds one of the {_SEPARATORS[header]} needs quotation marks around it"
    if len(record) > wanted:
        return what, 'a field that holds a comma needs quotation marks around it: "Returns, refunds and exchanges"'
    return what, "an empty field still needs its comma"
