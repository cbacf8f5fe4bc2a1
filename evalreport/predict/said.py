"""A model that gives a score and a label: the score is used, and the label held against it."""

from __future__ import annotations

from typing import Any

import numpy as np

from evalreport.data.checked import Checked
from evalreport.data.findings import Finding, quoted
from evalreport.data.label_column import label_column
from evalreport.data.labels import matcher
from evalreport.data.table import RawTable
from evalreport.predict.view import View


def agreement(
    table: RawTable, column: str, checked: Checked, view: View, thresholds: tuple[float, ...]
) -> tuple[Finding, ...]:
    """Whether labels in ``column`` are those of ``score >= threshold``, at each threshold.

    Args:
        table: the rows of the file.
        column: the labels that the model gave.
        checked: the rows that are used, their classes and which one is positive.
        view: the same rows with their score.
        thresholds: the plain numbers at which the model is read.

    They have to be those of one of the thresholds. A row without a label takes no part and
    is counted, and so is a label that is no class. Where the labels rest on another
    threshold it is told between which scores it lies.
    """
    given = label_column(table, column)
    find = matcher(checked.labels)
    place = {label: code for code, label in enumerate(checked.labels)}
    codes = np.array([*(place.get(find(label), -2) for label in given.labels), -1], np.int64)
    said = codes[given.codes[checked.used]]
    known = said >= 0
    assert view.score is not None
    score, positive = view.score[known], said[known] == view.positive_index
    agreeing = [t for t in thresholds if not _different(score, positive, t)]
    at = agreeing or list(thresholds)
    told = [_words(column, t, _different(score, positive, t), len(score)) for t in at]
    if not agreeing:
        told.append(_own_threshold(score, positive))
    lacking, odd = int((said == -1).sum()), int((said == -2).sum())
    if lacking:
        told.append(f"{lacking:,} rows have no label in {column}")
    if odd:
        names = {quoted(given.labels[c].text) for c in given.codes[checked.used][said == -2]}
        told.append(f"{odd:,} labels in {column} are no class ({', '.join(sorted(names)[:3])})")
    code = "labels_agree" if agreeing and not odd else "labels_differ"
    counts = {"rows": len(score), "without_label": lacking, "no_class": odd}
    return (Finding(code, f"{view.model}: {'; '.join(told)}. The score is used", counts),)


def _different(score: Any, positive: Any, threshold: float) -> int:
    return int(((score >= threshold) != positive).sum())


def _words(column: str, threshold: float, different: int, rows: int) -> str:
    if not different:
        return f"the labels in {column} are those of score >= {threshold:g} in all {rows:,} rows"
    return (
        f"the labels in {column} are not those of score >= {threshold:g} in {different:,} "
        f"of {rows:,} rows"
    )


def _own_threshold(score: Any, positive: Any) -> str:
    """Between which scores the labels change, if they follow from the score at all."""
    if positive.all() or not positive.any():
        return f"all of them are {'positive' if positive.any() else 'negative'}"
    above, below = float(score[positive].min()), float(score[~positive].max())
    if below < above:
        return f"they are those of a threshold above {below:g} and up to {above:g}"
    return f"no threshold gives them: a negative one stands at {below:g}, a positive at {above:g}"
