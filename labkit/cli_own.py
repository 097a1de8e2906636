"""The labkit commands for a collection of one's own: from a folder of documents to a report (lesson 15).

`register` adds them to the command line; what they print is decided here, what they do in labkit.own. What a person asked for goes to
stdout; how the work goes, and what is wrong, to stderr.

Each command is one function, named in COMMANDS with an example of its use.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from labkit.cli_printing import as_far_as_it_is_read, complain, say, width
from labkit.cli_watching import watched
from labkit.errors import BadArgument
from labkit.textfiles import counted, printable, shown

_MOST = 20  # unreadable documents that are named on stderr; the report names all


class StageName(StrEnum):
    """The stages of a report, in order."""

    read = "read"
    cut = "cut"
    index = "index"
    search = "search"
    score = "score"


Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="Your folder, with inventory.csv and questions.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for a script.")]


def register(app: typer.Typer, command: Callable[[Callable], Callable]) -> None:
    """Adds the commands to `app`; `command` is what every command does with an error."""
    for function, example in COMMANDS.items():
        app.command(epilog=f"Example: labkit {example}")(command(function))


# --- labkit report ----------------------------------------------------------------------------------------------------------------------


def report(
    folder: Folder,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE", help="The page (default: report.html in the folder); CSV and JSON go beside it."),
    ] = None,
    against: Annotated[
        Path | None, typer.Option("--against", metavar="EARLIER.json", help="An earlier report: what is better, and what is worse since.")
    ] = None,
    start: Annotated[
        StageName | None, typer.Option("--from", help="Do this stage and those after it again; those before it must be finished.")
    ] = None,
    end: Annotated[
        StageName | None,
        typer.Option("--to", help="Stop after this stage and write no report; with --from of the same name, that stage alone is done."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Which chunker and which search serve your documents: all of labkit.toml's, compared at equal budget, each miss explained.

    Finished stages are kept in FOLDER/.labkit: stop with Ctrl-C, run it again, and it goes on. Exit code 1 where --against finds a loss
    that chance does not explain (its whole interval lies below 0).
    """
    from labkit.own.against import load_report
    from labkit.own.material import spare_what_is_read
    from labkit.own.reporting import bring_up_to, make_report

    if end is not None:
        given = [name for name, value in (("-o", out), ("--against", against), ("--json", as_json or None)) if value is not None]
        if given:
            raise BadArgument(f"--to writes no report, so there is nothing for {', '.join(given)} — leave one of them out")
        watched(lambda progress: bring_up_to(folder, end.value, start=start and start.value, progress=progress))
        say(f"Stopped after {end.value}; no report is written. Next: labkit report {shown(folder)}")
        return
    page, table, data = _three(folder, out)
    spare_what_is_read(folder, (page, table, data))
    earlier = None if against is None else (shown(against), load_report(against))
    made = watched(lambda progress: make_report(folder, start=start and start.value, against=earlier, progress=progress))
    _write_all(_shown_in_three_ways(made, page, table, data))
    with as_far_as_it_is_read():
        if as_json:
            print(as_text(made), end="")
        else:
            for sentence in made["verdict"]:
                say(sentence)
            print()
            _print_scores(made)
            say(f"Written: {', '.join(shown(file) for file in (page, table, data))}.")
    _complain_of_unread(made["collection"]["unreadable"])
    lost = [row for row in (made["against"] or {}).get("rows", ()) if row["lost"]]
    unit = made["settings"]["unit"]["value"]
    for row in lost:
        what = f"{row['method']}, {row['metric'].replace('_', ' ')} at {row['budget']} {unit}"
        complain(f"lost since {made['against']['file']}: {what}: {row['before']:.3f}, now {row['now']:.3f} "
                 f"(95 % interval of the difference {row['low']:.3f} to {row['high']:.3f})")  # fmt: skip
    if made["against"] and not made["against"]["rows"]:
        raise BadArgument(f"{made['against']['file']}: {made['against']['note']}")
    if lost:
        raise typer.Exit(1)


def _shown_in_three_ways(made: dict, page: Path, table: Path, data: Path) -> dict[Path, str]:
    """The report's verdict is put in; then page, table and data as texts, all of them made before any is written."""
    from labkit.own.report_csv import csv_of
    from labkit.own.report_page import page_of
    from labkit.own.verdict import verdict_of

    made["verdict"] = verdict_of(made)
    return {page: page_of(made), table: csv_of(made), data: as_text(made)}


