"""What a folder holds, and every fault in it at once: inventory, documents, settings, questions, judgements (lesson 15)."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from labkit.collection import INVENTORY, Document, check_inventory, load_for_reading, load_whole_rows, read_text
from labkit.errors import DocumentError, Fault, FaultsError, by_line
from labkit.own.desk import kept
from labkit.own.judgements import FILE, Judgement, digest_of, latest
from labkit.own.judgements import examine as examine_judgements
from labkit.own.material import Material, check_gold, parsed, speaks
from labkit.own.settings import SETTINGS, Settings, load_settings
from labkit.questions import MARKDOWN, QUESTION_FILES, Question, load_questions, questions_and_faults
from labkit.questions_markdown import NO_GOLD, SAY_WHERE, UNKNOWN
from labkit.textfiles import counted, shown, some
from labkit.toml_lines import line_of, lines_of


@dataclass(frozen=True)
class Held:
    """What could be read of a folder. A file with a fault that hides what it says is as good as empty here; the faults say so.

    `questions` are all that are in the settings' language, also those without gold, which neither name a passage nor abstain;
    `unplaced` those of which nobody knows the language, where the settings ask for one; `files` the question files.
    """

    folder: Path
    settings: Settings
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    files: tuple[str, ...]
    judgements: tuple[Judgement, ...]
    unplaced: tuple[Question, ...] = ()

    @property
    def ids(self) -> dict[str, str]:
        """Of judged questions, by the digest of their words: the id that each has now; of one that is gone, the last that it had."""
        return {each.asked: each.question for each in self.judgements} | {digest_of(each.question): each.id for each in self.questions}

    @property
    def without_gold(self) -> tuple[Question, ...]:
        """The questions that nobody has given a place to yet."""
        return tuple(each for each in self.questions if is_without_gold(each))


def is_without_gold(question: Question) -> bool:
    """Whether nobody has said yet where its answer stands, nor that there is none."""
    return not question.relevant and not question.abstain


def examine(folder: Path | str, *, thoroughly: bool = True, quick: bool = False) -> tuple[Held, list[Fault]]:
    """What a folder holds, and its faults, warnings too: settings first, then inventory and documents, questions, judgements.

    `thoroughly` opens each document and compares the gold with what it says; without it, only what a search needs to run is looked at, and
    a question without gold is no fault. `quick` leaves the PDF documents unread that no question names: whether they can be read is not
    known then.
    """
    folder = Path(folder)
    faults: list[Fault] = []
    settings = _settings(folder, faults)
    documents, touched = _documents(folder, faults, thoroughly)
    if not folder.is_dir():
        return Held(folder, settings, (), (), (), ()), by_line(faults)
    every, files = _questions(folder, settings, faults)
    questions = [each for each in every if speaks(each.language, settings.language)]
    unplaced = tuple(each for each in every if settings.language and each.language == UNKNOWN)
    if thoroughly:
        faults += _in_no_language(folder, settings, documents, unplaced)
        told = {fault.line for fault in faults if fault.file == shown(folder / INVENTORY) and fault.level == "error"}
        faults += _unreadable(folder, [each for each in documents if each.line not in told], questions, quick)
        named = [each for each in questions if not is_without_gold(each)]
        if documents:
            known = {each.doc_id for each in documents}
            judged = tuple(each for each in named if _can_be_judged(each, known, touched))
            faults += check_gold(Material(folder, documents, judged, files), kept(folder))
    judgements, wrong = examine_judgements(folder / FILE)
    faults += wrong
    if thoroughly:
        faults += _without_gold(questions, judgements)
        faults += _strangers(folder, judgements, questions, files)
    return Held(folder, settings, documents, tuple(questions), files, tuple(judgements), unplaced), by_line(faults)


def load_held(folder: Path | str) -> Held:
    """What a folder holds, for whoever searches it. Raises FaultsError with every fault that stands in the way."""
    held, faults = examine(folder, thoroughly=False)
    errors = [fault for fault in faults if fault.level == "error"]
    if errors:
        raise FaultsError(errors)
    return held


def _settings(folder: Path, faults: list[Fault]) -> Settings:
    try:
        return load_settings(folder)
    except FaultsError as error:
        faults += error.faults
        return load_settings(folder / SETTINGS / "none")  # a place where there is no such file: the defaults


def _documents(folder: Path, faults: list[Fault], thoroughly: bool) -> tuple[tuple[Document, ...], set[str] | None]:
    """The documents whose rows are whole, and the doc_ids of the other rows, None where nobody can say which they are."""
    try:
        found, touched = load_for_reading(folder), set()
        wrong: list[Fault] = []
    except FaultsError as error:
        (found, touched), wrong = load_whole_rows(folder), error.faults
    faults += check_inventory(folder) if thoroughly else wrong
    return tuple(found), touched


def _unreadable(folder: Path, documents: list[Document], questions: list[Question], quick: bool) -> list[Fault]:
    """A fault for each PDF that cannot be read at all and that a question names, a warning for each other one. Of other formats, the
    inventory's look at the bytes has told them already."""
    asked: dict[tuple[str, str], str] = {}
    for each in reversed(questions):
        asked |= dict.fromkeys(((entry.doc_id, entry.version) for entry in each.relevant), each.id)
    found: list[Fault] = []

    def unread(document: Document, error: DocumentError) -> None:
        what, _, todo = str(error).removeprefix(f"{document.file}: ").partition(" — ")
        name = asked.get((document.doc_id, document.version))
        level, which = ("error", f", and {name} has its answer there") if name else ("warning", "")
        found.append(Fault(shown(folder / INVENTORY), document.line, f"{document.file}: {what}{which}", todo, level))

    pdfs = [each for each in documents if each.format == "pdf" and (not quick or (each.doc_id, each.version) in asked)]
    for _ in parsed(pdfs, kept(folder), unread=unread):
        pass
    return found


