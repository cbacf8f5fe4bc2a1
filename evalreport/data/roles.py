"""What the columns of a dataset are for, and the rules by which they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from evalreport.data.labels import Positive
from evalreport.data.table import RawTable

#: In place of a column of strata: what the model predicts.
PREDICTED = "predicted"


@dataclass(frozen=True)
class SamplingRoles:
    """The columns that say how rows were sampled, or got their labels.

    ``kind``: that of the sample, as the spec says it; ``totals``: size of each stratum; ``cut``:
    the threshold at which a score is a prediction where ``strata`` hold ``predicted`` and no
    column has that name.
    """

    kind: str
    strata: tuple[str, ...] = ()
    totals: Mapping[str, float] | None = None
    weight: str | None = None
    verified: str | None = None
    proxy: str | None = None
    cut: float = 0.5


@dataclass(frozen=True)
class Roles:
    """Column names by role; of prediction, score, margin, scores and vector at most one is given.

    ``scores`` maps each class to its column, or ``vector`` is the one column that lists the
    scores of all classes. Without any of the five the model is
    trained or applied elsewhere, and only truth and design are checked. ``reader`` is who
    read the ``case`` of a row, where several readers read the same cases.
    """

    target: str
    prediction: str | None = None
    score: str | None = None
    margin: str | None = None
    scores: Mapping[str, str] = field(default_factory=dict)
    vector: str | None = None
    id: str | None = None
    weight: str | None = None
    cluster: str | None = None
    fold: str | None = None
    subgroups: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    sampling: SamplingRoles | None = None
    reader: str | None = None
    case: str | None = None

    def named(self) -> list[tuple[str, str]]:
        """Every (role, column) that is given, in a fixed order."""
        single = [
            (role, getattr(self, role)) for role in ("target", "prediction", "score", "margin")
        ]
        single += [("scores", column) for column in self.scores.values()]
        single += [("scores", self.vector)]
        single += [(role, getattr(self, role)) for role in ("id", "weight", "cluster", "fold")]
        single += [("subgroups", column) for column in self.subgroups]
        single += [("features", column) for column in self.features]
        single += [("readers", self.reader), ("readers", self.case)]
        if self.sampling is not None:
            single += [("strata", column) for column in self.sampling.strata]
            single += [("verified", self.sampling.verified), ("proxy", self.sampling.proxy)]
        return [(role, column) for role, column in single if column is not None]

    def columns(self) -> frozenset[str]:
        """Every column that is used."""
        return frozenset(column for _, column in self.named())


@dataclass(frozen=True)
class Rules:
    """``declared``: classes in their order; ``missing``: what becomes of incomplete rows.

    ``indeterminate``: predictions that are neither class. ``positive``: ``largest``,
    ``smallest`` or ``{"label": name}``. ``label_names`` and ``bins`` are those of a
    :class:`~evalreport.data.table.RawTable`.
    """

    declared: tuple[str, ...] = ()
    missing: Literal["error", "exclude"] = "error"
    indeterminate: tuple[str, ...] = ()
    positive: Positive = "largest"
    label_names: Mapping[str, str] = field(default_factory=dict)
    bins: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def reading(self, table: RawTable, classes: tuple[str, ...] = ()) -> RawTable:
        """The table with labels called, and numbers put into intervals, as declared.

        ``classes``: those that are known from anything in the report.
        """
        if not self.label_names and not self.bins and not classes:
            return table
        names, bins = self.label_names, self.bins
        return replace(table, label_names=names, bins=bins, classes=classes, _kept={})
