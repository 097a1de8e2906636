"""The verdict of a report: its first sentence is the answer, and none of them claims more than the numbers do."""

import re

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from own_reports import changed, methods, report

from labkit.own.phrases import ends, listed, points, share
from labkit.own.report_csv import csv_of
from labkit.own.verdict import ALPHA, IN_CONTEXT, cuts_of, is_finding, seen_among, verdict_of
from labkit.textfiles import counted

HALF = [1] * 20 + [0] * 20


def said(made: dict) -> str:
    return "\n".join(verdict_of(made))


# --- the answer ---------------------------------------------------------------------------------------------------------------------------

FIRST = [
    ("all alike", report({"a": [1, 0] * 7 + [1], "b": [1, 0] * 7 + [1]}), "No difference that 15 questions could show."),
    ("two of fifteen", report({"a": [1] * 9 + [0] * 6, "b": [1] * 11 + [0] * 4}), "No difference that 15 questions could show."),
    ("one question", report({"a": [1], "b": [0]}), "No difference that 1 question could show."),
    ("one method", report({"a": [1, 0, 1]}), "One method was measured, a: there is nothing to compare it with."),
    ("no question", report({"a": [], "b": []}), "Nothing was measured: there is no question."),
    ("no question in that language", report({"a": [], "b": []}, settings__language={"value": "fr", "default": "all", "reason": ""}),
     "Nothing was measured: there is no question in the language 'fr', the one that labkit.toml asks for."),
    ("none scored", report({"a": [], "b": []}, unanswerable=3),
     "Nothing was measured: of 3 questions, none names a passage that answers it."),
    ("the other is better", report({"a": [0] * 40, "b": HALF}, budgets=[200]),
     "b is better than a at 200 words: +50 points of hit (95 % interval 33 to 65)."),
    ("the first is better", report({"a": HALF, "b": [0] * 40}, budgets=[1]),
     "a is better than b at 1 word: +50 points of hit (95 % interval 33 to 65)."),
    ("at each budget", report({"a": HALF, "b": [0] * 40}), "; so it is at 100 and 400 words (+50 and +50)."),
    ("at one of three", report({"a": HALF, "b": [2] * 20 + [0] * 20}),
     "a is better than b at 100 words: +50 points of hit (95 % interval 33 to 65); at 200 and 400 words, no difference that 40 questions "
     "could show."),
    ("each has its side", report({"a": HALF, "b": [0] * 40}, evident={"a": [0] * 40, "b": HALF}, budgets=[100]),
     "No method is best at everything that 40 questions can show: it depends on what you need."),
]  # fmt: skip


@pytest.mark.parametrize("kind, made, first", FIRST, ids=[row[0] for row in FIRST])
def test_the_first_sentence_is_the_answer(kind, made, first):
    sentence = verdict_of(made)[0]
    assert sentence == first or (first.startswith(";") and sentence.endswith(first))


@st.composite
def outcomes(draw):
    n, methods_ = draw(st.integers(1, 40)), draw(st.integers(1, 3))
    return [draw(st.lists(st.sampled_from([0, 1, 2]), min_size=n, max_size=n)) for _ in range(methods_)]


@settings(max_examples=25, deadline=None, phases=(Phase.explicit, Phase.generate))  # a report takes its time; to shrink takes minutes
@given(outcomes())
@example([HALF, [0] * 40])
@example([HALF, [2] * 40, [0] * 40])
def test_better_is_said_of_findings_alone(found):
    made = report({f"m{number}": each for number, each in enumerate(found)}, budgets=(100, 200))
    findings = [row for row in made["comparisons"] if row["p_holm"] <= ALPHA and (row["low"] > 0 or row["high"] < 0)]
    sentences = verdict_of(made)
    assert all(sentence[0].isupper() or sentence[0].isdigit() or sentence.split()[0] in made_names(made) for sentence in sentences)
    assert not re.search(r"nan|None|\{|\}|\[|--", "\n".join(sentences))
    claims = [re.match(r"(m\d) is better than (m\d) at", sentence) for sentence in sentences]
    pairs = {(row["a"], row["b"]) if row["difference"] > 0 else (row["b"], row["a"]) for row in findings}
    assert {match.groups() for match in claims if match} <= pairs
    assert bool(findings) == any(claims)
    if not findings and len(found) > 1:
        assert sentences[0].startswith("No difference that ")


