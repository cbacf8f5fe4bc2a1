"""Where two ROC curves lie: one above the other everywhere, or crossing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evalreport.metrics.tables import ScoreTable
from evalreport.values import dataclass

Floats = npt.NDArray[np.float64]

#: Below this a distance between two curves is nothing but rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Lead:
    """How far one curve rises above the other at most, and at which false positive rate."""

    height: float
    at: float


@dataclass(frozen=True)
class RocRelation:
    """``relation`` of the first curve to the second: above, below, cross or equal.

    ``crossings`` are the points (false positive rate, true positive rate) where the order
    changes, from left to right; where the curves run together before they part, the point
    at which they met. ``leads`` are those of the first curve over the second and of the
    second over the first, in true positive rate at the same false positive rate.
    """

    relation: str
    crossings: tuple[tuple[float, float], ...] = ()
    leads: tuple[Lead, Lead] = (Lead(0.0, 0.0), Lead(0.0, 0.0))


@dataclass(frozen=True, eq=False)
class _Curve:
    """Lowest and highest true positive rate at each false positive rate, shape (V,)."""

    fpr: Floats
    low: Floats
    high: Floats

    def at(self, grid: Floats) -> tuple[Floats, Floats]:
        """Lowest and highest true positive rate at each point of ``grid``."""
        before = np.searchsorted(self.fpr, grid, side="right") - 1
        after = np.minimum(before + 1, len(self.fpr) - 1)
        width = self.fpr[after] - self.fpr[before]
        share = np.where(width > 0, grid - self.fpr[before], 0) / np.where(width > 0, width, 1)
        between = self.high[before] + share * (self.low[after] - self.high[before])
        on = self.fpr[before] == grid
        return np.where(on, self.low[before], between), np.where(on, self.high[before], between)


def roc_relation(first: ScoreTable, second: ScoreTable) -> RocRelation | None:
    """The relation of two ROC curves; None where a curve does not exist (one class only).

    >>> s = np.array([0.9, 0.4])
    >>> good = ScoreTable(s, np.array([3, 1]), np.array([1, 3]))
    >>> poor = ScoreTable(s, np.array([2, 2]), np.array([2, 2]))
    >>> roc_relation(good, poor).relation, roc_relation(poor, poor).relation
    ('above', 'equal')
    >>> roc_relation(good, poor).leads[0]
    Lead(height=0.5, at=0.25)
    """
    rates, others = _rates(first), _rates(second)
    if rates is None or others is None:
        return None
    places = _together(np.concatenate([rates[0], others[0]]))
    one = _curve(places[: len(rates[0])], rates[1])
    two = _curve(places[len(rates[0]) :], others[1])
    grid = np.union1d(one.fpr, two.fpr)
    (low_1, high_1), (low_2, high_2) = one.at(grid), two.at(grid)
    distance = np.stack([low_1 - low_2, high_1 - high_2], axis=1).reshape(-1)
    x = np.repeat(grid, 2)
    y = np.stack([np.maximum(low_1, low_2), high_1], axis=1).reshape(-1)
    start = np.stack([low_1, high_1], axis=1).reshape(-1)
    distance[np.abs(distance) <= ROUNDING] = 0.0
    signs = np.sign(distance)
    apart = np.nonzero(signs)[0]
    if not len(apart):
        return RocRelation("equal")
    leads = _lead(distance, x), _lead(-distance, x)
    if (signs[apart] == signs[apart[0]]).all():
        return RocRelation("above" if signs[apart[0]] > 0 else "below", leads=leads)
    changes = np.nonzero(signs[apart[1:]] != signs[apart[:-1]])[0]
    points = tuple(
        _crossing(int(apart[i]), int(apart[i + 1]), distance, x, y, start) for i in changes
    )
    return RocRelation("cross", points, leads)


def _lead(distance: Floats, x: Floats) -> Lead:
    place = int(np.argmax(distance))
    return Lead(max(float(distance[place]), 0.0), float(x[place]))


def _crossing(
    before: int, after: int, distance: Floats, x: Floats, y: Floats, start: Floats
) -> tuple[float, float]:
    """Where the order changes between two places of opposite sign."""
    if after - before > 1:
        return float(x[before + 1]), float(start[before + 1])
    if x[before] == x[after]:
        return float(x[before]), float(y[before])
    share = abs(distance[before]) / (abs(distance[before]) + abs(distance[after]))
    across = x[before] + share * (x[after] - x[before])
    up = start[before] + share * (start[after] - start[before])
    return float(across), float(up)


def _rates(table: ScoreTable) -> tuple[Floats, Floats] | None:
    p, n = float(table.positive_total), float(table.negative_total)
    if p <= 0 or n <= 0:
        return None
    tpr = np.concatenate([[0.0], table.true_positives / p])
    fpr = np.concatenate([[0.0], table.false_positives / n])
    # sums of weights may end beside 1
    tpr[-1] = fpr[-1] = 1.0
    return fpr, tpr


def _together(rates: Floats) -> Floats:
    """Each rate, or the lowest of those beside it that differ by rounding alone.

    Weights that are added up in another order end in other digits: two steps at one place
    would be two places, with the whole height of the step between the curves.
    """
    order = np.argsort(rates, kind="stable")
    ordered = rates[order]
    starts = np.concatenate([[True], np.diff(ordered) > ROUNDING])
    found = np.empty_like(rates)
    found[order] = ordered[starts][np.cumsum(starts) - 1]
    return found


def _curve(fpr: Floats, tpr: Floats) -> _Curve:
    places, first = np.unique(fpr, return_index=True)
    last = np.concatenate([first[1:] - 1, [len(fpr) - 1]])
    return _Curve(places, tpr[first], tpr[last])
