"""The order of classes is declared, or that of numbers or categories, not of the alphabet."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import cohen_kappa_score

import evalreport
from evalreport.api.given import categories, ordered_categories
from evalreport.errors import DataError, SpecError

GRADES = ["none", "mild", "severe"]
TRUE = ["none", "none", "mild", "mild", "severe", "severe"]
SAID = ["none", "none", "mild", "none", "severe", "mild"]
QUADRATIC = {"weighted_kappa": {"weights": "quadratic"}}


def kappa(y: Any, said: Any, **more: Any) -> Any:
    found = evalreport.evaluate(y, None, said, metrics=[QUADRATIC], **more).json
    (own,) = [m for m in found["measures"] if m["metric"] == "weighted_kappa"]
    return own


def test_texts_have_no_order() -> None:
    found = kappa(TRUE, SAID)
    assert found["state"] == "not_applicable"
    assert "declare `labels` in order" in found["reason"]
    results = evalreport.evaluate(TRUE, None, SAID, metrics=[QUADRATIC, "kappa"]).json
    assert {b["metric"] for b in results["baselines"]} == {"kappa"}
    # two classes have one distance, so their order is of no matter: (6 * 5 - 18) / (36 - 18)
    two = kappa(["a", "a", "a", "b", "b", "b"], ["a", "a", "a", "b", "b", "a"])
    assert two["value"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_declared_classes_categories_and_numbers_agree_with_scikit_learn(weights: str) -> None:
    rng = np.random.default_rng(7)
    names = [f"T{stage}" for stage in range(1, 13)]
    y = rng.integers(0, 12, 300)
    said = np.clip(y + rng.integers(-2, 3, 300), 0, 11)
    right = cohen_kappa_score(y, said, weights=weights)
    asked = [{"weighted_kappa": {"weights": weights}}]
    texts, told = [names[i] for i in y], [names[i] for i in said]
    ordered = pd.Categorical(texts, categories=names, ordered=True)
    for truth, predicted, more in (
        (y, said, {}),
        (texts, told, {"labels": names}),
        (ordered, told, {}),
        (pd.Series(ordered), pd.Categorical(told), {}),
    ):
        found = evalreport.evaluate(truth, None, predicted, metrics=asked, **more).json
        assert found["measures"][0]["value"] == pytest.approx(right, abs=1e-12)


def test_the_small_case() -> None:
    """By hand: squared distances add up to 2; by chance to sum(d2 * row * column) / 6 = 8."""
    ordered = pd.Categorical(TRUE, categories=GRADES, ordered=True)
    assert kappa(ordered, SAID)["value"] == 0.75
    assert kappa(TRUE, SAID, labels=GRADES)["value"] == 0.75


@pytest.mark.parametrize("name", ["d", "a.b"])
def test_a_frame_of_a_spec_keeps_its_categories(name: str) -> None:
    frame = pd.DataFrame({"y": pd.Categorical(TRUE, GRADES, ordered=True), "p": SAID})
    spec = {
        "evalreport": 1,
        "title": "t",
        "datasets": {name: {"target": "y"}},
        "models": {"m": {"prediction": "p"}},
        "metrics": [QUADRATIC],
    }
    found = evalreport.run(spec, frames={name: frame}).json
    assert found["measures"][0]["value"] == 0.75
    assert found["labels"][0]["order"] == GRADES


def test_the_last_of_two_categories_is_positive_and_columns_follow_their_order() -> None:
    y = pd.Categorical(["well", "ill", "ill", "well"], ["well", "ill"], ordered=True)
    found = evalreport.evaluate(y, [0.1, 0.9, 0.8, 0.3], metrics=["roc_auc"])
    assert found.json["labels"][0]["positive"] == "ill"
    assert found.json["measures"][0]["value"] == 1.0
    smallest = evalreport.evaluate(
        y, [0.1, 0.9, 0.8, 0.3], positive="smallest", metrics=["roc_auc"]
    )
    assert smallest.json["measures"][0]["value"] == 0.0
    of_two = np.array([[0.9, 0.1], [0.2, 0.8], [0.3, 0.7], [0.6, 0.4]])
    assert evalreport.evaluate(y, of_two, metrics=["accuracy"]).json["measures"][0]["value"] == 1.0
    grades = pd.Categorical(TRUE, GRADES, ordered=True)
    of_three = np.eye(3)[[0, 0, 1, 0, 2, 1]]  # what SAID says, in the order of the categories
    found = evalreport.evaluate(grades, of_three, metrics=["accuracy"], labels=None).json
    (micro,) = [m for m in found["measures"] if m["average"] == "micro"]
    assert micro["value"] == pytest.approx(4 / 6)


def test_an_estimator_is_held_against_the_last_category() -> None:
    y = pd.Categorical(["well", "ill", "ill", "well"], ["well", "ill"], ordered=True)
    model = DummyClassifier(strategy="constant", constant="ill").fit(np.zeros((4, 1)), np.array(y))
    found = evalreport.evaluate_estimator(model, np.zeros((4, 1)), y, metrics=["recall"])
    assert found.json["measures"][0]["label"] == "ill"
    assert found.json["measures"][0]["value"] == 1.0


def trained(**more: Any) -> dict[str, Any]:
    return {
        "evalreport": 1,
        "title": "t",
        "datasets": {"d": {"target": "y"}},
        "models": {
            "m": {"estimator": "sklearn.tree.DecisionTreeClassifier", "features": ["x"], **more}
        },
        "metrics": ["weighted_kappa", "kappa"],
        "cross_validation": {"scheme": "stratified_k_fold", "folds": 2},
    }


def test_training_takes_no_alphabet_for_an_order_either() -> None:
    rows = {"y": TRUE * 4, "x": [GRADES.index(said) for said in SAID * 4]}
    tuned = trained(tune={"grid": {"max_depth": [1, 2]}, "metric": "weighted_kappa"})
    with pytest.raises(SpecError, match="declare `labels` in order"):
        evalreport.run(tuned, frames={"d": rows})
    curve = {"learning_curve": {"sizes": [0.5, 1.0], "repeats": 2}}
    found = evalreport.run({**trained(), **curve}, frames={"d": rows}).json["learning_curves"][0]
    assert set(found["points"][0]["test"]) == {"kappa"}
    assert any("weighted_kappa: it needs the order" in note for note in found["notes"])
    declared = {**trained(), **curve, "datasets": {"d": {"target": "y", "labels": GRADES}}}
    found = evalreport.run(declared, frames={"d": rows}).json["learning_curves"][0]
    assert set(found["points"][0]["test"]) == {"weighted_kappa", "kappa"}


class _Says:
    """A classifier that gives these labels, whatever the rows."""

    def __init__(self, labels):
        self.classes_, self._labels = np.unique(labels), labels

    def predict(self, rows):
        return np.array(self._labels)[: len(rows)]


def test_a_scorer_takes_the_declared_order() -> None:
    model = DummyClassifier(strategy="constant", constant="mild").fit([[0]] * 3, GRADES)
    rows = np.zeros((4, 1))
    y = ["none", "mild", "severe", "severe"]
    with pytest.raises(DataError, match="needs the order of the classes"):
        evalreport.scorer("weighted_kappa", weights="quadratic")(model, rows, y)
    found = evalreport.scorer("weighted_kappa", labels=GRADES, weights="quadratic")
    said = ["mild", "mild", "mild", "none"]
    right = cohen_kappa_score(y, said, labels=GRADES, weights="quadratic")
    assert found(_Says(said), rows, y) == pytest.approx(right)
    two = evalreport.scorer("recall", labels=["well", "ill"])
    assert two(_Says(["well", "well"]), rows[:2], ["well", "ill"]) == 1.0


def test_a_class_that_only_a_frame_of_scores_has_makes_no_order() -> None:
    """The order that a caller gives holds, and classes that it lacks come behind."""
    y = ["low", "mid", "high", "low", "mid", "high", "high"]
    said = ["low", "mid", "high", "mid", "high", "high", "mid"]
    names = ["vast", "low", "mid", "high"]
    scores = pd.DataFrame(np.eye(4)[[names.index(one) for one in said]], columns=names)

    def found(**more):
        results = evalreport.evaluate(y, scores, metrics=["weighted_kappa", "kappa"], **more).json
        measures = {m["metric"]: m for m in results["measures"]}
        assert measures["kappa"]["value"] == pytest.approx(cohen_kappa_score(y, said))
        return results["labels"][0]["order"], measures["weighted_kappa"]

    order, weighted = found()
    assert order == ["high", "low", "mid", "vast"]  # as columns of a matrix; no order of values
    assert weighted["state"] == "not_applicable"
    assert "declare `labels` in order" in weighted["reason"]
    order, weighted = found(labels=["low", "mid", "high"])
    assert order == ["low", "mid", "high", "vast"]
    right = cohen_kappa_score(y, said, labels=order, weights="linear")
    assert weighted["value"] == pytest.approx(right)
    assert right != cohen_kappa_score(y, said, labels=sorted(order), weights="linear")


def test_a_class_that_only_a_classifier_knows_makes_no_order() -> None:
    known = ["low", "mid", "vast", "high"]
    model = DummyClassifier(strategy="constant", constant="mid").fit(np.zeros((4, 1)), known)
    y = ["low", "mid", "high", "mid"]
    found = evalreport.evaluate_estimator(model, np.zeros((4, 1)), y, metrics=["weighted_kappa"])
    assert found.json["labels"][0]["order"] == ["high", "low", "mid", "vast"]
    assert found.json["measures"][0]["state"] == "not_applicable"


@pytest.mark.parametrize(
    ("y", "accuracy"),
    [
        (pd.Categorical([9, 9, 9], [9, 10]), 2 / 3),
        (pd.Categorical([10, 10, 10], [9, 10]), 1 / 3),
        (pd.Categorical(["9", "9", "9"], ["9", "10"]), 1 / 3),  # as texts 10 is before 9
        (pd.Categorical([True, True, True], [True, False]), 1 / 3),
    ],
)
def test_columns_are_of_the_categories_that_scikit_learn_sorts(y: Any, accuracy: float) -> None:
    """Of three rows the first column of scores is the larger one in two."""
    scores = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])
    found = evalreport.evaluate(y, scores, metrics=["accuracy"])
    assert found["accuracy"].value == pytest.approx(accuracy)
    columns = np.unique([*y.categories])  # classes_ of a classifier of both categories
    said = columns[scores.argmax(axis=1)]
    assert accuracy == pytest.approx(np.mean(said == np.array(y)))


class Enum:
    """A type of polars, as it is asked here."""

    def __init__(self, names: list[str]) -> None:
        self.categories = names


class Listed(list[str]):
    """A column of another library: its values, with one attribute that tells its type."""


@pytest.mark.parametrize("ordered", [True, False])
def test_categories_of_other_libraries_have_their_order(ordered: bool) -> None:
    texts = ["well", "ill", "ill", "well"]
    polars, arrow = Listed(texts), Listed(texts)
    names = ["well", "ill"]
    dictionary = SimpleNamespace(to_pylist=lambda: names)
    vars(polars)["dtype"] = Enum(names)
    vars(arrow).update(
        type=SimpleNamespace(value_type="string", ordered=ordered), dictionary=dictionary
    )
    assert ordered_categories(polars) == names
    assert ordered_categories(arrow) == (names if ordered else [])
    assert categories(arrow) == names
    vars(arrow).update(chunks=[SimpleNamespace(dictionary=dictionary)])
    assert categories(arrow) == names
    results = evalreport.evaluate(polars, [0.1, 0.9, 0.8, 0.2], metrics=["recall"])
    assert results.measures.loc[0, ["label", "value"]].tolist() == ["ill", 1.0]
