"""The report on somebody's folder: its numbers by a second way, what each setting does, what is done again and what is not."""

import json
import math
import shutil
from datetime import date, timedelta
from pathlib import Path

import pytest
from own_folders import ASKED, SHOP, asked, documents, inventory, questions, shop

from labkit import load_inventory, load_questions, parse, questions_markdown
from labkit.embedding.models import load_embedder
from labkit.errors import BadArgument, FaultsError, LabError
from labkit.evaluation.attribution import stage_of
from labkit.evaluation.budget import evaluate_at_budgets
from labkit.evaluation.metrics import evaluate, summarise
from labkit.evaluation.significance import compare, interval
from labkit.own import asking
from labkit.own.against import compared_with, load_report
from labkit.own.export import export
from labkit.own.material import load_material
from labkit.own.report_csv import csv_of
from labkit.own.report_page import page_of
from labkit.own.reporting import STAGES, make_report
from labkit.own.settings import load_settings
from labkit.own.tokens import tokens
from labkit.own.verdict import verdict_of
from labkit.own.work import stages_of
from labkit.retrieval.collection_index import CollectionIndex
from labkit.retrieval.keyword import KeywordIndex
from labkit.retrieval.vectors import VectorIndex
from labkit.stages import StageError


@pytest.fixture
def folder(tmp_path):
    return shop(tmp_path / "Un magasin à nous")


def watched(folder, **options):
    """(the report, the stages that were done)."""
    seen = []
    made = make_report(folder, progress=lambda *told: seen.append(told), **options)
    return made, [stage for stage, done, of, what in seen if what == "done"]


def scored(made, metric, budget, method="structure"):
    return next(row for row in made["scores"] if (row["method"], row["budget"], row["metric"]) == (method, budget, metric))


def rows(made, method="structure", budget=100):
    return {row["id"]: row for row in made["per_question"] if (row["method"], row["budget"]) == (method, budget)}


# --- the numbers --------------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def larkfield(tmp_path_factory):
    """The course's collection as somebody's own folder, over versions in force or not, as the course's lessons search it."""
    folder = tmp_path_factory.mktemp("own") / "goods"
    source = load_inventory()[0].path.parent.parent
    shutil.copytree(source / "documents", folder / "documents")
    shutil.copy(source / "inventory.csv", folder)
    shutil.copy(load_questions()[0].file, folder / "questions.jsonl")
    (folder / "labkit.toml").write_text('as_of = "any"\n')
    return folder, make_report(folder)


@pytest.mark.parametrize("name, chunker", [("structure", "by_structure"), ("fixed", "fixed"), ("overlapping", "overlapping")])
def test_the_numbers_are_those_of_the_courses_own_harness(larkfield, name, chunker):
    _, made = larkfield
    asked_ = load_questions()
    with CollectionIndex(chunker=chunker) as index:
        index.update(load_inventory())
        search = index.as_search("staff")
        expected = evaluate_at_budgets(asked_, search)
        given = search.given
        missed = {
            (question.id, budget): str(stage_of(question, search, passages=given, budget=budget))
            for question in asked_
            for budget in (100, 200, 400)
        }
        at_k = evaluate(asked_, search, 5)
    found = [row for row in made["per_question"] if row["method"] == name]
    assert len(found) == len(expected)
    ours = {(row["id"], row["budget"]): row for row in found}
    for row in expected.to_dict("records"):
        mine = ours[row["id"], row["budget"]]
        for metric in ("hit", "recall", "evidence", "evidence_in_context"):
            assert (mine[metric] is None) == math.isnan(row[metric])
            assert mine[metric] is None or mine[metric] == pytest.approx(row[metric], abs=1e-6)
        assert mine["words_used"] == row["words_used"]
    for row in summarise(expected).to_dict("records"):
        for metric, theirs in (("hit", "hit"), ("evidence", "evidence"), ("words_used", "words"), ("unique_words", "unique_words")):
            assert scored(made, metric, row["budget"], name)["mean"] == pytest.approx(row[theirs], abs=1e-6)
    got = scored(made, "hit", 200, name)
    wanted = interval(expected, budget=200)
    assert (got["low"], got["high"], got["n"]) == pytest.approx((wanted.low, wanted.high, 59), abs=1e-6)
    (hit_at_k,) = [row for row in made["scores"] if (row["method"], row["k"], row["metric"]) == (name, 5, "hit")]
    assert hit_at_k["mean"] == pytest.approx(summarise(at_k)["hit"][0], abs=1e-6) and hit_at_k["budget"] is None
    misses = {(row["id"], row["budget"]): row["detail"] for row in made["misses"] if row["method"] == name}
    assert misses == {key: said for key, said in missed.items() if said not in ("found", "not scored")}
    for id_, rank in zip(at_k["id"], at_k["first_rank"].fillna(0), strict=True):
        mine = rows(made, name)[id_]["first_rank"]
        assert mine == rank if rank else mine is None or mine > 5


