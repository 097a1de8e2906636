"""Results of another system, scored as if it had searched here."""

import csv
import io
import json
import unicodedata
from pathlib import Path

import pytest
from command_line import flat
from evaluation_cases import question
from hypothesis import given, settings
from hypothesis import strategies as st
from own_folders import SHOP, inventory
from parsed_documents import parsed_markdown

from labkit.collection import load_inventory
from labkit.errors import DocumentError
from labkit.evaluation.metrics import evaluate
from labkit.own.runs import RunError, load_run
from labkit.own.scoring_runs import score_run, warnings_shown

HOSE = "# Hose guide\n\n## Use\n\nThe hose fits all taps here. It is blue.\n\n## Store\n\nKeep it dry. It is blue.\n"
PUMP = "# Pump guide\n\n## Use\n\nThe pump fits no tap at all. It is  red\nand grey.\n"
DOCUMENTS = [
    parsed_markdown(HOSE, title="Hose guide", doc_id="hose", version="1"),
    parsed_markdown(PUMP, title="Pump guide", doc_id="pump", version="1"),
    parsed_markdown(PUMP.replace("red", "green"), title="Pump guide", doc_id="pump", version="2"),
]
Q1 = question("Q1", ("hose", "Use"), quote="The hose fits all taps here.", text="Which taps?")
Q2 = question("Q2", ("pump", "Use"), quote="It is  red\nand grey.", text="Which colour?")
FITS = (HOSE.index("The hose"), HOSE.index(" It is blue"))


def table(tmp_path: Path, *rows, header="question,rank,document,version,start,end,text", separator=",") -> Path:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=separator)
    writer.writerow(header.split(","))
    writer.writerows([*row, *[""] * (len(header.split(",")) - len(row))] for row in rows)
    path = tmp_path / "run.csv"
    path.write_text(out.getvalue(), encoding="utf-8")
    return path


def lines(tmp_path: Path, *records) -> Path:
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    return path


def faults(path: Path, questions=(Q1, Q2)) -> list[str]:
    with pytest.raises(RunError) as caught:
        load_run(path, DOCUMENTS, questions)
    assert all(fault.todo for fault in caught.value.faults)
    return [str(fault) for fault in caught.value.faults]


def spans(run, name="Q1"):
    return [(each.doc_id, each.version, each.start, each.end) for each in run(name, 10)]


def test_spans_and_texts_become_passages(tmp_path):
    path = table(
        tmp_path,
        ["Q1", 2, "hose", "", *FITS],
        ["Q1", 1, "pump", "2", 0, 12],
        ["Which colour?", 1, "", "", "", "", "It is red and grey."],  # blanks apart; only one version says red
    )
    run = load_run(path, DOCUMENTS, [Q1, Q2])
    assert spans(run) == [("pump", "2", 0, 12), ("hose", "1", *FITS)] and spans(run, "Q2") == [
        ("pump", "1", PUMP.index("It is"), PUMP.rindex("\n"))
    ]
    assert run.questions == ("Q1", "Q2") and run.unplaced == run.ambiguous == ()
    assert run("Which taps?", 1) == run("Q1", 1) and run("Q9", 5) == [] and len(run("Q1", 1)) == 1
    (first, second) = run("Q1")
    assert second.sections == ("Use",) and second.text == HOSE[slice(*FITS)] and second.context == "" and first.sections == ()


def test_a_run_is_scored_as_a_search_is(tmp_path):
    path = table(tmp_path, ["Q1", 1, "pump", "1", 20, 30], ["Q1", 2, "hose", "", *FITS])
    rows = evaluate([Q1, Q2], load_run(path, DOCUMENTS, [Q1, Q2])).to_dict("records")
    assert [(row["hit"], row["reciprocal_rank"], row["words"]) for row in rows] == [(1, 0.5, 8), (0, 0, 0)]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize(
    "header", ["question,rank,document,version,start,end,text", "query_id,position,doc_id,version,start_index,end_char,passage"]
)
def test_columns_by_other_names(tmp_path, header, separator):
    run = load_run(table(tmp_path, ["Q1", 1, "hose", "1", *FITS], header=header, separator=separator), DOCUMENTS, [Q1])
    assert spans(run) == [("hose", "1", *FITS)]


