"""The index on disk: what goes in, what is found, and that nothing stale stays."""

import dataclasses
import json
import shutil
import sqlite3
from datetime import date, datetime
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from indexed_collections import assert_same_hits, check_whole, cut, document, held, returns, till

from labkit import load_inventory, load_questions, section_search
from labkit.chunking import Chunk, by_structure
from labkit.collection import Document
from labkit.errors import BadArgument, IndexFileError
from labkit.evaluation.attribution import why_missed
from labkit.evaluation.metrics import evaluate
from labkit.parsing.blocks import Page, Problem
from labkit.parsing.reading import parse
from labkit.retrieval import collection_tables, collection_update
from labkit.retrieval.collection_index import CollectionIndex
from labkit.retrieval.keyword import KeywordIndex


def ids(found) -> list[str]:
    return [each.id for each in found]


def names(found) -> list[str]:
    return [f"{each.chunk.doc_id}@v{each.chunk.version}" for each in found]


# --- what an update does ----------------------------------------------------------------------------------------------


def test_each_document_is_told_once(tmp_path):
    first, second, third = returns(tmp_path), till(tmp_path), document(tmp_path, "gifts", "# Gifts\n\n## Cards\n\nNot returnable.\n")
    with CollectionIndex(tmp_path / "index.db") as index:
        report = index.update([first, second])
        assert (report.added, report.changed, report.unchanged, report.removed) == (("returns@v1", "till@v1"), (), (), ())
        assert str(report) == "2 added, 0 changed, 0 unchanged, 0 removed" and report.any_change
        report = index.update([third, returns(tmp_path, "sixty")])
        assert report.added == ("gifts@v1",) and report.changed == ("returns@v1",) and report.removed == ("till@v1",)
        report = index.update([third, first])
        assert report.unchanged == ("gifts@v1", "returns@v1") and not report.any_change
        assert names(index.search("sixty")) == ["returns@v1"] and index.search("thirty") == []
        assert index.search("secretword", access="staff") == []
        check_whole(index)


def test_a_document_that_got_shorter_leaves_no_stale_chunk(tmp_path):
    long = "# Care\n\n" + "".join(f"## Part {number}\n\nRinse the filter, step {number}, gently.\n\n" for number in range(20))
    other = returns(tmp_path)
    with CollectionIndex(chunker="by_structure(max_words=20)") as index:
        index.update([document(tmp_path, "care", long), other])
        before = held(index)
        short = document(tmp_path, "care", long[: long.index("## Part 3")])
        index.update([short, other])
        assert held(index) == cut(index, [short, other])
        assert len(held(index)["care@v1"]) < len(before["care@v1"])
        assert index.search("step 15", k=100) and all("step 15" not in each.chunk.text for each in index.search("step 15", k=100))
        check_whole(index)
        index.update([other])
        assert index.search("filter") == [] and len(index) == len(before["returns@v1"])
        check_whole(index)


def test_an_unchanged_document_is_not_read_and_not_written_and_keeps_its_ids(tmp_path):
    kept, changing = till(tmp_path), returns(tmp_path)
    read = []

    def reading(each):
        read.append(each.doc_id)
        return parse(each)

    with CollectionIndex(tmp_path / "index.db") as index:
        index.update([kept, changing], parse=reading)
        keys = "SELECT key, id FROM chunks WHERE document = (SELECT key FROM documents WHERE doc_id = 'till')"
        before, ids_before = index._ask(keys), held(index)
        changing = returns(tmp_path, "sixty")
        index.update([changing, dataclasses.replace(kept, line=9)], parse=reading)  # a line of the inventory is no content
        assert read == ["till", "returns", "returns"]
        assert index._ask(keys) == before and held(index)["till@v1"] == ids_before["till@v1"]
        assert held(index)["returns@v1"][1] != ids_before["returns@v1"][1] or held(index)["returns@v1"] != ids_before["returns@v1"]
        writes = index._database.total_changes
        index.update([changing, kept], parse=reading)
        assert index._database.total_changes == writes and len(read) == 3


LABELS = [
    ("title", "Kettles back"), ("access", "staff"), ("language", "fr"), ("effective_from", date(2025, 1, 1)),
    ("effective_to", date(2026, 1, 1)), ("owner", "Legal"), ("doc_type", "notice"), ("file", "elsewhere/returns.md"),
]  # fmt: skip


