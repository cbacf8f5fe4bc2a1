"""Repeats of cross-validation: each pooled by itself, its folds, and how far they lie apart.

The pooled records (fold null) are those of the first repeat, where every row stands
once. Each further repeat gives pooled records of its own, and records of its folds, all
without intervals: they share their rows with the first, so they tell of the folding and
not of more data. The mean over folds is over the folds of every repeat; its interval
corrects for shared rows (Bouckaert and Frank 2004, the form of Nadeau and Bengio for
repeated cross-validation).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from evalreport.engine.evaluation import Evaluation, LabelEvaluator
from evalreport.plan.task import Plan, Task
from evalreport.predict.outcome import repeat_summary
from evalreport.predict.view import LabelView
from evalreport.results.identity import EVERYTHING, REPEATS_SHARE_ROWS, Slice
from evalreport.results.records import Measure


def evaluate_repeats(
    first: LabelEvaluator,
    views: tuple[LabelView, ...],
    plan: Plan,
    step: Callable[[], None] = lambda: None,
    one_versus_rest: bool = False,
) -> tuple[Evaluation, ...]:
    """The first repeat with a summary of all of them, then each further repeat and its folds.

    ``views``: one per further repeat, with its folds. Thresholds are those of the first
    repeat.
    """
    result = first.run(plan, step, one_versus_rest, means=not views)
    first.tables_at_thresholds()
    if not views:
        return (result,)
    wholes = [_whole(first, view, f"repeat {k}", plan) for k, view in enumerate(views, start=2)]
    folds = [_folds(first, view, plan) for view in views]
    first.mean_over(plan, (first, *folds))
    summed = replace(result, measures=_summarised(result, [one.result for one in wholes]))
    pairs = zip(wholes, folds, strict=True)
    return (summed, *(part.result for pair in pairs for part in pair))


def _whole(first: LabelEvaluator, view: LabelView, name: str, plan: Plan) -> LabelEvaluator:
    """All rows of a repeat as one fold that is named after it."""
    codes = np.zeros(view.rows, np.int64)
    whole = replace(view, fold=(codes, (name,)), fold_sizes=None)
    return _evaluated(first, whole, _copied(first, plan, EVERYTHING, [name]))


def _folds(first: LabelEvaluator, view: LabelView, plan: Plan) -> LabelEvaluator:
    """The folds of a repeat, by the tasks of the first fold of the first."""
    assert first.view.fold is not None
    assert view.fold is not None
    pattern = Slice(fold=first.view.fold[1][0])
    return _evaluated(first, view, _copied(first, plan, pattern, view.fold[1]))


def _copied(first: LabelEvaluator, plan: Plan, pattern: Slice, names: Any) -> Plan:
    """The tasks of one slice, and its refusals, for folds of these names."""

    def own(task: Task) -> bool:
        same = (task.dataset, task.model) == (first.view.dataset, first.view.model)
        return same and task.where == pattern

    tasks = [task for task in plan.tasks if own(task)]
    refused = [one for one in plan.skipped if own(one.record)]
    return Plan(
        tuple(
            replace(task, where=Slice(fold=name), interval=None, why=REPEATS_SHARE_ROWS)
            for name in names
            for task in tasks
        ),
        tuple(
            replace(one, record=replace(one.record, where=Slice(fold=name)))
            for name in names
            for one in refused
        ),
    )


def _evaluated(first: LabelEvaluator, view: LabelView, plan: Plan) -> LabelEvaluator:
    made = first.on(view)
    made.run(plan)
    return made


def _summarised(first: Evaluation, further: list[Evaluation]) -> list[Measure]:
    values = [{_identity(m): m.value for m in one.measures} for one in further]
    return [
        _with_summary(m, [m.value, *(found.get(_identity(m)) for found in values)])
        if m.where == EVERYTHING
        else m
        for m in first.measures
    ]


def _with_summary(measure: Measure, values: list[float | None]) -> Measure:
    return replace(measure, repeats=repeat_summary(values))


def _identity(m: Measure) -> tuple[Any, ...]:
    params = tuple(sorted(m.params.items()))
    return (m.metric, params, m.average, m.label, m.threshold_rule, m.threshold, m.indeterminate)
