"""Folds as a chart: for each metric and model a dot for every fold, their mean and its interval."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalreport.report.cards import interval_text
from evalreport.report.charts.canvas import BESIDE, WHOLE, drawing, panel
from evalreport.report.charts.folds import ROW, FoldRow, folds
from evalreport.report.contents import Contents, View, grouped
from evalreport.report.model import Chart, Charts
from evalreport.report.numbers import value_text
from evalreport.report.words import counted, listed
from evalreport.report.worst import sign_of
from evalreport.results.identity import MEAN_OF_FOLDS
from evalreport.results.records import Measure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Metrics of a chart, and folds of one model from which on they are worth a chart.
MOST_METRICS, FEWEST_FOLDS = 3, 3
#: Room for names and for numbers beside the axis, in points.
NAMES, NAMES_BESIDE, NUMBERS = 150.0, 112.0, 110.0


def fold_charts(
    contents: Contents, measures: Sequence[Measure], *, beside: bool = False
) -> list[Charts]:
    """The chart of the shares that are better the higher they are; none where there are none.

    ``measures`` are those of single folds, and of their mean. ``beside``: as wide as what stands
    beside the square chart of the first page.
    """
    rows: list[FoldRow] = []
    titles: list[str] = []
    for same in grouped(measures).values():
        made = [row for view in contents.views if (row := _row(contents, view, same))]
        told = [x for row in made for x in (*row.values, row.low, row.high) if x is not None]
        shares = told and min(told) >= 0 and max(told) <= 1
        if shares and sign_of(same[0].metric) > 0 and len(titles) < MOST_METRICS:
            rows += made
            titles.append(contents.title(same[0]))
    if not rows:
        return []
    low = min(min(*row.values, row.low or 1.0) for row in rows)
    wide, names = (BESIDE, NAMES_BESIDE) if beside else (WHOLE, NAMES)

    def draw(figure: Figure) -> None:
        axes = panel(figure, names, 24, wide - names - NUMBERS, ROW * len(rows))
        axes.set_xlim(max(0.0, low - 0.03), 1.0)
        folds(axes, rows, names)

    caption = f"{listed(titles)} by fold"
    number = max(len(row.values) for row in rows)
    aside = (
        f"Dots are the values of {counted(number, 'fold')}; the diamond is their mean, the bar its "
        "interval, which allows for folds that share training rows."
    )
    if beside:
        aside = f"Dots: {counted(number, 'fold')}; diamond and bar: mean and its interval."
    said = "; ".join(f"{row.name}: mean {row.said}" for row in rows)
    chart = Chart(
        drawing(draw, wide, ROW * len(rows) + 34), f"{caption}. {said}.", caption, aside,
        wide=not beside, name="folds",
    )  # fmt: skip
    return [Charts((chart,), "beside" if beside else "")]


def _row(contents: Contents, view: View, same: Sequence[Measure]) -> FoldRow | None:
    own = [m for m in same if (m.dataset, m.model) == view]
    folds = [m for m in own if m.fold != MEAN_OF_FOLDS and not _is_whole_repeat(str(m.fold))]
    values = [m.value for m in folds if m.value is not None]
    average = next((m for m in own if m.fold == MEAN_OF_FOLDS and m.value is not None), None)
    if average is None or average.value is None or len(values) < FEWEST_FOLDS:
        return None
    interval = average.interval
    limits = interval_text(interval, average.value)
    return FoldRow(
        f"{contents.title(average)}, {contents.mark(view).name}",
        contents.models.index(view[1]),
        tuple(values),
        average.value,
        None if interval is None else interval.low,
        None if interval is None else interval.high,
        f"{value_text(average.value)} ({limits})" if limits else value_text(average.value),
    )


def _is_whole_repeat(fold: str) -> bool:
    """Whether a name is that of all folds of a repeat: ``repeat 2``, not ``repeat 2 fold 1``."""
    return re.fullmatch(r"repeat \d+", fold) is not None
