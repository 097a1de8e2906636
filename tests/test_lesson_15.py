"""Lesson 15: the collections that it brings, what its checks say of folders that nobody has seen, and that its helpers leave no trace."""

import csv
import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import own_folders
import pytest

from labkit.cli_own import as_text
from labkit.collection import check_inventory, load_inventory
from labkit.course import course_folder
from labkit.errors import LabError
from labkit.evaluation.power import smallest_difference
from labkit.lessons.answers import CORRECT, NOT_ATTEMPTED, NOT_YET
from labkit.lessons.content import lesson_15, own_collection
from labkit.lessons.content.lesson_15 import COPIED, DRAFT, OWN, SEES, SMALLER, add, better, copied, keep, lay_out, write_report
from labkit.lessons.lint import run_cell
from labkit.lessons.texts import lesson_texts
from labkit.lessons.workfolder import make_work_folder
from labkit.own.advice import advise
from labkit.own.examining import examine
from labkit.own.reporting import make_report
from labkit.own.starting import start
from labkit.parsing.reading import parse

CORPUS = course_folder() / "corpus"
TEXTS = lesson_texts("15")["exercises"]["own-collection"]


def said(folder, source: str | None = None):
    """What the learner is told who hands over this folder."""
    return OWN.check(folder, TEXTS, source)


@pytest.fixture(scope="module")
def club():
    return lay_out("heron-reach")


@pytest.fixture(scope="module")
def report(club):
    return make_report(club)


# --- the club's papers ------------------------------------------------------------------------------------------------------------------


def test_the_list_of_fees_is_what_its_source_gives():
    script = CORPUS / "heron-reach" / "sources" / "make_pdf.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_last_page_of_the_fees_is_a_scan_and_the_tables_before_it_are_tables():
    fees = parse(CORPUS / "heron-reach" / "documents" / "fees-2026.pdf")
    assert [(each.page, "scan" in each.what) for each in fees.problems] == [(3, True)]
    tables = [block for block in fees.blocks if block.kind == "table"]
    assert [(len(each.rows), len(each.rows[0])) for each in tables] == [(6, 4), (5, 3)]
    assert "LOCKER" not in fees.text and [each.name for each in fees.sections] == [
        "Membership", "Courses and guests", "Racks and lockers", "Paying", "Leaving"
    ]  # fmt: skip


def test_eight_documents_of_another_trade():
    documents = load_inventory(CORPUS / "heron-reach")
    assert check_inventory(CORPUS / "heron-reach") == []
    assert Counter(each.format for each in documents) == {"md": 6, "html": 1, "pdf": 1}
    assert Counter(each.language for each in documents) == {"en": 7, "fr": 1}
    assert {each.version for each in documents if each.doc_id == "water-safety"} == {"2025", "2026"}
    assert all(len(parse(each).text.split()) > 300 for each in documents)


@pytest.mark.parametrize(("name", "n", "scored"), [("heron-reach", 18, 15), ("flour-street", 15, 12)])
def test_the_questions_keep_to_the_recipe_and_are_not_too_easy(name, n, scored):
    held, faults = examine(lay_out(name))
    assert faults == []
    given = advise(held)
    counts = given.measured["questions"]
    assert (counts["n"], counts["scored"], counts["unanswerable"]) == (n, scored, 3)
    told = {each.kind for each in given.advice}
    assert told <= {"power", "unread"}, told
    assert len(given.measured["versions"]["questions"]) >= 2 and len(given.measured["codes"]["questions"]) >= 2
    assert given.measured["tables"]["questions"] and max(given.measured["ranks"]["rank_1"].values()) < scored


def test_no_person_but_the_cast_owns_anything():
    for name in ("heron-reach", "flour-street"):
        owners = {each.owner for each in load_inventory(CORPUS / name)}
        assert owners <= {"unknown", "Boatman", "Treasurer", "Coach", "Committee", "Safety officer", "School office", "Technician"}


def test_the_draft_has_its_three_slips_and_no_other(club):
    draft = lay_out("heron-reach", changes=DRAFT)
    held, faults = examine(draft)
    assert [own_collection._kind_of(each) for each in faults] == ["quote", "no-gold", "place"]
    assert [each.id for each in held.without_gold] == ["H09"]


def test_copied_questions_are_all_found_first():
    measured = advise(examine(copied())[0]).measured
    assert set(measured["ranks"]["rank_1"].values()) == {len(COPIED)} == {measured["ranks"]["n"]}
    assert len(measured["wording"]["close"]) == len(COPIED)


