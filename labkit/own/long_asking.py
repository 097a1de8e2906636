"""One question to long documents, answered by passages with their places: search, rerank, expand, context (lessons 11 to 14).

    answer = ask("my-documents", "How long may a consumer withdraw?")

- search: `found.json`: the first children, by words, by meaning, or both fused by rank.
- rerank: `kept.json`: those that a judge keeps, in its order; without a judge the first ones.
- expand: `delivered.json`: their parents, each once, within the budget.
- context: `context.json` and `context.md`: the passages with their citations, to be read, or to be put before a reader of another kind.

They are stages like those that prepare the documents, in a folder of their own: one that is gone when the answer is there, or one that you
name, where each can be looked at, and done again from any of them. What people ask is theirs: without such a folder nothing of it is kept.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from pathlib import Path

from labkit.collection import Document
from labkit.dates import read_date
from labkit.embedding.embedder import Embedder
from labkit.errors import BadArgument
from labkit.files import write_atomically
from labkit.hierarchy import Child, Parent
from labkit.own.long_settings import JUDGES, STAGES, LongSettings, read_long
from labkit.own.long_work import PREPARING, children_in, code, long_stages, parents_in, rows_of, words_of
from labkit.own.material import load_documents
from labkit.own.searching import model_named
from labkit.own.settings import load_settings
from labkit.own.work import FOLDER, load, write
from labkit.passages import Passage
from labkit.retrieval.citation import Citation
from labkit.retrieval.expanding import expand_to_parents
from labkit.retrieval.fusion import reciprocal_rank_fusion
from labkit.retrieval.hybrid_search import DEPTH
from labkit.retrieval.keyword import Hit, KeywordIndex
from labkit.retrieval.passage_search import READERS
from labkit.retrieval.vectors import VectorIndex
from labkit.stages import Pipeline, Progress, Stage, StageError, Task

__all__ = ["Answer", "ask", "make_ready"]

ANSWERING = STAGES[len(PREPARING) :]
PLACE = "long"  # below the folder of stages
PATIENCE = 30.0  # seconds: somebody else's question does not take longer


@dataclass(frozen=True)
class Cited:
    """A passage that was handed over: its number (from 1), where it stands, and its text. `children`: the ids of what found it."""

    number: int
    passage: Passage
    citation: str
    heading_path: tuple[str, ...]
    children: tuple[str, ...]

    @property
    def kind(self) -> str:
        """'parent', or 'child' where the parent is longer than the budget."""
        return "parent" if isinstance(self.passage, Parent) else "child"


@dataclass(frozen=True)
class Answer:
    """What came of a question: passages with citations, best first, and what a reader must know of them.

    `words` of `budget` were handed over. `problems`: what could not be read of the documents, with the file. `too_long`: words of the first
    passage, where it alone is longer than the budget. `stages`: the records of the nine stages, by name.
    """

    question: str
    passages: list[Cited]
    words: int
    budget: int
    too_long: int
    problems: list[dict] = field(repr=False)
    stages: dict[str, dict] = field(repr=False)


def ask(
    folder: Path | str,
    question: str,
    *,
    access: str = "public",
    as_of: date | str | None = None,
    budget: int | None = None,
    start: str | None = None,
    keep: Path | str | None = None,
    progress: Progress | None = None,
    embedder: Embedder | None = None,
) -> Answer:
    """The passages of a folder's documents that answer a question, each with its place. Lessons 11 to 14.

    access: who reads, 'public' or 'staff'. as_of: only editions in force on that day ('2026-12-01' or a date); None: all. budget: words,
    in the place of the one in labkit.toml. start: the stage from which on everything is done again. keep: a folder for the stages that
    answer; None: they leave nothing. embedder: in the place of the model in labkit.toml.

    Raises FaultsError with every fault of labkit.toml and inventory, BadArgument for what makes no sense, StageError where a stage cannot
    be done, or another labkit has been at work in the folder for half a minute.
    """
    if not isinstance(question, str) or not question.strip():
        raise BadArgument("there is no question — ask one, in plain words")
    if access not in READERS:
        raise BadArgument(f"access is {access!r}: the reader is one of {', '.join(READERS)}")
    if start is not None and start not in STAGES:
        raise BadArgument(f"there is no stage {start!r} — there are {', '.join(STAGES)}")
    day = read_date(as_of) if isinstance(as_of, str) else as_of
    with ExitStack() as stack:
        with prepared(folder, start, progress, embedder) as ready:
            shelf = stack.enter_context(_Shelf.of(ready, access, day))
        settings = ready.settings if budget is None else replace(ready.settings, budget=_words(budget))
        place = stack.enter_context(_answering_folder(keep))
        stages = _answering(shelf, question, settings, ready.embedder, Path(folder))
        work = stack.enter_context(Pipeline(place, stages, progress if keep is not None else None, patience=PATIENCE))
        results = work.run(start if start in ANSWERING else None)
        cited = [shelf.cited(row) for row in load(results["context"] / "context.json")]
        delivered = load(results["expand"] / "delivered.json")
        records = ready.records | {name: work.records[name] for name in ANSWERING}
    return Answer(question, cited, delivered["words"], settings.budget, delivered["too_long"], ready.problems, records)


@dataclass(frozen=True)
class Prepared:
    """The documents of a folder, ready for questions: the stages' results and records, and what could not be read."""

    settings: LongSettings
    embedder: Embedder
    documents: tuple[Document, ...]
    results: dict[str, Path]
    records: dict[str, dict]
    problems: list[dict]


