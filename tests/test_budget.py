import math

import pandas as pd
import pytest
from evaluation_cases import passage, question, recorded
from hypothesis import given, settings
from hypothesis import strategies as st
from parsed_documents import by_hand, markdowns, parsed_markdown

from labkit.chunking import by_structure, fixed, overlapping
from labkit.errors import BadArgument, LabError
from labkit.evaluation.budget import deep_enough, evaluate_at_budgets, unique_words, within_budget
from labkit.evaluation.metrics import evaluate, summarise
from labkit.parsing.blocks import Page
from labkit.passages import Passage


def of_words(number, context=0, name=None, doc_id="guide", section="Use", start=0):
    """A passage of `number` words, `context` of them in its context."""
    text = " ".join(f"w{start + place}" for place in range(number - context))
    return passage(doc_id, section, text=text, context=" ".join(["title"] * context), name=name or f"{doc_id}-{number}-{start}")


# --- within_budget ----------------------------------------------------------------------------------------------------

RESULTS = [of_words(number, context=5, name=str(rank)) for rank, number in enumerate((60, 70, 80, 40), start=1)]


@pytest.mark.parametrize(
    ("words", "last", "ranks", "used"),
    [
        (200, "whole", (1, 2), 130),
        (200, "cut", (1, 2, 3), 200),
        (130, "whole", (1, 2), 130),  # exactly the budget fits
        (129, "whole", (1,), 60),
        (209, "whole", (1, 2), 130),  # the fourth would fit, but stands after the stop
        (210, "whole", (1, 2, 3), 210),
        (250, "whole", (1, 2, 3, 4), 250),
        (9999, "cut", (1, 2, 3, 4), 250),
        (50, "whole", (), 0),  # the first is longer than the whole budget
        (50, "cut", (1,), 50),
        (130, "cut", (1, 2), 130),  # nothing left to fill
        (135, "cut", (1, 2), 130),  # room for the third's context alone
        (136, "cut", (1, 2, 3), 136),  # and for one word of its text
        (1, "cut", (), 0),
        (0, "whole", (), 0),
        (0, "cut", (), 0),
    ],
)
def test_ranks_taken_and_words(words, last, ranks, used):
    taken = within_budget(RESULTS, words, last)
    assert (tuple(int(found.id) for found in taken), sum(found.words for found in taken)) == (ranks, used)


def test_whole_is_what_goes_without_saying():
    assert within_budget(RESULTS, 200) == RESULTS[:2]
    assert within_budget([], 200) == []
    assert within_budget(iter(RESULTS), 200) == RESULTS[:2]


@pytest.mark.parametrize("words", [-1, 1.0, 200.5, True, False, None, "200", math.nan, [200]])
def test_a_budget_is_a_whole_number_of_words(words):
    for results in (RESULTS, []):
        with pytest.raises(BadArgument, match="the budget is"):
            within_budget(results, words)


@pytest.mark.parametrize("last", ["Whole", "", None, "skip", True, 1, ["cut"]])
def test_an_unknown_policy(last):
    with pytest.raises(BadArgument, match=r"'whole'.*'cut'"):
        within_budget(RESULTS, 200, last)


@pytest.mark.parametrize("results", [["an id"], [RESULTS[0], 3], [None]])
def test_results_are_passages(results):
    with pytest.raises(BadArgument, match="not a passage"):
        within_budget(results, 200)


PASSAGES = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 4)), max_size=8).map(
    lambda sizes: [of_words(text + context, context, name=str(rank)) for rank, (text, context) in enumerate(sizes)]
)
POLICY = st.sampled_from(["whole", "cut"])


@given(PASSAGES, st.integers(0, 90), POLICY)
def test_never_above_the_budget_and_a_beginning_of_the_ranking(results, words, last):
    taken = within_budget(results, words, last)
    assert sum(found.words for found in taken) <= words
    assert [found.id for found in taken] == [found.id for found in results][: len(taken)]
    assert taken[:-1] == results[: len(taken) - 1] if taken else True
    if last == "whole":
        assert taken == results[: len(taken)]
        assert len(taken) == len(results) or sum(found.words for found in results[: len(taken) + 1]) > words


@given(PASSAGES, st.integers(0, 90), st.integers(0, 90), POLICY)
def test_more_words_never_take_less(results, fewer, more, last):
    fewer, more = sorted((fewer, more))
    small, large = within_budget(results, fewer, last), within_budget(results, more, last)
    assert len(small) <= len(large)
    assert all(one.id == other.id and one.words <= other.words for one, other in zip(small, large, strict=False))


