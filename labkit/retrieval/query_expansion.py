"""More words for a question, without changing what it asks: from the first results, or from a thesaurus (lesson 14).

Either gives an `Expansion`: words with weights. It goes to a keyword search as plain text in which each word stands as often as it weighs
(BM25 adds a word as often as a question repeats it), so any search over words can take it, and nothing in it is syntax.

Pseudo-relevance feedback (`feedback`) takes the first results for granted and asks which words they use. With Q the words of the question,
D the first texts and P(w|d) = occurrences of w in d ÷ words of d:

    P(w|R) ∝ Σ over d in D of  P(w|d) × score(d) ÷ Σ scores          the 10 best words, adding up to 1
    weight(w) = original × occurrences of w in Q ÷ |Q| + (1 - original) × P(w|R)

This is RM3: Lavrenko and Croft, "Relevance-Based Language Models", 2001 (the first line, RM1, with the search's own score for P(Q|d), as
Anserini takes it); Abdul-Jaleel et al., "UMass at TREC 2004" (the second). 10 texts, 10 words, original = 0.5, and no word that stands in
more than a tenth of the texts, are Anserini's values. Where the first results are wrong, their words are wrong too: it helps and it hurts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real

from labkit.errors import BadArgument
from labkit.retrieval.fusion import reciprocal_rank_fusion
from labkit.retrieval.keyword import Hit, KeywordIndex
from labkit.retrieval.scoring import whole_k
from labkit.retrieval.search_over import SearchOver
from labkit.retrieval.sub_queries import sub_queries
from labkit.retrieval.tokenizer import STEMMED, terms, words

DOCUMENTS, TERMS, ORIGINAL, COMMON = 10, 10, 0.5, 0.10
_TEXT_WORDS = 100
_DECIMALS = 6


@dataclass(frozen=True)
class Expansion:
    """A question with more words. `weights`: word -> weight, above 0, largest first (equal ones by word); `added`: those of them that the
    question did not have, in the same order."""

    question: str
    weights: Mapping[str, float] = field(hash=False)

    @property
    def added(self) -> list[str]:
        """The words that are new, heaviest first."""
        asked = set(words(self.question))
        return [word for word in self.weights if word not in asked]

    @property
    def text(self) -> str:
        """The expanded question for a search over words: each word as often as it weighs, some 100 words in all (twice as many as different
        ones where there are more), each at least once. The question itself where nothing was added and no word weighs more than it did."""
        asked = Counter(words(self.question))
        changes = {f"{weight / asked[word]:.3g}" if word in asked else "new" for word, weight in self.weights.items()}
        if len(changes) < 2 and "new" not in changes:
            return self.question
        total = math.fsum(self.weights.values())
        size = max(_TEXT_WORDS, 2 * len(self.weights))
        return " ".join(" ".join([word] * max(1, round(size * weight / total))) for word, weight in self.weights.items())

    @property
    def sentence(self) -> str:
        """The expanded question for a search by meaning: the question as it was asked, and the new words once."""
        return " ".join([self.question, *self.added])


def feedback(
    question: str,
    index: KeywordIndex,
    documents: int = DOCUMENTS,
    terms: int = TERMS,
    original: float = ORIGINAL,
    common: float = COMMON,
    allowed: Callable[[str], bool] | None = None,
) -> Expansion:
    """The question with words from its first results: RM3, by the formula above. Lesson 14.

    documents: how many results are believed. terms: how many of their words are taken. original: the share of the question itself in all
    weight, 0 to 1. common: a word in more than this share of all texts, 0 to 1, is not taken (the question keeps its own). allowed: as for
    KeywordIndex.search; what a reader may not see lends no words. The index's stop words are not taken, nor numbers: one out of another
    text is a wrong answer looking for its question. In a stemmed index the forms of a word count together, the most frequent one stands.

    A question that finds nothing stays as it is. Raises BadArgument for numbers that make no sense.
    """
    if not isinstance(index, KeywordIndex):
        raise BadArgument(f"a KeywordIndex is needed, which knows the words of its texts, not {index!r}")
    believed, many = whole_k(documents, "documents"), whole_k(terms, "terms")
    for name, share in (("original", original), ("common", common)):
        if isinstance(share, bool) or not isinstance(share, Real) or not 0 <= share <= 1:
            raise BadArgument(f"{name} is {share!r}: a share, from 0 to 1")
    hits = index.search(question, believed, allowed)
    asked = Counter(words(question))
    weights = {word: original * times / asked.total() for word, times in asked.items()}
    for word, share in _relevance_model(index, hits, many, common).items():
        weights[word] = weights.get(word, 0.0) + (1 - original) * share
    return expansion_of(question, weights)


def expansion_of(question: str, weights: Mapping[str, float]) -> Expansion:
    """The Expansion with these weights, 6 decimals, those of 0 left out, heaviest first."""
    rounded = {word: round(weight, _DECIMALS) for word, weight in weights.items()}
    return Expansion(question, dict(sorted(((w, n) for w, n in rounded.items() if n > 0), key=lambda pair: (-pair[1], pair[0]))))


def _relevance_model(index: KeywordIndex, hits: list[Hit], many: int, common: float) -> dict[str, float]:
    """P(w|R) of the `many` best words, adding up to 1; {} where there are none."""
    total = math.fsum(hit.score for hit in hits)
    if total <= 0 or many == 0:
        return {}
    parts: dict[str, list[float]] = {}
    forms: dict[str, Counter[str]] = {}
    for hit in hits:
        here = words(index.text(hit.id))
        stems = terms(" ".join(here), STEMMED) if index.stem else here
        for word, stem in zip(here, stems, strict=True):
            forms.setdefault(stem, Counter())[word] += 1
        for stem, times in Counter(stems).items():
            parts.setdefault(stem, []).append(times / len(here) * hit.score / total)
    likely = sorted(((round(math.fsum(each), 12), stem) for stem, each in parts.items()), key=lambda pair: (-pair[0], pair[1]))
    limit = common * len(index)
    chosen: dict[str, float] = {}
    for share, stem in likely:
        word = min(forms[stem], key=lambda form: (-forms[stem][form], form))
        telling = len(word) > 1 and word.isalpha() and not index.stop_words.intersection(forms[stem])
        if telling and index.documents_with(stem) <= limit:
            chosen[word] = share
            if len(chosen) == many:
                break
    kept = math.fsum(chosen.values())
    return {word: share / kept for word, share in chosen.items()}


class ExpandedSearch(SearchOver):
    """`search(text, k)`: another search, asked with more words. Lesson 14.

    expand: question -> Expansion (`Thesaurus.expand`, or a function that calls `feedback`). meaning: True gives the search
    `Expansion.sentence`, for a search by meaning; False `Expansion.text`, for one by words.
    """

    def __init__(self, search, expand: Callable[[str], Expansion], *, meaning: bool = False):
        super().__init__(search)
        if not callable(expand):
            raise BadArgument(f"expand must be a function from a question to an Expansion, not {expand!r}")
        self.expand, self.meaning = expand, meaning

    def __call__(self, text: str, k: int = 5) -> list:
        expansion = self.expand(text)
        return list(self.search(expansion.sentence if self.meaning else expansion.text, k))[: whole_k(k)]

    def __repr__(self) -> str:
        return f"<{self.search!r}, asked with more words>"


class FeedbackSearch(ExpandedSearch):
    """`search(text, k)`: a KeywordSearch that is asked twice, the second time with words from the first results. Lesson 14.

    search: a KeywordSearch (its `index` is asked, which holds only what its reader may see). Further arguments as for `feedback`.
    """

    def __init__(self, search, **settings):
        index = getattr(search, "index", None)
        if not isinstance(index, KeywordIndex):
            raise BadArgument(f"feedback needs a KeywordSearch, whose index knows which words its texts hold, not {search!r}")
        feedback("", index, **settings)  # what makes no sense shows itself now, not with the first question
        super().__init__(search, lambda question: feedback(question, index, **settings))

    def __repr__(self) -> str:
        return f"<{self.search!r}, with feedback>"


class SubQuerySearch(SearchOver):
    """`search(text, k)`: another search, asked once for each part of a question of several parts (`sub_queries`) and once for all of it;
    the rankings are fused by reciprocal rank. A question of one part is searched as ever. Lesson 14.

    depth: how many results of each are fused, at least k.
    """

    def __init__(self, search, *, depth: int = 50):
        super().__init__(search)
        self.depth = whole_k(depth, "depth")

    def __call__(self, text: str, k: int = 5) -> list:
        parts = sub_queries(text)
        k = whole_k(k)
        if len(parts) < 2 or k == 0:
            return list(self.search(text, k))[:k]
        depth = max(k, self.depth)
        rankings = [list(self.search(part, depth))[:depth] for part in (text, *parts)]
        found = {passage.id: passage for ranking in reversed(rankings) for passage in ranking}
        return [found[hit.id] for hit in reciprocal_rank_fusion(rankings)[:k]]

    def __repr__(self) -> str:
        return f"<{self.search!r}, a part of the question at a time>"
