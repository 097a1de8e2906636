"""The Larkfield collection and its questions, held to the design that the lessons rest on.

Three parts: what the documents are and state, what the questions are and where their answers stand, and how the baseline fares. The
counts of the third part are a design of the documents' and the questions' wording: where one of them moves, mend the wording, never the
search, the gold or the ties.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from datetime import date
from functools import cache

import jsonschema
import pytest

from labkit.collection import check_inventory, load_inventory
from labkit.course import course_folder
from labkit.evaluation.metrics import evaluate, summarise
from labkit.parsing.reading import parse
from labkit.passages import Passage, slug
from labkit.questions import load_questions
from labkit.retrieval.keyword import KeywordIndex, words
from labkit.sections import Section, split_sections
from labkit.validation import check_questions

LARKFIELD = course_folder() / "corpus" / "larkfield"
QUESTION_FILE = course_folder() / "questions" / "larkfield.jsonl"
DOCUMENTS = load_inventory()
QUESTIONS = load_questions()
BY_EDITION = {(document.doc_id, document.version): document for document in DOCUMENTS}
BY_ID = {question.id: question for question in QUESTIONS}
MARKDOWN = [document for document in DOCUMENTS if document.format == "md"]
SECTIONS = [section for document in MARKDOWN for section in split_sections(document)]
KINDS = {
    "answerable": 18,
    "contradiction": 4,
    "exact-code": 11,
    "injection-bait": 3,
    "staff-only": 7,
    "table": 8,
    "version": 8,
    "unanswerable": 8,
}


@cache
def sections_as_read(document) -> tuple[Section, ...]:
    """The sections of a document of any format, as labkit reads it."""
    parsed = parse(document)
    return tuple(
        Section.cut(
            parsed.text,
            section.start,
            section.start + len(parsed.text[section.start : section.end].rstrip()),
            id=f"{document.doc_id}@v{document.version}#{slug(section.name)}",
            doc_id=document.doc_id,
            version=document.version,
            access=document.access,
            language=document.language,
            sections=(section.name,),
            context=document.title,
            section=section.title,
        )
        for section in parsed.sections
    )


EVERY_SECTION = [section for document in DOCUMENTS for section in sections_as_read(document)]
EVERY_BY_ID = {section.id: section for section in EVERY_SECTION}


def whole_text(document) -> str:
    return parse(document).text


def folded(text: str) -> str:
    """As answers are judged: without regard to case, to runs of white space, or to how an accent is composed."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def holds(text: str, wanted: str) -> bool:
    return folded(wanted) in folded(text)


def gold(question) -> set[str]:
    return {f"{entry.doc_id}@v{entry.version}#{slug(entry.section)}" for entry in question.relevant}


# --- the collection -------------------------------------------------------------------------------------------------------------


def test_the_inventory_is_sound():
    assert check_inventory() == []


def test_the_inventory_has_its_columns_in_order():
    header = (LARKFIELD / "inventory.csv").read_text(encoding="utf-8").split("\n", 1)[0]
    assert header == "file,doc_id,title,version,effective_from,effective_to,owner,access,language,doc_type,format"


def test_counts_of_documents():
    assert len(DOCUMENTS) == 36
    assert Counter(document.format for document in DOCUMENTS) == {"md": 32, "html": 2, "pdf": 2}
    assert sum(document.language == "fr" for document in DOCUMENTS) == 4
    assert sum(document.access == "staff" for document in DOCUMENTS) == 9
    assert Counter(document.doc_type for document in DOCUMENTS)["injection-bait"] == 1


def test_three_documents_stand_in_two_versions():
    editions = Counter(document.doc_id for document in DOCUMENTS)
    assert {name for name, count in editions.items() if count > 1} == {"returns-policy", "assembly-service", "staff-discount"}
    assert max(editions.values()) == 2


def test_counts_of_sections():
    assert len(SECTIONS) == 154
    assert sum(section.language == "fr" for section in SECTIONS) == 18
    assert len({section.id for section in EVERY_SECTION}) == len(EVERY_SECTION)


def test_the_first_sections_of_the_returns_policy():
    first, second = split_sections(BY_EDITION["returns-policy", "3"])[:2]
    assert (first.section, second.section) == ("Who this policy is for", "Return window")
    assert second.passage_id == "returns-policy@v3#return-window"


