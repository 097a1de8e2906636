"""make record and the proofs: what is recorded holds, all or nothing, the same bytes twice, and any change turns it red."""

from __future__ import annotations

import datetime
import json
import os
import shutil
import sys
from pathlib import Path

import demo_lesson
import nbformat
import pytest

from labkit.lessons import catalogue, lint, notebooks, proof, recording, rules

NAME = demo_lesson.NAME
TODAY = "2031-05-09"  # no day that the course itself speaks of, which the rule lets pass


@pytest.fixture(autouse=True)
def today(monkeypatch):
    monkeypatch.setattr(rules, "_today", lambda: datetime.date.fromisoformat(TODAY))


@pytest.fixture(scope="module")
def demo_course(tmp_path_factory):
    """The demonstration course, recorded once, in a folder with a space and an accent."""
    patch = pytest.MonkeyPatch()
    patch.setenv("LABKIT_LESSONS", "demo_catalogue")
    patch.setenv("PYTHONPATH", str(demo_lesson.DEMO))
    patch.syspath_prepend(str(demo_lesson.DEMO))
    patch.delenv("LABKIT_STATE", raising=False)
    folder = demo_lesson.course(tmp_path_factory.mktemp("a course of Tomás"))
    patch.setenv("LABKIT_COURSE", str(folder))
    said = []
    recording.record(folder, say=said.append)
    yield folder, said
    patch.undo()


@pytest.fixture
def copied(demo_course, tmp_path, monkeypatch):
    folder = tmp_path / "course"
    shutil.copytree(demo_course[0], folder)
    monkeypatch.setenv("LABKIT_COURSE", str(folder))
    return folder


@pytest.fixture
def row(demo_course):
    return catalogue.row("90")


def notebook_of(course: Path, solved: bool = False) -> Path:
    return course / "snapshots" / NAME / f"{NAME}.ipynb" if solved else course / "notebooks" / f"{NAME}.ipynb"


def everything(course: Path) -> dict:
    return recording.files_of(course)


def test_progress_is_shown(demo_course):
    _, said = demo_course
    assert any("solved" in line for line in said) and any("unsolved" in line for line in said)


def test_a_second_run_changes_no_byte(copied, capsys):
    before = everything(copied)
    assert recording.main([]) == 0
    assert capsys.readouterr().out.endswith("nothing changed\n")
    assert everything(copied) == before


def test_what_is_recorded_holds(demo_course, row):
    course, _ = demo_course
    assert proof.unsolved_faults(row, course) == []
    assert proof.snapshot_faults(row, course) == []
    assert proof.pair_faults(row, course) == []
    assert lint.faults(row, course / "notebooks") == []


def test_unsolved_is_not_attempted_and_solved_is_correct(demo_course, row):
    course, _ = demo_course
    names = set(row.exercises())
    assert rules.statuses(notebooks.read(notebook_of(course))) == dict.fromkeys(names, "not attempted")
    assert rules.statuses(notebooks.read(notebook_of(course, solved=True))) == dict.fromkeys(names, "correct")
    assert rules.guesses(notebooks.read(notebook_of(course, solved=True)))["twice"] is None  # a guess is the learner's
    assert (course / "snapshots" / NAME / "state" / "rarity.csv").read_bytes() == b"word,rarity\nkettle,0.9555\n"


def test_an_answer_carries_the_digest_of_its_cell(demo_course):
    from labkit.lessons.answers import ANSWER_MIME, digest

    notebook = notebooks.read(notebook_of(demo_course[0], solved=True))
    for cell in notebook.cells:
        if cell.id.startswith("exercise-"):
            assert cell.outputs[0].data[ANSWER_MIME]["digest"] == digest(cell.source)


def change_cell(path: Path, cell_id: str, change) -> None:
    notebook = notebooks.read(path)
    change(next(cell for cell in notebook.cells if cell.id == cell_id))
    path.write_text(notebooks.written(notebook), encoding="utf-8")


def digit_in_stream(cell):
    cell.outputs[0].text = cell.outputs[0].text.replace("0.9555", "0.9556")


def digit_in_plain(cell):
    cell.outputs[0].data["text/plain"] = cell.outputs[0].data["text/plain"].replace("1.34", "1.35")


def digit_in_html(cell):
    cell.outputs[0].data["text/html"] = cell.outputs[0].data["text/html"].replace("4px", "5px")


def status_in_data(cell):
    cell.outputs[0].data["application/vnd.labkit.answer+json"]["status"] = "correct"


def count_off(cell):
    cell.outputs, cell.execution_count = [], None


