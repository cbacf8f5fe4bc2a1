"""What recalibration would give: the Brier score taken apart by the best rising recalibration.

The CORP decomposition of Dimitriadis, Gneiting and Jordan (2021). Scores are replaced by r, the
shares of positives that pooling of adjacent violators gives: of all ways to recalibrate that keep
the order of the scores, the one with the least Brier score on these rows. With the prevalence
stated for every row as the other mark, Brier score = miscalibration - discrimination + uncertainty.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.metrics.declare import Goal, Interval, Kind, Shows, metric
from evalreport.metrics.formula import Cell, Expression, Nothing, Ratio, ratio
from evalreport.metrics.probabilities import NO_ROW
from evalreport.metrics.tables import ScoreTable

Floats = npt.NDArray[np.float64]

CORP = (
    "Dimitriadis T., Gneiting T., Jordan A. Stable reliability diagrams for probabilistic "
    "classifiers. PNAS 118, 2021"
)
NOT_AVERAGED = "it belongs to the probability of one class"
#: The Brier score of the prevalence where it is one half, which no recalibrated score exceeds.
MOST = 0.25
#: Of what is recalibrated on the rows that it is judged on.
FITTED_HERE = (
    "the recalibration is fitted to the rows that it is judged on, so it follows chance, and that "
    "on resamples follows it further: their limits leave out the truth"
)


def stretches(
    positives: Any, negatives: Any
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Which entries of a score table hold rows, and the pooled stretches of these.

    ``positives`` and ``negatives``: counts at each score, highest first, shape (D,). Within a
    stretch the share of positives is one number, and it falls from stretch to stretch: they are
    the edges of the convex hull of the ROC curve (Fawcett, Niculescu-Mizil 2007). Given are how
    many entries each one has, and its positives and negatives.
    """
    from scipy.optimize import isotonic_regression

    total = positives + negatives
    held = total > 0
    share = positives[held] / total[held]
    weights = total[held].astype(np.float64)
    edges = isotonic_regression(share, weights=weights, increasing=False).blocks
    p, n = (np.add.reduceat(part[held], edges[:-1]) for part in (positives, negatives))
    return held, np.diff(edges), p, n


def recalibrated(positives: Any, negatives: Any) -> Floats:
    """The recalibrated probability at each score, shape (D,); 0 where there is no row.

    Barlow et al. Statistical Inference under Order Restrictions, 1972.

    >>> recalibrated(np.array([1, 1, 0]), np.array([1, 0, 2])).round(3).tolist()
    [0.667, 0.667, 0.0]
    """
    found = np.zeros(len(positives))
    if not (positives + negatives).any():
        return found
    held, sizes, p, n = stretches(positives, negatives)
    found[held] = np.repeat(p / (p + n), sizes)
    return found


def _best(s: ScoreTable) -> Floats:
    """Recalibrated probabilities of a table or of each of a stack, shape (..., D)."""
    if not s.stacked:
        return recalibrated(s.positives, s.negatives)
    tables = zip(s.positives, s.negatives, strict=True)
    return np.array([recalibrated(*one) for one in tables]).reshape(s.positives.shape)


def _squares(s: ScoreTable, probabilities: Any) -> Any:
    """Squared distances of probabilities from what happened, added up at each score."""
    return s.positives * (probabilities - 1) ** 2 + s.negatives * probabilities**2


def _saved(s: ScoreTable, name: str, probabilities: Any) -> Cell:
    """What recalibration saves against these probabilities, in squares added up.

    Never below 0, but for the rounding that is taken off here.
    """
    saved = s.cell(name, _squares(s, probabilities) - _squares(s, _best(s)))
    return Cell(name, np.maximum(saved.value, 0.0) if s.stacked else max(saved.value, 0.0))


def _prevalence(s: ScoreTable) -> Any:
    """The share of positives, to be held against each score; 0 of no row."""
    p, n = np.asarray(s.positive_total), np.asarray(s.negative_total)
    share = np.divide(p, p + n, out=np.zeros(np.shape(p)), where=(p + n) > 0)
    return share[..., None]


