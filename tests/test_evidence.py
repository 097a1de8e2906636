from dataclasses import replace

import pytest
from evaluation_cases import passage, question
from parsed_documents import by_hand, parsed_markdown

from labkit.chunking import by_structure, fixed
from labkit.chunking.chunk import Cut, make_chunks
from labkit.collection import load_inventory
from labkit.evaluation.evidence import evidence_of
from labkit.evaluation.gold import locate
from labkit.parsing.blocks import SectionSpan
from labkit.parsing.reading import parse
from labkit.questions import load_questions

TEXT = """# Hose guide

Intro.

## Use

Read this first.

| Part | Part number | Fits |
|---|---|---|
| Hoses, sprinklers | HS-2 | 1 year |
| Pump kit | PK-1 | HX only |
| Timer | TM-1 | 2 years |

It is blue.

## Store

Keep it dry.
"""
GUIDE = parsed_markdown(TEXT, title="Hose guide", doc_id="guide", version="1")
ROW = "| Pump kit | PK-1 | HX only |"
HEADER = "| Part | Part number | Fits |"


def asked(quote=ROW, section="Use"):
    return question("Q1", ("guide", section), quote=quote)


def cut(start, end, context="", parsed=GUIDE):
    """The chunk from the beginning of `start` to the end of `end`, both pieces of the text."""
    first = parsed.text.index(start)
    (chunk,) = make_chunks(parsed, [Cut(first, parsed.text.index(end, first) + len(end), context)], "by hand")
    return chunk


def seen(chunks, item=None, documents=(GUIDE,)):
    item = item or asked()
    return tuple(evidence_of(item, chunks, locate([item], documents)))


NO, BARE, WHOLE = (False, False), (True, False), (True, True)


@pytest.mark.parametrize(
    ("start", "end", "context", "is_seen"),
    [
        ("# Hose", "dry.", "", WHOLE),  # all of it: title and header in the text
        ("# Hose", "HX only |", "", WHOLE),
        (HEADER, ROW, "Hose guide", WHOLE),
        (HEADER, ROW, "HOSE\n  guide", WHOLE),  # case and white space apart
        (HEADER, ROW, "All of the Hose guide, in short", WHOLE),
        (HEADER, ROW, "", BARE),  # which document?
        (HEADER, ROW, "Hose guides", BARE),  # whole words
        (HEADER, ROW, "Pump guide", BARE),
        (ROW, ROW, "Hose guide", BARE),  # which columns?
        (ROW, "dry.", "Hose guide", BARE),
        ("Part number |", ROW, "Hose guide", BARE),  # half a header
        (ROW, ROW, "Hose guide\nPart | Part number | Fits", WHOLE),  # the columns in the context
        (ROW, ROW, "Hose guide: fits, PART  NUMBER, part", WHOLE),
        (ROW, ROW, "Hose guide\nPart | Fits", BARE),
        (ROW, ROW, "Part | Part number | Fits", BARE),
        (HEADER, "| PK-1 | HX", "Hose guide", NO),  # the row is cut
        ("kit | PK-1", "dry.", "Hose guide", NO),
        (HEADER, "sprinklers | HS-2 | 1 year |", "Hose guide", NO),  # another row
        ("Keep", "dry.", "Hose guide", NO),
    ],
)
def test_a_row_of_a_table(start, end, context, is_seen):
    assert seen([cut(start, end, context)]) == is_seen


@pytest.mark.parametrize(
    ("start", "end", "context", "is_seen"),
    [
        ("It is", "blue.", "Hose guide", WHOLE),  # prose needs no columns
        ("It is", "blue.", "", BARE),
        ("# Hose", "blue.", "", WHOLE),
        ("Intro", "dry.", "", BARE),
        ("is blue", "dry.", "Hose guide", NO),
        ("It is", "blue", "Hose guide", NO),
    ],
)
def test_a_sentence(start, end, context, is_seen):
    assert seen([cut(start, end, context)], asked("It is blue.")) == is_seen


