"""labkit reset: what it changes and what stays, for every state that a learner's folder can be in."""

from __future__ import annotations

import errno
import http.server
import json
import os
import threading
import time

import pytest
from broken_disks import fails_at, tree
from command_line import run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_course import ROWS, STATES, a_course, cell, cells, learner, notebook

from labkit.lessons import catalogue, inside, journal, opened
from labkit.lessons import reset as resetting
from labkit.lessons.inside import Found
from labkit.lessons.reset import SnapshotError, plan_for, plan_reset
from labkit.lessons.workfolder import WorkFolderError
from labkit.show.tables import display_width

FIRST, SECOND, THIRD = (row.notebook for row in ROWS)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The course, in a folder with a space and an accent; nobody's servers."""
    return a_course(tmp_path, monkeypatch)


@pytest.fixture
def work(place):
    return learner(place)


def snapshot(place, number: str) -> dict[str, bytes]:
    return tree(place / "snapshots" / next(row.name for row in ROWS if row.number == number))


def state(work) -> dict[str, bytes]:
    return {name: content for name, content in tree(work).items() if name.startswith("state/")}


def test_a_reset_lays_the_solved_notebook_and_the_state(place, work, capsys):
    before = tree(work)
    assert run("reset", "02") == 0
    after = tree(work)
    assert {name: after[name] for name in snapshot(place, "02")} == snapshot(place, "02")
    assert {name: after[name] for name in before if name not in (SECOND, ".labkit-editions.json")} == {
        name: before[name] for name in before if name not in (SECOND, ".labkit-editions.json")
    }
    said = capsys.readouterr().out
    assert "1 cell changed, 0 added, 0 gone" in said and "changed: exercise-one" in said
    assert "state/misses.csv: new, 2 lines\n" in said
    assert "labkit undo" in said


def test_a_preview_changes_nothing_at_all(place, work, capsys):
    before = tree(place)
    assert run("reset", "2", "--dry-run") == 0
    assert tree(place) == before
    assert "nothing was changed" in capsys.readouterr().out


def test_from_later_lessons_back_what_only_they_make_goes_and_comes_back(place, work, capsys):
    run("reset", "02")
    run("reset", "03")
    assert state(work) == {f"state/{name}": text.encode() for name, text in STATES["03"].items()}
    capsys.readouterr()
    run("reset", "01")
    said = capsys.readouterr().out
    assert "state/scoreboard.csv: removed (a later lesson makes it), 2 lines\n" in said
    assert "state/sections.csv: 0 lines added, 1 removed\n" in said
    assert state(work) == {f"state/{name}": text.encode() for name, text in STATES["01"].items()}
    run("undo")
    assert state(work) == {f"state/{name}": text.encode() for name, text in STATES["03"].items()}
    run("undo")
    assert state(work) == {f"state/{name}": text.encode() for name, text in STATES["02"].items()}
    run("undo")
    assert state(work) == {}


def test_what_the_learner_made_stays(place, work, capsys):
    own = {
        "predictions.json": b"{}", "state/notes.txt": b"mine", "state/tests/test_more.py": b"pass", "scratch.ipynb": b"not even JSON",
        "state/__pycache__/x.pyc": b"", "data/own.csv": b"1",
    }  # fmt: skip
    for name, content in own.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_bytes(content)
    run("reset", "02")
    run("reset", "01", "--all")
    assert {name: tree(work)[name] for name in own} == own
    assert "Stays, since no lesson makes it: state/notes.txt, state/tests/test_more.py." in capsys.readouterr().out


def test_earlier_and_later_notebooks_stay_and_all_lays_the_earlier_ones(place, work):
    for name in (FIRST, THIRD):
        (work / name).write_bytes(notebook(cell("mine", "my_work = 1")))
    mine = {name: (work / name).read_bytes() for name in (FIRST, THIRD)}
    run("reset", "02")
    assert {name: (work / name).read_bytes() for name in mine} == mine
    run("reset", "02", "--all")
    assert (work / FIRST).read_bytes() == snapshot(place, "01")[FIRST]
    assert (work / THIRD).read_bytes() == mine[THIRD]
    run("undo")
    assert {name: (work / name).read_bytes() for name in mine} == mine


