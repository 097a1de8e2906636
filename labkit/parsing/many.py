"""Many documents, or very long ones: read on all cores, and read once (lesson 08).

A long PDF is taken apart in ranges of pages, each in another process; what belongs to the document as a whole (its body text, its running
heads, sentences across pages) is judged at the end, over all of its pages. So the result is the same as that of `parse`, only sooner.

A cache keeps what was read, by content: the same bytes under the same labels, read by the same version of the readers, are not read again.
An entry that is damaged is as good as none.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import multiprocessing
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache as once
from functools import partial
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from labkit.collection import Document, read_bytes
from labkit.errors import BadArgument, DocumentError
from labkit.files import write_atomically
from labkit.parsing.blocks import Block, Page, ParsedDocument, Problem, SectionSpan
from labkit.parsing.reading import parse
from labkit.processes import cores, follow_the_first, starting
from labkit.textfiles import shown

if TYPE_CHECKING:
    from labkit.parsing.pdf_file import OpenPdf, PdfPages

_RANGE = 25  # pages: a task that takes about a second
_WORTH_IT = 60  # pages: below that, starting other processes costs more than it saves

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Unread:
    """A document that could not be read, and why (the error's message says what to do)."""

    source: Document | Path | str
    error: DocumentError


@dataclass
class ManyDocuments:
    """What came of reading many: the documents in the order given, those that could not be read, and how many came from the cache."""

    documents: list[ParsedDocument] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    from_cache: int = 0


def parse_many(
    documents_or_paths: Iterable[Document | Path | str],
    *,
    processes: int | None = None,
    cache: Path | str | None = None,
    progress: Progress | None = None,
) -> ManyDocuments:
    """Reads many documents, as `parse` reads one (lesson 08). A document that cannot be read stands in `unread`; the others go on.

    `processes`: how many at most (None: one a core); other processes are started only where there is work for them. `cache`: a folder
    where what was read is kept (made where it is missing; None: nothing is kept). `progress(done, all)` is called as the work goes on, in
    pages; a document without pages counts as one.

    Raises BadArgument where `processes` is below 1 or `cache` is a file.
    """
    sources = list(documents_or_paths)
    workers = processes if processes is not None else cores()
    if workers < 1:
        raise BadArgument(f"processes is {workers}: it must be 1 or more")
    store = _Cache(Path(cache)) if cache is not None else None
    found: dict[int, ParsedDocument] = {}
    failed: dict[int, DocumentError] = {}
    jobs: list[_Job] = []
    kept = 0
    for place, source in enumerate(sources):
        try:
            job = _Job(place, source, *_content(source))
            ready = store.get(job) if store else None
            if ready is not None:
                found[place] = ready
                kept += 1
                continue
            job.pages = _pages(job)
            jobs.append(job)
        except DocumentError as error:
            failed[place] = error
    bar = _Bar(sum(job.pages or 1 for job in jobs) + kept, progress, kept)
    inside_a_worker = multiprocessing.parent_process() is not None
    if workers > 1 and bar.whole - kept >= _WORTH_IT and not inside_a_worker:
        done: Iterator[tuple[_Job, ParsedDocument | DocumentError]] = _on_all_cores(jobs, workers, bar)
    else:
        done = _one_by_one(jobs, bar)
    for job, outcome in done:
        if isinstance(outcome, DocumentError):
            failed[job.place] = outcome
        else:
            found[job.place] = outcome
            if store:
                store.put(job, outcome)
    unread = [Unread(sources[place], failed[place]) for place in sorted(failed)]
    return ManyDocuments([found[place] for place in sorted(found)], unread, kept)


def progress_line(stream: TextIO | None = None, what: str = "pages read") -> Progress:
    """A progress for `parse_many` that writes one line over and over: '120 of 1,000 pages read'. To stderr unless told."""
    out = stream or sys.stderr

    def show(done: int, whole: int) -> None:
        out.write(f"\r{done:,} of {whole:,} {what}" + ("\n" if done >= whole else ""))
        out.flush()

    return show


# --- the work -----------------------------------------------------------------------------------------------------------------------


@dataclass
class _Job:
    """A document that is to be read; `pages` is 0 where its format has none."""

    place: int
    source: Document | Path | str
    path: Path
    name: str
    digest: str
    pages: int = 0


class _Bar:
    """Counts pages for whoever wants to see them go by."""

    def __init__(self, whole: int, progress: Progress | None, done: int):
        self.whole, self.progress, self.done = whole, progress, done
        self.add(0)

    def add(self, pages: int) -> None:
        self.done += pages
        if self.progress:
            self.progress(min(self.done, self.whole), self.whole)


def _content(source: Document | Path | str) -> tuple[Path, str, str]:
    """The path, the name for messages, and a digest of the bytes with the labels under which they are read."""
    if isinstance(source, Document):
        path, name = source.path, source.file
        labels = [source.format, source.doc_id, source.title, source.version, source.access, source.language]
    else:
        path = Path(source)
        name = shown(path)
        labels = [path.name]
    digest = hashlib.sha256(json.dumps([_reader_version(), labels]).encode())
    digest.update(read_bytes(path, name))
    return path, name, digest.hexdigest()


def _is_pdf(job: _Job) -> bool:
    return job.source.format == "pdf" if isinstance(job.source, Document) else job.path.suffix.lower() == ".pdf"


def _pages(job: _Job) -> int:
    """The pages of a PDF; 0 for other formats. Raises DocumentError where it cannot be opened."""
    if not _is_pdf(job):
        return 0
    from labkit.parsing.pdf_file import OpenPdf

    return OpenPdf(read_bytes(job.path, job.name), job.name).count


def _one_by_one(jobs: list[_Job], bar: _Bar) -> Iterator[tuple[_Job, ParsedDocument | DocumentError]]:
    for job in jobs:
        before = bar.done
        if _is_pdf(job):
            from labkit.parsing.pdf import pages_from
            from labkit.parsing.pdf_file import read_pages

            with pages_from(partial(read_pages, progress=lambda *_: bar.add(1))):
                outcome = _parsed(job.source)
        else:
            outcome = _parsed(job.source)
        bar.add(before + (job.pages or 1) - bar.done)
        yield job, outcome


def _parsed(source: Document | Path | str) -> ParsedDocument | DocumentError:
    try:
        return parse(source)
    except DocumentError as error:
        return error


def _on_all_cores(jobs: list[_Job], workers: int, bar: _Bar) -> Iterator[tuple[_Job, ParsedDocument | DocumentError]]:
    """Long PDFs in ranges of pages, everything else a document a task."""
    from labkit.parsing.pdf_file import PdfPages

    spawned = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=spawned, initializer=follow_the_first)
    parts: dict[int, dict[int, PdfPages]] = {}
    over: set[int] = set()
    tasks: dict[Future, tuple[_Job, int]] = {}
    try:
        with starting():
            for job in jobs:
                if job.pages > _RANGE:
                    for first in range(0, job.pages, _RANGE):
                        tasks[pool.submit(_range_of, str(job.path), job.name, job.digest, first, first + _RANGE)] = (job, first)
                else:
                    tasks[pool.submit(_parsed, job.source)] = (job, 0)
        for future in as_completed(tasks):
            job, first = tasks[future]
            if job.place in over:
                continue
            try:
                outcome = future.result()
            except DocumentError as error:
                outcome = error
            if isinstance(outcome, PdfPages):
                mine = parts.setdefault(job.place, {})
                mine[first] = outcome
                bar.add(len(outcome.pages))
                if sum(len(part.pages) for part in mine.values()) < job.pages:
                    continue
                outcome = _put_together(job, parts.pop(job.place))
            elif job.pages <= _RANGE:
                bar.add(job.pages or 1)
            over.add(job.place)
            yield job, outcome
    except BrokenProcessPool:  # a process was ended from outside: what is left is read here
        yield from _one_by_one([job for job in jobs if job.place not in over], bar)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _put_together(job: _Job, parts: dict[int, PdfPages]) -> ParsedDocument | DocumentError:
    """The document of which all pages are there, in ranges."""
    from labkit.parsing.pdf import pages_from
    from labkit.parsing.pdf_file import PdfPages

    whole = [parts[first] for first in sorted(parts)]
    merged = PdfPages(job.pages, [page for part in whole for page in part.pages], whole[0].title, whole[0].labels)
    with pages_from(lambda *_: merged):
        return _parsed(job.source)


