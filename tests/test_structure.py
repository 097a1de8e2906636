"""Chunks that follow the structure (lesson 07)."""

import re
import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parsed_documents import by_hand, markdowns, parsed_markdown

from labkit.chunking import by_structure, readings
from labkit.chunking.sentences import sentence_starts
from labkit.collection import load_inventory
from labkit.errors import BadArgument
from labkit.parsing.blocks import Page
from labkit.parsing.html import read_html
from labkit.parsing.reading import parse

LARKFIELD = {document.file: parse(document) for document in load_inventory()}


def texts(markdown: str, max_words: int = 200, **more) -> list[str]:
    return [chunk.text for chunk in by_structure(parsed_markdown(markdown, **more), max_words)]


def w(number: int, name: str = "w") -> str:
    return " ".join(f"{name}{place}" for place in range(number))


# (what it is about, Markdown, most words, texts of the chunks)
CUTS = [
    ("a section that fits is one chunk, from its own heading", "# T\n\n## A\n\na\n\nb\n\n## B\n\nc", 9, ["## A\n\na\n\nb", "## B\n\nc"]),
    ("text before the first section", "# T\n\nintro\n\nmore\n\n## A\n\na", 9, ["intro\n\nmore", "## A\n\na"]),
    ("only a title", "# T\n", 9, []),
    ("no title", "intro\n\n## A\n\na", 9, ["intro", "## A\n\na"]),
    ("text before the title", "hello\n\n# T\n\nintro\n\n## A\n\na", 9, ["hello", "intro", "## A\n\na"]),
    ("never across sections, however small", "## A\n\na\n\n## B\n\nb\n\n## C", 99, ["## A\n\na", "## B\n\nb", "## C"]),
    ("a heading without words below", "## A\n\n## B\n\nb", 99, ["## A", "## B\n\nb"]),
    ("exactly the limit fits", "# T\n\n## A\n\na b\n\nc d", 7, ["## A\n\na b\n\nc d"]),
    ("one more does not", "# T\n\n## A\n\na b\n\nc d e", 7, ["## A\n\na b", "c d e"]),
    ("packed as far as it goes", "## A\n\na b\n\nc\n\nd e\n\nf", 5, ["## A\n\na b\n\nc", "d e\n\nf"]),
    ("the context of what goes on counts", "# T t\n\n## A\n\na b c\n\nd e f\n\ng", 7, ["## A\n\na b c", "d e f\n\ng"]),
    ("a heading goes with what follows", "## A\n\na b\n\n### B\n\nc d", 6, ["## A\n\na b", "### B\n\nc d"]),
    ("headings in a row too", "## A\n\na b\n\n### B\n\n#### C\n\nd e", 7, ["## A\n\na b", "### B\n\n#### C\n\nd e"]),
    ("a cut before a heading is better than later", "## A\n\na\n\n### B\n\nb\n\nc\n\nd", 7, ["## A\n\na", "### B\n\nb\n\nc\n\nd"]),
    (
        "a higher heading is better still",
        "## A\n\n#### B\n\nb\n\n### C\n\nc\n\n#### D\n\nd e",
        9,
        ["## A\n\n#### B\n\nb", "### C\n\nc\n\n#### D\n\nd e"],
    ),
    ("a paragraph is not cut if it fits", "## A\n\na b. C d.\n\nE f. G h.", 7, ["## A\n\na b. C d.", "E f. G h."]),
    ("a long one between sentences", "## A\n\nOne two. Three four. Five six.", 6, ["## A\n\nOne two. Three four.", "Five six."]),
    ("a long sentence between words", "## A\n\n" + w(9), 5, ["## A\n\nw0 w1 w2", "w3 w4 w5 w6", "w7 w8"]),
    (
        "only the sentence that is too long",
        "One two.\n\nThree. " + w(7, "F") + ". Eight.",
        5,
        ["One two.", "Three.", w(5, "F"), "F5 F6. Eight."],
    ),
    ("a list between items", "## A\n\n- a b\n- c d\n- e f", 6, ["## A\n\n- a b", "- c d", "- e f"]),
    ("a long item between sentences", "- One two. Three four.\n- x", 4, ["- One two.", "Three four.\n- x"]),
    ("a table stays whole", "## A\n\na\n\n| b | c |\n|---|---|\n| d | e |\n\nf", 6, ["## A\n\na", "| b | c |\n|---|---|\n| d | e |", "f"]),
    ("with its heading", "## A\n\na\n\n### B\n\n| b |\n|---|\n| d |\n\nf", 4, ["## A\n\na", "### B\n\n| b |\n|---|\n| d |", "f"]),
    (
        "with all its headings",
        "a b\n\n### B\n\n#### C c\n\n| b |\n|---|\n| d |\n\nf",
        4,
        ["a b", "### B\n\n#### C c\n\n| b |\n|---|\n| d |", "f"],
    ),
    ("code between lines", "## A\n\n```\na b\nc d\n\ne f\n```\n\ng", 5, ["## A\n\n```\na b", "c d\n\ne f", "```\n\ng"]),
    ("no section: packed by blocks", "# T\n\na b\n\nc d\n\ne f", 5, ["a b\n\nc d", "e f"]),
    (
        "no section: by the topmost headings",
        "# T\n\na\n\n### B\n\nb\n\n#### C\n\nc\n\n### D",
        99,
        ["a", "### B\n\nb\n\n#### C\n\nc", "### D"],
    ),
    ("no section: several level-1 headings", "# T\n\na\n\n# B\n\nb\n\n# C\n\nc", 99, ["a", "# B\n\nb", "# C\n\nc"]),
    ("a level-1 heading later ends no section", "## A\n\na\n\n# B\n\nb", 99, ["## A\n\na\n\n# B\n\nb"]),
    ("front matter is in none", "---\nk: v\n---\n\n# T\n\n## A", 99, ["## A"]),
    ("a rule goes with what is before it", "## A\n\na b c\n\n---\n\nd", 6, ["## A\n\na b c\n\n---", "d"]),
    ("a comment at the front goes with what follows", "<!-- c -->\n\na\n\n## B", 9, ["<!-- c -->\n\na", "## B"]),
    ("a comment alone before the first section", "# T\n\n<!-- c -->\n\n## B", 9, ["<!-- c -->", "## B"]),
    ("a long comment is cut between words", "## A\n\na\n\n<!-- b c d e -->", 4, ["## A\n\na", "<!-- b c", "d e -->"]),
    ("a rule that does not fit goes with what is after it", "a b c\n\n---\n\nd e", 3, ["a b c", "---\n\nd e"]),
    ("a rule between heading and text stays between", "a b\n\n### B\n\n---\n\nd e", 6, ["a b", "### B\n\n---\n\nd e"]),
    ("setext", "T\n=\n\nA\n---\n\na\n\nB\n---\n\nb", 99, ["A\n---\n\na", "B\n---\n\nb"]),
    ("CRLF", "# T\r\n\r\n## A\r\n\r\na\r\n", 99, ["## A\r\n\r\na"]),
    ("a heading longer than the limit", "## " + w(6) + "\n\na b", 4, ["## w0 w1 w2", "w3", "w4", "w5", "a", "b"]),
]


