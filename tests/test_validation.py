"""Questions against documents: each way in which gold can be stale, and that all of it is named at once."""

import json
import unicodedata
from dataclasses import replace
from datetime import date
from difflib import SequenceMatcher

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit.collection import HEADER, Document, load_inventory
from labkit.errors import BadArgument
from labkit.evaluation.attribution import why_missed
from labkit.parsing.reading import parse
from labkit.questions import Edition, Question, Relevant, RelevantSpan, load_questions
from labkit.questions_markdown import read_questions
from labkit.sections import Section, split_sections
from labkit.validation import READERS, ReadDocument, _longest_part, check_questions, sections_of

RETURNS = """\
---
title: Returns
---
# Returns

Before the first section.

## Return window

You have **30 days** to send it back. Larger goods: see below.

## Notes

It’s free. Ask first.

## Notes

Keep the receipt, please. Ask first.

| model | kit |
| --- | --- |
| X-1 | K-7 |
"""
TEXTS = {
    ("returns", "1"): "# Returns\n\n## Return window\n\nYou have 20 days to send it back.\n",
    ("returns", "2"): RETURNS,
    ("garantie", "1"): "# Garantie\r\n\r\n## Garantie prolongée\r\n\r\nAucune garantie\r\nprolongée n’est vendue.\r\n",
    ("claims", "1"): "# Claims\n\n## Pumps\n\nA pump that fails gets kit K-7.\n",
    ("table", "1"): "<h1>Table</h1><h2>Costs</h2><p>Ten dollars. Ask.</p><p>Ask.</p>"
    "<table><tr><th>what<th>rate<tr><td rowspan=2>parcel up to 5 kg<td>$8<tr><td>$9.95</table>",
    ("scan", "1"): "%PDF-1.4",
}
ROWS = [
    "documents/{0},returns,Returns,1,2023-01-01,2023-12-31,Grace,public,en,policy,md",
    "documents/{0},returns,Returns,2,2024-01-01,,Grace,public,en,policy,md",
    "documents/{0},garantie,Garantie,1,2024-01-01,,Grace,public,fr,policy,md",
    "documents/{0},claims,Claims,1,2024-01-01,,Grace,staff,en,procedure,md",
    "documents/{0},table,Table,1,2024-01-01,,Grace,public,en,policy,html",
    "documents/{0},scan,Scan,1,2024-01-01,,Grace,public,en,policy,pdf",
]


@pytest.fixture(scope="module")
def documents(tmp_path_factory) -> list[Document]:
    root = tmp_path_factory.mktemp("collection")
    (root / "documents").mkdir()
    lines = [HEADER]
    for row, ((doc_id, version), text) in zip(ROWS, TEXTS.items(), strict=True):
        name = f"{doc_id}.v{version}.{row.rsplit(',', 1)[1]}"
        (root / "documents" / name).write_bytes(text.encode())
        lines.append(row.format(name))
    (root / "inventory.csv").write_text("\n".join(lines), encoding="utf-8")
    return load_inventory(root)


GOLD = Relevant(doc_id="returns", version="2", section="Return window", access="public", quote="You have **30 days**")
PUMPS = Relevant(doc_id="claims", version="1", section="Pumps", access="staff", quote="gets kit K-7")
COSTS = Relevant(doc_id="table", version="1", section="Costs", access="public", quote="Ten dollars.")
QUESTION = Question(
    id="Q01", question="How long?", language="en", kind="answerable", as_of=date(2024, 6, 1), public_ok=True, abstain=False,
    reference_answer="30 days.", keys=("30 days",), must_not=("20 days",), relevant=(GOLD,), wrong_version=(Edition("returns", "1"),),
    tags=(), notes="", line=7, file="my.jsonl",
)  # fmt: skip


def gold(**fields) -> dict:
    return {"relevant": (replace(GOLD, **fields),), "keys": ()}


