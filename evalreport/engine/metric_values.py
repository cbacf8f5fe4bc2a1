"""A metric on its table: the value of one class, of all classes, or an average.

Two routes through the same declarations: :func:`class_value`, :func:`overall_value`
and :func:`average` give exact single values with their expression;
:func:`stacked_value` gives the values of a whole stack of tables at once, for
resampling and derivatives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.findings import some
from evalreport.metrics.declare import Average, Metric, Table
from evalreport.metrics.formula import (
    WRITTEN_TERMS,
    Expression,
    Outcome,
    OverZero,
    Ratio,
    Undefined,
    Value,
    ZeroByZero,
    number_text,
)
from evalreport.metrics.tables import Counts, Matrix
from evalreport.results.records import MissingBounds, Reached

#: Up to so many classes a mean over classes is taken in exact fractions.
EXACT_CLASSES = 100


@dataclass(frozen=True)
class Evaluated:
    """A value with how it came about.

    ``numerator`` and ``denominator`` are given where the metric is one fraction
    of the table; ``exact`` is the unrounded fraction where one exists; ``note``
    explains an average that skipped classes, and ``left_out`` names these. ``missing`` is the
    worst and best case of a share, with the rows that lack something. ``reached`` is the
    threshold where a largest difference lies, with the four cells there. ``rows`` have a value,
    where a mean leaves some out.
    """

    outcome: Outcome
    formula: str
    substituted: str
    numerator: float | int | None = None
    denominator: float | int | None = None
    exact: Any = None
    note: str | None = None
    left_out: tuple[str, ...] = ()
    missing: MissingBounds | None = None
    reached: Reached | None = None
    rows: int | None = None


def evaluated(metric: Metric, expression: Expression, label: str | None) -> Evaluated:
    """The state, formula and numbers of one expression."""
    reason = metric.undefined.format(label=label if label is not None else "of the class")
    outcome = expression.outcome(reason)
    exact = None
    try:
        exact = expression.exact() if isinstance(outcome, Value) else None
    except (ZeroByZero, OverZero):
        exact = None
    top, bottom = _fraction(expression)
    return Evaluated(
        outcome=outcome,
        formula=metric.formula or expression.formula(),
        substituted=expression.substituted(),
        numerator=top,
        denominator=bottom,
        exact=exact,
    )


def _fraction(expression: Expression) -> tuple[float | int | None, float | int | None]:
    """Numerator and denominator, where the expression is one plain fraction of numbers."""
    if not isinstance(expression, Ratio):
        return None, None
    try:
        top, bottom = expression.top.exact(), expression.bottom.exact()
    except ArithmeticError:
        return None, None
    parts = _plain(top), _plain(bottom)
    return parts if all(map(math.isfinite, parts)) else (None, None)


def _plain(number: Any) -> float | int:
    if isinstance(number, Fraction):
        return int(number) if number.denominator == 1 else float(number)
    return int(number) if isinstance(number, (int, np.integer)) else float(number)


def class_value(
    metric: Metric, counts: Counts, arguments: Mapping[str, Any], label: str
) -> Evaluated:
    """The value of one class against the rest."""
    return evaluated(metric, metric(counts, **arguments), label)


def overall_value(metric: Metric, matrix: Matrix, arguments: Mapping[str, Any]) -> Evaluated:
    """The value of a metric that belongs to all classes together."""
    form = metric.for_classes if metric.for_classes is not None else metric.function
    return evaluated(metric, form(matrix, **arguments), None)


def average(
    kind: Average,
    labels: Sequence[str],
    values: Sequence[Evaluated],
    supports: Sequence[Any],
) -> Evaluated:
    """The macro or weighted average of class values.

    Undefined classes are skipped and counted; with none left the average is
    undefined. Weights are the numbers of rows actually of each class.
    """
    kept = [i for i, v in enumerate(values) if isinstance(v.outcome, Value)]
    skipped = [
        label for label, v in zip(labels, values, strict=True) if not isinstance(v.outcome, Value)
    ]
    weights = [supports[i] if kind is Average.WEIGHTED else 1 for i in kept]
    total = _sum(weights)
    formula = (
        "sum(class value * class rows) / sum(class rows)"
        if kind is Average.WEIGHTED
        else "sum(class value) / classes"
    )
    note = _skipped_note(skipped, len(labels)) if skipped else None
    if not kept or total == 0:
        reason = note or "no class has rows to weigh it by"
        return Evaluated(Undefined(reason), formula, "0 / 0", note=reason)
    number = _weighted_mean([values[i] for i in kept], weights, total)
    return Evaluated(
        outcome=Value(number),
        formula=formula,
        substituted=_written_mean([values[i] for i in kept], weights, total, kind),
        note=note,
        left_out=tuple(skipped),
    )


def _skipped_note(skipped: Sequence[str], classes: int) -> str:
    told = f"undefined for {len(skipped)} of {classes} classes, left out of the mean: "
    return told + some(skipped)


def _weighted_mean(values: Sequence[Evaluated], weights: Sequence[Any], total: Any) -> float:
    exact = [v.exact for v in values]
    whole = all(isinstance(e, (int, Fraction)) for e in exact)
    if whole and len(values) <= EXACT_CLASSES and all(isinstance(w, int) for w in weights):
        top = sum((Fraction(e) * w for e, w in zip(exact, weights, strict=True)), Fraction(0))
        return float(top / total)
    products = [_number(v) * w for v, w in zip(values, weights, strict=True)]
    return math.fsum(products) / float(total)


def _number(value: Evaluated) -> float:
    assert isinstance(value.outcome, Value)
    return value.outcome.number


def _sum(parts: Sequence[Any]) -> Any:
    whole = all(isinstance(part, (int, np.integer)) for part in parts)
    return sum(int(part) for part in parts) if whole else math.fsum(parts)


def _written_mean(
    values: Sequence[Evaluated], weights: Sequence[Any], total: Any, kind: Average
) -> str:
    if len(values) > WRITTEN_TERMS:
        return f"sum of {len(values)} class values / {number_text(total)}"
    if kind is Average.WEIGHTED:
        terms = [
            f"{number_text(_number(v))} * {number_text(w)}"
            for v, w in zip(values, weights, strict=True)
        ]
    else:
        terms = [number_text(_number(v)) for v in values]
    return f"({' + '.join(terms)}) / {number_text(total)}"


# -- a stack of tables at once -------------------------------------------------------------

Stack = npt.NDArray[Any]
Function = Callable[[Stack], Stack]


def stacked_value(
    metric: Metric,
    arguments: Mapping[str, Any],
    *,
    average: Average | None,
    index: int | None,
) -> Function:
    """The metric as a function of stacked K x K tables: shape (B, K, K) to shape (B,).

    ``index`` is the class of a one-versus-rest value; None with no average means
    the metric of all classes, which a micro average also is where a metric has a form
    of its own for it: accuracy is the share of right rows. NaN where undefined,
    infinity where infinite.
    """
    if average is Average.MICRO and metric.for_classes is None:
        return lambda stack: _array(metric(_pooled(stack), **arguments), stack)
    if average in (Average.MACRO, Average.WEIGHTED):
        return lambda stack: _stacked_mean(metric, arguments, average, stack)
    if index is not None and metric.table is Table.COUNTS:
        return lambda stack: _array(metric(_one_versus_rest(stack, index), **arguments), stack)
    form = metric.for_classes if metric.for_classes is not None else metric.function
    return lambda stack: _array(form(_matrix(stack), **arguments), stack)


def _array(expression: Expression, stack: Stack) -> Stack:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.broadcast_to(np.asarray(expression.array()), stack.shape[:1])


def _one_versus_rest(stack: Stack, index: int) -> Counts:
    tp = stack[:, index, index]
    fn = stack[:, index, :].sum(axis=1) - tp
    fp = stack[:, :, index].sum(axis=1) - tp
    return Counts(tp=tp, fp=fp, fn=fn, tn=stack.sum(axis=(1, 2)) - tp - fn - fp)


def _every_class(stack: Stack) -> Counts:
    tp = np.diagonal(stack, axis1=1, axis2=2)
    fn = stack.sum(axis=2) - tp
    fp = stack.sum(axis=1) - tp
    return Counts(tp=tp, fp=fp, fn=fn, tn=stack.sum(axis=(1, 2))[:, None] - tp - fn - fp)


def _pooled(stack: Stack) -> Counts:
    each = _every_class(stack)
    return Counts(
        **{name: getattr(each, name).value.sum(axis=1) for name in ("tp", "fp", "fn", "tn")}
    )


def _stacked_mean(
    metric: Metric, arguments: Mapping[str, Any], kind: Average, stack: Stack
) -> Stack:
    each = _every_class(stack)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.asarray(metric(each, **arguments).array())
    weights = stack.sum(axis=2) if kind is Average.WEIGHTED else np.ones_like(values)
    usable = np.isfinite(values)
    top = np.where(usable, values * weights, 0).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(top / np.where(usable, weights, 0).sum(axis=1))


def _matrix(stack: Stack) -> Matrix:
    size = stack.shape[1]
    cells = {(i, j): stack[:, i, j] for i in range(size) for j in range(size)}
    return Matrix(size, cells)
