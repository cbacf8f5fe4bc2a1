"""How two ROC curves lie to each other, from their score tables alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.metrics.tables import ScoreTable

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Lead:
    """How far one curve rises above the other at most, and at which false positive rate."""

    height: float
    at: float


def leads(first: ScoreTable, second: ScoreTable) -> tuple[Lead, Lead] | None:
    """The largest lead of the first curve over the second, and of the second over the first.

    Curves are joined by straight lines; a lead is measured in true positive rate
    at the same false positive rate. None where a class is missing.

    >>> a = ScoreTable(np.array([3.0, 2.0, 1.0]), np.array([1, 0, 1]), np.array([0, 2, 0]))
    >>> b = ScoreTable(np.array([3.0, 2.0, 1.0]), np.array([0, 2, 0]), np.array([1, 0, 1]))
    >>> leads(a, b)
    (Lead(height=0.5, at=0.0), Lead(height=0.5, at=0.5))
    """
    curves = [_curve(table) for table in (first, second)]
    if curves[0] is None or curves[1] is None:
        return None
    at = np.union1d(curves[0][0], curves[1][0])
    sides = []
    for side in (0, 1):
        one, other = (_values(curve, at, side) for curve in curves if curve is not None)
        sides.append(one - other)
    above, below = np.maximum(*sides), np.maximum(-sides[0], -sides[1])
    return _highest(above, at), _highest(below, at)


def _highest(gaps: Floats, at: Floats) -> Lead:
    place = int(np.argmax(gaps))
    return Lead(max(float(gaps[place]), 0.0), float(at[place]))


def _curve(table: ScoreTable) -> tuple[Floats, Floats, Floats] | None:
    """False positive rates, with the lowest and highest true positive rate at each."""
    if not table.positive_total > 0 or not table.negative_total > 0:
        return None
    fpr: Any = np.concatenate([[0.0], table.false_positives / table.negative_total])
    tpr: Any = np.concatenate([[0.0], table.true_positives / table.positive_total])
    rates, first = np.unique(fpr, return_index=True)
    last = np.concatenate([first[1:], [len(fpr)]]) - 1
    return rates, tpr[first], tpr[last]


def _values(curve: tuple[Floats, Floats, Floats], at: Floats, side: int) -> Floats:
    """The curve just left (side 0) or just right (side 1) of each false positive rate."""
    rates, lowest, highest = curve
    after = np.searchsorted(rates, at, side="left")
    own = rates[np.minimum(after, len(rates) - 1)] == at
    after = np.clip(after, 0, len(rates) - 1)
    before = np.maximum(after - 1, 0)
    width = np.where(rates[after] > rates[before], rates[after] - rates[before], 1.0)
    rise = (lowest[after] - highest[before]) * (at - rates[before]) / width
    ends = (lowest if side == 0 else highest)[after]
    return np.where(own, ends, highest[before] + rise)
