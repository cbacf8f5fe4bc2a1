"""A metric as a plain function of labels and output, for tuning and learning curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.measures import Measurer
from evalreport.engine.settings import Settings
from evalreport.engine.thresholds import Resolved
from evalreport.metrics.catalogue import find, metric_named
from evalreport.metrics.declare import Goal
from evalreport.metrics.formula import Value
from evalreport.plan.build import build_plan
from evalreport.plan.build import thresholds as thresholds_of
from evalreport.plan.inputs import Facts, MetricRequest, Requests
from evalreport.plan.task import Task
from evalreport.predict.facts import facts_of
from evalreport.predict.outcome import Codes, Output
from evalreport.predict.view import LabelView


@dataclass(frozen=True)
class Found:
    """A value, None where undefined, with the average and the label that it is of.

    ``left_out``: classes that an average leaves out, as their value is undefined.
    """

    value: float | None
    average: str | None = None
    label: str | None = None
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class MetricValue:
    """One metric at the usual threshold; None where it is undefined or not applicable.

    With two classes the value of the positive one; with more the value over all
    classes, else the macro average.
    """

    metric: str
    params: tuple[tuple[str, Any], ...]
    labels: tuple[str, ...]
    positive: int | None
    settings: Settings

    @property
    def larger_is_better(self) -> bool:
        """Whether a model with a larger value is the better one."""
        declared = find(self.metric)
        return declared is None or declared.goal is not Goal.MINIMIZE

    def __call__(self, actual: Codes, output: Output) -> float | None:
        """The value on some rows."""
        if not len(actual):
            return None
        return self.found(judged(actual, output, self.labels, self.positive)).value

    def found(self, rows: Judged) -> Found:
        """The value on some rows, and which average or label of the metric it is."""
        declared = metric_named(self.metric)
        averages = None if len(self.labels) <= 2 else ("none", "macro")
        requests = Requests(
            (MetricRequest(declared, self.params),),
            averages,
            costs=self.settings.costs is not None,
            outcome_costs=self.settings.outcome_costs,
        )
        task = _representative(build_plan(requests, (rows.facts,)).tasks)
        if task is None:
            return Found(None)
        resolved = {
            one: Resolved(one.number)
            for one in thresholds_of(requests, rows.facts)
            if one is not None
        }
        measurer = Measurer(rows.tables.view, rows.tables, self.settings, resolved)
        made = measurer.compute(replace(task, interval=None)).evaluated
        number = made.outcome.number if isinstance(made.outcome, Value) else None
        return Found(number, task.average, task.label, made.left_out)


@dataclass(frozen=True, eq=False)
class Judged:
    """Some rows and an output for them: their tables, which all metrics share, and their facts."""

    tables: MemoryTables
    facts: Facts


def judged(
    actual: Codes,
    output: Output,
    labels: tuple[str, ...],
    positive: int | None,
    times: Codes | None = None,
) -> Judged:
    """Some rows, at least one, and an output for them.

    ``times``: how many rows each entry stands for, where that is more than one.
    """
    view = view_of_output(actual, output, labels, positive)
    facts = facts_of(view, ())  # entries that stand for several rows are counts, no weights
    if times is not None:
        view = replace(view, weight=times.astype(np.float64))
    return Judged(MemoryTables(view), facts)


def _representative(tasks: tuple[Task, ...]) -> Task | None:
    alone = [task for task in tasks if task.average is None]
    if len(alone) == 1:
        return alone[0]
    declared = find(tasks[0].metric) if tasks else None
    for average in (None, *(declared.speaking_averages if declared is not None else ())):
        for task in tasks:
            if task.average == average and (average is not None or task.label is None):
                return task
    return None


def view_of_output(
    actual: Codes, output: Output, labels: tuple[str, ...], positive: int | None
) -> LabelView:
    """The rows of an output as the engine sees them."""
    output = output.settled(positive)
    return LabelView(
        dataset="rows",
        model="model",
        source=output.source,
        labels=labels,
        positive=positive,
        actual=np.asarray(actual, np.int64),
        row=np.arange(len(actual)),
        predicted=output.predicted,
        score=output.score,
        class_scores=output.class_scores if len(labels) > 2 else None,
        margin_unit=output.margin_unit,
    )


def metric_value(
    metric: str,
    params: Mapping[str, Any],
    labels: tuple[str, ...],
    positive: int | None,
    settings: Settings,
) -> MetricValue:
    """The function of one metric with its parameters."""
    return MetricValue(metric, tuple(sorted(params.items())), labels, positive, settings)
