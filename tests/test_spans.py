"""Range algebra of half-open spans, and how a question with spans is scored."""

import math
from itertools import pairwise

import pytest
from evaluation_cases import recorded
from hypothesis import given
from hypothesis import strategies as st
from parsed_documents import parsed_markdown

from labkit.chunking.chunk import Cut, make_chunks
from labkit.errors import BadArgument
from labkit.evaluation.budget import evaluate_at_budgets
from labkit.evaluation.evidence import evidence_of
from labkit.evaluation.gold import locate, placed
from labkit.evaluation.metrics import evaluate
from labkit.evaluation.relevance import GoldQuote, GoldSpan, characters_found, gold_sections, is_relevant
from labkit.evaluation.spans import Shared, difference, intersection, shared, size, union, words_in
from labkit.questions import Question, Relevant, RelevantSpan

spans = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 8)).map(lambda pair: (pair[0], pair[0] + pair[1])), max_size=6)


def positions(these) -> set[int]:
    """The second implementation: every position, one by one."""
    return {position for start, end in these for position in range(start, end)}


@pytest.mark.parametrize(
    ("some", "others", "both", "either", "rest"),
    [
        ([(0, 100)], [(100, 150)], [], [(0, 150)], [(0, 100)]),  # half-open: they only touch
        ([(0, 100)], [(99, 150)], [(99, 100)], [(0, 150)], [(0, 99)]),
        ([(0, 100)], [(20, 30), (25, 40)], [(20, 40)], [(0, 100)], [(0, 20), (40, 100)]),
        ([(5, 5)], [(0, 10)], [], [(0, 10)], []),
        ([], [(3, 4)], [], [(3, 4)], []),
        ([(8, 9), (0, 2), (1, 4)], [], [], [(0, 4), (8, 9)], [(0, 4), (8, 9)]),
        ([(0, 10), (20, 30)], [(5, 25)], [(5, 10), (20, 25)], [(0, 30)], [(0, 5), (25, 30)]),
    ],
)
def test_small_cases(some, others, both, either, rest):
    assert intersection(some, others) == intersection(others, some) == both
    assert union([*some, *others]) == either
    assert difference(some, others) == rest


def test_a_span_that_ends_before_it_starts_is_none():
    with pytest.raises(BadArgument, match="from 5 to 3"):
        union([(5, 3)])


@given(spans, spans)
def test_the_algebra_is_that_of_sets_of_positions(some, others):
    for made, wanted in (
        (union([*some, *others]), positions(some) | positions(others)),
        (intersection(some, others), positions(some) & positions(others)),
        (difference(some, others), positions(some) - positions(others)),
    ):
        assert positions(made) == wanted and size(made) == len(wanted)
        assert made == sorted(made) and all(start < end for start, end in made)
        assert all(before[1] < after[0] for before, after in pairwise(made))  # apart from each other


@given(spans, spans)
def test_recall_precision_and_iou_are_shares_of_positions(wanted, found):
    both, either = positions(wanted) & positions(found), positions(wanted) | positions(found)
    measured = shared(wanted, found)
    assert measured.recall == (len(both) / len(positions(wanted)) if positions(wanted) else 1)
    assert measured.precision == (len(both) / len(positions(found)) if positions(found) else not positions(wanted))
    assert measured.iou == (len(both) / len(either) if either else 1)
    assert measured.iou <= min(measured.recall, measured.precision) or not (positions(wanted) and positions(found))


@given(st.text("ab \n\t\u2028", max_size=30), st.integers(0, 5))
def test_words_in_are_those_of_split(text, start):
    found = words_in(text, start)
    assert [text[a - start : b - start] for a, b in found] == text.split()


# --- a question with spans ------------------------------------------------------------------------------------------------------------

TEXT = "# Hose guide\n\nIt is blue.\n\nThe hose fits\n\nall taps here. It is blue.\n"
GUIDE = parsed_markdown(TEXT, title="Hose guide", doc_id="guide", version="1")
FITS = (TEXT.index("The hose"), TEXT.index(" here"))  # over a blank line: 'The hose fits' and 'all taps'
BLUE = (TEXT.rindex("It is blue."), TEXT.rindex("It is blue.") + 11)  # the second of two


