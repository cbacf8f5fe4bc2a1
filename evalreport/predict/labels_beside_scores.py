"""Labels that a model gave beside its scores, held against ``score >= threshold``."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evalreport.data.checked import Checked
from evalreport.data.findings import Finding, quoted
from evalreport.data.label_column import label_column
from evalreport.data.labels import matcher
from evalreport.data.table import RawTable
from evalreport.values import dataclass

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


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
    find = matcher(checked.labels)
    place = {label: code for code, label in enumerate(checked.labels)}
    codes = np.array([*(place.get(find(label), -2) for label in labels.labels), -1], np.int64)
    said = codes[labels.codes[given.rows]]
    known = said >= 0
    index = len(checked.labels) - 1 if checked.positive is None else checked.positive
    positive, rows = said == index, given.count(known)
    different = {t: given.count(known & ((given.low >= t) != positive)) for t in thresholds}
    agreeing = [t for t in thresholds if not different[t]]
    at = agreeing or list(thresholds)
    told = [_words(column, t, different[t], rows) for t in at]
    if not agreeing:
        told.append(_own_threshold(given, known & positive, known & ~positive))
    lacking, odd = given.count(said == -1), given.count(said == -2)
    if lacking:
        told.append(f"{lacking:,} rows have no label in {column}")
    if odd:
        names = {quoted(labels.labels[c].text) for c in labels.codes[given.rows][said == -2]}
        told.append(f"{odd:,} labels in {column} are no class ({', '.join(sorted(names)[:3])})")
    code = "labels_agree" if agreeing and not odd else "labels_differ"
    counts = {"rows": rows, "without_label": lacking, "no_class": odd}
    return (Finding(code, f"{model}: {'; '.join(told)}. The score is used", counts),)


def _words(column: str, threshold: float, different: int, rows: int) -> str:
    if not different:
        return f"the labels in {column} are those of score >= {threshold:g} in all {rows:,} rows"
    return (
        f"the labels in {column} are not those of score >= {threshold:g} in {different:,} "
        f"of {rows:,} rows"
    )


def _own_threshold(given: Scored, positive: Bools, negative: Bools) -> str:
    """Between which scores the labels change, if they follow from the score at all."""
    if not positive.any() or not negative.any():
        return f"all of them are {'positive' if positive.any() else 'negative'}"
    above, below = float(given.low[positive].min()), float(given.high[negative].max())
    if below < above:
        return f"they are those of a threshold above {below:g} and up to {above:g}"
    return f"no threshold gives them: a negative one stands at {below:g}, a positive at {above:g}"
