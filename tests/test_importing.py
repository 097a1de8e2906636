"""SQuAD, BEIR and tables of spans: what comes out of them loads, is sound, and points where the source pointed."""

import csv
import io
import json
from pathlib import Path

import pytest
from command_line import flat
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labkit.collection import load_inventory
from labkit.errors import BadArgument, DocumentError, LabError
from labkit.evaluation.gold import locate
from labkit.own.importing.beir import import_beir
from labkit.own.importing.folder import Names, SourceError, ids_of_questions
from labkit.own.importing.spans import import_spans
from labkit.own.importing.squad import import_squad
from labkit.own.starting import start
from labkit.parsing.reading import parse
from labkit.questions import load_questions
from labkit.validation import check_questions

GAME = "The game was held on 7 February. It was cold."
MOON = "É tout, là-haut 😀: la lune.\r\n## Fin"
SQUAD = {
    "version": "v2.0",
    "data": [
        {
            "title": "Super_Bowl",
            "paragraphs": [
                {
                    "context": GAME,
                    "qas": [
                        {"id": "a1", "question": " When? ", "is_impossible": False, "answers": [
                            {"text": "7 February", "answer_start": 21}, {"text": "on 7 February", "answer_start": 18},
                            {"text": "7 February", "answer_start": 21}]},
                        {"id": "a2", "question": "Who won?", "is_impossible": True, "answers": [],
                         "plausible_answers": [{"text": "It", "answer_start": 33}]},
                    ],
                },
                {"context": MOON, "qas": [{"id": "a3", "question": "Où?", "answers": [{"text": "la lune", "answer_start": 20}]}]},
            ],
        }
    ],
}  # fmt: skip
ROWS = [
    {"id": "a1", "title": "Super_Bowl", "context": GAME, "question": "When?", "answers": {"text": ["7 February"], "answer_start": [21]}},
    {"id": "a2", "title": "Super_Bowl", "context": GAME, "question": "Who won?", "answers": {"text": [], "answer_start": []}},
]


def sound(folder: Path) -> list:
    """The questions of an imported folder, which must be without fault, and each quote in its place."""
    documents = load_inventory(folder)
    questions = load_questions(folder / "questions.jsonl")
    assert check_questions(questions, documents) == []
    places = locate(questions, documents)
    for question in questions:
        for number, entry in enumerate(question.relevant, start=1):
            place = places[question.id, number]
            assert place.source[place.start : place.end] == entry.quote
    return questions


def written(tmp_path: Path, value, name: str = "source.json") -> Path:
    path = tmp_path / name
    path.write_bytes(value if isinstance(value, bytes) else (value if isinstance(value, str) else json.dumps(value)).encode())
    return path


def faults(call, *arguments, **options) -> list[str]:
    with pytest.raises(SourceError) as caught:
        call(*arguments, **options)
    assert all(fault.todo for fault in caught.value.faults)
    return [str(fault) for fault in caught.value.faults]


# --- SQuAD --------------------------------------------------------------------------------------------------------------------------------


def test_squad(tmp_path):
    made = import_squad(written(tmp_path, SQUAD), tmp_path / "new")
    assert (made.documents, made.questions, made.unanswerable) == (1, 3, 1)
    (document,) = load_inventory(made.folder)
    text = parse(document).text
    assert text == f"# Super Bowl\n\n{GAME}\n\n{MOON}\n"  # the paragraphs as they stand
    assert (document.doc_id, document.title, document.access, document.version) == ("super-bowl", "Super Bowl", "staff", "unknown")
    when, who, where = sound(made.folder)
    assert (when.id, when.question, when.reference_answer, when.kind) == ("a1", "When?", "7 February", "answerable")
    assert [(entry.quote, text[entry.start : entry.end]) for entry in when.relevant] == [("7 February",) * 2, ("on 7 February",) * 2]
    assert who.abstain and who.kind == "unanswerable" and who.relevant == ()
    assert where.relevant[0].quote == "la lune"


@pytest.mark.parametrize("form", ["list", "lines", "one line"])
def test_squad_as_rows(tmp_path, form):
    content = {"list": json.dumps(ROWS), "lines": "\n".join(map(json.dumps, ROWS)) + "\n", "one line": json.dumps(ROWS[0])}[form]
    made = import_squad(written(tmp_path, content), tmp_path / "new")
    assert [each.id for each in sound(made.folder)] == (["a1"] if form == "one line" else ["a1", "a2"])


