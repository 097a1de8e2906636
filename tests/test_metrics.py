import math

import ir_measures
import pandas as pd
import pytest
from evaluation_cases import Recorded, at_ranks, filler, passage, question, recorded
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import RR, R, Success, nDCG

from labkit.errors import BadArgument, LabError
from labkit.evaluation.metrics import METRICS, evaluate, summarise

ROWS = ["id", "kind", "scored", "hit", "recall", "reciprocal_rank", "ndcg", "first_rank", "words"]


def numbers(rows, name):
    return [None if pd.isna(value) else value for value in rows[name]]


# --- by hand -----------------------------------------------------------------------------------------------------------------------------


def test_four_questions_by_hand():
    """Relevant results at ranks 1, 2, 8 and nowhere: hit@5 is 2 of 4. The fifth question has no relevant passage and is not scored."""
    asked = [question(f"Q{number}", ("guide", "Use")) for number in range(1, 5)] + [question("Q5")]
    results = [*(at_ranks(item, ranks) for item, ranks in zip(asked, ({1}, {2}, {8}, {}), strict=False)), [filler()]]
    search = recorded(zip(asked, results, strict=True))
    rows = evaluate(asked, search)
    assert list(rows.columns) == ROWS
    assert list(rows["id"]) == ["Q1", "Q2", "Q3", "Q4", "Q5"]
    assert list(rows["scored"]) == [True, True, True, True, False]
    assert numbers(rows, "hit") == [1, 1, 0, 0, None]
    assert numbers(rows, "recall") == [1, 1, 0, 0, None]
    assert numbers(rows, "reciprocal_rank") == [1, 0.5, 0, 0, None]
    assert numbers(rows, "ndcg") == pytest.approx([1, 1 / math.log2(3), 0, 0, None])
    assert numbers(rows, "first_rank") == [1, 2, None, None, None]
    assert rows["first_rank"].dtype == "Int64"
    assert list(rows["words"]) == [15, 15, 15, 15, 3]

    whole = summarise(rows).iloc[0]
    assert (whole["n"], whole["unscored"], whole["hits"], whole["hit"]) == (4, 1, 2, 0.5)
    assert summarise(evaluate(asked, search, k=8)).iloc[0]["hit"] == 0.75


@pytest.mark.parametrize(("k", "hit"), [(1, 0), (4, 0), (5, 1), (6, 1)])
def test_a_rank_equal_to_k_is_inside(k, hit):
    asked = question("Q1", ("guide", "Use"))
    assert evaluate([asked], recorded([(asked, at_ranks(asked, {5}))]), k=k)["hit"][0] == hit


def test_eleven_questions_that_catch_the_usual_slips():
    """3 of 11: each slip (rank < k, dropping the not found, counting every relevant result, ...) gives another number."""
    asked = [question(f"Q{number:02}", (f"doc-{number}", "Use", "2")) for number in range(1, 12)]
    silent = [question(f"Q{number}") for number in range(12, 15)]
    results = [at_ranks(item, ranks) for item, ranks in zip(asked, [{1, 2, 3, 4, 5}, {3}, {5}, {6}, {8}] + [set()] * 6, strict=True)]
    for place in (5, 6):
        results[place][1] = passage(f"doc-{place + 1}", "Use", version="1")
    for place in (7, 8, 9):
        results[place][0] = passage(f"doc-{place + 1}", "Care", version="2")
    rows = evaluate([*silent[:1], *asked, *silent[1:]], recorded(zip(asked, results, strict=True)))
    whole = summarise(rows).iloc[0]
    assert (whole["n"], whole["unscored"], whole["hits"]) == (11, 3, 3)
    assert round(whole["hit"], 4) == 0.2727


def recall_case():
    asked = [question("Q1", ("a", "Only")), question("Q2", *(("b", f"S{n}") for n in (1, 2, 3)), ("c", "S4"), ("d", "S5"), ("e", "S6"))]
    first = [filler(1), passage("a", "Only"), filler(2), filler(3), filler(4)]
    second = [passage("b", "S1", name="s1-0"), filler(1), passage("b", "S1", name="s1-1"), passage("b", "S2"), filler(2)]
    later = [passage("c", "S4"), passage("d", "S5"), passage("e", "S6")]
    return asked, recorded(zip(asked, [first, second + later], strict=True))


