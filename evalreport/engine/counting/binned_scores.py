"""Score tables kept as histograms, and the exact bounds of what that can change.

A bin knows how many positives and negatives it holds and the lowest and highest
score that occurs in it. Everything at the edge of a bin is exact. What depends on
the order, or the values, of the scores within a bin lies between two bounds,
which are attained by some scores within the bins, so they cannot be narrower.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from evalreport.metrics.declare import Binned, Metric
from evalreport.metrics.tables import ScoreTable
from evalreport.values import dataclass

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BinnedScores(ScoreTable):
    """A score table whose entries are bins: ``scores`` their lowest scores, ``highs`` the highest.

    ``bins`` is the number of bins that was asked for.
    """

    highs: Floats | None = None
    bins: int = 0

    @cached_property
    def mixed(self) -> npt.NDArray[np.bool_]:
        """Which bins hold several distinct scores, shape (D,)."""
        assert self.highs is not None
        return np.asarray(self.highs > self.scores)

    @cached_property
    def middle(self) -> ScoreTable:
        """The table with each bin at the middle of its scores."""
        assert self.highs is not None
        return ScoreTable(
            self.scores + (self.highs - self.scores) / 2, self.positives, self.negatives
        )

    def split(self, positives_first: bool) -> ScoreTable:
        """The table with the positives of each mixed bin above, or below, its negatives.

        Scores are no more than their order. Shape (D + mixed bins,).
        """
        places = np.repeat(np.arange(len(self.scores)), 1 + self.mixed)
        second = np.concatenate([[False], places[1:] == places[:-1]])
        first = np.concatenate([second[1:], [False]])
        upper, lower = (first, second) if positives_first else (second, first)
        positives = np.where(lower, 0, self.positives[places])
        negatives = np.where(upper, 0, self.negatives[places])
        return ScoreTable(-np.arange(len(places), dtype=np.float64), positives, negatives)


def bounded(metric: Metric) -> bool:
    """Whether bounds of a metric are known for binned scores."""
    return metric.binned is not Binned.UNKNOWN or metric.row_loss is not None
