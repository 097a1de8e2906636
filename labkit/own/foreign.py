"""What another program wrote: its text, and the rows of its table, whatever divides their fields (lesson 15)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from labkit.collection import read_bytes
from labkit.csvtable import SEPARATOR_NOTE, records
from labkit.errors import Fault
from labkit.textfiles import Report, bad_bytes, counted, is_utf16, without_bom

_SAVE = "save it as UTF-8; from a spreadsheet, as 'CSV UTF-8'"


def text_of(path: Path, name: str) -> tuple[str, list[Fault]]:
    """(the text of a file, '' where it is not UTF-8, and then a fault for each such line). Raises DocumentError where there is no file."""
    data = read_bytes(path, name)
    if is_utf16(data):
        return "", [Fault(name, 1, "is UTF-16, not UTF-8", _SAVE)]
    data = without_bom(data)
    bad = bad_bytes(data)
    wrong = [Fault(name, each.line, f"not UTF-8: byte {each.byte} of this line is 0x{each.value:02X}", _SAVE) for each in bad]
    return "" if bad else data.decode(), wrong


def table(text: str, name: str, faults: list[Fault]) -> Iterator[tuple[int, list[str]]]:
    """(1-based line, fields) of the header, and of each row that has as many: CSV by commas, semicolons or tabs, whichever the header has
    most of outside of quotation marks. Rows without a word are passed over, and so is a spreadsheet's note (sep=;) before the header; what
    is wrong with the others goes to `faults`."""
    filled = (line for line in io.StringIO(text, newline="") if line.strip())
    top = next(filled, "")
    note = SEPARATOR_NOTE.fullmatch(top.strip())
    header = re.sub('"[^"]*"', "", next(filled, "") if note else top)
    separator = max(",;\t", key=header.count)
    report = Report(name)
    columns = 0
    before = csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))  # a passage, or a list of references, may be long
    try:
        for line, fields in islice(records(text, separator, report), 1 if note else 0, None):
            if any(part.strip() for part in fields):
                columns = columns or len(fields)
                if len(fields) == columns:
                    yield line, fields
                else:
                    what = f"has {counted(len(fields), 'field')}, and the header has {columns}"
                    faults.append(Fault(name, line, what, "compare it with the header"))
    finally:
        csv.field_size_limit(before)  # of an inventory, no field is that long
    faults += [replace(fault, what=f"is not CSV: {fault.what}") for fault in report.faults if fault.level == "error"]
