"""Linear models by hand: sides, distances and points on the boundary worked out on paper."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evalreport.errors import DataError
from evalreport.predict.linear import linear_output, linear_value, sigmoid


def test_signed_distance_side_and_confidence():
    # w = (3, 4), |w| = 5, b = -5.
    columns = {"a": np.array([3.0, 0.0, -1.0]), "b": np.array([4.0, 0.0, 0.5])}
    out = linear_output(columns, -5.0, {"a": 3.0, "b": 4.0})
    assert out.value.tolist() == [20.0, -5.0, -6.0]
    assert out.distance.tolist() == [4.0, -1.0, -1.2]
    assert out.side.tolist() == [1, -1, -1]
    assert out.confidence[0] == pytest.approx(1 / (1 + math.exp(-4)), abs=1e-16)
    assert out.on_boundary == 0
    assert out.note is None


def test_points_on_the_boundary_are_drawn_from_the_seed_and_counted():
    columns = {"x": np.array([2.0] * 100 + [3.0])}
    out = linear_output(columns, -2.0, {"x": 1.0}, seed=5)
    again = linear_output(columns, -2.0, {"x": 1.0}, seed=5)
    other = linear_output(columns, -2.0, {"x": 1.0}, seed=6)
    assert out.on_boundary == 100
    assert 20 < out.drawn_positive < 80
    assert out.side.tolist() == again.side.tolist() != other.side.tolist()
    assert int((out.side[:100] == 1).sum()) == out.drawn_positive
    # Compared with threshold 0 the score says what was drawn.
    assert np.array_equal(out.score >= 0, out.side == 1)
    assert out.distance[:100].tolist() == [0.0] * 100
    assert "100 of 101 rows" in str(out.note)


def test_boundary_is_that_of_the_numbers_as_written():
    # In binary 3 * 0.1 - 0.3 is 5.6e-17; on paper it is 0.
    assert 3 * 0.1 - 0.3 != 0
    assert linear_value({"x": np.array([3.0])}, -0.3, {"x": 0.1}).tolist() == [0.0]
    # Close to the boundary is not on it.
    assert linear_value({"x": np.array([3.0000000001])}, -0.3, {"x": 0.1})[0] > 0


def test_weights_of_zero_have_no_boundary():
    with pytest.raises(DataError, match="all weights are 0"):
        linear_output({"x": np.array([1.0])}, 1.0, {"x": 0.0})


def test_sigmoid_of_large_distances():
    assert sigmoid(np.array([800.0, -800.0])).tolist() == [1.0, 0.0]
