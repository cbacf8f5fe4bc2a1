"""Linear models written out in the spec: signed distance, side, confidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal

import numpy as np
import numpy.typing as npt

from evalreport.errors import DataError, Problem
from evalreport.metrics.readings import sigmoid

#: Two numbers of 17 digits each have a product of 34.
EXACT = Context(prec=40)
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearOutput:
    """What sign(b + w . x) says of n rows, each of shape (n,).

    ``value``: b + w . x. ``norm``: |w|. ``distance``: value / |w|, the score; 0 for a point
    on the boundary, whatever is drawn for it. ``confidence``: sigmoid of the distance, of
    the positive class. ``side``: +1 or -1, drawn for points exactly on the boundary, which
    ``on_boundary`` counts and ``drawn_positive`` as far as +1 was drawn. Labels and tables at
    the boundary follow from the draw, and ranks do not: rows on it are a tie.
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
            f"{rows} of {len(self.value)} rows lie exactly on the boundary. They are a tie in "
            "every ranking; the class of each at the threshold 0 is drawn by the seed, "
            f"{drawn} positive and {rows - drawn} negative."
        )

    @property
    def drawn_negative(self) -> npt.NDArray[np.bool_] | None:
        """Which rows on the boundary are drawn to be negative; None where no row is on it."""
        return (self.value == 0.0) & (self.side < 0) if self.on_boundary else None


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
    """The sum b + w . x of each row, shape (n,).

    Sums that rounding could part, or set on the wrong side of 0, are exact in the decimal
    numbers as written, and rounded once: rows whose sums are equal on paper are a tie.

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
        # each number as written, each product and each sum is rounded by half an ulp at most
        error = scale * (len(weights) + 2) * np.finfo(np.float64).eps
        near = _near_another(value, error) | ~(np.abs(value) > error)
    value[near] = _exact({c: columns[c][near] for c in weights}, bias, weights, value[near])
    return value


def _near_another(value: Floats, error: Floats) -> npt.NDArray[np.bool_]:
    """Which sums lie so near another one that it is not known which of the two is larger."""
    order = np.argsort(value, kind="stable")
    bound = error[order]
    together = np.diff(value[order]) <= bound[1:] + bound[:-1]
    near = np.zeros(len(value), np.bool_)
    near[order[1:]] |= together
    near[order[:-1]] |= together
    return near


def _exact(
    columns: Mapping[str, Floats], bias: float, weights: Mapping[str, float], otherwise: Floats
) -> list[float]:
    """Sums in the decimal numbers as written, rounded once: 0.1 * 3 - 0.3 is 0.

    All are whole numbers of the smallest power of ten. ``otherwise`` where one is too large.
    """
    parts = [(np.array([float(bias)]), np.zeros(len(otherwise), np.intp), Decimal(1))]
    for name, weight in weights.items():
        distinct, place = np.unique(columns[name], return_inverse=True)
        parts.append((distinct, place.reshape(-1), _written(weight)))
    products = [
        [EXACT.multiply(_written(one), weight) for one in part] for part, _, weight in parts
    ]
    digits = max(-int(one.as_tuple().exponent) for part in products for one in part)
    unit = 10 ** max(digits, 0)
    total = np.zeros(len(otherwise), object)
    for part, (_, place, _) in zip(products, parts, strict=True):
        total += np.array([int(EXACT.scaleb(one, max(digits, 0))) for one in part], object)[place]
    found = []
    for whole, rounded in zip(total.tolist(), otherwise.tolist(), strict=True):
        try:
            found.append(whole / unit)
        except OverflowError:  # then it is as infinite as it was
            found.append(rounded)
    return found


def _written(number: float) -> Decimal:
    return Decimal(repr(float(number)))


def _norm(weights: Sequence[float]) -> float:
    """The length of the weights; by scaled squares where their own leave the range of numbers."""
    if any(abs(w) > 1e150 for w in weights):
        return math.hypot(*weights)
    norm = math.sqrt(math.fsum(w * w for w in weights))
    return norm if norm > 1e-150 else math.hypot(*weights)
