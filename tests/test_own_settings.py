"""labkit.toml: defaults with reasons, every slip told at once with its line, own chunkers from the folder."""

import re
import tomllib
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.errors import FaultsError
from labkit.own.settings import DEFAULT_TOML, SETTINGS, TABLE, load_settings
from labkit.own.tokens import TokenChunk, tokens
from labkit.parsing.reading import parse
from labkit.toml_lines import lines_of


def written(folder: Path, text: str | bytes) -> Path:
    (folder / SETTINGS).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def faults(folder: Path, text: str | bytes) -> list[str]:
    with pytest.raises(FaultsError) as error:
        load_settings(written(folder, text))
    return [f"{each.line}: {each.what} — {each.todo}" for each in error.value.faults]


def test_without_a_file_the_defaults_hold(tmp_path):
    found = load_settings(tmp_path)
    assert (found.k, found.budgets, found.unit, found.last, found.access) == (5, (100, 200, 400), "words", "whole", "staff")
    assert (found.language, found.as_of, found.stem, found.stop_words) == (None, None, False, ())
    assert [str(each.chunker) for each in found.chunkers] == [
        "by_structure(max_words=200)", "fixed(size=100)", "overlapping(size=100, overlap=25)",
    ]  # fmt: skip
    assert [each.name for each in found.chunkers] == ["structure", "fixed", "overlapping"]
    assert [each.name for each in found.searches] == ["keyword"]


def test_the_file_to_start_from_says_what_holds_anyway(tmp_path):
    assert load_settings(written(tmp_path, DEFAULT_TOML)) == load_settings(tmp_path / "nowhere")
    taken_off = re.sub(r"^#(?! )", "", DEFAULT_TOML, flags=re.M)
    assert set(tomllib.loads(taken_off)) == {row.name for row in TABLE}
    assert load_settings(written(tmp_path, taken_off)) == load_settings(tmp_path / "nowhere")
    for row in TABLE:
        assert f"# {row.name}: {row.reason}." in DEFAULT_TOML
    assert max(map(len, DEFAULT_TOML.split("\n"))) <= 140


def test_the_page_about_it_shows_that_file_and_a_chunker_that_works(tmp_path):
    page = (Path(__file__).resolve().parent.parent / "docs/settings.md").read_text("utf-8")
    assert f"```toml\n{DEFAULT_TOML}```" in page
    code = re.search(r"```python\n(.*?)```", page, re.S)[1]
    (tmp_path / "my_chunkers.py").write_text(code)
    (tmp_path / "a.md").write_text("# A\n\nOne and one.\n\nTwo.\n")
    made_of = {200: ["# A\n\nOne and one.\n\nTwo."], 4: ["# A", "One and one.\n\nTwo."], 1: ["# A", "One and one.", "Two."]}
    for longest, made in made_of.items():
        table = f"[[chunkers]]\nuse = 'my_chunkers:whole_blocks'\nlongest = {longest}\n"
        (chunker,) = load_settings(written(tmp_path, table)).chunkers
        assert [chunk.text for chunk in chunker.chunker(parse(tmp_path / "a.md"))] == made


def test_as_dict_has_value_default_and_reason(tmp_path):
    found = load_settings(written(tmp_path, 'k = 3\nlanguage = "fr"\nas_of = 2026-12-01\n')).as_dict()
    assert list(found) == [row.name for row in TABLE] and all(set(each) == {"value", "default", "reason"} for each in found.values())
    assert (found["k"]["value"], found["k"]["default"]) == (3, 5)
    assert (found["language"]["value"], found["as_of"]["value"], found["as_of"]["default"]) == ("fr", "2026-12-01", "question")
    assert found["chunkers"]["value"] == found["chunkers"]["default"]


@pytest.mark.parametrize(
    "text, name, value",
    [
        ("k = 10", "k", 10),
        ("budgets = [400, 50]", "budgets", (50, 400)),
        ("budgets = 300", "budgets", (300,)),
        ('unit = "tokens"', "unit", "tokens"),
        ('last = "cut"', "last", "cut"),
        ('access = "public"', "access", "public"),
        ('language = "fr-CA"', "language", "fr-CA"),
        ('language = "all"', "language", None),
        ('as_of = "2026-12-01"', "as_of", date(2026, 12, 1)),
        ("as_of = 2026-12-01", "as_of", date(2026, 12, 1)),
        ('as_of = "any"', "as_of", "any"),
        ('as_of = "question"', "as_of", None),
        ("stem = true", "stem", True),
        ('stop_words = ["The", "of", "d\'Été"]', "stop_words", ("d", "ete", "of", "the")),
        ('questions = "asked.md"', "questions", ("asked.md",)),
        ('questions = ["a.jsonl", "deep/b.md"]', "questions", ("a.jsonl", "deep/b.md")),
    ],
)
@pytest.mark.parametrize("shape", ["{}\n", "\ufeff{}\r\n", "# a comment\n{} # and one\n"])
def test_what_a_file_sets(tmp_path, shape, text, name, value):
    found = load_settings(written(tmp_path, shape.format(text)))
    assert getattr(found, name) == value and found.given == {name}