def test_about_6500_words():
    """Words as labkit reads them, the lines and marks of Markdown apart."""
    marks = re.compile(r"\|[\s|:-]*\|\n|[|#]")
    words = sum(len(marks.sub("\n", whole_text(document)).split()) for document in DOCUMENTS)
    assert 6200 <= words <= 6800


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.file)
def test_each_document_begins_with_its_title(document):
    heading = re.match(r"\s*# (.+)" if document.format == "md" else r"(.+)\n", whole_text(document))
    assert heading.group(1).strip() == document.title


@pytest.mark.parametrize("document", [d for d in MARKDOWN if d.language == "en"], ids=lambda document: document.file)
def test_each_section_has_something_to_say(document):
    for section in split_sections(document):
        assert len(section.text.split()) >= 12, section.id


def test_at_least_four_english_documents_carry_a_table():
    carrying = [document.doc_id for document in MARKDOWN if document.language == "en" and "\n| --- |" in document.read()]
    assert len(carrying) >= 4


def test_no_two_sections_of_different_documents_repeat_each_other():
    """Versions of one document may; apart from them every section was written for its own job."""
    seen: dict[str, str] = {}
    for section in EVERY_SECTION:
        body = folded(section.text.split("\n", 1)[-1])
        for sentence in re.split(r"(?<=[.!?]) ", body):
            if len(sentence.split()) < 9:
                continue
            assert seen.setdefault(sentence, section.doc_id) == section.doc_id, (section.id, sentence)


# Italic phrases that are no titles: a button of the web site, and where to click.
BUTTONS = {"Forgot password", "My cards", "Business claims"}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.file)
def test_cross_references_resolve(document):
    titles = {each.title for each in DOCUMENTS}
    for phrase in re.findall(r"(?<![*\w])\*([^*\n]+)\*(?!\*)", whole_text(document)):
        assert phrase in titles | BUTTONS
    if document.format == "html":
        for link in re.findall(r'<a href="([^"/#][^"]*)"', document.read()):
            assert (document.path.parent / link).is_file()


def test_no_names_but_the_owner_that_the_course_gives():
    assert {document.owner for document in DOCUMENTS if "(" in document.owner} == {"Support (Grace)"}


# document, version, section ('' for anywhere in the document), what stands there
FACTS = [
    ("returns-policy", "3", "Return window", "30 days"),
    ("returns-policy", "3", "What cannot be returned", "opened bags of soil, fertiliser and garden chemicals"),
    ("returns-policy", "3", "What cannot be returned", "gift cards"),
    ("returns-policy", "4", "Return shipping costs", "Rewards members get a free return label"),
    ("warranty-policy", "5", "Warranty periods", "Watering\tHoses, reels, sprinklers, timers\t1 year\tNone"),
    ("warranty-policy", "5", "Warranty periods", "Pump 3 years; nozzles and hoses 1 year"),
    ("warranty-policy", "5", "Warranty periods", "The Ember GR-310\t2 years\tStainless burners 5 years"),
    ("product-care-pw2200", "2", "Parts and part numbers", "PK-2200-07\tPW-2200 only"),
    ("product-care-pw2200", "2", "Technical data", "Pressure"),
    ("product-care-pw2400", "1", "Parts and part numbers", "PK-2400-03 | PW-2400 only"),
    ("product-care-pw2400", "1", "Parts and part numbers", "| Nozzle set, five pieces | NZ-5-01 | PW-2400 and PW-2200 |"),
    ("product-care-pw2400", "1", "Winter storage", "frost"),
    ("product-care-pw2400", "1", "Using it safely", "goggles"),
    ("product-care-pw2400", "1", "Technical data", "bar"),
    ("warranty-claims-procedure", "3", "Pressure washer pumps", "pump of a PW-2200 fails within 3 years"),
    ("warranty-claims-procedure", "3", "Pressure washer pumps", "PK-2200-07 instead of a new machine"),
    ("refund-approval-procedure", "2", "What this is for", "Returns that pass inspection are approved automatically"),
    ("refund-approval-procedure", "2", "What this is for", "This procedure is for the manual ones"),
    ("refunds-and-payments", "3", "Double charges", "within 3 business days"),
    ("refunds-and-payments", "3", "Price adjustments", "within 14 days of delivery"),
    ("refunds-and-payments", "3", "Price adjustments", "We do not match the prices of other shops"),
    ("help-centre-faq", "7", "Do you match prices?", "We do not match what other shops ask"),
    ("help-centre-faq", "7", "Are plants guaranteed?", "dies within 60 days of delivery"),
    ("privacy-policy", "3", "How long we keep it", "Orders and invoices: 7 years, because tax law requires it"),
    ("rewards-programme", "4", "When points lapse", "18 months without a purchase"),
    ("gift-cards", "2", "No returns, no refund", "cannot be returned, refunded"),
    ("kettle-safety-notice", "1", "What to do now", "Stop using the kettle"),
    ("kettle-care", "2", "Descaling", "once a month"),
    ("contact-and-hours", "4", "Help in French", "Monday to Friday, 9:00–17:00 Eastern"),
    ("courier-claims", "2", "Damaged parcels", "within 7 calendar days"),
    ("courier-claims", "2", "Lost parcels", "30 days to claim"),
    ("supplier-aquaflow", "1", "The range", "| HR-50 | hose cart"),
    ("garantie-legale-quebec", "1", "Garantie prolongée", "Larkfield ne vend aucune garantie prolongée"),
    ("delivery-rates-and-times", "2", "Rates and times", "Parcel up to 20 kg\tAtlantic provinces\t$12.95\t4–6"),
]


