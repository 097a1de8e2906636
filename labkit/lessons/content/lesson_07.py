"""Lesson 07, chunking: the learner counts windows, finds a place in a text, and packs sentences into chunks of their own."""

from __future__ import annotations

from labkit.lessons.exercises import FunctionExercise, mistake
from labkit.lessons.predictions import Prediction

_RANGES = '''
def windows(words, size, overlap):
    """How many windows, and how many words they hold together: (windows, words)."""
    ranges = []
    first = 0
    while True:
        ranges.append((first, min(first + size, words)))
        if first + size >= words:
            break
        first += size - overlap
    number = len(ranges)
    stored = sum(last - first for first, last in ranges)
    return number, stored


lesson.check("windows", windows)
'''


def _ranges(*swaps: tuple[str, str]) -> str:
    """The windows counted one by one, with something changed: another way to the same number, and the place of most slips."""
    text = _RANGES
    for old, new in swaps:
        assert old in text, old
        text = text.replace(old, new)
    return text


_NUMBER = "1 + max(0, math.ceil((words - size) / (size - overlap)))"
_STORED = "words + (number - 1) * overlap"

WINDOWS = FunctionExercise(
    "windows",
    stub='''
import math


def windows(words, size, overlap):
    """How many windows, and how many words they hold together: (windows, words)."""
    number = ...
    stored = ...
    return number, stored


lesson.check("windows", windows)
''',
    solution='''
import math


def windows(words, size, overlap):
    """How many windows, and how many words they hold together: (windows, words)."""
    number = 1 + max(0, math.ceil((words - size) / (size - overlap)))
    stored = words + (number - 1) * overlap
    return number, stored


lesson.check("windows", windows)
''',
    cases=[(491, 100, 25), (484, 100, 25), (110, 50, 12), (100, 100, 25), (175, 100, 25), (176, 100, 25), (30, 50, 10),
           (10, 50, 12), (12, 50, 12), (400, 100, 50)],
    mistakes=[
        mistake("step-overlap", source=_ranges(("first += size - overlap", "first += overlap"))),
        mistake("step-size", source=_ranges(("first += size - overlap", "first += size"))),
        mistake("step-size-formula", ("(size - overlap)))", "size))")),
        mistake("gaps", source=_ranges(("while True:", "while first < words:"), ("first += size - overlap", "first += size + overlap"))),
        mistake("last-left-out", source=_ranges(
            ("        ranges.append(", "        if first + size <= words or not ranges:\n            ranges.append("))),
        mistake("last-left-out-formula", ("math.ceil((words - size) / (size - overlap))", "(words - size) // (size - overlap)")),
        mistake("one-inside", source=_ranges(("while True:", "while first < words:"), ("if first + size >= words:", "if first >= words:"))),
        mistake("size-grown", source=_ranges(
            ("first + size, words", "first + size + overlap, words"), ("first += size - overlap", "first += size"))),
        mistake("last-full", ("words + (number - 1) * overlap", "number * size")),
        mistake("a-share-more", ("words + (number - 1) * overlap", "int(words * (1 + overlap / size))")),
        mistake("a-quarter-more", ("words + (number - 1) * overlap", "words * (1 + overlap / size)")),
        mistake("joins", ("(number - 1) * overlap", "number * overlap")),
        mistake("repeats-once", ("words + (number - 1) * overlap", "words")),
        mistake("repeats-alone", ("words + (number - 1) * overlap", "(number - 1) * overlap")),
        mistake("one-too-few", source=_ranges(("first += size - overlap", "first += size - overlap + 1"))),
        mistake("one-too-many", source=_ranges(("first += size - overlap", "first += size - overlap - 1"))),
        mistake("no-ceil", ("math.ceil((words - size) / (size - overlap))", "(words - size) / (size - overlap)")),
        mistake("rounded", ("math.ceil(", "round(")),
        mistake("below-the-overlap", (_NUMBER, "math.ceil((words - overlap) / (size - overlap))")),
        mistake("one-less-at-each-join", ("(number - 1) * overlap", "(number - 1) * (overlap - 1)")),
        mistake("bare-division", (_NUMBER, "words / size"), (_STORED, "words")),
        mistake("all-full", (_NUMBER, "math.ceil(words / size)"), (_STORED, "number * size")),
        mistake("steps-alone", (_NUMBER, "words // (size - overlap)"), ("(number - 1) * overlap", "number * overlap")),
        mistake("first-forgotten", ("1 + max", "max"), ("(number - 1)", "number")),
    ],
)  # fmt: skip

_SPAN_START = '''
def span(text, number):
    """Where a paragraph stands: (start, end). The first one is number 1."""
    paragraphs = text.split("\\n\\n")
'''

_START = "sum(len(above) + 2 for above in paragraphs[: number - 1])"
_LENGTH = "len(paragraphs[number - 1])"
_END = f"start + {_LENGTH}"

