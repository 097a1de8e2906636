"""The labkit command, as a person or a script meets it."""

import csv
import errno
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from labkit import cli
from labkit.collection import COLUMNS
from labkit.show.tables import display_width

HEADER = list(COLUMNS)
DOCUMENTS = {
    "returns.v1.md": (
        "returns,Returns,1,2024-01-01,2025-12-31,Support,public,en,policy,md",
        "# Returns\n\n## Window\n\nSend the kettle back within thirty days.\n",
    ),
    "returns.v2.md": (
        "returns,Returns,2,2026-01-01,,Support,public,en,policy,md",
        "# Returns\n\n## Window\n\nSend the kettle back within sixty days.\n\n## [b]Markup[/b] :smile:\n\nThe word zebra stands here.\n",
    ),
    "till.v1.md": (
        "till,Till,1,2024-01-01,,Support,staff,en,procedure,md",
        "# Till\n\n## Kettle kettle kettle\n\nKettle kettle secretword.\n",
    ),
    "aide.v1.md": (
        "aide,Aide,1,2024-01-01,,Support,public,fr,help,md",
        "# Aide\n\n## Garantie prolongée\n\nL’avis d’Adèle : aucune garantie prolongée à l’achat.\n",
    ),
    "rates.v1.html": ("rates,Rates,1,2024-01-01,,Support,public,en,list,html", "<p>Two days</p>"),
}


def question(id_, text, kind, relevant=(), language="en", **more):
    gold = [
        {"doc_id": d, "version": v, "section": s, "access": a, "quote": q} for d, v, s, a, q in relevant
    ]  # fmt: skip
    return {
        "id": id_, "question": text, "language": language, "kind": kind, "as_of": "2026-06-01", "public_ok": True, "abstain": not gold,
        "reference_answer": "…", "keys": [], "must_not": [], "relevant": gold, "wrong_version": [], "tags": [], "notes": "why",
    } | more  # fmt: skip


FRENCH = ("aide", "1", "Garantie prolongée", "public", "aucune garantie")
QUESTIONS = [
    question("A1", "How long can I send a kettle back?", "answerable", [("returns", "2", "Window", "public", "sixty days")]),
    question("A2", "Vendez-vous une garantie prolongée ?", "answerable", [FRENCH], "fr"),
    question("T1", "Which secretword?", "staff-only", [("till", "1", "Kettle kettle kettle", "staff", "secretword")], public_ok=False),
    question("M1", "Elephant price", "answerable", [("returns", "2", "[b]Markup[/b] :smile:", "public", "zebra")]),
    question("U1", "Do you sell boats?", "unanswerable"),
]  # fmt: skip


def write_questions(folder: Path, questions=QUESTIONS) -> None:
    (folder / "questions.jsonl").write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in questions), "utf-8")


