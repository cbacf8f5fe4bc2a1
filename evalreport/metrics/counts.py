"""Metrics of one class against the rest: functions of TP, FP, FN and TN.

Each is the arithmetic of its definition; names follow Fawcett (2006), Powers
(2011) and Glas et al. (2003), given with each metric.
"""

from __future__ import annotations

import math
from typing import Any

from evalreport.metrics.declare import (
    ALL_AVERAGES,
    WITH_SAMPLES,
    Goal,
    Interval,
    Parameter,
    metric,
)
from evalreport.metrics.formula import Cell, Expression, Ratio, mean, ratio, root
from evalreport.metrics.tables import Counts, Matrix

FAWCETT = "Fawcett T. An introduction to ROC analysis. Pattern Recognition Letters 27, 2006"
POWERS = "Powers D. Evaluation: from precision, recall and F-measure to ROC. JMLT 2, 2011"
VAN_RIJSBERGEN = "van Rijsbergen C. J. Information Retrieval, 2nd ed., 1979, chapter 7"
SOKOLOVA = "Sokolova M., Lapalme G. A systematic analysis of performance measures. IPM 45, 2009"
GLAS = "Glas A. et al. The diagnostic odds ratio. J Clin Epidemiol 56, 2003"
NO_ROW = "there is no row"
NO_ACTUAL = "no row is actually {label}"
NO_REST = "every row is actually {label}"
NO_PREDICTED = "no row is predicted {label}"
ALL_PREDICTED = "every row is predicted {label}"

NOT_AVERAGED = "its mean over classes says nothing about the classifier"


@metric(
    title="Accuracy",
    aliases=("acc",),
    averages=ALL_AVERAGES,
    interval=Interval.PROPORTION,
    undefined=NO_ROW,
    use="when classes are about equally frequent and all mistakes cost the same",
    avoid="on skewed classes: always naming the largest class already scores its share",
    reference=FAWCETT,
)
def accuracy(c: Counts) -> Ratio:
    """The share of rows that are predicted right.

    >>> accuracy(Counts(tp=87, fn=1, fp=10, tn=2)).outcome()
    Value(0.89)
    """
    return ratio(c.tp + c.tn, c.n)


@metric(
    title="Error rate",
    aliases=("misclassification_rate",),
    goal=Goal.MINIMIZE,
    averages=ALL_AVERAGES,
    interval=Interval.PROPORTION,
    undefined=NO_ROW,
    use="as the complement of accuracy, with the same limits",
    avoid="on skewed classes",
    reference=FAWCETT,
)
def error_rate(c: Counts) -> Ratio:
    """The share of rows that are predicted wrong.

    >>> error_rate(Counts(tp=100, fn=5, fp=10, tn=50)).outcome()
    Value(0.09090909090909091)
    """
    return ratio(c.fp + c.fn, c.n)


@metric(
    title="Recall",
    aliases=("sensitivity", "tpr"),
    averages=WITH_SAMPLES,
    interval=Interval.PROPORTION,
    undefined=NO_ACTUAL,
    use="when missing a positive is the costly mistake",
    avoid="alone: predicting everything positive reaches 1; read specificity or precision with it",
    reference=FAWCETT,
)
def recall(c: Counts) -> Ratio:
    """Of the rows that truly are of the class, the share that is found.

    >>> recall(Counts(tp=95, fn=7, fp=4, tn=94)).outcome()
    Value(0.9313725490196079)
    """
    return ratio(c.tp, c.positives)


@metric(
    title="Specificity",
    aliases=("tnr",),
    averages=ALL_AVERAGES,
    interval=Interval.PROPORTION,
    undefined=NO_REST,
    use="when a false alarm is the costly mistake",
    avoid="alone: predicting nothing positive reaches 1",
    reference=FAWCETT,
)
def specificity(c: Counts) -> Ratio:
    """Of the rows that are not of the class, the share that is left alone.

    >>> specificity(Counts(tp=95, fn=7, fp=4, tn=94)).outcome()
    Value(0.9591836734693877)
    """
    return ratio(c.tn, c.tn + c.fp)


