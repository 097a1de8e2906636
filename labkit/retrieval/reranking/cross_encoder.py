"""A cross-encoder: a transformer that reads question and passage as one text, and says how well they fit (lesson 13).

The dearest judge, and as a rule the best: every word of the question can look at every word of the passage. No package is known that brings
one along, so it comes from a folder on this machine, in ONNX form, and the course claims no number for it. Needs
`pip install 'labkit[onnx]'`; nothing is fetched.

Calibration, as the model's config.json says:

- one output (the usual one): sigmoid, also where the config asks for the bare number: such models were trained with a sigmoid on top.
- two outputs or more: softmax, and the score is the share of the one that means relevant: the one named by `label`, or that id2label
  calls so ('relevant', 'entailment', 'yes' …), or the second of two. Where problem_type is multi_label_classification: its sigmoid.

What 0.30 means then is what the model's makers trained it to mean; `calibrated` can fit it to your questions.

Source: Nogueira and Cho, "Passage Re-ranking with BERT", 2019; the files are those that sentence-transformers writes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from labkit.embedding.embedder import readable
from labkit.embedding.onnx_model import session, tokenizer_in
from labkit.errors import BadArgument, LabError
from labkit.retrieval.reranking.training import sigmoid

LONGEST = 512  # pieces of question and passage together, where the folder does not say
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_MEANS_RELEVANT = ("relevant", "entailment", "yes", "true", "positive", "duplicate")


class CrossEncoder:
    """A Scorer from a folder with `onnx/model.onnx` or `model.onnx`, `tokenizer.json` and `config.json`. Lesson 13.

    label: the name (as id2label has it) or number (from 0) of the output that means relevant, where there are several. longest: how many
    pieces are read of question and passage together; None: as the folder says, else 512. What is too long is cut at the end, the longer of
    the two first. A question or passage without letters and digits gets 0.

    `name`: the folder's name with a digest of its files. `calibration`: 'sigmoid' or 'softmax'.
    Raises LabError for a folder that holds no such model, BadArgument for a label that it does not have.
    """

    def __init__(self, folder: str | Path, *, label: str | int | None = None, longest: int | None = None):
        folder = Path(folder)
        model, tokenizer = _files(folder)
        config = _config(folder)
        if longest is not None and (isinstance(longest, bool) or not isinstance(longest, int) or longest < 8):
            raise BadArgument(f"longest is {longest!r}: a number of pieces, 8 or more")
        self._tokenizer = tokenizer_in(tokenizer, longest or _longest(folder, config))
        self._session = session(model)
        self._inputs = [each.name for each in self._session.get_inputs()]
        if "input_ids" not in self._inputs or set(self._inputs) - set(_INPUTS):
            raise LabError(f"{model} takes {', '.join(self._inputs)}; a cross-encoder takes {', '.join(_INPUTS)}")
        self.folder = folder
        outputs = len(self._outputs("a", "a"))
        self._label = _label(label, outputs, config, folder)
        one_by_one = outputs == 1 or config.get("problem_type") == "multi_label_classification"
        self.calibration = "sigmoid" if one_by_one else "softmax"
        made_of = hashlib.sha256(f"{self._label} {self.calibration} {longest}".encode())
        for file in (model, *sorted(model.parent.glob(f"{model.name}[._]data")), tokenizer):
            made_of.update(hashlib.sha256(file.read_bytes()).digest())
        self.name = f"{folder.resolve().name} ({made_of.hexdigest()[:12]})"

    def scores(self, query: str, texts: Sequence[str]) -> np.ndarray:
        """As Scorer says. One text at a time: in a batch the last digits depend on the neighbours."""
        query = readable(query)
        texts = [readable(text) for text in texts]
        return np.array([self._score(query, text) if query and text else 0.0 for text in texts], dtype=np.float64)

    def _score(self, query: str, text: str) -> float:
        outputs = self._outputs(query, text)
        if self.calibration == "sigmoid":
            return float(sigmoid(outputs[self._label]))
        shares = np.exp(outputs - outputs.max())
        return float(shares[self._label] / shares.sum())

    def _outputs(self, query: str, text: str) -> np.ndarray:
        """The model's numbers for one pair, shape (outputs,)."""
        encoding = self._tokenizer.encode(query, text)
        parts = dict(zip(_INPUTS, (encoding.ids, encoding.attention_mask, encoding.type_ids), strict=True))
        asked = {name: np.array([parts[name]], dtype=np.int64) for name in self._inputs}
        try:
            results = self._session.run(None, asked)
        except Exception as error:  # onnxruntime has no base class for its errors
            raise LabError(f"{self.folder}: the model cannot judge a pair of texts ({str(error).strip().partition(chr(10))[0]})") from error
        for output in results:
            if getattr(output, "ndim", 0) == 2 and output.shape[0] == 1 and output.shape[1] >= 1:
                numbers = np.asarray(output[0], dtype=np.float64)
                if np.isfinite(numbers).all():
                    return numbers
                raise LabError(f"{self.folder}: the model gave no usable number for a pair of texts — are its files whole?")
        raise LabError(
            f"{self.folder}: the model gives no number for a pair of texts — is it an embedding model? "
            f"A cross-encoder ends in one number (or one a label), of shape (1, labels)"
        )

    def __repr__(self) -> str:
        return f"<cross-encoder {self.name}, {self.calibration}>"


