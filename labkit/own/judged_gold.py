"""Judgements become gold: a question file that anything can be measured with (lesson 15).

A piece is gold for a question where more judges call it relevant than give it another grade; 'unsure' is no vote. As many for as against
is a dispute: it is told, and is no gold until somebody gives way. 'partly' is a vote against, since half an answer is not what a search
is for; with `partly=True` it is one for.

What becomes of a piece:

- Where a judge pointed at the sentence, that is the quote; of several the shortest. Else the quote is the whole piece without its
  heading. A long quote is hard to hold in one passage, so "evidence" measured with it flatters large chunks, and those that cut where
  the pieces do.
- The entry names document, version, section and quote, as a person would have written it. Where the piece is in no section, or the quote
  stands in the document twice, it is a span: start and end as well, in code points.

Nothing is made up. An answer that nobody wrote is 'unknown'. A question for which no piece was found relevant gets no gold, and is not
made unanswerable either: the pool may have missed the answer, and a person decides.

The file holds all questions, those with gold of their own as they were, so that a report can be made with it alone. It is only ever
written over where it is still what was written last; what a person changed stays.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from labkit.errors import LabError
from labkit.evaluation.gold import starts_of
from labkit.files import write_atomically
from labkit.own.desk import KEPT
from labkit.own.judgements import Judgement, digest_of, latest
from labkit.own.judging import judged_text
from labkit.own.pooling import Candidate, Editions
from labkit.parsing.blocks import ParsedDocument
from labkit.questions import Question, Relevant, RelevantSpan
from labkit.textfiles import shown

FILE = "questions-judged.jsonl"
TAG = "judged"
_WRITTEN = "judged.json"  # the digest of what was written last
_UNKNOWN = "unknown"


@dataclass(frozen=True)
class Dispute:
    """A piece on which as many judges are for as against. `grades`: judge → grade."""

    question: str
    piece: Candidate
    grades: dict[str, str]


@dataclass(frozen=True)
class Gold:
    """What judgements came to. `questions` are all that have gold now or need none; `judged` names those whose gold comes from
    judgements, `without` those that still have none; `stale` counts judgements on what has changed since."""

    questions: tuple[Question, ...]
    judged: tuple[str, ...]
    without: tuple[str, ...]
    disputes: tuple[Dispute, ...]
    stale: int


def gold_of(questions: Iterable[Question], judgements: Iterable[Judgement], editions: Editions, *, partly: bool = False) -> Gold:
    """The questions with the gold that judges gave them. Those that have gold, or abstain, are handed through as they are
    (gold without a section gets its span, since a line of JSON needs one of the two). Lesson 15."""
    by_question: dict[str, list[Judgement]] = {}
    for each in latest(judgements).values():
        by_question.setdefault(each.asked, []).append(each)
    done, judged, without, disputes, stale = [], [], [], [], 0
    for question in questions:
        if question.relevant or question.abstain:
            done.append(replace(question, relevant=tuple(_with_its_place(entry, editions) for entry in question.relevant)))
            continue
        found: dict[Candidate, list[Judgement]] = {}
        for each in by_question.get(digest_of(question.question), []):
            there = judged_text(each, editions)
            if there is None:
                stale += 1
            else:
                found.setdefault(there, []).append(each)
        entries: list[Relevant] = []
        judges: set[str] = set()
        for piece in sorted(found, key=lambda each: each.place):
            said = found[piece]
            votes = Counter(_for(each.grade, partly) for each in said if each.grade != "unsure")
            if votes[True] and votes[True] == votes[False]:
                disputes.append(Dispute(question.id, piece, {each.judge: each.grade for each in said}))
            if votes[True] > votes[False]:
                entry = _entry(editions[piece.doc_id, piece.version], piece, said)
                entries += [entry] if entry not in entries else []
                judges |= {each.judge for each in said if _for(each.grade, partly)}
        if entries:
            done.append(_with_gold(question, entries, judges, editions))
            judged.append(question.id)
        else:
            without.append(question.id)
    return Gold(tuple(done), tuple(judged), tuple(without), tuple(disputes), stale)


def _why_none(gold: Gold) -> str:
    """Why judgements made no gold at all, and what to do about it."""
    if gold.disputes:
        many = len(gold.disputes)
        pieces = "one piece" if many == 1 else f"{many:,} pieces"
        todo = "talk it over (`labkit label FOLDER --agreement` names them), or ask a third"
        return f"on {pieces} as many judges say relevant as say not — {todo}"
    if gold.stale:
        return "the questions or passages have changed since they were judged — `labkit label` asks again"
    if not gold.without:
        return "every question has its answer's place, or none at all — none waits for a judgement"
    return "no piece has been judged relevant yet — `labkit label` asks for judgements, and --partly takes 'partly' for relevant"


def write_gold(gold: Gold, folder: Path, name: str = FILE) -> Path:
    """Writes the questions as JSON Lines into the folder, and gives the file.

    Raises LabError where a file stands there that is not as it was written last, where the name leads out of the folder, and where there
    is nothing to write.
    """
    path = folder / name
    if Path(name).name != name or path.suffix.lower() != ".jsonl":
        raise LabError(f"{name}: is no name of a .jsonl file in the folder — write one, as in {FILE}")
    if not gold.judged:
        raise LabError(f"there is no gold to write: {_why_none(gold)}")
    text = "".join(json.dumps(as_record(each), ensure_ascii=False) + "\n" for each in gold.questions)
    written = _written(folder)
    if path.is_symlink() or path.exists():
        try:
            there = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() and not path.is_symlink() else ""
        except OSError as error:
            raise LabError(f"{shown(path)}: cannot be read ({error.strerror or error}) — check its permissions") from None
        if there not in (written.get(name), hashlib.sha256(text.encode("utf-8")).hexdigest()):
            raise LabError(f"{shown(path)}: somebody has changed it since it was written, so it stays — name another file with --out")
    written[name] = hashlib.sha256(text.encode("utf-8")).hexdigest()
    (folder / KEPT).mkdir(exist_ok=True)
    write_atomically(path, text)
    write_atomically(folder / KEPT / _WRITTEN, json.dumps(written, indent=1, sort_keys=True) + "\n")
    return path


def as_record(question: Question) -> dict:
    """A question as a line of a question file holds it."""
    record = asdict(question)
    for name in ("file", "line"):
        del record[name]
    record["as_of"] = str(question.as_of)
    return json.loads(json.dumps(record))  # lists for tuples


def _written(folder: Path) -> dict[str, str]:
    try:
        found = json.loads((folder / KEPT / _WRITTEN).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _for(grade: str, partly: bool) -> bool:
    return grade == "relevant" or (partly and grade == "partly")


def _entry(parsed: ParsedDocument, piece: Candidate, said: Iterable[Judgement]) -> Relevant:
    answers = [each.answer for each in said if each.grade == "relevant" and each.answer and each.answer[1] <= len(parsed.text)]
    start, end = min(answers, key=lambda span: (span[1] - span[0], span), default=_body(parsed, piece))
    quote = parsed.text[start:end]
    section = next((span.name for span in parsed.sections if span.start <= start and end <= span.end), "")
    fields = (parsed.doc_id, str(parsed.version), section, parsed.access, quote)
    once = len(list(starts_of(quote, parsed.text))) == 1
    return Relevant(*fields) if section and once else RelevantSpan(*fields, start, end)


def _with_its_place(entry: Relevant, editions: Editions) -> Relevant:
    """The entry, with a span where it names no section: in a line of JSON the quote alone is no place."""
    parsed = editions.get((entry.doc_id, str(entry.version)))
    if entry.section or isinstance(entry, RelevantSpan) or parsed is None:
        return entry
    starts = list(starts_of(entry.quote, parsed.text))
    span = (starts[0], starts[0] + len(entry.quote)) if len(starts) == 1 else None
    return entry if span is None else RelevantSpan(entry.doc_id, entry.version, entry.section, entry.access, entry.quote, *span)


def _body(parsed: ParsedDocument, piece: Candidate) -> tuple[int, int]:
    """The piece without the headings that it begins with; all of it where there is nothing else."""
    for block in parsed.blocks:
        if block.end > piece.start and block.start < piece.end and block.kind not in ("heading", "title") and block.text.strip():
            start = max(block.start, piece.start)
            text = parsed.text[start : piece.end]
            return start + len(text) - len(text.lstrip()), piece.end
    return piece.start, piece.end


def _with_gold(question: Question, entries: list[Relevant], judges: Iterable[str], editions: Mapping) -> Question:
    language = question.language
    if language == _UNKNOWN:
        language = editions[entries[0].doc_id, entries[0].version].language
    note = f"Gold by judgement of {', '.join(sorted(judges))}."
    return replace(
        question,
        relevant=tuple(entries),
        reference_answer=question.reference_answer.strip() or _UNKNOWN,
        language=language,
        public_ok=question.public_ok and any(entry.access == "public" for entry in entries),
        tags=question.tags if TAG in question.tags else (*question.tags, TAG),
        notes=f"{question.notes} {note}".strip(),
    )
