"""Paths of SVG: a tenth of a point is finer than print, and steps take fewer characters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

Point = tuple[float, float]
#: Points beyond the axes at which a line ends: what is further would show nothing.
BEYOND = 200.0


def number(value: float) -> str:
    """A length with one decimal, and none that says nothing.

    >>> number(2.0), number(0.46), number(-0.04), number(-3.25)
    ('2', '.5', '0', '-3.2')
    """
    return tenths(round(10 * value))


def tenths(count: int) -> str:
    """A number of tenths, without a zero that says nothing.

    >>> tenths(5), tenths(-5), tenths(20), tenths(-13)
    ('.5', '-.5', '2', '-1.3')
    """
    whole, rest = divmod(abs(count), 10)
    sign = "-" if count < 0 else ""
    return f"{sign}{whole or ''}.{rest}" if rest else f"{sign}{whole}"


def open_path(points: Sequence[Point]) -> str:
    """A path through points, as steps in whole tenths, which add up exactly.

    Points on the level or upright line of their neighbours, and those that fall on one, are
    left out.

    >>> open_path([(0, 1), (0.5, 1), (0.9, 1), (0.9, 2), (0.9, 2.01), (0.9, 3)])
    'M0 1h.9v2'
    >>> open_path([(1, 2.5), (1.5, 2.5), (1, 0)])
    'M1 2.5h.5l-.5-2.5'
    """
    kept: list[tuple[int, int]] = []
    for x, y in points:
        at = (round(10 * x), round(10 * y))
        if kept and at == kept[-1]:
            continue
        while len(kept) > 1 and _on_the_way(kept[-2], kept[-1], at):
            kept.pop()
        kept.append(at)
    if len(kept) < 2:
        return ""
    steps = [_step(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(kept)]
    return f"M{tenths(kept[0][0])} {tenths(kept[0][1])}{''.join(steps)}"


def _on_the_way(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> bool:
    """Whether b lies between a and c, on one level or upright line."""
    return any(
        a[k] == b[k] == c[k] and (b[1 - k] - a[1 - k]) * (c[1 - k] - b[1 - k]) >= 0 for k in (0, 1)
    )


def closed_path(points: Sequence[Point]) -> str:
    """The outline of an area."""
    found = open_path(points)
    return f"{found}z" if found else ""


def _step(across: int, down: int) -> str:
    if not down:
        return f"h{tenths(across)}"
    if not across:
        return f"v{tenths(down)}"
    second = tenths(down)
    return f"l{tenths(across)}{'' if second[0] == '-' else ' '}{second}"


def parts_of(points: Sequence[Point]) -> list[list[Point]]:
    """Unbroken parts of a line, which is broken where a point is no number.

    >>> parts_of([(0, 1), (1, 1), (float("nan"), 1), (2, 0)])
    [[(0, 1), (1, 1)], [(2, 0)]]
    """
    parts: list[list[Point]] = [[]]
    for x, y in points:
        if math.isfinite(x) and math.isfinite(y):
            parts[-1].append((x, y))
        elif parts[-1]:
            parts.append([])
    return [part for part in parts if part]


def clipped(points: Sequence[Point], box: tuple[float, float, float, float]) -> list[list[Point]]:
    """The parts of a line near a box (left, top, width, height), cut where it goes far beyond.

    Readers of SVG take coordinates of some thousands well, and not of any size.

    >>> clipped([(0, 0), (0, 1e9)], (0, 0, 10, 10))
    [[(0.0, 0.0), (0.0, 210.0)]]
    """
    low = (box[0] - BEYOND, box[1] - BEYOND)
    high = (box[0] + box[2] + BEYOND, box[1] + box[3] + BEYOND)
    found: list[list[Point]] = []
    for part in parts_of(points):
        if all(low[0] <= x <= high[0] and low[1] <= y <= high[1] for x, y in part):
            found.append(part)
            continue
        for a, b in pairwise(part):
            cut = _within(a, b, low, high)
            if cut is None:
                continue
            if found and found[-1][-1] == cut[0]:
                found[-1].append(cut[1])
            else:
                found.append([*cut])
    return found


def _within(a: Point, b: Point, low: Point, high: Point) -> tuple[Point, Point] | None:
    """The part of a stroke inside a box (Liang and Barsky 1984); None where there is none."""
    start, end = 0.0, 1.0
    for k in (0, 1):
        way = b[k] - a[k]
        for distance, sign in ((a[k] - low[k], -1.0), (high[k] - a[k], 1.0)):
            if not way:
                if distance < 0:
                    return None
                continue
            at = distance / (sign * way)
            if sign * way < 0:
                start = max(start, at)
            else:
                end = min(end, at)
    if start > end:
        return None
    way_x, way_y = b[0] - a[0], b[1] - a[1]
    return (
        (a[0] + start * way_x, a[1] + start * way_y),
        (a[0] + end * way_x, a[1] + end * way_y),
    )


def mark(shape: str, x: float, y: float, size: float) -> str:
    """The outline of a mark around a place: o round, D a diamond, s a square, ^ and v pointed.

    >>> mark("s", 5, 5, 4), mark("o", 5, 5, 4)
    ('M3 3h4v4h-4z', 'M3 5a2 2 0 1 0 4 0a2 2 0 1 0-4 0z')
    """
    half = size / 2
    if shape == "o":
        r, wide = number(half), number(2 * half)
        arc = f"a{r} {r} 0 1 0"
        return f"M{number(x - half)} {number(y)}{arc} {wide} 0{arc}-{wide} 0z"
    far = half * math.sqrt(2)
    corners = {
        "D": [(0.0, -far), (far, 0.0), (0.0, far), (-far, 0.0)],
        "s": [(-half, -half), (half, -half), (half, half), (-half, half)],
        "^": [(0.0, -half), (half, half), (-half, half)],
        "v": [(0.0, half), (half, -half), (-half, -half)],
    }[shape]
    return closed_path([(x + a, y + b) for a, b in corners])
