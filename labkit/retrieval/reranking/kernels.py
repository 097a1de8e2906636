"""Kernel pooling: how many words of a passage lie how near to the words of a question, weighed by what `tune` questions teach (lesson 13).

Between each part of the question (i) and each of the passage (j) there is a cosine. A kernel counts, softly, those near its centre μ:

    K(i) = Σ over j of exp(-(cos(i, j) - μ)² ÷ 2σ²)
    feature = mean over i of ln max(K(i), 10⁻¹⁰)
    score = 1 ÷ (1 + e^-(Σ weight × feature + shift))

One kernel (μ = 1, σ = 0.001) counts the words that are the same; ten (μ = 0.9, 0.7 … -0.9, σ = 0.1) count shades of likeness. Source:
Xiong, Dai, Callan, Liu and Power, "End-to-End Neural Ad-hoc Ranking with Kernel Pooling" (K-NRM), 2017, eq. 2 to 6.

Three things are otherwise than there. The rows stay as the embedder made them: K-NRM trained them on millions of clicks, and here are some
eighty questions. The mean over i stands in the place of the sum, so that long and short questions share a scale. And what is minimised
is the logistic loss of each pair of a relevant and another text (Burges et al., RankNet, 2005), not the hinge: it has one lowest point.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from labkit.errors import BadArgument, LabError
from labkit.files import write_atomically
from labkit.numeric import is_number
from labkit.retrieval.reranking.calibration import fitted
from labkit.retrieval.reranking.token_vectors import DECIMALS, TokenVectors, nearness
from labkit.retrieval.reranking.training import Example, sigmoid, usable
from labkit.textfiles import quoted

CENTRES = (1.0, 0.9, 0.7, 0.5, 0.3, 0.1, -0.1, -0.3, -0.5, -0.7, -0.9)
WIDTHS = (0.001, *(0.1 for _ in CENTRES[1:]))
SEED = 20260
PAIRS = 500  # of one question, at most; more are drawn
RIDGE = 0.01
OBJECTIVE = (
    "mean over questions of the mean over pairs (relevant, other) of ln(1 + e^-(score difference)), plus ridge / 2 times the sum of the "
    "squared weights of standardised features"
)
_LOWEST = 1e-10
_STEPS = 10**DECIMALS
_LEAST_SPREAD = 0.05  # of a feature (natural logarithms): one that hardly differs between texts gets no weight, or it would get a huge one
_DECIMALS = 6
_FORMAT = 1
_EXACT = {"ftol": 1e-15, "gtol": 1e-9, "maxiter": 10_000}


class KNRM:
    """A Scorer by kernel pooling, trained on `tune` questions. Lesson 13.

    `weights`: one a kernel; `shift`: where 0.5 lies (calibration: see labkit.retrieval.reranking.calibration). `trained_on`: the ids of the
    questions. `vectors` must be those that it was trained with. Made by `KNRM.train` or `KNRM.load`.
    """

    def __init__(self, vectors: TokenVectors, weights: Sequence[float], shift: float, trained_on: Sequence[str] = (), seed: int = SEED):
        numbers = [*weights, shift]
        if len(numbers) != len(CENTRES) + 1 or not all(is_number(each) for each in numbers):
            raise BadArgument(f"{len(CENTRES)} weights, one a kernel, and a shift are needed, all finite numbers")
        self.vectors = vectors
        self.weights, self.shift = tuple(float(each) for each in weights), float(shift)
        self.trained_on, self.seed = tuple(trained_on), seed
        self.name = f"K-NRM, {vectors.name}"

    @classmethod
    def train(
        cls, vectors: TokenVectors, given: Iterable[Example], *, ridge: float = RIDGE, seed: int = SEED, pairs: int = PAIRS
    ) -> KNRM:
        """The weights for which OBJECTIVE is least, by L-BFGS from weights of 0; then the shift, and one factor for all weights, by
        calibration. Seconds; the same examples give the same numbers. Lesson 13.

        ridge: how much large weights cost, above 0. seed: draws `pairs` pairs of a question where it has more.
        Raises BadArgument for examples of questions that are not tagged `tune`, and where there is nothing to learn from.
        """
        if not is_number(ridge) or ridge <= 0:
            raise BadArgument(f"ridge is {quoted(ridge)}: a number above 0 is needed, or weights could grow without end")
        if isinstance(pairs, bool) or not isinstance(pairs, int) or pairs < 1:
            raise BadArgument(f"pairs is {pairs!r}: how many pairs of one question count, a whole number of 1 or more")
        given = usable(given)
        features = [_features_of(vectors, example.query, example.texts) for example in given]
        together = np.concatenate(features)
        middle, spread = together.mean(axis=0), together.std(axis=0)
        scale = np.where(spread >= _LEAST_SPREAD, 1 / np.maximum(spread, _LEAST_SPREAD), 0.0)
        draw = np.random.default_rng(seed)
        differences, counts = [], []
        for example, each in zip(given, features, strict=True):
            relevant = np.asarray(example.relevant, dtype=bool)
            standard = (each - middle) * scale
            table = (standard[relevant][:, None, :] - standard[~relevant][None, :, :]).reshape(-1, len(CENTRES))
            if len(table) > pairs:
                table = table[np.sort(draw.choice(len(table), size=pairs, replace=False))]
            differences.append(table)
            counts.append(np.full(len(table), 1 / (len(table) * len(given))))
        learned = _least(np.concatenate(differences), np.concatenate(counts), float(ridge)) * scale
        labels = np.concatenate([np.asarray(example.relevant, dtype=bool) for example in given])
        slope, shift = fitted((together - middle) @ learned, labels)
        weights = [round(float(weight), _DECIMALS) + 0.0 for weight in slope * learned]
        shift = round(float(shift - middle @ np.array(weights)), _DECIMALS)
        return cls(vectors, weights, shift, [example.question_id for example in given], seed)

    def scores(self, query: str, texts: Sequence[str]) -> np.ndarray:
        """As Scorer says. A question or text without words gets 0."""
        features = _features_of(self.vectors, query, texts)
        empty = (features == math.log(_LOWEST)).all(axis=1)
        return np.where(empty, 0.0, sigmoid(features @ np.array(self.weights) + self.shift))

    # ------------------------------------------------------------------ kept as text

    def save(self, path: str | Path) -> None:
        """Writes a JSON file, whole or not at all; the same training gives the same bytes. Raises LabError where it cannot be written."""
        record = {
            "format": _FORMAT,
            "model": "K-NRM",
            "vectors": self.vectors.name,
            "objective": OBJECTIVE,
            "seed": self.seed,
            "centres": CENTRES,
            "widths": WIDTHS,
            "weights": self.weights,
            "shift": self.shift,
            "trained_on": self.trained_on,
        }
        try:
            write_atomically(Path(path), json.dumps(record, ensure_ascii=False, indent=1) + "\n")
        except OSError as error:
            raise LabError(f"{path} cannot be written: {error.strerror} — name another place") from error

    @classmethod
    def load(cls, path: str | Path, vectors: TokenVectors) -> KNRM:
        """The model that `save` wrote. Raises LabError where the file is none, or belongs to other vectors or kernels."""
        try:
            record = json.loads(Path(path).read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise LabError(f"{path} cannot be read as a trained model: {error} — train one, and save it again") from error
        if not isinstance(record, dict) or record.get("model") != "K-NRM" or record.get("format") != _FORMAT:
            raise LabError(f"{path} is no K-NRM model as labkit saves it — train one, and save it there")
        if record.get("vectors") != vectors.name:
            raise LabError(f"{path} was trained with {record.get('vectors')}, not with {vectors.name}: the weights mean nothing to others")
        if record.get("centres") != list(CENTRES) or record.get("widths") != list(WIDTHS):
            raise LabError(f"{path} was trained with other kernels than labkit has — train it again")
        weights, shift, ids, seed = (record.get(name) for name in ("weights", "shift", "trained_on", "seed"))
        sound = isinstance(weights, list) and isinstance(ids, list) and all(isinstance(each, str) for each in ids) and isinstance(seed, int)
        try:
            if not sound:
                raise BadArgument("weights, shift, seed and trained_on do not stand there as they should")
            return cls(vectors, weights, shift, ids, seed)
        except BadArgument as error:
            raise LabError(f"{path} is damaged: {error} — train it again") from error

    def __repr__(self) -> str:
        return f"<{self.name}, trained on {len(self.trained_on)} questions>"


def kernel_features(near: np.ndarray) -> np.ndarray:
    """The features of one passage from its cosines with a question, shape (parts of the question, parts of the passage): one number a
    kernel, in the order of CENTRES. The cosines count to 4 decimals, as `cosines` gives them. Where either has no parts, nothing is near:
    each is ln 10⁻¹⁰."""
    near = np.asarray(near, dtype=np.float64)
    if not near.size:
        return np.full(len(CENTRES), math.log(_LOWEST))
    counted = np.take(_kernels(), np.rint(near * _STEPS).astype(np.intp) + _STEPS, axis=1).sum(axis=2)
    return np.log(np.maximum(counted, _LOWEST)).mean(axis=1)


@cache
def _kernels() -> np.ndarray:
    """Each kernel at every cosine that there is, from -1 up by 10⁻⁴: looked up, they cost a fifth of what they cost counted out."""
    cosine = np.arange(-_STEPS, _STEPS + 1) / _STEPS
    return np.array([np.exp(-((cosine - centre) ** 2) / (2 * width**2)) for centre, width in zip(CENTRES, WIDTHS, strict=True)])


def _features_of(vectors: TokenVectors, query: str, texts: Sequence[str]) -> np.ndarray:
    """Shape (texts, kernels)."""
    return np.array([kernel_features(each) for each in nearness(vectors, query, texts)]).reshape(-1, len(CENTRES))


def _least(differences: np.ndarray, counts: np.ndarray, ridge: float) -> np.ndarray:
    """The weights for which OBJECTIVE is least. It is strictly convex, so there is one such place, wherever the search begins."""

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        margin = differences @ weights
        value = counts @ np.logaddexp(0.0, -margin) + ridge / 2 * weights @ weights
        return float(value), -(counts * sigmoid(-margin)) @ differences + ridge * weights

    return minimize(loss, np.zeros(differences.shape[1]), jac=True, method="L-BFGS-B", options=_EXACT).x
