"""Tests of calibration: Hosmer-Lemeshow and Spiegelhalter, statistics and p values."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from evalreport.metrics.declare import Goal, Interval, Kind, Parameter, Shows, metric
from evalreport.metrics.formula import Cell, Expression, Nothing, Ratio, Value, ratio, root
from evalreport.metrics.probability_bins import as_observed, binned, quantile_groups
from evalreport.metrics.tables import ScoreTable

HOSMER = "Hosmer D., Lemeshow S. Applied Logistic Regression, 2nd ed., 2000, 5.2.2"
SPIEGELHALTER = "Spiegelhalter D. Probabilistic prediction in patient management. Stat Med 5, 1986"
NOT_AVERAGED = "test statistics and p values are not averaged"
CERTAIN_GROUP = "in a group all probabilities are 0 or 1: what is expected there has no variance"
ALL_CERTAIN = "all probabilities are 0, 0.5 or 1: the statistic has no variance"
GROUPS = Parameter("groups", int, 10, low=2, high=10_000, meaning="number of groups")


#: Tests of calibration.
_test_of_fit = partial(
    metric,
    kind=Kind.PROBABILITY,
    no_average=NOT_AVERAGED,
    interval=Interval.NONE,
)


@_test_of_fit(
    title="Hosmer-Lemeshow statistic",
    goal=Goal.DESCRIBE,
    bounds=(0.0, math.inf),
    parameters=(GROUPS,),
    formula="sum over groups of (O - E)^2 / (E (1 - E / n))",
    use="where a protocol asks for it",
    avoid="as the only evidence of calibration: it depends on the groups, and on the sample size",
    shows=Shows.BINS,
    reference=HOSMER,
)
def hosmer_lemeshow(s: ScoreTable, *, groups: int = 10) -> Expression:
    """Squared distances of observed and expected positives over groups, each over its variance.

    Groups are cut at type-7 quantiles of the probability, right-closed; rows with
    one probability stay together, so there can be fewer groups than asked for.

    >>> s = ScoreTable(np.array([0.8, 0.2]), np.array([3, 2]), np.array([2, 3]))
    >>> round(hosmer_lemeshow(s, groups=2).outcome().number, 9)
    2.5
    """
    statistic, _ = _hosmer_lemeshow(s, groups)
    return statistic


@_test_of_fit(
    title="Hosmer-Lemeshow p value",
    goal=Goal.DESCRIBE,
    p_value=True,
    parameters=(GROUPS,),
    formula="P(chi-square with one degree of freedom per group >= statistic)",
    use="where a protocol asks for it",
    avoid="as proof of calibration: a large p value on few rows shows nothing",
    shows=Shows.BINS,
    reference=HOSMER,
)
def hosmer_lemeshow_p(s: ScoreTable, *, groups: int = 10) -> Expression:
    """The p value of the Hosmer-Lemeshow statistic for predictions made elsewhere.

    Degrees of freedom: the number of groups, as no parameter was fitted on these rows.

    >>> s = ScoreTable(np.array([0.8, 0.2]), np.array([3, 2]), np.array([2, 3]))
    >>> round(hosmer_lemeshow_p(s, groups=2).outcome().number, 6)
    0.286505
    """
    statistic, used = _hosmer_lemeshow(s, groups)
    if isinstance(statistic, Nothing):
        return statistic
    from scipy.special import chdtrc

    tail = chdtrc(used, statistic.array())
    return Cell("P(chi-square >= statistic)", tail if s.stacked else float(tail))


def _hosmer_lemeshow(s: ScoreTable, groups: int) -> tuple[Cell | Nothing, Any]:
    """The statistic, and how many groups hold rows."""
    if not s.stacked and not s.rows.value:
        return Nothing("there is no row"), 0
    b = binned(s, quantile_groups(s, groups), groups)
    held = b.rows > 0
    share = np.divide(b.expected, b.rows, out=np.zeros(held.shape), where=held)
    variance = b.expected * (1 - share)
    distances = np.full(held.shape, np.nan)
    np.divide((b.positives - b.expected) ** 2, variance, out=distances, where=variance > 0)
    if not s.stacked and bool(np.any(held & ~(variance > 0))):
        return Nothing(CERTAIN_GROUP), 0
    return s.cell("statistic", np.where(held, distances, 0.0)), held.sum(axis=-1)


@_test_of_fit(
    title="Spiegelhalter z",
    goal=Goal.TARGET,
    bounds=(-math.inf, math.inf),
    best=0.0,
    undefined=ALL_CERTAIN,
    use="to test calibration without choosing groups",
    avoid="as proof of calibration: a small value on few rows shows nothing",
    shows=Shows.CALIBRATION,
    reference=SPIEGELHALTER,
)
def spiegelhalter_z(s: ScoreTable) -> Expression:
    """How many standard errors the Brier score is above what the probabilities promise.

    >>> s = ScoreTable(np.array([0.8]), np.array([3]), np.array([1]))
    >>> round(spiegelhalter_z(s).outcome().number, 6)
    0.25
    """
    return _spiegelhalter(s)


@_test_of_fit(
    title="Spiegelhalter p value",
    goal=Goal.DESCRIBE,
    p_value=True,
    undefined=ALL_CERTAIN,
    formula="P(|Z| >= |z|), Z standard normal",
    use="to test calibration without choosing groups",
    avoid="as proof of calibration: a large p value on few rows shows nothing",
    shows=Shows.CALIBRATION,
    cautions=("miscalibration",),
    reference=SPIEGELHALTER,
)
def spiegelhalter_p(s: ScoreTable) -> Expression:
    """The two-sided p value of Spiegelhalter's z.

    >>> s = ScoreTable(np.array([0.8]), np.array([3]), np.array([1]))
    >>> round(spiegelhalter_p(s).outcome().number, 6)
    0.802587
    """
    from scipy.special import ndtr

    z = _spiegelhalter(s)
    if s.stacked:
        return Cell("P(|Z| >= |z|)", 2 * ndtr(-np.abs(z.array())))
    outcome = z.outcome()
    if not isinstance(outcome, Value):
        return Nothing(ALL_CERTAIN)
    return Cell("P(|Z| >= |z|)", float(2 * ndtr(-abs(outcome.number))))


def _spiegelhalter(s: ScoreTable) -> Ratio:
    p, lean = s.scores, 1 - 2 * s.scores
    rows = s.positives + s.negatives
    top = s.positives * (1 - p) * lean - s.negatives * p * lean
    # exactly as many as were expected at a score: nothing but rounding would be left
    top = np.where(as_observed(rows * p, s.positives) == s.positives, 0.0, top)
    variance = rows * lean**2 * p * (1 - p)
    return ratio(
        s.cell("sum((y - p)(1 - 2p))", top),
        root(s.cell("sum((1 - 2p)^2 p(1 - p))", variance)),
    )
