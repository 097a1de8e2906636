"""Reports for tests, made from which questions each method finds: the numbers come from the course's own measures, not from here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pandas as pd

from labkit.own.scoring import _comparisons, _mean, _plain_mean, power_of
from labkit.own.settings import TABLE

METRICS = ("hit", "recall", "evidence", "evidence_in_context")


def report(
    found: Mapping[str, Sequence[int]],
    *,
    evident: Mapping[str, Sequence[int]] | None = None,
    budgets: Sequence[int] = (100, 200, 400),
    unanswerable: int = 0,
    stage: str = "cut by the budget",
    **parts,
) -> dict:
    """A report in which method m finds question i at every budget where `found[m][i]` is 1, by its first result; at the last budgets only
    where it is 2 (the first budget misses). `evident` the same for evidence (None: as found). `parts` replace parts of the report, or of a
    part ('collection__unreadable')."""
    names = list(found)
    n = len(found[names[0]])
    ids = [f"Q{number:04}" for number in range(1, n + 1)]
    tables, scores, per_question, misses = {}, [], [], []
    for name in names:
        rows = []
        for budget in budgets:
            used = {"words_used": budget - 10, "unique_words": budget - 12}
            for place, id_ in enumerate(ids):
                how, proof = found[name][place], (evident or found)[name][place]
                hit, evidence = (float(each == 1 or (each == 2 and budget != budgets[0])) for each in (how, proof))
                values = dict(zip(METRICS, (hit, hit, evidence, evidence), strict=True))
                rank = {1: 1, 2: 7}.get(how)
                row = {"id": id_, "kind": "answerable", "method": name, "budget": budget}
                rows.append(row | values | used | {"scored": True})
                per_question.append(row | values | {"words_used": budget - 10, "first_rank": rank})
                if not hit:
                    detail = stage if rank is None else f"{stage} (rank {rank})"
                    lost = {"question": f"What is {id_}?", "stage": stage, "rank": rank, "detail": detail, "gold": ["doc@v1#part"]}
                    misses.append(row | lost)
        if n:
            tables[name] = pd.DataFrame(rows)
            scores += _scores(name, tables[name], budgets)
    off = [f"Q{number:04}" for number in range(n + 1, n + unanswerable + 1)]
    for id_ in off:
        empty = dict.fromkeys(METRICS)
        per_question += [
            {"id": id_, "kind": "unanswerable", "method": name, "budget": budget, **empty, "words_used": 90, "first_rank": None}
            for name in names
            for budget in budgets
        ]
    settings = {row.name: {"value": row.default, "default": row.default, "reason": row.reason} for row in TABLE}
    settings["budgets"] = settings["budgets"] | {"value": list(budgets)}
    made = {
        "labkit": "1.0",
        "collection": {
            "name": "shop", "documents": 5, "unreadable": [], "words": 1_000,
            "formats": {"md": 5}, "languages": {"en": 5}, "access": {"public": 5},
        },
        "questions": {
            "n": n + unanswerable, "scored": n, "unanswerable": unanswerable, "kinds": {"answerable": n}, "files": ["questions.md"],
            "asked": {id_: {"question": f"What is {id_}?", "language": "en"} for id_ in [*ids, *off]}, "digests": {},
        },
        "settings": settings,
        "methods": [
            {"name": name, "chunker": f"{name}(size=100)", "search": "BM25 keyword search", "chunks": 20, "median_words": 50.0,
             "words_stored": 1_000, "tables": {"n": 4, "whole": 4}, "begins_inside": 0, "sections_per_chunk": 1.0, "over_limit": 0}
            for name in names
        ],
        "scores": scores,
        "comparisons": _comparisons(tables) if n else [],
        "misses": misses,
        "per_question": per_question,
        "power": power_of(n),
        "verdict": [],
        "against": None,
    }  # fmt: skip
    for name, value in parts.items():
        part, _, inner = name.partition("__")
        if inner:
            made[part] = made[part] | {inner: value}
        else:
            made[part] = value
    return made


def _scores(name: str, rows: pd.DataFrame, budgets: Sequence[int]) -> list[dict]:
    made = []
    for budget in budgets:
        here = rows[rows["budget"] == budget]
        made += [_mean(name, here, metric, budget, None) for metric in METRICS]
        made += [_plain_mean(name, here, metric, budget, None) for metric in ("words_used", "unique_words")]
    made += [_mean(name, here, metric, None, 5) for metric in ("hit", "recall")]
    return [*made, _plain_mean(name, here, "words_used", None, 5)]


def methods(made: dict, **values: Sequence) -> dict:
    """The report with these values of its methods: `words_stored=[1000, 1200]`, one a method."""
    for name, each in values.items():
        for row, value in zip(made["methods"], each, strict=True):
            row[name] = value
    return made


def changed(method: str = "a", difference: float = -0.5, low: float = -0.7, high: float = -0.2, **more) -> dict:
    """A row of `against`."""
    wins, losses = (0, 10) if difference < 0 else (10, 0) if difference > 0 else (0, 0)
    return {
        "method": method, "budget": 100, "metric": "hit", "before": 0.75, "now": 0.75 + difference, "difference": difference, "low": low,
        "high": high, "p": 0.001 if not math.isnan(difference) else 1.0, "wins": wins, "losses": losses, "ties": 10, "n": 20,
        "lost": difference < 0 and high < 0,
    } | more  # fmt: skip
