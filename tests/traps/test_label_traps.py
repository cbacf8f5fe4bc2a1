"""Labels, tables and averages on which well-known tools stumble; one test for each trap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from trap_runs import measures_of, one, results_of

from evalreport.errors import DataError


def _csv(tmp_path: Any, text: str) -> str:
    path = tmp_path / "d.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_one_and_one_point_nought_and_true_are_not_silently_four_classes(tmp_path: Any) -> None:
    path = _csv(tmp_path, "y,p\n1,1\n0,0\n1.0,1\nTrue,1\n")
    with pytest.raises(DataError) as refused:
        results_of(None, {"prediction": "p"}, ["accuracy"], dataset={"path": path})
    assert "1.0" in str(refused.value)


def test_nan_as_a_predicted_label_is_missing_and_counted() -> None:
    frame = pd.DataFrame({"y": ["a", "b", "a"], "p": pd.Series(["a", None, "a"], dtype=object)})
    results = results_of(frame, {"prediction": "p"}, ["accuracy"], dataset={"missing": "exclude"})
    assert results["rows"][0]["excluded"] == [{"reason": "p is empty", "count": 1}]
    assert "nan" not in results["tables"][0]["labels"]


def test_one_class_predicted_right_has_accuracy_one_and_no_phantom_class() -> None:
    found = results_of(
        {"y": ["a"] * 3, "p": ["a"] * 3},
        {"prediction": "p"},
        ["accuracy", "kappa", "mcc"],
        dataset={"labels": ["a"]},
    )
    assert found["tables"][0]["labels"] == ["a"]
    assert one(found, "accuracy")["value"] == 1.0
    assert one(found, "accuracy")["interval"]["low"] < 1
    assert one(found, "kappa")["state"] == one(found, "mcc")["state"] == "undefined"


def test_texts_that_are_all_numbers_compare_as_numbers() -> None:
    found = results_of({"y": ["2", "10"], "p": ["2", "10"]}, {"prediction": "p"}, ["recall"])
    assert found["tables"][0]["labels"] == ["2", "10"]
    assert found["tables"][0]["positive"] == "10"


def test_rows_keep_the_names_of_their_own_classes() -> None:
    found = results_of(
        {"y": ["a", "c"], "p": ["a", "c"]},
        {"prediction": "p"},
        ["recall"],
        dataset={"labels": ["a", "b", "c"]},
    )
    assert found["tables"][0]["labels"] == ["a", "b", "c"]
    assert found["tables"][0]["counts"] == [[1, 0, 0], [0, 0, 0], [0, 0, 1]]


def test_one_observed_class_still_gives_two_by_two_when_two_are_declared() -> None:
    found = results_of(
        {"y": ["a"], "p": ["a"]}, {"prediction": "p"}, ["recall"], dataset={"labels": ["a", "b"]}
    )
    assert found["tables"][0]["counts"] == [[1, 0], [0, 0]]


def test_a_class_seen_only_in_predictions_is_the_third_class() -> None:
    found = results_of(
        {"y": [2, 0, 2, 2, 0, 0, 0], "p": [0, 1, 2, 0, 1, 0, 0]},
        {"prediction": "p"},
        ["recall", "precision"],
    )
    assert found["tables"][0]["labels"] == ["0", "1", "2"]
    assert one(found, "recall", label="1")["state"] == "undefined"
    assert one(found, "precision", label="1")["value"] == 0.0


def test_a_class_only_in_the_truth_is_kept() -> None:
    found = results_of(
        {"y": ["a", "b", "c"], "p": ["a", "b", "a"]}, {"prediction": "p"}, ["recall", "precision"]
    )
    assert one(found, "recall", label="c")["value"] == 0.0
    assert one(found, "precision", label="c")["state"] == "undefined"


def test_each_count_stands_under_its_own_heading() -> None:
    truth = ["normal" if k == 0 else "abnormal" for k in (0, 1, 0, 0, 1, 0, 1, 0)]
    found = results_of(
        {"y": truth, "p": truth},
        {"prediction": "p"},
        ["accuracy"],
        dataset={"labels": ["normal", "abnormal"]},
    )
    assert found["tables"][0]["labels"] == ["normal", "abnormal"]
    assert found["tables"][0]["counts"] == [[5, 0], [0, 3]]


def test_columns_of_scores_belong_to_classes_by_name() -> None:
    columns = {"y": ["cancer", "not cancer"], "b": [0.1, 0.9], "a": [0.9, 0.1]}
    found = results_of(columns, {"scores": {"not cancer": "b", "cancer": "a"}}, ["accuracy"])
    assert one(found, "accuracy")["value"] == 1.0


def test_a_class_of_the_model_that_is_absent_from_the_data_keeps_its_column() -> None:
    columns = {"y": ["a", "c"], "pa": [0.8, 0.1], "pb": [0.1, 0.2], "pc": [0.1, 0.7]}
    found = results_of(columns, {"scores": {"c": "pc", "b": "pb", "a": "pa"}}, ["log_loss"])
    assert one(found, "log_loss")["value"] == pytest.approx(-(np.log(0.8) + np.log(0.7)) / 2)


@pytest.mark.parametrize(
    ("positive", "recall", "specificity"),
    [("ill", 492 / 521, 968 / 991), ("well", 968 / 991, 492 / 521)],
)
def test_the_positive_class_decides_which_rate_is_recall(
    positive: str, recall: float, specificity: float
) -> None:
    truth = ["ill"] * 521 + ["well"] * 991
    said = ["ill"] * 492 + ["well"] * 29 + ["well"] * 968 + ["ill"] * 23
    found = results_of(
        {"y": truth, "p": said},
        {"prediction": "p"},
        ["recall", "specificity"],
        positive={"label": positive},
    )
    assert one(found, "recall")["value"] == pytest.approx(recall)
    assert one(found, "specificity")["value"] == pytest.approx(specificity)
    assert one(found, "recall")["label"] == positive


def test_a_subgroup_with_one_class_is_undefined_and_leaves_the_others_alone() -> None:
    columns = {"y": [0, 1, 1, 1], "s": [0.1, 0.9, 0.8, 0.7], "g": list("aabb")}
    found = results_of(columns, {"score": "s"}, ["roc_auc"], subgroups=["g"])
    assert one(found, "roc_auc", subgroup={"g": "b"})["state"] == "undefined"
    assert one(found, "roc_auc", subgroup={"g": "a"})["value"] == 1.0
    assert all(m["average"] is None for m in found["measures"])


def test_weights_of_another_length_are_refused_and_other_sequences_applied() -> None:
    with pytest.raises(DataError, match="equally long"):
        results_of(
            {"y": [0, 1], "s": [0.1, 0.9], "w": [1]},
            {"score": "s"},
            ["recall"],
            dataset={"weight": "w"},
        )
    columns = {"y": (0, 1), "s": np.array([0.1, 0.9]), "w": pd.Series([1, 3])}
    found = results_of(columns, {"score": "s"}, ["prevalence"], dataset={"weight": "w"})
    assert one(found, "prevalence")["value"] == 0.75


def test_a_row_of_weight_nought_is_absent_and_accounted_for() -> None:
    columns = {"y": [0, 1, 1], "s": [0.1, 0.9, 0.1], "w": [1, 1, 0]}
    found = results_of(columns, {"score": "s"}, ["recall"], dataset={"weight": "w"})
    assert one(found, "recall")["value"] == 1.0
    assert found["rows"][0]["excluded"] == [{"reason": "weight is 0", "count": 1}]
    assert one(found, "recall")["n"] == 2


def test_a_subgroup_asked_for_twice_is_counted_once() -> None:
    columns = {"y": [0, 1], "s": [0.1, 0.9], "g": ["a", "b"]}
    found = results_of(columns, {"score": "s"}, ["accuracy"], subgroups=["g", ["g"]])
    assert sum(m["subgroup"] == {"g": "a"} for m in found["measures"]) == 1


def test_resamples_in_which_a_metric_is_undefined_are_counted() -> None:
    columns = {"y": [1, 0, 0, 0, 0, 1], "s": [0.9, 0.8, 0.3, 0.2, 0.1, 0.15]}
    found = results_of(
        columns, {"score": "s"}, ["average_precision"],
        confidence={"resamples": 300, "methods": {"average_precision": "bootstrap_percentile"}},
    )  # fmt: skip
    interval = one(found, "average_precision")["interval"]
    assert interval["usable"] < interval["resamples"] == 300
    assert "undefined in" in interval["note"]


def test_f1_of_a_class_never_found_is_nought_and_macro_is_their_mean() -> None:
    found = measures_of(
        {"y": [0, 1, 0, 3], "p": [0, 1, 2, 2]}, {"prediction": "p"}, ["f1", "precision", "recall"]
    )
    each = [one(found, "f1", label=k)["value"] for k in "0123"]
    assert each == [pytest.approx(2 / 3), 1.0, 0.0, 0.0]
    assert one(found, "f1", average="macro")["value"] == pytest.approx(5 / 12)
    assert one(found, "precision", label="3")["state"] == "undefined"
    assert one(found, "recall", label="2")["state"] == "undefined"


def test_macro_f1_over_the_observed_classes() -> None:
    found = measures_of({"y": [2, 1, 0, 4], "p": [2, 1, 0, 1]}, {"prediction": "p"}, ["f1"])
    assert one(found, "f1", average="macro")["value"] == pytest.approx((1 + 2 / 3 + 1 + 0) / 4)


def test_macro_over_the_one_defined_class_says_how_many_were_left_out() -> None:
    found = measures_of(
        {"y": [0, 0], "p": [0, 0]},
        {"prediction": "p"},
        ["f1"],
        dataset={"labels": ["0", "1"]},
        averaging=["macro"],
    )
    macro = one(found, "f1", average="macro")
    assert macro["value"] == 1.0
    assert "1 of 2 classes" in macro["reason"]


def test_a_class_never_predicted_is_named_and_left_out_of_macro_precision() -> None:
    found = measures_of(
        {"y": list("aabbc"), "p": list("aabba")}, {"prediction": "p"}, ["precision"]
    )
    macro = one(found, "precision", average="macro")
    assert macro["value"] == pytest.approx((2 / 3 + 1) / 2)
    assert macro["reason"].endswith(": c")


def test_macro_f1_is_the_mean_of_f1_not_f1_of_means() -> None:
    found = measures_of(
        {"y": list("aaaabbbbcc"), "p": list("aaabbbacca")},
        {"prediction": "p"},
        ["f1", "precision", "recall"],
    )
    each = [one(found, "f1", label=k)["value"] for k in "abc"]
    macro = {m: one(found, m, average="macro")["value"] for m in ("f1", "precision", "recall")}
    assert macro["f1"] == pytest.approx(sum(each) / 3)
    of_means = 2 * macro["precision"] * macro["recall"] / (macro["precision"] + macro["recall"])
    assert macro["f1"] != pytest.approx(of_means)


def test_the_set_of_labels_is_stated_and_support_nought_is_undefined() -> None:
    found = results_of({"y": list("aabbb"), "p": list("aabbc")}, {"prediction": "p"}, ["recall"])
    assert found["labels"][0]["seen_true"] == ["a", "b"]
    assert found["labels"][0]["seen_predicted"] == ["a", "b", "c"]
    assert one(found, "recall", label="c")["state"] == "undefined"


def test_pooled_and_mean_over_folds_are_two_records() -> None:
    columns = {"y": [0, 1, 0, 1, 1, 1], "p": [0, 1, 1, 1, 1, 0], "f": list("aabbbb")}
    found = measures_of(columns, {"prediction": "p"}, ["accuracy"], dataset={"fold": "f"})
    assert one(found, "accuracy", fold=None)["value"] == pytest.approx(4 / 6)
    assert one(found, "accuracy", fold="mean")["value"] == pytest.approx((1 + 0.5) / 2)


def test_balanced_accuracy_of_many_classes_is_mean_recall() -> None:
    found = measures_of(
        {"y": list("aabbcc"), "p": list("aabacc")}, {"prediction": "p"}, ["balanced_accuracy"]
    )
    assert one(found, "balanced_accuracy")["value"] == pytest.approx((1 + 0.5 + 1) / 3)


def test_the_same_rule_for_rows_averages_and_gates() -> None:
    columns = {"y": list("ab"), "p": list("aa")}
    found = results_of(
        columns,
        {"prediction": "p"},
        ["npv"],
        acceptance=[{"metric": "npv", "at_least": 0.1}],
        averaging=["none", "macro"],
        positive="smallest",
    )
    assert one(found, "npv", average=None, label="a")["state"] == "undefined"
    assert found["acceptance"][0]["outcome"] == "not_evaluated"
