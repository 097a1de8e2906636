"""The report's work in five stages: read, cut, index, search, score (lesson 15).

Each stage leaves plain files, so that the next one can be done again without it:

- read: `documents.json`, a row a document: its words, and what of it could not be read. What was read is kept beside, by content.
- cut: for each chunker its chunks, a JSON object a line, and `readings.json`: what the cutting did.
- index: for each chunker an inverted index over what the reader may see, and each chunk's document and size.
- search: for each method and question the ids found, in rank order, as deep as any budget reaches and then some.
- score: `scores.json`: every number of the report.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from datetime import date
from functools import cache, partial
from pathlib import Path
from statistics import median

from labkit.chunking.chunk import Chunk
from labkit.chunking.readings import readings
from labkit.chunking.records import chunk_lines, chunks_of_lines
from labkit.collection import Document
from labkit.errors import BadArgument, DocumentError, LabError
from labkit.own.asking import DEPTH, Shelf, ask_all, day_of, sizes_file
from labkit.own.material import Material, digest_of_documents, parsed, speaks
from labkit.own.methods import methods_of
from labkit.own.scoring import scores_of
from labkit.own.searching import SearchEngine, count, files_of, model_of
from labkit.own.settings import ChunkerSetting, Settings
from labkit.own.tokens import TokenChunk
from labkit.passages import Passage
from labkit.retrieval.collection_update import digest_of
from labkit.retrieval.made_by import made_by
from labkit.retrieval.passage_search import READERS
from labkit.stages import Stage, Task

STAGES = ("read", "cut", "index", "search", "score")
FOLDER = ".labkit"

_LABELS = ("doc_id", "version", "title", "file", "line", "format", "language", "access")
_PASSAGE = [field.name for field in fields(Passage)]


def stages_of(material: Material, settings: Settings) -> list[Stage]:
    """The five stages for this folder and these settings."""
    documents = list(material.documents)
    chunkers = [[each.name, each.use, [list(pair) for pair in each.parameters]] for each in settings.chunkers]
    visible = [settings.access, settings.language]
    days = [[each.doc_id, each.version, str(each.effective_from), str(each.effective_to)] for each in documents]
    limits = [settings.k, list(settings.budgets), settings.unit, settings.last]
    searches = [[each.name, each.use, each.model, each.stem, list(each.stop_words)] for each in settings.searches]
    models = [each for each in settings.searches if each.by_meaning]
    stems = sorted({each.stem for each in settings.searches if each.by_words})
    era = eras(documents)
    asked = [[each.id, each.question, era(each.as_of)] for each in material.questions]
    unmoved = [asdict(each) | {"file": "", "line": 0, "as_of": era(each.as_of)} for each in material.questions]
    gold = json.loads(json.dumps(unmoved, default=str))
    return [
        read_stage(documents),
        Stage(
            "cut", "cuts each document by each chunker",
            lambda: {"chunkers": chunkers, "readers": made_by()},
            partial(_cut, documents, settings), _check_cut, ("read",),
            always=any(each.own for each in settings.chunkers),
        ),
        Stage(
            "index", "makes an inverted index of what the reader may see, for each chunker",
            lambda: {
                "reader": visible, "stems": stems, "unit": settings.unit, "code": code(),
                "models": sorted({model_of(each, material.folder).name for each in models}),
            },
            partial(_index, material.folder, settings), partial(_check_index, settings), ("cut",),
            on_failure="the texts that were embedded so far, which are not embedded again",
        ),
        Stage(
            "search", "asks every question of every method",
            lambda: {
                "questions": asked, "days": days, "as of": str(settings.as_of), "limits": limits, "searches": searches, "code": code(),
            },
            partial(_search, material, settings), partial(_check_search, len(methods_of(settings)), len(asked)), ("index",),
        ),
        Stage(
            "score", "scores the results, compares the methods, and looks for the stage that lost each miss",
            lambda: {
                "questions": gold, "limits": limits, "methods": [chunkers, searches], "reader": visible, "days": days, "code": code(),
            },
            partial(_score, material, settings), partial(_check_score, len(methods_of(settings)) * len(settings.budgets) * len(gold)),
            ("read", "cut", "search"),
        ),
    ]  # fmt: skip


def read_stage(documents: Sequence[Document], **more) -> Stage:
    """The first stage of all work on a folder: `documents.json`, a row a document. `more`: fields of a Stage."""
    documents = list(documents)
    return Stage(
        "read", "reads each document into blocks, and says what of it cannot be read",
        lambda: {"documents": digest_of_documents(documents), "readers": made_by()},
        partial(_read, documents), partial(_check_read, len(documents)),
        on_failure="the documents that were read so far, which are not read again",
        promises="a row for every document of the inventory",
        **more,
    )  # fmt: skip


def eras(documents: Iterable[Document]) -> Callable[[date], int]:
    """A function that numbers days by which documents hold on them: two days with one number have all editions in common. So a day that
    nobody wrote, which is another one tomorrow, asks for nothing to be done again."""
    turns = {each.effective_from.toordinal() for each in documents}
    turns |= {each.effective_to.toordinal() + 1 for each in documents if each.effective_to}
    ordered = sorted(turns)
    return lambda day: bisect_right(ordered, day.toordinal())


@cache
def code() -> str:
    """16 hex digits over the source that searches and scores: another labkit, other numbers, whatever its version is called."""
    root = Path(__file__).resolve().parent.parent
    files = [file for name in ("retrieval", "evaluation", "embedding") for file in sorted((root / name).rglob("*.py"))]
    files += [root / "own" / f"{name}.py" for name in ("asking", "methods", "scoring", "searching", "tokens", "work")]
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes() if file.is_file() else b"")  # compiled files alone: the version must do
    return digest.hexdigest()[:16]


# --- success checks: '' or what is wrong with a stage's outputs --------------------------------------------------------------------------


def _check_read(number: int, folder: Path) -> str:
    return number_of("documents.json", len(load(folder / "documents.json")), number)


def _check_cut(folder: Path) -> str:
    for place, cut in enumerate(load(folder / "readings.json"), start=1):
        wrong = number_of(chunks_file(place), lines_in(folder / chunks_file(place)), cut["chunks"])
        if wrong:
            return wrong
    return ""


def _check_index(settings: Settings, folder: Path) -> str:
    for place in range(1, len(settings.chunkers) + 1):
        number = len(load(folder / sizes_file(place))["chunks"])
        for name in sorted({name for search in settings.searches for name in files_of(f"{place:02}", search)}):
            if not (folder / name).is_file():
                return f"{name} is missing"
            wrong = number_of(name, count(folder / name), number)
            if wrong:
                return wrong
    return ""


def _check_search(methods: int, questions: int, folder: Path) -> str:
    found = (number_of(found_file(place), lines_in(folder / found_file(place)), questions) for place in range(1, methods + 1))
    return next(filter(None, found), "")


def _check_score(number: int, folder: Path) -> str:
    return number_of("scores.json", len(load(folder / "scores.json")["per_question"]), number)


def number_of(what: str, has: int, wanted: int) -> str:
    """For a success check: '' where there are as many as wanted."""
    return "" if has == wanted else f"{what} holds {has:,} of {wanted:,}"


def lines_in(path: Path) -> int:
    """How many lines a file has."""
    with path.open("rb") as file:
        return sum(1 for _ in file)


# --- read -------------------------------------------------------------------------------------------------------------------------------


def _read(documents: list[Document], task: Task) -> None:
    failed: dict[tuple[str, str], DocumentError] = {}

    def unread(document: Document, error: DocumentError) -> None:
        failed[document.doc_id, document.version] = error
        task.set_aside(document.file, str(error))

    file_of = {(each.doc_id, each.version): each.file for each in documents}
    facts = {}
    for each in parsed(documents, task.kept, task.progress, unread):
        problems = [asdict(problem) for problem in each.problems]
        text = each.text[each.body :]
        if not text.strip() and not problems:
            problems = [{"page": None, "what": "it holds no text", "todo": "check that it is the right file, or leave it out"}]
        for problem in each.problems:
            task.set_aside(file_of[each.doc_id, each.version], str(problem))
        labels = {page.number: page.label for page in each.pages if page.label and page.label != str(page.number)}
        facts[each.doc_id, each.version] = {
            "words": len(text.split()), "problems": problems, "read": bool(text.strip()), "page_labels": labels,
        }  # fmt: skip
    rows = []
    for document in documents:
        name = (document.doc_id, document.version)
        if name in failed:
            what, _, todo = str(failed[name]).removeprefix(f"{document.file}: ").partition(" — ")
            problem = {"page": None, "what": what, "todo": todo or "check the file"}
            facts[name] = {"words": 0, "problems": [problem], "read": False, "page_labels": {}}
        labels = {label: getattr(document, label) for label in _LABELS}
        # the file's digest: what follows from a document changes with any byte of it
        rows.append(labels | {"digest": digest_of(document)} | facts[name])
    write(task.folder / "documents.json", rows)


# --- cut --------------------------------------------------------------------------------------------------------------------------------


def _cut(documents: list[Document], settings: Settings, task: Task) -> None:
    whole = {(row["doc_id"], row["version"]) for row in load(task.results["read"] / "documents.json") if row["read"]}
    cutters = [_Cutter(setting, task.folder / chunks_file(place)) for place, setting in enumerate(settings.chunkers, start=1)]
    try:
        chosen = [each for each in documents if (each.doc_id, each.version) in whole]
        for number, document in enumerate(parsed(chosen, task.kept), start=1):
            task.progress(number, len(chosen), document.doc_id)
            for cutter in cutters:
                wrong = cutter.cut(document)
                if wrong:
                    task.set_aside(f"{document.doc_id}@v{document.version}", f"{cutter.setting.name}: {wrong}")
    finally:
        for cutter in cutters:
            cutter.close()
    for cutter in cutters:
        cutter.refuse_if_it_fails_always(len(chosen))
    write(task.folder / "readings.json", [cutter.readings() for cutter in cutters])


class _Cutter:
    """One chunker at work: its chunks go into a file, its readings are added up."""

    def __init__(self, setting: ChunkerSetting, path: Path):
        self.setting = setting
        self._file = path.open("w", encoding="utf-8", errors="surrogatepass", newline="")
        self._ids: set[str] = set()
        self._sizes: list[int] = []
        self._tables: list[int] = []
        self._sections = self._inside = self._over = 0
        self._failed: list[dict] = []

    def cut(self, document) -> str:
        """Cuts one document; '' or why it could not be."""
        try:
            visible = [each for each in self.setting.chunker(document) if each.text.strip()]
            chunks = [_as_chunk(each, place) for place, each in enumerate(visible)]
        except Exception as error:
            if not self.setting.own:
                raise
            what = str(error) if isinstance(error, LabError) else " ".join(f"failed with {type(error).__name__}: {error}".split())
            self._failed.append({"doc_id": document.doc_id, "version": document.version, "what": what})
            return what
        twice = next((chunk.id for chunk in chunks if chunk.id in self._ids), None)
        if twice is not None:
            raise BadArgument(f"{self.setting.use}: two documents have a chunk with the id {twice!r} — give each chunk an id of its own")
        self._ids.update(chunk.id for chunk in chunks)
        found = readings(document, chunks)
        self._sizes += [chunk.words for chunk in chunks]
        self._tables += found.tables
        self._inside += found.begin_inside
        self._sections += sum(len(chunk.sections) for chunk in chunks)
        self._over += sum(chunk.over_limit for chunk in chunks)
        self._file.write(chunk_lines(chunks))
        return ""

    def refuse_if_it_fails_always(self, documents: int) -> None:
        """Raises BadArgument where not one of so many documents could be cut: then nothing would be measured but the failing."""
        if self._failed and len(self._failed) == documents:
            first = self._failed[0]
            of = "the only document" if documents == 1 else f"each of {documents:,} documents; the first is {first['doc_id']}"
            what = first["what"].partition(" — ")[0]
            raise BadArgument(f"{self.setting.use} fails on {of}: {what} — mend it, or take {self.setting.name!r} out of labkit.toml")

    def readings(self) -> dict:
        """What the cutting did to all documents together."""
        number = len(self._sizes)
        return {
            "chunks": number,
            "median_words": float(median(self._sizes)) if number else None,
            "words_stored": sum(self._sizes),
            "tables": {"n": len(self._tables), "whole": self._tables.count(1)},
            "begins_inside": self._inside,
            "sections_per_chunk": round(self._sections / number, 6) if number else None,
            "over_limit": self._over,
            "failed": self._failed,
        }

    def close(self) -> None:
        """Lets go of the file."""
        self._file.close()


def _as_chunk(passage: Passage, position: int) -> Chunk:
    """A passage of somebody else's chunker, as a chunk."""
    return passage if isinstance(passage, Chunk) else Chunk(**{name: getattr(passage, name) for name in _PASSAGE}, position=position)


