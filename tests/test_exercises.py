# ruff: noqa: N803 (N and n are the names of the formula)
"""Exercises: three outcomes, mistakes known by what they do, and a word for whatever a learner may hand over."""

from __future__ import annotations

import contextlib
import functools
import gc
import math
import re
import sys
import time
from decimal import Decimal
from fractions import Fraction

import demo_lesson
import numpy as np
import pandas as pd
import pytest
from content.lesson_90 import CAUSES, EXERCISES, PREDICTIONS, RARITY, WITHOUT
from hypothesis import given
from hypothesis import strategies as st

from labkit.lessons import lint, predictions, running
from labkit.lessons.answers import ANSWER_MIME, bundle, digest
from labkit.lessons.comparing import difference, same, write
from labkit.lessons.exercises import FunctionExercise, ValueExercise, mistake, open_blanks, run_cell
from labkit.lessons.predictions import Prediction
from labkit.lessons.texts import engine, fill, lesson_texts

TEXTS = lesson_texts("90", demo_lesson.DEMO / "texts")


def texts(exercise):
    return TEXTS["exercises"][exercise.name]


def answered(exercise, answer, source=None):
    return exercise.check(answer, texts(exercise), source)


def rarity(N, n):
    return math.log((N - n + 0.5) / (n + 0.5))


# every exercise: what the lint holds


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.name)
def test_the_demonstration_teaches(exercise):
    assert lint.exercise_faults(exercise, texts(exercise)) == []


def test_each_mistake_gets_its_own_message():
    for exercise in EXERCISES:
        told = [lint._mistaken(exercise, texts(exercise), each) for each in exercise.mistakes]
        assert [outcome.mistake for outcome in told] == [each.key for each in exercise.mistakes]
        assert len({outcome.text for outcome in told}) == len(told)


def shaky(**change):
    """The rarity exercise with one thing about it broken."""
    given = {"name": "rarity", "stub": RARITY.stub, "solution": RARITY.solution, "mistakes": RARITY.mistakes, "cases": RARITY.cases}
    return FunctionExercise(**(given | change))


BROKEN = [
    ({"solution": RARITY.stub}, {}, "the solution is 'not attempted'"),
    ({"stub": RARITY.solution}, {}, "the stub is 'correct'"),
    ({"stub": RARITY.stub.replace("import math", "import math\n1 / 0")}, {}, "the stub stops with ZeroDivisionError"),
    ({"mistakes": RARITY.mistakes[:2]}, {}, "needs three typical mistakes"),
    ({"mistakes": [*RARITY.mistakes, mistake("twin", ("math.log(", "math.log2("))]}, {"twin": "So."}, "twin is answered as 'base-2'"),
    ({"mistakes": [*RARITY.mistakes, mistake("right", ("return ", "return 1 * "))]}, {"right": "No."}, "right is answered as 'correct'"),
    ({"mistakes": [*RARITY.mistakes, mistake("new", ("math.log(", "2 * math.log("))]}, {}, "mistakes and messages differ: new"),
    ({"mistakes": [*RARITY.mistakes, mistake("gone", ("tangent", "x"))]}, {"gone": "No."}, "gone stops with ValueError"),
]


@pytest.mark.parametrize(("change", "said", "found"), BROKEN, ids=lambda value: value if isinstance(value, str) else "")
def test_the_lint_sees_a_broken_exercise(change, said, found):
    words = texts(RARITY)
    words = words | {"mistakes": {key: value for key, value in (words["mistakes"] | said).items()}}
    assert any(found in each for each in lint.exercise_faults(shaky(**change), words))


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"hints": ["Only one."]}, "needs two hints"),
        ({"hints": ["One.", " "]}, "needs two hints"),
        ({"hints": ["One.", "One."]}, "no two alike"),
        ({"hints": ["Write `math.log((N - n + 0.5) / (n + 0.5))`.", "More."]}, "gives the solution away"),
        ({"hints": ["Use (N − n + 0.5) ÷ (n + 0.5).", "More."]}, "gives the solution away"),
        ({"hints": ["The fraction first.", "Write `math.log((N - n + 0.5) / (n + 0.5))`."]}, "a hint holds all that is to be written"),
        ({"hints": ["The fraction first.", "Write `math.log(…)` around `(N - n + 0.5) / (…)`."]}, ""),
        ({"title": ""}, "has no title"),
        ({"correct": "Well done."}, ""),
        ({"mistakes": dict.fromkeys(TEXTS["exercises"]["rarity"]["mistakes"], "No.")}, "two mistakes have one message"),
    ],
)
def test_the_lint_sees_broken_texts(change, found):
    said = lint.exercise_faults(RARITY, texts(RARITY) | change)
    assert any(found in each for each in said) if found else said == []


