"""Learning curves (as LearningCurveDisplay): a metric over the rows trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from evalreport.report.charts.labels import End, folded, label_ends
from evalreport.report.charts.style import DASHES, MARKERS, SOFT, colour, name_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Rows trained on, mean and standard deviation.
Rows = Sequence[tuple[float, float, float]]


def learning(axes: Axes, name: str, place: int, parts: Mapping[str, Rows], metric: str) -> None:
    """The mean over repeats on training and on test rows, with a ribbon of one SD each way."""
    name_axes(axes, "rows trained on", f"{metric}, {folded(name, 30, 1)}")
    ends = []
    for part, color, dash in (("test", colour(place), "-"), ("train", SOFT, DASHES[1])):
        rows = parts.get(part) or []
        if not rows:
            continue
        x, mean, apart = ([row[k] for row in rows] for k in range(3))
        low, high = ([m + s * sd for m, sd in zip(mean, apart, strict=True)] for s in (-1, 1))
        axes.fill_between(x, low, high, color=color, alpha=0.15, linewidth=0)
        axes.plot(x, mean, color=color, linestyle=dash, marker=MARKERS[place % len(MARKERS)],
                  markersize=3)  # fmt: skip
        ends.append(End(mean[-1], "test" if part == "test" else "training", color))
    axes.locator_params(nbins=5)
    return None if not ends else label_ends(axes, ends)


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
