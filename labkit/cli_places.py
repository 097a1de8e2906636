"""Where the commands for a learner work: the course, the work folder, the lesson that was named."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from labkit.cli_printing import complain
from labkit.errors import BadArgument, CourseNotFound, LabError

if TYPE_CHECKING:
    from labkit.lessons.catalogue import Row

Into = Annotated[Path | None, typer.Option("--into", help="The work folder (default: the one you are in, else work/ of the course).")]
Lesson = Annotated[str, typer.Argument(metavar="NN", help="The lesson's number, as 03.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for a script.")]


def course() -> Path:
    """The course's folder. Raises CourseNotFound."""
    from labkit.course import course_folder

    return course_folder()


def course_if_there() -> Path | None:
    """The course's folder; None where there is none beside."""
    try:
        return course()
    except CourseNotFound:
        return None


def lesson_row(number: str) -> Row:
    """The lesson that was named. Raises BadArgument, which lists what there is."""
    from labkit.lessons import catalogue

    try:
        return catalogue.row(number)
    except LabError as error:
        raise BadArgument(str(error)) from None


def named_folder(into: Path | None) -> Path:
    """The folder named, else the work folder that we are in, else work/ of the course; it need not be there."""
    from labkit.lessons.workfolder import is_work_folder

    if into is not None:
        return into
    here = Path.cwd()
    for folder in (here, *here.parents):
        if is_work_folder(folder):
            return folder
    return course() / "work"


def work_folder(into: Path | None) -> Path:
    """The same, checked: a work folder, and no link. Raises WorkFolderError, NotInside."""
    from labkit.lessons.reset import check_work_folder

    return check_work_folder(named_folder(into))


def shown(folder: Path) -> str:
    """A folder as a person would type it from here."""
    try:
        return f"{folder.relative_to(Path.cwd())}{os.sep}"
    except ValueError:
        return f"{folder}{os.sep}"


def finish_interrupted(work: Path | None = None) -> None:
    """For the start of every command: what an interrupted reset left in the work folder is finished or taken back, and said on stderr."""
    try:
        folder = named_folder(work)
        if not (folder.parent / f"{folder.name}-backups").is_dir():
            return
        from labkit.lessons import journal

        for text in journal.recover(folder):
            complain(text)
    except CourseNotFound:
        return
    except LabError as error:
        complain(str(error))
