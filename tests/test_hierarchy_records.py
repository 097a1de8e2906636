"""Parents and children as lines of text: read back equal, the same bytes each time, and a clear word where a line is none."""

import json

import pytest
from hypothesis import given, settings
from parsed_documents import by_hand, markdowns, parsed_markdown
from small_embedders import BagOfWords

from labkit.errors import BadArgument, LabError
from labkit.hierarchy import child_lines, children_of, children_of_lines, parent_lines, parents, parents_of_lines
from labkit.parsing.blocks import Page


def cut(parsed):
    made = parents(parsed)
    return made, [child for mine in children_of(made, BagOfWords(), 0.3, 40, 90, 10) for child in mine]


@given(markdowns)
@settings(max_examples=60, deadline=None)
def test_what_is_read_back_is_equal(text):
    made, children = cut(parsed_markdown(text))
    assert parents_of_lines(parent_lines(made)) == made
    assert children_of_lines(child_lines(children)) == children


PAGED = by_hand(
    ("heading", "Part", {"level": 1, "page": 1, "heading_path": ["Part"]}), ("paragraph", "Owt \u2028 or\u0085nowt.", {"page": 1}),
    ("table", "a b", {"page": 2, "rows": [["a", "b"]], "continues": True, "heading_path": ["Part"]}),
    title="Ünicode 😀", pages=[Page(1, "i", 0, 20), Page(2, "ii", 20, 30)],
)  # fmt: skip


def test_tables_pages_and_paths_come_back_and_lines_are_lines_to_everybody():
    made, children = cut(PAGED)
    text = parent_lines(made)
    (back,) = parents_of_lines(text)
    assert back == made[0] and back.blocks[-1].rows == [["a", "b"]] and back.pages == (1, 2) and back.blocks[-1].continues
    assert len(text.splitlines()) == len(made) and len(child_lines(children).splitlines()) == len(children)
    assert {type(each) for each in (back.pages, back.sections, back.blocks)} == {tuple} and isinstance(back.heading_path, list)


def test_order_and_nothing():
    made, children = cut(parsed_markdown("# T\n\n## A\n\none\n\n## B\n\ntwo\n"))
    assert parent_lines(reversed(made)) == parent_lines(made) and child_lines(reversed(children)) == child_lines(children)
    assert (parent_lines([]), child_lines([]), parents_of_lines(""), children_of_lines("\n \n")) == ("", "", [], [])
    assert [len(parents_of_lines(line)) for line in parent_lines(made).splitlines()] == [1, 1]


@pytest.mark.parametrize("write, said", [(parent_lines, "of a Parent"), (child_lines, "of a Child")])
def test_what_is_none_and_what_stands_twice(write, said):
    made, children = cut(parsed_markdown("# T\n\n## A\n\none\n"))
    wrong = children if write is parent_lines else made
    with pytest.raises(BadArgument, match=said):
        write(wrong)
    with pytest.raises(BadArgument, match="two of them have the id"):
        write((made if write is parent_lines else children) * 2)


def changed(**fields):
    made, _ = cut(parsed_markdown("# T\n\n## A\n\none\n"))
    return json.dumps(json.loads(parent_lines(made)) | fields)


@pytest.mark.parametrize(
    "line",
    ["{", "7", "[]", "{}", changed(text="other"), changed(more=1), changed(start=-1), changed(blocks=[{}]), changed(blocks=7),
     changed(blocks=[7])],
)  # fmt: skip
def test_a_line_that_is_no_parent_is_named(line):
    good, _ = cut(parsed_markdown("# T\n\n## B\n\ntwo\n"))
    with pytest.raises(LabError, match=r"^parents\.jsonl:3: is no parent \(.*have it made anew"):
        parents_of_lines(parent_lines(good) + "\n" + line + "\n", "parents.jsonl")
    with pytest.raises(LabError, match="is no child"):
        children_of_lines(parent_lines(good))