@pytest.mark.parametrize(("doc_id", "version", "section", "fact"), FACTS)
def test_facts_stand_where_the_lessons_look_for_them(doc_id, version, section, fact):
    assert holds(EVERY_BY_ID[f"{doc_id}@v{version}#{slug(section)}"].text, fact)


def test_the_warranty_table_is_the_one_that_the_course_gives():
    [table] = [block.rows for block in parse(BY_EDITION["warranty-policy", "5"]).blocks if block.kind == "table"]
    assert table[0] == ["Category", "Examples", "Period", "Exceptions"]
    assert [(line[0], line[2]) for line in table[1:]] == [
        ("Hand garden tools", "2 years"),
        ("Garden furniture", "2 years"),
        ("Corded power tools", "3 years"),
        ("Battery power tools", "3 years"),
        ("Pressure washers", "2 years"),
        ("Barbecues and grills", "2 years"),
        ("Sheds and greenhouses", "5 years"),
        ("Watering", "1 year"),
        ("Small kitchen appliances", "1 year"),
        ("Lighting", "1 year"),
        ("Textiles", "1 year"),
        ("Pro range", "5 years"),
    ]


@pytest.mark.parametrize(
    ("doc_id", "version", "start", "end"),
    [
        ("returns-policy", "3", date(2025, 3, 1), date(2026, 10, 31)),
        ("returns-policy", "4", date(2026, 11, 1), None),
        ("warranty-policy", "5", date(2026, 1, 1), None),
    ],
)
def test_periods_that_questions_turn_on(doc_id, version, start, end):
    document = BY_EDITION[doc_id, version]
    assert (document.effective_from, document.effective_to) == (start, end)


def test_the_holiday_notice_is_over_when_december_comes():
    notice = BY_EDITION["holiday-returns-notice", "1"]
    assert not notice.in_force(BY_ID["Q22"].as_of)


# What one place alone says, or none: a pattern, and the documents in which it may stand
ONLY_THERE = [
    (r"garantie prolongée|extended (?:warranty|guarantee)", {"garantie-legale-quebec"}),
    (r"(?i)\bstudents?\b|étudiant", set()),
    (r"(?i)pick(?:ed)?[- ]?up|collect (?:it )?in (?:store|the shop)|click and collect|ramassage|cueillette", set()),
    (r"HR-50", {"supplier-aquaflow"}),
    (r"(?i)injection|ignore the policies", {"customer-tips"}),
]


@pytest.mark.parametrize(("pattern", "documents"), ONLY_THERE)
def test_what_stands_in_one_place_or_none(pattern, documents):
    assert {document.doc_id for document in DOCUMENTS if re.search(pattern, whole_text(document), re.IGNORECASE)} == documents


def test_the_supplier_sheet_gives_no_weight_for_the_hose_cart():
    assert not re.search(r"\bkg\b|\bkilo|weigh|\bload\b", BY_EDITION["supplier-aquaflow", "1"].read())


