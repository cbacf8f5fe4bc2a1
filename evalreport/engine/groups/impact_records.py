"""The selection and scoring rates of a run's subgroups, as they stand in ``results.json``.

One record for each dataset, model, column or crossing and threshold, and one more for
the scores. Everything comes from the tables, whichever engine counted them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.intervals.impact import (
    Selection,
    impact_ratios,
    median,
    scored_above,
    selection,
)
from evalreport.engine.printed_table import PrintedTable
from evalreport.engine.settings import Settings
from evalreport.engine.thresholds import Resolved
from evalreport.plan.inputs import Facts, slices
from evalreport.plan.task import ThresholdRequest
from evalreport.results.identity import EVERYTHING, Slice
from evalreport.results.records import Impact

if TYPE_CHECKING:
    from evalreport.engine.run_state import RunState

DEPENDENT = "rows of one cluster depend on each other: no interval and no test is given"
WEIGHTED = "rows are weighted: no interval and no test is given"


def impact_records(state: RunState, rates: RatesOf | None = None) -> list[Impact]:
    """Every record of a run; none without subgroups, or for more than two classes.

    ``rates``: who counts the groups of a dataset and model.
    """
    prepared, found = state.prepared, []
    crossings = prepared.loaded.spec.crossings
    for view, facts in zip(prepared.views, prepared.facts, strict=True):
        # a selection rate is a share of all rows
        if not facts.two_classes or facts.unknown:
            continue
        key = (view.dataset, view.model)
        own = [t for e in state.evaluations if e.view is view for t in e.tables]
        labels = [(None, Resolved(None))] if state.first_threshold[key] is None else []
        asked: Sequence[tuple[ThresholdRequest | None, Resolved]] = [
            *labels,
            *state.thresholds[key].items(),
        ]
        impact = (rates or Rates)(state.tables[key], facts, prepared.settings, own)
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


class Rates:
    """Records of one dataset and model."""

    def __init__(
        self,
        tables: MemoryTables,
        facts: Facts,
        settings: Settings,
        records: Sequence[PrintedTable],
    ) -> None:
        self.tables, self.facts, self.settings = tables, facts, settings
        self.ids = {(t.where, t.threshold, t.threshold_rule): t.id for t in records if not t.label}

    def selected(
        self,
        columns: tuple[str, ...],
        groups: Sequence[Slice],
        request: ThresholdRequest | None,
        resolved: Resolved,
    ) -> Impact:
        """Shares of rows predicted positive."""
        number, rule = resolved.number, request.text if request is not None else None
        header = self._header(columns, "selection", number, rule)
        if request is not None and number is None:
            return replace(header, reason=resolved.reason or "there is no such threshold")
        found = [self.predicted(where, number) for where in groups]
        ids = [self.ids.get((where, number, rule)) for where in groups]
        return with_categories(header, found, ids, self.facts, self.settings)

    def scored(self, columns: tuple[str, ...], groups: Sequence[Slice]) -> Impact:
        """Shares of rows whose score is strictly above the median of all rows."""
        header = self._header(columns, "scoring", None, None)
        middle = self.median()
        if middle is None:
            return replace(header, reason="there is no row")
        found = [self.above(where, middle) for where in groups]
        header = replace(header, median=middle)
        return with_categories(header, found, [None] * len(found), self.facts, self.settings)

    def predicted(self, where: Slice, threshold: float | None) -> Selection:
        """The rows of a group that are predicted positive."""
        table = self.tables.classification(where, threshold)
        return selection(table, where.subgroup, self.tables.view.positive_index)

    def median(self) -> float | None:
        """The median score of all rows."""
        return median(self.tables.scores(EVERYTHING))

    def above(self, where: Slice, middle: float) -> Selection:
        """The rows of a group whose score is above the median."""
        rows = self.tables.row_count(where)
        return scored_above(self.tables.scores(where), where.subgroup, middle, rows)

    def _header(
        self, columns: tuple[str, ...], kind: str, threshold: float | None, rule: str | None
    ) -> Impact:
        return Impact(
            dataset=self.facts.dataset,
            model=self.facts.model,
            columns=columns,
            kind=kind,
            label=self.facts.positive,
            threshold=threshold,
            threshold_rule=rule,
            smallest_share=self.settings.impact.smallest_share,
        )


def with_categories(
    header: Impact,
    selections: Sequence[Selection],
    tables: Sequence[str | None],
    facts: Facts,
    settings: Settings,
) -> Impact:
    """The record with a category for each group, its ratio, interval and test."""
    dependent = facts.clustered or facts.weighted
    found = impact_ratios(
        selections, settings.level, independent=not dependent, rule=settings.impact
    )
    reason = DEPENDENT if facts.clustered else WEIGHTED
    return replace(
        header,
        unknown=sum(category.n for category in found if category.unknown),
        categories=tuple(
            replace(category, table=table) for category, table in zip(found, tables, strict=True)
        ),
        interval_reason=reason if dependent else None,
    )


#: What counts the groups of a dataset and model, from its tables.
RatesOf = Callable[[MemoryTables, Facts, Settings, Sequence[PrintedTable]], Rates]