# --- the report -------------------------------------------------------------------------------------------------------------------------


def test_a_verdict_of_no_difference_and_with_smaller_pieces_a_finding(club, report, tmp_path):
    assert better(report) == "no difference" and report["power"]["n"] == 15
    again = lay_out("heron-reach")
    (again / "labkit.toml").write_text(SMALLER, encoding="utf-8")
    second = make_report(again)
    assert better(second) == "structure"
    assert [chunker["name"] for chunker in second["settings"]["chunkers"]["value"]] == [each["name"] for each in report["methods"]]


def test_several_findings_are_named_once_each(report):
    row = {"a": "x", "b": "y", "difference": 0.4, "low": 0.1, "high": 0.6, "p_holm": 0.01}
    rows = [row, row | {"budget": 2}, row | {"a": "z", "difference": -0.4, "low": -0.6, "high": -0.1}, row | {"a": "w", "p_holm": 0.2}]
    assert better({"comparisons": rows}) == "x, y"


def test_the_three_files_are_those_of_labkit_report(report, tmp_path):
    page = write_report(report, tmp_path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["report.csv", "report.html", "report.json"]
    assert (tmp_path / "report.html").read_text("utf-8") == page and page.count("<table") > 5
    assert (tmp_path / "report.json").read_text("utf-8") == as_text(report) and report["verdict"]
    own_folders.documents(tmp_path, {"a.md": "# A\n\nText.\n"})
    assert start(tmp_path).added == ["a.md"]  # a report beside the documents is none of them


@pytest.mark.parametrize("scored", range(200))
def test_the_rule_by_hand_is_labkits(scored):
    by_hand = SEES.reference(scored)
    least = smallest_difference(scored)
    assert (by_hand is None) == (least != least)
    assert by_hand is None or by_hand == pytest.approx(100 * least)


# --- laying out, keeping ----------------------------------------------------------------------------------------------------------------


def test_a_laid_folder_is_a_copy_of_its_own():
    one, other = lay_out("heron-reach"), lay_out("heron-reach")
    (one / "questions.md").write_text("gone", "utf-8")
    assert other.name == "heron-reach" and repr(other) == "heron-reach/"
    for file in ("questions.md", "inventory.csv", "documents/fr/accueil.md"):
        assert (other / file).read_bytes() == (CORPUS / "heron-reach" / file).read_bytes()
    assert not (other / "sources").exists()
    assert [each.name for each in lay_out("heron-reach", "documents").iterdir()] == ["documents"]


@pytest.mark.parametrize("old", ["stands nowhere at all", "kind: unanswerable"])
def test_a_change_that_does_not_fit_is_an_error(old):
    with pytest.raises(LabError, match=r"questions\.md holds .* times"):
        lay_out("heron-reach", changes={"questions.md": [(old, "x")]})


def test_a_folder_is_kept_in_a_work_folder_alone_and_never_over_another(tmp_path, monkeypatch, club):
    monkeypatch.chdir(tmp_path)
    assert not keep(club) and not list(tmp_path.iterdir())
    work = make_work_folder(tmp_path / "work")
    monkeypatch.chdir(work)
    assert keep(club)
    kept = work / "heron-reach"
    assert (kept / "questions.md").is_file() and not (kept / ".labkit").exists()
    (kept / "questions.md").write_text("mine", "utf-8")
    assert not keep(club) and (kept / "questions.md").read_text("utf-8") == "mine"


def test_the_course_itself_is_not_written_to(club):
    before = sorted(CORPUS.rglob("*"))
    run_cell(OWN.solution, "own-collection")
    said(CORPUS / "heron-reach")
    add(club, "questions.md")
    assert sorted(CORPUS.rglob("*")) == before


# --- the learner's own ------------------------------------------------------------------------------------------------------------------


def school(tmp_path: Path, name: str = "my collection") -> Path:
    """The sample with other words in its questions, as a learner's own folder."""
    folder = tmp_path / name
    shutil.copytree(CORPUS / "flour-street", folder)
    text = (folder / "questions.md").read_text("utf-8")
    (folder / "questions.md").write_text(text.replace("?\n", ", please?\n"), "utf-8")
    return folder


@pytest.mark.parametrize("name", ["my collection", "été à l’école", "a.b", "~mine"])
@pytest.mark.parametrize("kind", [str, Path, lambda path: f" {path}/ "])
def test_a_folder_of_any_name_and_form(tmp_path, name, kind):
    outcome = said(kind(school(tmp_path, name)))
    assert outcome.status == CORRECT and outcome.text.startswith("15 questions on 6 documents"), outcome.text


def test_a_folder_beside_the_notebook(tmp_path, monkeypatch):
    school(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert said("my collection").status == CORRECT


def test_windows_line_ends_and_a_bom(tmp_path):
    folder = school(tmp_path)
    for file in ("questions.md", "inventory.csv"):
        text = (folder / file).read_text("utf-8")
        (folder / file).write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert said(folder).status == CORRECT


def test_questions_as_json_lines(tmp_path):
    folder = school(tmp_path)
    from dataclasses import asdict

    from labkit.questions import load_questions

    lines = []
    for question in load_questions(folder / "questions.md"):
        record = json.loads(json.dumps(asdict(question), default=str))
        for name in ("file", "line"):
            record.pop(name)
        record["relevant"] = [{key: value for key, value in each.items() if value is not None} for each in record["relevant"]]
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    (folder / "questions.jsonl").write_text("".join(lines), "utf-8")
    (folder / "questions.md").unlink()
    assert said(folder).status == CORRECT, said(folder).text


def test_what_no_document_has_is_not_asked_for(tmp_path):
    """Documents without a table and without versions: the recipe's tables and versions are waived, and that is said."""
    folder = tmp_path / "walks"
    (folder / "documents").mkdir(parents=True)
    rows, asked = [], []
    for number in range(15):
        words = " ".join(f"word{number}x{place}" for place in range(60))
        path = f"documents/walk-{number}.md"
        (folder / path).write_text(f"# Walk W-{number}\n\n## Way\n\nTurn left at bench {number}. {words}\n", "utf-8")
        rows.append([path, f"walk-{number}", f"Walk W-{number}", "unknown", "0001-01-01", "", "unknown", "public", "en", "leaflet", "md"])
        place = f"where: walk-{number}, Way\nquote: \"Turn left at bench {number}.\"\nanswer: Left."
        other = number + 1 if number < 4 else number  # some are drawn to another document
        ask = f"word{other}x3 word{other}x4: which path should somebody take there, on W-{number}?"
        asked.append(f"## {ask}\n\n{place if number < 12 else 'kind: unanswerable'}\n")
    with (folder / "inventory.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([own_folders.COLUMNS, *rows])
    (folder / "questions.md").write_text("as_of: 2026-01-01\n\n" + "\n".join(asked), "utf-8")
    outcome = said(folder)
    assert outcome.status == CORRECT, outcome.text
    assert TEXTS["notes"]["no-table"] in outcome.text and TEXTS["notes"]["no-version"] in outcome.text


def test_step_by_step_from_nothing(tmp_path):
    """What a learner is told on the way: no folder, no inventory, guesses, no question, and so on; never a path of the machine."""
    folder = tmp_path / "mine"
    told = [said(folder)]
    shutil.copytree(CORPUS / "flour-street" / "documents", folder / "documents")
    told.append(said(folder))
    start(folder)
    told.append(said(folder))
    inventory = folder / "inventory.csv"
    inventory.write_text(inventory.read_text("utf-8").replace("unknown (guessed: title language format)", "leaflet"), "utf-8")
    told.append(said(folder))
    (folder / "questions.md").write_text("as_of: 2026-09-01\n\n## How hot is the oven?\n", "utf-8")
    told.append(said(folder))
    (folder / "questions.md").write_text("as_of: 2026-09-01\n\n## How hot is the oven?\n\nkind: unanswerable\n", "utf-8")
    told.append(said(folder))
    assert [each.mistake for each in told] == ["no-folder", "no-inventory", "guesses", "no-questions", "no-gold", "few"]
    assert not any(str(tmp_path) in each.text for each in told)


@pytest.mark.parametrize(
    ("answer", "mistake"),
    [
        (None, "not-a-folder"), (3, "not-a-folder"), ("", "not-a-folder"), ("  ", "not-a-folder"), ([], "not-a-folder"),
        ("a\0b", "no-folder"), ("x" * 5000, "no-folder"), ("no such thing", "no-folder"), (Path("nowhere"), "no-folder"),
    ],
)  # fmt: skip
def test_what_is_no_folder_gets_a_word(tmp_path, monkeypatch, answer, mistake):
    monkeypatch.chdir(tmp_path)
    outcome = said(answer)
    assert (outcome.status, outcome.mistake) == (NOT_YET, mistake)
    assert len(outcome.text) < 6000


def test_a_blank_is_not_attempted():
    assert said(..., OWN.stub).status == NOT_ATTEMPTED


@pytest.mark.parametrize(
    ("file", "old", "new", "mistake"),
    [
        ("inventory.csv", "courses,Courses 2026,2026", "Courses 2026,Courses 2026,2026", "inventory"),
        ("inventory.csv", "file,doc_id", "datei,doc_id", "inventory"),
        ("inventory.csv", "Technician", "n/a", "said-otherwise"),
        ("inventory.csv", "Technician", "TBD", "said-otherwise"),
        ("inventory.csv", "en,leaflet,md", "en,unknown (guessed: title format),md", "guesses"),
        ("inventory.csv", ",en,notice,md", ",English,notice,md", "inventory"),
        ("inventory.csv", "School office,public,en,rules", "School office,,en,rules", "empty-cell"),
        ("inventory.csv", "2025-12-31", "2024-12-31", "inventory"),
        ("questions.md", "where: ovens, Cleaning", "where: oven, Cleaning", "place"),
        ("questions.md", "where: ovens, Cleaning", "where: ovens v2, Cleaning", "place"),
        ("questions.md", "where: ovens, Cleaning", "where:", "place"),
        ("questions.md", "where: ovens, Cleaning\n", "", "questions"),
        ("questions.md", 'quote: "throw away the jar and everything in it"\n', "", "quote"),
        ("questions.md", '"throw away the jar and everything in it"', '"it"', "quote"),
        ("questions.md", "whoever may not breathe flour cannot take part", "Whoever may not breathe flour cannot take part", "quote"),
        ("questions.md", "as_of: 2026-09-01", "as_of: 1 September 2026", "questions"),
        ("questions.md", "id: F14\nkind: unanswerable", "id: F14\nkind: unanswerable\nanswer: Ask at the desk.", "a-guess"),
        ("questions.md", "answer: Whole wheat, 14 %.", "answer: I don’t know.", "no-answer"),
        ("questions.md", "answer: Whole wheat, 14 %.", "answer:", "questions"),
        ("questions.md", "id: F14\nkind: unanswerable", "id: F14\nkind: unanswerable\nwhere: ovens\nquote: \"No water\"", "questions"),
    ],
)  # fmt: skip
def test_other_slips_are_told_by_their_kind(tmp_path, file, old, new, mistake):
    folder = school(tmp_path)
    text = (folder / file).read_text("utf-8")
    assert text.count(old) == 1
    (folder / file).write_text(text.replace(old, new), "utf-8")
    outcome = said(folder)
    assert (outcome.status, outcome.mistake) == (NOT_YET, mistake), outcome.text
    assert str(tmp_path) not in outcome.text


def test_an_unknown_answer_to_what_nothing_answers_is_right(tmp_path):
    folder = school(tmp_path)
    text = (folder / "questions.md").read_text("utf-8")
    (folder / "questions.md").write_text(text.replace("kind: unanswerable", "kind: unanswerable\nanswer: Unknown."), "utf-8")
    assert said(folder).status == CORRECT


def test_an_unread_document_stands_in_nobodys_way(tmp_path):
    folder = school(tmp_path)
    (folder / "documents" / "torn.pdf").write_bytes(b"%PDF-1.7\nnothing of a PDF")
    row = "documents/torn.pdf,torn,Torn,unknown,0001-01-01,,unknown,public,en,leaflet,pdf\n"
    (folder / "inventory.csv").write_text((folder / "inventory.csv").read_text("utf-8") + row, "utf-8")
    outcome = said(folder)
    assert outcome.status == CORRECT and "7 documents" in outcome.text, outcome.text


def test_every_way_of_being_wrong_has_its_message():
    keys = {each.key for each in OWN.mistakes}
    named = {kind for _, kind, _ in own_collection._KINDS_OF_FAULT} | set(own_collection._OF_THE_INVENTORY) | {"questions"}
    assert named <= keys == set(TEXTS["mistakes"])


def test_predictions_about_chunkers_offer_the_three_and_none():
    for each in lesson_15.PREDICTIONS:
        if each.kind == "choice":
            assert each.choices == ("structure", "fixed", "overlapping", "no difference")
