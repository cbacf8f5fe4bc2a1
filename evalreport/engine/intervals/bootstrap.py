"""Bootstrap from the tables: the metrics of a slice see the same draws.

Independent unweighted rows are drawn as a multinomial over the cells of the
classification table, or over the entries of the sorted score table; weighted
rows and clusters are drawn one by one and counted into the same tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.canonical_rows import added_up, canonical_rows, canonical_stack
from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.intervals import grouped_jackknife, jackknife
from evalreport.engine.intervals.jackknife import Units, finite
from evalreport.engine.intervals.methods import has_width
from evalreport.engine.settings import Settings
from evalreport.metrics.methods import DRAWN
from evalreport.metrics.tables import ScoreTable
from evalreport.results.identity import Slice
from evalreport.results.records import Interval
from evalreport.statistics import resampling

if TYPE_CHECKING:
    from evalreport.engine.intervals.case import Case

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[Any]
OfTables = Callable[[npt.NDArray[Any]], npt.NDArray[Any]]
OfScores = Callable[[ScoreTable], Any]

#: Cells of a batch of replicates held at once.
_BATCH = 4_000_000


class Bootstrap:
    """Replicates for one dataset and model."""

    def __init__(self, tables: MemoryTables, settings: Settings) -> None:
        self.tables = tables
        self.settings = settings
        self._draws: dict[Any, npt.NDArray[Any]] = {}
        self._units_of: tuple[Any, Units] | None = None

    def of_table(
        self,
        where: Slice,
        threshold: float | None,
        function: OfTables,
        matrix: Floats,
        indeterminate: str | None = None,
    ) -> Floats:
        """Replicates of a table metric, shape (B,); NaN where it is undefined.

        ``indeterminate``: how such predictions are counted in the ``matrix``.
        """
        key = (where, threshold, matrix.shape, float(matrix.sum()), matrix.tobytes())
        if key not in self._draws:
            batches = list(self._table_batches(where, threshold, matrix, indeterminate))
            self._draws[key] = np.concatenate(batches)
        drawn = self._draws[key]
        step = max(1, _BATCH // max(1, matrix.size))
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = [function(drawn[i : i + step]) for i in range(0, len(drawn), step)]
        return finite(np.concatenate(parts))

    def scores(
        self,
        where: Slice,
        index: int | None,
        function: OfScores,
        influence: jackknife.Influence | None = None,
    ) -> Draws:
        """A score metric of other rows; ``influence``: as :meth:`score_jackknife` has it."""
        of = where, index, function
        return Draws(
            partial(self.of_scores, *of),
            partial(self.score_jackknife, *of, influence),
            partial(self.left_out, *of),
        )

    def of_scores(self, where: Slice, index: int | None, function: OfScores) -> Floats:
        """Replicates of a score metric, shape (B,)."""
        return _values(function, self._score_batches(where, index))

    def left_out(self, where: Slice, index: int | None, function: OfScores) -> Floats:
        """Values of a score metric without each group of the grouped jackknife."""
        return _values(function, self._without_groups(where, index))

    # -- draws ----------------------------------------------------------------------------

    def rng(self, where: Slice, kind: str) -> np.random.Generator:
        """The generator of draws of one kind in a slice."""
        view = self.tables.view
        return resampling.generator(self.settings.seed, view.dataset, view.model, str(where), kind)

    def drawn(
        self, held: Units, actual: Places, rng: np.random.Generator, cells: int = 0
    ) -> Iterator[Floats]:
        """How much each row counts in the replicates, in batches of shape (b, rows).

        ``actual``: the true class of each row; ``cells``: what each replicate is counted into.
        """
        view, resamples = self.tables.view, self.settings.resamples
        times: Iterator[npt.NDArray[Any]]
        if view.sample is not None:
            times = view.sample.replicates(resamples, rng, self._canonical)
        elif self.settings.stratify and view.cluster is None:
            strata = [np.flatnonzero(actual == k) for k in np.unique(actual)]
            times = resampling.stratified_resamples(strata, resamples, rng)
        else:
            times = resampling.cluster_resamples(held.many, resamples, rng)
        return of_rows(held, times, cells)

    def without_groups(
        self, held: Units, rng: np.random.Generator, cells: int = 0
    ) -> Iterator[Floats]:
        """How much each row counts without each random group of rows or clusters, likewise."""
        sample = self.tables.view.sample
        if sample is not None:
            left = sample.without_groups(grouped_jackknife.GROUPS, rng, self._canonical)
            return of_rows(held, [left], cells)
        group = grouped_jackknife.groups_of(held.many, rng)
        kept = ((group != g)[None] for g in range(int(group.max()) + 1))
        return of_rows(held, kept, cells)

    def _table_batches(
        self, where: Slice, threshold: float | None, matrix: Floats, indeterminate: str | None
    ) -> Iterator[npt.NDArray[Any]]:
        view, settings = self.tables.view, self.settings
        rng = self.rng(where, f"table {threshold}")
        size = len(view.labels)
        if view.sample is not None or (view.cluster is None and view.weight is not None):
            held = self._in_order(*self._cells(where, threshold, indeterminate))
            drawn = self.drawn(held, held.code // size, rng, size * size)
            for batch in _counted(held.code, size * size, drawn):
                yield batch.reshape(-1, size, size)
        elif view.cluster is not None:
            per_cluster = self.tables.clusters(where, threshold, indeterminate)
            if per_cluster is None:
                return
            per_cluster = canonical_stack(per_cluster)
            for times in resampling.cluster_resamples(len(per_cluster), settings.resamples, rng):
                yield np.einsum("bc,cij->bij", times.astype(np.float64), per_cluster)
        else:
            draw = (
                resampling.stratified_tables if settings.stratify else resampling.multinomial_tables
            )
            counts = np.rint(matrix).astype(np.int64)
            yield draw(counts, settings.resamples, rng).astype(np.float64)

    def _cells(
        self, where: Slice, threshold: float | None, indeterminate: str | None
    ) -> tuple[Places, Places]:
        """The rows that stand in a table, and the cell of each in the flattened table."""
        view, rows = self.tables.view, self.tables.rows(where)
        predicted = self.tables.columns(rows, threshold, indeterminate)
        rows, predicted = rows[predicted >= 0], predicted[predicted >= 0]
        return rows, view.actual[rows].astype(np.int64) * len(view.labels) + predicted

    def _in_order(self, rows: Places, code: Places) -> Units:
        """Weighted rows in canonical order, each a unit of its own."""
        view = self.tables.view
        assert view.weight is not None
        weight = view.weight[rows]
        if view.sample is not None:
            return Units(code, weight, rows)
        order, unit = canonical_rows(code, weight, None)
        return Units(code[order], weight[order], unit)

    @property
    def _canonical(self) -> npt.NDArray[np.intp]:
        """Places of all rows of the sample in an order that follows from what they hold."""
        view = self.tables.view
        assert view.sample is not None
        held: list[npt.NDArray[Any]] = [view.actual, view.sample.stratum]
        held += [part for part in (view.predicted, view.score, view.weight) if part is not None]
        held += [] if view.class_scores is None else list(view.class_scores.T)
        return np.lexsort(held)

    def _score_batches(self, where: Slice, index: int | None) -> Iterator[ScoreTable]:
        table, view = self.tables.scores(where, index), self.tables.view
        size, rng = len(table.scores), self.rng(where, f"scores {index}")
        if view.cluster is None and view.weight is None:
            for pos, neg in resampling.score_table_resamples(
                table.positives,
                table.negatives,
                self.settings.resamples,
                rng,
                stratify=self.settings.stratify,
            ):
                yield ScoreTable(table.scores, pos, neg)
            return
        held = self._units(where, index)
        drawn = self.drawn(held, held.code // max(size, 1), rng, 2 * size)
        yield from _tables(table.scores, _counted(held.code, 2 * size, drawn))

    # -- left out ---------------------------------------------------------------------------

    def table_jackknife(
        self,
        where: Slice,
        threshold: float | None,
        function: OfTables,
        matrix: Floats,
        indeterminate: str | None = None,
    ) -> jackknife.Jackknife | None:
        """Values of a table metric with one row or cluster left out, for BCa."""
        view, whole = self.tables.view, matrix.reshape(-1).astype(np.float64)
        times = None
        if view.cluster is not None:
            clusters = self.tables.clusters(where, threshold, indeterminate)
            if clusters is None:
                return None
            each = canonical_stack(clusters).reshape(len(clusters), -1)
            unit, code = np.nonzero(each)
            left = Units(code, each[unit, code], unit)
        elif view.weight is not None:
            rows, code = self._cells(where, threshold, indeterminate)
            alike = np.column_stack([code, view.weight[rows]])
            kinds, counts = np.unique(alike, axis=0, return_counts=True)
            times = counts.astype(np.float64)
            left = Units(kinds[:, 0].astype(np.intp), kinds[:, 1], np.arange(len(kinds)))
        else:
            code = np.flatnonzero(whole)
            times, left = whole[code], Units(code, np.ones(len(code)), np.arange(len(code)))

        def of_flat(stack: Floats) -> npt.NDArray[Any]:
            return function(stack.reshape(-1, *matrix.shape))

        return jackknife.without_each(of_flat, whole, left, times)

    def score_jackknife(
        self,
        where: Slice,
        index: int | None,
        function: OfScores,
        influence: jackknife.Influence | None = None,
    ) -> jackknife.Jackknife | None:
        """Values of a score metric with one row or cluster left out, for BCa.

        ``influence``: of one row on ``function``; it stands in where rows are many. Groups of them
        are left out where they are more and it is not known.
        """
        view, table = self.tables.view, self.tables.scores(where, index)
        size, times = len(table.scores), None
        whole = np.concatenate([table.positives, table.negatives]).astype(np.float64)
        if view.cluster is None and view.weight is None:
            if influence is not None and size > jackknife.MOST_EXACT:
                return jackknife.by_influence(function, table, influence)
            code, many = np.flatnonzero(whole), size
            times, left = whole[code], Units(code, np.ones(len(code)), np.arange(len(code)))
        else:
            left = self._units(where, index)
            many = left.many

        def of_flat(stack: Floats) -> Any:
            return function(ScoreTable(table.scores, stack[:, :size], stack[:, size:]))

        if many <= jackknife.MOST_LEFT_OUT:
            exact = jackknife.without_each(of_flat, whole, left, times)
            if exact is not None:
                return exact
        found = self.left_out(where, index, function)
        return found, np.ones(len(found))

    def _without_groups(self, where: Slice, index: int | None) -> Iterator[ScoreTable]:
        """The score table without each random group of rows or clusters."""
        view, table = self.tables.view, self.tables.scores(where, index)
        rng = grouped_jackknife.lots(self.settings.seed)
        if view.cluster is None and view.weight is None:
            return grouped_jackknife.of_counts(table, rng)
        held, cells = self._units(where, index), 2 * len(table.scores)
        kept = self.without_groups(held, rng, cells)
        return _tables(table.scores, _counted(held.code, cells, kept))

    # -- rows ---------------------------------------------------------------------------------

    def _entries(
        self, where: Slice, index: int | None, rows: Places | None = None
    ) -> tuple[Places, Places]:
        """Rows of a slice, and the entry of each (plus their number for a negative)."""
        view, table = self.tables.view, self.tables.scores(where, index)
        rows = self.tables.rows(where) if rows is None else rows
        negative = ~view.positives_of(index)[rows]
        entry = self.tables.entries(where, index)[rows]
        return rows, entry + len(table.scores) * negative.astype(np.intp)

    def _units(self, where: Slice, index: int | None) -> Units:
        """As :meth:`_units_in_order`; of the last slice they are kept."""
        if self._units_of is None or self._units_of[0] != (where, index):
            self._units_of = (where, index), self._units_in_order(where, index)
        return self._units_of[1]

    def _units_in_order(self, where: Slice, index: int | None) -> Units:
        """Entry (plus their number for a negative), weight and unit of rows in canonical order.

        Rows of a cluster without weights that are alike weigh together as many as they are.
        """
        view = self.tables.view
        whole = view.weight is None and view.cluster is not None
        rows, code = self._entries(where, index, self.tables.kinds(where) if whole else None)
        if view.sample is not None:
            return self._in_order(rows, code)
        cluster = None if view.cluster is None else view.cluster[0][rows]
        if whole:
            assert cluster is not None
            times = None if view.times is None else view.times[rows]
            cluster, code, weight = added_up(cluster, code, times)
        else:
            weight = np.ones(len(rows)) if view.weight is None else view.weight[rows]
        order, unit = canonical_rows(code, weight, cluster)
        return Units(code[order], weight[order], unit)


def _values(function: OfScores, tables: Iterable[ScoreTable]) -> Floats:
    """A metric of stacks of tables, shape (B,); NaN where it is undefined."""
    found = []
    for batch in tables:
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.asarray(function(batch), np.float64)
        found.append(np.broadcast_to(values, batch.positives.shape[:1]))
    return finite(np.concatenate(found))


def of_rows(held: Units, times: Iterable[npt.NDArray[Any]], cells: int = 0) -> Iterator[Floats]:
    """How much each row counts, its weight included, from how much each unit does."""
    step = max(1, _BATCH // max(1, cells, len(held.code)))
    for part in times:
        for start in range(0, len(part), step):
            yield part[start : start + step][:, held.unit] * held.weight


def _counted(code: Places, cells: int, drawn: Iterable[Floats]) -> Iterator[Floats]:
    """What rows add up to in each cell, in batches of shape (b, cells)."""
    return (np.stack([np.bincount(code, one, cells) for one in each]) for each in drawn)


def _tables(scores: Floats, batches: Iterable[Floats]) -> Iterator[ScoreTable]:
    """Stacks of score tables from cells: positives at each entry, then negatives."""
    size = len(scores)
    return (ScoreTable(scores, part[:, :size], part[:, size:]) for part in batches)


@dataclass(frozen=True)
class Draws:
    """How a value is made again of other rows, each as it is needed.

    Of rows that are drawn, without each row or cluster (for BCa), and without random groups.
    """

    replicates: Callable[[], Floats | None]
    jackknife: Callable[[], jackknife.Jackknife | None]
    without_groups: Callable[[], Floats]


def drawn_interval(case: Case, draws: Draws, note: str = "") -> Interval | None:
    """Limits by the planned bootstrap, or with groups of rows left out; ``note``: why these."""
    number, level, method = case.number, case.level, case.method
    if method in DRAWN:
        values = draws.replicates()
        left_out = draws.jackknife() if method == "bootstrap_bca" else None
        return None if values is None else from_replicates(values, number, level, method, left_out)
    bounds, view = case.metric.bounds, case.measurer.view
    return grouped_jackknife.interval(draws.without_groups(), number, level, bounds, note, view)


def undefined_in(values: Floats) -> list[str]:
    """In how many replicates a metric has no value, as a note; none where it has one in all.

    >>> undefined_in(np.array([0.5, np.nan])), undefined_in(np.array([0.5]))
    (['the metric is undefined in 1 of 2 replicates'], [])
    """
    lost = int(np.count_nonzero(~np.isfinite(values)))
    return [f"the metric is undefined in {lost} of {len(values)} replicates"] if lost else []


def from_replicates(
    values: Floats,
    estimate: float,
    level: float,
    method: str,
    left_out: jackknife.Jackknife | None = None,
) -> Interval | None:
    """Percentile or BCa limits, with the number of usable replicates.

    Where the limits do not hold the value, as those of a measure that is never negative
    may not, the bias of the replicates is given and said.
    """
    usable = int(np.isfinite(values).sum())
    if method == "bootstrap_bca":
        if left_out is None:
            return None
        limits = resampling.bca(values, estimate, *left_out, level)
    else:
        limits = resampling.percentile(values, level)
    if limits is None or not has_width(limits):
        return None
    notes, bias = undefined_in(values), None
    if not limits.low <= estimate <= limits.high:
        bias = float(np.nanmean(values)) - estimate
        notes.append(f"the value lies outside: resamples differ from it by {bias:+.3g} on average")
    return Interval(
        level,
        limits.low,
        limits.high,
        method,
        note="; ".join(notes) or None,
        resamples=len(values),
        usable=usable,
        bias=bias,
    )
