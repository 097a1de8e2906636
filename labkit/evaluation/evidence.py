"""Does one delivered passage hold the whole answer, and does it say what the answer is about? (lesson 10)

hit@k and recall ask whether a passage is of the right section. They cannot see a cut table: a window that holds the wrong half of the
right section is a hit. Two measures that see it:

- evidence: one delivered passage holds the whole gold quote of at least one relevant entry.
- evidence in context: that same passage also names its document (its title stands in the passage, context or text) and, where the quote
  is a row of a table, its columns (the table's header row stands in it, or its context names every column).

Where the gold is a span of characters (lesson 15), it is the quote; no section is asked for.

Held is a matter of places, not of words: start and end of the quote lie within start and end of the passage, in one edition of one
document. Whatever is evidence is a hit as well.

Where the document is not at hand, or the passage comes from another text of it, the passage alone must show it: the quote stands in its
text exactly once; the document is named if it carries a context or a level-1 heading; a row has its columns if the passage shows where
the table begins.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from labkit.evaluation.gold import Place, starts_of
from labkit.evaluation.relevance import AnyGold, GoldSpan, gold_of, holds, places_of
from labkit.evaluation.spans import Span

_OWN_TITLE = re.compile(r"^ {0,3}#[ \t]+\S", re.MULTILINE)
_RULE = re.compile(r"[ \t|:-]*-[ \t|:-]*")  # what parts a header from its rows in Markdown: |---|:--|
_BETWEEN_CELLS = re.compile(r"[|\t]")  # in Markdown; in HTML and PDF as labkit reads them
_LINE_END = re.compile(r"\r\n|\r|\n")


class Evidence(NamedTuple):
    """Whether the passages hold a whole answer, and whether one does so in context. The second implies the first."""

    held: bool
    in_context: bool


def evidence_of(question, passages: Iterable, places: Mapping[tuple[str, int], Place | None]) -> Evidence:
    """What `passages` (as delivered, in any order) show of `question`. `places` is what `locate` says of the gold."""
    entries = [(gold_of(entry), entry.quote, (question.id, number)) for number, entry in enumerate(question.relevant, start=1)]
    documents = {(gold.doc_id, gold.version) for gold, _, _ in entries}
    held = False
    for passage in passages:
        edition = (passage.doc_id, str(passage.version))
        if edition not in documents:
            continue
        found = places_of(passage)
        for gold, quote, key in entries:
            if gold[:2] != edition or not holds(passage, gold, found):
                continue
            seen = _seen(passage, gold, quote, key, places)
            held = held or seen.held
            if seen.in_context:
                return Evidence(True, True)
    return Evidence(held, False)


def _seen(passage, gold: AnyGold, quote: str, key: tuple[str, int], places: Mapping[tuple[str, int], Place | None]) -> Evidence:
    """What one passage of the right section, or with a part of the span, shows of one quote."""
    if key in places:
        place = places[key]
        if place is None:
            return Evidence(False, False)
        if place.source[passage.start : passage.end] == passage.text:
            held = _inside((place.start, place.end), passage)
            return Evidence(held, held and _names_document(passage, place) and _names_columns(passage, place))
    if isinstance(gold, GoldSpan):
        held = _inside((gold.start, gold.end), passage) and passage.text[gold.start - passage.start : gold.end - passage.start] == quote
        return Evidence(held, held and _shows_title(passage) and _shows_columns(passage.text, quote, gold.start - passage.start))
    held = len(list(starts_of(quote, passage.text))) == 1
    return Evidence(held, held and _shows_title(passage) and _shows_columns(passage.text, quote, passage.text.find(quote)))


# --- with the document ---------------------------------------------------------------------------------------------------------------


def _inside(span: Span, passage) -> bool:
    return passage.start <= span[0] and span[1] <= passage.end


def _names_document(passage, place: Place) -> bool:
    if place.title_span is not None and _inside(place.title_span, passage):
        return True
    return _says(passage.context, place.title) or _says(passage.text, place.title)


def _names_columns(passage, place: Place) -> bool:
    if not place.headers or any(_inside(header, passage) for header in place.headers):
        return True
    return all(_says(passage.context, name) for name in place.columns)


def _says(text: str, name: str) -> bool:
    """Whether `name` stands in `text` as whole words; white space, case and the make-up of accents apart."""
    name = _folded(name)
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", _folded(text)) is not None


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


# --- with the passage alone ----------------------------------------------------------------------------------------------------------


def _shows_title(passage) -> bool:
    return bool(passage.context.strip()) or _OWN_TITLE.search(passage.text) is not None


def _shows_columns(text: str, quote: str, at: int) -> bool:
    """Whether the table that the quote, at character `at`, is a row of begins in `text`. True for a quote that is no row."""
    lines, row = [], 0
    for start, end in _lines(text):
        lines.append(text[start:end].strip(" "))
        if end <= at:
            row = len(lines)
    if not _BETWEEN_CELLS.search(quote) and not _BETWEEN_CELLS.search(lines[row]):
        return True
    first = row
    while first and _BETWEEN_CELLS.search(lines[first - 1]):
        first -= 1
    if first == row:
        return False
    return first > 0 or _RULE.fullmatch(lines[1]) is not None


def _lines(text: str) -> Iterable[Span]:
    start = 0
    for match in _LINE_END.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)
