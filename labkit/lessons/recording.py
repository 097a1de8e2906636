"""Runs the lessons and writes what they give: outputs into notebooks/, and the end state of each into snapshots/.

One source: the notebook and the solutions in its content module. The solved notebooks run one after another, since each starts from the
state that the one before left; the unsolved ones then run side by side. All or nothing: if a cell fails, every file stays as it was.
A second run changes no byte.

`python -m labkit.lessons.recording [--lesson 03 …]`
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from labkit.errors import LabError
from labkit.files import write_atomically
from labkit.lessons import catalogue, notebooks
from labkit.lessons.rules import statuses
from labkit.lessons.session import VARIABLE as STATE_VARIABLE
from labkit.lessons.workfolder import STATE

CELL_SECONDS = 120  # a lesson's cells take under 5; this only ends one that hangs
WORKERS = 2
_NOT_HANDED_ON = (
    "MPLBACKEND",
    "PYTHONDONTWRITEBYTECODE",  # each kernel would compile all of pandas for itself, and throw it away
    "PYTHONHASHSEED",
    "PYTHONSTARTUP",
    "PYTHONWARNINGS",
    "LABKIT_DEBUG",
    "LABKIT_LANGUAGE",
)


class RecordingError(LabError):
    """A cell failed, or a solution did not come out correct. Nothing was written."""


@contextlib.contextmanager
def private_environment():
    """Environment variables for kernels that read nobody's own settings and give the same everywhere: a mapping."""
    with tempfile.TemporaryDirectory(prefix="labkit-kernel-") as folder:
        own = {name: str(Path(folder) / name.lower()) for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "MPLCONFIGDIR")}
        for each in own.values():
            Path(each).mkdir()
        environment = os.environ | own | {"TZ": "UTC", "LC_ALL": "C.UTF-8", "LANG": "C.UTF-8"}
        for name in (*_NOT_HANDED_ON, STATE_VARIABLE):
            environment.pop(name, None)
        yield environment


def execute(notebook, folder: Path, environment: dict, label: str):
    """Runs `notebook` in a fresh kernel of this very Python, in `folder`; returns it with its outputs.

    Raises RecordingError that names the lesson (`label`), the cell and its error.
    """
    nbformat = notebooks.library()
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    from labkit.lessons import kernel

    current = {"cell": "?"}
    made = nbformat.from_dict(notebook)
    for cell in made.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    manager = kernel.manager(AsyncKernelManager)
    client = NotebookClient(
        made,
        km=manager,
        timeout=CELL_SECONDS,
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
        on_cell_start=lambda cell, cell_index: current.update(cell=cell.id),
    )
    try:
        # stderr: the kernel's own chatter; a cell's warnings are outputs. A manager of our own is ours to end, and its kernel with it.
        client.execute(env=environment, stderr=subprocess.DEVNULL, cleanup_kc=True)
    except CellExecutionError as error:
        said = f"{error.ename}: {error.evalue}"
        raise RecordingError(f"{label}, cell {current['cell']}: {said}") from None
    except CellTimeoutError:
        raise RecordingError(f"{label}, cell {current['cell']}: did not end within {CELL_SECONDS} seconds") from None
    except DeadKernelError:
        raise RecordingError(f"{label}, cell {current['cell']}: Python itself ended there") from None
    return made


@dataclass(frozen=True)
class Made:
    """What one lesson gave: the text of its notebook, of its solved notebook, and the folder with the state that it leaves."""

    row: catalogue.Row
    unsolved: str
    solved: str
    state: Path


def run_solved(row: catalogue.Row, course: Path, state: Path, environment: dict):
    """Runs lesson `row` solved, in place on `state`; returns the notebook with outputs. Every check must say correct."""
    source = notebooks.read(course / "notebooks" / row.notebook)
    ready = notebooks.solved(source, row.exercises())
    label = f"lesson {row.number}, solved"
    done = execute(ready, course / "notebooks", environment | {STATE_VARIABLE: str(state)}, label)
    found = statuses(done)
    for name in row.exercises():
        if found.get(name) != "correct":
            raise RecordingError(f"{label}, cell exercise-{name}: its check says {found.get(name, 'nothing')!r}, not 'correct'")
    return done


def run_unsolved(row: catalogue.Row, course: Path, state: Path, environment: dict):
    """Runs lesson `row` as the learner finds it, on a copy of `state`; returns the notebook with outputs."""
    source = notebooks.read(course / "notebooks" / row.notebook)
    label = f"lesson {row.number}"
    with tempfile.TemporaryDirectory(prefix="labkit-state-") as copy:
        shutil.copytree(state, copy, dirs_exist_ok=True)
        done = execute(source, course / "notebooks", environment | {STATE_VARIABLE: copy}, label)
    found = statuses(done)
    for name in row.exercises():
        if found.get(name) != "not attempted":
            raise RecordingError(f"{label}, cell exercise-{name}: its check says {found.get(name, 'nothing')!r}, not 'not attempted'")
    return done