def test_json_lines(tmp_path):
    path = lines(
        tmp_path,
        {"qid": "Q1", "rank": 0, "doc_id": "hose", "start": FITS[0], "end": float(FITS[1])},
        {"qid": "Q1", "rank": 1, "text": "Keep it dry."},
        {"qid": "Q2", "text": "no tap"}, {"qid": "Q2", "text": "no tap at all.", "version": "2", "doc_id": "pump"},
    )  # fmt: skip
    run = load_run(path, DOCUMENTS, [Q1, Q2])
    assert [each[0] for each in spans(run)] == ["hose", "hose"]
    assert spans(run, "Q2")[1][:2] == ("pump", "2")  # without a rank, the rows' order is it


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("The hose fits all taps here.", FITS),
        ("  The hose\nfits   all taps here. ", FITS),
        ("hose fits all", (FITS[0] + 4, FITS[0] + 17)),
        ("e hose fits all ta", (FITS[0] + 2, FITS[0] + 20)),  # cut through words, as by a count of characters
        ("taps", (HOSE.index("taps"), HOSE.index("taps") + 4)),
        ("Keep it", (HOSE.index("Keep"), HOSE.index("Keep") + 7)),
        ("blue.\n\n## Store\n\nKeep", (HOSE.index("blue."), HOSE.index("Keep") + 4)),
        (HOSE, (0, len(HOSE) - 1)),
        ("The hose fits no tap", None), ("hose taps", None), ("elbow", None), ("KEEP IT DRY.", None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("document", ["hose", ""])
def test_where_a_text_stands(tmp_path, text, place, document):
    run = load_run(table(tmp_path, ["Q1", 1, document, "", "", "", text]), DOCUMENTS, [Q1])
    (passage,) = run("Q1")
    if place is None:
        assert passage.doc_id == "unplaced-1" and passage.words == len(text.split()) and passage.sections == ()
        (warning,) = run.unplaced
        assert warning.line == 2 and warning.level == "warning" and "does not stand in" in warning.what
        assert evaluate([Q1], run)["hit"].sum() == 0
    else:
        assert (passage.doc_id, passage.start, passage.end) == ("hose", *place) and run.unplaced == ()


def test_a_text_that_stands_in_several_places_is_taken_at_the_first_and_told(tmp_path):
    run = load_run(table(tmp_path, ["Q1", 1, "hose", "", "", "", "It is blue."], ["Q1", 2, "", "", "", "", "fits no tap"]), DOCUMENTS, [Q1])
    blue, fits = HOSE.index("It is"), PUMP.index("fits")
    assert spans(run) == [("hose", "1", blue, blue + 11), ("pump", "1", fits, PUMP.index(" at"))]
    assert [(fault.line, "stands 2 times" in fault.what) for fault in run.ambiguous] == [(2, True), (3, True)]


def test_a_text_beside_its_span_decides_where_they_differ(tmp_path):
    """Another program counts line ends differently: what it handed over is what counts."""
    run = load_run(table(tmp_path, ["Q1", 1, "hose", "", 0, 12, "Keep it dry."]), DOCUMENTS, [Q1])
    assert spans(run) == [("hose", "1", HOSE.index("Keep"), HOSE.index("Keep") + 12)]


def test_two_texts_of_no_document_share_no_words(tmp_path):
    from labkit.evaluation.budget import unique_words

    run = load_run(table(tmp_path, ["Q1", 1, "", "", "", "", "alpha beta gamma"], ["Q1", 2, "", "", "", "", "delta"]), DOCUMENTS, [Q1])
    assert unique_words(run("Q1")) == 4


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (["", 1, "hose", "", 0, 4], "names no question"),
        (["Q3", 1, "hose", "", 0, 4], "there is no question 'Q3' — use the ids of the question file"),
        (["Q1", "first", "hose", "", 0, 4], "the rank is 'first'"),
        (["Q1", -1, "hose", "", 0, 4], "the rank is '-1'"),
        (["Q1", 1.5, "hose", "", 0, 4], "the rank is '1.5'"),
        (["Q1", 9, "hose", "", 0, 4], "rank 9 of Q1 stands in line 2 already"),
        (["Q1", 1, "hoes", "", 0, 4], "there is no document 'hoes' — did you mean 'hose'?"),
        (["Q1", 1, "hose", "7", 0, 4], "there is no version '7' of hose — there is 1"),
        (["Q1", 1, "pump", "", 0, 4], "which version of pump? There are pump 1, pump 2"),
        (["Q1", 1, "hose", "", 0], "a span has start and end"),
        (["Q1", 1, "hose", "", 4, 4], "characters 4 to 4 are no span of hose"),
        (["Q1", 1, "hose", "", 0, 999], "characters 0 to 999 are no span of hose"),
        (["Q1", 1, "hose", "", "a", 4], "start is 'a', not a whole number"),
        (["Q1", 1, "", "", 0, 4], "has a span, and names no document"),
        (["Q1", 1, "hose"], "holds neither a span nor a text"),
    ],
)
def test_rows_that_do_not_fit(tmp_path, row, said):
    (fault,) = faults(table(tmp_path, ["Q1", 9, "hose", "", 0, 4], row))
    assert "run.csv:3: " in fault and said in fault


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("run.csv", b"", "holds no result"), ("run.csv", b"question,rank\n", "holds no result"),
        ("run.csv", b"a,b\n1,2\n", "no column 'question'"),
        ("run.csv", b"question,text\nQ1\n", "has 1 field, and the header has 2"), ("run.csv", b'question,text\n"Q1,x\n', "is not CSV"),
        ("run.csv", b"question,text\nQ1,\xe9\n", "run.csv:2: not UTF-8"), ("run.csv", "x".encode("utf-16"), "UTF-16"),
        ("run.jsonl", b'{"question": "Q1"\n', "run.jsonl:1: is not JSON"), ("run.jsonl", b"[1]\n", "is no object"),
        ("run.json", b'[{"qid": "Q1", "text": "x"},\n\n 7]', "run.json:3: is no object"), ("run.json", b'[{"qid": "Q1"}', "is not JSON"),
        ("run.json", b'[{"qid": "Q1", "text": "x"},\n{"qid": "Q1"}]', "run.json:2: holds neither"), ("run.json", b"[]", "no result"),
        ("run.jsonl", b'{"question": "Q1", "text": 7}\n', "holds neither"), ("run.jsonl", b"\n", "holds no result"),
    ],
)  # fmt: skip
def test_files_that_are_no_run(tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content)
    assert any(said in fault for fault in faults(tmp_path / name))