@pytest.mark.parametrize(("label", "value"), LABELS, ids=[label for label, _ in LABELS])
def test_a_label_that_changed_is_a_change(tmp_path, label, value):
    before, other = returns(tmp_path), till(tmp_path)
    after = returns(tmp_path, **{label: value})
    with CollectionIndex() as index:
        index.update([before, other])
        report = index.update([after, other])
        assert (report.changed, report.unchanged) == (("returns@v1",), ("till@v1",))
        (row,) = [each for each in index.manifest().documents if each.doc_id == "returns"]
        assert getattr(row, label) == value
        assert held(index) == cut(index, [after, other])
        assert names(index.search("parcel", access="staff")) == ["returns@v1"]
        assert (names(index.search("parcel")) == []) == (label == "access")
        check_whole(index)
        assert index.update([after, other]).unchanged == ("returns@v1", "till@v1")


def test_a_new_version_stands_beside_the_old_one(tmp_path):
    old, new = returns(tmp_path), returns(tmp_path, "sixty", version="2")
    with CollectionIndex() as index:
        index.update([old, new])
        assert set(held(index)) == {"returns@v1", "returns@v2"}
        index.update([new])
        assert set(held(index)) == {"returns@v2"}


@pytest.mark.parametrize("given", ["corpus", None, 5, ["returns"], [None]])
def test_what_is_no_collection_is_refused(given):
    with CollectionIndex() as index, pytest.raises(BadArgument, match="load_inventory"):
        index.update(given)


def test_a_single_document_or_one_that_stands_twice_is_refused(tmp_path):
    with CollectionIndex() as index:
        with pytest.raises(BadArgument, match="load_inventory"):
            index.update(returns(tmp_path))
        with pytest.raises(BadArgument, match="returns version 1 stands twice"):
            index.update([returns(tmp_path), till(tmp_path), returns(tmp_path)])
        assert len(index) == 0


def test_progress_is_told_before_each_document(tmp_path):
    told = []
    with CollectionIndex() as index:
        index.update([till(tmp_path), returns(tmp_path)], progress=lambda number, of, each: told.append((number, of, each.doc_id)))
    assert told == [(1, 2, "till"), (2, 2, "returns")]


# --- histories: after any of them, the index is what a new one would be -----------------------------------------------

