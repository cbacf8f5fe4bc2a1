"""One comparison of two sides: its test, limits, ratio and hypothesis, with the counts of both.

How the two sides are compared is a contrast for each planned method; what is made of contrasts is
the same for two models on the same rows and for one model on two datasets.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace

from evalreport.engine.comparisons.contrast import (
    NO_STATISTIC,
    Contrast,
    Limits,
    Test,
    equality_tails,
)
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
from evalreport.statistics.hypotheses import AtNull, Tails

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
    """A model and its reference, and how they are compared by the planned methods."""

    def found(self, task: ComparisonTask, values: Values, difference: float, level: float) -> Found:
        """Test, limits, ratio and hypothesis of one difference, with the counts they rest on."""
        test, counts = self.test(task, values, difference), self.counts(task, values)
        interval, reason = self.interval(task, values, difference)
        name, drawn = self.studied(task) or ("", None)
        sides = number_of(values[0]), number_of(values[1])
        ratio = None
        if task.ratio:
            ratio = records.Ratio(reason=task.ratio_reason)
            if task.ratio_reason is None:
                ratio = counts.ratio(metric_named(task.task.metric), level)
                limits = with_study(ratio.interval, name, drawn, sides, RATIO)
                ratio = replace(ratio, interval=limits)
        interval = with_study(interval, name, drawn, sides)
        found = Found(test, interval, reason, counts, ratio=ratio)
        asked = task.hypothesis
        if asked is None or asked.reason is not None:
            return found if asked is None else replace(found, hypothesis=Test(reason=asked.reason))
        if asked.test != task.test:
            test = self.test(replace(task, test=asked.test), values, difference)
        tails = self.tails(task, values, difference) or tails_of(test, difference)
        return with_hypothesis(found, task, test, tails)

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
    def studied(self, task: ComparisonTask) -> tuple[str, Drawn] | None:
        """The value in the study; None where it has no such difference, or default."""

    @abstractmethod
    def tails(self, task: ComparisonTask, values: Values, difference: float) -> AtNull | None:
        """The test of the hypothesis at every null; None where nothing but that test is known."""


class ByContrast(Comparer):
    """By rows: of each method that is planned there is one contrast, its test and its limits."""

    def __init__(self, model: Side, reference: Side) -> None:
        self.model, self.reference = model, reference
        self._made: dict[tuple[str, Task, Task], Contrast] = {}

    @abstractmethod
    def contrast(
        self, task: ComparisonTask, values: Values, difference: float, method: str
    ) -> Contrast:
        """The difference by a test or by limits, whichever the method is of."""

    def test(self, task: ComparisonTask, values: Values, difference: float) -> Test:
        if task.test_reason is not None:
            return Test(reason=task.test_reason)
        return self._by(task.test, task, values, difference).test()

    def interval(self, task: ComparisonTask, values: Values, difference: float) -> Limits:
        if task.interval_reason is not None:
            return None, task.interval_reason
        by = self._by(task.interval, task, values, difference)
        return by.interval(self.model.settings.level)

    def tails(self, task: ComparisonTask, values: Values, difference: float) -> AtNull | None:
        if task.hypothesis is None:
            return None
        return self._by(task.hypothesis.test, task, values, difference).tails

    def _by(self, method: str, task: ComparisonTask, values: Values, difference: float) -> Contrast:
        key = method, task.task, task.reference
        if key not in self._made:
            self._made[key] = self.contrast(task, values, difference, method)
        return self._made[key]


def with_hypothesis(found: Found, task: ComparisonTask, test: Test, tails: AtNull) -> Found:
    """The comparison with the one-sided test of what the spec states.

    ``test``: the two-sided test of the same method; ``tails``: its one-sided ones at every null.
    """
    asked = task.hypothesis
    if asked is None:
        return found
    gain = -1 if metric_named(task.task.metric).goal is Goal.MINIMIZE else 1
    decided = hypotheses.decide(asked.kind, asked.margin, tails, gain=gain)
    if decided is None:
        return replace(found, hypothesis=Test(reason=test.reason or NO_STATISTIC))
    shown = Test(decided.statistic, decided.p_value, decided.df, error=test.error)
    return replace(found, hypothesis=shown, null=decided.null)


def tails_of(test: Test, difference: float) -> AtNull:
    """Tails of a test by its standard error, or, of equality alone, by its signed root."""
    if test.error:
        return hypotheses.from_error(difference, test.error, test.df)

    def at(null: float) -> Tails | None:
        return None if null else equality_tails(test, difference)

    return at


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
