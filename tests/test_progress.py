"""labkit check and status: what exercises are worth in a fresh kernel, whatever became of the notebook, and the next thing to do."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import demo_lesson
import nbformat
import pytest

from labkit.errors import LabError
from labkit.lessons import catalogue, checking, notebooks, progress, replay
from labkit.lessons.answers import CORRECT, NOT_ATTEMPTED, NOT_YET
from labkit.lessons.checking import Answer, Checked
from labkit.lessons.recording import files_of, private_environment
from labkit.lessons.workfolder import make_work_folder, open_lessons

NAME = f"{demo_lesson.NAME}.ipynb"
BASE_10 = ("math.log(", "math.log10(")


@pytest.fixture(scope="module", autouse=True)
def demo_course(tmp_path_factory):
    """The demonstration course, in a folder with a space and an accent."""
    patch = pytest.MonkeyPatch()
    patch.setenv("LABKIT_LESSONS", "demo_catalogue")
    patch.setenv("PYTHONPATH", str(demo_lesson.DEMO))
    patch.syspath_prepend(str(demo_lesson.DEMO))
    patch.delenv("LABKIT_STATE", raising=False)
    folder = demo_lesson.course(tmp_path_factory.mktemp("a course of Tomás"))
    patch.setenv("LABKIT_COURSE", str(folder))
    yield folder
    patch.undo()


@pytest.fixture
def work(demo_course, tmp_path):
    folder = make_work_folder(tmp_path / "l'été")
    open_lessons(folder, demo_course / "notebooks")
    return folder


def solution(name):
    return catalogue.row("90").exercises()[name].solution


def change(work: Path, sources=(), *, edit=None) -> None:
    """Gives cells other sources (None: the cell goes), then lets `edit` change the list of cells."""
    notebook = json.loads((work / NAME).read_text(encoding="utf-8"))
    for id_, source in dict(sources).items():
        cell = next(each for each in notebook["cells"] if each["id"] == id_)
        if source is None:
            notebook["cells"].remove(cell)
        else:
            cell["source"] = source
    if edit:
        edit(notebook["cells"])
    (work / NAME).write_text(json.dumps(notebook), encoding="utf-8")


def cell_named(cells, id_):
    return next(each for each in cells if each["id"] == id_)


def code_cell(source, id_):
    return nbformat.v4.new_code_cell(source, id=id_)


def checked(work, course, **limits) -> Checked:
    (found,) = checking.check(work, course, **limits)
    return found


def by_name(found: Checked) -> dict[str, Answer]:
    return {each.exercise: each for each in found.answers}


# --- check -------------------------------------------------------------------------------------------------------------------------------


def test_untouched_is_not_attempted_and_nothing_runs(work, demo_course, monkeypatch):
    monkeypatch.setattr(replay, "replay", lambda *_, **__: pytest.fail("a kernel was started"))
    found = checked(work, demo_course)
    assert [(each.exercise, each.status) for each in found.answers] == [
        ("rarity", NOT_ATTEMPTED), ("without", NOT_ATTEMPTED), ("causes", NOT_ATTEMPTED)
    ]  # fmt: skip
    assert all(f'lesson.hint("{each.exercise}")' in each.text for each in found.answers) and not found.begun


def test_each_exercise_gets_its_own_answer_and_no_trace_is_left(work, demo_course):
    (work / "helper.py").write_text("eight = 8\n", encoding="utf-8")
    without = "from helper import eight\n" + solution("without").replace("sections -", "eight -")
    wrong = solution("rarity").replace(*BASE_10)
    spoil = 'from pathlib import Path\n(Path("state") / "mine.txt").write_text("x")\n(Path("state") / "kept.txt").unlink()'
    (work / "state").mkdir()
    (work / "state" / "kept.txt").write_text("kept", encoding="utf-8")
    change(work, {"exercise-rarity": wrong, "exercise-without": without, "predict-twice": 'lesson.predict("twice", 2)'},
           edit=lambda cells: cells.insert(5, code_cell(spoil, "spoil")))  # fmt: skip
    before = files_of(work)
    found = checked(work, demo_course)
    answers = by_name(found)
    assert (answers["rarity"].status, answers["rarity"].mistake) == (NOT_YET, "base-10")
    assert "base-10 logarithm" in answers["rarity"].text and answers["rarity"].notes == ()
    assert (answers["without"].status, answers["without"].value) == (CORRECT, "6")
    assert answers["causes"].status == NOT_ATTEMPTED
    assert (found.notes, found.fault) == ((), None)
    assert files_of(work) == before


def test_a_variable_that_only_a_deleted_cell_made_is_missing(work, demo_course):
    change(work, {"exercise-without": solution("without"), "worked-example": None})
    answer = by_name(checked(work, demo_course))["without"]
    assert (answer.status, answer.mistake) == (NOT_YET, "cell-failed")
    assert "NameError" in answer.text and "the lesson's cell worked-example" in answer.notes[0]


def test_the_last_of_doubled_cells_counts_and_it_says_so(work, demo_course):
    def edit(cells):
        stub = cell_named(cells, "exercise-rarity")
        cells.append(dict(stub))  # an untouched copy, with the same id, at the end
        stub["source"] = solution("rarity")
        # out of order: this one needs `sections`, which is made further down
        cells.insert(4, code_cell("k = sections", "too-early"))
        cells.insert(5, cells.pop(cells.index(cell_named(cells, "exercise-without"))))
        cell_named(cells, "exercise-without")["source"] = solution("without")
        cell_named(cells, "exercise-causes")["cell_type"] = "raw"

    change(work, edit=edit)
    found = checked(work, demo_course)
    rarity, without, causes = found.answers
    assert rarity.status == NOT_ATTEMPTED and "2 cells ask for this check" in rarity.notes[0] and "said: correct" in rarity.notes[0]
    assert "counted from the top" in rarity.notes[0]
    assert without.status == NOT_YET
    assert (causes.status, causes.mistake) == (NOT_ATTEMPTED, "cell-not-code")
    assert any("too-early" in note and "NameError" in note for note in found.notes)


def test_gone_cells_lost_checks_and_cells_that_fail_have_their_own_words(work, demo_course):
    loop = "while True:\n    pass\n\n" + solution("without")
    change(work, {"exercise-rarity": None, "exercise-causes": "causes = 3", "exercise-without": loop})
    found = checked(work, demo_course, cell_seconds=0.7)
    answers = by_name(found)
    assert answers["rarity"].mistake == "cell-gone" and answers["rarity"].code == catalogue.row("90").exercises()["rarity"].stub
    assert answers["causes"].mistake == "no-check" and 'lesson.check("causes", …)' in answers["causes"].text
    assert (answers["without"].status, answers["without"].mistake) == (NOT_YET, "cell-endless")
    assert "0.7 seconds" in answers["without"].text


def test_a_function_that_never_ends_is_answered_by_the_check_itself(work, demo_course):
    endless = solution("rarity").replace("    return", "    while True:\n        pass\n    return")
    change(work, {"exercise-rarity": endless, "exercise-without": solution("without")})
    answers = by_name(checked(work, demo_course))
    assert (answers["rarity"].mistake, answers["without"].status) == ("endless", CORRECT)


def test_without_its_first_cell_a_lesson_says_so_and_bad_python_names_the_fault(work, demo_course):
    change(work, {"begin": None, "exercise-rarity": "def rarity(N, n)\n    return 1\nlesson.check('rarity', rarity)",
                  "exercise-without": solution("without").replace("lesson.check", "if False:\n    lesson.check")})  # fmt: skip
    answers = by_name(checked(work, demo_course))
    assert "is not Python yet" in answers["rarity"].text
    assert answers["without"].mistake == "not-reached"
    assert answers["causes"].status == NOT_ATTEMPTED and 'labkit.lesson("90"' in answers["causes"].text


UNREADABLE = {
    "empty": (lambda path: path.write_bytes(b" \n"), "it is empty"),
    "not JSON": (lambda path: path.write_bytes(b"{"), "no JSON"),
    "not a text": (lambda path: path.write_bytes(b"\xff\xfe\x00"), "no JSON"),
    "a conflict": (lambda path: path.write_bytes(b'{"cells": [\n<<<<<<< ours\n=======\n>>>>>>> theirs\n]}'), "merge conflict"),
    "a list": (lambda path: path.write_bytes(b"[]"), "no cells"),
    "deep": (lambda path: path.write_bytes(b"[" * 200_000), "no JSON"),
    "a folder": (lambda path: (path.unlink(), path.mkdir()), "no plain file"),
    "a link": (lambda path: (path.rename(path.with_name("x")), path.symlink_to("x")), "a link"),
    "a pipe": (lambda path: (path.unlink(), os.mkfifo(path)), "no plain file"),
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_a_notebook_that_cannot_be_read_is_named_in_plain_words(work, demo_course, kind):
    spoil, words = UNREADABLE[kind]
    spoil(work / NAME)
    found = checked(work, demo_course)
    assert words in found.fault and found.mend and found.answers == () and not found.done
    assert progress.status(work, demo_course).next.what == f"mend {NAME}"


def test_a_read_only_notebook_with_odd_types_is_checked_all_the_same(work, demo_course):
    def edit(cells):
        cell = cell_named(cells, "exercise-without")
        cell["source"] = [line + "\n" for line in solution("without").split("\n")]
        cell["outputs"], cell["metadata"] = "none", None
        del cell["id"]
        cells.insert(0, {"cell_type": ["code"], "source": {"a": 1}, "execution_count": True})
        cells.insert(0, {})

    change(work, edit=edit)
    (work / NAME).chmod(0o444)
    assert by_name(checked(work, demo_course))["without"].status == CORRECT


def test_a_lesson_that_is_not_there_is_an_error_that_says_what_to_do(work, demo_course):
    (work / NAME).unlink()
    with pytest.raises(LabError, match="labkit open"):
        checking.check(work, demo_course, ["90"])
    assert checking.check(work, demo_course) == []


# --- the kernel --------------------------------------------------------------------------------------------------------------------------


def test_whatever_a_cell_does_the_next_one_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(replay, "_GRACE", 1.5)
    stubborn = "import time\nwhile True:\n    try:\n        while True: time.sleep(0.01)\n    except KeyboardInterrupt: pass"
    flood, crash = "while True: print('y' * 1000)", "import os; os._exit(3)"
    sources = ["x = 1", flood, stubborn, crash, "exit()", "1 / 0", "input('?')", "assert x == 1"]
    with private_environment() as environment:
        ran = replay.replay(sources, tmp_path, environment, cell_seconds=1)
    assert [each.end for each in ran] == ["done", "endless", "endless", "ended", "ended", "failed", "failed", "done"]
    assert ran[5].error == ("ZeroDivisionError", "division by zero")
    assert os.listdir(tmp_path) == []


def test_the_time_of_a_lesson_is_limited(tmp_path):
    with private_environment() as environment:
        began = time.monotonic()
        ran = replay.replay(["import time; time.sleep(9)", "x = 1"], tmp_path, environment, lesson_seconds=2)
    assert [each.end for each in ran][1:] == ["not run"] and time.monotonic() - began < 60


# --- what is kept ------------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def a_status(demo_course, tmp_path_factory):
    """A work folder, its status, and the file in which that was kept."""
    patch = pytest.MonkeyPatch()
    patch.setattr(progress, "_engine_digest", lambda: "fixed")
    folder = make_work_folder(tmp_path_factory.mktemp("kept") / "work")
    open_lessons(folder, demo_course / "notebooks")
    change(folder, {"exercise-without": solution("without")})
    found = progress.status(folder, demo_course)
    patch.undo()
    return folder, found, (folder / progress.CACHE).read_text(encoding="utf-8")


@pytest.fixture
def runs(a_status, monkeypatch):
    """How often a notebook would have run; labkit's own files count as unchanged, though somebody may be writing them meanwhile."""
    folder, found, text = a_status
    seen = []
    monkeypatch.setattr(checking, "_run", lambda *args: seen.append(1) or found.lessons[0])
    monkeypatch.setattr(progress, "_engine_digest", lambda: "fixed")
    before = (folder / NAME).read_bytes()
    yield seen
    (folder / NAME).write_bytes(before)
    (folder / progress.CACHE).write_text(text, encoding="utf-8")


