"""Work in stages: what is finished stays finished, and nothing goes on from a half-done result (lesson 15).

A long piece of work (read, cut, index, search, score) is cut into stages. Each says what it depends on, what a good result looks like, and
what a failure leaves behind. A manifest beside the results records for each its inputs and outputs by digest, its seconds and its bytes.

- A stage whose inputs are the same, and whose outputs are still those that it left, is not done again.
- Its outputs appear all at once: they are written elsewhere, checked, and moved. Whoever kills the work in the middle loses the stage that
  was running, and none that was finished.
- What cannot be dealt with (a document that nobody can read) is set aside with the reason; the stage goes on without it.
- An error of the system is tried again a fixed number of times, and no more.

The manifest and the folders can be deleted at any time; then everything is done again.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from labkit import __version__
from labkit.errors import BadArgument, LabError
from labkit.files import name_the_place, sweep, write_atomically

MANIFEST = "manifest.json"
LAYOUT = 1  # of the manifest; raised whenever what stands in it changes

Progress = Callable[[str, int, int, str], None]
"""Called as (stage, done, of, what) while work goes on; `of` is 0 where nobody knows yet. At the end of a stage `done == of`."""


class StageError(LabError):
    """A stage's result is missing, half done or out of date, or is not what the stage promised."""


@dataclass
class Task:
    """What a stage gets to work with.

    `folder` is empty, and is where its outputs go (plain files, in folders or not). `results` are the folders of finished stages, by name;
    `kept` is a folder that outlives failures, for what may be picked up again. `set_aside` collects (item, reason).
    """

    folder: Path
    results: Mapping[str, Path]
    kept: Path
    progress: Callable[[int, int, str], None]
    aside: list[tuple[str, str]] = field(default_factory=list)

    def set_aside(self, item: str, reason: str) -> None:
        """Says that the stage goes on without this item, and why."""
        self.aside.append((item, reason))


@dataclass(frozen=True)
class Stage:
    """One step of the work, and its contract.

    `does` is a sentence for people. `inputs()` names what the result follows from, apart from the results of the stages in `needs`: values
    that JSON knows, compared by digest. `run(task)` writes the outputs. `check(folder)` is the success check: '' or what is wrong with
    them. `on_failure` says what a failure leaves. `always`: done each time, since what it follows from cannot be told (code that is not
    labkit's); where the outputs come out the same, the stages after it stand. `attempts`: how often it is tried where the system fails it
    (OSError, and what SQLite says of a disk or a lock). `owner`: who answers for it. `promises`: what `check` holds, as a sentence for
    people.
    """

    name: str
    does: str
    inputs: Callable[[], Mapping[str, object]]
    run: Callable[[Task], None]
    check: Callable[[Path], str] = lambda folder: ""
    needs: tuple[str, ...] = ()
    on_failure: str = "nothing: what it wrote so far is thrown away"
    always: bool = False
    attempts: int = 2
    owner: str = ""
    promises: str = ""


