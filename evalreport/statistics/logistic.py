"""Logistic calibration: maximum-likelihood fits of the outcome on the logit of a probability."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalreport.statistics.exact_sums import sums_of_parts
from evalreport.statistics.means import Estimate
from evalreport.statistics.numbering import numbered

Floats = NDArray[np.float64]

_MOST_STEPS = 100
#: Groups that are worked on at once.
_BLOCK = 1 << 14
#: Of more groups than :data:`_MANY` one in :data:`_SOME` is fitted first: where it ends, the fit of
#: all begins.
_MANY, _SOME = 1 << 16, 16
#: How far sums of probabilities may miss a count by the rounding of shares and of their logits.
_ROUNDING = 16 * float(np.finfo(np.float64).eps)


class NotEstimable(ValueError):  # noqa: N818 - a state of the data, not a mistake of the caller
    """A fit that does not exist on these data; ``reason`` says why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class CalibrationFit(NamedTuple):
    """Calibration line logit P(y) = intercept + slope logit(p), and calibration in the large.

    ``in_the_large`` is the intercept with the slope held at 1; it is not ``intercept``.
    """

    intercept: Estimate
    slope: Estimate
    in_the_large: Estimate


def calibration_line(
    p: ArrayLike, positives: ArrayLike, negatives: ArrayLike
) -> tuple[Estimate, Estimate]:
    """Intercept and slope of the joint fit (Cox 1958), from a table grouped by probability.

    Args:
        p: predicted probabilities, shape (groups,); strictly between 0 and 1.
        positives: actual positives per group, shape (groups,).
        negatives: actual negatives per group, shape (groups,).

    Raises:
        NotEstimable: a probability of 0 or 1, one class only, one distinct probability,
            or classes perfectly separated by p.
    """
    return _line(*_grouped(p, positives, negatives))


def _line(x: Floats, pos: Floats, neg: Floats) -> tuple[Estimate, Estimate]:
    """The joint fit of logits and counts."""
    if float(x.min()) == float(x.max()):
        raise NotEstimable("all predicted probabilities are the same: no slope can be fitted")
    if x[pos > 0].min() >= x[neg > 0].max() or x[pos > 0].max() <= x[neg > 0].min():
        raise NotEstimable("the probabilities separate the classes perfectly: the slope diverges")
    # centred on the mean, the two coefficients are nearly uncorrelated
    n, whole = sums_of_parts(lambda at: _with_logits(x[at], pos[at] + neg[at]), len(x))
    centre = whole / n
    u = x - centre
    a, b, information = _newton(u, pos, neg)
    i_aa, i_ab, i_bb = information
    determinant = i_aa * i_bb - i_ab * i_ab
    v_aa, v_ab, v_bb = i_bb / determinant, -i_ab / determinant, i_aa / determinant
    intercept_variance = v_aa - 2.0 * centre * v_ab + centre * centre * v_bb
    return Estimate(a - b * centre, math.sqrt(intercept_variance)), Estimate(b, math.sqrt(v_bb))


def _with_logits(x: Floats, n: Floats) -> tuple[Floats, Floats]:
    return n, n * x


def _newton(u: Floats, pos: Floats, neg: Floats) -> tuple[float, float, tuple[float, float, float]]:
    """Intercept, slope and the information (aa, ab, bb) at them."""
    some = slice(None, None, _SOME)
    if len(u) > _MANY:
        # few of them may have one class, or be separated where all are not
        with suppress(NotEstimable, ValueError, ZeroDivisionError):
            return _climbed(*_newton(u[some], pos[some], neg[some])[:2], u, pos, neg)
    return _climbed(math.log(float(np.sum(pos)) / float(np.sum(neg))), 0.0, u, pos, neg)


def _climbed(
    a: float, b: float, u: Floats, pos: Floats, neg: Floats
) -> tuple[float, float, tuple[float, float, float]]:
    """The same by Newton's method with halved steps, from an intercept and a slope on.

    The log-likelihood is concave, so it cannot miss.
    """
    likelihood, *moments = _moments(a, b, u, pos, neg)
    for _ in range(_MOST_STEPS):
        step_a, step_b = _newton_step(*moments)
        if max(abs(step_a), abs(step_b)) <= 1e-8 * max(1.0, abs(a), abs(b)):
            # convergence is quadratic: after this step the error is in the last bit
            a, b = a + step_a, b + step_b
            _, _, _, i_aa, i_ab, i_bb = _moments(a, b, u, pos, neg)
            return a, b, (i_aa, i_ab, i_bb)
        # the sum of logarithms is only good to its rounding: do not halve for less
        enough = likelihood - 1e-11 * (1.0 + abs(likelihood))
        size, likelihood = 2.0, -math.inf
        while likelihood < enough and size > 1e-10:
            size /= 2.0
            likelihood, *moments = _moments(a + size * step_a, b + size * step_b, u, pos, neg)
        a, b = a + size * step_a, b + size * step_b
    raise NotEstimable("the logistic fit did not converge")


