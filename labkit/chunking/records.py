"""Chunks as lines of text, to keep them beside a lesson and to build an index from them again (lesson 07).

One JSON object a line, keys sorted, in the order of document, version and place, LF: the same chunks give the same bytes, and a diff shows
which chunk changed.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable

from labkit.chunking.chunk import Chunk
from labkit.errors import BadArgument, LabError

TUPLES = ("sections", "pages", "section_starts", "page_starts")
"""Fields that JSON keeps as lists."""

BREAKS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
"""Line ends to some readers, though not to JSON."""

_FIELDS = frozenset(field.name for field in dataclasses.fields(Chunk))


def chunk_lines(chunks: Iterable[Chunk]) -> str:
    """The chunks as text, a JSON object a line; '' for none. Raises BadArgument for what is no chunk, or for two with one id. Lesson 07."""
    chunks = list(chunks)
    wrong = next((each for each in chunks if not isinstance(each, Chunk)), None)
    if wrong is not None:
        raise BadArgument(f"a line is made of a Chunk, not of a {type(wrong).__name__} — a chunker makes them (by_structure, fixed …)")
    seen: set[str] = set()
    for chunk in chunks:
        if chunk.id in seen:
            raise BadArgument(f"two chunks have the id {chunk.id} — was a document cut twice?")
        seen.add(chunk.id)
    chunks.sort(key=lambda chunk: (chunk.doc_id, chunk.version, chunk.position, chunk.id))
    lines = (json.dumps(dataclasses.asdict(chunk), ensure_ascii=False, sort_keys=True) for chunk in chunks)
    return "".join(line.translate(BREAKS) + "\n" for line in lines)


def chunks_of_lines(text: str, name: str = "chunks") -> list[Chunk]:
    """The chunks of such a text, in its order; `name` is the file's, for messages. Blank lines are passed over. Lesson 07.

    Raises LabError that names the first line which is no chunk.
    """
    chunks = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
            if not isinstance(fields, dict) or set(fields) != _FIELDS:
                raise ValueError("its fields are not those of a chunk")
            chunks.append(Chunk(**{key: tuple(value) if key in TUPLES else value for key, value in fields.items()}))
        except (ValueError, TypeError) as error:
            raise LabError(f"{name}:{number}: is no chunk ({error}) — run lesson 07 again to have it made anew") from None
    return chunks
