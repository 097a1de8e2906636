"""Question files: the shape of each line, and that every fault of a file is named at once, with its line."""

import json
import unicodedata
from datetime import date
from pathlib import Path

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labkit.errors import QuestionsError
from labkit.questions import Edition, Question, Relevant, RelevantSpan, load_questions, schema

RELEVANT = {"doc_id": "a", "version": "1", "section": "One", "access": "public", "quote": "alpha"}
RECORD = {
    "id": "Q01", "question": "What is alpha?", "language": "en", "kind": "answerable", "as_of": "2024-06-01", "public_ok": True,
    "abstain": False, "reference_answer": "The first letter.", "keys": ["first"], "must_not": ["last"], "relevant": [RELEVANT],
    "wrong_version": [{"doc_id": "a", "version": "0"}], "tags": ["letters"], "notes": "",
}  # fmt: skip
UNANSWERABLE = {"kind": "unanswerable", "abstain": True, "relevant": [], "keys": [], "reference_answer": ""}


def line(drop: str | None = None, **fields) -> str:
    return json.dumps({name: value for name, value in (RECORD | fields).items() if name != drop}, ensure_ascii=False)


def relevant(drop: str | None = None, **fields) -> str:
    return line(relevant=[{name: value for name, value in (RELEVANT | fields).items() if name != drop}])


def written(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def faults(path: Path) -> list[tuple[int | None, str]]:
    with pytest.raises(QuestionsError) as caught:
        load_questions(path)
    assert caught.value.faults and all(fault.level == "error" for fault in caught.value.faults)
    return [(fault.line, str(fault)) for fault in caught.value.faults]


def test_a_line_becomes_a_question(tmp_path):
    first, second = load_questions(written(tmp_path, line() + "\n" + line(id="Q02", **UNANSWERABLE) + "\n"))
    assert first == Question(
        id="Q01", question="What is alpha?", language="en", kind="answerable", as_of=date(2024, 6, 1), public_ok=True, abstain=False,
        reference_answer="The first letter.", keys=("first",), must_not=("last",),
        relevant=(Relevant(doc_id="a", version="1", section="One", access="public", quote="alpha"),),
        wrong_version=(Edition("a", "0"),), tags=("letters",), notes="",
    )  # fmt: skip
    assert (first.line, second.line, second.relevant) == (1, 2, ())
    assert first.file.endswith("questions.jsonl")
    assert hash(first) == hash(load_questions(tmp_path / "questions.jsonl")[0])


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\xef\xbb\xbf" + line().encode(), id="byte order mark"),
        pytest.param(line() + "\r\n" + line(id="Q02") + "\r\n", id="CRLF"),
        pytest.param(line() + "\r" + line(id="Q02") + "\r", id="CR"),
        pytest.param(line(), id="no newline at the end"),
        pytest.param("  " + line() + "\t\n", id="spaces around"),
        pytest.param(line(question="one\u2028two \u0085 three \x0c".replace("\x0c", "")), id="line separators inside a text"),
        pytest.param(json.dumps(RECORD | {"question": "prolongée 😀"}), id="escaped, with both halves of a character"),
        pytest.param(line(kind="what my customers ask on Mondays"), id="a kind of one's own"),
        pytest.param(line(language="fr-CA", keys=[], must_not=[], tags=[], wrong_version=[]), id="empty lists"),
        pytest.param(line(language="unknown"), id="language unknown"),
        pytest.param(line(**UNANSWERABLE), id="unanswerable"),
        pytest.param(line(relevant=[RELEVANT, RELEVANT | {"quote": "beta"}]), id="two quotes of one section"),
        pytest.param(relevant(start=0, end=5), id="a span in a section"),
        pytest.param(relevant(start=3.0, end=8, section=""), id="a span without a section"),
        pytest.param(json.dumps(dict(reversed(RECORD.items()))), id="fields in another order"),
    ],
)
def test_accepted(tmp_path, content):
    path = written(tmp_path, content)
    assert load_questions(path) == load_questions(str(path)) != []


