"""A transformer in ONNX form: a file with the net, a file with its tokenizer, one row of numbers a text (lesson 12).

Needs `pip install 'labkit[onnx]'`. Nothing is fetched: both files lie on this machine.

Source of pooling and its names: Reimers and Gurevych, "Sentence-BERT", 2019, and the files that sentence-transformers writes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from labkit.embedding.embedder import each_embedded, readable, unit
from labkit.errors import BadArgument, LabError

if TYPE_CHECKING:
    import onnxruntime
    import tokenizers

NEEDS = "pip install 'labkit[onnx]' brings what models in ONNX form need"

POOLING: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "mean": lambda states: states.mean(axis=0),
    "cls": lambda states: states[0],
    "max": lambda states: states.max(axis=0),
    "lasttoken": lambda states: states[-1],
}
"""How the rows of a text's pieces become one row: their mean, the first one, the largest number of each column, the last one."""


class OnnxEmbedder:
    """An Embedder from two files. Lesson 12.

    `longest`: how many pieces of a text (the tokenizer's, its two marks counted) are read; the rest is not. `pooling`: a key of POOLING.
    `query_prefix`, `passage_prefix`: what the model was trained to see before a question or a passage. `lower_case`: it knows small letters
    alone, and its tokenizer does not make them.
    Raises LabError where a file is missing or is no such model, and where onnxruntime or tokenizers are not installed.
    """

    def __init__(
        self,
        model: Path,
        tokenizer: Path,
        *,
        name: str,
        longest: int = 256,
        pooling: str = "mean",
        query_prefix: str = "",
        passage_prefix: str = "",
        lower_case: bool = False,
    ):
        if pooling not in POOLING:
            raise BadArgument(f"pooling is {pooling!r}: one of {', '.join(POOLING)}")
        self.name, self.longest, self.pooling = name, longest, pooling
        self.query_prefix, self.passage_prefix, self.lower_case = query_prefix, passage_prefix, lower_case
        self._tokenizer = tokenizer_in(tokenizer, longest)
        self._session = session(model)
        self._inputs = [each.name for each in self._session.get_inputs()]
        strange = set(self._inputs) - {"input_ids", "attention_mask", "token_type_ids"}
        if "input_ids" not in self._inputs or strange:
            raise LabError(f"{model} takes {', '.join(self._inputs)}; a text model takes input_ids, attention_mask, token_type_ids")
        self.dimensions = len(unit(self._pooled("a")))

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """As Embedder says."""
        return each_embedded(texts, self.dimensions, self._pooled, self.passage_prefix)

    def embed_query(self, text: str) -> np.ndarray:
        """As Embedder says."""
        return each_embedded([text], self.dimensions, self._pooled, self.query_prefix)[0]

    def pieces(self, text: str) -> tuple[list[str], np.ndarray]:
        """The pieces of a text as the tokenizer cuts it, its marks left out, and a row of length 1 for each: what late interaction compares
        (lesson 13). ([], no rows) for a text without letters and digits."""
        text = readable(text)
        if not text:
            return [], np.zeros((0, self.dimensions), np.float32)
        encoding = self._encoded(text)
        states = self._states(encoding)
        inside = [place for place, mark in enumerate(encoding.special_tokens_mask) if not mark]
        return [encoding.tokens[place] for place in inside], np.array([unit(states[place]) for place in inside], np.float32)

    def _pooled(self, text: str) -> np.ndarray:
        return POOLING[self.pooling](self._states(self._encoded(text)))

    def _encoded(self, text: str) -> tokenizers.Encoding:
        return self._tokenizer.encode(text.lower() if self.lower_case else text)

    def _states(self, encoding: tokenizers.Encoding) -> np.ndarray:
        """One row a piece, the net's last layer."""
        parts = {"input_ids": encoding.ids, "attention_mask": encoding.attention_mask, "token_type_ids": encoding.type_ids}
        asked = {name: np.array([parts[name]], dtype=np.int64) for name in self._inputs}
        for output in self._session.run(None, asked):
            if output.ndim == 3:
                return output[0]
        raise LabError(f"{self.name} gives no row for each piece of a text: it is no sentence model in the usual ONNX form")

    def __repr__(self) -> str:
        return f"<{self.name}>"


def session(model: Path) -> onnxruntime.InferenceSession:
    """The net, ready to run on this processor. Raises LabError where the file is missing or no ONNX, or onnxruntime is not installed."""
    try:
        import onnxruntime
    except ImportError as error:
        raise LabError(f"onnxruntime is not installed — {NEEDS}") from error
    if not Path(model).is_file():
        raise LabError(f"{model}: there is no such file — name a model in ONNX form")
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = min(4, os.cpu_count() or 1)  # the sums are the same with any number
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # a waiting thread leaves the core to others
    try:
        return onnxruntime.InferenceSession(os.fspath(model), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has no base class for its errors
        raise LabError(f"{model} cannot be loaded: {_first_line(error)} — is it a model in ONNX form, and whole?") from error


def tokenizer_in(file: Path, longest: int) -> tokenizers.Tokenizer:
    """The tokenizer of a tokenizer.json, which cuts what it is given at `longest` pieces (of two texts, the longer one first). Raises
    LabError where the file is missing or is none, or tokenizers is not installed."""
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise LabError(f"tokenizers is not installed — {NEEDS}") from error
    if not Path(file).is_file():
        raise LabError(f"{file}: there is no such file — a model needs the tokenizer that it was trained with")
    try:
        tokenizer = Tokenizer.from_str(Path(file).read_text("utf-8"))
    except Exception as error:  # tokenizers raises Exception itself
        raise LabError(f"{file} is no tokenizer: {_first_line(error)}") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=longest)
    return tokenizer


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
