"""A session of judging: passage after passage, one key each, every judgement saved before the next is shown (lesson 15).

The session knows nothing of a terminal. It takes keys from `Keys` and shows what it has to say through a function, so that a person at a
terminal, a pipe and a test drive the same thing. What it asks about comes from labkit.own.pooling, and what it records goes to
labkit.own.judgements; a session that is stopped, by a key or by a kill, goes on where it was when it is started again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from labkit.own.judgements import Judgement, digest_of, latest, record
from labkit.own.pooling import Candidate, Editions, Pieces, candidate, pool
from labkit.own.statements import statements
from labkit.parsing.blocks import ParsedDocument
from labkit.textfiles import quoted

KEYS = {"r": "relevant", "p": "partly", "n": "no", "u": "unsure", "s": "say where", "m": "more", "b": "back", "q": "quit"}
"""The keys, and what each means; the first four are judgements. The whole word serves as well."""

MENU = "r relevant · p partly · n no · u unsure · s relevant, and say where · b back · q quit"
_SHOWN = 400  # words of a passage that stand on the screen before 'm' is pressed
_NUMBERS = re.compile(r"\s*(\d{1,6})\s*(?:-|–|to|\.\.)?\s*(\d{1,6})?\s*")

Rankings = Callable[[object], Iterable[Sequence]]
"""question → what each configured search brings for it, best first."""

class Keys(Protocol):
    """Where answers come from. Both give None at the end of the input."""

    def key(self, prompt: str) -> str | None:
        """One key (or one word, from a pipe)."""

    def line(self, prompt: str) -> str | None:
        """A line of text."""


@dataclass(frozen=True)
class Round:
    """One question and the passages to judge for it, in the order in which they are shown. `stale` counts judgements on what has
    changed."""

    question: object
    candidates: tuple[Candidate, ...]
    stale: int = 0


@dataclass
class Outcome:
    """What a session came to: `judged` passages in this session, `left` ones in the questions that were reached, `finished` where all
    are done. `nothing_found` names the questions for which no search brought anything."""

    judged: int = 0
    left: int = 0
    finished: bool = False
    nothing_found: tuple[str, ...] = ()


class Session:
    """The judging of `questions` by one judge.

    `file` is judgements.csv, `judgements` what it holds. `editions` are the documents as they were read, `rankings` the searches. `show`
    takes a text, which may hold line ends; what comes from a document is not made safe for a terminal here. `looked(done, of)` is called
    while questions are passed over that are judged already.
    """

    def __init__(
        self,
        questions: Iterable,
        *,
        judge: str,
        file: Path,
        judgements: Iterable[Judgement],
        editions: Editions,
        rankings: Rankings,
        keys: Keys,
        show: Callable[[str], None],
        looked: Callable[[int, int], None] | None = None,
    ):
        self.judge, self.file, self.editions = judge, file, editions
        self._questions = list(questions)
        self._known = list(judgements)
        self._latest = latest(self._known)
        self._rankings, self._keys, self._show = rankings, keys, show
        self._pieces = Pieces(editions)
        self._rounds: list[Round] = []
        self._looked = looked or (lambda done, of: None)

    def run(self) -> Outcome:
        """Asks until all is judged, or 'quit', or the input ends."""
        outcome = Outcome()
        at = self._next(0, -1)
        shown = None
        while at is not None:
            if shown is None or shown[0] != at[0]:
                self._show_question(at[0])
            shown = at
            word = self._ask(at)
            if word in (None, "quit"):
                break
            if word == "back":
                before = self._before(at)
                if before is None:
                    self._show("This is the first passage: there is nothing before it.")
                at = before or at
                continue
            at = self._next(*at)
            outcome.judged += 1
        outcome.finished = at is None
        outcome.left = sum(not self._done(round_, each) for round_ in self._rounds for each in round_.candidates)
        outcome.nothing_found = tuple(round_.question.id for round_ in self._rounds if not round_.candidates)
        return outcome

    # --- where we are -----------------------------------------------------------------------------------------------------------

    def _round(self, number: int) -> Round:
        while len(self._rounds) <= number:
            question = self._questions[len(self._rounds)]
            self._rounds.append(round_of(question, self._rankings(question), self._known, self._pieces))
        return self._rounds[number]

    def _next(self, number: int, place: int) -> tuple[int, int] | None:
        """The next passage after this one that the judge has not judged."""
        while number < len(self._questions):
            round_ = self._round(number)
            for each in range(place + 1, len(round_.candidates)):
                if not self._done(round_, round_.candidates[each]):
                    return number, each
            number, place = number + 1, -1
            self._looked(number, len(self._questions))
        return None

    def _before(self, at: tuple[int, int]) -> tuple[int, int] | None:
        """The passage before this one, judged or not."""
        number, place = at
        while place == 0 and number > 0:
            number -= 1
            place = len(self._round(number).candidates)
        return (number, place - 1) if place > 0 else None

    def _done(self, round_: Round, each: Candidate) -> Judgement | None:
        found = self._latest.get((self.judge, digest_of(round_.question.question), each.place))
        return found if found and found.digest == digest_of(each.text) else None

    # --- what is shown, and what comes back -------------------------------------------------------------------------------------

    def _show_question(self, number: int) -> None:
        question = self._round(number).question
        self._show(f"\nQuestion {number + 1} of {len(self._questions)} ({question.id}): {question.question}")

    def _ask(self, at: tuple[int, int]) -> str | None:
        """Shows a passage until it is judged, and saves the judgement. 'quit', 'back', or None where the input ended."""
        round_ = self._round(at[0])
        each = round_.candidates[at[1]]
        self._show_passage(at, each, whole=False)
        while True:
            given = self._keys.key(MENU)
            if given is None:
                return None
            word = meant(given)
            if word in ("quit", "back"):
                return word
            if word == "more":
                self._show_passage(at, each, whole=True)
                continue
            answer = None
            if word == "say where":
                answer = self._where(each)
                if answer is None:
                    continue
                word = "relevant"
            if word is None:
                self._show(f"{quoted(given)} is none of the keys." if given.strip() else "Press one of the keys.")
                continue
            question = round_.question
            made = Judgement(self.judge, question.id, digest_of(question.question), *each.place, word, digest_of(each.text), answer)
            record(self.file, made)
            self._latest[self.judge, made.asked, made.place] = made
            return word

    def _show_passage(self, at: tuple[int, int], each: Candidate, *, whole: bool) -> None:
        round_ = self._round(at[0])
        parsed = self.editions[each.doc_id, each.version]
        before = self._done(round_, each)
        said = f" You said: {before.grade}." if before else ""
        self._show(f"\nPassage {at[1] + 1} of {len(round_.candidates)}.{said}  {heading(parsed, each)}\n")
        self._show(each.text if whole else _beginning(each.text))

    def _where(self, each: Candidate) -> tuple[int, int] | None:
        """The span of the sentences that the judge points at; None where they do not."""
        parsed = self.editions[each.doc_id, each.version]
        pieces = statements(parsed, each.start, each.end)
        for number, (start, end) in enumerate(pieces, start=1):
            self._show(f"{number}: {' '.join(parsed.text[start:end].split())}")
        while True:
            given = self._keys.line(f"Which one answers? A number from 1 to {len(pieces)}, or two, as 2-3; Enter: none of them alone")
            if given is None or not given.strip():
                return None
            found = _NUMBERS.fullmatch(given)
            first = int(found[1]) if found else 0
            last = int(found[2]) if found and found[2] else first
            if 1 <= first <= last <= len(pieces):
                return pieces[first - 1][0], pieces[last - 1][1]
            self._show(f"{given.strip()!r} is not among them.")


def round_of(question, rankings: Iterable[Sequence], judgements: Iterable[Judgement], pieces: Pieces) -> Round:
    """The passages to judge for a question: what the searches bring, and what somebody judged already and has not changed since."""
    known, stale = {}, 0
    asked = digest_of(question.question)
    for each in latest(each for each in judgements if each.asked == asked).values():
        there = judged_text(each, pieces.editions)
        if there is None:
            stale += 1
        else:
            known[there.place] = there
    return Round(question, tuple(pool(question, rankings, pieces, known.values())), stale)


def judged_text(judgement: Judgement, editions: Editions) -> Candidate | None:
    """The passage that was judged; None where its edition is not at hand, or says something else there now."""
    parsed = editions.get((judgement.doc_id, judgement.version))
    if parsed is None or judgement.end > len(parsed.text):
        return None
    found = candidate(parsed, judgement.start, judgement.end)
    return found if found.place == judgement.place and digest_of(found.text) == judgement.digest else None


def meant(given: str) -> str | None:
    """What a key, or a word, stands for; None for what is neither."""
    word = given.strip().casefold()
    if word in KEYS:
        return KEYS[word]
    return word if word in KEYS.values() else None


def heading(parsed: ParsedDocument, each: Candidate) -> str:
    """Where a passage stands, in a line: title, version, sections, page. The same whatever cut it."""
    names = [span.title for span in parsed.sections if span.start < each.end and each.start < span.end]
    pages = [page.number for page in parsed.pages if page.start < each.end and each.start < page.end]
    parts = [f"{parsed.title}, version {parsed.version}", *dict.fromkeys(name for name in names if name)]
    if pages:
        parts.append(f"page {pages[0]}" if len(pages) == 1 else f"pages {pages[0]}–{pages[-1]}")
    return " · ".join(parts)


def _beginning(text: str) -> str:
    """The first words of a long passage, and how many more there are."""
    words = list(re.finditer(r"\S+", text))
    if len(words) <= _SHOWN:
        return text
    return f"{text[: words[_SHOWN - 1].end()]} …\n[{len(words) - _SHOWN:,} more words: press m to read them]"
