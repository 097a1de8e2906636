"""`parse`: one door for every format; what it says of files that it cannot read; what `labkit parse` shows (lesson 06)."""

import json
import os

import pytest
from typer.testing import CliRunner

from labkit.cli import app
from labkit.collection import HEADER, load_inventory
from labkit.errors import BadArgument, DocumentError
from labkit.parsing.blocks import Block, ParsedDocument
from labkit.parsing.headings import HeadingPath
from labkit.parsing.reading import READERS, parse


@pytest.fixture
def put(tmp_path, monkeypatch):
    """Writes a file into an empty folder that is the current one."""
    monkeypatch.chdir(tmp_path)

    def write(name, content="# A title\n\ntext\n"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize(
    ("name", "content", "doc_id", "title", "format"),
    [
        ("Returns Policy.v3.md", "# A *title*\n", "returns-policy-v3", "A title", "md"),
        ("notes.markdown", "no title\n", "notes", "notes.markdown", "md"),
        ("NOTES.MD", "## A\n\ntext", "notes", "NOTES.MD", "md"),
        ("été.html", "<title>W</title><h1>A title</h1>", "été", "A title", "html"),
        ("a.htm", "<title>W</title><p>x", "a", "W", "html"),
        ("b.xhtml", "<p>x</p>", "b", "b.xhtml", "html"),
        ("chat.txt", "plain words\n", "chat", "chat.txt", "md"),
        ("__.md", "x", "untitled", "__.md", "md"),
    ],
)
def test_a_bare_path(put, name, content, doc_id, title, format):
    path = put(name, content)
    parsed = parse(path)
    assert (parsed.doc_id, parsed.title, parsed.format) == (doc_id, title, format)
    assert (parsed.version, parsed.access, parsed.language, parsed.problems) == ("1", "staff", "unknown", [])
    assert parse(str(path)) == parse(name) == parsed


def test_a_document_brings_its_labels(put, tmp_path):
    (tmp_path / "documents").mkdir()
    put("documents/a.md", b"\xef\xbb\xbf# Own title\r\n\r\n## One\r\n")
    put("documents/b.html", "<h1>Own title</h1><h2>One</h2>")
    rows = ["a.md,a,Given,2,2024-01-01,,Grace,public,fr,policy,md", "b.html,b,Given,3,2024-01-01,,Grace,staff,en,page,html"]
    put("inventory.csv", "\n".join([HEADER, *(f"documents/{row}" for row in rows)]))
    a, b = (parse(document) for document in load_inventory(tmp_path))
    assert (a.doc_id, a.title, a.version, a.access, a.language, a.format) == ("a", "Given", "2", "public", "fr", "md")
    assert (b.doc_id, b.title, b.version, b.access, b.language, b.format) == ("b", "Given", "3", "staff", "en", "html")
    assert a.text == "# Own title\r\n\r\n## One\r\n" and [s.name for s in a.sections] == [s.name for s in b.sections] == ["One"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.rtf", "x", "a.rtf: its name does not say a format that labkit reads (.md .markdown .html .htm .xhtml .pdf .txt .text) — "),
        ("a", "x", "a: its name does not say a format"),
        ("a.md", "", "a.md: the file is empty — "),
        ("a.md", b"\xef\xbb\xbf \r\n", "a.md: the file is empty — "),
        ("a.html", "\n", "a.html: the file is empty — "),
        ("a.md", b"ok\n\xe9t\xe9", "a.md: byte 1 of line 2 (0xE9) is not UTF-8 — save it as UTF-8"),
        ("a.md", "# x".encode("utf-16"), "a.md: is UTF-16, not UTF-8 — save it as UTF-8"),
    ],
)
def test_what_cannot_be_read(put, name, content, said):
    put(name, content)
    with pytest.raises(DocumentError) as caught:
        parse(name)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize("name", ["gone.md", "gone", "gone.html", "gone.pdf", "no/folder.md"])
def test_what_is_missing(put, name):
    with pytest.raises(DocumentError, match="no such file"):
        parse(name)


@pytest.mark.parametrize("name", ["folder.md", "folder", "folder.html"])
def test_a_folder(put, tmp_path, name):
    (tmp_path / name).mkdir()
    with pytest.raises(DocumentError, match="a folder — name a file"):
        parse(name)


def test_a_pipe_is_not_waited_for(put, tmp_path):
    make = getattr(os, "mkfifo", os.mkdir)  # Windows has no pipe that has a name in a folder
    make(tmp_path / "pipe.md")
    with pytest.raises(DocumentError, match=r"(not a plain file|a folder) — name a file"):
        parse("pipe.md")


