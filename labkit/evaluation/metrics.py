"""How good is a search? One row a question first, the means after (lesson 05).

The measures, for one question and the first k results (k = 5 unless told):

- hit: 1 if any of them is relevant, else 0. Its mean over questions is hit@k.
- recall: distinct gold sections found ÷ gold sections. Two chunks of one section are still one section, so recall never passes 1.
- reciprocal_rank: 1 ÷ rank of the first relevant result, 0 where none came.
- ndcg: each gold section found counts 1 ÷ log2(rank + 1), once, at its first result; divided by the best sum that k results of one
  section each can reach (Järvelin and Kekäläinen, 2002, with gains of 0 and 1). Held to at most 1: one long result may bring two sections.

Where the gold is a span of characters and no section (lesson 15), a result is relevant if it holds a non-blank character of it, and recall
is the share of the spans' non-blank characters that the results hold together, text held twice counted once. In a question with sections
and spans, the spans weigh in recall as many as they are.

A question without a relevant passage cannot be scored: its measures are NaN, and it is counted apart, as neither hit nor miss.
A question whose search brings nothing counts 0; it is not dropped.
"""

from __future__ import annotations

import math
import operator
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import pandas as pd

from labkit.errors import BadArgument, LabError
from labkit.evaluation.relevance import GoldSpan, characters_found, gold_sections, relevant_found
from labkit.passages import Passage
from labkit.textfiles import quoted

METRICS = ("hit", "recall", "reciprocal_rank", "ndcg")
BUDGET_METRICS = ("hit", "recall", "evidence", "evidence_in_context")
_TYPES = {"id": "str", "kind": "str", "scored": "bool"} | dict.fromkeys(METRICS, "float64") | {"first_rank": "Int64", "words": "int64"}
_QUESTION_PARTS = ("id", "question", "kind", "relevant")
_PASSAGE_PARTS = ("doc_id", "version", "sections", "text", "words")


def evaluate(questions: Iterable, search: Callable[[str, int], Sequence], k: int = 5) -> pd.DataFrame:
    """One row a question, in the order given: id, kind, scored, hit, recall, reciprocal_rank, ndcg, first_rank, words.

    `search(text, k)` is called once a question and returns a list of passages in rank order; of a longer list the first k count.
    `scored` is False where the question has no relevant passage; its four measures are NaN. `first_rank` (nullable Int64) is the 1-based
    rank of the first relevant result within k, <NA> where there is none. `words` is how many words those results hand over (the sum of
    `passage.words`), counted for every question. With k = 0 nothing is handed over, and every scored question counts 0.

    Raises BadArgument for a k that is no whole number from 0 up, for a question id that stands twice, and for a search that returns
    anything but a list of passages; LabError, naming the question, where the search itself fails.
    """
    k = whole_k(k)
    questions = different_ids(questions)
    rows = []
    for question in questions:
        passages = results_of(search, question, k)
        row = {"id": question.id, "kind": question.kind} | measure(question, passages, k)
        rows.append(row | {"words": sum(passage.words for passage in passages)})
    return pd.DataFrame(rows, columns=list(_TYPES)).astype(_TYPES)


def different_ids(questions: Iterable) -> list:
    """The questions as a list. Raises BadArgument where one is none, and where an id stands twice: rows are paired by it."""
    try:
        questions = list(questions)
    except TypeError:
        raise BadArgument(f"the questions are {_named(questions)} — give a list of questions, as load_questions returns it") from None
    for place, question in enumerate(questions, start=1):
        a_question(question, f"question {place}", "give a list of questions, as load_questions returns it")
    twice = [name for name, times in Counter(question.id for question in questions).items() if times > 1]
    if twice:
        raise BadArgument(f"question id {', '.join(map(str, twice))} stands more than once — give each question an id of its own")
    return questions


def a_question(thing, called: str, todo: str):
    """The thing itself. Raises BadArgument where it is no question; `called` and `todo` are the message's."""
    if not all(hasattr(thing, part) for part in _QUESTION_PARTS):
        raise BadArgument(f"{called} is {_named(thing)} — {todo}")
    return thing


def measure(question, passages: Sequence, k: int) -> dict:
    """scored, first_rank and the four measures of one question, from its results in rank order (at most k of them)."""
    gold = gold_sections(question)
    if not gold:
        return {"scored": False, "first_rank": pd.NA} | dict.fromkeys(METRICS, math.nan)
    first = {}  # gold section -> rank of its first result
    for rank, found in enumerate(relevant_found(question, passages), start=1):
        for section in found:
            first.setdefault(section, rank)
    best = min(first.values(), default=None)
    reached = math.fsum(1 / math.log2(rank + 1) for rank in first.values())
    ideal = math.fsum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(gold)) + 1))
    return {
        "scored": True,
        "hit": 1.0 if first else 0.0,
        "recall": _recall(question, gold, first, passages),
        "reciprocal_rank": 1 / best if first else 0.0,
        "ndcg": min(1.0, reached / ideal) if first else 0.0,
        "first_rank": best if first else pd.NA,
    }


def _recall(question, gold: Sequence, first: dict, passages: Sequence) -> float:
    """Gold sections found ÷ gold sections; the spans among them by their characters."""
    spans = sum(isinstance(place, GoldSpan) for place in gold)
    if not spans:
        return len(first) / len(gold)
    found = sum(not isinstance(place, GoldSpan) for place in first)
    return (found + spans * characters_found(question, passages).recall) / len(gold)


