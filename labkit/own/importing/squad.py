"""SQuAD, and what is written like it: questions on paragraphs, each answer a span (lesson 15).

Read are the files of SQuAD 1.1 and 2.0 ({"data": [{"title", "paragraphs": [{"context", "qas"}]}]}) and rows with id, context, question and
answers, as a JSON list or one a line. An article becomes one document: its title, then its paragraphs as they stand, with a blank line
between; so an answer's place in its paragraph is a place in the document. Each of a question's answers is a relevant span; a question
without one (`is_impossible`) is unanswerable.

An answer that does not stand where it says is taken from where it stands, if that is one place in its paragraph; else the question is a
fault.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from labkit.collection import INVENTORY
from labkit.errors import Fault
from labkit.evaluation.gold import starts_of
from labkit.own.foreign import text_of
from labkit.own.importing.folder import (
    QUESTIONS,
    Answer,
    Imported,
    Names,
    NewDocument,
    NewQuestion,
    SourceError,
    judge,
    readable,
    refuse_if_taken,
    write_folder,
)
from labkit.textfiles import quoted, shown

_SHAPE = 'a SQuAD file is {"data": [{"title": …, "paragraphs": [{"context": …, "qas": […]}]}]}'


@dataclass(frozen=True)
class _Asked:
    """A question as the source has it. `line` is 1-based, None where the whole file is one JSON value; `place` is then the way to it."""

    title: str
    context: Any
    id: Any
    question: Any
    answers: Any
    impossible: bool
    line: int | None
    place: str


@dataclass
class _Article:
    doc_id: str
    title: str
    starts: dict[str, int] = field(default_factory=dict)  # paragraph -> where it begins in the text
    text: str = ""

    def place(self, context: str) -> int:
        """Where a paragraph begins in the article's text; a new one is put at its end."""
        if context not in self.starts:
            self.text += "\n\n" if self.text else ""
            self.starts[context] = len(self.text)
            self.text += context
        return self.starts[context]


def import_squad(source: Path | str, folder: Path | str, *, leave_out: bool = False) -> Imported:
    """Makes `folder` from a SQuAD file. `leave_out`: questions with a fault are left out and named; else they stop the import.

    Raises SourceError with every fault of the file, DocumentError where it cannot be read, LabError where the folder is taken.
    """
    source, folder = Path(source), Path(folder)
    refuse_if_taken(folder, INVENTORY, QUESTIONS)
    name = shown(source)
    faults: list[Fault] = []
    broken: list[Fault] = []
    articles: dict[str, _Article] = {}
    names = Names()
    questions: list[NewQuestion] = []
    ids: dict[str, str] = {}
    for asked in _asked(_text(source, name), name, faults):
        if isinstance(asked.id, int) and not isinstance(asked.id, bool):
            asked = replace(asked, id=str(asked.id))
        wrong = _wrong(asked, ids)
        if wrong:
            broken.append(Fault(name, asked.line, f"{asked.place}: {wrong[0]}", wrong[1]))
            continue
        ids[asked.id] = asked.place
        title = asked.title.replace("_", " ").strip()
        key = title or asked.context
        if key not in articles:
            title = title or f"Text {len(articles) + 1}"
            articles[key] = _Article(names.new(title), title, text=f"# {' '.join(title.split())}")
        article = articles[key]
        first = article.place(asked.context)
        found = [_span(each, asked.context) for each in _pairs(asked)]
        if None in found:
            text = next(text for (text, _), span in zip(_pairs(asked), found, strict=True) if span is None)
            what = f"{asked.place}: the answer {quoted(text)} does not stand where it says, nor in one place of its paragraph"
            broken.append(Fault(name, asked.line, what, "mend answer_start, which counts characters from 0, or leave the question out"))
            continue
        answers = [Answer(article.doc_id, first + start, first + end) for start, end in found]
        questions.append(NewQuestion(asked.id, asked.question.strip(), answers, _reference(found, asked.context), ("squad",)))
    if not faults and not questions and not broken:
        faults.append(Fault(name, 1, "holds no question", _SHAPE))
    judge(faults, broken, leave_out)
    documents = [NewDocument(each.doc_id, each.title, each.text + "\n") for each in articles.values()]
    return write_folder(folder, documents, questions, broken)


def _reference(spans: list[tuple[int, int]], context: str) -> str:
    """The first answer's words; '' where there is none."""
    return context[spans[0][0] : spans[0][1]] if spans else ""


def _text(source: Path, name: str) -> str:
    text, wrong = text_of(source, name)
    if wrong:
        raise SourceError(wrong)
    return text


