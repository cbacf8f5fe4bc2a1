"""Sums of many numbers are those of ``math.fsum``, to the last bit."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalreport.statistics.exact_sums import BLOCK, MANY, exact_sum, sums_by_code

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


@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 1e-12, 1e12, 1e280]))
def test_sums_by_code_depend_on_no_order_and_no_counting(seed, scale):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 7, 400)
    values = scale * rng.standard_normal(400) * 10.0 ** rng.integers(-20, 20, 400)
    times = rng.integers(1, 5, 400)
    found = sums_by_code(codes, lambda at: values[at], 8, times)
    exact = [Fraction()] * 8
    for code, value, often in zip(codes, values, times, strict=True):
        exact[code] += Fraction(value) * int(often)
    spread = np.bincount(codes, np.abs(values) * times, 8)
    assert np.all(np.abs(found - np.array(exact, float)) <= 2.3e-16 * spread)
    order = rng.permutation(int(times.sum()))
    each, of = np.repeat(values, times)[order], np.repeat(codes, times)[order]
    assert sums_by_code(of, lambda at: each[at], 8).tolist() == found.tolist()


def test_the_sum_of_one_row_is_its_value():
    values = np.array([1e9, 0.1, 1e-30, 5e-324])
    assert sums_by_code(np.arange(4), lambda at: values[at], 5).tolist() == [*values, 0.0]


def test_sums_by_code_of_what_is_infinite():
    values = np.array([np.inf, 1.0, np.nan])
    found = sums_by_code(np.array([0, 1, 2]), lambda at: values[at], 3)
    assert found[:2].tolist() == [np.inf, 1.0]
    assert np.isnan(found[2])
