"""Parents: what stands under one heading, long enough to be read, each with the way to it (lesson 11).

A search finds small pieces and a reader wants the whole: so a document is cut twice. Its headings make the parents, here; each parent is
cut again into children, which are what is searched.

Laws (tests hold them): parents stand in order and never overlap; each block but the title's is in exactly one parent, and each parent holds
a block; a parent begins with its own heading, and ends where the next one begins.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from labkit.chunking.chunk import Chunk, Cut, make_chunks, whole
from labkit.errors import BadArgument
from labkit.parsing.blocks import Block, ParsedDocument

BETWEEN = " › "  # what parts the headings of a path where it is shown, indexed, or embedded


@dataclass(frozen=True)
class Parent(Chunk):
    """A heading with what stands under it, up to the next heading.

    `parent_id` is 'parent_0164': the parents of one edition are numbered in its order, from 1. `id` is 'doc_id@vVERSION#parent_0164', which
    is unique in a collection. `heading_path` names the headings above, outermost first, and the parent's own as the last; [] for
    text before the first heading. `context` is the document's title and those of the path that `text` does not begin with, joined by ' › '.
    `title` is the document's. `blocks` are what it is made of, their positions those of the document. `position` counts the document's
    parents from 0.
    """

    parent_id: str = ""
    title: str = ""
    heading_path: list[str] = field(default_factory=list, hash=False)
    blocks: tuple[Block, ...] = field(default=(), repr=False, hash=False)

    def _left_before(self, end: int) -> dict:
        """The fields of a shortened parent: only the blocks that it still holds whole, and the piece of the last one."""
        left = [block for block in self.blocks if block.start < end]
        if left and left[-1].end > end:
            last = left.pop()
            left.append(replace(last, text=last.text[: end - last.start], end=end, rows=[]))
        return super()._left_before(end) | {"blocks": tuple(left)}


def parents(parsed: ParsedDocument, deepest: int = 6) -> list[Parent]:
    """The parents of a document, in its order. Lesson 11.

    Each heading down to level `deepest` (1–6) begins a parent; deeper ones stay inside. A heading with no text before a heading of a lower
    level under it has nothing to say alone, and begins that one's parent: '# Part 1', '## Article 1' and its text are one parent, with the
    path of the article. Text before the first heading is a parent of its own. The title is in none: it is the context of all.
    [] for a document that holds no more than its title.

    Raises BadArgument for what is no parsed document, or unless `deepest` is a whole number from 1 to 6.
    """
    if not isinstance(parsed, ParsedDocument):
        raise BadArgument(f"parents are those of a parsed document, and this is a {type(parsed).__name__} — parse(…) makes one (lesson 06)")
    depth = whole(deepest)
    if depth is None or not 1 <= depth <= 6:
        raise BadArgument(f"deepest={deepest!r}: the lowest level of heading that begins a parent, a whole number from 1 to 6")
    runs = _runs(parsed, depth)
    paths = [_own_path(run, depth) for run in runs]
    cuts = [
        Cut(run[0].start, end, context_of(parsed.title, path, run[0]))
        for run, path, end in zip(runs, paths, _ends(parsed, runs), strict=True)
    ]
    chunks = make_chunks(parsed, cuts, "parents")
    return [_parent(chunk, parsed.title, run, path) for chunk, run, path in zip(chunks, runs, paths, strict=True)]


def context_of(title: str, path: list[str], first: Block | None) -> str:
    """What goes in front of a text that begins with the block `first` (None: inside of one): the title and the path, but for the headings
    that it begins with."""
    held = first is not None and first.kind == "heading" and first.heading_path == path[: len(first.heading_path)]
    return BETWEEN.join(name for name in (title, *(path[: len(first.heading_path) - 1] if held else path)) if name)


def _parent(chunk: Chunk, title: str, run: list[Block], path: list[str]) -> Parent:
    parent_id = f"parent_{chunk.position + 1:04d}"
    fields = vars(chunk) | {"id": f"{chunk.doc_id}@v{chunk.version}#{parent_id}"}
    return Parent(**fields, parent_id=parent_id, title=title, heading_path=path, blocks=tuple(run))


def _runs(parsed: ParsedDocument, depth: int) -> list[list[Block]]:
    """The document's blocks, those of one parent together, the title's left out."""
    runs: list[list[Block]] = []
    pending = False  # the last run is headings alone, each above the next
    after_title = True
    for block in parsed.blocks:
        if block.kind == "title":
            after_title = True
            continue
        begins = block.kind == "heading" and (block.level or 1) <= depth
        waited = pending and not after_title and block.heading_path[:-1] == runs[-1][-1].heading_path
        if after_title or (begins and not waited):
            runs.append([])
            pending = True
        runs[-1].append(block)
        pending = pending and begins
        after_title = False
    return runs


def _own_path(run: list[Block], depth: int) -> list[str]:
    """The path of the last of the headings that a parent begins with; for text before the first heading, the one above it."""
    first = run[0]
    path = first.heading_path[:-1] if first.kind == "heading" else first.heading_path
    for block in run:
        if block.kind != "heading" or (block.level or 1) > depth:
            break
        path = block.heading_path
    return list(path)


def _ends(parsed: ParsedDocument, runs: list[list[Block]]) -> Iterator[int]:
    """Where each parent ends: what stands behind its last block and is no block (a comment, a rule) still belongs to it."""
    starts = [*(block.start for block in parsed.blocks), len(parsed.text)]
    for run in runs:
        last = run[-1].end
        following = starts[bisect_left(starts, last)]
        yield last + len(parsed.text[last:following].rstrip())
