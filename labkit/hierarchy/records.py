"""Parents and children as lines of text, so that each is cut once and read back as it was (lesson 11).

One JSON object a line, keys sorted, in the order of document, version and place, LF: the same parents give the same bytes. What is read
back is equal to what was written: blocks, paths, pages and all.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from typing import TypeVar

from labkit.chunking.records import BREAKS, TUPLES
from labkit.errors import BadArgument, LabError
from labkit.hierarchy.children import Child
from labkit.hierarchy.parents import Parent
from labkit.parsing.blocks import Block

Made = TypeVar("Made", Parent, Child)


def parent_lines(parents: Iterable[Parent]) -> str:
    """The parents as text, a JSON object a line; '' for none. Raises BadArgument for what is none, or for two with one id. Lesson 11."""
    return _lines(parents, Parent)


def child_lines(children: Iterable[Child]) -> str:
    """The children as text, a JSON object a line; '' for none. Raises BadArgument for what is none, or for two with one id. Lesson 11."""
    return _lines(children, Child)


def parents_of_lines(text: str, name: str = "parents") -> list[Parent]:
    """The parents of such a text, in its order; `name` is the file's, for messages. Blank lines are passed over. Lesson 11.

    Raises LabError that names the first line which is no parent.
    """
    return _of_lines(text, name, Parent)


def children_of_lines(text: str, name: str = "children") -> list[Child]:
    """The children of such a text, as parents_of_lines reads parents. Lesson 11."""
    return _of_lines(text, name, Child)


def _lines(made: Iterable[Made], kind: type[Made]) -> str:
    made = list(made)
    what = kind.__name__
    seen: set[str] = set()
    for each in made:
        if not isinstance(each, kind):
            raise BadArgument(f"a line is made of a {what}, not of a {type(each).__name__} — parents(…) and children(…) make them")
        if each.id in seen:
            raise BadArgument(f"two of them have the id {each.id} — was a document cut twice?")
        seen.add(each.id)
    made.sort(key=lambda each: (each.doc_id, each.version, each.start, each.id))
    rows = (json.dumps(dataclasses.asdict(each), ensure_ascii=False, sort_keys=True) for each in made)
    return "".join(row.translate(BREAKS) + "\n" for row in rows)


def _of_lines(text: str, name: str, kind: type[Made]) -> list[Made]:
    made = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
            if not isinstance(fields, dict) or set(fields) != {field.name for field in dataclasses.fields(kind)}:
                raise ValueError(f"its fields are not those of a {kind.__name__.lower()}")
            made.append(kind(**{key: _restored(key, value) for key, value in fields.items()}))
        except (ValueError, TypeError, AttributeError) as error:
            raise LabError(f"{name}:{number}: is no {kind.__name__.lower()} ({error}) — have it made anew from the document") from None
    return made


def _restored(key: str, value):
    if key == "blocks":
        return tuple(Block(**block) for block in value)
    return tuple(value) if key in TUPLES else value
