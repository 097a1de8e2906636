"""Better or worse than an earlier report? The same questions, paired, each difference with its interval (lessons 10 and 15)."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import pandas as pd

from labkit.collection import read_text
from labkit.errors import DocumentError, LabError
from labkit.evaluation.metrics import BUDGET_METRICS
from labkit.evaluation.significance import compare
from labkit.own.scoring import number, probability
from labkit.textfiles import shown, some


def load_report(path: Path | str) -> dict:
    """A report.json as `labkit report` wrote it. Raises LabError where the file is something else."""
    name = shown(path)
    todo = "name the report.json of an earlier `labkit report`"
    try:
        report = json.loads(read_text(path))
    except DocumentError as error:
        raise LabError(str(error)) from None
    except (ValueError, RecursionError) as error:
        raise LabError(f"{name}: is no report ({error}) — {todo}") from None
    if not _is_report(report):
        raise LabError(f"{name}: holds no results a question (per_question) as a report does, so nothing can be compared — {todo}")
    return report


def _is_report(report: object) -> bool:
    """Whether everything is there, and of its kind, that a comparison looks at."""
    if not isinstance(report, dict) or not isinstance(report.get("per_question"), list):
        return False
    if not all(isinstance(report.get(part), dict) for part in ("questions", "settings")):
        return False
    if not isinstance(report["questions"].get("digests"), dict) or not isinstance(report["settings"].get("unit"), dict):
        return False
    seen = set()
    for row in report["per_question"]:
        if not isinstance(row, dict) or not isinstance(row.get("id"), str) or not isinstance(row.get("method"), str):
            return False
        if type(row.get("budget")) is not int or (row["id"], row["method"], row["budget"]) in seen:
            return False
        seen.add((row["id"], row["method"], row["budget"]))
        values = [row.get(metric, "") for metric in BUDGET_METRICS]
        if values != [None] * len(values) and not all(type(value) in (int, float) and 0 <= value <= 1 for value in values):
            return False
    return True


def compared_with(now: dict, name: str, before: dict) -> dict:
    """The part `against` of a report: a row a method, budget and metric that both reports have, over the questions that both have.

    `difference` is now − before, wins are questions that are better now. `lost` is true where the whole interval lies below 0. A question
    whose text or gold changed, or for whose day another edition holds, is another question, and left out; `note` says what was left out.
    A question that has another id now is the same one: in a Markdown file without ids, a new question gives all below it others. So is a
    method that has another name, where chunker and search are the same: a second search in labkit.toml gives all methods longer names.
    """
    before = _by_names_of_now(now, _by_ids_of_now(now, before))
    ids, note = _same_questions(now, before)
    tables_now, tables_before = _tables(now, ids), _tables(before, ids)
    rows = []
    for key, table in tables_now.items():
        if key in tables_before and _unit(now) == _unit(before):
            rows += [_row(key, metric, table, tables_before[key]) for metric in BUDGET_METRICS]
    gone = sorted({method for method, _ in tables_before} - {method for method, _ in tables_now})
    new = sorted({method for method, _ in tables_now} - {method for method, _ in tables_before})
    note += [f"Not in this report any more: {', '.join(gone)}."] if gone else []
    note += [f"Not in the earlier report: {', '.join(new)}."] if new else []
    if _unit(now) != _unit(before):
        note.append(f"The budgets are counted in {_unit(now)} now, and were in {_unit(before)}: nothing can be compared.")
    elif not rows:
        shared = "No method and budget" if ids else "No question"
        note.append(f"{shared} is in both reports, so nothing can be compared.")
    return {"file": name, "rows": rows, "note": " ".join(note)}


def _row(key: tuple[str, int], metric: str, now: pd.DataFrame, before: pd.DataFrame) -> dict:
    found = compare(now, before, metric)
    means = {name: number(float(table.loc[table["scored"], metric].mean())) for name, table in (("before", before), ("now", now))}
    values = {name: number(getattr(found, name)) for name in ("difference", "low", "high", "wins", "losses", "ties", "n")}
    values["p"] = probability(found.p)
    lost = found.n > 0 and found.difference < 0 and found.high < 0
    return {"method": key[0], "budget": key[1], "metric": metric} | means | values | {"lost": bool(lost)}


def _tables(report: dict, ids: set[str]) -> dict[tuple[str, int], pd.DataFrame]:
    """(method, budget) -> its rows over these questions, those that both reports score."""
    found: dict[tuple[str, int], list[dict]] = {}
    for row in report["per_question"]:
        if row["id"] in ids:
            values = {metric: math.nan if row[metric] is None else float(row[metric]) for metric in BUDGET_METRICS}
            found.setdefault((row["method"], row["budget"]), []).append({"id": row["id"], "scored": row["hit"] is not None} | values)
    return {key: pd.DataFrame(rows) for key, rows in found.items()}


def _by_ids_of_now(now: dict, before: dict) -> dict:
    """The earlier report with each question under the id that it has now, by its digest; one that is not there any more never takes the id
    of another."""
    digests_now, digests_before = ({name: str(each) for name, each in report["questions"]["digests"].items()} for report in (now, before))
    many = Counter(digests_now.values()) | Counter(digests_before.values())
    new = {digest: name for name, digest in digests_now.items() if many[digest] == 1}  # asked twice, nobody knows which is which
    moved = {name: new[digest] for name, digest in digests_before.items() if digest in new}
    taken = set(moved.values())

    def named(name: str) -> str:
        return moved.get(name, f"{name}, as it was then" if name in taken else name)  # no id holds a blank, so this one is nobody's

    rows = [row | {"id": named(row["id"])} for row in before["per_question"]]
    digests = {named(name): digest for name, digest in before["questions"]["digests"].items()}
    return before | {"per_question": rows, "questions": before["questions"] | {"digests": digests}}


def _by_names_of_now(now: dict, before: dict) -> dict:
    """The earlier report with each method under the name that it has now: by its name, else by its chunker and search, where only one
    method has these."""
    made_now, made_before = (_made(report) for report in (now, before))
    open_now = {how: name for name, how in made_now.items() if name not in made_before}
    open_before = {how: name for name, how in made_before.items() if name not in made_now}
    many = Counter(made_now.values()) | Counter(made_before.values())
    renamed = {open_before[how]: name for how, name in open_now.items() if how in open_before and many[how] == 1}
    rows = [row | {"method": renamed.get(row["method"], row["method"])} for row in before["per_question"]]
    return before | {"per_question": rows}


def _made(report: dict) -> dict[str, tuple[str, str]]:
    """Method -> (chunker with its settings, search)."""
    methods = report.get("methods")
    rows = [row for row in methods if isinstance(row, dict)] if isinstance(methods, list) else []
    return {str(row.get("name")): (str(row.get("chunker")), str(row.get("search"))) for row in rows}


def _same_questions(now: dict, before: dict) -> tuple[set[str], list[str]]:
    """The ids that mean the same question in both, and sentences on the others."""
    ours, theirs = ({row["id"]: row["hit"] is not None for row in report["per_question"]} for report in (now, before))
    digests_now, digests_before = (report["questions"]["digests"] for report in (now, before))
    both = [name for name in ours if name in theirs]
    same = {name for name in both if digests_now.get(name) == digests_before.get(name) and ours[name] == theirs[name]}
    note = []
    for left_out, what in (
        ([name for name in both if name not in same], "changed since"),
        ([name for name in ours if name not in theirs], "not in the earlier report"),
        ([name for name in theirs if name not in ours], "not in this report any more"),
    ):
        if left_out:
            note.append(f"{'Question' if len(left_out) == 1 else 'Questions'} left out, {what}: {some(left_out)}.")
    return same, note


def _unit(report: dict) -> str:
    return str(report["settings"]["unit"].get("value"))
