import pytest
from evaluation_cases import at_ranks, filler, passage, question, recorded
from parsed_documents import parsed_markdown

from labkit.chunking import fixed
from labkit.errors import BadArgument, LabError
from labkit.evaluation.attribution import STAGES, Miss, stage_of, why_missed
from labkit.evaluation.budget import evaluate_at_budgets
from labkit.evaluation.metrics import evaluate
from labkit.retrieval.keyword import KeywordIndex


def public(found) -> bool:
    return found.access == "public"


def keyword_search(passages, allowed=None):
    """A real keyword search over `passages`; `allowed` is a callable of a passage."""
    by_id = {found.id: found for found in passages}
    index = KeywordIndex()
    index.add([(found.id, found.passage) for found in passages])
    may = None if allowed is None else lambda name: allowed(by_id[name])
    return lambda text, k: [by_id[hit.id] for hit in index.search(text, k, allowed=may)]


GUIDE = [
    passage("guide", "Care", text="Descale the kettle once a month."),
    passage("guide", "Safety", text="Unplug the kettle before you fill it."),
    passage("pay", "Refunds", text="Refunds are paid within three days."),
    passage("pay", "Approval", text="A refund above 500 dollars needs a manager.", access="staff"),
    passage("fr", "Garantie", text="Nous ne vendons aucune garantie."),
    *(passage("guide", f"Model {n}", text=f"This kettle is kettle model {n}: a kettle, nothing but a kettle.") for n in range(9)),
]


@pytest.mark.parametrize(
    ("text", "gold", "allowed", "stage"),
    [
        ("Refunds?", [("pay", "Refunds")], None, "found"),
        ("anything", [], None, "not scored"),
        ("Refunds?", [("pay", "Fees")], None, "source not read"),  # no such section among the passages
        ("Refunds?", [("pay", "Refunds", "2")], None, "source not read"),  # that version was not read
        ("manager refund", [("pay", "Approval")], public, "filtered"),
        ("manager refund", [("pay", "Approval")], None, "found"),
        ("extended warranty?", [("fr", "Garantie")], None, "no shared word"),
        ("garanties", [("fr", "Garantie")], None, "no shared word"),  # words as the index reads them: no stemming
        ("GARANTIE!", [("fr", "Garantie")], None, "found"),
        ("kettle model", [("guide", "Safety")], None, "ranked below k (rank 11)"),
        ("extended warranty?", [("fr", "Garantie"), ("guide", "Fees")], None, "no shared word"),  # the part that was read counts
        ("manager dollars", [("pay", "Approval"), ("fr", "Garantie")], public, "no shared word"),  # the part that may be seen counts
        ("...", [("pay", "Refunds")], None, "no shared word"),
    ],
)
def test_the_first_stage_that_lost_it(text, gold, allowed, stage):
    asked = question("Q1", *gold, text=text)
    search = keyword_search(GUIDE, allowed)
    assert why_missed(asked, search, passages=GUIDE, allowed=allowed) == stage
    assert type(why_missed(asked, search, passages=GUIDE, allowed=allowed)) is str
    assert str(stage_of(asked, search, passages=GUIDE, allowed=allowed)) == stage


def test_found_is_what_evaluate_calls_a_hit():
    asked = [question("Q1", ("pay", "Refunds"), text="refunds"), question("Q2", ("guide", "Safety"), text="kettle")]
    search = keyword_search(GUIDE)
    for k in (1, 5, 12, 50):
        hits = evaluate(asked, search, k)["hit"]
        assert [stage_of(item, search, passages=GUIDE, k=k).stage == "found" for item in asked] == [hit == 1 for hit in hits]


@pytest.mark.parametrize(("k", "miss"), [(5, Miss("ranked below k", 8)), (7, Miss("ranked below k", 8)), (8, Miss("found", 8))])
def test_the_rank_is_that_of_the_best_relevant_result(k, miss):
    asked = question("Q1", ("guide", "Use"))
    found = at_ranks(asked, {8, 10}, length=12)
    assert stage_of(asked, recorded([(asked, found)]), passages=found, k=k) == miss


