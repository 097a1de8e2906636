"""Inventories: what is accepted, what is refused, and that every fault of a folder is named at once, with its line."""

import csv
import io
import os
import unicodedata
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labkit.collection import (
    ACCESS_LABELS,
    COLUMNS,
    FORMATS,
    HEADER,
    Document,
    check_inventory,
    load_for_reading,
    load_inventory,
    read_text,
)  # fmt: skip
from labkit.errors import BadArgument, DocumentError, InventoryError

FILES = {"documents/a.md": b"# A\n\n## One\n\nalpha\n", "documents/b.md": b"# B\n", "documents/c.pdf": b"%PDF-1.4\n\xff\xfe"}
ROW = {
    "file": "documents/a.md", "doc_id": "a", "title": "A", "version": "1", "effective_from": "2024-01-01", "effective_to": "",
    "owner": "Grace", "access": "public", "language": "en", "doc_type": "policy", "format": "md",
}  # fmt: skip
OTHER = ROW | {"file": "documents/b.md", "doc_id": "b", "title": "B"}


def line(columns=COLUMNS, separator=",", **fields) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=separator).writerow([(ROW | fields)[name] for name in columns])
    return out.getvalue().removesuffix("\r\n")


def table(*lines: str, header: str = HEADER, end: str = "\n") -> bytes:
    return "".join(text + end for text in (header, *lines)).encode()


def folder(root: Path, inventory: bytes | None, files: dict[str, bytes] = FILES) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    if inventory is not None:
        (root / "inventory.csv").write_bytes(inventory)
    return root


def errors(root: Path) -> list[tuple[int | None, str]]:
    return [(fault.line, str(fault)) for fault in check_inventory(root) if fault.level == "error"]


def test_a_row_becomes_a_document(tmp_path):
    inventory = table(line(effective_to="2024-12-31", title='Returns, "easy"', version="3.1"), line(**OTHER))
    first, second = load_inventory(folder(tmp_path, inventory))
    assert first == Document(
        doc_id="a", title='Returns, "easy"', version="3.1", effective_from=date(2024, 1, 1), effective_to=date(2024, 12, 31),
        owner="Grace", access="public", language="en", doc_type="policy", format="md", path=Path("elsewhere"),
        file="documents/a.md", line=2,
    )  # fmt: skip
    assert (second.doc_id, second.effective_to, second.line) == ("b", None, 3)
    assert first.path == tmp_path / "documents/a.md" and first.path.is_absolute()
    assert first.read() == "# A\n\n## One\n\nalpha\n"


def test_in_force_counts_the_first_and_the_last_day(tmp_path):
    (document,) = load_inventory(folder(tmp_path, table(line(effective_to="2024-12-31"))))
    days = [date(2023, 12, 31), date(2024, 1, 1), date(2024, 12, 31), date(2025, 1, 1)]
    assert [document.in_force(day) for day in days] == [False, True, True, False]
    (document,) = load_inventory(folder(tmp_path, table(line())))
    assert document.in_force(date.max)


@pytest.mark.parametrize(
    "inventory",
    [
        pytest.param(b"\xef\xbb\xbf" + table(line()), id="byte order mark"),
        pytest.param(table(line(), end="\r\n"), id="CRLF"),
        pytest.param(table(line(), end="\r"), id="CR alone"),
        pytest.param(table(line()).rstrip(b"\n"), id="no newline at the end"),
        pytest.param(table(line(), "", ""), id="blank lines at the end"),
        pytest.param(table(line(COLUMNS[::-1]), header=",".join(COLUMNS[::-1])), id="another order of columns"),
        pytest.param(table(line(), header='"' + HEADER.replace(",", '","') + '"'), id="quoted header"),
        pytest.param(table(line(file="./documents/a.md")), id="a dot in front"),
        pytest.param(table(line(language="fr-CA")), id="a longer language tag"),
        pytest.param(table(line(language="unknown", owner="unknown", doc_type="unknown")), id="unknown rather than a guess"),
        pytest.param(table(line(doc_id="garantie-légale_2.b")), id="accents, hyphen, underscore, dot in doc_id"),
        pytest.param(table(line(), line(**OTHER)), id="two documents"),
        pytest.param(
            table(line(effective_to="2024-06-30"), line(**OTHER | {"doc_id": "a", "version": "2", "effective_from": "2024-07-01"})),
            id="two versions, one after the other"),
        pytest.param(table(line(effective_from="2024-02-29", effective_to="2024-02-29")), id="in force for one leap day"),
        pytest.param(table(line(file="documents/c.pdf", format="pdf")), id="a PDF's bytes are not text"),
    ],
)  # fmt: skip
def test_accepted(tmp_path, inventory):
    documents = load_inventory(folder(tmp_path, inventory))
    assert documents and all(document.path.is_file() for document in documents)