def test_one_passage_has_to_do_it():
    """Two halves are no whole, and a passage that names the document lends its title to no other."""
    halves = [cut(HEADER, "| Pump kit", "Hose guide"), cut("| PK-1", "HX only |", "Hose guide")]
    assert seen(halves) == NO
    assert seen([cut("# Hose", HEADER), cut(HEADER, ROW)]) == BARE
    assert seen([cut(HEADER, ROW), cut(ROW, ROW, "Hose guide")]) == BARE
    assert seen([cut(ROW, ROW), cut(HEADER, ROW, "Hose guide")]) == WHOLE
    assert seen([]) == NO


def test_keys_from_two_rows_are_no_evidence():
    """'sprinklers' from one row and 'years' from another: a search for words is content, the span is not."""
    chunk = cut("sprinklers", "| HX", "Hose guide")
    assert "sprinklers" in chunk.text and "1 year" in chunk.text
    assert seen([chunk]) == NO


def test_one_of_several_entries_is_enough():
    item = question("Q1", ("other", "Use"), ("guide", "Store"), quote="Keep it dry.")
    assert seen([cut("Keep", "dry.", "Hose guide")], item) == WHOLE
    assert seen([cut("It is", "blue.", "Hose guide")], item) == NO


@pytest.mark.parametrize("change", [{"version": "2"}, {"doc_id": "other"}, {"sections": ()}, {"sections": ("Store",)}])
def test_right_document_version_and_section(change):
    """What is no hit is no evidence."""
    chunk = cut(HEADER, ROW, "Hose guide")
    assert seen([chunk]) == WHOLE
    assert seen([replace(chunk, **change)]) == NO


def test_a_quote_without_a_place_fails_closed():
    chunk = cut("# Hose", "dry.")
    assert seen([chunk], asked("is")) == NO  # stands more than once
    assert seen([chunk], asked("It is red.")) == NO
    assert seen([chunk], asked("It is blue.", "Store")) == NO


def test_the_second_copy_of_a_sentence():
    """Held is a matter of places: the copy in another section is not the answer's place, though the words are the same."""
    text = "# T\n\n## Use\n\nKeep it dry.\n\n## Store\n\nKeep it dry. Really."
    parsed = parsed_markdown(text, doc_id="guide", version="1")
    item = asked("Keep it dry.", "Store")
    first, second = fixed(parsed, 7)[0], by_structure(parsed)[1]
    assert "Keep it dry." in first.text
    assert seen([replace(first, sections=("Use", "Store"))], item, [parsed]) == NO
    assert seen([second], item, [parsed]) == WHOLE


def test_the_documents_own_title_names_it_too():
    """A window cannot know what the inventory calls the document."""
    parsed = parsed_markdown(TEXT, title="Care of hoses (2026)", doc_id="guide", version="1")
    assert seen([fixed(parsed, 200)[0]], documents=[parsed]) == WHOLE
    assert seen([cut("Hose guide", ROW, parsed=parsed)], documents=[parsed]) == BARE  # without its mark it is not whole


def test_accents_and_marks_in_a_title():
    parsed = parsed_markdown("# *Garantie* l\u00e9gale\n\n## Use\n\nOui.", title="Garantie l\u00e9gale", doc_id="guide", version="1")
    (whole,) = fixed(parsed)
    assert seen([whole], asked("Oui."), [parsed]) == WHOLE  # the title line, whatever marks stand in it
    assert seen([cut("Oui", ".", "garantie le\u0301gale", parsed)], asked("Oui."), [parsed]) == WHOLE