def test_a_warm_status_is_the_same_and_answers_at_once(a_status, demo_course, runs):
    folder, found, text = a_status
    assert by_name(found.lessons[0])["without"].status == CORRECT
    began = time.process_time()
    assert progress.status(folder, demo_course) == found and runs == []
    assert time.process_time() - began < 1
    assert (folder / progress.CACHE).read_text(encoding="utf-8") == text


def outputs_and_prose(cells):
    cell_named(cells, "exercise-without")["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x"}]
    cells.append(nbformat.v4.new_markdown_cell("My notes."))


def another_cell(cells):
    cells.insert(4, code_cell("sections = 9", "mine"))


def another_order(cells):
    cells.append(cells.pop(cells.index(cell_named(cells, "worked-example"))))


def another_type(cells):
    cell_named(cells, "exercise-causes")["cell_type"] = "raw"


@pytest.mark.parametrize(("edit", "cold"), [(outputs_and_prose, 0), (another_cell, 1), (another_order, 1), (another_type, 1)])
def test_what_counts_in_a_notebook_makes_it_cold_and_nothing_else(a_status, demo_course, runs, edit, cold):
    change(a_status[0], edit=edit)
    progress.status(a_status[0], demo_course)
    assert len(runs) == cold


def test_another_labkit_another_corpus_another_state_and_an_own_module_make_it_cold(a_status, demo_course, runs, monkeypatch):
    folder = a_status[0]
    monkeypatch.setattr(progress, "_engine_digest", lambda: "another labkit")
    progress.status(folder, demo_course)
    document = demo_course / "corpus" / "larkfield" / "documents" / "tea.v1.md"
    text = document.read_bytes()
    document.write_bytes(text + b"More.\n")
    progress.status(folder, demo_course)
    document.write_bytes(text)
    assert len(runs) == 2
    (folder / "helper.py").write_text("x = 1\n", encoding="utf-8")
    progress.status(folder, demo_course)
    (folder / "helper.py").unlink()
    monkeypatch.setattr(catalogue.Row, "needs", lambda self: {"words.csv": "90"})
    progress.status(folder, demo_course)
    (folder / "state").mkdir()
    (folder / "state" / "words.csv").write_text("word\n", encoding="utf-8")
    progress.status(folder, demo_course)
    assert len(runs) == 5
    (folder / "state" / "words.csv").unlink()
    (folder / "state").rmdir()


