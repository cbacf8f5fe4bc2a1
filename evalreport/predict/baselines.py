"""Trivial predictions to stand beside every model: what is reached without looking at a row."""

from __future__ import annotations

from typing import Literal

import numpy as np

from evalreport.predict.outcome import Codes, FoldedPredictions, Output, stack_outputs
from evalreport.predict.split import Splits

Baseline = Literal["majority_class", "prevalence", "stratified_random"]
BASELINES: tuple[Baseline, ...] = ("majority_class", "prevalence", "stratified_random")

#: Said of a baseline that has no training rows of its own.
OF_THE_SAME_ROWS = (
    "there are no training rows, so the baseline takes the class shares of the rows it is "
    "judged on, which flatters it a little"
)


def baseline_output(
    kind: Baseline, train: Codes, rows: int, classes: int, positive: int | None, seed: int = 0
) -> Output:
    """What a baseline says of ``rows`` rows after it has seen the labels ``train``.

    ``majority_class``: the label seen most often, ties to the first. ``prevalence``: the
    share of each class as its score. ``stratified_random``: labels drawn with those
    shares from ``seed``.

    >>> baseline_output("majority_class", np.array([0, 1, 1]), 2, 2, 1).predicted.tolist()
    [1, 1]
    >>> baseline_output("prevalence", np.array([0, 1, 1, 1]), 2, 2, 1).score.tolist()
    [0.75, 0.75]
    """
    if not len(train):
        raise ValueError("a baseline needs at least one label")
    counts = np.bincount(train, minlength=classes)
    shares = counts / len(train)
    if kind == "majority_class":
        return Output("prediction", np.full(rows, int(counts.argmax()), np.int64))
    if kind == "prevalence":
        scores = np.tile(shares, (rows, 1))
        if classes > 2:
            return Output("scores", scores.argmax(axis=1).astype(np.int64), None, scores)
        side = classes - 1 if positive is None else positive
        return Output("score", score=scores[:, side].copy(), class_scores=scores)
    drawn = np.random.default_rng(seed).random(rows)
    # The last cut is 1 whatever rounding left.
    cuts = np.cumsum(counts) / len(train)
    return Output("prediction", np.searchsorted(cuts, drawn, side="right").astype(np.int64))


def folded_baseline(
    kind: Baseline,
    actual: Codes,
    labels: tuple[str, ...],
    positive: int | None,
    splits: Splits,
) -> FoldedPredictions:
    """A baseline that knows the labels of each fold's training rows only."""
    made = splits.splits
    outputs = [
        baseline_output(
            kind,
            actual[split.train],
            len(split.test),
            len(labels),
            positive,
            _seed(splits.scheme.seed, place),
        )
        for place, split in enumerate(made)
    ]
    sizes = [len(split.test) for split in made]
    return FoldedPredictions(
        model=kind,
        labels=labels,
        positive=positive,
        row=np.concatenate([split.test for split in made]),
        repeat=np.repeat([split.repeat for split in made], sizes).astype(np.int64),
        fold=np.repeat(np.arange(len(made)), sizes).astype(np.int64),
        folds=tuple(split.name for split in made),
        output=stack_outputs(outputs),
        fold_sizes=splits.sizes,
        partition=splits.partition,
        pooled_only=splits.pooled_only,
    )


def _seed(seed: int, place: int) -> int:
    """Another seed for each fold, so that folds are not drawn alike."""
    return int(np.random.SeedSequence([seed, place]).generate_state(1, np.uint64)[0])
