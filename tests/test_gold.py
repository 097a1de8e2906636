import pytest
from evaluation_cases import question
from hypothesis import given, settings
from hypothesis import strategies as st
from parsed_documents import by_hand, markdowns, parsed_markdown

from labkit.collection import load_inventory
from labkit.errors import BadArgument
from labkit.evaluation.gold import Place, locate, starts_of
from labkit.parsing.blocks import SectionSpan
from labkit.parsing.html import read_html
from labkit.questions import load_questions

TEXT = (
    "# Care\n\nnow and now\n\n## Use\n\nThe hose fits. aaa now\n\n"
    "## Store\n\nKeep it dry. The hose fits.\n\n## Use\n\nThe hose leaks. now, now"
)
GUIDE = parsed_markdown(TEXT, title="Care guide", doc_id="guide", version="1")


def place_of(quote, section="Use", parsed=GUIDE, version="1"):
    return locate([question("Q1", ("guide", section, version), quote=quote)], [parsed]).get(("Q1", 1), "no such document")


@pytest.mark.parametrize(
    ("quote", "section", "start"),
    [
        ("The hose fits.", "Use", 29),
        ("The hose fits.", "use", 29),  # sections are compared as slugs
        ("The hose fits.", "Store", 76),  # stands twice in the document: the section tells
        ("The hose leaks.", "Use-2", 100),
        ("now", "Use", 48),
        ("aaa", "Use", 44),
        ("aa", "Use", None),  # twice, one over the other
        ("now", "Use-2", None),  # twice in the section
        ("now and now", "Use", None),  # in the document, in no section
        ("the hose fits.", "Use", None),  # as it stands, or not at all
        ("The hose  fits.", "Use", None),
        ("The hose leaks.", "Use", None),  # in the other section of that name
        ("Keep it dry.", "Fees", None),  # no such section
        ("fits. aaa now\n\n## Store", "Use", None),  # reaches out of it
        ("", "Use", None),
        (" ", "Use", None),
    ],
)
def test_where_a_quote_stands(quote, section, start):
    found = place_of(quote, section)
    if start is None:
        assert found is None
    else:
        assert (found.start, found.end) == (start, start + len(quote)) and TEXT[found.start : found.end] == quote


def test_what_a_place_says():
    assert place_of("Keep it dry.", "Store") == Place("guide", "1", 63, 75, "Care guide", title_span=(0, 6))
    assert place_of("Keep it dry.", "Store").source == TEXT


def test_numbers_of_entries_and_documents_that_are_not_there():
    asked = [
        question("Q1", ("guide", "Store"), ("other", "Use"), ("guide", "Use", "2"), ("guide", "Fees"), quote="Keep it dry."),
        question("Q2"),
        question("Q3", ("guide", "Store"), quote="Keep it dry."),
    ]
    places = locate(asked, [GUIDE])
    assert list(places) == [("Q1", 1), ("Q1", 4), ("Q3", 1)]
    assert places["Q1", 1] == places["Q3", 1] and places["Q1", 4] is None


@pytest.mark.parametrize(
    ("documents", "said"),
    [([GUIDE, GUIDE], "guide version 1 stands twice"), (["guide.md"], "one is str"), ([None], "one is NoneType")],
)
def test_documents_that_are_none(documents, said):
    with pytest.raises(BadArgument, match=said):
        locate([question("Q1", ("guide", "Use"))], documents)


def test_starts_of_a_quote():
    assert list(starts_of("aa", "aaaa b aa")) == [0, 1, 2, 7]
    assert list(starts_of("aa", "aaaa b aa", 1, 4)) == [1, 2]
    assert list(starts_of(" ", "a b")) == list(starts_of("", "a")) == []


# --- rows of tables ---------------------------------------------------------------------------------------------------

TABLES = """# T

## Use

| Part | Number |
|------|--------|
| Pump | PK-1 |
| Hose | PH-1 |

between

|  Code | What it  is |
|---|---|
| A | x |

Pump and PK-2 in prose.

| | |
|---|---|
| B | y |
"""


