"""labkit validate: every fault first, then advice that is measured; each piece of it can be had, and can be got rid of."""

import json
import re
import shutil
from dataclasses import asdict
from pathlib import Path

import pytest
from command_line import flat
from evaluation_cases import question
from hypothesis import given
from hypothesis import strategies as st
from judged_folders import folder_with
from parsed_documents import parsed_markdown

from labkit import load_questions
from labkit.evaluation.power import questions_needed, smallest_difference
from labkit.own.advice import advise
from labkit.own.examining import examine
from labkit.own.judgements import COLUMNS, digest_of
from labkit.own.measuring import _longest_run, gold_places, has_code_or_name, same_documents, same_questions, tells, wording
from labkit.own.pooling import Pieces
from labkit.retrieval.keyword import words

HEADER = ",".join(COLUMNS)
ROOT = Path(__file__).resolve().parent.parent
LONG = "# Handbook\n\n" + "\n\n".join(
    f"## Part {n}\n\n" + " ".join(f"Sentence {m} of part {n} speaks of topic{n}x{m} and of nothing else at all." for m in range(12))
    for n in range(20)
)
TABLE = "# Rates\n\n## Costs\n\n| place | cost | days |\n|---|---|---|\n| Laval | 5 dollars | two |\n| Gatineau | 9 dollars | three |\n"


def asked(text, where=None, quote="", **more):
    """One question in Markdown."""
    lines = [f"## {text}", ""]
    lines += [f"where: {where}", f'quote: "{quote}"', "answer: so"] if where else []
    return "\n".join(lines + [f"{name}: {value}" for name, value in more.items()]) + "\n\n"


NONE = "".join(asked(f"Do you sell boats of kind {n}?", kind="unanswerable") for n in "abc")
LINES = [f"Sentence {m} of part {n} speaks of topic{n}x{m} and of nothing else at all." for n in range(20) for m in range(12)]
LONG_ONES = "".join(asked(f"Nobody knows Ann-{n}00 topic{n}x{n}?", f"handbook, Part {n}", LINES[13 * n]) for n in range(9))


def advice_on(folder):
    held, faults = examine(folder)
    assert [str(fault) for fault in faults if fault.level == "error"] == []
    given = advise(held)
    return {each.kind: each for each in given.advice}, given.measured


# --- what so many questions can show ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "says"), [(0, "nothing can be scored"), (1, "no difference at all"), (5, "no difference at all"),
                                         (6, "about 100 points"), (15, "about 40 points"), (60, "about 10 points")])  # fmt: skip
def test_power(tmp_path, n, says):
    questions = "".join(asked(f"Item {m}?", f"handbook, Part {m // 12}", LINES[m]) for m in range(n))
    found, measured = advice_on(folder_with(tmp_path / "f", {"handbook": LONG}, questions + NONE))
    assert says in found["power"].what and measured["power"]["n"] == n == measured["questions"]["scored"]
    if n:
        ten, five = questions_needed(0.10, 0.15), questions_needed(0.05, 0.15)
        assert f"about {ten} to see 10 points and about {five} to see 5" in found["power"].todo
    if n >= 6:
        assert measured["power"]["sees_points"] == pytest.approx(100 * smallest_difference(n))


# --- each piece of advice, had and got rid of ---------------------------------------------------------------------------

RETURNS = "# Returns\n\n## Window\n\nSend the kettle back within thirty days of delivery.\n"
OTHER = "# Other\n\n## Window\n\nWe repeat: Send the kettle back within thirty days of delivery. It holds here too.\n"
THIRTY = "Send the kettle back within thirty days of delivery."
KETTLE = asked("May I bring home goods again?", "returns, Window", THIRTY)
COPIED = asked("Must I send the kettle back within thirty days of delivery?", "returns, Window", THIRTY)
LAVAL = asked("What does Laval cost?", "rates, Costs", "| Laval | 5 dollars | two |", kind="table")
TWO_VERSIONS = {"new": {"doc_id": "returns", "version": "2", "effective_from": "2025-01-01"},
                "old": {"doc_id": "returns", "effective_to": "2024-12-31"}}  # fmt: skip

