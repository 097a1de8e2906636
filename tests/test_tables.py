"""Tables print the same everywhere, fit their width, and lose nothing."""

import datetime
import re
from decimal import Decimal
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.errors import BadArgument
from labkit.show.tables import Table, clean, display_width, show, table, wrap


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (0.6949, 3, "0.695"),
        (0.5, 0, "0"),
        (1 / 3, 4, "0.3333"),
        (-0.0, 3, "0.000"),
        (-0.0004, 3, "0.000"),
        (-0.0006, 3, "-0.001"),
        (1e21, 1, "1000000000000000000000.0"),
        (float("inf"), 2, "∞"),
        (float("-inf"), 2, "-∞"),
        (float("nan"), 2, "–"),
        (None, 2, "–"),
        (pd.NA, 2, "–"),
        (pd.NaT, 2, "–"),
        (np.float64(2.5), 1, "2.5"),
        (np.float32(0.1), 3, "0.100"),
        (np.int64(7), 3, "7"),
        (7, 3, "7"),
        (True, 3, "yes"),
        (np.bool_(False), 3, "no"),
        (datetime.date(2026, 11, 1), 3, "2026-11-01"),
        (pd.Timestamp("2026-11-01"), 3, "2026-11-01"),
        (pd.Timestamp("2026-11-01 09:30"), 3, "2026-11-01T09:30:00"),
        (("a", 2, 0.5), 1, "a, 2, 0.5"),
        ((), 1, "–"),
        ("été", 1, "été"),
        ("", 1, ""),
        ("a\tb\r\nc\rd\u2028e", 1, "a b\nc\nd\ne"),
        ("\x1b[31mred\x00\ud800", 1, "·[31mred··"),
    ],
)
def test_one_value(value, decimals, text):
    assert show(value, decimals) == text


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("abc", 3),
        ("é", 1),
        ("e\u0301", 1),
        ("短い", 4),
        ("😀", 2),
        ("a\u200bb", 2),
        ("ｆｕｌｌ", 8),
        ("", 0),
        ("👩\u200d🌾", 4),
        ("\ufe0f", 0),
    ],
)
def test_terminal_columns(text, width):
    assert display_width(text) == width


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three", 7, ["one two", "three"]),
        ("one two three", 80, ["one two three"]),
        ("", 5, [""]),
        ("a\nb", 5, ["a", "b"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("returns-policy@v3#return-window", 16, ["returns-policy@", "v3#return-window"]),
        ("短い文です", 4, ["短い", "文で", "す"]),
        ("短", 1, ["短"]),  # nothing narrower is possible, and nothing is lost
    ],
)
def test_wrapping(text, width, lines):
    assert wrap(text, width) == lines


def test_a_table_as_text():
    made = table(
        pd.DataFrame({"kind": ["table", "exact-code"], "n": [8, 11], "hit": [0.125, 1.0]}), caption="Two kinds", headers={"hit": "hit@5"}
    )
    assert str(made) == repr(made) == (
        "Two kinds\n\n"
        "kind         n  hit@5\n"
        "----------  --  -----\n"
        "table        8  0.125\n"
        "exact-code  11  1.000"
    )  # fmt: skip
    assert len(made) == 2


@pytest.mark.parametrize(
    "data",
    [
        [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}],
        {"a": [1, 2], "b": ["x", "y"]},
        pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}),
        pd.DataFrame({"b": ["x", "y"]}, index=pd.Index([1, 2], name="a")),
        pd.Series(["x", "y"], index=pd.Index([1, 2], name="a"), name="b"),
        pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}, index=[7, 3]),
    ],
)
def test_many_shapes_one_table(data):
    assert str(table(data)) == "a  b\n-  -\n1  x\n2  y"


def test_rows_need_names_and_names_need_columns():
    assert str(table([(1, "x")], columns=["a", "b"])) == "a  b\n-  -\n1  x"
    assert str(table({"a": [1], "b": ["x"]}, columns=["b"])) == "b\n-\nx"
    assert str(table([], columns=["a", "b"])) == "a  b\n-  -\n(no rows)"
    assert str(table([{"a": 1}, {"b": 2.0}])) == "a      b\n-  -----\n1      –\n–  2.000"


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: table([(1, 2)]), "columns"),
        (lambda: table([(1, 2), (3,)], columns=["a", "b"]), "row 2"),
        (lambda: table(["ab"], columns=["a", "b"]), "row 1"),
        (lambda: table({"a": [1], "b": [1, 2]}), "a 1, b 2"),
        (lambda: table({"a": [1]}, columns=["z"]), "'z'"),
        (lambda: table({"a": [1]}, width=5), "5"),
        (lambda: table({"a": [1]}, decimals=-1), "-1"),
        (lambda: table({"a": [1]}, decimals={"a": 1.5}), "1.5"),
    ],
)
def test_what_cannot_be_a_table_is_said(call, word):
    with pytest.raises(BadArgument, match=re.escape(word)):
        call()


