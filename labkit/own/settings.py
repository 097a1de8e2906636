"""labkit.toml: how a report is made of a folder. Every value has a default and a reason, and every slip is told at once (lesson 15).

The file is optional, and so is every line of it. `TABLE` holds what there is to set; `DEFAULT_TOML` is the same as a file to start from,
with everything commented out.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from difflib import get_close_matches
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from labkit.collection import LANGUAGE_TAG, read_bytes
from labkit.dates import read_date
from labkit.errors import BadArgument, DocumentError, Fault, FaultsError
from labkit.evaluation.budget import BUDGETS, POLICIES
from labkit.own.long_settings import LongSettings, read_long
from labkit.own.own_code import guarded, own_function
from labkit.own.setting_values import Row, model_in, nearest, one_of, whole, yes_or_no
from labkit.retrieval.cutting import CHUNKERS, Chunker, chunker_of
from labkit.retrieval.passage_search import READERS
from labkit.retrieval.tokenizer import words
from labkit.textfiles import counted, decode_leniently, is_utf16, quoted, shown
from labkit.toml_lines import line_of, lines_of

SETTINGS = "labkit.toml"
UNITS = ("words", "tokens")
SEARCHES = ("keyword", "meaning", "both")
MODELS = ("multilingual", "english")  # those that come in a package
ANY_DAY = "any"
_OF_QUESTION = "question"
_ALL = "all"


class SettingsError(FaultsError):
    """labkit.toml cannot be used as it stands."""


@dataclass(frozen=True)
class ChunkerSetting:
    """One way of cutting. `use` is labkit's name for it, or 'module:function'; `parameters` are (name, value) pairs, as given."""

    name: str
    use: str
    parameters: tuple[tuple[str, Any], ...] = ()
    chunker: Chunker | None = field(default=None, repr=False, compare=False)

    @property
    def own(self) -> bool:
        """Whether it is somebody's own code, which may change under its name."""
        return ":" in self.use


@dataclass(frozen=True)
class SearchSetting:
    """One way of searching. `use` is one of SEARCHES: by words (BM25; `stem` and `stop_words` as for KeywordIndex), by meaning (`model`
    names what labkit.embedding loads), or both, fused by rank."""

    name: str
    stem: bool = False
    stop_words: tuple[str, ...] = ()
    use: str = "keyword"
    model: str = ""

    @property
    def by_words(self) -> bool:
        """Whether it looks for words."""
        return self.use != "meaning"

    @property
    def by_meaning(self) -> bool:
        """Whether it needs a model."""
        return self.use != "keyword"

    def __str__(self) -> str:
        said = ["BM25 keyword search"] if self.by_words else []
        said += ["English endings taken off"] if self.stem and self.by_words else []
        said += [f"{counted(len(self.stop_words), 'stop word')} left out"] if self.stop_words else []
        said += [f"search by meaning ({self.model})"] if self.by_meaning else []
        return ", ".join(said) + (", fused by rank" if self.use == "both" else "")


@dataclass(frozen=True)
class Settings:
    """How a report is made; each field is explained in TABLE.

    `as_of`: None means each question's own day, a date that day for all of them, 'any' every version, in force or not. `language` None
    means all. `questions` are file names, from the folder. `long`: the table [long], for `labkit ask`. `given` names what labkit.toml sets.
    """

    questions: tuple[str, ...]
    k: int
    budgets: tuple[int, ...]
    unit: str
    last: str
    access: str
    language: str | None
    as_of: date | str | None
    stem: bool
    stop_words: tuple[str, ...]
    chunkers: tuple[ChunkerSetting, ...]
    searches: tuple[SearchSetting, ...]
    long: LongSettings
    given: frozenset[str] = field(default=frozenset(), compare=False)

    def as_dict(self) -> dict[str, dict]:
        """{name: {value, default, reason}} as JSON knows it, in the order of TABLE."""
        return {
            row.name: {"value": _plain(row.name, getattr(self, row.name)), "default": row.default, "reason": row.reason} for row in TABLE
        }


def load_settings(folder: Path | str) -> Settings:
    """What labkit.toml in this folder says, and the defaults for the rest; without the file, the defaults.

    Raises SettingsError with every fault of the file: unknown names, wrong types, chunkers that there are not, own functions that cannot be
    imported.
    """
    folder = Path(folder)
    path = folder / SETTINGS
    data, lines, faults = _data(path) if path.is_symlink() or path.exists() else ({}, {}, [])
    reader = _Reader(folder, shown(path), data, lines, faults)
    settings = reader.settings()
    if reader.faults:
        raise SettingsError(reader.faults)
    return settings


# --- what there is to set ---------------------------------------------------------------------------------------------------------------