def test_an_exercise_without_texts_is_named():
    assert lint.exercise_faults(RARITY, None) == ["rarity: has no texts"]


def test_fewer_than_four_cases_are_refused():
    with pytest.raises(ValueError, match="at least three others"):
        shaky(cases=RARITY.cases[:3])


# functions


def test_correct_reports_the_number_reached():
    outcome = answered(RARITY, rarity)
    assert (outcome.status, outcome.value, outcome.mistake) == ("correct", "0.9555", None)
    assert "0.9555" in outcome.text


NOT_ATTEMPTED = [..., lambda N, n: ..., lambda N, n: None, lambda N, n: rarity(N, n) if n == 2 else ...]


@pytest.mark.parametrize("answer", NOT_ATTEMPTED, ids=range(len(NOT_ATTEMPTED)))
def test_a_blank_is_not_attempted(answer):
    outcome = answered(RARITY, answer)
    assert outcome.status == "not attempted"
    assert 'lesson.hint("rarity")' in outcome.text


def body(text):
    return f"import math\n\n\ndef rarity(N, n):\n    {text}\n\n\nlesson.check('rarity', rarity)"


def source_outcome(text):
    return lint.outcome_of(RARITY, texts(RARITY), text)


STUBS = ["...", "return ...", "pass", '"""Says."""', '"""Says."""\n    ...', "return math.log(...)", "return ... / ..."]


@pytest.mark.parametrize("text", STUBS)
def test_a_stub_in_any_shape_is_not_attempted(text):
    assert source_outcome(body(text)).status == "not attempted"


def test_half_filled_says_which_blank_is_open():
    stub = body("top = ...\n    below = ...\n    return math.log(top / below)")
    exercise = shaky(stub=stub)
    half = stub.replace("top = ...", "top = N - n + 0.5")
    outcome = lint.outcome_of(exercise, texts(RARITY), half)
    assert (outcome.status, outcome.mistake) == ("not yet", "blank-left")
    assert "`below = ...`" in outcome.text


GENERAL = [
    ("constant", lambda N, n: 0.9555),
    ("nothing", lambda N, n: [rarity(N, n)].clear()),
    ("printed", lambda N, n: print(rarity(N, n))),
    ("nan", lambda N, n: math.nan),
    ("nan", lambda N, n: np.float64("nan")),
    ("nan", lambda N, n: pd.NA),
    ("nan", lambda N, n: [pd.NaT]),
    ("nan", lambda N, n: Decimal("NaN")),
    ("infinite", lambda N, n: math.inf),
    ("text-number", lambda N, n: "0.9555"),
    ("text-number", lambda N, n: f"{rarity(N, n):.4f}"),
    ("container", lambda N, n: pd.Series([rarity(N, n)])),
    ("container", lambda N, n: pd.DataFrame({"x": [1, 2]})),
    ("container", lambda N, n: pd.DataFrame({"x": [1.0]})),
    ("container", lambda N, n: np.array([rarity(N, n)])),
    ("container", lambda N, n: pd.Index([1.0])),
    ("type", lambda N, n: [rarity(N, n)]),
    ("type", lambda N, n: {"rarity": rarity(N, n)}),
    ("type", lambda N, n: True),
    ("type", lambda N, n: rarity),
    ("type", lambda N, n: object()),
    ("generator", lambda N, n: (x for x in [rarity(N, n)])),
    ("value", lambda N, n: rarity(N, n) + 0.01),
    ("value", lambda N, n: complex(1, 1)),
    ("exception", lambda N, n: 1 / 0),
    ("exception", lambda N, n: undefined),  # noqa: F821
    ("exception", lambda N, n: {}["word"]),
    ("exits", lambda N, n: sys.exit(1)),
    ("rounded", lambda N, n: round(rarity(N, n), 2)),
    ("parameters", lambda N: 1.0),
    ("parameters", lambda N, n, k: 1.0),
    ("parameters", lambda: 1.0),
    ("not-a-function", 0.9555),
    ("not-a-function", None),
    ("not-a-function", "rarity"),
    ("not-a-function", pd.Series([1.0])),
    ("not-a-function", int),
]


