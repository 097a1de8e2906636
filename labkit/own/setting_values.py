"""One setting of labkit.toml, and what makes a value of what the file says (lesson 15).

Each reader takes a value as TOML has it and gives it back, checked; it raises BadArgument as "what — what to do".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import Any

from labkit.errors import BadArgument
from labkit.textfiles import quoted


@dataclass(frozen=True)
class Row:
    """One setting: its name, its default as TOML has it, why that is the default, and what makes a value of what the file says."""

    name: str
    default: Any
    reason: str
    read: Callable[[Any], Any]


def whole(most: int, least: int = 1) -> Callable[[Any], int]:
    """Reads whole numbers from `least` to `most`."""

    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise BadArgument(f"{quoted(value)} — a whole number from {least} to {most:,}")
        return value

    return read


def number(least: float, most: float) -> Callable[[Any], float]:
    """Reads numbers from `least` to `most`."""

    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise BadArgument(f"{quoted(value)} — a number from {least:g} to {most:g}")
        return float(value)

    return read


def one_of(*known: str) -> Callable[[Any], str]:
    """Reads one of these texts."""

    def read(value: Any) -> str:
        if value not in known or not isinstance(value, str):
            near = get_close_matches(str(value), known, n=1)
            raise BadArgument(f"{quoted(value)} — " + (f"did you mean {near[0]!r}?" if near else f"write {' or '.join(map(repr, known))}"))
        return value

    return read


def yes_or_no(value: Any) -> bool:
    """Reads true or false."""
    if not isinstance(value, bool):
        raise BadArgument(f"{quoted(value)} — write true or false, without quotation marks")
    return value


def model_in(value: Any, folder: Path, known: tuple[str, ...]) -> str:
    """Reads a model's name: one of `known`, else a folder below `folder`."""
    shown = ", ".join(f'"{name}"' for name in known)
    if not isinstance(value, str) or not value.strip():
        raise BadArgument(f"{quoted(value)} — write {shown}, or the name of a folder with a model")
    parts = PurePosixPath(value)
    if parts.is_absolute() or ".." in parts.parts or "\\" in value or ":" in value:
        raise BadArgument(f"{value!r} leaves the folder — put the model into a folder beside labkit.toml")
    if value not in known and not (folder / value).is_dir():
        near = get_close_matches(value, known, n=1)
        todo = f"did you mean {near[0]!r}?" if near else f"there are {' and '.join(known)}, or a folder here with a model"
        raise BadArgument(f"there is no model {value!r} — {todo}")
    return value


def nearest(word: str, known: list[str], otherwise: str) -> str:
    """What to do about a name that there is not: the one that was meant, or all there are."""
    near = get_close_matches(str(word).lower(), known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"{otherwise} {', '.join(known)}"
