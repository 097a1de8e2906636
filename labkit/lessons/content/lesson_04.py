"""Lesson 04, keyword search: the learner builds an inverted index, turns a question into words that SQLite looks up, and counts endings."""

from __future__ import annotations

from labkit.lessons.answers import NOT_YET
from labkit.lessons.exercises import FunctionExercise, ValueExercise, mistake
from labkit.lessons.predictions import Prediction

PUMP_QUESTION = ("which", "pump", "kit", "fits", "the", "pw", "2200")

INDEX = FunctionExercise(
    "index",
    stub='''
def inverted(texts):
    """texts: section -> its text. Gives back word -> its line: {section: times}."""
    index = {}
    for letter, text in texts.items():
        for word in ...:  # each word of this section
            line = index.setdefault(word, {})  # the word's line; empty if it is new
            line[letter] = ...  # how often it has come up in this section so far
    return index


lesson.check("index", inverted)
''',
    solution='''
def inverted(texts):
    """texts: section -> its text. Gives back word -> its line: {section: times}."""
    index = {}
    for letter, text in texts.items():
        for word in words(text):  # each word of this section
            line = index.setdefault(word, {})  # the word's line; empty if it is new
            line[letter] = line.get(letter, 0) + 1  # how often it has come up so far
    return index


lesson.check("index", inverted)
''',
    given="from labkit import words",
    cases=[
        ({"A": "Kettle leaks? Bring your kettle.", "B": "Descale a kettle."},),
        ({"P": "The PW-2200 pump.", "Q": "Pump, pump, pump!"},),
        ({"R": "Garantie prolongée : une garantie."},),
        ({"S": "", "T": "..."},),
        ({},),
    ],
    mistakes=[
        mistake("ones", ("line.get(letter, 0) + 1", "1")),
        mistake("zeros", ("line.get(letter, 0) + 1", "line.get(letter, 0)")),
        mistake("from-one", ("line.get(letter, 0) + 1", "line.get(letter, 1) + 1")),
        mistake("all-sections", ("line.get(letter, 0) + 1", "sum(line.values()) + 1")),
        mistake("number-of-sections", ("line.get(letter, 0) + 1", "len(line) + 1")),
        mistake("text-count", ("line.get(letter, 0) + 1", "text.count(word)")),
        mistake("count-on-top", ("line.get(letter, 0) + 1", "line.get(letter, 0) + words(text).count(word)")),
        mistake("split", ("words(text)", "text.split()")),
        mistake("lower-split", ("words(text)", "text.lower().split()")),
        mistake("letters", ("in words(text)", "in text")),
        mistake("lower-letters", ("in words(text)", "in text.lower()")),
        mistake(
            "regex",
            source=r'''
import re


def inverted(texts):
    index = {}
    for letter, text in texts.items():
        for word in re.findall(r"\w+", text.lower()):
            line = index.setdefault(word, {})
            line[letter] = line.get(letter, 0) + 1
    return index


lesson.check("index", inverted)
''',
        ),
        mistake(
            "upside-down",
            ("index.setdefault(word, {})", "index.setdefault(letter, {})"),
            ("line[letter] = line.get(letter", "line[word] = line.get(word"),
        ),
        mistake(
            "lists",
            ("index.setdefault(word, {})", "index.setdefault(word, [])"),
            ("line[letter] = line.get(letter, 0) + 1", "line.append(letter)"),
        ),
        mistake(
            "distinct",
            ("index.setdefault(word, {})", "index.setdefault(word, [])"),
            ("line[letter] = line.get(letter, 0) + 1", "line += [letter] if letter not in line else []"),
        ),
        mistake("no-get", ("line.get(letter, 0) + 1", "line[letter] + 1")),
        mistake(
            "overwritten",
            ("line = index.setdefault(word, {})", "line = index[word] = {}"),
            ("line.get(letter, 0) + 1", "words(text).count(word)"),
        ),
        mistake(
            "begun-again",
            ("line = index.setdefault(word, {})", "line = index[word] = {}"),
        ),
        mistake(
            "one-number",
            source='''
def inverted(texts):
    index = {}
    for text in texts.values():
        for word in words(text):
            index[word] = index.get(word, 0) + 1
    return index


lesson.check("index", inverted)
''',
        ),
        mistake("returned-inside", ("    return index", "        return index")),
    ],
)

