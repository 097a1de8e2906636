"""`parse`: a document of any format, read into blocks (lesson 06).

The table READERS says which module reads which format. A reader takes the file's path and its name for messages, and the labels that the
document goes by; it yields a ParsedDocument. A module is imported when its first document comes, so that nobody waits for a reader of PDF
who has none.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from labkit.collection import SUFFIXES, Document, read_bytes, read_text
from labkit.errors import DocumentError
from labkit.parsing.blocks import ParsedDocument
from labkit.passages import slug
from labkit.textfiles import path_of, shown, without_bom


def parse(document_or_path: Document | Path | str) -> ParsedDocument:
    """Reads a Markdown, HTML or PDF document into blocks with positions, pages and sections (lesson 06).

    A Document of an inventory brings its labels along. A bare path gets doc_id = the file's name as a slug, version '1', access 'staff'
    (closed until somebody says otherwise), language 'unknown', title = the document's own, else the file's name; its suffix names the
    format.
    The same file gives an equal result each time.

    Raises DocumentError where there is no such file, where it is a folder, empty, not text in its character set, or of a format that
    labkit does not read. What can be read only in part says so in `problems`.
    """
    if isinstance(document_or_path, Document):
        document = document_or_path
        labels = {name: getattr(document, name) for name in ("doc_id", "title", "version", "access", "language")}
        return _read(document.format, document.path, document.file, labels)
    path = path_of(document_or_path, "a document, or a file")
    name = shown(path)
    labels = {"doc_id": slug(path.stem), "title": None, "version": "1", "access": "staff", "language": "unknown"}
    return _read(_format(path, name), path, name, labels)


def _read(format: str, path: Path, name: str, labels: dict) -> ParsedDocument:
    if format not in READERS:
        raise DocumentError(f"{name}: labkit does not read {format!r} — it reads {', '.join(READERS)}")
    parsed = READERS[format](path, name, labels)
    return parsed if parsed.title else dataclasses.replace(parsed, title=path.name)


def _format(path: Path, name: str) -> str:
    format = SUFFIXES.get(path.suffix.lower())
    if format is None:
        read_bytes(path, name)  # a folder or a missing file is told first
        known = " ".join(SUFFIXES)
        raise DocumentError(f"{name}: its name does not say a format that labkit reads ({known}) — rename it, or save it as one of these")
    return format


# --- one line a format --------------------------------------------------------------------------------------------------------------


def _markdown(path: Path, name: str, labels: dict) -> ParsedDocument:
    _content(path, name)
    return _function("markdown", "read_markdown")(read_text(path, name), **labels)


def _html(path: Path, name: str, labels: dict) -> ParsedDocument:
    return _function("html", "read_html")(_content(path, name), **labels)


def _pdf(path: Path, name: str, labels: dict) -> ParsedDocument:
    return _function("pdf", "read_pdf")(path, name=name, **labels)


def _content(path: Path, name: str) -> bytes:
    data = read_bytes(path, name)
    if not without_bom(data).strip():
        raise DocumentError(f"{name}: the file is empty — put the document in, or leave it out")
    return data


def _function(module: str, name: str) -> Callable[..., ParsedDocument]:
    return getattr(import_module(f"labkit.parsing.{module}"), name)


READERS: dict[str, Callable[[Path, str, dict], ParsedDocument]] = {"md": _markdown, "html": _html, "pdf": _pdf}
