"""How long things take, on this machine, in this minute: `make bench`, or `python benchmarks/bench.py`.

A table, no verdict: nothing here fails because a machine is slow. What stands under one heading ran in one process, on the same
passages and the same questions, and every row says what its number leaves out, since no two of these programs do the same work.

To add rows: write a function that yields Rows (or a plain line), with its heading as docstring, and put it into PARTS.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from itertools import cycle, islice
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import bm25s
import chunkers
import long_code
import made_documents
import neighbours
import numpy as np
import own_collection
from rank_bm25 import BM25Okapi

from labkit import (
    CollectionIndex,
    KeywordIndex,
    KeywordSearch,
    by_structure,
    evaluate_at_budgets,
    fixed,
    load_inventory,
    load_questions,
    match_expression,
    overlapping,
    parse,
    split_sections,
    words,
)
from labkit.course import course_folder
from labkit.embedding.cached import CachedEmbedder
from labkit.embedding.models import load_embedder
from labkit.own.long_asking import ANSWERING, ask, make_ready
from labkit.own.long_work import children_in
from labkit.own.reporting import STAGES, make_report
from labkit.parsing.many import ManyDocuments, parse_many
from labkit.retrieval.hnsw import HnswIndex, recall_against_exact
from labkit.retrieval.vectors import VectorIndex, nearest_first, similarities

K = 5
SEED = 154
BUDGETS = (100, 200, 400)  # words
DAY = "2026-12-01"


@dataclass(frozen=True)
class Row:
    """One line of the table. `n`: how many things `what` is about. `times`: seconds of each run. `leaves_out`: what a reader must know."""

    what: str
    n: int
    times: list[float]
    leaves_out: str = ""


def clock(call: Callable[[], object]) -> tuple[float, object]:
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def times(call: Callable[[], object], runs: int) -> list[float]:
    return [clock(call)[0] for _ in range(runs)]


def times_of_each(call: Callable[[object], object], inputs: list, runs: int = 3) -> list[float]:
    """Every input `runs` times; one more call before that, which is not counted (the first touches memory that the others find warm)."""
    call(inputs[0])
    return [clock(partial(call, item))[0] for _ in range(runs) for item in inputs]


def sections() -> list[tuple[str, str]]:
    """Id and text of each section of Larkfield's Markdown files, as the lessons index them."""
    documents = [document for document in load_inventory() if document.format == "md"]
    return [(section.id, section.passage) for document in documents for section in split_sections(document)]


def made_passages(number: int) -> list[tuple[str, str]]:
    """`number` different passages, the same ones each time: Larkfield's sections in turn, one word in eight put in from elsewhere,
    and a number of its own at the end of each. Lengths and the shares of common and rare words stay near the collection's own.
    """
    chance = random.Random(SEED)
    texts = [text.split() for _, text in sections()]
    any_word = [word for text in texts for word in text]
    passages = []
    for place, text in enumerate(islice(cycle(texts), number)):
        changed = [chance.choice(any_word) if chance.random() < 1 / 8 else word for word in text]
        passages.append((f"p{place:06}", " ".join([*changed, f"no{place}"])))
    return passages


def made_page(passages: list[tuple[str, str]], length: int) -> str:
    """A page of `length` words, as someone pastes it into a search: passages from all over the collection, one after another."""
    chance = random.Random(SEED)
    page: list[str] = []
    while len(page) < length:
        page += chance.choice(passages)[1].split()
    return " ".join(page[:length])


# ---------------------------------------------------------------------- the parts


def larkfield(options: argparse.Namespace) -> Iterator[Row | str]:
    """Larkfield as it is"""
    questions = [question.question for question in load_questions()]
    yield Row("inventory: read and check", len(load_inventory()), times(load_inventory, 5))
    pairs = sections()
    yield Row("inventory and sections", len(pairs), times(sections, 5))

    def index() -> KeywordIndex:
        built = KeywordIndex()
        built.add(pairs)
        return built

    yield Row("keyword index: build", len(pairs), times(index, 5), "sections are ready")
    search = index().search
    yield Row("keyword index: one question", len(questions), times_of_each(search, questions), "n: questions, each 3 times")
    plain = plain_fts5(pairs)
    ready = [match_expression(question) for question in questions]
    yield Row("plain FTS5: one question", len(questions), times_of_each(plain, ready), "FTS5's query is ready; ties in no order")


class Firsts:
    """The first result of each program for each question, noted beside its times, so that a fast answer is also the right one."""

    def __init__(self, n: int):
        self.n = n
        self.found: dict[str, list[str]] = {}

    def ask(self, program: str, first: Callable[[object], str], inputs: list, leaves_out: str) -> Row:
        self.found[program] = [first(item) for item in inputs]
        return Row(f"{program}: question", self.n, times_of_each(first, inputs), leaves_out)


