"""Which numbers need a cell of the table that is not known: found by trying.

In search and retrieval nobody counts the true negatives: the documents that are rightly not
returned. A dataset declares such cells (``unknown: [tn]``). A metric needs them where its
value on one example changes with what is put in; whatever needs them is undefined. Negatives
that are not among the rows are taken to score below every row that is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalreport.metrics.declare import Metric, Table
from evalreport.spec.thresholds import Threshold

CELLS = ("tp", "fp", "fn", "tn")
WORDS = {
    "tp": "true positives",
    "fp": "false positives",
    "fn": "false negatives",
    "tn": "true negatives",
}
#: What is put into an unknown cell: any change of the value shows that it matters.
TRIED = (0, 1, 7, 29)
_KNOWN = {"tp": 11, "fp": 3, "fn": 5, "tn": 17}
#: What a metric takes from elsewhere in the spec, for the example.
_CONTEXT: Mapping[str, Any] = {
    "costs": {"false_negative": 5, "false_positive": 1},
    "threshold": 0.3,
    "highest": (3, 4),
}


def unknown_words(unknown: Sequence[str]) -> str:
    """The cells in words, as reasons and pages name them.

    >>> unknown_words(("tn",)), unknown_words(("fn", "tn"))
    ('true negatives', 'false negatives and true negatives')
    """
    return " and ".join(WORDS[cell] for cell in CELLS if cell in unknown)


def needs_unknown(
    metric: Metric,
    params: Mapping[str, Any],
    unknown: Sequence[str],
    *,
    of_positive: bool = True,
    averaged: bool = False,
) -> str | None:
    """Why a value is undefined where these cells are not known, or None.

    >>> from evalreport.metrics.catalogue import find
    >>> [needs_unknown(find(name), {}, ("tn",)) for name in ("recall", "specificity")]
    [None, 'it needs the true negatives, which are not known']
    >>> needs_unknown(find("recall"), {}, ("tn",), of_positive=False) is None
    False
    """
    if not unknown:
        return None
    reason = f"it needs the {unknown_words(unknown)}, which are not known"
    # the true negatives of a class are the true positives of the other one
    if averaged:
        return reason
    try:
        found = [_tried(metric, params, unknown, number, of_positive) for number in TRIED]
    except Exception:  # noqa: BLE001 - what cannot be tried is not known to do without
        return reason
    return None if all(one == found[0] for one in found[1:]) else reason


def _tried(
    metric: Metric, params: Mapping[str, Any], unknown: Sequence[str], number: int, positive: bool
) -> Any:
    cells = {**_KNOWN, **{cell: number + place for place, cell in enumerate(unknown)}}
    arguments = metric.arguments(dict(params))
    arguments.update({name: _CONTEXT[name] for name in metric.context})
    return metric(_example(metric.table, cells, unknown, positive), **arguments).outcome()


def _example(table: Table, cells: Mapping[str, int], unknown: Sequence[str], positive: bool) -> Any:
    from evalreport.metrics.tables import Counts, Matrix

    tp, fp, fn, tn = (cells[cell] for cell in CELLS)
    if table is Table.COUNTS:
        return Counts(tp, fp, fn, tn) if positive else Counts(tn, fn, fp, tp)
    if table is Table.MATRIX:
        return Matrix.from_counts([[tn, fp], [fn, tp]])
    if table is Table.SCORES and positive and set(unknown) == {"tn"}:
        return _scores(tn)
    raise ValueError("a table of single rows needs every row")


def _scores(more: int) -> Any:
    """Scores of known rows, and so many negatives below them."""
    import numpy as np

    from evalreport.metrics.tables import ScoreTable

    scores = np.array([0.9, 0.7, 0.4, 0.2, 0.1])
    return ScoreTable(scores, np.array([4, 5, 3, 4, 0]), np.array([1, 2, 4, 2, more]))


def rule_needs_unknown(rule: Threshold, unknown: Sequence[str]) -> str | None:
    """Why a threshold rule has no solution where these cells are not known, or None."""
    if not unknown:
        return None
    told = f"it needs the {unknown_words(unknown)}, which are not known"
    if rule.top is not None:
        return f"a share or number of all rows: {told}"
    for _, asked in rule.metrics:
        if asked.is_corner or needs_unknown(asked.metric, asked.params, unknown) is not None:
            return f"{asked.text}: {told}"
    return None
