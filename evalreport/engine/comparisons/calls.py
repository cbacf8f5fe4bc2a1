"""Two models by the rows that each calls: predictive values, and ratios of any two shares.

Everything follows from counts that stand in the record: the same code makes and verifies it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

from evalreport.engine.comparisons.result import Test, no_variation
from evalreport.engine.intervals.methods import from_limits
from evalreport.metrics.comparing import share_of
from evalreport.metrics.declare import Metric
from evalreport.metrics.methods import method_title
from evalreport.results import records
from evalreport.results.records import Calls, JointCalls, JointTable, Ratio
from evalreport.statistics import predictive, ratios
from evalreport.statistics.interval import Interval
from evalreport.statistics.paired import relative_share
from evalreport.statistics.predictive import PairedCalls
from evalreport.statistics.tail import normal_two_sided

NO_DISCORDANT = "the two models differ on no row"
MOSKOWITZ_PEPE, ALONZO, KOOPMAN = "moskowitz_pepe", "alonzo", "koopman"
#: Of limits that are not looked at.
LEVEL = 0.95
ZERO = "one of the two shares is 0"


def counted_calls(metric: Metric, calls: JointCalls) -> tuple[PairedCalls, PairedCalls]:
    """The rows above the line of a share of calls, and the others, by who calls them.

    For the NPV a call is a negative prediction, and the rows above the line are negative.
    """
    share = share_of(metric)
    positives, negatives = counted(calls.actual_positive), counted(calls.actual_negative)
    called = share.bottom[True, True]
    if not called:
        positives, negatives = positives.of_negative(), negatives.of_negative()
    return (positives, negatives) if share.top[True, called] else (negatives, positives)


def counted(calls: Calls) -> PairedCalls:
    """Rows by which of two models call them, as numbers."""
    return PairedCalls(
        float(calls.both), float(calls.first_only), float(calls.second_only), float(calls.neither)
    )


def wald_test(metric: Metric, calls: JointCalls) -> Test:
    """The difference of two predictive values over its delta standard error."""
    found = predictive.call_moments(*counted_calls(metric, calls))
    if found is None:
        return Test(reason="one of the two calls no row")
    if found.error == 0.0:
        return no_variation(found.difference)
    z = found.difference / found.error
    return Test(z, normal_two_sided(z), error=found.error)


def relative_test(metric: Metric, calls: JointCalls) -> Test:
    """The logarithm of the ratio of two predictive values over its standard error."""
    found = predictive.relative_ppv(*counted_calls(metric, calls), LEVEL)
    if found is None:
        return Test(reason=ZERO)
    if found.p_value is None:
        return no_variation(found.ratio - 1.0)
    return Test(math.log(found.ratio) / found.log_standard_error, found.p_value)


def _score_test(found: predictive.ScoreTest, metric: Metric, calls: JointCalls) -> Test:
    """A score test of equal predictive values; of wrong calls it is that of the right ones."""
    positives, negatives = counted(calls.actual_positive), counted(calls.actual_negative)
    if not share_of(metric).bottom[True, True]:
        positives, negatives = negatives.of_negative(), positives.of_negative()
    result = found(positives, negatives)
    if result is not None:
        return Test(result.statistic, result.p_value, float(result.df))
    if not any(part.first_only + part.second_only for part in (positives, negatives)):
        return Test(p_value=1.0, reason=NO_DISCORDANT)
    return Test(reason="the statistic has no variance")


#: Tests of predictive values.
OF_CALLS: Mapping[str, Callable[[Metric, JointCalls], Test]] = {
    **{name: partial(_score_test, test) for name, test in predictive.SCORE_TESTS.items()},
    "wald": wald_test,
    MOSKOWITZ_PEPE: relative_test,
}


def call_interval(
    metric: Metric, calls: JointCalls, method: str, level: float
) -> records.Interval | None:
    """An interval of a difference of predictive values that draws nothing."""
    limits = predictive.CALL_METHODS[method](*counted_calls(metric, calls), level)
    return from_limits(limits, level, method)


# -- ratios ---------------------------------------------------------------------------------------


def paired_ratio(
    metric: Metric, rows: JointTable | None, calls: JointCalls | None, level: float
) -> Ratio:
    """A share of the model over that of the reference on the same rows."""
    if calls is not None:
        found = predictive.relative_ppv(*counted_calls(metric, calls), level)
        if found is not None:
            return _ratio(found.ratio, found.interval, level, MOSKOWITZ_PEPE)
    elif rows is not None:
        share = relative_share(rows.n11, rows.n10, rows.n01, rows.n00, level)
        if share is not None:
            return _ratio(share.ratio, share.interval, level, ALONZO)
    return Ratio(reason=ZERO)


def unpaired_ratio(
    one: tuple[float, float] | None, two: tuple[float, float] | None, level: float
) -> Ratio:
    """A share of one dataset over that of the other: counts above and below each line."""
    if one is None or two is None:
        return Ratio(reason="it is not one fraction of counts")
    if not one[1] or not two[1] or not two[0]:
        return Ratio(reason=ZERO)
    value = (one[0] / one[1]) / (two[0] / two[1])
    limits = ratios.koopman(*one, *two, level)
    return _ratio(value, limits, level, KOOPMAN)


def _ratio(value: float, limits: Interval | None, level: float, method: str) -> Ratio:
    interval = from_limits(limits, level, method)
    if interval is not None and interval.low == interval.high:
        return Ratio(value=value, reason="the two differ on no row")
    reason = None if interval is not None else f"{method_title(method)} gives none here"
    return Ratio(value=value, interval=interval, reason=reason)