def _newton_step(
    g_a: float, g_b: float, i_aa: float, i_ab: float, i_bb: float
) -> tuple[float, float]:
    determinant = i_aa * i_bb - i_ab * i_ab
    if determinant <= 0.0:
        raise NotEstimable("the logistic fit did not converge")
    return (i_bb * g_a - i_ab * g_b) / determinant, (i_aa * g_b - i_ab * g_a) / determinant


def _blocks(rows: int) -> Iterator[slice]:
    """Parts of groups that stay in the cache while they are worked on."""
    return (slice(start, start + _BLOCK) for start in range(0, rows, _BLOCK))


def _moments(a: float, b: float, u: Floats, pos: Floats, neg: Floats) -> list[float]:
    """The log-likelihood of a line and its derivatives by intercept and slope.

    After them sums of the curvature times 1, u and u squared.
    """

    def parts(at: slice) -> tuple[Floats, ...]:
        x, p, n = u[at], pos[at], neg[at]
        eta = a + b * x
        small = _small(eta)
        q, not_q = _shares(eta, small)
        # log q and log(1 - q) = log q - eta, where q is the probability of a positive
        log_q = np.minimum(eta, 0.0)
        log_q -= np.log1p(small, out=small)
        likelihood = (p + n) * log_q
        likelihood -= np.multiply(n, eta, out=eta)
        gradient, curvature = p * not_q, p + n
        gradient -= n * q
        curvature *= q
        curvature *= not_q
        by_slope = curvature * x
        return likelihood, gradient, gradient * x, curvature, by_slope, by_slope * x

    return sums_of_parts(parts, len(u))


def _shares(eta: Floats, small: Floats) -> tuple[Floats, Floats]:
    """The probability of a positive and that of a negative; ``small``: exp(-abs(eta))."""
    above, whole = eta >= 0.0, 1.0 + small
    larger, smaller = 1.0 / whole, np.divide(small, whole, out=whole)
    q = np.where(above, larger, smaller)
    np.copyto(larger, smaller, where=above)
    return q, larger


def calibration_in_the_large(p: ArrayLike, positives: ArrayLike, negatives: ArrayLike) -> Estimate:
    """Intercept with the slope held at 1; arguments and errors as above.

    Unlike the line it exists when all probabilities are the same, or separate the classes.

    >>> estimate = calibration_in_the_large([0.5], [3], [1])
    >>> round(estimate.value, 6) == round(math.log(3), 6)
    True
    """
    return _in_the_large(*_grouped(p, positives, negatives))


def _in_the_large(x: Floats, pos: Floats, neg: Floats) -> Estimate:
    """The intercept of logits and counts."""
    total = float(np.sum(pos))
    expected, information = _expected(0.0, x, pos, neg)
    # as many happen as were expected: what is left is the rounding of p
    exact = abs(expected - total) <= _ROUNDING * total
    a = 0.0 if exact else _in_the_large_by_newton(total, x, pos, neg)
    if not exact:
        _, information = _expected(a, x, pos, neg)
    if information <= 0.0:
        raise NotEstimable("the logistic fit did not converge")
    return Estimate(a, 1.0 / math.sqrt(information))


def _in_the_large_by_newton(total: float, x: Floats, pos: Floats, neg: Floats) -> float:
    # expected positives rise with the intercept: keep a bracket round Newton's steps
    centre = math.log(total / float(np.sum(neg)))
    low, high = centre - float(x.max()), centre - float(x.min())
    a = (low + high) / 2.0
    some = slice(None, None, _SOME)
    few = float(np.sum(pos[some]))
    if len(x) > _MANY and few > 0.0 and float(np.sum(neg[some])) > 0.0:
        a = min(max(_in_the_large_by_newton(few, x[some], pos[some], neg[some]), low), high)
    for _ in range(_MOST_STEPS):
        expected, information = _expected(a, x, pos, neg)
        excess = total - expected
        low, high = (a, high) if excess > 0.0 else (low, a)
        new = a + excess / information if information > 0.0 else math.inf
        if not low <= new <= high:
            new = low + (high - low) / 2.0
        converged = abs(new - a) <= 1e-9 * max(1.0, abs(a))
        a = new
        if converged:
            break
    return a


def _expected(a: float, x: Floats, pos: Floats, neg: Floats) -> list[float]:
    """Positives that are expected with an intercept, and the information."""

    def parts(at: slice) -> tuple[Floats, Floats]:
        eta = a + x[at]
        q, not_q = _shares(eta, _small(eta))
        q *= pos[at] + neg[at]
        return q, q * not_q

    return sums_of_parts(parts, len(x))