def test_comparisons_are_one_family_against_the_first(larkfield):
    _, made = larkfield
    found = made["comparisons"]
    assert len(found) == 2 * 3 * 2
    assert {row["b"] for row in found} == {"structure"} and {row["a"] for row in found} == {"fixed", "overlapping"}
    ordered = sorted(found, key=lambda row: row["p"])
    assert ordered[0]["p_holm"] == pytest.approx(min(1, 12 * ordered[0]["p"]), rel=1e-4) and all(row["p"] > 0 for row in found)
    tables = {}
    for method in ("structure", "fixed"):
        with CollectionIndex(chunker={"structure": "by_structure"}.get(method, method)) as index:
            index.update(load_inventory())
            tables[method] = evaluate_at_budgets(load_questions(), index.as_search("staff"), [100])
    expected = compare(tables["fixed"], tables["structure"], "evidence_in_context")
    (row,) = [row for row in found if (row["a"], row["budget"], row["metric"]) == ("fixed", 100, "evidence_in_context")]
    assert (row["wins"], row["losses"], row["ties"], row["n"]) == (expected.wins, expected.losses, expected.ties, 59)
    assert (row["difference"], row["low"], row["high"]) == pytest.approx((expected.difference, expected.low, expected.high), abs=1e-6)


def test_what_was_cut_and_what_the_questions_can_show(larkfield):
    _, made = larkfield
    methods = {row["name"]: row for row in made["methods"]}
    assert {row["tables"]["n"] for row in made["methods"]} == {14}
    assert methods["structure"]["tables"]["whole"] == 14 > methods["fixed"]["tables"]["whole"]
    assert methods["structure"]["begins_inside"] == 0 < methods["fixed"]["begins_inside"]
    assert methods["fixed"]["words_stored"] == made["collection"]["words"] < methods["overlapping"]["words_stored"]
    assert made["power"] == {"n": 59, "sees_points": pytest.approx(600 / 59, abs=1e-6), "for_10": 116, "for_5": 469, "discordant": 0.15}
    assert made["collection"]["formats"] == {"md": 32, "html": 2, "pdf": 2} and made["collection"]["name"] == "goods"
    assert (made["questions"]["n"], made["questions"]["scored"], made["questions"]["unanswerable"]) == (67, 59, 8)


def test_it_is_json_and_the_same_wherever_it_is_made(folder, tmp_path, monkeypatch):
    made = make_report(folder)
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    elsewhere = tmp_path / "far" / folder.name
    shutil.copytree(folder, elsewhere, ignore=shutil.ignore_patterns(".labkit"))
    monkeypatch.chdir(elsewhere)
    assert json.dumps(make_report(".")) == json.dumps(made)
    assert str(tmp_path) not in json.dumps(made)


def test_on_all_cores_it_is_the_same(finished, again, monkeypatch):
    monkeypatch.setattr(asking, "_WORTH_IT", 0)
    monkeypatch.setattr(asking, "_AT_ONCE", 2)
    monkeypatch.setattr(asking, "cores", lambda: 2)
    monkeypatch.setattr(asking, "_one_by_one", lambda *_: pytest.fail("asked here"))
    (again / "lines.py").write_text(LINES)
    (again / "labkit.toml").write_text(QUICK + OWN.replace("'fixed'", "'by_structure'\nname = 'x'"))
    assert watched(again, start="cut")[1] == ["cut", "index", "search", "score"]
    theirs = [row | {"method": ""} for row in finished[1][0]["per_question"]]
    found = make_report(again)["per_question"]
    assert [row | {"method": ""} for row in found if row["method"].startswith("by_structure")] == theirs


def test_a_small_shop(folder):
    made = make_report(folder)
    assert made["collection"] | {"words": 0} == {
        "name": folder.name, "documents": 5, "unreadable": [], "words": 0, "formats": {"md": 4, "html": 1}, "languages": {"en": 4, "fr": 1},
        "access": {"public": 4, "staff": 1},
    }  # fmt: skip
    assert made["questions"]["kinds"] == {"answerable": 6, "unanswerable": 1} and made["questions"]["files"] == ["questions.jsonl"]
    assert {row["hit"] for id_, row in rows(made).items() if id_ != "Q7"} == {1.0} and rows(made)["Q7"]["hit"] is None
    assert (rows(made)["Q7"]["words_used"], rows(made)["Q7"]["first_rank"]) == (0, None)
    assert made["power"]["sees_points"] == 100.0 and made["verdict"] == [] and made["against"] is None


# --- each setting has effect --------------------------------------------------------------------------------------------------------------


def with_settings(folder: Path, text: str):
    (folder / "labkit.toml").write_text(text, "utf-8")
    return make_report(folder)


def test_k(folder):
    made = with_settings(folder, "k = 1")
    assert {row["k"] for row in made["scores"] if row["k"] is not None} == {1}


def test_budgets_unit_and_last(folder):
    tiny = with_settings(folder, "budgets = [9]")
    assert {row["budget"] for row in tiny["per_question"]} == {9} and all(row["words_used"] <= 9 for row in tiny["per_question"])
    assert rows(tiny, budget=9)["Q1"]["hit"] == 0.0
    (miss,) = [row for row in tiny["misses"] if (row["id"], row["method"]) == ("Q1", "structure")]
    assert (miss["stage"], miss["rank"], miss["gold"]) == ("cut by the budget", 1, ["returns@v1#window"])
    cut = with_settings(folder, 'budgets = [9]\nlast = "cut"')
    assert rows(cut, budget=9)["Q1"]["hit"] == 1.0 and rows(cut, budget=9)["Q1"]["words_used"] == 9
    counted = with_settings(folder, 'budgets = [13]\nunit = "tokens"')
    text = "Returns\n\n## Window\n\nSend the kettle back within thirty days."
    assert tokens(text) == 13 and rows(counted, budget=13)["Q1"]["words_used"] == 13
    assert not [row for row in counted["scores"] if row["metric"] == "unique_words"]
    assert counted["settings"]["unit"]["value"] == "tokens"


