"""Intervals of what is measured on sets of labels: by drawing rows, by the delta method.

Labels of one row are not independent, so the cells of different labels are never
drawn apart. Independent unweighted rows are drawn as a multinomial over the distinct
rows; weighted rows and clusters are drawn one by one. In the delta method of an average over
labels each row adds what all its labels do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.canonical_rows import canonical_rows, codes_of
from evalreport.engine.counting.set_tables import (
    CELLS,
    SetTables,
    cell_flags,
    patterns,
    stacked_counts,
)
from evalreport.engine.intervals import grouped_jackknife
from evalreport.engine.intervals import methods as intervals
from evalreport.engine.intervals.bootstrap import from_replicates
from evalreport.engine.intervals.class_bootstrap import ScoreColumn
from evalreport.engine.settings import Settings
from evalreport.metrics.declare import Average, Metric
from evalreport.metrics.declare import Interval as DeclaredInterval
from evalreport.metrics.methods import (
    DELTA_T,
    LOG_T,
    LOSS_OF_CLUSTERS,
    SANDWICH_T,
    SHARE_OF_CLUSTERS,
    SHARE_OF_WEIGHTS,
)
from evalreport.metrics.properties import share_of
from evalreport.metrics.sets_table import LabelSets
from evalreport.metrics.tables import Counts, pooled
from evalreport.predict.label_sets import SetView
from evalreport.predict.view import distinct
from evalreport.results.identity import Slice
from evalreport.results.records import Interval
from evalreport.statistics import means, resampling
from evalreport.statistics.exact_sums import exact_sum
from evalreport.statistics.proportions import PROPORTION_METHODS

Floats = npt.NDArray[np.float64]
Jackknife = tuple[Floats, Floats]

#: Numbers of a batch of replicates held at once.
_BATCH = 4_000_000


@dataclass(frozen=True, eq=False)
class _Units:
    """Rows in canonical order: their places in the view and in the slice, unit and weight."""

    rows: npt.NDArray[np.intp]
    order: npt.NDArray[np.intp]
    unit: npt.NDArray[np.intp]
    weight: Floats

    @property
    def units(self) -> int:
        """How many rows or clusters are drawn."""
        return int(self.unit.max()) + 1


class SetBootstrap:
    """Replicates for one dataset and model; metrics of a slice and threshold share draws."""

    def __init__(self, tables: SetTables, settings: Settings) -> None:
        self.tables = tables
        self.settings = settings
        self._cells: dict[tuple[Slice, float | None], Floats] = {}
        self._kept: dict[Slice, _Units] = {}

    def of_counts(
        self,
        where: Slice,
        threshold: float | None,
        metric: Metric,
        arguments: Mapping[str, Any],
        kind: Average,
    ) -> Floats:
        """Replicates of an average of a metric of counts, shape (B,); NaN where undefined."""
        key = (where, threshold)
        if key not in self._cells:
            self._cells[key] = np.concatenate(list(self._drawn_cells(where, threshold)))
        return average_of_cells(self._cells[key], metric, arguments, kind)

    def jackknife(
        self,
        where: Slice,
        threshold: float | None,
        metric: Metric,
        arguments: Mapping[str, Any],
        kind: Average,
    ) -> Jackknife | None:
        """Values with one row of each kind left out, and the rows of each kind, for BCa."""
        view = self.tables.view
        if view.weight is not None or view.cluster is not None:
            return None
        distinct, rows = patterns(self.tables.sets(where, threshold))
        flags = cell_flags(distinct)
        whole = np.einsum("p,pck->ck", rows.astype(np.float64), flags)
        return average_of_cells(whole - flags, metric, arguments, kind), rows.astype(np.float64)

    def of_scores(
        self, where: Slice, metric: Metric, arguments: Mapping[str, Any], kind: Average
    ) -> Floats:
        """Replicates of an average of a metric of scores, shape (B,)."""
        return self._of_scores(where, metric, arguments, kind, self._drawn_rows(where, "scores"))

    def scores_without_groups(
        self, where: Slice, metric: Metric, arguments: Mapping[str, Any], kind: Average
    ) -> Floats:
        """The same without each group of the grouped jackknife, shape (groups,)."""
        kinds, counts = self._alike(where)
        view, parts = self.tables.view, None
        if view.weight is None and view.cluster is None:
            lots = grouped_jackknife.lots(self.settings.seed)
            parts = grouped_jackknife.parts_of_kinds(counts, lots)
        if parts is None:
            return self._of_scores(where, metric, arguments, kind, self._kept_rows(where))
        left = ((counts - part).astype(np.float64)[None] for part in parts)
        return self._of_scores(where, metric, arguments, kind, left, kinds)

    def _alike(self, where: Slice) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
        """One place for the rows of a slice that hold the same scores and labels, and how many."""
        view, rows = self.tables.view, self.tables.kinds(where)
        assert view.label_scores is not None
        code = codes_of(*view.actual_sets[rows].T, *view.label_scores[rows].T, *_known(view, rows))
        _, first = np.unique(code, return_index=True)
        times = None if view.times is None else view.times[rows]
        return rows[first], np.bincount(code, times).astype(np.int64)

    def _of_scores(
        self,
        where: Slice,
        metric: Metric,
        arguments: Mapping[str, Any],
        kind: Average,
        batches: Iterator[Floats],
        places: npt.NDArray[np.intp] | None = None,
    ) -> Floats:
        """``batches``: how much each row, or kind of rows at ``places``, counts."""
        view = self.tables.view
        rows = self._units(where).rows if places is None else places
        assert view.label_scores is not None
        columns = [ScoreColumn(view.label_scores[rows, k]) for k in range(len(view.labels))]
        actual = view.actual_sets[rows]
        known = np.ones_like(actual) if view.known is None else view.known[rows]
        found = []
        for times in batches:
            tables = [
                column.table(actual[:, k], times * known[:, k]) for k, column in enumerate(columns)
            ]
            with np.errstate(divide="ignore", invalid="ignore"):
                if kind is Average.MICRO:
                    values = np.asarray(metric(pooled(tables), **arguments).array())
                    found.append(np.where(np.isfinite(values), values, np.nan))
                    continue
                each = [np.asarray(metric(table, **arguments).array()) for table in tables]
            supports = [np.asarray(table.positive_total) for table in tables]
            found.append(_mean(np.stack(each, -1), np.stack(supports, -1), kind))
        return np.concatenate(found)

    def of_rows(self, where: Slice, values: Floats, counted: Floats) -> Floats:
        """Replicates of sum(values) / sum(counted) over rows, both of shape (n,)."""
        held = np.stack([values, counted], axis=1)[self._units(where).order]
        parts = [np.einsum("bn,nk->bk", times, held) for times in self._drawn_rows(where, "rows")]
        sums = np.concatenate(parts)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(sums[:, 0] / sums[:, 1])

    def _drawn_cells(self, where: Slice, threshold: float | None) -> Iterator[Floats]:
        """The cells of every label in each replicate, shape (b, 4, K)."""
        view, sets = self.tables.view, self.tables.sets(where, threshold)
        if view.weight is not None or view.cluster is not None:
            flags = cell_flags(sets)[self._units(where).order]
            for times in self._drawn_rows(where, "cells"):
                yield np.einsum("bn,nck->bck", times, flags)
            return
        distinct, rows = patterns(sets)
        flags, rng = cell_flags(distinct), self._rng(where, "cells")
        left, most = self.settings.resamples, max(1, _BATCH // max(1, len(rows)))
        while left > 0:
            drawn = resampling.multinomial_tables(rows, min(left, most), rng)
            yield np.einsum("bp,pck->bck", drawn.astype(np.float64), flags)
            left -= len(drawn)

    def _drawn_rows(self, where: Slice, what: str) -> Iterator[Floats]:
        """How much each row counts in each replicate, shape (b, n), rows in canonical order."""
        held, rng = self._units(where), self._rng(where, what)
        step = max(1, _BATCH // max(1, len(held.rows)))
        for drawn in resampling.cluster_resamples(held.units, self.settings.resamples, rng):
            for start in range(0, len(drawn), step):
                yield drawn[start : start + step][:, held.unit] * held.weight

    def _kept_rows(self, where: Slice) -> Iterator[Floats]:
        """How much each row counts without each group, shape (1, n), in canonical order."""
        held = self._units(where)
        group = grouped_jackknife.groups_of(held.units, grouped_jackknife.lots(self.settings.seed))
        for g in range(int(group.max()) + 1):
            yield ((group != g)[held.unit] * held.weight)[None]

    def _units(self, where: Slice) -> _Units:
        """The rows of a slice in an order that follows from what they hold."""
        if where not in self._kept:
            self._kept = {where: self._counted(where)}
        return self._kept[where]

    def _counted(self, where: Slice) -> _Units:
        view, rows = self.tables.view, self.tables.rows(where)
        held = view.given_sets if view.label_scores is None else view.label_scores
        assert held is not None
        code = codes_of(*view.actual_sets[rows].T, *held[rows].T, *_known(view, rows))
        weight = np.ones(len(rows)) if view.weight is None else view.weight[rows]
        cluster = None if view.cluster is None else view.cluster[0][rows]
        order, unit = canonical_rows(code, weight, cluster)
        return _Units(rows[order], order, unit, weight[order])

    def _rng(self, where: Slice, what: str) -> np.random.Generator:
        view = self.tables.view
        return resampling.generator(
            self.settings.seed, view.dataset, view.model, str(where), f"label sets {what}"
        )


def _known(view: SetView, rows: npt.NDArray[np.intp]) -> Floats | tuple[()]:
    """Which labels rows know, a line for each label, where not all are known."""
    return () if view.known is None else view.known[rows].T.astype(np.float64)


def average_of_cells(
    cells: Floats, metric: Metric, arguments: Mapping[str, Any], kind: Average
) -> Floats:
    """An average over labels of stacked cells, shape (B, 4, K) to (B,); NaN where undefined.

    >>> from evalreport.metrics.counts import recall
    >>> cells = np.array([[[1, 1], [0, 0], [1, 0], [2, 3]]], float)
    >>> average_of_cells(cells, recall, {}, Average.MACRO).tolist()
    [0.75]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        if kind is Average.MICRO:
            pooled = stacked_counts(cells.sum(axis=-1, keepdims=True))
            values = np.asarray(metric(pooled, **arguments).array())[..., 0]
            return np.where(np.isfinite(values), values, np.nan)
        each = stacked_counts(cells)
        values = np.asarray(metric(each, **arguments).array())
    return _mean(values, np.asarray(each.positives.array()), kind)