def test_one_digit_in_an_output_turns_red(copied, row):
    changes = {"worked-example": digit_in_stream, "twice-measured": digit_in_plain}
    changes |= {"exercise-without": digit_in_html, "exercise-rarity": status_in_data}
    for cell_id, change in changes.items():
        change_cell(notebook_of(copied), cell_id, change)
    found = proof.unsolved_faults(row, copied)
    assert len(found) == len(changes)
    for cell_id in changes:
        (said,) = [each for each in found if f"cell {cell_id}:" in each]
        assert "lesson 90" in said and "make record" in said


def test_a_snapshots_output_and_state_turn_red(copied, row):
    change_cell(notebook_of(copied, solved=True), "worked-example", digit_in_stream)
    state = copied / "snapshots" / NAME / "state"
    (state / "rarity.csv").write_bytes((state / "rarity.csv").read_bytes().replace(b"0.9555", b"0.9554"))
    (state / "more.csv").write_text("a\n", encoding="utf-8")
    cell, more, rarity = proof.snapshot_faults(row, copied)
    assert "lesson 90, snapshot, cell worked-example" in cell
    assert "state/more.csv stands in the snapshot" in more
    assert "state/rarity.csv differs" in rarity and "line 2" in rarity
    assert all("make record" in each for each in (cell, more, rarity))
    assert any("cell worked-example" in each for each in proof.pair_faults(row, copied))


def test_an_output_that_was_never_recorded_is_red(copied, row):
    change_cell(notebook_of(copied), "worked-example", count_off)
    notebook = notebooks.read(notebook_of(copied))
    assert any("worked-example" in each for each in rules.cell_faults(notebook))


def test_a_changed_solution_turns_red(copied, row, monkeypatch):
    exercise = row.exercises()["without"]
    monkeypatch.setattr(exercise, "solution", exercise.solution.replace("sections - with_word", "8 - 2"))
    (found,) = proof.pair_faults(row, copied)
    assert "cell exercise-without" in found and "solution in labkit" in found and "make record" in found


def test_another_source_in_the_snapshot_turns_red(copied, row):
    change_cell(notebook_of(copied, solved=True), "worked-example", lambda cell: cell.update(source=cell.source + "\n"
                                                                                                 "print(1)"))  # fmt: skip
    assert any("cell worked-example: the source" in each for each in proof.pair_faults(row, copied))


def add_cell_source(course: Path, cell_id: str, source: str) -> None:
    change_cell(notebook_of(course), cell_id, lambda cell: cell.update(source=source))


def test_nothing_is_written_when_a_cell_fails(copied, capsys):
    add_cell_source(copied, "leave-state", "lesson.save_text('rarity.csv', 'x')\nraise ValueError('no salt')")
    before = everything(copied)
    assert recording.main(["--lesson", "90"]) == 1
    said = capsys.readouterr().err
    assert "lesson 90" in said and "cell leave-state: ValueError: no salt" in said and "Nothing was written" in said
    assert everything(copied) == before


def test_nothing_is_written_when_a_solution_is_not_correct(copied, row, monkeypatch):
    exercise = row.exercises()["causes"]
    monkeypatch.setattr(exercise, "solution", exercise.stub)
    before = everything(copied)
    with pytest.raises(recording.RecordingError, match=r"cell exercise-causes: its check says 'not attempted', not 'correct'"):
        recording.record(copied)
    assert everything(copied) == before


def test_a_change_is_recorded_and_named(copied):
    add_cell_source(copied, "leave-state", 'lesson.save_text("tests/a.txt", "1\\n")')
    changed = recording.record(copied, ["90"])
    state = f"snapshots/{NAME}/state"
    assert sorted(changed) == sorted(
        [f"snapshots/{NAME}/{NAME}.ipynb", f"{state}/tests/a.txt", f"{state}/rarity.csv"]
    )
    assert recording.files_of(copied / state) == {"tests/a.txt": b"1\n"}


def test_an_unknown_lesson_is_refused(copied, capsys):
    assert recording.main(["--lesson", "91"]) == 1
    assert "There is no lesson 91" in capsys.readouterr().err


def test_nbval_by_itself_runs_anywhere_and_leaves_no_trace(copied, tmp_path):
    """The very command of the README, without our proofs around it, in parallel and with the machine's own settings."""
    import subprocess
    import tempfile

    scratch = tmp_path / "scratch"
    scratch.mkdir()
    quick = tmp_path / "quick"
    quick.mkdir()
    (quick / f"{notebooks.SLOW}.py").write_text("raise ImportError\n")  # two seconds for each of three processes
    environment = os.environ | {"TMPDIR": str(scratch), "IPYTHONDIR": str(tmp_path / "ipython"), "PYTHONPATH": os.pathsep.join(
        [str(quick), *filter(None, [os.environ.get("PYTHONPATH")])])}  # fmt: skip
    before = everything(copied)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(copied), "--nbval",
         "--nbval-current-env", "-n", "2", "--dist", "loadscope", str(copied / "notebooks"), str(copied / "snapshots")],
        capture_output=True, text=True, env=environment, cwd=copied, check=False, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert everything(copied) == before
    assert wait_until_empty(scratch, "labkit-state-*"), list(scratch.iterdir())
    assert tempfile.gettempdir() != str(scratch)