def test_state_only_leaves_every_notebook(place, work):
    notebooks = {name: content for name, content in tree(work).items() if name.endswith(".ipynb")}
    run("reset", "03", "--state-only")
    assert {name: tree(work)[name] for name in notebooks} == notebooks
    assert state(work) == {f"state/{name}": text.encode() for name, text in STATES["03"].items()}


def test_a_second_reset_has_nothing_to_do(place, work, capsys):
    run("reset", "03")
    before = tree(place)
    assert run("reset", "03") == 0
    assert tree(place) == before
    assert "Nothing to change" in capsys.readouterr().out


NOTEBOOKS = [
    ("empty", b"", "it is empty"),
    ("blank", b" \n", "it is empty"),
    ("no JSON", b"hello", "no JSON"),
    ("cut off", notebook(*cells("02"))[:200], "no JSON"),
    ("not UTF-8", "# café".encode("latin-1"), "no JSON"),
    ("a merge conflict", b'{"cells": [\n<<<<<<< HEAD\n"a"\n=======\n"b"\n>>>>>>> other\n]}', "a merge conflict"),
    ("a conflict with CRLF", b'{"cells": [\r\n<<<<<<< HEAD\r\n=======\r\n>>>>>>> other\r\n]}', "a merge conflict"),
    ("a list", b"[]", "no cells"),
    ("no cells", b'{"cells": 3}', "no cells"),
    ("odd cells", b'{"cells": [1]}', "no cells"),
    ("nested beyond measure", b"[" * 100_000, "no JSON"),
    ("nothing known in it", b'{"cells": [{}, {"id": 3, "source": 7, "outputs": 5, "metadata": []}]}', "0 cells changed, 4 added, 2 gone"),
]


@pytest.mark.parametrize("content, said", [row[1:] for row in NOTEBOOKS], ids=[row[0] for row in NOTEBOOKS])
def test_a_notebook_in_any_state_is_named_kept_and_replaced(place, work, capsys, content, said):
    (work / SECOND).write_bytes(content)
    assert run("reset", "02") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert said in out
    assert (work / SECOND).read_bytes() == snapshot(place, "02")[SECOND]
    run("undo")
    assert (work / SECOND).read_bytes() == content


def test_a_huge_notebook_is_not_looked_into(place, work, capsys, monkeypatch):
    monkeypatch.setattr(inside, "LARGEST", 1000)
    monkeypatch.setattr("labkit.lessons.reset.snapshot_of", lambda *_: resetting.Snapshot("02", SECOND, {SECOND: b"{}"}))
    content = notebook(cell("big", "x" * 2000))
    (work / SECOND).write_bytes(content)
    run("reset", "02")
    assert "too large to look into" in capsys.readouterr().out
    run("undo")
    assert (work / SECOND).read_bytes() == content


EDITED = [
    ("edited", [cells("02")[0], cells("02")[1], cell("exercise-one", "answer = 41"), cells("02")[3]], "1 cell changed, 0 added, 0 gone"),
    ("deleted", cells("02", True)[:3], "0 cells changed, 1 added, 0 gone"),
    ("extra", [*cells("02", True), cell("mine", "x")], "0 cells changed, 0 added, 1 gone gone: mine"),
    ("doubled", [*cells("02", True), cell("last", "print(2)")], "0 added, 1 gone gone: last (2) of these doubled: last (2)"),
    ("reordered", [cells("02", True)[n] for n in (0, 3, 1, 2)], "0 cells changed, 0 added, 0 gone moved: last"),
    ("run", [*cells("02", True)[:3], cell("last", "print(1)")], "the same cells; recorded results differ in 1"),
]


@pytest.mark.parametrize("made, said", [row[1:] for row in EDITED], ids=[row[0] for row in EDITED])
def test_the_preview_counts_and_names_cells(place, work, capsys, made, said):
    (work / SECOND).write_bytes(notebook(*made))
    run("reset", "02", "--dry-run")
    assert said in " ".join(capsys.readouterr().out.split())


