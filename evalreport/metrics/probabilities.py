"""Losses of probabilities: how far each row's probability is from what happened.

Each is a mean over rows, declared once as the loss of a row: ``row_loss`` by its
score and actual class, ``class_loss`` by its scores of all classes. Scores outside
[0, 1] are no probabilities: there is no number, and nothing is clipped to fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from evalreport.metrics import chance
from evalreport.metrics.declare import Goal, Interval, Kind, Parameter, metric
from evalreport.metrics.formula import Cell, Expression, ratio
from evalreport.metrics.tables import ClassScores, ScoreTable

BRIER = "Brier G. Verification of forecasts. Monthly Weather Review 78, 1950"
GOOD = "Good I. Rational decisions. J R Stat Soc B 14, 1952"
FERRI = "Ferri C. et al. Performance measures for classification. Pattern Recogn Lett 30, 2009"
NO_ROW = "there is no row"
ONE_FOR_ALL = "it is one figure for all classes"

#: The log loss takes probabilities no closer to 0 or 1 than this.
CLIP = 1e-15


def _log_loss_of(scores: Any, positive: bool) -> Any:
    """Minus the log of the probability given to what happened, clipped to [1e-15, 1 - 1e-15]."""
    with np.errstate(divide="ignore"):
        loss = -np.log(scores) if positive else -np.log1p(-np.asarray(scores))
    return np.clip(loss, -math.log1p(-CLIP), -math.log(CLIP))


def _log_loss_of_classes(scores: Any, actual: Any) -> Any:
    return _log_loss_of(scores[np.arange(len(actual)), actual], True)


def _squared_of(scores: Any, positive: bool) -> Any:
    return (scores - positive) ** 2


def _absolute_of(scores: Any, positive: bool) -> Any:
    return np.abs(scores - positive)


def _softmax_of(scores: Any, positive: bool) -> Any:
    return np.logaddexp(0.0, -scores if positive else scores)


def _summed_over_classes(row_loss: Callable[..., Any]) -> Callable[..., Any]:
    """The loss of a row: the losses of all its class scores added up."""

    def loss(scores: Any, actual: Any) -> Any:
        own = np.arange(scores.shape[1]) == np.asarray(actual)[:, None]
        return np.where(own, row_loss(scores, True), row_loss(scores, False)).sum(axis=1)

    return loss


def _meant_over_classes(row_loss: Callable[..., Any]) -> Callable[..., Any]:
    """The loss of a row: the mean of the losses of all its class scores."""
    added = _summed_over_classes(row_loss)
    return lambda scores, actual: added(scores, actual) / scores.shape[1]


def total_loss(name: str, s: ScoreTable, row_loss: Callable[..., Any]) -> Cell:
    """The losses of all rows added up."""
    losses = s.positives * row_loss(s.scores, True) + s.negatives * row_loss(s.scores, False)
    return s.cell(name, losses)


def _over_classes(name: str, c: ClassScores, row_loss: Callable[..., Any]) -> Cell:
    """The losses of all rows and classes added up."""
    parts = [total_loss(name, table, row_loss).value for table in c.per_class]
    return c.cell(name, np.stack([np.asarray(part, dtype=np.float64) for part in parts], axis=-1))


#: Means over rows of what each loses.
_loss = partial(
    metric,
    scope="all",
    goal=Goal.MINIMIZE,
    no_average=ONE_FOR_ALL,
    interval=Interval.MEAN,
    undefined=NO_ROW,
)


@_loss(
    title="Log loss",
    aliases=(
        "cross_entropy",
        "cross_entropy_loss",
        "binary_cross_entropy",
        "logloss",
        "negative_log_likelihood",
    ),
    kind=Kind.PROBABILITY,
    bounds=(0.0, math.inf),
    row_loss=_log_loss_of,
    class_loss=_log_loss_of_classes,
    use="to judge probabilities where confident mistakes must cost most",
    avoid="when probabilities of exactly 0 or 1 occur: the value then rests on the clip at 1e-15",
    chance=chance.entropy,
    cautions=("confident_mistake", "clipped_probabilities"),
    reference=GOOD,
)
def log_loss(s: ScoreTable) -> Expression:
    """The mean of minus the natural log of the probability given to the actual class.

    Probabilities are clipped to [1e-15, 1 - 1e-15].

    >>> log_loss(ScoreTable(np.array([0.5]), np.array([1]), np.array([3]))).outcome()
    Value(0.6931471805599453)
    """
    return ratio(total_loss("sum(-log p of the actual class)", s, _log_loss_of), s.rows)


@log_loss.more_classes
def _(c: ClassScores) -> Expression:
    losses = c.true_weights * _log_loss_of(c.true_scores, True)
    return ratio(c.cell("sum(-log p of the actual class)", losses), c.rows)


@_loss(
    title="Brier score",
    aliases=("brier_score", "brier_score_loss"),
    kind=Kind.PROBABILITY,
    bounds=(0.0, 2.0),
    bounds_of_two=(0.0, 1.0),
    row_loss=_squared_of,
    class_loss=_summed_over_classes(_squared_of),
    use="to judge probabilities, ranking and calibration together",
    avoid="across samples of different prevalence: a constant answer scores p (1 - p)",
    chance=chance.squared_error,
    reference=BRIER,
    leads=5,
)
def brier(s: ScoreTable) -> Expression:
    """The mean squared difference of probability and outcome: 0 to 1; over more classes 0 to 2.

    With more than two classes the squares of a row are added up over the classes.

    >>> brier(ScoreTable(np.array([0.9]), np.array([0]), np.array([1]))).outcome()
    Value(0.81)
    """
    return ratio(total_loss("sum((p - y)^2)", s, _squared_of), s.rows)


@brier.more_classes
def _(c: ClassScores) -> Expression:
    return ratio(_over_classes("sum over rows and classes((p - y)^2)", c, _squared_of), c.rows)


@metric(
    title="Scaled Brier score",
    aliases=("brier_skill_score", "index_of_prediction_accuracy"),
    scope="all",
    kind=Kind.PROBABILITY,
    bounds=(-math.inf, 1.0),
    no_average=ONE_FOR_ALL,
    undefined="only one class occurs: the constant answer is already perfect",
    use="as a Brier score in which 0 is the constant answer of the prevalence",
    avoid="across samples of different prevalence",
    chance=0.0,
    reference="Steyerberg E. et al. Assessing the performance of prediction models. "
    "Epidemiology 21, 2010",
)
def brier_scaled(s: ScoreTable) -> Expression:
    """The share of the Brier score of a constant answer, the prevalence, that is saved.

    >>> s = ScoreTable(np.array([0.75, 0.25]), np.array([1, 0]), np.array([0, 1]))
    >>> brier_scaled(s).outcome()
    Value(0.75)
    """
    constant = ratio(s.actual_positives * s.actual_negatives, s.rows)
    return 1 - ratio(total_loss("sum((p - y)^2)", s, _squared_of), constant)


@brier_scaled.more_classes
def _(c: ClassScores) -> Expression:
    squares = c.cell("sum(class rows^2)", c.class_totals * c.class_totals)
    score = _over_classes("sum over rows and classes((p - y)^2)", c, _squared_of)
    return 1 - ratio(score, c.rows - ratio(squares, c.rows))


@_loss(
    title="Mean squared error",
    aliases=("mse", "mean_squared_error", "mean_square_error"),
    kind=Kind.PROBABILITY,
    row_loss=_squared_of,
    class_loss=_meant_over_classes(_squared_of),
    use="as the Brier score on a scale of 0 to 1 whatever the number of classes",
    avoid="beside a Brier score without saying which is which",
    reference=FERRI,
)
def squared_error(s: ScoreTable) -> Expression:
    """The mean squared difference of probability and outcome, over rows and classes.

    For two classes this is the Brier score; for K classes the Brier score over K.

    >>> squared_error(ScoreTable(np.array([0.5]), np.array([2]), np.array([2]))).outcome()
    Value(0.25)
    """
    return ratio(total_loss("sum((p - y)^2)", s, _squared_of), s.rows)


@squared_error.more_classes
def _(c: ClassScores) -> Expression:
    score = _over_classes("sum over rows and classes((p - y)^2)", c, _squared_of)
    return ratio(score, c.rows * Cell("classes", len(c.per_class)))


@_loss(
    title="Mean absolute error",
    aliases=("mae", "mean_absolute_error"),
    kind=Kind.PROBABILITY,
    row_loss=_absolute_of,
    class_loss=_meant_over_classes(_absolute_of),
    use="to state in plain terms how far probabilities are from the outcomes",
    avoid="to choose between models: it rewards pushing probabilities to 0 and 1",
    reference=FERRI,
)
def absolute_error(s: ScoreTable) -> Expression:
    """The mean absolute difference of probability and outcome, over rows and classes.

    >>> absolute_error(ScoreTable(np.array([0.75]), np.array([1]), np.array([1]))).outcome()
    Value(0.5)
    """
    return ratio(total_loss("sum(|p - y|)", s, _absolute_of), s.rows)


@absolute_error.more_classes
def _(c: ClassScores) -> Expression:
    score = _over_classes("sum over rows and classes(|p - y|)", c, _absolute_of)
    return ratio(score, c.rows * Cell("classes", len(c.per_class)))


@_loss(
    title="Softmax cost",
    aliases=("logistic_loss",),
    kind=Kind.MARGIN,
    bounds=(0.0, math.inf),
    row_loss=_softmax_of,
    two_classes_only="margins are signed distances between two classes",
    use="to judge margins as a smooth count of mistakes",
    avoid="to compare models whose margins are on different scales",
    reference="Friedman J., Hastie T., Tibshirani R. Additive logistic regression. "
    "Annals of Statistics 28, 2000",
)
def softmax_cost(s: ScoreTable) -> Expression:
    """The mean of log(1 + exp(-y f)) over margins f, with y = 1 for the class and -1 for the rest.

    >>> softmax_cost(ScoreTable(np.array([0.0]), np.array([1]), np.array([1]))).outcome()
    Value(0.6931471805599453)
    """
    return ratio(total_loss("sum(log(1 + exp(-y f)))", s, _softmax_of), s.rows)


@metric(
    title="Top-k accuracy",
    scope="all",
    no_average=ONE_FOR_ALL,
    interval=Interval.PROPORTION,
    undefined=NO_ROW,
    parameters=(Parameter("k", int, 2, low=1, meaning="how many of the highest scores count"),),
    use="with many classes, when a short list of suggestions is good enough",
    avoid="with few classes: naming all of them is always right",
    reference="Russakovsky O. et al. ImageNet large scale visual recognition challenge. "
    "IJCV 115, 2015",
)
def top_k_accuracy(c: ClassScores, *, k: int = 2) -> Expression:
    """The share of rows whose actual class is among the k highest scores.

    Tied scores are ranked by class order, as for the predicted class.

    >>> ranks = np.array([6, 3, 1])
    >>> c = ClassScores(("a", "b", "c"), (), np.zeros(0), np.zeros(0), ranks, ranks)
    >>> top_k_accuracy(c, k=2).substituted()
    '9 / 10'
    """
    return ratio(c.cell(f"actual class in first {int(k)}", c.ranks[..., : int(k)]), c.rows)
