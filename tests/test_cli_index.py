"""labkit index, and labkit search and eval with an index, as a person or a script meets them."""

import csv
import json

import pytest
from command_line import flat
from test_cli import DOCUMENTS, HEADER, QUESTIONS, question, write_questions

from labkit.show.tables import display_width


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "a shop"
    (folder / "documents").mkdir(parents=True)
    for name, (_, text) in DOCUMENTS.items():
        (folder / "documents" / name).write_text(text, "utf-8")
    write_inventory(folder, {name: row for name, (row, _) in DOCUMENTS.items()})
    write_questions(folder)
    return folder


def write_inventory(folder, rows):
    with open(folder / "inventory.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        writer.writerows([f"documents/{name}", *row.split(",")] for name, row in rows.items())


# --- labkit index ------------------------------------------------------------------------------------------------------


def test_help_has_an_example(labkit):
    code, out, err = labkit("index", "--help")
    assert (code, err) == (0, "") and "Example: labkit index" in flat(out) and "--chunker" in out
    assert "index" in labkit("--help")[1]


def test_it_says_what_changed(labkit, shop):
    code, out, err = labkit("index", "--folder", shop)
    assert (code, err) == (0, "")
    assert "index.db: 5 added, 0 changed, 0 unchanged, 0 removed." in out
    assert "added: aide@v1, rates@v1, returns@v1, returns@v2, till@v1" in out
    assert "6 chunks of 5 documents, cut by by_structure(max_words=200)." in out
    (shop / "documents/till.v1.md").write_text("# Till\n\n## Kettle\n\nOne.\n\n## Two\n\nMore.\n", "utf-8")
    rows = {name: row for name, (row, _) in DOCUMENTS.items() if name != "aide.v1.md"}
    (shop / "documents/aide.v1.md").unlink()
    write_inventory(shop, rows)
    code, out, err = labkit("index", "--folder", shop)
    assert (code, err) == (0, "")
    assert "0 added, 1 changed, 3 unchanged, 1 removed." in out and "changed: till@v1" in out and "removed: aide@v1" in out
    assert "added:" not in out
    code, out, err = labkit("index", "--folder", shop)
    assert "index.db: 0 added, 0 changed, 4 unchanged, 0 removed." in out and ":" not in out.replace("index.db:", "")


def test_as_json_with_its_manifest(labkit, shop):
    code, out, err = labkit("index", "--folder", shop, "--json", "--out", "a b.db")
    data = json.loads(out)
    assert (code, err) == (0, "") and data["index"] == "a b.db" and data["problems"] == []
    assert data["added"] == ["aide@v1", "rates@v1", "returns@v1", "returns@v2", "till@v1"] and data["removed"] == []
    manifest = data["manifest"]
    assert (manifest["collection"], manifest["chunker"], manifest["chunks"]) == ("a shop", "by_structure(max_words=200)", 6)
    assert [each["doc_id"] for each in manifest["documents"]] == ["aide", "rates", "returns", "returns", "till"]
    assert str(shop) not in out


CHUNKERS = [
    ([], "by_structure(max_words=200)"),
    (["--size", "50"], "by_structure(max_words=50)"),
    (["--chunker", "fixed"], "fixed(size=100)"),
    (["--chunker", "fixed", "--size", "7"], "fixed(size=7)"),
    (["--chunker", "overlapping", "--size", "8", "--overlap", "2"], "overlapping(size=8, overlap=2)"),
    (["--chunker", "sections"], "sections()"),
]


@pytest.mark.parametrize(("options", "name"), CHUNKERS, ids=[name for _, name in CHUNKERS])
def test_chunkers(labkit, shop, options, name):
    assert f"cut by {name}." in flat(labkit("index", "--folder", shop, *options)[1])
    code, out, err = labkit("index", "--folder", shop)  # the file knows how it was cut
    assert f"cut by {name}." in flat(out) and "0 added, 0 changed" in out
    assert (code, "sections() makes no chunk of it" in err) == ((1, True) if name == "sections()" else (0, False))  # of the list of rates
    assert f"cut by {name}." in flat(labkit("search", "kettle", "--index", "index.db")[1])


WRONG = [
    (["--chunker", "semantic"], "by_structure"),
    (["--chunker", "fixed", "--size", "0"], "size=0"),
    (["--chunker", "fixed", "--overlap", "5"], "takes no --overlap"),
    (["--chunker", "sections", "--size", "5"], "takes no --size"),
    (["--chunker", "overlapping", "--size", "10"], "overlap=25"),
    (["--size", "ten"], "--size"),
    (["extra"], "extra"),
]


@pytest.mark.parametrize(("options", "says"), WRONG, ids=[" ".join(options) for options, _ in WRONG])
def test_a_mistyped_command_ends_with_2_and_makes_nothing(labkit, shop, options, says):
    code, out, err = labkit("index", "--folder", shop, *options)
    assert (code, out) == (2, "") and says in err and "Traceback" not in err
    assert not (shop.parent / "index.db").exists()


def test_another_chunker_or_collection_or_file_is_refused(labkit, shop, tmp_path):
    labkit("index", "--folder", shop)
    before = (tmp_path / "index.db").read_bytes()
    code, out, err = labkit("index", "--folder", shop, "--chunker", "fixed")
    assert (code, out) == (1, "") and "index.db holds chunks of by_structure(max_words=200), not of fixed(size=100)" in err and " — " in err
    other = tmp_path / "another shop"
    shop.rename(other)
    code, out, err = labkit("index", "--folder", other)
    assert (code, out) == (1, "") and "'a shop', and these documents are of 'another shop'" in err
    code, out, err = labkit("index", "--folder", other, "--out", other / "inventory.csv")
    assert (code, out) == (1, "") and "something else" in err and (other / "inventory.csv").read_text("utf-8").startswith("file,doc_id")
    assert labkit("index", "--folder", other, "--out", tmp_path)[0] == 1
    assert (tmp_path / "index.db").read_bytes() == before


def test_what_cannot_be_read_is_said_and_ends_with_1(labkit, shop):
    (shop / "documents/rates.v1.html").write_text("<script>1</script>", "utf-8")
    code, out, err = labkit("index", "--folder", shop)
    assert code == 1 and "4 added, 0 changed, 0 unchanged, 0 removed, 1 not indexed." in flat(out) and "not indexed: rates@v1" in out
    assert "5 chunks of 4 documents" in out
    assert err.startswith("not searched: documents/rates.v1.html: ") and " — " in err
    code, out, err = labkit("index", "--folder", shop, "--json")
    (problem,) = json.loads(out)["problems"]
    assert code == 1 and problem["file"] == "documents/rates.v1.html" and problem["searched"] is False and err
    for options in ([], ["--json"]):
        code, out, err = labkit("search", "kettle", "--index", "index.db", *options)
        assert code == 0 and "documents/rates.v1.html" in (out if options else err)
    (shop / "documents/rates.v1.html").write_text("<p>Two days</p>", "utf-8")
    assert labkit("index", "--folder", shop)[0] == 0
    assert labkit("search", "kettle", "--index", "index.db")[2] == ""


def test_what_was_read_in_part_is_searched_in_part_and_no_error(labkit, shop, monkeypatch):
    import dataclasses

    from labkit.parsing import reading
    from labkit.parsing.blocks import Problem

    whole = reading.parse

    def partly(document):
        parsed = whole(document)
        return dataclasses.replace(parsed, problems=[Problem(3, "has no text", "recognise it")]) if document.doc_id == "till" else parsed

    monkeypatch.setattr(reading, "parse", partly)
    code, out, err = labkit("index", "--folder", shop)
    assert code == 0 and "5 added" in out and err == "not whole: documents/till.v1.md: page 3: has no text — recognise it\n"
    assert labkit("search", "kettle", "--index", "index.db", "--access", "staff")[2] == err
    assert labkit("search", "kettle", "--index", "index.db")[2] == ""  # a public reader is told nothing of staff documents


def test_a_collection_with_faults_makes_no_index(labkit, shop):
    (shop / "documents/till.v1.md").unlink()
    code, out, err = labkit("index", "--folder", shop)
    assert (code, out) == (1, "") and "inventory.csv:4" in err
    assert not (shop.parent / "index.db").exists()


# --- labkit search ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def indexed(labkit, shop):
    assert labkit("index", "--folder", shop)[0] == 0
    return shop


def results(out: str) -> list[str]:
    return [f"{each['doc_id']}@v{each['version']}" for each in json.loads(out)["results"]]


SEARCHES = [
    ([], {"returns@v1", "returns@v2"}),
    (["--access", "staff"], {"returns@v1", "returns@v2", "till@v1"}),
    (["--as-of", "2025-12-31"], {"returns@v1"}),
    (["--as-of", "2026-12-01", "--access", "public"], {"returns@v2"}),
    (["--version", "2"], {"returns@v2"}),
    (["--language", "EN", "--version", "1"], {"returns@v1"}),
    (["--language", "fr"], set()),
]


@pytest.mark.parametrize(("options", "expected"), SEARCHES, ids=[" ".join(options) for options, _ in SEARCHES])
@pytest.mark.parametrize("indexing", [True, False])
def test_filters_with_an_index_and_without(labkit, indexed, options, expected, indexing):
    where = ["--index", "index.db"] if indexing else ["--folder", indexed]
    code, out, err = labkit("search", "kettle", "--json", *where, *options)
    assert (code, err) == (0, "") and set(results(out)) == expected
    code, out, _ = labkit("search", "kettle", *where, *options)
    assert code == 0 and ("No " in out) == (not expected)


def test_a_citation_for_each_hit(labkit, indexed):
    code, out, err = labkit("search", "days", "--index", "index.db", "--as-of", "2026-06-01")
    assert (code, err) == (0, "")
    assert "Returns, version 2, section “Window”, characters 11–61" in flat(out)
    assert "Rates, version 1, characters 0–8" in flat(out) and "Two days" in out
    assert "Searched: 4 chunks in force on 2026-06-01, as a public reader, cut by by_structure(max_words=200)." not in out
    assert "Searched: 4 chunks in force on 2026-06-01, as a public reader, cut by by_structure(max_words=200)." in flat(out)
    _, out, _ = labkit("search", "kettle", "--folder", indexed, "--as-of", "2026-06-01")
    assert "Returns, version 2, section “Window”, characters 11–61" in flat(out)


def test_as_json_each_result_says_all_of_itself(labkit, indexed):
    data = json.loads(labkit("search", "days", "--index", "index.db", "--version", "2", "--json")[1])
    assert data["problems"] == [] and data["searched_chunks"] == 2 and data["index"] == "index.db" and data["words"] == ["days"]
    (result,) = data["results"]
    text = (indexed / result["file"]).read_text("utf-8")
    assert text[result["start"] : result["end"]] == result["text"] and result["rank"] == 1 and result["score"] > 0
    assert result["citation"] == "Returns, version 2, section “Window”, characters 11–61"
    assert (result["sections"], result["pages"], result["context"], result["access"]) == (["Window"], [], "Returns", "public")


def test_staff_text_is_never_shown_to_the_public(labkit, indexed):
    code, out, _ = labkit("search", "secretword", "--index", "index.db")
    assert code == 0 and "No chunk holds any of these words: secretword." in flat(out)
    code, out, err = labkit("search", "kettle", "--index", "index.db", "--language", "de")
    assert (code, out) == (2, "") and "there are en, fr" in err


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (["--index", "none.db"], 1, "no such file — make it again with `labkit index --out none.db`"),
        (["--index", "a shop/inventory.csv"], 1, "something else"),
        (["--index", "a shop"], 1, "is a folder"),
        (["--index", "index.db", "--folder", "a shop"], 2, "give one of the two"),
        (["--index", "index.db", "--language", "f%"], 2, "language tag"),
        (["--index", "index.db", "--version", "9"], 2, "no document has it — there are 1, 2"),
        (["--index", "index.db", "--as-of", "03/04/2026"], 2, "2026-03-04"),
        (["--folder", "a shop", "--language", "de"], 2, "no document has it — there are en, fr"),
        (["--folder", "a shop", "--version", "9"], 2, "no document has it — there are 1, 2"),
        (["--idnex", "index.db"], 2, "--index"),
    ],
)
def test_what_cannot_be_searched(labkit, indexed, options, code, says):
    result, out, err = labkit("search", "kettle", *options)
    assert (result, out) == (code, "") and says in err and "Traceback" not in err
    assert not (indexed.parent / "none.db").exists()