@pytest.mark.parametrize(("key", "answer"), GENERAL, ids=[f"{key}-{place}" for place, (key, _) in enumerate(GENERAL)])
def test_whatever_comes_has_its_own_words(key, answer):
    outcome = answered(RARITY, answer)
    assert (outcome.status, outcome.mistake) == ("not yet", key)
    assert "Traceback" not in outcome.text and "labkit/" not in outcome.text and "0x" not in outcome.text
    assert outcome == answered(RARITY, answer)


def test_no_two_kinds_of_trouble_share_a_sentence():
    said = {}
    for key, answer in GENERAL:
        said.setdefault(key, answered(RARITY, answer).text)
    assert len(set(said.values())) == len(said)


RIGHT = [
    lambda N, n: np.float64(rarity(N, n)),
    lambda N, n: np.float32(rarity(N, n)),
    lambda N, n: round(rarity(N, n), 4),
    lambda N, n, k=3: rarity(N, n),
    lambda *counts: rarity(*counts),
    lambda N, n: Fraction(rarity(N, n)),
    lambda N, n: Decimal(repr(rarity(N, n))),
    lambda N, n: np.array(rarity(N, n)),
    functools.partial(rarity),
    functools.lru_cache(rarity),
]


@pytest.mark.parametrize("answer", RIGHT, ids=range(len(RIGHT)))
def test_a_right_value_in_another_dress_is_right(answer):
    assert answered(RARITY, answer).status == "correct"


def test_an_exception_is_shown_with_its_arguments_and_the_learners_line(tmp_path):
    file = tmp_path / "cell.py"
    file.write_text("def helper(n):\n    return 1 / (n - n)\n\n\ndef rarity(N, n):\n    return helper(n)\n", encoding="utf-8")
    space = {}
    exec(compile(file.read_text(), str(file), "exec"), space)
    text = answered(RARITY, space["rarity"]).text
    assert "rarity(8, 2) stopped with ZeroDivisionError" in text
    assert "Line 2 of your cell: `return 1 / (n - n)`" in text


def holds_itself(N, n):
    items = []
    items.append({"again": items})
    return items


def closes_the_screen(N, n):
    sys.stdout.close()
    return 1


async def later(N, n):
    return rarity(N, n)


HUGE = {
    "a list": lambda N, n: list(range(2_000_000)),
    "a tuple": lambda N, n: tuple(range(2_000_000)),
    "a dictionary": lambda N, n: dict.fromkeys(range(500_000)),
    "a set": lambda N, n: set(range(500_000)),
    "a text": lambda N, n: "x" * 20_000_000,
    "a number": lambda N, n: 10**6000,
    "in itself": holds_itself,
}


@pytest.mark.parametrize("answer", HUGE.values(), ids=HUGE)
def test_a_huge_answer_is_told_in_a_moment_and_in_few_words(answer):
    began = time.process_time()
    outcome = answered(RARITY, answer)
    assert outcome.status == "not yet" and len(outcome.text) < 400
    value = answer(8, 2)
    assert len(write(value)) < 200 and answered(WITHOUT, value).status == "not yet"
    assert time.process_time() - began < 10  # written out, it would take minutes


def test_what_is_printed_without_end_is_kept_to_its_beginning(monkeypatch):
    monkeypatch.setattr(running, "SECONDS", 0.3)
    call = running.call(lambda: [print("x" * 1000) for _ in iter(int, 1)], (), seconds=0.3)
    assert call.endless and len(call.printed) <= 10_000
    assert answered(RARITY, closes_the_screen).mistake == "value" and not sys.stdout.closed


@pytest.mark.filterwarnings("error")
def test_a_coroutine_is_told_apart_and_closed():
    outcome = answered(RARITY, later)
    gc.collect()
    assert outcome.mistake == "coroutine" and "async def" in outcome.text


