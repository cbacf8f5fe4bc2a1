"""Recall, specificity and precision by threshold, with the thresholds that are used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalreport.report.charts.labels import End, folded, label_ends
from evalreport.report.charts.points import in_reach, reach, spaced, split, with_span
from evalreport.report.charts.style import HAIR, INK, LINE, SMALL, SOFT, colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Height of the name of a rule above the frame, in points.
ROW = 9.0
#: Threshold, recall, specificity, precision; the last is None where nothing is predicted positive.
Row = tuple[float, float, float, float | None]


def thresholds(
    axes: Axes,
    rows: Sequence[Row],
    place: int,
    rules: Sequence[tuple[str, float]] = (),
    shares: tuple[str, str, str] = ("recall", "specificity", "precision"),
    name: str = "",
    step: float = 2.0,
) -> None:
    """Each share at each threshold; the names of rules stand above their lines, ``name`` above.

    No step is less than ``step`` points wide.

    What holds at a score holds down to the next lower one, without.
    """
    declared = {at for _, at in rules}
    unit, power = in_reach([t for t, *_ in rows if t not in declared] or [t for t, *_ in rows])
    least, most = reach(
        [t / unit for t, *_ in rows if t not in declared] or [t / unit for t, *_ in rows]
    )
    shown = [row for row in rows if least <= row[0] / unit <= most]
    ends = [row[0] / unit for row in shown]
    if ends:
        axes.set_xlim(*with_span(min(ends), max(ends)))
    axes.locator_params(axis="x", nbins=4)
    axes.set(ylim=(-0.01, 1.02), yticks=[0, 0.5, 1])
    left, right = axes.get_xlim()
    step *= (right - left) / axes.get_window_extent().width
    told = []
    looks = ((colour(place), "-", 1.4), (SOFT, "-", 1.0), (colour(place), (0, (4, 1.6)), 1.0))
    for k, (color, dash, width) in enumerate(looks):
        drawn = [(row[0] / unit, row[k + 1]) for row in shown if row[k + 1] is not None]
        if drawn:
            x, y = split(spaced([(a, b) for a, b in drawn if b is not None], step))
            axes.plot(x, y, color=color, linestyle=dash, linewidth=width, drawstyle="steps-pre")
            told.append(End(y[-1], folded(shares[k], 13, 3), color))
    label_ends(axes, told)
    least, most = reach(ends)
    _rules(axes, [(name, t / unit) for name, t in rules if least <= t / unit <= most])
    axes.set_xlabel(f"threshold{power}", loc="right")
    axes.set_title(folded(name, 40, 1), loc="left", pad=3 + ROW * len(rules), color=colour(place))


def _rules(axes: Axes, rules: Sequence[tuple[str, float]]) -> None:
    """An upright line for each rule, its name in a row of its own above the frame."""
    low, high = axes.get_xlim()
    # from the right: a name begins at its line, so no line to a higher name runs through it
    for k, (name, at) in enumerate(sorted(rules, key=lambda rule: -rule[1])):
        left = at < low + 0.6 * (high - low)
        axes.axvline(at, color=LINE, linewidth=0.8, linestyle=(0, (3, 2)))
        axes.annotate(
            name, (at, 1), (2 if left else -2, 2 + ROW * k), xycoords=("data", "axes fraction"),
            textcoords="offset points", ha="left" if left else "right", fontsize=SMALL, color=INK,
            annotation_clip=False,
        )  # fmt: skip
        if k:
            axes.annotate(
                "", (at, 1), (0, 2 + ROW * k + 6), xycoords=("data", "axes fraction"),
                textcoords="offset points", annotation_clip=False,
                arrowprops={"arrowstyle": "-", "color": HAIR, "linewidth": 0.6},
            )  # fmt: skip
