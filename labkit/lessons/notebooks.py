"""Notebooks as files: read, written in one fixed form, and solved."""

from __future__ import annotations

import copy
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from labkit.errors import LabError

if TYPE_CHECKING:
    import nbformat

KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}
EXERCISE, PREDICTION, DEPENDS = "exercise", "prediction", "depends-on-exercise"


class NotebookError(LabError):
    """A lesson's notebook is not as the course needs it."""


SLOW = "rfc3987_syntax"  # a grammar of Internet addresses that jsonschema would build on import, in two seconds; no notebook needs it


def library() -> ModuleType:
    """nbformat, imported on first use and without what makes that slow."""
    apart = SLOW not in sys.modules
    if apart:
        sys.modules[SLOW] = None
    try:
        import nbformat
    finally:
        if apart:
            del sys.modules[SLOW]
    return nbformat


def read(path: Path) -> nbformat.NotebookNode:
    """The notebook at `path`. Raises NotebookError that names it."""
    nbformat = library()
    try:
        notebook = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
        nbformat.validate(notebook)
    except FileNotFoundError:
        raise NotebookError(f"{path.name} is not there") from None
    except (OSError, ValueError, TypeError, nbformat.ValidationError, AttributeError, KeyError) as error:
        raise NotebookError(f"{path.name} is no notebook that can be read: {str(error).splitlines()[0]}") from None
    return notebook


def written(notebook: nbformat.NotebookNode) -> str:
    """The notebook's text in the course's one form: keys sorted, one blank of indent, LF, only the metadata that matter.

    The same notebook gives the same text, whoever saved it, so that a diff shows only what changed.
    """
    nbformat = library()
    clean = nbformat.from_dict(copy.deepcopy(notebook))
    clean.metadata = nbformat.from_dict(KERNEL)
    clean.nbformat, clean.nbformat_minor = 4, 5
    for cell in clean.cells:
        tags = sorted(set(cell.metadata.get("tags", [])))
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        cell.source = cell.source.replace("\r\n", "\n").rstrip("\n")
        cell.pop("attachments", None) if not cell.get("attachments") else None
        if cell.cell_type == "code":
            cell.outputs = [_output(each) for each in _joined(cell.outputs)]
    return nbformat.writes(clean, version=4, indent=1, sort_keys=True, ensure_ascii=False).rstrip("\n") + "\n"


def _joined(outputs: list) -> list:
    """Outputs with the pieces of one stream put together: where a stream was broken up depends on timing."""
    out, streams = [], {}
    for each in outputs:
        if each.output_type == "stream":
            if each.name in streams:
                streams[each.name].text += each.text
                continue
            streams[each.name] = each
        out.append(each)
    return out


def _output(output):
    if "transient" in output:
        del output["transient"]
    return output


def solved(notebook: nbformat.NotebookNode, exercises: Mapping) -> nbformat.NotebookNode:
    """A copy with every exercise cell's source replaced by its solution, outputs off. Predictions stay open: a guess is the learner's.

    Raises NotebookError where an exercise has no cell, or a cell no exercise.
    """
    made = copy.deepcopy(notebook)
    wanted = {f"exercise-{name}": each for name, each in exercises.items()}
    found = set()
    for cell in made.cells:
        if cell.cell_type != "code":
            continue
        cell.outputs, cell.execution_count = [], None
        tags = cell.metadata.get("tags", [])
        if cell.id in wanted:
            cell.source = wanted[cell.id].solution
            found.add(cell.id)
        elif EXERCISE in tags:
            raise NotebookError(f"cell {cell.id} is tagged as something to fill in, but the content module has nothing of that name")
    if set(wanted) - found:
        raise NotebookError(f"no cell for {', '.join(sorted(set(wanted) - found))}")
    return made
