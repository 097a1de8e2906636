"""Raised digits as characters of their own: a footnote's mark is no part of the word or the number before it (lesson 06)."""

from __future__ import annotations

import re

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_DIGITS = re.compile(r"[0-9]+(?:[,;*–-][0-9]*)*")


def superscript(text: str) -> str:
    """The text in superscript digits, if it is of digits (and what stands between two of them): `trader.¹`, not `trader.1`, and 10³ is not
    103. Other raised text (`1st`, `x*`) as it is."""
    return text.translate(_RAISED) if _DIGITS.fullmatch(text) else text
