"""Rows of one class by the scores of two models, with the counts of the four quadrants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalreport.report.charts.points import in_reach, reach, with_span
from evalreport.report.charts.style import INK, MARKED, SMALL, SOFT, shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Diameters of dots in points: of one row where no cell has many, of a dot that can be seen, of
#: the largest, and the step between two sizes. LENGTH of the stroke whose round ends are a dot.
ONE_ROW, LEAST, MOST, STEP, LENGTH = 2.6, 1.8, 8.0, 0.4, 0.12


@dataclass(frozen=True)
class Quadrants:
    """One panel: ``cells`` are (x, y, rows), ``at`` the thresholds, ``names`` the models.

    ``corners``: words above at the left and at the right, then below, each with whether it is
    highlighted. ``ends``: scores that both panels of a chart span; ``most``: their largest cell.
    """

    heading: str
    names: tuple[str, str]
    corners: tuple[tuple[str, bool], ...]
    cells: Sequence[tuple[float, float, int]]
    at: tuple[float, float]
    ends: tuple[Sequence[float], Sequence[float]]
    most: int
    color: str


def paired_scores(axes: Axes, shown: Quadrants) -> None:
    """Dots whose area grows with the rows, dashed lines at both thresholds, counts around."""
    units = _scales(axes, shown)
    scaled = [(x / units[0], y / units[1], rows) for x, y, rows in shown.cells]
    _dots(axes, scaled, shown.most, shown.color)
    lines = (axes.axvline, axes.axhline)
    for line, at, unit, own in zip(lines, shown.at, units, shown.ends, strict=True):
        low, high = reach(own)
        if low <= at <= high:
            line(at / unit, color=INK, linewidth=0.8, linestyle=(0, (3, 2)))
    for k, (words, strong) in enumerate(shown.corners):
        right, below = k % 2, k // 2
        axes.annotate(
            words, (right, 1 - below), (0, -16 if below else 5), xycoords="axes fraction",
            textcoords="offset points", ha="right" if right else "left",
            va="top" if below else "bottom", fontsize=SMALL, fontweight=600 if strong else 400,
            bbox={"facecolor": MARKED, "edgecolor": "none", "pad": 1.5} if strong else None,
        )  # fmt: skip
    axes.set_title(shown.heading, loc="right", color=INK, fontweight=600, pad=19)


def _scales(axes: Axes, shown: Quadrants) -> list[float]:
    """Square axes of both scores; gives what the numbers of each are divided by."""
    inside = [0.0 <= score <= 1.0 for own in shown.ends for score in own]
    units, powers = [1.0, 1.0], ["", ""]
    if all(inside):
        shares(axes, low=-0.02)
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    else:
        axes.set_box_aspect(1)
        axes.locator_params(nbins=5)
        limits: tuple[Any, ...] = (axes.set_xlim, axes.set_ylim)
        for k, limit in enumerate(limits):
            units[k], powers[k] = in_reach(shown.ends[k])
            least, most = reach(shown.ends[k])
            kept = [s for s in (*shown.ends[k], shown.at[k]) if least <= s <= most]
            low, high = with_span(min(kept) / units[k], max(kept) / units[k])
            limit(low - 0.02 * (high - low), high + 0.02 * (high - low))
    x, y = (f"score of {name}{power}" for name, power in zip(shown.names, powers, strict=True))
    axes.set_xlabel(x, loc="right", color=SOFT, fontsize=SMALL, labelpad=13)
    axes.set_title(y, loc="left", fontsize=SMALL, pad=19)
    return units


def _dots(axes: Axes, cells: Sequence[tuple[float, float, int]], most: int, color: str) -> None:
    """Round ends of a short stroke for each cell, those of one size in one path."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    scale = min(ONE_ROW, MOST / most**0.5)
    by_size: dict[int, list[tuple[float, float]]] = {}
    for x, y, rows in cells:
        size = max(LEAST, scale * rows**0.5)
        by_size.setdefault(round(size / STEP), []).append((x, y))
    low, high = axes.get_xlim()
    length = LENGTH * (high - low) / axes.get_window_extent().width
    for size, places in by_size.items():
        points = [(x + step, y) for x, y in places for step in (0.0, length)]
        codes = [Path.MOVETO, Path.LINETO] * len(places)
        axes.add_patch(
            PathPatch(
                Path(points, codes),
                facecolor=color,
                edgecolor=color,
                linewidth=size * STEP,
                capstyle="round",
                snap=False,
                clip_on=False,
            )
        )
