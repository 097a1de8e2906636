"""Documents made to be timed, the same ones each time: a collection of many sections, and a long PDF."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table, TableStyle

from labkit.collection import HEADER, INVENTORY

SECTIONS = 100  # in a document


def collection(folder: Path, texts: Sequence[str]) -> None:
    """Writes a collection with a section for each text, a hundred in a Markdown document; every fifth document is for staff, and every
    seventh is in force no longer.
    """
    (folder / "documents").mkdir(parents=True)
    rows = [HEADER]
    for number, first in enumerate(range(0, len(texts), SECTIONS)):
        name = f"part-{number:05}"
        sections = (f"## Section {place}\n\nText: {text}\n" for place, text in enumerate(texts[first : first + SECTIONS], start=first))
        file = f"documents/{name}.v1.md"
        # a text that begins with '#' or '-' would be a heading or a list, had it nothing before it
        (folder / file).write_text("\n".join([f"# Part {number}\n", *sections]), encoding="utf-8", newline="")
        access, until = "public" if number % 5 else "staff", "" if number % 7 else "2025-12-31"
        rows.append(f"{file},{name},Part {number},1,2025-01-01,{until},Nobody,{access},en,manual,md")
    (folder / INVENTORY).write_text("\n".join(rows) + "\n", encoding="utf-8", newline="")


def long_pdf(path: Path, pages: int, words: Sequence[str], seed: int) -> None:
    """Writes a PDF of `pages` pages of about 300 words: a running head and a page number on each, headings, prose, on every fourth page a
    table with ruled lines.
    """
    looks = getSampleStyleSheet()
    chance = random.Random(seed)
    text = _endless(words, chance)

    def prose(least: int, most: int) -> str:
        return " ".join(islice(text, chance.randint(least, most)))

    def edges(canvas: Canvas, template: SimpleDocTemplate) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(72, 810, "A long document, made to be read by a clock")
        canvas.drawRightString(520, 30, f"Page {template.page} of {pages}")

    flow = []
    for page in range(1, pages + 1):
        flow.append(Paragraph(f"{page} {prose(2, 5)}", looks["Heading1" if page % 10 == 1 else "Heading2"]))
        flow += [Paragraph(prose(50, 70) + ".", looks["BodyText"]) for _ in range(3 if page % 4 == 0 else 5)]
        if page % 4 == 0:
            rows = [[prose(1, 3) for _ in range(4)] for _ in range(8)]
            flow.append(Table(rows, colWidths=110, style=TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black)])))
        flow.append(PageBreak())
    template = SimpleDocTemplate(str(path), invariant=1, topMargin=72, bottomMargin=72)
    template.build(flow, onFirstPage=edges, onLaterPages=edges)


def _endless(words: Sequence[str], chance: random.Random) -> Iterator[str]:
    """Words of prose: those that a table or a tag would need are left out."""
    plain = [word for word in words if word.strip(".,;:").isalnum()]
    while True:
        yield chance.choice(plain)