def test_ids_that_are_numbers(tmp_path):
    made = import_squad(written(tmp_path, [row | {"id": number} for number, row in enumerate(ROWS)]), tmp_path / "new")
    assert [each.id for each in sound(made.folder)] == ["0", "1"]


@pytest.mark.parametrize(
    ("wishes", "ids"),
    [
        (["a b", "a-b", "a\tb"], ["a-b-2", "a-b", "a-b-3"]), (["", "Q01", "Q3", ""], ["Q01-2", "Q01", "Q3", "Q04"]),
        (["56be/1", "=q", "é", "d.1"], ["56be/1", "=q", "é", "d.1"]), ([" x ", "x-2", "x"], ["x-3", "x-2", "x"]), ([], []),
    ],
)  # fmt: skip
def test_ids_of_questions(wishes, ids):
    assert ids_of_questions(wishes) == ids


def test_ids_with_blanks(tmp_path):
    made = import_squad(written(tmp_path, [row | {"id": name} for row, name in zip(ROWS, ("a 1", "a-1"), strict=True)]), tmp_path / "new")
    assert [each.id for each in sound(made.folder)] == ["a-1-2", "a-1"]


def test_an_answer_a_little_beside_its_place_is_taken_from_there(tmp_path):
    row = ROWS[0] | {"answers": {"text": ["7 February"], "answer_start": [20]}}
    made = import_squad(written(tmp_path, [row]), tmp_path / "new")
    assert sound(made.folder)[0].relevant[0].quote == "7 February"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"answers": {"text": ["8 March"], "answer_start": [21]}}, "the answer '8 March' does not stand where it says"),
        ({"answers": {"text": ["was"], "answer_start": [0]}}, "the answer 'was' does not stand where it says"),  # stands twice
        ({"answers": {"text": ["7"], "answer_start": []}}, "its answers are no list"),
        ({"answers": [{"text": "7"}]}, "its answers are no list"),
        ({"answers": [{"text": "7", "answer_start": True}]}, "its answers are no list"),
        ({"answers": "7"}, "its answers are no list"),
        ({"question": " "}, "its question is ' ', not a text"),
        ({"context": None}, "its context is None"),
        ({"context": "\ud800 7 February"}, "its context is"),
    ],
)
def test_a_faulty_question_stops_the_import_or_is_left_out(tmp_path, change, said):
    source = written(tmp_path, [ROWS[0] | change, ROWS[1]])
    (fault,) = faults(import_squad, source, tmp_path / "new")
    assert said in fault and not (tmp_path / "new").exists()
    made = import_squad(source, tmp_path / "new", leave_out=True)
    assert [each.id for each in sound(made.folder)] == ["a2"] and len(made.left_out) == 1


def test_all_faults_at_once_with_their_lines(tmp_path):
    lines = [json.dumps(ROWS[0]), "{", json.dumps(ROWS[1] | {"id": "a1"}), "[]", json.dumps(ROWS[1] | {"question": 1})]
    found = faults(import_squad, written(tmp_path, "\n".join(lines)), tmp_path / "new")
    assert [fault.split(":")[1] for fault in found] == ["2", "3", "4", "5"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is not JSON"), ("{}", "has no list 'data'"), ("7", "has no list 'data'"), ('{"data": []}', "holds no question"),
        ('{"data": [{}]}', "article 1: has no list 'paragraphs'"), ('{"data": [{"paragraphs": [{}]}]}', "paragraph 1: has no list 'qas'"),
        ('{"data": [{"paragraphs": [{"context": "x", "qas": [1]}]}]}', "question 1: is no object"),
        ('{"data": [{"paragraphs": [{"context": "x", "qas": [{"question": "q", "answers": []}]}]}]}', "it has no answer, and does not say"),
        (b'{"data": "\xe9"}', "not UTF-8"), ("[" * 100_000, "is not JSON"),
    ],
)  # fmt: skip
def test_what_is_no_squad(tmp_path, content, said):
    assert any(said in fault for fault in faults(import_squad, written(tmp_path, content), tmp_path / "new"))


