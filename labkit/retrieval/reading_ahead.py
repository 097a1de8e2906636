"""PDFs read before an index asks for them, several at a time, so that its update uses every core (lesson 08)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from labkit.collection import Document
from labkit.errors import DocumentError
from labkit.parsing import reading
from labkit.parsing.blocks import ParsedDocument
from labkit.parsing.many import parse_many
from labkit.retrieval.collection_update import digest_of

_FILES, _BYTES = 64, 50_000_000  # read together at most: enough for every core, and little enough to hold


class ReadAhead:
    """A `parse` for somebody who is going to ask for these documents in this order.

    When a PDF is asked for that is not there yet, it is read together with the next ones (labkit.parsing.many). What was read ahead is
    given only where the file's bytes are still the same; else, and for every other document, it is read when it is asked for.
    `pages(done, all)` is called as the PDFs are read, in pages.
    """

    def __init__(self, documents: Iterable[Document], pages: Callable[[int, int], None] | None = None):
        self._coming = deque(document for document in documents if document.format == "pdf")
        self._pages = pages
        self._ready: dict[Document, tuple[str, ParsedDocument | DocumentError]] = {}

    def __call__(self, document: Document) -> ParsedDocument:
        """The document, as `parse` gives it. Raises DocumentError as `parse` does."""
        if document not in self._ready and document in self._coming:
            self._read(document)
        digest, outcome = self._ready.pop(document, ("", None))
        if outcome is None or digest != digest_of(document):
            return reading.parse(document)
        if isinstance(outcome, DocumentError):
            raise outcome
        return outcome

    def _read(self, document: Document) -> None:
        """The document and those that come after it, as many as may be held at once."""
        while self._coming[0] != document:
            self._coming.popleft()  # passed over, so it is not needed
        batch: list[Document] = []
        size = 0
        while self._coming and len(batch) < _FILES and (not batch or size + _size(self._coming[0]) <= _BYTES):
            size += _size(self._coming[0])
            batch.append(self._coming.popleft())
        before = {document: digest_of(document) for document in batch}
        read = parse_many(batch, progress=self._pages)
        outcomes: dict[Document, ParsedDocument | DocumentError] = {each.source: each.error for each in read.unread}
        whole = [document for document in batch if document not in outcomes]
        outcomes |= dict(zip(whole, read.documents, strict=True))
        self._ready = {document: (before[document], outcomes[document]) for document in batch}


def _size(document: Document) -> int:
    try:
        return document.path.stat().st_size
    except OSError:
        return 0
