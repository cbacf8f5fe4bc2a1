"""Rows that no earlier look has counted, known by the digests of their ids, and their measures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.set_tables import tables_of
from evalreport.engine.evaluation import LabelEvaluator, Numbering
from evalreport.engine.ledgers.kept_rows import digests_of_ids
from evalreport.engine.measures import Measurer
from evalreport.engine.reference.run import CountedRows
from evalreport.predict.view import LabelView
from evalreport.results.records import Measure

if TYPE_CHECKING:
    from evalreport.engine.run_state import RunState

Flags = npt.NDArray[np.bool_]


def fresh_rows(state: RunState, dataset: str, counted: CountedRows) -> Flags:
    """Which rows of a dataset's file no look has counted, in the order of the file."""
    prepared = state.prepared
    column = prepared.loaded.spec.datasets[dataset].id
    assert column is not None
    known = counted.digests.get(dataset, frozenset())
    told = digests_of_ids(prepared.tables[dataset], column, counted.key)
    return np.array([one not in known for one in told], dtype=np.bool_)


def measure_of(state: RunState, measure: Measure, fresh: Flags) -> Measure | None:
    """The same measure of the fresh rows alone; None where rows cannot be told apart.

    Thresholds are those of the run. Rows of folds and of declared samples are not told apart.
    """
    prepared = state.prepared
    place = (measure.dataset, measure.model)
    view = next((v for v in prepared.views if (v.dataset, v.model) == place), None)
    if type(view) is not LabelView or view.fold is not None or view.sample is not None:
        return None
    own = _restricted(view, fresh[view.row])
    tables = tables_of(own)
    measurer = Measurer(own, tables, prepared.settings, state.thresholds[place])
    first = state.first_threshold[place]
    alike = [t for t in prepared.plan.tasks if t.metric == measure.metric and not t.where.fold]
    plan = replace(prepared.plan, tasks=tuple(alike), skipped=())
    found = LabelEvaluator(measurer, Numbering(), first).run(plan)
    wanted = measure.which.series
    return next((one for one in found.measures if one.which.series == wanted), None)


def _restricted(view: LabelView, inside: Flags) -> LabelView:
    """The view of some of its rows; clusters that have none left are no clusters."""
    cluster = None
    if view.cluster is not None:
        left, codes = np.unique(view.cluster[0][inside], return_inverse=True)
        cluster = (codes.astype(view.cluster[0].dtype), len(left))
    return replace(view.at(np.flatnonzero(inside)), cluster=cluster)
