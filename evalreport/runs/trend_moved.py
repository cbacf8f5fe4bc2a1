"""What moved where a course of runs changed: shares, scores, calibration, the mix of subgroups."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evalreport.engine.periods.charts import calibration_moved, moved_mix, scores_moved
from evalreport.metrics.tables import ScoreTable
from evalreport.results.records import Moved
from evalreport.statistics.shift import Sample, kolmogorov_smirnov

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RecordedScores:
    """The scores of a model on a dataset as one run keeps them.

    ``table`` holds distinct scores, or bins that begin at each where ``in_bins``;
    ``probabilities``: whether scores are.
    """

    table: ScoreTable
    probabilities: bool
    in_bins: bool = False

    @cached_property
    def rows(self) -> Floats:
        """The rows with each score."""
        return np.asarray(self.table.positives + self.table.negatives, np.float64)

    @cached_property
    def sums(self) -> tuple[float, float, float, float]:
        """Rows, and the sums over rows of the score, of outcome minus score, and of its square."""
        scores = np.asarray(self.table.scores, np.float64)
        up, down = (
            np.asarray(side, np.float64) for side in (self.table.positives, self.table.negatives)
        )
        return (
            math.fsum(self.rows),
            math.fsum(scores * self.rows),
            math.fsum((1.0 - scores) * up - scores * down),
            math.fsum((1.0 - scores) ** 2 * up + scores**2 * down),
        )

    def binned(self, grid: Floats) -> Floats:
        """Rows from each point of a grid up to the next; those below it count at its first point.

        Rows of a bin lie evenly in it.
        """
        pairs = list(zip(self.table.scores[::-1].tolist(), self.rows[::-1].tolist(), strict=True))
        below = Sample(pairs, self.in_bins).rows_below(grid[1:])
        return np.diff(below, prepend=0.0, append=self.sums[0])


def moved_scores_of_runs(
    before: Sequence[RecordedScores | None], after: Sequence[RecordedScores | None]
) -> list[Moved]:
    """How scores lie before and since; of probabilities also how far from outcomes.

    Nothing where a run keeps no scores. Where any keeps bins all are put into those of the run
    with fewest, so that the distance may be off by the share of a bin, and calibration, which
    needs each score, is left out.
    """
    sides = [[one for one in side if one is not None] for side in (before, after)]
    every = [one for side in sides for one in side]
    if not all(sides) or len(every) < len(before) + len(after):
        return []
    binned = [one.table.scores for one in every if one.in_bins]
    grid = np.unique(min(binned, key=len) if binned else np.concatenate(
        [one.table.scores for one in every]))  # fmt: skip
    counts = [np.sum([one.binned(grid) for one in side], axis=0) for side in sides]
    sums = [np.sum([one.sums for one in side], axis=0) for side in sides]
    totals = [side @ grid for side in counts] if binned else [own[1] for own in sums]
    means = [
        float(total / own[0]) if own[0] else None for total, own in zip(totals, sums, strict=True)
    ]
    found = [scores_moved(means[0], means[1], kolmogorov_smirnov(*counts))]
    if not binned and all(one.probabilities for one in every):
        found.append(calibration_moved(*map(_excess, sums)))
    return found


def _excess(sums: Floats) -> tuple[float, float]:
    """Mean of outcome minus score, and the variance of that mean."""
    rows, _, excess, squares = map(float, sums)
    if rows < 2:
        return 0.0, 0.0
    mean = excess / rows
    return mean, max(squares - rows * mean * mean, 0.0) / (rows - 1.0) / rows


def moved_mixes(
    before: Sequence[tuple[str, str, float]], after: Sequence[tuple[str, str, float]]
) -> list[Moved]:
    """Whether the values of each column are mixed as before; of column, value and rows."""
    sides: list[Counter[tuple[str, str]]] = [Counter(), Counter()]
    for side, mix in zip(sides, (before, after), strict=True):
        for column, value, rows in mix:
            side[column, value] += rows  # type: ignore[assignment]
    places = sorted({place for side in sides for place in side})
    return [
        one
        for column in dict.fromkeys(column for column, _ in places)
        for one in moved_mix(column, [(sides[0][p], sides[1][p]) for p in places if p[0] == column])
    ]
