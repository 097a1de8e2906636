"""labkit ask: the passages of long documents that answer a question, each with its place (lessons 11 to 14).

What a person asked for goes to stdout; how the work goes, and what is wrong, to stderr.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from labkit.cli_printing import complain, print_json, say, width
from labkit.cli_typed import FREE_WORDS
from labkit.cli_watching import watched
from labkit.errors import BadArgument
from labkit.textfiles import counted, printable

if TYPE_CHECKING:
    from labkit.own.long_asking import Answer

_MOST = 20  # faults of documents that are named

Reader = StrEnum("Reader", ["public", "staff"])
StageName = StrEnum("StageName", ["read", "parents", "children", "embed", "index", "search", "rerank", "expand", "context"])


def register(app: typer.Typer, command: Callable[[Callable], Callable]) -> None:
    """Adds the command to `app`; `command` is what every command does with an error."""
    example = 'Example: labkit ask my-documents "how long may a buyer withdraw" --budget 400'
    app.command(epilog=example, context_settings=FREE_WORDS)(command(ask))


def ask(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Your folder, with inventory.csv.")],
    question: Annotated[list[str] | None, typer.Argument(help="The question; without one, the documents are made ready.")] = None,
    budget: Annotated[int | None, typer.Option("--budget", min=1, metavar="WORDS", help="Words to hand over, at most.")] = None,
    access: Annotated[Reader, typer.Option("--access", help="Who reads: a public reader gets public documents only.")] = Reader.public,
    as_of: Annotated[str | None, typer.Option("--as-of", metavar="DATE", help="Only versions in force on this day, as 2026-12-01.")] = None,
    start: Annotated[StageName | None, typer.Option("--from", help="Do this stage and those after it again.")] = None,
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="DIR", help="Leave what search, rerank, expand and context make in this folder.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for a script.")] = False,
) -> None:
    """Ask your documents, long ones too: the passages that answer, whole under their headings, each with its place.

    What is read and embedded is kept in FOLDER/.labkit, so the first question takes long and the next does not. How it is done
    stands in the table [long] of labkit.toml.
    """
    from labkit.own.long_asking import ask as answered
    from labkit.own.long_asking import make_ready

    if keep is not None and keep.exists() and not keep.is_dir():
        raise BadArgument(f"--keep {printable(str(keep))}: is a file — name a folder")
    text = " ".join(question or ())
    first = start and start.value
    if not text:
        _refuse_without_question({"--budget": budget, "--as-of": as_of, "--keep": keep}, first)
        ready = watched(lambda progress: make_ready(folder, first, progress))
        print_json({"stages": ready.records, "problems": ready.problems}) if as_json else _print_stages(ready.records)
        sys.stdout.flush()
        _complain_of(ready.problems)
        return

    def work(progress: Callable) -> Answer:
        def told(stage: str, done: int, of: int, what: str) -> None:
            if what != "nothing changed":
                progress(stage, done, of, what)

        return answered(folder, text, access=access.value, as_of=as_of, budget=budget, start=first, keep=keep, progress=told)

    answer = watched(work)
    if as_json:
        print_json(_plain(answer))
    else:
        _print_answer(answer, "" if answer.passages or access is not Reader.public else _kept_from_the_public(folder))
    sys.stdout.flush()
    _complain_of(answer.problems)


def _refuse_without_question(given: dict[str, object], start: str | None) -> None:
    """What makes sense only with a question."""
    from labkit.own.long_asking import ANSWERING

    needless = [name for name, value in given.items() if value is not None] + (["--from"] if start in ANSWERING else [])
    if needless:
        raise BadArgument(f"{needless[0]} is about a question, and there is none — ask one behind the folder")


def _plain(answer: Answer) -> dict:
    passages = [
        {
            "number": each.number, "kind": each.kind, "id": each.passage.id, "doc_id": each.passage.doc_id, "version": each.passage.version,
            "access": each.passage.access, "language": each.passage.language, "heading_path": list(each.heading_path),
            "pages": list(each.passage.pages), "start": each.passage.start, "end": each.passage.end, "words": each.passage.words,
            "citation": each.citation, "children": list(each.children), "context": each.passage.context, "text": each.passage.text,
        }
        for each in answer.passages
    ]  # fmt: skip
    numbers = {"words": answer.words, "budget": answer.budget, "too_long": answer.too_long}
    return {"question": answer.question} | numbers | {"passages": passages, "problems": answer.problems, "stages": answer.stages}


def _kept_from_the_public(folder: Path) -> str:
    """What a public reader should know who finds nothing; '' where no document is for staff."""
    from labkit.own.material import load_documents

    labels = [each.access for each in load_documents(folder)]
    closed = sum(label != Reader.public for label in labels)
    return "" if not closed else (
        f" You ask as a public reader, and of {counted(len(labels), 'document')} staff alone may read {closed:,}: "
        "add --access staff, or write public into inventory.csv."
    )


def _print_answer(answer: Answer, when_nothing: str = "") -> None:
    for each in answer.passages:
        say(f"[{each.number}] {each.passage.context}")
        for line in each.passage.text.splitlines():
            say(line, indent=4) if line.strip() else print()
        say(f"— {each.citation}" + (" (staff only)" if each.passage.access == "staff" else ""), indent=4)
        print()
    if answer.too_long:
        say(f"The first passage has {answer.too_long:,} words, and the budget is {answer.budget:,}: a larger --budget hands it over.")
    elif not answer.passages:
        say(f"Nothing was found.{when_nothing}")
    else:
        say(f"{counted(len(answer.passages), 'passage')}, {answer.words:,} of {answer.budget:,} words. "
            "A search finds something for most questions: whether it answers, only a reader can say.")  # fmt: skip


def _print_stages(records: dict[str, dict]) -> None:
    from labkit.show.tables import table

    rows = [
        {
            "stage": name, "state": record["status"], "owner": printable(record["owner"]), "set aside": len(record["set_aside"]),
            "seconds": f"{record['seconds']:,.1f}", "MB": f"{record['bytes'] / 1e6:,.1f}",
        }
        for name, record in records.items()
    ]  # fmt: skip
    print(table(rows, columns=list(rows[0]), width=width()))


def _complain_of(problems: list[dict]) -> None:
    for each in problems[:_MOST]:
        page = "" if each["page"] is None else f"page {each['page']}: "
        complain(f"not whole: {printable(each['file'])}: {page}{each['what']} — {each['todo']}")
    if len(problems) > _MOST:
        complain(f"and {len(problems) - _MOST} more; --json names all of them")
