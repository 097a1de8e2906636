"""labkit room: a class from recorded answers, fast, and unharmed by anything that stands in a learner's folder."""

from __future__ import annotations

import csv
import io
import json
import os
import time
from datetime import date

import demo_lesson
import nbformat
import pytest

from labkit.errors import BadArgument, LabError
from labkit.lessons import catalogue, predictions, room
from labkit.lessons.answers import ANSWER_MIME, CORRECT, NOT_ATTEMPTED, NOT_YET, PREDICTION_MIME, digest
from labkit.lessons.workfolder import make_work_folder, open_lessons
from labkit.show.tables import display_width

NAME = f"{demo_lesson.NAME}.ipynb"


@pytest.fixture(scope="module", autouse=True)
def demo_course(tmp_path_factory):
    """The demonstration course, not recorded: learners' folders are filled by hand here."""
    patch = pytest.MonkeyPatch()
    patch.setenv("LABKIT_LESSONS", "demo_catalogue")
    patch.syspath_prepend(str(demo_lesson.DEMO))
    folder = demo_lesson.course(tmp_path_factory.mktemp("course"))
    patch.setenv("LABKIT_COURSE", str(folder))
    yield folder
    patch.undo()


def answer(exercise, status, source, **more):
    data = {"lesson": "90", "exercise": exercise, "status": status, "mistake": None, "value": None, "digest": digest(source)} | more
    return {"output_type": "display_data", "metadata": {}, "data": {"text/plain": "x", ANSWER_MIME: data}}


def guess(value, status="noted", name="twice"):
    data = {"lesson": "90", "prediction": name, "status": status, "guess": value}
    return {"output_type": "display_data", "metadata": {}, "data": {"text/plain": "x", PREDICTION_MIME: data}}


def ran(cell, source, *outputs):
    cell["source"], cell["outputs"], cell["execution_count"] = source, list(outputs), 7


def learner(folder, course, **done):
    """A work folder in which each exercise of `done`, name -> (source, status), was checked; `twice` is a guess, `edit` changes cells."""
    make_work_folder(folder)
    open_lessons(folder, course / "notebooks")
    notebook = json.loads((folder / NAME).read_text(encoding="utf-8"))
    cells = {cell["id"]: cell for cell in notebook["cells"]}
    edit, twice = done.pop("edit", None), done.pop("twice", None)
    for name, (source, status) in done.items():
        ran(cells[f"exercise-{name}"], source, answer(name, status, source))
    if twice is not None:
        ran(cells["predict-twice"], f'lesson.predict("twice", {twice})', guess(twice))
    if edit:
        edit(notebook["cells"], cells)
    (folder / NAME).write_text(json.dumps(notebook), encoding="utf-8")
    return folder


def solutions():
    return {name: (each.solution, CORRECT) for name, each in catalogue.row("90").exercises().items()}


def row_of(folder, name):
    return next(each for each in room.room(folder) if each.name == name)


def counts(row):
    return row.correct, row.not_yet, row.not_attempted, row.stale


# --- what is counted ---------------------------------------------------------------------------------------------------------------------


def test_each_learner_gets_a_row(demo_course, tmp_path):
    stub = catalogue.row("90").exercises()["causes"].stub
    done = {"rarity": ("mine", CORRECT), "without": ("answer = 2", NOT_YET), "causes": (stub, NOT_ATTEMPTED)}
    learner(tmp_path / "Amira", demo_course, **done, twice=2)
    learner(tmp_path / "grace" / "work", demo_course)
    (tmp_path / "a file.txt").write_text("x")
    (tmp_path / ".hidden").mkdir()
    amira, grace = room.room(tmp_path)
    assert (amira.name, amira.furthest, counts(amira), amira.guesses) == ("Amira", "90", (1, 1, 1, 0), {("90", "twice"): 2})
    assert (grace.name, grace.furthest, counts(grace), grace.guesses) == ("grace", "", (0, 0, 3, 0), {})
    assert amira.changed == date.today() and amira.faults == grace.faults == () and amira.exercises == 3


