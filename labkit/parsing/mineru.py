"""MinerU's content list, with the Markdown beside it, into blocks (lesson 11).

MinerU reads a PDF by models and leaves, among other files, `NAME_content_list.json` (a list of blocks in reading order, each with its type,
its text and its page) and `NAME.md`. The list knows the pages, the Markdown the levels of the headings: many runs give each heading of the
list the level 1, and the Markdown is what somebody corrects by hand. So a heading's level is that of its heading in the Markdown. Both are
walked forward together, since headings repeat: the third 'Notes' of the one is the third of the other.

The text is made of the blocks, with a blank line between them, as for a PDF that labkit reads itself.
- `text` and `ref_text` are paragraphs, or headings where they have a level; `list` gives a list item each, and so does a text of several
  lines; `table_body` (HTML) is a table, its captions paragraphs before it, its footnotes after it; `code` is code; an equation is a
  paragraph; of pictures and charts only captions and footnotes are text.
- Running heads, page numbers and notes at the side are left out. A footnote is a paragraph. A superscript that stands as a block of its own
  goes to the paragraph before it.
- A table that is only a picture is named in `problems`; one that runs over a page is where MinerU put it, on the page that it begins on.
- MinerU's marks are taken off: `\\$` is a dollar, `$^{1}$` and `<sup>1</sup>` a ¹; other formulae stay as they are
  written.
- The newer list, a list of blocks for each page (`NAME_content_list_v2.json`), is read too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path

from labkit.collection import read_text
from labkit.errors import DocumentError
from labkit.parsing.blocks import Block, Kind, Page, ParsedDocument, Problem, sections_of_blocks
from labkit.parsing.headings import HeadingPath
from labkit.parsing.htmlsource import tree_of
from labkit.parsing.mineru_list import Item, items_of
from labkit.parsing.superscripts import superscript
from labkit.parsing.tables import as_lines, rows_of
from labkit.sections import markdown_blocks, plain_text
from labkit.textfiles import quoted, shown

_LEFT_OUT = frozenset(("header", "footer", "page_number", "aside_text", "blank", "discarded", "abandon", "seal"))
_MAY_BE_SILENT = frozenset(("text", "list", "image", "chart", "table", "equation", "code", "page_footnote", "ref_text", "superscript"))
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_FORMULA = re.compile(r"(?<!\\)\$(?:[^$\\\n]|\\.)*?(?<!\\)\$")
_SPACE = r"(?:(?<!\s)\s+)?"  # a whole run of it or none, so that a long one is looked at once
_RAISED = re.compile(_SPACE + r"(?:\$\s*\^\s*(?:\{([^{}$]*)\}|(\w))\s*\$|<sup>([^<]{0,200})</sup>)")
_RAISED_ALONE = re.compile(r"\$\s*\^\s*(?:\{[^{}$]*\}|\w)\s*\$|<sup>[^<]*</sup>|[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_LINE_END = re.compile(r"(?:(?<![ \t])[ \t]+)?(?:\r\n|\r|\n)")
_FENCE = re.compile(r"\A\s*(```+|~~~+)[^\n]*\n(.*?)\n?[ \t]*\1[ \t]*\Z", re.DOTALL)
_DISPLAYED = re.compile(r"\A\s*\$\$(.*)\$\$\s*\Z", re.DOTALL)
_NO_WORD = re.compile(r"[\W_]+")


def read_mineru(
    content_list: Path | str,
    markdown: Path | str | None = None,
    *,
    doc_id: str,
    title: str | None = None,
    version: str = "1",
    access: str = "staff",
    language: str = "unknown",
) -> ParsedDocument:
    """The blocks, pages and sections of a document as MinerU read it (lesson 11).

    `content_list` is the JSON file, `markdown` the Markdown of the same run; without it, a heading's level is the list's `text_level`. A
    heading that the Markdown lacks gets the level of the last one that the list puts on the same level, and is named in `problems`.
    `title` None: the text of the first level-1 heading, if no level-2 heading stands before it; its block is the title. A block's page
    (1-based) is that on which it begins; a page is called as the page number printed on it. `format` is 'pdf'.

    Raises DocumentError where a file cannot be read, is no content list (all faults at once, with their lines), or where the Markdown
    has none of the list's headings.
    """
    name = shown(content_list)
    items = items_of(read_text(content_list, name), name)
    drafts, labels, problems = _drafts(items)
    if markdown is not None:
        problems += _leveled(drafts, read_text(markdown), name, shown(markdown))
    text, own_title, blocks, pages = _placed(drafts, labels, max((item.page for item in items), default=0))
    if not blocks:
        problems.append(Problem(None, "the content list has no text", "see whether MinerU's run ended well, or leave the document out"))
    return ParsedDocument(
        doc_id=doc_id,
        title=own_title if title is None else title,
        version=version,
        access=access,
        language=language,
        format="pdf",
        text=text,
        blocks=blocks,
        sections=sections_of_blocks(blocks, len(text)),
        pages=pages,
        problems=problems,
    )


# --- blocks --------------------------------------------------------------------------------------------------------------------------


@dataclass
class _Draft:
    """A block before it has its place. `said`: the level that the list gives to a heading, 0 for none."""

    kind: Kind
    text: str
    page: int
    said: int = 0
    level: int | None = None
    rows: list[list[str]] = field(default_factory=list)


def _drafts(items: Iterable[Item]) -> tuple[list[_Draft], dict[int, str], list[Problem]]:
    """Blocks, what each page calls itself, and what could not be read."""
    drafts: list[_Draft] = []
    labels: dict[int, str] = {}
    problems: list[Problem] = []
    raised: list[_Draft] = []  # superscripts with no paragraph before them: they go to the next
    for item in items:
        if item.type == "page_number":
            labels.setdefault(item.page, plain(item.text()))
        elif item.type not in _LEFT_OUT:
            made = list(_blocks(item, [] if _is_rest(item, drafts) else problems))
            if not made and item.type not in _MAY_BE_SILENT:
                what = f"a block of the type {quoted(item.type)} holds no text that labkit knows of"
                problems.append(Problem(item.page, what, "look at the page, and type in what is missing"))
            for draft in made:
                if _is_raised(item, draft):
                    _raise(drafts, raised, draft)
                    continue
                if raised and draft.kind in ("paragraph", "list_item"):
                    draft.text = " ".join([*(each.text for each in raised), draft.text])
                    raised.clear()
                drafts.append(draft)
    return drafts + raised, labels, problems


def _is_rest(item: Item, drafts: Sequence[_Draft]) -> bool:
    """Whether this is what MinerU leaves of a table where it joined it to its beginning on a page before: neither text nor picture."""
    nothing = item.type == "table" and item.fields.get("img_path") == "" and not item.text("table_body").strip()
    return nothing and any(draft.kind == "table" and draft.page < item.page for draft in drafts)


def _is_raised(item: Item, draft: _Draft) -> bool:
    if item.type == "superscript":
        return True
    return draft.kind == "paragraph" and item.type == "text" and bool(_RAISED_ALONE.fullmatch(item.text().strip()))


def _raise(drafts: list[_Draft], raised: list[_Draft], draft: _Draft) -> None:
    """A superscript goes to the paragraph or list item before it; where none is, it waits for the next."""
    if drafts and drafts[-1].kind in ("paragraph", "list_item"):
        drafts[-1].text += superscript(draft.text)
    else:
        draft.text = superscript(draft.text)
        raised.append(draft)


def _blocks(item: Item, problems: list[Problem]) -> Iterator[_Draft]:
    kind, page = item.type, item.page
    yield from _paragraphs(map(plain, item.around("caption")), page)
    if kind == "table":
        yield from _table(item, problems)
    elif kind in ("code", "algorithm"):
        body = item.text("code_body") or item.text()
        fenced = _FENCE.match(body)
        code = (fenced[2] if fenced else body).strip("\r\n").rstrip()
        if code.strip():
            yield _Draft("code", code, page)
    elif kind == "equation":
        alone = _DISPLAYED.match(item.text())
        yield from _paragraphs([(alone[1] if alone else item.text()).strip()], page)
    elif kind == "list" or item.texts("list_items"):
        said = item.texts("list_items") or _LINE_END.split(item.text())
        yield from (_Draft("list_item", text, page, level=1) for text in map(plain, said) if text)
    elif kind not in ("image", "chart"):
        yield from _prose(item)
    yield from _paragraphs(map(plain, item.around("footnote")), page)


def _prose(item: Item) -> Iterator[_Draft]:
    text, said = item.text(), item.fields.get("text_level") or 0
    lines = [line for line in map(plain, _LINE_END.split(text)) if line]
    if said and lines:
        yield _Draft("heading", " ".join(lines), item.page, said)
    elif len(lines) > 1:
        yield from (_Draft("list_item", line, item.page, level=1) for line in lines)
    else:
        yield from (_Draft("paragraph", line, item.page) for line in lines)


def _paragraphs(texts: Iterable[str], page: int) -> Iterator[_Draft]:
    return (_Draft("paragraph", text, page) for text in texts if text)


def _table(item: Item, problems: list[Problem]) -> Iterator[_Draft]:
    body = item.text("table_body")
    tree = tree_of(body) if body.strip() else None
    tables = [] if tree is None else [each for each in tree.iter("table") if next(each.iterancestors("table"), None) is None]
    found = False
    for table in tables:
        outside, rows = rows_of(table)
        rows = [[plain(cell) for cell in row] for row in rows]
        yield from _paragraphs(map(plain, outside), item.page)
        if rows:
            found = True
            yield _Draft("table", as_lines(rows), item.page, rows=rows)
    if not found:
        what = "a table has no text: MinerU kept it as a picture" if not body.strip() else "a table could not be read: its HTML has no rows"
        problems.append(Problem(item.page, what, "run MinerU with tables on, or type the table in"))


def plain(text: str) -> str:
    """A text of the list as the page shows it, on one line: escapes and superscripts undone, formulae left."""
    text = _RAISED.sub(lambda match: superscript(next(group for group in match.groups() if group is not None).strip()), text)
    pieces, at = [], 0
    for formula in _FORMULA.finditer(text):
        pieces += [_ESCAPED.sub(r"\1", text[at : formula.start()]), formula[0]]
        at = formula.end()
    return " ".join("".join([*pieces, _ESCAPED.sub(r"\1", text[at:])]).split())


# --- levels --------------------------------------------------------------------------------------------------------------------------


def _leveled(drafts: Sequence[_Draft], markdown: str, name: str, markdown_name: str) -> list[Problem]:
    """Gives each heading the level of its heading in the Markdown; what the Markdown lacks is named.

    First the list's headings are matched with the Markdown's, in order; then, between two that matched, a paragraph that is word for word
    the next heading of the Markdown is one too.
    """
    levels, keys = _headings(markdown)
    marked = [number for number, draft in enumerate(drafts) if draft.kind == "heading"]
    matcher = SequenceMatcher(None, [_key(drafts[number].text) for number in marked], keys, autojunk=False)
    pairs = [(marked[a + step], b + step) for a, b, size in matcher.get_matching_blocks() for step in range(size)]
    if marked and keys and not pairs:
        what = f"{markdown_name}: has none of the headings of {name} (the first is {quoted(drafts[marked[0]].text)})"
        raise DocumentError(f"{what} — take the two files of one run")
    for (before, above), (after, below) in pairwise([(-1, -1), *pairs, (len(drafts), len(keys))]):
        missing = above + 1
        for number in range(before + 1, after):
            if missing < below and drafts[number].kind == "paragraph" and _key(drafts[number].text) == keys[missing]:
                drafts[number].kind = "heading"
                drafts[number].level = levels[missing]
                missing += 1
    for number, heading in pairs:
        drafts[number].level = levels[heading]
    return _unmatched(drafts, markdown_name)


def _unmatched(drafts: Sequence[_Draft], markdown_name: str) -> list[Problem]:
    problems = []
    like: dict[int, int] = {}
    for draft in drafts:
        if draft.kind != "heading":
            continue
        if draft.level is None:
            draft.level = like.get(draft.said, draft.said)
            what = f"the heading {quoted(draft.text)} stands in the content list, and not (or not in that order) in {markdown_name}"
            problems.append(Problem(draft.page, what, f"see whether level {draft.level} is right for it"))
        elif draft.said:
            like[draft.said] = draft.level
    return problems


def _headings(markdown: str) -> tuple[list[int], list[str]]:
    """Levels and keys of a Markdown text's headings, in order."""
    read = markdown_blocks(markdown)
    levels, keys = [], []
    for token, content in pairwise(read.tokens):
        if token.type == "heading_open" and token.level == 0:
            levels.append(int(token.tag[1]))
            keys.append(_key(plain(plain_text(content.content, read.env))))
    return levels, keys


