"""`labkit ask`: nine stages from files to cited passages, on small fixtures; what is refused, set aside, kept, and done again."""

import json
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
import zlib
from pathlib import Path

import pytest
from own_folders import SHOP, asked, documents, inventory, questions, shop
from pdf_making import by_hand, drawn, text_stream, write
from small_embedders import BagOfWords

from labkit import parse
from labkit.errors import BadArgument, FaultsError, IndexFileError, LabError
from labkit.evaluation.budget import within_budget
from labkit.own import long_asking, long_work
from labkit.own.long_asking import ANSWERING, all_stages, ask, make_ready
from labkit.own.long_settings import LONG, LONG_TOML, STAGES
from labkit.own.long_work import PREPARING
from labkit.own.reporting import make_report
from labkit.own.settings import SettingsError, load_settings
from labkit.retrieval import indexfile
from labkit.stages import StageError

ROOT = Path(__file__).resolve().parent.parent


class Words(BagOfWords):
    """Words without their punctuation; a text without words is a row of zeros."""

    def embed(self, texts):
        return super().embed([" ".join(re.findall(r"\w+", text)) for text in texts])

    def embed_query(self, text):
        return self.embed([text])[0]


def rules(paper):
    """A page of a rule book: headings by size, a sentence or two under each."""
    write(paper, 60, 60, "Rules of the yard", 20, "Helvetica-Bold")
    sentences = {
        "Gates": "The gates are shut at nine in the evening and opened at six.",
        "Forklifts": "A forklift is driven by someone with a licence, never over eight kilometres an hour.",
        "Fire": "In a fire everybody walks to the old lime tree by the weighbridge and waits there.",
    }
    for place, (head, text) in enumerate(sentences.items()):
        write(paper, 60, 110 + 90 * place, head, 14, "Helvetica-Bold")
        write(paper, 60, 135 + 90 * place, text, 10)


FILES = SHOP | {
    "documents/yard.pdf": drawn(rules),
    "documents/cellar.md": "# Cellar\n\n## Key\n\nThe cellar key hangs behind the till.\n\n## Rats\n\nCall the catcher.\n",
}


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "Un magasin à nous"
    place.mkdir()
    documents(place, FILES)
    inventory(place, FILES, access={"documents/cellar.md": "staff"}, effective_to={"documents/hours.html": "2025-12-31"})
    return place


def watched(folder, question="To which old tree does everybody walk in a fire?", **options):
    """(the answer, the stages that were done)."""
    done = []
    keep = options.pop("keep", folder.parent / "kept")
    told = lambda stage, number, of, what: done.append(stage) if what == "done" else None  # noqa: E731
    return ask(folder, question, keep=keep, progress=told, **{"embedder": Words()} | options), done


def manifest(folder):
    return json.loads((folder / ".labkit/long/manifest.json").read_text("utf-8"))["stages"]


# --- from the files to a cited passage --------------------------------------------------------------------------------------------------


def test_a_smoke_run(folder):
    answer, done = watched(folder)
    assert done == list(STAGES) == [*PREPARING, *ANSWERING]
    first = answer.passages[0]
    source = parse(folder / "documents/yard.pdf").text
    assert "lime tree" in first.passage.text and source[first.passage.start : first.passage.end] == first.passage.text
    assert first.kind == "parent" and first.heading_path == ("Fire",) and first.number == 1
    assert first.citation == f"Yard, version 1, section “Fire”, page 1, characters {first.passage.start}–{first.passage.end}"
    assert answer.words == sum(each.passage.words for each in answer.passages) <= answer.budget == 800
    assert answer.problems == [] and answer.too_long == 0 and list(answer.stages) == list(STAGES)
    for record in answer.stages.values():
        assert record["status"] == "done" and record["seconds"] >= 0 and record["bytes"] > 0 and record["owner"] == "whoever runs it"
    kept = folder.parent / "kept"
    rows = json.loads((kept / "context/context.json").read_text("utf-8"))
    text = (kept / "context/context.md").read_text("utf-8")
    assert [row["citation"] for row in rows] == [each.citation for each in answer.passages]
    assert all(row["citation"] in text and row["text"] in text for row in rows)
    # every child is searched by heading path and text, and brings its parent once
    assert len({each.passage.id for each in answer.passages}) == len(answer.passages)


