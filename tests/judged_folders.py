"""Small folders of a practitioner, for the tests of labkit label and labkit validate."""

from __future__ import annotations

import csv
from pathlib import Path

from labkit.collection import COLUMNS

RETURNS = """# Returns

## Return window

You may send a kettle back within thirty days of delivery. The parcel must be tracked.

## Refunds

Refunds are paid within five business days. Gift cards are not refunded.

| item | period |
|---|---|
| kettle | 2 years |
| hose | 1 year |
"""
HOURS = """# Opening hours

We are open from nine to five, on Mondays to Fridays.

On Saturdays the shop opens at ten.
"""
AIDE = """# Aide

## Garantie prolongée

Aucune garantie prolongée n’est vendue à l’achat.
"""
DOCUMENTS = {"returns": RETURNS, "hours": HOURS, "aide à l’achat": AIDE}
QUESTIONS = """# Mine

## How long can I keep the kettle?

## When does the shop open on Saturdays?

## Do you ship to the moon?

kind: unanswerable
"""


def folder_with(folder: Path, documents=DOCUMENTS, questions: str = QUESTIONS, settings: str = "", rows: dict | None = None) -> Path:
    """A folder with these Markdown documents (name → text), questions.md and labkit.toml; `rows`: name → other values of its row."""
    (folder / "documents").mkdir(parents=True)
    with open(folder / "inventory.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for number, (name, text) in enumerate(documents.items()):
            (folder / "documents" / f"{name}.md").write_text(text, "utf-8", newline="")
            row = {
                "file": f"documents/{name}.md", "doc_id": name if name.isalnum() else f"d{number}", "title": name, "version": "1",
                "effective_from": "2024-01-01", "effective_to": "", "owner": "unknown", "access": "public", "language": "en",
                "doc_type": "unknown", "format": "md",
            } | (rows or {}).get(name, {})  # fmt: skip
            writer.writerow([row[column] for column in COLUMNS])
    (folder / "questions.md").write_text(questions, "utf-8", newline="")
    if settings:
        (folder / "labkit.toml").write_text(settings, "utf-8")
    return folder
