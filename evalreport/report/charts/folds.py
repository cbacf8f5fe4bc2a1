"""Folds: a dot for each, with their mean and the interval that allows for shared training rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalreport.report.charts.labels import folded
from evalreport.report.charts.style import INK, SMALL, SOFT, colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Height of a line in points; a dot stands off its line by up to this share of it.
ROW, APART = 12.0, 0.18
#: Points of a letter of a name.
LETTER = 4.2


@dataclass(frozen=True)
class FoldRow:
    """One metric of one model: its value in each fold, their mean, and its interval."""

    name: str
    place: int
    values: tuple[float, ...]
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    said: str = ""


def folds(axes: Axes, rows: Sequence[FoldRow], room: float = 150.0) -> None:
    """A line for each metric and model; dots stand beside the line, alternately above and below.

    ``room`` for names in points.
    """
    axes.set(ylim=(len(rows) - 0.4, -0.6), yticks=range(len(rows)))
    axes.set_yticklabels([folded(row.name, int(room / LETTER), 1) for row in rows], color=INK)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    for k, row in enumerate(rows):
        sides = [k + APART * (1, -1)[i % 2] for i in range(len(row.values))]
        axes.plot(
            row.values, sides, linestyle="none", marker="o", markersize=2.6, alpha=0.45,
            markeredgewidth=0, color=colour(row.place), clip_on=False,
        )  # fmt: skip
        if row.low is not None and row.high is not None:
            axes.plot([row.low, row.high], [k, k], color=colour(row.place), linewidth=1.6)
        if row.mean is not None:
            axes.plot(
                [row.mean], [k], marker="D", markersize=5, color=colour(row.place),
                markeredgecolor="white", markeredgewidth=0.6, linestyle="none", clip_on=False,
            )  # fmt: skip
        axes.annotate(
            row.said, (1, k), (6, 0), xycoords=("axes fraction", "data"), va="center",
            textcoords="offset points", fontsize=SMALL, color=SOFT, annotation_clip=False,
        )  # fmt: skip
