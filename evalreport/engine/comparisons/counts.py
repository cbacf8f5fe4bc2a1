"""Differences of shares of rows by the counts of both sides that stand in the record.

Tests, limits, one-sided tails and ratios follow from the counts alone, by the names of their
methods: the same code makes a record and verifies it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from evalreport.engine.comparisons.contrast import (
    ByError,
    Contrast,
    Limits,
    Test,
    Unknown,
    equality_tails,
    no_variation,
)
from evalreport.engine.intervals.methods import from_limits
from evalreport.metrics.declare import Metric
from evalreport.metrics.methods import ALONZO, KOOPMAN, MOSKOWITZ_PEPE, method_title
from evalreport.metrics.properties import share_of
from evalreport.results.records import Calls, JointCalls, JointTable, Ratio
from evalreport.statistics import hypotheses, paired, predictive, ratios, unpaired
from evalreport.statistics.hypotheses import Tails
from evalreport.statistics.interval import Interval
from evalreport.statistics.predictive import PairedCalls
from evalreport.statistics.tail import ChiSquare, normal_two_sided

#: Rows above and below the line of a share.
Fraction = tuple[float, float]
Cells = tuple[float, float, float, float]

NO_DISCORDANT = "the two models differ on no row"
NO_CALLS = "one of the two calls no row"
NO_FRACTION = "it is not one fraction of counts"
#: Of limits that are not looked at.
LEVEL = 0.95
ZERO = "one of the two shares is 0"


@dataclass(frozen=True)
class Counted:
    """The counts that a reader can check a difference with, as far as there are any.

    ``rows``, ``calls``: of the same rows; ``fractions``: of other rows, of the model and of
    the reference; ``folds``: the difference in each fold.
    """

    rows: JointTable | None = None
    calls: JointCalls | None = None
    fractions: tuple[Fraction | None, Fraction | None] = (None, None)
    folds: tuple[float, ...] | None = None

    def contrast(self, metric: Metric, name: str, difference: float) -> Contrast | None:
        """The difference by a test or by limits of the counts; None where these are no others'."""
        one, two = self.fractions
        if self.rows is not None and _is_of(name, *OF_SAME_ROWS):
            joint = self.rows
            cells = (joint.n11, joint.n10, joint.n01, joint.n00)
            return OfShares(name, cells, float(joint.n10 - joint.n01), *OF_SAME_ROWS)
        if one is not None and two is not None and _is_of(name, *OF_OTHER_ROWS):
            x1, n1, x2, n2 = map(float, (*one, *two))
            return OfShares(name, (x1, n1, x2, n2), difference, *OF_OTHER_ROWS)
        if self.calls is None:
            return None
        if name == "wald":
            found = predictive.call_moments(*counted_calls(metric, self.calls))
            if found is None:
                return Unknown(NO_CALLS)
            return ByError(found.difference, found.error, None, name, most=1.0)
        known = name in OF_CALLS or name in predictive.CALL_METHODS
        return OfCalls(name, metric, self.calls, difference) if known else None

    def ratio(self, metric: Metric, level: float) -> Ratio:
        """The share of the model over that of the reference."""
        if self.calls is not None:
            value = predictive.relative_ppv(*counted_calls(metric, self.calls), level)
            if value is not None:
                return _ratio(value.ratio, value.interval, level, MOSKOWITZ_PEPE)
        elif self.rows is not None:
            joint = self.rows
            share = paired.relative_share(joint.n11, joint.n10, joint.n01, joint.n00, level)
            if share is not None:
                return _ratio(share.ratio, share.interval, level, ALONZO)
        else:
            one, two = self.fractions
            if one is None or two is None:
                return Ratio(reason=NO_FRACTION)
            if one[1] and two[1] and two[0]:
                limits = ratios.koopman(*one, *two, level)
                return _ratio((one[0] / one[1]) / (two[0] / two[1]), limits, level, KOOPMAN)
        return Ratio(reason=ZERO)


def _ratio(value: float, limits: Interval | None, level: float, method: str) -> Ratio:
    interval, reason = _given(limits, level, method)
    if interval is not None and interval.low == interval.high:
        return Ratio(value=value, reason="the two differ on no row")
    return Ratio(value=value, interval=interval, reason=reason)