def _mean(values: Floats, supports: Floats, kind: Average) -> Floats:
    """The mean over the last axis of what is defined, by support where ``kind`` is weighted."""
    usable = np.isfinite(values)
    weights = np.where(usable, supports if kind is Average.WEIGHTED else 1.0, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.where(usable, values * weights, 0).sum(axis=-1) / weights.sum(axis=-1)
    return np.where(np.isfinite(means), means, np.nan)


@dataclass(frozen=True, eq=False)
class RowMean:
    """A mean over rows: ``values``, shape (n,), NaN where a row has none, and its bounds.

    ``share`` says that every value is 0 or 1. ``weight`` and ``cluster`` have shape (n,),
    None where there are none; ``often``: how many rows each value is of, None where of one.
    """

    number: float
    values: Floats
    bounds: tuple[float, float]
    weight: Floats | None = None
    cluster: npt.NDArray[np.int64] | None = None
    share: bool = False
    often: npt.NDArray[np.int64] | None = None

    @property
    def each_row(self) -> RowMean:
        """The same with a value for each row."""
        if self.often is None:
            return self
        return replace(self, values=np.repeat(self.values, self.often), often=None)

    @property
    def counted(self) -> Floats:
        """The weight of each row that has a value, else 0."""
        weight = np.ones(len(self.values)) if self.weight is None else self.weight
        return np.where(np.isfinite(self.values), weight, 0.0)

    @property
    def parts(self) -> Floats:
        """The weighted value of each row; 0 without one."""
        return np.where(np.isfinite(self.values), self.values, 0.0) * self.counted

    @property
    def of_clusters(self) -> tuple[Floats, Floats]:
        """The sums of the weighted values, and of the weights, of each cluster."""
        assert self.cluster is not None
        sums = (np.bincount(self.cluster, own) for own in (self.parts, self.counted))
        totals, sizes = (one.astype(np.float64) for one in sums)
        return totals, sizes


def row_mean_interval(
    mean: RowMean, method: str, level: float, bootstrap: SetBootstrap, where: Slice
) -> Interval | str | None:
    """The interval of a mean over rows by the planned method; None, or why, where it gives none."""
    if method in (LOG_T, LOSS_OF_CLUSTERS):
        return _on_logarithm(mean.each_row, method, level)
    if method in (DELTA_T, SANDWICH_T, SHARE_OF_CLUSTERS) and not mean.share:
        return _on_logit(mean.each_row, method, level)
    if method in PROPORTION_METHODS:
        top, bottom = (exact_sum(one, mean.often) for one in (mean.parts, mean.counted))
        return intervals.proportion(top, bottom, level, method)
    if method == "normal":
        return _normal(mean, level)
    # What follows needs weights or clusters, of which rows are held one by one, or draws rows.
    mean = mean.each_row
    if method in (SHARE_OF_WEIGHTS, "wilson_n_eff"):
        rows, hit = int(np.count_nonzero(mean.counted)), mean.parts > 0
        return intervals.share_of_rows(mean.number, mean.counted, hit, level, method, rows)
    if method == "sandwich" and mean.cluster is None:
        inside = mean.counted > 0
        return _linearised(mean, mean.parts[inside], mean.counted[inside], method, level)
    if method in (SHARE_OF_CLUSTERS, "cluster_robust", "sandwich"):
        totals, sizes = mean.of_clusters
        if mean.share and method != "sandwich":
            return intervals.clustered_proportion(totals, sizes, level, method)
        held = sizes > 0
        return _linearised(mean, totals[held], sizes[held], method, level)
    values = bootstrap.of_rows(where, _unweighted(mean), _has_value(mean))
    jackknife = _jackknife(mean) if method == "bootstrap_bca" else None
    return from_replicates(values, mean.number, level, method, jackknife)


def _units(mean: RowMean) -> tuple[Floats, Floats]:
    """The sums of weighted values, and of weights, of the rows or clusters that have values.

    In the order of these sums: what follows is the same in whatever order rows come.
    """
    parts, counted = (mean.parts, mean.counted) if mean.cluster is None else mean.of_clusters
    inside = np.lexsort((counted, parts))
    inside = inside[counted[inside] > 0]
    return parts[inside], counted[inside]


def _on_logit(mean: RowMean, method: str, level: float) -> Interval | str | None:
    """Student's t on the logit, whose variance has the floor of a share of the rows, or clusters.

    Weighted rows count as the rows that they are worth (Kish), and the variance as at least that of
    so many: that of few rows hangs on what these happen to weigh, and is mostly too small.
    """
    top, bottom = _units(mean)
    estimate = means.ratio_of_totals(top, bottom)
    if estimate is None or estimate.standard_error is None:
        return None
    units, variance = float(len(bottom)), estimate.standard_error**2
    if method == SANDWICH_T:
        units = means.effective_size_from_sums(math.fsum(bottom), math.fsum(bottom**2))
        apart = (top / bottom - mean.number) ** 2
        variance = max(variance, math.fsum(bottom * apart) / math.fsum(bottom) / units)
    of = (mean.number, variance, units, level, method)
    clusters = mean.cluster is not None
    return intervals.widened(*of, bounds=mean.bounds, clusters=clusters)


def _on_logarithm(mean: RowMean, method: str, level: float) -> Interval | str | None:
    """Student's t on the logarithm, of a mean of values that have no greatest one."""
    top, bottom = _units(mean)
    estimate = means.ratio_of_totals(top, bottom)
    if estimate is None or not estimate.standard_error or mean.number <= 0:
        return None
    rows = mean.parts[mean.counted > 0]
    carrying = math.fsum(rows) ** 2 / math.fsum(rows**2)
    degrees = means.loss_degrees(carrying)
    if mean.cluster is not None:
        degrees = min(degrees, math.fsum(top) ** 2 / math.fsum(top**2) - 1.0)
    error = estimate.standard_error
    limits = means.log_t_limits(mean.number, error, degrees, level)
    if limits is None:
        return f"too few rows: {carrying:.2g} of {len(rows):,} make up the mean"
    return intervals.from_limits(limits, level, method, df=degrees, standard_error=error)


def _normal(mean: RowMean, level: float) -> Interval | None:
    known = np.isfinite(mean.values)
    values = mean.values[known]
    if not len(values) or values.min() == values.max():
        return None
    often = None if mean.often is None else mean.often[known]
    rows = len(values) if often is None else int(often.sum())
    second = exact_sum(values**2, often) / rows
    return intervals.mean_of_rows(mean.number, rows, second, level, mean.bounds)


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


def _jackknife(mean: RowMean) -> tuple[Floats, Floats]:
    """The mean without each row, or cluster, in turn."""
    parts, counted = mean.parts, mean.counted
    if mean.cluster is not None:
        parts, counted = mean.of_clusters
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
) -> Interval | str | None:
    """Value plus and minus z standard errors, or Student's t on the logit; None, or why, if none.

    Without a floor there are none where the variance vanishes.
    """
    cells = np.array([[float(getattr(c, name).value) for c in counts] for name in CELLS])
    slopes = _slopes(cells, metric, arguments, kind)
    influence = np.zeros(len(sets.actual))
    for k in range(len(sets.labels)):
        actual, predicted = sets.actual[:, k], sets.predicted[:, k]
        cell = np.where(actual, np.where(predicted, 0, 2), np.where(predicted, 1, 3))
        influence += slopes[cell, k] if sets.known is None else slopes[cell, k] * sets.known[:, k]
    least = 0.0
    if sets.times is not None:
        if method == SANDWICH_T:  # that of as many rows as weights leave (Kish), as of means
            weight = sets.times
            least = math.fsum(weight**2) / math.fsum(weight) * math.fsum(weight * influence**2)
        influence *= sets.times
    if cluster is not None:
        influence = np.bincount(cluster, influence).astype(np.float64)
    units = len(influence) if sets.often is None else int(sets.often.sum())
    if units < 2:
        return None
    variance = units / (units - 1) * exact_sum(influence**2, sets.often)
    variance = max(variance, least)
    if method in (DELTA_T, SANDWICH_T, SHARE_OF_CLUSTERS):
        rarer = _rarer_sides(sets, cluster)
        if kind is Average.MICRO or (kind is Average.WEIGHTED and _is_of_positives(metric)):
            values, shares, rarer = [number], [1.0], [min(math.fsum(rarer), float(units))]
        else:
            values, shares, inside = _averaged(cells, metric, arguments, kind)
            rarer = [rarer[k] for k in inside]
        of = (values, shares, rarer, variance, level, method)
        return intervals.averaged(*of, bounds=metric.bounds, clusters=cluster is not None)
    if variance <= intervals.VANISHED:
        return None
    return intervals.symmetric(number, variance, level, method, metric.bounds)