def test_miss_groups_by_stage_and_reads_as_a_sentence():
    assert str(Miss("ranked below k", 8)) == "ranked below k (rank 8)"
    assert str(Miss("ranked below k")) == "ranked below k (rank unknown)"
    assert str(Miss("cut by the budget", 3)) == "cut by the budget (rank 3)"
    without_rank = [stage for stage in STAGES if stage not in ("ranked below k", "cut by the budget")]
    assert [str(Miss(stage)) for stage in without_rank] == without_rank


def test_a_filter_is_applied_before_ranks_are_counted_whoever_applies_it():
    """Ten staff passages above the public one: for a public reader it is the first result, with or without a search that filters."""
    asked = question("Q1", ("guide", "Use"))
    staff = [passage("inside", f"Part {n}", access="staff", name=f"staff-{n}") for n in range(10)]
    pool = [*staff, *at_ranks(asked, {1}, length=3)]
    hiding = recorded([(asked, [found for found in pool if public(found)])])
    assert stage_of(asked, recorded([(asked, pool)]), passages=pool, allowed=public) == Miss("found", 1)
    assert stage_of(asked, hiding, passages=pool, allowed=public) == Miss("found", 1)
    assert stage_of(asked, recorded([(asked, pool)]), passages=pool) == Miss("ranked below k", 11)


def test_shares_a_word_and_never_comes():
    asked = question("Q1", ("guide", "Use"), text="some question")
    pool = [passage("guide", "Use", text="some words here")]
    assert stage_of(asked, recorded([]), passages=pool) == Miss("ranked below k", None)


def test_words_of_the_context_are_shared_words_too():
    asked = question("Q1", ("guide", "Use"), text="AquaFlow")
    pool = [passage("guide", "Use", context="The AquaFlow hose", text="it is long")]
    assert stage_of(asked, recorded([]), passages=pool).stage == "ranked below k"


def test_a_search_by_meaning_may_rank_what_shares_no_word():
    asked = question("Q1", ("guide", "Use"), text="quite other vocabulary")
    found = at_ranks(asked, {7})
    assert why_missed(asked, recorded([(asked, found)]), passages=found) == "ranked below k (rank 7)"


def test_a_search_that_orders_afresh_for_each_k():
    asked = question("Q1", ("guide", "Use"))
    found = at_ranks(asked, {1})
    assert stage_of(asked, lambda text, k: found if k > 5 else [filler()], passages=found * 10) == Miss("ranked below k", None)


# --- at a budget of words ---------------------------------------------------------------------------------------------------------------


def ten_words(name, *sections, access="public"):
    return passage("guide", *(sections or ("Other",)), text="w " * 10, name=name, access=access)


@pytest.mark.parametrize(
    ("budget", "last", "stage"),
    [
        (30, "whole", "found"),
        (29, "whole", "cut by the budget (rank 3)"),
        (29, "cut", "found"),
        (20, "cut", "cut by the budget (rank 3)"),
        (9, "whole", "cut by the budget (rank 3)"),
        (0, "whole", "cut by the budget (rank 3)"),
    ],
)
def test_ranked_but_not_within_the_words(budget, last, stage):
    asked = question("Q1", ("guide", "Use"))
    found = [ten_words("a"), ten_words("b"), ten_words("c", "Use"), ten_words("d")]
    for k in (0, 5):  # k plays no part
        assert why_missed(asked, recorded([(asked, found)]), passages=found, k=k, budget=budget, last=last) == stage
    assert why_missed(asked, recorded([(asked, found)]), budget=budget, last=last) == stage


def test_what_a_cut_takes_off_is_cut_by_the_budget():
    """The passage is delivered, but its beginning alone, and the answer's section stands in the part that is gone."""
    parsed = parsed_markdown("# T\n\n## First\n\none two three\n\n## Use\n\nfour five six", doc_id="guide", version="1")
    (chunk,) = fixed(parsed)
    asked = question("Q1", ("guide", "Use"))
    for words, stage in [(7, "cut by the budget (rank 1)"), (8, "found")]:  # the eighth word is the second ##
        assert why_missed(asked, recorded([(asked, [chunk])]), passages=[chunk], budget=words, last="cut") == stage


