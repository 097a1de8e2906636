"""Text and tables of other programs: read whole, or every line named that cannot be."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.own.foreign import table, text_of


def read(text: str):
    faults = []
    return list(table(text, "t.csv", faults)), [(fault.line, fault.what) for fault in faults]


@pytest.mark.parametrize(
    ("text", "rows", "told"),
    [
        ("", [], []),
        ("\n \n", [], []),
        ("a,b\n1,2", [(1, ["a", "b"]), (2, ["1", "2"])], []),
        ("a;b\r\n1;2,5\r\n", [(1, ["a", "b"]), (2, ["1", "2,5"])], []),
        ("a\tb\r1\t2", [(1, ["a", "b"]), (2, ["1", "2"])], []),
        ("\n\na;b\n1;2\n", [(3, ["a", "b"]), (4, ["1", "2"])], []),
        ("a,b\n\n,\n1,2\n", [(1, ["a", "b"]), (4, ["1", "2"])], []),
        ('a,b\n"x\ny",2\n3,4\n', [(1, ["a", "b"]), (2, ["x\ny", "2"]), (4, ["3", "4"])], []),
        ("a,b\n1\n2,3\n4,5,6\n", [(1, ["a", "b"]), (3, ["2", "3"])],
         [(2, "has 1 field, and the header has 2"), (4, "has 3 fields, and the header has 2")]),
        ("sep=;\na;b\n1;2,5\n", [(2, ["a", "b"]), (3, ["1", "2,5"])], []),
        ('\n"sep=,"\r\na,b\r\n1,2;3;4\r\n', [(3, ["a", "b"]), (4, ["1", "2;3;4"])], []),
        ("sep=;\n", [], []),
        ('"a, or b, or c";d\n1;2\n', [(1, ["a, or b, or c", "d"]), (2, ["1", "2"])], []),
        # one forgotten quotation mark hides nothing of what stands below it
        ('a,b\n"x,2\n3\n4,5\n', [(1, ["a", "b"]), (4, ["4", "5"])],
         [(3, "has 1 field, and the header has 2"), (2, "is not CSV: a quotation mark opens a field here and is never closed")]),
        ('a,b\n"x"y,2\n3,4\n', [(1, ["a", "b"]), (3, ["3", "4"])],
         [(2, "is not CSV: something stands between a closing quotation mark and the next comma")]),
    ],
)  # fmt: skip
def test_rows_and_faults(text, rows, told):
    assert read(text) == (rows, told)


def test_a_field_of_any_length():
    before = csv.field_size_limit()
    assert read(f"a,b\n{'x' * 200_000},2\n")[0][1] == (2, ["x" * 200_000, "2"])
    assert csv.field_size_limit() == before


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@given(st.lists(st.tuples(CELLS, CELLS), max_size=8), st.sampled_from(",;\t"), st.sampled_from(["\n", "\r\n"]))
def test_what_a_program_writes_comes_back(rows, separator, end):
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=separator, lineterminator=end, quoting=csv.QUOTE_ALL).writerows([("one", "two"), *rows])
    found, told = read(out.getvalue())
    assert told == [] and [fields for _, fields in found[1:]] == [list(row) for row in rows if any(each.strip() for each in row)]


@pytest.mark.parametrize(
    ("data", "text", "told"),
    [
        (b"\xef\xbb\xbfa,b", "a,b", []),
        ("été\r\n\u2028".encode(), "été\r\n\u2028", []),
        (b"a\n\xe9\nb\nc\xe8\xe9", "", [(2, "byte 1 of this line is 0xE9"), (4, "byte 2 of this line is 0xE8")]),
        ("a".encode("utf-16"), "", [(1, "UTF-16")]),
    ],
)
def test_bytes(tmp_path, data, text, told):
    (tmp_path / "t.csv").write_bytes(data)
    found, wrong = text_of(tmp_path / "t.csv", "t.csv")
    assert found == text and [fault.line for fault in wrong] == [line for line, _ in told]
    assert all(what in str(fault) for fault, (_, what) in zip(wrong, told, strict=True))
