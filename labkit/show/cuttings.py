"""One document, cut in one of the three ways: what the explorer and its still picture show (lesson 07)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from labkit.chunking import Chunk, Readings, begins_inside, by_structure, fixed, overlapping, readings
from labkit.errors import BadArgument
from labkit.parsing.blocks import ParsedDocument
from labkit.show.tables import Table, table
from labkit.show.wording import say

SIZES: dict[str, tuple[int, ...]] = {"fixed": (50, 100, 200), "overlapping": (50, 100, 200), "by_structure": (100, 200, 400)}
USUAL: dict[str, int] = {"fixed": 100, "overlapping": 100, "by_structure": 200}
ALL = tuple((method, size) for method, sizes in SIZES.items() for size in sizes)
THREE = tuple(USUAL.items())

_CHUNKERS: dict[str, Callable[[ParsedDocument, int], list[Chunk]]] = {
    "fixed": fixed,
    "overlapping": lambda parsed, size: overlapping(parsed, size, size // 4),
    "by_structure": by_structure,
}


@dataclass(frozen=True)
class Cutting:
    """A document and its chunks.

    `method` is 'fixed', 'overlapping' or 'by_structure'; `size` its words. `inside` says for each chunk what it begins inside ('sentence',
    'list item', 'table row' …), '' where it begins where a reader would.
    """

    parsed: ParsedDocument = field(repr=False)
    method: str
    size: int
    chunks: tuple[Chunk, ...] = field(repr=False)
    readings: Readings
    inside: tuple[str, ...] = field(repr=False)

    @property
    def short(self) -> str:
        """'fixed 100'."""
        return f"{say(f'cuttings.{self.method}')} {self.size}"

    @property
    def name(self) -> str:
        """'overlapping windows of 100 words, 25 of them repeated'."""
        return say(f"cuttings.{self.method}_name", size=self.size, overlap=self.size // 4)

    @property
    def tables(self) -> str:
        """The document's tables in words: 'whole', 'cut in 4', '2 whole, 1 cut in 3'."""
        pieces = self.readings.tables
        if not pieces:
            return say("cuttings.no_table")
        said = {n: say(f"cuttings.{'whole' if n == 1 else 'cut' if n else 'gone'}", n=n) for n in sorted(set(pieces))}
        if len(pieces) == 1:
            return said[pieces[0]]
        return ", ".join(f"{count} {said[n]}" for n, count in sorted(Counter(pieces).items()))


def cut(parsed: ParsedDocument, method: str, size: int) -> Cutting:
    """The document cut by one method at one size, the overlap a quarter of the size, rounded down. Lesson 07.

    Raises BadArgument for another method, for a size that is no whole number from 1 up, and for what is no parsed document.
    """
    chunker = _CHUNKERS.get(method) if isinstance(method, str) else None
    if chunker is None:
        raise BadArgument(f"method {method!r}: there are {', '.join(map(repr, _CHUNKERS))}")
    chunks = chunker(parsed, size)
    inside = tuple(begins_inside(parsed, chunk.start) for chunk in chunks)
    return Cutting(parsed, method, int(size), tuple(chunks), readings(parsed, chunks), inside)


def cut_all(parsed: ParsedDocument, settings: Iterable[tuple[str, int]]) -> list[Cutting]:
    """A cutting for each (method, size), in that order. Raises BadArgument where there is none, or one is no such pair."""
    pairs = list(settings)
    wrong = next((pair for pair in pairs if not (isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2)), None)
    if wrong is not None or not pairs:
        raise BadArgument(f"compare a list of (method, size), as [('fixed', 100), ('by_structure', 200)], not {wrong or pairs!r}")
    return [cut(parsed, method, size) for method, size in pairs]


def table_of_readings(cuttings: Iterable[Cutting], sizes: bool = False, caption: str = "") -> Table:
    """What each cutting did to its document, a row each. With `sizes`, the words of each chunk as well (of the first few)."""
    heads = ["method", "size", "chunks", "stored", "none", "tables", "inside", *(["sizes"] if sizes else [])]
    rows = []
    for each in cuttings:
        numbers = each.readings
        row = [say(f"cuttings.{each.method}"), each.size, numbers.chunks, numbers.words_stored, numbers.words_in_no_chunk]
        row += [each.tables, numbers.begin_inside]
        rows.append((*row, *([_runs([chunk.words for chunk in each.chunks])] if sizes else [])))
    return table(rows, columns=[say(f"cuttings.head_{head}") for head in heads], caption=caption)


def _runs(numbers: Sequence[int], longest: int = 12) -> str:
    """'100 ×5, 56': equal ones side by side as one, at most `longest` of them."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][0] == number:
            runs[-1][1] += 1
        else:
            runs.append([number, 1])
    said = [f"{number} ×{times}" if times > 1 else str(number) for number, times in runs[:longest]]
    return ", ".join(said + ["…"] * (len(runs) > longest))
