"""A course of three small lessons with snapshots, and a learner's folder; for the tests of reset, diff and update only."""

from __future__ import annotations

import json
from pathlib import Path

from labkit.lessons import catalogue
from labkit.lessons.catalogue import Row
from labkit.lessons.workfolder import make_work_folder, open_lessons

ROWS = (
    Row("01", "first", "The first", 5, "One", content="no_such_content"),
    Row("02", "second", "The second", 5, "Two", content="no_such_content"),
    Row("03", "third", "The third", 5, "Three", content="no_such_content"),
)
STATES = {
    "01": {"sections.csv": "id,words\na,1\n"},
    "02": {"sections.csv": "id,words\na,1\nb,2\n", "misses.csv": "id\nQ05\n", "tests/test_own.py": "def test_it():\n    assert True\n"},
    "03": {"sections.csv": "id,words\na,1\nb,2\n", "scoreboard.csv": "method,hit\nbm25,0.695\n"},
}


def cell(name: str, source: str, *tags: str, kind: str = "code", outputs: list | None = None) -> dict:
    """One cell as JSON."""
    made = {"cell_type": kind, "id": name, "metadata": {"tags": list(tags)} if tags else {}, "source": source.splitlines(keepends=True)}
    return made | ({"outputs": outputs or [], "execution_count": None} if kind == "code" else {})


def notebook(*cells: dict) -> bytes:
    """A notebook's bytes."""
    made = {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return (json.dumps(made, indent=1, ensure_ascii=False) + "\n").encode()


def answer(status: str) -> list[dict]:
    """The output of a check."""
    data = {"text/plain": [status], "application/vnd.labkit.answer+json": {"status": status}}
    return [{"output_type": "display_data", "data": data, "metadata": {}}]


def cells(number: str, solved: bool = False) -> list[dict]:
    """The cells of a lesson."""
    filled = "answer = 42" if solved else "answer = ..."
    said = answer("correct" if solved else "not attempted")
    return [
        cell("title", f"# {number} · Être", kind="markdown"),
        cell("begin", f'import labkit\n\nlesson = labkit.lesson("{number}", made_with="1.0")'),
        cell("exercise-one", f'{filled}\nlesson.check("one", answer)', "exercise", outputs=said),
        cell("last", "print(1)", outputs=[{"output_type": "stream", "name": "stdout", "text": ["1\n"]}]),
    ]


def course(folder: Path) -> Path:
    """The course, with notebooks and snapshots."""
    for mark in ("corpus/larkfield/inventory.csv", "questions/larkfield.jsonl"):
        (folder / mark).parent.mkdir(parents=True, exist_ok=True)
        (folder / mark).write_text("", encoding="utf-8")
    (folder / "notebooks").mkdir()
    for row in ROWS:
        (folder / "notebooks" / row.notebook).write_bytes(notebook(*cells(row.number)))
        snapshot = folder / "snapshots" / row.name
        snapshot.mkdir(parents=True)
        (snapshot / row.notebook).write_bytes(notebook(*cells(row.number, solved=True)))
        for name, text in STATES[row.number].items():
            (snapshot / "state" / name).parent.mkdir(parents=True, exist_ok=True)
            (snapshot / "state" / name).write_bytes(text.encode())
    return folder


def a_course(tmp_path: Path, monkeypatch) -> Path:
    """The course, entered, in a folder with a space and an accent; nobody's servers, and no waiting for the disk."""
    monkeypatch.setattr("os.fsync", lambda handle: None)
    monkeypatch.setattr(catalogue, "lessons", lambda: ROWS)
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    folder = course(tmp_path / "un cours d'été")
    monkeypatch.setenv("LABKIT_COURSE", str(folder))
    monkeypatch.chdir(folder)
    return folder


def learner(course_folder: Path, name: str = "work") -> Path:
    """A work folder of the course with its lessons."""
    work = make_work_folder(course_folder / name)
    open_lessons(work, course_folder / "notebooks")
    return work
