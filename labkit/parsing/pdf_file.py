"""A PDF file opened and its pages taken apart, each within a limit of time; what is broken is said page by page (lesson 06)."""

from __future__ import annotations

import io
import logging
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from pypdf import PdfReader
from pypdf.errors import DependencyError, PyPdfError
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject

from labkit.errors import DocumentError
from labkit.parsing.blocks import Problem
from labkit.parsing.pdf_fonts import Font
from labkit.parsing.pdf_limits import TooLong, within
from labkit.parsing.pdf_lines import Row, rows_of, typical_size, with_drawn_bullets
from labkit.parsing.pdf_page import PageContent, page_content, turned
from labkit.parsing.pdf_tables import Table, ruled_tables
from labkit.textfiles import counted

PAGE_SECONDS = 10.0
_OPEN_SECONDS = 10.0
_GIVE_UP = 3  # pages in a row that took too long: the others would too

_PROGRAM = re.compile(r"^Microsoft (?:Word|PowerPoint|Excel) - ")
_NO_TITLES = ("untitled", "anonymous", "unspecified", "none", "title")  # what programs write where nobody gave one
_SAVE_AGAIN = "open it in a PDF viewer and print or save it to a new PDF"


@dataclass(slots=True)
class PageText:
    """A page taken apart: its rows from top to bottom, its ruled tables, text written in another direction, and what is wrong with it.

    `picture` is the share of the page that a picture covers, `unread` the number of glyphs that stand for no known character.
    """

    number: int
    width: float
    height: float
    rows: list[Row] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    asides: list[Row] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    picture: float = 0.0
    drawn: int = 0
    unread: int = 0


@dataclass(slots=True)
class PdfPages:
    """Pages of a file (all, or a range), in order, and what the file says of itself: its title ('' where none) and its pages' labels
    ([] where none)."""

    count: int
    pages: list[PageText]
    title: str = ""
    labels: list[str] = field(default_factory=list)


def read_pages(
    data: bytes, name: str, first: int = 0, last: int | None = None, progress: Callable[[int, int], None] | None = None
) -> PdfPages:
    """Takes pages `first` to `last` (0-based, half-open; None: to the end) apart. `progress(done, all)` is called after each page.

    Raises DocumentError, with `name` in it, where the file is no PDF, needs a password, ends too early or cannot be opened. A page that
    cannot be read is named in its problems, and the others go on.
    """
    return OpenPdf(data, name).read(first, last, progress)


class OpenPdf:
    """A PDF that is open: for whoever reads its pages in several goes. Raises DocumentError as `read_pages` does."""

    def __init__(self, data: bytes, name: str):
        with _quiet():
            self._reader, self.count = _opened(data, name)
            self._hidden = _hidden_layers(self._reader)
            self._fonts: dict[object, Font] = {}

    def read(self, first: int = 0, last: int | None = None, progress: Callable[[int, int], None] | None = None) -> PdfPages:
        """Takes pages `first` to `last` (0-based, half-open; None: to the end) apart."""
        pages: list[PageText] = []
        slow = 0
        stop = self.count if last is None else min(last, self.count)
        with _quiet():
            for place in range(first, stop):
                if slow >= _GIVE_UP:
                    todo = "split the file, or save it anew, and read the parts"
                    pages.append(_unread(place, "not read, since the pages before it took too long", todo))
                else:
                    page = _read_page(self._reader, place, self._fonts, self._hidden)
                    slow = slow + 1 if page is None else 0
                    took = f"took longer than {PAGE_SECONDS:g} seconds and was given up"
                    pages.append(page or _unread(place, took, f"{_SAVE_AGAIN}, or leave the page out"))
                if progress:
                    progress(place + 1 - first, stop - first)
            return PdfPages(self.count, pages, _title(self._reader), _labels(self._reader, self.count))


def _read_page(reader: PdfReader, place: int, fonts: dict[object, Font], hidden: frozenset[object]) -> PageText | None:
    """A page taken apart; None where it took too long."""
    try:
        return within(PAGE_SECONDS, lambda: _taken_apart(place + 1, page_content(reader.pages[place], fonts, hidden)))
    except TooLong:
        return None
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except Exception as error:  # pypdf raises whatever a broken file brings about
        return _unread(place, f"cannot be read ({_reason(error)})", f"{_SAVE_AGAIN}; its text is missing here")


def _unread(place: int, what: str, todo: str) -> PageText:
    return PageText(place + 1, 0.0, 0.0, problems=[Problem(place + 1, what, todo)])


