"""The exercise in which the learner writes tests: green today, red when something breaks, and nothing left behind but the file."""

from __future__ import annotations

import demo_lesson
import pytest

from labkit.errors import LabError
from labkit.lessons import lint, own_tests
from labkit.lessons.exercises import mistake
from labkit.lessons.own_tests import Mutant, TestsExercise, edit

STUB = """
from labkit import load_inventory, split_sections


def test_sections():
    ...


def test_titles():
    ...


lesson.check("own", [test_sections, test_titles])
"""
SOLUTION = """
from labkit import load_inventory, split_sections


def test_sections():
    # how many there are
    assert sum(len(split_sections(document)) for document in load_inventory()) == 1


def test_titles():
    assert [document.title for document in load_inventory()] == ["Tea"]


lesson.check(
    "own", [test_sections, test_titles]
)
"""
DOCUMENT = "corpus/larkfield/documents/tea.v1.md"
OWN = TestsExercise(
    "own",
    STUB,
    SOLUTION,
    file="tests/test_own.py",
    mutants=[
        Mutant("lost", edit(DOCUMENT, "## Water", "Water")),
        Mutant("renamed", edit("corpus/larkfield/inventory.csv", ",Tea,", ",Coffee,")),
    ],
    mistakes=[
        mistake("any-number", (") == 1", ") < 99"), survives=["lost"]),
        mistake("any-title", ('== ["Tea"]', ""), survives=["renamed"]),
        mistake("never-red", (") == 1", ") < 99"), ('== ["Tea"]', ""), survives=["lost", "renamed"]),
    ],
)
TEXTS = {
    "title": "Tests of your own",
    "correct": "{count} tests, {mutants} broken copies noticed.",
    "hints": ["What number should not change by itself?", "Compare it with ==."],
    "mistakes": {"any-number": "Any number passes.", "any-title": "Any title passes.", "never-red": "They can never turn red."},
    "mutants": {"lost": "a heading was lost", "renamed": "a title changed"},
}


@pytest.fixture(autouse=True)
def course(tmp_path, monkeypatch):
    folder = demo_lesson.course(tmp_path / "un cours")
    monkeypatch.setenv("LABKIT_COURSE", str(folder))
    return folder


def outcome(source, tmp_path):
    from labkit.lessons.exercises import run_cell

    state = tmp_path / "state"
    state.mkdir()
    return OWN.check(run_cell(source.strip("\n"), "own"), TEXTS, source.strip("\n"), state=state)


def test_it_teaches():
    assert lint.exercise_faults(OWN, TEXTS) == []


def test_the_file_is_the_cell_without_the_lesson(tmp_path):
    assert outcome(SOLUTION, tmp_path).text == "2 tests, 2 broken copies noticed."
    files = [path.relative_to(tmp_path / "state").as_posix() for path in (tmp_path / "state").rglob("*")]
    assert sorted(files) == ["tests", "tests/test_own.py"]
    text = (tmp_path / "state/tests/test_own.py").read_text(encoding="utf-8")
    assert text == SOLUTION.strip("\n").partition("\n\n\nlesson.check")[0] + "\n"


CASES = [
    (SOLUTION.replace(") == 1", ") == 2"), "fails", "assert 1 == 2"),
    (SOLUTION.replace("assert sum", "import nothing_of_that_name; assert sum"), "fails", "nothing_of_that_name"),
    (SOLUTION.replace('== ["Tea"]', ""), "any-title", "Any title"),
    (SOLUTION.replace(", test_titles]", "]").replace("def test_titles", "def titles"), "few-tests", "1 of 2"),
    (SOLUTION.replace("test_titles", "titles"), "test-name", "`titles`"),
    (SOLUTION.replace("test_titles", "test_sections"), "same-name", "`test_sections`"),
    (SOLUTION.replace("[test_sections, test_titles]", "test_sections"), "few-tests", "1 of 2"),
    (SOLUTION.replace("[test_sections, test_titles]", "3"), "not-tests", "test functions"),
    (SOLUTION.replace("[test_sections, test_titles]", "None"), "not-tests", "test functions"),
    (SOLUTION.replace("[test_sections, test_titles]", "[]"), "not-tests", "test functions"),
    (SOLUTION.replace('    assert [document.title for document in load_inventory()] == ["Tea"]', "    ..."), "blank-left", "`...`"),
    (SOLUTION.replace('== ["Tea"]', '== ["Tea"]; import pytest; pytest.skip("later")'), "fails", "skipped"),
]


