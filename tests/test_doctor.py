"""The doctor is examined too: each failure is brought about, and must be found, named and given a cure."""

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections import namedtuple
from importlib import metadata
from pathlib import Path

import pytest

from labkit import __version__, doctor

ROOT = Path(__file__).resolve().parent.parent
NAMES = ["Python", "packages", "SQLite", "course files", "documents", "questions", "work folder", "disk space", "Jupyter kernel"]


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A copy of the course's data that a test may spoil."""
    folder = tmp_path / "a course"
    for name in ("corpus", "questions"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / doctor.LOCK, folder)
    (folder / doctor.DIGESTS).write_text(doctor.digests(folder), "utf-8", newline="\n")
    monkeypatch.setenv("LABKIT_COURSE", str(folder))
    monkeypatch.setattr(doctor, "check_kernel", lambda: doctor.Check("Jupyter kernel", True, "not asked in this test"))
    return folder


def failed(checks) -> list[str]:
    return [check.name for check in checks if not check.ok]


def healthy(check: doctor.Check) -> bool:
    return check.ok and check.detail and not check.cure


# --- a healthy machine ------------------------------------------------------------------------------------------------


def test_all_is_well(course):
    checks = doctor.examine()
    assert [check.name for check in checks] == NAMES
    assert all(map(healthy, checks)), [str(check) for check in checks]
    report = doctor.report(checks)
    assert report.startswith("OK    Python: ") and "All is well." in report


def test_the_listed_digests_are_those_of_the_courses_files():
    listed = (ROOT / doctor.DIGESTS).read_text("utf-8")
    assert listed == doctor.digests(ROOT), f"{doctor.DIGESTS} is stale — run: .venv/bin/python tools/digests.py"


def test_a_kernel_really_starts():
    assert doctor.check_kernel() == doctor.Check("Jupyter kernel", True, f"starts, and finds labkit {__version__}")


# --- Python and packages ----------------------------------------------------------------------------------------------


PYTHONS = {(2, 7, 18): False, (3, 10, 14): False, (3, 11, 0): True, (3, 13, 9): True, (3, 14, 0): True, (4, 0, 0): True}


@pytest.mark.parametrize(("version", "ok"), PYTHONS.items())
def test_python(version, ok):
    check = doctor.check_python(version)
    assert check.ok is ok and ".".join(map(str, version)) in check.detail and bool(check.cure) is not ok
    assert ("may work" in check.detail) is (version >= (3, 14))


def installed(**versions):
    def version(name):
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    return version


@pytest.mark.parametrize(
    ("required", "found", "ok", "word"),
    [
        (["pandas>=2.2"], {"pandas": "2.2"}, True, "1 found"),
        (["pandas>=2.2"], {"pandas": "2.2.0"}, True, "1 found"),
        (["pandas>=2.2"], {"pandas": "2.10.1"}, True, "1 found"),
        (["pandas>=2.2"], {"pandas": "3.0rc1"}, True, "1 found"),
        (["pandas>=2.2"], {"pandas": "2.1.9"}, False, "pandas 2.1.9 is older than 2.2"),
        (["pandas>=2.2"], {}, False, "pandas is missing"),
        (["pandas>=2.2", "scipy>=1", "rich"], {"scipy": "0.9"}, False, "pandas is missing, scipy 0.9 is older than 1, rich is missing"),
        (["pytest>=8; extra == 'dev'", "rich"], {"rich": "1"}, True, "1 found"),
    ],
)
def test_packages(required, found, ok, word):
    check = doctor.check_packages(required, installed=installed(**found))
    assert check.ok is ok and word in check.detail and bool(check.cure) is not ok


def test_a_version_that_is_not_the_locked_one_is_said_but_no_fault(tmp_path):
    lock = tmp_path / "requirements.lock"
    lock.write_text(
        "# made\nPan_das==2.2.1 ; python_version < '3.12' \\\n    --hash=sha256:0\npan-das==2.3.0 \\\n    --hash=sha256:1\n", "utf-8"
    )
    for found, said in (("2.2.1", False), ("2.3.0", False), ("2.4.0", True)):
        check = doctor.check_packages(["pan.das>=2"], lock, installed(**{"pan.das": found}))
        assert check.ok and ("locked: 2.2.1 or 2.3.0" in check.detail) is said
    assert doctor.check_packages(["rich"], tmp_path / "nowhere", installed(rich="1")).ok


