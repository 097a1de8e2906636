"""Which lessons there are: one row a lesson, in the order in which they are worked through.

Adding a lesson: a notebook (notebooks/NN-slug.ipynb), its exercises (labkit/lessons/content/lesson_NN.py), their texts
(labkit/lessons/texts/en/NN.toml) and one row here. See docs/authoring.md.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

from labkit.errors import LabError
from labkit.lessons import texts

VARIABLE = "LABKIT_LESSONS"


@dataclass(frozen=True)
class Row:
    """One lesson. `number` is two digits ('03'); `minutes` is what a learner needs; `idea` is what it is about, in one line.

    `content` names the module with its EXERCISES and PREDICTIONS; '' stands for labkit's own, content/lesson_NN.py.
    """

    number: str
    slug: str
    title: str
    minutes: int
    idea: str
    content: str = ""

    @property
    def name(self) -> str:
        """The lesson's name in folders: '03-bm25-by-hand'."""
        return f"{self.number}-{self.slug}"

    @property
    def notebook(self) -> str:
        """The file name of its notebook."""
        return f"{self.name}.ipynb"

    def module(self) -> ModuleType:
        """Its content module. Raises LabError where there is none."""
        name = self.content or f"labkit.lessons.content.lesson_{self.number}"
        try:
            return import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            raise LabError(f"lesson {self.number} has no content module {name}: write it (docs/authoring.md)") from None

    def exercises(self) -> dict:
        """Its exercises by name, in the lesson's order."""
        return {exercise.name: exercise for exercise in getattr(self.module(), "EXERCISES", ())}

    def predictions(self) -> dict:
        """Its predictions by name, in the lesson's order."""
        return {prediction.name: prediction for prediction in getattr(self.module(), "PREDICTIONS", ())}

    def needs(self) -> dict[str, str]:
        """The files of state/ that it starts from: file name -> number of the lesson that makes it."""
        return dict(getattr(self.module(), "NEEDS", {}))

    def texts(self) -> dict:
        """What the learner reads about its exercises and predictions. Raises TextMissing."""
        folder = None
        if self.content:
            # content/lesson_NN.py and texts/<language>/NN.toml stand side by side
            folder = Path(self.module().__file__).resolve().parent.parent / "texts"
        return texts.lesson_texts(self.number, folder)


LESSONS = (
    Row("00", "start-here", "Start here", 15, "A search surprises you"),
    Row("01", "collection-and-questions", "The collection and its questions", 35,
        "An answer has a place: document, version, section"),
    Row("02", "sections", "Sections", 25, "Every piece knows where it comes from"),
    Row("03", "bm25-by-hand", "BM25 by hand", 45, "Rare × often, with diminishing returns"),
    Row("04", "keyword-search", "Keyword search", 30, "The inverted index"),
    Row("05", "the-baseline", "The baseline", 45, "Measure, then look at each miss before choosing a cure"),
    Row("06", "reading-html-and-pdf", "Reading HTML and PDF", 40, "What extraction loses"),
    Row("07", "chunking", "Chunking", 50, "Where to cut"),
    Row("08", "metadata-and-index", "Metadata and the index", 35, "Filter before ranking"),
    Row("09", "equal-budget", "An equal budget", 40, "Compare at equal words, not at equal k"),
    Row("10", "is-it-a-difference", "Is it a difference?", 40, "Intervals, paired tests, and evidence"),
    Row("11", "long-documents", "Long documents", 45, "Search small, read large"),
    Row("12", "hybrid-retrieval", "Hybrid retrieval", 65, "Fuse ranks, not raw scores"),
    Row("13", "reranking", "Reranking", 45, "A costlier judge for a few"),
    Row("14", "query-expansion", "Query expansion", 40, "Help that can hurt"),
    Row("15", "your-own-collection", "Your own collection", 60, "A verdict on your documents"),
)  # fmt: skip


def lessons() -> tuple[Row, ...]:
    """The rows, in order: labkit's own, or those of the module that LABKIT_LESSONS names (another course on the same engine)."""
    named = os.environ.get(VARIABLE)
    return tuple(import_module(named).LESSONS) if named else LESSONS


def row(number: str | int) -> Row:
    """The row of lesson `number` ('03', '3' or 3). Raises LabError that lists what there is."""
    wanted = str(number).strip().zfill(2)
    for each in lessons():
        if each.number == wanted:
            return each
    raise LabError(texts.engine("lesson.unknown", number=wanted, numbers=", ".join(each.number for each in lessons())))


def before(number: str) -> Row | None:
    """The row of the lesson before `number` in the catalogue, None for the first."""
    rows = lessons()
    place = rows.index(row(number))
    return rows[place - 1] if place else None
