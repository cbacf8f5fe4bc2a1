"""A model on two datasets, or two models on one each: independent rows, by the planned methods."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from evalreport.engine.comparisons import areas, designed
from evalreport.engine.comparisons.comparer import Comparer, Values
from evalreport.engine.comparisons.contrast import ByError, Contrast, Unknown
from evalreport.engine.comparisons.counts import NO_FRACTION, OF_OTHER_ROWS, Counted, Fraction
from evalreport.engine.comparisons.draws import of_table
from evalreport.engine.comparisons.pairs import Side
from evalreport.engine.comparisons.replicates import Replicates, by_draws, replicates_of
from evalreport.engine.comparisons.square_and_add import NO_LIMITS, of_limits, of_two_tables
from evalreport.engine.intervals.bootstrap import Bootstrap
from evalreport.engine.intervals.class_bootstrap import class_replicates
from evalreport.engine.intervals.studied import studied_as, was_studied
from evalreport.engine.metric_values import Evaluated
from evalreport.metrics.coverage_study import TWO_SAMPLES, Drawn
from evalreport.metrics.declare import Table
from evalreport.metrics.formula import Value
from evalreport.metrics.methods import ADDED, OF_TWO_MEANS, SATTERTHWAITE, Family
from evalreport.plan.comparisons import ComparisonTask
from evalreport.plan.methods import REQUESTED
from evalreport.plan.task import AT_THRESHOLD, Task
from evalreport.results.identity import EVERYTHING
from evalreport.statistics import means

Floats = npt.NDArray[np.float64]

NOT_DRAWN = "rows are not drawn for an average over both classes of one column of scores"
FEWER = "fewer than two rows on one of the two sides"


class OtherRows(Comparer):
    """A model on a dataset, and the same or another one on the reference dataset."""

    def __init__(self, model: Side, reference: Side) -> None:
        super().__init__(model, reference)
        self._bootstraps = [Bootstrap(side.tables, side.settings) for side in (model, reference)]
        self._kept: dict[Task, Floats | str] = {}

    def contrast(
        self, task: ComparisonTask, values: Values, difference: float, method: str
    ) -> Contrast:
        counts = self.counts(task, values)
        known = counts.contrast(self.model.metric(task.task), method, difference)
        if known is not None:
            return known
        if any(method in table for table in OF_OTHER_ROWS):
            return Unknown(NO_FRACTION)
        if method in areas.OF_OTHER_ROWS:
            return areas.of_two(self.model, self.reference, task, method)
        if method in OF_TWO_MEANS:
            return self._of_means(task, values, method)
        if method == ADDED:
            return self._added(task, difference)
        return by_draws(difference, self._replicates(task), method)

    def counts(self, task: ComparisonTask, values: Values) -> Counted:  # noqa: ARG002 - of values
        one, two = (_fraction(value) for value in values)
        return Counted() if one is None or two is None else Counted(fractions=(one, two))

    def studied(self, task: ComparisonTask) -> tuple[str, Drawn] | None:
        """The smaller dataset as the study counts it."""
        sides = (self.model, task.task), (self.reference, task.reference)
        if task.why in REQUESTED:
            return None
        for side, own in sides:
            of_two = not studied_as(own, side.view)[1]
            if _is_dependent(side) or not of_two or not was_studied(side.view, own):
                return None
        counted = []
        for side, own in sides:
            positives = float(side.view.class_rows[side.class_index(own)])
            counted.append(Drawn(positives, side.view.rows - positives, TWO_SAMPLES))
        return studied_as(task.task, self.model.view)[0], min(counted)

    def _added(self, task: ComparisonTask, difference: float) -> Contrast:
        """By the shares of both tables, or the limits of both values, squared and added.

        Not where values lie on scales that depend on the number of rows.
        """
        sides = self.model, self.reference
        scaled = zip(sides, (task.task, task.reference), strict=True)
        if task.family is Family.AREA and len({areas.scale(*side) for side in scaled}) > 1:
            return Unknown(NO_LIMITS)
        if task.family is Family.SHARES and not any(_is_dependent(side) for side in sides):
            return of_two_tables(sides, task)
        return of_limits(sides, task, difference, 0.0)

    # -- means ------------------------------------------------------------------------------

    def _of_means(self, task: ComparisonTask, values: Values, method: str) -> Contrast:
        """A t of two means of losses."""
        first, second = values
        own_df = method == SATTERTHWAITE
        one = _mean(self.model, task.task, first, own_df=own_df)
        two = _mean(self.reference, task.reference, second, own_df=own_df)
        if one is None or two is None:
            return Unknown(FEWER)
        found = means.welch_t(one, two, self.model.settings.level)
        told = {"standard_error": found.error, "df": found.df}
        df = found.df if math.isfinite(found.df) else None
        return ByError(found.difference, found.error, df, method, told=told)

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


def _fraction(value: Evaluated) -> Fraction | None:
    if value.numerator is None or value.denominator is None:
        return None
    return value.numerator, value.denominator


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
    metric, table = side.metric(task), side.tables.scores(EVERYTHING, side.column(task))
    assert metric.row_loss is not None
    losses = [metric.row_loss(table.scores, True), metric.row_loss(table.scores, False)]
    counted = [table.positives, table.negatives]
    return means.mean_of(np.concatenate(losses), np.concatenate(counted), own_df=own_df)


def _replicates(bootstrap: Bootstrap, side: Side, task: Task) -> Floats | str:
    metric, arguments = side.metric(task), side.arguments(task)
    if task.table in AT_THRESHOLD:
        threshold = side.threshold(task).number
        table = side.tables.classification(EVERYTHING, threshold)
        if table.extra:
            return "an indeterminate prediction has no place in a table of these classes"
        return bootstrap.of_table(EVERYTHING, threshold, of_table(side, task), table.dense)
    if not _of_one_column(task):
        found = class_replicates(side.measurer, replace(task, where=EVERYTHING), metric, arguments)
        return NOT_DRAWN if found is None else found
    return bootstrap.of_scores(
        EVERYTHING, side.column(task), lambda drawn: metric(drawn, **arguments).array()
    )


def _of_one_column(task: Task) -> bool:
    return task.table == Table.SCORES.value and task.average is None
