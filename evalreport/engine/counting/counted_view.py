"""A dataset and model known by counts alone: kinds of rows and tables of scores, no rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evalreport.metrics.tables import ScoreTable
from evalreport.plan.inputs import Facts
from evalreport.predict.view import Codes, View

if TYPE_CHECKING:
    from evalreport.engine.counting.kinds import Joint

#: A name that no column has, for the fold among columns.
FOLD = "\0fold"


@dataclass(frozen=True, eq=False)
class Cells:
    """Kinds of used rows: ``rows`` of each, its codes of labels, groups and fold, shape (c,)."""

    rows: npt.NDArray[np.int64]
    actual: Codes
    predicted: Codes | None
    groups: Mapping[str, tuple[Codes, tuple[str, ...]]]


@dataclass(frozen=True, eq=False)
class CountedView(View):
    """A view without rows: ``cells``, and score tables by columns and codes of their values.

    ``actual`` and ``row`` are empty and must not be used. ``bins`` is None where
    every distinct score has its own entry. ``joints``: by the models it is compared with.
    """

    cells: Cells | None = None
    score_tables: Mapping[tuple[str, ...], Mapping[tuple[int, ...], ScoreTable]] = field(
        default_factory=dict
    )
    joints: Mapping[str, Joint] = field(default_factory=dict)
    bins: int | None = None
    low: float | None = None
    high: float | None = None

    @property
    def counted(self) -> Cells:
        """The cells."""
        assert self.cells is not None
        return self.cells

    @property
    def rows(self) -> int:
        return int(self.counted.rows.sum())

    @property
    def has_score(self) -> bool:
        return self.source != "prediction"

    @property
    def class_rows(self) -> tuple[int, ...]:
        sums = np.bincount(self.counted.actual, self.counted.rows, len(self.labels))
        return tuple(int(total) for total in sums)

    def group_rows(self, column: str) -> dict[str, int]:
        codes, names = self.counted.groups[column]
        sums = np.bincount(codes, self.counted.rows, len(names))
        return {name: int(total) for name, total in zip(names, sums, strict=True)}

    def groups_of(self, column: str) -> tuple[str, ...]:
        return self.counted.groups[column][1]

    @property
    def group_columns(self) -> tuple[str, ...]:
        return tuple(self.counted.groups)

    def tied(self, threshold: float) -> int | None:
        table = self.score_tables[()][()]
        place = int(np.searchsorted(-table.scores, -threshold))
        if place == len(table.scores) or table.scores[place] != threshold:
            return 0
        highs = getattr(table, "highs", None)
        if highs is not None and highs[place] != threshold:
            return None
        return int(table.positives[place] + table.negatives[place])


def counted_facts(view: CountedView, crossings: tuple[tuple[str, ...], ...]) -> Facts:
    """What the planner needs to know of a counted view."""
    return Facts(
        dataset=view.dataset,
        model=view.model,
        source=view.source,
        labels=view.labels,
        positive=view.labels[view.positive_index] if len(view.labels) <= 2 else None,
        rows=view.rows,
        indeterminate=view.indeterminate,
        folds=view.fold[1] if view.fold is not None else (),
        groups={columns: _occurring(view.counted, columns) for columns in crossings},
        low=view.low,
        high=view.high,
        unknown=view.unknown,
        counted=True,
    )


def _occurring(cells: Cells, columns: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    stacked = np.stack([cells.groups[c][0] for c in columns], axis=1)
    present = np.unique(stacked, axis=0).tolist()
    return tuple(
        tuple(cells.groups[c][1][k] for c, k in zip(columns, row, strict=True)) for row in present
    )