def test_an_errors_text_moves_no_cursor():
    assert running.error_text(ValueError("a\x1b[31mb\nc \ud800")) == "ValueError: a·[31mb c ·"


class Odd(Exception):
    def __str__(self):
        raise RuntimeError("even my message fails")


class OddValue:
    def __repr__(self):
        raise RuntimeError("even my repr fails")

    def __eq__(self, other):
        raise RuntimeError("even comparing me fails")

    __hash__ = None


def odd(N, n):
    raise Odd


def test_even_an_exception_without_words_is_shown():
    assert answered(RARITY, odd).mistake == "exception"


def test_even_a_value_that_cannot_be_shown_is_answered():
    assert answered(RARITY, lambda N, n: OddValue()).status == "not yet"
    assert answered(WITHOUT, OddValue()).status == "not yet"
    assert answered(CAUSES, OddValue()).status == "not yet"


def forever(N, n):
    while True:
        with contextlib.suppress(Exception):
            time.sleep(0.01)


def stubborn(N, n):
    for _ in range(3):
        try:
            while True:
                pass
        except:  # noqa: E722
            pass
    return 1.0


def sleeps_through(N, n):
    while True:
        try:  # noqa: SIM105 - as learners write it
            time.sleep(1)
        except BaseException:
            pass


def counts_through(N, n):
    while True:
        try:
            for _ in range(10**9):
                pass
        except:  # noqa: E722
            continue


@pytest.mark.parametrize("endless", [forever, stubborn, sleeps_through, counts_through])
def test_an_endless_loop_comes_back(endless, monkeypatch):
    monkeypatch.setattr(running, "SECONDS", 0.3)
    began = time.monotonic()
    outcome = answered(RARITY, endless)
    assert outcome.mistake in ("endless", "constant", "value")
    assert time.monotonic() - began < 60


def test_an_endless_loop_is_named(monkeypatch):
    monkeypatch.setattr(running, "SECONDS", 0.3)
    assert answered(RARITY, forever).mistake == "endless"
    assert answered(RARITY, rarity).status == "correct"


def test_an_endless_loop_comes_back_without_signals_too(monkeypatch):
    monkeypatch.delattr(running.signal, "setitimer")
    call = running.call(lambda: [None for _ in iter(int, 1)], (), seconds=0.3)
    assert call.endless
    assert running.call(lambda: 3, (), seconds=0.3).value == 3


def test_another_ones_timer_goes_on():
    import signal

    fired = []
    handler = signal.signal(signal.SIGALRM, lambda *_: fired.append(1))
    _, outer = signal.getitimer(signal.ITIMER_REAL), signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        running.call(lambda: 3, (), seconds=5)
        time.sleep(0.5)
    finally:
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, *outer)
    assert fired == [1]


def test_a_recursion_without_end_is_named():
    def rarity(N, n):
        return rarity(N, n)

    assert answered(RARITY, rarity).mistake == "recursion"


def test_ctrl_c_goes_through():
    def rarity(N, n):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answered(RARITY, rarity)


def test_prints_do_not_reach_the_answer(capsys):
    def talking(N, n):
        print("N is", N)
        return rarity(N, n)

    assert answered(RARITY, talking).status == "correct"
    assert capsys.readouterr().out == ""


TOTAL = FunctionExercise(
    "total",
    stub='def total(ranks):\n    return ...\n\n\nlesson.check("total", total)',
    solution='def total(ranks):\n    return sum(ranks)\n\n\nlesson.check("total", total)',
    cases=[([1, 2, 8],), ([5],), ([],), ([3, 3],)],
    mistakes=[mistake("last", ("sum(ranks)", "ranks[-1]")), mistake("count", ("sum(ranks)", "len(ranks)")),
              mistake("distinct", ("sum(ranks)", "sum(set(ranks))"))],
)  # fmt: skip
TOTAL_TEXTS = {"title": "Total", "correct": "{value}", "hints": ["a", "b"],
               "mistakes": {"last": "{call}: {value}", "count": "{value} is a count", "distinct": "each once"}}  # fmt: skip