LIST = json.dumps([RECORD, RECORD | {"id": "Q02"}])
# name: (content, [(line, words that its message holds)])
REFUSED = {
    "trailing comma in the object": (line()[:-1] + ",}", [(1, "a comma stands before the closing }")]),
    "trailing comma in a list": (line().replace('["letters"]', '["letters", ]'), [(1, "a comma stands before the closing ]")]),
    "comma after the object": (line() + ",\n" + line(id="Q02"), [(1, "a comma stands at the end of the line — delete it")]),
    "two commas": (line().replace(', "tags"', ', , "tags"'), [(1, "two commas stand side by side, the second at character")]),
    "lines that end in CR": (line() + "\r\r" + line(id="Q 2"), [(2, "is a blank line"), (3, "id: 'Q 2' holds a space")]),
    "comma missing": (line().replace(', "tags"', ' "tags"'), [(1, "a comma is missing at character")]),
    "two objects on a line": (line() + " " + line(id="Q02"), [(1, "a second object begins at character")]),
    "text after the object": (line() + " // done", [(1, "something stands after the closing bracket")]),
    "single quotation marks": ("{'id': 'Q01'}", [(1, "' stands at character 2 — JSON wants straight double quotation marks")]),
    "curly quotation marks": ("{“id”: “Q01”}", [(1, "“ stands at character 2")]),
    "Python's True": (line().replace("true", "True"), [(1, "True stands at character"), ]),
    "Python's None": (line().replace('"notes": ""', '"notes": None'), [(1, "None stands at character"), ]),
    "cut off": (line()[:-30], [(1, "is never closed")]),
    "cut off between fields": ('{"id": "Q01",', [(1, "the line ends in the middle of the object")]),
    "quotation mark inside a text": (line().replace("What is", 'What "is"'), [(1, "a quotation mark too many stands before it")]),
    "tab inside a text": (line().replace("What is", "What\tis"), [(1, "a tab or another control character stands inside a text")]),
    "backslash": (line().replace("What is", "What\\is x"), [(1, "a backslash at character")]),
    "not JSON at all": ("id: Q01", [(1, "not JSON: expecting value at character 1")]),
    "byte order mark inside": (line() + "\n\ufeff" + line(id="Q02"),
        [(2, "begins with a byte order mark, as where two files were joined")]),
    "NaN": (line().replace('"notes": ""', '"notes": NaN'), [(1, "NaN is not JSON"), (1, "notes: the number nan stands where")]),
    "Infinity": (line().replace('"as_of": "2024-06-01"', '"as_of": -Infinity'),
        [(1, "-Infinity is not JSON"), (1, "as_of: the number -inf")]),
    "key twice": (line()[:-1] + ', "notes": "x"}', [(1, "the field 'notes' stands twice — keep one of the two")]),
    "key twice, inside": (line().replace('"section": "One"', '"section": "One", "section": "Two"'),
        [(1, "the field 'section' stands twice")]),
    "number of 5000 digits": (line().replace('"notes": ""', '"notes": ' + "9" * 5000), [(1, "cannot be read as JSON")]),
    "brackets too deep": ("[" * 100_000, [(1, "brackets stand inside brackets too deep to read")]),
    "deep inside a field": (line().replace('"notes": ""', '"notes": ' + "[" * 400 + "]" * 400), [(1, "notes: a list stands where a text")]),
    "a list": ("[1]\n" + line(), [(1, "is a list, not a question")]),
    "a number": (line() + "\n7", [(2, "is the number 7, not a question")]),
    "a text": (line() + '\n"Q02"', [(2, "is the text 'Q02', not a question")]),
    "null": (line() + "\nnull", [(2, "is null, not a question")]),
    "blank line": (line() + "\n\n" + line(id="Q02"), [(2, "is a blank line — delete it")]),
    "blank line at the end": (line() + "\n\n", [(2, "is a blank line")]),
    "spaces alone": (line() + "\r\n \r\n", [(2, "is a blank line")]),
    "empty file": ("", [(1, "is empty")]),
    "byte order mark alone": (b"\xef\xbb\xbf", [(1, "is empty")]),
    "one list over all": (LIST, [(1, "the file is one JSON list — write one question a line")]),
    "one list, printed over lines": (json.dumps([RECORD], indent=2), [(1, "the file is one JSON list")]),
    "one object, printed over lines": (json.dumps(RECORD, indent=2), [(1, "the file is one JSON object over several lines")]),
    "objects, printed over lines": (json.dumps(RECORD, indent=2) * 2, [(1, "a question is spread over several lines")]),
    "Latin-1": ((line() + "\n" + line(id="Q02", notes="é")).encode("latin-1"), [(2, "not UTF-8: byte")]),
    "UTF-16": (line().encode("utf-16"), [(1, "is UTF-16, not UTF-8")]),
    "lone surrogate": (line().replace("What", "\\ud83d What"), [(1, "question: holds half a character")]),
    "lone surrogate in a quote": (relevant(quote="x").replace('"x"', '"\\udc00"'),
        [(1, "relevant entry 1, quote: holds half a character")]),
    "lone surrogate as a field": (line()[:-1] + ', "\\ud800": 1}', [(1, "unknown field '\\ud800'")]),
    "the same id": (line() + "\n" + line(question="Other?"), [(2, "the id 'Q01' stands in line 1 already")]),
    "the same id three times": ("\n".join([line()] * 3), [(2, "stands in line 1 already"), (3, "stands in line 1 already")]),
    "the same id, one of them broken": (line(tags=1) + "\n" + line(), [(1, "tags: the number 1"), (2, "stands in line 1 already")]),
    "id with a space": (line(id="Q 01"), [(1, "id: 'Q 01' holds a space")]),
    "unknown field": (line(colour="red"), [(1, "unknown field 'colour' — the fields are id, question")]),
    "unknown field, nearly": (line(note=""), [(1, "unknown field 'note' — did you mean 'notes'?")]),
    "unknown field in relevant": (relevant(page=3), [(1, "relevant entry 1: unknown field 'page'")]),
    "unknown field in wrong_version": (line(wrong_version=[{"doc_id": "a", "version": "1", "x": 1}]),
        [(1, "wrong_version entry 1: unknown field 'x'")]),
    "fields missing": ('{"id": "Q01", "question": "What?"}', [(1, "the fields 'language', 'kind', 'as_of', 'public_ok'")]),
    "id is a number": (line(id=1), [(1, 'id: the number 1 stands where a text in quotation marks belongs — write "1"')]),
    "version is a number": (relevant(version=3), [(1, "relevant entry 1, version: the number 3 stands where a text")]),
    "question is null": (line(question=None), [(1, "question: null stands where a text in quotation marks belongs")]),
    "public_ok is a text": (line(public_ok="true"), [(1, "public_ok: the text 'true' stands where true or false")]),
    "public_ok is 1": (line(public_ok=1), [(1, "public_ok: the number 1 stands where true or false")]),
    "abstain is null": (line(abstain=None), [(1, "abstain: null stands where true or false")]),
    "keys is a text": (line(keys="first"),
        [(1, "keys: the text 'first' stands where a list in square brackets belongs — write [\"first\"]")]),
    "a key is a number": (line(keys=["x", 30]), [(1, "keys entry 2: the number 30 stands where a text")]),
    "a key is empty": (line(keys=[""]), [(1, "keys entry 1 is empty")]),
    "a must_not is blank": (line(must_not=["x", " "]), [(1, "must_not entry 2 is empty")]),
    "tags is an object": (line(tags={}), [(1, "tags: an object stands where a list")]),
    "relevant is an object": (line(relevant=RELEVANT), [(1, "relevant: an object stands where a list")]),
    "a relevant entry is a text": (line(relevant=["a"]), [(1, "relevant entry 1: the text 'a' stands where an object")]),
    "access label unknown": (relevant(access="internal"), [(1, "relevant entry 1, access: unknown access label 'internal'")]),
    "access label in capitals": (relevant(access="Public"), [(1, "unknown access label 'Public'")]),
    "access label is a list": (relevant(access=["public"]), [(1, "unknown access label ['public']")]),
    "the same entry twice": (line(relevant=[RELEVANT, RELEVANT]), [(1, "relevant: entry 2 repeats entry 1")]),
    "the same edition twice": (line(wrong_version=[{"doc_id": "a", "version": "1"}] * 2), [(1, "wrong_version: entry 2 repeats entry 1")]),
    "nothing relevant": (line(relevant=[]), [(1, "abstain is false, and relevant names no passage")]),
    "abstain, and relevant": (line(abstain=True), [(1, "abstain is true, and relevant names passages")]),
    "a span without an end": (relevant(start=3), [(1, "relevant entry 1: the field 'end' is missing")]),
    "a span without a start": (relevant(end=3), [(1, "relevant entry 1: the field 'start' is missing")]),
    "a span of text": (relevant(start="3", end=8), [(1, "relevant entry 1, start: the text '3' stands where a whole number")]),
    "a span of halves": (relevant(start=0.5, end=5.5), [(1, "relevant entry 1, start: the number 0.5"), (1, "relevant entry 1, end: the")]),
    "a span that is true": (relevant(start=True, end=8), [(1, "relevant entry 1, start: true (without quotation marks) stands where")]),
    "a span below 0": (relevant(start=-1, end=4), [(1, "relevant entry 1: characters -1 to 4 are no span")]),
    "a span the wrong way round": (relevant(start=8, end=3), [(1, "characters 8 to 3 are no span")]),
    "a span of another length": (relevant(start=3, end=9), [(1, "the span holds 6 characters, and the quote 5")]),
    "no section and no span": (relevant(section=""), [(1, "relevant entry 1, section is empty")]),
    "no reference answer": (line(reference_answer=" "), [(1, "reference_answer is empty")]),
    "language in words": (line(language="English"), [(1, "language: 'English' is not a language tag")]),
    "day and month swapped": (line(as_of="03/04/2024"), [(1, "as_of: '03/04/2024' is ambiguous")]),
    "no such day": (line(as_of="2024-02-30"), [(1, "as_of: '2024-02-30' is no date: February 2024 has 29 days")]),
    "as_of is empty": (line(as_of=""), [(1, "as_of: '' is not a date")]),
    "as_of is null": (line(as_of=None), [(1, "as_of: null stands where a text")]),
    **{f"{name} missing": (line(drop=name), [(1, f"the field '{name}' is missing")]) for name in RECORD},
    **{f"relevant without {name}": (relevant(drop=name), [(1, f"relevant entry 1: the field '{name}' is missing")]) for name in RELEVANT},
    **{f"{name} empty": (line(**{name: ""}), [(1, f"{name} is empty")]) for name in ("id", "question", "language", "kind")},
    **{f"relevant {name} empty": (relevant(**{name: " "}), [(1, f"relevant entry 1, {name} is empty")])
       for name in ("doc_id", "version", "section", "quote")},
}  # fmt: skip