_words = st.sampled_from(["kettle", "the", "parcel", "days", "secretword", "garantie", "é", "PW-2200", "\ud800?", "# x", "## Notes"])
_text = st.lists(st.lists(_words, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=6).map("\n\n".join)
_one = st.fixed_dictionaries(
    {"text": _text.map(lambda text: text.replace("\ud800", "")), "access": st.sampled_from(["public", "staff", "internal"]),
     "language": st.sampled_from(["en", "fr"]), "title": st.sampled_from(["Kettle", "Parcels"])}
)  # fmt: skip
_collection = st.dictionaries(st.sampled_from("abcde"), _one, max_size=5)


def build(folder: Path, collection: dict) -> list[Document]:
    return [document(folder, name, **parts) for name, parts in collection.items()]


@given(st.lists(_collection, min_size=1, max_size=4), st.sampled_from(["by_structure(max_words=8)", "fixed(size=3)", "sections"]))
@settings(max_examples=40, deadline=None)
def test_after_any_history_the_index_is_as_if_made_anew(tmp_path_factory, history, chunker):
    folder = tmp_path_factory.mktemp("history")
    with CollectionIndex(":memory:", chunker) as index:
        for collection in history:
            documents = build(folder, collection)
            report = index.update(documents)
            parts = (report.added, report.changed, report.unchanged, report.not_indexed)
            assert sorted(sum(parts, ())) == sorted(f"{name}@v1" for name in collection)
        check_whole(index)
        with CollectionIndex(":memory:", chunker) as anew:
            anew.update(documents)
            assert index.chunks() == anew.chunks() and index.manifest().documents == anew.manifest().documents
            for reader in ("public", "staff"):
                for question in ("kettle the PW 2200", "garantie kettle kettle"):
                    ours, theirs = index.search(question, 50, reader), anew.search(question, 50, reader)
                    assert ids(ours) == ids(theirs)
                    assert [each.score for each in ours] == pytest.approx([each.score for each in theirs], abs=1e-9)
        assert all(chunk.access in ("public", "staff") for chunk in index.chunks())
    shutil.rmtree(folder)


@given(_collection, st.lists(_words, max_size=6).map(" ".join))
@settings(max_examples=40, deadline=None)
def test_staff_text_moves_no_public_score(tmp_path_factory, collection, question):
    folder = tmp_path_factory.mktemp("scores")
    documents = build(folder, collection)
    with CollectionIndex() as both, CollectionIndex() as public:
        both.update(documents)
        public.update([each for each in documents if each.access == "public"])
        ours, theirs = both.search(question, 50, "public"), public.search(question, 50, "public")
        assert [(each.id, each.score) for each in ours] == [(each.id, each.score) for each in theirs]
        assert_same_hits(both, [chunk for chunk in both.chunks() if chunk.access == "public"], question, "public")
        assert_same_hits(both, both.chunks(), question, "staff")
    shutil.rmtree(folder)


# --- what cannot be read ----------------------------------------------------------------------------------------------


def test_pages_that_were_read_are_searched_and_the_others_are_named(tmp_path):
    scanned = document(tmp_path, "manual", "# Manual\n\n## Kettle\n\nDescale the kettle.\n")
    missing = Problem(2, "has no text, only a picture of it (a scan)", "recognise its text first")

    def reading(each):
        parsed = parse(each)
        pages = [Page(1, "i", 0, len(parsed.text)), Page(2, "", len(parsed.text), len(parsed.text))]
        return dataclasses.replace(parsed, pages=pages, problems=[missing])

    with CollectionIndex(tmp_path / "index.db") as index:
        report = index.update([scanned], parse=reading)
        assert report.added == ("manual@v1",) and report.not_indexed == ()
        assert index.update([scanned], parse=reading).not_whole == report.not_whole  # said each time, not only when it went in
    with CollectionIndex(tmp_path / "index.db", read_only=True) as index:
        (found,) = index.search("descale")
        assert str(found.citation).endswith("page 1 (printed “i”), characters 10–40")
        (row,) = index.not_whole("public")
        assert row.problems == (missing,) and row.chunks == 1 and index.as_search("public").not_whole == [row]
        assert row.told() == [
            "not whole: documents/manual.v1.md: page 2: has no text, only a picture of it (a scan) — recognise its text first"
        ]
        assert index.as_search("public").not_read == []


UNREADABLE = [
    ("empty", b"", {}, "the file is empty"),
    ("a title alone", b"# Manual\n", {}, "makes no chunk of it"),
    ("front matter alone", b"---\na: b\n---\n\n   \n", {}, "nothing that a reader can see"),
    ("not UTF-8", b"# Manual\n\nD\xe9tartrer la bouilloire.\n", {}, "is not UTF-8"),
    ("no PDF", b"kettle", {"format": "pdf"}, "not a PDF"),
    ("a label that nobody may see", b"# Manual\n\nThe kettle.\n", {"access": "internal"}, "'internal', which nobody may see"),
    ("a label in capitals", b"# Manual\n\nThe kettle.\n", {"access": "Public"}, "'Public', which nobody may see"),
]


@pytest.mark.parametrize(("content", "labels", "says"), [row[1:] for row in UNREADABLE], ids=[row[0] for row in UNREADABLE])
def test_what_cannot_be_read_is_listed_and_never_searched(tmp_path, content, labels, says):
    good = document(tmp_path, "manual", "# Manual\n\nDescale the kettle.\n")
    bad = document(tmp_path, "manual", content, **labels)
    good.path.write_text("# Manual\n\nDescale the kettle.\n", "utf-8")
    other = returns(tmp_path)
    with CollectionIndex() as index:
        index.update([good, other])
        assert len(index.search("descale", access="staff")) == 1
        bad.path.write_bytes(content)
        report = index.update([bad, other])  # what was in the index of it is not true any more
        assert (report.not_indexed, report.unchanged) == (("manual@v1",), ("returns@v1",))
        (row,) = report.not_whole
        assert says in row.told()[0] and row.told()[0].startswith(f"not searched: {bad.file}: ") and " — " in row.told()[0]
        assert index.search("descale kettle manual", 50, "staff") and "manual@v1" not in names(index.search("manual descale", 50, "staff"))
        assert index.update([bad, other]).not_indexed == ("manual@v1",) and index.not_whole() == [row]
        check_whole(index)
        good.path.write_text("# Manual\n\nDescale the kettle.\n", "utf-8")
        report = index.update([good, other])
        assert report.added == ("manual@v1",) and report.not_whole == ()
        check_whole(index)


def test_a_file_that_is_gone_is_no_longer_searched(tmp_path):
    gone, other = till(tmp_path), returns(tmp_path)
    with CollectionIndex() as index:
        index.update([gone, other])
        gone.path.unlink()
        assert index.update([gone, other]).not_indexed == ("till@v1",)
        assert index.search("secretword", access="staff") == []
        writes = index._database.total_changes
        assert "no such file" in index.update([gone, other]).not_whole[0].told()[0]
        assert index._database.total_changes == writes


def test_a_public_reader_is_not_told_of_staff_documents(tmp_path):
    with CollectionIndex() as index:
        plans, mystery = document(tmp_path, "plans", b"", access="staff"), document(tmp_path, "x", b"x", access="internal")
        index.update([plans, mystery, returns(tmp_path)])
        assert index.not_whole("public") == [] == index.as_search("public").not_read
        assert [each.doc_id for each in index.as_search("staff").not_read] == ["plans"]
        assert [each.doc_id for each in index.not_whole()] == ["plans", "x"]
        assert [each.doc_id for each in index.documents("public")] == ["returns"]


# --- search -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def shop(tmp_path):
    documents = [
        returns(tmp_path, effective_to=date(2025, 12, 31)),
        returns(tmp_path, "sixty", version="2", effective_from=date(2026, 1, 1)),
        returns(tmp_path, "ninety", version="3", effective_from=date(2027, 1, 1), access="staff"),
        till(tmp_path),
        document(tmp_path, "aide", "# Aide\n\n## Bouilloire\n\nRenvoyez la bouilloire (kettle).\n", language="fr-CA"),
        document(tmp_path, "aide2", "# Aide\n\n## Bouilloire\n\nEncore la kettle.\n", language="FR", version="2"),
    ]
    with CollectionIndex() as index:
        index.update(documents)
        yield index


FILTERS = [
    ({}, "returns@v1 returns@v2 aide@v1 aide2@v2"),
    ({"access": "staff"}, "returns@v1 returns@v2 returns@v3 till@v1 aide@v1 aide2@v2"),
    ({"as_of": "2025-12-31"}, "returns@v1 aide@v1 aide2@v2"),
    ({"as_of": "2026-01-01"}, "returns@v2 aide@v1 aide2@v2"),
    ({"as_of": date(2026, 1, 1)}, "returns@v2 aide@v1 aide2@v2"),
    ({"as_of": datetime(2025, 12, 31, 23, 59)}, "returns@v1 aide@v1 aide2@v2"),
    ({"as_of": "2023-12-31"}, ""),
    ({"as_of": "2027-06-01"}, "returns@v2 aide@v1 aide2@v2"),
    ({"as_of": "2027-06-01", "access": "staff"}, "returns@v2 returns@v3 till@v1 aide@v1 aide2@v2"),
    ({"language": "fr"}, "aide@v1 aide2@v2"),
    ({"language": "FR-ca"}, "aide@v1"),
    ({"language": "fra"}, ""),
    ({"language": "en", "version": "2"}, "returns@v2"),
    ({"version": 2}, "returns@v2 aide2@v2"),
    ({"version": "3"}, ""),
    ({"version": "3", "access": "staff"}, "returns@v3"),
    ({"version": "1", "as_of": "2026-06-01"}, "aide@v1"),
]


@pytest.mark.parametrize(("filters", "expected"), FILTERS, ids=[str(filters) for filters, _ in FILTERS])
def test_filters(shop, filters, expected):
    found = shop.search("kettle", 50, **filters)
    assert set(names(found)) == set(expected.split())
    assert [each.rank for each in found] == list(range(1, len(found) + 1))
    # a filter chooses, and moves no score: what is left stands as it stood
    everything = shop.search("kettle", 50, filters.get("access", "public"))
    kept = [(each.id, each.score) for each in everything if each.id in set(ids(found))]
    assert [(each.id, each.score) for each in found] == kept
    assert {chunk.id for chunk in shop.chunks(**filters)} >= set(ids(found)) and shop.count(**filters) == len(shop.chunks(**filters))
    engine = shop.as_search(**({"access": "public"} | filters))
    assert engine("kettle", 50) == [each.chunk for each in found] and engine.number == len(engine.passages)
    assert [each for each in shop.chunks() if engine.allows(each)] == engine.passages
    assert {f"{each.doc_id}@v{each.version}" for each in shop.documents(**filters)} >= set(expected.split())


@pytest.mark.parametrize(
    "filters",
    [{"access": "everybody"}, {"access": "Staff"}, {"access": None}, {"access": ["staff"]}, {"as_of": "03/04/2026"},
     {"as_of": "2026-02-30"}, {"as_of": 2026}, {"language": "%"}, {"language": "en' OR 1=1 --"}, {"language": ""}, {"language": 5},
     {"version": 2.5}, {"version": True}],
)  # fmt: skip
def test_a_filter_that_makes_no_sense_is_refused_and_never_open(shop, filters):
    for ask in (partial(shop.search, "kettle"), shop.as_search, shop.chunks, shop.documents):
        with pytest.raises(BadArgument):
            ask(**filters)


def test_a_filter_that_empties_the_top(tmp_path):
    loud = [document(tmp_path, f"loud{n}", "# L\n\n" + "kettle " * 20, access="staff", language="fr") for n in range(10)]
    quiet = [document(tmp_path, f"quiet{n}", f"# Q\n\nOne kettle and {n} other words in this text.\n") for n in range(5)]
    with CollectionIndex() as index:
        index.update(loud + quiet)
        assert len(index.search("kettle", 5)) == 5 and all(each.chunk.access == "public" for each in index.search("kettle", 5))
        assert {each.chunk.language for each in index.search("kettle", 5, "staff")} == {"fr"}
        assert ids(index.search("kettle", 5, "staff", language="en")) != []
        assert len(index.search("kettle", 5, "staff", language="en")) == 5


def test_allowed_is_asked_in_rank_order_and_what_it_refuses_takes_no_place(shop):
    everything = shop.search("kettle days", 50, "staff")
    asked = []
    kept = shop.search("kettle days", 2, "staff", allowed=lambda id_: asked.append(id_) or id_ != everything[0].id)
    assert ids(kept) == ids(everything)[1:3] and [each.rank for each in kept] == [1, 2] and asked == ids(everything)[:3]
    with pytest.raises(BadArgument, match="allowed"):
        shop.search("kettle", allowed="all")


@pytest.mark.parametrize("question", ["", "  ", "...", "😀", "\u200b", "zzz", "\0"])
def test_nothing_to_find(shop, question):
    assert shop.search(question, access="staff") == []


@pytest.mark.parametrize(
    "question",
    ['"kettle', "kettle*", "title:kettle", "NOT kettle", "kettle AND", "^kettle(", "KETTLÉ", "ket\u00adtle", "kettle\ud800"],
)
def test_a_question_is_plain_words(shop, question):
    assert set(names(shop.search(question, 50))) >= {"returns@v1", "returns@v2"}


@pytest.mark.parametrize("k", [-1, 2.5, "5", None, True])
def test_k_that_makes_no_sense(shop, k):
    with pytest.raises(BadArgument, match="k"):
        shop.search("kettle", k)


def test_k_beyond_and_none(shop):
    assert shop.search("kettle", 0) == []
    assert len(shop.search("kettle", 10**9)) == len(shop.search("kettle", 50))


def test_equal_scores_stand_by_id(tmp_path):
    documents = [document(tmp_path, f"d{number}", "# Same\n\nThe kettle.\n", title="Same") for number in range(30)]
    with CollectionIndex() as index:
        index.update(documents)
        found = ids(index.search("kettle", 20))
        assert found == sorted(chunk.id for chunk in index.chunks())[:20]
        index.update(documents[::2])
        index.update(documents[::-1])
        assert ids(index.search("kettle", 20)) == found


def test_what_is_found_says_all_of_itself(shop):
    found = shop.search("parcel label", 1, as_of="2026-06-01")[0]
    assert isinstance(found.chunk, Chunk) and found.chunk.sections == ("Cost",) and found.chunk.context == "Returns"
    assert found.document.effective_from == date(2026, 1, 1) and found.document.effective_to is None
    assert found.document.file == "documents/returns.v2.md" and found.document.name == "returns@v2"
    assert str(found.citation) == f"Returns, version 2, section “Cost”, characters {found.chunk.start}–{found.chunk.end}"


def test_chunks_come_back_as_they_were_cut(tmp_path):
    table = "| a | b |\r\n|---|---|\r\n" + "| x \\| y | \u00ad |\r\n" * 30
    text = f"# T\u2028itle\r\n\r\nIntro\0 é e\u0301 😀\r\n\r\n{table}\r\n## Été\r\n\r\nLa fin.\r\n"
    one = document(tmp_path, "odd", text)
    for chunker in ("by_structure(max_words=20)", "fixed(size=7)", "overlapping(size=7, overlap=3)", "sections"):
        with CollectionIndex(":memory:", chunker) as index:
            index.update([one])
            assert index.chunks() == index.chunker(parse(one)) and len(index)
            check_whole(index)


def test_text_that_no_file_can_keep_is_kept(tmp_path):
    one = document(tmp_path, "odd", "# Odd\n\n## Half\n\nkettle half word\n")

    def reading(each):
        parsed = parse(each)
        text = parsed.text.replace("half", "h\ud800lf")
        blocks = [dataclasses.replace(block, text=text[block.start : block.end]) for block in parsed.blocks]
        return dataclasses.replace(parsed, text=text, blocks=blocks)

    with CollectionIndex() as index:
        index.update([one], parse=reading)
        assert index.chunks() == by_structure(reading(one)) and "\ud800" in index.chunks()[0].text
        assert len(index.search("lf")) == 1


def test_a_search_for_evaluate_and_why_missed(tmp_path):
    from test_cli import question

    from labkit.questions import load_questions as load

    asked = [
        question("A1", "sixty days kettle", "answerable", [("returns", "2", "Window", "public", "sixty days")]),
        question("A2", "secretword", "staff-only", [("till", "1", "Kettle", "staff", "secretword")]),
        question("A3", "elephant", "answerable", [("returns", "2", "Cost", "public", "nine dollars")]),
        question("A4", "kettle", "answerable", [("plans", "1", "Kettle", "public", "x")]),
    ]
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in asked), "utf-8")
    questions = load(file)
    with CollectionIndex() as index:
        index.update([returns(tmp_path, "sixty", version="2"), till(tmp_path), document(tmp_path, "plans", b"")])
        rows = evaluate(questions, index.as_search())
        assert list(rows["hit"]) == [1, 1, 0, 0]
        engine = index.as_search("public")
        stages = [why_missed(each, engine, passages=engine.given, allowed=engine.allows) for each in questions]
        assert stages == ["found", "filtered", "no shared word", "source not read"]
        assert [each.doc_id for each in engine.not_read] == ["plans"]


