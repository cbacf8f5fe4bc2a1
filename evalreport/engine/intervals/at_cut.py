"""Limits of the largest distance of two rates, as of Youden's J at the cut where it is reached.

The cut was chosen by the rows, so the distance is too large on average, and draws of rows make it
larger still: their percentiles lie above the true one. Limits of the two rates at the cut, of which
the lower one is lowered by the bias that the draws show, hold it (docs/coverage.md).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.intervals import methods as intervals
from evalreport.engine.intervals.case import ScoreCase
from evalreport.metrics.declare import AT_CUT_OF_CLUSTERS
from evalreport.metrics.kinds import SHARE_OF_CLUSTERS
from evalreport.metrics.tables import ScoreTable
from evalreport.predict.view import LabelView
from evalreport.results import records
from evalreport.statistics import means, proportions
from evalreport.statistics.interval import Interval as Limits

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Rates = tuple[float, float]


def at_cut(case: ScoreCase, replicates: Floats | None) -> records.Interval | None:
    """Limits of the distance; None without rows of both classes.

    ``replicates``: of the distance, whose mean less the value is its bias; None where there are
    too many rows to be drawn: they leave next to none.

    Of independent rows Newcombe's hybrid limits of two shares (Stat Med 17, 1998, method 10); of
    weighted ones with as many rows as Kish's (sum of w)^2 / (sum of w^2) of each class; in
    clusters with the limits of shares of clustered rows, by Student's t where clusters are few.
    """
    view, cut = case.measurer.view, _cut(case.table)
    if cut is None:
        return None
    threshold, rates = cut
    if case.method == AT_CUT_OF_CLUSTERS:
        sides = _of_clusters(case, threshold)
    elif view.weight is not None:
        sides = _of_weights(case, rates)
    else:
        totals = float(case.table.positive_total), float(case.table.negative_total)
        sides = [
            proportions.wilson(p * n, n, case.level) for p, n in zip(rates, totals, strict=True)
        ]
    if sides is None or any(side is None for side in sides):
        return None
    found, missed = sides if rates[0] >= rates[1] else sides[::-1]
    limits = _square_and_add(max(rates), min(rates), found, missed)
    usable = np.zeros(0) if replicates is None else replicates[np.isfinite(replicates)]
    bias = max(float(np.mean(usable)) - case.number, 0.0) if len(usable) else 0.0
    limits = Limits(max(limits.low - bias, 0.0), limits.high)
    made = intervals.from_limits(limits, case.level, case.method)
    if made is None or replicates is None:
        return made
    note = f"the lower limit is lowered by {bias:.3g}, by which replicates are too high"
    return replace(made, note=note, resamples=len(replicates), usable=len(usable))


def _cut(table: ScoreTable) -> tuple[float, Rates] | None:
    """The score from which rows are predicted positive, with both rates there."""
    positives, negatives = float(table.positive_total), float(table.negative_total)
    if positives <= 0 or negatives <= 0:
        return None
    found = np.asarray(table.true_positives, np.float64) / positives
    alarms = np.asarray(table.false_positives, np.float64) / negatives
    at = int(np.argmax(np.abs(found - alarms)))
    # running sums of weights may end a hair above their total
    return float(table.scores[at]), (min(float(found[at]), 1.0), min(float(alarms[at]), 1.0))


def _square_and_add(high: float, low: float, found: Any, missed: Any) -> Limits:
    """Newcombe's method 10 on the limits of the larger and of the smaller rate, from 0 to 1."""
    apart = high - low
    down = np.hypot(high - found.low, missed.high - low)
    up = np.hypot(found.high - high, low - missed.low)
    return Limits(max(float(apart - down), 0.0), min(float(apart + up), 1.0))


def _of_weights(case: ScoreCase, rates: Rates) -> list[Any]:
    """Wilson's limits of both rates, on the rows that the weights of each class are worth."""
    view, inside = case.measurer.view, case.measurer.tables.kinds(case.task.where)
    positive = _positive(view, case.index)[inside]
    sides = []
    for rate, chosen in zip(rates, (inside[positive], inside[~positive]), strict=True):
        sums = view.total_weight(chosen), view.total_weight(chosen, 2)
        worth = means.effective_size_from_sums(*sums)
        sides.append(proportions.wilson_n_eff(rate, worth, case.level))
    return sides


def _of_clusters(case: ScoreCase, threshold: float) -> list[Any] | None:
    """Limits of both rates from the clusters; None where they are in fewer than two."""
    view, rows = case.measurer.view, case.measurer.tables.rows(case.task.where)
    if view.cluster is None:
        return None
    column = view.score if case.index is None else view.class_scores[:, case.index]  # type: ignore[index]
    assert column is not None
    weight = np.ones(len(rows)) if view.weight is None else view.weight[rows]
    positive, called = _positive(view, case.index)[rows], column[rows] >= threshold
    _, unit = np.unique(view.cluster[0][rows], return_inverse=True)
    sides = []
    for chosen in (positive, ~positive):
        hits, sizes = (
            np.bincount(unit, weight * side).astype(np.float64)
            for side in (chosen & called, chosen)
        )
        held = sizes > 0
        limits = intervals.clustered_proportion(
            hits[held], sizes[held], case.level, SHARE_OF_CLUSTERS
        )
        if limits is None:
            return None
        sides.append(limits)
    return sides


def _positive(view: LabelView, index: int | None) -> Bools:
    return np.asarray(view.actual == (view.positive_index if index is None else index))