def test_recall_counts_distinct_sections_question_by_question():
    rows = evaluate(*recall_case())
    assert list(rows["recall"]) == pytest.approx([1, 2 / 6])
    assert round(summarise(rows).iloc[0]["recall"], 4) == 0.6667
    assert list(rows["hit"]) == [1, 1]
    # S1 at rank 1, S2 at rank 4; the best that five results could do is ranks 1 to 5
    reached, ideal = 1 + 1 / math.log2(5), sum(1 / math.log2(rank + 1) for rank in range(1, 6))
    assert rows["ndcg"][1] == pytest.approx(reached / ideal)


def test_two_chunks_of_one_section_are_one_section():
    asked = question("Q1", ("guide", "Use"))
    rows = evaluate([asked], recorded([(asked, at_ranks(asked, {1, 2, 3}))]))
    assert [rows[name][0] for name in METRICS] == [1, 1, 1, 1]


def test_gold_named_twice_is_one_section():
    asked = question("Q1", ("guide", "Use"), ("guide", "use"))
    rows = evaluate([asked], recorded([(asked, at_ranks(asked, {1}))]))
    assert [rows[name][0] for name in METRICS] == [1, 1, 1, 1]


def test_one_chunk_that_holds_both_sections():
    asked = question("Q1", ("guide", "Use"), ("guide", "Care"))
    rows = evaluate([asked], recorded([(asked, [passage("guide", "Use", "Care")])]))
    assert [rows[name][0] for name in METRICS] == [1, 1, 1, 1]


def test_no_result_counts_nought_and_is_not_dropped():
    asked = [question("Q1", ("guide", "Use")), question("Q2", ("guide", "Use"))]
    rows = evaluate(asked, recorded([(asked[0], at_ranks(asked[0], {1}))]))
    assert list(rows["hit"]) == [1, 0]
    assert list(rows["words"]) == [15, 0]
    assert summarise(rows).iloc[0]["hit"] == 0.5


def test_words_are_those_of_context_and_text_within_k():
    asked = question("Q1")
    found = [passage("a", context="A title", text="one two"), passage("b", text="three | four"), passage("c", text="not reached")]
    rows = evaluate([asked], Recorded({asked.question: found}), k=2)
    assert list(rows["words"]) == [2 + 2 + 3]


def test_k_nought_hands_over_nothing():
    asked = question("Q1", ("guide", "Use"))
    rows = evaluate([asked, question("Q2")], recorded([(asked, at_ranks(asked, {1}))]), k=0)
    assert numbers(rows, "ndcg") == [0, None]
    assert numbers(rows, "hit") == [0, None]
    assert list(rows["words"]) == [0, 0]


def test_the_search_is_asked_once_a_question_with_its_text_and_k():
    asked = [question("Q1", ("guide", "Use")), question("Q2")]
    search = recorded([])
    evaluate(asked, search, k=7)
    assert search.asked == [("the text of Q1", 7), ("the text of Q2", 7)]


def test_a_longer_list_is_cut_at_k():
    asked = question("Q1", ("guide", "Use"))
    rows = evaluate([asked], lambda text, k: at_ranks(asked, {6}), k=5)
    assert (rows["hit"][0], rows["words"][0]) == (0, 15)


def test_a_tuple_will_do_and_questions_may_be_a_generator():
    asked = question("Q1", ("guide", "Use"))
    assert evaluate((item for item in [asked]), lambda text, k: tuple(at_ranks(asked, {1})))["hit"][0] == 1


def test_no_questions_no_rows():
    rows = evaluate([], recorded([]))
    assert list(rows.columns) == ROWS and len(rows) == 0
    assert rows["first_rank"].dtype == "Int64"
    assert summarise(rows).iloc[0]["n"] == 0
    assert list(summarise(rows, by="kind").columns) == ["kind", *summarise(rows).columns]


# --- what is refused ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [-1, 2.5, 5.0, "5", None, True, [5]])
def test_k_is_a_whole_number_from_nought_up(k):
    with pytest.raises(BadArgument, match=r"k is .*whole number from 0 up"):
        evaluate([question("Q1", ("guide", "Use"))], recorded([]), k=k)


def test_doubled_ids_are_named():
    asked = [question("Q1"), question("Q2"), question("Q1"), question("Q3"), question("Q3")]
    with pytest.raises(BadArgument, match="Q1, Q3"):
        evaluate(asked, recorded([]))


@pytest.mark.parametrize(
    ("came", "said"),
    [
        (None, "None.*return"),
        ("text", "str 'text'"),
        (5, "int 5"),
        ({"a": 1}, "dict"),
        (pd.DataFrame({"a": [1]}), "DataFrame"),
        (iter([filler()]), "iterator"),
        (["guide#use"], "result 1 .* str 'guide#use', not a passage"),
        ([filler(), ("id", 0.5)], "result 2 .* tuple"),
        ([None], "result 1"),
    ],
)
def test_a_search_that_returns_something_else_is_told_what(came, said):
    with pytest.raises(BadArgument, match=f"(?s)question Q7: .*{said}"):
        evaluate([question("Q7", ("guide", "Use"))], lambda text, k: came)


