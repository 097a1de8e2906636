"""Makes docs/images/lesson.png anew: `.venv/bin/python tests/slow/readme_picture.py`.

Lesson 03 in JupyterLab: a typical mistake with its answer, and below it the picture of the five scores, which a stand-in draws.
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
SHOWN, MISTAKE = "score", "n-occurrences"  # the exercise at the top: its answer and the picture of the scores fit below it


def main() -> None:
    """Works through lesson 03, one exercise of it wrongly, and writes the picture, in few colours, so that it stays small."""
    with tempfile.TemporaryDirectory() as folder, browser.started() as chromium, lab.serving(Path(folder)) as server:
        page = chromium.new_context(viewport=SIZE, color_scheme="light").new_page()
        learner = lab.Learner(page, server, "03-bm25-by-hand.ipynb")
        for exercise in EXERCISES:
            typed = exercise.solution
            if exercise.name == SHOWN:
                typed = next(each for each in exercise.mistakes if each.key == MISTAKE).cell(exercise.solution)
            learner.fill_in(f"exercise-{exercise.name}", typed)
        learner.run_all()
        learner.cell(f"exercise-{SHOWN}").locator(".jp-InputPrompt").click()
        learner.show(f"exercise-{SHOWN}")
        picture = page.screenshot()
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(128, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(
        TARGET, optimize=True
    )
    print(f"{TARGET.name}: {TARGET.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
