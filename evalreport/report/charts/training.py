"""How models were trained: a metric over the rows trained on, mistakes and cost over the steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from evalreport.report.charts.labels import End, folded, label_ends
from evalreport.report.charts.points import split
from evalreport.report.charts.style import COLOURS, DASHES, MARKERS, SMALL, SOFT, colour, name_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from evalreport.results.records import History

#: Rows trained on, mean and standard deviation.
Rows = Sequence[tuple[float, float, float]]


def learning(
    axes: Axes,
    name: str,
    place: int,
    parts: Mapping[str, Rows],
    metric: str,
    ends: tuple[float, float],
) -> None:
    """The mean over repeats on training and on test rows, with a ribbon of one SD each way."""
    axes.set_ylim(*ends)
    name_axes(axes, "rows trained on", f"{metric}, {folded(name, 30, 1)}")
    named = []
    for part, color, dash in (("test", colour(place), "-"), ("train", SOFT, DASHES[1])):
        rows = parts.get(part) or []
        if not rows:
            continue
        x, mean, apart = ([row[k] for row in rows] for k in range(3))
        low, high = ([m + s * sd for m, sd in zip(mean, apart, strict=True)] for s in (-1, 1))
        axes.fill_between(x, low, high, color=color, alpha=0.15, linewidth=0)
        axes.plot(x, mean, color=color, linestyle=dash, marker=MARKERS[place % len(MARKERS)],
                  markersize=3)  # fmt: skip
        named.append(End(mean[-1], "test" if part == "test" else "training", color))
    axes.locator_params(nbins=5)
    return None if not named else label_ends(axes, named)


def shared_height(panels: Sequence[Mapping[str, Rows]]) -> tuple[float, float]:
    """The ends of the upright axis that holds all panels, so that they can be compared."""
    ends = [
        m + s * sd
        for parts in panels
        for rows in parts.values()
        for _, m, sd in rows
        for s in (-1, 1)
    ]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    room = 0.06 * (high - low) or 0.05
    return low - room, high + room


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
