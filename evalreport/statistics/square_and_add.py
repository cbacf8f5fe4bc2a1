"""Limits of a function of a table of two classes, by adding squared distances of its shares.

Four cells of n rows are three shares that are independent of each other: of all rows the
share that is actually positive, of these and of the others the shares predicted positive; or
other trees of shares, see :data:`TREES`. Each share has limits of its own. Moved to a limit,
one at a time, each moves the value by some distance; the squares of the distances down, and
up, add to those of the value (square-and-add, or MOVER: Zou G., Donner A. Stat Med 27, 2008,
for any function; with Jeffreys limits: Laud P. Pharmaceutical Statistics 16, 2017). No cell
needs to hold rows, and nothing is taken as certain because no row was seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalreport.statistics.interval import Interval, check_level, errors_to
from evalreport.statistics.tail import beta_quantile, beta_quantile_upper, normal_sf

Floats = NDArray[np.float64]
#: Values of tables with the shares (TP, FN, FP, TN) of rows, shape (B, 4), as shape (B,).
OfCells = Callable[[Floats], NDArray[Any]]
Share = tuple[float, float]
Cells = tuple[float, float, float, float]


def jeffreys_one_sided(x: float, n: float, level: float) -> Interval:
    """Jeffreys limits of x of n rows, modified at the ends, where they hold too rarely.

    Brown L., Cai T., DasGupta A. (Statistical Science 16, 2001, 4.1.2) put the near limit at 0
    or 1 and the far one at (alpha / 2)^(1 / n) from it, as exact limits have it, where no row, or
    all, are of one kind. Where a single one is, they take the near limit for 0 or 1; here it is the
    exact one, 1 - (1 - alpha / 2)^(1 / n), which logarithms can be taken of and which holds as
    often. Up to one row, parts of rows are taken likewise. Without a row it is all of [0, 1].

    >>> low, high = jeffreys_one_sided(0, 5, 0.95)
    >>> low, round(high, 4)
    (0.0, 0.5218)
    >>> round(jeffreys_one_sided(1, 5, 0.95).low, 5)
    0.00505
    """
    check_level(level)
    tail = (1.0 - level) / 2.0
    if n <= 0:
        return Interval(0.0, 1.0)
    if x <= 0:
        return Interval(0.0, -math.expm1(math.log(tail) / n))
    if x >= n:
        return Interval(math.exp(math.log(tail) / n), 1.0)
    # of up to one row the near limit is the exact one, of Clopper and Pearson
    below, above = (0.0, 1.0) if x <= 1 else (0.5, 0.5), (0.0, 1.0) if n - x <= 1 else (0.5, 0.5)
    return Interval(
        beta_quantile(tail, x + below[0], n - x + below[1]),
        beta_quantile_upper(tail, x + above[1], n - x + above[0]),
    )


#: Trees of three independent shares: the share of all rows in the first two of these cells, of
#: these the share in the first, of the others in the third. ``actual``: prevalence, recall, false
#: positive rate. ``predicted``: share predicted positive, precision, false omission rate.
#: ``agreement``: accuracy, the share of the right rows that are true positives, of the wrong ones
#: that are missed. Cells are numbered TP, FN, FP, TN.
TREES = {"actual": (0, 1, 2, 3), "predicted": (0, 2, 1, 3), "agreement": (0, 3, 1, 2)}
#: Another tree: rows that are positive in either way, the share of them that is so in both, of the
#: rest the share that is missed.
EITHER = "either"


def _shares_of(cells: Cells, tree: str) -> tuple[Share, ...]:
    """The shares of a tree at the cells, each as rows of how many."""
    n = sum(cells)
    if tree == EITHER:
        tp, fn, fp, _ = cells
        return (tp + fn + fp, n), (tp, tp + fn + fp), (fn, fn + fp)
    p, q, r, s = (cells[k] for k in TREES[tree])
    return (p + q, n), (p, p + q), (r, r + s)


def _from_shares(shares: Floats, tree: str) -> list[Floats]:
    """The cells of tables with the shares of a tree, shape (3, B), as shares of the rows."""
    a, b, c = shares
    if tree == EITHER:
        return [a * b, a * (1 - b) * c, a * (1 - b) * (1 - c), 1 - a]
    parts = [a * b, a * (1 - b), (1 - a) * c, (1 - a) * (1 - c)]
    return [parts[TREES[tree].index(cell)] for cell in range(4)]


def square_and_add(
    value: OfCells, cells: Cells, tree: str, level: float, *, log: bool = False
) -> Interval | None:
    """Limits of ``value`` at the counts (TP, FN, FP, TN); None where it is undefined there.

    ``log``: distances are added on the scale of logarithms, for values from 0 up. A limit of a
    share at which the value is undefined moves nothing.

    >>> accuracy = lambda t: t[:, 0] + t[:, 3]
    >>> low, high = square_and_add(accuracy, (8, 2, 3, 17), "agreement", 0.95)
    >>> round(low, 4), round(high, 4)      # Jeffreys limits of 25 of 30
    (0.6726, 0.9334)
    """
    values = _moved(value, cells, tree, level)
    if not math.isfinite(values[0]):
        return None
    if log:
        return _of_logarithms(values)
    down, up = _distances(values)
    return Interval(float(values[0]) - down, float(values[0]) + up)


def _moved(value: OfCells, cells: Cells, tree: str, level: float) -> Floats:
    """The value, and what it is with each share at its lower and its upper limit, shape (7,)."""
    shares = _shares_of(cells, tree)
    centre = [x / n if n > 0 else 0.5 for x, n in shares]
    points = [centre]
    for place, (x, n) in enumerate(shares):
        for limit in jeffreys_one_sided(x, n, level):
            moved = [limit if k == place else p for k, p in enumerate(centre)]
            points += [moved]
    stack = np.array(points, dtype=np.float64).T
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(value(np.stack(_from_shares(stack, tree), axis=-1)), dtype=np.float64)


def difference_of_tables(
    values: tuple[OfCells, OfCells],
    cells: tuple[Cells, Cells],
    correlations: Sequence[float],
    level: float,
) -> Interval | None:
    """Limits of a difference of values of two tables of the same rows; None if one is undefined.

    Both tables are taken apart into prevalence, recall and false positive rate. Moved to a limit,
    a share moves the first value by d, the second by e; d^2 - 2 r d e + e^2 of the three shares
    add to the square of the distance of the limit, r the correlation of the share in the two
    tables: square-and-add for dependent estimates (Zou G., Donner A. Stat Med 27, 2008) with
    those of Newcombe's method 10 (Stat Med 17, 1998). ``correlations``: of the three shares; the
    prevalence of the same rows has 1.
    """
    first, second = (
        _moved(value, own, "actual", level) for value, own in zip(values, cells, strict=True)
    )
    if not (math.isfinite(first[0]) and math.isfinite(second[0])):
        return None
    (down_1, up_1), (down_2, up_2) = _by_share(first), _by_share(second)
    difference = float(first[0] - second[0])
    down = _together(down_1, up_2, correlations)
    up = _together(up_1, down_2, correlations)
    return Interval(difference - down, difference + up)


def _by_share(values: Floats) -> tuple[Floats, Floats]:
    """How far down, and up, the limits of each share move the first value, each of shape (3,)."""
    moved = np.where(np.isfinite(values[1:]), values[1:] - values[0], 0.0).reshape(-1, 2)
    return -np.minimum(moved.min(axis=1), 0.0), np.maximum(moved.max(axis=1), 0.0)


def _together(one: Floats, two: Floats, correlations: Sequence[float]) -> float:
    parts = one**2 - 2.0 * np.asarray(correlations) * one * two + two**2
    return math.sqrt(max(math.fsum(parts.tolist()), 0.0))


#: Normal deviate beyond which a difference is not told apart any further.
_MOST_ERRORS = 7.0


def difference_statistic(
    values: tuple[OfCells, OfCells],
    cells: tuple[Cells, Cells],
    correlations: Sequence[float],
    null: float,
) -> float | None:
    """The normal deviate whose limit meets ``null``, signed; at most 7 either way.

    The test of the null by it agrees with the limits of every level.
    """
    at_first = difference_of_tables(values, cells, correlations, 0.5)
    if at_first is None:
        return None
    shares = (np.asarray([own]) / sum(own) for own in cells)
    one, two = (float(value(s)[0]) for value, s in zip(values, shares, strict=True))

    def limits(errors: float) -> Interval:
        found = difference_of_tables(values, cells, correlations, 1.0 - 2.0 * normal_sf(errors))
        assert found is not None
        return found

    return errors_to(null, one - two, limits, 1e-6, _MOST_ERRORS)


def _of_logarithms(values: Floats) -> Interval:
    """The same on logarithms; of a value of 0 the upper limit is the highest of the moved ones."""
    moved = values[1:][np.isfinite(values[1:])]
    if values[0] <= 0:
        return Interval(0.0, float(moved.max(initial=0.0)))
    with np.errstate(divide="ignore"):
        down, up = _distances(np.log(values))
    return Interval(float(values[0]) * math.exp(-down), float(values[0]) * math.exp(up))


def _distances(values: Floats) -> tuple[float, float]:
    """How far down and up the limits of all shares move the first value, together."""
    down, up = (math.sqrt(math.fsum((d**2).tolist())) for d in _by_share(values))
    return (math.inf if np.isneginf(values[1:]).any() else down), up
