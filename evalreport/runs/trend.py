"""The course of the runs of a folder, read from what each run recorded.

When a course changed is found by the same charts as over the periods of one file: the runs of a
series are the steps, one for each data file. What moved follows from what runs keep: their tables,
scores and subgroups.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
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
from evalreport.results.course import Course, CriterionCourse, Past, Point, Series
from evalreport.results.history import HistoryLine
from evalreport.results.identity import Slice, WhichCriterion, WhichNumber
from evalreport.results.lookup import Results
from evalreport.results.records import Change, Criterion, Curve, Measure, Moved, Table
from evalreport.runs.history import NAME as HISTORY
from evalreport.runs.history import History, chain_problems, recorded_history
from evalreport.runs.prune import read_kept
from evalreport.runs.recorded import read_recorded

#: Headline measures of a run, where no criterion says which matter.
HEADLINES = 3


@dataclass(frozen=True)
class Findings:
    """What a course needs of a run's results: tables and curves of many would fill the memory.

    ``tables`` by id, ``scores`` by dataset and model, both of all rows; ``calibrated`` are the
    models whose scores are probabilities. Of a run whose results are not known all are empty.
    """

    run: Past
    measures: tuple[Measure, ...] = ()
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


NO_ROWS: Counter[tuple[str, str]] = Counter()
#: A measure with the run that has it.
Found = tuple[Findings, Measure]


def read_course(runs: Path) -> Course:
    """Every recorded run of a folder, with what can be read of it.

    A run that was removed or altered stays in the list and says so. Raises FilesError
    when there is no history.
    """
    history = recorded_history(runs)
    found = read_findings(runs, history)
    series = series_of(found)
    return Course(
        runs=tuple(one.run for one in found),
        attempts=_in_order(history, history.attempts),
        since=tuple(
            _in_order(history, one.since) for one in history.by_series.values() if one.since
        ),
        problems=tuple(str(problem) for problem in chain_problems(history, Path(HISTORY))),
        series=series,
        headlines=tuple(_headlines(found, series)),
        criteria=criteria_of([one.run for one in found]),
    )


def _in_order(history: History, attempts: Iterable[HistoryLine]) -> tuple[Past, ...]:
    """Attempts by what their data were of, each after the runs of no later time."""
    time = attrgetter("time")
    return tuple(
        Past(one, bisect_right(history.in_time, one.time, key=time), _line(history, one))
        for one in sorted(attempts, key=time)
    )


def _line(history: History, entry: HistoryLine) -> str | None:
    return history.series_of(entry) if len(history.by_series) > 1 else None


def read_findings(runs: Path, history: History) -> tuple[Findings, ...]:
    """The recorded runs of a folder in their order, with what a course needs of each."""
    return tuple(
        _read(runs, Past(entry, place, _line(history, entry)), history)
        for place, entry in enumerate(history.in_time)
    )


def _read(runs: Path, run: Past, history: History) -> Findings:
    """A run with its results; of one that was removed with what is kept of it."""
    name, folder = run.name, runs / run.name
    there, kept = folder.is_dir(), name in history.kept
    missing = "removed by prune" if name in history.pruned else "its folder is missing"
    run = replace(run, missing=None if there else missing)
    if not there and not kept:
        return Findings(run)
    try:
        recorded = read_recorded(folder) if there else read_kept(runs, name, history)
    except EvalreportError as error:
        what = error.problems[0].what
        lost = what if there else f"{missing}, and what was kept of it: {what}"
        return Findings(replace(run, missing=lost))
    return _findings(run, recorded.results)


def _findings(run: Past, whole: Results) -> Findings:
    overall = [one for one in whole.curves if not one.subgroup]
    return Findings(
        replace(run, title=whole.title, acceptance=whole.acceptance),
        whole.measures,
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


def _headlines(found: Sequence[Findings], series: Sequence[Series]) -> Iterator[Series]:
    """The measures that criteria name in the newest run of each line, else its first ones."""
    by_number = {(one.line, one.about.which.series): one for one in series}
    for line in dict.fromkeys(one.run.line for one in found):
        own = (one for one in reversed(found) if one.run.line == line)
        newest = next((one for one in own if one.run.title is not None), None)
        if newest is None:
            continue
        requested = {entry.measure for entry in newest.run.acceptance if not entry.subgroup}
        overall = [m for m in newest.measures if not m.subgroup and m.fold is None]
        chosen = [m for m in overall if m.id in requested] or overall[:HEADLINES]
        yield from (by_number[line, measure.which.series] for measure in chosen)


def series_of(found: Sequence[Findings]) -> tuple[Series, ...]:
    """Every measure of the runs, in the order of the newest run that has it."""
    by_number: dict[tuple[str | None, WhichNumber], list[Found]] = {}
    for one in reversed(found):
        for measure in one.measures:
            by_number.setdefault((one.run.line, measure.which.series), []).append((one, measure))
    return tuple(_series(line, records) for (line, _), records in by_number.items())


def _series(line: str | None, records: Sequence[Found]) -> Series:
    """A measure in runs, the newest first, called as the newest calls it."""
    newest, about = records[0]
    found, measures = zip(*reversed(records), strict=True)
    limits = control_limits(measures, [one.run.entry.data_sha256 or "" for one in found])
    points = tuple(
        Point(one.run, record, own, is_better(record.metric, record.value, own.centre))
        for one, record, own in zip(found, measures, limits, strict=True)
    )
    # the same rows again say nothing new
    first: dict[str, int] = {}
    for k, point in enumerate(points):
        if point.value is not None:
            first.setdefault(point.run.entry.data_sha256 or "", k)
    steps = list(first.values())
    change = _change([(found[k], measures[k]) for k in steps])
    return Series(
        about=replace(about, title=newest.title_of(about)),
        points=points,
        steps=tuple(points[k] for k in steps),
        change=change,
        better=None if change is None else is_better(about.metric, change.after, change.before),
        line=line,
    )


def _change(steps: Sequence[Found]) -> Change | None:
    """The charts of the steps, by the names of runs; None for fewer than five.

    What moved with a change is known where there is an alarm.
    """
    names = [one.run.name for one, _ in steps]
    change = charted_change(names, [estimate_of(record) for _, record in steps])
    if change is None or change.alarm is None or change.since is None:
        return change
    first = names.index(change.since)
    return replace(change, moved=_moved(steps[:first], steps[first:]))


def _moved(*sides: Sequence[Found]) -> tuple[Moved, ...]:
    """Shares of positives, scores, calibration and the mix of each subgroup column."""
    tables = ([one.tables.get(str(record.table)) for one, record in side] for side in sides)
    return (*moved_tables(*tables), *_moved_scores(*sides), *_moved_mixes(*sides))


def _moved_scores(*sides: Sequence[Found]) -> list[Moved]:
    """Nothing where a run keeps no scores."""
    record = sides[0][0][1]
    of = (record.dataset, record.model)
    scores = [[one.scores.get(of) for one, _ in side] for side in sides]
    known = [[one for one in side if one is not None] for side in scores]
    if list(map(len, known)) != list(map(len, scores)) or not all(known):
        return []
    calibrated = all(of in one.calibrated for side in sides for one, _ in side)
    return moved_scores(known, probabilities=calibrated)


def _moved_mixes(*sides: Sequence[Found]) -> list[Moved]:
    """Whether the values of each subgroup column are mixed as before."""
    before, after = (
        sum((one.mixes.get(_overall(record), NO_ROWS) for one, record in side), NO_ROWS)
        for side in sides
    )
    columns: dict[str, list[tuple[float, float]]] = {}
    for place in sorted(before | after):
        columns.setdefault(place[0], []).append((float(before[place]), float(after[place])))
    return [one for column, counts in columns.items() for one in moved_mix(column, counts)]


def criteria_of(runs: Sequence[Past]) -> tuple[CriterionCourse, ...]:
    """Every criterion of the runs with its outcomes, newest criteria first."""
    found: dict[tuple[str | None, WhichCriterion], dict[int, Criterion]] = {}
    for run in reversed(runs):
        for entry in run.acceptance:
            found.setdefault((run.line, entry.which), {})[run.place] = entry
    return tuple(
        CriterionCourse(
            next(iter(entries.values())),
            tuple(entries[k].outcome if k in entries else None for k in range(len(runs))),
            line,
        )
        for (line, _), entries in found.items()
    )
