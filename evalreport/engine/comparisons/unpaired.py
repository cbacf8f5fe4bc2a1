"""Models on two datasets: tests and intervals of a difference of independent rows."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from evalreport.engine.comparisons import designed
from evalreport.engine.comparisons.areas import (
    TOO_FEW,
    UNPAIRED_SCORE,
    ScoreForm,
    scale,
)
from evalreport.engine.comparisons.draws import of_table
from evalreport.engine.comparisons.hypotheses import Contrast, Values
from evalreport.engine.comparisons.own_limits import NO_LIMITS, OfLimits, of_limits
from evalreport.engine.comparisons.pairs import Side
from evalreport.engine.comparisons.result import (
    Counted,
    Limits,
    Replicates,
    Test,
    bootstrap_interval,
    bootstrap_tails,
    bootstrap_test,
    no_variation,
    replicates_of,
)
from evalreport.engine.comparisons.two_tables import OfTables, of_independent
from evalreport.engine.intervals.bootstrap import Bootstrap
from evalreport.engine.intervals.class_bootstrap import class_replicates
from evalreport.engine.intervals.methods import from_limits
from evalreport.engine.intervals.studied import design_of, was_studied
from evalreport.engine.measures import Measurer
from evalreport.engine.metric_values import Evaluated
from evalreport.metrics.comparing import ADDED, BOOTSTRAP, OF_TWO_MEANS, SATTERTHWAITE, Family
from evalreport.metrics.coverage_study import TWO_SAMPLES, Drawn
from evalreport.metrics.declare import Table
from evalreport.metrics.formula import Value
from evalreport.metrics.methods import method_title
from evalreport.plan.comparisons import ComparisonTask
from evalreport.plan.methods import ASKED
from evalreport.plan.task import AT_THRESHOLD, Task
from evalreport.results.identity import EVERYTHING
from evalreport.results.records import Interval
from evalreport.statistics import delong, hypotheses, means, unpaired
from evalreport.statistics.hypotheses import AtNull
from evalreport.statistics.interval import clipped
from evalreport.statistics.tail import normal_two_sided

Floats = npt.NDArray[np.float64]

NOT_DRAWN = "rows are not drawn for an average over both classes of one column of scores"
FEWER = "fewer than two rows on one of the two sides"
#: Tests, and intervals, of differences of areas of independent rows.
OF_AREAS = ("delong_unpaired", UNPAIRED_SCORE)


class Independent(Contrast):
    """A model on a dataset, and the same or another one on the reference dataset."""

    def __init__(self, model: Side, reference: Side) -> None:
        self.model = model
        self.reference = reference
        self._bootstraps = (
            Bootstrap(model.tables, model.settings),
            Bootstrap(reference.tables, reference.settings),
        )
        self._kept: dict[Task, Floats | str] = {}

    def counts(self, task: ComparisonTask, values: Values) -> Counted:  # noqa: ARG002 - of values
        if _cells(values) is None:
            return Counted()
        return Counted(fractions=(_fraction(values[0]), _fraction(values[1])))

    def studied(self, task: ComparisonTask) -> Drawn | None:
        """The smaller dataset as the study counts it; None where it has no such difference."""
        sides = (self.model, task.task), (self.reference, task.reference)
        if task.why == ASKED or not all(was_studied(side.view, own) for side, own in sides):
            return None
        if any(design_of(side.view) for side, _ in sides):
            return None
        counted = []
        for side, own in sides:
            positives = float(side.view.class_rows[side.class_index(own)])
            counted.append(Drawn(positives, side.view.rows - positives, TWO_SAMPLES))
        return min(counted)

    def test(self, task: ComparisonTask, values: Values, difference: float) -> Test:
        if task.test_reason is not None:
            return Test(reason=task.test_reason)
        if task.test in hypotheses.UNPAIRED_TAILS:
            return of_proportions(task.test, _cells(values))
        if task.test in OF_AREAS:
            return self._of_areas(task)
        if task.test in OF_TWO_MEANS:
            return _welch_test(self._of_means(task, values, task.test))
        if task.test == ADDED:
            added = self._added(task, difference)
            return Test(reason=NO_LIMITS) if added is None else added.test()
        return bootstrap_test(difference, self._replicates(task))

    def interval(self, task: ComparisonTask, values: Values, difference: float) -> Limits:
        level, method = self.model.settings.level, task.interval
        if task.interval_reason is not None:
            return None, task.interval_reason
        if method in unpaired.UNPAIRED_METHODS:
            counts = _cells(values)
            if counts is None:
                return None, "it is not one fraction of counts"
            limits = unpaired.UNPAIRED_METHODS[method](*counts, level)
            interval = from_limits(limits, level, method)
            return (
                interval,
                None if interval is not None else f"{method_title(method)} gives none here",
            )
        if method in OF_AREAS:
            return self._area_interval(task, level)
        if method in OF_TWO_MEANS:
            return _welch_limits(self._of_means(task, values, method), level, method)
        if method == ADDED:
            added = self._added(task, difference)
            if isinstance(added, OfTables):
                return added.interval(level), None
            return (None, NO_LIMITS) if added is None else (added.interval(), None)
        return bootstrap_interval(difference, self._replicates(task), level, method)

    def tails(self, task: ComparisonTask, values: Values, difference: float) -> AtNull | None:
        asked = "" if task.hypothesis is None else task.hypothesis.test
        scored = self._scored(task, asked) if asked in OF_AREAS else None
        if scored is not None:
            return scored.tails
        counts, of_two = _cells(values), hypotheses.UNPAIRED_TAILS.get(asked)
        if counts is not None and of_two is not None:
            return lambda null: of_two(*counts, null)
        if asked == BOOTSTRAP:
            return bootstrap_tails(self._replicates(task))
        added = self._added(task, difference) if asked == ADDED else None
        return None if added is None else added.tails

    def _added(self, task: ComparisonTask, difference: float) -> OfTables | OfLimits | None:
        """By the shares of both tables, or the limits of both values, squared and added.

        None where a value has no limits, or lies on a scale that depends on the number of rows.
        """
        sides = (self.model, task.task), (self.reference, task.reference)
        if task.family is Family.AREA and len({scale(*side) for side in sides}) > 1:
            return None
        single = not any(_is_dependent(side) for side in (self.model, self.reference))
        if task.family is Family.SHARES and single:
            return of_independent(self.model, self.reference, task)
        return of_limits((self.model, self.reference), task, difference, 0.0)

    # -- means ------------------------------------------------------------------------------

    def _of_means(self, task: ComparisonTask, values: Values, method: str) -> means.PairedT | None:
        """A t of two means of losses; None with fewer than two rows on a side."""
        own_df = method == SATTERTHWAITE
        one = _mean(self.model, task.task, values[0], own_df=own_df)
        two = _mean(self.reference, task.reference, values[1], own_df=own_df)
        if one is None or two is None:
            return None
        return means.welch_t(one, two, self.model.settings.level)

    # -- areas ------------------------------------------------------------------------------

    def _area(self, side: Side, task: Task) -> delong.AreaLimits | None:
        """Area and DeLong variance of one side; None without a class."""
        index = None if len(side.view.labels) <= 2 else side.class_index(task)
        table = side.tables.scores(EVERYTHING, index)
        return delong.area_of(table.positives, table.negatives)

    def _scored(self, task: ComparisonTask, planned: str) -> ScoreForm | None:
        """The difference in score form, where that is planned."""
        one, two = self._area(self.model, task.task), self._area(self.reference, task.reference)
        first, second = scale(self.model, task.task), scale(self.reference, task.reference)
        if one is None or two is None or first != second or planned != UNPAIRED_SCORE:
            return None
        df = min(one.degrees, two.degrees)
        return ScoreForm(one, two, 0.0, df, first, planned)

    def _welch_areas(self, task: ComparisonTask) -> means.PairedT | None:
        """Welch's t on DeLong variances: the rows of the two datasets are independent."""
        one, two = self._area(self.model, task.task), self._area(self.reference, task.reference)
        if one is None or two is None or None in (one.variance, two.variance):
            return None
        areas = [
            means.Mean(found.area, found.variance or 0.0, side.view.rows - 1.0)
            for found, side in ((one, self.model), (two, self.reference))
        ]
        return means.welch_t(areas[0], areas[1], self.model.settings.level)

    def _of_areas(self, task: ComparisonTask) -> Test:
        scored = self._scored(task, task.test)
        if scored is not None:
            return scored.test()
        found = self._welch_areas(task)
        if found is None:
            return Test(reason=TOO_FEW)
        first, second = scale(self.model, task.task), scale(self.reference, task.reference)
        test = _welch_test(found)
        if test.error is None:
            return test
        return replace(test, error=abs(first) * test.error if first == second else None)

    def _area_interval(self, task: ComparisonTask, level: float) -> Limits:
        first, second = scale(self.model, task.task), scale(self.reference, task.reference)
        if first != second:
            return None, "its range depends on the number of rows"
        scored = self._scored(task, task.interval)
        if scored is not None:
            return scored.interval(level), None
        found = self._welch_areas(task)
        if found is None:
            return None, TOO_FEW
        if found.error is None:
            return None, "the variance of the difference is 0"
        low, high = (first * limit for limit in clipped(*found.interval, -1.0, 1.0))
        return Interval(level, low, high, "delong_unpaired", df=found.df), None

    # -- bootstrap ----------------------------------------------------------------------------

    def _replicates(self, task: ComparisonTask) -> Replicates | str:
        one = self._of_side(0, self.model, task.task)
        two = self._of_side(1, self.reference, task.reference)
        if isinstance(one, str) or isinstance(two, str):
            return one if isinstance(one, str) else str(two)
        size = min(len(one), len(two))
        return replicates_of(one[:size], two[:size])

    def _of_side(self, place: int, side: Side, task: Task) -> Floats | str:
        if task not in self._kept:
            self._kept[task] = _replicates(self._bootstraps[place], side, task)
        return self._kept[task]


