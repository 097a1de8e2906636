"""labkit new: what it makes of a folder of documents, what it never does, and what it says."""

import csv
import io
import os
import re
import tempfile
import unicodedata
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pdf_making import drawn, write

from labkit.collection import COLUMNS, HEADER, check_inventory, load_for_reading, load_inventory
from labkit.errors import InventoryError, LabError, QuestionsError
from labkit.own import guessing
from labkit.own.guessing import Guess, Sample, format_of, guess, language_of
from labkit.own.settings import load_settings
from labkit.own.starting import guesses_in, start
from labkit.own.starting_texts import KINDS, questions_text
from labkit.questions import load_questions
from labkit.validation import check_questions

TABLE = "| part | price |\n|---|---|\n| lid | $4 |\n"
ENGLISH = f"# Returns\n\n## Window\n\nYou may send the kettle back within thirty days of delivery.\n\n{TABLE}"
FRENCH = "# Les retours\n\nVous pouvez nous renvoyer la bouilloire dans les trente jours qui suivent la livraison.\n"
PAGE = "<!doctype html><title>x</title><h1>Opening hours</h1><h2>Shops</h2><p>The shops are open from nine to five on weekdays.</p>"
GUESSED = "unknown (guessed: title language format)"


def documents(root: Path, **more: str | bytes) -> Path:
    """A folder of documents, none of them at its top."""
    files = {"a/returns.md": ENGLISH, "a/b/Les retours (été).md": FRENCH, "hours.html": PAGE, "notes.txt": "plain words\n"} | more
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def rows(folder: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((folder / "inventory.csv").read_text("utf-8-sig"), newline="")))


def test_one_row_a_document_guesses_marked_and_nothing_invented(tmp_path):
    folder = documents(tmp_path)
    done = start(folder)
    assert done.written == ["inventory.csv", "questions.md", "labkit.toml", "README.md"] and done.documents == 4
    assert [(row["file"], row["doc_id"], row["title"], row["language"], row["format"], row["doc_type"]) for row in rows(folder)] == [
        ("hours.html", "hours", "Opening hours", "en", "html", GUESSED),
        ("notes.txt", "notes", "notes", "unknown", "md", "unknown (guessed: title-from-file-name format)"),
        ("a/returns.md", "returns", "Returns", "en", "md", GUESSED),
        ("a/b/Les retours (été).md", "les-retours-été", "Les retours", "fr", "md", GUESSED),
    ]
    for row in rows(folder):
        assert (row["version"], row["owner"], row["access"], row["effective_from"], row["effective_to"]) == (
            "unknown", "unknown", "staff", "0001-01-01", "")  # fmt: skip
    assert [each.file for each in load_inventory(folder)] == done.added
    assert guesses_in(GUESSED) == ("title", "language", "format") and guesses_in("policy") == guesses_in("unknown") == ()


def test_a_new_folder_is_ready_to_go_on_with(tmp_path):
    start(documents(tmp_path))
    assert load_settings(tmp_path)  # labkit.toml as it is laid in says nothing but the defaults
    with pytest.raises(QuestionsError, match="holds no question yet"):
        load_questions(tmp_path)
    readme = (tmp_path / "README.md").read_text("utf-8")
    for word in ("inventory.csv", "questions.md", "labkit validate", "labkit label", "labkit report", "0001-01-01"):
        assert word in readme


def test_the_examples_are_questions_of_each_kind_and_sound(tmp_path):
    """A copy of an example is right but for its question: it loads, and its quotation stands where it says."""
    start(documents(tmp_path))
    text = (tmp_path / "questions.md").read_text("utf-8")
    assert f"as_of: {date.today()}" in text
    (examples,) = re.findall(r"```markdown\n(.*?)```", text, re.DOTALL)
    (tmp_path / "mine.md").write_text(examples, encoding="utf-8")
    found = load_questions(tmp_path / "mine.md")
    assert [each.kind for each in found] == list(KINDS)
    assert found[KINDS.index("unanswerable")].abstain and not found[KINDS.index("staff-only")].public_ok
    assert found[KINDS.index("table")].relevant[0].quote == "| lid | $4 |"
    assert len(found[KINDS.index("contradiction")].relevant) == 2
    faults = check_questions(found, load_inventory(tmp_path))
    assert {str(fault).split(": ", 2)[1] for fault in faults} <= {"Q03"}  # its key is made up


