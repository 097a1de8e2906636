"""labkit label: one key a passage, nothing lost, nothing given away; agreement and gold, as a person or a script meets them."""

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from command_line import flat
from judged_folders import DOCUMENTS, QUESTIONS, folder_with

from labkit.collection import load_inventory
from labkit.errors import LabError
from labkit.evaluation.attribution import stage_of
from labkit.own import judging
from labkit.own.desk import lay_out
from labkit.own.examining import examine, load_held
from labkit.own.judged_gold import gold_of, write_gold
from labkit.own.judgements import Judgement, digest_of, read_judgements
from labkit.own.judging import Session, meant, round_of
from labkit.own.pooling import Pieces
from labkit.own.statements import statements
from labkit.parsing.reading import parse
from labkit.questions import load_questions
from labkit.validation import check_questions


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return folder_with(tmp_path / "a shop")


class Given:
    """Keys, one after the other, and then the end."""

    def __init__(self, *keys):
        self.keys = list(keys)

    def key(self, prompt):
        return self.keys.pop(0) if self.keys else None

    line = key


def session(folder, *keys, judge="1", shown=None):
    held = load_held(folder)
    desk = lay_out(folder, held.documents, held.settings)
    return Session(
        held.without_gold, judge=judge, file=folder / "judgements.csv", judgements=held.judgements, editions=desk.editions,
        rankings=desk.rankings, keys=Given(*keys), show=(shown if shown is not None else []).append,
    )  # fmt: skip


def grades(folder):
    return [(each.judge, each.question, each.doc_id, each.grade) for each in read_judgements(folder / "judgements.csv")]


# --- a session --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "word"),
    [("r", "relevant"), ("R", "relevant"), (" p ", "partly"), ("no", "no"), ("Unsure", "unsure"), ("b", "back"), ("quit", "quit"),
     ("s", "say where"), ("", None), ("x", None), ("rr", None), ("\x1b[A", None)],
)  # fmt: skip
def test_keys(given, word):
    assert meant(given) == word


def test_each_judgement_is_saved_before_the_next_passage_is_shown(shop):
    seen = []

    class Watching(Given):
        def key(self, prompt):
            seen.append(len(grades(shop)))
            return super().key(prompt)

    made = session(shop)
    made._keys = Watching("r", "n", "p", "u", "n", "q")
    outcome = made.run()
    assert seen == [0, 1, 2, 3, 4, 5] and outcome.judged == 5 and not outcome.finished
    assert [grade for *_, grade in grades(shop)] == ["relevant", "no", "partly", "unsure", "no"]


def test_it_goes_on_where_it_stopped(shop):
    whole = []
    session(shop, *"n" * 20, judge="all", shown=whole).run()
    asked = len(grades(shop))
    for _ in range(asked):
        outcome = session(shop, "r", "q").run()
        assert outcome.judged == 1 or outcome.finished
    assert session(shop, "r").run().finished and session(shop).run().judged == 0
    one, other = ([each.place for each in read_judgements(shop / "judgements.csv") if each.judge == judge] for judge in ("all", "1"))
    assert one == other  # the same passages in the same order


def test_back_takes_a_judgement_back_even_one_of_an_earlier_question(shop):
    shown = []
    first = len(round_of_first(shop).candidates)
    keys = ["n"] * first + ["b", "r", "q"]
    session(shop, *keys, shown=shown).run()
    said = grades(shop)
    assert len(said) == first + 1 and said[-1][1] == "Q01" and said[-1][3] == "relevant"
    assert any("You said: no." in text for text in shown)
    shown = []
    session(shop, "b", "b", "b", "b", "b", "b", "q", shown=shown).run()
    assert any("first passage" in text for text in shown) and len(grades(shop)) == first + 1


def round_of_first(folder):
    held = load_held(folder)
    desk = lay_out(folder, held.documents, held.settings)
    asked = held.without_gold[0]
    return round_of(asked, desk.rankings(asked), held.judgements, Pieces(desk.editions))


def test_nothing_shown_tells_a_search_from_another(shop):
    shown = []
    session(shop, *"n" * 20, shown=shown).run()
    text = "\n".join(shown)
    for name in ("structure", "fixed", "overlapping", "keyword", "rank", "score", "chunk"):
        assert name not in text.lower()
    assert re.search(r"Question 1 of 2 \(Q01\): How long can I keep the kettle\?", text) and "Return window" in text


