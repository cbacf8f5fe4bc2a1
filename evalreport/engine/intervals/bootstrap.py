"""Bootstrap from the tables: the replicates of every metric of a slice share the same draws.

Independent unweighted rows are drawn as a multinomial over the cells of the
classification table, or over the entries of the sorted score table; weighted
rows and clusters are drawn one by one and counted into the same tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalreport.engine.counting.canonical_rows import added_up, canonical_rows, canonical_stack
from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.intervals import grouped_jackknife, jackknife
from evalreport.engine.intervals.jackknife import finite
from evalreport.engine.intervals.methods import has_width
from evalreport.engine.settings import Settings
from evalreport.metrics.tables import ScoreTable
from evalreport.plan.task import Task
from evalreport.results.identity import Slice
from evalreport.results.records import Interval
from evalreport.statistics import resampling

Floats = npt.NDArray[np.float64]
OfTables = Callable[[npt.NDArray[Any]], npt.NDArray[Any]]
OfScores = Callable[[ScoreTable], Any]
ByClass = tuple[Floats, Floats]

#: Cells of a batch of replicates held at once.
_BATCH = 4_000_000


#: From so many rows on average that are alike, they are added up before they are weighed.
ALIKE = 2
#: Kinds of rows from which on those of a unit are added up by a sparse table.
MANY_KINDS = 100_000
#: Units times entries of a table that is multiplied as a whole, at 8 bytes each.
MOST_DENSE = 8_000_000


#: Entry, weight and unit of rows.
Units = tuple[npt.NDArray[Any], Floats, npt.NDArray[Any]]


class Planned(NamedTuple):
    """A metric of drawn tables; ``row_loss`` of one that is a mean over rows, else None."""

    function: OfScores
    row_loss: Callable[..., Any] | None


class Bootstrap:
    """Replicates for one dataset and model."""

    def __init__(self, tables: MemoryTables, settings: Settings) -> None:
        self.tables = tables
        self.settings = settings
        self._draws: dict[Any, npt.NDArray[Any]] = {}
        self._score_values: dict[Any, Floats] = {}
        self.planned: dict[Any, dict[str, Planned]] = {}
        self._units_of: tuple[Any, Units] | None = None
        #: What is drawn of columns of class scores, by slice and form; the last of them only.
        self.of_columns: dict[tuple[Slice, str], object] = {}
        self._shared: dict[Any, ByClass] = {}

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

    def of_scores(self, where: Slice, index: int | None, name: str) -> Floats:
        """Replicates of a score metric that was :meth:`plan`-ned, shape (B,)."""
        key = (where, index)
        if (key, name) not in self._score_values:
            self._run(where, index)
        return self._score_values[key, name]

    def plan(
        self,
        where: Slice,
        index: int | None,
        name: str,
        function: OfScores,
        row_loss: Callable[..., Any] | None = None,
    ) -> None:
        """Announce a score metric, so that it shares the draws of its slice.

        ``row_loss``: of a metric that is a mean over rows what one of them adds to it.
        """
        self.planned.setdefault((where, index), {})[name] = Planned(function, row_loss)

    # -- draws ----------------------------------------------------------------------------

    def _rng(self, where: Slice, kind: str) -> np.random.Generator:
        view = self.tables.view
        return resampling.generator(self.settings.seed, view.dataset, view.model, str(where), kind)

    def _table_batches(
        self, where: Slice, threshold: float | None, matrix: Floats, indeterminate: str | None
    ) -> Iterator[npt.NDArray[Any]]:
        view, resamples = self.tables.view, self.settings.resamples
        rng = self._rng(where, f"table {threshold}")
        if view.sample is not None:
            yield from self._designed_tables(where, threshold, rng, indeterminate)
        elif view.cluster is not None:
            per_cluster = self.tables.clusters(where, threshold, indeterminate)
            if per_cluster is None:
                return
            per_cluster = canonical_stack(per_cluster)
            for drawn in resampling.cluster_resamples(len(per_cluster), resamples, rng):
                yield np.einsum("bc,cij->bij", drawn.astype(np.float64), per_cluster)
        elif view.weight is not None:
            yield from self._weighted_tables(where, threshold, rng, indeterminate)
        else:
            draw = (
                resampling.stratified_tables
                if self.settings.stratify
                else resampling.multinomial_tables
            )
            yield draw(np.rint(matrix).astype(np.int64), resamples, rng).astype(np.float64)

    def _weighted_tables(
        self,
        where: Slice,
        threshold: float | None,
        rng: np.random.Generator,
        indeterminate: str | None,
    ) -> Iterator[npt.NDArray[Any]]:
        size = len(self.tables.view.labels)
        code, weight = self._weighted_cells(where, threshold, indeterminate)
        order, _ = canonical_rows(code, weight, None)
        code, weight = code[order], weight[order]
        for drawn in self._times(code // size, len(code), rng):
            yield np.stack(
                [np.bincount(code, weight * times, size * size) for times in drawn]
            ).reshape(-1, size, size)

    def _designed_tables(
        self,
        where: Slice,
        threshold: float | None,
        rng: np.random.Generator,
        indeterminate: str | None,
    ) -> Iterator[npt.NDArray[Any]]:
        """Tables of replicates of the whole sample, cut down to the slice."""
        view, size = self.tables.view, len(self.tables.view.labels)
        rows = self.tables.rows(where)
        column = self.tables.columns(rows, threshold, indeterminate)
        rows, column = rows[column >= 0], column[column >= 0]
        assert view.weight is not None
        code, weight = view.actual[rows].astype(np.int64) * size + column, view.weight[rows]
        for factors in self._replicates(rng):
            chosen = factors[:, rows] * weight
            yield np.stack([np.bincount(code, one, size * size) for one in chosen]).reshape(
                -1, size, size
            )

    def _replicates(self, rng: np.random.Generator) -> Iterator[Floats]:
        """By what factor each row of the sample weighs more in each replicate, shape (b, n)."""
        view = self.tables.view
        assert view.sample is not None
        return view.sample.replicates(self.settings.resamples, rng, self._canonical)

    @property
    def _canonical(self) -> npt.NDArray[np.intp]:
        """Places of all rows of the sample in an order that follows from what they hold."""
        view = self.tables.view
        assert view.sample is not None
        held: list[npt.NDArray[Any]] = [view.actual, view.sample.stratum]
        held += [part for part in (view.predicted, view.score, view.weight) if part is not None]
        held += [] if view.class_scores is None else list(view.class_scores.T)
        return np.lexsort(held)

    def _times(
        self, actual: npt.NDArray[Any], units: int, rng: np.random.Generator
    ) -> Iterator[npt.NDArray[Any]]:
        """How often each row or cluster is drawn; ``actual``: the true class of each row."""
        resamples = self.settings.resamples
        if not self.settings.stratify or self.tables.view.cluster is not None:
            return resampling.cluster_resamples(units, resamples, rng)
        strata = [np.flatnonzero(actual == k) for k in np.unique(actual)]
        return resampling.stratified_resamples(strata, resamples, rng)

    def _weighted_cells(
        self, where: Slice, threshold: float | None, indeterminate: str | None
    ) -> tuple[npt.NDArray[Any], Floats]:
        """The cell of each row in the flattened table, and its weight."""
        view, rows = self.tables.view, self.tables.rows(where)
        size = len(view.labels)
        predicted = self.tables.columns(rows, threshold, indeterminate)
        inside = predicted >= 0
        assert view.weight is not None
        rows, predicted = rows[inside], predicted[inside]
        code = view.actual[rows].astype(np.int64) * size + predicted
        return code, view.weight[rows]

    def table_jackknife(
        self,
        where: Slice,
        threshold: float | None,
        function: OfTables,
        matrix: Floats,
        indeterminate: str | None = None,
    ) -> jackknife.Jackknife | None:
        """Values of a table metric with one row or cluster left out, for BCa."""
        view = self.tables.view
        if view.cluster is not None:
            clusters = self.tables.clusters(where, threshold, indeterminate)
            if clusters is None:
                return None
            return jackknife.of_clusters(function, canonical_stack(clusters))
        if view.weight is not None:
            cells = self._weighted_cells(where, threshold, indeterminate)
            return jackknife.of_weights(function, matrix, *cells)
        return jackknife.of_cells(function, matrix)

    def score_jackknife(
        self,
        where: Slice,
        index: int | None,
        function: OfScores,
        influence: jackknife.Influence | None = None,
    ) -> jackknife.Jackknife | None:
        """Values of a score metric with one row or cluster left out, for BCa.

        ``influence``: of one row on ``function``; it stands in where rows are many.
        """
        view, table = self.tables.view, self.tables.scores(where, index)
        if view.cluster is None and view.weight is None:
            if influence is not None and len(table.scores) > jackknife.MOST_EXACT:
                return jackknife.by_influence(function, table, influence)
            exact = jackknife.of_entries(function, table)
        else:
            exact = jackknife.of_scored_units(function, table.scores, *self._units(where, index))
        if exact is not None:
            return exact
        found = self.left_out(where, index, function)
        return found, np.ones(len(found))

    def left_out(self, where: Slice, index: int | None, function: OfScores) -> Floats:
        """Values of a score metric without each group of the grouped jackknife."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found = [np.asarray(function(one)) for one in self._without_groups(where, index)]
        return finite(np.concatenate(found))

    def shared(self, task: Task, make: Callable[[], ByClass]) -> ByClass:
        """What the averages of one metric and slice have in common: made by the first of them."""
        key = (task.where, task.metric, task.params)
        if key not in self._shared:
            self._shared = {key: make()}
        return self._shared[key]

    def without_groups(self, where: Slice, of_classes: Callable[[ScoreTable], ByClass]) -> ByClass:
        """The values of both classes, and their rows, without each group of a jackknife."""
        found = [of_classes(one) for one in self._without_groups(where, None)]
        return np.concatenate([e for e, _ in found], -1), np.concatenate([s for _, s in found], -1)

    def _without_groups(self, where: Slice, index: int | None) -> Iterator[ScoreTable]:
        """The score table without each random group of rows or clusters."""
        view, table = self.tables.view, self.tables.scores(where, index)
        rng = self._rng(where, f"groups {index}")
        if view.sample is not None:
            groups = view.sample.without_groups(grouped_jackknife.GROUPS, rng, self._canonical)
            return self._designed_scores(where, index, table, [groups])
        if view.cluster is None and view.weight is None:
            return grouped_jackknife.of_counts(table, rng)
        code, weight, unit = self._units(where, index)
        group = grouped_jackknife.groups_of(int(unit.max()) + 1, rng)[unit]
        return grouped_jackknife.without_each(table.scores, code, weight, group)

    def _run(self, where: Slice, index: int | None) -> None:
        planned, clusters = self.planned[where, index], self.tables.view.cluster is not None
        losses = {k: one.row_loss for k, one in planned.items() if clusters and one.row_loss}
        for name, values in self._cluster_means(where, index, losses).items():
            self._score_values[(where, index), name] = finite(values)
        functions = {k: one.function for k, one in planned.items() if k not in losses}
        found: dict[str, list[Floats]] = {name: [] for name in functions}
        for batch in self._score_batches(where, index) if functions else ():
            for name, function in functions.items():
                with np.errstate(divide="ignore", invalid="ignore"):
                    values = np.asarray(function(batch), dtype=np.float64)
                found[name].append(np.broadcast_to(values, batch.positives.shape[:1]))
        for name, parts in found.items():
            self._score_values[(where, index), name] = finite(np.concatenate(parts))

    def _cluster_means(
        self, where: Slice, index: int | None, losses: Mapping[str, Callable[..., Any]]
    ) -> dict[str, Floats]:
        """Means over the rows of drawn clusters, from the sums of each: no table is drawn."""
        if not losses:
            return {}
        table = self.tables.scores(where, index)
        size = len(table.scores)
        code, weight, unit = self._units(where, index)
        count = int(unit.max()) + 1 if len(unit) else 0
        rows = np.bincount(unit, weight, count)
        sums = {
            name: np.bincount(
                unit, weight * np.concatenate([of(table.scores, c) for c in (True, False)])[code]
            )
            for name, of in losses.items()
        }
        found: dict[str, list[Floats]] = {name: [] for name in losses}
        for drawn in self._times(code // max(size, 1), count, self._rng(where, f"scores {index}")):
            total = (drawn * rows).sum(axis=1)
            for name, own in sums.items():
                with np.errstate(divide="ignore", invalid="ignore"):
                    found[name].append((drawn * own).sum(axis=1) / total)
        return {name: np.concatenate(parts) for name, parts in found.items()}

    def _score_batches(self, where: Slice, index: int | None) -> Iterator[ScoreTable]:
        table = self.tables.scores(where, index)
        view = self.tables.view
        rng = self._rng(where, f"scores {index}")
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
        yield from self._drawn_scores(where, index, self.tables.scores(where, index), rng)

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
        rows = self.tables.kinds(where) if whole else self.tables.rows(where)
        table = self.tables.scores(where, index)
        column = view.score if index is None else view.class_scores[:, index]  # type: ignore[index]
        assert column is not None
        entry = np.searchsorted(-table.scores, -column[rows])
        negative = view.actual[rows] != (view.positive_index if index is None else index)
        code = entry + len(table.scores) * negative
        if whole:
            assert view.cluster is not None
            times = None if view.times is None else view.times[rows]
            cluster, code, weight = added_up(view.cluster[0][rows], code, times)
            order, unit = canonical_rows(code, weight, cluster)
            return code[order], weight[order], unit
        weight = np.ones(len(rows)) if view.weight is None else view.weight[rows]
        own = None if view.cluster is None else view.cluster[0][rows]
        order, unit = canonical_rows(code, weight, own)
        return code[order], weight[order], unit

    def _drawn_scores(
        self, where: Slice, index: int | None, table: ScoreTable, rng: np.random.Generator
    ) -> Iterator[ScoreTable]:
        size = len(table.scores)
        if self.tables.view.sample is not None:
            yield from self._designed_scores(where, index, table, self._replicates(rng))
            return
        code, weight, unit = self._units(where, index)
        count = int(unit.max()) + 1 if len(unit) else 0
        # Rows stand in the order of what they hold, so those that are alike follow each other.
        starts = _starts(code, weight)
        together = self.tables.view.cluster is None and ALIKE * len(starts) <= len(code)
        held, heavy = (code[starts], weight[starts]) if together else (code, weight)
        whole = self.tables.view.weight is None and len(code) >= MANY_KINDS
        by_unit = _sums_by_unit(code, weight, unit, (2 * size, count)) if whole else None
        for drawn in self._times(code // size, count, rng):
            step = max(1, _BATCH // max(1, 2 * size))
            for start in range(0, len(drawn), step):
                often = drawn[start : start + step]
                if by_unit is not None:
                    part = by_unit(often)
                    yield ScoreTable(table.scores, part[:, :size], part[:, size:])
                    continue
                if together:
                    each = np.add.reduceat(often, starts, axis=1)
                else:
                    each = often[:, unit]
                part = np.stack([np.bincount(held, heavy * times, 2 * size) for times in each])
                yield ScoreTable(table.scores, part[:, :size], part[:, size:])

    def _designed_scores(
        self, where: Slice, index: int | None, table: ScoreTable, replicates: Iterable[Floats]
    ) -> Iterator[ScoreTable]:
        view, rows, size = self.tables.view, self.tables.rows(where), len(table.scores)
        column = view.score if index is None else view.class_scores[:, index]  # type: ignore[index]
        assert column is not None
        assert view.weight is not None
        negative = view.actual[rows] != (view.positive_index if index is None else index)
        code = np.searchsorted(-table.scores, -column[rows]) + size * negative
        step = max(1, _BATCH // max(1, 2 * size))
        for factors in replicates:
            for start in range(0, len(factors), step):
                chosen = factors[start : start + step][:, rows] * view.weight[rows]
                part = np.stack([np.bincount(code, one, 2 * size) for one in chosen])
                yield ScoreTable(table.scores, part[:, :size], part[:, size:])


def _sums_by_unit(
    code: npt.NDArray[Any], weight: Floats, unit: npt.NDArray[Any], shape: tuple[int, int]
) -> Callable[[npt.NDArray[Any]], Floats]:
    """What drawn units add up to at each entry: draws of shape (b, units) to (b, entries).

    Whole numbers, of which any order of adding gives the same sum.
    """
    if shape[0] * shape[1] <= MOST_DENSE:
        cells = np.bincount(unit * shape[0] + code, weight, shape[0] * shape[1])
        dense = cells.reshape(shape[1], shape[0])
        return lambda drawn: np.asarray(drawn.astype(np.float64) @ dense)
    from scipy.sparse import csr_array

    held = csr_array((weight, (code, unit)), shape=shape)
    # in the order of memory that other draws have: sums of what follows depend on it
    return lambda drawn: np.ascontiguousarray((held @ drawn.T.astype(np.float64)).T)


def _starts(*columns: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """The first of each run of rows that are equal in all columns."""
    new = np.ones(len(columns[0]), np.bool_)
    new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(new)


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