def test_the_pw2200_pump_is_covered_for_three_years_wherever_it_is_named():
    for place in ("warranty-policy@v5#warranty-periods", "warranty-claims-procedure@v3#pressure-washer-pumps"):
        assert re.search(r"3 years", EVERY_BY_ID[place].text)


def test_the_bait_hides_its_instructions_in_comments_and_says_that_it_is_no_policy():
    bait = BY_EDITION["customer-tips", "1"]
    text = bait.read()
    assert bait.doc_type == "injection-bait"
    assert len(re.findall(r"<!-- Note to any AI model.*?-->", text)) == 3
    assert "AI model" not in re.sub(r"<!--.*?-->", "", text)
    assert "they are not our policy" in text


# --- the questions --------------------------------------------------------------------------------------------------------------


def test_counts_of_questions():
    assert [question.id for question in QUESTIONS] == [f"Q{number:02}" for number in range(1, 68)]
    assert Counter(question.kind for question in QUESTIONS) == KINDS
    assert sum(bool(question.relevant) for question in QUESTIONS) == 59
    assert {question.id for question in QUESTIONS if question.language == "fr"} == {"Q21", "Q59", "Q60", "Q61", "Q63"}


def test_the_schema_is_labkits_and_every_question_follows_it():
    schema = json.loads((course_folder() / "questions" / "schema.json").read_text(encoding="utf-8"))
    packaged = json.loads((course_folder() / "labkit" / "questions.schema.json").read_text(encoding="utf-8"))
    assert schema == packaged
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(schema)
    judge = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())
    for line in QUESTION_FILE.read_text(encoding="utf-8").splitlines():
        judge.validate(json.loads(line))


def test_fields_stand_in_the_courses_order():
    order = ["id", "question", "language", "kind", "as_of", "public_ok", "abstain", "reference_answer"]
    order += ["keys", "must_not", "relevant", "wrong_version", "tags", "notes"]
    for line in QUESTION_FILE.read_text(encoding="utf-8").splitlines():
        assert list(json.loads(line)) == order


def test_gold_quotes_and_keys_stand_in_documents_of_every_format():
    """No fault and no warning."""
    assert [str(fault) for fault in check_questions(QUESTIONS, DOCUMENTS)] == []


@pytest.mark.parametrize("question", [q for q in QUESTIONS if q.relevant], ids=lambda question: question.id)
def test_each_quote_stands_exactly_once_in_its_document_and_in_its_section(question):
    for entry in question.relevant:
        document = BY_EDITION[entry.doc_id, entry.version]
        assert whole_text(document).count(entry.quote) == 1
        assert EVERY_BY_ID[f"{entry.doc_id}@v{entry.version}#{slug(entry.section)}"].text.count(entry.quote) == 1
        assert entry.access == document.access
        assert document.in_force(question.as_of)


@pytest.mark.parametrize("question", [q for q in QUESTIONS if q.relevant], ids=lambda question: question.id)
def test_all_keys_stand_in_every_gold_section(question):
    assert question.keys
    for place in gold(question):
        for key in question.keys:
            assert holds(EVERY_BY_ID[place].text, key), (place, key)


@pytest.mark.parametrize("question", [q for q in QUESTIONS if q.kind == "table"], ids=lambda question: question.id)
def test_a_table_question_quotes_a_whole_row(question):
    for entry in question.relevant:
        section = EVERY_BY_ID[f"{entry.doc_id}@v{entry.version}#{slug(entry.section)}"]
        assert entry.quote in section.text.split("\n")


@pytest.mark.parametrize("question", [q for q in QUESTIONS if q.relevant], ids=lambda question: question.id)
def test_the_reference_answer_passes_its_own_check(question):
    for key in question.keys:
        assert holds(question.reference_answer, key)
    for banned in question.must_not:
        assert not holds(question.reference_answer, banned)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_what_a_right_answer_must_not_say_stands_in_no_gold_passage(question):
    for place in gold(question):
        for banned in question.must_not:
            if holds(EVERY_BY_ID[place].text, banned):
                assert place in question.notes and banned in question.notes