def many_passages(options: argparse.Namespace) -> Iterator[Row | str]:
    """One question on many passages"""
    pairs = made_passages(options.passages)
    questions = [question.question for question in load_questions()][: options.questions]
    firsts = Firsts(len(pairs))
    yield from with_labkit(pairs, questions, firsts)
    yield from with_plain_fts5(pairs, questions, firsts)
    seconds, cut = clock(lambda: [words(text) for _, text in pairs])
    yield Row("cutting into words, for the next two", len(pairs), [seconds], "labkit's words(): they bring no such tokenizer")
    names = [id_ for id_, _ in pairs]
    asked = [words(question) for question in questions]
    yield from with_rank_bm25(names, cut, asked, firsts)
    yield from with_bm25s(names, cut, asked, firsts)
    ours = firsts.found["labkit"]
    for program, theirs in firsts.found.items():
        same = sum(one == other for one, other in zip(ours, theirs, strict=True))
        if program != "labkit":
            yield f"{program}: the first result is labkit's for {same} of {len(ours)} questions"


def with_labkit(pairs: list[tuple[str, str]], questions: list[str], firsts: Firsts) -> Iterator[Row]:
    def even(id_: str) -> bool:
        return id_[-1] in "02468"

    with KeywordIndex() as index:
        yield Row("labkit: build", len(pairs), times(lambda: index.add(pairs), 1))
        yield firsts.ask("labkit", lambda text: index.search(text, K)[0].id, questions, "nothing: text in; ids, scores, ties by id out")
        filtered = times_of_each(lambda text: index.search(text, K, even), questions)
        yield Row("labkit: question, half allowed", len(pairs), filtered, "nothing")


def with_plain_fts5(pairs: list[tuple[str, str]], questions: list[str], firsts: Firsts) -> Iterator[Row]:
    seconds, search = clock(lambda: plain_fts5(pairs))
    yield Row("plain FTS5: build", len(pairs), [seconds], "an id replaces nothing; ligatures, U+FEFF … stay as they are")
    ready = [match_expression(question) for question in questions]
    yield firsts.ask("plain FTS5", lambda query: search(query)[0][0], ready, "its query is ready; ties in no order; no filter")


def with_rank_bm25(names: list[str], cut: list[list[str]], asked: list[list[str]], firsts: Firsts) -> Iterator[Row]:
    seconds, library = clock(lambda: BM25Okapi(cut, k1=1.2, b=0.75))
    yield Row("rank_bm25: build", len(names), [seconds], "words are ready; in memory; nothing can be added later")
    yield firsts.ask(
        "rank_bm25",
        lambda these: names[best(library.get_scores(these))[0]],
        asked,
        "words are ready; other weights for common words; ties in no order",
    )


def with_bm25s(names: list[str], cut: list[list[str]], asked: list[list[str]], firsts: Firsts) -> Iterator[Row]:
    library = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    seconds, _ = clock(lambda: library.index(cut, show_progress=False))
    yield Row("bm25s: build", len(names), [seconds], "words are ready; all scores computed here; nothing can be added later")
    yield firsts.ask(
        "bm25s",
        lambda these: names[library.retrieve([these], k=K, show_progress=False)[0][0][0]],
        asked,
        "words are ready; Lucene's weights, 32 bits; ties in no order; no filter by id",
    )