def test_a_snapshot_checked_out_with_crlf_is_the_same_and_is_laid_with_lf(place, work):
    run("reset", "02")
    lf = snapshot(place, "02")
    for name, content in lf.items():
        (place / "snapshots" / ROWS[1].name / name).write_bytes(content.replace(b"\n", b"\r\n"))
    row = catalogue.row("02")
    assert plan_for(place, work, "02").changes == ()
    assert dict(resetting.snapshot_of(place, row).files) == lf
    (work / "state/misses.csv").unlink()
    run("reset", "02")
    assert {name: tree(work)[name] for name in lf} == lf


def test_a_folder_of_the_learner_with_crlf_becomes_lf_and_that_is_said(place, work, capsys):
    run("reset", "02")
    (work / "state/misses.csv").write_bytes(b"id\r\nQ05\r\n")
    capsys.readouterr()
    run("reset", "02")
    assert "state/misses.csv: the same lines, with other line ends" in capsys.readouterr().out
    assert (work / "state/misses.csv").read_bytes() == b"id\nQ05\n"


def test_work_made_with_an_older_course_goes_on_with_a_word(place, work, capsys):
    (work / ".labkit-work.json").write_text('{"made_with": "0.3"}', encoding="utf-8")
    assert run("reset", "02") == 0
    assert "begun with labkit 0.3" in capsys.readouterr().err


def test_a_read_only_notebook_is_replaced_and_comes_back(place, work):
    content = (work / SECOND).read_bytes()
    (work / SECOND).chmod(0o444)
    assert run("reset", "02") == 0
    run("undo")
    assert (work / SECOND).read_bytes() == content


def test_a_folder_that_is_not_there_is_made(place):
    assert run("reset", "02", "--into", place / "room" / "grâce") == 0
    assert (place / "room/grâce" / SECOND).read_bytes() == snapshot(place, "02")[SECOND]
    assert (place / "room" / "grâce-backups").is_dir()


def test_the_folder_that_one_stands_in_is_meant(place, work, monkeypatch):
    other = learner(place, "other")
    (other / "state").mkdir()
    monkeypatch.chdir(other / "state")
    run("reset", "02")
    assert (other / SECOND).read_bytes() == snapshot(place, "02")[SECOND]
    assert (work / SECOND).read_bytes() != snapshot(place, "02")[SECOND]


def test_a_folder_of_something_else_is_refused(place, capsys):
    assert run("reset", "02", "--into", place / "snapshots") == 1
    assert "no work folder" in capsys.readouterr().err
    with pytest.raises(WorkFolderError):
        resetting.check_work_folder(place / "notebooks" / FIRST)


@pytest.mark.parametrize("link", ["work", "work/state", f"work/{SECOND}", "work/state/misses.csv", "work/state/tests", "work-backups"])
def test_a_link_in_the_place_of_anything_is_refused_with_a_word(place, work, capsys, link):
    run("reset", "02")
    target = place / "elsewhere"
    path = place / link
    path.rename(target)
    path.symlink_to(target)
    before = tree(place)
    assert run("reset", "02") == 1
    assert "is a link to another place" in capsys.readouterr().err
    assert tree(place) == before


def test_a_link_in_the_place_of_a_folder_that_a_lesson_makes_is_refused_where_it_would_go_too(place, work):
    run("reset", "02")
    (work / "state/tests").rename(place / "elsewhere")
    (work / "state/tests").symlink_to(place / "elsewhere")
    before = tree(place)
    assert run("reset", "01") == 1 and tree(place) == before


def test_an_own_link_in_state_stays_and_is_not_followed(place, work):
    outside = place / "precious"
    outside.mkdir()
    (outside / "misses.csv").write_bytes(b"precious")
    (work / "state").mkdir()
    (work / "state/mine").symlink_to(outside)
    run("reset", "02")
    run("reset", "01")
    assert (work / "state/mine").is_symlink() and tree(outside) == {"misses.csv": b"precious"}


@pytest.mark.parametrize("break_it", ["away", "conflict", "no notebook", "linked"])
def test_a_damaged_snapshot_is_said_before_anything_changes(place, work, break_it):
    top = place / "snapshots" / ROWS[1].name
    if break_it == "away":
        top.rename(place / "aside")
    elif break_it == "linked":
        top.rename(place / "aside")
        top.symlink_to(place / "aside")
    elif break_it == "conflict":
        (top / SECOND).write_bytes(NOTEBOOKS[5][1])
    else:
        (top / SECOND).unlink()
    before = tree(work)
    with pytest.raises(SnapshotError, match="git checkout"):
        plan_for(place, work, "02")
    assert run("reset", "02") == 1 and tree(work) == before


