"""A calendar day as this project writes it: 2024-03-01, and nothing else (lesson 01).

03/04/2024 is 3 April in Montréal and 4 March in Boston. A date that two people read differently is refused, with both readings.
"""

from __future__ import annotations

import re
from calendar import month_name, monthrange
from datetime import date

from labkit.errors import BadArgument

_ISO = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_LOOSE_ISO = re.compile(r"([0-9]{4})[-/. ]([0-9]{1,2})[-/. ]([0-9]{1,2})")
_DAY_AND_MONTH_FIRST = re.compile(r"([0-9]{1,2})[-/. ]([0-9]{1,2})[-/. ]([0-9]{4})")
_COMPACT = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")
SHAPE = "write year-month-day, as in 2024-03-01"


class BadDate(BadArgument):
    """A text that is no date, or could be two. `what` says why, `todo` what to write; the message is both."""

    def __init__(self, what: str, todo: str):
        self.what, self.todo = what, todo
        super().__init__(f"{what} — {todo}")


def read_date(text: str) -> date:
    """The day that `text` names, as year-month-day (ISO 8601, four, two and two digits). Raises BadDate."""
    exact = _ISO.fullmatch(text)
    if exact:
        year, month, day = (int(part) for part in exact.groups())
        if year == 0:
            raise BadDate(f"{text[:40]!r} is no date: there is no year 0", SHAPE)
        if not 1 <= month <= 12:
            raise BadDate(f"{text[:40]!r} is no date: there is no month {month}", SHAPE)
        last = monthrange(year, month)[1]
        if not 1 <= day <= last:
            raise BadDate(f"{text[:40]!r} is no date: {month_name[month]} {year} has {last} days", SHAPE)
        return date(year, month, day)
    raise BadDate(*_why(text))


def _why(text: str) -> tuple[str, str]:
    if _ISO.fullmatch(text.strip()) and text != text.strip():
        return f"{text[:40]!r} holds a space before or after the date", f"write {text.strip()}"
    loose = _LOOSE_ISO.fullmatch(text) or _COMPACT.fullmatch(text)
    if loose and (day := _day(*loose.groups())):
        return f"{text[:40]!r} is not written as a date here", f"write {day}"
    swapped = _DAY_AND_MONTH_FIRST.fullmatch(text)
    if swapped:
        first, second, year = swapped.groups()
        readings = sorted({str(day) for day in (_day(year, second, first), _day(year, first, second)) if day})
        if len(readings) == 2:
            return f"{text[:40]!r} is ambiguous: it can be two days", f"write {readings[0]} or {readings[1]}, whichever is meant"
        if readings:
            return f"{text[:40]!r} is not written as a date here", f"write {readings[0]}"
    return f"{text[:40]!r} is not a date", SHAPE


def _day(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
