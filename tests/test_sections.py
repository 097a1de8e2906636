"""Sections: what is a heading, and where each piece stands (lesson 02)."""

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.collection import Document
from labkit.errors import DocumentError
from labkit.passages import slug
from labkit.sections import line_of, outline, split_sections

F = "```"

# (what it is about, text, the titles of its sections)
HEADINGS = [
    ("two plain ones", "# T\n\n## A\n\na\n\n## B\n\nb\n", ["A", "B"]),
    ("no heading at all", "just words\n", []),
    ("empty file", "", []),
    ("only blank lines", "\n \n\t\n", []),
    ("in a backtick fence", f"## A\n\n{F}\n## no\n{F}\n", ["A"]),
    ("in a tilde fence", "## A\n\n~~~ sh\n## no\n~~~\n\n## B", ["A", "B"]),
    ("a longer fence holds a shorter one", f"````\n{F}\n## no\n{F}\n## no\n````\n## yes\n", ["yes"]),
    ("a fence that never closes runs to the end", f"## A\n\n{F}\n## no\n", ["A"]),
    ("indented code", "## A\n\n    ## no\n", ["A"]),
    ("up to three spaces are a heading", "   ## A\n\na\n", ["A"]),
    ("a comment", "<!--\n## no\n\n## no\n-->\n\n## A\n", ["A"]),
    ("a comment that never closes", "## A\n\n<!--\n## no\n", ["A"]),
    ("an html block ends at a blank line", "<div>\n## no\n\n## A\n</div>\n", ["A"]),
    ("script", "<script>\n\n## no\n</script>\n\n## A\n", ["A"]),
    ("setext", "Title\n---\n\nx\n\nMore\nlines\n-----\n", ["Title", "More lines"]),
    ("setext level 1 is no section", "Title\n===\n\n## A\n", ["A"]),
    ("a rule after a blank line is no heading", "words\n\n---\n\n## A\n", ["A"]),
    ("in a list item", "- ## no\n\n1. x\n\n   ## no\n\n## A\n", ["A"]),
    ("in a quote", "> ## no\n\n## A\n", ["A"]),
    ("closing marks stripped", "## A ##\n\n## B ####   \n\n## C#\n", ["A", "B", "C#"]),
    ("empty headings", "##\n\nx\n\n## ##\n", ["", ""]),
    ("no space is no heading", "##A\n\n## B\n", ["B"]),
    ("escaped", "\\## no\n\n## A\n", ["A"]),
    ("seven levels and three", "### three\n\n####### no\n\n## A\n\n### inside\n", ["A"]),
    ("tab after the marks", "##\tA\n", ["A"]),
    (
        "emphasis, code, links, entities",
        "## *Return* `window` [of](x) 30&nbsp;days &amp; more ![alt *t*](i.png)",
        ["Return window of 30 days & more alt t"],
    ),
    ("tags are not text", "## A <b>bold</b> move\n", ["A bold move"]),
    ("link by reference", "## See [our terms][t]\n\n[t]: http://example.org\n", ["See our terms"]),
    ("a heading ends a paragraph", "words\n## A\nmore\n## B\n", ["A", "B"]),
    ("CRLF", "## A\r\n\r\na\r\n\r\n## B\r\n", ["A", "B"]),
    ("CR alone", "## A\r\ra\r\r## B\r", ["A", "B"]),
    ("mixed line ends", "## A\r\n\na\r## B\n\r## C", ["A", "B", "C"]),
    ("U+2028, U+0085, form feed, vertical tab are no line ends", "x\u2028## no\x85## no\x0c## no\x0b## no\n\n## A\n", ["A"]),
    ("a form feed is a heading's text", "\x0c\n---\nx\n\n## A\n", ["", "A"]),
    ("a table cell", "| ## no | b |\n|---|---|\n| ## no | c |\n\n## A\n", ["A"]),
    ("a table without outer pipes is not setext", "a | b\n--- | ---\n1 | 2\n\n## A\n", ["A"]),
    ("front matter", "---\ntitle: x\n## no: comment\n---\n## A\n", ["A"]),
    ("front matter ended by dots", "---\ntitle: x\n# no\n...\n\n## A\n", ["A"]),
    ("front matter with a rule inside a value", "---\ntitle: a --- b\nnote: |\n  ---\n---\n\n## A\n", ["A"]),
    ("front matter, CRLF", "---\r\ntitle: x\r\n---\r\n\r\n## A\r\n", ["A"]),
    ("empty front matter", "---\n---\n\n## A\n", ["A"]),
    ("a rule at the top is no front matter", "---\n\n## A\n\na\n\n---\n\n## B\n", ["A", "B"]),
    ("front matter that never ends is none", "---\n\n## A\n\nx\n", ["A"]),
    ("a rule, then words, then a rule", "---\n## A\n---\n", ["A"]),
    ("NUL inside", "## A\0B\n\n\0\n\n## C\n", ["A\ufffdB", "C"]),
    ("deep nesting", "> " * 200 + "## no\n\n## A\n", ["A"]),
]


@pytest.mark.parametrize(("about", "text", "titles"), HEADINGS, ids=[row[0] for row in HEADINGS])
def test_what_is_a_section(about, text, titles):
    assert [heading.title for heading in outline(text).headings] == titles


