"""Where a passage stands, in one line that a person can follow: document, version, section, page, characters (lesson 08).

    Warranty policy, version 5, section “What is not covered”, pages 1–2, characters 1204–1987

A section is what a question's answer names: a heading of level 2. Where a passage knows the headings below it, as parents and children do
(lesson 11), they follow: section “Part 2 Lending” › “Article 9 Late books”; where they stand under no section: heading “Annex”.

Characters are positions in the document's text as labkit reads it (for Markdown, the file itself): counted from 0, the second one is
behind the last character, so `text[1204:1987]` is what was quoted. Pages are physical ones, from 1; where something else is printed on the
page, that stands behind it: page 4 (printed “iv”).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from labkit.passages import Passage

_MOST_SECTIONS = 3


@dataclass(frozen=True)
class Citation:
    """The place of a passage. `sections`, `pages` are () where there are none. `headings`, outermost first, stand above all of the text and
    below its section, where the passage knows them. `str(citation)` is the line."""

    title: str
    version: str
    sections: tuple[str, ...]
    pages: tuple[int, ...]
    start: int
    end: int
    page_labels: Mapping[int, str] = field(default_factory=dict, hash=False)
    headings: tuple[str, ...] = ()

    @classmethod
    def of(cls, passage: Passage, title: str = "", page_labels: Mapping[int, str] | None = None) -> Citation:
        """The citation of any passage. `title`: the document's; where it is not given, its id stands for it."""
        pages = tuple(getattr(passage, "pages", ()))
        sections, headings = _sections_and_headings(tuple(passage.sections), tuple(getattr(passage, "heading_path", ())))
        return cls(
            title or passage.doc_id, passage.version, sections, pages, passage.start, passage.end,
            {number: label for number, label in (page_labels or {}).items() if number in pages}, headings,
        )  # fmt: skip

    def __str__(self) -> str:
        parts = [_line(self.title), f"version {_line(self.version)}"]
        headings = " › ".join(f"“{_line(heading)}”" for heading in self.headings)
        if self.sections:
            section = _sections([_line(name) for name in self.sections])
            parts.append(f"{section} › {headings}" if headings else section)
        elif headings:
            parts.append(f"heading {headings}")
        if self.pages:
            parts.append(_pages(self.pages, self.page_labels))
        parts.append(f"characters {self.start}–{self.end}")
        return ", ".join(parts)


def _sections_and_headings(sections: tuple[str, ...], path: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is cited of a passage: its section, and what of its heading path stands below that; the whole path where no section is in it
    (an annex after the last article: by the text's order it is in the article's section, and nobody would look for it there)."""
    named = [place for place, heading in enumerate(path) if len(sections) == 1 and _is_of(sections[0], heading)]
    if named:
        return sections, path[named[0] + 1 :]
    return ((), path) if path else (sections, ())


def _is_of(section: str, heading: str) -> bool:
    """Whether a section has this heading: 'Notes-2' is the second one that is called 'Notes'."""
    return section == heading or (section.startswith(f"{heading}-") and section[len(heading) + 1 :].isdecimal())


def _sections(names: list[str]) -> str:
    if len(names) == 1:
        return f"section “{names[0]}”"
    if len(names) <= _MOST_SECTIONS:
        return "sections " + ", ".join(f"“{name}”" for name in names)
    return f"sections “{names[0]}” to “{names[-1]}” ({len(names)} sections)"


def _pages(pages: Iterable[int], labels: Mapping[int, str]) -> str:
    runs = list(_runs(sorted(set(pages))))
    text = ", ".join(_page(first, labels) if first == last else f"{_page(first, labels)}–{_page(last, labels)}" for first, last in runs)
    return f"{'page' if len(runs) == 1 and runs[0][0] == runs[0][1] else 'pages'} {text}"


def _page(number: int, labels: Mapping[int, str]) -> str:
    label = _line(labels.get(number, ""))
    return f"{number} (printed “{label}”)" if label and label != str(number) else str(number)


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """1, 2, 3, 5 -> (1, 3), (5, 5)."""
    first = last = None
    for number in numbers:
        if last is not None and number == last + 1:
            last = number
            continue
        if first is not None:
            yield first, last
        first = last = number
    if first is not None:
        yield first, last


def _line(text: str) -> str:
    """On one line, without characters that could move a terminal's cursor or turn the direction of the text."""
    plain = "".join(" " if unicodedata.category(character) in ("Cc", "Zl", "Zp") else character for character in text)
    return " ".join("".join(character for character in plain if unicodedata.category(character) not in ("Cf", "Cs")).split())