@given(PASSAGES, st.integers(0, 90))
def test_cut_takes_what_whole_takes_and_fills_up(results, words):
    whole, cut = within_budget(results, words), within_budget(results, words, "cut")
    assert cut[: len(whole)] == whole and len(cut) <= len(whole) + 1
    if len(cut) > len(whole):
        assert sum(found.words for found in cut) == words
    elif len(whole) < len(results):  # left, since its context leaves no room
        following = results[len(whole)]
        assert sum(found.words for found in whole) + len(following.context.split()) >= words or not following.text.strip()


# --- a cut passage ----------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(markdowns, st.sampled_from([fixed, overlapping, by_structure]), st.integers(0, 40))
def test_a_shortened_chunk_is_a_passage_of_its_document(text, cut, words):
    parsed = parsed_markdown(text, title="The title")
    for chunk in cut(parsed):
        short = chunk.shortened(words)
        if short is None:
            assert words <= len(chunk.context.split())
            continue
        assert short.words == min(words, chunk.words)
        assert parsed.text[short.start : short.end] == short.text and short.start == chunk.start
        assert (short.id, short.context, short.access) == (chunk.id, chunk.context, chunk.access)
        held = [each.name for each in parsed.sections if parsed.text[max(each.start, short.start) : min(each.end, short.end)].strip()]
        assert list(short.sections) == held
        assert short.shortened(words) == short
        if words > 3:
            assert chunk.shortened(3) == short.shortened(3)


def test_a_shortened_chunk_keeps_the_pages_that_it_still_holds():
    pages = [Page(1, "", 0, 9), Page(2, "", 9, 15), Page(3, "", 15, 20)]
    parsed = by_hand(("paragraph", "one two"), ("paragraph", "three"), ("paragraph", "four"), pages=pages)
    (chunk,) = fixed(parsed)
    assert [chunk.shortened(words).pages for words in (1, 2, 3, 4)] == [(1,), (1,), (1, 2), (1, 2, 3)]


def test_words_are_cut_where_split_cuts_them():
    text = "é\u2028b\x1cc\u00a0d  e"
    found = passage(text=text, context="T")
    assert [found.shortened(words).text for words in range(2, 7)] == [text[:1], text[:3], text[:5], text[:7], text]
    assert found.shortened(1) is None and found.shortened(-3) is None and found.shortened(6) is found


def test_a_passage_that_does_not_know_where_its_sections_begin_keeps_the_first():
    found = passage("guide", "Use", "Care", text="one two three")
    assert found.shortened(2).sections == ("Use",)
    assert found.shortened(3).sections == ("Use", "Care")


# --- unique words -----------------------------------------------------------------------------------------------------


def piece(source, start, end, context="", doc_id="d", version="1"):
    fields = dict(id=f"{start}-{end}", doc_id=doc_id, version=version, access="public", language="en", sections=(), context=context)
    return Passage.cut(source, start, end, **fields)


SOURCE = "one two three four five"


@pytest.mark.parametrize(
    ("spans", "unique"),
    [
        ([], 0),
        ([(0, 23)], 5),
        ([(0, 23), (0, 23)], 5),  # the same passage twice
        ([(0, 13), (8, 23)], 5),  # 'three' is in both
        ([(0, 23), (4, 7)], 5),  # one inside the other
        ([(8, 13), (0, 7)], 3),  # apart, in any order
        ([(0, 8), (8, 23)], 5),  # half-open: they touch nowhere
        ([(0, 10), (10, 23)], 6),  # not even inside a word: the reader sees 'th' and 'ree'
        ([(0, 11), (10, 23)], 5),
        ([(0, 18), (4, 7), (14, 23)], 5),
    ],
)
def test_text_that_overlaps_counts_once(spans, unique):
    assert unique_words([piece(SOURCE, *span) for span in spans]) == unique


def test_each_context_once_and_each_edition_apart():
    both = [piece(SOURCE, 0, 7, context="The title"), piece(SOURCE, 8, 13, context="The title")]
    assert (sum(found.words for found in both), unique_words(both)) == (7, 5)
    assert unique_words([piece(SOURCE, 0, 7), piece(SOURCE, 0, 7, version="2")]) == 4
    assert unique_words([piece(SOURCE, 0, 7), piece(SOURCE, 0, 7, doc_id="e")]) == 4
    assert unique_words([piece(SOURCE, 0, 7, context="A"), piece(SOURCE, 0, 7, context="A\nB")]) == 5