TYPED = [(["77"], 2), (["xx"], 2), (["02", "--all", "--state-only"], 2), ([], 2), (["02", "--into", "nowhere", "--dry-run"], 1)]


@pytest.mark.parametrize("arguments, code", TYPED)
def test_what_is_typed_wrong(place, work, capsys, arguments, code):
    assert run("reset", *arguments) == code
    assert capsys.readouterr().err


def test_an_interrupted_reset_is_put_in_order_by_any_labkit_command(place, work, capsys, monkeypatch):
    before = tree(work)
    plan = plan_for(place, work, "02")
    from broken_disks import Dead, dies_at

    with pytest.raises(Dead), journal.alone(work):
        resetting.reset(place, work, plan, dies_at(30))
    assert journal.is_pending(work)
    run("inventory")
    assert "interrupted" in capsys.readouterr().err
    assert not journal.is_pending(work)
    after = tree(work)
    assert {name: after.get(name) for name in snapshot(place, "02")} in (
        snapshot(place, "02"),
        {name: before.get(name) for name in snapshot(place, "02")},
    )


def test_no_space_is_said_and_nothing_is_changed(place, work, capsys, monkeypatch):
    monkeypatch.setattr(journal.Disk, "free", lambda self, folder: 10)
    before = tree(work)
    assert run("reset", "02") == 1
    assert "free some" in capsys.readouterr().err and tree(work) == before


def test_ctrl_c_in_the_middle_says_how_things_stand(place, work, capsys, monkeypatch):
    before = tree(work)
    disk = fails_at(20, KeyboardInterrupt())
    real = resetting.carry_out
    monkeypatch.setattr(resetting, "carry_out", lambda *args, **named: real(*args, **named | {"disk": disk}))
    assert run("reset", "02") == 130
    assert "Everything is as it was" in capsys.readouterr().err and tree(work) == before


def test_an_error_in_the_middle_says_how_things_stand(place, work, capsys, monkeypatch):
    before = tree(work)
    disk = fails_at(20, OSError(errno.ENOSPC, "No space left on device"))
    real = resetting.carry_out
    monkeypatch.setattr(resetting, "carry_out", lambda *args, **named: real(*args, **named | {"disk": disk}))
    assert run("reset", "02") == 1
    assert "everything is as it was" in capsys.readouterr().err and tree(work) == before


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_line_is_wider_than_the_terminal_or_80(place, work, capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    (work / SECOND).write_bytes(notebook(*[cell(f"a-rather-long-name-of-a-cell-{n}", "x" * 300 + " 漢字" * 80) for n in range(30)]))
    for command in (["reset", "02", "--dry-run"], ["reset", "02"], ["backups"], ["undo"], ["diff", "02"], ["update", "02"]):
        run(*command)
    lines = capsys.readouterr().out.splitlines()
    long = [line for line in lines if display_width(line) > min(width, 80)]
    assert [line for line in long if str(place) not in line] == [] and len(lines) > 40


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "America/St_Johns"])
def test_zone_and_locale_change_nothing(place, work, monkeypatch, zone):
    monkeypatch.setenv("TZ", zone)
    monkeypatch.setenv("LC_ALL", "tr_TR.UTF-8")
    if hasattr(time, "tzset"):
        time.tzset()
    before = tree(work)
    run("reset", "02")
    run("reset", "03")
    run("undo")
    run("undo")
    monkeypatch.undo()
    if hasattr(time, "tzset"):
        time.tzset()
    del before[".labkit-editions.json"]
    assert {name: content for name, content in tree(work).items() if name != ".labkit-editions.json"} == before


# the plan alone


def found(content: bytes) -> Found:
    return Found(len(content), "", content)


