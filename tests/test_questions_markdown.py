"""Questions in Markdown: what a person may write, what comes out of it, and every fault with its line."""

import json
import re
import textwrap
from datetime import date
from pathlib import Path

import pytest
from command_line import flat
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import labkit.questions_markdown
from labkit.collection import HEADER
from labkit.errors import QuestionsError
from labkit.questions import Edition, Question, Relevant, load_questions
from labkit.questions_markdown import quote_line

INVENTORY = f"""{HEADER}
documents/returns.v1.md,returns,Returns,1,2024-01-01,2024-12-31,Grace,public,en,policy,md
documents/returns.v2.md,returns,Returns,2,2025-01-01,,Grace,public,en,policy,md
documents/my memo.md,memo,Memo,unknown,0001-01-01,,unknown,staff,fr,unknown,md
documents/cash.md,cash,My till rules,1,2024-01-01,,Grace,public,en,procedure,md
documents/till.md,till,Till,3.1,2025-02-01,,Grace,staff,en,procedure,md
"""
WHERE = "where: returns v2, Return window\nquote: 30 days\nanswer: 30 days.\n"


def folder(tmp_path: Path, text: str, inventory: str | None = INVENTORY, name: str = "questions.md") -> Path:
    if inventory is not None:
        (tmp_path / "inventory.csv").write_text(inventory, encoding="utf-8")
    (tmp_path / name).write_bytes(text.encode())
    return tmp_path / name


def load(tmp_path: Path, text: str, **more) -> list[Question]:
    return load_questions(folder(tmp_path, text, **more))


def one(tmp_path: Path, text: str, **more) -> Question:
    (question,) = load(tmp_path, text, **more)
    return question


def faults(tmp_path: Path, text: str) -> list[tuple[int | None, str]]:
    with pytest.raises(QuestionsError) as caught:
        load(tmp_path, text)
    assert all(fault.todo for fault in caught.value.faults)
    return [(fault.line, str(fault)) for fault in caught.value.faults]


FULL = """\
# Questions about our rules

as_of: 2025-06-01

Prose may stand here.

## How long do I have?

kind: answerable
answer: 30 days
  from delivery.
where: returns, Return window
quote: "You have **30 days**."
where: documents/my memo.md, Rules
quote: "first
second"
keys: 30 days; receipt
tags: "money, back", "time"
notes: a
---

## Was it more, before?
- kind: version
- **where:** returns v1, Return window
- quote: You have 20 days.
- Answer: 20
- as_of: 2024-06-01
- wrong_version: returns v2
- must_not: 30 days

## Who won?
Kind: Unanswerable

```
## An example
where: x
```

<!-- ## Not this
kind: nor that -->

## Which kit?
kind: table
answer: K-7
where: returns@v2#return-window
quote:

```
| X-1 | "K-7" |
| X-2 | K-8 |
```
keys:
- K-7
- "x; y"
public: no
id: kit
language: fr-CA
"""


def test_a_whole_file(tmp_path):
    first, second, third, fourth = load(tmp_path, FULL)
    memo = Relevant("memo", "unknown", "Rules", "staff", "first\nsecond")
    assert first == Question(
        id="Q01", question="How long do I have?", language="en", kind="answerable", as_of=date(2025, 6, 1), public_ok=True, abstain=False,
        reference_answer="30 days from delivery.", keys=("30 days", "receipt"), must_not=(),
        relevant=(Relevant("returns", "2", "Return window", "public", "You have **30 days**."), memo), wrong_version=(),
        tags=("money, back", "time"), notes="a",
    )  # fmt: skip
    assert (second.id, second.kind, second.as_of, second.must_not) == ("Q02", "version", date(2024, 6, 1), ("30 days",))
    assert second.relevant == (Relevant("returns", "1", "Return window", "public", "You have 20 days."),)
    assert second.wrong_version == (Edition("returns", "2"),)
    assert (third.id, third.kind, third.abstain, third.relevant, third.reference_answer) == ("Q03", "unanswerable", True, (), "")
    assert (fourth.id, fourth.public_ok, fourth.language, fourth.keys) == ("kit", False, "fr-CA", ("K-7", "x; y"))
    assert fourth.relevant == (Relevant("returns", "2", "return-window", "public", '| X-1 | "K-7" |\n| X-2 | K-8 |'),)
    assert [each.line for each in (first, second, third, fourth)] == [7, 22, 31, 42]
    assert first.file.endswith("questions.md")


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_all_kinds(tmp_path, end):
    same = load(tmp_path, FULL.replace("\n", end))
    assert [each.line for each in same] == [7, 22, 31, 42]
    assert same[0].relevant[1].quote == f"first{end}second"  # a quote is what was written, line ends too
    assert same[0].reference_answer == "30 days from delivery." and same[3].keys == ("K-7", "x; y")