def test_a_question_or_a_text_that_changed_is_asked_for_again(shop):
    session(shop, *"n" * 20).run()
    assert session(shop).run().finished
    (shop / "questions.md").write_text(QUESTIONS.replace("keep the kettle", "keep this kettle"), "utf-8")
    again = session(shop, *"r" * 20).run()
    assert again.judged and {question for _, question, _, grade in grades(shop) if grade == "relevant"} == {"Q01"}
    file = shop / "documents/hours.md"
    file.write_text(file.read_text("utf-8").replace("ten", "eleven"), "utf-8")
    shown = []
    assert session(shop, *"p" * 20, shown=shown).run().judged > 0
    assert {doc_id for _, _, doc_id, grade in grades(shop) if grade == "partly"} == {"hours"}
    assert "eleven" in "\n".join(shown) and "\n".join(shown).count("Passage") == sum(grade == "partly" for *_, grade in grades(shop))


def test_a_question_put_in_front_takes_no_judgement_away(shop):
    session(shop, *"n" * 20).run()
    before = len(grades(shop))
    (shop / "questions.md").write_text(QUESTIONS.replace("# Mine\n", "# Mine\n\n## Is there a garantie?\n"), "utf-8")
    shown = []
    session(shop, *"r" * 20, shown=shown).run()
    assert {question for _, question, _, grade in grades(shop)[before:]} == {"Q01"} and "garantie" in "\n".join(shown)
    assert "the kettle?" not in "\n".join(shown)


def test_say_where(shop):
    shown = []
    place = next(number for number, each in enumerate(round_of_first(shop).candidates) if "## Return window" in each.text)
    session(shop, *["n"] * place, "s", "7", "0", "x", "2-1", "2", "q", shown=shown).run()
    found = read_judgements(shop / "judgements.csv")[-1]
    text = parse(load_inventory(shop)[0]).text
    assert found.grade == "relevant" and text[slice(*found.answer)] == "The parcel must be tracked."
    assert "1: You may send a kettle back within thirty days of delivery." in shown
    assert sum("is not among them" in each for each in shown) == 4


@pytest.mark.parametrize("line", ["", "  "])
def test_say_where_can_be_called_off(shop, line):
    session(shop, "s", line, "n", "q").run()
    assert [grade for *_, grade in grades(shop)] == ["no"]


def test_sentences_rows_and_items():
    from parsed_documents import parsed_markdown

    text = "# T\n\n## S\n\nOne is here. Two\nruns on! Three.\n\n- an item. All of it\n\n| a | b |\n|---|---|\n| c | d |\n"
    parsed = parsed_markdown(text)
    texts = [parsed.text[start:end] for start, end in statements(parsed, 0, len(parsed.text))]
    assert texts == ["One is here.", "Two\nruns on!", "Three.", "- an item. All of it", "| a | b |", "| c | d |"]
    at = parsed.text.index("runs")
    assert [parsed.text[start:end] for start, end in statements(parsed, at, at + 4)] == ["Two\nruns on!"]
    assert statements(parsed, 0, 3) == [(0, 3)]


def test_a_long_passage_is_shown_by_its_beginning(tmp_path):
    rows = "\n".join(f"| kettle {n} | {n} years and a day |" for n in range(200))
    text = f"# T\n\n## All\n\n| a | b |\n|---|---|\n{rows}\n"
    folder = folder_with(tmp_path / "f", {"table": text}, "## How long does kettle 150 last?\n")
    shown = []
    session(folder, "m", "q", shown=shown).run()
    assert "more words: press m" in shown[2] and "kettle 199" not in shown[2] and "kettle 199" in shown[-1]
    assert len(shown[-1].split()) > judging._SHOWN


# --- the command ------------------------------------------------------------------------------------------------------


def test_help(labkit):
    code, out, err = labkit("label", "--help")
    assert (code, err) == (0, "") and "--judge" in out and "Example: labkit label" in flat(out) and "label" in labkit("--help")[1]


