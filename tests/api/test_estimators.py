"""Classifiers of scikit-learn, fitted or in folds, and metrics as its scorers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import get_scorer, log_loss, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier

from evalreport import DataError, UsageError, evaluate, evaluate_estimator, scorer

X, Y = make_classification(120, 5, random_state=3)
X3, Y3 = make_classification(150, 6, n_informative=4, n_classes=3, random_state=3)


def pooled(results, metric):
    found = results.measures
    found = found[(found["metric"] == metric) & found["fold"].isna()]
    assert len(found) == 1
    return found.iloc[0]["value"]


def test_a_fitted_model_is_evaluated_on_rows() -> None:
    model = LogisticRegression().fit(X[:60], Y[:60])
    expected = roc_auc_score(Y[60:], model.predict_proba(X[60:])[:, 1])
    for results in (
        evaluate_estimator(model, X[60:], Y[60:], metrics=["roc_auc"]),
        evaluate(model, X[60:], Y[60:], metrics=["roc_auc"]),
    ):
        assert pooled(results, "roc_auc") == pytest.approx(expected, abs=1e-12)
        assert set(results.measures["model"]) == {"LogisticRegression"}


def test_folds_give_scikit_learns_out_of_fold_predictions() -> None:
    cv = StratifiedKFold(4, shuffle=True, random_state=1)
    said = cross_val_predict(LogisticRegression(), X, Y, cv=cv, method="predict_proba")[:, 1]
    results = evaluate_estimator(
        {"lr": LogisticRegression(), "knn": KNeighborsClassifier()},
        X,
        Y,
        cv=cv,
        metrics=["roc_auc"],
    )
    found = results.measures[results.measures["model"] == "lr"]
    whole = found[found["fold"].isna()].iloc[0]["value"]
    assert whole == pytest.approx(roc_auc_score(Y, said), abs=1e-12)
    by_fold = found[~found["fold"].isin(["mean"]) & found["fold"].notna()]
    expected = cross_val_score(LogisticRegression(), X, Y, cv=cv, scoring="roc_auc")
    assert by_fold["value"].tolist() == pytest.approx(expected.tolist(), abs=1e-12)
    assert not results.comparisons.empty


def test_rows_that_no_fold_tests_are_left_out_and_counted() -> None:
    results = evaluate_estimator(
        LogisticRegression(), X, Y, cv=TimeSeriesSplit(3), metrics=["accuracy"]
    )
    rows = results.json["rows"][0]
    assert rows["read"] == 120
    assert rows["used"] == 90
    assert sum(one["count"] for one in rows["excluded"]) == 30


def test_a_decision_function_and_the_first_class_as_positive() -> None:
    model = RidgeClassifier().fit(X, Y)
    results = evaluate_estimator(model, X, Y, positive=0, metrics=["recall"])
    said = model.predict(X)
    assert pooled(results, "recall") == pytest.approx(np.mean(said[Y == 0] == 0))


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: evaluate_estimator(LogisticRegression, X, Y), UsageError, "is a class"),
        (lambda: evaluate_estimator(LogisticRegression(), X, Y, cv="many"), UsageError, "cv"),
        (
            lambda: evaluate_estimator(
                LogisticRegression(), X, Y, cv=[(range(60), range(60, 120))] * 2
            ),
            DataError,
            "more than once",
        ),
        (lambda: evaluate(LogisticRegression()), UsageError, "evaluate_estimator"),
        (lambda: scorer("recal"), UsageError, "recall"),
        (lambda: scorer("recall", beta=2), UsageError, "takes no beta"),
        (lambda: scorer(roc_auc_score), UsageError, "the name of a metric"),
    ],
)
def test_wrong_estimators_and_scorers_are_told(call, error, says) -> None:
    with pytest.raises(error) as raised:
        call()
    assert says in str(raised.value)


@pytest.mark.parametrize(
    ("ours", "theirs", "data"),
    [
        (scorer("roc_auc"), "roc_auc", (X, Y)),
        (scorer("log_loss"), "neg_log_loss", (X, Y)),
        (scorer("log_loss"), "neg_log_loss", (X3, Y3)),
        (scorer("brier"), "neg_brier_score", (X, Y)),
        (scorer("recall"), "recall", (X, Y)),
        (scorer("recall"), "recall_macro", (X3, Y3)),
        (scorer("accuracy"), "accuracy", (X3, Y3)),
        (scorer("mcc"), "matthews_corrcoef", (X3, Y3)),
    ],
)
def test_scorers_agree_with_those_of_scikit_learn(ours, theirs, data) -> None:
    model = LogisticRegression().fit(*data)
    assert ours(model, *data) == pytest.approx(get_scorer(theirs)(model, *data), abs=1e-12)


@pytest.mark.parametrize("metric", ["roc_auc", "log_loss"])
@pytest.mark.parametrize("names", [("9", "10"), ("9", "10", "100")])
def test_a_scorer_goes_by_the_classes_of_the_estimator(metric, names) -> None:
    several = len(names) > 2
    data, codes = (X3, Y3) if several else (X, Y)
    y = np.array(names)[codes]  # scikit-learn sorts them as text: 10 comes before 9
    model = LogisticRegression().fit(data, y)
    said = model.predict_proba(data)
    place = {name: k for k, name in enumerate(model.classes_)}
    if metric == "log_loss":
        expected = -log_loss(y, said)
    elif several:
        own = [roc_auc_score(y == name, said[:, place[name]]) for name in names]
        expected = float(np.mean(own))
    else:
        expected = roc_auc_score(y == "10", said[:, place["10"]])
    assert scorer(metric)(model, data, y) == pytest.approx(expected, abs=1e-12)


def test_a_scorer_of_the_other_class_and_of_a_threshold() -> None:
    model = LogisticRegression().fit(X, Y)
    said = model.predict_proba(X)
    assert scorer("roc_auc", positive=0)(model, X, Y) == pytest.approx(
        roc_auc_score(Y == 0, said[:, 0]), abs=1e-12
    )
    assert scorer("recall", threshold=0.3)(model, X, Y) == pytest.approx(
        np.mean(said[Y == 1, 1] >= 0.3)
    )
    assert scorer("brier", positive=0)(model, X, Y) == pytest.approx(
        -np.mean((said[:, 0] - (Y == 0)) ** 2), abs=1e-12
    )


def test_a_grid_search_takes_a_scorer() -> None:
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, scoring=scorer("mcc"), cv=3)
    assert search.fit(X, Y).best_score_ > 0.5


def test_an_undefined_metric_is_no_number() -> None:
    model = LogisticRegression().fit(X, Y)
    with pytest.raises(DataError, match="undefined"):
        scorer("roc_auc")(model, X[:3], [1, 1, 1])
