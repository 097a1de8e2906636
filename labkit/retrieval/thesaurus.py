"""A thesaurus of a collection: what people say, and what its documents call it (lesson 14).

A small file that somebody wrote by hand. It knows what no model knows of this collection; and where one word may mean two things, it brings
the words of both, so it can hurt as well as help.

    language = "en"

    [everyday]
    "money back" = ["refund"]
    shop = ["trader"]
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from numbers import Real
from pathlib import Path

from labkit.errors import BadArgument, Fault, FaultsError
from labkit.retrieval.query_expansion import Expansion, expansion_of
from labkit.retrieval.tokenizer import PLAIN, STEMMED, terms, words
from labkit.textfiles import bad_bytes, decode_leniently, did_you_mean, quoted, shown, without_bom
from labkit.toml_lines import line_of, lines_of

WEIGHT = 0.5
_KEYS = ("language", "everyday")
_AT_LINE = re.compile(r"(?:at|line) (?:line )?(\d+)")


class ThesaurusError(FaultsError):
    """A thesaurus cannot be used as it stands; every fault, each with its line (lesson 14)."""


@dataclass(frozen=True)
class Entry:
    """`everyday`: what people say; `terms`: what the documents say, in the order of the file."""

    everyday: str
    terms: tuple[str, ...]


class Thesaurus:
    """Entries, and questions expanded by them. Lesson 14.

    language: 'en' compares English words by their stems ('shops' is 'shop'); any other language compares words as they stand (capitals and
    accents make no difference). weight: what an added word weighs beside 1 for each word of the question, above 0.
    """

    def __init__(self, entries: list[Entry], language: str = "en", weight: float = WEIGHT):
        if isinstance(weight, bool) or not isinstance(weight, Real) or not 0 < weight < 100:
            raise BadArgument(f"weight is {weight!r}: what an added word weighs, above 0 and below 100 (a word of the question weighs 1)")
        self.entries, self.language, self.weight = list(entries), language, float(weight)
        self._tokenizer = _tokenizer_of(language)
        self._by_first: dict[str, list[tuple[tuple[str, ...], Entry]]] = {}
        for entry in self.entries:
            stems = tuple(terms(entry.everyday, self._tokenizer))
            if stems:
                self._by_first.setdefault(stems[0], []).append((stems, entry))

    def found(self, question: str) -> list[Entry]:
        """The entries whose everyday words stand in the question, one after another as in the entry; in the order of their places."""
        asked = terms(_text(question), self._tokenizer)
        found = [
            (place, -len(stems), entry.everyday, entry)
            for place, stem in enumerate(asked)
            for stems, entry in self._by_first.get(stem, ())
            if tuple(asked[place : place + len(stems)]) == stems
        ]
        return list(dict.fromkeys(entry for *_, entry in sorted(found, key=lambda each: each[:3])))

    def expand(self, question: str) -> Expansion:
        """The question with the terms of each entry found, unless it has them already. Each word of the question weighs 1 as often as it
        stands; each added word weighs `weight`, once, whoever brings it."""
        asked = words(_text(question))
        weights: dict[str, float] = {word: float(times) for word, times in Counter(asked).items()}
        there = set(terms(question, self._tokenizer))
        for entry in self.found(question):
            for word in (word for term in entry.terms for word in words(term)):
                if not there.intersection(terms(word, self._tokenizer)):
                    weights.setdefault(word, self.weight)
        return expansion_of(question, weights)

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        return f"<thesaurus of {len(self)} entries, {self.language}>"


def load_thesaurus(path: str | Path, weight: float = WEIGHT) -> Thesaurus:
    """The thesaurus in a TOML file: `language` (a text, 'en' where it is not named) and the table `[everyday]`, in which each key is what
    people say and each value a list of terms. Lesson 14. Raises ThesaurusError with every fault and its line."""
    file = Path(path)
    name = shown(file)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ThesaurusError([Fault(name, None, f"cannot be read: {error.strerror}", "name a thesaurus file (TOML)")]) from error
    data = without_bom(data)
    wrong = bad_bytes(data)
    if wrong:
        raise ThesaurusError([Fault(name, wrong[0].line, "is no text in UTF-8", "save it as UTF-8")])
    text = decode_leniently(data)[0]
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = _AT_LINE.search(str(error))
        line = int(at[1]) if at else None
        raise ThesaurusError([Fault(name, line, f"is not TOML: {error}", 'write a line an entry: "money back" = ["refund"]')]) from error
    language = table.get("language", "en")
    entries, faults = _entries(table, language if isinstance(language, str) else "", text, name)
    if faults:
        raise ThesaurusError(faults)
    return Thesaurus(entries, language, weight)


def _entries(table: dict, language: str, text: str, name: str) -> tuple[list[Entry], list[Fault]]:
    faults = []
    lines = lines_of(text)

    def fault(path: tuple[str, ...], what: str, todo: str) -> None:
        faults.append(Fault(name, line_of(lines, path), what, todo))

    for key in table.keys() - set(_KEYS):
        fault((key,), f"has {quoted(key)}, which means nothing here", did_you_mean(key, _KEYS) or "entries stand under [everyday]")
    if "language" in table and not (isinstance(table["language"], str) and table["language"].strip()):
        fault(("language",), "language is no text", 'write language = "en"')
    everyday = table.get("everyday")
    if not isinstance(everyday, dict) or not everyday:
        fault(("everyday",), "has no entries", 'write [everyday] and under it a line an entry: "money back" = ["refund"]')
        return [], faults
    tokenizer = _tokenizer_of(language)
    entries: list[Entry] = []
    seen: dict[tuple[str, ...], str] = {}
    for key, value in everyday.items():
        stems = tuple(terms(key, tokenizer))
        if not stems:
            fault(("everyday", key), f"{quoted(key)} holds no word", "write what people say")
            continue
        if stems in seen:
            fault(("everyday", key), f"{quoted(key)} says the same as {quoted(seen[stems])}", "put their terms into one entry")
            continue
        seen[stems] = key
        if not isinstance(value, list) or not value or not all(isinstance(term, str) and words(term) for term in value):
            fault(("everyday", key), f"the terms of {quoted(key)} are not a list of words", f'write {key!r} = ["…", "…"]')
            continue
        entries.append(Entry(key, tuple(value)))
    return entries, faults


def _tokenizer_of(language: str) -> str:
    return STEMMED if language.lower().split("-")[0] == "en" else PLAIN


def _text(question: str) -> str:
    if not isinstance(question, str):
        raise BadArgument(f"a question must be a text, not {question!r}")
    return question