@pytest.mark.parametrize("title", ["A, b", 'say ""', "two\nlines", "two\r\nlines", " spaces ", "é\u2028è"])
def test_a_quoted_field_comes_back_as_it_was(tmp_path, title):
    first, second = load_inventory(folder(tmp_path, table(line(title=title), line(**OTHER))))
    assert first.title == title
    assert second.line == 3 + title.count("\n")


@pytest.mark.parametrize("written, stored", [("NFC", "NFD"), ("NFD", "NFC"), ("NFC", "NFC")])
def test_accents_may_be_composed_in_another_way_on_disk(tmp_path, written, stored):
    name = "documents/été/prolongée.md"
    files = {unicodedata.normalize(stored, name): b"# E\n"}
    inventory = table(line(file=unicodedata.normalize(written, name)))
    (document,) = load_inventory(folder(tmp_path, inventory, files))
    assert document.read() == "# E\n"
    assert document.file == unicodedata.normalize(written, name)
    assert check_inventory(tmp_path) == []


LATIN = table(line(), line(**OTHER | {"title": "Garantie prolongée"})).decode().encode("latin-1")

# name: (inventory, [(line, words that its message holds)])
REFUSED = {
    "semicolons": (
        table(line(separator=";"), header=HEADER.replace(",", ";")), [(1, "semicolons, not commas — in the spreadsheet, save as")]),
    "semicolons, and a fault in a row": (
        table(line(separator=";", access="Public"), header=HEADER.replace(",", ";")), [(1, "semicolons"), (2, "access label 'Public'")]),
    "semicolons in a row only": (table(line(separator=";")), [(2, "this row is separated by semicolons")]),
    "tabs": (table(line(separator="\t"), header=HEADER.replace(",", "\t")), [(1, "tabs, not commas — in the spreadsheet, save as 'CSV")]),
    "semicolons in the header only": (table(line(), line(doc_id="b"), header=HEADER.replace(",", ";")), [(1, "semicolons, not commas")]),
    "tabs in the header only": (table(line(), line(doc_id="b"), header=HEADER.replace(",", "\t")), [(1, "tabs, not commas")]),
    "semicolons, and a row too short": (
        table("documents/a.md;a;A", header=HEADER.replace(",", ";")), [(1, "semicolons"), (2, "has 3 fields, and the header has 11")]),
    "too few fields": (table("documents/a.md,a,A"), [(2, "has 3 fields, and the header has 11")]),
    "too many fields": (table(line() + ",x"), [(2, "has 12 fields, and the header has 11 — a field that holds a comma needs quotation")]),
    "a comma without quotation marks": (table(line(title="A") .replace(",A,", ",A, b,")), [(2, "has 12 fields")]),
    "unknown column": (table(line() + ",x", header=HEADER + ",colour"), [(1, "unknown column 'colour'")]),
    "unknown column, nearly": (table(line(), header=HEADER.replace("owner", "ownr")),
                               [(1, "unknown column 'ownr' — did you mean 'owner'"), (1, "the column 'owner' is missing")]),
    "column in capitals": (table(line(), header=HEADER.replace("file", "File")), [(1, "unknown column 'File' — write 'file'")]),
    "column with a space": (table(line(), header=HEADER.replace(",title", ", title")), [(1, "unknown column ' title' — write 'title'")]),
    "missing column": (table(line(COLUMNS[:-1]), header=",".join(COLUMNS[:-1])), [(1, "the column 'format' is missing")]),
    "doubled column": (table(line() + ",b", header=HEADER + ",doc_id"), [(1, "the column 'doc_id' stands twice")]),
    "column without a name": (table(line() + ",", header=HEADER + ","), [(1, "column 12 has no name")]),
    "no header": (line().encode(), [(1, "the first line is not the header")]),
    "header alone": (table(), [(1, "has a header and no rows")]),
    "empty": (b"", [(1, "is empty")]),
    "byte order mark alone": (b"\xef\xbb\xbf", [(1, "is empty")]),
    "blank lines alone": (b"\n \n", [(1, "is empty")]),
    "day and month swapped": (table(line(effective_from="03/04/2024")),
                              [(2, "effective_from: '03/04/2024' is ambiguous: it can be two days — write 2024-03-04 or 2024-04-03")]),
    "day first, one reading": (table(line(effective_from="31/12/2024")), [(2, "write 2024-12-31")]),
    "no such day": (table(line(effective_from="2024-02-30")), [(2, "'2024-02-30' is no date: February 2024 has 29 days")]),
    "no leap day in 2023": (table(line(effective_from="2023-02-29")), [(2, "February 2023 has 28 days")]),
    "no such month": (table(line(effective_to="2024-13-01")), [(2, "effective_to: '2024-13-01' is no date: there is no month 13")]),
    "year 0": (table(line(effective_from="0000-01-01")), [(2, "there is no year 0")]),
    "short month": (table(line(effective_from="2024-3-1")), [(2, "write 2024-03-01")]),
    "compact date": (table(line(effective_from="20240301")), [(2, "write 2024-03-01")]),
    "week date": (table(line(effective_from="2024-W09-5")), [(2, "is not a date — write year-month-day, as in 2024-03-01")]),
    "month in words": (table(line(effective_from="1 March 2024")), [(2, "is not a date")]),
    "date with a time": (table(line(effective_to="2024-03-01T00:00")), [(2, "is not a date")]),
    "date with a space": (table(line(effective_from="2024-03-01 ")), [(2, "holds a space before or after the date")]),
    "full-width digits": (table(line(effective_from="２０２４-03-01")), [(2, "is not a date")]),
    "ends before it begins": (table(line(effective_to="2023-12-31")), [(2, "effective_to 2023-12-31 is before effective_from 2024-01-01")]),
    "two versions on one day": (
        table(line(effective_to="2024-06-30"), line(**OTHER | {"doc_id": "a", "version": "2", "effective_from": "2024-06-30"})),
        [(3, "two versions of a are in force on 2024-06-30: version 1 (line 2) and version 2 (line 3)")]),
    "two versions, the later one first": (
        table(line(version="2", effective_from="2024-06-01"), line(**OTHER | {"doc_id": "a", "effective_to": "2024-06-30"})),
        [(3, "in force from 2024-06-01 to 2024-06-30: version 2 (line 2) and version 1 (line 3)")]),
    "two versions for ever": (table(line(), line(**OTHER | {"doc_id": "a", "version": "2"})), [(3, "in force from 2024-01-01 on")]),
    "access label unknown": (table(line(access="internal")), [(2, "unknown access label 'internal' — write public or staff")]),
    "access label in capitals": (table(line(access="Public")), [(2, "unknown access label 'Public' — did you mean 'public'?")]),
    "access label with a space": (table(line(access="public ")), [(2, "unknown access label 'public '")]),
    "access label empty": (table(line(access="")), [(2, "access is empty")]),
    "edition twice": (table(line(), line(**OTHER | {"doc_id": "a"})), [(3, "a version 1 stands in line 2 already")]),
    "file twice": (table(line(), line(doc_id="b")), [(3, "documents/a.md: line 2 names the same file")]),
    "file twice, written in two ways": (table(line(), line(doc_id="b", file="./documents//a.md")), [(3, "line 2 names the same file")]),
    "path upwards": (table(line(file="../x.md")), [(2, "'../x.md' leaves the folder: it holds '..'")]),
    "path up and down again": (table(line(file="documents/../documents/a.md")), [(2, "it holds '..'")]),
    "path from the top": (table(line(file="/etc/passwd")), [(2, "'/etc/passwd' leaves the folder: it starts at the top of a disk")]),
    "path on a drive": (table(line(file="C:\\x.md")), [(2, "leaves the folder: it starts at the top of a disk")]),
    "path on a drive, slashes": (table(line(file="c:/x.md")), [(2, "it starts at the top of a disk")]),
    "path on another machine": (table(line(file="\\\\server\\share\\x.md")), [(2, "it starts at the top of a disk")]),
    "path upwards, backslashes": (table(line(file="a\\..\\..\\b.md")), [(2, "leaves the folder: it holds '..'")]),
    "path with backslashes": (table(line(file="documents\\a.md")), [(2, "holds a backslash — write / between folders: documents/a.md")]),
    "NUL in a path": (table(line(file="documents/a.md\0")), [(2, "holds a NUL character")]),
    "the inventory itself": (table(line(file="inventory.csv")), [(2, "is the inventory itself")]),
    "the folder itself": (table(line(file=".")), [(2, "'.' names no file")]),
    "file missing": (table(line(file="documents/nowhere.md")), [(2, "documents/nowhere.md: there is no such file")]),
    "file missing, nearly": (table(line(file="documents/A.md")), [(2, "there is no such file — did you mean documents/a.md?")]),
    "file name far too long": (table(line(file="x" * 5000)), [(2, "…: there is no such file")]),
    "folder of the file is a file": (table(line(file="documents/a.md/b.md")), [(2, "there is no such file")]),
    "file is a folder": (table(line(file="documents")), [(2, "documents: a folder, not a file")]),
    "unknown format": (table(line(format="docx")), [(2, "unknown format 'docx' — write md, html or pdf")]),
    "format by another name": (table(line(format="Markdown")), [(2, "unknown format 'Markdown' — write 'md'")]),
    "format in capitals": (table(line(format="PDF")), [(2, "unknown format 'PDF' — did you mean 'pdf'?")]),
    "language in words": (table(line(language="English")), [(2, "'English' is not a language tag")]),
    "doc_id with @": (table(line(doc_id="a@2")), [(2, "doc_id 'a@2' cannot stand in an id: it holds U+0040")]),
    "doc_id with #": (table(line(doc_id="a#2")), [(2, "it holds U+0023")]),
    "doc_id with a space": (table(line(doc_id="a b")), [(2, "it holds U+0020 (space)")]),
    "doc_id with a slash": (table(line(doc_id="../a")), [(2, "doc_id '../a' cannot stand in an id")]),
    "doc_id with a line end": (table(line(doc_id="a\nb")), [(2, "it holds U+000A")]),
    "version with @": (table(line(version="1@2")), [(2, "version '1@2' cannot stand in an id")]),
    "all fields empty": (table("," * 10), [(2, "holds nothing but commas")]),
    "Latin-1": (LATIN, [(3, "not UTF-8: byte 34 of this line is 0xE9, as in a file saved as Latin-1")]),
    "UTF-16": (table(line()).decode().encode("utf-16"), [(1, "is saved as UTF-16")]),
    "NUL bytes": (table(line(), line(**OTHER | {"title": "B\0"})), [(3, "holds a NUL character (U+0000)")]),
    "quotation mark never closed": (table(line().replace(",A,", ',"A,'), line(**OTHER)), [(2, "opens a field here and is never closed")]),
    "quotation mark closed by the next row": (
        table(line().replace(",A,", ',"A,'), line(**OTHER | {"title": "B, b"}), line(**OTHER | {"access": "x"})),
        [(2, "something stands between a closing quotation mark and the next comma"), (4, "unknown access label 'x'"),
         (4, "b version 1 stands in line 3 already"), (4, "line 3 names the same file")]),
    "text after a quoted field": (table(line().replace(",A,", ',"A"b,')), [(2, "something stands between a closing quotation mark")]),
    "field beyond all measure": (table(line(title="x" * 140_000)), [(2, "holds more than 131,072 characters")]),
    "row after a quoted line end": (table(line(title="A\nB\nC"), line(**OTHER | {"access": "x"})), [(5, "unknown access label 'x'")]),
    "row that starts before the fault": (table(line(title="A\nB\nC", access="x")), [(2, "unknown access label 'x'")]),
    **{f"{name} empty": (table(line(**{name: " "})), [(2, f"{name} is empty")]) for name in COLUMNS if name != "effective_to"},
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_a_clear_word(tmp_path, name):
    inventory, expected = REFUSED[name]
    found = errors(folder(tmp_path, inventory))
    assert [line for line, _ in found] == [line for line, _ in expected], "\n".join(text for _, text in found)
    for words in [words for _, words in expected]:
        assert any(words in text for _, text in found), (words, found)
    with pytest.raises(InventoryError) as caught:
        load_inventory(tmp_path)
    for line_number, _ in expected:
        assert f"inventory.csv:{line_number}: " in str(caught.value)


@pytest.mark.parametrize(
    "name, content, words",
    [
        ("documents/a.md", b"", "documents/a.md: the file is empty"),
        ("documents/a.md", b"\xef\xbb\xbf \n", "documents/a.md: the file is empty"),
        ("documents/a.md", b"# A\n\nprix : 5 \x80\n", "documents/a.md: byte 10 of line 3 (0x80) is not UTF-8"),
        ("documents/a.md", b"# A\r\rprix : \xe9", "byte 8 of line 3 (0xE9)"),
        ("documents/a.md", "# A\n".encode("utf-16"), "is UTF-16, not UTF-8"),
        ("documents/a.html", b"<p>prolong\xe9e</p>", "documents/a.html: byte 11 of line 1 (0xE9)"),
        ("documents/a.html", b'<meta charset="ascii"><p>\x81', "declares the character set cp1252, and byte 26 of the file"),
        ("documents/a.pdf", b"", "documents/a.pdf: the file is empty"),
    ],
)
def test_a_file_that_cannot_be_used(tmp_path, name, content, words):
    root = folder(tmp_path, table(line(file=name, format=name.split(".")[-1])), {name: content})
    ((number, text),) = errors(root)
    assert number == 2 and words in text


@pytest.mark.parametrize(
    "link, target, file, words",
    [
        ("documents/a.md", "outside.md", "documents/a.md", "a link that leaves the folder"),
        ("documents", "elsewhere", "documents/a.md", "a link that leaves the folder"),
        ("documents/a.md", "nowhere.md", "documents/a.md", "cannot be read"),
        ("documents/a.md", "inside/documents/a.md", "documents/a.md", "cannot be read"),
        ("documents/a.md", "inside/inventory.csv", "documents/a.md", "the inventory itself"),
        ("documents/a.md", "inside", "documents/a.md", "a folder, not a file"),
    ],
    ids=["file outside", "folder outside", "to nothing", "to itself", "to the inventory", "to a folder"],
)
def test_links(tmp_path, link, target, file, words):
    (tmp_path / "outside.md").write_text("# A\n")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/a.md").write_text("# A\n")
    root = tmp_path / "inside"
    (root / link).parent.mkdir(parents=True, exist_ok=True)
    (root / "inventory.csv").write_bytes(table(line(file=file)))
    (root / link).symlink_to(tmp_path / target)
    ((number, text),) = errors(root)
    assert number == 2 and words in text


def test_a_link_inside_the_folder_is_one_more_name_of_a_file(tmp_path):
    folder(tmp_path, table(line(), line(**OTHER | {"file": "documents/link.md"})))
    (tmp_path / "documents/link.md").symlink_to(tmp_path / "documents/a.md")
    ((number, text),) = errors(tmp_path)
    assert number == 3 and "line 2 names the same file" in text


def test_a_named_pipe_is_not_opened(tmp_path):
    folder(tmp_path, table(line(file="documents/pipe.md")))
    os.mkfifo(tmp_path / "documents/pipe.md")
    ((_, text),) = errors(tmp_path)
    assert "documents/pipe.md: not a plain file" in text
    with pytest.raises(DocumentError, match="not a plain file"):
        read_text(tmp_path / "documents/pipe.md")


def test_a_folder_without_an_inventory(tmp_path):
    for root, words in [
        (tmp_path, "there is no inventory.csv in this folder"),
        (tmp_path / "nowhere", "there is no folder"),
        (folder(tmp_path / "x", None) / "documents/a.md", "is a file — name the folder that holds inventory.csv"),
        (Path("nul\0"), "there is no folder"),
    ]:
        with pytest.raises(InventoryError) as caught:
            load_inventory(root)
        assert len(caught.value.faults) == 1 and words in str(caught.value)
    (tmp_path / "inventory.csv").mkdir()
    with pytest.raises(InventoryError, match="a folder"):
        load_inventory(tmp_path)


def test_every_fault_at_once_in_the_order_of_the_lines(tmp_path):
    inventory = table(
        line(access="Public", effective_from="03/04/2024", doc_id="a b"),
        "too,few",
        line(file="../x", format="doc", language="français"),
        line(**OTHER),
        line(**OTHER),
        line(file="documents/none.md", doc_id="c", version=""),
    )
    found = errors(folder(tmp_path, inventory.replace(b"Grace", "Gr\xe2ce".encode("latin-1"), 1)))
    assert [number for number, _ in found] == [2, 2, 2, 2, 3, 4, 4, 4, 6, 6, 7, 7]
    assert all(f"inventory.csv:{number}: " in text for number, text in found)
    with pytest.raises(InventoryError) as caught:
        load_inventory(tmp_path)
    assert len(caught.value.faults) == len(found)


def test_each_edition_that_overlaps_is_named_and_no_more_than_once(tmp_path):
    files = {f"documents/{number}.md": b"# T\n" for number in range(5)}
    spans = [
        ("2024-01-01", "2024-12-31"), ("2024-03-01", "2024-03-31"), ("2024-06-01", "2024-06-30"), ("2025-01-01", ""), ("2026-01-01", ""),
    ]  # fmt: skip
    rows = [
        line(file=file, doc_id="a", version=str(number), effective_from=first, effective_to=last)
        for number, (file, (first, last)) in enumerate(zip(files, spans, strict=True), start=1)
    ]
    found = errors(folder(tmp_path, table(*rows), files))
    assert [number for number, _ in found] == [3, 4, 6]
    assert "from 2024-03-01 to 2024-03-31: version 1 (line 2) and version 2 (line 3)" in found[0][1]
    assert "from 2024-06-01 to 2024-06-30: version 1 (line 2) and version 3 (line 4)" in found[1][1]
    assert "from 2026-01-01 on: version 4 (line 5) and version 5 (line 6)" in found[2][1]


def test_versions_that_nobody_ended_are_named_as_neighbours_so_that_one_round_of_mending_is_enough(tmp_path):
    files = {f"documents/{number}.md": b"# T\n" for number in range(3)}
    begins = ("2024-01-01", "2024-07-01", "2025-07-01")

    def rows(*ends):
        return table(*(
            line(file=file, doc_id="a", version=str(number), effective_from=first, effective_to=last)
            for number, (file, first, last) in enumerate(zip(files, begins, ends, strict=True), start=1)
        ))  # fmt: skip

    found = errors(folder(tmp_path, rows("", "", ""), files))
    assert [number for number, _ in found] == [3, 4]
    assert "version 1 (line 2) and version 2 (line 3)" in found[0][1]
    assert "version 2 (line 3) and version 3 (line 4)" in found[1][1]
    (tmp_path / "inventory.csv").write_bytes(rows("2024-06-30", "2025-06-30", ""))
    assert not errors(tmp_path)


@pytest.mark.parametrize("value", [5, b"documents", ["documents"], {}])
def test_what_is_no_path_is_refused_in_a_sentence(value):
    with pytest.raises(BadArgument, match="a collection's folder is needed by its path"):
        load_inventory(value)


def test_a_table_without_a_file_column_does_not_say_of_each_file_that_it_is_unlisted(tmp_path):
    folder(tmp_path, table(line(COLUMNS[1:]), header=",".join(COLUMNS[1:])))
    assert [(fault.line, fault.what) for fault in check_inventory(tmp_path)] == [(1, "the column 'file' is missing")]


def test_what_no_row_names_is_a_warning_and_stops_nothing(tmp_path):
    files = FILES | {"documents/deep/d.md": b"# D\n", "documents/.hidden": b"x", "documents/~$a.docx": b"x", "notes.md": b"x"}
    folder(tmp_path, table(line(), line(**OTHER)), files)
    faults = check_inventory(tmp_path)
    assert [(Path(fault.file).relative_to(tmp_path).as_posix(), fault.level) for fault in faults] == [
        ("documents/c.pdf", "warning"), ("documents/deep/d.md", "warning"),
    ]  # fmt: skip
    assert "is not in the inventory" in faults[0].what
    assert len(load_inventory(tmp_path)) == 2


def test_a_format_that_its_name_contradicts_is_a_warning(tmp_path):
    folder(tmp_path, table(line(format="html"), line(**OTHER), line(file="documents/c.pdf", doc_id="c", format="pdf")))
    assert [(fault.line, fault.level) for fault in check_inventory(tmp_path)] == [(2, "warning")]


def test_a_name_on_disk_that_is_no_text_can_be_printed(tmp_path):
    folder(tmp_path, table(line(file="documents/x.md")), {})
    (tmp_path / "documents").mkdir()
    (tmp_path / os.fsdecode(b"documents/x\xff.md")).write_bytes(b"# X\n")
    "\n".join(str(fault) for fault in check_inventory(tmp_path)).encode("utf-8")


def test_a_control_character_in_a_file_name_is_shown_escaped(tmp_path):
    ((_, text),) = errors(folder(tmp_path, table(line(file="documents/\x1b[31m\n.md"))))
    assert "\x1b" not in text and "\n" not in text


def test_faults_name_files_as_one_would_type_them(tmp_path, monkeypatch):
    folder(tmp_path / "mine", table(line(access="x")))
    monkeypatch.chdir(tmp_path)
    assert next(fault.file for fault in check_inventory("mine")) == "mine/inventory.csv"


@pytest.mark.parametrize(
    "data, text",
    [
        (b"\xef\xbb\xbfa\r\nb\rc\n", "a\r\nb\rc\n"),
        ("\u2028\x0cé".encode(), "\u2028\x0cé"),
        (b"", ""),
        (b"\xef\xbb\xbf\xef\xbb\xbfa", "\ufeffa"),
    ],
)
def test_read_text_takes_off_the_byte_order_mark_and_nothing_else(tmp_path, data, text):
    path = tmp_path / "x.md"
    path.write_bytes(data)
    assert read_text(path) == text == read_text(str(path))


@pytest.mark.parametrize("data", [b"a\nb\xe9", b"\xff\xfea\0", b"ok\n\n\xed\xa0\x80"])
def test_read_text_refuses_what_is_not_utf8(tmp_path, data):
    (tmp_path / "x.md").write_bytes(data)
    with pytest.raises(DocumentError, match=r"x\.md: .*UTF-"):
        read_text(tmp_path / "x.md")


def test_reading_a_document(tmp_path):
    files = {
        "documents/a.html": '<meta charset="iso-8859-1"><p>5 €'.encode("cp1252"),
        "documents/b.html": '<meta charset="utf-8"><p>5 €\r\n'.encode(),
        "documents/c.pdf": b"%PDF-1.4",
        "documents/d.md": b"# D\n",
    }
    rows = [line(file=name, doc_id=name[10], format=name.split(".")[-1]) for name in files]
    first, second, third, fourth = load_inventory(folder(tmp_path, table(*rows), files))
    assert first.read() == '<meta charset="iso-8859-1"><p>5 €'
    assert second.read().endswith("5 €\r\n")
    with pytest.raises(DocumentError, match="PDF"):
        third.read()
    fourth.path.unlink()
    with pytest.raises(DocumentError, match=r"documents/d\.md: there is no such file"):
        fourth.read()


# --- laws ------------------------------------------------------------------------------------------------------------------------

SHARED = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
free_text = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12).filter(str.strip)
days = st.dates(date(1000, 1, 1))


