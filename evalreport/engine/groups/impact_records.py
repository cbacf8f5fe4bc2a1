"""The selection and scoring rates of a run's subgroups, as they stand in ``results.json``.

One record for each dataset, model, column or crossing and threshold, and one more for
the scores. Everything comes from the tables, whichever engine counted them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evalreport.engine.intervals.impact import (
    Selection,
    impact_ratios,
    median,
    scored_above,
    selection,
)
from evalreport.engine.thresholds import Resolved
from evalreport.plan.inputs import Facts, slices
from evalreport.plan.methods import method_of_ratios
from evalreport.plan.task import ThresholdRequest
from evalreport.predict.view import View
from evalreport.results.identity import EVERYTHING, Slice
from evalreport.results.records import Impact
from evalreport.statistics.ratios import RATIO_METHODS

if TYPE_CHECKING:
    from evalreport.engine.run_state import RunState

OF_MEASURES = "the limits that the spec asks for are those of the measures"
DEPENDENT = "rows of one cluster depend on each other: no interval and no test is given"
WEIGHTED = "rows are weighted: no interval and no test is given"


def impact_records(state: RunState) -> list[Impact]:
    """Every record of a run; none without subgroups, or for more than two classes."""
    return [counted(state, one) for one in planned_impact(state)]


def planned_impact(state: RunState) -> Iterator[Impact]:
    """The record of each columns and threshold, and of the scores, before groups are counted."""
    prepared, settings = state.prepared, state.prepared.settings
    for facts in prepared.facts:
        # a selection rate is a share of all rows
        if not facts.two_classes or facts.unknown:
            continue
        key = (facts.dataset, facts.model)
        asked: list[tuple[ThresholdRequest | None, Resolved]] = [*state.thresholds[key].items()]
        if state.first_threshold[key] is None:
            asked.insert(0, (None, Resolved(None)))
        for columns in prepared.loaded.spec.crossings:
            header = Impact(
                dataset=facts.dataset,
                model=facts.model,
                columns=columns,
                kind="scoring",
                label=facts.positive,
                threshold=None,
                threshold_rule=None,
                smallest_share=settings.impact.smallest_share,
            )
            for request, resolved in asked:
                none = request is not None and resolved.number is None
                yield replace(
                    header,
                    kind="selection",
                    threshold=resolved.number,
                    threshold_rule=None if request is None else request.text,
                    reason=(resolved.reason or "there is no such threshold") if none else None,
                )
            if facts.has_scores:
                yield header


def counted(state: RunState, one: Impact) -> Impact:
    """What was planned: shares of rows predicted positive, or that score above the median."""
    tables, found = state.tables[one.dataset, one.model], list[Selection]()
    if one.kind == "scoring":
        one = replace(one, median=median(tables.scores(EVERYTHING)))
    for where in groups_of(state, one):
        if one.kind == "selection" and one.reason is None:
            table = tables.classification(where, one.threshold)
            found.append(selection(table, where.subgroup, tables.view.positive_index))
        elif one.median is not None:
            scores, rows = tables.scores(where), tables.row_count(where)
            found.append(scored_above(scores, where.subgroup, one.median, rows))
    return filled(state, one, found)


def groups_of(state: RunState, one: Impact) -> list[Slice]:
    """The groups of the columns of a record."""
    every = slices(state.prepared.requests, _seen(state, one)[1])
    return [w for w in every if tuple(column for column, _ in w.subgroup) == one.columns]


def filled(state: RunState, one: Impact, counts: Sequence[Selection]) -> Impact:
    """The record with a category for each group, its ratio, interval and test."""
    if one.kind == "scoring" and one.median is None:
        return replace(one, reason="there is no row")
    if one.reason is not None:
        return one
    settings, (view, facts) = state.prepared.settings, _seen(state, one)
    ids = {
        table.where: table.id
        for evaluation in state.evaluations
        for table in evaluation.tables
        if evaluation.view is view and not table.label and one.kind == "selection"
        if (table.threshold, table.threshold_rule) == (one.threshold, one.threshold_rule)
    }
    method = method_of_ratios(state.prepared.requests, facts)
    found = impact_ratios(
        counts,
        settings.level,
        method=method,
        independent=not (facts.clustered or facts.weighted),
        rule=settings.impact,
    )
    return replace(
        one,
        unknown=sum(category.n for category in found if category.unknown),
        categories=tuple(
            replace(category, table=ids.get(Slice(own.group)))
            for category, own in zip(found, counts, strict=True)
        ),
        interval_reason=_no_interval(facts, method),
    )


def _no_interval(facts: Facts, method: str | None) -> str | None:
    """Why ratios have no limits here; None where they have."""
    if facts.clustered or facts.weighted:
        return DEPENDENT if facts.clustered else WEIGHTED
    return None if method in RATIO_METHODS else OF_MEASURES


def _seen(state: RunState, one: Impact) -> tuple[View, Facts]:
    """The model of a record, with what the planner knows of it."""
    both = zip(state.prepared.views, state.prepared.facts, strict=True)
    key = (one.dataset, one.model)
    return next((view, facts) for view, facts in both if (view.dataset, view.model) == key)
