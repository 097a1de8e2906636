"""The long code as somebody's folder, to time `labkit ask` on: its PDF, or the first pages of it."""

from __future__ import annotations

import csv
from pathlib import Path

import pypdf

from labkit import load_inventory
from labkit.collection import COLUMNS
from labkit.course import course_folder


def make(folder: Path, pages: int) -> int:
    """A folder with an inventory and the first `pages` pages of the code; returns how many there are."""
    home = course_folder() / "corpus" / "northmark"
    (document,) = load_inventory(home)
    (folder / "documents").mkdir(parents=True)
    writer = pypdf.PdfWriter()
    whole = pypdf.PdfReader(home / "print" / "consumer-code.pdf")
    for page in whole.pages[:pages]:
        writer.add_page(page)
    writer.write(folder / "documents" / "code.pdf")
    row = [str(getattr(document, name) or "") for name in COLUMNS]
    row[0], row[-1] = "documents/code.pdf", "pdf"
    with (folder / "inventory.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([COLUMNS, row])
    return min(pages, len(whole.pages))