@pytest.mark.parametrize(("about", "markdown", "most", "expected"), CUTS, ids=[row[0] for row in CUTS])
def test_where_it_cuts(about, markdown, most, expected):
    assert texts(markdown, most) == expected


LONG = "# Returns policy\n\nintro\n\n## Return window\n\na b c d\n\ne f g h\n\n### Kettles\n\ni j k l\n\n## Notes\n\nx"


def test_context_is_the_title_and_the_sections_heading_where_the_text_does_not_hold_it():
    chunks = by_structure(parsed_markdown(LONG), max_words=11)
    assert [(chunk.context, chunk.text) for chunk in chunks] == [
        ("Returns policy", "intro"),
        ("Returns policy", "## Return window\n\na b c d"),
        ("Returns policy\nReturn window", "e f g h"),
        ("Returns policy\nReturn window", "### Kettles\n\ni j k l"),
        ("Returns policy", "## Notes\n\nx"),
    ]
    assert chunks[2].passage == "Returns policy\nReturn window\n\ne f g h"
    assert [chunk.sections for chunk in chunks] == [(), *[("Return window",)] * 3, ("Notes",)]
    assert [chunk.words for chunk in chunks] == [3, 9, 8, 10, 5]


def test_without_a_title_there_is_no_context_but_the_heading():
    chunks = by_structure(parsed_markdown("intro\n\n## A *b*\n\na b c\n\nd e f", title=""), max_words=6)
    assert [chunk.context for chunk in chunks] == ["", "", "A b"]


def test_the_title_of_the_inventory_is_the_context_and_the_documents_own_is_in_no_text():
    (chunk,) = by_structure(parsed_markdown("# RETURNS (draft)\n\n## A\n\na", title="Returns policy"))
    assert (chunk.context, chunk.text) == ("Returns policy", "## A\n\na")


def test_in_a_document_without_sections_the_topmost_heading_goes_on_as_context():
    chunks = by_structure(parsed_markdown("# T\n\n### B\n\na b c\n\n#### C\n\nd e"), max_words=6)
    assert [(chunk.context, chunk.text) for chunk in chunks] == [("T", "### B\n\na b c"), ("T\nB", "#### C\n\nd e")]


