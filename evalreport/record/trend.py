"""The runs of a folder in their order, and the course of every measure and criterion.

- trend_text: runs in words
- trend_change: when a course changed, and what moved with it
- trend_chart: a course as lines and marks
- trend_site: pages
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from pathlib import Path

import numpy as np

from evalreport.errors import EvalreportError, FilesError, Location, Problem
from evalreport.metrics.catalogue import find
from evalreport.metrics.estimates import estimate_of
from evalreport.metrics.tables import ScoreTable
from evalreport.record.chain import chain_problems
from evalreport.record.history import NAME as HISTORY
from evalreport.record.history import History, read_history
from evalreport.record.recorded import RecordedBytes, part_of, recorded_bytes
from evalreport.record.removed import read_kept
from evalreport.results.history import LookTold
from evalreport.results.identity import WhichCriterion, WhichNumber
from evalreport.results.records import CONTINUE, HELD, Criterion, Curve, Measure, Table
from evalreport.statistics.control_limits import Limits, limits_for
from evalreport.statistics.separate_samples import Estimate

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
    whole = part_of(_Told, found.data, found.where)
    return Findings(
        whole.title,
        whole.measures,
        whole.acceptance,
        {one.id: one for one in whole.tables if not one.subgroup and one.fold is None},
        tuple(_scores_told(whole)),
    )


def _scores_told(whole: _Told) -> Iterator[ScoresTold]:
    """The scores of all rows, from the steps of their gain curves; none of thinned curves."""
    overall = [one for one in whole.curves if not one.subgroup]
    calibrated = {(c.dataset, c.model) for c in overall if c.kind == "calibration"}
    for curve in overall:
        if curve.kind != "gain" or curve.thinned or curve.bins is not None:
            continue
        if len({len(column) for column in curve.points.values()}) > 1:
            continue
        scores, rows, hits = (curve.points[name] for name in ("threshold", "rows", "tp"))
        own = [k for k, score in enumerate(scores) if isinstance(score, float | int)]
        steps, up = (np.diff([0.0, *(float(n or 0) for n in told)]) for told in (rows, hits))
        table = ScoreTable(
            np.array([float(scores[k] or 0) for k in own]), up[own], steps[own] - up[own]
        )
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
