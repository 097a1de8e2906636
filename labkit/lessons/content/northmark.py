"""What lessons 11 to 14 begin with: the long code of Northmark, its questions in two halves, its parents and children, and the table of
what each method reached at equal budget (state/northmark.csv)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import pandas as pd

from labkit import load_inventory, load_questions, parse, read_mineru
from labkit.collection import Document
from labkit.course import course_folder
from labkit.embedding.embedder import Embedder
from labkit.errors import BadArgument, Fault, FaultsError
from labkit.evaluation.budget import deep_enough, evaluate_at_budgets, within_budget
from labkit.evaluation.gold import locate
from labkit.evaluation.metrics import summarise
from labkit.evaluation.significance import interval
from labkit.files import write_atomically
from labkit.hierarchy import Child, Parent, children_of, parents
from labkit.hierarchy.children import THRESHOLD
from labkit.parsing.blocks import ParsedDocument
from labkit.parsing.pdf import read_pdf
from labkit.questions import Question
from labkit.textfiles import shown

BUDGETS = (100, 200, 400, 800)
"""Words that are handed over, where parents are among what is compared: an article has some 200."""

HALVES = ("tune", "held-out")
FILE = "northmark.csv"
COLUMNS = ("lesson", "method", "budget", "questions", "hit", "low", "high", "evidence", "evidence_in_context", "words")


def folder() -> Path:
    """corpus/northmark of the course. Raises CourseNotFound."""
    return course_folder() / "corpus" / "northmark"


@cache
def document() -> Document:
    """The code's row of its inventory: the edition in Markdown."""
    (only,) = load_inventory(folder())
    return only


@cache
def code() -> ParsedDocument:
    """The code, parsed from its Markdown edition, which all questions are asked of."""
    return parse(document())


def printed() -> ParsedDocument:
    """The code, read from its PDF (it takes some seconds)."""
    return read_pdf(folder() / "print" / "consumer-code.pdf", doc_id=document().doc_id, version=document().version)


def by_mineru() -> ParsedDocument:
    """The code as MinerU, another reader of PDFs, gives it: a list of blocks, and Markdown for the levels of the headings."""
    place = folder() / "mineru"
    files = place / "consumer-code_content_list.json", place / "consumer-code.md"
    return read_mineru(*files, doc_id=document().doc_id, version=document().version)


def questions(half: str | None = None) -> list[Question]:
    """The questions of one half: 'tune', to choose settings by, or 'held-out', to report on; None: all of them."""
    if half is not None and half not in HALVES:
        raise BadArgument(f"{half!r} is no half of the questions — {' or '.join(map(repr, HALVES))}")
    asked = _questions()
    return [question for question in asked if half is None or half in question.tags]


@cache
def _questions() -> tuple[Question, ...]:
    return tuple(load_questions(course_folder() / "questions" / "northmark.jsonl"))


@cache
def code_parents() -> tuple[Parent, ...]:
    """The parents of the code: an article each, but where headings inside of one begin their own."""
    return tuple(parents(code()))


@cache
def code_children(embedder: Embedder, threshold: float = THRESHOLD) -> tuple[Child, ...]:
    """The children of all parents, in the code's order."""
    return tuple(child for mine in children_of(code_parents(), embedder, threshold) for child in mine)


def at_each_budget(
    asked: Iterable[Question], search_with: Callable[[int], Callable], budgets: Iterable[int] = BUDGETS
) -> pd.DataFrame:
    """The rows of `evaluate_at_budgets` for a search that must know its budget: `search_with(budget)` gives it.

    So is a search for parents: what is longer than the budget is delivered as its children (`ParentSearch(…, budget=budget)`).
    """
    asked = list(asked)
    return pd.concat(
        [evaluate_at_budgets(asked, search_with(budget), (budget,), documents=[code()]) for budget in budgets], ignore_index=True
    )


def read_whole(asked: Iterable[Question], search: Callable, budget: int) -> pd.Series:
    """For each question with an answer, by its id: whether what `search` hands over within the budget holds the whole text of a parent
    that holds a gold quote: the rule with its exceptions, in one passage or in several."""
    gold = _gold_parents()
    found = {}
    for question in asked:
        if question.relevant:
            taken = within_budget(deep_enough(search, question, budget), budget)
            spans = sorted((passage.start, passage.end) for passage in taken)
            found[question.id] = any(_covered(parent, spans) for parent in gold[question.id])
    return pd.Series(found, dtype=bool)


