"""Is a learner's value the right one, how is a value written in a message, and what is wrong with one that cannot be right."""

from __future__ import annotations

import decimal
import math
import numbers
import re
from collections.abc import Iterable
from itertools import islice

from labkit.lessons.texts import engine

RIGHT = 5.1e-5  # a value rounded to 4 decimals is right
RECOGNISE = 1e-3  # a typical mistake is recognised within this
_LOOKED_AT = 10_000  # items of one container; an answer with millions must not make anybody wait
_DEEP = 20  # containers in containers, which may hold themselves


def _kind(value: object) -> str:
    """'number', 'text', 'truth', 'nothing', 'list', 'tuple', 'dict', 'set', 'function' or 'other'."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, numbers.Number):
        return "number"
    for type_, name in ((str, "text"), (list, "list"), (tuple, "tuple"), (dict, "dict"), ((set, frozenset), "set")):
        if isinstance(value, type_):
            return name
    return "function" if callable(value) and not isinstance(value, type) else "other"


def kind_words(value: object) -> str:
    """What kind of thing a value is, in words: 'a number', 'a text', 'a DataFrame'."""
    kind = _kind(value)
    if kind != "other":
        return engine(f"type.{kind}")
    name = _NAMES.get(type(value).__name__, type(value).__name__)
    return engine("type.other_vowel" if name[:1].lower() in "aeiou" else "type.other", name=name)


_NAMES = {"ndarray": "array", "bytes": "bytes object", "NAType": "missing value", "NaTType": "missing value"}


def plain(value: object) -> object:
    """numpy's single numbers as Python's own, also those in an array without dimensions; everything else as it is."""
    if type(value).__module__ == "numpy" and hasattr(value, "item") and getattr(value, "ndim", None) == 0 and hasattr(value, "dtype"):
        return value.item()
    return value


def array_size(value: object) -> int | None:
    """How many values a pandas or numpy container holds; None for anything else."""
    module = type(value).__module__.split(".")[0]
    if module not in ("pandas", "numpy"):
        return None
    size = getattr(value, "size", None)
    return int(size) if isinstance(size, numbers.Integral) else None


def same(got: object, wanted: object, tolerance: float = RIGHT) -> bool:
    """Equal, numbers within `tolerance`, a list as good as a tuple; inside containers too. Never raises, never an array of truths."""
    got, wanted = plain(got), plain(wanted)
    if got is wanted:
        return True
    if isinstance(wanted, numbers.Number) and isinstance(got, numbers.Number):
        try:
            if isinstance(got, complex) or isinstance(wanted, complex):
                return bool(got == wanted)
            a, b = float(got), float(wanted)
        except (TypeError, ValueError, OverflowError):
            return False
        if isinstance(wanted, bool) != isinstance(got, bool) and not (a in (0, 1) and isinstance(wanted, int)):
            return False  # True is no score, but 1 is as good as True
        return a == b or (math.isfinite(a) and math.isfinite(b) and abs(a - b) <= tolerance)
    if isinstance(wanted, str) or isinstance(got, str):
        return isinstance(wanted, str) and isinstance(got, str) and str(got) == str(wanted)
    if isinstance(wanted, list | tuple) and isinstance(got, list | tuple):
        return len(got) == len(wanted) and all(same(a, b, tolerance) for a, b in zip(got, wanted, strict=True))
    if isinstance(wanted, dict) and isinstance(got, dict):
        return set(got) == set(wanted) and all(same(got[key], wanted[key], tolerance) for key in wanted)
    try:
        return type(got) is type(wanted) and bool(got == wanted)
    except Exception:
        return False


def has_nan(value: object, depth: int = 0) -> bool:
    """Is it nan, or a list, tuple or dictionary with nan somewhere in it? (Of very many items, the first are looked at.)"""
    value = plain(value)
    if isinstance(value, decimal.Decimal):
        return value.is_nan()
    if isinstance(value, float):
        return math.isnan(value)
    if type(value).__name__ in ("NAType", "NaTType"):  # pandas' own ways to say the same
        return True
    return depth < _DEEP and any(has_nan(each, depth + 1) for each in items_of(value))


def items_of(value: object) -> Iterable:
    """The items of a list or tuple and the values of a dictionary, at most 10,000 of them; of anything else, none."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return islice(items, _LOOKED_AT)


def write(value: object, form: str = ".4f", depth: int = 0) -> str:
    """A value as a message shows it: floats by `form`, sets in order, long things cut, no addresses. The same text each time."""
    value = plain(value)
    if isinstance(value, bool) or value is None:
        return repr(value)
    if isinstance(value, float):
        return format(value, form) if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return repr(value if len(value) <= 80 else value[:77] + "…")
    if isinstance(value, list | tuple | set | frozenset | dict):
        try:
            return _write_container(value, form, depth)
        except Exception:  # somebody's own kind of list may do anything
            return kind_words(value)
    if callable(value) and hasattr(value, "__name__"):
        return f"the function {value.__name__}"
    if array_size(value) is not None:
        return kind_words(value)
    try:
        said = re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))
    except Exception:
        return kind_words(value)
    said = " ".join(said.split())
    return said if len(said) <= 120 else said[:117] + "…"


