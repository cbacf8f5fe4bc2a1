"""Intervals of sets of labels: rows are what is drawn, with all their labels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from engine.label_sets.set_specs import ACTUAL, GIVEN, many_rows, measure, of_scores, of_sets
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from evalreport.engine.label_sets.bootstrap import delta_interval
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Average
from evalreport.metrics.sets_table import LabelSets

ROWS, SCORES = many_rows()
NAMES = ("v", "w", "x", "y", "z")
GIVEN_ROWS = SCORES >= 0.5
DRAWS = {"resamples": 4000, "seed": 4}


def scored(metrics, **spec):
    return of_scores(ROWS, SCORES, metrics, labels=NAMES, **{"confidence": DRAWS, **spec})


def drawn_of(metric):
    return {"confidence": {**DRAWS, "methods": {metric: "bootstrap_percentile"}}}


def by(method, *metrics):
    return {"confidence": {**DRAWS, "methods": dict.fromkeys(metrics, method)}}


def on_the_logit(place, variance, floor, df):
    """Limits by t on the logit, one unit's binomial variance added."""
    half = stats.t.ppf(0.975, df) * math.sqrt(variance + floor) / place / (1 - place)
    middle = math.log(place / (1 - place))
    return [1 / (1 + math.exp(-(middle + side * half))) for side in (-1, 1)]


def ends(found):
    return [found["interval"]["low"], found["interval"]["high"]]


def half_width(found):
    return (found["interval"]["high"] - found["interval"]["low"]) / 2


def test_exact_match_and_rates_of_one_label_are_wilson_intervals():
    found = scored(["exact_match", "recall"])
    exact = measure(found, "exact_match")
    right = int((ROWS == GIVEN_ROWS).all(axis=1).sum())
    low, high = proportion_confint(right, len(ROWS), method="wilson")
    assert exact["interval"]["method"] == "wilson"
    assert (exact["interval"]["low"], exact["interval"]["high"]) == pytest.approx((low, high))
    recall = measure(found, "recall", label="w")
    hits, has = int((ROWS & GIVEN_ROWS)[:, 1].sum()), int(ROWS[:, 1].sum())
    low, high = proportion_confint(hits, has, method="wilson")
    assert (recall["interval"]["low"], recall["interval"]["high"]) == pytest.approx((low, high))


def test_a_mean_over_rows_has_the_normal_interval_of_its_row_values():
    found = measure(scored(["hamming_loss"], **by("normal", "hamming_loss")), "hamming_loss")
    values = (ROWS != GIVEN_ROWS).mean(axis=1)
    half = 1.959963984540054 * values.std(ddof=1) / math.sqrt(len(values))
    assert found["interval"]["method"] == "normal"
    assert found["interval"]["low"] == pytest.approx(values.mean() - half, abs=1e-12)
    assert found["interval"]["high"] == pytest.approx(values.mean() + half, abs=1e-12)


def test_a_mean_over_rows_has_students_t_on_the_logit():
    found = measure(scored(["hamming_loss"]), "hamming_loss")
    values, n = (ROWS != GIVEN_ROWS).mean(axis=1), len(ROWS)
    p = values.mean()
    assert (found["interval"]["method"], found["interval"]["df"]) == ("delta_t", n - 1)
    floor = p * (1 - p) / n / (n + 1)
    expected = on_the_logit(p, values.var(ddof=1) / n, floor, n - 1)
    assert ends(found) == pytest.approx(expected, rel=1e-9)


def test_a_mean_of_counts_has_students_t_on_the_logarithm():
    found = measure(scored(["coverage_error"]), "coverage_error")
    has = ROWS.any(axis=1)
    lowest = np.where(ROWS, SCORES, np.inf).min(axis=1)[:, None]
    depth = (lowest <= SCORES).sum(axis=1)[has]
    df = (depth.sum() ** 2 / (depth**2).sum() - 1) / 1.5
    half = stats.t.ppf(0.975, df) * stats.sem(depth) / depth.mean()
    assert found["interval"]["method"] == "log_t"
    expected = [depth.mean() * math.exp(-half), depth.mean() * math.exp(half)]
    assert ends(found) == pytest.approx(expected, rel=1e-9)


