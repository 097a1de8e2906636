"""Principal components: two directions, the same way round on every machine."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from labkit.embedding.plane import plane
from labkit.errors import BadArgument


def test_points_on_a_line_keep_everything_on_one_axis():
    flat = plane([[0, 0, 0], [1, 2, 2], [3, 6, 6]])
    assert flat.shares == pytest.approx((1, 0))
    assert flat.points[:, 0].tolist() == pytest.approx([-4, -1, 5]) and not flat.points[:, 1].any()


def test_the_furthest_out_lies_on_the_positive_side():
    for rows in ([[9, 0], [-1, 1], [-8, -1]], [[-9, 0], [1, 1], [8, -1]]):
        flat = plane(rows)
        assert flat.points[0, 0] > 8 and np.abs(flat.points).max(axis=0) == pytest.approx(flat.points.max(axis=0))


def test_of_two_equally_far_out_the_first_is_positive():
    assert plane([[-2, 1], [2, -1], [0, 0]]).points[:, 0].tolist() == pytest.approx([5**0.5, -(5**0.5), 0], abs=1e-4)


def test_another_row_is_put_on_the_plane_that_is_there():
    rows = np.random.default_rng(3).normal(size=(20, 6))
    flat = plane(rows)
    assert (flat.places(rows) == flat.points).all()
    assert flat.places(rows[4]).shape == (1, 2) and flat.places(flat.middle).tolist() == [[0, 0]]
    with pytest.raises(BadArgument, match="6 numbers"):
        flat.places(rows[:, :5])


def test_by_a_second_way():
    """The eigenvectors of the covariance, instead of the singular values of the rows."""
    rows = np.random.default_rng(5).normal(size=(40, 7)) * [5, 3, 1, 1, 0.5, 0.2, 0.1]
    values, vectors = np.linalg.eigh(np.cov(rows.T))
    flat = plane(rows)
    assert flat.shares == pytest.approx(tuple(values[::-1][:2] / values.sum()))
    for place in range(2):
        theirs = (rows - rows.mean(axis=0)) @ vectors[:, -1 - place]
        theirs *= np.sign(theirs[np.abs(theirs).argmax()])
        assert flat.points[:, place] == pytest.approx(theirs, abs=1e-4)


@given(arrays(np.float64, st.tuples(st.integers(2, 8), st.integers(2, 5)), elements=st.integers(-50, 50).map(float)), st.randoms())
def test_laws(rows, random):
    flat = plane(rows)
    assert flat.points.shape == (len(rows), 2) and np.isfinite(flat.points).all()
    assert 0 <= flat.shares[1] <= flat.shares[0] + 1e-9 and sum(flat.shares) <= 1 + 1e-9
    assert (np.abs(flat.points).max(axis=0) == flat.points.max(axis=0)).all()
    assert np.abs(flat.points.mean(axis=0)).max() < 1e-3
    noise = np.array([[random.uniform(-1e-9, 1e-9) for _ in row] for row in rows])
    assert plane(rows + noise).shares == pytest.approx(flat.shares, abs=1e-6)


def test_all_alike():
    flat = plane(np.ones((3, 4)))
    assert flat.shares == (0, 0) and not flat.points.any()


NO_CLOUD = [np.zeros((1, 5)), np.zeros((5, 1)), np.zeros(4), [[1, float("nan")], [0, 1]], [[1, float("inf")], [0, 1]]]


@pytest.mark.parametrize("rows", NO_CLOUD)
def test_what_is_no_cloud(rows):
    with pytest.raises(BadArgument):
        plane(rows)
