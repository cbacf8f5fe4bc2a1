"""Limits of a share at the threshold that keeps another rate, as of recall at a specificity.

The rows choose the threshold, so it is as uncertain as the share. Where it may lie is known without
any assumption on the scores: of n rows of the kept class the number beyond the true threshold is
binomial, which bounds it by two order statistics (David H., Nagaraja H. Order Statistics, 2003,
7.1). The distances of the shares at these bounds and those of Wilson's limits are squared and
added (Zou G., Donner A. Stat Med 27, 2008), and reach at least to Wilson's limits of the shares at
the bounds: of scores of few grades a bound lies a whole grade away, where the share has an error of
its own. The wide limits of few rows are true: nothing bounds a threshold beyond which none of ten
rows lies.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from evalreport.engine.intervals import methods as intervals
from evalreport.engine.intervals.case import ScoreCase
from evalreport.metrics.formula import Value
from evalreport.metrics.tables import ScoreTable
from evalreport.results import records
from evalreport.statistics import proportions
from evalreport.statistics.interval import clipped
from evalreport.statistics.tail import binomial_less


def at_rate(case: ScoreCase) -> records.Interval | None:
    """Limits of the share; None without rows of both classes.

    Of weighted rows each class counts as many as its weights are worth (Kish).
    """
    table, weighted = case.table, case.measurer.view.weight is not None
    totals = float(table.positive_total), float(table.negative_total)
    worth = case.worth if weighted else totals
    positive = case.metric.keeps_positives
    kept = math.floor(worth[0 if positive else 1])
    if min(*totals, kept) <= 0 or not case.value.denominator:
        return None
    rows = float(case.value.denominator) * min(w / n for w, n in zip(worth, totals, strict=True))
    own = proportions.wilson_n_eff(case.number, rows, case.level)
    ((name, rate),) = case.arguments.items()
    least, most = beyond(kept, 1.0 - rate, case.level)
    strictest = 1.0 - max(least - 1, 0) / kept
    outside = table if least else _with_one_beyond(table, worth, positive=positive)
    lowest = _share(case, outside, name, strictest)
    highest = _share(case, table, name, 1.0 - most / kept)
    if own is None or lowest is None or highest is None:
        return None
    there = [
        proportions.wilson_n_eff(share, rows, case.level) or own for share in (lowest, highest)
    ]
    low = case.number - math.hypot(case.number - own.low, max(case.number - lowest, 0.0))
    high = case.number + math.hypot(own.high - case.number, max(highest - case.number, 0.0))
    limits = clipped(min(low, there[0].low), max(high, there[1].high))
    made = intervals.from_limits(limits, case.level, case.method)
    return replace(made, n_effective=sum(worth)) if made is not None and weighted else made


def beyond(rows: int, share: float, level: float) -> tuple[int, int]:
    """How many of the rows lie beyond a threshold that this share exceeds, at least and at most.

    The quantiles of the binomial distribution that leave half of what the level leaves each way.

    >>> beyond(10, 0.05, 0.95), beyond(100, 0.05, 0.95)
    ((0, 2), (1, 10))
    """

    def quantile(probability: float) -> int:
        low, high = -1, rows
        while high - low > 1:
            middle = (low + high) // 2
            if binomial_less(middle, rows, share) >= probability:
                high = middle
            else:
                low = middle
        return high

    tail = (1.0 - level) / 2.0
    return quantile(tail), quantile(1.0 - tail)


def _share(case: ScoreCase, table: ScoreTable, name: str, rate: float) -> float | None:
    """The share where another rate is kept; None where it is undefined."""
    found = case.metric(table, **{name: rate}).outcome()
    return found.number if isinstance(found, Value) else None


def _with_one_beyond(
    table: ScoreTable, worth: tuple[float, float], *, positive: bool
) -> ScoreTable:
    """The table with one more row of the kept class, on its wrong side of every threshold."""
    if positive:
        one = float(table.positive_total) / worth[0]
        scores = np.append(table.scores, -np.inf)
        return ScoreTable(scores, np.append(table.positives, one), np.append(table.negatives, 0.0))
    one = float(table.negative_total) / worth[1]
    scores = np.append(np.inf, table.scores)
    return ScoreTable(scores, np.append(0.0, table.positives), np.append(one, table.negatives))