def _files(folder: Path) -> tuple[Path, Path]:
    """The net and its tokenizer. Raises LabError where the folder does not hold them."""
    if not folder.is_dir():
        raise LabError(f"{folder}: there is no such folder — name one that holds a cross-encoder")
    model = next((file for file in (folder / "onnx" / "model.onnx", folder / "model.onnx") if file.is_file()), None)
    if model is None:
        raise LabError(
            f"{folder} holds no onnx/model.onnx — where sentence-transformers is installed, "
            f"CrossEncoder(folder, backend='onnx').save_pretrained(folder) writes it"
        )
    if not (folder / "tokenizer.json").is_file():
        raise LabError(f"{folder} holds no tokenizer.json — save the model's fast tokenizer there")
    return model, folder / "tokenizer.json"


def _config(folder: Path) -> dict:
    file = folder / "config.json"
    if not file.is_file():
        raise LabError(f"{folder} holds no config.json, which says what the model's numbers mean — save the model's folder again")
    return _read(file)


def _read(file: Path) -> dict:
    try:
        value = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise LabError(f"{file} cannot be read as JSON: {error} — save the model's folder again") from error
    if not isinstance(value, dict):
        raise LabError(f"{file} is not a set of settings in curly brackets — save the model's folder again")
    return value


def _longest(folder: Path, config: dict) -> int:
    """The smallest of what the files say, and of 512: a transformer cannot look beyond its last position."""
    said = [LONGEST, config.get("max_position_embeddings")]
    if (folder / "tokenizer_config.json").is_file():
        said.append(_read(folder / "tokenizer_config.json").get("model_max_length"))
    return min(number for number in said if isinstance(number, int) and not isinstance(number, bool) and number >= 8)


def _label(label: str | int | None, outputs: int, config: dict, folder: Path) -> int:
    """The number of the output that means relevant."""
    id2label = config.get("id2label")
    names = {str(number): str(name) for number, name in id2label.items()} if isinstance(id2label, dict) else {}
    known = [names.get(str(number), f"LABEL_{number}") for number in range(outputs)]
    if isinstance(label, int) and not isinstance(label, bool) and 0 <= label < outputs:
        return label
    if isinstance(label, str) and label in known:
        return known.index(label)
    if label is not None:
        raise BadArgument(f"{folder} has no output {label!r} — it has {', '.join(known)} (0 to {outputs - 1})")
    if outputs == 1:
        return 0
    meant = [number for number, name in enumerate(known) if name.lower() in _MEANS_RELEVANT]
    if len(meant) == 1:
        return meant[0]
    if outputs == 2 and not meant:
        return 1
    raise LabError(f"{folder}: which of {', '.join(known)} means relevant is not plain — name it: CrossEncoder(folder, label='{known[0]}')")
