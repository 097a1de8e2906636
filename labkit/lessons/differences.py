"""What differs between two editions of a notebook, cell by cell, and between two text files, line by line.

Cells are matched by their id, so a cell that was moved or surrounded by new ones is still the same cell. Where ids are missing (an older
tool saved the notebook), the same source makes the same cell, and then the same place between such cells. A cell counts as changed where
its source or its type differs. Recorded results are compared apart from that, since they follow from the sources. CRLF or LF makes no
difference anywhere.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff

from labkit.lessons.answers import ANSWER_MIME
from labkit.lessons.learner_notebook import parse

_MOST = 4_000_000  # pairs of lines that are compared one by one


@dataclass(frozen=True)
class Cell:
    """One cell. `key` is its id; the second of two equal ids is '<id> (2)'; a cell without an id is 'cell 7' (1-based).

    `answer` is the status of the check that its output recorded ('correct', 'not yet', 'not attempted'), None where there is none;
    `results` is its output as comparable text.
    """

    key: str
    id: str
    kind: str
    source: str
    answer: str | None
    results: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChangedCell:
    """A cell that stands in both editions with different sources."""

    key: str
    old: Cell
    new: Cell

    def lines(self, context: int = 1) -> list[str]:
        """The sources as a diff: '- ' what the first edition has, '+ ' what the second has, '  ' what both have, '…' for lines left out."""
        return line_diff(self.old.source, self.new.source, context)


@dataclass(frozen=True)
class NotebookDifference:
    """What leads from one edition (`old`) to another (`new`). Keys are in the order of the notebook that holds them.

    `changed`: in both, with other sources. `added`: only in `new`; `gone`: only in `old`; of these, `doubled` are further cells with an id
    that stands in `old` already. `moved`: in both, with the same neighbours no more. `results`: same sources, other recorded results.
    `answers`: key -> (recorded in old, recorded in new), where both cells exist and the statuses differ.
    """

    changed: tuple[ChangedCell, ...] = ()
    added: tuple[Cell, ...] = ()
    gone: tuple[Cell, ...] = ()
    doubled: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    answers: tuple[tuple[str, str | None, str | None], ...] = ()

    @property
    def same(self) -> bool:
        """Whether both editions have the same cells in the same order (recorded results apart)."""
        return not (self.changed or self.added or self.gone or self.moved)


def cells_of(data: bytes) -> list[Cell]:
    """The cells of a notebook's bytes, in order. Raises NotANotebook (see `learner_notebook.parse`)."""
    used: dict[str, int] = {}
    return [
        Cell(
            _free(each.id or f"cell {each.place}", used), each.id, each.kind, each.source.rstrip("\n"),
            _answer(each.outputs), _results(each.outputs), each.tags,
        )
        for each in parse(data)
    ]  # fmt: skip


def _free(key: str, used: dict[str, int]) -> str:
    """The key, or '<key> (2)', '<key> (3)', … where it is taken; `used`: key -> how often it was asked for."""
    free = key
    while free in used:
        used[key] += 1
        free = f"{key} ({used[key]})"
    used[free] = 1
    return free


def _answer(outputs: Sequence) -> str | None:
    for each in outputs:
        data = each.get("data") if isinstance(each, dict) else None
        answer = data.get(ANSWER_MIME) if isinstance(data, dict) else None
        if isinstance(answer, dict):
            return str(answer.get("status"))
    return None


def _results(outputs: Sequence) -> str:
    """Outputs as text that is equal for equal results: counts and metadata off, streams joined, lists of lines joined."""
    made, streams = [], {}
    for each in outputs:
        if not isinstance(each, dict):
            continue
        if each.get("output_type") == "stream":
            name = str(each.get("name"))
            if name not in streams:
                streams[name] = [name, ""]
                made.append(streams[name])
            streams[name][1] += _joined(each.get("text"))
        elif each.get("output_type") == "error":
            made.append([each.get("ename"), each.get("evalue")])
        else:
            data = each.get("data") if isinstance(each.get("data"), dict) else {}
            made.append({kind: _joined(value) for kind, value in data.items()})
    return json.dumps(made, sort_keys=True, default=str)


def _joined(value: object) -> object:
    return "".join(value).replace("\r\n", "\n") if isinstance(value, list) and all(isinstance(each, str) for each in value) else value


def compare_notebooks(old: bytes, new: bytes) -> NotebookDifference:
    """What leads from one notebook's bytes to the other's. Raises NotANotebook for either."""
    return compare_cells(cells_of(old), cells_of(new))


def compare_cells(old: Sequence[Cell], new: Sequence[Cell]) -> NotebookDifference:
    """What leads from one list of cells to the other."""
    pairs = _pairs(old, new)
    before = {each.key: each for each in old}
    after = {each.key: each for each in new}
    partners = dict(pairs)
    taken = set(partners.values())
    changed = tuple(
        ChangedCell(two, before[one], after[two])
        for one, two in pairs
        if (before[one].source, before[one].kind) != (after[two].source, after[two].kind)
    )
    unlike = {each.key for each in changed}
    return NotebookDifference(
        changed=changed,
        added=tuple(each for each in new if each.key not in taken),
        gone=tuple(each for each in old if each.key not in partners),
        doubled=tuple(each.key for each in old if each.id and each.key != each.id and each.key not in partners),
        moved=_moved(pairs, [each.key for each in new if each.key in taken]),
        results=tuple(two for one, two in pairs if two not in unlike and before[one].results != after[two].results),
        answers=tuple((two, before[one].answer, after[two].answer) for one, two in pairs if before[one].answer != after[two].answer),
    )


