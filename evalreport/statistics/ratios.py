"""Intervals of ratios (log scale) and of predictive values at a prevalence (logit scale).

Each takes the counts of a two-class table and gives None where a zero count makes the
logarithm or its variance infinite. No 1/2 is ever added to a cell.
"""

from __future__ import annotations

import math

from evalreport.statistics.interval import Interval, z_value
from evalreport.statistics.unpaired import katz, log_interval


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


def impact_ratio(
    selected: float, n: float, selected_top: float, n_top: float, level: float
) -> Interval | None:
    """Log interval of a group's selection rate over that of the group with the highest."""
    return katz(selected, n, selected_top, n_top, level)


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
