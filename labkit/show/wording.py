"""The words in pictures, apart from their drawing: an edition in another language is one more set of files beside texts/en*.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path


@cache
def _texts(language: str) -> dict[str, dict[str, str]]:
    files = sorted((Path(__file__).parent / "texts").glob(f"{language}*.toml"))
    return {figure: parts for file in files for figure, parts in tomllib.loads(file.read_text(encoding="utf-8")).items()}


def say(key: str, /, **values: object) -> str:
    """The text `key` ('figure.part') with its gaps filled."""
    figure, part = key.split(".")
    return _texts("en")[figure][part].format(**values)


def say_of(n: int, key: str, /, **values: object) -> str:
    """The text for `n` things: of one thing, the text `key_one`."""
    return say(f"{key}_one" if n == 1 else key, n=n, **values)
