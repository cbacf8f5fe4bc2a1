"""Confidence sequences: the truth stays inside at every look of a whole year."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from evalreport.statistics.sequences import mean_sequence, share_sequence


@pytest.mark.parametrize("expected", [None, 0.9])
@pytest.mark.parametrize("p", [0.5, 0.9, 0.99])
def test_a_year_of_weekly_looks(p: float, expected: float | None) -> None:
    draw = np.random.default_rng(2)
    counts = draw.binomial(30, p, (200, 52)).cumsum(axis=1)
    left = 0
    for year in counts:
        limits = (share_sequence(int(x), 30 * k, 0.95, expected) for k, x in enumerate(year, 1))
        left += any(one is not None and not one.low <= p <= one.high for one in limits)
    # at most 5 %, and three standard errors of 200 years on top
    assert left / 200 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 200)


def test_limits_are_where_the_mixture_is_twenty_times_as_likely() -> None:
    found = share_sequence(47, 60, 0.95)
    assert found is not None
    for p in found:
        mixture = special.betaln(47.5, 13.5) - special.betaln(0.5, 0.5)
        ratio = mixture - 47 * math.log(p) - 13 * math.log1p(-p)
        assert ratio == pytest.approx(math.log(20.0), abs=1e-9)


def test_edges() -> None:
    assert share_sequence(0, 0, 0.95) is None
    none, all_of_them = share_sequence(0, 40, 0.95), share_sequence(40, 40, 0.95)
    assert none is not None
    assert all_of_them is not None
    assert none.low == 0.0
    assert all_of_them.high == 1.0
    assert all_of_them.low == pytest.approx(1.0 - none.high, rel=1e-12)
    with pytest.raises(ValueError, match="must satisfy"):
        share_sequence(5, 4, 0.95)


def test_means_hold_over_a_year() -> None:
    draw = np.random.default_rng(4)
    weeks = draw.gamma(40, 0.3 / 40, (200, 52))  # each the mean of 40 exponential losses
    left = 0
    for year in weeks:
        running = year.cumsum() / np.arange(1, 53)
        found = [
            mean_sequence(m, 0.3 / math.sqrt(40 * k), 40 * k, 0.95)
            for k, m in enumerate(running, 1)
        ]
        left += any(one is not None and not one.low <= 0.3 <= one.high for one in found)
    assert left / 200 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 200)