def test_a_mistake_that_stops_in_a_case_is_still_known():
    outcome = TOTAL.check(lambda ranks: ranks[len(ranks) - 1], TOTAL_TEXTS)
    assert (outcome.mistake, outcome.text) == ("last", "total([1, 2, 8]): 8")


def test_one_case_alone_does_not_make_a_mistake():
    # 8 in the case shown is what `last` gives; everything else is not
    assert TOTAL.check(lambda ranks: 8 if ranks == [1, 2, 8] else 100, TOTAL_TEXTS).mistake == "value"


def test_an_answer_that_changes_its_argument_is_told():
    def total(ranks):
        found = 0
        while ranks:
            found += ranks.pop()
        return found

    assert TOTAL.check(total, TOTAL_TEXTS).mistake == "changed-argument"
    assert TOTAL.cases[0] == ([1, 2, 8],)


def test_the_solution_can_be_checked_twice_in_any_order():
    one = [answered(exercise, exercise.reference).status for exercise in EXERCISES]
    two = [answered(exercise, exercise.reference).status for exercise in reversed(EXERCISES)]
    assert one == two == ["correct"] * 3


@given(st.one_of(st.integers(), st.floats(), st.text(max_size=20), st.none(), st.booleans(), st.binary(max_size=4),
                 st.lists(st.integers(), max_size=4), st.dictionaries(st.text(max_size=3), st.integers(), max_size=3)))  # fmt: skip
def test_no_answer_raises(value):
    for exercise in EXERCISES:
        outcome = answered(exercise, value)
        assert outcome.status in ("correct", "not yet") and outcome.text
    assert answered(RARITY, lambda N, n: value).status == "not yet"


# values


VALUES = [
    (6, "correct", None),
    (6.0, "correct", None),
    (np.int64(6), "correct", None),
    (2, "not yet", "with-it"),
    (np.int64(2), "not yet", "with-it"),
    (7, "not yet", "value"),
    ("6", "not yet", "text-number"),
    ([6], "not yet", "type"),
    (True, "not yet", "type"),
    (None, "not yet", "nothing"),
    (math.nan, "not yet", "nan"),
    (pd.Series([6]), "not yet", "container"),
    (..., "not attempted", None),
    ([..., ...], "not attempted", None),
]


@pytest.mark.parametrize(("answer", "status", "key"), VALUES, ids=range(len(VALUES)))
def test_values(answer, status, key):
    outcome = answered(WITHOUT, answer)
    assert (outcome.status, outcome.mistake) == (status, key)


def test_a_wrong_value_does_not_show_the_right_one():
    assert "6" not in answered(WITHOUT, 7).text


@pytest.mark.parametrize(
    ("right", "answer", "said"),
    [
        ("PK-2200-07", 22007, "22007 is not it yet: the answer is a text."),
        (6, "six", "'six' is not it yet: the answer is a number."),
        ("Return window", "return  window", "'return  window' is nearly it: only capitals or spaces differ."),
    ],
)
def test_a_value_of_another_kind_is_told_so_and_no_more(right, answer, said):
    text = value_exercise(right).check(answer, {"correct": "Yes.", "mistakes": {}}).text
    assert said in text and str(right) not in text.replace(repr(answer), "")


def value_exercise(right):
    return ValueExercise("x", 'answer = ...\nlesson.check("x", answer)', f'answer = {right!r}\nlesson.check("x", answer)')


SHAPES = [
    ((30, 47), [30, 47], "correct", None),
    ((30, 47), (30, 46), "not yet", "value"),
    ((30, 47), (30,), "not yet", "length"),
    ((30, 47), (47, 30), "not yet", "order"),
    ((30, 47), 30, "not yet", "type"),
    ("Return window", "return window", "not yet", "letters"),
    ("Return window", 3, "not yet", "number-text"),
    ({"a": 1}, {"a": 1.0}, "correct", None),
    ({"a": 1}, {}, "not yet", "keys-missing"),
    ({"a": 1}, {"a": 1, "b": 2}, "not yet", "keys-extra"),
    ({1, 2}, {2, 1}, "correct", None),
    (["a", "b"], ("a", "b"), "correct", None),
    (["a", "b"], {"a", "b"}, "not yet", "type"),
    ([0.5, 0.25], [0.50001, 0.25], "correct", None),
    ([0.5, 0.25], [math.nan, 0.25], "not yet", "nan"),
    ([0.5, 0.25], pd.Series([0.5, 0.25]), "not yet", "container"),
]


