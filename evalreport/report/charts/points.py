"""The points that charts are drawn from, and scales for scores of any size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
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


def stretches(flags: Sequence[bool]) -> list[tuple[int, int]]:
    """The first and the last place of each run of true ones.

    >>> stretches([True, True, False, True])
    [(0, 1), (3, 3)]
    """
    runs = ([k for k, _ in run] for true, run in groupby(enumerate(flags), itemgetter(1)) if true)
    return [(run[0], run[-1]) for run in runs]


def spread_over(total: int, most: int) -> list[int]:
    """At most so many places, evenly spread, first and last included.

    >>> spread_over(100, 5), spread_over(3, 5)
    ([0, 25, 50, 74, 99], [0, 1, 2])
    """
    if total <= most:
        return list(range(total))
    return sorted({round(k * (total - 1) / (most - 1)) for k in range(most)})


def spread(rows: Sequence[tuple[float, ...]], most: int) -> list[tuple[float, ...]]:
    """At most so many rows, evenly spread, the first and the last among them."""
    return [rows[k] for k in spread_over(len(rows), most)]


#: Numbers from here on are drawn in their power of ten: spans of them are no numbers.
FAR = 1e100
#: Numbers up to here are drawn as 0.
TINY = 1e-100


def reach(drawn: Sequence[float]) -> tuple[float, float]:
    """Between what ends a mark can stand without squeezing what is drawn to a line; none: nan.

    >>> reach([0.0, 1.0]), 5.0 <= reach([])[1]
    ((-20.0, 21.0), False)
    """
    low, high = min(drawn, default=math.nan), max(drawn, default=math.nan)
    room = 20 * max(high - low, abs(low), abs(high), 1e-300)
    return low - room, high + room


def with_span(low: float, high: float) -> tuple[float, float]:
    """The ends of an axis, moved apart where one is as good as the other.

    >>> with_span(0.0, 1.0), with_span(2.0, 2.0), with_span(0.0, 5e-324)
    ((0.0, 1.0), (1.9, 2.1), (-1.0, 1.0))
    """
    most = max(abs(low), abs(high))
    if high - low > 1e-9 * most and most > TINY:
        return low, high
    room = 0.05 * most if most > TINY else 1.0
    return low - room, high + room


def in_reach(values: Sequence[float]) -> tuple[float, str]:
    """What to divide the numbers of an axis by, and the words for that: 1 and none for most.

    >>> in_reach([0.2, 0.9]), in_reach([-1.7e308, 5.0])
    ((1.0, ''), (1e+308, ', in 1e308'))
    """
    most = max(map(abs, values), default=0.0)
    if most < FAR:
        return 1.0, ""
    power = math.floor(math.log10(most))
    return float(f"1e{power}"), f", in 1e{power}"
