"""What every chunk knows of itself, whoever cut it (lesson 07)."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parsed_documents import by_hand, markdowns, parsed_markdown

from labkit.chunking import Chunk, by_structure, fixed, overlapping
from labkit.chunking.chunk import Cut, body_words, make_chunks
from labkit.errors import BadArgument
from labkit.parsing.blocks import Page

CHUNKERS = [fixed, overlapping, by_structure]
POSITIONS = "Été : 5 €\n\nRefund in 3 days.\n\nRefund in 3 days."


@pytest.mark.parametrize(("size", "spans"), [(4, [(0, 9), (11, 28), (30, 47)]), (8, [(0, 28), (30, 47)]), (12, [(0, 47)])])
def test_positions_are_carried_not_searched_for(size, spans):
    assert [(chunk.start, chunk.end) for chunk in fixed(parsed_markdown(POSITIONS), size)] == spans


def test_the_second_copy_of_a_paragraph_has_its_own_place_and_id():
    first, second, third = by_structure(parsed_markdown(POSITIONS), max_words=4)
    assert (second.start, second.end) == (11, 28)
    assert (third.start, third.end) == (30, 47)
    assert second.text == third.text and len({first.id, second.id, third.id}) == 3


@pytest.mark.parametrize("cut", CHUNKERS)
def test_a_chunk_carries_the_labels_of_its_document(cut):
    parsed = parsed_markdown("# T\n\n## A\n\nx", doc_id="returns-policy", version="3", access="staff", language="fr")
    for chunk in cut(parsed):
        assert isinstance(chunk, Chunk) and chunk.id == chunk.chunk_id
        assert (chunk.doc_id, chunk.version, chunk.access, chunk.language) == ("returns-policy", "3", "staff", "fr")


def test_the_id_follows_from_document_version_chunker_span_and_text():
    parsed = parsed_markdown("one two three four")
    (chunk,) = make_chunks(parsed, [Cut(0, 7)], "fixed(size=2)")
    assert chunk.id == "f6150472a848"  # sha256 of '["d", "1", "fixed(size=2)", 0, 7, "one two"]'
    others = [
        make_chunks(parsed_markdown("one two three four", doc_id="e"), [Cut(0, 7)], "fixed(size=2)"),
        make_chunks(parsed_markdown("one two three four", version="2"), [Cut(0, 7)], "fixed(size=2)"),
        make_chunks(parsed, [Cut(0, 7)], "fixed(size=3)"),
        make_chunks(parsed, [Cut(0, 13)], "fixed(size=2)"),
        make_chunks(parsed_markdown("One two three four"), [Cut(0, 7)], "fixed(size=2)"),
    ]
    assert len({chunk.id, *(other.id for (other,) in others)}) == 6
    same = make_chunks(parsed_markdown("one two changed", access="public", title="T"), [Cut(0, 7)], "fixed(size=2)")
    assert same[0].id == chunk.id


@pytest.mark.parametrize("cut", CHUNKERS)
def test_ids_stay_when_the_end_of_a_document_changes(cut):
    text = "# T\n\n## A\n\n" + "word " * 300 + "\n\n## B\n\n"
    before, after = cut(parsed_markdown(text + "old")), cut(parsed_markdown(text + "new"))
    assert [chunk.id for chunk in before[:-1]] == [chunk.id for chunk in after[:-1]]
    assert before[-1].id != after[-1].id


SECTIONS = "# T\n\nintro\n\n## Notes\n\na b\n\n## Notes\n\nc d\n\n## Other\n\ne f\n"


@pytest.mark.parametrize(
    ("start", "end", "sections"),
    [
        (0, 10, ()),
        (0, 13, ("Notes",)),
        (5, 27, ("Notes",)),
        (12, 27, ("Notes",)),  # only the blank lines of what follows
        (12, 28, ("Notes", "Notes-2")),
        (30, 40, ("Notes-2",)),
        (24, 60, ("Notes", "Notes-2", "Other")),
        (3, 5, ()),
    ],
)
def test_a_chunk_names_the_sections_that_it_holds_a_visible_character_of(start, end, sections):
    parsed = parsed_markdown(SECTIONS)
    (chunk,) = make_chunks(parsed, [Cut(start, min(end, len(SECTIONS)))], "test")
    assert chunk.sections == sections


PAGES = [Page(1, "i", 0, 9), Page(2, "", 9, 9), Page(3, "1", 11, 20), Page(4, "2", 22, 31)]


@pytest.mark.parametrize(
    ("start", "end", "pages"),
    [(0, 9, (1,)), (0, 11, (1,)), (0, 12, (1, 3)), (5, 31, (1, 3, 4)), (9, 11, ()), (11, 20, (3,)), (25, 31, (4,))],
)
def test_a_chunk_names_the_pages_that_it_touches(start, end, pages):
    parsed = by_hand(("paragraph", "one three"), ("paragraph", "two words"), ("paragraph", "six seven"), pages=PAGES)
    (chunk,) = make_chunks(parsed, [Cut(start, end)], "test")
    assert chunk.pages == pages


@pytest.mark.parametrize("cut", CHUNKERS)
def test_no_pages_where_the_format_has_none(cut):
    assert {chunk.pages for chunk in cut(parsed_markdown(SECTIONS))} == {()}


@pytest.mark.parametrize("cut", CHUNKERS)
def test_what_is_no_parsed_document_is_refused(cut):
    for thing in ("returns-policy.md", None, ["text"]):
        with pytest.raises(BadArgument, match=f"a {type(thing).__name__} — parse"):
            cut(thing)


@pytest.mark.parametrize("cut", CHUNKERS)
@pytest.mark.parametrize("text", ["", "\n \n", "---\ntitle: x\n---\n"])
def test_an_empty_document_has_no_chunks(cut, text):
    assert cut(parsed_markdown(text)) == []


def test_words_are_those_of_split_for_every_character():
    text = "".join(f"a{chr(code)}" for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF)
    parsed = by_hand(("paragraph", text))
    assert [text[start:end] for start, end in body_words(parsed)] == text.split()


@pytest.mark.parametrize("cut", CHUNKERS)
@given(markdown=markdowns)
@settings(max_examples=60, deadline=None)
def test_laws_of_every_chunk(cut, markdown):
    parsed = parsed_markdown(markdown)
    chunks = cut(parsed, 20) if cut is not overlapping else cut(parsed, 20, 5)
    assert [chunk.position for chunk in chunks] == list(range(len(chunks)))
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert all(len(chunk.id) == 12 and set(chunk.id) <= set("0123456789abcdef") for chunk in chunks)
    for chunk in chunks:
        assert chunk.text == parsed.text[chunk.start : chunk.end] == chunk.text.strip() != ""
        assert chunk.start >= parsed.body
        assert chunk.words == len(chunk.passage.split())
        held = [s.name for s in parsed.sections if parsed.text[max(s.start, chunk.start) : max(0, min(s.end, chunk.end))].strip()]
        assert chunk.sections == tuple(held)
    again = cut(parsed_markdown(markdown), 20) if cut is not overlapping else cut(parsed_markdown(markdown), 20, 5)
    assert again == chunks


@pytest.mark.parametrize("cut", CHUNKERS)
@given(markdown=markdowns, other=markdowns, changed=st.text(max_size=50))
@settings(max_examples=20, deadline=None)
def test_ids_are_unchanged_when_another_document_changes(cut, markdown, other, changed):
    mine = parsed_markdown(markdown)
    before = [chunk for parsed in (parsed_markdown(other, doc_id="other"), mine) for chunk in cut(parsed)]
    after = [chunk for parsed in (parsed_markdown(changed + other, doc_id="other"), mine) for chunk in cut(parsed)]
    assert [c.id for c in before if c.doc_id == "d"] == [c.id for c in after if c.doc_id == "d"]
    assert len({chunk.id for chunk in after}) == len(after)