def test_a_json_list(tmp_path):
    place = {"doc_id": "hose", "start": FITS[0], "end": FITS[1]}
    results = [{"qid": "Q1", "rank": 2, "text": "Keep it dry."}, {"qid": "Q1", "rank": 1} | place]
    (tmp_path / "run.json").write_text(json.dumps(results, indent=2), encoding="utf-8")
    assert spans(load_run(tmp_path / "run.json", DOCUMENTS, [Q1]))[0] == ("hose", "1", *FITS)


@pytest.mark.parametrize("there", ["NFC", "NFD"])
@pytest.mark.parametrize("handed", ["NFC", "NFD"])
def test_accents_composed_in_another_way_are_the_same_text(tmp_path, there, handed):
    text = unicodedata.normalize(there, "# Garantie\n\nElle n’est pas vendue à l’été, prolongée.\n")
    documents = [parsed_markdown(text, doc_id="garantie", version="1")]
    wanted = unicodedata.normalize(there, "vendue à l’été, prolongée.")
    path = lines(tmp_path, {"qid": "Q1", "text": unicodedata.normalize(handed, "vendue à l’été, prolongée.")})
    run = load_run(path, documents)
    assert spans(run) == [("garantie", "1", text.index(wanted), text.index(wanted) + len(wanted))] and run.unplaced == ()
    twice = [parsed_markdown(f"{text}\n{text}", doc_id="garantie", version="1")]
    start = twice[0].text.rindex(wanted)  # the second one is meant, and a span says so
    row = {"qid": "Q1", "document": "garantie", "start": start, "end": start + len(wanted)}
    run = load_run(lines(tmp_path, row | {"text": unicodedata.normalize(handed, wanted)}), twice)
    assert spans(run) == [("garantie", "1", start, start + len(wanted))] and run.ambiguous == ()
    path = lines(tmp_path, {"qid": "Q1", "text": unicodedata.normalize(handed, "due à l’été, prolon")})
    (cut,) = load_run(path, documents)("Q1")
    assert unicodedata.normalize("NFC", cut.text) == "due à l’été, prolon" and cut.doc_id == "garantie"


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DocumentError, match="no such file"):
        load_run(tmp_path / "run.csv", DOCUMENTS)


def test_all_faults_at_once_in_order(tmp_path):
    rows = [["Q9", 1, "hose", "", 0, 4], ["Q1", "x", "hose", "", 0, 4], ["Q1", 1, "nope", "", 0, 4], ["Q1", 2, "hose", "", 4, 1]]
    assert [fault.split(":")[1] for fault in faults(table(tmp_path, *rows))] == ["2", "3", "4", "5"]


def test_without_questions_a_run_goes_by_what_it_says(tmp_path):
    run = load_run(table(tmp_path, ["anything", 1, "hose", "", *FITS]), DOCUMENTS)
    assert spans(run, "anything") == [("hose", "1", *FITS)]