@pytest.mark.parametrize(
    "text, said",
    [
        ("budgts = [1]", "1: unknown setting 'budgts' — did you mean 'budgets'?"),
        ("\n\nzebra = 1", "3: unknown setting 'zebra' — the settings are questions, k, "),
        ('k = "5"', "1: k: '5' — a whole number from 1 to 1,000"),
        ("k = true", "1: k: True — a whole number"),
        ("k = 0", "1: k: 0 — a whole number"),
        ("k = 2.0", "1: k: 2.0 — a whole number"),
        ("budgets = []", "1: budgets: [] — name at least one budget, and each once"),
        ("budgets = [1, 1]", "1: budgets: [1, 1] — name at least one"),
        ("budgets = [100,\n -3]", "1: budgets: -3 — a whole number from 1"),
        ('unit = "word"', "1: unit: 'word' — did you mean 'words'?"),
        ("unit = 3", "1: unit: 3 — write 'words' or 'tokens'"),
        ('last = "off"', "1: last: 'off' — write 'whole' or 'cut'"),
        ('access = "Public"', "1: access: 'Public' — did you mean 'public'?"),
        ('language = "French, please"', "1: language: 'French, please' — write a language tag"),
        ('as_of = "03/04/2024"', "1: as_of: '03/04/2024' is ambiguous: it can be two days — write 2024-03-04 or 2024-04-03, whichever is "),
        ("as_of = 2024-01-01T00:00:00", "1: as_of: datetime.datetime(2024, 1, 1, 0, 0) — write a day"),
        ('stem = "yes"', "1: stem: 'yes' — write true or false, without quotation marks"),
        ('stop_words = "the"', "1: stop_words: 'the' — a list of texts"),
        ('questions = ["../q.md"]', "1: questions: '../q.md' leaves the folder — write its name from the folder of labkit.toml"),
        ('questions = ["/etc/q.md"]', "1: questions: '/etc/q.md' leaves the folder"),
        ('questions = ["q.xlsx"]', "1: questions: 'q.xlsx' is neither Markdown nor JSON Lines"),
        ("questions = []", "1: questions: [] — name at least one file"),
        ("chunkers = 3", "1: chunkers: 3 — begin each one with a line [[chunkers]]"),
        ("[chunkers]\nuse = 'fixed'", "1: chunkers: {'use': 'fixed'} — begin each one with a line [[chunkers]]"),
        ("chunkers = []", "1: chunkers: there is none — begin one with a line [[chunkers]]"),
        ("k = 3\n[[chunkers]]\nname = 'x'", "2: this chunker does not say what to use — add a line use ="),
        ("[[chunkers]]\nuse = 'fixd'", "2: there is no chunker 'fixd' — did you mean 'fixed'? (one of yours is module:function)"),
        ("[[chunkers]]\nuse = 'fixed'\n[[chunkers]]\nuse = 'fixed'\n\nsise = 3", "6: fixed has no parameter 'sise' — did you mean 'size'?"),
        ("[[chunkers]]\nuse = 'fixed'\nsize = 0", "3: size=0: the words of a window, a whole number from 1 up (100 is the course's) — "),
        ("[[chunkers]]\nuse = 'fixed'\nsize = '9'", "3: size='9': the words of a window, a whole number"),
        ("[[chunkers]]\nuse = 'fixed'\nsize = [9]", "3: size: [9] — a parameter is a number, a text, true or false"),
        ("[[chunkers]]\nuse = 3", "2: use: 3 — write a text"),
        ("[[chunkers]]\nuse = 'fixed'\nname = ''", "3: name: '' — write a short text"),
        ("[[chunkers]]\nuse = 'fixed'\n[[chunkers]]\nuse = 'fixed'", "3: two chunkers have the name 'fixed(size=100)' — give each a name"),
        ("chunkers = [{use = 'fixed'},\n {use = 'fxd'}]", "1: there is no chunker 'fxd'"),
        ("k = 5\n[[chunker]]\nuse = 'fixed'\n[[chunker]]", "2: unknown setting 'chunker' — did you mean 'chunkers'?"),
        ("\n[serch]\na = 1", "2: unknown setting 'serch'"),
        ("[[long]]\na = 1", "1: long: "),
        ("[[searches]]\nk = 3", "2: a search has no 'k' — k is a setting of the whole file: put it above the first line with [["),
        ("[[chunkers]]\nuse = 'fixed'\nbudgets = 'x'", "3: fixed has no parameter 'budgets' — budgets is a setting of the whole file"),
        ("[[searches]]\nstemm = true", "2: a search has no 'stemm' — did you mean 'stem'?"),
        ("[[searches]]\nstem = 1", "2: stem: 1 — write true or false"),
        ("[[searches]]\nuse = 'meanin'", "2: use: 'meanin' — did you mean 'meaning'?"),
        ("[[searches]]\nuse = 'meaning'\nstem = true", "3: stem has no effect on a search with use = 'meaning' — leave it out"),
        ("[[searches]]\nmodel = 'english'", "2: model has no effect on a search with use = 'keyword' — leave it out"),
        ("[[searches]]\nuse = 'both'\nmodel = 'englisch'", "3: model: there is no model 'englisch' — did you mean 'english'?"),
        ("[[searches]]\nuse = 'both'\nmodel = '../m'", "3: model: '../m' leaves the folder — put the model into a folder beside"),
        ("[[searches]]\n[[searches]]", "2: two searches have the name 'keyword' — give each a name of its own"),
        ("k = ", "1: is not TOML: invalid value"),
        ("k = 1\nk = 2", "2: is not TOML: cannot overwrite a value"),
        ('questions = ["', "1: is not TOML: "),
        (b"k = 5 # caf\xe9", "1: not UTF-8: byte 12 of this line is 0xE9 — save it as UTF-8"),
        ("k = 5".encode("utf-16"), "1: is UTF-16, not UTF-8 — save it as UTF-8"),
    ],
)
def test_a_slip_is_told_with_its_line(tmp_path, text, said):
    (found,) = faults(tmp_path, text)
    assert found.startswith(said)