def test_one_error_is_a_share_of_rows():
    found = measure(scored(["one_error"]), "one_error")
    has = ROWS.any(axis=1)
    first = SCORES.max(axis=1, keepdims=True) == SCORES
    wrong = ((first & ~ROWS).sum(axis=1) / first.sum(axis=1))[has]
    low, high = proportion_confint(wrong.sum(), has.sum(), method="wilson")
    assert found["interval"]["method"] == "wilson"
    assert ends(found) == pytest.approx([low, high])


def test_rows_without_a_value_are_not_counted_in_the_interval_of_a_samples_average():
    spec = {"averaging": ["samples"], **by("sandwich", "recall")}
    found = measure(scored(["recall"], **spec), "recall", average="samples")
    has = ROWS.any(axis=1)
    values = (ROWS & GIVEN_ROWS)[has].sum(axis=1) / ROWS[has].sum(axis=1)
    half = 1.959963984540054 * stats.sem(values)
    assert half_width(found) == pytest.approx(half, abs=1e-12)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_averages_that_are_drawn_are_drawn_by_rows(average):
    found = measure(scored(["recall"], averaging=[average], **drawn_of("recall")), "recall",
                    average=average)  # fmt: skip
    assert found["interval"]["method"] == "bootstrap_percentile"
    assert found["interval"]["resamples"] == 4000
    rng = np.random.default_rng(1)
    drawn = []
    for _ in range(4000):
        rows = rng.integers(0, len(ROWS), len(ROWS))
        hits, has = (ROWS & GIVEN_ROWS)[rows].sum(axis=0), ROWS[rows].sum(axis=0)
        each = {"macro": (hits / has).mean(), "micro": hits.sum() / has.sum()}
        drawn.append(each.get(average, hits.sum() / has.sum()))
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert found["interval"]["low"] == pytest.approx(low, abs=0.004)
    assert found["interval"]["high"] == pytest.approx(high, abs=0.004)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_averages_have_the_delta_method_over_rows(average):
    spec = {"averaging": [average], **by("sandwich", "recall")}
    found = measure(scored(["recall"], **spec), "recall", average=average)
    hits, has = (ROWS & GIVEN_ROWS).sum(axis=0), ROWS.sum(axis=0)
    rate, n = hits / has, len(ROWS)
    each = ((ROWS & GIVEN_ROWS) - rate * ROWS) / has / len(NAMES)
    pooled = ((ROWS & GIVEN_ROWS) - hits.sum() / has.sum() * ROWS) / has.sum()
    # weighted recall is the pooled one: every label counts by its positives
    own = (each if average == "macro" else pooled).sum(axis=1)
    assert found["interval"]["method"] == "sandwich"
    variance = n / (n - 1) * (own**2).sum()
    assert half_width(found) == pytest.approx(1.959963984540054 * math.sqrt(variance), rel=1e-6)
    # the default has t on the logit, and a floor of what the rarer sides of the labels show
    default = measure(scored(["recall"], averaging=[average]), "recall", average=average)
    rarer = np.minimum(has, n - has).astype(float)
    value = rate.mean()
    if average != "macro":
        rate, value, rarer = (
            np.array([found["value"]]),
            found["value"],
            np.array([min(rarer.sum(), n)]),
        )
    places = rate * (1 - rate) / len(rate) ** 2
    df = (places / rarer * (rarer - 1)).sum() / (places / rarer).sum()
    expected = on_the_logit(value, variance, (places / rarer / (rarer + 1)).sum(), df)
    assert default["interval"]["method"] == "delta_t"
    assert default["interval"]["df"] == pytest.approx(df)
    assert ends(default) == pytest.approx(expected, rel=1e-6)


