"""What counting scores in bins can change: exact bounds of a value, and a wider interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from evalreport.engine.counting.binned_scores import BinnedScores
from evalreport.engine.metric_values import Evaluated
from evalreport.metrics.declare import Binned, Metric
from evalreport.metrics.formula import Value
from evalreport.metrics.tables import ScoreTable
from evalreport.results.records import Interval

#: What is said of an interval that holds what binning can change.
WIDENED = "widened by what the bins of the scores can change"


def bounds(
    metric: Metric, arguments: Mapping[str, Any], table: BinnedScores
) -> tuple[float, float]:
    """The lowest and highest value that scores within the bins can give the metric.

    The value must be defined, and the metric one of which bounds are known.
    """
    if metric.row_loss is not None:
        return _loss_bounds(metric, table)
    best, worst = table.split(positives_first=True), table.split(positives_first=False)
    high = _number(metric, arguments, best)
    if metric.binned is Binned.PEAK:
        return _number(metric, arguments, table), max(high, _number(metric, arguments, worst))
    if metric.binned is Binned.STEPS:
        return _lowest_average_precision(table), high
    return _number(metric, arguments, worst), high


def with_bounds(
    metric: Metric,
    arguments: Mapping[str, Any],
    table: ScoreTable,
    value: Evaluated,
    interval: Interval | str | None,
) -> tuple[Evaluated, Interval | str | None]:
    """A value and interval with what binning can change: bounds told, the interval widened."""
    if not isinstance(table, BinnedScores) or not isinstance(value.outcome, Value):
        return value, interval
    if not table.mixed.any():
        return value, interval
    number = value.outcome.number
    low, high = bounds(metric, arguments, table)
    low, high = min(low, number), max(high, number)
    told = f"scores are counted in {table.bins:,} bins: the value lies from {low!r} to {high!r}"
    note = f"{value.note}; {told}" if value.note else told
    marked = replace(value, note=note, bounds=(low, high))
    if not isinstance(interval, Interval):
        return marked, interval
    down, up = number - low, high - number
    if metric.binned is Binned.PEAK:
        # a peak within a bin may be higher, and the bias that its lower limit is lowered by larger
        down = high - low
    wide = replace(
        interval,
        low=max(interval.low - down, min(metric.bounds[0], interval.low)),
        high=min(interval.high + up, max(metric.bounds[1], interval.high)),
        note=f"{interval.note}; {WIDENED}" if interval.note else WIDENED,
    )
    return marked, wide


def _number(metric: Metric, arguments: Mapping[str, Any], table: ScoreTable) -> float:
    outcome = metric(table, **arguments).outcome("")
    assert isinstance(outcome, Value)
    return outcome.number


def _loss_bounds(metric: Metric, table: BinnedScores) -> tuple[float, float]:
    """Every row at whichever end of its bin is better, then worse; losses are monotone."""
    assert metric.row_loss is not None
    assert table.highs is not None
    loss: Callable[..., Any] = metric.row_loss
    n = table.rows.value
    ends = [np.asarray(loss(s, own)) for own in (True, False) for s in (table.scores, table.highs)]
    sums = []
    for choose in (np.minimum, np.maximum):
        of_positive, of_negative = choose(ends[0], ends[1]), choose(ends[2], ends[3])
        parts = table.positives * of_positive + table.negatives * of_negative
        sums.append(math.fsum(parts.tolist()) / n)
    return sums[0], sums[1]


def _lowest_average_precision(table: BinnedScores) -> float:
    """Negatives of a mixed bin first, then its positives one by one.

    The j-th of p positives after x rows, b of them negative, adds 1 - b / (x + j); the
    sum of 1 / (x + j) is at most log1p(p / (x + 1/2)), because 1/t is convex.
    """
    p = table.positives.astype(np.float64)
    false = table.false_positives.astype(np.float64)
    ranked = table.true_positives - p + false
    with np.errstate(divide="ignore", invalid="ignore"):
        tied = p * (table.true_positives / (table.true_positives + false))
        one_by_one = p - false * np.log1p(p / (ranked + 0.5))
    single = p <= 1
    steps = np.where(table.mixed & ~single, one_by_one, tied)
    return math.fsum(np.where(p > 0, steps, 0.0).tolist()) / float(table.positive_total)
