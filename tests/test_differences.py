"""What differs, cell by cell and line by line; and labkit diff, which says it."""

from __future__ import annotations

import json
import time
from collections import Counter

import pytest
from broken_disks import tree
from command_line import run
from hypothesis import given
from hypothesis import strategies as st
from small_course import ROWS, a_course, answer, cell, cells, learner, notebook

from labkit.lessons.differences import cells_of, compare_notebooks, line_counts, line_diff, lines_of, with_lf
from labkit.lessons.learner_notebook import NotANotebook
from labkit.show.tables import display_width

A, B, C = cell("a", "x = 1"), cell("b", "y = 2"), cell("c", "z = 3\nprint(z)")


def keys(found) -> dict:
    return {
        "changed": [each.key for each in found.changed], "added": [each.key for each in found.added],
        "gone": [each.key for each in found.gone], "doubled": list(found.doubled), "moved": list(found.moved),
        "results": list(found.results),
    }  # fmt: skip


def no_id(one):
    return {key: value for key, value in one.items() if key != "id"}


ROWS_OF_CELLS = [
    ("the same", [A, B, C], [A, B, C], {}),
    ("edited", [A, cell("b", "y = 3"), C], [A, B, C], {"changed": ["b"]}),
    ("deleted", [A, C], [A, B, C], {"added": ["b"]}),
    ("extra", [A, cell("mine", "m"), B, C], [A, B, C], {"gone": ["mine"]}),
    ("doubled by copying", [A, B, B, C], [A, B, C], {"gone": ["b (2)"], "doubled": ["b (2)"]}),
    ("doubled in both", [A, A, B], [A, A, B], {}),
    ("reordered", [C, A, B], [A, B, C], {"moved": ["c"]}),
    ("reordered and edited", [cell("c", "z"), A, B], [A, B, C], {"moved": ["c"], "changed": ["c"]}),
    ("extra in front moves nothing", [cell("mine", "m"), A, B], [A, B], {"gone": ["mine"]}),
    ("another type", [cell("a", "x = 1", kind="markdown"), B], [A, B], {"changed": ["a"]}),
    ("a line end at the end", [cell("a", "x = 1\n"), B], [A, B], {}),
    ("CRLF in a source", [A, B, cell("c", "z = 3\r\nprint(z)")], [A, B, C], {}),
    ("results", [cell("a", "x = 1", outputs=answer("correct")), B], [A, B], {"results": ["a"]}),
    ("no ids, the same", [{**A, "id": None}, {**B, "id": ""}], [{**A, "id": None}, {**B, "id": None}], {}),
    ("no ids, one edited", [{**cell("a", "new"), "id": None}, {**B, "id": None}], [{**A, "id": None}, {**B, "id": None}],
     {"changed": ["cell 1"]}),
    ("an older tool took the ids away", [no_id(A), no_id(cell("b", "y = 3")), no_id(C)], [A, B, C], {"changed": ["b"]}),
    ("... and the learner put a cell in", [no_id(A), no_id(cell("", "mine")), no_id(B), no_id(C)], [A, B, C], {"gone": ["cell 2"]}),
    ("... and took one out", [no_id(A), no_id(C)], [A, B, C], {"added": ["b"]}),
    ("... and moved one", [no_id(C), no_id(A), no_id(B)], [A, B, C], {"moved": ["c"]}),
    ("... and the first and the last are edited", [no_id(cell("", "one")), no_id(B), no_id(cell("", "two"))], [A, B, C],
     {"changed": ["a", "c"]}),
    ("another tool gave ids anew", [cell("1f", "x = 1"), cell("2e", "y = 3"), cell("3d", "z = 3\nprint(z)")], [A, B, C],
     {"changed": ["b"]}),
    ("nothing in common", [cell("1f", "p"), cell("2e", "q")], [A, B], {"added": ["a", "b"], "gone": ["1f", "2e"]}),
    ("only the learner's cell lacks an id", [A, no_id(cell("", "mine")), C], [A, B, C], {"changed": ["b"]}),
    ("another cell in the place of a named one", [A, cell("mine", "m"), C], [A, B, C], {"added": ["b"], "gone": ["mine"]}),
    ("an id like ours for a double", [A, A, cell("a (2)", "x")], [A], {"gone": ["a (2)", "a (2) (2)"]}),
    ("nothing left", [], [A], {"added": ["a"]}),
]  # fmt: skip


