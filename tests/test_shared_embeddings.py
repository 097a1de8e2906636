"""The lessons' cache of embeddings: the same rows with and without it, whatever becomes of its file, and several processes at once."""

import multiprocessing
import sqlite3
import threading

import numpy as np
import pytest
from small_embedders import BagOfWords

import labkit
from labkit.course import MARKS
from labkit.errors import BadArgument
from labkit.lessons import embeddings
from labkit.lessons.embeddings import SharedEmbedder, SharedStore, cache_folder

TEXTS = ["refund of a kettle", "a kettle", "", "remboursement", "a kettle", "x" * 5000]


def shared(folder, dimensions=64):
    model = BagOfWords(dimensions)
    return SharedEmbedder(model, SharedStore(folder, dimensions)), model


def wanted(texts):
    return BagOfWords().embed(texts)


def file_of(folder):
    return next(folder.glob("*.db"))


def test_a_second_process_asks_the_model_for_nothing(tmp_path):
    first, model = shared(tmp_path)
    assert np.array_equal(first.embed(TEXTS), wanted(TEXTS)) and len(model.asked) == 1
    second, other = shared(tmp_path)
    assert np.array_equal(second.embed(TEXTS), wanted(TEXTS)) and other.asked == []
    second.embed(["a kettle", "new"])
    assert other.asked == [["new"]]


def test_one_file_and_the_lock_stand_in_the_folder(tmp_path):
    shared(tmp_path)[0].embed(TEXTS)
    assert sorted(path.suffix for path in tmp_path.iterdir()) in ([".db", ""], ["", ".db"])


def test_questions_are_in_no_file(tmp_path):
    embedder, _ = shared(tmp_path)
    embedder.embed(["a"])
    embedder.model.embed_query = lambda text: BagOfWords().embed([text])[0]
    embedder.embed_query("what a customer asks")
    assert SharedStore(tmp_path, 64).fetch("bag-of-words", [embeddings.content_of("what a customer asks")]) == {}


def test_the_courses_own_questions_are_asked_of_the_model_once(tmp_path, monkeypatch):
    monkeypatch.setattr(embeddings, "course_questions", lambda: frozenset({"what the course asks", "and this"}))
    first, model = shared(tmp_path)
    model.embed_query = lambda text: BagOfWords().embed([text, "asked"])[0]
    first.embed(["what the course asks"])  # as a text: kept apart from the question
    row = first.embed_query("what the course asks")
    again, _ = shared(tmp_path)
    model.embed_query = None  # nobody may ask it: the row is in memory
    assert np.array_equal(again.embed_query("what the course asks"), row)
    row[0] += 1
    assert not np.array_equal(again.embed_query("what the course asks"), row)
    assert np.array_equal(first.embed_query("what the course asks"), again.embed_query("what the course asks"))


def test_a_lone_question_that_is_no_text_is_refused(tmp_path):
    for what in (None, 3, ["a"]):
        with pytest.raises(BadArgument):
            shared(tmp_path)[0].embed_query(what)


def test_the_course_asks_its_questions_and_their_parts(tmp_path, monkeypatch):
    asked = embeddings.course_questions()
    assert {question.question for question in labkit.load_questions()} < asked
    assert len(asked) > 247  # the parts of lesson 14 as well
    monkeypatch.setattr(embeddings, "course_folder", lambda: tmp_path)
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions" / "broken.jsonl").write_text('{"question": "a"}\n{"id": 3}\n', encoding="utf-8")
    assert embeddings.course_questions.__wrapped__() == frozenset()