def as_text(made: dict) -> str:
    """A report as the text of its JSON file."""
    return json.dumps(made, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _three(folder: Path, out: Path | None) -> tuple[Path, Path, Path]:
    """Where page, table and data go. Raises BadArgument where they cannot."""
    page = folder / "report.html" if out is None else out
    if page.suffix.lower() in (".json", ".csv"):
        raise BadArgument(f"-o {page}: names the page, and the {page.suffix[1:].upper()} file goes beside it — name an .html file")
    if page.is_dir():
        raise BadArgument(f"-o {page}: is a folder — name a file in it, as in {page / 'report.html'}")
    if out is not None and not page.parent.is_dir():
        raise BadArgument(f"-o {page}: there is no folder {page.parent} — make it first")
    beside = page if page.suffix.lower() in (".html", ".htm") else page.with_name(f"{page.name}.html")
    return page, beside.with_suffix(".csv"), beside.with_suffix(".json")


def _write_all(texts: dict[Path, str]) -> None:
    from labkit.files import sweep, write_atomically

    sweep({file.parent for file in texts})
    for file, text in texts.items():
        write_atomically(file, text.encode("utf-8", "backslashreplace"))


def _print_scores(made: dict) -> None:
    """hit and evidence in context of each method at each budget, as shares of the scored questions."""
    from labkit.show.tables import table

    unit = made["settings"]["unit"]["value"]
    rows = []
    for method in made["methods"]:
        for budget in made["settings"]["budgets"]["value"]:
            got = {each["metric"]: each for each in made["scores"] if (each["method"], each["budget"]) == (method["name"], budget)}
            rows.append({"method": method["name"], unit: budget} | {_HEADS[metric]: _scored(got[metric]) for metric in _HEADS})
    print(table(rows, columns=["method", unit, *_HEADS.values()], width=width()))


_HEADS = {"hit": "hit", "evidence": "evidence", "evidence_in_context": "evidence in context"}


def _scored(row: dict) -> str:
    return "–" if row["mean"] is None else f"{row['mean']:.3f} ({row['low']:.2f}–{row['high']:.2f})"


def _complain_of_unread(problems: list[dict], left_out: str = "not searched") -> None:
    for each in problems[:_MOST]:
        page = "" if each["page"] is None else f"page {each['page']}: "
        what = "not whole" if each["searched"] else left_out
        complain(f"{what}: {printable(each['file'])}: {page}{each['what']} — {each['todo']}")
    if len(problems) > _MOST:
        complain(f"and {len(problems) - _MOST} more; `labkit report` names all of them")


# --- labkit export ----------------------------------------------------------------------------------------------------------------------


def export(
    folder: Folder,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="Where the chunks go (default: chunks.jsonl in the folder).")
    ] = None,
    chunker: Annotated[
        str | None, typer.Option("--chunker", metavar="NAME", help="A name from labkit.toml (default: the first one).")
    ] = None,
) -> None:
    """Write the chunks of one chunker with everything that is known of them, a JSON object a line, for another system.

    They are those that the reader of labkit.toml may see (access, language). Each line carries the access label: keep it.
    """
    from labkit.own.export import export as lines_of
    from labkit.own.material import spare_what_is_read

    file = folder / "chunks.jsonl" if out is None else out
    if file.is_dir():
        raise BadArgument(f"-o {file}: is a folder — name a file in it, as in {file / 'chunks.jsonl'}")
    if out is not None and not file.parent.is_dir():
        raise BadArgument(f"-o {file}: there is no folder {file.parent} — make it first")
    spare_what_is_read(folder, [file])
    unread: list[dict] = []
    lines = watched(lambda progress: list(lines_of(folder, chunker, progress, unread.extend)))
    _write_all({file: "".join(lines)})
    say(f"{shown(file)}: {counted(len(lines), 'chunk')}.")
    _complain_of_unread(unread, "not exported")


COMMANDS: dict[Callable, str] = {
    report: "report my-documents --against last-week.json",
    export: "export my-documents --chunker structure -o chunks.jsonl",
}
"""Each command with an example of its use, in the order of `labkit --help`."""
