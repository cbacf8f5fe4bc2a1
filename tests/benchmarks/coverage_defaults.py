"""What a run gives, its fallbacks included: by default, or by a method that was asked for."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalreport.engine.counting.classification import ClassificationTable
from evalreport.engine.intervals.case import ScoreCase, TableCase
from evalreport.engine.intervals.score_intervals import score_interval
from evalreport.engine.intervals.table_intervals import table_interval
from evalreport.engine.metric_values import class_value, evaluated, overall_value
from evalreport.engine.settings import Settings
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Table
from evalreport.metrics.formula import Value
from evalreport.metrics.tables import ScoreTable
from evalreport.plan.inputs import Facts
from evalreport.plan.methods import choose
from evalreport.plan.task import Task
from evalreport.results.identity import EVERYTHING
from evalreport.results.records import Interval

Floats = NDArray[np.float64]
LABELS = ("no", "yes")


@cache
def planned(measure: str, rows: int, asked: str | None = None) -> Task:
    """The task of one measure as a run of so many independent rows would plan it."""
    metric = find(measure)
    facts = Facts("study", "model", "score", LABELS, "yes", rows)
    method, why = choose(metric, None, facts, asked)
    label = "yes" if metric.scope == "class" else None
    task = Task("study", "model", EVERYTHING, measure, (), None, label, None, "", method, why)
    return replace(task, table=metric.table.value)


def of_table(
    measure: str, table: Floats, level: float, asked: str | None = None
) -> Interval | None:
    """The interval of a measure of a two-class table, actual classes in the rows."""
    metric, task = find(measure), planned(measure, int(table.sum()), asked)
    places = [(0, 0), (0, 1), (1, 0), (1, 1)]
    cells = {place: int(table[place]) for place in places if table[place]}
    counted = ClassificationTable(LABELS, 1, cells, int(table.sum()))
    matrix = counted.matrix()
    if metric.table is Table.MATRIX:
        value = overall_value(metric, matrix, {})
    else:
        value = class_value(metric, matrix.one_versus_rest(1), {}, "yes")
    if not isinstance(value.outcome, Value):
        return None
    run: Any = _Run(level, rows=int(table.sum()))
    found = table_interval(TableCase(run, task, metric, {}, value, counted, matrix, None))
    return found if isinstance(found, Interval) else None


def of_scores(
    measure: str,
    scores: ScoreTable,
    replicates: Floats,
    left_out: Any,
    level: float,
    asked: str | None = None,
) -> Interval | None:
    """The interval of a measure of scores, from replicates already drawn."""
    metric, task = find(measure), planned(measure, int(scores.total), asked)
    value = evaluated(metric, metric(scores), "yes")
    if not isinstance(value.outcome, Value):
        return None
    run: Any = _Run(
        level, np.where(np.isfinite(replicates), replicates, np.nan), left_out, int(scores.total)
    )
    found = score_interval(ScoreCase(run, task, metric, {}, value, scores, None))
    return found if isinstance(found, Interval) else None


class _Run:
    """The little that an interval asks of a run: level, class, rows and draws."""

    def __init__(
        self,
        level: float,
        replicates: Floats | None = None,
        left_out: Any = None,
        rows: int = 0,
    ) -> None:
        self.settings = Settings(level=level)
        self.view = SimpleNamespace(weight=None, cluster=None, sample=None, labels=LABELS)
        self.tables = SimpleNamespace(clusters=lambda *_: None, row_count=lambda _: rows)
        self.bootstrap = SimpleNamespace(
            plan=lambda *_: None,
            of_scores=lambda *_: replicates,
            score_jackknife=lambda *_: left_out,
        )

    def class_index(self, task: Task) -> int:
        """Code of the positive class."""
        return 1
