"""An HTML page into blocks, as somebody reads it who sees the page (lesson 06).

The text is made of the blocks, with a blank line between them; white space is folded to single spaces, as a browser does (a no-break space
too, so that words are what `str.split()` yields), and only <pre> keeps its own.

What is read:
- <main>, else the <article>s where most of the words are, else the whole page. Left out: scripts, styles, templates, comments, what is
  hidden (`hidden`, aria-hidden, display: none), navigation, header and footer of the page (not of an article), forms and their controls. A
  form that the whole page stands in is a wrapper: only its controls go.
- The first h1 is the title, if no level-2 heading stands before it. A heading in a table's cell, a list or a quote opens no section.
- A list item is a block, its paragraphs on lines of their own; a nested list, a table or a <pre> in it is a block of its own. A term and
  its definition are one list item. No bullet and no number is added: the source has none.
- A table is a line a row, a tab between two cells, merged cells repeated (`labkit.parsing.tables`). A table for layout is no table: it
  holds other tables or headings, lists without header cells, or one cell with blocks in it, or says so (role="presentation"); its cells
  are read as the page is. Captions come before their table.
- Pictures say nothing here: their alternative text is not on the page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lxml import etree

from labkit.parsing.blocks import Block, Kind, ParsedDocument, Problem, sections_of_blocks
from labkit.parsing.headings import HeadingPath
from labkit.parsing.htmlsource import decode, tree_of
from labkit.parsing.tables import NO_TABLE, as_lines, is_layout, rows_of, span
from labkit.parsing.visible import (
    APART,
    CELLS,
    HEADINGS,
    INVISIBLE,
    LISTS,
    VERBATIM,
    folded,
    is_block,
    is_hidden,
    left_out,
    role_of,
    verbatim,
)  # fmt: skip

_ANCHORS = ("¶", "#", "§", "🔗")  # what a documentation tool puts behind a heading as a link to itself
# A header or a footer in one of these is not the page's.
_SCOPES = frozenset(("article", "section", "main", "aside", "blockquote", "figure", "details"))


def read_html(
    data: bytes | str, *, doc_id: str, title: str | None = None, version: str = "1", access: str = "staff", language: str = "unknown"
) -> ParsedDocument:
    """The blocks and sections of an HTML page (lesson 06). `data` is the file as it stands, or its source already decoded.

    `title` None: the page's first h1, else its <title>, else ''. Bytes that do not fit the page's character set are named in `problems`; a
    page that declares none and is not UTF-8 is read as Windows-1252, and says so there.
    """
    source, problems = (data, []) if isinstance(data, str) else decode(data)
    tree = tree_of(source)
    page = _content(tree) if tree is not None else _Page()
    text, blocks = _joined(page.drafts)
    if not blocks:
        what = "the page has no text (perhaps a script puts it together)"
        problems.append(Problem(None, what, "save it as your browser shows it, or leave it out"))
    if title is None:
        title = page.title() or (_title_of_window(tree) if tree is not None else "")
    return ParsedDocument(
        doc_id=doc_id,
        title=title,
        version=version,
        access=access,
        language=language,
        format="html",
        text=text,
        blocks=blocks,
        sections=sections_of_blocks(blocks, len(text)),
        problems=problems,
    )


def shows_text(fragment: str) -> bool:
    """Whether a piece of HTML shows a reader any text: not where it is a comment, a script, or tags alone."""
    tree = tree_of(fragment)
    return tree is not None and bool(folded(tree, whole=True))


# --- what is read of the page -------------------------------------------------------------------------------------------------------


def _content(tree: etree._Element) -> _Page:
    page = _read(_outermost(tree, "main"))
    if not page.drafts:
        page = _read([tree])
        articles = _outermost(tree, "article")
        if articles:
            inside = _read(articles)
            if 2 * inside.words() >= page.words():
                page = inside
    if not any(draft.heading and draft.level == 1 for draft in page.drafts):
        # many pages put their title into the page's header, beside the navigation
        title = next((text for element in tree.iter("h1") if _is_title(element) and (text := folded(element))), "")
        if title:
            page.drafts.insert(0, _Draft("heading", title, 1, heading=True))
    return page


def _title_of_window(tree: etree._Element) -> str:
    """The page's <title>, as a browser's tab shows it; '' where there is none."""
    named = (element for element in tree.iter("title") if next(element.iterancestors("svg"), None) is None)
    return next((" ".join("".join(element.itertext()).split()) for element in named), "")


def _outermost(tree: etree._Element, role: str) -> list[etree._Element]:
    """The elements of that name or role in the page that are seen, those inside another of them apart."""
    found: list[etree._Element] = []
    for element in tree.xpath(f"//{role} | //*[@role='{role}']"):
        around = {element, *element.iterancestors()}
        if not around.intersection(found) and not any(is_hidden(each) for each in around):
            found.append(element)
    return found


def _is_title(element: etree._Element) -> bool:
    away = ("nav", "form", "footer", "aside", "dialog", *INVISIBLE)
    return not any(each.tag in away or is_hidden(each) for each in (element, *element.iterancestors()))


def _read(roots: list[etree._Element]) -> _Page:
    page = _Page()
    for root in roots:
        page.read(root)
    return page


# --- the walk -----------------------------------------------------------------------------------------------------------------------

_BREAK = object()  # a line of its own, in a unit of several paragraphs
_NEW_LINE = object()  # <br>


@dataclass
class _Draft:
    """A block before it has its place."""

    kind: Kind
    text: str
    level: int | None = None
    rows: list[list[str]] | None = None
    heading: bool = False


@dataclass
class _Unit:
    """What the words at this place belong to. `together`: paragraphs in it stay in one block, a line each."""

    kind: Kind
    level: int | None = None
    together: bool = False


class _Page:
    """Collects drafts while it walks over elements; one loop, so that no depth of nesting is too deep."""

    def __init__(self) -> None:
        self.drafts: list[_Draft] = []
        self._words: list[str | object] = []
        self._units = [_Unit("paragraph")]
        self._lists = 0
        self._sealed = 0  # open cells, lists, quotes: no heading in them opens a section
        self._cells_seal: list[bool] = []  # for each open table
        self._topped = False  # a heading of level 1 or 2 was read
        self._scopes = 0
        self._labels = 0  # open headings, summaries and terms: a button in them is their text
        self._groups: list[str] = []  # for each open <dl>, whether the last was a dt or a dd

    def title(self) -> str:
        """The text of the first level-1 heading."""
        return next((draft.text for draft in self.drafts if draft.heading and draft.level == 1), "")

    def words(self) -> int:
        return sum(len(draft.text.split()) for draft in self.drafts)

    def read(self, root: etree._Element) -> None:
        """Walks over `root`; what follows it is not part of it."""
        walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        closing: list[Callable[[], None]] = []
        for event, element in walker:
            if event == "start":
                close = self._open(element)
                closing.append(close or _nothing)
                if close is None:
                    walker.skip_subtree()
                elif element.text:
                    self._words.append(element.text)
                continue
            if event == "end":
                closing.pop()()
            if element is not root and element.tail:
                self._words.append(element.tail)
        self._flush()

    # --- one element

    def _open(self, element: etree._Element) -> Callable[[], None] | None:
        """What is to be done at the element's end; None where its content is not walked over."""
        tag = element.tag
        if not isinstance(tag, str):
            return None
        if tag == "br":
            self._words.append(_NEW_LINE)
            return None
        if self._left_out(element):
            if is_block(element):
                self._break()
            elif tag in APART:
                self._words.append(" ")
            return None
        level = HEADINGS.get(tag) or _aria_level(element)
        if level:
            return self._open_heading(level)
        if tag == "table":
            return self._open_table(element)
        if tag in VERBATIM:
            self._flush()
            code = verbatim(element)
            if code:
                self.drafts.append(_Draft("code", code))
            return None
        if tag in LISTS:
            return self._open_list(tag)
        if tag == "li":
            self._flush()
            self._units.append(_Unit("list_item", max(self._lists, 1), together=True))
            self._sealed += 1
            return self._close_item
        if tag in ("dt", "dd") and self._groups:
            return self._open_definition(tag)
        if not is_block(element):
            return _nothing
        self._break()
        return self._open_block(tag)

    def _left_out(self, element: etree._Element) -> bool:
        if self._labels and element.tag == "button":
            return is_hidden(element)
        if self._labels and element.tag == "a" and not len(element) and (element.text or "").strip() in _ANCHORS:
            return True
        return left_out(element) or (element.tag in ("header", "footer") and not self._scopes)

    def _open_block(self, tag: str) -> Callable[[], None]:
        counts = []
        if tag in _SCOPES:
            counts.append("_scopes")
        if tag == "blockquote" or (tag in CELLS and (not self._cells_seal or self._cells_seal[-1])):
            counts.append("_sealed")
        if tag in ("summary", "dt"):
            counts.append("_labels")
        for name in counts:
            setattr(self, name, getattr(self, name) + 1)

        def close() -> None:
            self._break()
            for name in counts:
                setattr(self, name, getattr(self, name) - 1)

        return close

    def _open_heading(self, level: int) -> Callable[[], None]:
        self._labels += 1
        if self._units[-1].together or (self._sealed and (level > 1 or self._topped)):
            self._break()

            def close() -> None:
                self._labels -= 1
                self._break()

            return close
        self._flush()
        self._topped = self._topped or level < 3
        self._units.append(_Unit("heading", level))

        def end() -> None:
            self._labels -= 1
            self._flush()
            self._units.pop()

        return end

    def _open_list(self, tag: str) -> Callable[[], None]:
        self._flush()
        self._lists += 1
        self._sealed += 1
        self._units.append(_Unit("list_item", self._lists, together=True))
        if tag == "dl":
            self._groups.append("")

        def close() -> None:
            self._flush()
            self._units.pop()
            self._lists -= 1
            self._sealed -= 1
            if tag == "dl":
                self._groups.pop()

        return close

    def _close_item(self) -> None:
        self._flush()
        self._units.pop()
        self._sealed -= 1

    def _open_definition(self, tag: str) -> Callable[[], None]:
        if tag == "dt" and self._groups[-1] == "dd":
            self._flush()
        self._break()
        self._groups[-1] = tag
        return self._open_block(tag)

    def _open_table(self, table: etree._Element) -> Callable[[], None] | None:
        if is_layout(table):
            self._break()
            # a table that says itself that it is none has no cells either: a heading in it is the page's
            self._cells_seal.append(role_of(table) not in NO_TABLE)

            def close() -> None:
                self._break()
                self._cells_seal.pop()

            return close
        self._flush()
        outside, rows = rows_of(table)
        self.drafts += [_Draft("paragraph", text) for text in outside]
        if rows:
            self.drafts.append(_Draft("table", as_lines(rows), rows=rows))
        return None

    # --- words into blocks

    def _break(self) -> None:
        """A block begins or ends here."""
        unit = self._units[-1]
        if unit.together:
            self._words.append(_BREAK)
        elif self._flush() and unit.kind == "heading":
            unit.kind, unit.level = "paragraph", None  # an <h2> that was never closed must not take the page along

    def _flush(self) -> bool:
        """The words so far become a block of the unit that they belong to; whether there were any."""
        if not self._words:
            return False
        unit, words = self._units[-1], self._words
        self._words = []
        paragraphs = _paragraphs(words)
        if unit.kind == "paragraph":
            self.drafts += [_Draft("paragraph", text) for text in paragraphs]
        elif paragraphs and unit.kind == "heading":
            self.drafts.append(_Draft("heading", " ".join(" ".join(paragraphs).split()), unit.level, heading=True))
        elif paragraphs:
            self.drafts.append(_Draft(unit.kind, "\n".join(paragraphs), unit.level))
        return bool(paragraphs)