def test_examples_without_documents_load_too(tmp_path):
    (examples,) = re.findall(r"```markdown\n(.*?)```", questions_text([], date(2026, 1, 1)), re.DOTALL)
    (tmp_path / "mine.md").write_text(examples, encoding="utf-8")
    assert len(load_questions(tmp_path / "mine.md")) == len(KINDS)


@pytest.mark.parametrize(
    ("row", "code"),
    [("| E31 | Faden gerissen |", "E31"), ("| saddle | SD-0440-b | 3M |", "SD-0440-b"), ("| lid | 4 |", "AB-12"), ("| a5 | x |", "AB-12")],
)
def test_the_code_of_the_examples_is_one_of_the_row_that_they_quote(row, code):
    found = Guess("md", "T", True, "en", row=Sample("S", row))
    text = questions_text([("a", found)], date(2026, 1, 1))
    assert f"## A question that names a code, such as {code}?" in text and f"keys: {code}\n" in text


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_second_run_changes_nothing(tmp_path):
    start(documents(tmp_path))
    before = snapshot(tmp_path)
    done = start(tmp_path)
    assert snapshot(tmp_path) == before
    assert (done.added, done.written, done.gone, done.left_out) == ([], [], [], [])
    assert done.kept == ["inventory.csv", "questions.md", "labkit.toml", "README.md"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("last", [True, False])
def test_a_second_run_adds_new_rows_and_keeps_every_byte_of_the_others(tmp_path, end, bom, last):
    """Columns in another order, edited rows, a spreadsheet's byte order mark and line ends: all stay as they are."""
    documents(tmp_path)
    columns = ["doc_id", *[name for name in COLUMNS if name != "doc_id"]]
    mine = {"file": "a/returns.md", "doc_id": "hours", "title": "Mine, edited", "version": "3", "effective_from": "2024-01-01",
            "effective_to": "", "owner": "Grace", "access": "public", "language": "en", "doc_type": "policy", "format": "md"}  # fmt: skip
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns, lineterminator=end)
    writer.writeheader()
    writer.writerows([mine, mine | {"file": "old/gone.md", "doc_id": "gone"}])
    before = bom + (out.getvalue() if last else out.getvalue().removesuffix(end)).encode()
    (tmp_path / "inventory.csv").write_bytes(before)
    done = start(tmp_path)
    after = (tmp_path / "inventory.csv").read_bytes()
    assert after.startswith(before) and after.count(end.encode()) == 3 + 3 and b"\n\n" not in after
    assert done.gone == [(3, "old/gone.md")] and len(done.added) == 3
    assert [row["doc_id"] for row in rows(tmp_path)] == ["hours", "gone", "hours-2", "notes", "les-retours-été"]
    with pytest.raises(InventoryError) as caught:
        load_inventory(tmp_path)
    assert [fault.line for fault in caught.value.faults] == [3]  # the row without a file, and nothing else


def test_an_inventory_that_is_none_is_told_and_left(tmp_path):
    documents(tmp_path)
    for content in (b"file;doc_id;title\na;b;c\n", b"", "file,doc_id\nx,y\n".encode("utf-16"), b'file,doc_id,"title\n'):
        (tmp_path / "inventory.csv").write_bytes(content)
        with pytest.raises(InventoryError):
            start(tmp_path)
        assert (tmp_path / "inventory.csv").read_bytes() == content
        assert not (tmp_path / "questions.md").exists()
    (tmp_path / "inventory.csv").write_text(f"{HEADER}\n", encoding="utf-8")  # all rows taken out
    assert len(start(tmp_path).added) == 4


def test_files_of_ones_own_are_never_written_over(tmp_path):
    mine = {"questions.md": "my questions", "labkit.toml": "k = 3\n", "README.md": "# My own readme\n\nof my documents\n"}
    done = start(documents(tmp_path, **mine))
    for name, text in mine.items():
        assert (tmp_path / name).read_text("utf-8") == text
    assert done.written == ["inventory.csv", "labkit-README.md"] and done.kept == ["questions.md", "labkit.toml"]
    assert "README.md" in done.added  # a document like others
    assert start(tmp_path).added == []  # ours is none


