"""Predictive values of two tests on the same rows: score tests and relative values.

Each test sees the rows with a given true class in four cells: called by both tests, by
the first only, by the second only, by neither. For the positive predictive value a call
is a positive prediction and the class of interest is positive. For the negative predictive value
a call is a negative one: the negatives take the place of the positives, each ``of_negative``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from evalreport.statistics.interval import Interval, clipped, symmetric, z_value
from evalreport.statistics.interval import square_and_add as added
from evalreport.statistics.paired import RelativeShare
from evalreport.statistics.proportions import wilson
from evalreport.statistics.tail import ChiSquare


class PairedCalls(NamedTuple):
    """Rows of one true class by what two tests predict: both positive, one, or neither."""

    both: float
    first_only: float
    second_only: float
    neither: float

    def of_negative(self) -> PairedCalls:
        """The same rows counted by negative predictions."""
        return PairedCalls(self.neither, self.second_only, self.first_only, self.both)


ScoreTest = Callable[[PairedCalls, PairedCalls], ChiSquare | None]


def _called(positives: PairedCalls, negatives: PairedCalls) -> tuple[float, float]:
    """Rows called by the first and by the second test."""
    first = positives.both + positives.first_only + negatives.both + negatives.first_only
    second = positives.both + positives.second_only + negatives.both + negatives.second_only
    return first, second


def ppv_leisenring(positives: PairedCalls, negatives: PairedCalls) -> ChiSquare | None:
    """Generalized score test of equal PPV (Leisenring, Alonzo, Pepe 2000).

    None when a test calls no row, or when the variance is 0.
    """
    first, second = _called(positives, negatives)
    if min(first, second) <= 0:
        return None
    right = 2.0 * positives.both + positives.first_only + positives.second_only
    pooled = right / (first + second)
    share = second / (first + second)
    score = positives.both * (1.0 - 2.0 * share) - share * positives.first_only
    score += (1.0 - share) * positives.second_only
    # one squared score per row, summed over the two tests that called it
    variance = math.fsum(
        (
            ((1.0 - pooled) * (1.0 - 2.0 * share)) ** 2 * positives.both,
            ((1.0 - pooled) * share) ** 2 * positives.first_only,
            ((1.0 - pooled) * (1.0 - share)) ** 2 * positives.second_only,
            (pooled * (1.0 - 2.0 * share)) ** 2 * negatives.both,
            (pooled * share) ** 2 * negatives.first_only,
            (pooled * (1.0 - share)) ** 2 * negatives.second_only,
        )
    )
    return _chi_square(score * score, variance)


def ppv_kosinski(positives: PairedCalls, negatives: PairedCalls) -> ChiSquare | None:
    """Weighted generalized score test of equal PPV (Kosinski 2013).

    None when a test calls no row, or when the variance is 0.
    """
    first, second = _called(positives, negatives)
    if min(first, second) <= 0:
        return None
    ppv_1 = (positives.both + positives.first_only) / first
    ppv_2 = (positives.both + positives.second_only) / second
    total = first + second
    pooled = (2.0 * positives.both + positives.first_only + positives.second_only) / total
    # pooled (1 - pooled) less twice the covariance of the rows called by both: what
    # remains are the rows called by one test, and without them it is exactly 0
    only_right = positives.first_only + positives.second_only
    only_wrong = negatives.first_only + negatives.second_only
    spread = (only_right * (1.0 - pooled) ** 2 + only_wrong * pooled**2) / total
    variance = spread * (1.0 / first + 1.0 / second)
    return _chi_square((ppv_1 - ppv_2) ** 2, variance)


def _chi_square(squared: float, variance: float) -> ChiSquare | None:
    if variance <= 0.0:
        return None
    return ChiSquare.of(squared / variance, 1)


def relative_ppv(
    positives: PairedCalls, negatives: PairedCalls, level: float
) -> RelativeShare | None:
    """PPV of the first test over that of the second (Moskowitz, Pepe 2006).

    None when a test calls no positive row. The variance is the multinomial delta method
    on the log scale.
    """
    first, second = _called(positives, negatives)
    right_1 = positives.both + positives.first_only
    right_2 = positives.both + positives.second_only
    if min(right_1, right_2) <= 0:
        return None
    gain = (1.0 / right_1 - 1.0 / first, 1.0 / right_2 - 1.0 / second)
    loss = (-1.0 / first, -1.0 / second)
    variance = math.fsum(
        (
            positives.both * (gain[0] - gain[1]) ** 2,
            positives.first_only * gain[0] ** 2,
            positives.second_only * gain[1] ** 2,
            negatives.both * (loss[0] - loss[1]) ** 2,
            negatives.first_only * loss[0] ** 2,
            negatives.second_only * loss[1] ** 2,
        )
    )
    ratio = (right_1 / first) / (right_2 / second)
    return RelativeShare.of(ratio, math.sqrt(variance), level)


class CallMoments(NamedTuple):
    """Two predictive values with their variances and covariance by the delta method."""

    first: float
    second: float
    variance_1: float
    variance_2: float
    covariance: float

    @property
    def difference(self) -> float:
        """First minus second."""
        return self.first - self.second

    @property
    def error(self) -> float:
        """Standard error of the difference; 0 where no row tells it from the values."""
        variance = math.fsum((self.variance_1, self.variance_2, -2.0 * self.covariance))
        return math.sqrt(max(variance, 0.0))

    @property
    def correlation(self) -> float:
        """Of the two values; 0 where one of them does not vary."""
        scale = math.sqrt(self.variance_1 * self.variance_2)
        return min(max(self.covariance / scale, -1.0), 1.0) if scale > 0.0 else 0.0


def call_moments(positives: PairedCalls, negatives: PairedCalls) -> CallMoments | None:
    """PPV of both tests with the multinomial delta variances; None when a test calls no row.

    A row called by a test adds (right - PPV) / calls to its PPV; the sums of squares and of
    products of these are the variances and the covariance, as those of the independence
    estimating equations of Leisenring, Alonzo, Pepe (2000) for a difference.
    """
    calls = _called(positives, negatives)
    if min(calls) <= 0:
        return None
    rights = (positives.both + positives.first_only, positives.both + positives.second_only)
    value = rights[0] / calls[0], rights[1] / calls[1]
    right = (1.0 - value[0]) / calls[0], (1.0 - value[1]) / calls[1]
    wrong = value[0] / calls[0], value[1] / calls[1]
    wrongs = calls[0] - rights[0], calls[1] - rights[1]
    variances = [rights[k] * right[k] ** 2 + wrongs[k] * wrong[k] ** 2 for k in (0, 1)]
    shared = positives.both * right[0] * right[1] + negatives.both * wrong[0] * wrong[1]
    return CallMoments(*value, variances[0], variances[1], shared)


def wald(positives: PairedCalls, negatives: PairedCalls, level: float) -> Interval | None:
    """Normal interval of PPV of the first test minus the second; None without a variance."""
    found = call_moments(positives, negatives)
    if found is None or found.error == 0.0:
        return None
    return symmetric(found.difference, z_value(level) * found.error, -1.0, 1.0)


def square_and_add(positives: PairedCalls, negatives: PairedCalls, level: float) -> Interval | None:
    """Wilson limits of both PPV squared and added with their correlation (Zou, Donner 2008).

    None when a test calls no row. Unlike ``wald`` it has a width where both values are 0 or 1.
    """
    found = call_moments(positives, negatives)
    if found is None:
        return None
    calls = _called(positives, negatives)
    one = wilson(found.first * calls[0], calls[0], level)
    two = wilson(found.second * calls[1], calls[1], level)
    assert one is not None
    assert two is not None
    limits = added(found.first, one, found.second, two, found.correlation)
    return clipped(*limits, -1.0, 1.0)


#: Score tests of equal predictive values.
SCORE_TESTS: dict[str, ScoreTest] = {"leisenring": ppv_leisenring, "kosinski": ppv_kosinski}
#: Intervals of a difference of predictive values.
CALL_METHODS: dict[str, Callable[[PairedCalls, PairedCalls, float], Interval | None]] = {
    "wald": wald,
    "square_and_add": square_and_add,
}
