"""Columns of scores are of the class that a fitted classifier names, whatever its place."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    RidgeClassifier,
)
from sklearn.metrics import (
    accuracy_score,
    cohen_kappa_score,
    log_loss,
    recall_score,
    roc_auc_score,
)
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from evalreport import DataError, UsageError, evaluate_estimator

X, Y = make_classification(160, 5, flip_y=0.2, random_state=3)
X3, Y3 = make_classification(200, 6, n_informative=4, n_classes=3, flip_y=0.2, random_state=3)
EIGHT = np.arange(8.0).reshape(-1, 1)
WORDS = np.array(["well"] * 4 + ["ill"] * 4)


def pooled(results, metric, label=None):
    found = results.measures
    found = found[(found["metric"] == metric) & found["fold"].isna()]
    found = found[found["label"] == label] if label is not None else found
    assert len(found) == 1, found
    return found.iloc[0]["value"]


def named(y, *names):
    return np.array(names, object)[y]


def test_classes_that_are_not_the_labels_are_refused_with_both_sets() -> None:
    model = LogisticRegression().fit(EIGHT, WORDS == "ill")
    with pytest.raises(DataError) as raised:
        evaluate_estimator(model, EIGHT, WORDS, positive="ill")
    said = str(raised.value)
    assert "LogisticRegression was fitted on the classes 'false', 'true'" in said
    assert "y has the labels 'ill', 'well'" in said


@pytest.mark.parametrize(
    ("fitted_on", "y"),
    [
        (Y, named(Y, "no", "yes")),
        (Y + 1, Y),  # 1 is a class of both, and not the same one
        (Y, Y * 2 - 1),
        (named(Y, "no", "yes"), Y),
        (Y, pd.Categorical(named(Y, "well", "ill"), ["well", "ill"], ordered=True)),
        (Y3, named(Y3, "none", "mild", "severe")),
    ],
)
def test_classes_that_agree_by_the_luck_of_sorting_are_refused(fitted_on, y) -> None:
    data = X if len(y) == len(Y) else X3
    with pytest.raises(DataError, match="was fitted on the classes"):
        evaluate_estimator(LogisticRegression().fit(data, fitted_on), data, y)


def test_labels_give_the_order_of_the_classes() -> None:
    words = named(Y3, "none", "mild", "severe")
    model = LogisticRegression().fit(X3, Y3)
    results = evaluate_estimator(
        model, X3, words, labels=["none", "mild", "severe"], metrics=["log_loss", "kappa"]
    )
    assert pooled(results, "log_loss") == pytest.approx(log_loss(Y3, model.predict_proba(X3)))
    two = LogisticRegression().fit(X, Y)
    results = evaluate_estimator(
        two, X, named(Y, "well", "ill"), labels=["well", "ill"], positive="ill", metrics=["roc_auc"]
    )
    assert pooled(results, "roc_auc") == pytest.approx(roc_auc_score(Y, two.predict_proba(X)[:, 1]))
    # 2 is the class 0 of the model, and 1 is its class 1
    results = evaluate_estimator(
        two, X, 2 - Y, labels=[2, 1], positive=1, metrics=["roc_auc", "recall"]
    )
    assert pooled(results, "roc_auc") == pytest.approx(roc_auc_score(Y, two.predict_proba(X)[:, 1]))
    assert pooled(results, "recall") == pytest.approx(recall_score(Y, two.predict(X)))


@pytest.mark.parametrize("spelt", [bool, float, str, lambda v: str(float(v)), np.int8])
@pytest.mark.parametrize("fitted", [int, bool, str])
def test_one_value_in_two_spellings_is_one_label(spelt, fitted) -> None:
    model = LogisticRegression().fit(X, np.array([fitted(v) for v in Y]))
    y = [spelt(v) for v in Y] if spelt is not bool else (Y == 1).tolist()
    if fitted is str and spelt is bool:
        y = [str(v) for v in Y]
    results = evaluate_estimator(model, X, y, metrics=["roc_auc", "accuracy"])
    assert pooled(results, "roc_auc") == pytest.approx(
        roc_auc_score(Y, model.predict_proba(X)[:, 1])
    )


def test_numbers_as_text_are_sorted_otherwise_by_the_classifier() -> None:
    y = named(Y3, "9", "10", "100")
    model = LogisticRegression().fit(X3, y)
    assert model.classes_.tolist() == ["10", "100", "9"]
    results = evaluate_estimator(model, X3, y, metrics=["accuracy", "roc_auc"])
    said = model.predict_proba(X3)
    for place, label in enumerate(model.classes_):
        assert pooled(results, "roc_auc", label) == pytest.approx(
            roc_auc_score(y == label, said[:, place])
        )


def test_rows_without_a_class_are_judged_by_the_classes_of_the_model() -> None:
    model = LogisticRegression().fit(X, Y)
    results = evaluate_estimator(model, X[Y == 0], Y[Y == 0], metrics=["accuracy", "specificity"])
    right = np.mean(model.predict(X[Y == 0]) == 0)
    assert pooled(results, "accuracy") == pytest.approx(right)
    assert pooled(results, "specificity") == pytest.approx(right)
    assert {t["positive"] for t in results.json["tables"]} == {"1"}


@pytest.mark.parametrize("positive", [0, 1])
def test_a_margin_is_of_the_class_it_is_of_in_any_order_of_labels(positive) -> None:
    model = RidgeClassifier().fit(X, Y)
    results = evaluate_estimator(
        model, X, Y, labels=[1, 0], positive=positive, metrics=["recall", "roc_auc"]
    )
    assert pooled(results, "recall") == pytest.approx(
        recall_score(Y, model.predict(X), pos_label=positive)
    )
    sign = 1 if positive else -1
    assert pooled(results, "roc_auc") == pytest.approx(
        roc_auc_score(positive == Y, sign * model.decision_function(X))
    )


def test_decision_values_of_several_classes_rank_the_rows_of_each() -> None:
    model = RidgeClassifier().fit(X3, Y3)
    results = evaluate_estimator(model, X3, Y3, metrics=["roc_auc", "recall"])
    told = model.decision_function(X3)
    for k in range(3):
        assert pooled(results, "roc_auc", str(k)) == pytest.approx(
            roc_auc_score(k == Y3, told[:, k])
        )
    usual = evaluate_estimator(model, X3, Y3)
    assert not (usual.measures["state"] == "not_applicable").any()


def test_decision_values_of_pairs_of_classes_are_those_of_no_class() -> None:
    model = make_pipeline(SVC(decision_function_shape="ovo")).fit(X3, Y3)
    assert model.decision_function(X3).shape == (200, 3)
    results = evaluate_estimator(model, X3, Y3, metrics=["roc_auc", "kappa"])
    assert set(results.measures.query("metric == 'roc_auc'")["state"]) == {"not_applicable"}


class _Own:
    """A classifier of no library."""

    def predict(self, rows):
        return np.where(rows[:, 0] > 3, "ill", "well")

    def predict_proba(self, rows):
        share = rows[:, 0] / 7
        return np.stack([1 - share, share], axis=1)


def test_columns_whose_classes_nobody_names_are_not_guessed() -> None:
    with pytest.raises(UsageError, match="_Own has scores, but no classes_"):
        evaluate_estimator(_Own(), EIGHT, WORDS)
    results = evaluate_estimator(
        _Own(), EIGHT, WORDS, labels=["well", "ill"], positive="ill", metrics=["roc_auc"]
    )
    assert pooled(results, "roc_auc") == 1


@pytest.mark.parametrize(
    "model",
    [
        LinearRegression(),
        make_pipeline(LinearRegression()),
        GridSearchCV(LinearRegression(), {"fit_intercept": [True, False]}),
    ],
)
def test_regressors_are_refused(model) -> None:
    with pytest.raises(UsageError, match="is a regressor: it predicts numbers, not classes"):
        evaluate_estimator(model.fit(X, Y), X, Y)


class _NoWords(LogisticRegression):
    """Takes no labels that are words, as XGBClassifier."""

    def fit(self, rows, y):
        if np.asarray(y).dtype.kind not in "iu":
            raise ValueError("Invalid classes inferred from unique values of `y`.")
        return super().fit(rows, y)


def test_what_a_classifier_raises_is_told_with_its_name_and_fold() -> None:
    with pytest.raises(DataError) as raised:
        evaluate_estimator({"boosted": _NoWords()}, X, named(Y, "no", "yes"), cv=3)
    assert str(raised.value).startswith(
        "boosted, fold 1: fit raises ValueError: Invalid classes inferred"
    )
    assert isinstance(raised.value.__cause__, ValueError)
    # early stopping holds rows back by class, and a class of one row cannot be divided
    y = np.where(np.arange(160) == 150, 2, Y)
    with pytest.raises(DataError, match="HistGradientBoostingClassifier, fold 1: fit raises"):
        evaluate_estimator(HistGradientBoostingClassifier(early_stopping=True), X, y, cv=KFold(3))
    with pytest.raises(UsageError, match="LogisticRegression is not fitted"):
        evaluate_estimator(LogisticRegression(), X, Y)
    with pytest.raises(DataError, match="LogisticRegression: predict raises ValueError: X has 4"):
        evaluate_estimator(LogisticRegression().fit(X, Y), X[:, :4], Y)


def test_a_classifier_that_cannot_be_cloned_is_told() -> None:
    with pytest.raises(UsageError, match="_Own cannot be cloned for each fold"):
        evaluate_estimator(_Own(), EIGHT, WORDS, cv=2)


def test_the_positive_class_may_be_spelt_as_the_classifier_spells_it() -> None:
    model = LogisticRegression().fit(X, Y)
    results = evaluate_estimator(model, X, Y == 1, positive=0, metrics=["recall"])
    expected = recall_score(Y, model.predict(X), pos_label=0)
    assert pooled(results, "recall") == pytest.approx(expected)


def test_folds_agree_with_scikit_learn_for_words_in_a_frame() -> None:
    words = pd.Series(named(Y, "no", "yes"))
    said = cross_val_predict(RidgeClassifier(), X, words, cv=KFold(4))
    results = evaluate_estimator(RidgeClassifier(), X, words, cv=KFold(4), metrics=["accuracy"])
    assert pooled(results, "accuracy") == pytest.approx(accuracy_score(words, said))


def messages(results, code):
    found = results.cautions
    return found[found["code"] == code]["message"].tolist()


def test_a_class_that_all_lies_in_one_fold_is_told_as_by_the_command() -> None:
    group = np.where(Y3 == 2, 0, 1 + np.arange(200) % 3)  # all rows of class 2 in one group
    results = evaluate_estimator(
        LogisticRegression(), X3, Y3, cv=GroupKFold(4), clusters=group, metrics=["accuracy"]
    )
    lacking, single = messages(results, "fold_lacks_class")
    assert lacking.startswith("Class '2' is absent from the training rows of 1 of 4 folds (")
    assert single.startswith("The test rows of 1 of 4 folds (")
    assert not messages(
        evaluate_estimator(LogisticRegression(), X3, Y3, cv=4, metrics=["accuracy"]),
        "fold_lacks_class",
    )


def test_a_splitter_that_lacks_its_groups_is_answered_with_clusters() -> None:
    group = np.arange(200) % 4
    with pytest.raises(UsageError, match=r"clusters=\.\.\., which a splitter gets as its groups"):
        evaluate_estimator(LogisticRegression(), X3, Y3, cv=GroupKFold(4), groups=group)


def test_clusters_in_the_training_and_the_test_part_of_a_fold_are_told() -> None:
    results = evaluate_estimator(
        LogisticRegression(), X, Y, cv=4, clusters=np.arange(160) // 2, metrics=["accuracy"]
    )
    (told,) = messages(results, "leakage")
    assert "groups" in told


def test_a_class_that_a_fitted_classifier_does_not_know_is_told() -> None:
    model = LogisticRegression().fit(X3[Y3 < 2], Y3[Y3 < 2])
    results = evaluate_estimator(model, X3, Y3, metrics=["kappa", "roc_auc"])
    count = int((Y3 == 2).sum())
    (told,) = messages(results, "data_finding")
    assert told == (
        f"LogisticRegression was not trained on class '2', which {count} of 200 rows are of: "
        "it cannot predict it."
    )
    assert pooled(results, "roc_auc", "2") == 0.5


def folds_without(label, y):
    """Two folds, the first of which tests every row of a class, and so learns of none."""
    first = np.flatnonzero((y == label) | (np.arange(len(y)) % 5 == 0))
    rest = np.setdiff1d(np.arange(len(y)), first)
    return [(rest, first), (first, rest)]


def test_folds_with_distances_of_two_and_of_three_classes_have_labels_in_common() -> None:
    folds = folds_without(2, Y3)
    said = np.empty(200, int)
    for train, test in folds:
        model = LinearSVC().fit(X3[train], Y3[train])
        said[test] = model.predict(X3[test])
    results = evaluate_estimator(LinearSVC(), X3, Y3, cv=folds, metrics=["roc_auc", "kappa"])
    assert pooled(results, "kappa") == pytest.approx(cohen_kappa_score(Y3, said))
    ranked = [m for m in results.json["measures"] if m["metric"] == "roc_auc"]
    assert {m["state"] for m in ranked} == {"not_applicable"}


def test_a_class_that_a_fold_does_not_know_has_the_least_distance() -> None:
    x, y = make_classification(240, 6, n_informative=4, n_classes=4, flip_y=0.1, random_state=8)
    folds = folds_without(3, y)
    told = np.full((240, 4), np.nan)
    for train, test in folds:
        model = LinearSVC().fit(x[train], y[train])
        told[np.ix_(test, model.classes_)] = model.decision_function(x[test])
    assert np.isnan(told[y == 3, 3]).all()
    told[np.isnan(told)] = np.nanmin(told)
    results = evaluate_estimator(LinearSVC(), x, y, cv=folds, metrics=["roc_auc"])
    for label in range(4):
        expected = roc_auc_score(y == label, told[:, label])
        assert pooled(results, "roc_auc", str(label)) == pytest.approx(expected, abs=1e-12)
