import os
import stat

import pandas as pd
import pytest
from evaluation_cases import at_ranks, filler, question, recorded
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit import files
from labkit.errors import BadArgument, LabError
from labkit.evaluation.metrics import evaluate
from labkit.evaluation.scoreboard import COLUMNS, Scoreboard, ScoreboardError
from labkit.evaluation.significance import interval

ROW = dict(
    lesson="05",
    method="keyword search",
    k=5,
    questions=59,
    hit=41 / 59,
    low=0.5762,
    high=0.8136,
    median_words=197,
    command="labkit eval --k 5",
)
HEADER = "lesson,method,k,questions,hit,low,high,median_words,command\n"
LINE = "05,keyword search,5,59,0.695,0.576,0.814,197.0,labkit eval --k 5\n"


@pytest.fixture
def board(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Scoreboard("state/scoreboard.csv")


def written(board) -> bytes:
    return board.path.read_bytes()


def leave(board, text: str | bytes) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    board.path.parent.mkdir(exist_ok=True)
    board.path.write_bytes(data)
    return data


def test_no_file_yet_is_an_empty_table(board):
    table = board.table()
    assert list(table.columns) == list(COLUMNS) and len(table) == 0
    assert not board.path.exists()


def test_the_first_row(board):
    board.put(**ROW)
    assert written(board) == (HEADER + LINE).encode()
    assert os.listdir(board.path.parent) == ["scoreboard.csv"]
    table = board.table()
    assert table.to_dict("records") == [
        ROW | {"hit": 0.695, "low": 0.576, "high": 0.814, "median_words": 197.0},
    ]
    assert table["k"].dtype == "int64" and table["hit"].dtype == "float64"


def test_the_same_again_changes_no_byte_and_writes_nothing(board):
    board.put(**ROW)
    os.utime(board.path, (1, 1))
    board.put(**ROW)
    assert written(board) == (HEADER + LINE).encode()
    assert board.path.stat().st_mtime == 1


def test_a_method_is_rewritten_in_place_the_others_stay(board):
    for method, lesson in (("zero", "07"), ("one", "05"), ("two", "05")):
        board.put(**ROW | {"method": method, "lesson": lesson})
    before = written(board).decode().splitlines()
    assert [line.split(",")[:2] for line in before[1:]] == [["05", "one"], ["05", "two"], ["07", "zero"]]
    board.put(**ROW | {"method": "two", "hit": 0.75})
    after = written(board).decode().splitlines()
    assert [at for at, (old, new) in enumerate(zip(before, after, strict=True)) if old != new] == [2]
    assert after[2].startswith("05,two,5,59,0.750,")


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(5)))
def test_the_order_of_putting_makes_no_difference(tmp_path_factory, order):
    rows = [ROW | {"method": f"method {place}", "lesson": f"{9 - place // 2:02}", "k": place + 1} for place in range(5)]
    boards = [Scoreboard(tmp_path_factory.mktemp("board") / "scoreboard.csv") for _ in range(2)]
    for place in range(5):
        boards[0].put(**rows[place])
        boards[1].put(**rows[order[place]])
    assert written(boards[0]) == written(boards[1])


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=20).filter(str.strip)


@settings(max_examples=60, deadline=None)
@given(method=TEXT, command=TEXT, k=st.integers(1, 10**6), hit=st.floats(0, 1), words=st.integers(0, 9999).map(lambda n: n / 2))
def test_what_is_put_is_what_the_table_shows(tmp_path_factory, method, command, k, hit, words):
    board = Scoreboard(tmp_path_factory.mktemp("board") / "scoreboard.csv")
    row = ROW | {"method": method, "command": command, "k": k, "hit": hit, "low": 0, "high": 1, "median_words": words}
    board.put(**row)
    shown = board.table().to_dict("records")[0]
    assert shown == row | {"method": method.strip(), "command": command.strip(), "hit": round(hit, 3)}
    first = written(board)
    board.put(**row)
    assert written(board) == first
    assert first.count(b"\n") == 2 and b"\r" not in first


def test_measured_computes_the_row_from_evaluate(board):
    asked = [question(f"Q{n}", ("guide", "Use")) for n in range(4)] + [question("Q9")]
    results = [at_ranks(item, ranks) for item, ranks in zip(asked, ({1}, {2}, {8}, set()), strict=False)]
    rows = evaluate(asked, recorded([*zip(asked, results, strict=False), (asked[4], [filler()])]))
    board.measured(rows, method="keyword search", lesson="05", k=5, command="labkit eval")
    shown = board.table().iloc[0]
    assert (shown["questions"], shown["hit"], shown["median_words"], shown["k"]) == (4, 0.5, 15.0, 5)
    assert (shown["low"], shown["high"]) == (round(interval(rows).low, 3), round(interval(rows).high, 3))


