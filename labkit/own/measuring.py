"""What a set of questions is like, in numbers: how close its words are to the documents', what it repeats, how easy it is (lesson 15).

The numbers alone; what to do about them is for labkit.own.advice. Words are those of the index (labkit.retrieval.keyword.words).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from labkit.evaluation.gold import Place, locate, placed
from labkit.evaluation.relevance import gold_sections, relevant_found
from labkit.own.desk import Desk, Progress
from labkit.own.pooling import Candidate, Editions, Pieces
from labkit.parsing.blocks import ParsedDocument
from labkit.retrieval.keyword import words

SHORTEST = 4  # letters of a word that says something; shorter ones ('the', 'on', 'für') stand everywhere
_CODE = re.compile(r"(?=[^\s]*\d)(?=[^\s]*[^\W\d_])[\w][\w./-]*\w")
_NAME = re.compile(r"(?<![.!?…:»”\"'(\s])\s+[«“\"'(]?([^\W\d_][^\W\d_]+)")
_PAIRS_AT_MOST = 2_000  # questions; above, only equal words are looked for


# --- where the gold stands ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GoldPlace:
    """One relevant entry of a question, found in its document: span of the quote (code points, half-open), and whether it is in a
    table."""

    question: str
    doc_id: str
    version: str
    start: int
    end: int
    in_table: bool


def gold_places(questions: Iterable, editions: Editions) -> list[GoldPlace]:
    """Where the quotes stand. What cannot be found, or not told from a second copy, is left out: it is a fault, and told as one."""
    places = locate(questions, editions.values())
    return [
        GoldPlace(name, place.doc_id, place.version, place.start, place.end, _in_table(editions[place.doc_id, place.version], place))
        for (name, _), place in places.items()
        if place is not None
    ]


def _in_table(parsed: ParsedDocument, place: Place) -> bool:
    return any(each.kind == "table" and each.start < place.end and place.start < each.end for each in parsed.blocks)


# --- words ----------------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wording:
    """How close a question's words are to the text that answers it.

    `shared` of its `telling` words (different ones, of four letters or more or with a digit) stand in the piece that answers; `run` is
    the longest run of its words that stands there as it is.
    """

    question: str
    telling: int
    shared: int
    run: int

    @property
    def share(self) -> float:
        """Shared ÷ telling; 0 where no word tells anything."""
        return self.shared / self.telling if self.telling else 0.0


def wording(questions: Iterable, places: Iterable[GoldPlace], pieces: Pieces) -> list[Wording]:
    """A Wording for each question of which a place was found: that of the place that is closest."""
    by_question = defaultdict(list)
    for place in places:
        by_question[place.question].append(place)
    found = []
    for question in questions:
        asked = words(question.question)
        telling = {word for word in asked if tells(word)}
        best = None
        for place in by_question.get(question.id, ()):
            there = [word for piece in _around(place, pieces) for word in words(piece.text)]
            each = Wording(question.id, len(telling), len(telling.intersection(there)), _longest_run(asked, there))
            best = max(filter(None, (best, each)), key=lambda one: (one.share, one.run))
        found += [best] if best else []
    return found


def tells(word: str) -> bool:
    """Whether a word says what is asked, rather than that something is."""
    return len(word) >= SHORTEST or any(each.isdigit() for each in word)


def _around(place: GoldPlace, pieces: Pieces) -> list[Candidate]:
    of_one = pieces.of(place.doc_id, place.version)
    return [each for each in of_one if each.start < place.end and place.start < each.end]


def _longest_run(asked: Sequence[str], there: Sequence[str]) -> int:
    """The most words in a row that stand in both."""
    longest, before = 0, {}
    for word in asked:
        now = {at: before.get(at - 1, 0) + 1 for at, other in enumerate(there) if other == word}
        longest = max(longest, *now.values(), 0) if now else longest
        before = now
    return longest


def has_code_or_name(text: str) -> bool:
    """Whether a question holds a code (letters and digits in one word) or, behind its first word, a word with a capital."""
    if _CODE.search(text):
        return True
    return any(each[1][0].isupper() for each in _NAME.finditer(text))


# --- repeats --------------------------------------------------------------------------------------------------------------------------


def same_questions(questions: Sequence, alike: float = 0.7) -> list[tuple[str, ...]]:
    """Ids of questions that ask the same: the same words in any order, or the same gold in nearly the same words (the words that both have
    are at least `alike` of those that either has, and no number or code is among the others)."""
    asked = {question.id: frozenset(words(question.question)) for question in questions}
    first = {name: name for name in asked}  # the earliest question that asks the same

    def top(name: str) -> str:
        while first[name] != name:
            name = first[name]
        return name

    by_words: dict[frozenset, str] = {}
    by_gold: dict[frozenset, list[str]] = defaultdict(list)
    for question in questions:
        held = asked[question.id]
        if held:
            first[question.id] = top(by_words.setdefault(held, question.id))
        if question.relevant and len(questions) <= _PAIRS_AT_MOST:
            by_gold[frozenset(gold_sections(question))].append(question.id)
    for ids in by_gold.values():
        for place, name in enumerate(ids):
            near = next((other for other in ids[:place] if _nearly(asked[name], asked[other], alike)), name)
            first[top(name)] = top(near)
    together = defaultdict(list)
    for name in asked:
        together[top(name)].append(name)
    return [tuple(ids) for ids in together.values() if len(ids) > 1]


def _nearly(one: frozenset[str], other: frozenset[str], alike: float) -> bool:
    both, either = one & other, one | other
    return bool(both) and len(both) >= alike * len(either) and not any(each.isdigit() for word in one ^ other for each in word)


def same_documents(editions: Editions) -> list[tuple[str, ...]]:
    """'doc_id@vN' of documents whose texts hold the same words in the same order, those without words apart."""
    together = defaultdict(list)
    for (doc_id, version), parsed in editions.items():
        held = tuple(parsed.text[parsed.body :].casefold().split())
        if held:
            together[hash(held), len(held)].append((f"{doc_id}@v{version}", held))
    groups = []
    for candidates in together.values():
        by_words = defaultdict(list)
        for name, held in candidates if len(candidates) > 1 else ():
            by_words[held].append(name)
        groups += [tuple(names) for names in by_words.values() if len(names) > 1]
    return groups


# --- searches -------------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Found:
    """What the methods make of the scored questions. `first` holds, by method and question, the rank of the first relevant result among
    the first `depth`, None where there is none. `elsewhere`: (question, 'doc_id@vN') where a result holds a whole gold quote and is no
    gold."""

    depth: int
    first: dict[str, dict[str, int | None]]
    elsewhere: tuple[tuple[str, str], ...]

    def at_rank_1(self, method: str) -> int:
        """How many questions this method finds with its first result."""
        return sum(rank == 1 for rank in self.first[method].values())

    def differ(self, k: int) -> int:
        """The most questions on which hit@k of the first method and of another one differ."""
        reference, *others = [{name for name, rank in ranks.items() if rank and rank <= k} for ranks in self.first.values()]
        return max((len(reference ^ other) for other in others), default=0)


def found_by(desk: Desk, questions: Iterable, depth: int, progress: Progress | None = None) -> Found:
    """Asks every method each of the questions, which have gold."""
    first: dict[str, dict[str, int | None]] = {method.name: {} for method in desk.methods}
    elsewhere: dict[tuple[str, str], None] = {}

    @cache
    def folded(text: str) -> str:
        return " ".join(text.casefold().split())

    questions = list(questions)
    for done, question in enumerate(placed(questions, locate(questions, desk.editions.values())), start=1):
        if progress:
            progress("questions asked", done, len(questions))
        named = {(entry.doc_id, str(entry.version)) for entry in question.relevant}
        sound = named <= set(desk.editions)  # of a question that names no document, nobody knows which one it means
        quotes = [folded(entry.quote) for entry in question.relevant if sound and len(entry.quote.split()) >= SHORTEST]
        for method in desk.methods:
            results = desk.find[method.name](question, depth)
            held = relevant_found(question, results)
            first[method.name][question.id] = next((rank for rank, gold in enumerate(held, start=1) if gold), None)
            for passage, gold in zip(results, held, strict=True):
                edition = passage.doc_id, str(passage.version)
                if not gold and edition not in named and any(quote in folded(passage.text) for quote in quotes):
                    elsewhere[question.id, f"{passage.doc_id}@v{passage.version}"] = None
    return Found(depth, first, tuple(elsewhere))


# --- documents ------------------------------------------------------------------------------------------------------------------------


def left_whole(desk: Desk) -> set[tuple[str, str]]:
    """The editions that every chunker leaves in one chunk, or none: whichever chunker is used, the same text is found."""
    return {
        edition for edition in desk.editions if all(len(of_one.get(edition, ())) <= 1 for of_one in desk.chunks.values())
    }


def kinds(questions: Iterable) -> dict[str, int]:
    """How many questions of each kind, by name."""
    return dict(sorted(Counter(question.kind for question in questions).items()))
