"""The chunks of one chunker, with everything that is known of them, for another system (lesson 15).

JSON Lines: one object a chunk, in the order of the inventory and of the text. `passage` is what to index, `id` stays the same while
document, chunker and place stay, `citation` is what to show with an answer, and `access` is who may see it: a system that forgets the last
one shows staff text to everybody.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from labkit.errors import BadArgument, LabError
from labkit.own.material import Material, load_documents, speaks
from labkit.own.reporting import prepared, unreadable
from labkit.own.settings import Settings, load_settings
from labkit.own.work import chunks_file, chunks_in, load
from labkit.retrieval.citation import Citation
from labkit.retrieval.passage_search import READERS
from labkit.stages import Progress

_BREAKS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}  # line ends to some readers, though not to JSON


def export(
    folder: Path | str,
    chunker: str | None = None,
    progress: Progress | None = None,
    unread: Callable[[list[dict]], None] = lambda rows: None,
) -> Iterator[str]:
    """A line for each chunk that the settings' reader may see, in the settings' language. `chunker`: the name that it has in labkit.toml;
    None: the first one. `unread` is told what of the documents could not be read, and so is in no line. No question is needed.

    Raises BadArgument for a chunker that there is not, and as `make_report`.
    """
    folder = Path(folder)
    settings = load_settings(folder)
    place = _place(settings, chunker)
    material = Material(folder, load_documents(folder), (), ())
    with prepared(material, settings, progress) as work:
        folders = work.run(last="cut")
        unread(unreadable(load(folders["read"] / "documents.json")))
        rows = load(folders["cut"] / "readings.json")[place - 1]
        if rows["failed"]:
            first = rows["failed"][0]
            raise LabError(
                f"{settings.chunkers[place - 1].name} could not cut {len(rows['failed'])} of the documents, the first of them "
                f"{first['doc_id']}@v{first['version']}: {first['what']} — mend the chunker, or choose another with --chunker"
            )
        yield from _lines(material, settings, place, folders)


def _place(settings: Settings, chunker: str | None) -> int:
    names = [each.name for each in settings.chunkers]
    if chunker is None:
        return 1
    if chunker not in names:
        raise BadArgument(f"there is no chunker {chunker!r} in the settings — there are {', '.join(names)}")
    return names.index(chunker) + 1


def _lines(material: Material, settings: Settings, place: int, folders: dict[str, Path]) -> Iterator[str]:
    labels = READERS[settings.access]
    by_name = {(each.doc_id, each.version): each for each in material.documents}
    pages = _page_labels(folders["read"])
    for chunk in chunks_in(folders["cut"] / chunks_file(place)):
        if chunk.access not in labels or not speaks(chunk.language, settings.language):
            continue
        document = by_name[chunk.doc_id, chunk.version]
        last = document.effective_to
        line = {
            "id": chunk.id, "doc_id": chunk.doc_id, "version": chunk.version, "title": document.title, "file": document.file,
            "effective_from": str(document.effective_from), "effective_to": None if last is None else str(last),
            "owner": document.owner, "access": chunk.access, "language": chunk.language, "doc_type": document.doc_type,
            "format": document.format, "chunker": str(settings.chunkers[place - 1].chunker), "position": chunk.position,
            "sections": list(chunk.sections), "pages": list(chunk.pages), "start": chunk.start, "end": chunk.end, "words": chunk.words,
            "over_limit": chunk.over_limit,
            "citation": str(Citation.of(chunk, document.title, pages.get((chunk.doc_id, chunk.version), {}))),
            "context": chunk.context, "text": chunk.text, "passage": chunk.passage,
        }  # fmt: skip
        yield json.dumps(line, ensure_ascii=False).translate(_BREAKS) + "\n"


def _page_labels(read: Path) -> dict[tuple[str, str], dict[int, str]]:
    """What is printed on the pages of each document, where that is something else than their numbers."""
    rows = load(read / "documents.json")
    return {(row["doc_id"], row["version"]): {int(page): label for page, label in row["page_labels"].items()} for row in rows}
