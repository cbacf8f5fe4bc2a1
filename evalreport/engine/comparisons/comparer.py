"""One comparison of two sides: its test, limits, ratio and hypothesis, with the counts of both.

How the two sides are compared is a contrast for each planned method; what is made of contrasts is
the same for two models on the same rows, over folds, and for one model on two datasets.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace

from evalreport.engine.comparisons.contrast import NO_STATISTIC, Contrast, Limits, Test
from evalreport.engine.comparisons.counts import Counted
from evalreport.engine.comparisons.pairs import Side
from evalreport.engine.intervals.studied import with_study
from evalreport.engine.metric_values import Evaluated
from evalreport.metrics.catalogue import metric_named
from evalreport.metrics.coverage_study import RATIO, Drawn
from evalreport.metrics.declare import Goal
from evalreport.metrics.formula import Value
from evalreport.plan.comparisons import ComparisonTask
from evalreport.plan.task import Task
from evalreport.results import records
from evalreport.statistics import hypotheses

#: The values of the model and of the reference.
Values = tuple[Evaluated, Evaluated]


@dataclass(frozen=True)
class Found:
    """The test and interval of one difference, and the counts that they came from.

    ``hypothesis``: the one-sided test of what was to be shown, against the difference ``null``.
    """

    test: Test
    interval: records.Interval | None
    interval_reason: str | None = None
    counts: Counted = field(default_factory=Counted)
    hypothesis: Test | None = None
    null: float | None = None
    ratio: records.Ratio | None = None


class Comparer(ABC):
    """A model and its reference: of each method that is planned one contrast, from rows or counts.

    What rows tell of a difference are its ``counts``, a ``contrast`` for each method, and how it
    was ``studied``; everything else of it is ``found`` from these.
    """

    def __init__(self, model: Side, reference: Side) -> None:
        self.model, self.reference = model, reference
        self._made: dict[tuple[str, Task, Task], Contrast] = {}

    @abstractmethod
    def counts(self, task: ComparisonTask, values: Values) -> Counted:
        """The counts that a reader can check the difference with, as far as there are any."""

    @abstractmethod
    def contrast(
        self, task: ComparisonTask, values: Values, difference: float, method: str
    ) -> Contrast:
        """The difference by a test or by limits, whichever the method is of."""

    @abstractmethod
    def studied(self, task: ComparisonTask) -> tuple[str, Drawn] | None:
        """The value in the study; None where it has no such difference, or default."""

    def found(self, task: ComparisonTask, values: Values, difference: float) -> Found:
        """Test, limits, ratio and hypothesis of one difference, with the counts they rest on."""
        test, counts = self._test(task, values, difference), self.counts(task, values)
        interval, reason = self._interval(task, values, difference)
        name, drawn = self.studied(task) or ("", None)
        sides = number_of(values[0]), number_of(values[1])
        ratio = None
        if task.ratio:
            ratio = records.Ratio(reason=task.ratio_reason)
            if task.ratio_reason is None:
                ratio = counts.ratio(metric_named(task.task.metric), self.model.settings.level)
                limits = with_study(ratio.interval, name, drawn, sides, RATIO)
                ratio = replace(ratio, interval=limits)
        interval = with_study(interval, name, drawn, sides)
        return self._with_hypothesis(
            Found(test, interval, reason, counts, ratio=ratio), task, values, difference
        )

    def _test(self, task: ComparisonTask, values: Values, difference: float) -> Test:
        if task.test_reason is not None:
            return Test(reason=task.test_reason)
        return self._by(task.test, task, values, difference).test()

    def _interval(self, task: ComparisonTask, values: Values, difference: float) -> Limits:
        if task.interval_reason is not None:
            return None, task.interval_reason
        by = self._by(task.interval, task, values, difference)
        found, reason = by.interval(self.model.settings.level)
        return None if found is None else self.noted(found), reason

    def noted(self, interval: records.Interval) -> records.Interval:
        """The limits with what a method passes over of the rows."""
        return interval

    def _with_hypothesis(
        self, found: Found, task: ComparisonTask, values: Values, difference: float
    ) -> Found:
        """The comparison with the one-sided test of what the spec states."""
        asked = task.hypothesis
        if asked is None or asked.reason is not None:
            return found if asked is None else replace(found, hypothesis=Test(reason=asked.reason))
        test = found.test
        if asked.test != task.test:
            test = self._test(replace(task, test=asked.test), values, difference)
        gain = -1 if metric_named(task.task.metric).goal is Goal.MINIMIZE else 1
        tails = self._by(asked.test, task, values, difference).tails
        decided = hypotheses.decide(asked.kind, asked.margin, tails, gain=gain)
        if decided is None:
            return replace(found, hypothesis=Test(reason=test.reason or NO_STATISTIC))
        shown = Test(decided.statistic, decided.p_value, decided.df, error=test.error)
        return replace(found, hypothesis=shown, null=decided.null)

    def _by(self, method: str, task: ComparisonTask, values: Values, difference: float) -> Contrast:
        key = method, task.task, task.reference
        if key not in self._made:
            self._made[key] = self.contrast(task, values, difference, method)
        return self._made[key]


def number_of(value: Evaluated) -> float | None:
    """The number that a value is; None where it is undefined."""
    return value.outcome.number if isinstance(value.outcome, Value) else None


def difference_of(model: Evaluated, reference: Evaluated) -> float | None:
    """Model minus reference, in exact fractions where both are; None unless both are numbers.

    None too of averages over different classes, whose difference is one of classes.
    """
    if set(model.left_out) != set(reference.left_out):
        return None
    if not (isinstance(model.outcome, Value) and isinstance(reference.outcome, Value)):
        return None
    if model.exact is not None and reference.exact is not None:
        return float(model.exact - reference.exact)
    return model.outcome.number - reference.outcome.number