CASES = [
    ("unanswerable", {"returns": RETURNS}, KETTLE + asked("Boats?", kind="unanswerable"), {"returns": RETURNS}, KETTLE + NONE),
    ("table", {"returns": RETURNS, "rates": TABLE}, KETTLE, {"returns": RETURNS, "rates": TABLE}, KETTLE + LAVAL),
    ("table-kind", {"returns": RETURNS}, KETTLE.replace("answer:", "kind: table\nanswer:"), {"rates": TABLE}, LAVAL),
    ("code", {"returns": RETURNS}, KETTLE, {"rates": TABLE},
     LAVAL + asked("Is PW-2200 in it?", "rates, Costs", "| Gatineau | 9 dollars | three |")),
    ("rank-1", {"returns": RETURNS, "rates": TABLE}, COPIED, {"returns": RETURNS, "rates": TABLE},
     asked("Gatineau dollars days: cost?", "returns, Window", THIRTY)),
    ("not-found", {"returns": RETURNS}, asked("Zzz?", "returns, Window", "thirty days"), {"returns": RETURNS}, COPIED),
    ("wording", {"returns": RETURNS}, COPIED, {"returns": RETURNS}, KETTLE),
    ("duplicate", {"returns": RETURNS}, KETTLE + KETTLE.replace("home goods", "goods home"), {"returns": RETURNS}, KETTLE),
    ("same-place", {"returns": RETURNS}, KETTLE + COPIED + asked("Parcel?", "returns, Window", THIRTY),
     {"returns": RETURNS}, KETTLE + COPIED),
    ("elsewhere", {"returns": RETURNS, "other": OTHER}, COPIED, {"returns": RETURNS, "other": OTHER},
     COPIED.replace("answer:", f'where: other, Window\nquote: "{THIRTY}"\nanswer:')),
    ("short-documents", {"returns": RETURNS}, KETTLE, {"handbook": LONG}, LONG_ONES),
    ("duplicate-documents", {"returns": RETURNS, "again": RETURNS.replace("\n", "\r\n")}, KETTLE,
     {"returns": RETURNS, "other": OTHER}, KETTLE),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "documents", "questions", "other_documents", "other_questions"), CASES, ids=[row[0] for row in CASES])
def test_had_and_got_rid_of(tmp_path, kind, documents, questions, other_documents, other_questions):
    found, _ = advice_on(folder_with(tmp_path / "a", documents, questions))
    assert kind in found and any(each.isdigit() for each in found[kind].what)
    assert found[kind].todo and not found[kind].todo.endswith(".")
    assert kind not in advice_on(folder_with(tmp_path / "b", other_documents, other_questions))[0]


def test_versions(tmp_path):
    documents = {"new": RETURNS.replace("thirty", "sixty"), "old": RETURNS}
    old = "where: returns v1, Window\n" + 'quote: "Send the kettle back within thirty days of delivery."\nanswer: so\n\n'
    folder = folder_with(tmp_path / "a", documents, "## May I?\n\n" + old, rows=TWO_VERSIONS)
    found, measured = advice_on(folder)
    assert "1 has several versions and 1 an end date" in found["version"].what and measured["versions"]["questions"] == []
    two = "".join(f"## May I, {n}?\n\nkind: version\nas_of: 2024-05-05\n" + old for n in "ab")
    assert "version" not in advice_on(folder_with(tmp_path / "b", documents, two, rows=TWO_VERSIONS))[0]
    assert "version" not in advice_on(folder_with(tmp_path / "c", {"returns": RETURNS}, KETTLE))[0]  # nothing to ask about


