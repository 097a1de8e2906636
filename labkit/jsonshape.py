"""Does a JSON value fit a JSON Schema? The short answer, yes or no, for the words of a schema that the course uses (lesson 01).

A full validator says what is wrong, and takes a second to be imported; most files have nothing wrong. So: where `fits` says yes, the value
is valid; where it says no, ask the full validator. The rules stand in the schema alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_TYPES = {"string": str, "boolean": bool, "array": list, "object": dict, "integer": int}
_NO_RULE = {"$schema", "$defs", "title", "description", "format", "then", "else"}  # notes, and what is read with another word


class _NotKnown(Exception):
    """The schema says something that is not read here, so nobody can say yes."""


def fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether the value is valid by the schema (JSON Schema, Draft 2020-12). False, too, where the schema has a word not known here.

    As in the standard, `format` is a note and no rule. Of numbers only whole ones play a part in a question (the places of a span), so
    other words about them are not known; nor is 30.0 taken for a whole number here.
    """
    try:
        return _fits(value, schema, schema)
    except _NotKnown:
        return False


def _fits(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> bool:
    return all(word in _NO_RULE or _rule(word)(value, said, schema, root) for word, said in schema.items())


def _rule(word: str):
    if word not in _RULES:
        raise _NotKnown(word)
    return _RULES[word]


def _type(value, name, *_) -> bool:
    if not isinstance(name, str) or name not in _TYPES:
        raise _NotKnown(name)
    if name == "integer" and isinstance(value, bool | float):
        raise _NotKnown("a number that may be whole")  # rare enough to ask the full validator
    return isinstance(value, _TYPES[name])


def _one_of(value, known, *_) -> bool:
    if not all(isinstance(one, str | bool) for one in known):
        raise _NotKnown("enum of something else than texts")
    return any(type(value) is type(one) and value == one for one in known)


def _no_more(value, allowed, schema, _) -> bool:
    if allowed is not False or "patternProperties" in schema:
        raise _NotKnown("additionalProperties with a rule of its own")
    return not isinstance(value, dict) or all(name in schema.get("properties", {}) for name in value)


def _named(value, properties, _, root) -> bool:
    return not isinstance(value, dict) or all(_fits(value[name], part, root) for name, part in properties.items() if name in value)


def _different(value, wanted, *_) -> bool:
    return not wanted or not isinstance(value, list) or len({json.dumps(item, sort_keys=True) for item in value}) == len(value)


def _referred(value, pointer, _, root) -> bool:
    if not pointer.startswith("#/$defs/"):
        raise _NotKnown(pointer)
    return _fits(value, root["$defs"][pointer.removeprefix("#/$defs/")], root)


def _branch(value, condition, schema, root) -> bool:
    return _fits(value, schema.get("then" if _fits(value, condition, root) else "else", {}), root)


# Each word: (value, what the schema writes behind the word, the schema, the root) -> does the value fit?
_RULES = {
    "type": _type,
    "const": lambda value, wanted, *more: _one_of(value, [wanted], *more),
    "enum": _one_of,
    "pattern": lambda value, pattern, *_: not isinstance(value, str) or re.search(pattern, value) is not None,
    "required": lambda value, names, *_: not isinstance(value, dict) or all(name in value for name in names),
    "properties": _named,
    "additionalProperties": _no_more,
    "items": lambda value, part, _, root: not isinstance(value, list) or all(_fits(item, part, root) for item in value),
    "uniqueItems": _different,
    "minItems": lambda value, least, *_: not isinstance(value, list) or len(value) >= least,
    "maxItems": lambda value, most, *_: not isinstance(value, list) or len(value) <= most,
    "$ref": _referred,
    "if": _branch,
}
