"""Lesson 08, metadata and the index: who may see what, a citation that leads back, and what an update of the index touches.

Here stand also the cards of the worked example, and the changes to a copy of the collection after which its index is brought up to date.
"""

from __future__ import annotations

from pathlib import Path

from labkit.lessons.exercises import ChoiceExercise, FunctionExercise, mistake
from labkit.lessons.own_tests import edit
from labkit.lessons.predictions import Prediction


def _card(access: str, begins: str, ends: str = "", language: str = "en") -> dict[str, str]:
    return {"access": access, "begins": begins, "ends": ends, "language": language}


CARDS = {
    "returns policy, old": _card("public", "2025-03-01", "2026-10-31"),
    "returns policy, new": _card("public", "2026-11-01"),
    "holiday notice": _card("public", "2025-11-01", "2026-01-31"),
    "refund approval": _card("staff", "2025-09-01"),
    "garantie légale": _card("public", "2026-01-01", language="fr"),
    "a draft": _card("internal", "2026-01-01"),
}
"""The worked example: six passages and their labels, days as the inventory writes them, '' for no end."""

RANKING = [(f"S{n}", "staff") for n in range(1, 11)] + [(f"P{n}", "public") for n in range(1, 6)]
"""The worked example: fifteen passages, best first, ten for staff above five public ones."""

MAY_SEE = FunctionExercise(
    "may-see",
    stub='''
def may_see(card, reader, day, language):
    """True if this reader may see the passage on that day, in that language.

    "public" sees the label public, "staff" sees public and staff; nobody sees more.
    Days are texts, as in "2026-12-01"; "" is no end. The language None means any.
    """
    allowed = ...  # may this reader see this label?
    in_force = ...  # does it hold on that day?
    spoken = ...  # is it in the language, if one was asked for?
    return allowed and in_force and spoken


lesson.check("may-see", may_see)
''',
    solution='''
def may_see(card, reader, day, language):
    """True if this reader may see the passage on that day, in that language.

    "public" sees the label public, "staff" sees public and staff; nobody sees more.
    Days are texts, as in "2026-12-01"; "" is no end. The language None means any.
    """
    labels = {"public": ["public"], "staff": ["public", "staff"]}
    allowed = card["access"] in labels.get(reader, [])
    over = card["ends"] != "" and card["ends"] < day
    in_force = card["begins"] <= day and not over
    spoken = language is None or card["language"] == language
    return allowed and in_force and spoken


lesson.check("may-see", may_see)
''',
    cases=[
        (_card("public", "2026-11-01"), "public", "2026-12-01", "en"),
        (_card("staff", "2025-09-01"), "public", "2026-12-01", "en"),
        (_card("staff", "2025-09-01"), "staff", "2026-12-01", "en"),
        (_card("public", "2026-11-01"), "staff", "2026-12-01", "en"),
        (_card("internal", "2026-01-01"), "public", "2026-12-01", None),
        (_card("internal", "2026-01-01"), "staff", "2026-12-01", None),
        (_card("Staff", "2026-01-01"), "staff", "2026-12-01", None),
        (_card("public draft", "2026-01-01"), "public", "2026-12-01", None),
        (_card("staff", "2025-09-01"), "guest", "2026-12-01", None),
        (_card("public", "2025-03-01", "2026-10-31"), "public", "2026-10-31", "en"),
        (_card("public", "2025-03-01", "2026-10-31"), "public", "2026-11-01", "en"),
        (_card("public", "2025-03-01", "2026-10-31"), "public", "2025-03-01", "en"),
        (_card("public", "2025-03-01", "2026-10-31"), "public", "2026-01-15", "en"),
        (_card("public", "2025-03-01", "2026-10-31"), "public", "2025-02-28", "en"),
        (_card("public", "2026-11-01"), "public", "2026-10-31", "en"),
        (_card("public", "2026-01-01", "", "fr"), "public", "2026-12-01", "en"),
        (_card("public", "2026-01-01", "", "fr"), "public", "2026-12-01", None),
        (_card("public", "2026-01-01", "2026-10-31", "fr"), "public", "2026-12-01", "fr"),
    ],
    mistakes=[
        mistake("staff-only-staff", ('["public", "staff"]', '["staff"]')),
        mistake("staff-sees-all", ('card["access"] in labels.get(reader, [])', 'reader == "staff" or card["access"] == "public"')),
        mistake("not-staff-is-public", ('card["access"] in labels.get(reader, [])', 'reader == "staff" or card["access"] != "staff"')),
        mistake("not-public-is-staff", ("labels.get(reader, [])", '["public", *["staff"] * (reader != "public")]')),
        mistake("unknown-reader", ("labels.get(reader, [])", "labels[reader]")),
        mistake("label-mended", ('card["access"] in', 'card["access"].lower() in')),
        mistake("label-begins", ('card["access"] in labels.get(reader, [])',
                                 'any(card["access"].startswith(each) for each in labels.get(reader, []))')),
        mistake("access-forgotten", ('card["access"] in labels.get(reader, [])', "True")),
        mistake("last-day-lost", ('card["ends"] < day', 'card["ends"] <= day')),
        mistake("first-day-lost", ('card["begins"] <= day', 'card["begins"] < day')),
        mistake("both-days-lost", ('card["ends"] < day', 'card["ends"] <= day'), ('card["begins"] <= day', 'card["begins"] < day')),
        mistake("open-is-over", ('card["ends"] != "" and ', "")),
        mistake("open-is-always", ('card["begins"] <= day and not over', 'card["ends"] == "" or card["begins"] <= day <= card["ends"]')),
        mistake("end-forgotten", (" and not over", "")),
        mistake("start-forgotten", ('card["begins"] <= day and not over', "not over")),
        mistake("day-forgotten", ('card["begins"] <= day and not over', "True")),
        mistake("still-open-only", ('card["begins"] <= day and not over', 'card["ends"] == "" and card["begins"] <= day')),
        mistake("any-means-none", ("language is None or ", "")),
        mistake("language-forgotten", ('language is None or card["language"] == language', "True")),
        mistake("or-for-and", ("allowed and in_force and spoken", "allowed or in_force or spoken")),
        mistake("turned-round", ('card["begins"] <= day', 'card["begins"] >= day')),
    ],
)

