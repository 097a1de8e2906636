"""What lessons 11 to 14 share: the code's questions by halves, its tree, and the table of methods at equal budget."""

import pandas as pd
import pytest
from small_embedders import BagOfWords

from labkit.errors import BadArgument
from labkit.evaluation.budget import evaluate_at_budgets
from labkit.lessons.content import northmark
from labkit.lessons.content.northmark import COLUMNS, BudgetBoard, NorthmarkError
from labkit.passages import Passage
from labkit.retrieval.passage_search import KeywordSearch


def test_two_halves_make_the_whole():
    halves = [[question.id for question in northmark.questions(half)] for half in northmark.HALVES]
    assert [len(half) for half in halves] == [90, 90] and not set(halves[0]) & set(halves[1])
    assert sorted(halves[0] + halves[1]) == sorted(question.id for question in northmark.questions())
    assert all(sum(bool(question.relevant) for question in northmark.questions(half)) == 80 for half in northmark.HALVES)
    with pytest.raises(BadArgument, match="'tune' or 'held-out'"):
        northmark.questions("heldout")


def test_the_children_are_those_of_the_parents():
    embedder = BagOfWords()
    children = northmark.code_children(embedder)
    assert northmark.code_children(embedder) is children
    assert [child.id for child in children] == list(dict.fromkeys(child.id for child in children))
    assert {child.parent for child in children} == {parent.id for parent in northmark.code_parents()}


@pytest.fixture(scope="module")
def rows():
    search = KeywordSearch(northmark.code_parents())
    return evaluate_at_budgets(northmark.questions("held-out")[:12], search, (200, 400), documents=[northmark.code()])


def test_a_board_keeps_its_order_and_its_bytes(tmp_path, rows):
    board = BudgetBoard(tmp_path / "state" / "northmark.csv")
    assert board.table().empty and list(board.table().columns) == list(COLUMNS)
    board.measured(rows, method="z", lesson="11")
    board.measured(rows, method="fused, both", lesson="12")
    board.measured(rows, method="a", lesson="11")
    before = board.path.read_bytes()
    assert board.table()["method"].tolist() == ["z", "z", "a", "a", "fused, both", "fused, both"]
    assert board.table()["budget"].tolist() == [200, 400] * 3 and board.table(400)["method"].tolist() == ["z", "a", "fused, both"]
    for method, lesson in (("z", "11"), ("fused, both", "12"), ("a", "11")):
        board.measured(rows, method=method, lesson=lesson)
        assert board.path.read_bytes() == before
    assert b"\r" not in before and before.endswith(b"\n")


def test_a_row_says_what_was_measured(tmp_path, rows):
    board = BudgetBoard(tmp_path / "northmark.csv")
    board.measured(rows, method="parents", lesson="11")
    at_400 = rows[(rows["budget"] == 400) & rows["scored"]]
    row = board.table(400).iloc[0]
    assert row["questions"] == len(at_400) and row["hit"] == round(at_400["hit"].mean(), 3)
    assert row["evidence"] == round(at_400["evidence"].mean(), 3) and row["low"] <= row["hit"] <= row["high"]


def test_what_cannot_be_scored_is_an_error(tmp_path, rows):
    board = BudgetBoard(tmp_path / "northmark.csv")
    with pytest.raises(BadArgument, match="no question is scored"):
        board.measured(rows.assign(scored=False, hit=float("nan")), method="x", lesson="11")
    with pytest.raises(BadArgument, match="no rows"):
        board.measured(rows.iloc[:0], method="x", lesson="11")
    assert not board.path.exists()


HEAD = ",".join(COLUMNS) + "\n"


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "columns are not"),
        ("method,lesson\n", "columns are not"),
        (HEAD + "11,parents,400\n", "has not the 10 fields"),
        (HEAD + "11,parents,400,80,1.2,0,1,1,1,300\n", "hit is '1.2'"),
        (HEAD + "11,parents,many,80,1,0,1,1,1,300\n11,parents,400,80,nan,0,1,1,1,300\n", "budget is 'many'"),
        (HEAD + '11,"parents,400\n', "is not CSV"),
    ],
)
def test_a_file_with_faults_is_left_as_it_is(tmp_path, rows, text, said):
    path = tmp_path / "northmark.csv"
    path.write_text(text, "utf-8")
    for call in (BudgetBoard(path).table, lambda: BudgetBoard(path).measured(rows, method="x", lesson="11")):
        with pytest.raises(NorthmarkError) as caught:
            call()
        assert said in str(caught.value) and "lesson 11" in str(caught.value)
    assert path.read_text("utf-8") == text


def test_the_board_is_a_table():
    assert isinstance(BudgetBoard("nowhere/northmark.csv").table(100), pd.DataFrame)


def read_in(*spans, budget=10_000):
    """Whether the article that answers the first question is read whole in these spans (of its own characters; None: to its end)."""
    question = next(question for question in northmark.questions() if len(question.relevant) == 1)
    (parent,) = northmark._gold_parents()[question.id]
    labels = {name: getattr(parent, name) for name in ("doc_id", "version", "access", "language", "sections")}
    pieces = []
    for number, (start, end) in enumerate(spans):
        end = len(parent.text) if end is None else end
        places = parent.start + start, parent.start + end
        pieces.append(Passage.cut(northmark.code().text, *places, id=str(number), context="", **labels))
    return bool(northmark.read_whole([question], lambda text, k: pieces[:k], budget).iloc[0])


@pytest.mark.parametrize(
    "spans, whole",
    [
        ([(0, None)], True),
        ([(-50, 5000)], True),
        ([(0, 400)], False),
        ([(1, None)], False),
        ([], False),
        ([(200, None), (0, 200)], True),
        ([(300, None), (0, 250), (100, 320)], True),
        ([(0, 600), (20, 40), (500, None)], True),
        ([(0, 300), (310, None)], False),
        ([(0, 300), (-9000, -8000)], False),
    ],
)
def test_read_whole_is_a_matter_of_places(spans, whole):
    assert read_in(*spans) is whole


def test_what_does_not_fit_is_not_read():
    assert read_in((0, None), budget=20) is False
    assert read_in((0, 200), (200, None), budget=60) is False


def test_a_parent_that_is_delivered_is_read_whole():
    asked = [question for question in northmark.questions("tune") if question.relevant][:10]
    gold = northmark._gold_parents()
    for question in asked:
        found = northmark.read_whole([question], lambda text, k, parents=gold[question.id]: parents[:1], 1000)
        assert found.tolist() == [True] and found.index.tolist() == [question.id]


def test_each_budget_has_its_own_search():
    asked = northmark.questions("tune")[:6]
    search = KeywordSearch(northmark.code_parents())
    seen = []
    rows = northmark.at_each_budget(asked, lambda budget: seen.append(budget) or search, (200, 400))
    assert seen == [200, 400]
    wanted = evaluate_at_budgets(asked, search, (200, 400), documents=[northmark.code()])
    both = [each.sort_values(["budget", "id"]).reset_index(drop=True) for each in (rows, wanted)]
    pd.testing.assert_frame_equal(*both)
