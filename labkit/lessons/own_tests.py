"""An exercise in which the learner writes tests (lesson 05): tests that pass today, and fail when something is broken.

The tests go to state/tests/ and run under pytest in a process of their own: first on the course as it is, then on mutants, copies of
the course with one thing broken. A test that nothing can turn red says nothing.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from labkit.errors import LabError
from labkit.files import write_atomically
from labkit.lessons.answers import CORRECT, Outcome
from labkit.lessons.comparing import kind_words, write
from labkit.lessons.exercises import Exercise, open_blanks
from labkit.lessons.texts import engine, fill

SECONDS = 20.0  # for the tests on the course and all its mutants together
_COPIED = ("corpus", "questions")


@dataclass(frozen=True)
class Mutant:
    """One thing broken. `key` names it in the texts (mutants.<key>: what happened, as in 'a heading was lost'); `change` gets the folder
    of a copied course and breaks it."""

    key: str
    change: Callable[[Path], None]


def edit(file: str, old: str, new: str) -> Callable[[Path], None]:
    """A change for a Mutant: the one place where `old` stands in `file` becomes `new`. An error where it does not stand exactly once,
    since a mutant that changes nothing would prove nothing."""

    def change(folder: Path) -> None:
        path = folder / file
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise LabError(f"{file} holds {old!r} {text.count(old)} times; a mutant needs it once")
        write_atomically(path, text.replace(old, new))

    return change


class TestsExercise(Exercise):
    """The learner hands over a list of test functions, written in the same cell.

    `file` is where they go inside state/ ('tests/test_baseline.py'); `count` is how many are wanted. A mistake's `survives` names the
    mutants that such tests do not notice.
    """

    __test__ = False  # pytest: not a test class
    kind = "tests"
    needs_session = True

    def __init__(self, name, stub, solution, mistakes=(), *, file: str, mutants: Iterable[Mutant], count: int = 2, **more):
        super().__init__(name, stub, solution, mistakes, **more)
        self.file, self.mutants, self.count = file, tuple(mutants), count
        self._last: tuple[str, dict] | None = None
        self._ahead: dict[str, dict] = {}

    def check(self, answer, texts: Mapping, source: str | None = None, state: Path | None = None) -> Outcome:
        blanks = open_blanks(source)
        if answer is ... or (blanks and len(blanks) >= len(open_blanks(self.stub))):
            return self.not_attempted()
        code = answer if isinstance(answer, str) else source
        fault = self._fault(answer, code)
        if fault:
            return fault
        if blanks:
            return self.blank_left(blanks)
        try:
            tree = ast.parse(code)
        except SyntaxError as error:
            return self.not_yet("syntax", engine("tests.syntax", number=error.lineno, error=error.msg))
        code = _without_lesson(code, tree)
        with tempfile.TemporaryDirectory(prefix="labkit-tests-") as folder:
            target = Path(state or folder) / self.file
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(target, code)
            found = self._ahead.pop(code, None) or self._run([code])[0]
        self._last = (code, found)
        return self._judged(found, texts)

    def results(self, code: str) -> dict[str, dict[str, str | None]]:
        """What the tests in `code` say: mutant's key ('' for the course as it is) -> test -> None where it passed, else its error.

        Those of the last check where it ran this very code; else the tests run now. Raises LabError where they cannot run.
        """
        found = self._last[1] if self._last and self._last[0] == code else self._run([code])[0]
        if found.get("slow") or found.get("broken"):
            raise LabError(f"the tests of {self.name} do not run: {found.get('broken') or f'longer than {SECONDS:.0f} seconds'}")
        return found

    def run_ahead(self, sources: Iterable[str]) -> None:
        """Runs the tests of these cells in one process, each on the course and all mutants; the next check of each takes its results."""
        codes = []
        for source in sources:
            code = _without_lesson(source, ast.parse(source))
            if not open_blanks(source) and code not in codes:
                codes.append(code)
        self._ahead = dict(zip(codes, self._run(codes), strict=True)) if codes else {}

    def _fault(self, answer, code: str | None) -> Outcome | None:
        if isinstance(answer, str):
            try:
                names = [node.name for node in ast.parse(answer).body if isinstance(node, ast.FunctionDef)]
            except SyntaxError as error:
                return self.not_yet("syntax", engine("tests.syntax", number=error.lineno, error=error.msg))
            names = [name for name in names if name.startswith("test_")]
        else:
            functions = answer if isinstance(answer, list | tuple) else [answer]
            if not functions or not all(callable(each) and hasattr(each, "__name__") for each in functions):
                return self.not_yet("not-tests", engine("tests.none", name=self.name, value=kind_words(answer)))
            names = [each.__name__ for each in functions]
            for name in names:
                if not name.startswith("test_"):
                    return self.not_yet("test-name", engine("tests.names", value=f"`{name}`"))
        defined = [node.name for node in _functions(code)]
        double = next((name for name in names if names.count(name) > 1 or defined.count(name) > 1), None)
        if double:
            return self.not_yet("same-name", engine("tests.same", value=f"`{double}`"))
        if len(names) < self.count:
            return self.not_yet("few-tests", engine("tests.few", count=len(names), wanted=self.count))
        if code is None or not set(names) <= set(defined):
            return self.not_yet("no-source", engine("tests.no_source"))
        return None

    def _run(self, codes: list[str]) -> list[dict]:
        with tempfile.TemporaryDirectory(prefix="labkit-tests-") as folder:
            return self._run_in(Path(folder), codes)

    def _run_in(self, folder: Path, codes: list[str]) -> list[dict]:
        from labkit.course import course_folder

        course = course_folder()
        files = [folder / f"file{number}" / Path(self.file).name for number in range(len(codes))]
        for file, code in zip(files, codes, strict=True):
            file.parent.mkdir()
            file.write_text(code, encoding="utf-8")
        courses = [("", course)]
        for mutant in self.mutants:
            copied = folder / "mutants" / mutant.key
            for part in _COPIED:
                shutil.copytree(course / part, copied / part)
            mutant.change(copied)
            courses.append((mutant.key, copied))
        environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        environment.pop("PYTEST_ADDOPTS", None)
        job = json.dumps({"files": [str(file) for file in files], "courses": [[key, str(place)] for key, place in courses]})
        try:
            done = subprocess.run(
                [sys.executable, "-m", "labkit.lessons.own_tests"],
                input=job, capture_output=True, text=True, encoding="utf-8", check=False,
                timeout=SECONDS * len(codes), cwd=folder, env=environment,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return [{"slow": True}] * len(codes)
        try:
            return json.loads(done.stdout.rpartition("\n@@")[2])
        except ValueError:
            last = (done.stderr or done.stdout).strip().split("\n")[-1]
            return [{"broken": last or f"exit code {done.returncode}"}] * len(codes)

    def _judged(self, found: dict, texts: Mapping) -> Outcome:
        if found.get("slow"):
            return self.not_yet("slow", engine("tests.slow", seconds=SECONDS))
        if found.get("broken"):
            return self.not_yet("broken", engine("tests.broken", error=found["broken"]))
        for test, error in found[""].items():
            if error is not None:
                return self.not_yet("fails", engine("tests.fails", test=test, error=error))
        if len(found[""]) < self.count:
            return self.not_yet("few-tests", engine("tests.few", count=len(found[""]), wanted=self.count))
        red = {mutant.key: {test for test, error in found[mutant.key].items() if error is not None} for mutant in self.mutants}
        surviving = [key for key, tests in red.items() if not tests]
        idle = [test for test in found[""] if not any(test in tests for tests in red.values())]
        if surviving or idle:
            for each in self.mistakes:
                if each.survives is not None and set(each.survives) == set(surviving):
                    text = self.said(texts, each.key, test=idle[0] if idle else "", count=len(found[""]), mutants=len(red))
                    return self.not_yet(each.key, text, general=False)
        if surviving:
            return self.not_yet("survives", engine("tests.survives", what=fill(texts["mutants"][surviving[0]])))
        if idle:
            return self.not_yet("idle", engine("tests.idle", test=idle[0]))
        count = len(found[""])
        return Outcome(CORRECT, fill(texts["correct"], count=count, mutants=len(red)), None, write(count))


def _functions(code: str | None) -> list[ast.FunctionDef]:
    try:
        return [node for node in ast.parse(code or "").body if isinstance(node, ast.FunctionDef)]
    except SyntaxError:
        return []


def _without_lesson(code: str, tree: ast.Module) -> str:
    """The cell's code without the statements that talk to `lesson`."""
    lines = code.split("\n")
    for node in tree.body:
        uses = any(isinstance(each, ast.Name) and each.id == "lesson" for each in ast.walk(node))
        if uses and not isinstance(node, ast.FunctionDef):
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return "\n".join(lines).strip("\n") + "\n"


