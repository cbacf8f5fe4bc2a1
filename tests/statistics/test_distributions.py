"""Distances of two distributions over the same bins."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

from evalreport.statistics.shift import (
    Sample,
    kolmogorov_smirnov,
    kolmogorov_smirnov_bounds,
    on_common_points,
    population_stability_index,
    value_shift,
)


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


def of_rows(scores: np.ndarray, bins: int | None = None) -> Sample:
    """Distinct scores, or bins of as many of them that begin at a score which occurs."""
    values, rows = np.unique(scores, return_counts=True)
    if bins is None:
        return Sample(list(zip(values.tolist(), rows.tolist(), strict=True)))
    starts = np.unique(np.linspace(0, len(values) - 1, bins).astype(int))
    held = np.add.reduceat(rows, starts)
    return Sample(list(zip(values[starts].tolist(), held.tolist(), strict=True)), in_bins=True)


@pytest.mark.parametrize("digits", [16, 4])
@pytest.mark.parametrize("shift", [0.0, 0.05, 1.0, 50.0])
@pytest.mark.parametrize("bins", [(2000, 2000), (2000, 700), (2000, None), (None, 300), (5, 3)])
def test_the_distance_of_the_rows_lies_within_the_bounds_of_their_bins(
    bins: tuple[int | None, int | None], shift: float, digits: int
) -> None:
    """scipy has all 20 000 scores of either side, the bounds have bins of their own edges."""
    rng = np.random.default_rng(11)
    one, two = (np.round(rng.normal(at, 1.0, 20_000), digits) for at in (0.0, shift))
    sides = of_rows(one, bins[0]), of_rows(two, bins[1])
    exact = scipy.stats.ks_2samp(one, two).statistic
    low, high = kolmogorov_smirnov_bounds(*sides)
    assert low - 1e-12 <= exact <= high + 1e-12
    # no further apart than a bin of either side is wide, in shares of its rows
    widest = [max(n for _, n in s.values) / 20_000 if s.in_bins else 0.0 for s in sides]
    assert high - low <= 2 * sum(widest) + 1e-12
    estimate = value_shift(*on_common_points(*sides), 10).ks
    assert low - 1e-12 <= estimate <= high + 1e-12


@pytest.mark.parametrize("digits", [16, 2])
def test_of_distinct_scores_the_distance_is_exact(digits: int) -> None:
    rng = np.random.default_rng(12)
    one, two = (np.round(rng.normal(at, 1.0, 900), digits) for at in (0.0, 0.1))
    low, high = kolmogorov_smirnov_bounds(of_rows(one), of_rows(two))
    assert low == high == pytest.approx(scipy.stats.ks_2samp(one, two).statistic, rel=1e-12)


def test_in_the_same_bins_the_least_distance_is_that_at_their_edges() -> None:
    rng = np.random.default_rng(13)
    one, two = (rng.integers(0, 1000, 5_000) for _ in range(2))
    tens = [np.unique(side // 10 * 10, return_counts=True) for side in (one, two)]
    sides = [Sample(list(zip(*(own.tolist() for own in pair), strict=True)), True) for pair in tens]
    exact = scipy.stats.ks_2samp(one // 10, two // 10).statistic
    low, high = kolmogorov_smirnov_bounds(*sides)
    assert low == pytest.approx(exact, rel=1e-12)
    assert value_shift(*on_common_points(*sides), 10).ks == pytest.approx(exact, rel=1e-12)
    assert scipy.stats.ks_2samp(one, two).statistic <= high


def test_bounds_by_hand() -> None:
    """Bins of 2 and 2 rows from 1 and 3, and rows at 2, 3, 3 and 4.

    Below 3 are 2 of 4 and 1 of 4 for certain. Right after 1 none to 2 of 4 may be below, against 0;
    right after 3 it is 2 to 4 of 4 against 3 of 4; at 2 none to 2 of 4, right after it against 1.
    """
    sides = Sample([(1, 2), (3, 2)], in_bins=True), Sample([(2, 1), (3, 2), (4, 1)])
    assert kolmogorov_smirnov_bounds(*sides) == (0.25, 0.5)