def test_a_search_that_fails_names_the_question():
    def search(text, k):
        if "Q2" in text:
            raise ZeroDivisionError("division by zero")
        return []

    with pytest.raises(LabError, match=r"question Q2: .*ZeroDivisionError: division by zero") as caught:
        evaluate([question("Q1"), question("Q2")], search)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_stopping_by_hand_stops():
    def search(text, k):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate([question("Q1")], search)


# --- summaries ---------------------------------------------------------------------------------------------------------------------------


def test_summary_by_kind_has_a_row_a_kind_in_order_of_name():
    asked = [question("Q1", ("guide", "Use"), kind="version"), question("Q2"), question("Q3", ("guide", "Use"), kind="table"),
             question("Q4", ("guide", "Use"), kind="version")]  # fmt: skip
    search = recorded([(asked[0], at_ranks(asked[0], {1})), (asked[1], [filler()]), (asked[2], at_ranks(asked[2], {2}))])
    table = summarise(evaluate(asked, search), by="kind")
    assert list(table.columns) == ["kind", "n", "unscored", "hits", "hit", "recall", "reciprocal_rank", "ndcg", "words", "median_words"]
    assert list(table["kind"]) == ["table", "unanswerable", "version"]
    assert list(table["n"]) == [1, 0, 2]
    assert list(table["unscored"]) == [0, 1, 0]
    assert list(table["hits"]) == [1, 0, 1]
    assert numbers(table, "hit") == [1, None, 0.5]
    assert numbers(table, "words") == [15, None, 7.5]
    assert numbers(table, "median_words") == [15, None, 7.5]


def test_a_row_without_a_group_is_not_dropped():
    rows = evaluate([question("Q1", ("guide", "Use")), question("Q2", ("guide", "Use"))], recorded([])).assign(group=["a", None])
    assert list(summarise(rows, by="group")["n"]) == [1, 1]


def test_nothing_scored_is_no_number_not_nought():
    whole = summarise(evaluate([question("Q1")], recorded([]))).iloc[0]
    assert (whole["n"], whole["unscored"], whole["hits"]) == (0, 1, 0)
    assert all(math.isnan(whole[name]) for name in (*METRICS, "words", "median_words"))


def test_summary_refuses_what_it_cannot_read():
    rows = evaluate([question("Q1", ("guide", "Use"))], recorded([]))
    with pytest.raises(BadArgument, match="no column 'colour'"):
        summarise(rows, by="colour")
    with pytest.raises(BadArgument, match="'scored'"):
        summarise(rows.drop(columns="scored"))
    with pytest.raises(BadArgument, match="not list"):
        summarise([1, 2])
    with pytest.raises(BadArgument, match="name of one column"):
        summarise(rows, by=["kind", "hit"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"scored": "False"}, "'scored' holds str 'False'"),
        ({"scored": None}, "'scored' holds None"),
        ({"scored": pd.NA}, "'scored' holds NAType"),
        ({"scored": 2}, "'scored' holds"),
        ({"hit": "yes"}, "'hit' holds something that is no number"),
        ({"words": "many"}, "'words' holds something that is no number"),
        ({"hit": math.nan}, "'hit' has a gap"),
        ({"recall": pd.NA}, "'recall'"),
    ],
)
def test_a_summary_of_damaged_rows_is_refused(change, said):
    rows = evaluate([question("Q1", ("guide", "Use")), question("Q2", ("guide", "Use"))], recorded([]))
    for name, value in change.items():
        rows[name] = pd.Series([value, rows[name][1]], dtype=object)
    with pytest.raises(BadArgument, match=said):
        summarise(rows)


def test_a_table_that_was_saved_gives_the_same_summary(tmp_path):
    rows = evaluate([question("Q1", ("guide", "Use")), question("Q2")], recorded([]))
    rows.to_csv(tmp_path / "rows.csv", index=False)
    pd.testing.assert_frame_equal(summarise(pd.read_csv(tmp_path / "rows.csv")), summarise(rows))


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (question("Q1"), "the questions are .* give a list of questions"),
        (None, "the questions are None"),
        ("Q1", "question 1 is str 'Q'"),
        ([question("Q1"), {"id": "Q2"}], "question 2 is dict"),
        ([None], "question 1 is None"),
    ],
)
def test_what_is_no_list_of_questions_is_refused(questions, said):
    with pytest.raises(BadArgument, match=said):
        evaluate(questions, recorded([]))