def _budgets(value: Any) -> tuple[int, ...]:
    given = value if isinstance(value, list) else [value]
    read = whole(1_000_000)
    limits = tuple(read(each) for each in given)
    if not limits or len(set(limits)) < len(limits):
        raise BadArgument(f"{quoted(value)} — name at least one budget, and each once")
    return tuple(sorted(limits))


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each.strip() for each in value):
        raise BadArgument(f'{quoted(value)} — a list of texts, as in ["the", "of"]')
    return tuple(value)


def _stop_words(value: Any) -> tuple[str, ...]:
    return tuple(sorted({word for each in _texts(value) for word in words(each)}))


def _files(value: Any) -> tuple[str, ...]:
    given = _texts([value] if isinstance(value, str) else value)
    if not given:
        raise BadArgument("[] — name at least one file with questions")
    for name in given:
        parts = PurePosixPath(name)
        if parts.is_absolute() or ".." in parts.parts or "\\" in name or ":" in name:
            raise BadArgument(f"{name!r} leaves the folder — write its name from the folder of {SETTINGS}, as in questions.md")
        if parts.suffix.lower() not in (".md", ".jsonl"):
            raise BadArgument(f"{name!r} is neither Markdown nor JSON Lines — questions are read from .md and .jsonl files")
    if len(set(given)) < len(given):
        raise BadArgument(f"{quoted(value)} — name each file once")
    return given


def _language(value: Any) -> str | None:
    if not isinstance(value, str) or (value != _ALL and not LANGUAGE_TAG.fullmatch(value)):
        raise BadArgument(f"{quoted(value)} — write a language tag, as in \"en\", \"fr\", \"fr-CA\", or \"{_ALL}\"")
    return None if value == _ALL else value


def _day(value: Any) -> date | str | None:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    if value == _OF_QUESTION:
        return None
    if value == ANY_DAY:
        return ANY_DAY
    if isinstance(value, str):
        try:
            return read_date(value)
        except BadArgument as error:
            raise BadArgument(f"{error}, or \"{_OF_QUESTION}\", or \"{ANY_DAY}\"") from None
    raise BadArgument(f"{quoted(value)} — write a day, as in 2026-12-01, or \"{_OF_QUESTION}\", or \"{ANY_DAY}\"")


_CHUNKERS = [
    {"name": "structure", "use": "by_structure", "max_words": 200},
    {"name": "fixed", "use": "fixed", "size": 100},
    {"name": "overlapping", "use": "overlapping", "size": 100, "overlap": 25},
]
_SEARCHES = [{"name": "keyword", "use": "keyword"}]

TABLE: tuple[Row, ...] = (
    Row("questions", ["questions.md", "questions.jsonl"],
        "where the questions are; of these names, those that are there are read, in this order", _files),
    Row("k", 5, "how many results count for hit@k and recall@k, beside the budgets; about what a person looks at", whole(1_000)),
    Row("budgets", list(BUDGETS), "every method hands over equally much: a sentence or two, a screen, a page", _budgets),
    Row("unit", "words",
        "what budgets count: words as split at blanks, the same everywhere; 'tokens' is an estimate by rule", one_of(*UNITS)),
    Row("last", "whole", "a result that does not fit any more is left ('whole') or cut to fill the budget ('cut')", one_of(*POLICIES)),
    Row("access", "staff",
        "who searches: 'staff' sees every document, so that the search is judged and not the door; 'public' sees public ones",
        one_of(*READERS)),
    Row("language", _ALL, "all documents and questions, or those in one language only, as 'fr' ('fr-CA' is one of it)", _language),
    Row("as_of", _OF_QUESTION, "which versions are searched: those in force on the day of each question, on one day, or 'any'", _day),
    Row("stem", False, "true takes English endings off, so that refund finds refunds; off, since it serves English alone", yes_or_no),
    Row("stop_words", [],
        "words to leave out of every question; none, since BM25 gives common words next to no weight by itself", _stop_words),
    Row("chunkers", _CHUNKERS, "the ways of cutting to compare; the others are compared with the first one", lambda value: value),
    Row("searches", _SEARCHES, "the ways of searching to compare, each with each chunker; what one does not say, it takes from above",
        lambda value: value),
)  # fmt: skip
"""Every setting with its default and the reason for it. `labkit new` prints it into labkit.toml, a report shows it beside the values."""

