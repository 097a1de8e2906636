"""Lesson 01's exercise with questions of the learner's own: three of them, checked against the documents by check_questions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from labkit.lessons.answers import CORRECT, NOT_YET, Outcome
from labkit.lessons.comparing import plain
from labkit.lessons.exercises import Exercise

NAMES = ("answerable", "dated", "unanswerable")
WITH_A_PLACE = ("question", "as_of", "doc_id", "version", "section", "quote")
WITHOUT = ("question", "answer", "why")
RUN = 5  # as many words of a question in a row in the document are no coincidence
SHORT = 25  # words; the shortest text that answers rarely has more
REASON = 5  # words that say where one looked
ASKED = 3  # words, at least, that make a question
SAID_OTHERWISE = (
    "i don't know", "i do not know", "don't know", "not known", "no idea", "none", "no answer", "n/a", "?", "unanswerable",
    "the documents do not say", "the documents don't say", "not in the documents", "no document says it",
)  # fmt: skip


class OwnQuestionsExercise(Exercise):
    """Three dictionaries: a question with its place and quote, one whose answer hangs on a date, and one that nothing answers.

    There is no one right answer. What can be checked is whether the place exists, the quote stands there, the version holds on that day,
    and the words are a customer's own. Each fault has a message among the exercise's mistakes, with {which}, {value} and {fault}.
    """

    kind = "questions"

    def judge(self, answer, texts, blanks, fresh):
        if _holds_blank(answer):
            return self.not_attempted() if fresh or not blanks else self.blank_left(blanks)
        found = _fault(answer)
        if found is None:
            return Outcome(CORRECT, self.said_correct(texts), None, str(len(NAMES)))
        key, values = found
        return Outcome(NOT_YET, self.said(texts, key, **({"which": "", "value": "", "fault": ""} | values)), key)

    @staticmethod
    def said_correct(texts: Mapping) -> str:
        from labkit.lessons.texts import fill

        return fill(texts["correct"], value=len(NAMES))


def _holds_blank(answer: object) -> bool:
    if isinstance(answer, Mapping):
        return any(_holds_blank(each) for each in answer.values())
    return answer is ... or (isinstance(answer, list | tuple) and any(_holds_blank(each) for each in answer))


def _fault(answer: object) -> tuple[str, dict] | None:
    """The first thing to mend: (key of its message, fields), None where all is well."""
    found = _shape(answer)
    if found:
        return found
    given = dict(zip(NAMES, answer, strict=True))
    for check in (_copied, _unknown, _places):
        found = check(given)
        if found:
            return found
    return None


def _shape(answer: object) -> tuple[str, dict] | None:
    if not isinstance(answer, list | tuple) or len(answer) != len(NAMES) or not all(isinstance(each, dict) for each in answer):
        return "not-three", {}
    for name, each in zip(NAMES, answer, strict=True):
        wanted = WITHOUT if name == "unanswerable" else WITH_A_PLACE
        missing, extra = [key for key in wanted if key not in each], [str(key) for key in each if key not in wanted]
        if missing or extra:
            said = [f"{', '.join(missing)} missing"] * bool(missing) + [f"{', '.join(extra)} too many"] * bool(extra)
            return "fields", {"which": name, "value": "; ".join(said)}
        for key in wanted:
            value = plain(each[key])
            if not isinstance(value, str):
                return "not-text", {"which": name, "value": key}
            if not value.strip():
                return "empty", {"which": name, "value": key}
    return None


def _folded(text: str) -> list[str]:
    from labkit import words

    return words(text)


def _copied(given: dict) -> tuple[str, dict] | None:
    from labkit import load_questions

    known = {tuple(_folded(question.question)): question.id for question in load_questions()}
    seen: dict[tuple, str] = {}
    for name, each in given.items():
        asked = tuple(_folded(each["question"]))
        if len(asked) < ASKED:
            return "too-short", {"which": name, "value": each["question"]}
        if asked in known:
            return "copied", {"which": name, "value": known[asked]}
        if asked in seen:
            return "twice", {"which": name, "value": seen[asked]}
        seen[asked] = name
    return None


def _unknown(given: dict) -> tuple[str, dict] | None:
    each = given["unanswerable"]
    said = each["answer"].strip().rstrip(".!").lower().replace("’", "'")
    if said in SAID_OTHERWISE:
        return "said-otherwise", {"value": each["answer"]}
    if said != "unknown":
        return "guess", {"value": each["answer"]}
    if len(each["why"].split()) < REASON:
        return "no-reason", {"value": each["why"]}
    return None


def _places(given: dict) -> tuple[str, dict] | None:
    from labkit import load_inventory

    documents = load_inventory()
    for name in ("answerable", "dated"):
        found = _place(name, given[name], documents)
        if found:
            return found[0], {"which": name} | found[1]
    return None


def _place(name: str, each: dict, documents: list) -> tuple[str, dict] | None:
    from labkit.dates import read_date
    from labkit.errors import LabError
    from labkit.validation import sections_of

    try:
        day = read_date(each["as_of"])
    except LabError as error:
        return "no-date", {"value": each["as_of"], "fault": str(error)}
    document = next((d for d in documents if (d.doc_id, d.version) == (each["doc_id"], each["version"])), None)
    faults = _check(each, day, document, documents)
    errors = [fault for fault in faults if fault.level == "error"]
    if document is None:
        return "place", {"value": each["doc_id"], "fault": _words(errors[0])}
    if document.format != "md":
        return "not-read", {"value": document.format.upper(), "fault": document.title}
    texts = sections_of(document)
    if errors:
        key = "place" if "has no section" in errors[0].what else "quote"
        return key, {"value": each["section"] if key == "place" else each["quote"], "fault": _words(errors[0])}
    if len(each["quote"].split()) > SHORT:
        return "long-quote", {"value": len(each["quote"].split())}
    if faults:
        return "not-in-force", {"value": each["as_of"], "fault": _words(faults[0])}
    if name == "dated" and document.effective_to is None and sum(d.doc_id == document.doc_id for d in documents) == 1:
        return "no-other-day", {"value": each["doc_id"]}
    run = _run(_folded(each["question"]), [_folded(text) for text in texts.values()])
    return ("word-for-word", {"value": run}) if run else None


def _check(each: dict, day: date, document, documents: list) -> list:
    """What check_questions says about one question of the learner's, put into its full form."""
    from labkit import Question, check_questions
    from labkit.questions import Relevant

    place = {key: each[key] for key in ("doc_id", "version", "section", "quote")}
    relevant = Relevant(**place, access=document.access if document else "public")
    question = Question(
        id="?", question=each["question"], language="en", kind="answerable", as_of=day, public_ok=False, abstain=False,
        reference_answer="", keys=(), must_not=(), relevant=(relevant,), wrong_version=(), tags=(), notes="",
    )  # fmt: skip
    return check_questions([question], documents)


def _words(fault) -> str:
    said = fault.what.removeprefix("?: ").removeprefix("relevant: ")
    return said + (f" ({fault.todo})" if fault.todo else "")


def _run(asked: list[str], texts: list[list[str]]) -> str:
    """The first RUN words of the question that stand in a row in one of the texts; '' for none."""
    for place in range(len(asked) - RUN + 1):
        run = asked[place : place + RUN]
        if any(run == text[i : i + RUN] for text in texts for i in range(len(text) - RUN + 1)):
            return " ".join(run)
    return ""
