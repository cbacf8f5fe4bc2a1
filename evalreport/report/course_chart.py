"""The chart of a value over time: values, intervals, control limits, and what is required."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evalreport.report.board import INK, LINE, SOFT, Axes
from evalreport.report.drawing import COLOURS, draw_abreast, names, plain
from evalreport.report.words import visible

#: The band of control limits: light enough for lines upon it.
BAND = "#e3e8ed"
#: A place where a stroke is lifted.
GAP = float("nan")
#: Names of periods below the axis.
MOST_NAMES = 6
#: Letters of a title that fit above the axes; the whole stands in the caption.
MOST_LETTERS = 56


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


def course_panel(
    stops: Sequence[Stop],
    title: str,
    required: float | None,
    place: int,
    changed: int | None = None,
) -> Callable[[Axes], None]:
    """A panel of a value over periods that stand equally spaced, oldest first.

    ``changed``: the place of the first period after a change, before which a line stands.
    """

    def paint(axes: Axes) -> None:
        names(axes, "", visible(_short(title)))
        axes.set_xlim(-0.6, len(stops) - 0.4)
        axes.margins(y=0.12)
        _limits(axes, stops)
        if required is not None:
            axes.axhline(required, color=INK, linewidth=0.9, linestyle=(0, (6, 3)))
        if changed is not None:
            axes.axvline(changed - 0.5, color=INK, linewidth=0.9, linestyle=(0, (1, 2)))
        _values(axes, stops, COLOURS[place % len(COLOURS)])
        shown = named(len(stops))
        axes.set_xticks(shown, [plain(stops[k].name) for k in shown])

    return paint


def course_charts(panels: Sequence[Callable[[Axes], None]]) -> bytes:
    """The SVG of one panel, or of two abreast."""
    return draw_abreast(panels, 3.45 if len(panels) == 1 else 7.1, 2.05)


def _short(title: str) -> str:
    return title if len(title) <= MOST_LETTERS else f"{title[: MOST_LETTERS - 1]}…"


def named(count: int) -> list[int]:
    """Places whose names fit below the axis, the newest always.

    >>> named(3), named(12)
    ([0, 1, 2], [1, 3, 5, 7, 9, 11])
    """
    step = -(-count // MOST_NAMES)
    return list(range(count - 1, -1, -step))[::-1]


def _limits(axes: Axes, stops: Sequence[Stop]) -> None:
    """A band as wide as its period, and a dashed line at its centre."""
    known = [
        (k, s.limit_low, s.centre, s.limit_high)
        for k, s in enumerate(stops)
        if s.limit_low is not None and s.limit_high is not None and s.centre is not None
    ]
    # shapes of all periods in one go, with gaps, take a fraction of the bytes of one each
    sides = [x for k, *_ in known for x in (k - 0.5, k + 0.5, GAP)]
    low, centre, high = ([y for row in known for y in (row[n], row[n], GAP)] for n in (1, 2, 3))
    if known:
        axes.fill_between(sides, low, high, BAND)
        axes.plot(sides, centre, color=LINE, linewidth=0.8, linestyle=(0, (2, 2)))


def _values(axes: Axes, stops: Sequence[Stop], colour: str) -> None:
    known = [(k, s, s.value) for k, s in enumerate(stops) if s.value is not None]
    axes.plot([k for k, _, _ in known], [v for _, _, v in known], color=SOFT, linewidth=0.8)
    whole = [(k, s.low, s.high) for k, s, _ in known if s.low is not None and s.high is not None]
    axes.plot(
        [x for k, _, _ in whole for x in (k, k, GAP)],
        [y for _, low, high in whole for y in (low, high, GAP)],
        color=colour,
        linewidth=1.1,
    )
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
