"""A classification table beside its numbers, before it becomes a record of the results."""

from __future__ import annotations

from dataclasses import dataclass

from evalreport.engine.counting.classification import DENSE_LABELS, ClassificationTable
from evalreport.results.identity import Slice
from evalreport.results.records import MissingRows, Table


@dataclass(frozen=True)
class PrintedTable:
    """One classification table with the id that numbers name it by, and its place.

    ``unknown``: cells that nobody counted, null in the results.
    """

    id: str
    dataset: str
    model: str
    where: Slice
    threshold: float | None
    threshold_rule: str | None
    table: ClassificationTable
    label: str | None = None
    missing: MissingRows | None = None
    unknown: frozenset[tuple[int, int]] = frozenset()

    def record(self) -> Table:
        """The table as it stands in the results; above 500 labels as non-zero cells."""
        table = self.table
        two = table.positive is not None and table.size <= 2
        dense = table.size <= DENSE_LABELS
        cells = tuple((i, j, count) for (i, j), count in sorted(table.cells.items()))
        return Table(
            id=self.id,
            dataset=self.dataset,
            model=self.model,
            subgroup=dict(self.where.subgroup),
            fold=self.where.fold,
            threshold=self.threshold,
            threshold_rule=self.threshold_rule,
            labels=table.labels,
            positive=table.labels[table.positive or 0] if two else None,
            counts=self._counts() if dense else None,
            cells=None if dense else cells,
            label=self.label,
            missing=self.missing,
            extra_columns=table.extra,
            sampled_rows=_rows(table.sampled_counts()) if dense else None,
        )

    def _counts(self) -> tuple[tuple[int | float | None, ...], ...]:
        return tuple(
            tuple(None if (i, j) in self.unknown else count for j, count in enumerate(row))
            for i, row in enumerate(self.table.counts())
        )


def _rows(counts: list[list[int | float]] | None) -> tuple[tuple[int, ...], ...] | None:
    return None if counts is None else tuple(tuple(map(int, row)) for row in counts)