def test_a_plain_pipe(labkit, shop):
    code, out, err = labkit("label", shop, keys="r\nx\n\nn\n")
    assert (code, err) == (0, "")
    assert "'x' is none of the keys" in out and "2 judgements saved in a shop/judgements.csv" in flat(out) and "goes on here" in flat(out)
    code, out, err = labkit("label", shop, "--judge", "Mei", keys="n\n" * 30)
    assert code == 0 and "All is judged" in flat(out) and "Mei" in out
    assert {judge for judge, *_ in grades(shop)} == {"1", "Mei"}


def test_a_pipe_in_a_process_of_its_own_that_is_killed(shop):
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "labkit", "label", str(shop)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as running:
        running.stdin.write(b"r\nn\n")
        running.stdin.flush()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and len(grades(shop)) < 2:
            time.sleep(0.02)
        running.kill()
    assert [grade for *_, grade in grades(shop)] == ["relevant", "no"]


def test_as_json(labkit, shop):
    code, out, err = labkit("label", shop, "--json", keys="r\nq\n")
    data = json.loads(out)
    assert code == 0 and (data["judged"], data["finished"], data["judge"]) == (1, False, "1") and "Passage 1 of" in err
    assert json.loads(labkit("label", shop, "--agreement", "--json")[1]) == {"judges": {"1": 1}, "agreement": []}


def test_which_questions(labkit, shop):
    assert "Question 1 of 2" in labkit("label", shop, keys="q\n")[1]
    assert "Question 1 of 3" in labkit("label", shop, "--all", keys="q\n")[1]
    code, out, _ = labkit("label", shop, "--question", "Q03", keys="q\n")
    assert code == 0 and "Question 1 of 1 (Q03)" in out
    (shop / "questions.md").write_text("## A?\n\nkind: unanswerable\n", "utf-8")
    code, out, _ = labkit("label", shop)
    assert code == 0 and "No question waits" in out


WRONG = [
    (["--question", "Q9"], "there is no such question"),
    (["--agreement", "--gold"], "one at a time"),
    (["--out", "x.jsonl"], "belongs to --gold"),
    (["--partly"], "belongs to --gold"),
    (["--judge", " "], "a name or a number"),
    (["--k", "0"], "--k"),
]


@pytest.mark.parametrize(("options", "says"), WRONG, ids=[" ".join(options) for options, _ in WRONG])
def test_a_mistyped_command_ends_with_2_and_writes_nothing(labkit, shop, options, says):
    code, out, err = labkit("label", shop, *options, keys="r\n")
    assert (code, out) == (2, "") and says in flat(err) and not (shop / "judgements.csv").exists()


def test_every_fault_at_once(labkit, shop):
    (shop / "labkit.toml").write_text("kk = 3\n", "utf-8")
    (shop / "judgements.csv").write_text("judge,question\n", "utf-8")
    (shop / "inventory.csv").write_text("file;doc_id\n", "utf-8")
    (shop / "questions.md").write_text("## A?\n\nkind: unanswerble\n", "utf-8")
    code, _, err = labkit("label", shop, keys="r\n")
    assert code == 1
    for name in ("labkit.toml:1", "judgements.csv:1", "inventory.csv:1", "questions.md"):
        assert f"a shop/{name}" in err
    assert labkit("label", shop / "nowhere")[0] == 1


@pytest.mark.parametrize("text", ["\x1b[2J\x1b[31mred", "bell\x07", "back\x08space"])
def test_a_document_cannot_move_the_cursor(labkit, tmp_path, text):
    folder = folder_with(tmp_path / "f", {"d": f"# T\n\n## S\n\nkettle {text} end\n"}, "## Where is the kettle?\n")
    out = labkit("label", folder, keys="n\n")[1]
    assert "kettle" in out and not set(out) & {"\x1b", "\x07", "\x08"}


def test_a_search_that_finds_nothing(labkit, tmp_path):
    folder = folder_with(tmp_path / "f", {"d": "# T\n\n## S\n\nkettle\n"}, "## Zzz?\n\n## ...\n")
    code, out, _ = labkit("label", folder, keys="n\n")
    assert code == 0 and "No search found anything for Q01, Q02" in flat(out)


# --- agreement and gold -----------------------------------------------------------------------------------------------


def judge_all(folder, judge, say):
    """Judges everything: `say(candidate)` gives the keys."""
    made = session(folder, judge=judge)

    class Saying(Given):
        def key(self, prompt):
            if not self.keys:
                at = made._next(0, -1)
                self.keys = list(say(made._rounds[at[0]].question, made._rounds[at[0]].candidates[at[1]]))
            return self.keys.pop(0)

        line = key

    made._keys = Saying()
    assert made.run().finished


