"""Calibration (as `val.prob.ci.2` of CalibrationCurves): observed shares over scores.

Below zero stands how many rows have such scores.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalreport.report.charts.labels import heading
from evalreport.report.charts.lines import band, sticks
from evalreport.report.charts.points import FEWEST, Curve, Points, columns, spaced, split
from evalreport.report.charts.style import LINE, NEGATIVES, colour, mark, shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Least width between two points of the smoothed curve, in points.
SMOOTH = 5.0
#: Where the distribution of scores stands, and how high its tallest stick is.
BASE, TALL = -0.085, 0.07


@dataclass(frozen=True)
class Calibration:
    """Bins of one model or class, the smoothed curve, and the distribution of its scores."""

    bins: Curve
    smooth: Points = field(default_factory=dict)
    scores: Points = field(default_factory=dict)

    @property
    def dots(self) -> list[tuple[float, ...]]:
        """Mean score, observed share, its limits and rows of each bin with enough rows."""
        x = "mean_score" if "mean_score" in self.bins.points else "low"
        names = (x, "observed", "observed_low", "observed_high", "n")
        return [row for row in columns(self.bins.points, *names) if row[4] >= FEWEST]


def calibration(axes: Axes, shown: Calibration) -> None:
    """Dots are bins with intervals, their size by rows; the line is smoothed, with its band."""
    shares(axes, low=-0.17)
    axes.set_xlim(-0.02, 1.02)
    color, place = colour(shown.bins.place), shown.bins.place
    axes.plot([0, 1], [0, 1], color=LINE, linewidth=0.6, clip_on=False)
    step = SMOOTH / axes.get_window_extent().width
    limits = columns(shown.smooth, "score", "observed_low", "observed_high")
    band(axes, spaced(limits, step), color)
    smooth = spaced(columns(shown.smooth, "score", "observed"), step)
    axes.plot(*split(smooth), color=color, linewidth=0.9, clip_on=False)
    dots = shown.dots
    sticks(axes, [(x, low, high) for x, _, low, high, _ in dots], color=color, clip_on=False)
    largest = max((row[4] for row in dots), default=1.0)
    by_size: dict[float, list[tuple[float, ...]]] = {}
    for row in dots:
        by_size.setdefault(2.6 + 0.9 * round(4 * (row[4] / largest) ** 0.5), []).append(row)
    for size, same in by_size.items():
        axes.plot(*split(same), **mark(place, size, hollow=True), clip_on=False)
    _distribution(axes, shown.scores, color)
    heading(axes, shown.bins, 28)


def _distribution(axes: Axes, scores: Points, color: str) -> None:
    """Sticks up for rows of the positive class and down for the others, on one scale."""
    up, down = (next((n for n in (f"{k}s", k) if n in scores), k) for k in ("positive", "negative"))
    rows = columns(scores, "low", "high", up, down)
    if any(row[0] < -0.01 or row[1] > 1.01 for row in rows):
        return  # margins, which were made probabilities for the curve alone
    most = max((max(row[2:]) for row in rows), default=0) or 1
    axes.axhline(BASE, color=LINE, linewidth=0.4, clip_on=False)
    for side, way, tone in ((2, 1, color), (3, -1, NEGATIVES)):
        told = [
            ((r[0] + r[1]) / 2, BASE, BASE + way * TALL * r[side] / most)
            for r in rows
            if r[side] > most / 50
        ]
        sticks(axes, told, color=tone, linewidth=1.6, clip_on=False)
