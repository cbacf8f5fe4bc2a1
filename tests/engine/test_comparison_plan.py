"""Which comparisons are planned, and what is skipped because."""

from __future__ import annotations

from typing import Any

import pytest

from evalreport.metrics.catalogue import find
from evalreport.metrics.methods import Family, family_of, methods_of
from evalreport.plan.build import Plan, build_plan
from evalreport.plan.comparisons import ComparisonPlan, ComparisonRequest, plan_comparisons
from evalreport.plan.inputs import Facts, MetricRequest, Requests
from evalreport.plan.task import ThresholdRequest

T3, T7 = ThresholdRequest(0.3), ThresholdRequest(0.7)


def facts(dataset: str, model: str, source: str = "score") -> Facts:
    low, high = (0.0, 1.0) if source == "score" else (None, None)
    return Facts(dataset, model, source, ("n", "p"), "p", 50, low=low, high=high)


def planned(
    every: list[Facts], metrics: list[str], request: ComparisonRequest, **more: Any
) -> tuple[Plan, ComparisonPlan]:
    requests = Requests(tuple(MetricRequest(find(m)) for m in metrics), **more)
    plan = build_plan(requests, every)
    return plan, plan_comparisons(request, plan.tasks, every)


def pairs(plan: ComparisonPlan) -> list[tuple[str, str, str]]:
    return [(t.task.dataset, t.task.model, t.reference.model) for t in plan.tasks]


def test_every_other_model_is_held_against_the_first_of_its_dataset() -> None:
    every = [facts(d, m) for d in ("x", "y") for m in ("a", "b", "c")]
    _, plan = planned(every, ["recall"], ComparisonRequest())
    assert pairs(plan) == [("x", "b", "a"), ("x", "c", "a"), ("y", "b", "a"), ("y", "c", "a")]


def test_the_named_reference_is_held_against_by_the_models_before_and_after_it() -> None:
    every = [facts("x", m) for m in ("a", "b", "c")]
    _, plan = planned(every, ["recall"], ComparisonRequest(reference="b"))
    assert pairs(plan) == [("x", "a", "b"), ("x", "c", "b")]


def test_a_dataset_without_the_reference_says_so() -> None:
    every = [facts("x", "a"), facts("x", "b"), facts("y", "b")]
    _, plan = planned(every, ["recall"], ComparisonRequest(reference="a"))
    assert pairs(plan) == [("x", "b", "a")]
    assert [(a.dataset, a.model, a.reason) for a in plan.apart] == [
        ("y", "b", "a is not evaluated on y")
    ]


def test_models_that_share_no_dataset_are_compared_on_their_own_rows() -> None:
    every = [facts("x", "a"), facts("y", "a"), facts("z", "b"), facts("x", "c"), facts("z", "c")]
    request = ComparisonRequest(reference="a")
    _, plan = planned(every, ["recall", "prevalence"], request)
    assert [(t.task.dataset, t.task.model, t.reference.dataset, t.paired) for t in plan.tasks] == [
        ("z", "b", "x", False),
        ("z", "b", "y", False),
        ("x", "c", "x", True),
    ]
    assert {t.reference.model for t in plan.tasks} == {"a"}
    # c has the rows of x in common with a
    assert [(a.dataset, a.model, a.reason) for a in plan.apart] == [
        ("z", "c", "a is not evaluated on z")
    ]
    assert {s.reason for s in plan.skipped} == {"it does not depend on the model"}
    assert plan.tasks[0].as_json()["reference_dataset"] == "x"


def test_only_all_rows_at_the_first_threshold_are_compared() -> None:
    every = [facts("x", "a"), facts("x", "b")]
    plan, found = planned(every, ["recall", "roc_auc"], ComparisonRequest(), thresholds=(T3, T7))
    assert len(plan.tasks) == 6
    assert [(t.task.metric, t.task.threshold) for t in found.tasks] == [
        ("recall", T3),
        ("roc_auc", None),
    ]


def test_what_a_label_model_lacks_is_skipped_and_the_rest_is_compared() -> None:
    every = [facts("x", "a", "prediction"), facts("x", "b")]
    _, plan = planned(every, ["recall", "roc_auc"], ComparisonRequest())
    assert [t.task.metric for t in plan.tasks] == ["recall"]
    assert plan.tasks[0].reference.threshold is None
    assert [(s.record.metric, s.reason) for s in plan.skipped] == [
        ("roc_auc", "a on x does not have it")
    ]


@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        ("prevalence", "it does not depend on the model"),
        ("no_information_rate", "it does not depend on the model"),
        ("accuracy_p_value", "a p value or test statistic is not compared"),
        ("hosmer_lemeshow", "a p value or test statistic is not compared"),
    ],
)
def test_what_says_nothing_about_two_models_is_skipped(metric: str, reason: str) -> None:
    _, plan = planned([facts("x", "a"), facts("x", "b")], [metric], ComparisonRequest())
    assert not plan.tasks
    assert [s.reason for s in plan.skipped] == [reason]


def test_one_model_on_two_datasets() -> None:
    every = [facts(d, m) for d in ("x", "base") for m in ("a", "b")]
    request = ComparisonRequest(reference_dataset="base")
    _, plan = planned(every, ["prevalence", "precision", "roc_auc", "f1"], request)
    assert [t.reference.dataset for t in plan.tasks] == ["base"] * 8
    assert all(t.task.model == t.reference.model and not t.paired for t in plan.tasks)
    assert [(t.test, t.interval) for t in plan.tasks[:4]] == [
        ("two_proportion_z", "newcombe_hybrid"),
        ("two_proportion_z", "newcombe_hybrid"),
        ("delong_score_unpaired", "delong_score_unpaired"),
        ("square_and_add", "square_and_add"),
    ]


def test_what_was_asked_for_stays_and_is_told() -> None:
    request = ComparisonRequest(
        tests={"recall": "mcnemar_midp", "npv": "kosinski"},
        methods={"recall": "tango"},
        margins={"npv": 0.02},
    )
    _, plan = planned([facts("x", "a"), facts("x", "b")], ["recall", "npv"], request)
    recall, npv = plan.tasks
    assert (recall.test, recall.interval, recall.why) == (
        "mcnemar_midp",
        "tango",
        "requested in the spec",
    )
    assert (npv.test, npv.interval, npv.margin) == ("kosinski", "square_and_add", 0.02)
    assert recall.as_json()["reference"] == "a"


@pytest.mark.parametrize(
    ("metric", "average", "family"),
    [
        ("accuracy", None, Family.ROWS),
        ("specificity", None, Family.ROWS),
        ("detection_rate", None, Family.ROWS),
        ("recall", "micro", Family.ROWS),
        ("precision", "micro", Family.ROWS),
        ("specificity", "micro", Family.OTHER),
        ("recall", "macro", Family.OTHER),
        ("precision", None, Family.CALLS),
        ("fdr", None, Family.CALLS),
        ("jaccard", None, Family.SHARES),
        ("roc_auc", None, Family.AREA),
        ("roc_auc", "macro", Family.OTHER),
        ("expected_cost", None, Family.MEAN),
        ("log_loss", None, Family.MEAN),
        ("kappa", None, Family.SHARES),
    ],
)
def test_families(metric: str, average: str | None, family: Family) -> None:
    declared = find(metric)
    assert declared is not None
    assert family_of(declared, average) is family


def test_rows_can_be_drawn_for_every_family() -> None:
    asked = [own for own in Family if own not in (Family.TABLE, Family.LIMITS)]
    assert all("bootstrap" in methods_of(own)[0] for own in asked)
