"""Curves with fewer points that look the same: what is left out is finer than what is read."""

from __future__ import annotations

from collections.abc import Sequence

Rows = Sequence[tuple[float, ...]]
#: Half a printed digit: how far a drawn curve may lie from the full one, as a share of its span.
TOLERANCE = 0.0005


def simplified(rows: Rows, steps: bool = False, tolerance: float = TOLERANCE) -> list[int]:
    """The places of points (x, y) that are enough to draw a curve; its ends are kept.

    ``steps``: between two points the height of the later one holds, as in a line of
    steps; else points are joined by straight lines. ``tolerance`` is a share of the span
    of the curve in either direction.

    >>> simplified([(0, 0), (1, 1), (2, 2), (3, 0)])
    [0, 2, 3]
    >>> simplified([(0.0, 1.0), (0.5, 0.4), (0.6, 0.4), (1.0, 0.4)], steps=True)
    [0, 3]
    """
    if len(rows) < 3:
        return list(range(len(rows)))
    xs, ys = ([float(row[k]) for row in rows] for k in (0, 1))
    wide, high = (max(v) - min(v) or 1.0 for v in (xs, ys))
    points = [(x / wide, y / high) for x, y in zip(xs, ys, strict=True)]
    return _of_steps(points, tolerance) if steps else _of_lines(points, tolerance)


def _of_steps(points: Rows, tolerance: float) -> list[int]:
    """The last point of each level: its height holds from the point before it."""
    kept = [len(points) - 1]
    for k in range(len(points) - 2, 0, -1):
        level = points[kept[-1]][1]
        if abs(points[k][1] - level) > tolerance:
            kept.append(k)
    kept.append(0)
    return kept[::-1]


def _of_lines(points: Rows, tolerance: float) -> list[int]:
    """Points that the line through the others misses by more than the tolerance."""
    import numpy as np

    xy = np.asarray(points, dtype=float)
    kept = {0, len(points) - 1}
    parts = [(0, len(points) - 1)]
    while parts:
        first, last = parts.pop()
        if last - first < 2:
            continue
        way = xy[last] - xy[first]
        length = float(np.hypot(*way))
        inner = xy[first + 1 : last] - xy[first]
        if length:
            along = np.clip(inner @ way / length**2, 0, 1)
            apart = np.hypot(*(inner - along[:, None] * way).T)
        else:
            apart = np.hypot(*inner.T)
        at = int(np.argmax(apart))
        if apart[at] > tolerance:
            middle = first + 1 + at
            kept.add(middle)
            parts += [(first, middle), (middle, last)]
    return sorted(kept)
