"""Every scheme from spec to results: folds, scores and values are those of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    cross_val_predict,
    cross_validate,
)
from sklearn.tree import DecisionTreeClassifier

from evalreport.api import run

pytestmark = pytest.mark.long_but_first


SOURCE = load_breast_cancer()
ROWS = np.random.RandomState(0).permutation(569)[:180]
X = SOURCE.data[ROWS][:, [1, 4, 9]]
Y = (SOURCE.target[ROWS] == 0).astype(int)
GROUP = np.arange(180) // 6 % 20
FOLD = np.arange(180) * 7 % 4
FRAME = {
    "y": np.where(Y == 1, "ill", "well").tolist(),
    "texture": X[:, 0],
    "smooth": X[:, 1],
    "fractal": X[:, 2],
    "person": [f"p{g:02d}" for g in GROUP],
    "part": [f"part {f}" for f in FOLD],
}
FEATURES = ["texture", "smooth", "fractal"]
PARAMS = {"max_depth": 3, "min_samples_leaf": 4, "random_state": 0}
TREE = {"estimator": "sklearn.tree.DecisionTreeClassifier", "params": PARAMS, "features": FEATURES}
SEED = 3

#: Scheme of the spec, and scikit-learn's splitter with its groups.
SCHEMES: dict[str, tuple[dict[str, Any], Any, Any]] = {
    "k_fold": ({"folds": 5}, KFold(5, shuffle=True, random_state=SEED), None),
    "stratified_k_fold": ({"folds": 5}, StratifiedKFold(5, shuffle=True, random_state=SEED), None),
    "group_k_fold": ({"folds": 4}, GroupKFold(4), GROUP),
    "stratified_group_k_fold": (
        {"folds": 4},
        StratifiedGroupKFold(4, shuffle=True, random_state=SEED),
        GROUP,
    ),
    "leave_one_group_out": ({}, LeaveOneGroupOut(), GROUP),
    "column": ({}, PredefinedSplit(FOLD), None),
    "leave_one_out": ({}, LeaveOneOut(), None),
    "shuffle_split": (
        {"folds": 4, "test_size": 0.25},
        ShuffleSplit(4, test_size=0.25, random_state=SEED),
        None,
    ),
    "stratified_shuffle_split": (
        {"folds": 4, "test_size": 30},
        StratifiedShuffleSplit(4, test_size=30, random_state=SEED),
        None,
    ),
    "time_series_split": ({"folds": 4}, TimeSeriesSplit(4), None),
}
PARTITIONS = tuple(SCHEMES)[:7]


SCORING = {"accuracy": "accuracy", "roc_auc": "roc_auc"}


def results(scheme: str, settings: dict[str, Any], model: dict[str, Any] | None = None) -> Any:
    spec = {
        "evalreport": 1,
        # Classes in the order of the codes that scikit-learn is given.
        "datasets": {
            "d": {"target": "y", "group": "person", "fold": "part", "labels": ["well", "ill"]}
        },
        "models": {"tree": model or TREE},
        "metrics": ["accuracy", "roc_auc", "brier"],
        "positive": {"label": "ill"},
        "cross_validation": {"scheme": scheme, "seed": SEED, **settings},
    }
    return run(spec, frames={"d": FRAME}).json


def values(made: Any, metric: str) -> dict[str | None, Any]:
    return {m["fold"]: m for m in made["measures"] if m["metric"] == metric}


@pytest.mark.parametrize("scheme", PARTITIONS)
def test_scores_are_those_of_cross_val_predict(scheme):
    settings, splitter, groups = SCHEMES[scheme]
    made = results(scheme, settings)
    scores = cross_val_predict(
        DecisionTreeClassifier(**PARAMS), X, Y, cv=splitter, groups=groups, method="predict_proba"
    )[:, 1]
    (curve,) = [c for c in made["curves"] if c["kind"] == "roc"]
    # The corners of the curve are scores to the last bit, with what is reached at each.
    thresholds = curve["points"]["threshold"][1:]
    assert set(thresholds) <= set(scores.tolist())
    assert len(thresholds) >= 8
    assert not curve.get("thinned")
    for name, side in (("tpr", Y == 1), ("fpr", Y == 0)):
        reached = [int((scores[side] >= t).sum()) / int(side.sum()) for t in thresholds]
        assert curve["points"][name][1:] == pytest.approx(reached, abs=1e-15)
    pooled = values(made, "accuracy")[None]
    said = cross_val_predict(DecisionTreeClassifier(**PARAMS), X, Y, cv=splitter, groups=groups)
    assert (pooled["numerator"], pooled["denominator"]) == (int((said == Y).sum()), 180)
    # Means over rows and over pairs of rows hold every single score.
    for metric, own in (("roc_auc", roc_auc_score), ("brier", brier_score_loss)):
        assert values(made, metric)[None]["value"] == pytest.approx(own(Y, scores), abs=1e-13)


@pytest.mark.parametrize("scheme", [name for name in SCHEMES if name != "leave_one_out"])
def test_values_of_folds_are_those_of_cross_validate(scheme):
    settings, splitter, groups = SCHEMES[scheme]
    made = results(scheme, settings)
    several = scheme != "leave_one_group_out"  # a person of one class has no ROC AUC
    scoring = {name: SCORING[name] for name in SCORING if several or name == "accuracy"}
    expected = cross_validate(
        DecisionTreeClassifier(**PARAMS), X, Y, cv=splitter, groups=groups, scoring=scoring
    )
    for metric in scoring:
        found = values(made, metric)
        folds = [name for name in found if name not in (None, "mean")]
        assert [found[name]["value"] for name in folds] == pytest.approx(
            expected[f"test_{metric}"], abs=1e-12
        )
        mean, spread = expected[f"test_{metric}"].mean(), expected[f"test_{metric}"].std(ddof=1)
        assert found["mean"]["value"] == pytest.approx(mean, abs=1e-12)
        assert found["mean"]["spread"] == pytest.approx(spread, abs=1e-12)
        assert len(found["mean"]["tables"]) == len(folds) == len(expected["test_accuracy"])
    # The table of each fold holds its test rows, whoever counts them.
    tested = [len(test) for _, test in splitter.split(X, Y, groups)]
    assert [found[name]["n"] for name in folds] == tested


def test_names_of_folds_are_those_of_the_column_and_of_the_groups():
    made = results("column", {})
    assert {f"part {k}" for k in range(4)} < set(values(made, "accuracy"))
    made = results("leave_one_group_out", {})
    assert {f"p{k:02d}" for k in range(20)} < set(values(made, "accuracy"))


@pytest.mark.parametrize("scheme", ["shuffle_split", "time_series_split"])
def test_rows_that_are_not_all_tested_are_accounted_for(scheme):
    settings, splitter, _ = SCHEMES[scheme]
    made = results(scheme, settings)
    tested = np.concatenate([test for _, test in splitter.split(X, Y)])
    (rows,) = made["rows"]
    (lost,) = rows["excluded"]
    assert lost == {"reason": "never tested", "count": 180 - len(np.unique(tested))}
    pooled = values(made, "accuracy")[None]
    assert pooled["n"] == len(tested)
    if scheme == "shuffle_split":
        # A row that is tested several times is one row: the interval must know it.
        assert pooled["interval"]["method"] == "cluster_robust_t"


def test_repeats_are_those_of_the_repeated_splitter():
    made = results("stratified_k_fold", {"folds": 4, "repeats": 2})
    expected = cross_validate(
        DecisionTreeClassifier(**PARAMS),
        X,
        Y,
        scoring="accuracy",
        cv=RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=SEED),
    )["test_score"]
    found = values(made, "accuracy")
    named = [f"repeat {r} fold {f}" for r in (1, 2) for f in (1, 2, 3, 4)]
    assert [found[name]["value"] for name in named] == pytest.approx(expected, abs=1e-12)


@pytest.mark.long
def test_leave_one_out_is_pooled_only_and_says_why():
    made = results("leave_one_out", {})
    assert {m["fold"] for m in made["measures"]} == {None}
    (told,) = made["rows"][0]["procedure"]
    assert "tests a single row" in told
    assert "pooled over all rows only" in told
    (told,) = [c["message"] for c in made["cautions"] if c["code"] == "pooled_folds"]
    # the area has none: ranks of 180 fits are not on one scale
    assert told == "2 intervals of pooled predictions from 180 folds."


def test_nested_tuning_is_grid_search_inside_each_fold():
    grid = {"max_depth": [1, 2, 4], "min_samples_leaf": [1, 8]}
    model = TREE | {
        "params": {"random_state": 0},
        "tune": {"grid": grid, "metric": "roc_auc", "folds": 3},
    }
    made = results("stratified_k_fold", {"folds": 5}, model)
    outer = StratifiedKFold(5, shuffle=True, random_state=SEED)
    inner = StratifiedKFold(3, shuffle=True, random_state=SEED)
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, scoring="roc_auc", cv=inner)
    expected = cross_validate(search, X, Y, cv=outer, scoring=SCORING, return_estimator=True)
    for metric in ("accuracy", "roc_auc"):
        found = values(made, metric)
        own = [found[str(k)]["value"] for k in range(1, 6)]
        assert own == pytest.approx(expected[f"test_{metric}"], abs=1e-12)
    (tuned,) = made["tuning"]
    assert (tuned["dataset"], tuned["model"]) == ("d", "tree")
    chosen = {one["fold"]: one["params"] for one in tuned["folds"]}
    assert chosen == {
        str(k): one.best_params_ for k, one in enumerate(expected["estimator"], start=1)
    }