def _pairs(old: Sequence[Cell], new: Sequence[Cell]) -> list[tuple[str, str]]:
    """(key in old, key in new) of the cells that are the same cell, in the order of old."""
    pairs = _by_id(old, new)
    nameless = not pairs and _much_in_common(old, new)  # another tool gave all the ids anew
    free = {each.key: each for each in new if each.key not in pairs.values()}
    by_source: dict[tuple[str, str], list[str]] = {}
    for each in free.values():
        by_source.setdefault((each.kind, each.source), []).append(each.key)
    for each in old:
        same = by_source.get((each.kind, each.source)) if each.key not in pairs else None
        if same and (nameless or not each.id or not free[same[0]].id):
            pairs[each.key] = same.pop(0)
    pairs |= _between(old, new, pairs, nameless)
    return [(each.key, pairs[each.key]) for each in old if each.key in pairs]


def _by_id(old: Sequence[Cell], new: Sequence[Cell]) -> dict[str, str]:
    by_id = {each.key for each in new if each.id}
    return {each.key: each.key for each in old if each.id and each.key in by_id}


def _much_in_common(old: Sequence[Cell], new: Sequence[Cell]) -> bool:
    common = Counter(each.source for each in old if each.source) & Counter(each.source for each in new if each.source)
    return 2 * common.total() >= max(len(old), len(new), 2)


def _between(old: Sequence[Cell], new: Sequence[Cell], pairs: Mapping[str, str], nameless: bool) -> dict[str, str]:
    """Cells without an id that stand between the same two neighbours in both, as many of them and of the same kinds: changed ones."""
    theirs = {two: one for one, two in pairs.items()}
    gaps: dict[str, list[Cell]] = {}
    before = ""
    for each in new:
        if each.key in theirs:
            before = theirs[each.key]
        else:
            gaps.setdefault(before, []).append(each)
    found: dict[str, str] = {}
    before, gap = "", []
    for each in [*old, None]:
        if each is not None and each.key not in pairs:
            gap.append(each)
            continue
        other = gaps.get(before, [])
        unnamed = nameless or not any(one.id for one in gap) or not any(one.id for one in other)
        if unnamed and [one.kind for one in gap] == [one.kind for one in other]:
            found |= {one.key: two.key for one, two in zip(gap, other, strict=True)}
        before, gap = each.key if each is not None else "", []
    return found


def _moved(pairs: Sequence[tuple[str, str]], order: Sequence[str]) -> tuple[str, ...]:
    """Keys of the cells that stand in another order than before, in the new order; those that keep it are found as a diff finds lines."""
    come = [two for _, two in pairs]
    stay = {
        key
        for block in SequenceMatcher(None, come, list(order), autojunk=False).get_matching_blocks()
        for key in order[block.b : block.b + block.size]
    }
    return tuple(key for key in order if key not in stay)


# text


def lines_of(data: bytes) -> list[str] | None:
    """The lines of a text file, whatever its line ends; None where it is no UTF-8 text."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    if "\0" in text:
        return None
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if not lines[-1] else lines


def line_counts(old: bytes, new: bytes) -> tuple[int, int] | None:
    """(lines added, lines removed) on the way from one text file to the other; None where either is no text."""
    before, after = lines_of(old), lines_of(new)
    if before is None or after is None:
        return None
    start, end = _ends(before, after)
    before, after = before[start : len(before) - end], after[start : len(after) - end]
    if len(before) * len(after) > _MOST:  # two long tables with little in common: count the lines, wherever they stand
        old_lines, new_lines = Counter(before), Counter(after)
        return (new_lines - old_lines).total(), (old_lines - new_lines).total()
    added = removed = 0
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            added, removed = added + d - c, removed + b - a
    return added, removed


def _ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many lines the two have in common at their beginning, and behind that at their end."""
    most = min(len(old), len(new))
    start = next((place for place in range(most) if old[place] != new[place]), most)
    end = next((place for place in range(most - start) if old[-1 - place] != new[-1 - place]), most - start)
    return start, end


def line_diff(old: str, new: str, context: int = 1) -> list[str]:
    """Two texts as a diff: '- ', '+ ' and '  ' before each line, '…' where lines are left out."""
    return list(_hunks(old.split("\n") if old else [], new.split("\n") if new else [], context))


def _hunks(old: Sequence[str], new: Sequence[str], context: int) -> Iterator[str]:
    start, end = _ends(old, new)
    if (len(old) - start - end) * (len(new) - start - end) > _MOST:  # too long to look for lines in common
        before, after = old[max(0, start - context) : start], old[len(old) - end : len(old) - end + context]
        yield from ["…"] if start > context else []
        yield from (f"  {line}".rstrip() for line in before)
        yield from (f"- {line}".rstrip() for line in old[start : len(old) - end])
        yield from (f"+ {line}".rstrip() for line in new[start : len(new) - end])
        yield from (f"  {line}".rstrip() for line in after)
        return
    for number, line in enumerate(unified_diff(list(old), list(new), lineterm="", n=context)):
        if number < 2:
            continue  # the two lines with file names
        if line.startswith("@@"):
            if number > 2:
                yield "…"
        else:
            yield f"{line[0]} {line[1:]}".rstrip()


def with_lf(data: bytes) -> bytes:
    """A text file's bytes with LF for CRLF, as the course has them; other bytes as they are."""
    return data if b"\r\n" not in data or lines_of(data) is None else data.replace(b"\r\n", b"\n")
