"""Where the course's own data stand: the folder that holds corpus/ and questions/.

labkit works without the course beside it; only the defaults (`load_inventory()` without a folder, and so on) need this.
"""

from __future__ import annotations

import os
from pathlib import Path

from labkit.errors import CourseNotFound

VARIABLE = "LABKIT_COURSE"
MARKS = ("corpus/larkfield/inventory.csv", "questions/larkfield.jsonl")


def _is_course(folder: Path) -> bool:
    return all((folder / mark).is_file() for mark in MARKS)


def course_folder(start: Path | str | None = None) -> Path:
    """The course's folder: LABKIT_COURSE where it is set, else the first one that fits from `start` (default: the current folder) upwards,
    else the checkout that labkit itself was installed from.

    Raises CourseNotFound with what to do next.
    """
    named = os.environ.get(VARIABLE)
    if named:
        folder = Path(named).expanduser()
        if _is_course(folder):
            return folder.resolve()
        raise CourseNotFound(
            f"{VARIABLE} names {named}, but there is no course in it ({MARKS[0]} and {MARKS[1]} are needed) — "
            f"point it at the folder that holds the README, or unset it"
        )
    here = Path(start) if start is not None else Path.cwd()
    for folder in (here.resolve(), *here.resolve().parents, Path(__file__).resolve().parent.parent):
        if _is_course(folder):
            return folder
    raise CourseNotFound(
        f"no course found from {here} upwards — start in the folder of the course (the one with the README), "
        f"or set {VARIABLE} to it; your own documents need no course: name their folder"
    )
