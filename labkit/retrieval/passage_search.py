"""A keyword search for one reader: question in, passages out, best first (lessons 04 and 05).

The index (labkit.retrieval.keyword) knows texts by id. Here it is tied to passages and to a reader: what a reader may not see is not put
into that reader's index at all, so it is neither ranked nor shown, and its words do not move a single score.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from labkit.collection import Document, load_inventory
from labkit.dates import read_date
from labkit.errors import BadArgument
from labkit.passages import Passage
from labkit.retrieval.keyword import Hit, KeywordIndex
from labkit.sections import split_sections

READERS = {"public": frozenset({"public"}), "staff": frozenset({"public", "staff"})}
"""Which access labels a reader may see. A label that stands here for nobody is shown to nobody."""


class PassageSearch:
    """What searches over passages have in common: passages, a reader, and results by id.

    `passages`: any passages (sections, chunks) with ids of their own. `access`: the reader, 'public' or 'staff'. `editions`, where given:
    the (doc_id, version) pairs that may be found. A kind of search defines `hits`, over `search.passages`.

    `search.passages` is what this reader searches, in the order given; `search.given` everything that was given (for `why_missed`, with
    `allowed=search.allows`); `search.not_read` documents that nobody reads yet.
    Raises BadArgument for an unknown reader, or for two passages with one id.
    """

    kind = "search"

    def __init__(
        self,
        passages: Iterable[Passage],
        *,
        access: str = "staff",
        editions: Iterable[tuple[str, str]] | None = None,
        not_read: Iterable[Document] = (),
    ):
        if access not in READERS:
            raise BadArgument(f"access is {access!r}: the reader is one of {', '.join(READERS)}")
        self.access = access
        self._editions = None if editions is None else frozenset((doc_id, str(version)) for doc_id, version in editions)
        self.given = list(passages)
        self.not_read = list(not_read)
        self.passages = [passage for passage in self.given if self.allows(passage)]
        self._by_id: dict[str, Passage] = {}
        for passage in self.passages:
            if passage.id in self._by_id:
                raise BadArgument(f"two passages have the id {passage.id!r} — give each an id of its own")
            self._by_id[passage.id] = passage

    def allows(self, passage: Passage) -> bool:
        """Whether this reader may see the passage, and its edition is among those searched."""
        return passage.access in READERS[self.access] and (
            self._editions is None or (passage.doc_id, str(passage.version)) in self._editions
        )

    def hits(self, text: str, k: int = 5) -> list[Hit]:
        """Ids with scores and ranks, best first."""
        raise NotImplementedError

    def __call__(self, text: str, k: int = 5) -> list[Passage]:
        return [self._by_id[hit.id] for hit in self.hits(text, k)]

    def passage(self, passage_id: str) -> Passage:
        """The passage of this id. Raises BadArgument where this reader has none."""
        if passage_id not in self._by_id:
            raise BadArgument(f"no passage {passage_id!r} for the reader {self.access!r}")
        return self._by_id[passage_id]

    def __repr__(self) -> str:
        return f"<{self.kind} over {len(self.passages)} passages, reader: {self.access}>"


class KeywordSearch(PassageSearch):
    """A search by words over passages for one reader: `search(text, k)` gives the k best passages, in rank order. Lesson 05.

    What it takes and has: see PassageSearch; `stem` and `stop_words` as for KeywordIndex; `search.index` is the KeywordIndex.
    """

    kind = "keyword search"

    def __init__(
        self,
        passages: Iterable[Passage],
        *,
        access: str = "staff",
        editions: Iterable[tuple[str, str]] | None = None,
        stem: bool = False,
        stop_words: Iterable[str] = (),
        not_read: Iterable[Document] = (),
    ):
        super().__init__(passages, access=access, editions=editions, not_read=not_read)
        self.index = KeywordIndex(stem=stem, stop_words=stop_words)
        self.index.add((passage.id, passage.passage) for passage in self.passages)

    def hits(self, text: str, k: int = 5) -> list[Hit]:
        """Ids with scores and ranks, best first. Errors as KeywordIndex.search."""
        return self.index.search(text, k)


def section_search(
    documents: Iterable[Document] | None = None,
    *,
    access: str = "staff",
    as_of: date | str | None = None,
    stem: bool = False,
    stop_words: Iterable[str] = (),
) -> KeywordSearch:
    """The course's baseline: a KeywordSearch over the level-2 sections of all Markdown documents (lesson 05).

    `documents` None: the course's own collection. `as_of`: only editions in force on that day ('2026-12-01' or a date); None: all of them.
    Documents in other formats are not read; `search.not_read` lists them. Raises BadArgument for an unknown reader or a text that is no
    date, DocumentError where a document cannot be read.
    """
    documents = load_inventory() if documents is None else list(documents)
    day = read_date(as_of) if isinstance(as_of, str) else as_of
    editions = None if day is None else [(each.doc_id, each.version) for each in documents if each.in_force(day)]
    return KeywordSearch(
        (section for document in documents if document.format == "md" for section in split_sections(document)),
        access=access,
        editions=editions,
        stem=stem,
        stop_words=stop_words,
        not_read=[document for document in documents if document.format != "md"],
    )
