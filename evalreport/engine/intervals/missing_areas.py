"""Worst and best case of the area under the ROC curve, with the rows that lack something.

At best a positive without a score ranks above all others and a negative below; a row with a
score and no target is a positive if it ranks high enough; a row without either is of the
class that makes the share of lost pairs least. At worst it is the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.lost import Lost
from evalreport.metrics.declare import Interval, Metric
from evalreport.metrics.tables import ScoreTable
from evalreport.results.records import Fraction, MissingBounds

Floats = npt.NDArray[np.float64]

#: Rows with a score and no target up to which every cut between them is tried.
MOST_SCORED = 1_000_000


@dataclass(frozen=True)
class Ranked:
    """What the rows of a slice lack that ranks them, one class against the rest.

    ``positives`` and ``negatives``: rows, or weights, without a score. ``scored``: scores of
    the rows without a target. ``unknown``: rows without either.
    """

    positives: float
    negatives: float
    scored: Floats
    unknown: float


def ranked(lost: Lost, inside: npt.NDArray[np.bool_], index: int, columns: bool) -> Ranked | None:
    """The rows of a slice that lack something; None where there is no telling.

    ``columns``: there is one column of scores per class, and what a row without a target
    scores in the column of this class is not kept: it may be anything.
    """
    actual, weight, score = lost.actual[inside], lost.weight[inside], lost.score[inside]
    silent = np.isnan(score) if not columns else np.ones(len(score), np.bool_)
    known = actual >= 0
    whole = np.issubdtype(weight.dtype, np.integer)
    with_score = ~known & ~silent
    if not whole and bool(np.any(~known)):
        return None
    if int(weight[with_score].sum()) > MOST_SCORED:
        return None
    scored = np.repeat(score[with_score], weight[with_score].astype(np.intp))
    return Ranked(
        positives=float(weight[known & silent & (actual == index)].sum()),
        negatives=float(weight[known & silent & (actual != index)].sum()),
        scored=np.sort(scored)[::-1],
        unknown=float(weight[~known & silent].sum()),
    )


def area_bounds(metric: Metric, table: ScoreTable, missing: Ranked) -> MissingBounds | None:
    """The least and the greatest area, each with the pairs won and all pairs.

    None for what is no area, or no straight line of one that has bounds of its own.
    """
    least, most = metric.bounds
    if metric.interval is not Interval.AUC or not np.isfinite([least, most]).all():
        return None
    won, pairs = _best(table.scores, table.positives, table.negatives, missing)
    turned = Ranked(missing.positives, missing.negatives, -missing.scored[::-1], missing.unknown)
    lost, other = _best(-table.scores[::-1], table.positives[::-1], table.negatives[::-1], turned)
    return MissingBounds(
        low=_told(other - lost, other, least, most), high=_told(won, pairs, least, most)
    )


def _told(won: float, pairs: float, least: float, most: float) -> Fraction:
    numerator = least * pairs + (most - least) * won
    return Fraction(numerator / pairs, _plain(numerator), _plain(pairs))


def _plain(number: float) -> float | int:
    return int(number) if float(number).is_integer() else float(number)


def _best(scores: Floats, positives: Any, negatives: Any, missing: Ranked) -> tuple[float, float]:
    """Pairs won and all pairs where the area is greatest; ties count half."""
    t, m = missing.scored, len(missing.scored)
    p, n = float(positives.sum()), float(negatives.sum())
    above = np.concatenate([[0.0], np.cumsum(positives)]).astype(np.float64)
    over = np.concatenate([[0.0], np.cumsum(negatives)]).astype(np.float64)
    known = float(np.sum(positives * (n - over[:-1] - negatives / 2)))
    first = np.searchsorted(-scores, -t, "left")
    last = np.searchsorted(-scores, -t, "right")
    # what a row with such a score would win as a positive, and as a negative
    as_positive = n - (over[first] + over[last]) / 2
    as_negative = (above[first] + above[last]) / 2
    k = np.arange(m + 1)
    gained = np.concatenate([[0.0], np.cumsum(as_positive)])
    left = as_negative.sum() - np.concatenate([[0.0], np.cumsum(as_negative)])
    won = known + gained + left + k * (m - k) - _tied(t) / 2
    own, other = p + k, n + m - k
    lost = own * other - won
    # of the rows without anything, so many positives that there are most pairs
    free, more, less = missing.unknown, missing.positives, missing.negatives
    extra = np.clip(np.round((other + less + free - own - more) / 2), 0, free)
    pairs = (own + more + extra) * (other + less + free - extra)
    best = int(np.argmin(lost / pairs))
    return float(pairs[best] - lost[best]), float(pairs[best])


def _tied(t: Floats) -> Floats:
    """Pairs of equal scores that a cut after the k-th score parts, for k from 0 to all."""
    parted = np.zeros(len(t) + 1)
    if len(t):
        start = np.searchsorted(-t, -t, "left")
        stop = np.searchsorted(-t, -t, "right")
        k = np.arange(1, len(t) + 1)
        parted[1:] = (k - start) * (stop - k)
    return parted