PLANS = [
    # what stands there, what is wanted, what lessons make -> name: kind of change, same, extra
    ("all new", {}, {"state/a": b"1"}, [], {"state/a": "new"}, (), ()),
    ("the same", {"state/a": b"1"}, {"state/a": b"1"}, [], {}, ("state/a",), ()),
    ("other bytes", {"state/a": b"2"}, {"state/a": b"1"}, [], {"state/a": "replaced"}, (), ()),
    ("a later lesson's", {"state/b": b"2"}, {}, ["state/b"], {"state/b": "removed"}, (), ()),
    ("the learner's own", {"state/c": b"2"}, {}, ["state/b"], {}, (), ("state/c",)),
    ("nothing anywhere", {}, {}, ["state/b"], {}, (), ()),
    ("empty for full", {"state/a": b""}, {"state/a": b"1"}, [], {"state/a": "replaced"}, (), ()),
]


@pytest.mark.parametrize("here, wanted, made, changes, same, extra", [row[1:] for row in PLANS], ids=[row[0] for row in PLANS])
def test_plans(here, wanted, made, changes, same, extra):
    plan = plan_reset("02", {name: found(content) for name, content in here.items()}, wanted, made)
    assert ({each.name: each.kind for each in plan.changes}, plan.same, plan.extra) == (changes, same, extra)


NAMES = [f"state/{name}" for name in "abcd"]
files = st.dictionaries(st.sampled_from(NAMES), st.sampled_from([b"", b"1\n", b"2\n", b"\xff"]))


@given(here=files, wanted=files, made=st.sets(st.sampled_from(NAMES)))
def test_after_a_plan_the_wanted_files_stand_the_own_ones_stay_and_nothing_else(here, wanted, made):
    plan = plan_reset("02", {name: found(content) for name, content in here.items()}, wanted, made)
    after = dict(here)
    for step in plan.steps:
        after.pop(step.name, None)
        if step.new is not None:
            after[step.name] = step.new
    own = {name: content for name, content in here.items() if name not in made and name not in wanted}
    assert after == own | wanted
    touched = {step.name for step in plan.steps}
    assert not touched & set(plan.same) and not touched & set(plan.extra)
    assert touched | set(plan.same) | set(plan.extra) == set(here) | set(wanted)


RANDOM = st.dictionaries(
    st.sampled_from([FIRST, SECOND, THIRD, "state/sections.csv", "state/misses.csv", "state/scoreboard.csv", "state/own.txt", "a b é.txt"]),
    st.binary(max_size=30) | st.sampled_from([notebook(*cells("02")), notebook(*cells("02", True)), notebook()]),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    folders=RANDOM,
    resets=st.lists(st.tuples(st.sampled_from(["01", "02", "03"]), st.booleans(), st.booleans()), min_size=1, max_size=3),
)
def test_any_folder_resets_then_undos_give_the_bytes_back(place, tmp_path_factory, folders, resets):
    from labkit.lessons import undo
    from labkit.lessons.workfolder import make_work_folder

    work = make_work_folder(tmp_path_factory.mktemp("law") / "work")
    for name, content in folders.items():
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_bytes(content)

    def learners() -> dict[str, bytes]:
        return {name: content for name, content in tree(work).items() if name != ".labkit-editions.json"}

    seen = []
    for number, state_only, earlier_too in resets:
        plan = plan_for(place, work, number, state_only=state_only, earlier_too=earlier_too)
        if plan.changes:
            seen.append(learners())
            with journal.alone(work):
                resetting.reset(place, work, plan)
        made_by_lessons = {f"state/{name}" for texts in STATES.values() for name in texts}
        left = {name: content for name, content in learners().items() if name in made_by_lessons}
        assert left == {f"state/{name}": text.encode() for name, text in STATES[number].items()}
        assert plan_for(place, work, number, state_only=state_only, earlier_too=earlier_too).changes == ()
    for before in reversed(seen):
        with journal.alone(work):
            undo.undo(work, undo.plan_undo(work, undo.backup_to_undo(work)))
        assert learners() == before


# JupyterLab