@pytest.mark.parametrize("query", ["", "...", "😀"])
def test_nothing_to_look_for(labkit, indexed, query):
    code, out, err = labkit("search", query, "--index", "index.db")
    assert (code, err) == (0, "") and "no word in this question" in out
    assert labkit("search", "kettle", "--k", "0", "--index", "index.db")[1].startswith("0 results, as asked.")


@pytest.mark.parametrize("columns", ["80", "40", "20", "x"])
def test_output_fits_the_terminal(labkit, indexed, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    for command in (
        ["search", "kettle days", "--index", "index.db"],
        ["index", "--folder", indexed],
        ["eval", "--index", "index.db", "--folder", indexed],
    ):
        code, out, _ = labkit(*command)
        assert code == 0 and max(map(display_width, out.split("\n"))) <= (int(columns) if columns.isdigit() else 80)
        assert all(line == line.rstrip() for line in out.split("\n"))


def test_document_text_moves_no_cursor(labkit, shop):
    path = shop / "documents" / "returns.v2.md"
    path.write_text(path.read_text("utf-8").replace("stands here", "\x1b[31mstands [red]here[/red]"), "utf-8")
    labkit("index", "--folder", shop)
    _, out, _ = labkit("search", "zebra", "--index", "index.db")
    assert "[red]here[/red]" in flat(out) and "\x1b" not in out


# --- labkit eval -------------------------------------------------------------------------------------------------------------


def test_eval_over_an_index(labkit, indexed):
    asked = [*QUESTIONS, question("H1", "two days", "answerable", [("returns", "2", "Window", "public", "sixty days")])]
    write_questions(indexed, asked)
    code, out, err = labkit("eval", "--index", "index.db", "--folder", indexed)
    assert (code, err) == (0, "") and "cut by by_structure(max_words=200)" in flat(out) and "4 of 5 questions" in flat(out)
    data = json.loads(labkit("eval", "--index", "index.db", "--folder", indexed, "--json", "--access", "public")[1])
    assert data["chunker"] == "by_structure(max_words=200)"
    assert {miss["id"]: miss["stage"] for miss in data["misses"]} == {"T1": "filtered", "M1": "no shared word"}
    assert json.loads(labkit("eval", "--folder", indexed, "--json")[1])["chunker"] is None


def test_eval_says_when_the_index_is_behind(labkit, indexed):
    path = indexed / "documents/till.v1.md"
    path.write_text(path.read_text("utf-8") + "\nMore.\n", "utf-8")
    code, _, err = labkit("eval", "--index", "index.db", "--folder", indexed)
    assert code == 0 and "index.db is behind the documents (1 changed since) — bring it up to date with `labkit index`" in err