@pytest.mark.parametrize(
    ("where", "place"),
    [
        ("returns v2, Return window", ("returns", "2", "Return window", "public")),
        ("returns v.2, Return window", ("returns", "2", "Return window", "public")),
        ("returns version 2, Return window", ("returns", "2", "Return window", "public")),
        ("returns, version 2, section “Return window”", ("returns", "2", "Return window", "public")),
        ("returns V1, Return window", ("returns", "1", "Return window", "public")),
        ("returns@v1#return-window", ("returns", "1", "return-window", "public")),
        ("returns@1, Return window", ("returns", "1", "Return window", "public")),
        ("returns, Return window", ("returns", "2", "Return window", "public")),  # the one in force
        ("returns", ("returns", "2", "", "public")),
        ("till, Refunds, cash and cards", ("till", "3.1", "Refunds, cash and cards", "staff")),
        ("till v3.1", ("till", "3.1", "", "staff")),
        ("till, Version 4 of the till", ("till", "3.1", "Version 4 of the till", "staff")),
        ("till, vouchers", ("till", "3.1", "vouchers", "staff")),
        ("till, section « Règles »", ("till", "3.1", "Règles", "staff")),
        ("till, Section 5", ("till", "3.1", "Section 5", "staff")),
        ("till, v3.1, Section 5", ("till", "3.1", "Section 5", "staff")),
        ("memo, Règles", ("memo", "unknown", "Règles", "staff")),
        ("memo vunknown, Règles", ("memo", "unknown", "Règles", "staff")),
        ("documents/my memo.md, Rules", ("memo", "unknown", "Rules", "staff")),
        ("my memo.md, Rules", ("memo", "unknown", "Rules", "staff")),
        ("returns.v1.md, Return window", ("returns", "1", "Return window", "public")),
        ("documents/returns.v1.md version 1, Return window", ("returns", "1", "Return window", "public")),
        ("Returns v1, Return window", ("returns", "1", "Return window", "public")),  # by its title
        ("my till rules, Refunds", ("cash", "1", "Refunds", "public")),
        ("My Till rules, version 1, section “Refunds, in cash”, page 2, characters 10–90", ("cash", "1", "Refunds, in cash", "public")),
        ("My Till rules, version 1, section “Refunds” › “In cash”, page 2, characters 10–90", ("cash", "1", "Refunds", "public")),
        ("My Till rules, version 1, section “What “cash” is” › “A”, characters 10–90", ("cash", "1", "What “cash” is", "public")),
        ('My Till rules, version 1, section “What "cash" is, §5”, characters 1–9', ("cash", "1", 'What "cash" is, §5', "public")),
        ("My Till rules, version 1, section “Was „bar“ heißt”, characters 1–9", ("cash", "1", "Was „bar“ heißt", "public")),
        ("My Till rules, version 1, section “5“ notes” › “A”, characters 1–9", ("cash", "1", "5“ notes", "public")),
        ("My Till rules, version 1, sections “Refunds”, “Notes”, characters 1–9", ("cash", "1", "Refunds", "public")),
        ("My Till rules, version 1, heading “Annex” › “A”, pages 2–3, 7, characters 10–90", ("cash", "1", "", "public")),
        ("My Till rules, version 1, page 2 (printed “iv”), characters 10–90", ("cash", "1", "", "public")),
        ("My Till rules, version 1, characters 10–90", ("cash", "1", "", "public")),
        ("My Till rules, version 1, Characters 10–90 explained", ("cash", "1", "Characters 10–90 explained", "public")),
        ("returns.v1, Return window", ("returns", "1", "Return window", "public")),  # by its file, as far as it tells it from others
        ("my memo, Rules", ("memo", "unknown", "Rules", "staff")),
        ("documents\\my memo.md > Rules", ("memo", "unknown", "Rules", "staff")),
        ("./documents/cash.md — Refunds", ("cash", "1", "Refunds", "public")),
        ("[the memo](documents/my%20memo.md), Rules", ("memo", "unknown", "Rules", "staff")),
        ("“My till rules”, version 1, section “Refunds”", ("cash", "1", "Refunds", "public")),
        ("`returns` v1, Return window", ("returns", "1", "Return window", "public")),
        ("nowhere v7, Here", ("nowhere", "7", "Here", "staff")),  # for validation to name
        ("nowhere, Here", ("nowhere", "unknown", "Here", "staff")),
        ("no where > Here", ("no where", "unknown", "Here", "staff")),  # whatever may stand before a section ends a name
        ("no where: Here", ("no where", "unknown", "Here", "staff")),
        ("no where — Here", ("no where", "unknown", "Here", "staff")),
        ("no where 2019–2020 | Here", ("no where 2019–2020", "unknown", "Here", "staff")),
        ("returns v9, Here", ("returns", "9", "Here", "staff")),
    ],
)
def test_where(tmp_path, where, place):
    question = one(tmp_path, f"## How?\nas_of: 2025-06-01\nwhere: {where}\nquote: x\nanswer: y\n")
    (entry,) = question.relevant
    assert (entry.doc_id, entry.version, entry.section, entry.access) == place
    assert question.public_ok == (place[3] == "public")


