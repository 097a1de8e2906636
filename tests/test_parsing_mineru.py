"""MinerU's content list with its Markdown (lesson 11)."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit.errors import DocumentError
from labkit.parsing.mineru import plain, read_mineru


def text(words, page=0, **more):
    return {"type": "text", "text": words, "page_idx": page} | more


def head(words, level=1, page=0):
    return text(words, page, text_level=level)


def read(tmp_path, items, markdown=None, **labels):
    (tmp_path / "a_content_list.json").write_text(json.dumps(items, indent=4), "utf-8")
    if markdown is not None:
        (tmp_path / "a.md").write_text(markdown, "utf-8")
    return read_mineru(tmp_path / "a_content_list.json", None if markdown is None else tmp_path / "a.md", **({"doc_id": "a"} | labels))


def seen(parsed):
    return [(block.kind, block.text, block.page) for block in parsed.blocks]


# (what it is about, an item of the list, the blocks that it gives)
ITEMS = [
    ("a text", text(" One  word. ", 4), [("paragraph", "One word.", 5)]),
    ("U+0000 and half a character", text("a\0b \ud800 \x0cc\x85d"), [("paragraph", "a b c d", 1)]),
    ("code with U+0000", {"type": "code", "code_body": "a = 1\0\n\tb", "page_idx": 0}, [("code", "a = 1 \n\tb", 1)]),
    (
        "a table with U+0000",
        {"type": "table", "table_body": "<table><tr><td>a\0b</td></tr></table>", "page_idx": 0},
        [("table", "a b", 1)],
    ),
    ("level 0 is no heading", text("One", text_level=0), [("paragraph", "One", 1)]),
    ("no level", text("One", text_level=None), [("paragraph", "One", 1)]),
    ("a blank text", text(" \n "), []),
    ("a type 'blank'", {"type": "blank", "page_idx": 0}, []),
    ("a text of several lines is a list", text("(a) one  \n(b) two"), [("list_item", "(a) one", 1), ("list_item", "(b) two", 1)]),
    (
        "a list",
        {"type": "list", "sub_type": "text", "list_items": ["(a) one", " ", "(b) two"], "page_idx": 1},
        [("list_item", "(a) one", 2), ("list_item", "(b) two", 2)],
    ),
    ("references", {"type": "ref_text", "text": "[1] A book.", "page_idx": 0}, [("paragraph", "[1] A book.", 1)]),
    (
        "a table with what is around it",
        {
            "type": "table",
            "table_caption": ["Table 2"],
            "table_footnote": ["* at \\$5"],
            "table_body": "<html><body><table><tr><td>fee</td><td>days</td></tr><tr><td>\\$ 5</td><td></td></tr></table></body></html>",
            "img_path": "images/../../x.jpg",
            "page_idx": 2,
        },
        [("paragraph", "Table 2", 3), ("table", "fee\tdays\n$ 5\t", 3), ("paragraph", "* at $5", 3)],
    ),
    (
        "merged cells are repeated",
        {"type": "table", "table_body": '<table><tr><td rowspan="2">a</td><td>b</td></tr><tr><td>c</td></tr></table>', "page_idx": 0},
        [("table", "a\tb\na\tc", 1)],
    ),
    ("a caption that is one text", {"type": "image", "img_caption": "Fig. 1", "page_idx": 0}, [("paragraph", "Fig. 1", 1)]),
    (
        "a picture",
        {"type": "image", "image_caption": ["Fig. 1"], "image_footnote": ["by Mei"], "content": "a cat", "page_idx": 0},
        [("paragraph", "Fig. 1", 1), ("paragraph", "by Mei", 1)],
    ),
    (
        "an equation",
        {"type": "equation", "text": "$$\nQ = f(P)\n$$", "text_format": "latex", "page_idx": 0},
        [("paragraph", "Q = f(P)", 1)],
    ),
    (
        "code",
        {"type": "code", "sub_type": "code", "code_caption": ["Listing"], "code_body": "```py\nif a:\n    b\n```", "page_idx": 0},
        [("paragraph", "Listing", 1), ("code", "if a:\n    b", 1)],
    ),
    ("a running head", {"type": "header", "text": "Code", "page_idx": 0}, []),
    ("a footer", {"type": "footer", "text": "Code", "page_idx": 0}, []),
    ("a note at the side", {"type": "aside_text", "text": "arXiv", "page_idx": 0}, []),
    ("a footnote", {"type": "page_footnote", "text": "1 Of one kind.", "page_idx": 0}, [("paragraph", "1 Of one kind.", 1)]),
    ("a type of a later edition", {"type": "abstract", "text": "In short", "page_idx": 0}, [("paragraph", "In short", 1)]),
]


@pytest.mark.parametrize(("item", "blocks"), [row[1:] for row in ITEMS], ids=[row[0] for row in ITEMS])
def test_what_an_item_gives(tmp_path, item, blocks):
    parsed = read(tmp_path, [text("before"), item, text("after", 7)])
    assert seen(parsed)[1:-1] == blocks
    assert parsed.problems == []


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("a fee of \\$ 5 \\* 2", "a fee of $ 5 * 2"),
        ("market. $^{1}$ Next", "market.¹ Next"),
        ("market $^ { 12 }$", "market¹²"),
        ("market<sup>1</sup>", "market¹"),
        ("market  <sup> 1 </sup> and <sup>st", "market¹ and <sup>st"),
        ("at most $N _ { \\% }$ of \\$5", "at most $N _ { \\% }$ of $5"),
        ("$40 and $15,000", "$40 and $15,000"),
        ("a\\b c:\\new", "a\\b c:\\new"),
        ("", ""),
    ],
)
def test_marks_are_taken_off(written, shown):
    assert plain(written) == shown


def test_a_superscript_goes_to_the_paragraph_that_it_belongs_to(tmp_path):
    items = [
        text("One."),
        text("$^{1}$"),
        {"type": "superscript", "text": "2", "page_idx": 0},
        head("H"),
        text("<sup>3</sup>"),
        text("Two."),
    ]
    assert seen(read(tmp_path, items)) == [("paragraph", "One.¹²", 1), ("title", "H", 1), ("paragraph", "³ Two.", 1)]


# --- levels

NOTES = "# Code\n\n# Part 1\n\n## Notes\n\na\n\n# Part 2\n\n## Article 9\n\n### Notes\n\nb\n"


def levels(parsed):
    return [(block.heading_path or [block.text], block.level) for block in parsed.blocks if block.kind in ("title", "heading")]


def test_levels_come_from_the_markdown_and_repeated_headings_in_their_order(tmp_path):
    items = [head("Code"), head("Part 1"), head("Notes"), text("a"), head("Part 2"), head("Article 9"), head("Notes", page=3), text("b", 3)]
    parsed = read(tmp_path, items, NOTES)
    assert parsed.title == "Code" and parsed.problems == []
    assert levels(parsed) == [
        (["Code"], None),
        (["Part 1"], 1),
        (["Part 1", "Notes"], 2),
        (["Part 2"], 1),
        (["Part 2", "Article 9"], 2),
        (["Part 2", "Article 9", "Notes"], 3),
    ]
    assert [(each.title, each.name) for each in parsed.sections] == [("Notes", "Notes"), ("Article 9", "Article 9")]


def test_without_markdown_the_level_is_that_of_the_list(tmp_path):
    assert levels(read(tmp_path, [head("Code"), head("A", 2), head("B", 3), head("C", 9)])) == [
        (["Code"], None),
        (["A"], 2),
        (["A", "B"], 3),
        (["A", "B", "C"], 6),
    ]


def test_the_search_goes_forward_only(tmp_path):
    """A heading of the Markdown that the list holds earlier is not found again, and a later one does not swallow what is between."""
    markdown = "## A\n\n### Notes\n\n## B\n\n#### Notes\n"
    parsed = read(tmp_path, [head("A"), head("B"), head("Notes")], markdown)
    assert levels(parsed) == [(["A"], 2), (["B"], 2), (["B", "Notes"], 4)]


def test_lines_of_the_contents_are_no_headings(tmp_path):
    contents = [text("Contents"), text("Article 1 Purpose"), text("Article 2 Scope")]
    items = [head("Code"), *contents, head("Article 1 Purpose", page=1), text("x", 1), head("Article 2 Scope", page=1), text("y", 1)]
    parsed = read(tmp_path, items, "# Code\n\n## Article 1 Purpose\n\nx\n\n## Article 2 Scope\n\ny\n")
    assert [block.kind for block in parsed.blocks] == ["title", *["paragraph"] * 3, "heading", "paragraph", "heading", "paragraph"]


def test_a_heading_that_only_the_markdown_marks(tmp_path):
    items = [head("A"), text("x"), text("B"), text("y"), text("A"), head("C")]
    parsed = read(tmp_path, items, "## A\n\nx\n\n### B\n\ny\n\nA\n\n## C\n")
    assert levels(parsed) == [(["A"], 2), (["A", "B"], 3), (["C"], 2)] and parsed.problems == []


def test_a_heading_that_the_markdown_lacks_is_named(tmp_path):
    parsed = read(tmp_path, [head("A"), head("Odd", page=2), head("B")], "## A\n\n## B\n")
    assert levels(parsed) == [(["A"], 2), (["Odd"], 2), (["B"], 2)]
    (problem,) = parsed.problems
    assert problem.page == 3 and "'Odd'" in problem.what and "level 2" in problem.todo


@pytest.mark.parametrize(
    "written", ["## **Fees** & *charges* `1`", "## Fees &amp; charges 1", "Fees & charges 1\n---", "## Fees \\& charges $^{1}$ ##"]
)
def test_one_heading_in_two_writings(tmp_path, written):
    assert levels(read(tmp_path, [head("Fees & charges 1")], f"# T\n\n{written}\n")) == [(["Fees & charges 1"], 2)]


def test_a_heading_in_a_code_fence_of_the_markdown_is_none(tmp_path):
    assert levels(read(tmp_path, [head("A")], "```\n# A\n```\n\n### A\n")) == [(["A"], 3)]


def test_markdown_of_another_document_is_refused(tmp_path):
    with pytest.raises(DocumentError, match=r"a\.md: has none of the headings of .*a_content_list\.json .*'A'.* — take the two files"):
        read(tmp_path, [head("A")], "# B\n\n# C\n")


# --- pages


def test_pages_have_their_numbers_and_what_is_printed_on_them(tmp_path):
    items = [text("one"), {"type": "page_number", "text": "iv", "page_idx": 0}, text("two", 2), text("late", 0), text("end", 3)]
    parsed = read(tmp_path, items)
    assert [(page.number, page.label, parsed.text[page.start : page.end]) for page in parsed.pages] == [
        (1, "iv", "one"),
        (2, "", ""),
        (3, "", "two\n\nlate"),
        (4, "", "end"),
    ]
    assert [block.page for block in parsed.blocks] == [1, 3, 1, 4]


def test_the_newer_list_gives_the_same(tmp_path):
    old = [
        head("Code"),
        text("costs \\$5 or $x^2$ more"),
        {"type": "list", "list_items": ["one", "two"], "page_idx": 1},
        {"type": "table", "table_caption": ["T"], "table_body": "<table><tr><td>a</td></tr></table>", "page_idx": 1},
        {"type": "page_footnote", "text": "1 note", "page_idx": 1},
        {"type": "page_number", "text": "2", "page_idx": 1},
        {"type": "code", "code_body": "a = 1", "page_idx": 1},
    ]

    def said(words):
        return [{"type": "text", "content": words}]

    new = [
        [
            {"type": "title", "content": {"title_content": said("Code"), "level": 1}},
            {
                "type": "paragraph",
                "content": {"paragraph_content": [*said("costs $5 or"), {"type": "equation_inline", "content": "x^2"}, *said("more")]},
            },
        ],
        [
            {
                "type": "list",
                "content": {"list_items": [{"item_content": said("one")}, {"item_content": said("two")}]},
            },
            {"type": "table", "content": {"table_caption": said("T"), "html": "<table><tr><td>a</td></tr></table>", "table_footnote": []}},
            {"type": "page_footnote", "content": {"page_footnote_content": said("1 note")}},
            {"type": "page_number", "content": {"page_number_content": said("2")}},
            {"type": "code", "content": {"code_content": said("a = 1"), "code_language": "py"}},
        ],
    ]
    assert read(tmp_path, old) == read(tmp_path, new)


def test_spans_inside_spans_empty_ones_and_a_title_without_a_level(tmp_path):
    spans = [{"type": "text", "content": None}, {"type": "hyperlink", "content": [{"type": "text", "content": "a link"}]}]
    page = [
        {"type": "title", "content": {"title_content": [{"type": "text", "content": "Code"}]}},
        {"type": "paragraph", "content": {"paragraph_content": spans}},
        {"type": "paragraph", "content": None},
    ]
    assert seen(read(tmp_path, [page])) == [("title", "Code", 1), ("paragraph", "a link", 1)]


@pytest.mark.parametrize("storm", ["<sup>" * 20_000, " " * 50_000 + "a", "$ ^ {" + " " * 20_000, "a\n" + " " * 50_000 + "b", "$" * 20_001])
def test_a_storm_of_marks_is_read_at_once(tmp_path, storm):
    began = time.process_time()
    read(tmp_path, [text(storm)])
    assert time.process_time() - began < 2  # looked at anew from each mark, it took up to a minute


def test_labels_and_format(tmp_path):
    parsed = read(tmp_path, [text("x")], doc_id="code", version="2026", access="public", language="en", title="The code")
    assert (parsed.doc_id, parsed.version, parsed.access, parsed.language, parsed.title, parsed.format) == (
        *("code", "2026", "public", "en", "The code"),
        "pdf",
    )
    assert read(tmp_path, [text("x")]).access == "staff"


# --- what is wrong


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("[\n{", r"json:2: is not JSON \(.*\) — take MinerU's"),
        ("", r"json:1: is not JSON"),
        ('{"pdf_info": []}', r"json:1: is no list of blocks — take"),
        ("[" * 100_000, r"json.*: is "),
        (
            '[\n  "x",\n  {"type": "text", "page_idx": 0},\n  7\n]',
            r"json:2: block 1 is no block: 'x'\n.*json:4: block 3 is no",
        ),
        ('[{"text": "a", "page_idx": 0}]', "has no type"),
        ('[{"type": "text", "text": "a"}]', "has no page: page_idx is None"),
        ('[{"type": "text", "page_idx": -1}]', "page_idx is -1"),
        ('[{"type": "text", "page_idx": true}]', "page_idx is True"),
        ('[{"type": "text", "page_idx": 1e3}]', "page_idx is 1000.0"),
        ('[{"type": "text", "page_idx": 1000000000}]', "page_idx is 1000000000"),
        ('[{"type": "text", "text": 5, "page_idx": 0}]', "has a text that is no text: 5"),
        ('[{"type": "list", "list_items": ["a", 5], "page_idx": 0}]', "has a list_items that is no text"),
        ('[{"type": "text", "text": "a", "text_level": "1", "page_idx": 0}]', "text_level is '1'"),
        ('[[{"type": 3}]]', "is no block"),
        ('[[{"type": "paragraph", "content": {"paragraph_content": [{"content": 5}]}}]]', "has a text that is none: 5"),
        ('[[{"type": "list", "content": {"list_items": "one"}}]]', "has a text that is none: 'one'"),
    ],
)
def test_what_is_no_content_list_is_refused(tmp_path, source, message):
    (tmp_path / "a_content_list.json").write_text(source, "utf-8")
    with pytest.raises(DocumentError, match=message):
        read_mineru(tmp_path / "a_content_list.json", doc_id="a")


def test_a_thousand_faults_make_a_short_message(tmp_path):
    with pytest.raises(DocumentError) as caught:
        read(tmp_path, ["x"] * 1000)
    assert len(str(caught.value).splitlines()) == 21 and "and 980 more" in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DocumentError, match="no such file"):
        read_mineru(tmp_path / "none.json", doc_id="a")
    with pytest.raises(DocumentError, match=r"other\.md: there is no such file"):
        (tmp_path / "a.json").write_text("[]")
        read_mineru(tmp_path / "a.json", tmp_path / "other.md", doc_id="a")


@pytest.mark.parametrize(
    ("item", "what"),
    [
        ({"type": "table", "img_path": "images/1.jpg", "page_idx": 4}, "kept it as a picture"),
        ({"type": "table", "table_body": "<p>x</p>", "page_idx": 4}, "has no rows"),
        ({"type": "hologram", "page_idx": 4}, "of the type 'hologram'"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_page(tmp_path, item, what):
    (problem,) = read(tmp_path, [text("a"), item]).problems
    assert problem.page == 5 and what in problem.what


def test_a_table_that_runs_over_a_page_is_whole_and_no_problem(tmp_path):
    whole = {
        "type": "table",
        "img_path": "images/1.jpg",
        "table_body": "<table><tr><td>a</td></tr><tr><td>b</td></tr></table>",
        "page_idx": 0,
    }
    rest = {"type": "table", "img_path": "", "table_caption": [], "table_footnote": ["A note."], "page_idx": 1}
    parsed = read(tmp_path, [whole, rest])
    assert [(block.kind, block.page, block.rows) for block in parsed.blocks] == [("table", 1, [["a"], ["b"]]), ("paragraph", 2, [])]
    assert parsed.problems == []
    for lost in ([rest, whole], [whole, rest | {"img_path": "images/2.jpg"}], [whole | {"page_idx": 1}, rest]):
        (problem,) = read(tmp_path, lost).problems
        assert "a table has no text" in problem.what


def test_an_empty_list_says_so(tmp_path):
    parsed = read(tmp_path, [])
    assert parsed.blocks == [] and parsed.pages == [] and "no text" in parsed.problems[0].what


_words = st.text(st.sampled_from("ab \\$*^{}<sup>1.\n#é"), max_size=20)
_types = st.sampled_from(["text", "list", "header", "superscript", "blank", "code", "equation", "page_number", "odd"])
_items = st.lists(
    st.fixed_dictionaries(
        {"type": _types, "page_idx": st.integers(0, 3)},
        optional={"text": _words, "text_level": st.integers(0, 8), "list_items": st.lists(_words, max_size=3), "code_body": _words},
    ),
    max_size=8,
)


@settings(max_examples=150, deadline=None)
@given(_items, st.one_of(st.none(), st.lists(_words, max_size=5).map(lambda lines: "\n\n".join(f"## {line}" for line in lines))))
def test_laws_of_blocks_and_pages(tmp_path_factory, items, markdown):
    try:
        parsed = read(tmp_path_factory.getbasetemp(), items, markdown)
    except DocumentError as error:
        assert "take the two files of one run" in str(error)
        return
    assert all(parsed.text[block.start : block.end] == block.text and block.text.strip() for block in parsed.blocks)
    at = 0
    for page in parsed.pages:
        assert at <= page.start <= page.end <= len(parsed.text)
        at = page.end
    assert [page.number for page in parsed.pages] == list(range(1, len(parsed.pages) + 1))