@st.composite
def inventories(draw):
    rows = []
    for number in range(draw(st.integers(1, 4))):
        first, last = sorted([draw(days), draw(days)])
        rows.append(
            {
                "file": f"documents/{number}.md",
                "doc_id": f"doc-{number}",
                "title": draw(free_text),
                "version": draw(st.from_regex(r"[0-9a-z.]{1,4}", fullmatch=True)),
                "effective_from": str(first),
                "effective_to": draw(st.sampled_from(["", str(last)])),
                "owner": draw(free_text),
                "access": draw(st.sampled_from(ACCESS_LABELS)),
                "language": draw(st.sampled_from(["en", "fr", "pt-BR", "unknown"])),
                "doc_type": draw(free_text),
                "format": "md",
            }
        )
    columns = draw(st.permutations(COLUMNS))
    # With '\n' as its line end, Python's writer leaves a '\r' in a field unquoted; so every field is quoted there.
    out = io.StringIO(newline="")
    end, quoting = draw(st.sampled_from([("\n", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_MINIMAL), ("\r\n", csv.QUOTE_ALL)]))
    writer = csv.writer(out, lineterminator=end, quoting=quoting)
    writer.writerow(columns)
    writer.writerows([[row[name] for name in columns] for row in rows])
    return rows, draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + out.getvalue().encode()