@pytest.mark.parametrize("place", ["report", "old reports/may"])
def test_a_report_is_no_document(tmp_path, place):
    made = {f"{place}.html": PAGE, f"{place}.json": '{\n "labkit": "1.0",\n "collection": {}}', f"{place}.csv": "method,budget\n"}
    done = start(documents(tmp_path, **made, **{"judgements.csv": "x", "questions.jsonl": "x", "page.html": PAGE, "page.json": "{}"}))
    assert len(done.added) == 5 and "page.html" in done.added and [file for file, _ in done.left_out] == ["page.json"]


# --- documents from elsewhere -------------------------------------------------------------------------------------------------------------


def test_documents_from_elsewhere_are_copied_with_their_folders(tmp_path):
    source, folder = documents(tmp_path / "my docs", **{"data.xlsx": b"PK", "bin/tool": b"\x7fELF"}), tmp_path / "new" / "deep"
    before = snapshot(source)
    done = start(folder, source)
    assert snapshot(source) == before
    assert sorted(done.copied) == sorted(done.added) and "documents/a/b/Les retours (été).md" in done.added
    assert (folder / "documents/a/returns.md").read_text("utf-8") == ENGLISH
    assert [file for file, _ in done.left_out] == ["documents/data.xlsx", "documents/bin/tool"] or sorted(
        file for file, _ in done.left_out
    ) == ["documents/bin/tool", "documents/data.xlsx"]
    assert load_inventory(folder) and not (folder / "documents/data.xlsx").exists()


def test_a_copy_that_differs_is_never_written_over(tmp_path):
    source, folder = documents(tmp_path / "docs"), tmp_path / "new"
    start(folder, source)
    (folder / "documents/a/returns.md").write_text("mine", encoding="utf-8")
    (source / "later.md").write_text(ENGLISH, encoding="utf-8")
    done = start(folder, source)
    assert (folder / "documents/a/returns.md").read_text("utf-8") == "mine"
    assert done.added == ["documents/later.md"] and len(rows(folder)) == 5
    ((file, why),) = done.left_out
    assert file == "documents/a/returns.md" and "another file of this name" in why


@pytest.mark.parametrize("inside", ["docs in folder", "folder in docs", "the same"])
def test_folders_inside_one_another(tmp_path, inside):
    source, folder = {
        "docs in folder": (tmp_path / "new/docs", tmp_path / "new"),
        "folder in docs": (tmp_path, tmp_path / "new"),
        "the same": (tmp_path / "new", tmp_path / "new"),
    }[inside]
    documents(source)
    done = start(folder, source)
    assert len(done.added) == 4 and bool(done.copied) == (inside == "folder in docs")
    assert start(folder, source).added == []
    assert len(load_inventory(folder)) == 4


@pytest.mark.parametrize(("source", "said"), [("nowhere", "there is no such folder"), ("file.md", "is a file")])
def test_a_source_that_is_none(tmp_path, source, said):
    (tmp_path / "file.md").write_text("x", encoding="utf-8")
    with pytest.raises(LabError, match=said):
        start(tmp_path / "new", tmp_path / source)


def test_a_folder_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(LabError, match="name a folder"):
        start(tmp_path / "file")


# --- odd documents ------------------------------------------------------------------------------------------------------------------------


def test_unreadable_documents_get_a_row_and_a_word(tmp_path):
    odd = {"latin.md": "été".encode("latin-1"), "cut.pdf": b"%PDF-1.4 cut off", "no.pdf": b"not a pdf at all"}
    done = start(documents(tmp_path, **odd))
    assert set(odd) <= set(done.added)
    told = {Path(fault.file).name: fault for fault in done.troubles}
    assert set(told) == set(odd) and all(fault.todo and fault.level == "warning" for fault in told.values())
    assert "is not UTF-8" in told["latin.md"].what
    assert len(load_for_reading(tmp_path)) == 7
    by_file = {row["file"]: row for row in rows(tmp_path)}
    assert by_file["cut.pdf"]["language"] == "unknown" and by_file["cut.pdf"]["title"] == "cut"


