"""What counts as a number where a formula needs one."""

from __future__ import annotations

import math
from numbers import Real


def is_number(value: object) -> bool:
    """Whether this is a real number that a float can hold: not nan, not infinite, not 10 ** 400. True and False are none."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
