"""`labkit new`: from a folder of documents to an inventory and the files to go on with (lesson 15).

Nothing that is there is ever written over. A second run adds rows for new documents at the end of the inventory, leaves every byte of the
others, and says which rows no longer have a file.

What nobody can know from a file is not invented: version, owner and type are 'unknown', access is 'staff', the closed label, and
`effective_from` is 0001-01-01, "always", since it must be a date. Title, language and format are guesses (`labkit.own.guessing`), and the
row says so in its `doc_type`: 'unknown (guessed: title language format)'. Whoever has looked at a row writes the type there.

Every document of a format that labkit reads gets a row, also one that cannot be read: then it is said, and the report names it too. Links
are not followed, and hidden files, what labkit itself writes, and names that an inventory cannot hold are left out, each with its reason.
"""

from __future__ import annotations

import csv
import io
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from labkit.collection import COLUMNS, INVENTORY, is_empty, read_bytes
from labkit.csvtable import Row, read_table
from labkit.errors import DocumentError, Fault, InventoryError, LabError
from labkit.files import write_atomically
from labkit.own.guessing import UNKNOWN, Guess, format_of, guess
from labkit.own.settings import DEFAULT_TOML, SETTINGS
from labkit.own.starting_texts import MARK, QUESTIONS, questions_text, readme_text
from labkit.passages import slug
from labkit.questions import QUESTION_FILES
from labkit.textfiles import Report, printable, shown

ALWAYS = "0001-01-01"
"""Stands in `effective_from` for "always, as far as anybody knows"."""
CLOSED = "staff"
DOCUMENTS = "documents"
README = "README.md"
OTHER_README = "labkit-README.md"
_OWN_NAMES = (INVENTORY, SETTINGS, *QUESTION_FILES, OTHER_README, "judgements.csv", "questions-judged.jsonl", "chunks.jsonl")

_GUESSED = re.compile(r"\(guessed: ([^)]*)\)")
_NO_DOCUMENT = re.compile(r"\.|~\$|Thumbs\.db$|desktop\.ini$", re.IGNORECASE)
_NO_FOLDER = re.compile(r"\.|__pycache__$|node_modules$")
_OUR_REPORT = re.compile(rb"\s*\{\s*\"labkit\"\s*:")  # a report's numbers, which lie beside its page

Progress = Callable[[int, int, str], None]
"""Called as (done, of, file) while documents are looked at."""


@dataclass
class Started:
    """What `start` did. Names are from the folder, '/' between folders; lines are 1-based lines of the inventory.

    `added`: documents with a new row. `copied`: those among them that were copied in. `gone`: (line, file) of rows whose file is not there
    any more. `left_out`: (file, why), what got no row. `written` and `kept`: files of labkit's that were made now, or were there already.
    `troubles`: a warning for each new document that cannot be read as it stands.
    """

    folder: Path
    added: list[str] = field(default_factory=list)
    copied: list[str] = field(default_factory=list)
    gone: list[tuple[int, str]] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    troubles: list[Fault] = field(default_factory=list)
    documents: int = 0


def start(folder: Path | str, documents: Path | str | None = None, *, progress: Progress | None = None) -> Started:
    """Makes the inventory, questions.md, labkit.toml and a README of `folder` (made where it is not there), or brings the inventory up to
    date: the module's docstring says how.

    `documents`: the folder where the documents are; None: `folder` itself. Documents from elsewhere are copied into its documents/.
    Raises InventoryError where an inventory is there that cannot be read as one, and LabError where a folder is none or nothing can be
    written; then nothing has been changed but documents copied in.
    """
    root = Path(folder)
    done = Started(root)
    _make_folder(root)
    data, rows = _inventory(root)
    found = _found(root, documents, done)
    known = {_composed(row["file"]): line for line, row in rows if row.get("file")}
    new = [(file, path) for file, path in found if _composed(file) not in known]
    guesses = list(_guessed(new, done, progress))
    ids = _Ids(row.get("doc_id", "") for _, row in rows)
    made = [_row(file, each, ids.of(file)) for file, each in guesses]
    done.gone = [(line, row["file"]) for line, row in rows if row.get("file") and not _is_there(root, row["file"])]
    done.documents = len(rows) + len(made)
    if made or data is None:
        _write(root, INVENTORY, _table(data, made), overwrite=data is not None)
    if data is None:
        done.written.append(INVENTORY)
    elif not made:
        done.kept.append(INVENTORY)
    done.added = [file for file, _ in guesses]
    examples = [(row["doc_id"], each) for row, (_, each) in zip(made, guesses, strict=True)]
    _lay_in(root, QUESTIONS, questions_text(examples, date.today()), done)
    _lay_in(root, SETTINGS, DEFAULT_TOML, done)
    _lay_in(root, README if not (root / README).exists() or _ours(root / README) else OTHER_README, readme_text(), done)
    return done


