"""The runs of a folder in their order, and the course of every measure and criterion.

- trend_page: as pages, the first of which is the text; trend_chart, trend_words
- trend_data: as plain data

When a course changed is found by the same charts as over the periods of one file: the runs of a
series are the steps, one for each data file. What moved follows from what runs keep: their tables,
scores and subgroups.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from pathlib import Path

import numpy as np

from evalreport.engine.periods.charts import charted_change, moved_mix, moved_tables
from evalreport.engine.reference.differences import loss_of
from evalreport.errors import EvalreportError, FilesError, Location, Problem
from evalreport.metrics.catalogue import find
from evalreport.metrics.estimates import estimate_of
from evalreport.metrics.tables import ScoreTable
from evalreport.runs.history import NAME as HISTORY
from evalreport.runs.history import History, chain_problems, read_history
from evalreport.runs.prune import read_kept
from evalreport.runs.recorded import RecordedBytes, part_of, recorded_bytes
from evalreport.runs.trend_moved import ScoresOfRuns, ScoresTold
from evalreport.results.history import HistoryLine
from evalreport.results.identity import Slice, WhichCriterion, WhichNumber
from evalreport.results.records import (
    CONTINUE,
    CURVES_OF_SCORES,
    HELD,
    Change,
    Criterion,
    Curve,
    Measure,
    Moved,
    Table,
)
from evalreport.statistics.control_limits import Limits, limits_of_course
from evalreport.statistics.separate_samples import Estimate

#: Headline measures of a run, where no criterion says which matter.
HEADLINES = 3


@dataclass(frozen=True)
class Findings:
    """What a course needs of a run's results: tables and curves of many would fill the memory."""

    title: str
    measures: tuple[Measure, ...] = ()
    acceptance: tuple[Criterion, ...] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    scores: tuple[ScoresTold, ...] = ()

    @cached_property
    def mixes(self) -> Mapping[WhichNumber, Sequence[tuple[str, str, float]]]:
        """Column, value and rows of each subgroup of one column, by the number of all rows."""
        found: dict[WhichNumber, list[tuple[str, str, float]]] = {}
        for one in self.measures:
            if len(one.subgroup) == 1:
                ((column, value),) = one.subgroup.items()
                found.setdefault(_overall(one), []).append((column, value, float(one.n)))
        return found


def _overall(one: Measure) -> WhichNumber:
    """The same number of all rows."""
    return one.which.series.on(Slice(fold=one.fold))


NOTHING = Findings("")


@dataclass(frozen=True)
class PastRun:
    """A run by its line of the history; ``results`` are None where ``missing`` says why.

    ``line``: its series, where the folder has several.
    """

    name: str
    entry: HistoryLine
    results: Findings | None
    missing: str | None = None
    files: tuple[str, ...] = ()
    line: str | None = None


@dataclass(frozen=True)
class PastAttempt:
    """An attempt that came to nothing, by its line of the history.

    ``place``: how many runs are before it; ``after``: whether the newest run of its series was
    made before it.
    """

    entry: HistoryLine
    place: int
    after: bool
    line: str | None = None


@dataclass(frozen=True)
class Point:
    """A measure in one run: the record, its estimate, and the limits it is held against."""

    run: int
    record: Measure
    estimate: Estimate | None
    limits: Limits

    @property
    def signal(self) -> bool:
        """Whether the value lies outside its control limits."""
        return self.estimate is not None and self.limits.signals(self.estimate.value)

    @property
    def better(self) -> bool | None:
        """Whether it is better than the centre of its limits; None where nobody can tell."""
        now = None if self.estimate is None else self.estimate.value
        return _is_better(self.record.metric, now, self.limits.centre)


def _is_better(metric: str, now: float | None, then: float | None) -> bool | None:
    """Whether a value is better than another, by the goal of its metric."""
    declared = find(metric)
    loss = None if now is None or then is None or declared is None else loss_of(declared, now, then)
    return loss < 0.0 if loss else None


