"""Is this machine ready for the course? One check a line, each with its cure, and a block for a bug report (lesson 00).

Runs where packages are missing, too: `python -m labkit.doctor` needs Python's own library alone. Nothing here names a person: the home
folder is shown as ~.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from labkit import __version__
from labkit.course import course_folder
from labkit.errors import CourseNotFound, FaultsError, LabError

OLDEST, NEWEST_TRIED = (3, 11), (3, 13)
DIGESTS = "corpus/SHA256SUMS"
LOCK = "requirements.lock"
ROOM = 300 * 1024 * 1024  # bytes that JupyterLab, the lessons and their indexes need at most
INSTALL = "in the course's folder, run: make lab (or: python -m pip install -r requirements.lock)"

_ASK_A_KERNEL = """
import sys
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(startup_timeout=60, stderr=__import__("subprocess").DEVNULL)
try:
    said = []
    def hook(message):
        if message["msg_type"] == "stream":
            said.append(message["content"]["text"])
        if message["msg_type"] == "error":
            sys.exit(message["content"]["ename"] + ": " + message["content"]["evalue"])
    client.execute_interactive("import labkit; print(labkit.__version__)", timeout=60, output_hook=hook)
    print("".join(said).strip())
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
"""


@dataclass(frozen=True)
class Check:
    """One thing looked at: `ok`, what was seen, and where not ok the `cure`, something to do."""

    name: str
    ok: bool
    detail: str
    cure: str = ""

    def __str__(self) -> str:
        return f"{'OK  ' if self.ok else 'FAIL'}  {self.name}: {self.detail}" + (f" — {self.cure}" if self.cure else "")


def examine() -> list[Check]:
    """All checks of this machine, in order. Never raises: a check that breaks is a FAIL with its error."""
    try:
        course = course_folder()
    except CourseNotFound as error:
        course, lost = None, str(error)
    looks: list[tuple[str, Callable[[], Check]]] = [
        ("Python", check_python),
        ("packages", lambda: check_packages(lock=course / LOCK if course else None)),
        ("SQLite", check_sqlite),
    ]
    if course is None:
        looks.append(("course", lambda: Check("course", False, *_split(lost))))
    else:
        looks += [
            ("course files", lambda: check_digests(course)),
            ("documents", lambda: check_documents(course)),
            ("questions", lambda: check_questions(course)),
        ]
    place = course / "work" if course else Path.cwd()
    looks += [
        ("work folder", lambda: check_writable(place)),
        ("disk space", lambda: check_space(place)),
        ("Jupyter kernel", check_kernel),
    ]
    return [_safely(name, look) for name, look in looks]


def _safely(name: str, look: Callable[[], Check]) -> Check:
    try:
        check = look()
    except Exception as error:
        check = Check(name, False, f"{type(error).__name__}: {error}", "copy the block below into a bug report")
    return Check(check.name, check.ok, discreet(check.detail), discreet(check.cure))


def _split(message: str) -> tuple[str, str]:
    what, _, todo = " ".join(message.split("\n")).partition(" — ")
    return what, todo


# --- the machine -------------------------------------------------------------------------------------------------------------------------


def check_python(version: tuple[int, ...] = tuple(sys.version_info[:3])) -> Check:
    """Python 3.11 or newer. A newer one than was tried is no fault, and said."""
    shown = ".".join(map(str, version))
    if version[:2] < OLDEST:
        return Check("Python", False, f"{shown} is too old", "install Python 3.11, 3.12 or 3.13, then: make lab PYTHON=python3.12")
    tried = "" if version[:2] <= NEWEST_TRIED else " (3.11 to 3.13 are tried with this course; this one may work as well)"
    return Check("Python", True, f"{shown}{tried}")


def check_packages(
    required: Iterable[str] | None = None, lock: Path | None = None, installed: Callable[[str], str] = metadata.version
) -> Check:
    """Every package that labkit needs is there, and new enough; where one is not the locked one, that is said.

    `required` are lines as in pyproject.toml ('pandas>=2.2'); None: labkit's own.
    """
    if required is None:
        try:
            required = metadata.requires("labkit") or []
        except metadata.PackageNotFoundError:
            return Check("packages", False, "labkit itself is not installed", INSTALL)
    locked = _locked(lock)
    bad, other, count = [], [], 0
    for line in required:
        if re.search(r";.*\bextra\b", line):
            continue
        name, least = re.match(r"\s*([A-Za-z0-9._-]+)\s*(?:>=\s*([0-9][0-9.]*))?", line).groups()
        count += 1
        try:
            found = installed(name)
        except metadata.PackageNotFoundError:
            bad.append(f"{name} is missing")
            continue
        if least and _release(found) < _release(least):
            bad.append(f"{name} {found} is older than {least}")
        elif locked.get(_key(name)) and found not in locked[_key(name)]:
            other.append(f"{name} {found} (locked: {' or '.join(sorted(locked[_key(name)]))})")
    if bad:
        return Check("packages", False, ", ".join(bad), INSTALL)
    if other:
        return Check("packages", True, f"{count} found; not the locked version, so outputs may differ: {', '.join(other)}")
    return Check("packages", True, f"{count} found" + (f", as in {LOCK}" if locked else ""))


def _locked(lock: Path | None) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    if lock is not None and lock.is_file():
        for name, version in re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", lock.read_text(encoding="utf-8"), re.MULTILINE):
            found.setdefault(_key(name), set()).add(version)
    return found


def _key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _release(version: str) -> tuple[int, ...]:
    numbers = [int(part) for part in re.match(r"[0-9.]*", version)[0].split(".") if part]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def check_sqlite(connect: Callable | None = None) -> Check:
    """SQLite with FTS5, the tokenizer that the index uses, its bm25(), and the view of its words."""
    cure = "use a Python whose SQLite has FTS5 (python.org's, conda's and uv's do)"
    try:
        import sqlite3
    except ImportError as error:
        return Check("SQLite", False, f"this Python was built without it ({error})", cure)
    try:
        database = (connect or sqlite3.connect)(":memory:")
        database.execute("CREATE VIRTUAL TABLE t USING fts5(text, tokenize='unicode61 remove_diacritics 2')")
        database.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)")
        database.execute("INSERT INTO t VALUES ('Garantie prolongée')")
        found = database.execute("SELECT count(*) FROM t WHERE t MATCH '\"prolongee\"' ORDER BY bm25(t)").fetchone()
        seen = database.execute("SELECT count(*) FROM v").fetchone()
        database.close()
    except sqlite3.Error as error:
        return Check("SQLite", False, f"{sqlite3.sqlite_version} cannot search text: {error}", cure)
    if (found, seen) != ((1,), (2,)):
        return Check("SQLite", False, f"{sqlite3.sqlite_version} reads accents in its own way", cure)
    return Check("SQLite", True, f"{sqlite3.sqlite_version} with FTS5")


# --- the course's files ------------------------------------------------------------------------------------------------------------------


def data_files(course: Path) -> list[Path]:
    """The files whose bytes the recorded numbers rest on: collections (their sources apart) and questions."""
    files = [*(course / "corpus").glob("*/**/*"), *(course / "questions").glob("*")]
    return sorted(
        file for file in files
        if file.is_file() and not any(part.startswith(".") or part == "sources" for part in file.relative_to(course).parts)
    )  # fmt: skip


def digests(course: Path) -> str:
    """The text of corpus/SHA256SUMS: one line a file, as `sha256sum` writes and checks it, by name."""
    return "".join(f"{_sha256(file)}  {file.relative_to(course).as_posix()}\n" for file in data_files(course))


def check_digests(course: Path) -> Check:
    """The course's documents and questions are byte for byte what the lessons were recorded with."""
    listed = course / DIGESTS
    if not listed.is_file():
        return Check("course files", False, f"{DIGESTS} is missing", "get it back with: git restore corpus questions")
    lines = [line.split("  ", 1) for line in listed.read_text(encoding="utf-8").splitlines() if line.strip()]
    if not lines or any(len(line) != 2 for line in lines):
        return Check("course files", False, f"{DIGESTS} cannot be read", "get it back with: git restore corpus questions")
    gone = [name for _, name in lines if not (course / name).is_file()]
    changed = [name for digest, name in lines if name not in gone and _sha256(course / name) != digest]
    if not gone and not changed:
        return Check("course files", True, f"{len(lines)} documents and questions as delivered")
    crlf = any(b"\r\n" in (course / name).read_bytes() for name in changed if not name.endswith(".pdf"))
    parts = [f"{label}: {_few(names)}" for label, names in (("missing", gone), ("changed", changed)) if names]
    hint = "; the line ends are Windows' own: git config core.autocrlf false first" if crlf else ""
    return Check("course files", False, "; ".join(parts), f"get them back with: git restore corpus questions{hint}")


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _few(names: list[str], most: int = 3) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def check_documents(course: Path) -> Check:
    """The inventory loads, and so do all documents that it names."""
    from labkit.collection import load_inventory

    try:
        documents = load_inventory(course / "corpus" / "larkfield")
    except LabError as error:
        return Check("documents", False, _faults(error), "labkit inventory lists every fault; or: git restore corpus")
    return Check("documents", True, f"{len(documents)} in the inventory, all there")