def test_an_answer_to_another_source_is_stale(demo_course, tmp_path):
    def edit(cells, by_id):
        by_id["exercise-rarity"]["source"] += "\n# and one thought more"
        by_id["exercise-without"]["outputs"][0]["data"][ANSWER_MIME]["digest"] = None
        by_id["exercise-causes"]["source"] = "\n" + by_id["exercise-causes"]["source"] + "\n"  # white space at the ends is no change

    learner(tmp_path / "a", demo_course, rarity=("a", CORRECT), without=("b", NOT_YET), causes=("c", CORRECT), edit=edit)
    row = row_of(tmp_path, "a")
    assert counts(row) == (1, 0, 0, 2) and row.answers["90"]["rarity"].stale and not row.answers["90"]["causes"].stale


def test_of_doubled_cells_the_last_counts_and_a_lost_one_was_never_checked(demo_course, tmp_path):
    def edit(cells, by_id):
        cells.remove(by_id["exercise-without"])
        cells.append(json.loads(json.dumps(by_id["exercise-rarity"])))
        ran(cells[-1], "second", answer("rarity", NOT_YET, "second"))
        cells.reverse()
        cells.append(nbformat.v4.new_code_cell("third"))
        ran(cells[-1], "third", answer("rarity", NOT_YET, "third"), answer("rarity", CORRECT, "third"))

    learner(tmp_path / "a", demo_course, rarity=("first", NOT_YET), without=("b", CORRECT), edit=edit)
    assert counts(row_of(tmp_path, "a")) == (1, 0, 2, 0)


def test_the_courses_own_solution_is_marked(demo_course, tmp_path):
    learner(tmp_path / "laid", demo_course, **solutions())
    learner(tmp_path / "own", demo_course, **(solutions() | {"rarity": ("my own", CORRECT)}), twice=1.5)
    laid, own = room.room(tmp_path)
    assert (laid.correct, laid.given, laid.guesses) == (3, 3, {})
    assert (own.correct, own.given, own.guesses) == (3, 2, {("90", "twice"): 1.5})


def test_guesses_that_were_written_down_count_without_a_notebooks_outputs(demo_course, tmp_path):
    learner(tmp_path / "a", demo_course)
    predictions.keep(tmp_path / "a", "90", "twice", 1.25)
    assert row_of(tmp_path, "a").guesses == {("90", "twice"): 1.25}


NO_GUESSES = [True, None, [1], {"a": 1}, "two", -1, 10**400, 10**16, float("nan"), float("inf"), "\x1b[31m"]


@pytest.mark.parametrize("value", NO_GUESSES, ids=lambda value: repr(value)[:9])
def test_a_guess_that_cannot_stand_is_none(demo_course, tmp_path, value):
    def edit(cells, by_id):
        ran(by_id["predict-twice"], 'lesson.predict("twice", 1)', guess(value))

    learner(tmp_path / "a", demo_course, edit=edit)
    (tmp_path / "a" / predictions.FILE).write_text(json.dumps({"90": {"twice": value}}))
    row = row_of(tmp_path, "a")
    assert row.guesses == {} and room.histogram([row], "90.twice").silent == 1


def test_the_last_change_is_the_day_of_the_newest_file_and_links_do_not_count(demo_course, tmp_path):
    folder = learner(tmp_path / "a", demo_course)
    (folder / "state").mkdir()
    (folder / "state" / "x.csv").write_text("x")
    newest = tmp_path / "newest"
    newest.write_text("x")
    for path, day in [(folder / NAME, "2025-01-02"), (folder / "state" / "x.csv", "2025-03-04"), (folder / "state", "2025-02-02")]:
        when = time.mktime(time.strptime(day, "%Y-%m-%d"))
        os.utime(path, (when + 43200,) * 2)
    assert row_of(tmp_path, "a").changed == date(2025, 3, 4)


# --- folders as they come ----------------------------------------------------------------------------------------------------------------