@pytest.mark.parametrize(
    "text",
    ["Adult\t460", " a \t\n b ", '"He said"\t1', "“x”\ty", "« a »", "a: b", "it's", "<!-- a -->\t1", "| a | b |", "&amp;\t&nbsp;", "> a",
     "# a"],
)  # fmt: skip
def test_a_quote_that_labkit_writes_reads_back_as_it_was(tmp_path, text):
    line = quote_line(text)
    assert line.isprintable()
    (entry,) = one(tmp_path, f"## How?\nwhere: returns v2, Return window\n{line}\nanswer: y\n").relevant
    assert entry.quote == text


@pytest.mark.parametrize("text", ["a&Tab;b", "a\t&NewLine;", "a\r\nb", "&\tTab;&Tab;"])
def test_a_quote_that_no_line_can_say(text):
    assert quote_line(text) == ""


@pytest.mark.parametrize(
    ("written", "quote"),
    [
        ("quote: 30 days", "30 days"),
        ('quote: "30 days"', "30 days"),
        ("quote: “30 days”", "30 days"),
        ("quote: « 30 jours »", "30 jours"),
        ("quote: «\u202f30 jours\nen tout\xa0»", "30 jours\nen tout"),
        ('quote: ""He said""', '"He said"'),
        ("quote: it's", "it's"),
        ("quote: 'tis", "'tis"),
        ('quote: say "hi" now', 'say "hi" now'),
        ("quote : 30 days", "30 days"),
        ("quote：30 days", "30 days"),
        ('quote: "Adult&Tab;460&Tab;250"', "Adult\t460\t250"),
        ("quote: one&NewLine;two&amp;", "one\ntwo&amp;"),
        ("quote:\n> a&Tab;b", "a&Tab;b"),
        ("quote:\n```\na&Tab;b\n```", "a&Tab;b"),
        ("* one\n", None),
        ('where: returns v2, Return window\n\n> 30 days\n> or > 40\n>\n> "in all"', '30 days\nor > 40\n\n"in all"'),
        ("quote:\n> | a | b |", "| a | b |"),
        ("- quote: 30 days", "30 days"),
        ("        - quote: 30 days", "30 days"),
        ('quote: "a\n  b\n\nc"', "a\n  b\n\nc"),
        ("quote: a\nb", "a\nb"),
        ("quote:\n```\na\n## b\nkind: c\n```", "a\n## b\nkind: c"),
        ("quote:\n\n~~~\n  a \n~~~", "  a "),
        ('quote:\n"a b"', "a b"),
        ("quote: | a | b: c |", "| a | b: c |"),
        ("quote: where: it stands", "where: it stands"),
        ("quote: 1\t2", "1\t2"),
        ('quote: "a\u2028b"', "a\u2028b"),
    ],
)
def test_quotes(tmp_path, written, quote):
    text = f"## How?\nwhere: returns v2, Return window\nanswer: y\n{written}\n\nkind: x\n"
    if quote is None:
        assert [line for line, _ in faults(tmp_path, text)] == [2]
    else:
        text = text.replace("where: returns v2, Return window\n", "", 1) if written.startswith("where") else text
        assert one(tmp_path, text).relevant[0].quote == quote


