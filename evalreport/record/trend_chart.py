"""The course of a measure as lines and marks: coordinates only, drawn by a template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from evalreport.record.trend import PastRun, Point, Series
from evalreport.report.numbers import value_text
from evalreport.statistics.control_limits import Limits
from evalreport.statistics.separate_samples import Estimate

WIDTH, HEIGHT = 480, 200
LEFT, RIGHT, TOP, BOTTOM = 48, 6, 10, 24


@dataclass(frozen=True)
class ChartMark:
    """A value: its place, its interval, its control limits; ``signal`` where outside them."""

    x: str
    y: str
    low: str | None
    high: str | None
    limit_low: str | None
    limit_high: str | None
    limit_left: str
    limit_width: str
    limit_height: str | None
    signal: bool
    words: str


@dataclass(frozen=True)
class TrendChart:
    """A chart as plain text: marks, the line through them, and the axis."""

    width: int
    height: int
    left: int
    right: int
    base: int
    line: str
    marks: tuple[ChartMark, ...]
    ticks: tuple[tuple[str, str], ...]
    first: str
    last: str
    words: str


def trend_chart(series: Series, runs: tuple[PastRun, ...], title: str) -> TrendChart | None:
    """The chart of a measure; None where it never has a value."""
    points = [(p, p.estimate) for p in series.points if p.estimate is not None]
    if not points:
        return None
    numbers = [n for p, own in points for n in _numbers(own, p.limits)]
    low, high = min(numbers), max(numbers)
    room = (high - low) * 0.06 or max(abs(high) * 0.1, 0.01)
    low, high = low - room, high + room

    def y(value: float | None) -> str | None:
        if value is None:
            return None
        return f"{TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM):.1f}"

    step = (WIDTH - LEFT - RIGHT) / max(len(runs), 1)
    marks = []
    for point, estimate in points:
        x = LEFT + (point.run + 0.5) * step
        top, bottom = y(point.limits.high), y(point.limits.low)
        marks.append(
            ChartMark(
                x=f"{x:.1f}",
                y=y(estimate.value) or "",
                low=y(estimate.low),
                high=y(estimate.high),
                limit_low=bottom,
                limit_high=top,
                limit_left=f"{x - step / 2:.1f}",
                limit_width=f"{step:.1f}",
                limit_height=None
                if top is None or bottom is None
                else f"{float(bottom) - float(top):.1f}",
                signal=point.signal,
                words=f"{runs[point.run].when}: {value_text(estimate.value)}",
            )
        )
    return TrendChart(
        WIDTH,
        HEIGHT,
        LEFT,
        WIDTH - RIGHT,
        HEIGHT - BOTTOM,
        " ".join(f"{m.x},{m.y}" for m in marks),
        tuple(marks),
        tuple((y(v) or "", value_text(v)) for v in _ticks(low, high)),
        runs[points[0][0].run].when[:10],
        runs[points[-1][0].run].when[:10],
        _words(title, points, runs),
    )


def _numbers(estimate: Estimate, limits: Limits) -> list[float]:
    found = (estimate.value, estimate.low, estimate.high, limits.low, limits.high)
    return [number for number in found if number is not None]


def _ticks(low: float, high: float) -> list[float]:
    """Two to seven round numbers between two others.

    >>> _ticks(0.73, 0.98)
    [0.75, 0.8, 0.85, 0.9, 0.95]
    """
    span = high - low
    unit = 10.0 ** floor(log10(span))
    size = next(unit * f for f in (0.2, 0.25, 0.5, 1.0, 2.0) if span / (unit * f) <= 5.5)
    places = max(0, 2 - floor(log10(size)))
    return [round(i * size, places) for i in range(ceil(low / size), floor(high / size) + 1)]


def _words(title: str, points: Sequence[tuple[Point, Estimate]], runs: tuple[PastRun, ...]) -> str:
    values = [own.value for _, own in points]
    out = sum(point.signal for point, _ in points)
    return (
        f"{title} in {len(points)} of {len(runs)} runs: from {value_text(values[0])} to "
        f"{value_text(values[-1])}, between {value_text(min(values))} and "
        f"{value_text(max(values))}; {out} outside the control limits."
    )
