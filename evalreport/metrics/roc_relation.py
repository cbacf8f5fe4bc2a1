"""Where two ROC curves lie: one above the other everywhere, or crossing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.metrics.tables import ScoreTable
from evalreport.results.records import RocLead

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

#: Below this a distance between two curves is nothing but rounding.
ROUNDING = 1e-12
#: Crossings that are kept; curves of models that are alike cross at every other step.
MOST_CROSSINGS = 20
#: False positive rates that are looked at together.
BLOCK = 1 << 18


@dataclass(frozen=True)
class RocRelation:
    """``relation`` of the first curve to the second: above, below, cross or equal.

    ``crossings`` are the first of the ``crossing_count`` points (false positive rate, true
    positive rate) where the order changes, from left to right; where the curves run together
    before they part, the point at which they met. ``leads`` are those of the first curve over
    the second and of the second over the first, in true positive rate at the same false positive
    rate.
    """

    relation: str
    crossings: tuple[tuple[float, float], ...] = ()
    crossing_count: int = 0
    leads: tuple[RocLead, RocLead] = (RocLead(0.0, 0.0), RocLead(0.0, 0.0))


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


@dataclass(frozen=True, eq=False)
class _Together:
    """Two curves and all their false positive rates; a place is 2 i, or 2 i + 1 at the top of i."""

    one: _Curve
    two: _Curve
    grid: Floats

    def distances(self, first: int, past: int) -> Floats:
        """How far the first curve is above the second from one rate on to another."""
        (low_1, high_1), (low_2, high_2) = (
            curve.at(self.grid[first:past]) for curve in (self.one, self.two)
        )
        found = np.stack([low_1 - low_2, high_1 - high_2], axis=1).reshape(-1)
        found[np.abs(found) <= ROUNDING] = 0.0
        return found

    def crossing(self, before: int, after: int) -> tuple[float, float]:
        """Where the order changes between two places of opposite sign."""
        rates = slice(before // 2, after // 2 + 1)
        (low_1, high_1), (low_2, _) = self.one.at(self.grid[rates]), self.two.at(self.grid[rates])
        x = np.repeat(self.grid[rates], 2)
        start = np.stack([low_1, high_1], axis=1).reshape(-1)
        y = np.stack([np.maximum(low_1, low_2), high_1], axis=1).reshape(-1)
        distance = np.abs(self.distances(rates.start, rates.stop))
        i, j = before % 2, after - 2 * rates.start
        if j - i > 1:
            return float(x[i + 1]), float(start[i + 1])
        if x[i] == x[j]:
            return float(x[i]), float(y[i])
        share = distance[i] / (distance[i] + distance[j])
        across = x[i] + share * (x[j] - x[i])
        return float(across), float(start[i] + share * (start[j] - start[i]))


def roc_relation(first: ScoreTable, second: ScoreTable) -> RocRelation | None:
    """The relation of two ROC curves; None without rows of both classes, or with rates that fall.

    Weights below 0, of rows that a proxy corrects, may let a rate fall.

    >>> s = np.array([0.9, 0.4])
    >>> good = ScoreTable(s, np.array([3, 1]), np.array([1, 3]))
    >>> poor = ScoreTable(s, np.array([2, 2]), np.array([2, 2]))
    >>> roc_relation(good, poor).relation, roc_relation(poor, poor).relation
    ('above', 'equal')
    >>> roc_relation(good, poor).leads[0]
    RocLead(by=0.5, fpr=0.25)
    """
    if not all(
        float(t.positive_total) > 0 and float(t.negative_total) > 0 for t in (first, second)
    ):
        return None
    one, two = _curve(first), _curve(second)
    if not all(bool(np.all(own.fpr[1:] >= own.fpr[:-1])) for own in (one, two)):
        return None
    both = _together(one, two)
    del one, two
    leads = [(-np.inf, 0.0), (-np.inf, 0.0)]
    signs: set[float] = set()
    last, changes, count = (-1, 0.0), list[tuple[int, int]](), 0
    for start in range(0, len(both.grid), BLOCK):
        distance = both.distances(start, start + BLOCK)
        for side, ahead in enumerate((distance, -distance)):
            place = int(np.argmax(ahead))
            if ahead[place] > leads[side][0]:
                leads[side] = float(ahead[place]), float(both.grid[start + place // 2])
        apart = np.flatnonzero(distance)
        if not len(apart):
            continue
        sign = np.sign(distance[apart])
        signs.update(np.unique(sign).tolist())
        places = np.concatenate([[last[0]], 2 * start + apart])
        turned = np.flatnonzero(np.diff(sign, prepend=last[1] or sign[0]))
        count += len(turned)
        room = MOST_CROSSINGS - len(changes)
        changes += [(int(places[i]), int(places[i + 1])) for i in turned[:room]]
        last = int(places[-1]), float(sign[-1])
    if not signs:
        return RocRelation("equal")
    one_leads, two_leads = (RocLead(max(height, 0.0), at) for height, at in leads)
    found = one_leads, two_leads
    if len(signs) == 1:
        return RocRelation("above" if signs == {1.0} else "below", leads=found)
    points = tuple(both.crossing(*places) for places in changes)
    return RocRelation("cross", points, count, found)


def _curve(table: ScoreTable) -> _Curve:
    fpr = _from_zero(table.false_positives, float(table.negative_total))
    begins, ends = _steps(fpr)
    fpr = fpr[begins]  # of millions of scores each array is large: all rates are not held longer
    tpr = _from_zero(table.true_positives, float(table.positive_total))
    return _Curve(fpr, tpr[begins], tpr[ends])


def _from_zero(counts: npt.NDArray[Any], total: float) -> Floats:
    rates = np.zeros(len(counts) + 1)
    np.divide(counts, total, out=rates[1:])
    rates[-1] = 1.0  # sums of weights may end beside it
    return rates


def _steps(fpr: Floats) -> tuple[Bools, Bools]:
    """Where each false positive rate, which ascend, begins and ends."""
    begins = np.ones(len(fpr), np.bool_)
    np.not_equal(fpr[1:], fpr[:-1], out=begins[1:])
    return begins, np.append(begins[1:], True)


def _each_once(curve: _Curve) -> _Curve:
    """The curve with each false positive rate once."""
    begins, ends = _steps(curve.fpr)
    if begins.all():
        return curve
    return _Curve(curve.fpr[begins], curve.low[begins], curve.high[ends])


def _together(one: _Curve, two: _Curve) -> _Together:
    """Both curves, rates that differ by rounding alone made one: the lowest of those beside it.

    The rates of ``one`` and ``two`` are overwritten.

    Weights that are added up in another order end in other digits: two steps at one place
    would be two places, with the whole height of the step between the curves.
    """
    ordered = np.empty(len(one.fpr) + len(two.fpr))
    firsts = np.ones(len(ordered), np.bool_)
    for start in range(0, len(two.fpr), BLOCK):
        places = np.searchsorted(one.fpr, two.fpr[start : start + BLOCK], side="right")
        places += np.arange(start, start + len(places))
        firsts[places] = False
    ordered[firsts], ordered[~firsts] = one.fpr, two.fpr
    new = np.ones(len(ordered), np.bool_)
    for start in range(1, len(ordered), BLOCK):
        steps = np.diff(ordered[start - 1 : start + BLOCK])
        np.greater(steps, ROUNDING, out=new[start : start + BLOCK])
    ordered[~new] = 0.0
    np.maximum.accumulate(ordered, out=ordered)
    for curve, own in ((one, firsts), (two, ~firsts)):
        _put(curve.fpr, ordered, own)
    del firsts, own
    grid = ordered[: _put(ordered, ordered, new)]
    return _Together(_each_once(one), _each_once(two), grid)


def _put(into: Floats, values: Floats, chosen: Bools) -> int:
    """Put the chosen values into an array, which may be theirs, in order; how many there are."""
    count = 0
    for start in range(0, len(values), BLOCK):
        own = values[start : start + BLOCK][chosen[start : start + BLOCK]]
        into[count : count + len(own)] = own
        count += len(own)
    return count
