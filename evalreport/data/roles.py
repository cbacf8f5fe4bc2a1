"""What the columns of a dataset are for, and the rules by which they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from evalreport.data.labels import Positive


@dataclass(frozen=True)
class Roles:
    """Column names by role; of prediction, score, margin and scores at most one is given.

    ``scores`` maps each class to its column. Without any of the four the model is
    trained or applied elsewhere, and only truth and design are checked.
    """

    target: str
    prediction: str | None = None
    score: str | None = None
    margin: str | None = None
    scores: Mapping[str, str] = field(default_factory=dict)
    id: str | None = None
    weight: str | None = None
    cluster: str | None = None
    fold: str | None = None
    subgroups: tuple[str, ...] = ()
    features: tuple[str, ...] = ()

    def named(self) -> list[tuple[str, str]]:
        """Every (role, column) that is given, in a fixed order."""
        single = [
            (role, getattr(self, role)) for role in ("target", "prediction", "score", "margin")
        ]
        single += [("scores", column) for column in self.scores.values()]
        single += [(role, getattr(self, role)) for role in ("id", "weight", "cluster", "fold")]
        single += [("subgroups", column) for column in self.subgroups]
        single += [("features", column) for column in self.features]
        return [(role, column) for role, column in single if column is not None]

    def columns(self) -> frozenset[str]:
        """Every column that is used."""
        return frozenset(column for _, column in self.named())


@dataclass(frozen=True)
class Rules:
    """``declared``: classes in their order; ``missing``: what becomes of incomplete rows.

    ``indeterminate``: predictions that are neither class. ``positive``: ``largest``,
    ``smallest`` or ``{"label": name}``.
    """

    declared: tuple[str, ...] = ()
    missing: Literal["error", "exclude"] = "error"
    indeterminate: tuple[str, ...] = ()
    positive: Positive = "largest"
