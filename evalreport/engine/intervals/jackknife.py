"""Values with one row, or one cluster, left out: what BCa limits are corrected by.

Each function gives the values and how many rows or clusters each of them stands for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalreport.metrics.tables import ScoreTable

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[Any]
#: A metric of stacked tables, each laid flat, shape (b, cells) to (b,).
OfStacks = Callable[[Floats], npt.NDArray[Any]]
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
#: A cell of which its only row is left out is empty, whatever rounding says.
_EMPTY = 1e-12


class Units(NamedTuple):
    """Rows by the cell that each counts in, its weight, and the unit that it is left out with."""

    code: Places
    weight: Floats
    unit: Places

    @property
    def many(self) -> int:
        """How many units there are."""
        return int(self.unit.max(initial=-1)) + 1


def finite(values: npt.NDArray[Any]) -> Floats:
    """Values as floats; what is undefined or infinite is NaN."""
    real = np.real(values).astype(np.float64)
    return np.where(np.isfinite(real), real, np.nan)


def without_each(
    function: OfStacks, whole: Floats, rows: Units, times: Floats | None = None
) -> Jackknife | None:
    """Values without each unit in turn; None where there are too many of them.

    ``whole``: the table of all rows, laid flat; ``times``: how many units are like each, 1 where
    None.
    """
    units, size = rows.many, whole.size
    if units * size > MOST_CELLS:
        return None
    order = np.argsort(rows.unit, kind="stable")
    code, weight, unit = (part[order] for part in rows)
    values, step = [], max(1, _BATCH // max(1, size))
    for start in range(0, units, step):
        count = min(step, units - start)
        own = slice(*np.searchsorted(unit, (start, start + count)))
        place = (unit[own] - start) * size + code[own]
        left = whole - np.bincount(place, weight[own], count * size).reshape(count, size)
        left = np.where(np.abs(left) < _EMPTY * whole.sum(), 0.0, left)
        with np.errstate(divide="ignore", invalid="ignore"):
            values.append(np.broadcast_to(finite(np.asarray(function(left))), (count,)))
    return np.concatenate(values), np.ones(units) if times is None else times


def by_influence(
    function: Callable[[ScoreTable], Any], table: ScoreTable, influence: Influence
) -> Jackknife:
    """Without one row of each entry, to first order: the value less the influence of one row.

    The infinitesimal jackknife instead of the exact one (Efron B., Tibshirani R.
    An Introduction to the Bootstrap, 1993, section 22.5).
    """
    value = float(function(table))
    of_positive, of_negative = influence(table)
    left = value - np.concatenate([of_positive, of_negative])
    return finite(left), np.concatenate([table.positives, table.negatives]).astype(np.float64)
