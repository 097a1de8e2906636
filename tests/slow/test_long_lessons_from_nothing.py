"""Lessons 11 to 14 from nothing, on a plain machine: no embedding is there yet, and all four stay within their seconds and megabytes."""

import json
from pathlib import Path

import pytest

from labkit.lessons import catalogue, notebooks
from labkit.lessons.recording import execute, private_environment

ROOT = Path(__file__).resolve().parent.parent.parent
LESSONS = [row for row in catalogue.lessons() if row.number in ("11", "12", "13", "14") and (ROOT / "notebooks" / row.notebook).is_file()]
SECONDS, MEGABYTES = 90, 2048

# Each kernel says at its end what it used, and so did the processes that it started.
SAY = """
import json, resource, sys
mine, theirs = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
seconds = mine.ru_utime + mine.ru_stime + theirs.ru_utime + theirs.ru_stime
print(json.dumps({"seconds": seconds, "megabytes": max(mine.ru_maxrss, theirs.ru_maxrss) / unit}))
"""


def used(cache: Path) -> dict[str, dict]:
    """Lesson -> the seconds of processors and the megabytes that it took, solved where its solved notebook is there."""
    found = {}
    with private_environment() as environment:
        for row in LESSONS:
            solved = ROOT / "snapshots" / row.name / row.notebook
            file = solved if solved.is_file() else ROOT / "notebooks" / row.notebook
            notebook = notebooks.library().read(file, as_version=4)
            notebook.cells.append(notebooks.library().v4.new_code_cell(SAY, id="what-it-used"))
            done = execute(notebook, file.parent, environment | {"LABKIT_CACHE": str(cache)}, row.notebook)
            found[row.number] = json.loads(done.cells[-1].outputs[0]["text"])
    return found


@pytest.mark.timeout(1200)
def test_they_stay_within_their_seconds_and_megabytes_and_the_cache_saves_most(tmp_path):
    assert LESSONS
    cache = tmp_path / "cache"
    cache.mkdir()
    first = used(cache)
    assert 0 < on_two_cores(first) < SECONDS and max(each["megabytes"] for each in first.values()) < MEGABYTES, first
    again = used(cache)
    assert 0 < on_two_cores(again) < on_two_cores(first), (first, again)


def on_two_cores(measured: dict[str, dict]) -> float:
    """Seconds until all are done on two cores that do nothing else, a lesson a core, as `make test` runs them: what a busy machine makes of
    it is nobody's fault. The longest first, each on the core that is free first."""
    cores = [0.0, 0.0]
    for each in sorted((each["seconds"] for each in measured.values()), reverse=True):
        cores[cores.index(min(cores))] += each
    return max(cores)
