"""Averages that are accuracy, or balanced accuracy, have its limits and its comparison."""

from __future__ import annotations

import random
from typing import Any

import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

import evalreport

ACCURACY = [("recall", "micro"), ("recall", "weighted"), ("f1", "micro"), ("precision", "micro")]
OF_TWO = [("accuracy", "macro"), ("accuracy", "weighted"), ("specificity", "micro")]
BALANCED = [("recall", "macro"), ("specificity", "macro")]


def drawn(labels: str, rows: list[int], seed: int) -> dict[str, list[Any]]:
    rng = random.Random(seed)
    truth = [label for label, n in zip(labels, rows, strict=True) for _ in range(n)]

    def given(right: float) -> list[str]:
        return [t if rng.random() < right else rng.choice(labels) for t in truth]

    cluster = [f"c{k % 25}" for k in range(len(truth))]
    weight = [(1.0, 2.0, 3.0, 0.5)[k % 4] for k in range(len(truth))]
    return {"y": truth, "p": given(0.75), "q": given(0.65), "c": cluster, "w": weight}


TWO = drawn("yn", [30, 70], 1)
THREE = drawn("abc", [30, 40, 30], 2)


def run(frame: dict[str, list[Any]], *, datasets: bool = False, **more: str) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", **more}},
        "models": {"m": {"prediction": "p"}, "n": {"prediction": "q"}},
        "metrics": ["accuracy", "recall", "f1", "precision", "specificity", "balanced_accuracy"],
        "averaging": ["none", "macro", "micro", "weighted"],
        "comparisons": {"reference": "m"},
        "confidence": {"resamples": 200},
    }
    frames = {"d": frame}
    if set(frame["y"]) == {"y", "n"}:
        spec["positive"] = {"label": "y"}
    if datasets:
        frames["e"] = {**frame, "p": frame["q"], "q": frame["p"]}
        spec["datasets"]["e"] = {"target": "y"}
        spec["comparisons"] = {"reference": {"dataset": "e"}}
    found: dict[str, Any] = evalreport.run(spec, frames=frames).json
    return found


def limits(records: list[dict[str, Any]], model: str) -> dict[tuple[str, str], Any]:
    """Limits, and the p value of comparisons, by metric and average."""
    return {
        (r["metric"], r["average"]): (
            r["interval"]["low"],
            r["interval"]["high"],
            r["interval"]["method"],
            r.get("p_value"),
        )
        for r in records
        if r["model"] == model and r["label"] in (None, "y") and r["dataset"] == "d"
    }


def same(found: dict[tuple[str, str], Any], numbers: list[tuple[str, str]], other: Any) -> None:
    for number in numbers:
        assert found[number] == other, number


@pytest.mark.parametrize("more", [{}, {"weight": "w"}, {"cluster": "c"}], ids=str)
def test_averages_of_two_classes_have_the_limits_of_the_number_that_they_are(
    more: dict[str, str],
) -> None:
    found = limits(run(TWO, **more)["measures"], "m")
    same(found, ACCURACY + OF_TWO, found["accuracy", None])
    same(found, BALANCED, found["balanced_accuracy", None])


@pytest.mark.parametrize("more", [{}, {"weight": "w"}, {"cluster": "c"}], ids=str)
def test_averages_of_three_classes_have_the_limits_of_the_number_that_they_are(
    more: dict[str, str],
) -> None:
    found = limits(run(THREE, **more)["measures"], "m")
    same(found, ACCURACY, found["accuracy", "micro"])
    same(found, BALANCED[:1], found["balanced_accuracy", None])
    # those are numbers of their own
    assert found["accuracy", "macro"] != found["accuracy", "micro"]
    assert found["f1", "weighted"] != found["accuracy", "micro"]


def test_weighted_recall_has_wilsons_limits_of_accuracy() -> None:
    right = sum(t == p for t, p in zip(THREE["y"], THREE["p"], strict=True))
    low, high = proportion_confint(right, 100, method="wilson")
    found = run(THREE)["measures"]
    (record,) = (
        r for r in found if (r["metric"], r["average"], r["model"]) == ("recall", "weighted", "m")
    )
    assert record["value"] == pytest.approx(accuracy_score(THREE["y"], THREE["p"]))
    assert (record["interval"]["low"], record["interval"]["high"]) == pytest.approx((low, high))


@pytest.mark.parametrize("datasets", [False, True], ids=["models", "datasets"])
@pytest.mark.parametrize(("frame", "average"), [(TWO, None), (THREE, "micro")], ids=["2", "3"])
def test_differences_of_one_number_are_one_comparison(
    frame: dict[str, list[Any]], average: str | None, datasets: bool
) -> None:
    found = limits(run(frame, datasets=datasets)["comparisons"], "n")
    two = average is None
    same(found, ACCURACY + (OF_TWO if two else []), found["accuracy", average])
    same(found, BALANCED if two else BALANCED[:1], found["balanced_accuracy", None])


def test_two_models_of_weighted_recall_are_compared_as_mcnemar_does() -> None:
    right = [[t == p for t, p in zip(THREE["y"], THREE[name], strict=True)] for name in "qp"]
    table = [
        [sum(a is one and b is two for a, b in zip(*right, strict=True)) for two in (True, False)]
        for one in (True, False)
    ]
    found = limits(run(THREE)["comparisons"], "n")
    assert found["recall", "weighted"][-1] == pytest.approx(mcnemar(table, exact=True).pvalue)


def test_macro_recall_of_two_classes_is_balanced_accuracy() -> None:
    (record,) = (
        r
        for r in run(TWO)["measures"]
        if (r["metric"], r["average"], r["model"]) == ("recall", "macro", "m")
    )
    assert record["value"] == pytest.approx(balanced_accuracy_score(TWO["y"], TWO["p"]))
    assert record["interval"]["method"] != "delta"


def test_macro_recall_of_rows_of_one_class_has_a_value_and_no_limits() -> None:
    frame = {name: values[:30] for name, values in TWO.items()}  # 30 of "y" alone
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", "labels": ["n", "y"]}},
        "positive": {"label": "y"},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["recall"],
        "averaging": ["macro"],
    }
    found = evalreport.run(spec, frames={"d": frame}).json
    assert not found["failures"]
    (record,) = found["measures"]
    right = sum(p == "y" for p in frame["p"])
    assert (record["value"], record["left_out"]) == (right / 30, ["n"])
    assert record["interval"] is None
    assert record["interval_reason"]
