"""A question file: one question a line in JSON Lines, or a heading in Markdown, each with the passages that answer it (lesson 01).

How questions look in Markdown is told in `labkit.questions_markdown`.

Here only the shape is judged: is it JSON, are all fields there, are they of the right type. Whether the passages exist and the quotes
still stand is for `labkit.validation`, which has the documents as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labkit.course import course_folder
from labkit.dates import BadDate, read_date
from labkit.errors import Fault, QuestionsError
from labkit.jsonshape import fits
from labkit.textfiles import decode_leniently, did_you_mean, is_utf16, path_of, printable, quoted, shown

if TYPE_CHECKING:
    import jsonschema

QUESTION_FILES = ("questions.md", "questions.jsonl")
"""What the question files of a folder are called; both may be there."""
MARKDOWN = (".md", ".markdown")

_LINE_END = re.compile(r"\r\n|\r|\n")
_TYPE_NAMES = {
    "string": "a text in quotation marks",
    "boolean": "true or false, without quotation marks",
    "integer": "a whole number, without quotation marks",
    "array": "a list in square brackets",
    "object": "an object in curly brackets",
}


@dataclass(frozen=True)
class Edition:
    """One version of one document, by name."""

    doc_id: str
    version: str


@dataclass(frozen=True)
class Relevant:
    """A section that answers a question.

    `section` is the heading's text ('Return window'; the second of two equal headings 'Notes-2'); `quote` the shortest text that
    answers, code point for code point as in the document; `access` the document's label. A section of '' stands for the whole document, as
    in one without headings: then the place that answers is the quote, which stands there once.
    """

    start = None  # a section has no span of its own; RelevantSpan has
    end = None

    doc_id: str
    version: str
    section: str
    access: str
    quote: str


@dataclass(frozen=True)
class RelevantSpan(Relevant):
    """A span of characters that answers a question, and nothing around it: `quote` is the document's text[start:end] as labkit reads it,
    positions in code points, half-open. `section` names where it stands, or is ''."""

    start: int = 0
    end: int = 0


@dataclass(frozen=True)
class Question:
    """One question with its gold.

    `as_of` is the day on which it is asked. `keys` must stand in a right answer, `must_not` must not. Where `abstain` is true the
    documents hold no answer, and `relevant` is empty. `file` and `line` (1-based) say where it was read.
    """

    id: str
    question: str
    language: str
    kind: str
    as_of: date
    public_ok: bool
    abstain: bool
    reference_answer: str
    keys: tuple[str, ...]
    must_not: tuple[str, ...]
    relevant: tuple[Relevant, ...]
    wrong_version: tuple[Edition, ...]
    tags: tuple[str, ...]
    notes: str
    line: int = field(repr=False, compare=False, default=0)
    file: str = field(repr=False, compare=False, default="")


def load_questions(path: Path | str | None = None, *, gold: bool = True) -> list[Question]:
    """The questions of a JSON Lines file, or of a Markdown file (by its suffix: .md, .markdown), in its order.

    None: the course's own questions/larkfield.jsonl. A folder: its questions.md and questions.jsonl, those that are there. Raises
    QuestionsError with every fault of the file, each with its line. A Markdown file takes what it leaves out (versions, access labels, the
    language) from the inventory in its folder, or in the folder above.

    `gold` False lets in questions to which nobody has given a place yet: they neither name a passage nor abstain.
    """
    found, faults = questions_and_faults(path, gold=gold)
    if faults:
        raise QuestionsError(faults)
    return found


def questions_and_faults(path: Path | str | None = None, *, gold: bool = True) -> tuple[list[Question], list[Fault]]:
    """(the questions that can be read, every fault of the file): as `load_questions`, for whoever looks at the rest of the folder too,
    and tells all its faults at once. Of two questions with one id, the first is among them."""
    source = course_folder() / "questions" / "larkfield.jsonl" if path is None else path_of(path, "a question file")
    found: list[_Found] = []
    faults: list[Fault] = []
    for file in _files(source):
        name = shown(file)
        read, wrong = (_markdown if file.suffix.lower() in MARKDOWN else _json_lines)(file, name, gold)
        found += read
        faults += sorted(wrong + _twice(read, found[: len(found) - len(read)], name), key=lambda fault: fault.line or 0)
    sound: dict[str, _Found] = {}
    for each in found:
        if each.sound:
            sound.setdefault(each.record["id"], each)
    return [_question(each.record, each.file, each.line) for each in sound.values()], faults


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema (Draft 2020-12) of one question; the course keeps a copy of it as questions/schema.json."""
    return json.loads(resources.files("labkit").joinpath("questions.schema.json").read_text(encoding="utf-8"))


