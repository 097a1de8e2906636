"""Windows of words, and the one long text (lesson 07)."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parsed_documents import by_hand, markdowns, parsed_markdown

from labkit.chunking import LongWindow, Mixture, fixed, mixture, one_long_text, overlapping
from labkit.errors import BadArgument


def text_of(number: int) -> str:
    return " ".join(f"w{place}" for place in range(number))


# (words of the text, size, overlap) -> (windows, words stored)
COUNTS = [
    (484, 100, 25, 7, 634),  # the warranty policy of the exercise
    (476, 100, 25, 7, 626),
    (475, 100, 25, 6, 600),
    (500, 100, 25, 7, 650),
    (484, 100, 0, 5, 484),
    (10, 8, 4, 2, 14),  # a third window would lie inside the second
    (8, 8, 4, 1, 8),
    (9, 8, 4, 2, 13),
    (12, 8, 4, 2, 16),
    (13, 8, 4, 3, 21),
    (3, 100, 25, 1, 3),
    (1, 1, 0, 1, 1),
    (5, 1, 0, 5, 5),
    (5, 2, 1, 4, 8),
    (5, 5, 4, 1, 5),
    (6, 5, 4, 2, 10),
    (0, 100, 25, 0, 0),
]


@pytest.mark.parametrize(("number", "size", "overlap", "windows", "stored"), COUNTS)
def test_how_many_windows_and_words(number, size, overlap, windows, stored):
    chunks = overlapping(parsed_markdown(text_of(number)), size, overlap)
    assert (len(chunks), sum(chunk.words for chunk in chunks)) == (windows, stored)


@pytest.mark.parametrize(
    ("number", "size", "sizes"), [(484, 100, [100] * 4 + [84]), (200, 100, [100, 100]), (7, 3, [3, 3, 1]), (2, 3, [2])]
)
def test_the_last_fixed_window_may_be_shorter(number, size, sizes):
    assert [chunk.words for chunk in fixed(parsed_markdown(text_of(number)), size)] == sizes


def test_a_window_keeps_the_text_between_its_words_and_no_context():
    first, second = fixed(parsed_markdown("# Returns  policy\r\n\r\n| a | b |\r\n|---|---|\r\n", title="Returns policy"), 5)
    assert (first.text, second.text) == ("# Returns  policy\r\n\r\n| a", "| b |\r\n|---|---|")
    assert first.context == second.context == "" and first.passage == first.text
    assert not first.over_limit


def test_front_matter_is_in_no_window_and_the_title_line_is():
    (chunk,) = fixed(parsed_markdown("---\nowner: Grace\n---\n# T\n\nx\n"))
    assert chunk.text == "# T\n\nx"


def test_the_defaults_are_the_courses():
    parsed = parsed_markdown(text_of(1000))
    assert fixed(parsed) == fixed(parsed, size=100)
    assert overlapping(parsed) == overlapping(parsed, size=100, overlap=25)


@pytest.mark.parametrize("size", [0, -1, True, False, 100.0, float("nan"), "100", None, np.float64(5)])
def test_a_size_that_is_no_number_of_words(size):
    parsed = parsed_markdown("x")
    for cut in (lambda: fixed(parsed, size), lambda: one_long_text([parsed], size)):
        with pytest.raises(ValueError, match=re.escape(f"size={size!r}")) as caught:
            cut()
        assert isinstance(caught.value, BadArgument)


BAD = [(100, 100), (100, 101), (1, 1), (0, 0), (0, 25), (-1, -2), (-100, 25), (100, -1), (True, 0), (100, True), (100, False), (100.0, 25)]


@pytest.mark.parametrize(("size", "overlap"), [*BAD, (100, 25.0), ("100", 25), (100, None), (8, "4")])
def test_an_overlap_that_does_not_fit_names_both_numbers(size, overlap):
    for text in ("", "x"):
        with pytest.raises(ValueError, match=re.escape(f"size={size!r}, overlap={overlap!r}")) as caught:
            overlapping(parsed_markdown(text), size, overlap)
        assert isinstance(caught.value, BadArgument)


def test_numpys_whole_numbers_are_whole_numbers():
    parsed = parsed_markdown(text_of(30))
    assert overlapping(parsed, np.int64(8), np.int32(4)) == overlapping(parsed, 8, 4)
    assert fixed(parsed, np.int64(8)) == fixed(parsed, 8)


# Laws


@given(markdown=markdowns, size=st.integers(1, 40))
@settings(max_examples=100, deadline=None)
def test_fixed_windows_partition_the_bodys_words(markdown, size):
    parsed = parsed_markdown(markdown)
    windows = [chunk.text.split() for chunk in fixed(parsed, size)]
    assert [word for window in windows for word in window] == parsed.text[parsed.body :].split()
    assert all(len(window) == size for window in windows[:-1])


@given(markdown=markdowns, size=st.integers(1, 40), share=st.floats(0, 1, exclude_max=True))
@settings(max_examples=100, deadline=None)
def test_overlap_repeats_exactly_that_many_words_and_no_window_lies_inside_another(markdown, size, share):
    parsed, overlap = parsed_markdown(markdown), int(size * share)
    chunks = overlapping(parsed, size, overlap)
    windows = [chunk.text.split() for chunk in chunks]
    body = parsed.text[parsed.body :].split()
    assert windows[:1] == ([body[:size]] if body else [])
    joined = body[:size]
    for before, after in pairwise(windows):
        assert len(before) == size
        assert after[:overlap] == before[size - overlap :]
        assert len(after) > overlap
        joined += after[overlap:]
    assert joined == body
    assert all(a.start < b.start and a.end < b.end for a, b in pairwise(chunks))


# One long text


def document(name: str, words: int, access: str = "public"):
    return parsed_markdown(text_of(words), doc_id=name, version="2", access=access)


def test_one_long_text_mixes_documents_and_labels():
    windows = one_long_text([document("a", 5), document("b", 3), document("c", 4, "staff")], size=4)
    assert windows == [
        LongWindow(0, "w0 w1 w2 w3", ("a@v2",), ("public",)),
        LongWindow(1, "w4\n\nw0 w1 w2", ("a@v2", "b@v2"), ("public",)),
        LongWindow(2, "w0 w1 w2 w3", ("c@v2",), ("staff",)),
    ]
    assert mixture(windows) == Mixture(windows=3, mixed_documents=1, mixed_access=0)


@pytest.mark.parametrize(
    ("sizes", "size", "counted"),
    [
        ([], 4, (0, 0, 0)),
        ([(0, "public")], 4, (0, 0, 0)),
        ([(2, "public"), (0, "staff"), (2, "public")], 4, (1, 1, 0)),
        ([(2, "public"), (1, "staff"), (2, "public")], 5, (1, 1, 1)),
        ([(3, "public"), (3, "staff")], 3, (2, 0, 0)),
        ([(3, "public"), (3, "staff")], 4, (2, 1, 1)),
        ([(1, "staff"), (1, "staff"), (1, "staff")], 1, (3, 0, 0)),
    ],
)
def test_how_mixed(sizes, size, counted):
    documents = [document(f"d{number}", words, access) for number, (words, access) in enumerate(sizes)]
    assert mixture(one_long_text(documents, size)) == counted


@given(st.lists(st.tuples(st.integers(0, 12), st.sampled_from(["public", "staff"])), max_size=6), st.integers(1, 9))
@settings(deadline=None)
def test_one_long_text_holds_every_word_once(sizes, size):
    documents = [document(f"d{number}", words, access) for number, (words, access) in enumerate(sizes)]
    windows = one_long_text(iter(documents), size)
    assert [word for window in windows for word in window.text.split()] == [f"w{n}" for words, _ in sizes for n in range(words)]
    assert all(window.words == size for window in windows[:-1])
    for window in windows:
        labels = {parsed.access for parsed in documents if f"{parsed.doc_id}@v2" in window.documents}
        assert set(window.access) == labels


def test_what_is_no_parsed_document_is_refused():
    with pytest.raises(BadArgument, match="str"):
        one_long_text([by_hand(("paragraph", "x")), "text"])