@pytest.mark.parametrize(
    ("text", "gold", "allowed", "stage"),
    [
        ("Refunds?", [("pay", "Refunds")], None, "found"),
        ("anything", [], None, "not scored"),
        ("Refunds?", [("pay", "Fees")], None, "source not read"),
        ("manager refund", [("pay", "Approval")], public, "filtered"),
        ("extended warranty?", [("fr", "Garantie")], None, "no shared word"),
        ("kettle model", [("guide", "Safety")], None, "cut by the budget (rank 11)"),
    ],
)
def test_the_earlier_stages_stay_as_they_are(text, gold, allowed, stage):
    asked = question("Q1", *gold, text=text)
    assert why_missed(asked, keyword_search(GUIDE, allowed), passages=GUIDE, allowed=allowed, budget=20) == stage


def test_a_filter_is_applied_before_words_are_counted():
    asked = question("Q1", ("guide", "Use"))
    pool = [*(ten_words(f"staff-{n}", access="staff") for n in range(30)), ten_words("gold", "Use")]
    search = recorded([(asked, pool)])
    assert stage_of(asked, search, passages=pool, allowed=public, budget=10) == Miss("found", 1)
    assert stage_of(asked, search, passages=pool, budget=10) == Miss("cut by the budget", 31)


def test_found_at_a_budget_is_what_evaluate_at_budgets_calls_a_hit():
    asked = [question("Q1", ("pay", "Refunds"), text="refunds"), question("Q2", ("guide", "Safety"), text="kettle")]
    search, budgets = keyword_search(GUIDE), (5, 10, 50, 200)
    rows = evaluate_at_budgets(asked, search, budgets, documents=[])
    for budget in budgets:
        hits = rows[rows["budget"] == budget]["hit"]
        assert [stage_of(item, search, passages=GUIDE, budget=budget).stage == "found" for item in asked] == [hit == 1 for hit in hits]


@pytest.mark.parametrize("wrong", [{"budget": -1}, {"budget": 1.5}, {"budget": True}, {"budget": 5, "last": "some"}])
def test_budgets_as_in_within_budget(wrong):
    with pytest.raises(BadArgument):
        why_missed(question("Q1"), recorded([]), **wrong)


# --- without the passages: the search is asked -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "gold", "quote", "stage"),
    [
        ("Refunds?", ("pay", "Refunds"), "paid within three days", "found"),
        ("kettle model", ("guide", "Safety"), "Unplug the kettle", "ranked below k (rank 11)"),
        ("extended warranty?", ("fr", "Garantie"), "aucune garantie", "no shared word"),
        ("extended warranty?", ("pdf", "Cover"), "two years, pump three years", "source not read"),
    ],
)
def test_without_passages_the_search_is_asked_for_the_quote(text, gold, quote, stage):
    asked = question("Q1", gold, text=text, quote=quote)
    assert why_missed(asked, keyword_search(GUIDE)) == stage


def test_without_passages_and_with_a_filter():
    asked = question("Q1", ("pay", "Approval"), text="manager", quote="needs a manager")
    assert why_missed(asked, keyword_search(GUIDE), allowed=public) == "filtered"


# --- errors ------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [-1, "5", None, True])
def test_k_as_in_evaluate(k):
    with pytest.raises(BadArgument, match="k is"):
        why_missed(question("Q1", ("a", "b")), recorded([]), k=k)


def test_k_nought_finds_nothing_but_tells_the_rank():
    asked = question("Q1", ("guide", "Use"))
    found = at_ranks(asked, {1})
    assert why_missed(asked, recorded([(asked, found)]), passages=found, k=0) == "ranked below k (rank 1)"


def test_a_search_that_fails_names_the_question():
    def search(text, k):
        raise OSError("gone")

    with pytest.raises(LabError, match=r"question Q1: .*OSError: gone"):
        why_missed(question("Q1", ("a", "b")), search)
