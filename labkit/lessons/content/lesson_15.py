"""Lesson 15, your own collection: what so many questions can show, what may stand in an inventory, and the learner's own fifteen."""

from __future__ import annotations

from labkit.lessons.content.own_collection import Laid, OwnCollectionExercise, add, keep, lay_out, write_report
from labkit.lessons.exercises import ChoiceExercise, FunctionExercise, mistake
from labkit.lessons.predictions import Prediction
from labkit.own.verdict import is_finding

__all__ = ["COPIED", "DRAFT", "EXERCISES", "PREDICTIONS", "SMALLER", "add", "better", "copied", "keep", "lay_out", "write_report"]

DRAFT = {
    "questions.md": (
        ("Student, with a card\t240\t130\tall boats of the grade", "Student, with a card 240 130 all boats of the grade"),
        ("where: fees v2026, Leaving", "where: fees v2026, Going"),
        (
            "kind: answerable\n"
            "answer: The same day: red tag on the bow, and a line in the damage log before going home.\n"
            "where: boathouse-book, When something breaks\n"
            'quote: "put a line into the damage log before you go home, the same day"\n',
            "",
        ),
    )
}
"""The club's questions as they were on the first evening: a quote with blanks for tabs, a section that there is not, a place not found."""

SMALLER = """\
# Small pieces: the club reads on a telephone.

[[chunkers]]
name = "structure"
use = "by_structure"
max_words = 100

[[chunkers]]
name = "fixed"
use = "fixed"
size = 50

[[chunkers]]
name = "overlapping"
use = "overlapping"
size = 50
overlap = 12
"""
"""A labkit.toml with chunks of half the usual size."""



def better(report: dict) -> str:
    """The methods that a report finds better than another one, beyond chance; 'no difference' where there is none."""
    found = [row for row in report["comparisons"] if is_finding(row)]
    return ", ".join(dict.fromkeys(row["a" if row["difference"] > 0 else "b"] for row in found)) or "no difference"


def copied() -> Laid:
    """The sample, its scored questions asked in the words of its documents."""
    return lay_out("flour-street", changes={"questions.md": [(f"## {old}\n", f"## {new}\n") for old, new in COPIED]})


# --- what so many questions can show ----------------------------------------------------------------------------------------------------

SEES = FunctionExercise(
    "sees",
    stub='''
def sees(scored):
    """The smallest difference that so many scored questions can show, in points.

    None where they can show none at all.
    """
    needed = ...  # questions that one side must win, while it loses none
    if ...:
        return None
    return ...


lesson.check("sees", sees)
''',
    solution='''
def sees(scored):
    """The smallest difference that so many scored questions can show, in points.

    None where they can show none at all.
    """
    needed = 6  # questions that one side must win, while it loses none
    if scored < needed:
        return None
    return 100 * needed / scored


lesson.check("sees", sees)
''',
    cases=[(15,), (12,), (6,), (5,), (0,), (59,), (120,)],
    form=".1f",
    mistakes=[
        mistake("five", ("needed = 6", "needed = 5")),
        mistake("seven", ("needed = 6", "needed = 7")),
        mistake("one", ("needed = 6", "needed = 1")),
        mistake("a-share", ("100 * needed / scored", "needed / scored")),
        mistake("upside-down", ("100 * needed / scored", "scored / needed")),
        mistake("unanswerable-counted", ("100 * needed / scored", "100 * needed / (scored + 3)")),
        mistake("most-of-them", ("needed = 6", "needed = scored // 2 + 1")),
        mistake("whole-points", ("100 * needed / scored", "100 * needed // scored")),
        mistake("six-is-too-few", ("scored < needed", "scored <= needed")),
        mistake("none-forgotten", ("    if scored < needed:\n        return None\n", "")),
        mistake("hundred-at-most", ("    if scored < needed:\n        return None\n", "    if scored < needed:\n        return 100\n")),
        mistake("zero-for-none", ("return None", "return 0")),
        mistake("questions", ("return 100 * needed / scored", "return needed")),
    ],
)

# --- what may stand in an inventory -----------------------------------------------------------------------------------------------------

CELLS = ChoiceExercise(
    "cells",
    choices=("it says so", "unknown", "0001-01-01", "staff"),
    stub='''
cells = {
    "A": ...,
    "B": ...,
    "C": ...,
    "D": ...,
    "E": ...,
    "F": ...,
}
lesson.check("cells", cells)
''',
    solution='''
cells = {
    "A": "it says so",
    "B": "unknown",
    "C": "0001-01-01",
    "D": "staff",
    "E": "unknown",
    "F": "it says so",
}
lesson.check("cells", cells)
''',
    mistakes=[
        mistake("all-unknown", value=dict.fromkeys("ABCDEF", "unknown")),
        mistake("all-said", value=dict.fromkeys("ABCDEF", "it says so")),
        mistake("a-unknown", value={"A": "unknown"}),
        mistake("a-always", value={"A": "0001-01-01"}),
        mistake("b-guessed", value={"B": "it says so"}),
        mistake("b-always", value={"B": "0001-01-01"}),
        mistake("c-unknown", value={"C": "unknown"}),
        mistake("c-guessed", value={"C": "it says so"}),
        mistake("d-unknown", value={"D": "unknown"}),
        mistake("d-guessed", value={"D": "it says so"}),
        mistake("e-guessed", value={"E": "it says so"}),
        mistake("e-staff", value={"E": "staff"}),
        mistake("f-unknown", value={"F": "unknown"}),
        mistake("f-always", value={"F": "0001-01-01"}),
    ],
)