def check_questions(course: Path) -> Check:
    """The questions load, and what they quote stands in the documents."""
    from labkit.collection import load_inventory
    from labkit.questions import load_questions
    from labkit.validation import check_questions as against_documents

    cure = "labkit questions lists every fault; or: git restore questions"
    try:
        questions = load_questions(course / "questions" / "larkfield.jsonl")
        faults = against_documents(questions, load_inventory(course / "corpus" / "larkfield"))
        if any(fault.level == "error" for fault in faults):
            raise FaultsError(fault for fault in faults if fault.level == "error")
    except LabError as error:
        return Check("questions", False, _faults(error), cure)
    return Check("questions", True, f"{len(questions)}, their quotes stand in the documents")


def _faults(error: LabError) -> str:
    faults = getattr(error, "faults", None)
    if not faults:
        return _split(str(error))[0]
    first = f"{faults[0].file}{f':{faults[0].line}' if faults[0].line else ''}: {faults[0].what}"
    return first if len(faults) == 1 else f"{len(faults)} faults, the first: {first}"


# --- room to work ------------------------------------------------------------------------------------------------------------------------


def check_writable(folder: Path) -> Check:
    """A file can be written, read back and taken away in `folder` (or, where it is not there yet, in the one that will hold it)."""
    place = folder
    while not place.exists() and not place.is_symlink() and place != place.parent:
        place = place.parent
    cure = "make the folder yours, or name another: labkit open --work FOLDER"
    if not place.is_dir():
        return Check("work folder", False, f"{place} is not a folder", "move it away, or name another: labkit open --work FOLDER")
    try:
        with tempfile.NamedTemporaryFile(dir=place, prefix=".labkit-doctor-") as file:
            file.write(b"x" * 4096)
            file.flush()
    except OSError as error:
        return Check("work folder", False, f"{place} cannot be written to ({error.strerror or error})", cure)
    return Check("work folder", True, f"{folder} {'can be written to' if place == folder else 'can be made'}")