class Pipeline:
    """Stages in order, their results in one folder, used by one process at a time: `with Pipeline(folder, stages) as work: work.run()`.

    `kept`: the folder for what outlives failures, where several pipelines share one (None: one inside of `folder`). `patience`: seconds to
    wait for another process that works in the folder.

    Raises BadArgument for a stage that needs what does not come before it, StageError where another process works in the folder.
    """

    def __init__(
        self,
        folder: Path | str,
        stages: Sequence[Stage],
        progress: Progress | None = None,
        *,
        kept: Path | None = None,
        patience: float = 0.0,
    ):
        self.folder = Path(folder)
        self.kept = self.folder / "kept" if kept is None else kept
        self.patience = patience
        self.stages = list(stages)
        self._progress = progress or (lambda *_: None)
        before: set[str] = set()
        for stage in self.stages:
            missing = [name for name in stage.needs if name not in before]
            if missing or stage.name in before:
                raise BadArgument(f"stage {stage.name}: {'needs ' + ', '.join(missing) + ', not before it' if missing else 'stands twice'}")
            before.add(stage.name)
        self._held = None
        self._whole: set[str] = set()  # stages whose outputs were looked at in this run

    def __enter__(self) -> Pipeline:
        for place in (self.folder, self.kept):
            if place.is_symlink() or place.is_file():  # what is not ours is neither written to nor cleared away
                what = "link" if place.is_symlink() else "file"
                raise StageError(f"{place} is a {what} — take it away; a folder is made in its place")
        self.folder.mkdir(parents=True, exist_ok=True)
        self._held = _alone(self.folder, self.patience)
        self._held.__enter__()
        write_atomically(self.folder / ".gitignore", "*\n", overwrite=False)
        sweep([self.folder])
        self.records = _manifest(self.folder / MANIFEST)
        return self

    def __exit__(self, *error) -> None:
        self._held.__exit__(*error)

    # ------------------------------------------------------------------ run

    def run(self, start: str | None = None, last: str | None = None) -> dict[str, Path]:
        """Brings the stages up to date, in order, and gives their folders by name.

        `start`: this one and those after it are done again, whatever the manifest says; what comes before it must be finished. `last`: the
        one to stop after. Raises BadArgument for a stage that there is not, StageError where a stage before `start` is missing or out of
        date, or a result is not what its stage promised; whatever a stage's own work raises comes through.
        """
        names = [stage.name for stage in self.stages]
        for name in (start, last):
            if name is not None and name not in names:
                raise BadArgument(f"there is no stage {name!r} — there are {', '.join(names)}")
        for place, stage in enumerate(self.stages):
            begun = start is None or place >= names.index(start)
            told = stage.name in self._whole
            why = self._why(stage, always=begun)
            if not begun:
                if why:
                    raise StageError(f"from {start}: the stage {stage.name} before it {why} — name none, and all that is needed is done")
            elif why or start is not None:
                self._do(stage)
            elif not told:
                self._progress(stage.name, 1, 1, "nothing changed")
            if stage.name == last:
                break
        return {name: self.folder / name for name in self._whole}

    def result(self, name: str) -> Path:
        """The folder of a finished stage. Raises StageError where it is missing, half done, or out of date."""
        stage = next((each for each in self.stages if each.name == name), None)
        if stage is None:
            raise BadArgument(f"there is no stage {name!r} — there are {', '.join(each.name for each in self.stages)}")
        if name not in self._whole and (why := self._why(stage, always=False)):
            raise StageError(f"the stage {name} {why} — run it first")
        return self.folder / name

    def _do(self, stage: Stage) -> None:
        facts = self._facts(stage)
        begun = time.perf_counter()
        for attempt in range(1, max(1, stage.attempts) + 1):
            self._note(stage, {"status": "running", "inputs": facts, "attempts": attempt})
            part = self.folder / f"{stage.name}.part"
            aside: list[tuple[str, str]] = []
            try:
                _emptied(part)
                task = self._task(stage, part, aside)
                stage.run(task)
                wrong = stage.check(part)
                if wrong:
                    raise StageError(f"the stage {stage.name} ended with a result that is not whole: {wrong}")
                outputs = _outputs(part)
                _move(part, self.folder / stage.name)
                break
            except BaseException as error:
                if isinstance(error, OSError):
                    name_the_place(error, self.folder / stage.name)
                self._give_up(stage, facts, attempt, error, aside)
                if not _is_of_the_system(error) or attempt == max(1, stage.attempts):
                    raise
        self._note(
            stage,
            {
                "status": "done", "inputs": facts, "outputs": outputs, "seconds": round(time.perf_counter() - begun, 3),
                "bytes": sum(each["bytes"] for each in outputs.values()), "attempts": attempt,
                "set_aside": _told(aside),
            },
        )  # fmt: skip
        self._whole.add(stage.name)
        self._progress(stage.name, 1, 1, "done")

    def _task(self, stage: Stage, part: Path, aside: list[tuple[str, str]]) -> Task:
        self.kept.mkdir(exist_ok=True)
        results = {name: self.result(name) for name in stage.needs}

        def progress(done: int, of: int, what: str = "") -> None:
            self._progress(stage.name, done, max(of, done + 1), what)

        return Task(part, results, self.kept, progress, aside)

    def _give_up(self, stage: Stage, facts: dict, attempt: int, error: BaseException, aside: list[tuple[str, str]]) -> None:
        status = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        with suppress(OSError):
            shutil.rmtree(self.folder / f"{stage.name}.part", ignore_errors=True)
            reason = f"{type(error).__name__}: {error}".replace(f"{self.folder}{os.sep}", "")  # the folder may move, its manifest with it
            record = {"status": status, "inputs": facts, "attempts": attempt, "reason": reason, "left": stage.on_failure}
            self._note(stage, record | ({"set_aside": _told(aside)} if aside else {}))

    # ------------------------------------------------------------------ what stands

    def _why(self, stage: Stage, always: bool = True) -> str:
        """Why the stage has to be done: '' where its result stands; a piece of a sentence whose subject is the stage."""
        record = self.records.get(stage.name)
        if record is None:
            return "was never done"
        if record.get("status") != "done":
            return f"is not finished ({record.get('status')})"
        try:
            facts = self._facts(stage)
        except StageError as error:
            return f"stands on what is not there: {error}"
        changed = sorted(name for name in {*facts, *record["inputs"]} if facts.get(name) != record["inputs"].get(name))
        if changed:
            return f"is out of date ({', '.join(changed)} changed)"
        if stage.name not in self._whole:
            if _outputs(self.folder / stage.name) != record["outputs"]:
                return "has a result that is not the one it left"
            if always and stage.always:
                return "is done each time"
            self._whole.add(stage.name)
        return ""

    def _facts(self, stage: Stage) -> dict[str, str]:
        """The digest of each input; of a stage before it, the digest of its outputs."""
        facts = {name: _digest(value) for name, value in stage.inputs().items()}
        for name in stage.needs:
            record = self.records.get(name, {})
            if record.get("status") != "done":
                raise StageError(f"the stage {name} is not finished")
            facts[f"result of {name}"] = _digest(record["outputs"])
        return facts | {"labkit": __version__}

    def _note(self, stage: Stage, record: dict) -> None:
        contract = {"does": stage.does} | ({"owner": stage.owner} if stage.owner else {})
        self.records[stage.name] = contract | record
        self._whole.discard(stage.name)
        whole = {"layout": LAYOUT, "labkit": __version__, "stages": self.records}
        write_atomically(self.folder / MANIFEST, json.dumps(whole, ensure_ascii=False, indent=1) + "\n")


