"""labkit update: a newer edition is laid beside the learner's, dated, over nothing; and what changed is said."""

from __future__ import annotations

import json
from datetime import date

import pytest
from broken_disks import tree
from command_line import run
from hypothesis import given
from hypothesis import strategies as st
from small_course import ROWS, a_course, cell, cells, learner, notebook

from labkit.lessons import editions, updating
from labkit.lessons.inside import NotInside
from labkit.lessons.updating import CURRENT, LAID, OLDER, THERE, UpdateError, update

NB = ROWS[1].notebook
DAY, NEXT = date(2026, 11, 30), date(2026, 12, 1)
NEW = "02-second.new-2026-11-30.ipynb"


@pytest.fixture
def place(tmp_path, monkeypatch):
    return a_course(tmp_path, monkeypatch)


@pytest.fixture
def work(place):
    return learner(place)


def newer(place, title="# 02 · Newer", made_with="1.1") -> bytes:
    """A newer edition of lesson 02 in the course: two cells changed, one new, one gone."""
    one, two, three, _ = cells("02")
    two = cell("begin", f'import labkit\n\nlesson = labkit.lesson("02", made_with="{made_with}")')
    made = notebook(one | {"source": [title]}, two, three, cell("brand-new", "print(2)"))
    (place / "notebooks" / NB).write_bytes(made)
    return made


def edit(work, name=NB, **sources) -> None:
    """The learner edits cells."""
    found = json.loads((work / name).read_text(encoding="utf-8"))
    for each in found["cells"]:
        if each["id"].replace("-", "_") in sources:
            each["source"] = sources[each["id"].replace("-", "_")]
    (work / name).write_text(json.dumps(found), encoding="utf-8")


def test_the_same_edition_is_current_whatever_the_learner_did(place, work):
    edit(work, title="mine", exercise_one="answer = 41", last="more()")
    before = tree(work)
    assert update(place, work, "02", DAY).outcome == CURRENT
    assert tree(work) == before


def test_a_newer_edition_is_laid_beside_without_outputs(place, work):
    newer(place)
    edit(work, begin="my own", exercise_one="answer = 41")
    before = tree(work)
    made = update(place, work, "02", DAY)
    assert (made.outcome, made.name) == (LAID, NEW)
    assert (set(made.changed), made.added, made.gone) == ({"title", "begin"}, ("brand-new",), ("last",))
    assert made.edited == ("begin",) and made.known and made.fault is None
    after = tree(work)
    del before[".labkit-editions.json"]
    assert {name: after[name] for name in before} == before, "the learner's files stay as they are"
    assert not [each for each in json.loads(after[NEW])["cells"] if each.get("outputs")]


def test_a_second_run_says_that_it_is_there_today_and_tomorrow(place, work):
    newer(place)
    update(place, work, "02", DAY)
    edit(work, NEW, exercise_one="answer = 42", title="# edited")
    before = tree(work)
    for day in (DAY, NEXT):
        made = update(place, work, "02", day)
        assert (made.outcome, made.name) == (THERE, NEW)
    assert tree(work) == before


def test_two_editions_on_one_day_get_two_names(place, work):
    newer(place)
    update(place, work, "02", DAY)
    newer(place, "# newer still", "1.2")
    made = update(place, work, "02", DAY)
    assert (made.outcome, made.name) == (LAID, "02-second.new-2026-11-30-2.ipynb")
    assert update(place, work, "02", DAY).outcome == THERE


def test_a_file_of_that_name_is_never_overwritten(place, work):
    newer(place)
    (work / NEW).write_bytes(b"mine")
    assert update(place, work, "02", DAY).name == "02-second.new-2026-11-30-2.ipynb"
    assert (work / NEW).read_bytes() == b"mine"


def test_who_goes_on_with_the_new_one_under_the_old_name_is_up_to_date(place, work):
    newer(place)
    edit(work, exercise_one="answer = 41")
    update(place, work, "02", DAY)
    (work / NB).rename(work / "old.ipynb")
    (work / NEW).rename(work / NB)
    edit(work, exercise_one="answer = 41")
    assert update(place, work, "02", NEXT).outcome == CURRENT


def test_a_reset_brings_the_edition_of_its_snapshot(place, work):
    one = newer(place)
    found = json.loads(one)
    found["cells"][2]["source"] = "answer = 42"
    (place / "snapshots" / ROWS[1].name / NB).write_text(json.dumps(found), encoding="utf-8")
    run("reset", "02")
    assert update(place, work, "02", DAY).outcome == CURRENT
    run("undo")
    assert update(place, work, "02", DAY).outcome == LAID