@contextmanager
def prepared(
    folder: Path | str, start: str | None = None, progress: Progress | None = None, embedder: Embedder | None = None
) -> Iterator[Prepared]:
    """Brings the first five stages up to date; in the block nobody else changes their results. Errors as for `ask`.

    start: one of the nine stages; those of the five that stand before it must be finished.
    """
    folder = Path(folder)
    settings = load_settings(folder).long
    documents = load_documents(folder)
    embedder = model_named(settings.model, folder) if embedder is None else embedder
    outer = folder / FOLDER
    if outer.is_symlink():
        raise StageError(f"{outer} is a link — take it away; a folder is made in its place")
    outer.mkdir(exist_ok=True)
    write_atomically(outer / ".gitignore", "*\n", overwrite=False)
    stages = long_stages(documents, settings, embedder)
    with Pipeline(outer / PLACE, stages, progress, kept=outer / "kept", patience=PATIENCE) as work:
        results = _finished(work, start) if start in ANSWERING else work.run(start)
        read = load(results["read"] / "documents.json")
        problems = [{"file": row["file"], **problem} for row in read for problem in row["problems"]]
        told = {row["file"] for row in problems}
        for name in PREPARING[1:]:
            for each in work.records[name]["set_aside"]:
                if each["item"] not in told:
                    what, _, todo = each["reason"].partition(" — ")
                    problems.append({"file": each["item"], "page": None, "what": f"{name}: {what}", "todo": todo})
        yield Prepared(settings, embedder, documents, results, {name: work.records[name] for name in PREPARING}, problems)


def _finished(work: Pipeline, start: str) -> dict[str, Path]:
    """The results of all stages; a question that starts further on does not go on from a half-done one."""
    try:
        return {stage.name: work.result(stage.name) for stage in work.stages}
    except StageError as error:
        why = str(error).partition(" — ")[0]
        raise StageError(f"from {start}: {why} — name none, and all that is needed is done") from None


def make_ready(
    folder: Path | str, start: str | None = None, progress: Progress | None = None, embedder: Embedder | None = None
) -> Prepared:
    """Brings the first five stages up to date, and says how they stand. Errors as for `ask`."""
    with prepared(folder, start, progress, embedder) as ready:
        return ready


@contextmanager
def _answering_folder(keep: Path | str | None) -> Iterator[Path]:
    if keep is not None:
        yield Path(keep)
        return
    with tempfile.TemporaryDirectory(prefix="labkit-ask-") as name:
        yield Path(name)


def _words(budget: int) -> int:
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise BadArgument(f"the budget is {budget!r}: a whole number of words, 1 or more")
    return budget


# --- what is searched -------------------------------------------------------------------------------------------------------------------


class _Shelf:
    """Children and parents that one reader may see on one day, and where they stand."""

    def __init__(self, ready: Prepared, access: str, day: date | None):
        self.access, self.day = access, day
        labels = READERS[access]
        in_force = {(each.doc_id, each.version) for each in ready.documents if day is None or each.in_force(day)}

        def visible(each: Passage) -> bool:
            return each.access in labels and (each.doc_id, each.version) in in_force

        self.children: dict[str, Child] = {
            each.id: each for each in children_in(ready.results["children"] / "children.jsonl") if visible(each)
        }
        self.parents: dict[str, Parent] = {
            each.id: each for each in parents_in(ready.results["parents"] / "parents.jsonl") if visible(each)
        }
        self._labels = {
            (row["doc_id"], row["version"]): (row["title"], {int(page): label for page, label in row["page_labels"].items()})
            for row in load(ready.results["read"] / "documents.json")
        }
        self.made_of = {name: ready.records[name]["outputs"] for name in ("parents", "children", "index")}
        self.words: KeywordIndex | None = None
        self.rows: VectorIndex | None = None

    @classmethod
    @contextmanager
    def of(cls, ready: Prepared, access: str, day: date | None) -> Iterator[_Shelf]:
        """The shelf with its indexes open; they stay what they are, whatever is made in their place meanwhile."""
        shelf = cls(ready, access, day)
        folder = ready.results["index"]
        with words_of(folder, access) as shelf.words, rows_of(folder, access, ready.embedder) as shelf.rows:
            shelf.rows.rows()
            yield shelf

    def citation(self, passage: Passage) -> str:
        """Where a passage stands, in a line."""
        title, page_labels = self._labels[passage.doc_id, passage.version]
        return str(Citation.of(passage, title, page_labels))

    def cited(self, row: dict) -> Cited:
        """A row of context.json, with its passage."""
        held = self.parents if row["kind"] == "parent" else self.children
        return Cited(row["number"], held[row["id"]], row["citation"], tuple(row["heading_path"]), tuple(row["children"]))


