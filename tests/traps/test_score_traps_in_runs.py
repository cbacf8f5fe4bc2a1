"""Scores, probabilities and agreement on which well-known tools stumble; whole runs."""

from __future__ import annotations

import math
from typing import Any

import pytest
from trap_runs import measures_of, one, results_of

from evalreport.errors import DataError

TIED = [{"y": [1] * 5 + [0] * 95, "s": [0.5] * 100}, {"y": [0] * 95 + [1] * 5, "s": [0.5] * 100}]


@pytest.mark.parametrize("columns", TIED, ids=["positives first", "positives last"])
def test_tied_scores_are_one_threshold_whatever_the_order(columns: Any) -> None:
    found = measures_of(columns, {"score": "s"}, ["precision", "recall"])
    assert one(found, "precision")["value"] == 0.05
    assert one(found, "recall")["value"] == 1.0


def test_no_positive_at_the_top_gives_noughts_not_an_error() -> None:
    columns = {"y": [0] * 50 + [1] * 50, "s": [k / 100 for k in range(100, 0, -1)]}
    found = measures_of(
        columns,
        {"score": "s"},
        [{"gain": {"top": 0.01}}, {"lift": {"top": 0.01}}, "recall", "f1"],
        thresholds=[{"top": 1}],
    )
    values = {m: one(found, m)["value"] for m in ("gain", "lift", "recall", "f1")}
    assert values == {"gain": 0, "lift": 0, "recall": 0, "f1": 0}


def test_the_first_k_rows_have_the_kth_score_as_threshold() -> None:
    columns = {"y": [1, 0, 1, 0], "s": [0.9, 0.8, 0.7, 0.6]}
    found = results_of(columns, {"score": "s"}, ["recall"], thresholds=[{"top": 2}])
    assert found["thresholds"][0]["threshold"] == 0.8
    assert found["tables"][0]["counts"] == [[1, 1], [1, 1]]


def test_the_three_areas_of_four_rows() -> None:
    columns = {"y": [0, 0, 1, 1], "s": [0.1, 0.4, 0.35, 0.8]}
    found = measures_of(columns, {"score": "s"}, ["average_precision", "pr_auc", "roc_auc"])
    assert one(found, "average_precision")["value"] == pytest.approx(0.8333, abs=5e-5)
    assert one(found, "pr_auc")["value"] == pytest.approx(0.7917, abs=5e-5)
    assert one(found, "roc_auc")["value"] == 0.75


def test_labels_have_no_area_under_a_roc_curve() -> None:
    for labels in (["a", "b"], ["a", "b", "c"]):
        found = measures_of({"y": labels, "p": labels}, {"prediction": "p"}, ["roc_auc"])
        assert {m["state"] for m in found} == {"not_applicable"}
        assert "labels only" in found[0]["reason"]


def test_average_precision_is_the_step_sum() -> None:
    columns = {"y": [0, 1, 0, 0, 0], "s": [0.7, 0.8, 0.5, 0.9, 0.1]}
    found = measures_of(columns, {"score": "s"}, ["average_precision"])
    assert one(found, "average_precision")["value"] == 0.5


def test_average_precision_without_positives_is_undefined_and_of_one_row_is_one() -> None:
    declared = {"labels": ["0", "1"]}
    none = measures_of(
        {"y": [0, 0], "s": [0.1, 0.2]}, {"score": "s"}, ["average_precision"], dataset=declared
    )
    assert one(none, "average_precision")["state"] == "undefined"
    single = measures_of(
        {"y": [1], "s": [0.01]}, {"score": "s"}, ["average_precision"], dataset=declared
    )
    assert (one(single, "average_precision")["value"], single[0]["n"]) == (1.0, 1)


def test_an_area_with_one_class_is_undefined_and_stays_out_of_fold_means() -> None:
    columns = {"y": [0, 1, 1, 1], "s": [0.1, 0.9, 0.8, 0.7], "f": list("aabb")}
    found = measures_of(columns, {"score": "s"}, ["roc_auc"], dataset={"fold": "f"})
    assert one(found, "roc_auc", fold="b")["state"] == "undefined"
    mean = one(found, "roc_auc", fold="mean")
    assert mean["value"] == 1.0
    assert "1 of 2 folds" in mean["reason"]


def test_tiny_scores_and_last_bits_are_no_ties() -> None:
    scores = [0.1e-7, 0.4e-7, 0.35e-7, 0.8e-7]
    found = measures_of({"y": [0, 0, 1, 1], "s": scores}, {"score": "s"}, ["roc_auc"])
    assert one(found, "roc_auc")["value"] == 0.75
    close = measures_of({"y": [1, 0], "s": [0.1 + 0.2, 0.3]}, {"score": "s"}, ["roc_auc"])
    assert one(close, "roc_auc")["value"] == 1.0


