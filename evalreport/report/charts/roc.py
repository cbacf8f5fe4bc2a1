"""ROC curves (as those of pROC and scikit-learn): square, with the point of the threshold used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalreport.report.charts.labels import heading, label
from evalreport.report.charts.lines import band, behind, rings
from evalreport.report.charts.points import Curve, columns, split
from evalreport.report.charts.style import LINE, SOFT, colour, mark, name_axes, shares, stroke

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
    rings(axes, at)
    if at and said_at:
        axes.plot([], [], **mark(0, 6, hollow=True) | {"color": SOFT}, label=said_at)


def zoomed_roc(
    axes: Axes, curves: Sequence[Curve], at: Sequence[tuple[int, float, float]] = ()
) -> None:
    """The left fifth of the same curves, five times as wide."""
    shares(axes)
    axes.set(xlim=(-0.002, ZOOMED), xticks=[0, 0.05, 0.1, 0.15, 0.2])
    axes.set_xticklabels(["0", "0.05", "0.1", "0.15", "0.2"])
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
