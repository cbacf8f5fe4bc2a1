"""Influence functions of metrics of ranked scores.

The influence of a row is the derivative of the metric by its weight (Hampel F. et al.
Robust Statistics, 1986, section 2.1); rows at one score and of one class share theirs.
Each function gives it for a positive and for a negative row at every score, shape (D,).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.metrics.probability_bins import uniform_bins
from evalreport.metrics.tables import ScoreTable
from evalreport.statistics.exact_sums import sum_of_parts

Floats = npt.NDArray[np.float64]


def average_precision(table: ScoreTable) -> tuple[Floats, Floats]:
    """Derivatives of average precision by the weight of a positive and a negative row."""
    tp, fp = (np.asarray(own, float) for own in (table.true_positives, table.false_positives))
    total = float(table.positive_total)
    flagged = tp + fp
    precision = tp / flagged
    positives = table.positives
    value = sum_of_parts(lambda at: positives[at] * precision[at], len(positives)) / total
    np.square(flagged, out=flagged)
    tp *= table.positives
    fp *= table.positives
    tp /= flagged
    fp /= flagged
    precision += _tail(fp)
    precision -= value
    precision /= total
    by_fp = _tail(tp)
    by_fp /= -total
    return precision, by_fp


def pr_auc(table: ScoreTable) -> tuple[Floats, Floats]:
    """The same for the trapezoid area; of a single point that area is its precision."""
    if len(table.scores) == 1:
        return average_precision(table)
    pos = table.positives.astype(np.float64)
    tp, fp = (np.asarray(own, float) for own in (table.true_positives, table.false_positives))
    total = float(table.positive_total)
    flagged = tp + fp
    precision = tp / flagged
    before = np.concatenate([[1.0], precision[:-1]])
    value = float(np.sum(pos * (precision + before) / 2)) / total
    after = np.concatenate([pos[1:], [0.0]])
    weight = (pos + after) / 2
    by_tp = _tail(weight * fp / flagged**2)
    by_fp = _tail(weight * tp / flagged**2)
    return ((precision + before) / 2 + by_tp - value) / total, -by_fp / total


def ks(table: ScoreTable) -> tuple[Floats, Floats]:
    """The same for KS, with the place of the largest distance held fixed."""
    p, n = float(table.positive_total), float(table.negative_total)
    tpr, fpr = table.true_positives / p, table.false_positives / n
    distance = tpr - fpr
    best = int(np.argmax(np.abs(distance)))
    sign = 1.0 if distance[best] >= 0 else -1.0
    inside = (np.arange(len(distance)) <= best).astype(np.float64)
    return sign * (inside - tpr[best]) / p, -sign * (inside - fpr[best]) / n


def _tail(values: Floats) -> Floats:
    """Sums from each place to the end; overwrites ``values``."""
    return np.cumsum(values[::-1], out=values[::-1])[::-1]


def roc_auc(s: ScoreTable) -> tuple[Floats, Floats]:
    """DeLong's placements less the area, over the rows of the class.

    >>> s = ScoreTable(np.array([0.9, 0.1]), np.array([1, 1]), np.array([0, 2]))
    >>> [part.tolist() for part in roc_auc(s)]
    [[0.125, -0.125], [-0.25, 0.0]]
    """
    positives, negatives = np.asarray(s.positives, float), np.asarray(s.negatives, float)
    p, n = positives.sum(), negatives.sum()
    won = np.cumsum(negatives)
    np.subtract(n, won, out=won)
    won += negatives / 2
    won /= n
    area = sum_of_parts(lambda at: positives[at] * won[at], len(won)) / p
    won -= area
    won /= p
    lost = np.cumsum(positives)
    lost -= positives / 2
    lost /= p
    lost -= area
    lost /= n
    return won, lost


def gini(s: ScoreTable) -> tuple[Floats, Floats]:
    """Twice that of the area."""
    of_positive, of_negative = roc_auc(s)
    return 2 * of_positive, 2 * of_negative


def partial_auc(
    table: ScoreTable,
    *,
    max_fpr: float | None = None,
    min_tpr: float | None = None,
    standardized: bool = False,
) -> tuple[Floats, Floats]:
    """Of the area up to a false positive rate, or from a true positive rate on.

    The second is the first of the curve seen from its other end, classes exchanged.
    """
    if max_fpr is not None:
        width = max_fpr
        of_positive, of_negative = _area_to(table.positives, table.negatives, max_fpr)
    else:
        assert min_tpr is not None
        width = 1 - min_tpr
        turned = _area_to(table.negatives[::-1], table.positives[::-1], width)
        of_negative, of_positive = turned[0][::-1], turned[1][::-1]
    scale = 1 / (2 * (width - width * width / 2)) if standardized else 1.0
    return scale * of_positive, scale * of_negative


def _area_to(positives: Any, negatives: Any, most: float) -> tuple[Floats, Floats]:
    """Derivatives of the area left of a false positive rate, as a share of the unit square."""
    pos, neg = positives.astype(np.float64), negatives.astype(np.float64)
    p, n = pos.sum(), neg.sum()
    above, beside = np.cumsum(pos) - pos, np.cumsum(neg) - neg
    room = most * n - beside
    width = np.clip(room, 0, neg)
    part = np.divide(width, neg, out=np.zeros_like(neg), where=neg > 0)
    area = float(np.sum(width * (above + pos * part / 2)))
    by_positive = np.maximum(room - neg, 0) + width * part / 2
    # where the curve is cut: its height there moves with the number of negatives
    cut = int(np.argmax(room < neg)) if (room < neg).any() else len(neg)
    inside = np.arange(len(neg)) < cut
    height = above[cut] + pos[cut] * part[cut] if cut < len(neg) else p
    by_negative = (most - inside) * height + np.where(inside, above + pos / 2, 0.0)
    if cut < len(neg):
        by_negative[cut] -= pos[cut] * part[cut] ** 2 / 2
    return by_positive / (p * n) - area / (p * p * n), by_negative / (p * n) - area / (p * n * n)


def ece(
    table: ScoreTable, *, bins: int = 10, strategy: str = "uniform"
) -> tuple[Floats, Floats] | None:
    """Of the expected calibration error; None for quantile bins, whose edges the rows move."""
    if strategy != "uniform":
        return None
    place = uniform_bins(table.scores, bins)
    excess = table.positives - table.scores * (table.positives + table.negatives)
    side = np.sign(np.bincount(place, excess, bins))
    total = float(table.total)
    value = float(np.abs(np.bincount(place, excess, bins)).sum()) / total
    own = side[place]
    return (own * (1 - table.scores) - value) / total, (-own * table.scores - value) / total