class _Results:
    """A pytest plugin: test name -> None where it passed, else its error in one line."""

    def __init__(self):
        self.found: dict[str, str | None] = {}

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.rpartition("::")[2]
        if report.failed:
            self.found[name] = _error(report)
        elif report.when == "call":
            self.found.setdefault(name, "it was skipped" if report.skipped else None)

    def pytest_collectreport(self, report):
        if report.failed:
            lines = [line.removeprefix("E").strip() for line in str(report.longrepr).split("\n") if line.startswith("E ")]
            self.found["the file"] = (lines or ["it cannot be imported"])[-1][:200]


def _error(report) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    said = crash.message if crash else str(report.longrepr)
    return (said.strip().split("\n") or [""])[0][:200]


def _main() -> None:
    """Reads a job from stdin, runs the tests of each file on each course, prints the results as JSON after a mark."""
    import contextlib
    import io

    # jsonschema, which the questions need, would build a grammar of Internet addresses from this: most of a second, for nothing here
    sys.modules.setdefault("rfc3987_syntax", None)
    job = json.load(sys.stdin)
    every = []
    for file in map(Path, job["files"]):
        found: dict[str, dict] = {}
        for place, (key, course) in enumerate(job["courses"]):
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                found[key] = _tested(file, file.with_name(f"run{place}"), course)
            if any(error is not None for error in found[key].values()) and not key:
                break  # red on the course as it is: what it does on a broken one says nothing
        every.append(found)
    print("\n@@" + json.dumps(every))


def _tested(file: Path, folder: Path, course: str) -> dict[str, str | None]:
    """One file's tests on one course, in this process, from a copy in `folder`."""
    import pytest

    os.environ["LABKIT_COURSE"] = course
    for name in [name for name in sys.modules if name.partition(".")[0] in ("labkit", file.stem)]:
        del sys.modules[name]  # nothing that one run keeps in memory reaches the next, neither ours nor what the tests' file made
    folder.mkdir()
    copy, ini = folder / file.name, folder / "pytest.ini"
    copy.write_bytes(file.read_bytes())
    ini.write_text("[pytest]\n", encoding="utf-8")
    results = _Results()
    # unraisableexception only looks through all memory for exceptions that nobody can catch, ten times over
    apart = ["-p", "no:cacheprovider", "-p", "no:unraisableexception", "--import-mode=importlib"]
    pytest.main([str(copy), "-q", "-c", str(ini), "--rootdir", str(folder), *apart], plugins=[results])
    return results.found


if __name__ == "__main__":
    _main()