def test_the_numbers_are_those_of_the_folder(tmp_path):
    folder = folder_with(tmp_path / "a", {"returns": RETURNS, "rates": TABLE, "handbook": LONG}, KETTLE + COPIED + LAVAL + LONG_ONES)
    found, measured = advice_on(folder)
    assert measured["cuts"] | {"median_words": 0} == {
        "documents": 3, "whole": 2, "median_words": 0, "scored": 12, "can_differ": 9, "chunkers": ["structure", "fixed", "overlapping"],
    }  # fmt: skip
    assert "2 of 3 documents are left in one piece" in found["short-documents"].what and "9 of 12" in found["short-documents"].what
    assert measured["tables"] == {"questions": ["Q03"], "documents": 1, "read": 3}
    assert measured["wording"]["n"] == 12 and measured["wording"]["questions"][:2] == [
        {"id": "Q01", "telling": 4, "shared": 0, "run": 0, "share": 0.0},
        {"id": "Q02", "telling": 8, "shared": 7, "run": 9, "share": 0.875},
    ]
    assert measured["ranks"]["n"] == 12 and set(measured["ranks"]["rank_1"]) == {"structure", "fixed", "overlapping"}
    assert measured["unread"] == [] and measured["elsewhere"] == [] and measured["places"] == {"quotes": 12, "different": 11}


def test_what_cannot_be_read_is_told(tmp_path):
    rows = {"scan": {"format": "pdf", "file": "documents/scan.pdf"}}
    folder = folder_with(tmp_path / "a", {"returns": RETURNS, "scan": "x"}, KETTLE, rows=rows)
    shutil.move(folder / "documents/scan.md", folder / "documents/scan.pdf")
    held, _ = examine(folder)
    given = {each.kind: each for each in advise(held).advice}
    assert "scan.pdf" in str(given["unread"]) and "power" in given


def test_a_chunker_that_fails_is_no_document_that_cannot_be_read(tmp_path):
    settings = '[[chunkers]]\nuse = "fixed"\nsize = 50\n[[chunkers]]\nuse = "mine:cut"\n'
    folder = folder_with(tmp_path / "a: b", {"returns": RETURNS, "hours": "# Hours\n\nNine to five.\n"}, KETTLE, settings)
    code = "from labkit import fixed\n\n\ndef cut(parsed):\n    return 1 / 0 if parsed.doc_id == 'hours' else fixed(parsed)\n"
    (folder / "mine.py").write_text(code, "utf-8")
    found, measured = advice_on(folder)
    assert "unread" not in found and measured["unread"] == []
    assert found["uncut"].what == "A chunker of your own fails on 1 document"
    assert found["uncut"].about[0].startswith("documents/hours.md: mine:cut: failed with ZeroDivisionError")


# --- measures -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("Which kit fits the PW-2200?", True), ("what of error 0x80?", True), ("does the HT-550 …", True), ("I ask Grace", True),
        ("Was kostet das?", False), ("How long is it?", False), ("am I late? Can you help?", False), ("in 2024?", False), ("", False),
        ("is it 20.04 or 5 %?", False), ("Où est l’Office?", False), ("«Was ist das?»", False),
    ],
)  # fmt: skip
def test_codes_and_names(text, held):
    assert has_code_or_name(text) is held


@given(st.lists(st.sampled_from("abcd"), max_size=12), st.lists(st.sampled_from("abcd"), max_size=12))
def test_the_longest_run_by_another_way(one, other):
    runs = [
        len(one[start:end]) for start in range(len(one)) for end in range(start + 1, len(one) + 1)
        if any(other[at : at + end - start] == one[start:end] for at in range(len(other)))
    ]  # fmt: skip
    assert _longest_run(one, other) == max(runs, default=0)


def test_wording_takes_the_closest_place():
    parsed = parsed_markdown("# T\n\n## A\n\nKettles boil.\n\n## B\n\nThe kettle goes back within thirty days.\n", doc_id="guide")
    asked_ = question("Q", ("guide", "A"), ("guide", "B"), text="Within thirty days the kettle?")
    entries = [("guide", "A", "Kettles boil."), ("guide", "B", "thirty days")]
    from dataclasses import replace

    from labkit.questions import Relevant

    asked_ = replace(asked_, relevant=tuple(Relevant(d, "1", s, "public", q) for d, s, q in entries))
    editions = {("guide", "1"): parsed}
    (found,) = wording([asked_], gold_places([asked_], editions), Pieces(editions))
    assert (found.telling, found.shared, found.run, found.share) == (4, 4, 3, 1.0)
    assert [tells(word) for word in words("the kettle of PW 22")] == [False, True, False, False, True]


