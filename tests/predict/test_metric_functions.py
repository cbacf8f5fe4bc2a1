"""Metrics as functions equal scikit-learn's on the same rows."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as reference

from evalreport.engine.metric_functions import metric_value
from evalreport.engine.settings import Settings
from evalreport.predict.outcome import Output

ACTUAL = np.array([0, 1, 1, 0, 1, 0, 1, 1])
SCORE = np.array([0.1, 0.4, 0.8, 0.6, 0.9, 0.2, 0.7, 0.3])


def of(metric: str, labels: tuple[str, ...] = ("n", "p"), positive: Any = 1, **params: Any) -> Any:
    return metric_value(metric, params, labels, positive, Settings())


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("accuracy", reference.accuracy_score(ACTUAL, SCORE >= 0.5)),
        ("recall", reference.recall_score(ACTUAL, SCORE >= 0.5)),
        ("f1", reference.f1_score(ACTUAL, SCORE >= 0.5)),
        ("roc_auc", reference.roc_auc_score(ACTUAL, SCORE)),
        ("log_loss", reference.log_loss(ACTUAL, SCORE)),
    ],
)
def test_two_classes(metric, expected):
    assert of(metric)(ACTUAL, Output("score", score=SCORE)) == pytest.approx(expected, abs=1e-12)


def test_three_classes_take_the_value_over_all_or_the_macro_average():
    actual = np.array([0, 1, 2, 2, 1, 0])
    scores = np.array(
        [
            [0.6, 0.3, 0.1],
            [0.2, 0.5, 0.3],
            [0.1, 0.2, 0.7],
            [0.5, 0.3, 0.2],
            [0.3, 0.3, 0.4],
            [0.8, 0.1, 0.1],
        ]
    )
    output = Output("scores", scores.argmax(axis=1), None, scores)
    labels = ("a", "b", "c")
    predicted = scores.argmax(axis=1)
    assert of("f1", labels, None)(actual, output) == pytest.approx(
        reference.f1_score(actual, predicted, average="macro"), abs=1e-12
    )
    assert of("log_loss", labels, None)(actual, output) == pytest.approx(
        reference.log_loss(actual, scores), abs=1e-12
    )
    assert of("kappa", labels, None)(actual, output) == pytest.approx(
        reference.cohen_kappa_score(actual, predicted), abs=1e-12
    )


def test_undefined_and_not_applicable_are_none():
    assert of("roc_auc")(np.array([1, 1]), Output("score", score=np.array([0.1, 0.2]))) is None
    assert of("log_loss")(ACTUAL, Output("prediction", predicted=ACTUAL)) is None
    assert of("accuracy")(ACTUAL[:0], Output("prediction", predicted=ACTUAL[:0])) is None


def test_direction_and_travel_between_processes():
    assert of("roc_auc").larger_is_better
    assert not of("log_loss").larger_is_better
    there = pickle.loads(pickle.dumps(of("accuracy")))
    assert there(ACTUAL, Output("prediction", predicted=ACTUAL)) == 1