def test_a_second_question_does_nothing_again_and_leaves_nothing(folder):
    watched(folder)
    before = sorted((file.relative_to(folder), file.stat().st_mtime_ns) for file in folder.rglob("*") if file.is_file())
    answer, done = watched(folder, "Who drives a forklift?", keep=None)
    assert "licence" in answer.passages[0].passage.text and done == []
    after = sorted((file.relative_to(folder), file.stat().st_mtime_ns) for file in folder.rglob("*") if file.is_file())
    assert [name for name, _ in after] == [name for name, _ in before]
    assert "forklift" not in (folder / ".labkit/long/manifest.json").read_text("utf-8")
    assert (folder / ".labkit/.gitignore").read_text() == "*\n"


@pytest.mark.parametrize(
    "options, sees, not_sees",
    [
        ({}, set(), {"cellar", "till"}),
        ({"access": "staff"}, {"cellar"}, set()),
        ({"access": "staff", "as_of": "2026-06-01"}, {"cellar"}, {"hours"}),
        ({"as_of": "2025-06-01"}, {"hours"}, {"cellar"}),
    ],
)
def test_a_reader_sees_what_is_theirs_on_that_day(folder, options, sees, not_sees):
    answer, _ = watched(folder, "cellar key till desk answers from nine to five refund", **options)
    found = {each.passage.doc_id for each in answer.passages}
    assert sees <= found and not not_sees & found
    kept = json.loads((folder.parent / "kept/search/found.json").read_text("utf-8"))
    assert not any(row["id"].startswith(f"{name}@") for row in kept for name in not_sees)


def test_staff_text_moves_no_public_rank_and_is_in_no_public_index(folder):
    watched(folder, "the kettle")
    assert b"catcher" in (folder / ".labkit/long/index/staff.db").read_bytes()
    assert b"catcher" not in (folder / ".labkit/long/index/public.db").read_bytes()
    scores = (folder.parent / "kept/search/found.json").read_text("utf-8")
    (folder / "documents/cellar.md").write_text("# Cellar\n\n## Kettle\n\n" + "the kettle " * 300)
    watched(folder, "the kettle")
    assert (folder.parent / "kept/search/found.json").read_text("utf-8") == scores


@pytest.mark.parametrize("way", ["keyword", "meaning", "both"])
def test_the_budget_holds_and_says_when_nothing_fits(folder, way):
    (folder / "labkit.toml").write_text(f'[long]\nsearch = "{way}"\nminimum = 20\nmaximum = 60\ntiny = 0\nthreshold = 0.9\n')
    kinds = set()
    for budget in (1, 5, 12, 14, 20, 40, 100, 10_000):
        answer, _ = watched(folder, "In a fire everybody walks to the old lime tree", budget=budget)
        delivered = [each.passage for each in answer.passages]
        assert answer.words <= budget and within_budget(delivered, budget) == delivered
        assert bool(answer.too_long > budget) == (not delivered)
        kinds |= {each.kind for each in answer.passages}
        if answer.passages and answer.passages[0].kind == "child":  # it knows where it stands
            assert "Fire" in answer.passages[0].passage.passage and answer.passages[0].heading_path == ("Fire",)
    assert kinds == {"parent", "child"}


def test_a_question_of_nothing_finds_nothing_and_a_judge_may_say_so_too(folder):
    assert watched(folder, "!?")[0].passages == []
    (folder / "labkit.toml").write_text('[long]\nsearch = "keyword"\nrerank = "maxsim"\nleast = 1.0\n')
    answer, _ = watched(folder, "zebra crossing fire")
    assert answer.passages == [] and answer.too_long == 0
    kept = json.loads((folder.parent / "kept/rerank/kept.json").read_text("utf-8"))
    assert kept["kept"] == [] and kept["left"] and "MaxSim" in kept["judge"]


# --- what is done again -----------------------------------------------------------------------------------------------------------------


def settings(text):
    return lambda folder: (folder / "labkit.toml").write_text(f"[long]\n{text}\n")


EDITED = SHOP["documents/returns.md"] + "\n## Bags\n\nNo bag is taken back.\n"