def _is_dependent(side: Side) -> bool:
    """Whether rows have weights or stand in clusters."""
    return side.view.weight is not None or side.view.cluster is not None


def _mean(side: Side, task: Task, value: Evaluated, *, own_df: bool) -> means.Mean | None:
    """The mean of the losses of a side, from its table of scores where it has one of them.

    Of rows with weights or in clusters by what each row contributes.
    """
    if _is_dependent(side):
        found = designed.of_value(side, task, value)
        if found is None or not isinstance(value.outcome, Value):
            return None
        return means.Mean(value.outcome.number, found.variance, found.df)
    if not _of_one_column(task):
        of_rows = side.losses(task)
        if of_rows is None:
            return None
        times = np.ones(len(of_rows)) if side.view.times is None else side.view.times
        return means.mean_of(of_rows, times, own_df=own_df)
    metric, index = side.metric(task), _column(side, task)
    table = side.tables.scores(EVERYTHING, index)
    assert metric.row_loss is not None
    losses = [metric.row_loss(table.scores, True), metric.row_loss(table.scores, False)]
    counted = [table.positives, table.negatives]
    return means.mean_of(np.concatenate(losses), np.concatenate(counted), own_df=own_df)


def _welch_test(found: means.PairedT | None) -> Test:
    if found is None:
        return Test(reason=FEWER)
    if found.p_value is None:
        return no_variation(found.difference)
    df = found.df if math.isfinite(found.df) else None
    return Test(found.statistic, found.p_value, df, error=found.error)


