"""The words of a report's page: what each measure and each stage of a miss means (lesson 15). docs/report.md says more of each."""

from __future__ import annotations

from labkit.evaluation.attribution import BELOW_K, FILTERED, NO_SHARED_WORD, NOT_READ, OVER_BUDGET

MEASURES = {
    "hit": "The share of questions for which at least one passage within the budget comes from a section that answers.",
    "recall": "Of the sections that answer a question, the share that the budget brings, averaged over questions.",
    "evidence": "The share of questions for which one passage holds the whole quote. A table that was cut can bring a hit and no evidence.",
    "evidence in context": (
        "The same, and the passage also says where it stands: it names its document and, for a row of a table, the columns. Cutters that "
        "know nothing of headings rarely do; that is not unfair to them, it is what a reader gets."
    ),
    "budget": (
        "How many words (or tokens) may be handed over, in rank order. All methods get the same, since at an equal number of results the "
        "one with the longer chunks would win by length."
    ),
    "interval": (
        "How far the score could have come out elsewhere, with other questions of this kind: 95 intervals of 100 hold the true value. Two "
        "methods whose intervals overlap may still differ, and the comparisons below look at that question by question."
    ),
    "p after Holm": (
        "If two methods were equally good: how often luck alone brings a difference at least this large. Holm's correction pays for asking "
        "about several pairs at once. Beyond chance means: at most 0.05 after the correction, and the interval does not reach 0."
    ),
    "won, lost, level": "Questions on which only the one method scores, only the other, or both alike. Only won and lost ones speak.",
    "chunks": "How many pieces the documents were cut into; median words is the size of the one in the middle.",
    "words stored": "All chunks together. More than the documents hold where chunks overlap or carry their headings.",
    "tables whole": "Tables that stand in one chunk. Of a cut one, a reader gets rows without their column names.",
    "begin inside": "Chunks whose first word is in the middle of a paragraph, a list item or a row.",
    "sections a chunk spans": "What a citation of one chunk points to, on average. About 1 is a place; 3 is a neighbourhood.",
    "over the limit": "Chunks that are longer than the chunker's own limit, as a table that it did not want to cut.",
    "first rank": "The place of the first passage that answers in the method's ranking, whatever the budget.",
}
"""Each measure in a sentence or two, in the order of the page."""

STAGES = {
    NOT_READ: (
        "The section that answers is in no chunk: the document could not be read, or not that part of it.",
        "No search mends that. Look under Unreadable, mend the file, and run the report again.",
    ),
    FILTERED: (
        "The section was read, but whoever asks may not see it: its access label, its language or its dates keep it out.",
        "Right, if that was meant. Otherwise look at access, language and as_of in labkit.toml, and at the inventory.",
    ),
    NO_SHARED_WORD: (
        "No word of the question stands in a passage that answers, so a search by words cannot find it.",
        "Add the words that people use to the document, or compare a search by meaning.",
    ),
    BELOW_K: (
        "The search did not bring it as far down as was looked.",
        "Words of the question stand in many other passages. Another way of searching may help; see which words tell.",
    ),
    OVER_BUDGET: (
        "The search found it, but what stands above it fills the budget.",
        "At a good rank, smaller chunks or a larger budget bring it in; at a poor one, the search has to get better, not the cutting.",
    ),
}
"""Stage of a miss -> (what happened, what may help), in the order in which a passage travels."""
