"""Square-and-add limits of a table of two classes again, by code of its own.

Jeffreys limits are found by halving an interval, the beta distribution by its continued
fraction; the metric is the record's own, in fractions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from evalreport.record.metric_definitions import CLASS_METRICS
from evalreport.record.table_counts import Counts
from evalreport.results.records import Interval, Measure

Limits = tuple[float, float]

#: Which three shares a table is taken apart into for each metric: all rows by their class, by
#: what is predicted, or by whether one of both is positive.
_BY_CLASS = frozenset(
    ("youden_j", "balanced_accuracy", "balanced_error_rate", "g_mean", "fowlkes_mallows")
    + ("mcc", "lr_plus", "lr_minus")
)
_BY_PREDICTION = frozenset(("markedness",))
_BY_EITHER = frozenset(("f1", "fbeta", "kappa"))
_RATIOS = frozenset(("lr_plus", "lr_minus"))
_RANGES = dict.fromkeys(("youden_j", "mcc", "kappa", "markedness"), (-1.0, 1.0))


def square_and_add_limits(measure: Measure, interval: Interval, counts: Counts) -> Limits | None:
    """The limits that the four counts give; None for a metric that is not known here."""
    tp, fn, fp, tn = counts.tp, counts.fn, counts.fp, counts.tn
    n, name = counts.total, measure.metric
    if name in _BY_CLASS:
        shares, build = [(tp + fn, n), (tp, tp + fn), (fp, fp + tn)], _of_classes
    elif name in _BY_PREDICTION:
        shares, build = [(tp + fp, n), (tp, tp + fp), (fn, fn + tn)], _of_predictions
    elif name in _BY_EITHER:
        shares, build = [(n - tn, n), (tp, n - tn), (fn, fn + fp)], _of_either
    else:
        return None

    def value(at: list[Fraction]) -> float:
        found = CLASS_METRICS[name](Counts(*build(*at)), measure.params)
        return float(found) if isinstance(found, Fraction) else math.nan

    centre = [x / m if m else Fraction(1, 2) for x, m in shares]
    log = name in _RATIOS
    here = _scaled(value(centre), log=log)
    down = up = 0.0
    for place, (x, m) in enumerate(shares):
        moves = []
        for limit in _jeffreys(float(x), float(m), interval.level):
            at = [Fraction(limit) if k == place else own for k, own in enumerate(centre)]
            moved = _scaled(value(at), log=log) - here
            moves.append(moved if math.isfinite(moved) else 0.0)
        down, up = down + min(*moves, 0.0) ** 2, up + max(*moves, 0.0) ** 2
    low, high = here - math.sqrt(down), here + math.sqrt(up)
    if log:
        return math.exp(low), math.exp(high)
    least, most = _RANGES.get(name, (0.0, 1.0))
    return max(low, least), min(high, most)


def _scaled(value: float, *, log: bool) -> float:
    if not log:
        return value
    return math.log(value) if value > 0 else -math.inf if value == 0 else math.nan


def _of_classes(a: Fraction, b: Fraction, c: Fraction) -> tuple[Fraction, ...]:
    return a * b, a * (1 - b), (1 - a) * c, (1 - a) * (1 - c)


def _of_predictions(a: Fraction, b: Fraction, c: Fraction) -> tuple[Fraction, ...]:
    return a * b, (1 - a) * c, a * (1 - b), (1 - a) * (1 - c)


def _of_either(a: Fraction, b: Fraction, c: Fraction) -> tuple[Fraction, ...]:
    return a * b, a * (1 - b) * c, a * (1 - b) * (1 - c), 1 - a


@lru_cache(maxsize=4096)  # many metrics of a table ask for limits of the same shares
def _jeffreys(x: float, n: float, level: float) -> Limits:
    """Jeffreys limits of x of n; at either end the far one is (1 - level) / 2 to the 1 / n.

    Of a single row, or all but one, the near one is the exact one.
    """
    tail = (1 - level) / 2
    if n <= 0:
        return 0.0, 1.0
    if x <= 0:
        return 0.0, 1 - tail ** (1 / n)
    if x >= n:
        return tail ** (1 / n), 1.0
    return _lower(x, n, tail), 1 - _lower(n - x, n, tail)


def _lower(x: float, n: float, tail: float) -> float:
    a, b = (x, n - x + 1) if x <= 1 else (x + 0.5, n - x + 0.5)
    return _where(lambda p: _beta(p, a, b) - tail)


def _where(rising: Callable[[float], float]) -> float:
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (low, middle) if rising(middle) > 0 else (middle, high)
    return (low + high) / 2


def _beta(x: float, a: float, b: float) -> float:
    """P(X <= x) of a beta distribution, by Lentz's evaluation of its continued fraction."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta(1 - x, b, a)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front += a * math.log(x) + b * math.log1p(-x)
    return math.exp(front) / a * _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    """Abramowitz M., Stegun I. Handbook of Mathematical Functions, 1964, 26.5.8."""
    above, below = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    found = below
    for m in range(1, 100_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            below, above = 1 / (1 + term * below), 1 + term / above
            found *= above * below
        if abs(above * below - 1) < 1e-15:
            break
    return found
