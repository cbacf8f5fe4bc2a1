"""Averages over different classes are held against each other nowhere, and say over how many."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.metrics import precision_score

import evalreport

# 20 rows of each of five classes; "all" is right on 12 of each, "two" calls the rest a or b
TRUTH = [label for label in "abcde" for _ in range(20)]
ALL = [
    label if k < 12 else "abcde"["abcde".index(label) - 1] for label in "abcde" for k in range(20)
]
TWO = [label if label in "ab" and k < 18 else "ab"[k % 2] for label in "abcde" for k in range(20)]
# four rows of "b" moved: other values, the same classes
THIRD = ["a" if label == "b" and k % 20 < 4 else label for k, label in enumerate(TWO)]
REASON = "averages over different classes: two leaves out c, d, e; all leaves out none"


def run(**asked: Any) -> dict[str, Any]:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {name: {"prediction": name} for name in ("all", "two", "third")},
        "metrics": ["precision", "f1"],
        "averaging": ["none", "macro", "weighted"],
        "comparisons": {"reference": "all"},
        "confidence": {"resamples": 200},
        **asked,
    }
    part = ["x" if label in "abc" else "z" for label in TRUTH]
    frame = {"y": TRUTH, "all": ALL, "two": TWO, "third": THIRD, "part": part}
    found: dict[str, Any] = evalreport.run(spec, frames={"d": frame}).json
    return found


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    accepted = [{"metric": "precision", "average": "macro", "at_least": 0.3}]
    return run(acceptance=accepted, subgroups=["part"])


def macro(records: Any, metric: str = "precision", **which: Any) -> dict[str, Any]:
    (one,) = (
        r
        for r in records
        if (r["metric"], r["average"]) == (metric, "macro")
        and all(r[key] == value for key, value in which.items())
    )
    return dict(one)


def test_a_model_that_never_predicts_three_classes_is_not_better_on_macro_precision(
    found: dict[str, Any],
) -> None:
    labels = list("abcde")
    by_class = {
        name: precision_score(TRUTH, given, labels=labels, average=None, zero_division=float("nan"))
        for name, given in (("all", ALL), ("two", TWO))
    }
    # over its own two classes the one, over all five the other; on the same two it is worse
    assert sum(by_class["two"][:2]) / 2 < sum(by_class["all"][:2]) / 2
    record = macro(found["comparisons"], model="two")
    assert (record["model_value"], record["reference_value"]) == pytest.approx(
        (sum(by_class["two"][:2]) / 2, sum(by_class["all"]) / 5)
    )
    assert (record["difference"], record["p_value"], record["interval"]) == (None, None, None)
    assert record["reason"] == REASON
    assert (record["better"], record["told_apart"]) == (None, False)
    # F1 of a class that is never predicted is 0, not undefined: all five on both sides
    assert macro(found["comparisons"], "f1", model="two")["difference"] < 0


def test_averages_over_the_same_classes_are_compared() -> None:
    record = macro(run(comparisons={"reference": "two"})["comparisons"], model="third")
    each = precision_score(TRUTH, TWO, labels=["a", "b"], average=None)
    other = precision_score(TRUTH, THIRD, labels=["a", "b"], average=None)
    assert record["difference"] == pytest.approx(other.mean() - each.mean())
    assert record["p_value"] is not None


def test_a_criterion_on_an_average_says_how_many_classes_it_is_over(found: dict[str, Any]) -> None:
    outcomes = {c["model"]: (c["outcome"], c["reason"]) for c in found["acceptance"]}
    words = "undefined for 3 of 5 classes, left out of the mean: c, d, e"
    assert outcomes["two"] == ("pass", words)
    assert outcomes["all"] == ("pass", None)


def test_one_caution_for_all_averages_of_a_model_that_leave_out_classes(
    found: dict[str, Any],
) -> None:
    said = [c for c in found["cautions"] if c["code"] == "average_leaves_out_classes"]
    words = (
        "Precision (macro) and Precision (weighted) are over 2 of 5 classes: "
        "undefined for c, d and e."
    )
    assert [c["message"] for c in said] == [f"two and third: {words}"]
    assert "class_never_predicted" not in {c["code"] for c in found["cautions"]}


def test_a_baseline_that_predicts_one_class_names_those_it_leaves_out(
    found: dict[str, Any],
) -> None:
    record = macro(found["baselines"], baseline="majority_class")
    assert record["left_out"] == ["b", "c", "d", "e"]


def test_groups_with_other_classes_have_no_gap(found: dict[str, Any]) -> None:
    gap = macro(found["subgroup_gaps"], "precision", model="two", against="largest group")
    assert gap["gap"] is not None  # a and b are predicted in both groups
    gap = macro(found["subgroup_gaps"], "precision", model="all", against="largest group")
    assert (gap["gap"], gap["ratio"], gap["gap_interval"]) == (None, None, None)
    assert gap["reason"].startswith("averages over different classes: ")
    tested = macro(found["heterogeneity"], model="all")
    assert (tested["p_value"], tested.get("widest")) == (None, None)


def test_values_that_may_be_below_0_have_no_ratio() -> None:
    """A kappa of -0.2 over one of 0.1 is -2 times nothing; recall 0.5 over 0.25 is twice."""
    truth = ["yes", "yes", "no", "no"] * 10 + ["yes"] * 20 + ["no"] * 20
    given = ["yes", "no", "yes", "yes"] * 10 + ["yes"] * 5 + ["no"] * 35
    frame = {"y": truth, "p": given, "g": ["a"] * 40 + ["b"] * 40}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["recall", "kappa"],
        "subgroups": ["g"],
    }
    records = evalreport.run(spec, frames={"d": frame}).json["subgroup_gaps"]
    ratios = {
        r["metric"]: (r["ratio"], r["ratio_reason"])
        for r in records
        if r["against"] == "largest group"
    }
    assert ratios == {
        "recall": (pytest.approx(0.25 / 0.5), None),
        "kappa": (None, "values may be below 0: there is no ratio scale"),
    }
