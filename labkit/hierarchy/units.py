"""Units: the smallest pieces of a parent, which children are put together from and never cut (lesson 11).

A block is a unit. A heading waits for what stands under it and goes with it; where nothing follows, it goes with what stands before it. A
table is a unit that nothing is ever added to but its heading; one that goes on over a page is one table. What is no block (a comment, a
rule) goes with what stands before it. A unit that is too long, and no table, is cut between sentences. A tiny one says too little to have a
meaning of its own: tiny ones join each other, what is left joins the text before it, and what ends in a colon what it announces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from labkit.chunking.sentences import sentence_starts
from labkit.hierarchy.parents import Parent
from labkit.hierarchy.pieces import cut_to_fit
from labkit.parsing.blocks import Block

_LINE = re.compile(r"[^\r\n]+")
_ENDS_WITHOUT_SPACE = re.compile(r"[。！？｡][」』”’）］〕】》]*(?=\S)")  # of a sentence in Chinese or Japanese


class Sizes(NamedTuple):
    """Characters (code points) of a child: wished at least, at most, and below which a unit is tiny."""

    minimum: int
    maximum: int
    tiny: int


class Unit(NamedTuple):
    """What is never cut again: a span of the document (code points, half-open), the blocks that it holds text of, whether it is a table."""

    start: int
    end: int
    blocks: tuple[Block, ...]
    table: bool


def units_of(parent: Parent, sizes: Sizes) -> list[Unit]:
    """A parent as units that fit: blocks with the headings above them, too long ones cut, tiny ones joined."""
    fitting = [piece for unit in _with_headings(parent) for piece in _cut(parent, unit, sizes.maximum)]
    return _without_tiny(parent, fitting, sizes)


def _with_headings(parent: Parent) -> list[Unit]:
    """Blocks as units: headings with what follows them, the parts of one table together, loose text with what it follows."""
    groups: list[list[Block]] = []
    for block in parent.blocks:
        last = groups[-1][-1] if groups else None
        if last is not None and (last.kind == "heading" or (block.continues and block.kind == last.kind == "table")):
            groups[-1].append(block)
        else:
            groups.append([block])
    if len(groups) > 1 and groups[-1][-1].kind == "heading" and groups[-2][-1].kind != "table":
        groups[-2:] = [groups[-2] + groups[-1]]  # nothing follows: it goes with what stands before it
    starts = [parent.start, *(group[0].start for group in groups[1:]), parent.end]
    units: list[Unit] = []
    for number, group in enumerate(groups):
        last, is_table = group[-1].end, group[-1].kind == "table"
        loose = text_of(parent, last, starts[number + 1])
        end = last + len(loose.rstrip())
        if end > last and is_table and number + 1 < len(groups) and groups[number + 1][-1].kind != "table":
            starts[number + 1] = last + len(loose) - len(loose.lstrip())
            end = last
        units.append(Unit(starts[number], end, tuple(group), is_table))
    return units


def _cut(parent: Parent, unit: Unit, maximum: int) -> Iterator[Unit]:
    """The unit, in pieces where it is too long and no table."""
    if unit.table or unit.end - unit.start <= maximum:
        yield unit
        return
    places = [place - unit.start for place in _places(parent, unit)]
    headings = [(above.start - unit.start, below.start - unit.start) for above, below in pairwise(unit.blocks) if above.kind == "heading"]
    for start, end in cut_to_fit(text_of(parent, unit.start, unit.end), places, maximum, headings):
        yield unit_of(unit.start + start, unit.start + end, unit.blocks)


def _places(parent: Parent, unit: Unit) -> Iterator[int]:
    """Where a unit may be cut: where a sentence begins, a line of code, or a block that does not stand under a heading."""
    above: Block | None = None
    for block in unit.blocks:
        if above is not None and above.kind != "heading":
            yield block.start
        if block.kind == "code":
            yield from (block.start + match.start() for match in _LINE.finditer(block.text))
        elif block.kind != "heading":
            yield from (block.start + place for place in sentence_starts(block.text)[1:])
            yield from (block.start + match.end() for match in _ENDS_WITHOUT_SPACE.finditer(block.text))
        above = block


def _without_tiny(parent: Parent, units: Sequence[Unit], sizes: Sizes) -> list[Unit]:
    """The units without tiny ones, as far as they fit. Tiny ones in a row join each other until they are none; one that is left over joins
    the unit before it, or the one after it where it announces that or none is before."""
    done: list[Unit] = []
    waiting: Unit | None = None  # joins the next one
    for each, after in zip(units, [*units[1:], None], strict=True):
        unit = each if waiting is None else _both(waiting, each)
        waiting = None
        if unit.table or unit.end - unit.start >= sizes.tiny:
            done.append(unit)
            continue
        ahead = after is not None and not after.table and after.end - unit.start <= sizes.maximum
        back = bool(done) and not done[-1].table and unit.end - done[-1].start <= sizes.maximum
        in_a_row = ahead and after.end - after.start < sizes.tiny
        announces = text_of(parent, unit.start, unit.end).endswith((":", "\uff1a"))
        if ahead and (in_a_row or announces or not back):
            waiting = unit
        elif back:
            done[-1] = _both(done[-1], unit)
        else:
            done.append(unit)
    return done


def _both(first: Unit, second: Unit) -> Unit:
    return unit_of(first.start, second.end, (*first.blocks, *second.blocks))


def unit_of(start: int, end: int, blocks: Iterable[Block]) -> Unit:
    """A unit of text: of `blocks`, those that it holds something of, each once."""
    held = {block.start: block for block in blocks if block.start < end and block.end > start}
    return Unit(start, end, tuple(held.values()), False)


def text_of(parent: Parent, start: int, end: int) -> str:
    """The characters `start` to `end` of the document, which stand in this parent."""
    return parent.text[start - parent.start : end - parent.start]
