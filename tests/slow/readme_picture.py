"""Makes docs/images/lesson.png anew: `.venv/bin/python tests/slow/readme_picture.py`.

Lesson 03 in JupyterLab, solved: a check's answer, and below it the picture of the five scores.
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

import browser
import lab
from PIL import Image

from labkit.lessons.content.lesson_03 import EXERCISES

TARGET = Path(__file__).resolve().parents[2] / "docs" / "images" / "lesson.png"
SIZE = {"width": 1400, "height": 900}
SHOWN = "exercise-score"  # the cell at the top: its answer and the picture of the scores fit below it


def main() -> None:
    """Works through the exercises of lesson 03 and writes the picture, in few colours, so that it stays small."""
    with tempfile.TemporaryDirectory() as folder, browser.started() as chromium, lab.serving(Path(folder)) as server:
        page = chromium.new_context(viewport=SIZE, color_scheme="light").new_page()
        learner = lab.Learner(page, server, "03-bm25-by-hand.ipynb")
        for exercise in EXERCISES:
            learner.fill_in(f"exercise-{exercise.name}", exercise.solution)
        learner.run_all()
        learner.cell(SHOWN).locator(".jp-InputPrompt").click()
        learner.show(SHOWN)
        picture = page.screenshot()
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(128, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(
        TARGET, optimize=True
    )
    print(f"{TARGET.name}: {TARGET.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