def test_decimals_by_column_and_index_of_groups():
    made = table({"a": [0.5], "b": [0.25]}, decimals={"a": 1})
    assert made.rows == (("0.5", "0.250"),)
    grouped = pd.DataFrame({"hit": [0.5]}, index=pd.MultiIndex.from_tuples([("x", 5)], names=["kind", "k"]))
    assert table(grouped).headers == ("kind", "k", "hit")
    assert table(pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "mean")]))).headers == ("a mean",)


def test_too_many_columns_go_on_below_with_the_first_again():
    made = table({f"column{i}": [i + 0.5] for i in range(25)})
    blocks = str(made).split("\n\n")
    assert len(blocks) > 1
    assert all(block.startswith("column0") for block in blocks)
    assert all(f"column{i}" in str(made) for i in range(25))


class Cells(HTMLParser):
    """Reads a table back: cells by row, the scopes of headings, the caption."""

    def __init__(self):
        super().__init__()
        self.rows, self.scopes, self.caption, self._place = [], [], "", None

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")
            self.scopes.append((tag, dict(attributes).get("scope")))
        if tag == "br":
            self.handle_data("\n")
        else:
            self._place = tag

    def handle_data(self, data):
        if self._place in ("th", "td"):
            self.rows[-1][-1] += data
        elif self._place == "caption":
            self.caption += data

    def handle_endtag(self, tag):
        self._place = None


def read_html(text: str) -> Cells:
    cells = Cells()
    cells.feed(text)
    return cells


def test_the_html_is_a_real_table_with_caption_and_scopes():
    made = table({"id": ["Q01"], "hit": [0.5]}, caption="Hits & <misses>")
    cells = read_html(made.to_html())
    assert cells.caption == "Hits & <misses>"
    assert cells.rows == [["id", "hit"], ["Q01", "0.500"]]
    assert cells.scopes == [("th", "col"), ("th", "col"), ("th", "row"), ("td", None)]
    assert made._repr_mimebundle_() == {"text/plain": str(made), "text/html": made.to_html()}


texts = st.text(st.characters(codec="utf-8"), max_size=40) | st.sampled_from(
    ["<b>x</b>", "a|b", "短い" * 30, "x" * 200, "née " * 30, "a-b" * 30]
)
cells = st.one_of(texts, st.integers(-(10**9), 10**9), st.floats(-1e6, 1e6), st.none(), st.booleans())


@given(
    rows=st.integers(1, 6).flatmap(lambda n: st.lists(st.lists(cells, min_size=n, max_size=n), min_size=1, max_size=4)),
    width=st.integers(10, 90),
)
def test_never_wider_than_told(rows, width):
    made = table(rows, columns=[f"c{i}" for i in range(len(rows[0]))], width=width)
    lines = str(made).split("\n")
    assert all(display_width(line) <= width for line in lines)
    assert all(line == line.rstrip() for line in lines)


@given(column=st.lists(texts, min_size=1, max_size=5), width=st.integers(10, 90))
def test_nothing_is_lost_when_cells_wrap(column, width):
    made = table([(text,) for text in column], columns=["c"], width=width)
    body = str(made).split("\n", 2)[2]
    assert "".join(body.split()) == "".join("".join(cell.split()) for (cell,) in made.rows)


@given(rows=st.lists(st.lists(texts, min_size=2, max_size=2), min_size=1, max_size=4))
def test_html_and_text_hold_the_same_cells(rows):
    made = table(rows, columns=["a", "b"])
    assert read_html(made.to_html()).rows[1:] == [list(row) for row in made.rows]
    assert [[clean(cell) for cell in row] for row in rows] == [list(row) for row in made.rows]


def test_numbers_stand_right_text_left_whatever_order_the_types_come_in():
    made = table({"n": [1, None, 300], "mixed": [1, "x", 2], "flags": [True, False, True]})
    assert made.right == {0}


def test_amounts_of_other_kinds_keep_their_own_form():
    assert table({"a": [Decimal("1.10")]}).rows == (("1.10",),)


def test_a_table_is_a_value():
    assert table({"a": [1]}) == Table(("a",), (("1",),), frozenset({0}))
