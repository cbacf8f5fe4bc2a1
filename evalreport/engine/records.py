"""The records a run leaves: plain, frozen, one per number, as they stand in ``results.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evalreport.engine.counting.classification import DENSE_LABELS, ClassificationTable
from evalreport.engine.interval_result import IntervalResult
from evalreport.engine.intervals.missing_rows import Missing
from evalreport.plan.task import Slice


@dataclass(frozen=True)
class Measure:
    """One number of the report with everything needed to check it."""

    id: str
    dataset: str
    model: str
    where: Slice
    metric: str
    title: str
    params: Mapping[str, Any]
    average: str | None
    label: str | None
    threshold: float | None
    threshold_rule: str | None
    state: str
    value: float | None
    reason: str | None
    interval: IntervalResult | None
    n: int
    table: str | None
    formula: str
    substituted: str
    numerator: float | int | None = None
    denominator: float | int | None = None
    indeterminate: str | None = None
    exploratory: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The record as plain data."""
        return {
            "id": self.id,
            "dataset": self.dataset,
            "model": self.model,
            "subgroup": dict(self.where.subgroup),
            "fold": self.where.fold,
            "metric": self.metric,
            "title": self.title,
            "params": dict(self.params),
            "average": self.average,
            "label": self.label,
            "threshold": self.threshold,
            "threshold_rule": self.threshold_rule,
            "state": self.state,
            "value": self.value,
            "reason": self.reason,
            "interval": None if self.interval is None else self.interval.as_json(),
            "numerator": self.numerator,
            "denominator": self.denominator,
            "n": self.n,
            "table": self.table,
            "formula": self.formula,
            "substituted": self.substituted,
            **({"indeterminate": self.indeterminate} if self.indeterminate else {}),
            **({"exploratory": True} if self.exploratory else {}),
            **self.extra,
        }


@dataclass(frozen=True)
class TableRecord:
    """One classification table as it is printed beside its numbers."""

    id: str
    dataset: str
    model: str
    where: Slice
    threshold: float | None
    threshold_rule: str | None
    table: ClassificationTable
    label: str | None = None
    missing: Missing | None = None

    def as_json(self) -> dict[str, Any]:
        """The record as plain data; above 500 labels as non-zero cells."""
        table = self.table
        positive = None
        if table.positive is not None and table.size <= 2:
            positive = table.labels[table.positive]
        dense = table.size <= DENSE_LABELS
        body: dict[str, Any] = {
            "id": self.id,
            "dataset": self.dataset,
            "model": self.model,
            "subgroup": dict(self.where.subgroup),
            "fold": self.where.fold,
            "threshold": self.threshold,
            "threshold_rule": self.threshold_rule,
            "labels": list(table.labels),
            "positive": positive,
            "rows": "actual",
            "columns": "predicted",
            "counts": table.counts() if dense else None,
        }
        if not dense:
            body["cells"] = [[i, j, count] for (i, j), count in sorted(table.cells.items())]
        if self.label is not None:
            body["label"] = self.label
        if self.missing is not None:
            body["missing"] = self.missing.as_json()
        if table.extra:
            body["extra_columns"] = list(table.extra)
        return body
