"""A scorer gives the number of scikit-learn on all rows and classes, or says what it lacks."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, top_k_accuracy_score
from sklearn.svm import LinearSVC

from evalreport import DataError, scorer

THREE = np.zeros((3, 1))


class _Says:
    """A classifier that gives these labels and scores, whatever the rows."""

    def __init__(self, labels, scores=None, classes=(0, 1)):
        self._labels, self.classes_ = labels, np.array(classes)
        if scores is not None:
            self.predict_proba = lambda rows: np.array(scores)[: len(rows)]

    def predict(self, rows):
        return np.array(self._labels, object)[: len(rows)]


@pytest.mark.parametrize("missing", [None, np.nan, ""])
def test_a_missing_label_is_no_class(missing) -> None:
    """Of three rows two are right, and nobody knows of the third."""
    with pytest.raises(DataError, match="y is empty in row 3"):
        scorer("accuracy")(_Says([0, 1, 1]), THREE, [0, 1, missing])
    with pytest.raises(DataError, match="the prediction of _Says is empty in row 3"):
        scorer("accuracy")(_Says([0, 1, missing]), THREE, [0, 1, 1])


def test_a_missing_score_ranks_no_row() -> None:
    said = _Says([0, 1, 1], [[0.2, 0.8], [np.nan, np.nan], [0.3, 0.7]])
    with pytest.raises(DataError, match="the score of _Says is nan in row 2"):
        scorer("roc_auc")(said, THREE, [0, 1, 0])


X, Y = make_classification(240, 6, n_informative=4, n_classes=4, flip_y=0.1, random_state=8)
NAMES = np.array(list("abcd"))[Y]


def test_distances_of_two_classes_are_no_scores_of_three() -> None:
    """Its labels are of two classes, which is wrong for the third, and its scores say no more."""
    two, three = Y < 2, Y < 3
    model = LinearSVC().fit(X[two], NAMES[two])
    with pytest.raises(DataError, match="needs scores of every class, which LinearSVC does not"):
        scorer("roc_auc")(model, X[three], NAMES[three])
    macro = f1_score(NAMES[three], model.predict(X[three]), average="macro")
    for threshold in (None, 0):
        found = scorer("f1", threshold=threshold)(model, X[three], NAMES[three])
        assert found == pytest.approx(macro, abs=1e-12)


def test_a_classifier_without_scores_has_none_to_rank() -> None:
    with pytest.raises(DataError, match="needs scores of every class, which _Says does not give"):
        scorer("roc_auc")(_Says([0, 1, 1]), THREE, [0, 1, 0])


def test_a_positive_class_that_the_classifier_does_not_know_has_no_probability() -> None:
    """By hand: it gives class 1 the probability 0, and one of three rows is of it."""
    model = DummyClassifier().fit(THREE, [0, 0, 0])
    assert scorer("brier")(model, THREE, [0, 0, 1]) == pytest.approx(-1 / 3)


@pytest.mark.parametrize("k", [2, 3])
def test_a_class_that_the_classifier_does_not_know_is_its_last_choice(k) -> None:
    known = Y < 3
    model = LinearSVC().fit(X[known], NAMES[known])
    told = model.decision_function(X)
    assert (np.sort(told, axis=1)[:, 1] < 0).mean() > 0.5  # 0 would be a first or second choice
    told = np.c_[told, np.full(len(told), told.min() - 1)]
    expected = top_k_accuracy_score(NAMES, told, k=k, labels=list("abcd"))
    found = scorer("top_k_accuracy", k=k)(model, X, NAMES)
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("classes", [(0, 1), (False, True)])
@pytest.mark.parametrize("labels", [[0, 1], [False, True]])
def test_declared_classes_are_those_of_the_rows_by_their_values(classes, labels) -> None:
    """By hand: of two pairs of rows one is in order; 2 of 3 rows are right at 0.5."""
    said = _Says([0, 1, 0], [[0.5, 0.5], [0.3, 0.7], [0.6, 0.4]], classes)
    for y in ([0, 1, 1], [False, True, True]):
        assert scorer("roc_auc", labels=labels)(said, THREE, y) == 0.5
        assert scorer("accuracy", labels=labels, threshold=0.6)(said, THREE, y) == 2 / 3
        assert scorer("recall", labels=labels, positive=True, threshold=0.6)(said, THREE, y) == 0.5


class _Counts(LogisticRegression):
    asked = 0

    def predict(self, rows):
        type(self).asked += 1
        return super().predict(rows)


@pytest.mark.parametrize(
    ("ours", "calls"),
    [
        (scorer("roc_auc"), 0),
        (scorer("log_loss"), 0),
        (scorer("recall", threshold=0.3), 0),
        (scorer("recall"), 1),
    ],
)
def test_labels_are_predicted_where_the_metric_is_of_labels(ours, calls) -> None:
    two = Y < 2
    model = _Counts().fit(X[two], Y[two])
    _Counts.asked = 0
    ours(model, X[two], Y[two])
    assert _Counts.asked == calls