# --- the learner's own ------------------------------------------------------------------------------------------------------------------

_CHECK = 'lesson.check("own-collection", folder)'
_SOLUTION = f"""
from labkit.lessons.content.lesson_15 import lay_out

folder = lay_out("flour-street")  # a sample: a bakery school and its questions

{_CHECK}
"""


def _changed(key: str, file: str, *pairs: tuple[str, str]):
    """A mistake in one of the sample's files: pairs of what stands there and what was written instead."""
    return mistake(key, ('lay_out("flour-street")', f'lay_out("flour-street", changes={{{file!r}: {pairs!r}}})'))


def _then(key: str, *lines: str):
    """A mistake made by lines of code, after the sample was laid."""
    return mistake(key, (_CHECK, "\n".join((*lines, _CHECK))))


def _rewritten(key: str, pattern: str, new: str):
    """A mistake all over the sample's questions: what the pattern finds, written in another way."""
    return _then(
        key,
        "import re",
        'file = folder / "questions.md"',
        f'file.write_bytes(re.sub({pattern!r}, {new!r}, file.read_bytes().decode("utf-8")).encode("utf-8"))',
    )


def _asked(key: str, *numbers: int):
    """A mistake in the wording: these questions of the sample are asked in the document's words."""
    pairs = (COPIED[number - 1] for number in numbers)
    return _changed(key, "questions.md", *((f"## {old}\n", f"## {new}\n") for old, new in pairs))


COPIED = (
    ("How much is the two-day class with wild yeast?", "BR-2, Sourdough, 12 hours, over two days: how much?"),
    ("I booked the weekend class with wild yeast last autumn. What did it cost?", "BR-2, Sourdough, 12 hours, over two days: $210?"),
    (
        "I fell ill ten days ahead of my class. Do I get all of it refunded?",
        "If I write to you up to fourteen days before the course, do you pay everything back?",
    ),
    ("The screen of the big oven shows E3. What now?", "E3, no water for the steam: open the tap behind the oven?"),
    ("How hot do I set DO-45 for bread?", "DO-45 holds its heat badly, so how do I set it?"),
    (
        "There is something pink growing in my jar. Can I save it?",
        "Pink or orange spots are another matter: throw away the jar and everything in it?",
    ),
    (
        "I will be abroad for three months. How does my sourdough survive that?",
        "Going away: spread it thinly on baking paper, let it dry, and crumble it into an envelope?",
    ),
    ("Which flour has the most protein?", "Which bin is wheat, whole, 14 %, good for half and half with bin 2?"),
    (
        "My bag of wholemeal has been open since spring. Is it still good?",
        "Whole flour goes rancid after three months, earlier in summer, since the oil of the germ is still in it?",
    ),
    ("Can a person with coeliac disease come along?", "Wheat is in the air, so can whoever may not breathe flour take part?"),
    (
        "My train gets in ten minutes past the start. Will I be let in?",
        "Being late: is the door locked when the course begins, do I ring once and wait?",
    ),
    (
        "How do I get dried dough off the window of the oven?",
        "Cleaning: is the glass wiped with vinegar while it is warm to the hand?",
    ),
)
"""The sample's scored questions, and the same in the words of the documents: the common mistake."""

_F11 = """\
kind: answerable
answer: At the first pause; until then the door is locked.
where: house-rules, Being late
quote: "Ring once and wait; somebody opens at the first pause."
"""
_F10_PLACE = """\
where: house-rules, Allergies
quote: "whoever may not breathe flour cannot take part"
"""
_F11_PLACE = "".join(_F11.splitlines(keepends=True)[2:])
_F12_PLACE = """\
where: ovens, Cleaning
quote: "The glass is wiped with vinegar while it is warm to the hand."
"""
_LONG = (
    "A grey liquid on top means that it is hungry. Pour it off, feed it twice a day, and on the third day it will be itself again. Pink or "
    "orange spots are another matter: throw away the jar and everything in it, and ask us for a new one. That costs nothing."
)