@pytest.mark.parametrize("most", [13, 5, 1])
def test_a_table_over_the_limit_is_whole_and_flagged(most):
    (chunk,) = by_structure(parsed_markdown("# T\n\n## A\n\n| b | c |\n|---|---|\n| d | e |\n"), most)
    assert (chunk.text, chunk.words, chunk.over_limit) == ("## A\n\n| b | c |\n|---|---|\n| d | e |", 14, True)


def test_a_table_that_fits_is_not_flagged():
    (chunk,) = by_structure(parsed_markdown("# T\n\n## A\n\n| b | c |\n|---|---|\n| d | e |\n"), 14)
    assert (chunk.words, chunk.over_limit) == (14, False)


def table(rows: int, **more) -> tuple:
    cells = [[f"r{row}", "x"] for row in range(rows)]
    return ("table", "\n".join(f"{a} {b}" for a, b in cells), {"rows": cells, **more})


@pytest.mark.parametrize("most", [1, 6, 200])
@pytest.mark.parametrize("rows", ["<tr><td>x<td>y<tr><td>z<td>", "<tr><td><td>x<tr><td>y<td>z", "<tr><td><td>x<tr><td>z<td>"])
def test_an_empty_cell_at_the_corner_belongs_to_the_table(rows, most):
    parsed = read_html(f"<h1>T</h1><h2>A</h2><p>before it</p><table>{rows}</table><p>after it</p>", doc_id="x")
    (table,) = (block for block in parsed.blocks if block.kind == "table")
    chunks = by_structure(parsed, most)
    assert sum(chunk.start <= table.start and table.end <= chunk.end for chunk in chunks) == 1
    assert sum(readings(parsed, chunks).tables) == 1
    assert all(above.end <= below.start for above, below in pairwise(chunks))


def test_a_table_that_goes_on_over_a_page_is_one_table():
    heading = ("heading", "Periods", {"level": 3, "heading_path": ["Periods"]})
    parsed = by_hand(("paragraph", w(6)), heading, table(5), table(5, continues=True), ("paragraph", w(6, "v")), title="T")
    chunks = by_structure(parsed, max_words=9)
    assert [chunk.text.split()[0] for chunk in chunks] == ["w0", "Periods", "v0"]
    assert [chunk.over_limit for chunk in chunks] == [False, True, False]
    apart = by_structure(by_hand(("paragraph", w(6)), heading, table(5), table(5), ("paragraph", w(6, "v")), title="T"), max_words=9)
    assert [chunk.text.split()[0] for chunk in apart] == ["w0", "Periods", "r0", "v0"]


def test_pages():
    parsed = by_hand(
        ("heading", "A", {"level": 2, "heading_path": ["A"]}), ("paragraph", "b c"), ("paragraph", "d e"), ("paragraph", "f"),
        pages=[Page(1, "i", 0, 6), Page(2, "ii", 6, 14)],
    )  # fmt: skip
    assert [(chunk.text, chunk.pages) for chunk in by_structure(parsed, 5)] == [("A\n\nb c", (1,)), ("d e\n\nf", (2,))]
    assert [chunk.pages for chunk in by_structure(parsed)] == [(1, 2)]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_limit_that_the_context_fills_still_gets_through(most):
    chunks = by_structure(parsed_markdown("# The very long title\n\n## A b\n\none two. Three four.\n\n- five"), most)
    assert [chunk.text for chunk in chunks] == ["##", "A", "b", "one", "two.", "Three", "four.", "-", "five"]
    assert all(chunk.over_limit for chunk in chunks)


def test_a_limit_of_one_word_without_a_title():
    chunks = by_structure(parsed_markdown("one two\n\n## A"), 1)
    assert [(chunk.text, chunk.context) for chunk in chunks] == [("one", ""), ("two", ""), ("##", ""), ("A", "A")]
    assert [chunk.over_limit for chunk in chunks] == [False, False, False, True]


@pytest.mark.parametrize("most", [0, -1, True, False, 200.0, "200", None, float("nan")])
def test_a_limit_that_is_no_number_of_words(most):
    with pytest.raises(ValueError, match=re.escape(f"max_words={most!r}")) as caught:
        by_structure(parsed_markdown("x"), most)
    assert isinstance(caught.value, BadArgument)


def test_the_default_is_200_and_numpys_numbers_do():
    parsed = parsed_markdown("## A\n\n" + w(500))
    assert by_structure(parsed) == by_structure(parsed, max_words=200) == by_structure(parsed, np.int64(200))
    assert by_structure(parsed)[0].words == 200


