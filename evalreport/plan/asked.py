"""What is asked of the planner, free of how it was written, and for which slices and tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evalreport.metrics.declare import Metric, Table
from evalreport.plan.facts import Facts
from evalreport.plan.task import ThresholdRequest
from evalreport.results.identity import EVERYTHING, MEAN_OF_FOLDS, Slice

#: Above so many classes there is no record per class; averages and totals stay.
RECORDS_PER_CLASS = 500

#: From so many groups of one column or crossing on, the plan says how many tasks they make.
MANY_GROUPS = 24

ZERO = ThresholdRequest(0.0)
HALF = ThresholdRequest(0.5)


@dataclass(frozen=True)
class MetricRequest:
    """A metric with the parameters the spec gives it."""

    metric: Metric
    params: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Requests:
    """What a spec asks to be measured, free of how it was written.

    ``averages`` is None where the spec leaves the default; ``none`` in it stands
    for one record per class. ``thresholds`` is empty for the default. ``periods`` are the
    columns among ``subgroups`` that are periods of time.
    """

    metrics: tuple[MetricRequest, ...]
    averages: tuple[str, ...] | None = None
    thresholds: tuple[ThresholdRequest, ...] = ()
    methods: Mapping[str, str] = field(default_factory=dict)
    costs: bool = False
    one_versus_rest: bool = False
    subgroups: tuple[tuple[str, ...], ...] = ()
    periods: frozenset[str] = frozenset()


def slices(requests: Requests, facts: Facts) -> tuple[Slice, ...]:
    """All rows, then each subgroup once, then each fold and the mean over folds."""
    found: dict[Slice, None] = {EVERYTHING: None}
    groups = facts.groups or {}
    for columns in requests.subgroups:
        for values in groups.get(columns, ()):
            found[Slice(tuple(zip(columns, values, strict=True)))] = None
    for fold in facts.folds:
        found[Slice(fold=fold)] = None
    if facts.folds:
        found[Slice(fold=MEAN_OF_FOLDS)] = None
    return tuple(found)


def needed_table(metric: Metric, facts: Facts) -> Table:
    """The table a metric needs here: some need another one for more than two classes."""
    if facts.two_classes:
        return metric.table
    return metric.classes_table or metric.table
