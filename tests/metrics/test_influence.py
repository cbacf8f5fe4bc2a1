"""Influence of a row: derivatives of the metrics themselves by the weight of one row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from finite_differences import count_gradient

from evalreport.metrics import calibration, influence, precision_recall, ranking
from evalreport.metrics.catalogue import find
from evalreport.metrics.tables import ScoreTable

METRICS = {
    "average_precision": (precision_recall.average_precision, influence.average_precision),
    "pr_auc": (precision_recall.pr_auc, influence.pr_auc),
    "roc_auc": (ranking.roc_auc, influence.roc_auc),
    "gini": (ranking.gini, influence.gini),
    "ks": (ranking.ks, influence.ks),
}
#: Positives and negatives at each score, highest first.
TABLES = {
    "ties": [[3, 2, 4, 1, 2], [1, 2, 3, 4, 5]],
    "each score of one class": [[4, 0, 3, 0, 2, 0], [0, 1, 0, 5, 0, 3]],
    "best is not flagged": [[1, 2, 2], [5, 3, 1]],
    "two scores": [[5, 2], [1, 7]],
    "one score": [[3], [5]],
}


def table_of(counts: Any) -> ScoreTable:
    positives, negatives = np.asarray(counts)
    return ScoreTable(np.linspace(0.9, 0.1, len(positives)), positives, negatives)


def slopes(metric: Callable[[ScoreTable], Any], counts: list[list[int]]) -> Any:
    found = count_gradient(lambda moved: metric(table_of(moved)).outcome().number, counts)
    assert found is not None
    return found


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("rows", TABLES)
def test_influence_is_the_derivative_by_the_weight_of_a_row(name: str, rows: str) -> None:
    metric, derivative = METRICS[name]
    counts = TABLES[rows]
    expected = slopes(metric, counts)
    found = np.array(derivative(table_of(counts)))
    # only what rows there are have an influence
    held = np.array(counts) > 0
    assert found.shape == expected.shape
    assert found[held] == pytest.approx(expected[held], rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("name", METRICS)
def test_influences_of_all_rows_of_a_class_add_up_to_zero(name: str) -> None:
    """No metric of a ranking of rates changes where a sample is taken twice."""
    counts = np.array(TABLES["ties"])
    found = np.array(METRICS[name][1](table_of(counts)))
    assert float(np.sum(counts * found)) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("name", METRICS)
def test_the_declarations_name_their_influence(name: str) -> None:
    declared = find(name)
    assert declared is not None
    assert declared.influence is METRICS[name][1]


def test_ks_by_hand() -> None:
    """TPR 0.8 and FPR 0.2 at the first score: (1 - 0.8) / 5 and -0.8 / 5, minus for the rest."""
    positive, negative = influence.ks(table_of([[4, 1], [1, 4]]))
    assert positive.tolist() == pytest.approx([0.04, -0.16])
    assert negative.tolist() == pytest.approx([-0.16, 0.04])


@pytest.mark.parametrize(
    "params",
    [
        {"max_fpr": 0.31},
        {"max_fpr": 1.0},
        {"max_fpr": 0.31, "standardized": True},
        {"min_tpr": 0.43},
        {"min_tpr": 0.43, "standardized": True},
    ],
)
@pytest.mark.parametrize("rows", TABLES)
def test_influence_on_a_part_of_the_area(rows: str, params: dict[str, Any]) -> None:
    counts = TABLES[rows]
    expected = slopes(lambda table: ranking.partial_auc(table, **params), counts)
    found = np.array(influence.partial_auc(table_of(counts), **params))
    held = np.array(counts) > 0
    assert found[held] == pytest.approx(expected[held], rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("bins", [3, 10])
def test_influence_on_the_expected_calibration_error(bins: int) -> None:
    counts = [[3, 2, 4, 1, 2], [1, 2, 3, 4, 5]]
    expected = slopes(lambda table: calibration.ece(table, bins=bins), counts)
    found = influence.ece(table_of(counts), bins=bins)
    assert np.array(found) == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert influence.ece(table_of(counts), strategy="quantile") is None