def test_a_span_is_a_relevant_entry_with_its_ends(tmp_path):
    (question,) = load_questions(written(tmp_path, relevant(start=3.0, end=8, section="")))
    (entry,) = question.relevant
    assert entry == RelevantSpan("a", "1", "", "public", "alpha", 3, 8) and isinstance(entry.start, int)
    assert Relevant(**RELEVANT).start is Relevant(**RELEVANT).end is None and vars(Relevant(**RELEVANT)) == RELEVANT


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_a_clear_word(tmp_path, name):
    content, expected = REFUSED[name]
    found = faults(written(tmp_path, content))
    assert [number for number, _ in found] == [number for number, _ in expected], "\n".join(text for _, text in found)
    for number, words in expected:
        assert any(words in text and f"questions.jsonl:{number}: " in text for _, text in found), (words, found)
    assert all(len(text) < 1000 for _, text in found)
    "\n".join(text for _, text in found).encode("utf-8")


def test_every_fault_at_once_in_the_order_of_the_lines(tmp_path):
    content = "\n".join(
        [
            line(id="Q01", as_of="03/04/2024", keys="x", extra=1),
            "",
            line(id="Q02")[:-1] + ",}",
            line(id="Q03"),
            line(id="Q03", relevant=[RELEVANT | {"access": "all", "version": 2}, RELEVANT | {"quote": ""}]),
            "[]",
            line(id="Q04", notes="é"),
        ]
    )
    found = faults(written(tmp_path, content.encode("latin-1")))
    assert [number for number, _ in found] == [1, 1, 1, 2, 3, 5, 5, 5, 5, 6, 7]