def asked(*places, name="Q1"):
    def entry(place):
        return RelevantSpan("guide", "1", "", "public", TEXT[place[0] : place[1]], *place) if isinstance(place, tuple) else place

    entries = tuple(map(entry, places))
    return Question(
        id=name, question=f"text of {name}", language="en", kind="answerable", as_of=None, public_ok=True, abstain=not entries,
        reference_answer="", keys=(), must_not=(), relevant=entries, wrong_version=(), tags=(), notes="",
    )  # fmt: skip


def cut(start, end, parsed=GUIDE, context=""):
    (chunk,) = make_chunks(parsed, [Cut(start, end, context)], "by hand")
    return chunk


def whole_row(item, *chunks, documents=(GUIDE,)):
    """hit, recall, evidence, evidence in context at a budget that holds all."""
    (row,) = evaluate_at_budgets([item], recorded([(item, list(chunks))]), [1000], documents=list(documents)).to_dict("records")
    return tuple(row[name] for name in ("hit", "recall", "evidence", "evidence_in_context"))


MIDDLE = TEXT.index("\n\nall")
LETTERS = len("Thehosefitsalltaps")  # white space is neither read nor missed


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        ([], (0, 0, 0, 0)),
        ([(0, FITS[0])], (0, 0, 0, 0)),  # ends where the span begins
        ([(FITS[1], len(TEXT))], (0, 0, 0, 0)),  # begins where it ends
        ([(MIDDLE, MIDDLE + 2)], (0, 0, 0, 0)),  # only its blank line
        ([(FITS[0], MIDDLE)], (1, len("Thehosefits") / LETTERS, 0, 0)),  # the half of it
        ([(FITS[0], MIDDLE), (MIDDLE + 2, len(TEXT))], (1, 1, 0, 0)),  # both halves, in two passages: all was read, no one holds it
        ([(FITS[0], MIDDLE), (FITS[0], MIDDLE)], (1, len("Thehosefits") / LETTERS, 0, 0)),  # the same half twice counts once
        ([FITS], (1, 1, 1, 0)),
        ([(0, len(TEXT))], (1, 1, 1, 1)),  # the title stands in it too
    ],
)
def test_one_span(chunks, expected):
    assert whole_row(asked(FITS), *[cut(*each) for each in chunks]) == pytest.approx(expected)


def test_a_title_in_the_context_makes_it_evidence_in_context():
    assert whole_row(asked(FITS), cut(*FITS, context="Hose guide")) == (1, 1, 1, 1)


def test_a_span_says_which_copy_is_meant():
    first = TEXT.index("It is blue.")
    assert whole_row(asked(BLUE), cut(first, first + 11)) == (0, 0, 0, 0)
    assert whole_row(asked(BLUE), cut(*BLUE)) == (1, 1, 1, 0)


@pytest.mark.parametrize("change", [{"doc_id": "other"}, {"version": "2"}])
def test_another_edition_is_no_hit(change):
    other = parsed_markdown(TEXT, title="Hose guide", **{"doc_id": "guide", "version": "1", **change})
    assert whole_row(asked(FITS), cut(*FITS, parsed=other)) == (0, 0, 0, 0)


def test_another_text_in_the_spans_place_is_no_hit():
    """A passage of a document that was changed since: the numbers fit, the words do not."""
    other = parsed_markdown(TEXT.replace("hose", "pump"), title="Hose guide", doc_id="guide", version="1")
    assert whole_row(asked(FITS), cut(*FITS, parsed=other)) == (0, 0, 0, 0)
    assert characters_found(asked(FITS), [cut(*FITS, parsed=other)]) == Shared(0, 0, 0)


def test_a_span_that_no_longer_holds_its_quote_fails_closed():
    stale = RelevantSpan("guide", "1", "", "public", "The hose fits", FITS[0] + 1, FITS[0] + 14)
    assert locate([asked(stale)], [GUIDE]) == {("Q1", 1): None}
    assert evidence_of(asked(stale), [cut(0, len(TEXT))], locate([asked(stale)], [GUIDE])) == (False, False)


def test_evidence_without_the_document_at_hand():
    item = asked(FITS)
    assert evidence_of(item, [cut(*FITS, context="Hose guide")], {}) == (True, True)
    assert evidence_of(item, [cut(*FITS)], {}) == (True, False)
    assert evidence_of(item, [cut(FITS[0], FITS[1] - 1)], {}) == (False, False)


def test_recall_over_several_spans_counts_each_character_once():
    inner = (FITS[0] + 4, MIDDLE)  # 'hose fits', inside the other span
    item = asked(FITS, inner)
    assert whole_row(item, cut(*inner))[1] == pytest.approx(len("hosefits") / LETTERS)
    assert len(gold_sections(item)) == 2


