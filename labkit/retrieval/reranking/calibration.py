"""What a score means: any judge's numbers, laid on a scale from 0 to 1 that was fitted on `tune` questions (lesson 13).

    calibrated score = 1 ÷ (1 + e^-(slope × score + shift))

with slope (never below 0: the order stays) and shift such that the logistic loss is least (Platt, "Probabilistic outputs for support vector
machines", 1999, with his targets (n⁺ + 1) ÷ (n⁺ + 2) and 1 ÷ (n⁻ + 2), so that a perfect order does not ask for an endless slope).

Relevant and other texts weigh the same in the loss, though there are some twenty of the others to each relevant one: 0.5 is where a text is
as likely the one as the other if both were equally many. Unweighted, hardly a text would ever reach 0.30.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from scipy.optimize import minimize

from labkit.errors import BadArgument, LabError
from labkit.numeric import is_number
from labkit.retrieval.reranking.judging import Scorer
from labkit.retrieval.reranking.training import Example, sigmoid, usable

_DECIMALS = 6
_MOST = 1e150


class Calibrated:
    """A Scorer: another one's scores, calibrated. Lesson 13."""

    def __init__(self, scorer: Scorer, slope: float, shift: float):
        if not is_number(slope) or not is_number(shift) or slope < 0:
            raise BadArgument(f"slope is {slope} and shift {shift}: finite numbers are needed; a slope below 0 would turn the order round")
        self.scorer, self.slope, self.shift = scorer, float(slope), float(shift)
        self.name = f"{scorer.name}, calibrated"

    def scores(self, query: str, texts: Sequence[str]) -> np.ndarray:
        """As Scorer says."""
        return sigmoid(self.slope * np.asarray(self.scorer.scores(query, texts), dtype=np.float64) + self.shift)

    def __repr__(self) -> str:
        return f"<{self.name}>"


def calibrated(scorer: Scorer, given: Iterable[Example]) -> Calibrated:
    """The scorer, calibrated on examples of `tune` questions (`tuning_examples`). Lesson 13. Errors as `usable` has them."""
    given = usable(given)
    scores = np.concatenate([np.asarray(scorer.scores(example.query, example.texts), dtype=np.float64) for example in given])
    labels = np.concatenate([np.asarray(example.relevant, dtype=bool) for example in given])
    return Calibrated(scorer, *fitted(scores, labels))


def fitted(scores: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    """Slope and shift for these scores, 6 decimals, a small slope to 6 digits; `labels` says which are of relevant texts (both kinds must
    be there). Raises LabError where a score is no number, or one whose square no float holds."""
    if not (np.abs(scores) < _MOST).all():
        what = f"they hold a number that is none, or one of {_MOST:g} or more"
        raise LabError(f"the scores cannot be calibrated: {what} — does the judge read each of these texts?")
    yes, no = int(labels.sum()), int((~labels).sum())
    target = np.where(labels, (yes + 1) / (yes + 2), 1 / (no + 2))
    weight = np.where(labels, 0.5 / yes, 0.5 / no)
    middle, spread = float(scores.mean()), float(scores.std()) or 1.0
    z = (scores - middle) / spread

    def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
        x = at[0] * z + at[1]
        error = weight * (sigmoid(x) - target)
        return float(weight @ (np.logaddexp(0.0, x) - target * x)), np.array([error @ z, error.sum()])

    found = minimize(loss, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B", bounds=[(0, None), (None, None)], options=_EXACT)
    slope = float(found.x[0]) / spread
    digits = _DECIMALS if slope == 0 else max(_DECIMALS, _DECIMALS - 1 - math.floor(math.log10(slope)))  # of a judge with large numbers
    return round(slope, digits), round(float(found.x[1]) - slope * middle, _DECIMALS)


_EXACT = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5_000}
