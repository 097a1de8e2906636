"""From children to parents: each once, in the order of its best child, and never more words than the budget."""

from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labkit.errors import BadArgument
from labkit.evaluation.budget import within_budget
from labkit.passages import Passage
from labkit.retrieval.expanding import ParentSearch, expand_to_parents


@dataclass(frozen=True)
class Piece(Passage):
    """A child or a parent, as far as expansion looks at it."""

    parent_id: str = ""


def piece(parent_id, words, *, child=None, doc_id="code", version="1", access="public", context="Code › Part"):
    text = " ".join(["word"] * words)
    name = parent_id if child is None else f"{parent_id}_child_{child}"
    return Piece(f"{doc_id}@v{version}#{name}", doc_id, version, access, "en", (), 0, len(text), text, context, parent_id)


def parent(number, words, **fields):
    return piece(f"parent_{number:04d}", words, **fields)


def child(number, place, words=10, **fields):
    return piece(f"parent_{number:04d}", words, child=place, **fields)


def names(pieces):
    return [each.id.partition("#")[2].replace("parent_000", "p").replace("_child_", "c") for each in pieces]


PARENTS = [parent(1, 47), parent(2, 97), parent(3, 297), parent(4, 17)]  # each 3 words more with its context

CASES = [
    ("no children", [], None, []),
    ("one child", [(1, 1)], None, ["p1"]),
    ("three children of one parent bring it once", [(2, 3), (2, 1), (2, 2)], None, ["p2"]),
    ("in the order of the best child", [(3, 1), (1, 2), (3, 2), (2, 1), (1, 1)], None, ["p3", "p1", "p2"]),
    ("a child that stands twice", [(1, 1), (1, 1)], None, ["p1"]),
    ("a budget that fits exactly", [(1, 1), (2, 1)], 150, ["p1", "p2"]),
    ("one word less", [(1, 1), (2, 1)], 149, ["p1"]),
    ("after the stop nothing jumps the queue", [(1, 1), (2, 1), (4, 1)], 120, ["p1"]),
    ("a parent above the budget comes as its selected children, best first", [(3, 2), (3, 1)], 100, ["p3c2", "p3c1"]),
    ("where it would have stood", [(1, 1), (3, 2), (4, 1), (3, 1)], 100, ["p1", "p3c2", "p3c1", "p4"]),
    ("a parent of just the budget comes whole", [(3, 1), (3, 2)], 300, ["p3"]),
    ("children, too, stop at the budget", [(3, 1), (3, 2), (3, 3)], 30, ["p3c1", "p3c2"]),
    ("a budget of no words", [(1, 1)], 0, []),
    ("a child longer than the budget leaves nothing", [(3, 1), (4, 1)], 12, []),
]


@pytest.mark.parametrize("kind, found, budget, expected", CASES, ids=[row[0] for row in CASES])
def test_expansion(kind, found, budget, expected):
    assert names(expand_to_parents([child(*each) for each in found], PARENTS, budget)) == expected


def test_a_child_delivered_in_place_of_its_parent_keeps_its_heading_path():
    (delivered,) = expand_to_parents([child(3, 1)], PARENTS, 100)
    assert delivered.passage.startswith("Code › Part\n\n")


def test_parents_of_two_editions_and_documents_are_told_apart():
    editions = [parent(1, 5, version="2"), parent(1, 5), parent(1, 5, doc_id="annex")]
    found = [child(1, 1, doc_id="annex"), child(1, 1), child(1, 1, version="2")]
    assert [(each.doc_id, each.version) for each in expand_to_parents(found, editions)] == [("annex", "1"), ("code", "1"), ("code", "2")]


WRONG = [
    ("a parent that is not there", lambda: expand_to_parents([child(9, 1)], PARENTS), "parent_0009 of code"),
    ("a parent that stands twice", lambda: expand_to_parents([], [*PARENTS, PARENTS[0]]), "stands twice"),
    ("no child", lambda: expand_to_parents([Passage("a", "a", "1", "public", "en", (), 0, 1, "x", "")], PARENTS), "is no child"),
    ("a text", lambda: expand_to_parents("parent_0001", PARENTS), "best first"),
    ("a set, which has no order", lambda: expand_to_parents({child(1, 1)}, PARENTS), "best first"),
    ("no parents", lambda: expand_to_parents([], ["parent_0001"]), "is no parent"),
    ("a staff parent by a public child", lambda: expand_to_parents([child(1, 1)], [parent(1, 5, access="staff")]), "'staff'"),
    ("half a word", lambda: expand_to_parents([], PARENTS, 1.5), "the budget is 1.5"),
    ("less than nothing", lambda: expand_to_parents([], PARENTS, -1), "the budget is -1"),
    ("True", lambda: expand_to_parents([], PARENTS, True), "the budget is True"),
    ("no search", lambda: ParentSearch([], PARENTS), "callable"),
]