def test_sound_questions_have_no_fault(documents):
    assert check_questions([QUESTION], documents) == []
    abstaining = replace(QUESTION, id="Q02", abstain=True, relevant=(), kind="unanswerable", keys=("anything",), wrong_version=())
    assert check_questions([QUESTION, abstaining], documents) == []
    assert check_questions([], documents) == check_questions([], []) == []


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param(gold(section="return-window"), id="a section by its slug"),
        pytest.param(gold(section="RETURN  WINDOW"), id="a section in capitals"),
        pytest.param(gold(section="Notes", quote="It’s free."), id="the first of two equal headings"),
        pytest.param(gold(section="Notes-2", quote="Keep the receipt"), id="the second of two equal headings"),
        pytest.param(gold(section="Notes-2", quote="| X-1 | K-7 |"), id="a row of a table"),
        pytest.param(gold(doc_id="garantie", version="1", section="Garantie prolongée", quote="Aucune garantie\r\nprolongée"),
                     id="CRLF in a quote"),
        pytest.param(gold(doc_id="garantie", version="1", section=unicodedata.normalize("NFD", "Garantie prolongée"), quote="Aucune"),
                     id="a section's accents composed in another way"),
        pytest.param({"keys": ("YOU HAVE", "30\n days", "larger goods")}, id="keys without regard to case and white space"),
        pytest.param({"keys": ("30 days", "K-7"), "relevant": (GOLD, PUMPS)}, id="each key in one of the sections"),
        pytest.param({"keys": ("ten dollars",), "relevant": (COSTS,)}, id="HTML"),
        pytest.param({"keys": (), "relevant": (replace(COSTS, quote="parcel up to 5 kg\t$9.95"),)}, id="a row of an HTML table"),
        pytest.param({"relevant": (PUMPS,), "public_ok": False, "keys": ()}, id="a question for staff"),
        pytest.param({"relevant": (GOLD, PUMPS), "keys": ()}, id="one passage for staff beside a public one"),
        pytest.param({"kind": "version", "as_of": date(2023, 6, 1), "wrong_version": ()}, id="a version question out of its time"),
        pytest.param({"must_not": ("20 days", "kit")}, id="must_not that no quote holds"),
    ],
)  # fmt: skip
def test_accepted(documents, fields):
    assert check_questions([replace(QUESTION, **fields)], documents) == []


def span(start, end, quote, section="", doc_id="returns", version="2", access="public"):
    return {"relevant": (RelevantSpan(doc_id, version, section, access, quote, start, end),), "keys": (), "wrong_version": ()}


FREE = RETURNS.index("Ask first")  # the first of two


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param(span(FREE, FREE + 10, "Ask first."), id="a span says which copy is meant"),
        pytest.param(span(FREE, FREE + 10, "Ask first.", "Notes"), id="a span in its section"),
        pytest.param(span(27, 51, RETURNS[27:51]), id="a span before the first section"),
        pytest.param(span(7, 26, "Costs\n\nTen dollars.", doc_id="table", version="1"), id="a span of HTML as it is read"),
        pytest.param(gold(section="", quote="Keep the receipt, please."), id="no section: the quote stands once"),
        pytest.param(gold(section="", quote="Before the first section."), id="no section: anywhere in the document"),
        pytest.param({"relevant": (replace(GOLD, section="", quote="Larger goods"),), "keys": ("receipt",)}, id="keys anywhere too"),
    ],
)  # fmt: skip
def test_spans_and_whole_documents_are_accepted(documents, fields):
    assert check_questions([replace(QUESTION, **fields)], documents) == []


SCAN = replace(COSTS, doc_id="scan", section="No such", quote="none")


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"keys": ("nowhere",), "relevant": (SCAN,)}, id="a key"),
        pytest.param({"keys": ("nowhere",), "relevant": (GOLD, SCAN)}, id="a key that may stand there"),
        pytest.param({"keys": (), "relevant": (SCAN,)}, id="a section and a quote"),
    ],
)
def test_a_format_without_a_reader_is_not_looked_into(documents, fields):
    readers = {"md": READERS["md"], "html": READERS["html"]}
    assert check_questions([replace(QUESTION, **fields)], documents, readers) == []


