"""Net reclassification of two classifiers on the same rows (Pencina et al. 2008)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalreport.statistics.interval import Interval, symmetric, z_value
from evalreport.statistics.tail import normal_two_sided

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Moves:
    """Rows of one true class: how many move up, how many down, of how many.

    ``net`` is the share that moves the right way less the share that moves the wrong way.
    """

    n: float
    up: float
    down: float
    net: float
    interval: Interval | None


@dataclass(frozen=True)
class Reclassification:
    """The sum of both classes' nets, with interval, z and p value (None without moves)."""

    events: Moves
    nonevents: Moves
    net: float
    interval: Interval | None
    statistic: float | None
    p_value: float | None


def net_reclassification(
    event: ArrayLike,
    move: ArrayLike,
    level: float,
    *,
    weight: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
) -> Reclassification | None:
    """Net reclassification improvement, the model against its reference.

    Args:
        event: whether a row is an actual positive, shape (n,).
        move: +1 where only the model calls it positive, -1 where only the reference does.
        level: of the intervals.
        weight: of each row; variances are then those of a weighted mean.
        cluster: code of each row; clusters then are what is independent.

    Returns:
        None without a row of one of the two classes.

    Variances are those of means over independent rows (or clusters, with the factor
    K / (K - 1)); the test of independent unweighted rows takes the variance under the
    hypothesis that as many rows move up as down (Pencina et al. 2008, formulas 7 to 10).

    >>> found = net_reclassification([1, 1, 1, 1, 0, 0], [1, 1, -1, 0, -1, 0], 0.95)
    >>> found.events.net, found.nonevents.net, found.net
    (0.25, 0.5, 0.75)
    """
    positive = np.asarray(event, np.bool_)
    moved = np.asarray(move, np.float64)
    w = np.ones(len(moved)) if weight is None else np.asarray(weight, np.float64)
    if not w[positive].sum() > 0 or not w[~positive].sum() > 0:
        return None
    # a negative row moves the right way when it moves down
    parts = [
        _Part.of(chosen, sign * moved, w) for chosen, sign in ((positive, 1.0), (~positive, -1.0))
    ]
    units = None if cluster is None else np.asarray(cluster)
    independent = weight is None and cluster is None
    both = parts[0].residuals + parts[1].residuals
    net = parts[0].net + parts[1].net
    variance = _variance(both, units, independent)
    null = parts[0].null + parts[1].null if independent else variance
    statistic = net / math.sqrt(null) if null > 0 else None
    sides = []
    for part, chosen in zip(parts, (positive, ~positive), strict=True):
        up = math.fsum(w[chosen & (moved > 0)])
        down = math.fsum(w[chosen & (moved < 0)])
        own = None if units is None else units[chosen]
        spread = _variance(part.residuals[chosen], own, independent)
        limits = _limits(part.net, spread, level, 1.0)
        sides.append(Moves(part.total, up, down, part.net, limits))
    return Reclassification(
        events=sides[0],
        nonevents=sides[1],
        net=net,
        interval=_limits(net, variance, level, 2.0),
        statistic=statistic,
        p_value=None if statistic is None else normal_two_sided(statistic),
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """The mean move of one class: its total weight, value, and what each row adds to it."""

    total: float
    net: float
    residuals: Floats
    null: float

    @classmethod
    def of(cls, chosen: NDArray[np.bool_], right: Floats, w: Floats) -> _Part:
        total = math.fsum(w[chosen])
        net = math.fsum((w * right)[chosen]) / total
        residuals = np.where(chosen, w * (right - net), 0.0) / total
        moves = float(np.count_nonzero(right[chosen]))
        return cls(total, net, residuals, moves / total**2)


def _variance(residuals: Floats, units: NDArray[np.generic] | None, independent: bool) -> float:
    """Sum of squares over rows, or over clusters; 0 where there is only one unit."""
    if independent:
        return math.fsum(residuals**2)
    sums: NDArray[Any] = residuals
    if units is not None:
        _, place = np.unique(units, return_inverse=True)
        sums = np.bincount(place.reshape(-1), residuals)
    count = len(sums)
    return count / (count - 1) * math.fsum(sums**2) if count > 1 else 0.0


def _limits(net: float, variance: float, level: float, most: float) -> Interval | None:
    """Value plus and minus z standard errors, within what a net can be; None without width."""
    if not variance > 0:
        return None
    return symmetric(net, z_value(level) * math.sqrt(variance), -most, most)
