"""labkit report and labkit export, as a person or a script meets them."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
from command_line import flat
from own_folders import SHOP, asked, documents, inventory, questions, shop

from labkit import cli, cli_watching
from labkit.show.tables import display_width


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def folder(tmp_path):
    two = "[[chunkers]]\nname = 'structure'\nuse = 'by_structure'\n[[chunkers]]\nuse = 'fixed'\n"
    return shop(tmp_path / "un magasin", f"budgets = [30]\n{two}")


# --- labkit report ------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command, option", [("report", "--against"), ("export", "--chunker")])
def test_help_has_an_example(labkit, command, option):
    code, out, err = labkit(command, "--help")
    assert (code, err) == (0, "") and f"Example: labkit {command} " in flat(out) and option in out
    assert command in labkit("--help")[1]


def test_it_writes_page_table_and_data(labkit, folder):
    code, out, err = labkit("report", folder)
    assert code == 0 and "Written: un magasin/report.html, un magasin/report.csv, un magasin/report.json." in flat(out)
    assert [line.partition(" in ")[0] for line in err.splitlines()] == [f"{s}: done" for s in ("read", "cut", "index", "search", "score")]
    assert all(display_width(line) <= 80 for line in out.splitlines())
    made = json.loads((folder / "report.json").read_text("utf-8"))
    assert made["collection"]["documents"] == 5 and made["verdict"] and flat(made["verdict"][0]) in flat(out)
    assert "structure" in out and "0.833 (" in out
    page = (folder / "report.html").read_text("utf-8")
    assert page.lower().startswith("<!doctype html>") and made["verdict"][0].split()[0] in page
    table = list(csv.reader((folder / "report.csv").read_text("utf-8").splitlines()))
    assert len(table) > 10 and any("evidence_in_context" in row for row in table)


def test_a_second_time_nothing_is_done_again_and_nothing_changes(labkit, folder):
    labkit("report", folder)
    before = {name: (folder / name).read_bytes() for name in ("report.html", "report.csv", "report.json")}
    code, _, err = labkit("report", folder)
    assert code == 0 and [line.partition(": ")[2] for line in err.splitlines()] == ["nothing changed"] * 5
    assert before == {name: (folder / name).read_bytes() for name in before}
    code, _, err = labkit("report", folder, "--from", "search")
    assert code == 0 and [line.partition(":")[0] for line in err.splitlines() if "done" in line] == ["search", "score"]


@pytest.mark.parametrize("out, names", [("r.html", ["r.csv", "r.html", "r.json"]), ("été 1", ["été 1", "été 1.csv", "été 1.json"])])
def test_the_page_goes_where_it_is_told(labkit, folder, tmp_path, out, names):
    (tmp_path / "there").mkdir()
    assert labkit("report", folder, "-o", f"there/{out}")[0] == 0
    assert sorted(each.name for each in (tmp_path / "there").iterdir()) == names and not (folder / "report.html").exists()


def test_as_json(labkit, folder):
    code, out, _ = labkit("report", folder, "--json")
    assert code == 0 and json.loads(out) == json.loads((folder / "report.json").read_text("utf-8"))


@pytest.mark.parametrize(
    "arguments, code, said",
    [
        (("none",), 1, "none"),
        (("-o", "no/such/r.html"), 2, "there is no folder no/such — make it first"),
        (("-o", "r.json"), 2, "name an .html file"),
        (("-o", "."), 2, "is a folder — name a file in it"),
        (("--against", "none.json"), 1, "none.json: there is no such file"),
        (("--against", "un magasin/inventory.csv"), 1, "is no report"),
        (("--from", "score"), 1, "from score: the stage read before it was never done"),
        (("--from", "all"), 2, "all"),
    ],
)
def test_what_cannot_be_is_told_and_nothing_written(labkit, folder, arguments, code, said):
    given = arguments if arguments[0] == "none" else (folder, *arguments)
    ended, out, err = labkit("report", *given)
    assert ended == code and said in flat(err) and out == "" and not (folder / "report.json").exists()


def done(err: str) -> list[str]:
    return [line.partition(":")[0] for line in err.splitlines() if ": done" in line]


def test_a_stage_alone(labkit, folder):
    code, out, err = labkit("report", folder, "--to", "index")
    assert code == 0 and done(err) == ["read", "cut", "index"] and "Stopped after index" in out and not (folder / "report.json").exists()
    assert labkit("report", folder, "--from", "score", "--to", "score")[0] == 1  # search was never done
    labkit("report", folder)
    before = (folder / "report.json").read_bytes()
    for name in ("read", "cut", "index", "search", "score"):
        code, _, err = labkit("report", folder, "--from", name, "--to", name)
        assert code == 0 and done(err) == [name]
    (folder / "report.json").unlink()
    assert done(labkit("report", folder)[2]) == [] and (folder / "report.json").read_bytes() == before


@pytest.mark.parametrize(
    "arguments, said",
    [
        (("--from", "score", "--to", "cut"), "cut comes before score — the order is read, cut, index, search, score"),
        (("--to", "cut", "--json"), "--to writes no report, so there is nothing for --json"),
        (("--to", "cut", "-o", "r.html"), "nothing for -o"),
    ],
)
def test_what_does_not_go_with_to(labkit, folder, arguments, said):
    code, out, err = labkit("report", folder, *arguments)
    assert (code, out) == (2, "") and said in flat(err) and not (folder / ".labkit" / "read").exists()


def test_faults_of_all_files_at_once(labkit, folder):
    (folder / "labkit.toml").write_text("budgetz = [1]\nk = 0\n")
    code, out, err = labkit("report", folder)
    assert (code, out) == (1, "") and [line.partition(": ")[0] for line in err.splitlines()] == [
        "un magasin/labkit.toml:1", "un magasin/labkit.toml:2",
    ]  # fmt: skip


def code_where_nobody_reads(*arguments) -> int:
    """The exit code where whoever reads stdout has left, as `head` does."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as out, pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as end:
        patch.setattr(sys, "stdout", out)
        cli.main([str(each) for each in arguments])
    return end.value.code


