"""A citation says in one line where a passage stands, and its numbers lead back to the text."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit import load_inventory, split_sections
from labkit.chunking import Chunk, by_structure, fixed
from labkit.hierarchy import Parent
from labkit.parsing.reading import parse
from labkit.retrieval.citation import Citation


def chunk(sections=("Return window",), pages=(), **more) -> Chunk:
    facts = dict(
        id="0123456789ab", doc_id="returns-policy", version="3", access="public", language="en", sections=tuple(sections), start=7, end=12,
        text="thirty"[:5], context="", pages=tuple(pages),
    )  # fmt: skip
    return Chunk(**(facts | more))


LINES = [
    (chunk(), "Returns", {}, "Returns, version 3, section “Return window”, characters 7–12"),
    (chunk(), "", {}, "returns-policy, version 3, section “Return window”, characters 7–12"),
    (chunk(sections=()), "Returns", {}, "Returns, version 3, characters 7–12"),
    (chunk(pages=[2]), "R", {}, "R, version 3, section “Return window”, page 2, characters 7–12"),
    (chunk(pages=[1, 2]), "R", {}, "R, version 3, section “Return window”, pages 1–2, characters 7–12"),
    (chunk(pages=[1, 2, 3, 7, 9, 10]), "R", {}, "R, version 3, section “Return window”, pages 1–3, 7, 9–10, characters 7–12"),
    (chunk(pages=[4]), "R", {4: "iv", 5: "v"}, "R, version 3, section “Return window”, page 4 (printed “iv”), characters 7–12"),
    (chunk(pages=[4, 5]), "R", {4: "iv", 5: "5"}, "R, version 3, section “Return window”, pages 4 (printed “iv”)–5, characters 7–12"),
    (chunk(sections=["A", "B", "C"]), "R", {}, "R, version 3, sections “A”, “B”, “C”, characters 7–12"),
    (chunk(sections="ABCDE"), "R", {}, "R, version 3, sections “A” to “E” (5 sections), characters 7–12"),
    (chunk(sections=["Notes-2"]), "R", {}, "R, version 3, section “Notes-2”, characters 7–12"),
    (chunk(version="2024.1"), "Prix, 50 %", {}, "Prix, 50 %, version 2024.1, section “Return window”, characters 7–12"),
    (chunk(sections=["a\nb\x1b[31m"]), "T\r\n\u2028itle\u202e", {}, "T itle, version 3, section “a b [31m”, characters 7–12"),
]


@pytest.mark.parametrize(("passage", "title", "labels", "line"), LINES)
def test_a_line(passage, title, labels, line):
    assert str(Citation.of(passage, title, labels)) == line


def below(path, sections):
    return Parent(**vars(chunk(sections)), parent_id="parent_0001", heading_path=path)


HEADINGS = [
    (["Part 6", "Article 75"], ["Part 6"], "section “Part 6” › “Article 75”"),
    (["Part 6", "Article 75", "Former text"], ["Part 6"], "section “Part 6” › “Article 75” › “Former text”"),
    (["Part 6", "Article 75"], ["Article 75"], "section “Article 75”"),  # articles of level 2 under parts of level 1
    (["Part 6", "Article 75", "Former text"], ["Article 75"], "section “Article 75” › “Former text”"),
    (["Notes", "Fees"], ["Notes-2"], "section “Notes-2” › “Fees”"),
    (["Annex"], ["Article 144"], "heading “Annex”"),  # behind the last article, under a heading of level 1
    (["Part 6"], ["Article 75", "Article 76"], "heading “Part 6”"),
    (["Article 75"], [], "heading “Article 75”"),
    ([], ["Article 75"], "section “Article 75”"),
    (["a\nb\u202e", "c\x1b"], ["a\nb\u202e"], "section “a b” › “c”"),
]


@pytest.mark.parametrize(("path", "sections", "place"), HEADINGS)
def test_a_parent_is_cited_with_the_headings_above_it(path, sections, place):
    assert str(Citation.of(below(path, sections), "Code")) == f"Code, version 3, {place}, characters 7–12"


def test_a_section_has_no_pages():
    section = split_sections(next(each for each in load_inventory() if each.format == "md"))[0]
    citation = Citation.of(section, section.context)
    assert citation.pages == () and f"characters {section.start}–{section.end}" in str(citation) and section.section in str(citation)


@given(st.text(max_size=20), st.lists(st.text(max_size=20), max_size=5), st.lists(st.integers(1, 30), max_size=6), st.text(max_size=5))
def test_it_is_one_line_that_moves_no_cursor(title, sections, pages, label):
    line = str(Citation.of(chunk(sections, sorted(set(pages))), title, dict.fromkeys(pages, label)))
    assert len(line.splitlines()) == 1
    assert not [character for character in line if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    assert line.endswith("characters 7–12") and all(
        str(page) in line for page in [*pages[:0], *{min(pages, default=7), max(pages, default=7)}]
    )


def test_the_numbers_lead_back_to_the_text_in_every_format():
    formats = set()
    for document in load_inventory():
        parsed = parse(document)
        for passage in [*by_structure(parsed), *fixed(parsed)]:
            citation = Citation.of(passage, document.title)
            assert parsed.text[citation.start : citation.end] == passage.text
            assert citation.pages == passage.pages and bool(citation.pages) == bool(parsed.pages)
            if citation.pages:
                assert citation.pages[0] == parsed.page_at(citation.start)
        formats.add(document.format)
    assert formats == {"md", "html", "pdf"}