def _key(text: str) -> str:
    """What two writings of one heading have in common: its letters and digits, raised or not."""
    return _NO_WORD.sub("", unicodedata.normalize("NFKC", text)).casefold() or text


# --- places --------------------------------------------------------------------------------------------------------------------------


def _placed(drafts: Sequence[_Draft], labels: dict[int, str], last: int) -> tuple[str, str, list[Block], list[Page]]:
    """Text, title, blocks and pages. A page begins with its first block, unless a later page's stands before it."""
    blocks: list[Block] = []
    path = HeadingPath()
    starts: dict[int, int] = {}
    title, at, topped, reached = "", 0, False, 0
    for draft in drafts:
        kind, level, above = draft.kind, draft.level, path.here()
        if kind == "heading":
            level = min(max(level or draft.said, 1), 6)
            if level == 1 and not topped:
                kind, level, title = "title", None, draft.text
            else:
                above = path.enter(level, draft.text)
            topped = topped or level is None or level < 3
        end = at + len(draft.text)
        blocks.append(Block(kind, draft.text, at, end, draft.page, level, draft.rows, above))
        if draft.page > reached:
            starts[draft.page], reached = at, draft.page
        at = end + 2
    text = "\n\n".join(draft.text for draft in drafts)
    pages: list[Page] = []
    following = len(text)
    for number in range(max([last, *labels]) if labels else last, 0, -1):
        start = starts.get(number, following)
        pages.append(Page(number, labels.get(number, ""), start, start + len(text[start:following].rstrip())))
        following = start
    return text, title, blocks, pages[::-1]
