"""One long code, three ways to its parents: its PDF by our reader, MinerU's list with its Markdown, its Markdown edition (lesson 11)."""

import re
from bisect import bisect_right
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path

import pytest
from small_embedders import BagOfWords

from labkit.collection import load_inventory
from labkit.hierarchy import children_counts, children_of, parents
from labkit.parsing.mineru import read_mineru
from labkit.parsing.pdf import read_pdf
from labkit.parsing.reading import parse

NORTHMARK = Path(__file__).resolve().parent.parent / "corpus" / "northmark"


@cache
def printed():
    return read_pdf(NORTHMARK / "print" / "consumer-code.pdf", doc_id="consumer-code", version="2026")


@cache
def by_mineru():
    folder = NORTHMARK / "mineru"
    return read_mineru(folder / "consumer-code_content_list.json", folder / "consumer-code.md", doc_id="consumer-code", version="2026")


@cache
def edition():
    return parse(load_inventory(NORTHMARK)[0])


def said(text: str) -> str:
    """A text without its blanks, and without what only the setting puts there: dots that lead to a page's number, bullets of a list."""
    return re.sub(r"\s|•|\.{5,}", "", text)


def test_the_pdf_and_mineru_give_the_same_parents():
    ours, theirs = parents(printed()), parents(by_mineru())
    assert len(ours) > 200 and not printed().problems and not by_mineru().problems
    assert [parent.heading_path for parent in ours] == [parent.heading_path for parent in theirs]
    assert [(parent.parent_id, said(parent.text)) for parent in ours] == [(parent.parent_id, said(parent.text)) for parent in theirs]
    assert printed().title == by_mineru().title == edition().title
    plain = [parent for parent in ours if not {"Contents", "Annex C Index of terms"} & set(parent.heading_path)]
    theirs_by_id = {parent.parent_id: parent for parent in theirs}
    assert all("".join(parent.text.split()) == "".join(theirs_by_id[parent.parent_id].text.split()) for parent in plain)


def test_both_put_each_block_on_the_same_page():
    assert all(1 <= block.page <= 70 for parsed in (printed(), by_mineru()) for block in parsed.blocks)
    for ours, theirs in zip(parents(printed()), parents(by_mineru()), strict=True):
        assert ours.pages == theirs.pages
        begins = list(accumulate((len(said(block.text)) for block in ours.blocks), initial=0))
        at = 0
        for block in theirs.blocks:
            assert ours.blocks[bisect_right(begins, at) - 1].page == block.page
            at += len(said(block.text))


def test_the_edition_in_markdown_has_the_same_tree():
    paths = [parent.heading_path for parent in parents(edition())]
    assert len(paths) == len({tuple(path) for path in paths})
    assert [parent.heading_path for parent in parents(by_mineru()) if parent.heading_path != ["Contents"]] == paths


@pytest.mark.parametrize("parsed", [printed, by_mineru, edition])
def test_children_of_the_whole_code(parsed):
    made = parents(parsed())
    for parent, mine in zip(made, children_of(made, BagOfWords()), strict=True):
        assert (mine[0].start, mine[-1].end) == (parent.start, parent.end)
        assert all(not parsed().text[before.end : after.start].strip() for before, after in pairwise(mine))
        for child in mine:
            assert child.text == parsed().text[child.start : child.end]
            assert len(child.text) <= 1600 or (child.type == "table" and child.over_limit)
            assert set(child.pages) <= set(parent.pages) and child.heading_path == parent.heading_path


def test_a_higher_threshold_makes_no_fewer_children_here():
    counts = [row["children"] for row in children_counts(parents(edition()), BagOfWords())]
    assert counts == sorted(counts) and counts[-1] > counts[0] > 200
