"""A change to several files is made whole or not at all: whatever fails, wherever the process ends, whoever else is at work."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from broken_disks import Dead, WatchedDisk, dies_at, fails_at, tree
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labkit.lessons import backups, journal, undo
from labkit.lessons.inside import NotInside, check_name
from labkit.lessons.journal import Step
from labkit.lessons.lock import Busy, locked

OLD = {
    "03-bm25.ipynb": b"my work",
    "state/sections.csv": b"a,b\r\n1,2\r\n",
    "state/tests/old.py": b"def test(): pass\n",
    "notes.txt": "à moi".encode(),
}
STEPS = [
    Step("03-bm25.ipynb", b"the snapshot's notebook"),
    Step("state/sections.csv", b"a,b\n3,4\n"),
    Step("state/new/deep/x.csv", b"x\n"),
    Step("state/tests/old.py", None),
]
NEW = {
    "03-bm25.ipynb": b"the snapshot's notebook",
    "state/sections.csv": b"a,b\n3,4\n",
    "state/new/deep/x.csv": b"x\n",
    "notes.txt": "à moi".encode(),
}


def fill(work: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_bytes(content)
    return work


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Nobody cuts the power here, and to wait for the disk in every one of these tests takes minutes. Gives what was asked for."""
    asked = []
    monkeypatch.setattr("os.fsync", lambda handle: asked.append(os.fstat(handle).st_ino))
    return asked


@pytest.fixture
def work(tmp_path):
    return fill(tmp_path / "travail d'été" / "work", OLD)


def change(work, disk=journal.DISK, steps=STEPS):
    with journal.alone(work, disk):
        return journal.carry_out(work, steps, "reset", "03", disk=disk)


def put_back(work, number=None):
    with journal.alone(work):
        return undo.undo(work, undo.plan_undo(work, undo.backup_to_undo(work, number)))


def shelf(work) -> list[str]:
    return sorted(each.name for each in backups.folder_for(work).iterdir() if each.name != ".lock")