@pytest.mark.parametrize(("source", "key", "said"), CASES, ids=range(len(CASES)))
def test_what_is_told(source, key, said, tmp_path):
    found = outcome(source, tmp_path)
    assert (found.status, found.mistake) == ("not yet", key)
    assert said in found.text and str(tmp_path) not in found.text


def test_what_a_file_keeps_in_memory_does_not_reach_the_next_course(tmp_path):
    source = SOLUTION.replace("\n\n\ndef test_sections", "\n\nDOCUMENTS = load_inventory()\n\n\ndef test_sections", 1)
    source = source.replace("for document in load_inventory()", "for document in DOCUMENTS")
    assert source.count("DOCUMENTS") == 3
    assert outcome(source, tmp_path).status == "correct"


def test_the_results_of_the_last_check_are_kept_and_no_others(tmp_path, monkeypatch):
    assert outcome(SOLUTION, tmp_path).status == "correct"
    code = (tmp_path / "state/tests/test_own.py").read_text(encoding="utf-8")
    runs = []
    run = OWN._run
    monkeypatch.setattr(OWN, "_run", lambda codes: runs.append(codes) or run(codes))
    found = OWN.results(code)
    assert runs == [] and found["lost"]["test_sections"] == "assert 0 == 1" and found[""] == dict.fromkeys(found["lost"])
    assert OWN.results(code.replace('["Tea"]', '["Coffee"]'))[""]["test_titles"].startswith("AssertionError") and len(runs) == 1
    with pytest.raises(LabError, match="do not run: exit code 3"):
        OWN.results(code + "import os; os._exit(3)\n")


def test_run_ahead_serves_one_check_each(tmp_path, monkeypatch):
    wrong = SOLUTION.replace('== ["Tea"]', "")
    OWN.run_ahead([STUB, SOLUTION, wrong])
    monkeypatch.setattr(OWN, "_run", lambda codes: pytest.fail("run again"))
    assert outcome(wrong, tmp_path).mistake == "any-title"
    (tmp_path / "state").rename(tmp_path / "earlier")
    assert outcome(SOLUTION, tmp_path).status == "correct"
    monkeypatch.setattr(OWN, "_run", lambda codes: [{"broken": "run afresh"}])
    (tmp_path / "state").rename(tmp_path / "second")
    assert "run afresh" in outcome(SOLUTION, tmp_path).text  # the course may have changed meanwhile


def test_unsolved_leaves_no_file(tmp_path):
    assert outcome(STUB, tmp_path).status == "not attempted"
    assert list((tmp_path / "state").iterdir()) == []


def test_tests_as_text(tmp_path):
    text = SOLUTION.strip("\n").partition("\n\n\nlesson.check")[0]
    assert OWN.check(text, TEXTS, None, state=tmp_path).status == "correct"
    assert OWN.check("def test_(:", TEXTS, None, state=tmp_path).mistake == "syntax"
    assert OWN.check([lambda: 1, lambda: 2], TEXTS, None, state=tmp_path).mistake == "test-name"


def test_without_a_source_the_reason_is_said(tmp_path):
    def test_one():
        pass

    def test_two():
        pass

    assert OWN.check([test_one, test_two], TEXTS, None, state=tmp_path).mistake == "no-source"


def test_a_test_that_hangs_comes_back(tmp_path, monkeypatch):
    monkeypatch.setattr(own_tests, "SECONDS", 2.0)
    source = SOLUTION.replace("    # how many there are", "    import time\n    time.sleep(100)")
    assert outcome(source, tmp_path).mistake == "slow"


def test_an_exit_does_not_reach_the_kernel(tmp_path):
    source = SOLUTION.replace("    # how many there are", "    import os\n    os._exit(3)")
    assert outcome(source, tmp_path).mistake == "broken"


def test_a_mutant_that_changes_nothing_is_an_error(course):
    with pytest.raises(LabError, match="0 times"):
        edit(DOCUMENT, "coffee", "tea")(course)
