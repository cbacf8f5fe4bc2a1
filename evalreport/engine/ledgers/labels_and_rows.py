"""The label ledger and the row ledger: what the numbers stand on, printed on the first page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalreport.predict.label_sets import SetView
from evalreport.predict.view import View
from evalreport.spec.datasets import NamedPositive
from evalreport.spec.model import Spec


def label_record(spec: Spec, view: View, thresholds: Sequence[float]) -> dict[str, Any]:
    """Classes declared and seen, the positive one and its rule, ties at the thresholds."""
    if isinstance(view, SetView):
        return _set_record(spec, view, thresholds)
    dataset, checked = spec.datasets[view.dataset], view.ledger
    rule = spec.positive_of(view.dataset)
    two = len(view.labels) <= 2
    threshold_rule = None
    if view.has_score:
        threshold_rule = "margin >= threshold" if view.source == "margin" else "score >= threshold"
    return {
        "dataset": view.dataset,
        "model": view.model,
        "declared": list(dataset.labels) if dataset.labels is not None else None,
        "seen_true": list(checked.seen_true),
        "seen_predicted": list(checked.seen_predicted),
        "order": list(view.labels),
        "kind": checked.label_kind,
        "positive": view.labels[view.positive_index] if two else None,
        "rule": f"label {rule.label}" if isinstance(rule, NamedPositive) else rule,
        "operator": threshold_rule,
        "ties": [
            {"threshold": t, "rows": view.tied(t)} for t in thresholds
        ]
        if view.has_score
        else [],
    }


def _set_record(spec: Spec, view: SetView, thresholds: Sequence[float]) -> dict[str, Any]:
    """The same where rows have sets of labels: none is the positive one, each has its turn."""
    declared, checked, scores = spec.datasets[view.dataset].labels, view.ledger, view.label_scores
    return {
        "dataset": view.dataset,
        "model": view.model,
        "declared": list(declared) if declared is not None else None,
        "seen_true": list(checked.seen_true),
        "seen_predicted": list(checked.seen_predicted),
        "order": list(view.labels),
        "kind": checked.label_kind,
        "positive": None,
        "label_sets": True,
        "rule": "sets of labels: each label against its absence",
        "operator": None if scores is None else "score >= threshold",
        "ties": []
        if scores is None
        else [{"threshold": t, "rows": int((scores == t).any(axis=1).sum())} for t in thresholds],
    }


def row_record(view: View) -> dict[str, Any]:
    """Rows read, used and excluded by reason, and the used ones by class."""
    checked = view.ledger
    return {
        "dataset": view.dataset,
        "model": view.model,
        "read": checked.rows_read,
        "used": view.rows,
        "excluded": [{"reason": reason, "count": count} for reason, count in checked.excluded],
        "classes": [
            {"label": label, "count": count}
            for label, count in zip(view.labels, view.class_rows, strict=True)
        ],
        **({"clusters": view.cluster[1]} if view.cluster is not None else {}),
    }