@pytest.mark.parametrize(
    ("heading", "text"),
    [
        ("## How long?", "How long?"),
        ("## How long? ##", "How long?"),
        ("### **How** long?", "How long?"),
        ("How long?\n---------", "How long?"),
        ("## What does List<String> mean in `code`?", "What does List<String> mean in code?"),
        ("## AT&amp;T, 50 % & C++: who's *it*", "AT&T, 50 % & C++: who's it"),
        ("## Does PW_2200_x fit?", "Does PW_2200_x fit?"),
        ("## kind: how is it?", "kind: how is it?"),
        ("##   How\tlong?", "How long?"),
        ("## How long? <!-- from Mei -->", "How long?"),
        ("## 1. How long?", "1. How long?"),  # alone it may mean anything
    ],
)
def test_headings(tmp_path, heading, text):
    assert one(tmp_path, f"# T\n\n{heading}\n\n{WHERE}").question == text


def test_the_text_may_stand_in_a_field_and_the_heading_is_the_id(tmp_path):
    question = one(tmp_path, f"## Q17\nquestion: How long may I keep it,\nand who pays?\n{WHERE}")
    assert (question.id, question.question) == ("Q17", "How long may I keep it, and who pays?")


@pytest.mark.parametrize(
    ("headings", "texts"),
    [
        (["1. How?", "2. Why 3?"], ["How?", "Why 3?"]), (["Q1: How?", "Question 2) Why?"], ["How?", "Why?"]),
        (["1. How?", "3. Why?"], ["1. How?", "3. Why?"]), (["1. How?", "Why?"], ["1. How?", "Why?"]), (["1.5 l?", "2.5 l?"],) * 2,
    ],
)  # fmt: skip
def test_numbers_before_questions(tmp_path, headings, texts):
    text = "# T\n\n## Group\n\n" + "".join(f"### {heading}\nkind: unanswerable <!-- sure -->\n\n" for heading in headings)
    assert [each.question for each in load(tmp_path, text)] == texts


def test_ids_from_the_order_and_of_ones_own(tmp_path):
    text = "".join(f"## Question {n}?\n{WHERE}" + ("id: mine\n" if n == 2 else "") for n in range(1, 4))
    assert [each.id for each in load(tmp_path, text)] == ["Q01", "mine", "Q03"]


def test_what_holds_for_all(tmp_path):
    text = f"""---
language: en
title: any
---
as_of: 2025-03-01

# Shop

## Returns
as_of: 2025-05-01
public: no

### One?
{WHERE}
### Two?
{WHERE}language: fr

## Other?
{WHERE}"""
    found = [(each.question, str(each.as_of), each.language, each.public_ok) for each in load(tmp_path, text)]
    assert found == [("One?", "2025-05-01", "en", False), ("Two?", "2025-05-01", "fr", False), ("Other?", "2025-03-01", "en", True)]


def test_defaults_without_an_inventory(tmp_path):
    question = one(tmp_path, f"## How?\n{WHERE}", inventory=None)
    assert (question.as_of, question.language, question.kind) == (date.today(), "unknown", "answerable")
    assert question.relevant[0].access == "staff" and not question.public_ok  # closed until somebody says otherwise


def test_defaults_from_the_inventory(tmp_path):
    question = one(tmp_path, f"## How?\n{WHERE}")
    assert (question.as_of, question.language) == (date(2025, 2, 1), "en")  # the newest document's first day; the document's language


def test_the_inventory_of_the_folder_above(tmp_path):
    (tmp_path / "questions").mkdir()
    folder(tmp_path, f"## How?\n{WHERE}", name="questions/mine.md")
    assert load_questions(tmp_path / "questions/mine.md")[0].relevant[0].access == "public"


def test_an_access_label_that_is_none_fails_closed(tmp_path):
    assert one(tmp_path, f"## How?\n{WHERE}", inventory=INVENTORY.replace("public", "Public")).relevant[0].access == "staff"


