"""Children: the pieces of a parent that a search can find (lesson 11)."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parsed_documents import by_hand, markdowns, parsed_markdown
from small_embedders import BagOfWords, Topics

import labkit
from labkit.errors import BadArgument
from labkit.hierarchy import children, children_counts, children_of, parents
from labkit.hierarchy.pieces import cut_to_fit
from labkit.parsing.blocks import Page

# Small sizes, so that a case fits in a line: children of 40 to 80 characters, below 12 is tiny.
SIZES = {"minimum": 40, "maximum": 80, "tiny": 12}


def p(topic: str, length: int) -> str:
    """A paragraph of one topic: words of that many characters in all, the topic's mark first."""
    return (f"@{topic} " + "word " * length)[: length - 1].rstrip().ljust(length - 1, "x") + "."


def only(markdown_or_parsed):
    parsed = parsed_markdown(markdown_or_parsed) if isinstance(markdown_or_parsed, str) else markdown_or_parsed
    (parent,) = parents(parsed)
    return parent


def texts(markdown, embedder=None, threshold=0.4, **sizes):
    return [child.text for child in children(only(markdown), embedder or Topics(), threshold, **(SIZES | sizes))]


def joined(*pieces):
    return "\n\n".join(pieces)


A20, A30, A38, A50, A60 = p("a", 20), p("a", 30), p("a", 38), p("a", 50), p("a", 60)
B20, B30, B50, B60 = p("b", 20), p("b", 30), p("b", 50), p("b", 60)
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"

# (what it is about, blocks, [blocks of each child, by their places])
JOINS = [
    ("one block", [A50], [[0]]),
    ("alike and fitting", [A50, A20], [[0, 1]]),
    ("exactly the maximum fits", [A38, p("a", 40)], [[0, 1]]),
    ("one character more does not", [A38, p("a", 41)], [[0], [1]]),
    ("not alike, and the first has reached the minimum", [A50, B20], [[0], [1]]),
    ("not alike, but the first is below the minimum", [A20, B50], [[0, 1]]),
    ("below the minimum and no room", [A38, B60], [[0], [1]]),
    ("exactly the minimum is enough", [p("a", 40), B20], [[0], [1]]),
    ("the meaning turns", [A50, B50], [[0], [1]]),
    ("a last piece about something else stays small", [A50, A20, B20], [[0, 1], [2]]),
    ("the next child begins anew", [A50, B30, B20], [[0], [1, 2]]),
    ("the maximum parts, and the border moves so that both reach the minimum", [A20, A20, A30, A30], [[0, 1], [2, 3]]),
    ("it moves only between what is alike", [A20, A20, A30, B30], [[0, 1, 2], [3]]),
    ("it stays where both cannot reach it", [A60, A30], [[0], [1]]),
    ("a table is apart", [A20, TABLE, A20], [[0], [1], [2]]),
    ("tables beside each other too", [TABLE, "<!-- -->", TABLE], [[0, 1], [2]]),
    ("a tiny one joins what is before", [A50, "@b tiny", B50], [[0, 1], [2]]),
    ("the first tiny one joins what follows", ["@b tiny", A50], [[0, 1]]),
    ("a tiny one that has no room before joins what follows", [p("a", 75), "@a tiny", B30], [[0], [1, 2]]),
    ("a tiny one that announces joins what follows", [A50, "@a these:", B50], [[0], [1, 2]]),
    ("a tiny one beside tables stays alone", [TABLE, "@b tiny", TABLE], [[0], [1], [2]]),
    ("tiny ones in a row join each other", [A50, "@b tiny", "@b small", "@b wee"], [[0], [1, 2, 3]]),
    ("eleven characters are tiny", [A50, p("b", 11)], [[0, 1]]),
    ("twelve are not", [A50, p("b", 12)], [[0], [1]]),
]  # fmt: skip


@pytest.mark.parametrize(("blocks", "groups"), [row[1:] for row in JOINS], ids=[row[0] for row in JOINS])
def test_what_goes_together(blocks, groups):
    assert texts(joined(*blocks)) == [joined(*(blocks[place] for place in group)) for group in groups]


