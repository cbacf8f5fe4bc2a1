"""Rows and predictions are two things: drawn splits test a row never, once or several times."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from plain_results import render_html
from sklearn.model_selection import ShuffleSplit

from tests.trap_runs import one, results_of

RANDOM = np.random.default_rng(0)
TRUTH = RANDOM.random(100) < 0.5
COLUMNS = {
    "y": np.where(TRUTH, "p", "n").tolist(),
    "x": (RANDOM.normal(size=100) + TRUTH).tolist(),
    "site": ["a" if i % 3 else "b" for i in range(100)],
}
MODEL = {"estimator": "sklearn.linear_model.LogisticRegression", "features": ["x"]}


def _made(scheme: dict[str, Any]) -> Any:
    return results_of(
        COLUMNS, MODEL, ["accuracy"], cross_validation=scheme, report={"characteristics": ["site"]}
    )


@pytest.fixture(scope="module")
def drawn() -> Any:
    return _made({"scheme": "shuffle_split", "folds": 30, "test_size": 6, "seed": 4})


def test_a_drawn_split_counts_each_row_once_and_its_predictions_apart(drawn: Any):
    state = np.random.RandomState(4)
    tested = Counter(
        row
        for _, test in ShuffleSplit(30, test_size=6, random_state=state).split(TRUTH)
        for row in test.tolist()
    )
    (rows,) = drawn["rows"]
    assert (rows["read"], rows["used"], rows["predictions"]) == (100, len(tested), 180)
    assert rows["excluded"] == [{"reason": "never tested", "count": 100 - len(tested)}]
    classes = Counter(COLUMNS["y"][row] for row in tested)
    assert {c["label"]: c["count"] for c in rows["classes"]} == dict(classes)
    assert "clusters" not in rows
    found = one(drawn, "accuracy", fold=None)
    assert found["denominator"] == 180
    # each row is a cluster of its predictions, and fewer than 100 rows were tested
    assert len(tested) < 100
    assert found["interval"]["method"] == "cluster_robust_t"


def test_characteristics_describe_rows_not_predictions(drawn: Any):
    (described,) = drawn["characteristics"]
    assert described["rows"] == drawn["rows"][0]["used"]


def test_the_page_tells_rows_from_predictions(drawn: Any):
    assert "predictions of used rows" in render_html(drawn)


def test_few_rows_tested_often_are_no_clusters_of_the_data():
    few = {name: column[:24] for name, column in COLUMNS.items()}
    scheme = {"scheme": "shuffle_split", "folds": 20, "test_size": 6}
    made = results_of(few, MODEL, ["accuracy"], cross_validation=scheme)
    told = [c["message"] for c in made["cautions"] if c["code"] == "few_clusters"]
    assert told == ["The 120 predictions are of 24 rows, some of them tested more than once."]


@pytest.mark.long
def test_repeats_are_said_to_be_predictions_of_the_same_rows():
    made = _made({"scheme": "stratified_k_fold", "folds": 4, "repeats": 3})
    (rows,) = made["rows"]
    assert (rows["read"], rows["used"], rows["predictions"], rows["repeats"]) == (100, 100, 100, 3)
    assert "in each of 3 repeats" in render_html(made)


def test_folds_that_test_every_row_once_say_nothing_of_predictions():
    assert "predictions" not in _made({"scheme": "k_fold", "folds": 4})["rows"][0]
