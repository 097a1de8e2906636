"""Makes docs/images/report.png anew: `.venv/bin/python tests/slow/report_picture.py`.

The report on the course's own collection, as somebody's folder: the verdict and the first pictures, at the width of a laptop.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path

import browser
from PIL import Image

from labkit.course import course_folder
from labkit.own.report_page import page_of
from labkit.own.reporting import make_report

TARGET = Path(__file__).resolve().parents[2] / "docs" / "images" / "report.png"
SIZE = {"width": 800, "height": 1400}


def main() -> None:
    """Makes the report and writes the picture, in few colours, so that it stays small."""
    course = course_folder()
    with tempfile.TemporaryDirectory() as place, browser.started() as chromium:
        folder = Path(place) / "Larkfield"
        shutil.copytree(course / "corpus" / "larkfield" / "documents", folder / "documents")
        shutil.copy(course / "corpus" / "larkfield" / "inventory.csv", folder)
        shutil.copy(course / "questions" / "larkfield.jsonl", folder / "questions.jsonl")
        (folder / "report.html").write_text(page_of(make_report(folder)), encoding="utf-8")
        page = chromium.new_context(viewport=SIZE, color_scheme="light", device_scale_factor=1.25).new_page()
        page.goto((folder / "report.html").as_uri())
        picture = page.screenshot()
    few = Image.open(io.BytesIO(picture)).convert("RGB").quantize(128, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(TARGET, optimize=True)
    print(f"{TARGET.name}: {TARGET.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