def results_of(search: Callable[[str, int], Sequence], question, k: int) -> list:
    """What `search` returns for one question: passages in rank order, cut at k. Errors as `evaluate` says."""
    if not callable(search):
        raise BadArgument(f"the search is {_named(search)} — it is something to call, as search(text, k)")
    try:
        results = search(question.question, k)
    except Exception as error:
        raise LabError(f"question {question.id}: the search failed with {type(error).__name__}: {error}") from error
    if not isinstance(results, list | tuple):
        raise BadArgument(
            f"question {question.id}: the search returned {_named(results)} — "
            f"a search returns a list of passages in rank order (an empty list where it finds nothing)"
        )
    for rank, result in enumerate(results[:k], start=1):
        if not isinstance(result, Passage) and not all(hasattr(result, part) for part in _PASSAGE_PARTS):
            raise BadArgument(
                f"question {question.id}: result {rank} of the search is {_named(result)}, not a passage — "
                f"return the passages themselves (an index gives ids: look each one up)"
            )
    return list(results[:k])


def summarise(rows: pd.DataFrame, by: str | None = None) -> pd.DataFrame:
    """Means over the scored questions: n, unscored, hits, hit, recall, reciprocal_rank, ndcg, words, median_words.

    `n` is the number of scored questions (what each mean is divided by), `unscored` the number left out, `hits` the sum of hit as a
    whole number. `words` and `median_words` are the mean and the median of the words handed over for a scored question.
    One row; with `by='kind'` (or another column) a row a value, sorted by it, and that column in front. Where nothing is scored, n is 0
    and the means are NaN: 0 would be a claim.

    The rows of `evaluate_at_budgets` give a row a budget (lesson 09): budget, n, unscored, hits, hit, recall, evidence,
    evidence_in_context, words, median_words (both of words_used), unique_words (the mean), too_long (for how many of the scored questions
    the first result alone passed the budget). With `by='kind'`, a row a budget and kind.

    Raises BadArgument where `rows` is not what `evaluate` or `evaluate_at_budgets` returns, or has no column `by`.
    """
    if not isinstance(rows, pd.DataFrame):
        raise BadArgument(f"summarise takes the rows that evaluate returns, not {_named(rows)}")
    at_budgets = "budget" in rows.columns
    needed = (*BUDGET_METRICS, "words_used", "unique_words", "too_long") if at_budgets else (*METRICS, "words")
    if by is not None and not isinstance(by, str):
        raise BadArgument(f"by is {_named(by)} — it is the name of one column, such as 'kind'")
    missing = [name for name in ("scored", *needed, *([by] if by is not None else [])) if name not in rows.columns]
    if missing:
        raise BadArgument(f"the rows have no column {', '.join(map(repr, missing))} — they have {', '.join(map(str, rows.columns))}")
    rows = _as_measured(rows, needed)
    summary = _summary_at_a_budget if at_budgets else _summary
    keys = list(dict.fromkeys([*(["budget"] if at_budgets else []), *([by] if by is not None else [])]))
    if not keys:
        return pd.DataFrame([summary(rows)])
    groups = rows.groupby(keys, sort=True, dropna=False, observed=True)
    table = pd.DataFrame([dict(zip(keys, names, strict=True)) | summary(group) for names, group in groups])
    return table if len(table) else pd.DataFrame(columns=[*keys, *summary(rows)])


def _as_measured(rows: pd.DataFrame, needed: Sequence[str]) -> pd.DataFrame:
    """The rows with `scored` as True and False and the needed columns as numbers, as a table has them that was not saved in between.

    Raises BadArgument where a column holds something else: the text 'False' would count as true, and a gap as no hit.
    """
    odd = [value for value in rows["scored"].unique() if pd.isna(value) or value not in (True, False)]
    if odd:
        raise BadArgument(f"the column 'scored' holds {_named(odd[0])} — it holds True or False for each question")
    rows = rows.assign(scored=rows["scored"].astype(bool))
    for name in needed:
        try:
            numbers = rows[name].astype("float64")
        except (TypeError, ValueError) as error:
            raise BadArgument(f"the column {quoted(name)} holds something that is no number ({error})") from None
        if numbers[rows["scored"]].isna().any():
            raise BadArgument(f"the column {name!r} has a gap in the row of a scored question — a question that finds nothing counts 0")
        rows = rows.assign(**{name: numbers})
    return rows


def _summary(rows: pd.DataFrame, measures: Sequence[str] = METRICS, words: str = "words") -> dict:
    scored = rows[rows["scored"]]
    n = len(scored)
    return {
        "n": n,
        "unscored": len(rows) - n,
        "hits": int(scored["hit"].sum()),
        **{name: math.fsum(scored[name]) / n if n else math.nan for name in measures},
        "words": float(scored[words].mean()) if n else math.nan,
        "median_words": float(scored[words].median()) if n else math.nan,
    }


def _summary_at_a_budget(rows: pd.DataFrame) -> dict:
    scored = rows[rows["scored"]]
    return _summary(rows, BUDGET_METRICS, "words_used") | {
        "unique_words": float(scored["unique_words"].mean()) if len(scored) else math.nan,
        "too_long": int(scored["too_long"].sum()),
    }


def whole_k(k) -> int:
    """k as an int, at most as long as a list can be. Raises BadArgument unless it is a whole number from 0 up (True is none)."""
    try:
        number = operator.index(k)
    except TypeError:
        number = -1
    if isinstance(k, bool) or number < 0:
        raise BadArgument(f"k is {quoted(k)}: it is the number of results that count, a whole number from 0 up (5 is the course's)")
    return min(number, sys.maxsize)


def _named(thing) -> str:
    """What came, in words that fit a message."""
    if thing is None:
        return "None (is a `return` missing?)"
    text = " ".join(repr(thing).split())
    return f"{type(thing).__name__} {text if len(text) <= 60 else text[:57] + '…'}"