def test_a_course_that_went_back_to_an_older_edition(place):
    old = (place / "notebooks" / NB).read_bytes()
    newer(place)
    work = learner(place)
    editions.note(work, "02", old)
    editions.note(work, "02", (place / "notebooks" / NB).read_bytes())
    (place / "notebooks" / NB).write_bytes(old)
    before = tree(work)
    assert update(place, work, "02", DAY).outcome == OLDER
    assert tree(work) == before


@pytest.mark.parametrize("notes", [None, b"", b"{", b"[]", b'{"02": 3}', b'{"02": [3, {"a": 4}]}'])
def test_a_folder_without_notes_of_editions(place, work, notes):
    (work / editions.FILE).unlink()
    if notes is not None:
        (work / editions.FILE).write_bytes(notes)
    edit(work, exercise_one="answer = 41")
    assert update(place, work, "02", DAY).outcome == CURRENT, "all cells that are not to be filled in are this edition's"
    newer(place)
    made = update(place, work, "02", DAY)
    assert made.outcome == LAID and not made.known and "title" in made.changed


@pytest.mark.parametrize("content, said", [(b"", "empty"), (b"{", "no JSON"), (b"<<<<<<< a\n=======\n>>>>>>> b\n", "merge conflict")])
def test_a_copy_that_cannot_be_read_does_not_keep_the_new_one_away(place, work, content, said):
    newer(place)
    (work / NB).write_bytes(content)
    made = update(place, work, "02", DAY)
    assert made.outcome == LAID and said in made.fault
    assert (work / NB).read_bytes() == content
    assert update(place, work, "02", DAY).outcome == THERE


def test_what_is_missing_is_said(place, work):
    (work / NB).unlink()
    with pytest.raises(UpdateError, match="labkit open"):
        update(place, work, "02", DAY)
    (place / "notebooks" / NB).unlink()
    with pytest.raises(UpdateError, match="is the course complete"):
        update(place, work, "02", DAY)
    (place / "notebooks" / NB).write_bytes(b"{")
    (work / NB).write_bytes(b"{}")
    with pytest.raises(UpdateError, match="cannot be used"):
        update(place, work, "02", DAY)


def test_a_link_is_refused_and_one_in_the_place_of_the_new_name_is_not_followed(place, work):
    newer(place)
    (place / "precious").write_bytes(b"precious")
    (work / NEW).symlink_to(place / "precious")
    assert update(place, work, "02", DAY).name == "02-second.new-2026-11-30-2.ipynb"
    (work / NB).unlink()
    (work / NB).symlink_to(place / "precious")
    with pytest.raises(NotInside):
        update(place, work, "02", DAY)
    assert (place / "precious").read_bytes() == b"precious"


def test_a_disk_that_is_full_is_said(place, work, monkeypatch):
    newer(place)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(updating, "write_atomically", full)
    before = tree(work)
    with pytest.raises(UpdateError, match="No space left"):
        update(place, work, "02", DAY)
    assert tree(work) == before


def test_the_command(place, work, labkit):
    code, out, _ = labkit("update", "2")
    assert code == 0 and "newest edition" in out
    newer(place)
    edit(work, begin="mine")
    code, out, _ = labkit("update", "02")
    text = " ".join(out.split())
    assert code == 0 and f"02-second.new-{date.today().isoformat()}.ipynb" in text
    for sentence in ("Cells changed: title, begin.", "Cells added: brand-new.", "Cells gone: last.", "Of these you worked on: begin."):
        assert sentence in text
    code, out, _ = labkit("update", "02", "--json")
    assert json.loads(out)["outcome"] == "there"
    assert labkit("update", "77")[0] == 2


# which edition a copy was made from

keys = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(["1", "2"]))


@given(st.lists(keys, max_size=4), keys)
def test_the_nearest_edition_is_chosen_and_the_latest_of_equals(known, mine):
    place = editions.made_from(mine, known)
    assert (place is None) == (not known)
    if known:
        shared = [len(mine.items() & each.items()) for each in known]
        assert shared[place] == max(shared) and max(shared) not in shared[place + 1 :]


# the notebook's own word: made_with


@pytest.mark.parametrize("made_with, said", [("0.1", True), ("99.0", True), (None, False), ("ours", False)])
def test_a_notebook_of_another_labkit_goes_on_with_a_plain_word(made_with, said, capsys, monkeypatch, tmp_path):
    import labkit

    monkeypatch.chdir(tmp_path)
    made_with = labkit.__version__ if made_with == "ours" else made_with
    lesson = labkit.lesson("03", made_with=made_with)
    out = capsys.readouterr().out
    word = f"written for labkit {made_with}; you have {labkit.__version__}"
    assert (word in out) == said and ("written for" in out) == said
    assert lesson.number == "03"