def knows(question, each):
    answer = {"Q01": "thirty days", "Q02": "On Saturdays"}[question.id]
    return ["r"] if answer in each.text else ["n"]


def test_agreement_of_two(labkit, shop):
    assert "nobody has judged" in flat(labkit("label", shop, "--agreement")[1])
    judge_all(shop, "Mei", knows)
    assert "only Mei has judged" in flat(labkit("label", shop, "--agreement")[1])

    def differs(question, each):
        return ["u"] if each.doc_id == "d2" else ["p"] if "tracked" in each.text else knows(question, each)

    judge_all(shop, "Omar", differs)
    code, out, _ = labkit("label", shop, "--agreement")
    assert code == 0 and "Mei and Omar" in out and "kappa" in out and "Mei relevant, Omar partly" in flat(out)
    data = json.loads(labkit("label", shop, "--agreement", "--json")[1])["agreement"]
    assert [each["of"] for each in data] == ["grades", "gold"] and all(each["judges"] == ["Mei", "Omar"] for each in data)
    assert data[0]["n"] == sum(each["n"] for each in data[0]["counts"]) and "unsure" not in str(data[0]["counts"])


def test_judges_and_advice_name_a_question_by_the_id_that_it_has_now(labkit, shop):
    judge_all(shop, "Mei", knows)
    judge_all(shop, "Omar", lambda question, each: ["p"] if question.id == "Q02" else knows(question, each))
    questions = (shop / "questions.md").read_text("utf-8")
    (shop / "questions.md").write_text(questions.replace("## How", "## Who asks first?\n\n## How", 1), "utf-8")
    told = [row for row in flat(labkit("label", shop, "--agreement")[1]).split(" Q") if "Mei relevant, Omar partly" in row]
    assert told and all(row.startswith("03, hours@v1") for row in told)
    hours = shop / "documents/hours.md"
    hours.write_text(hours.read_text("utf-8").replace("at ten", "at eleven"), "utf-8")
    advice = {each["kind"]: each for each in json.loads(labkit("validate", shop, "--json")[1])["advice"]}
    assert "Q03" in advice["stale"]["about"]


@pytest.mark.parametrize(
    ("say", "todo"),
    [
        ("r", "`labkit label FOLDER --gold` makes a question file with what was found relevant"),
        ("n", "nothing was found relevant so far: say where its answer stands, or `kind: unanswerable`"),
        ("u", "nothing was found relevant so far"),
    ],
)
def test_validate_says_what_to_do_with_judgements(labkit, shop, say, todo):
    waiting = "Q01: has no gold yet — say where its answer stands, or `kind: unanswerable`; `labkit label` helps to find it"
    assert waiting in labkit("validate", shop)[2] and waiting in labkit("report", shop)[2]
    judge_all(shop, "Mei", lambda question, each: [say])
    code, _, err = labkit("validate", shop)
    assert code == 1 and f"questions.md:3: Q01: has no gold yet, though it has been judged — {todo}" in err and waiting not in err
    if say == "r":
        assert labkit("label", shop, "--gold")[0] == 0
        (shop / "labkit.toml").write_text('questions = ["questions-judged.jsonl"]\n', "utf-8")
        assert labkit("validate", shop)[0] == 0


def test_where_no_search_finds_anything_nothing_is_said_to_be_judged(labkit, tmp_path):
    folder = folder_with(tmp_path / "f", questions="## Zyzzyva?\n\n## Qwertz?\n")
    code, out, err = labkit("label", folder)
    assert (code, err) == (0, "") and "No search found anything for Q01, Q02. So there was nothing to judge" in flat(out)
    assert "All is judged" not in out


