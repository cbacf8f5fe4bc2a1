"""The standard error that an interval was made with, read from its limits."""

from __future__ import annotations

import math

from evalreport.metrics.catalogue import find
from evalreport.metrics.methods import AT_CUT, AT_CUT_OF_CLUSTERS, SQUARE_AND_ADD
from evalreport.results.records import Interval, Measure
from evalreport.statistics.interval import z_value

#: Interval methods from whose width the standard error can be read.
NORMAL = frozenset({"delong", "normal", "delta", "wald", "obuchowski", "sandwich", "influence"})
#: Those that are symmetric on the logit scale of a measure with a least and a greatest value.
ON_LOGITS = frozenset({"delong_logit"})
#: Those whose variance is recovered from both limits (Zou G., Donner A. Stat Med 27, 2008).
RECOVERED = frozenset({"newcombe_hybrid", SQUARE_AND_ADD, AT_CUT, AT_CUT_OF_CLUSTERS})


def standard_error(m: Measure, level: float) -> float | None:
    """The standard error of a measure; None where its interval was made without one.

    ``level``: of the interval.
    """
    limits = m.interval
    if limits is None or m.value is None:
        return None
    if limits.standard_error is not None:
        return limits.standard_error or None
    half = 0.0
    if limits.method in NORMAL:
        # a limit that was cut off at the edge of the range is the nearer one
        half = max(m.value - limits.low, limits.high - m.value)
    elif limits.method in RECOVERED:
        half = (limits.high - limits.low) / 2
    elif limits.method in ON_LOGITS:
        half = _from_logits(m.value, limits, _bounds(m))
    return half / z_value(level) if half > 0 else None


def _bounds(m: Measure) -> tuple[float, float]:
    metric = find(m.metric)
    return (0.0, math.inf) if metric is None else metric.bounds


def _from_logits(value: float, limits: Interval, bounds: tuple[float, float]) -> float:
    """The half-width on the measure's own scale; 0 where it has no least or greatest value."""
    least, most = bounds
    width = most - least
    if not math.isfinite(width):
        return 0.0
    own, low, high = ((x - least) / width for x in (value, limits.low, limits.high))
    if not (0 < low < own < high < 1):
        return 0.0
    return (_logit(high) - _logit(low)) / 2 * own * (1 - own) * width


def _logit(share: float) -> float:
    return math.log(share) - math.log1p(-share)
