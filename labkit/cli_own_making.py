"""The labkit commands that make a folder of one's own, and take in what others made (lesson 15): `labkit new`, `labkit import`,
`labkit score`.

`register` adds them to the command line. Exit code 1 where a file has faults; what could not be read as it stands is said on stderr, and is
no error.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from labkit.cli_printing import complain, print_json, say, width
from labkit.errors import BadArgument
from labkit.textfiles import counted, printable, shown

_MOST = 20  # of one kind that are named on the screen

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for a script.")]


class Source(StrEnum):
    """What can be imported."""

    squad = "squad"
    beir = "beir"
    spans = "spans"


def register(app: typer.Typer, command: Callable[[Callable], Callable]) -> None:
    """Adds the commands to `app`; `command` is what every command does with an error."""
    app.command(epilog="Example: labkit new my-folder --from my-documents")(command(new))
    app.command("import", epilog="Example: labkit import squad dev-v2.0.json my-folder")(command(import_))
    app.command(epilog="Example: labkit score other-system.csv my-folder --k 10")(command(score))


# --- labkit new -------------------------------------------------------------------------------------------------------------------------


def new(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to work in; made where it is not there.")],
    documents: Annotated[
        Path | None,
        typer.Option("--from", metavar="DOCS", help="Where the documents are; copied in if that is outside FOLDER (default: FOLDER)."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a folder of your own: an inventory with a row a document, a file for questions, settings, and a README that says what to do.

    Writes over nothing. Run it again when documents were added: it adds their rows, and says which rows no longer have a file.
    """
    from labkit.own.starting import start

    done = start(folder, documents, progress=_progress if sys.stderr.isatty() else None)
    if as_json:
        names = {what: list(getattr(done, what)) for what in ("added", "copied", "written", "kept")}
        gone = [{"line": line, "file": file} for line, file in done.gone]
        left_out = [{"file": file, "why": why} for file, why in done.left_out]
        troubles = [{"file": each.file, "what": each.what, "todo": each.todo} for each in done.troubles]
        told = {"gone": gone, "left_out": left_out, "troubles": troubles}
        print_json({"folder": shown(folder), "documents": done.documents} | told | names)
    else:
        copied = f", {counted(len(done.copied), 'file')} copied in" if done.copied else ""
        say(f"{shown(folder)}: {counted(done.documents, 'document')} in the inventory, {len(done.added):,} new{copied}.")
        if done.written:
            say(f"Made: {', '.join(done.written)}.")
        if done.kept:
            say(f"Left as they are: {', '.join(done.kept)}.")
        if done.documents and (done.written or done.added):
            say("Next: look through inventory.csv, where title, language and format are guesses, and write questions; README.md says how.")
        if not done.documents:
            say("No document was found: labkit reads Markdown, text, HTML and PDF. Put some there, or name their folder with --from.")
    sys.stdout.flush()
    for line, file in done.gone[:_MOST]:
        complain(f"{shown(folder / 'inventory.csv')}:{line}: {printable(file)} is not there any more — put it back, or delete the row")
    _complain_of_more(len(done.gone), "rows without a file")
    for trouble in done.troubles[:_MOST]:
        complain(f"{trouble} (a warning)")
    _complain_of_more(len(done.troubles), "documents with a warning")
    _complain_of_left_out(done.left_out)


def _complain_of_left_out(left_out: list[tuple[str, str]]) -> None:
    """What got no row; of files that are no documents only how many of each kind, since a folder may hold thousands."""
    other = Counter(why.partition(":")[0] for _, why in left_out if "labkit reads" in why)
    named = [(file, why) for file, why in left_out if "labkit reads" not in why]
    for file, why in named[:_MOST]:
        complain(f"left out: {file}: {why}")
    _complain_of_more(len(named), "files left out")
    if other:
        kinds = ", ".join(f"{number:,} {suffix}" for suffix, number in sorted(other.items(), key=lambda pair: (-pair[1], pair[0]))[:8])
        complain(f"left out, since labkit reads Markdown, text, HTML and PDF: {kinds}")


# --- labkit import ----------------------------------------------------------------------------------------------------------------------