def test_articles_without_a_title_and_of_one_title(tmp_path):
    rows = [{**ROWS[0], "id": f"b{n}", "title": title, "context": f"{n} {GAME}", "answers": {"text": ["7 Feb"], "answer_start": [23]}}
            for n, title in enumerate(["", "", "A", "a", "A"])]  # fmt: skip
    made = import_squad(written(tmp_path, rows), tmp_path / "new")
    assert [each.doc_id for each in load_inventory(made.folder)] == ["text-1", "text-2", "A", "a-2"]
    assert len(sound(made.folder)) == 5


texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40).filter(str.strip)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(texts, st.data()), min_size=1, max_size=4))
def test_a_span_of_any_text_is_found_again(tmp_path_factory, drawn):
    folder = tmp_path_factory.mktemp("squad")
    rows = []
    for number, (context, data) in enumerate(drawn):
        start_ = data.draw(st.integers(0, len(context) - 1))
        text = context[start_ : data.draw(st.integers(start_ + 1, len(context)))]
        if text.strip():
            rows.append({"id": f"q{number}", "title": "T", "context": context, "question": "?",
                         "answers": [{"text": text, "answer_start": start_}]})  # fmt: skip
    if not rows:
        return
    import_squad(written(folder, rows), folder / "new")
    found = load_questions(folder / "new/questions.jsonl")
    text = parse(load_inventory(folder / "new")[0]).text
    assert [each.relevant[0].quote for each in found] == [row["answers"][0]["text"] for row in rows]
    for each in found:
        assert text[each.relevant[0].start : each.relevant[0].end] == each.relevant[0].quote


# --- BEIR ---------------------------------------------------------------------------------------------------------------------------------