@metric(
    title="Precision",
    aliases=("ppv",),
    averages=WITH_SAMPLES,
    interval=Interval.PROPORTION,
    undefined=NO_PREDICTED,
    use="when acting on a positive prediction is costly",
    avoid="across samples of different prevalence: it moves with the prevalence",
    reference=FAWCETT,
)
def precision(c: Counts) -> Ratio:
    """Of the rows predicted to be of the class, the share that truly is.

    >>> precision(Counts(tp=8, fp=2, fn=4, tn=6)).outcome()
    Value(0.8)
    """
    return ratio(c.tp, c.tp + c.fp)


@metric(
    title="Negative predictive value",
    averages=ALL_AVERAGES,
    interval=Interval.PROPORTION,
    undefined=ALL_PREDICTED,
    use="when a negative prediction must be safe to rely on",
    avoid="on rare positives: it is near 1 for any classifier",
    reference=FAWCETT,
)
def npv(c: Counts) -> Ratio:
    """Of the rows predicted not to be of the class, the share that truly is not.

    >>> npv(Counts(tp=8, fp=2, fn=4, tn=6)).outcome()
    Value(0.6)
    """
    return ratio(c.tn, c.tn + c.fn)


@metric(
    title="False positive rate",
    goal=Goal.MINIMIZE,
    averages=ALL_AVERAGES,
    interval=Interval.PROPORTION,
    undefined=NO_REST,
    use="as the horizontal axis of the ROC curve: 1 minus specificity",
    avoid="on rare positives: a small rate can still be many false alarms per hit",
    reference=FAWCETT,
)
def fpr(c: Counts) -> Ratio:
    """Of the rows that are not of the class, the share predicted to be.

    >>> fpr(Counts(tp=8, fp=2, fn=4, tn=6)).outcome()
    Value(0.25)
    """
    return ratio(c.fp, c.fp + c.tn)


@metric(
    title="False negative rate",
    aliases=("miss_rate",),
    goal=Goal.MINIMIZE,
    averages=ALL_AVERAGES,
    interval=Interval.PROPORTION,
    undefined=NO_ACTUAL,
    use="to state the share of positives that is missed: 1 minus recall",
    avoid="alone, as recall",
    reference=FAWCETT,
)
def fnr(c: Counts) -> Ratio:
    """Of the rows that truly are of the class, the share that is missed.

    >>> fnr(Counts(tp=8, fp=2, fn=2, tn=6)).outcome()
    Value(0.2)
    """
    return ratio(c.fn, c.fn + c.tp)


@metric(
    title="False discovery rate",
    goal=Goal.MINIMIZE,
    averages=ALL_AVERAGES,
    interval=Interval.PROPORTION,
    undefined=NO_PREDICTED,
    use="to state how much of what is flagged is wrong: 1 minus precision",
    avoid="across samples of different prevalence",
    reference="Benjamini Y., Hochberg Y. J R Stat Soc B 57, 1995",
)
def fdr(c: Counts) -> Ratio:
    """Of the rows predicted to be of the class, the share that is not.

    >>> fdr(Counts(tp=8, fp=2, fn=4, tn=6)).outcome()
    Value(0.2)
    """
    return ratio(c.fp, c.fp + c.tp)


@metric(
    title="False omission rate",
    goal=Goal.MINIMIZE,
    averages=ALL_AVERAGES,
    interval=Interval.PROPORTION,
    undefined=ALL_PREDICTED,
    use="to state how much is missed among what is left alone: 1 minus NPV",
    avoid="on rare positives: it is near 0 for any classifier",
    reference=POWERS,
)
def false_omission_rate(c: Counts) -> Ratio:
    """Of the rows predicted not to be of the class, the share that is.

    >>> false_omission_rate(Counts(tp=8, fp=2, fn=4, tn=6)).outcome()
    Value(0.4)
    """
    return ratio(c.fn, c.fn + c.tn)