CITATION = FunctionExercise(
    "citation",
    stub='''
def cite(title, version, section, page_starts, start, text):
    """A line as: Warranty policy, version 5, section “…”, page 1, characters 17–192

    page_starts: where each page of the document begins, as in [0, 1844].
    start: where the passage begins. Both are positions in the document, from 0.
    """
    page = ...  # the page on which the passage begins; pages count from 1
    end = ...  # one past its last character
    place = f"section “{section}”, page {page}, characters {start}–{end}"
    return ...


lesson.check("citation", cite)
''',
    solution='''
def cite(title, version, section, page_starts, start, text):
    """A line as: Warranty policy, version 5, section “…”, page 1, characters 17–192

    page_starts: where each page of the document begins, as in [0, 1844].
    start: where the passage begins. Both are positions in the document, from 0.
    """
    page = sum(first <= start for first in page_starts)
    end = start + len(text)
    place = f"section “{section}”, page {page}, characters {start}–{end}"
    return f"{title}, version {version}, {place}"


lesson.check("citation", cite)
''',
    cases=[
        ("Warranty policy", "5", "How to make a claim", [0, 1844], 1964, "Write or call us."),
        ("Warranty policy", "5", "Who is covered", [0, 1844], 17, "Private customers."),
        ("Warranty policy", "5", "What is not covered", [0, 1844], 1844, "Rust on blades."),
        ("Warranty policy", "5", "What is not covered", [0, 1844], 1840, "• a pane • a hose"),
        ("Catalogue", "2026.1", "Lamps", [0, 900, 900, 2500], 1200, "Ten lamps, all for outdoors."),
        ("Catalogue", "2026.1", "Index", [0, 900, 900, 2500], 2600, "Zinc tub"),
        ("Notice", "1", "Hours", [0], 0, "Ouvert à 9 h, 10 € l’entrée."),
    ],
    mistakes=[
        mistake("page-from-0", ("sum(first <= start for first in page_starts)", "sum(first <= start for first in page_starts) - 1")),
        mistake("page-edge", ("first <= start", "first < start")),
        mistake("page-of-the-end", ("first <= start", "first < start + len(text)")),
        mistake("last-page", ("sum(first <= start for first in page_starts)", "len(page_starts)")),
        mistake("page-1", ("sum(first <= start for first in page_starts)", "1")),
        mistake("page-is-its-start", ("sum(first <= start for first in page_starts)",
                                      "max(first for first in page_starts if first <= start)")),
        mistake("page-not-found", ("sum(first <= start for first in page_starts)", "page_starts.index(start) + 1")),
        mistake("end-inside", ("start + len(text)", "start + len(text) - 1")),
        mistake("end-is-length", ("end = start + len(text)", "end = len(text)")),
        mistake("end-in-words", ("len(text)", "len(text.split())")),
        mistake("end-in-bytes", ("len(text)", 'len(text.encode("utf-8"))')),
        mistake("no-version", ("{title}, version {version}, {place}", "{title}, {place}")),
        mistake("no-title", ("{title}, version {version}, {place}", "version {version}, {place}")),
        mistake("only-the-place", ('f"{title}, version {version}, {place}"', "place")),
        mistake("place-lost", ("{title}, version {version}, {place}", "{title}, version {version}")),
        mistake("version-v", ("version {version}, {place}", "v{version}, {place}")),
        mistake("bare-version", ("version {version}, {place}", "{version}, {place}")),
        mistake("no-comma", ("{title}, version {version}", "{title} version {version}")),
        mistake("a-tuple", ('f"{title}, version {version}, {place}"', "(title, version, place)")),
    ],
)

