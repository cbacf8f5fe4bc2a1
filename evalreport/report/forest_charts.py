"""Subgroups as a forest plot: one metric, every group with its counts, on one axis."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from evalreport.report.cards import interval_text
from evalreport.report.charts.canvas import WHOLE, drawing, panel
from evalreport.report.charts.forest import BOTTOM, LEFT, RIGHT, ROW, TOP, ForestRow, forest
from evalreport.report.contents import Contents
from evalreport.report.model import Drawing
from evalreport.report.numbers import value_text
from evalreport.report.results_table import stands_on_few
from evalreport.report.strips import fraction_text, slice_heads
from evalreport.results.records import Measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def group_rows(
    contents: Contents, measures: Sequence[Measure], slices: Sequence[str]
) -> list[ForestRow]:
    """Lines of one metric: all rows first, then the groups in their order, models below each."""
    found: list[ForestRow] = []
    several = len({m.model for m in measures}) > 1
    for name in ("all rows", *slices):
        own = [m for m in measures if slice_heads(m.subgroup) == name]
        if several and own:
            found.append(ForestRow(name))
        found += [_line(contents, m, name, inner=several) for m in own]
    return found


def _line(contents: Contents, m: Measure, name: str, *, inner: bool) -> ForestRow:
    few = bool(m.subgroup) and stands_on_few(contents, m)
    interval = m.interval
    said = value_text(m.value) if m.value is not None else m.state.replace("_", " ")
    if interval is not None and m.value is not None:
        said += f" ({interval_text(interval, m.value)})"
    told = contents.mark((m.dataset, m.model)).name if inner else name
    return ForestRow(
        f"{told}, too few" if few else told,
        contents.models.index(m.model),
        m.value,
        None if interval is None else interval.low,
        None if interval is None else interval.high,
        fraction_text(contents, m),
        said,
        float(m.denominator or m.n or 1),
        few,
        inner,
    )


def ends_of(rows: Sequence[ForestRow]) -> tuple[float, float]:
    """The ends of the axis: 0 to 1 for shares, else what the values and limits span."""
    told = [x for row in rows for x in (row.value, row.low, row.high) if x is not None]
    if not told:
        return 0.0, 1.0
    low, high = min(told), max(told)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    room = 0.05 * (high - low) or 0.5
    return low - room, high + room


def required_of(contents: Contents, measures: Sequence[Measure]) -> float | None:
    """What a criterion requires of the metric, where it is one value for all of these."""
    asked = {
        entry.required
        for m in measures
        for entry in contents.criteria.get(m.id, ())
        if entry.reference is None and entry.required is not None
    }
    return float(asked.pop()) if len(asked) == 1 else None


def on_axes(
    axes: Axes, contents: Contents, measures: Sequence[Measure], slices: Sequence[str]
) -> None:
    """The forest plot of one metric over these groups."""
    rows = group_rows(contents, measures, slices)
    counted = any(row.counts for row in rows)
    heads = ("found / of" if counted else "", contents.title(measures[0]))
    forest(axes, rows, ends_of(rows), heads=heads, required=required_of(contents, measures))


def group_drawing(
    contents: Contents, measures: Sequence[Measure], slices: Sequence[str]
) -> Drawing:
    """The same as a drawing of a page."""
    count = len(group_rows(contents, measures, slices))
    return drawing(
        partial(_draw, contents, measures, slices), WHOLE, TOP + BOTTOM + 12 + ROW * count
    )


def _draw(
    contents: Contents, measures: Sequence[Measure], slices: Sequence[str], figure: Figure
) -> None:
    high = 72 * figure.get_size_inches()[1]
    axes = panel(figure, LEFT, BOTTOM, WHOLE - LEFT - RIGHT - 4, high - BOTTOM - TOP - 8)
    on_axes(axes, contents, measures, slices)
