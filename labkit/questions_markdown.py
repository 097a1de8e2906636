"""Questions as a person writes them: Markdown, one heading a question (lessons 01 and 15).

    # Questions about our handbook

    as_of: 2026-12-01

    ## How long may I keep it before I send it back?

    kind: answerable
    answer: 30 days from delivery.
    where: returns-policy v3, Return window
    quote: "You have **30 days** from delivery to send it back."

    ## Do you ship to the moon?

    kind: unanswerable

What is a heading is decided by CommonMark: one in a code fence or a comment is none, so examples and remarks can stand there. A field is a
line `name: value`, its name in any case, with or without a list's dash before it; the order is free.

- `where` names document, version and section. Document is its doc_id, or its title or its file as in the inventory, so that a citation may
  be pasted; of the file, what tells it from the others will do, as winter.md or hives/winter. The version may be left out: the only one
  there is, else the one in force on `as_of`. The section may be left out where the document has none, and a citation may have
  none: then the quote must stand once in the whole document.
- `quote` belongs to the `where` above it, and is compared to the character. One pair of quotation marks around it is taken off. It may run
  over lines up to its closing mark, or stand in a code fence below `quote:`, or behind `>` below `quote:` or `where:`. More pairs, or more
  quotes for one `where`, are more entries. On the line of `quote:`, &Tab; stands for a tab (which divides the cells of a row in HTML and
  PDF) and &NewLine; for a line's end, as in HTML: few editors let one type the first, and a terminal shows neither.
- `kind` is 'answerable' unless told. A question without `where` says `kind: unanswerable`; nothing else makes it one.
- `answer` and `notes` may run on over the next lines. `keys`, `must_not` and `tags` are divided by semicolons, or stand below as a list.
- A number before each question ('1. How long …?'), from 1 in their order, is left out of the question. What stands between <!-- and -->
  behind a heading or a field, a quote apart, is a remark.
- `id` is the question's place in the file, Q01 for the first, unless told. A file in which questions will be put between others should
  tell, since reports name them by it.
- `as_of`, `language` and `public` may stand before the first question, or under a heading that has headings of a deeper level below it:
  there they hold for all questions below. `as_of` is nowhere: the day on which the newest document came into force, by the inventory's
  effective_from (0001-01-01, "always", apart); without that, today. `language` nowhere: that of the first document that answers, else
  unknown.
- `access` is never written here: it is the document's. Where no inventory says it, it is 'staff', the closed label. `public` (yes or no)
  says whether a public reader may get the answer; unless told, they may where a public document holds it.

Here only the shape is judged; documents, sections and quotes are judged by `labkit.validation`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from labkit.collection import ACCESS_LABELS, COLUMNS, INVENTORY, Document, read_bytes
from labkit.csvtable import read_table
from labkit.dates import BadDate, read_date
from labkit.errors import DocumentError, Fault
from labkit.sections import markdown_blocks
from labkit.textfiles import Report, did_you_mean, quoted

NO_QUESTION = "holds no question yet"
NO_GOLD = "has no gold yet"
SAY_WHERE = "say where its answer stands, or `kind: unanswerable`; `labkit label` helps to find it"
UNANSWERABLE = "unanswerable"
UNKNOWN = "unknown"
CLOSED = "staff"

FIELDS = (
    "id", "question", "kind", "answer", "where", "quote", "as_of", "language", "keys", "must_not", "wrong_version", "public", "tags",
    "notes",
)  # fmt: skip
"""What may be said of a question, in the order in which a person is likely to."""

_ALSO = {"reference_answer": "answer", "public_ok": "public"}  # as in JSON Lines
_FOR_ALL = ("as_of", "language", "public")
_LISTS = ("keys", "must_not", "tags")
_RUNS_ON = ("answer", "notes", "question", "quote")
_REPEATED = ("where", "quote", "wrong_version", *_LISTS)

_LINE_END = re.compile(r"\r\n|\r|\n")
_FIELD = re.compile(
    r"(?:[ \t]*[-*+][ \t]+|[ \t]{0,3})[*_]{0,2}([A-Za-z][A-Za-z _-]{0,20}?)[*_]{0,2}[ \t\xa0]*[:\uff1a][*_]{0,2}[ \t\xa0]*(.*)"
)
_ITEM = re.compile(r"[ \t]*[-*+][ \t]+(\S.*)")
_QUOTED = re.compile(r"[ \t]*>[ \t]?(.*)")
_RULE = re.compile(r"[ \t]{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|=+[ \t]*)")
_PAIRS = {'"': '"', "“": "”", "«": "»", "„": "“"}
_VERSION = re.compile(r"[ \t]+(?:version[ \t]+|v\.?[ \t]?)([^\s,#]+)(?=[\s,#]|$)", re.IGNORECASE)
_VERSION_APART = re.compile(r"[ \t]*,[ \t]*(?:version[ \t]+|v\.?[ \t]?)([^\s,#]+)[ \t]*(?=,|$)", re.IGNORECASE)
_VERSION_AT = re.compile(r"@v?([^\s,#]+)", re.IGNORECASE)
_NAMED_SECTION = re.compile(  # as a citation names it; a heading may hold quotation marks of its own
    r"sections?[ \t]+(?:“((?:[^“”]|“[^“”]*”)+)”|[\"“«„](.+?)[\"”»]).*", re.IGNORECASE
)
_NO_SECTION = re.compile(r"(?:heading[ \t]+“.*”,[ \t]*)?(?:pages?[ \t].*,[ \t]*)?characters[ \t]+\d+–\d+", re.IGNORECASE)
"""What a citation says behind the version where its passage stands under no section."""
_LINK = re.compile(r"\[[^\]]*\]\(<?([^)>]+)>?\)(.*)")
_COMMENT = re.compile(r"[ \t]*<!--.*?-->")
_NUMBER = re.compile(r"(?:(?:Q|Question)[ .]?)?(\d{1,4})[ ]?[.):][ ]+(.+)", re.IGNORECASE)
_NO_BLANK = re.compile(r"[ \t]{0,3}#{2,6}[^\s#].*")
_INLINE = MarkdownIt("commonmark", {"html": False})  # '<String>' in a question is text


@dataclass(frozen=True)
class Label:
    """What a question needs to know of one edition: `file` as in the inventory, `first` and `last` the days on which it is in force."""

    doc_id: str
    version: str
    access: str
    language: str
    file: str
    first: date | None = None
    last: date | None = None
    title: str = ""

    def in_force(self, day: date) -> bool:
        """As `Document.in_force`; a day that nobody knows stands in no way."""
        return (self.first is None or self.first <= day) and (self.last is None or day <= self.last)


@dataclass(frozen=True)
class Written:
    """A question as it was written: `record` is what a line of JSON Lines would hold, `line` that of its heading, `lines` that of each
    field (all 1-based)."""

    record: dict[str, Any]
    line: int
    lines: Mapping[str, int]


def labels_of(documents: Iterable[Document]) -> list[Label]:
    """The labels of documents of an inventory."""
    return [
        Label(each.doc_id, each.version, each.access, each.language, each.file, each.effective_from, each.effective_to, each.title)
        for each in documents
    ]


def labels_beside(questions: Path) -> list[Label]:
    """The labels in the inventory that lies in the file's folder, or in the folder above it; [] where there is none that can be read.

    Faults of an inventory are not told here: `load_inventory` names them. No document is opened.
    """
    for folder in (questions.absolute().parent, questions.absolute().parent.parent):
        try:
            data = read_bytes(folder / INVENTORY, INVENTORY)
        except DocumentError:
            continue
        rows = read_table(data, COLUMNS, Report(INVENTORY))
        return [_label(row) for _, row in rows if row.get("doc_id", "").strip() and row.get("version", "").strip()]
    return []


def read_questions(text: str, name: str, labels: Iterable[Label] = (), gold: bool = True) -> tuple[list[Written], list[Fault]]:
    """(questions, faults) of a Markdown text, in its order; `name` is what a fault calls the file, `labels` those of the inventory.

    `gold` False lets in a question that does not say yet where its answer stands, even a heading alone.

    A question of which a field cannot be read is not among them, and its fault is.
    """
    page = _Page(text, name)
    editions = _Editions(labels)
    found: list[Written] = []
    above: list[tuple[int, dict[str, tuple[str, int]]]] = [(0, page.for_all(page.preface, "before the first question"))]
    order = 0
    page.without_numbers()
    for place, part in enumerate(page.parts):
        while above[-1][0] >= part.level:
            above.pop()
        last = place + 1 == len(page.parts)
        title = last and place == 0 and part.level == 1
        deeper = not last and page.parts[place + 1].level > part.level
        if (deeper or title) and not page.asks(part):
            above.append((part.level, page.for_all(part, "under a heading that is no question")))
            continue
        order += 1
        defaults = {key: value for _, here in above for key, value in here.items()}
        written = _Question(page, part, order, defaults, editions, gold).written()
        if written:
            found.append(written)
    if not order and not page.faults:
        page.fault(1, NO_QUESTION, "write each as a heading, with `where:` and `quote:` below it, or `kind: unanswerable`")
    return found, page.faults


def _label(row: dict[str, str]) -> Label:
    days: list[date | None] = []
    for name in ("effective_from", "effective_to"):
        try:
            days.append(read_date(row.get(name, "")))
        except BadDate:
            days.append(None)
    access = row.get("access", "") if row.get("access") in ACCESS_LABELS else CLOSED
    return Label(row["doc_id"], row["version"], access, row.get("language") or UNKNOWN, row.get("file", ""), *days, row.get("title", ""))


# --- the page ---------------------------------------------------------------------------------------------------------------------------


@dataclass
class _Part:
    """What stands under one heading: its level, text and line (1-based), and the lines below it, [first, last), 0-based."""

    level: int
    heading: str
    line: int
    first: int
    last: int


@dataclass
class _Said:
    """One field as it was written. `items` are those of a list below it; `fenced`: the value stood in a code fence."""

    name: str
    line: int
    value: str
    items: list[tuple[str, int]] = field(default_factory=list)
    fenced: bool = False


class _Page:
    """A Markdown text taken apart into headings and the fields below them."""

    def __init__(self, text: str, name: str):
        self.name = name
        self.faults: list[Fault] = []
        read = markdown_blocks(text)
        self.ends = [match.span() for match in _LINE_END.finditer(text)]
        starts = [0, *(end for _, end in self.ends)]
        self.lines = [text[start:end] for start, (end, _) in zip(starts, [*self.ends, (len(text), 0)], strict=True)]
        self.line_ends = [text[start:end] for start, end in self.ends] + [""]
        self.before = text[: read.body].count("\r\n") + sum(text[: read.body].replace("\r\n", "").count(end) for end in "\r\n")
        self.fences: dict[int, tuple[int, str]] = {}  # first line: (line after it, content)
        self.hidden: set[int] = set()  # lines of comments and fences
        self.parts: list[_Part] = []
        self._walk(read.tokens)
        first = self.parts[0].line - 1 if self.parts else len(self.lines)
        self.preface = _Part(0, "", 1, 0, first)

    def _walk(self, tokens: list[Token]) -> None:
        for place, token in enumerate(tokens):
            if token.map is None:
                continue
            first, last = (line + self.before for line in token.map)
            if token.type == "fence" or (token.type == "html_block" and token.content.lstrip().startswith("<!--")):
                self.hidden.update(range(first, last))
                if token.type == "fence":
                    self.fences[first] = (last, self._inside(first, last))
            elif token.type == "heading_open" and token.level == 0 and not self._fields_over_a_rule(token, tokens[place + 1]):
                text = " ".join(_shown(_COMMENT.sub("", tokens[place + 1].content)).split())
                if self.parts:
                    self.parts[-1].last = first
                self.parts.append(_Part(int(token.tag[1]), text, first + 1, last, len(self.lines)))

    def _inside(self, first: int, last: int) -> str:
        """What a fence holds, line ends as they stand, without the last one."""
        end = last - 1 if last - first > 1 and re.match(r"[ \t>]*[`~]{3,}[ \t]*$", self.lines[last - 1]) else last
        inside = range(first + 1, end)
        return "".join(self.lines[line] + (self.line_ends[line] if line < end - 1 else "") for line in inside)

    def _fields_over_a_rule(self, token: Token, inline: Token) -> bool:
        """Fields with a line of dashes right below them are a heading to CommonMark, and to nobody who writes them."""
        return token.markup in ("-", "=") and _name_of(inline.content.split("\n")[0]) is not None

    def fault(self, line: int, what: str, todo: str) -> None:
        """One more fault, at a 1-based line."""
        self.faults.append(Fault(self.name, line, what, todo))

    def asks(self, part: _Part) -> bool:
        """Whether a field stands below this heading that only a question has."""
        lines = (line for line in range(part.first, part.last) if line not in self.hidden)
        return any(_name_of(self.lines[line]) not in (None, *_FOR_ALL) for line in lines)

    def without_numbers(self) -> None:
        """Takes the numbers off the questions where they count them from 1; others belong to what is asked."""
        asked = [part for part in self.parts if self.asks(part)]
        found = [_NUMBER.fullmatch(part.heading) for part in asked]
        if len(asked) > 1 and all(match and int(match[1]) == place for place, match in enumerate(found, start=1)):
            for part, match in zip(asked, found, strict=True):
                part.heading = match[2]

    def odd(self, part: _Part) -> list[int]:
        """The lines (0-based) below a heading that look like a field, and are none."""
        lines = (line for line in range(part.first, part.last) if line not in self.hidden)
        return [line for line in lines if (found := _FIELD.fullmatch(self.lines[line])) and " " not in found[1].strip()]

    def for_all(self, part: _Part, where: str) -> dict[str, tuple[str, int]]:
        """What is said for all questions below: field -> (value, 1-based line). Prose is left alone."""
        said: dict[str, tuple[str, int]] = {}
        for line in range(part.first, part.last):
            name = None if line in self.hidden else _name_of(self.lines[line])
            if name in _FOR_ALL:
                value = _COMMENT.sub("", _FIELD.fullmatch(self.lines[line])[2]).strip()
                wrong = _cannot_be(name, value)
                if wrong:
                    self.fault(line + 1, *wrong)
                said[name] = (_TOLD if wrong else value, line + 1)
            elif name:
                todo = f"put it below a question's heading, a line that begins with ## and a blank; for all hold {', '.join(_FOR_ALL)}"
                self.fault(line + 1, f"{name!r} stands {where}", todo)
            elif line not in self.hidden and _NO_BLANK.fullmatch(self.lines[line]):
                self.no_field(self.lines[line], line)
        return said

    def said(self, part: _Part) -> list[_Said]:
        """The fields below a heading, in order. What is no field is a fault."""
        found: list[_Said] = []
        now: _Said | None = None  # what the next line may add to
        line = part.first
        while line < part.last:
            text = self.lines[line]
            if line in self.hidden:
                after, content = self.fences.get(line, (line + 1, ""))
                if line in self.fences and now and now.name == "quote" and not now.value and not now.fenced:
                    now.value, now.fenced = content, True
                now, line = None, after
                continue
            if found and _QUOTED.fullmatch(text) and (found[-1].name == "where" or (found[-1].name == "quote" and not found[-1].value)):
                line = self._behind_marks(found, line, part.last)
                now = None
                continue
            name = _name_of(text)
            if name:
                value = _FIELD.fullmatch(text)[2].strip()
                now = _Said(name, line + 1, value if name == "quote" else _COMMENT.sub("", value).strip())
                found.append(now)
                if name == "quote":
                    line = self._to_the_closing_mark(now, line, part.last)
                    if not now.value.strip() and not now.fenced:
                        line += 1
                        continue
                elif not now.value and name not in _LISTS:
                    line += 1
                    continue
            elif not text.strip():
                # a fence, or a list, may stand a line below its field; prose that runs on may not
                now = now if now and (now.name in _LISTS or (now.name == "quote" and not now.value)) else None
            elif now and now.name in _LISTS and (item := _ITEM.fullmatch(text)):
                now.items.append((item[1].strip(), line + 1))
            elif (odd := _FIELD.fullmatch(text)) and _misspelt(odd[1]):
                self.fault(line + 1, f"unknown field {quoted(odd[1].strip())}", did_you_mean(_key(odd[1]), FIELDS))
                now = None
            elif _RULE.fullmatch(text):
                now = None
            elif now and now.name in _RUNS_ON and not now.fenced:
                joined = self.line_ends[line - 1] if now.name == "quote" else " "
                now.value = f"{now.value}{joined}{text.strip()}" if now.value else text.strip()
            else:
                self.no_field(text, line)
                now = None
            line += 1
        return found

    def _behind_marks(self, found: list[_Said], line: int, last: int) -> int:
        """Takes in a quote whose lines stand behind `>`, as Markdown quotes; gives the line below it."""
        if found[-1].name == "where":
            found.append(_Said("quote", line + 1, ""))
        after = next((below for below in range(line, last) if below in self.hidden or not _QUOTED.fullmatch(self.lines[below])), last)
        inside = range(line, after)
        texts = [_QUOTED.fullmatch(self.lines[each])[1] + (self.line_ends[each] if each < after - 1 else "") for each in inside]
        found[-1].value, found[-1].fenced = "".join(texts), True
        return after

    def _to_the_closing_mark(self, said: _Said, line: int, last: int) -> int:
        """Takes in the lines of a quote that opens with a mark and does not close on its line; gives the last line of it."""
        closing = _PAIRS.get(said.value[:1])
        if closing is None or _closed(said.value, closing):
            return line
        value = said.value
        for below in range(line + 1, last):
            if below in self.hidden or _name_of(self.lines[below]):
                break
            value += self.line_ends[below - 1] + self.lines[below]
            if value.rstrip().endswith(closing):
                said.value = value.rstrip()
                return below
        todo = f"close it with {closing} at the end of a line, or put one more pair around a quote that begins with one of its own"
        self.fault(said.line, f"a quotation mark {said.value[0]} opens here and never closes", todo)
        said.value = said.value[1:]
        return line

    def no_field(self, text: str, line: int) -> None:
        """A fault: a line (0-based) that says nothing of a question."""
        odd = _FIELD.fullmatch(text)
        if _NO_BLANK.fullmatch(text):
            self.fault(line + 1, f"{quoted(text.strip(), 40)} is no heading", "put a blank behind the #")
        elif odd and " " not in odd[1].strip():
            self.fault(line + 1, f"unknown field {quoted(odd[1].strip())}", f"the fields are {', '.join(FIELDS)}")
        else:
            todo = f"begin with one of {', '.join(FIELDS)} and a colon; a remark goes into notes:, or between <!-- and -->"
            self.fault(line + 1, f"{quoted(text.strip(), 40)} is no field of a question", todo)


def _shown(markdown: str) -> str:
    """A heading as a reader sees it; what looks like HTML is text."""
    (inline,) = _INLINE.parseInline(markdown)
    texts = {"softbreak": " ", "hardbreak": " "}
    read = ("text", "text_special", "code_inline")
    return "".join(each.content if each.type in read else texts.get(each.type, "") for each in inline.children or ())


def _key(written: str) -> str:
    return re.sub(r"[ -]+", "_", written.strip().lower())


def _name_of(line: str) -> str | None:
    """The field that a line begins; None where it begins none."""
    match = _FIELD.fullmatch(line)
    name = _key(match[1]) if match else ""
    return name if name in FIELDS else _ALSO.get(name)


def _misspelt(written: str) -> bool:
    return " " not in written.strip() and did_you_mean(_key(written), FIELDS) != ""


def _closed(value: str, closing: str) -> bool:
    return len(value) > 1 and value.endswith(closing)


def _without_marks(value: str) -> str:
    """A value with one pair of quotation marks around it taken off; French ones stand apart from their text by blanks, which go too."""
    closing = _PAIRS.get(value[:1])
    if not closing or not _closed(value, closing):
        return value
    return value[1:-1].strip(" \t\xa0\u202f") if closing == "»" else value[1:-1]


_SIGNS = {"&Tab;": "\t", "&NewLine;": "\n"}


def _with_signs(value: str) -> str:
    """What the names of characters stand for, put in their place."""
    for sign, char in _SIGNS.items():
        value = value.replace(sign, char)
    return value


def quote_line(text: str) -> str:
    """The line that says in a file of questions that this is the quote: `quote: "cell&Tab;cell"`, whatever the text holds.

    A text that spells such a sign out, or with a CR in it, has no such line: ''. It goes behind `>`, or into a fence.
    """
    written = text
    for sign, char in _SIGNS.items():
        written = written.replace(char, sign)
    return "" if "\r" in written or _with_signs(written) != text or _with_signs(text) != text else f'quote: "{written}"'


# --- where ------------------------------------------------------------------------------------------------------------------------------


class _Editions:
    """The documents as a `where` may name them. `newest` is the day on which the newest one came into force, 'always' apart."""

    def __init__(self, labels: Iterable[Label]):
        self.labels = list(labels)
        self.by_id: dict[str, list[Label]] = {}
        self.by_file: dict[str, Label] = {}
        for each in self.labels:
            self.by_id.setdefault(each.doc_id, []).append(each)
            self.by_file[each.file] = each
        self.by_file |= {name: each for name, each in _only(self.labels, _tails).items() if name not in self.by_file}
        titles: dict[str, list[Label]] = {}
        for each in self.labels:
            titles.setdefault(each.title.casefold(), []).append(each)
        self.by_title = {title: found for title, found in titles.items() if title and len({each.doc_id for each in found}) == 1}
        stems = _only(self.labels, lambda file: _tails(str(PurePosixPath(file).with_suffix(""))) if file else [])
        known = (self.by_id, self.by_file)
        self.stems = {name for name in stems if name.casefold() not in self.by_title and not any(name in each for each in known)}
        self.by_file |= {name: stems[name] for name in self.stems}
        self.by_edition = {(each.doc_id, each.version): each for each in reversed(self.labels)}
        self.newest = max((each.first for each in self.labels if each.first and each.first > date.min), default=None)

    def split(self, value: str) -> tuple[str, str]:
        """(the document's name, what follows it)."""
        named = value.replace("\\", "/")
        ends = [match.start() for match in re.finditer(r"[\s,@#]|$", named)]
        # a file's name, and a title, may hold blanks and commas: the longest one that there is
        end = next((end for end in reversed(ends) if named[:end] in self.by_file and named[:end] not in self.stems), None)
        if end is None and named[: ends[0]] not in self.by_id:
            end = next((end for end in reversed(ends) if value[:end].casefold() in self.by_title or named[:end] in self.stems), None)
            if end is None and self.by_id:  # a name that there is not is told as it was written, blanks and all
                end = _NAME_END.search(named).start()
        end = ends[0] if end is None else end
        return value[:end] if value[:end].casefold() in self.by_title else named[:end], value[end:]


_NAME_END = re.compile(r"\s*[,@#>›→|]|:\s|\s[–—]\s|\s+v(?:ersion)?\.?\s*\d|\s*$", re.IGNORECASE)


def _tails(file: str) -> list[str]:
    """A path without its first folder, without its first two, and so on."""
    parts = file.split("/")
    return ["/".join(parts[place:]) for place in range(1 if len(parts) > 1 else 0, len(parts))]


def _only(labels: Iterable[Label], names: Callable[[str], Iterable[str]]) -> dict[str, Label]:
    """The names that only one file has."""
    found: dict[str, list[Label]] = {}
    for each in labels:
        for name in names(each.file):
            found.setdefault(name, []).append(each)
    return {name: each[0] for name, each in found.items() if name and len(each) == 1}


def _bare(value: str) -> str:
    """A `where` without what is put around a document's name: a link, quotation marks, backticks, ./ before it."""
    link = _LINK.fullmatch(value)
    value = (unquote(link[1]) + link[2] if link else value).removeprefix("./")
    closing = {**_PAIRS, "`": "`"}.get(value[:1])
    end = value.find(closing, 1) if closing else -1
    return value[1:end].strip() + value[end + 1 :] if end > 1 else value


def _named(value: str, editions: _Editions) -> tuple[str, list[Label], str, str]:
    """(document as it is named, its editions, version, section) of a `where`; version and section '' where they are left out."""
    name, rest = editions.split(_bare(value))
    by_file = [editions.by_file[name]] if name in editions.by_file else []
    known = editions.by_id.get(name) or by_file or editions.by_title.get(name.casefold(), [])
    version = ""
    for pattern in (_VERSION_AT, _VERSION, _VERSION_APART):
        found = pattern.match(rest)
        # 'handbook, vacation' has no version 'acation'
        if found and (
            found[1][0].isdigit()
            or pattern is _VERSION_AT
            or "version" in found[0].lower()
            or found[1] in (UNKNOWN, *(each.version for each in known))
        ):
            version, rest = found[1], rest[found.end() :]
            break
    section = rest.strip().lstrip(",#:>›→|–—").strip()
    cited = _NAMED_SECTION.fullmatch(section)
    bare = "" if _NO_SECTION.fullmatch(section) else _without_marks(section)
    return name, known, version, (cited[1] or cited[2] if cited else bare).strip()


def _place(value: str, editions: _Editions, day: date | None) -> tuple[dict[str, str], tuple[str, str] | None]:
    """({doc_id, version, section, access}, what is wrong or None) of a `where`. `day` None: nobody knows, and an edition is not chosen."""
    name, known, version, section = _named(value, editions)
    doc_id = known[0].doc_id if known else name
    wrong = None
    if not name:
        wrong = ("where names no document", "write it as in where: returns-policy v3, Return window")
    elif version and name in editions.by_file and name not in editions.by_id and version != known[0].version:
        wrong = (f"{name} is version {known[0].version} of {doc_id}, not {version}", "leave the version out, or name the other file")
    elif not version and len(known) > 1 and day is not None:
        now = [each.version for each in known if each.in_force(day)]
        version = now[0] if len(now) == 1 else ""
        if not version:
            of = f"{len(now)} of them are" if now else "none is"
            what = f"which version of {doc_id}? There are {', '.join(each.version for each in known)}, and {of} in force on {day}"
            wrong = (what, f"name it, as in where: {doc_id} v{known[-1].version}, …")
    version = version or (known[0].version if known else UNKNOWN)
    access = next((each.access for each in known if each.version == version), CLOSED)
    return {"doc_id": doc_id, "version": version, "section": section, "access": access}, wrong


_TOLD = "\n"  # stands for a value, said for all questions, that cannot be read: told once, not by each of them; nobody can type it


def _cannot_be(name: str, value: str) -> tuple[str, str] | None:
    """(what is wrong, what to do) with the value of `as_of` or `public`; None where nothing is, or nothing is said."""
    if name == "as_of" and value:
        try:
            read_date(value)
        except BadDate as error:
            return f"as_of: {error.what}", error.todo
    if name == "public" and value and value.lower() not in ("yes", "no", "true", "false"):
        return f"public is {quoted(value)}", "write yes or no"
    return None


# --- one question -----------------------------------------------------------------------------------------------------------------------


class _Question:
    """One heading with its fields, on the way to a record."""

    def __init__(self, page: _Page, part: _Part, order: int, defaults: dict[str, tuple[str, int]], editions: _Editions, gold: bool):
        self.page, self.part, self.order, self.editions, self.gold = page, part, order, editions, gold
        self.before = len(page.faults)
        self.all = page.said(part) if page.asks(part) or not gold else []
        self.one: dict[str, _Said] = {}
        for said in self.all:
            if said.name in self.one and said.name not in _REPEATED:
                page.fault(said.line, f"{said.name!r} stands in line {self.one[said.name].line} already", "keep one of the two")
            self.one.setdefault(said.name, said)
            if said.name not in ("notes", "answer", "quote", "where") and not said.value and not said.items:
                page.fault(said.line, f"{said.name!r} is empty", "fill it in, or delete the line")
        self.defaults = defaults

    def written(self) -> Written | None:
        """The question; None where a fault was found in it."""
        if not self.all and self.gold and len(self.page.faults) == self.before:
            for line in self.page.odd(self.part):
                self.page.no_field(self.page.lines[line], line)
            if len(self.page.faults) > self.before:
                return None
            todo = f"{SAY_WHERE}; it takes `where:` and `quote:` below it, and a title stands a level above the questions"
            self.page.fault(self.part.line, f"{self._id()}: {NO_GOLD}", todo)
            return None
        day = self._day()
        relevant = self._relevant(day)
        kind = self._kind()
        self._judge_kind(kind)
        text = self._value("question") or self.part.heading
        if not text.strip():
            self.page.fault(self.part.line, "the heading is empty", "write the question there, in the words of whoever asks it")
        record = {
            "id": self._id(),
            "question": text,
            "language": self._value("language") or self._language(relevant),
            "kind": kind,
            "as_of": str(day or self.editions.newest or date.today()),
            "public_ok": self._public(relevant),
            "abstain": kind == UNANSWERABLE,
            "reference_answer": self._value("answer"),
            "relevant": relevant,
            "wrong_version": self._wrong_versions(),
            "notes": self._value("notes"),
            **{name: self._list(name) for name in _LISTS},
        }
        if len(self.page.faults) > self.before:
            return None
        lines = {said.name: said.line for said in reversed(self.all)} | {}
        lines |= {name: line for name, (_, line) in self.defaults.items() if name not in lines}
        return Written(record, self.part.line, lines)

    def _id(self) -> str:
        named = "question" in self.one and re.fullmatch(r"\S+", self.part.heading)
        return self._value("id") or (self.part.heading if named else f"Q{self.order:02}")

    def _value(self, name: str) -> str:
        if name in self.one:
            return _without_marks(self.one[name].value) if name != "quote" else self.one[name].value
        return self.defaults.get(name, ("", 0))[0]

    def _line(self, name: str) -> int:
        return self.one[name].line if name in self.one else self.defaults.get(name, ("", self.part.line))[1]

    def _day(self) -> date | None:
        """The day on which it is asked; None where that cannot be read, which has been told."""
        written = self._value("as_of")
        if not written:
            return self.editions.newest or date.today()
        wrong = _cannot_be("as_of", written)
        if wrong and written != _TOLD:
            self.page.fault(self._line("as_of"), *wrong)
        return None if wrong else read_date(written)

    def _relevant(self, day: date | None) -> list[dict[str, str]]:
        entries: list[dict[str, str]] = []
        where: _Said | None = None
        place: dict[str, str] = {}
        used = True
        for said in [*self.all, _Said("where", 0, "")]:
            if said.name == "where":
                if where and not used:
                    todo = 'copy the shortest text that answers: quote: "…"; for a table, the whole row'
                    self.page.fault(where.line, "no quote stands below this where", todo)
                if not said.line:
                    break
                where, used = said, False
                place, wrong = _place(said.value, self.editions, day)
                if wrong:
                    self.page.fault(said.line, *wrong)
            elif said.name == "quote":
                quote = said.value if said.fenced else _with_signs(_without_marks(said.value))
                if where is None:
                    self.page.fault(said.line, "a quote stands before its where", "write the line `where: document v3, section` above it")
                elif not quote.strip():
                    used = True
                    self.page.fault(said.line, "the quote is empty", "copy the shortest text that answers from the document")
                else:
                    used = True
                    entry = place | {"quote": quote}
                    if entry in entries:
                        self.page.fault(said.line, "this quote stands above already", "delete one of the two")
                    entries.append(entry)
        return entries

    def _kind(self) -> str:
        kind = self._value("kind") or "answerable"
        return UNANSWERABLE if kind.casefold() == UNANSWERABLE else kind

    def _judge_kind(self, kind: str) -> None:
        line = self.part.line
        if kind == UNANSWERABLE and "where" in self.one:
            line = self.one["where"].line
            self.page.fault(line, "the question is unanswerable, and a where says what answers it", "delete one of the two")
        elif kind != UNANSWERABLE and not {"where", "quote"} & set(self.one):
            near = did_you_mean(kind, [UNANSWERABLE, "answerable"]) == did_you_mean(UNANSWERABLE, [UNANSWERABLE])
            line = self.one["kind"].line if near else line
            if not self.gold and not near:
                return
            how = "it takes `where: document v3, section`, and `quote:` below it"
            todo = did_you_mean(kind, [UNANSWERABLE]) if near else f"{SAY_WHERE}; {how}"
            self.page.fault(line, f"{self._id()}: {NO_GOLD}", todo)
        elif kind != UNANSWERABLE and not self._value("answer").strip():
            self.page.fault(self._line("answer"), "no answer is given", "write a right one in a sentence or two: answer: …")

    def _language(self, relevant: list[dict[str, str]]) -> str:
        first = self.editions.by_edition.get((relevant[0]["doc_id"], relevant[0]["version"])) if relevant else None
        return first.language if first else UNKNOWN

    def _public(self, relevant: list[dict[str, str]]) -> bool:
        written = self._value("public")
        wrong = _cannot_be("public", written)
        if wrong and written != _TOLD:
            self.page.fault(self._line("public"), *wrong)
        if written and not wrong:
            return written.lower() in ("yes", "true")
        return not relevant or any(each["access"] == "public" for each in relevant)

    def _wrong_versions(self) -> list[dict[str, str]]:
        found = []
        for said in self.all:
            for value in filter(None, (part.strip() for part in said.value.split(";"))) if said.name == "wrong_version" else ():
                name, known, version, section = _named(value, self.editions)
                version = version or (known[0].version if name in self.editions.by_file else "")
                if not version or section:
                    what = f"wrong_version {quoted(value)} names no edition"
                    self.page.fault(said.line, what, "write document and version: returns-policy v2")
                else:
                    found.append({"doc_id": known[0].doc_id if known else name, "version": version})
        return found

    def _list(self, name: str) -> list[str]:
        found: list[str] = []
        for said in self.all:
            if said.name == name:
                quotation = re.findall(r'"([^"]*)"|“([^”]*)”|«([^»]*)»', said.value) if said.value[:1] in ('"', "“", "«") else None
                parts = ["".join(each) for each in quotation] if quotation else said.value.split(";")
                found += [part.strip() for part in parts if part.strip()]
                found += [_without_marks(item) for item, _ in said.items]
        return found
