"""The labkit commands around an index on disk: `labkit index`, and what `labkit search` and `labkit eval` do with one (lesson 08).

`register` adds the command to the command line. `labkit index` exits with 1 where nothing at all of a document could be read: it is in the
inventory, and no search will find it. What could be read in part is searched in part, said on stderr, and no error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from labkit.cli_printing import complain, print_json, say, width
from labkit.errors import BadArgument
from labkit.textfiles import counted, printable, shown

_MOST_NAMES = 40
_SNIPPET = 150  # characters


class ChunkerName(StrEnum):
    """labkit's own chunkers."""

    by_structure = "by_structure"
    fixed = "fixed"
    overlapping = "overlapping"
    sections = "sections"


def register(app: typer.Typer, command: Callable[[Callable], Callable]) -> None:
    """Adds the command to `app`; `command` is what every command does with an error."""
    app.command(epilog="Example: labkit index --folder my-documents --chunker fixed --size 100 --out my-index.db")(command(index))


def index(
    folder: Annotated[
        Path | None, typer.Option("--folder", help="Your own folder with inventory.csv (default: the course's collection).")
    ] = None,
    chunker: Annotated[
        ChunkerName | None, typer.Option("--chunker", help="How documents are cut (default: the index's own; by_structure for a new one).")
    ] = None,
    size: Annotated[int | None, typer.Option("--size", help="Words of a chunk: the most by_structure makes, else of each window.")] = None,
    overlap: Annotated[int | None, typer.Option("--overlap", help="Words that overlapping windows repeat.")] = None,
    out: Annotated[Path, typer.Option("--out", help="The index, one file; brought up to date where it is there.")] = Path("index.db"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for a script: the index's manifest too.")] = False,
) -> None:
    """Make an index of a collection, or bring it up to date: only documents that changed are read again.

    Exit code 1 where nothing of a document could be read.
    """
    from labkit.collection import load_inventory
    from labkit.retrieval.collection_index import CollectionIndex

    wanted = _chunker(chunker, size, overlap)
    documents = load_inventory(folder)
    with CollectionIndex(out, wanted) as made:
        watched = {"progress": _progress, "pages": _pages} if sys.stderr.isatty() else {}
        report = made.update(documents, **watched)
        manifest = made.manifest()
    if as_json:
        names = {what: list(getattr(report, what)) for what in ("added", "changed", "unchanged", "not_indexed", "removed")}
        print_json({"index": shown(out)} | names | {"problems": _problems(report.not_whole), "manifest": manifest.as_dict()})
    else:
        say(f"{shown(out)}: {report}.")
        for what in ("added", "changed", "removed", "not_indexed"):
            _print_names(what.replace("_", " "), getattr(report, what))
        searched = sum(bool(each.chunks) for each in manifest.documents)
        say(f"{counted(manifest.chunks, 'chunk')} of {counted(searched, 'document')}, cut by {manifest.chunker}.")
    sys.stdout.flush()
    _complain_of(report.not_whole)
    if report.not_indexed:
        raise typer.Exit(1)


def _chunker(name: ChunkerName | None, size: int | None, overlap: int | None):
    """The chunker that was asked for; None where nothing was said of it."""
    from labkit.retrieval.cutting import chunker_of

    if name is None and size is None and overlap is None:
        return None
    name = name or ChunkerName.by_structure
    words = "max_words" if name is ChunkerName.by_structure else "size"
    if name is ChunkerName.sections and size is not None:
        raise BadArgument("--chunker sections takes no --size: a section is as long as it is — leave --size out")
    if name is not ChunkerName.overlapping and overlap is not None:
        raise BadArgument(f"--chunker {name} takes no --overlap — leave it out, or write --chunker overlapping")
    return chunker_of(name.value, **{key: value for key, value in ((words, size), ("overlap", overlap)) if value is not None})


# --- labkit search and labkit eval, with an index ---------------------------------------------------------------------


def search(
    file: Path,
    text: str,
    *,
    k: int,
    access: str,
    as_of: str | None = None,
    language: str | None = None,
    version: str | None = None,
    as_json: bool = False,
) -> None:
    """`labkit search --index FILE`: the chunks found, a citation with each, and what is missing from the index."""
    from labkit.retrieval.collection_index import CollectionIndex
    from labkit.retrieval.keyword import words

    with CollectionIndex(file, read_only=True) as opened:
        engine = opened.as_search(access, as_of, language, version)
        _known("language", language, opened, access)
        _known("version", version, opened, access)
        found, missing = engine.found(text, k), engine.not_whole
        chunker, number, searched = str(opened.chunker), engine.number, what_was_searched(engine)
    if as_json:
        asked = {"query": text, "words": words(text), "k": k, "access": access, "as_of": as_of, "language": language, "version": version}
        facts = {"index": shown(file), "chunker": chunker, "searched_chunks": number, "problems": _problems(missing)}
        print_json(asked | facts | {"results": [_result(each) for each in found]})
        return
    if not words(text):
        say("There is no word in this question to look for: type some letters or digits.")
    elif not found:
        say(f"No chunk holds any of these words: {', '.join(dict.fromkeys(words(text)))}." if k else "0 results, as asked.")
    else:
        _print_table(("rank", "score", "chunk"), [(str(each.rank), f"{each.score:.3f}", _cell(each)) for each in found])
    say(searched)
    sys.stdout.flush()
    _complain_of(missing)


def engine_of(file: Path, access: str, documents: Iterable):
    """The search of `labkit eval --index FILE`. What makes its numbers doubtful is said on stderr: an index that is not up to date."""
    from labkit.retrieval.collection_index import CollectionIndex

    opened = CollectionIndex(file, read_only=True)
    report = opened.outdated(documents)
    behind = [f"{len(getattr(report, what))} {what}" for what in ("added", "changed", "removed") if getattr(report, what)]
    if behind:
        complain(f"{shown(file)} is behind the documents ({', '.join(behind)} since) — bring it up to date with `labkit index`")
    engine = opened.as_search(access)
    _complain_of(engine.not_whole)
    return engine


def what_was_searched(engine) -> str:
    """One sentence: how many chunks, of which day, language and version, as which reader, cut by what."""
    chosen = engine.chosen
    said = [f"in force on {chosen.as_of}" if chosen.as_of else "of all versions, in force or not"]
    said += [f"in {chosen.language}"] if chosen.language else []
    said += [f"of version {chosen.version}"] if chosen.version else []
    reader = "a public reader" if chosen.access == "public" else "staff"
    return f"Searched: {counted(engine.number, 'chunk')} {', '.join(said)}, as {reader}, cut by {engine.index.chunker}."


def _known(label: str, value: str | None, opened, access: str) -> None:
    """A language or version that no document of this reader has is a slip, and not an empty result."""
    if value is None or opened.documents(access, **{label: value}):
        return
    have = sorted({getattr(each, label) for each in opened.documents(access)})
    raise BadArgument(f"--{label} {value!r}: no document has it — there are {', '.join(have) or 'none'}")


def _result(each) -> dict:
    chunk, document = each.chunk, each.document
    return {
        "rank": each.rank, "score": each.score, "id": each.id, "doc_id": chunk.doc_id, "version": chunk.version, "title": document.title,
        "file": document.file, "sections": list(chunk.sections), "pages": list(chunk.pages), "access": chunk.access,
        "language": chunk.language, "start": chunk.start, "end": chunk.end, "over_limit": chunk.over_limit,
        "citation": str(each.citation), "context": chunk.context, "text": chunk.text,
    }  # fmt: skip


def _problems(documents: Iterable) -> list[dict]:
    return [
        {
            "doc_id": each.doc_id, "version": each.version, "file": each.file, "searched": bool(each.chunks), "page": problem.page,
            "what": problem.what, "todo": problem.todo,
        }
        for each in documents
        for problem in each.problems
    ]  # fmt: skip


# --- how things are printed -------------------------------------------------------------------------------------------


def _cell(each) -> str:
    first, _, rest = each.chunk.text.partition("\n")
    named = first.strip("# \r") in each.chunk.sections  # its heading stands in the citation already
    text = " ".join((rest if named and rest.strip() else each.chunk.text).split())
    return f"{each.citation}\n{text if len(text) <= _SNIPPET else text[: _SNIPPET - 1].rstrip() + '…'}"


def _print_table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    from labkit.show.tables import Table, clean

    cells = tuple(tuple("\n".join(clean(line) for line in cell.split("\n")) for cell in row) for row in rows)
    print("\n".join(line.rstrip() for line in f"{Table(heads, cells, frozenset((0, 1)), width=width())}\n".split("\n")))


def _print_names(what: str, names: tuple[str, ...]) -> None:
    if names:
        more = f" … and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        say(f"{what}: {', '.join(names[:_MOST_NAMES])}{more}")


def _complain_of(documents: Iterable) -> None:
    for document in documents:
        for sentence in document.told():
            complain(sentence)


def _progress(number: int, of: int, document) -> None:
    end = "\n" if number == of else ""
    sys.stderr.write(f"\r\x1b[K{number} of {of}: {printable(document.file, 50)}{end}")
    sys.stderr.flush()


def _pages(done: int, of: int) -> None:
    sys.stderr.write(f"\r\x1b[K{done:,} of {of:,} pages read")
    sys.stderr.flush()