# --- the course's own collection --------------------------------------------------------------------------------------


def test_sections_of_larkfield_score_as_the_baseline_does():
    documents = [each for each in load_inventory() if each.format == "md"]
    baseline = section_search(documents)
    with CollectionIndex(":memory:", "sections") as index:
        index.update(documents)
        assert len(index) == len(baseline.passages) == 154
        for each in load_questions():
            ours = [(found.score, found.chunk.doc_id, found.chunk.start) for found in index.search(each.question, 5, "staff")]
            hits = [(hit.score, baseline.passage(hit.id)) for hit in baseline.hits(each.question, 200)]
            theirs = [(score, passage.doc_id, passage.start) for score, passage in hits]
            assert [score for score, *_ in ours] == pytest.approx([score for score, *_ in theirs[:5]], abs=1e-9)
            assert {place[1:] for place in ours} <= {place[1:] for place in theirs if place[0] >= ours[-1][0] - 1e-6}


def test_larkfield_in_every_format_for_both_readers():
    documents = load_inventory()
    with CollectionIndex() as index:
        report = index.update(documents)
        assert len(report.added) == 36 and report.not_whole == ()
        assert {each.format for each in index.manifest().documents if each.chunks} == {"md", "html", "pdf"}
        found = index.search("free return label for members", 1, as_of="2026-12-01")[0]
        assert (found.chunk.doc_id, found.chunk.version) == ("returns-policy", "4")
        before = index.search("free return label for members", 1, as_of="2026-10-31")[0]
        assert (before.chunk.doc_id, before.chunk.version) != ("returns-policy", "4")
        pump = index.search("pump kit fits the PW-2200 parts", 5, "staff")
        assert any("page" in str(each.citation) for each in pump)
        for each in load_questions():
            for reader in ("public", "staff"):
                for result in index.search(each.question, 5, reader):
                    assert result.document.access in ("public", reader)
        check_whole(index)


