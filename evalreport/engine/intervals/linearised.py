"""Linearised variances of score metrics: what each row contributes, summed as it was sampled.

A metric is a function of weighted totals. Its derivative by the weight of a row, times that
weight, is the row's contribution, and the variance of the metric is that of the sum of the
contributions (Binder D. International Statistical Review 51, 1983; Deville J.-C. Survey
Methodology 25, 1999): over independent rows, or over clusters whose rows are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.table import Chosen
from evalreport.engine.counting.memory import summed
from evalreport.engine.intervals.case import ScoreCase
from evalreport.metrics.declare import Metric
from evalreport.metrics.tables import ScoreTable
from evalreport.predict.view import distinct
from evalreport.results.identity import EVERYTHING
from evalreport.statistics.design_based import DesignVariance
from evalreport.statistics.exact_sums import sum_of_parts

Floats = npt.NDArray[np.float64]


def slopes_of(
    metric: Metric, arguments: Mapping[str, Any], table: ScoreTable, value: float
) -> tuple[Floats, Floats] | None:
    """Derivative by the weight of a positive and a negative row at each score, shape (D,).

    None where it is not known, or where only one class occurs.
    """
    if metric.row_loss is not None:
        total = float(table.total)
        of_positive, of_negative = (metric.row_loss(table.scores, side) for side in (True, False))
        return (of_positive - value) / total, (of_negative - value) / total
    if metric.influence is None or not float(table.positive_total * table.negative_total):
        return None
    found: tuple[Floats, Floats] | None = metric.influence(table, **arguments)
    return found


def variance(case: ScoreCase) -> DesignVariance | None:
    """Variance of a score metric by the sampling of its rows; None where it is not known."""
    measurer, table = case.measurer, case.table
    slopes = slopes_of(case.metric, case.arguments, table, case.number)
    rows = measurer.tables.row_count(EVERYTHING)
    if slopes is None or rows < 2:
        return None
    if measurer.view.sample is not None:
        inside = measurer.tables.rows(case.task.where)
        everyone = np.zeros(len(measurer.view.actual))
        everyone[inside] = contributions(case, inside, slopes)
        found = measurer.view.sample.estimated(everyone)
        return found if np.isfinite(found.variance) else None
    if measurer.view.cluster is not None:
        over = _over_clusters(case, slopes)
        return None if over is None else DesignVariance(over)
    pos, neg = table.squares or (table.positives, table.negatives)
    return DesignVariance(rows / (rows - 1) * spread(pos, neg, slopes))


def spread(positives: Any, negatives: Any, slopes: tuple[Floats, Floats]) -> float:
    """The sum over independent rows at each score of their squared influence."""
    sides = zip((positives, negatives), slopes, strict=True)
    one, two = (
        sum_of_parts(lambda at: rows[at] * own[at] ** 2, len(own))  # noqa: B023 - called at once
        for rows, own in sides
    )
    return one + two


def _over_clusters(case: ScoreCase, slopes: tuple[Floats, Floats]) -> float | None:
    view = case.measurer.view
    assert view.cluster is not None
    rows = case.measurer.tables.chosen(case.task.where)
    own = contributions(case, rows, slopes)
    codes = view.cluster[0][rows]
    totals = summed(codes, own, view.cluster[1], case.measurer.tables.times_of(rows))
    units = distinct(codes)
    if units < 2:
        return None
    return units / (units - 1) * float(np.sum(totals**2))


def contributions(case: ScoreCase, rows: Chosen, slopes: tuple[Floats, Floats]) -> Floats:
    """Weight times derivative of each of the ``rows``, shape (rows,)."""
    view, index = case.measurer.view, case.index
    entry = case.measurer.tables.entries(case.task.where, index)[rows]
    positive, own = view.positives_of(index)[rows], slopes[1][entry]
    own[positive] = slopes[0][entry[positive]]
    if view.weight is not None:
        own *= view.weight[rows]
    return own
