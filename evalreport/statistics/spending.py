"""Boundaries of planned looks: how much of the error may be spent by each look (Lan, DeMets 1983).

A test that is looked at K times at its usual level raises a false alarm far more often than
its level says. Here the level is a budget: a spending function fixes how much of it may have
been used once a share ``t`` of the planned information is in, and each boundary is solved so
that the chance of a first crossing at that look is exactly what may be spent there. The joint
distribution of the looks is integrated step by step (Armitage, McPherson, Rowe 1969) on the
grid of Jennison and Turnbull (2000, chapter 19).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalreport.statistics.root import bisect
from evalreport.statistics.tail import normal_quantile, normal_sf

Spending = Callable[[float, float], float]

#: Points of the grid: 12 r - 3 a look; 18 is what group sequential software uses by default.
GRID = 18
#: Less than this much error cannot be told from the rounding of the integral: that look
#: never stops, and what it may spend is left to the next one.
LEAST_SPENT = 1e-14
#: Boundaries are looked for up to this deviate.
FARTHEST = 40.0


def obrien_fleming(t: float, alpha: float) -> float:
    """Error spent by the share ``t`` of the information: little early (Lan, DeMets 1983).

    2 - 2 Phi(z / sqrt(t)), z the one-sided deviate of alpha / 2.

    >>> obrien_fleming(1.0, 0.025)
    0.025
    """
    if t >= 1.0:
        return alpha
    return 2.0 * normal_sf(-normal_quantile(alpha / 2.0) / math.sqrt(t))


def pocock(t: float, alpha: float) -> float:
    """Error spent by the share ``t`` of the information: nearly evenly (Lan, DeMets 1983).

    alpha ln(1 + (e - 1) t).

    >>> pocock(1.0, 0.025)
    0.025
    """
    return alpha if t >= 1.0 else alpha * math.log1p((math.e - 1.0) * t)


SPENDING: dict[str, Spending] = {"obrien_fleming": obrien_fleming, "pocock": pocock}


class Look(NamedTuple):
    """One planned look: error spent by then, boundary of z.

    ``boundary`` is infinite where the look may spend too little to stop at all.
    """

    spent: float
    boundary: float

    @property
    def nominal(self) -> float:
        """The one-sided level of this look alone: the chance of z beyond its boundary."""
        return 0.0 if math.isinf(self.boundary) else normal_sf(self.boundary)


def boundaries(
    information: Sequence[float],
    alpha: float,
    spending: Spending = obrien_fleming,
    times: Sequence[float] | None = None,
) -> tuple[Look, ...]:
    """The upper boundary of z at each look, one-sided level ``alpha``.

    ``information`` holds the share of the planned information at each look so far, rising
    and at most 1: with ``planned: 4`` and looks of equal size 0.25, 0.5, 0.75 and 1. Only
    looks up to now are needed, so that sizes that were not foreseen are taken as they came.
    ``times`` are what the error is spent by, where that is not the information (Lan, DeMets
    1989): shares of the planned looks, say, where nobody knows how many rows there will be.
    Raises ValueError for shares that do not rise within (0, 1].

    >>> [round(one.boundary, 4) for one in boundaries([0.2, 0.4, 0.6, 0.8, 1.0], 0.025)]
    [4.8769, 3.357, 2.6803, 2.2898, 2.031]
    """
    _check(information, alpha)
    found: list[Look] = []
    grid: _Grid | None = None
    spent = 0.0
    for share, time in zip(information, times or information, strict=True):
        allowed = spending(time, alpha) - spent
        if allowed < LEAST_SPENT:
            boundary, used = math.inf, 0.0
        else:
            boundary, used = _solved(grid, share, allowed), allowed
        spent += used
        found.append(Look(spent, boundary))
        grid = _next(grid, share, boundary)
    return tuple(found)


def _check(information: Sequence[float], alpha: float) -> None:
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha {alpha!r}: must lie between 0 and 1")
    before = 0.0
    for share in information:
        if not before < share <= 1.0:
            raise ValueError(f"information {list(information)!r}: must rise within (0, 1]")
        before = share


class _Grid(NamedTuple):
    """The density of z at a look among paths that have not crossed: points, density x weight."""

    share: float
    points: npt.NDArray[np.float64]
    mass: npt.NDArray[np.float64]


def _points(limit: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Points up to ``limit`` and their weights in Simpson's rule."""
    i = np.arange(1, 6 * GRID)
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.where(
            i < GRID,
            -3.0 - 4.0 * np.log(GRID / i),
            np.where(
                i <= 5 * GRID,
                -3.0 + 3.0 * (i - GRID) / (2.0 * GRID),
                3.0 + 4.0 * np.log(GRID / (6.0 * GRID - i)),
            ),
        )
    if limit < x[-1]:
        x = np.append(x[x < limit], limit)
    if len(x) < 2:
        # nearly every path has crossed: what is left lies just below the limit
        x = np.array([limit - 1e-3, limit])
    points = np.empty(2 * len(x) - 1)
    points[0::2], points[1::2] = x, (x[:-1] + x[1:]) / 2.0
    widths = np.diff(x)
    weights = np.zeros(len(points))
    weights[1::2] = 4.0 * widths / 6.0
    weights[0:-1:2] += widths / 6.0
    weights[2::2] += widths / 6.0
    return points, weights


def _next(grid: _Grid | None, share: float, limit: float) -> _Grid:
    """The density at the look ``share``, below its limit."""
    points, weights = _points(limit)
    if grid is None:
        density = np.exp(-0.5 * points**2) / math.sqrt(2.0 * math.pi)
        return _Grid(share, points, density * weights)
    step = share - grid.share
    root = math.sqrt(share)
    moved = points[:, None] * root - grid.points[None, :] * math.sqrt(grid.share)
    kernel = np.exp(-0.5 * moved**2 / step) * (root / math.sqrt(2.0 * math.pi * step))
    return _Grid(share, points, (kernel @ grid.mass) * weights)


def _beyond(grid: _Grid | None, share: float, limit: float) -> float:
    """The chance of lying beyond ``limit`` at ``share`` for the first time."""
    from scipy.special import ndtr

    if grid is None:
        return normal_sf(limit)
    step = share - grid.share
    moved = limit * math.sqrt(share) - grid.points * math.sqrt(grid.share)
    return float(grid.mass @ ndtr(-moved / math.sqrt(step)))


def _solved(grid: _Grid | None, share: float, allowed: float) -> float:
    if grid is None:
        return -normal_quantile(allowed)
    return bisect(lambda limit: _beyond(grid, share, limit) - allowed, -FARTHEST, FARTHEST)