@pytest.mark.parametrize("old, new, found", [row[1:] for row in ROWS_OF_CELLS], ids=[row[0] for row in ROWS_OF_CELLS])
def test_cells(old, new, found):
    got = compare_notebooks(notebook(*old), notebook(*new))
    said = {key: names for key, names in keys(got).items() if names}
    if "doubled" not in found:
        said.pop("doubled", None)
    assert said == found
    assert got.same == (not set(found) - {"results"})


def test_a_source_may_be_one_string_or_many_and_a_mark_may_stand_in_front():
    one = json.dumps({"cells": [{"cell_type": "code", "id": "c", "source": "z = 3\nprint(z)", "outputs": []}]})
    assert compare_notebooks(("\ufeff" + one).encode(), notebook(C)).same


def test_recorded_answers_are_told():
    mine, theirs = cell("e", "x", outputs=answer("not yet")), cell("e", "y", outputs=answer("correct"))
    assert compare_notebooks(notebook(mine), notebook(theirs)).answers == (("e", "not yet", "correct"),)
    assert compare_notebooks(notebook(cell("e", "x")), notebook(theirs)).answers == (("e", None, "correct"),)


def stream(*texts):
    return [{"output_type": "stream", "name": "stdout", "text": text} for text in texts]


@pytest.mark.parametrize("one, other, same", [
    (stream("ab\n"), stream("a", "b\n"), True),
    (stream(["a\n", "b\n"]), stream("a\nb\n"), True),
    (stream("a"), stream("b"), False),
    ([{"output_type": "execute_result", "execution_count": 3, "data": {"text/plain": ["1"]}, "metadata": {}}],
     [{"output_type": "execute_result", "execution_count": 9, "data": {"text/plain": "1"}, "metadata": {"x": 1}}], True),
    ([{"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["at 0x1"]}],
     [{"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["at 0x2"]}], True),
    (stream("a"), [3, None], False),
])  # fmt: skip
def test_results_are_compared_by_what_they_say(one, other, same):
    found = compare_notebooks(notebook(cell("a", "x", outputs=one)), notebook(cell("a", "x", outputs=other)))
    assert (found.results == ()) is same and found.same


@pytest.mark.parametrize("data, said", [
    (b"", "empty"), (b"\r\n", "empty"), (b"{", "no JSON"), (b"\xff\xfe{", "no JSON"), (b"null", "no cells"), (b'"x"', "no cells"),
    (b"[" * 200_000, "no JSON"), (b"1" * 10_000, "no JSON"), (b'{"cells": {"a": 1}}', "no cells"), (b'{"cells": [null]}', "no cells"),
    (b'{"worksheets": [{"cells": []}], "nbformat": 3}', "nbformat 3"), (b'{"worksheets": 1}', "no cells"),
    (b"<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x\n", "merge conflict"), (b"x\n=======\n", "no JSON"),
])  # fmt: skip
def test_what_is_no_notebook(data, said):
    with pytest.raises(NotANotebook, match=said):
        cells_of(data)


sources = st.text(max_size=12)
some_cells = st.lists(st.builds(cell, st.sampled_from("abcdef"), sources), max_size=7)


@given(some_cells, some_cells)
def test_every_cell_is_accounted_for_once(old, new):
    one, two = notebook(*old), notebook(*new)
    found = compare_notebooks(one, two)
    before, after = [each.key for each in cells_of(one)], [each.key for each in cells_of(two)]
    assert len(set(before)) == len(before) == len(old)
    gone, added = {each.key for each in found.gone}, {each.key for each in found.added}
    assert gone <= set(before) and added <= set(after) and len(before) - len(gone) == len(after) - len(added)
    if set(before) & set(after):
        assert Counter(key for key in before if key not in gone) == Counter(key for key in after if key not in added)
        stay = [key for key in after if key not in added and key not in found.moved]
        assert stay == [key for key in before if key not in gone and key not in found.moved]
    assert {*found.moved, *(each.key for each in found.changed), *found.results} <= set(after) - added
    assert set(found.doubled) <= gone
    assert compare_notebooks(one, one).same and found.same == (keys(found) | {"results": []} == keys(compare_notebooks(one, one)))


@given(st.binary(max_size=60) | st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=4)
       | st.dictionaries(st.sampled_from(["cells", "id", "source", "outputs", "cell_type", "data", "text", "metadata", "tags"]), inner),
       max_leaves=20).map(lambda value: json.dumps({"cells": value if isinstance(value, list) else [value]}).encode()))  # fmt: skip
def test_any_bytes_are_a_notebook_or_said_not_to_be(data):
    try:
        found = compare_notebooks(data, data)
    except NotANotebook as error:
        assert str(error)
    else:
        assert found.same and not found.results


def test_twenty_thousand_cells_with_one_id_are_told_apart_at_once():
    many = [cell("same", f"x = {number}") for number in range(20_000)]
    began = time.process_time()
    found = compare_notebooks(notebook(*many, B), notebook(A, B))
    assert time.process_time() - began < 5
    assert len(found.gone) == 20_000 and found.gone[-1].key == "same (20000)"


# text


@pytest.mark.parametrize("data, lines", [
    (b"", []), (b"a", ["a"]), (b"a\n", ["a"]), (b"a\r\nb\r\n", ["a", "b"]), (b"\n", [""]), (b"\n\n", ["", ""]), (b"\xef\xbb\xbfa\n", ["a"]),
    (b"\xff", None), (b"a\0b", None), ("a\u2028b\x0cc\n".encode(), ["a\u2028b\x0cc"]),
])  # fmt: skip
def test_lines(data, lines):
    assert lines_of(data) == lines


@pytest.mark.parametrize("old, new, counts", [
    (b"", b"a\n", (1, 0)), (b"a\nb\n", b"a\n", (0, 1)), (b"a\nb\n", b"a\nc\nd\n", (2, 1)), (b"a\r\n", b"a\n", (0, 0)),
    (b"\xff", b"a\n", None),
])  # fmt: skip
def test_line_counts(old, new, counts):
    assert line_counts(old, new) == counts


def test_two_long_tables_are_counted_in_no_time():
    old = "".join(f"{n},old\n" for n in range(30_000)).encode()
    new = "".join(f"{n},new\n" for n in range(30_000)).encode() + b"0,old\n"
    assert line_counts(old, new) == (30_000, 29_999)


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
def test_a_diff_leads_from_one_text_to_the_other(old, new):
    whole = line_diff("\n".join(old), "\n".join(new), context=100)
    if old != new:
        assert [line[2:] for line in whole if line[0] in "- "] == old
        assert [line[2:] for line in whole if line[0] in "+ "] == new
    added, removed = line_counts("".join(f"{x}\n" for x in old).encode(), "".join(f"{x}\n" for x in new).encode())
    assert len(old) - removed + added == len(new)


@pytest.mark.parametrize("data, made", [(b"a\r\nb", b"a\nb"), (b"a\rb", b"a\rb"), (b"\xff\r\n", b"\xff\r\n"), (b"\0\r\n", b"\0\r\n")])
def test_line_ends_of_text_alone_are_changed(data, made):
    assert with_lf(data) == made


# labkit diff


@pytest.fixture
def place(tmp_path, monkeypatch):
    folder = a_course(tmp_path, monkeypatch)
    learner(folder)
    return folder


NB = ROWS[1].notebook


def test_after_a_reset_there_is_no_difference(place, capsys):
    run("reset", "02")
    before = tree(place)
    assert run("diff", "02") == 0
    assert "what the snapshot has" in capsys.readouterr().out
    assert run("diff", "02", "--json") == 0
    assert json.loads(capsys.readouterr().out)["same"] is True
    assert tree(place) == before, "a look writes nothing"


def test_each_difference_is_shown(place, capsys):
    run("reset", "02")
    mine = cells("02", solved=True)
    long = "answer = " + " + ".join(f"longer_and_longer_{n}" for n in range(20))
    mine[2] = cell("exercise-one", f'if True:\n\t{long}\nlesson.check("one", answer)', outputs=answer("not yet"))
    (place / "work" / NB).write_bytes(notebook(mine[0], mine[2], mine[1], mine[2], cell("my-notes", "# mine \x1b[31m")))
    (place / "work/state/misses.csv").write_bytes(b"id\nQ06\n")
    (place / "work/state/tests/test_own.py").unlink()
    (place / "work/state/scoreboard.csv").write_bytes(b"x")
    (place / "work/state/own.txt").write_bytes(b"x")
    capsys.readouterr()
    assert run("diff", "02") == 1
    out = capsys.readouterr().out
    for said in (
        "changed: exercise-one", "  + answer = 42", "missing in yours: last", "only in yours: my-notes", "  - # mine ·[31m",
        "only in yours, a double: exercise-one (2)", "in another place: ", "changed: state/misses.csv (lines: 1 added, 1 removed)",
        "  - Q06", "  + Q05", "missing in yours: state/tests/test_own.py (2 lines)", "only in yours: state/scoreboard.csv",
        "exercise-one: your last check said not yet, the snapshot's correct.", "not compared: state/own.txt.",
    ):  # fmt: skip
        assert said in out, said
    assert max(display_width(line) for line in out.splitlines()) <= 80
    assert "\x1b" not in out and "\t" not in out
    assert run("diff", "02", "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert [each["id"] for each in found["cells"]["changed"]] == ["exercise-one"]
    assert found["cells"]["missing"] == ["last"] and found["cells"]["doubled"] == ["exercise-one (2)"]
    assert [(each["name"], each["kind"]) for each in found["state"]] == [
        ("state/misses.csv", "changed"), ("state/scoreboard.csv", "only"), ("state/tests/test_own.py", "missing"),
    ]  # fmt: skip


def test_results_alone_are_no_difference(place, capsys):
    run("reset", "02")
    mine = cells("02", solved=True)
    mine[3]["outputs"] = []
    (place / "work" / NB).write_bytes(notebook(*mine))
    assert run("diff", "02") == 0
    assert "Same source, other recorded results: last." in capsys.readouterr().out


@pytest.mark.parametrize("content, said", [(None, "is not there"), (b"{", "no JSON"), (b"", "it is empty")])
def test_a_notebook_that_cannot_be_compared(place, capsys, content, said):
    (place / "work" / NB).unlink()
    if content is not None:
        (place / "work" / NB).write_bytes(content)
    assert run("diff", "02") == 1
    assert said in " ".join(capsys.readouterr().out.split())


def test_a_long_difference_is_cut(place, capsys):
    run("reset", "02")
    (place / "work" / NB).write_bytes(notebook(*cells("02", True), cell("long", "\n".join(f"x{n} = 1" for n in range(500)))))
    capsys.readouterr()
    run("diff", "02")
    out = capsys.readouterr().out
    assert len(out.splitlines()) < 60 and "… 460 more lines" in out


def test_what_cannot_be_compared_at_all_ends_with_2(place, capsys):
    assert run("diff", "77") == 2
    assert run("diff", "02", "--into", "nowhere") == 2
    (place / "snapshots" / ROWS[1].name / NB).unlink()
    assert run("diff", "02") == 2
    assert "snapshot" in capsys.readouterr().err
