"""Texts on a sheet of paper: the two directions in which their embeddings differ most (principal components; lesson 12).

512 numbers cannot be drawn. Two can, and these two lose least: the directions of the largest spread. `shares` says how much of all spread
they keep; the rest is not on the paper, so neighbours there need be none, and the other way round.

Source: Pearson, "On lines and planes of closest fit to systems of points in space", 1901; by singular values of the centred rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labkit.errors import BadArgument

DECIMALS = 4
"""Places are rounded to this: another processor changes the seventh digit."""


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane through a cloud of rows. Lesson 12.

    points: where the rows lie on it, shape (rows, 2), rounded to DECIMALS; (0, 0) is their middle, the first axis has the larger spread.
    shares: of all spread (variance), how much each axis keeps; both 0 where all rows are equal. middle, axes: shapes (d,) and (2, d).
    """

    points: np.ndarray
    shares: tuple[float, float]
    middle: np.ndarray
    axes: np.ndarray

    def places(self, rows: np.ndarray) -> np.ndarray:
        """Where other rows (shape (n, d), or one of shape (d,)) lie on the plane: shape (n, 2), rounded to DECIMALS. The plane stays as it
        is. Raises BadArgument for rows of another width."""
        rows = np.atleast_2d(np.asarray(rows, np.float64))
        if rows.ndim != 2 or rows.shape[1] != len(self.middle):
            raise BadArgument(f"the rows have shape {rows.shape}; this plane is one of rows of {len(self.middle)} numbers")
        return np.round((rows - self.middle) @ self.axes.T, DECIMALS) + 0.0


def plane(rows: np.ndarray) -> Plane:
    """The plane of `rows` (shape (n, d), n and d 2 or more). Lesson 12.

    An axis has no up and down of its own: mathematics may give it either way round, and another machine the other. So that a picture is the
    same everywhere, the row that lies furthest out on an axis lies on its positive side; of equals, the first.

    Raises BadArgument for fewer rows or numbers, and for what is no finite number.
    """
    rows = np.asarray(rows, np.float64)
    if rows.ndim != 2 or min(rows.shape) < 2:
        raise BadArgument(f"rows of shape {rows.shape}: a plane needs 2 rows or more, of 2 numbers or more")
    if not np.isfinite(rows).all():
        raise BadArgument("a row holds what is no finite number")
    middle = rows.mean(axis=0)
    centred = rows - middle
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    spread = float((centred**2).sum())
    axes = directions[:2].copy()
    for axis in axes:
        places = np.round(centred @ axis, DECIMALS)
        if places[np.abs(places).argmax()] < 0:
            axis *= -1
    shares = tuple(float(size**2) / spread if spread > 1e-12 * rows.size else 0.0 for size in sizes[:2])
    return Plane(np.round(centred @ axes.T, DECIMALS) + 0.0, shares, middle, axes)
