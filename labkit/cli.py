"""The labkit command: a thin face over the modules below it (lesson 00).

Exit codes: 0 all is well (also where a search finds nothing), 1 something is wrong with files or the machine, 2 the command was
typed wrong.
What a person asked for goes to stdout, what is wrong to stderr, one fault a line as file:line: what — what to do.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NoReturn

try:
    import typer
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text
except ImportError as missing:
    raise SystemExit(f"labkit: {missing} — run `python -m labkit.doctor`, which needs no package and names the cure") from None

from labkit import __version__, cli_ask, cli_classroom, cli_index, cli_lessons, cli_own, cli_own_judging, cli_own_making, cli_reading
from labkit.cli_printing import WIDEST, complain, print_json, say
from labkit.cli_typed import FREE_WORDS, App
from labkit.errors import BadArgument, Fault, FaultsError, LabError
from labkit.textfiles import counted, plural

_NO_MARKUP = {"markup": False, "emoji": False, "highlight": False}  # '[b]' and ':smile:' in a document are text

Cell = tuple[tuple[str, str], ...]
"""What stands in one cell of a table: paragraphs with rich's name of their style."""

app = App(
    name="labkit",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


class Reader(StrEnum):
    """Who reads: decides which documents are searched."""

    public = "public"
    staff = "staff"


Json = Annotated[bool, typer.Option("--json", help="Print JSON, for a script.")]
Index = Annotated[Path | None, typer.Option("--index", metavar="FILE", help="Search an index that `labkit index` made: all formats.")]
Folder = Annotated[Path | None, typer.Option("--folder", help="Your own folder with inventory.csv (default: the course's collection).")]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line; always ends by SystemExit."""
    for stream in (sys.stdout, sys.stderr):
        # a C locale or a Windows pipe must not turn 'é' into an error; a lone surrogate becomes '?'
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        app(args=given, prog_name="labkit", terminal_width=_console().width)
    except OSError as error:  # a help text that nobody could take
        raise SystemExit(_unwritten(error)) from None
    raise SystemExit(0)


def _unwritten(error: OSError) -> int:
    """The exit code after an error of the system: 0 where whoever read us has enough, else 1 with a word on stderr."""
    with contextlib.suppress(OSError, ValueError):  # a stdout without a file has nothing to lose
        # what is left in the buffer must not be tried again at the interpreter's end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return 0
    where = f"{error.filename}: " if error.filename else ""
    reason = error.strerror or error
    complain(f"{where}cannot be written or read to the end ({reason}) — check the space that is left, and the permissions")
    return 1


def _command(function: Callable) -> Callable:
    """What every command does with an error, a closed pipe, a full disk and its last buffer."""

    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        try:
            function(*args, **kwargs)
            sys.stdout.flush()
        except BadArgument as error:
            complain(str(error))
            raise typer.Exit(2) from None
        except FaultsError as error:
            if kwargs.get("as_json"):
                print_json({"faults": [asdict(fault) for fault in error.faults]})
            for fault in error.faults:
                complain(str(fault))
            raise typer.Exit(1) from None
        except LabError as error:
            complain(str(error))
            raise typer.Exit(1) from None
        except OSError as error:
            raise typer.Exit(_unwritten(error)) from None

    return wrapped


@app.callback(invoke_without_command=True)
def _labkit(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """The retrieval workbook: read a collection, search it, measure the search.

    Example: labkit search "how long is the return window"
    """
    if version:
        print(f"labkit {__version__}")
        raise typer.Exit(0)
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(0)
    cli_lessons.finish_interrupted()


# --- the lessons -----------------------------------------------------------------------------------------------------------------------


@app.command("open", epilog="Example: labkit open --no-browser --port 8890")
@_command
def open_(
    browser: Annotated[
        bool | None, typer.Option("--browser/--no-browser", help="Open a browser (default: where there is a display).")
    ] = None,
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="The first port to try; a taken one is passed over.")] = 8888,
    ip: Annotated[str, typer.Option("--ip", help="The address to listen on; 0.0.0.0 lets other machines in.")] = "127.0.0.1",
    work: Annotated[Path | None, typer.Option("--work", help="Your work folder (default: work/ in the course's folder).")] = None,
) -> None:
    """Make your work folder, lay in the lessons that are not there yet, and start JupyterLab on it."""
    from labkit.course import course_folder
    from labkit.lessons import jupyter
    from labkit.lessons.workfolder import make_work_folder, open_lessons

    course = course_folder()
    folder = make_work_folder(course / "work" if work is None else work).resolve()
    cli_lessons.finish_interrupted(folder)
    opened = open_lessons(folder, course / "notebooks")
    print(f"Your work folder: {_from_here(folder)}")
    if opened.copied:
        print(f"Laid in: {', '.join(opened.copied)}")
    if opened.kept:
        print(f"Left as they are: {len(opened.kept)} {plural(len(opened.kept), 'lesson')} of yours")
    first = opened.copied[0] if opened.copied and not opened.kept else None

    def say(text: str) -> None:
        print(text, flush=True)

    code = jupyter.run(folder, course, port=port, browser=browser, ip=ip, first=first, say=say)
    if code:
        raise LabError(f"JupyterLab ended with exit code {code} — `labkit doctor` looks for the cause")


cli_lessons.register(app, _command)
cli_classroom.register(app, _command)
cli_reading.register(app, _command)
cli_index.register(app, _command)
cli_own.register(app, _command)
cli_own_judging.register(app, _command)
cli_own_making.register(app, _command)
cli_ask.register(app, _command)


# --- what there is ---------------------------------------------------------------------------------------------------------------------


@app.command(epilog="Example: labkit inventory --folder my-documents --json")
@_command
def inventory(folder: Folder = None, as_json: Json = False) -> None:
    """List the documents of a collection, and check them."""
    from labkit.collection import load_with_warnings

    documents, warnings = load_with_warnings(folder)
    if as_json:
        rows = [
            {
                "doc_id": each.doc_id, "version": each.version, "title": each.title, "file": each.file, "line": each.line,
                "effective_from": str(each.effective_from), "effective_to": str(each.effective_to) if each.effective_to else None,
                "owner": each.owner, "access": each.access, "language": each.language, "doc_type": each.doc_type, "format": each.format,
            }
            for each in documents
        ]  # fmt: skip
        print_json({"documents": rows, "warnings": [asdict(fault) for fault in warnings]})
    else:
        _print_table(
            ["document", "v", "in force", "access", "lang", "format"],
            [
                (each.doc_id, each.version, f"{each.effective_from} – {each.effective_to or ''}", each.access, each.language, each.format)
                for each in documents
            ],
        )
        say(f"{len(documents)} {plural(len(documents), 'document')}: {_counts(each.format for each in documents)}; "
               f"{_counts(each.access for each in documents)}; {_counts(each.language for each in documents)}")  # fmt: skip
    for fault in warnings:
        complain(f"{fault} (a warning)")


@app.command(epilog="Example: labkit questions --kind version")
@_command
def questions(
    kind: Annotated[str | None, typer.Option("--kind", help="Only questions of this kind.")] = None,
    language: Annotated[str | None, typer.Option("--language", help="Only questions in this language (en, fr).")] = None,
    folder: Folder = None,
    as_json: Json = False,
) -> None:
    """List the questions, and check them against the documents."""
    asked, _, warnings = _load(folder)
    chosen = [
        each
        for each in asked
        if kind in (None, each.kind) and language in (None, each.language)
    ]  # fmt: skip
    _known("kind", kind, [each.kind for each in asked])
    _known("language", language, [each.language for each in asked])
    if as_json:
        print_json({"questions": [_question(each) for each in chosen], "warnings": [asdict(fault) for fault in warnings]})
    else:
        _print_table(
            ["id", "kind", "lang", "asked on", "question"],
            [(each.id, each.kind, each.language, str(each.as_of), each.question) for each in chosen],
        )
        scored = sum(bool(each.relevant) for each in chosen)
        answers = f"{scored} with an answer in the documents, {len(chosen) - scored} without"
        say(f"{len(chosen)} {plural(len(chosen), 'question')}: {answers}; {_counts(each.kind for each in chosen)}")
    for fault in warnings:
        complain(f"{fault} (a warning)")


# --- search and measure ------------------------------------------------------------------------------------------------------------------


@app.command(
    epilog='Example: labkit search "which pump kit fits the PW-2200" --k 3 --access staff --as-of 2026-12-01',
    context_settings=FREE_WORDS,
)
@_command
def search(
    query: Annotated[list[str], typer.Argument(help="The question, in plain words: nothing in it is syntax.")],
    k: Annotated[int, typer.Option("--k", min=0, help="How many results.")] = 5,
    access: Annotated[Reader, typer.Option("--access", help="Who reads: a public reader sees public documents only.")] = Reader.public,
    as_of: Annotated[str | None, typer.Option("--as-of", metavar="DATE", help="Only versions in force on this day, as 2026-12-01.")] = None,
    language: Annotated[str | None, typer.Option("--language", help="Only documents in this language (en, fr).")] = None,
    version: Annotated[str | None, typer.Option("--version", metavar="V", help="Only this version of a document.")] = None,
    index: Index = None,
    folder: Folder = None,
    as_json: Json = False,
) -> None:
    """Search a collection by keywords: the sections of its Markdown files or, with --index, the chunks of all its documents."""
    from labkit.collection import load_inventory
    from labkit.retrieval.keyword import words
    from labkit.retrieval.passage_search import section_search

    text = " ".join(query)
    if index is not None:
        if folder is not None:
            raise BadArgument("--index and --folder: an index holds its own documents — give one of the two")
        cli_index.search(index, text, k=k, access=access.value, as_of=as_of, language=language, version=version, as_json=as_json)
        return
    documents = _chosen(load_inventory(folder), language, version)
    engine = section_search(documents, access=access.value, as_of=as_of)
    hits = engine.hits(text, k)
    found = [(hit, engine.passage(hit.id)) for hit in hits]
    if as_json:
        results = [
            {
                "rank": hit.rank, "score": hit.score, "id": passage.id, "doc_id": passage.doc_id, "version": passage.version,
                "title": passage.context, "section": passage.section, "access": passage.access, "language": passage.language,
                "start": passage.start, "end": passage.end, "citation": _citation(passage), "text": passage.text,
            }
            for hit, passage in found
        ]  # fmt: skip
        asked = {"query": text, "words": words(text), "k": k, "access": access.value, "as_of": as_of}
        asked |= {"language": language, "version": version}
        searched = {"searched_sections": len(engine.passages), "not_read": [each.file for each in engine.not_read]}
        print_json(asked | searched | {"results": results})
        return
    if not words(text):
        say("There is no word in this question to look for: type some letters or digits.")
    elif not found:
        say(f"No section holds any of these words: {', '.join(dict.fromkeys(words(text)))}." if k else "0 results, as asked.")
    else:
        _print_table(
            ["rank", "score", "section"],
            [(str(hit.rank), f"{hit.score:.3f}", _with_snippet(passage)) for hit, passage in found],
            right=(0, 1),
        )
    say(_what_was_searched(engine, access.value, as_of))


@app.command("eval", epilog="Example: labkit eval --k 10 --overall")
@_command
def evaluate_(
    k: Annotated[int, typer.Option("--k", min=1, help="How many results count.")] = 5,
    by_kind: Annotated[bool, typer.Option("--by-kind/--overall", help="A row for each kind, or the whole only.")] = True,
    access: Annotated[
        Reader, typer.Option("--access", help="Who reads; staff sees everything, so that the search is judged.")
    ] = Reader.staff,
    index: Index = None,
    folder: Folder = None,
    as_json: Json = False,
) -> None:
    """Measure the keyword search on the questions: hit@k with its interval, by kind, and where each miss was lost."""
    from labkit.evaluation.attribution import stage_of
    from labkit.evaluation.metrics import evaluate
    from labkit.evaluation.significance import interval
    from labkit.retrieval.passage_search import section_search

    asked, documents, warnings = _load(folder)
    engine = section_search(documents, access=access.value) if index is None else cli_index.engine_of(index, access.value, documents)
    rows = evaluate(asked, engine, k)
    scored = rows[rows["scored"]]
    overall = interval(rows)
    kinds = [(kind, interval(group), int(group["hit"].sum())) for kind, group in scored.groupby("kind", sort=True)] if by_kind else []
    missed = set(scored.loc[scored["hit"] == 0, "id"])
    misses = [(each, stage_of(each, engine, passages=engine.given, k=k, allowed=engine.allows)) for each in asked if each.id in missed]
    hits = int(scored["hit"].sum())
    if as_json:
        print_json(
            {
                "k": k, "access": access.value, "chunker": None if index is None else str(engine.index.chunker),
                "n": overall.n, "unscored": len(rows) - overall.n, "hits": hits,
                "hit": _plain(overall.mean), "low": _plain(overall.low), "high": _plain(overall.high), "level": overall.level,
                "by_kind": [
                    {"kind": kind, "n": found.n, "hits": of, "hit": found.mean, "low": found.low, "high": found.high}
                    for kind, found, of in kinds
                ],
                "misses": [
                    {"id": each.id, "kind": each.kind, "question": each.question, "stage": miss.stage, "rank": miss.rank}
                    for each, miss in misses
                ],
                "questions": [{name: _plain(value) for name, value in row.items()} for row in rows.to_dict("records")],
                "warnings": [asdict(fault) for fault in warnings],
            }
        )  # fmt: skip
    elif not overall.n:
        say("No question has a relevant passage, so there is nothing to score.")
    else:
        of = counted(overall.n, "question")
        say(f"hit@{k} = {overall.mean:.3f} (95 % interval {overall.low:.3f} to {overall.high:.3f}): {hits} of {of}. "
            f"{len(rows) - overall.n} without an answer {'is' if len(rows) - overall.n == 1 else 'are'} not scored.")  # fmt: skip
        if kinds:
            _print_table(
                ["kind", "n", "hits", f"hit@{k}", "95 % interval"],
                [(kind, str(found.n), str(of), f"{found.mean:.3f}", f"{found.low:.3f} to {found.high:.3f}") for kind, found, of in kinds],
                right=(1, 2, 3),
            )
        if misses:
            _print_table(
                ["missed", "kind", "lost at", "question"],
                [(each.id, each.kind, str(miss), each.question) for each, miss in misses],
            )
        say(_what_was_searched(engine, access.value, None) if index is None else cli_index.what_was_searched(engine))
    for fault in warnings:
        complain(f"{fault} (a warning)")


# --- the machine -----------------------------------------------------------------------------------------------------------------------


@app.command(epilog="Example: labkit doctor --json")
@_command
def doctor(as_json: Json = False) -> None:
    """Check this machine: Python, packages, SQLite, the course's files, disk, Jupyter; one line each, with the cure."""
    from labkit import doctor as surgery

    checks = surgery.examine()
    if as_json:
        print_json(
            {"ok": all(check.ok for check in checks), "checks": [vars(check) for check in checks], "report": surgery.report(checks)}
        )
    else:
        print(surgery.report(checks))
    if not all(check.ok for check in checks):
        sys.stdout.flush()
        raise typer.Exit(1)


# --- how things are printed --------------------------------------------------------------------------------------------------------------


def _load(folder: Path | None):
    """(questions, documents, warnings) of the course or of somebody's folder; every fault between them at once, as an error."""
    from labkit.collection import load_inventory
    from labkit.questions import load_questions
    from labkit.validation import check_questions

    faults: list[Fault] = []
    documents, asked = [], []
    try:
        documents = load_inventory(folder)
    except FaultsError as error:
        faults += error.faults
    try:
        asked = load_questions(None if folder is None else _question_files(folder))
    except FaultsError as error:
        faults += error.faults
    warnings: list[Fault] = []
    if not faults:
        found = check_questions(asked, documents)
        faults = [fault for fault in found if fault.level == "error"]
        warnings = [fault for fault in found if fault.level != "error"]
    if faults:
        raise FaultsError(faults)
    return asked, documents, warnings


def _question_files(folder: Path) -> Path:
    """What to load: the folder, for those of its question files that are there; else the one that is missing."""
    from labkit.questions import QUESTION_FILES

    return folder if any((folder / name).exists() for name in QUESTION_FILES) else folder / "questions.jsonl"


def _known(name: str, value: str | None, values: list[str]) -> None:
    if value is not None and value not in values:
        raise BadArgument(f"--{name} {value!r}: no question has it — there are {', '.join(sorted(set(values)))}")


def _chosen(documents: list, language: str | None, version: str | None) -> list:
    """The documents in this language ('fr' means 'fr-CA' too) and of this version. One that no document has is a slip."""
    for name, value in (("language", language), ("version", version)):
        if value is None:
            continue
        have = sorted({getattr(each, name) for each in documents})
        documents = [each for each in documents if f"{getattr(each, name)}-".lower().startswith(f"{value}-".lower())
                     and (name == "language" or getattr(each, name) == value)]  # fmt: skip
        if not documents:
            raise BadArgument(f"--{name} {value!r}: no document has it — there are {', '.join(have)}")
    return documents


def _what_was_searched(engine, access: str, as_of: str | None) -> str:
    sections = f"{len(engine.passages)} {plural(len(engine.passages), 'section')}"
    when = f"in force on {as_of}" if as_of else "of all versions, in force or not"
    text = f"Searched: {sections} {when}, as {'a public reader' if access == 'public' else 'staff'}."
    if engine.not_read:
        formats = " and ".join(sorted({each.format.upper() for each in engine.not_read}))
        text += f" Not read: {len(engine.not_read)} {plural(len(engine.not_read), 'document')} in {formats}; `labkit index` reads them."
    return text


def _with_snippet(passage) -> Cell:
    body = " ".join(passage.text.split("\n", 1)[-1].split()) or " ".join(passage.text.split())
    snippet = body if len(body) <= 150 else f"{body[:149].rstrip()}…"
    return (passage.id, "bold"), (_citation(passage), ""), (snippet, "dim")


def _citation(passage) -> str:
    from labkit.retrieval.citation import Citation

    return str(Citation.of(passage, passage.context))


def _console() -> Console:
    plain = Console(**_NO_MARKUP)
    return Console(width=max(20, min(WIDEST, plain.width)), **_NO_MARKUP)


def _print_table(heads: Sequence[str], rows: Sequence[Sequence[str | Cell]], right: Sequence[int] = ()) -> None:
    from labkit.show.tables import Table as Cells
    from labkit.show.tables import clean, wrap

    def parts(cell: str | Cell) -> Cell:
        return tuple((clean(text), style) for text, style in ([(cell, "")] if isinstance(cell, str) else cell))

    console = _console()
    shown = [[parts(cell) for cell in row] for row in rows]
    texts = tuple(tuple("\n".join(text for text, _ in cell) for cell in row) for row in shown)
    cells = Cells(tuple(heads), texts, frozenset(right), width=console.width)
    with console.capture() as captured:
        for places, widths in cells.layout():
            table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
            for place, width in zip(places, widths, strict=True):
                table.add_column(heads[place], justify="right" if place in right else "left", overflow="fold", width=width)
            for row in shown:
                wrapped = (
                    [("\n".join(wrap(text, width)), style) for text, style in row[place]]
                    for place, width in zip(places, widths, strict=True)
                )
                table.add_row(*(Text("\n").join(Text(text, style) for text, style in cell) for cell in wrapped))
            console.print(table, "")
    # no blanks at the ends of lines: they only get in the way of a diff
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))


def _plain(value):
    """A pandas value as JSON knows it."""
    if value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and math.isnan(value)):
        return None
    return value.item() if hasattr(value, "item") else value


def _question(each) -> dict:
    return {name: str(value) if name == "as_of" else value for name, value in asdict(each).items()}


def _counts(values: Iterable[str]) -> str:
    return ", ".join(f"{number} {value}" for value, number in sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0])))


def _from_here(folder: Path) -> str:
    try:
        return f"{folder.relative_to(Path.cwd())}{os.sep}"
    except ValueError:
        return str(folder)