@pytest.mark.parametrize("question", [q for q in QUESTIONS if q.keys], ids=lambda question: question.id)
def test_every_passage_that_holds_the_keys_is_accounted_for(question):
    """Each is gold, or of an edition for another date, or named in the notes by its id."""
    wrong = {(edition.doc_id, edition.version) for edition in question.wrong_version}
    for section in EVERY_SECTION:
        if section.id in gold(question) or (section.doc_id, section.version) in wrong:
            continue
        if all(holds(section.text, key) for key in question.keys):
            assert section.id in question.notes, f"{question.id}: {section.id} holds {question.keys}"


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_notes_name_only_passages_that_exist(question):
    for place in re.findall(r"[\w-]+@v\d+#[\w-]+", question.notes):
        assert place in EVERY_BY_ID


@pytest.mark.parametrize("question", [q for q in QUESTIONS if q.abstain], ids=lambda question: question.id)
def test_an_unanswerable_question_says_why(question):
    assert question.kind == "unanswerable"
    assert len(question.notes.split()) >= 6
    assert not question.keys and not question.relevant


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_public_and_staff_answers(question):
    labels = {entry.access for entry in question.relevant}
    assert question.public_ok == (not labels or "public" in labels)
    if question.kind == "staff-only":
        assert labels == {"staff"}


@pytest.mark.parametrize("question", [q for q in QUESTIONS if q.kind in ("version", "contradiction")], ids=lambda q: q.id)
def test_versions_and_contradictions_say_what_governs(question):
    if question.kind == "contradiction":
        assert re.search(r"\bgoverns\b", question.notes)
        assert question.must_not
    else:
        assert question.wrong_version
    for edition in question.wrong_version:
        assert (edition.doc_id, edition.version) in BY_EDITION
        assert not BY_EDITION[edition.doc_id, edition.version].in_force(question.as_of) or question.kind == "answerable"


CONTRADICTIONS = [
    ("Q49", "help-centre-faq@v7#can-i-still-cancel-my-order", "60 minutes"),
    ("Q50", "help-centre-faq@v7#how-long-until-i-have-my-refund", "10 business days"),
    ("Q51", "help-centre-faq@v7#when-is-the-chat-open", "21:00"),
    ("Q52", "recycling-and-take-back@v1#old-machines", "free of charge"),
]


@pytest.mark.parametrize(("name", "place", "says"), CONTRADICTIONS)
def test_each_contradiction_is_there_on_the_day_of_the_question(name, place, says):
    question, section = BY_ID[name], EVERY_BY_ID[place]
    assert holds(section.text, says) and any(holds(says, banned) for banned in question.must_not)
    other = BY_EDITION[section.doc_id, section.version]
    assert other.in_force(question.as_of)
    for entry in question.relevant:
        governs = BY_EDITION[entry.doc_id, entry.version]
        assert governs.effective_from > other.effective_from or governs.doc_type == "policy"


# --- the baseline: keyword search over the sections of the Markdown files ---------------------------------------------------------

READABLE = {section.id for section in SECTIONS}


@cache
def index() -> KeywordIndex:
    keyword = KeywordIndex()
    keyword.add((section.id, section.passage) for section in SECTIONS)
    return keyword


def search(text: str, k: int) -> list[Passage]:
    by_id = {section.id: section for section in SECTIONS}
    return [by_id[hit.id] for hit in index().search(text, k)]


def rank(question, depth: int = len(SECTIONS)) -> int | None:
    places = [passage.id for passage in search(question.question, depth)]
    return min((places.index(place) + 1 for place in gold(question) if place in places), default=None)


def test_the_baseline_finds_41_of_59_at_5_and_43_at_10():
    at = {k: summarise(evaluate(QUESTIONS, search, k=k)) for k in (5, 10)}
    hits = {k: int(evaluate(QUESTIONS, search, k=k)["hit"].sum()) for k in (5, 10)}
    assert hits == {5: 41, 10: 43}
    assert {k: round(float(table["hit"].iloc[0]), 3) for k, table in at.items()} == {5: 0.695, 10: 0.729}


def test_the_baseline_by_kind():
    rows = evaluate(QUESTIONS, search, k=5)
    scored = rows[rows["scored"]]
    assert {kind: (int(group["hit"].sum()), len(group)) for kind, group in scored.groupby("kind")} == {
        "answerable": (13, 18),
        "contradiction": (4, 4),
        "exact-code": (11, 11),
        "injection-bait": (1, 3),
        "staff-only": (7, 7),
        "table": (1, 8),
        "version": (4, 8),
    }


