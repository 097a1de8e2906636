"""Proves that what is recorded still holds: outputs by nbval, states byte by byte, and each snapshot beside its lesson.

Every finding is a sentence that names the lesson, the cell or the file, and the command that mends it. No finding: it holds.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from labkit.errors import LabError
from labkit.lessons import catalogue, notebooks
from labkit.lessons.notebooks import DEPENDS, EXERCISE
from labkit.lessons.recording import STATE_VARIABLE, files_of, private_environment, state_before, tidy
from labkit.lessons.rules import statuses
from labkit.lessons.workfolder import STATE

MEND = "if the change is meant: make record"
_REPORT = "LABKIT_NBVAL_REPORT"


def nbval(path: Path, environment: dict) -> list[dict]:
    """Runs one notebook under `pytest --nbval`, strictly: nothing sanitised, nothing skipped, warnings kept.

    Returns a dict a cell that does not hold: id, what. A cell that was not compared counts as one.
    """
    with tempfile.TemporaryDirectory(prefix="labkit-nbval-") as folder:
        empty, report = Path(folder) / "sanitize.cfg", Path(folder) / "report.json"
        empty.write_text("", encoding="utf-8")
        options = ["--nbval", "--nbval-current-env", "--nbval-sanitize-with", str(empty), "--nbval-cell-timeout", "120"]
        plain = ["-c", os.devnull, "--rootdir", str(path.parent), "-p", "no:cacheprovider"]
        environment = environment | {_REPORT: str(report), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # other plugins only cost time
        command = [sys.executable, "-m", "pytest", "-q", "--color=no", "-p", "labkit.lessons.proof", "-p", "nbval.plugin"]
        done = subprocess.run(
            [*command, *options, *plain, str(path)],
            env=environment, cwd=path.parent, capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip
        try:
            found = json.loads(report.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return [{"id": "?", "what": "nbval did not run: " + (done.stderr or done.stdout).strip()[-600:]}]
    cells = [cell.id for cell in notebooks.read(path).cells if cell.cell_type == "code"]
    broken = [{"id": name, "what": found[name] or ""} for name in cells if name in found and found[name] != "passed"]
    return broken + [{"id": name, "what": "was not compared"} for name in cells if name not in found]


# this module is also the pytest plugin of the run above

if os.environ.get(_REPORT):
    sys.modules.setdefault(notebooks.SLOW, None)

_found: dict[str, str] = {}


def pytest_runtest_logreport(report):
    name = dict(report.user_properties).get("cell")
    if name and (report.failed or report.when == "call"):
        _found[name] = "passed" if report.passed else "was skipped" if report.skipped else _short(str(report.longrepr))


def pytest_collection_modifyitems(items):
    for item in items:
        cell = getattr(item, "cell", None)
        if cell is not None:  # nbval's numbers change from release to release; ids do not
            item.user_properties.append(("cell", cell.id))


def pytest_sessionfinish():
    if os.environ.get(_REPORT):
        Path(os.environ[_REPORT]).write_text(json.dumps(_found), encoding="utf-8")


def _short(text: str) -> str:
    """nbval's report without the cell's source: what differs."""
    for mark in ("Traceback:\n", "Input:\n"):
        if mark in text:
            text = text.partition(mark)[2]
    lines = [line.rstrip() for line in text.split("\n") if line.strip()]
    return "\n".join(lines[:20])


def unsolved_faults(row: catalogue.Row, course: Path) -> list[str]:
    """Does the lesson, as a learner finds it, still give its recorded outputs, on the state of the snapshot before it?"""
    path = course / "notebooks" / row.notebook
    if not path.is_file():
        return [f"lesson {row.number}: notebooks/{row.notebook} is not there"]
    with private_environment() as environment:
        broken = nbval(path, environment)
    return [f"lesson {row.number}, cell {each['id']}: {each['what']}\n{MEND}" for each in broken]


def snapshot_faults(row: catalogue.Row, course: Path) -> list[str]:
    """Does the solved lesson, run on the state of the snapshot before it, give its recorded outputs and leave exactly its state?"""
    folder = course / "snapshots" / row.name
    path = folder / row.notebook
    where = f"lesson {row.number}, snapshot"
    if not path.is_file():
        return [f"{where}: snapshots/{row.name}/{row.notebook} is not there\nmend it: make record"]
    with private_environment() as environment, tempfile.TemporaryDirectory(prefix="labkit-state-") as state:
        earlier = state_before(row, course, {})
        if earlier is not None:
            shutil.copytree(earlier, state, dirs_exist_ok=True)
        broken = nbval(path, environment | {STATE_VARIABLE: state})
        tidy(Path(state))
        left = files_of(Path(state))
    found = [f"{where}, cell {each['id']}: {each['what']}\n{MEND}" for each in broken]
    recorded = files_of(folder / STATE)
    for name in sorted(set(left) | set(recorded)):
        file = f"{STATE}/{name}"
        if name not in recorded:
            found.append(f"{where}: the lesson leaves {file}, which the snapshot does not have\n{MEND}")
        elif name not in left:
            found.append(f"{where}: {file} stands in the snapshot, and the lesson does not leave it\n{MEND}")
        elif left[name] != recorded[name]:
            found.append(f"{where}: {file} differs from what the lesson leaves, {_first_difference(recorded[name], left[name])}\n{MEND}")
    return found


def _first_difference(recorded: bytes, left: bytes) -> str:
    old, new = recorded.split(b"\n"), left.split(b"\n")
    for number, (a, b) in enumerate(zip(old, new, strict=False), 1):
        if a != b:
            return f"line {number}: recorded {a.decode(errors='replace')[:80]!r}, now {b.decode(errors='replace')[:80]!r}"
    return f"recorded {len(old)} lines, now {len(new)}"


def pair_faults(row: catalogue.Row, course: Path) -> list[str]:
    """Are the lesson and its snapshot one notebook: the same sources but for what a learner fills in (there the solutions as they stand
    in labkit), the same outputs but for those and the cells tagged as depending on them?"""
    try:
        unsolved = notebooks.read(course / "notebooks" / row.notebook)
        solved = notebooks.read(course / "snapshots" / row.name / row.notebook)
        ready = notebooks.solved(unsolved, row.exercises())
    except LabError as error:
        return [f"lesson {row.number}: {error}\nmend it: make record"]
    where = f"lesson {row.number}"
    if [cell.id for cell in unsolved.cells] != [cell.id for cell in solved.cells]:
        return [f"{where}: the snapshot has other cells than the notebook\n{MEND}"]
    found = []
    for mine, theirs, wanted in zip(unsolved.cells, solved.cells, ready.cells, strict=True):
        cell = f"{where}, cell {mine.id}"
        tags = set(mine.metadata.get("tags", []))
        if theirs.source != wanted.source.rstrip("\n"):
            what = "is not the solution in labkit" if tags & {EXERCISE} else "is not the notebook's"
            found.append(f"{cell}: the source in the snapshot {what}\n{MEND}")
        if theirs.metadata.get("tags", []) != mine.metadata.get("tags", []):
            found.append(f"{cell}: other tags in the snapshot\n{MEND}")
        if mine.cell_type == "code" and not tags & {EXERCISE, DEPENDS} and mine.outputs != theirs.outputs:
            todo = f"if it depends on an exercise, tag it {DEPENDS}; then: make record"
            found.append(f"{cell}: solved and unsolved give different outputs\n{todo}")
    for notebook, status in ((unsolved, "not attempted"), (solved, "correct")):
        for name in row.exercises():
            recorded = statuses(notebook).get(name)
            if recorded != status:
                found.append(f"{where}, cell exercise-{name}: records {recorded!r}, not {status!r}\nmend it: make record")
    return found