# --- the file ------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Found:
    """A question as it came, with its line (1-based); `record` may be no question at all, where `sound` is False."""

    record: Any
    file: str
    line: int
    sound: bool = True


def _files(source: Path) -> list[Path]:
    try:
        there = [source / name for name in QUESTION_FILES if (source / name).is_file()]
    except (OSError, ValueError):
        there = []
    return there or [source]


def _json_lines(path: Path, name: str, gold: bool) -> tuple[list[_Found], list[Fault]]:
    text, faults = _read(path, name)
    if not text.strip():
        # where there is a fault already, it says why there is no text
        return [], faults or [Fault(name, 1, "is empty", "write one question a line")]
    one = _one_value(text)
    if one:
        return [], [*faults, Fault(name, 1, *one)]
    found = []
    for line, content in _lines(text):
        record, wrong = _record(content, gold)
        faults += [Fault(name, line, what, todo) for what, todo in wrong]
        found.append(_Found(record, name, line, record is not None and not wrong))
    return found, faults


def _markdown(path: Path, name: str, gold: bool) -> tuple[list[_Found], list[Fault]]:
    from labkit.questions_markdown import NO_QUESTION, labels_beside, read_questions  # CommonMark takes a moment to come

    text, faults = _read(path, name)
    if not text.strip():
        return [], faults or [Fault(name, 1, "is empty", "write each question as a heading, with its fields below it")]
    written, wrong = read_questions(text, name, labels_beside(path), gold)
    if not written and path.name == QUESTION_FILES[0] and (path.parent / QUESTION_FILES[1]).exists():
        wrong = [fault for fault in wrong if fault.what != NO_QUESTION]  # as `labkit new` laid it in, and the questions are next door
    found = []
    for each in written:
        named = [entry | {"section": entry["section"] or "-"} for entry in each.record["relevant"]]
        odd = _shape({**each.record, "relevant": named}, gold)
        wrong += [Fault(name, each.lines.get(re.match(r"\w*", what)[0], each.line), what, todo) for what, todo in odd]
        found.append(_Found(each.record, name, each.line, not odd))
    return found, faults + wrong


def _twice(found: list[_Found], before: list[_Found], name: str) -> list[Fault]:
    """A fault for each id that stands already: in this file, or in one before it."""
    faults: list[Fault] = []
    first: dict[str, _Found] = {}
    for each in [*before, *found]:
        identifier = each.record.get("id") if isinstance(each.record, dict) else None
        if not isinstance(identifier, str) or not identifier.strip():
            continue
        if identifier in first and each.file == name:
            there = first[identifier]
            where = f"line {there.line}" if there.file == name else f"{there.file}:{there.line}"
            what = f"the id {quoted(identifier)} stands in {where} already"
            faults.append(Fault(name, each.line, what, "give each question an id of its own"))
        first.setdefault(identifier, each)
    return faults


def _read(path: Path, name: str) -> tuple[str, list[Fault]]:
    """(text, faults); the text is '' where nothing can be judged."""
    try:
        if not path.exists():
            return "", [Fault(name, None, "there is no such file", "check its name and folder")]
        if not path.is_file():
            what = "a folder" if path.is_dir() else "not a plain file"
            todo = f"name the .jsonl or .md file; in a folder it is called {' or '.join(QUESTION_FILES)}"
            return "", [Fault(name, None, f"this is {what}, not a question file", todo)]
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return "", [Fault(name, None, f"cannot be read ({reason})", "check its name and permissions")]
    if is_utf16(data):
        return "", [Fault(name, 1, "is UTF-16, not UTF-8", "save it as UTF-8")]
    text, bad = decode_leniently(data)
    return text, [
        Fault(
            name,
            found.line,
            f"not UTF-8: byte {found.byte} of this line is 0x{found.value:02X}, as in a file saved as Latin-1",
            "save the file as UTF-8",
        )
        for found in bad
    ]