def beir(tmp_path: Path, corpus=None, queries=None, qrels="query-id\tcorpus-id\tscore\nq1\tMED-1\t2\nq1\td/2\t1\nq2\tMED-1\t0\n") -> Path:
    corpus = corpus or [
        {"_id": "MED-1", "title": "Kettles", "text": "A kettle boils water.\n\n## It is hot."},
        {"_id": "d/2", "title": "", "text": "---\na: b\n---\nWater boils."},
        {"_id": "med-1", "title": "Other", "text": "Another one."},
        {"_id": "empty", "title": "", "text": ""},
    ]
    queries = queries or [{"_id": "q1", "text": "what boils"}, {"_id": "q2", "text": "nothing"}, {"_id": "q3", "text": "not judged"}]
    (tmp_path / "set/qrels").mkdir(parents=True)
    for name, values in (("corpus", corpus), ("queries", queries)):
        (tmp_path / f"set/{name}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in values), encoding="utf-8")
    (tmp_path / "set/qrels/test.tsv").write_text(qrels, encoding="utf-8")
    return tmp_path / "set"


def test_beir(tmp_path):
    made = import_beir(beir(tmp_path), tmp_path / "new")
    assert (made.documents, made.questions, made.unanswerable) == (3, 1, 0)
    documents = {each.doc_id: parse(each) for each in load_inventory(made.folder)}
    assert list(documents) == ["MED-1", "d-2", "med-1-2"]
    assert documents["MED-1"].text == "# Kettles\n\nA kettle boils water.\n\n## It is hot.\n" and documents["d-2"].body == 0
    (question,) = sound(made.folder)
    assert (question.id, question.question, question.reference_answer) == ("q1", "what boils", "unknown")
    assert [(each.doc_id, each.quote) for each in question.relevant] == [
        ("MED-1", "A kettle boils water.\n\n## It is hot."), ("d-2", "---\na: b\n---\nWater boils."),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("document", "quote"),
    [
        ({"title": "T", "text": "  a\n\nb "}, "a\n\nb"), ({"title": "", "text": " # a\n\nb"}, "# a\n\nb"),
        ({"title": "T", "text": ""}, "# T"), ({"title": "T\nU", "text": "a"}, "a"), ({"text": "# a\n\nb"}, "# a\n\nb"),
    ],
)  # fmt: skip
def test_what_of_a_document_is_gold(tmp_path, document, quote):
    made = import_beir(beir(tmp_path, corpus=[{"_id": "d"} | document], qrels="q1\td\t1\n"), tmp_path / "new")
    assert sound(made.folder)[0].relevant[0].quote == quote


@pytest.mark.parametrize(
    "qrels",
    [
        "q1 0 MED-1 1\n", "q1\tMED-1\t1\r\n", "query-id corpus-id score\nq1 MED-1 1\n", "q1\tMED-1\t0\nq1\tMED-1\t2\n",
        "q1\td/2\t1\nq1\tMED-1\t0.5\nq1\td/2\t-1\nq1\tempty\t0\n", 'query-id\tcorpus-id\tscore\n"q1"\t"MED-1"\t"1"\n',
    ],
)  # fmt: skip
def test_other_forms_of_judgements(tmp_path, qrels):
    made = import_beir(beir(tmp_path, qrels=qrels), tmp_path / "new")
    assert [each.doc_id for each in sound(made.folder)[0].relevant] == ["MED-1"]


@pytest.mark.parametrize(
    ("qrels", "said"),
    [
        ("q1\tMED-9\t1\n", "test.tsv:1: names the document 'MED-9'"), ("q9\tMED-1\t1\n", "test.tsv:1: judges the query 'q9'"),
        ("q1\tempty\t1\n", "test.tsv:1: names the document 'empty', which holds no text"),
        ("q1\tMED-1\tyes\n", "test.tsv:1: 'q1\\tMED-1\\tyes' is no judgement"), ("q1\tMED-1\t0\n", "judges no document relevant"),
    ],
)  # fmt: skip
def test_judgements_that_do_not_fit(tmp_path, qrels, said):
    assert any(said in fault for fault in faults(import_beir, beir(tmp_path, qrels=qrels), tmp_path / "new"))


def test_a_judgement_that_does_not_fit_can_be_left_out(tmp_path):
    made = import_beir(beir(tmp_path, qrels="q2\tMED-9\t1\nq1\tMED-1\t1\n"), tmp_path / "new", leave_out=True)
    assert [each.id for each in sound(made.folder)] == ["q1"] and len(made.left_out) == 1


@pytest.mark.parametrize(("query", "document"), [("q 1", 'a"b'), ('"q1', "a\tb"), ("q-1", '"')])
def test_judgements_on_odd_names(tmp_path, query, document):
    out = io.StringIO()
    csv.writer(out, delimiter="\t").writerows([["query-id", "corpus-id", "score"], [query, document, 1]])
    corpus, queries = [{"_id": document, "text": "x y"}], [{"_id": query, "text": "x"}]
    made = import_beir(beir(tmp_path, corpus, queries, out.getvalue()), tmp_path / "new")
    assert [each.quote for each in sound(made.folder)[0].relevant] == ["x y"]


def test_splits(tmp_path):
    source = beir(tmp_path)
    (source / "qrels/test.tsv").rename(source / "qrels/dev.tsv")
    assert import_beir(source, tmp_path / "one").questions == 1
    (source / "qrels/train.tsv").write_text("q3\tMED-1\t1\n", encoding="utf-8")
    with pytest.raises(BadArgument, match="holds dev, train"):
        import_beir(source, tmp_path / "two")
    assert sound(import_beir(source, tmp_path / "three", split="train").folder)[0].id == "q3"
    with pytest.raises(BadArgument, match="--split 'x'"):
        import_beir(source, tmp_path / "four", split="x")


def test_what_is_no_beir(tmp_path):
    with pytest.raises(BadArgument, match="there is no qrels/"):
        import_beir(tmp_path, tmp_path / "new")
    source = beir(tmp_path, corpus=[{"_id": "a", "text": "x"}, {"text": "y"}, {"_id": "a", "text": "z"}, {"_id": "b", "text": 7}])
    found = faults(import_beir, source, tmp_path / "new")
    assert [fault.split(":")[1] for fault in found if "corpus" in fault.split(":")[0]] == ["2", "3", "4"]
    (source / "corpus.jsonl").unlink()
    with pytest.raises(DocumentError, match="no such file"):
        import_beir(source, tmp_path / "new")


# --- tables of spans ----------------------------------------------------------------------------------------------------------------

TEXT = "# Hose guide\r\n\r\nThe hose fits all taps here.\r\nIt is blue. It is blue.\r\n"


def shop(tmp_path: Path) -> Path:
    (tmp_path / "docs/b").mkdir(parents=True)
    (tmp_path / "docs/guide.md").write_bytes(TEXT.encode())
    (tmp_path / "docs/b/page.html").write_text("<h1>Page</h1><p>Some   <b>bold</b>\nwords.</p>", encoding="utf-8")
    (tmp_path / "docs/c").mkdir()
    for name in ("b/guide.txt", "b/twice.md", "c/twice.md"):
        (tmp_path / "docs" / name).write_text("another guide", encoding="utf-8")
    start(tmp_path / "shop", tmp_path / "docs")
    return tmp_path / "shop"


def table(tmp_path: Path, *rows, header="question,document,start,end,text,answer,id", separator=",") -> Path:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=separator)
    writer.writerow(header.split(","))
    writer.writerows(rows)
    return written(tmp_path, out.getvalue(), "spans.csv")