def operations() -> int:
    """How many operations on the disk the change takes."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        disk = WatchedDisk()
        change(fill(Path(folder) / "work", OLD), disk)
        return disk.count


ALL = range(1, operations() + 1)


def test_a_change_is_made_and_its_backup_holds_what_was_there(work):
    made = change(work)
    assert tree(work) == NEW
    assert tree(made.folder / "before") == {name: OLD[name] for name in OLD if name != "notes.txt"}
    assert not (work / "state/tests").exists(), "an emptied folder goes"
    assert made.status == backups.DONE and shelf(work) == [made.folder.name]


def test_every_written_file_is_on_the_disk_itself_before_any_is_replaced(work, quick):
    replaced = []

    def before(count, name, arguments):
        if name == "replace":
            assert arguments[0].stat().st_ino in quick, f"{arguments[0].name} could be lost by a power cut"
        if name == "replace" and arguments[1].name != backups.RECORD:
            replaced.append(arguments[1].name)
            copies = [path for path in backups.folder_for(work).rglob("before/**/*") if path.is_file()]
            assert len(copies) == 3 and all(path.stat().st_ino in quick for path in copies)

    change(work, WatchedDisk(before))
    assert len(replaced) == 3


def test_there_are_operations_to_break():
    assert len(ALL) > 30


@pytest.mark.parametrize("number", ALL)
def test_ended_at_any_point_the_next_command_finishes_or_takes_back(work, number):
    with pytest.raises(Dead):
        change(work, dies_at(number))
    middle = tree(work)
    assert all(middle[name] in (OLD[name], NEW.get(name)) for name in OLD if name in middle), "no file is ever a mixture"
    assert middle["notes.txt"] == OLD["notes.txt"]
    said = journal.recover(work)
    assert tree(work) in (OLD, NEW)
    assert journal.recover(work) == [], "once is enough"
    if middle != OLD and middle != NEW:
        assert said
    if tree(work) == NEW:
        put_back(work)
        assert tree(work) == OLD
    else:
        assert shelf(work) == [], "nothing is left of what did not happen"
    change(work)
    assert tree(work) == NEW


@pytest.mark.parametrize("number", ALL)
def test_the_recovery_can_be_ended_at_any_point_too(work, number):
    with pytest.raises(Dead):
        change(work, dies_at(number))
    left = tree(work.parent)
    for second in range(1, 100):
        for path in sorted(work.parent.rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
        fill(work.parent, left)
        for folder in backups.numbered(backups.folder_for(work)).values():
            (folder / "before").mkdir(exist_ok=True)  # `tree` keeps files only
        try:
            journal.recover(work, dies_at(second))
        except Dead:
            journal.recover(work)
            assert tree(work) in (OLD, NEW)
            continue
        break
    assert tree(work) in (OLD, NEW)


@pytest.mark.parametrize("number", ALL[-16:])
def test_taking_back_can_be_ended_at_any_point_too(tmp_path, number):
    for more in range(1, 40):
        work = fill(tmp_path / str(more) / "work", OLD)

        def before(count, name, arguments, until=number + more):
            if count >= until:
                raise Dead
            if count == number:
                raise OSError(errno.EIO, "Input/output error")

        try:
            change(work, WatchedDisk(before))
        except journal.NotDone:
            assert tree(work) == OLD
            break
        except Dead:
            journal.recover(work)
            assert tree(work) in (OLD, NEW)
            assert not journal.is_pending(work)
        else:
            break


ERRORS = [
    OSError(errno.ENOSPC, "No space left on device"),
    PermissionError(errno.EACCES, "Permission denied", "03-bm25.ipynb"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: errno.errorcode[error.errno])
@pytest.mark.parametrize("number", ALL)
def test_whatever_fails_everything_is_as_it_was_and_said_so(work, number, error):
    try:
        change(work, fails_at(number, error))
    except journal.NotDone as raised:
        assert tree(work) == OLD
        assert "everything is as it was" in str(raised) and error.strerror in str(raised)
        assert shelf(work) == []
    else:
        assert tree(work) == NEW and len(shelf(work)) == 1, "an operation that nothing depends on"
    assert journal.recover(work) == []


@pytest.mark.parametrize("number", ALL)
def test_ctrl_c_at_any_point(work, number):
    try:
        change(work, fails_at(number, KeyboardInterrupt()))
    except KeyboardInterrupt:
        assert tree(work) == OLD and shelf(work) == []
    else:
        assert tree(work) == NEW
    assert not journal.is_pending(work)


@pytest.mark.parametrize("number", ALL)
def test_a_disk_that_fails_from_there_on_is_put_in_order_by_the_next_command(work, number):
    try:
        change(work, fails_at(number, OSError(errno.EIO, "Input/output error"), ever_after=True))
    except journal.NotDone as raised:
        assert "as it was" in str(raised) or "half-way" in str(raised)
    journal.recover(work)
    assert tree(work) in (OLD, NEW)


def test_an_interrupted_change_that_can_go_neither_way_stops_the_next_one_and_says_where_the_files_are(work):
    with pytest.raises(Dead):
        change(work, dies_at(len(ALL) - 5))
    broken = fails_at(1, OSError(errno.EIO, "Input/output error"), ever_after=True)
    with pytest.raises(journal.NotDone, match=r"neither finished nor taken back.*0001-.*Mend"):
        change(work, broken)
    change(work)
    assert tree(work) == NEW


@pytest.mark.parametrize("number", ALL)
@pytest.mark.parametrize("name", ["03-bm25.ipynb", "state/sections.csv", "state/new/deep/x.csv"])
def test_work_done_between_the_interruption_and_the_recovery_is_never_lost(work, number, name):
    with pytest.raises(Dead):
        change(work, dies_at(number))
    (work / name).parent.mkdir(parents=True, exist_ok=True)
    (work / name).write_bytes(b"saved in between")
    said = " ".join(journal.recover(work))
    assert (work / name).read_bytes() == b"saved in between"
    assert name in said or "finished" not in said
    others = {key: value for key, value in tree(work).items() if key != name}
    assert others in [{key: value for key, value in files.items() if key != name} for files in (OLD, NEW)]


@pytest.mark.parametrize("name", ["03-bm25.ipynb", "state/sections.csv", "state/tests/old.py"])
def test_a_file_saved_by_another_program_at_the_same_moment_is_not_lost(work, name):
    def before(count, operation, arguments):
        if operation == "replace" and arguments[1].parent == work:  # the first file takes its place
            (work / name).write_bytes(b"just saved")

    def earlier(count, operation, arguments):
        if operation == "write" and arguments[0].suffix == ".part":
            (work / name).write_bytes(b"just saved")

    before = earlier if name == "03-bm25.ipynb" else before  # the first file is looked at just before its own turn
    with pytest.raises(journal.NotDone, match=f"{name} was saved by another program"):
        change(work, WatchedDisk(before))
    assert tree(work) == OLD | {name: b"just saved"}


CHILD = """
import os, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from broken_disks import dies_at
from test_journal import change
change(Path({work!r}), dies_at({number}, end=lambda: os._exit(9)))
"""


@pytest.mark.parametrize("number", [4, len(ALL) // 2, len(ALL) - 9, len(ALL) - 6, len(ALL) - 3])
def test_a_process_that_really_ends_there(work, number):
    code = CHILD.format(tests=str(Path(__file__).parent), work=str(work), number=number)
    assert subprocess.run([sys.executable, "-c", code]).returncode == 9
    journal.recover(work)
    assert tree(work) in (OLD, NEW)
    change(work, steps=[Step("03-bm25.ipynb", b"and on")])
    assert (work / "03-bm25.ipynb").read_bytes() == b"and on"


def test_no_space_is_seen_before_anything_is_touched(work):
    class Full(WatchedDisk):
        def free(self, folder):
            return 100

    with pytest.raises(journal.NotDone, match=r"as it was.*1\.0 MB of space are needed and 0\.0 MB are free"):
        change(work, Full())
    assert tree(work) == OLD and shelf(work) == []


# one at a time

HOLD = """
import sys, time
from pathlib import Path
from labkit.lessons.lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_two_at_once_wait_for_each_other_and_a_lock_ends_with_its_process(work):
    folder = backups.folder_for(work)
    folder.mkdir()
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(folder)], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(Busy, match=f"process {holder.pid}"), journal.alone(work, seconds=0.2):
            pass
        assert journal.recover(work) == [], "a look does not wait"
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
    begun = time.monotonic()
    change(work)
    assert tree(work) == NEW and time.monotonic() - begun < 5