def test_searches(tmp_path):
    (tmp_path / "my model").mkdir()
    text = "stem = true\n[[searches]]\n[[searches]]\nuse = 'meaning'\n[[searches]]\nuse = 'both'\nname = 'mine'\n"
    text += "model = 'my model'\nstem = false\n"
    found = load_settings(written(tmp_path, text))
    assert [(each.name, each.use, each.stem, each.model) for each in found.searches] == [
        ("stemmed", "keyword", True, ""), ("meaning", "meaning", False, "multilingual"), ("mine", "both", False, "my model"),
    ]  # fmt: skip
    assert str(found.searches[2]) == "BM25 keyword search, search by meaning (my model), fused by rank"
    assert found.as_dict()["searches"]["value"][1] == {"name": "meaning", "use": "meaning", "model": "multilingual"}


def test_all_slips_at_once_in_order(tmp_path):
    text = "kk = 1\nk = 0\n[[chunkers]]\nuse = 'fixd'\n[[searches]]\nstem = 2\n"
    assert [each.partition(":")[0] for each in faults(tmp_path, text)] == ["1", "2", "4", "6"]
    (tmp_path / SETTINGS).unlink()
    (tmp_path / SETTINGS).mkdir()
    with pytest.raises(FaultsError, match=r"labkit.toml: a folder"):
        load_settings(tmp_path)


# --- own chunkers -------------------------------------------------------------------------------------------------------------------------

CODE = """
from dataclasses import dataclass
from labkit.chunking import Cut, make_chunks
import beside

@dataclass
class Halves:
    at: int = 2

number = 3

def halves(parsed, at=2):
    middle = len(parsed.text) // Halves(at).at
    return make_chunks(parsed, [Cut(0, middle), Cut(middle, len(parsed.text))], beside.NAME)
"""


def test_a_chunker_of_ones_own(tmp_path):
    (tmp_path / "beside.py").write_text("NAME = 'halves'")
    (tmp_path / "json.py").write_text(CODE)  # also named like a module that is there already
    (tmp_path / "a.md").write_text("# A\n\nOne two three four.\n")
    settings = load_settings(written(tmp_path, "[[chunkers]]\nuse = 'json:halves'\nat = 4\n"))
    (chunker,) = settings.chunkers
    assert chunker.own and chunker.name == "json:halves" and str(chunker.chunker) == "json:halves(at=4)" and not chunker.chunker.own
    chunks = chunker.chunker(parse(tmp_path / "a.md"))
    assert [(chunk.start, chunk.end) for chunk in chunks] == [(0, 6), (6, 25)]
    (tmp_path / "json.py").write_text(CODE.replace("// Halves(at).at", "// 2"))
    (chunker,) = load_settings(tmp_path).chunkers  # the file as it is now, not as it was when it was first imported
    assert [chunk.end for chunk in chunker.chunker(parse(tmp_path / "a.md"))] == [12, 25]


