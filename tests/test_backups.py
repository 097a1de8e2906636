"""Backups: names that sort and never clash, a stack that can be put back in any order, records that cannot lead astray."""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, datetime, timedelta, timezone

import pytest
from broken_disks import tree
from command_line import run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_course import ROWS, a_course, learner

from labkit.lessons import backups, journal, undo
from labkit.lessons.backups import BackupError
from labkit.lessons.inside import NotInside
from labkit.lessons.journal import Step

MOMENT = datetime(2026, 11, 30, 14, 3, 22, tzinfo=UTC)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr("os.fsync", lambda handle: None)


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.ipynb").write_bytes(b"0")
    return folder


def change(work, content: bytes, now=None, name="a.ipynb"):
    with journal.alone(work):
        return journal.carry_out(work, [Step(name, content)], "reset", "03", now=now)


def put_back(work, number=None):
    with journal.alone(work):
        return undo.undo(work, undo.plan_undo(work, undo.backup_to_undo(work, number)))


def content(work) -> bytes:
    return (work / "a.ipynb").read_bytes()


def test_two_in_one_second_and_a_clock_that_goes_back(work):
    names = [change(work, b"%d" % n, MOMENT - timedelta(hours=n // 2)).folder.name for n in range(1, 7)]
    assert names == sorted(names) and len(set(names)) == 6
    assert names[0] == "0001-2026-11-30T140322Z-reset-03"
    for n in (5, 4, 3, 2, 1, 0):
        put_back(work)
        assert content(work) == b"%d" % n


def test_the_date_in_a_name_is_utc_whatever_the_zone():
    for zone in (UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-9, minutes=-30))):
        assert backups.moment(MOMENT.astimezone(zone)) == "2026-11-30T14:03:22Z"


def test_a_name_that_is_taken_is_passed_over(work):
    change(work, b"1")
    folder = backups.folder_for(work)
    (folder / "0002-something of mine").write_text("a file")
    (folder / "0003-link").symlink_to(work)
    assert change(work, b"2").number == 4
    found, damaged = backups.listed(work)
    assert [each.number for each in found] == [1, 4] and damaged == []
    shutil.rmtree(found[0].folder)  # a learner makes room
    assert change(work, b"3").number == 5


def test_the_stack(work):
    change(work, b"1")
    change(work, b"2")
    assert put_back(work).undoes == 2 and content(work) == b"1"
    change(work, b"3")
    assert put_back(work).undoes == 4 and content(work) == b"1"
    assert put_back(work).undoes == 1 and content(work) == b"0"
    with pytest.raises(BackupError, match="nothing left to undo"):
        put_back(work)


def test_an_undo_can_be_put_back_too(work):
    change(work, b"1")
    (work / "a.ipynb").write_bytes(b"an hour of work")
    undone = put_back(work)
    assert content(work) == b"0"
    put_back(work, undone.number)
    assert content(work) == b"an hour of work", "an undo loses nothing"
    found, _ = backups.listed(work)
    assert backups.next_to_undo(found).number == 1, "the reset stands again"
    put_back(work)
    assert content(work) == b"0"


def test_any_number_can_be_named_and_an_unknown_one_is_said(work):
    change(work, b"1")
    change(work, b"2")
    put_back(work, 1)
    assert content(work) == b"0"
    with pytest.raises(BackupError, match=r"no backup 9\. There are 1, 2, 3"):
        put_back(work, 9)


def test_nothing_to_undo(work):
    with pytest.raises(BackupError, match="no reset was made"):
        put_back(work)


def test_what_was_there_already_shortens_the_stack_all_the_same(work):
    change(work, b"1")
    change(work, b"2")
    (work / "a.ipynb").write_bytes(b"1")
    put_back(work)
    put_back(work)
    assert content(work) == b"0"


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["reset", "undo", "edit"]), max_size=9))
def test_a_stack_as_everybody_knows_it(tmp_path_factory, moves):
    work = tmp_path_factory.mktemp("law") / "work"
    work.mkdir()
    (work / "a.ipynb").write_bytes(b"start")
    stack, replaced = [], set()
    for number, move in enumerate(moves):
        before = content(work)
        if move == "edit":
            (work / "a.ipynb").write_bytes(b"edit %d" % number)
            continue
        if move == "reset":
            stack.append(before)
            change(work, b"reset %d" % number)
        elif stack:
            put_back(work)
            assert content(work) == stack.pop()
        else:
            with pytest.raises(BackupError):
                put_back(work)
        if content(work) != before:
            replaced.add(before)
    assert replaced <= {path.read_bytes() for path in work.parent.rglob("before/*")}, "whatever labkit replaced is kept"


@pytest.mark.parametrize("name", ["../outside", "/etc/x", "a/../../x", "C:\\x", "..", ""])
def test_a_record_that_names_a_place_outside_is_refused(work, name):
    made = change(work, b"1")
    record = json.loads((made.folder / "backup.json").read_text())
    record["files"][0]["name"] = name
    (made.folder / "backup.json").write_text(json.dumps(record))
    with pytest.raises(BackupError):
        backups.read(made.folder)
    assert backups.listed(work) == ([], [made.folder.name])
    with pytest.raises(BackupError):
        put_back(work)
    assert content(work) == b"1"


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"number": "x"}', '{"files": 3}', "\x00", "[" * 100_000])
def test_a_damaged_record_is_named_and_stops_nothing_else(work, text):
    first, second = change(work, b"1"), change(work, b"2")
    (second.folder / "backup.json").write_text(text)
    found, damaged = backups.listed(work)
    assert [each.number for each in found] == [1] and damaged == [second.folder.name]
    assert put_back(work).undoes == first.number
    assert content(work) == b"0"


