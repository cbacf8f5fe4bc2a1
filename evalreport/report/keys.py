"""Words on a chart, put where they cover no curve: keys of names, names of thin lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalreport.report.drawing import COLOURS, DASHES, INK, dot_look, plain

#: Distance of the lines of a key, as a share of the axes.
LINE_HEIGHT = 0.085
#: Points of a stroke that a key should not cover.
ALONG = 100


def key(axes: Any, names: Sequence[tuple[str, int]], corner: str) -> None:
    """Names beside short strokes, marked by their place: in this corner or a freer one."""
    shown = [(plain(name), place) for name, place in names[:8]]
    x, top = freest(axes, [name for name, _ in shown], corner)
    for k, (name, place) in enumerate(shown):
        y = top - LINE_HEIGHT * k
        axes.plot(
            [x, x + 0.08],
            [y, y],
            transform=axes.transAxes,
            color=COLOURS[place % 6],
            linestyle=DASHES[place % 6],
            linewidth=1.5,
            clip_on=False,
        )
        axes.plot(
            [x + 0.04],
            [y],
            transform=axes.transAxes,
            **dot_look(place, 3.5),
            clip_on=False,
        )
        axes.text(
            x + 0.1,
            y,
            name,
            transform=axes.transAxes,
            va="center",
            color=INK,
            fontsize=8.5,
        )


def freest(
    axes: Any, words: Sequence[str], corner: str, line: float = LINE_HEIGHT
) -> tuple[float, float]:
    """Where a key of these words crosses fewest strokes: its left end and its first line.

    In shares of the axes, as is the height of a ``line``; of equally free places the first
    one is taken, ``corner`` before all.
    """
    wide = 0.1 + 0.024 * max(map(len, words), default=0)
    high = line * (len(words) - 1)
    left, right = 0.06, max(0.06, min(0.42, 0.97 - wide))
    upper, lower = 0.94, 0.06 + high
    places = {
        "upper right": (right, upper),
        "lower right": (right, lower),
        "upper left": (left, upper),
        "lower left": (left, lower),
        "far upper right": (max(left, 0.97 - wide), upper),
        "far lower right": (max(left, 0.97 - wide), lower),
        "middle right": (max(left, 0.97 - wide), 0.5 + high / 2),
        "middle left": (left, 0.5 + high / 2),
    }
    strokes = _strokes(axes)

    def crossed(place: tuple[float, float]) -> int:
        x, top = place
        return sum(
            x - 0.02 <= a <= x + wide and top - high - 0.06 <= b <= top + 0.06 for a, b in strokes
        )

    order = [places.pop(corner), *places.values()]
    return min(order, key=crossed)


def _strokes(axes: Any) -> list[tuple[float, float]]:
    """Points along every line drawn so far, in shares of the axes."""
    import numpy as np

    # places on the axes are known when the limits are: asking for them settles them
    axes.get_xlim()
    axes.get_ylim()
    found: list[tuple[float, float]] = []
    for line in axes.lines:
        path = line.get_transform().transform(np.asarray(line.get_xydata(), dtype=float))
        path = axes.transAxes.inverted().transform(path)
        path = path[np.isfinite(path).all(axis=1)]
        if not len(path):
            continue
        at = np.linspace(0, len(path) - 1, max(ALONG, len(path)))
        along = (np.interp(at, np.arange(len(path)), path[:, k]) for k in (0, 1))
        found += zip(*(column.tolist() for column in along), strict=True)
    return found


def clearest(
    rows: Sequence[tuple[float, ...]],
    others: Sequence[Sequence[tuple[float, ...]]],
    taken: Sequence[float] = (),
) -> int:
    """The place on a thin line, in its first two thirds, that is farthest from the curves.

    ``taken``: where words about other lines begin; none begins within a third of the axis.
    """
    import numpy as np

    xs = np.array([r[0] for r in rows], dtype=float)
    ys = np.array([r[1] for r in rows], dtype=float)
    values = [v for rows_of in others for _, v in rows_of]
    if not values:
        return len(rows) // 6
    apart = np.full(len(rows), np.inf)
    for curve in others:
        if curve:
            own = np.interp(xs, [r[0] for r in curve], [r[1] for r in curve])
            apart = np.minimum(apart, np.abs(own - ys))
    # words beside a place outside the axes would not be seen
    low, high = min(0.0, *values), max(values)
    apart[(ys < low) | (ys > high) | (np.arange(len(rows)) > 2 * len(rows) // 3)] = -1.0
    for x in taken:
        apart[np.abs(xs - x) < (xs.max() - xs.min()) / 3] = -1.0
    return int(np.argmax(apart))
