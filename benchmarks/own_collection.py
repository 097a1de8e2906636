"""A collection of any size, made in a folder, to time `labkit report` on: documents, inventory and questions, the same ones each time."""

from __future__ import annotations

import csv
import json
import random
from itertools import cycle, islice
from pathlib import Path

from labkit import load_inventory, split_sections
from labkit.collection import COLUMNS

SEED = 2_200


def make(folder: Path, documents: int, questions: int) -> None:
    """Documents of three to six sections each, Larkfield's in turn with one word in eight put in from elsewhere, so that lengths and the
    shares of common and rare words stay near the collection's own. Each question quotes a sentence that its document alone holds, in part,
    and asks in five of its words and five from anywhere."""
    chance = random.Random(SEED)
    sections = [section for each in load_inventory() if each.format == "md" for section in split_sections(each)]
    bodies = [section.text.split("\n", 1)[-1].strip() for section in sections]
    any_word = [word for body in bodies for word in body.split() if word.isalpha()]
    turn = cycle(bodies)
    (folder / "documents").mkdir(parents=True)
    sentences: list[tuple[str, str]] = []
    with (folder / "inventory.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for number in range(documents):
            name = f"documents/{number // 500:02}/d{number:05}.md"
            said = f"Rule {number} of {' '.join(chance.choices(any_word, k=12))} holds here."
            parts = [f"## Part {place}\n\n{_changed(body, any_word, chance)}" for place, body in enumerate(islice(turn, 3 + number % 4), 1)]
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(f"# Document {number}\n\n## The rule\n\n{said}\n\n" + "\n\n".join(parts) + "\n", "utf-8", newline="")
            sentences.append((f"d{number:05}", said))
            writer.writerow([name, f"d{number:05}", f"Document {number}", "1", "2024-01-01", "", "Mei", "public", "en", "made", "md"])
    with (folder / "questions.jsonl").open("w", encoding="utf-8", newline="") as file:
        for number, (doc_id, said) in enumerate(chance.sample(sentences, min(questions, documents)), start=1):
            words = said.split()[3:-2]
            text = " ".join(chance.sample(words, 5) + chance.choices(any_word, k=5)) + "?"
            gold = {"doc_id": doc_id, "version": "1", "section": "The rule", "access": "public", "quote": said}
            record = {
                "id": f"Q{number:04}", "question": text, "language": "en", "kind": "made", "as_of": "2026-06-01", "public_ok": True,
                "abstain": False, "reference_answer": said, "keys": [], "must_not": [], "relevant": [gold], "wrong_version": [],
                "tags": [], "notes": "",
            }  # fmt: skip
            file.write(json.dumps(record) + "\n")


def _changed(body: str, any_word: list[str], chance: random.Random) -> str:
    def one(line: str) -> str:
        return " ".join(chance.choice(any_word) if chance.random() < 1 / 8 else word for word in line.split(" "))

    lines = [one(line) for line in body.split("\n")]
    return "\n".join(line for line in lines if not line.startswith("#"))