# (what it is about, Markdown, sizes, texts)
HEADINGS = [
    ("a heading goes with its text", f"## H\n\n{A50}\n\n{B50}", {}, [f"## H\n\n{A50}", B50]),
    ("headings in a row too", f"## H\n\n### I\n\n{A50}", {}, [f"## H\n\n### I\n\n{A50}"]),
    ("a heading over a table", f"## H\n\n{TABLE}\n\n{A50}", {}, [f"## H\n\n{TABLE}", A50]),
    ("a heading alone", "## H", {}, ["## H"]),
    (
        "a long heading is cut between words",
        "## " + "abcd " * 6,
        {"minimum": 0, "maximum": 14, "tiny": 0},
        ["## abcd abcd", "abcd abcd", "abcd abcd"],
    ),
    (
        "a heading is not parted from a text without spaces",
        "## Head\n\n" + "字" * 30,
        {"minimum": 0, "maximum": 20, "tiny": 0},
        ["## Head\n\n" + "字" * 11, "字" * 19],
    ),
    (
        "sentences in Chinese end without a space",
        "## 退款\n\n可以退货。必须退款！“不行吗？”可以。",
        {"minimum": 0, "maximum": 13, "tiny": 0, "threshold": 1},
        ["## 退款\n\n可以退货。", "必须退款！", "“不行吗？”可以。"],
    ),
    (
        "a heading that fills a piece is one",
        "## A long heading\n\n" + "字" * 30,
        {"minimum": 0, "maximum": 20, "tiny": 0},
        ["## A long heading", "字" * 20, "字" * 10],
    ),
    (
        "a heading is not parted from its first sentence",
        "## Head\n\nOne two three. Four five six. Seven eight.",
        {"minimum": 20, "maximum": 30, "tiny": 0},
        ["## Head\n\nOne two three.", "Four five six. Seven eight."],
    ),
]


@pytest.mark.parametrize(("markdown", "sizes", "expected"), [row[1:] for row in HEADINGS], ids=[row[0] for row in HEADINGS])
def test_headings(markdown, sizes, expected):
    assert texts(markdown, **sizes) == expected


def test_headings_inside_a_parent_that_goes_deeper():
    markdown = f"# T\n\n# Part 1\n\n## Article 1\n\n{A50}\n\n## Article 2\n\n{B50}\n\n## Article 3"
    (parent,) = parents(parsed_markdown(markdown), deepest=1)
    first, second = children(parent, Topics(), **SIZES)
    assert first.text == f"# Part 1\n\n## Article 1\n\n{A50}" and first.heading_path == ["Part 1", "Article 1"] and first.context == "T"
    assert second.text == f"## Article 2\n\n{B50}\n\n## Article 3" and second.context == "T › Part 1"


# --- what is too long


def test_a_long_block_is_cut_between_sentences():
    text = "One is here. Two is here. Three is there. Four is there. Five is gone."
    assert texts(text, minimum=0, maximum=30, tiny=0, threshold=1) == [
        "One is here. Two is here.",
        "Three is there.",
        "Four is there. Five is gone.",
    ]


def test_a_long_sentence_between_words_and_a_long_word_anywhere():
    assert texts("aa bb cc dd", minimum=0, maximum=5, tiny=0, threshold=1) == ["aa bb", "cc dd"]
    assert texts("a" * 12, minimum=0, maximum=5, tiny=0, threshold=1) == ["aaaaa", "aaaaa", "aa"]


def test_long_code_is_cut_at_its_lines():
    code = "```\nif a:\n    b = 1\nc = 2\nd = 3\n```"
    assert texts(code, minimum=0, maximum=20, tiny=0, threshold=1) == ["```\nif a:\n    b = 1", "c = 2\nd = 3\n```"]


def test_a_long_table_stays_whole_and_is_flagged():
    table = "| a | b |\n|---|---|\n" + "\n".join(f"| row {number} | {number} |" for number in range(9))
    before, it, after = children(only(f"{A20}\n\n{table}\n\n{B20}"), Topics(), **SIZES)
    assert (it.text, it.type, it.over_limit) == (table, "table", True)
    assert not before.over_limit and not after.over_limit