def wait_until_empty(folder: Path, pattern: str) -> bool:
    import time

    for _ in range(100):
        if not list(folder.glob(pattern)):
            return True
        time.sleep(0.05)
    return False


def test_written_is_one_form_whoever_saved_it(demo_course):
    text = notebook_of(demo_course[0]).read_text(encoding="utf-8")
    data = json.loads(text)
    data["metadata"]["kernelspec"]["display_name"] = "Python 3 (ipykernel)"
    data["metadata"]["language_info"] = {"name": "python", "version": "3.13.1", "file_extension": ".py"}
    data["cells"][0]["metadata"] = {"editable": True, "slideshow": {"slide_type": ""}}
    for cell in data["cells"]:
        if cell["cell_type"] == "code":
            cell["metadata"]["execution"] = {"iopub.execute_input": "2026-01-01T00:00:00Z"}
    import nbformat

    other = json.dumps(dict(reversed(data.items())), indent=4)
    assert notebooks.written(nbformat.reads(other, as_version=4)) == text


def test_solved_refuses_what_does_not_fit(demo_course, row):
    notebook = notebooks.read(notebook_of(demo_course[0]))
    exercises = dict(row.exercises())
    with pytest.raises(notebooks.NotebookError, match="no cell for exercise-more"):
        notebooks.solved(notebook, exercises | {"more": exercises["rarity"]})
    del exercises["rarity"]
    with pytest.raises(notebooks.NotebookError, match="exercise-rarity"):
        notebooks.solved(notebook, exercises)


def result(text: str):
    import nbformat.v4 as v4

    return v4.new_output("execute_result", {"text/plain": text}, execution_count=2)


@pytest.mark.parametrize(
    ("cell_id", "change", "said"),
    [
        ("worked-text", lambda c: c.update(source="## A worked example\n\nIts rarity is 0.9556."), "0.9556 stands in no output"),
        ("worked-text", lambda c: c.update(source="## A worked example\n\nAbout 12 of them."), "12 stands in no output"),
        ("key-text", lambda c: c.update(source="## Key points\n\nWe measured 0.695."), "0.695 stands in no output"),
        ("key-text", lambda c: c.update(source="## Key points\n\nThe reference measured 0.694."), "0.694 stands in no output"),
        ("idea-text", lambda c: c.update(source="## The idea\n\n" + "word " * 1500), "words of prose"),
        ("idea-text", lambda c: c.update(source="## Ideas"), "none of the parts"),
        ("idea-text", lambda c: c.update(source="## Key points"), "another order"),
        ("idea-text", lambda c: c.update(source="#### The idea"), "level 4 after level 2"),
        ("worked-example", lambda c: c.update(source=c.source + ";"), "ends with ;"),
        ("worked-example", lambda c: c.update(source="# NBVAL_IGNORE_OUTPUT\n" + c.source), "switches the comparison off"),
        ("worked-example", lambda c: c.metadata.update(tags=["nbval-skip"]), "switches the comparison off"),
        ("worked-example", lambda c: c.update(source=""), "worked-example: empty"),
        ("worked-example", lambda c: c.update(id="a1b2c3d4"), "an id says what the cell is"),
        ("worked-example", lambda c: c.update(id="begin"), "two cells have this id"),
        ("worked-example", lambda c: c.update(source="%time 1"), "a magic or shell line"),
        ("worked-example", lambda c: c.update(source=f"x = '{'é' * 83}'"), "a line of code has 89 characters; 88 is the most"),
        ("exercise-rarity", lambda c: c.update(source=c.source + f"\n# {'x' * 87}"), "a line of code has 89 characters"),
        ("worked-example", lambda c: c.outputs[0].update(text="2\n" + "x" * 81 + "\n"), "a line of output is 81 columns wide"),
        ("worked-example", lambda c: c.outputs[0].update(text="水" * 41), "a line of output is 82 columns wide"),
        ("worked-example", lambda c: c.update(outputs=[result("x" * 81)]), "a line of output is 81 columns wide"),
        ("worked-example", lambda c: c.outputs[0].update(text="word  n\n----  -\nthe   1\n"), "prints a table"),
        ("worked-example", lambda c: c.outputs[0].update(text="/usr/tom/x.csv"), "shows '/usr/tom/x.csv'"),
        ("worked-example", lambda c: c.outputs[0].update(text="<f at 0x7f01>"), "shows 'at 0x7f01'"),
        ("worked-example", lambda c: c.outputs[0].update(name="stderr"), "writes to stderr"),
        ("worked-example", lambda c: c.outputs[0].update(text=f"made on {TODAY}"), f"shows the date of today, {TODAY}"),
        ("begin", lambda c: c.update(source="import labkit"), "the first code cell"),
        ("exercise-rarity", lambda c: c.update(source=c.source + "\n# x"), "is not the stub"),
        ("exercise-rarity", lambda c: c.metadata.update(tags=[]), "has no tag exercise"),
        ("predict-twice", lambda c: c.update(id="predict-thrice"), "no cell predict-twice"),
        ("rarity-used", lambda c: c.metadata.update(tags=[]), "has no tag depends-on-exercise"),
    ],
)
def test_each_rule_is_seen_to_fail(demo_course, row, cell_id, change, said):
    notebook = notebooks.read(notebook_of(demo_course[0]))
    change(next(cell for cell in notebook.cells if cell.id == cell_id))
    assert any(said in each for each in rules.faults(notebook, row.exercises(), row.predictions()))


