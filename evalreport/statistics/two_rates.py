"""Limits of measures that are a difference of two rates of different rows, by square-and-add.

Recall is a share of the actual positives and the false positive rate one of the actual
negatives, so that Youden's J, their difference, gets the interval of a difference of
independent proportions (Newcombe R. Interval estimation for the difference between
independent proportions, method 10. Stat Med 17, 1998). A measure that is a straight line
of J gets limits on that line. Each is None without positives or without negatives.
"""

from __future__ import annotations

from evalreport.statistics.interval import Interval
from evalreport.statistics.unpaired import newcombe_hybrid


def youden(tp: float, fn: float, fp: float, tn: float, *, level: float) -> Interval | None:
    """Limits of recall minus false positive rate, from their Wilson limits.

    >>> low, high = youden(56, 14, 48, 32, level=0.95)
    >>> round(low, 4), round(high, 4)
    (0.0524, 0.3339)
    """
    return newcombe_hybrid(tp, tp + fn, fp, fp + tn, level)


def balanced_accuracy(
    tp: float, fn: float, fp: float, tn: float, *, level: float
) -> Interval | None:
    """Limits of (J + 1) / 2, the mean of recall and specificity."""
    limits = youden(tp, fn, fp, tn, level=level)
    return None if limits is None else Interval((1 + limits.low) / 2, (1 + limits.high) / 2)


def balanced_error_rate(
    tp: float, fn: float, fp: float, tn: float, *, level: float
) -> Interval | None:
    """Limits of (1 - J) / 2, the mean of the two rates of mistakes."""
    limits = youden(tp, fn, fp, tn, level=level)
    return None if limits is None else Interval((1 - limits.high) / 2, (1 - limits.low) / 2)
