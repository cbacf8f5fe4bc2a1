"""Differences of two areas under the ROC curve: of the same rows, or of independent ones.

Test and limits are in score form; on request DeLong's, or Obuchowski's, with normal deviates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evalreport.engine.comparisons.pairs import Pair, Side, metric_of
from evalreport.engine.comparisons.result import Test, no_variation
from evalreport.metrics.kinds import AREA_OF_CLUSTERS
from evalreport.metrics.tables import ScoreTable
from evalreport.plan.comparisons import ComparisonTask
from evalreport.plan.task import Task
from evalreport.predict.view import distinct
from evalreport.results import records
from evalreport.statistics import delong, hypotheses, obuchowski
from evalreport.statistics.hypotheses import AtNull
from evalreport.statistics.interval import deviate
from evalreport.statistics.tail import t_two_sided

#: Tests, and intervals, of differences of areas of the same rows.
SCORE, UNPAIRED_SCORE = "delong_score", "delong_score_unpaired"
TESTS = ("delong", "obuchowski", SCORE, AREA_OF_CLUSTERS)
TOO_FEW = "too few rows of one class for a variance"

Limits = tuple[records.Interval | None, str | None]


def scale(side: Side, task: Task) -> float:
    """How much a metric that is linear in the area changes from an area of 0 to one of 1."""
    positive = side.view.class_rows[side.class_index(task)]
    p, n = np.array([positive, 0]), np.array([0, side.view.rows - positive])
    metric, arguments = metric_of(task), side.arguments(task)
    scores = np.array([1.0, 0.0])
    best = metric(ScoreTable(scores, p, n), **arguments).exact()
    worst = metric(ScoreTable(scores, p[::-1], n[::-1]), **arguments).exact()
    return float(best - worst)


@dataclass(frozen=True)
class ScoreForm:
    """A difference of two areas of which each has limits in score form.

    ``factor``: of the metric per unit of the area; ``name``: of the method.
    """

    first: delong.AreaLimits
    second: delong.AreaLimits
    correlation: float
    df: float
    factor: float
    name: str

    def test(self) -> Test:
        """Student's t test of no difference, which agrees with the limits."""
        if self.first.area == self.second.area:
            return Test(0.0, 1.0, self.df, name=self.name)
        found = self._statistic(0.0)
        return Test(found, t_two_sided(found, self.df), self.df, name=self.name)

    def tails(self, null: float) -> hypotheses.Tails:
        """One-sided tails of the same where the difference of the metric is ``null``."""
        return hypotheses.of_t(self._statistic(null / self.factor), self.df)

    def interval(self, level: float) -> records.Interval:
        """Limits of the difference of the metric."""
        limits = delong.score_difference(
            self.first, self.second, self.correlation, deviate(level, self.df)
        )
        low, high = (self.factor * limit for limit in limits)
        return records.Interval(level, low, high, self.name, df=self.df)

    def _statistic(self, null: float) -> float:
        return delong.score_difference_statistic(self.first, self.second, self.correlation, null)


# -- of the same rows -----------------------------------------------------------------------------


def tested(pair: Pair, task: ComparisonTask) -> Test:
    """Test of no difference; z is the same for every metric that is linear in the area."""
    areas = _areas(pair, task, task.test)
    scored = _scored(pair, task, areas, task.test)
    if scored is not None:
        return scored.test()
    if areas is None or areas.difference_variance is None:
        return Test(reason=TOO_FEW)
    found = delong.difference_test(areas.difference, areas.difference_variance)
    if found is None:
        return no_variation(areas.difference)
    error = abs(scale(pair.model, task.task)) * math.sqrt(areas.difference_variance)
    return Test(found.statistic, found.p_value, error=error)


def limits(pair: Pair, task: ComparisonTask, level: float) -> Limits:
    """Limits of the difference, or why there are none."""
    areas = _areas(pair, task, task.interval)
    scored = _scored(pair, task, areas, task.interval)
    if scored is not None:
        return scored.interval(level), None
    if areas is None or areas.difference_variance is None:
        return None, TOO_FEW
    found = delong.difference_interval(areas.difference, areas.difference_variance, level)
    assert found is not None
    factor = scale(pair.model, task.task)
    return records.Interval(level, factor * found.low, factor * found.high, task.interval), None


def tails(pair: Pair, task: ComparisonTask) -> AtNull | None:
    """The planned test of a hypothesis at every null, where it is in score form."""
    planned = None if task.hypothesis is None else task.hypothesis.test
    if planned not in TESTS:
        return None
    scored = _scored(pair, task, _areas(pair, task, planned), planned)
    return None if scored is None else scored.tails


def _positive(pair: Pair, task: ComparisonTask) -> npt.NDArray[np.bool_]:
    return np.asarray(pair.model.view.actual == pair.model.class_index(task.task))


def _areas(pair: Pair, task: ComparisonTask, planned: str) -> delong.PairedAreas | None:
    index = pair.model.class_index(task.task)
    clustered = planned in ("obuchowski", AREA_OF_CLUSTERS)

    def found() -> delong.PairedAreas | None:
        view, positive = pair.model.view, _positive(pair, task)
        ranks = pair.model.ranks(task.task), pair.reference.ranks(task.reference)
        if clustered:
            assert view.cluster is not None
            return obuchowski.obuchowski_paired(positive, *ranks, view.cluster[0], pair.times)
        return delong.delong_paired(positive, *ranks, pair.times)

    return pair.once(("areas", index, clustered), found)


def _scored(
    pair: Pair, task: ComparisonTask, areas: delong.PairedAreas | None, planned: str
) -> ScoreForm | None:
    """In score form, where that is planned; None where all rows are ranked alike."""
    if areas is None or planned not in (SCORE, AREA_OF_CLUSTERS):
        return None
    if areas.difference_variance == 0.0 and areas.variance_1 != 0.0:
        return None
    positive, factor = _positive(pair, task), scale(pair.model, task.task)
    rows = float(pair.count(positive)), float(pair.count(~positive))
    if planned == AREA_OF_CLUSTERS:
        return _of_clusters(pair, positive, rows, areas, factor)
    first = delong.AreaLimits(areas.auc_1, areas.variance_1, rows, min(rows))
    second = delong.AreaLimits(areas.auc_2, areas.variance_2, rows, min(rows))
    return ScoreForm(first, second, areas.correlation, first.degrees, factor, planned)


def _of_clusters(
    pair: Pair,
    positive: npt.NDArray[np.bool_],
    rows: tuple[float, float],
    areas: delong.PairedAreas,
    factor: float,
) -> ScoreForm | None:
    """With Obuchowski's variances and as many degrees of freedom as clusters less one."""
    assert pair.model.view.cluster is not None
    codes = pair.model.view.cluster[0]
    clusters = distinct(codes)
    if clusters < 2:
        return None
    units = float(min(distinct(codes[side]) for side in (positive, ~positive)))
    first = delong.AreaLimits(areas.auc_1, areas.variance_1, rows, units)
    second = delong.AreaLimits(areas.auc_2, areas.variance_2, rows, units)
    df = clusters - 1.0
    return ScoreForm(first, second, areas.correlation, df, factor, AREA_OF_CLUSTERS)