def test_of_an_empty_file_elsewhere_it_is_told_which_one_is_empty(tmp_path):
    source, folder = documents(tmp_path / "theirs", **{"a.md": ENGLISH.encode()}), tmp_path / "mine"
    start(folder, source)
    (source / "a.md").write_bytes(b"\n")
    again = start(folder, source)
    assert again.left_out == [("documents/a.md", f"{source / 'a.md'} is empty; put the document in, then run labkit new again")]
    assert again.documents == 5 and again.gone == [] and (folder / "documents/a.md").read_text("utf-8") == ENGLISH


@pytest.mark.parametrize("data", [b"", b" \r\n\t", b"\xef\xbb\xbf\n"])
def test_an_empty_file_gets_no_row_until_something_stands_in_it(tmp_path, data):
    folder = documents(tmp_path, **{"documents/empty.md": data})
    done = start(folder)
    ((file, why),) = done.left_out
    assert len(done.added) == 4 and file == "documents/empty.md" and why.startswith("the file is empty; put the document in")
    (fault,) = check_inventory(folder)
    assert (fault.level, fault.what, fault.todo[:19]) == ("warning", "is empty, and not in the inventory", "put the document in")
    (folder / "documents/empty.md").write_text(ENGLISH, encoding="utf-8")
    again = start(folder)
    assert again.added == ["documents/empty.md"] and "inventory.csv" not in again.kept + again.written
    assert "inventory.csv" in start(folder).kept


def test_what_labkit_made_of_a_folder_is_no_document_of_it(tmp_path):
    folder = documents(tmp_path)
    for name in ("questions-judged.jsonl", "chunks.jsonl", "judgements.csv"):
        (folder / name).write_text("{}\n", encoding="utf-8")
    assert start(folder).left_out == []


def test_links_and_hidden_files_are_left_out(tmp_path):
    folder = documents(tmp_path / "new", **{".hidden.md": "x", ".git/x.md": "x", "~$lock.md": "x"})
    (tmp_path / "outside.md").write_text("secret", encoding="utf-8")
    (folder / "link.md").symlink_to(tmp_path / "outside.md")
    (folder / "loop").symlink_to(folder)
    done = start(folder)
    assert len(done.added) == 4 and sorted(file for file, _ in done.left_out) == ["link.md", "loop"]
    assert all("is a link" in why for _, why in done.left_out)


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("x.md", b"# T", "md"), ("x.MD", b"# T", "md"), ("x.txt", b"T", "md"), ("x.html", b"<p>T", "html"), ("x.pdf", b"%PDF-1.7", "pdf"),
        ("x.md", b"%PDF-1.7", "pdf"),  # a PDF under a wrong name
        ("x.pdf", b"<!DOCTYPE html><p>404", "html"),  # a page that was saved instead
        ("x.htm", b"\n<!-- made by x --><HTML>", "html"), ("x.xhtml", b'<?xml version="1.0"?><html/>', "html"),
        ("x.md", b"<div>T</div>", "md"), ("x.md", b"see <html> tags", "md"),
        ("page", b"<!doctype html>x", "html"), ("report", b"%PDF-1.4", "pdf"), ("LICENSE", b"words", None), ("x.docx", b"<html>", None),
    ],
)  # fmt: skip
def test_formats_by_content_and_suffix(tmp_path, name, content, format):
    (tmp_path / name).write_bytes(content)
    assert format_of(tmp_path / name) == format


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("You may send the kettle back within thirty days of delivery.", "en"),
        ("Vous pouvez nous renvoyer la bouilloire dans les trente jours.", "fr"),
        ("Sie können den Wasserkocher innerhalb von dreißig Tagen zurückschicken.", "de"),
        ("やかんは三十日以内に返品できます。", "ja"),
        ("PK-2200-07", "unknown"), ("", "unknown"), ("12 34 5678", "unknown"), ("| a | b |", "unknown"), ("\ud800 !", "unknown"),
        (" ".join(f"word{number}" for number in range(500)), "unknown"),
    ],
)  # fmt: skip
def test_a_language_is_named_only_where_it_is_sure(text, language):
    assert language_of(text) == language


def test_a_pdfs_title_and_language(tmp_path):
    def page(paper):
        write(paper, 60, 80, "Warranty of the kettles", size=24)
        for line in range(8):
            write(paper, 60, 130 + 13 * line, "The warranty of a kettle lasts for one year from the day of its delivery,")

    (tmp_path / "x.pdf").write_bytes(drawn(page, *[lambda paper: paper.drawString(60, 700, "Une autre page, en français.")] * 9))
    found = guess(tmp_path / "x.pdf", "x.pdf", "pdf")
    assert (found.title, found.named, found.language, found.problem) == ("Warranty of the kettles", True, "en", "")


