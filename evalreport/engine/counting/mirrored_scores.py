"""The score table of the other of two classes, from the one score there is."""

from __future__ import annotations

from evalreport.metrics.declare import Kind
from evalreport.metrics.tables import ScoreTable, joined


def mirrored(table: ScoreTable, kind: Kind) -> ScoreTable:
    """The score table of the other of two classes: 1 - p of a probability, else -s.

    >>> import numpy as np
    >>> table = ScoreTable(np.array([0.75, 0.25]), np.array([2, 1]), np.array([0, 4]))
    >>> other = mirrored(table, Kind.PROBABILITY)
    >>> other.scores.tolist(), other.positives.tolist(), other.negatives.tolist()
    ([0.75, 0.25], [4, 0], [1, 2])
    """
    scores = (1.0 - table.scores if kind is Kind.PROBABILITY else -table.scores)[::-1] + 0.0
    turned = [own[..., ::-1] for own in table.parts]
    # two small probabilities may have one complement
    return joined(scores, *reversed(turned[:2]), *reversed(turned[2:]))
