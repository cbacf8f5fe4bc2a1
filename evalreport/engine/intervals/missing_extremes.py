"""Worst and best case of a measure of one class against the rest that is no share of rows.

Rows that lack the same things are placed together: all of them into one cell that they may
be of, or half into each of two. Where a measure moves one way while a row moves from one
cell to another (F1, Jaccard index, balanced accuracy with known targets, likelihood ratios,
costs), its extremes are among the placements of all; the halves also try what lies between.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.evaluate import stacked_value
from evalreport.engine.intervals.missing_rows import CELLS, Groups, Number
from evalreport.metrics.declare import Interval, Metric
from evalreport.metrics.tables import Counts
from evalreport.results.records import Cells, MissingBounds, OfCells

Placement = Mapping[str, Number]


def extremes(
    metric: Metric, arguments: Mapping[str, Any], own: Counts, groups: Groups
) -> MissingBounds | None:
    """The least and the greatest value, each with its four cells.

    None for p values and measures of several groups. Of complete rows that have a value, every
    placement has one: rows are only added.

    Args:
        metric: of one class against the rest.
        arguments: of the metric.
        own: the cells of the complete rows.
        groups: how many rows may be of which cells.
    """
    if metric.interval is Interval.NONE or "highest" in metric.context:
        return None
    held = {cell: getattr(own, cell).value for cell in CELLS}
    tables = [
        {cell: held[cell] + added.get(cell, 0) for cell in CELLS} for added in _placements(groups)
    ]
    function = stacked_value(metric, arguments, average=None, index=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.real(np.asarray(function(_stack(tables)), np.complex128)).astype(np.float64)
    if not np.isfinite(values).all():
        return None
    least, most = int(np.argmin(values)), int(np.argmax(values))
    low, high = (OfCells(float(values[place]), Cells(**tables[place])) for place in (least, most))
    return MissingBounds(low, high)


def _stack(tables: Sequence[Placement]) -> npt.NDArray[np.float64]:
    """Tables with the actual classes in the rows, the rest first; shape (b, 2, 2)."""
    order = [("tn", "fp"), ("fn", "tp")]
    return np.array([[[t[cell] for cell in row] for row in order] for t in tables], np.float64)


def _placements(groups: Groups) -> Iterator[dict[str, Number]]:
    """What is added to the cells, for every way of placing the groups."""
    ways = [list(_ways(count, cells)) for count, cells in groups if count]
    for chosen in itertools.product(*ways):
        added: dict[str, Number] = {}
        for part in chosen:
            for cell, count in part.items():
                added[cell] = added.get(cell, 0) + count
        yield added


def _ways(count: Number, cells: tuple[str, ...]) -> Iterator[dict[str, Number]]:
    yield from ({cell: count} for cell in cells)
    half = count // 2 if isinstance(count, int) else count / 2
    if half:
        yield from ({a: half, b: count - half} for a, b in itertools.combinations(cells, 2))
