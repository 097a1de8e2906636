"""A run of another system, measured by the report's own measures (lesson 15)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from labkit.collection import Document
from labkit.errors import Fault
from labkit.evaluation.budget import evaluate_at_budgets
from labkit.evaluation.gold import locate, placed
from labkit.evaluation.metrics import evaluate, summarise
from labkit.evaluation.relevance import characters_found
from labkit.evaluation.significance import interval
from labkit.own.desk import kept
from labkit.own.material import load_material, parsed
from labkit.own.runs import load_run
from labkit.own.settings import load_settings
from labkit.own.tokens import TokenChunk


def score_run(path: Path | str, folder: Path | str, *, k: int | None = None) -> dict:
    """The scores of a run on the questions of a folder, as a dictionary that JSON can hold.

    `k` None: that of labkit.toml, as budgets and their unit are. "at_k": n, hits, hit with its interval (low, high), recall,
    reciprocal_rank, ndcg, median_words; "characters": recall, precision and iou at k, the means over the questions with spans (n of them),
    or None; "at_budgets": one for each budget; "questions": rows by question; "without_results": ids of scored questions that the run does
    not answer, which count 0; "warnings": Faults. Errors as `load_run`, and FaultsError where the folder has faults.
    """
    settings = load_settings(folder)
    material = load_material(folder, settings)
    k = settings.k if k is None else k
    unread: list[Document] = []
    documents = list(parsed(material.documents, kept(Path(folder)), unread=lambda document, _: unread.append(document)))
    files = {(each.doc_id, each.version): each.file for each in material.documents}
    run = load_run(path, [*documents, *unread], material.questions, files)
    asked = placed(material.questions, locate(material.questions, documents))
    # a search is asked by text, and two questions may share theirs: the run is asked by id
    by_id = [dataclasses.replace(question, question=question.id) for question in asked]
    search = _in(settings.unit, run)
    rows = evaluate(by_id, search, k)
    at_budgets = evaluate_at_budgets(by_id, search, settings.budgets, settings.last, documents)
    return {
        "k": k,
        "unit": settings.unit,
        "at_k": _summary(rows),
        "characters": _characters(by_id, search, k),
        "at_budgets": [{"budget": budget} | _summary(at_budgets[at_budgets["budget"] == budget]) for budget in settings.budgets],
        "questions": [_row(row) for row in rows.to_dict("records")],
        "without_results": [each.id for each in asked if each.relevant and each.id not in run.results],
        "warnings": [*run.unplaced, *run.ambiguous],
    }


def _in(unit: str, run: Callable[[str, int], list]) -> Callable[[str, int], list]:
    """The run with its passages counted in words or tokens."""
    if unit == "words":
        return run
    return lambda question, k: [TokenChunk(**{each.name: getattr(one, each.name) for each in dataclasses.fields(one)})
                                for one in run(question, k)]  # fmt: skip


def _summary(rows) -> dict:
    whole = summarise(rows).iloc[0]
    spread = interval(rows)
    kept = ("recall", "reciprocal_rank", "ndcg", "evidence", "evidence_in_context", "median_words", "unique_words")
    scored = int(whole["n"])
    return {
        "n": scored, "hits": int(whole["hits"]), "hit": _number(spread.mean), "low": _number(spread.low), "high": _number(spread.high),
        **{name: _number(whole[name]) for name in kept if name in whole},
    }  # fmt: skip


def _characters(questions: Iterable, search: Callable[[str, int], Sequence], k: int) -> dict | None:
    found = [shared for each in questions if (shared := characters_found(each, search(each.question, k)))]
    if not found:
        return None
    return {"n": len(found)} | {name: sum(getattr(each, name) for each in found) / len(found) for name in ("recall", "precision", "iou")}


def _row(row: dict) -> dict:
    return {name: _number(value) for name, value in row.items()}


def _number(value):
    """A value as JSON knows it; None for what nobody measured."""
    if type(value).__name__ == "NAType" or value != value:
        return None
    return value.item() if hasattr(value, "item") else value


def warnings_shown(warnings: Sequence[Fault], most: int = 20) -> list[str]:
    """The first warnings as sentences, and how many more there are."""
    more = len(warnings) - most
    return [str(each) for each in warnings[:most]] + ([f"… and {more:,} more results like these"] if more > 0 else [])
