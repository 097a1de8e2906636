"""From the bytes of an HTML page to its tree: which character set, and where the parser differs from a browser (lesson 06).

The parser is lxml (libxml2): it closes <td>, <li> and <p> where a browser does, which html.parser does not, and reads 5 MB in a second
where html5lib takes half a minute.
"""

from __future__ import annotations

import re

from lxml import etree

from labkit.collection import declared_charset, where_declared
from labkit.parsing.blocks import Problem
from labkit.textfiles import bad_bytes, is_utf16, without_bom

FALLBACK = "windows-1252"

_SAYS_UTF8 = re.compile(rb"""(?:<meta[^>]*?charset|\A\s*<\?xml[^>]*?encoding)\s*=\s*["']?\s*utf-?8""", re.IGNORECASE)
_AFTER_THE_END = re.compile(r"</(?:body|html)\b[^>]*>", re.IGNORECASE)
_CLOSED_BREAK = re.compile(r"</br\s*>", re.IGNORECASE)
_LINE_ENDS = re.compile(r"\r\n?")


def decode(data: bytes) -> tuple[str, list[Problem]]:
    """The source of a page: by its byte order mark, else as it declares, else UTF-8, else Windows-1252; and what did not fit."""
    body = without_bom(data)
    marked = body is not data
    charset = "utf-16" if is_utf16(data) else (None if marked else declared_charset(body)) or "utf-8"
    try:
        return body.decode(charset), []
    except UnicodeError:
        pass
    if charset == "utf-8" and not marked and not _SAYS_UTF8.search(where_declared(body)):
        what = f"the page declares no character set and is not UTF-8 ({bad_bytes(body)[0]}); it was read as {FALLBACK}"
        return body.decode(FALLBACK, errors="replace"), [Problem(None, what, "see whether its accents are right, or save it as UTF-8")]
    text = body.decode(charset, errors="replace")
    unread = text.count(chr(0xFFFD))
    what = f"the page was read as {charset}, as it says, and {unread} of its characters are not; each is shown as {chr(0xFFFD)}"
    return text, [Problem(None, what, "save it as UTF-8, or declare the character set that it is written in")]


def tree_of(source: str) -> etree._Element | None:
    """The page's <html> element; None where there is nothing in it."""
    source = _LINE_ENDS.sub("\n", source.replace("\0", ""))
    # libxml2 puts what follows </html> where no walk finds it; a browser goes on as if the page had not ended
    source = _CLOSED_BREAK.sub("<br>", _AFTER_THE_END.sub("", source))
    data = source.encode("utf-8", errors="replace")
    # libxml2 builds no tree deeper than 2,048; lxml's own builder has no such limit, and is slower
    for target in ({}, {"target": etree.TreeBuilder()}):
        parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, **target)
        try:
            tree = etree.fromstring(data, parser)
        except (etree.ParserError, etree.XMLSyntaxError):
            return None
        if not any(error.type_name == "ERR_RESOURCE_LIMIT" for error in parser.error_log):
            break
    return tree if tree is not None and isinstance(tree.tag, str) else None