def test_two_processes_at_once_both_come_through(work):
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from pathlib import Path\nfrom test_journal import change, Step\n"
        "change(Path(sys.argv[1]), steps=[Step('03-bm25.ipynb', sys.argv[2].encode())])"
    )
    both = [subprocess.Popen([sys.executable, "-c", code, str(work), text]) for text in ("one", "two")]
    assert [each.wait() for each in both] == [0, 0]
    last = (work / "03-bm25.ipynb").read_bytes()
    assert last in (b"one", b"two") and len(shelf(work)) == 2
    put_back(work)
    assert (work / "03-bm25.ipynb").read_bytes() == ({b"one", b"two"} - {last}).pop()
    put_back(work)
    assert tree(work) == OLD


def test_a_lock_file_left_behind_is_no_lock(work):
    folder = backups.folder_for(work)
    folder.mkdir()
    (folder / ".lock").write_text("999999\n")
    with locked(folder, seconds=0):
        assert (folder / ".lock").read_text() != "999999\n"


# links and names


def elsewhere(tmp_path) -> Path:
    return fill(tmp_path / "elsewhere", {"precious.txt": b"precious", "sections.csv": b"theirs", "deep/x.csv": b"theirs"})


@pytest.mark.parametrize(
    "link, target",
    [
        ("work", "elsewhere"),
        ("work/state", "elsewhere"),
        ("work/state/new", "elsewhere"),
        ("work/03-bm25.ipynb", "elsewhere/precious.txt"),
        ("work/state/sections.csv", "elsewhere/sections.csv"),
        ("work/state/sections.csv", "elsewhere/not there"),
        ("work-backups", "elsewhere"),
        ("work-backups/.lock", "elsewhere/precious.txt"),
    ],
)
def test_a_link_is_refused_and_never_followed(tmp_path, link, target):
    place = elsewhere(tmp_path)
    work = fill(tmp_path / "work", OLD)
    path = tmp_path / link
    if path.is_dir():
        path.rename(tmp_path / "aside")
    elif path.exists():
        path.unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(tmp_path / target)
    before = tree(place)
    with pytest.raises(Exception, match="link to another place"):
        change(work)
    assert tree(place) == before
    assert path.is_symlink()