def made_names(made):
    return {row["name"] for row in made["methods"]}


def test_a_gap_that_holm_does_not_let_pass_is_a_hint():
    made = report({"a": [1] * 7 + [0] * 33, "b": [0] * 40, "c": [1] * 7 + [0] * 33, "d": [1] * 7 + [0] * 33})
    row = made["comparisons"][0]
    assert row["low"] is not None and row["p"] <= 0.05 < row["p_holm"] and not is_finding(row)
    text = said(made)
    assert verdict_of(made)[0] == "No difference that 40 questions could show."
    assert "take it as a hint and ask more questions" in text and "after Holm's correction" in text and "is better than" not in text


@pytest.mark.parametrize(
    "made, times",
    [
        (report({"a": HALF, "b": HALF}, evident={"a": [1] * 3 + [0] * 37, "b": [0] * 40}, budgets=[100]), 1),  # a hint
        (report({"a": HALF, "b": HALF}, evident={"a": HALF, "b": [0] * 40}), 1),  # a finding, at three budgets
        (report({"a": [1] * 3 + [0] * 37, "b": [0] * 40}, evident={"a": [0] * 40, "b": [0] * 40}, budgets=[100]), 0),
    ],
    ids=["hint", "finding", "not spoken of"],
)
def test_evidence_in_context_is_explained_where_it_is_spoken_of(made, times):
    sentences = verdict_of(made)
    assert sentences.count(IN_CONTEXT) == times
    assert any("evidence in context" in each for each in sentences) == bool(times)


def test_a_p_value_alone_is_no_finding():
    made = report({"a": HALF, "b": [0] * 40}, budgets=[100])
    row = made["comparisons"][0] | {"low": -0.65, "high": 0.01}
    assert not is_finding(row) and is_finding(made["comparisons"][0])
    assert verdict_of(made | {"comparisons": [row | {"metric": "hit"}]})[0].startswith("No difference")


def test_many_findings_are_not_told_one_by_one():
    made = report({"a": [0] * 40} | {f"m{n}": HALF for n in range(6)}, budgets=[100])
    text = said(made)
    assert text.count("is better than") == 4 and "8 more pairs of methods differ in a measure beyond chance" in text


# --- what it would take -------------------------------------------------------------------------------------------------------------------

TAKES = [
    (15, "15 questions can show a difference of 40 points at the least, and of 53 where 6 comparisons are made at once, as here."),
    (15, "To see 10 points four times in five takes about 116 questions, 5 points about 469 (where two methods differ on 15 questions of"),
    (5, "5 questions can show no difference at all, whatever comes out: it takes six at the least."),
    (6, "6 questions can show a difference of 100 points at the least, and none where 6 comparisons are made at once, as here."),
    (200, "To see 5 points four times in five takes about 469 questions (where"),
]


@pytest.mark.parametrize("n, expected", TAKES)
def test_what_it_would_take(n, expected):
    assert expected in said(report({"a": [1] * n, "b": [1] * n}))


def test_enough_questions_are_not_asked_for_more():
    assert "four times in five" not in said(report({"a": [1, 0] * 250, "b": [1, 0] * 250}, budgets=[100]))


@pytest.mark.parametrize("n, family, least", [(15, 1, 6 / 15), (15, 12, 9 / 15), (5, 1, None), (8, 12, None), (59, 12, 9 / 59)])
def test_the_least_that_a_family_of_comparisons_shows(n, family, least):
    made = report({"a": [1] * n, "b": [1] * n})
    assert seen_among(made | {"comparisons": [{}] * family}) == (None if least is None else pytest.approx(least))