def test_what_just_fits_is_no_fault(demo_course, row):
    notebook = notebooks.read(notebook_of(demo_course[0]))
    cell = next(cell for cell in notebook.cells if cell.id == "worked-example")
    cell.source += f"\n# {'x' * 86}"
    cell.outputs[0].update(text="x" * 80 + "\n" + "水" * 40 + "\n" + "e\u0301" * 80 + "\n---\n")
    table = {"text/plain": "word  n\n----  -\nthe   1", "text/html": "<table></table>"}
    cell.outputs.append(cell.outputs[0].__class__(output_type="display_data", data=table, metadata={}))
    assert rules.width_faults(notebook) == []


def test_a_date_that_the_lesson_itself_speaks_of_may_be_today(demo_course, row):
    notebook = notebooks.read(notebook_of(demo_course[0]))
    cell = next(cell for cell in notebook.cells if cell.id == "worked-example")
    cell.outputs[0].update(text=f"in force on {TODAY}")
    cell.source += f"  # asked on {TODAY}"
    assert not [each for each in rules.output_faults(notebook) if "date of today" in each]


def picture(alt: str, *after: dict):
    import nbformat.v4 as v4

    about = {"image/png": {"alt": alt}} if alt else {}
    outputs = [v4.new_output("display_data", {"image/png": "aGk=", "text/plain": "<Figure>"}, metadata=about)]
    return v4.new_notebook(cells=[v4.new_code_cell("x", id="a-picture", outputs=[*outputs, *after])])


@pytest.mark.parametrize(
    ("notebook", "said"),
    [
        (picture("", {"output_type": "stream", "name": "stdout", "text": "A 1\n"}), ["without alternative text"]),
        (picture("five bars, the first the longest"), ["no text twin"]),
        (picture("five bars, the first the longest", {"output_type": "stream", "name": "stdout", "text": "A 1\n"}), []),
    ],
)
def test_a_picture_needs_its_text_and_its_twin(notebook, said):
    import nbformat

    found = rules.picture_faults(nbformat.from_dict(notebook))
    assert len(found) == len(said) and all(what in each for what, each in zip(said, found, strict=True))


def test_a_kernel_ends_with_its_notebook_and_leaves_nothing_behind(tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    cell = nbformat.v4.new_code_cell("import os\nprint(os.getpid())", id="pid")
    with recording.private_environment() as environment:
        done = recording.execute(nbformat.v4.new_notebook(cells=[cell]), tmp_path, environment, "a lesson")
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.cells[0].outputs[0].text), 0)
    assert not list(scratch.iterdir())


@pytest.mark.parametrize(
    ("source", "numbers"),
    [
        ("The baseline finds 41 of 59, or 0.695.", ["41", "59", "0.695"]),
        ("Some 6,500 words; −0.4520 and 20.4.", ["6,500", "−0.4520", "20.4"]),
        ("In lesson 05, after 45 minutes, PW-2200 and Q05 at rank 1.", []),
        ("On 1 December 2026 (2026-12-01), version 4, k = 10, hit@5.", []),
        ("`rarity(8, 2)` and\n```python\nx = 17\n```\nfour more", []),
        ("## 3 things\n\n1. One\n2. Two", []),
        ("<details><summary>Why?</summary>\n\nBecause 17.\n\n</details>", ["17"]),
        ("See [12 rows](https://x.example/17).", ["12"]),
        ("Grace writes “after 18 months”; it says \"14 days\".", []),
        ("A score of 12.5 % is no 13.", ["12.5", "13"]),
    ],
)  # fmt: skip
def test_the_numbers_of_the_prose(source, numbers):
    assert [number for number, _ in rules.prose_numbers(source)] == numbers