@pytest.mark.parametrize(
    "text",
    [
        w(100_000),
        "One two. " * 30_000,
        "- a b\n" * 5_000,
        "".join(f"## A{number}\n\nb c\n\n" for number in range(5_000)),
        "| a | b |\n|---|---|\n" + "| c | d |\n" * 10_000,
    ],
    ids=["words", "sentences", "items", "sections", "rows"],
)
def test_a_long_document_takes_no_time(text):
    parsed = parsed_markdown(text)
    begun = time.process_time()
    by_structure(parsed)
    assert time.process_time() - begun < 5


# Laws


def body_without_title(parsed) -> list[str]:
    titles = [block for block in parsed.blocks if block.kind == "title"]
    return [
        word[0]
        for word in re.finditer(r"\S+", parsed.text)
        if word.start() >= parsed.body and not any(title.start <= word.start() < title.end for title in titles)
    ]


def check_laws(parsed, most: int) -> None:
    chunks = by_structure(parsed, most)
    spans = [(chunk.start, chunk.end) for chunk in chunks]

    # every word of the body but the title's is in exactly one chunk, in order
    assert [word for chunk in chunks for word in chunk.text.split()] == body_without_title(parsed)
    assert all(before.end <= after.start for before, after in pairwise(chunks))

    def inside(block, span) -> bool:
        return span[0] < block.end and block.start < span[1]

    for chunk, span in zip(chunks, spans, strict=True):
        held = [block for block in parsed.blocks if inside(block, span)]
        room = most - len(chunk.context.split())
        # no prose passage above the limit; what is above it is flagged, and nothing else
        assert chunk.over_limit == (chunk.words > most)
        if chunk.over_limit:
            assert room < 1 or any(block.kind == "table" for block in held)
            assert room >= 1 or len(chunk.text.split()) == 1 or any(block.kind == "table" for block in held)
        # no chunk holds text of two sections, and each section's first chunk begins at its heading
        assert len(chunk.sections) <= 1
        assert all(block.kind != "title" for block in held)
        # context: title, and the section's heading where the text does not begin with it
        section = next((section for section in parsed.sections if section.name in chunk.sections), None)
        if section is not None:
            own = section.title if chunk.start > section.start else ""
            assert chunk.context == "\n".join(line for line in (parsed.title, own) if line)
    for section in parsed.sections:
        assert section.start in {chunk.start for chunk in chunks}

    for number, block in enumerate(parsed.blocks):
        holding = [chunk for chunk, span in zip(chunks, spans, strict=True) if inside(block, span)]
        after = parsed.blocks[number + 1] if number + 1 < len(parsed.blocks) else None
        if block.kind == "table":  # tables are whole
            assert len(holding) == 1 and holding[0].start <= block.start and block.end <= holding[0].end
        elif block.kind != "title" and len(holding) > 1:
            # a block is cut only where it does not fit, alone or under its headings
            above = number
            while above and parsed.blocks[above - 1].kind == "heading":
                above -= 1
            alone = parsed.text[parsed.blocks[above].start : block.end]
            room = most - max(len(chunk.context.split()) for chunk in holding)
            heading_and_table = block.kind == "heading" and after is not None
            assert len(alone.split()) > room or heading_and_table
        if block.kind in ("paragraph", "list_item") and len(holding) > 1:
            # between sentences; inside one only where it does not fit
            starts = sentence_starts(parsed.text, block.start, block.end)
            for chunk in holding[1:]:
                if chunk.start not in starts:
                    begun = max(start for start in starts if start < chunk.start)
                    stop = min((start for start in starts if start > chunk.start), default=block.end)
                    ahead = parsed.blocks[number - 1].kind == "heading" if number else False
                    assert len(parsed.text[begun:stop].split()) > most - len(chunk.context.split()) or (ahead and begun == starts[0])
        if block.kind == "heading" and after is not None and len(holding) == 1 and holding[0].end < after.start:
            # a heading ends a chunk only where its section ends, or where not two words fit
            same = [s for s in parsed.sections if s.start <= block.start < s.end and s.start <= after.start < s.end]
            topmost = min(b.level for b in parsed.blocks if b.kind == "heading")
            part_goes_on = bool(same) or (not parsed.sections and not (after.kind == "heading" and after.level == topmost))
            fits = len(holding[0].text.split()) + 1 + len(holding[0].context.split()) <= most
            assert not part_goes_on or not fits or after.kind == "title"


@given(markdown=markdowns, most=st.integers(1, 60), title=st.sampled_from([None, "", "Returns policy"]))
@settings(max_examples=150, deadline=None)
def test_the_laws_on_made_up_markdown(markdown, most, title):
    check_laws(parsed_markdown(markdown, title=title), most)


@given(most=st.integers(1, 400), name=st.sampled_from(sorted(LARKFIELD)))
@settings(max_examples=60, deadline=None)
def test_the_laws_on_larkfield(most, name):
    check_laws(LARKFIELD[name], most)