def test_questions_that_ask_the_same():
    same = [
        question("A", ("guide", "Use"), text="How long may I keep it?"), question("B", ("guide", "Use"), text="how LONG, may I keep it"),
        question("C", ("guide", "Use"), text="How long may I keep it then?"),
        question("D", ("guide", "Other"), text="How long may I keep it now?"),
        question("E", text="?"), question("F", text="!"), question("G", ("pw", "Use"), text="How long may I keep the PW-2200?"),
        question("H", ("pw", "Use"), text="How long may I keep the PW-2400?"),
    ]  # fmt: skip
    assert same_questions(same) == [("A", "B", "C")]
    assert same_questions([]) == [] and same_questions(same[:1]) == []


def test_a_thousand_questions_are_compared_quickly():
    many = [question(f"Q{n}", ("guide", f"S{n % 50}"), text=f"How long may I keep item {n} of shelf {n % 7}?") for n in range(1000)]
    assert same_questions(many) == []


def test_documents_that_hold_the_same_words():
    def edition(doc_id, text):
        return (doc_id, "1"), parsed_markdown(text, doc_id=doc_id)

    texts = {"a": "# T\n\nOne two.", "b": "# T\r\n\r\nOne   two.", "c": "# T\n\nTwo one.", "d": "", "e": ""}
    editions = dict(edition(*each) for each in texts.items())
    assert same_documents(editions) == [("a@v1", "b@v1")]


# --- the command ----------------------------------------------------------------------------------------------------------


def test_help(labkit):
    code, out, err = labkit("validate", "--help")
    assert (code, err) == (0, "") and "Example: labkit validate" in flat(out) and "--json" in out


def test_a_good_set_gets_little_advice(labkit, tmp_path):
    """The course's own questions: made with care, so nothing but the number of questions is left to say."""
    folder = tmp_path / "larkfield"
    shutil.copytree(ROOT / "corpus/larkfield", folder)
    shutil.copy(ROOT / "questions/larkfield.jsonl", folder / "questions.jsonl")
    code, out, err = labkit("validate", folder, "--json")
    data = json.loads(out)
    assert (code, err) == (0, "") and [each["kind"] for each in data["advice"]] == ["power"] and data["faults"] == []
    assert data["measured"]["questions"]["unanswerable"] == 8 and data["measured"]["tables"]["documents"] > 0


def test_every_fault_then_advice(labkit, tmp_path):
    questions = KETTLE + "## No gold yet?\n\n" + asked("Wrong?", "returns, Nowhere", "none")
    folder = folder_with(tmp_path / "a b", {"returns": RETURNS}, questions)
    (folder / "judgements.csv").write_text(f"{HEADER}\nx\n", "utf-8")
    (folder / "labkit.toml").write_text("k = 0\nstemm = true\n", "utf-8")
    (folder / "documents/new.md").write_text("# New\n", "utf-8")
    code, out, err = labkit("validate", folder)
    assert code == 1
    for said in ("labkit.toml:1: k", "labkit.toml:2: unknown setting 'stemm'", "questions.md:7: Q02: has no gold yet", "Nowhere",
                 "judgements.csv:2", "new.md: is not in the inventory", "(a warning)"):  # fmt: skip
        assert said in err
    assert "Mend the faults first" in out and "1 scored question" not in err and "can show" in flat(out)
    code, out, _ = labkit("validate", folder, "--json")
    data = json.loads(out)
    assert code == 1 and len(data["faults"]) == 5 and len(data["warnings"]) == 1
    assert {"file", "line", "what", "todo", "level"} == set(data["faults"][0])
    assert data["advice"][0]["kind"] == "power"


