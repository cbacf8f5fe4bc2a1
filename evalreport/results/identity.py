"""Which number a record is of: the one key that numbers are looked up by, wherever they stand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

#: Parameters as a key: sorted names, each with its value as JSON.
Frozen = tuple[tuple[str, str], ...]


@dataclass(frozen=True, order=True)
class Slice:
    """Some rows of a dataset: a subgroup, a fold, or all rows.

    ``subgroup`` is a tuple of (column, value) pairs; ``fold`` a fold's name.
    """

    subgroup: tuple[tuple[str, str], ...] = ()
    fold: str | None = None

    def __str__(self) -> str:
        parts = [f"{column} = {value}" for column, value in self.subgroup]
        if self.fold is not None:
            parts.append(f"fold {self.fold}")
        return ", ".join(parts) if parts else "all rows"


EVERYTHING = Slice()

#: The fold of a record that is the mean over folds.
MEAN_OF_FOLDS = "mean"
#: Why records of further repeats of a cross-validation have no interval.
REPEATS_SHARE_ROWS = "repeats share their rows, so they have a spread and no intervals"


class Quantity(NamedTuple):
    """What is measured, wherever it is: a metric with its parameters, average and class."""

    metric: str
    params: Frozen
    average: str | None
    label: str | None
    indeterminate: str | None

    @classmethod
    def of(cls, record: HasQuantity) -> Quantity:
        """What a record of a metric measures."""
        counted = getattr(record, "indeterminate", None)
        params = frozen_params(record.params)
        return cls(record.metric, params, record.average, record.label, counted)


class HasQuantity(Protocol):
    """A record of one metric of one model on one dataset."""

    @property
    def dataset(self) -> str: ...
    @property
    def model(self) -> str | None: ...
    @property
    def metric(self) -> str: ...
    @property
    def params(self) -> Mapping[str, Any]: ...
    @property
    def average(self) -> str | None: ...
    @property
    def label(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class WhichNumber:
    """What makes two records the same number.

    ``rule`` is the words of the threshold's rule, None for a plain number. ``indeterminate``
    is how indeterminate predictions count: ``for``, ``against`` or None.

    >>> recall = WhichNumber("d", "m", "recall", threshold=0.37, rule="maximize youden_j")
    >>> recall.series == replace(recall, threshold=0.41).series
    True
    """

    dataset: str
    model: str | None
    metric: str
    params: Frozen = ()
    average: str | None = None
    label: str | None = None
    subgroup: tuple[tuple[str, str], ...] = ()
    fold: str | None = None
    threshold: float | None = None
    rule: str | None = None
    indeterminate: str | None = None

    @classmethod
    def of(cls, record: HasQuantity) -> WhichNumber:
        """The key of a measure, comparison, gap, period or any other record of a metric.

        What a kind of record has no field for is that of all rows, without a threshold.
        """
        return cls(
            record.dataset,
            record.model,
            record.metric,
            frozen_params(record.params),
            record.average,
            record.label,
            frozen_subgroup(getattr(record, "subgroup", None) or {}),
            getattr(record, "fold", None),
            getattr(record, "threshold", None),
            getattr(record, "threshold_rule", None),
            getattr(record, "indeterminate", None),
        )

    @property
    def quantity(self) -> Quantity:
        """What is measured, without where."""
        return Quantity(self.metric, self.params, self.average, self.label, self.indeterminate)

    @property
    def place(self) -> tuple[str, str | None]:
        """The dataset and model."""
        return self.dataset, self.model

    @property
    def rows(self) -> Slice:
        """The rows that it is measured on."""
        return Slice(self.subgroup, self.fold)

    @property
    def series(self) -> WhichNumber:
        """The same number in another run, fold or repeat.

        A threshold that a rule found may move: the rule is what stays.
        """
        return self if self.rule is None else replace(self, threshold=None)

    def on(self, rows: Slice) -> WhichNumber:
        """The same number on other rows."""
        return replace(self, subgroup=rows.subgroup, fold=rows.fold)

    def text(self) -> str:
        """The key as text that sorts; the threshold by its rule where it has one."""
        at = self.rule if self.rule is not None else self.threshold
        parts = [
            self.dataset,
            self.model,
            list(self.subgroup),
            self.fold,
            self.metric,
            [[name, json.loads(value)] for name, value in self.params],
            self.average,
            self.label,
            at,
            self.indeterminate,
        ]
        return json.dumps(parts, ensure_ascii=False, sort_keys=True)


class WhichCriterion(NamedTuple):
    """What makes two criteria of different runs the same one."""

    text: str
    metric: str
    dataset: str | None
    model: str | None
    subgroup: tuple[tuple[str, str], ...]
    threshold_asked: str | None


def frozen_params(params: Mapping[str, Any]) -> Frozen:
    """Parameters as part of a key.

    >>> frozen_params({"beta": 2.0})
    (('beta', '2.0'),)
    """
    if not params:
        return ()
    return tuple(
        sorted((name, json.dumps(value, sort_keys=True)) for name, value in params.items())
    )


def frozen_subgroup(subgroup: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """A subgroup as part of a key, whatever the order of its columns."""
    return tuple(sorted(subgroup.items()))