ERRORS = {
    "no such document": (gold(doc_id="xyz"), ["there is no document 'xyz' — check it against the doc_id column"]),
    "no such document, nearly": (gold(doc_id="return"), ["there is no document 'return' — did you mean 'returns'?"]),
    "document in capitals": (gold(doc_id="Returns"), ["there is no document 'Returns' — did you mean 'returns'?"]),
    "no such version": (gold(version="3"), ["there is no version '3' of returns — the inventory has versions 1, 2"]),
    "no such version, one there": (gold(doc_id="claims"), ["there is no version '2' of claims — the inventory has version 1"]),
    "no such section": (gold(section="Exceptions"), ["has no section 'Exceptions' — its sections are 'Return window', 'Notes', 'Notes-2'"]),
    "a quote of nothing": (gold(quote=""), ["the quote is empty — copy the shortest text that answers"]),
    "a quote of blanks": (gold(quote=" \n"), ["the quote is empty"]),
    "no such section, nearly": (gold(section="Return windows"), ["has no section 'Return windows' — did you mean 'Return window'?"]),
    "a third of two equal headings": (gold(section="Notes-3"), ["has no section 'Notes-3' — did you mean 'Notes"]),
    "a text in the place of a name": (gold(section="word " * 40), [f"has no section '{('word ' * 40)[:98]}… — its sections"]),
    "the title is no section": (gold(section="Returns"), ["has no section 'Returns'"]),
    "quote gone": (gold(quote="You may keep it for ever"), ["does not stand in section 'Return window' of", "copy the shortest text"]),
    "quote of another number": (gold(quote="to send it back. Smaller goods"), ["that does, in line 10, is 'to send it back.'"]),
    "quote in another section": (
        gold(quote="It’s free."), ["does not stand in section 'Return window'", "it stands in section 'Notes', line 14"]),
    "quote before the first section": (gold(quote="Before the first section."), ["it stands in the text before the first section, line 6"]),
    "quote over two sections": (gold(quote="see below.\n\n## Notes"), ["does not stand in section 'Return window'"]),
    "HTML, no such section": (
        {"relevant": (replace(COSTS, section="Fees"),), "keys": ()},
        ["has no section 'Fees' — its sections are 'Costs'"],
    ),
    "HTML, a row as Markdown has it": (
        {"relevant": (replace(COSTS, quote="| parcel up to 5 kg | $9.95 |"),), "keys": ()}, ["between the cells of a row stands a tab"]),
    "a row as it is shown": (
        gold(section="Notes-2", quote="X-1 K-7"), ["(HTML, PDF) or a bar (Markdown); write \"quote\": \"X-1 | K-7\""]),
    "HTML, a row copied from a viewer": (
        {"relevant": (replace(COSTS, quote="parcel up to 5 kg $9.95"),), "keys": ()},
        [r'its spaces or line ends differ; write "quote": "parcel up to 5 kg\t$9.95" (\t is a tab)']),
    "HTML, no such quote": (
        {"relevant": (replace(COSTS, quote="Ten dollars and more."),), "keys": ()},
        ["the longest part of it that does, in character 14, is 'Ten dollars'"],
    ),
    "HTML, quote twice": ({"relevant": (replace(COSTS, quote="Ask."),), "keys": ()}, ["stands 2 times in", "in characters 27 and 33 —"]),
    "HTML, no such key": ({"relevant": (COSTS,), "keys": ("eleven",)}, ["the key 'eleven' stands in none of the relevant sections"]),
    "quote twice": (gold(section="Notes", quote="Ask first."), ["the quote 'Ask first.' stands 2 times in", "in lines 14 and 18"]),
    "quote under the other of two equal headings": (
        gold(section="Notes-2", quote="free"), ["does not stand in section 'Notes-2'", "'Notes', line 14"]),
    "quote without its marks": (gold(quote="You have 30 days"), ["it nearly does: the document has Markdown marks"]),
    "quote in capitals": (gold(quote="you have **30 days**"), ["it nearly does: its capital letters differ"]),
    "quote with another apostrophe": (gold(section="Notes", quote="It's free."), ["its quotation marks, apostrophes or dashes differ"]),
    "quote with other line ends": (
        gold(doc_id="garantie", version="1", section="Garantie prolongée", quote="Aucune garantie prolongée"),
        ["its spaces or line ends differ"]),
    "quote with accents composed in another way": (
        gold(doc_id="garantie", version="1", section="Garantie prolongée", quote=unicodedata.normalize("NFD", "prolongée n’est")),
        ["its accents are composed in another way"]),
    "quote of a newer version": (
        gold(version="1") | {"as_of": date(2023, 6, 1), "wrong_version": ()}, ["does not stand in section 'Return window'"]),
    "access is not the inventory's": (gold(access="staff"), ["access is 'staff', and the inventory says 'public' for returns version 2"]),
    "access is not the inventory's, the other way": (
        {"relevant": (replace(PUMPS, access="public"),), "keys": ()},
        ["access is 'public', and the inventory says 'staff'", "public_ok is true, and every relevant passage is for staff only"]),
    "access of a PDF": (
        {"relevant": (replace(COSTS, doc_id="scan", access="staff"),), "keys": ()},
        ["access is 'staff', and the inventory says 'public'", "scan version 1 cannot be read: documents/scan.v1.pdf: ends too early"]),
    "a public question whose answer is for staff": ({"relevant": (PUMPS,), "keys": ()}, ["public_ok is true, and every relevant passage"]),
    "a key that no section holds": ({"keys": ("30 days", "40 days")}, ["the key '40 days' stands in none of the relevant sections"]),
    "two keys that no section holds": ({"keys": ("40 days", "50 days")}, ["the key '40 days'", "the key '50 days'"]),
    "a key of another section": ({"keys": ("receipt",)}, ["the key 'receipt' stands in none"]),
    "must_not in the quote": ({"must_not": ("30 DAYS",)}, ["the quote holds '30 DAYS', which must_not forbids"]),
    "must_not in the quote of a PDF": (
        {"relevant": (replace(COSTS, doc_id="scan"),), "must_not": ("Ten",), "keys": ()},
        ["the quote holds 'Ten', which must_not forbids", "scan version 1 cannot be read"]),
    "wrong_version of no document": (
        {"wrong_version": (Edition("retruns", "1"),)}, ["wrong_version: there is no document 'retruns' — did you"]),
    "wrong_version of no version": (
        {"wrong_version": (Edition("returns", "0"),)}, ["there is no version '0' of returns — the inventory has"]),
    "wrong_version is relevant too": ({"wrong_version": (Edition("returns", "2"),)}, ["returns version 2 is relevant as well"]),
    "span of another text": (span(FREE + 1, FREE + 11, "Ask first."), ["hold 'sk first.", "count code points of the text"]),
    "span of another place": (span(0, 9, "It’s free"), ["characters 0 to 9 of", "the quote stands at 153 to 162"]),
    "span beyond the end": (span(9000, 9005, "alpha"), ["characters 9000 to 9005 of", "are beyond its end"]),
    "span in another section": (span(FREE, FREE + 10, "Ask first.", "Notes-2"), ["are not in section 'Notes-2'"]),
    "span in no such section": (span(FREE, FREE + 10, "Ask first.", "Note"), ["has no section 'Note'"]),
    "no section, quote twice": (gold(section="", quote="Ask first."), ["stands 2 times in"]),
    "no section, no quote": (gold(section="", quote="gone for ever"), ["the quote 'gone for ever' does not stand in documents/"]),
    "second of two entries": (
        {"relevant": (GOLD, replace(PUMPS, section="Pump"))}, ["relevant entry 2: claims version 1 has no section 'Pump'"]),
    "second of two wrong versions": (
        {"wrong_version": (Edition("returns", "1"), Edition("x", "1"))}, ["wrong_version entry 2: there is no document 'x'"]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("file", "written"), [("questions.md", 'quote: "parcel up to 5 kg&Tab;$9.95"'), ("q.jsonl", r'"quote": "parcel up to 5 kg\t$9.95"')]
)
def test_a_row_is_shown_as_its_file_has_to_write_it(documents, tmp_path, file, written):
    wrong = replace(QUESTION, relevant=(replace(COSTS, quote="parcel up to 5 kg $9.95"),), keys=(), file=file)
    (fault,) = check_questions([wrong], documents)
    assert f"; write {written} (" in fault.todo and fault.todo.endswith(" is a tab)")
    if file.endswith("jsonl"):
        (quote,) = json.loads(f"{{{written}}}").values()
    else:
        (question,) = read_questions(f"## How?\nwhere: a\n{written}\nanswer: y\n", file)[0]
        quote = question.record["relevant"][0]["quote"]
    assert not check_questions([replace(wrong, relevant=(replace(COSTS, quote=quote),))], documents)


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_says_what_where_and_what_to_do(documents, name):
    fields, expected = ERRORS[name]
    faults = check_questions([replace(QUESTION, **fields)], documents)
    text = "\n".join(str(fault) for fault in faults)
    assert all(words in text for words in expected), text
    assert len(faults) <= len(expected), text
    assert all(fault.level == "error" and (fault.file, fault.line) == ("my.jsonl", 7) and fault.todo for fault in faults)
    assert all(str(fault).startswith("my.jsonl:7: Q01: ") for fault in faults)


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"as_of": date(2023, 6, 1), "wrong_version": ()}, "is not in force on 2023-06-01 (in force from 2024-01-01 on) — version 1 is"),
        ({"as_of": date(2022, 6, 1)}, "is not in force on 2022-06-01 (in force from 2024-01-01 on) — check as_of"),
        ({**gold(version="1", quote="You have 20 days"), "must_not": (), "wrong_version": ()}, "in force from 2023-01-01 to 2023-12-31"),
        ({"wrong_version": (Edition("garantie", "1"),)}, "wrong_version: garantie version 1 is in force on 2024-06-01"),
    ],
)
def test_dates_that_do_not_fit_are_a_warning(documents, fields, words):
    (fault,) = check_questions([replace(QUESTION, **fields)], documents)
    assert fault.level == "warning" and words in str(fault)


