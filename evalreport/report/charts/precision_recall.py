"""Precision over recall (as scikit-learn draws it): steps from a recall of 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from evalreport.report.charts.labels import heading, label
from evalreport.report.charts.lines import Rows, band, behind, level, rings
from evalreport.report.charts.points import FEWEST, Curve, columns, spaced, split
from evalreport.report.charts.style import LINE, colour, name_axes, shares, stroke
from evalreport.report.numbers import value_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def precision_recall(
    axes: Axes,
    curves: Sequence[Curve],
    prevalence: float | None = None,
    at: Sequence[tuple[int, float, float]] = (),
    words: tuple[str, str] = ("recall", "precision"),
) -> None:
    """What precision is reached at each recall; one curve has its band.

    ``at`` are rings (place, recall, precision) at the threshold used; ``prevalence`` is what
    guessing gives.
    """
    shares(axes)
    name_axes(axes, *words)
    for curve in curves:
        if len(curves) == 1:
            rows = columns(curve.points, "recall", "precision_low", "precision_high", "tp", "fp")
            kept = [row[:3] for row in rows if row[3] + row[4] >= FEWEST]
            band(axes, kept, colour(curve.place), steps=True)
        axes.plot(
            *split(_steps(curve)),
            **stroke(curve.place),
            drawstyle="steps-pre",
            label=label(curve, len(curves)),
        )
    if prevalence is not None:
        said = f"guessing\n{value_text(prevalence)}"
        axes.axhline(prevalence, color=LINE, linewidth=0.6, zorder=1, label=said)
    rings(axes, at)


def one_precision_recall(
    axes: Axes, curve: Curve, every: Sequence[Curve], prevalence: float | None = None
) -> None:
    """One curve of several, all in grey behind it, with the line of guessing."""
    shares(axes)
    heading(axes, curve)
    if prevalence is not None:
        axes.axhline(prevalence, color=LINE, linewidth=0.6, zorder=1)
    behind(axes, [_corners(_steps(other)) for other in every])
    rows = spaced(_steps(curve), 1 / axes.get_window_extent().width)
    axes.plot(*split(rows), color=colour(curve.place), drawstyle="steps-pre", clip_on=False)


def _steps(curve: Curve) -> Rows:
    x = "recall" if "recall" in curve.points else "tpr"
    return level(columns(curve.points, x, "precision"))


def _corners(rows: Rows) -> Rows:
    """The points that steps pass through: the height of a point holds from the one before it."""
    between = [p for a, b in pairwise(rows) for p in ((a[0], b[1]), b)]
    return [*rows[:1], *between]