@pytest.mark.parametrize(
    ("quote", "columns", "headers"),
    [
        ("| Pump | PK-1 |", ("Part", "Number"), ["| Part | Number |"]),
        ("| Hose | PH-1 |", ("Part", "Number"), ["| Part | Number |"]),
        ("PH-1", ("Part", "Number"), ["| Part | Number |"]),  # a cell is in its table too
        ("| A | x |", ("Code", "What it is"), ["|  Code | What it  is |"]),
        ("| Part | Number |", ("Part", "Number"), ["| Part | Number |"]),
        ("Pump and PK-2", (), []),
        ("| B | y |", (), []),  # a header row that names nothing
        ("| Hose | PH-1 |\n\nbetween", ("Part", "Number"), ["| Part | Number |"]),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_the_header_row_of_a_quote(quote, columns, headers, line_end):
    parsed = parsed_markdown(TABLES.replace("\n", line_end), doc_id="guide", version="1")
    found = place_of(quote.replace("\n", line_end), parsed=parsed)
    assert found.columns == columns
    assert [parsed.text[start:end] for start, end in found.headers] == headers


def over_pages(*second):
    """A table that goes on over a page, between two others."""
    first = ("table", "| Part | Number |\n| Pump | PK-1 |", {"rows": [["Part", "Number"], ["Pump", "PK-1"]], "page": 1})
    before = ("table", "| X | Y |\n| 1 | 2 |", {"rows": [["X", "Y"], ["1", "2"]], "page": 1})
    after = ("table", "| U | V |\n| 3 | 4 |", {"rows": [["U", "V"], ["3", "4"]], "page": 2})
    heading = ("heading", "Use", {"level": 2, "heading_path": ["Use"]})
    parsed = by_hand(heading, before, first, *second, after, doc_id="guide", version="1")
    parsed.sections.append(SectionSpan("Use", "Use", 0, len(parsed.text)))
    return parsed


def test_a_table_over_two_pages_has_its_header_on_the_first():
    rows = [["Hose", "PH-1"], ["Reel", "PR-1"]]
    parsed = over_pages(("table", "| Hose | PH-1 |\n| Reel | PR-1 |", {"rows": rows, "page": 2, "continues": True}))
    found = place_of("| Reel | PR-1 |", parsed=parsed)
    assert [parsed.text[start:end] for start, end in found.headers] == ["| Part | Number |"]
    assert place_of("| 3 | 4 |", parsed=parsed).columns == ("U", "V")
    assert place_of("| 1 | 2 |", parsed=parsed).columns == ("X", "Y")


def test_a_header_row_that_the_second_page_repeats():
    rows = [["Part", "Number"], ["Reel", "PR-1"]]
    parsed = over_pages(("table", "| Part | Number |\n| Reel | PR-1 |", {"rows": rows, "page": 2, "continues": True}))
    for quote in ("| Reel | PR-1 |", "| Pump | PK-1 |"):
        found = place_of(quote, parsed=parsed)
        assert found.columns == ("Part", "Number") and len(found.headers) == 2
        assert {parsed.text[start:end] for start, end in found.headers} == {"| Part | Number |"}


def test_two_tables_one_after_the_other_are_two():
    parsed = over_pages(("table", "| Hose | PH-1 |\n| Reel | PR-1 |", {"rows": [["Hose", "PH-1"], ["Reel", "PR-1"]]}))
    assert place_of("| Reel | PR-1 |", parsed=parsed).columns == ("Hose", "PH-1")


def test_html_in_the_text_as_it_is_read():
    page = "<h1>Care</h1><h2>Use</h2><table><caption>Prices</caption><tr><th>Part<th>Number<tr><td>Pump <b>kit</b><td>PK-1</table>"
    parsed = read_html(page.encode(), doc_id="guide", title="Care", version="1", access="public", language="en")
    found = place_of("Pump kit\tPK-1", parsed=parsed)
    assert found.columns == ("Part", "Number")
    assert [parsed.text[start:end] for start, end in found.headers] == ["Part\tNumber"]


# --- laws, and the course's own ---------------------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(markdowns, st.data())
def test_a_place_is_the_quote_in_its_section_and_the_only_one(text, data):
    parsed = parsed_markdown(text, doc_id="guide", version="1")
    if not parsed.sections:
        return
    section = data.draw(st.sampled_from(parsed.sections))
    start = data.draw(st.integers(section.start, section.end - 1))
    end = data.draw(st.integers(start + 1, section.end))
    quote = parsed.text[start:end]
    found = place_of(quote, section.name, parsed)
    copies = sum(parsed.text.startswith(quote, at) for at in range(section.start, section.end - len(quote) + 1))
    if copies > 1 or not quote.strip():
        assert found is None
    else:
        assert (found.start, found.end) == (start, end)
        assert all(parsed.text[a:b].strip() for a, b in found.headers)
        assert bool(found.headers) == bool(found.columns)


def test_every_quote_of_the_course_has_its_place():
    questions = load_questions()
    places = locate(questions)
    assert list(places) == [(each.id, number) for each in questions for number in range(1, len(each.relevant) + 1)]
    assert None not in places.values()
    rows = [place for place in places.values() if {"|", "\t"} & set(place.source[place.start : place.end])]
    assert len(rows) > 10 and all(place.headers for place in rows)
    assert all((place.headers == ()) or place in rows or "|" in place.source[place.start - 5 : place.end + 5] for place in places.values())


def test_documents_of_an_inventory_are_parsed_where_a_question_names_them(monkeypatch):
    questions = load_questions()[:2]
    read = []
    parse = locate.__globals__["parse"]
    monkeypatch.setitem(locate.__globals__, "parse", lambda document: read.append(document.doc_id) or parse(document))
    places = locate(questions, load_inventory())
    assert set(read) == {entry.doc_id for each in questions for entry in each.relevant}
    assert places == locate(questions)


def test_without_a_course_there_are_no_documents(monkeypatch, tmp_path):
    monkeypatch.setenv("LABKIT_COURSE", str(tmp_path))
    assert locate([question("Q1", ("returns-policy", "Return window", "3"))]) == {}
