"""Net reclassification of the models that a spec compares, where it asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evalreport.engine.comparisons.pairs import Pair, Side, pair
from evalreport.statistics.interval import Interval
from evalreport.statistics.reclassification import Moves, net_reclassification

if TYPE_CHECKING:
    from evalreport.engine.working import Working

View = tuple[str, str]

NO_ROWS = "net reclassification needs the same rows under two models: name a model as reference"


def reclassification_records(working: Working) -> list[dict[str, Any]]:
    """One record for each model and its reference on the same rows, at their first thresholds.

    Against another dataset, or an earlier run, the record says that there are no such rows.
    """
    asked = working.prepared.loaded.spec.comparisons
    if asked is None or not asked.net_reclassification:
        return []
    found = []
    for view in working.prepared.views:
        own = (view.dataset, view.model)
        if not isinstance(asked.reference, str):
            found.append({**_empty(own, view.model), "reason": NO_ROWS})
            continue
        other = (view.dataset, asked.reference)
        if own != other and other in working.tables:
            found.append(_record(working, own, other))
    return found


def _empty(own: View, reference: str) -> dict[str, Any]:
    """A record of which nothing is known yet."""
    return {
        "dataset": own[0],
        "model": own[1],
        "reference": reference,
        "label": None,
        "threshold": None,
        "reference_threshold": None,
        "rows": 0,
        "events": None,
        "nonevents": None,
        "net": None,
        "interval": None,
        "test": None,
        "statistic": None,
        "p_value": None,
        "reason": None,
    }


def _record(working: Working, own: View, other: View) -> dict[str, Any]:
    record = {
        **_empty(own, other[1]),
        "threshold": _threshold(working, own),
        "reference_threshold": _threshold(working, other),
    }
    views = [working.tables[key].view for key in (own, other)]
    if any(len(view.labels) != 2 for view in views) or not all(
        hasattr(view, "actual") for view in views
    ):
        return record | {"reason": "there are not two classes"}
    for key, number in ((own, record["threshold"]), (other, record["reference_threshold"])):
        if number is None and working.tables[key].view.has_score:
            return record | {"reason": f"{key[1]} has no threshold"}
    settings = working.prepared.settings
    sides = [
        Side(working.tables[key].view, working.tables[key], settings, working.thresholds[key])
        for key in (own, other)
    ]
    both = pair(*sides)
    if isinstance(both, str):
        return record | {"reason": both}
    return record | _computed(both, record, settings.level)


def _computed(both: Pair, record: dict[str, Any], level: float) -> dict[str, Any]:
    view = both.model.view
    k = view.positive_index
    called = [
        _called(side, number) == k
        for side, number in (
            (both.model, record["threshold"]),
            (both.reference, record["reference_threshold"]),
        )
    ]
    found = net_reclassification(
        both.each(view.actual == k),
        both.each(called[0].astype(np.int64) - called[1].astype(np.int64)),
        level,
        weight=view.weight,
        cluster=None if view.cluster is None else view.cluster[0],
    )
    header: dict[str, Any] = {"label": view.labels[k], "rows": both.rows}
    if both.note:
        header["note"] = both.note
    if found is None:
        return header | {"reason": "rows of only one class"}
    weighted = "sandwich" if view.weight is not None else "wald"
    method = "cluster_robust" if view.cluster is not None else weighted
    return header | {
        "events": _moves(found.events, level, method),
        "nonevents": _moves(found.nonevents, level, method),
        "net": found.net,
        "interval": _interval(found.interval, level, method),
        "test": "net_reclassification_z",
        "statistic": found.statistic,
        "p_value": found.p_value,
    }


def _called(side: Side, number: float | None) -> Any:
    """Predicted codes; an indeterminate prediction is a wrong one."""
    codes = side.tables.predicted(number)
    return np.where(codes < 2, codes, 1 - side.view.actual)


def _threshold(working: Working, key: View) -> float | None:
    first = working.first.get(key)
    return None if first is None else working.thresholds[key][first].number


def _moves(moves: Moves, level: float, method: str) -> dict[str, Any]:
    return {
        "n": _plain(moves.n),
        "up": _plain(moves.up),
        "down": _plain(moves.down),
        "net": moves.net,
        "interval": _interval(moves.interval, level, method),
    }


def _plain(number: float) -> int | float:
    return int(number) if number.is_integer() else number


def _interval(limits: Interval | None, level: float, method: str) -> dict[str, Any] | None:
    if limits is None:
        return None
    return {"level": level, "low": limits.low, "high": limits.high, "method": method}