def test_twenty_words_of_the_third_repeat_the_second():
    """The example of the lesson: repeats cost in the budget, and show beside it."""
    source = " ".join(f"w{number}" for number in range(500))
    place = [0, *(number + 1 for number, character in enumerate(source) if character == " ")]

    def part(first, last):
        return piece(source, place[first], place[last] - 1, context=f"title of part {first} here")

    results = [part(0, 55), part(100, 165), part(145, 220), part(300, 335)]
    assert [found.words for found in results] == [60, 70, 80, 40]
    taken = within_budget(results, 210)
    assert (len(taken), sum(found.words for found in taken), unique_words(taken)) == (3, 210, 190)


@settings(max_examples=60, deadline=None)
@given(markdowns, st.integers(1, 9), st.integers(0, 8), st.randoms())
def test_unique_words_of_windows(text, size, overlap, chance):
    parsed = parsed_markdown(text)
    windows = overlapping(parsed, size, min(overlap, size - 1))
    assert unique_words(windows) == len(parsed.text[parsed.body :].split())
    some = [window for window in windows if chance.random() < 0.5]
    assert unique_words(some) <= sum(window.words for window in some)
    assert unique_words(some) == unique_words(some[::-1] + some)


# --- how deep the ranking is looked into ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "words", "asked"),
    [
        ([30] * 100, 400, [20]),  # one look is enough
        ([10] * 100, 400, [20, 40]),  # 40 results use the budget up to the last word
        ([9] * 100, 400, [20, 40, 80]),
        ([1] * 1000, 90, [10, 20, 40, 80, 91]),  # no budget reaches further than a result a word
        ([30] * 5, 400, [20]),  # the results run out
        ([500] * 100, 400, [20]),
        ([], 400, [20]),
        ([7], 0, [1]),
    ],
)
def test_as_deep_as_the_budget_needs_and_no_deeper(sizes, words, asked):
    pool = [of_words(size, name=str(rank)) for rank, size in enumerate(sizes)]
    search = recorded([(question("Q1", ("guide", "Use")), pool)])
    ranking = deep_enough(search, question("Q1", ("guide", "Use")), words)
    assert [k for _, k in search.asked] == asked
    assert within_budget(ranking, words) == within_budget(pool, words)