def test_each_format_of_an_inventory_has_its_reader():
    assert list(READERS) == ["md", "html", "pdf"]


def test_levels_left_out_leave_no_gap():
    path = HeadingPath()
    assert path.here() == []
    assert [path.enter(level, name) for level, name in [(1, "a"), (3, "b"), (2, "c"), (6, "d"), (6, "e"), (1, "f")]] == [
        ["a"], ["a", "b"], ["a", "c"], ["a", "c", "d"], ["a", "c", "e"], ["f"],
    ]  # fmt: skip


def test_a_block_out_of_place_is_refused():
    labels = {"doc_id": "x", "title": "", "version": "1", "access": "staff", "language": "en", "format": "md"}
    ParsedDocument(**labels, text="ab", blocks=[Block("paragraph", "a", 0, 1), Block("paragraph", "b", 1, 2)])
    for blocks in ([Block("paragraph", "b", 0, 1)], [Block("paragraph", "b", 1, 2), Block("paragraph", "a", 0, 1)]):
        with pytest.raises(BadArgument, match="out of place"):
            ParsedDocument(**labels, text="ab", blocks=blocks)


# --- the command ----------------------------------------------------------------------------------------------------------------


def labkit(*arguments):
    result = CliRunner().invoke(app, list(arguments), terminal_width=80)
    return result.exit_code, result.stdout, result.stderr


def test_the_command_shows_blocks(put):
    put("a.html", "<h1>A title</h1><h2>One</h2><p>some text<ul><li>an item</ul><table><tr><td>x<td>y<tr><td>z</table>")
    code, out, err = labkit("parse", "a.html")
    assert (code, err) == (0, "")
    assert out.startswith("A title\nhtml: 5 blocks, 1 section, 10 words\n")
    for shown in ("title", "heading 2", "paragraph", "list item 1", "table 2 × 2", "14–23", "some text", "x y"):
        assert shown in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_rows_of_its_tables_can_be_copied_as_quotes(put):
    long = "a cell of many words " * 9
    put("a.html", f"<h2>One</h2><p>text<table><tr><td>x<td>y<tr><td>{long}<td>5&nbsp;kg</table>")
    code, out, err = labkit("parse", "a.html", "--rows")
    assert (code, err) == (0, "")
    parsed = parse("a.html")
    (block,) = (block for block in parsed.blocks if block.kind == "table")
    first, *lines = out.rstrip("\n").split("\n")
    assert first == "One" and [line.removeprefix('quote: "')[:-1].replace("&Tab;", "\t") for line in lines] == block.text.split("\n")
    put("b.md", "# T\n\nNo table.\n")
    assert labkit("parse", "b.md", "--rows") == (0, "No table was found in it.\n", "")


def test_the_command_says_what_could_not_be_read(put):
    put("a.html", b"<p>\xe9t\xe9")
    code, out, err = labkit("parse", "a.html")
    assert code == 1 and "été" in out
    assert err.startswith("a.html: the page declares no character set and is not UTF-8") and " — " in err
    put("b.html", "<script>x</script>")
    code, out, err = labkit("parse", "b.html")
    assert code == 1 and "0 blocks" in out and "b.html: the page has no text" in err


def test_the_command_prints_json(put):
    path = put("a.md", "---\nx: y\n---\n# A title\n\n## One\n\n| a | b |\n|-|-|\n| é |\n")
    code, out, err = labkit("parse", "a.md", "--json")
    told, parsed = json.loads(out), parse(path)
    assert (code, err) == (0, "") and "é" in out
    assert (told["doc_id"], told["title"], told["body"], told["problems"], told["pages"]) == ("a", "A title", 13, [], [])
    assert [(each["kind"], each["start"], each["text"], each["rows"]) for each in told["blocks"]] == [
        (block.kind, block.start, block.text, block.rows) for block in parsed.blocks
    ]
    assert told["sections"] == [{"name": "One", "title": "One", "start": 24, "end": len(parsed.text.rstrip())}]


@pytest.mark.parametrize(("name", "said"), [("gone.md", "there is no such file"), ("a.rtf", "does not say a format")])
def test_the_command_fails_in_plain_words(put, name, said):
    put("a.rtf", "x")
    code, out, err = labkit("parse", name)
    assert (code, out) == (1, "") and said in err and "Traceback" not in err
