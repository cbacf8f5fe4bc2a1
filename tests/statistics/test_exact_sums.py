"""Sums of many numbers are those of ``math.fsum``, to the last bit."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evalreport.statistics.exact_sums import BLOCK, MANY, exact_sum

RNG = np.random.default_rng(5)
MADE = {
    "uniform": RNG.random,
    "losses": lambda n: -np.log(RNG.random(n)),
    "of all sizes": lambda n: RNG.normal(size=n) * 10.0 ** RNG.integers(-300, 250, n),
    "below the least normal number": lambda n: RNG.normal(size=n) * 5e-320,
    "alike": lambda n: np.full(n, 0.1),
    "none": np.zeros,
    "cancelling": lambda n: np.concatenate([np.full(n // 2, 1e16), np.full(n - n // 2, -1e16)]),
}


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("count", [0, 1, MANY - 1, MANY, BLOCK, 3 * BLOCK + 7])
def test_many_numbers_are_added_as_by_fsum(kind, count):
    values = MADE[kind](count)
    assert exact_sum(values) == math.fsum(values.tolist())


def test_numbers_that_occur_often_are_added_as_often():
    values, times = RNG.normal(size=MANY), RNG.integers(0, 4, MANY)
    assert exact_sum(values, times) == math.fsum(np.repeat(values, times).tolist())


def test_what_is_no_number_stays_that():
    values = np.ones(2 * MANY)
    values[7] = np.inf
    assert exact_sum(values) == math.inf
    values[9] = np.nan
    assert math.isnan(exact_sum(values))