# --- files ------------------------------------------------------------------------------------------------------------------------------


def _manifest(path: Path) -> dict[str, dict]:
    """The records that stand in the manifest; none where there is no manifest, or none that this labkit wrote: then all is done again."""
    try:
        whole = json.loads(path.read_text("utf-8"))
        if whole["layout"] != LAYOUT:
            return {}
        records = dict(whole["stages"])
        for record in records.values():
            if record["status"] == "done":
                _ = record["inputs"].items(), record["outputs"].items()
        return records
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def _is_of_the_system(error: BaseException) -> bool:
    """A full disk, a drive that is away, a file in use: nothing that the stage was given. SQLite has an error of its own for them."""
    return isinstance(error, OSError | sqlite3.OperationalError) or isinstance(error.__cause__, sqlite3.OperationalError)


def _told(aside: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"item": item, "reason": reason} for item, reason in aside]


def _outputs(folder: Path) -> dict[str, dict]:
    """Bytes and SHA-256 of each file below a stage's folder, by name; {} where there is none."""
    found = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            digest = hashlib.sha256()
            with file.open("rb") as stream:
                while piece := stream.read(1 << 20):
                    digest.update(piece)
            found[file.relative_to(folder).as_posix()] = {"bytes": file.stat().st_size, "sha256": digest.hexdigest()}
    return found


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _emptied(folder: Path) -> None:
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)
    folder.mkdir()


def _move(part: Path, place: Path) -> None:
    """Puts a finished result in its place. Killed in between, the manifest says 'running', and nobody takes what is there for whole."""
    if place.is_symlink() or place.is_file():
        place.unlink()
    elif place.exists():
        shutil.rmtree(place)
    os.replace(part, place)


@contextmanager
def _alone(folder: Path, patience: float) -> Iterator[None]:
    """Holds the folder for this process; the system lets go of it when the process ends, however it ends."""
    lock = sqlite3.connect(folder / "lock", timeout=patience, isolation_level=None)
    try:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            if "locked" in str(error):
                raise StageError(f"{folder} is in use by another labkit — wait until it has finished") from None
            raise StageError(f"{folder}: cannot be worked in ({error}) — check its permissions, or delete it") from None
        yield
    finally:
        lock.close()