def test_one_where_with_two_quotes(tmp_path):
    assert [each.quote for each in one(tmp_path, f"## How?\n{WHERE}quote: beta\n").relevant] == ["30 days", "beta"]


# name: (text, [(line, words of its message)])
REFUSED = {
    "empty": ("", [(1, "is empty")]),
    "no heading": ("Just prose.\n", [(1, "holds no question yet")]),
    "a title alone": ("# Questions\n\nas_of: 2025-01-01\nProse.\n", [(1, "holds no question yet")]),
    "examples alone": ("# Q\n\n```\n## How?\n```\n", [(1, "holds no question yet")]),
    "no where": ("# T\n\n## How?\n\nanswer: yes\n", [(3, "Q01: has no gold yet")]),
    "nothing said": ("# T\n\n## How?\n\n## Why?\n\nkind: unanswerable\n", [(3, "Q01: has no gold yet")]),
    "prose alone": ("# T\n\n## How?\n\nI wonder.\n\n## Why?\nkind: unanswerable\n", [(3, "Q01: has no gold yet")]),
    "unanswerable, nearly": ("## How?\nkind: unanswerabel\n", [(2, "Q01: has no gold yet")]),
    "unanswerable, with a where": (f"## How?\nkind: unanswerable\n{WHERE}", [(3, "is unanswerable, and a where says")]),
    "where without quote": ("## How?\nanswer: x\nwhere: returns v2, A\nwhere: till, B\nquote: b\n",
        [(3, "no quote stands below this where")]),
    "quote before where": ("## How?\nanswer: x\nquote: b\nwhere: till, B\nquote: c\n", [(3, "a quote stands before its where")]),
    "empty quote": ('## How?\nanswer: x\nwhere: till, B\nquote: ""\n', [(4, "the quote is empty")]),
    "empty quote, no marks": ("## How?\nanswer: x\nwhere: till, B\nquote:\n\nkind: x\n", [(4, "the quote is empty")]),
    "the same quote twice": (f"## How?\n{WHERE}quote: 30 days\n", [(5, "this quote stands above already")]),
    "no answer": ("## How?\nwhere: till, B\nquote: b\n", [(1, "no answer is given")]),
    "empty answer": ("## How?\nwhere: till, B\nquote: b\nanswer:\n", [(4, "no answer is given")]),
    "a field twice": (f"## How?\n{WHERE}kind: a\nkind: b\n", [(6, "'kind' stands in line 5 already")]),
    "a field empty": (f"## How?\n{WHERE}kind:\n", [(5, "'kind' is empty")]),
    "misspelt field": (f"## How?\nqoute: x\n{WHERE}", [(2, "unknown field 'qoute' — did you mean 'quote'?")]),
    "unknown field": (f"## How?\ncolour: red\n{WHERE}", [(2, "unknown field 'colour' — the fields are id, question")]),
    "a field without a colon": (f"## How?\n{WHERE}\nkind table\n", [(6, "'kind table' is no field of a question")]),
    "prose below the fields": (f"## How?\n{WHERE}\nSee the ticket.\n", [(6, "'See the ticket.' is no field")]),
    "quotation mark open": ('## How?\nanswer: x\nwhere: till, B\nquote: "30 days\nkind: x\n', [(4, 'a quotation mark " opens here')]),
    "quotation mark closed too soon": ('## How?\nanswer: x\nwhere: till, B\nquote: "30" days\n', [(4, 'a quotation mark " opens here')]),
    "where empty": ("## How?\nanswer: x\nwhere:\nquote: b\n", [(3, "where names no document")]),
    "which version": ("## How?\nas_of: 2020-01-01\nanswer: x\nwhere: returns, A\nquote: b\n",
        [(4, "which version of returns? There are 1, 2, and none is in force on 2020-01-01")]),
    "another version than the file's": ("## How?\nanswer: x\nwhere: returns.v1.md v2, A\nquote: b\n",
        [(3, "returns.v1.md is version 1 of returns, not 2")]),
    "as_of odd": (f"## How?\n{WHERE}as_of: 03/04/2024\n", [(5, "as_of: '03/04/2024' is ambiguous")]),
    "as_of odd, for all, told once and hiding nothing": (
        f"# T\n\nas_of: soon\n\n## How?\n{WHERE}\n## Why?\n{WHERE}\n## Who?\nwhere: returns, A\n",
        [(3, "as_of: 'soon' is not a date"), (15, "no answer is given"), (16, "no quote stands below this where")],
    ),
    "public odd, for all": (
        f"# T\n\npublic: perhaps\n\n## How?\n{WHERE}\n## Why?\n{WHERE}", [(3, "public is 'perhaps'")],
    ),
    "as_of odd, for all": (f"# T\n\nas_of: soon\n\n## How?\n{WHERE}", [(3, "as_of: 'soon' is not a date")]),
    "a day, and a reader, that nobody knows": (
        f"## How?\n{WHERE}as_of: ?\npublic: ?\n", [(5, "as_of: '?' is not a date"), (6, "public is '?'")],
    ),
    "language odd": (f"## How?\n{WHERE}language: English\n", [(5, "language: 'English' is not a language tag")]),
    "id odd": (f"## How?\n{WHERE}id: Q 1\n", [(5, "id: 'Q 1' holds a space")]),
    "public odd": (f"## How?\n{WHERE}public: maybe\n", [(5, "public is 'maybe'")]),
    "wrong_version odd": (f"## How?\n{WHERE}wrong_version: returns\n", [(5, "wrong_version 'returns' names no edition")]),
    "the same id": (f"## How?\n{WHERE}id: Q02\n## Why?\n{WHERE}", [(6, "the id 'Q02' stands in line 1 already")]),
    "a field before all questions": (f"kind: table\n\n## How?\n{WHERE}", [(1, "'kind' stands before the first question")]),
    "an empty heading": (f"##\n{WHERE}", [(1, "the heading is empty")]),
    "a field of another language": ("## Wie?\nArt: unanswerable\n", [(2, "unknown field 'Art' — the fields are id")]),
    "no blank in the heading": (f"##How?\n{WHERE}\n", [(1, "'##How?' is no heading — put a blank"), (2, "'where' stands before"),
        (3, "'quote' stands before"), (4, "'answer' stands before")]),
    "no blank in a later heading": ("## How?\nkind: unanswerable\n\n###Why?\n", [(4, "'###Why?' is no heading — put a blank")]),
    "two faults": (f"## How?\nkind: table\n\n## Why?\nqind: x\n{WHERE}", [(1, "Q01: has no gold yet"), (5, "unknown field 'qind'")]),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_a_clear_word(tmp_path, name):
    text, expected = REFUSED[name]
    found = faults(tmp_path, text)
    assert [line for line, _ in found] == [line for line, _ in expected], "\n".join(text for _, text in found)
    for (line, words), (_, said) in zip(expected, found, strict=True):
        assert words in said and f"questions.md:{line}: " in said, said


def test_bytes_that_are_no_text(tmp_path):
    path = folder(tmp_path, "")
    path.write_bytes(f"## How?\n{WHERE}notes: é\n".encode("latin-1"))
    with pytest.raises(QuestionsError, match=r"questions\.md:5: not UTF-8"):
        load_questions(path)
    path.write_bytes(FULL.encode("utf-16"))
    with pytest.raises(QuestionsError, match="UTF-16"):
        load_questions(path)


def test_a_folder_means_both_of_its_files(tmp_path):
    folder(tmp_path, f"## How?\n{WHERE}")
    assert [each.id for each in load_questions(tmp_path)] == ["Q01"]
    record = {
        "id": "J1", "question": "Why?", "language": "en", "kind": "unanswerable", "as_of": "2025-01-01", "public_ok": True, "abstain": True,
        "reference_answer": "", "keys": [], "must_not": [], "relevant": [], "wrong_version": [], "tags": [], "notes": "",
    }  # fmt: skip
    (tmp_path / "questions.jsonl").write_text(json.dumps(record), encoding="utf-8")
    assert [each.id for each in load_questions(tmp_path)] == ["Q01", "J1"]
    (tmp_path / "questions.jsonl").write_text(json.dumps(record | {"id": "Q01"}), encoding="utf-8")
    with pytest.raises(QuestionsError, match=r"questions\.jsonl:1: the id 'Q01' stands in .*questions\.md:1 already"):
        load_questions(tmp_path)
    folder(tmp_path, "# Nothing yet\n")  # as `labkit new` lays it in: no fault, where the questions are next door
    assert [each.id for each in load_questions(tmp_path)] == ["Q01"]


def test_without_gold(tmp_path):
    path = folder(tmp_path, f"## How?\n\n## Why?\nas_of: 2025-01-01\n\n## Who?\n{WHERE}")
    found = load_questions(path, gold=False)
    assert [(each.id, bool(each.relevant), each.abstain) for each in found] == [("Q01", False, False), ("Q02", False, False),
                                                                                ("Q03", True, False)]  # fmt: skip


def test_the_commands_read_them(tmp_path, labkit, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [row for row in INVENTORY.splitlines() if "memo" not in row and "till" not in row.lower()]
    folder(tmp_path, f"# Q\n\n## How long may I keep it?\n{WHERE}", inventory="\n".join(rows) + "\n")
    (tmp_path / "documents").mkdir()
    for version in ("1", "2"):
        (tmp_path / f"documents/returns.v{version}.md").write_text("# R\n\n## Return window\n\nKeep it 30 days.\n", encoding="utf-8")
    for command, said in (("questions", "1 question: 1 with an answer"), ("eval", "hit@5 = 1.000")):
        code, out, _ = labkit(command, "--folder", ".")
        assert code == 0 and said in flat(out)


# --- laws -------------------------------------------------------------------------------------------------------------------------------

SHARED = settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
words = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=8)
# no mark of quotation, and no semicolon: those have a meaning of their own here, and are tested above
plain = words.filter(lambda word: not set(word) & set('"“”„«»;') and word.strip())
sentence = st.lists(plain, min_size=1, max_size=4).map(" ".join)


@SHARED
@given(st.lists(st.tuples(sentence, sentence, st.lists(sentence, max_size=2)), min_size=1, max_size=4))
def test_what_was_written_comes_back(tmp_path, written):
    text = ""
    for number, (quote, answer, keys) in enumerate(written):
        text += f'## Question {number}?\n\nanswer: "{answer}"\nwhere: returns v2, Return window\nquote: "{quote}"\n'
        text += f"keys: {'; '.join(keys)}\n\n" if keys else "\n"
    for (quote, answer, keys), found in zip(written, load(tmp_path, text), strict=True):
        assert (found.relevant[0].quote, found.reference_answer) == (quote, answer)
        assert list(found.keys) == keys


lines = st.sampled_from([
    "# T", "## How?", "### Why?", "kind: unanswerable", "kind: x", "answer: a", "where: returns v2, A", "where:", "quote: b", 'quote: "b',
    'c"', "```", "<!--", "-->", "---", "- item", "keys:", "keys: a; b", "as_of: 2025-01-01", "as_of: x", "prose", "", "> quote",
    "| a | b |", "    code", "id: Q01", "quote:", "wrong_version: returns v1", "public: no", "How?\n===",
    "\ufeff", "\x0c## F", "question: q", "*", "1. kind: x",
])  # fmt: skip


@SHARED
@given(st.lists(lines, max_size=25), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
def test_whatever_the_lines_only_a_questions_error_is_raised(tmp_path, several, end, gold):
    text = end.join(several)
    path = folder(tmp_path, text)
    count = len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    try:
        questions = load_questions(path, gold=gold)
    except QuestionsError as error:
        assert error.faults and all(1 <= fault.line <= count for fault in error.faults)
    else:
        assert questions and all(isinstance(question, Question) for question in questions)
        assert len({question.id for question in questions}) == len(questions)
        assert all(question.relevant or question.abstain or not gold for question in questions)


# --- what is written about it -------------------------------------------------------------------------------------------------------------

ROOT = Path(__file__).resolve().parent.parent


def test_the_examples_in_the_documentation_load(tmp_path):
    page = (ROOT / "docs/bringing-in.md").read_text("utf-8")
    for text in (page, labkit.questions_markdown.__doc__):
        example = textwrap.dedent(re.search(r"^    # Questions about.*?(?=^\S)", text, re.MULTILINE | re.DOTALL)[0])
        first, second = load(tmp_path, example)
        assert (first.as_of, first.relevant[0].version, first.relevant[0].section) == (date(2026, 12, 1), "3", "Return window")
        assert second.abstain


def test_each_field_stands_in_the_documentation():
    page = (ROOT / "docs/bringing-in.md").read_text("utf-8")
    rows = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", page, re.MULTILINE))))
    assert set(labkit.questions_markdown.FIELDS) <= rows