FITS = (TEXT.index("The hose"), TEXT.index(" here"))


def test_one_span_a_row(tmp_path):
    folder = shop(tmp_path)
    source = table(
        tmp_path,
        ["What fits?", "documents/guide.md", *FITS, "", "The hose.", ""],
        ["What colour?", "documents/guide.md", TEXT.index("It is"), TEXT.index("It is") + 11, "It is blue.", "", ""],
        ["What fits?", "page.html", "", "", "Some bold words.", "", ""],
    )
    made = import_spans(source, folder)
    fits, colour = sound(folder)
    assert (made.questions, made.written) == (2, ("questions.jsonl",))
    assert (fits.id, fits.reference_answer, colour.id, colour.reference_answer) == ("Q01", "The hose.", "Q02", "unknown")
    assert [(each.doc_id, each.quote) for each in fits.relevant] == [("guide", "The hose fits all taps"), ("page", "Some bold words.")]
    assert colour.relevant[0].start == TEXT.index("It is")  # the first of two, as the row says
    assert len(load_questions(folder)) == 2  # questions.md as labkit new laid it in is in nobody's way


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_references_as_chunking_evaluations_write_them(tmp_path, separator):
    folder = shop(tmp_path)
    without_cr = TEXT.replace("\r\n", "\n")  # read as text by Python: positions without CR
    start_ = without_cr.index("The hose")
    references = json.dumps([{"content": "The hose fits all taps", "start_index": start_, "end_index": start_ + 22}])
    source = table(tmp_path, ["What fits?", references, "documents/guide"], header="question,references,corpus_id", separator=separator)
    import_spans(source, folder)
    (question,) = sound(folder)
    assert (question.relevant[0].start, question.relevant[0].end) == FITS


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (["", "page.html", 0, 4, "", "", ""], "the question is empty"),
        (["Q?", "", 0, 4, "", "", ""], "a reference names no document"),
        (["Q?", "page.htm", 0, 4, "", "", ""], "there is no document 'page.htm' — did you mean 'page.html'?"),
        (["Q?", "twice.md", 0, 4, "", "", ""], "'twice.md' can be documents/b/twice.md, documents/c/twice.md"),
        (["Q?", "page.html", 0, 400, "", "", ""], "characters 0 to 400 are no span of documents/b/page.html, which has 22"),
        (["Q?", "page.html", 4, 4, "", "", ""], "are no span"),
        (["Q?", "page.html", "x", 4, "", "", ""], "start 'x' and end '4' are no whole numbers"),
        (["Q?", "page.html", 0, 4, "None", "", ""], "'None' stands nowhere in"),
        (["Q?", "documents/guide.md", 0, 11, "It is blue.", "", ""], "'It is blue.' stands 2 times in"),
        (["Q?", "page.html", "", "", "None", "", ""], "'None' stands nowhere in documents/b/page.html — mend"),
        (["Q?", "documents/guide.md", 12, 15, "", "", ""], "hold nothing but blanks"),
    ],
)
def test_rows_that_do_not_fit(tmp_path, row, said):
    folder = shop(tmp_path)
    source = table(tmp_path, ["Good?", "documents/guide.md", *FITS, "", "", "g"], row)
    found = faults(import_spans, source, folder)
    assert len(found) == 1 and "spans.csv:3: " in found[0] and said in found[0]
    assert not (folder / "questions.jsonl").exists()
    import_spans(source, folder, leave_out=True)
    assert [each.id for each in sound(folder)] == ["g"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"), ("a,b\n1,2\n", "has no column question"), ("question,start,end\nx,1,2\n", "has no column document"),
        ("question,document,start,end\nx,y\n", "has 2 fields, and the header has 4"),
        ("question,document,start,end\n", "holds no question"),
        ('question,references\nx,"{"\n', "references is not JSON"), ("question,references\nx,[]\n", "the question has no reference"),
        ("question,references\nx,[1]\n", "references is no list of objects"), (b"question,references\n\xe9,[]\n", "spans.csv:2: not UTF-8"),
        ('question,document,start,end\n"x,y\n', "is not CSV"), ("question,document".encode("utf-16"), "UTF-16"),
    ],
)  # fmt: skip
def test_tables_that_are_none(tmp_path, content, said):
    assert any(said in fault for fault in faults(import_spans, written(tmp_path, content, "spans.csv"), shop(tmp_path)))


