"""Signs that test rows were known in training, each a finding with its counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from evalreport.data.findings import Finding, quoted
from evalreport.predict.coincidence import more_than_chance, row_marks
from evalreport.predict.features import Feature, FeatureTable
from evalreport.predict.outcome import Codes
from evalreport.predict.schemes import Split
from evalreport.statistics.delong import auc

#: A single feature that ranks the classes this well is told.
NEAR_PERFECT = 0.99
#: Fewer rows of a class say too little of a single feature.
FEWEST_ROWS = 5


def repeated_rows(table: FeatureTable, splits: Sequence[Split], actual: Codes) -> Iterator[Finding]:
    """A finding if tested rows equal a row trained on in the same fold in every feature.

    There is none where chance explains the number of equal pairs.
    """
    if not table.columns:
        return
    known = [np.where(np.isnan(c.values), np.inf, c.values + 0.0) for c in table.columns]
    values = [np.unique(own, return_inverse=True)[1].reshape(-1) for own in known]
    marks = np.add.reduce(row_marks(values))
    counts = [int(np.isin(marks[s.test], marks[s.train]).sum()) for s in splits]
    rows, tested = sum(counts), sum(len(s.test) for s in splits)
    if not rows or not more_than_chance(values, [actual == k for k in np.unique(actual)]):
        return
    yield Finding(
        "repeated_rows",
        f"{rows} of {tested} tested rows equal a row trained on in the same fold in all of "
        f"{len(table.columns)} features.",
        {"rows": rows, "of": tested, "folds": sum(count > 0 for count in counts)},
    )


def telling_features(
    table: FeatureTable, actual: Codes, labels: Sequence[str], positive: int | None = None
) -> Iterator[Finding]:
    """Findings for features that all but state the target.

    A feature equals the target where its values (missing is one) and the classes stand
    for each other one to one. With two classes, a column of numbers whose ROC AUC, in
    either direction, is at least :data:`NEAR_PERFECT` is told too.
    """
    if len(np.unique(actual)) < 2:
        return
    for column in table.columns:
        if _stands_for_target(column, actual):
            yield Finding(
                "feature_equals_target",
                f"Feature {quoted(column.name)} and the target correspond one to one in all "
                f"{len(actual)} rows: it gives the answer away.",
                {"feature": column.name, "rows": len(actual)},
            )
        elif len(labels) == 2 and column.kind == "number":
            yield from _near_perfect(column, actual, 1 if positive is None else positive, labels)


def _stands_for_target(column: Feature, actual: Codes) -> bool:
    values = column.values
    codes = np.unique(np.where(np.isnan(values), np.inf, values), return_inverse=True)[1]
    pairs = np.unique(np.column_stack([codes.reshape(-1), actual]), axis=0)
    return len(pairs) == len(np.unique(codes)) == len(np.unique(actual))


def _near_perfect(
    column: Feature, actual: Codes, positive: int, labels: Sequence[str]
) -> Iterator[Finding]:
    known = ~np.isnan(column.values)
    is_class = (actual == positive)[known]
    if min(is_class.sum(), (~is_class).sum()) < FEWEST_ROWS:
        return
    distinct, entry = np.unique(-column.values[known], return_inverse=True)
    area = auc(
        np.bincount(entry[is_class], minlength=len(distinct)),
        np.bincount(entry[~is_class], minlength=len(distinct)),
    )
    if area is None or max(area, 1 - area) < NEAR_PERFECT:
        return
    direction = "high" if area >= 0.5 else "low"
    yield Finding(
        "near_perfect_feature",
        f"Feature {quoted(column.name)} alone has a ROC AUC of {max(area, 1 - area):.4g} "
        f"({direction} values for {quoted(labels[positive])}, {int(known.sum())} rows): it may "
        "have been recorded after the fact.",
        {"feature": column.name, "roc_auc": area, "rows": int(known.sum())},
    )
