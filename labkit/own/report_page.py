"""The page of a report: one HTML file that stands alone, for reading, printing and passing on (lesson 15).

No network, pictures inside, one small script that its policy names by digest. The verdict comes first; each picture has its numbers as a
table below it; the tables sort where scripts run, and are whole where they do not. What each number means: docs/report.md.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from labkit.own.phrases import chance, ends, metric_name, points
from labkit.own.report_figures import pictures
from labkit.own.report_html import Cell, Column, folded, number, scrolling, sortable, text, theirs, with_interval
from labkit.own.report_texts import MEASURES, STAGES
from labkit.own.verdict import is_finding, verdict_of
from labkit.show.style import Picture
from labkit.textfiles import counted

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_DIVIDER = "; "


def page_of(report: dict) -> str:
    """The report (as `make_report` returns it, or its JSON file) as the text of an HTML page.

    Its verdict is shown as it stands, and read off the numbers where it is empty. The same report gives the same page.
    """
    return _Page(report).html()


class _Page:
    """One page in the making."""

    def __init__(self, report: dict):
        self.report = report
        self.unit = report["settings"]["unit"]["value"]
        self.budgets = report["settings"]["budgets"]["value"]
        self.k = report["settings"]["k"]["value"]
        self.methods = [each["name"] for each in report["methods"]]
        self.asked = report["questions"]["asked"]
        self.pictures = dict(pictures(report)) if report["power"]["n"] else {}

    def html(self) -> str:
        here = Path(__file__)
        style, script = (here.with_name(f"report.{kind}").read_text("utf-8") for kind in ("css", "js"))
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
        policy = f"{_POLICY}; script-src 'sha256-{digest}'"
        parts = [(place, title, made) for place, title, made in self.parts() if made]
        nav = "\n".join(f'<li><a href="#{place}">{text(title)}</a></li>' for place, title, _ in parts)
        body = "\n".join(
            f'<section aria-labelledby="{place}">\n<h2 id="{place}">{text(title)}</h2>\n{made}\n</section>' for place, title, made in parts
        )
        name = self.report["collection"]["name"]
        return (
            f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>Report on {text(name)}</title>\n'
            f'<style>\n{style}</style>\n</head>\n<body>\n<a class="skip" href="#report">To the verdict</a>\n<header>\n'
            f'<h1>Report on {theirs(name)}</h1>\n<p class="soft">{self.facts()}</p>\n</header>\n'
            f'<main id="report" tabindex="-1">\n{self.verdict()}\n'
            f'<nav aria-label="Parts of the report">\n<ul>\n{nav}\n</ul>\n</nav>\n{body}\n<p role="status" class="unseen"></p>\n</main>\n'
            f'<footer><p>Made by labkit {text(self.report["labkit"])}. The CSV and JSON files beside this page hold the same numbers.</p>'
            f"</footer>\n<script>{script}</script>\n</body>\n</html>\n"
        )

    def parts(self) -> Iterable[tuple[str, str, str]]:
        """(id, heading, HTML) of each part in its order; '' where there is nothing to say."""
        yield "since", "Since the earlier report", self.since()
        yield "scores", "Scores", self.scores()
        yield "comparisons", "Comparisons", self.comparisons()
        yield "cuts", "What the cutting did", self.cuts()
        yield "misses", "Misses", self.misses()
        yield "questions", "Every question", self.questions()
        yield "unreadable", "Unreadable", self.unreadable()
        yield "collection", "Documents and questions", self.collection()
        yield "settings", "Settings", self.settings()
        yield "measures", "How to read the numbers", self.measures()

    def facts(self) -> str:
        collection, questions = self.report["collection"], self.report["questions"]
        methods = counted(len(self.methods), "method")
        return (
            f"{counted(collection['documents'], 'document')}, {counted(collection['words'], 'word')}; "
            f"{counted(questions['n'], 'question')}, "
            f"{questions['scored']:,} of them scored; {methods} compared"
        )

    def verdict(self) -> str:
        first, *others = self.report["verdict"] or verdict_of(self.report)
        more = "<ul>\n" + "\n".join(f"<li>{text(each)}</li>" for each in others) + "\n</ul>\n" if others else ""
        answer = f'<h2 id="verdict">Verdict</h2>\n<p class="answer">{text(first)}</p>'
        return f'<section class="verdict" aria-labelledby="verdict">\n{answer}\n{more}</section>'

    # --- pictures -------------------------------------------------------------------------------------------------------------------

    def picture(self, name: str) -> str:
        """A picture with its alternative text, and its numbers folded below it; '' where the report has none of this name."""
        made: Picture | None = self.pictures.get(name)
        if made is None:
            return ""
        data = base64.b64encode(made.png()).decode("ascii")
        wide, high = (round(100 * float(side)) for side in made.figure.get_size_inches())
        image = f'<img src="data:image/png;base64,{data}" alt="{text(made.alt)}" width="{wide}" height="{high}">'
        said = f"The picture’s numbers: {name.replace('-', ' ').replace('_', ' ')}"
        figure = f"<figure>{scrolling(image, 'Picture: ' + name.replace('-', ' ').replace('_', ' '))}</figure>"
        return f"{figure}\n{folded('The picture’s numbers', scrolling(made.twin.to_html(), said))}"

    def pictures_of(self, kind: str) -> str:
        """All pictures whose name begins so."""
        return "\n".join(self.picture(name) for name in self.pictures if name.startswith(kind))

    # --- parts ----------------------------------------------------------------------------------------------------------------------

    def since(self) -> str:
        since = self.report["against"]
        if not since:
            return ""
        rows = since["rows"]
        lost = sum(row["lost"] for row in rows)
        note = f"<p>{theirs(since['note'])}</p>\n" if since["note"] else ""
        said = f"<p>Compared with {theirs(since['file'])}, question by question. "
        if not rows:
            return f"{said}There is nothing to compare.</p>\n{note}"
        said += (
            f"{counted(lost, 'score')} lost beyond chance: the whole interval lies below 0. Each interval is taken by itself, so that of "
            f"{len(rows):,} scores about one in forty looks lost by luck alone.</p>\n"
        )
        columns = [
            Column("method"), Column(self.unit, number=True, rank=True), Column("measure"),
            *(Column(each, number=True) for each in ("before", "now", "points (interval)", "better", "worse", "level")),
            Column("p", number=True, rank=True), Column("lost"),
        ]  # fmt: skip
        made = [
            [
                Cell(theirs(row["method"])), number(row["budget"]), Cell(text(metric_name(row["metric"]))), number(row["before"]),
                number(row["now"]), _points(row), number(row["wins"]), number(row["losses"]), number(row["ties"]), _chance(row["p"]),
                Cell('<span class="found">lost</span>' if row["lost"] else "no"),
            ]
            for row in sorted(rows, key=lambda row: not row["lost"])
        ]  # fmt: skip
        return said + note + sortable("Since the earlier report", columns, made, fold=f"All {len(rows):,} scores, then and now")

    def scores(self) -> str:
        if not self.report["power"]["n"]:
            return "<p>No question is scored, so there are no scores.</p>"
        got = {(row["method"], row["budget"], row["metric"]): row for row in self.report["scores"]}
        shares = ("hit", "recall", "evidence", "evidence_in_context")
        words = [name for name in ("words_used", "unique_words") if any(row["metric"] == name for row in self.report["scores"])]
        columns = [Column("method"), Column(f"budget ({self.unit})", number=True, rank=True)]
        columns += [Column(metric_name(each), number=True) for each in (*shares, *words)]
        rows = []
        for method in self.methods:
            for budget in self.budgets:
                cells = [with_interval(*(got[method, budget, each][end] for end in ("mean", "low", "high"))) for each in shares]
                cells += [number((got.get((method, budget, each)) or {"mean": None})["mean"], 0) for each in words]
                rows.append([Cell(theirs(method)), number(budget), *cells])
        at_k = [
            [Cell(theirs(method))]
            + [with_interval(*(got[method, None, each][end] for end in ("mean", "low", "high"))) for each in ("hit", "recall")]
            + [number(got[method, None, "words_used"]["mean"], 0)]
            for method in self.methods
        ]
        k_columns = [Column("method"), *(Column(each, number=True) for each in (f"hit@{self.k}", f"recall@{self.k}", "words"))]
        n = counted(self.report["power"]["n"], "question")
        at_budgets = sortable(
            f"Scores at equal budgets, n = {n}; small: 95 % interval", columns, rows, fold=f"All {len(rows):,} scores as a table"
        )
        results = counted(self.k, "result")
        said = (
            "<p>At an equal number of results, methods hand over unequal numbers of words. So this table says how each one does, not which "
            "one is better:</p>"
        )
        return "\n".join([self.pictures_of("scores"), at_budgets, said, sortable(f"Scores at {results}, n = {n}", k_columns, at_k)])

    def comparisons(self) -> str:
        rows = self.report["comparisons"]
        if not rows:
            return ""
        first = self.methods[0]
        said = (
            f"<p>Every other method less {theirs(first)}, question by question: where the difference is below 0, {theirs(first)} is ahead. "
            f"The p-values are corrected for all {counted(len(rows), 'comparison')} together.</p>"
        )
        columns = [
            Column("method"), Column(f"budget ({self.unit})", number=True, rank=True), Column("measure"),
            *(Column(each, number=True) for each in ("points (interval)", "won", "lost", "level")),
            Column("p", number=True, rank=True), Column("p after Holm", number=True, rank=True), Column("beyond chance"),
        ]  # fmt: skip
        made = [
            [
                Cell(theirs(row["a"])), number(row["budget"]), Cell(text(metric_name(row["metric"]))), _points(row), number(row["wins"]),
                number(row["losses"]), number(row["ties"]), _chance(row["p"]), _chance(row["p_holm"]),
                Cell('<span class="found">yes</span>' if is_finding(row) else "no"),
            ]
            for row in rows
        ]  # fmt: skip
        table = sortable(f"Methods compared with {first}", columns, made, fold=f"All {len(rows):,} comparisons as a table")
        return f"{said}\n{self.pictures_of('differences')}\n{table}"

    def cuts(self) -> str:
        columns = [
            Column("method"), Column("chunker", words=True), Column("search"),
            *(Column(each, number=True) for each in ("chunks", "median words", "words stored", "tables whole", "begin inside")),
            Column("sections a chunk spans", number=True), Column("over the limit", number=True),
        ]  # fmt: skip
        rows = []
        for row in self.report["methods"]:
            tables = row["tables"]
            whole = Cell(f"{tables['whole']:,} of {tables['n']:,}", tables["whole"]) if tables["n"] else Cell("–")
            rows.append([
                Cell(theirs(row["name"])), Cell(f"<code>{text(row['chunker'])}</code>"), Cell(theirs(row["search"])), number(row["chunks"]),
                number(row["median_words"], 0), number(row["words_stored"]), whole, number(row["begins_inside"]),
                number(row["sections_per_chunk"], 1), number(row["over_limit"]),
            ])  # fmt: skip
        words = f"<p>The documents hold {counted(self.report['collection']['words'], 'word')}.</p>"
        return f"{words}\n{sortable('What each method cut, and how it searches', columns, rows, fold=f'All {len(rows):,} methods')}"

    # --- misses ---------------------------------------------------------------------------------------------------------------------

    def misses(self) -> str:
        rows = self.report["misses"]
        if not self.report["power"]["n"]:
            return ""
        if not rows:
            return "<p>There are none: every method finds every scored question at every budget.</p>"
        said = (
            "<p>A question is missed where no passage within the budget comes from a section that answers. Each miss stands at the first "
            "stage that lost it, since a cure further on cannot help.</p>"
        )
        by_stage: dict[str, list[dict]] = defaultdict(list)
        for row in rows:
            by_stage[row["stage"]].append(row)
        order = [*(stage for stage in STAGES if stage in by_stage), *(stage for stage in by_stage if stage not in STAGES)]
        return "\n".join([said, self.picture("misses"), *(self.misses_of(stage, by_stage[stage]) for stage in order)])

    def misses_of(self, stage: str, rows: list[dict]) -> str:
        """One stage: what it means, what may help, and its questions, one a row."""
        by_question: dict[str, list[dict]] = defaultdict(list)
        for row in rows:
            by_question[row["id"]].append(row)
        what, todo = STAGES.get(stage, ("", ""))
        made = []
        for name, of_one in by_question.items():
            asked = self.asked.get(name, {"question": of_one[0]["question"], "language": None})
            gold = "<br>".join(f"<code>{text(each)}</code>" for each in of_one[0]["gold"])
            made.append([
                Cell(theirs(name)), Cell(theirs(asked["question"], asked["language"])), Cell(theirs(of_one[0]["kind"])), Cell(gold),
                Cell(self.missed_by(of_one), len(of_one)),
            ])  # fmt: skip
        columns = [Column("id"), Column("question", words=True), Column("kind")]
        columns += [Column("answered by", words=True), Column("missed by", words=True)]
        number_ = counted(len(by_question), "question")
        table = sortable(f"Misses: {stage}", columns, made, fold=f"{number_} lost here")
        return f"<h3>{text(stage.capitalize())}: {number_}</h3>\n<p>{text(what)} {text(todo)}</p>\n{table}"

    def missed_by(self, rows: list[dict]) -> str:
        """'structure (rank 8): 100, 200 words', a line a method; one line where it is the same for all of them."""
        by_method: dict[str, tuple[list[int], str]] = {}
        for row in rows:
            budgets, _ = by_method.setdefault(row["method"], ([], ""))
            budgets.append(row["budget"])
            by_method[row["method"]] = (budgets, _rank(row))
        if len(by_method) == len(self.methods) > 1 and len({str(each) for each in by_method.values()}) == 1:
            budgets, rank = next(iter(by_method.values()))
            return f"every method{rank}: {self.at(budgets)}"
        return "<br>".join(f"{theirs(name)}{rank}: {self.at(budgets)}" for name, (budgets, rank) in by_method.items())

    def at(self, budgets: Sequence[int]) -> str:
        if len(budgets) == len(self.budgets) > 1:
            return "every budget"
        return f"{', '.join(f'{each:,}' for each in budgets)} {self.unit}"

    # --- every question -------------------------------------------------------------------------------------------------------------

    def questions(self) -> str:
        by_question: dict[str, dict[str, list[dict]]] = defaultdict(lambda: defaultdict(list))
        for row in self.report["per_question"]:
            by_question[row["id"]][row["method"]].append(row)
        if not by_question:
            return ""
        several = len(self.budgets) > 1
        said = (
            "<p>For each method: the rank of the first passage that answers, and "
            + (f"from which budget on ({self.unit}) it is handed over" if several else f"whether it is among the {self.at(self.budgets)}")
            + ". A question that the documents cannot answer is not scored; what a search brings for it is wrong, whatever it is.</p>"
        )
        columns = [Column("id"), Column("question", words=True), Column("kind")]
        columns += [Column(name, number=True, rank=True) for name in self.methods]
        made = []
        for name, by_method in by_question.items():
            asked = self.asked.get(name, {"question": "", "language": None})
            kind = next(iter(by_method.values()))[0]["kind"]
            cells = [self.found(by_method.get(method, [])) for method in self.methods]
            made.append([Cell(theirs(name)), Cell(theirs(asked["question"], asked["language"])), Cell(theirs(kind)), *cells])
        return f"{said}\n{sortable('Every question', columns, made, fold='All ' + counted(len(made), 'question'))}"

    def found(self, rows: list[dict]) -> Cell:
        scored = [row for row in rows if row["hit"] is not None]
        if not scored:
            return Cell("not scored", "")
        rank = scored[0]["first_rank"]
        held = [row["budget"] for row in scored if row["hit"]]
        if not held:
            return Cell("not found" if rank is None else f"{rank:,}, in no budget", "" if rank is None else rank)
        return Cell(f"{rank:,}, from {min(held):,}" if len(self.budgets) > 1 else f"{rank:,}", rank)

    # --- the folder -----------------------------------------------------------------------------------------------------------------

    def unreadable(self) -> str:
        rows = self.report["collection"]["unreadable"]
        if not rows:
            return "<p>Nothing: every document was read whole.</p>"
        said = "<p>What stands here is found by no search, and a question about it is missed by every method.</p>"
        columns = [
            Column("file", words=True), Column("inventory line", number=True, rank=True), Column("page", number=True, rank=True),
            Column("what", words=True), Column("what to do", words=True), Column("searched"),
        ]  # fmt: skip
        made = [
            [
                Cell(f"<code>{text(row['file'])}</code>"), number(row["line"]), number(row["page"]), Cell(theirs(row["what"])),
                Cell(theirs(row["todo"])), Cell(_searched(row)),
            ]
            for row in rows
        ]  # fmt: skip
        return f"{said}\n{sortable('What could not be read', columns, made, fold=f'All {len(rows):,}')}"

    def collection(self) -> str:
        collection, questions = self.report["collection"], self.report["questions"]
        facts = {
            "documents": f"{collection['documents']:,}, with {counted(collection['words'], 'word')}",
            "formats": _counts(collection["formats"]),
            "languages": _counts(collection["languages"]),
            "access labels": _counts(collection["access"]),
            "questions": f"{questions['n']:,}, from {_DIVIDER.join(map(theirs, questions['files']))}",
            "scored": f"{questions['scored']:,}; the other {questions['unanswerable']:,} have no answer in the documents",
            "kinds of question": _counts(questions["kinds"]),
        }
        return "<dl>\n" + "\n".join(f"<dt>{text(name)}</dt>\n<dd>{said}</dd>" for name, said in facts.items() if said) + "\n</dl>"

    def settings(self) -> str:
        rows = self.report["settings"]
        usual = {name: _is_default(row, rows) for name, row in rows.items()}
        changed = len(rows) - sum(usual.values())
        verb = "differs from its default" if changed == 1 else "differ from their defaults"
        said = f"<p>From labkit.toml, and the defaults for the rest; {changed} of {len(rows)} {verb}.</p>"
        columns = [Column("setting"), Column("value", words=True), Column("default"), Column("why that is the default", words=True)]
        made = [
            [
                Cell(text(name)), Cell(_setting(row["value"])),
                Cell("the same" if usual[name] else _setting(row["default"])), Cell(text(row["reason"])),
            ]
            for name, row in rows.items()
        ]  # fmt: skip
        return f"{said}\n{sortable('Settings', columns, made, fold='All settings')}"

    def measures(self) -> str:
        least = self.report["power"]["sees_points"]
        power = ""
        if least is not None:
            power = (
                f"<dt>what so many questions can show</dt>\n<dd>{counted(self.report['power']['n'], 'question')} can show a difference of "
                f"{points(least / 100)} points at the least, where one side wins every question on which two methods differ.</dd>"
            )
        said = "\n".join(f"<dt>{text(name)}</dt>\n<dd>{text(what)}</dd>" for name, what in MEASURES.items())
        return f"<dl>\n{said}\n{power}\n</dl>"


# --- cells ------------------------------------------------------------------------------------------------------------------------------


def _points(row: dict) -> Cell:
    if row["difference"] is None:
        return Cell("–")
    sign = "−" if row["difference"] < 0 else "+" if row["difference"] > 0 else ""
    interval = "" if row["low"] is None else f' <span class="interval">{ends(row["low"], row["high"])}</span>'
    return Cell(f"{sign}{points(row['difference'])}{interval}", row["difference"])


def _chance(p: float | None) -> Cell:
    return Cell("–") if p is None else Cell(text(chance(p).removeprefix("p = ").removeprefix("p ")), p)


def _rank(row: dict) -> str:
    if row["rank"] is not None:
        return f" (rank {row['rank']:,})"
    return f" ({text(row['detail'])})" if row["detail"] != row["stage"] else ""


def _searched(row: dict) -> str:
    if row.get("chunker"):
        return f"not by {theirs(row['chunker'])}"
    return "the rest of it" if row["searched"] else "no"


def _counts(counted: dict[str, int]) -> str:
    return ", ".join(f"{theirs(name)} {number_:,}" for name, number_ in counted.items())


def _is_default(row: dict, rows: dict) -> bool:
    """Whether a setting has its default; what an entry of a list does not say, it takes from the setting of that name."""
    value, default = row["value"], row["default"]
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in [*value, *default]) or len(value) != len(default):
        return value == default

    def same(one: dict, usual: dict) -> bool:
        return all(usual.get(name, rows.get(name, {}).get("default", part)) == part for name, part in one.items())

    return all(map(same, value, default))


def _setting(value: object) -> str:
    """A value as TOML has it; of a list of tables, one a line."""
    if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        lines = (", ".join(f"{key} = {json.dumps(part, ensure_ascii=False)}" for key, part in each.items()) for each in value)
        return "<br>".join(f"<code>{text(line)}</code>" for line in lines)
    return f"<code>{text(json.dumps(value, ensure_ascii=False))}</code>"
