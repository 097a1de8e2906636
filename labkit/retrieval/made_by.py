"""What read and cut a document, in one short text, so that an index knows what it must make again (lesson 08).

The same file can come out otherwise tomorrow: labkit's readers change, or pypdf does. An index that looked at the file alone would keep
yesterday's chunks and say that nothing changed.
"""

from __future__ import annotations

import hashlib
import unicodedata
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from labkit import __version__

_OURS = ("parsing", "chunking", "passages.py", "sections.py", "collection.py", "retrieval/cutting.py", "retrieval/tokenizer.py")
_OTHERS = ("pypdf", "beautifulsoup4", "html5lib", "lxml", "markdown-it-py")


@cache
def made_by() -> str:
    """16 hex digits over labkit's version and the source of its readers and chunkers, and the versions of the packages that they use."""
    root = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256(f"labkit {__version__}, Unicode {unicodedata.unidata_version}".encode())
    for name in _OURS:
        for file in sorted((root / name).rglob("*.py")) if (root / name).is_dir() else [root / name]:
            digest.update(file.read_bytes() if file.is_file() else b"")  # compiled files alone: the version must do
    for package in _OTHERS:
        try:
            digest.update(f"{package} {version(package)}".encode())
        except PackageNotFoundError:
            continue
    return digest.hexdigest()[:16]