@pytest.mark.parametrize("kind, call, said", WRONG, ids=[row[0] for row in WRONG])
def test_what_cannot_be_expanded_is_refused(kind, call, said):
    with pytest.raises(BadArgument, match=said):
        call()


# --- laws ------------------------------------------------------------------------------------------------------------------------------

some_parents = st.lists(st.integers(0, 40), min_size=1, max_size=6).map(
    lambda sizes: [parent(number, words) for number, words in enumerate(sizes, 1)]
)


@st.composite
def rankings(draw):
    parents = draw(some_parents)
    pairs = st.tuples(st.integers(1, len(parents)), st.integers(1, 4))
    return parents, [child(number, place, words=7 * place % 11) for number, place in draw(st.lists(pairs, max_size=20))]


@settings(deadline=None)
@given(rankings())
def test_without_a_budget_each_parent_comes_once_in_the_order_of_its_best_child(drawn):
    parents, found = drawn
    delivered = expand_to_parents(found, parents)
    assert [each.parent_id for each in delivered] == list(dict.fromkeys(each.parent_id for each in found))
    assert all(each in parents for each in delivered)


@settings(deadline=None)
@given(rankings(), st.integers(0, 150))
def test_with_a_budget(drawn, budget):
    parents, found = drawn
    delivered = expand_to_parents(found, parents, budget)
    by_id = {each.parent_id: each for each in parents}
    assert sum(each.words for each in delivered) <= budget
    assert len({each.id for each in delivered}) == len(delivered)
    # parents of the budget or less come whole, others as children that were found, and never both
    for each in delivered:
        large = by_id[each.parent_id].words > budget
        assert (each in found) if large else (each == by_id[each.parent_id])
    # the first word of every parent comes in the order of the best children
    order = list(dict.fromkeys(each.parent_id for each in found))
    came = [order.index(each.parent_id) for each in delivered]
    assert came == sorted(came)
    # the rule is that of equal budget, written a second time in the evaluation
    everything = []
    for name in order:
        its = list(dict.fromkeys(each for each in found if each.parent_id == name))
        everything += its if by_id[name].words > budget else [by_id[name]]
    assert delivered == within_budget(everything, budget)


@settings(deadline=None)
@given(rankings(), st.integers(0, 60), st.one_of(st.none(), st.integers(0, 100)))
def test_a_search_for_fewer_parents_gives_the_beginning_of_one_for_more(drawn, k, budget):
    parents, found = drawn
    search = ParentSearch(lambda text, k: list(dict.fromkeys(found))[:k], parents, budget=budget)
    assert search("anything", k) == search("anything", 60)[:k]


def test_a_search_for_parents_goes_by_as_many_children_as_it_is_told():
    ranking = [child(1, 1), child(1, 2), child(2, 1), child(4, 1)]
    asked = []

    def search(text, k):
        asked.append((text, k))
        return ranking[:k]

    assert names(ParentSearch(search, PARENTS, selected=3)("x", 5)) == ["p1", "p2"]
    assert asked == [("x", 3)]


def test_a_search_for_parents_says_who_reads_and_what():
    search = lambda text, k: []  # noqa: E731
    search.access, search.passages, search.allows = "public", [child(2, 1), child(1, 1)], lambda passage: True
    parents_found = ParentSearch(search, PARENTS)
    assert parents_found.access == "public" and parents_found.allows(PARENTS[0])
    assert names(parents_found.passages) == ["p1", "p2"] and parents_found.given == PARENTS
    with pytest.raises(AttributeError, match="not_read"):
        _ = parents_found.not_read


def test_a_changed_access_label_is_seen_in_an_edition_of_its_own():
    changed = [replace(each, access="staff") for each in PARENTS]
    with pytest.raises(BadArgument, match="cut the document anew"):
        expand_to_parents([child(1, 1)], changed)