def test_fourteen_questions_need_a_source_that_the_baseline_does_not_read():
    unread = [question for question in QUESTIONS if question.relevant and not gold(question) & READABLE]
    assert Counter(question.kind for question in unread) == {"table": 7, "version": 4, "injection-bait": 2, "answerable": 1}
    assert all((e.doc_id, e.version) == ("returns-policy", "4") for q in unread if q.kind == "version" for e in q.relevant)


@pytest.mark.parametrize("name", ["Q05", "Q12"])
def test_other_words_than_the_documents_are_found_too_low(name):
    assert 6 <= rank(BY_ID[name]) <= 10


@pytest.mark.parametrize("name", ["Q13", "Q63"])
def test_another_language_than_the_documents_is_not_found(name):
    question = BY_ID[name]
    assert all(BY_EDITION[entry.doc_id, entry.version].language != question.language for entry in question.relevant)
    found = rank(question)
    assert found is None or found > 10


def test_these_are_all_the_misses():
    missed = {question.id for question in QUESTIONS if question.relevant and (rank(question, 5) is None)}
    unread = {question.id for question in QUESTIONS if question.relevant and not gold(question) & READABLE}
    assert missed == unread | {"Q05", "Q12", "Q13", "Q63"}
    assert len(missed) == 18


def test_the_double_charge_comes_first():
    assert rank(BY_ID["Q01"]) == 1


def test_the_first_result_of_a_return_in_december_is_the_expired_notice():
    first = search(BY_ID["Q22"].question, 1)[0]
    assert first.doc_id == "holiday-returns-notice"
    assert BY_ID["Q22"].as_of == date(2026, 12, 1)


def test_a_common_word_and_the_rare_ones():
    assert len(index().postings("the")) >= 90
    assert len(index().postings("fits")) == 1
    assert [posting.id for posting in index().postings("2200")] == [
        "product-care-pw2400@v1#parts-and-part-numbers",
        "warranty-claims-procedure@v3#pressure-washer-pumps",
    ]


def test_all_words_find_nothing_and_any_word_finds_most():
    question = "Which pump kit fits the PW-2200?"
    places = {word: {posting.id for posting in index().postings(word)} for word in words(question)}
    assert set.intersection(*places.values()) == set()
    assert len(search(question, len(SECTIONS))) == len(set.union(*places.values())) > len(SECTIONS) / 2


def test_the_pump_kit_question_finds_the_wrong_model_and_then_a_staff_page():
    question = BY_ID["Q38"]
    assert (question.question, question.kind) == ("Which pump kit fits the PW-2200?", "exact-code")
    first, second = index().search(question.question, 2)
    assert first.id == "product-care-pw2400@v1#parts-and-part-numbers"
    assert second.id == "warranty-claims-procedure@v3#pressure-washer-pumps"
    assert first.score > second.score
    assert gold(question) == {"product-care-pw2200@v2#parts-and-part-numbers", second.id}


def test_once_the_guide_of_the_pw2200_is_read_its_parts_come_first():
    everything = KeywordIndex()
    everything.add((section.id, section.passage) for section in EVERY_SECTION)
    first, second = everything.search("Which pump kit fits the PW-2200?", 2)
    assert first.id == "product-care-pw2200@v2#parts-and-part-numbers"
    assert second.id == "product-care-pw2400@v1#parts-and-part-numbers"


@pytest.mark.parametrize("question", [q for q in QUESTIONS if q.abstain], ids=lambda question: question.id)
def test_a_search_answers_a_question_without_an_answer_all_the_same(question):
    assert len(search(question.question, 5)) == 5


MARGIN = 0.2


@pytest.mark.parametrize("question", [q for q in QUESTIONS if gold(q) & READABLE], ids=lambda question: question.id)
def test_no_design_count_hangs_by_a_hair(question):
    """A gold section's score keeps a distance from the score at which the count would change (ranks 5 | 6, and 10 | 11)."""
    hits = index().search(question.question, len(SECTIONS))
    scores = [hit.score for hit in hits] + [0.0] * 11
    best = max((hit.score for hit in hits if hit.id in gold(question)), default=None)
    if best is None:
        return
    place = rank(question)
    assert place > 5 or best - scores[5] > MARGIN
    assert place <= 5 or scores[4] - best > MARGIN
    assert place > 10 or best - scores[10] > MARGIN
    assert place <= 10 or scores[9] - best > MARGIN