DAMAGED = {
    "empty": lambda text: "",
    "no JSON": lambda text: text[:-9],
    "deep": lambda text: "[" * 200_000,
    "a list": lambda text: "[]",
    "another form": lambda text: text.replace('"form": 1', '"form": 0'),
    "a status of its own": lambda text: text.replace('"status": "correct"', '"status": "splendid"'),
    "a number as a text": lambda text: text.replace('"notes": []', '"notes": [3]'),
    "fields missing": lambda text: text.replace('"mistake"', '"mistakes"'),
    "another exercise": lambda text: text.replace('"exercise": "causes"', '"exercise": "cause"'),
    "no list": lambda text: text.replace('"answers": [', '"answers": [7, '),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_file_is_never_believed(a_status, demo_course, runs, kind):
    folder, found, text = a_status
    assert DAMAGED[kind](text) != text
    (folder / progress.CACHE).write_text(DAMAGED[kind](text), encoding="utf-8")
    assert progress.status(folder, demo_course) == found and runs == [1]
    assert (folder / progress.CACHE).read_text(encoding="utf-8") == text  # and it is mended


def test_a_file_in_the_way_or_a_folder_without_writing_stops_nothing(a_status, demo_course, runs, monkeypatch, tmp_path):
    folder, found, text = a_status
    (folder / progress.CACHE).unlink()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text(text, encoding="utf-8")
    (folder / progress.CACHE).symlink_to(elsewhere)
    assert progress.status(folder, demo_course) == found and elsewhere.read_text(encoding="utf-8") == text
    (folder / progress.CACHE).unlink()
    (folder / progress.CACHE).mkdir()
    assert progress.status(folder, demo_course) == found
    (folder / progress.CACHE).rmdir()
    monkeypatch.setattr(progress, "write_atomically", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    assert progress.status(folder, demo_course) == found


# --- the next thing to do ----------------------------------------------------------------------------------------------------------------


def lesson(number, *statuses, fault=None):
    answers = tuple(Answer(f"e{place}", "Title", status, "Words.\nMore.") for place, status in enumerate(statuses))
    return Checked(number, "Title", f"{number}.ipynb", answers, fault=fault)


@pytest.fixture
def own_lessons(monkeypatch):
    rows = {number: catalogue.Row(number, "slug", "Title", 30, "Idea", content="content.lesson_90") for number in ("01", "02", "03")}
    monkeypatch.setattr(catalogue, "lessons", lambda: tuple(rows.values()))
    monkeypatch.setattr(catalogue.Row, "needs", lambda self: {"sections.csv": "02"} if self.number == "03" else {})


@pytest.mark.parametrize(
    ("lessons", "what", "why"),
    [
        ([], "labkit open", "none is there yet"),
        ([lesson("01", NOT_ATTEMPTED)], "01.ipynb", "It comes first (30 minutes)."),
        ([lesson("01", CORRECT, NOT_YET), lesson("02", NOT_ATTEMPTED)], "exercise e1 in 01.ipynb", "Not yet: `labkit check 01` says why."),
        ([lesson("01", NOT_ATTEMPTED, CORRECT), lesson("02", NOT_ATTEMPTED)], "exercise e0 in 01.ipynb", "1 to go"),
        ([lesson("01", NOT_YET), lesson("02", NOT_ATTEMPTED, NOT_YET)], "exercise e1 in 02.ipynb", "Not yet"),
        ([lesson("01", CORRECT), lesson("02", NOT_ATTEMPTED)], "02.ipynb", "Lesson 01 is done"),
        ([lesson("01", NOT_YET), lesson("02", CORRECT)], "01.ipynb", "passed over"),
        ([lesson("02", CORRECT), lesson("03", NOT_ATTEMPTED)], "labkit reset 02 --state-only", "03.ipynb starts from state/sections.csv"),
        ([lesson("01", CORRECT), lesson("02", fault="it is empty")], "mend 02.ipynb", "it is empty"),
        ([lesson("01", CORRECT), lesson("02", CORRECT)], "nothing is left", "after lesson 02"),
        ([lesson("01", CORRECT), lesson("02", CORRECT), lesson("03", CORRECT)], "nothing is left", "All 3 lessons are done"),
    ],
)
def test_the_next_thing_to_do_and_why(own_lessons, tmp_path, lessons, what, why):
    step = progress.next_step(lessons, tmp_path)
    assert what in step.what and why in step.why


# --- the command line --------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def columns():
    return 60


def test_status_on_the_command_line(labkit, work, demo_course, tmp_path):
    code, out, err = labkit("status", "--into", work)
    last = out.rstrip("\n").split("\n")[-1]
    assert (code, err) == (0, "") and last.startswith("Next: 90-demonstration.ipynb.") and max(map(len, out.split("\n"))) <= 60
    code, out, _ = labkit("status", "--into", work, "--json")
    found = json.loads(out)
    assert code == 0 and found["next"]["lesson"] == "90" and found["lessons"][0]["not_attempted"] == 3
    assert labkit("status")[:2] == (0, "Next: labkit open. It lays the lessons into your work …\n")
    code, out, err = labkit("status", "--into", tmp_path / "nowhere")
    assert code == 1 and "labkit open" in err


def test_check_on_the_command_line(labkit, work, monkeypatch):
    code, out, err = labkit("check", "90", "--into", work)
    assert (code, err) == (0, "") and out.count("Not attempted · ") == 3 and "3 exercises: 0 correct" in out
    assert max(map(len, out.split("\n"))) <= 60
    assert labkit("check", "04", "--into", work)[0] == 2
    (work / NAME).write_bytes(b"<<<<<<< a\n=======\n>>>>>>> b\n")
    code, out, _ = labkit("check", "--into", work)
    assert code == 1 and "merge conflict" in " ".join(out.split()) and "`labkit open` lays a fresh one" in " ".join(out.split())
    code, out, _ = labkit("check", "--into", work, "--json")
    assert code == 1 and json.loads(out)["lessons"][0]["fault"]
    monkeypatch.chdir(work)
    (work / NAME).unlink()
    assert labkit("check")[0] == 0


def test_real_lessons_can_be_read_by_id(monkeypatch):
    monkeypatch.delenv("LABKIT_LESSONS")
    for row in catalogue.lessons():
        path = Path(__file__).parents[1] / "notebooks" / row.notebook
        if path.is_file():
            cells = checking.read(path.parent, row)[0]
            assert checking._untouched(row, cells), f"{row.notebook}: an untouched lesson is not seen as one"
            assert [cell.id for cell in cells] == [cell.id for cell in notebooks.read(path).cells]
