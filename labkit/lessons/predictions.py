"""Predictions: a guess before a result. It is shown beside the result later, and never judged."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path

from labkit.files import write_atomically
from labkit.lessons.answers import PREDICTION_MIME, message
from labkit.lessons.comparing import plain, write
from labkit.lessons.inside import json_in
from labkit.lessons.texts import engine, fill
from labkit.numeric import is_number

FILE = "predictions.json"


class Prediction:
    """One prediction. `name` is the word that a learner types; its cell has the id 'predict-<name>' and the tag 'prediction'.

    `sample` is a guess that can stand, shown as an example: a plausible one, right or not. `kind` is 'number', 'text' or 'choice' (with
    `choices`); `form` is how a number is shown ('.3f'), `unit` stands after it; `low` and `high` bound a number where only these make
    sense. `stub` is the whole cell with its blank; by default one line.
    """

    def __init__(
        self,
        name: str,
        sample: object,
        *,
        kind: str = "number",
        choices: Iterable[str] = (),
        form: str = "g",
        unit: str = "",
        low: float | None = None,
        high: float | None = None,
        stub: str = "",
    ):
        if kind not in ("number", "text", "choice"):
            raise ValueError(f"{name}: kind is 'number', 'text' or 'choice', not {kind!r}")
        self.name, self.sample, self.kind = name, sample, kind
        self.choices, self.form, self.unit, self.low, self.high = tuple(choices), form, unit, low, high
        self.stub = stub.strip("\n") or f'lesson.predict("{name}", ...)'

    def __repr__(self) -> str:
        return f"Prediction({self.name!r})"

    def fault(self, guess: object) -> str | None:
        """What is wrong with the form of a guess; None for one that can stand, right or not."""
        guess = plain(guess)
        if guess is None:
            return engine("prediction.nothing")
        shown = self._as_typed(guess)
        if self.kind == "number":
            if not is_number(guess):
                number = _number_in(guess) if isinstance(guess, str) else None
                if number is not None:
                    return engine("prediction.quoted", value=shown, example=write(number, _ALL_DIGITS))
                return engine("prediction.number", value=shown, example=self.written(self.sample))
            if (self.low is not None and guess < self.low) or (self.high is not None and guess > self.high):
                low, high = ("…" if end is None else f"{end:g}" for end in (self.low, self.high))
                return engine("prediction.range", value=shown, low=low, high=high)
        if self.kind == "text" and not isinstance(guess, str):
            return engine("prediction.text", value=shown)
        if self.kind == "choice" and self._chosen(guess) is None:
            return engine("prediction.choice", value=shown, choices=self._choices())
        return None

    def unguessed(self) -> str:
        """What a cell without a guess is told."""
        return engine("prediction.blank_choice", choices=self._choices()) if self.kind == "choice" else engine("prediction.blank")

    def _choices(self) -> str:
        return ", ".join(map(repr, self.choices))

    def taken(self, guess: object) -> str | int | float:
        """A guess that can stand, in a form that a file can hold: a text without stray surrogates, or one of Python's own numbers."""
        guess = plain(guess)
        if self.kind == "choice":
            return self._chosen(guess)
        if isinstance(guess, str):
            return guess.encode("utf-8", "replace").decode("utf-8")[:_LONGEST]
        return guess if type(guess) in (int, float) else float(guess)

    def _chosen(self, guess: object) -> str | None:
        """The choice that a guess means: capitals and spaces around it, 3 for "3" and True for "yes" lose nobody a guess."""
        if isinstance(guess, bool):
            meant = "yes" if guess else "no"
        elif isinstance(guess, str) or (isinstance(guess, int) and abs(guess) < 1e9):
            meant = str(guess)
        else:
            return None
        alike = [choice for choice in self.choices if choice.strip().casefold() == meant.strip().casefold()]
        return meant if meant in self.choices else alike[0] if len(alike) == 1 else None

    def guessed(self, guess: object) -> str:
        """A guess as a message shows it: in the form of its result, unless that would make another number of it."""
        return f"{self._as_typed(guess)} {self.unit}".strip() if is_number(plain(guess)) else self.written(guess)

    def _as_typed(self, guess: object) -> str:
        guess = plain(guess)
        if not is_number(guess):
            return write(guess, self.form)
        guess = guess if isinstance(guess, int) else float(guess)
        shown = write(guess, self.form)
        return shown if _number_in(shown) == guess else write(guess, _ALL_DIGITS)

    def written(self, value: object) -> str:
        """A result as a message shows it."""
        value = plain(value)
        shown = str(value) if isinstance(value, str) else write(value, self.form) if not isinstance(value, int) else str(value)
        return f"{shown} {self.unit}".strip()


_LONGEST = 1_000  # characters of a guess that is a text
_ALL_DIGITS = ".15g"  # as many as a float keeps of what was typed


def _number_in(text: str) -> float | None:
    """The finite number that a text is, as Python reads it; None where it is none."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def said(prediction: Prediction, lesson: str, title: str, guess: object, kept: object = ...) -> dict:
    """The mime bundle for `lesson.predict`. `kept` is an earlier guess that stands while the cell holds none."""
    guess = plain(guess)
    status, text = "noted", ""
    if guess is ...:
        status = "none" if kept is ... else "kept"
        text = prediction.unguessed() if kept is ... else engine("prediction.kept", guess=prediction.guessed(kept))
    else:
        fault = prediction.fault(guess)
        guess = guess if fault else prediction.taken(guess)
        status, text = ("noted", engine("prediction.noted", guess=prediction.guessed(guess))) if fault is None else ("unclear", fault)
    stands = guess if status == "noted" else kept
    return message(title, text, data=_data(prediction, lesson, status, stands))


def beside(prediction: Prediction, lesson: str, title: str, guess: object, measured: object, texts: dict) -> dict:
    """The mime bundle for `lesson.reveal`: the guess beside the result."""
    key = "prediction.reveal_none" if guess is ... else "prediction.reveal"
    shown = prediction.written(measured)
    text = engine(key, measured=shown, guess="" if guess is ... else prediction.guessed(guess))
    if texts.get("after"):
        text += "\n" + fill(texts["after"], measured=plain(measured))
    return message(title, text, data=_data(prediction, lesson, "revealed", guess) if guess is not ... else
                   _data(prediction, lesson, "revealed-without", ...))  # fmt: skip


def _data(prediction: Prediction, lesson: str, status: str, guess: object) -> dict:
    guess = None if guess is ... else guess if isinstance(guess, str | int | float) else str(guess)
    return {PREDICTION_MIME: {"lesson": lesson, "prediction": prediction.name, "status": status, "guess": guess}}


def read(folder: Path) -> dict:
    """All stored guesses of a work folder: {lesson: {prediction: guess}}. A file that cannot be read counts as empty."""
    found = json_in(folder, FILE)
    if not isinstance(found, dict):
        return {}
    return {number: dict(guesses) for number, guesses in found.items() if isinstance(guesses, dict)}


def keep(folder: Path, lesson: str, name: str, guess: object) -> None:
    """Stores one guess beside state/, not inside it: a reset of the state leaves it alone."""
    found = read(folder)
    found.setdefault(lesson, {})[name] = guess
    write_atomically(folder / FILE, json.dumps(found, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
