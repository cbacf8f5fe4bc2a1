"""Intervals of ratios of two proportions and of what follows from them.

On the log and logit scale each gives None where a zero count makes the logarithm or its
variance infinite, and takes a rate of 1 as certain; no 1/2 is ever added to a cell. Score
intervals do neither: they hold the ratios that the data do not contradict, with both rates
estimated under each ratio in turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from evalreport.statistics.interval import Interval, z_value
from evalreport.statistics.root import bisect
from evalreport.statistics.unpaired import katz, log_interval

RatioMethod = Callable[[float, float, float, float, float], Interval | None]


def lr_plus(tp: float, fn: float, fp: float, tn: float, level: float) -> Interval | None:
    """Log interval of the positive likelihood ratio (Simel 1991).

    >>> low, high = lr_plus(228, 11, 10, 434, 0.95)
    >>> round(low, 4), round(high, 4)
    (22.9361, 78.2203)
    """
    return katz(tp, tp + fn, fp, fp + tn, level)


def lr_minus(tp: float, fn: float, fp: float, tn: float, level: float) -> Interval | None:
    """Log interval of the negative likelihood ratio (Simel 1991)."""
    return katz(fn, tp + fn, tn, fp + tn, level)


def diagnostic_odds_ratio(
    tp: float, fn: float, fp: float, tn: float, level: float
) -> Interval | None:
    """Log interval of the diagnostic odds ratio (Woolf 1955)."""
    if min(tp, fn, fp, tn) <= 0:
        return None
    variance = math.fsum((1.0 / tp, 1.0 / fn, 1.0 / fp, 1.0 / tn))
    return log_interval((tp / fp) * (tn / fn), variance, level)


def koopman(x1: float, n1: float, x2: float, n2: float, level: float) -> Interval | None:
    """Score interval of the ratio of two independent proportions (Koopman 1984; Nam 1995).

    The ratios r for which |x1/n1 - r x2/n2| is at most z standard errors, these at the
    likeliest rates of which the first is r times the second. The upper limit is infinite
    with 0 of n2. None without rows, or without any success.

    >>> low, high = koopman(36, 40, 16, 80, 0.95)
    >>> round(low, 3), round(high, 3)
    (2.94, 7.152)
    """
    return _score_limits(x1, n1, x2, n2, level, 1.0)


def miettinen_nurminen(x1: float, n1: float, x2: float, n2: float, level: float) -> Interval | None:
    """The same with the variance times N / (N - 1) (Miettinen, Nurminen 1985)."""
    if n1 + n2 <= 1:
        return None
    return _score_limits(x1, n1, x2, n2, level, (n1 + n2) / (n1 + n2 - 1.0))


#: Intervals of a ratio of two independent proportions, by the names a spec may ask for.
RATIO_METHODS: dict[str, RatioMethod] = {
    "koopman": koopman,
    "miettinen_nurminen": miettinen_nurminen,
    "log": katz,
}


def to_the_whole(x: float, n: float, x_all: float, n_all: float, level: float) -> Interval | None:
    """Koopman's interval of a group's rate over that of all rows, which hold the group.

    With w the group's share of the rows and r its rate over that of the rest, two
    independent proportions, the rate over that of all rows is r / (w r + 1 - w): the limits
    of r are carried over. None where the group is all there is.

    >>> low, high = to_the_whole(36, 40, 52, 120, 0.95)
    >>> round(low, 3), round(high, 3)
    (1.785, 2.344)
    """
    limits = koopman(x, n, x_all - x, n_all - n, level)
    if limits is None:
        return None
    w = n / n_all

    def carried(r: float) -> float:
        return 1.0 / (w + (1.0 - w) / r) if r > 0.0 else 0.0

    return Interval(carried(limits.low), carried(limits.high))


def _score_limits(
    x1: float, n1: float, x2: float, n2: float, level: float, inflation: float
) -> Interval | None:
    if min(n1, n2) <= 0 or x1 + x2 <= 0:
        return None
    z = z_value(level)

    def excess(log_ratio: float) -> float:
        """How far the first rate lies above r times the second, in standard errors."""
        ratio = math.exp(log_ratio)
        p1, p2 = _restricted(x1, n1, x2, n2, ratio)
        variance = (p1 * (1.0 - p1) / n1 + ratio * ratio * p2 * (1.0 - p2) / n2) * inflation
        distance = x1 / n1 - ratio * x2 / n2
        if variance <= 0.0:
            return math.copysign(math.inf, distance) if distance else 0.0
        return distance / math.sqrt(variance)

    low = 0.0 if x1 == 0 else math.exp(bisect(lambda r: excess(r) - z, -_FAR, _FAR))
    high = math.inf if x2 == 0 else math.exp(bisect(lambda r: excess(r) + z, -_FAR, _FAR))
    return Interval(low, high)


#: Logarithm beyond which no ratio of two shares of rows is looked for.
_FAR = 60.0


def _restricted(x1: float, n1: float, x2: float, n2: float, ratio: float) -> tuple[float, float]:
    """The likeliest two proportions of which the first is ``ratio`` times the second."""
    a, c = (n1 + n2) * ratio, x1 + x2
    b = ratio * (n1 + x2) + x1 + n2
    # the smaller root, as a quotient: nothing is subtracted where it is small
    p2 = 2.0 * c / (b + math.sqrt(max(b * b - 4.0 * a * c, 0.0)))
    p2 = min(p2, 1.0, 1.0 / ratio)
    return min(ratio * p2, 1.0), p2


def lr_plus_score(
    tp: float, fn: float, fp: float, tn: float, level: float, of: RatioMethod = miettinen_nurminen
) -> Interval | None:
    """Score interval of the positive likelihood ratio."""
    return of(tp, tp + fn, fp, fp + tn, level)


def lr_minus_score(
    tp: float, fn: float, fp: float, tn: float, level: float, of: RatioMethod = miettinen_nurminen
) -> Interval | None:
    """Score interval of the negative likelihood ratio."""
    return of(fn, tp + fn, tn, fp + tn, level)


def ppv_score(
    tp: float, fn: float, fp: float, tn: float, prevalence: float, level: float
) -> Interval | None:
    """Limits of the predictive value at ``prevalence`` from those of the likelihood ratio.

    >>> low, high = ppv_score(20, 0, 5, 15, 0.1, 0.95)
    >>> 0 < low < 1 / (1 + 9 * 5 / 20) < high < 1
    True
    """
    return _at_prior(miettinen_nurminen(tp, tp + fn, fp, fp + tn, level), prevalence)


def npv_score(
    tp: float, fn: float, fp: float, tn: float, prevalence: float, level: float
) -> Interval | None:
    """The same for the negative predictive value."""
    return _at_prior(miettinen_nurminen(tn, fp + tn, fn, tp + fn, level), 1.0 - prevalence)


def odds_ratio_score(tp: float, fn: float, fp: float, tn: float, level: float) -> Interval | None:
    """Score interval of the odds ratio (Cornfield 1956; Miettinen, Nurminen 1985).

    The odds ratios for which TP lies at most z standard errors from the count that they give with
    the same margins, the variance times N / (N - 1). The upper limit is infinite without false
    positives, or false negatives. None without rows of a class, with all predicted alike, and of
    what is worth no more than one row.

    >>> low, high = odds_ratio_score(36, 4, 16, 64, 0.95)
    >>> round(low, 2), round(high, 1)
    (11.48, 111.4)
    """
    p, n, called = tp + fn, fp + tn, tp + fp
    if min(p, n) <= 0 or p + n <= 1.0 or not 0 < called < p + n:
        return None
    z, inflation = z_value(level), (p + n) / (p + n - 1.0)

    def excess(log_ratio: float) -> float:
        count = _expected(p, n, called, math.exp(log_ratio))
        others = (count, p - count, called - count, n - called + count)
        if min(others) <= 0.0:
            return math.copysign(math.inf, tp - count) if tp != count else 0.0
        information = math.fsum(1.0 / cell for cell in others)
        return (tp - count) * math.sqrt(information / inflation)

    low = 0.0 if min(tp, tn) == 0 else math.exp(bisect(lambda r: excess(r) - z, -_FAR, _FAR))
    high = math.inf if min(fp, fn) == 0 else math.exp(bisect(lambda r: excess(r) + z, -_FAR, _FAR))
    return Interval(low, high)


def _expected(p: float, n: float, called: float, ratio: float) -> float:
    """True positives with these margins at an odds ratio: the root of a quadratic."""
    least, most = max(0.0, called - n), min(p, called)
    b = ratio * (p + called) + n - called
    # (1 - ratio) x^2 + b x - ratio p called = 0, in the form in which nothing cancels
    root = math.sqrt(max(b * b + 4.0 * (1.0 - ratio) * ratio * p * called, 0.0))
    if b > 0.0:
        found = 2.0 * ratio * p * called / (b + root)
    else:
        found = (root - b) / (2.0 * (1.0 - ratio))
    return min(max(found, least), most)


def _by_name(score: Callable[..., Interval | None]) -> dict[str, Callable[..., Interval | None]]:
    return {"miettinen_nurminen": score, "koopman": partial(score, of=koopman)}


#: Score limits of each ratio from TP, FN, FP and TN, by the names a spec may ask for.
LR_PLUS_SCORES, LR_MINUS_SCORES = _by_name(lr_plus_score), _by_name(lr_minus_score)
ODDS_RATIO_SCORES = {"miettinen_nurminen": odds_ratio_score}
PPV_SCORES, NPV_SCORES = {"miettinen_nurminen": ppv_score}, {"miettinen_nurminen": npv_score}


def _at_prior(ratio: Interval | None, prior: float) -> Interval | None:
    if ratio is None or not 0.0 < prior < 1.0:
        return None
    odds = prior / (1.0 - prior)

    def share(r: float) -> float:
        return 1.0 if math.isinf(r) else r * odds / (1.0 + r * odds)

    return Interval(share(ratio.low), share(ratio.high))


def ppv_at_prevalence(
    tp: float, fn: float, fp: float, tn: float, prevalence: float, level: float
) -> Interval | None:
    """Logit interval of the positive predictive value at ``prevalence`` (Mercaldo 2007).

    logit PPV = logit prevalence + log LR+.
    """
    return _mercaldo(tp, tp + fn, fp, fp + tn, prevalence, level)


def npv_at_prevalence(
    tp: float, fn: float, fp: float, tn: float, prevalence: float, level: float
) -> Interval | None:
    """Logit interval of the negative predictive value at ``prevalence`` (Mercaldo 2007).

    logit NPV = logit (1 - prevalence) - log LR-.
    """
    return _mercaldo(tn, fp + tn, fn, tp + fn, 1.0 - prevalence, level)


def ppv_of_sample(tp: float, fn: float, fp: float, tn: float, level: float) -> Interval | None:
    """The same at the sample's own prevalence, as if that were known (Mercaldo 2007).

    Recall and specificity vary by chance, the share of positives does not: the limits of a
    study that took so many of each class. Much software prints them of any table.
    """
    rows = tp + fn + fp + tn
    return ppv_at_prevalence(tp, fn, fp, tn, (tp + fn) / rows, level) if rows > 0 else None


def npv_of_sample(tp: float, fn: float, fp: float, tn: float, level: float) -> Interval | None:
    """The same for the negative predictive value."""
    rows = tp + fn + fp + tn
    return npv_at_prevalence(tp, fn, fp, tn, (tp + fn) / rows, level) if rows > 0 else None


def _mercaldo(
    x1: float, n1: float, x2: float, n2: float, prior: float, level: float
) -> Interval | None:
    """Logit interval of x1/n1 prior / (x1/n1 prior + x2/n2 (1 - prior))."""
    if min(x1, x2) <= 0 or not 0.0 < prior < 1.0:
        return None
    odds = (x1 / n1) / (x2 / n2) * prior / (1.0 - prior)
    variance = (n1 - x1) / x1 / n1 + (n2 - x2) / x2 / n2
    factor = math.exp(z_value(level) * math.sqrt(variance))
    return Interval(odds / (factor + odds), 1.0 / (1.0 + 1.0 / (odds * factor)))
