"""Metrics of one class against the rest, in fractions, from the definitions of the field.

An outcome is a number, ``UNDEFINED`` (0/0) or ``INFINITE`` (x/0). Square roots are
correct to 128 bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Literal

from evalreport.record.table_counts import Counts, number

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


def _falpha(c: Counts, alpha: Fraction) -> Outcome:
    return ratio(c.tp, alpha * (c.tp + c.fp) + (1 - alpha) * (c.tp + c.fn))


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
    "fbeta": lambda c, params: (
        _falpha(c, number(params["alpha"]))
        if "alpha" in params
        else _fbeta(c, number(params["beta"]))
    ),
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
    "ppv_at_prevalence": lambda c, params: _ppv_at(c, number(params["prevalence"])),
    "npv_at_prevalence": lambda c, params: _npv_at(c, number(params["prevalence"])),
}

# numerator and denominator as printed beside these, where they are counts
PROPORTIONS: dict[str, Callable[[Counts], tuple[Fraction, Fraction]]] = {
    "accuracy": lambda c: (c.tp + c.tn, c.total),
    "error_rate": lambda c: (c.fp + c.fn, c.total),
    "recall": lambda c: (c.tp, c.tp + c.fn),
    "specificity": lambda c: (c.tn, c.tn + c.fp),
    "precision": lambda c: (c.tp, c.tp + c.fp),
    "npv": lambda c: (c.tn, c.tn + c.fn),
    "fpr": lambda c: (c.fp, c.tn + c.fp),
    "fnr": lambda c: (c.fn, c.tp + c.fn),
    "fdr": lambda c: (c.fp, c.tp + c.fp),
    "false_omission_rate": lambda c: (c.fn, c.tn + c.fn),
    "jaccard": lambda c: (c.tp, c.tp + c.fp + c.fn),
    "prevalence": lambda c: (c.tp + c.fn, c.total),
    "predicted_prevalence": lambda c: (c.tp + c.fp, c.total),
    "selection_rate": lambda c: (c.tp + c.fp, c.total),
    "detection_rate": lambda c: (c.tp, c.total),
}