def test_unreadable_broken_and_linked_folders_are_named(demo_course, tmp_path, monkeypatch):
    secret = learner(tmp_path / "elsewhere" / "secret", demo_course, rarity=("x", CORRECT))
    top = tmp_path / "room"
    top.mkdir()
    (top / "linked").symlink_to(secret)
    (top / "nothing").mkdir()
    (top / "inside").mkdir()
    (top / "inside" / "work").symlink_to(secret)
    learner(top / "two" / "old", demo_course)
    learner(top / "two" / "work", demo_course, rarity=("x", CORRECT))
    learner(top / "two" / "work-backups" / "0001", demo_course)
    (learner(top / "torn", demo_course) / NAME).write_bytes(b'{"cells": [\n<<<<<<< ours\n=======\n>>>>>>> theirs\n')
    (learner(top / "link-in-it", demo_course) / NAME).unlink()
    (top / "link-in-it" / NAME).symlink_to(secret / NAME)
    (top / "locked").mkdir()
    real = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: (_ for _ in ()).throw(PermissionError(13, "Permission denied"))
                        if str(path).endswith("locked") else real(path))  # fmt: skip
    rows = {each.name: each for each in room.room(top)}
    assert list(rows) == ["inside", "link-in-it", "linked", "locked", "nothing", "torn", "two"]
    for name, words in [("linked", "not followed"), ("nothing", "No work folder"), ("inside", "No work folder"), ("torn", "merge conflict"),
                        ("link-in-it", "link"), ("locked", "Permission denied")]:  # fmt: skip
        assert words in " ".join(rows[name].faults) and rows[name].correct == 0, name
    assert rows["two"].correct == 1 and "2 work folders" in rows["two"].faults[0]


def test_notebooks_alone_count_as_a_work_folder_and_a_work_folder_is_a_room_of_one(demo_course, tmp_path):
    folder = learner(tmp_path / "Omar", demo_course, rarity=("x", CORRECT))
    (folder / ".labkit-work.json").unlink()
    assert row_of(tmp_path, "Omar").correct == 1
    assert [each.name for each in room.room(folder)] == ["Omar"]
    link = demo_course.parent / "class"
    link.symlink_to(folder.parent)  # the folder that was asked for may be a link itself
    assert [each.name for each in room.room(link)] == ["Omar"]


def test_no_folder_a_file_and_an_empty_folder_are_errors(tmp_path):
    (tmp_path / "file").write_text("x")
    for name, kind in [("nowhere", BadArgument), ("file", BadArgument)]:
        with pytest.raises(kind, match="learners"):
            room.room(tmp_path / name)
    with pytest.raises(LabError, match="no folders"):
        room.room(tmp_path)


# --- hostile notebooks -------------------------------------------------------------------------------------------------------------------

