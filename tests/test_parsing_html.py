"""HTML into blocks: what a reader sees, each text once, tables as grids, and the laws that hold for every page (lesson 06)."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit.collection import load_inventory
from labkit.parsing.html import read_html
from labkit.parsing.reading import parse
from labkit.parsing.tables import Cell, as_lines, grid, span


def read(page):
    return read_html(page, doc_id="x")


def kinds(page):
    """Each block as (kind, text), a level behind the kind where there is one."""
    return [(b.kind if b.level is None else f"{b.kind} {b.level}", b.text) for b in read(page).blocks]


def P(*texts):  # noqa: N802
    return [("paragraph", text) for text in texts]


CASES = [
    # words
    ("marks inside a word", "<p>im<b>por</b>tant, H<sub>2</sub>O", P("important, H2O")),
    ("<br> separates words", "<p>one<br>two<br/>three</br>four", P("one two three four")),
    ("two <br> separate paragraphs", "one<br>two<br> <br/>three", P("one two", "three")),
    ("white space is folded", "<p>\n a\t b\n\n<i> c </i>  d\n</p>", P("a b c d")),
    ("entities", "<p>a&nbsp;b &amp;&lt;c&gt; &eacute;&#8217;&#x2019; d&nbsp;&nbsp;e", P("a b &<c> é’’ d e")),
    ("narrow and wide spaces", "<p>10 &thinsp;000 $&emsp;x", P("10 000 $ x")),
    ("a soft hyphen and a zero-width space stay in their word", "<p>a&shy;b&#8203;c", P("a\xadb\u200bc")),
    ("a picture stands between words", "<p>a<img alt=x>b", P("a b")),
    ("an ampersand and a < that are none", "<p>a & b < c &copy d", P("a & b < c © d")),
    ("U+0000", "<p>a\0b", P("ab")),
    # blocks
    ("paragraphs never closed", "<p>a<p>b<div>c<p>d", P("a", "b", "c", "d")),
    ("bare text around blocks", "a<p>b</p>c<div>d</div>e", P("a", "b", "c", "d", "e")),
    ("blocks inside an inline element", "<a href=x>a<p>b</p><h2>c</h2></a>d", [*P("a", "b"), ("heading 2", "c"), *P("d")]),
    ("a style that makes a block", "<span style='display: block'>a</span><span>b</span>", P("a", "b")),
    ("elements nobody knows", "<x-card><p>a</p></x-card><o:p>b</o:p>", P("a", "b")),
    ("quotes, addresses, captions", "<blockquote><p>a<p>b</blockquote><address>c<br>d</address><figure><img><figcaption>e</figure>",
     P("a", "b", "c d", "e")),
    ("details", "<details><summary>a</summary>b<p>c</details>", P("a", "b", "c")),
    ("a rule", "a<hr>b", P("a", "b")),
    ("after the end", "<body><p>a</body><p>b</html><p>c", P("a", "b", "c")),
    ("two pages in one file",
     "<html><body><p>a</body></html><html><head><title>t</title></head><body><p>b</body></html>", P("a", "b")),
    ("no body, no head", "<title>t</title><p>a", P("a")),
    # headings
    ("title and headings", "<h1>a</h1><h2>b</h2><h3>c</h3>d", [("title", "a"), ("heading 2", "b"), ("heading 3", "c"), *P("d")]),
    ("several h1", "<h1>a</h1><h1>b</h1>", [("title", "a"), ("heading 1", "b")]),
    ("an h1 after an h2", "<h2>a</h2><h1>b</h1>", [("heading 2", "a"), ("heading 1", "b")]),
    ("an empty heading", "<h2> <span></span></h2>a", P("a")),
    ("marks and breaks in a heading", "<h2>a <em>b</em><br>c\n d</h2>", [("heading 2", "a b c d")]),
    ("a heading never closed", "<h2>a<p>b<p>c", [("heading 2", "a"), *P("b", "c")]),
    ("a block in a heading", "<h2><div>a</div></h2>b", [("heading 2", "a"), *P("b")]),
    ("a heading by its role",
     "<div role=heading aria-level=3>a</div><div role=heading>b</div>", [("heading 3", "a"), ("heading 2", "b")]),
    ("a heading that is a button", "<h2><button>a</button></h2><button>b</button>c", [("heading 2", "a"), *P("c")]),
    ("a heading's link to itself", "<h2>a<a href='#a'>¶</a></h2>", [("heading 2", "a")]),
    ("a heading in a quote", "<blockquote><h2>a</h2>b</blockquote>", P("a", "b")),
    ("a heading in an item", "<ul><li><h2>a</h2>b</ul>", [("list_item 1", "a\nb")]),
    # lists
    ("items", "<ul><li>a</li><li>b</li></ul><ol><li>c</ol>", [("list_item 1", "a"), ("list_item 1", "b"), ("list_item 1", "c")]),
    ("items never closed", "<ul><li>a<li>b</ul>c", [("list_item 1", "a"), ("list_item 1", "b"), *P("c")]),
    ("nested, and what follows", "<ul><li>a<ol><li>b<ul><li>c</ul></ol>d<li>e</ul>",
     [("list_item 1", "a"), ("list_item 2", "b"), ("list_item 3", "c"), ("list_item 1", "d"), ("list_item 1", "e")]),
    ("a list in a list, without an item", "<ul><li>a</li><ul><li>b</li></ul></ul>", [("list_item 1", "a"), ("list_item 2", "b")]),
    ("an item without a list", "<li>a<li>b", [("list_item 1", "a"), ("list_item 1", "b")]),
    ("paragraphs of an item", "<ul><li><p>a</p><p>b<br>c</p></ul>", [("list_item 1", "a\nb c")]),
    ("text between items", "<ul>a<li>b</li>c</ul>", [("list_item 1", "a"), ("list_item 1", "b"), ("list_item 1", "c")]),
    ("terms and definitions",
     "<dl><dt>a<dd>b<dd>c<dt>d<dt>e<dd><p>f<p>g</dl>", [("list_item 1", "a\nb\nc"), ("list_item 1", "d\ne\nf\ng")]),
    ("terms in <div>s", "<dl><div><dt>a</dt><dd>b</dd></div><div><dt>c</dt><dd>d</dd></div></dl>",
     [("list_item 1", "a\nb"), ("list_item 1", "c\nd")]),
    ("a list in a definition", "<dl><dt>a<dd>b<ul><li>c</ul></dl>", [("list_item 1", "a\nb"), ("list_item 2", "c")]),
    # code
    ("code", "a<pre>\n  b &lt;\n\n\tc<br>d\n\n</pre>e", [*P("a"), ("code", "  b <\n\n\tc\nd"), *P("e")]),
    ("code with marks and lines", "<pre><code><span>a</span> <b>b</b><div>c</div>d</code></pre>", [("code", "a b\nc\nd")]),
    ("code in an item", "<ul><li>a<pre>b\n c</pre>d</ul>", [("list_item 1", "a"), ("code", "b\n c"), ("list_item 1", "d")]),
    ("CRLF in code", "<pre>a\r\nb\rc</pre>", [("code", "a\nb\nc")]),
    ("empty code", "<pre> \n </pre>a", P("a")),
    # what is not read
    ("scripts, styles, templates, comments",
     "<script>x</script><style>x</style><template><p>x</template><!-- x -->a<!-- x -->b", P("ab")),
    ("a comment with > and tags", "<p>a<!-- > <p>x</p> -->b", P("ab")),
    ("noscript, iframe, svg's title", "<noscript>x</noscript><iframe>x</iframe><svg><title>x</title></svg>a", P("a")),
    ("hidden",
     "<p hidden>x<p aria-hidden=true>x<p style='color:red;DISPLAY : none'>x<p style='visibility:hidden'>x<dialog>x</dialog><p>a", P("a")),
    ("not hidden", "<p aria-hidden=false>a<p style='display:inline'>b<dialog open>c</dialog>", P("a", "b", "c")),
    ("a page that hides itself at first", "<body style='display:none'><p>a", P("a")),
    ("hidden inside a word", "a<span hidden>x</span>b", P("ab")),
    ("navigation", "<nav>x</nav><div role=navigation>x</div>a<ul role=menu><li>x</ul>", P("a")),
    ("the page's header and footer", "<header>x</header><p>a</p><footer>x</footer><div role=contentinfo>x</div>", P("a")),
    ("an article's header and footer",
     "<article><header>a</header><p>b</p><footer>c</footer></article><footer>x</footer>", P("a", "b", "c")),
    ("forms",
     "<p>a</p><form>x<input value=x><select><option>x</select></form><label>b</label><textarea>x</textarea>", P("a", "b")),
    ("a form around the page", "<form><h1>a</h1><p>b<input><button>x</button></p></form>", [("title", "a"), *P("b")]),
    ("<main>", "x<main><p>a</main>x", P("a")),
    ("role=main", "<p>x<div role=main>a</div>", P("a")),
    ("an empty <main>", "<main></main><p>a", P("a")),
    ("a hidden <main> beside another", "<main hidden>x</main><main>a</main>", P("a")),
    ("<article>", "<div>x</div><article>a b c</article>", P("a b c")),
    ("articles, in order", "<article>a</article>x<article>b<article>c</article></article>", P("a", "b", "c")),
    ("an article that is a side matter", "<p>a b c d e f</p><article>g</article>", P("a b c d e f", "g")),
    ("the title in the page's header",
     "<header><h1>a</h1><nav>x</nav></header><main><h2>b</h2></main>", [("title", "a"), ("heading 2", "b")]),
    ("an h1 in <main> comes first", "<header><h1>x</h1></header><main><h1>a</h1></main>", [("title", "a")]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "page", "expected"), CASES, ids=[case[0] for case in CASES])
def test_blocks(kind, page, expected):
    assert kinds(page) == expected


TABLES = [
    ("plain", "<tr><th>a<th>b<tr><td>c<td>d", [["a", "b"], ["c", "d"]]),
    ("cells never closed, cells without a row", "<td>a<td>b<tr><td>c", [["a", "b"], ["c", ""]]),
    ("rowspan", "<tr><td rowspan=2>a<td>b<tr><td>c", [["a", "b"], ["a", "c"]]),
    ("colspan", "<tr><td colspan=2>a<tr><td>b<td>c", [["a", "a"], ["b", "c"]]),
    ("both", "<tr><td colspan=2 rowspan=2>a<td>b<tr><td>c<tr><td>d<td>e<td>f", [["a", "a", "b"], ["a", "a", "c"], ["d", "e", "f"]]),
    ("rowspan in the middle", "<tr><td>a<td rowspan=2>b<td>c<tr><td>d<td>e", [["a", "b", "c"], ["d", "b", "e"]]),
    ("rowspan=0: to the end of its group", "<tbody><tr><td rowspan=0>a<td>b<tr><td>c<tbody><tr><td>d<td>e",
     [["a", "b"], ["a", "c"], ["d", "e"]]),
    ("rowspan never leaves its group", "<tbody><tr><td rowspan=9>a<td>b<tbody><tr><td>c<td>d", [["a", "b"], ["c", "d"]]),
    ("colspan further than any row", "<tr><th colspan=100>a<tr><td>b<td>c", [["a", "a"], ["b", "c"]]),
    ("spans that are none", "<tr><td rowspan=x colspan=-1>a<td colspan=0>b<td colspan='2px'>c<tr><td>d<td>e<td>f<td>g",
     [["a", "b", "c", "c"], ["d", "e", "f", "g"]]),
    ("ragged", "<tr><td>a<tr><td>b<td>c", [["a", ""], ["b", "c"]]),
    ("an empty cell keeps its column", "<tr><td>a<td><td>b<tr><td>c<td>d<td>e", [["a", "", "b"], ["c", "d", "e"]]),
    ("rows without a word", "<tr><td>a<td>b<tr><td>&nbsp;<td><tr><td colspan=2><hr></td><tr><td>c<td>d", [["a", "b"], ["c", "d"]]),
    ("foot before body", "<tfoot><tr><td>c</tfoot><tbody><tr><td>b</tbody><thead><tr><td>a</thead>", [["a"], ["b"], ["c"]]),
    ("blocks in a cell", "<tr><td><p>a</p><p>b</p><td>c<br>d<div>e</div>", [["a b", "c d e"]]),
    ("marks in a word of a cell", "<tr><td>im<b>por</b>tant<td>x", [["important", "x"]]),
    ("hidden rows and cells", "<tr hidden><td>x<tr><td>a<td style='display:none'>x<td>b<!-- x --><script>x</script>", [["a", "b"]]),
    ("a form around rows", "<form><tr><td>a<td>b<input></form>", [["a", "b"]]),
    ("a list in a table with header cells", "<tr><th>a<th>b<tr><td>c<td><ul><li>d<li>e</ul>", [["a", "b"], ["c", "d e"]]),
    ("a pipe in a cell", "<tr><td>a|b<td>c", [["a|b", "c"]]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "content", "rows"), TABLES, ids=[case[0] for case in TABLES])
def test_rows(kind, content, rows):
    (block,) = read(f"<table>{content}</table>").blocks
    assert (block.kind, block.rows) == ("table", rows)
    assert block.text == "\n".join("\t".join(row) for row in rows)


AROUND_TABLES = [
    ("a caption comes first", "<table><tr><td>a<td>b</tr><caption>c</caption></table>d", [*P("c"), ("table", "a\tb"), *P("d")]),
    ("words outside the cells", "<table>a<tr>b<td>c</td>d<td>e</tr></table>", [*P("a", "b", "d"), ("table", "c\te")]),
    ("a table in a cell", "<table><tr><td>a<table><tr><td>b<td>c</table>d<td>e</table>",
     [*P("a"), ("table", "b\tc"), *P("d", "e")]),
    ("headings in cells open no section", "<table><tr><td><h2>a</h2><p>b<td>c</table>", P("a", "b", "c")),
    ("lists in cells", "<table><tr><td><ul><li>a</ul><td>b</table>", [("list_item 1", "a"), *P("b")]),
    ("one cell around the page", "<table><tr><td><p>a<p>b</table>", P("a", "b")),
    ("one cell with words", "<table><tr><td>a</table>", [("table", "a")]),
    ("a table that says it is none", "<table role=presentation><tr><td><h2>a</h2>b</table>", [("heading 2", "a"), *P("b")]),
    ("code beside its line numbers", "<table><tr><td><pre>1\n2</pre><td><pre>a\n b</pre></table>", [("code", "1\n2"), ("code", "a\n b")]),
    ("a table in an item", "<ul><li>a<table><tr><td>b<td>c</table>d</ul>",
     [("list_item 1", "a"), ("table", "b\tc"), ("list_item 1", "d")]),
    ("no words", "<table><tr><td> <td></table>a", P("a")),
    ("an h1 in a cell of a page", "<table><tr><td><h1>a</h1><td>b</table>", [("title", "a"), *P("b")]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "page", "expected"), AROUND_TABLES, ids=[case[0] for case in AROUND_TABLES])
def test_tables_and_what_is_around_them(kind, page, expected):
    assert kinds(page) == expected


def test_headings_in_cells_open_no_section_and_stand_above_nothing():
    parsed = read("<h2>a</h2><table><tr><td><h2>x</h2>b<td><h3>y</h3></table><h2>c</h2><h4>d</h4>e<h3>f</h3><h2>a</h2>g")
    assert [(s.title, s.name) for s in parsed.sections] == [("a", "a"), ("c", "c"), ("a", "a-2")]
    assert [(b.text, b.heading_path) for b in parsed.blocks if b.kind == "paragraph"] == [
        ("x", ["a"]), ("b", ["a"]), ("y", ["a"]), ("e", ["c", "d"]), ("g", ["a"]),
    ]  # fmt: skip


def test_a_title_that_comes_late_closes_what_stood_open():
    parsed = read("<h3>Note</h3><p>a</p><h1>Title</h1><p>b</p><h2>Part</h2><p>c</p>")
    assert [block.heading_path for block in parsed.blocks] == [["Note"], ["Note"], [], [], ["Part"], ["Part"]]


def test_the_text_is_the_blocks_with_blank_lines_between():
    parsed = read("<h1>a</h1><p>b<ul><li>c<li>d</ul><table><tr><td>e<td>f<tr><td>g<td>h</table>")
    assert parsed.text == "a\n\nb\n\nc\n\nd\n\ne\tf\ng\th"
    assert (parsed.body, parsed.pages, parsed.format) == (0, [], "html")


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<title> a &amp;\n b </title><h1>c <i>d</i></h1>", "c d"),
        ("<title> a &amp;\n b </title><p>c", "a & b"),
        ("<svg><title>x</title></svg><p>c", ""),
        ("<h2>a</h2><h1>b</h1>", "b"),
        ("<p>a", ""),
    ],
)
def test_the_title(page, title):
    assert read(page).title == title
    assert read_html(page, doc_id="x", title="Given").title == "Given"


# --- bytes ----------------------------------------------------------------------------------------------------------------------

ACCENTS = "<p>été à 5 €</p>"
BYTES = [
    ("nothing declared, UTF-8", ACCENTS.encode(), "été à 5 €", ""),
    ("a byte order mark", b"\xef\xbb\xbf" + ACCENTS.encode(), "été à 5 €", ""),
    ("UTF-16 by its mark", ACCENTS.encode("utf-16"), "été à 5 €", ""),
    ("meta charset", b"<meta charset=windows-1252>" + ACCENTS.encode("cp1252"), "été à 5 €", ""),
    ("Latin-1 means Windows-1252", b"<meta charset='iso-8859-1'>" + ACCENTS.encode("cp1252"), "été à 5 €", ""),
    ("the old form", b'<META http-equiv="Content-Type" content="text/html; charset=iso-8859-15">' + ACCENTS.encode("iso-8859-15"),
     "été à 5 €", ""),
    ("XML's form", b'<?xml version="1.0" encoding="iso-8859-15"?>' + ACCENTS.encode("iso-8859-15"), "été à 5 €", ""),
    ("another alphabet", b"<meta charset=koi8-r><p>" + "привет".encode("koi8-r"), "привет", ""),
    ("a character set nobody knows", b"<meta charset=x-none>" + ACCENTS.encode(), "été à 5 €", ""),
    ("the mark beats the declaration", b"\xef\xbb\xbf<meta charset=koi8-r>" + ACCENTS.encode(), "été à 5 €", ""),
    ("nothing declared, not UTF-8", ACCENTS.encode("cp1252"), "été à 5 €",
     "byte 4 of line 1 (0xE9) is not UTF-8); it was read as windows-1252"),
    ("declared UTF-8, and not", b"<meta charset=utf-8><p>\xe9t\xe9", "\ufffdt\ufffd",
     "was read as utf-8, as it says, and 2 of its characters are not"),
    ("a declaration that does not fit", b"<meta charset=shift_jis><p>a\x81", "a\ufffd",
     "was read as cp932, as it says, and 1 of its characters"),
    ("a declaration in a comment is none", b"<!-- <meta charset=koi8-r> -->" + ACCENTS.encode(), "été à 5 €", ""),
    ("a declaration after a long comment", b"<!--" + b"x" * 3000 + b"--><meta charset=windows-1251><p>" + "привет".encode("cp1251"),
     "привет", ""),
    ("Shift JIS by another name", b"<meta charset=x-sjis><p>" + "①日本".encode("cp932"), "①日本", ""),
    ("GB2312 means the larger set", b"<meta charset=gb2312><p>" + "镕中".encode("gb18030"), "镕中", ""),
    ("ks_c_5601-1987", b"<meta charset=ks_c_5601-1987><p>" + "한글".encode("cp949"), "한글", ""),
    ("a transport code is no character set", b"<meta charset=utf-7><p>+AGE-", "+AGE-", ""),
    ("nor is punycode", b"<meta charset=punycode><p>a-b", "a-b", ""),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "data", "text", "problem"), BYTES, ids=[case[0] for case in BYTES])
def test_character_sets(kind, data, text, problem):
    parsed = read(data)
    assert parsed.text == text
    if problem:
        (found,) = parsed.problems
        assert problem in found.what and "UTF-8" in found.todo and found.page is None
    else:
        assert parsed.problems == []


@pytest.mark.parametrize("page", ["", " ", "<!-- x -->", "<script>x</script>", "<div id=app></div>", "<nav>x</nav>", "</p>", "<?x?>"])
def test_a_page_without_text_says_so(page):
    parsed = read(page)
    assert (parsed.text, parsed.blocks, parsed.sections) == ("", [], [])
    assert "no text" in parsed.problems[0].what and parsed.problems[0].todo


def test_one_word():
    parsed = read("word")
    assert [(b.kind, b.start, b.end, b.text) for b in parsed.blocks] == [("paragraph", 0, 4, "word")] and parsed.problems == []


# --- large and deep ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tags", ["div", "b", "ul><li", "table><tr><td"])
def test_ten_thousand_elements_in_each_other(tags):
    n = 10_000
    closed = "".join(f"</{tag}>" for tag in reversed(tags.split("><"))) * n
    parsed = read(f"<p>before</p>{f'<{tags}>' * n}deep{closed}<p>after")
    assert [block.text.strip() for block in parsed.blocks] == ["before", "deep", "after"]


def test_five_megabytes_in_seconds():
    row = "<tr><td rowspan=2>cell one<td>cell <b>two</b></td></tr><tr><td>cell three</td></tr>"
    prose = "<p>Some words of a <i>paragraph</i>, and more.</p><ul><li>a<li>b</ul>"
    page = f"<h2>Rates</h2><table>{row * 20_000}</table>{prose * 45_000}"
    assert len(page) > 4_500_000
    start = time.process_time()
    parsed = read(page)
    assert time.process_time() - start < 15
    assert len(parsed.blocks) == 2 + 3 * 45_000 and len(parsed.blocks[1].rows) == 40_000


# --- laws -----------------------------------------------------------------------------------------------------------------------


def hold_the_laws(page):
    parsed = read(page)
    position = 0
    for number, block in enumerate(parsed.blocks):
        assert block.start == position and parsed.text[block.start : block.end] == block.text != ""
        assert (block.kind == "table") == bool(block.rows) and len({len(row) for row in block.rows}) <= 1
        assert (block.level is not None) == (block.kind in ("heading", "list_item"))
        assert block.kind != "title" or number == 0 or all(b.level not in (1, 2) or b.kind != "heading" for b in parsed.blocks[:number])
        position = block.end + 2
    assert parsed == read(page)
    assert bool(parsed.blocks) or parsed.problems
    return parsed


TAGS = ["p", "div", "b", "h1", "h2", "h3", "ul", "ol", "li", "dl", "dt", "dd", "table", "tr", "td", "th", "tbody", "caption", "pre",
        "br", "hr", "main", "article", "header", "footer", "nav", "section", "blockquote", "form", "button", "summary", "script",
        "head", "body", "html", "template", "a", "span hidden", "td rowspan=3", "td colspan=2", "table role=none", "svg", "title",
        "select", "option"]  # fmt: skip
pieces = st.one_of(
    st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag.split()[0]}>" for tag in TAGS]),
    st.sampled_from(["word", " ", "\n", "é", "&nbsp;", "&amp;", "<!-- c -->", "<!--", "|", "\x0c", "\u2028", "<", ">"]),
)


@settings(deadline=None)
@given(st.lists(pieces, max_size=40).map("".join))
def test_laws_for_anything_that_looks_like_html(page):
    hold_the_laws(page)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_laws_for_any_text(page):
    hold_the_laws(page)


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_can_be_read(data):
    parsed = read(data)
    assert parsed == read(data) and (parsed.blocks or parsed.problems)


@st.composite
def pages(draw):
    """(page, words): a page whose words are each its own; `words` are those that a reader sees, in the order of the source."""
    number = iter(range(10_000))
    seen: list[str] = []

    def word(visible=True):
        new = f"w{next(number)}"
        if visible:
            seen.append(new)
        return new

    def inline(depth=0):
        made = []
        for _ in range(draw(st.integers(1, 3))):
            kind = draw(st.sampled_from(["word", "mark", "break", "unseen", "comment"]))
            if kind == "mark" and depth < 2:
                made.append(f"<b>{inline(depth + 1)}</b>")
            elif kind == "break":
                made.append(f"{word()}<br>{word()}")
            elif kind == "unseen":
                wrapped = draw(st.sampled_from(["<span hidden>{}</span>", "<script>{}</script>", "<i style='display:none'>{}</i>"]))
                made.append(wrapped.format(word(False)))
            elif kind == "comment":
                made.append(f"<!-- {word(False)} -->")
            else:
                made.append(word())
        return " ".join(made)

    def block(depth):
        simple = ["p", "h2", "h3", "pre", "bare", "table", "nav", "dl"]
        kind = draw(st.sampled_from([*simple, *(["ul", "div", "section", "blockquote", "layout"] if depth < 3 else [])]))
        if kind in ("p", "h2", "h3", "pre"):
            return f"<{kind}>{inline()}</{kind}>"
        if kind == "bare":
            return inline()
        if kind == "nav":
            return f"<nav>{word(False)}</nav>"
        if kind == "dl":
            return f"<dl><dt>{inline()}<dd>{inline()}</dl>"
        if kind == "table":
            width = draw(st.integers(1, 3))
            return "<table>" + "".join(
                "<tr>" + "".join(f"<td>{inline()}" for _ in range(width)) for _ in range(draw(st.integers(1, 3)))
            ) + "</table>"  # fmt: skip
        inner = [block(depth + 1) for _ in range(draw(st.integers(1, 3)))]
        if kind == "ul":
            return "<ul>" + "".join(f"<li>{each}" for each in inner) + "</ul>"
        if kind == "layout":
            return "<table role=presentation><tr>" + "".join(f"<td>{each}</td>" for each in inner) + "</tr></table>"
        return f"<{kind}>{''.join(inner)}</{kind}>"

    page = "".join(block(0) for _ in range(draw(st.integers(1, 6))))
    return page, seen


@settings(deadline=None)
@given(pages())
def test_each_visible_word_is_in_exactly_one_block(made):
    page, words = made
    parsed = hold_the_laws(page)
    assert [word for block in parsed.blocks for word in re.findall(r"w\d+", block.text)] == words
    assert re.findall(r"w\d+", parsed.text) == words


def naive_grid(rows):
    """The grid by asking for each place which cell lies over it: slow, and another way than the one of `grid`."""
    taken, starts, ends = {}, [0], []
    for number, cells in enumerate(rows):
        column = 0
        for cell in cells:
            while (number, column) in taken:
                column += 1
            starts.append(column)
            ends.append(column + cell.columns)
            for down in range(cell.rows or len(rows)):
                for right in range(cell.columns):
                    taken.setdefault((number + down, column + right), cell.text)
            column += cell.columns
    width = min((end for end in ends if end > max(starts)), default=0)
    whole = [[taken.get((number, column), "") for column in range(width)] for number in range(len(rows))]
    reached = [any(text for (at, _), text in taken.items() if at == number) for number in range(len(rows))]
    return [row for row, cells, any_text in zip(whole, rows, reached, strict=True) if cells and any_text]


cells = st.builds(Cell, st.sampled_from(["a", "b", "c", ""]), st.integers(0, 4), st.integers(1, 3))


@settings(deadline=None)
@given(st.lists(st.lists(cells, max_size=4), max_size=5))
def test_a_grid_is_the_same_by_another_way(rows):
    assert grid([rows]) == naive_grid(rows)


@settings(deadline=None)
@given(st.lists(st.lists(st.lists(cells, min_size=1, max_size=3), max_size=3), max_size=3))
def test_groups_stand_one_below_the_other(groups):
    assert [[text for text in row if text] for row in grid(groups)] != [[]]
    assert len({len(row) for row in grid(groups)}) <= 1
    assert len(grid(groups)) <= sum(map(len, groups))


@pytest.mark.parametrize("cell", ['<td rowspan="65534">a', '<td colspan="1000">a'])
def test_a_table_that_would_fill_the_memory_is_read_without_repeats(cell):
    (block,) = read(f"<table>{f'<tr>{cell}<td>b' * 3_000}</table>").blocks
    assert block.rows == [["a", "b"]] * 3_000


@pytest.mark.parametrize(
    ("value", "number"),
    [(None, 1), ("", 1), ("x", 1), ("-3", 1), ("2", 2), (" 3 ", 3), ("+4", 4), ("2px", 2), ("0", 7), ("00", 7), ("99", 9),
     ("9" * 5000, 9), ("٣", 1)],
)  # fmt: skip
def test_spans_are_read_as_browsers_read_them(value, number):
    assert span(value, zero=7, most=9) == number


def test_as_lines():
    assert as_lines([["a", ""], ["b c", "d"]]) == "a\t\nb c\td"


# --- the collection ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("document", [d for d in load_inventory() if d.format == "html"], ids=lambda document: document.file)
def test_the_collections_pages(document):
    parsed = parse(document)
    assert parsed.problems == [] and parsed == parse(document) and hold_the_laws(document.read()).blocks == parsed.blocks
    assert (parsed.blocks[0].kind, parsed.blocks[0].text) == ("title", document.title)
    main = re.search(r"<main.*?>(.*)</main>", document.read(), re.DOTALL)[1]
    assert [s.title for s in parsed.sections] == re.findall(r"<h2>(.*?)</h2>", main)
    source = re.sub(r"<!--.*?-->|<table>.*?</table>", " ", main, flags=re.DOTALL)
    source = re.sub(r"<[^>]+>", " ", re.sub(r"</?(?:b|em|strong|a)\b[^>]*>", "", source)).replace("&nbsp;", " ")
    assert [word for block in parsed.blocks if block.kind != "table" for word in block.text.split()] == source.split()


def test_the_delivery_table_is_read_row_by_row():
    document = next(d for d in load_inventory() if d.doc_id == "delivery-rates-and-times")
    (table,) = [block for block in parse(document).blocks if block.kind == "table"]
    assert table.rows[0] == ["What we send", "Where to", "Rate", "Business days"]
    assert [row[0] for row in table.rows[1:]] == [table.rows[1][0]] * 4 + [table.rows[5][0]] * 3 + [table.rows[8][0]] * 2
    assert table.rows[7][1:] == ["Territories", "by quotation, before you pay", "by quotation, before you pay"]
    assert table.heading_path == ["Rates and times"]