def test_sections_and_spans_together_weigh_as_many_as_they_are():
    parsed = parsed_markdown("# T\n\n## One\n\nalpha\n\n## Two\n\nbeta gamma\n", doc_id="guide", version="1")
    start = parsed.text.index("beta")
    span = RelevantSpan("guide", "1", "", "public", "beta gamma", start, start + 10)
    item = asked(Relevant("guide", "1", "One", "public", "alpha"), span)
    found = make_chunks(parsed, [Cut(start, start + 4)], "x")
    assert whole_row(item, *found, documents=[parsed])[1] == pytest.approx((0 + 4 / 9) / 2)


def test_evaluate_scores_spans_without_documents():
    item = asked(FITS)
    (row,) = evaluate([item], recorded([(item, [cut(*BLUE), cut(FITS[0], MIDDLE)])]), 5).to_dict("records")
    assert (row["hit"], row["first_rank"], row["reciprocal_rank"]) == (1, 2, 0.5)
    assert row["recall"] == pytest.approx(11 / LETTERS) and row["ndcg"] == pytest.approx(1 / math.log2(3))


def test_characters_found_over_all_that_was_handed_over():
    elsewhere = make_chunks(parsed_markdown("ten letters here", doc_id="b"), [Cut(0, 16)], "x")
    shared_now = characters_found(asked(FITS), [cut(*FITS), cut(*FITS), *elsewhere])
    assert shared_now == Shared(1, LETTERS / (LETTERS + 14), LETTERS / (LETTERS + 14))
    assert characters_found(asked(Relevant("guide", "1", "One", "public", "x")), []) is None


def test_gold_reads_as_an_id():
    assert [str(each) for each in gold_sections(asked((0, 4)))] == ["guide@v1[0:4]"]
    assert str(GoldQuote("d", "1", "short")) == "d@v1[“short”]" and len(str(GoldQuote("d", "1", "long " * 50))) < 60


@given(st.integers(0, len(TEXT) - 1), st.integers(1, 30), spans)
def test_laws_of_a_span(start, length, chunks):
    """What is evidence is a hit; recall is 1 exactly where every visible character was handed over, 0 exactly where none was."""
    place = (start, min(start + length, len(TEXT)))
    if not TEXT[slice(*place)].strip():
        return
    given_ = [cut(first, last) for first, last in chunks if first < last <= len(TEXT)]
    hit, recall, evidence, _ = whole_row(asked(place), *given_)
    seen = {p for p in positions([(each.start, each.end) for each in given_]) if not TEXT[p].isspace()}
    wanted = {p for p in range(*place) if not TEXT[p].isspace()}
    assert recall == pytest.approx(len(seen & wanted) / len(wanted))
    assert hit == bool(seen & wanted) and evidence <= hit
    assert evidence == any(each.start <= place[0] and place[1] <= each.end for each in given_)


# --- a document without sections --------------------------------------------------------------------------------------------------------

PLAIN = Relevant("guide", "1", "", "public", "The hose fits")


def test_a_quote_without_a_section_gets_its_place():
    item = asked(PLAIN)
    (found,) = placed([item], locate([item], [GUIDE]))
    assert found.relevant == (RelevantSpan("guide", "1", "", "public", "The hose fits", FITS[0], MIDDLE),)
    assert placed([asked(FITS)], {}) == [asked(FITS)]
    assert gold_sections(found) == (GoldSpan("guide", "1", FITS[0], MIDDLE, "The hose fits"),)


def test_a_quote_without_a_section_is_scored_as_a_span():
    assert whole_row(asked(PLAIN), cut(FITS[0], FITS[0] + 8)) == pytest.approx((1, 7 / 11, 0, 0))
    assert whole_row(asked(PLAIN), cut(*FITS)) == (1, 1, 1, 0)


def test_a_quote_that_stands_twice_fails_closed():
    item = asked(Relevant("guide", "1", "", "public", "It is blue."))
    assert whole_row(item, cut(0, len(TEXT))) == (0, 0, 0, 0)


def test_without_the_document_a_passage_must_hold_the_whole_quote():
    assert is_relevant(asked(PLAIN), cut(*FITS)) and not is_relevant(asked(PLAIN), cut(FITS[0], FITS[0] + 8))
    assert whole_row(asked(PLAIN), cut(*FITS), documents=[]) == (1, 1, 1, 0)