@pytest.fixture
def shop(tmp_path):
    folder = tmp_path / "a shop"
    (folder / "documents").mkdir(parents=True)
    with open(folder / "inventory.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        for name, (row, text) in DOCUMENTS.items():
            writer.writerow([f"documents/{name}", *row.split(",")])
            (folder / "documents" / name).write_text(text, "utf-8")
    write_questions(folder)
    return folder


COMMANDS = ["open", "inventory", "questions", "search", "eval", "doctor"]


# --- help, version, usage ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("columns", ["80", "40"])
def test_each_command_helps_with_an_example(labkit, monkeypatch, command, columns):
    monkeypatch.setenv("COLUMNS", columns)
    code, out, err = labkit(command, "--help")
    assert (code, err) == (0, "")
    assert f"Example: labkit {command}" in " ".join(out.split()) and "--help" in out
    assert max(map(display_width, out.split("\n"))) <= int(columns)


def test_help_names_every_command_and_nothing_asked_is_help(labkit):
    code, out, err = labkit("--help")
    assert (code, err) == (0, "") and all(command in out for command in COMMANDS)
    assert labkit() == (0, out, "")


def test_version(labkit):
    from labkit import __version__

    assert labkit("--version") == (0, f"labkit {__version__}\n", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["--nonsense"],
        ["inventory", "--nonsense"],
        ["inventory", "extra"],
        ["search"],
        ["search", "kettle", "--k", "five"],
        ["search", "kettle", "--k", "-1"],
        ["search", "kettle", "--access", "everybody"],
        ["search", "kettle", "--access"],
        ["search", "kettle", "--as-of", "03/04/2024"],
        ["search", "kettle", "--as-of", "2024-02-30"],
        ["search", "kettle", "--acess", "staff"],
        ["search", "kettle", "--as_of=2026-01-01"],
        ["eval", "--k", "0"],
        ["questions", "--kind", "nonsense"],
        ["questions", "--language", "de"],
        ["open", "--port", "0"],
        ["open", "--port", "70000"],
    ],
)
def test_a_mistyped_command_ends_with_2_and_a_word(labkit, shop, arguments):
    if arguments[0] in ("search", "eval", "questions", "inventory"):
        arguments = [*arguments, "--folder", str(shop)] if arguments[-1] != "--access" else arguments
    code, out, err = labkit(*arguments)
    assert code == 2 and out == ""
    assert err.strip() and "Traceback" not in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["kettle", "--acess", "staff"], "there is no option --acess — did you mean --access?"),
        (["--acess=staff", "kettle"], "there is no option --acess — did you mean --access?"),
        (["--zzz", "kettle"], "there is no option --zzz — there are --"),
        (["kettle", "--jsn", "--", "--json"], "there is no option --jsn — did you mean --json?"),
    ],
)
@pytest.mark.parametrize("command", ["search", "ask"])
def test_a_mistyped_option_is_no_word_of_a_question(labkit, shop, command, words, said):
    code, out, err = labkit(command, *([shop] if command == "ask" else []), *words)
    assert (code, out) == (2, "") and said in err
    assert "To ask for the word itself, put -- before the question: -- --" in err


@pytest.mark.parametrize("words", [["--k", "1", "--", "--acess", "zebra"], ["--folder", "--acess", "zebra"], ["--acess zebra"]])
def test_what_is_no_option_is_taken_as_it_is_meant(labkit, shop, words):
    _, _, err = labkit("search", *words)
    assert "there is no option" not in err


