"""Many documents at once: the same results as one by one, on all cores, kept by content."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pdf_making import by_hand, drawn, lines, text_stream, write

from labkit.collection import load_inventory
from labkit.errors import BadArgument
from labkit.parsing import many
from labkit.parsing.many import parse_many, progress_line
from labkit.parsing.reading import parse


def long_pdf(pages=70) -> bytes:
    def page(number):
        def draw(paper):
            write(paper, 60, 40, "A long code of many pages", 8)
            write(paper, 60, 90, f"Article {number}", 14, "Helvetica-Bold")
            lines(f"What article {number} says is short, but it says it, and the last sentence of it", "goes on", top=120)(paper)
            write(paper, 280, 800, str(number), 8)

        return draw

    return drawn(*(page(number) for number in range(1, pages + 1)))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "long.pdf").write_bytes(long_pdf())
    (tmp_path / "short.pdf").write_bytes(by_hand([text_stream("A short one.")]))
    (tmp_path / "empty.pdf").write_bytes(b"")
    (tmp_path / "note.md").write_text("# Note\n\nA *note*.\n", "utf-8", newline="")
    (tmp_path / "page.html").write_text("<h1>Page</h1><p>A page.</p>", "utf-8", newline="")
    return tmp_path


NAMES = ["note.md", "long.pdf", "empty.pdf", "page.html", "missing.pdf", "short.pdf"]


@pytest.mark.parametrize("processes", [1, 2])
def test_the_same_as_one_by_one_the_broken_ones_named_and_progress_to_the_end(folder, processes):
    seen = []
    read = parse_many([folder / name for name in NAMES], processes=processes, progress=lambda done, whole: seen.append((done, whole)))
    assert {whole for _, whole in seen} == {73}
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[0][0] == 0 and seen[-1] == (73, 73)
    assert len(seen) > 5
    assert read.documents == [parse(folder / name) for name in NAMES if name not in ("empty.pdf", "missing.pdf")]
    assert [Path(unread.source).name for unread in read.unread] == ["empty.pdf", "missing.pdf"]
    assert "empty" in str(read.unread[0].error)
    assert read.from_cache == 0


def test_a_progress_line(capsys):
    show = progress_line()
    show(0, 1000)
    show(1000, 1000)
    assert capsys.readouterr().err == "\r0 of 1,000 pages read\r1,000 of 1,000 pages read\n"


def test_the_second_time_nothing_is_read(folder, monkeypatch):
    paths = [folder / name for name in NAMES]
    first = parse_many(paths, processes=1, cache=folder / "cache")
    monkeypatch.setattr(many, "parse", lambda source: pytest.fail(f"{source} was read again"))
    second = parse_many(paths, processes=1, cache=folder / "cache")
    assert second.documents == first.documents
    assert second.from_cache == 4
    assert not list((folder / "cache").glob(".*"))


def test_another_content_another_label_another_reader_is_read_anew(folder, monkeypatch):
    cache = folder / "cache"
    note = folder / "note.md"
    parse_many([note], cache=cache)
    note.write_text("# Note\n\nAnother note.\n", "utf-8", newline="")
    assert parse_many([note], cache=cache).from_cache == 0
    renamed = note.rename(folder / "other.md")
    assert parse_many([renamed], cache=cache).documents[0].doc_id == "other"
    assert parse_many([renamed], cache=cache).from_cache == 1
    monkeypatch.setattr(many, "_reader_version", lambda: "another")
    assert parse_many([renamed], cache=cache).from_cache == 0


@pytest.mark.parametrize(
    "harm", [lambda b: b"", lambda b: b[:-9], lambda b: b.replace(b"note", b"nota"), lambda b: b"\xff" * 90, lambda b: b.split(b"\n", 1)[1]]
)
def test_a_damaged_entry_is_as_good_as_none(folder, harm):
    first = parse_many([folder / "note.md"], cache=folder / "cache")
    (entry,) = (folder / "cache").iterdir()
    entry.write_bytes(harm(entry.read_bytes()))
    again = parse_many([folder / "note.md"], cache=folder / "cache")
    assert again.documents == first.documents and again.from_cache == 0
    assert parse_many([folder / "note.md"], cache=folder / "cache").from_cache == 1


def test_an_entry_of_a_wrong_shape_is_as_good_as_none(folder):
    import hashlib

    first = parse_many([folder / "note.md"], cache=folder / "cache")
    (entry,) = (folder / "cache").iterdir()
    for shape in ([], {"doc_id": 3}, {**json.loads(entry.read_bytes().split(b"\n", 1)[1]), "text": "cut"}):
        body = json.dumps(shape).encode()
        entry.write_bytes(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        assert parse_many([folder / "note.md"], cache=folder / "cache").documents == first.documents


def test_a_cache_that_cannot_be_written_to_is_done_without(folder):
    (folder / "cache").mkdir()
    (folder / "cache").chmod(0o500)
    try:
        assert len(parse_many([folder / "note.md"], cache=folder / "cache").documents) == 1
        assert len(parse_many([folder / "note.md"], cache="/proc/nowhere/at/all").documents) == 1
    finally:
        (folder / "cache").chmod(0o700)


def test_bad_arguments(folder):
    with pytest.raises(BadArgument, match="processes is 0"):
        parse_many([], processes=0)
    with pytest.raises(BadArgument, match="is a file"):
        parse_many([], cache=folder / "note.md")


def test_the_collection():
    documents = load_inventory()
    read = parse_many(documents, processes=1)
    assert read.documents == [parse(document) for document in documents] and not read.unread


def test_a_script_without_a_guard_is_not_run_again(folder):
    script = folder / "script.py"
    script.write_text(
        "import sys\nprint('begun')\nfrom labkit.parsing.many import parse_many\n"
        "print(len(parse_many([sys.argv[1]], processes=2).documents[0].pages))\n", "utf-8",
    )  # fmt: skip
    run = subprocess.run([sys.executable, script, folder / "long.pdf"], capture_output=True, text=True, check=False, timeout=60)
    assert (run.stdout, run.stderr) == ("begun\n70\n", "")


def test_a_process_that_dies_takes_nothing_with_it(folder, monkeypatch):
    monkeypatch.setattr(many, "_range_of", _die)
    read = parse_many([folder / "long.pdf", folder / "note.md"], processes=2)
    assert [document.doc_id for document in read.documents] == ["long", "note"]


def _die(*_):
    os._exit(3)
