"""Predictive values of two tests on the same rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from finite_differences import delta_variance
from hypothesis import given
from hypothesis import strategies as st

from evalreport.statistics import predictive
from evalreport.statistics.predictive import PairedCalls

# Two models on the 683 complete Wisconsin breast masses, threshold .5.
POSITIVES = PairedCalls(both=179, first_only=49, second_only=4, neither=7)
NEGATIVES = PairedCalls(both=5, first_only=5, second_only=20, neither=414)
#: A negative prediction is the call of the negative predictive value.
COUNTED = {
    "precision": (POSITIVES, NEGATIVES),
    "npv": (NEGATIVES.of_negative(), POSITIVES.of_negative()),
}

calls = st.tuples(*[st.integers(1, 80)] * 4).map(lambda c: PairedCalls(*c))


# chi-square and p: R DTComPair 1.2.2
@pytest.mark.parametrize(
    ("test", "of", "statistic", "p_value"),
    [
        (predictive.ppv_leisenring, "precision", 12.8555393783966, 0.00033648170581968),
        (predictive.ppv_leisenring, "npv", 42.3750684608834, 7.53443973877665e-11),
        (predictive.ppv_kosinski, "precision", 14.0346518196055, 0.000179472634242339),
        (predictive.ppv_kosinski, "npv", 40.1604014016658, 2.33942532013032e-10),
    ],
)
def test_reference_tests(
    test: predictive.ScoreTest, of: str, statistic: float, p_value: float
) -> None:
    found = test(*COUNTED[of])
    assert found is not None
    assert (found.statistic, found.p_value) == pytest.approx((statistic, p_value), rel=1e-9)
    assert found.df == 1


# second over first, its limits, standard error of the logarithm: R DTComPair 1.2.2
@pytest.mark.parametrize(
    ("of", "ratio", "low", "high", "error"),
    [
        (
            "precision",
            0.918395748987854,
            0.875495569861388,
            0.963398080806394,
            0.024407747095135,
        ),
        (
            "npv",
            0.904462769827795,
            0.876388183854946,
            0.933436708840846,
            0.0160880598558928,
        ),
    ],
)
def test_reference_ratios(of: str, ratio: float, low: float, high: float, error: float) -> None:
    found = predictive.relative_ppv(*COUNTED[of], 0.95)
    assert found is not None
    assert 1 / found.ratio == pytest.approx(ratio, rel=1e-9)
    assert (1 / found.interval.high, 1 / found.interval.low) == pytest.approx((low, high), rel=1e-9)
    assert found.log_standard_error == pytest.approx(error, rel=1e-9)


@given(positives=calls, negatives=calls)
def test_score_test_against_its_definition_row_by_row(
    positives: PairedCalls, negatives: PairedCalls
) -> None:
    # Leisenring, Alonzo, Pepe 2000: one observation per call, clustered by row
    rows = []
    for outcome, cells in ((1, positives), (0, negatives)):
        patterns = ((0, 1), (0,), (1,))
        for pattern, count in zip(patterns, cells[:3], strict=True):
            rows += [[(outcome, z) for z in pattern]] * int(count)
    flat = np.array([o for row in rows for o in row], float)
    mean_d, mean_z = flat.mean(axis=0)
    score = sum(d * (z - mean_z) for row in rows for d, z in row)
    variance = sum(sum((d - mean_d) * (z - mean_z) for d, z in row) ** 2 for row in rows)
    found = predictive.ppv_leisenring(positives, negatives)
    assert found is not None
    assert found.statistic == pytest.approx(score**2 / variance, rel=1e-7, abs=1e-12)


@given(positives=calls, negatives=calls)
def test_relative_value_is_the_delta_method(positives: PairedCalls, negatives: PairedCalls) -> None:
    def log_ratio(t: np.ndarray) -> float:
        p, n = t
        first = (p[0] + p[1]) / (p[0] + p[1] + n[0] + n[1])
        second = (p[0] + p[2]) / (p[0] + p[2] + n[0] + n[2])
        return math.log(first / second)

    variance = delta_variance(log_ratio, [list(positives), list(negatives)])
    found = predictive.relative_ppv(positives, negatives, 0.95)
    assert found is not None
    assert variance is not None
    assert found.log_standard_error == pytest.approx(math.sqrt(variance), rel=1e-6)


def test_the_same_test_twice_shows_no_difference() -> None:
    same = PairedCalls(30, 0, 0, 10), PairedCalls(5, 0, 0, 55)
    found = predictive.relative_ppv(*same, 0.95)
    assert found is not None
    assert found.interval == (1.0, 1.0)
    assert found.p_value is None
    assert predictive.ppv_kosinski(*same) is None
    assert predictive.ppv_leisenring(*same) is None


def test_a_test_that_calls_nothing_has_no_predictive_value() -> None:
    none = PairedCalls(0, 0, 8, 2), PairedCalls(0, 0, 1, 9)
    assert predictive.ppv_leisenring(*none) is None
    assert predictive.ppv_kosinski(*none) is None
    assert predictive.relative_ppv(*none, 0.95) is None