def test_a_table_that_goes_on_over_a_page_is_one():
    rows = {"rows": [["a", "b"]], "heading_path": []}
    parsed = by_hand(
        ("table", "a\tb", rows | {"page": 1}),
        ("table", "a\tb", rows | {"page": 2, "continues": True}),
        ("table", "a\tb", rows | {"page": 2}),
        pages=[Page(1, "", 0, 3), Page(2, "", 5, 13)],
    )
    first, second = children(only(parsed), Topics(), **SIZES)
    assert (first.text, first.pages, second.pages) == ("a\tb\n\na\tb", (1, 2), (2,))


def test_what_is_no_block_goes_with_what_is_before_it_but_not_with_a_table():
    assert texts(f"{A50}\n\n<!-- x -->\n\n{B50}") == [f"{A50}\n\n<!-- x -->", B50]
    assert texts(f"{TABLE}\n\n<!-- x -->\n\n{B50}") == [TABLE, f"<!-- x -->\n\n{B50}"]
    assert texts(f"<!-- x -->\n\n{B50}") == [B50]


# --- what a child says of itself


def test_fields_of_a_child():
    markdown = f"# T\n\nintro\n\n## H\n\n{A50}\n\n{B50}"
    parent = parents(parsed_markdown(markdown, doc_id="code", version="7", access="public", language="en"))[1]
    first, second = children(parent, Topics(), **SIZES)
    assert (second.id, second.child_id, second.parent_id, second.parent) == (
        *("code@v7#parent_0002_child_2", "parent_0002_child_2", "parent_0002", "code@v7#parent_0002"),
    )
    assert second.parent == parent.id and (first.position, second.position) == (0, 1)
    assert (second.doc_id, second.version, second.access, second.language) == ("code", "7", "public", "en")
    assert (first.heading_path, first.context, first.sections) == (["H"], "T", ("H",))
    assert (second.heading_path, second.context, second.sections) == (["H"], "T › H", ("H",))
    assert second.passage == f"T › H\n\n{B50}"


@pytest.mark.parametrize(
    ("markdown", "kind"),
    [
        (A50, "text"),
        (f"## H\n\n{A50}", "text"),
        ("## H", "text"),
        ("- one\n- two", "list"),
        ("## H\n\n- one\n- two", "list"),
        ("intro:\n\n- one", "text"),
        (TABLE, "table"),
        (f"## H\n\n{TABLE}", "table"),
        ("```\ncode\n```", "code"),
    ],
)
def test_types(markdown, kind):
    assert [child.type for child in children(only(markdown), Topics(), **SIZES)] == [kind]


def test_a_child_names_the_pages_and_sections_that_it_holds_text_of():
    words = [("heading", "H", {"level": 2, "page": 1, "heading_path": ["H"]})]
    words += [("paragraph", text, {"page": page, "heading_path": ["H"]}) for text, page in ((A50, 1), (B50, 1), (A60, 4))]
    pages = [Page(1, "", 0, 53), Page(2, "", 53, 80), Page(3, "", 80, 105), Page(4, "", 107, 167)]
    made = children(only(by_hand(*words, pages=pages)), Topics(), **SIZES)
    assert [child.pages for child in made] == [(1,), (2, 3), (4,)]
    assert made[1].shortened(5).pages == (2,)


# --- the embedder


def test_an_embedder_sees_each_text_once_and_none_of_a_lone_unit_or_a_table():
    embedder = BagOfWords()
    children(only(joined(A50, A50, B50)), embedder, **SIZES)
    children(only(A50), embedder, **SIZES)
    children(only(joined(A50, TABLE)), embedder, **SIZES)
    assert embedder.asked == [[A50, B50]]


def test_many_parents_are_embedded_in_one_go():
    made = parents(parsed_markdown(f"## H\n\n{A50}\n\n{B50}\n\n## I\n\n{B60}\n\n{A60}"))
    embedder = BagOfWords()
    together = children_of(made, embedder, **SIZES)
    assert len(embedder.asked) == 1
    assert together == [children(parent, BagOfWords(), **SIZES) for parent in made]


def test_similarities_are_cosines_whatever_the_lengths_and_rounded():
    class Long:
        def embed(self, texts):
            return np.array([[3.0, 0.0], [2.0, 2.0], [0.0, 0.0]])[: len(texts)]

    half = 0.7071  # of 45 degrees, rounded
    for threshold, count in ((half, 1), (half + 0.0001, 2)):
        assert len(texts(joined(p("a", 40), A20), Long(), threshold)) == count