@cache
def _gold_parents() -> dict[str, list[Parent]]:
    """The parents that hold a question's gold quotes, by the question's id."""
    gold: dict[str, list[Parent]] = {question.id: [] for question in _questions()}
    for (name, _), quote in locate(_questions(), [code()]).items():
        gold[name] += [parent for parent in code_parents() if parent.start <= quote.start < parent.end]
    return gold


def _covered(parent: Parent, spans: list[tuple[int, int]]) -> bool:
    """Whether spans, in order, hold every visible character of the parent."""
    at = parent.start
    for start, end in spans:
        if parent.text[at - parent.start : max(start, at) - parent.start].strip():
            return False
        at = max(at, min(end, parent.end))
    return not parent.text[at - parent.start :].strip()


class NorthmarkError(FaultsError):
    """state/northmark.csv cannot be read as it stands; nothing was written."""


class BudgetBoard:
    """One row a method and budget on the held-out questions, in a small text file: by lesson, in the order in which methods were put there,
    and by budget. Putting the same values again changes no byte.

    >>> board = BudgetBoard(lesson.state / "northmark.csv")
    >>> board.measured(rows, method="parents, found by their children", lesson="11")
    """

    def __init__(self, path: Path | str):
        self.path = Path(path)

    def measured(self, rows: pd.DataFrame, *, method: str, lesson: str) -> None:
        """Put what `evaluate_at_budgets` returned: a method's rows are rewritten where they stand, or added after those of its lesson.

        Raises BadArgument where no question is scored, NorthmarkError where the file has faults (it is left as it is).
        """
        new = [_row(rows[rows["budget"] == budget], lesson, method, int(budget)) for budget in sorted(set(rows["budget"]))]
        if not new:
            raise BadArgument(f"{method}: there are no rows to put into {FILE}")
        held = self._read()
        place = next((number for number, row in enumerate(held) if row["method"] == method), len(held))
        others = [row for row in held if row["method"] != method]
        held = sorted([*others[:place], *new, *others[place:]], key=lambda row: row["lesson"])
        out = io.StringIO(newline="")
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(held)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self.path, out.getvalue())

    def table(self, budget: int | None = None) -> pd.DataFrame:
        """The board, or its rows of one budget; no rows where there is no file yet."""
        rows = [row for row in self._read() if budget is None or int(row["budget"]) == budget]
        kinds = dict.fromkeys(COLUMNS[:2], "str") | dict.fromkeys(("budget", "questions", "words"), "int64")
        return pd.DataFrame(rows, columns=list(COLUMNS)).astype(dict.fromkeys(COLUMNS, "float64") | kinds)

    def _read(self) -> list[dict[str, str]]:
        try:
            text = self.path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise NorthmarkError([Fault(shown(self.path), None, f"cannot be read ({error})", _CURE)]) from None
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        try:
            rows = list(reader)
        except csv.Error as error:
            raise NorthmarkError([Fault(shown(self.path), reader.line_num, f"is not CSV ({error})", _CURE)]) from None
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise NorthmarkError([Fault(shown(self.path), 1, f"the columns are not {', '.join(COLUMNS)}", _CURE)])
        faults = [Fault(shown(self.path), line, what, _CURE) for line, row in enumerate(rows, 2) for what in _faults_of(row)]
        if faults:
            raise NorthmarkError(faults)
        return rows


_CURE = "delete the file and run the lessons that measure again, from lesson 11 on"


def _row(rows: pd.DataFrame, lesson: str, method: str, budget: int) -> dict[str, str]:
    whole = summarise(rows).iloc[0]
    if not whole["n"]:
        raise BadArgument(f"{method}: no question is scored, so there is no number to put into {FILE}")
    spread = interval(rows)
    shares = {"hit": spread.mean, "low": spread.low, "high": spread.high}
    shares |= {name: float(whole[name]) for name in ("evidence", "evidence_in_context")}
    words = f"{rows.loc[rows['scored'], 'words_used'].median():.0f}"
    counts = {"lesson": lesson, "method": method, "budget": str(budget), "questions": str(int(whole["n"])), "words": words}
    row = counts | {name: f"{share:.3f}" for name, share in shares.items()}
    return {name: row[name] for name in COLUMNS}


def _faults_of(row: dict) -> list[str]:
    found = []
    if None in row or None in row.values():
        return [f"has not the {len(COLUMNS)} fields of the header"]
    for name in COLUMNS[2:]:
        try:
            value = float(row[name])
        except ValueError:
            value = -1.0
        share = name not in ("budget", "questions", "words")
        if not 0 <= value <= (1 if share else 1e9) or not (share or value.is_integer()):
            found.append(f"{name} is {row[name]!r}, not a {'number from 0 to 1' if share else 'whole number'}")
    return found
