"""Budgets in tokens: an estimate by rule, and passages that are counted by it (lesson 15).

What a language model reads is charged in tokens, and each model cuts its own. None of their tokenizers is part of this project: they come
by network, and one model's count is not another's. So a token here is what a rule says, the same on every machine:

- a run of letters counts one token for every six bytes of UTF-8 begun ('kettle' 1, 'guarantee' 2, 'déjà' 1; two or three characters of
  Cyrillic or Chinese make one);
- a run of digits counts one for every three begun ('2200' 2);
- every other visible character counts one; blanks count nothing.

On plain English prose that is about 1.3 tokens a word, which is what models' own tokenizers come to. It compares chunkers fairly, since
all of them are counted alike; it is no bill.
"""

from __future__ import annotations

import re
from functools import lru_cache

from labkit.chunking.chunk import Chunk

_PIECE = re.compile(r"([^\W\d_]+)|(\d+)|\S")
_WORD = re.compile(r"\S+")
_LETTERS, _DIGITS = 6, 3


def tokens(text: str) -> int:
    """How many tokens a text counts, by the rule above. Those of its words, as `str.split()` yields them, add up to it."""
    return sum(_piece(match) for match in _PIECE.finditer(text))


def _piece(match: re.Match) -> int:
    letters, digits = match[1], match[2]
    if letters:
        return -(-len(letters.encode("utf-8", "surrogatepass")) // _LETTERS)
    return -(-len(digits) // _DIGITS) if digits else 1


_counted = lru_cache(maxsize=65_536)(tokens)


class TokenChunk(Chunk):
    """A chunk that a budget counts in tokens: `words` is the tokens of its passage, and `shortened` cuts to so many of them."""

    @property
    def words(self) -> int:
        """Tokens of `passage`."""
        return _counted(self.passage)

    def shortened(self, words: int) -> TokenChunk | None:
        """The beginning of the passage: at most so many tokens, cut between words; the rules of `Passage.shortened`."""
        if self.words <= words:
            return self
        room, end = words - _counted(self.context), 0
        for word in _WORD.finditer(self.text):
            room -= tokens(word[0])
            if room < 0:
                break
            end = word.end()
        if not end:
            return None
        return self._ending(self.start + end)

    def _ending(self, end: int) -> TokenChunk:
        from dataclasses import replace

        return replace(self, end=end, text=self.text[: end - self.start], **self._left_before(end))