@SHARED
@given(inventories())
def test_a_valid_inventory_comes_back_as_it_was_written(tmp_path, case):
    rows, data = case
    folder(tmp_path, data, {row["file"]: b"# T\n" for row in rows})
    documents = load_inventory(tmp_path)
    assert len(documents) == len(rows)
    for row, document in zip(rows, documents, strict=True):
        back = {name: str(getattr(document, name) or "") for name in COLUMNS}
        assert back == row


mutations = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.integers(0, 12),
        st.one_of(st.binary(max_size=6), st.sampled_from([b'"', b",", b";", b"\n", b"\r", b"\0", b"../", b"\xe9", b'""', b"\xef\xbb\xbf"])),
    ),
    min_size=1,
    max_size=4,
)


def mutated(data: bytes, changes) -> bytes:
    for place, gone, new in changes:
        start = int(place * len(data))
        data = data[:start] + new + data[start + gone :]
    return data


@SHARED
@given(mutations)
def test_whatever_the_bytes_only_an_inventory_error_is_raised(tmp_path, changes):
    data = mutated(table(line(title='A, "b"'), line(**OTHER), line(file="documents/c.pdf", doc_id="c", format="pdf")), changes)
    folder(tmp_path, data)
    faults = check_inventory(tmp_path)
    str(faults).encode("utf-8")
    try:
        documents = load_inventory(tmp_path)
    except InventoryError as error:
        assert error.faults == [fault for fault in faults if fault.level == "error"] != []
    else:
        assert documents and all(document.access in ACCESS_LABELS and document.format in FORMATS for document in documents)