_TABLES = ("chunkers", "searches")


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _default_toml() -> str:
    said = [
        "# How `labkit report` works on this folder. Every value below holds already; to change one, take the # off",
        "# its line and write another value.",
    ]
    for row in TABLE:
        said += ["", f"# {row.name}: {row.reason}."]
        if row.name == "searches":
            said += [
                '# use = "meaning" searches by a model, "both" fuses that with the words; model = "multilingual", "english", or a',
                "# folder here with a sentence-transformers model. Embedding takes long, once for each text.",
            ]
        if row.name == "chunkers":
            said += [f"# labkit's own are {', '.join(CHUNKERS)}; one of yours is use = \"my_chunkers:whole_blocks\" of my_chunkers.py."]
        if row.name in _TABLES:
            for place, entry in enumerate(row.default):
                said += ([""] if place else []) + [f"#[[{row.name}]]", *(f"#{key} = {_toml(value)}" for key, value in entry.items())]
        else:
            said += [f"#{row.name} = {_toml(row.default)}"]
    return "\n".join(said) + "\n"


DEFAULT_TOML: str = _default_toml()
"""A labkit.toml to start from: every setting with its reason, commented out."""


# --- reading the file -------------------------------------------------------------------------------------------------------------------


def _data(path: Path) -> tuple[dict, dict, list[Fault]]:
    name = shown(path)
    try:
        data = read_bytes(path, SETTINGS)
    except DocumentError as error:
        what, _, todo = str(error).removeprefix(f"{SETTINGS}: ").partition(" — ")
        return {}, {}, [Fault(name, None, what, todo)]
    if is_utf16(data):
        return {}, {}, [Fault(name, 1, "is UTF-16, not UTF-8", "save it as UTF-8")]
    text, bad = decode_leniently(data)
    if bad:
        return {}, {}, [Fault(name, each.line, f"not UTF-8: byte {each.byte} of this line is 0x{each.value:02X}", "save it as UTF-8")
                        for each in bad]  # fmt: skip
    try:
        return tomllib.loads(text), lines_of(text), []
    except tomllib.TOMLDecodeError as error:
        what, line = str(error), text.rstrip().count("\n") + 1
        place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)", what)
        if place:
            what = what.replace(place[0], " at the end of the file" if place[1] is None else "")
            line = int(place[1]) if place[1] else line
        return {}, {}, [Fault(name, line, f"is not TOML: {what[:1].lower()}{what[1:]}", 'a line is name = value; a text stands in "…"')]