@dataclass(frozen=True, eq=False)
class Series:
    """One measure over the runs of one line of history that have it, oldest first."""

    about: Measure
    points: tuple[Point, ...]
    line: str | None = None


@dataclass(frozen=True)
class CriterionCourse:
    """One criterion over the runs: the outcome in each (None where it was not asked)."""

    about: Criterion
    outcomes: tuple[str | None, ...]
    line: str | None = None

    @property
    def breaches(self) -> int:
        """How many runs in a row, up to the newest that asked, did not pass."""
        count = 0
        for outcome in reversed([o for o in self.outcomes if o is not None]):
            if outcome in HELD or outcome == CONTINUE:
                break
            count += 1
        return count


@dataclass(frozen=True)
class Course:
    """A folder of runs read whole."""

    runs: tuple[PastRun, ...]
    series: tuple[Series, ...]
    criteria: tuple[CriterionCourse, ...]
    problems: tuple[str, ...]
    attempts: tuple[PastAttempt, ...] = ()

    def change(self, series: Series) -> RunsChange | None:
        """When one of its series changed, worked out once."""
        if series not in self._changes:
            self._changes[series] = change_of_series(series, self.runs, self._scores)
        return self._changes[series]

    @cached_property
    def _changes(self) -> dict[Series, RunsChange | None]:
        return {}

    @cached_property
    def _scores(self) -> ScoresBySeries:
        return ScoresBySeries(self.runs)

    @cached_property
    def newest(self) -> dict[str | None, int]:
        """The place of the newest run of each line of history."""
        return {run.line: place for place, run in enumerate(self.runs)}

    def tried(self, first: int = 0) -> tuple[PastAttempt, ...]:
        """The attempts from a run on, by how many runs are before each; none before that run."""
        return tuple(one for one in self.attempts if one.place > first or not first)

    def now(self, criterion: CriterionCourse) -> str | None:
        """The outcome of a criterion in the newest run of its line; None where it is not asked."""
        return criterion.outcomes[self.newest[criterion.line]]

    @cached_property
    def headlines(self) -> tuple[Series, ...]:
        """The measures that criteria name in the newest run of each line, else its first ones."""
        return tuple(one for line in self.newest for one in self._headlines(line))

    def _headlines(self, line: str | None) -> tuple[Series, ...]:
        own = (run.results for run in reversed(self.runs) if run.line == line)
        newest = next((results for results in own if results), None)
        if newest is None:
            return ()
        asked = {entry.measure for entry in newest.acceptance if not entry.subgroup}
        overall = [m for m in newest.measures if not m.subgroup and m.fold is None]
        chosen = [m for m in overall if m.id in asked] or overall[:HEADLINES]
        by_number = {one.about.which.series: one for one in self.series if one.line == line}
        return tuple(by_number[measure.which.series] for measure in chosen)


def read_course(runs: Path) -> Course:
    """Every recorded run of a folder, with what can be read of it.

    A run that was removed or altered stays in the list and says so. Raises FilesError
    when there is no history.
    """
    history = read_history(runs)
    if not history.lines and not history.torn:
        hint = "give the folder of runs, such as runs/"
        raise FilesError(Problem(f"no {HISTORY}, so no runs", hint, Location(str(runs))))
    lines = {name: history.series_of(entry) for name, entry in history.runs.items()}
    tried = {entry.series for entry in history.attempts}
    several = len({*lines.values(), *tried}) > 1
    past = tuple(
        _past_run(runs, name, history, line=lines[name] if several else None)
        for name in history.in_time()
    )
    problems = tuple(str(problem) for problem in chain_problems(history, Path(HISTORY)))
    attempts = tuple(_past_attempts(history, several=several))
    return Course(past, series_of(past), criteria_of(past), problems, attempts)


def _past_attempts(history: History, *, several: bool) -> Iterator[PastAttempt]:
    """The attempts by their time, each with its place among the runs."""
    order = [history.runs[name] for name in history.in_time()]
    newest = {history.series_of(entry): entry for entry in order}
    times = [entry.time for entry in order]
    for entry in sorted(history.attempts, key=lambda one: one.time):
        run = newest.get(entry.series)
        after = run is None or entry.follows(run)
        line = entry.series if several else None
        yield PastAttempt(entry, bisect_right(times, entry.time), after, line)