def test_gold_that_results_can_be_taken_over(labkit, shop):
    judge_all(shop, "Mei", lambda question, each: ["s", "1"] if "thirty" in each.text and question.id == "Q01" else knows(question, each))
    code, out, err = labkit("label", shop, "--gold")
    assert (code, err) == (0, "") and "2 of them with judged gold: Q01, Q02" in flat(out)
    assert 'questions = ["questions-judged.jsonl"]' in flat(out)
    documents = load_inventory(shop)
    made = load_questions(shop / "questions-judged.jsonl")
    assert check_questions(made, documents) == [] and [each.id for each in made] == ["Q01", "Q02", "Q03"]
    first, second, third = made
    assert [(each.doc_id, each.section, each.quote) for each in first.relevant] == [
        ("returns", "Return window", "You may send a kettle back within thirty days of delivery.")
    ]
    assert second.relevant[0].section == "" and "On Saturdays" in second.relevant[0].quote and not second.relevant[0].quote.startswith("#")
    assert third.abstain and not third.relevant
    assert (first.reference_answer, first.tags) == ("unknown", ("judged",)) and "Mei" in first.notes
    (shop / "labkit.toml").write_text('questions = ["questions-judged.jsonl"]\n', "utf-8")
    held = load_held(shop)
    desk = lay_out(shop, held.documents, held.settings)
    assert held.without_gold == ()
    assert [fault for fault in examine(shop)[1] if "judgements.csv" in fault.file] == []  # though that file does not ask all of them
    (method, *_) = desk.methods
    assert stage_of(first, lambda text, k: desk.find[method.name](first, k), k=5).stage == "found"


def test_gold_never_writes_over_what_a_person_wrote(labkit, shop):
    judge_all(shop, "Mei", knows)
    file = shop / "questions-judged.jsonl"
    file.write_text("mine\n", "utf-8")
    code, _, err = labkit("label", shop, "--gold")
    assert code == 1 and "stays" in err and file.read_text("utf-8") == "mine\n"
    assert labkit("label", shop, "--gold", "--out", "second.jsonl")[0] == 0
    written = (shop / "second.jsonl").read_bytes()
    judge_all(shop, "Omar", knows)
    assert labkit("label", shop, "--gold", "--out", "second.jsonl")[0] == 0  # ours still, so it may be brought up to date
    assert (shop / "second.jsonl").read_bytes() != written
    (shop / "second.jsonl").write_bytes(written)  # somebody put an old one back
    assert labkit("label", shop, "--gold", "--out", "second.jsonl")[0] == 1
    questions = (shop / "questions.md").read_bytes()
    for name in ("../x.jsonl", "questions.md", "documents/x.jsonl", "x.csv"):
        code, _, err = labkit("label", shop, "--gold", "--out", name)
        assert code == 1 and "no name of a .jsonl file" in err
    assert (shop / "questions.md").read_bytes() == questions and not (shop.parent / "x.jsonl").exists()


def test_no_gold_from_nothing(labkit, shop):
    code, _, err = labkit("label", shop, "--gold")
    assert code == 1 and "no gold to write" in err
    judge_all(shop, "Mei", lambda question, each: ["n"])
    assert labkit("label", shop, "--gold")[0] == 1 and not (shop / "questions-judged.jsonl").exists()


VOTES = [
    (["r"], False, True), (["n"], False, False), (["p"], False, False), (["p"], True, True), (["u"], True, False),
    (["r", "r"], False, True), (["r", "u"], False, True), (["r", "n"], False, None), (["r", "p"], False, None), (["r", "p"], True, True),
    (["r", "r", "n"], False, True), (["r", "n", "n"], False, False), (["p", "r", "n"], False, False), (["p", "n"], True, None),
]  # fmt: skip


@pytest.mark.parametrize(("votes", "partly", "gold"), VOTES, ids=[f"{''.join(votes)}{'+' * partly}" for votes, partly, _ in VOTES])
def test_votes(shop, votes, partly, gold):
    parsed = parse(load_inventory(shop)[0])
    (asked, *_) = load_questions(shop / "questions.md", gold=False)
    (_, piece, *_) = Pieces({("returns", "1"): parsed}).of("returns", "1")
    digests = digest_of(asked.question), digest_of(piece.text)
    said = [Judgement(str(n), "Q01", digests[0], *piece.place, meant(vote), digests[1]) for n, vote in enumerate(votes)]
    for order in (said, said[::-1]):
        made = gold_of([asked], order, {("returns", "1"): parsed}, partly=partly)
        assert made.judged == (("Q01",) if gold else ()) and made.without == (() if gold else ("Q01",))
        assert [each.question for each in made.disputes] == (["Q01"] if gold is None else [])
        if not gold:
            with pytest.raises(LabError, match="on one piece as many judges" if gold is None else "no piece has been judged relevant yet"):
                write_gold(made, shop)
    stale = gold_of([asked], [replace(each, digest="0" * 12) for each in said], {("returns", "1"): parsed}, partly=partly)
    assert (stale.judged, stale.stale) == ((), len(votes))
    with pytest.raises(LabError, match="have changed since they were judged"):
        write_gold(stale, shop)
    assert gold_of([asked], said, {}, partly=partly).stale == len(votes)