def all_stages() -> list[Stage]:
    """The nine stages in order, to read their contracts; they are of no documents, and are not for running."""
    settings = read_long({}, Path(), lambda *_: None)
    return [*long_stages([], settings, None), *_answering(None, "", settings, None, Path())]


# --- the four stages --------------------------------------------------------------------------------------------------------------------


def _answering(shelf: _Shelf, question: str, settings: LongSettings, embedder: Embedder, base: Path) -> list[Stage]:
    judge = _Judge(settings.rerank, shelf, embedder, base)
    stages = [
        Stage(
            "search", "finds the first children, by words, by meaning, or both fused by rank",
            lambda: {
                "question": question, "reader": shelf.access, "day": str(shelf.day), "way": settings.search, "first": settings.first,
                "model": embedder.name, "index": shelf.made_of, "code": code(),
            },
            partial(_search, shelf, question, settings), partial(_check_found, shelf, settings),
            promises="different children that this reader may see, and no more than are judged",
        ),
        Stage(
            "rerank", "judges them again where a judge is named, and keeps the best",
            lambda: {"question": question, "judge": judge.name, "keep": settings.keep, "least": settings.least, "code": code()},
            partial(_rerank, shelf, question, settings, judge), partial(_check_kept, settings), ("search",),
            promises="different children, and no more than are kept",
        ),
        Stage(
            "expand", "brings the parent of each child, once, within the budget",
            lambda: {"budget": settings.budget, "index": shelf.made_of, "code": code()},
            partial(_expand, shelf, settings), partial(_check_delivered, settings), ("rerank",),
            promises="each passage once, and no more words than the budget",
        ),
        Stage(
            "context", "writes the passages down, each with its place",
            lambda: {"index": shelf.made_of, "code": code()},
            partial(_context, shelf), partial(_check_context, shelf), ("rerank", "expand"),
            promises="a citation for each passage, and the text that stands at the place it names",
        ),
    ]  # fmt: skip
    return [replace(stage, owner=settings.owner(stage.name), attempts=settings.attempts) for stage in stages]


def _search(shelf: _Shelf, question: str, settings: LongSettings, task: Task) -> None:
    deep = max(settings.first, DEPTH)
    rankings: dict[str, list[Hit]] = {}
    if settings.search != "meaning":
        rankings["by words"] = shelf.words.search(question, deep, shelf.children.__contains__)
    if settings.search != "keyword":
        rankings["by meaning"] = shelf.rows.search(question, deep, shelf.children.__contains__)
    ranks = {way: {hit.id: hit.rank for hit in hits} for way, hits in rankings.items()}
    fused = reciprocal_rank_fusion(list(rankings.values())) if len(rankings) > 1 else next(iter(rankings.values()))
    rows = [
        {"rank": hit.rank, "id": hit.id, "score": round(hit.score, 6)} | {way: ranks[way].get(hit.id) for way in ranks}
        for hit in fused[: settings.first]
    ]
    write(task.folder / "found.json", rows)


def _check_found(shelf: _Shelf, settings: LongSettings, folder: Path) -> str:
    ids = [row["id"] for row in load(folder / "found.json")]
    strange = next((id_ for id_ in ids if id_ not in shelf.children), None)
    if strange is not None:
        return f"{strange} is none of this reader's children"
    return _different(ids, settings.first)


def _different(ids: Sequence[str], most: int) -> str:
    twice = next((id_ for place, id_ in enumerate(ids) if id_ in ids[:place]), None)
    return f"{twice} stands twice" if twice is not None else "" if len(ids) <= most else f"{len(ids)} of at most {most}"


