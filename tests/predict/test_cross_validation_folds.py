"""Out-of-fold predictions equal those of scikit-learn on the same splits, bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.model_selection import cross_validate as sklearn_cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from evalreport.errors import SpecError
from evalreport.predict.cross_validation import Recipe, cross_validate
from evalreport.predict.features import Feature, FeatureTable, Step
from evalreport.predict.fitting import Tune
from evalreport.predict.outcome import EVERY_FOLD
from evalreport.predict.schemes import Scheme, make_splits

TWO = ("malignant", "benign")  # the source codes malignant as 0


def table_of(matrix: Any) -> FeatureTable:
    columns = tuple(Feature(f"x{i}", "number", matrix[:, i]) for i in range(matrix.shape[1]))
    return FeatureTable(columns, len(matrix))


@pytest.fixture(scope="module")
def breast() -> tuple[Any, Any]:
    source = load_breast_cancer()
    return source.data[:, :5], source.target


@pytest.fixture(autouse=True)
def _one_thread():
    with threadpool_limits(1):
        yield


def test_probabilities_equal_cross_val_predict(breast):
    matrix, actual = breast
    splits = make_splits(Scheme("stratified_k_fold", 5, seed=3), actual, TWO)
    forest = RandomForestClassifier(n_estimators=10, random_state=4)
    recipe = Recipe(
        "forest",
        "sklearn.ensemble.RandomForestClassifier",
        {"n_estimators": 10, "random_state": 4},
    )
    folded = cross_validate(recipe, table_of(matrix), actual, TWO, 1, splits, workers=1)
    one = folded.of_repeat(0)
    expected = cross_val_predict(
        forest,
        matrix,
        actual,
        cv=StratifiedKFold(5, shuffle=True, random_state=3),
        method="predict_proba",
    )
    assert one.row.tolist() == list(range(569))
    assert np.array_equal(one.output.class_scores, expected)
    assert np.array_equal(one.output.score, expected[:, 1])
    assert folded.folds == ("1", "2", "3", "4", "5")
    assert folded.fold_sizes["1"] == (455, 114)
    assert folded.complete


def test_positive_class_that_comes_first_takes_its_own_column_and_side(breast):
    matrix, actual = breast
    splits = make_splits(Scheme("stratified_k_fold", 3), actual, TWO)
    forest = Recipe("forest", "sklearn.ensemble.RandomForestClassifier", {"n_estimators": 5})
    first = cross_validate(forest, table_of(matrix), actual, TWO, 0, splits, workers=1)
    assert np.array_equal(first.output.score, first.output.class_scores[:, 0])
    line = Recipe("line", "sklearn.linear_model.RidgeClassifier")
    negative = cross_validate(line, table_of(matrix), actual, TWO, 0, splits, workers=1)
    positive = cross_validate(line, table_of(matrix), actual, TWO, 1, splits, workers=1)
    assert negative.output.source == "margin"
    assert np.array_equal(negative.output.score, -positive.output.score)


def test_decision_function_is_the_margin(breast):
    matrix, actual = breast
    splits = make_splits(Scheme("stratified_k_fold", 4, seed=1), actual, TWO)
    recipe = Recipe("svm", "sklearn.svm.LinearSVC", {"random_state": 0}, (Step("scale"),))
    folded = cross_validate(recipe, table_of(matrix), actual, TWO, 1, splits, workers=1)
    expected = cross_val_predict(
        make_pipeline(StandardScaler(), LinearSVC(random_state=0)),
        matrix,
        actual,
        cv=StratifiedKFold(4, shuffle=True, random_state=1),
        method="decision_function",
    )
    assert np.array_equal(folded.of_repeat(0).output.score, expected)
    assert folded.steps[0].startswith("scale")


def test_labels_where_neither_is_given():
    matrix, actual = load_iris(return_X_y=True)
    splits = make_splits(Scheme("k_fold", 5, seed=2), actual, ("a", "b", "c"))
    recipe = Recipe("ridge", "sklearn.linear_model.RidgeClassifier")
    folded = cross_validate(recipe, table_of(matrix), actual, ("a", "b", "c"), None, splits)
    assert folded.output.source == "prediction"
    assert folded.output.class_scores is None


def test_each_fold_of_each_repeat_scores_as_in_cross_validate(breast):
    matrix, actual = breast
    splits = make_splits(Scheme("stratified_k_fold", 5, repeats=3, seed=9), actual, TWO)
    recipe = Recipe("logistic", "sklearn.linear_model.LogisticRegression", {}, (Step("scale"),))
    folded = cross_validate(recipe, table_of(matrix), actual, TWO, 1, splits, workers=1)
    expected = sklearn_cross_validate(
        make_pipeline(StandardScaler(), LogisticRegression()),
        matrix,
        actual,
        cv=RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=9),
        scoring=["accuracy", "roc_auc"],
    )
    own = [
        accuracy_score(
            actual[folded.row[folded.fold == k]],
            folded.output.labels_at()[folded.fold == k],
        )
        for k in range(15)
    ]
    assert own == expected["test_accuracy"].tolist()
    assert folded.folds[:6:5] == ("repeat 1 fold 1", "repeat 2 fold 1")
    assert folded.repeats == 3
    for repeat in range(3):
        assert folded.of_repeat(repeat).row.tolist() == list(range(569))


def test_repeats_begin_with_the_single_run(breast):
    _, actual = breast
    one = make_splits(Scheme("stratified_k_fold", 5, seed=9), actual, TWO).splits
    three = make_splits(Scheme("stratified_k_fold", 5, repeats=3, seed=9), actual, TWO).splits
    assert all(np.array_equal(a.test, b.test) for a, b in zip(one, three[:5], strict=True))


def test_nested_tuning_equals_grid_search_inside_each_fold(breast):
    matrix, actual = breast
    splits = make_splits(Scheme("stratified_k_fold", 3, seed=5), actual, TWO)
    grid = {"max_depth": (1, 2, 4), "min_samples_leaf": (1, 20)}

    def area(truth: Any, output: Any) -> float:
        return float(roc_auc_score(truth, output.score))

    recipe = Recipe(
        "tree",
        "sklearn.tree.DecisionTreeClassifier",
        {"random_state": 0},
        tune=Tune(grid, area, folds=3),
        seed=5,
    )
    folded = cross_validate(recipe, table_of(matrix), actual, TWO, 1, splits, workers=1)
    for split in splits.splits:
        search = GridSearchCV(
            DecisionTreeClassifier(random_state=0),
            {name: list(values) for name, values in grid.items()},
            scoring="roc_auc",
            cv=StratifiedKFold(3, shuffle=True, random_state=5),
        ).fit(matrix[split.train], actual[split.train])
        assert folded.chosen[split.name] == search.best_params_
        mine = folded.output.score[np.isin(folded.row, split.test)]
        assert np.array_equal(mine, search.predict_proba(matrix[split.test])[:, 1])


def test_tuning_never_sees_a_test_row(breast):
    matrix, actual = breast
    splits = make_splits(Scheme("stratified_k_fold", 3), actual, TWO)
    poisoned = actual.copy()
    poisoned[splits.splits[0].test] = 1 - poisoned[splits.splits[0].test]

    def accuracy(truth: Any, output: Any) -> float:
        return float(np.mean(truth == output.labels_at()))

    recipe = Recipe(
        "tree",
        "sklearn.tree.DecisionTreeClassifier",
        {},
        tune=Tune({"max_depth": (1, 5)}, accuracy),
    )
    honest = cross_validate(recipe, table_of(matrix), actual, TWO, 1, splits, workers=1)
    other = cross_validate(recipe, table_of(matrix), poisoned, TWO, 1, splits, workers=1)
    first = honest.fold == 0
    assert np.array_equal(honest.output.score[first], other.output.score[first])
    assert honest.chosen["1"] == other.chosen["1"]


def test_steps_learn_nothing_from_test_rows():
    matrix = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0]])
    actual = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    splits = make_splits(Scheme("k_fold", 2), actual, TWO)
    recipe = Recipe("logistic", "sklearn.linear_model.LogisticRegression", {}, (Step("scale"),))
    plain = cross_validate(recipe, table_of(matrix), actual, TWO, 1, splits, workers=1)
    moved = matrix.copy()
    last = splits.splits[0].test[-1]
    moved[last] = 1e6
    other = cross_validate(recipe, table_of(moved), actual, TWO, 1, splits, workers=1)
    same = (plain.fold == 0) & (plain.row != last)
    assert np.array_equal(plain.output.score[same], other.output.score[same])


def test_text_columns_become_one_hot_and_unknown_values_are_all_zero():
    values = np.array([0.0, 0, 0, 1, 1, 1, 2, np.nan])
    actual = np.array([0, 0, 1, 1, 1, 0, 1, 0])
    table = FeatureTable((Feature("site", "category", values, ("a", "b", "c")),), 8)
    splits = make_splits(Scheme("k_fold", 4, seed=1), actual, TWO)
    recipe = Recipe("logistic", "sklearn.linear_model.LogisticRegression")
    folded = cross_validate(recipe, table, actual, TWO, 1, splits, workers=1)
    encoder = ColumnTransformer(
        [("c", OneHotEncoder(handle_unknown="ignore", sparse_output=False), [0])]
    )
    expected = cross_val_predict(
        make_pipeline(encoder, LogisticRegression()),
        values.reshape(-1, 1),
        actual,
        cv=[(s.train, s.test) for s in splits.splits],
        method="predict_proba",
    )
    assert np.array_equal(folded.of_repeat(0).output.class_scores, expected)
    assert folded.steps == ("one_hot: site",)


def test_missing_numbers_are_imputed_only_where_the_estimator_needs_it():
    matrix = np.array([[1.0], [np.nan], [3.0], [4.0], [5.0], [np.nan]])
    actual = np.array([0, 1, 0, 1, 0, 1])
    splits = make_splits(Scheme("k_fold", 2), actual, TWO)
    logistic = Recipe("logistic", "sklearn.linear_model.LogisticRegression")
    folded = cross_validate(logistic, table_of(matrix), actual, TWO, 1, splits, workers=1)
    assert folded.complete
    assert folded.steps == ("impute (median with indicator): x0",)
    tree = Recipe("tree", "sklearn.tree.DecisionTreeClassifier")
    assert cross_validate(tree, table_of(matrix), actual, TWO, 1, splits, workers=1).steps == ()


def test_missing_numbers_without_an_imputer_are_named_before_fitting():
    matrix = np.array([[1.0], [np.nan], [3.0], [4.0]])
    actual = np.array([0, 1, 0, 1])
    splits = make_splits(Scheme("k_fold", 2), actual, TWO)
    recipe = Recipe("logistic", "sklearn.linear_model.LogisticRegression", {}, (Step("scale"),))
    folded = cross_validate(recipe, table_of(matrix), actual, TWO, 1, splits)
    (failure,) = folded.failures
    assert failure.fold == EVERY_FOLD
    assert str(failure) == (
        "model 'logistic', every fold: feature 'x0' is missing in 1 of 4 rows; "
        "add the step impute, or leave `steps` out"
    )
    assert folded.output is None


def test_fold_that_fails_is_named_and_the_others_go_on():
    matrix = np.arange(12.0).reshape(-1, 1)
    actual = np.array([0] * 6 + [1] * 6)
    codes = np.array([0] * 6 + [1] * 3 + [2] * 3)
    splits = make_splits(Scheme("column"), actual, TWO, folds=(codes, ("p", "q", "r")))
    recipe = Recipe("logistic", "sklearn.linear_model.LogisticRegression")
    folded = cross_validate(recipe, table_of(matrix), actual, TWO, 1, splits, workers=1)
    (failure,) = folded.failures
    assert (failure.model, failure.fold) == ("logistic", "p")
    assert "ValueError" in failure.reason
    assert folded.folds == ("q", "r")
    assert sorted(folded.row.tolist()) == list(range(6, 12))
    assert [f.code for f in splits.findings] == ["class_not_trained", "one_class_fold"]


def test_class_absent_from_training_has_probability_0_in_its_own_column():
    matrix, actual = load_iris(return_X_y=True)
    codes = np.array([0] * 50 + [1] * 50 + [2] * 50)  # each fold tests a class it never saw
    labels = ("setosa", "versicolor", "virginica")
    splits = make_splits(Scheme("column"), actual, labels, folds=(codes, ("1", "2", "3")))
    recipe = Recipe("nb", "sklearn.naive_bayes.GaussianNB")
    folded = cross_validate(recipe, table_of(matrix), actual, labels, None, splits, workers=1)
    for fold in range(3):
        scores = folded.output.class_scores[folded.fold == fold]
        assert scores.shape == (50, 3)
        assert np.all(scores[:, fold] == 0)
        assert np.allclose(scores.sum(axis=1), 1)


@pytest.mark.long
def test_results_do_not_depend_on_the_number_of_workers(breast, monkeypatch):
    matrix, actual = breast
    monkeypatch.setattr("evalreport.predict.cross_validation.WORTH_PROCESSES", 0.0)
    splits = make_splits(Scheme("stratified_k_fold", 4, seed=2), actual, TWO)
    recipe = Recipe("logistic", "sklearn.linear_model.LogisticRegression", {"max_iter": 5})
    seen: list[tuple[int, int]] = []
    one = cross_validate(recipe, table_of(matrix), actual, TWO, 1, splits, workers=1)
    two = cross_validate(
        recipe,
        table_of(matrix),
        actual,
        TWO,
        1,
        splits,
        workers=2,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert np.array_equal(one.output.score, two.output.score)
    assert one.notes == two.notes
    assert "ConvergenceWarning" in one.notes[0]
    assert one.notes[0].startswith("in 4 of 4 folds: ")
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize(
    ("path", "params", "told"),
    [
        ("sklearn.ensemble.RandomForestClasifier", {}, "RandomForestClassifier'?"),
        ("sklearn.svm.LogisticRegression", {}, "'sklearn.linear_model.LogisticRegression'?"),
        ("os.system", {}, "not a classifier of scikit-learn"),
        ("sklearn.ensemble.RandomForestClassifier.__init__", {}, "not a classifier"),
        ("sklearn.tree.DecisionTreeClassifier", {"max_dept": 3}, "did you mean 'max_depth'?"),
        ("sklearn.tree.DecisionTreeClassifier", {"max_depth": "deep"}, "max_depth"),
    ],
)
def test_unknown_classes_and_parameters_are_refused(breast, path, params, told):
    matrix, actual = breast
    splits = make_splits(Scheme("stratified_k_fold", 3), actual, TWO)
    with pytest.raises(SpecError) as caught:
        cross_validate(Recipe("m", path, params), table_of(matrix), actual, TWO, 1, splits)
    assert told in str(caught.value)


def test_grid_with_an_unknown_or_impossible_value_is_refused_before_fitting(breast):
    matrix, actual = breast
    splits = make_splits(Scheme("stratified_k_fold", 3), actual, TWO)
    for grid in ({"max_dept": (1,)}, {"max_depth": (1, -4)}):
        recipe = Recipe(
            "m", "sklearn.tree.DecisionTreeClassifier", tune=Tune(grid, lambda truth, output: 0.0)
        )
        with pytest.raises(SpecError, match="max_dep"):
            cross_validate(recipe, table_of(matrix), actual, TWO, 1, splits)


def test_models_without_a_random_state_get_the_seed(breast):
    matrix, actual = breast
    splits = make_splits(Scheme("stratified_k_fold", 3), actual, TWO)
    recipe = Recipe("f", "sklearn.ensemble.RandomForestClassifier", {"n_estimators": 3}, seed=11)
    twice = [
        cross_validate(recipe, table_of(matrix), actual, TWO, 1, splits, workers=1)
        for _ in range(2)
    ]
    assert np.array_equal(twice[0].output.score, twice[1].output.score)