def _can_be_judged(question: Question, known: set[str], touched: set[str] | None) -> bool:
    """Whether what is wrong with a question's gold is its own fault: it does not hang on a row of the inventory that has one."""
    named = {each.doc_id for each in (*question.relevant, *question.wrong_version)}
    return named <= known if touched is None else not named & touched


def _questions(folder: Path, settings: Settings, faults: list[Fault]) -> tuple[list[Question], tuple[str, ...]]:
    there = tuple(name for name in settings.questions if (folder / name).exists() or (folder / name).is_symlink())
    if "questions" in settings.given:
        for name in settings.questions:
            if name not in there:
                faults.append(Fault(shown(folder / name), None, "there is no such file", f"check its name, which stands in {SETTINGS}"))
    elif not there:
        todo = "write some, one heading a question; `labkit new` makes a file to start from"
        what = f"there are no questions: neither {' nor '.join(settings.questions)}"
        faults.append(Fault(shown(folder / settings.questions[0]), None, what, todo))
    found: list[Question] = []
    first: dict[str, Question] = {}
    for name in there:
        if not (folder / name).resolve().is_relative_to(folder.resolve()):
            faults.append(Fault(shown(folder / name), None, "a link that leaves the folder", "put the file itself into the folder"))
            continue
        read, wrong = questions_and_faults(folder / name, gold=False)
        faults += wrong
        for each in read:
            if each.id in first:
                what = f"the id {each.id!r} stands in {first[each.id].file}:{first[each.id].line} already"
                faults.append(Fault(each.file, each.line or None, what, "give each question an id of its own"))
            first.setdefault(each.id, each)
        found += read
    return found, there


def _in_no_language(folder: Path, settings: Settings, documents: Iterable[Document], unplaced: Iterable[Question]) -> list[Fault]:
    """Warnings on what the settings leave out without meaning to: documents and questions of which nobody knows the language."""
    if settings.language is None:
        return []
    line = line_of(lines_of(read_text(folder / SETTINGS)), ("language",))
    names = {
        ("document", f"write their language into {INVENTORY}"): [each.file for each in documents if each.language == UNKNOWN],
        ("question", how_to_say(settings.language, unplaced)): [each.id for each in unplaced],
    }
    return [
        Fault(
            shown(folder / SETTINGS), line,
            f'language = "{settings.language}" leaves out {counted(len(found), what)} whose language is unknown ({some(found)})', todo,
            "warning",
        )
        for (what, todo), found in names.items() if found
    ]  # fmt: skip


def how_to_say(language: str, questions: Iterable[Question]) -> str:
    """What to write where these questions are in the language, in the form that their files have."""
    written = {_is_markdown(each) for each in questions}
    ways = [f"write `language: {language}` below those that are in it, or, above them all, once"] if True in written else []
    ways += [f'write `"language": "{language}"` into the lines of those that are in it'] if False in written else []
    return "; in JSON Lines, ".join(ways)


def _is_markdown(question: Question) -> bool:
    return question.file.lower().endswith(MARKDOWN)


def _without_gold(questions: list[Question], judgements: list[Judgement]) -> list[Fault]:
    """A fault for each question without gold: what is to be done hangs on what judges have said."""
    grades: dict[str, set[str]] = {}
    for each in latest(judgements).values():
        grades.setdefault(each.asked, set()).add(each.grade)
    found = []
    for each in questions:
        if is_without_gold(each):
            said = grades.get(digest_of(each.question), set())
            what = f"{each.id}: {NO_GOLD}{', though it has been judged' if said else ''}"
            found.append(Fault(each.file, each.line or None, what, _what_to_do(each, said)))
    return found


def _what_to_do(question: Question, grades: set[str]) -> str:
    """About a question without gold, by the grades that its passages have."""
    say = SAY_WHERE
    if not _is_markdown(question):
        say = SAY_WHERE.replace("`kind: unanswerable`", '`"abstain": true`')
    if "relevant" in grades:
        return "`labkit label FOLDER --gold` makes a question file with what was found relevant, and says how to measure with it"
    if grades:
        return f"nothing was found relevant so far: {say.partition('; ')[0]}"
    return say


def _strangers(folder: Path, judgements: list[Judgement], questions: list[Question], files: tuple[str, ...]) -> list[Fault]:
    """A warning for each judged question whose words no question file holds any more."""
    known = {digest_of(each.question) for each in questions}
    for name in QUESTION_FILES:  # judged questions are measured from a file of their own, and asked in these
        with suppress(FaultsError):
            known |= {digest_of(each.question) for each in load_questions(folder / name, gold=False)} if name not in files else set()
    gone = {each.asked: each for each in reversed(judgements) if each.asked not in known}
    return [
        Fault(
            shown(folder / FILE),
            each.line,
            f"judges {each.question} as it was once worded; {' and '.join(files)} holds no such question now",
            "nothing, where it was taken out or is asked otherwise: then it is judged anew",
            "warning",
        )
        for each in (sorted(gone.values(), key=lambda each: each.line) if files else ())
    ]


