"""tools/setup.sh: what it installs, and when it does so again. A stand-in for Python writes down what it is asked to do."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Answers as a Python would, makes an environment that holds a copy of itself, and writes each pip call to log.txt.
# As long as a file `broken` lies in the folder, pip fails; with `killed` in it, the whole group dies half-way, like a Ctrl-C.
STAND_IN = """#!/bin/sh
case "$*" in
    *ensurepip*) [ "{version}" != 3.10 ] && echo "$0" ;;
    *sys.exit*) [ "{version}" != 3.10 ] ;;
    *version_info*) echo {version} ;;
    "-m venv "*) echo "venv {version}" >> log.txt; mkdir -p "$3/bin"; cp "$0" "$3/bin/python" ;;
    "-m pip --version") echo pip ;;
    "-m pip install"*)
        [ -e killed ] && kill -9 $PPID
        [ -e broken ] && exit 1
        case "$*" in
            *--require-hashes*) echo packages >> log.txt ;;
            *) echo labkit >> log.txt; mkdir -p .venv/lib/python{version}/site-packages
               pwd > .venv/lib/python{version}/site-packages/labkit.pth ;;
        esac ;;
esac
"""
ALL = ["venv 3.12", "packages", "labkit"]


class Clone:
    """A folder with the set-up script, and a Python of its own to find."""

    def __init__(self, folder: Path):
        self.folder = folder
        (folder / "tools").mkdir(parents=True)
        for file in ("tools/setup.sh", "pyproject.toml", "requirements.lock"):
            (folder / file).write_bytes((ROOT / file).read_bytes())

    def python(self, version: str, name: str = "python3.12") -> Path:
        path = self.folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(STAND_IN.format(version=version))
        path.chmod(0o755)
        return path

    def setup(self, **more: str) -> subprocess.CompletedProcess:
        """Runs the script; only `bin` and the system's tools are on the PATH."""
        tools = self.folder / "system"
        if not tools.exists():
            tools.mkdir()
            for tool in ("sh", "cat", "cksum", "cp", "dirname", "head", "mkdir", "mv", "rm"):
                (tools / tool).symlink_to(shutil.which(tool, path="/bin:/usr/bin"))
        search = os.pathsep.join([str(self.folder / "bin"), str(tools)])
        return subprocess.run(
            ["/bin/sh", str(self.folder / "tools/setup.sh")], env={"PATH": search} | more, cwd="/", capture_output=True, text=True
        )

    def done(self) -> list[str]:
        """What was installed since the last look."""
        log = self.folder / "log.txt"
        lines = log.read_text().split("\n")[:-1] if log.exists() else []
        log.unlink(missing_ok=True)
        return lines


@pytest.fixture
def clone(tmp_path):
    made = Clone(tmp_path / "my école's (copy)")
    made.python("3.12")
    return made


def test_the_first_time_everything_then_nothing(clone):
    first = clone.setup()
    assert first.returncode == 0, first.stderr
    assert clone.done() == ALL
    again = clone.setup()
    assert (again.returncode, again.stdout, again.stderr, clone.done()) == (0, "", "", [])


def test_labkit_is_found_in_a_folder_whose_name_the_locale_cannot_spell(clone):
    clone.setup()
    link = clone.folder / ".venv/lib/python3.12/site-packages/labkit.pth"
    assert link.read_bytes().isascii()
    assert (link.parent / link.read_text().strip()).resolve() == clone.folder


@pytest.mark.parametrize("file", ["requirements.lock", "pyproject.toml"])
def test_a_changed_list_is_installed_into_the_same_environment(clone, file):
    clone.setup()
    clone.done()
    with (clone.folder / file).open("a") as out:
        out.write("# changed\n")
    assert clone.setup().returncode == 0
    assert clone.done() == ["packages", "labkit"]
    assert clone.setup().returncode == 0
    assert clone.done() == []


def test_a_date_alone_changes_nothing(clone):
    clone.setup()
    clone.done()
    os.utime(clone.folder / "requirements.lock")
    clone.setup()
    assert clone.done() == []


def test_a_failed_installation_says_so_and_is_done_again_from_the_start(clone):
    (clone.folder / "broken").touch()
    failed = clone.setup()
    assert failed.returncode == 1
    assert "did not finish" in failed.stderr
    assert not (clone.folder / ".venv/ready").exists()
    (clone.folder / "broken").unlink()
    clone.done()
    assert clone.setup().returncode == 0
    assert clone.done() == ALL


@pytest.mark.parametrize("before", [False, True], ids=["the first time", "while updating"])
def test_a_killed_installation_is_done_again_from_the_start(clone, before):
    if before:
        clone.setup()
        (clone.folder / "requirements.lock").write_text("# changed\n")
    (clone.folder / "killed").touch()
    assert clone.setup().returncode not in (0, 1)
    (clone.folder / "killed").unlink()
    clone.done()
    assert clone.setup().returncode == 0
    assert clone.done() == ALL


def test_a_moved_folder_gets_a_new_environment(clone):
    clone.setup()
    clone.done()
    clone.folder = clone.folder.rename(clone.folder.parent / "elsewhere")
    assert clone.setup().returncode == 0
    assert clone.done() == ALL


def test_a_python_that_has_gone_is_replaced(clone):
    clone.setup()
    clone.done()
    (clone.folder / ".venv/bin/python").unlink()
    (clone.folder / ".venv/bin/python").symlink_to("/nowhere/python3.12")
    assert clone.setup().returncode == 0
    assert clone.done() == ALL


def test_an_environment_that_somebody_else_made_here_is_kept(clone):
    (clone.folder / ".venv/bin").mkdir(parents=True)
    (clone.folder / ".venv/bin/python").write_bytes((clone.folder / "bin/python3.12").read_bytes())
    (clone.folder / ".venv/bin/python").chmod(0o755)
    assert clone.setup().returncode == 0
    assert clone.done() == ["packages", "labkit"]


def test_the_newest_fitting_python_is_taken(clone):
    clone.python("3.10", "python3")
    clone.python("3.11", "python3.11")
    clone.python("3.13", "python3.13")
    clone.setup()
    assert clone.done() == ["venv 3.13", "packages", "labkit"]


def test_a_named_python_is_taken_and_replaces_another_version(clone):
    clone.setup()
    clone.done()
    named = clone.python("3.11", "my python")
    assert clone.setup(PYTHON=str(named)).returncode == 0
    assert clone.done() == ["venv 3.11", "packages", "labkit"]
    clone.setup()
    assert clone.done() == [], "without a name, what is there stays"


def test_no_fitting_python_is_a_clear_word_and_leaves_nothing(clone):
    clone.python("3.10")
    failed = clone.setup()
    assert failed.returncode != 0
    assert "3.11 or newer" in failed.stderr and "make lab PYTHON=" in failed.stderr
    assert not (clone.folder / ".venv").exists()


def test_a_named_python_that_is_too_old_is_named(clone):
    old = clone.python("3.10", "old")
    failed = clone.setup(PYTHON=str(old))
    assert failed.returncode != 0
    assert f"PYTHON={old} does not fit" in failed.stderr
    assert not (clone.folder / ".venv").exists()


def test_a_python_without_its_venv_module_is_told_apart(clone):
    path = clone.python("3.12")
    path.write_text('#!/bin/sh\ncase "$*" in *ensurepip*) exit 1 ;; esac\n')
    failed = clone.setup()
    assert failed.returncode != 0
    assert "python3.12 is new enough, but its venv module is missing" in failed.stderr
    assert "apt install python3-venv" in failed.stderr
