"""Values with intervals under each other (the forest plot of NEJM's subgroup figures).

Of folds a dot for each, with their mean and the interval that allows for shared training rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalreport.report.charts.labels import fitted, width
from evalreport.report.charts.style import INK, REQUIRED, SMALL, SOFT, colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Height of a line in points, and the place of the counts left of the frame.
ROW, COUNTS = 9.6, -12.0
#: Room left and right of the frame, and above and below it, in points.
LEFT, RIGHT, TOP, BOTTOM = 210.0, 112.0, 16.0, 18.0
#: The scale of shares.
WHOLE = 1.0


@dataclass(frozen=True)
class ForestRow:
    """A line: a head of a group, or a name with a value, its interval and its counts.

    ``few``: on too few rows to judge, drawn hollow. ``weight`` is the number of rows that the
    value rests on, ``required`` what a criterion requires of this value.
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
    required: float | None = None


@dataclass(frozen=True)
class Forest:
    """The lines of a plot, the heads of the columns beside its axis, and its room for names."""

    rows: Sequence[ForestRow]
    heads: tuple[str, str] = ("", "")
    left: float = LEFT

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the axis.

        Shares have the whole scale, or what they span of it where that is less than a third.
        """
        every = [(row.value, row.low, row.high, row.required) for row in self.rows]
        told = [x for row in every for x in row if x is not None and math.isfinite(x)]
        low, high = min(told, default=0.0), max(told, default=1.0)
        share = low >= 0 and high <= 1
        if share and high - low > WHOLE / 3:
            return 0.0, WHOLE
        room = 0.05 * (high - low) or 0.5
        low, high = low - room, high + room
        return (max(0.0, low), min(WHOLE, high)) if share else (low, high)


def forest(axes: Axes, shown: Forest) -> None:
    """Names and counts left of the axis, squares with intervals on it, numbers at the right."""
    rows, ends = shown.rows, shown.ends
    axes.set(xlim=ends, ylim=(len(rows) - 0.4, -0.6), yticks=[])
    axes.spines["left"].set_visible(False)
    axes.locator_params(axis="x", nbins=4 if shown.left == LEFT else 2)
    _required(axes, rows)
    _side(axes, shown.heads[0], 0, COUNTS, "right", SOFT, up=True)
    _side(axes, shown.heads[1], 0, RIGHT - 2, "right", SOFT, up=True, right=True)
    most = max((row.weight for row in rows), default=1.0) or 1.0
    fraction = max((width(row.counts) for row in rows), default=0.0) - COUNTS
    _intervals(axes, rows, ends)
    for k, row in enumerate(rows):
        strong = row.place is None
        room = shown.left - 10 - 10 * row.inner - fraction * bool(row.counts)
        name = fitted(row.name, room, bold=strong)
        _side(axes, name, k, 5 - shown.left + 10 * row.inner, "left", INK, bold=strong)
        _side(axes, row.counts, k, COUNTS, "right", SOFT)
        _side(axes, row.said, k, RIGHT - 2, "right", INK, right=True)
        if row.value is not None and ends[0] <= row.value <= ends[1]:
            color = colour(row.place or 0)
            # of eight sizes, so that squares of one size are drawn as one shape
            size = 3.5 + 0.5 * round(7 * (row.weight / most) ** 0.5)
            axes.plot(
                [row.value], [k], marker="s", markersize=size, color=color, linestyle="none",
                markerfacecolor="white" if row.few else color, clip_on=False,
            )  # fmt: skip


def _required(axes: Axes, rows: Sequence[ForestRow]) -> None:
    """What criteria require, as a line through the rows alone whose values they judge.

    Named once: limits may lie near each other.
    """
    judged = [(k, row.required) for k, row in enumerate(rows) if row.required is not None]
    if not judged:
        return
    gap = float("nan")
    x = [v for _, limit in judged for v in (limit, limit, gap)]
    y = [v for k, _ in judged for v in (k - 0.5, k + 0.5, gap)]
    axes.plot(x, y, color=REQUIRED, linewidth=0.8, linestyle=(0, (3, 2)), zorder=0)
    axes.annotate(
        "required", (judged[0][1], -0.6), (0, 3), textcoords="offset points", ha="center",
        va="bottom", color=REQUIRED, fontsize=7, annotation_clip=False,
    )  # fmt: skip


def _intervals(axes: Axes, rows: Sequence[ForestRow], ends: tuple[float, float]) -> None:
    """The intervals of each model as one path; what goes on beyond the axis ends in an arrow."""
    known = [(row.place or 0, k, row.low, row.high) for k, row in enumerate(rows)]
    whole = [(p, k, a, b) for p, k, a, b in known if a is not None and b is not None]
    for place in dict.fromkeys(p for p, *_ in whole):
        own = [(k, a, b) for p, k, a, b in whole if p == place]
        color, gap = colour(place), float("nan")
        x = [v for _, a, b in own for v in (max(a, ends[0]), min(b, ends[1]), gap)]
        axes.plot(x, [v for k, *_ in own for v in (k, k, gap)], color=color, linewidth=1.2)
        beyond = {
            "<": [k for k, a, _ in own if a < ends[0]],
            ">": [k for k, _, b in own if b > ends[1]],
        }
        for (mark, at), end in zip(beyond.items(), ends, strict=True):
            axes.plot(
                [end] * len(at), at, marker=mark, color=color, markersize=3.5, linestyle="none",
                clip_on=False,
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


#: Height of a line in points; a dot stands off its line by up to this share of it.
FOLD_ROW, APART = 12.0, 0.18


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
    axes.set_yticklabels([fitted(row.name, room - 8) for row in rows], color=INK)
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
