"""The score table of the other of two classes, from the one score there is."""

from __future__ import annotations

from typing import Any

import numpy as np

from evalreport.metrics.declare import Kind
from evalreport.metrics.tables import ScoreTable


def mirrored(table: ScoreTable, kind: Kind) -> ScoreTable:
    """The score table of the other of two classes: 1 - p of a probability, else -s.

    >>> table = ScoreTable(np.array([0.75, 0.25]), np.array([2, 1]), np.array([0, 4]))
    >>> other = mirrored(table, Kind.PROBABILITY)
    >>> other.scores.tolist(), other.positives.tolist(), other.negatives.tolist()
    ([0.75, 0.25], [4, 0], [1, 2])
    """
    scores = (1.0 - table.scores if kind is Kind.PROBABILITY else -table.scores)[::-1] + 0.0
    # two small probabilities may have one complement
    starts = np.flatnonzero(np.concatenate([[True], scores[1:] != scores[:-1]]))
    starts = starts[: len(scores)]

    def turned(counts: Any) -> Any:
        if counts is None or not len(scores):
            return counts
        return np.add.reduceat(np.asarray(counts)[..., ::-1], starts, axis=-1)

    return ScoreTable(
        scores[starts],
        turned(table.negatives),
        turned(table.positives),
        turned(table.squares_negative),
        turned(table.squares_positive),
    )