def test_labkit_itself_not_installed(monkeypatch):
    monkeypatch.setattr(doctor.metadata, "requires", lambda name: (_ for _ in ()).throw(metadata.PackageNotFoundError(name)))
    check = doctor.check_packages()
    assert not check.ok and "labkit" in check.detail and "make lab" in check.cure


# --- SQLite -------------------------------------------------------------------------------------------------------------


class Lame:
    """A connection of a SQLite that lacks something."""

    def __init__(self, *lacks):
        self.lacks, self.database = lacks, sqlite3.connect(":memory:")

    def execute(self, statement, *rest):
        for word in self.lacks:
            if word in statement:
                raise sqlite3.OperationalError(f"no such module: {word}")
        return self.database.execute(
            statement.replace(" remove_diacritics 2", " remove_diacritics 0") if not self.lacks else statement, *rest
        )

    def close(self):
        self.database.close()


@pytest.mark.parametrize("lacks", ["fts5(", "fts5vocab", "bm25"])
def test_a_sqlite_without_search(lacks):
    check = doctor.check_sqlite(lambda _: Lame(lacks))
    assert not check.ok and lacks in check.detail and "FTS5" in check.cure


def test_a_sqlite_that_reads_accents_otherwise():
    check = doctor.check_sqlite(lambda _: Lame())
    assert not check.ok and "accents" in check.detail and check.cure


