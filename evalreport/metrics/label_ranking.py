"""Metrics of how the scores of a row rank its own labels above the others.

Definitions follow Tsoumakas, Katakis and Vlahavas (2010). Ties count against the
classifier by half in the ranking loss, and fully in coverage and precision; among
labels tied for the first place the one error is the share of wrong ones. A row
for which a metric is 0 / 0 is left out of the mean. Each metric is declared by its value of every
row.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np

from evalreport.metrics.declare import Goal, Interval, Metric, metric
from evalreport.metrics.formula import Expression, Nothing
from evalreport.metrics.sets_table import LabelSets, mean_of_rows

VLAHAVAS = "Tsoumakas G., Katakis I., Vlahavas I. Mining multi-label data. 2010"
OVER_ROWS = "it is already a mean over rows"
NO_SCORES = "the model gives no score per label"
NO_LABEL = "no row has a label"
NO_PAIR = "no row has both a label and one it lacks"


_mean_of_rows = partial(
    metric,
    scope="all",
    no_average=OVER_ROWS,
    interval=Interval.MEAN,
    ranks_labels=True,
    reference=VLAHAVAS,
)


def _of_ranks(**facts: Any) -> Callable[[Callable[[LabelSets], Any]], Metric]:
    """Declare the mean over rows of how their labels are ranked, by the values of the rows."""

    def declare(rows: Callable[[LabelSets], Any]) -> Metric:
        @wraps(rows)
        def mean(s: LabelSets) -> Expression:
            return Nothing(NO_SCORES) if s.scores is None else mean_of_rows(s, rows(s))

        return _mean_of_rows(row_values=rows, **facts)(mean)

    return declare


@_of_ranks(
    title="One error",
    goal=Goal.MINIMIZE,
    interval=Interval.PROPORTION,
    undefined=NO_LABEL,
    use="when only the first suggestion is used",
    avoid="when all labels of a row matter",
)
def one_error(s: LabelSets) -> Any:
    """The share of rows whose highest-scored label is not among the actual ones.

    >>> a, scores = np.array([[1, 0], [1, 0]], bool), np.array([[0.9, 0.2], [0.3, 0.4]])
    >>> one_error(LabelSets(("x", "y"), a, a, scores)).substituted()
    '1 / 2'
    """
    assert s.scores is not None
    first = s.scores == s.scores.max(axis=1, keepdims=True)
    wrong = (first & ~s.actual).sum(axis=1) / first.sum(axis=1)
    return np.where(s.actual.any(axis=1), wrong, np.nan)


@_of_ranks(
    title="Coverage error",
    goal=Goal.MINIMIZE,
    bounds=(0.0, math.inf),
    undefined=NO_LABEL,
    use="to show how far down the list one must go to find every label of a row",
    avoid="to compare data with different numbers of labels per row",
)
def coverage_error(s: LabelSets) -> Any:
    """How many of the highest-scored labels it takes, on average, to cover all of a row's labels.

    Counted from 1: the best value is the mean number of labels of a row.

    >>> a, scores = np.array([[1, 0], [1, 0]], bool), np.array([[0.9, 0.2], [0.3, 0.4]])
    >>> coverage_error(LabelSets(("x", "y"), a, a, scores)).substituted()
    '3 / 2'
    """
    assert s.scores is not None
    lowest = np.where(s.actual, s.scores, np.inf).min(axis=1, keepdims=True)
    depth = (s.scores >= lowest).sum(axis=1)
    return np.where(s.actual.any(axis=1), depth, np.nan)


@_of_ranks(
    title="Ranking loss",
    goal=Goal.MINIMIZE,
    undefined=NO_PAIR,
    use="to ask how often a label that a row lacks is scored above one that it has",
    avoid="when only the first few suggestions are used",
)
def ranking_loss(s: LabelSets) -> Any:
    """The mean share of (own, other) label pairs of a row that are scored in the wrong order.

    >>> a, scores = np.array([[1, 0], [1, 0]], bool), np.array([[0.9, 0.2], [0.3, 0.4]])
    >>> ranking_loss(LabelSets(("x", "y"), a, a, scores)).substituted()
    '1 / 2'
    """
    assert s.scores is not None
    swapped = np.zeros(len(s.actual))
    for k in range(len(s.labels)):
        own = s.scores[:, k : k + 1]
        above = ((s.scores > own) & ~s.actual).sum(axis=1)
        tied = ((s.scores == own) & ~s.actual).sum(axis=1)
        swapped += np.where(s.actual[:, k], above + tied / 2, 0)
    has = s.actual.sum(axis=1)
    pairs = has * (len(s.labels) - has)
    return np.divide(swapped, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)


@_of_ranks(
    title="Label ranking average precision",
    aliases=("lrap",),
    undefined=NO_LABEL,
    use="to judge the whole ranking of labels, its top most of all",
    avoid="when a threshold is applied: judge the sets of labels instead",
)
def label_ranking_average_precision(s: LabelSets) -> Any:
    """The mean, over a row's labels, of the share of its labels among those scored as high.

    >>> a, scores = np.array([[1, 0], [1, 0]], bool), np.array([[0.9, 0.2], [0.3, 0.4]])
    >>> label_ranking_average_precision(LabelSets(("x", "y"), a, a, scores)).substituted()
    '1.5 / 2'
    """
    assert s.scores is not None
    shares = np.zeros(len(s.actual))
    for k in range(len(s.labels)):
        reached = s.scores >= s.scores[:, k : k + 1]
        share = (reached & s.actual).sum(axis=1) / reached.sum(axis=1)
        shares += np.where(s.actual[:, k], share, 0)
    has = s.actual.sum(axis=1)
    return np.divide(shares, has, out=np.full(len(has), np.nan), where=has > 0)