def test_a_link_put_there_in_the_middle_is_not_followed(tmp_path):
    place = elsewhere(tmp_path)
    work = fill(tmp_path / "work", OLD)

    def before(count, operation, arguments):
        if operation == "replace" and arguments[1] == work / "03-bm25.ipynb" and not (tmp_path / "aside").exists():
            (work / "state").rename(tmp_path / "aside")
            (work / "state").symlink_to(place)

    before_all = tree(place)
    with pytest.raises(journal.NotDone, match="half-way"):
        change(work, WatchedDisk(before))
    assert tree(place) == before_all
    (work / "state").unlink()
    (tmp_path / "aside").rename(work / "state")
    journal.recover(work)
    assert tree(work) in (OLD, NEW)


LEADING_OUT = ["", ".", "..", "../x", "/etc/passwd", "a/../b", "a//b", "a/", "C:/x", "a\\..\\b", "x\0y", "a:stream", None, 3]


@pytest.mark.parametrize("name", LEADING_OUT)
def test_a_name_that_leads_out_is_refused(work, name):
    with pytest.raises(NotInside):
        check_name(name)


def test_steps_that_lead_out_are_refused_before_anything_is_touched(work):
    outside = work.parent / "outside.txt"
    with pytest.raises(NotInside):
        change(work, steps=[STEPS[0], Step("../outside.txt", b"x")])
    assert tree(work) == OLD and not outside.exists() and shelf(work) == []


@pytest.mark.parametrize("name, what", [("state", "a file where a folder"), ("state/sections.csv/x", "a folder where a file")])
def test_a_file_for_a_folder_and_a_folder_for_a_file(tmp_path, name, what):
    work = fill(tmp_path / "work", {name: b"x"})
    with pytest.raises(NotInside, match=what):
        change(work, steps=[Step("state/sections.csv", b"new")])
    assert tree(work) == {name: b"x"}


def test_a_read_only_file_is_replaced_and_comes_back_read_only(work):
    (work / "03-bm25.ipynb").chmod(0o444)
    change(work)
    assert (work / "03-bm25.ipynb").stat().st_mode & 0o200, "the learner can save what was laid"
    put_back(work)
    assert (work / "03-bm25.ipynb").stat().st_mode & 0o777 == 0o444
    assert tree(work) == OLD


# laws

names = st.sampled_from(["a.ipynb", "b é.ipynb", "state/s.csv", "state/t.csv", "state/tests/x.py", "state/deep/er/y.csv"])
contents = st.binary(max_size=20)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    old=st.dictionaries(names, contents),
    changes=st.lists(st.dictionaries(names, st.none() | contents), max_size=4),
    data=st.data(),
)
def test_changes_then_as_many_undos_give_the_bytes_back(tmp_path_factory, old, changes, data):
    work = fill(tmp_path_factory.mktemp("law") / "work", old)
    work.mkdir(exist_ok=True)
    seen = [tree(work)]
    for each in changes:
        steps = [Step(name, new) for name, new in each.items() if (work / name).exists() or new is not None]
        change(work, steps=steps)
        expected = seen[-1] | {name: new for name, new in each.items()}
        assert tree(work) == {name: content for name, content in expected.items() if content is not None}
        seen.append(tree(work))
    for before in reversed(seen[:-1]):
        put_back(work)
        assert tree(work) == before


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    old=st.dictionaries(names, contents),
    new=st.dictionaries(names, st.none() | contents),
    number=st.integers(1, 60),
    recovery=st.integers(1, 30),
)
def test_any_change_ended_anywhere_is_whole_afterwards(tmp_path_factory, old, new, number, recovery):
    work = fill(tmp_path_factory.mktemp("law") / "work", old)
    work.mkdir(exist_ok=True)
    whole = {name: content for name, content in (old | new).items() if content is not None}
    steps = [Step(name, content) for name, content in new.items() if name in old or content is not None]
    for disk in (dies_at(number), dies_at(recovery)):
        try:
            change(work, disk, steps) if disk.count == 0 and not journal.is_pending(work) else journal.recover(work, disk)
        except Dead:
            continue
    journal.recover(work)
    assert tree(work) in (old, whole)
