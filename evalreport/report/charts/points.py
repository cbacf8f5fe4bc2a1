"""The points that charts are drawn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Points = Mapping[str, Sequence[Any]]
#: Rows that a share is of from which on it and its limits are drawn and judged.
FEWEST = 10


@dataclass(frozen=True)
class Curve:
    """A named curve and its place among the models (for colour, dash and mark).

    ``said`` is the number that stands below its name, as ``AUC 0.965 (0.948 to 0.976)``.
    """

    name: str
    place: int
    points: Points
    said: tuple[str, ...] = ()


def columns(points: Points, *names: str) -> list[tuple[float, ...]]:
    """Rows of the named columns where all of them are known."""
    if any(name not in points for name in names):
        return []
    rows = zip(*(points[name] for name in names), strict=True)
    return [row for row in rows if all(x is not None for x in row)]


def split(rows: Sequence[tuple[float, ...]]) -> tuple[list[float], ...]:
    """Rows as columns of their first two numbers, empty ones where there is no row."""
    return tuple([float(row[k]) for row in rows] for k in range(2))


def spaced(rows: Sequence[tuple[float, ...]], step: float) -> list[tuple[float, ...]]:
    """Rows from left to right, each at least a step from the one before; the ends are kept.

    >>> spaced([(0.0,), (0.1,), (0.2,), (0.6,), (1.0,)], 0.5)
    [(0.0,), (0.6,), (1.0,)]
    """
    kept = list(rows[:1])
    for row in rows[1:-1]:
        if row[0] >= kept[-1][0] + step:
            kept.append(row)
    return [*kept, *rows[-1:]] if len(rows) > 1 else kept


def spread(rows: Sequence[tuple[float, ...]], most: int) -> list[tuple[float, ...]]:
    """At most so many rows, evenly spread, the first and the last among them."""
    if len(rows) <= most:
        return list(rows)
    return [rows[round(k * (len(rows) - 1) / (most - 1))] for k in range(most)]
