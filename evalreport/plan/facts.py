"""What the planner knows of the data: facts, no rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Facts:
    """Facts of one dataset and model.

    ``source``: ``prediction`` (labels), ``score`` (of the positive class),
    ``margin`` (signed distance) or ``scores`` (one column per class).
    ``low`` and ``high``: range of the scores, None without scores.
    ``groups``: values of each subgroup column or crossing that occur, in order.
    ``designed``: the kind of sample that is declared, None where there is none.
    ``label_sets``: rows have sets of labels, not one label each. ``unknown``: cells of
    the table of two classes that nobody counted. ``counted``: scores were counted where
    they lie, so that no row can be looked at again.
    """

    dataset: str
    model: str
    source: str
    labels: tuple[str, ...]
    positive: str | None
    rows: int
    weighted: bool = False
    clustered: bool = False
    indeterminate: tuple[str, ...] = ()
    folds: tuple[str, ...] = ()
    groups: Mapping[tuple[str, ...], tuple[tuple[str, ...], ...]] | None = None
    low: float | None = None
    high: float | None = None
    fold_sizes: Mapping[str, tuple[int, int]] | None = None
    label_sets: bool = False
    designed: str | None = None
    unknown: tuple[str, ...] = ()
    counted: bool = False

    @property
    def two_classes(self) -> bool:
        """Whether there is one positive class (two classes, or a single one)."""
        return len(self.labels) <= 2 and not self.label_sets

    @property
    def has_scores(self) -> bool:
        """Whether rows can be ranked."""
        return self.source != "prediction"

    @property
    def probabilities(self) -> bool:
        """Whether the scores can be probabilities: all within 0 and 1, and no margins."""
        return (
            self.source in ("score", "scores")
            and self.low is not None
            and self.high is not None
            and self.low >= 0
            and self.high <= 1
        )