# --- where scores tie ---------------------------------------------------------------------------------------------------------------------


def test_what_else_differs():
    made = methods(
        report({"a": [1, 0], "b": [1, 0], "c": [1, 0]}),
        tables=[{"n": 14, "whole": 14}, {"n": 14, "whole": 7}, {"n": 14, "whole": 9}],
        sections_per_chunk=[0.9, 2.7, 3.04], words_stored=[7_168, 6_662, 8_037],
    )  # fmt: skip
    expected = (
        "Where scores tie, what else differs: tables cut, of 14: a 0, b 7, c 5; sections that a citation spans, on average: a 0.9, b 2.7, "
        "c 3.0; words stored: a 7,168 (+8 %), b 6,662, c 8,037 (+21 %)."
    )
    assert expected in verdict_of(made) and "is best or level" not in said(made)
    methods(made, words_stored=[6_000, 6_662, 8_037])
    assert "In all of these a is best or level." in verdict_of(made)
    assert "Nor do they differ in tables cut, sections that a citation spans, or words stored." in verdict_of(report({"a": [1], "b": [1]}))


def test_a_chunker_that_loses_text_is_told_and_is_not_best_for_storing_less():
    made = methods(report({"a": [1, 0], "b": [1, 0], "c": [1, 0]}), words_stored=[1_000, 899, 0], sections_per_chunk=[1.0, 1.0, None])
    assert "b leaves text out: its chunks hold 899 words of 1,000, and no search finds the rest." in verdict_of(made)
    assert "c leaves text out: its chunks hold 0 words of 1,000, and no search finds the rest." in verdict_of(made)
    assert "a leaves" not in said(made) and "best or level" not in said(made)
    assert "leaves text out" not in said(methods(made, words_stored=[1_000, 900, 2_000]))


def test_best_in_the_rest_is_not_said_of_a_method_that_lost():
    made = report({"a": [0] * 40, "b": HALF}, evident={"a": [0] * 40, "b": [0] * 40}, budgets=[100])
    methods(made, words_stored=[900, 1_000])
    assert "b is better than a" in said(made) and "words stored: a 900, b 1,000 (+11 %)" in said(made) and "best or level" not in said(made)


def test_a_chunker_with_several_searches_stands_once():
    made = report({"a + words": [1], "a + stems": [1], "b + words": [1], "b + stems": [1]})
    made["settings"]["searches"] = {"value": [{"name": "words"}, {"name": "stems"}], "default": [], "reason": ""}
    methods(made, words_stored=[900, 900, 1_000, 1_000])
    assert list(cuts_of(made)) == ["a", "b"] and "words stored: a 900, b 1,000 (+11 %)" in said(made)


def test_of_many_methods_the_extremes_are_named():
    made = report({f"m{n}": [1] * n + [0] * (9 - n) for n in range(9)}, budgets=[100])
    methods(made, words_stored=[100 * (n + 1) for n in range(9)])
    assert "words stored: m0 100, m8 900 (+800 %)" in said(made) and "from 0.000 (m0) to 0.889 (m8)" in said(made)


def test_a_budget_that_a_method_cannot_fill():
    made = report({"a": [1, 0], "b": [1, 0]}, budgets=[100])
    for row in made["scores"]:
        if (row["method"], row["metric"], row["budget"]) == ("a", "words_used", 100):
            row["mean"] = 20.4
    assert "At 100 words, a hands over 20 on average and b 90: a stops at the first chunk that does not fit" in said(made)
    methods(made, words_stored=[80, 90])  # there is no more to hand over
    assert "hands over" not in said(made)


# --- the questions and the documents ------------------------------------------------------------------------------------------------------

