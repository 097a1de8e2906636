"""The learner's own folder: made once, filled with lessons, never written over.

A folder is a work folder because of its marker file, not because of its name.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from labkit.errors import LabError
from labkit.files import write_atomically
from labkit.lessons import catalogue, editions

MARKER = ".labkit-work.json"
STATE = "state"


class WorkFolderError(LabError):
    """A folder cannot serve as a work folder, or a lesson cannot be laid into it."""


@dataclass
class Opened:
    """What `open_lessons` did: names of the notebooks laid in, and of those that were there already and stayed as they were."""

    copied: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def is_work_folder(folder: Path) -> bool:
    """Does the marker stand in it? (As a plain file: a link does not count.)"""
    marker = folder / MARKER
    return marker.is_file() and not marker.is_symlink()


def make_work_folder(folder: Path | str) -> Path:
    """Makes `folder` (and its parents) a work folder, or leaves it alone where it is one. Returns it.

    Raises WorkFolderError for a link, for something that is no folder, and for a folder that holds other things already.
    """
    folder = Path(folder)
    if folder.is_symlink():
        raise WorkFolderError(f"{folder} is a link to another place — name a folder of its own, so that nothing elsewhere is written to")
    if folder.exists() and not folder.is_dir():
        raise WorkFolderError(f"{folder} is a file, not a folder — move it away or name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if is_work_folder(folder):
            return folder
        if any(each.name not in (MARKER, ".ipynb_checkpoints", ".DS_Store") for each in folder.iterdir()):
            raise WorkFolderError(f"{folder} holds other things and no {MARKER} — name an empty folder, or one that is not there yet")
        from labkit import __version__

        content = json.dumps({"what": "a learner's folder of the retrieval workbook", "made_with": __version__}, indent=2) + "\n"
        write_atomically(folder / MARKER, content)
    except OSError as error:
        raise WorkFolderError(f"{folder} cannot be written to ({error.strerror}) — free some space or name another folder") from None
    return folder


def without_outputs(text: str) -> str:
    """A notebook's JSON without outputs and counts, since a recorded result would spoil the prediction."""
    from labkit.lessons.notebooks import library, written

    notebook = library().reads(text, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return written(notebook)


def open_lessons(work: Path | str, notebooks: Path | str, numbers: list[str] | None = None) -> Opened:
    """Lays the lessons that are not there yet into `work`, without outputs; overwrites nothing, follows no link.

    `notebooks` is the course's folder of lessons; `numbers` limits it to some of them (None: all that exist). Raises WorkFolderError.
    """
    work, notebooks = Path(work), Path(notebooks)
    if work.is_symlink() or not is_work_folder(work):
        raise WorkFolderError(f"{work} is no work folder yet — `labkit open` makes one")
    rows = [catalogue.row(number) for number in numbers] if numbers is not None else catalogue.lessons()
    done = Opened()
    for row in rows:
        source, target = notebooks / row.notebook, work / row.notebook
        if not source.is_file():
            if numbers is not None:
                raise WorkFolderError(f"{source} is not there — is the course complete? (git status tells)")
            continue
        try:
            text = source.read_text(encoding="utf-8")
            laid = write_atomically(target, without_outputs(text), overwrite=False)
            if laid:
                editions.note(work, row.number, text.encode("utf-8"))
        except OSError as error:
            todo = "free some space, or check who may write there"
            raise WorkFolderError(f"{target} cannot be written ({error.strerror}) — {todo}") from None
        except ValueError as error:
            raise WorkFolderError(f"{source} is no notebook: {error}") from None
        (done.copied if laid else done.kept).append(row.notebook)
    return done