def _past_run(runs: Path, name: str, history: History, line: str | None) -> PastRun:
    results: Findings | None = None
    missing: str | None = None
    files: tuple[str, ...] = ()
    folder = runs / name
    if not folder.is_dir():
        missing = "removed by prune" if name in history.pruned else "its folder is missing"
        if name in history.kept:
            results, missing = _of_kept(runs, name, history, missing)
    else:
        try:
            results = _findings(recorded_bytes(folder))
            files = tuple(sorted(p.name for p in folder.iterdir() if p.is_file()))
        except EvalreportError as error:
            missing = error.problems[0].what
    return PastRun(name, history.runs[name], results, missing, files, line)


@dataclass(frozen=True)
class _Told:
    """The fields of a ``results.json`` that findings are made of."""

    title: str
    measures: tuple[Measure, ...]
    acceptance: tuple[Criterion, ...]
    tables: tuple[Table, ...]
    curves: tuple[Curve, ...]


def _findings(found: RecordedBytes) -> Findings:
    whole = part_of(_Told, found.data, found.where, CURVES_OF_SCORES)
    return Findings(
        whole.title,
        whole.measures,
        whole.acceptance,
        {one.id: one for one in whole.tables if not one.subgroup and one.fold is None},
        tuple(_scores_told(whole)),
    )


def _scores_told(whole: _Told) -> Iterator[ScoresTold]:
    """The scores of all rows, from the steps of their gain curves; of thinned ones the bins."""
    overall = [one for one in whole.curves if not one.subgroup]
    calibrated = {(c.dataset, c.model) for c in overall if c.kind == "calibration"}
    for curve in overall:
        if not curve.tells_scores:
            continue
        if len({len(column) for column in curve.points.values()}) > 1:
            continue
        scores, *told = (curve.points[name] for name in ("threshold", "rows", "tp"))
        own = [k for k, score in enumerate(scores) if isinstance(score, (float, int))]
        steps, up = (np.diff([n or 0 for n in column], prepend=0.0) for column in told)
        values = np.array([scores[k] for k in own], np.float64)
        table = ScoreTable(values, up[own], steps[own] - up[own])
        place = (curve.dataset, curve.model)
        yield ScoresTold(*place, table, place in calibrated, curve.in_bins)


def _of_kept(runs: Path, name: str, history: History, missing: str) -> tuple[Findings | None, str]:
    """What is kept of a removed run, and what is to be said of it."""
    try:
        return _findings(read_kept(runs, name, history)), missing
    except EvalreportError as error:
        return None, f"{missing}, and what was kept of it: {error.problems[0].what}"


def series_of(runs: Sequence[PastRun]) -> tuple[Series, ...]:
    """Every measure of the runs, in the order of the newest run that has it."""
    records: dict[tuple[str | None, WhichNumber], list[tuple[int, Measure]]] = {}
    for index in range(len(runs) - 1, -1, -1):
        for measure in (runs[index].results or NOTHING).measures:
            key = (runs[index].line, measure.which.series)
            records.setdefault(key, []).insert(0, (index, measure))
    return tuple(
        Series(found[-1][1], _points(found, runs), line) for (line, _), found in records.items()
    )


def _points(records: Sequence[tuple[int, Measure]], runs: Sequence[PastRun]) -> tuple[Point, ...]:
    metric = find(records[0][1].metric)
    estimates = [estimate_of(record) for _, record in records]
    pairs = zip(estimates, records, strict=True)
    # one value for each data file: the same rows again say nothing new
    course = [
        (one, runs[index].entry.data_sha256 or "") for one, (index, _) in pairs if one is not None
    ]
    limits = iter(limits_of_course(course, metric.bounds if metric is not None else (-inf, inf)))
    return tuple(
        Point(
            index, record, one, Limits(reason=str(record.reason)) if one is None else next(limits)
        )
        for one, (index, record) in zip(estimates, records, strict=True)
    )


