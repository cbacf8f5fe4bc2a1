"""Comparisons of models worked by hand: pairing, defaults, ends, corrections, clusters, folds."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.stats import norm

import evalreport
from evalreport.engine.comparisons.contrast import NO_VARIANCE
from evalreport.engine.comparisons.records import compare
from evalreport.engine.comparisons.replicates import ALIKE
from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.settings import Settings
from evalreport.engine.thresholds import Resolved
from evalreport.metrics.catalogue import catalogue, find
from evalreport.metrics.kinds import Interval
from evalreport.plan.build import build_plan
from evalreport.plan.comparisons import ComparisonRequest, plan_comparisons
from evalreport.plan.inputs import HALF, Facts, MetricRequest, Requests
from evalreport.predict.view import LabelView
from evalreport.results.codec import encode
from evalreport.results.records import JointTable
from evalreport.runs.hashing import canonical_json
from evalreport.statistics import obuchowski
from evalreport.verify.recompute import recompute

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


ALL = [
    m.name for m in catalogue()
    if m.table.value in ("counts", "matrix", "scores")
    and not any(p.required for p in m.parameters) and m.name != "partial_auc"
    and not any(c not in ("threshold", "costs") for c in m.context)
]  # fmt: skip


def has_no_default(metric: str) -> bool:
    """Whether a difference on the same rows has test and limits only where a spec names them."""
    declared = find(metric)
    return bool(declared.no_interval) or declared.interval is Interval.AT_RATE


# -- a model against itself ---------------------------------------------------------------


@pytest.mark.long
def test_a_model_compared_with_its_double_differs_by_nothing() -> None:
    actual, scores, _ = noisy(1)
    few = replace(SMALL, resamples=50)
    double = [scored("a", scores, actual), scored("b", scores, actual)]
    records = every_record(double, [*ALL], settings=few)
    assert len(records) > 40
    for r in records:
        assert r.difference == 0.0, r.metric
        if has_no_default(r.metric):
            assert r.test is r.p_value is r.interval is None
            continue
        assert r.p_value == 1.0, r.metric
        assert not r.told_apart
        assert r.better is None
        if r.interval is None:
            assert r.interval_reason in (ALIKE, NO_VARIANCE)
        else:
            assert r.interval.low < 0.0 < r.interval.high
    analytic = {r.metric for r in records if r.interval is not None}
    # shares of few rows may still differ; means and areas that are the same show no variance
    assert {"accuracy", "recall", "fpr", "f1"} <= analytic
    assert analytic.isdisjoint({"roc_auc", "gini", "brier", "log_loss", "net_benefit"})


@pytest.mark.long
def test_models_that_differ_have_limits_of_all_that_models_decide() -> None:
    actual, one, two = noisy(1)
    others = [scored("a", one, actual), scored("b", two, actual)]
    apart = every_record(others, [*ALL], settings=replace(SMALL, resamples=50))
    for r in apart:
        assert (r.interval is None) == has_no_default(r.metric), r.metric


def test_two_models_alike_show_no_limits_of_their_losses() -> None:
    actual, scores, _ = noisy(1)
    double = [scored("a", scores, actual), scored("b", scores, actual)]
    r = one_record(double, "brier")
    assert (r.difference, r.p_value, r.interval) == (0.0, 1.0, None)
    assert r.interval_reason == "the difference is the same throughout: it shows no variance"


@pytest.mark.parametrize("test", ["mcnemar", "mcnemar_corrected"])
def test_no_discordant_row_leaves_a_chi_square_undefined(test: str) -> None:
    views = [labelled(m, [1, 0, 1, 1], [1, 0, 0, 1]) for m in "ab"]
    r = one_record(views, "accuracy", ComparisonRequest(tests={"accuracy": test}))
    assert r.p_value is None
    assert r.p_adjusted is None
    assert r.statistic is None
    assert "0 / 0" in r.reason
    assert r.test == test


@pytest.mark.parametrize("metric", ["recall", "precision", "roc_auc", "kappa", "f1"])
def test_one_class_in_the_truth_leaves_the_other_side_undefined(metric: str) -> None:
    views = [scored(m, s, [0, 0, 0]) for m, s in (("a", [0.1, 0.2, 0.3]), ("b", [0.3, 0.1, 0.4]))]
    r = one_record(views, metric)
    assert r.difference is None
    assert r.p_value is None
    assert r.interval is None
    assert "undefined" in r.reason


# -- which rows and which direction -------------------------------------------------------


def test_the_difference_is_model_minus_reference_and_the_joint_table_says_who_was_right() -> None:
    actual = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
    reference = labelled("ref", [1, 1, 0, 0, 0, 0, 0, 0, 0, 1], actual)
    model = labelled("new", [1, 1, 1, 1, 0, 0, 0, 1, 1, 0], actual)
    by_metric = {
        r.metric: r
        for r in every_record([reference, model], ["accuracy", "recall", "specificity", "fpr"])
    }
    assert by_metric["recall"].difference == 0.5
    assert by_metric["recall"].joint_table == JointTable(2, 2, 0, 0)
    assert by_metric["recall"].p_value == 0.5
    assert by_metric["recall"].better == "model"
    assert by_metric["specificity"].joint_table == JointTable(3, 1, 2, 0)
    assert by_metric["fpr"].joint_table == JointTable(0, 2, 1, 3)
    assert by_metric["fpr"].better == "reference"
    assert math.isclose(by_metric["accuracy"].difference, 0.1)
    assert by_metric["accuracy"].model_value == 0.8
    assert by_metric["accuracy"].reference == "ref"


def test_models_are_paired_by_row_and_rows_of_one_only_are_counted() -> None:
    actual = np.array([1, 0, 1, 0, 1, 0])
    right = labelled("a", actual, actual)
    shuffled = np.array([5, 3, 1, 4])
    some = replace(labelled("b", [0, 0, 1, 1], actual[shuffled]), row=shuffled.astype(np.int64))
    r = one_record([right, some], "accuracy")
    # b is right on rows 5 and 3, wrong on 1 and right on 4
    assert r.n == 4
    assert r.joint_table == JointTable(3, 0, 1, 0)
    assert r.model_value == 0.75
    assert r.reference_value == 1.0
    assert r.note == "left out: 2 rows of a that b does not use"


def test_models_without_a_common_row_are_not_compared() -> None:
    one = labelled("a", [1, 0], [1, 0])
    two = replace(labelled("b", [1, 0], [1, 0]), row=np.array([7, 8]))
    r = one_record([one, two], "accuracy")
    assert r.difference is None
    assert r.reason == "no row is used by both models"


def test_indeterminate_predictions_count_as_wrong() -> None:
    actual = [1, 1, 0, 0]
    plain = labelled("a", [1, 1, 0, 1], actual)
    unsure = labelled("b", [2, 1, 0, 2], actual, indeterminate=("equivocal",))
    r = one_record([plain, unsure], "accuracy")
    assert r.joint_table == JointTable(2, 0, 1, 1)
    assert "indeterminate predictions count as wrong" in r.note


# -- defaults and wishes ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "test", "interval"),
    [
        ("accuracy", "mcnemar_exact", "newcombe"),
        ("error_rate", "mcnemar_exact", "newcombe"),
        ("fnr", "mcnemar_exact", "newcombe"),
        ("selection_rate", "mcnemar_exact", "newcombe"),
        ("precision", "leisenring", "square_and_add"),
        ("false_omission_rate", "leisenring", "square_and_add"),
        ("jaccard", "mover_paired", "mover_paired"),
        ("h_measure", "grouped_jackknife", "grouped_jackknife"),
        ("gini", "delong_score", "delong_score"),
        ("brier", "satterthwaite_t", "satterthwaite_t"),
        ("net_benefit", "satterthwaite_t", "satterthwaite_t"),
        ("mcc", "mover_paired", "mover_paired"),
        ("lr_plus", "square_and_add", "square_and_add"),
        ("average_precision", "square_and_add", "square_and_add"),
        ("ks", "square_and_add", "square_and_add"),
    ],
)
def test_the_default_of_each_family(metric: str, test: str, interval: str) -> None:
    actual, one, two = noisy(2)
    r = one_record([scored("b", two, actual), scored("a", one, actual)], metric)
    assert (r.test, r.interval.method) == (test, interval)
    assert 0 <= r.p_value <= 1
    low, high = r.interval.low, r.interval.high
    assert low < r.difference < high


def test_a_test_that_does_not_fit_is_refused_and_never_switched() -> None:
    actual, one, two = noisy(2)
    request = ComparisonRequest(tests={"recall": "leisenring"}, methods={"recall": "delong"})
    r = one_record([scored("b", two, actual), scored("a", one, actual)], "recall", request)
    assert r.test == "leisenring"
    assert r.p_value is None
    assert "leisenring is not defined for" in r.reason
    assert r.interval is None
    assert "delong is not defined for" in r.interval_reason
    assert r.difference is not None


def test_weighted_rows_are_drawn_and_mcnemar_is_not_given_for_them() -> None:
    actual, one, two = noisy(4)
    weight = np.linspace(0.5, 2.0, len(actual))
    views = [scored("b", two, actual, weight=weight), scored("a", one, actual, weight=weight)]
    r = one_record(views, "brier")
    assert (r.test, r.interval.method) == ("design_based", "sandwich")
    lost = weight * ((one - actual) ** 2 - (two - actual) ** 2 - r.difference) / weight.sum()
    error = math.sqrt(len(lost) * np.var(lost, ddof=1))
    assert math.isclose(r.interval.standard_error, error, rel_tol=1e-9)
    assert math.isclose(r.statistic, r.difference / error, rel_tol=1e-9)
    r = one_record(views, "accuracy")
    assert (r.test, r.interval.method) == ("square_and_add", "square_and_add")
    right = [weight[(s >= 0.5) == actual].sum() / weight.sum() for s in (one, two)]
    assert math.isclose(r.difference, right[0] - right[1])
    asked = ComparisonRequest(tests={"accuracy": "mcnemar"}, methods={"accuracy": "tango"})
    r = one_record(views, "accuracy", asked)
    assert r.reason == "mcnemar is not defined for weighted rows"
    assert r.interval is None


def test_clusters_get_obuchowski_and_shares_the_limits_of_both() -> None:
    actual, one, two = noisy(5, 480)
    codes = np.arange(len(actual)) // 4
    cluster = (codes, 120)
    views = [scored("b", two, actual, cluster=cluster), scored("a", one, actual, cluster=cluster)]
    area, share = every_record(views, ["roc_auc", "accuracy"])
    by_hand = obuchowski.obuchowski_paired(actual == 1, one, two, codes)
    assert by_hand is not None
    assert by_hand.difference_variance is not None
    # 120 clusters in all; score limits of each area, squared and added with their correlation
    assert area.test == area.interval.method == "obuchowski_score"
    assert area.interval.df == 119
    half = stats.t.ppf(0.975, 119) * math.sqrt(by_hand.difference_variance)
    assert area.interval.high - area.interval.low == pytest.approx(2 * half, rel=0.05)
    assert share.test == share.interval.method == "square_and_add"


def test_predictive_values_of_copied_rows_in_clusters_are_no_surer() -> None:
    actual, one, two = noisy(6, 60)
    widths = []
    for often in (1, 5):
        copies = [np.repeat(x, often) for x in (actual, one, two)]
        cluster = (np.repeat(np.arange(60), often), 60)
        views = [scored(m, copies[i], copies[0], cluster=cluster) for m, i in (("b", 2), ("a", 1))]
        r = one_record(views, "precision")
        assert r.test == r.interval.method == "square_and_add"
        widths.append(r.interval.high - r.interval.low)
    # n_eff is at most the number of rows, so that few single rows are a little less sure
    assert widths[1] == pytest.approx(widths[0], rel=0.05)


def test_cluster_bootstrap_of_copied_rows_is_wider_than_that_of_rows() -> None:
    actual, one, two = noisy(6, 60)
    copies = [np.repeat(x, 5) for x in (actual, one, two)]
    cluster = (np.repeat(np.arange(60), 5), 60)
    request = ComparisonRequest(tests={"f1": "bootstrap"})
    widths = []
    for more in ({}, {"cluster": cluster}):
        views = [scored(m, copies[i], copies[0], **more) for m, i in (("b", 2), ("a", 1))]
        r = one_record(views, "f1", request, settings=Settings(resamples=1000))
        widths.append(r.interval.high - r.interval.low)
    # five copies of each row: sqrt(5) times as wide
    assert 1.8 < widths[1] / widths[0] < 2.7


# -- the bootstrap ------------------------------------------------------------------------


def test_bootstrap_of_a_share_has_the_standard_error_of_the_multinomial() -> None:
    rng = np.random.default_rng(0)
    actual = np.ones(400, int)
    predicted = [(rng.random(400) < p).astype(int) for p in (0.9, 0.8)]
    views = [labelled("b", predicted[1], actual), labelled("a", predicted[0], actual)]
    request = ComparisonRequest(tests={"accuracy": "bootstrap"})
    r = one_record(views, "accuracy", request, settings=Settings(resamples=4000))
    joint = r.joint_table
    n10, n01, n = joint.n10, joint.n01, 400
    error = math.sqrt(n10 + n01 - (n10 - n01) ** 2 / n) / n
    low, high = r.difference - 1.96 * error, r.difference + 1.96 * error
    assert (r.interval.low, r.interval.high) == pytest.approx((low, high), abs=0.1 * error)
    # 2.3 standard errors: the normal p is 0.021, and draws have an error of 0.003
    assert r.p_value == pytest.approx(2 * norm.sf(r.difference / error), abs=0.008)
    assert r.statistic is None


def test_p_of_a_bootstrap_is_the_tail_at_which_its_limits_meet_0() -> None:
    """Held against numpy: the quantile of the draws at p / 2 is 0, and limits at 1 - p touch it."""
    actual, one, two = noisy(31, 80)
    views = [scored("b", two, actual), scored("a", one, actual)]
    p = one_record(views, "f1", ComparisonRequest(tests={"f1": "bootstrap"})).p_value
    assert 0.002 < p < 0.9
    for level, outside in ((1 - p - 1e-6, True), (1 - p + 1e-6, False)):
        settings = replace(SMALL, level=level)
        limits = one_record(
            views, "f1", ComparisonRequest(methods={"f1": "bootstrap_percentile"}), settings
        ).interval
        assert (limits.low > 0 or limits.high < 0) is outside


@pytest.mark.parametrize(
    ("neither", "disagree"), [(60, True), (5, False)], ids=["limits leave 0 out", "limits hold 0"]
)
def test_mcnemar_beside_newcombe_says_where_the_two_disagree(neither: int, disagree: bool) -> None:
    """5 rows of 150 are right by one model only, all by the same: exact p 2 / 2^5 = 0.0625."""
    right = np.array([[1, 1]] * (145 - neither) + [[0, 1]] * 5 + [[0, 0]] * neither)
    views = [labelled(m, right[:, k], np.ones(150, int)) for k, m in ((1, "a"), (0, "b"))]
    r = one_record(views, "accuracy")
    assert (r.model, r.p_value) == ("b", 0.0625)
    assert (r.interval.method, r.interval.high < 0) == ("newcombe", disagree)
    assert ("two methods and disagree" in (r.note or "")) == disagree
    # the test decides
    assert (r.told_apart, r.better) == (False, "reference")


#: Tests of shares that have limits of another method beside them.
OF_SHARES = ("mcnemar_exact", "leisenring", "two_proportion_z")


@pytest.mark.parametrize("design", ["rows", "clusters", "weights", "two datasets"])
def test_p_and_limits_of_no_default_disagree(design: str) -> None:
    metrics = ["f1", "mcc", "roc_auc", "brier", "log_loss", "ks", "average_precision", "lr_plus"]
    more: dict[str, Any] = {}
    if design == "clusters":
        more = {"cluster": (np.repeat(np.arange(30), 5), 30)}
    if design == "weights":
        more = {"weight": np.tile([1.0, 2.0, 0.5], 50)}
    told = []
    for seed in range(8):
        actual, one, two = noisy(seed, 150)
        views = [scored("b", two, actual, **more), scored("a", one, actual, **more)]
        request = ComparisonRequest()
        if design == "two datasets":
            views[1] = replace(views[1], model="b", dataset="e")
            request = ComparisonRequest(reference_dataset="e")
        for r in every_record(views, metrics, request):
            if r.p_value is not None and r.interval is not None:
                assert r.test not in OF_SHARES
                assert not r.methods_disagree, (seed, r.metric, r.p_value, r.interval)
                told.append(r.told_apart)
    assert len(told) > 40
    assert 0 < sum(told) < len(told)


def test_bootstrap_of_an_area_agrees_with_delong() -> None:
    actual, one, two = noisy(7, 600)
    views = [scored("b", two, actual), scored("a", one, actual)]
    exact = one_record(views, "roc_auc")
    request = ComparisonRequest(
        tests={"roc_auc": "bootstrap"}, methods={"roc_auc": "bootstrap_percentile"}
    )
    drawn = one_record(views, "roc_auc", request, settings=Settings(resamples=2000))
    assert math.isclose(drawn.p_value, exact.p_value, abs_tol=0.01)
    for limit in ("low", "high"):
        assert abs(getattr(drawn.interval, limit) - getattr(exact.interval, limit)) < 0.006
    assert drawn.interval.usable == 2000


def test_draws_do_not_depend_on_what_else_is_compared_or_on_the_order() -> None:
    actual, one, two = noisy(8)
    views = [scored("b", two, actual), scored("a", one, actual)]
    many = {r.metric: r for r in every_record(views, ["ks", "f1", "mcc", "brier_scaled"])}
    for metric in ("mcc", "brier_scaled"):
        assert one_record(views, metric) == many[metric]


def test_ratios_of_rates_are_tested_by_their_score_limits() -> None:
    actual, one, two = noisy(9, 900)
    r = one_record([scored("b", two, actual), scored("a", one, actual)], "diagnostic_odds_ratio")
    assert r.test == r.interval.method == "square_and_add"
    assert (r.p_value < 0.05) == (not r.interval.low <= 0 <= r.interval.high)


def test_limits_by_the_design_of_a_sample_lie_within_what_a_difference_can_be() -> None:
    columns = {
        "y": [1] * 4 + [0] * 8,
        "p": [1, 1, 1, 0] + [0] * 8,
        "q": [0, 0, 0, 1] + [0] * 8,
        "w": [1.0, 9.0, 2.0, 1.0] * 3,
    }
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", "sampling": {"weight": "w"}}},
        "models": {"one": {"prediction": "p"}, "two": {"prediction": "q"}},
        "metrics": ["recall"],
        "comparisons": {"reference": "one"},
    }
    found = evalreport.run(spec, frames={"d": columns}).json
    (record,) = found["comparisons"]
    assert record["interval"]["method"] == "sandwich"
    assert record["interval"]["low"] == -1.0
    assert recompute(found).problems == ()
