"""What a learner reads: one file a language and lesson, and one for the engine's own words.

Logic asks for a text by key and fills in the values, so an edition in another language is one more folder beside `en`.
"""

from __future__ import annotations

import os
import string
import tomllib
from functools import cache
from pathlib import Path

from labkit.errors import LabError

HERE = Path(__file__).resolve().parent
VARIABLE = "LABKIT_LANGUAGE"


class TextMissing(LabError):
    """A text that the course needs is not in its file. Authors meet this, learners do not: `labkit.lessons.lint` looks for it."""


def language() -> str:
    """The language of the texts: LABKIT_LANGUAGE where there is an edition in it, else English."""
    wanted = os.environ.get(VARIABLE, "en").strip().lower()
    return wanted if wanted.isalpha() and (HERE / wanted / "engine.toml").is_file() else "en"


@cache
def _read(path: Path) -> dict:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise TextMissing(f"{path.parent.name}/{path.name} is missing: write the lesson's texts there") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TextMissing(f"{path.parent.name}/{path.name} cannot be read: {error}") from None


def lesson_texts(number: str, folder: Path | None = None) -> dict:
    """The texts of lesson `number` ('03'): a mapping with 'exercises' and 'predictions'. Raises TextMissing."""
    return _read((folder or HERE) / language() / f"{number}.toml")


def engine(key: str, /, **values) -> str:
    """One of the engine's own sentences by dotted key ('status.correct'), with its fields filled in."""
    return sentence("engine", key, **values)


def sentence(file: str, key: str, /, **values) -> str:
    """One sentence of `file` ('tools' for tools.toml) by dotted key, with its fields filled in."""
    found = _read(HERE / language() / f"{file}.toml")
    for part in key.split("."):
        found = found[part]
    return fill(found, **values)


class _Plain(string.Formatter):
    """Fields by plain name and format only: `{value:.4f}`, or the word for one and the word for many: `{count} {count:item|items}`.
    A text cannot reach into objects, and a value that a format does not fit is shown as it is, so that a message about a wrong answer
    cannot itself fail."""

    def get_field(self, field_name, args, kwargs):
        return self.get_value(field_name, args, kwargs), field_name

    def format_field(self, value, format_spec):
        one, bar, many = format_spec.partition("|")
        if bar:
            return one if value in (1, "1") else many
        try:
            return format(value, format_spec)
        except (TypeError, ValueError):
            return str(value)


def fill(text: str, **values) -> str:
    """`text` with its {fields} replaced; `{{` and `}}` stand for braces. Raises KeyError for a field that has no value."""
    return _Plain().vformat(text, (), values)
