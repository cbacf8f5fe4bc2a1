"""Repeats of cross-validation: each pooled by itself, and how far they lie apart.

The pooled records (fold null) are those of the first repeat, where every row stands
once. Each further repeat gives records of its own, without intervals: they share their
rows with the first, so they tell of the folding and not of more data.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from evalreport.engine.evaluation import Evaluation, Numbering, evaluate_view
from evalreport.engine.measures import Measurer, Resolved
from evalreport.engine.memory import MemoryTables
from evalreport.engine.records import Measure
from evalreport.engine.settings import Settings
from evalreport.plan.task import EVERYTHING, Plan, Slice, ThresholdRequest
from evalreport.predict.outcome import repeat_summary
from evalreport.predict.view import View


def evaluate_repeats(
    first: Evaluation,
    views: tuple[View, ...],
    plan: Plan,
    settings: Settings,
    thresholds: dict[ThresholdRequest, Resolved],
    request: ThresholdRequest | None,
    numbering: Numbering,
) -> tuple[Evaluation, ...]:
    """The first repeat with a summary of all of them, then each further repeat.

    ``views``: one per further repeat, with one fold that names it. Thresholds are those
    of the first repeat.
    """
    further = []
    for view in views:
        assert view.fold is not None
        where = Slice(fold=view.fold[1][0])
        own = Plan(
            tuple(
                replace(task, where=where, interval=None)
                for task in plan.tasks
                if (task.dataset, task.model) == (view.dataset, view.model)
                and task.where == EVERYTHING
            ),
            (),
        )
        tables = MemoryTables(view)
        measurer = Measurer(view, tables, settings, thresholds)
        further.append(evaluate_view(own, measurer, tables, numbering, request))
    if not further:
        return (first,)
    return replace(first, measures=_summarised(first, further)), *further


def _summarised(first: Evaluation, further: list[Evaluation]) -> list[Measure]:
    values = [{_identity(m): m.value for m in one.measures} for one in further]
    return [
        _with_summary(m, [m.value, *(found.get(_identity(m)) for found in values)])
        if m.where == EVERYTHING
        else m
        for m in first.measures
    ]


def _with_summary(measure: Measure, values: list[float | None]) -> Measure:
    summary = asdict(repeat_summary(values))
    return replace(measure, extra={**measure.extra, "repeats": summary | {"values": values}})


def _identity(m: Measure) -> tuple[Any, ...]:
    params = tuple(sorted(m.params.items()))
    return (m.metric, params, m.average, m.label, m.threshold_rule, m.threshold, m.indeterminate)