HOSTILE = {
    "huge": b" " * (room.read_bytes.__defaults__[0] + 1),
    "deep": b"[" * 1_000_000,
    "deep in a cell": b'{"cells": [{"source": ' + b"[" * 500_000 + b"]}]}",
    "a long number": b'{"cells": [{"execution_count": ' + b"9" * 10_000 + b"}]}",
    "not UTF-8": b'{"cells": ["\xff"]}',
    "cells of a wrong type": b'{"cells": {"0": {}}}',
    "a cell of a wrong type": b'{"cells": [3]}',
    "outputs of wrong types": json.dumps({"cells": [
        {"cell_type": "code", "id": 3, "source": {"a": 1}, "outputs": [3, {}, {"data": []}, {"data": {ANSWER_MIME: []}},
         {"data": {ANSWER_MIME: {"lesson": "90", "exercise": ["rarity"], "status": {}}}},
         {"data": {ANSWER_MIME: {"lesson": "90", "exercise": "rarity", "status": "splendid"}}},
         {"data": {ANSWER_MIME: {"lesson": ["90"], "exercise": "rarity", "status": "correct"}}},
         {"data": {PREDICTION_MIME: {"lesson": "90", "prediction": ["twice"], "status": [], "guess": []}}}]},
        {"cell_type": "code", "outputs": {"a": 1}, "execution_count": "1"}, {"cell_type": "code", "source": [1, None]}]}).encode(),
    "code that writes": json.dumps({"cells": [{"cell_type": "code", "source": "open('/tmp/never', 'w')", "outputs": []}]}).encode(),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_notebook_counts_as_nothing_and_the_others_are_read(demo_course, tmp_path, kind):
    (learner(tmp_path / "mean", demo_course) / NAME).write_bytes(HOSTILE[kind])
    learner(tmp_path / "nice", demo_course, rarity=("x", CORRECT))
    began = time.process_time()
    mean, nice = room.room(tmp_path)
    assert counts(mean) == (0, 0, 3, 0) and nice.correct == 1 and time.process_time() - began < 5


def test_a_pipe_does_not_hold_it_up(demo_course, tmp_path):
    folder = learner(tmp_path / "a", demo_course)
    (folder / NAME).unlink()
    os.mkfifo(folder / NAME)
    assert "no plain file" in row_of(tmp_path, "a").faults[0]


NAMES = ["=1+1", "+1", "-1", "@SUM(A1)", "＝1", "|cmd", "\x1b[31mred", "a\nb", "\u202eevil", "<b>x", "[red]x", "a\tb", "\x9b31m",
         "é" * 90, "漢字" * 30, '"q", ;', "'quoted"]  # fmt: skip


def test_names_of_all_kinds_harm_neither_terminal_nor_spreadsheet(demo_course, tmp_path, labkit):
    for name in NAMES:
        learner(tmp_path / name[:60], demo_course)
    os.mkdir(os.fsencode(tmp_path) + b"/bad\xff")
    code, out, err = labkit("room", tmp_path)
    assert (code, err) == (0, "")
    for form in ("", "--csv", "--json"):
        code, out, _ = labkit("room", tmp_path, *([form] if form else []))
        assert code == 0 and not [char for char in out if char != "\n" and (ord(char) < 32 or 127 <= ord(char) < 160 or char == "\u202e")]
        if not form:
            assert max(map(display_width, out.split("\n"))) <= 80 and "<b>x" in out and "[red]x" in out
    rows = list(csv.reader(io.StringIO(labkit("room", tmp_path, "--csv")[1])))
    assert len(rows) == len(NAMES) + 2 and {len(row) for row in rows} == {len(room.COLUMNS)}
    assert not [cell for row in rows for cell in row if cell[:1] in tuple("=+-@\t\r＝|%")]
    assert "'=1+1" in [row[0] for row in rows]


# --- a whole class -----------------------------------------------------------------------------------------------------------------------


def test_sixty_folders_take_seconds(demo_course, tmp_path):
    # 300 kB, as a lesson with figures has
    picture = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "iVBOR" * 60_000}}

    def edit(cells, by_id):
        ran(by_id["worked-example"], f"x = {len(list(tmp_path.iterdir()))}", picture)

    for number in range(60):
        learner(tmp_path / f"learner {number:02}", demo_course, rarity=(f"mine {number}", CORRECT), twice=1 + number / 10, edit=edit)
    began = time.process_time()
    rows = room.room(tmp_path)
    assert time.process_time() - began < 5
    assert [each.correct for each in rows] == [1] * 60 and len({each.name for each in rows}) == 60
    bars = room.histogram(rows, "90.twice")
    assert (bars.count, bars.silent, sum(number for _, number in bars.bars)) == (60, 0, 60)


# --- the room's guesses ------------------------------------------------------------------------------------------------------------------


def rows_with(values, lesson="90", name="twice"):
    return [room.LearnerRow(str(place), guesses={} if value is None else {(lesson, name): value}) for place, value in enumerate(values)]


@pytest.mark.parametrize(
    ("values", "bars"),
    [
        ([2, 2.0, 1.5, None], [("1.50", 1), ("2", 2)]),
        ([], []),
        ([0], [("0", 1)]),
        (list(range(20)), [("under 0", 0)] * 0 + [("0 to 2.5", 3), ("2.5 to 5", 2), ("5 to 7.5", 3), ("7.5 to 10", 2), ("10 to 12.5", 3),
                           ("12.5 to 15", 2), ("15 to 17.5", 3), ("17.5 to 20", 2)]),
    ],
)  # fmt: skip
def test_guesses_fall_into_bars(values, bars):
    found = room.histogram(rows_with(values), "90.twice")
    assert list(found.bars) == bars and found.silent == sum(value is None for value in values)


