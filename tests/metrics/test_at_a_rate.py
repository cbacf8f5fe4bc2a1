"""One rate where another is held, against a walk over every threshold and scikit-learn's curve."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve, roc_curve

from evalreport.metrics.at_a_rate import (
    precision_at_recall,
    recall_at_specificity,
    specificity_at_recall,
)
from evalreport.metrics.formula import Undefined
from evalreport.metrics.tables import ScoreTable


def rows(seed: int) -> tuple[np.ndarray, np.ndarray, ScoreTable]:
    rng = np.random.default_rng(seed)
    actual = rng.random(80) < 0.4
    scores = np.round(rng.normal(actual * 1.2), 1)
    distinct = np.unique(scores)[::-1]
    own = np.array([np.count_nonzero(actual & (scores == t)) for t in distinct])
    rest = np.array([np.count_nonzero(~actual & (scores == t)) for t in distinct])
    return actual, scores, ScoreTable(distinct, own, rest)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("held", [0.5, 0.8, 0.95, 1.0])
def test_as_along_the_curves_of_scikit_learn(seed: int, held: float) -> None:
    actual, scores, s = rows(seed)
    fpr, tpr, _ = roc_curve(actual, scores, drop_intermediate=False)
    recall = recall_at_specificity(s, specificity=held).outcome().number
    assert recall == pytest.approx(tpr[1 - fpr >= held - 1e-9].max())
    specificity = specificity_at_recall(s, recall=held).outcome().number
    assert specificity == pytest.approx((1 - fpr)[tpr >= held - 1e-9].max())
    precision, found, _ = precision_recall_curve(actual, scores)
    expected = precision[:-1][found[:-1] >= held - 1e-9].max()
    assert precision_at_recall(s, recall=held).outcome().number == pytest.approx(expected)


def test_with_one_class_there_is_nothing_to_hold() -> None:
    only = ScoreTable(np.array([0.9, 0.1]), np.array([2, 1]), np.array([0, 0]))
    for one in (recall_at_specificity, specificity_at_recall):
        assert isinstance(one(only).outcome(), Undefined)
    assert precision_at_recall(only).outcome().number == 1.0
    none = ScoreTable(np.array([0.9, 0.1]), np.array([0, 0]), np.array([2, 1]))
    for one in (recall_at_specificity, specificity_at_recall, precision_at_recall):
        assert isinstance(one(none).outcome(), Undefined)