@SHARED
@given(st.binary(max_size=40), st.sampled_from(["", "utf-8", "latin-1", "hex", "idna", "punycode", "utf-7", "nowhere", "shift_jis"]))
def test_whatever_the_bytes_of_a_page_it_is_read_or_refused(tmp_path, body, charset):
    page = f'<meta charset="{charset}">'.encode() + body
    folder(tmp_path, table(line(file="documents/a.html", format="html")), {"documents/a.html": page})
    try:
        (document,) = load_inventory(tmp_path)
    except InventoryError as error:
        assert error.faults[0].line == 2
    else:
        assert isinstance(document.read(), str)


@pytest.mark.parametrize("note", ["sep=;", "SEP=,", '"sep=;"', "sep=\t", "sep=;;;;"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_spreadsheets_note_before_the_header(tmp_path, note, end):
    found = errors(folder(tmp_path, table(HEADER, line(access="Public"), header=note, end=end)))
    assert [number for number, _ in found] == [1, 3]
    assert "stands before the header" in found[0][1] and "did you mean 'public'?" in found[1][1]


def test_semicolons_below_such_a_note_are_named_in_their_line(tmp_path):
    inventory = table(HEADER.replace(",", ";"), line(separator=";", effective_from="2024-02-30"), header="sep=;")
    found = errors(folder(tmp_path, inventory))
    assert [(number, "separated by semicolons" in text) for number, text in found] == [(2, True), (3, False)]  # saved anew, it has no note


def test_a_blank_at_the_end_of_a_name_can_be_seen(tmp_path):
    ((number, text),) = errors(folder(tmp_path, table(line(file=" documents/a.md"))))
    assert number == 2 and "' documents/a.md': there is no such file — did you mean documents/a.md?" in text


def test_a_thousand_wrong_names_take_no_minute(tmp_path, monkeypatch):
    compared = []
    monkeypatch.setattr("labkit.textfiles.get_close_matches", lambda word, known, n: compared.extend(known) or [])
    listed = []
    monkeypatch.setattr("labkit.collection._names", lambda where: listed.append(where) or os.listdir(where))
    files = {f"documents/d{number}.md": b"# D\n" for number in range(400)}
    rows = [line(file=f"documents/x{number}.md", doc_id=f"d{number}") for number in range(400)]
    found = errors(folder(tmp_path, table(*rows), files))
    assert [number for number, _ in found] == list(range(2, 402))
    assert all("there is no such file" in text for _, text in found)
    assert 0 < len(compared) < 60_000 and listed == [tmp_path / "documents"]


def test_a_warning_takes_no_document_away(tmp_path):
    (found,) = load_inventory(folder(tmp_path, table(line(format="html"))))
    assert found.format == "html" and [fault.level for fault in check_inventory(tmp_path)] == ["warning", "warning", "warning"]


@pytest.mark.parametrize("content", [b"", b" \n", b"\xff\xfe\x00", "Déjà".encode("latin-1")])
def test_a_file_that_nobody_can_read_stops_only_who_opens_it(tmp_path, content):
    root = folder(tmp_path, table(line(), line(**OTHER)), FILES | {"documents/a.md": content})
    with pytest.raises(InventoryError):
        load_inventory(root)
    assert [each.doc_id for each in load_for_reading(root)] == ["a", "b"]


@pytest.mark.parametrize("wrong", [{"access": "stuff"}, {"file": "documents/x.md"}, {"file": "../a.md"}, {"effective_from": "2024-13-01"}])
def test_a_table_that_cannot_be_trusted_stops_everybody(tmp_path, wrong):
    with pytest.raises(InventoryError):
        load_for_reading(folder(tmp_path, table(line(**wrong), line(**OTHER))))