def guesses_in(doc_type: str) -> tuple[str, ...]:
    """What of a row is a guess that nobody has looked at yet, by its `doc_type`: ('title', 'language', 'format'); () where nothing is."""
    match = _GUESSED.search(doc_type)
    return tuple(match[1].split()) if match else ()


# --- what is there ----------------------------------------------------------------------------------------------------------------------


def _make_folder(root: Path) -> None:
    try:
        root.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise LabError(f"{shown(root)}: there is a file of this name — name a folder") from None
    except OSError as error:
        raise LabError(f"{shown(root)}: cannot be made ({error.strerror or error}) — name a folder that you may write to") from None


def _inventory(root: Path) -> tuple[bytes | None, list[Row]]:
    """(the inventory's bytes, its rows); None where there is none. Raises InventoryError where it is no table of this kind."""
    path = root / INVENTORY
    if not os.path.lexists(path):
        return None, []
    report = Report(shown(path))
    try:
        data = read_bytes(path, INVENTORY)
    except DocumentError as error:
        what, _, todo = str(error).removeprefix(f"{INVENTORY}: ").partition(" — ")
        raise InventoryError([Fault(report.name, None, what, todo)]) from None
    rows = read_table(data, COLUMNS, report)
    # a table without rows is what is left where all documents were taken out
    faults = [fault for fault in report.faults if fault.level == "error" and fault.what != "has a header and no rows"]
    if faults:
        raise InventoryError(faults)
    return data, rows


def _found(root: Path, documents: Path | str | None, done: Started) -> list[tuple[str, Path]]:
    """(file as the inventory names it, path) of each document, in order; those from elsewhere have been copied in."""
    source = root if documents is None else Path(documents)
    if not source.is_dir():
        what = "is a file" if source.exists() else "there is no such folder"
        raise LabError(f"{shown(source)}: {what} — name the folder that your documents are in")
    home, real = root.resolve(), source.resolve()
    inside = real.is_relative_to(home)
    found = []
    for path in _walk(real, None if inside else home, done):
        file = path.relative_to(home if inside else real).as_posix()
        why = _cannot_stand(file)
        if why:
            done.left_out.append((printable(file), why))
            continue
        if inside and _labkits_own(path, file):
            continue
        if not inside:
            file = f"{DOCUMENTS}/{file}"
            path = _copied(path, root / file, file, done)
            if path is None:
                continue
        found.append((file, path))
    return found


def _walk(top: Path, without: Path | None, done: Started) -> Iterator[Path]:
    """The files below a folder, in order of their names; the folder `without` apart, hidden ones and links too."""

    def unreadable(error: OSError) -> None:
        done.left_out.append((printable(Path(error.filename or "").name), f"cannot be read ({error.strerror})"))

    for folder, folders, files in os.walk(top, onerror=unreadable):
        here = Path(folder)
        linked = [name for name in folders if (here / name).is_symlink()]
        folders[:] = sorted(
            name for name in folders if name not in linked and not _NO_FOLDER.match(name) and (without is None or here / name != without)
        )
        for name in sorted([*files, *linked]):
            if _NO_DOCUMENT.match(name):
                continue
            if (here / name).is_symlink():
                done.left_out.append((printable((here / name).relative_to(top).as_posix()), "is a link; put the file itself there"))
            elif (here / name).is_file():
                yield here / name


def _cannot_stand(file: str) -> str:
    """Why an inventory cannot name this file; '' where it can."""
    if any("\ud800" <= character <= "\udfff" for character in file):
        return "its name is not UTF-8; rename it"
    if not file.isprintable() and not file.replace("\xa0", " ").replace("\u3000", " ").isprintable():
        return "its name holds a character that cannot be seen; rename it"
    if "\\" in file or re.match(r"[A-Za-z]:", file) or file != file.strip():
        return "its name begins or ends with a blank, or holds a backslash, or a colon in second place; rename it"
    return ""


def _labkits_own(path: Path, file: str) -> bool:
    """Whether this is a file of labkit's: questions, settings, judgements or README at the top of the folder, or a report, anywhere."""
    if path.suffix.lower() in (".html", ".htm", ".csv", ".json") and _OUR_REPORT.match(_beginning(path.with_suffix(".json"))):
        return True
    return "/" not in file and (path.name in _OWN_NAMES or (path.name == README and _ours(path)))


def _ours(readme: Path) -> bool:
    return MARK.encode() in _beginning(readme)


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(1024)
    except OSError:
        return b""