def test_thousands_of_wrong_names_take_no_minute(tmp_path, monkeypatch):
    compared = []
    monkeypatch.setattr("labkit.textfiles.get_close_matches", lambda word, known, n: compared.extend(known) or [])
    rows = "".join(f"q{number},nowhere{number},0,3\n" for number in range(20_000))
    found = faults(import_spans, written(tmp_path, f"question,document,start,end\n{rows}", "spans.csv"), shop(tmp_path))
    assert len(found) == 20_000 and all("compare it with inventory.csv" in each for each in found)
    assert 0 < len(compared) < 60_000


def test_two_questions_of_one_id_are_not_taken_for_one(tmp_path):
    folder = shop(tmp_path)
    name = load_inventory(folder)[0].doc_id
    rows = ["id,question,document,start,end", f"a,When?,{name},0,3", f"a,When?,{name},1,4", f"a,Who?,{name},0,3", f"b,Who?,{name},0,3"]
    source = written(tmp_path, "\n".join(rows) + "\n", "spans.csv")
    (found,) = faults(import_spans, source, folder)
    assert "spans.csv:4: the id 'a' is that of another question in line 2" in found
    import_spans(source, folder, leave_out=True)
    assert [(each.id, len(each.relevant)) for each in load_questions(folder)] == [("a", 2), ("b", 1)]


# --- all of them --------------------------------------------------------------------------------------------------------------------------


def test_nothing_is_written_over(tmp_path):
    source = written(tmp_path, SQUAD)
    for name in ("inventory.csv", "questions.jsonl"):
        folder = tmp_path / name.partition(".")[0]
        folder.mkdir()
        (folder / name).write_text("mine", encoding="utf-8")
        with pytest.raises(LabError, match=f"{name} is there already"):
            import_squad(source, folder)
        assert [path.name for path in folder.iterdir()] == [name]
    (tmp_path / "third/documents").mkdir(parents=True)
    (tmp_path / "third/documents/super-bowl.md").write_text("mine", encoding="utf-8")
    with pytest.raises(LabError, match="another file is there"):
        import_squad(source, tmp_path / "third")
    assert not (tmp_path / "third/inventory.csv").exists()  # a folder with an inventory is whole


def test_names_of_documents():
    names = Names()
    wishes = ["a", "A", "a", "x y", "../etc", "", "ü" * 300, "d.1"]
    made = [names.new(wish) for wish in wishes]
    assert made[:5] == ["a", "A-2", "a-3", "x-y", "etc"] and made[7] == "d.1"
    assert len({each.casefold() for each in made}) == len(made) and max(map(len, made)) <= 80


def test_the_command(tmp_path, labkit, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = written(tmp_path, [*ROWS, ROWS[0]])
    code, out, err = labkit("import", "squad", source.name, "new")
    assert (code, out) == (1, "") and "its id 'a1' stands at row 1 already" in err
    code, out, err = labkit("import", "squad", source.name, "new", "--leave-out")
    assert code == 0 and "1 document, 2 questions, 1 of them unanswerable" in flat(out) and "left out: source.json: row 3" in err
    assert labkit("validate", "new")[0] == 0
    code, out, err = labkit("import", "squad", source.name, "new")
    assert code == 1 and "are there already" in err
    assert labkit("import", "squad", source.name, "other", "--split", "test")[0] == 2
    assert labkit("import", "nothing", source.name, "other")[0] == 2
    code, out, err = labkit("import", "beir", str(beir(tmp_path)), "b", "--json")
    assert code == 0 and json.loads(out)["questions"] == 1
