"""Replicates of averages over labels: whole rows are drawn, with all their labels.

Labels of one row are not independent, so the cells of different labels are never
drawn apart. Independent unweighted rows are drawn as a multinomial over the distinct
rows; weighted rows and clusters are drawn one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.set_tables import (
    SetTables,
    cell_flags,
    patterns,
    stacked_counts,
)
from evalreport.engine.intervals.class_bootstrap import ScoreColumn
from evalreport.engine.settings import Settings
from evalreport.metrics.declare import Average, Metric
from evalreport.plan.task import Slice
from evalreport.statistics import resampling

Floats = npt.NDArray[np.float64]
Jackknife = tuple[Floats, Floats]

#: Numbers of a batch of replicates held at once.
_BATCH = 4_000_000


class SetBootstrap:
    """Replicates for one dataset and model; metrics of a slice and threshold share draws."""

    def __init__(self, tables: SetTables, settings: Settings) -> None:
        self.tables = tables
        self.settings = settings
        self._cells: dict[tuple[Slice, float | None], Floats] = {}

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
        view, rows = self.tables.view, self.tables.rows(where)
        assert view.label_scores is not None
        columns = [ScoreColumn(view.label_scores[rows, k]) for k in range(len(view.labels))]
        actual = view.actual_sets[rows]
        found = []
        for times in self._drawn_rows(where, "scores"):
            tables = [c.table(actual[:, k], times) for k, c in enumerate(columns)]
            with np.errstate(divide="ignore", invalid="ignore"):
                values = np.stack([np.asarray(metric(t, **arguments).array()) for t in tables], -1)
            weights = np.stack([np.asarray(t.positive_total) for t in tables], -1)
            found.append(_mean(values, weights, kind))
        return np.concatenate(found)

    def of_rows(self, where: Slice, values: Floats, counted: Floats) -> Floats:
        """Replicates of sum(values) / sum(counted) over rows, both of shape (n,)."""
        parts = [
            np.einsum("bn,nk->bk", times, np.stack([values, counted], axis=1))
            for times in self._drawn_rows(where, "rows")
        ]
        sums = np.concatenate(parts)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(sums[:, 0] / sums[:, 1])

    def _drawn_cells(self, where: Slice, threshold: float | None) -> Iterator[Floats]:
        """The cells of every label in each replicate, shape (b, 4, K)."""
        view, sets = self.tables.view, self.tables.sets(where, threshold)
        if view.weight is not None or view.cluster is not None:
            flags = cell_flags(sets)
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
        """How often each row counts in each replicate, shape (b, n)."""
        view, rows = self.tables.view, self.tables.rows(where)
        weight = np.ones(len(rows)) if view.weight is None else view.weight[rows]
        unit = np.arange(len(rows))
        if view.cluster is not None:
            _, unit = np.unique(view.cluster[0][rows], return_inverse=True)
        rng = self._rng(where, what)
        step = max(1, _BATCH // max(1, len(rows)))
        for drawn in resampling.cluster_resamples(
            int(unit.max()) + 1, self.settings.resamples, rng
        ):
            for start in range(0, len(drawn), step):
                yield drawn[start : start + step][:, unit] * weight

    def _rng(self, where: Slice, what: str) -> np.random.Generator:
        view = self.tables.view
        return resampling.generator(
            self.settings.seed, view.dataset, view.model, str(where), f"label sets {what}"
        )


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
