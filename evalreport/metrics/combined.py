"""Metrics that combine several rates of the table into one figure."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from evalreport.metrics import chance
from evalreport.metrics.advice import IMPROPER, NEITHER
from evalreport.metrics.counts import POWERS
from evalreport.metrics.declare import (
    ALL_AVERAGES,
    WITH_SAMPLES,
    Goal,
    Interval,
    Parameter,
    Shares,
    Shows,
    metric,
)
from evalreport.metrics.formula import (
    WRITTEN_TERMS,
    Cell,
    Expression,
    Ratio,
    mean,
    ratio,
    root,
    whole,
)
from evalreport.metrics.tables import Counts, Matrix
from evalreport.statistics import two_rates

VAN_RIJSBERGEN = "van Rijsbergen C. J. Information Retrieval, 2nd ed., 1979, chapter 7"


@metric(
    title="F1",
    aliases=("f1_score", "f_measure", "f_score", "f1_measure", "dice", "dice_coefficient"),
    averages=WITH_SAMPLES,
    interval=Interval.SMOOTH,
    shares=Shares.EITHER,
    undefined="no row is actually {label} and none is predicted so",
    use="to rank classifiers that find a rare class, when recall and precision weigh the same",
    avoid="as the only figure: it ignores true negatives and moves with the prevalence",
    shows=Shows.SUMMARY,
    advice=NEITHER,
    reference=VAN_RIJSBERGEN,
)
def f1(c: Counts) -> Ratio:
    """The harmonic mean of precision and recall.

    >>> f1(Counts(tp=10, fn=0, fp=90, tn=0)).outcome()
    Value(0.18181818181818182)
    """
    return ratio(2 * c.tp, 2 * c.tp + c.fp + c.fn)


@metric(
    title="F-beta",
    aliases=("f_beta", "fbeta_score"),
    averages=WITH_SAMPLES,
    interval=Interval.SMOOTH,
    shares=Shares.EITHER,
    undefined="no row is actually {label} and none is predicted so",
    parameters=(
        Parameter(
            "beta",
            float,
            1.0,
            low=0.0,
            open_low=True,
            high=1e6,
            meaning="how many times recall matters more than precision",
        ),
        Parameter(
            "alpha",
            float,
            None,
            optional=True,
            low=0.0,
            open_low=True,
            high=1.0,
            open_high=True,
            meaning="instead of beta: the weight of precision in the "
            "harmonic mean, that of recall being 1 - alpha; alpha = 1 / (1 + beta^2)",
        ),
    ),
    either=("beta", "alpha"),
    use="as F1, when recall (beta above 1) or precision (beta below 1) matters more",
    avoid="as the only figure: it ignores true negatives",
    shows=Shows.SUMMARY,
    reference=VAN_RIJSBERGEN,
)
def fbeta(c: Counts, *, beta: float = 1.0, alpha: float | None = None) -> Ratio:
    """The weighted harmonic mean of precision and recall; recall counts beta times as much.

    >>> fbeta(Counts(tp=1, fn=1, fp=3, tn=3), beta=2.0).outcome()
    Value(0.4166666666666667)

    With alpha in place of beta it is 1 / (alpha / precision + (1 - alpha) / recall), van
    Rijsbergen's 1 - E; alpha is 1 / (1 + beta^2).

    >>> fbeta(Counts(tp=1, fn=1, fp=3, tn=3), alpha=0.25).outcome()
    Value(0.4)
    """
    if alpha is not None:
        # 1 - 0.9 is 0.1 for whoever reads the formula, though not in binary numbers.
        return ratio(c.tp, c.tp + alpha * c.fp + round(1 - alpha, 15) * c.fn)
    square = whole(beta * beta)
    top = whole(1 + square) * c.tp
    return ratio(top, top + c.fp + square * c.fn)


@metric(
    title="Jaccard index",
    aliases=(
        "critical_success_index",
        "threat_score",
        "jaccard_index",
        "jaccard_score",
        "iou",
        "intersection_over_union",
    ),
    averages=ALL_AVERAGES,
    no_average="ask for example_jaccard, which is that average",
    interval=Interval.PROPORTION,
    undefined="no row is actually {label} and none is predicted so",
    use="when true negatives have no meaning, as in detection",
    avoid="as the only figure: it ignores true negatives",
    reference="Jaccard P. New Phytologist 11, 1912",
)
def jaccard(c: Counts) -> Ratio:
    """Of the rows that are of the class or predicted so, the share that is both.

    >>> jaccard(Counts(tp=8, fp=2, fn=6, tn=4)).outcome()
    Value(0.5)
    """
    return ratio(c.tp, c.tp + c.fp + c.fn)


@metric(
    title="Youden's J",
    aliases=(
        "informedness",
        "youden",
        "youden_index",
        "bookmaker_informedness",
        "true_skill_statistic",
    ),
    bounds=(-1.0, 1.0),
    averages=ALL_AVERAGES,
    interval=Interval.TWO_RATES,
    limits=two_rates.youden,
    shares=Shares.ACTUAL,
    undefined="recall or specificity is undefined: only one class occurs",
    use="to weigh both classes equally whatever their sizes; 0 is chance",
    avoid="when the two kinds of mistake cost differently",
    chance=0.0,
    advice=IMPROPER,
    reference="Youden W. Cancer 3, 1950",
)
def youden_j(c: Counts) -> Expression:
    """Recall plus specificity minus 1: how far above chance on both classes.

    >>> youden_j(Counts(tp=3, fp=1, fn=1, tn=3)).outcome()
    Value(0.5)
    """
    return ratio(c.tp, c.positives) + ratio(c.tn, c.tn + c.fp) - 1


@metric(
    title="Markedness",
    bounds=(-1.0, 1.0),
    averages=ALL_AVERAGES,
    interval=Interval.SMOOTH,
    shares=Shares.PREDICTED,
    undefined="precision or NPV is undefined: only one class is predicted",
    use="to ask how far predictions of both kinds can be relied on",
    avoid="across samples of different prevalence",
    chance=0.0,
    reference=POWERS,
)
def markedness(c: Counts) -> Expression:
    """Precision plus negative predictive value minus 1.

    >>> markedness(Counts(tp=3, fp=1, fn=1, tn=3)).outcome()
    Value(0.5)
    """
    return ratio(c.tp, c.tp + c.fp) + ratio(c.tn, c.tn + c.fn) - 1


@metric(
    title="Geometric mean",
    aliases=("gmean", "geometric_mean"),
    averages=ALL_AVERAGES,
    interval=Interval.SMOOTH,
    shares=Shares.ACTUAL,
    undefined="recall or specificity is undefined: only one class occurs",
    use="on skewed classes, when neither class may be neglected",
    avoid="when the two kinds of mistake cost differently",
    reference="Kubat M., Matwin S. ICML 1997",
)
def g_mean(c: Counts) -> Expression:
    """The square root of recall times specificity.

    >>> g_mean(Counts(tp=1, fp=0, fn=3, tn=4)).outcome()
    Value(0.5)
    """
    return root(ratio(c.tp, c.positives) * ratio(c.tn, c.tn + c.fp))


@metric(
    title="Fowlkes-Mallows index",
    averages=ALL_AVERAGES,
    interval=Interval.SMOOTH,
    shares=Shares.ACTUAL,
    undefined="precision or recall is undefined",
    use="as F1 with a geometric mean",
    avoid="as the only figure: it ignores true negatives",
    reference="Fowlkes E., Mallows C. JASA 78, 1983",
)
def fowlkes_mallows(c: Counts) -> Expression:
    """The square root of precision times recall.

    >>> fowlkes_mallows(Counts(tp=2, fp=2, fn=2, tn=4)).outcome()
    Value(0.5)
    """
    return root(ratio(c.tp, c.tp + c.fp) * ratio(c.tp, c.positives))


#: Means over the classes, each of its own rows.
_balanced = partial(
    metric,
    scope="all",
    interval=Interval.TWO_RATES,
    no_average="it is already a mean over the classes",
    shares=Shares.ACTUAL,
    undefined="recall or specificity is undefined: only one class occurs",
    avoid="when the classes matter in proportion to their size",
    reference="Brodersen K. et al. The balanced accuracy and its posterior distribution. ICPR 2010",
)


@_balanced(
    title="Balanced accuracy",
    limits=two_rates.balanced_accuracy,
    use="on skewed classes; 0.5 (two classes) is a constant answer",
    chance=chance.one_of_the_classes,
    advice=IMPROPER,
)
def balanced_accuracy(c: Counts) -> Expression:
    """The mean of recall over the classes; with two classes of recall and specificity.

    >>> balanced_accuracy(Counts(tp=0, fn=10, fp=0, tn=9990)).outcome()
    Value(0.5)
    """
    return mean(ratio(c.tp, c.positives), ratio(c.tn, c.tn + c.fp))


@_balanced(
    title="Balanced error rate",
    aliases=("class_balanced_error",),
    goal=Goal.MINIMIZE,
    limits=two_rates.balanced_error_rate,
    use="as 1 minus balanced accuracy",
)
def balanced_error_rate(c: Counts) -> Expression:
    """The mean over the classes of the share of their rows that is missed.

    >>> balanced_error_rate(Counts(tp=1, fn=1, fp=0, tn=4)).outcome()
    Value(0.25)
    """
    return mean(ratio(c.fn, c.positives), ratio(c.fp, c.tn + c.fp))


@balanced_accuracy.more_classes
def _(m: Matrix) -> Expression:
    return _mean_of_shares("TP", m, m.diagonal)


@balanced_error_rate.more_classes
def _(m: Matrix) -> Expression:
    missed = [total - hit for total, hit in zip(m.row_totals, m.diagonal, strict=True)]
    return _mean_of_shares("FN", m, missed)


def _mean_of_shares(name: str, m: Matrix, tops: list[Any]) -> Expression:
    """The mean over the classes that occur of a share of their rows; 0 / 0 for fewer than two."""
    text = f"sum({name} / (TP + FN))"
    if any(isinstance(total, np.ndarray) for total in m.row_totals):
        shares, classes = _stacked_shares(tops, m.row_totals)
        return ratio(Cell(text, shares), Cell("classes that occur", classes))
    occurring = [k for k, total in enumerate(m.row_totals) if total != 0]
    if len(occurring) < 2:
        return ratio(0, 0)
    terms = [ratio(Cell(name, tops[k]), Cell("rows", m.row_totals[k])) for k in occurring]
    shares = sum((term.exact() for term in terms), start=0)
    few = len(terms) <= WRITTEN_TERMS
    written = f"({' + '.join(term.substituted() for term in terms)})" if few else ""
    return ratio(Cell(text, shares, written), Cell("classes that occur", len(occurring)))


def _stacked_shares(tops: list[Any], totals: list[Any]) -> tuple[Any, Any]:
    """Sums of shares and numbers of classes that occur, over a stack of tables."""
    shares: Any = 0.0
    classes: Any = 0
    for top, total in zip(tops, totals, strict=True):
        occurs = total != 0
        shares = shares + np.where(occurs, top / np.where(occurs, total, 1), 0)
        classes = classes + occurs
    return np.where(classes < 2, np.nan, shares), np.where(classes < 2, 1, classes)
