"""Metrics of predicted sets of labels: each is a mean over rows.

Definitions follow Tsoumakas and Katakis (2007) and Sorower (2010). A row for
which a metric is 0 / 0 is left out of the mean, and the mean says over how many
rows it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from evalreport.metrics.declare import Goal, Interval, Parameter, metric
from evalreport.metrics.formula import Cell, Expression, Ratio, ratio
from evalreport.metrics.sets_table import LabelSets, mean_of_rows

TSOUMAKAS = "Tsoumakas G., Katakis I. Multi-label classification: an overview. IJDWM 3, 2007"
SOROWER = "Sorower M. A literature survey on algorithms for multi-label learning. 2010"
NO_ROW = "there is no row"
OVER_ROWS = "it is already a mean over rows"


def _exact_rows(s: LabelSets) -> Any:
    return (s.actual == s.predicted).all(axis=1).astype(np.int64)


def _hamming_rows(s: LabelSets) -> Any:
    return (s.actual != s.predicted).sum(axis=1) / len(s.labels)


def alpha_rows(s: LabelSets, *, alpha: float = 1, beta: float = 1, gamma: float = 1) -> Any:
    """The alpha-evaluation of every row; NaN where a row has no label and is given none."""
    c = s.of_rows
    tp, missed, wrong = c.tp.value, c.fn.value, c.fp.value
    union = tp + missed + wrong
    some = union > 0
    lost = np.divide(beta * missed + gamma * wrong, union, out=np.zeros(union.shape), where=some)
    return np.where(some, np.maximum(1 - lost, 0) ** alpha, np.nan)


def _hierarchical_rows(s: LabelSets, *, parents: Mapping[str, str | None]) -> Any:
    wrong = s.actual != s.predicted
    losses = np.zeros(len(wrong), dtype=np.int64)
    for index, label in enumerate(s.labels):
        counted = wrong[:, index].copy()
        for above in _ancestors(label, parents):
            counted &= ~wrong[:, s.labels.index(above)]
        losses += counted
    return losses


def _ancestors(label: str, parents: Mapping[str, str | None]) -> list[str]:
    """The parent of a label, its parent, and so on up to the root."""
    found: list[str] = []
    above = parents.get(label)
    while above is not None:
        if above in found or above == label:
            raise ValueError(f"label {label!r} is its own ancestor")
        found.append(above)
        above = parents.get(above)
    return found


#: Means over rows.
_mean_of_rows = partial(metric, scope="all", no_average=OVER_ROWS, interval=Interval.MEAN)


@metric(
    title="Exact match",
    aliases=("subset_accuracy", "exact_match_ratio"),
    scope="all",
    no_average=OVER_ROWS,
    interval=Interval.PROPORTION,
    undefined=NO_ROW,
    row_values=_exact_rows,
    use="when a set of labels is only useful if all of it is right",
    avoid="with many labels: nearly right counts as wrong",
    reference=SOROWER,
)
def exact_match(s: LabelSets) -> Ratio:
    """The share of rows whose predicted set of labels is exactly the actual one.

    >>> a, p = np.array([[1, 0], [1, 1]], bool), np.array([[1, 0], [1, 0]], bool)
    >>> exact_match(LabelSets(("x", "y"), a, p)).substituted()
    '1 / 2'
    """
    return ratio(s.cell("exact", _exact_rows(s)), s.rows)


@_mean_of_rows(
    title="Hamming loss",
    goal=Goal.MINIMIZE,
    undefined=NO_ROW,
    row_values=_hamming_rows,
    use="to count missed and false labels equally",
    avoid="with many labels of which few apply: giving none is nearly right",
    reference=TSOUMAKAS,
)
def hamming_loss(s: LabelSets) -> Ratio:
    """The share of all row and label pairs that is wrong.

    >>> a, p = np.array([[1, 0], [1, 1]], bool), np.array([[1, 0], [1, 0]], bool)
    >>> hamming_loss(LabelSets(("x", "y"), a, p)).substituted()
    '1 / (2 * 2)'
    """
    wrong = s.cell("wrong", (s.actual != s.predicted).sum(axis=1))
    return ratio(wrong, s.rows * Cell("labels", len(s.labels)))


@_mean_of_rows(
    title="Jaccard index of rows",
    aliases=("multilabel_accuracy",),
    undefined="no row has a label or is given one",
    row_values=alpha_rows,
    use="to give part of the credit for a set that is partly right",
    avoid="without the number of rows it is over: rows without any label have no value",
    reference=TSOUMAKAS,
)
def example_jaccard(s: LabelSets) -> Ratio:
    """The mean over rows of labels shared over labels in either the actual or predicted set.

    >>> a, p = np.array([[1, 0], [1, 1]], bool), np.array([[1, 0], [1, 0]], bool)
    >>> example_jaccard(LabelSets(("x", "y"), a, p)).substituted()
    '1.5 / 2'
    """
    return mean_of_rows(s, alpha_rows(s))


@_mean_of_rows(
    title="Alpha-evaluation",
    undefined="no row has a label or is given one",
    parameters=(
        Parameter(
            "alpha",
            float,
            1.0,
            low=0.0,
            high=1e6,
            meaning="how strictly mistakes are judged; 0 forgives all",
        ),
        Parameter("beta", float, 1.0, low=0.0, high=1.0, meaning="weight of a missed label"),
        Parameter("gamma", float, 1.0, low=0.0, high=1.0, meaning="weight of a false label"),
    ),
    row_values=alpha_rows,
    use="to weigh missed against false labels, and to choose how strict to be",
    avoid="without its three parameters: they are part of the measure",
    reference=f"Boutell M. et al. Pattern Recognition 37, 2004; {SOROWER}",
)
def alpha_evaluation(
    s: LabelSets, *, alpha: float = 1.0, beta: float = 1.0, gamma: float = 1.0
) -> Ratio:
    """The mean over rows of (1 - (beta missed + gamma false) / labels in either set) ^ alpha.

    >>> a, p = np.array([[1, 0], [1, 1]], bool), np.array([[1, 0], [1, 0]], bool)
    >>> alpha_evaluation(LabelSets(("x", "y"), a, p), alpha=2.0).substituted()
    '1.25 / 2'
    """
    return mean_of_rows(s, alpha_rows(s, alpha=alpha, beta=beta, gamma=gamma))


@_mean_of_rows(
    title="Hierarchical loss",
    aliases=("h_loss",),
    goal=Goal.MINIMIZE,
    bounds=(0.0, math.inf),
    undefined=NO_ROW,
    row_values=_hierarchical_rows,
    use="when labels form a tree, and a mistake high up makes those below it idle",
    avoid="when a mistake deep in the tree costs as much as one near its root",
    reference=f"Cesa-Bianchi N., Gentile C., Zaniboni L. JMLR 7, 2006; {SOROWER}",
)
def hierarchical_loss(s: LabelSets, *, parents: Mapping[str, str | None]) -> Expression:
    """The mean number of wrong labels per row, not counting those below another wrong label.

    ``parents`` names the parent of each label that has one.

    >>> a, p = np.array([[1, 1]], bool), np.array([[0, 0]], bool)
    >>> hierarchical_loss(LabelSets(("x", "y"), a, p), parents={"y": "x"}).substituted()
    '1 / 1'
    """
    losses = _hierarchical_rows(s, parents=parents)
    return ratio(s.cell("wrong under right parents", losses), s.rows)
