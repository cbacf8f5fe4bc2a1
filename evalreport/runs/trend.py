"""The runs of a folder in their order, and the course of every measure and criterion.

- trend_page: as pages, the first of which is the text; trend_chart, naming
- trend_data: as plain data

When a course changed is found by the same charts as over the periods of one file: the runs of a
series are the steps, one for each data file. What moved follows from what runs keep: their tables,
scores and subgroups.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from evalreport.engine.periods.charts import (
    KeptScores,
    charted_change,
    control_limits,
    moved_mix,
    moved_scores,
    moved_tables,
)
from evalreport.errors import EvalreportError
from evalreport.metrics.estimates import estimate_of, is_better
from evalreport.metrics.tables import ScoreTable
from evalreport.report.wording import Words, own_wording
from evalreport.results.history import HistoryLine
from evalreport.results.identity import Slice, WhichCriterion, WhichNumber
from evalreport.results.lookup import Results
from evalreport.results.records import (
    CONTINUE,
    HELD,
    Change,
    ControlLimits,
    Criterion,
    Curve,
    Measure,
    Moved,
    Table,
)
from evalreport.runs.history import NAME as HISTORY
from evalreport.runs.history import History, chain_problems, recorded_history
from evalreport.runs.prune import read_kept
from evalreport.runs.recorded import read_recorded
from evalreport.statistics.separate_samples import Estimate

#: Headline measures of a run, where no criterion says which matter.
HEADLINES = 3


@dataclass(frozen=True)
class Findings:
    """What a course needs of a run's results: tables and curves of many would fill the memory.

    ``tables`` by id, ``scores`` by dataset and model, both of all rows; ``calibrated`` are the
    models whose scores are probabilities.
    """

    title: str
    measures: tuple[Measure, ...] = ()
    acceptance: tuple[Criterion, ...] = ()
    words: Words | None = None
    tables: Mapping[str, Table] = field(default_factory=dict)
    scores: Mapping[tuple[str, str], KeptScores] = field(default_factory=dict)
    calibrated: frozenset[tuple[str, str]] = frozenset()

    def title_of(self, record: Measure) -> str:
        """The title of a measure as the pages of the run have it: as its spec names the metric."""
        return record.title if self.words is None else self.words.title(record)

    @cached_property
    def mixes(self) -> Mapping[WhichNumber, Counter[tuple[str, str]]]:
        """Rows of each value of each subgroup column, by the number of all rows."""
        found: dict[WhichNumber, Counter[tuple[str, str]]] = {}
        for one in self.measures:
            if len(one.subgroup) == 1:
                found.setdefault(_overall(one), Counter())[next(iter(one.subgroup.items()))] += (
                    one.n
                )
        return found


def _overall(one: Measure) -> WhichNumber:
    """The same number of all rows."""
    return one.which.series.on(Slice(fold=one.fold))


NOTHING = Findings("")
NO_ROWS: Counter[tuple[str, str]] = Counter()


@dataclass(frozen=True)
class Past:
    """A run, or an attempt that came to nothing, by its line of the history.

    ``place``: how many runs are before it; ``line``: its series, where the folder has several.
    Of a run ``results`` are None where ``missing`` says why.
    """

    entry: HistoryLine
    place: int
    line: str | None = None
    results: Findings | None = None
    missing: str | None = None

    @property
    def name(self) -> str:
        """The name of a run; empty of an attempt."""
        return self.entry.run or ""

    @property
    def day(self) -> str:
        """The day that its data are of."""
        return self.entry.time[:10]

    @property
    def found(self) -> Findings:
        """Its results, or empty ones."""
        return self.results or NOTHING


@dataclass(frozen=True)
class Point:
    """A measure in one run: the record, its estimate, its limits."""

    run: Past
    record: Measure
    estimate: Estimate | None
    limits: ControlLimits

    @property
    def better(self) -> bool | None:
        """Whether it is better than the centre of its limits; None where nobody can tell."""
        now = None if self.estimate is None else self.estimate.value
        return is_better(self.record.metric, now, self.limits.centre)


@dataclass(frozen=True, eq=False)
class Series:
    """One measure over the runs of one line of history that have it, oldest first."""

    about: Measure
    points: tuple[Point, ...]
    line: str | None = None

    @cached_property
    def steps(self) -> tuple[Point, ...]:
        """The first run of each data file that has a value: the same rows again say nothing new."""
        first: dict[str, Point] = {}
        for point in self.points:
            if point.estimate is not None:
                first.setdefault(point.run.entry.data_sha256 or "", point)
        return tuple(first.values())

    @cached_property
    def change(self) -> Change | None:
        """The charts of its steps, by the names of runs; None for fewer than five.

        What moved with a change is known where there is an alarm.
        """
        names = [point.run.name for point in self.steps]
        change = charted_change(names, [point.estimate for point in self.steps])
        if change is None or change.alarm is None or change.since is None:
            return change
        first = names.index(change.since)
        return replace(change, moved=_moved(self.steps[:first], self.steps[first:]))

    @property
    def changed(self) -> Change | None:
        """Its change, where there is an alarm."""
        return None if self.change is None or self.change.alarm is None else self.change

    @property
    def better(self) -> bool | None:
        """Whether the change is for the better; None where neither side is."""
        if self.change is None:
            return None
        return is_better(self.about.metric, self.change.after, self.change.before)


def _moved(*sides: Sequence[Point]) -> tuple[Moved, ...]:
    """Shares of positives, scores, calibration and the mix of each subgroup column."""
    tables = ([p.run.found.tables.get(str(p.record.table)) for p in side] for side in sides)
    return (*moved_tables(*tables), *_moved_scores(*sides), *_moved_mixes(*sides))


def _moved_scores(*sides: Sequence[Point]) -> list[Moved]:
    """Nothing where a run keeps no scores."""
    scores = [
        [p.run.found.scores.get((p.record.dataset, p.record.model)) for p in side] for side in sides
    ]
    known = [[one for one in side if one is not None] for side in scores]
    if list(map(len, known)) != list(map(len, scores)) or not all(known):
        return []
    of = (sides[0][0].record.dataset, sides[0][0].record.model)
    calibrated = all(of in p.run.found.calibrated for side in sides for p in side)
    return moved_scores(known, probabilities=calibrated)


def _moved_mixes(*sides: Sequence[Point]) -> list[Moved]:
    """Whether the values of each subgroup column are mixed as before."""
    before, after = (
        sum((p.run.found.mixes.get(_overall(p.record), NO_ROWS) for p in side), NO_ROWS)
        for side in sides
    )
    columns: dict[str, list[tuple[float, float]]] = {}
    for place in sorted(before | after):
        columns.setdefault(place[0], []).append((float(before[place]), float(after[place])))
    return [one for column, counts in columns.items() for one in moved_mix(column, counts)]


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
    """A folder of runs read whole; ``since`` are the attempts since the newest run of a series."""

    runs: tuple[Past, ...]
    attempts: tuple[Past, ...]
    since: tuple[tuple[Past, ...], ...]
    problems: tuple[str, ...]

    @cached_property
    def series(self) -> tuple[Series, ...]:
        """Every measure of the runs."""
        return series_of(self.runs)

    @cached_property
    def criteria(self) -> tuple[CriterionCourse, ...]:
        """Every criterion of the runs."""
        return criteria_of(self.runs)

    @cached_property
    def newest(self) -> dict[str | None, Past]:
        """The newest run of each line of history."""
        return {run.line: run for run in self.runs}

    def last(self, count: int | None) -> tuple[tuple[Past, ...], tuple[Past, ...]]:
        """The newest runs, all where there is no ``count``, and the attempts since the first."""
        first = 0 if count is None else max(0, len(self.runs) - count)
        tried = tuple(one for one in self.attempts if one.place > first or not first)
        return self.runs[first:], tried

    def now(self, criterion: CriterionCourse) -> str | None:
        """The outcome of a criterion in the newest run of its line; None where it is not asked."""
        return criterion.outcomes[self.newest[criterion.line].place]

    @cached_property
    def headlines(self) -> tuple[Series, ...]:
        """The measures that criteria name in the newest run of each line, else its first ones."""
        return tuple(one for line in self.newest for one in self._headlines(line))

    def _headlines(self, line: str | None) -> tuple[Series, ...]:
        own = (run.results for run in reversed(self.runs) if run.line == line)
        newest = next((results for results in own if results), NOTHING)
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
    history = recorded_history(runs)
    by_series = history.by_series
    names = {name: name if len(by_series) > 1 else None for name in by_series}
    places = {run.run: place for place, run in enumerate(history.in_time)}
    times = [run.time for run in history.in_time]

    def past(entry: HistoryLine) -> Past:
        place = places.get(entry.run)
        at = bisect_right(times, entry.time) if place is None else place
        return Past(entry, at, names[history.series_of(entry)])

    def in_order(entries: Iterable[HistoryLine]) -> tuple[Past, ...]:
        return tuple(past(one) for one in sorted(entries, key=lambda one: one.time))

    return Course(
        tuple(_read(runs, past(run), history) for run in history.in_time),
        in_order(history.attempts),
        tuple(in_order(lines.since) for lines in by_series.values() if lines.since),
        tuple(str(problem) for problem in chain_problems(history, Path(HISTORY))),
    )


def _read(runs: Path, run: Past, history: History) -> Past:
    """A run with its results; of one that was removed with what is kept of it."""
    name, folder = run.name, runs / run.name
    there, kept = folder.is_dir(), name in history.kept
    missing = "removed by prune" if name in history.pruned else "its folder is missing"
    run = replace(run, missing=None if there else missing)
    if not there and not kept:
        return run
    try:
        recorded = read_recorded(folder) if there else read_kept(runs, name, history)
    except EvalreportError as error:
        what = error.problems[0].what
        lost = what if there else f"{missing}, and what was kept of it: {what}"
        return replace(run, missing=lost)
    return replace(run, results=_findings(recorded.results))


def _findings(whole: Results) -> Findings:
    overall = [one for one in whole.curves if not one.subgroup]
    return Findings(
        whole.title,
        whole.measures,
        whole.acceptance,
        Words(whole, own_wording(whole)),
        {one.id: one for one in whole.tables if not one.subgroup and one.fold is None},
        {(c.dataset, c.model): scores for c in overall if (scores := _scores(c)) is not None},
        frozenset((c.dataset, c.model) for c in overall if c.kind == "calibration"),
    )


def _scores(curve: Curve) -> KeptScores | None:
    """The scores of all rows, from the steps of a gain curve; of a thinned one the bins."""
    if not curve.tells_scores or len({len(column) for column in curve.points.values()}) > 1:
        return None
    scores, *counts = (curve.points[name] for name in ("threshold", "rows", "tp"))
    own = [k for k, score in enumerate(scores) if isinstance(score, (float, int))]
    steps, up = (np.diff([n or 0 for n in column], prepend=0.0) for column in counts)
    values = np.array([scores[k] for k in own], np.float64)
    return KeptScores(ScoreTable(values, up[own], steps[own] - up[own]), curve.in_bins)


def series_of(runs: Sequence[Past]) -> tuple[Series, ...]:
    """Every measure of the runs, in the order of the newest run that has it."""
    found: dict[tuple[str | None, WhichNumber], list[tuple[Past, Measure]]] = {}
    for run in reversed(runs):
        for measure in run.found.measures:
            found.setdefault((run.line, measure.which.series), []).append((run, measure))
    return tuple(_series(line, records) for (line, _), records in found.items())


def _series(line: str | None, records: Sequence[tuple[Past, Measure]]) -> Series:
    """A measure in runs, the newest first, called as the newest calls it."""
    newest, about = records[0]
    runs, measures = zip(*reversed(records), strict=True)
    limits = control_limits(measures, [run.entry.data_sha256 or "" for run in runs])
    points = tuple(
        Point(run, one, estimate_of(one), own)
        for run, one, own in zip(runs, measures, limits, strict=True)
    )
    return Series(replace(about, title=newest.found.title_of(about)), points, line)


def criteria_of(runs: Sequence[Past]) -> tuple[CriterionCourse, ...]:
    """Every criterion of the runs with its outcomes, newest criteria first."""
    found: dict[tuple[str | None, WhichCriterion], dict[int, Criterion]] = {}
    for run in reversed(runs):
        for entry in run.found.acceptance:
            found.setdefault((run.line, entry.which), {})[run.place] = entry
    return tuple(
        CriterionCourse(
            next(iter(entries.values())),
            tuple(entries[k].outcome if k in entries else None for k in range(len(runs))),
            line,
        )
        for (line, _), entries in found.items()
    )