@pytest.mark.parametrize("name, words", [("nowhere.jsonl", "there is no such file"), (".", "a folder, not a question file")])
def test_a_file_that_is_none(tmp_path, name, words):
    ((number, text),) = faults(tmp_path / name)
    assert number is None and words in text


def test_a_path_that_no_system_takes():
    ((_, text),) = faults(Path("x\0"))
    assert "there is no such file" in text or "cannot be read" in text


def test_accents_stay_as_they_are_written(tmp_path):
    quote = unicodedata.normalize("NFD", "prolongée")
    (question,) = load_questions(written(tmp_path, relevant(quote=quote)))
    assert question.relevant[0].quote == quote


def test_the_schema_is_one_and_agrees_with_the_loader(tmp_path):
    jsonschema.Draft202012Validator.check_schema(schema())
    assert set(schema()["required"]) == set(schema()["properties"]) == set(RECORD)
    root = Path(__file__).parent.parent
    assert (root / "questions/schema.json").read_bytes() == (root / "labkit/questions.schema.json").read_bytes()
    # What the loader refuses for its shape the schema refuses too; what one object alone cannot show is the loader's.
    validator = jsonschema.Draft202012Validator(schema())
    beyond = {"a span without a start", "a span below 0", "a span the wrong way round", "a span of another length"}
    beyond |= {"key twice", "key twice, inside", "lone surrogate", "lone surrogate in a quote", "day and month swapped", "no such day",
              "as_of is empty", "one object, printed over lines"}  # fmt: skip
    refused = 0
    for name, (content, _) in REFUSED.items():
        try:
            record = json.loads(content) if isinstance(content, str) and name not in beyond and not content.endswith("\n") else None
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            assert not validator.is_valid(record), name
            refused += 1
    assert refused > 50
    assert validator.is_valid(RECORD) and validator.is_valid(RECORD | UNANSWERABLE)