def pasted_page(options: argparse.Namespace) -> Iterator[Row | str]:
    """A pasted page as a question"""
    pairs = made_passages(options.passages // 5)
    index = KeywordIndex()
    index.add(pairs)
    for length in (200, 2_000, 20_000):
        page = made_page(pairs, length)
        spent = times(partial(index.search, page, K), 1 if length > 2_000 else 3)
        yield Row(f"labkit: {length:,} words", len(pairs), spent, f"nothing; {len(set(words(page))):,} of the words differ")
    index.close()


def chunking(options: argparse.Namespace) -> Iterator[Row | str]:
    """Cutting: pieces of 100 words (n: chunks)"""
    for name, texts in chunkers.texts().items():
        yield f"{name}:"
        for program, (cut, note) in chunkers.cutters().items():
            result = chunkers.judge(cut, texts)
            yield Row(program, result.chunks, result.seconds, "; ".join(filter(None, [str(result), note])))


def from_files_to_index(options: argparse.Namespace) -> Iterator[Row | str]:
    """Larkfield from its files to an index on disk: read, cut, indexed (n: documents)"""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "larkfield"
        shutil.copytree(course_folder() / "corpus" / "larkfield", folder)
        documents = load_inventory(folder)
        runs = [Path(name) / f"index-{run}.db" for run in range(4)]

        def bring(file: Path, changed: int) -> None:
            with CollectionIndex(file) as index:
                report = index.update(load_inventory(folder))
            if len(report.added) + len(report.changed) != changed:
                raise SystemExit(f"{changed} documents were to be indexed, and it was {report}")

        bring(runs[0], len(documents))  # libraries are loaded, files are warm
        spent = [clock(partial(bring, file, len(documents)))[0] for file in runs[1:]]
        yield Row("from nothing", len(documents), spent, "nothing: inventory, reading, cutting by structure, a file on disk")
        edited = next(document.path for document in documents if document.format == "md")
        text, spent = edited.read_text(encoding="utf-8"), []
        for run in range(5):
            edited.write_text(f"{text.rstrip()}\n\nA sentence of run {run}.\n", encoding="utf-8", newline="")
            spent.append(clock(partial(bring, runs[0], 1))[0])
        yield Row("one document changed", len(documents), spent, "nothing; a Markdown file, and the other files are looked at")
        yield Row("nothing changed", len(documents), times(partial(bring, runs[0], 0), 5), "nothing; every file is looked at")


def pdf_pages(options: argparse.Namespace) -> Iterator[Row | str]:
    """Pages of a long PDF (n: pages)"""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "long.pdf"
        made_documents.long_pdf(file, options.pages, [word for _, text in sections() for word in text.split()], SEED)
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

        def read(**how: object) -> ManyDocuments:
            done = parse_many([file], **how)
            if [len(parsed.pages) for parsed in done.documents] != [options.pages]:
                raise SystemExit(f"a PDF of {options.pages} pages was to be read, and it was not: {done.unread}")
            return done

        def row(what: str, note: str, runs: int = 1, **how: object) -> Iterator[Row | str]:
            spent = times(partial(read, **how), runs)
            yield Row(what, options.pages, spent, note)
            yield f"{what}: {options.pages / median(spent):,.0f} pages a second"

        plain = "a plain PDF: prose, headings, ruled tables; no columns, no scans; not cut, not indexed"
        yield from row("one core", plain, processes=1)
        yield from row(f"{cores} cores", "as above; starting the processes counts", processes=cores)
        cache = Path(name) / "cache"
        read(processes=cores, cache=cache)
        yield from row("a second time, from the cache", "the file is looked at, not read", runs=3, cache=cache)


def evaluation(options: argparse.Namespace) -> Iterator[Row | str]:
    """Evaluation at equal budgets: questions × chunkers × budgets (n: judged answers)"""
    questions = [question for question in load_questions() if question.relevant]
    seconds, documents = clock(lambda: [parse(document) for document in load_inventory()])
    yield Row("reading, once (n: documents)", len(documents), [seconds], "one core, no cache")
    cutters = {"fixed": fixed, "overlapping": overlapping, "by structure": by_structure}

    def indexed() -> dict[str, KeywordSearch]:
        return {name: KeywordSearch([chunk for parsed in documents for chunk in cut(parsed)]) for name, cut in cutters.items()}

    seconds, searches = clock(indexed)
    chunks = sum(len(search.passages) for search in searches.values())
    yield Row("cutting and indexing, once (n: chunks)", chunks, [seconds], "documents are read; in memory")

    def judge() -> None:
        for search in searches.values():
            evaluate_at_budgets(questions, search, BUDGETS, documents=documents)

    judged = len(questions) * len(searches) * len(BUDGETS)
    note = "documents are read, chunks indexed; hit, recall and evidence, no interval"
    yield Row(f"{len(questions)} × {len(searches)} × {len(BUDGETS)}, all of it", judged, times(judge, 3), note)


def large_collection(options: argparse.Namespace) -> Iterator[Row | str]:
    """The same questions on a large collection's index on disk (n: chunks)"""
    questions = [question.question for question in load_questions() if question.relevant]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "made"
        made_documents.collection(folder, [text for _, text in made_passages(options.passages)])
        # so wide that every section is one chunk
        with CollectionIndex(Path(name) / "index.db", "by_structure(max_words=2000)") as index:
            seconds, _ = clock(lambda: index.update(load_inventory(folder)))
            n, files = len(index), len(index.documents())
            yield Row("from nothing", n, [seconds], f"nothing: {files:,} Markdown files are read, cut, and indexed for two readers")
            asked = {
                "one question, as staff": {"access": "staff"},
                "one question, as public": {"access": "public"},
                f"… and in force on {DAY}": {"access": "public", "as_of": DAY},
            }
            note = f"nothing: text in; {K} chunks with citations out, ties by id; {len(questions)} questions, each once"
            for what, how in asked.items():
                yield Row(what, n, times_of_each(partial(index.search, k=K, **how), questions, runs=1), note)
                note = "as above"


def own_collection_report(options: argparse.Namespace) -> Iterator[Row | str]:
    """A report on a collection of one's own, stage by stage: three chunkers, three budgets (n: documents)"""
    n, asked = options.documents, max(1, options.documents // 10)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "mine"
        own_collection.make(folder, n, asked)
        seconds, made = clock(lambda: make_report(folder))
        stages = json.loads((folder / ".labkit" / "manifest.json").read_text("utf-8"))["stages"]
        for stage in STAGES:
            note = f"{stages[stage]['bytes'] / 1e6:,.1f} MB left; it {stages[stage]['does']}"
            yield Row(f"own collection: {stage}", n, [stages[stage]["seconds"]], note)
        yield Row("own collection: from nothing", n, [seconds], f"the page; {asked:,} questions, {made['collection']['words']:,} words")
        yield Row("own collection: nothing changed", n, times(lambda: make_report(folder), 3), "the page; every file is looked at")
        edited = folder / "documents" / "00" / "d00000.md"
        edited.write_text(f"{edited.read_text('utf-8').rstrip()}\n\nOne more sentence.\n", "utf-8", newline="")
        spent = times(lambda: make_report(folder), 1)
        yield Row("own collection: one changed", n, spent, "the page; one document is read, all are cut again")


def embedding(options: argparse.Namespace) -> Iterator[Row | str]:
    """Texts into rows of numbers (the first call of each model loads it)"""
    texts = [text for _, text in sections()[::4]]
    for which in ("multilingual", "english"):
        seconds, model = clock(lambda which=which: load_embedder(which))
        first, _ = clock(lambda model=model: model.embed_query("first"))
        yield Row(f"{which}: load", 1, [seconds + first])
        spent = times_of_each(lambda text, model=model: model.embed([text]), texts, 1)
        yield Row(f"{which}: one section", len(texts), spent, f"{model.dimensions} numbers; no cache")
        yield f"{which}: {len(texts) / sum(spent):,.0f} texts a second"


def search_by_meaning(options: argparse.Namespace) -> Iterator[Row | str]:
    """The first ten by meaning: all rows compared, or a graph of neighbours (HNSW)"""
    asked = neighbours.asked_rows([question.question for question in load_questions()])
    rows = neighbours.made_rows([text for _, text in sections()], options.passages)
    ids = [f"p{place:06}" for place in range(len(rows))]
    for n in [size for size in (1_000, 3_000, 10_000, 30_000, 100_000) if size < len(rows)] + [len(rows)]:
        these = rows[:n]
        exact = times_of_each(lambda row, these=these: list(islice(nearest_first(similarities(these, row), 10), 10)), list(asked), 1)
        yield Row("labkit, exact: question", n, exact, "the question is embedded already")
        plain = times_of_each(lambda row, these=these: np.argpartition(these @ row, -10)[-10:], list(asked), 1)
        yield Row("plain numpy, exact: question", n, plain, "ten in no order, scores not rounded")
        built, graph = clock(lambda n=n, these=these: HnswIndex(ids[:n], these))
        yield Row("HNSW: build", n, [built], "rows are ready; one thread; nothing can be added later")
        walked = times_of_each(lambda row, graph=graph: graph.nearest(row, 10), list(asked), 1)
        yield Row("HNSW: question", n, walked, "the question is embedded already")
        saved = median(exact) - median(walked)
        pays = f"built in the time of {built / saved:,.0f} questions' gain" if saved > 0 else "it saves no time"
        yield f"HNSW, n = {n:,}: recall@10 against exact {recall_against_exact(graph, asked):.3f}; {pays}"


def long_documents(options: argparse.Namespace) -> Iterator[Row | str]:
    """A long PDF, from the file to cited passages, stage by stage (labkit ask)"""
    questions = [each.question for each in load_questions(course_folder() / "questions" / "northmark.jsonl")][: options.questions]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "code"
        pages = long_code.make(folder, options.code_pages)
        seconds, ready = clock(lambda: make_ready(folder))
        for stage, record in ready.records.items():
            yield Row(f"long: {stage}", pages, [record["seconds"]], f"n: pages; {record['bytes'] / 1e6:,.1f} MB left; it {record['does']}")
        yield Row("long: from nothing", pages, [seconds], "n: pages; nothing: the PDF in, both indexes out; the model is loaded")
        made = [clock(partial(ask, folder, question)) for question in questions]
        held = list(children_in(ready.results["children"] / "children.jsonl"))
        for stage in ANSWERING:
            spent = [answer.stages[stage]["seconds"] for _, answer in made]
            yield Row(f"long: {stage}", len(held), spent, "n: children; its files and its check counted; to the millisecond")
        yield Row("long: one question", len(held), [spent for spent, _ in made], "n: children; nothing: every digest is looked at")
        yield from one_question_beside_others(held, questions)


def one_question_beside_others(held: list, questions: list[str]) -> Iterator[Row | str]:
    """The two searches of a long document's children alone, in memory, beside a library each."""
    pairs = [(child.id, child.passage) for child in held]
    with KeywordIndex() as index:
        yield Row("by words, labkit: build", len(pairs), times(lambda: index.add(pairs), 1))
        yield Row("by words, labkit: question", len(pairs), times_of_each(lambda text: index.search(text, 50), questions))
    cut = [words(text) for _, text in pairs]
    library = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    seconds, _ = clock(lambda: library.index(cut, show_progress=False))
    yield Row("by words, bm25s: build", len(pairs), [seconds], "words are ready")
    asked, deep = [words(question) for question in questions], min(50, len(pairs))
    found = times_of_each(lambda these: library.retrieve([these], k=deep, show_progress=False), asked)
    yield Row("by words, bm25s: question", len(pairs), found, "words are ready; ties in no order; no filter by id")
    model = CachedEmbedder(load_embedder("multilingual"))
    with VectorIndex(embedder=model) as index:
        yield Row("by meaning, labkit: build", len(pairs), times(lambda: index.add(pairs), 1), "nothing: each text is embedded")
        rows = [model.embed_query(question) for question in questions]
        yield Row("by meaning, labkit: question", len(pairs), times_of_each(lambda row: index.nearest(row, 50), rows), _READY)
        _, matrix = index.rows()
        plain = times_of_each(lambda row: np.argpartition(matrix @ row, -deep)[-deep:], rows)
        yield Row("by meaning, plain numpy: question", len(pairs), plain, f"{_READY}; fifty in no order, not rounded")


_READY = "the question is embedded already"

PARTS = [
    larkfield, from_files_to_index, evaluation, many_passages, large_collection, pasted_page, chunking, pdf_pages, own_collection_report,
    embedding, search_by_meaning, long_documents,
]  # fmt: skip


def plain_fts5(pairs: list[tuple[str, str]]) -> Callable[[str], list]:
    """A search as anybody would write it: one FTS5 table, one statement."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE plain USING fts5(id UNINDEXED, text, tokenize='unicode61 remove_diacritics 2')")
    database.executemany("INSERT INTO plain VALUES (?, ?)", pairs)
    return lambda query: database.execute(
        "SELECT id, rank FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT ?", (query, K)
    ).fetchall()


def best(scores: np.ndarray) -> np.ndarray:
    """The places of the K highest scores, highest first."""
    top = np.argpartition(scores, -K)[-K:]
    return top[np.argsort(-scores[top])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--passages", type=int, default=100_000, help="how many passages to make (default: 100000)")
    parser.add_argument("--questions", type=int, default=10, help="how many questions to ask them (default: 10)")
    parser.add_argument("--pages", type=int, default=400, help="how many pages the PDF has (default: 400)")
    parser.add_argument("--documents", type=int, default=1_000, help="how many documents one's own collection has (default: 1000)")
    parser.add_argument("--code-pages", type=int, default=1_000, help="how many pages of the long code to ask (default: all)")
    options = parser.parse_args()
    if options.passages < 100 or min(options.questions, options.pages, options.documents) < 1 or options.code_pages < 4:
        parser.error("at least 100 passages, 1 question, 1 page, 1 document and 4 pages of the code are needed")
    print(f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, ", end="")
    beside = ("rank-bm25", "bm25s", "numpy", "langchain-text-splitters", "semchunk", "chonkie", "pypdf", "onnxruntime", "faiss-cpu")
    print(", ".join(f"{name} {version(name)}" for name in beside))
    for part in PARTS:
        print(f"\n{part.__doc__}\n  {'what':38}{'n':>9}{'runs':>6}{'median ms':>12}  leaves out", flush=True)
        for row in part(options):
            if isinstance(row, str):
                print(f"  {row}")
                continue
            print(f"  {row.what:38}{row.n:>9,}{len(row.times):>6}{1000 * median(row.times):>12,.2f}  {row.leaves_out}".rstrip(), flush=True)


if __name__ == "__main__":
    main()
