"""Trivial predictions to stand beside every model: what is reached without looking at a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evalreport.predict.outcome import Codes, Output
from evalreport.statistics.resampling import generator

Baseline = Literal["majority_class", "prevalence", "stratified_random", "cheapest_class"]
#: Baselines of every dataset; ``cheapest_class`` joins them where mistakes have prices.
BASELINES: tuple[Baseline, ...] = ("majority_class", "prevalence", "stratified_random")
CHEAPEST: Baseline = "cheapest_class"

#: Said of every baseline. Shares of training folds would lean away from the class of the rows
#: left out, until the majority of leave-one-out is never right.
OF_THE_SAME_ROWS = (
    "the baselines use the class shares of the test rows, which flatters "
    "them a little and favours no model"
)


@dataclass(frozen=True, eq=False)
class Kinds:
    """Rows of the same actual class and the same output: ``rows`` of each kind, shape (c,)."""

    actual: Codes
    output: Output
    rows: Codes


def baseline_kinds(
    kind: Baseline,
    class_rows: Sequence[int],
    positive: int | None,
    seed: int = 0,
    prices: Sequence[Sequence[float]] | None = None,
) -> Kinds:
    """What a baseline says of rows of which no more is known than how many each class has.

    ``majority_class``: the class of most rows, ties to the first. ``prevalence``: the
    share of each class as its score. ``stratified_random``: labels drawn with those
    shares from ``seed``, so many of each for the rows of a class. ``cheapest_class``: the
    one answer for all rows that costs least by ``prices`` (K x K, actual by predicted), ties
    to the first. Nothing depends on the order of rows. Raises ValueError where there is none.

    >>> found = baseline_kinds("majority_class", [1, 2], 1)
    >>> found.actual.tolist(), found.output.predicted.tolist(), found.rows.tolist()
    ([0, 1], [1, 1], [1, 2])
    >>> baseline_kinds("prevalence", [1, 3], 1).output.score.tolist()
    [0.75, 0.75]
    >>> prices = [[0, 1], [10, 0]]  # ten false alarms cost as much as one miss
    >>> baseline_kinds("cheapest_class", [8, 1], 1, prices=prices).output.predicted.tolist()
    [1, 1]
    """
    counts = np.asarray(class_rows, np.int64)
    total = int(counts.sum())
    if not total:
        raise ValueError("a baseline needs at least one row")
    actual = np.flatnonzero(counts)
    rows, shares = counts[actual], counts / total
    if kind in {"majority_class", CHEAPEST}:
        gain = counts if kind == "majority_class" else -(counts @ np.asarray(prices, np.float64))
        predicted = np.full(len(actual), int(gain.argmax()), np.int64)
        return Kinds(actual, Output("prediction", predicted), rows)
    if kind == "prevalence":
        scores = np.tile(shares, (len(actual), 1))
        if len(counts) > 2:
            labels = scores.argmax(axis=1).astype(np.int64)
            return Kinds(actual, Output("scores", labels, None, scores), rows)
        side = len(counts) - 1 if positive is None else positive
        return Kinds(actual, Output("score", score=scores[:, side].copy()), rows)
    random = generator(seed, "baseline", kind)
    drawn = np.stack([random.multinomial(n, shares) for n in rows.tolist()])
    own, predicted = np.nonzero(drawn)
    output = Output("prediction", predicted.astype(np.int64))
    return Kinds(actual[own], output, drawn[own, predicted])
