"""What a lesson's notebook talks to: `lesson = labkit.lesson("05", made_with="1.0")`.

It finds the course's data and the learner's state/, takes predictions, checks exercises, gives hints. In a work folder the state is
the learner's; anywhere else it is a copy that is gone afterwards, so running a lesson elsewhere leaves no trace.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from difflib import get_close_matches
from pathlib import Path

from labkit.errors import CourseNotFound, LabError
from labkit.files import write_atomically
from labkit.lessons import catalogue, predictions
from labkit.lessons.answers import (
    CORRECT,
    NOT_YET,
    Outcome,
    bundle,
    cell_source,
    message,
    show,
    watch_cells,
)
from labkit.lessons.comparing import write
from labkit.lessons.inside import is_link
from labkit.lessons.running import error_text
from labkit.lessons.texts import engine, sentence
from labkit.lessons.workfolder import STATE, is_work_folder
from labkit.show.tables import wrap

VARIABLE = "LABKIT_STATE"


class State(type(Path())):
    """The folder state/. A path like any other; only a display of it does not name the machine's folders."""

    def __repr__(self) -> str:
        return "state/"


class LessonError(LabError):
    """A lesson cannot go on. IPython shows the sentence alone, without our insides above it."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class UnknownName(LessonError, KeyError):
    """An exercise or a prediction that this lesson does not have."""

    def __str__(self) -> str:
        return self.args[0]


class Interrupted(KeyboardInterrupt):
    """The learner stopped a check. IPython shows the sentence alone, and runs none of the cells that wait."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def lesson(number: str | int, made_with: str | None = None) -> Lesson:
    """Begins lesson `number` and says in one line what it starts from. `made_with` is the labkit that the notebook was written for.

    A data fault or another version is said in a plain word and stops nothing. Raises LabError for a lesson that does not exist.
    """
    begun = Lesson(catalogue.row(number))
    print(*wrap(begun.line, 80), sep="\n")
    from labkit import __version__

    if made_with is not None and made_with != __version__:
        print(engine("lesson.other_version", made_with=made_with, version=__version__))
    return begun