def test_a_guess_far_out_does_not_press_the_others_into_one_bar():
    found = room.histogram(rows_with([1 + number / 10 for number in range(40)] + [1e12]), "90.twice")
    assert len(found.bars) > 5 and found.bars[-1][1] == 1 and "and more" in found.bars[-1][0]
    assert sum(number for _, number in found.bars) == 41


def test_choices_keep_their_order_and_texts_are_counted_without_capitals(monkeypatch):
    kinds = {
        "c": predictions.Prediction("c", "yes", kind="choice", choices=("yes", "no", "maybe")),
        "t": predictions.Prediction("t", "x", kind="text"),
    }
    monkeypatch.setattr(catalogue.Row, "predictions", lambda self: kinds)
    monkeypatch.setattr(catalogue.Row, "texts", lambda self: {"predictions": {"c": {"title": "C"}, "t": {"title": "T"}}})
    assert room.histogram(rows_with(["no", "no", "yes"], name="c"), "90.c").bars == (("yes", 1), ("no", 2), ("maybe", 0))
    found = room.histogram(rows_with(["Tea ", "tea", "\x1b[2Jcoffee", "漢" * 90], name="t"), "90.t")
    assert found.bars[0] == ("tea", 2) and not any("\x1b" in label for label, _ in found.bars)
    assert max(display_width(line) for line in found.lines(40)) <= 40


@pytest.mark.parametrize("count", [1, 79, 5000])
def test_bars_fit_the_width_and_what_is_there_is_seen(count):
    found = room.Histogram("90", "twice", "T", (("few", 1), ("many", count)), count + 1, 0)
    lines = found.lines(60)
    assert max(map(len, lines)) <= 60 and all("#" in line for line in lines)


@pytest.mark.parametrize("wanted, near", [("twice", "90.twice"), ("90.twise", "90.twice"), ("zzz", None)])
def test_a_prediction_that_there_is_not(demo_course, wanted, near):
    with pytest.raises(BadArgument) as raised:
        room.histogram([], wanted)
    said = str(raised.value)
    assert (f"did you mean {near}? there are 90.twice" in said) if near else ("did you mean" not in said and "there are 90.twice" in said)


def test_room_on_the_command_line(demo_course, tmp_path, labkit):
    learner(tmp_path / "Amira", demo_course, **solutions(), twice=2)
    learner(tmp_path / "Mei", demo_course, rarity=("x", NOT_YET), twice=2,
            edit=lambda cells, by_id: by_id["exercise-rarity"].update(source="y"))  # fmt: skip
    code, out, err = labkit("room", tmp_path, "--guesses", "90.twice")
    assert (code, err) == (0, "") and "3 (3*)" in out and "stale:" in out and "2  ##" in out and "2 guesses, 0 without one." in out
    code, out, _ = labkit("room", tmp_path, "--json", "--guesses", "90.twice")
    found = json.loads(out)
    assert [each["correct"] for each in found["learners"]] == [3, 0] and found["guesses"]["bars"] == [{"label": "2", "count": 2}]
    rows = list(csv.DictReader(io.StringIO(labkit("room", tmp_path, "--csv")[1])))
    assert [(each["name"], each["correct"], each["stale"]) for each in rows] == [("Amira", "3", "0"), ("Mei", "0", "1")]
    for wrong in (["--guesses", "90.nothing"], ["--csv", "--json"], ["--csv", "--guesses", "90.twice"]):
        code, out, err = labkit("room", tmp_path, *wrong)
        assert (code, out) == (2, "") and err
    assert "90.twice" in labkit("room", tmp_path, "--guesses", "x")[2]
    assert labkit("room", tmp_path / "nowhere")[0] == 2
