"""Parents: what stands under one heading (lesson 11)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parsed_documents import by_hand, markdowns, parsed_markdown

import labkit
from labkit.errors import BadArgument
from labkit.hierarchy import parents
from labkit.parsing.blocks import Page

CODE = """# The Code

Before all parts.

# Part 1 General

What this Part does.

## Article 1 Purpose

(1) One.

### In short

Two.

# Part 2 Contracts

## Article 2 Duty

Three.

## Article 3 (repealed)

## Article 4 Prices

Four.
"""


def seen(parsed, **options):
    return [(parent.heading_path, parent.text) for parent in parents(parsed, **options)]


def test_each_heading_begins_a_parent():
    assert seen(parsed_markdown(CODE)) == [
        ([], "Before all parts."),
        (["Part 1 General"], "# Part 1 General\n\nWhat this Part does."),
        (["Part 1 General", "Article 1 Purpose"], "## Article 1 Purpose\n\n(1) One."),
        (["Part 1 General", "Article 1 Purpose", "In short"], "### In short\n\nTwo."),
        (["Part 2 Contracts", "Article 2 Duty"], "# Part 2 Contracts\n\n## Article 2 Duty\n\nThree."),
        (["Part 2 Contracts", "Article 3 (repealed)"], "## Article 3 (repealed)"),
        (["Part 2 Contracts", "Article 4 Prices"], "## Article 4 Prices\n\nFour."),
    ]


# (what it is about, Markdown, deepest, [(path, text)])
CASES = [
    ("deeper headings stay inside", "# T\n\n## A\n\na\n\n### B\n\nb\n\n## C\n\nc", 2,
     [(["A"], "## A\n\na\n\n### B\n\nb"), (["C"], "## C\n\nc")]),
    ("a deeper heading before the first", "# T\n\n### B\n\nb\n\n## A\n\na", 2, [([], "### B\n\nb"), (["A"], "## A\n\na")]),
    ("a heading over a deeper one waits", "## A\n\n### B\n\n#### C\n\nc", 6, [(["A", "B", "C"], "## A\n\n### B\n\n#### C\n\nc")]),
    ("also over one that is left out between", "## A\n\n##### C\n\nc", 6, [(["A", "C"], "## A\n\n##### C\n\nc")]),
    ("but not over its like", "## A\n\n## B\n\nb", 6, [(["A"], "## A"), (["B"], "## B\n\nb")]),
    ("nor over a higher one", "### A\n\n## B\n\nb", 6, [(["A"], "### A"), (["B"], "## B\n\nb")]),
    ("a waiting heading and one below the depth", "## A\n\n### B\n\nb\n\n### C", 2, [(["A"], "## A\n\n### B\n\nb\n\n### C")]),
    ("the last heading is empty", "## A\n\na\n\n## B", 6, [(["A"], "## A\n\na"), (["B"], "## B")]),
    ("only a title", "# T\n", 6, []),
    ("nothing", "", 6, []),
    ("text before the title and after it", "hello\n\n# T\n\nintro", 6, [([], "hello"), ([], "intro")]),
    ("no heading at all", "one\n\ntwo", 6, [([], "one\n\ntwo")]),
    ("front matter is in none", "---\na: b\n---\n\n## A\n\na", 6, [(["A"], "## A\n\na")]),
    ("a comment and a rule stay with what is before", "## A\n\na\n\n<!-- x -->\n\n---\n\n## B\n\nb", 6,
     [(["A"], "## A\n\na\n\n<!-- x -->\n\n---"), (["B"], "## B\n\nb")]),
    ("headings repeat", "## A\n\n### Notes\n\n1\n\n## B\n\n### Notes\n\n2", 6,
     [(["A", "Notes"], "## A\n\n### Notes\n\n1"), (["B", "Notes"], "## B\n\n### Notes\n\n2")]),
    ("line ends", "## A\r\n\r\na\r\n\r\n## B\r\n\r\nb\r\n", 6, [(["A"], "## A\r\n\r\na"), (["B"], "## B\r\n\r\nb")]),
]  # fmt: skip


@pytest.mark.parametrize(("markdown", "deepest", "expected"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_where_parents_begin_and_end(markdown, deepest, expected):
    assert seen(parsed_markdown(markdown), deepest=deepest) == expected


def test_ids_number_the_parents_of_one_edition():
    made = parents(parsed_markdown(CODE, doc_id="code", version="2026", access="public", language="en"))
    assert [parent.parent_id for parent in made] == [f"parent_000{number}" for number in range(1, 8)]
    assert made[3].id == "code@v2026#parent_0004" and made[3].position == 3
    assert (made[0].doc_id, made[0].version, made[0].access, made[0].language) == ("code", "2026", "public", "en")
    many = parents(parsed_markdown("\n\n".join(f"## {number}\n\nx" for number in range(10_001))))
    assert many[-1].parent_id == "parent_10001" and many[163].parent_id == "parent_0164"


def test_the_context_says_what_the_text_does_not():
    contexts = [parent.context for parent in parents(parsed_markdown(CODE))]
    assert contexts == [
        "The Code",
        "The Code",
        "The Code › Part 1 General",
        "The Code › Part 1 General › Article 1 Purpose",
        "The Code",
        "The Code › Part 2 Contracts",
        "The Code › Part 2 Contracts",
    ]
    for parent in parents(parsed_markdown(CODE)):
        assert all(parent.passage.count(name) == 1 for name in ["The Code", *parent.heading_path])


def test_sections_and_pages_of_a_parent():
    parsed = by_hand(
        ("heading", "A", {"level": 2, "page": 1, "heading_path": ["A"]}),
        ("paragraph", "b c d e f g h", {"page": 1, "heading_path": ["A"]}),
        ("paragraph", "on", {"page": 3, "heading_path": ["A"]}),
        pages=[Page(1, "i", 0, 5), Page(2, "1", 6, 16), Page(3, "2", 18, 20)],
    )
    (parent,) = parents(parsed)
    assert parent.pages == (1, 2, 3)
    assert [parent.sections for parent in parents(parsed_markdown(CODE))][1:4] == [(), ("Article 1 Purpose",), ("Article 1 Purpose",)]


def test_a_shortened_parent_holds_the_blocks_that_are_left():
    parent = parents(parsed_markdown(CODE))[2]
    short = parent.shortened(11)
    assert short.words == 11 and short.parent_id == parent.parent_id
    assert "".join(block.text for block in short.blocks) == "## Article 1 Purpose(1)"
    assert parent.text.startswith(short.text)


def test_parents_can_stand_in_sets():
    made = parents(parsed_markdown(CODE))
    assert len({*made, *parents(parsed_markdown(CODE))}) == len(made)


@pytest.mark.parametrize("deepest", [0, 7, 1.0, True, None, "2"])
def test_a_depth_that_is_none(deepest):
    with pytest.raises(BadArgument, match=r"deepest=.*from 1 to 6"):
        parents(parsed_markdown(CODE), deepest=deepest)


@pytest.mark.parametrize("thing", ["a.md", None, []])
def test_what_is_no_parsed_document(thing):
    with pytest.raises(BadArgument, match=f"a {type(thing).__name__} — parse"):
        parents(thing)


def test_public_names():
    assert labkit.parents is parents and labkit.Parent.__name__ == "Parent"


@settings(max_examples=200, deadline=None)
@given(markdowns, st.integers(1, 6))
def test_laws(markdown, deepest):
    parsed = parsed_markdown(markdown)
    made = parents(parsed, deepest)
    at = 0
    for parent in made:
        assert at <= parent.start and parent.text == parsed.text[parent.start : parent.end] == parent.text.strip() != ""
        assert parent.blocks and parent.blocks[0].start == parent.start
        at = parent.end
    assert [block for parent in made for block in parent.blocks] == [block for block in parsed.blocks if block.kind != "title"]
    for parent in made:
        opened = [block for block in parent.blocks if block.kind == "heading" and block.level <= deepest]
        assert opened == list(parent.blocks[: len(opened)])  # no heading that begins a parent stands inside of one
        if opened:
            assert parent.heading_path == opened[-1].heading_path
        held = [block.heading_path[-1] for block in opened]
        assert parent.context == " › ".join(
            name for name in [parsed.title, *parent.heading_path[: len(parent.heading_path) - len(held)]] if name
        )
    assert made == parents(parsed, deepest)
