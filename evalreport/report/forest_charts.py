"""Forest plots of the page: a metric over subgroups or classes, and differences of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evalreport.numbers import count_text, value_text
from evalreport.report.cards import interval_text
from evalreport.report.charts.canvas import BESIDE, WHOLE, drawing, panel
from evalreport.report.charts.forest import (
    BOTTOM,
    RIGHT,
    ROW,
    TOP,
    Forest,
    ForestRow,
    forest,
)
from evalreport.report.contents import Contents, view_of
from evalreport.report.model import Chart, Charts
from evalreport.report.words import listed
from evalreport.report.worst import share_of_rows, sign_of, stands_on_few, worst_of
from evalreport.results.records import Measure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Groups of a plot, and how many are shown however many models there are.
MOST_GROUPS, FEWEST_GROUPS = 24, 5
#: Lines of a plot: it stands on one page.
MOST_ROWS = 60
#: Room for names in a plot beside the square chart of the first page, in points.
LEFT_BESIDE = 118.0


def most_groups(models: int) -> int:
    """How many groups a plot or a table holds: each has a line for every model, and a head."""
    return min(MOST_GROUPS, max(FEWEST_GROUPS, MOST_ROWS // (models + 1) - 1))


def over_groups(contents: Contents, groups: Mapping[str, Sequence[Measure]]) -> Forest:
    """One metric over named groups in their order, models below each."""
    measures = [m for own in groups.values() for m in own]
    several = len({(m.dataset, m.model) for m in measures}) > 1
    counted = any(share_of_rows(contents, m) for m in measures)
    rows: list[ForestRow] = []
    for name, own in groups.items():
        rows += [ForestRow(name)] if several and own else []
        rows += [_line(contents, m, name, inner=several, counted=counted) for m in own]
    one = len({m.label for m in measures}) == 1
    title = contents.title(measures[0]) if one else contents.heading(measures[0])
    heads = ("fraction" if counted else "rows", title)
    return Forest(rows, heads)


def _line(contents: Contents, m: Measure, name: str, *, inner: bool, counted: bool) -> ForestRow:
    few = stands_on_few(contents, m)
    interval = m.interval
    said = value_text(m.value) if m.value is not None else m.state.replace("_", " ")
    if interval is not None:
        said += f" ({interval_text(interval, m.value)})"
    told = contents.mark((m.dataset, m.model)).name if inner else name
    required = set(contents.required(m))
    return ForestRow(
        f"{told}, too few" if few else told,
        contents.models.index(m.model),
        m.value,
        None if interval is None else interval.low,
        None if interval is None else interval.high,
        share_of_rows(contents, m) if counted else count_text(m.n),
        said,
        float(m.denominator or m.n or 1),
        few,
        inner,
        required.pop() if len(required) == 1 else None,
    )


def worst_words(contents: Contents, groups: Mapping[str, Sequence[Measure]], kind: str) -> str:
    """Where a metric is worst among groups with rows enough to judge; nothing where none are.

    ``kind`` is the word for a group, where it is no name by itself.
    """
    sliced = any(m.subgroup for own in groups.values() for m in own)
    judged = {
        m.id: (m, f"{kind}{name}")
        for name, own in groups.items()
        for m in own
        if m.value is not None and bool(m.subgroup) is sliced and not stands_on_few(contents, m)
    }
    worst = worst_of([m for m, _ in judged.values()])
    if worst is None:
        return ""
    most = "lowest" if sign_of(worst.metric) > 0 else "highest"
    several = len(contents.views) > 1
    value = value_text(worst.value or 0.0)
    alike = [
        name + (f" ({contents.mark(view_of(m)).name})" if several else "")
        for m, name in judged.values()
        if (m.metric, m.params) == (worst.metric, worst.params)
        and value_text(m.value or 0.0) == value
    ]
    few = any(m.subgroup and stands_on_few(contents, m) for own in groups.values() for m in own)
    enough = ", of groups with rows enough" if few else ""
    return f"{contents.heading(worst)} is {most} in {listed(alike)}: {value}{enough}"


def squares_text(shown: Forest) -> str:
    """What the size of squares means, and that some are hollow."""
    hollow = ", hollow for too few to judge" if any(row.few for row in shown.rows) else ""
    return f"Squares are larger for more rows{hollow}."


def forest_chart(
    shown: Forest, caption: str, aside: str, name: str, finding: str = "", *, beside: bool = False
) -> Charts:
    """The plot as a chart of the page, its values in words for those who do not see it.

    ``beside``: as wide as what stands beside the square chart of the first page.
    """
    if len(shown.rows) > MOST_ROWS:
        aside += f" {MOST_ROWS} of {len(shown.rows)} lines are drawn."
        shown = replace(shown, rows=shown.rows[:MOST_ROWS])
    high, wide = ROW * len(shown.rows), BESIDE if beside else WHOLE
    shown = replace(shown, left=LEFT_BESIDE) if beside else shown

    def draw(figure: Figure) -> None:
        forest(panel(figure, shown.left, BOTTOM, wide - shown.left - RIGHT - 4, high + 4), shown)

    said = "; ".join(f"{row.name}: {row.said}".removesuffix(": ") for row in shown.rows)
    made = drawing(draw, wide, TOP + BOTTOM + 12 + high)
    chart = Chart(
        made, f"{caption}. {said}.", caption, aside, wide=not beside, finding=finding, name=name
    )
    return Charts((chart,), "beside" if beside else "")