EASY = "too easy to tell you anything"


@pytest.mark.parametrize(
    "found, sentence",
    [
        ({"a": [1] * 4, "b": [1] * 4}, "All 4 scored questions are found at rank 1 by every method: "),
        ({"a": [1] * 4, "b": [1, 1, 1, 2]}, "All 4 scored questions are found at rank 1 by a: "),
        ({"a": [1], "b": [1]}, "The one scored question is found at rank 1 by every method: "),
        ({"a": [1, 2], "b": [0, 1]}, ""),
        ({"a": [], "b": []}, ""),
    ],
)
def test_questions_that_are_too_easy(found, sentence):
    text = said(report(found))
    assert (f"{sentence}{EASY}" in text) if sentence else (EASY not in text)


def test_what_no_method_finds():
    made = report({"a": [0, 0, 1, 2], "b": [0, 1, 0, 2]}, stage="source not read")
    expected = "1 of 4 questions is missed by every method at every budget (1 source not read); these methods do not mend that, see Misses."
    assert expected in verdict_of(made)
    assert "missed by every" not in said(report({"a": [2], "b": [2]}))
    assert "2 of 2 questions are missed by a at 100 words (2 filtered)" in said(report({"a": [0, 0]}, budgets=[100], stage="filtered"))


def test_what_every_method_misses_stands_at_the_furthest_stage_that_one_reached():
    made = report({"a": [0], "b": [0], "c": [0]})
    for row in made["misses"]:
        row["stage"] = {"a": "source not read", "b": "no shared word", "c": "source not read"}[row["method"]]
    assert "missed by every method at every budget (1 no shared word)" in said(made)


def bad(file, page=None, searched=False, chunker=None):
    return {"file": file, "line": 2, "searched": searched, "chunker": chunker, "page": page, "what": "it is torn", "todo": "mend it"}