def _given(limits: Interval | None, level: float, method: str) -> Limits:
    """Limits as a record has them, or that the method gives none."""
    found = from_limits(limits, level, method)
    return found, None if found is not None else f"{method_title(method)} gives no limits here"


# -- shares ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OfShares(Contrast):
    """Two shares by four counts: n11, n10, n01, n00, or the hits and rows of both sides.

    ``name``: of the test, or of the limits. ``apart``: 0 where the shares are equal.
    """

    name: str
    cells: Cells
    apart: float
    at_null: Mapping[str, hypotheses.SharesAtNull]
    methods: Mapping[str, Callable[..., Interval | None]]

    def test(self) -> Test:
        if self.name in OF_EQUALITY:
            return OF_EQUALITY[self.name](*self.cells)
        found = self.tails(0.0)
        if found is None or found.statistic is None:
            return no_variation(self.apart)
        return Test(found.statistic, normal_two_sided(found.statistic))

    def tails(self, null: float) -> Tails | None:
        return self.at_null[self.name](*self.cells, null)

    def limits(self, level: float) -> Limits:
        return _given(self.methods[self.name](*self.cells, level), level, self.name)


def _is_of(name: str, *tables: Mapping[str, object]) -> bool:
    return any(name in table for table in tables)


#: Tests by their nulls, and limits, of two shares of the same rows, and of two datasets.
OF_SAME_ROWS = (hypotheses.PAIRED_TAILS, paired.PAIRED_METHODS)
OF_OTHER_ROWS = (hypotheses.UNPAIRED_TAILS, unpaired.UNPAIRED_METHODS)


def _of_discordant(
    p_value: Callable[[float, float], float], _n11: float, n10: float, n01: float, _n00: float
) -> Test:
    return Test(p_value=p_value(n10, n01), reason=None if n10 + n01 else NO_DISCORDANT)


def _chi_square(
    found: Callable[[float, float], ChiSquare | None],
    _n11: float,
    n10: float,
    n01: float,
    _n00: float,
) -> Test:
    result = found(n10, n01)
    if result is None:
        return Test(reason=f"{NO_DISCORDANT}: the statistic is 0 / 0")
    return Test(result.statistic, result.p_value, float(result.df))


def _fisher(x1: float, n1: float, x2: float, n2: float) -> Test:
    return Test(p_value=unpaired.fisher_exact(int(x1), int(n1), int(x2), int(n2)))


#: Tests of shares that are no normal deviate.
OF_EQUALITY: Mapping[str, Callable[..., Test]] = {
    "mcnemar_exact": partial(_of_discordant, paired.mcnemar_exact),
    "mcnemar_midp": partial(_of_discordant, paired.mcnemar_midp),
    "mcnemar": partial(_chi_square, paired.mcnemar),
    "mcnemar_corrected": partial(_chi_square, paired.mcnemar_corrected),
    "fisher_exact": _fisher,
}


# -- calls ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class OfCalls(Contrast):
    """Two predictive values by the rows that each model calls."""

    name: str
    metric: Metric
    calls: JointCalls
    difference: float

    def test(self) -> Test:
        return OF_CALLS[self.name](self.metric, self.calls)

    def tails(self, null: float) -> Tails | None:
        return None if null else equality_tails(self.test(), self.difference)

    def limits(self, level: float) -> Limits:
        sides = counted_calls(self.metric, self.calls)
        return _given(predictive.CALL_METHODS[self.name](*sides, level), level, self.name)


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
    """The rows of one class by which of two models call them positive, as numbers."""
    return PairedCalls(
        float(calls.both), float(calls.first_only), float(calls.second_only), float(calls.neither)
    )


def _relative_test(metric: Metric, calls: JointCalls) -> Test:
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


#: Tests of predictive values, beside the one by their standard error.
OF_CALLS: Mapping[str, Callable[[Metric, JointCalls], Test]] = {
    **{name: partial(_score_test, test) for name, test in predictive.SCORE_TESTS.items()},
    MOSKOWITZ_PEPE: _relative_test,
}
#: Tests and limits that follow from counts.
METHODS = frozenset({*OF_CALLS, *predictive.CALL_METHODS}.union(*OF_SAME_ROWS, *OF_OTHER_ROWS))
