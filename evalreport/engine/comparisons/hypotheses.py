"""A difference as it is found, and what was to be shown of it: the one-sided test of the plan.

The same for two models on the same rows and for one model on two datasets: a test of counts
has a statistic at every null, any other is the difference less the null over its error.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace

from evalreport.engine.comparisons.calls import paired_ratio, unpaired_ratio
from evalreport.engine.comparisons.pairs import metric_of
from evalreport.engine.comparisons.result import Counted, Found, Limits, Test, ratio_with_study
from evalreport.engine.intervals.studied import with_study
from evalreport.engine.metric_values import Evaluated
from evalreport.metrics.coverage_study import Drawn
from evalreport.metrics.declare import Goal
from evalreport.plan.comparisons import ComparisonTask
from evalreport.results.records import Ratio
from evalreport.statistics import hypotheses
from evalreport.statistics.hypotheses import AtNull, Tails

#: How a test that is planned by name is made; for the test of a hypothesis too.
ByName = Callable[[ComparisonTask], Test]
#: The values of the model and of the reference.
Values = tuple[Evaluated, Evaluated]


class Contrast(ABC):
    """Two models on the same rows, or on rows of their own, by the planned methods."""

    def found(self, task: ComparisonTask, values: Values, difference: float, level: float) -> Found:
        """Test, interval and counts of one difference."""
        test, counts = self.test(task, values, difference), self.counts(task, values)
        interval, reason = self.interval(task, values, difference)
        metric, drawn = task.task.metric, self.studied(task)
        ratio = ratio_with_study(_ratio(task, counts, level), metric, drawn)
        found = Found(test, with_study(interval, metric, drawn), reason, counts, ratio=ratio)

        def by_name(other: ComparisonTask) -> Test:
            return self.test(other, values, difference)

        tails = None if task.hypothesis is None else self.tails(task, values, difference)
        return with_hypothesis(found, task, difference, by_name, tails)

    @abstractmethod
    def counts(self, task: ComparisonTask, values: Values) -> Counted:
        """The counts that a reader can check the difference with, as far as there are any."""

    @abstractmethod
    def test(self, task: ComparisonTask, values: Values, difference: float) -> Test:
        """The test that the task names."""

    @abstractmethod
    def interval(self, task: ComparisonTask, values: Values, difference: float) -> Limits:
        """The interval that the task names, or why there is none."""

    @abstractmethod
    def studied(self, task: ComparisonTask) -> Drawn | None:
        """The rows as the study counts them; None where it has no such difference, or default."""

    @abstractmethod
    def tails(self, task: ComparisonTask, values: Values, difference: float) -> AtNull | None:
        """The test of the hypothesis at every null; None where it has one by its error alone."""


def _ratio(task: ComparisonTask, counts: Counted, level: float) -> Ratio | None:
    if not task.ratio:
        return None
    if task.ratio_reason is not None:
        return Ratio(reason=task.ratio_reason)
    if task.paired:
        return paired_ratio(metric_of(task.task), counts.rows, counts.calls, level)
    return unpaired_ratio(*counts.fractions, level)


def with_hypothesis(
    found: Found, task: ComparisonTask, difference: float, by_name: ByName, counts: AtNull | None
) -> Found:
    """The comparison with the test of its hypothesis, where the spec states one.

    ``counts``: the tails of the planned test where it is one of counts. ``by_name`` makes any
    other test of a difference of 0, with its standard error.
    """
    asked = task.hypothesis
    if asked is None:
        return found
    if asked.reason is not None:
        return replace(found, hypothesis=Test(reason=asked.reason))
    made = found.test if asked.test == task.test else by_name(replace(task, test=asked.test))
    at = counts
    if at is None and made.p_value is None and made.error is None:
        return replace(found, hypothesis=Test(reason=made.reason or "it has no standard error"))
    decided = hypotheses.decide(
        asked.kind,
        asked.margin,
        at or tails_of(made, difference),
        gain=gain_of(task),
    )
    if decided is None:
        reason = made.reason or "the difference does not vary: no statistic can be formed"
        return replace(found, hypothesis=Test(reason=reason))
    test = Test(decided.statistic, decided.p_value, decided.df, error=made.error, name=made.name)
    return replace(found, hypothesis=test, null=decided.null)


def tails_of(test: Test, difference: float) -> AtNull:
    """Tails of a test by its standard error, or, of equality alone, by its signed root."""

    def at(null: float) -> Tails | None:
        if test.error:
            return hypotheses.from_error(difference, test.error, test.df)(null)
        if null or test.statistic is None:
            return None
        if test.df is None:
            return hypotheses.of_normal(test.statistic)
        # what is left are chi-squares on one degree
        return hypotheses.of_normal(math.copysign(math.sqrt(test.statistic), difference))

    return at


def gain_of(task: ComparisonTask) -> int:
    """1 where more of the metric is better, else -1."""
    return -1 if metric_of(task.task).goal is Goal.MINIMIZE else 1
