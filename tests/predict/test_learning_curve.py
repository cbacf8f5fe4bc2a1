"""Learning curves: nested stratified subsets, test rows apart, each point recomputed by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import KFold, TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB

from evalreport.errors import DataError
from evalreport.predict.cross_validation import Recipe
from evalreport.predict.features import Feature, FeatureTable
from evalreport.predict.fitting import TrainingRows
from evalreport.predict.learning_curve import (
    CurveDesign,
    _subset,
    held_out_splits,
    learning_curve,
)
from evalreport.predict.schemes import Scheme, make_splits

LABELS = ("malignant", "benign")
RECIPE = Recipe("nb", "sklearn.naive_bayes.GaussianNB")


def accuracy(truth: Any, output: Any) -> float:
    return float(np.mean(truth == output.labels_at()))


@pytest.fixture(scope="module")
def data() -> tuple[FeatureTable, Any]:
    source = load_breast_cancer()
    columns = tuple(Feature(f"x{i}", "number", source.data[:, i]) for i in range(4))
    return FeatureTable(columns, 569), source.target


def test_points_equal_fits_made_by_hand(data):
    table, actual = data
    design = CurveDesign((0.1, 60, 1.0), repeats=3, seed=5)
    curve = learning_curve(RECIPE, table, actual, LABELS, 1, {"accuracy": accuracy}, design)
    rows = TrainingRows(table.matrix, actual, LABELS, 1)
    splits = held_out_splits(actual, LABELS, 3, 5)
    assert [point.train_rows for point in curve.points] == [46, 60, 455]
    for point in curve.points:
        tests, trains = [], []
        for number, split in enumerate(splits):
            own = _subset(split, point.size, rows, (5, number))
            model = GaussianNB().fit(table.matrix[own.train], actual[own.train])
            tests.append(model.score(table.matrix[own.test], actual[own.test]))
            trains.append(model.score(table.matrix[own.train], actual[own.train]))
        assert point.test["accuracy"].values == tuple(tests)
        assert point.train["accuracy"].values == tuple(trains)
        assert point.test["accuracy"].mean == pytest.approx(np.mean(tests), abs=1e-15)
        assert point.test["accuracy"].spread == pytest.approx(np.std(tests, ddof=1), abs=1e-15)
    assert "holds out a fifth of the rows" in curve.notes[0]
    assert "no interval" in curve.notes[1]


def test_subsets_are_nested_stratified_and_apart_from_the_test_rows(data):
    table, actual = data
    rows = TrainingRows(table.matrix, actual, LABELS, 1)
    for number, split in enumerate(held_out_splits(actual, LABELS, 2, 0)):
        smaller: set[int] = set()
        share = actual[split.train].mean()
        for size in (20, 0.25, 0.5, 1.0):
            own = _subset(split, size, rows, (0, number))
            assert smaller <= set(own.train.tolist())
            assert not set(own.train.tolist()) & set(own.test.tolist())
            assert abs(actual[own.train].sum() - share * len(own.train)) <= 1
            smaller = set(own.train.tolist())


def test_groups_stay_whole(data):
    table, actual = data
    groups = (np.arange(569) // 4, [str(i) for i in range(143)])
    rows = TrainingRows(table.matrix, actual, LABELS, 1, groups)
    for number, split in enumerate(held_out_splits(actual, LABELS, 7, 1, groups)):
        own = _subset(split, 0.3, rows, (1, number))
        trained = set(groups[0][own.train].tolist())
        assert not trained & set(groups[0][own.test].tolist())
        inside = np.isin(groups[0][split.train], list(trained))
        assert inside.sum() == len(own.train) >= round(0.3 * len(split.train))


def test_sizes_that_are_not_there_are_refused(data):
    table, actual = data
    with pytest.raises(DataError, match="of 500 training rows, there are 455"):
        learning_curve(RECIPE, table, actual, LABELS, 1, {}, CurveDesign((500, 0.5), 2))


def test_fit_that_fails_is_a_failure_of_its_repeat(data):
    table, actual = data
    recipe = Recipe("knn", "sklearn.neighbors.KNeighborsClassifier", {"n_neighbors": 20})
    curve = learning_curve(
        recipe, table, actual, LABELS, 1, {"accuracy": accuracy}, CurveDesign((5, 1.0), 2)
    )
    assert [failure.fold for failure in curve.failures] == [
        "repeat 1 of size 5",
        "repeat 2 of size 5",
    ]
    assert curve.points[0].test["accuracy"].mean is None
    assert curve.points[1].test["accuracy"].mean > 0.8


def test_progress_counts_every_fit(data):
    table, actual = data
    seen: list[tuple[int, int]] = []
    learning_curve(
        RECIPE,
        table,
        actual,
        LABELS,
        1,
        {},
        CurveDesign((0.5, 1.0), 2),
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_repeats_hold_out_the_folds_of_the_scheme(data):
    table, actual = data
    folds = make_splits(Scheme("k_fold", 3, seed=9), actual, LABELS)
    design = CurveDesign((1.0,), repeats=4, seed=5)
    curve = learning_curve(
        RECIPE, table, actual, LABELS, 1, {"accuracy": accuracy}, design, folds=folds
    )
    values = []
    for train, test in KFold(3, shuffle=True, random_state=9).split(actual):
        model = GaussianNB().fit(table.matrix[train], actual[train])
        values.append(model.score(table.matrix[test], actual[test]))
    # All rows of a fold are trained on, so the fourth repeat is the first fold again.
    assert curve.points[0].test["accuracy"].values == (*values, values[0])
    assert curve.notes[0] == (
        "each repeat holds out the next fold of the cross-validation (k-fold); "
        "4 repeats over 3 folds"
    )


def test_a_scheme_that_tests_single_rows_says_what_is_held_out_instead(data):
    table, actual = data
    some = np.arange(0, 569, 19)
    folds = make_splits(Scheme("leave_one_out"), actual[some], LABELS)
    curve = learning_curve(
        RECIPE,
        table.take(some),
        actual[some],
        LABELS,
        1,
        {"accuracy": accuracy},
        CurveDesign((1.0,), repeats=2),
        folds=folds,
    )
    assert "a fold of leave one out tests too few rows for a metric" in curve.notes[0]


def test_rows_in_time_are_learned_from_before_they_are_tested(data):
    table, actual = data
    folds = make_splits(Scheme("time_series_split", 3), actual, LABELS)
    curve = learning_curve(
        RECIPE,
        table,
        actual,
        LABELS,
        1,
        {"accuracy": accuracy},
        CurveDesign((1.0,), repeats=3),
        folds=folds,
    )
    expected = []
    for train, test in TimeSeriesSplit(3).split(actual):
        model = GaussianNB().fit(table.matrix[train], actual[train])
        expected.append(model.score(table.matrix[test], actual[test]))
    assert curve.points[0].test["accuracy"].values == tuple(expected)
