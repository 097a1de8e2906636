"""What counts as a word: SQLite FTS5's own tokenizer, asked for its answer, and the few repairs that a text needs before it (lesson 04).

A question and a text must be cut by the same rule, or what looks alike does not meet. Python's `\\w+` is not FTS5's rule ('user_id', 'İ'),
so nothing here imitates the tokenizer: an empty FTS5 table takes the text in, and its vocabulary is read back.

Source: SQLite, "FTS5 Extension", section 4.3 (tokenizers) and section 7 (the fts5vocab table, kind 'instance').
"""

from __future__ import annotations

import re
import sqlite3
import threading
import unicodedata
from functools import cache

from labkit.errors import BadArgument, LabError
from labkit.textfiles import quoted

PLAIN = "unicode61 remove_diacritics 2"  # capitals and accents make no difference; punctuation separates
STEMMED = "porter " + PLAIN  # English endings make no difference either: refunds, refunded, refund


def words(text: str) -> list[str]:
    """The words of a text as the index sees them: lower case, without accents, in order, repeats kept. Lesson 04.

    'PW-2200' is two words. A text without words gives []. Raises BadArgument where `text` is not a string.

    >>> words("Which pump kit fits the PW-2200?")
    ['which', 'pump', 'kit', 'fits', 'the', 'pw', '2200']
    """
    if not isinstance(text, str):
        raise BadArgument(f"a text is needed, not {quoted(text)}")
    return terms(text, PLAIN)


def match_expression(text: str) -> str:
    """The text as an FTS5 query that finds whatever holds any of its words; '' where it has none. Lesson 04.

    Each word stands in quotation marks, so nothing that a person types is read as FTS5's syntax.

    >>> match_expression("title: NOT here")
    '"title" OR "not" OR "here"'
    """
    return any_of(words(text))


def any_of(these: list[str]) -> str:
    """The FTS5 query for any of these words (as `words` yields them, so without a quotation mark inside)."""
    return " OR ".join(f'"{word}"' for word in these)


def terms(text: str, tokenizer: str = PLAIN) -> list[str]:
    """What `tokenizer` makes of the text after `searchable`; for STEMMED the stems, which are not always words."""
    database, lock = _workbench(tokenizer)
    with lock:
        database.execute("BEGIN")
        try:
            database.execute("INSERT INTO bench VALUES (?)", (searchable(text),))
            return [term for (term,) in database.execute("SELECT term FROM seen ORDER BY offset")]
        finally:
            database.execute("ROLLBACK")


@cache
def _workbench(tokenizer: str) -> tuple[sqlite3.Connection, threading.Lock]:
    """An empty FTS5 table in memory that keeps no text, with its vocabulary beside it, and a lock, since all callers share it."""
    database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        database.execute(f"CREATE VIRTUAL TABLE bench USING fts5(text, content='', tokenize='{tokenizer}')")
        database.execute("CREATE VIRTUAL TABLE seen USING fts5vocab(bench, instance)")
    except sqlite3.OperationalError as error:
        raise LabError(
            f"the SQLite of this Python ({sqlite3.sqlite_version}) cannot search text: {error} — "
            f"use a Python whose SQLite has FTS5 (python.org's, conda's and uv's do); `labkit doctor` checks it"
        ) from error
    return database, threading.Lock()


def searchable(text: str) -> str:
    """The text as it goes to the tokenizer. Only the index and the question see it: what is stored, shown and cited stays as it was.

    - Invisible characters (soft hyphen, U+FEFF, zero-width space and joiners …) go: they would cut a word in two.
    - Ligatures and other forms of plain letters and digits ('ﬁ', 'œ', 'Ａ') become the letters that a person types. Characters that mean
      something by their form ('™', a footnote's '¹', '½') stay, or they would stick to the word beside them.
    - A footnote's mark at a word's end ('years¹') is parted from it; a unit of one letter ('m²') keeps its own.
    - Accents are composed (NFC), which is the form FTS5 knows; marks that no letter takes up are left out.
    - NUL and lone surrogates, which SQLite cannot take, become spaces.
    - A run of over 8,000 characters without a space is cut there: FTS5 keeps 32,768 bytes of a word, and would cut inside a character.
    """
    if not text.isascii():
        composed = unicodedata.normalize("NFC", text).translate(_REPAIRS)
        text = _LOOSE_MARKS.sub("", unicodedata.normalize("NFC", composed))
        text = _NOTE_MARK.sub(r" \g<0>", text)
    text = text.replace("\0", " ")
    return _LONG_RUN.sub(r"\g<0> ", text) if len(text) > _LONGEST else text


_LONGEST = 8_000
_LONG_RUN = re.compile(rf"\S{{{_LONGEST}}}")
_RAISED = "\u2070\u00b9\u00b2\u00b3\u2074-\u2079"
_NOTE_MARK = re.compile(f"(?<=[^\\W\\d_{_RAISED}]{{2}})[{_RAISED}]+")
_LOOSE_MARKS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
# Unicode's Default_Ignorable_Code_Point without category Cf, which unicodedata knows
_INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]")
_LETTER_PAIRS = {"ß": "ss", "ẞ": "SS", "œ": "oe", "Œ": "OE", "æ": "ae", "Æ": "AE", "ǽ": "aé", "Ǽ": "AÉ", "ǣ": "aē", "Ǣ": "AĒ"}
_SAME_LETTERS = ("<compat>", "<font>", "<wide>", "<narrow>", "<initial>", "<medial>", "<final>", "<isolated>")


class _Repairs(dict):
    """Code point -> what stands in its place, worked out when first met (a table of all of Unicode would slow every start)."""

    def __missing__(self, code: int) -> str:
        self[code] = repaired = _repair(chr(code))
        return repaired


def _repair(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cs":
        return " "
    if category == "Cf" or _INVISIBLE.match(character):
        return ""
    if character in _LETTER_PAIRS:
        return _LETTER_PAIRS[character]
    if category[0] in "LN" and unicodedata.decomposition(character).startswith(_SAME_LETTERS):
        letters = unicodedata.normalize("NFKC", character)
        if all(unicodedata.category(letter)[0] in "LN" for letter in letters):
            return letters
    return character


_REPAIRS = _Repairs()