@pytest.mark.parametrize(("right", "answer", "status", "key"), SHAPES, ids=range(len(SHAPES)))
def test_values_of_any_shape(right, answer, status, key):
    outcome = value_exercise(right).check(answer, {"correct": "Yes.", "mistakes": {}})
    assert (outcome.status, outcome.mistake) == (status, key)


# choices


CHOICES = [
    ({"Q05": "wording", "Q13": "language"}, "correct", None, "All 2 causes fit."),
    ({"Q05": ..., "Q13": ...}, "not attempted", None, "lesson.hint"),
    ({"Q05": "wording", "Q13": ...}, "not yet", "blank-left", "Still open: Q13"),
    ({"Q05": "wording"}, "not yet", "keys-missing", "Q13"),
    ({"Q05": "wording", "Q13": "language", "Q14": "source"}, "not yet", "keys-extra", "Q14"),
    ({"Q05": "Wording", "Q13": "language"}, "not yet", "unknown-choice", "Did you mean 'wording'?"),
    ({"Q05": 3, "Q13": "language"}, "not yet", "unknown-choice", "'source', 'wording', 'language'"),
    ({"Q05": "source", "Q13": "source"}, "not yet", "all-sources", "The cause lies elsewhere"),
    ({"Q05": "wording", "Q13": "wording"}, "not yet", "q13-wording", "Look at the language"),
    ({"Q05": "source", "Q13": "language"}, "not yet", "value", "1 of 2 fit. Look again at Q05"),
    ("wording", "not yet", "type", "a dictionary"),
    (None, "not yet", "type", "a dictionary"),
    (..., "not attempted", None, ""),
]


@pytest.mark.parametrize(("answer", "status", "key", "said"), CHOICES, ids=range(len(CHOICES)))
def test_choices(answer, status, key, said):
    outcome = answered(CAUSES, answer)
    assert (outcome.status, outcome.mistake) == (status, key)
    assert said in outcome.text


# tables as answers

_TURN = """
def turn(rows):
    made = {}
    for y, row in enumerate(rows):
        for x, text in enumerate(row):
            made[%s] = text
    while %s:
        break
    return [[made[y, x] for x in range(len(rows[0]))] for y in range(len(rows))]


lesson.check("turn", turn)
"""
TURN = FunctionExercise(
    "turn",
    stub=_TURN % ("...", "..."),
    solution=_TURN % ("y, x", "made"),
    cases=[([["a", "b"], ["c", "d"]],), ([["a"]],), ([["a", "b"], ["b", "a"]],), ([["e", "f"], ["g", "e"]],)],
    mistakes=[mistake("turned", ("[y, x] = text", "[x, y] = text"))],
)
TURN_TEXTS = {"correct": "Right.", "mistakes": {"turned": "Rows and columns have changed places."}}


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("made[y, x] = text", "made[x, y] = text", "Rows and columns have changed places."),
        ("made[y, x] = text", "made[y, x] = text * 2", "turn([['a', 'b'], ['c', 'd']]) gave other rows."),
    ],
)
def test_two_tables_stand_below_each_other_a_row_a_line(old, new, text):
    source = TURN.solution.replace(old, new)
    outcome = TURN.check(TURN.evaluate(source), TURN_TEXTS, source)
    yours, expected = outcome.code.split("expected:\n")
    assert outcome.text.startswith(text) and expected == "    ['a', 'b']\n    ['c', 'd']"
    call = "turn([['a', 'b'], ['c', 'd']])"
    made = f"{call}\nyours:\n    ['a', 'c']\n    ['b', 'd']\n" if "[x, y]" in new else "yours:\n    ['aa', 'bb']\n    ['cc', 'dd']\n"
    assert yours == made and call in outcome.text + outcome.code


def test_of_a_long_table_it_is_said_how_many_rows_more_there_are():
    outcome = TURN.check(lambda rows: rows * 10, TURN_TEXTS)
    yours, expected = outcome.code.split("expected:\n")
    assert yours.endswith("    ['c', 'd']\n    … 12 more\n") and yours.count("\n") == 10 and "more" not in expected