CHANGES = {
    "rewards-programme@v4": "One sentence is reworded.",
    "help-centre-faq@v7": "Its last two sections are cut away.",
    "kettle-care@v2": "Somebody opens it and saves it again, as it was.",
    "gift-cards@v2": "The file stays as it is; the inventory now says staff.",
    "customer-tips@v1": "File and row are deleted.",
    "contact-and-hours@v5": "A new file with a new row, from 1 January 2027.",
    "contact-and-hours@v4": "Its row gets an end, 31 December 2026.",
}
"""What happens in a copy of the collection; `change_collection` does it."""

TOUCHED = ChoiceExercise(
    "touched",
    choices=("added", "changed", "unchanged", "removed"),
    stub='''
touched = {
    "rewards-programme@v4": ...,
    "help-centre-faq@v7": ...,
    "kettle-care@v2": ...,
    "gift-cards@v2": ...,
    "customer-tips@v1": ...,
    "contact-and-hours@v5": ...,
    "contact-and-hours@v4": ...,
}
lesson.check("touched", touched)
''',
    solution='''
touched = {
    "rewards-programme@v4": "changed",
    "help-centre-faq@v7": "changed",
    "kettle-care@v2": "unchanged",
    "gift-cards@v2": "changed",
    "customer-tips@v1": "removed",
    "contact-and-hours@v5": "added",
    "contact-and-hours@v4": "changed",
}
lesson.check("touched", touched)
''',
    mistakes=[
        mistake("all-changed", value=dict.fromkeys(CHANGES, "changed")),
        mistake("all-unchanged", value=dict.fromkeys(CHANGES, "unchanged")),
        mistake("labels-forgotten", value={"gift-cards@v2": "unchanged", "contact-and-hours@v4": "unchanged"}),
        mistake("label-forgotten", value={"gift-cards@v2": "unchanged"}),
        mistake("end-forgotten", value={"contact-and-hours@v4": "unchanged"}),
        mistake("hidden-is-gone", value={"gift-cards@v2": "removed"}),
        mistake("old-is-gone", value={"contact-and-hours@v4": "removed"}),
        mistake("version-as-change", value={"contact-and-hours@v5": "changed"}),
        mistake("saved-again", value={"kettle-care@v2": "changed"}),
        mistake("sections-gone", value={"help-centre-faq@v7": "removed"}),
        mistake("file-stays", value={"customer-tips@v1": "unchanged"}),
        mistake("row-as-change", value={"customer-tips@v1": "changed"}),
    ],
)


def change_collection(folder: Path) -> None:
    """The seven changes that the lesson tells of, made in a copy of the collection."""
    inventory, documents = "inventory.csv", folder / "documents"
    reworded = "documents/rewards-programme.v4.md"
    edit(reworded, "One purchase of any size keeps all of it for another 18.", "Any purchase keeps all of it for another 18.")(folder)

    faq = documents / "help-centre-faq.v7.md"
    kept, cut, _ = faq.read_text(encoding="utf-8").partition("## I cannot log in")
    assert cut
    faq.write_text(kept, encoding="utf-8", newline="")

    care = documents / "kettle-care.v2.md"
    care.write_bytes(care.read_bytes())

    edit(inventory, "Gift cards,2,2025-05-01,,Finance,public", "Gift cards,2,2025-05-01,,Finance,staff")(folder)

    tips = "documents/customer-tips.v1.md,customer-tips,Tips from our customers,1,2026-05-20,,Marketing,public,en,injection-bait,md\n"
    edit(inventory, tips, "")(folder)
    (documents / "customer-tips.v1.md").unlink()

    hours = "documents/contact-and-hours.v{},contact-and-hours,Contact and opening hours,{},Support (Grace),public,en,notice,md\n"
    ended, new = hours.format("4.md", "4,2026-04-01,2026-12-31"), hours.format("5.md", "5,2027-01-01,")
    edit(inventory, hours.format("4.md", "4,2026-04-01,"), ended + new)(folder)
    text = (documents / "contact-and-hours.v4.md").read_text(encoding="utf-8")
    text = text.replace("Valid from 1 April 2026.", "Valid from 1 January 2027.")
    (documents / "contact-and-hours.v5.md").write_text(text, encoding="utf-8", newline="")


EXERCISES = [MAY_SEE, CITATION, TOUCHED]
PREDICTIONS = [
    Prediction("left", 5, form=".0f", low=0, high=15),
    Prediction("short", 5, form=".0f", low=0, high=67),
    Prediction("score", "equal", kind="choice", choices=("higher", "lower", "equal")),
    Prediction("first", "returns policy 4", kind="choice",
               choices=("holiday notice", "returns policy 3", "returns policy 4", "something else")),
]  # fmt: skip