def robust_errors(
    fit: CalibrationFit,
    p: ArrayLike,
    positive: ArrayLike,
    weight: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
    times: ArrayLike | None = None,
) -> CalibrationFit:
    """The fit with standard errors that hold for weighted rows and rows of one cluster.

    Their variance is the sandwich A^-1 B A^-1 G / (G - 1): A the information, B the sum over the
    G clusters (or rows) of the outer products of their scores (Williams 2000, Biometrics 56:645).

    Args:
        fit: both fits of the rows, with weights as counts.
        p: predicted probability of each row, shape (n,); strictly between 0 and 1.
        positive: whether each row is an actual positive, shape (n,).
        weight: weight of each row, shape (n,), 1 where not given.
        cluster: code of the cluster of each row, shape (n,); a row each where not given.
        times: how many rows there are of each that is given, shape (n,), 1 where not given.

    Raises:
        NotEstimable: there is one cluster only.
    """
    probability, side = np.asarray(p, np.float64), np.asarray(positive, np.bool_)
    once = np.broadcast_to(np.float64(1.0), side.shape)  # which takes no memory
    w = once if weight is None else np.asarray(weight, np.float64)
    often = once if times is None else np.asarray(times)
    held = slice(None) if w.all() else w > 0
    codes = None if cluster is None else numbered(np.asarray(cluster)[held])[1]
    rows = _Rows(probability[held], side[held], w[held], often[held], codes)
    intercept, slope, in_the_large = (estimate.value for estimate in fit)
    line = rows.covariance(intercept, slope, 2)
    large = rows.covariance(in_the_large, 1.0, 1)
    errors = (math.sqrt(v) for v in (line[0, 0], line[1, 1], large[0, 0]))
    return CalibrationFit(*(Estimate(one.value, e) for one, e in zip(fit, errors, strict=True)))


@dataclass(frozen=True)
class _Rows:
    """Kinds of rows of a fit: probability, outcome, weight, how many there are, cluster from 0.

    Each row is a cluster of its own where ``cluster`` is None.
    """

    p: Floats
    y: NDArray[np.bool_]
    weight: Floats
    times: NDArray[Any]
    cluster: NDArray[np.intp] | None

    def covariance(self, intercept: float, slope: float, size: int) -> Floats:
        """The sandwich of the first ``size`` coefficients of a line: intercept, slope."""
        units = None if self.cluster is None else np.zeros((int(self.cluster.max()) + 1, size))
        number = int(self.times.sum()) if units is None else len(units)
        if number < 2:
            raise NotEstimable("rows of a single cluster do not show how clusters differ")
        information, meat = np.zeros((2, size, size))
        for at in _blocks(len(self.p)):
            x = np.log(self.p[at]) - np.log1p(-self.p[at])
            design = np.column_stack([np.ones(len(x)), x])[:, :size]
            eta, often = intercept + slope * x, self.times[at, None]
            q, not_q = _shares(eta, _small(eta))
            information += (design * often * (self.weight[at] * q * not_q)[:, None]).T @ design
            scores = design * (self.weight[at] * (self.y[at] - q))[:, None]
            if units is None or self.cluster is None:
                meat += (scores * often).T @ scores
            else:
                np.add.at(units, self.cluster[at], scores * often)
        bread = np.linalg.inv(information)
        meat = (meat if units is None else units.T @ units) * (number / (number - 1))
        return np.asarray(bread @ meat @ bread, np.float64)


def _grouped(
    p: ArrayLike, positives: ArrayLike, negatives: ArrayLike
) -> tuple[Floats, Floats, Floats]:
    """Logits and counts of the groups that hold rows."""
    probability = np.asarray(p, np.float64)
    pos, neg = np.asarray(positives, np.float64), np.asarray(negatives, np.float64)
    held = pos + neg > 0
    if not held.all():
        probability, pos, neg = probability[held], pos[held], neg[held]
    if float(np.sum(pos)) <= 0.0 or float(np.sum(neg)) <= 0.0:
        raise NotEstimable("only one class occurs: a logistic fit needs both")
    if bool(np.any((probability < 0.0) | (probability > 1.0))):
        raise NotEstimable("scores outside [0, 1] are not probabilities: they have no logit")
    edge = (probability == 0.0) | (probability == 1.0)
    if bool(edge.any()):
        # sums of weights, where rows have some: no number of rows
        own, total = float(np.sum((pos + neg)[edge])), float(np.sum(pos) + np.sum(neg))
        raise NotEstimable(f"logit of 0 or 1 is infinite: {own:g} of {total:g} are 0 or 1")
    logits, negative = np.log(probability), -probability
    logits -= np.log1p(negative, out=negative)
    return logits, pos, neg


def _small(x: Floats) -> Floats:
    """The exponential of minus the absolute value."""
    found = np.abs(x)
    np.negative(found, out=found)
    return np.exp(found, out=found)
