"""Datasets whose rows have sets of labels, as a model sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.label_sets import (
    CheckedSets,
    FlagColumns,
    ListColumn,
    SetColumns,
    SetRoles,
    Where,
    check_sets,
)
from evalreport.data.roles import Roles, Rules
from evalreport.data.table import RawTable
from evalreport.errors import DataError, Problem
from evalreport.predict.view import Codes, LabelView, View, range_of
from evalreport.spec.datasets import Dataset, LabelColumns, LabelList
from evalreport.spec.model import Spec
from evalreport.spec.models import AnyModel, PredictionModel, ScoresModel

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class SetView(View):
    """The used rows of a dataset with sets of labels, as one model sees them.

    ``actual_sets``, ``given_sets`` (None for scores) and ``label_scores`` (None for
    sets) have shape (n, K). ``known``: which labels of which rows are known, (n, K) too; None
    where all are.
    """

    actual_sets: Flags
    given_sets: Flags | None = None
    label_scores: Floats | None = None
    known: Flags | None = None

    @property
    def has_score(self) -> bool:
        """Never: a score belongs to one label of a row."""
        return False

    @property
    def label_sets(self) -> bool:
        return True

    @property
    def score_range(self) -> tuple[float | None, float | None]:
        return range_of(self.label_scores)

    @property
    def class_rows(self) -> tuple[int, ...]:
        """Number of rows that have each label; a row may have several, or none."""
        often = 1 if self.times is None else self.times[:, None]
        return tuple((self.actual_sets * often).sum(axis=0).tolist())

    @property
    def truth(self) -> Flags:
        return self.actual_sets

    def is_of(self, code: int) -> Flags:
        return self.actual_sets[:, code]

    @cached_property
    def places(self) -> npt.NDArray[np.intp]:
        if self.weight is None and self.cluster is None:
            return np.arange(len(self.row))
        held = self.given_sets if self.label_scores is None else self.label_scores
        assert held is not None
        keys: list[Any] = [*held.T, *self.actual_sets.T]
        keys += [] if self.known is None else [*self.known.T]
        keys += [] if self.weight is None else [self.weight]
        return np.lexsort(keys if self.cluster is None else [*keys, self.cluster[0]])

    def tied(self, threshold: float) -> int | None:
        """Number of rows with a score of some label that is exactly the threshold."""
        assert self.label_scores is not None
        tied = np.any(self.label_scores == threshold, axis=1)
        return int(np.count_nonzero(tied) if self.times is None else self.times[tied].sum())

    def predicted_sets(self, threshold: float | None) -> Flags:
        """The labels given to each row; for scores those at or above the threshold."""
        if self.label_scores is None:
            assert self.given_sets is not None
            return self.given_sets
        assert threshold is not None
        return np.asarray(self.label_scores >= threshold)

    def of_label(self, index: int) -> LabelView:
        """One label against its absence, as a view with two classes."""
        label = self.labels[index]
        kept: Any = slice(None) if self.known is None else np.flatnonzero(self.known[:, index])
        given = None if self.given_sets is None else self.given_sets[kept, index].astype(np.int64)
        return LabelView(
            dataset=self.dataset,
            model=self.model,
            source="prediction" if self.label_scores is None else "score",
            labels=(f"not {label}", label),
            positive=1,
            actual=self.actual_sets[kept, index].astype(np.int64),
            row=self.row[kept],
            predicted=given,
            score=None if self.label_scores is None else self.label_scores[kept, index],
            weight=None if self.weight is None else self.weight[kept],
            cluster=None if self.cluster is None else _renumbered(self.cluster[0][kept]),
            fold=None if self.fold is None else (self.fold[0][kept], self.fold[1]),
            groups={name: (codes[kept], names) for name, (codes, names) in self.groups.items()},
            fold_sizes=self.fold_sizes,
            times=None if self.times is None else self.times[kept],
        )

    def not_known(self, index: int) -> int:
        """The number of rows that do not know a label."""
        if self.known is None:
            return 0
        gone = ~self.known[:, index]
        return int(np.count_nonzero(gone) if self.times is None else self.times[gone].sum())


def _renumbered(cluster: Codes) -> tuple[Codes, int]:
    """Clusters numbered from 0 without gaps, and how many they are."""
    distinct, codes = np.unique(cluster, return_inverse=True)
    return codes.reshape(-1), len(distinct)


def has_sets(dataset: Dataset) -> bool:
    """Whether the rows of a dataset have sets of labels."""
    return not isinstance(dataset.target, str)


def set_roles(dataset: Dataset, model: AnyModel, subgroups: tuple[str, ...]) -> SetRoles:
    """Which column plays which part; the spec was checked to hold models of sets only."""
    assert not isinstance(dataset.target, str)
    given: SetColumns | None = None
    scores: Mapping[str, str] = {}
    if isinstance(model, ScoresModel):
        if isinstance(model.scores, str):
            raise DataError(
                Problem(
                    f"`scores: {model.scores}` lists the scores of classes of which a row has one",
                    "scores of sets of labels as one column per label: {label: column}",
                )
            )
        scores = dict(model.scores)
    else:
        assert isinstance(model, PredictionModel)
        assert not isinstance(model.prediction, str)
        given = _columns(model.prediction)
    design = Roles(
        target="",
        id=dataset.id,
        weight=dataset.weight,
        cluster=dataset.cluster,
        fold=dataset.fold,
        subgroups=subgroups,
    )
    return SetRoles(_columns(dataset.target), given, scores, design)


def _columns(source: LabelColumns | LabelList) -> SetColumns:
    if isinstance(source, LabelList):
        return ListColumn(source.column, source.separator)
    return FlagColumns(dict(source.labels))


def set_columns_needed(
    dataset: Dataset, model: AnyModel, subgroups: tuple[str, ...]
) -> tuple[str, ...]:
    """Every column that a run reads for one model."""
    return tuple(column for _, column in set_roles(dataset, model, subgroups).named())


def set_view(
    spec: Spec,
    dataset_name: str,
    model_name: str,
    table: RawTable,
    subgroups: tuple[str, ...],
    rules: Rules,
    where: Where,
) -> SetView:
    """The checked rows of a dataset with sets of labels as one model sees them.

    Raises DataError with every mistake of the data that concerns this model.
    """
    dataset, model = spec.datasets[dataset_name], spec.models[model_name]
    checked = check_sets(table, set_roles(dataset, model, subgroups), rules, where)
    return view_of_sets(dataset_name, model_name, checked)


def view_of_sets(dataset: str, model: str, checked: CheckedSets) -> SetView:
    """A view of checked rows."""
    return SetView(
        dataset=dataset,
        model=model,
        source="prediction" if checked.scores is None else "scores",
        labels=checked.labels,
        positive=None,
        row=checked.used,
        weight=checked.weight,
        cluster=checked.cluster,
        fold=checked.fold,
        groups=checked.groups,
        ledger=checked,
        actual_sets=checked.actual,
        given_sets=checked.predicted,
        label_scores=checked.scores,
        known=checked.known,
        times=checked.times,
    )
