"""A date is read in one way or refused; the inventory's and the question file's tables hold the messages in their places."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.dates import BadDate, read_date
from labkit.errors import BadArgument


@given(st.dates())
def test_each_day_is_read_as_it_is_written(day):
    assert read_date(day.isoformat()) == day


@given(st.text(alphabet="0123456789-/. W", max_size=12) | st.text(max_size=12))
def test_any_other_text_is_refused_in_one_way(text):
    try:
        day = read_date(text)
    except BadDate as error:
        assert error.what and error.todo and str(error) == f"{error.what} — {error.todo}"
    else:
        assert str(day) == text


@pytest.mark.parametrize(
    "text, todo",
    [
        ("03/04/2024", "write 2024-03-04 or 2024-04-03, whichever is meant"),
        ("04.04.2024", "write 2024-04-04"),
        ("13-04-2024", "write 2024-04-13"),
        ("04/13/2024", "write 2024-04-13"),
        ("2024/4/3", "write 2024-04-03"),
        ("20240403", "write 2024-04-03"),
        (" 2024-04-03", "write 2024-04-03"),
        ("31/31/2024", "write year-month-day, as in 2024-03-01"),
        ("2024-00-01", "write year-month-day, as in 2024-03-01"),
        ("tomorrow", "write year-month-day, as in 2024-03-01"),
        ("", "write year-month-day, as in 2024-03-01"),
    ],
)
def test_what_to_write_instead(text, todo):
    with pytest.raises(BadArgument) as caught:
        read_date(text)
    assert caught.value.todo == todo


def test_a_day_that_does_not_exist_is_told_why():
    with pytest.raises(BadDate, match="February 2023 has 28 days"):
        read_date("2023-02-29")
    assert read_date("2024-02-29") == date(2024, 2, 29)
