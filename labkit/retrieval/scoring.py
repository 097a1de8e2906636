"""Scores and ranks from an FTS5 table, for whatever index holds it (lesson 04).

How a score is reached: it is the sum, over the words of the question, of rarity × gain (labkit.retrieval.bm25). FTS5's
own bm25() yields that sum for any set of words, so the question goes to it a few different words at a time, and the parts
are added up, each as often as its words stand in the question. (All at once would be the same sum, but FTS5 goes through
the whole question again for each occurrence in a text: a pasted page of 2,000 words takes over ten times as long.)
"""

from __future__ import annotations

import heapq
import operator
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice

from labkit.errors import BadArgument
from labkit.retrieval.tokenizer import any_of
from labkit.textfiles import quoted

AT_ONCE = 32  # words a query to FTS5; from 8 to 128 it makes little difference

Ask = Callable[[str, tuple], list[tuple]]
"""SQL and its values in, rows out."""


def scores(ask: Ask, table: str, question: list[str], only: str = "", values: tuple = ()) -> dict[int, float]:
    """Rowid -> BM25 score (higher is better), of every text in the FTS5 table `table` that holds at least one of the words.

    `question`: words as the tokenizer yields them, repeats kept. `only`: one more SQL condition on the row, with `values` for its `?`;
    it decides what is found, before anything is ranked, and moves no score: rarity and average length are those of the whole table.
    """
    by_times: dict[int, list[str]] = {}
    for word, times in Counter(question).items():
        by_times.setdefault(times, []).append(word)
    condition = f" AND {only}" if only else ""
    total: dict[int, float] = {}
    for times, these in by_times.items():
        for few in _batches(these, AT_ONCE):
            part = ask(f"SELECT rowid, ? * bm25({table}) FROM {table} WHERE {table} MATCH ?{condition}", (-times, any_of(few), *values))
            if total:
                for key, score in part:
                    total[key] = total.get(key, 0.0) + score
            else:
                total = dict(part)
    return total


def ranked(scores: dict[int, float], first: int, id_of: Callable[[int], str]) -> Iterator[tuple[str, float]]:
    """Id and score, best first, scores that are equal to ten digits by id.

    `first`: how many the caller is likely to take (1 or more); only those are sorted, and asked for their id, at once.
    """
    done = 0
    while done < len(scores):
        best = _best(scores, first, id_of)
        yield from best[done:]
        done = len(best)
        first = 8 * done


def _best(scores: dict[int, float], n: int, id_of: Callable[[int], str]) -> list[tuple[str, float]]:
    """The n best in order, and those that are equal to the last of them (which may be many: their ids decide)."""
    last = heapq.nlargest(n, scores.values())[-1]
    near = last * (1 - 1e-9)
    close = [(key, score) for key, score in scores.items() if score >= near and _rounded(score) >= _rounded(last)]
    return sorted(((id_of(key), score) for key, score in close), key=lambda pair: (-_rounded(pair[1]), pair[0]))


def whole_k(k: int, called: str = "k") -> int:
    """k as an int. Raises BadArgument, with the name it is `called` by, unless it is a whole number from 0 up (True is none)."""
    try:
        if isinstance(k, bool):
            raise TypeError
        number = operator.index(k)
    except TypeError:
        raise BadArgument(f"{called} must be a whole number, not {quoted(k)}") from None
    if number < 0:
        raise BadArgument(f"{called} is {quoted(number)}; ask for 0 results or more")
    return number


def _rounded(score: float) -> float:
    """Ten significant digits: the last bits depend on the order of addition, and must not decide which text comes first."""
    return float(f"{score:.10g}")


def _batches(items: list[str], size: int) -> Iterator[list[str]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