def test_all_faults_of_all_questions_in_order(documents):
    questions = [
        replace(
            QUESTION,
            relevant=(replace(GOLD, quote="gone for ever"), replace(GOLD, doc_id="x"), replace(PUMPS, section="Hoses", access="public")),
            keys=("never",),
            must_not=("gone",),
            wrong_version=(Edition("returns", "9"), Edition("claims", "1")),
        ),
        replace(QUESTION, id="Q02", line=8),
        replace(QUESTION, id="Q03", line=9, keys=("never",)),
    ]
    faults = check_questions(questions, documents)
    assert [fault.line for fault in faults] == [7] * 7 + [9]
    assert [fault.what.split(": ")[0] for fault in faults] == ["Q01"] * 7 + ["Q03"]


def test_a_question_made_by_hand_has_no_line(documents):
    (fault,) = check_questions([replace(QUESTION, file="", line=0, keys=("never",))], documents)
    assert str(fault).startswith("questions: Q01: the key")


def test_a_document_that_cannot_be_read_is_said_with_the_question(documents, tmp_path):
    gone = [replace(document, path=tmp_path / "gone.md") for document in documents]
    faults = check_questions([QUESTION, replace(QUESTION, id="Q02", line=8)], gone)
    assert [fault.line for fault in faults] == [7, 8]
    assert all("cannot be read" in fault.what and "there is no such file" in fault.what for fault in faults)


