"""Which chunker an index was made with: names, other people's functions, and what is refused."""

import dataclasses
from functools import partial

import pytest
from indexed_collections import check_whole, returns

from labkit.chunking import by_structure, fixed, overlapping
from labkit.errors import BadArgument, IndexFileError
from labkit.passages import Passage
from labkit.retrieval import cutting
from labkit.retrieval.collection_index import CollectionIndex

SAME = [
    (None, "by_structure(max_words=200)"), ("by_structure", "by_structure(max_words=200)"), (by_structure, "by_structure(max_words=200)"),
    ("fixed", "fixed(size=100)"), ("fixed(size=50)", "fixed(size=50)"), (" fixed( size = 50 ) ", "fixed(size=50)"),
    ("fixed()", "fixed(size=100)"),
    (partial(fixed, size=50), "fixed(size=50)"), (overlapping, "overlapping(size=100, overlap=25)"),
    ("overlapping(overlap=5,size=20)", "overlapping(size=20, overlap=5)"), ("sections", "sections()"), (cutting.sections, "sections()"),
    (cutting.chunker_of("fixed", size=7), "fixed(size=7)"),
]  # fmt: skip


@pytest.mark.parametrize(("given_", "name"), SAME, ids=[f"{name}-{number}" for number, (_, name) in enumerate(SAME)])
def test_how_a_chunker_is_named(tmp_path, given_, name):
    with CollectionIndex(tmp_path / "index.db", given_) as index:
        assert str(index.chunker) == name == index.manifest().chunker
        index.update([returns(tmp_path)])
        chunks = index.chunks()
    with CollectionIndex(tmp_path / "index.db") as index:
        assert str(index.chunker) == name
        assert index.update([returns(tmp_path, "sixty")]).changed and len(index.chunks()) == len(chunks)
    CollectionIndex(tmp_path / "index.db", name).close()


@pytest.mark.parametrize(
    "given_",
    ["semantic", "", "fixed(", "fixed(size)", "fixed(size=0)", "fixed(size=-1)", "fixed(size=ten)", "fixed(words=5)", "sections(size=5)",
     "overlapping(size=5, overlap=5)", "by_structure(max_words=0)", "import os", 5, ["fixed"], partial(fixed, size=0),
     partial(fixed, words=5)],
)  # fmt: skip
def test_a_chunker_that_there_is_not(tmp_path, given_):
    with pytest.raises(BadArgument):
        CollectionIndex(tmp_path / "index.db", given_)
    assert not (tmp_path / "index.db").exists()


def test_another_chunkers_index_is_refused_with_what_to_do_and_left_alone(tmp_path):
    path = tmp_path / "index.db"
    with CollectionIndex(path, "fixed(size=50)") as index:
        index.update([returns(tmp_path)])
    before = path.read_bytes()
    for other in ("fixed", "by_structure", overlapping):
        says = r"index\.db holds chunks of fixed\(size=50\), not of .* — name another file .*delete this one"
        with pytest.raises(IndexFileError, match=says):
            CollectionIndex(path, other)
    assert path.read_bytes() == before


def sentences(parsed):
    """A learner's chunker: a chunk a paragraph."""
    return [
        Passage.cut(
            parsed.text, block.start, block.end, id=f"{parsed.doc_id}-{block.start}", doc_id=parsed.doc_id, version=parsed.version,
            access=parsed.access, language=parsed.language, sections=(), context="",
        )
        for block in parsed.blocks
        if block.kind == "paragraph"
    ]  # fmt: skip


def test_a_chunker_of_ones_own(tmp_path):
    path, one = tmp_path / "index.db", returns(tmp_path)
    with CollectionIndex(path, sentences) as index:
        assert index.update([one]).added == ("returns@v1",)
        assert index.chunks()[0].text == "Send the kettle back within thirty days."
        assert index.update([one]).unchanged == ("returns@v1",)
        check_whole(index)

    def changed(parsed):
        return sentences(parsed)[:1]

    changed.__name__ = "sentences"
    with CollectionIndex(path, changed) as index:  # the name is the same, the function is not: it is cut again
        assert index.update([one]).changed == ("returns@v1",) and len(index) == 1
    with CollectionIndex(path) as index:
        assert len(index.search("kettle")) == 1
        with pytest.raises(BadArgument, match=r"sentences.*none of labkit's"):
            index.update([one])
    with CollectionIndex(":memory:", partial(sentences)) as index:
        assert str(index.chunker) == "sentences"


WRONG = [
    ("another label", lambda parsed: [dataclasses.replace(sentences(parsed)[0], access="public")], "access"),
    ("another document", lambda parsed: [dataclasses.replace(sentences(parsed)[0], doc_id="other")], "doc_id"),
    ("another text", lambda parsed: [dataclasses.replace(sentences(parsed)[0], text="x" * len(sentences(parsed)[0].text))], "text"),
    ("no list", lambda parsed: None, "list of chunks"),
    ("texts", lambda parsed: ["kettle"], "list of chunks"),
    ("one id twice", lambda parsed: sentences(parsed)[:1] * 2, "one id"),
]


@pytest.mark.parametrize(("function", "says"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_chunks_that_do_not_fit_their_document_are_refused(tmp_path, function, says):
    with CollectionIndex(":memory:", function) as index:
        with pytest.raises(BadArgument, match=says):
            index.update([returns(tmp_path, access="staff")])
        assert len(index) == 0 and index.manifest().documents == ()