@pytest.mark.parametrize(
    "change, options, done",
    [
        (settings("budget = 20"), {}, ["expand", "context"]),
        (settings("keep = 1"), {}, ["rerank", "expand", "context"]),
        (settings('search = "keyword"'), {}, ["search", "rerank", "expand", "context"]),
        (settings("threshold = -1\nminimum = 0\ntiny = 0\nmaximum = 50"), {}, list(STAGES[2:])),
        (settings("deepest = 1"), {}, list(STAGES[1:])),
        (lambda folder: (folder / "documents/returns.md").write_text(EDITED), {}, list(STAGES)),
        (lambda folder: None, {"question": "gates"}, ["search", "rerank", "expand", "context"]),
        (lambda folder: None, {"start": "rerank"}, ["rerank", "expand", "context"]),
        (lambda folder: None, {"start": "embed"}, ["embed", "index"]),
        (lambda folder: (folder / ".labkit/long/embed/rows.db").write_bytes(b""), {}, ["embed"]),
        (lambda folder: shutil.rmtree(folder / ".labkit"), {}, list(PREPARING)),
    ],
)
def test_only_what_follows_from_a_change_is_done_again(folder, change, options, done):
    watched(folder)
    change(folder)
    again = watched(folder, **options)[1]
    assert again[: len(done)] == done and set(again[len(done) :]) <= set(ANSWERING)  # a new index file, a new search
    assert watched(folder, **{key: value for key, value in options.items() if key != "start"})[1] == []


def test_from_a_stage_refuses_what_is_out_of_date_or_half_done_before_it(folder):
    watched(folder)
    (folder / "documents/returns.md").write_text(EDITED)
    with pytest.raises(StageError, match="read before it is out of date"):
        watched(folder, start="embed")
    with pytest.raises(BadArgument, match="no stage 'cut'"):
        watched(folder, start="cut")
    with pytest.raises(StageError, match=r"from search: the stage read is out of date \(documents changed\) — name none"):
        watched(folder, start="search")  # a stage that answers does not go on from it either
    watched(folder)
    with pytest.raises(StageError, match="search before it was never done"):
        watched(folder, start="expand", keep=folder.parent / "another")
    (folder / ".labkit/kept/embedded.db").unlink()  # or no text would be embedded again
    with pytest.raises(KeyboardInterrupt):
        watched(folder, start="embed", embedder=Fails(KeyboardInterrupt()))
    for start in ("index", *ANSWERING):
        with pytest.raises(StageError, match=rf"from {start}: the stage embed .*\(interrupted\)"):
            watched(folder, start=start, keep=folder.parent / "kept")
    assert watched(folder)[0].passages and watched(folder, start="search")[1] == [*ANSWERING]


class Fails(Words):
    """Fails at the nth passage, as often as told."""

    def __init__(self, error, times=99, after=3):
        super().__init__()
        self.error, self.times, self.left = error, times, after

    def embed(self, texts):
        if any(" › " in text or "\n\n" in text for text in texts) and self.times:
            self.times -= 1
            raise self.error
        return super().embed(texts)


def test_retries_are_bounded_and_a_failure_leaves_what_was_finished(folder):
    (folder / "labkit.toml").write_text('[long]\nattempts = 3\nowners = {embed = "Amira"}\n')
    with pytest.raises(OSError):
        watched(folder, embedder=Fails(OSError(28, "No space left on device")))
    record = manifest(folder)["embed"]
    assert (record["status"], record["attempts"], record["owner"]) == ("failed", 3, "Amira") and "No space left" in record["reason"]
    assert not (folder / ".labkit/long/embed").exists() and not (folder / ".labkit/long/embed.part").exists()
    with pytest.raises(StageError, match=r"embed before it is not finished \(failed\)"):
        watched(folder, start="index")
    answer, done = watched(folder, embedder=Fails(OSError(28, "again"), times=2))
    assert done == ["embed", "index", *ANSWERING] and manifest(folder)["embed"]["attempts"] == 3 and answer.passages
    shutil.rmtree(folder / ".labkit")
    with pytest.raises(RuntimeError):
        watched(folder, embedder=Fails(RuntimeError("the model is broken")))
    assert manifest(folder)["embed"]["attempts"] == 1  # only the system gets another try


def test_a_full_disk_sets_no_document_aside_and_is_tried_again(folder, monkeypatch):
    """SQLite has an error of its own for it, which is the document's fault as little as the system's own one."""
    keep, left = long_work.VectorStore.keep, [2]

    def full(self, model, rows):
        if left[0] and self._name.endswith("embedded.db"):
            left[0] -= 1
            error = sqlite3.OperationalError("database or disk is full")
            raise indexfile.told(self._name, error) from error
        keep(self, model, rows)

    long = "\n\n".join(f"{'A kettle that leaks comes back within thirty days. ' * 18}Part {part}." for part in range(3))
    (folder / "documents/returns.md").write_text(f"# Returns\n\n## Window\n\n{long}\n")  # so long that its pieces are compared by meaning
    monkeypatch.setattr(long_work.VectorStore, "keep", full)
    with pytest.raises(IndexFileError, match="disk is full"):
        watched(folder)
    record = manifest(folder)["children"]
    assert (record["status"], record["attempts"], record.get("set_aside")) == ("failed", 2, None)
    left[0] = 1
    answer, _ = watched(folder)
    record = manifest(folder)["children"]
    assert (record["status"], record["attempts"], record["set_aside"], answer.problems) == ("done", 2, [], [])


