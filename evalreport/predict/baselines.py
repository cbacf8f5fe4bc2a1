"""Trivial predictions to stand beside every model: what is reached without looking at a row."""

from __future__ import annotations

from typing import Literal

import numpy as np

from evalreport.predict.outcome import Codes, Output

Baseline = Literal["majority_class", "prevalence", "stratified_random"]
BASELINES: tuple[Baseline, ...] = ("majority_class", "prevalence", "stratified_random")

#: Said of every baseline. Shares of training folds would lean away from the class of the rows
#: left out, until the majority of leave-one-out is never right.
OF_THE_SAME_ROWS = (
    "the baselines take the class shares of the rows that they are judged on, which flatters "
    "them a little and favours no model"
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