def check_space(folder: Path, usage: Callable = shutil.disk_usage) -> Check:
    """At least 300 MB free where the learner works."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    free = usage(folder).free
    shown = f"{free / 2**30:.1f} GB" if free >= 2**30 else f"{free // 2**20} MB"
    if free < ROOM:
        return Check("disk space", False, f"only {shown} free", f"free some space; the course needs up to {ROOM // 2**20} MB")
    return Check("disk space", True, f"{shown} free")


def check_kernel(script: str = _ASK_A_KERNEL, patience: float = 120, version: str = __version__) -> Check:
    """A notebook's kernel starts in this environment and finds the same labkit. `patience` in seconds."""
    name = "Jupyter kernel"
    try:
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=patience
        )
    except subprocess.TimeoutExpired:
        return Check(name, False, f"no answer within {patience:g} seconds", f"close other programs and try again; or {INSTALL}")
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return Check(name, False, f"does not start: {said}", INSTALL)
    found = done.stdout.strip()
    if found != version:
        return Check(name, False, f"finds labkit {found or '(nothing)'}, not {version}", INSTALL)
    return Check(name, True, f"starts, and finds labkit {found}")


# --- the report --------------------------------------------------------------------------------------------------------------------------


def report(checks: list[Check]) -> str:
    """The checks, one a line, then what to copy into a bug report."""
    bad = [check for check in checks if not check.ok]
    verdict = "All is well." if not bad else f"{len(bad)} of {len(checks)} checks failed; what to do stands behind each."
    versions = ", ".join(
        f"{name} {found}" for name in ("jupyterlab", "ipykernel", "pandas", "matplotlib", "scipy") if (found := _version(name))
    )
    block = [
        f"labkit {__version__}, Python {platform.python_version()} ({platform.python_implementation()}), {_system()}",
        f"packages: {versions or 'none of the main ones'}",
        f"encoding {sys.stdout.encoding}, file names {sys.getfilesystemencoding()}",
        *(str(check) for check in checks),
    ]
    lines = [*map(str, checks), "", verdict, "", "For a bug report, copy these lines:", "", *(f"    {discreet(line)}" for line in block)]
    return "\n".join(lines)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _system() -> str:
    return f"{platform.system()} {platform.release()} {platform.machine()}"


def discreet(text: str, environment: Mapping[str, str] = os.environ, home: Path | None = None) -> str:
    """The text without names of people: the home folder as ~, the user's name in any other path as 'user'."""
    try:
        home = home or Path.home()
    except RuntimeError:
        home = None
    if home is not None and len(home.parts) > 1:
        for written in {str(home), home.as_posix(), os.path.realpath(home)}:
            text = re.sub(rf"{re.escape(written)}(?=$|[\\/\s,;:'\")])", "~", text)
    for user in {environment.get(name, "") for name in ("USER", "LOGNAME", "USERNAME")} - {""}:
        text = re.sub(rf"(?<=[\\/]){re.escape(user)}(?=$|[\\/\s,;:'\")])", "user", text)
    return text


if __name__ == "__main__":
    found = examine()
    print(report(found))
    sys.exit(0 if all(check.ok for check in found) else 1)
