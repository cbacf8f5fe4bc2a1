"""Curves of one class: plain columns of equal length, computed from a score table.

Every function takes a :class:`ScoreTable` that is not a stack and returns the
columns of its points, Python numbers or None, exact: nothing is thinned out here.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from evalreport.metrics.declare import outside_unit
from evalreport.metrics.tables import Counts, ScoreTable, summed
from evalreport.statistics.interval import z_value
from evalreport.statistics.proportions import wilson

Columns: TypeAlias = "dict[str, list[Any]]"

#: Threshold probabilities of a decision curve: 0.01, 0.02, ..., 0.99.
DECISION_THRESHOLDS = tuple(k / 100 for k in range(1, 100))


def roc(s: ScoreTable, *, drop_collinear: bool = False) -> Columns:
    """Points of the ROC curve, from nothing predicted positive (threshold None) to everything.

    Columns ``threshold``, ``fpr``, ``tpr``, ``tp``, ``fp``, and the numbers of actual
    positives ``p`` and negatives ``n`` that the rates are of. A rate of no rows is
    None. ``drop_collinear`` leaves out points on the straight line between their
    neighbours.

    >>> s = ScoreTable(np.array([0.8, 0.4]), np.array([1, 1]), np.array([0, 2]))
    >>> points = roc(s)
    >>> points["threshold"], points["fpr"], points["tpr"]
    ([None, 0.8, 0.4], [0.0, 0.0, 1.0], [0.0, 0.5, 1.0])
    """
    thresholds, tp, fp = _path(s)
    keep = _corners(tp, fp) if drop_collinear else range(len(tp))
    p, n = s.actual_positives.value, s.actual_negatives.value
    return {
        "threshold": [thresholds[k] for k in keep],
        "fpr": [_share(fp[k], n) for k in keep],
        "tpr": [_share(tp[k], p) for k in keep],
        "p": [p for _ in keep],
        "n": [n for _ in keep],
        "tp": [tp[k] for k in keep],
        "fp": [fp[k] for k in keep],
    }


def precision_recall(s: ScoreTable) -> Columns:
    """Recall and precision at each score; a point without a precision or recall does not exist.

    Columns ``threshold``, ``recall``, ``precision``, ``tp``, ``fp``. There is no
    point at recall 0 unless a score gives one.

    >>> s = ScoreTable(np.array([0.8, 0.4]), np.array([1, 1]), np.array([0, 2]))
    >>> precision_recall(s)["precision"]
    [1.0, 0.5]
    """
    thresholds, tp, fp = _path(s)
    p = s.actual_positives.value
    keep = [k for k in range(1, len(tp)) if tp[k] + fp[k] > 0 and p > 0]
    return {
        "threshold": [thresholds[k] for k in keep],
        "recall": [tp[k] / p for k in keep],
        "precision": [tp[k] / (tp[k] + fp[k]) for k in keep],
        "tp": [tp[k] for k in keep],
        "fp": [fp[k] for k in keep],
    }


#: The column of a curve that a band is of, by the kind of curve, and the rows it is a share of.
BANDS = {"roc": "tpr", "precision_recall": "precision", "smoothed_calibration": "observed"}
#: How the limits of a band are made, by its column.
BAND_METHODS = {"tpr": "wilson", "precision": "wilson", "observed": "normal"}


def with_band(kind: str, points: Mapping[str, Sequence[Any]], level: float) -> dict[str, Any]:
    """The points of a curve with the limits of its height at each.

    Wilson's of recall at a threshold: TP of the actual positives; and of precision: TP of the
    rows that are called positive there. Of a smoothed share: value and normal deviates of its
    standard error, within 0 and 1. Each point by itself; rows count one each and are
    independent. Columns ``tpr_low`` and ``tpr_high``, or ``precision_low`` and
    ``precision_high``, or ``observed_low`` and ``observed_high``, as long as the others; None
    where there are no limits.

    >>> s = ScoreTable(np.array([0.8, 0.4]), np.array([1, 1]), np.array([0, 2]))
    >>> found = with_band("precision_recall", precision_recall(s), 0.95)
    >>> [round(low, 3) for low in found["precision_low"]], found["precision_high"][0]
    ([0.207, 0.15], 1.0)
    """
    of = BANDS[kind]
    limits: list[tuple[float, float] | None]
    if BAND_METHODS[of] == "normal":
        z = z_value(level)
        pairs = zip(points[of], points["standard_error"], strict=True)
        limits = [(max(0.0, at - z * error), min(1.0, at + z * error)) for at, error in pairs]
    else:
        tp, fp = points["tp"], points["fp"]
        flagged = [a + b for a, b in zip(tp, fp, strict=True)]
        wholes = points["p"] if kind == "roc" else flagged
        limits = [wilson(x, n, level) for x, n in zip(tp, wholes, strict=True)]
    low, high = ([None if one is None else one[k] for one in limits] for k in (0, 1))
    return {**points, f"{of}_low": low, f"{of}_high": high}


def gain(s: ScoreTable) -> Columns:
    """Share of the positives found (``gain``) by share of the rows taken (``share``), from 0 to 1.

    >>> s = ScoreTable(np.array([0.8, 0.4]), np.array([1, 1]), np.array([0, 2]))
    >>> gain(s)["share"], gain(s)["gain"]
    ([0.0, 0.25, 1.0], [0.0, 0.5, 1.0])
    """
    thresholds, tp, fp = _path(s)
    p, total = s.actual_positives.value, s.rows.value
    taken = [a + b for a, b in zip(tp, fp, strict=True)]
    return {
        "threshold": list(thresholds),
        "share": [_share(rows, total) for rows in taken],
        "gain": [_share(found, p) for found in tp],
        "tp": tp,
        "rows": taken,
    }


def lift(s: ScoreTable) -> Columns:
    """How many times more frequent positives are among the rows taken than among all rows.

    >>> s = ScoreTable(np.array([0.8, 0.4]), np.array([1, 1]), np.array([0, 2]))
    >>> lift(s)["share"], lift(s)["lift"]
    ([0.25, 1.0], [2.0, 1.0])
    """
    points = gain(s)
    p, total = s.actual_positives.value, s.rows.value
    keep = [k for k, rows in enumerate(points["rows"]) if rows > 0 and p > 0]
    columns: Columns = {name: [points[name][k] for k in keep] for name in ("threshold", "share")}
    columns["lift"] = [points["tp"][k] * total / (points["rows"][k] * p) for k in keep]
    columns["tp"] = [points["tp"][k] for k in keep]
    columns["rows"] = [points["rows"][k] for k in keep]
    return columns


def decision(s: ScoreTable, thresholds: Sequence[float] = DECISION_THRESHOLDS) -> Columns:
    """Net benefit by threshold probability, of the scores, of treating all and of treating none.

    Vickers and Elkin (2006). Thresholds lie above 0 and below 1; the curve has no
    points where scores are not probabilities or there is no row.

    >>> s = ScoreTable(np.array([0.8, 0.4]), np.array([1, 1]), np.array([0, 2]))
    >>> decision(s, [0.5])
    {'threshold': [0.5], 'net_benefit': [0.25], 'treat_all': [0.0], 'treat_none': [0.0],
     'tp': [1], 'fp': [0]}
    """
    exists = s.rows.value > 0 and not outside_unit(s.scores)
    at = [float(t) for t in thresholds] if exists else []
    found = s.counts_at_each(at)
    tp, fp = [c.tp.value for c in found], [c.fp.value for c in found]
    return _benefits(at, tp, fp, s.actual_positives.value, s.actual_negatives.value)


def decision_of_labels(c: Counts, thresholds: Sequence[float] = DECISION_THRESHOLDS) -> Columns:
    """The same of predicted labels alone: whoever is treated is treated at every threshold.

    Vickers, van Calster and Steyerberg (2016): a test with two results has a net benefit at
    each threshold probability too, from one table.

    >>> points = decision_of_labels(Counts(tp=1, fp=1, fn=1, tn=1), [0.2, 0.5])
    >>> points["net_benefit"], points["tp"], points["fp"]
    ([0.1875, 0.0], [1, 1], [1, 1])
    """
    p, n = c.tp.value + c.fn.value, c.fp.value + c.tn.value
    at = [float(t) for t in thresholds] if p + n > 0 else []
    return _benefits(at, [c.tp.value for _ in at], [c.fp.value for _ in at], p, n)


def _benefits(at: list[float], tp: list[Any], fp: list[Any], p: Any, n: Any) -> Columns:
    """Net benefit where so many of ``p`` positives and ``n`` negatives are treated."""
    total, odds = p + n, [t / (1 - t) for t in at]
    return {
        "threshold": at,
        "net_benefit": [(a - b * w) / total for a, b, w in zip(tp, fp, odds, strict=True)],
        "treat_all": [(p - n * w) / total for w in odds],
        "treat_none": [0.0 for _ in at],
        "tp": tp,
        "fp": fp,
    }


def score_distribution(s: ScoreTable, *, bins: int = 20) -> Columns:
    """Actual positives and negatives in bins of the score, [low, high), the last one closed.

    Probabilities are binned over [0, 1], other scores from the lowest to the highest.

    >>> s = ScoreTable(np.array([0.8, 0.4]), np.array([1, 1]), np.array([0, 2]))
    >>> score_distribution(s, bins=2)
    {'low': [0.0, 0.5], 'high': [0.5, 1.0], 'positives': [1, 1], 'negatives': [2, 0]}
    """
    if not len(s.scores):
        return {"low": [], "high": [], "positives": [], "negatives": []}
    low, high = 0.0, 1.0
    if outside_unit(s.scores):
        low, high = float(s.scores[-1]), float(s.scores[0])
    steps = np.arange(bins + 1) / bins
    edges = low * (1 - steps) + high * steps if high > low else np.array([low, high])
    # scores fall: those of a bin stand together, from the last bin to the first
    inner = len(s.scores) - np.searchsorted(s.scores[::-1], edges[1:-1])
    ends = [len(s.scores), *inner.tolist(), 0]
    columns: Columns = {"low": edges[:-1].tolist(), "high": edges[1:].tolist()}
    for name, held in (("positives", s.positives), ("negatives", s.negatives)):
        columns[name] = [
            summed("", held[end:start], stacked=False).value
            for start, end in itertools.pairwise(ends)
        ]
    return columns


def threshold_sweep(s: ScoreTable, thresholds: Sequence[float] | None = None) -> Columns:
    """The classification table and its rates at each threshold, highest first as given.

    Every distinct score where no thresholds are given. A rate of no rows is None.

    >>> s = ScoreTable(np.array([0.8, 0.4]), np.array([1, 1]), np.array([0, 2]))
    >>> sweep = threshold_sweep(s, [0.9, 0.5])
    >>> sweep["tp"], sweep["fp"], sweep["fn"], sweep["tn"], sweep["precision"]
    ([0, 1], [0, 0], [2, 1], [2, 2], [None, 1.0])
    """
    if thresholds is None:
        at, tp, fp = (column[1:] for column in _path(s))
    else:
        at = [float(t) for t in thresholds]
        cells = s.counts_at_each(at)
        tp, fp = [c.tp.value for c in cells], [c.fp.value for c in cells]
    p, n = s.actual_positives.value, s.actual_negatives.value
    return {
        "threshold": at,
        "tp": tp,
        "fp": fp,
        "fn": [p - found for found in tp],
        "tn": [n - wrong for wrong in fp],
        "tpr": [_share(found, p) for found in tp],
        "fpr": [_share(wrong, n) for wrong in fp],
        "precision": [_share(a, a + b) for a, b in zip(tp, fp, strict=True)],
    }


def accuracy_coverage(s: ScoreTable) -> Columns:
    """Accuracy among the rows the classifier is most confident of, by the share they make up.

    Confidence is the probability of the predicted class, p or 1 - p; the curve has
    no points where scores are not probabilities.

    >>> s = ScoreTable(np.array([0.9, 0.4]), np.array([1, 1]), np.array([0, 2]))
    >>> accuracy_coverage(s)["coverage"], accuracy_coverage(s)["accuracy"]
    ([0.25, 1.0], [1.0, 0.75])
    """
    total = s.rows.value
    if outside_unit(s.scores):
        s = s.at(np.zeros(0, np.intp))
    positive = s.scores >= 0.5
    confidence = np.where(positive, s.scores, 1 - s.scores)
    levels, at = np.unique(-confidence, return_inverse=True)
    cells = {
        "tp": np.where(positive, s.positives, 0),
        "fp": np.where(positive, s.negatives, 0),
        "fn": np.where(positive, 0, s.positives),
        "tn": np.where(positive, 0, s.negatives),
    }
    counts = {}
    for name, own in cells.items():
        held = np.zeros(len(levels), dtype=own.dtype)
        np.add.at(held, at, own)
        counts[name] = np.cumsum(held)
    correct = counts["tp"] + counts["tn"]
    rows = correct + counts["fp"] + counts["fn"]
    keep = rows > 0
    return {
        "confidence": (-levels[keep]).tolist(),
        "coverage": (rows[keep] / total).tolist(),
        "accuracy": (correct[keep] / rows[keep]).tolist(),
        "correct": correct[keep].tolist(),
        "rows": rows[keep].tolist(),
        **{name: held[keep].tolist() for name, held in counts.items()},
    }


def _path(s: ScoreTable) -> tuple[list[Any], list[Any], list[Any]]:
    """Thresholds (None first), TP and FP; scores that no row has left out."""
    held = (s.positives + s.negatives) > 0
    thresholds: list[Any] = [None, *s.scores[held].tolist()]
    whole = np.issubdtype(s.positives.dtype, np.integer)
    start: list[Any] = [0 if whole else 0.0]
    p, n = s.actual_positives.value, s.actual_negatives.value
    tp = start + s.true_positives[held].tolist()
    fp = start + s.false_positives[held].tolist()
    # Running sums of weights may end beside the whole where the last score held has none after it.
    if len(tp) > 1:
        tp[-1], fp[-1] = p, n
    return thresholds, tp, fp


def _corners(tp: list[Any], fp: list[Any]) -> list[int]:
    """Indices of the ends and of the points where the path turns."""
    kept = [0]
    for k in range(1, len(tp) - 1):
        dx, dy = fp[k] - fp[kept[-1]], tp[k] - tp[kept[-1]]
        if dx * (tp[k + 1] - tp[k]) != dy * (fp[k + 1] - fp[k]):
            kept.append(k)
    return kept + [len(tp) - 1] if len(tp) > 1 else kept


def _share(part: Any, whole: Any) -> float | None:
    return part / whole if whole > 0 else None