def import_(
    kind: Annotated[Source, typer.Argument(help="What it is: a SQuAD file, a BEIR folder, a CSV table of questions with spans.")],
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="The file or folder.")],
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The folder to make; for spans, the one with inventory.csv and the documents.")
    ],
    split: Annotated[str | None, typer.Option("--split", metavar="NAME", help="With beir: which file of qrels/ (default: test).")] = None,
    leave_out: Annotated[bool, typer.Option("--leave-out", help="Leave questions with a fault out, and name them.")] = False,
    as_json: Json = False,
) -> None:
    """Take in a collection that others made: documents, questions, and gold as spans of characters.

    squad: {"data": [{"title", "paragraphs": [{"context", "qas"}]}]}, or rows with context, question, answers.
    beir: a folder with corpus.jsonl, queries.jsonl and qrels/.
    spans: columns question, document, start, end; or question, corpus_id, references (a JSON list).
    """
    from labkit.own.importing.beir import import_beir
    from labkit.own.importing.spans import import_spans
    from labkit.own.importing.squad import import_squad

    if split is not None and kind is not Source.beir:
        raise BadArgument(f"--split: {kind} has no splits — leave it out")
    if kind is Source.beir:
        made = import_beir(source, folder, split=split, leave_out=leave_out)
    else:
        made = (import_squad if kind is Source.squad else import_spans)(source, folder, leave_out=leave_out)
    if as_json:
        left_out = [{"file": each.file, "line": each.line, "what": each.what, "todo": each.todo} for each in made.left_out]
        counts = {"documents": made.documents, "questions": made.questions, "unanswerable": made.unanswerable}
        print_json({"folder": shown(folder), **counts, "written": list(made.written), "left_out": left_out})
    else:
        asked = f"{counted(made.questions, 'question')}, {made.unanswerable:,} of them unanswerable"
        say(f"{shown(folder)}: {counted(made.documents, 'document')}, {asked}. Written: {', '.join(made.written)}.")
        say(f"Next: labkit validate {shown(folder)}")
    sys.stdout.flush()
    for fault in made.left_out[:_MOST]:
        complain(f"left out: {fault}")
    _complain_of_more(len(made.left_out), "questions left out")


# --- labkit score -----------------------------------------------------------------------------------------------------------------------


def score(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="What another system found: CSV or JSON Lines, a result a row.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Your folder, with inventory.csv and questions.")],
    k: Annotated[int | None, typer.Option("--k", min=1, help="How many results count (default: k of labkit.toml).")] = None,
    as_json: Json = False,
) -> None:
    """Score what another system found for your questions, by the measures of `labkit report`.

    A row holds question (its id), rank, and document with start and end, or the text that was handed over.
    """
    from labkit.own.scoring_runs import score_run, warnings_shown

    made = score_run(run, folder, k=k)
    warnings = made.pop("warnings")
    if as_json:
        told = [{"file": each.file, "line": each.line, "what": each.what, "todo": each.todo} for each in warnings]
        print_json({"run": shown(run), "folder": shown(folder)} | made | {"warnings": told})
    elif not made["at_k"]["n"]:
        say("No question names what answers it, so there is nothing to score.")
    else:
        _print_scores(made)
    sys.stdout.flush()
    missing = made["without_results"]
    if missing:
        names = ", ".join(printable(each) for each in missing[:_MOST]) + (" …" if len(missing) > _MOST else "")
        complain(f"{counted(len(missing), 'question')} without a result in the run, counted 0: {names}")
    for sentence in warnings_shown(warnings, _MOST):
        complain(sentence)


def _print_scores(made: dict) -> None:
    from labkit.show.tables import table

    whole = made["at_k"]
    say(f"hit@{made['k']} = {whole['hit']:.3f} (95 % interval {whole['low']:.3f} to {whole['high']:.3f}): {whole['hits']} of "
        f"{counted(whole['n'], 'question')}. recall@{made['k']} = {whole['recall']:.3f}, reciprocal rank {whole['reciprocal_rank']:.3f}, "
        f"nDCG@{made['k']} = {whole['ndcg']:.3f}.")  # fmt: skip
    spans = made["characters"]
    if spans:
        say(f"By characters, over {counted(spans['n'], 'question')} with spans: recall {spans['recall']:.3f}, precision "
            f"{spans['precision']:.3f}, IoU {spans['iou']:.3f}.")  # fmt: skip
    columns = {made["unit"]: "budget", "hit": "hit", "recall": "recall", "evidence": "evidence", "in context": "evidence_in_context"}
    rows = [{shown_as: _cell(row[name]) for shown_as, name in columns.items()} for row in made["at_budgets"]]
    print()
    print(table(rows, columns=list(columns), width=max(40, width())))


def _cell(value: float | int) -> str:
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}"


# --- how things are printed -------------------------------------------------------------------------------------------------------------


def _progress(done: int, of: int, file: str) -> None:
    sys.stderr.write(f"\r\x1b[K{done:,} of {of:,} looked at: {printable(file, 50)}" + ("\n" if done == of else ""))
    sys.stderr.flush()


def _complain_of_more(number: int, what: str) -> None:
    if number > _MOST:
        complain(f"… and {number - _MOST:,} more {what}")
