"""Lesson 11's exercises against labkit itself: the headings above a text, children to parents, blocks to children."""

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_embedders import BagOfWords

from labkit.hierarchy.children import _joined
from labkit.hierarchy.units import Sizes, Unit
from labkit.lessons.content import northmark
from labkit.lessons.content.lesson_11 import BLOCKS, EXPAND, FOUND, HEADING_PATHS, PACK, RULES
from labkit.lessons.rules import PARTS, heading_faults
from labkit.retrieval.expanding import expand_to_parents
from labkit.retrieval.passage_search import KeywordSearch


def value(exercise, key, case):
    """What an exercise's function gives with this slip in it."""
    [slip] = [each for each in exercise.mistakes if each.key == key]
    return exercise.evaluate(slip.cell(exercise.solution))(*case)


def test_the_rules_of_a_library():
    scope, second = ["Part 1 Lending", "Scope"], ["Part 2 Rooms", "Scope"]
    assert HEADING_PATHS.reference(RULES) == [scope, ["Part 1 Lending", "Time", "Extensions"], ["Part 2 Rooms"], second]
    assert value(HEADING_PATHS, "first-of-that-name", (RULES,))[3] == scope
    assert value(HEADING_PATHS, "one-closed", (RULES,))[2] == ["Part 1 Lending", "Time", "Part 2 Rooms"]


def test_the_exercises_paths_are_labkits():
    blocks = northmark.code().blocks
    given_to = [(block.level if block.kind == "heading" else 0, block.text.lstrip("# ")) for block in blocks if block.kind != "title"]
    wanted = [block.heading_path for block in blocks if block.kind not in ("title", "heading")]
    assert HEADING_PATHS.reference(given_to) == wanted


def test_the_exercise_expands_as_labkit_does():
    children = northmark.code_children(BagOfWords())
    search = KeywordSearch(children)
    for question in northmark.questions("tune")[:20]:
        found = search(question.question, 15)
        wanted = [parent.id for parent in expand_to_parents(found, northmark.code_parents())]
        assert EXPAND.reference([(child.id, child.parent) for child in found]) == wanted
    assert EXPAND.reference(FOUND) == [2, 1, 3]


def test_parents_out_of_a_set_are_told_the_same_in_each_session():
    """A set of texts has another order each time Python starts, and would be right by luck in some of them."""
    assert all(isinstance(parent, int) for (found,) in EXPAND.cases for _, parent in found)
    [by_size] = [each for each in EXPAND.mistakes if each.key == "sorted"]
    for case in EXPAND.cases:
        assert list({parent for _, parent in case[0]}) == EXPAND.evaluate(by_size.cell(EXPAND.solution))(*case)


def labkits(blocks, threshold=0.40, minimum=800, maximum=1600):
    """labkit's own packing of such blocks, as the exercise gives it."""
    at, units = 0, []
    for characters, _ in blocks:
        units.append(Unit(at, at + characters, (), False))
        at += characters
    if not units:
        return []
    groups = _joined(units, [alike for _, alike in blocks[1:]], threshold, Sizes(minimum, maximum, 150))
    return [[units.index(unit) for unit in group] for group in groups]


@pytest.mark.parametrize("case", PACK.cases)
def test_the_exercise_packs_as_labkit_does(case, monkeypatch):
    monkeypatch.setitem(_joined.__globals__, "_borders_moved", lambda *_: None)  # step 4, which the exercise leaves out
    assert PACK.reference(*case) == labkits(*case)


LIKENESS = st.one_of(st.none(), st.sampled_from([0.1, 0.39, 0.40, 0.41, 0.9]))


@given(st.lists(st.tuples(st.integers(1, 1600), LIKENESS), max_size=12))
def test_packing_keeps_its_laws(blocks):
    blocks = [(characters, None if number == 0 else alike) for number, (characters, alike) in enumerate(blocks)]
    packed = PACK.reference(blocks)
    assert [number for child in packed for number in child] == list(range(len(blocks)))
    assert all(child for child in packed)
    assert all(sum(blocks[number][0] for number in child) <= 1600 for child in packed)


def test_the_first_case_of_packing():
    assert PACK.reference(BLOCKS) == [[0, 1, 2], [3, 4], [5], [6]]


def headings_of(*second: str):
    cells = ["# 11 · A title", *(f"## {name}" for name in second)]
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text) for text in cells])


@pytest.mark.parametrize("names", [["On Northmark"], ["On Northmark", "On Larkfield"], ["On Larkfield", "On Northmark: the tree"]])
def test_the_part_on_the_collection_has_two_names(names):
    before, after = PARTS[: PARTS.index("On Larkfield")], PARTS[PARTS.index("On Larkfield") + 1 :]
    assert heading_faults(headings_of(*before, *names, *after)) == []
    assert heading_faults(headings_of(*before, *after)) == ["missing parts: On Larkfield"]
    assert any("another order" in fault for fault in heading_faults(headings_of(*names, *before, *after)))
