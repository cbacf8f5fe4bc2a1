"""A dataset and model known by counts alone: kinds of rows and tables of scores, no rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from typing import TYPE_CHECKING

import numpy as np

from evalreport.metrics.tables import ScoreTable
from evalreport.predict.view import LabelView
from evalreport.values import dataclass

if TYPE_CHECKING:
    from evalreport.engine.counting.kinds import Joint

#: Tables of scores by columns and codes of their values.
TablesBy = Mapping[tuple[str, ...], Mapping[tuple[int, ...], ScoreTable]]
#: A name that no column has, for the fold among columns.
FOLD = "\0fold"


@dataclass(frozen=True, eq=False, kw_only=True)
class CountedView(LabelView):
    """Kinds of rows by label, group and fold; their scores, where they have some, in tables.

    A table of scores for each choice of columns and codes of their values; ``score`` is None.
    ``bins`` is None where every distinct score has its own entry. ``joints``: by the models it
    is compared with.
    """

    score_tables: TablesBy = field(default_factory=dict)
    joints: Mapping[str, Joint] = field(default_factory=dict)
    bins: int | None = None
    low: float | None = None
    high: float | None = None

    @property
    def has_score(self) -> bool:
        return self.source != "prediction"

    @property
    def counted(self) -> bool:
        return True

    @property
    def score_range(self) -> tuple[float | None, float | None]:
        return self.low, self.high

    def tied(self, threshold: float) -> int | None:
        table = self.score_tables[()][()]
        place = int(np.searchsorted(-table.scores, -threshold))
        if place == len(table.scores) or table.scores[place] != threshold:
            return 0
        highs = getattr(table, "highs", None)
        if highs is not None and highs[place] != threshold:
            return None
        return int(table.positives[place] + table.negatives[place])


def with_tables(
    seen: LabelView, tables: TablesBy, bins: int | None, low: float | None, high: float | None
) -> CountedView:
    """Kinds of rows with the tables of their scores beside them."""
    kinds = {own.name: getattr(seen, own.name) for own in fields(seen)}
    return CountedView(**kinds, score_tables=tables, bins=bins, low=low, high=high)