# --- laws ------------------------------------------------------------------------------------------------------------------------

SHARED = settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12).filter(str.strip)
editions = st.fixed_dictionaries({"doc_id": words, "version": words})
entries = st.fixed_dictionaries(
    {"doc_id": words, "version": words, "section": words, "access": st.sampled_from(["public", "staff"]), "quote": words}
)


def lists(of, least: int = 0):
    return st.lists(of, min_size=least, max_size=3, unique_by=lambda value: json.dumps(value, sort_keys=True))


records = st.fixed_dictionaries(
    {
        "question": words, "language": st.sampled_from(["en", "fr", "de-AT"]), "kind": words, "as_of": st.dates().map(str),
        "public_ok": st.booleans(), "abstain": st.just(False), "reference_answer": words, "keys": lists(words), "must_not": lists(words),
        "relevant": lists(entries, least=1), "wrong_version": lists(editions), "tags": lists(words), "notes": st.text(max_size=5),
    }
)  # fmt: skip


@SHARED
@given(st.lists(records, min_size=1, max_size=3), st.booleans(), st.sampled_from(["\n", "\r\n", "\r"]))
def test_a_valid_file_comes_back_as_it_was_written(tmp_path, several, escaped, end):
    several = [record | {"id": f"Q{number}"} for number, record in enumerate(several)]
    text = "".join(json.dumps(record, ensure_ascii=escaped) + end for record in several)
    for record, question in zip(several, load_questions(written(tmp_path, text)), strict=True):
        for name, value in record.items():
            mine = getattr(question, name)
            if name in ("relevant", "wrong_version"):
                assert [vars(entry) for entry in mine] == value
            elif isinstance(value, list):
                assert list(mine) == value
            else:
                assert (str(mine) if name == "as_of" else mine) == value


mutations = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.integers(0, 12),
        st.one_of(
            st.binary(max_size=6),
            st.sampled_from([b'"', b",", b"{", b"}", b"]", b"\n", b"\r", b"\0", b"\\", b"\\ud800",
                 b"\xe9", b"NaN", b"1e999", b"null", b"\xef\xbb\xbf"]),
        ),
    ),
    min_size=1,
    max_size=4,
)  # fmt: skip


@SHARED
@given(mutations)
def test_whatever_the_bytes_only_a_questions_error_is_raised(tmp_path, changes):
    data = (line() + "\n" + line(id="Q02", **UNANSWERABLE) + "\n").encode()
    for place, gone, new in changes:
        start = int(place * len(data))
        data = data[:start] + new + data[start + gone :]
    try:
        questions = load_questions(written(tmp_path, data))
    except QuestionsError as error:
        assert error.faults
        str(error).encode("utf-8")
    else:
        assert questions and all(isinstance(question, Question) for question in questions)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@SHARED
@given(st.dictionaries(st.sampled_from([*RECORD, "other"]), json_values, min_size=1, max_size=4), st.booleans())
def test_whatever_the_types_only_a_questions_error_is_raised(tmp_path, fields, inside):
    text = relevant(**fields) if inside else line(**fields)
    try:
        load_questions(written(tmp_path, text))
    except QuestionsError as error:
        assert all(fault.line == 1 for fault in error.faults)
        str(error).encode("utf-8")
