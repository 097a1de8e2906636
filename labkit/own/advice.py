"""Advice on a folder's questions: what they can show, and what makes them easier, or say less, than their owner thinks (lesson 15).

Each piece of advice is measured on this folder and says its numbers. None of it is a fault: a set of questions may be as it is for a
reason. `labkit validate` prints them behind the faults.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from statistics import median

from labkit.own.desk import Desk, Progress, kept, lay_out
from labkit.own.examining import Held, is_without_gold
from labkit.own.judgements import digest_of, latest
from labkit.own.judging import judged_text
from labkit.own.material import parsed
from labkit.own.measuring import (
    GoldPlace,
    Wording,
    found_by,
    gold_places,
    has_code_or_name,
    kinds,
    left_whole,
    same_documents,
    same_questions,
    wording,
)
from labkit.own.pooling import Editions, Pieces
from labkit.own.scoring import power_of
from labkit.retrieval.passage_search import READERS
from labkit.textfiles import counted, some

QUESTIONS = 15  # a set to begin with
UNANSWERABLE = 3
VERSION = 2
CODE = 2
TABLE = 1
RUN = 5  # words in a row: such a run is copied rather than met by chance
SHARE = 0.8  # of a question's telling words, of which there are at least three
TOO_MANY = 1 / 3  # of the scored questions
EASY = 0.9
ENOUGH = 6  # questions that differ, all won by one side: the least that the sign test hears at the usual level
_DEPTH = 10  # how far down the first relevant result is looked for
_MOST = 12  # groups that are named


@dataclass(frozen=True)
class Advice:
    """One piece of advice: `kind` is a word for scripts, `what` the sentence with the numbers, `todo` what to do about it, `questions` the
    ids that it is about (for documents: 'doc_id@vN')."""

    kind: str
    what: str
    todo: str
    about: tuple[str, ...] = ()
    numbers: dict[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.what}{f' ({some(self.about)})' if self.about else ''}. {self.todo}."

    def as_dict(self) -> dict:
        """The same for a script."""
        return {"kind": self.kind, "what": self.what, "todo": self.todo, "about": list(self.about), "numbers": self.numbers}


@dataclass(frozen=True)
class Given:
    """All the advice, and every number that was measured for it."""

    advice: tuple[Advice, ...]
    measured: dict[str, object]


def advise(held: Held, *, quick: bool = False, progress: Progress | None = None) -> Given:
    """The advice on what could be read of a folder. `quick` leaves out what takes reading every document: ranks, and how chunkers differ.

    Lesson 15.
    """
    scored = [each for each in held.questions if each.relevant]
    desk = None
    if held.documents and held.questions and not quick:
        desk = lay_out(held.folder, held.documents, held.settings, progress)
    editions = desk.editions if desk else _named_editions(held)
    pieces = Pieces(editions)
    places = gold_places(scored, editions)
    words_of = wording(scored, places, pieces)
    maker = _Maker(held, scored, desk, editions, places, words_of, progress)
    return Given(tuple(maker.all()), maker.measured)


def _named_editions(held: Held) -> Editions:
    """The documents that some question names, read."""
    named = {(entry.doc_id, str(entry.version)) for each in held.questions for entry in each.relevant}
    wanted = [each for each in held.documents if (each.doc_id, each.version) in named and each.access in READERS[held.settings.access]]
    return {(each.doc_id, str(each.version)): each for each in parsed(wanted, kept(held.folder))}


class _Maker:
    """Looks at one thing after the other; `measured` fills on the way."""

    def __init__(
        self,
        held: Held,
        scored: list,
        desk: Desk | None,
        editions: Editions,
        places: list[GoldPlace],
        words_of: list[Wording],
        progress: Progress | None,
    ):
        self.held, self.scored, self.desk, self.editions, self.places, self.words_of = held, scored, desk, editions, places, words_of
        self.progress = progress
        self.measured: dict[str, object] = {}

    def all(self) -> Iterable[Advice]:
        """What there is to say, the most important first."""
        questions = self.held.questions
        self.measured["questions"] = {
            "n": len(questions),
            "scored": len(self.scored),
            "unanswerable": sum(each.abstain for each in questions),
            "without_gold": sum(is_without_gold(each) for each in questions),
            "kinds": kinds(questions),
        }
        looks: list[Callable[[], Iterable[Advice]]] = [self._power]
        if questions:
            looks += [self._unanswerable, self._tables, self._versions, self._codes]
            looks += [self._ranks, self._wording, self._repeats, self._elsewhere]
        looks += [self._cuts, self._copies, self._unread, self._stale]
        for look in looks:
            yield from look()

    # --- how many -----------------------------------------------------------------------------------------------------------------

    def _power(self) -> Iterable[Advice]:
        self.measured["power"] = power = power_of(len(self.scored))
        n, sees = power["n"], power["sees_points"]
        if not n:
            language = self.held.settings.language
            what = "No question has a relevant passage, so nothing can be scored"
            todo = "Say where answers stand; `labkit label` helps to find them"
            if language and not self.held.questions:
                what = f"No question is in the language {language!r}, the one that labkit.toml asks for, so nothing can be scored"
                todo = "Ask some in it, or take the line out of labkit.toml"
            yield Advice("power", what, todo, (), power)
            return
        few = f"{counted(n, 'scored question')} can show "
        if sees is None:
            what = few + f"no difference at all between two methods, however large: it takes {ENOUGH} that one wins and the other loses"
        else:
            points = f"{sees:.0f} points" if sees >= 10 else f"{sees:.1f} points"
            what = few + (
                f"a difference of about {points} between two methods, and none that is smaller; and that only where every question on "
                f"which they differ falls to the same one"
            )
        goals = [(10, power["for_10"]), (5, power["for_5"])]
        enough = [f"{points} points (about {many:,})" for points, many in goals if n >= many]
        more = [f"about {many:,} to see {points} points" for points, many in goals if n < many]
        todo = f"They are enough to see {' and '.join(enough)}" if enough else ""
        todo += f"{', and it' if enough else 'It'} takes {' and '.join(more)}" if more else ""
        todo += f", four times in five, where two methods differ on {round(100 * power['discordant'])} of 100 questions"
        if more:
            todo += f"; write as many as the difference that you care about asks for{f', and {QUESTIONS} to begin with' * (n < QUESTIONS)}"
        yield Advice("power", what, todo, (), power)

    def _unanswerable(self) -> Iterable[Advice]:
        ids = [each.id for each in self.held.questions if each.abstain]
        if len(ids) < UNANSWERABLE:
            what = f"{_of(len(ids), len(self.held.questions), 'has', 'have')} no answer in the documents"
            todo = f"Write at least {UNANSWERABLE} that sound as if one did: a search brings something for them too, which is worth seeing"
            yield Advice("unanswerable", what, todo, tuple(ids), {"n": len(ids), "of": len(self.held.questions), "wanted": UNANSWERABLE})

    # --- what they ask about ------------------------------------------------------------------------------------------------------

    def _tables(self) -> Iterable[Advice]:
        asked = {each.question for each in self.places if each.in_table}
        said = [each.id for each in self.scored if each.kind == "table" and each.id not in asked]
        tables = {edition for edition, each in self.editions.items() if any(block.kind == "table" for block in each.blocks)}
        self.measured["tables"] = {"questions": sorted(asked), "documents": len(tables), "read": len(self.editions)}
        numbers = {"n": len(asked), "documents": len(tables), "read": len(self.editions)}
        if len(asked) < TABLE and self.scored:
            if tables or not self.desk:
                hold = "holds" if len(tables) == 1 else "hold"
                read = counted(len(self.editions), "document")
                what = f"No question has its answer in a table; {len(tables)} of the {read} read {hold} one"
                yield Advice("table", what, "Ask for a row of a table: what cutting a text spoils first is a table", (), numbers)
            else:
                what = f"No question has its answer in a table, and none of the {counted(len(self.editions), 'document')} holds one"
                todo = "Nothing to do, if that is so; a table that labkit reads as prose is worth a look with `labkit parse`"
                yield Advice("table", what, todo, (), numbers)
        if said:
            what = f"{counted(len(said), 'question')} of kind table whose quote stands in no table"
            yield Advice("table-kind", what, "Look with `labkit parse` whether the table was read as one, or mend the kind", tuple(said))

    def _versions(self) -> Iterable[Advice]:
        several = [name for name, n in Counter(each.doc_id for each in self.held.documents).items() if n > 1]
        ended = [each.doc_id for each in self.held.documents if each.effective_to]
        ids = tuple(each.id for each in self.held.questions if each.kind == "version" or each.wrong_version)
        self.measured["versions"] = {"questions": list(ids), "documents_with_several": len(several), "ended": len(ended)}
        if (several or ended) and len(ids) < VERSION:
            what = (
                f"{_of(len(ids), len(self.held.questions), 'hangs', 'hang')} on a date or version; of the documents, {len(several)} "
                f"{'has' if len(several) == 1 else 'have'} several versions and {len(ended)} an end date"
            )
            todo = f"Write at least {VERSION} (kind: version, or wrong_version) that an old text would answer wrongly"
            yield Advice("version", what, todo, ids, self.measured["versions"])

    def _codes(self) -> Iterable[Advice]:
        ids = tuple(each.id for each in self.held.questions if has_code_or_name(each.question) or "code" in each.kind.split("-"))
        self.measured["codes"] = {"questions": list(ids)}
        if len(ids) < CODE:
            what = f"{_of(len(ids), len(self.held.questions), 'holds', 'hold')} a code or a name"
            todo = f"Write at least {CODE}, if people ask so: searches differ on words that are spelt in one way only"
            yield Advice("code", what, todo, ids)

    # --- how easy they are --------------------------------------------------------------------------------------------------------

    def _ranks(self) -> Iterable[Advice]:
        if not self.desk or not self.scored:
            return
        n, k = len(self.scored), self.held.settings.k
        self.found = found = found_by(self.desk, self.scored, max(_DEPTH, k), self.progress)
        first = {name: found.at_rank_1(name) for name in found.first}
        never = tuple(each.id for each in self.scored if all(ranks[each.id] is None for ranks in found.first.values()))
        self.measured["ranks"] = {"n": n, "rank_1": first, "depth": found.depth, "not_found": list(never)}
        self.measured["ranks"] |= {"k": k, "differ_at_k": found.differ(k)}
        best = max(first, key=first.get)
        numbers = {"n": n, "rank_1": first}
        todo = "Ask as people ask who have not read the document, and ask for what stands in two places, in a table, in another version"
        if first[best] == n:
            asked = "The one scored question is" if n == 1 else f"All {n:,} scored questions are"
            what = f"{asked} found at rank 1 by {best}: too easy to tell you anything"
            yield Advice("rank-1", what, todo, (), numbers)
        elif n >= 10 and first[best] >= EASY * n:
            what = f"{first[best]:,} of {n:,} scored questions are found at rank 1 by {best}: nearly too easy"
            yield Advice("rank-1", what, todo, (), numbers)
        if len(never) == n:
            asked = "the one scored question" if n == 1 else f"any of the {n:,} scored questions"
            what = f"No method finds {asked} among its first {found.depth} results"
            todo = "Check language, access and as_of in labkit.toml; `labkit report` says where each was lost"
            yield Advice("not-found", what, todo, never)

    def _wording(self) -> Iterable[Advice]:
        if not self.words_of:
            return
        n = len(self.words_of)
        shares = [each.share for each in self.words_of]
        close = [each for each in self.words_of if each.run >= RUN or (each.share >= SHARE and each.telling >= 3)]
        self.measured["wording"] = {
            "n": n,
            "median_share": round(median(shares), 6),
            "close": [each.question for each in close],
            "questions": [
                {"id": each.question, "telling": each.telling, "shared": each.shared, "run": each.run, "share": round(each.share, 6)}
                for each in self.words_of
            ],
        }
        if len(close) > TOO_MANY * n:
            what = (
                f"{len(close)} of {counted(n, 'scored question')} {'share' if len(close) > 1 else 'shares'} the document's wording: "
                f"{RUN} words in a row, or {round(100 * SHARE)} % of the words that tell something, stand in the passage that answers "
                f"(the question in the middle shares {round(100 * median(shares))} %)"
            )
            todo = "Put the document away and ask again, in the words of whoever does not know it; keywords are found by themselves"
            numbers = {"close": len(close), "n": n, "median_share": round(median(shares), 6)}
            yield Advice("wording", what, todo, tuple(each.question for each in close), numbers)

    # --- repeats ------------------------------------------------------------------------------------------------------------------

    def _repeats(self) -> Iterable[Advice]:
        groups = same_questions(self.held.questions)
        self.measured["same_questions"] = [list(group) for group in groups]
        for group in groups[:_MOST]:
            what = f"{counted(len(group), 'question')} ask the same"
            yield Advice("duplicate", what, "Keep one of them: asked twice it counts twice, and shows nothing more", group)
        asked = Counter((each.doc_id, each.version, each.start, each.end) for each in self.places)
        crowded = [place for place, n in asked.items() if n >= 3]
        self.measured["places"] = {"quotes": len(self.places), "different": len(asked)}
        if crowded:
            where = [(each.question, (each.doc_id, each.version, each.start, each.end)) for each in self.places]
            ids = tuple(dict.fromkeys(question for question, place in where if place in crowded))
            what = f"{counted(len(ids), 'question')} have the same quote as two others; all questions together quote {len(asked)} places"
            yield Advice("same-place", what, "Ask about other places too: questions on one passage are won or lost together", ids)

    def _elsewhere(self) -> Iterable[Advice]:
        if not self.desk or not self.scored:
            return
        pairs = self.found.elsewhere
        self.measured["elsewhere"] = [list(pair) for pair in pairs]
        if pairs:
            about = tuple(f"{question}: {document}" for question, document in pairs)
            asked = len({question for question, _ in pairs})
            what = f"{counted(asked, 'question')} whose quote also stands in a document that is not named"
            todo = "Name that place too where it answers; until then, a search that brings it is counted as wrong"
            yield Advice("elsewhere", what, todo, about)

    # --- documents ----------------------------------------------------------------------------------------------------------------

    def _cuts(self) -> Iterable[Advice]:
        if not self.desk or not self.editions or len(self.desk.chunks) < 2:
            return
        whole = left_whole(self.desk)
        sizes = [len(each.text[each.body :].split()) for each in self.editions.values()]
        gold = {question.id: {(entry.doc_id, str(entry.version)) for entry in question.relevant} for question in self.scored}
        can = [name for name, documents in gold.items() if documents & set(self.editions) and not documents <= whole]
        numbers = {
            "documents": len(self.editions), "whole": len(whole), "median_words": float(median(sizes)), "scored": len(self.scored),
            "can_differ": len(can), "chunkers": list(self.desk.chunks),
        }  # fmt: skip
        self.measured["cuts"] = numbers
        if 2 * len(whole) > len(self.editions) or (self.scored and len(can) < ENOUGH):
            what = (
                f"{len(whole)} of {counted(len(self.editions), 'document')} "
                f"{'is' if len(whole) == 1 else 'are'} left in one piece by every "
                f"chunker (the document in the middle has {counted(round(median(sizes)), 'word')})"
            )
            if self.scored:
                what += f", so chunkers can differ on {len(can)} of {counted(len(self.scored), 'scored question')}"
            todo = (
                f"It takes {ENOUGH} to show anything. Configure smaller chunks than the documents are long, ask about longer documents, "
                f"or say that on these the choice does not matter"
            )
            yield Advice("short-documents", what, todo, (), numbers)

    def _copies(self) -> Iterable[Advice]:
        groups = same_documents(self.editions) if self.desk else []
        if self.desk:
            self.measured["same_documents"] = [list(group) for group in groups]
        for group in groups[:_MOST]:
            what = f"{counted(len(group), 'document')} hold the same words"
            yield Advice("duplicate-documents", what, "Keep one, or a search that brings the other one is counted as wrong", group)

    def _unread(self) -> Iterable[Advice]:
        if not self.desk:
            return
        files = {(each.doc_id, each.version): each.file for each in self.desk.documents}
        read = {files[edition] for edition in self.editions}
        uncut = [f"{file}: {why}" for file, why in self.desk.aside if file in read]
        wrong = [f"{file}: {why}" for file, why in self.desk.aside if file not in read]
        wrong += [f"{files[edition]}: {problem}" for edition, each in self.editions.items() for problem in each.problems]
        self.measured["unread"], self.measured["uncut"] = wrong, uncut
        if wrong:
            them = "it" if len(wrong) == 1 else "them"
            what = f"{counted(len(wrong), 'thing')} could not be read, and no search will find {them}"
            yield Advice("unread", what, f"Questions about {them} will be missed, whatever the method", tuple(wrong))
        if uncut:
            fails = {file for file, _ in self.desk.aside if file in read}
            what = f"A chunker of your own fails on {counted(len(fails), 'document')}"
            todo = "Mend it: until then its methods miss what stands there, and a comparison with the others is not fair"
            yield Advice("uncut", what, todo, tuple(uncut))

    def _stale(self) -> Iterable[Advice]:
        if not self.desk or not self.held.judgements:
            return
        asked = {digest_of(each.question) for each in self.held.questions}
        those = [each for each in latest(self.held.judgements).values() if each.asked in asked]
        stale = [each for each in those if judged_text(each, self.editions) is None]
        self.measured["judgements"] = {"n": len(those), "stale": len(stale), "judges": sorted({each.judge for each in those})}
        if stale:
            few = f"{len(stale)} of {counted(len(those), 'judgement')}"
            what = f"{few} {'is' if len(stale) == 1 else 'are'} on a text that has changed since"
            ids = self.held.ids  # all of them are put together anew each time
            about = tuple(dict.fromkeys(ids[each.asked] for each in stale))
            yield Advice("stale", what, "`labkit label` asks for them again", about, self.measured["judgements"])


# --- words ------------------------------------------------------------------------------------------------------------------------------


def _of(number: int, of: int, one: str, many: str) -> str:
    return f"{number} of {counted(of, 'question')} {one if 1 in (number, of) else many}"