def chunks_file(place: int) -> str:
    """The file of one chunker's chunks; `place` from 1."""
    return f"chunks-{place:02}.jsonl"


def chunks_in(path: Path, wanted: Callable[[Chunk], bool] | None = None, unit: str = "words") -> Iterator[Chunk]:
    """The chunks of a file that the stage cut left, in its order; counted in `unit`."""
    with path.open(encoding="utf-8", errors="surrogatepass", newline="\n") as file:
        for line in file:
            (chunk,) = chunks_of_lines(line, path.name)
            if wanted is None or wanted(chunk):
                yield chunk if unit == "words" else TokenChunk(**vars(chunk))


# --- index ------------------------------------------------------------------------------------------------------------------------------


def _index(folder: Path, settings: Settings, task: Task) -> None:
    labels = READERS[settings.access]
    for place, setting in enumerate(settings.chunkers, start=1):
        task.progress(place - 1, len(settings.chunkers), setting.name)
        editions: dict[tuple[str, str], int] = {}
        sizes: dict[str, tuple[int, int]] = {}
        texts: list[tuple[str, str]] = []
        for chunk in chunks_in(task.results["cut"] / chunks_file(place), unit=settings.unit):
            if chunk.access in labels and speaks(chunk.language, settings.language):
                edition = editions.setdefault((chunk.doc_id, chunk.version), len(editions))
                sizes[chunk.id] = (edition, chunk.words)
                texts.append((chunk.id, chunk.passage))
        made: set[str] = set()
        for search in settings.searches:
            files = set(files_of(f"{place:02}", search))
            if not files <= made:  # searches that differ in stop words alone share an index
                with SearchEngine(search, folder=task.folder, name=f"{place:02}", kept=task.kept, base=folder) as engine:
                    engine.add(texts)
            made |= files
        write(task.folder / sizes_file(place), {"editions": [list(each) for each in editions], "chunks": sizes})


