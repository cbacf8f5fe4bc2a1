"""Intervals of what is measured on sets of labels: means over rows, averages over labels.

An average over labels has the delta method, in which each row adds what all its labels do.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.set_tables import CELLS, stacked_counts
from evalreport.engine.intervals import methods as intervals
from evalreport.engine.intervals.bootstrap import from_replicates
from evalreport.engine.label_sets.bootstrap import SetBootstrap, average_of_cells
from evalreport.metrics.declare import Average, Metric
from evalreport.metrics.sets_table import LabelSets
from evalreport.metrics.tables import Counts
from evalreport.results.identity import Slice
from evalreport.results.records import Interval
from evalreport.statistics import means
from evalreport.statistics.proportions import PROPORTION_METHODS

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RowMean:
    """A mean over rows: ``values``, shape (n,), NaN where a row has none, and its bounds.

    ``share`` says that every value is 0 or 1. ``weight`` and ``cluster`` have shape (n,),
    None where there are none.
    """

    number: float
    values: Floats
    bounds: tuple[float, float]
    weight: Floats | None = None
    cluster: npt.NDArray[np.int64] | None = None
    share: bool = False

    @property
    def counted(self) -> Floats:
        """The weight of each row that has a value, else 0."""
        weight = np.ones(len(self.values)) if self.weight is None else self.weight
        return np.where(np.isfinite(self.values), weight, 0.0)

    @property
    def parts(self) -> Floats:
        """The weighted value of each row; 0 without one."""
        return np.where(np.isfinite(self.values), self.values, 0.0) * self.counted


def row_mean_interval(
    mean: RowMean, method: str, level: float, bootstrap: SetBootstrap, where: Slice
) -> Interval | None:
    """The interval of a mean over rows by the planned method; None where it gives none."""
    if method in PROPORTION_METHODS:
        top, bottom = math.fsum(mean.parts), math.fsum(mean.counted)
        return intervals.proportion(top, bottom, level, method)
    if method == "wilson_n_eff":
        hit = mean.parts > 0
        squares = math.fsum(mean.counted[hit] ** 2), math.fsum(mean.counted[~hit] ** 2)
        total, rows = math.fsum(mean.counted), int(np.count_nonzero(mean.counted))
        heaviest = float(mean.counted.max(initial=0.0))
        return intervals.share_of_weights(mean.number, total, squares, heaviest, level, rows)
    if method == "normal":
        return _normal(mean, level)
    if method == "sandwich":
        inside = mean.counted > 0
        return _linearised(mean, mean.parts[inside], mean.counted[inside], method, level)
    if method == "cluster_robust":
        assert mean.cluster is not None
        totals: Floats = np.bincount(mean.cluster, mean.parts).astype(np.float64)
        sizes: Floats = np.bincount(mean.cluster, mean.counted).astype(np.float64)
        if mean.share:
            return intervals.clustered_proportion(totals, sizes, level)
        held = sizes > 0
        return _linearised(mean, totals[held], sizes[held], method, level)
    values = bootstrap.of_rows(where, _unweighted(mean), _has_value(mean))
    jackknife = _jackknife(mean) if method == "bootstrap_bca" else None
    return from_replicates(values, mean.number, level, method, jackknife)


def _normal(mean: RowMean, level: float) -> Interval | None:
    values = mean.values[np.isfinite(mean.values)]
    if not len(values) or values.min() == values.max():
        return None
    second = math.fsum(values**2) / len(values)
    return intervals.mean_of_rows(mean.number, len(values), second, level, mean.bounds)


def _linearised(
    mean: RowMean, top: Floats, bottom: Floats, method: str, level: float
) -> Interval | None:
    """The ratio of two totals over independent units: weighted rows, or clusters."""
    estimate = means.ratio_of_totals(top, bottom)
    if estimate is None or estimate.standard_error is None:
        return None
    variance = estimate.standard_error**2
    if variance <= intervals.VANISHED:
        return None
    return intervals.symmetric(mean.number, variance, level, method, mean.bounds)


def _unweighted(mean: RowMean) -> Floats:
    """The value of each row, 0 without one: draws bring the weights."""
    return np.where(np.isfinite(mean.values), mean.values, 0.0)


def _has_value(mean: RowMean) -> Floats:
    return np.isfinite(mean.values).astype(np.float64)


def _jackknife(mean: RowMean) -> tuple[Floats, Floats] | None:
    """The mean without each row in turn; None where rows are weighted or clustered."""
    if mean.weight is not None or mean.cluster is not None:
        return None
    parts, counted = mean.parts, mean.counted
    with np.errstate(divide="ignore", invalid="ignore"):
        left = (math.fsum(parts) - parts) / (math.fsum(counted) - counted)
    return left, np.ones(len(parts))


#: Step of the derivative, as a part of all rows.
_STEP = 1e-4


def delta_interval(
    sets: LabelSets,
    counts: list[Counts],
    cluster: npt.NDArray[np.int64] | None,
    metric: Metric,
    arguments: Mapping[str, Any],
    kind: Average,
    number: float,
    level: float,
    method: str,
) -> Interval | None:
    """Value plus and minus z standard errors; None where the variance vanishes."""
    cells = np.array([[float(getattr(c, name).value) for c in counts] for name in CELLS])
    slopes = _slopes(cells, metric, arguments, kind)
    influence = np.zeros(len(sets.actual))
    for k in range(len(sets.labels)):
        actual, predicted = sets.actual[:, k], sets.predicted[:, k]
        cell = np.where(actual, np.where(predicted, 0, 2), np.where(predicted, 1, 3))
        influence += slopes[cell, k]
    if sets.times is not None:
        influence *= sets.times
    if cluster is not None:
        influence = np.bincount(cluster, influence).astype(np.float64)
    units = len(influence)
    if units < 2:
        return None
    variance = units / (units - 1) * math.fsum(influence**2)
    if variance <= intervals.VANISHED:
        return None
    return intervals.symmetric(number, variance, level, method, metric.bounds)


def _slopes(cells: Floats, metric: Metric, arguments: Mapping[str, Any], kind: Average) -> Floats:
    """The derivative of the average by each cell, shape (4, K); 0 for labels it leaves out."""
    inside = np.arange(cells.shape[1])
    if kind is not Average.MICRO:
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.asarray(metric(stacked_counts(cells), **arguments).array())
        inside = np.flatnonzero(np.isfinite(each))
    kept, step = cells[:, inside], _STEP * float(cells[:, 0].sum())
    slopes = np.zeros_like(cells)
    for row in range(len(CELLS)):
        move = np.zeros((len(inside), *kept.shape))
        move[np.arange(len(inside)), row, np.arange(len(inside))] = step
        up = average_of_cells(kept + move, metric, arguments, kind)
        down = average_of_cells(kept - move, metric, arguments, kind)
        slopes[row, inside] = (up - down) / (2 * step)
    # Where a step leaves the metric undefined the average does not move with that cell.
    return np.where(np.isfinite(slopes), slopes, 0.0)
