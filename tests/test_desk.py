"""The searches of labkit label and labkit validate: who may see what, in which language, on which day, cut and searched as configured."""

import pytest
from judged_folders import folder_with

from labkit.own.desk import kept, lay_out
from labkit.own.examining import load_held

TEXT = "# {0}\n\n## Kettles\n\nThe kettle of {0} boils in {1} minutes, refunds apart.\n"
DOCUMENTS = {"old": TEXT.format("old", 9), "new": TEXT.format("new", 3), "till": TEXT.format("till", 5), "aide": TEXT.format("aide", 7)}
ROWS = {
    "old": {"doc_id": "guide", "version": "1", "effective_to": "2024-12-31"},
    "new": {"doc_id": "guide", "version": "2", "effective_from": "2025-01-01"},
    "till": {"access": "staff"},
    "aide": {"language": "fr-CA"},
}
QUESTIONS = "as_of: 2025-06-01\n\n## How long does a kettle take to boil?\n\n## And last year, a kettle?\n\nas_of: 2024-06-01\n"


def desk_of(tmp_path, settings=""):
    folder = folder_with(tmp_path / "f", DOCUMENTS, QUESTIONS, settings, ROWS)
    held = load_held(folder)
    return folder, held, lay_out(folder, held.documents, held.settings)


def brought(desk, question):
    return [sorted({f"{each.doc_id}@v{each.version}" for each in ranking}) for ranking in desk.rankings(question, 10)]


CASES = [
    ("", ["aide@v1", "guide@v2", "till@v1"], ["aide@v1", "guide@v1", "till@v1"]),
    ('access = "public"', ["aide@v1", "guide@v2"], ["aide@v1", "guide@v1"]),
    ('as_of = "any"', ["aide@v1", "guide@v1", "guide@v2", "till@v1"], ["aide@v1", "guide@v1", "guide@v2", "till@v1"]),
    ("as_of = 2024-03-01", ["aide@v1", "guide@v1", "till@v1"], ["aide@v1", "guide@v1", "till@v1"]),
]


@pytest.mark.parametrize(("settings", "first", "second"), CASES, ids=[settings or "defaults" for settings, *_ in CASES])
def test_who_sees_what_on_which_day(tmp_path, settings, first, second):
    _, held, desk = desk_of(tmp_path, settings)
    assert [brought(desk, question) for question in held.questions] == [[first] * 3, [second] * 3]


def test_a_language(tmp_path):
    _, held, desk = desk_of(tmp_path, 'language = "fr"')
    assert [each.doc_id for each in desk.documents] == ["aide"] and held.questions == ()


def test_every_chunker_with_every_search(tmp_path):
    settings = '[[chunkers]]\nuse = "fixed"\nsize = 4\nname = "a"\n\n[[chunkers]]\nuse = "by_structure"\nname = "b"\n\n'
    settings += '[[searches]]\nname = "x"\n\n[[searches]]\nname = "y"\nstem = true\n'
    _, held, desk = desk_of(tmp_path, settings)
    assert [method.name for method in desk.methods] == ["a + x", "a + y", "b + x", "b + y"]
    question = held.questions[0]
    refund = [desk.find[method.name](type(question)(**{**vars(question), "question": "refund"}), 5) for method in desk.methods]
    assert [bool(found) for found in refund] == [False, True, False, True]
    assert len(desk.chunks["a"]["guide", "1"]) > len(desk.chunks["b"]["guide", "1"]) == 1
    assert [len(ranking) for ranking in desk.rankings(question, 1)] == [1] * 4


def test_a_chunker_that_fails_and_a_document_that_is_gone_are_set_aside(tmp_path):
    folder = folder_with(tmp_path / "f", DOCUMENTS, QUESTIONS, '[[chunkers]]\nuse = "mine:cut"\n\n[[chunkers]]\nuse = "fixed"\n', ROWS)
    body = "    if parsed.doc_id == 'till':\n        raise KeyError('no till')\n    return []\n"
    (folder / "mine.py").write_text(f"def cut(parsed):\n{body}", "utf-8")
    held = load_held(folder)
    (folder / "documents/aide.md").unlink()
    desk = lay_out(folder, held.documents, held.settings)
    said = dict(desk.aside)
    assert set(said) == {"documents/till.md", "documents/aide.md"}
    assert "KeyError" in said["documents/till.md"] and "no such file" in said["documents/aide.md"]
    assert [len(ranking) > 0 for ranking in desk.rankings(held.questions[0])] == [False, True]


def test_what_was_read_is_kept_unless_a_link_leads_away(tmp_path):
    folder, *_ = desk_of(tmp_path)
    assert kept(folder).is_dir() and any(kept(folder).iterdir())
    (tmp_path / "g").mkdir()
    try:
        (tmp_path / "g/.labkit").symlink_to(tmp_path, target_is_directory=True)
    except OSError:
        return
    assert kept(tmp_path / "g") is None


def test_documents_of_one_word_and_none(tmp_path):
    folder = folder_with(tmp_path / "f", {"one": "kettle", "sign": "!", "heading": "## kettle\n"}, "## kettle?\n")
    held = load_held(folder)
    desk = lay_out(folder, held.documents, held.settings)
    assert brought(desk, held.questions[0]) == [["heading@v1", "one@v1"]] * 3
