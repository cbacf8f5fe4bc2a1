"""When a course changed: charts that look every time, the point of change, what moved with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from evalreport.metrics.catalogue import find
from evalreport.metrics.estimates import estimate_of
from evalreport.metrics.tables import ScoreTable
from evalreport.results.identity import Slice
from evalreport.results.records import (
    SHARES_MOVED,
    Change,
    ChartMark,
    ControlLimits,
    Measure,
    Moved,
    Table,
)
from evalreport.statistics.change import LEVEL, RUN_LENGTH
from evalreport.statistics.control_limits import limits_of_course
from evalreport.statistics.course import ChartedCourse, charted_course
from evalreport.statistics.separate_samples import Estimate
from evalreport.statistics.shift import Floats, Sample, chi_square, kolmogorov_smirnov
from evalreport.statistics.tail import chi2_sf, normal_sf

if TYPE_CHECKING:
    from evalreport.engine.counting.memory import Tables
    from evalreport.engine.run_state import RunState
    from evalreport.plan.inputs import Facts


def change_of(
    state: RunState, column: str, measures: Sequence[Measure], moved_rows: MovedRows | None = None
) -> Change | None:
    """The charts of a course and where it changed; None where fewer than five periods have values.

    Shares are charted by their counts, other values by their standard errors. ``moved_rows``:
    what else moved with it, where that is not seen by the rows.
    """
    names = [measure.subgroup[column] for measure in measures]
    change = charted_change(names, [estimate_of(measure) for measure in measures])
    if change is None or change.alarm is None or change.since is None:
        return change
    found = names.index(change.since)
    by_id = {t.id: t for e in state.evaluations for one in e.tables for t in [one.record()]}
    tables = [by_id.get(str(measure.table)) for measure in measures]
    rows = (moved_rows or _moved_rows)(state, column, measures, found)
    return replace(change, moved=(*moved_tables(tables[:found], tables[found:]), *rows))


def control_limits(measures: Sequence[Measure], files: Sequence[str]) -> tuple[ControlLimits, ...]:
    """Of each step, the limits that those before it give, and whether its value is outside.

    ``files`` names the data of each: the same rows again say nothing new.
    """
    metric = find(measures[0].metric)
    within = (-math.inf, math.inf) if metric is None else metric.bounds
    estimates = [estimate_of(measure) for measure in measures]
    pairs = zip(estimates, files, strict=True)
    limits = iter(limits_of_course([(one, of) for one, of in pairs if one is not None], within))
    found = []
    for measure, estimate in zip(measures, estimates, strict=True):
        if estimate is None:
            found.append(ControlLimits(None, None, None, None, measure.reason, signal=False))
            continue
        own = next(limits)
        signal = own.signals(estimate.value)
        found.append(
            ControlLimits(own.centre, own.low, own.high, own.chart, own.reason, signal=signal)
        )
    return tuple(found)


def charted_change(names: Sequence[str], estimates: Sequence[Estimate | None]) -> Change | None:
    """The charts of values in their order, by names, without what moved with a change.

    None for fewer than five values.
    """
    known = [k for k, one in enumerate(estimates) if one is not None]
    charted = charted_course([one for one in estimates if one is not None])
    if charted is None:
        return None
    by_place = dict(zip(known, range(len(known)), strict=True))
    alarm, point = charted.alarm, charted.point
    return Change(
        run_length=RUN_LENGTH,
        marks=tuple(chart_mark(charted, by_place.get(place)) for place in range(len(names))),
        alarm=None if alarm is None else names[known[alarm]],
        since=None if point is None else names[known[point.index]],
        earliest=None if point is None else names[known[point.low]],
        latest=None if point is None else names[known[point.high]],
        level=LEVEL,
        probability=None if point is None else point.probability,
        before=charted.before,
        after=charted.after,
    )


def chart_mark(charted: ChartedCourse, step: int | None) -> ChartMark:
    """A step of a course in its charts; empty for the first and where there is no value."""
    if step is not None:
        value, average, sums = charted.values[step], charted.averages[step], charted.sums[step]
        if value is not None and average is not None and sums is not None:
            return ChartMark(
                value, average.statistic, average.limit, sums.statistic, sums.limit,
                signal=sums.signal,
            )  # fmt: skip
    return ChartMark(None, None, None, None, None, signal=False)


def _moved_rows(
    state: RunState, column: str, measures: Sequence[Measure], found: int
) -> Iterable[Moved]:
    """What else is not as it was before the point of change: scores, and shares of groups."""
    names = [measure.subgroup[column] for measure in measures]
    sides = _Sides(state, measures[0], column, names[:found], names[found:])
    return (*sides.of_scores(), *sides.of_subgroups())


#: What of the rows moved with a change: of a run, a column and a course, at a place.
MovedRows = Callable[["RunState", str, Sequence[Measure], int], Iterable[Moved]]


def moved_tables(before: Sequence[Table | None], after: Sequence[Table | None]) -> list[Moved]:
    """Prevalence, and the share that is predicted positive."""
    found = []
    for what, share in SHARES_MOVED.items():
        sides = [_positives(tables, share.axis) for tables in (before, after)]
        if any(side is None or not side[1] for side in sides):
            continue
        (x, n), (y, m) = (side for side in sides if side is not None)
        statistic, df = chi_square([(x, y), (n - x, m - y)])
        found.append(
            Moved(
                what,
                None,
                x / n,
                y / m,
                None if statistic is None else "chi_square",
                statistic,
                None if statistic is None else chi2_sf(statistic, df),
            )
        )
    return found


def _positives(tables: Sequence[Table | None], axis: int) -> tuple[float, float] | None:
    """Positives, actual (axis 1) or predicted, and all rows; None for other than two classes."""
    x = n = 0.0
    for table in tables:
        if table is None or table.counts is None or table.positive is None:
            return None
        if len(table.labels) != 2:
            return None
        counts = [[float(cell or 0) for cell in row] for row in table.counts]
        place = list(table.labels).index(table.positive)
        n += sum(map(sum, counts))
        x += sum(counts[place]) if axis else sum(row[place] for row in counts)
    return x, n


@dataclass(frozen=True)
class _Sides:
    """The rows of a dataset and model before a change and after it."""

    state: RunState
    measure: Measure
    column: str
    before: Sequence[str]
    after: Sequence[str]

    @property
    def facts(self) -> Facts:
        """What is known of the dataset and the model."""
        own = (self.measure.dataset, self.measure.model)
        return next(f for f in self.state.prepared.facts if (f.dataset, f.model) == own)

    def of_scores(self) -> list[Moved]:
        """How scores lie, and how far they are from what happened, where there are scores."""
        if self.facts.source not in ("score", "margin"):
            return []
        tables = self.state.tables[self.measure.dataset, self.measure.model]
        sides = [
            [KeptScores(tables.scores(Slice(((self.column, name),)))) for name in names]
            for names in (self.before, self.after)
        ]
        return moved_scores(sides, probabilities=self.facts.probabilities)

    def of_subgroups(self) -> list[Moved]:
        """The mix of the values of each subgroup column of the spec."""
        state = self.state
        tables = state.tables_of(self.measure.dataset, self.measure.model)
        columns = [c[0] for c in state.prepared.loaded.spec.crossings if len(c) == 1]
        found = []
        for column in columns:
            if column == self.column:
                continue
            values = sorted(
                {
                    m.subgroup[column]
                    for m in state.measures
                    if set(m.subgroup) == {column} and m.dataset == self.measure.dataset
                }
            )
            counts = [
                (self._rows(tables, column, value, self.before),
                 self._rows(tables, column, value, self.after))
                for value in values
            ]  # fmt: skip
            found += moved_mix(column, counts)
        return found

    def _rows(self, tables: Tables[Any], column: str, value: str, names: Sequence[str]) -> float:
        return float(
            sum(
                tables.row_count(Slice(tuple(sorted(((column, value), (self.column, n))))))
                for n in names
            )
        )


@dataclass(frozen=True)
class KeptScores:
    """Distinct scores with their rows; each begins a bin where ``in_bins``."""

    table: ScoreTable
    in_bins: bool = False

    @property
    def rows(self) -> Floats:
        """The rows of each score."""
        return np.asarray(self.table.positives + self.table.negatives, np.float64)


def moved_scores(sides: Sequence[Sequence[KeptScores]], *, probabilities: bool) -> list[Moved]:
    """How scores lie before and since, and, of probabilities, how far they are from outcomes.

    Where any are kept in bins, all are put into the fewest of them: the distance may be off by
    the share of a bin, and calibration, which needs each score, is left out.
    """
    every = [one for side in sides for one in side]
    binned = [one.table.scores for one in every if one.in_bins]
    grid = np.unique(min(binned, key=len) if binned else _joined(one.table.scores for one in every))
    rows = [(_in_bins if binned else _at_scores)(side, grid) for side in sides]
    totals = [math.fsum(side) for side in rows]
    before, after = (
        math.fsum(grid * side) / total if total else None
        for side, total in zip(rows, totals, strict=True)
    )
    ks = kolmogorov_smirnov(*rows)
    tested = (None, None, None) if ks is None else ("kolmogorov_smirnov", *ks)
    found = [Moved("scores", None, before, after, *tested)]
    if probabilities and not binned:
        found.append(_calibration(*map(_excess, sides)))
    return found


def _joined(parts: Iterable[ArrayLike]) -> Floats:
    return np.concatenate([np.empty(0), *(np.asarray(part, np.float64) for part in parts)])


def _at_scores(side: Sequence[KeptScores], grid: Floats) -> Floats:
    """Rows at each point of a grid of all scores."""
    places = np.searchsorted(grid, _joined(one.table.scores for one in side))
    found = np.bincount(places, _joined(one.rows for one in side), len(grid))
    return np.asarray(found, np.float64)


def _in_bins(side: Sequence[KeptScores], grid: Floats) -> Floats:
    """Rows from each point of a grid up to the next; those below it count at its first point.

    Rows of a bin lie evenly in it.
    """
    found = np.zeros(len(grid))
    for one in side:
        pairs = list(zip(one.table.scores[::-1].tolist(), one.rows[::-1].tolist(), strict=True))
        below = Sample(pairs, one.in_bins).rows_below(grid[1:])
        found += np.diff(below, prepend=0.0, append=math.fsum(one.rows))
    return found


def _calibration(before: tuple[float, float], after: tuple[float, float]) -> Moved:
    """Mean of outcome minus score before and since, each with the variance of that mean."""
    (one, first), (other, second) = before, after
    spread = math.sqrt(first + second)
    z = (other - one) / spread if spread > 0 else None
    p = None if z is None else 2.0 * normal_sf(abs(z))
    return Moved("calibration", None, one, other, None if z is None else "z", z, p)


def _excess(side: Sequence[KeptScores]) -> tuple[float, float]:
    """Mean of outcome minus score, and the variance of that mean."""
    tables = [one.table for one in side]
    errors = _joined(part for t in tables for part in (1.0 - t.scores, -t.scores))
    rows = _joined(part for t in tables for part in (t.positives, t.negatives))
    total = math.fsum(rows)
    if total < 2:
        return 0.0, 0.0
    mean = math.fsum(errors * rows) / total
    spread = math.fsum(rows * (errors - mean) ** 2) / (total - 1)
    return mean, spread / total


def moved_mix(column: str, counts: Sequence[tuple[float, float]]) -> list[Moved]:
    """Whether the rows of the values of a column, before and since, are mixed alike."""
    statistic, df = chi_square(counts)
    if statistic is None:
        return []
    p = chi2_sf(statistic, df)
    return [Moved("subgroups", column, None, None, "chi_square", statistic, p)]
