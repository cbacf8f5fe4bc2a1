"""Which cells of a table a metric uses, as a small table without counts."""

from __future__ import annotations

from evalreport.report.contents import Contents
from evalreport.report.marking import Marks, given_of, positive_index, role_text, table_marks
from evalreport.report.marking import Shape as TableShape
from evalreport.report.model import Shape
from evalreport.report.parts import CountCell
from evalreport.report.regions import regions
from evalreport.results.records import Measure

#: Tables of more classes have no picture: its cells would be too small to tell.
MOST_CLASSES = 4


def shape_of(contents: Contents, m: Measure) -> Shape | None:
    """The cells that a metric highlights and frames; None where it uses no single cells."""
    table = contents.table_of(m.table)
    if table is None or len(table.labels) > MOST_CLASSES or m.state == "not_applicable":
        return None
    size, costs = len(table.labels), contents.costs_of(table)
    positive = positive_index(table) if size == 2 else None
    index = table.labels.index(m.label) if m.label in table.labels else positive
    many = index is None and not m.average
    if not regions(m.metric, m.params, many, given_of(m, costs)):
        return None
    marks = table_marks(m, TableShape(size, index=index), costs)
    if not (marks.top or marks.frames):
        return None
    return Shape(contents.heading(m), _grid(marks, size, positive))


def _grid(marks: Marks, size: int, positive: int | None) -> tuple[tuple[CountCell, ...], ...]:
    """Names for the counts of two classes, dots for others and for totals."""
    rows = []
    for i in range(size + 1):
        cells = []
        for j in range(size + 1):
            inside = i < size and j < size
            text = role_text(i, j, positive) if inside and positive is not None else "·"
            weight = marks.top.get((i, j)) or marks.prices.get((i, j), "")
            top, frame = (i, j) in marks.top, marks.frames.get((i, j), "")
            cells.append(CountCell(text, "", top, frame, weight, not inside))
        rows.append(tuple(cells))
    return tuple(rows)