class Unwilling(list):
    def __getitem__(self, place):
        raise RuntimeError("no")


@pytest.mark.parametrize("rows", [Unwilling([["x"], ["y"]]), [Unwilling(["x"]), ["y"]]])
def test_a_table_of_somebodys_own_kind_stops_no_check(rows):
    assert TURN.check(lambda _: rows, TURN_TEXTS).status == "not yet"


@pytest.mark.parametrize(("filled", "line"), [(("...", "made"), "made[...] = text"), (("y, x", "..."), "while ...:")])
def test_a_blank_that_is_left_is_named_also_where_it_stands_for_an_index_or_never_ends(filled, line):
    source = (_TURN % filled).replace("        break", "        pass").strip()
    outcome = TURN.check(TURN.evaluate(source), TURN_TEXTS, source)
    assert (outcome.status, outcome.mistake) == ("not yet", "blank-left") and line in outcome.text
    assert TURN.check(TURN.evaluate(TURN.stub), TURN_TEXTS, TURN.stub).status == "not attempted"


# how an answer is shown


def test_the_three_forms_say_the_same():
    data = bundle(answered(RARITY, lambda N, n: math.log(N / n)), "90", "rarity", "How rare?", "x = 1\n")
    assert data["text/plain"].startswith("Not yet · How rare?\n1.3863 is ln(N ÷ n)")
    assert "Not yet · How rare?" in data["text/html"] and "1.3863 is ln(N ÷ n)" in data["text/html"]
    assert data[ANSWER_MIME] == {"lesson": "90", "exercise": "rarity", "status": "not yet", "mistake": "textbook", "value": "1.3863",
                                 "digest": digest("x = 1")}  # fmt: skip


def test_html_has_no_colour_no_role_and_escapes_what_the_learner_wrote():
    data = bundle(answered(RARITY, lambda N, n: "<script>alert(1)</script>"), "90", "rarity", "How <rare>?", None)
    html = data["text/html"]
    assert "<script" not in html and "&lt;script&gt;" in html and "How &lt;rare&gt;?" in html
    assert "role=" not in html and "#" not in html.replace("&#", "") and "color:" not in html


def test_digest_looks_past_white_space_at_the_ends():
    assert digest("\nx = 1\n\n") == digest("x = 1") != digest("x  = 1")
    assert len(digest("")) == 12


@pytest.mark.parametrize(
    ("source", "blanks"),
    [
        ("x = ...", ["x = ..."]),
        ("def f():\n    return ...\n", ["return ..."]),
        ("a[..., 0]", []),
        ("places[...] = text", ["places[...] = text"]),
        ("x: tuple[int, ...] = (1,)", []),
        ("print('...')  # ...", []),
        ("%matplotlib inline\nx = ...", []),
        ("def (", []),
        ("", []),
        (None, []),
        ("\0", []),
    ],
)
def test_blanks(source, blanks):
    assert open_blanks(source) == blanks


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.95551, "0.9555"), (3, "3"), ("it's", '"it\'s"'), ((1,), "(1,)"), ({3, 1, 2}, "{1, 2, 3}"), (set(), "set()"),
        ({"a": 0.5}, "{'a': 0.5000}"), (list(range(20)), "[0, 1, 2, 3, 4, 5, 6, … 13 more]"), (None, "None"), (True, "True"),
        (np.float64(0.5), "0.5000"), (math.nan, "nan"), (-math.inf, "-inf"),
    ],
)  # fmt: skip
def test_a_value_is_written_the_same_each_time(value, shown):
    assert write(value) == shown


def test_no_address_is_written():
    assert "0x" not in write(object()) and "0x" not in write([object(), print, rarity])


def test_a_list_that_holds_itself_is_written():
    loop = []
    loop.append(loop)
    assert "…" in write(loop)


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(-1e-3, 1e-3))
def test_same_is_the_tolerance(value, off):
    assert same(value + off, value) == (abs((value + off) - value) <= 5.1e-5)


def test_texts_cannot_reach_into_objects():
    with pytest.raises(KeyError):
        fill("{value.__class__}", value=1)
    assert fill("{value:.4f} {{x}}", value="text") == "text {x}"


