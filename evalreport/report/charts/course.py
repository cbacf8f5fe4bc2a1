"""A value over periods or runs: values, intervals, control limits, and what is required."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalreport.report.charts.labels import folded
from evalreport.report.charts.lines import sticks
from evalreport.report.charts.style import CONTROL, INK, LINE, REQUIRED, SOFT, colour
from evalreport.results.records import ControlLimits, Measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Names of periods below the axis, and letters of each.
MOST_NAMES, LETTERS = 6, 11
#: Behind what follows a change, and a change for the better.
CHANGED, IMPROVED = "#fdf3dc", "#e6f2ea"


@dataclass(frozen=True)
class Stop:
    """One period: its value, its interval and its control limits, each where there is one.

    A ``signal``: the value lies outside them, on the ``better`` side or not.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    centre: float | None = None
    limit_low: float | None = None
    limit_high: float | None = None
    signal: bool = False
    better: bool = False


def stop_of(name: str, of: Measure, limits: ControlLimits, *, better: bool = False) -> Stop:
    """A measure of one period or run, and its control limits."""
    low, high = (None, None) if of.interval is None else (of.interval.low, of.interval.high)
    return Stop(
        name, of.value, low, high, limits.centre, limits.low, limits.high, limits.signal, better
    )  # fmt: skip


def course(
    axes: Axes,
    stops: Sequence[Stop],
    title: str = "",
    required: Sequence[float | None] = (),
    place: int = 0,
    changed: int | None = None,
    names: int = MOST_NAMES,
    changed_colour: str = CHANGED,
) -> None:
    """Periods are equally spaced, oldest first; diamonds lie outside the control limits.

    Those on the better side are open. ``changed``: the place of the first period after a change;
    what follows is shaded. ``required``: of each period. At most so many ``names`` of periods stand
    below the axis.
    """
    axes.set_title(folded(title, 52, 1), loc="left")
    axes.set_xlim(-0.6, len(stops) - 0.4)
    axes.margins(y=0.12)
    if changed is not None:
        axes.axvspan(changed - 0.5, len(stops) - 0.4, color=changed_colour, linewidth=0, zorder=0)
    _limits(axes, stops)
    _required(axes, required)
    _values(axes, stops, colour(place))
    shown = named(len(stops), names)
    axes.set_xticks(shown, [folded(stops[k].name, LETTERS, 1) for k in shown])
    axes.locator_params(axis="y", nbins=5)


def named(count: int, most: int = MOST_NAMES) -> list[int]:
    """Places whose names fit below the axis, the newest always.

    >>> named(3), named(12), named(10, 3)
    ([0, 1, 2], [1, 3, 5, 7, 9, 11], [1, 5, 9])
    """
    step = -(-count // most)
    return list(range(count - 1, -1, -step))[::-1]


def _limits(axes: Axes, stops: Sequence[Stop]) -> None:
    """A band as wide as its period, and a dashed line at its centre."""
    gap = float("nan")
    known = [
        (k, s.limit_low, s.centre, s.limit_high)
        for k, s in enumerate(stops)
        if s.limit_low is not None and s.limit_high is not None and s.centre is not None
    ]
    # the limits of all periods in one go, with gaps, take a fraction of the bytes of one each
    sides = [x for k, *_ in known for x in (k - 0.5, k + 0.5, gap)]
    low, centre, high = ([y for row in known for y in (row[n], row[n], gap)] for n in (1, 2, 3))
    if known:
        axes.fill_between(sides, low, high, color=CONTROL, linewidth=0)
        axes.plot(sides, centre, color=LINE, linewidth=0.8, linestyle=(0, (2, 2)))


def _required(axes: Axes, required: Sequence[float | None]) -> None:
    """What is required of each period, as steps; named where the last of them is."""
    known = [(k, level) for k, level in enumerate(required) if level is not None]
    if not known:
        return
    first, last = known[0][1], known[-1][1]
    places = [-0.6, *(k for k, _ in known), len(required) - 0.4]
    levels = [first, *(level for _, level in known), last]
    axes.plot(
        places, levels, drawstyle="steps-mid", color=REQUIRED, linewidth=0.9, linestyle=(0, (6, 3))
    )
    axes.annotate(
        "required", (1, last), (3, 0), xycoords=("axes fraction", "data"), va="center",
        textcoords="offset points", fontsize=7, color=REQUIRED, annotation_clip=False,
    )  # fmt: skip


def _values(axes: Axes, stops: Sequence[Stop], color: str) -> None:
    known = [(k, s, s.value) for k, s in enumerate(stops) if s.value is not None]
    axes.plot([k for k, *_ in known], [v for *_, v in known], color=SOFT, linewidth=0.8)
    whole = [(k, s.low, s.high) for k, s, _ in known if s.low is not None and s.high is not None]
    sticks(axes, [(k, low, high) for k, low, high in whole], color=color, linewidth=1.1)
    better = [(k, v) for k, s, v in known if s.signal and s.better]
    for marker, signal in (("o", False), ("D", True)):
        marked = [(k, v) for k, s, v in known if s.signal is signal and (k, v) not in better]
        axes.plot(
            [k for k, _ in marked], [v for _, v in marked], marker=marker, linestyle="none",
            markersize=5.5 if signal else 4, color=INK if signal else color,
        )  # fmt: skip
    if better:
        axes.plot(
            *zip(*better, strict=True), marker="D", linestyle="none", markersize=5.5,
            color=INK, markerfacecolor="white",
        )  # fmt: skip
