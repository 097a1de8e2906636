"""The printed Code and its form after MinerU: made from the same source, the same bytes each time, and read back whole."""

from __future__ import annotations

import importlib
import json
import re
import sys
import unicodedata
from collections import Counter
from functools import cache

import pytest

from labkit.collection import load_inventory
from labkit.course import course_folder
from labkit.embedding.models import load_embedder
from labkit.hierarchy import children_of, parents
from labkit.parsing.pdf import read_pdf
from labkit.parsing.reading import parse

NORTHMARK = course_folder() / "corpus" / "northmark"
sys.path.insert(0, str(NORTHMARK / "sources"))  # the scripts there import one another
code_text = importlib.import_module("code_text")
make_code = importlib.import_module("make_code")
sys.path.pop(0)

PDF = NORTHMARK / "print" / "consumer-code.pdf"
CODE = parse(load_inventory(NORTHMARK)[0])
ENTRIES = json.loads((NORTHMARK / "mineru" / "consumer-code_content_list.json").read_text(encoding="utf-8"))
BLOCKS = code_text.blocks_of(CODE.text)


@cache
def made():
    return make_code.made()


@cache
def printed():
    return read_pdf(PDF, doc_id="consumer-code")


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())


# --- what makes them ------------------------------------------------------------------------------------------------------------


def test_each_file_is_what_its_source_gives():
    for name, content in made().items():
        assert (NORTHMARK / name).read_bytes() == content, "run: python corpus/northmark/sources/make_code.py"


def test_the_same_bytes_whatever_the_build_system_says(monkeypatch):
    blocks = BLOCKS[:12]
    first = make_code.set_pages(blocks).content
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert make_code.set_pages(blocks).content == first


def test_nothing_is_written_by_check(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(make_code, "made", lambda parts: {"print/a.pdf": b"new"})
    assert make_code.main(["--check"], tmp_path, tmp_path) == 1 and not list(tmp_path.iterdir())
    assert make_code.main([], tmp_path, tmp_path) == 0 and (tmp_path / "print/a.pdf").read_bytes() == b"new"
    assert make_code.main(["--check"], tmp_path, tmp_path) == 0
    assert "make_code.py" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    ["# A\n\n#### deep", "# A\n\n> quoted", "# A\n\n1. one", "# A\n\ntwo\nlines", "# A\n\n| a | b |\n| c | d |", "# A\n\n```",
     "# A\n\n* star", "# A\n\n| a | b |\n| --- | --- |\n| c |"],
)  # fmt: skip
def test_what_cannot_be_set_is_refused(text):
    with pytest.raises(code_text.SourceFault, match=r"line [35]:"):
        code_text.blocks_of(text)


def test_a_mark_without_a_note_is_refused(tmp_path):
    (tmp_path / "part-01.md").write_text("# Part 1 A\n\n## Article 1 B\n\nText.[^x]\n", encoding="utf-8")
    (tmp_path / "annex.md").write_text("# Annex B Former texts\n\nIntro.\n\n# Annex C Index of terms\n\n- x\n", encoding="utf-8")
    with pytest.raises(code_text.SourceFault, match="footnotes"):
        code_text.code_markdown(tmp_path)


def test_the_blocks_are_those_that_labkit_reads():
    assert len([block for block in BLOCKS if block.kind == "heading"]) == len([block for block in CODE.blocks if block.kind == "heading"])
    assert [[list(row) for row in block.rows] for block in BLOCKS if block.kind == "table"] == [
        block.rows for block in CODE.blocks if block.kind == "table"
    ]
    assert len(BLOCKS) == len(CODE.blocks)


# --- the PDF, through labkit's reader -------------------------------------------------------------------------------------------


def headings(parsed):
    return [block for block in parsed.blocks if block.kind == "heading" and block.heading_path[0] != "Contents"]


def test_its_pages():
    parsed = printed()
    assert parsed.problems == [] and 60 <= len(parsed.pages) <= 75
    assert [page.label for page in parsed.pages] == ["", *(str(number) for number in range(2, len(parsed.pages) + 1))]
    content = PDF.read_bytes()
    fonts = set(re.findall(rb"/BaseFont /([\w-]+)", content))
    assert fonts <= {b"Helvetica", b"Helvetica-Bold", b"Times-Roman", b"Times-Bold", b"Times-Italic", b"Times-BoldItalic", b"Symbol"}
    assert b"/FontFile" not in content and b"/FlateDecode" not in content


def test_its_headings_are_those_of_the_markdown_with_their_pages():
    assert printed().title == CODE.title
    assert [block.heading_path for block in headings(printed())] == [block.heading_path for block in headings(CODE)]
    pages = [block.page for block in headings(printed())]
    assert pages == sorted(pages)
    contents = [block.text for block in printed().blocks if block.kind != "heading" and block.heading_path == ["Contents"]]
    told = [(re.match(r"(.+?) ?\.{3,}", line)[1], int(line.split(".")[-1])) for line in contents]
    assert told == [(block.heading_path[-1], block.page) for block in headings(printed()) if len(block.heading_path) < 3]