def test_measured_with_nothing_scored(board):
    with pytest.raises(BadArgument, match="no question is scored"):
        board.measured(evaluate([question("Q1")], recorded([])), method="m", lesson="05", k=5, command="c")
    assert not board.path.exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"lesson": "5"}, "lesson is '5'"),
        ({"lesson": 5}, "lesson is 5"),
        ({"method": " "}, "method is ' '"),
        ({"method": "a\nb"}, "method is"),
        ({"command": None}, "command is None"),
        ({"k": 0}, "k is 0"),
        ({"k": 2.5}, "k is 2.5"),
        ({"k": 10**30}, "k is 1000000000000000000000000000000, not a whole number from 1 to 1,000,000,000"),
        ({"questions": 10**10}, "questions is 10000000000"),
        ({"questions": "59"}, "questions is '59'"),
        ({"hit": 1.2}, "hit is 1.2"),
        ({"hit": float("nan")}, "hit is nan"),
        ({"hit": "0.7"}, "hit is '0.7'"),
        ({"low": -0.1}, "low is -0.1"),
        ({"low": 0.7, "hit": 0.6}, "does not lie between"),
        ({"median_words": -1}, "median_words is -1"),
        ({"median_words": pd.NA}, "median_words is <NA>"),
        ({"k": -1, "hit": 2}, "k is -1.*hit is 2"),
    ],
)
def test_a_row_that_does_not_fit_is_refused(board, change, said):
    before = leave(board, HEADER + LINE)
    with pytest.raises(BadArgument, match=said):
        board.put(**ROW | change)
    assert written(board) == before


# --- a learner's editor, a spreadsheet, a full disk --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbf" + (HEADER + LINE).encode(),
        (HEADER + LINE).replace("\n", "\r\n"),
        (HEADER + LINE).replace("\n", "\r"),
        HEADER + LINE + "\n\n",
        (HEADER + LINE).rstrip("\n"),
        HEADER + LINE.replace("keyword search", '"keyword search"'),
        "method,lesson,k,questions,hit,low,high,median_words,command\n" + LINE.replace("05,keyword search", "keyword search,05"),
    ],
    ids=["mark", "CRLF", "CR", "blank lines", "no last line end", "quotes", "other order of columns"],
)
def test_harmless_edits_are_read(board, text):
    leave(board, text)
    assert board.table()["method"].tolist() == ["keyword search"]
    board.put(**ROW)
    assert written(board) == (HEADER + LINE).encode()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ["state/scoreboard.csv:1: is empty"]),
        ((HEADER + LINE).replace(",", ";"), ["state/scoreboard.csv:1: the columns are divided by semicolons"]),
        ("a,b\n1,2\n", ["csv:1: the column 'lesson', 'method'", "'a', 'b' is unknown"]),
        (HEADER.replace("low", "hit") + LINE, ["csv:1: the column 'low' is missing"]),
        (HEADER.replace("\n", ",hit\n") + LINE, ["csv:1: a column stands twice"]),
        (HEADER + LINE + "05,two,5\n", ["csv:3: 3 fields where the header has 9"]),
        (HEADER + LINE + LINE, ["csv:3: the method 'keyword search' stands on line 2 already"]),
        (HEADER + LINE.replace("0.695", "high"), ["csv:2: hit is 'high'"]),
        (HEADER + LINE.replace(",5,", f",{'9' * 5000},"), ["csv:2: k is '9999"]),
        (HEADER + LINE.replace(",5,", ",9999999999999,"), ["csv:2: k is 9999999999999, not a whole number from 1 to"]),
        (HEADER + LINE.replace("0.695", "0,695"), ["csv:2: 10 fields where", "quotes"]),
        (HEADER + LINE.replace("0.695", '"0,695"'), ["csv:2: hit is '0,695'"]),
        (HEADER + LINE.replace("0.695", ""), ["csv:2: hit is ''"]),
        (HEADER + LINE.replace("0.695", "nan"), ["csv:2: hit is 'nan'"]),
        (HEADER + LINE.replace("0.695", "0.9"), ["csv:2: hit 0.9 does not lie between"]),
        (HEADER + LINE.replace(",59,", ",59.0,"), ["csv:2: questions is '59.0'"]),
        (HEADER + "\n" + LINE.replace("05,", "5,") + LINE.replace("keyword search", ""), ["csv:3: lesson is '5'", "csv:4: method is ''"]),
        (HEADER + LINE.replace("keyword search", '"keyword search'), ["is not CSV"]),
        (HEADER + "<<<<<<< HEAD\n" + LINE, ["csv:2: 1 field where"]),
        (HEADER.encode() + LINE.encode() + "05,café\n".encode("latin-1"), ["csv:3: byte 7", "not UTF-8"]),
        ((HEADER + LINE).encode("utf-16"), ["UTF-16"]),
    ],
)
def test_faults_are_named_by_line_and_nothing_is_lost(board, text, said):
    before = leave(board, text)
    for action in (board.table, lambda: board.put(**ROW)):
        with pytest.raises(ScoreboardError) as caught:
            action()
        assert all(words in str(caught.value) for words in said), str(caught.value)
    assert written(board) == before
    assert os.listdir(board.path.parent) == ["scoreboard.csv"]


def test_a_failure_in_the_middle_leaves_the_old_file_and_no_litter(board, monkeypatch):
    board.put(**ROW)
    before = written(board)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "replace", full)
    with pytest.raises(LabError, match="No space left on device"):
        board.put(**ROW | {"method": "another"})
    assert written(board) == before
    assert os.listdir(board.path.parent) == ["scoreboard.csv"]


def test_a_folder_in_the_place_of_the_file(board):
    board.path.mkdir(parents=True)
    with pytest.raises(LabError, match="cannot be read"):
        board.table()


def test_a_file_in_the_place_of_the_folder(board):
    board.path.parent.write_text("not a folder")
    with pytest.raises(LabError, match=r"scoreboard\.csv"):
        board.put(**ROW)
    assert board.path.parent.read_text() == "not a folder"


def test_others_may_read_the_file(board):
    board.put(**ROW)
    assert stat.S_IMODE(board.path.stat().st_mode) & 0o444 == 0o444
