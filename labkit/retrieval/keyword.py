"""A keyword index on SQLite FTS5: which texts hold the words of a question, best first by BM25 (lesson 04).

How a score is reached stands in labkit.retrieval.scoring.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from labkit.errors import BadArgument
from labkit.retrieval import bm25, indexfile
from labkit.retrieval.connection import IndexConnection, given_text, stored_text
from labkit.retrieval.scoring import ranked, scores, whole_k
from labkit.retrieval.tokenizer import PLAIN, STEMMED, match_expression, searchable, terms, words
from labkit.textfiles import quoted

if TYPE_CHECKING:
    import pandas

__all__ = ["Hit", "KeywordIndex", "Posting", "match_expression", "words"]


@dataclass(frozen=True)
class Hit:
    """One result. `score`: BM25, higher is better, not rounded. `rank`: 1-based."""

    id: str
    score: float
    rank: int


@dataclass(frozen=True)
class Posting:
    """One entry of the inverted index: the text `id` holds the word `count` times."""

    id: str
    count: int


class KeywordIndex(IndexConnection):
    """An inverted index with BM25, in memory or in one SQLite file. Lesson 04.

    path: ':memory:', or a file, made where there is none. stem: take English endings off, in texts and questions alike;
    a file keeps what it was made with. stop_words: words that are left out of every question (the index still holds
    them), compared as `words` yields them: without capitals and accents, before any stemming.

    A question is plain words: nothing in it is syntax. A text is found if it holds at least one of them. A word that the
    question repeats counts as often as it stands there. Equal scores (to ten digits) are ordered by id.

    Closes by `.close()`, or at the end of a `with` block. Raises BadArgument for values that make no sense,
    IndexFileError (here or later) where the file is not an index of this kind, or cannot be read or written.
    """

    def __init__(self, path: str | Path = ":memory:", stem: bool = False, stop_words: Iterable[str] = ()):
        if isinstance(stop_words, str):
            raise BadArgument(f"stop_words must be a list of words, not one text — give {quoted(stop_words.split())}")
        if not isinstance(stem, bool):
            raise BadArgument(f"stem must be True or False, not {quoted(stem)}")
        if not isinstance(stop_words, Iterable):
            raise BadArgument(f"stop_words must be a list of words, not {quoted(stop_words)}")
        self.stem = stem
        self.stop_words = frozenset(word for entry in stop_words for word in words(entry))
        self._tokenizer = STEMMED if stem else PLAIN
        self._name = str(path)
        self._connection = indexfile.opened(path, self._tokenizer)

    # ------------------------------------------------------------------ change

    def add(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Put texts in: pairs of id and text. An id that is there already gets the new text; of two equal ids in `pairs`
        the last one counts.

        All of them or, where anything fails, none. A text without words is kept, counted as a text of the collection,
        and never found. Raises BadArgument for an id that is not a non-empty string, or a text that is not a string.
        """
        texts = texts_by_id(pairs)
        with self._writing() as database:
            for id_, text in texts.items():
                self._forget(database, id_)
                key = database.execute("INSERT INTO passages (id, text) VALUES (?, ?)", (id_, stored_text(text))).lastrowid
                database.execute("INSERT INTO inverted (rowid, text) VALUES (?, ?)", (key, searchable(text)))

    def remove(self, ids: Iterable[str]) -> None:
        """Take texts out. An id that is not there is passed over, so that a removal can be repeated. All of them or,
        where anything fails, none. Raises BadArgument for an id that is not a non-empty string.
        """
        chosen = checked_ids(ids)
        with self._writing() as database:
            for id_ in chosen:
                self._forget(database, id_)

    @staticmethod
    def _forget(database: sqlite3.Connection, id_: str) -> None:
        row = database.execute("SELECT key FROM passages WHERE id = ?", (id_,)).fetchone()
        if row is not None:
            database.execute("DELETE FROM inverted WHERE rowid = ?", row)
            database.execute("DELETE FROM passages WHERE key = ?", row)

    # ------------------------------------------------------------------ ask

    def search(self, query: str, k: int = 5, allowed: Callable[[str], bool] | None = None) -> list[Hit]:
        """The k best texts for a question, best first; fewer where fewer hold any of its words; [] where it has no words.

        allowed: id -> whether this text may be a result. It is asked in rank order, before anything is counted, until k
        have been let through; what it refuses takes no place and no rank. (All texts of the index count for rarity and
        average length.) Raises BadArgument where `query` is no string, or k is not a whole number of 0 or more. An error
        inside `allowed` comes through as it is.
        """
        question = self._question(query)
        k = whole_k(k)
        if allowed is not None and not callable(allowed):
            raise BadArgument(f"allowed must be a function that takes an id, not {quoted(allowed)}")
        hits: list[Hit] = []
        if k == 0 or not question:
            return hits
        with self._reading():
            found = scores(self._ask, "inverted", question)
            for id_, score in ranked(found, k if allowed is None else 8 * k, self._id_of):
                if allowed is None or allowed(id_):
                    hits.append(Hit(id_, score, len(hits) + 1))
                    if len(hits) == k:
                        break
        return hits

    def postings(self, word: str) -> list[Posting]:
        """The entry of the inverted index for one word: which texts hold it, and how often; by id. [] where none does.

        Raises BadArgument where `word` is two words for the index, as 'PW-2200' is.
        """
        term = self._term(word)
        if term is None:
            return []
        rows = self._ask(
            "SELECT passages.id, count(*) FROM instances JOIN passages ON passages.key = instances.doc"
            " WHERE instances.term = ? GROUP BY passages.id ORDER BY passages.id",
            (term,),
        )
        return [Posting(*row) for row in rows]

    def document_frequency(self, word: str) -> int:
        """In how many texts a word stands: as many as it has postings, and quicker than listing them. Lesson 04. Errors as postings."""
        term = self._term(word)
        return 0 if term is None else self.documents_with(term)

    def documents_with(self, term: str) -> int:
        """As document_frequency, for a term as the index holds it (a stem, in a stemmed one), which is looked up as it stands."""
        rows = self._ask("SELECT doc FROM vocabulary WHERE term = ?", (term,))
        return rows[0][0] if rows else 0

    def explain(self, query: str, item_id: str) -> pandas.DataFrame:
        """How the score of one text comes about: one row a word of the question, in order, repeats kept, stop words left out.

        Columns: word; count (how often this text holds it); documents (how many texts hold it); rarity; gain; product (rarity × gain).
        The products add up to the score of the hit. Raises BadArgument where no text has this id. Lesson 04.
        """
        import pandas

        question = self._question(query)
        asked = terms(" ".join(question), self._tokenizer)
        with self._reading():
            here = terms(self.text(item_id), self._tokenizer)
            documents = {term: self.documents_with(term) for term in set(asked)}
            total_words = self._ask("SELECT coalesce(sum(cnt), 0) FROM vocabulary")[0][0]
            N = len(self)  # noqa: N806
        counts = Counter(here)
        rows = []
        for word, term in zip(question, asked, strict=True):
            rarity = bm25.rarity(N, documents[term])
            gain = bm25.gain(counts[term], len(here), total_words / N) if counts[term] else 0.0
            rows.append((word, counts[term], documents[term], rarity, gain, rarity * gain))
        return pandas.DataFrame(rows, columns=["word", "count", "documents", "rarity", "gain", "product"])

    def text(self, item_id: str) -> str:
        """The text of this id, as it was given. Raises BadArgument where there is none."""
        rows = self._ask("SELECT text FROM passages WHERE id = ?", (_id(item_id),))
        if not rows:
            raise BadArgument(f"no text with the id {quoted(item_id)} in this index")
        return given_text(rows[0][0])

    def __len__(self) -> int:
        return self._ask("SELECT count(*) FROM passages")[0][0]

    # ------------------------------------------------------------------ how

    def _question(self, query: str) -> list[str]:
        return [word for word in words(query) if word not in self.stop_words]

    def _term(self, word: str) -> str | None:
        """The index's own form of one word; None where it is no word."""
        found = words(word)
        if len(found) > 1:
            raise BadArgument(f"{quoted(word)} is {len(found)} words for the index ({', '.join(found)}) — ask for one of them")
        return terms(found[0], self._tokenizer)[0] if found else None

    def _id_of(self, key: int) -> str:
        return self._ask("SELECT id FROM passages WHERE key = ?", (key,))[0][0]

    def __repr__(self) -> str:
        place = "in memory" if self._name == ":memory:" else f"in {self._name}"
        state = "closed" if self._connection is None else f"{len(self)} texts"
        return f"<KeywordIndex {place}, {state}{', stemmed' if self.stem else ''}>"


