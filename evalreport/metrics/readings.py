"""How a metric reads margins: probabilities through the sigmoid, costs in the model's own unit.

A margin is a signed distance to the boundary. Ranks take it as it is. A metric of
probabilities reads sigmoid(margin), the confidence of the positive class. A metric of
margins reads the sum ``b + w . x`` that training made small, which is the distance times
``|w|`` where a model is written out; so the softmax cost of given weights is one number,
wherever it is computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache, wraps
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.metrics.declare import Kind, Metric, Table
from evalreport.metrics.tables import ScoreTable, joined

Floats = npt.NDArray[np.float64]


def sigmoid(margin: Any) -> Floats:
    """1 / (1 + exp(-m)), without overflow.

    >>> sigmoid(np.array([0.0, -1000.0])).tolist()
    [0.5, 0.0]
    """
    margin = np.asarray(margin, np.float64)
    small = np.exp(-np.abs(margin))
    return np.asarray(np.where(margin >= 0, 1.0 / (1.0 + small), small / (1.0 + small)))


def confidences(table: ScoreTable) -> ScoreTable:
    """The score table of sigmoid(margin); margins with one confidence share an entry.

    >>> table = ScoreTable(np.array([800.0, 700.0, 0.0]), np.array([1, 1, 0]), np.array([0, 0, 2]))
    >>> found = confidences(table)
    >>> found.scores.tolist(), found.positives.tolist(), found.negatives.tolist()
    ([1.0, 0.5], [2, 0], [0, 2])
    """
    return joined(sigmoid(table.scores), *table.parts)


def as_read(metric: Metric, source: str, unit: float = 1.0) -> Metric:
    """The metric as it reads the scores of a model.

    Args:
        metric: as declared.
        source: what the model gives, see :class:`evalreport.plan.inputs.Facts`.
        unit: what a signed distance is multiplied by to be ``b + w . x``.

    What is returned takes tables and scores of margins; it is the metric itself where
    nothing has to be read otherwise.
    """
    if source != "margin" or metric.kind is Kind.RANK or metric.table is not Table.SCORES:
        return metric
    if metric.kind is Kind.MARGIN and (unit == 1.0 or not math.isfinite(unit)):
        return metric
    return _read(metric, None if metric.kind is Kind.PROBABILITY else unit)


@cache
def _read(metric: Metric, unit: float | None) -> Metric:
    """The metric on sigmoid(margin), or on the margin times ``unit``."""

    def scores_of(margins: Any) -> Any:
        return sigmoid(margins) if unit is None else np.asarray(margins) * unit

    def on_table(function: Callable[..., Any] | None) -> Any:
        if function is None:
            return None

        @wraps(function)
        def read(table: ScoreTable, *args: Any, **kwargs: Any) -> Any:
            return function(joined(scores_of(table.scores), *table.parts), *args, **kwargs)

        return read

    row_loss = metric.row_loss
    return replace(
        metric,
        function=on_table(metric.function),
        # Its tables hold margins now, so the other class is the margin with the other sign.
        kind=Kind.MARGIN,
        row_loss=None
        if row_loss is None
        else (lambda margins, positive: row_loss(scores_of(margins), positive)),
        standard_error=on_table(metric.standard_error),
        # An influence has one entry per score, and scores may have been joined.
        influence=None,
    )
