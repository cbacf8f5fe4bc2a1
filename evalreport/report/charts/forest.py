"""Values with intervals under each other (the forest plot of NEJM's subgroup figures)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalreport.report.charts.labels import folded
from evalreport.report.charts.style import INK, REQUIRED, SMALL, SOFT, colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Height of a line in points, and places of the columns left of the frame.
ROW, NAME, COUNTS = 10.5, -205.0, -12.0
#: Room left and right of the frame, and above and below it, in points.
LEFT, RIGHT, TOP, BOTTOM = 210.0, 112.0, 16.0, 18.0


@dataclass(frozen=True)
class ForestRow:
    """A line: a head of a group, or a name with a value, its interval and its counts.

    ``few``: on too few rows to judge, drawn hollow. ``weight`` is the number of rows that the
    value rests on.
    """

    name: str
    place: int | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    counts: str = ""
    said: str = ""
    weight: float = 1.0
    few: bool = False
    inner: bool = False


def forest(
    axes: Axes,
    rows: Sequence[ForestRow],
    ends: tuple[float, float],
    heads: tuple[str, str] = ("", ""),
    required: float | None = None,
) -> None:
    """Names and counts left of the axis, squares with intervals on it, numbers at the right.

    ``required`` is what a criterion asks, a line through all rows.
    """
    axes.set(xlim=ends, ylim=(len(rows) - 0.4, -0.6), yticks=[])
    axes.spines["left"].set_visible(False)
    axes.locator_params(axis="x", nbins=4)
    if required is not None:
        axes.axvline(required, color=REQUIRED, linewidth=0.8, linestyle=(0, (3, 2)), zorder=0)
        axes.annotate(
            "required", (required, -0.6), (0, 3), textcoords="offset points", ha="center",
            va="bottom", color=REQUIRED, fontsize=7, annotation_clip=False,
        )  # fmt: skip
    _side(axes, heads[0], 0, COUNTS, "right", SOFT, up=True)
    _side(axes, heads[1], 0, RIGHT - 2, "right", SOFT, up=True, right=True)
    most = max((row.weight for row in rows), default=1.0) or 1.0
    for k, row in enumerate(rows):
        strong = row.place is None
        _side(axes, folded(row.name, 44, 1), k, NAME + 10 * row.inner, "left", INK, bold=strong)
        _side(axes, row.counts, k, COUNTS, "right", SOFT)
        _side(axes, row.said, k, RIGHT - 2, "right", INK, right=True)
        if row.place is not None:
            _value(axes, row, k, ends, most)


def _value(axes: Axes, row: ForestRow, k: int, ends: tuple[float, float], most: float) -> None:
    color = colour(row.place or 0)
    if row.low is not None and row.high is not None:
        low, high = max(row.low, ends[0]), min(row.high, ends[1])
        axes.plot([low, high], [k, k], color=color, linewidth=1.2)
        # what goes on beyond the axis ends in an arrow
        for end, limit, mark in ((row.low, ends[0], "<"), (row.high, ends[1], ">")):
            if (end < limit) if mark == "<" else (end > limit):
                axes.plot([limit], [k], marker=mark, color=color, markersize=3.5, clip_on=False)
    if row.value is not None and ends[0] <= row.value <= ends[1]:
        size = 3.5 + 3.5 * (row.weight / most) ** 0.5
        inside = "white" if row.few else color
        axes.plot(
            [row.value], [k], marker="s", markersize=size, markerfacecolor=inside, color=color,
            linestyle="none", clip_on=False,
        )  # fmt: skip


def _side(
    axes: Axes, text: str, k: int, x: float, ha: str, color: str, *, bold: bool = False,
    up: bool = False, right: bool = False,
) -> None:  # fmt: skip
    """Words of a line beside the frame, ``x`` points from its left (or right) edge."""
    if text:
        axes.annotate(
            text, (float(right), 1 if up else k), (x, 4 if up else 0),
            xycoords="axes fraction" if up else ("axes fraction", "data"),
            textcoords="offset points", ha=ha, va="bottom" if up else "center", color=color,
            fontsize=SMALL, fontweight=600 if bold else 400, annotation_clip=False,
        )  # fmt: skip
