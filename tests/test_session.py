# ruff: noqa: N803 (N and n are the names of the formula)
"""`lesson = labkit.lesson(…)`: what it says, where its state is, what it keeps, and that nothing a learner does makes it crash."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import demo_lesson
import numpy as np
import pandas as pd
import pytest

import labkit
from labkit.errors import BadArgument, LabError
from labkit.lessons import catalogue, predictions, workfolder
from labkit.lessons.predictions import Prediction
from labkit.lessons.session import LessonError, State

LINE = "Lesson 90: A demonstration. 1 document, 1 question, {state}.\n"


@pytest.fixture
def course(tmp_path, monkeypatch):
    monkeypatch.setenv("LABKIT_LESSONS", "demo_catalogue")
    monkeypatch.syspath_prepend(str(demo_lesson.DEMO))
    for name in ("LABKIT_STATE", "LABKIT_COURSE", "LABKIT_LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    folder = demo_lesson.course(tmp_path / "le cours de Tomás")
    monkeypatch.chdir(folder / "notebooks")
    return folder


@pytest.fixture
def work(course, monkeypatch):
    folder = workfolder.make_work_folder(course / "work")
    monkeypatch.chdir(folder)
    return folder


def begun(capsys, **more):
    lesson = labkit.lesson("90", **more)
    return lesson, capsys.readouterr().out


def said(capsys, what, *arguments):
    what(*arguments)
    return capsys.readouterr().out


def test_brackets_forgotten_round_an_answer_of_several_parts(course, capsys):
    lesson = labkit.lesson("90")
    capsys.readouterr()
    assert 'got 3. If they belong together, put them in brackets: `lesson.check("rarity", (…, …))`' in said(
        capsys, lesson.check, "rarity", 1, 2, 3
    )


# what it says


def test_one_line(course, capsys):
    assert begun(capsys)[1] == LINE.format(state="no state yet")


def test_the_line_has_no_path_and_is_the_same_twice(course, capsys):
    one, two = begun(capsys)[1], begun(capsys)[1]
    assert one == two and str(course) not in one


@pytest.mark.parametrize("number", ["90", 90, " 90 "])
def test_a_number_in_any_form(course, capsys, number):
    assert labkit.lesson(number).number == "90"


def test_a_lesson_that_does_not_exist(course):
    with pytest.raises(LabError, match=r"There is no lesson 17 here. There are 90\."):
        labkit.lesson("17")


def test_another_version_is_a_plain_word(course, capsys):
    _, text = begun(capsys, made_with="0.3")
    assert text.startswith(LINE.format(state="no state yet"))
    assert f"written for labkit 0.3; you have {labkit.__version__}" in text
    assert begun(capsys, made_with=labkit.__version__)[1].count("\n") == 1


def test_a_broken_collection_stops_nothing(course, capsys):
    (course / "corpus/larkfield/inventory.csv").write_text("file;doc_id\n", encoding="utf-8")
    assert "course data with a fault" in begun(capsys)[1]


def test_what_the_lesson_needs_is_named_with_the_lesson_that_makes_it(course, capsys, monkeypatch):
    content = catalogue.row("90").module()
    monkeypatch.setattr(content, "NEEDS", {"sections.csv": "02", "misses.csv": "05"}, raising=False)
    lesson, text = begun(capsys)
    text = " ".join(text.split())
    assert "Missing: state/sections.csv (lesson 02 makes it: run that one to its end first, or lay what it leaves with " in text
    assert "`labkit reset 02 --state-only`)." in text
    assert "Missing: state/misses.csv (lesson 05" in text
    with pytest.raises(LabError, match="lesson 02 makes it"):
        lesson.read_csv("sections.csv")
    lesson.save_text("sections.csv", "a\n1\n")
    assert lesson.read_csv("sections.csv")["a"].tolist() == [1]


def test_no_course_data_stops_nothing(course, tmp_path, capsys, monkeypatch):
    from labkit.errors import CourseNotFound

    def nowhere(*_):
        raise CourseNotFound("nowhere")

    monkeypatch.setattr(labkit, "load_inventory", nowhere)
    assert "no course data" in begun(capsys)[1]


# state/


def test_in_a_work_folder_the_state_is_the_learners(work, capsys):
    lesson, text = begun(capsys)
    assert text == LINE.format(state="no state yet")
    lesson.save_text("rarity.csv", "a\n")
    assert (work / "state" / "rarity.csv").read_bytes() == b"a\n"
    assert begun(capsys)[1] == LINE.format(state="your own state")


def test_anywhere_else_it_is_a_copy(course, capsys):
    lesson, _ = begun(capsys)
    lesson.save_text("rarity.csv", "a\n")
    assert not (course / "notebooks" / "state").exists()
    assert begun(capsys)[0].state != lesson.state


def test_the_copy_holds_the_snapshot_before(course, capsys, monkeypatch):
    from labkit.lessons.catalogue import Row

    monkeypatch.setattr(sys.modules["demo_catalogue"] if "demo_catalogue" in sys.modules else __import__("demo_catalogue"), "LESSONS",
                        (Row("89", "before", "Before", 5, "Before"), *catalogue.lessons()))  # fmt: skip
    state = course / "snapshots" / "89-before" / "state"
    state.mkdir(parents=True)
    (state / "a.csv").write_text("x\n", encoding="utf-8")
    lesson, text = begun(capsys)
    assert text == LINE.format(state="state from lesson 89")
    (lesson.state / "a.csv").write_text("changed\n", encoding="utf-8")
    assert (state / "a.csv").read_text(encoding="utf-8") == "x\n"


@pytest.mark.parametrize("end", ["exit", "kill"])
def test_the_copy_is_gone_however_the_kernel_ends(course, tmp_path, end):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    code = "import labkit, sys, os; l = labkit.lesson('90'); l.save_text('a', 'b'); print(l.state.is_dir(), flush=True); sys.stdin.read()"
    environment = os.environ | {"TMPDIR": str(scratch), "PYTHONPATH": str(demo_lesson.DEMO), "LABKIT_COURSE": str(course)}
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True)
    assert process.stdout.readline().startswith("Lesson 90")
    assert process.stdout.readline() == "True\n"
    assert len(list(scratch.glob("labkit-state-*"))) == 1
    process.kill() if end == "kill" else process.stdin.close()
    process.wait(10)
    process.stdout.close()
    for _ in range(100):
        if not list(scratch.iterdir()):
            break
        time.sleep(0.05)
    assert list(scratch.iterdir()) == []


def test_a_link_is_no_work_folder(work, course, capsys, monkeypatch, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / workfolder.MARKER).symlink_to(work / workfolder.MARKER)
    assert not workfolder.is_work_folder(elsewhere)


def test_the_state_shows_no_path(course, capsys):
    lesson, _ = begun(capsys)
    assert repr(lesson.state) == "state/" and isinstance(lesson.state, State) and isinstance(lesson.state / "a", Path)
    assert repr(lesson) == "Lesson 90: A demonstration"


def test_csv_is_the_same_bytes_each_time(course, capsys):
    lesson, _ = begun(capsys)
    table = pd.DataFrame({"word": ["kettle", "the", "été, hiver"], "rarity": [0.95551, -0.45199, math.nan], "n": [2, 5, 3]})
    lesson.save_csv("rarity.csv", table)
    wanted = 'word,rarity,n\nkettle,0.9555,2\nthe,-0.4520,5\n"été, hiver",,3\n'
    assert (lesson.state / "rarity.csv").read_bytes() == wanted.encode()
    lesson.save_csv("sub/rarity.csv", table, decimals=2)
    assert "0.96" in (lesson.state / "sub" / "rarity.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["../x", "/tmp/x", "a/../../x", ""])
def test_a_name_stays_inside_state(course, capsys, name):
    lesson, _ = begun(capsys)
    with pytest.raises(BadArgument):
        lesson.save_text(name, "x")


@pytest.mark.parametrize("what", ["a link", "a file", "a pipe"])
def test_something_else_in_the_place_of_state_is_said_and_left_alone(course, tmp_path, monkeypatch, what):
    work = workfolder.make_work_folder(tmp_path / "work")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    place = work / "state"
    makers = {"a link": lambda: place.symlink_to(elsewhere), "a file": lambda: place.write_text("x"), "a pipe": lambda: os.mkfifo(place)}
    makers[what]()
    monkeypatch.chdir(work)
    with pytest.raises(LessonError, match=r"state/ is a .* try again|state/ is a link") as caught:
        labkit.lesson("90")
    assert caught.value._render_traceback_() == [str(caught.value)]
    assert list(elsewhere.iterdir()) == []


# checks, hints, answers


def rarity(N, n):
    return math.log((N - n + 0.5) / (n + 0.5))


def test_a_check_shows_its_answer(course, capsys):
    lesson, _ = begun(capsys)
    assert said(capsys, lesson.check, "rarity", ...).startswith("Not attempted · How rare is a word?\n")
    assert said(capsys, lesson.check, "rarity").startswith("Not attempted")
    assert said(capsys, lesson.check, "rarity", lambda N, n: math.log(N / n)).startswith("Not yet · ")
    assert said(capsys, lesson.check, "rarity", rarity).startswith("Correct · ")


def test_hints_go_on_and_stay_at_the_last(course, capsys):
    lesson, _ = begun(capsys)
    heads = [said(capsys, lesson.hint, "rarity").split(" · ")[0] for _ in range(5)]
    assert heads == ["Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3", "Hint 3 of 3", "Hint 3 of 3"]
    assert "Hint 1 of 2" in said(capsys, lesson.hint, "without")
    assert 'lesson.solution("rarity")' in said(capsys, lesson.hint, "rarity")


def test_the_solution_is_the_solution(course, capsys):
    lesson, _ = begun(capsys)
    assert "    answer = sections - with_word\n" in said(capsys, lesson.solution, "without")


@pytest.mark.parametrize("what", ["check", "hint", "solution", "predict"])
@pytest.mark.parametrize("name", ["rarty", "", "x" * 1000])
def test_an_unknown_name_is_a_sentence(course, capsys, what, name):
    lesson, _ = begun(capsys)
    text = said(capsys, getattr(lesson, what), name)
    assert text.startswith("Lesson 90 has no ") and text.count("\n") == 1 and len(text) < 250


def test_a_name_with_a_slip_in_it_is_guessed(course, capsys):
    lesson, _ = begun(capsys)
    assert "Did you mean rarity?" in said(capsys, lesson.check, "Rarity", rarity)


@pytest.mark.parametrize("what", ["check", "hint", "solution", "predict"])
@pytest.mark.parametrize("name", [None, 3, rarity, [1], {"a": 1}, pd.DataFrame({"a": [1, 2]})], ids=lambda name: type(name).__name__)
def test_the_name_comes_first(course, capsys, what, name):
    lesson, _ = begun(capsys)
    text = said(capsys, getattr(lesson, what), name)
    assert "comes first, in quotes" in text and "0x" not in text
    assert "comes first, in quotes" in said(capsys, getattr(lesson, what))


ODD_GUESSES = [pd.DataFrame({"a": [1, 2]}), np.array([1, 2]), [1], 10**6000, rarity, None, True, pd.NA, 1 + 2j]


@pytest.mark.parametrize("guess", ODD_GUESSES, ids=range(len(ODD_GUESSES)))
@pytest.mark.parametrize("kind", ["number", "text", "choice"])
def test_whatever_is_guessed_gets_a_sentence(kind, guess):
    prediction = Prediction("twice", 1, kind=kind, choices=("more", "less"))
    fault = prediction.fault(guess)
    assert fault and "0x" not in fault and len(fault) < 200


@pytest.mark.parametrize(
    ("guess", "choices", "kept"),
    [
        ("Yes ", ("yes", "no"), "yes"), (True, ("yes", "no"), "yes"), (False, ("yes", "no"), "no"),
        (3, ("2", "3"), "3"), ("c", ("C", "E"), "C"),
        ("a", ("A", "a"), "a"), ("maybe", ("yes", "no"), None), (True, ("more", "less"), None),
        ("", ("yes", "no"), None), (3.5, ("3", "4"), None),
    ],
)  # fmt: skip
def test_a_choice_is_not_lost_to_a_capital(guess, choices, kept):
    prediction = Prediction("x", choices[0], kind="choice", choices=choices)
    assert (prediction.fault(guess) is None) == (kept is not None)
    assert kept is None or prediction.taken(guess) == kept


@pytest.mark.parametrize(("kind", "guess", "kept"), [
    ("number", np.float32(1.5), 1.5), ("number", Fraction(3, 2), 1.5), ("number", np.int64(3), 3), ("number", 3, 3),
    ("text", "a\ud800", "a?"), ("text", np.str_("x"), "x"), ("text", "y" * 5000, "y" * 1000),
])  # fmt: skip
def test_a_guess_is_kept_in_a_form_that_a_file_can_hold(tmp_path, kind, guess, kept):
    prediction = Prediction("twice", 1, kind=kind)
    assert prediction.fault(guess) is None
    predictions.keep(tmp_path, "90", "twice", prediction.taken(guess))
    assert predictions.read(tmp_path) == {"90": {"twice": kept}}


@pytest.mark.parametrize("what", ["a pipe", "a link", "a folder", "deep", "no JSON", "a list"])
def test_guesses_that_cannot_be_read_hold_nobody_up(tmp_path, what):
    place = tmp_path / predictions.FILE
    makers = {
        "a pipe": lambda: os.mkfifo(place), "a link": lambda: place.symlink_to("/dev/zero"), "a folder": place.mkdir,
        "deep": lambda: place.write_text("[" * 200_000), "no JSON": lambda: place.write_bytes(b"\xff"),
        "a list": lambda: place.write_text("[1]"),
    }  # fmt: skip
    makers[what]()
    assert predictions.read(tmp_path) == {}


def test_answer_is_the_learners_once_it_is_correct(course, capsys):
    lesson, _ = begun(capsys)
    stand_in = lesson.answer("rarity")
    assert "a ready one stands in" in capsys.readouterr().out and stand_in(8, 2) == pytest.approx(0.9555, abs=1e-4)
    lesson.check("rarity", lambda N, n: 1.0)
    capsys.readouterr()
    assert lesson.answer("rarity") is not rarity
    lesson.check("rarity", rarity)
    capsys.readouterr()
    assert lesson.answer("rarity") is rarity and capsys.readouterr().out == ""
    lesson.check("rarity", lambda N, n: 1.0)
    assert lesson.answer("rarity") is not rarity


def test_a_check_that_is_stopped_says_so_and_stops(course, capsys, monkeypatch):
    lesson, _ = begun(capsys)

    def stopped(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        lesson.check("rarity", stopped)
    assert caught.value._render_traceback_() == ["The check was stopped before it came to its end."]


def test_a_checker_that_fails_says_so_without_a_traceback(course, capsys, monkeypatch):
    lesson, _ = begun(capsys)

    def broken(*_, **__):
        raise RuntimeError("inside")

    monkeypatch.setattr(lesson._exercises["rarity"], "check", broken)
    text = said(capsys, lesson.check, "rarity", rarity)
    assert text.startswith("Not yet") and "RuntimeError: inside" in text and "Traceback" not in text
    monkeypatch.setenv("LABKIT_DEBUG", "1")
    with pytest.raises(RuntimeError):
        lesson.check("rarity", rarity)


# predictions


def test_a_prediction_is_shown_beside_the_result(course, capsys):
    lesson, _ = begun(capsys)
    assert "No prediction yet" in said(capsys, lesson.predict, "twice", ...)
    assert "No guess was made. Measured: 1.34." in said(capsys, lesson.reveal, "twice", 1.3432)
    assert "Noted. Your guess: 1.50." in said(capsys, lesson.predict, "twice", 1.5)
    assert "Your guess: 1.50. Measured: 1.34." in said(capsys, lesson.reveal, "twice", 1.3432)


def test_a_guess_is_kept_in_a_work_folder_beside_the_state(work, capsys):
    lesson, _ = begun(capsys)
    said(capsys, lesson.predict, "twice", 1.5)
    assert json.loads((work / "predictions.json").read_text(encoding="utf-8")) == {"90": {"twice": 1.5}}
    again, _ = begun(capsys)
    assert "Your earlier guess stands: 1.50." in said(capsys, again.predict, "twice", ...)
    assert "Your guess: 1.50." in said(capsys, again.reveal, "twice", 1.3432)


def test_a_guess_that_cannot_stand_is_not_kept(work, capsys):
    lesson, _ = begun(capsys)
    for guess in (-1, "a", None, math.nan, pd.Series([1.0])):
        assert "is" in said(capsys, lesson.predict, "twice", guess)
    assert not (work / "predictions.json").exists()


@pytest.mark.parametrize("content", ["", "[1]", "{", '{"90": 3}', "\0"])
def test_a_spoilt_predictions_file_counts_as_empty(work, capsys, content):
    (work / "predictions.json").write_text(content, encoding="utf-8")
    lesson, _ = begun(capsys)
    said(capsys, lesson.predict, "twice", 2)
    assert json.loads((work / "predictions.json").read_text(encoding="utf-8")) == {"90": {"twice": 2}}


def test_other_lessons_guesses_stay(work, capsys):
    (work / "predictions.json").write_text('{"03": {"x": 1}}', encoding="utf-8")
    said(capsys, begun(capsys)[0].predict, "twice", 2)
    assert json.loads((work / "predictions.json").read_text(encoding="utf-8")) == {"03": {"x": 1}, "90": {"twice": 2}}


# the work folder


def test_lessons_are_laid_without_outputs_and_once(work, course):
    source = course / "notebooks" / f"{demo_lesson.NAME}.ipynb"
    notebook = json.loads(source.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "0.9555"}]
            cell["execution_count"] = 4
    source.write_text(json.dumps(notebook), encoding="utf-8")
    done = workfolder.open_lessons(work, course / "notebooks")
    assert (done.copied, done.kept) == ([source.name], [])
    laid = json.loads((work / source.name).read_text(encoding="utf-8"))
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in laid["cells"] if cell["cell_type"] == "code")
    (work / source.name).write_text("mine", encoding="utf-8")
    done = workfolder.open_lessons(work, course / "notebooks", ["90"])
    assert (done.copied, done.kept) == ([], [source.name])
    assert (work / source.name).read_text(encoding="utf-8") == "mine"
    assert [path.name for path in sorted(work.iterdir()) if not path.name.startswith(".labkit-")] == [source.name]


def test_links_are_kept_not_followed(work, course, tmp_path):
    for target in (tmp_path / "nowhere", tmp_path / "somewhere"):
        (work / f"{demo_lesson.NAME}.ipynb").unlink(missing_ok=True)
        if target.name == "somewhere":
            target.write_text("theirs", encoding="utf-8")
        (work / f"{demo_lesson.NAME}.ipynb").symlink_to(target)
        assert workfolder.open_lessons(work, course / "notebooks").kept
    assert not (tmp_path / "nowhere").exists() and (tmp_path / "somewhere").read_text(encoding="utf-8") == "theirs"


def test_making_it_twice_changes_nothing(work):
    before = (work / workfolder.MARKER).read_bytes()
    assert workfolder.make_work_folder(work) == work
    assert (work / workfolder.MARKER).read_bytes() == before


@pytest.mark.parametrize("kind", ["link", "file", "full", "read-only"])
def test_what_cannot_be_a_work_folder(course, kind, tmp_path):
    place = tmp_path / "place"
    if kind == "link":
        (tmp_path / "target").mkdir()
        place.symlink_to(tmp_path / "target")
    elif kind == "file":
        place.write_text("x", encoding="utf-8")
    elif kind == "full":
        place.mkdir()
        (place / "thesis.txt").write_text("x", encoding="utf-8")
    else:
        if os.geteuid() == 0:
            place = Path("/proc/labkit-cannot-be-made")
        else:
            tmp_path.chmod(0o500)
    with pytest.raises(workfolder.WorkFolderError, match=r"—"):
        workfolder.make_work_folder(place)
    if kind == "link":
        assert list((tmp_path / "target").iterdir()) == []
    tmp_path.chmod(0o700)


def test_no_lessons_go_where_there_is_no_marker(course, tmp_path):
    with pytest.raises(workfolder.WorkFolderError, match="no work folder yet"):
        workfolder.open_lessons(tmp_path, course / "notebooks")