def test_the_first_point_has_no_threshold_and_collinear_points_are_dropped() -> None:
    columns = {"y": [0] * 4 + [1] * 4, "s": list(range(8))}
    found = results_of(columns, {"score": "s"}, ["roc_auc"])
    points = next(c for c in found["curves"] if c["kind"] == "roc")["points"]
    assert points["threshold"][0] is None
    assert list(zip(points["fpr"], points["tpr"], strict=True)) == [(0, 0), (0, 1), (1, 1)]


def test_a_constant_classifier_has_the_prevalence_as_area_and_one_half() -> None:
    columns = {"y": [1] * 3 + [0] * 7, "s": [0.4] * 10}
    found = results_of(columns, {"score": "s"}, ["pr_auc", "roc_auc"])
    assert one(found, "pr_auc")["value"] == pytest.approx(0.3)
    auc = one(found, "roc_auc")
    assert auc["value"] == 0.5
    assert auc["interval"]["method"] == "delong_score"
    assert auc["interval"]["low"] < 0.5 < auc["interval"]["high"]
    assert "constant_scores" in {c["code"] for c in found["cautions"]}


def test_an_area_below_one_half_is_never_flipped() -> None:
    columns = {"y": [1, 1, 0, 0, 1, 0], "s": [0.1, 0.6, 0.7, 0.8, 0.5, 0.2]}
    value = one(measures_of(columns, {"score": "s"}, ["roc_auc"]), "roc_auc")["value"]
    assert value == pytest.approx(2 / 9)


def test_precision_where_nothing_is_predicted_and_a_recall_out_of_reach() -> None:
    columns = {"y": [0, 1], "s": [0.1, 0.2]}
    found = measures_of(columns, {"score": "s"}, ["precision"])
    assert one(found, "precision")["state"] == "undefined"
    none = results_of(
        columns, {"score": "s"}, ["recall"], thresholds=[{"at_least": {"precision": 1.1}}]
    )
    assert none["thresholds"][0]["threshold"] is None


def test_the_lower_sorted_label_can_be_positive_in_curves_too() -> None:
    columns = {"y": list("aabb"), "s": [0.9, 0.4, 0.6, 0.1]}
    found = results_of(columns, {"score": "s"}, ["average_precision"], positive="smallest")
    assert one(found, "average_precision")["value"] == pytest.approx((1 + 2 / 3) / 2)
    assert {c["label"] for c in found["curves"]} == {"a"}


def test_a_score_equal_to_the_threshold_is_positive_and_the_operator_is_told() -> None:
    found = results_of({"y": [0, 1], "s": [0.4, 0.5]}, {"score": "s"}, ["recall"])
    assert one(found, "recall")["value"] == 1.0
    assert found["labels"][0]["operator"] == "score >= threshold"
    assert found["labels"][0]["ties"] == [{"threshold": 0.5, "rows": 1}]


def test_class_columns_in_any_order_give_no_loss_where_all_are_right() -> None:
    columns = {"y": ["dog", "cat"], "d": [1.0, 0.0], "c": [0.0, 1.0]}
    found = measures_of(
        columns,
        {"scores": {"dog": "d", "cat": "c"}},
        ["log_loss"],
        dataset={"labels": ["dog", "cat"]},
    )
    assert one(found, "log_loss")["value"] == pytest.approx(0, abs=1e-12)


def test_log_loss_is_clipped_and_the_clipped_rows_are_told() -> None:
    found = results_of(
        {"y": [1, 1, 1], "s": [0, 0, 0]},
        {"score": "s"},
        ["log_loss"],
        dataset={"labels": ["0", "1"]},
    )
    assert one(found, "log_loss")["value"] == pytest.approx(34.538776394910684)
    clipped = [c for c in found["cautions"] if c["code"] == "clipped_probabilities"]
    assert "3" in clipped[0]["message"]


def test_brier_with_minus_one_and_one() -> None:
    found = measures_of({"y": [-1, 1], "s": [0.2, 0.9]}, {"score": "s"}, ["brier"])
    assert one(found, "brier")["value"] == pytest.approx((0.04 + 0.01) / 2)


def test_scores_outside_the_unit_interval_rank_and_are_no_probabilities() -> None:
    columns = {"y": [0, 1, 0, 1], "s": [-2.0, 3.5, 0.1, 0.2]}
    found = measures_of(
        columns, {"score": "s"}, ["roc_auc", "log_loss", "brier"], thresholds=[0.15]
    )
    assert one(found, "roc_auc")["value"] == 1.0
    assert one(found, "log_loss")["state"] == one(found, "brier")["state"] == "not_applicable"
    assert "not probabilities" in one(found, "brier")["reason"]


def test_a_probability_of_nought_falls_in_the_first_bin() -> None:
    columns = {"y": [0, 1, 0, 1], "s": [0.0, 1.0, 0.05, 0.95]}
    found = results_of(columns, {"score": "s"}, ["ece"])
    assert one(found, "ece")["value"] == pytest.approx((0.05 + 0.05) / 4)
    curve = next(c for c in found["curves"] if c["kind"] == "calibration")["points"]
    assert curve["n"] == [2, 2]


