"""Charts that carry the past along and points of change, by published values and drawn courses."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import ndtr

from evalreport.statistics import change

STATES = 101


def solved(length: Callable[[float], float], wanted: float, low: float, high: float) -> float:
    """The limit at which a chart has the wanted run length, by halving its range."""
    while high - low > 1e-7:
        middle = (low + high) / 2.0
        low, high = (middle, high) if length(middle) < wanted else (low, middle)
    return (low + high) / 2.0


def steps(chain: np.ndarray) -> np.ndarray:
    """Expected steps before a chain leaves, from each of its states (Brook, Evans 1972)."""
    return np.linalg.solve(np.eye(len(chain)) - chain, np.ones(len(chain)))


def ewma_run_length(factor: float, weight: float) -> float:
    """Average number of periods to a signal of a two-sided chart with its final limits."""
    limit = factor * math.sqrt(weight / (2.0 - weight))
    width = 2.0 * limit / STATES
    middles = -limit + width * (np.arange(STATES) + 0.5)

    def moved(edge: np.ndarray) -> np.ndarray:
        return ndtr((edge[None, :] - (1.0 - weight) * middles[:, None]) / weight)

    return float(steps(moved(middles + width / 2.0) - moved(middles - width / 2.0))[STATES // 2])


def cusum_run_length(limit: float, allowance: float, shift: float = 0.0) -> float:
    """Average number of periods to a signal of one sum that starts at zero."""
    width = 2.0 * limit / (2 * STATES - 1)
    middles = width * np.arange(STATES)
    high = middles[None, :] + width / 2.0 - middles[:, None] + allowance - shift
    chain = ndtr(high) - ndtr(high - width)
    chain[:, 0] = ndtr(high[:, 0])
    return float(steps(chain)[0])


def ewma_factor(run_length: float, weight: float) -> float:
    return solved(lambda factor: ewma_run_length(factor, weight), run_length, 0.5, 6.0)


def cusum_limit(run_length: float, allowance: float) -> float:
    """Of both sums together."""
    return solved(lambda limit: cusum_run_length(limit, allowance) / 2.0, run_length, 0.1, 12.0)


@pytest.mark.long
def test_run_lengths_as_published() -> None:
    # cumulative sums: Montgomery, Introduction to Statistical Quality Control, table 9.3 (one
    # side, k = 1/2: 336 and 930; 8.38 after a shift of one standard error), Hawkins and Olwell
    # 1998 (h = 4.77 for 370, both sides); averages: Lucas and Saccucci 1990, table 3
    assert cusum_run_length(4.0, 0.5) == pytest.approx(336, abs=1)
    assert cusum_run_length(5.0, 0.5) == pytest.approx(930, abs=1.5)
    assert cusum_run_length(4.0, 0.5, shift=1.0) == pytest.approx(8.38, abs=0.01)
    assert cusum_limit(370.0, 0.5) == pytest.approx(4.77, abs=0.01)
    assert ewma_factor(500.0, 0.1) == pytest.approx(2.814, abs=0.002)
    assert ewma_factor(500.0, 0.2) == pytest.approx(2.962, abs=0.002)


def test_false_alarms_come_as_rarely_as_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change, "CUSUM_LIMIT", cusum_limit(100.0, change.ALLOWANCE))
    draw = np.random.default_rng(7)
    lengths = []
    for course in draw.binomial(80, 0.85, (150, 600)):
        values = change.self_starting_shares([(int(x), 80) for x in course])
        signals = [k for k, one in enumerate(change.cusum(values)) if one and one.signal]
        lengths.append(signals[0] if signals else 600)
    # the mean of 150 run lengths of about exponential spread
    assert np.mean(lengths) == pytest.approx(100, abs=4 * 100 / math.sqrt(150))


def test_standardised_periods_are_independent_although_nothing_is_known_before() -> None:
    draw = np.random.default_rng(9)
    rows = np.array([30, 400, 50, 120, 800, 60])
    found = np.array(
        [
            change.self_starting(
                [change.Period(float(v), 1.0 / n) for v, n in zip(course, rows, strict=True)]
            )[1:]
            for course in draw.normal(3.0, 1.0 / np.sqrt(rows), (4000, 6))
        ],
        dtype=float,
    )
    assert found.mean(axis=0) == pytest.approx(np.zeros(5), abs=0.07)
    assert np.cov(found.T) == pytest.approx(np.eye(5), abs=0.1)


@pytest.mark.parametrize(("size", "after"), [(100, 0.8), (60, 0.75)])
def test_a_fall_in_month_fifteen(size: int, after: float) -> None:
    """500 courses of two years: found by month 17 in 90 %, the month named in 80 %."""
    draw = np.random.default_rng(11)
    named = seen = early = 0
    for _ in range(500):
        rows = draw.poisson(size, 24)
        hits = draw.binomial(rows, np.where(np.arange(24) < 14, 0.9, after))
        counts = [(int(x), int(n)) for x, n in zip(hits, rows, strict=True)]
        charted = change.cusum(change.self_starting_shares(counts))
        signals = [k for k, one in enumerate(charted) if one is not None and one.signal]
        early += bool(signals and signals[0] < 14)
        seen += bool(signals and signals[0] in (14, 15, 16))
        found = change.change_of_shares(counts)
        assert found is not None
        named += found.index in (13, 14, 15)
    assert (seen >= 450, named >= 400, early <= 25) == (True, True, True)


def test_later_periods_leave_the_chart_of_earlier_ones_alone() -> None:
    counts = [(45, 50), (46, 50), (44, 50), (20, 50), (21, 50)]
    whole = change.self_starting_shares(counts)
    assert change.self_starting_shares(counts[:3]) == whole[:3]
    # by hand: 44 of 50 against 91 of 100, the variance from 135 of 150
    p = 135.5 / 151
    assert whole[2] == pytest.approx((0.88 - 0.91) / math.sqrt(p * (1 - p) * (1 / 50 + 1 / 100)))


@pytest.mark.parametrize("changed", [True, False])
def test_how_likely_a_change_is(changed: bool) -> None:
    before, after = [(90, 100)] * 10, [(70, 100) if changed else (90, 100)] * 10
    found = change.change_of_shares(before + after)
    assert found is not None
    assert (found.probability > 0.99) == changed
    if changed:
        assert (found.index, found.low <= 10 <= found.high) == (10, True)


def test_normal_estimates_name_the_same_month() -> None:
    values = [0.90, 0.91, 0.89, 0.90, 0.92, 0.80, 0.81, 0.79]
    found = change.change_of_values([change.Period(v, 0.01**2) for v in values])
    assert found is not None
    assert found.index == 5
    assert found.low <= 5 <= found.high
    assert found.probability > 0.99


def test_too_few_periods() -> None:
    assert change.change_of_shares([(1, 2)]) is None
    assert change.change_of_values([]) is None
    assert change.self_starting([change.Period(1.0, 1.0)]) == (None,)


def test_limits_of_the_charts_give_their_run_length() -> None:
    factor, limit = (
        ewma_factor(change.RUN_LENGTH, change.WEIGHT),
        cusum_limit(change.RUN_LENGTH, change.ALLOWANCE),
    )
    assert pytest.approx(factor, abs=1e-7) == change.EWMA_FACTOR
    assert pytest.approx(limit, abs=1e-7) == change.CUSUM_LIMIT
