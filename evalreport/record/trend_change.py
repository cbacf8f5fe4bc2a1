"""When the course of a measure over runs changed, and what moved with it.

The same charts as over the periods of one file: the runs of a series are the steps, one for each
data file. What moved follows from what runs keep: their tables, scores and subgroups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from evalreport.engine.periods.charts import chart_mark, moved_mix, moved_scores, moved_tables
from evalreport.record.trend import NOTHING, PastRun, Point, ScoresTold, Series
from evalreport.results.records import ChartMark, Measure, Moved, Table
from evalreport.statistics.course import LEVEL, RUN_LENGTH, charted_course


@dataclass(frozen=True)
class RunsChange:
    """The charts of a series; runs by their place among all runs.

    ``marks``: one for each run that is a step, with its place. ``alarm``: the first run beyond
    the limit of the cumulative sum; ``since``: the most likely first run after one change.
    """

    marks: tuple[tuple[int, ChartMark], ...]
    alarm: int | None
    since: int | None
    earliest: int | None
    latest: int | None
    probability: float | None
    before: float | None
    after: float | None
    moved: tuple[Moved, ...] = ()
    run_length: float = RUN_LENGTH
    level: float = LEVEL


def change_of_series(series: Series, runs: Sequence[PastRun]) -> RunsChange | None:
    """When a measure changed over its runs; None for fewer than five data files with values."""
    steps = _steps(series, runs)
    charted = charted_course([p.estimate for p in steps if p.estimate is not None])
    if charted is None:
        return None
    places = [point.run for point in steps]
    point = charted.point
    moved: tuple[Moved, ...] = ()
    if charted.alarm is not None and point is not None:
        moved = _Sides(series, runs, places[: point.index], places[point.index :]).moved()
    return RunsChange(
        marks=tuple((place, chart_mark(charted, k)) for k, place in enumerate(places)),
        alarm=None if charted.alarm is None else places[charted.alarm],
        since=None if point is None else places[point.index],
        earliest=None if point is None else places[point.low],
        latest=None if point is None else places[point.high],
        probability=None if point is None else point.probability,
        before=charted.before,
        after=charted.after,
        moved=moved,
    )


def _steps(series: Series, runs: Sequence[PastRun]) -> list[Point]:
    """The first run of each data file that has a value: the same rows again say nothing new."""
    seen: set[str] = set()
    found = []
    for point in series.points:
        data = runs[point.run].data_sha256
        if point.estimate is not None and data not in seen:
            seen.add(data)
            found.append(point)
    return found


@dataclass(frozen=True)
class _Sides:
    """The runs of a series before a change and since."""

    series: Series
    runs: Sequence[PastRun]
    before: Sequence[int]
    after: Sequence[int]

    def moved(self) -> tuple[Moved, ...]:
        """Shares of positives, scores, calibration and the mix of each subgroup column."""
        tables = [
            [self._tables(place).get(str(record.table)) for place, record in side]
            for side in self._records
        ]
        return (*moved_tables(*tables), *self._scores(), *self._mixes())

    @cached_property
    def _records(self) -> list[list[tuple[int, Measure]]]:
        own = {point.run: point.record for point in self.series.points}
        return [[(place, own[place]) for place in side] for side in (self.before, self.after)]

    def _tables(self, place: int) -> Mapping[str, Table]:
        return (self.runs[place].results or NOTHING).tables

    def _scores(self) -> list[Moved]:
        sides = [[self._told(place) for place in side] for side in (self.before, self.after)]
        told = [one for side in sides for one in side if one is not None]
        if len(told) < len(self.before) + len(self.after):
            return []
        parts = [[one.table for one in side if one is not None] for side in sides]
        return moved_scores(parts, probabilities=all(one.probabilities for one in told))

    def _told(self, place: int) -> ScoresTold | None:
        about = self.series.about
        scores = (self.runs[place].results or NOTHING).scores
        own = (one for one in scores if (one.dataset, one.model) == (about.dataset, about.model))
        return next(own, None)

    def _mixes(self) -> list[Moved]:
        """Rows of each value of a column, as the same measure counts them in its subgroups."""
        sides = [self._rows(side) for side in (self.before, self.after)]
        found = []
        for column in sorted({column for side in sides for column, _ in side}):
            values = sorted({value for side in sides for own, value in side if own == column})
            counts = [
                (sides[0].get((column, value), 0.0), sides[1].get((column, value), 0.0))
                for value in values
            ]
            found += moved_mix(column, counts)
        return found

    def _rows(self, side: Sequence[int]) -> dict[tuple[str, str], float]:
        about = self.series.about
        found: dict[tuple[str, str], float] = {}
        for place in side:
            for one in (self.runs[place].results or NOTHING).measures:
                if len(one.subgroup) == 1 and _alike(one, about):
                    (pair,) = one.subgroup.items()
                    found[pair] = found.get(pair, 0.0) + float(one.n)
        return found


def _alike(one: Measure, other: Measure) -> bool:
    return all(
        getattr(one, name) == getattr(other, name)
        for name in ("dataset", "model", "metric", "params", "average", "label", "fold")
    ) and (one.threshold_rule or one.threshold) == (other.threshold_rule or other.threshold)
