"""Limits of the largest distance of two rates, as of Youden's J at the cut where it is reached.

The cut was chosen by the rows, so the distance is too large on average. Limits of the two rates at
the cut, of which the lower one is lowered by as much as the distance shrinks where each row is
judged by the cut that the others choose, hold it (docs/coverage.md).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.intervals import methods as intervals
from evalreport.engine.intervals.case import ScoreCase
from evalreport.metrics.methods import AT_CUT_OF_CLUSTERS, SHARE_OF_CLUSTERS
from evalreport.metrics.tables import ScoreTable
from evalreport.results import records
from evalreport.statistics import proportions
from evalreport.statistics.interval import Interval as Limits
from evalreport.statistics.interval import clipped, square_and_add

Rates = tuple[float, float]


def at_cut(case: ScoreCase) -> records.Interval | None:
    """Limits of the distance; None without rows of both classes.

    Of independent rows Newcombe's hybrid limits of two shares (Stat Med 17, 1998, method 10); of
    weighted ones with as many rows as Kish's (sum of w)^2 / (sum of w^2) of each class; in
    clusters with the limits of shares of clustered rows, by Student's t.
    """
    found = parts_at_cut(case)
    if found is None:
        return None
    apart, bias = found
    limits = Limits(max(apart.low - bias, 0.0), apart.high)
    made = intervals.from_limits(limits, case.level, case.method)
    return None if made is None else replace(made, note=lowered_by(bias))


def lowered_by(bias: float) -> str:
    """What the record says of the lower limit."""
    return f"the lower limit is lowered by {bias:.3g}: by cuts that other rows choose"


def parts_at_cut(case: ScoreCase) -> tuple[Limits, float] | None:
    """Limits of the distance at its cut, and how far the distance is too large, see `at_cut`."""
    view, cut = case.measurer.view, _cut(case.table)
    if cut is None:
        return None
    threshold, rates = cut
    if case.method == AT_CUT_OF_CLUSTERS:
        sides = _of_clusters(case, threshold)
        shrunk = _left_out_in_groups(case)
    else:
        totals = float(case.table.positive_total), float(case.table.negative_total)
        worth = case.worth if view.weight is not None else totals
        sides = [
            proportions.wilson_n_eff(p, n, case.level) for p, n in zip(rates, worth, strict=True)
        ]
        rows = [total / n if n else 1.0 for total, n in zip(totals, worth, strict=True)]
        shrunk = left_out(case.table, (rows[0], rows[1]))
    if any(side is None for side in sides or [None]):
        return None
    assert sides is not None
    found, missed = sides if rates[0] >= rates[1] else sides[::-1]
    # Newcombe's method 10, from 0 to 1
    apart = clipped(*square_and_add(max(rates), found, min(rates), missed))
    return apart, max(case.number - shrunk, 0.0)


def left_out(table: ScoreTable, row: tuple[float, float]) -> float:
    """The distance of the rates where each row is judged by the cut that all others choose.

    ``row``: what a positive and a negative row count. Of equally good cuts the highest is taken.

    >>> scores = np.array([0.9, 0.8, 0.4, 0.1])
    >>> table = ScoreTable(scores, np.array([1, 1, 0, 0]), np.array([0, 0, 1, 1]))
    >>> left_out(table, (1.0, 1.0))
    0.5
    """
    counts = np.asarray(table.positives, np.float64), np.asarray(table.negatives, np.float64)
    totals = counts[0].sum(), counts[1].sum()
    rates = np.cumsum(counts[0]) / totals[0] - np.cumsum(counts[1]) / totals[1]
    sign = 1.0 if rates.max(initial=0.0) >= -rates.min(initial=0.0) else -1.0
    called = []
    for side, way in ((0, sign), (1, -sign)):
        if totals[side] <= row[side]:
            return 0.0
        left = [totals[0], totals[1]]
        left[side] -= row[side]
        apart = sign * (np.cumsum(counts[0]) / left[0] - np.cumsum(counts[1]) / left[1])
        step = way * row[side] / left[side]
        before = np.maximum.accumulate(np.concatenate([[0.0], apart[:-1]]))
        after = np.maximum.accumulate(apart[::-1])[::-1]
        # without its only row a score is no cut of its own
        alone = (counts[0] + counts[1]) <= row[side] * (1.0 + 1e-9)
        later = np.append(after[1:], -np.inf)
        chosen = np.where(alone, later, after) - step > before + 1e-12
        called.append(float(np.sum(counts[side] * chosen)) / float(totals[side]))
    return abs(called[0] - called[1])


def _left_out_in_groups(case: ScoreCase) -> float:
    """The same of clusters: each is judged by the cut that those of other groups choose."""
    where, tables = case.task.where, case.measurer.tables
    table = tables.scores(where, case.index)
    whole = table.positives, table.negatives

    def apart(kept: ScoreTable) -> npt.NDArray[np.float64]:
        """The distance of the rates of the rows left out, of all rows, at the cut of the others."""
        sides = kept.positives[0], kept.negatives[0]
        if min(float(side.sum()) for side in sides) <= 0.0:
            return np.zeros(1)
        found, alarms = (np.cumsum(side) / side.sum() for side in sides)
        above = slice(int(np.argmax(np.abs(found - alarms))) + 1)
        called, missed = (
            float((every - side)[above].sum()) / float(every.sum())
            for every, side in zip(whole, sides, strict=True)
        )
        return np.array([called - missed])

    return abs(float(case.measurer.bootstrap.left_out(where, case.index, apart).sum()))


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


def _of_clusters(case: ScoreCase, threshold: float) -> list[Any] | None:
    """Limits of both rates from the clusters; None where they are in fewer than two."""
    view, rows = case.measurer.view, case.measurer.tables.rows(case.task.where)
    if view.cluster is None:
        return None
    weight = np.ones(len(rows)) if view.weight is None else view.weight[rows]
    positive = view.positives_of(case.index)[rows]
    called = view.scores_of(case.index)[rows] >= threshold
    _, unit = np.unique(view.cluster[0][rows], return_inverse=True)
    sides = []
    for chosen in (positive, ~positive):
        hits, sizes = (
            np.bincount(unit, weight * side).astype(np.float64)
            for side in (chosen & called, chosen)
        )
        limits = intervals.clustered_proportion(hits, sizes, case.level, SHARE_OF_CLUSTERS)
        if limits is None:
            return None
        sides.append(limits)
    return sides