class Lesson:
    """A lesson under way. Learners use predict, reveal, check, hint, solution; its own cells also state, answer, save_csv, embedder."""

    def __init__(self, row: catalogue.Row):
        self.number, self.title = row.number, row.title
        self._row = row
        self._exercises, self._predictions, self._texts = row.exercises(), row.predictions(), row.texts()
        self._hints: dict[str, int] = {}
        self._right: dict[str, object] = {}
        here = Path.cwd()
        self._work = here if is_work_folder(here) and not here.is_symlink() else None
        self.state = State(self._find_state(here))
        self._guesses = predictions.read(self._work).get(self.number, {}) if self._work else {}
        watch_cells()

    def __repr__(self) -> str:
        return f"Lesson {self.number}: {self.title}"

    # what the lesson starts from

    def _find_state(self, here: Path) -> Path:
        named = os.environ.get(VARIABLE)
        if named or self._work:
            folder = Path(named) if named else here / STATE
            what = "link" if is_link(folder) else "file" if os.path.lexists(folder) and not folder.is_dir() else ""
            if what:
                raise LessonError(sentence("tools", f"inside.{what}", name=f"{STATE}/"))
            try:
                folder.mkdir(exist_ok=True)
            except OSError as error:
                raise LessonError(engine("lesson.state_not_made", reason=error.strerror)) from None
            return folder
        folder = Path(tempfile.mkdtemp(prefix="labkit-state-"))
        gone_afterwards(folder)
        source = _snapshot_before(self.number, here)
        if source:
            shutil.copytree(source, folder, dirs_exist_ok=True)
        return folder

    @property
    def line(self) -> str:
        """What the lesson found, in one line of fixed form: no path, no date."""
        said = [engine("lesson.line", number=self.number, title=self.title, data=_data_words(), state=self._state_words())]
        missing: dict[str, list[str]] = {}
        for name, maker in self._row.needs().items():
            if not (self.state / name).exists():
                missing.setdefault(maker, []).append(f"{STATE}/{name}")
        said += [engine("lesson.missing", files=", ".join(names), number=maker) for maker, names in missing.items()]
        return " ".join(said[:1] + [text[0].upper() + text[1:] + "." for text in said[1:]])

    def _state_words(self) -> str:
        if not any(self.state.iterdir()):
            return engine("lesson.state_none")
        if self._work and VARIABLE not in os.environ:
            return engine("lesson.state_yours")
        earlier = catalogue.before(self.number)
        return engine("lesson.state_from", number=earlier.number if earlier else self.number)

    # exercises

    def _exercise(self, name: str):
        return self._named("exercise", name, self._exercises)

    def _named(self, kind: str, name: str, known: dict):
        if isinstance(name, str) and name in known:
            return known[name], self._texts[f"{kind}s"][name]
        say = {"number": self.number, "names": ", ".join(known) or engine("hint.no_names")}
        if not isinstance(name, str):
            raise UnknownName(engine(f"hint.name_first_{kind}", **say))
        near = get_close_matches(name.strip().lower(), known, 1)
        text = engine(f"hint.unknown_{kind}", name=write(name), **say)
        raise UnknownName(f"{text} {engine('hint.near', near=near[0])}" if near else text)

    def check(self, name: str | None = None, answer: object = ..., *others: object) -> None:
        """Judges an answer and shows one of: correct, not yet (with what was seen), not attempted."""
        try:
            exercise, texts = self._exercise(name)
        except UnknownName as error:
            show(message(str(error), ""))
            return
        source = cell_source()
        if others:
            outcome = Outcome(NOT_YET, engine("answer.several", count=1 + len(others), name=name), "several")
        else:
            try:
                outcome = self._judge(exercise, answer, texts, source)
            except KeyboardInterrupt:
                raise Interrupted(engine("answer.stopped")) from None
        self._right.pop(name, None)
        if outcome.status == CORRECT:
            self._right[name] = answer
        show(bundle(outcome, self.number, name, texts["title"], source))

    def _judge(self, exercise, answer, texts, source) -> Outcome:
        try:
            if getattr(exercise, "needs_session", False):
                return exercise.check(answer, texts, source, state=self.state)
            return exercise.check(answer, texts, source)
        except Exception as error:  # an answer that nobody foresaw gets a word, never a traceback of ours
            if os.environ.get("LABKIT_DEBUG"):
                raise
            return Outcome(NOT_YET, engine("answer.unforeseen", error=error_text(error), name=exercise.name), "unforeseen")

    def answer(self, name: str):
        """The learner's answer to an exercise if its last check was correct, else the reference's, with a word that says so."""
        exercise, texts = self._exercise(name)
        if name in self._right:
            return self._right[name]
        print(engine("lesson.stand_in", function=texts["title"], name=name))
        return exercise.reference

    def hint(self, name: str | None = None) -> None:
        """The next hint for an exercise, from a nudge to nearly the solution; after the last one, the last one again."""
        try:
            _, texts = self._exercise(name)
        except UnknownName as error:
            show(message(str(error), ""))
            return
        hints = texts.get("hints", [])
        place = min(self._hints.get(name, 0), len(hints) - 1)
        self._hints[name] = place + 1
        head = engine("hint.head", number=place + 1, all=len(hints), title=texts["title"])
        after = engine("hint.last" if place + 1 == len(hints) else "hint.next", name=name)
        show(message(head, hints[place] + "\n" + after))

    def solution(self, name: str | None = None) -> None:
        """Shows a solution of an exercise."""
        try:
            exercise, texts = self._exercise(name)
        except UnknownName as error:
            show(message(str(error), ""))
            return
        show(message(engine("hint.solution_head", title=texts["title"]), "", exercise.solution))

    # predictions

    def _prediction(self, name: str):
        return self._named("prediction", name, self._predictions)

    def predict(self, name: str | None = None, guess: object = ...) -> None:
        """Takes a guess. It is shown beside the result later, and never judged."""
        try:
            prediction, texts = self._prediction(name)
        except UnknownName as error:
            show(message(str(error), ""))
            return
        kept = self._guesses.get(name, ...)
        show(predictions.said(prediction, self.number, texts["title"], guess, kept))
        if guess is not ... and prediction.fault(guess) is None:
            self._guesses[name] = prediction.taken(guess)
            if self._work and not os.environ.get(VARIABLE):
                try:
                    predictions.keep(self._work, self.number, name, self._guesses[name])
                except OSError as error:
                    print(engine("prediction.not_kept", reason=error.strerror))

    def reveal(self, name: str, measured: object) -> None:
        """Shows what was measured beside the guess."""
        try:
            prediction, texts = self._prediction(name)
        except UnknownName as error:
            show(message(str(error), ""))
            return
        show(predictions.beside(prediction, self.number, texts["title"], self._guesses.get(name, ...), measured, texts))

    # models

    def embedder(self, which: str | Path = "multilingual"):
        """A model that embeds (see `load_embedder`), with a cache that all lessons share: a text that any of them embedded before costs no
        time. From lesson 11 on. Raises LabError where the model is not there."""
        from labkit.lessons.embeddings import embedder

        return embedder(which)

    # state/

    def save_csv(self, name: str, table, decimals: int = 4) -> None:
        """Writes a DataFrame to state/<name>: fixed decimals, LF, no index, whole or not at all."""
        self.save_text(name, table.to_csv(index=False, float_format=f"%.{decimals}f", lineterminator="\n"))

    def read_csv(self, name: str):
        """state/<name> as a DataFrame, empty texts as ''. Raises LabError that says which lesson makes it."""
        import pandas as pd

        path = self.state / name
        if not path.is_file():
            maker = self._row.needs().get(name)
            files = f"{STATE}/{name}"
            what = engine("lesson.missing", files=files, number=maker) if maker else engine("lesson.missing_file", files=files)
            raise LessonError(what[0].upper() + what[1:] + ".")
        return pd.read_csv(path, keep_default_na=False, na_values=[], dtype=None)

    def save_text(self, name: str, text: str) -> None:
        """Writes a text to state/<name>, whole or not at all. The name stays inside state/ (BadArgument otherwise)."""
        from labkit.errors import BadArgument

        place = Path(name)
        if place.is_absolute() or ".." in place.parts or not place.parts:
            raise BadArgument(f"{name!r} is no name of a file inside {STATE}/")
        target = self.state / place
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, text)