@pytest.mark.parametrize(
    "answer",
    [
        np.zeros(3),
        np.zeros((1, 3)),
        np.full((2, 3), np.nan),
        np.full((2, 3), 1e200),  # their lengths are beyond any number
        np.ones((2, 3)) * 1j,
        np.zeros((3, 3)),
        np.zeros((2, 3, 1)),
        np.ones((2, 4)),  # of another width than it says
        [[1.0], [1.0, 2.0]],
        ["a", "b"],
        5,
        None,
    ],
    ids=str,
)
def test_an_embedder_that_gives_no_row_a_text(answer):
    class Wrong:
        dimensions = 3

        def embed(self, texts):
            return answer

    with pytest.raises(BadArgument, match="does not give a row of finite numbers for each text"):
        texts(joined(A50, B50), Wrong())


@pytest.mark.parametrize("embedder", [None, "multilingual", Topics])
def test_what_is_no_embedder(embedder):
    with pytest.raises(BadArgument, match="an embedder is needed"):
        children(only(joined(A50, B50)), embedder, **SIZES)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 1.1}, "threshold=1.1: a cosine similarity, from -1 to 1"),
        ({"threshold": float("nan")}, "threshold=nan"),
        ({"threshold": "0.4"}, "threshold='0.4'"),
        ({"threshold": True}, "threshold=True"),
        ({"minimum": 100}, "tiny=12, minimum=100, maximum=80: each at most as large as the next"),
        ({"tiny": 50}, "tiny=50, minimum=40"),
        ({"maximum": 0, "minimum": 0, "tiny": 0}, "maximum=0"),
        ({"maximum": 80.5}, "maximum=80.5: a number of characters"),
        ({"tiny": -1}, "tiny=-1"),
    ],
)
def test_sizes_and_thresholds_that_are_none(options, message):
    with pytest.raises(BadArgument, match=re.escape(message)):
        children(only(A50), Topics(), **(SIZES | options))


def test_what_is_no_parent():
    with pytest.raises(BadArgument, match=r"a ParsedDocument — parents\(parsed\) makes them"):
        children(parsed_markdown(A50), Topics())


def test_public_names():
    assert labkit.children is children and labkit.Child.__name__ == "Child"


# --- choosing a threshold


def test_counts_for_several_thresholds():
    # neighbours of 45 degrees, twice: '@a' beside '@a @b' beside '@b'
    both = p("a", 45).replace("word", "@b wo", 1)
    made = parents(parsed_markdown(f"## H\n\n{p('a', 45)}\n\n{both}\n\n{p('b', 45)}\n\n## I\n\n{A20}"))
    rows = children_counts(made, Topics(), (0.0, 0.7, 0.8), minimum=20, maximum=160, tiny=0)
    assert rows == [
        {"threshold": 0.0, "children": 2, "median_characters": 86.0, "under_minimum": 0, "joined": 1.0},
        {"threshold": 0.7, "children": 2, "median_characters": 86.0, "under_minimum": 0, "joined": 1.0},
        {"threshold": 0.8, "children": 4, "median_characters": 45.5, "under_minimum": 0, "joined": 0.0},
    ]
    for row in rows:
        made_so = children_of(made, Topics(), row["threshold"], minimum=20, maximum=160, tiny=0)
        assert row["children"] == sum(map(len, made_so))


def test_counts_of_nothing():
    (row,) = children_counts([], Topics(), [0.5])
    assert row == {"threshold": 0.5, "children": 0, "median_characters": None, "under_minimum": 0, "joined": None}


# --- worked trees

PART = """# The Lending Code

# Part 4 The tool library

## Article 31 Who may borrow

Whoever lives in the town may borrow a tool from the library, on showing a card with an address. A child under fourteen borrows with a
grown-up who signs. Whoever has kept a tool too long three times in a year waits until the next spring before another is lent.

## Article 32 How long

A tool is lent for seven days. A tool is lent for two days only where five people wait for it. The days of a loan are counted from the
morning after the tool was handed over; a loan that ends on a day when the library is closed ends on the next day that it is open.

## Article 33 How many

Three tools may be lent to one card at a time, and one of them may have a motor. A set in a box is one tool, and a ladder is two.

## Article 34 Damage

A blade that is blunt after use is nobody's fault. Whoever breaks a handle pays eight dollars; whoever loses a battery pays its price when
new, less a tenth for each year of its age. Damage that is reported on the day of return costs half.
"""