# --- search -----------------------------------------------------------------------------------------------------------------------------


def _search(material: Material, settings: Settings, task: Task) -> None:
    shelf = Shelf(task.results["index"], material.folder, material.documents, settings)
    for place, found in enumerate(ask_all(shelf, material.questions, task.progress), start=1):
        lines = [json.dumps({"id": each.id, "found": found[each.id]}, ensure_ascii=False) + "\n" for each in material.questions]
        (task.folder / found_file(place)).write_text("".join(lines), "utf-8", newline="")


# --- score ------------------------------------------------------------------------------------------------------------------------------


def _score(material: Material, settings: Settings, task: Task) -> None:
    gold = {(entry.doc_id, entry.version) for question in material.questions for entry in question.relevant}
    read = list(parsed([each for each in material.documents if (each.doc_id, each.version) in gold], task.kept))
    by_name = {(each.doc_id, each.version): each for each in material.documents}
    labels = READERS[settings.access]

    def may_bring(question, passage) -> bool:
        day = day_of(question, settings)
        return (
            passage.access in labels
            and speaks(passage.language, settings.language)
            and (day is None or by_name[passage.doc_id, passage.version].in_force(day))
        )

    rankings: dict[str, dict[str, list[Chunk]]] = {}
    known: dict[str, list[Chunk]] = {}
    methods = methods_of(settings)
    for number, method in enumerate(methods):
        task.progress(number, 2 * len(methods), method.name)
        found = dict(_found(task.results["search"] / found_file(method.place)))
        wanted = {id_ for ids in found.values() for id_ in ids}
        path = task.results["cut"] / chunks_file(method.chunker_place)
        held = list(chunks_in(path, lambda each, wanted=wanted: each.id in wanted or (each.doc_id, each.version) in gold, settings.unit))
        by_id = {chunk.id: chunk for chunk in held}
        rankings[method.name] = {name: [by_id[id_] for id_ in ids] for name, ids in found.items()}
        known[method.name] = [chunk for chunk in held if (chunk.doc_id, chunk.version) in gold]
    scored = scores_of(
        material.questions, rankings, known, read, settings, may_bring, DEPTH,
        lambda done, of, what: task.progress(len(methods) + done, len(methods) + of, what),
    )  # fmt: skip
    write(task.folder / "scores.json", scored)


def _found(path: Path) -> Iterator[tuple[str, list[str]]]:
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            row = json.loads(line)
            yield row["id"], row["found"]


def found_file(place: int) -> str:
    """The file of what one method found; `place` from 1."""
    return f"found-{place:02}.jsonl"


# --- files ------------------------------------------------------------------------------------------------------------------------------


def write(path: Path, value: object) -> None:
    """A result of a stage, as JSON."""
    path.write_text(json.dumps(value, ensure_ascii=False, allow_nan=False), "utf-8", "surrogatepass", newline="")


def load(path: Path):
    """What `write` wrote."""
    return json.loads(path.read_text("utf-8", "surrogatepass"))
