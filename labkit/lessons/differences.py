"""What differs between two editions of a notebook, cell by cell, and between two text files, line by line.

Cells are matched by their id, so a cell that was moved or surrounded by new ones is still the same cell. A cell counts as changed where
its source or its type differs. Recorded results are compared apart from that, since they follow from the sources. CRLF or LF makes no
difference anywhere.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff

from labkit.errors import LabError
from labkit.lessons.answers import ANSWER_MIME
from labkit.lessons.texts import sentence

_CONFLICT = re.compile(rb"^(<{7}|={7}|>{7})(?: |\r?$)", re.MULTILINE)

_MOST = 4_000_000  # pairs of lines that are compared one by one


class NotANotebook(LabError):
    """Bytes that are no notebook; the message is one clause that says what they are instead."""


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
    """The cells of a notebook's bytes, in order. Raises NotANotebook: empty, not UTF-8, not JSON, a merge conflict, no list of cells."""
    if not data.strip():
        raise NotANotebook(sentence("tools", "notebook.empty"))
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        key = "conflict" if len(set(_CONFLICT.findall(data))) > 1 else "not_json"
        raise NotANotebook(sentence("tools", f"notebook.{key}")) from None
    cells = found.get("cells") if isinstance(found, dict) else None
    if not isinstance(cells, list) or not all(isinstance(each, dict) for each in cells):
        raise NotANotebook(sentence("tools", "notebook.no_cells"))
    used: set[str] = set()
    made = []
    for number, each in enumerate(cells, start=1):
        name = each.get("id")
        name = name if isinstance(name, str) and name else ""
        key = _free(name or f"cell {number}", used)
        outputs = each.get("outputs") if isinstance(each.get("outputs"), list) else []
        metadata = each.get("metadata") if isinstance(each.get("metadata"), dict) else {}
        tags = metadata.get("tags") if isinstance(metadata.get("tags"), list) else []
        made.append(
            Cell(
                key, name, str(each.get("cell_type", "")), _text(each.get("source")), _answer(outputs), _results(outputs),
                tuple(tag for tag in tags if isinstance(tag, str)),
            )
        )  # fmt: skip
    return made


def _free(key: str, used: set[str]) -> str:
    """The key, or '<key> (2)', '<key> (3)', … where it is taken."""
    free, number = key, 1
    while free in used:
        number += 1
        free = f"{key} ({number})"
    used.add(free)
    return free


def _text(value: object) -> str:
    """A source or a text as one string: LF, no line ends at its end."""
    joined = "".join(map(str, value)) if isinstance(value, list) else value if isinstance(value, str) else ""
    return joined.replace("\r\n", "\n").rstrip("\n")


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
    """(key in old, key in new) of the cells that are the same cell, in the order of old: by id, and without an id by source."""
    by_id = {each.key for each in new if each.id}
    by_source: dict[tuple[str, str], list[str]] = {}
    for each in new:
        if not each.id:
            by_source.setdefault((each.kind, each.source), []).append(each.key)
    pairs = []
    for each in old:
        if each.id:
            if each.key in by_id:
                pairs.append((each.key, each.key))
        elif by_source.get((each.kind, each.source)):
            pairs.append((each.key, by_source[each.kind, each.source].pop(0)))
    return pairs


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
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    before, after = before[start:], after[start:]
    if len(before) * len(after) > _MOST:  # two long tables with little in common: count the lines, wherever they stand
        old_lines, new_lines = Counter(before), Counter(after)
        return (new_lines - old_lines).total(), (old_lines - new_lines).total()
    added = removed = 0
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            added, removed = added + d - c, removed + b - a
    return added, removed


def line_diff(old: str, new: str, context: int = 1) -> list[str]:
    """Two texts as a diff: '- ', '+ ' and '  ' before each line, '…' where lines are left out."""
    return list(_hunks(old.split("\n") if old else [], new.split("\n") if new else [], context))


def _hunks(old: Sequence[str], new: Sequence[str], context: int) -> Iterator[str]:
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
