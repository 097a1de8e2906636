"""A fair comparison hands over equally many words, not equally many results (lesson 09).

Five long results hold more than five short ones, so at equal k the method with the longer passages looks better. Here every method gets
the same number of words, and goes as deep into its ranking as they last.

How a budget is spent (`within_budget`):

- The results are taken in rank order, the first one first.
- Each costs the words of its passage, context included: a reader reads titles too. Words are what `str.split()` yields.
- 'whole': the taking stops before the first result that would pass the budget; exactly the budget fits.
- 'cut': that result is cut to fill the budget; its context stays and counts, and at least one word of its text must fit, else it is left.
- After the stop nothing more is taken: a shorter result further down does not jump the queue.

So with 'whole' a first result that is longer than the whole budget leaves nothing; the rows say so (`too_long`). Text that two results
share is read twice and costs twice; `unique_words` counts it once, beside and not instead.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence

import pandas as pd

from labkit.errors import BadArgument
from labkit.evaluation.evidence import evidence_of
from labkit.evaluation.gold import locate, placed
from labkit.evaluation.metrics import BUDGET_METRICS, different_ids, measure, results_of
from labkit.textfiles import quoted

BUDGETS = (100, 200, 400)
POLICIES = ("whole", "cut")
_TYPES = {"id": "str", "kind": "str", "budget": "int64"}
_TYPES |= dict.fromkeys(BUDGET_METRICS, "float64")
_TYPES |= {"words_used": "int64", "unique_words": "int64", "scored": "bool", "taken": "int64", "too_long": "bool"}
_WORDS_A_RESULT = 20  # fewer than most passages have: so deep is the first look into a ranking
_FIRST_LOOK = 10


def within_budget(passages: Iterable, words: int, last: str = "whole") -> list:
    """The results that a reader with room for `words` words gets, in rank order: the five rules above. Lesson 09.

    `last` says what becomes of the first result that does not fit: 'whole' leaves it, 'cut' cuts it (`Passage.shortened`). What is taken
    is a beginning of `passages`; [] where nothing fits, and with 0 words.

    Raises BadArgument unless `words` is a whole number from 0 up and `last` one of the two, and for what is no passage.
    """
    limit = _whole_words(words)
    _check_policy(last)
    taken: list = []
    used = 0
    for passage in passages:
        cost = getattr(passage, "words", None)
        if not isinstance(cost, int) or not hasattr(passage, "shortened"):
            raise BadArgument(f"result {len(taken) + 1} is {type(passage).__name__}, not a passage — give the passages, in rank order")
        if used + cost > limit:
            if last == "cut" and (beginning := passage.shortened(limit - used)) is not None:
                taken.append(beginning)
            break
        taken.append(passage)
        used += cost
    return taken


def evaluate_at_budgets(
    questions: Iterable,
    search: Callable[[str, int], Sequence],
    budgets: Iterable[int] = BUDGETS,
    last: str = "whole",
    documents: Iterable | None = None,
) -> pd.DataFrame:
    """One row a question and budget, in the order given: how good a search is when every method hands over equally many words. Lesson 09.

    Columns: id, kind, budget (words), hit, recall, evidence, evidence_in_context (lesson 10), words_used, unique_words, scored, taken,
    too_long. hit and recall are those of `evaluate`, over the results within the budget; evidence and evidence_in_context those of
    `evidence_of`. `words_used` is what the passages hold, `unique_words` the same with text that overlaps counted once, and each different
    context once. `taken` counts passages; `too_long` is true where the first result alone passed the budget.

    A question without a relevant passage is not scored: NaN in its four measures, its words still counted. One whose search brings nothing
    counts 0. `summarise(rows)` gives the means, a row a budget.

    `search(text, k)` is asked as deep as the largest budget needs, mostly once a question; what it gives for a smaller k should be the
    beginning of what it gives for a larger one. `documents` are the parsed documents (`parse`), for the places of the gold quotes; None:
    the course's own, as far as the questions name them. A question on a document that is not there is judged by the passage alone.

    Raises BadArgument for budgets that are no different whole numbers from 0 up, an unknown `last`, a question id that stands twice, and a
    search that returns anything but a list of passages; LabError, naming the question, where the search itself fails.
    """
    limits = _limits(budgets)
    _check_policy(last)
    questions = different_ids(questions)
    places = locate(questions, documents)
    rows = []
    for question in placed(questions, places):
        ranking = deep_enough(search, question, max(limits), last)
        rows += [_row(question, ranking, limit, last, places) for limit in limits]
    return pd.DataFrame(rows, columns=list(_TYPES)).astype(_TYPES)


def deep_enough(search: Callable[[str, int], Sequence], question, words: int, last: str = "whole") -> list:
    """The ranking of one question, as far as a budget of `words` words can reach into it, and perhaps further.

    The search is asked for twice as many each time, until the budget stops inside the ranking or the results run out. No budget reaches
    further than one result a word.
    """
    limit = _whole_words(words)
    k = min(limit + 1, max(_FIRST_LOOK, math.ceil(limit / _WORDS_A_RESULT)))
    ranking = results_of(search, question, k)
    while len(ranking) == k and k <= limit and _reaches_the_end(ranking, limit, last):
        k = min(2 * k, limit + 1)
        deeper = results_of(search, question, k)
        if len(deeper) <= len(ranking):
            break
        ranking = deeper
    return ranking


def unique_words(passages: Iterable) -> int:
    """The words of `passages` with what overlaps counted once: of each edition of a document the text that is held at all, and each
    different context once. Never more than the sum of `passage.words`.

    Spans are half-open: characters 0 to 100 and 100 to 150 share nothing.
    """
    passages = list(passages)
    editions: dict[tuple[str, str], list] = {}
    for passage in passages:
        editions.setdefault((passage.doc_id, str(passage.version)), []).append(passage)
    contexts = sum(len(context.split()) for context in {passage.context for passage in passages})
    return contexts + sum(len(text.split()) for of_one in editions.values() for text in _joined(of_one))


# --- one row ---------------------------------------------------------------------------------------------------------------------------


def _row(question, ranking: list, limit: int, last: str, places) -> dict:
    taken = within_budget(ranking, limit, last)
    measured = measure(question, taken, max(len(taken), 1))
    shown = evidence_of(question, taken, places)
    scored = measured["scored"]
    return {
        "id": question.id,
        "kind": question.kind,
        "budget": limit,
        "hit": measured["hit"],
        "recall": measured["recall"],
        "evidence": float(shown.held) if scored else math.nan,
        "evidence_in_context": float(shown.in_context) if scored else math.nan,
        "words_used": sum(passage.words for passage in taken),
        "unique_words": unique_words(taken),
        "scored": scored,
        "taken": len(taken),
        "too_long": bool(ranking) and ranking[0].words > limit,
    }


def _reaches_the_end(ranking: list, limit: int, last: str) -> bool:
    """Whether all of `ranking` is taken and words are left for more."""
    taken = within_budget(ranking, limit, last)
    return len(taken) == len(ranking) and sum(passage.words for passage in taken) < limit


def _joined(passages: list) -> list[str]:
    """The text that passages of one edition hold, in stretches: what overlaps is joined."""
    stretches: list[str] = []
    end = -1
    for passage in sorted(passages, key=lambda each: (each.start, each.end)):
        if stretches and passage.start < end:
            stretches[-1] += passage.text[end - passage.start :]
        else:
            stretches.append(passage.text)
        end = max(end, passage.end)
    return stretches


# --- what comes in ---------------------------------------------------------------------------------------------------------------------


def _whole_words(words) -> int:
    try:
        number = operator.index(words)
    except TypeError:
        number = -1
    if isinstance(words, bool) or number < 0:
        raise BadArgument(f"the budget is {quoted(words)}: it is a number of words, a whole one from 0 up (200 is the course's middle one)")
    return number


def _limits(budgets) -> list[int]:
    if isinstance(budgets, str | bytes | dict) or not isinstance(budgets, Iterable):
        budgets = [budgets]
    limits = [_whole_words(words) for words in budgets]
    if not limits or len(set(limits)) < len(limits):
        raise BadArgument(f"budgets are {limits}: name at least one, and each once")
    return limits


def _check_policy(last) -> None:
    if last not in POLICIES:
        raise BadArgument(f"last is {quoted(last)}: it is 'whole' (stop before the result that does not fit) or 'cut' (cut it to fill)")
