"""Parts that several charts are made of: bands, lines behind, sticks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evalreport.report.charts.points import spread
from evalreport.report.charts.style import OTHERS, SOFT, mark

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Rows = Sequence[tuple[float, ...]]
#: Points of the edge of a band: its limits change slowly.
EDGE = 120


def band(axes: Axes, rows: Rows, color: str, *, steps: bool = False) -> None:
    """A light area between limits; rows are (x, low, high). ``steps``: as `level` draws them."""
    kept = spread(rows, EDGE)
    if len(kept) > 1:
        x, low, high = ([row[k] for row in kept] for k in range(3))
        step: Any = "pre" if steps else None
        axes.fill_between(x, low, high, step=step, color=color, alpha=0.18, linewidth=0)


def level(rows: Rows) -> list[tuple[float, ...]]:
    """Rows from their lowest x with a first one at 0, of the height that is reached first.

    >>> level([(0.5, 1.0), (1.0, 0.8)])
    [(0.0, 1.0), (0.5, 1.0), (1.0, 0.8)]
    """
    found = list(rows)
    return [(0.0, *found[0][1:]), *found] if found and found[0][0] > 0 else found


def behind(axes: Axes, curves: Sequence[Rows]) -> None:
    """All curves of a chart in grey; what is finer than a point is left out.

    They are drawn as a mark at the origin, which panels of one size share.
    """
    import numpy as np
    from matplotlib.path import Path

    whole = Path.make_compound_path(*[Path([row[:2] for row in rows]) for rows in curves if rows])
    to_points = axes.transData.transform
    shape = Path(np.round(to_points(whole.vertices) - to_points((0, 0)), 3), whole.codes)
    shape.should_simplify, shape.simplify_threshold = True, 1.5
    shape = shape.cleaned(simplify=True)
    size = 2 * np.abs(shape.vertices).max() * 72 / axes.figure.dpi
    axes.plot(
        [0], [0], linestyle="none", marker=shape, markersize=size, markerfacecolor="none",
        markeredgecolor=OTHERS, markeredgewidth=0.7, zorder=1,
    )  # fmt: skip


def sticks(axes: Axes, rows: Rows, **style: Any) -> None:
    """Upright lines as one path; rows are (x, low, high)."""
    gap = float("nan")
    x = [v for at, *_ in rows for v in (at, at, gap)]
    y = [v for _, low, high in rows for v in (low, high, gap)]
    looks: dict[str, Any] = {"solid_capstyle": "butt", "linewidth": 0.9, "linestyle": "-"}
    axes.plot(x, y, **(looks | style))


def bars(axes: Axes, rows: Rows, base: float = 0.0, **style: Any) -> None:
    """Bars of (left end, right end, height) from a base, as one shape; neighbours share a side."""
    points: list[tuple[float, float]] = []
    last: float | None = None
    for left, right, height in rows:
        if left != last:
            points += [] if last is None else [(last, base)]
            points.append((left, base))
        points += [(left, height), (right, height)]
        last = right
    points += [] if last is None else [(last, base)]
    axes.fill([x for x, _ in points], [y for _, y in points], linewidth=0, **style)


def rings(axes: Axes, at: Sequence[tuple[int, float, float]], said: str = "") -> None:
    """The sign of each model (place, x, y), hollow, where its threshold lies on its curve.

    ``said`` names the threshold among the lines.
    """
    for place, x, y in at:
        axes.plot([x], [y], **mark(place, 6, hollow=True), clip_on=False, zorder=3)
    if at and said:
        axes.plot([], [], **mark(0, 6, hollow=True) | {"color": SOFT}, label=said)