class _Reader:
    """Reads what the file holds, and collects what is wrong with it."""

    def __init__(self, folder: Path, name: str, data: dict, lines: dict, faults: list[Fault]):
        self.folder, self.name, self.data, self.lines, self.faults = folder, name, data, lines, faults

    def settings(self) -> Settings:
        known = [row.name for row in TABLE]
        for key in self.data:
            if key not in (*known, "long"):
                self._add((key,), f"unknown setting {quoted(key)}", nearest(key, known, "the settings are"))
        values: dict[str, Any] = {}
        for row in TABLE:
            given = self.data.get(row.name, row.default)
            try:
                values[row.name] = row.read(given)
            except BadArgument as error:
                what, _, todo = str(error).partition(" — ")
                self._add((row.name,), f"{row.name}: {what}", todo)
                values[row.name] = row.read(row.default)
        values["chunkers"] = self._entries("chunkers", values, self._chunker)
        values["searches"] = self._entries("searches", values, self._search)
        values["long"] = read_long(self.data.get("long", {}), self.folder, self._add)
        return Settings(**values, given=frozenset(name for name in known if name in self.data))

    def _add(self, path: tuple, what: str, todo: str = "") -> None:
        self.faults.append(Fault(self.name, line_of(self.lines, path), what, todo))

    def _entries(self, name: str, values: dict, read: Callable) -> tuple:
        entries = values[name]
        if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
            self._add((name,), f"{name}: {quoted(entries)}", f"begin each one with a line [[{name}]], its values below it")
            return ()
        if not entries:
            self._add((name,), f"{name}: there is none", f"begin one with a line [[{name}]], or leave {name} out for labkit's")
            return ()
        found = [(place, read(place, entry, values)) for place, entry in enumerate(entries)]
        read_well = [(place, each) for place, each in found if each is not None]
        used: set[str] = set()
        for place, each in read_well:
            if each.name not in used:
                used.add(each.name)
            else:
                self._add((name, place, "name"), f"two {name} have the name {each.name!r}", "give each a name of its own")
        return tuple(each for _, each in read_well)

    def _name(self, path: tuple, entry: Mapping, otherwise: str) -> str:
        name = entry.get("name", otherwise)
        if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > 60:
            self._add((*path, "name"), f"name: {quoted(name)}", "write a short text, as it is to stand in the report")
            return otherwise
        return name.strip()

    def _chunker(self, place: int, entry: dict, _: dict) -> ChunkerSetting | None:
        path = ("chunkers", place)
        if "use" not in entry:
            near = get_close_matches("use", list(entry), n=1)
            todo = f"did you mean use instead of {near[0]}?" if near else f"add a line use = with one of {', '.join(CHUNKERS)}"
            self._add(path, "this chunker does not say what to use", todo)
            return None
        use = entry["use"]
        parameters = {key: value for key, value in entry.items() if key not in ("name", "use")}
        if not isinstance(use, str):
            self._add((*path, "use"), f"use: {quoted(use)}", f'write a text, as in use = "{next(iter(CHUNKERS))}"')
            return None
        bad = [key for key, value in parameters.items() if not isinstance(value, str | int | float | bool)]
        for key in bad:
            self._add((*path, key), f"{key}: {quoted(parameters[key])}", "a parameter is a number, a text, true or false")
        if bad:
            return None
        return self._own_chunker(path, entry, use, parameters) if ":" in use else self._ours(path, entry, use, parameters)

    def _ours(self, path: tuple, entry: dict, use: str, parameters: dict) -> ChunkerSetting | None:
        if use not in CHUNKERS:
            self._add((*path, "use"), f"there is no chunker {quoted(use)}",
                      nearest(use, list(CHUNKERS), "labkit's own are") + " (one of yours is module:function)")  # fmt: skip
            return None
        takes = CHUNKERS[use][1]
        unknown = [key for key in parameters if key not in takes]
        for key in unknown:
            self._add((*path, key), f"{use} has no parameter {quoted(key)}", _misplaced(key) or nearest(key, ["name", *takes], "it takes"))
        if unknown:
            return None
        try:
            made = chunker_of(use, **parameters)
        except BadArgument as error:
            what, _, todo = str(error).partition(" — ")
            self._add(next(((*path, key) for key in parameters), path), what, todo)
            return None
        return ChunkerSetting(self._name(path, entry, str(made)), use, tuple(parameters.items()), made)

    def _own_chunker(self, path: tuple, entry: dict, use: str, parameters: dict) -> ChunkerSetting | None:
        try:
            function = own_function(use, self.folder)
        except BadArgument as error:
            what, _, todo = str(error).partition(" — ")
            self._add((*path, "use"), what, todo)
            return None
        made = chunker_of(function, **parameters)
        made = Chunker(f"{use}{made.name[made.name.find('('):] if parameters else ''}", guarded(made.function))
        return ChunkerSetting(self._name(path, entry, use), use, tuple(parameters.items()), made)

    def _search(self, place: int, entry: dict, values: dict) -> SearchSetting | None:
        path, known = ("searches", place), ("name", "use", "stem", "stop_words", "model")
        for key in entry:
            if key not in known:
                self._add((*path, key), f"a search has no {quoted(key)}", _misplaced(key) or nearest(key, list(known), "it has"))
        found: dict[str, Any] = {}
        readers = {"use": one_of(*SEARCHES), "stem": yes_or_no, "stop_words": _stop_words}
        readers["model"] = partial(model_in, folder=self.folder, known=MODELS)
        otherwise = values | {"use": "keyword", "model": "multilingual"}
        for key, read in readers.items():
            try:
                found[key] = read(entry[key]) if key in entry else otherwise[key]
            except BadArgument as error:
                what, _, todo = str(error).partition(" — ")
                self._add((*path, key), f"{key}: {what}", todo)
                found[key] = otherwise[key]
        for key in {"meaning": ("stem", "stop_words"), "keyword": ("model",)}.get(found["use"], ()):
            if key in entry:
                self._add((*path, key), f"{key} has no effect on a search with use = {found['use']!r}", "leave it out, or use \"both\"")
            found[key] = {"stem": False, "stop_words": (), "model": ""}[key]
        usual = {"keyword": "stemmed" if found["stem"] else "keyword"}.get(found["use"], found["use"])
        usual += " without stop words" if found["stop_words"] else ""
        return SearchSetting(self._name(path, entry, usual), **found)


def _misplaced(key: str) -> str:
    """What to do about a setting that stands below a [[table]], and so belongs to it."""
    return f"{key} is a setting of the whole file: put it above the first line with [[" if key in {row.name for row in TABLE} else ""


def _plain(name: str, value: Any) -> Any:
    """A setting as JSON and TOML know it."""
    if name == "chunkers":
        return [{"name": each.name, "use": each.use, **dict(each.parameters)} for each in value]
    if name == "searches":
        return [_plain_search(each) for each in value]
    if name == "language":
        return _ALL if value is None else value
    if name == "as_of":
        return _OF_QUESTION if value is None else str(value)
    return list(value) if isinstance(value, tuple) else value


def _plain_search(search: SearchSetting) -> dict:
    words_ = {"stem": search.stem, "stop_words": list(search.stop_words)} if search.by_words else {}
    return {"name": search.name, "use": search.use} | words_ | ({"model": search.model} if search.by_meaning else {})