def test_a_loss_ends_with_1(labkit, tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    these = {f"documents/d{n}.md": f"# D{n}\n\n## Part\n\nThe word{n} costs {n} dollars.\n" for n in range(12)}
    documents(folder, these)
    inventory(folder, these)
    questions(folder, [asked(f"Q{n}", f"word{n}", (f"d{n}", "Part", f"costs {n} dollars")) for n in range(12)])
    one = "[[chunkers]]\nname = 'structure'\nuse = 'by_structure'\n"
    (folder / "labkit.toml").write_text(f"budgets = [100]\n{one}")
    assert labkit("report", folder, "-o", "before.html")[0] == 0
    code, _, err = labkit("report", folder, "--against", "before.json")
    assert code == 0 and "lost since" not in err
    documents(folder, {name: text.replace("word", "thing") for name, text in these.items()})
    code, out, err = labkit("report", folder, "--against", "before.json")
    assert code == 1 and "lost since before.json: structure, hit at 100 words: 1.000, now 0.000" in err
    assert "Written:" in out and json.loads((folder / "report.json").read_text())["against"]["rows"][0]["lost"]
    assert code_where_nobody_reads("report", folder, "--against", "before.json") == 1
    (folder / "labkit.toml").write_text(f"budgets = [7]\n{one}")
    code, out, err = labkit("report", folder, "--against", "before.json")
    assert code == 2 and "No method and budget is in both reports" in flat(err)
    (folder / "labkit.toml").write_text("k = 0\n")
    assert code_where_nobody_reads("validate", folder, "--quick") == 1


def test_unreadable_documents_are_told(labkit, folder):
    bad = {f"documents/torn{n:02}.pdf": b"%PDF-1.7 nothing" for n in range(25)}
    documents(folder, bad)
    inventory(folder, SHOP | bad)
    code, _, err = labkit("report", folder)
    told = [line for line in err.splitlines() if line.startswith("not searched: documents/torn")]
    assert code == 0 and len(told) == 20 and "and 5 more; `labkit report` names all of them" in err
    assert len(json.loads((folder / "report.json").read_text("utf-8"))["collection"]["unreadable"]) == 25


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_in_a_terminal_the_line_moves(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setattr(cli_watching, "time", SimpleNamespace(monotonic=iter(range(100)).__next__))
    watch = cli_watching.Watch()
    read = [("read", 1, 3, "a\x1b[2Jb.md"), ("read", 2, 3, "c"), ("read", 1, 1, "done")]
    for told in (*read, ("cut", 0, 9, ""), ("cut", 1, 1, "nothing changed"), ("index", 0, 9, "structure")):
        watch(*told)
    watch.end()
    assert terminal.getvalue().split("\r\x1b[K")[1:] == [
        "read: 1 of 3 a\\x1b[2Jb.md", "read: 2 of 3 c", "read: done in 3.0 s\n", "cut: 0 of 9 ", "cut: nothing changed\n",
        "index: 0 of 9 structure", "",
    ]  # fmt: skip


def test_ctrl_c_and_again(tmp_path):
    folder = tmp_path / "shop"
    these = {f"documents/d{n}.md": f"# D{n}\n\n## Part\n\n" + f"word{n} costs dollars. " * 50 for n in range(400)}
    folder.mkdir()
    documents(folder, these)
    inventory(folder, these)
    questions(folder, [asked(f"Q{n}", f"word{n}", None) for n in range(5)])
    command = [sys.executable, "-m", "labkit", "report", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")
    first = process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert first.startswith("read: done") and process.returncode == 130 and out == ""
    assert err.splitlines()[-1] == "stopped; finished stages are kept — run it again to go on"
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=100)
    assert done.returncode == 0 and done.stderr.splitlines()[0] == "read: nothing changed" and (folder / "report.html").is_file()


# --- labkit export ------------------------------------------------------------------------------------------------------------------------


def test_export(labkit, folder, tmp_path):
    code, out, err = labkit("export", folder)
    assert code == 0 and "un magasin/chunks.jsonl: 7 chunks." in out and err.startswith("read: done")
    lines = [json.loads(line) for line in (folder / "chunks.jsonl").read_text("utf-8").split("\n")[:-1]]
    assert len(lines) == 7 and {"id", "passage", "citation", "access", "effective_from"} <= set(lines[0])
    code, out, err = labkit("export", folder, "--chunker", "fixed(size=100)", "-o", "x.jsonl")
    assert code == 0 and "x.jsonl: 5 chunks." in out and (tmp_path / "x.jsonl").is_file() and "cut: nothing changed" in err
    wrong = [(("--chunker", "fix"), "there is no chunker 'fix'"), (("-o", "."), "is a folder"), (("-o", "a/b"), "no folder a")]
    for arguments, said in wrong:
        code, out, err = labkit("export", folder, *arguments)
        assert code == 2 and said in err and out == ""


@pytest.mark.parametrize(
    "command, out",
    [
        ("report", "inventory.html"), ("report", "labkit.toml"), ("report", "questions.jsonl"), ("report", "documents/hours.html"),
        ("export", "inventory.csv"), ("export", "questions.jsonl"), ("export", "documents/../labkit.toml"),
        ("export", "documents/returns.md"), ("report", "judgements.html"), ("export", "judgements.csv"), ("export", "questions.md"),
        ("report", None), ("export", None),
    ],
)  # fmt: skip
def test_what_the_folder_is_made_of_is_not_written_over(labkit, folder, command, out):
    """Neither what is named with -o, nor what stands where a file goes that nobody named."""
    documents(folder, {"report.html": "<h1>Report</h1>\n<p>A year of kettles.</p>\n"})
    inventory(folder, [*SHOP, "report.html"])
    (folder / "questions.jsonl").rename(folder / "chunks.jsonl")
    (folder / "labkit.toml").write_text('questions = ["chunks.jsonl"]\n')
    for name in ("judgements.csv", "questions.md", "questions.jsonl"):
        (folder / name).write_text("mine\n")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    code, _, err = labkit(command, folder, *(("-o", folder / out) if out else ()))
    assert code == 2 and "would be written over, and the folder is made of it — choose another name with -o" in flat(err)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_export_says_what_is_not_in_it(labkit, folder):
    (folder / "documents/hours.html").write_bytes(b"")
    code, out, err = labkit("export", folder)
    assert code == 0 and "chunks.jsonl: 6 chunks." in out
    assert "not exported: documents/hours.html: the file is empty — put the document in, or leave it out" in err


def test_another_labkit_at_work(labkit, folder):
    from labkit.stages import Pipeline

    with Pipeline(folder / ".labkit", []):
        code, _, err = labkit("report", folder)
    assert code == 1 and "is in use by another labkit — wait until it has finished" in err
