"""Shares of rows of one class against the rest: functions of TP, FP, FN and TN.

Each is the arithmetic of its definition; names follow Fawcett (2006) and Powers (2011).
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from evalreport.metrics import chance
from evalreport.metrics.advice import IMPROPER
from evalreport.metrics.declare import ALL_AVERAGES, WITH_SAMPLES, Goal, Interval, Shows, metric
from evalreport.metrics.formula import Cell, Expression, Ratio, ratio
from evalreport.metrics.tables import Counts, Matrix
from evalreport.statistics import ratios

FAWCETT = "Fawcett T. An introduction to ROC analysis. Pattern Recognition Letters 27, 2006"
POWERS = "Powers D. Evaluation: from precision, recall and F-measure to ROC. JMLT 2, 2011"
NO_ROW = "there is no row"
NO_ACTUAL = "no row is actually {label}"
NO_REST = "every row is actually {label}"
NO_PREDICTED = "no row is predicted {label}"
ALL_PREDICTED = "every row is predicted {label}"

NOT_AVERAGED = "its mean over classes shows nothing about the classifier"


#: Shares of rows.
_share = partial(
    metric,
    interval=Interval.PROPORTION,
    reference=FAWCETT,
)


@_share(
    title="Accuracy",
    aliases=(
        "acc",
        "accuracy_score",
        "success_rate",
        "proportion_correct",
        "percent_correct",
        "correct_classification_rate",
        "overall_accuracy",
        "classification_accuracy",
        "recognition_rate",
    ),
    averages=ALL_AVERAGES,
    undefined=NO_ROW,
    use="when classes are about equally frequent and all mistakes cost the same",
    avoid="on skewed classes: always naming the largest class already scores its share",
    of_one_class="the share of rows that are correctly put into the class or left out of it",
    shows=Shows.SUMMARY,
    advice=IMPROPER,
    cautions=("majority_class",),
)
def accuracy(c: Counts) -> Ratio:
    """The share of rows that are predicted right.

    >>> accuracy(Counts(tp=87, fn=1, fp=10, tn=2)).outcome()
    Value(0.89)
    """
    return ratio(c.tp + c.tn, c.n)


@accuracy.more_classes
def _(m: Matrix) -> Expression:
    return ratio(m.correct, m.n)


@_share(
    title="Error rate",
    aliases=(
        "misclassification_rate",
        "misclassification_error",
        "classification_error",
        "zero_one_loss",
        "error",
        "failure_rate",
    ),
    goal=Goal.MINIMIZE,
    averages=ALL_AVERAGES,
    undefined=NO_ROW,
    use="as the complement of accuracy, with the same limits",
    avoid="on skewed classes",
    of_one_class="the share of rows that are wrongly put into the class or left out of it",
    shows=Shows.SUMMARY,
    spoken=(
        "number of errors",
        "number of misclassified",
        "number of misclassifications",
        "share of errors",
        "share of misclassified",
    ),
)
def error_rate(c: Counts) -> Ratio:
    """The share of rows that are predicted wrong.

    >>> error_rate(Counts(tp=100, fn=5, fp=10, tn=50)).outcome()
    Value(0.09090909090909091)
    """
    return ratio(c.fp + c.fn, c.n)


@error_rate.more_classes
def _(m: Matrix) -> Expression:
    return ratio(m.n - m.correct, m.n)


@_share(
    title="Recall",
    aliases=(
        "sensitivity",
        "tpr",
        "true_positive_rate",
        "hit_rate",
        "recall_score",
        "probability_of_detection",
        "producers_accuracy",
    ),
    averages=WITH_SAMPLES,
    undefined=NO_ACTUAL,
    use="when missing a positive is the costly mistake",
    avoid="alone: predicting everything positive reaches 1; read specificity or precision with it",
    shows=Shows.ONE_KIND,
    worst_class=True,
    of_one_row="of the labels that a row truly has, the share that is predicted",
    leads=7,
)
def recall(c: Counts) -> Ratio:
    """Of the rows that truly are of the class, the share that is found.

    >>> recall(Counts(tp=95, fn=7, fp=4, tn=94)).outcome()
    Value(0.9313725490196079)
    """
    return ratio(c.tp, c.positives)


@_share(
    title="Specificity",
    aliases=("tnr", "true_negative_rate", "selectivity"),
    averages=ALL_AVERAGES,
    undefined=NO_REST,
    use="when a false alarm is the costly mistake",
    avoid="alone: predicting nothing positive reaches 1",
    shows=Shows.ONE_KIND,
    leads=8,
)
def specificity(c: Counts) -> Ratio:
    """Of the rows that are not of the class, the share that is correctly called negative.

    >>> specificity(Counts(tp=95, fn=7, fp=4, tn=94)).outcome()
    Value(0.9591836734693877)
    """
    return ratio(c.tn, c.tn + c.fp)


@_share(
    title="Precision",
    aliases=("ppv", "positive_predictive_value", "precision_score", "users_accuracy"),
    averages=WITH_SAMPLES,
    limits=ratios.ppv_of_sample,
    undefined=NO_PREDICTED,
    chance=chance.own_share,
    use="when acting on a positive prediction is costly",
    avoid="across samples of different prevalence: it moves with the prevalence",
    shows=Shows.ONE_KIND,
    of_one_row="of the labels predicted for a row, the share that it truly has",
    leads=9,
)
def precision(c: Counts) -> Ratio:
    """Of the rows predicted to be of the class, the share that truly is.

    >>> precision(Counts(tp=8, fp=2, fn=4, tn=6)).outcome()
    Value(0.8)
    """
    return ratio(c.tp, c.tp + c.fp)


@_share(
    title="Negative predictive value",
    aliases=("negative_predictive_value",),
    averages=ALL_AVERAGES,
    limits=ratios.npv_of_sample,
    undefined=ALL_PREDICTED,
    use="when a negative prediction must be safe to rely on",
    avoid="on rare positives: it is near 1 for any classifier",
    shows=Shows.ONE_KIND,
)
def npv(c: Counts) -> Ratio:
    """Of the rows predicted not to be of the class, the share that truly is not.

    >>> npv(Counts(tp=8, fp=2, fn=4, tn=6)).outcome()
    Value(0.6)
    """
    return ratio(c.tn, c.tn + c.fn)


@_share(
    title="False positive rate",
    aliases=(
        "false_positive_rate",
        "fall_out",
        "fallout",
        "false_alarm_rate",
        "type_i_error",
        "type_i_error_rate",
        "type_1_error",
    ),
    goal=Goal.MINIMIZE,
    averages=ALL_AVERAGES,
    undefined=NO_REST,
    use="as the horizontal axis of the ROC curve: 1 minus specificity",
    avoid="on rare positives: a small rate can still be many false alarms per hit",
    shows=Shows.ONE_KIND,
)
def fpr(c: Counts) -> Ratio:
    """Of the rows that are not of the class, the share predicted to be.

    >>> fpr(Counts(tp=8, fp=2, fn=4, tn=6)).outcome()
    Value(0.25)
    """
    return ratio(c.fp, c.fp + c.tn)


@_share(
    title="False negative rate",
    aliases=(
        "miss_rate",
        "false_negative_rate",
        "type_ii_error",
        "type_ii_error_rate",
        "type_2_error",
    ),
    goal=Goal.MINIMIZE,
    averages=ALL_AVERAGES,
    undefined=NO_ACTUAL,
    use="to state the share of positives that is missed: 1 minus recall",
    avoid="alone, as recall",
    shows=Shows.ONE_KIND,
)
def fnr(c: Counts) -> Ratio:
    """Of the rows that truly are of the class, the share that is missed.

    >>> fnr(Counts(tp=8, fp=2, fn=2, tn=6)).outcome()
    Value(0.2)
    """
    return ratio(c.fn, c.fn + c.tp)


@_share(
    title="False discovery rate",
    aliases=("false_discovery_rate", "false_alarm_ratio"),
    goal=Goal.MINIMIZE,
    averages=ALL_AVERAGES,
    undefined=NO_PREDICTED,
    use="to state how much of what is flagged is wrong: 1 minus precision",
    avoid="across samples of different prevalence",
    shows=Shows.ONE_KIND,
    reference="Benjamini Y., Hochberg Y. J R Stat Soc B 57, 1995",
)
def fdr(c: Counts) -> Ratio:
    """Of the rows predicted to be of the class, the share that is not.

    >>> fdr(Counts(tp=8, fp=2, fn=4, tn=6)).outcome()
    Value(0.2)
    """
    return ratio(c.fp, c.fp + c.tp)


@_share(
    title="False omission rate",
    goal=Goal.MINIMIZE,
    averages=ALL_AVERAGES,
    undefined=ALL_PREDICTED,
    use="to state how much is missed among the predicted negatives: 1 minus NPV",
    avoid="on rare positives: it is near 0 for any classifier",
    shows=Shows.ONE_KIND,
    reference=POWERS,
)
def false_omission_rate(c: Counts) -> Ratio:
    """Of the rows predicted not to be of the class, the share that is.

    >>> false_omission_rate(Counts(tp=8, fp=2, fn=4, tn=6)).outcome()
    Value(0.4)
    """
    return ratio(c.fn, c.fn + c.tn)


@_share(
    title="Prevalence",
    aliases=("base_rate",),
    goal=Goal.DESCRIBE,
    no_average=NOT_AVERAGED,
    undefined=NO_ROW,
    use="to know what accuracy and predictive values depend on",
    avoid="as an estimate of the population's where rows were sampled by class",
)
def prevalence(c: Counts) -> Ratio:
    """The share of rows that truly are of the class.

    >>> prevalence(Counts(tp=8, fp=2, fn=2, tn=8)).outcome()
    Value(0.5)
    """
    return ratio(c.positives, c.n)


@_share(
    title="Predicted prevalence",
    aliases=("detection_prevalence", "apparent_prevalence"),
    goal=Goal.DESCRIBE,
    no_average=NOT_AVERAGED,
    undefined=NO_ROW,
    use="to see how much work positive predictions make",
    avoid="as a measure of quality",
)
def predicted_prevalence(c: Counts) -> Ratio:
    """The share of rows predicted to be of the class.

    >>> predicted_prevalence(Counts(tp=8, fp=2, fn=2, tn=8)).outcome()
    Value(0.5)
    """
    return ratio(c.tp + c.fp, c.n)


@_share(
    title="Selection rate",
    goal=Goal.DESCRIBE,
    no_average=NOT_AVERAGED,
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
    best=math.nan,
    no_average="it belongs to one group of rows",
    interval=Interval.RATIO,
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
    selected, rows = highest
    top = ratio(Cell("selected of the highest", selected), Cell("n of the highest", rows))
    return ratio(ratio(c.tp + c.fp, c.n), top)


@_share(
    title="Detection rate",
    no_average=NOT_AVERAGED,
    undefined=NO_ROW,
    use="to state hits per row examined, as in screening",
    avoid="across samples of different prevalence: the prevalence is its upper limit",
    best=math.nan,
    shows=Shows.ONE_KIND,
    reference="Kuhn M. Building predictive models in R using the caret package. JSS 28, 2008",
)
def detection_rate(c: Counts) -> Ratio:
    """The share of all rows that are of the class and found.

    >>> detection_rate(Counts(tp=8, fp=2, fn=2, tn=8)).outcome()
    Value(0.4)
    """
    return ratio(c.tp, c.n)