def _snapshot_before(number: str, here: Path) -> Path | None:
    from labkit.course import course_folder

    earlier = catalogue.before(number)
    if earlier is None:
        return None
    try:
        folder = course_folder(here) / "snapshots" / earlier.name / STATE
    except CourseNotFound:
        return None
    return folder if folder.is_dir() else None


def _data_words() -> str:
    from labkit import load_inventory, load_questions

    try:
        counts = {"document": len(load_inventory()), "question": len(load_questions())}
        return ", ".join(engine(f"lesson.{one}" if n == 1 else f"lesson.{one}s", count=n) for one, n in counts.items())
    except CourseNotFound:
        return engine("lesson.no_course")
    except (LabError, OSError):
        return engine("lesson.faults")


_WATCH = """
import shutil, sys
sys.stdin.buffer.read()
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""
_watchers: list[subprocess.Popen] = []


def gone_afterwards(folder: Path) -> None:
    """Removes `folder` when this process ends, however it ends: a kernel is usually killed, and then no exit handler runs.

    A small process of its own waits for our end of a pipe to close, and tidies up.
    """
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    apart = {"start_new_session": True} if os.name == "posix" else {"creationflags": 0x00000008 | 0x00000200}
    try:
        watcher = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _WATCH, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=tempfile.gettempdir(),
            **apart,
        )
    except OSError:
        return
    _watchers.append(watcher)
