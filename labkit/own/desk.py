"""A folder on the desk: its documents read, cut in every configured way, and searchable in every configured way (lesson 15).

For the commands that ask a handful of things and keep nothing: `labkit label` and `labkit validate`. All of it is in memory; only what
was read of the documents is kept, where a report keeps it too, so that nobody reads a long PDF twice. A report works in stages instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from labkit.collection import Document
from labkit.errors import DocumentError, LabError
from labkit.own.material import parsed, speaks
from labkit.own.methods import Method, methods_of
from labkit.own.searching import SearchEngine
from labkit.own.settings import ChunkerSetting, SearchSetting, Settings
from labkit.parsing.blocks import ParsedDocument
from labkit.passages import Passage
from labkit.retrieval.passage_search import READERS

KEPT = ".labkit"

Find = Callable[[object, int], list[Passage]]
"""(question, k) → its passages in rank order, best first."""

Progress = Callable[[str, int, int], None]
"""Called as (what is done, how many are, of how many)."""


@dataclass(frozen=True)
class Desk:
    """What lies on the desk. `documents` are the rows of the inventory that the settings' reader may see, in the settings' language;
    `editions` those that could be read, by (doc_id, version); `aside` (file, reason) of what could not be read, or not be cut. `chunks`
    holds, by the chunker's name, the chunks of each edition; `find`, by the method's name, its search."""

    settings: Settings
    documents: tuple[Document, ...]
    editions: dict[tuple[str, str], ParsedDocument] = field(repr=False)
    aside: tuple[tuple[str, str], ...]
    chunks: dict[str, dict[tuple[str, str], list[Passage]]] = field(repr=False)
    methods: tuple[Method, ...]
    find: dict[str, Find] = field(repr=False)

    def rankings(self, question, k: int | None = None) -> list[list[Passage]]:
        """What each method brings for a question: its first k (None: the settings' k)."""
        return [self.find[method.name](question, self.settings.k if k is None else k) for method in self.methods]


def kept(folder: Path) -> Path | None:
    """Where what was read is kept; None in a folder that cannot be written to, or where a link would lead elsewhere."""
    place = folder / KEPT / "kept"
    try:
        if (folder / KEPT).is_symlink() or place.is_symlink():
            return None
        place.mkdir(parents=True, exist_ok=True)
        return place
    except OSError:
        return None


def lay_out(folder: Path, documents: Iterable[Document], settings: Settings, progress: Progress | None = None) -> Desk:
    """Reads, cuts and indexes. What cannot be read, or cut by a chunker of the practitioner's own, is set aside, and the rest goes on."""
    tell = progress or (lambda what, done, of: None)
    chosen = [each for each in documents if each.access in READERS[settings.access] and speaks(each.language, settings.language)]
    aside: list[tuple[str, str]] = []

    def unread(document: Document, error: DocumentError) -> None:
        aside.append((document.file, str(error).removeprefix(f"{document.file}: ")))

    read = parsed(chosen, kept(folder), lambda done, of, what: tell("documents read", done, of), unread)
    editions = {(each.doc_id, str(each.version)): each for each in read}
    files = {(each.doc_id, each.version): each.file for each in chosen}
    chunks: dict[str, dict[tuple[str, str], list[Passage]]] = {}
    for chunker in settings.chunkers:
        of_one = chunks[chunker.name] = {}
        for done, (edition, each) in enumerate(editions.items(), start=1):
            of_one[edition], wrong = _cut(chunker, each)
            if wrong:
                aside.append((files[edition], f"{chunker.name}: {wrong}"))
            tell(f"documents cut by {chunker.name}", done, len(editions))
    methods = methods_of(settings)
    find = {}
    for done, method in enumerate(methods, start=1):
        find[method.name] = _finder(folder, chosen, chunks[method.chunker.name], method.search, settings)
        tell("indexes made", done, len(methods))
    return Desk(settings, tuple(chosen), editions, tuple(aside), chunks, tuple(methods), find)


def _cut(chunker: ChunkerSetting, edition: ParsedDocument) -> tuple[list[Passage], str]:
    """(the chunks, what went wrong)."""
    try:
        return chunker.chunker(edition), ""
    except LabError as error:
        return [], str(error)
    except Exception as error:  # somebody's own code: anything may come out of it
        return [], " ".join(f"failed with {type(error).__name__}: {error} — mend {chunker.use}".split())


def _finder(folder: Path, documents: Sequence[Document], chunks: dict, search: SearchSetting, settings: Settings) -> Find:
    index = SearchEngine(search, kept=kept(folder), base=folder)
    by_key = {
        f"{number:07}/{place:07}": passage  # equal scores go by id: by document, then by place
        for number, of_one in enumerate(chunks.values())
        for place, passage in enumerate(of_one)
        if passage.text.strip()
    }
    index.add((key, passage.passage) for key, passage in by_key.items())
    in_force = {(each.doc_id, each.version): each.in_force for each in documents}

    def find(question, k: int) -> list[Passage]:
        day = question.as_of if settings.as_of is None else settings.as_of

        def holds(key: str) -> bool:
            passage = by_key[key]
            return in_force[passage.doc_id, str(passage.version)](day)

        return [by_key[hit.id] for hit in index.search(question.question, k, holds if isinstance(day, date) else None)]

    return find
