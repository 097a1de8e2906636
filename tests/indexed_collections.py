"""Small collections for the tests of the index on disk: documents written into a folder, and what an index holds, to compare."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from labkit.collection import Document
from labkit.parsing.reading import parse
from labkit.retrieval.collection_index import CollectionIndex
from labkit.retrieval.collection_tables import inverted
from labkit.retrieval.keyword import KeywordIndex
from labkit.retrieval.passage_search import READERS


def document(folder: Path, doc_id: str, text: str | bytes, **labels) -> Document:
    """A document of this text, written into the folder; its labels as given, else public, English, in force since 2024."""
    kind = labels.pop("format", "md")
    version = labels.pop("version", "1")
    name = labels.pop("file", f"documents/{doc_id}.v{version}.{kind}")
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    facts = dict(
        doc_id=doc_id, title=doc_id.replace("-", " ").capitalize(), version=version, effective_from=date(2024, 1, 1), effective_to=None,
        owner="Support", access="public", language="en", doc_type="policy", format=kind, path=path, file=name, line=2,
    )  # fmt: skip
    return Document(**(facts | labels))


def returns(folder: Path, days: str = "thirty", **labels) -> Document:
    """A small policy of two sections."""
    text = f"# Returns\n\n## Window\n\nSend the kettle back within {days} days.\n\n## Cost\n\nA parcel label costs nine dollars.\n"
    return document(folder, "returns", text, **labels)


def till(folder: Path, **labels) -> Document:
    """A procedure for staff, about kettles and nothing else."""
    text = "# Till\n\n## Kettle\n\nKettle kettle kettle secretword.\n\n## Kettle again\n\nkettle kettle\n"
    return document(folder, "till", text, **({"access": "staff"} | labels))


def held(index: CollectionIndex) -> dict[str, list[str]]:
    """'returns@v1' -> the ids of its chunks, in order; for each document of the index."""
    found = {each.name: [] for each in index.manifest().documents}
    for chunk in index.chunks("staff"):
        found[f"{chunk.doc_id}@v{chunk.version}"].append(chunk.id)
    return found


def cut(index: CollectionIndex, documents: list[Document]) -> dict[str, list[str]]:
    """What `held` must be for these documents, reckoned without any index."""
    return {f"{each.doc_id}@v{each.version}": [chunk.id for chunk in index.chunker(parse(each))] for each in documents}


def check_whole(index: CollectionIndex) -> None:
    """The file is sound, and each reader's inverted index holds the chunks that this reader may see, and nothing else."""
    assert index._ask("PRAGMA integrity_check") == [("ok",)]
    assert index._ask("PRAGMA foreign_key_check") == []
    chunks = index.chunks("staff")
    for reader, labels in READERS.items():
        table = inverted(reader)
        index._ask(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)")  # FTS5 compares it with the texts, word by word
        mine = [chunk for chunk in chunks if chunk.access in labels]
        for question in ("kettle", "the kettle days parcel parcel", "secretword returns"):
            assert_same_hits(index, mine, question, reader)


def assert_same_hits(index: CollectionIndex, chunks: list, question: str, reader: str, k: int = 50) -> None:
    """The index finds for this reader what a KeywordIndex over the very same passages finds, with the same scores."""
    with KeywordIndex() as other:
        other.add((chunk.id, chunk.passage) for chunk in chunks)
        theirs = other.search(question, k)
    ours = index.search(question, k, reader)
    assert [(each.id, each.rank) for each in ours] == [(hit.id, hit.rank) for hit in theirs]
    assert all(abs(each.score - hit.score) <= 1e-9 for each, hit in zip(ours, theirs, strict=True))
    by_id = {chunk.id: chunk for chunk in chunks}
    assert all(each.chunk == by_id[each.id] for each in ours)