@pytest.mark.parametrize(
    "arguments",
    [["search", "kettle", "--folder", ""], ["search", "kettle", "--index="], ["parse", ""], ["index", "--out", ""], ["report", ""],
     ["new", ""], ["validate", ""], ["export", ".", "-o", ""], ["ask", "", "how"], ["ask", ".", "how", "--keep", ""], ["label", ""],
     ["label", ".", "--judge", ""],
     ["room", ""], ["score", "", "."], ["import", "squad", "", "x"], ["eval", "--folder", ""], ["status", "--into", ""],
     ["reset", "03", "--into", ""]],
    ids=" ".join,
)  # fmt: skip
def test_an_empty_argument_names_nothing(labkit, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    code, out, err = labkit(*arguments)
    assert (code, out) == (2, "") and "is empty, and names nothing — say what is meant; the folder that you are in is ." in err
    assert not any(tmp_path.iterdir())


def test_a_wrong_kind_names_the_right_ones(labkit, shop):
    _, _, err = labkit("questions", "--kind", "tabel", "--folder", shop)
    assert "answerable, staff-only, unanswerable" in err


# --- inventory and questions ------------------------------------------------------------------------------------------


def test_inventory_lists_and_counts(labkit, shop):
    code, out, err = labkit("inventory", "--folder", shop)
    assert (code, err) == (0, "")
    assert "returns   2  2026-01-01 –             public  en    md" in out
    assert "5 documents: 4 md, 1 html; 4 public, 1 staff; 4 en, 1 fr" in out


def test_inventory_as_json(labkit, shop):
    code, out, _ = labkit("inventory", "--json", "--folder", shop)
    data = json.loads(out)
    assert code == 0 and data["warnings"] == []
    assert [each["doc_id"] for each in data["documents"]] == ["returns", "returns", "till", "aide", "rates"]
    assert list(data["documents"][0]) == ["doc_id", "version", "title", "file", "line", *HEADER[4:]]
    assert data["documents"][0]["file"] == "documents/returns.v1.md" and data["documents"][0]["line"] == 2
    assert (data["documents"][0]["effective_to"], data["documents"][1]["effective_to"]) == ("2025-12-31", None)
    assert str(shop) not in out


def test_a_warning_stops_nothing(labkit, shop):
    (shop / "documents" / "stray.md").write_text("# Stray\n", "utf-8")
    code, out, err = labkit("inventory", "--folder", shop)
    assert code == 0 and "5 documents" in out
    assert "stray.md" in err and "warning" in err
    assert len(json.loads(labkit("inventory", "--json", "--folder", shop)[1])["warnings"]) == 1


def test_every_fault_with_its_line_on_stderr(labkit, shop):
    text = (
        (shop / "inventory.csv").read_text("utf-8").replace("2024-01-01,2025-12-31", "03/04/2024,2025-12-31").replace(",staff,", ",Staff!,")
    )
    (shop / "inventory.csv").write_text(text, "utf-8")
    for command in ("inventory", "search", "eval", "questions"):
        code, out, err = labkit(command, *(["kettle"] if command == "search" else []), "--folder", shop)
        lines = err.strip().split("\n")
        assert (code, out) == (1, "") and len(lines) >= 2
        assert "inventory.csv:2: " in lines[0] and any("inventory.csv:4: " in line for line in lines)
        assert all(" — " in line for line in lines)
    code, out, err = labkit("inventory", "--json", "--folder", shop)
    assert code == 1 and {fault["line"] for fault in json.loads(out)["faults"]} == {2, 4} and "inventory.csv:2" in err


def test_faults_of_both_files_come_together(labkit, shop):
    (shop / "inventory.csv").write_text((shop / "inventory.csv").read_text("utf-8").replace(",fr,", ",,"), "utf-8")
    (shop / "questions.jsonl").write_text('{"id": 1,}\n', "utf-8")
    code, _, err = labkit("eval", "--folder", shop)
    assert code == 1 and "inventory.csv:5" in err and "questions.jsonl:1" in err


def test_a_folder_without_inventory_or_questions(labkit, shop, tmp_path):
    code, _, err = labkit("inventory", "--folder", tmp_path)
    assert code == 1 and "inventory.csv" in err
    (shop / "questions.jsonl").unlink()
    code, _, err = labkit("eval", "--folder", shop)
    assert code == 1 and "questions.jsonl" in err
    assert labkit("search", "kettle", "--folder", shop)[0] == 0


def test_questions_by_kind_and_language(labkit, shop):
    code, out, err = labkit("questions", "--folder", shop)
    assert (code, err) == (0, "") and "5 questions: 4 with an answer in the documents, 1 without" in " ".join(out.split())
    code, out, _ = labkit("questions", "--kind", "answerable", "--language", "fr", "--json", "--folder", shop)
    assert [each["id"] for each in json.loads(out)["questions"]] == ["A2"]
    assert json.loads(out)["questions"][0]["relevant"][0]["section"] == "Garantie prolongée"
    assert json.loads(out)["questions"][0]["as_of"] == "2026-06-01"


def test_a_quote_that_no_longer_stands_is_a_fault(labkit, shop):
    path = shop / "documents" / "returns.v2.md"
    path.write_text(path.read_text("utf-8").replace("sixty", "ninety"), "utf-8")
    for command in ("questions", "eval"):
        code, out, err = labkit(command, "--folder", shop)
        assert (code, out) == (1, "") and "questions.jsonl:1: A1" in err


# --- search -----------------------------------------------------------------------------------------------------------


def ids(out: str) -> list[str]:
    return [each["id"] for each in json.loads(out)["results"]]


def test_search_reads_as_public_unless_told(labkit, shop):
    public = json.loads(labkit("search", "kettle", "--json", "--folder", shop)[1])
    assert {each["access"] for each in public["results"]} == {"public"} and public["access"] == "public"
    assert public["searched_sections"] == 4 and public["not_read"] == ["documents/rates.v1.html"]
    staff = json.loads(labkit("search", "kettle", "--access", "staff", "--json", "--folder", shop)[1])
    assert staff["results"][0]["id"] == "till@v1#kettle-kettle-kettle" and staff["searched_sections"] == 5


def test_staff_text_moves_no_public_score(labkit, shop):
    before = json.loads(labkit("search", "kettle days", "--json", "--folder", shop)[1])
    (shop / "documents" / "till.v1.md").write_text("# Till\n\n## X\n\nNothing alike.\n", "utf-8")
    assert json.loads(labkit("search", "kettle days", "--json", "--folder", shop)[1]) == before
    code, out, _ = labkit("search", "secretword", "--folder", shop)
    assert code == 0 and "No section holds any of these words: secretword." in out


@pytest.mark.parametrize(("day", "versions"), [("2025-12-31", "1"), ("2026-01-01", "2"), (None, "12")])
def test_as_of_takes_the_version_in_force(labkit, shop, day, versions):
    options = ["--as-of", day] if day else []
    assert sorted(ids(labkit("search", "kettle", "--json", "--folder", shop, *options)[1])) == [
        f"returns@v{each}#window" for each in versions
    ]
    _, out, _ = labkit("search", "kettle", "--folder", shop, *options)
    assert (f"in force on {day}" if day else "of all versions, in force or not") in " ".join(out.split())


@pytest.mark.parametrize(
    "words",
    [["-zebra"], ["--", "-zebra"], ['"zebra'], ["zebra*"], ["title:zebra"], ["NOT", "zebra"], ["zebra", "AND"], ["^zebra("],
     ["ZÈBRA"], ["zebra\x00"], ["zebra \udcff"], ["it's", "zebra?"], ["-k", "zebra"], ["-"," zebra"], ["zebra\n\nzebra"],
     ["--", "--zebra"], ["--zebra of old"]],
)  # fmt: skip
def test_whatever_is_typed_is_plain_words(labkit, shop, words):
    code, out, err = labkit("search", "--json", "--folder", shop, *words)
    assert (code, err) == (0, "")
    assert ids(out)[0] == "returns@v2#b-markup-b-smile"


@pytest.mark.parametrize("query", ["", "   ", "...", "😀", "\u200b", '( " *'])
def test_nothing_to_look_for_is_said_and_no_fault(labkit, shop, query):
    code, out, err = labkit("search", query, "--folder", shop)
    assert (code, err) == (0, "") and "no word in this question" in out
    assert ids(labkit("search", query, "--json", "--folder", shop)[1]) == []


def test_no_result_and_no_results_asked_for(labkit, shop):
    code, out, _ = labkit("search", "elephant", "Elephant", "--folder", shop)
    assert code == 0 and "No section holds any of these words: elephant." in out
    code, out, _ = labkit("search", "kettle", "--k", "0", "--folder", shop)
    assert code == 0 and "0 results, as asked." in out


def test_accents_in_any_form(labkit, shop):
    for word in ("prolongée", "prolonge\u0301e", "PROLONGEE"):
        assert ids(labkit("search", word, "--json", "--folder", shop)[1]) == ["aide@v1#garantie-prolongée"]


def test_document_text_is_never_markup(labkit, shop):
    path = shop / "documents" / "returns.v2.md"
    path.write_text(path.read_text("utf-8").replace("stands here", "\x1b[31mstands [red]here[/red] :smile:"), "utf-8")
    _, out, _ = labkit("search", "zebra", "--folder", shop)
    assert "[red]here[/red] :smile:" in " ".join(out.split()) and "\x1b" not in out


@pytest.mark.parametrize("columns", ["80", "40", "20", "200", "0", "x"])
@pytest.mark.parametrize("command", [["inventory"], ["questions"], ["search", "kettle garantie", "--access", "staff"], ["eval"]])
def test_output_fits_the_terminal(labkit, shop, monkeypatch, columns, command):
    monkeypatch.setenv("COLUMNS", columns)
    code, out, _ = labkit(*command, "--folder", shop)
    width = min(80, int(columns)) if columns.isdigit() and columns != "0" else 80
    assert code == 0
    assert max(map(display_width, out.split("\n"))) <= width
    assert "…" not in out or command[0] == "search"
    assert all(line == line.rstrip() for line in out.split("\n"))


# --- eval -------------------------------------------------------------------------------------------------------------


def test_eval_prints_the_score_the_kinds_and_the_misses(labkit, shop):
    code, out, err = labkit("eval", "--folder", shop)
    flat = " ".join(out.split())
    assert (code, err) == (0, "")
    assert "hit@5 = 0.750" in flat and "3 of 4 questions. 1 without an answer" in flat
    assert "staff-only 1 1 1.000" in flat and "answerable 3 2 0.667" in flat
    assert "M1 answerable no shared word Elephant price" in flat and "as staff" in flat
    assert "answerable 3" not in " ".join(labkit("eval", "--overall", "--folder", shop)[1].split())


def test_eval_as_a_public_reader_calls_staff_text_filtered(labkit, shop):
    data = json.loads(labkit("eval", "--access", "public", "--json", "--folder", shop)[1])
    assert (data["n"], data["hits"], data["unscored"]) == (4, 2, 1)
    assert {miss["id"]: miss["stage"] for miss in data["misses"]} == {"T1": "filtered", "M1": "no shared word"}


def test_eval_as_json_is_complete_and_strict(labkit, shop):
    _, out, _ = labkit("eval", "--k", "1", "--json", "--folder", shop)
    data = json.loads(out, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert data["low"] <= data["hit"] <= data["high"] and data["k"] == 1
    assert [row["id"] for row in data["questions"]] == ["A1", "A2", "T1", "M1", "U1"]
    assert data["questions"][-1]["hit"] is None and data["questions"][-1]["scored"] is False
    assert sum(kind["hits"] for kind in data["by_kind"]) == data["hits"]


def test_eval_without_anything_to_score(labkit, shop):
    write_questions(shop, QUESTIONS[-1:])
    code, out, _ = labkit("eval", "--folder", shop)
    assert code == 0 and "nothing to score" in out
    assert json.loads(labkit("eval", "--json", "--folder", shop)[1])["hit"] is None


# --- the course's own -------------------------------------------------------------------------------------------------


def test_the_course_is_the_default(labkit):
    code, out, _ = labkit("search", "which pump kit fits the PW-2200", "--json")
    assert code == 0 and len(ids(out)) == 5
    assert json.loads(labkit("eval", "--json")[1])["n"] == 59


def test_without_a_course_the_error_says_what_to_do(labkit, monkeypatch, tmp_path):
    monkeypatch.setenv("LABKIT_COURSE", str(tmp_path))
    for command in (["inventory"], ["search", "x"], ["eval"], ["questions"], ["open"]):
        code, out, err = labkit(*command)
        assert (code, out) == (1, "") and "LABKIT_COURSE" in err and "Traceback" not in err


# --- pipes, signals, locales ------------------------------------------------------------------------------------------


def test_ctrl_c_ends_with_130_and_no_traceback(labkit, shop, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("labkit.collection.load_with_warnings", interrupted)
    code, _, err = labkit("inventory", "--folder", shop)
    assert code == 130 and "Traceback" not in err


def test_a_closed_pipe_is_quiet(shop):
    done = subprocess.Popen(
        [sys.executable, "-m", "labkit", "inventory", "--json", "--folder", str(shop)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    done.stdout.close()
    assert (done.stderr.read(), done.wait()) == (b"", 0)


class FullDisk(io.StringIO):
    def write(self, text):
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("arguments", [["inventory"], ["inventory", "--json"], ["search", "zebra"]])
def test_a_full_disk_is_said_in_a_line(shop, arguments, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", FullDisk())
    with pytest.raises(SystemExit) as ended:
        cli.main([*arguments, "--folder", str(shop)])
    err = capsys.readouterr().err
    assert ended.value.code == 1
    assert "(No space left on device)" in err and err.count("\n") == 1


def test_numbers_beyond_all_bounds(labkit, shop):
    assert labkit("search", "zebra", "--k", 10**20, "--folder", shop)[0] == 0


@pytest.mark.parametrize(
    "locale", [{"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "ascii"}]
)
def test_utf_8_whatever_the_locale(shop, locale):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))} | locale
    done = subprocess.run(
        [sys.executable, "-m", "labkit", "search", "prolongee", "--folder", str(shop)], env=environment, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "L’avis d’Adèle" in done.stdout.decode("utf-8")


def test_colour_is_for_terminals_that_want_it(labkit, shop, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[" in labkit("search", "zebra", "--folder", shop)[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in labkit("search", "zebra", "--folder", shop)[1]
    monkeypatch.delenv("FORCE_COLOR")
    assert "\x1b" not in labkit("search", "zebra", "--folder", shop)[1]


def test_help_does_not_wait_for_pandas():
    code = "import sys\nfrom labkit import cli\ntry:\n    cli.main(['--help'])\nexcept SystemExit:\n    print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("False")


def test_a_missing_package_is_named_with_the_way_on(tmp_path):
    (tmp_path / "typer.py").write_text("raise ImportError(\"No module named 'typer'\")", "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1]); import labkit.cli", str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and "python -m labkit.doctor" in done.stderr and "Traceback" not in done.stderr