def texts_by_id(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Id -> text; of two equal ids the last one counts. Raises BadArgument for an id that is not a non-empty string, or a text that is not
    a string."""
    if isinstance(pairs, str) or not isinstance(pairs, Iterable):
        raise BadArgument(f"pairs of id and text are needed, not {_short(pairs)}")
    return dict(_checked(pair) for pair in pairs)


def checked_ids(ids: Iterable[str]) -> list[str]:
    """The ids as a list. Raises BadArgument for a single string, and for an id that is not a non-empty string."""
    if isinstance(ids, str) or not isinstance(ids, Iterable):
        raise BadArgument(f"a list of ids is needed, not {_short(ids)} — for a single one, put it in brackets")
    return [_id(id_) for id_ in ids]


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:59] + "…"


def _id(id_: str) -> str:
    if not isinstance(id_, str) or not id_:
        raise BadArgument(f"an id must be a text that is not empty, not {quoted(id_)}")
    try:
        id_.encode()
    except UnicodeEncodeError:
        raise BadArgument(f"the id {quoted(id_)} holds half of a character (a lone surrogate), which no file can keep") from None
    return id_


def _checked(pair: tuple[str, str]) -> tuple[str, str]:
    if isinstance(pair, str):
        raise BadArgument(f"pairs of id and text are needed, not {_short(pair)} alone (from a dict, give its .items())")
    try:
        id_, text = pair
    except (TypeError, ValueError):
        raise BadArgument(f"pairs of id and text are needed, not {_short(pair)}") from None
    if not isinstance(text, str):
        raise BadArgument(f"the text of {quoted(id_)} must be a string, not {_short(text)}")
    return _id(id_), text
