"""The index on disk, killed or failing at any point, and used by several processes at once."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from indexed_collections import check_whole, cut, document, held, returns, till

from labkit.collection import Document
from labkit.errors import IndexFileError
from labkit.retrieval.collection_index import CollectionIndex


def ids(found) -> list[str]:
    return [each.id for each in found]


class Watched(sqlite3.Connection):
    """A connection that tells `before`, if set, of each statement before it runs."""

    before = None

    def execute(self, sql, *values):
        if Watched.before is not None:
            Watched.before(sql)
        return super().execute(sql, *values)


@pytest.fixture
def watched(monkeypatch):
    real = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *arguments, **more: real(*arguments, factory=Watched, **more))
    monkeypatch.setattr(Watched, "before", None)
    return Watched


def states(folder: Path) -> tuple[list[Document], list[Document]]:
    """A collection, and what becomes of it: a document longer than the cache gets shorter; one changes hands; one goes; one is new."""
    long = "# Care\n\n" + "".join(f"## Part {n}\n\nRinse the filter, step {n}: " + f"kettle{n} " * 150 + "\n\n" for n in range(60))
    after_it, folder = folder / "after" / "shop", folder / "before" / "shop"
    before = [document(folder, "care", long), returns(folder), till(folder), document(folder, "old", "# Old\n\nThe kettle.\n")]
    after = [
        document(after_it, "care", long[: len(long) // 3]), returns(after_it, "sixty", access="staff"), till(after_it),
        document(after_it, "new", "# New\n\nThe kettle days.\n"),
    ]  # fmt: skip
    return before, after


def check_between(path: Path, before: list[Document], after: list[Document]) -> dict:
    """The index opens, is sound, and holds each document as it was or as it is."""
    with CollectionIndex(path) as index:
        check_whole(index)
        found = held(index)
        was, is_ = cut(index, before), cut(index, after)
        for name in {*was, *is_, *found}:
            assert found.get(name) in (was.get(name), is_.get(name)), name
    return found


def test_killed_at_each_statement_it_opens_as_it_was_or_as_it_is(tmp_path, watched):
    before, after = states(tmp_path)
    path = tmp_path / "index.db"
    with CollectionIndex(path) as index:
        index.update(before)
    copies: list[Path] = []

    def copy(sql: str) -> None:
        """What lies on the disk at this moment is what a kill at this moment leaves."""
        folder = tmp_path / f"copy{len(copies)}"
        folder.mkdir()
        for file in (path, path.with_name("index.db-journal")):
            if file.exists():
                shutil.copy(file, folder / file.name)
        copies.append(folder / "index.db")

    with CollectionIndex(path) as index:
        index._ask("PRAGMA cache_size = 2")  # changes reach the file long before they are valid
        last = path.read_bytes()
        watched.before = copy
        index.update(after)
        watched.before = None
    assert len(copies) > 100
    in_the_middle = 0
    seen = []
    chosen = [number for number in range(len(copies)) if number < 30 or number % 9 == 0 or number > len(copies) - 30]
    for number in chosen:
        in_the_middle += copies[number].with_name("index.db-journal").exists() and copies[number].read_bytes() != last
        seen.append(json.dumps(check_between(copies[number], before, after), sort_keys=True))
    assert in_the_middle > 5  # the file was half changed, and a journal lay beside it
    assert 3 <= len(set(seen)) <= 5
    assert json.loads(seen[0]) == cut(CollectionIndex(), before)
    assert held(CollectionIndex(path)) == cut(CollectionIndex(), after)


def test_failing_at_each_statement_it_stays_as_it_was_or_as_it_is_and_goes_on(tmp_path, watched):
    before, after = states(tmp_path)
    before, after = [each for each in before if each.doc_id != "care"], [each for each in after if each.doc_id != "care"]
    number, failed = 0, 0
    while True:
        path = tmp_path / f"index{number}.db"
        with CollectionIndex(path) as index:
            index.update(before)
        left = [number]

        error = sqlite3.OperationalError("database or disk is full") if number % 2 else KeyboardInterrupt()

        def fail(sql: str, left=left, error=error) -> None:
            if sql in ("ROLLBACK", "COMMIT") or sql.startswith("PRAGMA"):
                return
            left[0] -= 1
            if left[0] == -1:
                raise error

        with CollectionIndex(path) as index:
            watched.before = fail
            try:
                index.update(after)
            except IndexFileError as error:
                failed += 1
                assert "free some space" in str(error)
            except KeyboardInterrupt:
                failed += 1
            watched.before = None
            assert not index._database.in_transaction
            if left[0] >= 0:
                break
            check_between(path, before, after)
            index.update(after)  # the same object goes on
            assert held(index) == cut(index, after)
        number += 1
    assert failed == number > 25


def test_killed_while_it_is_made(tmp_path, watched):
    path = tmp_path / "index.db"
    copies = []

    def copy(sql: str) -> None:
        folder = tmp_path / f"copy{len(copies)}"
        folder.mkdir()
        for file in (path, path.with_name("index.db-journal")):
            if file.exists():
                shutil.copy(file, folder / file.name)
        copies.append(folder / "index.db")

    watched.before = copy
    CollectionIndex(path).close()
    watched.before = None
    assert len(copies) > 10
    for each in copies:
        with CollectionIndex(each) as index:
            index.update([returns(tmp_path)])
            check_whole(index)


KILLED = """
import os, sqlite3, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from indexed_collections import document
from labkit.retrieval.collection_index import CollectionIndex
index = CollectionIndex(sys.argv[2])
left = [int(sys.argv[3])]
class Killing:
    def __init__(self, real): self.real = real
    def __getattr__(self, name): return getattr(self.real, name)
    def execute(self, sql, *values):
        if sql.startswith("INSERT INTO for_"):
            left[0] -= 1
            if left[0] < 0:
                os._exit(9)
        return self.real.execute(sql, *values)
