"""Net reclassification of the models that a spec compares, where it asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evalreport.engine.comparisons.pairs import Pair, ordered, pair, row_by_row, side_of
from evalreport.metrics.formula import whole
from evalreport.metrics.methods import OF_MOVES, limits_of_moves
from evalreport.results import records
from evalreport.results.records import Reclassification
from evalreport.statistics.interval import Interval
from evalreport.statistics.reclassification import Moves, net_reclassification
from evalreport.statistics.reclassification import Reclassification as Reclassified

if TYPE_CHECKING:
    from evalreport.engine.run_state import RunState

NO_ROWS = "net reclassification needs the same rows under two models: name a model as reference"


def reclassification_records(state: RunState) -> list[Reclassification]:
    """One record for each model and its reference on the same rows, at their first thresholds.

    Against another dataset, or an earlier run, the record says that there are no such rows.
    """
    return [
        one if one.reason is not None else _record(state, one) for one in planned_records(state)
    ]


def planned_records(state: RunState) -> Iterator[Reclassification]:
    """The records before anything is counted; with the reason where there is nothing to count."""
    asked = state.prepared.loaded.spec.comparisons
    if asked is None or not asked.net_reclassification:
        return
    for view in state.prepared.views:
        own = (view.dataset, view.model)
        if not isinstance(asked.reference, str):
            yield Reclassification(
                dataset=view.dataset, model=view.model, reference=view.model, reason=NO_ROWS
            )
            continue
        other = (view.dataset, asked.reference)
        if own != other and other in state.tables:
            yield Reclassification(
                dataset=own[0],
                model=own[1],
                reference=other[1],
                threshold=state.first_number(own),
                reference_threshold=state.first_number(other),
            )


def _record(state: RunState, empty: Reclassification) -> Reclassification:
    own, other = (empty.dataset, empty.model), (empty.dataset, empty.reference)
    views = [state.tables[key].view for key in (own, other)]
    if any(len(view.labels) != 2 for view in views) or not all(
        hasattr(view, "actual") for view in views
    ):
        return replace(empty, reason="there are not two classes")
    for key, number in ((own, empty.threshold), (other, empty.reference_threshold)):
        view = state.tables[key].view
        if number is None and view.has_score and not view.decided:
            return replace(empty, reason=f"{key[1]} has no threshold")
    both = pair(side_of(state, own), side_of(state, other))
    if isinstance(both, str):
        return replace(empty, reason=both)
    view = both.model.view
    if view.sample is None and (view.weight is not None or view.cluster is not None):
        # Sums of weights, and over clusters, are those of rows in an order of their own.
        both = ordered(row_by_row(both))
    return _computed(both, empty, state.prepared.settings.level)


def _computed(both: Pair, empty: Reclassification, level: float) -> Reclassification:
    view = both.model.view
    k = view.positive_index
    first = both.model.predicted_at(empty.threshold) == k
    second = both.reference.predicted_at(empty.reference_threshold) == k
    found = net_reclassification(
        both.each(view.actual == k),
        both.each(first.astype(np.int64) - second.astype(np.int64)),
        level,
        weight=view.weight,
        cluster=None if view.cluster is None else view.cluster[0],
    )
    record = replace(empty, label=view.labels[k], rows=both.rows, note=both.note or None)
    if found is None:
        return replace(record, reason="rows of only one class")
    return filled(record, found, level, method_of(view))


def method_of(view: Any) -> str:
    """The method of the limits for rows of a view."""
    return limits_of_moves(weighted=view.weight is not None, clustered=view.cluster is not None)


def filled(
    record: Reclassification, found: Reclassified, level: float, method: str
) -> Reclassification:
    """The record with the net reclassification that was found, and its test."""
    filled_in = replace(
        record,
        events=_moves(found.events, level, method),
        nonevents=_moves(found.nonevents, level, method),
        net=found.net,
        interval=_interval(found.interval, level, method),
        test=OF_MOVES,
        statistic=found.statistic,
        p_value=found.p_value,
    )
    return records.with_disagreement(filled_in)


def _moves(moves: Moves, level: float, method: str) -> records.Moves:
    return records.Moves(
        n=whole(moves.n),
        up=whole(moves.up),
        down=whole(moves.down),
        net=moves.net,
        interval=_interval(moves.interval, level, method),
    )


def _interval(limits: Interval | None, level: float, method: str) -> records.Interval | None:
    return None if limits is None else records.Interval(level, limits.low, limits.high, method)
