"""The runs of a folder in their order, and the course of every measure and criterion.

- trend_text: runs in words
- trend_site: pages, a course as lines and marks

When a course changed is found by the same charts as over the periods of one file: the runs of a
series are the steps, one for each data file. What moved follows from what runs keep: their tables,
scores and subgroups.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from evalreport.engine.periods.charts import chart_mark, moved_mix, moved_scores, moved_tables
from evalreport.errors import EvalreportError, FilesError, Location, Problem
from evalreport.metrics.catalogue import find
from evalreport.metrics.estimates import estimate_of
from evalreport.metrics.tables import ScoreTable
from evalreport.record.history import NAME as HISTORY
from evalreport.record.history import History, chain_problems, read_history
from evalreport.record.prune import read_kept
from evalreport.record.recorded import RecordedBytes, part_of, recorded_bytes
from evalreport.results.history import LookTold
from evalreport.results.identity import WhichCriterion, WhichNumber
from evalreport.results.records import (
    CONTINUE,
    CURVES_OF_SCORES,
    HELD,
    ChartMark,
    Criterion,
    Curve,
    Measure,
    Moved,
    Table,
)
from evalreport.statistics.control_limits import Limits, limits_for
from evalreport.statistics.course import LEVEL, RUN_LENGTH, charted_course
from evalreport.statistics.separate_samples import Estimate
from evalreport.values import dataclass

#: Headline measures of a run, where no criterion says which matter.
HEADLINES = 3


@dataclass(frozen=True)
class ScoresTold:
    """The distinct scores of a model on a dataset, and whether they are probabilities."""

    dataset: str
    model: str
    table: ScoreTable
    probabilities: bool


@dataclass(frozen=True)
class Findings:
    """What a course needs of a run's results: tables and curves of many would fill the memory."""

    title: str
    measures: tuple[Measure, ...] = ()
    acceptance: tuple[Criterion, ...] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    scores: tuple[ScoresTold, ...] = ()


NOTHING = Findings("")


@dataclass(frozen=True)
class PastRun:
    """A run as the history tells it; ``results`` are None where ``missing`` says why."""

    name: str
    when: str
    outcome: str
    version: str
    data_sha256: str
    results: Findings | None
    missing: str | None = None
    files: tuple[str, ...] = ()
    #: The line of history that it stands in, where the folder has several.
    line: str | None = None
    looks: tuple[LookTold, ...] = ()


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


@dataclass(frozen=True)
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

    @cached_property
    def newest(self) -> dict[str | None, int]:
        """The place of the newest run of each line of history."""
        return {run.line: place for place, run in enumerate(self.runs)}

    def now(self, criterion: CriterionCourse) -> str | None:
        """The outcome of a criterion in the newest run of its line; None where it is not asked."""
        return criterion.outcomes[self.newest[criterion.line]]

    @property
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
    several = len(set(lines.values())) > 1
    past = tuple(
        _past_run(runs, name, history, line=lines[name] if several else None)
        for name in history.in_time()
    )
    problems = tuple(str(problem) for problem in chain_problems(history, Path(HISTORY)))
    return Course(past, series_of(past), criteria_of(past), problems)


def _past_run(runs: Path, name: str, history: History, line: str | None) -> PastRun:
    entry = history.runs[name]
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
    return PastRun(
        name=name,
        when=entry.when,
        outcome=entry.outcome or "",
        version=entry.version,
        data_sha256=entry.data_sha256 or "",
        results=results,
        missing=missing,
        files=files,
        line=line,
        looks=entry.looks,
    )


@dataclass(frozen=True)
class _Told:
    """The fields of a ``results.json`` that findings are made of."""

    title: str
    measures: tuple[Measure, ...]
    acceptance: tuple[Criterion, ...]
    tables: tuple[Table, ...]
    curves: tuple[Curve, ...]


def _findings(found: RecordedBytes) -> Findings:
    whole = part_of(_Told, found.data, found.where, {"curves": _is_told})
    return Findings(
        whole.title,
        whole.measures,
        whole.acceptance,
        {one.id: one for one in whole.tables if not one.subgroup and one.fold is None},
        tuple(_scores_told(whole)),
    )


def _is_told(curve: Any) -> bool:
    """Whether a parsed curve is one that is looked at; what is no curve has to be refused."""
    return not isinstance(curve, dict) or curve.get("kind") in CURVES_OF_SCORES


def _scores_told(whole: _Told) -> Iterator[ScoresTold]:
    """The scores of all rows, from the steps of their gain curves; none of thinned curves."""
    overall = [one for one in whole.curves if not one.subgroup]
    calibrated = {(c.dataset, c.model) for c in overall if c.kind == "calibration"}
    for curve in overall:
        if not curve.tells_scores or curve.thinned or curve.bins is not None:
            continue
        if len({len(column) for column in curve.points.values()}) > 1:
            continue
        scores, *told = (curve.points[name] for name in ("threshold", "rows", "tp"))
        own = [k for k, score in enumerate(scores) if isinstance(score, (float, int))]
        steps, up = (np.diff([n or 0 for n in column], prepend=0.0) for column in told)
        values = np.array([scores[k] for k in own], np.float64)
        table = ScoreTable(values, up[own], steps[own] - up[own])
        place = (curve.dataset, curve.model)
        yield ScoresTold(*place, table, place in calibrated)


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
    points: list[Point] = []
    metric = find(records[0][1].metric)
    within = metric.bounds if metric is not None else (-inf, inf)
    # one value for each data file: the same rows again say nothing new
    earlier: dict[str, Estimate] = {}
    for index, record in records:
        estimate, data = estimate_of(record), runs[index].data_sha256
        if estimate is None:
            points.append(Point(index, record, None, Limits(reason=str(record.reason))))
            continue
        others = [one for own, one in earlier.items() if own != data]
        points.append(Point(index, record, estimate, limits_for(estimate, others, within)))
        earlier.setdefault(data, estimate)
    return tuple(points)


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