# --- speed ------------------------------------------------------------------------------------------------------------


def test_a_pasted_page_over_many_chunks_is_as_fast_as_the_keyword_index(tmp_path):
    import random
    import time

    chance = random.Random(4)
    vocabulary = [f"w{int(chance.paretovariate(0.6)) % 4000}" for _ in range(6000)]
    texts = [" ".join(chance.choices(vocabulary, k=40)) for _ in range(4000)]
    documents = [document(tmp_path, f"d{n}", "\n\n".join(f"## S{n}-{m}\n\n{texts[40 * n + m]}" for m in range(40))) for n in range(100)]
    page = " ".join(chance.choices(vocabulary, k=2000))
    with CollectionIndex(":memory:", "sections") as index, KeywordIndex() as other:
        index.update([dataclasses.replace(each, language="en" if n % 2 else "fr") for n, each in enumerate(documents)])
        other.add((chunk.id, chunk.passage) for chunk in index.chunks())
        assert len(index) == 4000

        def seconds(call) -> float:
            times = []
            for _ in range(3):
                start = time.process_time()
                call()
                times.append(time.process_time() - start)
            return min(times)

        plain = seconds(lambda: other.search(page))
        assert seconds(lambda: index.search(page)) < 3 * plain + 0.1
        assert seconds(lambda: index.search(page, language="en", as_of="2026-01-01")) < 3 * plain + 0.1