OWN = OwnCollectionExercise(
    "own-collection",
    stub="""
folder = ...  # the name of your folder, as a text

lesson.check("own-collection", folder)
""",
    solution=_SOLUTION,
    mistakes=[
        _then("not-a-folder", 'folder = ["inventory.csv", "questions.md"]'),
        _then("no-folder", 'folder = "my-colection"'),
        _then("a-file", 'folder = folder / "inventory.csv"'),
        _then("no-inventory", 'folder = folder / "documents"'),
        _then("in-the-course", "from labkit.course import course_folder", 'folder = course_folder() / "corpus" / "larkfield"'),
        _changed("empty-cell", "inventory.csv", ("The flour shelf,unknown,0001-01-01,,unknown", "The flour shelf,unknown,0001-01-01,,")),
        _changed("access-label", "inventory.csv", ("Technician,staff", "Technician,internal")),
        _changed("two-versions", "inventory.csv", ("2025-01-01,2025-12-31", "2025-01-01,")),
        _changed("no-file", "inventory.csv", ("documents/ovens.md", "documents/oven.md")),
        _changed("inventory", "inventory.csv", ("2026-01-01,,", "spring 2026,,")),
        _then("unlisted", '(folder / "documents" / "price-of-bread.md").write_text("# The price of bread")'),
        _changed("guesses", "inventory.csv", ("en,leaflet,md", "en,unknown (guessed: title language format),md")),
        _changed("said-otherwise", "inventory.csv", ("The flour shelf,unknown,", "The flour shelf,?,")),
        _rewritten("no-questions", r"(?s)\n## .*", ""),
        _changed("no-gold", "questions.md", (_F11, "")),
        _changed("place", "questions.md", ("where: house-rules, Being late", "where: house-rules, Coming late")),
        _changed("quote", "questions.md", ("Ring once and wait; somebody opens", "Ring once and wait: somebody opens")),
        _changed("not-in-force", "questions.md", ("answer: 230 dollars.", "answer: 230 dollars.\nas_of: 2025-09-01")),
        _changed("questions", "questions.md", ("id: F11", "id: F10")),
        _then("settings", '(folder / "labkit.toml").write_text("budget = 200")'),
        _changed("a-guess", "questions.md", ("id: F13\nkind: unanswerable", "id: F13\nkind: unanswerable\nanswer: No, only bread.")),
        _changed("unknown-otherwise", "questions.md", ("id: F13\nkind: unanswerable", "id: F13\nkind: unanswerable\nanswer: No idea.")),
        _changed("no-answer", "questions.md", ("answer: With vinegar, while the glass is warm to the hand.", "answer: unknown")),
        mistake("the-clubs", ("flour-street", "heron-reach")),
        _then("the-schools", "folder = str(folder)"),
        _changed("few", "questions.md", ("## Is there parking near the school?\n\nid: F15\nkind: unanswerable\n", "")),
        _changed(
            "few-unanswerable", "questions.md",
            ("## Do you teach cake decorating?\n\nid: F13\nkind: unanswerable",
             "## May I keep my wedding band on?\n\nid: F13\nanswer: No.\nwhere: house-rules, What to bring\nquote: \"Rings come off\""),
        ),
        _rewritten("few-scored", r"kind: (?:answerable|exact-code)\n(?:\w+: .*\n)+", "kind: unanswerable\n"),
        _changed("few-versions", "questions.md", ("kind: version\nanswer: No.", "kind: answerable\nanswer: No."),
                 ("wrong_version: courses v2025\n", "")),
        _changed("few-codes", "questions.md",
                 ("## How hot do I set DO-45 for bread?\n\nid: F05\nkind: exact-code",
                  "## How hot do I set the second oven for bread?\n\nid: F05\nkind: answerable")),
        _rewritten("no-table", r'where: .*\nquote: "\|.*\n', 'where: house-rules, What to bring\nquote: "Rings come off"\n'),
        _changed("duplicate", "questions.md", ("## How do I get dried dough off the window of the oven?",
                                               "## Will I be let in? My train gets in ten minutes past the start.")),
        _asked("too-easy", *range(1, 13)),
        _asked("wording", *range(3, 9)),
        _rewritten("not-found", r"(?m)^## .*\n\nid: (.*)$", r"## Qwertz \1 asdf?\n\nid: \1"),
        _changed("same-place", "questions.md", (_F11_PLACE, _F10_PLACE), (_F12_PLACE, _F10_PLACE)),
        _changed("long-quote", "questions.md", ("throw away the jar and everything in it\"", f"{_LONG}\"")),
    ],
)  # fmt: skip

EXERCISES = [SEES, CELLS, OWN]
PREDICTIONS = [
    Prediction("fifteen", 10, form=".0f", unit="points", low=0, high=100),
    Prediction("relevant", 3, form=".0f", low=0, high=20),
    Prediction("better", "fixed", kind="choice", choices=("structure", "fixed", "overlapping", "no difference")),
    Prediction("smaller", "no difference", kind="choice", choices=("structure", "fixed", "overlapping", "no difference")),
    Prediction("own", "no difference", kind="choice", choices=("structure", "fixed", "overlapping", "no difference")),
]
