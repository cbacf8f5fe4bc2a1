"""Delta method for averages over labels: what each row adds, with all its labels.

The average is a function of the cells of all labels. Its derivative by each cell gives
every row an influence, the sum over its labels; rows, or clusters of rows, are independent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.set_tables import CELLS, stacked_counts
from evalreport.engine.intervals import methods as intervals
from evalreport.engine.label_sets.bootstrap import average_of_cells
from evalreport.metrics.declare import Average, Metric
from evalreport.metrics.sets_table import LabelSets
from evalreport.metrics.tables import Counts
from evalreport.results.records import Interval

Floats = npt.NDArray[np.float64]

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
