"""What somebody sees of an HTML element, and what of it is no part of what the page says (lesson 06).

Only the page itself is asked: what a style sheet or a script hides is not known here.
"""

from __future__ import annotations

import re

from lxml import etree

INVISIBLE = frozenset(
    ("script", "style", "template", "noscript", "title", "desc", "datalist", "iframe", "object", "video", "audio", "canvas",
     "noframes", "noembed", "map", "area", "param")
)  # fmt: skip
_CONTROLS = frozenset(("input", "button", "select", "textarea", "option", "optgroup", "meter", "progress", "output"))
_PICTURES = frozenset(("img", "picture", "embed"))
# What is left out and yet stands between the words beside it.
APART = _CONTROLS | _PICTURES | {"iframe", "object", "video", "audio", "canvas"}
_NOT_THE_PAGE = frozenset(("navigation", "banner", "contentinfo", "search", "menu", "menubar", "toolbar"))
_HIDDEN_STYLE = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b", re.IGNORECASE)
_BLOCK_STYLE = re.compile(r"(?:^|;)\s*display\s*:\s*(?:block|flex|grid|list-item|table|flow-root)", re.IGNORECASE)
HEADINGS = {f"h{level}": level for level in range(1, 7)}
LISTS = frozenset(("ul", "ol", "menu", "dir", "dl"))
VERBATIM = frozenset(("pre", "xmp", "listing", "plaintext"))
CELLS = frozenset(("td", "th"))
_BLOCKS = frozenset(
    ("address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div", "dt", "fieldset",
     "figcaption", "figure", "footer", "form", "frameset", "header", "hgroup", "hr", "html", "legend", "li", "main", "nav", "optgroup",
     "option", "p", "search", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", *HEADINGS, *LISTS, *VERBATIM, *CELLS)
)  # fmt: skip


def is_hidden(element: etree._Element) -> bool:
    """Whether the element itself says that nobody sees it (what stands around it is not asked)."""
    tag, attributes = element.tag, element.attrib
    if tag in INVISIBLE:
        return True
    if not attributes:
        return tag == "dialog"
    if tag in ("html", "body"):
        return False  # pages hide themselves until their style has come
    if "hidden" in attributes or attributes.get("aria-hidden", "").strip().lower() == "true":
        return True
    if tag == "dialog" and "open" not in attributes:
        return True
    return "style" in attributes and bool(_HIDDEN_STYLE.search(attributes["style"]))


def left_out(element: etree._Element) -> bool:
    """Whether this is no part of what the page says, wherever it stands."""
    tag = element.tag
    if is_hidden(element) or tag == "nav" or tag in _PICTURES or tag in _CONTROLS:
        return True
    if tag == "form":
        return not _is_wrapper(element)
    return "role" in element.attrib and role_of(element) in _NOT_THE_PAGE


def _is_wrapper(form: etree._Element) -> bool:
    """Whether the page itself stands in this form, or a table's rows do."""
    if form.getparent() is not None and form.getparent().tag in ("table", "tbody", "thead", "tfoot", "tr"):
        return True
    return next(form.iterdescendants("main", "article", "h1", "h2"), None) is not None


def is_block(element: etree._Element) -> bool:
    """Whether the element begins on a line of its own, so that it never shares a word with what stands beside it."""
    style = element.get("style")
    return element.tag in _BLOCKS or (style is not None and bool(_BLOCK_STYLE.search(style)))


def role_of(element: etree._Element) -> str:
    """The element's ARIA role, '' where it has none."""
    return (element.get("role") or "").strip().lower()


def verbatim(element: etree._Element) -> str:
    """The text of a <pre>, its spaces and line ends as they stand; blank lines around it taken off."""
    pieces: list[str | None] = [element.text or ""]  # None: a block begins or ends
    walker = etree.iterwalk(element, events=("start", "end", "comment", "pi"))
    for event, each in walker:
        if each is element:
            continue
        if event == "start":
            if is_hidden(each):
                walker.skip_subtree()
                continue
            if each.tag == "br":
                pieces.append("\n")
            elif is_block(each):
                pieces.append(None)
            pieces.append(each.text or "")
            continue
        if event == "end" and is_block(each) and not is_hidden(each):
            pieces.append(None)
        pieces.append(each.tail or "")
    lines: list[str] = []
    for piece in pieces:
        if piece is not None:
            lines.append(piece)
        elif lines and not lines[-1].endswith("\n"):
            lines.append("\n")
    return re.sub(r"\A(?:[ \t]*\n)+", "", "".join(lines)).rstrip()


def folded(element: etree._Element, whole: bool = False) -> str:
    """The words in an element on one line. `whole`: with navigation and forms, which are left out of a page."""
    if not len(element) and not whole:
        return " ".join((element.text or "").split())
    skip = is_hidden if whole else left_out
    words: list[str] = []
    walker = etree.iterwalk(element, events=("start", "end", "comment", "pi"))
    for event, each in walker:
        if event == "start":
            apart = each.tag == "br" or each.tag in APART or is_block(each)
            if apart:
                words.append(" ")
            if each is not element and skip(each):
                walker.skip_subtree()
            elif each.text:
                words.append(each.text)
            continue
        if event == "end" and is_block(each):
            words.append(" ")
        if each is not element and each.tail:
            words.append(each.tail)
    return " ".join("".join(words).split())
