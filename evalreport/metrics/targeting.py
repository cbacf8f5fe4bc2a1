"""Gain and lift: what is found among the rows with the highest scores."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from evalreport.metrics.declare import CLASS_MEANS, Parameter, Shows, metric
from evalreport.metrics.formula import Cell, Expression, Ratio, ratio, whole
from evalreport.metrics.tables import ScoreTable

BERRY = "Berry M., Linoff G. Data Mining Techniques, 2nd ed., 2004, chapter 4"
TOP = Parameter(
    "top",
    float,
    0.1,
    low=0.0,
    open_low=True,
    high=1.0,
    meaning="share of the rows, highest scores first, rounded up to whole rows",
)


#: Of the rows with the highest scores.
_of_the_top = partial(
    metric,
    averages=CLASS_MEANS,
    undefined="no row is actually {label}",
    parameters=(TOP,),
    shows=Shows.ONE_KIND,
    reference=BERRY,
)


@_of_the_top(
    title="Gain",
    aliases=("capture_rate",),
    use="when only so many rows can be acted on: how many of the positives they include",
    avoid="without the share of rows it was taken at",
)
def gain(s: ScoreTable, *, top: float = 0.1) -> Ratio:
    """The share of all positives found among the top-scored rows.

    Where the cut falls among rows of one score, the positives found are those
    expected when the rows to keep are drawn among them at random.

    >>> s = ScoreTable(np.array([0.9, 0.5, 0.1]), np.array([1, 1, 0]), np.array([0, 1, 2]))
    >>> gain(s, top=0.4).substituted(), gain(s, top=0.4).outcome()
    ('1.5 / 2', Value(0.75))
    """
    found, _ = _top(s, top)
    return ratio(found, s.actual_positives)


@_of_the_top(
    title="Lift",
    bounds=(0.0, float("inf")),
    use="when only so many rows can be acted on: how much better than a random choice",
    avoid="across samples of different prevalence: the largest possible lift differs",
)
def lift(s: ScoreTable, *, top: float = 0.1) -> Expression:
    """How many times more frequent positives are among the top-scored rows than among all.

    >>> s = ScoreTable(np.array([0.9, 0.5, 0.1]), np.array([1, 1, 0]), np.array([0, 1, 2]))
    >>> lift(s, top=0.4).substituted(), lift(s, top=0.4).outcome()
    ('(1.5 / 2) / (2 / 5)', Value(1.875))
    """
    found, kept = _top(s, top)
    return ratio(ratio(found, kept), ratio(s.actual_positives, s.rows))


def _top(s: ScoreTable, top: float) -> tuple[Cell, Cell]:
    """Positives found in the top rows, and how many rows these are."""
    positives, totals = np.atleast_2d(s.positives), np.atleast_2d(s.positives + s.negatives)
    kept = _rounded_up(totals, top)
    reached = np.cumsum(totals, axis=-1)
    if not totals.shape[-1]:
        return Cell("found", 0), Cell("top rows", 0)
    at = np.minimum((reached < kept[:, None]).sum(axis=-1), totals.shape[-1] - 1)[:, None]
    pos, here = (np.take_along_axis(a, at, axis=-1)[:, 0] for a in (positives, totals))
    found = np.take_along_axis(np.atleast_2d(s.true_positives), at, axis=-1)[:, 0]
    left_out = np.take_along_axis(reached, at, axis=-1)[:, 0] - kept
    if s.stacked:
        found = found - pos * left_out / np.where(here > 0, here, 1)
        return Cell("found", found), Cell("top rows", kept)
    exact = _number(found[0])
    if left_out[0] > 0:
        exact = exact - _number(pos[0]) * _number(left_out[0]) / _number(here[0])
    return Cell("found", exact), Cell("top rows", whole(kept[0]))


def _rounded_up(totals: Any, top: float) -> Any:
    """So many rows of each table; of fractional weights the share itself."""
    n = totals.sum(axis=-1)
    if not np.issubdtype(totals.dtype, np.integer):
        if not np.array_equal(totals, np.rint(totals)):
            return n * top
        n = np.rint(n).astype(np.int64)
    share = Fraction(repr(float(top))).limit_denominator(1_000_000)
    return np.minimum(-(-(n * share.numerator) // share.denominator), n)


def _number(value: Any) -> Any:
    return Fraction(int(value)) if float(value).is_integer() else float(value)
