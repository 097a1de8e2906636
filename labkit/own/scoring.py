"""Every number of a report, from the rankings of each method: scores, comparisons, misses (lessons 09, 10 and 15).

The measures, intervals and tests are the course's own (labkit.evaluation); here they are only asked for every method and budget.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import pandas as pd

from labkit.chunking.chunk import Chunk
from labkit.evaluation.attribution import BELOW_K, FOUND, NO_SHARED_WORD, OVER_BUDGET, Miss, stage_of
from labkit.evaluation.budget import evaluate_at_budgets
from labkit.evaluation.gold import locate, placed
from labkit.evaluation.metrics import BUDGET_METRICS, evaluate
from labkit.evaluation.power import questions_needed, smallest_difference
from labkit.evaluation.relevance import gold_sections, is_relevant
from labkit.evaluation.significance import compare_family, interval
from labkit.own.methods import methods_of
from labkit.own.settings import Settings
from labkit.parsing.blocks import ParsedDocument
from labkit.questions import Question

COMPARED = ("hit", "evidence_in_context")
DISCORDANT = 0.15  # the share of questions on which two searches differ, where nobody knows: between the course's own 0.10 and 0.20
DECIMALS = 6


def scores_of(
    questions: Sequence[Question],
    rankings: Mapping[str, Mapping[str, Sequence[Chunk]]],
    known: Mapping[str, Sequence[Chunk]],
    documents: Sequence[ParsedDocument],
    settings: Settings,
    may_bring: Callable[[Question, Chunk], bool],
    depth: int,
    progress: Callable[[int, int, str], None] = lambda *_: None,
) -> dict:
    """scores, comparisons, misses, per_question and power, as a report has them.

    `rankings`: method -> question's id -> what it brings, in rank order, what it may not bring left out. `known`: method -> its chunks of
    the documents that any gold names, also those that it may not bring; `may_bring(question, chunk)` says which it may. `documents`: the
    documents that gold names, parsed. `depth`: how far down a ranking goes at least, where it does not end before.
    """
    questions = placed(questions, locate(questions, documents))
    # a search is asked by text, and two questions may share theirs: here each is asked by its id
    by_meaning = {method.name for method in methods_of(settings) if method.search.by_meaning}
    by_id = [dataclasses.replace(question, question=question.id) for question in questions]
    scores: list[dict] = []
    misses: list[dict] = []
    each_question: list[dict] = []
    tables: dict[str, pd.DataFrame] = {}
    for number, (method, ranking) in enumerate(rankings.items()):
        progress(number, len(rankings), method)
        search = _search(ranking)
        at_budgets = evaluate_at_budgets(by_id, search, settings.budgets, settings.last, documents)
        tables[method] = at_budgets
        scores += _scores(method, at_budgets, evaluate(by_id, search, settings.k), settings)
        ranks = {question.id: _first_rank(question, ranking[question.id]) for question in questions}
        each_question += _rows(method, at_budgets, ranks)
        misses += _misses(method, questions, at_budgets, ranking, known[method], settings, may_bring, depth, method in by_meaning)
    scored = sum(bool(question.relevant) for question in questions)
    return {
        "scores": scores,
        "comparisons": _comparisons(tables),
        "misses": misses,
        "per_question": each_question,
        "power": power_of(scored),
    }


def power_of(scored: int) -> dict:
    """What so many scored questions can show: `sees_points` is the smallest difference that they can show at all, in points (None where
    they can show none); `for_10` and `for_5` are how many questions it takes to see 10 and 5 points four times in five, where two methods
    differ on a share `discordant` of the questions."""
    least = smallest_difference(scored)
    return {
        "n": scored,
        "sees_points": number(100 * least),
        "for_10": questions_needed(0.10, DISCORDANT),
        "for_5": questions_needed(0.05, DISCORDANT),
        "discordant": DISCORDANT,
    }


def number(value) -> float | int | None:
    """A number as the report has it: at most six decimals; None where there is none."""
    if value is None or value is pd.NA or (isinstance(value, float) and not math.isfinite(value)):
        return None
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float):
        return round(value, DECIMALS) + 0.0 if math.isfinite(value) else None
    return value


def probability(p: float) -> float:
    """A p-value as the report has it: six significant digits, since none is ever exactly 0."""
    return float(f"{p:.6g}")


def _stated(name: str, value) -> float | int | None:
    return probability(value) if name in ("p", "p_holm") else number(value)


def _search(ranking: Mapping[str, Sequence[Chunk]]) -> Callable[[str, int], list[Chunk]]:
    return lambda name, k: list(ranking[name][:k])


def _scores(method: str, at_budgets: pd.DataFrame, at_k: pd.DataFrame, settings: Settings) -> list[dict]:
    """A row a budget (or k) and metric; an interval for what is a share of questions, none for numbers of words."""
    found = []
    for budget in settings.budgets:
        rows = at_budgets[at_budgets["budget"] == budget]
        found += [_mean(method, rows, metric, budget, None) for metric in BUDGET_METRICS]
        counted = ["words_used"] + (["unique_words"] if settings.unit == "words" else [])
        found += [_plain_mean(method, rows, metric, budget, None) for metric in counted]
    found += [_mean(method, at_k, metric, None, settings.k) for metric in ("hit", "recall")]
    return [*found, _plain_mean(method, at_k.rename(columns={"words": "words_used"}), "words_used", None, settings.k)]


def _mean(method: str, rows: pd.DataFrame, metric: str, budget: int | None, k: int | None) -> dict:
    got = interval(rows, metric)
    ends = {name: number(getattr(got, name)) for name in ("mean", "low", "high")}
    return {"method": method, "budget": budget, "k": k, "metric": metric} | ends | {"n": got.n}


def _plain_mean(method: str, rows: pd.DataFrame, metric: str, budget: int | None, k: int | None) -> dict:
    scored = rows[rows["scored"]]
    mean = number(float(scored[metric].mean())) if len(scored) else None
    return {"method": method, "budget": budget, "k": k, "metric": metric, "mean": mean, "low": None, "high": None, "n": len(scored)}


def _comparisons(tables: Mapping[str, pd.DataFrame]) -> list[dict]:
    """Every other method against the first, at each budget, by each metric of COMPARED: one family, for Holm. None without a question."""
    if len(tables) < 2 or next(iter(tables.values())).empty:
        return []
    family = compare_family(tables, COMPARED, against=next(iter(tables)))
    names = ("a", "b", "budget", "metric", "difference", "low", "high", "p", "p_holm", "wins", "losses", "ties", "n")
    rows = family.to_dict("records")
    return [{name: row[name] if isinstance(row[name], str) else _stated(name, row[name]) for name in names} for row in rows]


def _rows(method: str, at_budgets: pd.DataFrame, ranks: Mapping[str, int | None]) -> list[dict]:
    return [
        {
            "id": row["id"], "kind": row["kind"], "method": method, "budget": int(row["budget"]),
            **{metric: number(row[metric]) for metric in BUDGET_METRICS},
            "words_used": int(row["words_used"]), "first_rank": ranks[row["id"]],
        }
        for row in at_budgets.to_dict("records")
    ]  # fmt: skip


def _first_rank(question: Question, ranking: Iterable[Chunk]) -> int | None:
    return next((rank for rank, chunk in enumerate(ranking, start=1) if is_relevant(question, chunk)), None) if question.relevant else None


# --- misses -----------------------------------------------------------------------------------------------------------------------------


def _misses(method, questions, at_budgets, ranking, known, settings: Settings, may_bring, depth: int, by_meaning: bool) -> list[dict]:
    """A row a question and budget that missed: the stage that lost it, and what is known of it."""
    missed = {(row["id"], row["budget"]) for row in at_budgets.to_dict("records") if row["scored"] and row["hit"] == 0}
    of_edition: dict[tuple[str, str], list[Chunk]] = {}
    for chunk in known:
        of_edition.setdefault((chunk.doc_id, chunk.version), []).append(chunk)
    found = []
    for question in questions:
        if not any((question.id, budget) in missed for budget in settings.budgets):
            continue
        editions = dict.fromkeys((entry.doc_id, entry.version) for entry in question.relevant)
        passages = [chunk for edition in editions for chunk in of_edition.get(edition, ())]
        brought = ranking[question.id]
        deep = max(depth, len(brought))
        for budget in settings.budgets:
            if (question.id, budget) not in missed:
                continue
            miss = stage_of(
                question,
                lambda _, k, brought=brought: list(brought[:k]),
                passages=passages,
                k=deep,
                allowed=lambda passage, question=question: may_bring(question, passage),
                budget=budget,
                last=settings.last,
            )
            if miss.stage == BELOW_K or (miss.stage == NO_SHARED_WORD and by_meaning):
                miss = Miss(OVER_BUDGET)  # further down than anybody looked, and a search by meaning needs no shared word
            if miss.stage != FOUND:
                found.append(
                    {
                        "question": question.question, "id": question.id, "kind": question.kind, "method": method, "budget": budget,
                        "stage": miss.stage, "rank": miss.rank, "detail": _detail(miss, deep),
                        "gold": [str(each) for each in gold_sections(question)],
                    }
                )  # fmt: skip
    return found


def _detail(miss: Miss, depth: int) -> str:
    if miss.rank is None and miss.stage == OVER_BUDGET:
        return f"not among the first {depth} results"
    return str(miss)
