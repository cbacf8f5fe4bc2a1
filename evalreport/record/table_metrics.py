"""Metrics of a whole table and averages over its classes, in fractions.

Macro and weighted averages skip undefined classes; weights are the actual rows
of the classes that are left. Micro adds the counts of all classes up first;
micro accuracy is the share of rows that are right.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from evalreport.record.class_metrics import (
    CLASS_METRICS,
    UNDEFINED,
    Outcome,
    ratio,
    square_root,
)
from evalreport.record.table_counts import Counts, Table, number
from evalreport.results.records import Measure

# Beyond this many rows an exact binomial tail takes too long to be summed.
LARGEST_TAIL = 3000
POOLED = frozenset(
    ("recall", "specificity", "precision", "npv", "fpr", "fnr", "fdr")
    + ("false_omission_rate", "f1", "fbeta", "jaccard")
)


def table_outcome(table: Table, measure: Measure) -> Outcome | None:
    """What a measure of a table must be; None where the table alone does not settle it.

    Raises KeyError, TypeError or ValueError when the measure is malformed.
    """
    metric, average, label = measure.metric, measure.average, measure.label
    params = measure.params
    if average == "micro":
        return _micro(table, metric, params)
    if average in ("macro", "weighted"):
        return _averaged(table, metric, params, by_support=average == "weighted")
    if average is not None:
        return None
    if metric == "net_benefit":
        return _net_benefit(table, measure)
    if table.unplaced and label is None and metric in ("kappa", "weighted_kappa", "mcc"):
        return None  # agreement by chance needs a predicted class for every row
    two = len(table.labels) == 2
    if metric in WHOLE_TABLE and (label is None or two):
        return WHOLE_TABLE[metric](table, params)
    counts = class_counts(table, label)
    if counts is None or metric not in CLASS_METRICS:
        return None
    return CLASS_METRICS[metric](counts, params)


def class_counts(table: Table, label: Any) -> Counts | None:
    """The counts of the class a measure is about; None when the table does not say.

    Raises ValueError for a label that the table does not have.
    """
    if table.of_label is not None and len(table.labels) == 2:
        place = table.index(table.of_label)
        if place is None and table.positive is not None:
            place = table.index(table.positive)
        return None if place is None else table.one_versus_rest(place)
    if label is None:
        label = table.positive
        if label is None or len(table.labels) != 2:
            return None
    place = table.index(label)
    if place is None:
        raise ValueError(f"the table has no label {label!r}")
    return table.one_versus_rest(place)


def _micro(table: Table, metric: str, params: Mapping[str, Any]) -> Outcome | None:
    if metric in ("accuracy", "error_rate"):
        return WHOLE_TABLE[metric](table, params)
    if metric not in POOLED:
        return None
    each = [table.one_versus_rest(place) for place in range(len(table.labels))]
    pooled = Counts(
        sum((c.tp for c in each), Fraction(0)),
        sum((c.fn for c in each), Fraction(0)),
        sum((c.fp for c in each), Fraction(0)),
        sum((c.tn for c in each), Fraction(0)),
    )
    return CLASS_METRICS[metric](pooled, params)


def _averaged(
    table: Table, metric: str, params: Mapping[str, Any], *, by_support: bool
) -> Outcome | None:
    if metric not in CLASS_METRICS or table.of_label is not None:
        return None
    above = below = Fraction(0)
    for place, support in enumerate(table.actual):
        outcome = CLASS_METRICS[metric](table.one_versus_rest(place), params)
        if isinstance(outcome, Fraction):
            weight = support if by_support else Fraction(1)
            above, below = above + weight * outcome, below + weight
        elif outcome != UNDEFINED:
            return None  # no rule says what the mean with an infinite class is
    return above / below if below else UNDEFINED


def _net_benefit(table: Table, measure: Measure) -> Outcome | None:
    counts = class_counts(table, measure.label)
    if counts is None or measure.threshold is None:
        return None
    at = number(measure.threshold)
    if not 0 < at < 1 or not counts.total:
        return UNDEFINED
    return (counts.tp - counts.fp * at / (1 - at)) / counts.total


def _right(table: Table) -> Fraction:
    return sum((table.right(place) for place in range(len(table.labels))), Fraction(0))


def _balanced_accuracy(table: Table) -> Outcome:
    recalls = [table.right(i) / rows for i, rows in enumerate(table.actual) if rows]
    if len(recalls) < 2:
        return UNDEFINED
    return sum(recalls, Fraction(0)) / len(recalls)


def _balanced_error_rate(table: Table) -> Outcome:
    balanced = _balanced_accuracy(table)
    return balanced if isinstance(balanced, str) else 1 - balanced


def _kappa(table: Table, distance: Callable[[int, int], int]) -> Outcome:
    """1 - (observed disagreement) / (disagreement by chance); Cohen 1960, 1968."""
    observed = sum((distance(i, j) * n for (i, j), n in table.cells.items()), Fraction(0))
    chance = sum(
        (
            distance(i, j) * rows * columns
            for i, rows in enumerate(table.actual)
            for j, columns in enumerate(table.predicted)
            if rows and columns
        ),
        Fraction(0),
    )
    share = ratio(observed * table.total, chance)
    return share if isinstance(share, str) else 1 - share


def _weighted_kappa(table: Table, params: Mapping[str, Any]) -> Outcome:
    power = {"linear": 1, "quadratic": 2}[params["weights"]]
    return _kappa(table, lambda i, j: int(abs(i - j) ** power))


def _mcc(table: Table) -> Outcome:
    """Gorodkin's correlation of K classes (2004); for two classes Matthews's."""
    square = table.total * table.total
    by_actual = square - sum((n * n for n in table.actual), Fraction(0))
    by_predicted = square - sum((n * n for n in table.predicted), Fraction(0))
    if not by_actual * by_predicted:
        return UNDEFINED
    both = zip(table.actual, table.predicted, strict=True)
    covered = table.total * _right(table) - sum((a * p for a, p in both), Fraction(0))
    return covered / square_root(by_actual * by_predicted)


def _no_information_rate(table: Table) -> Outcome:
    return ratio(max(table.actual, default=Fraction(0)), table.total)


def _accuracy_p_value(table: Table) -> Outcome | None:
    """P(X >= right) for X binomial of all rows and the no-information rate, summed exactly."""
    rate, rows, right = _no_information_rate(table), table.total, _right(table)
    if isinstance(rate, str):
        return UNDEFINED
    if rows.denominator != 1 or right.denominator != 1 or rows > LARGEST_TAIL:
        return None
    n, p, q = int(rows), rate.numerator, rate.denominator - rate.numerator
    tail = sum(math.comb(n, k) * p**k * q ** (n - k) for k in range(int(right), n + 1))
    return Fraction(tail, rate.denominator**n)


WHOLE_TABLE: dict[str, Callable[[Table, Mapping[str, Any]], Outcome | None]] = {
    "accuracy": lambda t, _: ratio(_right(t), t.total),
    "error_rate": lambda t, _: ratio(t.total - _right(t), t.total),
    "balanced_accuracy": lambda t, _: _balanced_accuracy(t),
    "balanced_error_rate": lambda t, _: _balanced_error_rate(t),
    "kappa": lambda t, _: _kappa(t, lambda i, j: int(i != j)),
    "weighted_kappa": _weighted_kappa,
    "mcc": lambda t, _: _mcc(t),
    "no_information_rate": lambda t, _: _no_information_rate(t),
    "accuracy_p_value": lambda t, _: _accuracy_p_value(t),
}