def test_a_stage_that_leaves_too_little_is_refused(folder, monkeypatch):
    monkeypatch.setattr(long_work.VectorIndex, "add", lambda self, pairs: None)
    with pytest.raises(StageError, match=r"the stage index ended with a result that is not whole: public.db \(rows\) holds 0 of"):
        watched(folder)
    assert manifest(folder)["index"]["status"] == "failed"


@pytest.mark.parametrize(
    "stage, name, spoil, said",
    [
        ("search", "_search", [{"rank": 1, "id": "cellar@v1#parent_0001_child_1"}], "none of this reader's children"),
        ("search", "_search", [{"rank": 1, "id": "returns@v1#parent_0001_child_1"}] * 2, "stands twice"),
        ("rerank", "_rerank", {"judge": "", "kept": [{"id": str(n)} for n in range(21)], "left": []}, "21 of at most 20"),
        ("expand", "_expand", {"words": 801, "too_long": 0, "delivered": []}, "801 words of a budget of 800"),
    ],
)
def test_an_answering_stage_is_checked(folder, monkeypatch, stage, name, spoil, said):
    file = {"search": "found.json", "rerank": "kept.json", "expand": "delivered.json"}[stage]
    monkeypatch.setattr(long_asking, name, lambda *given: long_asking.write(given[-1].folder / file, spoil))
    with pytest.raises(StageError, match=said):
        watched(folder)


# --- what cannot be dealt with ----------------------------------------------------------------------------------------------------------


def test_documents_that_fail_are_set_aside_with_the_reason_and_the_others_go_on(folder):
    streams = [text_stream(text) for text in ("Wash the van with soap, from its roof down.", "Dry the van with a cloth that is clean.")]
    raw = zlib.compress(streams[1])
    van = by_hand(streams, compress=True)
    assert raw in van
    bad = {
        "documents/torn.pdf": b"%PDF-1.7\nnothing", "documents/empty.md": b"", "documents/bare.md": b"# Only a title\n",
        "documents/van.pdf": van.replace(raw, raw[:10] + bytes(len(raw) - 10)),
    }  # fmt: skip
    documents(folder, bad)
    inventory(folder, FILES | bad)
    answer, _ = watched(folder)
    assert "lime tree" in answer.passages[0].passage.text
    told = {each["file"]: each for each in answer.problems}
    assert set(told) == set(bad) and told["documents/van.pdf"]["page"] == 2 and all(each["what"] and each["todo"] for each in told.values())
    records = manifest(folder)
    aside = {each["item"]: each["reason"] for each in records["read"]["set_aside"]}
    assert set(aside) == set(bad) - {"documents/bare.md"} and aside["documents/van.pdf"].startswith("page 2: ")
    assert [each["item"] for each in records["parents"]["set_aside"]] == ["documents/bare.md"]
    found, _ = watched(folder, "soap van")  # what could be read of it is there
    assert found.passages[0].passage.doc_id == "van"
    documents(folder, {"documents/torn.pdf": drawn(rules)})  # the cure
    assert "documents/torn.pdf" not in {each["file"] for each in watched(folder)[0].problems}


def test_a_document_that_cannot_be_embedded_is_set_aside(folder):
    class Chokes(Words):
        def embed(self, texts):
            if any("catcher" in text for text in texts):
                raise LabError("the model gave no usable numbers for a text — check its files")
            return super().embed(texts)

    (folder / "labkit.toml").write_text("[long]\nminimum = 10\ntiny = 0\nmaximum = 60\n")
    documents(folder, {"documents/cellar.md": "# Cellar\n\n## Rats\n\nCall the catcher for any rat.\n\nPay her in coins, or in cheese.\n"})
    answer, _ = watched(folder, access="staff", embedder=Chokes())
    (problem,) = answer.problems
    assert problem["file"] == "documents/cellar.md" and "children: the model gave" in problem["what"]
    assert manifest(folder)["children"]["set_aside"][0]["item"] == "documents/cellar.md" and answer.passages


