"""The label ledger and the row ledger: what the numbers stand on, printed on the first page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evalreport.data.findings import PROCEDURE
from evalreport.predict.columns import cluster_column
from evalreport.predict.label_sets import SetView
from evalreport.predict.view import Codes, View, distinct
from evalreport.results.records import (
    ClassCount,
    ClusterLedger,
    Excluded,
    LabelLedger,
    RowLedger,
    Ties,
)
from evalreport.spec.datasets import NamedPositive
from evalreport.spec.model import Spec

#: The rule of the positive class where rows have sets of labels.
OF_SETS = "sets of labels: each label against its absence"


def label_record(spec: Spec, view: View, thresholds: Sequence[float]) -> LabelLedger:
    """Classes declared and seen, the positive one and its rule, ties at the thresholds."""
    if isinstance(view, SetView):
        return _set_record(spec, view, thresholds)
    dataset, checked = spec.datasets[view.dataset], view.ledger
    rule = spec.positive_of(view.dataset)
    two = len(view.labels) <= 2
    threshold_rule = None
    if view.has_score:
        threshold_rule = "margin >= threshold" if view.source == "margin" else "score >= threshold"
    return LabelLedger(
        dataset=view.dataset,
        model=view.model,
        declared=tuple(dataset.labels) if dataset.labels is not None else None,
        seen_true=tuple(checked.seen_true),
        seen_predicted=tuple(checked.seen_predicted),
        order=tuple(view.labels),
        kind=checked.label_kind,
        positive=view.labels[view.positive_index] if two else None,
        rule=f"label {rule.label}" if isinstance(rule, NamedPositive) else rule,
        operator=threshold_rule,
        decided=view.decided,
        ties=tuple(Ties(t, view.tied(t)) for t in thresholds) if view.has_score else (),
    )


def _set_record(spec: Spec, view: SetView, thresholds: Sequence[float]) -> LabelLedger:
    """The same where rows have sets of labels: none is the positive one, each has its turn."""
    declared, checked, scores = spec.datasets[view.dataset].labels, view.ledger, view.label_scores
    ties = () if scores is None else thresholds
    return LabelLedger(
        dataset=view.dataset,
        model=view.model,
        declared=tuple(declared) if declared is not None else None,
        seen_true=tuple(checked.seen_true),
        seen_predicted=tuple(checked.seen_predicted),
        order=tuple(view.labels),
        kind=checked.label_kind,
        label_sets=True,
        rule=OF_SETS,
        operator=None if scores is None else "score >= threshold",
        ties=tuple(Ties(t, view.tied(t)) for t in ties),
    )


def row_record(spec: Spec, view: View, repeats: int = 1) -> RowLedger:
    """Rows read, used and excluded by reason, and the used ones by class and cluster.

    Where rows were predicted several times, by drawn splits or in so many ``repeats``, the
    predictions are counted beside the rows.
    """
    checked, entries = view.ledger, view.entries
    used, classes = view.rows if entries is None else len(entries), view.classes_of_rows
    uncounted = {actual for actual, _ in view.unknown_places}
    # Predictions of one row depend on each other as a cluster does, yet are none of the data.
    clustered = view.cluster is not None and (entries is None or view.cluster[1] != used)
    several = entries is not None or repeats > 1
    column = cluster_column(spec.datasets[view.dataset])
    return RowLedger(
        dataset=view.dataset,
        model=view.model,
        read=checked.rows_read,
        used=used,
        excluded=tuple(Excluded(reason, count) for reason, count in checked.excluded),
        classes=tuple(
            ClassCount(label, count, uncounted=code in uncounted)
            for code, (label, count) in enumerate(zip(view.labels, classes, strict=True))
        ),
        clusters=view.cluster[1] if clustered and view.cluster is not None else None,
        clustered=_clusters(view, column, entries) if clustered and column else None,
        predictions=view.rows if several else None,
        repeats=repeats if several else None,
        unknown=_unknown(view) if isinstance(view, SetView) else (),
        procedure=tuple(
            found.message for found in getattr(checked, "findings", ()) if found.code == PROCEDURE
        ),
    )


def _unknown(view: SetView) -> tuple[ClassCount, ...]:
    """The used rows in which a label is not known, of each label of which there are some."""
    counts = ((label, view.not_known(k)) for k, label in enumerate(view.labels))
    return tuple(ClassCount(label, count) for label, count in counts if count)


def _clusters(view: View, column: str, entries: Codes | None) -> ClusterLedger:
    """How many clusters have rows of each class, and how many rows the clusters have."""
    assert view.cluster is not None
    if view.sample is not None and view.sample.own is not None:
        entries = np.unique(view.row, return_index=True)[1]  # a labelled row stands by its proxy
    chosen = slice(None) if entries is None else entries
    times = None if view.times is None else view.times[chosen]
    cluster = view.cluster[0][chosen]
    sizes = np.bincount(cluster, times)
    sizes = sizes[sizes > 0]
    holders = [cluster[view.is_of(code)[chosen]] for code in range(len(view.labels))]
    return ClusterLedger(
        column=column,
        classes=tuple(
            ClassCount(label, distinct(held))
            for label, held in zip(view.labels, holders, strict=True)
        ),
        median=float(np.median(sizes)),
        most=int(sizes.max()),
    )
