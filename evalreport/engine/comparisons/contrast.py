"""A difference of two values: its test, its limits and its one-sided tails are one calculation.

What gives them is a statistic at every difference that a null hypothesis may hold, with the
limits that agree with it: by a standard error (:class:`ByError`), by the limits of both values, by
counts or by draws. The record of a comparison is written from this one value, whatever it is made
of.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evalreport.engine.intervals.methods import has_width
from evalreport.metrics.formula import BEYOND
from evalreport.results import records
from evalreport.statistics import hypotheses
from evalreport.statistics.hypotheses import Tails
from evalreport.statistics.interval import clipped, deviate
from evalreport.statistics.tail import normal_two_sided, t_two_sided

#: Why a difference has no limits: they would be the difference itself.
NO_VARIANCE = "the difference is the same throughout: it shows no variance"
NO_STATISTIC = "the difference does not vary: no statistic can be formed"

#: An interval, or why there is none.
Limits = tuple[records.Interval | None, str | None]


@dataclass(frozen=True)
class Test:
    """Statistic, degrees of freedom and p-value; ``reason`` where there is no p-value.

    ``error``: the standard error of the difference, as recorded, that the statistic divides by.
    """

    __test__ = False  # not a test case of pytest

    statistic: float | None = None
    p_value: float | None = None
    df: float | None = None
    reason: str | None = None
    error: float | None = None


def no_variation(difference: float) -> Test:
    """Without variation a difference of 0 has p = 1; any other cannot be tested."""
    return Test(p_value=1.0) if difference == 0.0 else Test(reason=NO_STATISTIC)


def equality_tails(test: Test, difference: float) -> Tails | None:
    """The tails of a test of equality alone: of a chi-square on one degree by its signed root."""
    if test.statistic is None:
        return None
    if test.df is None:
        return hypotheses.of_normal(test.statistic)
    return hypotheses.of_normal(math.copysign(math.sqrt(test.statistic), difference))


class Contrast(ABC):
    """What is known of one difference."""

    @abstractmethod
    def test(self) -> Test:
        """The two-sided test of no difference."""

    @abstractmethod
    def tails(self, null: float) -> Tails | None:
        """The same, one-sided, where the difference is ``null``; None where it has no such test."""

    @abstractmethod
    def limits(self, level: float) -> Limits:
        """The limits of the difference, or why there are none."""

    def interval(self, level: float) -> Limits:
        """The same without limits that are the difference itself: these show no variance."""
        found, reason = self.limits(level)
        if found is not None and not has_width(found):
            return None, NO_VARIANCE
        return found, reason


@dataclass(frozen=True)
class Unknown(Contrast):
    """A difference of which nothing can be said, and why."""

    reason: str

    def test(self) -> Test:
        return Test(reason=self.reason)

    def tails(self, null: float) -> None:  # noqa: ARG002 - as of every contrast
        return None

    def limits(self, level: float) -> Limits:  # noqa: ARG002 - as of every contrast
        return None, self.reason


class ByStatistic(Contrast):
    """By a statistic at every null: normal, or Student's with ``df`` degrees of freedom."""

    df: float | None

    @abstractmethod
    def statistic(self, null: float) -> float | None:
        """How many standard errors, signed, the difference lies from ``null``."""

    def test(self) -> Test:
        found = self.statistic(0.0)
        if found is None:
            return Test(reason="the difference is undefined")
        p_value = normal_two_sided(found) if self.df is None else t_two_sided(found, self.df)
        return Test(found, p_value, self.df)

    def tails(self, null: float) -> Tails | None:
        found = self.statistic(null)
        if found is None:
            return None
        return hypotheses.of_normal(found) if self.df is None else hypotheses.of_t(found, self.df)


@dataclass(frozen=True)
class ByError(ByStatistic):
    """The difference plus and minus its standard errors.

    ``error``: 0 or None where nothing varies. ``method``: of the limits, which lie within ``most``
    of 0. ``scale``: of the metric per unit of the difference, None where that is not one number.
    ``told``: what the record of the interval says beside its limits.
    """

    difference: float
    error: float | None
    df: float | None
    method: str
    most: float = math.inf
    scale: float | None = 1.0
    told: Mapping[str, Any] = field(default_factory=dict)

    def statistic(self, null: float) -> float | None:
        if not self.error or (null and self.scale is None):
            return None
        return (self.difference - null / (self.scale or 1.0)) / self.error

    def test(self) -> Test:
        if not self.error:
            return no_variation(self.difference)
        error = None if self.scale is None else abs(self.scale) * self.error
        found = super().test()
        return Test(found.statistic, found.p_value, found.df, error=error)

    def limits(self, level: float) -> Limits:
        if self.scale is None:
            return None, "its range depends on the number of rows"
        if not self.error:
            return None, NO_VARIANCE
        half = deviate(level, math.inf if self.df is None else self.df) * self.error
        within = clipped(self.difference - half, self.difference + half, -self.most, self.most)
        low, high = (self.scale * limit for limit in within)
        if not (math.isfinite(low) and math.isfinite(high)):
            return None, BEYOND
        return records.Interval(level, low, high, self.method, **self.told), None
