"""Decision curves (Vickers and Elkin 2006, as dcurves draws them): net benefit by threshold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalreport.report.charts.labels import End, folded, heading, label_ends
from evalreport.report.charts.lines import behind
from evalreport.report.charts.points import Curve, columns, split, stretches
from evalreport.report.charts.style import LINE, SMALL, SOFT, colour, stroke

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Thresholds where a false positive costs 1/9, 1/4 ... of what a true positive is worth.
ODDS = {0.1: "1:9", 0.2: "1:4", 1 / 3: "1:2", 0.5: "1:1", 2 / 3: "2:1", 0.8: "4:1", 0.9: "9:1"}
BETTER = "#f3f5f7"


def decision(axes: Axes, curves: Sequence[Curve]) -> None:
    """Net benefit of each model, of treating all and of treating none, as far as it matters.

    The shaded range is where a model beats both.
    """
    t, all_of = split(columns(curves[0].points, "threshold", "treat_all"))
    prevalence = all_of[0] * (1 - t[0]) + t[0] if t else 1.0
    right = useful(curves)
    axes.set_xlabel("threshold", loc="right")
    # above the axis of costs, which has the height of two lines
    axes.set_title("net benefit", loc="left", y=1.0, pad=18)
    axes.set(xlim=(0, right), ylim=(-0.1 * prevalence, 1.04 * prevalence))
    for start, end in better(curves):
        axes.axvspan(start, min(end, right), color=BETTER, linewidth=0, zorder=0)
    axes.axhline(0, color=LINE, linewidth=0.8)
    shown = [row for row in zip(t, all_of, strict=True) if row[1] >= -0.1 * prevalence]
    axes.plot(*split(shown), color=SOFT, linewidth=0.8)
    ends = [End(0.0, "treat none", SOFT)]
    for curve in curves:
        rows = [row for row in columns(curve.points, "threshold", "net_benefit") if row[0] <= right]
        axes.plot(*split(rows), **stroke(curve.place))
        last = max(rows[-1][1], -0.1 * prevalence) if rows else 0.0
        ends.append(End(last, folded(curve.name, 14), colour(curve.place)))
    label_ends(axes, ends)
    if shown and shown[-1][0] < right:
        # models lie above none or right of all: the corner left of its end is free
        end, room = shown[-1][0], 0.3 * right
        axes.annotate(
            "treat all", (end, -0.1 * prevalence), (-8 if end > room else 3, 1), fontsize=7,
            textcoords="offset points", ha="right" if end > room else "left", color=SOFT,
        )  # fmt: skip
    _cost_axis(axes, right)


def one_decision(axes: Axes, curve: Curve, every: Sequence[Curve]) -> None:
    """One curve of several, all in grey behind it, on the scale of all."""
    t, all_of = split(columns(curve.points, "threshold", "treat_all"))
    together = [columns(c.points, "threshold", "net_benefit") for c in every]
    top = max((benefit for rows in together for _, benefit in rows), default=1.0)
    right = useful(every)
    heading(axes, curve)
    axes.set_xticks((0, 0.5, 1) if right > 0.6 else (0, 0.25, 0.5))
    axes.set(xlim=(0, right), ylim=(-0.1 * top, 1.04 * top), box_aspect=1)
    axes.locator_params(axis="y", nbins=4)
    axes.axhline(0, color=LINE, linewidth=0.8)
    shown = [row for row in zip(t, all_of, strict=True) if row[1] >= -0.2 * top]
    axes.plot(*split(shown), color=SOFT, linewidth=0.8)
    behind(axes, together)
    own = columns(curve.points, "threshold", "net_benefit")
    axes.plot(*split(own), color=colour(curve.place))


def useful(curves: Sequence[Curve]) -> float:
    """The threshold up to which some model is worth more than treating none, with some room.

    What is too low to be seen beside the highest point counts as nothing.
    """
    points = [row for c in curves for row in columns(c.points, "threshold", "net_benefit")]
    seen = max((b for _, b in points), default=0.0) / 50
    return min(1.0, max((t for t, b in points if b > max(seen, 1e-9)), default=0.9) + 0.05)


def better(curves: Sequence[Curve]) -> list[tuple[float, float]]:
    """The stretches of thresholds where some model beats treating all and treating none."""
    best: dict[float, list[float]] = {}
    for curve in curves:
        for t, own, everyone in columns(curve.points, "threshold", "net_benefit", "treat_all"):
            best.setdefault(t, []).append(own - max(everyone, 0.0))
    at = sorted(best)
    runs = stretches([max(best[t]) > 1e-9 for t in at])
    return [(at[first], at[last]) for first, last in runs]


def _cost_axis(axes: Axes, right: float) -> None:
    above = axes.secondary_xaxis("top")
    shown: list[float] = []
    for t in ODDS:
        if t < right and (not shown or t - shown[-1] > 0.09 * right):
            shown.append(t)
    above.set_xticks(shown, [ODDS[t] for t in shown])
    above.tick_params(length=2, labelsize=SMALL - 0.5, pad=1)
    above.spines["top"].set_visible(False)
    above.set_xlabel("cost : benefit", loc="right", fontsize=SMALL - 0.5, color=SOFT)
