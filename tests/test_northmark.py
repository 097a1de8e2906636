"""The Consumer Code of Northmark and its questions, held to what lessons 11 to 14 rest on.

Two parts: what the Code says (counts, dates, references, terms, no sentence twice), and where its questions find their answers.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from datetime import date, datetime, timedelta
from itertools import pairwise

import pytest

from labkit.collection import check_inventory, load_inventory
from labkit.course import course_folder
from labkit.parsing.reading import parse
from labkit.questions import load_questions
from labkit.validation import check_questions

NORTHMARK = course_folder() / "corpus" / "northmark"
DOCUMENTS = load_inventory(NORTHMARK)
CODE = DOCUMENTS[0]
TEXT = CODE.read()
PARSED = parse(CODE)
QUESTIONS = load_questions(course_folder() / "questions" / "northmark.jsonl")

REPEALED = {9, 37, 63, 94, 121}
AMENDED = {18, 30, 44, 58, 72, 77, 90, 104, 115, 117, 127, 144}
KINDS = {
    "direct": 32, "definition": 16, "table": 20, "threshold": 20, "paraphrase": 20,
    "cross-reference": 16, "multi-step": 16, "version": 20, "unanswerable": 20,
}  # fmt: skip
# Runs of words that may stand in two sections, since a law states them: none is needed at present.
FORMULAE: tuple[str, ...] = ()
# What the Code never says, and the defined term that it uses in its place.
BANNED = {
    "customer": "consumer", "client": "consumer", "buyer": "consumer", "purchaser": "consumer",
    "merchant": "trader", "seller": "trader", "vendor": "trader", "supplier": "trader", "retailer": "trader", "dealer": "trader",
    "manufacturer": "producer", "importer": "producer", "working day": "business day", "warranty": "commercial guarantee",
    "guaranty": "legal guarantee", "gift card": "prepaid card", "down payment": "deposit", "reward points": "loyalty points",
    "overdue payments": "arrears", "conciliator": "mediator", "abusive term": "unfair term",
    "latent defect": "hidden defect", "cancellation period": "withdrawal period", "off-premises contract": "doorstep contract",
}  # fmt: skip
# Terms that are everyday words too, and the Articles that use them: each was read, and means what is defined. Another one is read first.
MEANT = {
    "acceptance": {5, 16, 30, 41, 43, 107},
    "delivery": {4, 5, 16, 18, 30, 41, 42, 44, 45, 46, 47, 49, 50, 52, 58, 81, 85},
    "recall": {4, 12, 136, 137, 138, 140},
}
# Words without content: a question may share them with the article that answers it.
FUNCTION_WORDS = frozenset("""
a about again all also am an and any are as at be been before but by can could did do does done each either else every for from
get had has have he her here hers him his how i if in into is it its just may me might mine more most must my neither no none nor
not of off on one only or other our out over own same shall she should since so some still such than that the their them then
there these they this those through to too under until up upon us very was we were what when where whether which while who whom
whose why will with within without would you your
""".split())  # noqa: SIM905 (readable as prose)


def sections() -> dict[str, str]:
    """Each Article, Form and former text without its heading, by heading; what stands between a Part's heading and its first Article
    belongs to no section."""
    found: dict[str, list[str]] = {}
    for block in PARSED.blocks:
        if block.kind not in ("title", "heading") and len(block.heading_path) > 1:
            found.setdefault(block.heading_path[1], []).append(block.text)
    return {heading: "\n\n".join(texts) for heading, texts in found.items()}


SECTIONS = sections()
ARTICLES = {int(match[1]): heading for heading in SECTIONS if (match := re.match(r"Article (\d+)(?! as it stood)\b", heading))}
FORMER = {int(match[1]): heading for heading in SECTIONS if (match := re.match(r"Article (\d+) as it stood until ", heading))}
PARTS = [block.heading_path[0] for block in PARSED.blocks if block.kind == "heading" and block.level == 1]


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def day(written: str) -> date:
    return datetime.strptime(written, "%d %B %Y").date()


def amended_from(number: int) -> date:
    return day(re.search(r"\(Amended with effect from (\d+ \w+ \d{4})\.\)", SECTIONS[ARTICLES[number]])[1])


# --- the Code -------------------------------------------------------------------------------------------------------------------


def test_the_inventory_is_sound():
    assert check_inventory(NORTHMARK) == []
    assert [(each.doc_id, each.version, each.access, each.language, each.format) for each in DOCUMENTS] == [
        ("consumer-code", "2026", "public", "en", "md")
    ]
    assert (CODE.effective_from, CODE.effective_to) == (date(2019, 4, 1), None)
    assert "entered into force on 1 April 2019" in SECTIONS[ARTICLES[150]]


def test_its_size_and_its_parts():
    assert len(words(TEXT)) >= 20_000
    assert PARSED.title == CODE.title
    assert [part.split()[:2] for part in PARTS] == [["Part", str(n)] for n in range(1, 13)] + [["Annex", letter] for letter in "ABC"]
    assert list(ARTICLES) == list(range(1, 151))
    assert len(PARSED.sections) == 164 and len({section.name for section in PARSED.sections}) == 164
    assert PARSED.problems == []


@pytest.mark.parametrize("heading", SECTIONS)
def test_no_section_is_empty_and_paragraphs_are_counted_through(heading):
    text = SECTIONS[heading]
    assert len(words(text)) >= 20
    numbers = [int(number) for number in re.findall(r"^\((\d+)\) ", text, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert numbers or "repealed" in heading or heading.startswith("Form")
    for block in re.split(r"^\(\d+\) ", text, flags=re.MULTILINE):
        letters = re.findall(r"^- \(([a-z])\) ", block, re.MULTILINE)
        assert letters == [chr(ord("a") + place) for place in range(len(letters))]


def test_tables():
    tables = [block for block in PARSED.blocks if block.kind == "table"]
    assert len(tables) >= 6
    for table in tables:
        header, *rows = table.rows
        assert 5 <= len(rows) <= 12 and 3 <= len(header) <= 5 and all(header)
        assert all(all(row) for row in rows) and len({tuple(row) for row in rows}) == len(rows)


def test_footnotes_stand_in_their_article():
    marks = [(heading, mark) for heading, text in SECTIONS.items() for mark in re.findall(r"(?<=[^\s⁰¹²³⁴⁵⁶⁷⁸⁹])[⁰¹²³⁴⁵⁶⁷⁸⁹]+", text)]
    notes = [(heading, mark) for heading, text in SECTIONS.items() for mark in re.findall(r"^([⁰¹²³⁴⁵⁶⁷⁸⁹]+) ", text, re.MULTILINE)]
    assert sorted(marks) == sorted(notes) and len({mark for _, mark in notes}) == len(notes) >= 6


def test_repealed_articles_say_when_and_where_the_matter_is_now():
    assert {number for number, heading in ARTICLES.items() if "(repealed)" in heading} == REPEALED
    for number in REPEALED:
        text = SECTIONS[ARTICLES[number]]
        assert day(re.search(r"on (\d+ \w+ \d{4})|from (\d+ \w+ \d{4})", text)[0].split(" ", 1)[1]) < date(2026, 3, 1)
        now = {int(other) for other in re.findall(r"Article (\d+)", text)} - {number}
        assert now and not now & REPEALED, "it names the Article that regulates the matter now"


def test_amended_articles_and_their_former_texts():
    assert {number for number in ARTICLES if "(Amended with effect from" in SECTIONS[ARTICLES[number]]} == AMENDED == set(FORMER)
    assert list(FORMER) == sorted(FORMER)
    for number, heading in FORMER.items():
        assert date(2023, 1, 1) <= amended_from(number) <= date(2026, 3, 1)
        assert day(heading.split(" until ")[1]) == amended_from(number) - timedelta(days=1)
        assert SECTIONS[ARTICLES[number]].count("(Amended with effect from") == 1


def test_no_two_sections_share_a_run_of_twelve_words():
    allowed = {tuple(words(formula)[place : place + 12]) for formula in FORMULAE for place in range(max(len(words(formula)) - 11, 1))}
    seen: dict[tuple[str, ...], str] = {}
    shared = []
    for heading, text in SECTIONS.items():
        found = words(text)
        for run in {tuple(found[place : place + 12]) for place in range(len(found) - 11)} - allowed:
            if seen.setdefault(run, heading) != heading:
                shared.append((seen[run], heading, " ".join(run)))
    assert shared == []


# --- cross-references -----------------------------------------------------------------------------------------------------------

_PLACE = r"\d+(?:\(\d+\))?(?:\([a-z]\))?"
_REFERENCE = re.compile(rf"\bArticles? (?P<articles>{_PLACE}(?:(?:, | and | or | to )(?:Article )?{_PLACE})*)")


def references(text: str) -> list[tuple[int, int | None, str | None]]:
    """(Article, paragraph, letter) of each reference; a range gives each Article in it."""
    found: list[tuple[int, int | None, str | None]] = []
    for match in _REFERENCE.finditer(text):
        pieces = re.findall(r"(\d+)(?:\((\d+)\))?(?:\(([a-z])\))?", match["articles"])
        found += [(int(article), int(paragraph) if paragraph else None, letter or None) for article, paragraph, letter in pieces]
        for first, last in re.findall(r"(\d+) to (?:Article )?(\d+)", match["articles"]):
            assert int(first) < int(last)
            found += [(number, None, None) for number in range(int(first) + 1, int(last))]
    return found


def paragraphs(heading: str) -> dict[int, set[str]]:
    """The numbered paragraphs of a section, each with the letters of its list."""
    pieces = re.split(r"^\((\d+)\) ", SECTIONS[heading], flags=re.MULTILINE)[1:]
    return {int(n): set(re.findall(r"^- \(([a-z])\) ", text, re.MULTILINE)) for n, text in zip(pieces[::2], pieces[1::2], strict=True)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("under Article 27(2) or Article 30", [(27, 2, None), (30, None, None)]),
        ("Articles 41 to 43", [(41, None, None), (43, None, None), (42, None, None)]),
        ("Article 149(1)(d), and", [(149, 1, "d")]),
        ("Articles 5, 6 and 7(3)", [(5, None, None), (6, None, None), (7, 3, None)]),
        ("this Article, 3 days", []),
    ],
)
def test_references_are_read(text, expected):
    assert references(text) == expected


def test_every_reference_to_an_article_resolves():
    lost = []
    count = 0
    for heading, text in SECTIONS.items():
        for article, paragraph, letter in references(text):
            count += 1
            there = paragraphs(ARTICLES[article]) if article in ARTICLES else None
            if there is None or (paragraph and paragraph not in there) or (letter and letter not in there[paragraph]):
                lost.append((heading, article, paragraph, letter))
    assert lost == [] and count > 150


def test_every_other_reference_resolves():
    own = "\n".join(SECTIONS.values())
    for plural in re.findall(r"\bParts? (\d+(?:(?:, | and | to )\d+)*)", own):
        assert all(1 <= int(number) <= 12 for number in re.findall(r"\d+", plural))
    assert set(re.findall(r"\bAnnex ([A-Z])\b", own)) <= set("ABC")
    assert set(re.findall(r"\bForm (\d+)\b", own)) <= {"1", "2"}
    for heading, text in SECTIONS.items():
        there = paragraphs(heading)
        for first, rest in re.findall(r"\bparagraphs? \((\d+)\)((?:(?:, | and | or | to )\(\d+\))*)", text):
            assert {int(number) for number in [first, *re.findall(r"\d+", rest)]} <= set(there), heading
        for paragraph, letter in re.findall(r"\bparagraph \((\d+)\)\(([a-z])\)", text):
            assert letter in there[int(paragraph)], heading
        for number in re.findall(r"\bTable (\d+)", text):
            table = next(block for block in PARSED.blocks if block.kind == "table" and block.heading_path[1] == heading)
            assert heading.startswith(f"Article {number} ") and table.rows


# --- terms ----------------------------------------------------------------------------------------------------------------------

DEFINED = {term: heading for heading, text in SECTIONS.items() for term in re.findall(r"\*\*(.+?)\*\*", text)}
GENERAL = {term: heading for term, heading in DEFINED.items() if re.match(r"Article [3-6] ", heading)}


def test_terms_are_defined_once_and_the_index_lists_them_all():
    assert len(re.findall(r"\*\*(.+?)\*\*", TEXT)) == len(DEFINED) and len(GENERAL) >= 35
    index = dict(re.findall(r"^- (.+) — (Article \d+)$", TEXT.split("# Annex C")[1], re.MULTILINE))
    named = {f"{term.removeprefix('the ')}, the" if term.startswith("the ") else term: heading for term, heading in DEFINED.items()}
    assert index == {term: " ".join(heading.split()[:2]) for term, heading in named.items()}
    entries = [term.casefold() for term in index]
    assert all(above < below for above, below in pairwise(entries))


@pytest.mark.parametrize("term", GENERAL)
def test_a_defined_term_is_used_in_two_other_articles(term):
    used = {number for number, heading in ARTICLES.items() if re.search(rf"\b{term}(s|es)?\b", SECTIONS[heading], re.IGNORECASE)}
    assert len(used - {3, 4, 5, 6}) >= 2


@pytest.mark.parametrize("term", sorted(set(DEFINED) - set(GENERAL)))
def test_a_term_of_a_part_is_used_there_outside_its_definition(term):
    text = "\n".join(f"{heading}\n{said}" for heading, said in SECTIONS.items())
    assert len(re.findall(rf"\b{term}(s|es)?\b", text, re.IGNORECASE)) >= 2


@pytest.mark.parametrize("word", BANNED)
def test_a_term_has_no_synonym(word):
    found = [heading for heading, text in SECTIONS.items() if re.search(rf"\b{word}(s|'s)?\b", text, re.IGNORECASE)]
    assert found == [], f"write {BANNED[word]!r}"


@pytest.mark.parametrize("term", MEANT)
def test_a_term_that_is_an_everyday_word_has_one_meaning(term):
    assert {number for number, heading in ARTICLES.items() if re.search(rf"\b{term}s?\b", SECTIONS[heading], re.IGNORECASE)} == MEANT[term]


# --- the questions --------------------------------------------------------------------------------------------------------------


def test_every_quote_stands_once_in_its_section():
    assert [str(fault) for fault in check_questions(QUESTIONS, DOCUMENTS)] == []


def test_counts_by_kind_and_half():
    assert [question.id for question in QUESTIONS] == [f"N{number:03}" for number in range(1, 181)]
    assert Counter(question.kind for question in QUESTIONS) == KINDS
    halves = Counter((question.kind, *question.tags) for question in QUESTIONS)
    assert halves == {(kind, half): count // 2 for kind, count in KINDS.items() for half in ("tune", "held-out")}


def test_no_question_is_asked_twice():
    assert len({" ".join(words(question.question)) for question in QUESTIONS}) == 180


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_what_its_kind_demands(question):
    entries = question.relevant
    golds = [entry.section for entry in entries]
    assert question.public_ok and question.language == "en"
    assert all(gold in SECTIONS for gold in golds), "named by the heading's text"
    assert all(any(key.casefold() in entry.quote.casefold() for entry in entries) for key in question.keys)
    if question.kind == "unanswerable":
        assert question.abstain and not entries and len(question.notes.split()) >= 6
        assert all(1 <= article <= 150 for article, _, _ in references(question.notes))
        return
    assert not question.abstain and entries and question.reference_answer
    assert len({(entry.section, entry.quote) for entry in entries}) == len(entries)
    former = [gold for gold in golds if gold in FORMER.values()]
    assert not former or question.kind == "version"
    if question.kind == "cross-reference":
        assert len(golds) == len(set(golds)) == 2
    elif question.kind == "multi-step":
        assert len(set(golds)) in (2, 3)
    elif question.kind == "table":
        assert any(entry.quote.startswith("|") and entry.quote.endswith("|") for entry in entries)
    elif question.kind == "definition":
        assert len(golds) == 1
    elif question.kind == "threshold":
        assert any(re.search(r"\d", entry.quote) or re.search(NUMBER_WORDS, entry.quote, re.IGNORECASE) for entry in entries)


NUMBER_WORDS = r"\b(one|two|three|four|five|six|seven|eight|nine|ten|twelve|half|third|quarter|double|twice)\b"


def test_version_questions_come_in_pairs_before_and_after():
    by_article: dict[int, set[str]] = {}
    for question in QUESTIONS:
        if question.kind != "version":
            continue
        assert len(question.relevant) == 1
        number = int(question.relevant[0].section.split()[1])
        before = question.relevant[0].section == FORMER[number]
        assert before == (question.as_of < amended_from(number)), question.id
        assert "before" not in by_article.get(number, ()) or not before
        by_article.setdefault(number, set()).add("before" if before else "after")
    assert len(by_article) == 10 and all(sides == {"before", "after"} for sides in by_article.values())
    assert set(by_article) <= AMENDED


def stems(text: str) -> set[str]:
    """The words of a text by Porter's stemmer, those without content left out."""
    content = [word for word in words(re.sub(r"['’]s\b", "", text)) if word not in FUNCTION_WORDS]
    with sqlite3.connect(":memory:") as memory:
        memory.execute("CREATE VIRTUAL TABLE t USING fts5(text, tokenize = 'porter unicode61')")
        memory.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, 'row')")
        memory.execute("INSERT INTO t VALUES (?)", (" ".join(content),))
        return {stem for (stem,) in memory.execute("SELECT term FROM v")}


@pytest.mark.parametrize("question", [each for each in QUESTIONS if each.kind == "paraphrase"], ids=lambda question: question.id)
def test_a_paraphrase_shares_no_content_word_with_its_article(question):
    for entry in question.relevant:
        assert stems(question.question) & stems(f"{entry.section} {SECTIONS[entry.section]}") == set()
    assert len(stems(question.question)) >= 3
