"""Differences of two areas under the ROC curve: of the same rows, or of independent ones.

Test and limits are in score form; on request DeLong's, or Obuchowski's, with normal deviates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from evalreport.engine.comparisons.contrast import ByError, ByStatistic, Contrast, Limits, Unknown
from evalreport.engine.comparisons.pairs import Pair, Side
from evalreport.metrics.methods import AREA_OF_CLUSTERS
from evalreport.metrics.ranking import line_of_area
from evalreport.plan.comparisons import ComparisonTask
from evalreport.plan.task import Task
from evalreport.predict.view import distinct
from evalreport.results import records
from evalreport.results.identity import EVERYTHING
from evalreport.statistics import delong, means, obuchowski
from evalreport.statistics.interval import deviate

#: Tests, and intervals, of differences of areas of the same rows, and of two datasets.
SCORE, UNPAIRED_SCORE = "delong_score", "delong_score_unpaired"
OF_SAME_ROWS = ("delong", "obuchowski", SCORE, AREA_OF_CLUSTERS)
OF_OTHER_ROWS = ("delong_unpaired", UNPAIRED_SCORE)
TOO_FEW = "too few rows of one class for a variance"


def scale(side: Side, task: Task) -> float:
    """How much a metric that is linear in the area changes from an area of 0 to one of 1."""
    table = side.tables.scores(EVERYTHING, side.column(task))
    totals = table.positive_total, table.negative_total
    worst, best = line_of_area(side.metric(task), side.arguments(task), *totals)
    return best - worst


@dataclass(frozen=True)
class ScoreForm(ByStatistic):
    """A difference of two areas of which each has limits in score form.

    ``factor``: of the metric per unit of the area; ``method``: its name.
    """

    first: delong.AreaLimits
    second: delong.AreaLimits
    correlation: float
    df: float
    factor: float
    method: str

    def statistic(self, null: float) -> float:
        both = self.first, self.second
        return delong.score_difference_statistic(*both, self.correlation, null / self.factor)

    def limits(self, level: float) -> Limits:
        found = delong.score_difference(
            self.first, self.second, self.correlation, deviate(level, self.df)
        )
        low, high = (self.factor * limit for limit in found)
        return records.Interval(level, low, high, self.method, df=self.df), None


# -- of the same rows -----------------------------------------------------------------------------


def of_pair(pair: Pair, task: ComparisonTask, method: str) -> Contrast:
    """The difference of two areas of the same rows: in score form where that is planned.

    But not where all rows are ranked alike. Of clustered rows with Obuchowski's variances and as
    many degrees of freedom as clusters less one.
    """
    view, index = pair.model.view, pair.model.class_index(task.task)
    positive, clustered = view.actual == index, method in ("obuchowski", AREA_OF_CLUSTERS)

    def found() -> delong.PairedAreas | None:
        ranks = pair.model.ranks(task.task), pair.reference.ranks(task.reference)
        if clustered:
            assert view.cluster is not None
            return obuchowski.obuchowski_paired(positive, *ranks, view.cluster[0], pair.times)
        return delong.delong_paired(positive, *ranks, pair.times)

    areas = pair.once(("areas", index, clustered), found)
    if areas is None:
        return Unknown(TOO_FEW)
    factor, variance = scale(pair.model, task.task), areas.difference_variance
    alike = variance == 0.0 and areas.variance_1 != 0.0
    if method in (SCORE, AREA_OF_CLUSTERS) and not alike:
        rows = float(pair.count(positive)), float(pair.count(~positive))
        units, df = min(rows), None
        if view.cluster is not None and clustered:
            codes = view.cluster[0]
            units = float(min(distinct(codes[side]) for side in (positive, ~positive)))
            df = distinct(codes) - 1.0
        first = delong.AreaLimits(areas.auc_1, areas.variance_1, rows, units)
        second = delong.AreaLimits(areas.auc_2, areas.variance_2, rows, units)
        df = first.degrees if df is None else df
        if df >= 1.0:  # else there is a single cluster
            return ScoreForm(first, second, areas.correlation, df, factor, method)
    if variance is None:
        return Unknown(TOO_FEW)
    return ByError(areas.difference, math.sqrt(variance), None, method, most=1.0, scale=factor)


# -- of two datasets ------------------------------------------------------------------------------


def of_two(model: Side, reference: Side, task: ComparisonTask, method: str) -> Contrast:
    """The difference of two areas of independent rows: in score form, or Welch's t.

    A metric whose range depends on the number of rows has a test of the areas, and no limits.
    """
    sides = (model, task.task), (reference, task.reference)
    one, two = (_area(*side) for side in sides)
    first, second = (scale(*side) for side in sides)
    if one is None or two is None:
        return Unknown(TOO_FEW)
    if first == second and method == UNPAIRED_SCORE:
        return ScoreForm(one, two, 0.0, min(one.degrees, two.degrees), first, method)
    if one.variance is None or two.variance is None:
        return Unknown(TOO_FEW)
    found = means.welch_t(
        means.Mean(one.area, one.variance, model.view.rows - 1.0),
        means.Mean(two.area, two.variance, reference.view.rows - 1.0),
        model.settings.level,
    )
    factor, told = first if first == second else None, {"df": found.df}
    return ByError(
        found.difference, found.error, found.df, OF_OTHER_ROWS[0], most=1.0, scale=factor, told=told
    )


def _area(side: Side, task: Task) -> delong.AreaLimits | None:
    """Area and DeLong variance of one side; None without a class."""
    table = side.tables.scores(EVERYTHING, side.column(task))
    return delong.area_of(table.positives, table.negatives)
