"""Where sentences begin: good enough to cut at, in English and French, without a model (lesson 07).

A sentence ends with . ! ? or …, closing quotes and brackets after it, if what follows does not begin with a small letter. Not after
initials and letters with dots (J. Smith, e.g.), not after the few abbreviations below, and no sentence is without a letter ('1.').
When in doubt there is no end: two sentences together do less harm than a half.
"""

from __future__ import annotations

import re

_END = re.compile(r"""[.!?…](?:\s?[»”’"')\]*_])*\s+(?=\S)""")
_VISIBLE = re.compile(r"\S")
_LETTER = re.compile(r"[^\W\d_]")
_OPENING = "«“‘\"'([*_`>- \xa0\u202f"
_LETTERS_WITH_DOTS = re.compile(r"(?<![^\W_])(?:[^\W\d_]\.)+$")
_LAST_WORD = re.compile(r"([^\W\d_]+)\.$")
_BEFORE_A_NAME = frozenset(("mr", "mrs", "ms", "dr", "prof", "st", "ste", "mme", "mlle", "vs", "cf"))
_BEFORE_A_NUMBER = frozenset(
    ("no", "nos", "nr", "art", "arts", "fig", "figs", "p", "pp", "vol", "ch", "sec", "par", "app", "env", "approx")
)


def sentence_starts(text: str, start: int = 0, end: int | None = None) -> list[int]:
    """Where each sentence of text[start:end] begins, in code points of `text`; the first is the first character that is not blank."""
    end = len(text) if end is None else end
    first = _VISIBLE.search(text, start, end)
    if first is None:
        return []
    starts = [first.start()]
    letter = _LETTER.search(text, starts[0], end)
    for match in _END.finditer(text, starts[0], end):
        if letter is None:
            break
        if letter.start() < match.start() and _is_end(text, starts[-1], match.start(), match.end(), end):
            letter = _LETTER.search(text, match.end(), end)
            if letter is not None:  # else a mark alone is left, and stays with the last sentence
                starts.append(match.end())
    return starts


def _is_end(text: str, begun: int, stop: int, after: int, end: int) -> bool:
    """Whether the mark at `stop` ends the sentence that began at `begun`; the next word begins at `after`."""
    following = text[after : min(after + 20, end)].lstrip(_OPENING)[:1]
    if following.islower():
        return False
    if text[stop] != ".":
        return True
    before = text[max(begun, stop - 20) : stop + 1]
    if _LETTERS_WITH_DOTS.search(before):
        return False
    word = _LAST_WORD.search(before)
    last = word[1].lower() if word else ""
    return not (last in _BEFORE_A_NAME or (last in _BEFORE_A_NUMBER and following.isdigit()))
