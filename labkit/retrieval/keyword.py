"""A keyword index on SQLite FTS5: which texts hold the words of a question, best first by BM25 (lesson 04).

How a score is reached: it is the sum, over the words of the question, of rarity × gain (labkit.retrieval.bm25). FTS5's
own bm25() yields that sum for any set of words, so the question goes to it a few different words at a time, and the parts
are added up, each as often as its words stand in the question. (All at once would be the same sum, but FTS5 goes through
the whole question again for each occurrence in a text: a pasted page of 2,000 words takes over ten times as long.)
"""

from __future__ import annotations

import heapq
import operator
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from labkit.errors import BadArgument
from labkit.retrieval import bm25, indexfile
from labkit.retrieval.tokenizer import PLAIN, STEMMED, any_of, match_expression, searchable, terms, words

if TYPE_CHECKING:
    import pandas

__all__ = ["Hit", "KeywordIndex", "Posting", "match_expression", "words"]

AT_ONCE = 32  # words a query to FTS5; from 8 to 128 it makes little difference


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


class KeywordIndex:
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
            raise BadArgument(f"stop_words must be a list of words, not one text — give {stop_words.split()!r}")
        if not isinstance(stem, bool):
            raise BadArgument(f"stem must be True or False, not {stem!r}")
        if not isinstance(stop_words, Iterable):
            raise BadArgument(f"stop_words must be a list of words, not {stop_words!r}")
        self.stem = stem
        self.stop_words = frozenset(word for entry in stop_words for word in words(entry))
        self._tokenizer = STEMMED if stem else PLAIN
        self._name = str(path)
        self._connection: sqlite3.Connection | None = indexfile.opened(path, self._tokenizer)

    # ------------------------------------------------------------------ change

    def add(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Put texts in: pairs of id and text. An id that is there already gets the new text; of two equal ids in `pairs`
        the last one counts.

        All of them or, where anything fails, none. A text without words is kept, counted as a text of the collection,
        and never found. Raises BadArgument for an id that is not a non-empty string, or a text that is not a string.
        """
        if isinstance(pairs, str) or not isinstance(pairs, Iterable):
            raise BadArgument(f"pairs of id and text are needed, not {_short(pairs)}")
        texts = dict(_checked(pair) for pair in pairs)
        with self._writing() as database:
            for id_, text in texts.items():
                self._forget(database, id_)
                key = database.execute("INSERT INTO passages (id, text) VALUES (?, ?)", (id_, _stored(text))).lastrowid
                database.execute("INSERT INTO inverted (rowid, text) VALUES (?, ?)", (key, searchable(text)))

    def remove(self, ids: Iterable[str]) -> None:
        """Take texts out. An id that is not there is passed over, so that a removal can be repeated. All of them or,
        where anything fails, none. Raises BadArgument for an id that is not a non-empty string.
        """
        if isinstance(ids, str) or not isinstance(ids, Iterable):
            raise BadArgument(f"a list of ids is needed, not {_short(ids)} — for a single one, put it in brackets")
        chosen = [_id(id_) for id_ in ids]
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
        k = _whole(k)
        if allowed is not None and not callable(allowed):
            raise BadArgument(f"allowed must be a function that takes an id, not {allowed!r}")
        hits: list[Hit] = []
        if k == 0 or not question:
            return hits
        with self._reading():
            scores = self._scores(question)
            for id_, score in self._ranked(scores, k if allowed is None else 8 * k):
                if allowed is None or allowed(id_):
                    hits.append(Hit(id_, score, len(hits) + 1))
                    if len(hits) == k:
                        break
        return hits

    def postings(self, word: str) -> list[Posting]:
        """The entry of the inverted index for one word: which texts hold it, and how often; by id. [] where none does.

        Raises BadArgument where `word` is two words for the index, as 'PW-2200' is.
        """
        found = words(word)
        if not found:
            return []
        if len(found) > 1:
            raise BadArgument(f"{word!r} is {len(found)} words for the index ({', '.join(found)}) — ask for one of them")
        (term,) = terms(found[0], self._tokenizer)
        rows = self._ask(
            "SELECT passages.id, count(*) FROM instances JOIN passages ON passages.key = instances.doc"
            " WHERE instances.term = ? GROUP BY passages.id ORDER BY passages.id",
            (term,),
        )
        return [Posting(*row) for row in rows]

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
            documents = {term: self._documents(term) for term in set(asked)}
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
            raise BadArgument(f"no text with the id {item_id!r} in this index")
        return _given(rows[0][0])

    def __len__(self) -> int:
        return self._ask("SELECT count(*) FROM passages")[0][0]

    # ------------------------------------------------------------------ how

    def _question(self, query: str) -> list[str]:
        return [word for word in words(query) if word not in self.stop_words]

    def _documents(self, term: str) -> int:
        """The document frequency of a term."""
        rows = self._ask("SELECT doc FROM vocabulary WHERE term = ?", (term,))
        return rows[0][0] if rows else 0

    def _scores(self, question: list[str]) -> dict[int, float]:
        """Key -> score, of every text that holds at least one of the words."""
        by_times: dict[int, list[str]] = {}
        for word, times in Counter(question).items():
            by_times.setdefault(times, []).append(word)
        scores: dict[int, float] = {}
        for times, these in by_times.items():
            for few in _batches(these, AT_ONCE):
                part = self._ask(
                    "SELECT rowid, ? * bm25(inverted) FROM inverted WHERE inverted MATCH ?", (-times, any_of(few))
                )
                if scores:
                    for key, score in part:
                        scores[key] = scores.get(key, 0.0) + score
                else:
                    scores = dict(part)
        return scores

    def _ranked(self, scores: dict[int, float], first: int) -> Iterator[tuple[str, float]]:
        """Id and score, best first, equal scores by id. `first`: how many the caller is likely to take; only those are sorted at once."""
        done = 0
        while done < len(scores):
            best = self._best(scores, first)
            yield from best[done:]
            done = len(best)
            first = 8 * done

    def _best(self, scores: dict[int, float], n: int) -> list[tuple[str, float]]:
        """The n best in order, and those that are equal to the last of them (which may be many: their ids decide)."""
        last = heapq.nlargest(n, scores.values())[-1]
        near = last * (1 - 1e-9)
        close = [
            (key, score) for key, score in scores.items() if score >= near and _rounded(score) >= _rounded(last)
        ]
        named = [(self._ask("SELECT id FROM passages WHERE key = ?", (key,))[0][0], score) for key, score in close]
        return sorted(named, key=lambda pair: (-_rounded(pair[1]), pair[0]))

    def _ask(self, sql: str, values: tuple = ()) -> list[tuple]:
        try:
            return self._database.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise indexfile.told(self._name, error) from error

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Several questions to one state of the file, whatever another process writes meanwhile."""
        if self._database.in_transaction:
            yield
            return
        self._ask("BEGIN")
        try:
            yield
        finally:
            if self._connection is not None and self._connection.in_transaction:
                self._ask("COMMIT")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """All changes of the block or none."""
        if self._database.in_transaction:
            raise BadArgument("the index cannot change in the middle of a search — collect first, then add or remove")
        self._ask("BEGIN IMMEDIATE")
        try:
            yield self._database
            self._database.execute("COMMIT")
        except BaseException as error:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise indexfile.told(self._name, error) from error
            raise

    # ------------------------------------------------------------------ open and close

    @property
    def _database(self) -> sqlite3.Connection:
        if self._connection is None:
            raise BadArgument(f"this index ({self._name}) is closed — make a KeywordIndex again to go on")
        return self._connection

    def close(self) -> None:
        """Let go of the file. An index in memory is gone after it. A second call does nothing."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __enter__(self) -> KeywordIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_connection", None) is not None:
            with suppress(sqlite3.Error):  # where Python ends, it may come from another thread
                self.close()

    def __repr__(self) -> str:
        place = "in memory" if self._name == ":memory:" else f"in {self._name}"
        state = "closed" if self._connection is None else f"{len(self)} texts"
        return f"<KeywordIndex {place}, {state}{', stemmed' if self.stem else ''}>"


def _rounded(score: float) -> float:
    """Ten significant digits: the last bits depend on the order of addition, and must not decide which text comes first."""
    return float(f"{score:.10g}")


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:59] + "…"


def _batches(items: list[str], size: int) -> Iterator[list[str]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def _whole(k: int) -> int:
    try:
        if isinstance(k, bool):
            raise TypeError
        number = operator.index(k)
    except TypeError:
        raise BadArgument(f"k must be a whole number, not {k!r}") from None
    if number < 0:
        raise BadArgument(f"k is {number}; ask for 0 results or more")
    return number


def _id(id_: str) -> str:
    if not isinstance(id_, str) or not id_:
        raise BadArgument(f"an id must be a text that is not empty, not {id_!r}")
    try:
        id_.encode()
    except UnicodeEncodeError:
        raise BadArgument(f"the id {id_!r} holds half of a character (a lone surrogate), which no file can keep") from None
    return id_


def _checked(pair: tuple[str, str]) -> tuple[str, str]:
    if isinstance(pair, str):
        raise BadArgument(f"pairs of id and text are needed, not {_short(pair)} alone (from a dict, give its .items())")
    try:
        id_, text = pair
    except (TypeError, ValueError):
        raise BadArgument(f"pairs of id and text are needed, not {_short(pair)}") from None
    if not isinstance(text, str):
        raise BadArgument(f"the text of {id_!r} must be a string, not {_short(text)}")
    return _id(id_), text


def _stored(text: str) -> str | bytes:
    """The text as SQLite takes it: bytes where a lone surrogate stands in it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def _given(stored: str | bytes) -> str:
    return stored.decode("utf-8", "surrogatepass") if isinstance(stored, bytes) else stored
