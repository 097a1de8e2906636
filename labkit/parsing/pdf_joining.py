"""Two lines become one text: what stands between them (lesson 06).

A hyphen at the end of a line is part of the word (`long-term`, `PW-2200`) or was put there by the setting (`warran-ty`). Only the document
itself can tell: the hyphen goes where the joined word stands elsewhere in it, and stays in every other case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

_SOFT = "\u00ad"
_TOKEN = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_CUT = re.compile(r"([^\W\d_]+)[-\u2010]$")
_HEAD = re.compile(r"[^\W\d_]+")
_LINKS = {"and", "or", "to", "et", "ou", "und", "oder", "bis", "y", "o", "e"}  # `in- and outdoor`: nothing was cut
_NO_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")


def words_known(lines: Iterable[str]) -> set[str]:
    """The words of a document, in lower case, but for pieces that a line's end cut off."""
    known: set[str] = set()
    for line in lines:
        known.update(token.lower() for token in _TOKEN.findall(line.replace(_SOFT, "")))
        if cut := _CUT.search(line):
            known.discard(cut[1].lower() + "-")
    return known


def glue(left: str, right: str, known: Set[str] = frozenset()) -> tuple[str, str]:
    """The end of `left` as it should be, and what stands between it and `right`: a space or nothing."""
    if not left or not right:
        return left, ""
    if left[-1] == _SOFT:
        return left[:-1], ""
    if left[-1] in "-\u2010" and len(left) > 1 and not left[-2].isspace():
        cut, head = _CUT.search(left), _HEAD.match(right)
        if not left[-2].isalnum():
            return left, " "
        if head and head[0] in _LINKS:
            return left, " "
        if cut and head and right[0].islower():
            whole, hyphened = cut[1] + head[0], f"{cut[1]}-{head[0]}"
            if whole.lower() in known and hyphened.lower() not in known:
                return left[:-1], ""
        return left, ""
    if left[-1] == "\u2014" and len(left) > 1 and not left[-2].isspace():
        return left, ""
    if _NO_SPACES.match(left[-1]) and _NO_SPACES.match(right):
        return left, ""
    return left, " "


def joined(lines: Iterable[str], known: Set[str] = frozenset()) -> str:
    """Lines as one text."""
    text = ""
    for line in lines:
        text, between = glue(text, line, known)
        text += between + line
    return text.replace(_SOFT, "")
