"""A collection: a folder with inventory.csv and the documents that it names, one row a document (lesson 01).

The inventory says what a file cannot say of itself: which document it is, which version, from when to when it holds, who may read it.
A row that cannot be trusted is refused, never guessed: an unknown access label is not 'public'.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path, PurePosixPath

from labkit.course import course_folder
from labkit.csvtable import Row, read_table
from labkit.dates import BadDate, read_date
from labkit.errors import DocumentError, Fault, InventoryError
from labkit.textfiles import Guesses, Report, bad_bytes, did_you_mean, is_utf16, path_of, printable, quoted, shown, without_bom

INVENTORY = "inventory.csv"
COLUMNS = (
    "file", "doc_id", "title", "version", "effective_from", "effective_to", "owner", "access", "language", "doc_type", "format",
)  # fmt: skip
HEADER = ",".join(COLUMNS)
ACCESS_LABELS = ("public", "staff")
FORMATS = ("md", "html", "pdf")
MAY_BE_EMPTY = ("effective_to",)
LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*|unknown")

EXTENSIONS = {".md": "md", ".markdown": "md", ".html": "html", ".htm": "html", ".xhtml": "html", ".pdf": "pdf"}
SUFFIXES = {**EXTENSIONS, ".txt": "md", ".text": "md"}  # plain text says nothing of its form: what stands in it may be anything
_OTHER_NAMES = {"markdown": "md", "text": "md", "txt": "md", "htm": "html", "xhtml": "html"}
_NO_DOCUMENT = re.compile(r"\.|~\$|Thumbs\.db$|desktop\.ini$", re.IGNORECASE)
_DECLARED_CHARSET = re.compile(rb"""(?:<meta[^>]*?charset|\A\s*<\?xml[^>]*?encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)""", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_BEFORE_THE_BODY = 65_536  # bytes: browsers look at 1,024 first, and begin anew where a declaration comes later
_MEANT = {
    label: meant
    for meant, labels in {
        "cp1252": "iso-8859-1 iso8859-1 iso88591 latin1 latin-1 l1 us-ascii ascii ansi-x3.4-1968 windows-1252 x-cp1252",
        "cp1250": "x-cp1250", "cp1251": "x-cp1251", "cp1254": "iso-8859-9 iso8859-9 latin5 l5 x-cp1254", "cp874": "iso-8859-11 tis-620",
        "cp932": "shift-jis x-sjis sjis ms-kanji windows-31j ms932", "cp949": "euc-kr ks-c-5601-1987 ks-c-5601-1989 ksc5601 korean",
        "gb18030": "gb2312 gb-2312-80 gbk x-gbk chinese", "big5hkscs": "big5 big5-hkscs cn-big5 x-x-big5", "mac-roman": "x-mac-roman",
    }.items()
    for label in labels.split()
}  # fmt: skip
_NO_CHARSETS = ("utf-7", "punycode", "idna", "unicode-escape", "raw-unicode-escape")
_DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True)
class Document:
    """One version of one document, as its row in the inventory describes it.

    `effective_from` and `effective_to` are both days on which it is in force; `effective_to` None: still in force.
    `file` is the name in the inventory (from the collection's folder, '/' between folders), `path` where it lies on this machine,
    `line` the 1-based line of inventory.csv where its row starts.
    """

    doc_id: str
    title: str
    version: str
    effective_from: date
    effective_to: date | None
    owner: str
    access: str
    language: str
    doc_type: str
    format: str
    path: Path = field(repr=False, compare=False)
    file: str
    line: int

    def in_force(self, day: date) -> bool:
        """Whether this version holds on that day; the first and the last day count."""
        return self.effective_from <= day and (self.effective_to is None or day <= self.effective_to)

    def read(self) -> str:
        """The document's text, newlines as they stand, byte order mark off (lesson 02).

        HTML is returned as its source, in the character set that it declares (UTF-8 where it declares none).
        Raises DocumentError where the file is gone, is not text in its character set, or is a PDF (lesson 06).
        """
        if self.format == "pdf":
            raise DocumentError(f"{self.file}: a PDF holds no text that can be read as it stands — PDFs are read in lesson 06")
        data = read_bytes(self.path, self.file)
        text, what = _decode(data, self.format)
        if what:
            raise DocumentError(f"{self.file}: {what} — save it as UTF-8")
        return text


def load_inventory(folder: Path | str | None = None) -> list[Document]:
    """The documents of a collection, in the order of its inventory.

    `folder` holds inventory.csv and the documents; None: the course's own corpus/larkfield. Raises InventoryError with every fault of
    the table, its rows and the files that they name. Files in documents/ that no row names stop nothing: see `check_inventory`.
    """
    return load_with_warnings(folder)[0]


def load_for_reading(folder: Path | str) -> list[Document]:
    """What `load_inventory` returns, with the files left unopened: one that is empty, damaged or no text stops nothing here, and is told
    by whoever reads it (lesson 15). Raises InventoryError where the table itself is at fault, or names a file that is not there."""
    documents, faults = _examine(folder, contents=False)
    errors = [fault for fault in faults if fault.level == "error"]
    if errors:
        raise InventoryError(errors)
    return documents


def load_with_warnings(folder: Path | str | None = None) -> tuple[list[Document], list[Fault]]:
    """What `load_inventory` returns, and what is worth a look but stops nothing; each file is read once. Raises InventoryError."""
    documents, faults = _examine(folder)
    errors = [fault for fault in faults if fault.level == "error"]
    if errors:
        raise InventoryError(errors)
    return documents, faults


def check_inventory(folder: Path | str | None = None) -> list[Fault]:
    """Every fault of a collection's inventory, errors and warnings, in the order of its lines; empty where all is well."""
    return _examine(folder)[1]


def load_whole_rows(folder: Path | str) -> tuple[list[Document], set[str] | None]:
    """(the documents whose rows have no fault, the doc_ids of rows that have one), for whoever tells all faults of a folder at once
    (lesson 15). The files are left unopened. None for the doc_ids: a row cannot be read, and may name any document."""
    rows, documents, faults = _examined(folder, contents=False)
    wrong = {fault.line for fault in faults if fault.level == "error"}
    if wrong - {line for line, _ in rows}:
        touched = None
        broken = {each.doc_id for each in documents if each.line in wrong}
    else:
        touched = broken = {row.get("doc_id", "").strip() for line, row in rows if line in wrong}
    return [each for each in documents if each.doc_id not in broken], touched


def read_text(path: Path | str, name: str | None = None) -> str:
    """A UTF-8 text file: byte order mark off, newlines as they stand. Raises DocumentError, naming the line of the first bad byte.

    `name` is what a message calls the file; None: its path, as a person would type it.
    """
    name = shown(path) if name is None else name
    text, what = _decode(read_bytes(Path(path), name), "md")
    if what:
        raise DocumentError(f"{name}: {what} — save it as UTF-8")
    return text


# --- one file ---------------------------------------------------------------------------------------------------------------------


def is_empty(path: Path) -> bool:
    """Whether a plain file holds nothing, or blanks alone (looked at as far as 64 KiB). False for what cannot be read: reading says why."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD + 1)
    except OSError:
        return False
    return len(head) <= _HEAD and not without_bom(head).strip()


_HEAD = 1 << 16  # bytes


def read_bytes(path: Path, name: str) -> bytes:
    """What a plain file holds. Raises DocumentError, with `name` in it, where there is none, or it is a folder, a pipe or unreadable."""
    try:
        # A named pipe would wait for ever: only a plain file is opened.
        if not stat.S_ISREG(path.stat().st_mode):
            raise DocumentError(f"{name}: {'a folder' if path.is_dir() else 'not a plain file'} — name a file")
        return path.read_bytes()
    except FileNotFoundError:
        raise DocumentError(f"{name}: there is no such file — check the name and its folder") from None
    except (OSError, ValueError) as error:
        raise DocumentError(f"{name}: cannot be read ({_reason(error)}) — check the name and its permissions") from None


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _decode(data: bytes, format: str) -> tuple[str, str]:
    """(text, '') or ('', what is wrong)."""
    if is_utf16(data):
        return "", "is UTF-16, not UTF-8"
    body = without_bom(data)
    charset = declared_charset(body) if format == "html" and body is data else None
    if charset:
        try:
            return body.decode(charset), ""
        except UnicodeError as error:
            where = f"byte {error.start + 1} of the file" if isinstance(error, UnicodeDecodeError) else "its text"
            return "", f"declares the character set {charset}, and {where} does not fit it"
    try:
        return body.decode("utf-8"), ""
    except UnicodeDecodeError:
        return "", str(bad_bytes(body)[0])


def declared_charset(data: bytes) -> str | None:
    """The character set that an HTML page declares before its body, by Python's name, where Python knows it and it is not UTF-8.

    As browsers do (the labels of the Encoding Standard): a declaration in a comment is none; Latin-1 and ASCII mean Windows-1252, Shift
    JIS, GB2312 and their like the larger sets that pages under these names are written in; a declared UTF-16 cannot be true of a page in
    which the declaration was read; and what is a transport code, no character set (UTF-7), is unknown.
    """
    found = _DECLARED_CHARSET.search(where_declared(data))
    if not found:
        return None
    label = found[1].decode("ascii").lower().replace("_", "-")
    label = _MEANT.get(label, label)
    if label.startswith(("utf-16", "utf-8", "utf8", "utf16", "unicode")):
        return None
    try:
        b"a".decode(label)
        name = codecs.lookup(label).name
    except (LookupError, UnicodeError, ValueError):
        return None
    return None if name in _NO_CHARSETS else name


def where_declared(data: bytes) -> bytes:
    """The part of an HTML page in which it may declare its character set, without comments."""
    return _COMMENT.sub(b"", data[:_BEFORE_THE_BODY])


# --- the inventory -----------------------------------------------------------------------------------------------------------------


def _examine(folder: Path | str | None, contents: bool = True) -> tuple[list[Document], list[Fault]]:
    return _examined(folder, contents)[1:]


def _examined(folder: Path | str | None, contents: bool) -> tuple[list[Row], list[Document], list[Fault]]:
    root = course_folder() / "corpus" / "larkfield" if folder is None else path_of(folder, "a collection's folder")
    report = Report(shown(root / INVENTORY))
    data = _inventory_bytes(root, report)
    if data is None:
        return [], [], report.faults
    rows = read_table(data, COLUMNS, report)
    files = _Folder(root, contents)
    documents = [document for line, row in rows if (document := _document(files, line, row, report))]
    _check_editions(rows, report)
    if any("file" in row for _, row in rows):
        files.check_unlisted(report)
    order = sorted(report.faults, key=lambda fault: (fault.file != report.name, fault.line or 0))
    return rows, documents, order


def _inventory_bytes(root: Path, report: Report) -> bytes | None:
    path = root / INVENTORY
    try:
        if root.is_file():
            report.add(None, f"{shown(root)} is a file", f"name the folder that holds {INVENTORY}")
            return None
        if not root.is_dir():
            report.add(None, f"there is no folder {shown(root)}", "check its name")
            return None
        if not path.exists() and not path.is_symlink():
            report.add(None, f"there is no {INVENTORY} in this folder", f"make one; its first line is {HEADER}")
            return None
        return read_bytes(path, INVENTORY)
    except DocumentError as error:
        what, _, todo = str(error).removeprefix(f"{INVENTORY}: ").partition(" — ")
        report.add(None, what, todo)
    except (OSError, ValueError) as error:
        report.add(None, f"cannot be read ({_reason(error)})", "check the folder's name and permissions")
    return None


# --- the rows --------------------------------------------------------------------------------------------------------------------


def _document(files: _Folder, line: int, row: dict[str, str], report: Report) -> Document | None:
    before = len(report.faults)
    if not any(value.strip() for value in row.values()):
        report.add(line, "the row holds nothing but commas", "delete it")
        return None
    for name in COLUMNS:
        if name in row and name not in MAY_BE_EMPTY and not row[name].strip():
            report.add(
                line,
                f"{name} is empty",
                "fill it in; write 'unknown' rather than a guess" if name in ("owner", "language", "doc_type") else "fill it in",
            )
    row = {name: value for name, value in row.items() if value.strip()}
    _check_ids(line, row, report)
    _check_labels(line, row, report)
    dates = _dates(line, row, report)
    path = files.check(line, row["file"], row.get("format", ""), report) if "file" in row else None
    complete = not any(fault.level == "error" for fault in report.faults[before:]) and set(COLUMNS) - set(MAY_BE_EMPTY) <= set(row)
    if path is None or not complete:
        return None
    return Document(
        effective_from=dates["effective_from"], effective_to=dates.get("effective_to"), path=path, line=line,
        **{name: row[name] for name in COLUMNS if not name.startswith("effective_")},
    )  # fmt: skip


def _check_ids(line: int, row: dict[str, str], report: Report) -> None:
    doc_id, version = row.get("doc_id", ""), row.get("version", "")
    if doc_id and not re.fullmatch(r"[^\W_][\w.-]*", doc_id):
        odd = next((c for c in doc_id if not re.fullmatch(r"[\w.-]", c)), doc_id[0])
        report.add(
            line,
            f"doc_id {quoted(doc_id)} cannot stand in an id: {_character(odd)}",
            "use letters, digits, hyphen, underscore and dot, with a letter or digit first",
        )
    odd = next((c for c in version if c in "@#" or c.isspace() or not c.isprintable()), None)
    if odd is not None:
        report.add(line, f"version {quoted(version)} cannot stand in an id: {_character(odd)}", "write it as in 3 or 2024.1")


def _character(character: str) -> str:
    name = unicodedata.name(character, "control character").lower()
    return f"it holds U+{ord(character):04X} ({name})"


def _check_labels(line: int, row: dict[str, str], report: Report) -> None:
    if "access" in row and row["access"] not in ACCESS_LABELS:
        report.add(
            line,
            f"unknown access label {quoted(row['access'])}",
            did_you_mean(row["access"], ACCESS_LABELS) or "write public or staff; anything else would be a guess about who may read it",
        )
    if "format" in row and row["format"] not in FORMATS:
        known = _OTHER_NAMES.get(row["format"].strip().lower().removeprefix("."))
        todo = f"write {known!r}" if known else did_you_mean(row["format"], FORMATS) or "write md, html or pdf"
        report.add(line, f"unknown format {quoted(row['format'])}", todo)
    if "language" in row and not LANGUAGE_TAG.fullmatch(row["language"]):
        report.add(line, f"{quoted(row['language'])} is not a language tag", "write en, fr, fr-CA and so on, or unknown")


def _dates(line: int, row: dict[str, str], report: Report) -> dict[str, date]:
    found = {}
    for name in ("effective_from", "effective_to"):
        if name in row:
            try:
                found[name] = read_date(row[name])
            except BadDate as error:
                report.add(line, f"{name}: {error.what}", error.todo)
    if len(found) == 2 and found["effective_to"] < found["effective_from"]:
        report.add(
            line,
            f"effective_to {found['effective_to']} is before effective_from {found['effective_from']}",
            "swap them, or mend the one that is wrong",
        )
    return found


def _check_editions(rows: Sequence[Row], report: Report) -> None:
    """Across rows: a version stands once, and on no day are two versions of one document in force."""
    seen: dict[tuple[str, str], int] = {}
    spans: dict[str, list[tuple[date, date, int, str]]] = {}
    for line, row in rows:
        doc_id, version = row.get("doc_id", "").strip(), row.get("version", "").strip()
        if doc_id and version:
            if (doc_id, version) in seen:
                report.add(
                    line,
                    f"{doc_id} version {version} stands in line {seen[doc_id, version]} already",
                    "give each version its own number, or delete one of the rows",
                )
            seen.setdefault((doc_id, version), line)
        try:
            first = read_date(row.get("effective_from", ""))
            last = read_date(row["effective_to"]) if row.get("effective_to", "").strip() else date.max
        except (BadDate, KeyError):
            continue
        if doc_id and "effective_to" in row and first <= last:
            spans.setdefault(doc_id, []).append((first, last, line, version))
    for doc_id, editions in spans.items():
        editions.sort()
        # Each is compared with the one just before it, which has to end first, and where that has ended, with the one that holds longest:
        # enough that nothing overlaps once every message has been followed, and never all pairs.
        longest = before = editions[0]
        for edition in editions[1:]:
            first, last, line, version = edition
            earlier = next((each for each in (before, longest) if first <= each[1] and version != each[3]), None)
            before = edition
            if earlier:
                low, high = sorted([(earlier[2], earlier[3]), (line, version)])
                report.add(
                    high[0],
                    f"two versions of {doc_id} are in force {_days(first, min(last, earlier[1]))}: "
                    f"version {low[1]} (line {low[0]}) and version {high[1]} (line {high[0]})",
                    "end the earlier one on the day before the later one begins (effective_to is its last day)",
                )
            if last > longest[1]:
                longest = edition


def _days(first: date, last: date) -> str:
    if last == date.max:
        return f"from {first} on"
    return f"on {first}" if first == last else f"from {first} to {last}"


# --- the files -------------------------------------------------------------------------------------------------------------------


class _Folder:
    """The collection's folder, as the inventory's `file` column names what lies in it. `contents`: whether files are opened."""

    def __init__(self, root: Path, contents: bool = True):
        self.root, self._contents = root, contents
        self.real = root.resolve()
        self._inventory = (root / INVENTORY).resolve()
        self._used: dict[str, int] = {}  # real path, accents composed: the line that names it
        self._files: dict[str, str] = {}  # the name without regard to capitals: the name
        self._listed: dict[Path, dict[str, str]] = {}
        self._guesses = Guesses(lambda: self._files)

    def check(self, line: int, file: str, format: str, report: Report) -> Path | None:
        """Where the file that a row names lies, or None with its fault reported."""
        name = printable(file)
        wrong = _leaves(file)
        if wrong:
            report.add(line, *wrong)
            return None
        try:
            path = self._find(file)
            if path is None:
                near = self._nearest(file)
                todo = f"did you mean {printable(near)}?" if near else "check the name; it is counted from the folder of the inventory"
                # a blank at an end of the name cannot be seen without quotation marks
                report.add(line, f"{name if file == file.strip() else quoted(file, 120)}: there is no such file", todo)
                return None
            real = path.resolve(strict=True)
            if not real.is_relative_to(self.real):
                report.add(line, f"{name}: a link that leaves the folder", "put the file itself into the folder")
                return None
            if real == self._inventory:
                report.add(line, f"{name}: the inventory itself", "name a document")
                return None
            mode = real.stat().st_mode
            if not stat.S_ISREG(mode):
                report.add(line, f"{name}: {'a folder, not a file' if stat.S_ISDIR(mode) else 'not a plain file'}", "name a file")
                return None
            data = real.read_bytes() if self._contents else None
        except (OSError, ValueError, RuntimeError) as error:
            report.add(line, f"{name}: cannot be read ({_reason(error)})", "check the file's name and permissions")
            return None
        key = _composed(str(real))
        if key in self._used:
            report.add(line, f"{name}: line {self._used[key]} names the same file", "one row a file; delete one, or name the right file")
        self._used.setdefault(key, line)
        if data is not None:
            _check_content(line, name, format, data, report)
        return path.absolute()

    def check_unlisted(self, report: Report) -> None:
        """A warning for each file in documents/ that no row names."""
        if not (self.real / "documents").resolve().is_relative_to(self.real):
            return
        for file in self._below("documents"):
            if _composed(f"{self.real}{os.sep}{file.replace('/', os.sep)}") in self._used:
                continue
            try:
                real = (self.real / file).resolve()
            except (OSError, RuntimeError):
                continue
            if _composed(str(real)) not in self._used:
                what, todo = "is not in the inventory, so no search will find it", f"add a row to {INVENTORY}, or move it out of documents/"
                if is_empty(real):
                    what, todo = "is empty, and not in the inventory", "put the document in, or move it out of documents/"
                report.add(None, what, todo, level="warning", file=shown(self.root / file))

    def _find(self, file: str) -> Path | None:
        """The file on disk, whichever way its accents are stored there (composed or decomposed); None where there is none."""
        if os.path.lexists(self.root / file):
            return self.root / file
        here = self.root
        for part in PurePosixPath(file).parts:
            there = here / part
            if not os.path.lexists(there):
                same = self._composed_names(here).get(_composed(part))
                if same is None:
                    return None
                there = here / same
            here = there
        return here

    def _composed_names(self, folder: Path) -> dict[str, str]:
        """What lies in a folder: the name with its accents composed, and as it is on disk. A folder is listed once."""
        if folder not in self._listed:
            self._listed[folder] = {_composed(name): name for name in sorted(_names(folder), reverse=True)}
        return self._listed[folder]

    def _nearest(self, file: str) -> str:
        """The file whose name is most like this one, capitals apart; '' where none is."""
        if not self._files:
            self._files = {name.casefold(): name for name in self._below() if name != INVENTORY}
        near = self._guesses.nearest(file.casefold())
        return self._files[near] if near else ""

    def _below(self, top: str = "") -> list[str]:
        """Files under `top` as an inventory would name them, in order; links to folders are not followed."""
        found = []
        for folder, folders, files in os.walk(self.real / top):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            found += [(Path(folder) / name).relative_to(self.real).as_posix() for name in files if not _NO_DOCUMENT.match(name)]
        return sorted(found)


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _leaves(file: str) -> tuple[str, str] | None:
    """Why this name is not one of a file below the inventory's folder; None where it is."""
    todo = f"write the file's path from the folder of {INVENTORY}, as in documents/returns.md"
    if file.startswith(("/", "\\")) or _DRIVE.match(file):
        return f"{quoted(file, 120)} leaves the folder: it starts at the top of a disk", todo
    if ".." in re.split(r"[/\\]", file):
        return f"{quoted(file, 120)} leaves the folder: it holds '..'", todo
    if "\\" in file:
        return f"{quoted(file, 120)} holds a backslash", f"write / between folders: {file.replace(chr(92), '/')}"
    if not PurePosixPath(file).parts:
        return f"{quoted(file, 120)} names no file", todo
    if PurePosixPath(file) == PurePosixPath(INVENTORY):
        return f"{quoted(file, 120)} is the inventory itself", todo
    return None


def _check_content(line: int, name: str, format: str, data: bytes, report: Report) -> None:
    if not without_bom(data).strip():
        report.add(line, f"{name}: the file is empty", "put the document in, or delete the row")
    elif format in ("md", "html"):
        what = _decode(data, format)[1]
        if what:
            report.add(line, f"{name}: {what}", "save it as UTF-8")
    looks = EXTENSIONS.get(PurePosixPath(name).suffix.lower())
    if looks and format in FORMATS and looks != format:
        report.add(line, f"{name}: the format says {format}, the name says {looks}", "one of the two is wrong", level="warning")