def test_names_that_clash(tmp_path):
    more = ("b/Returns.md", "c/returns.md", "c/returns.txt", "---.md", "a-returns.md")
    documents(tmp_path, **dict.fromkeys(more, ENGLISH))
    start(tmp_path)
    ids = [row["doc_id"] for row in rows(tmp_path)]
    assert len({each.casefold() for each in ids}) == len(ids) == 9 and "untitled" in ids
    assert load_inventory(tmp_path)


def test_accents_stored_in_another_way_are_the_same_file(tmp_path):
    folder = documents(tmp_path)
    start(folder)
    path = folder / "inventory.csv"
    path.write_text(unicodedata.normalize("NFD", path.read_text("utf-8")), encoding="utf-8")
    done = start(folder)
    assert (done.added, done.gone) == ([], [])


pieces = st.text(st.characters(exclude_characters="/\0", codec="utf-8"), min_size=1, max_size=8).filter(lambda name: name.strip("."))
suffixes = st.sampled_from([".md", ".html", ".pdf", ".txt", ".docx", ""])
contents = st.sampled_from([b"", b"# T\n\nwords", b"\xff\xfe", b"%PDF-1.4", b"<html><h1>\0T", "été".encode("latin-1"), b"\xef\xbb\xbf# T"])


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.lists(pieces, max_size=2), pieces, suffixes, contents), max_size=5))
def test_whatever_the_names_the_inventory_loads_and_a_second_run_is_quiet(tmp_path_factory, files):
    folder = tmp_path_factory.mktemp("any")
    for folders, name, suffix, content in files:
        path = folder.joinpath(*folders, name + suffix)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except OSError:  # a name that this file system does not take, or a file in the place of a folder
            continue
    done = start(folder)
    if done.added:
        assert [each.file for each in load_for_reading(folder)] == done.added
    again = start(folder)
    assert (again.added, again.gone, again.written) == ([], [], [])
    assert again.left_out == done.left_out


# --- the command --------------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_where_the_model_of_languages_has_no_room_the_message_says_where(labkit, here, monkeypatch):
    from py3langid.langid import LanguageIdentifier

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    guessing._identifier.cache_clear()  # as in a new process
    monkeypatch.setattr(LanguageIdentifier, "from_model_file", full)
    documents(here / "docs")
    code, _, err = labkit("new", "mine", "--from", "docs")
    assert code == 1 and f"{tempfile.gettempdir()}: cannot be written or read to the end (No space" in " ".join(err.split())
    assert not (here / "mine/inventory.csv").exists()


def test_the_command_says_what_it_did_and_what_it_left(labkit, here):
    documents(here / "docs", **{"empty.md": b"", "sheet.xlsx": b"x"})
    code, out, err = labkit("new", "mine", "--from", "docs")
    assert code == 0 and "4 documents in the inventory, 4 new, 4 files copied in" in out and "README.md says how" in " ".join(out.split())
    assert "documents/empty.md: docs/empty.md is empty" in " ".join(err.split()) and "1 .xlsx" in err
    os.remove("mine/documents/hours.html")
    code, out, err = labkit("new", "mine")
    assert code == 0 and "0 new" in out and "mine/inventory.csv:2: documents/hours.html is not there any more" in err


def test_the_command_where_there_is_no_document(labkit, here):
    (here / "docs").mkdir()
    code, out, err = labkit("new", "mine", "--from", "docs")
    assert (code, err) == (0, "") and "No document was found" in out and "Next: look through" not in out


def test_the_command_as_json(labkit, here):
    import json

    documents(here / "docs")
    code, out, _ = labkit("new", "docs", "--json")
    told = json.loads(out)
    assert code == 0 and told["documents"] == 4 and len(told["added"]) == 4 and told["copied"] == told["gone"] == []


def test_the_command_with_an_inventory_that_is_none(labkit, here):
    (here / "inventory.csv").write_text("a;b\n", encoding="utf-8")
    code, out, err = labkit("new", ".")
    assert (code, out) == (1, "") and "inventory.csv:1" in err
