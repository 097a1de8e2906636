"""Every lesson: its recorded outputs hold, it keeps to the rules, its exercises teach, and its snapshot is what it leaves.

One class a lesson, so that pytest-xdist's loadscope runs lessons side by side.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from labkit.lessons import catalogue, lint, notebooks, proof, rules, running

COURSE = Path(__file__).resolve().parent.parent


class OneLesson:
    row: catalogue.Row

    def nothing(self, found):
        where = f"lesson {self.row.number}"
        said = [each if each.startswith(where) else f"{where}, {each}\nwhere the notebook is meant as it is: make record" for each in found]
        assert not found, "\n\n".join(said)

    @pytest.mark.timeout(300)
    def test_the_recorded_outputs_hold(self):
        self.nothing(proof.unsolved_faults(self.row, COURSE))

    @pytest.mark.timeout(300)
    def test_solved_it_leaves_its_snapshot(self):
        self.nothing(proof.snapshot_faults(self.row, COURSE))

    def test_the_snapshot_is_the_lesson_with_the_solutions(self):
        self.nothing(proof.pair_faults(self.row, COURSE))

    def test_the_notebook_keeps_to_the_rules(self):
        notebook = notebooks.read(COURSE / "notebooks" / self.row.notebook)
        self.nothing(rules.faults(notebook, self.row.exercises(), self.row.predictions()))

    def test_the_snapshot_shows_no_path_and_no_warning(self):
        notebook = notebooks.read(COURSE / "snapshots" / self.row.name / self.row.notebook)
        self.nothing([*rules.output_faults(notebook), *rules.picture_faults(notebook)])

    @pytest.mark.timeout(300)
    def test_the_exercises_teach(self, monkeypatch):
        monkeypatch.setattr(running, "SECONDS", 1.0)  # a mistake that never ends is stopped as well after one second as after three
        self.nothing(lint.content_faults(self.row))

    def test_the_files_stand_in_the_one_form(self):
        for path in (COURSE / "notebooks" / self.row.notebook, COURSE / "snapshots" / self.row.name / self.row.notebook):
            assert path.read_text(encoding="utf-8") == notebooks.written(notebooks.read(path)), f"{path.name}: make record"


for _row in catalogue.LESSONS:
    globals()[f"TestLesson{_row.number}"] = type(f"TestLesson{_row.number}", (OneLesson,), {"row": _row})


def test_no_notebook_is_outside_the_catalogue():
    known = {row.notebook for row in catalogue.LESSONS}
    assert {path.name for path in (COURSE / "notebooks").glob("*.ipynb")} == known


def test_no_snapshot_is_outside_the_catalogue():
    assert {path.name for path in (COURSE / "snapshots").iterdir()} == {row.name for row in catalogue.LESSONS}


def test_the_rows_are_in_order_and_complete():
    numbers = [row.number for row in catalogue.LESSONS]
    assert numbers == sorted(set(numbers))
    assert all(row.slug and row.title and row.minutes > 0 and row.idea for row in catalogue.LESSONS)
