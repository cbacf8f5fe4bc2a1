"""What the formula of a metric shows when it is tried on small tables.

Whether an average is another number, whether the model or the prevalence moves a value, and which
rows a share is of: found from the formula itself, so that no list of metrics has to be kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from evalreport.metrics.combined import balanced_accuracy, balanced_error_rate
from evalreport.metrics.counts import accuracy, error_rate
from evalreport.metrics.declare import Average, Goal, Interval, Metric, Table
from evalreport.metrics.tables import Counts, Matrix, ScoreTable


def pooled_over_rows(metric: Metric) -> bool:
    """Whether the micro average is a share of rows, so that a proportion's interval holds.

    Tried on an example: the pooled denominator must be the number of rows.

    >>> from evalreport.metrics.counts import precision, specificity
    >>> pooled_over_rows(precision), pooled_over_rows(specificity)
    (True, False)
    """
    if metric.interval is not Interval.PROPORTION:
        return False
    if metric.for_classes is not None:
        return True
    example = Matrix.from_counts([[5, 1, 2], [3, 7, 1], [1, 2, 11]])
    return bool(metric(example.pooled()).bottom.exact() == example.n.value)


#: A metric with an average: None of one class, or of all of them together.
Averaged = tuple[Metric, str | None]


def is_of_truth_alone(metric: Metric, params: Mapping[str, Any]) -> bool:
    """Whether a value does not depend on the predictions, as the no-information rate.

    Tried on two tables with the same true classes and different predictions.
    """
    if metric.table not in (Table.COUNTS, Table.MATRIX) or metric.context:
        return False
    arguments = metric.arguments(dict(params))
    examples = [Matrix.from_counts(c) for c in ([[5, 3], [2, 7]], [[6, 2], [4, 5]])]
    values = [
        metric(m if metric.table is Table.MATRIX else m.one_versus_rest(1), **arguments).exact()
        for m in examples
    ]
    return bool(values[0] == values[1])


@cache
def same_number(metric: Metric, average: str | None, *, two_classes: bool) -> Averaged:
    """The metric, without an average where there is one, that an average is the same number as.

    Where every row has one label and one prediction, micro F1 and weighted recall are accuracy,
    and of two classes macro accuracy is accuracy and macro recall balanced accuracy. Tried on
    tables of as many classes; an average that is no other number is given back as it is.

    >>> from evalreport.metrics.combined import f1
    >>> from evalreport.metrics.counts import recall
    >>> several = {"two_classes": False}
    >>> [same_number(recall, kind, **several)[0].name for kind in ("micro", "weighted", "macro")]
    ['accuracy', 'accuracy', 'balanced_accuracy']
    >>> same_number(f1, "macro", two_classes=True) == (f1, "macro")
    True
    """
    known: Averaged = (metric, average)
    if average in (None, Average.SAMPLES.value) or metric.table is not Table.COUNTS:
        return known
    if metric.context:
        return known
    pooled = None if two_classes else Average.MICRO.value
    others = [(accuracy, pooled), (error_rate, pooled), (balanced_accuracy, None)]
    others += [(balanced_error_rate, None), *([(metric, None)] if two_classes else [])]
    examples = [Matrix.from_counts(counts) for counts in _EXAMPLES[two_classes]]
    own = [_value_of(known, table) for table in examples]
    if None in own:
        return known
    return next((o for o in others if [_value_of(o, table) for table in examples] == own), known)


#: Tables on which averages are tried, by whether they are of two classes.
_EXAMPLES = {
    True: ([[11, 5], [3, 7]], [[2, 9], [4, 17]]),
    False: ([[5, 1, 2], [3, 7, 1], [1, 2, 11]], [[4, 6, 1], [0, 3, 8], [9, 2, 13]]),
}


def _value_of(of: Averaged, table: Matrix) -> float | None:
    """A value to ten digits; None where the metric has none, or needs what nobody gave."""
    metric, average = of
    try:
        arguments = metric.arguments({})
        if average in (Average.MACRO.value, Average.WEIGHTED.value):
            each = [metric(table.one_versus_rest(k), **arguments) for k in range(table.size)]
            rows = [1 if average == Average.MACRO.value else n for n in table.row_totals]
            parts = [float(v.exact()) * n for v, n in zip(each, rows, strict=True)]
            return round(math.fsum(parts) / sum(rows), 10)
        whole = average is not None or (table.size > 2 and metric.scope == "all")
        if whole and metric.for_classes is not None:
            return round(float(metric.for_classes(table, **arguments).exact()), 10)
        counts = table.pooled() if whole else table.one_versus_rest(1)
        return round(float(metric(counts, **arguments).exact()), 10)
    except (TypeError, ValueError, LookupError, ArithmeticError):
        return None


@cache
def moves_with_prevalence(metric: Metric) -> bool:
    """Whether the value moves with the share of positives alone, all else being equal.

    A low precision or accuracy of a group may be that share, so groups are not ranked by one.
    Tried on two tables, of which the second has every positive twice; a metric that cannot be
    tried so counts as one that moves.

    >>> from evalreport.metrics.counts import precision, recall
    >>> moves_with_prevalence(recall), moves_with_prevalence(precision)
    (False, True)
    """
    params: dict[str, Any] = {p.name: _TRIED for p in metric.parameters if p.required}
    if metric.one_of:
        params[metric.one_of[0]] = _TRIED
    try:
        once, twice = (
            float(metric(_rows_of(metric.table, copies), **metric.arguments(params)).exact())
            for copies in (1, 2)
        )
    except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError):
        return True
    return not math.isclose(once, twice, rel_tol=1e-9)


#: A share that any parameter of a metric may be.
_TRIED = 0.3


def _rows_of(table: Table, copies: int) -> Any:
    """A table of two classes with so many copies of each positive row."""
    if table is Table.SCORES:
        positives, negatives = np.array([4, 2, 3, 1]), np.array([1, 2, 2, 6])
        return ScoreTable(np.array([0.9, 0.7, 0.4, 0.2]), copies * positives, negatives)
    example = Matrix.from_counts([[11, 5], [3 * copies, 7 * copies]])
    return example if table is Table.MATRIX else example.one_versus_rest(1)


@dataclass(frozen=True)
class Share:
    """Which rows a proportion counts, above and below the line.

    Both by (actual is the class, predicted is the class).
    """

    top: Mapping[tuple[bool, bool], bool]
    bottom: Mapping[tuple[bool, bool], bool]

    @property
    def is_of_actual(self) -> bool:
        """Whether the rows below the line are chosen by their true class."""
        below = self.bottom
        return all(below[actual, True] == below[actual, False] for actual in (True, False))

    @property
    def is_of_predicted(self) -> bool:
        """Whether the rows below the line are chosen by the prediction."""
        below = self.bottom
        return all(below[True, called] == below[False, called] for called in (True, False))


def share_of(metric: Metric) -> Share:
    """Found by putting a single row into each cell of the metric's formula.

    >>> from evalreport.metrics.counts import recall
    >>> [cell for cell, counted in share_of(recall).bottom.items() if counted]
    [(True, True), (True, False)]
    """
    top, bottom = {}, {}
    for cell, name in (
        ((True, True), "tp"),
        ((True, False), "fn"),
        ((False, True), "fp"),
        ((False, False), "tn"),
    ):
        alone = {"tp": 0, "fn": 0, "fp": 0, "tn": 0} | {name: 1}
        expression = metric(Counts(**alone))
        top[cell] = bool(expression.top.exact())
        bottom[cell] = bool(expression.bottom.exact())
    return Share(top, bottom)


def directed(metric: Metric) -> bool:
    """Whether more, or less, of a metric is better whatever its value."""
    return metric.goal in (Goal.MAXIMIZE, Goal.MINIMIZE)