def test_labels_that_agree_in_every_row_make_the_pooled_interval_no_narrower():
    """Five copies of one label are the evidence of one label."""
    one, given = np.repeat(ROWS[:, :1], 5, axis=1), np.repeat(GIVEN_ROWS[:, :1], 5, axis=1)
    scores = np.where(given, 0.9, 0.1)
    asked = {"averaging": ["none", "micro"], **drawn_of("recall")}
    found = of_scores(one, scores, ["recall"], labels=NAMES, **asked)
    pooled, single = measure(found, "recall", average="micro"), measure(found, "recall", label="v")
    assert pooled["value"] == pytest.approx(single["value"])
    assert half_width(pooled) == pytest.approx(half_width(single), rel=0.08)


def test_areas_are_averaged_over_labels_left_out_and_drawn_together():
    asked = {"averaging": ["macro"]}
    left = measure(scored(["roc_auc"], **asked), "roc_auc", average="macro")
    asked |= drawn_of("roc_auc")
    drawn = measure(scored(["roc_auc"], **asked), "roc_auc", average="macro")
    assert left["interval"]["method"] == "grouped_jackknife"
    assert drawn["interval"]["method"] == "bootstrap_percentile"
    assert left["interval"]["low"] < left["value"] < left["interval"]["high"]
    # the error of a jackknife of 50 groups is about 10 %, and t has 49 degrees of freedom
    assert half_width(left) == pytest.approx(half_width(drawn), rel=0.3)


def test_bca_of_an_average_lies_near_the_percentile_interval():
    asked = {"averaging": ["macro"], "confidence": {**DRAWS, "methods": {"f1": "bootstrap_bca"}}}
    bca = measure(scored(["f1"], **asked), "f1", average="macro")
    plain = measure(scored(["f1"], averaging=["macro"], **drawn_of("f1")), "f1", average="macro")
    assert bca["interval"]["method"] == "bootstrap_bca"
    assert plain["interval"]["method"] == "bootstrap_percentile"
    assert bca["interval"]["low"] == pytest.approx(plain["interval"]["low"], abs=0.01)
    assert bca["interval"]["low"] != plain["interval"]["low"]


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_the_delta_method_agrees_with_drawing_rows(average):
    spec = {"averaging": [average], **by("delta", "f1")}
    delta = measure(scored(["f1"], **spec), "f1", average=average)
    drawn = measure(scored(["f1"], averaging=[average], **drawn_of("f1")), "f1", average=average)
    assert delta["interval"]["method"] == "delta"
    assert half_width(delta) == pytest.approx(half_width(drawn), rel=0.06)


def test_the_delta_method_of_one_pooled_label_is_that_of_a_share():
    """Micro accuracy of one label is a share of n rows: variance p (1 - p) / (n - 1)."""
    metric, n = find("accuracy"), len(ROWS)
    sets = LabelSets(("v",), ROWS[:, :1], GIVEN_ROWS[:, :1])
    p = float((ROWS[:, 0] == GIVEN_ROWS[:, 0]).mean())
    found = delta_interval(
        sets, [sets.counts(0)], None, metric, {}, Average.MICRO, p, 0.95, "delta"
    )
    half = 1.959963984540054 * math.sqrt(p * (1 - p) / (n - 1))
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=1e-6)