_SHOWN = 7  # items of a container, and an eighth where that is the last


def _write_container(value, form: str, depth: int) -> str:
    if depth > 3:
        return "…"
    many = len(value)
    if isinstance(value, dict):
        items = [f"{write(key, form, depth + 1)}: {write(item, form, depth + 1)}" for key, item in islice(value.items(), _SHOWN + 1)]
        left, right = "{", "}"
    elif isinstance(value, set | frozenset):
        if not many:
            return "set()"
        # in the order of the text, so that it is the same text each time; too many to sort are only counted
        items = sorted(write(item, form, depth + 1) for item in value) if many <= _LOOKED_AT else []
        left, right = "{", "}"
    else:
        items = [write(item, form, depth + 1) for item in islice(value, _SHOWN + 1)]
        left, right = {list: "[]", tuple: "()"}.get(type(value), "[]")
    if many > _SHOWN + 1 or len(items) < many:
        items = items[:_SHOWN]
        items.append(f"… {many - len(items)} more")
    comma = "," if isinstance(value, tuple) and many == 1 else ""
    return left + ", ".join(items) + comma + right


def difference(got: object, wanted: object, call: str, form: str) -> tuple[str, str]:
    """(key, sentence) for a value that is not the wanted one: the most telling of the general faults."""
    got = plain(got)
    say = {"call": call, "value": write(got, form), "expected": write(wanted, form), "wanted": kind_words(wanted)}
    if got is None:
        return "nothing", engine("answer.nothing", **say)
    size = array_size(got)
    if size is not None and array_size(wanted) is None:
        kinds = {list: "container_list", tuple: "container_list", dict: "container_dict"}
        key = kinds.get(type(wanted)) or ("container_one" if size == 1 else "container_many")
        if key in ("container_list", "container_one") and type(got).__name__ == "DataFrame":
            key = "container_table"  # it has neither .tolist() nor .item()
        return "container", engine(f"answer.{key}", type=kind_words(got), count=size, **say)
    if has_nan(got) and not has_nan(wanted):
        return "nan", engine("answer.nan", **say)
    number = isinstance(wanted, numbers.Number) and not isinstance(wanted, bool)
    if isinstance(got, float) and math.isinf(got) and number:
        return "infinite", engine("answer.infinite", **say)
    if isinstance(got, str) and number:
        return "text-number", engine("answer.text_number", **say)
    if isinstance(wanted, str) and isinstance(got, numbers.Number) and not isinstance(got, bool):
        return "number-text", engine("answer.number_text", **say)
    if hasattr(type(got), "__await__"):
        return "coroutine", engine("answer.coroutine", **say)
    if hasattr(type(got), "__next__"):
        return "generator", engine("answer.generator", **say)
    if isinstance(wanted, list | tuple) and type(got).__name__ in _LIKE_LISTS:
        return "type", engine("answer.like_list", type=kind_words(got), **say)
    if _shape(got) != _shape(wanted):
        return "type", engine("answer.wrong_type", type=kind_words(got), **say)
    return _inside(got, wanted, say)


_LIKE_LISTS = ("dict_keys", "dict_values", "dict_items", "range", "deque")


def _shape(value: object) -> str:
    kind = _kind(value)
    return "sequence" if kind in ("list", "tuple") else kind if kind != "other" else type(value).__name__


def _inside(got: object, wanted: object, say: dict) -> tuple[str, str]:
    if isinstance(got, str) and "".join(got.split()).lower() == "".join(wanted.split()).lower():
        return "letters", engine("answer.letters", **say)
    if isinstance(got, dict):
        missing = [key for key in wanted if key not in got]
        extra = [key for key in got if key not in wanted]
        for key, names in (("keys_missing", missing), ("keys_extra", extra)):
            if names:
                return key.replace("_", "-"), engine(f"answer.{key}", keys=", ".join(map(write, names[:5])), **say)
    if isinstance(got, list | tuple):
        if len(got) != len(wanted):
            return "length", engine("answer.length", count=len(got), **(say | {"wanted": len(wanted)}))
        rest = list(wanted)
        for each in got:
            place = next((i for i, other in enumerate(rest) if same(each, other)), None)
            if place is None:
                break
            rest.pop(place)
        if not rest:
            return "order", engine("answer.order", **say)
    return "value", engine("answer.case", **say)


def rounded_to(pairs: list[tuple[object, object]]) -> int | None:
    """Decimals (1 to 3) to which every right value was rounded to give the one that came; None where that does not explain them."""
    if not all(isinstance(plain(a), float) and isinstance(b, numbers.Real) for a, b in pairs):
        return None
    for decimals in (3, 2, 1):
        if all(math.isfinite(b) and abs(plain(a) - round(float(b), decimals)) < 1e-9 for a, b in pairs):
            return decimals
    return None
