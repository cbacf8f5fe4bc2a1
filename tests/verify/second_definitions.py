"""Metrics of a table, of a class and of averages, in fractions, by the field's definitions.

An outcome is a number, ``UNDEFINED`` (0/0) or ``INFINITE`` (x/0). Square roots are
correct to 128 bits.

Macro and weighted averages skip undefined classes; weights are the actual rows
of the classes that are left. Micro adds the counts of all classes up first;
micro accuracy is the share of rows that are right.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Literal

from verify.exact_tables import Counts, Table

from evalreport.results.records import Measure

Outcome = Fraction | Literal["undefined", "infinite"]
UNDEFINED: Literal["undefined"] = "undefined"
INFINITE: Literal["infinite"] = "infinite"
ClassMetric = Callable[[Counts, Mapping[str, Any]], Outcome]

_ROOT_BITS = 128


def ratio(above: Outcome, below: Outcome) -> Outcome:
    """The quotient; 0/0 and anything of an undefined number is undefined, x/0 is infinite.

    >>> ratio(Fraction(1), Fraction(4)), ratio(Fraction(0), Fraction(0))
    (Fraction(1, 4), 'undefined')
    """
    if isinstance(above, str) or isinstance(below, str):
        return UNDEFINED
    if below:
        return above / below
    return INFINITE if above > 0 else UNDEFINED


def combined(formula: Callable[..., Fraction], *parts: Outcome) -> Outcome:
    """A formula of other outcomes; undefined where one of them is no number."""
    numbers = [part for part in parts if isinstance(part, Fraction)]
    return formula(*numbers) if len(numbers) == len(parts) else UNDEFINED


def square_root(value: Fraction) -> Fraction:
    """The square root of a number that is not negative.

    >>> square_root(Fraction(9, 4)) == Fraction(3, 2)
    True
    """
    product = value.numerator * value.denominator
    return Fraction(math.isqrt(product << 2 * _ROOT_BITS), value.denominator << _ROOT_BITS)


def _recall(c: Counts) -> Outcome:
    return ratio(c.tp, c.tp + c.fn)


def _specificity(c: Counts) -> Outcome:
    return ratio(c.tn, c.tn + c.fp)


def _precision(c: Counts) -> Outcome:
    return ratio(c.tp, c.tp + c.fp)


def _npv(c: Counts) -> Outcome:
    return ratio(c.tn, c.tn + c.fn)


def _fpr(c: Counts) -> Outcome:
    return ratio(c.fp, c.tn + c.fp)


def _fnr(c: Counts) -> Outcome:
    return ratio(c.fn, c.tp + c.fn)


def _fbeta(c: Counts, beta: Fraction) -> Outcome:
    weighted = (1 + beta * beta) * c.tp
    return ratio(weighted, weighted + beta * beta * c.fn + c.fp)


def _mcc(c: Counts) -> Outcome:
    margins = (c.tp + c.fp) * (c.tp + c.fn) * (c.tn + c.fp) * (c.tn + c.fn)
    if not margins:
        return UNDEFINED
    return (c.tp * c.tn - c.fp * c.fn) / square_root(margins)


def _kappa(c: Counts) -> Outcome:
    chance = (c.tp + c.fn) * (c.tp + c.fp) + (c.tn + c.fp) * (c.tn + c.fn)
    square = c.total * c.total
    if square == chance:
        return UNDEFINED
    return (c.total * (c.tp + c.tn) - chance) / (square - chance)


def _balanced(c: Counts) -> Outcome:
    return combined(lambda a, b: (a + b) / 2, _recall(c), _specificity(c))


def _ppv_at(c: Counts, q: Fraction) -> Outcome:
    def bayes(recall: Fraction, specificity: Fraction) -> Outcome:
        found = recall * q
        return ratio(found, found + (1 - specificity) * (1 - q))

    return _chained(bayes, c)


def _npv_at(c: Counts, q: Fraction) -> Outcome:
    def bayes(recall: Fraction, specificity: Fraction) -> Outcome:
        cleared = specificity * (1 - q)
        return ratio(cleared, cleared + (1 - recall) * q)

    return _chained(bayes, c)


def _chained(formula: Callable[[Fraction, Fraction], Outcome], c: Counts) -> Outcome:
    recall, specificity = _recall(c), _specificity(c)
    if isinstance(recall, str) or isinstance(specificity, str):
        return UNDEFINED
    return formula(recall, specificity)


CLASS_METRICS: dict[str, ClassMetric] = {
    "accuracy": lambda c, _: ratio(c.tp + c.tn, c.total),
    "error_rate": lambda c, _: ratio(c.fp + c.fn, c.total),
    "balanced_accuracy": lambda c, _: _balanced(c),
    "balanced_error_rate": lambda c, _: combined(lambda b: 1 - b, _balanced(c)),
    "recall": lambda c, _: _recall(c),
    "specificity": lambda c, _: _specificity(c),
    "precision": lambda c, _: _precision(c),
    "npv": lambda c, _: _npv(c),
    "fpr": lambda c, _: _fpr(c),
    "fnr": lambda c, _: _fnr(c),
    "fdr": lambda c, _: ratio(c.fp, c.tp + c.fp),
    "false_omission_rate": lambda c, _: ratio(c.fn, c.tn + c.fn),
    "f1": lambda c, _: _fbeta(c, Fraction(1)),
    "fbeta": lambda c, params: _fbeta(c, Fraction(params["beta"])),
    "jaccard": lambda c, _: ratio(c.tp, c.tp + c.fp + c.fn),
    "mcc": lambda c, _: _mcc(c),
    "kappa": lambda c, _: _kappa(c),
    "youden_j": lambda c, _: combined(lambda a, b: a + b - 1, _recall(c), _specificity(c)),
    "markedness": lambda c, _: combined(lambda a, b: a + b - 1, _precision(c), _npv(c)),
    "g_mean": lambda c, _: combined(lambda a, b: square_root(a * b), _recall(c), _specificity(c)),
    "fowlkes_mallows": lambda c, _: combined(
        lambda a, b: square_root(a * b), _precision(c), _recall(c)
    ),
    "lr_plus": lambda c, _: ratio(_recall(c), _fpr(c)),
    "lr_minus": lambda c, _: ratio(_fnr(c), _specificity(c)),
    "diagnostic_odds_ratio": lambda c, _: ratio(c.tp * c.tn, c.fp * c.fn),
    "prevalence": lambda c, _: ratio(c.tp + c.fn, c.total),
    "predicted_prevalence": lambda c, _: ratio(c.tp + c.fp, c.total),
    "selection_rate": lambda c, _: ratio(c.tp + c.fp, c.total),
    "detection_rate": lambda c, _: ratio(c.tp, c.total),
    "ppv_at_prevalence": lambda c, params: _ppv_at(c, Fraction(params["prevalence"])),
    "npv_at_prevalence": lambda c, params: _npv_at(c, Fraction(params["prevalence"])),
}

POOLED = frozenset(
    ("recall", "specificity", "precision", "npv", "fpr", "fnr", "fdr")
    + ("false_omission_rate", "f1", "fbeta", "jaccard")
)


def table_outcome(table: Table, measure: Measure) -> Outcome | None:
    """What a measure of a table must be; None where there is no second definition of it."""
    metric, average, label, params = (
        measure.metric, measure.average, measure.label, measure.params
    )  # fmt: skip
    if average == "micro":
        return _micro(table, metric, params)
    if average in ("macro", "weighted"):
        return _averaged(table, metric, params, by_support=average == "weighted")
    two = len(table.labels) == 2
    if metric in WHOLE_TABLE and (label is None or two):
        return WHOLE_TABLE[metric](table, params)
    own = table.positive if label is None and two else label
    if own is None or metric not in CLASS_METRICS:
        return None
    return CLASS_METRICS[metric](table.one_versus_rest(table.labels.index(own)), params)


def _micro(table: Table, metric: str, params: Mapping[str, Any]) -> Outcome | None:
    if metric in ("accuracy", "error_rate"):
        return WHOLE_TABLE[metric](table, params)
    if metric not in POOLED:
        return None
    each = [table.one_versus_rest(place) for place in range(len(table.labels))]
    pooled = Counts(*map(sum, zip(*((c.tp, c.fn, c.fp, c.tn) for c in each), strict=True)))
    return CLASS_METRICS[metric](pooled, params)


def _averaged(
    table: Table, metric: str, params: Mapping[str, Any], *, by_support: bool
) -> Outcome | None:
    if metric not in CLASS_METRICS:
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


def _kappa_of_classes(table: Table, distance: Callable[[int, int], int]) -> Outcome:
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
    return _kappa_of_classes(table, lambda i, j: int(abs(i - j) ** power))


def _mcc_of_classes(table: Table) -> Outcome:
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


WHOLE_TABLE: dict[str, Callable[[Table, Mapping[str, Any]], Outcome | None]] = {
    "accuracy": lambda t, _: ratio(_right(t), t.total),
    "error_rate": lambda t, _: ratio(t.total - _right(t), t.total),
    "balanced_accuracy": lambda t, _: _balanced_accuracy(t),
    "balanced_error_rate": lambda t, _: _balanced_error_rate(t),
    "kappa": lambda t, _: _kappa_of_classes(t, lambda i, j: int(i != j)),
    "weighted_kappa": _weighted_kappa,
    "mcc": lambda t, _: _mcc_of_classes(t),
    "no_information_rate": lambda t, _: _no_information_rate(t),
}
