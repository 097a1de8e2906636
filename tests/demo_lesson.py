"""The demonstration lesson's notebook, built by code, in a small course of its own. Used by the tests of the engine only."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from labkit.lessons.notebooks import written

HERE = Path(__file__).parent
DEMO = HERE / "demo"
NAME = "90-demonstration"

sys.path.insert(0, str(DEMO))  # the demonstration course's own modules: demo_catalogue, content

WORKED = """import math

sections, with_word = 8, 2
print(f"{with_word} of {sections}:", f"{math.log(6.5 / 2.5):.4f}")"""
TEXTS = {
    "title": "# 90 · A demonstration",
    "able": "## What you will be able to do\n\nSay how rare a word is.",
    "long": "## How long it takes\n\n5 minutes.",
    "starts": "## What it starts from\n\nNothing.",
    "idea": "## The idea: the index of a book\n\nA word on two pages tells you much.",
    "worked": "## A worked example\n\nThe word stands in 2 of 8 sections. Its rarity is 0.9555.",
    "larkfield": "## On Larkfield\n\nFirst your guess.",
    "exercises": "## Exercises",
    "mistake": "## A common mistake\n\nCounting occurrences.",
    "when": "## When to use it\n\nAlways; it costs nothing.",
    "check": "## Check yourself\n\n<details><summary>Why so?</summary>\n\nBecause.\n\n</details>",
    "key": "## Key points\n\n- Rare words tell more. The reference measured 0.695.",
    "next": "## What comes next\n\nNothing.",
}


def notebook():
    """The unsolved notebook, not yet run."""
    from content.lesson_90 import CAUSES, PREDICTIONS, RARITY, WITHOUT

    def text(key):
        return new_markdown_cell(TEXTS[key], id=f"{key}-text")

    def code(name, source, *tags):
        return new_code_cell(source, id=name, metadata={"tags": list(tags)} if tags else {})

    cells = [
        *map(text, ("title", "able", "long", "starts")),
        code("begin", 'import labkit\n\nlesson = labkit.lesson("90", made_with="1.0")'),
        text("idea"),
        text("worked"),
        code("worked-example", WORKED),
        text("larkfield"),
        code("predict-twice", PREDICTIONS[0].stub, "prediction"),
        code("twice-measured", 'lesson.reveal("twice", 1.3432)', "depends-on-exercise"),
        text("exercises"),
        code("exercise-rarity", RARITY.stub, "exercise"),
        code("rarity-used", 'f = lesson.answer("rarity")\nprint(f"{f(20, 1):.4f}")', "depends-on-exercise"),
        code("exercise-without", WITHOUT.stub, "exercise"),
        code("exercise-causes", CAUSES.stub, "exercise"),
        *map(text, ("mistake", "when", "check", "key", "next")),
        code("leave-state", 'lesson.save_text("rarity.csv", "word,rarity\\nkettle,0.9555\\n")'),
    ]
    return new_notebook(cells=cells)


def course(folder: Path) -> Path:
    """A course with this one lesson, not yet recorded, and the smallest collection that there can be."""
    documents = folder / "corpus" / "larkfield" / "documents"
    documents.mkdir(parents=True)
    (documents / "tea.v1.md").write_text("# Tea\n\n## Water\n\nBoil it.\n", encoding="utf-8")
    header = "file,doc_id,title,version,effective_from,effective_to,owner,access,language,doc_type,format"
    row = "documents/tea.v1.md,tea,Tea,1,2025-01-01,,Support (Grace),public,en,policy,md"
    (documents.parent / "inventory.csv").write_text(f"{header}\n{row}\n", encoding="utf-8")
    question = {
        "id": "Q01", "question": "What is boiled?", "language": "en", "kind": "answerable", "as_of": "2026-12-01", "public_ok": True,
        "abstain": False, "reference_answer": "Water.", "keys": ["Boil"], "must_not": [],
        "relevant": [{"doc_id": "tea", "version": "1", "section": "Water", "access": "public", "quote": "Boil it."}],
        "wrong_version": [], "tags": [], "notes": "",
    }  # fmt: skip
    (folder / "questions").mkdir()
    (folder / "questions" / "larkfield.jsonl").write_text(json.dumps(question) + "\n", encoding="utf-8")
    (folder / "notebooks").mkdir()
    (folder / "notebooks" / f"{NAME}.ipynb").write_text(written(notebook()), encoding="utf-8")
    return folder
