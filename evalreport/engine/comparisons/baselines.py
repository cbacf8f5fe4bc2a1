"""What trivial predictions reach on the same rows, by the metrics of the spec."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalreport.engine.counting.classification import DENSE_LABELS
from evalreport.engine.metric_functions import Found, MetricValue, metric_value
from evalreport.engine.settings import Settings
from evalreport.plan.asked import MetricRequest
from evalreport.predict.baselines import BASELINES, OF_THE_SAME_ROWS, Kinds, baseline_kinds
from evalreport.predict.label_sets import SetView
from evalreport.predict.view import View


def baseline_records(
    views: Sequence[View], metrics: Sequence[MetricRequest], settings: Settings
) -> list[dict[str, Any]]:
    """The value of each metric for each baseline on each dataset.

    Class shares are those of the rows that are judged, which each record says; weights
    are left out. A baseline follows from the number of rows of each class, so it is the
    same on every engine. Datasets whose rows have sets of labels, or whose table is too
    large to be held whole, have no records.
    """
    found = []
    first = {view.dataset: view for view in reversed(views)}
    for dataset in dict.fromkeys(view.dataset for view in views):
        view = first[dataset]
        if isinstance(view, SetView) or not view.rows:
            continue
        if len(view.labels) > DENSE_LABELS:
            continue
        for kind in BASELINES:
            kinds = baseline_kinds(kind, view.class_rows, view.positive, settings.seed)
            for request in metrics:
                value = metric_value(
                    request.metric.name, dict(request.params), view.labels, view.positive, settings
                )
                made = _value(value, kinds)
                found.append(
                    {
                        "dataset": dataset,
                        "baseline": kind,
                        "metric": request.metric.name,
                        "params": dict(request.params),
                        "average": made.average,
                        "label": made.label,
                        "value": made.value,
                        "n": view.rows,
                        "note": OF_THE_SAME_ROWS,
                    }
                )
    return found


def _value(value: MetricValue, kinds: Kinds) -> Found:
    """The baseline's value; None where the metric fails, which its own record tells."""
    try:
        return value.found(kinds.actual, kinds.output, kinds.rows)
    except Exception:  # noqa: BLE001 - a metric that breaks is told in its place
        return Found(None)