#: Parts of the Brier score by a recalibration that is fitted to the rows.
_part_of_brier = partial(
    metric,
    kind=Kind.PROBABILITY,
    no_average=NOT_AVERAGED,
    interval=Interval.FITTED,
    no_interval=FITTED_HERE,
    undefined=NO_ROW,
    reference=CORP,
)


@_part_of_brier(
    title="Miscalibration (Brier score)",
    aliases=("mcb", "miscalibration"),
    goal=Goal.MINIMIZE,
    use="to show how much of the Brier score recalibration would remove",
    avoid="on few rows: recalibration then follows chance, and the value is too high",
    shows=Shows.CALIBRATION,
)
def brier_miscalibration(s: ScoreTable) -> Expression:
    """How far the Brier score falls with r, the best recalibration that keeps the scores' order.

    r is the share of positives by pooling of adjacent violators.

    >>> s = ScoreTable(np.array([0.5, 0.25]), np.array([1, 0]), np.array([0, 1]))
    >>> brier_miscalibration(s).substituted(), brier_miscalibration(s).outcome()
    ('0.3125 / 2', Value(0.15625))
    """
    return ratio(_saved(s, "sum((p - y)^2 - (r - y)^2)", s.scores), s.rows)


@_part_of_brier(
    title="Discrimination (Brier score)",
    aliases=("dsc",),
    bounds=(0.0, MOST),
    best=math.nan,
    use="to show how much information the order of the scores carries, whatever their scale",
    avoid="across samples of different prevalence: it can be no larger than their uncertainty",
    chance=0.0,
)
def brier_discrimination(s: ScoreTable) -> Expression:
    """How far r, recalibrated in the order of the scores, brings the prevalence's Brier score down.

    r is the best recalibration that keeps the order of the scores: the share of positives by
    pooling of adjacent violators.

    >>> s = ScoreTable(np.array([0.5, 0.25]), np.array([1, 0]), np.array([0, 1]))
    >>> brier_discrimination(s).outcome()
    Value(0.25)
    """
    return ratio(_saved(s, "sum((prevalence - y)^2 - (r - y)^2)", _prevalence(s)), s.rows)


@metric(
    title="Uncertainty (Brier score)",
    aliases=("unc",),
    kind=Kind.PROBABILITY,
    goal=Goal.DESCRIBE,
    bounds=(0.0, MOST),
    no_average=NOT_AVERAGED,
    no_interval="it describes these rows: it follows from their prevalence, which has an interval",
    undefined=NO_ROW,
    use="as the Brier score to beat: the prevalence as the prediction for every row",
    avoid="as a measure of the model: it is the same for all",
    reference=CORP,
)
def brier_uncertainty(s: ScoreTable) -> Expression:
    """The Brier score of the prevalence, stated for every row.

    >>> brier_uncertainty(ScoreTable(np.array([0.5]), np.array([1]), np.array([3]))).substituted()
    '1 * 3 / (4 * 4)'
    """
    s = s.without_overflow()
    return ratio(s.actual_positives * s.actual_negatives, s.rows * s.rows)


@_part_of_brier(
    title="Brier score after recalibration",
    aliases=("recalibrated_brier",),
    goal=Goal.MINIMIZE,
    bounds=(0.0, MOST),
    use="as the best Brier score that a recalibration in the order of these scores could reach",
    avoid="as what a recalibration will reach: it is fitted to these very rows",
)
def brier_recalibrated(s: ScoreTable) -> Ratio | Nothing:
    """The Brier score of r, the best recalibration of these rows that keeps the scores' order.

    Uncertainty less discrimination. r is the share of positives by pooling of adjacent violators.

    >>> s = ScoreTable(np.array([0.75, 0.5, 0.25]), np.array([0, 1, 0]), np.array([1, 0, 1]))
    >>> round(brier_recalibrated(s).outcome().number, 12)
    0.166666666667
    """
    return ratio(s.cell("sum((r - y)^2)", _squares(s, _best(s))), s.rows)
