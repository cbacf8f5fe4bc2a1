"""The selection and scoring rates of a run's subgroups, as they stand in ``results.json``.

One record for each dataset, model, column or crossing and threshold, and one more for
the scores. Everything comes from the tables, whichever engine counted them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evalreport.engine.counting.binned_scores import BinnedScores
from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.intervals.impact import (
    Selection,
    impact_ratios,
    median,
    scored_above,
    selection,
)
from evalreport.engine.records import TableRecord
from evalreport.engine.settings import Settings
from evalreport.engine.thresholds import Resolved
from evalreport.plan.asked import slices
from evalreport.plan.facts import Facts
from evalreport.plan.task import EVERYTHING, Slice, ThresholdRequest

if TYPE_CHECKING:
    from evalreport.engine.working import Working

DEPENDENT = "rows of one cluster depend on each other: no interval and no test is given"
WEIGHTED = "rows are weighted: no interval and no test is given"


def impact_records(working: Working) -> list[dict[str, Any]]:
    """Every record of a run; none without subgroups, or for more than two classes."""
    prepared, found = working.prepared, []
    crossings = prepared.loaded.spec.subgroups
    for view, facts in zip(prepared.views, prepared.facts, strict=True):
        if not facts.two_classes:
            continue
        key = (view.dataset, view.model)
        own = [t for e in working.evaluations if e.view is view for t in e.tables]
        asked: Sequence[tuple[ThresholdRequest | None, Resolved]] = [
            *(working.thresholds[key].items() or [(None, Resolved(None))])
        ]
        impact = _Impact(working.tables[key], facts, prepared.settings, own)
        for columns in crossings:
            groups = [
                where
                for where in slices(prepared.requests, facts)
                if tuple(column for column, _ in where.subgroup) == columns
            ]
            for request, resolved in asked:
                found.append(impact.selected(columns, groups, request, resolved))
            if facts.has_scores:
                found.append(impact.scored(columns, groups))
    return found


class _Impact:
    """Records of one dataset and model."""

    def __init__(
        self,
        tables: MemoryTables,
        facts: Facts,
        settings: Settings,
        records: Sequence[TableRecord],
    ) -> None:
        self.tables, self.facts, self.settings = tables, facts, settings
        self.ids = {(t.where, t.threshold, t.threshold_rule): t.id for t in records if not t.label}

    def selected(
        self,
        columns: tuple[str, ...],
        groups: Sequence[Slice],
        request: ThresholdRequest | None,
        resolved: Resolved,
    ) -> dict[str, Any]:
        """Shares of rows predicted positive."""
        number, rule = resolved.number, request.text if request is not None else None
        header = self._header(columns, "selection", number, rule)
        if request is not None and number is None:
            return {**header, "reason": resolved.reason or "there is no such threshold"}
        positive = self.tables.view.positive_index
        found = [
            selection(self.tables.classification(where, number), where.subgroup, positive)
            for where in groups
        ]
        ids = [self.ids.get((where, number, rule)) for where in groups]
        return {**header, **self._body(found, ids)}

    def scored(self, columns: tuple[str, ...], groups: Sequence[Slice]) -> dict[str, Any]:
        """Shares of rows whose score is strictly above the median of all rows."""
        header = self._header(columns, "scoring", None, None)
        whole = self.tables.scores(EVERYTHING)
        if isinstance(whole, BinnedScores):
            return {**header, "reason": "scores are counted in bins: their median is not exact"}
        middle = median(whole)
        if middle is None:
            return {**header, "reason": "there is no row"}
        found = [
            scored_above(
                self.tables.scores(where), where.subgroup, middle, self.tables.row_count(where)
            )
            for where in groups
        ]
        return {**header, "median": middle, **self._body(found, [None] * len(found))}

    def _header(
        self, columns: tuple[str, ...], kind: str, threshold: float | None, rule: str | None
    ) -> dict[str, Any]:
        return {
            "dataset": self.facts.dataset,
            "model": self.facts.model,
            "columns": list(columns),
            "kind": kind,
            "label": self.facts.positive,
            "threshold": threshold,
            "threshold_rule": rule,
            "median": None,
            "smallest_share": self.settings.impact.smallest_share,
            "unknown": 0,
            "categories": [],
            "reason": None,
        }

    def _body(
        self, selections: Sequence[Selection], tables: Sequence[str | None]
    ) -> Mapping[str, Any]:
        rule = self.settings.impact
        dependent = self.facts.clustered or self.facts.weighted
        records = impact_ratios(
            selections, self.settings.level, independent=not dependent, rule=rule
        )
        unknown = [r for r in records if rule.is_unknown(tuple(r["subgroup"].items()))]
        found: dict[str, Any] = {
            "unknown": sum(r["n"] for r in unknown),
            "categories": [
                {**record, "unknown": record in unknown, "table": table}
                for record, table in zip(records, tables, strict=True)
            ],
        }
        if dependent:
            found["interval_reason"] = DEPENDENT if self.facts.clustered else WEIGHTED
        return found