def test_access_and_language(folder):
    public = with_settings(folder, 'access = "public"')
    (miss, *_) = [row for row in public["misses"] if row["id"] == "Q6"]
    assert miss["stage"] == "filtered" and rows(public)["Q6"]["hit"] == 0.0 and rows(public)["Q1"]["hit"] == 1.0
    french = with_settings(folder, 'language = "fr"')
    assert french["questions"]["n"] == 1 and set(rows(french)) == {"Q5"} and rows(french)["Q5"]["hit"] == 1.0
    assert rows(french)["Q5"]["words_used"] < 20


def test_a_language_in_which_nobody_asks(folder):
    spanish = with_settings(folder, 'language = "es"')
    assert spanish["questions"]["n"] == 0 and spanish["comparisons"] == spanish["per_question"] == []
    assert {row["mean"] for row in spanish["scores"]} == {None} and "in the language 'es'" in verdict_of(spanish)[0]
    assert "No question is scored" in page_of(spanish) and "table,method" in csv_of(spanish)


def test_as_of(folder):
    inventory(folder, SHOP, effective_to={"documents/returns.md": "2025-12-31"})
    of_question = make_report(folder)
    assert rows(of_question)["Q1"]["hit"] == 0.0
    assert {row["stage"] for row in of_question["misses"] if row["id"] == "Q1"} == {"filtered"}
    assert rows(with_settings(folder, "as_of = 2025-06-01"))["Q1"]["hit"] == 1.0
    assert rows(with_settings(folder, 'as_of = "any"'))["Q1"]["hit"] == 1.0
    assert rows(with_settings(folder, "as_of = 2023-06-01"))["Q2"]["words_used"] == 0


def test_stem_and_stop_words(folder):
    questions(folder, [asked("S1", "refunding", ("till", "Refunds", "forty dollars")), asked("S2", "kettle", ("returns", "Cost", "nine"))])
    assert rows(make_report(folder))["S1"]["hit"] == 0.0 and rows(make_report(folder))["S2"]["words_used"] > 0
    stemmed = with_settings(folder, "stem = true\nstop_words = ['kettle']")
    assert rows(stemmed)["S1"]["hit"] == 1.0 and rows(stemmed)["S2"]["words_used"] == 0
    (miss, *_) = [row for row in make_report(folder)["misses"] if row["id"] == "S2"]
    assert miss["stage"] == "no shared word" or miss["rank"]


def test_chunkers_and_searches(folder):
    made = with_settings(
        folder,
        "[[chunkers]]\nuse = 'sections'\n[[chunkers]]\nname = 'small'\nuse = 'fixed'\nsize = 4\n"
        "[[searches]]\n[[searches]]\nname = 'English'\nstem = true\nstop_words = ['the']\n",
    )
    names = ["sections() + keyword", "sections() + English", "small + keyword", "small + English"]
    assert [row["name"] for row in made["methods"]] == names and {row["b"] for row in made["comparisons"]} == {names[0]}
    assert [row["a"] for row in made["comparisons"]][:3] == names[1:]
    assert made["methods"][1]["search"] == "BM25 keyword search, English endings taken off, 1 stop word left out"
    assert made["methods"][3]["chunker"] == "fixed(size=4)" and made["methods"][3]["median_words"] == 4.0
    one = with_settings(folder, "[[chunkers]]\nuse = 'fixed'\n")
    assert one["comparisons"] == [] and [row["name"] for row in one["methods"]] == ["fixed(size=100)"]


def test_searches_by_words_by_meaning_and_by_both(folder):
    made = with_settings(
        folder,
        "budgets = [20]\nk = 2\n[[chunkers]]\nuse = 'by_structure'\n"
        "[[searches]]\nname = 'words'\n[[searches]]\nuse = 'meaning'\n[[searches]]\nuse = 'both'\n",
    )
    words_, meaning, both = (row["name"] for row in made["methods"])
    assert made["methods"][2]["search"] == "BM25 keyword search, search by meaning (multilingual), fused by rank"
    assert rows(made, words_, 20)["Q7"]["words_used"] == 0 < rows(made, meaning, 20)["Q7"]["words_used"]  # there is always a nearest one
    assert rows(made, both, 20)["Q1"]["first_rank"] == 1
    passages = {each["id"]: each["passage"] for each in map(json.loads, export(folder))}
    index = VectorIndex(embedder=load_embedder())
    index.add(passages.items())
    expected = [hit.id for hit in index.search(ASKED[2][1], 7)]
    with (folder / ".labkit/search/found-02.jsonl").open(encoding="utf-8") as file:
        assert [json.loads(line)["found"] for line in file if '"Q3"' in line] == [expected]
    assert not [row for row in made["misses"] if row["method"] == meaning and row["stage"] == "no shared word"]
    shutil.rmtree(folder / ".labkit/index")
    assert watched(folder) == (made, ["index"])  # from the rows that are kept


def test_question_files(folder):
    questions(folder, [asked(*ASKED[0])], "mine.jsonl")
    assert with_settings(folder, 'questions = ["mine.jsonl"]')["questions"]["n"] == 1
    both = 'questions = ["questions.jsonl", "mine.jsonl"]'
    with pytest.raises(FaultsError, match=r"mine.jsonl:1: the id 'Q1' stands in questions.jsonl already"):
        with_settings(folder, both)
    questions(folder, [asked("Z", *ASKED[0][1:])], "mine.jsonl")
    made = with_settings(folder, both)
    assert made["questions"]["files"] == ["questions.jsonl", "mine.jsonl"]
    assert set(rows(made)) == {*(each[0] for each in ASKED), "Z"}
    with pytest.raises(FaultsError, match=r"none.md: there is no such file — check its name, which stands in labkit.toml"):
        with_settings(folder, 'questions = ["questions.jsonl", "none.md"]')