def _one_value(text: str) -> tuple[str, str] | None:
    """What is wrong where the whole file is one JSON value spread over lines, as an export often is; None where it is JSON Lines."""
    first = _LINE_END.split(text.lstrip(), maxsplit=1)[0].strip()
    if first in ("[", "{") and not _parses(text):
        return "a question is spread over several lines", "write each question on one line, without commas or brackets between them"
    if not first.startswith(("[", "{")) or (_parses(first) and not first.startswith("[")):
        return None
    if _parses(text):
        if text.lstrip().startswith("["):
            return "the file is one JSON list", "write one question a line, without the [ ] around them and without commas between"
        return "the file is one JSON object over several lines", "write each question on one line"
    return None


def _parses(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """(1-based line, content) — lines end as an editor ends them, at CR LF, LF or a CR alone; U+2028 may stand inside a JSON string."""
    if not text:
        return
    lines = _LINE_END.split(text)
    if not lines[-1]:
        lines.pop()
    yield from enumerate(lines, start=1)


# --- a line --------------------------------------------------------------------------------------------------------------------


def _record(content: str, gold: bool) -> tuple[dict[str, Any] | None, list[tuple[str, str]]]:
    """(the JSON object, its faults); None where the line is no JSON object. `gold`: must somebody have said where the answer stands?"""
    if not content.strip():
        return None, [("is a blank line", "delete it")]
    beyond_json: list[tuple[str, str]] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in items:
            if name in found:
                beyond_json.append((f"the field {quoted(name)} stands twice", "keep one of the two"))
            found[name] = value
        return found

    def constant(word: str) -> float:
        beyond_json.append((f"{word} is not JSON", "write the value that is meant"))
        return float(word)

    try:
        value = json.loads(content, object_pairs_hook=pairs, parse_constant=constant)
        if not isinstance(value, dict):
            return None, [(f"is {_found(value)}, not a question", 'each line is one object: {"id": "Q01", …}')]
        return value, beyond_json + _shape(value, gold)
    except json.JSONDecodeError as error:
        return None, [_json_fault(content, error)]
    except RecursionError:
        return None, [("brackets stand inside brackets too deep to read", "a question needs three levels at most")]
    except ValueError as error:
        return None, [(f"cannot be read as JSON ({error})", "check the numbers in it")]


def _json_fault(content: str, error: json.JSONDecodeError) -> tuple[str, str]:
    """Plain words for what the JSON parser met; places are 1-based characters of the line."""
    place = error.pos
    before, after = content[:place].rstrip(), content[place:].lstrip()
    rest = after.removeprefix(",").lstrip()
    if (before.endswith(",") or after.startswith(",")) and rest[:1] in ("}", "]"):
        comma = len(before) if before.endswith(",") else len(content) - len(after) + 1
        return f"a comma stands before the closing {rest[0]} (character {comma})", "delete that comma"
    where = f"at character {place + 1}"
    if before.endswith(",") and after.startswith(","):
        return f"two commas stand side by side, the second {where}", "delete one of them"
    if content.startswith("\ufeff"):
        return "the line begins with a byte order mark, as where two files were joined", "delete it (an invisible character)"
    if error.msg == "Extra data":
        if rest.startswith("{"):
            return f"a second object begins {where}", "write one question a line"
        if rest == "" and after.startswith(","):
            return "a comma stands at the end of the line", "delete it; lines are not separated by commas"
        return f"something stands after the closing bracket, {where}", "delete it"
    if not after:
        return "the line ends in the middle of the object", "close its brackets and quotation marks; a question stands on one line"
    if after[0] in "'\u2018\u2019\u201c\u201d\u00ab":
        return f"{after[0]} stands {where}", 'JSON wants straight double quotation marks: "'
    if re.match(r"(True|False|None)\b", after):
        word = re.match(r"\w+", after)[0]
        return f"{word} stands {where}", f"write {'null' if word == 'None' else word.lower()}"
    if error.msg.startswith("Unterminated string"):
        return f"a quotation mark opens {where} and is never closed", 'close it; a " inside a text is written \\"'
    if error.msg.startswith("Invalid control character"):
        return f"a tab or another control character stands inside a text, {where}", "write \\t for a tab, \\n for a new line"
    if error.msg.startswith("Invalid \\"):
        return f"a backslash {where} escapes nothing", "write a backslash twice: \\\\"
    if error.msg.startswith("Expecting ',' delimiter"):
        return f"a comma is missing {where}, or a quotation mark too many stands before it", 'a " inside a text is written \\"'
    return f"not JSON: {error.msg.lower()} {where}", 'each line is one object: {"id": "Q01", …}'


# --- the shape -----------------------------------------------------------------------------------------------------------------


@cache
def _validator() -> jsonschema.Draft202012Validator:
    import jsonschema  # it takes a second to come; only a faulty file needs its words

    return jsonschema.Draft202012Validator(schema())


def _errors(record: dict[str, Any]) -> list[jsonschema.ValidationError]:
    return [] if fits(record, schema()) else sorted(_validator().iter_errors(record), key=_order)


def _shape(record: dict[str, Any], gold: bool) -> list[tuple[str, str]]:
    faults: list[tuple[str, str]] = []
    if not gold and record.get("relevant") == [] and record.get("abstain") is False:
        record = {**record, "abstain": True}  # until somebody says more, it looks like a question without an answer
    for error in _errors(record):
        faults += [fault for fault in _in_words(error, record) if fault not in faults]
    if isinstance(record.get("as_of"), str):
        try:
            read_date(record["as_of"])
        except BadDate as error:
            faults.append((f"as_of: {error.what}", error.todo))
    faults += _spans(record)
    half = _half_character(record)
    if half:
        faults.append((f"{half}: holds half a character (a lone surrogate)", "write the character itself, or both its \\u halves"))
    return faults


def _spans(record: dict[str, Any]) -> list[tuple[str, str]]:
    """What the schema cannot say of spans: both ends or none, in order, and as long as the quote."""
    faults: list[tuple[str, str]] = []
    entries = record.get("relevant")
    for number, entry in enumerate(entries if isinstance(entries, list) else [], start=1):
        if not isinstance(entry, dict) or not {"start", "end"} & set(entry):
            continue
        start, end = (entry.get(name) for name in ("start", "end"))
        place = f"relevant entry {number}"
        if start is None and "start" not in entry:  # the schema says the same of an end that is missing
            faults.append((f"{place}: the field 'start' is missing", "a span has start and end; add it, or leave both out"))
        elif not all(isinstance(each, int | float) and not isinstance(each, bool) and each == each // 1 for each in (start, end)):
            continue  # the schema's
        elif not 0 <= start < end:
            todo = "start counts from 0, and end is one past the last character"
            faults.append((f"{place}: characters {quoted(start)} to {quoted(end)} are no span", todo))
        elif isinstance(entry.get("quote"), str) and len(entry["quote"]) != end - start:
            what = f"{place}: the span holds {quoted(end - start)} characters, and the quote {len(entry['quote'])}"
            faults.append((what, "the quote is the document's text from start to end, as labkit reads it"))
    return faults


def _order(error: jsonschema.ValidationError) -> list[str]:
    return [f"{part:06}" if isinstance(part, int) else part for part in error.absolute_path]


def _in_words(error: jsonschema.ValidationError, record: dict[str, Any]) -> list[tuple[str, str]]:
    path = list(error.absolute_path)
    place = _place(path)
    subject = f"{place}: " if place else ""
    found = error.instance
    match error.validator:
        case "required":
            # jsonschema reports each missing field apart; one fault names them all.
            missing = [name for name in error.validator_value if name not in found]
            named = ", ".join(repr(name) for name in missing)
            return [(f"{subject}the {'field' if len(missing) == 1 else 'fields'} {named} {'is' if len(missing) == 1 else 'are'} missing",
                     "add it" if len(missing) == 1 else "add them; an empty list is [], an empty text is \"\"")]
        case "additionalProperties":
            known = list(error.schema["properties"])
            return [
                (f"{subject}unknown field {quoted(name)}", did_you_mean(name, known) or f"the fields are {', '.join(known)}")
                for name in found
                if name not in known
            ]
        case "type":
            return [(f"{subject}{_found(found)} stands where {_TYPE_NAMES[error.validator_value]} belongs", _right_type(error))]
        case "enum":
            return [(f"{place}: unknown access label {quoted(found)}", "write public or staff; the label of the inventory")]
        case "uniqueItems":
            texts = [json.dumps(item, sort_keys=True) for item in found]
            later = next(index for index, text in enumerate(texts) if text in texts[:index])
            return [(f"{place}: entry {later + 1} repeats entry {texts.index(texts[later]) + 1}", "delete one of the two")]
        case "maxItems":
            return [("abstain is true, and relevant names passages", "set abstain to false, or empty relevant")]
        case "minItems":
            return [("abstain is false, and relevant names no passage", "name the passage that answers, or set abstain to true")]
        case "pattern" if isinstance(found, str):
            if not found.strip():
                return [(f"{place} is empty", "fill it in")]
            if path == ["language"]:
                return [(f"language: {quoted(found)} is not a language tag", "write en, fr, fr-CA and so on, or unknown")]
            return [(f"{place}: {quoted(found)} holds a space", "write it without spaces, such as Q01")]
    return [(f"{subject}{quoted(error.message, 200)}", "compare it with the schema of a question")]


def _place(path: list[str | int]) -> str:
    """Where in the object, in words: 'relevant entry 2, quote'; entries are counted from 1."""
    words: list[str] = []
    for part in path:
        if isinstance(part, int):
            words[-1] += f" entry {part + 1}"
        else:
            words.append(printable(part))
    return ", ".join(words)


def _found(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return f"{str(value).lower()} (without quotation marks)"
        case int() | float():
            return f"the number {quoted(value)}"
        case str():
            return f"the text {quoted(value)}"
        case list():
            return "a list"
    return "an object"


def _right_type(error: jsonschema.ValidationError) -> str:
    found, wanted = error.instance, error.validator_value
    if wanted == "string" and isinstance(found, int | float) and not isinstance(found, bool):
        return f'write "{quoted(found)}" with quotation marks'
    if wanted == "boolean" and isinstance(found, str) and found.strip().lower() in ("true", "false"):
        return f"write {found.strip().lower()} without quotation marks"
    if wanted == "array" and isinstance(found, str):
        if not found.strip() or len(found) > 60:
            return "put it in square brackets; an empty list is []"
        return f"write [{json.dumps(found, ensure_ascii=not found.isprintable())}]"
    return "an empty list is []" if wanted == "array" and found is None else ""


def _half_character(value: Any, path: tuple[str | int, ...] = ()) -> str:
    """The place of the first text that holds a lone surrogate, in words; '' where there is none."""
    if isinstance(value, str):
        return _place(list(path)) if any("\ud800" <= character <= "\udfff" for character in value) else ""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return next((found for key, item in items if (found := _half_character(item, (*path, key)))), "")


def _question(record: dict[str, Any], file: str, line: int) -> Question:
    return Question(
        **{
            **record,
            "as_of": read_date(record["as_of"]),
            "relevant": tuple(_relevant(entry) for entry in record["relevant"]),
            "wrong_version": tuple(Edition(**entry) for entry in record["wrong_version"]),
            **{name: tuple(record[name]) for name in ("keys", "must_not", "tags")},
            "file": file,
            "line": line,
        }
    )


def _relevant(entry: dict[str, Any]) -> Relevant:
    if "start" not in entry:
        return Relevant(**entry)
    return RelevantSpan(**{**entry, "start": int(entry["start"]), "end": int(entry["end"])})  # JSON may write a whole number as 30.0