# --- the file ----------------------------------------------------------------------------------------------------------


def test_what_read_and_cut_a_document_counts_as_well(tmp_path, monkeypatch):
    one, other = returns(tmp_path), till(tmp_path)
    with CollectionIndex() as index:
        index.update([one, other])
        monkeypatch.setattr(collection_update, "made_by", lambda: "another labkit")
        assert index.outdated([one, other]).changed == ("returns@v1", "till@v1")

        def reading(each):
            parsed = parse(each)
            return dataclasses.replace(parsed, sections=[]) if each.doc_id == "till" else parsed

        report = index.update([one, other], parse=reading)
        assert (report.unchanged, report.changed) == (("returns@v1",), ("till@v1",))  # the one came out the same
        assert index.outdated([one, other]).unchanged == ("returns@v1", "till@v1")
        check_whole(index)


def test_outdated_says_what_an_update_would_do_and_does_nothing(tmp_path):
    one, two, three = returns(tmp_path), till(tmp_path), document(tmp_path, "gifts", "# G\n\nCards.\n")
    with CollectionIndex(tmp_path / "index.db") as index:
        index.update([one, two])
    one = returns(tmp_path, "ninety")
    with CollectionIndex(tmp_path / "index.db", read_only=True) as index:
        report = index.outdated([one, three])
        assert (report.added, report.changed, report.removed) == (("gifts@v1",), ("returns@v1",), ("till@v1",))
        assert index.search("thirty")