def test_what_an_own_chunker_does_stays_its_own(tmp_path, capsys):
    (tmp_path / "mine.py").write_text("print('made')\ndef cut(parsed):\n    print('cut')\n    parsed.blocks.clear()\n    return []\n")
    (tmp_path / "a.md").write_text("# A\n\nOne.\n")
    parsed = parse(tmp_path / "a.md")
    (chunker,) = load_settings(written(tmp_path, "[[chunkers]]\nuse = 'mine:cut'\n")).chunkers
    assert chunker.chunker(parsed) == [] and len(parsed.blocks) == 2  # the next chunker cuts the same document
    assert capsys.readouterr() == ("", "made\ncut\n")  # stdout is the report's, and a script may read it


@pytest.mark.parametrize(
    "use, code, said",
    [
        ("mine:cut", None, "there is no mine.py in the folder, and no such module is installed — check its name"),
        ("mine:cut", "x = 1", "mine has no cut — check its name"),
        ("mine:number", "number = 3", "mine:number is no function — name one that takes a parsed document"),
        ("mine:cut", "import nothing_of_that_name", "mine cannot be imported: No module named 'nothing_of_that_name' — install it"),
        ("mine:cut", "1/0", "mine cannot be imported (ZeroDivisionError: division by zero) — run it by itself to see where"),
        ("mine:cut", "def cut(:", "mine cannot be imported (SyntaxError"),
        ("mine:cut", "raise SystemExit(3)", "mine cannot be imported (SystemExit: 3)"),
        ("../mine:cut", "def cut(parsed): return []", "'../mine:cut' names no function — write module:function"),
        ("mine:", "", "'mine:' names no function"),
    ],
)
def test_a_chunker_of_ones_own_that_is_not_there(tmp_path, use, code, said):
    if code is not None:
        (tmp_path / "mine.py").write_text(code)
    (found,) = faults(tmp_path, f"[[chunkers]]\nname = 'my way'\nuse = '{use}'\n")
    assert found.startswith(f"3: {said}")


# --- lines and tokens ---------------------------------------------------------------------------------------------------------------------


def test_lines_of_keys():
    text = '''a = 1
"b" = """
c = 2
"""
d.e = [
  # f = 1 ]
  "]", {g = 1},
]

[[t]] # first
h = 1
[t.deep]
i = 1
  [[t]]
h = 2
[other]
j = '# k = 1'
'''
    lines = lines_of(text)
    assert tomllib.loads(text)["t"][1] == {"h": 2}
    expected = {("a",): 1, ("b",): 2, ("d",): 5, ("d", "e"): 5, ("t", 0): 10, ("t", 0, "h"): 11, ("t", 0, "deep"): 12}
    expected |= {("t", 0, "deep", "i"): 13, ("t", 1): 14, ("t", 1, "h"): 15, ("other",): 16, ("other", "j"): 17}
    assert lines == expected


@pytest.mark.parametrize(
    "text, number",
    [
        ("", 0), ("  \n", 0), ("kettle", 1), ("guarantee", 2), ("déjà", 1), ("2200", 2), ("PW-2200", 4), ("| a | b |", 5), ("Да", 1),
        ("水壶", 1),
    ],
)
def test_tokens_by_rule(text, number):
    assert tokens(text) == number


WORDS = st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=12), max_size=30)


@given(WORDS, st.integers(0, 60))
def test_tokens_add_up_and_a_chunk_shortens_to_them(these, limit):
    text = " ".join(these)
    assert tokens(text) == sum(map(tokens, text.split()))
    labels = dict(id="x", doc_id="d", version="1", access="public", language="en", sections=(), context="A title")
    chunk = TokenChunk.cut(text, 0, len(text), **labels)
    assert chunk.words == tokens(text) + 2
    short = chunk.shortened(limit)
    if short is None:
        assert not text.split() or limit < 2 + tokens(text.split()[0])
        return
    assert short.words <= max(limit, 0) and text.startswith(short.text) and isinstance(short, TokenChunk)
    left = text[short.end :].split()
    assert not left or short.words + tokens(left[0]) > limit
