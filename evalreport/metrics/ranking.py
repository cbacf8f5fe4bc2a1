"""Metrics of how scores rank positives above negatives: areas under the ROC curve and KS.

All are sums over the distinct scores of a :class:`ScoreTable`; tied rows share a
score and count half, whatever the order of rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from evalreport.metrics import influence
from evalreport.metrics.advice import ESSENTIAL
from evalreport.metrics.declare import (
    ALL_AVERAGES,
    CLASS_MEANS,
    Interval,
    Metric,
    Parameter,
    Shows,
    metric,
)
from evalreport.metrics.formula import Cell, Expression, Nothing, Ratio, ratio
from evalreport.metrics.tables import ClassScores, ScoreTable, summed

HANLEY = "Hanley J., McNeil B. The area under a ROC curve. Radiology 143, 1982"
ONE_CLASS = "only one class occurs: there is no pair of a positive and a negative row"
HALF = Fraction(1, 2)


def won_pairs(s: ScoreTable) -> Cell:
    """Pairs of a positive and a negative row in which the positive has the higher score."""
    s = s.without_overflow()
    below = np.asarray(s.negative_total)[..., None] - s.false_positives
    return s.cell("won", s.positives * below)


def tied_pairs(s: ScoreTable) -> Cell:
    """Pairs of a positive and a negative row with the same score."""
    s = s.without_overflow()
    return s.cell("tied", s.positives * s.negatives)


def lost_pairs(s: ScoreTable) -> Cell:
    """Pairs of a positive and a negative row in which the negative has the higher score."""
    s = s.without_overflow()
    above = s.false_positives - s.negatives
    return s.cell("lost", s.positives * above)


@metric(
    title="ROC AUC",
    aliases=(
        "auc",
        "auroc",
        "auc_roc",
        "roc_auc_score",
        "c_statistic",
        "c_index",
        "concordance_index",
    ),
    averages=ALL_AVERAGES,
    interval=Interval.AUC,
    influence=influence.roc_auc,
    undefined=ONE_CLASS,
    use="to ask how well scores rank, before any threshold is chosen",
    avoid="alone on rare positives, or when only part of the curve could ever be used",
    chance=0.5,
    advice=ESSENTIAL,
    cautions=("auc_below_half",),
    reference=HANLEY,
    leads=1,
)
def roc_auc(s: ScoreTable) -> Ratio:
    """The chance that a positive row scores above a negative one, ties counting half.

    >>> scores = np.array([0.8, 0.4, 0.35, 0.1])
    >>> s = ScoreTable(scores, np.array([1, 0, 1, 0]), np.array([0, 1, 0, 1]))
    >>> roc_auc(s).substituted(), roc_auc(s).outcome()
    ('(3 + 0.5 * 0) / (2 * 2)', Value(0.75))
    """
    return ratio(won_pairs(s) + HALF * tied_pairs(s), s.actual_positives * s.actual_negatives)


def line_of_area(
    declared: Metric, arguments: Mapping[str, Any], positives: Any, negatives: Any
) -> tuple[float, float]:
    """What a metric that is linear in the area is at an area of 0 and at one of 1.

    ``positives``, ``negatives``: rows, or their weights, of each class.

    >>> line_of_area(gini, {}, 2, 3), line_of_area(mann_whitney_u, {}, 2, 3)
    ((-1.0, 1.0), (0.0, 6.0))
    """
    scores, p, n = np.array([1.0, 0.0]), [positives, 0 * positives], [0 * negatives, negatives]
    worst = declared(ScoreTable(scores, np.array(p[::-1]), np.array(n[::-1])), **arguments)
    best = declared(ScoreTable(scores, np.array(p), np.array(n)), **arguments)
    return float(worst.exact()), float(best.exact())


@metric(
    title="Gini coefficient",
    aliases=("somers_d", "accuracy_ratio", "gini_coefficient"),
    bounds=(-1.0, 1.0),
    averages=CLASS_MEANS,
    interval=Interval.AUC,
    influence=influence.gini,
    undefined=ONE_CLASS,
    use="as ROC AUC on a scale where 0 is chance: 2 AUC - 1",
    avoid="as ROC AUC",
    chance=0.0,
    reference="Somers R. Am Sociol Rev 27, 1962; Hand D., Till R. Machine Learning 45, 2001",
)
def gini(s: ScoreTable) -> Ratio:
    """Won minus lost pairs of a positive and a negative row, as a share of all such pairs.

    >>> scores = np.array([0.8, 0.4, 0.35, 0.1])
    >>> gini(ScoreTable(scores, np.array([1, 0, 1, 0]), np.array([0, 1, 0, 1]))).outcome()
    Value(0.5)
    """
    return ratio(won_pairs(s) - lost_pairs(s), s.actual_positives * s.actual_negatives)


@metric(
    title="Mann-Whitney U",
    bounds=(0.0, math.inf),
    no_average="it counts pairs of rows, and classes have different numbers of pairs",
    interval=Interval.AUC,
    undefined=ONE_CLASS,
    use="as the count of pairs behind ROC AUC",
    avoid="to compare samples of different sizes",
    shows=Shows.ONE_KIND,
    reference="Mann H., Whitney D. Ann Math Stat 18, 1947",
)
def mann_whitney_u(s: ScoreTable) -> Expression:
    """The number of pairs in which the positive row scores above the negative one, ties half.

    >>> scores = np.array([0.8, 0.4, 0.35, 0.1])
    >>> mann_whitney_u(ScoreTable(scores, np.array([1, 0, 1, 0]), np.array([0, 1, 0, 1]))).outcome()
    Value(3.0)
    """
    if not s.stacked and not (s.actual_positives.value and s.actual_negatives.value):
        return Nothing(ONE_CLASS)
    return won_pairs(s) + HALF * tied_pairs(s)


@metric(
    title="Partial AUC",
    averages=CLASS_MEANS,
    undefined=ONE_CLASS,
    parameters=(
        Parameter(
            "max_fpr",
            float,
            optional=True,
            low=0.0,
            open_low=True,
            high=1.0,
            meaning="area at false positive rates up to this one",
        ),
        Parameter(
            "min_tpr",
            float,
            optional=True,
            low=0.0,
            high=1.0,
            open_high=True,
            meaning="area at true positive rates from this one on",
        ),
        Parameter(
            "standardized",
            bool,
            False,
            meaning="rescale so that 0.5 is chance and 1 is perfect (McClish)",
        ),
    ),
    one_of=("max_fpr", "min_tpr"),
    influence=influence.partial_auc,
    use="when only low false positive rates, or only high recall, could ever be used",
    avoid="without its limit: areas over different ranges are not comparable",
    reference="McClish D. Analyzing a portion of the ROC curve. Med Decis Making 9, 1989",
)
def partial_auc(
    s: ScoreTable,
    *,
    max_fpr: float | None = None,
    min_tpr: float | None = None,
    standardized: bool = False,
) -> Expression:
    """The area under the part of the ROC curve up to max_fpr, or right of it from min_tpr on.

    The curve is joined by straight lines. Unstandardised, a perfect classifier
    reaches max_fpr, or 1 - min_tpr.

    >>> scores = np.array([0.8, 0.4, 0.35, 0.1])
    >>> s = ScoreTable(scores, np.array([1, 0, 1, 0]), np.array([0, 1, 0, 1]))
    >>> partial_auc(s, max_fpr=0.5).outcome(), partial_auc(s, min_tpr=0.5).outcome()
    (Value(0.25), Value(0.25))
    >>> round(partial_auc(s, max_fpr=0.5, standardized=True).outcome().number, 12)
    0.666666666667
    """
    if max_fpr is not None and min_tpr is None:
        area, width = _area_to(s, max_fpr), max_fpr
    elif min_tpr is not None and max_fpr is None:
        area, width = _area_from(s, min_tpr), 1 - min_tpr
    else:
        return Nothing("exactly one of max_fpr and min_tpr must be given")
    share = ratio(area, s.actual_positives * s.actual_negatives)
    if not standardized:
        return share
    by_chance = width * width / 2
    return ratio(1 + ratio(share - by_chance, width - by_chance), 2)


def _area_to(s: ScoreTable, max_fpr: float) -> Cell:
    """Pairs under the curve left of ``max_fpr``: one trapezoid per score, the last one cut."""
    before = s.false_positives - s.negatives
    width = np.clip(max_fpr * s.negative_total[..., None] - before, 0, s.negatives)
    rise = s.positives * _share(width, s.negatives)
    return s.cell("area", width * (s.true_positives - s.positives + rise / 2))


def _area_from(s: ScoreTable, min_tpr: float) -> Cell:
    """Pairs right of the curve above ``min_tpr``: one trapezoid per score, the first one cut."""
    least = min_tpr * s.positive_total[..., None]
    height = np.clip(s.true_positives - least, 0, s.positives)
    run = s.negatives * _share(height, s.positives)
    right = s.negative_total[..., None] - s.false_positives
    return s.cell("area", height * (right + run / 2))


def _share(part: Any, whole: Any) -> Any:
    return np.divide(part, whole, out=np.zeros(np.shape(part)), where=np.asarray(whole) > 0)


def _farthest(s: ScoreTable) -> float:
    """The largest threshold at which the two rates are farthest apart.

    >>> scores = np.array([0.8, 0.4, 0.35, 0.1])
    >>> _farthest(ScoreTable(scores, np.array([1, 0, 1, 0]), np.array([0, 1, 0, 1])))
    0.8
    """
    s = s.without_overflow()
    apart = s.true_positives * s.negative_total - s.false_positives * s.positive_total
    return float(s.scores[int(np.argmax(np.abs(apart)))])


@metric(
    title="Kolmogorov-Smirnov distance",
    aliases=("kolmogorov_smirnov", "ks_statistic"),
    averages=CLASS_MEANS,
    interval=Interval.DISTANCE,
    undefined="only one class occurs: there is one distribution of scores",
    use="to show the largest distance between the score distributions of positives and negatives",
    avoid="as a measure of the whole ranking: it uses one threshold",
    reached=_farthest,
    influence=influence.ks,
    instead="youden_j: its largest value is the KS statistic",
    reference="Kolmogorov A. 1933; Smirnov N. Ann Math Stat 19, 1948",
)
def ks(s: ScoreTable) -> Ratio:
    """The largest distance of true and false positive rate over all thresholds.

    >>> scores = np.array([0.8, 0.4, 0.35, 0.1])
    >>> ks(ScoreTable(scores, np.array([1, 0, 1, 0]), np.array([0, 1, 0, 1]))).outcome()
    Value(0.5)
    """
    s = s.without_overflow()
    p, n = np.asarray(s.positive_total)[..., None], np.asarray(s.negative_total)[..., None]
    farthest = np.abs(s.true_positives * n - s.false_positives * p).max(axis=-1, initial=0)
    if not s.stacked:
        farthest = farthest.item() if hasattr(farthest, "item") else farthest
    cell = Cell("max|TP * N - FP * P|", farthest)
    return ratio(cell, s.actual_positives * s.actual_negatives)


@metric(
    title="Hand-Till AUC",
    aliases=("m_measure",),
    scope="all",
    no_average="it is already a mean over pairs of classes",
    undefined="fewer than two classes occur: there is no pair of classes",
    use="for one AUC of several classes that does not depend on how frequent they are",
    avoid="when one class matters most: use its own AUC",
    class_pairs=True,
    reference="Hand D., Till R. Machine Learning 45, 2001",
)
def hand_till_auc(c: ClassScores) -> Ratio:
    """The mean AUC over ordered pairs of classes: rows of the two only, scored for the first.

    Pairs with a class that does not occur are left out of the mean.

    >>> apart = ScoreTable(np.array([0.9, 0.1]), np.array([1, 0]), np.array([0, 1]))
    >>> mixed = ScoreTable(np.array([0.5]), np.array([1]), np.array([1]))
    >>> one = np.array([1, 1])
    >>> c = ClassScores(("a", "b"), (), np.zeros(0), one, one, one, {(0, 1): apart, (1, 0): mixed})
    >>> hand_till_auc(c).substituted(), hand_till_auc(c).outcome()
    ('1.5 / 2', Value(0.75))
    """
    areas = [roc_auc(c.pairs[pair]) for pair in sorted(c.pairs)]
    if c.stacked:
        values = np.stack([np.asarray(a.array(), dtype=np.float64) for a in areas], axis=-1)
    else:
        known = [a.exact() for a in areas if a.bottom.exact() != 0]
        values = np.array([float(area) for area in known])
    defined = np.isfinite(values)
    return ratio(
        summed("sum(AUC of a pair of classes)", np.where(defined, values, 0.0), c.stacked),
        summed("pairs", defined.astype(np.int64), c.stacked),
    )
