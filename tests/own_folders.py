"""A practitioner's folder for tests: documents, an inventory and questions, written from a few words."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from labkit.collection import COLUMNS, EXTENSIONS

SHOP = {
    "documents/returns.md": (
        "# Returns\n\n## Window\n\nSend the kettle back within thirty days.\n\n## Cost\n\nA parcel label costs nine dollars.\n"
    ),
    "documents/care/kettle care.md": (
        "# Kettle care\n\n## Descaling\n\nDescale the kettle each month with vinegar.\n\n## Storage\n\nKeep it dry.\n"
    ),
    "documents/hours.html": "<h1>Hours</h1><h2>Help desk</h2><p>The desk answers from nine to five.</p>",
    "documents/été/dépôt.md": "# Dépôt\n\n## Consigne\n\nLa consigne d’une bouilloire coûte deux dollars.\n",
    "documents/till.md": "# Till\n\n## Refunds\n\nPay a refund out of the till up to forty dollars.\n",
}
ASKED = [
    ("Q1", "How long can I send a kettle back?", ("returns", "Window", "within thirty days")),
    ("Q2", "What does a parcel label cost?", ("returns", "Cost", "nine dollars")),
    ("Q3", "How often is a kettle descaled?", ("kettle-care", "Descaling", "each month")),
    ("Q4", "When does the help desk answer?", ("hours", "Help desk", "from nine to five")),
    ("Q5", "Combien coûte la consigne ?", ("depot", "Consigne", "deux dollars")),
    ("Q6", "Up to what sum does the till pay a refund?", ("till", "Refunds", "forty dollars")),
    ("Q7", "Do you sell boats?", None),
]
_IDS = {"kettle care": "kettle-care", "dépôt": "depot"}


def inventory(folder: Path, files, **labels) -> None:
    """inventory.csv for these files; `labels` maps a column to {file: value}, for what is not the usual one."""
    with (folder / "inventory.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for name in files:
            path = Path(name)
            row = {
                "file": name, "doc_id": _IDS.get(path.stem, path.stem), "title": path.stem.capitalize(), "version": "1",
                "effective_from": "2024-01-01", "effective_to": "", "owner": "Grace",
                "access": "staff" if path.stem == "till" else "public",
                "language": "fr" if path.stem == "dépôt" else "en", "doc_type": "unknown", "format": EXTENSIONS[path.suffix.lower()],
            }  # fmt: skip
            writer.writerow([labels.get(column, {}).get(name, row[column]) for column in COLUMNS])


def asked(id_: str, text: str, gold, **more) -> dict:
    """A question; `gold` is (doc_id, section, quote), a list of such, or None where the documents hold no answer."""
    golds = [] if gold is None else gold if isinstance(gold, list) else [gold]
    relevant = [
        {"doc_id": doc_id, "version": "1", "section": section, "access": "staff" if doc_id == "till" else "public", "quote": quote}
        for doc_id, section, quote in golds
    ]
    return {
        "id": id_, "question": text, "language": "fr" if "Combien" in text else "en", "kind": "answerable" if golds else "unanswerable",
        "as_of": "2026-06-01", "public_ok": not any(each["access"] == "staff" for each in relevant), "abstain": not golds,
        "reference_answer": "…", "keys": [], "must_not": [], "relevant": relevant, "wrong_version": [], "tags": [], "notes": "",
    } | more  # fmt: skip


def questions(folder: Path, these=None, name: str = "questions.jsonl") -> None:
    """A question file; None: those of ASKED."""
    these = [asked(*each) for each in ASKED] if these is None else these
    (folder / name).write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in these), "utf-8", newline="")


def documents(folder: Path, these=None) -> None:
    """The files; None: those of SHOP."""
    for name, text in (SHOP if these is None else these).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def shop(folder: Path, settings: str = "") -> Path:
    """A small shop with everything: nested folders, accents and blanks in names, two formats, two languages, a staff-only document."""
    folder.mkdir(parents=True, exist_ok=True)
    documents(folder)
    inventory(folder, SHOP)
    questions(folder)
    if settings:
        (folder / "labkit.toml").write_text(settings, "utf-8", newline="")
    return folder
