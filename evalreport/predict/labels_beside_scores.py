"""Labels that a model gave beside its scores, held against ``score >= threshold``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evalreport.data.checked import Checked
from evalreport.data.findings import Finding, quoted
from evalreport.data.label_column import LabelColumn, label_column
from evalreport.data.labels import matcher
from evalreport.data.table import RawTable
from evalreport.predict.view import LabelView

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Scored:
    """Rows, or kinds of rows: ``rows`` of the table are used, with scores from ``low`` to ``high``.

    ``times``: how many rows each stands for, None where each is one. No threshold lies above
    the lowest and at most at the highest score of a kind.
    """

    table: RawTable
    rows: npt.NDArray[np.int64]
    low: Floats
    high: Floats
    times: npt.NDArray[np.int64] | None = None

    def count(self, chosen: Bools) -> int:
        """How many rows are chosen."""
        return int(np.count_nonzero(chosen) if self.times is None else self.times[chosen].sum())


def agreement(
    given: Scored, column: str, model: str, checked: Checked, thresholds: tuple[float, ...]
) -> tuple[Finding, ...]:
    """Whether labels in ``column`` are those of ``score >= threshold``, at each threshold.

    Args:
        given: the rows that are used, with their scores.
        column: the labels that the model gave.
        model: what the model is called.
        checked: the classes, and which one is positive.
        thresholds: the plain numbers at which the model is read.

    They have to be those of one of the thresholds. A row without a label takes no part and
    is counted, and so is a label that is no class. Where the labels rest on another
    threshold it is told between which scores it lies.
    """
    labels = label_column(given.table, column)
    said = _codes(labels, checked.labels)[given.rows]
    known = said >= 0
    index = len(checked.labels) - 1 if checked.positive is None else checked.positive
    positive, rows = said == index, given.count(known)
    different = {t: given.count(known & ((given.low >= t) != positive)) for t in thresholds}
    agreeing = [t for t in thresholds if not different[t]]
    at = agreeing or list(thresholds)
    told = [_words(_in(column), _cut(t), different[t], rows) for t in at]
    if not agreeing:
        told.append(_own_threshold(given.low, given.high, known & positive, known & ~positive))
    lacking, odd = given.count(said == -1), given.count(said == -2)
    if lacking:
        told.append(f"{lacking:,} rows have no label in {column}")
    if odd:
        names = {quoted(labels.labels[c].text) for c in labels.codes[given.rows][said == -2]}
        told.append(f"{odd:,} labels in {column} are no class ({', '.join(sorted(names)[:3])})")
    code = "labels_agree" if agreeing and not odd else "labels_differ"
    counts = {"rows": rows, "without_label": lacking, "no_class": odd}
    return (Finding(code, f"{model}: {'; '.join(told)}. The score is used", counts),)


def agreement_by_class(view: LabelView, table: RawTable, column: str) -> tuple[Finding, ...]:
    """Whether labels in ``column`` are of the class with the largest score, of several."""
    said = _codes(label_column(table, column), view.labels)[view.row]
    different = int(np.count_nonzero(said != view.predicted))
    told = _words(_in(column), LARGEST, different, len(said))
    code = "labels_differ" if different else "labels_agree"
    return (Finding(code, f"{view.model}: {told}. The scores are used", {"rows": len(said)}),)


def own_labels(view: LabelView) -> tuple[Finding, ...]:
    """A finding where what a model itself decides is not what its scores say."""
    said = view.predicted
    if said is None or (view.score is None and view.class_scores is None):
        return ()
    known, own, at = said < len(view.labels), None, LARGEST
    if view.score is not None:
        positive = said == view.positive_index
        usual = 0.0 if view.source == "margin" else 0.5
        differs, at = (view.score >= usual) != positive, _cut(usual)
        own = _own_threshold(view.score, view.score, known & positive, known & ~positive)
    else:
        assert view.class_scores is not None
        differs = view.class_scores.argmax(axis=1) != said
    different = int(np.count_nonzero(known & differs))
    if not different:
        return ()
    told = _words("the labels that it decides", at, different, int(np.count_nonzero(known)))
    words = "; ".join(part for part in (told, own) if part)
    message = f"{view.model}: {words}. Tables are of these labels, curves of the scores"
    return (Finding("labels_differ", message, {"rows": len(said), "different": different}),)


def _codes(labels: LabelColumn, classes: Sequence[str]) -> Codes:
    """The place of each label of a column among the classes; -1 missing, -2 none of them."""
    find = matcher(classes)
    place = {label: code for code, label in enumerate(classes)}
    codes = [*(place.get(find(label), -2) for label in labels.labels), -1]
    return np.array(codes, np.int64)[labels.codes]


#: What labels of several classes are held against.
LARGEST = "the largest score"


def _in(column: str) -> str:
    return f"the labels in {column}"


def _cut(threshold: float) -> str:
    return f"score >= {threshold:g}"


def _words(labels: str, of: str, different: int, rows: int) -> str:
    if not different:
        return f"{labels} are those of {of} in all {rows:,} rows"
    return f"{labels} are not those of {of} in {different:,} of {rows:,} rows"


def _own_threshold(low: Floats, high: Floats, positive: Bools, negative: Bools) -> str:
    """Between which scores the labels change, if they follow from the score at all."""
    if not positive.any() or not negative.any():
        return f"all of them are {'positive' if positive.any() else 'negative'}"
    above, below = float(low[positive].min()), float(high[negative].max())
    if below < above:
        return f"they are those of a threshold above {below:g} and up to {above:g}"
    return f"no threshold gives them: a negative one stands at {below:g}, a positive at {above:g}"