def test_sections_of(documents):
    by_edition = {(document.doc_id, document.version): document for document in documents}
    sections = sections_of(by_edition["returns", "2"])
    assert list(sections) == ["return-window", "notes", "notes-2"]
    assert list(sections.values()) == [section.text for section in split_sections(by_edition["returns", "2"])]
    rows = "what\trate\nparcel up to 5 kg\t$8\nparcel up to 5 kg\t$9.95"
    assert sections_of(by_edition["table", "1"]) == {"costs": f"Costs\n\nTen dollars. Ask.\n\nAsk.\n\n{rows}"}
    assert sections_of(by_edition["scan", "1"], {"md": READERS["md"]}) is None


def test_a_reader_for_another_format_can_be_plugged_in(documents):
    def read_html(document: Document) -> ReadDocument:
        text = "Costs\n\nTen dollars."
        fields = {name: getattr(document, name) for name in ("doc_id", "version", "access", "language")}
        section = Section.cut(text, 0, len(text), id="table@v1#costs", sections=("Costs",), context="", section="Costs", **fields)
        return ReadDocument(text, (section,))

    readers = READERS | {"html": read_html}
    table = next(document for document in documents if document.format == "html")
    assert sections_of(table, readers) == {"costs": "Costs\n\nTen dollars."}
    good = replace(QUESTION, relevant=(COSTS,), keys=("ten",))
    assert check_questions([good], documents, readers) == []
    bad = replace(good, relevant=(replace(COSTS, quote="Nine dollars."),), keys=("nine",))
    assert len(check_questions([bad], documents, readers)) == 2
    assert READERS["html"] is not read_html