def damage_of(kind, file):
    if kind == "not SQLite":
        file.write_bytes(b"something else altogether" * 100)
    elif kind == "cut short":
        file.write_bytes(file.read_bytes()[: len(file.read_bytes()) // 2])
    elif kind == "zeros inside":
        data = file.read_bytes()
        file.write_bytes(data[:100] + bytes(len(data) - 100))
    elif kind == "empty":
        file.write_bytes(b"")
    elif kind == "a folder":
        file.unlink()
        file.mkdir()
    elif kind == "another program's":
        file.unlink()
        with sqlite3.connect(file) as other:
            other.execute("CREATE TABLE letters (text)")
        other.close()
    else:
        with sqlite3.connect(file) as database:
            database.execute("UPDATE vectors SET vector = ?", (kind,))
        database.close()


ROWS = [b"", b"\0" * 12, np.full(64, np.nan, "<f4").tobytes(), np.full(64, 3, "<f4").tobytes(), "text"]


@pytest.mark.parametrize("kind", ["not SQLite", "cut short", "zeros inside", "empty", "a folder", "another program's", *ROWS])
def test_a_damaged_cache_changes_no_row(tmp_path, kind):
    shared(tmp_path)[0].embed(TEXTS)
    damage_of(kind, file_of(tmp_path))
    embedder, _ = shared(tmp_path)
    assert np.array_equal(embedder.embed(TEXTS), wanted(TEXTS))
    assert np.array_equal(embedder.embed(TEXTS), wanted(TEXTS))


@pytest.mark.parametrize("kind", ["cut short", "zeros inside", "empty", *ROWS])
def test_a_damaged_cache_is_made_anew(tmp_path, kind):
    shared(tmp_path)[0].embed(TEXTS)
    damage_of(kind, file_of(tmp_path))
    for _ in range(3):
        shared(tmp_path)[0].embed(TEXTS)
    embedder, model = shared(tmp_path)
    assert np.array_equal(embedder.embed(TEXTS), wanted(TEXTS)) and model.asked == []


def test_what_is_not_ours_is_left_as_it_is(tmp_path):
    shared(tmp_path)[0].embed(["a"])
    damage_of("another program's", file_of(tmp_path))
    before = file_of(tmp_path).read_bytes()
    shared(tmp_path)[0].embed(TEXTS)
    assert file_of(tmp_path).read_bytes() == before


def test_without_a_folder_rows_stay_in_memory():
    embedder, model = shared(None)
    assert np.array_equal(embedder.embed(TEXTS), wanted(TEXTS)) and np.array_equal(embedder.embed(TEXTS), wanted(TEXTS))
    assert len(model.asked) == 1


def test_a_folder_that_goes_away_stops_nothing(tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    embedder, _ = shared(folder)
    embedder.embed(TEXTS[:2])
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    assert np.array_equal(embedder.embed(TEXTS), wanted(TEXTS))


def test_texts_that_are_none_are_an_error(tmp_path):
    for texts in ("a text", [1], None):
        with pytest.raises(BadArgument):
            shared(tmp_path)[0].embed(texts)


def in_a_process(folder, results):
    embedder, model = shared(folder)
    rows = embedder.embed(TEXTS * 20 + [f"text {number}" for number in range(300)])
    results.put((float(rows.sum()), sum(map(len, model.asked))))


def test_processes_that_begin_at_once_embed_each_text_once(tmp_path):
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    processes = [context.Process(target=in_a_process, args=(tmp_path, results)) for _ in range(4)]
    for process in processes:
        process.start()
    given = [results.get(timeout=60) for _ in processes]
    for process in processes:
        process.join()
    assert len({total for total, _ in given}) == 1
    assert sorted(asked for _, asked in given) == [0, 0, 0, 300 + len(set(TEXTS))]


def test_threads_share_one_store(tmp_path):
    embedder, _ = shared(tmp_path)
    given = []
    threads = [threading.Thread(target=lambda: given.append(embedder.embed(TEXTS))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(given) == 4 and all(np.array_equal(rows, wanted(TEXTS)) for rows in given)


# where it is


def test_the_folder_is_the_courses_unless_another_is_named(tmp_path, monkeypatch):
    course = tmp_path / "course"
    for mark in MARKS:
        (course / mark).parent.mkdir(parents=True, exist_ok=True)
        (course / mark).write_text("", "utf-8")
    monkeypatch.setenv("LABKIT_COURSE", str(course))
    monkeypatch.delenv("LABKIT_CACHE", raising=False)
    assert cache_folder() == course / "build" / "embeddings" and cache_folder().is_dir()
    monkeypatch.setenv("LABKIT_CACHE", str(tmp_path / "another one"))
    assert cache_folder() == tmp_path / "another one"


@pytest.mark.parametrize("named", ["a file", "a\0b"])
def test_a_place_that_is_none_means_memory(tmp_path, monkeypatch, named):
    (tmp_path / "a file").write_text("x", "utf-8")
    monkeypatch.setattr(embeddings.os, "environ", {"LABKIT_CACHE": str(tmp_path / named)})
    assert cache_folder() is None


def test_without_a_course_it_is_memory(tmp_path, monkeypatch):
    monkeypatch.delenv("LABKIT_CACHE", raising=False)
    monkeypatch.setenv("LABKIT_COURSE", str(tmp_path))
    assert cache_folder() is None


def test_a_lesson_gives_the_same_embedder_each_time(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("LABKIT_CACHE", str(tmp_path))
    lesson = labkit.lesson("01")
    embedder = lesson.embedder()
    assert embedder is lesson.embedder("multilingual") and embedder.dimensions == 512
    assert np.array_equal(embedder.embed(["A kettle."]), labkit.load_embedder().embed(["A kettle."]))
    assert SharedStore(tmp_path, 512).fetch(embedder.name, [embeddings.content_of("A kettle.")])
