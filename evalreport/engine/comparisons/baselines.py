"""What trivial predictions reach on the same rows, by the metrics of the spec."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from evalreport.engine.counting.classification import DENSE_LABELS
from evalreport.engine.measures import shown_params
from evalreport.engine.metric_functions import Found, Judged, MetricValue, judged, metric_value
from evalreport.engine.settings import Settings
from evalreport.plan.inputs import MetricRequest
from evalreport.predict.baselines import (
    BASELINES,
    CHEAPEST,
    OF_THE_SAME_ROWS,
    Kinds,
    baseline_kinds,
)
from evalreport.predict.label_sets import SetView
from evalreport.predict.view import View
from evalreport.results.records import Baseline, BaselineTable

#: The threshold that the values of a baseline with scores are at.
USUAL_THRESHOLD = 0.5


def baseline_records(
    views: Sequence[View],
    metrics: Sequence[MetricRequest],
    settings: Settings,
    unordered: Collection[str] = (),
) -> list[Baseline]:
    """The value of each metric for each baseline on each dataset.

    Class shares are those of the rows that are judged, which each record says; weights
    are left out. A baseline follows from the number of rows of each class, so it is the
    same on every engine. Datasets whose rows have sets of labels, whose table is too large to
    be held whole, or of which a cell of the table is not known, have no records. Where
    mistakes have prices, the one answer that costs least is a baseline too. ``unordered``:
    datasets without an order of their classes.
    """
    found = []
    for view, kind, kinds in _made(views, settings):
        rows = judged(kinds.actual, kinds.output, view.labels, view.positive, kinds.rows)
        for request in metrics:
            if request.metric.ordered_classes and view.dataset in unordered:
                continue
            value = metric_value(
                request.metric.name, dict(request.params), view.labels, view.positive, settings
            )
            made = _value(value, rows)
            found.append(
                Baseline(
                    dataset=view.dataset,
                    baseline=kind,
                    metric=request.metric.name,
                    params=shown_params(request.metric, request),
                    average=made.average,
                    label=made.label,
                    value=made.value,
                    left_out=made.left_out,
                    n=view.rows,
                    note=OF_THE_SAME_ROWS,
                )
            )
    return found


def baseline_tables(views: Sequence[View], settings: Settings) -> list[BaselineTable]:
    """The classification table of each baseline on each dataset, at the usual threshold."""
    found = []
    for view, kind, kinds in _made(views, settings):
        size = len(view.labels)
        counts = np.zeros((size, size), np.int64)
        predicted = kinds.output.predicted
        if predicted is None:
            assert kinds.output.score is not None
            side = view.positive_index
            predicted = np.where(kinds.output.score >= USUAL_THRESHOLD, side, 1 - side)
        np.add.at(counts, (kinds.actual, predicted), kinds.rows)
        found.append(
            BaselineTable(
                dataset=view.dataset,
                baseline=kind,
                threshold=USUAL_THRESHOLD if kinds.output.source == "score" else None,
                labels=view.labels,
                positive=None if view.positive is None else view.labels[view.positive],
                counts=counts.tolist(),
            )
        )
    return found


def _made(views: Sequence[View], settings: Settings) -> Iterator[tuple[View, str, Kinds]]:
    """Each dataset, as its first model sees it, with each baseline on it."""
    first = {view.dataset: view for view in reversed(views)}
    for dataset in dict.fromkeys(view.dataset for view in views):
        view = first[dataset]
        if isinstance(view, SetView) or not view.rows or view.unknown:
            continue
        if len(view.labels) > DENSE_LABELS:
            continue
        prices = settings.prices(view.labels, view.positive)
        for kind in BASELINES if prices is None else (*BASELINES, CHEAPEST):
            yield (
                view,
                kind,
                baseline_kinds(kind, view.class_rows, view.positive, settings.seed, prices),
            )


def _value(value: MetricValue, rows: Judged) -> Found:
    """The baseline's value; None where the metric fails, which its own record tells."""
    try:
        return value.found(rows)
    except Exception:  # noqa: BLE001 - a metric that breaks is told in its place
        return Found(None)
