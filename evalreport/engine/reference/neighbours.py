"""Tables near a given one that would reproduce printed values and limits, all at once.

A paper may print values of other counts than it states. Every table whose cells each differ
by no more than a few from the given one is held against the claims: first the values, for all
tables together, then the limits of those tables that are left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from evalreport.metrics.declare import Interval, Metric, Table
from evalreport.metrics.formula import Ratio
from evalreport.metrics.tables import Counts, Matrix
from evalreport.statistics.proportions import PROPORTION_METHODS

#: How far each cell may be from the given one.
REACH = 5
#: Tables that are named; where more fit, the claims do not tell which.
MOST_NAMED = 5
#: Of so many tables that have the printed values limits are still worked out.
MOST_WITH_VALUES = 2_000
#: Beyond half of the last digit: what binary fractions are off by.
SLACK = 1e-9

Four: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True)
class Printed:
    """A value and its limits as printed; shares times ``scale``."""

    value: Decimal
    low: Decimal | None
    high: Decimal | None
    scale: int

    @property
    def has_limits(self) -> bool:
        """Whether a limit is printed."""
        return self.low is not None or self.high is not None

    def value_is(self, number: float) -> bool:
        """Whether a number, rounded to the printed digits, is the printed value."""
        return bool(self.values_are(np.array([number]))[0])

    def values_are(self, numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """The same for many numbers."""
        return same_digits(self.value, numbers * self.scale)

    def limits_are(self, low: float, high: float) -> bool:
        """Whether limits, rounded to the printed digits, are those that are printed."""
        pairs = ((self.low, low), (self.high, high))
        return all(
            text is None or bool(same_digits(text, np.array([found * self.scale]))[0])
            for text, found in pairs
        )

    def rounded(self, number: float) -> str:
        """A number with as many digits as the value is printed with."""
        places = max(-int(self.value.as_tuple().exponent), 0)
        return f"{number * self.scale:.{places}f}"


def same_digits(printed: Decimal, found: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Whether numbers round to the printed one; a tie may be rounded either way.

    >>> same_digits(Decimal("97.52"), np.array([97.5248, 97.512])).tolist()
    [True, False]
    """
    half = 0.5 * 10.0 ** int(printed.as_tuple().exponent)
    close: npt.NDArray[np.bool_] = np.abs(found - float(printed)) <= half * (1 + SLACK) + SLACK
    return close


@dataclass(frozen=True)
class Held:
    """A claim as a condition on TP, FN, FP and TN.

    ``other``: it is of the negative class. ``limits_left_out``: only its value is held.
    """

    number: int
    metric: Metric
    arguments: Mapping[str, Any]
    other: bool
    printed: Printed
    level: float
    method: str | None
    limits_left_out: bool = False

    def of(self, tp: Any, fn: Any, fp: Any, tn: Any) -> Any:
        """The metric of four cells, or of arrays of them, as arithmetic."""
        if self.metric.table is Table.MATRIX:
            return self.metric(Matrix.from_counts([[tn, fp], [fn, tp]]), **self.arguments)
        if self.other:
            tp, fn, fp, tn = tn, fp, fn, tp
        return self.metric(Counts(tp=tp, fp=fp, fn=fn, tn=tn), **self.arguments)

    def methods(self, cells: Four) -> set[str]:
        """The methods by which the limits are the printed ones."""
        found = self.of(*cells)
        if not isinstance(found, Ratio):
            return set()
        top, bottom = float(found.top.exact()), float(found.bottom.exact())
        known = {
            name: partial(function, top, bottom, self.level)
            for name, function in PROPORTION_METHODS.items()
        }
        if self.metric.limits is not None:
            four = (cells[3], cells[2], cells[1], cells[0]) if self.other else cells
            known |= dict.fromkeys(
                Interval.PREDICTIVE.value, partial(self.metric.limits, *four, level=self.level)
            )
        return {
            name
            for name, limits_of in known.items()
            if self.method in (None, name)
            and (limits := limits_of()) is not None
            and self.printed.limits_are(*limits)
        }


@dataclass(frozen=True)
class Near:
    """How many tables were looked at, how many fit, and the nearest of those if they are few."""

    within: int
    searched: int
    found: int | None
    nearest: tuple[Four, ...] = ()


def neighbouring(cells: Four, claims: Sequence[Held], reach: int = REACH) -> Near:
    """The tables within ``reach`` of each cell that reproduce all claims at once.

    Claims that state no method have to be reproduced by one method together. ``found`` is None
    where too many tables have the printed values for their limits to be worked out.
    """
    ranges = [np.arange(max(cell - reach, 0), cell + reach + 1) for cell in cells]
    grid = [axis.ravel() for axis in np.meshgrid(*ranges, indexing="ij")]
    fits = np.ones(len(grid[0]), np.bool_)
    with np.errstate(all="ignore"):
        for claim in claims:
            values = np.asarray(claim.of(*grid).array(), np.float64)
            fits &= np.isfinite(values) & claim.printed.values_are(values)
    places = np.flatnonzero(fits)
    with_limits = [c for c in claims if c.printed.has_limits and not c.limits_left_out]
    if len(places) > MOST_WITH_VALUES and with_limits:
        return Near(reach, len(fits), None)
    kept = [
        four for place in places.tolist() if _all_limits(four := _four(grid, place), with_limits)
    ]
    kept.sort(key=lambda four: (sum(abs(a - b) for a, b in zip(four, cells, strict=True)), four))
    few = len(kept) <= MOST_NAMED
    return Near(reach, len(fits), len(kept), tuple(kept) if few else ())


def _four(grid: Sequence[npt.NDArray[Any]], place: int) -> Four:
    tp, fn, fp, tn = (int(axis[place]) for axis in grid)
    return tp, fn, fp, tn


def _all_limits(four: Four, claims: Sequence[Held]) -> bool:
    shared: set[str] | None = None
    for claim in claims:
        found = claim.methods(four)
        if not found:
            return False
        if claim.method is None:
            shared = found if shared is None else shared & found
            if not shared:
                return False
    return True