SPAN = FunctionExercise(
    "span",
    stub=_SPAN_START
    + '''    start = ...
    end = ...
    return start, end


lesson.check("span", span)
''',
    solution=_SPAN_START
    + '''    start = sum(len(above) + 2 for above in paragraphs[: number - 1])
    end = start + len(paragraphs[number - 1])
    return start, end


lesson.check("span", span)
''',
    cases=[
        ("Été : 5 €\n\nRefund in 3 days.\n\nRefund in 3 days.", 3),
        ("Été : 5 €\n\nRefund in 3 days.\n\nRefund in 3 days.", 2),
        ("Été : 5 €\n\nRefund in 3 days.\n\nRefund in 3 days.", 1),
        ("Keep  the receipt\nin a drawer.\n\nWhy? See below.\n\nKeep  the receipt\nin a drawer.\n\nEnd.", 3),
        ("Keep  the receipt\nin a drawer.\n\nWhy? See below.\n\nKeep  the receipt\nin a drawer.\n\nEnd.", 4),
    ],
    mistakes=[
        mistake("first-copy", (_START, "text.find(paragraphs[number - 1])")),
        mistake("last-copy", (_START, "text.rfind(paragraphs[number - 1])")),
        mistake("end-inside", (_END, "start + len(paragraphs[number - 1]) - 1")),
        mistake("bytes", ('text.split("\\n\\n")', '[each.encode() for each in text.split("\\n\\n")]')),
        mistake("decomposed", ('text.split("\\n\\n")', '__import__("unicodedata").normalize("NFD", text).split("\\n\\n")')),
        mistake("joined",
                (_START, 'sum(len(" ".join(above.split())) + 1 for above in paragraphs[: number - 1])'),
                (_LENGTH, 'len(" ".join(paragraphs[number - 1].split()))')),
        mistake("a-space", ("len(above) + 2", "len(above) + 1")),
        mistake("line-ends", ("len(above) + 2", "len(above)")),
        mistake("words-added", (_END, "start + len(paragraphs[number - 1].split())")),
        mistake("words-counted", ("len(above) + 2", "len(above.split())"),
                (_LENGTH, "len(paragraphs[number - 1].split())")),
        mistake("from-1", ("start = sum", "start = 1 + sum")),
        mistake("line-end-kept", (_END, "start + len(paragraphs[number - 1]) + 1")),
        mistake("blank-line-kept", (_END, "start + len(paragraphs[number - 1]) + 2")),
        mistake("own-counted", ("[: number - 1]", "[:number]")),
        mistake("numbered-from-0", ("[: number - 1]", "[:number]"), ("paragraphs[number - 1]", "paragraphs[number]")),
        mistake("not-found", (_START, 'text.find(" ".join(paragraphs[number - 1].split()))')),
        mistake("blank-line-first", (_START, 'len("\\n\\n".join(paragraphs[: number - 1])) + 2')),
        mistake("next-one-found", (_START, "text.find(paragraphs[number])"), (_LENGTH, "len(paragraphs[number])")),
        mistake("end-is-length", ("end = start + len", "end = len")),
    ],
)  # fmt: skip

_SENTENCES = '''
def sentences(text, most):
    """Spans (start, end) of whole sentences, packed to at most `most` words a piece."""
    pieces = []
    for start, end in sentence_spans(text):
        # while a sentence fits to the last piece, that piece grows
        if pieces and %s:
            pieces[-1] = %s
        else:
            pieces.append((start, end))
    return pieces


lesson.check("sentences", sentences)
'''

SENTENCES = FunctionExercise(
    "sentences",
    stub=_SENTENCES % ("...", "..."),
    solution=_SENTENCES % ("len(text[pieces[-1][0] : end].split()) <= most", "(pieces[-1][0], end)"),
    given='''
from labkit.chunking import sentence_starts


def sentence_spans(text):
    starts = sentence_starts(text)
    spans = zip(starts, [*starts[1:], len(text)])
    return [(start, start + len(text[start:end].rstrip())) for start, end in spans]
''',
    cases=[
        ("Boil it. Wait for an hour.\n\nRinse it well. Dry it. Done.", 6),
        ("Boil it. Wait for an hour.\n\nRinse it well. Dry it. Done.", 5),
        ("Boil it. Wait for an hour.\n\nRinse it well. Dry it. Done.", 3),
        ("Boil it. Wait for an hour.\n\nRinse it well. Dry it. Done.", 100),
        ("Été comme hiver, rincez.  Séchez bien.\nRangez. Une bouilloire qui a gelé n'est plus sûre du tout. Fin.", 7),
        ("", 10),
    ],
    mistakes=[
        mistake("below", ("<= most", "< most")),
        mistake("crossing", ("len(text[pieces[-1][0] : end].split()) <= most", "len(text[pieces[-1][0] : pieces[-1][1]].split()) < most")),
        mistake("new-alone", ("text[pieces[-1][0] : end]", "text[start:end]")),
        mistake("characters", ("len(text[pieces[-1][0] : end].split())", "len(text[pieces[-1][0] : end])")),
        mistake("start-lost", ("(pieces[-1][0], end)", "(start, end)")),
        mistake("end-kept", ("(pieces[-1][0], end)", "(pieces[-1][0], pieces[-1][1])")),
        mistake("strung-together", ("(pieces[-1][0], end)", "pieces[-1] + (start, end)")),
        mistake("end-alone", ("(pieces[-1][0], end)", "end")),
        mistake("never-joined", ("len(text[pieces[-1][0] : end].split()) <= most", "False")),
        mistake("always-joined", ("len(text[pieces[-1][0] : end].split()) <= most", "True")),
        mistake("from-the-top", ("text[pieces[-1][0] : end]", "text[:end]")),
        mistake("turned-round", ("<= most", "> most")),
        mistake("texts", ("    return pieces", "    return [text[start:end] for start, end in pieces]")),
        mistake("one-too-long", ("<= most", "<= most + 1")),
    ],
)  # fmt: skip

EXERCISES = [WINDOWS, SPAN, SENTENCES]
PREDICTIONS = [
    Prediction("how-many", 4, form=".0f", low=1, high=110),
    Prediction("begins", "after", kind="choice", choices=("before", "after", "exactly at")),
    Prediction("table", 2, form=".0f", low=1, high=12),
    Prediction("twin", "PW-2200", kind="choice", choices=("PW-2200", "PW-2400", "neither")),
    Prediction("mixed", 10, form=".0f", low=0, high=100),
]
NEEDS: dict[str, str] = {}