@pytest.mark.parametrize(
    "rows, sentences",
    [
        ([], []),
        ([bad("a.pdf")], ["1 of 5 documents could not be read and is not searched; see Unreadable."]),
        ([bad("a.pdf"), bad("b.pdf")], ["2 of 5 documents could not be read and are not searched; see Unreadable."]),
        ([bad("a.pdf", 3, True), bad("a.pdf", 4, True)],
         ["1 of 5 documents has a part that could not be read, and what stands there is not found; see Unreadable."]),
        ([bad("a.md", chunker="mine"), bad("b.pdf")],
         ["1 of 5 documents could not be read and is not searched; see Unreadable.",
          "1 of 5 documents could not be cut by every chunker, and scores differ by that too; see Unreadable."]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("n", [0, 3])
def test_what_could_not_be_read(rows, sentences, n):
    made = verdict_of(report({"a": [1] * n, "b": [1] * n}, collection__unreadable=rows))
    assert [sentence for sentence in made if "see Unreadable" in sentence] == sentences


# --- since an earlier report --------------------------------------------------------------------------------------------------------------

SINCE = [
    ([changed(difference=0.0, low=-0.1, high=0.1)], "Since before.json, no score has changed."),
    ([changed(difference=-0.05, low=-0.2, high=0.1)], "Since before.json, no change that 20 questions could show."),
    ([changed()], "Lost since before.json: a, hit at 100 words: 0.750 to 0.250 (95 % interval of the difference −70 to −20 points)."),
    ([changed(difference=0.2, low=0.05, high=0.4)], "Better since before.json: a, hit at 100 words: 0.750 to 0.950 (95 % interval of"),
    ([changed(name) for name in "abcd"], "; and 2 more scores."),
]


@pytest.mark.parametrize("rows, sentence", SINCE)
def test_since_an_earlier_report(rows, sentence):
    assert sentence in said(report({"a": [1, 0], "b": [1, 0]}, against={"file": "before.json", "rows": rows, "note": ""}))


def test_nothing_in_common_with_an_earlier_report():
    note = "No method and budget is in both reports, so nothing can be compared."
    made = report({"a": [1, 0], "b": [1, 0]}, against={"file": "before.json", "rows": [], "note": note})
    assert f"Nothing could be compared with before.json: {note}" in verdict_of(made)


def test_its_own_verdict_plays_no_part_and_tokens_are_named():
    made = report({"a": [1, 0], "b": [1, 0]})
    made["settings"]["unit"] = made["settings"]["unit"] | {"value": "tokens"}
    assert "within 200 tokens (hit" in said(made) and verdict_of(made | {"verdict": ["x"]}) == verdict_of(made)


# --- phrases ------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "got, expected",
    [
        (points(0.4), "40"), (points(-0.4), "40"), (points(0.0), "0"), (points(0.003), "0.3"), (points(0.0004), "0.04"),
        (points(0.0097), "1"), (ends(0.0001, 0.21), "0.01 to 21"), (ends(-0.04, 0.12), "−4 to 12"), (ends(-0.002, 0.0), "−0.2 to 0"),
        (counted(1, "question"), "1 question"), (counted(1_200, "question"), "1,200 questions"), (counted(0, "pair"), "0 pairs"),
        (listed([]), ""), (listed("a"), "a"), (listed("ab"), "a and b"), (listed("abcd"), "a, b, c and d"),
        (listed("abcdef"), "a, b, c and 3 others"), (share(None), "–"), (share(0.5), "0.500"),
        (share(0.5, 0.25, 0.75), "0.500 (0.25 to 0.75)"),
    ],
)  # fmt: skip
def test_phrases(got, expected):
    assert got == expected


# --- the table ----------------------------------------------------------------------------------------------------------------------------


def test_the_table_holds_every_number_of_the_report():
    import csv

    made = report({"a": [1, 0, 2], "b": [1, 1, 0]}, unanswerable=1, against={"file": "b.json", "rows": [changed()], "note": ""},
                  collection__unreadable=[bad("a, b.pdf", 3, True)])  # fmt: skip
    made["verdict"] = verdict_of(made)
    text = csv_of(made)
    rows = list(csv.DictReader(text.splitlines()))
    assert text.endswith("\n") and "\r" not in text and all(None not in row for row in rows)

    def values(table, **labels):
        return [row["value"] for row in rows if row["table"] == table and all(row[name] == value for name, value in labels.items())]

    for row in made["scores"]:
        labels = {name: "" if row[name] is None else str(row[name]) for name in ("method", "budget", "k", "metric")}
        assert values("score", **labels) == [str(row["mean"])]
    for row in made["comparisons"]:
        labels = {"method": row["a"], "against": row["b"], "budget": str(row["budget"]), "metric": row["metric"]}
        assert values("comparison", **labels, p_holm=str(row["p_holm"])) == [str(row["difference"])]
    assert len(values("question")) == 6 * len(made["per_question"]) and values("since", text="lost", before="0.75") == ["-0.5"]
    assert [row["text"] for row in rows if row["table"] == "verdict"] == made["verdict"]
    assert len(values("miss")) == len(made["misses"]) and values("method", method="a", metric="words_stored") == ["1000"]
    assert values("power", metric="for_10") == ["116"] and values("question", question="Q0004", metric="hit") == [""] * 6
    assert "a, b.pdf, page 3: it is torn — mend it" in text


def test_no_text_of_the_table_is_a_formula():
    made = report({"=1+1": [1, 0, 2], "@b": [1, 1, 0]})
    rows = csv_of(made | {"verdict": ["-2 is better", "it is −2"]}).splitlines()
    assert rows[1].endswith(",'-2 is better") and rows[2].endswith(",it is −2")
    assert {row.split(",")[1] for row in rows if row.startswith("score")} == {"'=1+1", "'@b"}
    assert any(",-" in row for row in rows if row.startswith("comparison"))  # a number stays one
