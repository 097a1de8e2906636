"""A search for one reader: what a reader may not see moves nothing."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.collection import Document
from labkit.errors import BadArgument, DocumentError
from labkit.passages import Passage
from labkit.retrieval.keyword import KeywordIndex
from labkit.retrieval.passage_search import KeywordSearch, section_search


def passage(name: str, text: str, access: str = "public", version: str = "1", context: str = "") -> Passage:
    return Passage.cut(
        text, 0, len(text), id=name, doc_id=name.partition("#")[0], version=version, access=access, language="en",
        sections=("S",), context=context,
    )  # fmt: skip


def document(folder, doc_id, text, *, version="1", access="public", since="2024-01-01", until=None, format="md") -> Document:
    path = folder / f"{doc_id}.v{version}.{format}"
    path.write_text(text, encoding="utf-8")
    return Document(
        doc_id=doc_id, title=doc_id.title(), version=version, effective_from=date.fromisoformat(since),
        effective_to=date.fromisoformat(until) if until else None, owner="Grace", access=access, language="en", doc_type="policy",
        format=format, path=path, file=path.name, line=2,
    )  # fmt: skip


TEN_STAFF = [passage(f"staff#{i}", "refund refund refund", "staff") for i in range(10)]
FIVE_PUBLIC = [passage(f"public#{i}", f"a refund and {i + 2} " + "other words " * (i + 1)) for i in range(5)]


def test_ten_staff_passages_above_leave_five_public_ones_for_a_public_reader():
    found = KeywordSearch(TEN_STAFF + FIVE_PUBLIC, access="public")("refund", 5)
    assert [p.id for p in found] == [f"public#{i}" for i in range(5)]


def test_staff_sees_both():
    found = KeywordSearch(TEN_STAFF + FIVE_PUBLIC, access="staff")("refund", 15)
    assert len(found) == 15
    assert {p.access for p in found[:10]} == {"staff"}


words = st.lists(st.sampled_from(["refund", "kettle", "pump", "the", "shed"]), min_size=1, max_size=8).map(" ".join)


@given(public=st.lists(words, min_size=1, max_size=6), staff=st.lists(words, max_size=6), query=words)
def test_staff_text_moves_no_public_score(public, staff, query):
    open_ones = [passage(f"p#{i}", text) for i, text in enumerate(public)]
    closed = [passage(f"s#{i}", text, "staff") for i, text in enumerate(staff)]
    with_staff = KeywordSearch(closed + open_ones, access="public").hits(query, 10)
    alone = KeywordSearch(open_ones, access="public").hits(query, 10)
    assert with_staff == alone


@pytest.mark.parametrize("label", ["", "Public", "PUBLIC", "internal", "staff ", "public,staff"])
def test_an_unknown_label_is_shown_to_nobody(label):
    for reader in ("public", "staff"):
        search = KeywordSearch([passage("x#1", "refund", label), passage("y#1", "refund")], access=reader)
        assert [p.id for p in search("refund")] == ["y#1"]


@pytest.mark.parametrize("reader", ["", "Staff", "everybody", None])
def test_an_unknown_reader_is_refused(reader):
    with pytest.raises(BadArgument, match="public, staff"):
        KeywordSearch([], access=reader)


def test_context_is_searched_as_well():
    search = KeywordSearch([passage("x#1", "how to store it", context="PW-2400 care guide")])
    assert [p.id for p in search("PW-2400")] == ["x#1"]


def test_passages_come_back_as_they_were_given_with_the_ranks_of_the_index():
    given_ones = [passage("a#1", "kettle kettle"), passage("b#1", "kettle and more"), passage("c#1", "shed")]
    search = KeywordSearch(given_ones)
    index = KeywordIndex()
    index.add((p.id, p.passage) for p in given_ones)
    assert search.hits("kettle", 2) == index.search("kettle", 2)
    assert search("kettle", 2) == [search.passage(hit.id) for hit in search.hits("kettle", 2)]
    assert search("kettle", 2)[0] is given_ones[0]


def test_equal_ids_are_refused_and_an_unknown_id_is_named():
    with pytest.raises(BadArgument, match="a#1"):
        KeywordSearch([passage("a#1", "x"), passage("a#1", "y")])
    with pytest.raises(BadArgument, match="nowhere#1"):
        KeywordSearch([passage("a#1", "x")]).passage("nowhere#1")


@pytest.mark.parametrize("query", ["", "   ", "...", "\u200b", "😀", "("])
def test_nothing_to_look_for_finds_nothing(query):
    assert KeywordSearch(FIVE_PUBLIC)(query) == []


@pytest.fixture
def shop(tmp_path):
    return [
        document(tmp_path, "returns", "# Returns\n\n## Window\n\nThirty days.\n", version="1", until="2025-12-31"),
        document(tmp_path, "returns", "# Returns\n\n## Window\n\nSixty days.\n", version="2", since="2026-01-01"),
        document(tmp_path, "till", "# Till\n\n## Codes\n\nDays off.\n", access="staff"),
        document(tmp_path, "rates", "<p>Two days.</p>", format="html"),
    ]


def test_section_search_reads_markdown_and_says_what_it_did_not_read(shop):
    search = section_search(shop)
    assert [p.id for p in search.passages] == ["returns@v1#window", "returns@v2#window", "till@v1#codes"]
    assert [d.doc_id for d in search.not_read] == ["rates"]
    assert [p.id for p in search("sixty")] == ["returns@v2#window"]


@pytest.mark.parametrize(
    ("day", "found"),
    [("2025-12-31", ["returns@v1#window"]), ("2026-01-01", ["returns@v2#window"]), (date(2026, 5, 1), ["returns@v2#window"]),
     ("2023-12-31", []), (None, ["returns@v1#window", "returns@v2#window"])],
)  # fmt: skip
def test_as_of_takes_the_editions_in_force_on_that_day(shop, day, found):
    search = section_search(shop, access="public", as_of=day)
    assert [p.id for p in search.passages] == found
    assert len(search.given) == 3
    assert [p.id for p in search.given if search.allows(p)] == found


def test_a_date_that_is_none_is_refused(shop):
    with pytest.raises(BadArgument, match="03/04/2024"):
        section_search(shop, as_of="03/04/2024")


def test_a_document_that_cannot_be_read_is_named(shop):
    shop[0].path.unlink()
    with pytest.raises(DocumentError, match=r"returns\.v1\.md"):
        section_search(shop)


def test_stemming_and_stop_words_reach_the_index(shop):
    assert section_search(shop)("day") == []
    assert len(section_search(shop, stem=True)("day")) == 3
    assert section_search(shop, stop_words=["sixty"])("sixty") == []
