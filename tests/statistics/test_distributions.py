"""Distances of two distributions over the same bins."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

from evalreport.statistics.shift import kolmogorov_smirnov, population_stability_index


def test_stability_index_by_hand() -> None:
    # .1 ln(.6/.5) - .1 ln(.4/.5)
    expected = 0.1 * math.log(1.2) - 0.1 * math.log(0.8)
    assert population_stability_index([50, 50], [60, 40]) == pytest.approx(expected)
    assert population_stability_index([50, 50, 0], [6, 4, 0]) == pytest.approx(expected)
    assert population_stability_index([3, 7], [3, 7]) == 0.0


def test_a_bin_empty_on_one_side_is_not_estimable() -> None:
    assert population_stability_index([5, 0], [4, 1]) is None
    assert population_stability_index([0, 0], [0, 0]) is None


def test_kolmogorov_smirnov_against_scipy() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 9, 60), rng.integers(2, 10, 45)
    expected = scipy.stats.ks_2samp(a, b).statistic
    found = kolmogorov_smirnov(np.bincount(a, minlength=10), np.bincount(b, minlength=10))
    assert found is not None
    assert found.statistic == pytest.approx(expected)
    limit = scipy.stats.kstwobign.sf(math.sqrt(60 * 45 / 105) * expected)
    assert found.p_value == pytest.approx(limit)
    assert kolmogorov_smirnov([1], [0]) is None