@pytest.mark.parametrize(
    "files, said",
    [
        ({"documents/a.md": b"", "documents/b.pdf": b"%PDF"}, "no document can be read:\ndocuments/a.md: the file is empty"),
        ({"documents/a.md": b"# Title\n"}, "of no document there are parents:\ndocuments/a.md: it holds no more than its title"),
    ],
)
def test_where_no_document_is_left_the_stage_fails_and_says_why(tmp_path, files, said):
    documents(tmp_path, files)
    inventory(tmp_path, files)
    with pytest.raises(StageError) as error:
        ask(tmp_path, "Anything?", embedder=Words())
    assert str(error.value).startswith(said)
    assert manifest(tmp_path)["parents"]["status"] == "failed"


@pytest.mark.parametrize(
    "options, said",
    [
        ({"question": " "}, "no question"), ({"access": "all"}, "access is 'all'"), ({"as_of": "soon"}, "soon"),
        ({"budget": 0}, "budget is 0"),
    ],
)  # fmt: skip
def test_what_makes_no_sense(folder, options, said):
    with pytest.raises(BadArgument, match=said):
        watched(folder, **options)


def test_no_folder_and_a_link_in_the_place(tmp_path, folder):
    with pytest.raises(FaultsError):
        ask(tmp_path / "nowhere", "Anything?", embedder=Words())
    (tmp_path / "elsewhere").mkdir()
    (folder / ".labkit").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StageError, match="is a link"):
        watched(folder)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_two_at_once_wait_for_each_other(folder):
    answers = []
    threads = [threading.Thread(target=lambda n=n: answers.append(ask(folder, f"fire {n}", embedder=Words()))) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(answers) == 4 and all("lime tree" in each.passages[0].passage.text for each in answers)


# --- one place for settings, one reader for all -----------------------------------------------------------------------------------------


def test_the_lines_to_start_from_say_what_holds_anyway(tmp_path):
    (tmp_path / "labkit.toml").write_text(LONG_TOML)
    assert load_settings(tmp_path).long == load_settings(tmp_path / "nowhere").long
    lines = LONG_TOML.replace("\n#owners = ", "\n#owners = {} # ").replace("\n#", "\n").split("\n")
    (tmp_path / "labkit.toml").write_text("\n".join(line for line in lines if " = " in line or line.startswith("[")))
    assert load_settings(tmp_path).long == load_settings(tmp_path / "nowhere").long
    assert all(f"# {row.name}: {row.reason}." in LONG_TOML for row in LONG) and max(map(len, LONG_TOML.split("\n"))) <= 140


@pytest.mark.parametrize(
    "text, said",
    [
        ("long = 7", "1: long: 7 — begin it with a line [long]"),
        ("[long]\nbudgt = 7", "2: [long] has no 'budgt' — did you mean 'budget'?"),
        ("k = 5\n[long]\n\nbudget = 0", "4: budget: 0 — a whole number from 1"),
        ("[long]\nthreshold = 2", "2: threshold: 2 — a number from -1 to 1"),
        ("[long]\nleast = true", "2: least: True — a number from 0 to 1"),
        ('[long]\nsearch = "menaing"', "2: search: 'menaing' — did you mean 'meaning'?"),
        ('[long]\nmodel = "../m"', "2: model: '../m' leaves the folder"),
        ('[long]\nrerank = "judge"', "2: rerank: there is no model 'judge' — there are none and maxsim, or a folder"),
        ("[long]\nminimum = 2000", "2: tiny = 150, minimum = 2000, maximum = 1600 — each must be at most as large"),
        ('[long]\nowners = {cut = "Mei"}', "2: owners: there is no stage 'cut'"),
        ('[long.owners]\nread = ""', "1: owners: {'read': ''} — a name a stage"),
    ],
)
def test_slips_are_told_with_their_line(tmp_path, text, said):
    (tmp_path / "labkit.toml").write_text(text)
    with pytest.raises(SettingsError) as error:
        load_settings(tmp_path)
    (fault,) = error.value.faults
    assert f"{fault.line}: {fault.what} — {fault.todo}".startswith(said)


def test_the_report_shares_what_was_read_and_is_not_disturbed(tmp_path, monkeypatch):
    folder = shop(tmp_path / "shop", "[long]\nbudget = 50\n")
    questions(folder, [asked(*each) for each in (("Q1", "How long can I send a kettle back?", ("returns", "Window", "thirty days")),)])
    before = make_report(folder)
    kept = sorted((folder / ".labkit/kept").iterdir())
    watched(folder)
    assert [file for file in sorted((folder / ".labkit/kept").iterdir()) if file.name != "embedded.db"] == kept
    assert make_report(folder) == before and "long" not in before["settings"]


def test_the_page_shows_settings_and_contracts_as_they_are():
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import long_documents
    finally:
        sys.path.pop(0)
    page = (ROOT / long_documents.PAGE).read_text("utf-8")
    made = {"settings": f"```toml\n{LONG_TOML}```", "contracts": long_documents.contracts()}
    assert long_documents.with_parts(page, made) == page, "make record"
    assert [stage.name for stage in all_stages()] == list(STAGES) and all(stage.promises and stage.on_failure for stage in all_stages())
    names = ["settings", "contracts", "golden", "rollback", "failure-page", "failure-stage"]
    assert all(page.count(f"<!-- recorded: {name} -->") == 1 for name in names)
    with pytest.raises(LabError, match="must stand in it once"):
        long_documents.with_parts(page, {"nowhere": ""})


# --- the command ------------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def small_model(monkeypatch):
    monkeypatch.setattr(long_asking, "model_named", lambda name, base: Words())


def test_the_command(labkit, folder, small_model):
    code, out, err = labkit("ask", folder, "To which", "old", "lime", "tree", "in a fire?", "--budget", 60)
    assert code == 0 and out.startswith("[1] Yard\n    Fire\n") and "— Yard, version 1, section “Fire”, page 1, characters" in out
    assert [line.split(":")[0] for line in err.splitlines()] == list(PREPARING)
    code, out, err = labkit("ask", folder, "cellar key", "--access", "staff", "--json")
    found = json.loads(out)
    assert (code, err) == (0, "") and found["passages"][0]["doc_id"] == "cellar" and found["passages"][0]["access"] == "staff"
    assert found["words"] <= found["budget"] == 800 and list(found["stages"]) == list(STAGES)
    assert "(staff only)" in labkit("ask", folder, "cellar key", "--access", "staff")[1]
    assert "Nothing was found. You ask as a public reader, and of 7 documents staff alone" in labkit("ask", folder, "?!")[1]
    assert labkit("ask", folder, "?!", "--access", "staff")[1].strip() == "Nothing was found."
    assert "a larger --budget" in labkit("ask", folder, "fire", "--budget", 1)[1]


def test_without_a_question_the_stages_are_shown(labkit, folder, small_model):
    (folder / "labkit.toml").write_text('[long.owners]\nread = "Mei"\n')
    documents(folder, {"documents/torn.pdf": b"%PDF"})
    inventory(folder, [*FILES, "documents/torn.pdf"])
    code, out, err = labkit("ask", folder)
    rows = [line.split() for line in out.splitlines()[2:]]
    assert code == 0 and [row[0] for row in rows] == list(PREPARING) and rows[0][1:4] == ["done", "Mei", "1"]
    assert "not whole: documents/torn.pdf" in err
    assert set(json.loads(labkit("ask", folder, "--json")[1])) == {"stages", "problems"}
    for more in (["--budget", 5], ["--as-of", "2026-01-01"], ["--keep", folder], ["--from", "expand"]):
        code, out, err = labkit("ask", folder, *more)
        assert (code, out) == (2, "") and f"{more[0]} is about a question" in err
    assert labkit("ask", folder, "--from", "embed")[2].splitlines()[0].startswith("embed: done")


def test_with_the_real_model_from_a_shell(folder):
    command = [sys.executable, "-m", "labkit", "ask", str(folder), "When is the yard locked at night?", "--json", "--budget", "40"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=100)
    assert done.returncode == 0, done.stderr
    assert any("gates are shut" in each["text"] for each in json.loads(done.stdout)["passages"])


def test_make_ready_says_how_the_stages_stand(folder):
    ready = make_ready(folder, embedder=Words())
    assert list(ready.records) == list(PREPARING) and ready.problems == [] and len(ready.documents) == len(FILES)


def test_a_cross_encoder_from_a_folder_judges(folder):
    from test_cross_encoder import folder_of

    folder_of(folder / "judge")
    (folder / "labkit.toml").write_text('[long]\nrerank = "judge"\nleast = 0.0\n')
    watched(folder, "kettle")
    kept = json.loads((folder.parent / "kept/rerank/kept.json").read_text("utf-8"))
    assert kept["judge"].startswith("judge (") and all(0 <= row["score"] <= 1 for row in kept["kept"])
    assert [row["score"] for row in kept["kept"]] == sorted((row["score"] for row in kept["kept"]), reverse=True)
