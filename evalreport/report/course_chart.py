"""The chart of a value over time: values, intervals, control limits, and what is required."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalreport.report.drawing import COLOURS, INK, LINE, SOFT, draw, names, plain

#: The band of control limits: light enough for lines upon it.
BAND = "#e3e8ed"
#: Names of periods below the axis.
MOST_NAMES = 6


@dataclass(frozen=True)
class Stop:
    """One period: its value, its interval and its control limits, each where there is one."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    centre: float | None = None
    limit_low: float | None = None
    limit_high: float | None = None
    signal: bool = False


def course_chart(stops: Sequence[Stop], title: str, required: float | None, place: int) -> bytes:
    """The SVG of a value over periods that stand equally spaced, oldest first."""

    def paint(axes: Any) -> None:
        names(axes, "", plain(title))
        axes.set_xlim(-0.6, len(stops) - 0.4)
        axes.margins(y=0.12)
        _limits(axes, stops)
        if required is not None:
            axes.axhline(required, color=INK, linewidth=0.9, linestyle=(0, (6, 3)))
        _values(axes, stops, COLOURS[place % len(COLOURS)])
        shown = named(len(stops))
        axes.set_xticks(shown, [plain(stops[k].name) for k in shown])

    return draw(paint, height=2.05)


def named(count: int) -> list[int]:
    """Places whose names fit below the axis, the newest always.

    >>> named(3), named(12)
    ([0, 1, 2], [1, 3, 5, 7, 9, 11])
    """
    step = -(-count // MOST_NAMES)
    return list(range(count - 1, -1, -step))[::-1]


def _limits(axes: Any, stops: Sequence[Stop]) -> None:
    """A band as wide as its period, and a dashed line at its centre."""
    for k, stop in enumerate(stops):
        if stop.limit_low is None or stop.limit_high is None or stop.centre is None:
            continue
        sides = [k - 0.5, k + 0.5]
        axes.fill_between(sides, stop.limit_low, stop.limit_high, color=BAND, linewidth=0)
        axes.plot(sides, [stop.centre] * 2, color=LINE, linewidth=0.8, linestyle=(0, (2, 2)))


def _values(axes: Any, stops: Sequence[Stop], colour: str) -> None:
    known = [(k, s, s.value) for k, s in enumerate(stops) if s.value is not None]
    axes.plot([k for k, _, _ in known], [v for _, _, v in known], color=SOFT, linewidth=0.8)
    for k, stop, _ in known:
        if stop.low is not None and stop.high is not None:
            axes.plot([k, k], [stop.low, stop.high], color=colour, linewidth=1.1)
    for marker, signal in (("o", False), ("D", True)):
        marked = [(k, v) for k, s, v in known if s.signal is signal]
        axes.plot(
            [k for k, _ in marked],
            [v for _, v in marked],
            marker=marker,
            markersize=5.5 if signal else 4,
            color=INK if signal else colour,
            linestyle="",
        )
