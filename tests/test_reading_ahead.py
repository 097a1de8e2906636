"""PDFs read ahead give what reading them one by one gives, also where a file changes meanwhile."""

import dataclasses

import pytest
from indexed_collections import document

from labkit import load_inventory
from labkit.errors import DocumentError
from labkit.parsing import many
from labkit.parsing.reading import parse
from labkit.retrieval import reading_ahead
from labkit.retrieval.collection_index import CollectionIndex
from labkit.retrieval.reading_ahead import ReadAhead


@pytest.fixture
def pdfs(tmp_path):
    """Five PDFs, a broken one and a page of text among them."""
    content = next(each for each in load_inventory() if each.format == "pdf").path.read_bytes()
    made = [document(tmp_path, f"d{number}", content, format="pdf") for number in range(4)]
    return [*made[:2], document(tmp_path, "notes", "# N\n\nA kettle.\n"), document(tmp_path, "broken", b"x", format="pdf"), *made[2:]]


def outcome(read, each):
    try:
        return read(each)
    except DocumentError as error:
        return str(error)


@pytest.mark.parametrize("at_once", [(64, 10**9), (2, 10**9), (64, 1)])
def test_it_gives_what_parse_gives(pdfs, monkeypatch, at_once):
    monkeypatch.setattr(reading_ahead, "_FILES", at_once[0])
    monkeypatch.setattr(reading_ahead, "_BYTES", at_once[1])
    expected = [outcome(parse, each) for each in pdfs]
    seen = []
    read = ReadAhead(pdfs, lambda done, of: seen.append((done, of)))
    assert [outcome(read, each) for each in pdfs] == expected and "broken" in str(expected[3])
    assert seen and all(done <= of for done, of in seen)
    skipping = ReadAhead(pdfs)
    assert [outcome(skipping, each) for each in pdfs[::2]] == expected[::2]
    assert outcome(ReadAhead([]), pdfs[0]) == expected[0]


def test_several_are_read_together(pdfs, monkeypatch):
    batches = []

    def noted(these, **more):
        batches.append([each.doc_id for each in these])
        return many.parse_many(these, **more)

    monkeypatch.setattr(reading_ahead, "parse_many", noted)
    with CollectionIndex() as index:
        assert index.update(pdfs).not_indexed == ("broken@v1",)
        assert batches == [["d0", "d1", "broken", "d2", "d3"]]
        index.update([*pdfs[:-1], dataclasses.replace(pdfs[-1], title="Another")])
        assert batches[1:] == [["d3"]]  # what did not change is not read


def test_a_file_that_changes_meanwhile_is_read_as_it_is_now(pdfs):
    read = ReadAhead(pdfs)
    first = read(pdfs[0])
    other = next(each for each in load_inventory() if each.format == "pdf" and each.path.read_bytes() != pdfs[1].path.read_bytes())
    pdfs[1].path.write_bytes(other.path.read_bytes())
    assert read(pdfs[1]).text == parse(pdfs[1]).text != first.text
