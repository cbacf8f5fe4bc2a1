"""The course of a folder of runs: every measure and criterion over them, as ``history`` shows it.

Text, JSON and pages are made of this one value. ``line`` is the series that something is of,
where the folder has several: its line of history.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from evalreport.results.history import HistoryLine
from evalreport.results.records import CONTINUE, HELD, Change, ControlLimits, Criterion, Measure


@dataclass(frozen=True)
class Past:
    """A run, or an attempt that came to nothing, by its line of the history.

    ``place``: how many runs are before it. Of a run whose results are not known ``title`` is
    None, and ``missing`` says why; it may say why only its numbers are left, too.
    """

    entry: HistoryLine
    place: int
    line: str | None = None
    title: str | None = None
    acceptance: tuple[Criterion, ...] = ()
    missing: str | None = None

    @property
    def name(self) -> str:
        """The name of a run; empty of an attempt."""
        return self.entry.run or ""

    @property
    def day(self) -> str:
        """The day that its data are of."""
        return self.entry.time[:10]


@dataclass(frozen=True)
class Point:
    """A measure in one run; ``better``: than the centre of its limits, None if nobody can tell."""

    run: Past
    record: Measure
    limits: ControlLimits
    better: bool | None

    @property
    def value(self) -> float | None:
        """Its value; None where it is undefined."""
        return None if self.record.value is None else float(self.record.value)


@dataclass(frozen=True, eq=False)
class Series:
    """One measure over the runs of one line of history that have it, oldest first.

    ``steps`` are the first points with a value of each data file, ``change`` their charts by the
    names of runs, ``better`` whether the change is for the better.
    """

    about: Measure
    points: tuple[Point, ...]
    steps: tuple[Point, ...]
    change: Change | None
    better: bool | None
    line: str | None = None

    @property
    def changed(self) -> Change | None:
        """Its change, where there is an alarm."""
        return None if self.change is None or self.change.alarm is None else self.change


@dataclass(frozen=True)
class CriterionCourse:
    """One criterion over the runs: the outcome in each (None where it was not requested)."""

    about: Criterion
    outcomes: tuple[str | None, ...]
    line: str | None = None

    @property
    def breaches(self) -> int:
        """How many runs in a row, up to the newest with the criterion, did not pass."""
        count = 0
        for outcome in reversed([o for o in self.outcomes if o is not None]):
            if outcome in HELD or outcome == CONTINUE:
                break
            count += 1
        return count


@dataclass(frozen=True)
class Course:
    """A folder of runs read whole.

    ``since`` are the attempts since the newest run of each series, ``problems`` what is wrong
    with the history. ``headlines``: the measures that criteria name in the newest run of each
    line, else its first ones.
    """

    runs: tuple[Past, ...]
    attempts: tuple[Past, ...]
    since: tuple[tuple[Past, ...], ...]
    problems: tuple[str, ...]
    series: tuple[Series, ...]
    headlines: tuple[Series, ...]
    criteria: tuple[CriterionCourse, ...]

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
        """The outcome of a criterion in the newest run of its line; None where it has none."""
        return criterion.outcomes[self.newest[criterion.line].place]