# what the solution of match-expression is made of; its typical mistakes change one of these
JOINED = """" OR ".join(f'"{word}"' for word in words(text))"""
EACH = """f'"{word}"' for word in words(text)"""
QUOTED = """f'"{word}"'"""

MATCH = FunctionExercise(
    "match-expression",
    stub='''
def expression(text):
    """What MATCH is given to find every section with one or more of the words."""
    return ...


lesson.check("match-expression", expression)
''',
    solution='''
def expression(text):
    """What MATCH is given to find every section with one or more of the words."""
    return " OR ".join(f'"{word}"' for word in words(text))


lesson.check("match-expression", expression)
''',
    given="from labkit import words",
    cases=[
        ("Which pump kit fits the PW-2200?",),
        ("who's on leave",),
        ("title:leave",),
        ("kettle NOT working",),
        ("a refund, and no other refund",),
        ("garantie prolongée",),
        ("C++",),
        ("",),
    ],
    mistakes=[
        mistake("and", (" OR ", " AND ")),
        mistake("spaces", ('" OR "', '" "')),
        mistake("commas", ('" OR "', '", "')),
        mistake("small-or", (" OR ", " or ")),
        mistake("no-quotes", (EACH, "words(text)")),
        mistake("single-quotes", (QUOTED, "f\"'{word}'\"")),
        mistake("one-pair", (JOINED, "'\"' + \" OR \".join(words(text)) + '\"'")),
        mistake("empty", (JOINED, "'\"' + '\" OR \"'.join(words(text)) + '\"'")),
        mistake("trailing", (JOINED, "\"\".join(f'\"{word}\" OR ' for word in words(text))")),
        mistake("leading", (JOINED, "\"\".join(f' OR \"{word}\"' for word in words(text))")),
        mistake("no-f", (QUOTED, "'\"{word}\"'")),
        mistake("word-word", (QUOTED, "'\"word\"'")),
        mistake("letters", (EACH, "text")),
        mistake("quoted-letters", ("words(text)", "text")),
        mistake("list", (JOINED, "[f'\"{word}\"' for word in words(text)]")),
        mistake("first-alone", (JOINED, "\" OR \".join(f'\"{word}\"' for word in words(text)[:1])")),
        mistake("split", ("words(text)", "text.split()")),
        mistake("lower-split", ("words(text)", "text.lower().split()")),
        mistake("split-bare", (EACH, "text.split()")),
        mistake("pasted", (JOINED, "text")),
        mistake("whole-question", (JOINED, "f'\"{text}\"'")),
        mistake("repeats", ("words(text)", "dict.fromkeys(words(text))")),
        mistake("sorted", ("words(text)", "sorted(words(text))")),
        mistake("sorted-set", ("words(text)", "sorted(set(words(text)))")),
        mistake("without-the", ("words(text)", "words(text) if word != 'the'")),
    ],
)

REFUND_LINE = 'len(larkfield.postings("refund"))'
REFUNDS_LINE = 'len(larkfield.postings("refunds"))'
STEMMED_LINE = 'len(stemmed.postings("refund"))'


class CountsExercise(ValueExercise):
    """A ValueExercise for numbers that count results: lists of results, however many, are told to be counted."""

    def judge(self, answer, texts, blanks, fresh):
        """See Exercise.judge."""
        outcome = super().judge(answer, texts, blanks, fresh)
        known = {each.key for each in self.mistakes} | {"blank-left"}
        lists = isinstance(answer, tuple) and any(isinstance(each, list) for each in answer)
        if outcome.status != NOT_YET or outcome.mistake in known or not lists:
            return outcome
        return self.not_yet("lists", self.said(texts, "all-hits"), general=False)


