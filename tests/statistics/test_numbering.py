"""Distinct values and their places, however they are told apart."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evalreport.statistics.numbering import numbered, tallied

RNG = np.random.default_rng(7)
VALUES = {
    "close together": RNG.integers(0, 50, 1000),
    "narrow numbers": RNG.integers(0, 50, 1000).astype(np.int8),
    "far apart": RNG.integers(0, 2**40, 1000),
    "below 0": RNG.integers(-5, 5, 1000),
    "no signs": RNG.integers(0, 50, 1000).astype(np.uint64),
    "few fractions": RNG.integers(0, 5, 1000) / 8,
    "many fractions": RNG.random(1000),
    "some that are none": np.where(RNG.random(1000) < 0.5, np.nan, RNG.integers(0, 5, 1000)),
    "flags": RNG.random(1000) < 0.5,
    "one": np.array([3]),
    "none": np.zeros(0, np.int64),
    "no fractions": np.zeros(0),
}


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
def test_it_is_what_sorting_tells(values: np.ndarray[Any, Any]) -> None:
    distinct, place = numbered(values)
    told, where = np.unique(values, return_inverse=True)
    assert np.array_equal(distinct, told, equal_nan=told.dtype.kind == "f")
    assert np.array_equal(place, where.reshape(-1))


@given(arrays(np.float64, 40, elements=st.sampled_from([-1.5, 0.0, 0.25, 2.0, 7.0])), st.data())
def test_tallies_of_rows_are_those_of_kinds(values: Any, data: Any) -> None:
    times = data.draw(arrays(np.int64, 40, elements=st.integers(1, 4)))
    rows = Counter(np.repeat(values, times).tolist())
    for distinct, many in (tallied(np.repeat(values, times)), tallied(values, times)):
        assert distinct.tolist() == sorted(rows)
        assert many.tolist() == [rows[value] for value in sorted(rows)]
