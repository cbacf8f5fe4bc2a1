"""Whatever the rows: records are plain finite data, probabilities and limits hold together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalreport.engine.comparisons.records import compare
from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.settings import Settings
from evalreport.engine.thresholds import Resolved
from evalreport.metrics.catalogue import catalogue
from evalreport.plan.build import build_plan
from evalreport.plan.comparisons import ComparisonRequest, plan_comparisons
from evalreport.plan.inputs import HALF, Facts, MetricRequest, Requests
from evalreport.predict.view import LabelView
from evalreport.results.codec import encode
from evalreport.runs.hashing import canonical_json

METRICS = tuple(MetricRequest(m) for m in catalogue() if not any(p.required for p in m.parameters))
SETTINGS = Settings(resamples=8, costs={"false_negative": 5, "false_positive": 1})


@st.composite
def two_views(draw: Any) -> tuple[LabelView, LabelView]:
    n = draw(st.integers(1, 9))
    classes = draw(st.sampled_from([2, 2, 3]))

    def column(values: Any) -> Any:
        return np.array(draw(st.lists(values, min_size=n, max_size=n)))

    actual = column(st.integers(0, classes - 1))
    weight = column(st.sampled_from([0.0, 1.5, 2.0])) if draw(st.booleans()) else None
    cluster = (column(st.integers(0, 2)), 3) if draw(st.booleans()) else None
    fold = (np.arange(n) % 2, ("1", "2")) if draw(st.booleans()) else None
    views = []
    for model in ("a", "b"):
        kind = draw(st.sampled_from(["score", "prediction"]))
        more: dict[str, Any] = {}
        extra = draw(st.integers(0, 1))
        share = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
        if kind == "score" and classes == 2:
            more["score"] = column(share).astype(float)
        elif kind == "score":
            kind = "scores"
            raw = np.stack([column(share) for _ in range(classes)], axis=1) + 0.1
            more["class_scores"] = raw / raw.sum(axis=1, keepdims=True)
            more["predicted"] = raw.argmax(axis=1)
        else:
            more["predicted"] = column(st.integers(0, classes - 1 + extra))
            more["indeterminate"] = ("unsure",)[:extra]
        rows = np.arange(n) if draw(st.booleans()) else np.arange(n)[::-1]
        views.append(
            LabelView(
                dataset="d", model=model, source=kind, labels=("x", "y", "z")[:classes],
                positive=1 if classes == 2 else None,
                actual=actual[rows], row=rows.copy(),
                weight=None if weight is None else weight[rows],
                cluster=None if cluster is None else (cluster[0][rows], 3),
                fold=None if fold is None else (fold[0][rows], fold[1]),
                fold_sizes=None if fold is None else {"1": (5, 5), "2": (5, 4)},
                **{k: v[rows] if isinstance(v, np.ndarray) else v for k, v in more.items()},
            )
        )  # fmt: skip
    return views[0], views[1]


def facts_of(v: LabelView) -> Facts:
    held = v.score if v.score is not None else v.class_scores
    return Facts(
        v.dataset, v.model, v.source, v.labels, "y" if len(v.labels) == 2 else None, v.rows,
        weighted=v.weight is not None, clustered=v.cluster is not None,
        indeterminate=v.indeterminate,
        folds=() if v.fold is None else v.fold[1], fold_sizes=v.fold_sizes,
        low=None if held is None else float(held.min()),
        high=None if held is None else float(held.max()),
    )  # fmt: skip


@pytest.mark.nightly
@settings(max_examples=40, deadline=None)
@given(two_views(), st.booleans(), st.sampled_from(["none", "holm"]), st.booleans())
def test_any_two_models_give_finite_records_that_agree_with_themselves(
    views: tuple[LabelView, LabelView], unpaired: bool, correction: str, stratify: bool
) -> None:
    first, second = views
    if unpaired:
        second = replace(second, dataset="e", model="a")
    facts = [facts_of(v) for v in (first, second)]
    averages = ("none", "macro", "weighted", "micro")
    plan = build_plan(Requests(METRICS, averages=averages, costs=True), facts)
    request = ComparisonRequest(
        reference=None if unpaired else "a",
        reference_dataset="d" if unpaired else None,
        correction=correction,
    )
    planned = plan_comparisons(request, plan.tasks, facts)
    tables = {(v.dataset, v.model): MemoryTables(v) for v in (first, second)}
    at = {HALF: Resolved(0.5)}
    chosen = replace(SETTINGS, stratify=stratify)
    records = compare(request, tables, dict.fromkeys(tables, at), planned.tasks, chosen)
    canonical_json([encode(record) for record in records])
    for r in records:
        what = r.metric, r.average, r.label
        if r.difference is None:
            assert r.p_value is None, what
            assert r.interval is None, what
            assert r.reason, what
        if r.p_value is None:
            assert r.reason, what
            assert r.p_adjusted is None
        else:
            assert 0 <= r.p_value <= r.p_adjusted <= 1, what
        if r.interval is None:
            assert r.interval_reason, what
        else:
            assert r.interval.low <= r.interval.high, what
        if r.difference is not None:
            found = r.model_value - r.reference_value
            assert abs(found - r.difference) <= 1e-9 * max(1.0, abs(found)) or r.fold, what
