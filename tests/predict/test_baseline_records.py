"""Baselines by the metrics of a spec: shares counted by hand."""

from __future__ import annotations

import numpy as np

from evalreport.engine.comparisons.baselines import baseline_records
from evalreport.engine.settings import Settings
from evalreport.metrics.catalogue import find
from evalreport.plan.asked import MetricRequest
from evalreport.predict.view import View


def test_majority_and_prevalence_of_three_in_four():
    actual = np.array([1, 1, 1, 0] * 25)
    view = View("d", "m", "prediction", ("n", "p"), 1, actual, np.arange(100), predicted=actual)
    asked = [MetricRequest(find(name)) for name in ("accuracy", "brier", "roc_auc")]
    made = {
        (record["baseline"], record["metric"]): record["value"]
        for record in baseline_records([view, view], asked, Settings(seed=1))
    }
    assert len(made) == 9
    assert made["majority_class", "accuracy"] == 0.75
    assert made["majority_class", "roc_auc"] is None
    # Every row scores 3/4: mean (p - y)^2 = 3/4 (1/4)^2 + 1/4 (3/4)^2 = 3/16.
    assert made["prevalence", "brier"] == 3 / 16
    assert made["prevalence", "roc_auc"] == 0.5
    assert 0.45 < made["stratified_random", "accuracy"] < 0.8