def _welch_limits(found: means.PairedT | None, level: float, method: str) -> Limits:
    if found is None:
        return None, FEWER
    interval = from_limits(found.interval, level, method)
    if interval is None or found.error is None:
        return None, "the variance of the difference is 0"
    return replace(interval, standard_error=found.error, df=found.df), None


def _replicates(bootstrap: Bootstrap, side: Side, task: Task) -> Floats | str:
    metric, arguments = side.metric(task), side.arguments(task)
    if task.table in AT_THRESHOLD:
        threshold = side.threshold(task).number
        table = side.tables.classification(EVERYTHING, threshold)
        if table.extra:
            return "an indeterminate prediction has no place in a table of these classes"
        return bootstrap.of_table(EVERYTHING, threshold, of_table(side, task), table.dense)
    if not _of_one_column(task):
        measurer = Measurer(side.view, side.tables, side.settings, side.thresholds)
        found = class_replicates(measurer, replace(task, where=EVERYTHING), metric, arguments)
        return NOT_DRAWN if found is None else found
    return bootstrap.of_scores(
        EVERYTHING, _column(side, task), lambda drawn: metric(drawn, **arguments).array()
    )


def _of_one_column(task: Task) -> bool:
    return task.table == Table.SCORES.value and task.average is None


def _column(side: Side, task: Task) -> int | None:
    return side.class_index(task) if len(side.view.labels) > 2 else None


# -- proportions ------------------------------------------------------------------------------


def _cells(values: Values) -> tuple[float, float, float, float] | None:
    one, two = values
    numbers = (one.numerator, one.denominator, two.numerator, two.denominator)
    if any(number is None for number in numbers):
        return None
    x1, n1, x2, n2 = (float(number or 0) for number in numbers)
    return x1, n1, x2, n2


def _fraction(value: Evaluated) -> tuple[float, float] | None:
    if value.numerator is None or value.denominator is None:
        return None
    return value.numerator, value.denominator


def of_proportions(test: str, counts: tuple[float, float, float, float] | None) -> Test:
    """A test of two shares of independent rows: hits and rows of the model, then the reference."""
    if counts is None:
        return Test(reason="it is not one fraction of counts")
    if test == "fisher_exact":
        whole = [int(c) for c in counts]
        return Test(p_value=unpaired.fisher_exact(whole[0], whole[1], whole[2], whole[3]))
    found = hypotheses.UNPAIRED_TAILS[test](*counts, 0.0)
    if found is None or found.statistic is None:
        return no_variation(counts[0] / counts[1] - counts[2] / counts[3])
    return Test(found.statistic, normal_two_sided(found.statistic))
