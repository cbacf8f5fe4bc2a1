"""A training run: mistakes and cost over the steps in two panels, one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalreport.report.charts.labels import folded
from evalreport.report.charts.points import split
from evalreport.report.charts.style import COLOURS, SMALL, name_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from evalreport.results.records import History


def training_history(upper: Axes, lower: Axes | None, run: History, name: str, most: float) -> None:
    """Rows misclassified above, the cost below; the best step by either is a line through both."""
    steps = list(run.steps)
    name_axes(upper, "" if lower else "step", f"misclassified, {folded(name, 26, 1)}")
    upper.set_ylim(-0.03 * (most or 1), 1.06 * (most or 1))
    upper.plot(*split(list(zip(steps, run.misclassified, strict=True))), color=COLOURS[0])
    panels = [upper]
    if lower is not None:
        cost = list(zip(steps, run.cost or (), strict=False))
        name_axes(lower, "step", "cost")
        lower.plot(*split(cost), color=COLOURS[1])
        lower.set_xlim(upper.get_xlim())
        upper.tick_params(labelbottom=False)
        panels.append(lower)
    best = [
        (run.best_by_misclassified, (0, (3, 2)), COLOURS[0]),
        (run.best_by_cost, (0, (1, 1.5)), COLOURS[1]),
    ]
    for axes in panels:
        axes.locator_params(nbins=4)
        for step, dash, color in best:
            if step is not None and (lower is not None or color == COLOURS[0]):
                axes.axvline(step, color=color, linewidth=0.8, linestyle=dash)
    told: Sequence[tuple[Axes | None, str, float | None]] = (
        (upper, "fewest", run.best_by_misclassified),
        (lower, "lowest", run.best_by_cost),
    )
    for own, words, step in told:
        if own is not None and step is not None:
            own.set_title(f"{words} at {step:g}", loc="right", fontsize=SMALL)
