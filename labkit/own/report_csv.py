"""A report's numbers as one CSV table in long form: a row a number, for a spreadsheet or a script (lesson 15).

The column `table` says what a row is about (score, comparison, since, miss, question, method, collection, questions, power, setting,
unreadable, verdict); `metric` what is measured, `value` the number; what a row has no use for is empty. Each number: docs/report.md.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from functools import lru_cache

from labkit.show.tables import clean

COLUMNS = (
    "table", "method", "against", "budget", "k", "metric", "question", "kind", "value", "low", "high", "before", "p", "p_holm",
    "wins", "losses", "ties", "n", "text",
)  # fmt: skip
"""The columns, in order. `before` is the earlier report's value, of which `value` is the difference to today's."""

_PER_QUESTION = ("hit", "recall", "evidence", "evidence_in_context", "words_used", "first_rank")
_clean = lru_cache(maxsize=65_536)(clean)  # the same few names stand in a hundred thousand rows
_PAIRED = ("low", "high", "wins", "losses", "ties", "n")


def csv_of(report: dict) -> str:
    """The report as CSV text: one header row, then a row a number, in the report's order. Questions stand in it by their ids."""
    target = io.StringIO(newline="")
    writer = csv.DictWriter(target, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in _rows(report))
    return target.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else _text(value) if isinstance(value, str) else value


def _text(value: str) -> str:
    """A text that no spreadsheet takes for a formula: what begins like one gets an apostrophe before it. The JSON file has it bare."""
    value = _clean(value)
    return f"'{value}" if value.startswith(("=", "+", "-", "@")) else value


def _rows(report: dict) -> Iterator[dict]:
    for sentence in report["verdict"]:
        yield {"table": "verdict", "text": sentence}
    for row in report["scores"]:
        yield {"table": "score"} | _only(row, "method", "budget", "k", "metric", "low", "high", "n") | {"value": row["mean"]}
    for row in report["comparisons"]:
        yield {"table": "comparison", "method": row["a"], "against": row["b"], "value": row["difference"]} | _only(
            row, "budget", "metric", "p", "p_holm", *_PAIRED
        )
    since = report["against"]
    for row in since["rows"] if since else ():
        yield {"table": "since", "against": since["file"], "value": row["difference"], "text": "lost" if row["lost"] else ""} | _only(
            row, "method", "budget", "metric", "before", "p", *_PAIRED
        )
    for row in report["methods"]:
        yield from _method(row)
    for row in report["per_question"]:
        for metric in _PER_QUESTION:
            yield {"table": "question", "question": row["id"], "metric": metric, "value": row[metric]} | _only(
                row, "method", "budget", "kind"
            )
    for row in report["misses"]:
        yield {"table": "miss", "question": row["id"], "metric": "rank", "value": row["rank"], "text": row["stage"]} | _only(
            row, "method", "budget", "kind"
        )
    yield from _facts(report)


def _method(row: dict) -> Iterator[dict]:
    numbers = {"tables": row["tables"]["n"], "tables_whole": row["tables"]["whole"]}
    numbers |= _only(row, "chunks", "median_words", "words_stored", "begins_inside", "sections_per_chunk", "over_limit")
    for metric, value in numbers.items():
        yield {"table": "method", "method": row["name"], "metric": metric, "value": value}
    for metric in ("chunker", "search"):
        yield {"table": "method", "method": row["name"], "metric": metric, "text": row[metric]}


def _facts(report: dict) -> Iterator[dict]:
    collection, questions = report["collection"], report["questions"]
    for metric in ("documents", "words"):
        yield {"table": "collection", "metric": metric, "value": collection[metric]}
    for metric in ("formats", "languages", "access"):
        for name, number in collection[metric].items():
            yield {"table": "collection", "metric": metric, "text": name, "value": number}
    for metric in ("n", "scored", "unanswerable"):
        yield {"table": "questions", "metric": metric, "value": questions[metric]}
    for name, number in questions["kinds"].items():
        yield {"table": "questions", "metric": "kinds", "kind": name, "value": number}
    for metric, value in report["power"].items():
        yield {"table": "power", "metric": metric, "value": value}
    for name, row in report["settings"].items():
        yield {"table": "setting", "metric": name, "text": json.dumps(row["value"], ensure_ascii=False)}
    for row in collection["unreadable"]:
        page = "" if row["page"] is None else f", page {row['page']}"
        yield {"table": "unreadable", "metric": "line", "value": row["line"], "text": f"{row['file']}{page}: {row['what']} — {row['todo']}"}


def _only(row: dict, *names: str) -> dict:
    return {name: row[name] for name in names}
