"""A learner's notebook as it stands on the disk: read without trust, without following a link, and without running anything.

What nbformat would refuse (two cells with one id, a cell without an id, odd types) is read as far as it goes: a learner's notebook may be
all of that and still hold their work.
"""

from __future__ import annotations

import ast
import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from labkit.errors import LabError
from labkit.lessons.answers import digest
from labkit.lessons.inside import NotInside, is_link, place
from labkit.lessons.texts import sentence

LARGEST = 16 * 1024 * 1024  # bytes; a lesson's notebook with all its pictures has about one
_CONFLICT = re.compile(rb"^(<{7}|={7}|>{7})(?: |\r?$)", re.MULTILINE)


class NotANotebook(LabError):
    """Bytes that are no notebook; the message is one clause that says what they are instead."""


@dataclass(frozen=True)
class LearnerCell:
    """One cell. `place` is 1-based, from the top, over all cells; `count` is the number that JupyterLab shows in front of it, None where it
    was not run since it was opened. `outputs` are the raw ones, of whatever type: look before you use them. `source` has LF throughout."""

    place: int
    id: str
    kind: str
    source: str
    outputs: list = field(default_factory=list, repr=False, compare=False)
    count: int | None = None
    tags: tuple[str, ...] = ()

    @property
    def is_code(self) -> bool:
        """Is it a code cell?"""
        return self.kind == "code"

    @property
    def digest(self) -> str:
        """The digest of the source, as a recorded answer carries it."""
        return digest(self.source)

    @property
    def name(self) -> str:
        """How a message calls the cell: by its id where that says something, else by its place."""
        telling = re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.id) and not re.fullmatch(r"[0-9a-f]{8}|[0-9a-f-]{20,}|cell-?\d*", self.id)
        return sentence("classroom", "cell.by_id", id=self.id) if telling else sentence("classroom", "cell.by_place", place=self.place)

    def asks_for(self, exercise: str) -> bool:
        """Does the cell call `lesson.check("<exercise>", …)`? A comment does not count."""
        return exercise in checks_in(self.source)


def read_cells(folder: Path, name: str, largest: int = LARGEST) -> tuple[LearnerCell, ...]:
    """The cells of the notebook `name` in `folder`.

    Raises NotANotebook with one clause that says what is wrong: a link, no plain file, not readable, too large, empty, a merge conflict,
    no JSON, no list of cells.
    """
    return parse(read_bytes(folder, name, largest))


def read_bytes(folder: Path, name: str, largest: int = LARGEST) -> bytes:
    """The bytes of a plain file inside `folder`. Raises NotANotebook. Neither a link nor a pipe that never ends can hold it up."""
    try:
        path = place(folder, name)
    except NotInside:
        raise NotANotebook(sentence("classroom", "notebook.link" if _linked(folder, name) else "notebook.special")) from None
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
        with open(handle, "rb") as file:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                raise NotANotebook(sentence("classroom", "notebook.special"))
            data = file.read(largest + 1)
    except OSError as error:
        raise NotANotebook(sentence("classroom", "notebook.unreadable", reason=error.strerror or type(error).__name__)) from None
    if len(data) > largest:
        raise NotANotebook(sentence("tools", "notebook.large", size=f"{max(found.st_size, len(data)) / 1_000_000:.0f}"))
    return data


def _linked(folder: Path, name: str) -> bool:
    path = Path(folder)
    return is_link(path) or any(is_link(path := path / part) for part in name.split("/"))


def parse(data: bytes) -> tuple[LearnerCell, ...]:
    """The cells in a notebook's bytes, in order.

    Raises NotANotebook: empty, not UTF-8, no JSON, a merge conflict, the form of before 2015 (nbformat 3), no list of cells.
    """
    if not data.strip():
        raise NotANotebook(sentence("tools", "notebook.empty"))
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError, MemoryError):
        key = "conflict" if len(set(_CONFLICT.findall(data))) > 1 else "not_json"
        raise NotANotebook(sentence("tools", f"notebook.{key}")) from None
    cells = found.get("cells") if isinstance(found, dict) else None
    if not isinstance(cells, list) or not all(isinstance(each, dict) for each in cells):
        old = isinstance(found, dict) and cells is None and isinstance(found.get("worksheets"), list)
        raise NotANotebook(sentence("tools", "notebook.old" if old else "notebook.no_cells"))
    return tuple(_cell(number, each) for number, each in enumerate(cells, start=1))


def _cell(number: int, raw: Mapping) -> LearnerCell:
    id_, source, outputs, count = raw.get("id"), raw.get("source"), raw.get("outputs"), raw.get("execution_count")
    metadata = raw.get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    if isinstance(source, list):
        source = "".join(each for each in source if isinstance(each, str))
    return LearnerCell(
        number,
        id_ if isinstance(id_, str) else "",
        raw["cell_type"] if isinstance(raw.get("cell_type"), str) else "",
        source.replace("\r\n", "\n") if isinstance(source, str) else "",
        outputs if isinstance(outputs, list) else [],
        count if isinstance(count, int) and not isinstance(count, bool) else None,
        tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
    )


# what stands in a source


def checks_in(source: str) -> set[str]:
    """The names of the exercises that a source hands to `lesson.check`."""
    if ".check" not in source:
        return set()
    tree = _parsed(source)
    if tree is None:  # not Python yet, or with magic commands: line by line, comments apart
        lines = [line for line in source.split("\n") if not line.lstrip().startswith("#")]
        return {name for _, name in re.findall(r"\.check\(\s*(?:name\s*=\s*)?(['\"])([\w-]{1,80})\1", "\n".join(lines))}
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "check":
            given = [*node.args[:1], *(each.value for each in node.keywords if each.arg == "name")]
            names |= {each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)}
    return names


def made_in(source: str) -> set[str]:
    """The names that a source makes at its outermost level: assigned, defined, imported, looped over."""
    tree = _parsed(source)
    if tree is None:
        return set()
    names: set[str] = set()
    waiting = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        if not isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            waiting.extend(ast.iter_child_nodes(node))
    return names


def _parsed(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