def _asked(text: str, name: str, faults: list[Fault]) -> Iterator[_Asked]:
    """Every question of the file; what is no SQuAD at all goes to `faults`."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        rows = text.split("\n")
        if not text.lstrip().startswith("{") or len([row for row in rows if row.strip()]) < 2:
            faults.append(Fault(name, getattr(error, "lineno", 1), f"is not JSON ({error})", "name a SQuAD file, or one row a line"))
            return
        yield from _rows_on_lines(rows, name, faults)
        return
    if isinstance(value, list):
        yield from _rows(((None, f"row {number}", row) for number, row in enumerate(value, start=1)), name, faults)
    elif isinstance(value, dict) and isinstance(value.get("data"), list):
        yield from _nested(value["data"], name, faults)
    elif isinstance(value, dict) and "context" in value:
        yield from _rows([(1, "row 1", value)], name, faults)
    else:
        faults.append(Fault(name, 1, "is not a SQuAD file: it has no list 'data'", _SHAPE))


def _rows_on_lines(rows: list[str], name: str, faults: list[Fault]) -> Iterator[_Asked]:
    read = []
    for line, row in enumerate(rows, start=1):
        if row.strip():
            try:
                read.append((line, f"row {line}", json.loads(row)))
            except (ValueError, RecursionError) as error:
                faults.append(Fault(name, line, f"is not JSON ({error})", "write one row a line"))
    yield from _rows(read, name, faults)


def _rows(rows, name: str, faults: list[Fault]) -> Iterator[_Asked]:
    for line, place, row in rows:
        if not isinstance(row, dict) or not {"question", "context"} <= set(row):
            faults.append(Fault(name, line, f"{place}: has no question and context", "a row has id, context, question and answers"))
            continue
        answers = row.get("answers") or []
        if isinstance(answers, dict):  # columns, as data frames write them
            texts, starts = answers.get("text") or [], answers.get("answer_start") or []
            equal = isinstance(texts, list) and isinstance(starts, list) and len(texts) == len(starts)
            answers = [{"text": text, "answer_start": start} for text, start in zip(texts, starts, strict=True)] if equal else None
        title = row.get("title") if isinstance(row.get("title"), str) else ""
        yield _Asked(title, row["context"], row.get("id", place.replace(" ", "-")), row["question"], answers, not answers, line, place)


def _nested(data: list, name: str, faults: list[Fault]) -> Iterator[_Asked]:
    for article_number, article in enumerate(data, start=1):
        paragraphs = article.get("paragraphs") if isinstance(article, dict) else None
        if not isinstance(paragraphs, list):
            faults.append(Fault(name, None, f"article {article_number}: has no list 'paragraphs'", "compare it with the others"))
            continue
        title = article.get("title") if isinstance(article.get("title"), str) else ""
        for number, paragraph in enumerate(paragraphs, start=1):
            qas = paragraph.get("qas") if isinstance(paragraph, dict) else None
            if not isinstance(qas, list):
                what = f"article {article_number}, paragraph {number}: has no list 'qas'"
                faults.append(Fault(name, None, what, "compare it with the others"))
                continue
            for place, qa in enumerate(qas, start=1):
                where = f"article {article_number}, paragraph {number}, question {place}"
                if not isinstance(qa, dict):
                    faults.append(Fault(name, None, f"{where}: is no object", 'write {"id": …, "question": …, "answers": […]}'))
                    continue
                impossible = qa.get("is_impossible") is True
                answers = [] if impossible else qa.get("answers")
                identifier = qa.get("id", f"{article_number}-{number}-{place}")
                yield _Asked(title, paragraph.get("context"), identifier, qa.get("question"), answers, impossible, None, where)


def _wrong(asked: _Asked, ids: dict[str, str]) -> tuple[str, str] | None:
    """What is wrong with a question, and what to do; None where all is well."""
    for what, value in (("context", asked.context), ("question", asked.question), ("id", asked.id)):
        if not readable(value) or not value.strip():
            return f"its {what} is {quoted(value)}, not a text", "write the text that is meant"
    if asked.id in ids:
        return f"its id {quoted(asked.id)} stands at {ids[asked.id]} already", "give each question an id of its own"
    if not isinstance(asked.answers, list) or not all(_is_answer(each) for each in asked.answers):
        return "its answers are no list of text and answer_start", 'write [{"text": …, "answer_start": 0}]'
    if not asked.answers and not asked.impossible:
        return "it has no answer, and does not say that there is none", 'write "is_impossible": true, or the answer'
    return None


def _is_answer(each: Any) -> bool:
    start = each.get("answer_start") if isinstance(each, dict) else None
    return isinstance(start, int) and not isinstance(start, bool) and isinstance(each.get("text"), str) and bool(each["text"].strip())


def _pairs(asked: _Asked) -> list[tuple[str, int]]:
    return [(each["text"], each["answer_start"]) for each in asked.answers]


def _span(answer: tuple[str, int], context: str) -> tuple[int, int] | None:
    text, start = answer
    if start >= 0 and context[start : start + len(text)] == text:
        return start, start + len(text)
    places = list(starts_of(text, context))
    return (places[0], places[0] + len(text)) if len(places) == 1 else None
