"""The charts: curves of several models on one pair of axes, labelled directly."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalreport.report.board import INK, LINE, SOFT, Axes, Line
from evalreport.report.drawing import (
    COLOURS,
    DASHES,
    HAIR,
    dot_look,
    draw,
    names,
    plain,
    unit_axes,
)
from evalreport.report.letters import width_of
from evalreport.report.line_names import Named, name_lines, short
from evalreport.report.placing import inner_size
from evalreport.report.simplified import simplified

Panel = Callable[[Axes], None]
Points = Mapping[str, Sequence[Any]]
#: Left end, width and height.
Bar = tuple[float, float, float]
#: The bars of negative rows.
BELOW = "#a9b1b9"
#: Numbers from here on are drawn in their power of ten: spans of them are no numbers.
FAR = 1e100
#: Numbers up to here are drawn as 0.
TINY = 1e-100


@dataclass(frozen=True)
class Curve:
    """A named curve and its place among the models (for colour, dash and marker)."""

    name: str
    place: int
    points: Points


def columns(points: Points, *names: str) -> list[tuple[float, ...]]:
    """Rows of the named columns where all of them are known."""
    if any(name not in points for name in names):
        return []
    rows = zip(*(points[name] for name in names), strict=True)
    return [row for row in rows if all(x is not None for x in row)]


def stroke(axes: Axes, rows: Sequence[tuple[float, ...]], place: int, **extra: Any) -> Line:
    """A line through rows in the colour and dash of a place."""
    steps = extra.get("drawstyle") == "steps-pre"
    kept = [rows[k] for k in simplified(rows, steps)]
    style: dict[str, Any] = {
        "color": COLOURS[place % len(COLOURS)],
        "linestyle": DASHES[place % len(DASHES)],
        "linewidth": 1.5,
    }
    return axes.plot([r[0] for r in kept], [r[1] for r in kept], **(style | extra))[0]


#: How far the edge of a band may be from where it is, as a share of the axis: under half a point.
EDGE = 0.002


def shade(axes: Axes, curve: Curve, x: str, y: str, steps: bool = False) -> None:
    """The band of a curve as one light area behind its line, where its points have limits.

    ``steps``: heights hold back to the point before, as those of the line do.
    """
    edges = []
    for end in ("high", "low"):
        if f"{y}_{end}" not in curve.points:
            return
        rows = columns(curve.points, x, f"{y}_{end}")
        kept = [rows[k] for k in simplified(rows, steps, EDGE)]
        if steps:
            kept = [
                p for a, b in zip(kept[:1] + kept, kept, strict=False) for p in ((a[0], b[1]), b)
            ]
        edges.append(kept)
    if len(edges[0]) > 1:
        colour = COLOURS[curve.place % len(COLOURS)]
        outline = [(row[0], row[1]) for row in (*edges[0], *reversed(edges[1]))]
        axes.fill([outline], colour, alpha=0.2)


def is_near(at: float, drawn: Sequence[float]) -> bool:
    """Whether a mark can stand on the axis of what is drawn without squeezing that to a line."""
    if not drawn:
        return False
    low, high = min(drawn), max(drawn)
    room = 20 * max(high - low, abs(low), abs(high), 1e-300)
    return low - room <= at <= high + room


def with_span(low: float, high: float) -> tuple[float, float]:
    """The ends of an axis, moved apart where one is as good as the other.

    >>> with_span(0.0, 1.0), with_span(2.0, 2.0), with_span(0.0, 5e-324)
    ((0.0, 1.0), (1.9, 2.1), (-1.0, 1.0))
    """
    most = max(abs(low), abs(high))
    if high - low > 1e-9 * most and most > TINY:
        return low, high
    room = 0.05 * most if most > TINY else 1.0
    return low - room, high + room


def in_reach(values: Sequence[float]) -> tuple[float, str]:
    """What to divide the numbers of an axis by, and the words for that: 1 and none for most.

    >>> in_reach([0.2, 0.9]), in_reach([-1.7e308, 5.0])
    ((1.0, ''), (1e+308, ', in 1e308'))
    """
    most = max(map(abs, values), default=0.0)
    if most < FAR:
        return 1.0, ""
    power = math.floor(math.log10(most))
    return float(f"1e{power}"), f", in 1e{power}"


def roc_chart(
    curves: Sequence[Curve],
    at: Sequence[tuple[int, float, float]],
    recall: str = "recall",
    bands: bool = False,
) -> bytes:
    """ROC curves; ``at`` marks (place, fpr, tpr) of the declared threshold.

    ``recall`` is the word on its axis; ``bands``: whether limits are drawn, where there are any.
    """

    def paint(axes: Axes) -> None:
        unit_axes(axes, "false positive rate", recall)
        for curve in curves if bands else ():
            shade(axes, curve, "fpr", "tpr")
        axes.plot([0, 1], [0, 1], color=LINE, linewidth=0.7, linestyle=(0, (2, 2)))
        named = [
            Named(c.name, c.place, stroke(axes, columns(c.points, "fpr", "tpr"), c.place))
            for c in curves
        ]
        for place, x, y in at:
            axes.plot(
                [x],
                [y],
                **dot_look(place, 5.0),
            )
        name_lines(axes, named, "lower right")

    return draw(paint)


def precision_recall_chart(
    curves: Sequence[Curve],
    prevalence: float | None,
    recall: str = "recall",
    precision: str = "precision",
    bands: bool = False,
) -> bytes:
    """Precision over recall; the dotted line is the share of positives.

    ``bands``: whether limits are drawn, where there are any.
    """

    def paint(axes: Axes) -> None:
        unit_axes(axes, recall, precision)
        for curve in curves if bands else ():
            shade(axes, curve, "recall", "precision", steps=True)
        if prevalence is not None:
            axes.axhline(prevalence, color=LINE, linewidth=0.7, linestyle=(0, (1, 2)))
        named = []
        for curve in curves:
            names = ("recall", "precision") if "recall" in curve.points else ("tpr", "precision")
            rows = columns(curve.points, *names)
            line = stroke(axes, rows, curve.place, drawstyle="steps-pre")
            named.append(Named(curve.name, curve.place, line))
        name_lines(axes, named, "lower left")

    return draw(paint)


def calibration_chart(
    curves: Sequence[Curve],
    x: str,
    y: str,
    smoothed: Sequence[Curve] = (),
    bands: bool = False,
) -> bytes:
    """Observed share over mean score; the diagonal is perfect calibration, thin lines smoothed.

    ``bands``: whether limits of the smoothed lines are drawn, where there are any.
    """

    def paint(axes: Axes) -> None:
        unit_axes(axes, "mean score of the bin", "observed share")
        axes.plot([0, 1], [0, 1], color=LINE, linewidth=0.7, linestyle=(0, (2, 2)))
        for curve in smoothed if bands else ():
            shade(axes, curve, "score", "observed")
        for curve in smoothed:
            rows = columns(curve.points, "score", "observed")
            stroke(axes, rows, curve.place, linewidth=0.7, linestyle="-")
        named = []
        for curve in curves:
            colour = COLOURS[curve.place % len(COLOURS)]
            # one path with gaps for all intervals takes a fraction of the bytes of many
            ends = columns(curve.points, x, "observed_low", "observed_high")
            gap = float("nan")
            axes.plot(
                [v for at, _, _ in ends for v in (at, at, gap)],
                [v for _, low, high in ends for v in (low, high, gap)],
                color=colour,
                linewidth=0.8,
            )
            dots = columns(curve.points, x, y)
            (line,) = axes.plot(
                [dot[0] for dot in dots],
                [dot[1] for dot in dots],
                **dot_look(curve.place, 3.8),
            )
            named.append(Named(curve.name, curve.place, line))
        name_lines(axes, named, "upper left")

    return draw(paint)


def distribution_panel(curve: Curve, labels: tuple[str, str], threshold: float | None) -> Panel:
    """Histogram of scores: positive rows upwards, negative rows downwards, as shares of either.

    Counts would show nothing of a class that few rows are of.
    """

    def paint(axes: Axes) -> None:
        told = columns(curve.points, "low", "high", *_kinds(curve.points))
        unit, words = in_reach([end for row in told for end in row[:2]])
        rows = [(low / unit, high / unit, *counts) for low, high, *counts in told]
        kinds: list[Sequence[Bar]] = []
        # one path for all bars of a kind takes a fraction of the bytes of many
        for side, colour in ((2, COLOURS[curve.place % len(COLOURS)]), (3, BELOW)):
            whole = sum(r[side] for r in rows) or 1
            up = (5 - 2 * side) / whole
            bars = [(r[0], (r[1] - r[0]) * 0.94, r[side] * up) for r in rows if r[side]]
            kinds.append(bars)
            _bars(axes, bars, colour)
        axes.axhline(0, color=INK, linewidth=0.7)
        if rows:
            low, high = with_span(min(r[0] for r in rows), max(r[1] for r in rows))
            axes.set_xlim(low - 0.05 * (high - low), high + 0.03 * (high - low))
        most = max((abs(height) for bars in kinds for _, _, height in bars), default=0) or 1
        axes.set_ylim(-1.12 * most, 1.12 * most)
        axes.x.most = axes.y.most = 4
        if threshold is not None and is_near(threshold / unit, [r[0] for r in rows]):
            axes.axvline(threshold / unit, color=INK, linewidth=0.8, linestyle=(0, (3, 2)))
        names(axes, f"score{words}", "share of its rows")
        axes.y.formatted = lambda v: f"{abs(v):g}"
        _told_beside(axes, kinds[0], labels[0], COLOURS[curve.place % len(COLOURS)], top=True)
        _told_beside(axes, kinds[1], labels[1], SOFT, top=False)

    return paint


def _told_beside(axes: Axes, bars: Sequence[Bar], label: str, colour: str, *, top: bool) -> None:
    """Which way bars go, in the corner over, or under, the lower ones: no word stands on a bar."""
    width, way = inner_size(axes)[0], "upwards" if top else "downwards"
    text = f"{short(label, 0.9 * width - width_of(f', {way}'))}, {way}"
    (left, right), share = axes.x.limits or (0.0, 1.0), width_of(text) / width + 0.06
    edges = left + share * (right - left), right - share * (right - left)
    first = max((abs(h) for x, _, h in bars if x < edges[0]), default=0.0)
    last = max((abs(h) for x, w, h in bars if x + w > edges[1]), default=0.0)
    # where both are alike positives are called at the left, as they mostly stand at the right
    leftmost = first < last or (first == last and top)
    axes.text(
        0.04 if leftmost else 0.96,
        0.97 if top else 0.03,
        text,
        in_shares=True,
        ha="left" if leftmost else "right",
        va="top" if top else "baseline",
        color=colour,
        fontsize=8.5,
    )


def _bars(axes: Axes, bars: Sequence[Bar], colour: str) -> None:
    """Bars of (left end, width, signed height) from 0, as one shape."""
    corners = [
        [(x, 0.0), (x, height), (x + wide, height), (x + wide, 0.0)] for x, wide, height in bars
    ]
    if corners:
        axes.fill(corners, colour)


def _kinds(points: Points) -> tuple[str, str]:
    """The columns that count positive and negative rows of a histogram."""
    return ("positives", "negatives") if "positives" in points else ("positive", "negative")


def sweep_panel(
    rows: Sequence[tuple[float, float, float]],
    place: int,
    thresholds: Sequence[tuple[str, float]],
    shares: tuple[str, str] = ("recall", "specificity"),
) -> Panel:
    """Recall and specificity over the threshold; upright lines at the thresholds used.

    ``rows`` are scores from the lowest with recall and specificity at each: what holds at a
    score holds down to the next lower one, without.
    """

    def paint(axes: Axes) -> None:
        # A declared threshold far from every score is in the table, not on the axis.
        declared = {t for _, t in thresholds}
        steps = [t for t, *_ in rows if t not in declared] or [t for t, *_ in rows]
        unit, words = in_reach(steps)
        near = [t / unit for t in steps]
        shown = [(t / unit, r, s) for t, r, s in rows if is_near(t / unit, near)]
        both = []
        for column, style in ((1, {}), (2, {"color": SOFT, "linewidth": 1.0})):
            drawn = [(row[0], row[column]) for row in shown]
            both.append(stroke(axes, drawn, place, **{"drawstyle": "steps-pre", **style}))
        ends = [t for t, *_ in shown]
        if ends and with_span(min(ends), max(ends)) != (min(ends), max(ends)):
            axes.set_xlim(*with_span(min(ends), max(ends)))
        axes.set_ylim(-0.01, 1.1)
        axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        for k, (name, t) in enumerate(thresholds[:6]):
            at = t / unit
            if not is_near(at, ends):
                continue
            axes.axvline(at, color=INK if k == 0 else LINE, linewidth=0.8, linestyle=(0, (3, 2)))
            axes.text(
                at,
                1.11 + 0.13 * (k % 2),
                plain(name),
                fontsize=8,
                color=SOFT,
                va="bottom",
                ha="center",
            )
        names(axes, f"threshold{words}", "share")
        named = [Named(word, None, line, place) for word, line in zip(shares, both, strict=True)]
        name_lines(axes, named, "lower right")

    return paint


def _in_sight(rows: Sequence[tuple[float, ...]], floor: float) -> list[tuple[float, ...]]:
    """The points of a line at or above the lower end of the axis, each with its neighbours.

    A line is thinned by its own height: what goes on far below would take points from what shows.
    """
    seen = [row[1] >= floor for row in rows]
    return [row for k, row in enumerate(rows) if any(seen[max(k - 1, 0) : k + 2])]


def plain_chart(
    curves: Sequence[Curve],
    x: str,
    y: str,
    axis_names: tuple[str, str],
    baselines: Sequence[tuple[str, Points, str]] = (),
) -> bytes:
    """Any other curve: gain, lift, net benefit; ``baselines`` are thin grey lines."""

    def paint(axes: Axes) -> None:
        names(axes, *axis_names)
        values = [r[1] for c in curves for r in columns(c.points, x, y)]
        floor = -math.inf
        if values:
            low, high = min([0.0, *values]), max(values)
            floor = low - 0.1 * (high - low or 1)
            axes.set_ylim(floor, high + 0.08 * (high - low or 1))
        named = []
        for k, (name, points, column) in enumerate(baselines):
            rows = _in_sight(columns(points, x, column), floor)
            thin = {"color": LINE if k else SOFT, "linewidth": 0.8, "linestyle": DASHES[2 - k]}
            named.append(Named(name, None, stroke(axes, rows, 0, **thin), 2 - k))
        own = [
            Named(c.name, c.place, stroke(axes, columns(c.points, x, y), c.place)) for c in curves
        ]
        axes.axhline(0, color=HAIR, linewidth=0.6)
        name_lines(axes, [*own, *named], "upper right")

    return draw(paint)
