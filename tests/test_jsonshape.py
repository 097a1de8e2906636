"""The short answer about a question's shape is the full validator's answer, without the second that the validator takes to come."""

import copy
import subprocess
import sys

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.jsonshape import fits
from labkit.questions import schema

QUESTION = {
    "id": "Q01", "question": "How long?", "language": "en", "kind": "answerable", "as_of": "2024-06-01", "public_ok": True,
    "abstain": False, "reference_answer": "30 days.", "keys": ["30 days"], "must_not": [], "tags": ["a", "a"], "notes": "",
    "relevant": [{"doc_id": "returns", "version": "2", "section": "Windows", "access": "public", "quote": "30 days"}],
    "wrong_version": [{"doc_id": "returns", "version": "1"}],
}  # fmt: skip
VALIDATOR = jsonschema.Draft202012Validator(schema())
ODD = [
    None, True, False, 0, 1, 1.0, "", " ", "x", "a b", "public", "fr-CA", "français", [], ["x"], ["x", "x"], [""], [1], {}, {"doc_id": "x"},
    [{}], [{"doc_id": "returns", "version": "1"}] * 2, QUESTION["relevant"] * 2,
]  # fmt: skip


def places(value, path=()):
    """The path of each value inside a JSON value."""
    yield path
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places(value[key], (*path, key))


def changed(value, path, new, remove):
    """A copy with another value at the path, or nothing there."""
    if not path:
        return new
    copied = copy.deepcopy(value)
    inside = copied
    for key in path[:-1]:
        inside = inside[key]
    if remove:
        del inside[path[-1]]
    else:
        inside[path[-1]] = new
    return copied


CHANGES = st.tuples(st.sampled_from(list(places(QUESTION))), st.sampled_from(ODD), st.booleans())


def test_a_sound_question_fits():
    assert fits(QUESTION, schema()) and VALIDATOR.is_valid(QUESTION)


@pytest.mark.parametrize("path", list(places(QUESTION)), ids=str)
def test_one_change_at_each_place(path):
    for new in ODD:
        for remove in (False, True):
            question = changed(QUESTION, path, new, remove)
            assert fits(question, schema()) == VALIDATOR.is_valid(question), question


@given(st.lists(CHANGES, min_size=2, max_size=4))
def test_several_changes(changes):
    question = QUESTION
    for path, new, remove in changes:
        try:
            question = changed(question, path, new, remove)
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took the place away
    assert fits(question, schema()) == VALIDATOR.is_valid(question)


@pytest.mark.parametrize(
    "unknown",
    [
        {"not": {}}, {"type": "number"}, {"type": ["string"]}, {"enum": [1]}, {"additionalProperties": {}}, {"$ref": "other.json"},
        {"if": {"minimum": 1}, "then": {}, "else": {}}, {"properties": {"a": {"oneOf": []}}},
    ],
)  # fmt: skip
def test_a_schema_that_says_more_is_never_said_to_fit(unknown):
    assert not fits({"a": 1}, unknown)


def test_sound_questions_do_not_wait_for_the_validator():
    code = "import sys, labkit; labkit.load_questions(); print('jsonschema' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
