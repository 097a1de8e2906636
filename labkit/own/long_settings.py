"""[long] of labkit.toml: how long documents are cut, searched and handed over (lessons 11 to 14).

Every value has a default and a reason. `LONG` holds them; `LONG_TOML` is the same as lines to copy into labkit.toml.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labkit.errors import BadArgument
from labkit.hierarchy.children import MAXIMUM, MINIMUM, THRESHOLD, TINY
from labkit.own.setting_values import Row, model_in, nearest, number, one_of, whole
from labkit.retrieval.reranking.judging import FIRST, KEEP, LEAST
from labkit.textfiles import quoted

WAYS = ("keyword", "meaning", "both")
JUDGES = ("none", "maxsim")  # a cross-encoder is the name of a folder
STAGES = ("read", "parents", "children", "embed", "index", "search", "rerank", "expand", "context")
"""The stages of `labkit ask`, in order: the first five prepare the documents, the others answer one question."""


@dataclass(frozen=True)
class LongSettings:
    """How long documents are dealt with; each field is explained in LONG. `owners` are (stage, name) pairs."""

    deepest: int
    threshold: float
    minimum: int
    maximum: int
    tiny: int
    model: str
    search: str
    rerank: str
    first: int
    keep: int
    least: float
    budget: int
    attempts: int
    owners: tuple[tuple[str, str], ...]

    def owner(self, stage: str) -> str:
        """Who answers for a stage."""
        return dict(self.owners).get(stage, NOBODY)


NOBODY = "whoever runs it"
_MODELS = ("multilingual", "english")


def _owners(value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict) or not all(isinstance(name, str) and name.strip() and name.isprintable() for name in value.values()):
        raise BadArgument(f'{quoted(value)} — a name a stage, as in {{read = "Mei", search = "Amira"}}')
    for stage in value:
        if stage not in STAGES:
            raise BadArgument(f"there is no stage {stage!r} — {nearest(stage, list(STAGES), 'there are')}")
    return tuple((stage, value[stage].strip()) for stage in STAGES if stage in value)


def rows(folder: Path) -> tuple[Row, ...]:
    """Every setting of [long], with its default and the reason for it. Models are looked for in `folder`."""
    return (
        Row("deepest", 6, "headings down to this level begin a parent, which is what is read; deeper ones stay inside", whole(6)),
        Row("threshold", THRESHOLD,
            "neighbouring blocks this much alike (cosine) are one child, which is what is searched; another model, another value",
            number(-1, 1)),
        Row("minimum", MINIMUM, "characters that a child should have", whole(100_000, 0)),
        Row("maximum", MAXIMUM, "characters that no child exceeds, but for a table", whole(100_000)),
        Row("tiny", TINY, "characters below which a block says too little alone, and joins another", whole(100_000, 0)),
        Row("model", "multilingual", "who embeds: 'multilingual', 'english', or a folder here with a sentence-transformers model",
            lambda value: model_in(value, folder, _MODELS)),
        Row("search", "both", "by words ('keyword'), by 'meaning', or 'both', fused by rank", one_of(*WAYS)),
        Row("rerank", "none",
            "who judges the first results again: 'none', 'maxsim', or a folder here with a cross-encoder; measure before you choose",
            lambda value: model_in(value, folder, JUDGES)),
        Row("first", FIRST, "how many results are judged", whole(1_000)),
        Row("keep", KEEP, "how many children go on, at most", whole(1_000)),
        Row("least", LEAST, "the score from 0 to 1 that a judge must give; it means something only for a calibrated judge", number(0, 1)),
        Row("budget", 800, "words that are handed over, at most", whole(1_000_000)),
        Row("attempts", 2, "how often a stage is tried where the system fails it", whole(10)),
        Row("owners", {}, "who answers for a stage; where nobody is named, whoever runs it", _owners),
    )  # fmt: skip


LONG = rows(Path())


def read_long(given: Any, folder: Path, fault: Callable[[tuple, str, str], None]) -> LongSettings:
    """The settings that a table [long] makes, with the defaults for the rest; `fault(path, what, todo)` is told of every slip."""
    known = rows(folder)
    if not isinstance(given, dict):
        fault(("long",), f"long: {quoted(given)}", "begin it with a line [long], its values below it")
        given = {}
    for key in given:
        if key not in [row.name for row in known]:
            fault(("long", key), f"[long] has no {quoted(key)}", nearest(key, [row.name for row in known], "it has"))
    values: dict[str, Any] = {}
    for row in known:
        try:
            values[row.name] = row.read(given.get(row.name, row.default))
        except BadArgument as error:
            what, _, todo = str(error).partition(" — ")
            fault(("long", row.name), f"{row.name}: {what}", todo)
            values[row.name] = row.read(row.default)
    sizes = [values[name] for name in ("tiny", "minimum", "maximum")]
    if sizes != sorted(sizes):
        what = f"tiny = {sizes[0]}, minimum = {sizes[1]}, maximum = {sizes[2]}"
        name = next(name for name in ("maximum", "minimum", "tiny") if name in given)
        fault(("long", name), what, "each must be at most as large as the next")
    return LongSettings(**values)


def _long_toml() -> str:
    said = ["# How `labkit ask` works on this folder. Every value below holds already; to change one, take the # off its line.", "[long]"]
    for row in LONG:
        shown = {str: lambda value: f'"{value}"', dict: lambda _: '{read = "Mei", search = "Amira"}'}.get(type(row.default), str)
        said += ["", f"# {row.name}: {row.reason}.", f"#{row.name} = {shown(row.default)}"]
    return "\n".join(said) + "\n"


LONG_TOML: str = _long_toml()
"""Lines for labkit.toml: every setting of [long] with its reason, commented out."""