index._connection.execute("PRAGMA cache_size = 2")
index._connection = Killing(index._connection)
texts = {name: "# T\\n\\n" + f"## Section\\n\\n{name} kettle words words\\n\\n" * 40 for name in ("one", "two")}
index.update([document(Path(sys.argv[4]), name, text) for name, text in texts.items()])
"""


@pytest.mark.parametrize("after", [0, 70, 130])
def test_a_process_that_is_killed_in_the_middle_leaves_whole_documents(tmp_path, after):
    path = tmp_path / "index.db"
    arguments = [sys.executable, "-c", KILLED, str(Path(__file__).parent), str(path), str(after), str(tmp_path / "shop")]
    assert subprocess.run(arguments, timeout=60).returncode == 9
    with CollectionIndex(path) as index:
        check_whole(index)
        assert [(name, len(chunks)) for name, chunks in held(index).items()] == ([("one@v1", 40)] if after >= 80 else [])


# --- two processes ----------------------------------------------------------------------------------------------------

UPDATING = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from indexed_collections import document
from labkit.retrieval.collection_index import CollectionIndex
shop = Path(sys.argv[3])
with CollectionIndex(sys.argv[2]) as index:
    for round in range(5):
        texts = [f"# T\\n\\n## S\\n\\nkettle number{n} round{round}\\n" for n in range(8)]
        index.update([document(shop / sys.argv[4] / "shop", f"d{n}", text) for n, text in enumerate(texts)])
"""


def test_two_processes_update_one_file_while_a_third_reads(tmp_path):
    path = tmp_path / "index.db"
    CollectionIndex(path).close()
    both = [
        subprocess.Popen(
            [sys.executable, "-c", UPDATING, str(Path(__file__).parent), str(path), str(tmp_path), side],
            env={**os.environ}, stderr=subprocess.PIPE, text=True,
        )
        for side in ("left", "right")
    ]  # fmt: skip
    with CollectionIndex(path, read_only=True) as reader:
        while any(process.poll() is None for process in both):
            found = reader.search("kettle", 100)
            assert len(found) <= 8 and len(set(ids(found))) == len(found)
            assert all(each.document.chunks == 1 for each in found)
    for process in both:
        _, said = process.communicate(timeout=60)
        assert (process.returncode, said) == (0, "")
    with CollectionIndex(path) as index:
        check_whole(index)
        assert len(index) == 8 == len(index.search("round4", 100))
