"""What the planner needs to know of a dataset and model, whatever kind of view it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from evalreport.data.labels import label_kind
from evalreport.plan.inputs import Facts
from evalreport.predict.view import View


def facts_of(view: View, crossings: tuple[tuple[str, ...], ...]) -> Facts:
    """The facts of a view, with the values of each crossing of subgroup columns that occur."""
    low, high = view.score_range
    two = len(view.labels) <= 2 and not view.label_sets
    return Facts(
        dataset=view.dataset,
        model=view.model,
        source=view.source,
        decided=view.decided,
        labels=view.labels,
        positive=view.labels[view.positive_index] if two else None,
        rows=view.rows,
        weighted=view.weight is not None,
        designed=None if view.sample is None else view.sample.kind,
        clustered=view.cluster is not None,
        indeterminate=view.indeterminate,
        folds=view.fold[1] if view.fold is not None else (),
        groups={columns: _occurring(view, columns) for columns in crossings},
        low=low,
        high=high,
        fold_sizes=view.fold_sizes,
        unknown=view.unknown,
        label_sets=view.label_sets,
    )


def in_order(labels: tuple[str, ...], declared: Iterable[Sequence[str] | None]) -> bool:
    """Whether the order of classes is known: of two, of numbers, or of all that are declared."""
    if len(labels) <= 2 or label_kind(labels) == "number":
        return True
    return any({*labels} <= {*(one or ())} for one in declared)


def _occurring(view: View, columns: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Values of a column, or combinations of several, that occur; in the order of their names."""
    code = np.zeros(len(view.row), dtype=np.int64)
    for column in columns:
        codes, names = view.groups[column]
        code = code * len(names) + codes
    found = []
    for present in np.unique(code).tolist():
        values, rest = [], present
        for column in reversed(columns):
            names = view.groups[column][1]
            rest, place = divmod(rest, len(names))
            values.append(names[place])
        found.append(tuple(reversed(values)))
    return tuple(found)
