"""Long documents made ready for questions, in five stages: read, parents, children, embed, index (lessons 11 and 12).

Each stage leaves plain files, so that the next one can be done again without it:

- read: `documents.json`, the stage that the report begins with too.
- parents: `parents.jsonl`, what is read, a JSON object a line; `counts.json`: how many a document has.
- children: `children.jsonl`, what is searched; `counts.json`.
- embed: `rows.db`, a row of numbers for each different text (heading path and text of a child); `counts.json`.
- index: for each reader one SQLite file with words and rows of what that reader may see; `counts.json`.

A document that a stage cannot deal with is set aside with the reason, and the others go on; where none is left, the stage fails.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import groupby
from pathlib import Path

from labkit.collection import Document
from labkit.embedding.cached import CachedEmbedder, content_of
from labkit.embedding.embedder import Embedder
from labkit.errors import DocumentError, IndexFileError, LabError
from labkit.hierarchy import Child, Parent, child_lines, children_of, children_of_lines, parent_lines, parents, parents_of_lines
from labkit.own.long_settings import LongSettings
from labkit.own.material import parsed
from labkit.own.work import lines_in, load, number_of, read_stage, write
from labkit.retrieval.keyword import KeywordIndex
from labkit.retrieval.made_by import made_by
from labkit.retrieval.passage_search import READERS
from labkit.retrieval.vector_store import VectorStore, disposable
from labkit.retrieval.vectors import VectorIndex
from labkit.stages import Stage, StageError, Task

PREPARING = ("read", "parents", "children", "embed", "index")
_EMBEDDED = "the texts that were embedded so far, which are not embedded again"
_MOST = 20  # reasons in one message
_BATCH = 256  # texts: after so many, progress is told


def long_stages(documents: Iterable[Document], settings: LongSettings, embedder: Embedder) -> list[Stage]:
    """The five stages for these documents and settings, each with its owner."""
    documents = list(documents)
    sizes = {name: getattr(settings, name) for name in ("threshold", "minimum", "maximum", "tiny")}
    labels = [[each.doc_id, each.version, each.access, each.language] for each in documents]
    stages = [
        read_stage(documents),
        Stage(
            "parents", "cuts each document at its headings: what is read",
            lambda: {"deepest": settings.deepest, "readers": made_by(), "code": code()},
            partial(_parents, documents, settings), partial(_counted, "parents.jsonl", "parents"), ("read",),
            promises="as many parents as were counted, and at least one",
        ),
        Stage(
            "children", "cuts each parent where its meaning turns: what is searched",
            lambda: sizes | {"model": embedder.name, "code": code()},
            partial(_children, settings, embedder), partial(_counted, "children.jsonl", "children"), ("parents",),
            on_failure=_EMBEDDED, promises="at least one child for each parent of a document, and as many as were counted",
        ),
        Stage(
            "embed", "turns heading path and text of each child into a row of numbers",
            lambda: {"model": embedder.name, "code": code()},
            partial(_embed, embedder), _check_rows, ("children",),
            on_failure=_EMBEDDED, promises="a row for each different text",
        ),
        Stage(
            "index", "makes for each reader an index of words and rows, of what that reader may see",
            lambda: {"model": embedder.name, "labels": labels, "code": code()},
            partial(_index, embedder), partial(_check_index, embedder), ("children", "embed"),
            promises="each reader's children, each with its words and its row",
        ),
    ]  # fmt: skip
    return [replace(stage, owner=settings.owner(stage.name), attempts=settings.attempts) for stage in stages]


@cache
def code() -> str:
    """16 hex digits over the source that cuts, embeds, indexes and searches: another labkit, another result, whatever it is called."""
    root = Path(__file__).resolve().parent.parent
    files = [file for name in ("chunking", "hierarchy", "embedding", "retrieval") for file in sorted((root / name).rglob("*.py"))]
    files += [root / "own" / f"{name}.py" for name in ("long_work", "long_asking")]
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes() if file.is_file() else b"")  # compiled files alone: the version must do
    return digest.hexdigest()[:16]


# --- parents ----------------------------------------------------------------------------------------------------------------------------


def _parents(documents: list[Document], settings: LongSettings, task: Task) -> None:
    rows = load(task.results["read"] / "documents.json")
    whole = {(row["doc_id"], row["version"]) for row in rows if row["read"]}
    if not whole:
        reasons = [f"{row['file']}: {problem['what']} — {problem['todo']}" for row in rows for problem in row["problems"]]
        raise StageError("\n".join(["no document can be read:", *reasons[:_MOST]]))
    chosen = [each for each in documents if (each.doc_id, each.version) in whole]
    file_of = {(each.doc_id, each.version): each.file for each in chosen}

    def unread(document: Document, error: DocumentError) -> None:
        task.set_aside(document.file, str(error))

    def cut(one) -> list[Parent]:
        made = parents(one, settings.deepest)
        if not made:
            raise LabError("it holds no more than its title — put the text in, or leave it out")
        return made

    with _JsonLines(task, "parents") as lines:
        for done, document in enumerate(parsed(chosen, task.kept, None, unread), start=1):
            task.progress(done, len(chosen), document.doc_id)
            lines.add(file_of[document.doc_id, document.version], document, lambda document=document: parent_lines(cut(document)))


# --- children ---------------------------------------------------------------------------------------------------------------------------


def _children(settings: LongSettings, embedder: Embedder, task: Task) -> None:
    sizes = (settings.threshold, settings.minimum, settings.maximum, settings.tiny)
    cut = load(task.results["parents"] / "counts.json")["documents"]
    with disposable(task.kept / "embedded.db") as store, _JsonLines(task, "children") as lines:
        model = CachedEmbedder(embedder, store)
        held = parents_in(task.results["parents"] / "parents.jsonl")
        for done, (_, group) in enumerate(groupby(held, key=lambda each: (each.doc_id, each.version))):
            its_parents = list(group)
            task.progress(done, len(cut), its_parents[0].doc_id)
            lines.add(cut[done]["file"], its_parents[0], lambda these=its_parents: _lines_of_children(these, model, sizes))


def _lines_of_children(these: list[Parent], model: Embedder, sizes: tuple) -> str:
    made = children_of(these, model, *sizes)
    childless = next((parent.id for parent, mine in zip(these, made, strict=True) if not mine), None)
    if childless is not None:
        raise LabError(f"{childless} has no child — cut the document anew")
    return child_lines(child for mine in made for child in mine)


class _JsonLines:
    """The lines of one stage and how many each document has; what cannot be made of a document sets it aside."""

    def __init__(self, task: Task, what: str):
        self.task, self.what = task, what
        self._counts: list[dict] = []
        self._file = (task.folder / f"{what}.jsonl").open("w", encoding="utf-8", errors="surrogatepass", newline="")

    def add(self, file: str, labelled, make: Callable[[], str]) -> None:
        """The lines that `make` gives, of the document that `labelled` is one or is of."""
        try:
            text = make()
        except IndexFileError:  # where embedded texts are kept: it fails for all documents, and through no fault of this one
            raise
        except LabError as error:
            self.task.set_aside(file, str(error))
            return
        self._file.write(text)
        counted = {"file": file, "doc_id": labelled.doc_id, "version": labelled.version, self.what: text.count("\n")}
        self._counts.append(counted)

    def __enter__(self) -> _JsonLines:
        return self

    def __exit__(self, kind, error, trace) -> None:
        self._file.close()
        if error is None and not self._counts:
            reasons = [f"{item}: {reason}" for item, reason in self.task.aside]
            raise StageError("\n".join([f"of no document there are {self.what}:", *reasons[:_MOST]]))
        write(self.task.folder / "counts.json", {"documents": self._counts})


def _counted(file: str, what: str, folder: Path) -> str:
    number = sum(row[what] for row in load(folder / "counts.json")["documents"])
    return number_of(file, lines_in(folder / file), number)


def parents_in(path: Path) -> Iterator[Parent]:
    """The parents that the stage left, one after another."""
    return (each for line in _lines(path) for each in parents_of_lines(line, path.name))


def children_in(path: Path) -> Iterator[Child]:
    """The children that the stage left, one after another."""
    return (each for line in _lines(path) for each in children_of_lines(line, path.name))


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", errors="surrogatepass", newline="\n") as file:
        yield from file


# --- embed ------------------------------------------------------------------------------------------------------------------------------


def _embed(embedder: Embedder, task: Task) -> None:
    texts = [child.passage for child in children_in(task.results["children"] / "children.jsonl")]
    with disposable(task.kept / "embedded.db") as kept, VectorStore(task.folder / "rows.db") as rows:
        model = CachedEmbedder(CachedEmbedder(embedder, kept), rows)
        for start in range(0, len(texts), _BATCH):
            task.progress(start, len(texts), embedder.name)
            model.embed(texts[start : start + _BATCH])
    different = len({content_of(text) for text in texts})
    write(task.folder / "counts.json", {"model": embedder.name, "children": len(texts), "rows": different})


def _check_rows(folder: Path) -> str:
    counts = load(folder / "counts.json")
    with VectorStore(folder / "rows.db") as rows:
        return number_of("rows.db", rows.count(counts["model"]), counts["rows"])


# --- index ------------------------------------------------------------------------------------------------------------------------------


def _index(embedder: Embedder, task: Task) -> None:
    held = list(children_in(task.results["children"] / "children.jsonl"))
    counts = {}
    with VectorStore(task.results["embed"] / "rows.db") as rows:
        model = CachedEmbedder(embedder, rows)
        for place, (reader, labels) in enumerate(READERS.items()):
            task.progress(place, len(READERS), reader)
            pairs = [(child.id, child.passage) for child in held if child.access in labels]
            with words_of(task.folder, reader) as words, rows_of(task.folder, reader, model) as meanings:
                words.add(pairs)
                meanings.add(pairs)
            counts[reader] = len(pairs)
    write(task.folder / "counts.json", counts)


def _check_index(embedder: Embedder, folder: Path) -> str:
    for reader, number in load(folder / "counts.json").items():
        with words_of(folder, reader) as words, rows_of(folder, reader, embedder) as meanings:
            wrong = number_of(f"{reader}.db (words)", len(words), number) or number_of(f"{reader}.db (rows)", len(meanings), number)
        if wrong:
            return wrong
    return ""


def words_of(folder: Path, reader: str) -> KeywordIndex:
    """A reader's inverted index."""
    return KeywordIndex(folder / f"{reader}.db")


def rows_of(folder: Path, reader: str, embedder: Embedder) -> VectorIndex:
    """A reader's rows, in the same file."""
    return VectorIndex(folder / f"{reader}.db", embedder)