@pytest.mark.parametrize(
    ("row", "told", "strange"),
    [
        ("documents/aside.md,aside,A,1,2024-01-01,,unknown,secret,en,unknown,md", "unknown access label 'secret'", True),
        ("documents/gone.md,aside,A,1,2024-01-01,,unknown,staff,en,unknown,md", "no such file", True),
        ("documents/aside.md,aside,A,1,2024-02-30,,unknown,staff,en,unknown,md", "effective_from", True),
        ("documents/aside.md,returns,A,1,2024-01-01,,unknown,staff,en,unknown,md", "already", True),
        ("documents/aside.md,aside,A,1", "fields", False),  # it might name any document: then nobody is called unknown
    ],
)  # fmt: skip
def test_a_fault_of_the_inventory_hides_none_of_the_questions(tmp_path, row, told, strange):
    questions = (
        asked("Wrong?", "hours, Hours", "stands nowhere") + asked("Which?", "nobody, Part", "x") + asked("Aside?", "aside, Part", "x")
        + asked("Returns?", "returns, Window", THIRTY)
    )  # fmt: skip
    hours = "# Hours\n\n## Hours\n\nFrom nine to five.\n"
    folder = folder_with(tmp_path / "f", {"returns": RETURNS, "hours": hours, "aside": "# Aside\n\n## Part\n\nText.\n"}, questions)
    lines = (folder / "inventory.csv").read_text("utf-8").splitlines()
    kept = [line for line in lines if not line.startswith("documents/aside")]
    (folder / "inventory.csv").write_text("\n".join([*kept, row]) + "\n", "utf-8")
    held, faults = examine(folder)
    said = [str(fault) for fault in faults if fault.level == "error"]
    assert any(told in each for each in said) and any("Q01" in each and "stands nowhere" in each for each in said)
    assert any("Q02" in each and "there is no document 'nobody'" in each for each in said) == strange
    assert not any("Q03" in each or "Q04" in each for each in said)  # what is wrong there is the row
    assert "hours" in {each.doc_id for each in held.documents} and "aside" not in {each.doc_id for each in held.documents}