@metric(
    title="F1",
    aliases=("f1_score",),
    averages=WITH_SAMPLES,
    interval=Interval.SMOOTH,
    undefined="no row is actually {label} and none is predicted so",
    use="to rank classifiers that find a rare class, when recall and precision weigh the same",
    avoid="as the only figure: it ignores true negatives and moves with the prevalence",
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
    averages=WITH_SAMPLES,
    interval=Interval.SMOOTH,
    undefined="no row is actually {label} and none is predicted so",
    parameters=(
        Parameter("beta", float, 1.0, low=0.0, open_low=True, high=1e6,
                  meaning="how many times recall matters more than precision"),
    ),
    use="as F1, when recall (beta above 1) or precision (beta below 1) matters more",
    avoid="as the only figure: it ignores true negatives",
    reference=VAN_RIJSBERGEN,
)
def fbeta(c: Counts, *, beta: float = 1.0) -> Ratio:
    """The weighted harmonic mean of precision and recall; recall counts beta times as much.

    >>> fbeta(Counts(tp=1, fn=1, fp=3, tn=3), beta=2.0).outcome()
    Value(0.4166666666666667)
    """
    square = _whole(beta * beta)
    top = _whole(1 + square) * c.tp
    return ratio(top, top + c.fp + square * c.fn)


def _whole(number: float) -> float:
    return int(number) if float(number).is_integer() else number


