"""judgements.csv: what is written is read, half a row costs half a row, and every fault is named."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit.errors import BadArgument, LabError
from labkit.own.judgements import COLUMNS, Judgement, JudgementsError, digest_of, examine, judge_name, latest, read_judgements, record

HEADER = ",".join(COLUMNS)
ONE = Judgement("Mei", "Q01", digest_of("How long?"), "returns", "3", 10, 200, "relevant", digest_of("30 days"), (20, 27))
TWO = replace(ONE, grade="no", answer=None, start=201, end=300)


def test_what_is_recorded_is_read(tmp_path):
    file = tmp_path / "judgements.csv"
    assert read_judgements(file) == []
    record(file, ONE)
    record(file, TWO)
    assert read_judgements(file) == [ONE, TWO] and [each.line for each in read_judgements(file)] == [2, 3]
    assert file.read_text("utf-8").splitlines()[0] == HEADER


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.text(min_size=1, max_size=12), st.sampled_from(["relevant", "partly", "no", "unsure"])), max_size=6))
def test_any_judge_comes_back(tmp_path_factory, said):
    file = tmp_path_factory.mktemp("judged") / "judgements.csv"
    made = []
    for name, grade in said:
        try:
            made.append(replace(ONE, judge=judge_name(name), grade=grade))
        except BadArgument:
            continue
        record(file, made[-1])
    assert read_judgements(file) == made


def test_the_last_word_counts(tmp_path):
    file = tmp_path / "judgements.csv"
    for each in (ONE, TWO, replace(ONE, grade="partly", answer=None), replace(ONE, judge="Omar")):
        record(file, each)
    counted = latest(read_judgements(file))
    assert len(counted) == 3 and counted["Mei", ONE.asked, ONE.place].grade == "partly"
    assert counted["Omar", ONE.asked, ONE.place].grade == "relevant"


def test_half_a_row_is_passed_over_and_the_next_one_stands_whole(tmp_path):
    file = tmp_path / "judgements.csv"
    record(file, ONE)
    first = file.stat().st_size
    record(file, TWO)
    whole = file.read_bytes()
    for left in range(first, len(whole)):
        file.write_bytes(whole[:left])
        before, faults = examine(file)
        assert before == [ONE, TWO][: 1 + (left == len(whole) - 1)]  # where its line end alone is lost, a row is whole
        assert [fault.level for fault in faults] == (["warning"] if first < left < len(whole) - 1 else [])
        record(file, replace(TWO, judge="Omar"))
        assert read_judgements(file) == [*before, replace(TWO, judge="Omar")]


def test_half_a_header_too(tmp_path):
    file = tmp_path / "judgements.csv"
    for left in range(len(HEADER) + 2):
        file.write_text((HEADER + "\n")[:left], "utf-8")
        assert read_judgements(file) == []
        record(file, ONE)
        assert read_judgements(file) == [ONE]


def test_a_kill_loses_nothing_that_was_said(tmp_path):
    file = tmp_path / "judgements.csv"
    code = (
        "import sys\nfrom pathlib import Path\nfrom labkit.own.judgements import Judgement, record\n"
        "for number in range(100000):\n"
        "    record(Path(sys.argv[1]), Judgement('Mei', f'Q{number}', 'a' * 12, 'd', '1', 0, 9, 'no', '0' * 12))\n"
        "    print(number, flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(file)], stdout=subprocess.PIPE, text=True) as running:
        for _ in range(20):
            said = running.stdout.readline()
        time.sleep(0.01)
        running.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        said = [said, *running.stdout.readlines()]
    promised = max(int(line) for line in said if line.endswith("\n"))
    assert [each.question for each in read_judgements(file)][: promised + 1] == [f"Q{number}" for number in range(promised + 1)]


ROW = "Mei,Q01,ba9876543210,returns,3,10,200,relevant,20,27,0123456789ab"
BAD = [
    ("Mei,Q01,ba9876543210,returns,3,10,200,relvant,,,0123456789ab", 2, "did you mean 'relevant'"),
    ("Mei,Q01,ba9876543210,returns,3,10,x,no,,,0123456789ab", 2, "end is 'x'"),
    ("Mei,Q01,ba9876543210,returns,3,-1,200,no,,,0123456789ab", 2, "start is '-1'"),
    ("Mei,Q01,ba9876543210,returns,3,200,10,no,,,0123456789ab", 2, "not before"),
    ("Mei,Q01,ba9876543210,returns,3,10,200,relevant,20,,0123456789ab", 2, "answer_end is ''"),
    (",Q01,ba9876543210,returns,3,10,200,no,,,0123456789ab", 2, "judge is empty"),
    ("Mei,Q01,ba9876543210,returns,3,10,200,no,,0123456789ab", 2, "10 fields"),
    ("Mei,Q01,ba9876543210,returns,3,10,²,no,,,0123456789ab", 2, "whole number"),
]


@pytest.mark.parametrize(("row", "line", "says"), BAD, ids=[says for _, _, says in BAD])
def test_faults(tmp_path, row, line, says):
    file = tmp_path / "judgements.csv"
    file.write_text(f"{HEADER}\n{row}\n{ROW}\n", "utf-8")
    with pytest.raises(JudgementsError) as error:
        read_judgements(file)
    (fault,) = error.value.faults
    assert fault.line == line and says in fault.what + fault.todo
    assert len(examine(file)[0]) == 1  # the good row


def test_all_faults_at_once(tmp_path):
    file = tmp_path / "judgements.csv"
    file.write_text(f"{HEADER}\n" + "".join(f"{row}\n" for row, _, _ in BAD), "utf-8")
    with pytest.raises(JudgementsError) as error:
        read_judgements(file)
    assert {fault.line for fault in error.value.faults} == set(range(2, len(BAD) + 2))


@pytest.mark.parametrize("text", [f"\ufeff{HEADER}\n{ROW}\n", f"{HEADER}\r\n{ROW}\r\n", f"{HEADER}\n{ROW}"], ids=["BOM", "CRLF", "no end"])
def test_as_a_spreadsheet_leaves_it(tmp_path, text):
    file = tmp_path / "judgements.csv"
    file.write_text(text, "utf-8", newline="")
    assert [each.question for each in read_judgements(file)] == ["Q01"]
    record(file, ONE)
    assert [each.question for each in read_judgements(file)] == ["Q01", "Q01"]


def test_two_judges_who_began_at_once(tmp_path):
    file = tmp_path / "judgements.csv"
    file.write_text(f"{HEADER}\n{ROW}\n{HEADER}\n{ROW}\n", "utf-8")
    assert [each.line for each in read_judgements(file)] == [2, 4]


def test_what_is_no_file(tmp_path):
    (tmp_path / "judgements.csv").mkdir()
    with pytest.raises(JudgementsError, match="not a plain file"):
        read_judgements(tmp_path / "judgements.csv")
    elsewhere = tmp_path / "elsewhere.csv"
    link = tmp_path / "link.csv"
    try:
        link.symlink_to(elsewhere)
    except OSError:
        return
    with pytest.raises(LabError, match="link"):
        record(link, ONE)
    assert not elsewhere.exists()


def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch):
    file = tmp_path / "judgements.csv"
    record(file, ONE)
    before = file.read_bytes()
    monkeypatch.setattr(os, "fsync", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(LabError, match="No space left"):
        record(file, TWO)
    assert file.read_bytes() == before


@pytest.mark.parametrize(("given_name", "name"), [("2", "2"), (" Mei  Lin ", "Mei Lin"), ("Tomás", "Tomás"), ("Omar, B", "Omar, B")])
def test_names(given_name, name):
    assert judge_name(given_name) == name


@pytest.mark.parametrize("given_name", ["", "  ", "a\x00b", "x" * 61, "\u200b"])
def test_no_names(given_name):
    with pytest.raises(BadArgument, match="--judge"):
        judge_name(given_name)


def test_a_digest_is_of_each_character():
    texts = ("", "a", "A", "a ", "é", "e\u0301", "\ud800")
    assert len({digest_of(text) for text in texts}) == len(texts) and {len(digest_of(text)) for text in texts} == {12}
