"""Linear models written out in the spec: signed distance, side, confidence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from evalreport.errors import DataError, Problem

Floats = npt.NDArray[np.float64]

#: Rows whose sum is this small beside its terms are worked out again without rounding.
NEAR = 1e-9


@dataclass(frozen=True, eq=False)
class LinearOutput:
    """What sign(b + w . x) says of n rows, each of shape (n,).

    ``value``: b + w . x. ``distance``: value / |w|. ``side``: +1 or -1.
    ``confidence``: sigmoid of the distance, of the positive class. ``score``: the
    distance as it is compared with threshold 0; a point on the boundary that was
    drawn -1 stands the least possible number below 0. ``on_boundary`` counts
    points exactly on the boundary, ``drawn_positive`` those drawn +1.
    """

    value: Floats
    distance: Floats
    side: npt.NDArray[np.int8]
    confidence: Floats
    score: Floats
    on_boundary: int
    drawn_positive: int

    @property
    def note(self) -> str | None:
        """What to tell of points on the boundary; None where there are none."""
        if not self.on_boundary:
            return None
        return (
            f"{self.on_boundary} of {len(self.value)} rows lie exactly on the boundary; "
            f"their class was drawn: {self.drawn_positive} positive, "
            f"{self.on_boundary - self.drawn_positive} negative."
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
    norm = math.sqrt(math.fsum(w * w for w in weights.values()))
    if norm == 0.0:
        raise DataError(
            Problem("all weights are 0, so there is no boundary", "give a weight other than 0")
        )
    value = linear_value(columns, bias, weights)
    boundary = np.flatnonzero(value == 0.0)
    drawn = np.random.default_rng(seed).integers(0, 2, len(boundary)).astype(bool)
    side = np.where(value > 0, 1, -1).astype(np.int8)
    side[boundary] = np.where(drawn, 1, -1)
    distance = value / norm
    score = distance.copy()
    score[boundary[~drawn]] = -np.nextafter(0.0, 1.0)
    return LinearOutput(
        value=value,
        distance=distance,
        side=side,
        confidence=sigmoid(distance),
        score=score,
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
    for name, weight in weights.items():
        term = weight * columns[name]
        value = value + term
        scale = scale + np.abs(term)
    for row in np.flatnonzero(np.abs(value) <= NEAR * scale).tolist():
        # 0.1 * 3 - 0.3 is 0 for whoever wrote it, though not in binary numbers.
        exact = Fraction(repr(float(bias))) + sum(
            Fraction(repr(float(w))) * Fraction(repr(float(columns[name][row])))
            for name, w in weights.items()
        )
        value[row] = float(exact)
    return value


def sigmoid(distance: Floats) -> Floats:
    """1 / (1 + exp(-d)), without overflow.

    >>> sigmoid(np.array([0.0, -1000.0])).tolist()
    [0.5, 0.0]
    """
    small = np.exp(-np.abs(distance))
    return np.asarray(np.where(distance >= 0, 1.0 / (1.0 + small), small / (1.0 + small)))