@pytest.mark.parametrize("scores", [[0.0, 1.0, 0.4, 0.6], [0.5] * 4, [0.1, 0.9, 0.2, 0.8]])
def test_a_calibration_line_that_does_not_exist_is_undefined(scores: list[float]) -> None:
    found = measures_of({"y": [0, 1, 0, 1], "s": scores}, {"score": "s"}, ["calibration_slope"])
    slope = one(found, "calibration_slope")
    assert (slope["state"], slope["value"]) == ("undefined", None)
    assert slope["reason"]


def test_the_joint_intercept_is_not_calibration_in_the_large() -> None:
    columns = {"y": [0, 1, 0, 1, 1, 0, 1, 1], "s": [0.2, 0.7, 0.6, 0.4, 0.9, 0.3, 0.8, 0.3]}
    found = measures_of(
        columns, {"score": "s"}, ["calibration_intercept", "calibration_in_the_large"]
    )
    joint, large = (m["value"] for m in found)
    assert joint != pytest.approx(large)


def test_with_one_class_log_loss_exists_and_slope_and_scaled_brier_do_not() -> None:
    found = measures_of(
        {"y": [1, 1], "s": [0.9, 0.8]},
        {"score": "s"},
        ["log_loss", "calibration_slope", "brier_scaled"],
        dataset={"labels": ["0", "1"]},
    )
    assert one(found, "log_loss")["state"] == "value"
    assert one(found, "calibration_slope")["state"] == "undefined"
    assert one(found, "brier_scaled")["state"] == "undefined"


def test_kappa_of_two_constant_sides_is_undefined_and_mcc_without_a_margin_too() -> None:
    alone = {"labels": ["a"]}
    same = measures_of(
        {"y": ["a"] * 4, "p": ["a"] * 4}, {"prediction": "p"}, ["kappa"], dataset=alone
    )
    assert one(same, "kappa")["state"] == "undefined"
    one_sided = measures_of(
        {"y": list("aabb"), "p": list("aaaa")}, {"prediction": "p"}, ["kappa", "mcc"]
    )
    assert one(one_sided, "mcc")["state"] == "undefined"
    assert one(one_sided, "kappa")["value"] == 0.0


def test_weighted_kappa_uses_the_declared_order_and_has_a_width() -> None:
    columns = {
        "y": ["low", "mid", "high", "low", "mid", "high"] * 5,
        "p": ["low", "high", "high", "mid", "mid", "low"] * 5,
    }
    ordered = {"labels": ["low", "mid", "high"]}
    found = measures_of(
        columns, {"prediction": "p"}, [{"weighted_kappa": {"weights": "linear"}}], dataset=ordered
    )
    # observed distance (0+1+0+1+0+2)/6, expected (2*2*(0+1+2+1+0+1+2+1+0))/36
    assert one(found, "weighted_kappa")["value"] == pytest.approx(1 - (4 / 6) / (32 / 36))
    interval = one(found, "weighted_kappa")["interval"]
    assert interval["high"] - interval["low"] > 0.1


def test_something_over_nothing_is_infinite_and_nothing_over_nothing_undefined() -> None:
    found = measures_of(
        {"y": list("abb"), "p": list("abb")},
        {"prediction": "p"},
        ["lr_plus", "lr_minus", "diagnostic_odds_ratio"],
    )
    assert one(found, "lr_plus")["state"] == "infinite"
    assert one(found, "lr_minus")["value"] == 0.0
    assert one(found, "diagnostic_odds_ratio")["state"] == "infinite"
    nothing = measures_of({"y": list("ab"), "p": list("aa")}, {"prediction": "p"}, ["lr_plus"])
    assert one(nothing, "lr_plus")["state"] == "undefined"


def test_infinite_scores_are_refused() -> None:
    with pytest.raises(DataError, match="infinite"):
        measures_of({"y": [0, 1], "s": [0.1, math.inf]}, {"score": "s"}, ["roc_auc"])


def test_micro_average_of_all_labels_of_single_label_data_is_accuracy() -> None:
    found = measures_of(
        {"y": list("abc"), "p": list("aba")},
        {"prediction": "p"},
        ["f1", "accuracy"],
        averaging=["micro"],
    )
    assert one(found, "f1", average="micro")["value"] == pytest.approx(2 / 3)
    assert one(found, "accuracy", average="micro")["value"] == pytest.approx(2 / 3)


def test_hand_till_area_points_the_right_way() -> None:
    columns = {
        "y": list("abcabc"),
        "a": [0.8, 0.1, 0.1, 0.7, 0.2, 0.2],
        "b": [0.1, 0.8, 0.2, 0.2, 0.6, 0.2],
        "c": [0.1, 0.1, 0.7, 0.1, 0.2, 0.6],
    }
    found = measures_of(columns, {"scores": {k: k for k in "abc"}}, ["hand_till_auc"])
    assert one(found, "hand_till_auc")["value"] == 1.0