def test_another_collections_index_is_not_emptied_by_a_slip(tmp_path):
    with CollectionIndex(tmp_path / "index.db") as index:
        index.update([returns(tmp_path / "shop one")])
        assert index.manifest().collection == "shop one"
        with pytest.raises(IndexFileError, match=r"'shop one', and these documents are of 'shop two' — name another file"):
            index.update([returns(tmp_path / "shop two")])
        assert held(index) == cut(index, [returns(tmp_path / "shop one")])
        assert index.update([]).removed == ("returns@v1",) and index.manifest().collection == "shop one"


def test_the_manifest_is_the_same_wherever_and_whenever(tmp_path):
    made = []
    for place in ("here/shop", "there, é/shop"):
        documents = [returns(tmp_path / place), till(tmp_path / place)]
        with CollectionIndex(tmp_path / place / "index.db") as index:
            index.update(documents if place.startswith("here") else documents[::-1])
            made.append(json.dumps(index.manifest().as_dict(), ensure_ascii=False))
    assert made[0] == made[1] and str(tmp_path) not in made[0]
    facts = json.loads(made[0])
    assert (facts["collection"], facts["chunker"], facts["layout"], facts["chunks"]) == ("shop", "by_structure(max_words=200)", 1, 4)
    assert facts["labkit"] and [each["doc_id"] for each in facts["documents"]] == ["returns", "till"]
    assert len(facts["documents"][0]["digest"]) == 64


