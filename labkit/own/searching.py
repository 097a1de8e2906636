"""One configured search over one chunker's passages: by words, by meaning, or both (lessons 04, 12 and 15).

- 'keyword': BM25 over the words, with or without English endings and stop words.
- 'meaning': the nearest rows of a model whose weights lie on this machine. It finds something for every question, also where nothing
  answers, and embedding a text takes some five hundred times as long as indexing it; what was embedded is kept by content.
- 'both': the two rankings fused by reciprocal rank (k = 60).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from labkit.errors import LabError
from labkit.own.settings import MODELS, SearchSetting
from labkit.retrieval.fusion import reciprocal_rank_fusion
from labkit.retrieval.keyword import Hit, KeywordIndex

FUSED = 50  # results of each ranking that are fused, at least


class SearchEngine:
    """What a SearchSetting describes, over passages that are put in by id: `add`, then `search`.

    `folder` and `name`: where the indexes lie, as files; None: in memory. `kept`: a folder in which texts that were embedded are kept from
    one time to the next. `base`: the folder that a model's name counts from. Closes by `.close()`, or at the end of a `with` block.
    Raises LabError where a model's files are not there.
    """

    def __init__(
        self, setting: SearchSetting, *, folder: Path | None = None, name: str = "", kept: Path | None = None, base: Path | None = None
    ):
        self.setting = setting
        self._open: list = []
        self._keyword = self._vectors = None
        if setting.by_words:
            path = ":memory:" if folder is None else folder / _words_file(name, setting)
            self._keyword = self._opened(KeywordIndex(path, setting.stem, setting.stop_words))
        if setting.by_meaning:
            from labkit.embedding.cached import CachedEmbedder
            from labkit.retrieval.vector_store import disposable
            from labkit.retrieval.vectors import VectorIndex

            store = None if kept is None else self._opened(disposable(kept / "embedded.db"))
            path = ":memory:" if folder is None else folder / _rows_file(name, setting)
            self._vectors = self._opened(VectorIndex(path, CachedEmbedder(model_of(setting, base), store)))

    def _opened(self, each):
        self._open.append(each)
        return each

    def add(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Puts texts in: pairs of id and text."""
        pairs = list(pairs)
        for index in (self._keyword, self._vectors):
            if index is not None:
                index.add(pairs)

    def search(self, text: str, k: int, allowed: Callable[[str], bool] | None = None) -> list[Hit]:
        """The k best, best first, equal ones by id. `allowed`: id -> whether it may be a result; what it refuses takes no rank."""
        if self._vectors is None:
            return self._keyword.search(text, k, allowed)
        if self._keyword is None:
            return self._vectors.search(text, k, allowed)
        deep = max(k, FUSED)
        return reciprocal_rank_fusion([index.search(text, deep, allowed) for index in (self._keyword, self._vectors)])[:k]

    def close(self) -> None:
        """Lets go of its files."""
        for each in self._open:
            each.close()

    def __enter__(self) -> SearchEngine:
        return self

    def __exit__(self, *error) -> None:
        self.close()


def model_of(setting: SearchSetting, base: Path | None):
    """The model of a search by meaning. Errors as for `model_named`."""
    return model_named(setting.model, base or Path())


def model_named(name: str, base: Path):
    """A model that comes in a package, by its name, else a sentence-transformers model in a folder below `base`.

    Raises LabError where its files are not there or not what they should be.
    """
    from labkit.embedding.models import load_embedder

    return load_embedder(name if name in MODELS else base / name)


def files_of(name: str, setting: SearchSetting) -> list[str]:
    """The files of an engine's indexes; searches that differ in stop words alone share them."""
    words = [_words_file(name, setting)] if setting.by_words else []
    return words + ([_rows_file(name, setting)] if setting.by_meaning else [])


def _words_file(name: str, setting: SearchSetting) -> str:
    return f"words-{name}-{'stemmed' if setting.stem else 'plain'}.db"


def _rows_file(name: str, setting: SearchSetting) -> str:
    return f"rows-{name}-{sha256(setting.model.encode()).hexdigest()[:8]}.db"  # a folder's name need not do for a file's


def count(file: Path) -> int:
    """How many texts one of these files holds. Raises LabError where it is none of them."""
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
        table = "embedded" if file.name.startswith("rows-") else "passages"
        try:
            return database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        except sqlite3.Error as error:
            raise LabError(f"{file.name} is no index of labkit's ({error})") from None
