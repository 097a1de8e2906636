"""Why was this question missed? The first stage that lost its answer (lesson 05).

A passage travels: its source is read → the reader may see it → it shares a word with the question → it is ranked → it is among the first k,
or within the budget of words (lesson 09).
A miss is put at the first stage where every relevant passage had dropped out, because a cure further down cannot help: no formula mends a
document that nobody read. The stage is computed; what caused it (an unread format, other words, another language) is for a person to judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from types import SimpleNamespace
from typing import NamedTuple

from labkit.evaluation.budget import deep_enough, within_budget
from labkit.evaluation.metrics import a_question, results_of, whole_k
from labkit.evaluation.relevance import relevant_found
from labkit.retrieval.keyword import words

NOT_SCORED = "not scored"
FOUND = "found"
NOT_READ = "source not read"
FILTERED = "filtered"
NO_SHARED_WORD = "no shared word"
BELOW_K = "ranked below k"
OVER_BUDGET = "cut by the budget"

STAGES = (NOT_SCORED, FOUND, NOT_READ, FILTERED, NO_SHARED_WORD, BELOW_K, OVER_BUDGET)
"""Every stage, in the order in which they are asked."""

_DEPTH = 100_000  # how far down the ranking we look where the number of passages is not known


class Miss(NamedTuple):
    """Where one question stands. `stage` is one of STAGES, to group by; `rank` the 1-based rank of its best relevant result, None where
    there is none. `str(miss)` is the sentence: 'ranked below k (rank 8)', 'cut by the budget (rank 3)'."""

    stage: str
    rank: int | None = None

    def __str__(self) -> str:
        if self.stage not in (BELOW_K, OVER_BUDGET):
            return self.stage
        return f"{self.stage} (rank {self.rank})" if self.rank else f"{self.stage} (rank unknown)"


def why_missed(
    question,
    search: Callable[[str, int], Sequence],
    *,
    passages: Iterable | None = None,
    k: int = 5,
    allowed: Callable[[object], bool] | None = None,
    budget: int | None = None,
    last: str = "whole",
) -> str:
    """The first stage that lost `question`, as a sentence; `stage_of` gives the same as a value to group by, and says what each means."""
    return str(stage_of(question, search, passages=passages, k=k, allowed=allowed, budget=budget, last=last))


def stage_of(
    question,
    search: Callable[[str, int], Sequence],
    *,
    passages: Iterable | None = None,
    k: int = 5,
    allowed: Callable[[object], bool] | None = None,
    budget: int | None = None,
    last: str = "whole",
) -> Miss:
    """The first stage that lost `question`.

    'not scored': it has no relevant passage. 'found': one is among the first k results. 'source not read': `passages` holds no text of any
    section that answers. 'filtered': it does, but `allowed` refuses each of them. 'ranked below k': the search brings one further down,
    at `rank`. 'no shared word': it never does, and none of them has a word of the question (both as the index reads words). A passage that
    shares a word and still never comes is 'ranked below k' with rank None.

    With a `budget` (words; `last` as in `within_budget`), k plays no part: 'found' is what a passage within the budget holds, and what is
    ranked further down, or cut off, is 'cut by the budget', with its rank.

    `passages` is everything that was given to the search to find. Where it is None, the search itself is asked: for the question, far down
    the ranking, and for each relevant entry's own quote; what comes back was read. A search that hides passages from its reader then
    looks as if it had not read them, so give `passages` where you can.
    `allowed` is a callable of a passage: may this reader see it? It is applied to what the search returns as well, before the ranks are
    counted, so it makes no difference whether the search filters by itself.

    Errors as `evaluate`: BadArgument for k, budget or last, LabError naming the question where the search fails.
    """
    k = whole_k(k)
    within_budget([], 0 if budget is None else budget, last)
    if not a_question(question, "the question", "give one of those that load_questions returns").relevant:
        return Miss(NOT_SCORED)

    def delivered(results: Iterable) -> list:
        seen = filter(allowed, results)
        return list(islice(seen, k)) if budget is None else within_budget(seen, budget, last)

    hides = allowed is not None
    if not hides:
        allowed = _everything
    nearest = results_of(search, question, k) if budget is None else deep_enough(search, question, budget, last)
    rank = _best_rank(question, delivered(nearest))
    if rank is not None:
        return Miss(FOUND, rank)

    known = None if passages is None else list(passages)
    depth = max(k, _DEPTH if known is None else len(known))
    ranking = results_of(search, question, depth)
    if known is None:
        known = ranking + [result for entry in question.relevant for result in _asked_by_quote(search, question, entry, depth)]
    gold = [passage for passage, held in zip(known, relevant_found(question, known), strict=True) if held]
    if not gold:
        return Miss(NOT_READ)
    gold = [passage for passage in gold if allowed(passage)]
    if not gold:
        return Miss(FILTERED)
    if hides and (rank := _best_rank(question, delivered(ranking))) is not None:
        return Miss(FOUND, rank)
    rank = _best_rank(question, filter(allowed, ranking))
    if rank is not None and budget is not None:
        return Miss(OVER_BUDGET, rank)
    if rank is not None:
        # a search that orders its results afresh for each k can bring at a large k what it has just missed: no rank to be had
        return Miss(BELOW_K, rank if rank > k else None)
    asked = set(words(question.question))
    if all(asked.isdisjoint(words(passage.passage)) for passage in gold):
        return Miss(NO_SHARED_WORD)
    return Miss(BELOW_K)


def _everything(passage: object) -> bool:
    return True


def _best_rank(question, results: Iterable) -> int | None:
    """The 1-based rank of the first relevant result."""
    return next((rank for rank, held in enumerate(relevant_found(question, results), start=1) if held), None)


def _asked_by_quote(search, question, entry, depth: int) -> list:
    """What the search brings for the words that answer: a passage that was read comes back for its own text."""
    return results_of(search, SimpleNamespace(id=question.id, question=f"{entry.section} {entry.quote}"), depth)
