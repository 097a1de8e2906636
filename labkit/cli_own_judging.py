"""The labkit commands for a folder's questions: `labkit label` asks a person for gold, `labkit validate` gives advice (lesson 15).

`register` adds them to the command line. Both exit with 1 where a file has faults; advice is no fault.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from labkit.cli_printing import as_far_as_it_is_read, complain, print_json, say
from labkit.errors import BadArgument, Fault, LabError
from labkit.textfiles import counted, shown, some

if TYPE_CHECKING:
    from labkit.own.agreement import Agreement
    from labkit.own.examining import Held
    from labkit.own.judging import Outcome


Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="Your folder, with inventory.csv and questions.md or questions.jsonl.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for a script.")]


def register(app: typer.Typer, command: Callable[[Callable], Callable]) -> None:
    """Adds the commands to `app`; `command` is what every command does with an error."""
    app.command(epilog="Example: labkit label my-documents --judge Mei")(command(label))
    app.command(epilog="Example: labkit validate my-documents")(command(validate))


# --- labkit label ------------------------------------------------------------------------------------------------------


def label(
    folder: Folder,
    judge: Annotated[str, typer.Option("--judge", metavar="NAME", help="Who judges: a name or a number.")] = "1",
    k: Annotated[
        int | None, typer.Option("--k", min=1, max=1000, help="Passages that each search brings (default: k of labkit.toml).")
    ] = None,
    question: Annotated[list[str] | None, typer.Option("--question", metavar="ID", help="Only this question; may be repeated.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Questions that have gold already, too.")] = False,
    agreement: Annotated[bool, typer.Option("--agreement", help="Ask nothing; say how far the judges agree.")] = False,
    gold: Annotated[bool, typer.Option("--gold", help="Ask nothing; write the questions with their judged gold.")] = False,
    out: Annotated[str | None, typer.Option("--out", metavar="FILE", help="With --gold: the file's name (questions-judged.jsonl).")] = None,
    partly: Annotated[bool, typer.Option("--partly", help="With --gold: 'partly' makes gold as well.")] = False,
    as_json: Json = False,
) -> None:
    """Judge what the searches find, one key a passage, for questions that nobody has given an answer's place yet.

    The best passages of all configured searches are shown in mixed order, without a word on which search brought them:
    r relevant, p partly, n no, u unsure, s relevant and here (a number says which sentence), b back, q quit. Each
    judgement is saved at once in judgements.csv; start again to go on. From a pipe, one answer a line.
    """
    from labkit.own.examining import load_held
    from labkit.own.judgements import judge_name

    if agreement and gold:
        raise BadArgument("--agreement and --gold: one at a time")
    if (out or partly) and not gold:
        raise BadArgument(f"{'--out' if out else '--partly'} belongs to --gold — write that as well, or leave it out")
    name = judge_name(judge)
    held = load_held(folder)
    if agreement:
        _tell_agreement(held, as_json, asked=True)
    elif gold:
        _write_gold(held, out, partly, as_json)
    else:
        _judge(held, name, k, question, everything, as_json)


def _judge(held: Held, name: str, k: int | None, chosen: list[str] | None, everything: bool, as_json: bool) -> None:
    from labkit.cli_keys import answers
    from labkit.own.desk import lay_out
    from labkit.own.examining import how_to_say, is_without_gold
    from labkit.own.judgements import FILE
    from labkit.own.judging import Session

    asked = list(held.questions if everything or chosen else held.without_gold)
    if chosen:
        known = {each.id: each for each in held.questions}
        unknown = [each for each in chosen if each not in known]
        if unknown:
            raise BadArgument(f"--question {', '.join(unknown)}: there is no such question — there are {some(known)}")
        asked = [known[each] for each in dict.fromkeys(chosen)]
    tell = sys.stderr if as_json else sys.stdout
    aside = [each for each in held.unplaced if is_without_gold(each)]
    if aside and not chosen:
        language, names = held.settings.language, some(each.id for each in aside)
        what = f'labkit.toml asks for language = "{language}" alone, and nobody knows that of {names}'
        complain(f"{what}: left out — {how_to_say(language, aside)}")
    if not asked:
        if as_json:
            print_json({"judge": name, "judged": 0, "left": 0, "finished": True, "nothing_found": [], "agreement": []})
        else:
            other = "other question" if aside else "question"
            say(f"No {other} waits for a judgement: each has its answer's place, or none at all. With --all you judge those too.")
        return
    desk = lay_out(held.folder, held.documents, held.settings, _progress if sys.stderr.isatty() else None)
    for file, why in desk.aside:
        complain(f"{file}: {why}")
    who = f"You judge as judge {name} (--judge names another)."
    say(f"{counted(len(asked), 'question')}, {counted(len(desk.methods), 'search')}. {who}", to=tell)
    same = sorted({each.judge for each in held.judgements if each.judge != name and each.judge.casefold() == name.casefold()})
    if same:
        say(f"There is a judge {same[0]} too, and that is another one for labkit.", to=tell)

    def show(text: str) -> None:
        say(text, to=tell)

    with answers(show, _person(tell)) as keys:
        outcome = Session(
            asked,
            judge=name,
            file=held.folder / FILE,
            judgements=held.judgements,
            editions=desk.editions,
            rankings=lambda each: desk.rankings(each, k),
            keys=keys,
            show=show,
            looked=_looked if sys.stderr.isatty() else None,
        ).run()
    again = _read_again(held)
    if as_json:
        facts = {"judge": name, "judged": outcome.judged, "left": outcome.left, "finished": outcome.finished}
        print_json(facts | {"nothing_found": list(outcome.nothing_found), "agreement": _agreements(again)})
        return
    say(f"\n{_outcome(outcome, held, len(asked))}")
    _tell_agreement(again, False, asked=False, judge=name)


def _outcome(outcome: Outcome, held: Held, asked: int) -> str:
    said = [f"{counted(outcome.judged, 'judgement')} saved in {shown(held.folder / 'judgements.csv')}."]
    if outcome.nothing_found:
        said.append(f"No search found anything for {some(outcome.nothing_found)}.")
    if len(outcome.nothing_found) == asked:
        said.append("So there was nothing to judge: look at access, language and as_of in labkit.toml, or ask in the documents' words.")
    elif outcome.finished:
        said.append("All is judged. `labkit label … --gold` makes a question file of it.")
    else:
        said.append("The rest waits; the same command goes on here.")
    return " ".join(said)


def _read_again(held: Held) -> Held:
    from dataclasses import replace

    from labkit.own.judgements import FILE, read_judgements

    return replace(held, judgements=tuple(read_judgements(held.folder / FILE)))


def _person(tell) -> bool:
    """Whether a person sits at a terminal, to read and to press keys."""
    return bool(sys.stdin) and sys.stdin.isatty() and tell is sys.stdout and tell.isatty()


# --- agreement, and gold -----------------------------------------------------------------------------------------------


def _by_judge(held: Held) -> dict[str, dict]:
    """judge → (question, place, text) → grade, for the judgements that count; question and text by their digests."""
    from labkit.own.judgements import latest

    grades: dict[str, dict] = {}
    for (judge, asked, place), each in latest(held.judgements).items():
        grades.setdefault(judge, {})[asked, place, each.digest] = each.grade
    return grades


def _compared(held: Held) -> list[tuple[str, Agreement]]:
    """Each pair of judges twice: by all three grades, and by what makes gold, relevant or not."""
    from labkit.own.agreement import between_judges

    grades = _by_judge(held)
    if len(grades) < 2:
        return []
    kept = ("relevant", "unsure")
    two = {judge: {item: grade if grade in kept else "not" for item, grade in each.items()} for judge, each in grades.items()}
    three = between_judges(grades, ["unsure"])
    return [pair for pairs in zip((("grades", each) for each in three), (("gold", each) for each in between_judges(two, ["unsure"])),
                                  strict=True) for pair in pairs]  # fmt: skip


def _agreements(held: Held) -> list[dict]:
    return [
        {
            "judges": [each.a, each.b], "of": of, "n": each.n, "raw": each.raw, "by_luck": each.by_luck, "kappa": each.kappa,
            "undefined": each.undefined, "counts": [{"a": a, "b": b, "n": n} for (a, b), n in each.counts.items()],
        }
        for of, each in _compared(held)
    ]  # fmt: skip


def _tell_agreement(held: Held, as_json: bool, *, asked: bool, judge: str = "") -> None:
    grades = _by_judge(held)
    if as_json:
        print_json({"judges": {judge: len(each) for judge, each in sorted(grades.items())}, "agreement": _agreements(held)})
        return
    if len(grades) < 2:
        if asked:
            who = f"only {next(iter(grades))} has" if grades else "nobody has"
            say(f"Agreement takes two judges, and {who} judged so far. A second one gives another name: --judge 2")
        return
    said = {"grades": "relevant, partly, no", "gold": "relevant or not"}
    compared = [(of, each) for of, each in _compared(held) if asked or judge in (each.a, each.b)]
    for of, each in compared:
        say(f"{said[of]}: {each}")
    if compared:
        say("Passages of which one was unsure are left out.")
    if asked:
        _tell_differences(grades, held.ids)


def _tell_differences(grades: dict[str, dict], ids: dict[str, str], most: int = 12) -> None:
    """What to talk about: the passages on which judges differ."""
    rows = []
    for item in sorted({item for each in grades.values() for item in each}):
        said = {judge: each[item] for judge, each in sorted(grades.items()) if item in each}
        if len(set(said.values()) - {"unsure"}) > 1:
            (doc_id, version, start, end), grade = item[1], ", ".join(f"{judge} {word}" for judge, word in said.items())
            rows.append(f"{ids[item[0]]}, {doc_id}@v{version}, characters {start} to {end}: {grade}")
    for row in rows[:most]:
        say(row)
    if len(rows) > most:
        say(f"… and {len(rows) - most} more")


def _write_gold(held: Held, out: str | None, partly: bool, as_json: bool) -> None:
    from labkit.own.desk import kept
    from labkit.own.judged_gold import FILE, gold_of, write_gold
    from labkit.own.material import parsed

    named = {(each.doc_id, str(each.version)) for each in held.judgements}
    named |= {(each.doc_id, str(each.version)) for question in held.questions for each in question.relevant if not each.section}
    wanted = [each for each in held.documents if (each.doc_id, str(each.version)) in named]
    editions = {(each.doc_id, str(each.version)): each for each in parsed(wanted, kept(held.folder), unread=_complain_of_document)}
    made = gold_of(held.questions, held.judgements, editions, partly=partly)
    path = write_gold(made, held.folder, out or FILE)
    if as_json:
        print_json({
            "file": shown(path), "questions": len(made.questions), "judged": list(made.judged), "without": list(made.without),
            "stale": made.stale,
            "disputes": [
                {"question": each.question, "doc_id": each.piece.doc_id, "version": each.piece.version, "start": each.piece.start,
                 "end": each.piece.end, "grades": each.grades}
                for each in made.disputes
            ],
        })  # fmt: skip
        return
    say(f"{shown(path)}: {counted(len(made.questions), 'question')}, {len(made.judged)} of them with judged gold: {some(made.judged)}.")
    for each in made.disputes:
        said = ", ".join(f"{judge} {grade}" for judge, grade in sorted(each.grades.items()))
        where = f"{each.piece.doc_id}@v{each.piece.version}, characters {each.piece.start} to {each.piece.end}"
        say(f"In dispute, so no gold: {each.question}, {where} ({said}).")
    if made.without:
        say(f"Still without gold, and so left out: {some(made.without)}. Where no document answers, say so: kind: unanswerable")
    if made.stale:
        say(f"{counted(made.stale, 'judgement')} left out: the question or the passage has changed since. `labkit label` asks again.")
    say(f'To measure with it, write into labkit.toml:\nquestions = ["{path.name}"]')


def _complain_of_document(document, error: LabError) -> None:
    complain(f"{document.file}: {str(error).removeprefix(f'{document.file}: ')}")


# --- labkit validate ---------------------------------------------------------------------------------------------------


def validate(
    folder: Folder,
    quick: Annotated[bool, typer.Option("--quick", help="Leave out what takes reading every document.")] = False,
    as_json: Json = False,
) -> None:
    """Name every fault of a folder at once, then give advice: what these questions can show, and what they cannot.

    Exit code 1 where there is a fault; advice and warnings leave it 0.
    """
    from labkit.own.advice import advise
    from labkit.own.examining import examine

    held, faults = examine(folder, quick=quick)
    errors = [fault for fault in faults if fault.level == "error"]
    warnings = [fault for fault in faults if fault.level != "error"]
    if not as_json:
        for fault in errors:
            complain(str(fault))
        for fault in warnings:
            complain(f"{fault} (a warning)")
        sys.stderr.flush()
    given = advise(held, quick=quick, progress=_progress if sys.stderr.isatty() else None)
    with as_far_as_it_is_read():
        if as_json:
            print_json({
                "faults": [asdict(each) for each in errors], "warnings": [asdict(each) for each in warnings],
                "advice": [each.as_dict() for each in given.advice], "measured": given.measured,
            })  # fmt: skip
        else:
            say(_found(held, errors, warnings))
            for number, each in enumerate(given.advice, start=1):
                say(f"\n{number}. {each}")
    if errors:
        raise typer.Exit(1)


def _found(held: Held, errors: list[Fault], warnings: list[Fault]) -> str:
    found = f"{counted(len(held.documents), 'document')}, {counted(len(held.questions), 'question')}: "
    found += f"{counted(len(errors), 'fault')}, {counted(len(warnings), 'warning')}."
    return found + (" Mend the faults first; the advice below is on what could be read." if errors else "")


# --- how things are printed --------------------------------------------------------------------------------------------


def _progress(what: str, done: int, of: int) -> None:
    sys.stderr.write(f"\r\x1b[K{done:,} of {of:,} {what}" + ("\n" if done >= of else ""))
    sys.stderr.flush()


def _looked(done: int, of: int) -> None:
    """A line that is gone again when the next question stands there; only where it goes on for a while."""
    if done % 10 == 0:
        sys.stderr.write(f"\r\x1b[K{done:,} of {of:,} questions looked through\r" if done < of else "\r\x1b[K")
        sys.stderr.flush()