def _nothing() -> None:
    return None


def _paragraphs(words: list[str | object]) -> list[str]:
    """The words, white space folded, cut where a block begins or ends and where two <br> stand together."""
    paragraphs: list[str] = []
    line: list[str] = []
    breaks = 0
    for piece in (*words, _BREAK):
        if piece is _NEW_LINE:
            breaks += 1
            line.append(" ")
        elif isinstance(piece, str) and (breaks < 2 or piece.isspace()):
            line.append(piece)
            breaks = breaks if piece.isspace() else 0
        else:
            paragraphs.append(" ".join("".join(line).split()))
            line, breaks = [piece] if isinstance(piece, str) else [], 0
    return [text for text in paragraphs if text]


def _joined(drafts: list[_Draft]) -> tuple[str, list[Block]]:
    """The text of the page and its blocks, each with its place in it."""
    blocks: list[Block] = []
    path = HeadingPath()
    start, topped = 0, False
    for draft in drafts:
        kind, level, above = draft.kind, draft.level, path.here()
        if kind == "heading" and level == 1 and not topped:
            kind, level, topped, above = "title", None, True, path.title()
        elif kind == "heading":
            above = path.enter(level, draft.text)
            topped = topped or level < 3
        end = start + len(draft.text)
        blocks.append(Block(kind, draft.text, start, end, level=level, rows=draft.rows or [], heading_path=above))
        start = end + 2
    return "\n\n".join(draft.text for draft in drafts), blocks


def _aria_level(element: etree._Element) -> int | None:
    """The level of a <div role="heading">; None for what is no heading."""
    if "role" not in element.attrib or role_of(element) != "heading":
        return None
    return min(max(span(element.get("aria-level", "2"), 1, 6), 1), 6)