def test_its_tables_keep_their_rows():
    tables = [block for block in printed().blocks if block.kind == "table" and block.heading_path[0].startswith("Part")]
    expected = [block for block in CODE.blocks if block.kind == "table"]
    assert [(block.heading_path, block.rows) for block in tables] == [(block.heading_path, block.rows) for block in expected]
    assert not any(block.continues for block in tables)


def is_note(text: str) -> bool:
    return re.match(r"(?:\d{1,2}|[⁰¹²³⁴⁵⁶⁷⁸⁹]+) ?[A-Z]", text) is not None


def test_each_section_says_the_same_footnotes_apart():
    """A footnote stands at the foot of its page, where another Article may have begun. The index of terms is judged by its words alone."""
    for path in {tuple(block.heading_path) for block in headings(CODE)}:
        told, wanted = (
            [word for block in parsed.blocks if tuple(block.heading_path) == path and block.kind != "heading" and not is_note(block.text)
             for word in words(block.text if not block.rows else " ".join(" ".join(row) for row in block.rows))]
            for parsed in (printed(), CODE)
        )  # fmt: skip
        if path[0].startswith("Annex C"):
            assert Counter(told) == Counter(wanted)
        else:
            assert [re.sub(r"(?<=[a-z])\d+$", "", word) for word in told] == [re.sub(r"(?<=[a-z])\d+$", "", word) for word in wanted], path


def test_no_footnote_stands_in_a_sentence_and_no_head_in_the_prose():
    notes = [block for block in BLOCKS if block.kind == "note"]
    found = [block for block in printed().blocks if block.kind == "paragraph" and is_note(block.text)]
    assert [words(block.text)[1:] for block in found] == [words(note.text) for note in notes]
    for block in printed().blocks:
        assert block.kind == "title" or CODE.title not in block.text
        assert not re.fullmatch(r"\d+", block.text)


# --- what MinerU would hand over ------------------------------------------------------------------------------------------------


def test_the_content_list_has_its_fields():
    fields = {
        "text": {"type", "text", "bbox", "page_idx"}, "list": {"type", "sub_type", "list_items", "bbox", "page_idx"},
        "table": {"type", "img_path", "table_caption", "table_footnote", "table_body", "bbox", "page_idx"},
        "header": {"type", "text", "bbox", "page_idx"}, "page_number": {"type", "text", "bbox", "page_idx"},
        "page_footnote": {"type", "text", "bbox", "page_idx"},
    }  # fmt: skip
    for entry in ENTRIES:
        assert set(entry) - {"text_level"} == fields[entry["type"]]
        left, top, right, bottom = entry["bbox"]
        assert 0 <= left < right <= 1000 and 0 <= top < bottom <= 1000
    assert [entry["page_idx"] for entry in ENTRIES] == sorted(entry["page_idx"] for entry in ENTRIES)
    assert {entry["page_idx"] for entry in ENTRIES} == set(range(len(printed().pages)))


def test_the_content_list_holds_every_heading_on_its_page():
    told = [(entry["text"], entry["page_idx"] + 1) for entry in ENTRIES if entry.get("text_level")]
    wanted = [(block.heading_path[-1], block.page) for block in printed().blocks if block.kind == "heading"]
    assert told == [(CODE.title, 1), *wanted]
    levels = re.findall(r"^(#+) (.+)$", (NORTHMARK / "mineru" / "consumer-code.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert [(len(marks), text) for marks, text in levels if text not in (CODE.title, "Contents")] == [
        (block.level, block.text.lstrip("# ")) for block in headings(CODE)
    ]


def test_the_content_list_says_what_the_code_says():
    told: list[str] = []
    for entry in ENTRIES:
        if entry["type"] in ("text", "list", "page_footnote") and not str(entry.get("list_items", "")).count("....."):
            told += words(" ".join(entry.get("list_items", [entry.get("text", "")])))
        elif entry["type"] == "table":
            told += words(re.sub(r"<[^>]+>", " ", entry["table_body"]))
    wanted = words(re.sub(r"^\|[-| ]+\|$", "", CODE.text, flags=re.MULTILINE))
    assert Counter(told) - Counter(wanted) == Counter({"contents": 1}) and Counter(wanted) - Counter(told) == Counter()


def test_cut_from_either_it_is_nearly_the_same_children():
    """docs/long-documents.md says how its counts, which are the PDF's, come to differ from lesson 11's."""
    embedder = load_embedder()
    made = [children_of(parents(parsed), embedder) for parsed in (printed(), CODE)]
    of_pdf, of_markdown = (Counter(" › ".join(child.heading_path) for each in one for child in each) for one in made)
    assert 20 <= of_pdf.pop("Contents") <= 30
    assert of_pdf.keys() == of_markdown.keys()
    assert 0 < sum(of_pdf[path] != of_markdown[path] for path in of_pdf) <= 6