@pytest.mark.parametrize("jsonl", [False, True])
def test_a_fault_of_one_question_hides_none_of_the_others(tmp_path, jsonl):
    wrong = asked("Wrong?", "returns, Window", "stands nowhere")
    if jsonl:
        folder = folder_with(tmp_path / "f", {"returns": RETURNS}, wrong)
        record = json.loads(json.dumps(asdict(load_questions(folder / "questions.md")[0]), default=str))
        lines = [{name: value for name, value in record.items() if name not in ("file", "line")} | {"id": id_} for id_ in ("A", "B", "A")]
        lines[1]["public_ok"] = "perhaps"
        for line in lines:
            for entry in line["relevant"]:
                for name in [name for name, value in entry.items() if value is None]:
                    del entry[name]
        (folder / "questions.md").unlink()
        (folder / "questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        expected = [(1, "stands nowhere"), (2, "public_ok"), (3, "'A' stands in line 1 already")]
    else:
        folder = folder_with(tmp_path / "f", {"returns": RETURNS}, wrong + asked("No quote?") + "where: returns, Window\nanswer: so\n")
        expected = [(1, "stands nowhere"), (10, "no quote stands below this where")]
    held, faults = examine(folder)
    assert [fault.line for fault in faults] == [line for line, _ in expected]
    assert all(said in str(fault) for fault, (_, said) in zip(faults, expected, strict=True))
    assert [each.id for each in held.questions] == (["A"] if jsonl else ["Q01"])


@pytest.mark.parametrize(
    ("name", "says"),
    [("nowhere", "no folder"), ("inventory.csv", "is a file")],
)
def test_no_folder(labkit, tmp_path, name, says):
    folder_with(tmp_path / "a", {"returns": RETURNS}, KETTLE)
    code, _, err = labkit("validate", tmp_path / "a" / name)
    assert code == 1 and says in err and "Traceback" not in err
    assert labkit("validate")[0] == 2 and labkit("validate", tmp_path / "a", "--jsn")[0] == 2


def test_an_empty_folder_and_one_without_questions(labkit, tmp_path):
    (tmp_path / "empty").mkdir()
    code, _, err = labkit("validate", tmp_path / "empty")
    assert code == 1 and "inventory.csv" in err and "there are no questions" in err
    folder = folder_with(tmp_path / "a", {"returns": RETURNS}, KETTLE)
    (folder / "questions.md").unlink()
    assert labkit("validate", folder)[0] == 1


def test_a_document_that_cannot_be_read_is_a_fault_of_its_row(labkit, tmp_path):
    """Where no question has its answer there it stands in nobody's way, and is a warning."""
    names = {"returns": RETURNS, "scan": "no PDF", "torn": "%PDF-1.7 torn", "void": " ", "latin": "x"}
    rows = {name: {"format": "pdf", "file": f"documents/{name}.pdf"} for name in ("scan", "torn", "void")}
    folder = folder_with(tmp_path / "a", names, KETTLE + asked("Is it torn?", "torn, Part", "stands nowhere"), rows=rows)
    for name in rows:
        shutil.move(folder / f"documents/{name}.md", folder / f"documents/{name}.pdf")
    (folder / "documents/latin.md").write_bytes("# Été\n".encode("latin-1"))
    told = ["inventory.csv:4: documents/torn.pdf: ends too early (it was cut off, perhaps while copying), and Q02 has its answer there",
            "inventory.csv:5: documents/void.pdf: the file is empty", "inventory.csv:6: documents/latin.md: byte 3",
            "inventory.csv:3: documents/scan.pdf: is not a PDF"]  # fmt: skip
    for quick, wanted in (([], told), (["--quick"], told[:-1])):  # what a question names is read in any case
        code, _, err = labkit("validate", folder, *quick)
        said = err.splitlines()
        assert code == 1 and len(said) == len(wanted) and all(each in line for each, line in zip(wanted, said, strict=True)), err
        assert [line for line in said if "(a warning)" in line] == [line for line in said if "scan.pdf" in line]
    (folder / "questions.md").write_text("# None yet\n", "utf-8")
    assert "scan.pdf: is not a PDF" in labkit("validate", folder)[2]


def test_what_one_language_leaves_out_unmeant_is_told(labkit, tmp_path):
    """A question without gold has no document to take its language from."""
    questions = "## Vend-on une garantie ?\n\n## Et la lune ?\n\nkind: unanswerable\n\n## Thirty days?\n\nlanguage: en\n"
    rows = {"aide": {"language": "fr"}, "hours": {"language": "unknown"}}
    documents = {"aide": "# Aide\n\nAucune garantie n’est vendue.\n", "hours": "# 9–17\n", "returns": RETURNS}
    folder = folder_with(tmp_path / "a", documents, questions, '# mine\nlanguage = "fr"\n', rows)
    code, out, err = labkit("validate", folder)
    assert code == 0 and "0 questions: 0 faults, 2 warnings" in flat(out)
    assert 'labkit.toml:2: language = "fr" leaves out 1 document whose language is unknown (documents/hours.md)' in err
    assert 'labkit.toml:2: language = "fr" leaves out 2 questions whose language is unknown (Q01, Q02)' in err
    code, out, err = labkit("label", folder)
    how = "write `language: fr` below those that are in it, or, above them all, once"
    assert code == 0 and "No other question waits" in out and f"nobody knows that of Q01: left out — {how}" in flat(err)
    (folder / "questions.md").write_text(f"language: fr\n\n{questions}", "utf-8")
    code, out, err = labkit("validate", folder)
    assert code == 1 and "2 questions: 1 fault, 1 warning" in flat(out) and "Q01: has no gold yet" in err
    assert "1 question, " in labkit("label", folder)[1]
    (folder / "labkit.toml").unlink()
    assert "leaves out" not in labkit("validate", folder)[2]


def test_each_question_file_has_its_own_way_to_say_a_language(labkit, tmp_path):
    record = {"id": "J1", "question": "Et la lune ?", "language": "unknown", "kind": "unanswerable", "as_of": "2026-01-01",
              "public_ok": True, "abstain": True, "reference_answer": "—", "keys": [], "must_not": [], "relevant": [],
              "wrong_version": [], "tags": [], "notes": ""}  # fmt: skip
    folder = folder_with(tmp_path / "a", {"returns": RETURNS}, "## Vend-on une garantie ?\n", 'language = "fr"\n')
    (folder / "questions.jsonl").write_text(json.dumps(record) + "\n", "utf-8")
    above, inside = "write `language: fr` below those that are in it", 'write `"language": "fr"` into the lines of those that are in it'
    for files, ways in ((["questions.md", "questions.jsonl"], (above, inside)), (["questions.jsonl"], (inside,))):
        (folder / "labkit.toml").write_text(f'language = "fr"\nquestions = {json.dumps(files)}\n', "utf-8")
        code, out, err = labkit("validate", folder)
        assert code == 0 and [way for way in (above, inside) if way in flat(err)] == list(ways)
        assert "No question is in the language 'fr', the one that labkit.toml asks for" in flat(out)


def test_quick_reads_only_what_questions_name(labkit, tmp_path):
    folder = folder_with(tmp_path / "a", {"returns": RETURNS, "rates": TABLE, "handbook": LONG}, KETTLE)
    data = json.loads(labkit("validate", folder, "--quick", "--json")[1])
    assert "ranks" not in data["measured"] and data["measured"]["tables"]["read"] == 1 and data["measured"]["wording"]["n"] == 1


def test_judgements_of_a_question_that_is_gone(labkit, tmp_path):
    folder = folder_with(tmp_path / "a", {"returns": RETURNS}, KETTLE)
    (folder / "judgements.csv").write_text(f"{HEADER}\nMei,Q77,ba9876543210,returns,1,0,9,no,,,0123456789ab\n", "utf-8")
    code, _, err = labkit("validate", folder)
    assert code == 0 and "judgements.csv:2: judges Q77" in err


def test_judgements_on_a_text_that_changed(tmp_path):
    folder = folder_with(tmp_path / "a", {"returns": RETURNS}, KETTLE)
    asked_ = digest_of("May I bring home goods again?")
    rows = [f"Mei,Q01,{asked_},returns,1,{place},no,,,{digest_of(text)}\n" for place, text in (("0,9", "# Returns"), ("11,20", "other"))]
    (folder / "judgements.csv").write_text(f"{HEADER}\n{''.join(rows)}", "utf-8")
    found, measured = advice_on(folder)
    assert measured["judgements"] == {"n": 2, "stale": 1, "judges": ["Mei"]} and found["stale"].about == ("Q01",)


def test_one_language_alone_without_headings_in_deep_folders(labkit, tmp_path):
    text = "Les colis sont livrés en trois jours. L’avis d’Adèle reste affiché.\n\nAucune garantie n’est vendue à l’achat.\n"
    name = "été/à côté/règles d’été"
    rows = {"règles": {"file": f"documents/{name}.md", "language": "fr"}}
    questions = asked("Quand arrive mon paquet?", "règles", "Les colis sont livrés en trois jours.")
    made = folder_with(tmp_path / "dossier é", {"règles": text}, questions, rows=rows)
    (made / "documents/été/à côté").mkdir(parents=True)
    shutil.move(made / "documents/règles.md", made / f"documents/{name}.md")
    code, out, err = labkit("validate", made)
    assert (code, err) == (0, "") and "can show no difference" in flat(out)


def test_the_page_on_advice_names_every_kind_of_it():
    source = (ROOT / "labkit/own/advice.py").read_text("utf-8")
    kinds = set(re.findall(r'Advice\("([a-z0-9-]+)"', source))
    page = (ROOT / "docs/judging.md").read_text("utf-8")
    assert len(kinds) > 12 and not [kind for kind in kinds if f"`{kind}`" not in page]
    ten, five = questions_needed(0.10, 0.15), questions_needed(0.05, 0.15)
    assert f"about {ten} questions, to see 5 about {five}" in page
