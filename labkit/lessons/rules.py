"""What every lesson's notebook must keep to. Each rule gives sentences that name the cell; none found means that it holds."""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path

from labkit import course
from labkit.errors import CourseNotFound
from labkit.lessons.answers import ANSWER_MIME, PREDICTION_MIME
from labkit.lessons.notebooks import DEPENDS, EXERCISE, PREDICTION
from labkit.show.tables import display_width

WORDS = 1500
CODE_WIDTH = 88
"""Characters in a line of code: what a code cell of JupyterLab shows on a laptop without scrolling sideways."""
OUTPUT_WIDTH = 80
"""Terminal columns in a line of text that a cell gives: what an output shows without scrolling, and a terminal without breaking it."""
PARTS = (
    "What you will be able to do",
    "How long it takes",
    "What it starts from",
    "The idea",
    "A worked example",
    "On Larkfield",
    "Exercises",
    "A common mistake",
    "When to use it",
    "Check yourself",
    "Key points",
    "What comes next",
)
NAMED_OTHERWISE = {"On Northmark": "On Larkfield"}
"""Parts by their other name: from lesson 11 on, the collection is a long code."""
REFERENCE = Path(__file__).with_name("reference.toml")
_PICTURES = ("image/png", "image/jpeg", "image/svg+xml")
_MARKS = ("nbval-skip", "nbval-ignore-output", "nbval-raises-exception", "nbval-check-output", "raises-exception",
          "pytest-validate-ignore-output")  # fmt: skip


def faults(notebook, exercises: Mapping, predictions: Mapping) -> list[str]:
    """All that is wrong with a recorded, unsolved notebook."""
    return [
        *cell_faults(notebook),
        *exercise_faults(notebook, exercises, predictions),
        *output_faults(notebook),
        *picture_faults(notebook),
        *width_faults(notebook),
        *heading_faults(notebook),
        *prose_faults(notebook),
    ]