def test_labels_left_out_of_an_average_do_not_move_its_limits():
    never = np.c_[ROWS[:, :2], np.zeros(len(ROWS), bool)]
    scores = np.c_[SCORES[:, :2], np.full(len(ROWS), 0.1)]
    found = of_scores(never, scores, ["recall"], labels=("v", "w", "x"), averaging=["macro"])
    two = of_scores(ROWS[:, :2], SCORES[:, :2], ["recall"], labels=("v", "w"), averaging=["macro"])
    one, other = (measure(f, "recall", average="macro") for f in (found, two))
    assert one["interval"]["method"] == "delta_t"
    assert one["reason"].startswith("undefined for 1 of 3")
    assert half_width(one) == pytest.approx(half_width(other), rel=1e-9)
    twice = {"k": [str(i // 2) for i in range(2 * len(ROWS))]}
    doubled = of_scores(
        np.repeat(never, 2, axis=0),
        np.repeat(scores, 2, axis=0),
        ["recall"],
        labels=("v", "w", "x"),
        averaging=["macro"],
        frame=twice,
        dataset={"cluster": "k"},
    )
    clustered = measure(doubled, "recall", average="macro")
    assert clustered["interval"]["method"] == "cluster_robust_t"
    assert half_width(clustered) == pytest.approx(half_width(one), rel=1e-9)


def test_rows_that_are_all_alike_give_a_mean_no_interval():
    found = measure(of_sets(ACTUAL[:1], GIVEN[:1], ["hamming_loss"]), "hamming_loss")
    assert (found["value"], found["interval"]) == (1 / 3, None)
    assert found["interval_reason"]


# -- weights and clusters ----------------------------------------------------------------------


def test_a_whole_weight_counts_a_row_as_often():
    metrics = ["exact_match", "hamming_loss", "example_jaccard", "recall", "precision"]
    asked = {"averaging": ["none", "macro", "micro", "weighted", "samples"]}
    weights = np.arange(len(ROWS)) % 3 + 1
    weighted = of_scores(
        ROWS,
        SCORES,
        metrics,
        labels=NAMES,
        frame={"n": weights.tolist()},
        dataset={"weight": "n"},
        **asked,
    )
    repeated = of_scores(
        np.repeat(ROWS, weights, axis=0),
        np.repeat(SCORES, weights, axis=0),
        metrics,
        labels=NAMES,
        **asked,
    )
    for one, other in zip(weighted["measures"], repeated["measures"], strict=True):
        assert one["value"] == pytest.approx(other["value"], abs=1e-12)
        if not (one["reason"] or "").endswith("left out of the mean"):
            assert one["weight"] == other["n"]
    methods = {m["metric"]: m["interval"]["method"] for m in weighted["measures"][:3]}
    assert methods == {
        "exact_match": "wilson_kish",
        "hamming_loss": "sandwich_t",
        "example_jaccard": "sandwich_t",
    }


def test_equal_weights_change_no_interval_of_a_mean():
    plain = measure(scored(["hamming_loss"]), "hamming_loss")
    frame = {"n": [2.0] * len(ROWS)}
    weighted = measure(
        of_scores(
            ROWS, SCORES, ["hamming_loss"], labels=NAMES, frame=frame, dataset={"weight": "n"}
        ),
        "hamming_loss",
    )
    assert half_width(weighted) == pytest.approx(half_width(plain), rel=1e-12)


@pytest.mark.parametrize(
    ("metric", "average", "method", "near"),
    [
        ("hamming_loss", None, "cluster_robust_t", 1e-12),
        ("exact_match", None, "cluster_robust_t", 0.01),
        ("recall", "macro", "cluster_robust_t", 1e-9),
        ("recall", "samples", "cluster_robust_t", 1e-12),
    ],
)
def test_rows_copied_within_their_cluster_are_no_more_evidence(metric, average, method, near):
    asked = {"averaging": [average or "macro"], "labels": NAMES, "confidence": DRAWS}
    single = measure(of_scores(ROWS, SCORES, [metric], **asked), metric, average=average)
    twice = {"k": [str(i // 2) for i in range(2 * len(ROWS))]}
    doubled = of_scores(
        np.repeat(ROWS, 2, axis=0),
        np.repeat(SCORES, 2, axis=0),
        [metric],
        frame=twice,
        dataset={"cluster": "k"},
        **asked,
    )
    found = measure(doubled, metric, average=average)
    assert found["interval"]["method"] == method
    assert found["value"] == pytest.approx(single["value"], abs=1e-12)
    assert half_width(found) == pytest.approx(half_width(single), rel=max(near, 1e-9))
