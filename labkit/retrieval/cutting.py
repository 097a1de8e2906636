"""Which chunker an index was made with, by a name that a file can keep and a person can read (lesson 08)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from labkit.chunking.chunk import Chunk, Cut, make_chunks
from labkit.chunking.structure import by_structure
from labkit.chunking.windows import fixed, overlapping
from labkit.errors import BadArgument
from labkit.parsing.blocks import ParsedDocument
from labkit.passages import Passage

_NAME = re.compile(r"([^\W\d]\w*)(?:\((.*)\))?")


def sections(parsed: ParsedDocument) -> list[Chunk]:
    """One chunk a level-2 section, the document's title as context: the baseline of lesson 05, for documents of every format (lesson 08).

    A section ends after its last character that is not blank. Text before the first section is in no chunk.
    """
    cuts = (
        Cut(section.start, section.start + len(parsed.text[section.start : section.end].rstrip()), parsed.title)
        for section in parsed.sections
    )
    return make_chunks(parsed, cuts, "sections()")


CHUNKERS: dict[str, tuple[Callable[..., list[Chunk]], dict[str, int]]] = {
    "by_structure": (by_structure, {"max_words": 200}),
    "fixed": (fixed, {"size": 100}),
    "overlapping": (overlapping, {"size": 100, "overlap": 25}),
    "sections": (sections, {}),
}
"""labkit's own chunkers: name -> the function, and its parameters with what they are unless told."""


@dataclass(frozen=True)
class Chunker:
    """A function that cuts a parsed document, with the name it goes by in an index: `str(chunker)` is 'fixed(size=100)'.

    `own` is true for labkit's: what they yield follows from the name, so that a document which did not change need not be cut again. A
    function of somebody else's may have changed under its name. `function` None: the name stands in a file, and nobody has brought the
    function yet; such an index can be searched, and not updated.
    """

    name: str
    function: Callable[[ParsedDocument], Sequence[Passage]] | None = field(default=None, repr=False, compare=False)
    own: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return self.name

    def __call__(self, parsed: ParsedDocument) -> list[Passage]:
        """The chunks of a document. Raises BadArgument where they are not passages of this document, with its own labels and ids of
        their own: an index must not take a chunk in under somebody else's access label."""
        if self.function is None:
            raise BadArgument(
                f"this index was cut by {self.name}, which is none of labkit's chunkers ({', '.join(CHUNKERS)}) — "
                f"open it with that function: CollectionIndex(path, chunker={self.name.partition('(')[0]})"
            )
        chunks = self.function(parsed)
        if self.own:
            return list(chunks)
        if not isinstance(chunks, list | tuple) or not all(isinstance(chunk, Passage) for chunk in chunks):
            raise BadArgument(f"{self.name} must return a list of chunks, and for {parsed.doc_id} it did not — Chunk.cut(…) makes one")
        labels = ("doc_id", "version", "access", "language")
        for chunk in chunks:
            wrong = [label for label in labels if getattr(chunk, label) != getattr(parsed, label)]
            if wrong or parsed.text[chunk.start : chunk.end] != chunk.text:
                raise BadArgument(
                    f"{self.name}: chunk {chunk.id!r} of {parsed.doc_id} has another {' and '.join(wrong) or 'text'} than the document — "
                    f"take it over from the parsed document"
                )
        if len({chunk.id for chunk in chunks}) < len(chunks):
            raise BadArgument(f"{self.name}: two chunks of {parsed.doc_id} have one id — give each an id of its own")
        return list(chunks)


def chunker_of(given: object = None, **parameters: int) -> Chunker:
    """The Chunker that is meant by: None (by_structure), a Chunker, a name ('fixed', 'fixed(size=50)'), one of labkit's functions or a
    `functools.partial` of one, or a function of your own, which goes by its own name. `parameters` for a name or one of labkit's functions.

    Raises BadArgument for a chunker that there is not, or a parameter that it does not take.
    """
    if isinstance(given, Chunker):
        if parameters:
            raise BadArgument(f"{given} has its parameters already")
        return given
    if isinstance(given, partial) and not given.args:
        given, parameters = given.func, given.keywords | parameters
    if given is None or isinstance(given, str):
        name, written = _read("by_structure" if given is None else given)
        if name not in CHUNKERS:
            raise BadArgument(f"there is no chunker {given!r} — there are {', '.join(CHUNKERS)}, or give a function of your own")
        return _named(name, written | parameters)
    if not callable(given):
        raise BadArgument(f"a chunker is a name ({', '.join(CHUNKERS)}) or a function from a parsed document to chunks, not {given!r}")
    for name, (function, _) in CHUNKERS.items():
        if given is function:
            return _named(name, parameters)
    called = getattr(given, "__name__", type(given).__name__)
    shown = f"({', '.join(f'{key}={value!r}' for key, value in parameters.items())})" if parameters else ""
    return Chunker(f"{called}{shown}", partial(given, **parameters) if parameters else given)


def chunker_named(name: str) -> Chunker:
    """The Chunker that a file names; without its function where it is none of labkit's."""
    try:
        found = chunker_of(name)
    except BadArgument:
        return Chunker(name)
    return found if str(found) == name else Chunker(name)


def _named(name: str, given: dict[str, int]) -> Chunker:
    function, defaults = CHUNKERS[name]
    unknown = [key for key in given if key not in defaults]
    if unknown:
        takes = ", ".join(defaults) or "no parameter"
        raise BadArgument(f"{name} has no parameter {', '.join(unknown)} — it takes {takes}")
    parameters = defaults | given
    function(_EMPTY, **parameters)  # it judges its own parameters
    shown = ", ".join(f"{key}={value}" for key, value in parameters.items())
    return Chunker(f"{name}({shown})", partial(function, **parameters), own=True)


def _read(text: str) -> tuple[str, dict[str, int]]:
    """'fixed(size=50)' -> ('fixed', {'size': 50})."""
    found = _NAME.fullmatch(text.strip())
    parameters: dict[str, int] = {}
    for part in (found[2] or "").split(",") if found else ():
        key, _, value = part.partition("=")
        if not part.strip() and not parameters:
            continue
        if not value.strip().isdecimal():
            raise BadArgument(f"{text!r} is no chunker — write it as in 'fixed(size=100)'")
        parameters[key.strip()] = int(value)
    if not found:
        raise BadArgument(f"{text!r} is no chunker — write it as in 'fixed(size=100)'")
    return found[1], parameters


_EMPTY = ParsedDocument("", "", "", "staff", "unknown", "md", "", [])
