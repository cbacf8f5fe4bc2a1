"""ROC curves (as those of pROC and scikit-learn), and precision over recall (as scikit-learn's).

Both are square, with the point of the threshold used.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from evalreport.numbers import value_text
from evalreport.report.charts.labels import heading, label
from evalreport.report.charts.lines import Rows, band, behind, level, rings
from evalreport.report.charts.points import FEWEST, Curve, columns, spaced, split
from evalreport.report.charts.style import LINE, colour, name_axes, shares, stroke

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The false positive rate up to which a zoomed panel reaches.
ZOOMED = 0.2


def roc(
    axes: Axes,
    curves: Sequence[Curve],
    at: Sequence[tuple[int, float, float]] = (),
    recall: str = "recall",
    said_at: str = "",
) -> None:
    """Recall over the false positive rate; one curve has its band.

    ``at`` are rings (place, false positive rate, recall) at the threshold that ``said_at`` names.
    """
    shares(axes)
    name_axes(axes, "false positive rate", recall)
    for curve in curves:
        if len(curves) == 1:
            band(axes, columns(curve.points, "fpr", "tpr_low", "tpr_high"), colour(curve.place))
        rows = columns(curve.points, "fpr", "tpr")
        axes.plot(*split(rows), **stroke(curve.place), label=label(curve, len(curves)))
    _chance(axes)
    rings(axes, at, said_at)


def zoomed_roc(
    axes: Axes, curves: Sequence[Curve], at: Sequence[tuple[int, float, float]] = ()
) -> None:
    """The left fifth of the same curves, five times as wide."""
    shares(axes)
    axes.set(xlim=(-0.002, ZOOMED), xticks=[0, 0.05, 0.1, 0.15, 0.2])
    name_axes(axes, "false positive rate", "enlarged")
    _chance(axes)
    for curve in curves:
        axes.plot(*split(columns(curve.points, "fpr", "tpr")), **stroke(curve.place))
    rings(axes, [one for one in at if one[1] <= ZOOMED])


def one_roc(axes: Axes, curve: Curve, every: Sequence[Curve]) -> None:
    """One curve of several, all in grey behind it."""
    shares(axes)
    heading(axes, curve)
    _chance(axes)
    behind(axes, [columns(other.points, "fpr", "tpr") for other in every])
    rows = columns(curve.points, "fpr", "tpr")
    axes.plot(*split(rows), color=colour(curve.place), clip_on=False)


def _chance(axes: Axes) -> None:
    axes.plot([0, 1], [0, 1], color=LINE, linewidth=0.6, zorder=1, label="guessing")


def precision_recall(
    axes: Axes,
    curves: Sequence[Curve],
    prevalence: float | None = None,
    at: Sequence[tuple[int, float, float]] = (),
    words: tuple[str, str] = ("recall", "precision"),
    said_at: str = "",
) -> None:
    """What precision is reached at each recall; one curve has its band.

    ``at`` are rings (place, recall, precision) at the threshold that ``said_at`` names;
    ``prevalence`` is what guessing gives.
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
    rings(axes, at, said_at)


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
