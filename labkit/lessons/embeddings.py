"""One cache of embeddings for all lessons and tests: what one notebook embedded, no other one embeds again (from lesson 11 on).

It is one SQLite file in the course's build/ folder, which git does not keep (LABKIT_CACHE names another folder). Nothing depends on it:
where it cannot be read or written, rows stay in memory; a row or a file that is damaged is made anew. Several processes may share it. One
of them embeds at a time, so that lessons that run side by side do not do the same work twice. The course's own questions are kept as
well, so that a lesson need not load a model to run again; what anybody else asks is in no file.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from labkit.course import course_folder
from labkit.embedding.cached import CachedEmbedder, InMemory, content_of
from labkit.embedding.embedder import Embedder, checked_texts
from labkit.embedding.models import load_embedder
from labkit.errors import CourseNotFound, LabError
from labkit.lessons.lock import locked
from labkit.retrieval import indexfile
from labkit.retrieval.sub_queries import sub_queries
from labkit.retrieval.vector_store import VectorStore

VARIABLE = "LABKIT_CACHE"
_FILE = f"labkit-embeddings-{indexfile.LAYOUT}.db"  # another layout is another file
_WAIT = 300.0  # seconds that one process waits for another to embed; then it does so itself


def cache_folder() -> Path | None:
    """Where the lessons' embeddings are kept, made when missing; None where there is no such place, or none that can be made."""
    named = os.environ.get(VARIABLE)
    try:
        folder = Path(named).expanduser() if named else course_folder() / "build" / "embeddings"
        folder.mkdir(parents=True, exist_ok=True)
    except (CourseNotFound, OSError, RuntimeError, ValueError):
        return None
    return folder


def embedder(which: str | Path = "multilingual") -> CachedEmbedder:
    """The model that `load_embedder(which)` loads, with the shared cache; the same object each time. Raises LabError as that does."""
    return _embedder(which, cache_folder())


@cache
def _embedder(which: str | Path, folder: Path | None) -> CachedEmbedder:
    model = load_embedder(which)
    return SharedEmbedder(model, SharedStore(folder, model.dimensions))


@cache
def course_questions() -> frozenset[str]:
    """What the course itself asks: the questions of its files, and the parts that lesson 14 makes of them; none where there is no file."""
    asked: set[str] = set()
    with contextlib.suppress(CourseNotFound, OSError, ValueError, LookupError, TypeError):
        for file in sorted((course_folder() / "questions").glob("*.jsonl")):
            asked |= {json.loads(line)["question"] for line in file.read_text(encoding="utf-8").splitlines()}
        asked |= {part for question in asked for part in sub_queries(question)}
    return frozenset(asked)


class SharedStore:
    """A Store for rows of `dimensions` numbers, in a file of `folder` (None: in memory alone) that several processes use at once.

    The file is opened for each call and let go of, so the store holds in threads and in forked processes too. It never raises: what the
    file does not give or take stays in memory. Rows that are no finite numbers of length 1 (or all zeros) are not given out.
    """

    def __init__(self, folder: Path | None, dimensions: int):
        self.folder, self.dimensions = folder, dimensions
        self._memory = InMemory()

    def fetch(self, model: str, contents: Sequence[bytes]) -> dict[bytes, bytes]:
        """As Store says."""
        found = self._memory.fetch(model, contents)
        missing = [content for content in contents if content not in found]
        if missing:
            stored = self._with_file(lambda store: store.fetch(model, missing)) or {}
            stored = {content: row for content, row in stored.items() if self._sound(row)}
            self._memory.keep(model, stored)
            found |= stored
        return found

    def keep(self, model: str, rows: Mapping[bytes, bytes]) -> None:
        """As Store says."""
        self._memory.keep(model, rows)
        self._with_file(lambda store: store.keep(model, rows))

    @contextlib.contextmanager
    def alone(self):
        """The block runs in one process at a time; without waiting where no lock can be had, and not for ever."""
        with contextlib.ExitStack() as stack:
            if self.folder is not None:
                with contextlib.suppress(LabError):
                    stack.enter_context(locked(self.folder, _WAIT))
            yield

    def _with_file(self, ask: Callable[[VectorStore], object]):
        """What `ask` gives; None where the file does not serve. A damaged file is taken away, so that the next call makes it anew."""
        if self.folder is None:
            return None
        file = self.folder / _FILE
        try:
            with VectorStore(file) as store:
                return ask(store)
        except LabError as error:
            cause = error.__cause__
            if isinstance(cause, sqlite3.DatabaseError) and not isinstance(cause, sqlite3.OperationalError):
                for each in (file, file.with_name(f"{_FILE}-journal")):
                    with contextlib.suppress(OSError):
                        each.unlink()
            return None

    def _sound(self, row: object) -> bool:
        if not isinstance(row, bytes) or len(row) != 4 * self.dimensions:
            return False
        numbers = np.frombuffer(row, dtype="<f4").astype(np.float64)
        length = float(numbers @ numbers)
        return bool(np.isfinite(length)) and (length == 0 or abs(length - 1) < 1e-3)


class SharedEmbedder(CachedEmbedder):
    """A CachedEmbedder over a SharedStore: where another process embeds, it waits for that, and then asks for what is still missing."""

    store: SharedStore

    def __init__(self, embedder: Embedder, store: SharedStore):
        super().__init__(embedder, store)

    def embed_query(self, text: str) -> np.ndarray:
        """As Embedder says."""
        ours = course_questions()
        if not isinstance(text, str) or text not in ours:
            return super().embed_query(text)
        name, content = f"{self.name}, questions", content_of(text)  # apart from texts: a model may embed the two differently
        if not self._queries:
            self.store.fetch(name, [content_of(each) for each in ours])  # all at once; from then on they are in memory
        stored = self.store.fetch(name, [content]).get(content)
        if stored is not None and text not in self._queries:
            self._queries[text] = np.frombuffer(stored, dtype="<f4").astype(np.float32)
        row = super().embed_query(text)
        if stored is None:
            self.store.keep(name, {content: row.tobytes()})
        return row

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """As Embedder says."""
        texts = checked_texts(texts)
        contents = {content_of(text) for text in texts}
        if len(self.store.fetch(self.name, list(contents))) == len(contents):
            return super().embed(texts)
        with self.store.alone():
            return super().embed(texts)