class ByArticle:
    """Loans (Articles 31 to 33) and damage: two directions, with a little of both for the numbers in Article 33."""

    def embed(self, texts):
        directions = {"Article 31": (1, 0, 0), "Article 32": (0.2, 1, 0), "Article 33": (0.1, 1, 0.2), "Article 34": (0, 0.1, 1)}
        rows = np.array([directions[next(name for name in directions if name in text)] for text in texts], dtype=float)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_a_part_whose_articles_fall_into_three_children():
    (part,) = parents(parsed_markdown(PART), deepest=1)
    made = children(part, ByArticle(), minimum=250, maximum=600, tiny=60)
    assert [re.findall(r"Article \d+", child.text) for child in made] == [["Article 31"], ["Article 32", "Article 33"], ["Article 34"]]
    assert [child.child_id for child in made] == [f"parent_0001_child_{number}" for number in (1, 2, 3)]
    assert [child.heading_path for child in made] == [
        ["Part 4 The tool library", "Article 31 Who may borrow"],
        ["Part 4 The tool library"],
        ["Part 4 The tool library", "Article 34 Damage"],
    ]
    assert made[1].context == made[2].context == "The Lending Code › Part 4 The tool library" and made[0].context == "The Lending Code"


def test_three_selected_children_bring_one_parent():
    made = parents(parsed_markdown(PART), deepest=1)
    selected = children(made[0], ByArticle(), minimum=250, maximum=600, tiny=60)
    by_id = {parent.id: parent for parent in made}
    brought = [by_id[each] for each in dict.fromkeys(child.parent for child in selected)]
    assert len(selected) == 3 and brought == made
    assert all(brought[0].start <= child.start and child.end <= brought[0].end for child in selected)


# --- laws

_sizes = st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(1, 90)).map(sorted)


@settings(max_examples=250, deadline=None)
@given(markdowns, _sizes, st.sampled_from([-1.0, 0.0, 0.3, 0.6, 1.0]), st.integers(1, 6))
def test_laws(markdown, sizes, threshold, deepest):
    parsed = parsed_markdown(markdown)
    tiny, minimum, maximum = sizes
    for parent in parents(parsed, deepest):
        made = children(parent, BagOfWords(), threshold, minimum, maximum, tiny)
        assert made and made[0].start == parent.start and made[-1].end == parent.end
        for before, after in pairwise(made):
            assert before.end <= after.start and not parsed.text[before.end : after.start].strip()
        for number, child in enumerate(made, 1):
            assert child.text == parsed.text[child.start : child.end] == child.text.strip()
            assert child.child_id == f"{parent.parent_id}_child_{number}" and child.parent == parent.id
            assert set(child.sections) <= set(parent.sections)
            assert all(mine == its for mine, its in zip(child.heading_path, parent.heading_path, strict=False))
            held = [block for block in parsed.blocks if block.start < child.end and block.end > child.start]
            tables = [block for block in held if block.kind == "table"]
            assert child.over_limit == (len(child.text) > maximum)
            assert not child.over_limit or (len(tables) == 1 and child.type == "table")
            if tables:
                assert len(tables) == 1 and all(block.kind == "heading" for block in held if block not in tables)
                assert tables[0].start >= child.start and tables[0].end <= child.end
        assert made == children(parent, BagOfWords(), threshold, minimum, maximum, tiny)


_headings = st.lists(st.tuples(st.integers(0, 80), st.integers(0, 80)), max_size=3)


@settings(max_examples=200, deadline=None)
@given(st.text("ab .\n\u2028é😀", max_size=80), st.sets(st.integers(0, 80)), st.integers(1, 20), _headings)
def test_laws_of_pieces(text, places, maximum, together):
    spans = cut_to_fit(text, places, maximum, together)
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())
    for start, end in spans:
        assert 0 < end - start <= maximum and text[start:end] == text[start:end].strip()
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