@pytest.mark.parametrize(
    ("titles", "slugs"),
    [
        (["Notes", "Notes"], ["notes", "notes-2"]),
        (["Notes", "notes!", "NOTES"], ["notes", "notes-2", "notes-3"]),
        (["Notes", "Notes-2", "Notes"], ["notes", "notes-2", "notes-3"]),
        (["Notes", "Notes", "Notes 2"], ["notes", "notes-2", "notes-2-2"]),
        (["", "", "!!!"], ["untitled", "untitled-2", "untitled-3"]),
        (["Délais de livraison", "L’été"], ["délais-de-livraison", "l-été"]),
    ],
)
def test_names_are_unique(titles, slugs):
    text = "".join(f"## {title}\n\nx\n\n" for title in titles)
    names = [heading.name for heading in outline(text).headings]
    assert [slug(name) for name in names] == slugs


def document(path, text, **other):
    path.write_bytes(text.encode())
    fields = dict(doc_id="returns-policy", title="Returns policy", version="3", effective_from=date(2025, 3, 1), effective_to=None)
    fields |= dict(owner="Support", access="public", language="en", doc_type="policy", format="md", path=path, file=path.name, line=2)
    return Document(**(fields | other))


def test_a_section_knows_where_it_comes_from(tmp_path):
    text = "# Returns policy\n\nWelcome.\n\n## Return window\n\nÉté: 30 days.\n\n\n## Notes  \nx\n"
    first, second = split_sections(document(tmp_path / "r.md", text, access="staff", language="fr"))
    assert first.id == first.passage_id == "returns-policy@v3#return-window"
    assert (first.doc_id, first.version, first.access, first.language) == ("returns-policy", "3", "staff", "fr")
    assert first.section == "Return window" and first.sections == ("Return window",)
    assert first.text == "## Return window\n\nÉté: 30 days." == text[first.start : first.end]
    assert first.context == "Returns policy"
    assert first.passage == "Returns policy\n\n## Return window\n\nÉté: 30 days."
    assert first.words == 8
    assert second.text == "## Notes  \nx"


def test_positions_count_from_after_the_bom(tmp_path):
    (section,) = split_sections(document(tmp_path / "r.md", "\ufeff## A\n\nx\n"))
    assert (section.start, section.end, section.text) == (0, 7, "## A\n\nx")


def test_line_ends_are_kept(tmp_path):
    (section,) = split_sections(document(tmp_path / "r.md", "## A\r\n\r\nx\r\ny\r\n"))
    assert section.text == "## A\r\n\r\nx\r\ny"


@pytest.mark.parametrize("fmt", ["html", "pdf"])
def test_other_formats_are_named(tmp_path, fmt):
    with pytest.raises(DocumentError, match=rf"r\.x: .*{fmt.upper()}.*lesson 06"):
        split_sections(document(tmp_path / "r.x", "## A", format=fmt))


@pytest.mark.parametrize(("position", "line"), [(0, 1), (4, 1), (5, 2), (6, 3), (8, 3), (9, 4), (10, 5)])
def test_line_of(position, line):
    assert line_of("## A\n\nx\r\n\ry", position) == line


# Laws

lines = st.sampled_from(
    [
        *("## A", "## A ##", "### B", "# C", "##", "  ## two spaces", "    ## code", "> ## q", "1. ## n", "- item", "\\## x"),
        *("words here", "", " ", "\tx", "\x0c", "a\u2028b", "e\u0301 \U0001f600", "\0", "key: value"),
        *("```", "~~~", "<!--", "-->", "<div>", "</div>", "---", "===", "...", "| a | b |", "|---|---|"),
    ]
)
texts = st.one_of(
    st.lists(st.tuples(lines, st.sampled_from(["\n", "\r\n", "\r"]))).map(lambda parts: "".join(line + end for line, end in parts)),
    st.text(),
)


@given(texts)
def test_every_non_blank_character_of_the_body_is_in_exactly_one_place(text):
    parts = outline(text)
    spans = [(parts.body, parts.preamble_end), *((heading.start, heading.end) for heading in parts.headings)]
    position = 0
    for number, (start, end) in enumerate(spans):
        assert position <= start <= end <= len(text)
        if number:
            assert not text[position:start].strip()
        position = end
    assert not text[position:].strip()


@given(texts)
def test_a_section_begins_at_its_heading_and_ends_at_a_visible_character(text):
    for heading in outline(text).headings:
        piece = text[heading.start : heading.end]
        assert piece == piece.rstrip() and piece[0] not in " \t\r\n"
        # the piece alone is one section again, with the same title
        (again,) = outline(piece).headings[:1]
        assert (again.title, again.start) == (heading.title, 0)


def test_many_equal_headings_are_numbered_in_one_go():
    headings = outline("## Notes\n\n" * 20_000 + "## Notes-7\n").headings
    assert [headings[place].name for place in (0, 1, 6, 19_999, 20_000)] == ["Notes", "Notes-2", "Notes-7", "Notes-20000", "Notes-7-2"]


@given(texts)
def test_names_differ_and_line_ends_do_not_matter(text):
    headings = outline(text).headings
    assert len({slug(heading.name) for heading in headings}) == len(headings)
    unix = re.sub(r"\r\n|\r", "\n", text)
    assert [heading.name for heading in outline(unix).headings] == [heading.name for heading in headings]