def _taken_apart(number: int, content: PageContent) -> PageText:
    turns: dict[int, int] = {}
    for word in content.words:
        turns[word.turn] = turns.get(word.turn, 0) + len(word.text)
    content = turned(content, max(turns, key=lambda turn: (turns[turn], -turn), default=0))
    size = typical_size([word for word in content.words if not word.turn])
    content.words = with_drawn_bullets(content.words, content.dots)
    tables, words = ruled_tables(content, size)
    page = PageText(
        number, content.width, content.height, tables=tables, picture=content.picture, drawn=content.drawn, unread=content.unread
    )
    page.rows = rows_of(word for word in words if not word.turn)
    for turn in (1, 2, 3):
        page.asides += rows_of(word for word in words if word.turn == turn)
    if content.damaged:
        page.problems.append(Problem(number, f"{content.damaged}: text may be missing", f"{_SAVE_AGAIN}, and compare"))
    if content.unread:
        what = f"{counted(content.unread, 'character')} in a font that does not say which characters it holds: left out"
        page.problems.append(Problem(number, what, "recognise its text (OCR), or ask for the document in another format"))
    return page


# --- opening ------------------------------------------------------------------------------------------------------------------------


def _opened(data: bytes, name: str) -> tuple[PdfReader, int]:
    if not data.strip():
        raise DocumentError(f"{name}: the file is empty — put the document in, or leave it out")
    if b"%PDF-" not in data[:1024]:
        raise DocumentError(f"{name}: is not a PDF (it does not begin with %PDF-) — give it the ending of what it is, or save it as PDF")
    tail = data[-4096:].rstrip(b"\x00 \r\n\t")
    if b"%%EOF" not in tail and b"startxref" not in tail:
        raise DocumentError(f"{name}: ends too early (it was cut off, perhaps while copying) — fetch it again")
    try:
        return within(_OPEN_SECONDS + len(data) / 5_000_000, lambda: _reader(data, name))
    except (DocumentError, KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except TooLong:
        raise DocumentError(f"{name}: cannot be opened in reasonable time — {_SAVE_AGAIN}") from None
    except Exception as error:  # pypdf raises whatever a broken file brings about
        raise DocumentError(f"{name}: cannot be opened as a PDF ({_reason(error)}) — {_SAVE_AGAIN}, or fetch it again") from None


def _reader(data: bytes, name: str) -> tuple[PdfReader, int]:
    try:
        reader = PdfReader(io.BytesIO(data))
        locked = reader.is_encrypted and not reader.decrypt("")
        count = 0 if locked else len(reader.pages)
        if reader.is_encrypted and count:
            reader.pages[0].get_contents()  # whether the cipher can be undone shows with the first stream
    except DependencyError:
        how = "install the package cryptography, or save a copy without protection"
        raise DocumentError(f"{name}: is encrypted in a way that needs another package to open — {how}") from None
    if locked:
        raise DocumentError(f"{name}: needs a password — save a copy without one, or leave the document out")
    if not count:
        raise DocumentError(f"{name}: has no pages — {_SAVE_AGAIN}, or leave it out")
    return reader, count


def _reason(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "it refers to itself without end"
    text = " ".join(str(error).split())
    what = text if isinstance(error, PyPdfError) and text else f"{type(error).__name__}: {text}" if text else type(error).__name__
    return what if len(what) <= 160 else f"{what[:159]}…"


def _hidden_layers(reader: PdfReader) -> frozenset[object]:
    """Layers that are switched off when the document opens."""
    try:
        settings = reader.root_object["/OCProperties"]["/D"]
        off = {layer.idnum for layer in settings.get("/OFF", ArrayObject()) if isinstance(layer, IndirectObject)}
        if settings.get("/BaseState") == "/OFF":
            on = {layer.idnum for layer in settings.get("/ON", ArrayObject()) if isinstance(layer, IndirectObject)}
            layers = reader.root_object["/OCProperties"]["/OCGs"]
            off |= {layer.idnum for layer in layers if isinstance(layer, IndirectObject)} - on
        return frozenset(off)
    except Exception:  # no layers, or none that make sense: all is shown
        return frozenset()


def _title(reader: PdfReader) -> str:
    try:
        information = reader.metadata
        title = information.title if information else None
        plain = _PROGRAM.sub("", " ".join(str(title or "").replace("\x00", "").split()))
        return "" if plain.lower().strip("()") in _NO_TITLES else plain
    except Exception:
        return ""


def _labels(reader: PdfReader, count: int) -> list[str]:
    try:
        if not isinstance(reader.root_object.get("/PageLabels"), DictionaryObject | IndirectObject):
            return []
        labels = within(_OPEN_SECONDS, lambda: [str(label) for label in reader.page_labels])
        return [re.sub(r"[\x00-\x1f]", "", label) for label in labels] if len(labels) == count else []
    except Exception:
        return []


@contextmanager
def _quiet() -> Iterator[None]:
    """pypdf tells of each oddity that it gets over; none of it is for a learner's eyes."""
    log = logging.getLogger("pypdf")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)