REFUND = CountsExercise(
    "refund-refunds",
    stub='''
stemmed = KeywordIndex(stem=True)
stemmed.add((s.id, s.passage) for s in sections)

# how many sections hold each: ask larkfield
refund = ...
refunds = ...
# how many hold either, with the endings off: ask stemmed
either = ...

lesson.check("refund-refunds", (refund, refunds, either))
''',
    solution='''
stemmed = KeywordIndex(stem=True)
stemmed.add((s.id, s.passage) for s in sections)

# how many sections hold each: ask larkfield
refund = len(larkfield.postings("refund"))
refunds = len(larkfield.postings("refunds"))
# how many hold either, with the endings off: ask stemmed
either = len(stemmed.postings("refund"))

lesson.check("refund-refunds", (refund, refunds, either))
''',
    given='''
from labkit import KeywordIndex, load_inventory, split_sections

sections = [s for d in load_inventory() if d.format == "md" for s in split_sections(d)]
larkfield = KeywordIndex()
larkfield.add((s.id, s.passage) for s in sections)
''',
    form=".0f",
    mistakes=[
        mistake(
            "top-five",
            ('larkfield.postings("refund")', 'larkfield.search("refund")'),
            ('larkfield.postings("refunds")', 'larkfield.search("refunds")'),
            ('stemmed.postings("refund")', 'stemmed.search("refund")'),
        ),
        mistake(
            "entries",
            (REFUND_LINE, 'larkfield.postings("refund")'),
            (REFUNDS_LINE, 'larkfield.postings("refunds")'),
            (STEMMED_LINE, 'stemmed.postings("refund")'),
        ),
        mistake(
            "hits",
            (REFUND_LINE, 'larkfield.search("refund")'),
            (REFUNDS_LINE, 'larkfield.search("refunds")'),
            (STEMMED_LINE, 'stemmed.search("refund")'),
        ),
        mistake(
            "all-hits",
            (REFUND_LINE, 'larkfield.search("refund", k=len(sections))'),
            (REFUNDS_LINE, 'larkfield.search("refunds", k=len(sections))'),
            (STEMMED_LINE, 'stemmed.search("refund", k=len(sections))'),
        ),
        mistake("stemmed-twice", (STEMMED_LINE, '2 * len(stemmed.postings("refund"))')),
        mistake("stemmed-five", ('stemmed.postings("refund")', 'stemmed.search("refund")')),
        mistake("whole-index", (STEMMED_LINE, "len(stemmed)")),
        mistake(
            "substrings",
            (REFUND_LINE, 'sum("refund" in s.passage for s in sections)'),
            (REFUNDS_LINE, 'sum("refunds" in s.passage for s in sections)'),
        ),
        mistake("added", (STEMMED_LINE, "refund + refunds")),
        mistake("not-stemmed", ('stemmed.postings("refund")', 'larkfield.postings("refund")')),
        mistake(
            "both-words",
            (
                STEMMED_LINE,
                'len({p.id for p in larkfield.postings("refund")} & {p.id for p in larkfield.postings("refunds")})',
            ),
        ),
        mistake("swapped", ("(refund, refunds, either)", "(refunds, refund, either)")),
        mistake(
            "occurrences",
            (REFUND_LINE, 'sum(p.count for p in larkfield.postings("refund"))'),
            (REFUNDS_LINE, 'sum(p.count for p in larkfield.postings("refunds"))'),
            (STEMMED_LINE, 'sum(p.count for p in stemmed.postings("refund"))'),
        ),
        mistake(
            "all-stemmed",
            ('larkfield.postings("refund")', 'stemmed.postings("refund")'),
            ('larkfield.postings("refunds")', 'stemmed.postings("refunds")'),
        ),
        mistake(
            "substring",
            (REFUND_LINE, 'sum("refund" in s.passage.lower() for s in sections)'),
        ),
    ],
)

EXERCISES = [INDEX, MATCH, REFUND]
PREDICTIONS = [
    Prediction("lines", 50, form=".0f", low=1, high=58),
    Prediction("rarest", "2200", kind="choice", choices=PUMP_QUESTION),
    Prediction("all-words", 2, form=".0f", low=0, high=154),
    Prediction("any-word", 40, form=".0f", low=0, high=154),
    Prediction("hyphen", 7, form=".0f", low=0, high=154),
    Prediction("most", "2200", kind="choice", choices=PUMP_QUESTION),
    Prediction("pasted", 2, form=".0f", low=0, high=8),
]