@metric(
    title="Jaccard index",
    aliases=("critical_success_index", "threat_score"),
    averages=ALL_AVERAGES,
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
    aliases=("informedness", "youden"),
    bounds=(-1.0, 1.0),
    averages=ALL_AVERAGES,
    interval=Interval.SMOOTH,
    undefined="recall or specificity is undefined: only one class occurs",
    use="to weigh both classes equally whatever their sizes; 0 is chance",
    avoid="when the two kinds of mistake cost differently",
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
    undefined="precision or NPV is undefined: only one class is predicted",
    use="to ask how far predictions of both kinds can be relied on",
    avoid="across samples of different prevalence",
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
    aliases=("gmean",),
    averages=ALL_AVERAGES,
    interval=Interval.SMOOTH,
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


@metric(
    title="Positive likelihood ratio",
    aliases=("positive_likelihood_ratio",),
    bounds=(0.0, math.inf),
    no_average="ratios of rates are not averaged over classes",
    interval=Interval.LOG,
    undefined="recall or the false positive rate is undefined, or both are 0",
    use="to update odds by a positive result; independent of prevalence",
    avoid="with few false positives: the interval is wide, and 0 makes it infinite",
    reference=GLAS,
)
def lr_plus(c: Counts) -> Ratio:
    """How many times more often a row of the class is predicted so than another row.

    >>> lr_plus(Counts(tp=8, fp=2, fn=2, tn=8)).outcome()
    Value(4.0)
    """
    return ratio(ratio(c.tp, c.positives), ratio(c.fp, c.fp + c.tn))


@metric(
    title="Negative likelihood ratio",
    aliases=("negative_likelihood_ratio",),
    bounds=(0.0, math.inf),
    goal=Goal.MINIMIZE,
    no_average="ratios of rates are not averaged over classes",
    interval=Interval.LOG,
    undefined="the false negative rate or specificity is undefined, or both are 0",
    use="to update odds by a negative result; independent of prevalence",
    avoid="with few false negatives: the interval is wide",
    reference=GLAS,
)
def lr_minus(c: Counts) -> Ratio:
    """How many times more often a row of the class is missed than another row is left alone.

    >>> lr_minus(Counts(tp=8, fp=2, fn=2, tn=8)).outcome()
    Value(0.25)
    """
    return ratio(ratio(c.fn, c.positives), ratio(c.tn, c.fp + c.tn))


@metric(
    title="Diagnostic odds ratio",
    aliases=("dor",),
    bounds=(0.0, math.inf),
    no_average="odds ratios are not averaged over classes",
    interval=Interval.LOG,
    undefined="both products of the table's diagonals are 0",
    use="as one figure of discrimination that does not depend on prevalence",
    avoid="as the only figure: it hides whether positives or negatives are missed",
    reference=GLAS,
)
def diagnostic_odds_ratio(c: Counts) -> Ratio:
    """The odds of a positive prediction among rows of the class over those among the rest.

    >>> diagnostic_odds_ratio(Counts(tp=8, fp=2, fn=2, tn=8)).outcome()
    Value(16.0)
    """
    return ratio(c.tp * c.tn, c.fp * c.fn)


@metric(
    title="Prevalence",
    goal=Goal.DESCRIBE,
    no_average=NOT_AVERAGED,
    interval=Interval.PROPORTION,
    undefined=NO_ROW,
    use="to know what accuracy and predictive values depend on",
    avoid="as an estimate of the population's where rows were sampled by class",
    reference=FAWCETT,
)
def prevalence(c: Counts) -> Ratio:
    """The share of rows that truly are of the class.

    >>> prevalence(Counts(tp=8, fp=2, fn=2, tn=8)).outcome()
    Value(0.5)
    """
    return ratio(c.positives, c.n)


@metric(
    title="Predicted prevalence",
    aliases=("detection_prevalence", "apparent_prevalence"),
    goal=Goal.DESCRIBE,
    no_average=NOT_AVERAGED,
    interval=Interval.PROPORTION,
    undefined=NO_ROW,
    use="to see how much work positive predictions make",
    avoid="as a measure of quality",
    reference=FAWCETT,
)
def predicted_prevalence(c: Counts) -> Ratio:
    """The share of rows predicted to be of the class.

    >>> predicted_prevalence(Counts(tp=8, fp=2, fn=2, tn=8)).outcome()
    Value(0.5)
    """
    return ratio(c.tp + c.fp, c.n)


@metric(
    title="Selection rate",
    goal=Goal.DESCRIBE,
    no_average=NOT_AVERAGED,
    interval=Interval.PROPORTION,
    undefined=NO_ROW,
    use="per group, for the impact ratio",
    avoid="as a measure of quality",
    reference="New York City, 6 RCNY 5-300 and 5-301",
)
def selection_rate(c: Counts) -> Ratio:
    """The share of rows that is selected: predicted to be of the class.

    >>> selection_rate(Counts(tp=30, fp=20, fn=2, tn=40)).outcome()
    Value(0.5434782608695652)
    """
    return ratio(c.tp + c.fp, c.n)


@metric(
    title="Impact ratio",
    bounds=(0.0, 1.0),
    best=math.nan,
    no_average="it belongs to one group of rows",
    interval=Interval.LOG,
    undefined="no row of any group is selected, or the group has no row",
    use="per group of a column, to compare how often groups are selected",
    avoid="with few rows in a group: the group with the highest rate is chosen by the data",
    reference="New York City, 6 RCNY 5-300 and 5-301",
)
def impact_ratio(c: Counts, *, highest: tuple[Any, Any]) -> Ratio:
    """The selection rate of a group over the highest selection rate among the groups.

    ``highest``: selected rows and all rows of the group with the highest rate.

    >>> impact_ratio(Counts(tp=30, fp=4, fn=2, tn=40), highest=(50, 92)).outcome()
    Value(0.8231578947368421)
    """
    selected, rows = Cell("selected of the highest", highest[0]), Cell("n of the highest", highest[1])
    return ratio(ratio(c.tp + c.fp, c.n), ratio(selected, rows))


@metric(
    title="Detection rate",
    no_average=NOT_AVERAGED,
    interval=Interval.PROPORTION,
    undefined=NO_ROW,
    use="to state hits per row examined, as in screening",
    avoid="across samples of different prevalence: the prevalence is its upper limit",
    best=math.nan,
    reference="Kuhn M. Building predictive models in R using the caret package. JSS 28, 2008",
)
def detection_rate(c: Counts) -> Ratio:
    """The share of all rows that are of the class and found.

    >>> detection_rate(Counts(tp=8, fp=2, fn=2, tn=8)).outcome()
    Value(0.4)
    """
    return ratio(c.tp, c.n)


@metric(
    title="Balanced accuracy",
    scope="all",
    interval=Interval.SMOOTH,
    no_average="it is already a mean over the classes",
    undefined="recall or specificity is undefined: only one class occurs",
    use="on skewed classes; 0.5 (two classes) is a constant answer",
    avoid="when the classes matter in proportion to their size",
    reference="Brodersen K. et al. The balanced accuracy and its posterior distribution. ICPR 2010",
)
def balanced_accuracy(c: Counts) -> Expression:
    """The mean of recall over the classes; with two classes of recall and specificity.

    >>> balanced_accuracy(Counts(tp=0, fn=10, fp=0, tn=9990)).outcome()
    Value(0.5)
    """
    return mean(ratio(c.tp, c.positives), ratio(c.tn, c.tn + c.fp))


@metric(
    title="Balanced error rate",
    scope="all",
    goal=Goal.MINIMIZE,
    interval=Interval.SMOOTH,
    no_average="it is already a mean over the classes",
    undefined="recall or specificity is undefined: only one class occurs",
    use="as 1 minus balanced accuracy",
    avoid="when the classes matter in proportion to their size",
    reference="Brodersen K. et al. The balanced accuracy and its posterior distribution. ICPR 2010",
)
def balanced_error_rate(c: Counts) -> Expression:
    """The mean over the classes of the share of their rows that is missed.

    >>> balanced_error_rate(Counts(tp=1, fn=1, fp=0, tn=4)).outcome()
    Value(0.25)
    """
    return mean(ratio(c.fn, c.positives), ratio(c.fp, c.tn + c.fp))


@accuracy.more_classes
def _(m: Matrix) -> Expression:
    return ratio(m.correct, m.n)


@error_rate.more_classes
def _(m: Matrix) -> Expression:
    return ratio(m.n - m.correct, m.n)


def _recalls(m: Matrix) -> list[Ratio]:
    occurring = [k for k in range(m.size) if not _is_zero(m.row_totals[k])]
    if len(occurring) < 2:
        return [ratio(0, 0)]
    return [ratio(m.one_versus_rest(k).tp, m.one_versus_rest(k).positives) for k in occurring]


def _is_zero(count: Any) -> bool:
    return isinstance(count, (int, float)) and count == 0


@balanced_accuracy.more_classes
def _(m: Matrix) -> Expression:
    return mean(*_recalls(m))


@balanced_error_rate.more_classes
def _(m: Matrix) -> Expression:
    return 1 - mean(*_recalls(m))


_PREVALENCE = Parameter(
    "prevalence", float, required=True, low=0.0, high=1.0, open_low=True, open_high=True,
    meaning="share of positives where the classifier will be used",
)


@metric(
    title="Precision at a prevalence",
    interval=Interval.PREDICTIVE,
    no_average="it belongs to one class",
    undefined="recall or specificity is undefined, or nothing is predicted {label}",
    parameters=(_PREVALENCE,),
    use="when the sample's share of positives is not that of the intended use",
    avoid="when recall and specificity themselves differ between sample and use",
    reference="Mercaldo N. et al. Stat Med 26, 2007",
)
def ppv_at_prevalence(c: Counts, *, prevalence: float) -> Ratio:
    """Precision at another share of positives, from recall and specificity (Bayes' rule).

    >>> ppv_at_prevalence(Counts(tp=9, fn=1, fp=1, tn=9), prevalence=0.5).outcome()
    Value(0.9)
    """
    found = ratio(c.tp, c.positives) * prevalence
    return ratio(found, found + ratio(c.fp, c.fp + c.tn) * (1 - prevalence))


@metric(
    title="NPV at a prevalence",
    interval=Interval.PREDICTIVE,
    no_average="it belongs to one class",
    undefined="recall or specificity is undefined, or everything is predicted {label}",
    parameters=(_PREVALENCE,),
    use="when the sample's share of positives is not that of the intended use",
    avoid="when recall and specificity themselves differ between sample and use",
    reference="Mercaldo N. et al. Stat Med 26, 2007",
)
def npv_at_prevalence(c: Counts, *, prevalence: float) -> Ratio:
    """Negative predictive value at another share of positives (Bayes' rule).

    >>> npv_at_prevalence(Counts(tp=9, fn=1, fp=1, tn=9), prevalence=0.5).outcome()
    Value(0.9)
    """
    left = ratio(c.tn, c.fp + c.tn) * (1 - prevalence)
    return ratio(left, left + ratio(c.fn, c.positives) * prevalence)


@metric(
    title="Net benefit",
    bounds=(-math.inf, 1.0),
    best=math.nan,
    interval=Interval.MEAN,
    no_average="it belongs to one class and one threshold",
    undefined=NO_ROW,
    use="to ask whether acting on the classifier does more good than treating all or none",
    avoid="at a threshold that is no probability anybody would act on",
    reference="Vickers A., Elkin E. Decision curve analysis. Med Decis Making 26, 2006",
)
def net_benefit(c: Counts, *, threshold: float) -> Ratio:
    """True positives per row, less false positives weighted by the odds of the threshold.

    >>> net_benefit(Counts(tp=30, fp=10, fn=5, tn=55), threshold=0.2).outcome()
    Value(0.275)
    """
    return ratio(c.tp - c.fp * (threshold / (1 - threshold)), c.n)
