"""Folds as a chart: for each metric and model a dot for every fold, their mean and its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalreport.report.cards import interval_text
from evalreport.report.charts.canvas import WHOLE, drawing, panel
from evalreport.report.charts.folds import ROW, FoldRow, folds
from evalreport.report.contents import Contents, View, grouped
from evalreport.report.model import Chart, Charts
from evalreport.report.numbers import value_text
from evalreport.report.results_table import sign_of
from evalreport.report.words import counted, listed
from evalreport.results.identity import MEAN_OF_FOLDS
from evalreport.results.records import Measure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Metrics of a chart, and folds of one model from which on they are worth a chart.
MOST_METRICS, FEWEST_FOLDS = 3, 3


def fold_charts(contents: Contents, measures: Sequence[Measure]) -> list[Charts]:
    """The chart of the shares that are better the higher they are; none where there are none.

    ``measures`` are those of single folds, and of their mean.
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

    def draw(figure: Figure) -> None:
        axes = panel(figure, 150, 24, WHOLE - 150 - 110, ROW * len(rows))
        axes.set_xlim(max(0.0, low - 0.03), 1.0)
        folds(axes, rows)

    caption = f"{listed(titles)} by fold"
    number = max(len(row.values) for row in rows)
    aside = (
        f"Dots are the values of {counted(number, 'fold')}; the diamond is their mean, the bar its "
        "interval, which allows for folds that share training rows."
    )
    said = "; ".join(f"{row.name}: mean {row.said}" for row in rows)
    chart = Chart(
        drawing(draw, WHOLE, ROW * len(rows) + 34), f"{caption}. {said}.", caption, aside,
        wide=True, name="folds",
    )  # fmt: skip
    return [Charts((chart,))]


def _row(contents: Contents, view: View, same: Sequence[Measure]) -> FoldRow | None:
    own = [m for m in same if (m.dataset, m.model) == view]
    # whole repeats stand beside their folds, and are no folds
    values = [m.value for m in own if m.value is not None and "fold" in str(m.fold)]
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
