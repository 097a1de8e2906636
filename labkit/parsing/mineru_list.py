"""The entries of MinerU's content list, checked, in one form (lesson 11).

The older form is a list of blocks, each with `type`, `page_idx` (from 0) and fields that depend on the type; the newer one is a list of
such lists, one a page, with the fields in `content` and texts in spans. Paths to pictures are never opened.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from labkit.errors import DocumentError
from labkit.textfiles import quoted

MOST_PAGES = 100_000
_MOST_FAULTS = 20  # in one message
_NOISE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")  # U+0000 is never stored, and a lone surrogate is no text
_BETWEEN = re.compile(r"[ \t\r\n,]*")
_CAPTIONED = ("img", "image", "chart", "code", "algorithm", "table")
_TEXTS = frozenset(
    ("text", "table_body", "code_body", "list_items", *(f"{kind}_{part}" for kind in _CAPTIONED for part in ("caption", "footnote")))
)


@dataclass(frozen=True)
class Item:
    """One entry of the list, whichever form it had: its type, its page (1-based), and its fields by the older form's names."""

    type: str
    page: int
    fields: dict

    def text(self, name: str = "text") -> str:
        """A field that is one text, '' where it is not there; a list of texts as lines."""
        return "\n".join(self.texts(name))

    def texts(self, name: str) -> list[str]:
        """A field that is a list of texts, or one text; [] where it is not there. Control characters and lone surrogates are spaces."""
        value = self.fields.get(name)
        return [_NOISE.sub(" ", text) for text in ([value] if isinstance(value, str) else value or [])]

    def around(self, part: str) -> list[str]:
        """Its texts of that part ('caption' or 'footnote'), whatever they belong to."""
        return [text for kind in _CAPTIONED for text in self.texts(f"{kind}_{part}")]


def items_of(source: str, name: str) -> list[Item]:
    """The entries of a content list, in order. Raises DocumentError that names all faults, each with its line in the file `name`."""
    try:
        data = json.loads(source)
    except ValueError as error:
        line = getattr(error, "lineno", 1)
        raise DocumentError(f"{name}:{line}: is not JSON ({getattr(error, 'msg', error)}) — take MinerU's NAME_content_list.json") from None
    except RecursionError:
        raise DocumentError(f"{name}: is nested too deep for a content list — take MinerU's NAME_content_list.json") from None
    if not isinstance(data, list):
        raise DocumentError(f"{name}:1: is no list of blocks — take MinerU's NAME_content_list.json, not its middle.json or model.json")
    faults: list[tuple[int, str]] = []  # number of the entry in the file, from 0; what is wrong
    items: list[Item] = []
    paged = bool(data) and all(isinstance(entry, list) for entry in data)
    for number, entry in enumerate(data):
        for block in entry if paged else [entry]:
            item = _older(block, number) if paged else _item(block)
            if isinstance(item, str):
                faults.append((number, item))
            else:
                items.append(item)
    if faults:
        lines = _lines(source)
        said = [f"{name}:{lines[number]}: block {number + 1} {what}" for number, what in faults[:_MOST_FAULTS]]
        more = [f"… and {len(faults) - _MOST_FAULTS} more"] if len(faults) > _MOST_FAULTS else []
        todo = "take the list as MinerU wrote it (NAME_content_list.json)"
        raise DocumentError("\n".join([*said, *more]) + f" — {todo}")
    return items


def _item(entry: object) -> Item | str:
    """An entry of the older form, or what is wrong with it."""
    if not isinstance(entry, dict):
        return f"is no block: {quoted(entry)}"
    kind, page = entry.get("type"), entry.get("page_idx")
    if not isinstance(kind, str):
        return f"has no type: {quoted(entry)}"
    if isinstance(page, bool) or not isinstance(page, int) or not 0 <= page < MOST_PAGES:
        return f"has no page: page_idx is {quoted(page)}, not a whole number from 0"
    level = entry.get("text_level", 0)
    if level is not None and (isinstance(level, bool) or not isinstance(level, int) or not 0 <= level < 100):
        return f"has no level: text_level is {quoted(level)}, not a whole number from 0"
    wrong = next((key for key, value in entry.items() if key in _TEXTS and not _is_text(value)), None)
    if wrong is not None:
        return f"has a {wrong} that is no text: {quoted(entry[wrong])}"
    return Item(kind, page + 1, entry)


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str) or (isinstance(value, list) and all(isinstance(each, str) for each in value))


def _older(entry: object, page: int) -> Item | str:
    """An entry of the newer form, by the older form's names, or what is wrong with it."""
    if not isinstance(entry, dict) or not isinstance(entry.get("type"), str) or not isinstance(entry.get("content") or {}, dict):
        return f"is no block: {quoted(entry)}"
    kind, content = entry["type"].removeprefix("page_") if entry["type"] != "page_number" else "page_number", entry.get("content") or {}
    kind = {"footnote": "page_footnote", "paragraph": "text", "title": "text", "equation_interline": "equation"}.get(kind, kind)
    fields: dict = {"type": kind, "page_idx": page} | ({"text_level": 1} if entry["type"] == "title" else {})
    try:
        fields |= dict(_named(key, value) for key, value in content.items())
    except TypeError as error:
        return f"has a text that is none: {error}"
    return _item(fields)


def _named(key: str, value: object) -> tuple[str, object]:
    """A field of the newer form by the older form's name. Raises TypeError for what is no text where one belongs."""
    if key == "level":
        return "text_level", value
    if key == "html":
        return "table_body", value
    if key == "list_items":
        return key, [_spans(each.get("item_content") if isinstance(each, dict) else each) for each in _listed(value)]
    if key in ("code_content", "algorithm_content"):
        return "code_body", _spans(value)
    if key == "math_content":
        return "text", value
    if key.endswith(("_caption", "_footnote")):
        return key, [_spans(value)]
    return ("text", _spans(value)) if key.endswith("_content") else (key, None)


def _spans(value: object) -> str:
    """The text of the newer form's spans, which may hold spans again; formulae between dollars."""
    if isinstance(value, str):
        return value
    said = []
    for span in _listed(value):
        content = span.get("content") if isinstance(span, dict) else span
        if isinstance(content, list):
            said.append(_spans(content))
        elif isinstance(span, dict) and span.get("type") == "equation_inline":
            said.append(f"${_text(content)}$")
        else:
            said.append(_text(content).replace("$", "\\$"))
    return " ".join(said)


def _text(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    raise TypeError(quoted(value))


def _listed(value: object) -> list:
    if value is None or isinstance(value, list):
        return value or []
    raise TypeError(quoted(value))


def _lines(source: str) -> list[int]:
    """The 1-based line on which each entry of a JSON list begins."""
    decoder, lines, at, line, counted = json.JSONDecoder(), [], source.index("[") + 1, 1, 0
    while True:
        at = _BETWEEN.match(source, at).end()
        if source[at] == "]":
            return lines
        line += source.count("\n", counted, at)
        counted = at
        lines.append(line)
        _, at = decoder.raw_decode(source, at)