def _copied(path: Path, target: Path, file: str, done: Started) -> Path | None:
    """The document's copy in the folder; None where another file stands in its place, or it is none that labkit reads."""
    try:
        if format_of(path) is None:
            _no_format(path, file, done)
            return None
        if is_empty(path):
            done.left_out.append((file, f"{shown(path)} {_EMPTY}"))
            return None
        data = read_bytes(path, file)
        target.parent.mkdir(parents=True, exist_ok=True)
        if write_atomically(target, data, overwrite=False):
            done.copied.append(file)
        elif target.is_symlink() or not target.is_file() or target.read_bytes() != data:
            done.left_out.append((file, f"there is another file of this name already; {shown(path)} was not copied"))
    except (DocumentError, OSError) as error:
        why = str(error) if isinstance(error, DocumentError) else f"cannot be copied ({error.strerror or error})"
        done.left_out.append((file, why.removeprefix(f"{file}: ")))
        return None
    return target


_EMPTY = "is empty; put the document in, then run labkit new again"


def _no_format(path: Path, file: str, done: Started) -> None:
    suffix = path.suffix.lower()
    done.left_out.append((printable(file), f"{suffix or 'a name without a suffix'}: labkit reads Markdown, text, HTML and PDF"))


# --- rows -------------------------------------------------------------------------------------------------------------------------------


def _guessed(new: list[tuple[str, Path]], done: Started, progress: Progress | None) -> Iterator[tuple[str, Guess]]:
    for number, (file, path) in enumerate(new, start=1):
        try:
            format = format_of(path)
        except DocumentError as error:
            done.left_out.append((file, str(error).removeprefix(f"{path.name}: ")))
            format = None
        else:
            if format is None:
                _no_format(path, file, done)
        if format is not None and is_empty(path):
            done.left_out.append((file, f"the file {_EMPTY}"))
        elif format is not None:
            found = guess(path, file, format)
            if found.problem:
                what, _, todo = found.problem.removeprefix(f"{file}: ").partition(" — ")
                done.troubles.append(Fault(shown(done.folder / file), None, what, todo, "warning"))
            yield file, found
        if progress:
            progress(number, len(new), file)


class _Ids:
    """A doc_id for each file, different from all others without regard to capitals."""

    def __init__(self, taken: Iterable[str]):
        self._taken = {name.strip().casefold() for name in taken}

    def of(self, file: str) -> str:
        """From the file's name; where that is taken, with the folders above it; then with a number."""
        parts = file.split("/")
        parts[-1] = parts[-1].rpartition(".")[0] or parts[-1]
        name = ""
        for first in range(len(parts) - 1, -1, -1):
            name = slug("-".join(parts[first:]))
            if name.casefold() not in self._taken:
                break
        number, base = 1, name
        while name.casefold() in self._taken:
            number += 1
            name = f"{base}-{number}"
        self._taken.add(name.casefold())
        return name


def _row(file: str, found: Guess, doc_id: str) -> dict[str, str]:
    return {
        "file": file, "doc_id": doc_id, "title": found.title, "version": UNKNOWN, "effective_from": ALWAYS, "effective_to": "",
        "owner": UNKNOWN, "access": CLOSED, "language": found.language, "doc_type": f"{UNKNOWN} (guessed: {' '.join(found.guessed)})",
        "format": found.format,
    }  # fmt: skip


def inventory_text(rows: Iterable[dict[str, str]]) -> str:
    """An inventory of these rows, its header first."""
    return _table(None, rows).decode()


def _table(data: bytes | None, rows: Iterable[dict[str, str]]) -> bytes:
    """The inventory with these rows at its end, in the order of its own columns and with its own line ends."""
    columns: list[str] = list(COLUMNS)
    end = "\n"
    text = "" if data is None else data.decode("utf-8-sig")
    if text.strip():
        end = next(iter(re.findall(r"\r\n|\r|\n", text)), "\n")
        columns = [name.strip().lower() for name in next(csv.reader(io.StringIO(text.lstrip(), newline="")))]
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns, lineterminator=end)
    if not text.strip():
        writer.writeheader()
    elif not text.endswith(("\r", "\n")):
        out.write(end)
    writer.writerows(rows)
    return (data or b"") + out.getvalue().encode()


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _is_there(root: Path, file: str) -> bool:
    """Whether the row's file exists, whichever way its accents are stored on disk."""
    if (root / file).exists():
        return True
    here = root
    for part in file.split("/"):
        try:
            same = next((name for name in os.listdir(here) if _composed(name) == _composed(part)), None)
        except OSError:
            return False
        if same is None:
            return False
        here /= same
    return True


# --- writing ----------------------------------------------------------------------------------------------------------------------------


def _lay_in(root: Path, name: str, text: str, done: Started) -> None:
    written = not os.path.lexists(root / name) and _write(root, name, text.encode(), overwrite=False)
    (done.written if written else done.kept).append(name)


def _write(root: Path, name: str, data: bytes, *, overwrite: bool) -> bool:
    try:
        return write_atomically(root / name, data, overwrite=overwrite)
    except OSError as error:
        reason = error.strerror or error
        raise LabError(f"{shown(root / name)}: cannot be written ({reason}) — check the space that is left, and the permissions") from None