# --- what is done again -------------------------------------------------------------------------------------------------------------------


def replace(name: str, old: str, new: str):
    def change(folder: Path) -> None:
        text = (folder / name).read_text("utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new), "utf-8", newline="")

    return change


QUICK = "budgets = [100]\n[[chunkers]]\nuse = 'by_structure'\n"


def setting(text: str):
    """QUICK with one more line, or another text in its place."""
    return lambda folder: (folder / "labkit.toml").write_text(text if "[[" in text else f"{text}\n{QUICK}", "utf-8")


EVERY = list(STAGES)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A shop with its report made."""
    folder = shop(tmp_path_factory.mktemp("finished") / "shop", QUICK)
    return folder, watched(folder)


@pytest.fixture
def again(finished, tmp_path):
    """A copy of it, to change."""
    return shutil.copytree(finished[0], tmp_path / "shop")


@pytest.mark.parametrize(
    "change, done",
    [
        (lambda folder: None, []),
        # as many words as before, and another text
        (replace("documents/returns.md", "thirty days.\n\n## Cost", "thirty days!\n\n## Cost"), EVERY),
        (replace("documents/hours.html", "<h1>", "<h1 class='x'>"), ["read", "cut", "score"]),
        (replace("inventory.csv", "Hours", "Desk"), EVERY),
        (replace("inventory.csv", "Grace", "Mei"), []),
        (replace("inventory.csv", "2024-01-01", "2024-01-02"), ["search", "score"]),
        (replace("questions.jsonl", "send a kettle", "send a cup"), ["search", "score"]),
        (replace("questions.jsonl", "within thirty days", "thirty days"), ["score"]),
        (setting("k = 3"), ["search", "score"]),
        (setting(QUICK.replace("100", "50")), ["search", "score"]),
        (setting("stem = true"), ["index", "search", "score"]),
        (setting("stop_words = ['the']"), ["search", "score"]),
        (setting("unit = 'tokens'"), ["index", "search", "score"]),
        (setting(QUICK.replace("by_structure", "fixed")), ["cut", "index", "search", "score"]),
        (setting("access = 'public'"), ["index", "search", "score"]),
        (lambda folder: shutil.rmtree(folder / ".labkit" / "kept"), []),
        (lambda folder: shutil.rmtree(folder / ".labkit" / "index"), ["index"]),
        (lambda folder: shutil.rmtree(folder / ".labkit"), EVERY),
        (lambda folder: (folder / ".labkit/cut/chunks-01.jsonl").write_text(""), ["cut"]),
    ],
)
def test_only_what_follows_from_a_change_is_done_again(finished, again, change, done):
    first, all_done = finished[1]
    assert all_done == EVERY
    change(again)
    made, these = watched(again)
    assert these == done
    assert made == first if not done else watched(again) == (made, [])
    shutil.rmtree(again / ".labkit")
    assert make_report(again) == made  # as if it had never been made before


def test_from_a_stage_on(folder, again):
    with pytest.raises(StageError, match="from score: the stage read before it was never done"):
        make_report(folder, start="score")
    folder = again
    for place, name in enumerate(STAGES):
        assert watched(folder, start=name)[1] == list(STAGES[place:])
    replace("documents/returns.md", "thirty days", "sixty days")(folder)
    replace("questions.jsonl", "thirty days", "sixty days")(folder)
    with pytest.raises(StageError, match=r"the stage read before it is out of date \(documents changed\)"):
        make_report(folder, start="search")
    assert watched(folder, start="read")[1] == EVERY
    with pytest.raises(BadArgument, match="no stage 'all' — there are read, cut, index, search, score"):
        make_report(folder, start="all")


@pytest.mark.parametrize("stage", STAGES)
def test_ctrl_c_in_a_stage_loses_none_before_it(finished, again, stage):
    folder = again
    shutil.rmtree(folder / ".labkit")

    def stop(name, done, of, what):
        if name == stage and done < of:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_report(folder, progress=stop)
    made, done = watched(folder)
    assert done == EVERY[EVERY.index(stage) :] and made == finished[1][0]


def shorter(name: str):
    """Takes the last line, or the last entry of a list or table, away."""

    def spoil(folder: Path) -> None:
        text = (folder / name).read_text("utf-8")
        if name.endswith(".jsonl"):
            (folder / name).write_text("".join(text.splitlines(keepends=True)[:-1]), "utf-8")
            return
        held = json.loads(text)
        (held if isinstance(held, list) else held["per_question"]).pop()
        (folder / name).write_text(json.dumps(held), "utf-8")

    return spoil


def without_a_text(folder: Path) -> None:
    with KeywordIndex(folder / "words-01-plain.db") as index:
        index.remove([index.search("kettle")[0].id])


@pytest.mark.parametrize(
    "stage, spoil, said",
    [
        ("read", shorter("documents.json"), "documents.json holds 4 of 5"),
        ("cut", shorter("chunks-01.jsonl"), "chunks-01.jsonl holds 6 of 7"),
        ("index", without_a_text, "words-01-plain.db holds 6 of 7"),
        ("index", lambda folder: (folder / "words-01-plain.db").unlink(), "words-01-plain.db is missing"),
        ("search", shorter("found-01.jsonl"), "found-01.jsonl holds 6 of 7"),
        ("score", shorter("scores.json"), "scores.json holds 6 of 7"),
    ],
)
def test_a_result_that_is_half_done_is_seen(again, stage, spoil, said):
    settings = load_settings(again)
    check = {each.name: each.check for each in stages_of(load_material(again, settings), settings)}[stage]
    assert check(again / ".labkit" / stage) == ""
    spoil(again / ".labkit" / stage)
    assert check(again / ".labkit" / stage) == said


def test_what_was_read_before_a_failure_is_not_read_again(folder, monkeypatch):
    def stop(name, done, of, what):
        if name == "cut":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_report(folder, progress=stop)
    import labkit.parsing.many as many

    monkeypatch.setattr(many, "_parsed", lambda source: pytest.fail(f"{source} is read again"))
    make_report(folder)


# --- an own chunker -----------------------------------------------------------------------------------------------------------------------

LINES = """
from labkit.chunking import Cut, make_chunks

def by_line(parsed, least=1):
    if parsed.doc_id == "SPOILT":
        raise ValueError("no lines here")
    cuts, start = [], 0
    for line in parsed.text.split("\\n"):
        if len(line) >= least:
            cuts.append(Cut(start, start + len(line)))
        start += len(line) + 1
    return make_chunks(parsed, cuts, f"by_line(least={least})")
"""
OWN = "[[chunkers]]\nuse = 'fixed'\n[[chunkers]]\nname = 'lines'\nuse = 'lines:by_line'\n"


def test_a_chunker_of_ones_own_is_measured_and_cut_anew_each_time(folder):
    (folder / "lines.py").write_text(LINES)
    made = with_settings(folder, OWN)
    assert rows(made, "lines")["Q1"]["evidence"] == 1.0 and made["methods"][1]["chunker"] == "lines:by_line"
    assert watched(folder)[1] == ["cut"]  # it comes out the same, so the rest stands
    (folder / "lines.py").write_text(LINES.replace("least=1", "least=20"))
    changed, done = watched(folder)
    assert done == ["cut", "index", "search", "score"] and changed["methods"][1]["chunks"] < made["methods"][1]["chunks"]


def test_a_document_that_an_own_chunker_cannot_cut_is_set_aside_and_told(folder):
    (folder / "lines.py").write_text(LINES.replace("SPOILT", "returns"))
    made = with_settings(folder, OWN)
    (told,) = made["collection"]["unreadable"]
    assert told["file"] == "documents/returns.md" and not told["searched"]
    assert told["what"] == "the chunker 'lines' could not cut it: failed with ValueError: no lines here"
    assert {row["stage"] for row in made["misses"] if (row["id"], row["method"]) == ("Q1", "lines")} == {"source not read"}
    assert rows(made, "fixed(size=100)")["Q1"]["hit"] == 1.0
    manifest = json.loads((folder / ".labkit/manifest.json").read_text("utf-8"))
    assert manifest["stages"]["cut"]["set_aside"] == [{"item": "returns@v1", "reason": "lines: failed with ValueError: no lines here"}]
    with pytest.raises(LabError, match="lines could not cut 1 of the documents, the first of them returns@v1"):
        list(export(folder, "lines"))


@pytest.mark.parametrize(
    "returned, said",
    [
        ("None", "must return a list of chunks"),
        ("[parsed]", "must return a list of chunks"),
        ("make_chunks(parsed, [Cut(0, 3), Cut(0, 3)], 'x')", "two chunks of returns have one id"),
        ("[replace(make_chunks(parsed, [Cut(0, 3)], 'x')[0], access='staff', doc_id='hours')]", "another doc_id"),
        ("sys.exit(3)", r"RuntimeError: it ends the program \(sys.exit\(3\)\)"),
    ],
)
def test_what_an_own_chunker_must_not_return(folder, returned, said):
    imports = "import sys\nfrom dataclasses import replace\nfrom labkit.chunking import Cut, make_chunks\n"
    (folder / "lines.py").write_text(f"{imports}def by_line(parsed):\n    return {returned}\n")
    with pytest.raises(LabError, match=rf"lines:by_line fails on each of 5 documents; the first is returns: .*{said}"):
        with_settings(folder, OWN)


def test_an_own_chunker_that_brings_nothing(folder):
    (folder / "lines.py").write_text("def by_line(parsed):\n    return []\n")
    made = with_settings(folder, OWN)
    assert made["methods"][1]["chunks"] == 0 and made["methods"][1]["median_words"] is None


# --- collections far from ours ------------------------------------------------------------------------------------------------------------


def collection(folder: Path, these: dict, asked_: list, **labels) -> Path:
    folder.mkdir()
    documents(folder, these)
    inventory(folder, these, **labels)
    questions(folder, asked_)
    return folder


def test_unreadable_files_among_good_ones(folder):
    bad = {
        "documents/empty.md": b"", "documents/blank.md": b"\n \n", "documents/latin.md": "Déjà\n".encode("latin-1"),
        "documents/torn.pdf": b"%PDF-1.7\nnothing", "documents/none.pdf": b"", "documents/nul.md": b"# A\n\n\x00\x01kettle\n",
        "documents/utf16.md": "Kettle".encode("utf-16"), "documents/bare.html": b"<html><script>x</script></html>",
    }  # fmt: skip
    documents(folder, bad)
    inventory(folder, SHOP | bad)
    questions(folder, [*(asked(*each) for each in ASKED), asked("Q8", "What is torn?", ("torn", "Window", "a quote"))])
    made = make_report(folder)
    told = {each["file"]: each for each in made["collection"]["unreadable"]}
    assert set(bad) - set(told) == {"documents/nul.md"} and not any(each["searched"] for each in told.values())
    assert all(each["what"] and each["todo"] and each["line"] > 1 for each in told.values())
    assert rows(made)["Q1"]["hit"] == 1.0 and rows(made)["Q8"]["hit"] == 0.0
    assert {row["stage"] for row in made["misses"] if row["id"] == "Q8"} == {"source not read"}
    manifest = json.loads((folder / ".labkit/manifest.json").read_text("utf-8"))
    assert {each["item"] for each in manifest["stages"]["read"]["set_aside"]} <= set(bad)


@pytest.mark.parametrize(
    "these, quote",
    [
        ({"documents/a.md": "kettle"}, "kettle"),
        ({f"documents/w{n}.md": f"word{n}" for n in range(30)} | {"documents/a.md": "kettle"}, "kettle"),
        ({"documents/a.md": "No heading at all, and the kettle stands here.\n\nNor here.\n"}, "the kettle stands"),
        ({"documents/a.md": "# Only a title: kettle\n"}, "Only a title: kettle"),
    ],
)
@pytest.mark.parametrize("form", ["questions.md", "questions.jsonl"])
def test_documents_of_a_word_and_without_headings(tmp_path, these, quote, form):
    folder = collection(tmp_path / "c", these, [asked("Q2", "Where?", None)])
    if form == "questions.md":
        (folder / form).write_text(f'# Questions\n\n## kettle?\n\nid: Q1\nanswer: yes\nwhere: a v1\nquote: "{quote}"\n', "utf-8")
    else:
        span = asked("Q1", "kettle?", ("a", "", quote))
        start = these["documents/a.md"].index(quote)
        span["relevant"][0] |= {"start": start, "end": start + len(quote)}
        questions(folder, [span])
    made = make_report(folder)
    found = [row["evidence"] for row in made["per_question"] if row["id"] == "Q1" and row["method"] == "fixed"]
    assert found == [1.0, 1.0, 1.0] and not any(row["method"] == "fixed" for row in made["misses"])


def test_nothing_readable_and_nothing_scored(tmp_path):
    folder = collection(tmp_path / "c", {"documents/a.md": b"", "documents/b.pdf": b""}, [asked("Q1", "Is anything here?", None)])
    made = make_report(folder)
    assert made["collection"]["words"] == 0 and len(made["collection"]["unreadable"]) == 2
    assert made["power"]["sees_points"] is None and {row["mean"] for row in made["scores"]} == {None} and made["misses"] == []
    assert all(row["difference"] is None and row["n"] == 0 for row in made["comparisons"])
    json.dumps(made, allow_nan=False)


def test_two_questions_of_one_text_are_two(folder):
    inventory(folder, SHOP, effective_to={"documents/returns.md": "2025-12-31"})
    gold = ASKED[0][2]
    both = [asked("Old", ASKED[0][1], gold, as_of="2025-01-01"), asked("New", ASKED[0][1], gold)]
    questions(folder, both)
    made = rows(make_report(folder))
    assert (made["Old"]["hit"], made["New"]["hit"]) == (1.0, 0.0)


def test_faults_of_inventory_and_questions_come_at_once(folder):
    replace("inventory.csv", "staff", "stuff")(folder)
    (folder / "questions.jsonl").write_text("{}\n")
    with pytest.raises(FaultsError) as error:
        make_report(folder)
    said = [str(each) for each in error.value.faults]
    assert any("unknown access label 'stuff'" in each for each in said) and any("questions.jsonl:1" in each for each in said)
    assert not (folder / ".labkit").exists()


def test_gold_that_does_not_exist_is_refused_before_anything_is_cut(folder):
    replace("questions.jsonl", "nine dollars", "ten dollars")(folder)
    with pytest.raises(FaultsError, match=r"questions.jsonl:2: Q2: .*does not stand in section 'Cost'"):
        make_report(folder)
    assert not (folder / ".labkit/cut").exists()


@pytest.mark.parametrize("missing", ["questions.jsonl", "inventory.csv"])
def test_a_folder_without(folder, missing):
    (folder / missing).unlink()
    with pytest.raises(FaultsError, match=r"there are no questions|there is no inventory.csv"):
        make_report(folder)


# --- against an earlier report ------------------------------------------------------------------------------------------------------------


def many(folder: Path, number: int = 12) -> Path:
    """A collection in which `number` questions find their document each."""
    these = {f"documents/d{n}.md": f"# D{n}\n\n## Part\n\nThe word{n} costs {n} dollars.\n" for n in range(number)}
    return collection(folder, these, [asked(f"Q{n}", f"word{n}", (f"d{n}", "Part", f"costs {n} dollars")) for n in range(number)])


def test_against_itself_nothing_is_lost(folder):
    made = make_report(folder)
    found = make_report(folder, against=("report.json", made))["against"]
    assert found["file"] == "report.json" and found["note"] == "" and len(found["rows"]) == 3 * 3 * 4
    assert all(row["difference"] == 0 and not row["lost"] and row["p"] == 1 and row["ties"] == row["n"] == 6 for row in found["rows"])


def test_a_loss_that_chance_does_not_explain(tmp_path):
    folder = many(tmp_path / "c")
    before = make_report(folder)
    for n in range(11):  # the words of the questions are gone from the documents
        replace(f"documents/d{n}.md", f"word{n}", "thing")(folder)
    now = make_report(folder, against=("before.json", before))
    lost = {(row["metric"], row["method"]) for row in now["against"]["rows"] if row["lost"]}
    assert ("hit", "structure") in lost and ("evidence", "fixed") in lost
    row = now["against"]["rows"][0]
    assert (row["before"], row["now"], row["wins"], row["losses"], row["ties"]) == (1.0, pytest.approx(1 / 12, abs=1e-6), 0, 11, 1)
    back = compared_with(before, "now.json", now)
    assert not any(row["lost"] for row in back["rows"]) and back["rows"][0]["difference"] > 0


def test_one_question_of_twelve_is_no_loss(tmp_path):
    folder = many(tmp_path / "c")
    before = make_report(folder)
    replace("documents/d3.md", "word3", "thing")(folder)
    found = make_report(folder, against=("before.json", before))["against"]["rows"]
    assert {row["losses"] for row in found} == {1} and not any(row["lost"] for row in found)


@pytest.mark.parametrize("dated", [False, True])
def test_a_day_that_nobody_wrote_makes_no_other_question(tmp_path, monkeypatch, dated):
    folder = tmp_path / "c"
    folder.mkdir()
    documents(folder)
    first = dict.fromkeys(SHOP, "2024-01-01" if dated else "0001-01-01")
    inventory(folder, SHOP, effective_from=first)
    (folder / "questions.md").write_text(
        "## How long for a kettle?\n\nid: Q1\nanswer: …\nwhere: returns, Window\nquote: within thirty days\n\n"
        "## Boats?\n\nid: Q2\nkind: unanswerable\n", "utf-8",
    )  # fmt: skip
    before = make_report(folder)
    if dated:  # the newest document gives the questions their day
        more = SHOP | {"documents/new.md": "# New\n\n## Part\n\nNothing of it.\n"}
        documents(folder, more)
        inventory(folder, more, effective_from=first | {"documents/new.md": "2026-02-03"})
    else:
        class Tomorrow(date):
            @classmethod
            def today(cls):
                return date.today() + timedelta(days=1)

        monkeypatch.setattr(questions_markdown, "date", Tomorrow)
    assert load_questions(folder / "questions.md")[0].as_of not in (date.today(), date(2024, 1, 1))
    now, again = watched(folder, against=("before.json", before))
    assert now["questions"]["digests"] == before["questions"]["digests"] and now["against"]["note"] == "" and now["against"]["rows"]
    assert again == (list(STAGES) if dated else [])


def test_a_day_on_which_another_edition_holds_makes_another_question(tmp_path):
    folder = tmp_path / "c"
    folder.mkdir()
    two = {"documents/old.md": SHOP["documents/returns.md"], "documents/new.md": SHOP["documents/returns.md"].replace("thirty", "forty")}
    documents(folder, two)
    old, new = two
    inventory(folder, two, doc_id=dict.fromkeys(two, "returns"), version={new: "2"}, effective_from={new: "2026-01-01"},
              effective_to={old: "2025-12-31"})  # fmt: skip
    made = {}
    for day in ("2025-06-01", "2025-12-31", "2026-01-01", "2026-06-01"):
        questions(folder, [asked("Q1", "How long can I send a kettle back?", ("returns", "Window", "within thirty days"), as_of=day)])
        made[day] = make_report(folder)
    digests = [each["questions"]["digests"]["Q1"] for each in made.values()]
    assert digests[0] == digests[1] != digests[2] == digests[3]
    assert [rows(each)["Q1"]["hit"] for each in made.values()] == [1.0, 1.0, 0.0, 0.0]
    found = compared_with(made["2026-01-01"], "before.json", made["2025-06-01"])
    assert found["rows"] == [] and found["note"].endswith("No question is in both reports, so nothing can be compared.")


def test_a_question_put_before_the_others_takes_none_of_them_out(folder):
    """Without ids a Markdown file counts its questions, so each below a new one has another id, and is the same question."""
    before = make_report(folder)
    records = [asked(*each) for each in ASKED]
    moved = [asked("Q1", "Do you ship to the moon?", None)] + [each | {"id": f"Q{place}"} for place, each in enumerate(records, start=2)]
    questions(folder, moved)
    now = make_report(folder)
    found = compared_with(now, "before.json", before)
    same = compared_with(before, "before.json", before)
    assert found["note"] == "Question left out, not in the earlier report: Q1." and same["note"] == ""
    assert found["rows"] == same["rows"] and found["rows"]
    back = compared_with(before, "now.json", now)
    assert back["note"] == "Question left out, not in this report any more: Q1, as it was then." and back["rows"] == same["rows"]
    questions(folder, [each for each in moved if each["id"] != "Q3"])  # one gone, whose id no other has
    found = compared_with(make_report(folder), "before.json", before)
    assert found["note"] == (
        "Question left out, not in the earlier report: Q1. Question left out, not in this report any more: Q2, as it was then."
    )
    twice = [*records, records[0] | {"id": "Q9"}]
    questions(folder, twice)  # asked twice: which of the two it is goes by its id
    found = compared_with(make_report(folder), "before.json", before)
    assert found["rows"] == same["rows"] and found["note"] == "Question left out, not in the earlier report: Q9."


def test_a_second_search_gives_methods_longer_names_and_takes_none_of_them_out(folder):
    before = make_report(folder)
    two = "[[searches]]\nuse = 'keyword'\n[[searches]]\nname = 'stemmed'\nuse = 'keyword'\nstem = true\n"
    now = with_settings(folder, two)
    names = [row["name"] for row in before["methods"]]
    assert not set(names) & {row["name"] for row in now["methods"]}
    found = compared_with(now, "before.json", before)
    assert {row["method"] for row in found["rows"]} == {f"{name} + keyword" for name in names}
    assert all(row["difference"] == 0 for row in found["rows"]) and "stemmed" in found["note"] and "any more" not in found["note"]
    back = compared_with(before, "now.json", now)
    assert {row["method"] for row in back["rows"]} == set(names)


def test_a_quote_that_gets_a_span_or_moves_down_is_the_same_gold(folder):
    before = make_report(folder)
    path = folder / "questions.jsonl"
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    entry = records[0]["relevant"][0]
    text = parse(next(each for each in load_inventory(folder) if each.doc_id == entry["doc_id"])).text
    start = text.index(entry["quote"])
    records[0]["relevant"] = [entry | {"start": start, "end": start + len(entry["quote"])}]
    path.write_text("".join(json.dumps(each) + "\n" for each in records), "utf-8")
    now = make_report(folder)
    assert now["questions"]["digests"] == before["questions"]["digests"]


def test_questions_and_methods_that_are_not_the_same_are_left_out(folder):
    before = make_report(folder)
    replace("questions.jsonl", "within thirty days", "thirty days")(folder)
    replace("questions.jsonl", '"id": "Q2", "question": "What', '"id": "Q9", "question": "And what')(folder)
    now = with_settings(folder, "[[chunkers]]\nname = 'fixed'\nuse = 'fixed'\n[[chunkers]]\nuse = 'sections'\n")
    found = compared_with(now, "before.json", before)
    assert {(row["method"], row["n"]) for row in found["rows"]} == {("fixed", 4)}
    for sentence in (
        "Question left out, changed since: Q1.", "Question left out, not in the earlier report: Q9.",
        "Question left out, not in this report any more: Q2.", "Not in this report any more: overlapping, structure.",
        "Not in the earlier report: sections().",
    ):  # fmt: skip
        assert sentence in found["note"]
    in_tokens = with_settings(folder, "unit = 'tokens'")
    found = compared_with(in_tokens, "before.json", before)
    assert found["rows"] == [] and "counted in tokens now, and were in words" in found["note"]
    found = compared_with(with_settings(folder, "budgets = [7]"), "before.json", before)
    assert found["rows"] == [] and "nothing can be compared" in found["note"]


@pytest.mark.parametrize(
    "change",
    [
        lambda made: made.pop("settings"), lambda made: made["questions"].pop("digests"), lambda made: made["settings"].update(unit=1),
        lambda made: made["per_question"][0].update(hit="1"), lambda made: made["per_question"][0].update(hit=None),
        lambda made: made["per_question"][0].update(hit=2.0), lambda made: made["per_question"][0].update(budget="100"),
        lambda made: made["per_question"][0].update(id=3), lambda made: made["per_question"][0].pop("evidence"),
        lambda made: made["per_question"].append(dict(made["per_question"][0])), lambda made: made.update(per_question={}),
    ],
)  # fmt: skip
def test_an_earlier_report_that_somebody_changed(finished, tmp_path, change):
    made = json.loads(json.dumps(finished[1][0]))
    file = tmp_path / "r.json"
    file.write_text(json.dumps(made))
    assert load_report(file) == made
    change(made)
    file.write_text(json.dumps(made))
    with pytest.raises(LabError, match=r"r.json: holds no results a question .* name the report.json of an earlier"):
        load_report(file)


@pytest.mark.parametrize(
    "content, said",
    [
        (b"", "is no report"), (b"[]", "holds no results"), (b"{}", "holds no results"), (b'{"per_question": [1]}', "holds no results"),
        (b"\xff", "not UTF-8"), (None, "no such file"), (b"[" * 100_000, "is no report"),
    ],
)  # fmt: skip
def test_an_earlier_report_that_is_none(tmp_path, content, said):
    if content is not None:
        (tmp_path / "r.json").write_bytes(content)
    with pytest.raises(LabError, match=said):
        load_report(tmp_path / "r.json")


# --- export -------------------------------------------------------------------------------------------------------------------------------


def test_export(folder):
    lines = [json.loads(line) for line in export(folder)]
    assert [each["doc_id"] for each in lines] == ["returns", "returns", "kettle-care", "kettle-care", "hours", "depot", "till"]
    first = lines[0]
    assert first["passage"] == f"{first['context']}\n\n{first['text']}" and first["words"] == len(first["passage"].split())
    assert first["citation"].startswith("Returns, version 1, section “Window”, characters ") and first["sections"] == ["Window"]
    assert first["chunker"] == "by_structure(max_words=200)" and first["effective_to"] is None and lines[-1]["access"] == "staff"
    text = (folder / first["file"]).read_text("utf-8")
    assert text[first["start"] : first["end"]] == first["text"]
    assert len({each["id"] for each in lines}) == len(lines)
    windows = [json.loads(line) for line in export(folder, "fixed")]
    assert {each["chunker"] for each in windows} == {"fixed(size=100)"} and len(windows) == 5
    (folder / "questions.jsonl").unlink()  # not needed
    (folder / "labkit.toml").write_text('access = "public"\nlanguage = "en"\n')
    assert {each["doc_id"] for each in map(json.loads, export(folder))} == {"returns", "kettle-care", "hours"}
    with pytest.raises(BadArgument, match="no chunker 'windows' in the settings — there are structure, fixed, overlapping"):
        list(export(folder, "windows"))
