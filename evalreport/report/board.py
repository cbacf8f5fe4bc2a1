"""The drawing board: axes with lines, shapes and words, as SVG.

Axes know what the charts of a report need and no more, under the names that readers of plotting
code know. A library drew the same for a third of the time of a short run, most of it to load and to
measure what these charts do not have. Lengths are points, and upwards is downwards in the file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

from evalreport.report import ticks
from evalreport.report.letters import SIZE, above_and_below
from evalreport.report.strokes import Point, clipped, closed_path, mark, number, open_path, parts_of

#: Colours of axes and of the words at them.
LINE, SOFT, INK = "#767f89", "#474f58", "#14181d"
#: Length of a tick, from there to its words, and from the words at the ticks to the name below.
TICK, PAD, NAME_PAD = 3.0, 3.5, 1.0
#: Points between axes and the words above them.
TITLE_PAD = 5.0
#: Room at both ends of what is drawn, as a share of it, where no limits are set.
MARGIN = 0.05
#: Most ticks, where nobody says fewer.
MOST_TICKS = 9

Dash = str | tuple[float, tuple[float, ...]]


@dataclass(eq=False)
class Line:
    """A line through points with its strokes and marks.

    ``in_shares``: its points are shares of the axes, not values.
    """

    axes: Axes
    x: list[float]
    y: list[float]
    color: str
    linewidth: float
    linestyle: Dash
    marker: str
    markersize: float
    markerfacecolor: str | None
    in_shares: bool
    clip_on: bool
    steps: bool

    @property
    def has_strokes(self) -> bool:
        """Whether its points are joined."""
        return self.linestyle != ""

    def corners(self) -> list[Point]:
        """The points that its strokes pass through, in steps where it has them.

        ``steps``: the height of a point holds from the point before it.
        """
        points = list(zip(self.x, self.y, strict=True))
        if not self.steps:
            return points
        between = [p for a, b in pairwise(points) for p in ((a[0], b[1]), b)]
        return [*points[:1], *between]

    def shares(self) -> list[Point]:
        """Its corners in shares of the axes, as they are while limits stand as they do."""
        return self.axes.shares(self.corners(), self.in_shares)


@dataclass(frozen=True, eq=False)
class Shape:
    """Closed outlines of one colour, in values."""

    outlines: Sequence[Sequence[Point]]
    color: str
    alpha: float = 1.0


@dataclass(frozen=True, eq=False)
class Words:
    """Words in a place of the axes."""

    axes: Axes
    x: float
    y: float
    text: str
    fontsize: float
    color: str
    ha: str
    va: str
    in_shares: bool

    def share(self) -> Point:
        """Where they are, in shares of the axes."""
        return self.axes.shares([(self.x, self.y)], self.in_shares)[0]


class Axis:
    """One direction: its ends, its ticks and the words at them."""

    def __init__(self) -> None:
        self.limits: tuple[float, float] | None = None
        self.margin = MARGIN
        self.most: int | None = None
        self.found: list[float] = []
        self.formatted: Callable[[float], str] | None = None
        self._set: tuple[list[float], list[str]] | None = None

    def ends(self) -> tuple[float, float]:
        """Its least and greatest value: those set, or what is drawn, with some room."""
        if self.limits is not None:
            return self.limits
        if not self.found:
            return 0.0, 1.0
        low, high = ticks.spread(min(self.found), max(self.found), 0.05, 1e-15)
        room = (high - low) * self.margin
        return ticks.spread(low - room, high + room, 1e-12, 1e-13)

    def set_ends(self, low: float, high: float) -> None:
        """Limits, moved apart where they are as good as one."""
        self.limits = ticks.spread(low, high, 0.05, 1e-15)

    def set_ticks(self, at: Sequence[float], words: Sequence[str]) -> None:
        """Ticks in these places with these words, all within the ends."""
        self._set = ([float(place) for place in at], list(words))
        if self.limits is not None and at:
            self.limits = (min(self.limits[0], *at), max(self.limits[1], *at))

    def ticks(self, room: float) -> tuple[list[tuple[float, str]], str]:
        """The ticks between the ends with their words, and what is told once of all.

        ``room``: how many words stand side by side.
        """
        low, high = self.ends()
        shared = ""
        if self._set is not None:
            at, words = self._set
        else:
            at = ticks.places(low, high, self.most or max(1, min(int(room), MOST_TICKS)))
            if self.formatted is not None:
                words = [self.formatted(place) for place in at]
            else:
                told = ticks.numbers(at, low, high)
                words, shared = told.words, told.shared
        seen = zip(at, words, strict=True)
        return [(place, word) for place, word in seen if low <= place <= high], shared


class Axes:
    """A panel: two axes, and what is drawn between them."""

    def __init__(self, board: Board, beside: Axes | None = None) -> None:
        self.board = board
        self.beside = beside
        self.x: Axis = beside.x if beside else Axis()
        self.y = Axis()
        self.lines: list[Line] = []
        self.shapes: list[Shape] = []
        self.texts: list[Words] = []
        self.x_name, self.title, self.right_title = "", "", ""
        #: Left, top, width and height in the file.
        self.place = (0.0, 0.0, 1.0, 1.0)

    def plot(  # noqa: PLR0913 - the looks of a line, by name
        self,
        x: Sequence[float],
        y: Sequence[float],
        *,
        color: str = INK,
        linewidth: float = 1.5,
        linestyle: Dash = "-",
        marker: str = "",
        markersize: float = 6.0,
        markerfacecolor: str | None = None,
        in_shares: bool = False,
        clip_on: bool = True,
        drawstyle: str = "default",
    ) -> list[Line]:
        """A line through points; gaps where they are no numbers."""
        line = Line(
            self, [float(v) for v in x], [float(v) for v in y], color, linewidth, linestyle,
            marker, markersize, markerfacecolor, in_shares, clip_on, drawstyle == "steps-pre",
        )  # fmt: skip
        self.lines.append(line)
        if not in_shares:
            self._reach(line.x, line.y)
        return [line]

    def axhline(self, y: float, **style: Any) -> None:
        """A level line over the whole width; heights reach to it."""
        self._across(y, self.y, style, level=True)

    def axvline(self, x: float, **style: Any) -> None:
        """An upright line over the whole height; widths reach to it."""
        self._across(x, self.x, style, level=False)

    def _across(self, at: float, axis: Axis, style: dict[str, Any], *, level: bool) -> None:
        axis.found.append(float(at))
        line = _Across(self, at, level, style)
        self.lines.append(line)

    def errorbar(
        self, x: Sequence[float], y: Sequence[float], reach: Sequence[float], width: float,
        **style: Any,
    ) -> Line:  # fmt: skip
        """A line through points, each with an upright line of this reach each way."""
        gap = float("nan")
        ends = list(zip(x, y, reach, strict=True))
        (line,) = self.plot(x, y, **style)
        self.plot(
            [v for at, _, _ in ends for v in (at, at, gap)],
            [v for _, mean, far in ends for v in (mean - far, mean + far, gap)],
            color=line.color,
            linewidth=width,
        )
        return line

    def fill(self, outlines: Sequence[Sequence[Point]], color: str, alpha: float = 1.0) -> None:
        """Closed outlines of one colour, beneath all lines."""
        self.shapes.append(Shape(outlines, color, alpha))
        for outline in outlines:
            self._reach([x for x, _ in outline], [y for _, y in outline])

    def fill_between(
        self, x: Sequence[float], low: Sequence[float], high: Sequence[float], color: str
    ) -> None:
        """The areas between two lines, one for each part without gaps."""
        rows = list(zip(x, low, high, strict=True))
        parts = parts_of([(a, b) for a, b, _ in rows]), parts_of([(a, c) for a, _, c in rows])
        self.fill([[*up, *reversed(down)] for up, down in zip(*parts, strict=True)], color)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        fontsize: float = SIZE,
        color: str = INK,
        ha: str = "left",
        va: str = "baseline",
        in_shares: bool = False,
    ) -> None:
        """Words, placed by their left end, middle or right end, and a line of their height."""
        self.texts.append(Words(self, x, y, words, fontsize, color, ha, va, in_shares))

    def set_xlim(self, low: float, high: float) -> None:
        """The ends of the level axis."""
        self.x.set_ends(low, high)

    def set_ylim(self, low: float, high: float) -> None:
        """The ends of the upright axis."""
        self.y.set_ends(low, high)

    def set_xticks(self, at: Sequence[float], words: Sequence[str] = ()) -> None:
        """The ticks of the level axis, each with its words."""
        self.x.set_ticks(at, words)

    def set_yticks(self, at: Sequence[float], words: Sequence[str] = ()) -> None:
        """The ticks of the upright axis, each with its words."""
        self.y.set_ticks(at, words)

    def margins(self, x: float = MARGIN, y: float = MARGIN) -> None:
        """Room at the ends of what is drawn, as shares of it."""
        self.x.margin, self.y.margin = x, y

    def _reach(self, x: Sequence[float], y: Sequence[float]) -> None:
        for axis, values in ((self.x, x), (self.y, y)):
            known = [value for value in values if math.isfinite(value)]
            axis.found += [min(known), max(known)] if known else []

    def shares(self, points: Sequence[Point], in_shares: bool = False) -> list[Point]:
        """Places in shares of the axes, from their lower left corner."""
        if in_shares:
            return list(points)
        (left, right), (low, high) = self.x.ends(), self.y.ends()
        wide, tall = right - left, high - low
        return [((x - left) / wide, (y - low) / tall) for x, y in points]

    def x_ticks(self) -> tuple[list[tuple[float, str]], str]:
        """Those below: words three times as wide as high have room."""
        return self.x.ticks(self.place[2] // (3 * SIZE))

    def y_ticks(self) -> tuple[list[tuple[float, str]], str]:
        """Those at the side, one for every second line of words."""
        return self.y.ticks(self.place[3] // (2 * SIZE))


class _Across(Line):
    """A line over the whole width or height at one value."""

    def __init__(self, axes: Axes, at: float, level: bool, style: dict[str, Any]) -> None:
        ends, same = [0.0, 1.0], [float(at)] * 2
        x, y = (ends, same) if level else (same, ends)
        super().__init__(
            axes, x, y, style["color"], style["linewidth"], style.get("linestyle", "-"),
            "", 0.0, None, False, True, False,
        )  # fmt: skip
        self._level = level

    def shares(self) -> list[Point]:
        """One place in shares follows from the value, the other is the whole of the axes."""
        corners = self.corners()
        both = zip(corners, self.axes.shares(corners), strict=True)
        return [(x, b) if self._level else (a, y) for (x, y), (a, b) in both]


class Board:
    """Panels in lines of ``across``, each line of one height; points."""

    def __init__(self, width: float, height: float, count: int, across: int) -> None:
        self.across = min(across, count)
        self.lines = -(-count // self.across)
        self.width, self.height = width, height * self.lines
        self.panels = [Axes(self) for _ in range(count)]
        self.second: list[Axes] = []

    def beside(self, axes: Axes) -> Axes:
        """A second axis at the right of a panel, which is placed with it and is no panel itself."""
        self.second.append(Axes(self, axes))
        return self.second[-1]

    def svg(self) -> str:
        """All panels, as a document."""
        wide, high = number(self.width), number(self.height)
        found = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}">',
            '<g style="stroke-linejoin:round;stroke-linecap:butt">',
        ]
        clips = []
        for k, axes in enumerate([*self.panels, *self.second]):
            left, top, width, height = map(number, axes.place)
            box = f'<rect x="{left}" y="{top}" width="{width}" height="{height}"/>'
            clips.append(f'<clipPath id="p{k}">{box}</clipPath>')
            found += _panel(axes, f"p{k}")
        return "\n".join([*found, "<defs>", *clips, "</defs>", "</g>", "</svg>"])


def _panel(axes: Axes, clip: str) -> Iterator[str]:
    """The elements of a panel, from those beneath to those on top."""
    left, top, width, height = axes.place
    for shape in axes.shapes:
        outlines = [axes.shares(outline) for outline in shape.outlines]
        path = "".join(closed_path([_at(axes, p) for p in outline]) for outline in outlines)
        clear = f";opacity:{shape.alpha:g}" if shape.alpha < 1 else ""
        yield f'<path d="{path}" clip-path="url(#{clip})" style="fill:{shape.color}{clear}"/>'
    if not axes.beside:
        yield from _level_axis(axes)
    yield from _upright_axis(axes)
    for line in axes.lines:
        yield from _line(line, clip if line.clip_on else None)
    if not axes.beside:
        edge = f'style="fill:none;stroke:{LINE};stroke-width:0.7;stroke-linecap:square"'
        corner = open_path([(left, top), (left, top + height), (left + width, top + height)])
        yield f'<path d="{corner}" {edge}/>'
    for words in axes.texts:
        x, y = _at(axes, words.share())
        yield _text(x, y, words.text, words.ha, words.va, words.fontsize, words.color)
    for title, x, ha in ((axes.title, left, "left"), (axes.right_title, left + width, "right")):
        shared = axes.y_ticks()[1] if bool(axes.beside) == (ha == "right") else ""
        if title or shared:
            yield _text(x, top - TITLE_PAD, ", ".join(p for p in (title, shared) if p), ha)


def _at(axes: Axes, share: Point) -> Point:
    left, top, width, height = axes.place
    return left + share[0] * width, top + (1.0 - share[1]) * height


def _level_axis(axes: Axes) -> Iterator[str]:
    left, top, width, height = axes.place
    foot = top + height
    told, shared = axes.x_ticks()
    places = axes.shares([(place, 0.0) for place, _ in told])
    at = [(_at(axes, p)[0], word) for p, (_, word) in zip(places, told, strict=True)]
    yield from _ticks([f"M{number(x)} {number(foot)}v{number(TICK)}" for x, _ in at])
    for x, word in at:
        yield _text(x, foot + TICK + PAD, word, "center", "top")
    name = ", ".join(part for part in (axes.x_name, shared) if part)
    if name:
        above, below = above_and_below()
        lower = foot + (TICK + PAD + SIZE * (above + below) if at else 0.0) + NAME_PAD
        yield _text(left + width, lower, name, "right", "top")


def _upright_axis(axes: Axes) -> Iterator[str]:
    left, _, width, _ = axes.place
    told, _ = axes.y_ticks()
    places = axes.shares([(0.0, place) for place, _ in told])
    at = [(_at(axes, p)[1], word) for p, (_, word) in zip(places, told, strict=True)]
    side, out, ha = (left + width, TICK, "left") if axes.beside else (left, -TICK, "right")
    yield from _ticks([f"M{number(side)} {number(y)}h{number(out)}" for y, _ in at])
    for y, word in at:
        yield _text(side + out + math.copysign(PAD, out), y, word, ha, "figures")


def _ticks(steps: Sequence[str]) -> Iterator[str]:
    if steps:
        yield f'<path d="{"".join(steps)}" style="fill:none;stroke:{LINE};stroke-width:0.6"/>'


def _text(
    x: float, y: float, words: str, ha: str, va: str = "baseline",
    size: float = SIZE, color: str = SOFT,
) -> str:  # fmt: skip
    """Words whose anchor is one of their ends or their middle.

    Words of the usual size and colour say neither: the page says both once.
    """
    above, below = above_and_below()
    y += (
        size
        * {
            "baseline": 0.0,
            "top": above,
            "bottom": -below,
            "center": (above - below) / 2,
            "figures": above / 2,
        }[va]
    )
    style = [f"font-size:{size:g}px"] if size != SIZE else []
    style.append("text-anchor:" + {"left": "start", "center": "middle", "right": "end"}[ha])
    style += [f"fill:{color}"] if color != SOFT else []
    told = escape(words, quote=False)
    return f'<text style="{";".join(style)}" x="{number(x)}" y="{number(y)}">{told}</text>'


def _line(line: Line, clip: str | None) -> Iterator[str]:
    """The strokes of a line, then its marks."""
    axes = line.axes
    points = [_at(axes, share) for share in line.shares()]
    within = f' clip-path="url(#{clip})"' if clip else ""
    if line.has_strokes:
        path = "".join(open_path(part) for part in clipped(points, axes.place))
        if path:
            style = f"fill:none;stroke:{line.color};stroke-width:{line.linewidth:g}"
            if isinstance(line.linestyle, tuple):
                strokes = ",".join(f"{part * line.linewidth:g}" for part in line.linestyle[1])
                style += f";stroke-dasharray:{strokes}"
            else:
                style += ";stroke-linecap:square"
            yield f'<path d="{path}"{within} style="{style}"/>'
    if line.marker:
        left, top, width, height = axes.place
        marks = [
            mark(line.marker, x, y, line.markersize)
            for x, y in points
            if left - 9 <= x <= left + width + 9 and top - 9 <= y <= top + height + 9
        ]
        if marks:
            fill = line.markerfacecolor or line.color
            style = f"fill:{fill};stroke:{line.color};stroke-linejoin:miter"
            yield f'<path d="{"".join(marks)}"{within} style="{style}"/>'
