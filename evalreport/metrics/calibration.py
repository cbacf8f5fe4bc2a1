"""Calibration: whether what is given a probability of p happens in a share p of rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from evalreport.metrics import influence
from evalreport.metrics.calibration_curve import calibration_distances
from evalreport.metrics.declare import CLASS_MEANS, Goal, Interval, Kind, Parameter, Shows, metric
from evalreport.metrics.formula import Cell, Expression, Nothing, ratio
from evalreport.metrics.probability_bins import BINS, Bins, as_observed, probability_bins
from evalreport.metrics.tables import ScoreTable, once_for_each_table
from evalreport.statistics import logistic
from evalreport.statistics.means import Estimate

COX = "Cox D. Two further applications of a model for binary regression. Biometrika 45, 1958"
MILLER = "Miller M. et al. Validation techniques for logistic regression models. Stat Med 10, 1991"
NAEINI = "Naeini M. et al. Well calibrated probabilities by Bayesian binning. AAAI 2015"
NOT_AVERAGED = "it belongs to the probability of one class"
NO_ROW = "there is no row"


#: A number of a logistic fit of a table with its standard error.
Fit = Callable[[ScoreTable], Estimate]


def _fitted(s: ScoreTable, name: str, fit: Fit) -> Expression:
    """The number of a logistic fit, or the reason why there is none."""
    if s.stacked:
        return Cell(name, np.array([_or_nan(fit, table) for table in _each_of(s)]))
    try:
        return Cell(name, fit(s).value)
    except logistic.NotEstimable as none:
        return Nothing(none.reason)


def _each_of(stack: ScoreTable) -> Iterator[ScoreTable]:
    for positives, negatives in zip(stack.positives, stack.negatives, strict=True):
        yield ScoreTable(stack.scores, positives, negatives)


def _or_nan(fit: Fit, table: ScoreTable) -> float:
    try:
        return fit(table).value
    except logistic.NotEstimable:
        return math.nan


def _error_of(fit: Fit) -> Callable[[ScoreTable], float | None]:
    """The standard error of a fit, where the fit exists."""

    def error(s: ScoreTable) -> float | None:
        try:
            return fit(s).standard_error
        except logistic.NotEstimable:
            return None

    return error


@once_for_each_table
def line_of(s: ScoreTable) -> tuple[Estimate, Estimate]:
    """Intercept and slope of the calibration line; raises NotEstimable."""
    return logistic.calibration_line(s.scores, s.positives, s.negatives)


@once_for_each_table
def level_of(s: ScoreTable) -> Estimate:
    """Calibration in the large; raises NotEstimable."""
    return logistic.calibration_in_the_large(s.scores, s.positives, s.negatives)


def fit_of(s: ScoreTable) -> logistic.CalibrationFit:
    """Both; raises NotEstimable."""
    return logistic.CalibrationFit(*line_of(s), level_of(s))


def _intercept(s: ScoreTable) -> Estimate:
    return line_of(s)[0]


def _slope(s: ScoreTable) -> Estimate:
    return line_of(s)[1]


#: Distances are never negative, so chance can only add to their sum (Broecker J. Estimating
#: reliability and resolution of probability forecasts. Climate Dynamics 39, 2012).
TOO_HIGH = (
    "chance adds to every bin's distance, so the value is too high by an amount that depends on "
    "the truth, and resamples are higher still: their limits leave out the truth where "
    "calibration is good"
)


#: Numbers of a logistic fit.
_of_the_fit = partial(
    metric,
    kind=Kind.PROBABILITY,
    goal=Goal.TARGET,
    bounds=(-math.inf, math.inf),
    no_average=NOT_AVERAGED,
    interval=Interval.LOGISTIC,
    shows=Shows.CALIBRATION,
    reference=f"{COX}; {MILLER}",
)


@_of_the_fit(
    title="Calibration slope",
    best=1.0,
    formula="b in logit P(y) = a + b logit(p), maximum likelihood",
    use="to see whether probabilities are too extreme (below 1) or too timid (above 1)",
    avoid="alone: probabilities can be too high everywhere and still have a slope of 1",
    standard_error=_error_of(_slope),
    line="slope",
    leads=2,
)
def calibration_slope(s: ScoreTable) -> Expression:
    """The slope of the logistic fit of the outcome on the logit of the probability.

    >>> s = ScoreTable(np.array([0.75, 0.25]), np.array([3, 1]), np.array([1, 3]))
    >>> round(calibration_slope(s).outcome().number, 9)
    1.0
    """
    return _fitted(s, "slope", _slope)


@_of_the_fit(
    title="Calibration intercept",
    best=0.0,
    formula="a in logit P(y) = a + b logit(p), maximum likelihood",
    use="together with the slope of the same fit",
    avoid="as calibration in the large: it is the level at p = 0.5 after the slope is fitted",
    standard_error=_error_of(_intercept),
    leads=3,
)
def calibration_intercept(s: ScoreTable) -> Expression:
    """The intercept of the joint logistic fit, slope and intercept both free.

    >>> s = ScoreTable(np.array([0.75, 0.25]), np.array([3, 1]), np.array([1, 3]))
    >>> abs(calibration_intercept(s).outcome().number) < 1e-9
    True
    """
    return _fitted(s, "intercept", _intercept)


@_of_the_fit(
    title="Calibration in the large",
    best=0.0,
    formula="a in logit P(y) = a + logit(p), maximum likelihood",
    use="to see whether probabilities are too low (above 0) or too high (below 0) on the whole",
    avoid="alone: mistakes at the low and the high end can cancel",
    standard_error=_error_of(level_of),
    line="in_the_large",
)
def calibration_in_the_large(s: ScoreTable) -> Expression:
    """The intercept of the logistic fit with the slope held at 1.

    >>> s = ScoreTable(np.array([0.5]), np.array([3]), np.array([1]))
    >>> round(calibration_in_the_large(s).outcome().number, 9) == round(math.log(3), 9)
    True
    """
    return _fitted(s, "intercept", level_of)


@metric(
    title="Observed to expected ratio",
    aliases=("observed_expected_ratio",),
    kind=Kind.PROBABILITY,
    goal=Goal.TARGET,
    bounds=(0.0, math.inf),
    best=1.0,
    no_average=NOT_AVERAGED,
    undefined="no positive is observed and none is expected",
    use="to state in counts whether probabilities are too low (above 1) or too high",
    avoid="alone: mistakes at the low and the high end can cancel",
    shows=Shows.CALIBRATION,
    reference="Riley R. et al. Prognosis Research in Health Care, 2019",
    leads=4,
)
def oe_ratio(s: ScoreTable) -> Expression:
    """Positives observed over positives expected, the sum of the probabilities.

    >>> oe_ratio(ScoreTable(np.array([0.5]), np.array([3]), np.array([1]))).substituted()
    '3 / 2'
    """
    expected = s.cell("sum(p)", s.scores * (s.positives + s.negatives)).value
    if not s.stacked:
        expected = float(as_observed(expected, s.actual_positives.value))
    return ratio(s.actual_positives, Cell("sum(p)", expected))


#: Calibration errors of bins.
_of_bins = partial(
    metric,
    kind=Kind.PROBABILITY,
    goal=Goal.MINIMIZE,
    averages=CLASS_MEANS,
    no_interval=TOO_HIGH,
    undefined=NO_ROW,
    parameters=BINS,
    shows=Shows.BINS,
    reference=NAEINI,
)


@_of_bins(
    title="Expected calibration error",
    influence=influence.ece,
    use="as a summary beside a calibration curve",
    avoid="without its number and kind of bins, or on few rows: it is then too high by chance",
)
def ece(s: ScoreTable, *, bins: int = 10, strategy: str = "uniform") -> Expression:
    """The mean distance of observed share and mean probability over bins, weighted by rows.

    Uniform bins are [k/b, (k+1)/b), the last one closed. Quantile bins hold about
    equally many rows: they are cut at type-7 quantiles, right-closed, and rows
    with one probability stay together.

    >>> s = ScoreTable(np.array([0.9, 0.1]), np.array([1, 0]), np.array([1, 2]))
    >>> round(ece(s).outcome().number, 12)
    0.25
    """
    b = probability_bins(s, bins, strategy)
    return ratio(s.cell("sum over bins(|positives - sum(p)|)", _gaps(b)), s.rows)


@_of_bins(
    title="Maximum calibration error",
    use="when no range of probabilities may be far off",
    avoid="with sparse bins: one bin of a few rows decides it",
)
def mce(s: ScoreTable, *, bins: int = 10, strategy: str = "uniform") -> Expression:
    """The largest distance of observed share and mean probability over the bins that hold rows.

    >>> s = ScoreTable(np.array([0.9, 0.1]), np.array([1, 0]), np.array([1, 2]))
    >>> round(mce(s).outcome().number, 12)
    0.4
    """
    b = probability_bins(s, bins, strategy)
    gaps = _gaps(b)
    # below any distance, so that a bin without rows is never the worst
    rates = np.divide(gaps, b.rows, out=np.full(gaps.shape, -1.0), where=b.rows > 0)
    worst = np.argmax(rates, axis=-1)[..., None]
    gap = np.take_along_axis(gaps, worst, axis=-1)
    rows = np.take_along_axis(b.rows, worst, axis=-1)
    return ratio(s.cell("|positives - sum(p)| in worst bin", gap), s.cell("its rows", rows))


def _gaps(b: Bins) -> Any:
    return np.abs(b.positives - b.expected)


AUSTIN = (
    "Austin P., Steyerberg E. The integrated calibration index (ICI) and related metrics. "
    "Stat Med 38, 2019; Cleveland W. JASA 74, 1979"
)
#: Of distances from a curve that is fitted to the same rows.
OF_THE_CURVE = (
    "the smoothed curve follows chance, so distances from it are too large by an amount that "
    "depends on the truth, and those of resamples are larger still: their limits leave out the "
    "truth where calibration is good"
)


def _distance(s: ScoreTable, name: str, words: str, degree: int) -> Expression:
    """A distance of the probabilities from the smoothed calibration curve of a degree."""
    found = _distances(s, degree)
    if s.stacked:
        return Cell(words, np.array([math.nan if one is None else one[name] for one in found]))
    return Nothing(NO_ROW) if found[0] is None else Cell(words, found[0][name])


#: Of the local regression: parabolas, as R's loess and so Austin and Steyerberg have them.
_DEGREE = Parameter(
    "degree", int, default=2, low=1, high=2, meaning="degree of the local regression (loess)"
)


@once_for_each_table
def _distances(s: ScoreTable, degree: int) -> list[dict[str, float] | None]:
    """Distances from the smoothed curve of a table, or of each one of a stack."""
    tables = _each_of(s) if s.stacked else [s]
    return [calibration_distances(table, degree=degree) for table in tables]


_CURVE = "c the smoothed calibration curve (loess of degree 2 by default, span 0.75)"
#: Distances from the smoothed calibration curve.
_of_the_curve = partial(
    metric,
    kind=Kind.PROBABILITY,
    goal=Goal.MINIMIZE,
    no_average=NOT_AVERAGED,
    no_interval=OF_THE_CURVE,
    undefined=NO_ROW,
    parameters=(_DEGREE,),
    shows=Shows.CALIBRATION,
    reference=AUSTIN,
)


@_of_the_curve(
    title="Integrated calibration index",
    aliases=("integrated_calibration_index",),
    formula=f"mean over rows of |p - c(p)|, {_CURVE}",
    use="as one number for the distance of probabilities from what happens, without bins",
    avoid="on few rows: the curve then follows chance, and the distance is too large",
)
def ici(s: ScoreTable, *, degree: int = 2) -> Expression:
    """The mean distance of the probabilities from the smoothed share of positives.

    >>> s = ScoreTable(np.array([0.5]), np.array([3]), np.array([1]))
    >>> ici(s).outcome()
    Value(0.25)
    """
    return _distance(s, "ici", "mean(|p - c(p)|)", degree)


@_of_the_curve(
    title="Median calibration distance (E50)",
    aliases=("median_calibration_distance",),
    formula=f"median over rows of |p - c(p)|, {_CURVE}",
    use="beside the mean, where few rows are far off",
    avoid="alone: half of the rows may be anywhere",
)
def e50(s: ScoreTable, *, degree: int = 2) -> Expression:
    """The distance from the smoothed share of positives that half of the rows keep within.

    >>> e50(ScoreTable(np.array([0.5]), np.array([3]), np.array([1]))).outcome()
    Value(0.25)
    """
    return _distance(s, "e50", "median(|p - c(p)|)", degree)


@_of_the_curve(
    title="90 % calibration distance (E90)",
    aliases=("calibration_distance_90",),
    formula=f"90 % point over rows of |p - c(p)|, {_CURVE}",
    use="where most rows must have probabilities that are nearly right",
    avoid="on few rows: the curve then follows chance, and the distance is too large",
)
def e90(s: ScoreTable, *, degree: int = 2) -> Expression:
    """The distance from the smoothed share of positives that nine of ten rows keep within.

    >>> e90(ScoreTable(np.array([0.5]), np.array([3]), np.array([1]))).outcome()
    Value(0.25)
    """
    return _distance(s, "e90", "90 % point(|p - c(p)|)", degree)


@_of_the_curve(
    title="Largest calibration distance (Emax)",
    aliases=("largest_calibration_distance",),
    formula=f"largest |p - c(p)| of a row, {_CURVE}",
    use="where no probability may be far off",
    avoid="with few rows at either end: they decide it",
)
def emax(s: ScoreTable, *, degree: int = 2) -> Expression:
    """The largest distance of a probability from the smoothed share of positives.

    >>> emax(ScoreTable(np.array([0.5]), np.array([3]), np.array([1]))).outcome()
    Value(0.25)
    """
    return _distance(s, "emax", "max(|p - c(p)|)", degree)


@metric(
    title="Estimated calibration index (ECI)",
    aliases=("estimated_calibration_index",),
    kind=Kind.PROBABILITY,
    goal=Goal.MINIMIZE,
    bounds=(0.0, math.inf),
    no_average=NOT_AVERAGED,
    no_interval=OF_THE_CURVE,
    undefined="every row is given the prevalence itself: there is nothing to measure by",
    parameters=(
        Parameter(
            "relative",
            bool,
            optional=True,
            meaning="as a share of what a curve level at the prevalence would give",
        ),
    ),
    formula="mean over rows of (p - c(p))^2, c the smoothed calibration curve (loess of degree 1, "
    "span 0.75); relative: over the mean of (p - prevalence)^2",
    use="as the mean distance from the smoothed curve in which far misses count most",
    avoid="on few rows: the curve then follows chance, and the distance is too large",
    shows=Shows.CALIBRATION,
    reference="Van Hoorde K. et al. A spline-based tool to assess and visualize the calibration of "
    "multiclass risk predictions. J Biomed Inform 54, 2015; Cleveland W. JASA 74, 1979",
)
def eci(s: ScoreTable, *, relative: bool | None = None) -> Expression:
    """The mean squared distance of the probabilities from the smoothed share of positives.

    ``relative``: over the mean squared distance from the prevalence, which it is where the
    probabilities have nothing to do with what happens (Van Calster et al. 2025).

    >>> s = ScoreTable(np.array([0.5]), np.array([3]), np.array([1]))
    >>> eci(s).outcome(), eci(s, relative=True).outcome()
    (Value(0.0625), Value(1.0))
    """
    found = _distance(s, "eci", "mean((p - c(p))^2)", 1)
    if not relative or isinstance(found, Nothing):
        return found
    total = np.asarray(s.positive_total + s.negative_total, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        prevalence = np.asarray(s.positive_total / total)[..., None]
    from_it = (s.positives + s.negatives) * (s.scores - prevalence) ** 2
    return ratio(found * s.rows, s.cell("sum((p - prevalence)^2)", from_it))