def test_a_table_over_two_pages():
    parsed = by_hand(
        ("title", "T"),
        ("heading", "Use", {"level": 2, "heading_path": ["Use"]}),
        ("table", "| Part | Fits |\n| Hose | HX |", {"rows": [["Part", "Fits"], ["Hose", "HX"]], "page": 1}),
        ("table", "| Pump | PW |", {"rows": [["Pump", "PW"]], "page": 2, "continues": True}),
        doc_id="guide",
        version="1",
    )
    parsed.sections.append(SectionSpan("Use", "Use", 3, len(parsed.text)))
    item = asked("| Pump | PW |")
    assert seen(by_structure(parsed), item, [parsed]) == WHOLE
    assert seen([cut("| Pump", "PW |", "T", parsed)], item, [parsed]) == BARE


def test_the_course_has_an_answer_to_find_for_every_question():
    """All structure-aware chunks together show every gold quote in context: what a search misses, the search has missed."""
    questions, documents = load_questions(), [parse(document) for document in load_inventory()]
    places = locate(questions, documents)
    chunks = [chunk for document in documents for chunk in by_structure(document)]
    unseen = [each.id for each in questions if each.relevant and not evidence_of(each, chunks, places).in_context]
    assert unseen == []


# --- without the document ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "context", "is_seen"),
    [
        (f"{HEADER}\n|---|---|---|\n{ROW}", "Hose guide", WHOLE),
        (f"{HEADER}\n|---|---|---|\n{ROW}", "", BARE),
        (f"# Hose guide\n\n{HEADER}\n| - | :-: | - |\n| x | y | z |\n{ROW}\nmore", "", WHOLE),
        (f"Read this.\n{HEADER}\n{ROW}", "Hose guide", WHOLE),  # the table begins here
        (f"Read this.\r\n\r\n{HEADER}\r\n{ROW}\r\n", "Hose guide", WHOLE),
        (f"| x | y | z |\n{ROW}", "Hose guide", BARE),  # it may have begun before
        (f"|---|---|---|\n{ROW}", "Hose guide", BARE),
        (ROW, "Hose guide", BARE),
        (f"Read this.\n\n{ROW}", "Hose guide", BARE),
        (f"{HEADER}\n|---|---|---|\n{ROW}\n{ROW}", "Hose guide", NO),  # twice
        ("Pump kit PK-1", "Hose guide", NO),
        ("", "Hose guide", NO),
    ],
)
@pytest.mark.parametrize("documents", [[], [parsed_markdown("## Use\n\nAnother guide", doc_id="guide", version="2")]])
def test_the_passage_alone_has_to_show_it(text, context, is_seen, documents):
    assert seen([passage("guide", "Use", text=text, context=context)], documents=documents) == is_seen


@pytest.mark.parametrize(
    ("text", "quote", "is_seen"),
    [
        ("It is blue.", "It is blue.", WHOLE),
        ("Part | Fits\n--- | ---\nPump | HX", "Pump | HX", WHOLE),
        ("Hose | HX\nPump | HX", "Pump | HX", BARE),
        ("x\n\n| Hose | HX |\n| Pump | two years |", "two years", WHOLE),  # a cell of a row
        ("| Pump | two years |", "two years", BARE),
        ("Read this.\n\nPart\tFits\nPump\tHX", "Pump\tHX", WHOLE),  # as HTML and PDF are read
        ("Hose\tHX\nPump\tHX", "Pump\tHX", BARE),
        ("x\n\n\tFits\n\tHX\nPump\tHX", "Pump\tHX", WHOLE),  # first cells that are empty
    ],
)
def test_prose_and_tables_without_pipes(text, quote, is_seen):
    assert seen([passage("guide", "Use", text=text, context="Hose guide")], asked(quote), []) == is_seen


def test_a_passage_of_another_text_of_the_document_is_judged_by_itself():
    """Its positions do not count in the document as parsed: spans would compare what cannot be compared."""
    item = asked("It is blue.")
    other = passage("guide", "Use", text="It is blue. Very.", context="Hose guide")
    assert seen([other], item) == WHOLE
    assert seen([replace(other, text="It is blue.", end=11)], item) == WHOLE
    assert seen([passage("guide", "Use", text="It was blue.", context="Hose guide")], item) == NO
