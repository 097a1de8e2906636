"""Chunks as lines of text: what was written is read again, the same bytes each time, and no other line passes for a chunk."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit.chunking import Chunk, by_structure, chunk_lines, chunks_of_lines, fixed, overlapping
from labkit.collection import load_inventory
from labkit.errors import BadArgument, LabError
from labkit.parsing.markdown import read_markdown
from labkit.parsing.reading import parse

LABELS = {"doc_id": "a", "title": "T", "version": "1", "access": "public", "language": "en"}


@pytest.fixture(scope="module")
def parsed():
    return [parse(document) for document in load_inventory()]


@pytest.mark.parametrize("chunker", [fixed, overlapping, by_structure])
def test_the_collection_comes_back_whole(parsed, chunker):
    chunks = [chunk for each in parsed for chunk in chunker(each)]
    text = chunk_lines(chunks)
    back = chunks_of_lines(text)
    assert sorted(back, key=lambda chunk: chunk.id) == sorted(chunks, key=lambda chunk: chunk.id)
    assert chunk_lines(reversed(back)) == text
    assert text.count("\n") == len(chunks) and "\r" not in text


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1, max_size=200), st.integers(1, 9))
def test_any_text_comes_back_as_it_was(text, size):
    chunks = fixed(read_markdown(text, **LABELS), size)
    lines = chunk_lines(chunks)
    assert chunks_of_lines(lines) == chunks
    assert len(lines.splitlines()) == len(chunks)  # a line to every reader, whatever it takes for the end of one


def test_none_and_blank_lines():
    assert chunk_lines([]) == "" and chunks_of_lines("") == [] and chunks_of_lines("\n  \n") == []


def _line(**changes) -> str:
    [chunk] = fixed(read_markdown("One two.", **LABELS))
    return json.dumps(json.loads(chunk_lines([chunk])) | changes)


def test_a_line_alone():
    assert isinstance(chunks_of_lines(_line())[0], Chunk)


@pytest.mark.parametrize(
    "line",
    ["{", "[]", "7", '{"id": "x"}', _line(more=1), _line(start="0"), _line(start=3), _line(text="x"), _line(pages=3), _line(sections=None)],
)
def test_other_lines_are_named(line):
    with pytest.raises(LabError, match=r"chunks-fixed\.jsonl:2: "):
        chunks_of_lines(_line() + "\n" + line, "chunks-fixed.jsonl")


def test_what_cannot_be_written(parsed):
    chunks = fixed(parsed[0])
    with pytest.raises(BadArgument, match="two chunks"):
        chunk_lines([*chunks, chunks[0]])
    with pytest.raises(BadArgument, match="not of a str"):
        chunk_lines(["a text"])
