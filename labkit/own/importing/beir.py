"""BEIR folders: corpus.jsonl, queries.jsonl, and qrels/ that say which document answers which query (lesson 15).

A document of the corpus becomes a Markdown file: its title as the title, then its text as it stands. BEIR knows documents and no places in
them, so the gold span is the whole text, the title apart (which a chunker may keep as context): a hit is any passage of the document's
text, recall the share of it that came, evidence one passage that holds all of it.

A judgement above 0 is relevant; of two on one pair, the last counts. Queries that the chosen qrels do not judge are left out, since nobody
knows what answers them; so are those judged, where no document was found relevant: that says nothing of an unanswerable question.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from labkit.collection import INVENTORY
from labkit.errors import BadArgument, Fault
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

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels"


def import_beir(source: Path | str, folder: Path | str, *, split: str | None = None, leave_out: bool = False) -> Imported:
    """Makes `folder` from a BEIR folder. `split` names the file in qrels/; None: test, or the only one there is.

    `leave_out`: queries with a fault are left out and named; else they stop the import. Raises SourceError with every fault of the files,
    DocumentError where one is missing, BadArgument for a split that there is not, LabError where the folder is taken.
    """
    source, folder = Path(source), Path(folder)
    refuse_if_taken(folder, INVENTORY, QUESTIONS)
    judgements = _qrels(source, split)
    faults: list[Fault] = []
    broken: list[Fault] = []
    documents, by_id = _documents(source / CORPUS, faults)
    asked = _queries(source / QUERIES, faults)
    scores: dict[str, dict[str, tuple[int, float]]] = {}
    name = shown(judgements)
    for line, query, document, score in _judged(judgements, name, faults):
        scores.setdefault(query, {})[document] = line, score
    questions = []
    for query, each in scores.items():
        judged = [(line, document) for document, (line, score) in each.items() if score > 0]
        if not judged:
            continue
        missing = [(line, document) for line, document in judged if by_id.get(document) is None]
        if query not in asked:
            broken.append(Fault(name, judged[0][0], f"judges the query {quoted(query)}, which is not in {QUERIES}", "add the query"))
        elif missing:
            for line, document in missing:
                wrong = ("holds no text", "fill it in") if document in by_id else (f"is not in {CORPUS}", "add the document")
                broken.append(Fault(name, line, f"names the document {quoted(document)}, which {wrong[0]}", wrong[1]))
        else:
            places = [Answer(by_id[document].doc_id, *_whole(by_id[document])) for _, document in judged]
            questions.append(NewQuestion(query, asked[query], places, "", ("beir", judgements.stem)))
    if not faults and not questions and not broken:
        faults.append(Fault(name, 1, "judges no document relevant to any query", "name another split: --split"))
    judge(faults, broken, leave_out)
    return write_folder(folder, documents, questions, broken)


def _whole(document: NewDocument) -> tuple[int, int]:
    """The span of a document's text; of its title line, where it says nothing else."""
    text = document.text.rstrip()
    _, _, body = text.partition("\n\n") if text.startswith("# ") else ("", "", text.lstrip())
    return len(text) - len(body.lstrip() or text), len(text)


def _qrels(source: Path, split: str | None) -> Path:
    there = sorted(each.stem for each in (source / QRELS).glob("*.tsv"))
    if not there:
        what = f"{shown(source)}: there is no {QRELS}/ with .tsv files in it"
        raise BadArgument(f"{what} — name the folder that holds {CORPUS}, {QUERIES} and {QRELS}/")
    chosen = split or ("test" if "test" in there else there[0])
    if chosen not in there or (split is None and "test" not in there and len(there) > 1):
        raise BadArgument(f"--split {chosen!r}: {QRELS}/ holds {', '.join(there)} — name one of them")
    return source / QRELS / f"{chosen}.tsv"


def _documents(path: Path, faults: list[Fault]) -> tuple[list[NewDocument], dict[str, NewDocument | None]]:
    """The documents, and the same by the source's ids; None there for one without title and text."""
    names = Names()
    by_id: dict[str, NewDocument | None] = {}
    name = shown(path)
    for line, identifier, value in _records(path, faults):
        title, text = value.get("title") or "", value.get("text") or ""
        if not readable(title) or not readable(text):
            faults.append(Fault(name, line, "title or text is no text", 'a line is {"_id": …, "title": …, "text": …}'))
        elif identifier in by_id:
            faults.append(Fault(name, line, f"the document {quoted(identifier)} stands above already", "keep one of the two"))
        elif not title.strip() and not text.strip():
            by_id[identifier] = None
        else:
            title = " ".join(title.split())
            # a text that begins with --- would be taken for front matter
            body = f"# {title}\n\n{text}\n" if title else f"\n{text}\n"
            by_id[identifier] = NewDocument(names.new(identifier), title or identifier, body)
    found = [each for each in by_id.values() if each]
    if not found and not faults:
        faults.append(Fault(name, 1, "holds no document", 'a line is {"_id": …, "title": …, "text": …}'))
    return found, by_id


def _queries(path: Path, faults: list[Fault]) -> dict[str, str]:
    found: dict[str, str] = {}
    for line, identifier, value in _records(path, faults):
        if not readable(value.get("text")) or not value["text"].strip():
            faults.append(Fault(shown(path), line, "a query without a text", 'a line is {"_id": …, "text": …}'))
        elif identifier in found:
            faults.append(Fault(shown(path), line, f"the query {quoted(identifier)} stands above already", "keep one of the two"))
        else:
            found[identifier] = value["text"].strip()
    return found


def _records(path: Path, faults: list[Fault]) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """(1-based line, _id, object) of each line of a JSON Lines file."""
    name = shown(path)
    for line, text in _lines(path, name):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            faults.append(Fault(name, line, f"is not JSON ({error})", "write one object a line"))
            continue
        identifier = value.get("_id") if isinstance(value, dict) else None
        if isinstance(identifier, int) and not isinstance(identifier, bool):
            identifier = str(identifier)
        if not readable(identifier) or not identifier.strip():
            faults.append(Fault(name, line, "has no _id", 'a line is {"_id": …, "text": …}'))
            continue
        yield line, identifier, value


def _judged(path: Path, name: str, faults: list[Fault]) -> Iterator[tuple[int, str, str, float]]:
    """(1-based line, query, document, score) of each judgement: three columns with a header, or TREC's four without."""
    for line, text in _lines(path, name):
        parts = _columns(text)
        if line == 1 and parts and parts[-1].lower() in ("score", "relevance", "rel"):
            continue
        try:
            yield line, parts[0], parts[-2], float(parts[-1])
        except (ValueError, IndexError):
            faults.append(Fault(name, line, f"{quoted(text)} is no judgement", "write query-id, corpus-id and score, with tabs between"))
            continue


def _columns(text: str) -> list[str]:
    """The columns of a judgement. Those who write tables put a name with a tab or a quotation mark in it between quotation marks."""
    if "\t" not in text:
        return text.split()
    plain = text.split("\t")
    try:
        read = next(csv.reader([text], delimiter="\t", strict=True))
    except (csv.Error, StopIteration):
        read = plain
    return [part.strip() for part in (read if len(read) in (3, 4) else plain)]


def _lines(path: Path, name: str) -> Iterator[tuple[int, str]]:
    """Each line that is not blank. Raises DocumentError where there is no such file, SourceError where it is not UTF-8."""
    whole, wrong = text_of(path, name)
    if wrong:
        raise SourceError(wrong)
    for line, text in enumerate(whole.split("\n"), start=1):
        if text.strip():
            yield line, text.removesuffix("\r")
