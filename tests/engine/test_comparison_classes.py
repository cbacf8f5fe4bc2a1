"""Comparisons of more than two classes, corrections, margins, folds and datasets."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from evalreport.engine.comparisons.records import compare
from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.settings import Settings
from evalreport.engine.thresholds import Resolved
from evalreport.metrics.catalogue import find
from evalreport.plan.build import build_plan
from evalreport.plan.comparisons import ComparisonRequest, plan_comparisons
from evalreport.plan.inputs import HALF, Facts, MetricRequest, Requests
from evalreport.predict.view import LabelView
from evalreport.results.codec import encode
from evalreport.runs.hashing import canonical_json
from evalreport.statistics.folds import corrected_resampled_t
from evalreport.statistics.multiplicity import adjust

COSTS = {"false_negative": 5, "false_positive": 1}
SMALL = Settings(resamples=200, seed=3, costs=COSTS)


def scored(model: str, scores: Any, actual: Any, **more: Any) -> LabelView:
    return LabelView(
        dataset="d", model=model, source="score", labels=("n", "p"), positive=1,
        actual=np.array(actual), row=np.arange(len(actual)),
        score=np.array(scores, float), **more,
    )  # fmt: skip


def labelled(
    model: str, predicted: Any, actual: Any, labels: Any = ("n", "p"), **more: Any
) -> LabelView:
    return LabelView(
        dataset="d", model=model, source="prediction", labels=tuple(labels),
        positive=1 if len(labels) == 2 else None,
        actual=np.array(actual), row=np.arange(len(actual)), predicted=np.array(predicted), **more,
    )  # fmt: skip


def facts_of(v: LabelView) -> Facts:
    if v.score is not None:
        low, high = float(v.score.min()), float(v.score.max())
    elif v.class_scores is not None:
        low, high = float(v.class_scores.min()), float(v.class_scores.max())
    else:
        low = high = None
    return Facts(
        v.dataset, v.model, v.source, v.labels, "p" if len(v.labels) == 2 else None, v.rows,
        weighted=v.weight is not None, clustered=v.cluster is not None,
        indeterminate=v.indeterminate, low=low, high=high,
        folds=() if v.fold is None else v.fold[1], fold_sizes=v.fold_sizes,
    )  # fmt: skip


def every_record(
    views: list[LabelView],
    metrics: list[str],
    request: ComparisonRequest | None = None,
    settings: Settings = SMALL,
    averages: tuple[str, ...] | None = None,
) -> list[dict[str, Any]]:
    facts = [facts_of(v) for v in views]
    requests = Requests(
        tuple(MetricRequest(find(m)) for m in metrics), averages=averages, costs=True
    )
    plan = build_plan(requests, facts)
    request = request or ComparisonRequest()
    planned = plan_comparisons(request, plan.tasks, facts)
    tables = {(v.dataset, v.model): MemoryTables(v) for v in views}
    at = {HALF: Resolved(0.5)}
    records = compare(request, tables, dict.fromkeys(tables, at), planned.tasks, settings)
    canonical_json([encode(record) for record in records])
    return records


def one_record(views: list[LabelView], metric: str, *more: Any, **named: Any) -> dict[str, Any]:
    records = every_record(views, [metric], *more, **named)
    assert len(records) == 1
    return records[0]


def noisy(seed: int, n: int = 120) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    actual = (np.arange(n) % 3 == 0).astype(int)
    base = actual + rng.normal(0, 1, n)
    one, two = (1 / (1 + np.exp(-(base + rng.normal(0, s, n) - 0.5))) for s in (0.3, 1.5))
    return actual, one, two


# -- more than two classes ----------------------------------------------------------------


def three_classes() -> tuple[LabelView, LabelView]:
    rng = np.random.default_rng(11)
    actual = np.repeat([0, 1, 2], 40)
    first = np.where(rng.random(120) < 0.8, actual, rng.integers(0, 3, 120))
    second = np.where(rng.random(120) < 0.5, actual, rng.integers(0, 3, 120))
    labels = ("a", "b", "c")
    return labelled("ref", second, actual, labels), labelled("new", first, actual, labels)


def test_accuracy_of_three_classes_by_mcnemar_and_macro_recall_by_the_joint_table() -> None:
    reference, model = three_classes()
    records = every_record(
        [reference, model], ["accuracy", "recall", "kappa"], averages=("none", "macro", "micro")
    )
    by = {(r.metric, r.average, r.label): r for r in records}
    micro = by["accuracy", "micro", None]
    right = [v.predicted == v.actual for v in (model, reference)]
    assert micro.joint_table.n10 == int((right[0] & ~right[1]).sum())
    assert micro.joint_table == by["recall", "micro", None].joint_table
    assert micro.test == "mcnemar_exact"
    one = by["recall", None, "b"]
    held = model.actual == 1
    assert one.joint_table.n11 == int((held & right[0] & right[1]).sum())
    assert sum(dataclasses.astuple(one.joint_table)) == 40
    for key in (("recall", "macro", None), ("kappa", None, None)):
        assert by[key].test == "square_and_add"
        assert by[key].interval.low < by[key].difference < by[key].interval.high
    # equal classes: macro recall is accuracy, and its limits about as far as a mean's of 120 rows
    macro = by["recall", "macro", None]
    assert math.isclose(macro.difference, micro.difference)
    apart = right[0].astype(float) - right[1].astype(float)
    width = macro.interval.high - macro.interval.low
    assert math.isclose(width, 2 * 1.96 * np.std(apart, ddof=1) / math.sqrt(120), rel_tol=0.15)


def test_scores_of_three_classes() -> None:
    rng = np.random.default_rng(12)
    actual = np.repeat([0, 1, 2], 30)
    views = []
    for model, strength in (("ref", 0.5), ("new", 2.0)):
        raw = np.exp(rng.normal(0, 1, (90, 3)) + strength * np.eye(3)[actual])
        share = raw / raw.sum(axis=1, keepdims=True)
        views.append(
            LabelView(
                dataset="d", model=model, source="scores", labels=("a", "b", "c"), positive=None,
                actual=actual, row=np.arange(90),
                predicted=share.argmax(axis=1), class_scores=share,
            )
        )  # fmt: skip
    metrics = ["roc_auc", "log_loss", "hand_till_auc", "brier", "top_k_accuracy"]
    by = {(r.metric, r.average, r.label): r for r in every_record(views, metrics)}
    assert by["roc_auc", None, "c"].test == "delong_score"
    assert by["roc_auc", "macro", None].test == "square_and_add"
    assert by["log_loss", None, None].test == "satterthwaite_t"
    assert by["log_loss", None, None].better == "model"
    hand_till, macro = by["hand_till_auc", None, None], by["roc_auc", "macro", None]
    # with equal classes both are means of pairwise areas of the same columns
    assert abs(hand_till.difference - macro.difference) < 0.05
    for r in (hand_till, macro, by["top_k_accuracy", None, None]):
        assert r.interval.low <= r.difference <= r.interval.high
        assert 0 <= r.p_value <= 1


# -- corrections, margins, folds ----------------------------------------------------------


@pytest.mark.parametrize("correction", ["none", "bonferroni", "holm", "benjamini_hochberg"])
def test_p_values_are_adjusted_over_all_comparisons_of_the_dataset(correction: str) -> None:
    actual, one, two = noisy(13)
    views = [scored("ref", two, actual), scored("a", one, actual), scored("b", two[::-1], actual)]
    metrics = ["accuracy", "recall", "roc_auc", "accuracy_p_value"]
    records = every_record(views, metrics, ComparisonRequest(correction=correction))
    assert len(records) == 6
    assert [r.p_adjusted for r in records] == adjust([r.p_value for r in records], correction)
    assert all(r.correction == correction for r in records)
    assert all(r.told_apart == (r.p_adjusted < 0.05) for r in records)


def test_a_margin_is_held_against_the_limit_on_the_losing_side() -> None:
    actual, one, two = noisy(14)
    views = [scored("ref", one, actual), scored("new", two, actual)]
    plain = {r.metric: r for r in every_record(views, ["recall", "brier", "prevalence"])}
    low, high = plain["recall"].interval.low, plain["brier"].interval.high
    for slack, shown in ((1e-6, True), (-1e-6, False)):
        request = ComparisonRequest(margins={"recall": -low + slack, "brier": high + slack})
        for r in every_record(views, ["recall", "brier"], request):
            assert r.non_inferior is shown
    assert plain["recall"].margin is None
    assert "prevalence" not in plain


def test_models_over_folds_by_the_corrected_resampled_t() -> None:
    actual, one, two = noisy(15, 90)
    fold = (np.arange(90) % 3, ("1", "2", "3"))
    sizes = dict.fromkeys(fold[1], (60, 30))
    views = [scored(m, s, actual, fold=fold, fold_sizes=sizes) for m, s in (("b", two), ("a", one))]
    pooled, mean = every_record(views, ["accuracy"])
    by_fold = [
        float(np.mean((one >= 0.5)[fold[0] == k] == actual[fold[0] == k]))
        - float(np.mean((two >= 0.5)[fold[0] == k] == actual[fold[0] == k]))
        for k in range(3)
    ]
    by_hand = corrected_resampled_t(by_fold, 60, 30, 0.95)
    assert by_hand is not None
    assert (pooled.fold, mean.fold) == (None, "mean")
    assert mean.test == "nadeau_bengio"
    assert math.isclose(mean.difference, sum(by_fold) / 3)
    assert by_hand.p_value is not None
    assert math.isclose(mean.p_value, by_hand.p_value)
    assert math.isclose(mean.interval.low, by_hand.interval.low)


def test_models_alike_in_every_fold_have_no_limits_of_no_width() -> None:
    """A model beside itself: every fold differs by 0, which shows no variance."""
    actual, one, _ = noisy(15, 90)
    fold = (np.arange(90) % 3, ("1", "2", "3"))
    sizes = dict.fromkeys(fold[1], (60, 30))
    views = [scored(m, one, actual, fold=fold, fold_sizes=sizes) for m in "ba"]
    _, mean = every_record(views, ["accuracy"])
    assert (mean.fold, mean.difference, mean.p_value) == ("mean", 0.0, 1.0)
    assert mean.interval is None
    assert mean.interval_reason == "the difference is the same throughout: it shows no variance"


def test_folds_without_known_training_sizes_have_a_difference_and_no_test() -> None:
    actual, one, two = noisy(15, 90)
    fold = (np.arange(90) % 3, ("1", "2", "3"))
    views = [scored(m, s, actual, fold=fold) for m, s in (("b", two), ("a", one))]
    _, mean = every_record(views, ["accuracy"])
    assert mean.difference is not None
    assert mean.p_value is None
    assert mean.reason == "sizes of the training sets are not known"


def test_a_threshold_chosen_on_the_rows_is_said_to_be() -> None:
    actual, one, two = noisy(16)
    views = [scored("b", two, actual), scored("a", one, actual)]
    facts = [facts_of(v) for v in views]
    plan = build_plan(Requests((MetricRequest(find("recall")),)), facts)
    tables = {(v.dataset, v.model): MemoryTables(v) for v in views}
    solved = {
        ("d", "b"): {HALF: Resolved(0.5)},
        ("d", "a"): {HALF: Resolved(0.41, exploratory=True)},
    }
    tasks = plan_comparisons(ComparisonRequest(), plan.tasks, facts).tasks
    (r,) = compare(ComparisonRequest(), tables, solved, tasks, SMALL)
    text = "conditional on the threshold, which was chosen on these rows: a"
    assert r.note == text
    assert r.interval.note == text
    assert (r.threshold, r.reference_threshold) == (0.41, 0.5)


def test_a_threshold_that_does_not_exist_leaves_no_difference() -> None:
    actual, one, two = noisy(16)
    views = [scored("b", two, actual), scored("a", one, actual)]
    facts = [facts_of(v) for v in views]
    plan = build_plan(Requests((MetricRequest(find("recall")),)), facts)
    tables = {(v.dataset, v.model): MemoryTables(v) for v in views}
    solved = {
        ("d", "b"): {HALF: Resolved(0.5)},
        ("d", "a"): {HALF: Resolved(None, "no threshold gives it")},
    }
    tasks = plan_comparisons(ComparisonRequest(), plan.tasks, facts).tasks
    (r,) = compare(ComparisonRequest(), tables, solved, tasks, SMALL)
    assert r.difference is None
    assert r.reason == "a: undefined, no threshold gives it"


# -- independent rows ------------------------------------------------------------------------


def two_datasets(
    metrics: list[str], settings: Settings = SMALL, **asked: Any
) -> dict[str, dict[str, Any]]:
    actual, one, _ = noisy(17, 300)
    other, _, two = noisy(18, 240)
    views = [
        replace(scored("m", two, other), dataset="base"),
        replace(scored("m", one, actual), dataset="now"),
    ]
    request = ComparisonRequest(reference_dataset="base", **asked)
    return {r.metric: r for r in every_record(views, metrics, request, settings)}


def test_limits_on_two_datasets_are_squared_and_added() -> None:
    metrics = ["f1", "mcc", "average_precision", "brier", "diagnostic_odds_ratio"]
    found = two_datasets(metrics)
    assert set(found) == set(metrics)
    for r in found.values():
        expected = "satterthwaite_t" if r.metric == "brier" else "square_and_add"
        assert (r.test, r.interval.method) == (expected, expected)
        assert r.interval.low < r.difference < r.interval.high
        assert math.isclose(r.difference, r.model_value - r.reference_value)
    assert two_datasets(["brier"])["brier"] == found["brier"]


def test_independent_means_are_compared_by_welchs_t() -> None:
    r = two_datasets(["brier"])["brier"]
    actual, one, _ = noisy(17, 300)
    other, _, two = noisy(18, 240)
    parts = [(one - actual) ** 2, (two - other) ** 2]
    welch = stats.ttest_ind(*parts, equal_var=False)
    assert math.isclose(r.statistic, welch.statistic, rel_tol=1e-9)
    # few rows lose much: the variance is less well known than the number of rows says
    assert r.df < welch.df
    assert math.isclose(r.p_value, 2 * stats.t.sf(abs(r.statistic), r.df), rel_tol=1e-9)
    assert r.test == r.interval.method == "satterthwaite_t"
    alike = two_datasets(["brier"], tests={"brier": "satterthwaite_t"})["brier"]
    assert (alike.df, alike.p_value) == (r.df, r.p_value)
    asked = two_datasets(["brier"], tests={"brier": "welch_t"}, methods={"brier": "welch_t"})
    r, limits = asked["brier"], welch.confidence_interval()
    assert math.isclose(r.df, welch.df, rel_tol=1e-9)
    assert math.isclose(r.p_value, welch.pvalue, rel_tol=1e-9)
    assert (r.interval.low, r.interval.high) == pytest.approx(limits, rel=1e-9)


@pytest.mark.parametrize("test", ["mcnemar_exact", "paired_t"])
def test_a_paired_test_is_refused_for_different_rows(test: str) -> None:
    actual, one, _ = noisy(17)
    views = [replace(scored("m", one, actual), dataset=d) for d in ("base", "now")]
    metric = "recall" if test == "mcnemar_exact" else "brier"
    request = ComparisonRequest(reference_dataset="base", tests={metric: test})
    r = one_record(views, metric, request)
    assert (r.test, r.p_value) == (test, None)
    assert test in r.reason


# -- the order of rows -----------------------------------------------------------------------


def test_no_number_depends_on_the_order_of_the_rows() -> None:
    actual, one, two = noisy(19)
    metrics = ["accuracy", "precision", "f1", "brier", "ks", "average_precision"]
    forth = every_record([scored("b", two, actual), scored("a", one, actual)], metrics)
    mixed = np.random.default_rng(0).permutation(len(actual))
    back = every_record(
        [scored("b", two[mixed], actual[mixed]), scored("a", one[mixed], actual[mixed])], metrics
    )
    assert forth == back