TEXTS = st.text(st.sampled_from("ab \n"), min_size=1, max_size=12).filter(str.strip)


@settings(deadline=None, max_examples=150)
@given(st.text(st.sampled_from("ab \n"), min_size=1, max_size=40).filter(str.strip), st.data())
def test_any_piece_of_a_document_is_found_in_it(tmp_path_factory, text, data):
    """A second implementation: every place, cut through words or not, whose words are those of the text."""
    start = data.draw(st.integers(0, len(text) - 1))
    piece = text[start : data.draw(st.integers(start + 1, len(text)))]
    if not piece.strip():
        return
    parsed = parsed_markdown(text, doc_id="d", version="1")
    run = load_run(lines(tmp_path_factory.mktemp("run"), {"question": "Q", "document": "d", "text": piece}), [parsed])
    (passage,) = run("Q")
    words = piece.split()
    if len(words) > 2 or (passage.doc_id == "d"):
        assert passage.doc_id == "d" and passage.text.split() == words
        assert text[passage.start : passage.end] == passage.text


# --- the command --------------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "shop"
    for name, text in SHOP.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    inventory(folder, SHOP)
    (folder / "questions.md").write_text(
        "# Q\n\n## How long can I send a kettle back?\nanswer: 30 days\nwhere: returns, Window\nquote: within thirty days\n\n"
        "## Combien?\nanswer: 2\nwhere: depot, Consigne\nquote: deux dollars\n\n## Do you sell boats?\nkind: unanswerable\n",
        encoding="utf-8",
    )
    return folder


def test_score_run(shop, tmp_path):
    path = table(tmp_path, ["Q01", 1, "returns.md", "", "", "", "Send the kettle back within thirty days."])
    made = score_run(path, shop)
    assert made["k"] == 5 and (made["at_k"]["n"], made["at_k"]["hits"], made["at_k"]["hit"]) == (2, 1, 0.5)
    assert [row["budget"] for row in made["at_budgets"]] == [100, 200, 400] and made["at_budgets"][0]["evidence"] == 0.5
    assert made["characters"] is None and made["without_results"] == ["Q02"] and made["warnings"] == []
    assert json.loads(json.dumps(made["questions"]))[0]["first_rank"] == 1
    (shop / "labkit.toml").write_text('k = 1\nbudgets = [4]\nunit = "tokens"\n', encoding="utf-8")
    made = score_run(path, shop)
    assert (made["k"], made["unit"]) == (1, "tokens") and made["at_budgets"][0]["hit"] == 0  # seven words pass four tokens


def test_the_command(shop, tmp_path, labkit):
    back = ["Q01", 1, "returns", "", "", "", "Send the kettle back within thirty days."]
    path = table(tmp_path, back, ["Q01", 2, "", "", "", "", "made up"])
    code, out, err = labkit("score", path, shop)
    assert code == 0 and "hit@5 = 0.500" in flat(out) and "1 of 2 questions" in flat(out) and "in context" in flat(out)
    assert "1 question without a result in the run, counted 0: Q02" in err and "run.csv:3: 'made up' does not stand" in err
    code, out, err = labkit("score", path, shop, "--json", "--k", "1")
    assert code == 0 and json.loads(out)["k"] == 1 and len(json.loads(out)["warnings"]) == 1
    code, out, err = labkit("score", table(tmp_path, ["Q77", 1, "returns", "", 0, 5]), shop)
    assert (code, out) == (1, "") and "run.csv:2: there is no question 'Q77'" in err
    assert labkit("score", path, tmp_path / "nowhere")[0] == 1


def test_a_document_that_cannot_be_read_is_told_as_such(shop, tmp_path):
    file = next(name for name in SHOP if name.endswith("returns.md"))
    (shop / file).write_bytes(b"")
    with pytest.raises(RunError, match="is empty"):
        score_run(table(tmp_path, ["Q01", 1, "returns", "", 0, 5]), shop)


def test_long_lists_of_warnings_are_cut(tmp_path):
    run = load_run(table(tmp_path, *[["Q1", n, "", "", "", "", f"made up {n}"] for n in range(1, 31)]), DOCUMENTS, [Q1])
    told = warnings_shown(run.unplaced)
    assert len(told) == 21 and told[-1] == "… and 10 more results like these"


def test_documents_of_an_inventory_are_named_by_their_files(shop, tmp_path):
    path = table(tmp_path, ["Q01", 1, "documents/care/kettle care.md", "", 0, 5], ["Q01", 2, "dépôt", "", 0, 5])
    assert [each.doc_id for each in load_run(path, load_inventory(shop))("Q01")] == ["kettle-care", "depot"]