@pytest.mark.parametrize("break_it", ["changed", "gone", "a link"])
def test_a_copy_that_was_changed_is_not_put_back(work, tmp_path, break_it):
    made = change(work, b"1")
    copy = made.copy_of("a.ipynb")
    copy.unlink()
    if break_it == "changed":
        copy.write_bytes(b"other")
    elif break_it == "a link":
        (tmp_path / "other").write_bytes(b"0")
        copy.symlink_to(tmp_path / "other")
    with pytest.raises(BackupError, match=r"copy of a\.ipynb is missing or was changed"):
        put_back(work)
    assert content(work) == b"1"


def test_a_folder_of_backups_that_is_a_link_or_a_file(work, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "work-backups").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(NotInside):
        change(work, b"1")
    (tmp_path / "work-backups").unlink()
    (tmp_path / "work-backups").write_text("x")
    with pytest.raises(NotInside):
        change(work, b"1")
    assert content(work) == b"0" and tree(tmp_path / "elsewhere") == {}


# the commands


@pytest.fixture
def place(tmp_path, monkeypatch):
    folder = a_course(tmp_path, monkeypatch)
    learner(folder)
    return folder


def test_the_list(place, capsys):
    assert run("backups") == 0
    assert "No backups yet" in capsys.readouterr().out
    run("reset", "02")
    run("reset", "03")
    run("undo")
    capsys.readouterr()
    assert run("backups") == 0
    out = capsys.readouterr().out
    assert "reset 02 (`labkit undo` puts this back)" in out and "reset 03 (put back by 3)" in out and "undo of 2" in out
    assert "state/misses.csv" in out
    assert run("backups", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [(each["number"], each["what"], each["lesson"], each["undoes"], each["next"]) for each in found["backups"]] == [
        (1, "reset", "02", None, True), (2, "reset", "03", None, False), (3, "undo", "03", 2, False),
    ]  # fmt: skip
    assert {"name": "state/misses.csv", "kept": False, "size": None} in found["backups"][0]["files"]
    (place / "work-backups" / "0007-mine").mkdir()
    (place / "work-backups" / "0007-mine" / "notes.txt").write_text("x")
    assert run("backups") == 0
    assert "0007-mine is no backup that can be read" in capsys.readouterr().err


def test_undo_says_what_it_did_and_where_later_work_is(place, capsys):
    run("reset", "02")
    notebook = place / "work" / ROWS[1].notebook
    notebook.write_bytes(b"an hour of work")
    (place / "work/state/misses.csv").unlink()
    capsys.readouterr()
    assert run("undo") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"As it was before: {ROWS[1].notebook}." in out and "Gone again" in out and "As it was already: state/misses.csv." in out
    assert f"You had worked on {ROWS[1].notebook} since" in out and "`labkit undo 2` brings it back" in out
    assert run("undo", "2") == 0
    assert notebook.read_bytes() == b"an hour of work"


def test_nothing_to_undo_is_said(place, capsys):
    assert run("undo") == 1
    assert "nothing to undo" in capsys.readouterr().err
    assert run("undo", "4") == 1
    assert run("undo", "x") == 2


# what somebody else may have put there


@pytest.mark.timeout(20)
@pytest.mark.parametrize("what", ["a pipe", "a link", "a folder", "deep", "no JSON", "a number", "wrong kinds", "mode a text"])
def test_a_record_that_is_none_is_named_and_holds_nothing_up(work, what):
    made = change(work, b"1")
    record = made.folder / backups.RECORD
    data = json.loads(record.read_text())
    record.unlink()
    data["files"][0]["before"]["mode"] = "rw"
    makers = {
        "a pipe": lambda: os.mkfifo(record), "a link": lambda: record.symlink_to("/dev/zero"), "a folder": record.mkdir,
        "deep": lambda: record.write_text("[" * 200_000), "no JSON": lambda: record.write_bytes(b"\xff"),
        "a number": lambda: record.write_text("1"), "wrong kinds": lambda: record.write_text(json.dumps(data | {"number": "1"})),
        "mode a text": lambda: record.write_text(json.dumps(data)),
    }  # fmt: skip
    makers[what]()
    assert backups.listed(work) == ([], [made.folder.name])
    assert change(work, b"2").number == 2
    put_back(work)
    assert content(work) == b"1"


@pytest.mark.parametrize("name", ["999999999-mine", "9" * 60 + "-mine", "0001-2026-11-30T140322Z-reset-03 (copy)"])
def test_whatever_is_named_like_a_backup_an_undo_finds_its_own(work, name):
    folder = backups.folder_for(work)
    (folder / name).mkdir(parents=True)
    (folder / name / "mine.txt").write_text("x")
    made = change(work, b"1")
    assert backups.next_to_undo(backups.listed(work)[0]) == made
    put_back(work)
    assert content(work) == b"0" and (folder / name / "mine.txt").read_text() == "x"


def test_of_a_backup_and_its_copy_the_backup_itself_counts(work):
    made = change(work, b"1")
    shutil.copytree(made.folder, made.folder.with_name(made.folder.name + " - Copy"))
    (listed,) = backups.listed(work)[0]
    assert listed.folder == made.folder