def code_cells(notebook) -> list:
    """The code cells, in order."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def cell_faults(notebook) -> list[str]:
    """Ids, order, empty cells, and what would switch nbval off."""
    found, seen = [], set()
    for cell in notebook.cells:
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", cell.id) or re.fullmatch(r"[0-9a-f]{8}|cell-?\d*|[0-9a-f-]{20,}", cell.id):
            found.append(f"cell {cell.id}: an id says what the cell is, in small letters, digits and hyphens")
        if cell.id in seen:
            found.append(f"cell {cell.id}: two cells have this id")
        seen.add(cell.id)
    for number, cell in enumerate(code_cells(notebook), 1):
        if not cell.source.strip():
            found.append(f"cell {cell.id}: empty")
            continue
        if cell.execution_count != number:
            found.append(f"cell {cell.id}: its count is {cell.execution_count}, not {number}: record the notebook")
        if cell.source.rstrip().endswith(";"):
            found.append(f"cell {cell.id}: ends with ;, which hides a result")
        marks = [tag for tag in cell.metadata.get("tags", []) if tag.lower().replace("_", "-") in _MARKS]
        marks += re.findall(r"^\s*#\s*(?:NBVAL|PYTEST_VALIDATE)_\w+", cell.source, re.MULTILINE)
        if marks:
            found.append(f"cell {cell.id}: {marks[0].strip()} switches the comparison off")
        if re.search(r"^\s*[%!]", cell.source, re.MULTILINE):
            found.append(f"cell {cell.id}: a magic or shell line; a lesson is plain Python")
        if re.search(r"(?<![\w.])(Out|_\d+|_i\d*|In)(?![\w])\s*\[", cell.source):
            found.append(f"cell {cell.id}: Out and In depend on the counts")
    first = next(iter(code_cells(notebook)), None)
    if first is None or not re.search(r"^lesson = labkit\.lesson\(\"\d\d\", made_with=\"[\d.]+\"\)$", first.source, re.MULTILINE):
        found.append("the first code cell is `import labkit` and `lesson = labkit.lesson(\"NN\", made_with=\"…\")`")
    return found


def exercise_faults(notebook, exercises: Mapping, predictions: Mapping) -> list[str]:
    """Each exercise and prediction has one cell, tagged, with the stub as its source; what depends on them is tagged."""
    found = []
    cells = {cell.id: cell for cell in notebook.cells}
    for prefix, tag, wanted in (("exercise", EXERCISE, exercises), ("predict", PREDICTION, predictions)):
        for name, each in wanted.items():
            cell = cells.get(f"{prefix}-{name}")
            if cell is None:
                found.append(f"no cell {prefix}-{name}")
                continue
            if tag not in cell.metadata.get("tags", []):
                found.append(f"cell {cell.id}: has no tag {tag}")
            if cell.source.strip("\n") != each.stub:
                found.append(f"cell {cell.id}: its source is not the stub of the content module")
        for cell in notebook.cells:
            if cell.id.startswith(f"{prefix}-") and cell.id.removeprefix(f"{prefix}-") not in wanted:
                found.append(f"cell {cell.id}: the content module has nothing of that name")
    for cell in code_cells(notebook):
        tags = cell.metadata.get("tags", [])
        if re.search(r"\blesson\.(answer|reveal)\(", cell.source) and DEPENDS not in tags and EXERCISE not in tags:
            found.append(f"cell {cell.id}: uses lesson.answer or lesson.reveal and has no tag {DEPENDS}")
        if re.search(r"\blesson\.check\(", cell.source) and EXERCISE not in tags:
            found.append(f"cell {cell.id}: has lesson.check and no tag {EXERCISE}")
        if re.search(r"\blesson\.predict\(", cell.source) and PREDICTION not in tags:
            found.append(f"cell {cell.id}: has lesson.predict and no tag {PREDICTION}")
    return found


def statuses(notebook) -> dict[str, str]:
    """Exercise -> status, as the recorded answers say."""
    return {data["exercise"]: data["status"] for data in _data(notebook, ANSWER_MIME)}


def guesses(notebook) -> dict[str, object]:
    """Prediction -> guess, as the recorded outputs say; None for none."""
    return {data["prediction"]: data["guess"] for data in _data(notebook, PREDICTION_MIME)}


def _data(notebook, mime: str) -> Iterable[dict]:
    for cell in code_cells(notebook):
        for output in cell.outputs:
            if mime in output.get("data", {}):
                yield output.data[mime]


def texts_of(output) -> list[str]:
    """The texts of one output: plain and HTML."""
    if output.output_type == "stream":
        return [output.text]
    return [value for kind, value in output.get("data", {}).items() if isinstance(value, str) and kind not in _PICTURES]


_PATH = re.compile(
    r"(?:(?<![\w.:/<])(?:/(?:home|tmp|usr|root|work|Users|private|var|opt|mnt|builds?)/)\S*"
    r"|\b[A-Z]:\\\S+|\bfile://\S+|PosixPath|WindowsPath|ipykernel_\d+|\bat 0x[0-9a-f]+)"
)


def _today() -> datetime.date:
    return datetime.date.today()


def output_faults(notebook) -> list[str]:
    """No errors, no warnings, no paths, no addresses, no date of today (one that the course itself speaks of may be today's by chance)."""
    found = []
    today = _today()
    dates = {today.isoformat(), today.strftime("%d/%m/%Y"), f"{today.day} {today:%B %Y}", f"{today:%B} {today.day}, {today.year}"}
    own = "\n".join([*(cell.source for cell in notebook.cells), *_course_texts()])
    dates = {date for date in dates if date not in own}
    for cell in code_cells(notebook):
        for output in cell.outputs:
            if output.output_type == "error":
                found.append(f"cell {cell.id}: stops with {output.ename}")
            if output.output_type == "stream" and output.name == "stderr":
                found.append(f"cell {cell.id}: writes to stderr (a warning?)")
            if "application/vnd.jupyter.widget-view+json" in output.get("data", {}):
                found.append(f"cell {cell.id}: a widget, which nothing compares")
            for text in texts_of(output):
                path = _PATH.search(text)
                if path:
                    found.append(f"cell {cell.id}: shows {path.group()!r}, which is another one on another machine")
                for date in sorted(dates):
                    if date in text:
                        found.append(f"cell {cell.id}: shows the date of today, {date}")
    return found


@cache
def _course_texts() -> tuple[str, ...]:
    """The texts whose dates a lesson may show on any day: the inventory and the questions."""
    try:
        folder = course.course_folder()
    except CourseNotFound:
        return ()
    return tuple((folder / name).read_text(encoding="utf-8") for name in course.MARKS)


def picture_faults(notebook) -> list[str]:
    """Each picture has alternative text, and its text twin follows: in the same cell, or in the next code cell."""
    found = []
    cells = code_cells(notebook)
    for place, cell in enumerate(cells):
        for number, output in enumerate(cell.outputs):
            for kind in _PICTURES:
                if kind not in output.get("data", {}):
                    continue
                about = output.get("metadata", {})
                alternative = about.get(kind, {}).get("alt") or about.get("alt") or ""
                if len(alternative.split()) < 4:
                    found.append(f"cell {cell.id}: a picture without alternative text")
                after = cell.outputs[number + 1 :] or (cells[place + 1].outputs if place + 1 < len(cells) else [])
                twin = next((texts_of(each) for each in after[:1] if not set(_PICTURES) & set(each.get("data", {}))), [])
                if not any(text.strip() for text in twin):
                    found.append(f"cell {cell.id}: no text twin follows the picture")
    return found


def width_faults(notebook) -> list[str]:
    """No line of code over CODE_WIDTH characters, no line of a text output over OUTPUT_WIDTH columns; and a table is shown, not printed.

    Answers, guesses and the alternative text of pictures are no lines: a notebook shows the first two as HTML, which wraps by itself.
    """
    found = []
    for cell in code_cells(notebook):
        for line in cell.source.split("\n"):
            if len(line) > CODE_WIDTH:
                found.append(f"cell {cell.id}: a line of code has {len(line)} characters; {CODE_WIDTH} is the most: {line.strip()[:40]} …")
        for output in cell.outputs:
            data = output.get("data", {})
            if {ANSWER_MIME, PREDICTION_MIME, *_PICTURES} & set(data):
                continue
            text = output.text if output.output_type == "stream" else data.get("text/plain", "")
            for line in text.split("\n"):
                width = display_width(line)
                if width > OUTPUT_WIDTH:
                    found.append(f"cell {cell.id}: a line of output is {width} columns wide; {OUTPUT_WIDTH} is the most: {line[:40]} …")
                if output.output_type == "stream" and re.fullmatch(r"-{2,}(  -+)+", line):
                    found.append(f"cell {cell.id}: prints a table, plain text to a screen reader: end the cell with it, or display(…)")
    return found


def headings(notebook) -> list[tuple[int, str]]:
    """(level, text) of the headings in markdown cells, code blocks apart."""
    found = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            plain = re.sub(r"^(```|~~~).*?^\1", "", cell.source, flags=re.MULTILINE | re.DOTALL)
            found += [(len(marks), text.strip()) for marks, text in re.findall(r"^(#{1,6})[ \t]+(.+?)#*$", plain, re.MULTILINE)]
    return found


def heading_faults(notebook) -> list[str]:
    """One title, first; no level left out; the parts of a lesson all there and in order."""
    found = []
    all_of_them = headings(notebook)
    if not all_of_them or all_of_them[0][0] != 1 or sum(level == 1 for level, _ in all_of_them) != 1:
        found.append("one level-1 heading, at the top, is the lesson's title")
    for (before, _), (level, text) in pairwise(all_of_them):
        if level > before + 1:
            found.append(f"heading {text!r}: level {level} after level {before}")
    parts = []
    for level, text in all_of_them:
        names = (*PARTS, *NAMED_OTHERWISE)
        part = next((part for part in names if text == part or re.match(re.escape(part) + r"\b\s*[:,(—–]", text)), None)
        part = NAMED_OTHERWISE.get(part, part)
        if level == 2 and part is None:
            found.append(f"heading {text!r} is none of the parts of a lesson: make it level 3, or begin it with the part's name")
        elif level == 2:
            parts.append(part)
    missing = [part for part in PARTS if part not in parts]
    if missing:
        found.append(f"missing parts: {', '.join(missing)}")
    order = [PARTS.index(part) for part in parts]
    if order != sorted(order):
        found.append("the parts stand in another order than " + ", ".join(PARTS))
    return found


def prose(source: str) -> str:
    """A markdown cell without code, folded parts, HTML tags, link targets."""
    text = re.sub(r"<!--.*?-->", " ", source, flags=re.DOTALL)
    text = re.sub(r"^(```|~~~).*?^\1[`~]*[ \t]*$", " ", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", " ", text, flags=re.DOTALL)
    text = re.sub(r"\$\$.+?\$\$|(?<![\w$\\])\$(?=\S)[^$\n]+?(?<=\S)\$(?![\w$])", " ", text, flags=re.DOTALL)  # formulas
    text = re.sub(r"<(?!details|/details|summary|/summary)[^<>\n]*>", " ", text)
    return re.sub(r"\]\([^()\s]*\)", "]", text)


def word_count(notebook) -> int:
    """Words of prose a learner reads without unfolding anything."""
    text = "\n\n".join(prose(cell.source) for cell in notebook.cells if cell.cell_type == "markdown")
    text = re.sub(r"<details>.*?</details>", " ", text, flags=re.DOTALL)
    return sum(any(letter.isalnum() for letter in word) for word in text.split())


_NUMBER = r"[+\-−]?\d+(?:[,\u00a0\u202f ]\d{3})*(?:\.\d+)?"
_APART = (
    r"[“\"][^“”\"\n]*[”\"]",  # quoted words: a document's or a question's own
    r"\b\d{4}-\d{2}-\d{2}\b",
    r"\b\d{1,2}(?:st|nd|rd|th)? (?:January|February|March|April|May|June|July|August|September|October|November|December)(?: \d{4})?\b",
    r"\b(?:in|of|since|until|before|after|from|by|year) (?:19|20)\d{2}\b",
    r"\b(?:lessons?|steps?|parts?|figures?|tables?|sections?|versions?|questions?|ranks?|hints?|pages?|levels?|Python|labkit) \d+(?:\.\d+)?"
    r"(?:(?:, | and | to | or |–)\d+)*\b",
    r"\b\d+(?: to \d+|–\d+)? (?:minutes?|seconds?|hours?)\b",
    r"\bk ?= ?\d+\b",
    r"\b[A-Za-zÀ-ÿ]+[-@]?[A-Za-z]*\d[\w-]*\b",  # PW-2200, Q05, v3, hit@5, BM25, FTS5, UTF-8
    r"^\s*(?:#{1,6} +.*|\d+[.)] )",  # headings and numbered lists
    r"\b\d+(?:st|nd|rd|th)\b",
)


def prose_numbers(source: str) -> list[tuple[str, str]]:
    """(number, its sentence) of the prose of a markdown cell, folded parts too: what an output must show."""
    text = re.sub(r"</?(?:details|summary)[^>]*>", "\n", prose(source))
    for pattern in _APART:
        text = re.sub(pattern, lambda match: " " * len(match.group()), text, flags=re.MULTILINE | re.IGNORECASE)
    found = []
    for match in re.finditer(rf"(?<![\w.]){_NUMBER}(?![\w])", text):
        start = max(text.rfind(end, 0, match.start()) for end in (". ", "\n\n", "? ", "! ", "\n- ", "|"))
        ends = [place for place in (text.find(end, match.end()) for end in (". ", ".\n", "\n\n", "? ", "! ", "\n- ", "|")) if place >= 0]
        found.append((match.group(), " ".join(text[start + 1 : min(ends, default=len(text)) + 1].split())))
    return found


def bare(number: str) -> str:
    """A number's digits as both prose and output write them: no separators, no plus, a plain minus."""
    return re.sub(r"[,\u00a0\u202f ](?=\d{3})", "", number).replace("−", "-").lstrip("+")


def output_numbers(notebook) -> set[str]:
    """Every number that an output of the notebook shows."""
    shown = set()
    for cell in code_cells(notebook):
        for output in cell.outputs:
            for text in texts_of(output):
                text = re.sub(r"<[^<>]*>", " ", text) if "<" in text else text
                for match in re.findall(r"(?<![\w.])[+\-−]?\d+(?:[,\u00a0\u202f]\d{3})*(?:\.\d+)?(?![\w])", text):
                    shown |= {bare(match), bare(match).lstrip("-")}
                shown |= set(re.findall(r"\d+(?:\.\d+)?", text))  # also those beside letters: 41/59, 36k
    return shown


@cache
def reference_numbers() -> frozenset[str]:
    """Every figure in reference.toml, as written there."""
    text = REFERENCE.read_text(encoding="utf-8") if REFERENCE.is_file() else ""
    tomllib.loads(text)
    values = re.sub(r"#.*", "", text)
    return frozenset(re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w])", values.replace("_", "")))


def prose_faults(notebook) -> list[str]:
    """At most 1,500 words; every number stands in an output, or is the reference's and said to be."""
    found = []
    words = word_count(notebook)
    if words > WORDS:
        found.append(f"{words} words of prose; {WORDS} is the most: fold something away (<details>)")
    shown = output_numbers(notebook)
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            continue
        for number, sentence in prose_numbers(cell.source):
            plain = bare(number)
            if plain in shown or plain.lstrip("-") in shown:
                continue
            if "reference" in sentence.lower() and plain in reference_numbers():
                continue
            found.append(f"cell {cell.id}: {number} stands in no output of this lesson ({sentence[:90]})")
    return found