@settings(deadline=None)
@given(st.lists(st.integers(1, 9), max_size=60), st.integers(0, 200), POLICY)
def test_deep_enough_is_as_good_as_the_whole_ranking(sizes, words, last):
    pool = [of_words(size, name=str(rank)) for rank, size in enumerate(sizes)]
    asked = question("Q1", ("guide", "Use"))
    for smaller in (words, words // 3):
        ranking = deep_enough(recorded([(asked, pool)]), asked, words, last)
        assert within_budget(ranking, smaller, last) == within_budget(pool, smaller, last)


def test_a_search_that_ignores_k():
    asked, pool = question("Q1", ("guide", "Use")), [of_words(1, name=str(rank)) for rank in range(50)]
    assert deep_enough(lambda text, k: pool, asked, 400) == pool
    assert deep_enough(lambda text, k: pool[:3], asked, 400) == pool[:3]


def test_a_search_that_gives_less_when_asked_for_more():
    asked, pool = question("Q1", ("guide", "Use")), [of_words(1, name=str(rank)) for rank in range(50)]
    assert deep_enough(lambda text, k: pool[:k] if k <= 20 else pool[:4], asked, 400) == pool[:20]


# --- evaluate_at_budgets ----------------------------------------------------------------------------------------------

TEXT = "# Care\n\n## Use\n\nThe long hose fits. It is blue.\n\n## Store\n\nKeep it dry."
GUIDE = parsed_markdown(TEXT, title="Care", doc_id="guide", version="1")
USE, STORE = by_structure(GUIDE)
COLUMNS = [
    "id", "kind", "budget", "hit", "recall", "evidence", "evidence_in_context", "words_used", "unique_words", "scored", "taken", "too_long",
]  # fmt: skip


def test_the_rows():
    asked = [
        question("Q1", ("guide", "Use"), ("guide", "Store"), quote="The long hose fits."),
        question("Q2", ("guide", "Store"), quote="Keep it dry."),
        question("Q3"),
        question("Q4", ("guide", "Store"), quote="Keep it dry."),
    ]
    search = recorded([(asked[0], [USE, STORE]), (asked[1], [USE, STORE]), (asked[2], [USE, USE])])
    rows = evaluate_at_budgets(asked, search, (20, 10, 5), documents=[GUIDE])
    assert list(rows.columns) == COLUMNS
    assert (USE.words, STORE.words) == (10, 6)
    nan = math.nan
    expected = pd.DataFrame(
        [
            ("Q1", "answerable", 20, 1, 1, 1, 1, 16, 15, True, 2, False),
            ("Q1", "answerable", 10, 1, 0.5, 1, 1, 10, 10, True, 1, False),
            ("Q1", "answerable", 5, 0, 0, 0, 0, 0, 0, True, 0, True),
            ("Q2", "answerable", 20, 1, 1, 1, 1, 16, 15, True, 2, False),
            ("Q2", "answerable", 10, 0, 0, 0, 0, 10, 10, True, 1, False),
            ("Q2", "answerable", 5, 0, 0, 0, 0, 0, 0, True, 0, True),
            ("Q3", "unanswerable", 20, nan, nan, nan, nan, 20, 10, False, 2, False),
            ("Q3", "unanswerable", 10, nan, nan, nan, nan, 10, 10, False, 1, False),
            ("Q3", "unanswerable", 5, nan, nan, nan, nan, 0, 0, False, 0, True),
            ("Q4", "answerable", 20, 0, 0, 0, 0, 0, 0, True, 0, False),
            ("Q4", "answerable", 10, 0, 0, 0, 0, 0, 0, True, 0, False),
            ("Q4", "answerable", 5, 0, 0, 0, 0, 0, 0, True, 0, False),
        ],
        columns=COLUMNS,
    )
    pd.testing.assert_frame_equal(rows, expected, check_dtype=False)
    assert [str(kind) for kind in rows.dtypes[2:]] == [
        "int64", "float64", "float64", "float64", "float64", "int64", "int64", "bool", "int64", "bool",
    ]  # fmt: skip


def test_summarise_gives_a_row_a_budget():
    asked = [question("Q1", ("guide", "Use"), quote="The long hose fits."), question("Q2", ("guide", "Store")), question("Q3")]
    rows = evaluate_at_budgets(asked, recorded([(each, [USE, STORE]) for each in asked]), (16, 10, 5), documents=[GUIDE])
    table = summarise(rows)
    measures = ["hit", "recall", "evidence", "evidence_in_context"]
    assert list(table.columns) == ["budget", "n", "unscored", "hits", *measures, "words", "median_words", "unique_words", "too_long"]
    assert table.to_numpy().tolist() == [
        [5, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2],
        [10, 2, 1, 1, 0.5, 0.5, 0.5, 0.5, 10, 10, 10, 0],
        [16, 2, 1, 2, 1, 1, 0.5, 0.5, 16, 16, 15, 0],
    ]
    pd.testing.assert_frame_equal(summarise(rows, by="budget"), table)
    by_kind = summarise(rows, by="kind")
    assert by_kind[["budget", "kind", "n"]].to_numpy().tolist()[:2] == [[5, "answerable", 2], [5, "unanswerable", 0]]
    assert list(summarise(evaluate_at_budgets([], recorded([]))).columns) == list(table.columns)
    with pytest.raises(BadArgument, match="no column 'evidence'"):
        summarise(rows.drop(columns="evidence"))


def test_cut_delivers_the_beginning_and_no_more():
    asked = [question("Q1", ("guide", "Use"), quote="It is blue."), question("Q2", ("guide", "Store"), quote="Keep it dry.")]
    search = recorded([(each, fixed(GUIDE)) for each in asked])
    rows = evaluate_at_budgets(asked, search, (16, 11, 10, 8), "cut", documents=[GUIDE])
    assert rows["words_used"].tolist() == [16, 11, 10, 8] * 2
    assert rows["hit"].tolist() == [1, 1, 1, 1, 1, 0, 0, 0]
    assert rows["evidence"].tolist() == [1, 1, 0, 0, 1, 0, 0, 0]
    whole = evaluate_at_budgets(asked, search, (16, 11, 10, 8), documents=[GUIDE])
    assert whole["too_long"].tolist() == rows["too_long"].tolist() == [False, True, True, True] * 2
    assert whole["taken"].tolist() == [1, 0, 0, 0] * 2


def test_two_chunks_of_one_section_are_one_section():
    asked = question("Q1", ("guide", "Use"), ("guide", "Store"), quote="Keep it dry.")
    pool = [chunk for chunk in fixed(GUIDE, 3) if chunk.sections == ("Use",)]
    row = evaluate_at_budgets([asked], recorded([(asked, pool)]), 100, documents=[GUIDE]).iloc[0]
    assert len(pool) > 1 and (row["hit"], row["recall"]) == (1, 0.5)


def test_a_large_budget_is_what_evaluate_measures():
    asked = [question("Q1", ("guide", "Use")), question("Q2", ("guide", "Store")), question("Q3")]
    search = recorded([(asked[0], [USE, STORE]), (asked[1], [USE])])
    rows, at_k = evaluate_at_budgets(asked, search, 10_000, documents=[GUIDE]), evaluate(asked, search, k=50)
    for name, same in (("hit", "hit"), ("recall", "recall"), ("words_used", "words"), ("scored", "scored")):
        assert rows[name].tolist() == pytest.approx(at_k[same].tolist(), nan_ok=True)


def test_the_search_is_asked_once_a_question():
    asked = [question("Q1", ("guide", "Use")), question("Q2", ("guide", "Use"))]
    search = recorded([(each, [USE, STORE]) for each in asked])
    evaluate_at_budgets(asked, search, documents=[GUIDE])
    assert [text for text, _ in search.asked] == [each.question for each in asked]


@pytest.mark.parametrize("budgets", [(), (100, 100), (0.5,), "200", (100, "200"), -1, None, {100: 200}, (True,)])
def test_budgets_that_are_none(budgets):
    with pytest.raises(BadArgument, match="budget"):
        evaluate_at_budgets([], recorded([]), budgets)


def test_other_errors_are_those_of_evaluate():
    asked = question("Q1", ("guide", "Use"))
    with pytest.raises(BadArgument, match="last is"):
        evaluate_at_budgets([asked], recorded([]), last="half", documents=[])
    with pytest.raises(BadArgument, match="Q1 stands more than once"):
        evaluate_at_budgets([asked, asked], recorded([]), documents=[])
    with pytest.raises(BadArgument, match="Q1: the search returned None"):
        evaluate_at_budgets([asked], lambda text, k: None, documents=[])
    with pytest.raises(LabError, match="Q1: the search failed with KeyError"):
        evaluate_at_budgets([asked], lambda text, k: {}[text], documents=[])


def test_budget_nought_counts_nought():
    asked = question("Q1", ("guide", "Use"))
    row = evaluate_at_budgets([asked], recorded([(asked, [USE])]), 0, documents=[GUIDE]).iloc[0]
    assert (row["hit"], row["evidence"], row["words_used"], row["taken"], row["too_long"]) == (0, 0, 0, 0, True)


# --- laws over documents made up at random ----------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(markdowns, st.sampled_from([fixed, overlapping, by_structure]), POLICY, st.randoms())
def test_laws_of_the_measures(text, cut, last, chance):
    parsed = parsed_markdown(text, title="The title", doc_id="guide", version="1")
    pool = cut(parsed)
    chance.shuffle(pool)
    spans = [block for block in parsed.blocks if block.kind != "title"]
    golds = [(each, block) for block in spans for each in parsed.sections if each.start <= block.start < each.end]
    if not golds:
        return
    section, block = chance.choice(golds)
    asked = [question("Q1", ("guide", section.name), quote=block.text), question("Q2")]
    search = recorded([(each, pool) for each in asked])
    rows = evaluate_at_budgets(asked, search, (3, 10, 30, 100, 1000), last, documents=[parsed])
    assert (rows["words_used"] <= rows["budget"]).all()
    assert (rows["unique_words"] <= rows["words_used"]).all()
    scored = rows[rows["scored"]]
    assert (scored["evidence_in_context"] <= scored["evidence"]).all() and (scored["evidence"] <= scored["hit"]).all()
    assert (scored["recall"] <= 1).all() and ((scored["recall"] > 0) == (scored["hit"] == 1)).all()
    for name in ("hit", "recall", "evidence", "evidence_in_context", "words_used", "taken", "unique_words"):
        assert scored[name].is_monotonic_increasing, name
    assert rows[~rows["scored"]][["hit", "recall", "evidence", "evidence_in_context"]].isna().all(axis=None)