@pytest.mark.parametrize("search", [None, [], "search", object()])
def test_what_cannot_be_called_is_no_search(search):
    with pytest.raises(BadArgument, match=r"the search is .* something to call, as search\(text, k\)"):
        evaluate([question("Q1")], search)


def test_k_beyond_all_lists():
    (row,) = evaluate([question("Q1", ("guide", "Use"))], lambda text, k: [], k=10**30).to_dict("records")
    assert row["hit"] == 0


# --- laws, and a second implementation ---------------------------------------------------------------------------------------------------

NAMES = [f"s{number}" for number in range(8)]


@st.composite
def judged_runs(draw):
    """Some questions, each with gold sections (perhaps none) and a ranking in which no section stands twice."""
    cases = []
    for number in range(draw(st.integers(1, 6))):
        gold = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=6))
        ranking = draw(st.lists(st.sampled_from(NAMES + [f"other{n}" for n in range(6)]), unique=True, max_size=12))
        cases.append((question(f"Q{number}", *(("doc", name) for name in gold)), gold, ranking))
    return cases


@settings(max_examples=60, deadline=None)
@given(judged_runs(), st.integers(1, 10))
def test_equal_to_ir_measures_on_the_same_run(cases, k):
    search = recorded((item, [passage("doc", name) for name in ranking]) for item, _, ranking in cases)
    rows = evaluate([item for item, _, _ in cases], search, k)
    judged = {item.id: dict.fromkeys(gold, 1) for item, gold, _ in cases if gold}
    run = {item.id: {name: 100.0 - rank for rank, name in enumerate(ranking)} for item, gold, ranking in cases if gold}
    assert set(rows["id"][rows["scored"]]) == set(judged)
    if not judged:
        return
    pairs = {"hit": Success @ k, "recall": R @ k, "reciprocal_rank": RR @ k, "ndcg": nDCG @ k}
    theirs = {(result.query_id, result.measure): result.value for result in ir_measures.iter_calc(pairs.values(), judged, run)}
    for name, measure in pairs.items():
        for row in rows[rows["scored"]].to_dict("records"):
            assert row[name] == pytest.approx(theirs.get((row["id"], measure), 0.0), abs=1e-9), (name, row)
    means = ir_measures.calc_aggregate(pairs.values(), judged, run)
    whole = summarise(rows).iloc[0]
    assert {name: whole[name] for name in pairs} == pytest.approx({name: means[measure] for name, measure in pairs.items()})


CHUNKS = st.lists(st.lists(st.sampled_from(NAMES[:5]), min_size=1, max_size=3, unique=True), max_size=10)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(NAMES[:5]), min_size=1, max_size=5), CHUNKS, st.integers(0, 9))
def test_measures_stay_in_their_bounds_and_agree_with_each_other(gold, chunks, k):
    """Whatever comes, even chunks of several sections that repeat each other."""
    asked = question("Q1", *(("doc", name) for name in gold))
    found = [passage("doc", *names, name=str(place)) for place, names in enumerate(chunks)]
    row = evaluate([asked], recorded([(asked, found)]), k).iloc[0]
    assert all(0 <= row[name] <= 1 for name in METRICS)
    ranks = [rank for rank, names in enumerate(chunks[:k], start=1) if set(names) & set(gold)]
    assert row["hit"] == (1 if ranks else 0)
    assert row["recall"] == len(set(gold) & {name for names in chunks[:k] for name in names}) / len(set(gold))
    assert row["reciprocal_rank"] == (1 / ranks[0] if ranks else 0)
    assert (row["hit"] == 1) == (row["recall"] > 0) == (row["ndcg"] > 0) == (not pd.isna(row["first_rank"]))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(NAMES[:4]), min_size=1, max_size=4), CHUNKS, st.integers(1, 6), st.data())
def test_repeating_a_chunk_adds_nothing(gold, chunks, k, data):
    """A result list with a second chunk of a section already seen has the same recall, and no better ndcg, than without."""
    asked = question("Q1", *(("doc", name) for name in gold))
    found = [passage("doc", *names, name=str(place)) for place, names in enumerate(chunks[:k])]
    again = data.draw(st.sampled_from(found)) if found else filler()
    plain = evaluate([asked], recorded([(asked, found)]), k).iloc[0]
    longer = evaluate([asked], recorded([(asked, [*found, again])]), k + 1).iloc[0]
    assert longer["recall"] == plain["recall"] and longer["hit"] == plain["hit"] and longer["ndcg"] <= plain["ndcg"] + 1e-12
