"""Every question of every method: which chunks it brings, by id, as deep as any budget reaches (lesson 15).

Thousands of questions to a large collection are asked on all cores; each process opens the indexes for itself.
"""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path

from labkit.collection import Document
from labkit.own.methods import methods_of
from labkit.own.searching import SearchEngine
from labkit.own.settings import ANY_DAY, SearchSetting, Settings
from labkit.processes import cores, follow_the_first, starting
from labkit.questions import Question

DEPTH = 200  # how far down a miss's rank is looked for; further down it is "not among the first 200"
_AT_ONCE = 50  # questions of one task
_WORTH_IT = 100_000_000  # questions × bytes of what is known of the chunks: some ten seconds; for less, other processes cost too much

Found = dict[str, list[str]]
"""Question's id -> the ids of what it brings, best first."""


@dataclass(frozen=True)
class Shelf:
    """What a search needs beside its setting: where the indexes are (`folder`), the collection's own folder (`base`), its documents, and
    the settings (their chunkers play no part: the places of the indexes say which is which)."""

    folder: Path
    base: Path
    documents: tuple[Document, ...]
    settings: Settings


@dataclass(frozen=True)
class _Task:
    method: int
    chunker: int
    search: SearchSetting
    questions: tuple[Question, ...]


def ask_all(shelf: Shelf, questions: Sequence[Question], progress: Callable[[int, int, str], None]) -> list[Found]:
    """What each method brings for each question: one Found a method, in the order of `methods_of`."""
    methods = methods_of(shelf.settings)
    parts = [tuple(questions[start : start + _AT_ONCE]) for start in range(0, len(questions), _AT_ONCE)]
    tasks = [_Task(number, method.chunker_place, method.search, part) for number, method in enumerate(methods) for part in parts]
    size = sum((shelf.folder / sizes_file(method.chunker_place)).stat().st_size for method in methods)
    many = size * len(questions) >= _WORTH_IT and multiprocessing.parent_process() is None and cores() > 1
    found: list[Found] = [{} for _ in methods]
    for done, (task, answers) in enumerate(_on_all_cores(shelf, tasks) if many else _one_by_one(shelf, tasks), start=1):
        found[task.method] |= answers
        progress(done, len(tasks), methods[task.method].name)
    return found


def _one_by_one(shelf: Shelf, tasks: Sequence[_Task]) -> Iterator[tuple[_Task, Found]]:
    opened: dict[int, MethodSearch] = {}
    try:
        for task in tasks:
            if task.method not in opened:
                while opened:
                    opened.popitem()[1].close()
                opened[task.method] = MethodSearch(shelf, task.search, task.chunker)
            yield task, _answers(opened[task.method], task)
    finally:
        while opened:
            opened.popitem()[1].close()


def _on_all_cores(shelf: Shelf, tasks: Sequence[_Task]) -> Iterator[tuple[_Task, Found]]:
    given = replace(shelf, settings=replace(shelf.settings, chunkers=()))  # somebody's own chunker need not fit through a pipe
    pool = ProcessPoolExecutor(
        min(cores(), len(tasks)), mp_context=multiprocessing.get_context("spawn"), initializer=_begin, initargs=(given,)
    )
    left = dict.fromkeys(tasks)
    try:
        with starting():
            futures = {pool.submit(_in_a_worker, task): task for task in tasks}
        for future in as_completed(futures):
            answers = future.result()
            left.pop(futures[future])
            yield futures[future], answers
    except BrokenProcessPool:  # a process was ended from outside: what is left is asked here
        yield from _one_by_one(shelf, list(left))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_here: dict = {}


def _begin(shelf: Shelf) -> None:
    follow_the_first()
    _here.update(shelf=shelf, method=None)


def _in_a_worker(task: _Task) -> Found:
    if _here["method"] != task.method:
        if _here["method"] is not None:
            _here["search"].close()
        _here.update(method=task.method, search=MethodSearch(_here["shelf"], task.search, task.chunker))
    return _answers(_here["search"], task)


def _answers(search: MethodSearch, task: _Task) -> Found:
    return {question.id: search.found(question) for question in task.questions}


def sizes_file(chunker_place: int) -> str:
    """The file beside a chunker's indexes that holds its editions and, for each chunk, its edition's number and its size."""
    return f"sizes-{chunker_place:02}.json"


class MethodSearch:
    """One search over one chunker's index files: which chunks it brings for a question, by id."""

    def __init__(self, shelf: Shelf, search: SearchSetting, chunker_place: int):
        self._settings = shelf.settings
        self._engine = SearchEngine(search, folder=shelf.folder, name=f"{chunker_place:02}", base=shelf.base)
        held = json.loads((shelf.folder / sizes_file(chunker_place)).read_text("utf-8", "surrogatepass"))
        by_name = {(each.doc_id, each.version): each for each in shelf.documents}
        self._documents = [by_name[doc_id, version] for doc_id, version in held["editions"]]
        self._chunks: dict[str, list[int]] = held["chunks"]
        self._off: dict[object, frozenset[int]] = {}

    def close(self) -> None:
        """Lets go of the files."""
        self._engine.close()

    def ranking(self, question: Question, k: int) -> list[str]:
        """The ids of the k best chunks that the reader may see on the question's day, best first."""
        off = self._not_in_force(question)
        allowed = (lambda id_: self._chunks[id_][0] not in off) if off else None
        return [hit.id for hit in self._engine.search(question.question, k, allowed)]

    def found(self, question: Question) -> list[str]:
        """The ranking as deep as the largest budget and k reach, at least DEPTH."""
        limit = max(self._settings.budgets)
        k = max(DEPTH, self._settings.k)
        while True:
            ids = self.ranking(question, k)
            if len(ids) < k or sum(self._chunks[id_][1] for id_ in ids) > limit or k > limit:
                return ids
            k = min(4 * k, limit + 1)

    def _not_in_force(self, question: Question) -> frozenset[int]:
        """The numbers of the documents that do not hold on the day that counts for this question."""
        day = day_of(question, self._settings)
        if day not in self._off:
            off = (number for number, document in enumerate(self._documents) if day is not None and not document.in_force(day))
            self._off[day] = frozenset(off)
        return self._off[day]


def day_of(question: Question, settings: Settings):
    """The day on which a version must hold to be found; None where every version may be."""
    if settings.as_of == ANY_DAY:
        return None
    return question.as_of if settings.as_of is None else settings.as_of