def _range_of(path: str, name: str, digest: str, first: int, last: int) -> PdfPages:
    """Some pages of a PDF, taken apart; runs in another process, which keeps the file open for its next range."""
    from labkit.parsing.pdf_file import OpenPdf

    if digest not in _OPEN:
        _OPEN.clear()
        _OPEN[digest] = OpenPdf(read_bytes(Path(path), name), name)
    return _OPEN[digest].read(first, last)


_OPEN: dict[str, OpenPdf] = {}


# --- the cache ----------------------------------------------------------------------------------------------------------------------


@once
def _reader_version() -> str:
    """A digest of the readers' own code and of the libraries that they stand on: another reader, another result."""
    digest = hashlib.sha256()
    here = Path(__file__).parent
    for file in sorted([*here.glob("*.py"), here.parent / "passages.py", here.parent / "collection.py"]):
        digest.update(file.read_bytes())
    for package in ("pypdf", "lxml", "html5lib", "markdown-it-py"):
        try:
            digest.update(f"{package} {version_of(package)}".encode())
        except PackageNotFoundError:
            digest.update(package.encode())
    return digest.hexdigest()


class _Cache:
    """What was read, one file a document, named by digest; the first line holds a digest of the rest."""

    def __init__(self, folder: Path):
        if folder.exists() and not folder.is_dir():
            raise BadArgument(f"cache: {folder} is a file — name a folder")
        self.folder = folder

    def get(self, job: _Job) -> ParsedDocument | None:
        """The document, if it was read before and its entry is whole."""
        try:
            head, body = (self.folder / f"{job.digest}.json").read_bytes().split(b"\n", 1)
            if hashlib.sha256(body).hexdigest().encode() != head:
                return None
            return _restored(json.loads(body))
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None

    def put(self, job: _Job, parsed: ParsedDocument) -> None:
        """Keeps a document. A folder that cannot be written to only means that it will be read again."""
        body = json.dumps(dataclasses.asdict(parsed), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            write_atomically(self.folder / f"{job.digest}.json", hashlib.sha256(body).hexdigest().encode() + b"\n" + body, sync=False)


def _restored(kept: dict) -> ParsedDocument:
    lists = {"blocks": Block, "sections": SectionSpan, "pages": Page, "problems": Problem}
    return ParsedDocument(**{name: [lists[name](**item) for item in value] if name in lists else value for name, value in kept.items()})
