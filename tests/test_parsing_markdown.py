"""Markdown into blocks: what is a block, where it stands, what it is called, and the laws that hold for every text (lesson 06)."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit.collection import load_inventory
from labkit.parsing.markdown import read_markdown
from labkit.parsing.reading import parse
from labkit.sections import outline, split_sections


def read(text):
    return read_markdown(text, doc_id="x")


def kinds(text):
    """Each block as (kind, text), a level behind the kind where there is one."""
    return [(b.kind if b.level is None else f"{b.kind} {b.level}", b.text) for b in read(text).blocks]


CASES = [
    ("title and paragraph", "# T\n\none\ntwo\n", [("title", "# T"), ("paragraph", "one\ntwo")]),
    ("setext", "T\n=\n\nU\n---\nx", [("title", "T\n="), ("heading 2", "U\n---"), ("paragraph", "x")]),
    ("closing marks", "## A ##\nx", [("heading 2", "## A ##"), ("paragraph", "x")]),
    ("a second h1", "# T\n# U\n", [("title", "# T"), ("heading 1", "# U")]),
    ("an h1 after an h2", "## A\n# T\n", [("heading 2", "## A"), ("heading 1", "# T")]),
    ("an h1 after an h3", "### A\n# T\n", [("heading 3", "### A"), ("title", "# T")]),
    ("fences", "```\n## a\n```\n~~~ py\n# b\n~~~\n", [("code", "```\n## a\n```"), ("code", "~~~ py\n# b\n~~~")]),
    ("a fence that is never closed", "```\n## a\n", [("code", "```\n## a")]),
    ("indented code keeps its indent", "x\n\n    a\n\n      b\n", [("paragraph", "x"), ("code", "    a\n\n      b")]),
    ("items", "- a\n- b\n  c\n", [("list_item 1", "- a"), ("list_item 1", "- b\n  c")]),
    ("numbers", "1. a\n2) b\n", [("list_item 1", "1. a"), ("list_item 1", "2) b")]),
    ("paragraphs of an item", "- a\n\n  b\n\nc", [("list_item 1", "- a\n\n  b"), ("paragraph", "c")]),
    (
        "nested items, and what follows them",
        "- a\n  - b\n    - c\n\n  d\n- e",
        [("list_item 1", "- a"), ("list_item 2", "- b"), ("list_item 3", "- c"), ("list_item 1", "d"), ("list_item 1", "- e")],
    ),
    ("two markers on one line", "- - a\n  - b", [("list_item 2", "- - a"), ("list_item 2", "- b")]),
    ("empty items", "-\n- \n- a", [("list_item 1", "- a")]),
    ("a heading in an item", "- a\n  ## b\n", [("list_item 1", "- a\n  ## b")]),
    ("code in an item", "- a\n\n  ```\n  b\n  ```\n\n  c", [("list_item 1", "- a"), ("code", "```\n  b\n  ```"), ("list_item 1", "c")]),
    ("a quote", "> a\n>\n> ## b\n> c\n", [("paragraph", "> a\n>\n> ## b\n> c")]),
    ("a list in a quote", "> a\n> - b\n", [("paragraph", "> a"), ("list_item 1", "> - b")]),
    ("a quote in an item", "- a\n  > b\n", [("list_item 1", "- a\n  > b")]),
    ("two quotes", "> a\n\nx\n\n> b", [("paragraph", "> a"), ("paragraph", "x"), ("paragraph", "> b")]),
    ("a comment", "a\n\n<!-- b\n\n## c -->\n\nd", [("paragraph", "a"), ("paragraph", "d")]),
    ("text behind a comment", "<!-- b --> c\n", [("paragraph", "<!-- b --> c")]),
    ("HTML that shows something", "<div>\nb\n</div>\n\n<h2>c</h2>", [("paragraph", "<div>\nb\n</div>"), ("paragraph", "<h2>c</h2>")]),
    ("HTML that shows nothing", "<script>\nb\n</script>\n\n<a name=x>\n\n<p hidden>q</p>\n", []),
    ("definitions of links, rules", "[a]: https://x.example\n\n***\n\nb [a]", [("paragraph", "b [a]")]),
    ("a table", "| a | b |\n| - | - |\n| c | d |\n\ne", [("table", "| a | b |\n| - | - |\n| c | d |"), ("paragraph", "e")]),
    ("a table without outer pipes", "a | b\n-|-\nc | d\n", [("table", "a | b\n-|-\nc | d")]),
    ("no table without its second line", "| a | b |\n| c | d |\n", [("paragraph", "| a | b |\n| c | d |")]),
    ("a table in an item", "- a\n\n  | b |\n  | - |\n  | c |\n", [("list_item 1", "- a"), ("table", "| b |\n  | - |\n  | c |")]),
    ("front matter", "---\ntitle: '# x'\n---\na", [("paragraph", "a")]),
    ("CRLF", "# T\r\n\r\na\r\nb\r\n", [("title", "# T"), ("paragraph", "a\r\nb")]),
    ("CR", "# T\r\ra\rb\r", [("title", "# T"), ("paragraph", "a\rb")]),
    ("no line ends", "a\x0cb\u2028c\x85d\n\ne", [("paragraph", "a\x0cb\u2028c\x85d"), ("paragraph", "e")]),
    ("up to three spaces", "   ## a\n\n   b", [("heading 2", "## a"), ("paragraph", "b")]),
    ("a picture alone", "![alt](x.png)\n", [("paragraph", "![alt](x.png)")]),
    ("nothing", "\n \n<!-- x -->\n", []),
]


@pytest.mark.parametrize(("kind", "text", "expected"), CASES, ids=[case[0] for case in CASES])
def test_blocks(kind, text, expected):
    assert kinds(text) == expected


TABLES = [
    ("marks and entities off", "| **a** | `b` |\n|-|-|\n| c &amp; d | [e](f) |", [["a", "b"], ["c & d", "e"]]),
    ("an escaped pipe", "| a \\| b | `c \\| d` |\n|-|-|", [["a | b", "c | d"]]),
    ("no outer pipes", "a | b\n-|-\nc | d", [["a", "b"], ["c", "d"]]),
    ("ragged", "|a|b|\n|-|-|\n|c|\n|d||\n", [["a", "b"], ["c", ""], ["d", ""]]),
    ("<br> separates", "| a<br>b<br/>c |\n|-|", [["a b c"]]),
    ("a comment is not seen", "| a <!-- x --> b |\n|-|", [["a b"]]),
    ("a backslash", "| \\*a\\* |\n|-|", [["*a*"]]),
    ("a link's definition elsewhere", "| [a][r] |\n|-|\n\n[r]: https://x.example", [["a"]]),
    ("in a quote", "> | a |\n> |-|\n> | b |", [["a"], ["b"]]),
    ("CR", "|a|\r|-|\r|b|\r", [["a"], ["b"]]),
]


@pytest.mark.parametrize(("kind", "text", "rows"), TABLES, ids=[case[0] for case in TABLES])
def test_rows(kind, text, rows):
    (block,) = read(text).blocks
    assert (block.kind, block.rows) == ("table", rows)


def test_a_long_table_is_one_block():
    text = "| a | b |\n|-|-|\n" + "| word word | word |\n" * 200
    (block,) = read(text).blocks
    assert len(block.rows) == 201 and block.text == text.strip()


def test_the_headings_above():
    blocks = read("# T\np\n### A *b*\nq\n## B\nr\n#### C\ns\n### D\n- t\n# E\nu\n## F\nv").blocks
    assert [(b.text, b.heading_path) for b in blocks if b.kind in ("paragraph", "list_item")] == [
        ("p", []),
        ("q", ["A b"]),
        ("r", ["B"]),
        ("s", ["B", "C"]),
        ("- t", ["B", "D"]),
        ("u", ["E"]),
        ("v", ["E", "F"]),
    ]
    assert [b.heading_path for b in blocks if b.kind == "heading"][:3] == [["A b"], ["B"], ["B", "C"]]
    assert blocks[0].heading_path == []


@pytest.mark.parametrize(
    ("text", "title"),
    [("# A *b* &amp; c\n", "A b & c"), ("## A\n", ""), ("## A\n# B\n", "B"), ("# A\n# B\n", "A"), ("- # A\n", ""), ("#\n", "")],
)
def test_the_title(text, title):
    assert read(text).title == title
    assert read_markdown(text, doc_id="x", title="Given").title == "Given"


def test_sections_are_those_of_split_sections():
    text = "---\na: b\n---\nx\n\n## Notes\n\ny\n\n## Notes ##\n\n```\n## z\n```\n\n##\n\nend \n"
    spans = read(text).sections
    assert [(s.title, s.name, text[s.start : s.end].split("\n")[0]) for s in spans] == [
        ("Notes", "Notes", "## Notes"),
        ("Notes", "Notes-2", "## Notes ##"),
        ("", "untitled", "##"),
    ]
    assert read(text).body == text.index("x\n")


def test_what_says_nothing_says_so():
    (problem,) = read("---\na: b\n---\n<!-- later -->\n").problems
    assert problem.page is None and problem.todo
    assert read("a").problems == []


@pytest.mark.parametrize("text", ["> " * 3000 + "deep", "- " * 3000 + "deep", "- > " * 400 + "deep"], ids=["quotes", "items", "both"])
def test_deep_nesting_keeps_its_text(text):
    (block,) = read(f"{text}\n").blocks
    assert block.text == text


@pytest.mark.parametrize("document", [d for d in load_inventory() if d.format == "md"], ids=lambda document: document.file)
def test_the_collections_documents(document):
    parsed = parse(document)
    assert parsed.text == document.read() and parsed.problems == [] and parsed == parse(document)
    assert [(s.name, s.start, s.end) for s in parsed.sections] == [(s.sections[0], s.start, s.end) for s in split_sections(document)]
    assert parsed.blocks[0].kind == "title" and sum(b.kind == "title" for b in parsed.blocks) == 1
    seen = re.sub(r"<!--.*?-->", "", parsed.text[parsed.body :], flags=re.DOTALL)
    assert [word for block in parsed.blocks for word in block.text.split()] == seen.split()


# --- laws -----------------------------------------------------------------------------------------------------------------------


def hold_the_laws(text):
    parsed = read(text)
    position = parsed.body
    for block in parsed.blocks:
        assert position <= block.start < block.end <= len(text)
        assert text[block.start : block.end] == block.text and block.text.strip()
        assert (block.level is not None) == (block.kind in ("heading", "list_item"))
        assert (block.kind == "table") == bool(block.rows)
        assert len({len(row) for row in block.rows}) <= 1
        position = block.end
    assert [(s.title, s.name, s.start, s.end) for s in parsed.sections] == [
        (h.title, h.name, h.start, h.end) for h in outline(text).headings
    ]
    assert {s.start for s in parsed.sections} == {b.start for b in parsed.blocks if b.kind == "heading" and b.level == 2}
    assert parsed == read(text)
    return parsed


pieces = st.one_of(
    st.sampled_from(["# ", "## ", "### ", "- ", "  - ", "> ", "1. ", "    ", "\t", "```\n", "~~~", "`", "\\", "---", "===", "***"]),
    st.sampled_from(["| a | b |\n", "|-|-|\n", "\\|", "|", "<!-- ", "-->", "<div>", "</div>", "<br>", "[a]: b", "word", "é"]),
    st.sampled_from(["\u2028", "\x0c", "\x85", "\n", "\n\n", "\r\n", "\r"]),
)


@pytest.mark.parametrize("text", ["\u2028\r  - ", "\x0c\n---\n", "   \x0c\n===\n", "  ## \u2028 a\n"])
def test_headings_that_begin_with_an_odd_blank(text):
    hold_the_laws(text)


@settings(deadline=None)
@given(st.lists(pieces, max_size=40).map("".join))
def test_laws_for_anything_that_looks_like_markdown(text):
    hold_the_laws(text)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_laws_for_any_text(text):
    hold_the_laws(text)


@st.composite
def documents(draw):
    """(text, words): a document whose every word is its own and is seen by a reader."""
    number = iter(range(10_000))

    def word():
        return f"w{next(number)}"

    def prose():
        return " ".join(word() for _ in range(draw(st.integers(1, 4))))

    def table():
        width = draw(st.integers(1, 3))
        lines = ["| " + " | ".join(word() for _ in range(width)) + " |" for _ in range(draw(st.integers(1, 3)))]
        return "\n".join([lines[0], "|-" * width + "|", *lines[1:]])

    def block(depth):
        kind = draw(st.sampled_from(["p", "h", "table", "fence", "html", "comment", *(["list", "quote"] if depth < 3 else [])]))
        if kind == "p":
            return prose() + ("\n" + prose() if draw(st.booleans()) else "")
        if kind == "h":
            return "#" * draw(st.integers(1, 4)) + " " + prose()
        if kind == "table":
            return table()
        if kind == "fence":
            return f"```\n{prose()}\n## {prose()}\n```"
        if kind == "html":
            return f"<div>{prose()}</div>"
        if kind == "comment":
            return "<!-- unseen -->"
        inner = "\n\n".join(block(depth + 1) for _ in range(draw(st.integers(1, 3))))
        first, rest = ("> ", "> ") if kind == "quote" else draw(st.sampled_from([("- ", "  "), ("1. ", "   ")]))
        lines = inner.split("\n")
        return "\n".join([first + lines[0], *(rest + line if line else rest.rstrip() for line in lines[1:])])

    body = "\n\n".join(block(0) for _ in range(draw(st.integers(1, 6))))
    ends = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    return body.replace("\n", ends), [f"w{each}" for each in range(next(number))]


@settings(deadline=None)
@given(documents())
def test_each_visible_word_is_in_exactly_one_block(made):
    text, words = made
    parsed = hold_the_laws(text)
    assert [word for block in parsed.blocks for word in re.findall(r"w\d+", block.text)] == words
    for block in parsed.blocks:
        if block.rows:
            assert [cell for row in block.rows for cell in row] == re.findall(r"w\d+", block.text)


def test_a_title_that_comes_late_closes_what_stood_open():
    parsed = read_markdown("### Note\n\na\n\n# Title\n\nb\n\n## Part\n\nc\n", doc_id="x")
    assert [(block.kind, block.heading_path) for block in parsed.blocks] == [
        ("heading", ["Note"]), ("paragraph", ["Note"]), ("title", []), ("paragraph", []), ("heading", ["Part"]), ("paragraph", ["Part"]),
    ]  # fmt: skip
