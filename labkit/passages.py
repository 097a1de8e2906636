"""A passage: a piece of a document that can be found, read and cited, and that knows where it comes from (lesson 02).

Section (lesson 02), Chunk (lesson 07) and Child (lesson 11) are passages. All share these fields, so that one index, one measure and one
citation serve them all.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import islice
from typing import Self

from labkit.errors import BadArgument

_WORD = re.compile(r"\S+")  # the words of str.split, with their places


@dataclass(frozen=True)
class Passage:
    """A span of one document.

    `text == source[start:end]`, positions in code points of the document's text, half-open; made with `cut`, which holds that.
    `context` is what a reader needs and the text does not hold (the document's title); '' where there is none.
    `sections` names each level-2 section that the passage holds text of, in order, by heading; a heading that the document repeats
    is told apart as 'Notes', 'Notes-2'.
    `access` is 'public' or 'staff', `language` 'en' or 'fr' (or what an inventory says).
    """

    id: str
    doc_id: str
    version: str
    access: str
    language: str
    sections: tuple[str, ...]
    start: int
    end: int
    text: str = field(repr=False)
    context: str = field(repr=False)

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end or self.end - self.start != len(self.text):
            raise BadArgument(f"passage {self.id}: characters {self.start} to {self.end} do not fit a text of {len(self.text)} characters")

    @property
    def passage(self) -> str:
        """Context and text together: what is indexed, read, and counted."""
        return f"{self.context}\n\n{self.text}" if self.context else self.text

    @cached_property
    def words(self) -> int:
        """Words of `passage`, as `str.split()` yields them."""
        return len(self.passage.split())

    def shortened(self, words: int) -> Self | None:
        """The beginning of the passage: at most `words` words, context counted and kept (lesson 09).

        It is a passage with the same id, `text` still `source[start:end]`, `sections` only those of which it still holds text. The passage
        itself where it is short enough; None where the context leaves no room for a word of the text.
        """
        if self.words <= words:
            return self
        room = words - len(self.context.split())
        last = next(islice(_WORD.finditer(self.text), max(room, 1) - 1, None), None)
        if room < 1 or last is None:
            return None
        end = self.start + last.end()
        return replace(self, end=end, text=self.text[: last.end()], **self._left_before(end))

    def _left_before(self, end: int) -> dict:
        """The fields that change where the passage ends at `end`. A passage does not know where its sections begin; the first is first."""
        return {"sections": self.sections[:1]}

    @classmethod
    def cut(cls, source: str, start: int, end: int, **fields):
        """The passage `source[start:end]`. Raises BadArgument where the span is not inside the source."""
        if not 0 <= start <= end <= len(source):
            raise BadArgument(f"characters {start} to {end} are not inside a text of {len(source)} characters")
        return cls(start=start, end=end, text=source[start:end], **fields)


@lru_cache(maxsize=65_536)  # a long document's few hundred names are compared with those of each question
def slug(heading: str) -> str:
    """The heading as it stands in an id: lower case, letters and digits kept (accents too), everything else one hyphen.

    'Return window' gives 'return-window'; a slug gives itself; a heading without letters or digits gives 'untitled'.
    """
    plain = unicodedata.normalize("NFC", heading).lower()
    return "-".join(re.findall(r"[^\W_]+", plain)) or "untitled"


def unique_names(titles: list[str]) -> list[str]:
    """The names of a document's sections: each heading, told apart by -2, -3 … where an earlier one has the same slug."""
    taken: set[str] = set()
    reached: dict[str, int] = {}  # slug of a heading: the last number given to it, so that a thousand equal ones are numbered once each
    names = []
    for title in titles:
        base = title if slug(title) != slug("") else slug("")  # a heading without letters or digits still needs a name
        name, count = base, reached.get(slug(base), 1)
        while slug(name) in taken:
            count += 1
            name = f"{base}-{count}"
        reached[slug(base)] = count
        taken.add(slug(name))
        names.append(name)
    return names