def _is_of_positives(metric: Metric) -> bool:
    """Whether a metric is a share of the rows that have a label: weighted by them it is pooled."""
    if metric.interval is not DeclaredInterval.PROPORTION:
        return False
    return all(actual == below for (actual, _), below in share_of(metric).bottom.items())


def _rarer_sides(sets: LabelSets, cluster: npt.NDArray[np.int64] | None) -> list[float]:
    """Rows with, or without, each label, whichever are fewer; Kish's where weighted, or clusters.

    Where all rows are of one side, those.
    """
    rows = len(sets.actual)
    often = np.ones(rows) if sets.often is None else sets.often.astype(np.float64)
    weight = np.ones(rows) if sets.times is None else sets.times
    found = []
    for k in range(len(sets.labels)):
        known = np.ones(rows, bool) if sets.known is None else sets.known[:, k]
        sides = []
        for side in (known & sets.actual[:, k], known & ~sets.actual[:, k]):
            if not side.any():
                continue
            if cluster is not None:
                sides.append(float(distinct(cluster[side])))
                continue
            total, squares = (math.fsum(often[side] * weight[side] ** p) for p in (1, 2))
            sides.append(means.effective_size_from_sums(total, squares))
        found.append(min(sides, default=0.0))
    return found


def _averaged(
    cells: Floats, metric: Metric, arguments: Mapping[str, Any], kind: Average
) -> tuple[list[float], list[float], npt.NDArray[np.intp]]:
    """The values of the labels that have one, their shares of the average, and which these are."""
    counts = stacked_counts(cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.asarray(metric(counts, **arguments).array(), np.float64)
    inside = np.flatnonzero(np.isfinite(each))
    support = np.asarray(counts.positives.array(), np.float64)[inside]
    weights = support if kind is Average.WEIGHTED else np.ones(len(inside))
    return each[inside].tolist(), (weights / weights.sum()).tolist(), inside


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
