"""One rate where another is held: recall at a specificity, and the like.

The threshold is the one of the rows themselves that keeps the held rate and does best on the
other. Another sample would have another threshold, so the interval allows for where it may lie.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evalreport.metrics.declare import CLASS_MEANS, Interval, Parameter, Shows, metric
from evalreport.metrics.formula import Cell, Nothing, Ratio, ratio
from evalreport.metrics.tables import ScoreTable

PEPE = "Pepe M. The Statistical Evaluation of Medical Tests, 2003, 4.3"
#: A rate this little below the one that is held is taken for it: rounding of a product.
ROUNDING = 1e-12
ONLY_ONE = "only one class occurs: there is no second rate to fix"


def _held(name: str, default: float, meaning: str) -> Parameter:
    return Parameter(
        name, float, default, low=0.0, open_low=True, high=1.0, meaning=f"the {meaning} to keep"
    )


def _cells(s: ScoreTable) -> tuple[Any, Any, Any, Any]:
    """TP and FP from no row on, score by score, and both totals shaped to stand beside them."""
    s = s.without_overflow()
    first = [(0, 0)] * (s.positives.ndim - 1) + [(1, 0)]
    tp, fp = np.pad(s.true_positives, first), np.pad(s.false_positives, first)
    return tp, fp, np.asarray(s.positive_total)[..., None], np.asarray(s.negative_total)[..., None]


def _best(s: ScoreTable, counted: Any, kept: Any) -> Any:
    """The largest count at a threshold that keeps the rate."""
    found = np.where(kept, counted, 0).max(axis=-1)
    return found if s.stacked else found.item()


def _share_kept(s: ScoreTable, found: Cell, own: Cell, other: Cell) -> Ratio | Nothing:
    """The share of one class that is found; nothing without rows of the other."""
    if s.stacked:
        return ratio(found, Cell(own.name, np.where(other.value > 0, own.value, 0)))
    return ratio(found, own) if other.value else Nothing(ONLY_ONE)


@metric(
    title="Recall at specificity",
    aliases=("sensitivity_at_specificity", "tpr_at_tnr"),
    averages=CLASS_MEANS,
    interval=Interval.AT_RATE,
    keeps_positives=False,
    undefined=ONLY_ONE,
    parameters=(_held("specificity", 0.95, "specificity"),),
    use="to compare models where only so many false alarms are bearable",
    avoid="as what a threshold fixed beforehand will give: this one is chosen on the same rows",
    shows=Shows.ONE_KIND,
    reference=PEPE,
)
def recall_at_specificity(s: ScoreTable, *, specificity: float = 0.95) -> Ratio | Nothing:
    """The largest recall at a threshold whose specificity is at least the one to keep.

    >>> scores = np.array([0.9, 0.6, 0.4, 0.2])
    >>> s = ScoreTable(scores, np.array([1, 0, 1, 0]), np.array([0, 1, 0, 1]))
    >>> recall_at_specificity(s, specificity=0.5).outcome()
    Value(1.0)
    >>> recall_at_specificity(s, specificity=0.75).outcome()
    Value(0.5)
    """
    tp, fp, _, n = _cells(s)
    kept = n - fp >= (specificity - ROUNDING) * n
    found = Cell("most TP at such a threshold", _best(s, tp, kept))
    return _share_kept(s, found, s.actual_positives, s.actual_negatives)


@metric(
    title="Specificity at recall",
    aliases=("specificity_at_sensitivity", "tnr_at_tpr"),
    averages=CLASS_MEANS,
    interval=Interval.AT_RATE,
    undefined=ONLY_ONE,
    parameters=(_held("recall", 0.95, "recall"),),
    use="to compare models where only so few misses are bearable",
    avoid="as what a threshold fixed beforehand will give: this one is chosen on the same rows",
    shows=Shows.ONE_KIND,
    reference=PEPE,
)
def specificity_at_recall(s: ScoreTable, *, recall: float = 0.95) -> Ratio | Nothing:
    """The largest specificity at a threshold whose recall is at least the one to keep.

    >>> scores = np.array([0.9, 0.6, 0.4, 0.2])
    >>> s = ScoreTable(scores, np.array([1, 0, 1, 0]), np.array([0, 1, 0, 1]))
    >>> specificity_at_recall(s, recall=0.5).outcome(), specificity_at_recall(s, recall=1).outcome()
    (Value(1.0), Value(0.5))
    """
    tp, fp, p, n = _cells(s)
    kept = tp >= (recall - ROUNDING) * p
    found = Cell("most TN at such a threshold", _best(s, n - fp, kept))
    return _share_kept(s, found, s.actual_negatives, s.actual_positives)


@metric(
    title="Precision at recall",
    aliases=("ppv_at_sensitivity",),
    averages=CLASS_MEANS,
    interval=Interval.AT_RATE,
    undefined="no row is actually {label}",
    parameters=(_held("recall", 0.95, "recall"),),
    use="to ask how many of the flagged rows are right where nearly all positives have to be found",
    avoid="across samples of different prevalence",
    shows=Shows.ONE_KIND,
    reference="Davis J., Goadrich M. The relationship between precision-recall and ROC curves. "
    "ICML 2006",
)
def precision_at_recall(s: ScoreTable, *, recall: float = 0.95) -> Ratio | Nothing:
    """The largest precision at a threshold whose recall is at least the one to keep.

    >>> scores = np.array([0.9, 0.6, 0.4, 0.2])
    >>> s = ScoreTable(scores, np.array([1, 0, 1, 0]), np.array([0, 1, 0, 1]))
    >>> round(precision_at_recall(s, recall=1).outcome().number, 9)
    0.666666667
    """
    tp, fp, p, _ = _cells(s)
    kept = (tp >= (recall - ROUNDING) * p) & (tp + fp > 0)
    share = np.divide(tp, tp + fp, out=np.zeros(np.shape(tp)), where=tp + fp > 0)
    place = np.where(kept, share, -1.0).argmax(axis=-1)[..., None]
    own, all_flagged = (np.take_along_axis(x, place, axis=-1)[..., 0] for x in (tp, tp + fp))
    if s.stacked:
        none = p[..., 0] == 0
        flagged: Any = np.where(none, 0, all_flagged)
        return ratio(Cell("TP there", own), Cell("(TP + FP) there", flagged))
    if not p.item():
        return Nothing("no row is actually of the class")
    return ratio(Cell("TP there", own.item()), Cell("(TP + FP) there", all_flagged.item()))
