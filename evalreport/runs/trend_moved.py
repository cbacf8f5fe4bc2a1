"""What moved where a course of runs changed: shares, scores, calibration, the mix of subgroups.

Scores of hundreds of runs are counted once, run by run, in the same bins; what lies before a change
and since is then a sum over runs, so that every measure of a series can be asked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalreport.engine.periods.charts import calibration_moved, scores_moved
from evalreport.metrics.tables import ScoreTable
from evalreport.results.records import Moved
from evalreport.statistics.shift import Sample, kolmogorov_smirnov

#: Distinct scores of all runs up to which each is a bin of its own; of more, and of runs that keep
#: bins, the Kolmogorov-Smirnov distance may be off by the share of a bin.
MOST_BINS = 2000

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ScoresTold:
    """The scores of a model on a dataset as one run keeps them.

    ``table`` holds distinct scores, or bins that begin at each where ``in_bins``;
    ``probabilities``: whether scores are.
    """

    dataset: str
    model: str
    table: ScoreTable
    probabilities: bool
    in_bins: bool = False


class ScoresOfRuns:
    """The scores of one model on one dataset in the runs of a series, by the place of the run."""

    def __init__(self, told: Mapping[int, ScoresTold]) -> None:
        self._row = {place: row for row, place in enumerate(told)}
        tables = [one.table for one in told.values()]
        grid = _grid(list(told.values()))
        self._counts = np.array([_binned(one, grid) for one in told.values()])
        self._sums = np.array([_sums(table) for table in tables])
        in_bins = any(one.in_bins for one in told.values())
        self._calibrated = not in_bins and all(one.probabilities for one in told.values())
        if in_bins and tables:
            self._sums[:, 1] = self._counts @ grid

    def moved(self, before: Sequence[int], after: Sequence[int]) -> list[Moved]:
        """How scores lie before and since; of probabilities also how far from outcomes.

        Nothing where a run does not tell its scores. Calibration needs each score: it is not told
        of scores in bins.
        """
        if not before or not after or any(place not in self._row for place in (*before, *after)):
            return []
        sides = [[self._row[place] for place in side] for side in (before, after)]
        one, other = (self._sums[side].sum(axis=0) for side in sides)
        ks = kolmogorov_smirnov(*(self._counts[side].sum(axis=0) for side in sides))
        found = [scores_moved(_mean(one, 1), _mean(other, 1), ks)]
        if self._calibrated:
            found.append(calibration_moved(_excess(one), _excess(other)))
        return found


def _grid(told: Sequence[ScoresTold]) -> Floats:
    """The lower ends of the bins, ascending: those of the run with fewest, where runs have bins."""
    binned = [one.table.scores for one in told if one.in_bins]
    if binned:
        return np.unique(min(binned, key=len))
    if not told:
        return np.empty(0)
    values = np.unique(np.concatenate([one.table.scores for one in told]))
    if len(values) <= MOST_BINS:
        return values
    # as many scores of the runs in each bin, as far as ties allow
    pooled = np.sort(np.concatenate([one.table.scores for one in told]))
    return np.unique(pooled[np.linspace(0, len(pooled) - 1, MOST_BINS).astype(np.intp)])


def _binned(told: ScoresTold, grid: Floats) -> Floats:
    """Rows from each point of the grid up to the next; those below the grid count at its first.

    Rows of a run's own bin lie evenly in it.
    """
    table = told.table
    rows = table.positives + table.negatives
    pairs = list(zip(table.scores[::-1].tolist(), rows[::-1].tolist(), strict=True))
    below = Sample(pairs, told.in_bins).rows_below(grid[1:])
    return np.diff(below, prepend=0.0, append=math.fsum(rows))


def _sums(table: ScoreTable) -> tuple[float, float, float, float]:
    """Rows, and the sums over rows of the score, of outcome minus score, and of its square."""
    scores = np.asarray(table.scores, np.float64)
    up, down = (np.asarray(own, np.float64) for own in (table.positives, table.negatives))
    return (
        math.fsum(up + down),
        math.fsum(scores * (up + down)),
        math.fsum((1.0 - scores) * up - scores * down),
        math.fsum((1.0 - scores) ** 2 * up + scores**2 * down),
    )


def _mean(sums: Floats, which: int) -> float | None:
    return float(sums[which] / sums[0]) if sums[0] else None


def _excess(sums: Floats) -> tuple[float, float]:
    """Mean of outcome minus score, and the variance of that mean."""
    rows, _, excess, squares = map(float, sums)
    if rows < 2:
        return 0.0, 0.0
    mean = excess / rows
    return mean, max(squares - rows * mean * mean, 0.0) / (rows - 1.0) / rows
