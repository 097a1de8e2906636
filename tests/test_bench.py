"""The table of times: it runs, and every row says how much it measured. How long anything took is nobody's business here."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parent.parent / "benchmarks" / "bench.py"


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, str(BENCH), *arguments], capture_output=True, text=True, encoding="utf-8", timeout=300)


@pytest.mark.timeout(300)  # all parts, one after another
def test_the_table():
    done = run("--passages", "500", "--questions", "2", "--pages", "65", "--documents", "20", "--code-pages", "4")
    assert (done.returncode, done.stderr) == (0, "")
    rows = dict(re.findall(r"^  (\S.*?) {2,}(.*)$", done.stdout, re.M))
    for program in ("labkit", "plain FTS5", "rank_bm25", "bm25s"):
        for step in ("build", "question"):
            n, runs, milliseconds, *leaves_out = rows[f"{program}: {step}"].split()
            assert (n, runs) == ("500", "1" if step == "build" else "6")
            assert re.fullmatch(r"[\d,]+\.\d\d", milliseconds)
            assert leaves_out or (program, step) == ("labkit", "build")
    assert rows["inventory and sections"].startswith("154 ")
    assert rows["labkit: 2,000 words"].startswith("100 ")
    for what, n, number in (
        ("from nothing", "500", "1"), ("one document changed", "36", "5"), ("nothing changed", "36", "5"),
        ("59 × 3 × 3, all of it", "531", "3"),
        ("one question, as staff", "500", "59"), ("one question, as public", "500", "59"), ("one core", "65", "1"),
        ("a second time, from the cache", "65", "3"), ("own collection: search", "20", "1"), ("own collection: nothing changed", "20", "3"),
    ):  # fmt: skip
        assert rows[what].split()[:2] == [n, number]
    assert re.search(r"^  from nothing +36 +3 ", done.stdout, re.M)
    assert len(re.findall(r"^  .*: [\d,]+ pages a second$", done.stdout, re.M)) == 3
    for what in ("labkit, exact: question", "plain numpy, exact: question", "HNSW: build", "HNSW: question"):
        assert rows[what].split()[0] == "500"
    assert rows["english: one section"].startswith("39 ")
    assert re.search(r"^  HNSW, n = 500: recall@10 against exact (0\.9\d\d|1\.000); ", done.stdout, re.M)
    for stage in ("read", "parents", "children", "embed", "index", "from nothing"):
        assert rows[f"long: {stage}"].split()[:2] == ["4", "1"]
    for stage in ("search", "rerank", "expand", "context", "one question"):
        assert rows[f"long: {stage}"].split()[:2] == [rows["by words, bm25s: question"].split()[0], "2"]
    assert rows["by meaning, plain numpy: question"].split()[0] == rows["by meaning, labkit: question"].split()[0]
    assert "plain FTS5: the first result is labkit's for 2 of 2 questions" in done.stdout


@pytest.mark.parametrize(
    "option, size",
    [("passages", "0"), ("questions", "0"), ("pages", "0"), ("documents", "0"), ("passages", "many"), ("code-pages", "3")],
)
def test_sizes_that_make_no_sense(option, size):
    assert run(f"--{option}", size).returncode == 2
