"""Parsed documents for the tests of chunkers: from Markdown, by hand, and made up at random."""

from __future__ import annotations

from hypothesis import strategies as st

from labkit.parsing.blocks import Block, Page, ParsedDocument
from labkit.parsing.markdown import read_markdown


def parsed_markdown(text: str, title: str | None = None, doc_id: str = "d", **labels) -> ParsedDocument:
    return read_markdown(text, doc_id=doc_id, title=title, **labels)


def by_hand(*pieces: tuple, title: str = "T", pages: list[Page] | None = None, **fields) -> ParsedDocument:
    """A document of (kind, text, other fields of its Block) pieces, a blank line between them."""
    text, blocks = "", []
    for kind, words, *more in pieces:
        text += "\n\n" if text else ""
        start = len(text)
        text += words
        blocks.append(Block(kind, words, start, len(text), **(more[0] if more else {})))
    labels = dict(doc_id="d", version="1", access="public", language="en", format="pdf")
    return ParsedDocument(title=title, text=text, blocks=blocks, pages=pages or [], **(labels | fields))


_word = st.sampled_from(["kettle", "Refund", "the", "é", "30", "days.", "Why?", "J.", "(so)", "a\u2028b", "PK-2200-07", "😀", "|"])
_line = st.lists(_word, min_size=1, max_size=12).map(" ".join)
_prose = st.lists(_line, min_size=1, max_size=4).map("\n".join)
_items = st.lists(st.tuples(st.sampled_from(["- ", "  - ", "1. ", "* "]), _line).map("".join), min_size=1, max_size=4).map("\n".join)
_rows = st.lists(st.tuples(_line, _line).map(lambda cells: f"| {cells[0].replace('|', '/')} | {cells[1].replace('|', '/')} |"), max_size=5)
_table = _rows.map(lambda rows: "\n".join(["| a | b |", "|---|---|", *rows]))
_code = _prose.map(lambda lines: f"```\n{lines}\n```")
_outside = st.sampled_from(["---", "<!-- ## a comment\nof two lines -->", "[ref]: http://example.org", "", "> a quote. Of two"])
_heading = st.tuples(st.integers(1, 4), st.sampled_from(["Notes", "Return window", "The pump kit and what it fits", ""])).map(
    lambda pair: f"{'#' * pair[0]} {pair[1]}"
)
_two = st.sampled_from(["## Notes", "## Return window", "Setext\n---"])

# Markdown documents of every kind of block, in any order.
markdowns = st.tuples(
    st.sampled_from(["", "---\ntitle: front matter\n---\n", "# The title\n\n", "intro\n\n# The title\n\n", "Title\n===\n\n"]),
    st.lists(st.one_of(_prose, _items, _table, _code, _outside, _heading, _two), max_size=14),
    st.sampled_from(["\n\n", "\r\n\r\n", "\n\n\n", "\r\r"]),
).map(lambda parts: parts[0] + parts[2].join(parts[1]))
