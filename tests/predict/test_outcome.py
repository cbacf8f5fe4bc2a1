"""Out-of-fold predictions as values: counts per fold, repeats apart, thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evalreport.engine.folds import mean_over_folds
from evalreport.engine.metric_values import Evaluated
from evalreport.metrics.formula import Undefined, Value
from evalreport.predict.outcome import (
    FoldedPredictions,
    FoldFailure,
    Output,
    repeat_summary,
)

FIVE = [(11, 20), (17, 20), (16, 20), (13, 20), (16, 20)]


def folded(**changes: Any) -> FoldedPredictions:
    given: dict[str, Any] = {
        "model": "m",
        "labels": ("no", "yes"),
        "positive": 1,
        "row": np.arange(4),
        "repeat": np.zeros(4, int),
        "fold": np.array([0, 0, 1, 1]),
        "folds": ("1", "2"),
        "output": Output("score", score=np.array([0.2, 0.5, 0.7, 0.1])),
        "fold_sizes": {"1": (2, 2), "2": (2, 2)},
    }
    return FoldedPredictions(**(given | changes))


def test_worked_example_of_five_folds():
    shares = [Evaluated(Value(right / tested), "", "") for right, tested in FIVE]
    mean = mean_over_folds(list("12345"), shares)
    assert isinstance(mean.outcome, Value)
    assert mean.outcome.number == pytest.approx(0.73, abs=1e-15)
    undefined = [Evaluated(Undefined("there is no row"), "", "")] * 6
    lacking = mean_over_folds(list("1234567"), [*shares[:1], *undefined])
    assert str(lacking.note).endswith("left out of the mean: 2, 3, 4, 5, 6 and 1 more")


def test_score_equal_to_the_threshold_is_positive():
    score = Output("score", score=np.array([0.5, 0.4, 0.51]))
    assert score.labels_at().tolist() == [1, 0, 1]
    assert score.labels_at(0.51).tolist() == [0, 0, 1]
    margin = Output("margin", score=np.array([0.0, -0.1]))
    assert margin.labels_at().tolist() == [1, 0]
    assert margin.labels_at(positive=0).tolist() == [0, 1]


def test_repeats_are_taken_apart_with_their_own_folds():
    made = folded(
        row=np.array([1, 0, 0, 1]),
        repeat=np.array([0, 0, 1, 1]),
        fold=np.array([0, 1, 2, 3]),
        folds=("r1f1", "r1f2", "r2f1", "r2f2"),
        fold_sizes=dict.fromkeys(("r1f1", "r1f2", "r2f1", "r2f2"), (1, 1)),
    )
    second = made.of_repeat(1)
    assert (second.row.tolist(), second.folds) == ([0, 1], ("r2f1", "r2f2"))
    assert second.fold.tolist() == [0, 1]
    assert second.output.score.tolist() == [0.7, 0.1]
    assert made.of_repeat(0).output.score.tolist() == [0.5, 0.2]
    assert set(second.fold_sizes) == {"r2f1", "r2f2"}


def test_failures_are_named():
    assert str(FoldFailure("forest", "3", "why")) == "model 'forest', fold 3: why"
    text = str(FoldFailure("forest", "repeat 2 fold 3", "why"))
    assert text == "model 'forest', repeat 2 fold 3: why"
    assert not folded(failures=(FoldFailure("m", "1", "why"),)).complete


def test_summary_of_repeats_skips_and_counts_what_is_undefined():
    summary = repeat_summary([0.5, None, 0.7])
    assert summary.mean == pytest.approx(0.6, abs=1e-15)
    assert (summary.low, summary.high) == (0.5, 0.7)
    assert summary.reason == "undefined in 1 of 3 repeats"
    assert repeat_summary([0.5]).spread is None
