"""What a practitioner's folder holds: documents by its inventory, questions by its files, and what labkit reads of them (lesson 15).

Documents are read once and kept by content (labkit.parsing.many), so that a second look at ten thousand of them is a matter of seconds.
They come one after another and are let go, so that no more of them than a batch is ever in memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from labkit.collection import INVENTORY, Document, load_for_reading
from labkit.errors import BadArgument, DocumentError, Fault, FaultsError, LabError, QuestionsError
from labkit.own.judgements import FILE as JUDGEMENTS
from labkit.own.settings import SETTINGS, Settings, load_settings
from labkit.parsing.blocks import ParsedDocument
from labkit.parsing.many import parse_many
from labkit.questions import QUESTION_FILES, Question, load_questions
from labkit.retrieval.collection_update import digest_of
from labkit.textfiles import shown
from labkit.validation import ReadDocument, as_read, check_questions

_FILES, _BYTES = 4_000, 48_000_000  # of one batch, at most: each starts processes anew


@dataclass(frozen=True)
class Material:
    """A folder's documents and questions, as its files have them now."""

    folder: Path
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    files: tuple[str, ...]

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.folder.resolve().name


def load_material(folder: Path | str, settings: Settings) -> Material:
    """The documents and questions of a folder. Raises FaultsError with the faults of the inventory and of all question files at once.

    A document's file is not opened here: what of it cannot be read is told where it is read. Questions in other languages than the settings
    ask for are left out.
    """
    folder = Path(folder)
    faults: list[Fault] = []
    documents: list[Document] = []
    try:
        documents = load_for_reading(folder)
    except FaultsError as error:
        faults += error.faults
    questions, files = _questions(folder, settings, faults)
    if faults:
        raise FaultsError(faults)
    return Material(folder, tuple(documents), tuple(questions), files)


def load_documents(folder: Path | str) -> tuple[Document, ...]:
    """The documents alone, for what needs no question. Raises InventoryError."""
    return tuple(load_for_reading(Path(folder)))


def spare_what_is_read(folder: Path, files: Iterable[Path]) -> None:
    """Raises BadArgument where one of `files`, which are to be written, is what the folder is made of: its inventory, its settings, its
    questions, its judgements, or a document. Where the folder has faults, only what bears its usual name is known."""
    here = folder.resolve()
    there = [file for file in files if file.exists() and file.resolve().is_relative_to(here)]
    if not there:
        return
    questions: Iterable[str] = ()
    documents: Iterable[Path] = ()
    with suppress(LabError):
        questions = load_settings(folder).questions
        documents = [each.path for each in load_documents(folder)]
    names = (INVENTORY, SETTINGS, JUDGEMENTS, *QUESTION_FILES, *questions)
    made_of = {(folder / name).resolve() for name in names} | {path.resolve() for path in documents}
    for file in there:
        if file.resolve() in made_of:
            raise BadArgument(f"{file} would be written over, and the folder is made of it — choose another name with -o")


def _questions(folder: Path, settings: Settings, faults: list[Fault]) -> tuple[list[Question], tuple[str, ...]]:
    named = settings.questions
    there = tuple(name for name in named if (folder / name).exists() or (folder / name).is_symlink())
    missing = [name for name in named if name not in there]
    for name in missing if "questions" in settings.given else ():
        faults.append(Fault(shown(folder / name), None, "there is no such file", f"check its name, which stands in {SETTINGS}"))
    if not there and "questions" not in settings.given and folder.is_dir():
        todo = "write one question with its answer's place; `labkit new` makes a file to start from"
        faults.append(Fault(shown(folder / named[0]), None, f"there are no questions: neither {' nor '.join(named)}", todo))
    asked: list[Question] = []
    seen: dict[str, str] = {}
    for name in there:
        if not (folder / name).resolve().is_relative_to(folder.resolve()):
            faults.append(Fault(shown(folder / name), None, "a link that leaves the folder", "put the file itself into the folder"))
            continue
        try:
            read = load_questions(folder / name)
        except QuestionsError as error:
            faults += error.faults
            continue
        for question in read:
            if question.id in seen and seen[question.id] != name:
                what = f"the id {question.id!r} stands in {seen[question.id]} already"
                faults.append(Fault(shown(folder / name), question.line or None, what, "give each question an id of its own"))
            seen.setdefault(question.id, name)
        asked += read
    return [each for each in asked if speaks(each.language, settings.language)], there


def speaks(language: str, wanted: str | None) -> bool:
    """Whether a language tag is the wanted one or one of it ('fr-CA' is of 'fr'); None wants all."""
    return wanted is None or f"{language}-".lower().startswith(f"{wanted}-".lower())


def check_gold(material: Material, kept: Path) -> list[Fault]:
    """What does not fit between questions and documents, warnings too; the gold of documents that cannot be read is not judged.

    `kept` is where what was read is kept.
    """
    named = {(entry.doc_id, entry.version) for question in material.questions for entry in question.relevant}
    wanted = [each for each in material.documents if (each.doc_id, each.version) in named]
    read = {(each.doc_id, each.version): as_read(each) for each in parsed(wanted, kept)}

    def reader(document: Document) -> ReadDocument | None:
        return read.get((document.doc_id, document.version))

    return check_questions(material.questions, material.documents, dict.fromkeys(("md", "html", "pdf"), reader))


# --- reading ----------------------------------------------------------------------------------------------------------------------------


def parsed(
    documents: Iterable[Document],
    kept: Path,
    progress: Callable[[int, int, str], None] | None = None,
    unread: Callable[[Document, DocumentError], None] | None = None,
) -> Iterator[ParsedDocument]:
    """Each document as it is read, in order; what was read is kept in the folder `kept`, by content. One that cannot be read is told to
    `unread` and passed over. `progress(done, of, what)` in pages, a document without pages counting as one, within its batch."""
    documents = list(documents)
    done = 0
    for batch in _batches(documents):
        reached = done

        def pages(part: int, of: int, reached: int = reached, batch: list[Document] = batch) -> None:
            if progress is not None:
                share = len(batch) * part // max(of, 1)
                progress(reached + share, len(documents), f"{part:,} of {of:,} pages" if of > len(batch) else batch[-1].file)

        many = parse_many(batch, cache=kept, progress=pages)
        for each in many.unread:
            if unread is not None:
                unread(each.source, each.error)
        done += len(batch)
        yield from many.documents


def _batches(documents: list[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    size = 0
    for document in documents:
        try:
            more = document.path.stat().st_size
        except OSError:
            more = 0
        if batch and (len(batch) == _FILES or size + more > _BYTES):
            yield batch
            batch, size = [], 0
        batch.append(document)
        size += more
    if batch:
        yield batch


def digest_of_documents(documents: Iterable[Document]) -> str:
    """One digest over the labels and the bytes of all documents, in order; a file that cannot be read counts as empty."""
    digest = hashlib.sha256()
    for document in documents:
        labels = [str(getattr(document, name)) for name in ("doc_id", "title", "version", "access", "language", "format", "file")]
        digest.update("\0".join([*labels, digest_of(document)]).encode("utf-8", "surrogatepass") + b"\0\0")
    return digest.hexdigest()