def test_a_python_without_sqlite(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    check = doctor.check_sqlite()
    assert not check.ok and "without it" in check.detail and check.cure


# --- the course's files -------------------------------------------------------------------------------------------------


def any_document(course: Path) -> Path:
    return sorted((course / "corpus/larkfield/documents").glob("*.md"))[0]


def test_a_changed_document(course):
    path = any_document(course)
    path.write_bytes(path.read_bytes() + b"\nOne more line.\n")
    (check,) = [check for check in doctor.examine() if check.name == "course files"]
    assert not check.ok and check.detail == f"changed: {path.relative_to(course).as_posix()}" and "git restore" in check.cure


def test_windows_line_ends(course):
    for path in (course / "corpus/larkfield/documents").glob("*.md"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    check = doctor.check_digests(course)
    assert not check.ok and "more" in check.detail and "autocrlf" in check.cure


@pytest.mark.parametrize("content", [None, "", "nonsense\n"])
def test_a_list_of_digests_that_is_no_list(course, content):
    (course / doctor.DIGESTS).unlink() if content is None else (course / doctor.DIGESTS).write_text(content, "utf-8")
    check = doctor.check_digests(course)
    assert not check.ok and doctor.DIGESTS in check.detail and check.cure


def test_a_missing_document_is_missed_by_three(course):
    any_document(course).unlink()
    assert failed(doctor.examine()) == ["course files", "documents", "questions"]


def test_an_inventory_with_faults(course):
    path = course / "corpus/larkfield/inventory.csv"
    path.write_text(path.read_text("utf-8").replace(",staff,", ",stuff,"), "utf-8", newline="")
    check = doctor.check_documents(course)
    assert not check.ok and "faults, the first: " in check.detail and "inventory.csv:" in check.detail and "labkit inventory" in check.cure


@pytest.mark.parametrize("spoil", [lambda text: text.replace('"kind"', '"sort"', 1), lambda text: "{\n" + text, lambda text: ""])
def test_questions_that_do_not_load(course, spoil):
    path = course / "questions/larkfield.jsonl"
    path.write_text(spoil(path.read_text("utf-8")), "utf-8", newline="")
    check = doctor.check_questions(course)
    assert not check.ok and "larkfield.jsonl:1" in check.detail and "labkit questions" in check.cure


def test_a_quote_that_no_longer_stands(course):
    for path in (course / "corpus/larkfield/documents").glob("*.md"):
        path.write_text(path.read_text("utf-8").replace("the", "thé"), "utf-8", newline="")
    assert "questions" in failed(doctor.examine())


def test_no_course_at_all(monkeypatch, tmp_path):
    monkeypatch.setenv("LABKIT_COURSE", str(tmp_path))
    monkeypatch.setattr(doctor, "check_kernel", lambda: doctor.Check("Jupyter kernel", True, "not asked"))
    checks = doctor.examine()
    assert failed(checks) == ["course"]
    assert next(check.cure for check in checks if check.name == "course")


# --- room to work -------------------------------------------------------------------------------------------------------


def test_a_work_folder_that_can_be_made_or_written_to(tmp_path):
    assert doctor.check_writable(tmp_path / "work" / "deep").detail.endswith("can be made")
    assert doctor.check_writable(tmp_path).detail.endswith("can be written to")
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_the_work_folder(tmp_path):
    (tmp_path / "work").write_text("x")
    check = doctor.check_writable(tmp_path / "work")
    assert not check.ok and "is not a folder" in check.detail and "--work" in check.cure
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    assert not doctor.check_writable(tmp_path / "gone").ok


def test_a_folder_that_cannot_be_written_to(tmp_path, monkeypatch):
    def refuse(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(doctor.tempfile, "NamedTemporaryFile", refuse)
    check = doctor.check_writable(tmp_path)
    assert not check.ok and "Permission denied" in check.detail and check.cure


@pytest.mark.parametrize(
    ("free", "ok", "shown"),
    [(0, False, "0 MB"), (200 * 2**20, False, "200 MB"), (400 * 2**20, True, "400 MB"), (5 * 2**30, True, "5.0 GB")],
)
def test_disk_space(tmp_path, free, ok, shown):
    check = doctor.check_space(tmp_path / "not" / "there", lambda _: namedtuple("Usage", "free")(free))
    assert check.ok is ok and shown in check.detail and bool(check.cure) is not ok


@pytest.mark.parametrize(
    ("script", "word"),
    [
        ("raise SystemExit(\"ModuleNotFoundError: No module named 'labkit'\")", "No module named 'labkit'"),
        ("import sys; sys.exit(1)", "no message"),
        ("print('0.1')", "finds labkit 0.1"),
        ("pass", "(nothing)"),
        ("import nowhere_to_be_found", "nowhere_to_be_found"),
    ],
)
def test_a_kernel_that_does_not_start(script, word):
    check = doctor.check_kernel(script)
    assert not check.ok and word in check.detail and "make lab" in check.cure


def test_a_kernel_that_never_answers():
    started = time.monotonic()
    check = doctor.check_kernel("import time; time.sleep(60)", patience=0.5)
    assert not check.ok and "no answer within 0.5 seconds" in check.detail and time.monotonic() - started < 30


# --- the report ---------------------------------------------------------------------------------------------------------


def test_a_check_that_breaks_is_a_fail_and_the_others_go_on(course, monkeypatch):
    monkeypatch.setattr(doctor, "check_space", lambda *_: 1 / 0)
    checks = doctor.examine()
    assert failed(checks) == ["disk space"] and "ZeroDivisionError" in next(check for check in checks if not check.ok).detail


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/Users/grace/course/x.md", "~/course/x.md"),
        ("in /Users/grace", "in ~"),
        ("/Users/graceful/x", "/Users/graceful/x"),
        ("'/Users/grace'", "'~'"),
        ("/mnt/grace/x and /mnt/grace", "/mnt/user/x and /mnt/user"),
        ("C:\\Users\\grace\\x", "C:\\Users\\user\\x"),
        ("grace is a word", "grace is a word"),
        ("/mnt/Support (grace)/x", "/mnt/Support (grace)/x"),
    ],
)
def test_no_name_of_a_person(text, shown):
    assert doctor.discreet(text, {"USER": "grace"}, Path("/Users/grace")) == shown


def test_the_report_can_be_sent_to_anyone(tmp_path, monkeypatch):
    home = tmp_path / "home" / "amira"
    home.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("USER", "amira")
    report = doctor.report([doctor._safely("work folder", lambda: doctor.check_writable(home / "work"))])
    assert "amira" not in report and "~/work" in report.replace(os.sep, "/")


def test_the_command_ends_with_0_or_1(course, labkit, monkeypatch):
    import json

    code, out, err = labkit("doctor")
    assert (code, err) == (0, "") and [line.split(":")[0] for line in out.split("\n")[:9]] == [f"OK    {name}" for name in NAMES]
    any_document(course).unlink()
    code, out, _ = labkit("doctor")
    assert code == 1 and "FAIL  documents: " in out and "3 of 9 checks failed" in out
    code, out, _ = labkit("doctor", "--json")
    data = json.loads(out)
    assert code == 1 and data["ok"] is False and [check["name"] for check in data["checks"]] == NAMES and "bug report" in data["report"]


def test_it_runs_where_no_package_is(tmp_path):
    """-S leaves site-packages out: Python's own library alone."""
    done = subprocess.run(
        [sys.executable, "-S", "-m", "labkit.doctor"], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    assert done.returncode == 1 and done.stderr == ""
    assert "FAIL  packages: " in done.stdout and "OK    SQLite" in done.stdout and "make lab" in done.stdout
