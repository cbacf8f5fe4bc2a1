"""Linear models written out in the spec: signed distance, side, confidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from evalreport.errors import DataError, Problem
from evalreport.metrics.readings import sigmoid
from evalreport.values import dataclass

Floats = npt.NDArray[np.float64]

#: Rows whose sum is this small beside its terms are worked out again without rounding.
NEAR = 1e-9


@dataclass(frozen=True, eq=False)
class LinearOutput:
    """What sign(b + w . x) says of n rows, each of shape (n,).

    ``value``: b + w . x. ``norm``: |w|. ``distance``: value / |w|, the score; 0 for a point
    on the boundary, whatever is drawn for it. ``confidence``: sigmoid of the distance, of
    the positive class. ``side``: +1 or -1, drawn for points exactly on the boundary, which
    ``on_boundary`` counts and ``drawn_positive`` as far as +1 was drawn. The draw is told
    beside the results and is no part of them: a score that reaches its threshold is
    positive, and a row that ties with another is no better than it.
    """

    value: Floats
    distance: Floats
    norm: float
    side: npt.NDArray[np.int8]
    confidence: Floats
    on_boundary: int
    drawn_positive: int

    @property
    def note(self) -> str | None:
        """What to tell of points on the boundary; None where there are none."""
        if not self.on_boundary:
            return None
        drawn, rows = self.drawn_positive, self.on_boundary
        return (
            f"{rows} of {len(self.value)} rows lie exactly on the boundary: tied in every "
            "ranking, and predicted positive as every score is that reaches its threshold. Were "
            "the class of each drawn by the seed instead, "
            f"{drawn} would be positive and {rows - drawn} negative."
        )


def linear_output(
    columns: Mapping[str, Floats], bias: float, weights: Mapping[str, float], seed: int = 0
) -> LinearOutput:
    """Signed distance, side and confidence of each row.

    Args:
        columns: the values of each weighted column, shape (n,), none missing.
        bias: the constant term.
        weights: the weight of each column; sums are taken in this order.
        seed: of the side drawn for points exactly on the boundary.

    Raises DataError where all weights are 0: there is no boundary.

    >>> out = linear_output({"x": np.array([3.0, 5.0])}, -8.0, {"x": 2.0})
    >>> out.distance.tolist(), out.side.tolist()
    ([-1.0, 1.0], [-1, 1])
    """
    norm = _norm(list(weights.values()))
    if norm == 0.0:
        raise DataError(
            Problem("all weights are 0, so there is no boundary", "give a weight other than 0")
        )
    value = linear_value(columns, bias, weights)
    beyond = np.flatnonzero(~np.isfinite(value))
    if len(beyond) or not math.isfinite(norm):
        what = "the weights" if not len(beyond) else f"the sum of row {int(beyond[0]) + 1}"
        told = f"{what} of the linear model is too large for a number, which ends at 1.8e308"
        raise DataError(Problem(told, "smaller weights, or columns in other units"))
    boundary = np.flatnonzero(value == 0.0)
    drawn = np.random.default_rng(seed).integers(0, 2, len(boundary)).astype(bool)
    side = np.where(value > 0, 1, -1).astype(np.int8)
    side[boundary] = np.where(drawn, 1, -1)
    distance = value / norm
    return LinearOutput(
        value=value,
        distance=distance,
        norm=norm,
        side=side,
        confidence=sigmoid(distance),
        on_boundary=len(boundary),
        drawn_positive=int(drawn.sum()),
    )


def linear_value(
    columns: Mapping[str, Floats], bias: float, weights: Mapping[str, float]
) -> Floats:
    """The sum b + w . x of each row; sums near 0 are exact in the decimal numbers as written.

    >>> linear_value({"x": np.array([3.0])}, -0.3, {"x": 0.1}).tolist()
    [0.0]
    """
    rows = len(next(iter(columns.values()))) if columns else 0
    value = np.full(rows, float(bias))
    scale = np.full(rows, abs(float(bias)))
    with np.errstate(over="ignore", invalid="ignore"):
        for name, weight in weights.items():
            term = weight * columns[name]
            value = value + term
            scale = scale + np.abs(term)
    for row in np.flatnonzero(~(np.abs(value) > NEAR * scale)).tolist():
        # 0.1 * 3 - 0.3 is 0 for whoever wrote it, though not in binary numbers.
        exact = Fraction(repr(float(bias))) + sum(
            Fraction(repr(float(w))) * Fraction(repr(float(columns[name][row])))
            for name, w in weights.items()
        )
        with suppress(OverflowError):  # then it is as infinite as it was
            value[row] = float(exact)
    return value


def _norm(weights: Sequence[float]) -> float:
    """The length of the weights; by scaled squares where their own leave the range of numbers."""
    if any(abs(w) > 1e150 for w in weights):
        return math.hypot(*weights)
    norm = math.sqrt(math.fsum(w * w for w in weights))
    return norm if norm > 1e-150 else math.hypot(*weights)