def other_file(path: Path, what: str) -> None:
    if what == "a keyword index":
        with KeywordIndex(path) as other:
            other.add([("a", "kettle")])
    elif what == "a text":
        path.write_text("kettle " * 100, "utf-8")
    elif what == "another layout":
        CollectionIndex(path).close()
        database = sqlite3.connect(path)
        database.execute("PRAGMA user_version = 999")
        database.close()
    elif what == "damaged":
        path.write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    elif what == "somebody's tables":
        database = sqlite3.connect(path)
        database.execute("CREATE TABLE tickets (id)")
        database.close()


@pytest.mark.parametrize("what", ["a keyword index", "a text", "another layout", "damaged", "somebody's tables"])
@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path, what, read_only):
    path = tmp_path / "other.db"
    other_file(path, what)
    before = path.read_bytes()
    with pytest.raises(IndexFileError, match=r"other\.db.* — "):
        CollectionIndex(path, read_only=read_only)
    assert path.read_bytes() == before


def test_an_index_of_chunks_is_no_keyword_index(tmp_path):
    CollectionIndex(tmp_path / "index.db").close()
    with pytest.raises(IndexFileError, match="something else"):
        KeywordIndex(tmp_path / "index.db")


def test_reading_only(tmp_path):
    path, one = tmp_path / "an index é #1?.db", returns(tmp_path)
    with pytest.raises(IndexFileError, match="no such file — make it again with `labkit index --out"):
        CollectionIndex(path, read_only=True)
    assert not path.exists()
    with CollectionIndex(path) as index:
        index.update([one])
    before = path.read_bytes(), sorted(each.name for each in path.parent.iterdir())
    with CollectionIndex(path, read_only=True) as index:
        assert len(index.search("kettle", as_of="2026-01-01")) == 1 and len(index.manifest().documents) == 1
        assert index.update([one]).unchanged  # nothing to write
        with pytest.raises(IndexFileError, match="you may write"):
            index.update([returns(tmp_path, "sixty")])
        assert len(index.search("thirty")) == 1
    assert (path.read_bytes(), sorted(each.name for each in path.parent.iterdir())) == before
    with pytest.raises(BadArgument, match="in memory"):
        CollectionIndex(read_only=True)


def test_closing(tmp_path):
    index = CollectionIndex()
    assert repr(index) == "<CollectionIndex in memory, 0 chunks, by_structure(max_words=200)>"
    index.close()
    index.close()
    assert "closed" in repr(index)
    for call in (lambda: index.search("kettle"), lambda: len(index), lambda: index.update([]), index.manifest, index.chunks):
        with pytest.raises(BadArgument, match="closed — make a CollectionIndex again"):
            call()


def test_who_waits_too_long_is_told(tmp_path, monkeypatch):
    from labkit.retrieval import indexfile

    monkeypatch.setattr(indexfile, "PATIENCE", 0.05)
    path = tmp_path / "index.db"
    with CollectionIndex(path) as index:
        index.update([returns(tmp_path)])
        writer = sqlite3.connect(path, isolation_level=None)
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(IndexFileError, match="another program"):
            index.update([returns(tmp_path, "sixty")])
        assert len(index.search("thirty")) == 1
        writer.execute("ROLLBACK")
        writer.close()
        assert index.update([returns(tmp_path, "sixty")]).changed


def test_each_reader_has_a_table_of_their_own(tmp_path):
    with CollectionIndex() as index:
        index.update([returns(tmp_path), till(tmp_path)])
        for reader, mine in (("public", 2), ("staff", 4)):
            table = collection_tables.inverted(reader)
            assert index._ask(f"SELECT count(*) FROM {table}_docsize") == [(mine,)]
        index._ask("CREATE VIRTUAL TABLE temp.seen USING fts5vocab(main, for_public, row)")
        assert index._ask("SELECT count(*) FROM temp.seen WHERE term = 'secretword'") == [(0,)]