def test_a_piece_before_the_first_section_and_a_text_that_stands_twice_become_spans(labkit, tmp_path):
    twice = "Kettles go back within thirty days."
    folder = folder_with(
        tmp_path / "f",
        {"d": f"# T\n\nA kettle is a kettle, thirty days or not.\n\n## A\n\n{twice}\n\n## B\n\n{twice}\n"},
        "## Kettles thirty days?\n",
    )
    judge_all(folder, "Mei", lambda question, each: ["r"])
    assert labkit("label", folder, "--gold")[0] == 0
    (made,) = load_questions(folder / "questions-judged.jsonl")
    text = parse(load_inventory(folder)[0]).text
    assert check_questions([made], load_inventory(folder)) == []
    spans = {entry.section: entry for entry in made.relevant}
    assert set(spans) == {"", "A", "B"} and len({(entry.start, entry.end) for entry in made.relevant}) == 3
    assert all(text[entry.start : entry.end] == entry.quote for entry in made.relevant)


def test_gold_of_a_document_without_sections_is_written_as_a_span(labkit, tmp_path):
    questions = """## How old is the shed?

answer: Nine years.
where: card
quote: "The shed is nine years old."

## Kettles thirty days?
"""
    documents = {"card": "A card.\n\nThe shed is nine years old.\n", "d": "# T\n\n## A\n\nKettles go back within thirty days.\n"}
    folder = folder_with(tmp_path / "f", documents, questions)
    judge_all(folder, "Mei", lambda question, each: ["r"] if "thirty" in each.text else ["n"])
    assert labkit("label", folder, "--gold")[0] == 0
    made, _ = load_questions(folder / "questions-judged.jsonl")
    (entry,) = made.relevant
    assert (entry.section, entry.quote, entry.end - entry.start) == ("", "The shed is nine years old.", 27)
    assert check_questions([made], load_inventory(folder)) == []


@pytest.mark.parametrize("text", DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_quote_stands_where_it_should(labkit, tmp_path, text):
    folder = folder_with(tmp_path / "f", {"d": text.replace("\n", "\r\n")}, "## kettle garantie Saturdays refunds?\n")
    judge_all(folder, "Mei", lambda question, each: ["r"])
    assert labkit("label", folder, "--gold")[0] == 0
    assert check_questions(load_questions(folder / "questions-judged.jsonl"), load_inventory(folder)) == []


# --- questions without gold -------------------------------------------------------------------------------------------


def test_questions_without_gold_come_only_where_they_are_asked_for(shop):
    from labkit.errors import QuestionsError

    with pytest.raises(QuestionsError, match="Q01: has no gold yet"):
        load_questions(shop / "questions.md")
    assert [(bool(each.relevant), each.abstain) for each in load_questions(shop / "questions.md", gold=False)] == [
        (False, False), (False, False), (False, True),
    ]  # fmt: skip
    line = {
        "id": "A", "question": "Where?", "language": "en", "kind": "answerable", "as_of": "2024-01-01", "public_ok": True, "abstain": False,
        "reference_answer": "", "keys": [], "must_not": [], "relevant": [], "wrong_version": [], "tags": [], "notes": "",
    }  # fmt: skip
    (shop / "q.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
    with pytest.raises(QuestionsError, match="names no passage"):
        load_questions(shop / "q.jsonl")
    (found,) = load_questions(shop / "q.jsonl", gold=False)
    assert found.relevant == () and not found.abstain
    (shop / "labkit.toml").write_text('questions = ["q.jsonl"]\n', "utf-8")
    assert any(fault.todo.startswith('say where its answer stands, or `"abstain": true`') for fault in examine(shop)[1])
    (shop / "q.jsonl").write_text(json.dumps(line | {"kind": 3}) + "\n", "utf-8")
    with pytest.raises(QuestionsError, match="kind"):
        load_questions(shop / "q.jsonl", gold=False)