class Sessions(http.server.BaseHTTPRequestHandler):
    """Answers as a Jupyter server does, to whoever has its key."""

    def do_GET(self):
        right = self.headers["Authorization"] == "token secret" and self.path == "/lab base/api/sessions".replace(" ", "%20")
        if self.server.slow:
            time.sleep(self.server.slow)
        body = json.dumps(self.server.sessions if right else {"message": "Forbidden"}).encode()
        self.send_response(200 if right else 403)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(place, work):
    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Sessions)
    made.daemon_threads = True
    made.handle_error = lambda *_: None  # a client that gave up is what these tests are about; its traceback is nobody's output
    made.slow, made.sessions = 0, [{"type": "notebook", "path": f"work/{SECOND}"}, {"type": "console", "path": "x"}]
    threading.Thread(target=made.serve_forever, daemon=True).start()
    runtime = place.parent / "runtime"
    runtime.mkdir()
    info = {"url": f"http://127.0.0.1:{made.server_port}/lab%20base/", "token": "secret", "root_dir": str(place), "pid": os.getpid()}
    (runtime / "jpserver-1.json").write_text(json.dumps(info))
    (runtime / "jpserver-2.json").write_text("{")
    (runtime / "jpserver-3.json").write_text(json.dumps(info | {"url": "http://127.0.0.1:9/", "pid": 1}))
    yield made
    made.shutdown()
    made.server_close()


def test_a_notebook_that_is_open_is_named(place, work, server, capsys, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    assert opened.open_notebooks(work) == [SECOND]
    run("reset", "02")
    out = " ".join(capsys.readouterr().out.split())
    assert f"Open in JupyterLab, and its next save could write over this: {SECOND}." in out
    run("reset", "01")
    assert "Open in JupyterLab" not in capsys.readouterr().out, "it will not be written to"


ODD = [[], None, {"a": 1}, [1], [{"type": "notebook"}], "x", [{"type": "notebook", "path": "../../../elsewhere.ipynb"}]]


@pytest.mark.parametrize("sessions", ODD)
def test_whatever_a_server_answers_is_no_error(work, server, sessions):
    server.sessions = sessions
    assert opened.open_notebooks(work) == []


def test_a_server_that_does_not_answer_costs_a_second_at_most(work, server):
    server.slow = 3
    begun = time.monotonic()
    assert opened.open_notebooks(work, seconds=0.3) == []
    assert time.monotonic() - begun < 2


def test_no_server_is_no_error(work):
    assert opened.open_notebooks(work) == []


# files of ours that somebody changed, names that move a cursor, and many cells

OURS = {
    "a pipe": lambda path: os.mkfifo(path), "a folder": lambda path: path.mkdir(), "deep": lambda path: path.write_text("[" * 200_000),
    "no JSON": lambda path: path.write_bytes(b"\xff"), "other JSON": lambda path: path.write_text('{"03": [{"a": 5}, 1], "made_with": 2}'),
}  # fmt: skip


@pytest.mark.timeout(20)
@pytest.mark.parametrize(("name", "what"), [
    *((name, what) for name in (".labkit-editions.json", "predictions.json") for what in OURS),
    *((".labkit-work.json", what) for what in ("deep", "no JSON", "other JSON")),  # another thing there: no work folder, told elsewhere
])  # fmt: skip
def test_a_small_file_of_ours_that_was_changed_stops_no_reset(place, work, name, what, capsys):
    (work / name).unlink(missing_ok=True)
    OURS[what](work / name)
    assert run("reset", "03", "--into", work) == 0 and run("undo", "--into", work) == 0
    assert "Traceback" not in capsys.readouterr().err


def test_names_cannot_break_a_line_or_move_a_cursor(place, work, capsys):
    (work / "state").mkdir(exist_ok=True)
    for name in ("my\nnotes.txt", "red\x1b[31m.txt", "turned\u202e.txt"):
        (work / "state" / name).write_text("x")
    assert run("reset", "03", "--dry-run", "--into", work) == 0
    out = capsys.readouterr().out
    assert "my\\nnotes.txt" in out and "\x1b" not in out and "\u202e" not in out


def test_a_thousand_cells_of_ones_own_are_counted_and_a_few_named(place, work, capsys):
    path = next(each for each in work.glob("03-*.ipynb"))
    data = json.loads(path.read_text())
    data["cells"] += [cell(f"mine-{number}", "x") for number in range(1000)]
    path.write_text(json.dumps(data))
    assert run("reset", "03", "--dry-run", "--into", work) == 0
    out = capsys.readouterr().out
    assert "1000 gone" in out and "… and 988 more" in out and len(out.splitlines()) < 40
    assert run("diff", "03", "--into", work) == 1
    out = capsys.readouterr().out
    assert "… 900 more cells that differ" in out
