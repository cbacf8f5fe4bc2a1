"""Subgroups as the coverage study counts them: by the positives of the smaller one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from evalreport.engine.intervals.studied import as_declared
from evalreport.metrics.coverage_study import GROUPS, Drawn
from evalreport.results.records import Measure, Table


@dataclass(frozen=True)
class StudiedGroups:
    """Rows of each class behind the measures of subgroups, by the id of the measure.

    ``rows``: positives and negatives of independent, unweighted rows of two classes; other
    measures are not in it. ``asked``: metrics whose method was asked for in the spec.
    """

    rows: Mapping[str, tuple[float, float]]
    asked: Collection[str] = ()

    def smaller(
        self, metric: str, measures: Sequence[str], *, to_all: bool = False
    ) -> Drawn | None:
        """The one of these measures with the fewest positives; None where one is not known.

        ``to_all``: the second is of all rows, and what is left of them beside the first counts.
        """
        if metric in self.asked or any(name not in self.rows for name in measures):
            return None
        counted = [self.rows[name] for name in measures]
        if to_all:
            (p, n), (all_p, all_n) = counted
            counted = [(p, n), (all_p - p, all_n - n)]
        return Drawn(*min(counted), GROUPS)


def studied_groups(
    measures: Sequence[Measure],
    tables: Sequence[Table],
    asked: Collection[str],
    dependent: Collection[tuple[str, str]],
) -> StudiedGroups:
    """What the study counts of the groups of a run, from its records.

    ``dependent``: datasets with models whose rows depend on each other, which it did not draw.
    """
    by_id = {table.id: table for table in tables}
    found: dict[str, tuple[float, float]] = {}
    for m in measures:
        table = by_id.get(m.table or "")
        if (m.dataset, m.model) in dependent:
            continue
        rows = None if table is None else class_rows(m, table)
        if rows is not None:
            found[m.id] = rows
    return StudiedGroups(found, asked)


def class_rows(m: Measure, table: Table) -> tuple[float, float] | None:
    """Positives and negatives behind a measure; None where they are not as the study drew them."""
    plain = m.weight is None and m.average is None and not table.sampled_rows
    plain = plain and as_declared(m.metric, m.params.items())
    if not plain:
        return None
    positive = table.positive if m.label is None else m.label
    if len(table.labels) != 2 or positive not in table.labels or table.counts is None:
        return None
    if any(count is None for row in table.counts for count in row):
        return None
    totals = [float(sum(count or 0 for count in row)) for row in table.counts]
    place = table.labels.index(positive)
    return totals[place], totals[1 - place]