def test_a_loaded_file_names_itself(documents, tmp_path, monkeypatch):
    record = {
        "id": "Q01", "question": "How long?", "language": "en", "kind": "answerable", "as_of": "2024-06-01", "public_ok": True,
        "abstain": False, "reference_answer": "30 days.", "keys": [], "must_not": [], "relevant": [vars(GOLD) | {"section": "Windows"}],
        "wrong_version": [], "tags": [], "notes": "",
    }  # fmt: skip
    (tmp_path / "mine.jsonl").write_text(json.dumps(record), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (fault,) = check_questions(load_questions("mine.jsonl"), documents)
    assert str(fault).startswith("mine.jsonl:1: Q01: relevant: returns version 2 has no section 'Windows'")


# --- laws ------------------------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_a_quote_is_sound_exactly_where_it_stands_once_and_in_its_section(documents, data):
    document = documents[1]
    section = data.draw(st.sampled_from(split_sections(document)))
    start = data.draw(st.integers(0, len(RETURNS) - 1))
    quote = RETURNS[start : start + data.draw(st.integers(1, 30))]
    times = sum(RETURNS.startswith(quote, place) for place in range(len(RETURNS)))
    sound = times == 1 and quote in section.text and quote.strip() != ""
    question = replace(
        QUESTION,
        relevant=(replace(GOLD, section=section.sections[0], quote=quote),),
        keys=(),
        must_not=(),
    )
    assert (check_questions([question], documents) == []) == sound


@settings(deadline=None, max_examples=100)
@given(st.text(min_size=1, max_size=20), st.text(min_size=1, max_size=20), st.lists(st.text(min_size=1, max_size=8), max_size=3))
def test_whatever_a_question_says_it_is_checked_without_an_exception(documents, section, quote, texts):
    question = replace(
        QUESTION, relevant=(replace(GOLD, section=section, quote=quote), replace(COSTS, section=section, quote=quote)),
        keys=tuple(texts), must_not=tuple(texts), wrong_version=tuple(Edition(text, text) for text in texts),
    )  # fmt: skip
    for fault in check_questions([question], documents):
        str(fault).encode("utf-8")


@given(st.text("ab \n", max_size=12), st.text("ab \n", max_size=30))
def test_the_longest_common_part_is_difflibs(quote, text):
    match = SequenceMatcher(None, quote, text, autojunk=False).find_longest_match()
    assert _longest_part(quote, text) == quote[match.a : match.a + match.size]


def many(tmp_path, sections: int) -> list[Document]:
    (tmp_path / "documents").mkdir()
    text = "# Many\n\n" + "".join(f"## Part {number}\n\nThe same words.\n\n" for number in range(sections))
    (tmp_path / "documents" / "many.md").write_text(text, encoding="utf-8")
    row = "documents/many.md,many,Many,1,2024-01-01,,Grace,public,en,policy,md"
    (tmp_path / "inventory.csv").write_text(f"{HEADER}\n{row}\n", encoding="utf-8")
    return load_inventory(tmp_path)


def test_long_lists_are_cut(tmp_path):
    documents = many(tmp_path, 500)
    entry = replace(GOLD, doc_id="many", version="1", section="Elsewhere", quote="The same words.")
    (where,) = check_questions([replace(QUESTION, relevant=(entry,), keys=(), wrong_version=())], documents)
    assert "'Part 11', 488 more" in str(where) and len(str(where)) < 400
    (times,) = check_questions([replace(QUESTION, relevant=(replace(entry, section="Part 3"),), keys=(), wrong_version=())], documents)
    assert "stands 500 times in documents/many.md, in lines 5, 9, 13" in str(times) and "49 and 488 more" in str(times)


def test_many_wrong_documents_take_no_minute(documents, monkeypatch):
    compared = []
    monkeypatch.setattr("labkit.textfiles.get_close_matches", lambda word, known, n: compared.extend(known) or [])
    many = [replace(documents[0], doc_id=f"d{number}") for number in range(1000)]
    wrong = replace(QUESTION, keys=(), wrong_version=())
    asked = [replace(wrong, id=f"Q{number}", relevant=(replace(GOLD, doc_id=f"x{number}"),)) for number in range(300)]
    assert len(check_questions(asked, many)) == 300
    assert 0 < len(compared) < 60_000


@pytest.mark.parametrize("odd", [None, 5, "questions.jsonl", [None], [date.min]], ids=repr)
def test_what_is_no_list_of_questions_or_documents_is_refused_in_a_sentence(odd):
    with pytest.raises(BadArgument, match="takes a list of questions"):
        check_questions(odd, [])
    with pytest.raises(BadArgument, match="takes a list of documents"):
        check_questions([], odd)


@pytest.mark.parametrize("odd", [None, 5, [], {}], ids=repr)
def test_readers_take_a_document_and_say_so(odd):
    with pytest.raises(BadArgument, match="split_sections takes one document"):
        split_sections(odd)
    with pytest.raises(BadArgument, match="a document, or a file is needed by its path"):
        parse(odd)
    if odd is not None:
        with pytest.raises(BadArgument, match="a question file is needed by its path"):
            load_questions(odd)
    with pytest.raises(BadArgument, match="the question is"):
        why_missed(odd, lambda text, k: [])