def criteria_of(runs: Sequence[PastRun]) -> tuple[CriterionCourse, ...]:
    """Every criterion of the runs with its outcomes, newest criteria first."""
    about: dict[tuple[str | None, WhichCriterion], Criterion] = {}
    outcomes: dict[tuple[str | None, WhichCriterion], dict[int, str]] = {}
    for index in range(len(runs) - 1, -1, -1):
        for entry in (runs[index].results or NOTHING).acceptance:
            key = (runs[index].line, entry.which)
            about.setdefault(key, entry)
            outcomes.setdefault(key, {})[index] = entry.outcome
    return tuple(
        CriterionCourse(
            entry, tuple(outcomes[key].get(index) for index in range(len(runs))), key[0]
        )
        for key, entry in about.items()
    )


@dataclass(frozen=True)
class RunsChange:
    """The charts of a series, by the names of its runs.

    ``places``: those of its steps, one run for each data file. ``better``: whether the change is
    for the better; None where neither side is.
    """

    change: Change
    places: tuple[int, ...]
    better: bool | None


class ScoresBySeries:
    """The scores of each model on each dataset in each line of history, put together once."""

    def __init__(self, runs: Sequence[PastRun]) -> None:
        self._runs = runs
        self._known: dict[tuple[str | None, str, str | None], ScoresOfRuns] = {}

    def of(self, series: Series) -> ScoresOfRuns:
        """The scores that a measure is made of."""
        about = series.about
        key = (series.line, about.dataset, about.model)
        if key not in self._known:
            self._known[key] = ScoresOfRuns(
                {
                    place: one
                    for place, run in enumerate(self._runs)
                    if run.line == series.line
                    for one in (run.results or NOTHING).scores
                    if (one.dataset, one.model) == key[1:]
                }
            )
        return self._known[key]


def change_of_series(
    series: Series, runs: Sequence[PastRun], scores: ScoresBySeries | None = None
) -> RunsChange | None:
    """When a measure changed over its runs; None for fewer than five data files with values.

    ``scores`` are those of the runs, where they are asked more than once.
    """
    steps = _steps(series, runs)
    places = tuple(point.run for point in steps)
    names = [runs[place].name for place in places]
    change = charted_change(names, [point.estimate for point in steps])
    if change is None:
        return None
    if change.alarm is not None and change.since is not None:
        index = names.index(change.since)
        told = (scores or ScoresBySeries(runs)).of(series)
        sides = _Sides(series, runs, places[:index], places[index:])
        change = replace(change, moved=sides.moved(told))
    better = _is_better(series.about.metric, change.after, change.before)
    return RunsChange(change, places, better)


def _steps(series: Series, runs: Sequence[PastRun]) -> list[Point]:
    """The first run of each data file that has a value: the same rows again say nothing new."""
    seen: set[str] = set()
    found = []
    for point in series.points:
        data = runs[point.run].entry.data_sha256 or ""
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

    def moved(self, scores: ScoresOfRuns) -> tuple[Moved, ...]:
        """Shares of positives, scores, calibration and the mix of each subgroup column."""
        tables = [
            [self._tables(place).get(str(record.table)) for place, record in side]
            for side in self._records
        ]
        return (
            *moved_tables(*tables),
            *scores.moved(self.before, self.after),
            *self._mixes(),
        )

    @cached_property
    def _records(self) -> list[list[tuple[int, Measure]]]:
        own = {point.run: point.record for point in self.series.points}
        return [[(place, own[place]) for place in side] for side in (self.before, self.after)]

    def _tables(self, place: int) -> Mapping[str, Table]:
        return (self.runs[place].results or NOTHING).tables

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
        about = _overall(self.series.about)
        found: dict[tuple[str, str], float] = {}
        for place in side:
            for column, value, rows in (self.runs[place].results or NOTHING).mixes.get(about, ()):
                found[column, value] = found.get((column, value), 0.0) + rows
        return found
