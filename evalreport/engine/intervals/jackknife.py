"""Values with one row, or one cluster, left out: what BCa limits are corrected by.

Each function gives the values and how many rows or clusters each of them stands for.
None where there are too many to leave each out in turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.metrics.tables import ScoreTable

Floats = npt.NDArray[np.float64]
OfTables = Callable[[npt.NDArray[Any]], npt.NDArray[Any]]
OfScores = Callable[[ScoreTable], Any]
Jackknife = tuple[Floats, Floats]
Influence = Callable[[ScoreTable], tuple[Floats, Floats]]

#: Entries of a score table above which a known influence stands in for leaving each out.
MOST_EXACT = 1_000
#: Entries of a score table, or units, up to which each is left out.
MOST_LEFT_OUT = 5_000
#: Cells of all tables with one unit left out together.
MOST_CELLS = 100_000_000
#: Cells of a batch held at once.
_BATCH = 4_000_000


def finite(values: npt.NDArray[Any]) -> Floats:
    """Values as floats; what is undefined or infinite is NaN."""
    real = np.real(values).astype(np.float64)
    return np.where(np.isfinite(real), real, np.nan)


def of_cells(function: OfTables, table: Floats) -> Jackknife:
    """One row of each non-empty cell of a classification table left out."""
    rows, columns = np.nonzero(table)
    stack = np.repeat(table[None], len(rows), axis=0)
    stack[np.arange(len(rows)), rows, columns] -= 1
    with np.errstate(divide="ignore", invalid="ignore"):
        return finite(function(stack)), table[rows, columns]


def of_clusters(function: OfTables, clusters: Floats) -> Jackknife | None:
    """One cluster left out; ``clusters`` are their tables, shape (C, K, K)."""
    if clusters.size > MOST_CELLS:
        return None
    total = clusters.sum(axis=0)
    step = max(1, _BATCH // max(1, total.size))
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [
            finite(function(total - clusters[k : k + step])) for k in range(0, len(clusters), step)
        ]
    return np.concatenate(parts), np.ones(len(clusters))


def of_weights(
    function: OfTables, table: Floats, code: npt.NDArray[Any], weight: Floats
) -> Jackknife | None:
    """One weighted row left out; ``code``: the cell of each row in the flattened table."""
    kinds, times = np.unique(np.column_stack([code, weight]), axis=0, return_counts=True)
    if len(kinds) * table.size > MOST_CELLS:
        return None
    left = np.repeat(table.reshape(1, -1), len(kinds), axis=0)
    left[np.arange(len(kinds)), kinds[:, 0].astype(np.intp)] -= kinds[:, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        # a cell of which its only row is left out is empty, whatever rounding says
        left = np.where(np.abs(left) < 1e-12 * table.sum(), 0.0, left)
        return finite(function(left.reshape(-1, *table.shape))), times.astype(np.float64)


def of_entries(function: OfScores, table: ScoreTable) -> Jackknife | None:
    """One row of each entry and class of a score table left out."""
    size = len(table.scores)
    if size > MOST_LEFT_OUT:
        return None
    values, weights = [], []
    step = max(1, _BATCH // max(1, 2 * size))
    for start in range(0, size, step):
        part = np.arange(start, min(start + step, size))
        for kind in (0, 1):
            held = (table.positives if kind == 0 else table.negatives)[part]
            entries = part[held > 0]
            if not len(entries):
                continue
            pos = np.repeat(table.positives[None], len(entries), axis=0)
            neg = np.repeat(table.negatives[None], len(entries), axis=0)
            (pos if kind == 0 else neg)[np.arange(len(entries)), entries] -= 1
            with np.errstate(divide="ignore", invalid="ignore"):
                values.append(finite(np.asarray(function(ScoreTable(table.scores, pos, neg)))))
            weights.append(held[held > 0].astype(np.float64))
    return np.concatenate(values), np.concatenate(weights)


def by_influence(function: OfScores, table: ScoreTable, influence: Influence) -> Jackknife:
    """As :func:`of_entries`, to first order: the value less the influence of one row.

    The infinitesimal jackknife instead of the exact one (Efron B., Tibshirani R.
    An Introduction to the Bootstrap, 1993, section 22.5).
    """
    value = float(function(table))
    of_positive, of_negative = influence(table)
    left = value - np.concatenate([of_positive, of_negative])
    return finite(left), np.concatenate([table.positives, table.negatives]).astype(np.float64)


def of_scored_units(
    function: OfScores,
    scores: Floats,
    code: npt.NDArray[Any],
    weight: Floats,
    unit: npt.NDArray[Any],
) -> Jackknife | None:
    """One unit, a weighted row or a cluster, left out of a score table.

    ``code``: the entry of each row, plus the number of entries where it is a negative.
    """
    size, units = 2 * len(scores), int(unit.max(initial=-1)) + 1
    if units > MOST_LEFT_OUT or units * size > MOST_CELLS:
        return None
    values = []
    step = max(1, _BATCH // max(1, size))
    for start in range(0, units, step):
        count = min(step, units - start)
        kept = np.zeros((count, size))
        for k in range(count):
            others = unit != start + k
            kept[k] = np.bincount(code[others], weight[others], size)
        with np.errstate(divide="ignore", invalid="ignore"):
            table = ScoreTable(scores, kept[:, : len(scores)], kept[:, len(scores) :])
            values.append(finite(np.asarray(function(table))))
    return np.concatenate(values), np.ones(units)