def make(course: Path, rows: Iterable[catalogue.Row], folder: Path, say: Callable[[str], None] = lambda text: None) -> list[Made]:
    """Runs `rows` and lays what they give under `folder`; touches nothing in the course. Raises RecordingError at the first that fails."""
    rows = list(rows)
    ended, started, states = {}, {}, {}
    with private_environment() as environment, ThreadPoolExecutor(WORKERS) as pool:
        waiting = {}
        try:
            for row in rows:
                began = time.monotonic()
                state = folder / row.name / STATE
                state.mkdir(parents=True)
                started[row.number] = folder / row.name / "start"
                started[row.number].mkdir()
                earlier = state_before(row, course, states)
                if earlier is not None:
                    shutil.copytree(earlier, state, dirs_exist_ok=True)
                    shutil.copytree(earlier, started[row.number], dirs_exist_ok=True)
                # the unsolved one needs only the state that this lesson starts from: it may run meanwhile
                waiting[pool.submit(run_unsolved, row, course, started[row.number], environment)] = row
                ended[row.number] = notebooks.written(run_solved(row, course, state, environment))
                tidy(state)
                states[row.number] = state
                say(f"lesson {row.number}: solved, {time.monotonic() - began:.1f} s")
            unsolved = {}
            for job in as_completed(waiting):
                row = waiting[job]
                unsolved[row.number] = notebooks.written(job.result())
                say(f"lesson {row.number}: unsolved")
        except BaseException:
            for job in waiting:
                job.cancel()
            raise
    return [Made(row, unsolved[row.number], ended[row.number], states[row.number]) for row in rows]


def state_before(row: catalogue.Row, course: Path, made: dict[str, Path]) -> Path | None:
    """The state that a lesson starts from: of this run where it was made, else of the snapshot; None for an empty one."""
    earlier = catalogue.before(row.number)
    if earlier is None:
        return None
    if earlier.number in made:
        return made[earlier.number]
    folder = course / "snapshots" / earlier.name / STATE
    return folder if folder.is_dir() else None


def tidy(state: Path) -> None:
    """Takes out what belongs to no state: caches, and folders that are empty (git would not keep them)."""
    for cache in [*state.rglob("__pycache__"), *state.rglob(".pytest_cache"), *state.rglob(".ipynb_checkpoints")]:
        shutil.rmtree(cache, ignore_errors=True)
    for folder in sorted((path for path in state.rglob("*") if path.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()


def files_of(folder: Path) -> dict[str, bytes]:
    """Relative name -> bytes, of all files of a folder; empty where there is none."""
    if not folder.is_dir():
        return {}
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def lay(course: Path, made: Iterable[Made]) -> list[str]:
    """Writes what was made into notebooks/ and snapshots/; returns the names of the files that changed."""
    changed = []

    def put(path: Path, content: bytes) -> None:
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, content)
            changed.append(path.relative_to(course).as_posix())

    for each in made:
        put(course / "notebooks" / each.row.notebook, each.unsolved.encode())
        snapshot = course / "snapshots" / each.row.name
        put(snapshot / each.row.notebook, each.solved.encode())
        state = files_of(each.state)
        for name, content in state.items():
            put(snapshot / STATE / name, content)
        for name in files_of(snapshot / STATE):
            if name not in state:
                (snapshot / STATE / name).unlink()
                changed.append((snapshot / STATE / name).relative_to(course).as_posix())
        tidy(snapshot / STATE) if (snapshot / STATE).is_dir() else None
    return changed


def record(course: Path, numbers: Iterable[str] = (), say: Callable[[str], None] = lambda text: None) -> list[str]:
    """Records the lessons with these numbers (none: all that have a notebook). Returns the files that changed.

    Raises RecordingError where a cell fails or a check does not say what it should; then nothing was written.
    """
    numbers = {catalogue.row(number).number for number in numbers}
    rows = [row for row in catalogue.lessons() if (row.number in numbers if numbers else (course / "notebooks" / row.notebook).is_file())]
    if not rows:
        raise RecordingError(f"no lesson to record: there is no notebook of the catalogue in {course / 'notebooks'}")
    with tempfile.TemporaryDirectory(prefix="labkit-record-") as folder:
        changed = lay(course, make(course, rows, Path(folder), say))
    later = [row for row in catalogue.lessons() if row.number > rows[-1].number and (course / "notebooks" / row.notebook).is_file()]
    if numbers and later and any(f"/{STATE}/" in name for name in changed):
        say(f"the state changed: record the lessons from {later[0].number} on as well")
    return changed


def main(arguments: list[str] | None = None) -> int:
    """`make record`: prints progress and what changed; 0, or 1 where nothing was written."""
    from labkit.course import course_folder

    parser = argparse.ArgumentParser(prog="python -m labkit.lessons.recording", description="Runs every lesson and records what it gives.")
    parser.add_argument("--lesson", action="append", default=[], metavar="NN", help="only this lesson (may be repeated)")
    wanted = parser.parse_args(arguments).lesson
    try:
        changed = record(course_folder(), wanted, say=lambda text: print(text, flush=True))
    except LabError as error:
        print(f"{error}\nNothing was written.", file=sys.stderr)
        return 1
    print("\n".join(f"changed: {name}" for name in changed) or "nothing changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
