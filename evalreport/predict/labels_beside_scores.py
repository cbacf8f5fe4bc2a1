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
from evalreport.data.table import Places, RawTable
from evalreport.numbers import threshold_text
from evalreport.plan.inputs import default_threshold
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
    rows: Places
    low: Floats
    high: Floats
    times: Codes | None = None


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
    said = _Said(given.table, column, checked.labels, given.rows, given.times)
    index = len(checked.labels) - 1 if checked.positive is None else checked.positive
    known, positive = said.codes >= 0, said.codes == index
    different = {t: said.count(known & ((given.low >= t) != positive)) for t in thresholds}
    agreeing = [t for t in thresholds if not different[t]]
    told = [said.words(_cut(t), different[t]) for t in agreeing or thresholds]
    if not agreeing:
        told.append(_own_threshold(given.low, given.high, known & positive, known & ~positive))
    return said.finding(model, told, "The score is used", agree=bool(agreeing))


def agreement_by_class(view: LabelView, table: RawTable, column: str) -> tuple[Finding, ...]:
    """Whether labels in ``column`` are of the class with the largest score, of several."""
    said = _Said(table, column, view.labels, view.row, view.times)
    different = said.count((said.codes >= 0) & (said.codes != view.predicted))
    told = [said.words(LARGEST, different)]
    return said.finding(view.model, told, "The scores are used", agree=not different)


def own_labels(view: LabelView) -> tuple[Finding, ...]:
    """A finding where what a model itself decides is not what its scores say."""
    said = view.predicted
    if said is None or (view.score is None and view.class_scores is None):
        return ()
    known, own, at = said < len(view.labels), None, LARGEST
    if view.score is not None:
        positive = said == view.positive_index
        usual = default_threshold(view.source)
        differs, at = (view.score >= usual) != positive, _cut(usual)
        own = _own_threshold(view.score, view.score, known & positive, known & ~positive)
    else:
        assert view.class_scores is not None
        differs = view.class_scores.argmax(axis=1) != said
    different = _count(known & differs, view.times)
    if not different:
        return ()
    told = _words("the labels that it decides", at, different, _count(known, view.times))
    words = "; ".join(part for part in (told, own) if part)
    message = f"{view.model}: {words}. Tables are of these labels, curves of the scores"
    return (Finding("labels_differ", message, {"rows": view.rows, "different": different}),)


class _Said:
    """What labels in a column are: ``codes`` of the classes, -1 missing, -2 none of them.

    Of some ``rows`` of the table; ``times`` as in :class:`Scored`.
    """

    def __init__(
        self,
        table: RawTable,
        column: str,
        classes: Sequence[str],
        rows: Places,
        times: Codes | None,
    ) -> None:
        labels = label_column(table, column)
        self.column, self.times = column, times
        self.codes = _codes(labels, classes)[rows]
        self.strange = {labels.labels[c].text for c in labels.codes[rows][self.codes == -2]}

    def count(self, chosen: Bools) -> int:
        """How many rows are chosen."""
        return _count(chosen, self.times)

    def words(self, of: str, different: int) -> str:
        """How many of the labels that are classes are not those of a score."""
        return _words(f"the labels in {self.column}", of, different, self.count(self.codes >= 0))

    def finding(
        self, model: str, told: Sequence[str], used: str, *, agree: bool
    ) -> tuple[Finding, ...]:
        """What is told of them, with how many rows have no label, and one that is no class."""
        parts, lacking, odd = [*told], self.count(self.codes == -1), self.count(self.codes == -2)
        if lacking:
            parts.append(f"{lacking:,} rows have no label in {self.column}")
        if odd:
            names = ", ".join(sorted(map(quoted, self.strange))[:3])
            parts.append(f"{odd:,} labels in {self.column} name no class ({names})")
        code = "labels_agree" if agree and not odd else "labels_differ"
        counts = {"rows": self.count(self.codes >= 0), "without_label": lacking, "no_class": odd}
        return (Finding(code, f"{model}: {'; '.join(parts)}. {used}", counts),)


def _count(chosen: Bools, times: Codes | None) -> int:
    return int(np.count_nonzero(chosen) if times is None else times[chosen].sum())


def _codes(labels: LabelColumn, classes: Sequence[str]) -> Codes:
    """The place of each label of a column among the classes; -1 missing, -2 none of them."""
    find = matcher(classes)
    place = {label: code for code, label in enumerate(classes)}
    codes = [*(place.get(find(label), -2) for label in labels.labels), -1]
    return np.array(codes, np.int64)[labels.codes]


#: What labels of several classes are held against.
LARGEST = "the largest score"


def _cut(threshold: float) -> str:
    return f"score ≥ {threshold_text(threshold)}"


def _words(labels: str, of: str, different: int, rows: int) -> str:
    if not different:
        return f"{labels} agree with those of {of} in all {rows:,} rows"
    return f"{labels} differ from those of {of} in {different:,} of {rows:,} rows"


def _own_threshold(low: Floats, high: Floats, positive: Bools, negative: Bools) -> str:
    """Between which scores the labels change, if they follow from the score at all."""
    if not positive.any() or not negative.any():
        return f"all of them are {'positive' if positive.any() else 'negative'}"
    above, below = float(low[positive].min()), float(high[negative].max())
    if below < above:
        return f"a threshold above {below:g} and up to {above:g} gives them"
    return f"no threshold gives them: a negative is at {below:g}, a positive at {above:g}"