class _Judge:
    """Who judges again: nobody, MaxSim, or a cross-encoder from a folder."""

    def __init__(self, rerank: str, shelf: _Shelf, embedder: Embedder, base: Path):
        self.scorer = None
        if rerank == "maxsim":
            from labkit.retrieval.reranking.maxsim import MaxSim, rarity_in
            from labkit.retrieval.reranking.token_vectors import WordVectors

            self.scorer = MaxSim(WordVectors(embedder), rarity_in(shelf.words))
        elif rerank not in JUDGES:
            from labkit.retrieval.reranking.cross_encoder import CrossEncoder

            self.scorer = CrossEncoder(base / rerank)
        self.name = "none" if self.scorer is None else self.scorer.name


def _rerank(shelf: _Shelf, question: str, settings: LongSettings, judge: _Judge, task: Task) -> None:
    from labkit.retrieval.reranking.judging import judge as judged

    found = [shelf.children[row["id"]] for row in load(task.results["search"] / "found.json")]
    if judge.scorer is None:
        rows = [{"rank": rank, "id": child.id, "score": None, "before": rank} for rank, child in enumerate(found, start=1)]
        kept = rows[: settings.keep]
    else:
        all_ = judged(question, found, judge.scorer, settings.first)
        rows = [{"rank": each.rank, "id": each.id, "score": each.score, "before": each.before} for each in all_]
        kept = [row for row in rows if row["score"] >= round(settings.least, 4)][: settings.keep]
    write(task.folder / "kept.json", {"judge": judge.name, "kept": kept, "left": rows[len(kept) :]})


def _check_kept(settings: LongSettings, folder: Path) -> str:
    return _different([row["id"] for row in load(folder / "kept.json")["kept"]], settings.keep)


def _expand(shelf: _Shelf, settings: LongSettings, task: Task) -> None:
    kept = [shelf.children[row["id"]] for row in load(task.results["rerank"] / "kept.json")["kept"]]
    parents = [shelf.parents[id_] for id_ in dict.fromkeys(child.parent for child in kept)]
    delivered = expand_to_parents(kept, parents, settings.budget)
    rows = [{"id": each.id, "kind": "parent" if isinstance(each, Parent) else "child", "words": each.words} for each in delivered]
    too_long = 0 if delivered or not kept else kept[0].words  # its parent is longer still
    write(task.folder / "delivered.json", {"words": sum(row["words"] for row in rows), "too_long": too_long, "delivered": rows})


def _check_delivered(settings: LongSettings, folder: Path) -> str:
    made = load(folder / "delivered.json")
    over = "" if made["words"] <= settings.budget else f"{made['words']} words of a budget of {settings.budget}"
    return over or _different([row["id"] for row in made["delivered"]], len(made["delivered"]))


def _context(shelf: _Shelf, task: Task) -> None:
    kept = [row["id"] for row in load(task.results["rerank"] / "kept.json")["kept"]]
    rows, said = [], []
    for number, row in enumerate(load(task.results["expand"] / "delivered.json")["delivered"], start=1):
        is_parent = row["kind"] == "parent"
        passage = shelf.parents[row["id"]] if is_parent else shelf.children[row["id"]]
        found_by = [id_ for id_ in kept if (shelf.children[id_].parent if is_parent else id_) == passage.id]
        place = {"doc_id": passage.doc_id, "version": passage.version, "access": passage.access, "pages": list(passage.pages)}
        place |= {"start": passage.start, "end": passage.end, "citation": shelf.citation(passage)}
        rows.append({"number": number, "id": passage.id, "kind": row["kind"], "heading_path": passage.heading_path, "words": passage.words}
                    | place | {"children": found_by, "context": passage.context, "text": passage.text})  # fmt: skip
        said.append(f"[{number}] {passage.context}\n\n{passage.text}\n\n— {place['citation']}\n")
    write(task.folder / "context.json", rows)
    (task.folder / "context.md").write_text("\n".join(said), "utf-8", "surrogatepass", newline="")


def _check_context(shelf: _Shelf, folder: Path) -> str:
    said = (folder / "context.md").read_text("utf-8", "surrogatepass")
    for number, row in enumerate(load(folder / "context.json"), start=1):
        place = f"characters {row['start']}–{row['end']}"
        parent = shelf.parents[row["id"] if row["kind"] == "parent" else shelf.children[row["id"]].parent]
        if row["text"] != parent.text[row["start"] - parent.start : row["end"] - parent.start]:
            return f"passage {number} is not what stands at {place}"
        if row["number"] != number or not row["citation"].endswith(place) or row["citation"] not in said:
            return f"passage {number} has no citation of its own"
    return ""
