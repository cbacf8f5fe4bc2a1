"""A dataset and model known by counts alone: kinds of rows and tables of scores, no rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from evalreport.metrics.tables import ScoreTable
from evalreport.predict.view import Floats, LabelView

if TYPE_CHECKING:
    from evalreport.engine.counting.kinds import Joint

#: Tables of scores by columns and codes of their values.
TablesBy = Mapping[tuple[str, ...], Mapping[tuple[int, ...], ScoreTable]]
#: A name that no column has, for the fold among columns.
FOLD = "\0fold"


@dataclass(frozen=True, eq=False, kw_only=True)
class TabledView(LabelView):
    """Kinds of rows with tables of their scores beside them.

    ``score_tables``: a table for each choice of columns and codes of their values. ``bins`` is
    None where every distinct score has its own entry there; ``low`` and ``high``: the lowest and
    the highest score.
    """

    score_tables: TablesBy = field(default_factory=dict)
    bins: int | None = None
    low: float | None = None
    high: float | None = None

    @property
    def counted(self) -> bool:
        return True

    @property
    def score_range(self) -> tuple[float | None, float | None]:
        return self.low, self.high

    @property
    def all_scores(self) -> ScoreTable:
        """The table of all rows."""
        return self.score_tables[()][()]

    def tied(self, threshold: float) -> int | None:
        table = self.all_scores
        place = int(np.searchsorted(-table.scores, -threshold))
        if place == len(table.scores) or table.scores[place] != threshold:
            return 0
        highs = getattr(table, "highs", None)
        if highs is not None and highs[place] != threshold:
            return None
        return int(table.positives[place] + table.negatives[place])


@dataclass(frozen=True, eq=False, kw_only=True)
class CountedView(TabledView):
    """Kinds of rows by label, group and fold; their scores, where they have some, in tables alone.

    ``score`` is None. ``joints``: by the models it is compared with.
    """

    joints: Mapping[str, Joint] = field(default_factory=dict)

    @property
    def has_score(self) -> bool:
        return self.source != "prediction"


@dataclass(frozen=True, eq=False, kw_only=True)
class BinnedKinds(TabledView):
    """Kinds of rows that are told apart by bins of scores, because there are too many by score.

    ``score`` is the mean of the bin that a kind lies in. ``centres`` are these means, highest
    first, ``lows`` and ``highs`` the ends of each bin, all of shape (G,). Values and curves come
    from the tables, which keep scores apart or are of bins that are much finer; the kinds tell how
    rows, clusters and models go together, of which variances are made. No threshold of the spec
    lies within a bin.
    """

    centres: Floats
    lows: Floats
    highs: Floats

    def alone(self) -> BinnedKinds:
        """The kinds without the finer tables, which would not be true of a part of the rows."""
        return replace(self, score_tables={}, bins=len(self.centres))

    def of_part(self, part: BinnedKinds, table: ScoreTable) -> BinnedKinds:
        """Some of these kinds, with the finer table of their rows."""
        return replace(part, score_tables={(): {(): table}}, bins=self.bins)


def with_tables(
    seen: LabelView, tables: TablesBy, bins: int | None, low: float | None, high: float | None
) -> CountedView:
    """Kinds of rows with the tables of their scores beside them."""
    kinds = {own.name: getattr(seen, own.name) for own in fields(seen)}
    return CountedView(**kinds, score_tables=tables, bins=bins, low=low, high=high)


#: The thresholds of a counted model.
Numbers = Callable[[CountedView], Sequence[float]]
