"""What training will give, told without fitting anything: how many fits, and of what kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from evalreport.predict.cross_validation import Recipe, prepare_estimator
from evalreport.predict.features import FeatureTable
from evalreport.predict.outcome import (
    EVERY_FOLD,
    FoldedPredictions,
    FoldFailure,
    Output,
    Source,
)
from evalreport.predict.split import Splits


def fits_of_one(recipe: Recipe) -> int:
    """Fits that one training set costs: one, and with tuning one per candidate and inner fold.

    >>> fits_of_one(Recipe("m", "sklearn.dummy.DummyClassifier"))
    1
    """
    if recipe.tune is None:
        return 1
    return 1 + recipe.tune.folds * sum(1 for _ in recipe.tune.candidates())


def foreseen_source(estimator: Any, classes: int) -> Source:
    """What an estimator that is not fitted will give, by the methods that it has."""
    if hasattr(estimator, "predict_proba"):
        return "score" if classes <= 2 else "scores"
    return "margin" if classes == 2 and hasattr(estimator, "decision_function") else "prediction"


def foreseen(
    recipe: Recipe,
    table: FeatureTable,
    labels: Sequence[str],
    positive: int | None,
    splits: Splits,
) -> FoldedPredictions:
    """The shape of out-of-fold predictions; what stands in them is of no meaning.

    Good for planning only: rows, folds and the kind of output are those of a run, unless
    an estimator fails there. Raises SpecError for an unknown class or parameter.
    """
    prepared = prepare_estimator(recipe, table)
    made = splits.splits
    sizes = [len(split.test) for split in made]
    reason = "; ".join(str(problem) for problem in prepared.problems)
    source = foreseen_source(prepared.estimator, len(labels))
    return FoldedPredictions(
        model=recipe.model,
        labels=tuple(labels),
        positive=positive,
        row=np.concatenate([split.test for split in made]),
        repeat=np.repeat([split.repeat for split in made], sizes).astype(np.int64),
        fold=np.repeat(np.arange(len(made)), sizes).astype(np.int64),
        folds=tuple(split.name for split in made),
        output=None if reason else _placeholder(source, sum(sizes), len(labels)),
        fold_sizes=splits.sizes,
        partition=splits.partition,
        pooled_only=splits.pooled_only,
        failures=(FoldFailure(recipe.model, EVERY_FOLD, reason),) if reason else (),
    )


def _placeholder(source: Source, rows: int, classes: int) -> Output:
    codes = np.zeros(rows, np.int64)
    if source == "prediction":
        return Output("prediction", codes)
    if source == "margin":
        return Output("margin", score=np.zeros(rows))
    shares = np.full((rows, classes), 1 / classes)
    if source == "score":
        return Output("score", score=np.full(rows, 0.5), class_scores=shares)
    return Output("scores", codes, None, shares)