def test_every_engine_text_has_its_fields_closed():
    import tomllib

    from labkit.lessons.texts import HERE

    def walk(table):
        for value in table.values():
            yield from walk(value) if isinstance(value, dict) else [value]

    for text in walk(tomllib.loads((HERE / "en" / "engine.toml").read_text(encoding="utf-8"))):
        assert text.strip() and text.count("{") == text.count("}")
    assert engine("status.not_yet") == "not yet"


# predictions


def test_a_prediction_that_can_stand():
    assert lint.prediction_faults(PREDICTIONS[0], TEXTS["predictions"]["twice"]) == []


@pytest.mark.parametrize(
    ("prediction", "guess", "fine"),
    [
        (Prediction("x", 0.5, low=0, high=1), 0.7, True),
        (Prediction("x", 0.5, low=0, high=1), 1, True),
        (Prediction("x", 0.5, low=0, high=1), 70, False),
        (Prediction("x", 0.5, low=0, high=1), "0.7", False),
        (Prediction("x", 0.5, low=0, high=1), True, False),
        (Prediction("x", 0.5), math.nan, False),
        (Prediction("x", 0.5), None, False),
        (Prediction("x", 0.5), np.int64(3), True),
        (Prediction("x", "A", kind="choice", choices=("A", "B")), "B", True),
        (Prediction("x", "A", kind="choice", choices=("A", "B")), "C", False),
        (Prediction("x", "A", kind="choice", choices=("A", "B")), ["A"], False),
        (Prediction("x", "A", kind="text"), "anything", True),
    ],
)
def test_what_can_stand_as_a_guess(prediction, guess, fine):
    assert (prediction.fault(guess) is None) == fine


WHOLE = Prediction("x", 4, form=".0f", low=0, high=59)


@pytest.mark.parametrize(
    ("prediction", "guess", "said"),
    [
        (WHOLE, 4, "Noted. Your guess: 4."),
        (WHOLE, 12.5, "Noted. Your guess: 12.5."),
        (WHOLE, Fraction(7, 2), "Noted. Your guess: 3.5."),
        (WHOLE, 4.0, "Noted. Your guess: 4."),
        (Prediction("x", 4, form=".0f", low=41, high=59), 0.93, "0.93 is outside 41 to 59. "),
        (Prediction("x", 0.5, form=".4f"), 0.05, "Noted. Your guess: 0.0500."),
        (Prediction("x", 4, form=".0f"), 1234567.5, "Noted. Your guess: 1234567.5."),
        (Prediction("x", 0.5, form=".3f"), 0.12345678, "Noted. Your guess: 0.12345678."),
        (Prediction("x", 0.5, form=".3f"), 0.1 + 0.2, "Noted. Your guess: 0.3."),
        (Prediction("x", 0.5, form=".0%"), 0.05, "Noted. Your guess: 0.05."),
        (Prediction("x", 400, form=","), 1234.5, "Noted. Your guess: 1234.5."),
        (WHOLE, "007", "'007' stands in quotes. Leave them out: a number is wanted, for example 7."),
        (WHOLE, "4", "'4' stands in quotes. Leave them out: a number is wanted, for example 4."),
        (WHOLE, "four", "'four' is not a number. Write your guess as one, for example 4."),
        (WHOLE, ..., "No prediction yet. Put your guess in place of `...`"),
        (Prediction("x", "A", kind="choice", choices=("A", "B")), ..., "No prediction yet. Put one of 'A', 'B' in place of `...`"),
    ],
)
def test_what_is_said_of_a_guess_is_what_was_typed(prediction, guess, said):
    assert said in predictions.said(prediction, "90", "How many?", guess)["text/plain"]


def test_run_cell_gives_what_the_check_gets():
    assert run_cell('lesson.check("x", 1 + 1)', "x") == 2


@pytest.mark.parametrize("wanted", [1.5, [1, 2]], ids=repr)
def test_advice_for_a_table_names_nothing_that_a_table_lacks(wanted):
    table = pd.DataFrame({"x": [1.0]})
    key, text = difference(table, wanted, "f()", "")
    advised = re.findall(r"`\.(\w+)\(", text)
    assert key == "container" and "a whole table" in text
    assert all(hasattr(table["x"], name) for name in advised)
    assert table.iloc[0, 0] == 1.0
