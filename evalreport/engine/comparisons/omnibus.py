"""One test of all models of a dataset on the rows that all of them use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from evalreport.engine.comparisons.areas import scale
from evalreport.engine.comparisons.pairs import Side, each_row_of, side_of, together
from evalreport.engine.measures import shown_params
from evalreport.metrics.catalogue import metric_named
from evalreport.metrics.formula import Value
from evalreport.plan.comparisons import OmnibusTask, plan_omnibus
from evalreport.plan.task import Task
from evalreport.results.records import OmnibusTest
from evalreport.statistics import several
from evalreport.statistics.tail import ChiSquare

if TYPE_CHECKING:
    from evalreport.engine.run_state import RunState

ALIKE = "the models do not differ on any row: no statistic can be formed"
Sides = Sequence[Side]


def omnibus_records(state: RunState) -> list[OmnibusTest]:
    """One record for each planned test; what cannot be tested is in the plan with its reason."""
    found = []
    for _, group in groupby(
        planned_tests(state), key=lambda one: [(t.dataset, t.model) for t in one.tasks]
    ):
        alike = list(group)
        sides = sides_of(state, alike[0])
        rows = together(sides)
        rows = rows if isinstance(rows, str) else [each_row_of(side) for side in rows]
        found += [_record(rows, one, sides) for one in alike]
    return found


def planned_tests(state: RunState) -> list[OmnibusTask]:
    """The tests that the spec asks for and that can be made."""
    asked, prepared = state.prepared.loaded.spec.comparisons, state.prepared
    if asked is None or not asked.omnibus:
        return []
    return [one for one in plan_omnibus(prepared.plan.tasks, prepared.facts) if not one.reason]


def sides_of(state: RunState, asked: OmnibusTask) -> list[Side]:
    """The models of a test with their tables."""
    return [side_of(state, (task.dataset, task.model)) for task in asked.tasks]


def planned_record(asked: OmnibusTask, sides: Sides) -> OmnibusTest:
    """The record of a test before anything is counted."""
    first = asked.tasks[0]
    metric = metric_named(first.metric)
    return OmnibusTest(
        dataset=asked.dataset,
        metric=metric.name,
        title=metric.title,
        params=shown_params(metric, first),
        average=first.average,
        label=first.label,
        models=tuple(task.model for task in asked.tasks),
        thresholds=tuple(
            side.threshold(task).number for side, task in zip(sides, asked.tasks, strict=True)
        ),
        test=asked.test,
    )


def _record(rows: list[Side] | str, asked: OmnibusTask, sides: Sides) -> OmnibusTest:
    empty = planned_record(asked, sides)
    if isinstance(rows, str):
        return replace(empty, reason=rows)
    values = [side.value(task).outcome for side, task in zip(rows, asked.tasks, strict=True)]
    numbers = tuple(one.number if isinstance(one, Value) else None for one in values)
    record = replace(empty, values=numbers, n=rows[0].view.rows)
    if None in numbers:
        record = replace(record, reason="the value of a model is not defined")
    else:
        record = COUNTED[asked.test](rows, asked.tasks, record)
    return filled(record, sides)


def filled(record: OmnibusTest, sides: Sides) -> OmnibusTest:
    """The record with its test, from the counts, covariances or ranks that it holds, if any.

    With what is noted of the rows that not all models use.
    """
    most = max(side.view.rows for side in sides) - record.n
    if record.n and most:
        record = replace(record, note=f"left out: {most:,} rows that not every model uses")
    if (record.totals, record.covariance, record.rank_sums) == (None, None, None):
        return record
    found: ChiSquare | None = None
    if record.totals is not None and record.rows_by_models is not None:
        found = several.cochran_q(record.totals, record.rows_by_models)
    elif record.covariance is not None:
        values = tuple(value for value in record.values if value is not None)
        found = several.equal_areas(several.Areas(values, record.covariance))
    elif record.rank_sums is not None and record.ties is not None:
        found = several.friedman(several.Ranks(record.n, record.rank_sums, record.ties))
    if found is None:
        return replace(record, reason=ALIKE)
    return replace(
        record, statistic=found.statistic, df=float(found.df), p_value=found.p_value, reason=None
    )


def _cochran(rows: Sides, tasks: Sequence[Task], record: OmnibusTest) -> OmnibusTest:
    """Each row of the shares counts for some of the models."""
    hits = [side.hits(task) for side, task in zip(rows, tasks, strict=True)]
    below = hits[0][1]
    counted = np.array([top[below] for top, _ in hits], np.int64)
    totals = tuple(int(x) for x in counted.sum(axis=1))
    patterns = np.bincount(counted.sum(axis=0), minlength=len(tasks) + 1)
    by_models = tuple(int(x) for x in patterns)
    return replace(record, totals=totals, rows_by_models=by_models)


def _delong(rows: Sides, tasks: Sequence[Task], record: OmnibusTest) -> OmnibusTest:
    """Covariances are on the scale of the metric, which is linear in the area."""
    positive = rows[0].view.actual == rows[0].class_index(tasks[0])
    scores = [side.scores(task) for side, task in zip(rows, tasks, strict=True)]
    areas = several.delong_several(positive, scores)
    if areas is None:
        return replace(record, reason="too few rows of one class for a variance")
    factor = scale(rows[0], tasks[0])
    covariance = tuple(tuple(factor * factor * x for x in row) for row in areas.covariance)
    return replace(record, covariance=covariance)


def _friedman(rows: Sides, tasks: Sequence[Task], record: OmnibusTest) -> OmnibusTest:
    """Models are ranked within each row by what the row adds to their mean."""
    losses = [side.losses(task) for side, task in zip(rows, tasks, strict=True)]
    known = [one for one in losses if one is not None]
    if len(known) < len(losses):
        return replace(record, reason="no loss of a single row is known")
    ranks = several.ranked(np.column_stack(known))
    return replace(record, rank_sums=ranks.sums, ties=ranks.ties)


COUNTED: Mapping[str, Callable[[Sides, Sequence[Task], OmnibusTest], OmnibusTest]] = {
    "cochran_q": _cochran,
    "delong": _delong,
    "friedman": _friedman,
}
