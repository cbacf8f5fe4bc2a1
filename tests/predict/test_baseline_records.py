"""Baselines by the metrics of a spec: shares counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from evalreport.engine.comparisons.baselines import baseline_records, baseline_tables
from evalreport.engine.settings import Settings
from evalreport.metrics.catalogue import find
from evalreport.plan.inputs import MetricRequest
from evalreport.predict.view import LabelView


def test_majority_and_prevalence_of_three_in_four():
    actual = np.array([1, 1, 1, 0] * 25)
    view = LabelView(
        dataset="d",
        model="m",
        source="prediction",
        labels=("n", "p"),
        positive=1,
        actual=actual,
        row=np.arange(100),
        predicted=actual,
    )
    asked = [MetricRequest(find(name)) for name in ("accuracy", "brier", "roc_auc")]
    made = {
        (record.baseline, record.metric): record.value
        for record in baseline_records([view, view], asked, Settings(seed=1))
    }
    assert len(made) == 9
    assert made["majority_class", "accuracy"] == 0.75
    assert made["majority_class", "roc_auc"] is None
    # Every row scores 3/4: mean (p - y)^2 = 3/4 (1/4)^2 + 1/4 (3/4)^2 = 3/16.
    assert made["prevalence", "brier"] == 3 / 16
    assert made["prevalence", "roc_auc"] == 0.5
    assert 0.45 < made["stratified_random", "accuracy"] < 0.8


def test_the_tables_of_baselines_are_those_of_their_values():
    actual = np.array([1, 1, 1, 0] * 25)
    view = LabelView(
        dataset="d",
        model="m",
        source="prediction",
        labels=("n", "p"),
        positive=1,
        actual=actual,
        row=np.arange(100),
        predicted=actual,
    )
    made = {t.baseline: t for t in baseline_tables([view, view], Settings(seed=1))}
    assert list(made) == ["majority_class", "prevalence", "stratified_random"]
    # all predicted p: 75 of 100 rows are; a score of 0.75 is above one half for every row
    assert made["majority_class"].counts == made["prevalence"].counts == [[0, 25], [0, 75]]
    assert made["prevalence"].threshold == 0.5
    assert made["majority_class"].threshold is None
    drawn = made["stratified_random"].counts
    assert [sum(row) for row in drawn] == [25, 75]
    (accuracy,) = (
        record.value
        for record in baseline_records([view], [MetricRequest(find("accuracy"))], Settings(seed=1))
        if record.baseline == "stratified_random"
    )
    assert accuracy == (drawn[0][0] + drawn[1][1]) / 100


@pytest.mark.parametrize("positive", [0, 1])
def test_the_cheapest_constant_answer_is_a_baseline_where_mistakes_have_prices(positive):
    """90 rows n and 10 rows p: "all p" costs 90, "all n" costs 10 times the price of a miss."""
    actual = np.repeat([0, 1], [90, 10])
    labels = ("n", "p")
    view = LabelView(
        dataset="d",
        model="m",
        source="prediction",
        labels=labels,
        positive=positive,
        actual=actual,
        row=np.arange(100),
        predicted=actual,
    )
    asked = [MetricRequest(find("expected_cost"))]
    missed, alarm = ("false_negative", "false_positive")[:: 1 if positive == 1 else -1]
    for price, answer, cost in ((5, 0, 0.5), (20, 1, 0.9)):
        settings = Settings(seed=1, costs={missed: price, alarm: 1})
        tables = {t.baseline: t for t in baseline_tables([view], settings)}
        assert tables["cheapest_class"].counts[0][answer] == 90
        values = {r.baseline: r.value for r in baseline_records([view], asked, settings)}
        assert values["cheapest_class"] == cost
        assert values["cheapest_class"] == min(v for v in values.values())


def test_the_cheapest_of_three_classes():
    """Costs by hand: all a: 2 x 30 + 9 x 20 = 240; all b: 50 + 20 = 70; all c: 50 + 30 x 4."""
    actual = np.repeat([0, 1, 2], [50, 30, 20])
    view = LabelView(dataset="d", model="m", source="prediction", labels=("a", "b", "c"),
    positive=None,
    actual=actual, row=np.arange(100),
                predicted=actual)  # fmt: skip
    prices = {"a": {"b": 1, "c": 1}, "b": {"a": 2, "c": 4}, "c": {"a": 9, "b": 1}}
    settings = Settings(seed=1, costs=prices)
    tables = {t.baseline: t for t in baseline_tables([view], settings)}
    assert tables["cheapest_class"].counts == [[0, 50, 0], [0, 30, 0], [0, 20, 0]]
    asked = [MetricRequest(find("expected_cost"))]
    values = {r.baseline: r.value for r in baseline_records([view], asked, settings)}
    assert values["cheapest_class"] == 0.7
